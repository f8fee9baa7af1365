"""Everyday idioms of NumPy and SciPy, and what NumPy fills and reduces: its values, and exact derivatives."""

import warnings

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


# What NumPy fills, writes, counts and reduces -------------------------------------------------------------------------


M = np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]])

FILLS = """
np.bincount([0, 2, 0, 5], weights=v) | np.bincount(np.array([1, 1, 0, 1]), v, 4) | np.bincount([3, 0], v[:2], minlength=2)
np.full_like(v, v[0]) | np.full_like(A, s) | np.full_like(A, v) | np.full_like(v, s, shape=(2, 2)) | np.full_like(A, v[:3, None])
np.nan_to_num(np.array([np.nan, 1.0]) * v[:2], nan=s) | np.nan_to_num(N, True, 0.5) | np.nan_to_num(N, copy=False)
np.linspace(s, v[0], 5) | np.linspace(0.0, s, 4) | np.linspace(v, 2.0, 3) | np.linspace(v[:3, None], v, 3, axis=1)
np.linspace(s, 2, 4, endpoint=False) | np.linspace(s, 3.0, 5, retstep=True)[1] | np.linspace(s, v[1], 1)
np.linspace(s, 1.0, 0) | np.logspace(s, 1.0, 4) | np.logspace(s, v[0], 3, base=2.0) | np.logspace(0.0, 1.0, 3, base=s)
np.logspace(s, 1.0, 2, base=[2.0, 3.0]) | np.logspace(v, s, 3, base=v + 2, axis=-1) | np.logspace(0.0, s, 2, base=A * A + 1)
np.geomspace(s, 7.0, 4) | np.geomspace(-s, -v, 3, endpoint=False)
np.median(A, axis=(0, 1)) | np.median(A, keepdims=True) | np.median(A, 0, keepdims=True) | np.median(A[:, :3], axis=(1, 0))
np.cross(A[:, :3], A[:, 1:], axisa=0, axisb=1) | np.cross(A[:, :3], A[:, 1:], axisc=0) | np.cross(A[:, 1:], M[:, 1:] * 1.0, axis=0)
np.diff(v, prepend=0.0) | np.diff(v, append=1) | np.diff(A, prepend=s, axis=0) | np.diff(A, prepend=A[:, :1], append=2.0)
np.diff(v, 2, prepend=[0.0, 1.0]) | np.diff([1.0, 2.0], prepend=s) | np.diff(v, 0) | np.ediff1d(A, to_begin=s, to_end=[1.0, 2.0])
np.sum(v, initial=3.0) | np.sum(A, 0, initial=s) | np.sum(A, where=M) | np.sum(A, axis=1, where=[True, False, True, True])
np.sum(A, 1, None, None, True) | np.sum(A, where=A > 0.5, keepdims=True) | np.sum(v, dtype=float, where=v > 9, initial=s)
np.prod(v, initial=2.0) | np.prod(A, axis=0, where=M, initial=s) | np.max(v, initial=0.6) | np.max(v, initial=5 * s)
np.max(A, axis=0, where=M, initial=0.3) | np.max(v, where=v > 7, initial=s) | np.min(A, 1, initial=s) | np.amin(v, initial=-s)
np.min(A, axis=1, where=M, initial=9.0) | np.max(A, 0, None, True) | np.nanmax(N, initial=s) | np.nanmin(N, 0, where=M, initial=s)
np.nansum(N, where=M) | np.nansum(N, axis=0, initial=s) | np.nanprod(N, axis=1, initial=s, where=M)
np.mean(A, where=M) | np.mean(A, axis=1, where=M, keepdims=True) | np.nanmean(N, axis=0, where=M) | np.var(A, where=M)
np.var(A, 0, None, None, 1) | np.var(A, axis=1, where=M, ddof=1) | np.std(A, axis=0, where=M) | np.std(A, 1, correction=1)
np.nanvar(N, where=M) | np.nanstd(N, axis=1, where=M, keepdims=True) | np.any(A > 0.5, where=M) * v | np.all(A, where=M) * v
np.count_nonzero(A, axis=0, keepdims=True) * v | np.logaddexp.reduce(v) | np.logaddexp.reduce(A, axis=1)
np.logaddexp.reduce(A, axis=None) | np.logaddexp.reduce(A, axis=0, keepdims=True) | np.logaddexp.reduce(v, initial=s)
np.logaddexp.reduce(A, axis=1, where=M, initial=-np.inf) | np.logaddexp.accumulate(A, axis=1) | np.add.reduce(A, initial=s)
np.add.reduce(A, axis=1, where=M) | np.multiply.reduce(A, initial=s) | np.maximum.reduce(A, initial=s) | np.minimum.reduce(v)
np.maximum.accumulate(v) | np.minimum.accumulate(A, axis=1) | np.maximum.accumulate(A) | np.add.reduceat(v, [0, 2])
np.add.reduceat(v, [3, 1, 1, 0]) | np.add.reduceat(A, [0, 2], axis=1) | np.add.reduceat(A, [2, 0]) | np.multiply.accumulate(v)
np.cumulative_sum(v, include_initial=True) | np.cumulative_prod(A, axis=1, include_initial=True) | np.outer(A, v)
np.vdot(A, 2 * A) | np.inner(v, [1.0, 2.0, 3.0, 4.0]) | np.dot(A, [1.0, 2.0, 3.0, 4.0]) | np.matmul([1.0, 2.0, 3.0], A)
np.linalg.solve(np.eye(3) * v[:3, None, None], A[:, :3]) | np.linalg.solve(np.eye(3) * v[None, :3, None, None], A[:, :3])
np.sum(A, axis=()) | np.sum(A, (), where=M) | np.max(A, (), None, True) | np.prod(A, (), initial=s)
np.moveaxis(A, np.int64(0), 1) | np.roll(A, np.int64(1), np.int64(-1)) | np.nan_to_num(N, nan=s, posinf=v, neginf=-v) | np.linalg.qr(A, "r") | np.linalg.qr(A.T, mode="r")
np.einsum("ij,j->i", A, [1.0, 2.0, 3.0, 4.0]) | np.tensordot(A, [1.0, 2.0, 3.0, 4.0], 1) | np.trace(A, 1, 0, 1, float)
np.lib.stride_tricks.sliding_window_view(v, np.int64(2)) | np.take_along_axis(A, np.array([-1, 3]), None)
np.kron(v, [1.0, 2.0]) | np.atleast_2d(v, 1.0)[0] | np.broadcast_arrays(s, [1.0, 2.0])[0] | np.trapezoid(v, dx=A[:, :3])
np.extract([2, 0, 1, 0], v) | np.heaviside([-1.0, 0.0, 2.0, 0.0], v)
"""  # noqa: E501
FILL_NAMES = cases_of(FILLS)


