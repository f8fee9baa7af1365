"""Symbols: what is computed from them, in each output, is a formula's graph; sizes have names; no value is seen."""

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.core import LEAF, TABLE, Dim, Facts, Symbol, Tensor, make_symbol, wrap

from ..helpers.cases import one_in
from ..helpers.rows import ROWS, sample
from ..helpers.work import calls

x = sg.symbol("x", "n")
y = sg.symbol("y", "n")
A = sg.symbol("A", ("m", "n"))
B = sg.symbol("B", ("n", "n"))
t = sg.symbol("t")
n, m = A.shape[1], A.shape[0]


# ---------------------------------------------------------------------------------------------- what a symbol is


def test_a_symbol_is_a_tensor_that_requires_grad():
    assert isinstance(x, sg.Tensor) and type(x) is sg.Symbol
    assert x.requires_grad and x.is_leaf and x.dtype == sg.float64 and x.ndim == 1


def test_repr_shows_name_and_named_sizes():
    assert repr(A) == "symbol(A: m×n)"
    assert repr(t) == "symbol(t)"
    assert repr(sg.symbol("v", 3)) == "symbol(v: 3)"
    assert f"{x}" == "symbol(x: n)"


def test_repr_of_something_computed_shows_its_formula_or_its_operation():
    assert repr(sg.exp(x)) == "symbol(exp(x): n)"
    long = x
    for _ in range(12):
        long = sg.sin(long + y) * sg.cos(x)
    assert repr(long) == "symbol(<MulBackward0>: n, of 48 operations: see its formula())"


def folded(f, x, count):
    for k in range(count):
        x = f(x, k)
    return x


@pytest.mark.parametrize(
    "f",
    [
        lambda z, k: sg.sin(z * (k + 1)) * x + z,
        lambda z, k: z @ A @ A.T if z.ndim == 2 else sg.outer(z, z) @ A.T,
        lambda z, k: sg.linalg.inv(A.T @ A + k) @ z,
        lambda z, k: sg.where(z > k, z * z.sum(), sg.softmax(z, 0)),
    ],
)
def test_repr_of_a_large_result_is_quick_and_says_what_it_leaves_out(f):
    for count in (10, 100, 700):
        made = folded(f, x, count)
        texts = []
        assert calls(lambda made=made, texts=texts: texts.append(repr(made))) < 300_000
        (text,) = texts
        assert len(text) < 150 and "operations: see its formula()" in text and "\n" not in text


def test_repr_says_why_there_is_no_formula_and_hides_no_mistake(monkeypatch):
    y = sg.exp(x)

    def refused(self):
        raise sg.FormulaError("it has none", "Evidence.", "A step.")

    monkeypatch.setattr(sg.Tensor, "formula", refused)
    assert repr(y) == "symbol(<ExpBackward0>: n, no formula: it has none)"

    def broken(self):
        raise ZeroDivisionError("a mistake of symgrad's")

    monkeypatch.setattr(sg.Tensor, "formula", broken)
    with pytest.raises(ZeroDivisionError):
        repr(y)


def test_results_are_symbols_whatever_the_other_operand_is():
    for out in (x + 1, 2.0 * x, x * sg.ones(int(n)), np.ones(int(n)) * x, np.sin(x), A @ x, x.sum(), x[0], A.T, x > 0):
        assert type(out) is Symbol


def test_values_of_a_name_are_the_same_in_every_declaration_and_lie_between_zero_and_one():
    again = sg.symbol("x", "n")
    assert again is not x and np.array_equal(again._data, x._data)
    assert (x._data > 0.1).all() and (x._data < 0.9).all()
    assert not np.array_equal(x._data, y._data)


def test_default_dtype_is_that_of_symbols():
    sg.set_default_dtype(sg.float32)
    try:
        assert sg.symbol("x", "n").dtype == sg.float32
    finally:
        sg.set_default_dtype(sg.float64)


