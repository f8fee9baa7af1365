"""Every row of the table keeps its promises: values, shapes, dtypes, and what it says of itself.

The rows are the parameters of these tests, so that a new row brings its own. Derivatives are in
``test_table_derivatives.py``; nodes, memory and what is left alone come last.
"""

import dis
import inspect
import itertools
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.core import TABLE, Tensor, elementwise, general, input_gradient, saved_values

from ..helpers.cases import one_in
from ..helpers.numeric import assert_close
from ..helpers.rows import (
    DEAR,
    ENTRYWISE,
    ONCE,
    PAIRS,
    RECORDED,
    ROWS,
    SAMPLED,
    arrays_of,
    call,
    domains,
    gradients,
    is_float,
    leaves_of,
    rows,
    run,
    sample,
    tensors,
    wanted,
    weights,
)

KINDS = {"elementwise", "linear", "multilinear", "general", "constant"}
TWINS = [op for op in ENTRYWISE if isinstance(op.sympy, str)]


# What a row says of itself -----------------------------------------------------------------------------------------


@rows(ROWS)
def test_every_row_says_what_it_is(op):
    assert TABLE[op.name] is op
    assert op.doc, "a row has a one-sentence doc"
    name = op.apply.__name__  # igamma is torch.special's gammainc
    assert op.doc in op.apply.__doc__ and (name == op.name or getattr(sg.special, name) is op.apply)
    assert op.kind in KINDS
    assert re.fullmatch(r"[A-Z]\w*(Backward\d(_copy)?|Backwards|Slices)", op.node.__name__), (
        "PyTorch's node names look like this"
    )
    assert len(op.rules) == (1 if op.variadic else len(op.inputs))
    if op.kind in ("linear", "multilinear"):
        assert all(rule is not None for rule in op.rules)


@rows(ROWS)
def test_every_row_says_how_to_sample_it(op):
    operands, params = sample(op)  # raises what is missing
    outs = call(op, operands, params)
    assert all(np.asarray(o).dtype.kind in "fciub" for o in outs)
    if op.kind != "constant":
        assert wanted(op, operands), "no operand of the sample can require grad"
    if op.kind == "elementwise":
        assert np.shape(outs[0]) == np.broadcast_shapes(*map(np.shape, operands)), (
            "an entry-by-entry row keeps the shape"
        )


@rows([op for op in ROWS if op.kind != "constant"])
def test_rules_use_every_saved_value_they_name(op):
    for rule, names in zip(op.rules, op.rule_args, strict=True):
        if not callable(rule):
            continue
        asked = {n for n in names if n in op.saved}
        written = inspect.isfunction(rule) and tuple(inspect.signature(rule).parameters) == names
        used = _names_loaded(rule) if written else asked  # else a row, a function of NumPy's, or a value itself
        assert asked <= used, f"saved but not used: {asked - used}"


def _names_loaded(function):
    found = set()
    for instruction in dis.get_instructions(function):
        if instruction.opname.startswith("LOAD"):
            found.update(instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,))
    return found


def test_a_name_that_is_taken_is_refused():
    before = TABLE["sin"]
    with pytest.raises(ValueError, match="there is a row 'sin' already"):
        elementwise("sin", np.cos, 1)
    assert TABLE["sin"] is before


@pytest.mark.parametrize("name", ["g", "y", "shape", "shapes", "shape_x", "out", "input", "_t0", "_out"])
def test_a_name_that_means_something_else_is_refused_of_a_parameter(name):
    forward, partial = eval(f"lambda x, {name}: x * {name}"), eval(f"lambda {name}: {name}")
    with pytest.raises(TypeError, match=f"the parameter '{name}' of its forward function needs another name"):
        elementwise("scaled_for_this_test", forward, partial)
    assert "scaled_for_this_test" not in TABLE