def evaluate(case, z):
    return eval(case, {"np": np, "M": M, **parts(z)})


@one_in(6)
@pytest.mark.parametrize("case", FILL_NAMES)
def test_a_fill_or_reduction_has_numpys_value_and_the_derivatives_of_finite_differences(case):
    want = evaluate(case, POINT)
    got = evaluate(case, sg.tensor(POINT, requires_grad=True))
    assert_recorded(got, want)
    assert_derivatives(lambda z: (evaluate(case, z) ** 3 + evaluate(case, z)).sum())


def test_the_median_of_nan_is_nan():
    lines = np.array([[3.0, 1.0, np.nan, 2.0], [3.0, 1.0, 4.0, 2.0]])
    np.testing.assert_array_equal(np.median(sg.tensor(lines), axis=1).numpy(), np.median(lines, axis=1))
    assert np.isnan(np.median(sg.tensor(lines[0, :3])).item())


@pytest.mark.parametrize("right", [False, True])
def test_digitize_takes_bins_in_falling_order_too(right):
    x, bins = np.array([0.5, 1.0, 2.5, 9.0]), np.array([3.0, 2.0, 1.0])
    for edges in (bins, bins[::-1], bins[:1]):
        np.testing.assert_array_equal(np.digitize(sg.tensor(x), edges, right).numpy(), np.digitize(x, edges, right))
    with pytest.raises(ValueError, match="monotonically"):
        np.digitize(sg.tensor(x), [1.0, 3.0, 2.0])


def at(target, places, values):
    np.add.at(target, places, values)


