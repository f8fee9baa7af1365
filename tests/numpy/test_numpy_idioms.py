"""The everyday idioms of NumPy and SciPy inside a differentiated function: NumPy's values, and exact derivatives."""

import mpmath
import numpy as np
import pytest
import scipy.special as sc

import symgrad as sg

from ..helpers.cases import one_in
from ..helpers.numeric import gradient, slope
from ..helpers.versions import cases_of

CASES = """
np.clip(v, 0.6, None) | np.clip(v, None, 0.6) | np.clip(v, 0.4, 0.9) | np.clip(v, a_min=0.4, a_max=0.9)
np.clip(v, min=0.4, max=0.9) | np.clip(v, max=0.9) | np.clip(v, a_min=0.4, a_max=None)
np.clip(A, np.array([0.4, 0.3, 0.2, 0.1]), 0.9) | np.clip(A, [0.4, 0.3, 0.2, 0.1], None) | np.clip(A, v * 0.9, v + 0.1)
np.clip(np.full(4, 0.6), v, 2.0) | np.full(4, 0.6).clip(v, v + 1.0) | v.clip(0.4, 0.9) | v.clip(min=0.5)
np.append(v, 1.0) | np.append(v, A) | np.append(A, A[:1], axis=0) | np.append(A, np.ones((3, 1)), 1)
np.append([1.0], v) | np.cbrt(v) | np.cbrt(v - 0.55) | sc.cbrt(v) | np.block([v, v]) | np.block([[A, A], [A, 2 * A]])
np.block(v) | np.block([[A, np.ones((3, 2))], [np.zeros((1, 4)), v[:2]]]) | np.block([[v[0], v[1]], [v[2], 1.0]])
np.block([v, v[0]]) | np.block([[[S]], [[S]]]) | np.trapezoid(v) | np.trapezoid(v, dx=0.5) | np.trapezoid(A, v)
np.trapezoid(A, v[:3], axis=0) | np.trapezoid(A, A**2) | np.trapezoid(np.ones(4), v) | np.trapezoid(A, axis=0)
np.trapezoid(v, [0.0, 0.5, 2.0, 3.0]) | np.cov(A) | np.cov(v) | np.cov(A, rowvar=False) | np.cov(A, ddof=0)
np.cov(A, bias=True) | np.cov(v, A) | np.cov(A, aweights=v) | np.cov(A, fweights=[1, 2, 1, 3])
np.cov(A, fweights=[1, 2, 1, 3], aweights=v) | np.cov(A, aweights=v, ddof=0) | np.corrcoef(A)[0, 1:]
np.corrcoef(v, v**2)[0, 1] | np.corrcoef(A, rowvar=False)[0, 1:] | np.polyval(v, 2.0) | np.polyval([1.0, -2.0, 0.5], v)
np.polyval(v, A) | np.polyval(v[:1], v) | np.polyval((1.0, s), v) | np.polyval(v, [1.0, 2.0]) | np.average(A)
np.average(A, axis=1) | np.average(v, weights=v**2) | np.average(A, axis=0, weights=v[:3])
np.average(A, axis=1, weights=[1.0, 2.0, 3.0, 4.0]) | np.average(A, weights=A) | np.average(A, 0, keepdims=True)
np.average(A, axis=0, weights=v[:3], returned=True)[1] | np.average(A, axis=0, returned=True)[1] * v
np.quantile(v, 0.3) | np.quantile(A, [0.1, 0.5, 1.0], axis=1) | np.quantile(A, 0.25, axis=0, keepdims=True)
np.percentile(A, 30) | np.percentile(A, [0, 40], axis=(0, 1)) | np.quantile(B, [[0.2], [0.4]], axis=(0, 2))
np.quantile(B, 0.7, axis=(2, 0), keepdims=True) | np.convolve(v, A[0] ** 2) | np.convolve(v, [1.0, 2.0], "same")
np.convolve([1.0, 2.0], v, "valid") | np.convolve(v[:2], v, mode="same") | np.correlate(v, v[:2])
np.correlate(v[:2], v, "full") | np.correlate(v, v, "same") | np.gradient(v) | np.gradient(v, 0.5)
np.gradient(A, axis=1) | np.gradient(A)[0] | np.gradient(A, 2.0, s)[1] | np.cumulative_sum(v)
np.cumulative_prod(A, axis=1) | np.round(v, 1) + v | np.around(v) + v | v.round(1) + v | np.deg2rad(v) | np.radians(v)
np.rad2deg(v) | np.degrees(v) | np.angle(v) + v | np.astype(v, float) | np.size(A) * v | np.ndim(A) * v
np.shape(A)[1] * v | v.sum() / np.size(v) | v * np.iscomplexobj(v) + v | v * np.isrealobj(A) | A.sum() / np.size(A, 0)
S[np.triu_indices_from(S)] | S[np.tril_indices_from(S, -1)] | np.insert(v, 0, 1.0) | np.insert(v, [1, 3], v[:2])
np.insert(A, 1, v, axis=0) | np.insert(A, 2, 5.0, axis=1) | np.insert(np.ones(3), 1, s) | np.delete(v, 1)
np.delete(A, [0, 2], axis=1) | np.delete(A, slice(0, 2), 0) | np.resize(v, (3, 2)) | np.rollaxis(B, 2)
np.rollaxis(B, 0, 3) | np.rollaxis(B, 1, -1) | np.extract(np.array([True, False, True, True]), v)
np.select([v < 0.5, v < 0.8], [v**2, 2 * v], 7.0) | np.select([v < 0.5], [v]) | np.select([v < 0.5], [1.0], v)
np.add.outer(v, A[0]) | np.subtract.outer(v, v) | np.multiply.outer(A, v) | np.power.outer(v, [1.0, 2.0])
np.add.reduce(A) | np.add.reduce(A, None) | np.add.reduce(A, axis=1, keepdims=True) | np.multiply.reduce(A, axis=0)
np.maximum.reduce(A) | np.minimum.reduce(A, 1) | np.add.accumulate(A) | np.multiply.accumulate(A, 1)
np.linalg.vector_norm(A, axis=1) | np.linalg.matrix_norm(A) | np.linalg.vector_norm(v, ord=3) | np.linalg.trace(S)
np.linalg.matrix_norm(A, ord=1) | np.linalg.vecdot(A, v) | np.linalg.vecdot(A, A, axis=0) | np.linalg.matmul(A, v)
np.linalg.outer(v, v) | np.linalg.tensordot(A, A, axes=2) | np.linalg.cross(v[:3], A[1, 1:]) | np.linalg.diagonal(B)
np.linalg.matrix_transpose(B) | np.linalg.trace(B, offset=1) | np.matvec(A, v) | np.matvec(B, B[:, 0])
np.vecmat(v[:3], A) | np.vecmat(B[:, :, 0], B) | np.vecmat(v[:3], B) | v.copy() | A.copy(order="F") | v.astype(float)
v.astype(np.float64, copy=False) | v.conjugate() | A.transpose() | B.transpose() | B.transpose(2, 0, 1)
B.transpose((2, 0, 1)) | A.transpose((0, 1)) | v.transpose() | B.transpose([0, 2, 1]) | v.transpose(0)
B.transpose(None) | A.transpose((1, 0)) | B.transpose(-1, 0, 1) | A.cumsum() | v.cumsum() | A.cumprod()
A.cumsum(axis=1) | A.cumsum(0) | A.reshape(-1, order="F") | A.reshape((2, 6), order="F") | A.reshape(4, -1, order="C")
B.reshape(4, 3, order="F") | A.reshape(-1, order="A") | A.T.reshape(-1, order="A") | A.ravel("F") | A.ravel(order="C")
A.flatten("F") | A.flatten(order="C") | A.T.ravel("A") | A.T.ravel("K") | A.ravel("K") | np.ravel(A.T, order="K")
np.reshape(A.T, (2, 6), order="A") | v.std(ddof=1) | v.var(ddof=0) | A.std(axis=0, ddof=1)
A.var(axis=1, ddof=0, keepdims=True) | sc.logit(v) | sc.entr(v) | sc.log_ndtr(v) | sc.log_ndtr(-9 * v) | sc.ndtri(v)
sc.betaln(v, v[::-1]) | sc.betaln(v, 2.0) | sc.betaln(1.5, v) | sc.beta(v, v[::-1]) | sc.gamma(v) | sc.gamma(v - 1.03)
sc.rel_entr(v, v[::-1]) | sc.kl_div(v, 0.7) | sc.log_expit(v) | sc.exp10(v) | sc.expm1(v) | sc.log1p(v) | sc.exp2(v)
sc.round(v) + v | sc.huber(0.6, v) | sc.huber(v[0], A) | sc.pseudo_huber(0.6, v) | sc.pseudo_huber(v, A) | np.nanmax(N)
np.nanmax(N, axis=1) | np.nanmin(N, 0, keepdims=True) | np.nanprod(N) | np.nanprod(N, axis=0) | np.nancumsum(N)
np.nancumsum(N, axis=1) | np.nancumprod(N, 0) | np.nanvar(N) | np.nanvar(N, axis=0, ddof=1) | np.nanstd(N, axis=1)
np.nanstd(N, keepdims=True) | np.modf(4 * v)[0] | np.divmod(v, 0.3)[1] | np.interp(v, [0.0, 0.6, 2.0], [1.0, 3.0, 2.0])
np.interp([0.3, 0.5], np.cumsum(v) - 0.3, A[0]) | np.interp(v, np.cumsum(A[1]) - 0.4, A[2])
np.interp(s, [0.0, 1.0], v[:2]) | np.interp(A, [0.3, 0.6], v[:2], left=s, right=7.0)
np.interp(A, [0.5], v[:1], left=0.0)
"""
NAMES = cases_of(CASES)
POINT = np.array([0.52, 0.87, 0.33, 0.71, 0.95, 0.26, 0.64, 0.45, 0.78, 0.17, 0.58, 0.39])