def test_several_symbols_are_declared_in_one_text():
    a, b = sg.symbols("a, b", ("n", "n"), symmetric=True)
    assert (a.name, b.name) == ("a", "b") and a.shape == b.shape == B.shape


@pytest.mark.parametrize("name", ["2x", "a b", "lambda", "", 3])
def test_a_name_is_an_identifier(name):
    with pytest.raises(ValueError, match="identifier"):
        sg.symbol(name)


def test_a_size_is_a_name_or_a_number():
    assert sg.symbol("v", (2, "n")).shape == (2, n)
    for shape in (1.5, ("n", None), -1, "n m"):
        with pytest.raises(ValueError):
            sg.symbol("v", shape)


# -------------------------------------------------------------------------------------------- declared properties


def test_symmetric_and_definite_symbols_have_such_stand_ins():
    S = sg.symbol("S", ("k", "k"), symmetric=True)._data
    P = sg.symbol("P", ("k", "k"), pd=True)._data
    assert np.array_equal(S, S.T)
    assert np.allclose(P, P.T) and np.linalg.eigvalsh(P).min() > 0


def test_other_properties_have_such_stand_ins():
    Q = sg.symbol("Q", ("k", "k"), orthogonal=True)._data
    D = sg.symbol("D", ("k", "k"), diagonal=True)._data
    s = sg.symbol("s", "k", sign=True)._data
    Y = sg.symbol("Y", ("k", "c"), onehot=True)._data
    i = sg.symbol("i", "k", integer=True)._data
    assert np.allclose(Q @ Q.T, np.eye(len(Q)))
    assert np.count_nonzero(D) == len(D)
    assert set(np.unique(s)) <= {-1.0, 1.0} and len(set(s)) == 2
    assert set(np.unique(Y)) == {0.0, 1.0} and (Y.sum(-1) == 1).all()
    assert np.array_equal(i, np.round(i))


def test_facts_hold_what_was_declared_and_what_follows():
    facts = sg.symbol("P", ("k", "k"), pd=True)._node.facts
    assert facts.properties == {"pd", "psd", "symmetric"}
    assert facts.shape[0].name == "k"
    assert sg.symbol("s", "k", sign=True)._node.facts.properties == {"sign", "integer"}
    assert sg.tensor(1.0, requires_grad=True)._node.facts is None


@pytest.mark.parametrize("prop", ["symmetric", "psd", "pd", "diagonal", "orthogonal"])
def test_properties_of_square_matrices_need_square_shapes(prop):
    for shape in ((), "n", ("m", "n"), (2, 3)):
        with pytest.raises(sg.ShapeError, match=f"A cannot be {prop}"):
            sg.symbol("A", shape, **{prop: True})
    sg.symbol("A", ("b", "n", "n"), **{prop: True})


def test_onehot_needs_a_size():
    with pytest.raises(sg.ShapeError, match="onehot"):
        sg.symbol("y", onehot=True)


# ------------------------------------------------------------------------------------------------- named sizes


def test_shape_has_named_sizes():
    assert repr(A.shape) == "symgrad.Size([m, n])"
    assert A.size(0) == m and A.numel() == m * n and str(A.numel()) == str(sg.numel(A)) == "m*n"
    assert str(A.T.shape) == "symgrad.Size([n, m])"
    assert str((A.T @ A).sum(0).shape) == "symgrad.Size([n])"


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (n, "n"), (n - 1, "n - 1"), (1 + n, "n + 1"), (2 * n, "2*n"), (n * m, "m*n"), (n * n, "n**2"),
        (1 - n, "-n + 1"),
        (n * (m - 1), "m*n - n"), (n + n, "2*n"), (n**2, "n**2"), (n * m // m, "n"), (n // 2, "n//2"), (-n, "-n"),
        ((n + 1) // 2, "(n + 1)//2"), (math.prod(A.shape), "m*n"), (sum(A.shape), "m + n"),
    ],
)  # fmt: skip
def test_sizes_are_computed_with(size, text):
    assert str(size) == repr(size) == text
    assert type(size) is Dim and isinstance(size, int)


