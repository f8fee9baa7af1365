"""Printed code computes the term: random products, sums and functions, against einsum with explicit indices."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import symgrad as sg
from symgrad.core import TABLE
from symgrad.show import to_code, to_latex, to_text
from symgrad.terms.node import Add, Call, Data, Delta, Ein, Expr, Jac, Lin, Map, One, Var

from ..helpers.examples import examples

SIZES = (2, 3, 2, 1, 4, 3)  # of indices 0, 1, …: two pairs agree, so that identities and transposes fit by accident
LETTERS = "abcdefghijklmnop"
NUMBER = Ein(1, (), (), 0)


def value(term: Expr, at: dict[str, np.ndarray]) -> np.ndarray:
    """The value of a term, straight from what the terms mean."""
    if isinstance(term, Var):
        return at[term.name]
    if isinstance(term, Data):
        return term.value
    if isinstance(term, One):
        return np.ones(term.shape)
    if isinstance(term, Delta):
        return np.eye(term.shape[0])
    if isinstance(term, Ein):
        return product(term, at)
    if isinstance(term, Add):
        return sum((float(c) * spread(value(t, at), s, term.shape) for c, t, s in term.terms), np.zeros(term.shape))
    if isinstance(term, Map):
        args = [spread(value(a, at), s, term.shape) for a, s in term.args]
        if term.op.name == "pow_scalar":
            return args[0] ** float(term.params[0])
        return np.asarray(term.op.forward(*args, *term.params))
    if isinstance(term, Call):
        out = term.op.forward(*[value(a, at) for a in term.args], *term.params)
        return np.asarray(out if term.out is None else out[term.out])
    if isinstance(term, Lin):
        n = int(np.prod(term.in_shape))
        units = np.eye(n).reshape(n, *term.in_shape)
        return np.stack([term.op.forward(u, *term.params) for u in units], axis=-1).reshape(term.shape)
    raise TypeError(term.kind)


def product(term: Ein, at: dict[str, np.ndarray]) -> np.ndarray:
    if not term.factors:
        return np.asarray(float(term.coef))
    spec = ",".join("".join(LETTERS[i] for i in s) for _, s in term.factors)
    arrays = [value(f, at).astype(float) for f, _ in term.factors]
    return float(term.coef) * np.einsum(f"{spec}->{LETTERS[: len(term.shape)]}", *arrays)


def spread(array: np.ndarray, indices: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
    """An array put at some axes of a result."""
    array = np.transpose(array, sorted(range(len(indices)), key=indices.__getitem__))
    return np.broadcast_to(array.reshape([n if i in indices else 1 for i, n in enumerate(shape)]), shape)


def symbols(term: Expr) -> dict[str, Var]:
    found: dict[str, Var] = {}
    stack = [term]
    while stack:
        t = stack.pop()
        if isinstance(t, Var):
            found[t.name] = t
        stack.extend(t.children)
    return found


def sample(term: Expr) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    found = symbols(term)
    out = {n: 0.5 + rng.random(found[n].shape) for n in sorted(found)}
    for n, v in found.items():
        if "symmetric" in v.properties:
            out[n] = out[n] + out[n].T
    return out


def run(term: Expr, target: str = "numpy", **options: object) -> np.ndarray:
    source = to_code(term, target, **options)  # type: ignore[arg-type]
    names: dict[str, object] = {}
    exec(source, names)
    at = sample(term)
    if target == "torch":
        torch = pytest.importorskip("torch", reason='python -m pip install -e ".[compare]"')
        return np.asarray(names["f"](*[torch.tensor(at[n]) for n in sorted(at)]))  # type: ignore[operator]
    return np.asarray(names["f"](*[at[n] for n in sorted(at)]))  # type: ignore[operator]


def along_the_only_axis(name: str) -> Any:
    """A function along an axis as it is written of vectors and of whole arrays: without saying which."""

    def call(x: Any, *args: Any, **options: Any) -> Any:
        axes = tuple(range(x.ndim)) if name == "logsumexp" else 0
        return getattr(sg, name)(x, *args, **(options if args or options else {"dim": axes}))

    return call


ASCII = {
    **vars(np), **vars(scipy.special), **vars(np.linalg), **{n: getattr(sg, n) for n in dir(sg) if n[0] != "_"},
    **{n: getattr(sg.special, n) for n in sg.special.__all__}, "linalg": np.linalg,
    **{n: getattr(np, n) for n in ("array", "sum", "einsum", "where", "diag", "trace", "ones", "eye", "sqrt", "outer")},
    **{n: getattr(np, n) for n in ("transpose", "reshape", "broadcast_to", "tensordot")},
    **{n: along_the_only_axis(n) for n in ("softmax", "log_softmax", "logsumexp", "logcumsumexp")},
}  # fmt: skip


def run_ascii(term: Expr) -> np.ndarray:
    body, _, rest = to_text(term, "ascii").partition("\nwhere ")
    names = {**ASCII, **sample(term)}
    for line in rest.split("\n      ") if rest else ():
        label, _, expression = line.partition(" = ")
        names[label] = eval(expression, names)
    return np.asarray(eval(body, names))


def check(term: Expr) -> None:
    """NumPy code has the term's value and shape; ASCII text its value; nothing raises."""
    expected = value(term, sample(term))
    got = run(term)
    assert got.shape == tuple(term.shape), to_code(term)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9, err_msg=to_code(term))
    text = run_ascii(term)
    np.testing.assert_allclose(
        np.broadcast_to(text, term.shape), expected, rtol=1e-9, atol=1e-9, err_msg=to_text(term, "ascii")
    )
    for level in ("array", "element"):
        assert to_text(term, level=level)
        assert to_text(term, "ascii", level=level).isascii()
        assert to_latex(term, level=level)


