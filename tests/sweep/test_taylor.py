"""Taylor coefficients: every row against mpmath's series, nested derivatives, and the function itself."""

import contextlib
import math

import numpy as np
import pytest

import symgrad as sg
import symgrad.scipy.linalg as sg_linalg
from symgrad.sweep import series

from ..helpers.cases import one_in
from ..helpers.examples import seeds
from ..helpers.numeric import STEP, assert_close
from ..helpers.rows import DEAR, ONCE, RECORDED, TWICE, call, is_draw, restrict, rows, sample, wanted, weights
from ..helpers.user_defined import Cube
from ..helpers.work import calls
from ..ops.test_table_derivatives import COMPLEX, REAL_TWINS, _turned, twin_in_mpmath
from ..properties._programs import differentiated, program_of

SMOOTH = [op for op in RECORDED if not is_draw(op) and op.name not in ONCE | TWICE]
ORDER = 5


class Line:
    """A row as a function on a line: operands, and directions short enough to stay away from kinks."""

    def __init__(self, op, operands, params):
        self.op, self.operands, self.params = op, operands, params
        self.leaves = wanted(op, operands)
        self.x = [operands[i] for i in self.leaves]
        self.v = [restrict(op, i, 0.3 * w) for i, w in zip(self.leaves, weights(self.x, seed=7), strict=True)]

    def __call__(self, xs):
        operands = [sg.tensor(a) if isinstance(a, np.ndarray) else a for a in self.operands]
        for i, x in zip(self.leaves, xs, strict=True):
            operands[i] = x
        return [o for o in call(self.op, operands, self.params) if o.dtype.kind in "fc"]


def check_against_function(f, order=ORDER):
    """The polynomials are the function, near the point; shapes and dtypes are the outputs'."""
    found = sg.taylor(f, f.x, order, f.v)
    reach = max(1.0, *(float(np.abs(v).max(initial=0)) for v in f.v))
    for h in (STEP / reach, -STEP / reach / 2):
        outs = f([sg.tensor(np.asarray(x + h * v)) for x, v in zip(f.x, f.v, strict=True)])
        for c, o in zip(found, outs, strict=True):
            assert (c.shape, c.dtype) == ((order + 1, *o.shape), o.dtype)
            low = o.dtype in (np.float32, np.complex64)
            assert_close(
                sum(c[k] * h**k for k in range(order + 1)), o.numpy(), *((1e-4, 1e-4) if low else (1e-11, 1e-11))
            )
    return found


def check_against_nested(f, found):
    """Coefficient k is the k-th nested directional derivative over k!."""

    def derivative(f, v):
        return lambda xs: sg.jvp(f, (xs,), (v,))[1]

    g = f
    for k in range(1, 4):
        g = derivative(g, f.v)
        for c, d in zip(found, g(f.x), strict=True):
            low = c.dtype in (np.float32, np.complex64)
            assert_close(c[k], np.asarray(d) / math.factorial(k), *((1e-3, 1e-3) if low else (1e-8, 1e-10)))


# Every row ------------------------------------------------------------------------------------------------------------


@rows(SMOOTH, slow=DEAR)
def test_coefficients_are_the_function_and_its_nested_derivatives(op):
    f = Line(op, *sample(op))
    check_against_nested(f, check_against_function(f))


@one_in(8)
@rows([op for op in RECORDED if op.name in ONCE | TWICE])
def test_where_derivatives_end_is_said(op):
    f = Line(op, *sample(op))
    order = 1 if op.name in ONCE else 2
    found = sg.taylor(f, f.x, order, f.v)
    h = 1e-4
    outs = f([sg.tensor(np.asarray(x + h * v)) for x, v in zip(f.x, f.v, strict=True)])
    for c, o in zip(found, outs, strict=True):
        assert_close(sum(c[k] * h**k for k in range(order + 1)), o.numpy(), 1e-6, 1e-6)
    with pytest.raises(sg.NotDifferentiableError, match="_by_"):
        sg.taylor(f, f.x, 3, f.v)


@one_in(16)
@rows(COMPLEX)
def test_coefficients_of_complex_functions(op):
    f = Line(op, *_turned(op))
    check_against_nested(f, check_against_function(f))