def test_a_size_without_a_name_is_an_int():
    assert type(n - n) is int and type((n + 2) - n) is int and (n + 2) - n == 2


def test_a_size_is_equal_to_its_stand_in_and_usable_as_it():
    k = int(n)
    assert n == k and k == n and hash(n) == hash(k) and n != m and n > 2 and n - 1 < n
    assert np.zeros((n, m)).shape == (k, int(m)) and len(range(n)) == k and list(range(20))[n] == k
    assert A.shape == (int(m), k) and (n, 3) == (k, 3) and f"{n}" == "n" and f"{n:d}" == str(k)
    assert pickle.loads(pickle.dumps(n - 1)) == n - 1 and n % 2 == k % 2


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda: x.sum() / n, "mean(x)"), (lambda: 1 / n * x.sum(), "mean(x)"), (lambda: 0.5 * n * t, "n t/2"),
        (lambda: 1.0 / n * t, "t/n"), (lambda: np.float64(2.0) * n * t, "2n t"), (lambda: t * (n - 1), "(n − 1)t"),
        (lambda: t / x.numel(), "t/n"), (lambda: t / sg.isreal(x).sum(), "t/n"),
        (lambda: sg.log(n) * t, "t log(n)"), (lambda: np.sqrt(n) * t, "√n t"),
        (lambda: (n / 2) * t, "n t/2"), (lambda: t + n, "n + t"), (lambda: n - t, "n − t"),
        (lambda: x.mean(), "mean(x)"),
    ],
)  # fmt: skip
def test_a_size_among_numbers_is_a_symbol(f, text):
    out = f()
    assert type(out) is Symbol
    spaced = str(out.formula()).replace(" ", "")
    assert sorted(spaced) == sorted(text.replace(" ", ""))


def test_the_gradient_of_a_mean_shows_one_over_n():
    (g,) = sg.autograd.grad((x * x).mean(), x)
    assert "n" in g.formula().free_symbols


def test_a_size_gives_no_number_away():
    for leak in (float, complex, math.sqrt, np.asarray, lambda d: np.prod((d, d))):
        with pytest.raises(sg.SymbolicBranchError, match="size"):
            leak(n)
    assert Fraction(int(n)) == n.standin


def test_slices_have_sizes_in_names():
    assert str(x[1:].shape[0]) == "n - 1" and str(x[:-1].shape[0]) == "n - 1" and str(x[: n - 2].shape[0]) == "n - 2"
    assert str(A[1:, 0].shape[0]) == "m - 1" and x[:3].shape == (3,) and str(x[::-1].shape[0]) == "n"
    assert str(A[..., 1:].shape) == "symgrad.Size([m, n - 1])" and str(x[None, 1:].shape) == "symgrad.Size([1, n - 1])"
    assert "n" in str((x[1:].sum() / x[1:].shape[0]).formula())


def test_an_index_counted_from_the_named_end_is_one_from_the_end():
    assert np.array_equal(x[n - 1]._data, x._data[-1])
    assert x[n - 1]._node.consts[1] == x[-1]._node.consts[1]


def test_a_size_found_by_its_length_alone_is_no_number():
    odd = x[::2]
    assert odd.sum().ndim == 0
    with pytest.raises(sg.SymbolicBranchError, match="no name of its own"):
        odd.sum() / odd.shape[0]


def test_shape_errors_speak_of_named_sizes():
    with pytest.raises(sg.ShapeError, match=r"mxn and mxn"):
        A @ A
    with pytest.raises(sg.ShapeError, match=r"tensor a \(n\) must match the size of tensor b \(m\)"):
        A + sg.symbol("b", "m")


# ----------------------------------------------------------------------------------------------- no value is seen