@st.composite
def products(draw: st.DrawFn, depth: int = 1) -> Ein:
    """Products of up to five arrays of up to three axes over up to six indices."""
    rank = draw(st.integers(0, 4 if depth else 2))
    labels = st.integers(0, 5)
    factors = []
    for k in range(draw(st.integers(1, 5))):
        s = tuple(draw(st.lists(labels, max_size=draw(st.sampled_from((1, 2, 2, 2, 3))))))
        factors.append((draw(leaves(tuple(SIZES[i] for i in s), s, depth, k)), s))
    return normal(
        draw(st.sampled_from((1, -1, 2, Fraction(-2, 3), 0.5))), factors, draw(st.permutations(range(6)))[:rank]
    )


def normal(coef: object, factors: list, out: list[int], sizes: tuple[int, ...] = SIZES) -> Ein:
    """Number the indices as the terms do; ones give the output the axes that no factor has."""
    used = {i for _, s in factors for i in s}
    factors = factors + [(One(sizes[i]), (i,)) for i in out if i not in used]
    order = [*out, *sorted(used - set(out))]
    place = {i: n for n, i in enumerate(order)}
    return Ein(coef, [(f, tuple(place[i] for i in s)) for f, s in factors], tuple(sizes[i] for i in order), len(out))


@st.composite
def leaves(draw: st.DrawFn, shape: tuple[int, ...], s: tuple[int, ...], depth: int, k: int) -> Expr:
    """An array of a shape: a symbol, an identity, ones, or something compound."""
    name = f"{'txABC'[len(shape)]}{''.join(map(str, shape))}{draw(st.integers(0, 1))}"
    kind = draw(st.integers(0, 7))
    symbol = Var(name, shape)
    if len(shape) == 2 and shape[0] == shape[1]:
        symbol = draw(
            st.sampled_from((symbol, symbol, Delta(shape[0]), Var("S" + name, shape, frozenset({"symmetric"}))))
        )
    if len(shape) == 1 and kind == 0:
        return One(shape[0])
    indices = tuple(range(len(shape)))
    if not depth or kind < 4 or symbol.kind == "delta":
        return symbol
    if kind == 4:
        return Map(
            TABLE["pow_scalar"],
            [(symbol, indices)],
            (draw(st.sampled_from((2, -1, -2, Fraction(1, 2), Fraction(-1, 2)))),),
            shape,
        )
    if kind == 5:
        return Map(TABLE[draw(st.sampled_from(("exp", "sin", "sigmoid", "abs")))], [(symbol, indices)], (), shape)
    if kind == 6:
        return Map(TABLE["gt"], [(symbol, indices), (NUMBER, ())], (), shape)
    other = draw(products(0))
    fits = [i for i in range(len(shape)) if len(other.shape) == 1 and shape[i] == other.shape[0]]
    where = (fits[0],) if fits else ()
    other = other if fits or not other.shape else NUMBER
    return Add([(-1, symbol, indices), (2, other, where)], shape)


