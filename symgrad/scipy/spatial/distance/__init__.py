"""`scipy.spatial.distance` with derivatives of every order: distances of points, in pairs and in tables.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> x = np.array([[0.0], [1.0], [3.0]])
>>> kernel = lambda l: np.exp(-sp.spatial.distance.cdist(x, x, "sqeuclidean") / (2 * l**2))
>>> sg.grad(lambda l: kernel(l).sum())(1.0).round(4)
np.float64(2.4957)
"""

from ....ops import set_public_names as _settle
from ..._passed_on import passing_on as _passing_on
from .._distances import (
    braycurtis,
    canberra,
    cdist,
    chebyshev,
    cityblock,
    correlation,
    cosine,
    euclidean,
    mahalanobis,
    minkowski,
    pdist,
    seuclidean,
    sqeuclidean,
    squareform,
)

__all__ = [
    "braycurtis", "canberra", "cdist", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "mahalanobis",
    "minkowski", "pdist", "seuclidean", "sqeuclidean", "squareform",
]  # fmt: skip


__getattr__, __dir__ = _passing_on("spatial.distance")


_settle(__name__, globals(), __all__)