WRITES = {
    "add.at": lambda a, z: at(a, ([0, 1, 0, 2], [1, 1, 1, 3]), z[:4] ** 2),
    "add.at of an entry": lambda a, z: at(a, (1, 2), z[0] ** 2),
    "add.at of rows": lambda a, z: at(a, [0, 0], z[:4]),
    "add.at of a slice": lambda a, z: at(a, slice(0, 2), z[4]),
    "subtract.at": lambda a, z: np.subtract.at(a, (slice(None), [0, 0]), z[:2]),
    "put": lambda a, z: np.put(a, [0, 5, -1, 5], z[:4] ** 2),
    "put, fewer values": lambda a, z: np.put(a, [0, 5, 7], z[:2]),
    "put, wrapped": lambda a, z: np.put(a, [13, 5], z[:2], mode="wrap"),
    "put, clipped": lambda a, z: np.put(a, [40, -3], z[:2], mode="clip"),
    "place": lambda a, z: np.place(a, M, z[:3] ** 2),
    "putmask": lambda a, z: np.putmask(a, M, z[:5]),
    "one place twice": lambda a, z: a.__setitem__(([0, 2, 0, 0], [1, 1, 1, 2]), z[:4] ** 2),
    "one row twice": lambda a, z: a.__setitem__(([2, 0, -1],), z[:12].reshape(3, 4) ** 2),
    "one column twice": lambda a, z: a.__setitem__((slice(1, 3), [1, 1, 3]), z[:3] ** 2),
    "a number twice": lambda a, z: a.__setitem__(([0, 0], 1), z[3] ** 2),
    "a mask beside a place named twice": lambda a, z: a.__setitem__((M[:, 0], [1, 1]), z[:2] ** 2),
    "copyto": lambda a, z: np.copyto(a, z[:4] ** 2),
    "copyto, where": lambda a, z: np.copyto(a, z[:4], where=M),
    "fill_diagonal": lambda a, z: np.fill_diagonal(a, z[:2]),
    "fill_diagonal of a number": lambda a, z: np.fill_diagonal(a, z[3] ** 2),
    "put_along_axis": lambda a, z: np.put_along_axis(a, np.array([[1], [0], [3]]), z[:3].reshape(3, 1), 1),
    "put_along_axis of all": lambda a, z: np.put_along_axis(a, np.array([4, 2]), z[:2], None),
}


@one_in(3)
@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("of", [lambda z: z.reshape(3, 4) * 2, lambda z: np.zeros_like(z.reshape(3, 4))])
def test_a_write_in_place_has_numpys_value_and_derivatives(name, of):
    def written(z):
        target = of(z)
        assert WRITES[name](target, z) is None
        return target

    np.testing.assert_allclose(written(sg.tensor(POINT)).numpy(), written(POINT), rtol=1e-15)
    weights = np.cos(np.arange(12.0)).reshape(3, 4)
    assert_derivatives(lambda z: (written(z) ** 3 * weights + written(z)).sum())


@pytest.mark.parametrize(
    "put",
    [
        lambda a, z: sg.index_put(a, (sg.tensor([0, 2, 0]),), z),
        lambda a, z: sg.index_copy(a, 0, sg.tensor([0, 2, 0]), z),
        lambda a, z: sg.scatter(a, 0, sg.tensor([0, 2, 0]), z),
        lambda a, z: sg.put(a, sg.tensor([0, 2, -4]), z),
    ],
)
def test_a_value_that_another_overwrites_has_no_gradient(put):
    a, z = sg.ones(4, requires_grad=True), sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    weights = sg.tensor([1.0, 10.0, 100.0, 1000.0])
    y = put(a, z)
    assert y.tolist() == [3.0, 1.0, 2.0, 1.0]
    by_a, by_z = sg.autograd.grad((weights * y).sum(), (a, z))
    assert (by_a.tolist(), by_z.tolist()) == ([0, 10, 0, 1000], [0, 100, 1])
    assert sg.autograd.gradcheck(put, (a, z)) and sg.autograd.gradgradcheck(lambda a, z: put(a, z) ** 2, (a, z))
    f = lambda z: (weights * put(sg.zeros(4), z) ** 2).sum()
    np.testing.assert_array_equal(sg.hessian(f)(np.ones(3)), np.diag([0.0, 200.0, 2.0]))
    np.testing.assert_array_equal(sg.formula(f, sg.symbol("z", 3)).grad("z")(z=np.ones(3)), [0, 200, 2])