@examples(80)
@given(products())
def test_code_of_a_random_product_computes_it(term: Ein) -> None:
    check(term)


@examples(30)
@given(st.lists(products(), min_size=1, max_size=3), st.sampled_from(("exp", "cos")))
def test_code_of_random_sums_and_functions_computes_them(terms: list[Ein], function: str) -> None:
    shape = SIZES[: max(len(t.shape) for t in terms)]
    parts: list = [(1, NUMBER, ())]
    for c, t in enumerate(terms, 1):
        places = [i for i, n in enumerate(shape) for m in t.shape[:1] if n == m]
        if len(t.shape) == 1 and places:
            parts.append((c, t, (places[0],)))
        elif not t.shape:
            parts.append((-c, t, ()))
        elif t.shape == shape:
            parts.append((c, t, tuple(range(len(shape)))))
    total = Add(parts, shape)
    check(total)
    check(Map(TABLE[function], [(total, tuple(range(len(shape))))], (), shape))


def operation(name: str, params: tuple, shape: tuple[int, ...]) -> Lin:
    out = TABLE[name].forward(np.zeros(shape), *params)
    return Lin(TABLE[name], params, np.shape(out), shape)


OPERATIONS = {
    "slice": operation("getitem", ((slice(1, None),),), (4,)),
    "steps": operation("getitem", ((slice(None, None, 2), slice(1, 3)),), (4, 3)),
    "row": operation("getitem", ((1,),), (4, 3)),
    "entry": operation("getitem", ((1, 2),), (4, 3)),
    "list with a repeat": operation("getitem", ((np.array([2, 0, 2]),),), (4,)),
    "cumsum": operation("cumsum", (0, False), (4,)),
    "cumsum from the end": operation("cumsum", (1, True), (4, 3)),
    "flip": operation("flip", ((0,),), (4, 3)),
    "roll": operation("roll", ((1, 2), (0, 1)), (4, 3)),
    "reshape": operation("view", ((2, 6),), (4, 3)),
    "tril": operation("tril", (0,), (4, 4)),
    "no name in NumPy": operation("shift", (0, False), (4,)),
    "off the diagonal": operation("diagonal", (1, 0, 1), (4, 4)),
    "from the end": operation("getitem", ((slice(None, None, -1),),), (4,)),
    "one": operation("getitem", ((2,),), (4,)),
    "column after dots": operation("getitem", ((Ellipsis, 1),), (2, 4, 3)),
}
NOT_PUBLIC = ("no name in NumPy",)


def contracted(lin: Lin, out: bool, inn: bool) -> Ein:
    """The array of an operation with symbols on its output's axes, its input's, both or neither."""
    outs, ins = tuple(range(lin.out_rank)), tuple(range(lin.out_rank, len(lin.shape)))
    factors = [(lin, outs + ins)]
    factors += [(Var("g", lin.out_shape), outs)] if out else []
    factors += [(Var("x", lin.in_shape), ins), (Var("z", lin.in_shape), ins)] if inn else []
    return normal(1, [(f, tuple(s)) for f, s in factors], list(outs * (not out) + ins * (not inn)), lin.shape)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize(("out", "inn"), [(False, False), (False, True), (True, False), (True, True)])
def test_code_of_linear_operations_and_their_transposes(name: str, out: bool, inn: bool) -> None:
    term = contracted(OPERATIONS[name], out, inn)
    expected = value(term, sample(term))
    got = run(term)
    assert got.shape == term.shape
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)
    if name not in NOT_PUBLIC:
        np.testing.assert_allclose(run_ascii(term), expected, rtol=1e-12, atol=1e-12)
    for level in ("array", "element"):
        assert to_text(term, level=level) and to_latex(term, level=level)
        assert to_text(term, "ascii", level=level).isascii()


