"""Distances of points under SciPy's names.

The idea to hold: a metric is one formula in two points, along the last axis. ``euclidean(u, v)`` is it of two points,
``cdist`` of all pairs of two sets, ``pdist`` of the pairs within one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.spatial.distance as _scipy

from ..._array import numbers_of
from ..._errors import ShapeError
from ...ops import named, rank, sizes
from .._mirrored import floating, mirrored, refused

# ------------------------------------------------------------------------------------------------------- formulas


def _root(square: Any) -> Any:
    """The square root of what is not negative: as a norm's, its derivatives are 0 where it is 0."""
    return np.where(square == 0, 0.0, np.sqrt(np.where(square == 0, 1.0, square)))


def _norm(u: Any, v: Any, p: Any, w: Any) -> Any:
    apart = u - v
    if not p > 0:
        raise ValueError("p must be greater than 0")
    if w is not None:
        w = floating(w)
        apart = np.where(w > 0, apart, 0.0) if p == np.inf else apart * w ** (1 / p)
    return np.linalg.norm(apart, p, -1)


def _cosine(u: Any, v: Any) -> Any:
    return 1 - (u * v).sum(-1) / (np.linalg.norm(u, axis=-1) * np.linalg.norm(v, axis=-1))


def _centred(u: Any) -> Any:
    return u - np.mean(u, -1, keepdims=True)


METRICS: dict[str, Callable[..., Any]] = {
    "euclidean": lambda u, v, w=None: _norm(u, v, 2, w),
    "sqeuclidean": lambda u, v, w=None: ((u - v) ** 2 * (1.0 if w is None else floating(w))).sum(-1),
    "cityblock": lambda u, v, w=None: _norm(u, v, 1, w),
    "chebyshev": lambda u, v, w=None: _norm(u, v, np.inf, w),
    "minkowski": lambda u, v, p=2, w=None: _norm(u, v, p, w),
    "cosine": _cosine,
    "correlation": lambda u, v, centered=True: _cosine(*((_centred(u), _centred(v)) if centered else (u, v))),
    "mahalanobis": lambda u, v, VI: _root((((u - v) @ VI) * (u - v)).sum(-1)),
    "seuclidean": lambda u, v, V: np.linalg.norm((u - v) / np.sqrt(V), axis=-1),
    "canberra": lambda u, v: _quotients(np.abs(u - v), np.abs(u) + np.abs(v)).sum(-1),
    "braycurtis": lambda u, v: np.abs(u - v).sum(-1) / np.abs(u + v).sum(-1),
}
"""The distance of points u and v (…, d), by SciPy's word for it."""


def _quotients(a: Any, b: Any) -> Any:
    """a/b, 0 where both are."""
    return np.where(b == 0, 0.0, a / np.where(b == 0, 1.0, b))


# ------------------------------------------------------------------------------------------- of sets, and of two points


def _distances(what: str, u: Any, v: Any, metric: Any, further: dict[str, Any], together: Callable[[], Any]) -> Any:
    """The distances of points that broadcast; ``together`` are all in rows, of which variances are estimated."""
    further.pop("out", None)  # refused before, if it is said
    if callable(metric):
        lead = np.broadcast_shapes(sizes(u)[:-1], sizes(v)[:-1])
        rows = [np.broadcast_to(x, (*lead, sizes(x)[-1])).reshape((-1, sizes(x)[-1])) for x in (u, v)]
        found = [metric(a, b, **further) for a, b in zip(*rows, strict=True)]
        return np.stack(found).reshape(lead)
    name = str(metric).lower()
    formula = METRICS.get(name)
    if formula is None:
        raise refused(f"spatial.distance.{what} with metric={metric!r}", "", f"There are {', '.join(METRICS)}.")
    given = {k: option for k, option in further.items() if option is not None}
    if name == "mahalanobis":
        given["VI"] = floating(given["VI"]) if "VI" in given else np.linalg.inv(np.cov(together().T)).T
    if name == "seuclidean":
        given["V"] = floating(given["V"]) if "V" in given else np.var(together(), 0, ddof=1)
    known = formula.__code__.co_varnames[2 : formula.__code__.co_argcount]
    wrong = [k for k in given if k not in known]
    if wrong:
        raise refused(f"spatial.distance.{what} of {name} with {wrong[0]}=", "", "Leave it out.")
    return formula(u, v, **given)


def _expect_rows(what: str, *sets: Any) -> None:
    for x in sets:
        if rank(x) != 2:
            raise ValueError(f"{what}: points stand in the rows of a matrix; the shape of one is {sizes(x)}")
    if len({sizes(x)[1] for x in sets}) > 1:
        raise ShapeError(
            f"{what}: points of unlike lengths", f"The shapes are {', '.join(map(str, map(sizes, sets)))}.", ""
        )


@mirrored(_scipy.cdist, "XA XB")
def cdist(XA: Any, XB: Any, metric: Any, **further: Any) -> Any:
    """Return the distances of the points of one set from those of another, as `scipy.spatial.distance.cdist`.

    Parameters are those of `scipy.spatial.distance.cdist`.

    Parameters
    ----------
    XA, XB : (m, d) and (n, d), differentiable
    metric : euclidean, sqeuclidean, cityblock, chebyshev, minkowski, cosine, correlation, mahalanobis, seuclidean,
        canberra, braycurtis, or a function of two points
    p, w, V, VI : of the metrics that have them; differentiable, but for p

    Returns
    -------
    (m, n)

    Raises
    ------
    NotDifferentiableError : another metric, or an argument that it has not
    ShapeError : points of unlike lengths

    Notes
    -----
    Where two points coincide, a distance that is a root has the derivatives 0; where coordinates tie or are equal,
    chebyshev's and cityblock's have kinks. Cost: m n d numbers at a time.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> a, b = np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]])
    >>> sp.spatial.distance.cdist(a, b)
    array([[5., 1.]])
    >>> sg.grad(lambda a: sp.spatial.distance.cdist(a, b).sum())(a)
    array([[-0.6, -1.8]])
    """
    _expect_rows("cdist", XA, XB)
    return _distances("cdist", XA[:, None], XB[None], metric, further, lambda: np.concatenate([XA, XB]))