GAPS = np.where(np.arange(12).reshape(3, 4) % 5 == 2, np.nan, 0.0)


def parts(z):
    """The arrays (or tensors) of a case: all of them are made of one vector."""
    return {"z": z, "v": z[:4], "A": z.reshape(3, 4), "S": z[:9].reshape(3, 3), "B": z.reshape(2, 3, 2), "s": z[5],
            "N": z.reshape(3, 4) + GAPS}  # fmt: skip


def run(case, z):
    return eval(case, {"np": np, "sc": sc, **parts(z)})


def total(case):
    """A number made of a case's result, curved in each entry."""

    def f(z):
        result = run(case, z)
        parts = result if isinstance(result, (list, tuple)) else [result]
        return sum((p * p * p + p).sum() for p in parts)

    return f


def assert_recorded(got, want):
    """A tensor with a history, of NumPy's value, shape and dtype."""
    assert isinstance(got, sg.Tensor) and got.requires_grad
    assert got.shape == np.shape(want) and got.dtype == np.asarray(want).dtype
    np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-13, atol=1e-15)


def assert_derivatives(f):
    """The gradient is the differences' of the function, the Hessian the differences' of the gradient, along a line."""
    g, direction = sg.grad(f), np.linspace(0.5, -0.8, POINT.size)
    np.testing.assert_allclose(g(POINT), gradient(f, POINT), rtol=1e-6, atol=1e-7)
    curvature = slope(lambda t: g(POINT + t * direction))
    np.testing.assert_allclose(sg.hessian(f)(POINT) @ direction, curvature, rtol=1e-6, atol=1e-6)