@one_in(6)
@rows(REAL_TWINS)
def test_coefficients_are_mpmaths_to_order_eight(op):
    import mpmath

    twin = twin_in_mpmath(op)(0)
    operands, params = sample(op)
    entry = [a.reshape(-1)[:2] for a in operands]
    directions = [np.array([0.3, -0.2]) * (k + 1) for k in range(len(entry))]

    def f(xs):
        return op.apply(*xs, *params)

    found = sg.taylor(f, entry, 8, directions)
    with mpmath.workdps(20):  # coefficients come to as many digits; Bessel's functions of whole orders are slow at more
        for j in range(2):
            point = [(mpmath.mpf(float(a[j])), mpmath.mpf(float(v[j]))) for a, v in zip(entry, directions, strict=True)]
            expected = mpmath.taylor(lambda t, point=point: twin(*(a + t * v for a, v in point), *params), 0, 8)
            expected = np.array([float(mpmath.re(c)) for c in expected])
            for k in range(9):  # each to the size of its neighbours: a coefficient near 0 has no digits of its own
                scale = max(np.abs(expected[max(k - 1, 0) : k + 2]).max(), 1e-12)
                assert abs(found[k, j] - expected[k]) <= 1e-9 * scale, f"{op.sympy}: coefficient {k}"


# Functions of several operations --------------------------------------------------------------------------------------


def wave(x):
    return sg.sin(sg.exp(x)) * sg.tanh(x)


def test_order_twenty_has_all_its_digits():
    import mpmath

    with mpmath.workdps(40):
        expected = mpmath.taylor(lambda x: mpmath.sin(mpmath.exp(x)) * mpmath.tanh(x), mpmath.mpf("0.3"), 20)
    np.testing.assert_allclose(sg.taylor(wave, 0.3, 20), [float(c) for c in expected], rtol=1e-12)


def test_the_cost_grows_with_the_square_of_the_order(monkeypatch):
    def products(order):
        """How many products of coefficients are taken (times would not be the same twice)."""
        count = 0

        def counted(a0, a, b0, b, k):
            nonlocal count
            count += k + 1
            return plain(a0, a, b0, b, k)

        with monkeypatch.context() as patch:
            patch.setattr(series, "_cauchy", counted)
            sg.taylor(wave, 0.3, order)
        return count

    plain = series._cauchy

    assert products(10) > 100
    assert products(40) <= 4.5 * products(20) <= 4.5 * 4.5 * products(10)
    assert products(20) <= 8 * 20**2


def test_a_series_is_much_quicker_than_nested_gradients():
    nested = wave
    for _ in range(8):
        nested = sg.grad(nested)
    assert sg.taylor(wave, 0.3, 8)[8] * math.factorial(8) == pytest.approx(nested(0.3), rel=1e-9)
    assert calls(lambda: nested(0.3)) > 20 * calls(lambda: sg.taylor(wave, 0.3, 8))  # 80 times


