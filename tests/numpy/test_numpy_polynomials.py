"""NumPy's polynomials: its values, and exact derivatives in coefficients, points and roots."""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in
from ..helpers.numeric import gradient
from .test_numpy_linalg import POINT, assert_numpys

CASES = """
np.poly(v) | np.poly(N) | np.poly(C[0]) | np.poly(S) | np.poly(z[:1]) | np.poly([1.0, 2.0]) * s | np.poly(C[0, :2])
np.polyval(v, s) | np.polyval(v, A) | np.polyval([1.0, 2.0], v) | np.polyval(p=v, x=2.0) | np.polyval(C[0], v)
np.polyval(np.poly1d([1.0, 2.0, 3.0]), v) | np.poly1d([1.0, -2.0])(v) | np.polyfit(v, w, 2)
np.polyfit([0.0, 1.0, 2.0, 3.0], v, 1) | np.polyfit(x=np.arange(4.0), y=v, deg=3)
np.polyfit(v, w, 1, w=[1.0, 2.0, 1.0, 0.5]) | np.polyfit(v, w, 1, w=w ** 2) | np.polyfit(np.arange(3.0), A, 1)
np.polyfit(v, w, 1, full=True)[:4] | np.polyfit(v, w, 1, cov=True) | np.polyfit(v, w, 1, cov="unscaled")
np.polyfit(np.arange(3.0), A, 1, cov=True) | np.polyfit(np.arange(3.0), A, 1, w=u)
np.polyfit(v, [1.0, 2.0, 0.0, 1.0], 2) | np.polyfit(v, w, 0) | np.polyder(v) | np.polyder(v, 2) | np.polyder(v, m=0)
np.polyder(v, 3) | np.polyder(v, 5) | np.polyint(v) | np.polyint(v, 2) | np.polyint(v, 2, k=[1.0, 2.0])
np.polyint(v, k=s) | np.polyint(v, 3, k=s) | np.polyint(v, m=0) | np.polyder(C[0]) | np.polyint(C[0])
np.polymul(v, u) | np.polymul(v, [1.0, 2.0]) | np.polymul([0.0, 1.0, 2.0], v) | np.polymul(v, 2.0)
np.polymul(C[0], v) | np.polyadd(v, u) | np.polyadd([1.0, 2.0], v) | np.polyadd(v, 3.0) | np.polyadd(a1=u, a2=v)
np.polysub(v, u) | np.polysub([1.0, 2.0], v) | np.polysub(1.0, v) | np.polydiv(v, u) | np.polydiv(v, z[:2])
np.polydiv(v, [1.0, 2.0]) | np.polydiv([1.0, 3.0, 2.0], z[:2]) | np.polydiv(u, v)[1] | np.polydiv(v, v)
np.polydiv(v, 2.0) | np.polydiv(v, C[0, :2]) | np.polydiv(v, z[3:6]) | np.polydiv(z[:8], u) | np.polydiv(v, s)
np.polydiv(np.polymul(v, u), v) | np.roots(v) | np.roots(u) | np.roots(z[:2]) | np.roots(z[:6])
np.roots(np.stack([s, s * 0.3, s * 0.02])) | np.roots(C[0]) | np.roots(np.concatenate([[0.0], v]))
np.roots(np.concatenate([v, [0.0]])) | np.roots([1.0, -3.0, 2.0]) * s | np.roots(np.array([1.0, 0.0, -1.0]) * s)
np.roots(z[:1]) | np.vander(v) | np.vander(v, 3) | np.vander(v, N=2, increasing=True) | np.vander(C[0], 3)
np.vander(v, 0) | np.vander(v, 1) | np.polynomial.polynomial.polyval(v, [1.0, 2.0, 3.0])
np.polynomial.chebyshev.chebval(A, [1.0, 2.0, 3.0, 4.0]) | np.polynomial.legendre.legval(v, [1.0, 2.0, 3.0, 4.0])
np.polynomial.hermite.hermval(v, [1.0, 2.0, 3.0, 4.0]) | np.polynomial.hermite_e.hermeval(v, [1.0, 2.0, 3.0, 4.0])
np.polynomial.laguerre.lagval(v, [1.0, 2.0, 3.0]) | np.polynomial.legendre.legval(s, [1.0, 2.0])
"""
NAMES = [c.strip() for line in CASES.strip().splitlines() for c in line.split(" | ")]


@one_in(8)
@pytest.mark.parametrize("case", NAMES)
@pytest.mark.filterwarnings("ignore::symgrad.StructurallyZeroWarning")
def test_a_function_of_polynomials_has_numpys_value_and_the_derivatives_of_finite_differences(case):
    assert_numpys(case)