@one_in(16)
@pytest.mark.parametrize("case", NAMES)
def test_idiom_has_numpys_value_and_the_derivatives_of_finite_differences(case):
    want = run(case, POINT)
    got = run(case, sg.tensor(POINT, requires_grad=True))
    assert_recorded(got, want)
    assert_derivatives(total(case))


def test_a_bound_of_clip_passes_the_gradient_as_torch_does_and_none_is_no_bound():
    x = np.array([0.0, 0.5, 1.0])
    for low, high, want in [(0.0, 1.0, [1, 1, 1]), (0.5, None, [0, 1, 1]), (None, 0.5, [1, 1, 0])]:
        np.testing.assert_array_equal(sg.grad(lambda x, a=low, b=high: np.clip(x, a, b).sum())(x), want)
    t = sg.tensor(x, requires_grad=True)
    same = np.clip(t, None, None)
    assert same is not t and same.tolist() == x.tolist()
    with pytest.raises(TypeError, match="not both"):
        np.clip(t, 0, 1, min=0)


def test_clip_works_as_a_ufunc_too():
    clip = np._core.umath.clip
    t = sg.tensor([0.2, 0.5, 0.9], requires_grad=True)
    (g,) = sg.autograd.grad(clip(t, 0.3, 0.6).sum(), t)
    assert g.tolist() == [0, 1, 0]