def test_5_000_operations_in_a_row_are_no_limit():
    def f(x):
        for _ in range(5_000):
            x = x + 1e-4 * x * x
        return sg.sin(x)

    def in_numbers(c):  # the same, on truncated polynomials
        for _ in range(5_000):
            c = c + 1e-4 * np.convolve(c, c)[:4]
        s, k = np.zeros(4), np.cos(c[0]) * c[1]
        s[0], s[1] = np.sin(c[0]), k
        s[2] = np.cos(c[0]) * c[2] - np.sin(c[0]) * c[1] ** 2 / 2
        s[3] = np.cos(c[0]) * c[3] - np.sin(c[0]) * c[1] * c[2] - np.cos(c[0]) * c[1] ** 3 / 6
        return s

    np.testing.assert_allclose(sg.taylor(f, 0.4, 3), in_numbers(np.array([0.4, 1.0, 0.0, 0.0])), rtol=1e-9)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: sg.linalg.solve(sg.eye(3) * 3 + x.outer(x), sg.sin(x)),
        lambda x: sg.logdet(sg.eye(3) * 2 + x.outer(x) * 0.3),
        lambda x: sg.linalg.cholesky(sg.eye(3) * 4 + x.outer(x)),
        lambda x: sg.linalg.eigvalsh(sg.diag(x * sg.tensor([1.0, 5.0, 9.0])) + 0.1 * x.outer(x)),
        lambda x: sg.linalg.svd(sg.diag(x + sg.tensor([1.0, 5.0, 9.0])) + 0.1 * x.outer(x) ** 2).S,
        lambda x: sg.matrix_exp(x.outer(sg.cos(x))),
        lambda x: sg.linalg.pinv(sg.stack([x, x * x]).T),
        lambda x: sg.einsum("i,ij,j,i->j", x, x.outer(x), sg.exp(x), x),
        lambda x: sg.prod(x) + sg.cumprod(x, 0).sum() + (x - 0.7).prod(),
        lambda x: sg.softmax(x * x, 0) * sg.logsumexp(x, 0) + sg.log_softmax(sg.sin(x), 0),
        lambda x: sg.where(x > 1, sg.sqrt(x - 1), x**3) + sg.maximum(x, x * x) + sg.relu(x - 0.9) + (x - 1).abs(),
        lambda x: x**2.5 + x**-3 + 2.0**x + x**x + 1 / (1 + x * x) + sg.atan2(x, 1 + x) + sg.lgamma(x),
        lambda x: sg.std(x * sg.tensor([1.0, 2.0, 3.0])) + sg.linalg.norm(sg.exp(x)) + sg.var(x**2),
        lambda x: sg.cat([x, sg.flip(x, (0,))]).reshape(2, 3) @ x + sg.stack(x.unbind(0))[:2].cumsum(0),
        lambda x: sg.logcumsumexp(sg.sin(x), 0) * sg.kron(x, x).sum(),
    ],
)
def test_series_of_compositions_are_the_function(f):
    x, v = np.array([0.7, 1.2, 1.6]), np.array([0.5, -0.3, 0.2])
    c = sg.taylor(f, x, 6, v)
    for h in (0.02, -0.02):
        expected = f(sg.tensor(x + h * v)).numpy()
        assert_close(sum(c[k] * h**k for k in range(7)), expected, rtol=1e-9, atol=1e-9)


@seeds(24)
def test_series_of_programs_are_nested_derivatives(seed):
    program = program_of(seed, smooth=True, inplace=True)
    if differentiated(program, [sg.tensor(a, requires_grad=True) for a in program.leaves]) is None:
        return

    def f(xs):
        return program.loss(sg, [x * 1.0 for x in xs])  # copies: programs may write to what they get

    v = tuple(np.round(w, 2) for w in weights(program.leaves, seed=3))
    c = sg.taylor(lambda xs: f(xs) + 0 * xs[0].sum(), tuple(program.leaves), 3, v)
    if not (np.isfinite(c).all() and np.abs(c).max() < 1e4):
        return

    def derivative(g):
        return lambda xs: sg.jvp(g, (xs,), (v,))[1]

    g = f
    for k in range(1, 4):
        g = derivative(g)
        assert_close(c[k], g(tuple(program.leaves)) / math.factorial(k), rtol=1e-8, what=repr(program))


# Kinks and edges ------------------------------------------------------------------------------------------------------


def test_at_a_kink_the_series_is_that_of_the_declared_branch():
    np.testing.assert_array_equal(sg.taylor(sg.abs, 0.0, 3), [0, 0, 0, 0])
    np.testing.assert_array_equal(sg.taylor(sg.relu, 0.0, 3), [0, 0, 0, 0])
    np.testing.assert_array_equal(sg.taylor(lambda x: sg.maximum(x, 2 * x), 0.0, 2), [0, 1.5, 0])
    np.testing.assert_array_equal(sg.taylor(lambda x: sg.floor(x) * x, 2.5, 2), [5, 2, 0])


def test_branches_not_taken_are_exactly_zero():
    x = np.array([0.0, -1.0, 4.0])
    roots = np.array([[0, 0, 2], [0, 0, 1 / 4], [0, 0, -1 / 64], [0, 0, 1 / 512]])
    np.testing.assert_array_equal(sg.taylor(lambda x: sg.where(x > 0, sg.sqrt(x), 0.0), x, 3), roots)
    np.testing.assert_array_equal(sg.taylor(lambda x: sg.sqrt(sg.where(x > 0, x, 0.0)), x, 3), roots)