def test_code_of_an_operation_between_matrices() -> None:
    lin = OPERATIONS["slice"]
    A, x = Var("A", (4, 5)), Var("x", (5,))
    check(normal(2, [(lin, (0, 1)), (A, (1, 2)), (x, (2,))], [0], (3, 4, 5)))
    check(normal(1, [(lin, (0, 1)), (A, (1, 2))], [0, 2], (3, 4, 5)))
    check(normal(1, [(lin, (0, 1)), (Var("M", (4, 4)), (1, 2)), (lin, (3, 2))], [0, 3], (3, 4, 4, 3)))
    check(normal(1, [(lin, (1, 0)), (Var("d", (3,)), (1,)), (lin, (1, 2))], [0, 2], (4, 3, 4)))


SELECTIONS = [OPERATIONS[n] for n in ("slice", "from the end", "list with a repeat", "one")]


@pytest.mark.parametrize("lin", SELECTIONS, ids=lambda lin: to_text(lin))
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_code_of_selections_along_one_axis_of_several(lin: Lin, axis: int) -> None:
    out = (7,) if lin.out_rank else ()
    for rank in range(axis + 1, 4):
        sizes = tuple(4 if k == axis else 2 + k for k in range(rank)) + (4, 4, 4, 4)[rank:] + (4, 4, 4, 3)
        taken = [(Var("T", sizes[:rank]), tuple(range(rank))), (lin, (*out, axis))]
        left = [*range(axis), *out, *range(axis + 1, rank)]
        sizes = sizes[:7] + tuple(lin.out_shape)
        check(normal(1, taken, left, sizes))
        put = [(Var("G", tuple(sizes[k] for k in left)), tuple(left)), (lin, (*out, axis))]
        check(normal(-2, put, [*range(rank)], sizes))
    M, N = Var("M", (4, 4)), Var("N", (4, 4))
    sizes = (4, 4, 4, 4, 4, 4, 4, *lin.out_shape)
    check(normal(1, [(M, (0, 1)), (Var("v", (4,)), (1,)), (lin, (*out, 1)), (N, (1, 2))], [0, *out, 2], sizes))


def test_code_of_an_unknown_jacobian() -> None:
    x = Var("x", (4,))
    call_ = Call(TABLE["logcumsumexp"], (Map(TABLE["sin"], [(x, (0,))], (), (4,)),), (0,), (4,))
    at = sample(x)
    expected = sg.jacobian(lambda a: sg.logcumsumexp(a, 0))(sg.tensor(np.sin(at["x"]))).numpy()
    np.testing.assert_allclose(run(Jac(call_, 0)), expected)
    np.testing.assert_allclose(run_ascii(Jac(call_, 0)), expected)


def test_code_of_a_value_put_in_a_view() -> None:
    x, v, w = Var("x", (4,)), Var("v", (2, 2)), Var("w", (2,))
    steps = [(TABLE["view"], ((2, 2),)), (TABLE["getitem"], ((slice(1, None), Ellipsis),))]
    copied = Call(TABLE["copy_slices"], (x, w), (steps,), (4,))
    assert "(TABLE['view'], ((2, 2),))" in to_code(copied)
    np.testing.assert_allclose(run(copied), value(copied, sample(copied)))
    remark = "copy_slices(base, value) is base, with the view of it that steps lead to replaced by value"
    assert to_text(copied) == f"copy_slices(x, w, steps=.reshape((2, 2))[1:])\nwhere {remark}"
    assert to_latex(copied)
    with pytest.raises(sg.FormulaError, match="copy_slices"):
        to_code(copied, "torch")
    check(Map(TABLE["exp"], [(v, (0, 1))], (), (2, 2)))


def of_torch(term: Expr, **converted: np.ndarray) -> Any:
    """What the PyTorch code of a term gives."""
    torch = pytest.importorskip("torch", reason='python -m pip install -e ".[compare]"')
    at = sample(term) | converted
    names: dict[str, Any] = {}
    exec(to_code(term, "torch"), names)
    out = names["f"](*[torch.tensor(at[n]) for n in sorted(at)])
    return torch.as_tensor(np.asarray(out))