# Special functions ----------------------------------------------------------------------------------------------------

LOG_NDTR = lambda x: mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2)
SPECIAL = {
    "cbrt": (np.cbrt, lambda x: mpmath.sign(x) * abs(x) ** (mpmath.mpf(1) / 3), [-8.0, -1e-3, 0.2, 1e6]),
    "logit": (sc.logit, lambda p: mpmath.log(p / (1 - p)), [1e-12, 0.2, 0.5, 0.999]),
    "entr": (sc.entr, lambda x: -x * mpmath.log(x), [1e-12, 0.3, 20.0]),
    "log_ndtr": (sc.log_ndtr, LOG_NDTR, [-60.0, -25.0, -8.0, -6.0, -5.9, -1.0, 0.0, 2.0, 5.0]),
    "ndtri": (sc.ndtri, lambda p: mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(p) - 1), [1e-6, 0.1, 0.5, 0.9]),
    "gamma": (sc.gamma, mpmath.gamma, [-2.5, -0.5, 0.1, 1.0, 4.5, 30.0]),
    "log_expit": (sc.log_expit, lambda x: -mpmath.log(1 + mpmath.exp(-x)), [-30.0, -1.0, 0.0, 3.0]),
    "exp10": (sc.exp10, lambda x: mpmath.mpf(10) ** x, [-3.0, 0.0, 2.5]),
    "betaln in a": (lambda x: sc.betaln(x, 2.5), lambda a: mpmath.log(mpmath.beta(a, 2.5)), [0.1, 1.0, 7.0]),
    "betaln in b": (lambda x: sc.betaln(2.5, x), lambda b: mpmath.log(mpmath.beta(2.5, b)), [0.1, 1.0, 7.0]),
    "beta": (lambda x: sc.beta(x, 2.5), lambda a: mpmath.beta(a, 2.5), [0.1, 1.0, 7.0]),
    "rel_entr in a": (lambda x: sc.rel_entr(x, 0.7), lambda a: a * mpmath.log(a / mpmath.mpf(0.7)), [1e-6, 0.7, 3.0]),
    "kl_div in a": (lambda x: sc.kl_div(x, 0.7), lambda a: a * mpmath.log(a / mpmath.mpf(0.7)) - a + 0.7, [1e-6, 3.0]),
    "kl_div in b": (lambda x: sc.kl_div(0.7, x), lambda b: 0.7 * mpmath.log(0.7 / b) - 0.7 + b, [1e-6, 3.0]),
    "rel_entr in b": (lambda x: sc.rel_entr(0.7, x), lambda b: 0.7 * mpmath.log(0.7 / b), [1e-6, 0.7, 3.0]),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_function_and_its_derivatives_are_mpmaths(name):
    function, exact, points = SPECIAL[name]
    f = lambda x: function(x)
    derivatives = [f, sg.grad(f), sg.grad(sg.grad(f))]
    with mpmath.workdps(60):
        for x in points:
            for order, found in enumerate(derivatives):
                want = mpmath.diff(exact, mpmath.mpf(x), order) if order else exact(mpmath.mpf(x))
                assert float(found(np.array(x))) == pytest.approx(float(want), rel=4e-14, abs=1e-13), (x, order)