def test_a_diagonal_of_a_tall_or_deep_array_is_filled_as_numpy_does():
    for shape, wrap in [((5, 2), False), ((5, 2), True), ((3, 3, 3), False), ((2, 5), True)]:
        want, got = np.zeros(shape), sg.zeros(*shape)
        np.fill_diagonal(want, [1.0, 2.0], wrap)
        np.fill_diagonal(got, sg.tensor([1.0, 2.0]), wrap)
        np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda a, x: np.add.at(a, [0, 1], x), ["np.add.at", "np.bincount(places, weights=x", "sg.index_add"]),
        (lambda a, x: np.put(a, [0, 1], x), ["np.put", "np.zeros_like(x)"]),
        (lambda a, x: np.place(a, a == 0, x), ["np.place", "np.where"]),
        (lambda a, x: np.putmask(a, a == 0, x), ["np.putmask", "np.where"]),
        (lambda a, x: np.copyto(a, x), ["np.copyto", "np.zeros_like(x)"]),
        (lambda a, x: np.fill_diagonal(np.zeros((2, 2)), x), ["fill_diagonal", "np.diag(v)"]),
        (lambda a, x: np.put_along_axis(a, np.array([0, 1]), x, 0), ["np.put_along_axis", "np.where"]),
        (lambda a, x: np.full_like(a, x[0]), ["np.full_like(a, value)", "np.broadcast_to(value, shape)"]),
        (lambda a, x: np.full((2,), x[0], dtype=float), ["np.full(shape, value)", "np.broadcast_to(value, shape)"]),
        (lambda a, x: np.multiply.at(a, [0], x[:1]), ["np.multiply.at", "symgrad.numpy"]),
    ],
)
def test_into_an_array_nothing_is_written_and_the_error_says_what_to_write_instead(write, words):
    array = np.zeros(2)
    with pytest.raises(sg.SymgradError) as caught:
        sg.grad(lambda x: write(array, x) or x.sum())(np.ones(2))
    assert all(w in str(caught.value) for w in words), str(caught.value)
    assert not array.any()


def test_a_tensor_without_dimensions_is_written_to():
    for write in (lambda a, z: np.put(a, [0, 0], z[:2]), lambda a, z: at(a, (), z[1])):

        def written(z, write=write):
            a = np.copy(z[3:4]).reshape(())
            write(a, z)
            return a

        assert written(sg.tensor(POINT)).item() == written(POINT)
        assert_derivatives(lambda z, written=written: written(z) ** 3 + 0 * z.sum())


def test_an_argument_is_not_overwritten():
    for write in (lambda x: np.put(x, [0], 5.0), lambda x: np.add.at(x, [0], 1.0), lambda x: np.copyto(x, 5.0)):
        x, changed = np.ones(2), np.ones(2)
        write(changed)
        value, _ = sg.value_and_grad(lambda x, write=write: write(x) or x.sum())(x)
        assert value == changed.sum() and x.tolist() == [1.0, 1.0]
        with pytest.raises(sg.InplaceError):
            sg.func.grad(lambda x, write=write: write(x) or x.sum())(sg.ones(2))


# Group sums -----------------------------------------------------------------------------------------------------------


def test_group_sums_of_a_mixed_model_have_the_right_gradient_and_hessian():
    groups, x = np.array([0, 1, 0, 2]), np.array([1.0, 2.0, 3.0, 4.0])
    f = lambda x: (np.bincount(groups, weights=x, minlength=3) ** 2).sum()
    np.testing.assert_array_equal(sg.grad(f)(x), 2 * np.bincount(groups, weights=x)[groups])
    np.testing.assert_array_equal(sg.hessian(f)(x), 2.0 * (groups[:, None] == groups))
    np.testing.assert_array_equal(sg.compile(f)(x)[2], 2.0 * (groups[:, None] == groups))
    rows = np.stack([x, x[::-1]])
    np.testing.assert_array_equal(sg.vmap(sg.grad(f))(rows), [sg.grad(f)(r) for r in rows])


def test_weights_and_their_places_are_checked_as_numpy_does():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ValueError, match="same length"):
        np.bincount([0, 1, 2], weights=x)
    with pytest.raises(ValueError, match="negative"):
        np.bincount([0, -1], weights=x)
    with pytest.raises(TypeError, match="real"):
        np.bincount([0, 1], weights=x + 1j)
    with pytest.raises(sg.DTypeError):
        np.bincount(x, weights=[1.0, 2.0])
    with pytest.raises(sg.ShapeError, match="same length"):
        sg.bincount(sg.tensor([0, 1, 2]), weights=x)
    assert np.bincount([1], weights=sg.tensor([2.0], dtype=sg.float32)).dtype == np.float64
    assert sg.bincount(sg.tensor([1]), weights=sg.tensor([2.0], dtype=sg.float32)).dtype == np.float32