ROWS, SQUARE = 0.5 + np.arange(12.0).reshape(3, 4) % 5, np.eye(3) * 2 + np.arange(9.0).reshape(3, 3) / 8
FOUR, THREE = np.array([0.4, 1.3, 0.7, 0.9]), np.array([0.6, 0.2, 1.1])
FIRST_AND_LAST = np.array([0, 2])
OF_PUBLIC_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "index_put": (lambda x, y: sg.index_put(x, (np.array([0, 1, 2]), np.array([0, 1, 1])), y), ROWS, THREE),
    "select_scatter": (lambda x, y: sg.select_scatter(x, y, 1, 2), ROWS, THREE),
    "slice_scatter": (lambda x, y: sg.slice_scatter(x, y, 1, 0, 3), ROWS, SQUARE),
    "diagonal_scatter": (sg.diagonal_scatter, SQUARE, THREE),
    "scatter": (lambda x, y: sg.scatter(x, 0, FIRST_AND_LAST, y), FOUR, THREE),
    "index_copy": (lambda x: sg.index_copy(x, 0, FIRST_AND_LAST, 2 * x[:2]), FOUR),
    "masked_scatter": (lambda x: sg.masked_scatter(x, x > 0.6, 2 * x), FOUR),
    "put": (lambda x: sg.put(x, FIRST_AND_LAST, 2 * x[:2]), FOUR),
    "split": (lambda x: sg.split(x, [1, 3])[1], FOUR), "unbind": (lambda x: sg.unbind(x, 1)[1], ROWS),
    "svd": (lambda x: sg.linalg.svd(x, full_matrices=False)[1], SQUARE), "qr": (lambda x: sg.linalg.qr(x)[1], SQUARE),
    "hardtanh": (lambda x: sg.hardtanh(x, 0.4, 0.8), FOUR), "var": (lambda x: sg.var(x, 1), ROWS),
    "prod": (lambda x: sg.prod(x, 0, keepdim=True), FOUR), "amax": (lambda x: sg.amax(x, (0, 1), keepdim=True), ROWS),
    "logsumexp": (lambda x: sg.logsumexp(x, 0, keepdim=True), FOUR), "tile": (lambda x: sg.tile(x, (2, 1)), ROWS),
    "repeat_interleave": (lambda x: sg.repeat_interleave(x, 2, dim=1), ROWS),
    "diff": (lambda x: sg.diff(x, dim=0), ROWS),
    "tril": (lambda x: sg.tril(x, -1) @ x, SQUARE), "diag_embed": (sg.diag_embed, ROWS),
    "block_diag": (sg.block_diag, ROWS, SQUARE), "stack": (lambda x: sg.stack([x, x * x], -1), FOUR),
    "cumprod": (lambda x: sg.cumprod(x, 1), ROWS), "nan_to_num": (lambda x: sg.nan_to_num(x, 1.5), FOUR),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_PUBLIC_FUNCTIONS)
def test_ascii_calls_public_functions_as_they_are_called(name: str) -> None:
    function, *arrays = OF_PUBLIC_FUNCTIONS[name]
    arguments = [sg.tensor(a, requires_grad=True, name=n) for n, a in zip("xyz", arrays)]
    found = function(*arguments)
    text = f"{found.formula():ascii}"
    body, _, rest = text.partition("\nwhere ")
    names = {**ASCII, **dict(zip("xyz", arrays))}
    for line in rest.split("\n      ") if rest else ():
        label, _, expression = line.partition(" = ")
        names[label] = eval(expression, names)
    np.testing.assert_allclose(np.asarray(eval(body, names)), found.detach().numpy(), rtol=1e-12, err_msg=text)


def truth(name: str = "c", n: int = 3) -> tuple[Var, dict[str, np.ndarray]]:
    return Var(name, (n,)), {name: np.arange(n) % 2 == 0}


X3, Z3 = Var("x", (3,)), Var("z", (3,))
MASK = Data(np.array([True, False, True]))
PARTS = Data(np.array([0.25, -0.5, 1.1]))


def mapped(name: str, *args: Expr, params: tuple = ()) -> Map:
    shape = max((a.shape for a in args), key=len)
    return Map(TABLE[name], [(a, tuple(range(len(a.shape)))) for a in args], params, shape)


def numeral(c: Any) -> Ein:
    return Ein(c, (), (), 0)


def times(*factors: Expr) -> Ein:
    """The sum of the entries of a product of vectors of 3."""
    return Ein(1, [(f, (0,)) for f in factors], (3,), 0)


