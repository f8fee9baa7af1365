"""`scipy.interpolate` with derivatives of every order, in the data and in the points.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> x = np.linspace(0.0, 3.0, 7)
>>> sg.grad(lambda v: sp.interpolate.CubicSpline(x, x**3)(v))(2.0).round(6)
np.float64(12.0)
"""

from ...ops import set_public_names as _settle
from .._passed_on import passing_on as _passing_on
from ._bsplines import BSpline, make_interp_spline, make_lsq_spline
from ._piecewise import Akima1DInterpolator, CubicHermiteSpline, CubicSpline, PchipInterpolator, PPoly
from ._value_tables import RegularGridInterpolator, interp1d

__all__ = [
    "Akima1DInterpolator", "BSpline", "CubicHermiteSpline", "CubicSpline", "PPoly", "PchipInterpolator",
    "RegularGridInterpolator", "interp1d", "make_interp_spline", "make_lsq_spline",
]  # fmt: skip


__getattr__, __dir__ = _passing_on("interpolate")


_settle(__name__, globals(), __all__)