def test_roots_move_by_their_coefficients_over_the_slope():
    p = np.poly([1.0, -2.0, 0.5])
    for k, r in enumerate(np.roots(p)):
        slope = np.polyval(np.polyder(p), r)
        found = sg.grad(lambda p, k=k: np.roots(p)[k])(p)
        np.testing.assert_allclose(found, [-(r**j) / slope for j in (3, 2, 1, 0)], rtol=1e-10)
    np.testing.assert_allclose(
        sg.jacobian(lambda p: np.poly(np.roots(p)))(p), np.eye(4) - np.outer(p, [1, 0, 0, 0]), atol=1e-12
    )
    y, dy = sg.jvp(np.roots, (p,), (np.array([0.0, 0.0, 0.0, 1.0]),))
    np.testing.assert_allclose(dy, -1 / np.polyval(np.polyder(p), y), rtol=1e-10)


def test_roots_may_be_complex_and_multiple_ones_are_refused():
    p = np.array([1.0, 0.4, 2.0])
    f = lambda p: np.roots(p)[0].imag + abs(np.roots(p)[1])
    np.testing.assert_allclose(sg.grad(f)(p), gradient(f, p), rtol=1e-8)
    with pytest.raises(
        sg.GradientError, match="np.roots: a multiple root has no derivative: the gap between the root 1"
    ):
        sg.grad(lambda p: np.roots(p)[1].real)(np.poly([1.0, 1.0, 3.0]))
    assert np.roots(sg.tensor([0.0, 0.0])).shape == np.roots([0.0, 0.0]).shape == (0,)
    assert np.roots(sg.tensor([2, -6, 4])).tolist() == [2.0, 1.0]
    wilkinson = np.poly(np.arange(1.0, 21.0))
    assert np.isfinite(sg.grad(lambda p: np.roots(p).real.sum())(wilkinson)).all()


def test_the_characteristic_polynomial_has_the_trace_and_the_determinant():
    A = POINT[:9].reshape(3, 3)
    np.testing.assert_allclose(sg.grad(lambda A: np.poly(A)[1])(A), -np.eye(3), atol=1e-12)
    np.testing.assert_allclose(sg.grad(lambda A: -np.poly(A)[3])(A), np.linalg.det(A) * np.linalg.inv(A).T, rtol=1e-10)


def test_a_fit_of_lists_weights_and_too_few_points_is_numpys():
    x, y = np.arange(5.0), POINT[:5]
    t = sg.tensor(y, requires_grad=True)
    *ours, rcond = np.polyfit(x, t, 1, full=True)
    *theirs, expected = np.polyfit(x, y, 1, full=True)
    assert rcond == expected
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a.detach() if isinstance(a, sg.Tensor) else a, b)
    with pytest.warns(np.exceptions.RankWarning):
        np.polyfit(x * 0 + 1, t, 1)
    # the coefficients are linear in y: their slopes are the fit of each unit vector
    np.testing.assert_allclose(sg.jacobian(lambda y: np.polyfit(x, y, 2))(y), np.polyfit(x, np.eye(5), 2), atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.complex64])
@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul", "polydiv"])
def test_dtypes_and_strides_are_numpys(name, dtype):
    a, b = (np.array([3, 0, 1, 2, 7, 1])[::-2].astype(dtype), np.array([2, 1]).astype(dtype))
    f = getattr(np, name)
    ours, theirs = f(sg.tensor(a), sg.tensor(b)), f(a, b)
    for u, v in zip(*[r if isinstance(r, tuple) else (r,) for r in (ours, theirs)], strict=True):
        np.testing.assert_allclose(u.numpy(), v, rtol=1e-6)
        assert u.dtype == v.dtype