def test_powers_have_their_derivatives_where_the_base_is_zero():
    np.testing.assert_array_equal(sg.taylor(lambda x: x**3, 0.0, 4), [0, 0, 0, 1, 0])
    np.testing.assert_array_equal(sg.taylor(lambda x: x**0, 2.0, 2), [1, 0, 0])
    np.testing.assert_array_equal(sg.taylor(lambda x: x**2.5, 0.0, 2), [0, 0, 0])
    with pytest.raises(sg.GradientError, match="order 3 there is inf"):
        sg.taylor(lambda x: x**2.5, 0.0, 3)
    np.testing.assert_allclose(sg.taylor(lambda x: x**3, np.array([0.0, 2.0]), 3), [[0, 8], [0, 12], [0, 6], [1, 1]])
    np.testing.assert_array_equal(sg.taylor(sg.prod, np.array([0.0, 0.0, 2.0]), 3), [0, 0, 2, 1])


def test_whole_powers_keep_their_digits_where_the_base_is_small():
    def cube(x):
        y = 1e-9 + x + x * x
        return y**3

    np.testing.assert_allclose(
        sg.taylor(cube, 0.0, 6), np.convolve([1e-9, 1, 1], np.convolve([1e-9, 1, 1], [1e-9, 1, 1]))
    )
    np.testing.assert_allclose(
        sg.taylor(lambda x: x**13, 2.0, 13), [math.comb(13, k) * 2.0 ** (13 - k) for k in range(14)]
    )


@pytest.mark.parametrize("f", [lambda x: sg.sin(x) / x, lambda x: 1 / x, lambda x: x**1.5, sg.log, sg.sqrt])
def test_a_function_that_has_no_series_raises(f):
    with pytest.raises(sg.GradientError, match="the function has no series at x"):
        sg.taylor(f, 0.0, 4)
    with pytest.raises(sg.GradientError, match=r"in entry \[1\]"):
        sg.taylor(f, np.array([1.0, 0.0]), 4)
    assert np.isfinite(sg.taylor(f, 1.0, 4)).all()


def test_nan_is_passed_through():
    assert np.isnan(sg.taylor(sg.exp, np.nan, 2)).all()
    np.testing.assert_array_equal(np.isnan(sg.taylor(sg.exp, np.array([np.nan, 0.0]), 2)), [[True, False]] * 3)


def test_vectors_of_equal_eigenvalues_raise():
    e = np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(sg.GradientError, match="have no Taylor series of their own where values coincide"):
        sg.taylor(lambda a: sg.linalg.eigvalsh(a), np.eye(2), 2, e)
    with pytest.raises(sg.GradientError, match="have no Taylor series"):
        sg.taylor(lambda a: sg.linalg.svd(a).U, np.eye(2), 1, e)
    np.testing.assert_allclose(sg.taylor(lambda a: sg.linalg.eigvalsh(a), np.eye(2), 1, np.eye(2)), [[1, 1], [1, 1]])


def test_eigenvalues_that_are_conjugate_are_told_apart():
    series = lambda t: np.linalg.eigvals(np.array([[0.0, 1.0], [-0.5, -1.0]]) + t * np.array([[0.0, 0.0], [0.1, 0.2]]))
    # λ² + (1 − t/5) λ + 1/2 − t/10: the real part is a line, the square of the modulus too
    np.testing.assert_allclose(sg.taylor(lambda t: series(t).real[0], 0.0, 3), [-0.5, 0.1, 0, 0], atol=1e-14)
    np.testing.assert_allclose(sg.taylor(lambda t: np.abs(series(t)[0]) ** 2, 0.0, 3), [0.5, -0.1, 0, 0], atol=1e-14)


@pytest.mark.parametrize("solve", [sg.linalg.eigvals, lambda a: sg_linalg.eigvalsh(a, np.diag([2.0, 2.0]))])
def test_values_of_other_problems_that_coincide_raise(solve):
    with pytest.raises(sg.GradientError, match="have no Taylor series"):
        sg.taylor(solve, np.eye(2), 2, np.array([[0.0, 1.0], [1.0, 0.0]]))


