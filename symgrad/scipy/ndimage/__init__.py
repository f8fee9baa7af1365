"""`scipy.ndimage` with derivatives of every order: filters, and images read between their pixels.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> line = np.array([0.0, 1.0, 4.0, 9.0, 16.0])
>>> sg.grad(lambda p: sp.ndimage.map_coordinates(line, [[p]], mode="mirror")[0])(2.0).round(4)
np.float64(3.4286)
"""

from ...ops import set_public_names as _settle
from .._passed_on import passing_on as _passing_on
from ._spline_interpolation import (
    affine_transform,
    map_coordinates,
    rotate,
    shift,
    spline_filter,
    spline_filter1d,
    zoom,
)
from ._window_filters import (
    convolve,
    convolve1d,
    correlate,
    correlate1d,
    gaussian_filter,
    gaussian_filter1d,
    gaussian_gradient_magnitude,
    gaussian_laplace,
    laplace,
    prewitt,
    sobel,
    uniform_filter,
    uniform_filter1d,
)

__all__ = [
    "affine_transform", "convolve", "convolve1d", "correlate", "correlate1d", "gaussian_filter", "gaussian_filter1d",
    "gaussian_gradient_magnitude", "gaussian_laplace", "laplace", "map_coordinates", "prewitt", "rotate", "shift",
    "sobel", "spline_filter", "spline_filter1d", "uniform_filter", "uniform_filter1d", "zoom",
]  # fmt: skip


__getattr__, __dir__ = _passing_on("ndimage")


_settle(__name__, globals(), __all__)