@pytest.mark.parametrize(
    ("forward", "short", "long"),
    [
        (np.exp, ("y",), (lambda y: y,)),
        (np.multiply, ("b", "a"), (lambda b: b, lambda a: a)),
        (np.sin, (np.cos,), (lambda x: np.cos(x),)),
        (lambda x: np.logaddexp(x, 0), ("sigmoid",), (lambda x: sg.sigmoid(x),)),
        (lambda x, n: n * np.sinh(x) / n, (np.cosh,), (lambda x: np.cosh(x),)),
    ],
    ids=["the result", "the operands", "a ufunc", "a row", "a ufunc, beside a parameter"],
)
def test_a_rule_that_is_a_name_or_a_bare_function_is_of_the_operands(forward, short, long):
    arrays = [np.linspace(0.3, 2.0, 5), np.linspace(1.5, 0.2, 5)][: len(short)]
    extra = (3.0,) if inspect.isfunction(forward) and forward.__code__.co_argcount > len(short) else ()
    found = []
    for partials in (short, long):
        row = elementwise("shortened_for_this_test", forward, *partials)
        try:
            xs = [sg.tensor(a, requires_grad=True) for a in arrays]
            first = sg.autograd.grad(row(*xs, *extra).sum(), xs, create_graph=True)
            second = sg.autograd.grad(sum(g.sum() for g in first), xs, allow_unused=True)
            jets = sg.func.jvp(lambda *xs, row=row: row(*xs, *extra), tuple(arrays), tuple(map(np.ones_like, arrays)))
            found.append([np.asarray(t.detach() if isinstance(t, Tensor) else t) for t in (*first, *second, *jets)])
            big = sg.tensor(np.resize(arrays[0], _limits.BIG + 5), requires_grad=True)
            found[-1].append(sg.autograd.grad(row(*[big] * len(xs), *extra).sum(), big)[0].numpy())
            found[-1].append(str(first[0].formula()))
        finally:
            del TABLE["shortened_for_this_test"]
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_rule_that_asks_for_what_there_is_not_is_refused():
    with pytest.raises(TypeError, match="a rule asks for 'z', which there is not\nA rule may ask for g, k, shape"):
        elementwise("scaled_for_this_test", lambda x, k: x * k, lambda z: z)
    assert "scaled_for_this_test" not in TABLE


def test_the_number_of_an_operand_is_a_name_of_variadic_rows_alone():
    with pytest.raises(TypeError, match="the parameter 'i' of its forward function needs another name"):
        general("picked_for_this_test", lambda xs, i: xs[i], lambda g, i: g, variadic=True)