def test_order_zero_is_the_value_and_a_constant_has_a_series_too():
    np.testing.assert_array_equal(sg.taylor(sg.exp, np.zeros(2), 0), [[1, 1]])
    np.testing.assert_array_equal(sg.taylor(lambda x: sg.ones(2), 1.0, 2), [[1, 1], [0, 0], [0, 0]])
    np.testing.assert_array_equal(sg.taylor(lambda x: 3, 1.0, 1), [3, 0])
    assert sg.taylor(lambda x: x * sg.ones(0), 1.0, 2).shape == (3, 0)


def test_float32_stays_float32():
    assert sg.taylor(lambda x: sg.exp(x) / 3 + x**2.5, np.ones(2, np.float32), 4).dtype == np.float32


# What a user sees -----------------------------------------------------------------------------------------------------


def test_containers_of_inputs_and_outputs():
    c = sg.taylor(lambda p: {"product": p["a"] * p["b"], "sum": (p["a"] + p["b"]).sum()},
                  {"a": np.array([1.0, 2.0]), "b": 3.0}, 2, {"a": np.array([1.0, 0.0]), "b": 1.0})  # fmt: skip
    np.testing.assert_array_equal(c["product"], [[3, 6], [4, 2], [1, 0]])
    np.testing.assert_array_equal(c["sum"], [9, 3, 0])


def test_tensors_give_tensors_with_history_where_somebody_wants_it():
    x = sg.tensor(0.5, requires_grad=True)
    c = sg.taylor(sg.exp, x, 3)
    c[3].backward()
    assert x.grad.item() == pytest.approx(np.exp(0.5) / 6)
    assert sg.taylor(sg.exp, sg.tensor(0.5), 3).grad_fn is None
    a = sg.tensor(2.0, requires_grad=True)
    sg.taylor(lambda x: sg.exp(a * x), 0.5, 2)[2].backward()  # a² exp(a x) / 2
    assert a.grad.item() == pytest.approx((2 + 1) * np.e)
    v = sg.tensor([1.0, 2.0], requires_grad=True)
    sg.taylor(lambda x: (x**3).sum(), np.ones(2), 2, v)[2].backward()  # 3 Σ v²
    np.testing.assert_allclose(v.grad.numpy(), [6, 12])


def test_constant_directions_of_several_shapes_end_where_a_sweep_brings_something():
    xs = [sg.tensor(np.ones(shape), requires_grad=True) for shape in [(2, 4), (2, 3), (3, 4)]]
    found = sg.taylor(lambda xs: sg.addmm(*xs), xs, 2, [np.ones(x.shape) for x in xs])
    sum(c.sum() for c in found).backward()  # c + t u + (a + t v)(b + t w)
    assert [set(x.grad.numpy().ravel()) for x in xs] == [{1.0}, {8.0}, {4.0}]


def _is_long(op):
    return all(a.dtype.itemsize >= 8 for a in sample(op)[0] if isinstance(a, np.ndarray) and a.dtype.kind in "fc")


@one_in(8)
@rows([op for op in SMOOTH if op.kind in ("elementwise", "general", "multilinear") and _is_long(op)])
def test_coefficients_can_be_differentiated(op):
    f = Line(op, *sample(op))
    xs = [sg.tensor(a, requires_grad=True) for a in f.x]
    found = sg.taylor(f, xs, 2, f.v)
    ws = weights([c.detach().numpy() for c in found], seed=4)
    pairs = [(c, w) for c, w in zip(found, ws, strict=True) if c.requires_grad]
    cs, ws = zip(*pairs, strict=True)
    gs = sg.autograd.grad(cs, xs, [sg.tensor(w) for w in ws], allow_unused=True)
    slope = sum(float(np.real(np.vdot(restrict(op, i, g.numpy()), v)))
                for i, g, v in zip(f.leaves, gs, f.v, strict=True) if g is not None)  # fmt: skip
    higher = sg.taylor(f, f.x, 3, f.v)
    expected = 0.0  # along the line itself, coefficient k changes by (k + 1) times the next one
    for c, (full, w) in zip(higher, [(c, w) for c, w in zip(cs, ws, strict=True)], strict=False):
        assert c.shape[1:] == tuple(full.shape[1:])
        expected += float(np.real(np.vdot(w, c[1:] * np.arange(1, 4).reshape((3,) + (1,) * (c.ndim - 1)))))
    assert_close(slope, expected, rtol=1e-7, atol=1e-8)


