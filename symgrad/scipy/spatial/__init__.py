"""`scipy.spatial`: distances with derivatives (`distance`); trees, hulls and rotations are SciPy's own.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> sg.grad(lambda x: sp.spatial.distance.pdist(x).sum())(np.array([[0.0, 0.0], [3.0, 4.0]]))
array([[-0.6, -0.8],
       [ 0.6,  0.8]])
"""

from typing import TYPE_CHECKING

from .._passed_on import passing_on as _passing_on

__all__ = ["distance"]


if TYPE_CHECKING:
    from . import distance

__getattr__, __dir__ = _passing_on("spatial")