ABOVE = mapped("gt", X3, numeral(1))
OF_NUMBERS = [
    mapped("where", MASK, X3, Z3), times(MASK, X3), mapped("where", ABOVE, numeral(1.01), numeral(-1.01)),
    mapped("keep", numeral(1.01), ABOVE), mapped("log", numeral(2)), mapped("logaddexp", numeral(1.1), X3),
    mapped("logaddexp", X3, numeral(0.3)), mapped("atan2", numeral(1.1), X3), mapped("atan2", X3, numeral(2)),
    mapped("xlogy", numeral(1.1), X3), mapped("maximum", numeral(1.1), X3), mapped("fmod", X3, numeral(0.3)),
    mapped("pow_tensor", numeral(2), X3), mapped("pow_scalar", numeral(2), params=(Fraction(1, 2),)),
    mapped("masked_fill", numeral(0), MASK, numeral(0.5)), mapped("masked_fill", X3, MASK, numeral(0.5)),
    mapped("atan2", mapped("pow_scalar", numeral(2), params=(Fraction(1, 2),)), X3),
]  # fmt: skip


@pytest.mark.parametrize("term", OF_NUMBERS, ids=[to_text(t) for t in OF_NUMBERS])
def test_numbers_among_arrays_keep_all_their_digits(term: Expr) -> None:
    expected = value(term, sample(term))
    for got in (run(term), run_ascii(term), of_torch(term).numpy()):
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_torch_code_has_no_dtype_of_truths() -> None:
    c, at = truth()
    chosen = mapped("where", c, X3, mapped("exp", Z3))
    kept = [
        times(chosen, PARTS), times(chosen, c), Ein(1, [(c, (0,)), (PARTS, (1,))], (3, 3), 2),
        Ein(1, [(c, (0,)), (Var("M", (3, 3)), (0, 1)), (c, (1,)), (chosen, (1,))], (3, 3), 0),
        times(mapped("where", c, PARTS, X3), c), times(One(3), c, mapped("logical_not", c), X3),
    ]  # fmt: skip
    for term in kept:
        expected = value(term, sample(term) | at)
        got = of_torch(term, **at)
        assert got.dtype.is_floating_point, to_code(term, "torch")
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6, atol=1e-12, err_msg=to_code(term, "torch"))
    assert "dtype=x.dtype" in to_code(times(mapped("exp", X3), c, PARTS), "torch")


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.logical_and(x > 1, 1),
        lambda x: np.logical_xor(x, 1),
        lambda x: np.nextafter(x, 2.0),
        lambda x: np.where(2.0 > 1, x, x**2),
    ],
)
def test_torch_gets_numbers_as_tensors_where_it_takes_no_others(f: Any) -> None:
    torch = pytest.importorskip("torch", reason='python -m pip install -e ".[compare]"')
    x, names = np.array([1.5, 0.0]), dict[str, Any]()
    exec(sg.formula(f, sg.symbol("x", "n")).code("torch"), names)
    np.testing.assert_array_equal(names["f"](torch.tensor(x)), f(x))


@pytest.mark.parametrize("dim", [0, (0, 1), (0, 2), (0, 1, 2)])
def test_torch_gets_a_softmax_over_several_axes(dim: Any) -> None:
    torch = pytest.importorskip("torch", reason='python -m pip install -e ".[compare]"')
    x, names = np.random.default_rng(0).normal(size=(2, 3, 4)), {}
    gradient = sg.formula(lambda x: (sg.logsumexp(x + 1, dim) ** 2).sum(), sg.symbol("x", x.shape)).grad("x")
    exec(gradient.code("torch"), names)
    np.testing.assert_allclose(names["f"](torch.tensor(x)), gradient(x=x))


def test_a_target_that_is_none_is_told_which_are() -> None:
    with pytest.raises(sg.FormulaError, match="'numpy', 'torch', 'jax', 'sympy'"):
        sg.parse("x + 1").code("fortran")


def test_torch_leaves_an_unknown_derivative_to_torch() -> None:
    pytest.importorskip("torch", reason='python -m pip install -e ".[compare]"')
    products = Call(TABLE["cumprod"], (mapped("sin", X3),), (0,), (3,))
    at = sample(products)
    expected = sg.jacobian(lambda a: sg.cumprod(a, 0))(sg.tensor(np.sin(at["x"]))).numpy()
    np.testing.assert_allclose(of_torch(Jac(products, 0)).numpy(), expected)