# names that the code written for a row uses, of Python, of NumPy, and of what a row's own text is full of
@pytest.mark.parametrize("name", ["i", "n", "op", "run", "mode", "type", "new", "forward", "Tensor", "grads", "np"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("size", [3, _limits.BIG + 1])
def test_a_parameter_may_be_called_anything_else(size, dtype, name):
    scaled = elementwise("scaled_for_this_test", eval(f"lambda x, {name}: x * {name}"), eval(f"lambda {name}: {name}"))
    power = f"lambda g, {name}, k: g * k * {name} ** (k - 1)"
    powered = general("powered_for_this_test", eval(f"lambda {name}, k: {name}**k"), eval(power))
    try:
        x = sg.tensor(np.linspace(1, 2, size).astype(dtype), requires_grad=True)
        assert inspect.signature(scaled).parameters.keys() == {"input", name, "out"}
        for watch in (False, True):
            with sg.autograd.set_detect_anomaly(watch):
                (g,) = sg.autograd.grad(scaled(x, 3.0).sum().real, x, create_graph=True)
                assert (g == 3.0).all()
                (g,) = sg.autograd.grad(powered(x, 3).sum().real, x)
                np.testing.assert_allclose(g.numpy(), 3 * x.detach().numpy() ** 2, rtol=1e-5)
    finally:
        del TABLE["scaled_for_this_test"], TABLE["powered_for_this_test"]


@rows([op for op in ROWS if op.kind == "linear" and op.name != "remember"])  # which is there to remember them
def test_linear_rows_save_no_values_but_places(op):
    assert not set(op.saved) - {op.inputs[k] for k in op.places} & {*op.inputs, "y"}


# Values --------------------------------------------------------------------------------------------------------------


@rows(TWINS)
def test_forward_is_the_sympy_twin(op):
    import sympy

    operands, params = sample(op)
    names = (*op.inputs, *op.params)
    symbols = [sympy.Symbol(n, real=d != "complex") for n, d in zip(names, (*domains(op), *params), strict=True)]
    twin = sympy.sympify(op.sympy, locals={**dict(zip(names, symbols, strict=True)), "arg": sympy.arg})
    expected = [
        complex(twin.subs(dict(zip(symbols, (*entry, *params), strict=True))).evalf(20))
        for entry in zip(*(a.ravel().tolist() for a in operands), strict=True)
    ]
    (out,) = call(op, operands, params)
    assert_close(np.asarray(out).ravel() + 0j, np.array(expected), rtol=1e-13, atol=1e-14)


@rows([op for op in ROWS if op.equation])
def test_forward_is_the_equation(op):
    operands, params = sample(op)
    expected = np.einsum(op.equation, *operands)
    assert_close(call(op, operands, params)[0], expected, rtol=1e-13, atol=1e-14)
    terms, result = op.labels([a.ndim for a in operands])
    assert [len(t) for t in terms] == [a.ndim for a in operands] and len(result) == expected.ndim


def _everywhere(op, low=-30.0):
    """The row's values at points of its operands' own kind, from all over the line, 0 among them."""
    operands, params = sample(op)
    wide = [
        np.resize(np.linspace(low, 30, 61), a.shape if a.size > 60 else (61,) * max(a.ndim, 1)) if is_float(a) else a
        for a in operands
    ]
    try:
        return call(op, wide, params)
    except Exception:  # shapes that the row's parameters do not fit
        return call(op, operands, params)


@rows([op for op in ROWS if op.odd or op.even])
def test_odd_is_odd_and_even_is_even(op):
    (x,), params = sample(op)
    assert_close(op.forward(-x, *params), (-1 if op.odd else 1) * op.forward(x, *params), rtol=0, atol=0)


@rows([op for op in ROWS if op.undoes])
def test_what_undoes_another_row_does(op):
    other = TABLE[op.undoes]
    (x,), _ = sample(other)
    assert_close(op.forward(other.forward(x)), x, rtol=1e-13, atol=1e-14)


@rows([op for op in ROWS if op.sign])
def test_values_have_the_sign_that_the_row_says(op):
    for out in _everywhere(op):
        assert (out > 0).all() if op.sign == ">" else (out >= 0).all()


@rows([op for op in ROWS if op.finite])
def test_values_are_finite_where_the_row_says_so(op):
    for out in _everywhere(op):
        assert np.isfinite(out).all()


@rows([op for op in SAMPLED if op.truth])
def test_truths_are_truths(op):
    assert [out.dtype.kind for out in call(op, *sample(op))] == ["b"]


@rows(SAMPLED)
def test_arrays_give_the_arrays_that_tensors_hold(op):
    operands, params = sample(op)
    plain = call(op, operands, params)
    assert not any(isinstance(o, Tensor) for o in plain)
    for leaves in ((), wanted(op, operands)):
        outs = call(op, tensors(operands, leaves), params)
        assert all(isinstance(o, Tensor) for o in outs)
        for p, o in zip(plain, arrays_of(outs), strict=True):
            assert np.asarray(p).dtype == o.dtype
            np.testing.assert_array_equal(p, o)


@rows([op for op in SAMPLED if not op.variadic and op.kind != "linear"])
def test_arrays_and_tensors_mix(op):
    operands, params = sample(op)
    every = wanted(op, operands) if op.kind != "constant" else []
    for i in every:
        ts = [t if i == k else a for k, (t, a) in enumerate(zip(tensors(operands, [i]), operands, strict=True))]
        for o, p in zip(call(op, ts, params), call(op, operands, params), strict=True):
            np.testing.assert_array_equal(o.detach().numpy(), p)


@rows(RECORDED)
def test_formula_evaluates_to_the_value_here_and_elsewhere(op):
    operands, params = sample(op)
    ts, outs = run(op, operands, params)
    moved = [a + 0.01 if is_float(a) else a for a in operands]
    for o, there in zip(outs, run(op, moved, params)[1], strict=True):
        formula = o.formula()
        assert formula.checked is True and str(formula)
        assert_close(formula(), o.detach().numpy())
        names = {t.name: a for t, a in zip(ts, moved, strict=True) if isinstance(t, Tensor)}
        given = {k: v for k, v in names.items() if k in formula.free_symbols}
        assert_close(formula(**given), there.detach().numpy())


@rows(RECORDED)
def test_formula_of_the_gradient_evaluates_to_it(op):
    operands, params = sample(op)
    for g in gradients(op, operands, params, create_graph=True):
        if g.requires_grad:
            assert_close(g.formula()(), g.detach().numpy())


# Shapes --------------------------------------------------------------------------------------------------------------

BROADCAST = [
    ((3, 1), (4,), (), (1,)),
    ((), (2, 3), (3,), (2, 1)),
    ((2, 3), (), (2, 1), (3,)),
    ((1,), (2, 1, 3), (1, 1), ()),
    ((2, 1), (1, 3), (2, 3), ()),
]


@one_in(8)
@rows(PAIRS)
@pytest.mark.parametrize("shapes", BROADCAST, ids=str)
def test_operands_broadcast_and_gradients_do_not(op, shapes):
    assert_broadcast(op, shapes)


@one_in(4, "shapes")
@rows([op for op in PAIRS if len(op.inputs) > 2])
@pytest.mark.parametrize("shapes", [*itertools.permutations([(3,), (1, 3), (3, 1), ()], 3)], ids=str)
def test_three_operands_broadcast_in_each_place(op, shapes):
    assert_broadcast(op, (*shapes, (3,)))


def assert_broadcast(op, shapes):
    operands, params = sample(op, shapes[: len(op.inputs)])
    full = [np.array(a) for a in np.broadcast_arrays(*operands)]
    outs, wide = run(op, operands, params)[1], run(op, full, params)[1]
    np.testing.assert_array_equal(outs[0].detach().numpy(), wide[0].detach().numpy())
    used = wanted(op, operands)
    for i, g, expected in zip(used, gradients(op, operands, params), gradients(op, full, params), strict=True):
        total = _summed(expected.numpy(), operands[i].shape)
        assert_close(g.numpy(), total, rtol=1e-12, atol=1e-13)


def _summed(a, shape):
    """``a`` summed over what broadcasting to its shape added to ``shape``."""
    a = a.sum(tuple(range(a.ndim - len(shape))))
    return a.sum(tuple(k for k, n in enumerate(shape) if n == 1), keepdims=True) if shape else a


@one_in(6)
@rows(ENTRYWISE)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (1,)], ids=str)
def test_any_shape_goes_in_and_comes_out(op, shape):
    operands, params = sample(op, (shape,) * len(op.inputs))
    ts, outs = run(op, operands, params)
    assert outs[0].shape == shape and type(outs[0]._data) is np.ndarray
    for t, g in zip(leaves_of(ts), gradients(op, operands, params, create_graph=True), strict=True):
        assert g.shape == shape and g.dtype == t.dtype