@pytest.mark.parametrize("x", [-1e8, -1e3, -40.0, -7.0])
def test_second_derivative_of_log_ndtr_is_exact_far_to_the_left(x):
    with mpmath.workdps(60):
        t = -mpmath.mpf(x)
        excess = 1 / t - 2 / t**3 + 10 / t**5 if x < -1e3 else None
        if excess is None:
            excess = mpmath.npdf(t) / (mpmath.erfc(t / mpmath.sqrt(2)) / 2) - t
        want = -(t + excess) * excess
    f = lambda x: sc.log_ndtr(x)
    assert float(sg.grad(sg.grad(f))(np.array(x))) == pytest.approx(float(want), rel=1e-14)
    assert float(sg.hessian(f)(np.array(x))) == pytest.approx(float(want), rel=1e-14)


def test_far_tails_give_the_limits_and_no_nan():
    f = lambda x: sc.log_ndtr(x)
    for x in (40.0, 1e3):
        assert sg.grad(f)(np.array(x)) == 0 == sg.grad(sg.grad(f))(np.array(x))
    assert sg.grad(sc.entr)(np.array(0.0)) == np.inf
    assert sc.entr(sg.tensor([-1.0, 0.0], requires_grad=True)).tolist() == [-np.inf, 0]


SAME_NAMES = sorted(
    n for n in dir(sc)
    if isinstance(getattr(sc, n), np.ufunc) and n in sg.core.TABLE and sg.core.TABLE[n].kind == "elementwise"
)  # fmt: skip


@pytest.mark.parametrize("name", SAME_NAMES)
def test_a_row_of_the_name_of_a_scipy_function_is_that_function(name):
    function = getattr(sc, name)
    inputs = [np.linspace(0.1, 0.9, 7) ** (k + 1) for k in range(function.nin)]
    count = len(sg.core.TABLE[name].inputs)  # counts and orders before them are parameters of the row
    inputs[:-count] = [np.full(7, 2 + k) for k in range(function.nin - count)]
    out = function(*inputs[:-count], *(sg.tensor(x, requires_grad=True) for x in inputs[-count:]))
    # SciPy's quantile is 3.4e-15 from the truth at (0.1, 0.01), this one 1.2e-15 (mpmath: -16044257056665624.23)
    rtol = 4e-15 if name == "stdtrit" else 1e-15
    np.testing.assert_allclose(out.detach().numpy(), function(*inputs), rtol=rtol)


def test_special_functions_are_public_in_special():
    for name in ("beta", "betaln", "entr", "gamma", "kl_div", "log_ndtr", "logit", "ndtri", "rel_entr"):
        assert name in sg.special.__all__
        row = getattr(sg.special, name)
        arguments = [0.3, 0.6][: getattr(sc, name).nin]
        assert row(*map(sg.tensor, arguments)).item() == getattr(sc, name)(*arguments)


# Symbols --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "formula"),
    [
        (lambda x: np.sum(x) / np.size(x), "mean(x)"),
        (lambda x: np.trapezoid(x), "sum(x[1:] + x[:-1])/2"),
        (lambda x: np.average(x, weights=x), "‖x‖²/sum(x)"),
        (lambda x: np.clip(x, 0, 1).sum(), "sum(clamp(x, 0, 1))"),
        (lambda x: np.polyval([1.0, 2.0, 3.0], x).sum(), "sum(3 + 2x + x²)"),
        (lambda x: sc.betaln(x, 2.0).sum(), "sum(betaln(x, 2))"),
    ],
)
def test_idioms_of_symbols_are_formulas(function, formula):
    assert str(function(sg.symbol("x", "n")).formula()) == formula


@pytest.mark.parametrize(
    "function", [lambda x: np.quantile(x, 0.3), lambda x: np.insert(x, 0, 1.0), lambda x: np.convolve(x, x)]
)
def test_what_needs_places_refuses_a_symbol_of_any_size(function):
    with pytest.raises(sg.SymbolicBranchError, match="numbers as its sizes"):
        function(sg.symbol("x", "n"))
    assert function(sg.symbol("x", 4)).requires_grad


@pytest.mark.parametrize(
    "case",
    [
        "np.quantile(v, 0.3)",
        "np.insert(v, 1, 2.0)",
        "np.block([v, v])",
        "np.extract(v > 0.5, v)",
        "np.interp(v, [0, .5, 1], [1, 3, 2])",
    ],
)
def test_idioms_batch_as_a_loop_does(case):
    slope = sg.grad(lambda z: total(case)(z))
    rows = np.stack([POINT, POINT[::-1]])
    np.testing.assert_allclose(sg.vmap(slope)(rows), [slope(r) for r in rows], rtol=1e-13)