STACKS = {
    "bik,bkj->bij": "X @ Y", "bik,kj->bij": "X @ Y", "ik,bkj->bij": "X @ Y", "bik,k->bi": "X @ Y",
    "bkj,bik->bij": "Y @ X", "abik,bkj->abij": "X @ Y", "bik,bjk->bij": "einsum", "kbi,kbj->bij": "einsum",
}  # fmt: skip


@pytest.mark.parametrize("spec", STACKS)
def test_code_of_products_of_stacks(spec: str) -> None:
    inputs, out = spec.split("->")
    sizes = {c: n for n, c in enumerate(sorted(set(spec) - set(",->")), 2)}
    factors = [(Var(name, tuple(sizes[c] for c in s)), s) for name, s in zip("XY", inputs.split(","))]
    labels = [*out, *sorted(set(sizes) - set(out))]
    items = [(f, tuple(map(labels.index, s))) for f, s in factors]
    term = Ein(1, items, tuple(sizes[c] for c in labels), len(out))
    check(term)
    assert STACKS[spec] in to_code(term)
    assert STACKS[spec] in to_text(term, "ascii")


PARAMETERS = {"n": 1, "low": 0.3, "high": 0.7, "slope": 0.1, "alpha": 1.5, "scale": 1.1, "p": 1.5}


def example(name: str) -> Map:
    op = TABLE[name]
    args = [(Var(letter, (5,)), (0,)) for letter in "xyz"[: len(op.inputs)]]
    if name in ("where", "keep") or name.startswith(("logical", "bitwise", "masked_fill")):
        truth = Map(TABLE["gt"], [(Var("c", (5,)), (0,)), (Ein(0.7, (), (), 0), ())], (), (5,))
        place = 1 if name.startswith(("keep", "masked_fill")) else 0
        args[place] = (truth, (0,))
        args = [(truth, (0,)) for _ in args] if name.startswith(("logical", "bitwise")) else args
    return Map(op, args, tuple(PARAMETERS[p] for p in op.params), (5,))


def functions() -> list[str]:
    from symgrad.show.functions import COMPARE, ELEMENTWISE, FOR_ALL, SAME

    return sorted(
        {*COMPARE, *ELEMENTWISE, *FOR_ALL, *SAME} & {n for n in TABLE if set(TABLE[n].params) <= set(PARAMETERS)}
    )


@pytest.mark.parametrize("name", functions())
@pytest.mark.parametrize("target", ["numpy", "torch", "jax"])
def test_code_of_every_function_in_the_tables(name: str, target: str) -> None:
    if target != "numpy":
        library = pytest.importorskip(target, reason='python -m pip install -e ".[compare]"')
        if target == "jax":
            library.config.update("jax_enable_x64", True)
    term = example(name)
    from symgrad.show.functions import ELEMENTWISE

    if name in ELEMENTWISE and not ELEMENTWISE[name][("numpy", "torch", "jax").index(target)]:
        with pytest.raises(sg.FormulaError, match="has no counterpart"):
            to_code(term, target)
        return
    at = {n: a + 0.5 if name == "acosh" else a / 2 + 0.2 for n, a in sample(term).items()}
    expected = value(term, at)
    names: dict = {}
    exec(to_code(term, target), names)
    convert = {"numpy": np.asarray, "torch": lambda a: library.tensor(a), "jax": lambda a: library.numpy.asarray(a)}[
        target
    ]
    got = np.asarray(names["f"](*[convert(at[n]) for n in sorted(at)]))
    assert got.shape == term.shape
    np.testing.assert_allclose(
        got.astype(float), expected.astype(float), rtol=1e-9, atol=1e-12, err_msg=to_code(term, target)
    )


def call(name: str, *shapes: tuple[int, ...], params: tuple = (), out: int | None = None) -> Call:
    args = tuple(Var(letter, shape) for letter, shape in zip("xyz", shapes))
    at = sample(args[0]) | (sample(args[1]) if len(args) > 1 else {})
    value_ = TABLE[name].forward(*[at[a.name] for a in args], *params)
    return Call(TABLE[name], args, params, np.shape(value_ if out is None else value_[out]), out)