@rows(PAIRS)
def test_a_stretched_operand_of_an_empty_result_gets_zeros(op):
    operands, params = sample(op, ((0,), (1,), (1,), (1,))[: len(op.inputs)])
    for i, g in zip(wanted(op, operands), gradients(op, operands, params), strict=True):
        np.testing.assert_array_equal(g.numpy(), np.zeros(operands[i].shape))


@one_in(3)
@rows(RECORDED)
def test_gradients_have_the_shapes_and_dtypes_of_their_inputs(op):
    operands, params = sample(op)
    for i, g in zip(wanted(op, operands), gradients(op, operands, params), strict=True):
        assert g.shape == operands[i].shape and g.dtype == operands[i].dtype


@rows(RECORDED, slow=DEAR)
def test_memory_layout_does_not_matter(op):
    operands, params = sample(op)
    expected = arrays_of(gradients(op, operands, params))

    def strided(a):
        return np.stack([a, a], -1)[..., 0].T.copy().T if isinstance(a, np.ndarray) and a.ndim else a

    others = [np.repeat(strided(a), 2, axis=0)[::2] if isinstance(a, np.ndarray) and a.ndim else a for a in operands]
    ts = [sg.asarray(a, requires_grad=is_float(a)) if isinstance(a, np.ndarray) else a for a in others]
    ts = [t.detach() if isinstance(t, Tensor) and i not in wanted(op, operands) else t for i, t in enumerate(ts)]
    outs = [o for o in call(op, ts, params) if o.requires_grad]
    ws = [sg.tensor(w) for w in weights(arrays_of(outs))]
    for a, b in zip(sg.autograd.grad(outs, leaves_of(ts), grad_outputs=ws), expected, strict=True):
        assert_close(a.numpy(), b, rtol=1e-12, atol=1e-13)