@mirrored(_scipy.pdist, "X")
def pdist(X: Any, metric: Any, **further: Any) -> Any:
    """Return the distances of each point from each later one, as `scipy.spatial.distance.pdist`.

    Parameters are those of `scipy.spatial.distance.pdist`.

    Parameters
    ----------
    X : (m, d), differentiable
    metric, and what further it takes : as of `cdist`

    Returns
    -------
    (m (m - 1) / 2,), which `squareform` makes a matrix

    Raises
    ------
    NotDifferentiableError : another metric, or an argument that it has not

    Notes
    -----
    As of `cdist`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(lambda x: sp.spatial.distance.pdist(x, "sqeuclidean"))(np.array([[0.0], [1.0], [3.0]]))[:, :, 0]
    array([[-2.,  2.,  0.],
           [-6.,  0.,  6.],
           [ 0., -4.,  4.]])
    """
    _expect_rows("pdist", X)
    first, second = np.triu_indices(sizes(X)[0], 1)
    return _distances("pdist", X[first], X[second], metric, further, lambda: X)


@mirrored(_scipy.squareform, "X")
def squareform(X: Any, force: str, checks: bool) -> Any:
    """Return the matrix of a vector of distances, or the vector of a matrix, as `scipy.spatial.distance.squareform`.

    Parameters are those of `scipy.spatial.distance.squareform`.

    Parameters
    ----------
    X : (n (n - 1) / 2,) or (n, n), differentiable

    Raises
    ------
    ValueError : no such number of distances; a matrix that is not symmetric or has a diagonal, SciPy's

    Notes
    -----
    Entries are moved, and so are their derivatives. A gradient in a matrix has entries above the diagonal only.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda d: (sp.spatial.distance.squareform(d) ** 2).sum())(np.array([1.0, 2.0, 3.0]))
    array([ 4.,  8., 12.])
    """
    made = _scipy.squareform(numbers_of(X), force, checks)  # says what is wrong
    n = made.shape[0] if rank(X) == 1 else sizes(X)[0]
    above = np.triu_indices(n, 1)
    if rank(X) == 2:
        return X[above]
    if n == 1:
        return np.zeros((1, 1)) + X.sum()
    place = np.zeros((n, n), int)
    place[above] = np.arange(len(above[0]))
    return np.where(np.eye(n) > 0, 0.0, X[place + place.T])


_DOC = """Return the distance of two points, as `scipy.spatial.distance.{name}`.

    Parameters are those of `scipy.spatial.distance.{name}`.

    Parameters
    ----------
    u, v : (d,), differentiable

    Raises
    ------
    NotDifferentiableError : a parameter that `cdist` with this metric has not

    Notes
    -----
    As of `cdist`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> u, v = np.array([1.0, 3.0, 2.0]), np.array([2.0, 1.0, 4.0])
    >>> sg.grad(lambda u: sp.spatial.distance.{call})(u).round(4)
    {slope}
    """
_SLOPES = {
    "euclidean": "array([-0.3333,  0.6667, -0.6667])", "sqeuclidean": "array([-2.,  4., -4.])",
    "cityblock": "array([-1.,  1., -1.])", "chebyshev": "array([-0. ,  0.5, -0.5])",
    "minkowski": "array([-0.3333,  0.6667, -0.6667])", "cosine": "array([-0.0625,  0.1041, -0.125 ])",
    "correlation": "array([ 0.2728,  0.2728, -0.5455])", "mahalanobis": "array([-0.3333,  0.6667, -0.6667])",
    "seuclidean": "array([-0.3333,  0.6667, -0.6667])", "canberra": "array([-0.4444,  0.125 , -0.2222])",
    "braycurtis": "array([-0.1065,  0.0473, -0.1065])",
}  # fmt: skip
_FURTHER = {"mahalanobis": ", np.eye(3)", "seuclidean": ", np.ones(3)"}


def _of_points(name: str) -> Callable[..., Any]:
    def distance(u: Any, v: Any, **further: Any) -> Any:
        if rank(u) != 1 or rank(v) != 1:
            raise ValueError("Input vector should be 1-D.")
        return _distances(name, u, v, name, further, lambda: None)

    doc = _DOC.format(name=name, call=f"{name}(u, v{_FURTHER.get(name, '')})", slope=_SLOPES[name])
    return mirrored(getattr(_scipy, name), "u v")(named(distance, name, doc))


euclidean: Callable[..., Any]
sqeuclidean: Callable[..., Any]
cityblock: Callable[..., Any]
chebyshev: Callable[..., Any]
minkowski: Callable[..., Any]
cosine: Callable[..., Any]
correlation: Callable[..., Any]
braycurtis: Callable[..., Any]
canberra: Callable[..., Any]
mahalanobis: Callable[..., Any]
seuclidean: Callable[..., Any]

(
    euclidean,
    sqeuclidean,
    cityblock,
    chebyshev,
    minkowski,
    cosine,
    correlation,
    mahalanobis,
    seuclidean,
    canberra,
    braycurtis,
) = map(_of_points, METRICS)