def test_fills_and_spans_of_symgrads_own_take_tensors():
    x = sg.tensor([2.0, 3.0], requires_grad=True)
    for make in (lambda: sg.full((2, 2), x[0]), lambda: sg.full_like(x, x[0]), lambda: x.new_full((3,), x[0])):
        out = make()
        (g,) = sg.autograd.grad(out.sum(), x)
        assert g.tolist() == [out.numel(), 0] and set(out.detach().reshape(-1).tolist()) == {2.0}
    (g,) = sg.autograd.grad(sg.linspace(x[0], x[1], 3).sum(), x)
    assert g.tolist() == [1.5, 1.5]
    spans = sg.logspace(x[0], 1.0, 3)
    np.testing.assert_allclose(spans.detach().numpy(), np.logspace(2, 1, 3), rtol=1e-14)
    with pytest.raises(sg.ShapeError, match="np.broadcast_to"):
        sg.full((2,), x)


# What is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        (
            lambda x: np.unique(np.concatenate([x, x]), return_counts=True),
            sg.NotDifferentiableError,
            "np.unique(x.detach())",
        ),
        (lambda x: sg.unique(x), sg.NotDifferentiableError, "unique(x.detach())"),
        (lambda x: x.unique_consecutive(), sg.NotDifferentiableError, "unique_consecutive(x.detach())"),
        (lambda x: np.linalg.norm(x, ord=x[0]), sg.NotDifferentiableError, "ord="),
        (lambda x: np.std(x, ddof=x[0]), sg.NotDifferentiableError, "ddof="),
        (lambda x: np.max(x, where=x > 0.5), ValueError, "initial="),
        (lambda x: np.sum(x, where=x), TypeError, "write a comparison"),
        (lambda x: np.sum(x[:2], where=x > 0.5), sg.ShapeError, "does not broadcast"),
        (lambda x: np.add.reduceat(x, [4]), IndexError, "from 0 to 3"),
        (lambda x: np.diff(x, -1), ValueError, "non-negative"),
        (lambda x: np.pad(x, (-1, 0), mode="wrap"), ValueError, "negative"),
        (lambda x: np.pad(x, (-1, 0)), ValueError, "negative"),
        (lambda x: np.pad(x, 1.5), TypeError, "integral"),
        (lambda x: np.geomspace(-x, 1.0), ValueError, "same sign"),
        (lambda x: np.put(x * 1, [9], 1.0), IndexError, "out of bounds"),
        (lambda x: np.trace(np.diag(x), 0, 0, 1, None, np.zeros(())), sg.DTypeError, "np.trace on tensors does not"),
        (lambda x: np.concatenate([x, x], 0, np.zeros(8)), sg.DTypeError, "on tensors does not take out="),
        (lambda x: np.add.reduce(x, 0, None, np.zeros(())), sg.DTypeError, "np.add.reduce on tensors does not"),
        (lambda x: np.convolve(np.diag(x), x), sg.ShapeError, "np.convolve takes vectors"),
        (lambda x: np.pad(x, 1, lambda *_: None), sg.NotDifferentiableError, "a function as mode"),
        (lambda x: np.pad(x, 1, "edge", stat_length=2), ValueError, "unsupported keyword arguments"),
        (lambda x: np.split(x, np.int64(3)), sg.ShapeError, "np.array_split does"),
    ],
)
def test_what_has_no_derivative_says_so(run, error, words):
    with pytest.raises(error) as caught:
        run(sg.tensor(POINT[:4], requires_grad=True))
    assert words in str(caught.value)


def test_a_dtype_that_numpy_is_told_is_the_results():
    x = sg.tensor(POINT[:4], requires_grad=True)
    for make in (
        lambda dtype: np.einsum("i->", x, dtype=dtype), lambda dtype: np.maximum.reduce(x, 0, dtype),
        lambda dtype: np.trace(np.diag(x), 0, 0, 1, dtype), lambda dtype: np.multiply.accumulate(x, dtype=dtype),
    ):  # fmt: skip
        assert make(np.float32).dtype == np.float32
    whole = np.linspace(sg.tensor(-1.0), 1.0, 4, dtype=int)
    np.testing.assert_array_equal(whole.numpy(), np.linspace(-1.0, 1.0, 4, dtype=int))


