"""Distances under SciPy's names: its values, and derivatives of both orders by numbers alone."""

import numpy as np
import pytest
import scipy.spatial.distance

import symgrad as sg
import symgrad.scipy as sp

from ..helpers.numeric import gradient, slope

D, THEIRS = sp.spatial.distance, scipy.spatial.distance
RNG = np.random.default_rng(63)  # no difference or sum of coordinates is near 0, none near another: kinks
A, B, U, V = RNG.normal(size=(4, 3)), RNG.normal(size=(5, 3)), RNG.normal(size=3), RNG.normal(size=3)
W = np.array([0.4, 1.3, 0.0])
Q = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 1.5]])
METRICS = {
    "euclidean": {}, "sqeuclidean": {}, "cityblock": {}, "chebyshev": {}, "minkowski": {"p": 3}, "cosine": {},
    "correlation": {}, "mahalanobis": {"VI": Q}, "seuclidean": {"V": np.array([0.5, 2.0, 1.0])}, "canberra": {},
    "braycurtis": {},
}  # fmt: skip
CALLS = [
    *METRICS.items(), ("mahalanobis", {}), ("seuclidean", {}), ("minkowski", {}), ("minkowski", {"p": 1.5, "w": W}),
    ("euclidean", {"w": W}), ("cityblock", {"w": W}), ("sqeuclidean", {"w": W}),
    ("chebyshev", {"w": W + 0.1}),
]  # fmt: skip


def weighed(y):
    y = np.ravel(y)
    return (y * np.cos(np.arange(len(y))) + y**2 / 3).sum()


def assert_derivatives(ours, theirs, x):
    """The value is SciPy's; the gradient and the Hessian are those of differences."""
    np.testing.assert_allclose(ours(x), theirs(x), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(ours(sg.tensor(x))), theirs(x), rtol=1e-12)
    want = gradient(lambda x: weighed(theirs(x)), x)
    g = sg.grad(lambda x: weighed(ours(x)))
    np.testing.assert_allclose(g(x), want, rtol=1e-5, atol=1e-7)
    direction = RNG.normal(size=x.shape)
    bend = np.ravel(slope(lambda s: (g(x + s * direction) * direction).sum()))
    second = sg.func.jvp(
        lambda x: (sg.func.grad(lambda x: weighed(ours(x)))(x) * sg.tensor(direction)).sum(),
        (sg.tensor(x),), (sg.tensor(direction),),
    )[1]  # fmt: skip
    np.testing.assert_allclose(second.numpy(), bend[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("metric", "further"), CALLS)
def test_tables_of_distances(metric, further):
    assert_derivatives(
        lambda x: D.cdist(x, B, metric, **further), lambda x: THEIRS.cdist(x, B, metric, **further), A
    )  # fmt: skip
    assert_derivatives(
        lambda x: D.cdist(A, x, metric, **further), lambda x: THEIRS.cdist(A, x, metric, **further), B
    )  # fmt: skip
    assert_derivatives(
        lambda x: D.pdist(x, metric, **further), lambda x: THEIRS.pdist(x, metric, **further), B
    )  # fmt: skip


@pytest.mark.parametrize("metric", METRICS)
def test_distances_of_two_points(metric):
    further = METRICS[metric].values()
    assert_derivatives(
        lambda u: getattr(D, metric)(u, V, *further), lambda u: getattr(THEIRS, metric)(u, V, *further), U
    )


def test_weights_and_matrices_are_differentiated():
    for f in (
        lambda d, w: d.cdist(A, B, "euclidean", w=w**2), lambda d, w: d.cdist(A, B, "seuclidean", V=np.exp(w)),
        lambda d, w: d.cdist(A, B, "mahalanobis", VI=np.diag(w**2) + np.eye(3)),
        lambda d, w: d.cdist(A, B, lambda u, v: (w * (u - v) ** 2).sum()),
    ):  # fmt: skip
        g = sg.grad(lambda w, f=f: weighed(f(D, w)))(U)
        np.testing.assert_allclose(g, gradient(lambda w, f=f: weighed(f(THEIRS, w)), U), rtol=1e-5, atol=1e-7)


def test_squareform_both_ways():
    d = THEIRS.pdist(B)
    assert_derivatives(D.squareform, THEIRS.squareform, d)
    np.testing.assert_allclose(D.squareform(sg.tensor(THEIRS.squareform(d), requires_grad=True)).detach().numpy(), d)
    back = sg.grad(lambda d: weighed(D.squareform(D.squareform(d))))(d)
    np.testing.assert_allclose(back, gradient(weighed, d), rtol=1e-6)
    assert D.squareform(sg.tensor(np.zeros(0), requires_grad=True)).shape == (1, 1)
    with pytest.raises(ValueError, match="symmetric"):
        D.squareform(sg.tensor(np.triu(np.ones((3, 3)), 1), requires_grad=True))
    with pytest.raises(ValueError, match="binomial"):
        D.squareform(sg.tensor(np.ones(4), requires_grad=True))


def test_points_that_coincide_have_the_derivative_0():
    for metric in ("euclidean", "minkowski", "mahalanobis", "chebyshev", "cityblock"):
        f = lambda x, metric=metric: weighed(D.cdist(x, x, metric, **({"VI": Q} if metric == "mahalanobis" else {})))
        g, H = sg.grad(f)(A), sg.hessian(f)(A)
        np.testing.assert_allclose(g, gradient(f, A), rtol=1e-5, atol=1e-7)
        assert np.isfinite(np.asarray(H)).all()


def test_a_length_scale_of_a_kernel():
    kernel = lambda d, s: np.exp(-d.cdist(A / s, B / s, "sqeuclidean") / 2)
    g = sg.grad(lambda s: weighed(kernel(D, s)))(0.8)
    assert g == pytest.approx(slope(lambda s: weighed(kernel(THEIRS, 0.8 + s))), rel=1e-7)


def test_what_is_not_written_or_does_not_fit_says_so():
    x = sg.tensor(A, requires_grad=True)
    with pytest.raises(sg.NotDifferentiableError, match=r"cdist with metric='hamming' has no.*\nThere are euclidean"):
        D.cdist(x, B, "hamming")
    with pytest.raises(ValueError, match="p must be greater than 0"):
        D.cdist(x, B, "minkowski", p=-1)
    with pytest.raises(sg.NotDifferentiableError, match="cdist of cosine with w="):
        D.cdist(x, B, "cosine", w=W)
    with pytest.raises(sg.NotDifferentiableError, match=r"cdist\(out=…\)"):
        D.cdist(x, B, out=np.zeros((4, 5)))
    with pytest.raises(sg.ShapeError, match="points of unlike lengths"):
        D.cdist(x, B[:, :2])
    with pytest.raises(ValueError, match="rows of a matrix"):
        D.pdist(x[0])
    with pytest.raises(ValueError, match="1-D"):
        D.euclidean(x, B)
    with pytest.raises(sg.NotDifferentiableError, match=r"spatial\.distance\.jensenshannon has no derivative rule"):
        D.jensenshannon(x[0], x[1])


def test_other_names_are_scipys():
    assert D.hamming([1, 0], [1, 1]) == 0.5 and sp.spatial.KDTree is scipy.spatial.KDTree
    np.testing.assert_array_equal(D.cdist(A, B, "hamming"), THEIRS.cdist(A, B, "hamming"))