@rows(ENTRYWISE if _limits.LOW else ENTRYWISE[::24])  # that rows differ in nothing here is seen where few are large
def test_large_arrays_go_in_blocks_to_the_same_gradients(op):
    size, few = _limits.BIG + 7, min(100, _limits.BIG)
    operands, params = sample(op, ((size,),) * len(op.inputs), away_from_kinks=False)
    ts, outs = run(op, operands, params)
    w = weights(arrays_of(outs))
    large = sg.autograd.grad(outs, leaves_of(ts), grad_outputs=[sg.tensor(a) for a in w])
    for part in (slice(few), slice((size - few) // 2, (size + few) // 2), slice(size - few, size)):
        ts, small = run(op, [a[part] for a in operands], params)
        assert_close(outs[0].detach().numpy()[part], small[0].detach().numpy(), rtol=1e-14, atol=1e-14)
        expected = sg.autograd.grad(small, leaves_of(ts), grad_outputs=[sg.tensor(a[part]) for a in w])
        for g, e in zip(large, expected, strict=True):
            assert_close(g.numpy()[part], e.numpy(), rtol=1e-13, atol=1e-14)


# Dtypes --------------------------------------------------------------------------------------------------------------

_HALF = {"float64": "float32", "complex128": "complex64"}


def _halved(a):
    return a.astype(_HALF[a.dtype.name]) if isinstance(a, np.ndarray) and a.dtype.name in _HALF else a


def _names_a_dtype(params):
    return any(isinstance(p, (np.dtype, type)) for p in params)


@one_in(6)
@rows([op for op in RECORDED if not _names_a_dtype(sample(op)[1])])
def test_float32_stays_float32(op):
    operands, params = sample(op)
    small = [_halved(a) for a in operands]
    for o, wide in zip(run(op, small, params)[1], run(op, operands, params)[1], strict=True):
        assert o.dtype.name == _HALF[wide.dtype.name]
    wide_gradients = gradients(op, operands, params, create_graph=True)
    for g, wide in zip(gradients(op, small, params, create_graph=True), wide_gradients, strict=True):
        assert g.dtype.name == _HALF[wide.dtype.name]
        assert_close(g.detach().numpy(), wide.detach().numpy(), rtol=1e-3, atol=1e-3)


@rows([op for op in PAIRS if set(domains(op)) <= {"real", "nonzero", "positive"}])
@pytest.mark.parametrize("kind", ["bool", "int8", "int64"])
def test_gradients_beside_whole_numbers_keep_their_dtype(op, kind):
    operands, params = sample(op)
    beside = [(np.ones((2, 3), kind), True), (np.ones((), kind), True), (np.ones((), kind)[()], False)]
    for i, (one, graph) in itertools.product(wanted(op, operands), beside):
        mixed = [a.astype(np.float32) if k == i else one for k, a in enumerate(operands)]
        if op.rules[i] == 0 or (kind == "bool" and _refuses_bools(op, mixed, params, i, graph)):
            continue
        leaf = sg.tensor(mixed[i], requires_grad=True)
        middle = leaf * 1  # a leaf's gradient is cast, whatever arrives
        (y,) = call(op, [middle if k == i else sg.tensor(a) if isinstance(a, np.ndarray) else a
                         for k, a in enumerate(mixed)], params)  # fmt: skip
        (g,) = sg.autograd.grad(abs(y).sum(), middle, create_graph=graph)
        assert g.dtype == np.float32, (i, one)


def _refuses_bools(op, operands, params, i, graph):
    """Whether the operation, or its rule, subtracts bools, as neither NumPy nor PyTorch do."""
    try:
        gradients(op, operands, params, [i], create_graph=graph)
    except TypeError as error:
        return "bool" in str(error)
    return False


@rows([op for op in PAIRS if set(domains(op)) <= {"real", "nonzero", "positive", "negative", "unit"}])
def test_a_python_number_may_stand_for_an_operand(op):
    operands, params = sample(op, ((2, 3), (), (), ())[: len(op.inputs)])
    for i in wanted(op, operands):
        numbers = [a[0, 0] if a.ndim else a for a in operands]
        mixed = [operands[0].astype(np.float32) if k == i else float(a) for k, a in enumerate(numbers)]
        whole = [a if k == i else np.asarray(a, np.float32) for k, a in enumerate(mixed)]
        (out,), (expected,) = run(op, mixed, params, [i])[1], run(op, whole, params, [i])[1]
        assert out.dtype == expected.dtype
        assert_close(out.detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-5)
        for g, e in zip(gradients(op, mixed, params, [i]), gradients(op, whole, params, [i]), strict=True):
            assert g.dtype == np.float32
            assert_close(g.numpy(), e.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["two words", "lambda", "1st", "", "a.b", 3, None])
def test_a_name_that_no_function_can_have_is_refused(name):
    with pytest.raises(ValueError, match="its name is not the name of a function"):
        elementwise(name, np.cos, 1)
    assert name not in TABLE


def test_a_name_of_a_function_that_is_no_row_is_refused():
    assert "logit" in TABLE and "softplus" not in TABLE
    with pytest.raises(ValueError, match="row 'softplus': symgrad has a function of this name\nA formula that shows"):
        elementwise("softplus", np.cos, 1)


@pytest.mark.parametrize("kind", [elementwise, general])
@pytest.mark.parametrize("forward", [np.exp, lambda x: np.exp(x)])
def test_a_row_without_a_rule_is_refused_unless_it_is_said_to_have_no_derivative(kind, forward):
    with pytest.raises(TypeError, match="row 'ruleless_for_this_test': there is no rule(.|\n)*declared by `constant`"):
        kind("ruleless_for_this_test", forward)
    assert "ruleless_for_this_test" not in TABLE


def test_a_ufunc_needs_a_rule_for_each_operand():
    with pytest.raises(TypeError, match="np.hypot takes 2 operands, and there are 1 rules"):
        elementwise("length_for_this_test", np.hypot, 1)


@pytest.fixture
def total():
    yield elementwise("total_for_this_test", lambda x, k=2.0: (k * x).sum(), lambda k: k)
    del TABLE["total_for_this_test"]


@pytest.mark.parametrize("x", [
    sg.ones(3), sg.ones((), requires_grad=True), 1.0, np.ones((2, 2)), sg.symbol("x", "n"), sg.ones(1, 1),
])  # fmt: skip
def test_a_row_that_reduces_is_no_elementwise_one_whatever_it_is_called_with(total, x):
    for _ in range(2):
        with pytest.raises(sg.ShapeError, match="row 'total_for_this_test' is declared elementwise(.|\n)*shape \\(\\)"):
            total(x, k=3.0)


# What a row records and saves -----------------------------------------------------------------------------------------


# The graph -----------------------------------------------------------------------------------------------------------


@rows(RECORDED)
def test_the_results_grad_fn_is_the_rows_node(op):
    operands, params = sample(op)
    ts, outs = run(op, operands, params)
    for o in outs:
        assert isinstance(o.grad_fn, op.node)
        assert o.grad_fn.name() == type(o.grad_fn).__name__
        assert not o.is_leaf
        assert len(o.grad_fn.next_functions) == len(ts if op.variadic else op.moving or op.inputs)


@rows([op for op in SAMPLED if op.kind == "constant"])
def test_constant_rows_record_nothing(op):
    operands, params = sample(op)
    for o in call(op, tensors(operands, [i for i, a in enumerate(operands) if is_float(a)]), params):
        assert o.grad_fn is None and not o.requires_grad and o.is_leaf


@rows(SAMPLED)
def test_without_a_leaf_or_grad_mode_nothing_is_recorded(op):
    operands, params = sample(op)
    assert all(o.grad_fn is None for o in call(op, tensors(operands, ()), params))
    with sg.no_grad():
        ts = tensors(operands, wanted(op, operands))
        assert all(o.grad_fn is None and not o.requires_grad for o in call(op, ts, params))


@rows(RECORDED)
def test_nodes_save_what_their_rules_name_and_no_more(op):
    operands, params = sample(op)
    for leaves in [[i] for i in wanted(op, operands)] + [wanted(op, operands)]:
        ts, outs = run(op, operands, params, leaves)
        node = outs[0].grad_fn
        rules = op.rule_args * len(ts) if op.variadic else op.rule_args
        asked = {name for i in leaves for name in rules[i]}
        if node.saved is None:
            assert not asked & {s for s in op.saved if s not in op.params}
            continue
        for name, value in zip(op.saved, saved_values(node), strict=True):
            if name in op.params:
                continue  # an index counts as saved, and is shared with consts
            assert (value is None) == (name not in asked), f"{name} for the gradient of {leaves}"
            if value is not None and name in op.inputs and not op.variadic:
                assert value is ts[op.inputs.index(name)]._data, f"{name} was copied"


@rows(RECORDED)
@pytest.mark.parametrize("order", "CF")
def test_rows_write_to_nothing_they_are_given(op, order):
    operands, params = sample(op)
    ts = tensors(operands, wanted(op, operands))
    for t in ts:
        if isinstance(t, Tensor):
            t._data.flags.writeable = False  # a forward function or rule that writes to it raises
    outs = [o for o in call(op, ts, params) if o.requires_grad]
    seeds = [w.copy(order) for w in weights(arrays_of(outs))]
    before = [s.copy() for s in seeds]
    for s in seeds:
        s.flags.writeable = False
    sg.autograd.grad(outs, leaves_of(ts), grad_outputs=[sg.from_numpy(s) for s in seeds])
    assert all((s == b).all() for s, b in zip(seeds, before))


@one_in(6)
@rows([op for op in RECORDED if any(op.makes)])
def test_gradients_that_a_row_makes_are_nobody_elses(op):
    operands, params = sample(op)
    ts, outs = run(op, operands, params)
    node = outs[0].grad_fn
    for i in wanted(op, operands):
        if not op.makes[i]:
            continue
        for layout in (np.ascontiguousarray, np.asfortranarray, np.ones_like):
            g = layout(weights(arrays_of(outs))[0])
            others = [g, *(t._data for t in ts if isinstance(t, Tensor))]
            others += [v for v in saved_values(node) if isinstance(v, np.ndarray)]
            d, again = (np.asarray(input_gradient(node, i, g, False)) for _ in range(2))
            assert not any(np.shares_memory(d, other) for other in [*others, again])


@one_in(6)
@rows(RECORDED)
def test_each_gradient_is_the_same_whether_asked_for_alone_or_together(op):
    operands, params = sample(op)
    every = wanted(op, operands)
    for i, together in zip(every, gradients(op, operands, params), strict=True):
        (alone,) = gradients(op, operands, params, [i])
        np.testing.assert_array_equal(alone.numpy(), together.numpy())


@one_in(6)
@rows(RECORDED)
def test_operands_used_twice_get_both_gradients(op):
    operands, params = sample(op)
    ts, outs = run(op, operands, params)
    again = [o for o in call(op, ts, params) if o.requires_grad]
    ws = [sg.tensor(w) for w in weights(arrays_of(outs))]
    found = sg.autograd.grad(outs + again, leaves_of(ts), grad_outputs=ws + ws)
    for g, once in zip(found, gradients(op, operands, params), strict=True):
        assert_close(g.numpy(), 2 * once.numpy(), rtol=1e-12, atol=1e-13)


@one_in(6)
@rows(PAIRS)
def test_broadcast_operands_used_twice_get_both_gradients(op):
    operands, params = sample(op, ((2, 3), (3,), (), (1,))[: len(op.inputs)])
    ts, outs = run(op, operands, params)
    ws = [sg.tensor(w) for w in weights(arrays_of(outs))]
    again = call(op, ts, params)
    found = sg.autograd.grad([*outs, *again], leaves_of(ts), grad_outputs=ws + ws)
    for g, once in zip(found, gradients(op, operands, params), strict=True):
        assert_close(g.numpy(), 2 * once.numpy(), rtol=1e-12, atol=1e-13)


@rows([op for op in SAMPLED if op.kind != "constant" and None in op.rules])
def test_an_input_without_a_rule_says_so(op):
    operands, params = sample(op)
    for i, rule in enumerate(op.rules):
        if rule is None and is_float(operands[i]):
            with pytest.raises(NotImplementedError, match="not implemented"):
                gradients(op, operands, params, [i])


# What is left alone --------------------------------------------------------------------------------------------------


@rows(SAMPLED)
def test_nothing_is_written_to(op):
    operands, params = sample(op)
    ts = tensors(operands, wanted(op, operands) if op.kind != "constant" else ())
    for t in ts:
        if isinstance(t, Tensor):
            t._data.flags.writeable = False
    outs = [o for o in call(op, ts, params) if o.requires_grad]
    values = [a.copy() for a in arrays_of(outs)]
    if outs:
        ws = [sg.tensor(w) for w in weights(values)]
        for w in ws:
            w._data.flags.writeable = False
        first = sg.autograd.grad(outs, leaves_of(ts), grad_outputs=ws, create_graph=True)
        smooth = [g for g in first if g.requires_grad]
        if smooth and op.name not in ONCE:
            sg.autograd.grad(smooth, leaves_of(ts), grad_outputs=smooth, allow_unused=True)
    for t, a in zip(ts, operands, strict=True):
        if isinstance(t, Tensor):
            np.testing.assert_array_equal(t._data, a)
    for o, a in zip(arrays_of(outs), values, strict=True):
        np.testing.assert_array_equal(o, a)


@rows([op for op in SAMPLED if op.name != "copy_from"])  # its result is copied into place at once
def test_results_are_new_memory_unless_the_row_is_a_view(op):
    operands, params = sample(op)
    ts = tensors(operands, ())
    shared = [
        np.shares_memory(o._data, t._data)
        for o in call(op, ts, params)
        for t in ts
        if isinstance(t, Tensor) and t._data.size
    ]
    assert any(shared) == op.view


@rows(RECORDED)
def test_accumulated_gradients_are_memory_of_their_own(op):
    operands, params = sample(op)
    ts, outs = run(op, operands, params)
    ws = [sg.tensor(w) for w in weights(arrays_of(outs))]
    sg.autograd.backward(outs, ws)
    leaves = leaves_of(ts)
    others = [*(o._data for o in outs), *(w._data for w in ws), *(t._data for t in ts if isinstance(t, Tensor))]
    for t in leaves:
        g = t.grad._data
        assert not any(np.shares_memory(g, o) for o in others)
        others.append(g)
        t.grad.zero_()  # as optimizers do
        assert not g.any()