def test_places_in_a_triangle_of_any_size_are_refused():
    with pytest.raises(sg.SymbolicBranchError, match="Declare the symbol with numbers"):
        np.triu_indices_from(sg.symbol("A", ("n", "n")))
    assert len(np.triu_indices_from(sg.symbol("A", (3, 3)))[0]) == 6


def test_what_has_no_gradient_goes_on_as_numpy():
    t = sg.tensor([3.0, 1.0, 3.0])
    assert np.unique(t).tolist() == [1.0, 3.0]
    np.testing.assert_array_equal(np.unique(t, return_counts=True)[1].numpy(), [1, 2])
    assert [r.tolist() for r in np.unique(t, return_index=True)] == [[1.0, 3.0], [1, 0]]
    assert np.unique(sg.tensor([np.nan, np.nan])).numel() == 1 and sg.unique(sg.tensor([np.nan, np.nan])).numel() == 2
    array = np.zeros(3)
    np.copyto(array, t)
    assert array.tolist() == [3.0, 1.0, 3.0]
    np.add.at(array, sg.tensor([0, 0]), t[:2])
    np.put(array, [2], t[1])
    assert array.tolist() == [7.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("function", "formula"),
    [
        (lambda x: np.sum(x, initial=3.0), "3 + sum(x)"),
        (lambda x: np.logaddexp.reduce(x), "logsumexp(x)"),
        (lambda x: np.full_like(x, x.sum()).sum(), "n sum(x)"),
    ],
)
def test_they_have_formulas(function, formula):
    assert str(function(sg.symbol("x", "n")).formula()) == formula


@pytest.mark.parametrize("function", [np.ptp, np.var, np.std, np.nanvar, np.sum, np.prod, np.max, np.mean])
def test_a_default_that_is_spelt_out_says_nothing(function):
    x = np.array([[1.0, 2.0], [5.0, 4.0]])
    assert np.shape(function(sg.tensor(x), keepdims=np._NoValue)) == ()
    np.testing.assert_allclose(sg.grad(function)(x), sg.grad(lambda x: function(x))(x))  # `sg.grad` passes defaults


def test_a_reduction_of_no_rows_is_numpys():
    rows = np.zeros((0, 3))
    np.testing.assert_array_equal(sg.grad(lambda x: np.fmax.reduce(x, axis=1).sum())(rows), rows)
    with pytest.raises(ValueError, match="zero-size array to reduction operation fmax which has no identity"):
        sg.grad(lambda x: np.fmax.reduce(x, axis=0).sum())(rows)


@pytest.mark.skipif(not hasattr(np, "trapz"), reason="NumPy 2.4 has no np.trapz")
def test_the_older_name_of_trapezoid_has_its_arguments():
    A, x = np.arange(6.0).reshape(2, 3) ** 2, np.array([0.0, 1.0, 3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        f, g = (
            sg.grad(lambda a, fn=fn: fn(a, dx=0.5, axis=0).sum() + fn(a, x).sum())
            for fn in (getattr(np, "trapz", None), np.trapezoid)
        )
        np.testing.assert_array_equal(f(A), g(A))


MISSING = np.array([1.0, np.nan, 2.0, 2.5])


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda a: np.nansum(MISSING * a), 5.5), (lambda a: np.nanmean(MISSING * a), 5.5 / 3),
        (lambda a: np.nanmedian(MISSING * a), 2.0), (lambda a: np.nanpercentile(MISSING * a, 40), 1.8),
        (lambda a: np.nan_to_num(MISSING * a).sum(), 5.5), (lambda a: sg.nanmedian(MISSING * a), 2.0),
        (lambda a: sg.nanmedian(MISSING * a, 0)[0], 2.0), (lambda a: sg.nanquantile(MISSING * a, 0.4), 1.8),
    ],
)  # fmt: skip
def test_what_is_missing_has_no_slope(f, slope):
    assert sg.grad(f)(1.0) == pytest.approx(slope)  # 0 times NaN is none of it


def test_a_copy_by_np_array_is_written_to_in_place():
    def centred(copy, x):
        x = copy(x)
        x -= x.mean(axis=0)
        x /= x.std()
        return (x**3).sum()

    for x in (np.array([0.3, -0.6, 1.1]), np.arange(6.0).reshape(2, 3) ** 2):
        expected = sg.grad(lambda x: centred(np.copy, x))(x)
        np.testing.assert_allclose(sg.grad(lambda x: centred(np.array, x))(x), expected, rtol=1e-10, atol=1e-12)