def test_series_nest_with_each_other_and_with_other_transforms():
    np.testing.assert_allclose(
        sg.taylor(sg.grad(sg.sin), 0.3, 3), [np.cos(0.3), -np.sin(0.3), -np.cos(0.3) / 2, np.sin(0.3) / 6]
    )
    assert sg.grad(lambda x: sg.taylor(sg.sin, x, 4)[3])(0.3) == pytest.approx(np.sin(0.3) / 6)
    np.testing.assert_allclose(
        sg.taylor(lambda x: sg.taylor(sg.exp, x, 3)[2], 0.5, 2), np.exp(0.5) / 2 * np.array([1, 1, 0.5])
    )
    np.testing.assert_allclose(
        sg.jvp(lambda x: sg.taylor(sg.exp, x, 2), (0.5,), (1.0,))[1], np.exp(0.5) * np.array([1, 1, 0.5])
    )
    f = sg.jacfwd(lambda x: sg.taylor(lambda x: (x**3).sum(), x, 2, np.array([1.0, 0.0])))
    np.testing.assert_allclose(f(np.array([1.0, 2.0])), [[3, 12], [6, 0], [3, 0]])


def test_symbols_give_formulas():
    x = sg.symbol("x", "n")
    assert [str(c) for c in sg.taylor(sg.sin, x, 3)] == ["sin(x)", "cos(x)", "−sin(x)/2", "−cos(x)/6"]
    v = sg.symbol("v", "n")
    assert [str(c) for c in sg.taylor(lambda x: sg.log(x).sum(), x, 2, v)] == [
        "sum(log(x))", "sum(v/x)", "−‖v/x‖²/2",
    ]  # fmt: skip
    A, E = sg.symbol("A", ("n", "n")), sg.symbol("E", ("n", "n"))
    assert [str(c) for c in sg.taylor(sg.linalg.inv, A, 2, E)] == ["A⁻¹", "−A⁻¹EA⁻¹", "A⁻¹EA⁻¹EA⁻¹"]
    a = sg.symbol("a")
    assert [str(c) for c in sg.taylor(lambda x: a * x**2, 1.0, 2)] == ["ax²", "2ax", "a"]


@pytest.mark.parametrize(
    "f",
    [
        wave, lambda x: sg.var(sg.exp(x)), lambda x: sg.logsumexp(2 * x, 0), lambda x: sg.softmax(x * x, 0),
        lambda x: sg.std(x * x), lambda x: x / x.mean(), lambda x: sg.linalg.norm(sg.sin(x)), lambda x: sg.prod(2 * x),
    ],
)  # fmt: skip
def test_formulas_of_coefficients_evaluate_to_the_numbers_at_any_size(f):
    for x, v in (([0.3, 0.2], [1.0, -2.0]), ([0.3, 0.7, 0.2, 0.4, 0.5], [1.0, 0.0, 2.0, -1.0, 3.0])):
        x, v = np.array(x), np.array(v)
        formulas = sg.taylor(f, sg.symbol("x", "n"), 3, sg.symbol("v", "n"))
        for formula, c in zip(formulas, sg.taylor(f, x, 3, v), strict=True):
            given = {name: a for name, a in (("x", x), ("v", v)) if name in formula.free_symbols}
            np.testing.assert_allclose(formula(**given), c, rtol=1e-9, atol=1e-12)


def test_packed_values_have_series():
    def f(x):
        with sg.autograd.graph.saved_tensors_hooks(lambda t: t.numpy().copy(), sg.tensor):
            return sg.exp(x) * sg.tanh(x) / (1 + x * x)

    np.testing.assert_allclose(sg.taylor(f, 0.3, 6), sg.taylor(lambda x: sg.exp(x) * sg.tanh(x) / (1 + x * x), 0.3, 6))


def test_user_defined_operations_have_series():
    np.testing.assert_allclose(
        sg.taylor(lambda x: sg.exp(Cube.apply(x)), 0.5, 5), sg.taylor(lambda x: sg.exp(x**3), 0.5, 5)
    )