TRIMS = """
np.polymul(p, q)[-1] | np.polymul(p[:2], q).sum() | np.polymul(q, p).sum() | np.polyval(np.polymul(p * q[0], q), 2.0)
np.polymul(np.sin(p), q).sum() | np.polymul(p ** 2, q).sum() | np.poly1d(p)(2.0) | (np.poly1d(q) * np.poly1d(p))(2.0)
np.polyval(np.polymul(np.poly1d(p), q), 2.0) | (np.poly1d(p) + np.poly1d(q))(2.0) | np.trim_zeros(p).sum()
np.trim_zeros(p[::-1]).sum() | np.trim_zeros(p * 2, "f").sum() | np.polydiv(c1, [1.0, 0.0, 1.5])[1].sum()
np.polyval(np.polydiv(c1, np.concatenate([c1[:1], p[:1], q[:1] / 2]))[1], 2.0)
np.polymul(np.stack([p[0], q[0]]), q).sum() | np.polymul(np.linalg.solve(np.eye(3), p), q).sum()
"""
STAYS = """
np.polymul(np.concatenate([[0.0, 0.0], q]), p[1:]).sum() | np.polymul(np.polysub(c1, c2), q).sum()
np.poly1d(np.concatenate([[0.0], q]))(2.0) | np.polymul(np.pad(q, (1, 0)), q).sum() | np.polymul([0.0, 2.0], q).sum()
np.polydiv(np.polymul(q, p[1:]), q)[1].sum() | np.polydiv(c1, c1[:3])[1].sum()
np.trim_zeros(np.pad(q, (2, 3))).sum() | np.polymul(0.0, q).sum()
np.polydiv(np.polymul(q, p[1:]), p[1:])[0].sum() | np.polymul(np.where([False, True, True], q, 0.0), q).sum()
"""


def _of_pieces(case):
    """A function of six numbers: ``p`` leads with a zero, and ``c1 - c2`` with one that is no number's."""

    def f(x):
        p, q, one = x[:3], x[3:], np.ones(1)
        names = {"p": p, "q": q, "c1": np.concatenate([one, p]), "c2": np.concatenate([one, 2 * p + q])}
        return eval(case.strip(), {"np": np}, names)

    return f


@pytest.mark.parametrize("case", [c for line in TRIMS.strip().splitlines() for c in line.split(" | ")])
def test_a_zero_that_is_trimmed_off_and_would_move_is_refused_by_name(case):
    f, x = _of_pieces(case), np.array([0.0, 1.5, -2.0, 3.0, 0.5, 2.0])
    assert np.isfinite(f(x)).all()
    run = {
        "grad": lambda: sg.grad(f)(x),
        "hessian": lambda: sg.hessian(f)(x),
        "jvp": lambda: sg.jvp(f, (x,), (np.ones(6),)),
        "tensors": lambda: f(sg.tensor(x, requires_grad=True)).sum().backward(),
    }
    for how, call in run.items():
        with pytest.raises(sg.NotDifferentiableError, match=r"np\.(polymul|polydiv|trim_zeros)") as caught:
            call()
        assert "leaves out" in str(caught.value), how
    f(sg.tensor(x))  # without derivatives, NumPy's


@pytest.mark.parametrize("case", [c for line in STAYS.strip().splitlines() for c in line.split(" | ")])
def test_a_zero_that_is_trimmed_off_and_never_moves_costs_no_slope(case):
    f, x = _of_pieces(case), np.array([0.0, 1.5, -2.0, 3.0, 0.5, 2.0])
    np.testing.assert_allclose(sg.grad(f)(x), gradient(f, x), rtol=1e-7, atol=1e-9)
    t = np.arange(1.0, 7)
    np.testing.assert_allclose(sg.jvp(f, (x,), (t,))[1], gradient(f, x) @ t, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        (lambda x: np.polyfit(x, x, -1), ValueError, "np.polyfit: expected deg >= 0"),
        (lambda x: np.polyfit(x, x[:2], 1), TypeError, "np.polyfit: expected x and y to have same length"),
        (lambda x: np.polyfit(x, x, 1, w=x[:2]), TypeError, "np.polyfit: expected a 1-d array for weights"),
        (lambda x: np.polyfit(x, x, 3, cov=True), ValueError, "np.polyfit: the number of data points must exceed"),
        (lambda x: np.polyder(x, -1), ValueError, "np.polyder: Order of derivative must be positive"),
        (lambda x: np.polyint(x, -1), ValueError, "np.polyint: Order of integral must be positive"),
        (lambda x: np.polyint(x, 3, k=[1.0, 2.0]), ValueError, "np.polyint: k must be"),
        (lambda x: np.poly(x.reshape(2, 2)[:1]), ValueError, "np.poly: input must be 1d or non-empty square 2d"),
        (lambda x: np.roots(x.reshape(2, 2)), ValueError, "np.roots: Input must be a rank-1 array."),
        (lambda x: np.polynomial.polynomial.polyval(2.0, x), sg.GradientError, "numpy.polynomial (polyval())"),
        (lambda x: np.polynomial.Polynomial(x), sg.GradientError, "numpy.polynomial (as_series())"),
    ],
)  # fmt: skip
def test_what_polynomials_do_not_take_is_refused_by_name(run, error, words):
    with pytest.raises(error) as caught:
        run(sg.tensor(POINT[:4], requires_grad=True))
    assert words in str(caught.value)