CALLED = [
    call("inv", (3, 3)), call("solve", (3, 3), (3, 2)), call("solve_vector", (3, 3), (3,)), call("det", (3, 3)),
    call("slogdet", (3, 3), out=1), call("slogdet", (3, 3), out=0), call("softmax", (4,), params=(0,)),
    call("softmax", (3, 4), params=(1,)), call("log_softmax", (3, 4), params=(0,)),
    call("logsumexp", (3, 4), params=((1,), False)), call("logsumexp", (3, 4), params=((0, 1), False)),
    call("amax", (3, 4), params=((1,), True)), call("max", (4,)), call("prod", (3,)),
    call("cumprod", (3, 4), params=(1,)), call("var", (3, 4), params=((0,), 1, False)),
    call("vector_norm", (3, 4), params=(2, (0, 1), False)), call("vector_norm", (3, 4), params=(1, (1,), True)),
    call("logcumsumexp", (3, 4), params=(1,)), call("median", (5,)),
]  # fmt: skip


@pytest.mark.parametrize("term", CALLED, ids=lambda t: to_text(t))
def test_code_of_calls(term: Call) -> None:
    expected = value(term, sample(term))
    got = run(term)
    assert got.shape == term.shape
    np.testing.assert_allclose(got, expected, rtol=1e-9, err_msg=to_code(term))
    np.testing.assert_allclose(run_ascii(term), expected, rtol=1e-9, err_msg=to_text(term, "ascii"))
    assert to_text(term) and to_text(term, "ascii").isascii() and to_latex(term)


def test_inverses_become_solutions_of_systems() -> None:
    A, b, c, B = Var("A", (3, 3)), Var("b", (3,)), Var("c", (3,)), Var("B", (3, 2))
    inverse = Call(TABLE["inv"], (A,), (), (3, 3))
    check(normal(1, [(inverse, (0, 1)), (b, (1,))], [0], (3, 3)))
    check(normal(1, [(c, (0,)), (inverse, (1, 0)), (b, (1,))], [], (3, 3)))
    check(normal(1, [(A, (0, 1)), (inverse, (2, 1)), (B, (2, 3))], [0, 3], (3, 3, 3, 2)))
    check(normal(1, [(inverse, (0, 1)), (inverse, (2, 1))], [0, 2], (3, 3, 3)))
    assert "np.linalg.solve(A, b)" in to_code(normal(1, [(inverse, (0, 1)), (b, (1,))], [0], (3, 3)))


AT_PLACES = {
    "an order": lambda x: x[x.argsort()], "the other way": lambda x: x[x.argsort(descending=True)],
    "the largest": lambda x: x[x.argmax().reshape(1)], "arithmetic": lambda x: x[(x.argsort() + 1) % 3],
    "truths": lambda x: x[sg.where(x > 2, 1, 0)], "gather": lambda x: sg.gather(x, 0, x.argsort()),
    "rows": lambda x: x.index_select(0, x.argsort()), "take": lambda x: x.take(x.argsort()),
    "two axes": lambda x: sg.outer(x, x)[x.argsort(), [0, 1, 2]], "columns": lambda x: sg.outer(x, x)[:, x.argsort()],
    "put": lambda x: x.index_put((x.argsort(),), x * 2), "a cast": lambda x: x[(x / 3).long()],
}  # fmt: skip


@pytest.mark.parametrize("name", AT_PLACES)
@pytest.mark.parametrize("target", ["numpy", "torch", "jax"])
def test_code_that_picks_at_computed_places(name: str, target: str) -> None:
    f, there = AT_PLACES[name], np.array([0.5, 2.5, 1.2])
    formula = sg.formula(f, np.array([3.0, 1.0, 2.0]))
    if target != "numpy" and name in ("the other way", "put", "a cast"):
        with pytest.raises(sg.FormulaError, match="no counterpart"):
            formula.code(target)
        return
    if target == "torch":
        library = pytest.importorskip("torch", reason="pip install torch==2.13.0 runs the code")
    elif target == "jax":
        library = pytest.importorskip("jax.numpy", reason="pip install jax jaxlib runs the code")
    scope: dict = {}
    exec(formula.code(target), scope)
    given = there if target == "numpy" else library.asarray(there)
    np.testing.assert_allclose(np.asarray(scope["f"](given)), f(sg.tensor(there)).tolist(), rtol=1e-6)