def test_writes_in_place_have_series():
    def f(x):
        y = x * 1.0
        y[0] = x[1] * x[2]
        y.mul_(x)
        return y

    c = sg.taylor(f, np.array([1.0, 2.0, 3.0]), 3)
    np.testing.assert_allclose(c, [[6, 4, 9], [11, 4, 6], [6, 1, 1], [1, 0, 0]])


def test_nothing_is_left_behind_without_the_garbage_collector(leaves_nothing_behind):
    def once():
        sg.taylor(wave, np.array([0.3, 0.4]), 6)
        sg.grad(lambda x: sg.taylor(wave, x, 3)[2])(0.3)
        sg.taylor(lambda x: sg.linalg.eigh(x)[1], np.array([[1.0, 0.2], [0.2, 3.0]]), 3)

    assert leaves_nothing_behind(once)


@pytest.mark.parametrize("order", [-1, 1.0, True, "2", None])
def test_an_order_that_is_no_whole_number_is_refused(order):
    with pytest.raises(sg.GradientError, match="a whole number from 0"):
        sg.taylor(sg.exp, 0.0, order)


def test_a_large_constant_that_is_gone_is_said_to_be():
    def f(x):
        return sg.addcmul(x, sg.ones(20_000), sg.ones(20_000)).sum()

    with pytest.raises(sg.GradientError, match="Keep a reference to such constants"):
        sg.taylor(f, 1.0, 2)
    kept = sg.ones(20_000)
    np.testing.assert_array_equal(sg.taylor(lambda x: sg.addcmul(x, kept, kept).sum(), 1.0, 2), [40_000, 20_000, 0])


def test_hooks_that_change_gradients_are_refused():
    def f(x):
        y = x * 2
        y.register_hook(lambda g: 10 * g)
        return y

    with pytest.raises(sg.GradientError, match="MulBackward0 has hooks"):
        sg.taylor(f, 1.0, 2)


def test_what_does_not_fit_is_refused_with_its_place():
    with pytest.raises(sg.ShapeError, match="direction like x"):
        sg.taylor(sg.exp, np.ones(2), 2, np.ones(3))
    with pytest.raises(sg.DTypeError, match="floating point"):
        sg.taylor(sg.exp, sg.tensor([1, 2]), 2)
    with pytest.raises(sg.FormulaError, match=r"given to sg\.taylor returned 'str'"):
        sg.taylor(lambda x: "x", 1.0, 2)
    with pytest.raises(sg.FormulaError, match=r"sg\.taylor takes a function"):
        sg.taylor(1.0, 1.0, 2)


def test_high_whole_powers_keep_their_digits_where_the_base_is_small():
    """(ε + t + t²)ⁿ from the coefficient n on: 1, n, n(n-1)/2, … up to ε; a recursion that divides by ε loses them."""
    n = 70
    found = sg.taylor(lambda x: (1e-9 + x + x * x) ** n, np.array(0.0), order=n + 2)
    np.testing.assert_allclose(found[n:], [1.0, n, n * (n - 1) / 2], rtol=1e-5)


@pytest.mark.parametrize("exponent", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("x", [0.5, 1.0, 2.0])
def test_powers_that_are_no_numbers_have_the_coefficients_that_derivatives_give(x, exponent, monkeypatch):
    with contextlib.suppress(sg.GradientError):  # it is raised where a coefficient is no number
        assert np.isfinite(sg.taylor(lambda v: v**exponent, x, order=3)).all()
    monkeypatch.setattr("symgrad.transforms.products._require_series", lambda run, rows: None)
    g, derivatives = lambda v: v**exponent, []
    for _ in range(4):
        derivatives.append(g(x))
        g = sg.grad(g)
    np.testing.assert_array_equal(sg.taylor(lambda v: v**exponent, x, order=3), np.divide(derivatives, [1, 1, 2, 6]))


def test_a_users_operation_in_a_checkpoint_has_its_series():
    again = lambda x: sg.utils.checkpoint.checkpoint(lambda x: Cube.apply(x) * x, x, use_reentrant=False)
    np.testing.assert_allclose(sg.taylor(again, 0.5, order=3), [0.0625, 0.5, 1.5, 2.0])