# PyTorch's meanings stay ----------------------------------------------------------------------------------------------


def test_transpose_of_two_numbers_swaps_them_and_of_others_permutes():
    x = sg.tensor(np.arange(24.0).reshape(2, 3, 4))
    assert x.transpose(0, 1).shape == (3, 2, 4) == sg.transpose(x, 0, 1).shape == x.transpose(dim0=0, dim1=1).shape
    assert x.transpose(-1, 0).shape == (4, 3, 2)
    m = sg.ones(2, 3)
    assert m.transpose(0, 1).shape == (3, 2) and m.transpose((0, 1)).shape == (2, 3)
    with pytest.raises(sg.ShapeError):
        x.transpose((0, 1))
    with pytest.raises(sg.ShapeError):
        x.transpose(0, 0, 1)


def test_in_place_scans_want_a_dimension():
    x = sg.ones(2, 2)
    with pytest.raises(TypeError, match="dim"):
        x.cumsum_()
    assert x.cumsum_(axis=0).tolist() == [[1, 1], [2, 2]]
    assert x.cumprod_(1).tolist() == [[1, 1], [2, 4]]


def test_std_divides_by_n_minus_one_unless_told_otherwise():
    x = sg.tensor([1.0, 2.0, 4.0])
    assert x.std().item() == np.std(x.numpy(), ddof=1) == x.std(ddof=1).item()
    assert x.var(ddof=0).item() == np.var(x.numpy()) == x.var(correction=0).item()
    with pytest.raises(TypeError, match="not both"):
        x.std(correction=0, ddof=0)


def test_copies_and_casts():
    x = sg.tensor([1.5, 2.5], requires_grad=True)
    y = x.copy()
    assert y is not x and y.data_ptr() != x.data_ptr() and y.requires_grad
    assert x.astype(np.float32).dtype == np.float32 and not x.astype(int).requires_grad
    assert x.astype(float, copy=False) is x and x.astype(float) is not x
    with pytest.raises(TypeError, match="casting='safe'"):
        x.astype(int, casting="safe")


def test_orders_ask_the_memory_where_numpy_asks_it():
    columns = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    t = sg.asarray(columns)
    for order in "CFAK":
        np.testing.assert_array_equal(t.ravel(order).numpy(), columns.ravel(order))
        np.testing.assert_array_equal(np.ravel(t, order=order).numpy(), columns.ravel(order))
    with pytest.raises(sg.ShapeError, match="contiguous"):
        t[:, ::2].ravel("K")
    with pytest.raises(sg.ShapeError, match="none of"):
        t.reshape(-1, order="X")


def test_averages_and_covariances_complain_as_numpys_do():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ZeroDivisionError):
        np.average(x, weights=[1.0, -1.0])
    with pytest.raises(TypeError):
        np.average(x, weights=[1.0])
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        np.cov(x, ddof=2)
    with pytest.raises(ValueError, match="range"):
        np.quantile(x, 1.5)
    with pytest.raises(ValueError, match="no_such"):
        np.quantile(x, 0.5, method="no_such")
    with pytest.raises(ValueError, match="at least edge_order"):
        np.gradient(x, edge_order=2)


def test_a_quantile_of_nan_is_nan_as_numpys():
    a = np.array([[1.0, np.nan, 3.0], [1.0, 2.0, 4.0]])
    got = np.quantile(sg.tensor(a, requires_grad=True), [0.0, 0.5], axis=1)
    np.testing.assert_array_equal(got.detach().numpy(), np.quantile(a, [0.0, 0.5], axis=1))


def test_block_refuses_unequal_depths_and_tuples():
    x = sg.ones(2, requires_grad=True)
    with pytest.raises(sg.ShapeError, match="unequal depths"):
        np.block([[x], x])
    with pytest.raises(sg.ShapeError, match="empty"):
        np.block([[x], []])
    with pytest.raises(TypeError, match="tuple"):
        np.block([(x, x)])
