"""Images shifted, turned and scaled, under SciPy's names: read at points that follow from the pixels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.ndimage as _scipy

from ...core import Symbol
from ...ops._dims import rank, sizes
from .._mirrored import floating, mirrored, refused
from ._spline_interpolation import _interpolated, _values
from ._window_filters import _for_each, check_output


@mirrored(_scipy.shift, "input")
def shift(
    input: Any, shift: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:  # fmt: skip
    """Return an image moved by so many pixels along each axis, by splines of an order from 0 to 3.

    Parameters are those of `scipy.ndimage.shift`; the image and the shift are differentiated, and ``output`` is
    refused.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> line = np.array([0.0, 1.0, 4.0, 9.0])
    >>> sg.jacobian(lambda d: sp.ndimage.shift(line, d, order=1))(0.5)
    array([ 0., -1., -3., -5.])
    """
    check_output(output, "shift")
    places = np.indices(sizes(input), dtype=np.float64)
    points = [p - d for p, d in zip(places, _for_each(shift, rank(input), "shift"), strict=True)]
    return _interpolated(input, points, order, mode, cval, prefilter, "shift")


@mirrored(_scipy.zoom, "input")
def zoom(
    input: Any, zoom: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
    prefilter: bool = True, *, grid_mode: bool = False,
) -> Any:  # fmt: skip
    """Return an image with so many times as many pixels along each axis, by splines of an order from 0 to 3.

    Parameters are those of `scipy.ndimage.zoom`; the image is differentiated. ``zoom`` is a constant, for it says how
    many pixels there are; ``output`` is refused.
    """
    check_output(output, "zoom")
    factors = _for_each(zoom, rank(input), "zoom")
    if any(getattr(f, "requires_grad", False) or isinstance(f, Symbol) for f in factors):
        raise refused("ndimage.zoom in zoom", "It says how many pixels there are.", "Use map_coordinates.")
    factors = [float(_values(f)) for f in factors]
    if prefilter and all(f == 1 for f in factors):
        return input
    lengths = [round(n * f) for n, f in zip(sizes(input), factors, strict=True)]
    if grid_mode and mode in ("constant", "wrap"):
        warnings.warn(
            f"It is recommended to use mode = grid-{mode} instead of {mode} when grid_mode is True.", stacklevel=2
        )
    edge = 0 if grid_mode else 1  # pixels are areas, or points: as many steps as pixels, or one less
    steps = [(n - edge) / (m - edge) if m != edge else 1.0 for n, m in zip(sizes(input), lengths, strict=True)]
    places = zip(np.indices(lengths, dtype=np.float64), steps, strict=True)
    points = [p * s + (0.5 * s - 0.5 if grid_mode else 0.0) for p, s in places]
    return _interpolated(input, points, order, mode, cval, prefilter, "zoom")


def _turn(angle: Any) -> tuple[Any, Any]:
    """Cosine and sine of degrees, exact at right angles: a pixel must not fall out of the image by rounding."""
    quarters = np.round(float(_values(angle)) / 90)
    rest = (angle - 90 * quarters) * (np.pi / 180)
    c, s = np.cos(rest), np.sin(rest)
    return ((c, s), (-s, c), (-c, -s), (s, -c))[int(quarters) % 4]


@mirrored(_scipy.rotate, "input")
def rotate(
    input: Any, angle: Any, axes: Any = (1, 0), reshape: bool = True, output: Any = None, order: int = 3,
    mode: str = "constant", cval: Any = 0.0, prefilter: bool = True,
) -> Any:  # fmt: skip
    """Return an image turned by an angle in degrees, in the plane of two axes, by splines of an order from 0 to 3.

    Parameters are those of `scipy.ndimage.rotate`; the image and the angle are differentiated, with ``reshape`` at the
    number of pixels that there are at its value. ``output`` is refused.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> image = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 4.0], [0.0, 0.0, 0.0]])
    >>> sg.grad(lambda a: sp.ndimage.rotate(image, a, reshape=False, order=1, mode="nearest")[1, 2])(10.0).round(4)
    np.float64(-0.0755)
    """
    check_output(output, "rotate")
    if rank(input) < 2:
        raise ValueError("input array should be at least 2D")
    if len(axes) != 2 or any(int(k) != k for k in axes):
        raise ValueError("axes should contain exactly two values, whole numbers")
    plane = tuple(sorted(int(k) + rank(input) if k < 0 else int(k) for k in axes))
    if not 0 <= plane[0] <= plane[1] < rank(input):
        raise ValueError("invalid rotation plane specified")
    if isinstance(angle, Symbol):
        raise refused("ndimage.rotate of a symbol as angle", "Which pixels are near is not known.", "Give a number.")
    c, s = _turn(floating(angle))
    lengths = np.array([sizes(input)[k] for k in plane])
    found = lengths
    if reshape:
        turned = np.array([[_values(c), _values(s)], [-_values(s), _values(c)]], float)
        corners = turned @ [[0, 0, lengths[0], lengths[0]], [0, lengths[1], 0, lengths[1]]]
        found = (np.ptp(corners, axis=1) + 0.5).astype(int)
    i, j = np.indices(tuple(found), dtype=np.float64) - ((found - 1) / 2)[:, None, None]
    centre = (lengths - 1) / 2
    points = [c * i + s * j + centre[0], c * j - s * i + centre[1]]
    planes = np.moveaxis(input, plane, (-2, -1))
    lead = sizes(planes)[:-2]
    if not lead:
        return _interpolated(planes, points, order, mode, cval, prefilter, "rotate")
    parts = [_interpolated(planes[at], points, order, mode, cval, prefilter, "rotate") for at in np.ndindex(*lead)]
    return np.moveaxis(np.stack(parts).reshape((*lead, *found.tolist())), (-2, -1), plane)


__all__ = ["rotate", "shift", "zoom"]