@pytest.mark.parametrize(
    "leak",
    [
        lambda: bool(t > 0), lambda: 1 if x[0] == 1 else 0, lambda: max(t, 1), lambda: t in [1, 2], lambda: float(t),
        lambda: int(t), lambda: complex(t), lambda: t.item(), lambda: x.tolist(), lambda: x.numpy(),
        lambda: np.asarray(x), lambda: np.array([x, y]), lambda: len(x), lambda: list(x), lambda: x[x > 0],
        lambda: x.detach().numpy(), lambda: x.data.tolist(), lambda: float((x * 2).sum().detach()),
        lambda: sg.tensor(x), lambda: sg.tensor([t, t]), lambda: sg.allclose(x, x), lambda: sg.equal(x, x),
        lambda: sg.unique(x), lambda: x.masked_select(x > 0), lambda: np.ones(9)[t], lambda: math.sin(t),
        lambda: x.argmax().item(), lambda: B[:, x[:2] > 0],
        lambda: sg.func.hessian(lambda v: (v**3).sum())(x), lambda: sg.autograd.functional.jacobian(sg.sin, x),
        lambda: sg.nonzero(x, as_tuple=True), lambda: x.grad_fn or bool(x.sum()), lambda: pickle.dumps(x * 2),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:To copy construct")
def test_what_needs_a_value_raises(leak):
    with pytest.raises(sg.SymgradError) as caught:
        leak()
    assert isinstance(caught.value, (sg.SymbolicBranchError, sg.DTypeError))
    assert len(str(caught.value).splitlines()) == 3


def test_a_branch_names_the_symbol_and_the_way_out():
    with pytest.raises(sg.SymbolicBranchError, match="value of t.*\n.*stands for any value.*\n.*sg.where"):
        if t:
            pass


def test_len_points_to_shape():
    with pytest.raises(TypeError, match=r"x.shape\[0\]"):
        len(x)
    assert len(sg.symbol("v", 3)) == 3 and len(list(sg.symbol("v", 3))) == 3


def test_where_is_the_branch_of_symbols():
    f = sg.where(x > 0, x, 0.1 * x).formula()
    assert f.free_symbols == {"x"} and f.shape == (n,)


@pytest.mark.parametrize("constant", [lambda: x.detach(), lambda: x.data, lambda: _quietly(lambda: x * 1.0)])
def test_constants_made_of_symbols_keep_their_formula_and_pass_no_gradient(constant):
    c = constant()
    assert type(c) is Symbol and not c.requires_grad
    out = (c * x).sum()
    assert out.formula().free_symbols == {"x"}
    (g,) = sg.autograd.grad(out, x)
    assert str(g.formula()) == "x"


def _quietly(f):
    with sg.no_grad():
        return f()


def test_declared_symbols_are_copied_and_pickled():
    P = sg.symbol("P", ("k", "k"), pd=True)
    for twin in (copy.deepcopy(P), pickle.loads(pickle.dumps(P)), copy.copy(P)):
        assert type(twin) is Symbol and twin._node.facts == P._node.facts and np.array_equal(twin._data, P._data)


# -------------------------------------------------------------------------------------------------- derivatives


def test_gradients_of_symbols_are_symbols_with_a_graph_without_asking():
    w = sg.symbol("w", "n")
    (w**3).sum().backward()
    assert type(w.grad) is Symbol and str(w.grad.shape) == "symgrad.Size([n])"
    (g,) = sg.autograd.grad((w**3).sum(), w)
    (h,) = sg.autograd.grad(g.sum(), w)
    assert type(g) is type(h) is Symbol
    assert np.allclose(g._data, 3 * w._data**2) and np.allclose(h._data, 6 * w._data)


def test_accumulated_gradients_are_symbols():
    w = sg.symbol("w", "n")
    w.sum().backward()
    (w * w).sum().backward()
    assert type(w.grad) is Symbol and np.allclose(w.grad._data, 1 + 2 * w._data)


def test_zeros_of_unused_inputs_are_symbols():
    (g,) = sg.autograd.grad(x.sum(), y, materialize_grads=True)
    assert type(g) is Symbol and not g._data.any() and g.shape == (n,)


def test_torch_func_transforms_take_symbols():
    g = sg.func.grad(lambda v: (v**3).sum())(x)
    assert type(g) is Symbol and np.allclose(g._data, 3 * x._data**2)
    assert type(sg.func.jvp(sg.sin, (x,), (y,))[1]) is Symbol
    v = sg.symbol("v", 3)
    assert type(sg.func.hessian(lambda v: (v**3).sum())(v)) is Symbol


def test_a_leaf_outlives_its_symbol():
    (g,) = (lambda v: sg.autograd.grad((v * v).sum(), v))(sg.symbol("v", "n"))
    assert g.formula().shape == (n,)


# ------------------------------------------------------------------------------- every row of the table takes them


def _operands(op, arrays, declare):
    made = [declare(f"s{i}", a) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else
            wrap(a) if isinstance(a, np.ndarray) else a for i, a in enumerate(arrays)]  # fmt: skip
    return (made,) if op.variadic else tuple(made)


def _leaf(name, a):
    leaf = wrap(a.copy(), LEAF)
    leaf.name = name
    return leaf


def _named(name, a):
    return make_symbol(name, a, Facts(tuple(Dim(f"d{k}", k) for k in a.shape)))


def _tensors(values):
    return [v for v in (values if isinstance(values, (tuple, list)) else (values,)) if isinstance(v, Tensor)]


def _derivatives(op, operands, params):
    out = _tensors(op.apply(*operands, *params))
    live = [o for o in out if o._node is not None]
    inputs = [a for a in _tensors(operands[0] if op.variadic else operands) if a._node is not None]
    if not live or not inputs or None in op.rules:
        return out, []
    seeds = [wrap(np.ones_like(o._data)) for o in live]
    return out, [
        g for g in sg.autograd.grad(live, inputs, seeds, create_graph=True, allow_unused=True) if g is not None
    ]


@one_in(4)
@pytest.mark.parametrize("name", [op.name for op in ROWS])
def test_a_row_gives_symbols_with_the_numbers_of_tensors(name):
    op = TABLE[name]
    arrays, params = sample(op)
    plain, plain_grads = _derivatives(op, _operands(op, arrays, _leaf), params)
    named, named_grads = _derivatives(op, _operands(op, arrays, _named), params)
    if not any(isinstance(a, np.ndarray) and a.dtype.kind == "f" for a in arrays):
        return
    for a, b in zip((*plain, *plain_grads), (*named, *named_grads), strict=True):
        assert type(b) is Symbol
        assert np.allclose(a._data, b._data, equal_nan=True)


# Operations with several outputs on what has no gradient --------------------------------------------------------------

# The idea to hold: a formula is asked at another point than the one that stands in for the symbol, where a number that
# was frozen into it would show.


POINT = np.array([-1.3, 0.4, 2.2, -0.2, 0.9, -3.1])
MATRIX = np.array([[2.0, -1.0, 0.3], [0.5, -1.5, 1.0], [0.1, 0.7, -3.0]])


@pytest.fixture
def six():
    return sg.symbol("x", 6)


@pytest.fixture
def square():
    return sg.symbol("A", (3, 3))


PARTS = {
    "split of a comparison": lambda x: (x > 0).split(2)[1] * 1.0,
    "split of a comparison in given sizes": lambda x: (x > 0).split([1, 3, 2])[1] * 1.0,
    "last of the chunks of a comparison, counted": lambda x: (x > 0).chunk(3)[2].sum() * x[0],
    "unbind of a comparison": lambda x: sg.where((x > 0).unbind(0)[3], x[0], -x[0]),
    "iteration over a comparison": lambda x: sum((k + 1.0) * m * x[0] for k, m in enumerate(x > 0)),
    "parts of a part": lambda x: (x > 0).split(3)[1].unbind(0)[1] * x[2],
    "split of an order": lambda x: x.argsort().split(3)[0] * 1.0,
    "unbind of an order": lambda x: x.argsort().unbind(0)[0] * x[1],
    "extremes of whole numbers": lambda x: x.argsort()[:4].aminmax()[1] * x[0],
    "extremes of a comparison": lambda x: (x > 1.0).long().aminmax()[1] * 2.0,
    "unbind of what is detached": lambda x: x.detach().unbind(0)[2] * x[1],
    "split of what is detached": lambda x: x.detach().split(3)[1] * x.split(3)[0],
    "variance and mean of what is detached": lambda x: sg.var_mean(x.detach())[0] * x[0],
    "under no_grad": lambda x: sg.no_grad()(lambda: (x * 2).split(3)[1])() * x[0],
    "a count of a comparison": lambda x: (x > 0).sum() * x[0],
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_what_has_no_gradient_is_a_formula_at_every_point(name, six):
    f = PARTS[name]
    here, there = np.asarray(six._data), POINT
    want = f(sg.tensor(there)).numpy()
    assert not np.allclose(want, f(sg.tensor(here)).numpy())
    assert_allclose(f(six).formula()(x=there), want)
    assert_allclose(sg.formula(f, six)(x=there), want)


DECOMPOSITIONS = {
    "logarithm of a determinant": lambda A: sg.linalg.slogdet(A.detach())[1] * A[0, 0],
    "eigenvalues": lambda A: sg.linalg.eigh((A @ A.T).detach())[0],
    "singular values": lambda A: sg.linalg.svd(A.detach())[1],
    "a triangle": lambda A: sg.linalg.qr(A.detach())[1].abs(),
}


@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_a_decomposition_of_a_detached_symbol_is_a_formula_at_every_point(name, square):
    f = DECOMPOSITIONS[name]
    assert_allclose(f(square).formula()(A=MATRIX), f(sg.tensor(MATRIX)).numpy())


def test_no_gradient_flows_through_the_parts(six):
    for part in ((six > 0).split(2)[1], six.detach().unbind(0)[0], six.argsort().split(2)[0]):
        assert type(part) is sg.Symbol
        assert not part.requires_grad and part.is_leaf and part.grad_fn is None
    with pytest.raises(sg.FormulaError, match="'x' also occurs detached"):  # not the derivative of one that is not
        sg.grad(lambda x: (x.detach().split(3)[1] * x.split(3)[0]).sum())(six)


def test_a_gradient_keeps_the_masks_parts(six):
    g = sg.grad(lambda x: ((x > 0).split(2)[1] * x.split(2)[0] ** 2).sum())(six)
    want = np.zeros(6)
    want[:2] = 2 * POINT[:2] * (POINT > 0)[2:4]
    assert_allclose(g(x=POINT), want)


def test_parts_say_in_print_what_they_are(six):
    assert str((six > 0).split(2)[1].formula()) == "1[x > 0][2:4]"
    assert repr(six.detach().unbind(0)[2]) == "symbol(x₂)"
    assert repr(six.argsort().aminmax()[1]) == "symbol(aminmax(argsort(x))[1])"


def test_the_values_of_parts_stay_hidden(six):
    for part in ((six > 0).unbind(0)[0], six.argsort().unbind(0)[0]):
        with pytest.raises(sg.SymbolicBranchError):
            bool(part)


def test_parts_keep_named_sizes():
    v = sg.symbol("v", "n")
    mask = (v > 0).unsqueeze(0).unbind(0)[0]
    assert mask.shape == v.shape
    assert_allclose((mask * v).formula()(v=np.array([1.0, -2.0, 3.0])), [1.0, 0.0, 3.0])
