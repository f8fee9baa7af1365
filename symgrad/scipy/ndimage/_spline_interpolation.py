"""Images read between their pixels, shifted, turned and scaled, under SciPy's names."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import scipy.ndimage as _scipy

from ...core import Symbol
from ...ops import axis_of, ndarray_of, rank, sizes
from ...ops.filters.linear_filters import ENTRIES, spline_row, widened
from .._mirrored import floating, mirrored, refused
from ._window_filters import _check_mode, _for_each

# -------------------------------------------------------------- Images read between their pixels, under SciPy's names

# The idea to hold: where a point is read, the spline is a sum of few coefficients, each times a polynomial of how far
# the point is from a pixel. Which coefficients these are is constant; the polynomials are differentiated.


_COEFFICIENTS = {"reflect": "reflect", "grid-mirror": "reflect", "nearest": "reflect", "grid-wrap": "grid-wrap"}
"""By mode: how the spline goes on beyond the image; in the others it is mirrored."""

_TAPS = {"reflect": "reflect", "grid-mirror": "reflect", "nearest": "nearest", "grid-wrap": "wrap"}
_AROUND = {"nearest": 12, "grid-constant": 12}
"""By mode: how many pixels SciPy puts around an image that no spline continues exactly."""


def _check(order: Any, least: int, mode: Any, what: str) -> None:
    if order in (4, 5):
        raise refused(f"ndimage.{what}(order={order})", "There are rules of orders up to 3.", "Take order=3.")
    if order not in range(least, 4):
        raise RuntimeError(f"spline order not supported: {order}")
    _check_mode(mode, what)


def _along(x: Any, order: int, axis: int, mode: str) -> Any:
    return np.moveaxis(spline_row(np.moveaxis(x, axis, -1), order, _COEFFICIENTS.get(mode, "mirror")), -1, axis)


@mirrored(_scipy.spline_filter1d, "input")
def spline_filter1d(input: Any, order: int, axis: int, mode: str) -> Any:
    """Return the coefficients of the spline through an image along one axis.

    Parameters are those of `scipy.ndimage.spline_filter1d`; orders are up to 3, and ``output`` is refused.
    """
    _check(order, 0, mode, "spline_filter1d")
    return input if order < 2 else _along(input, order, axis_of(axis, rank(input)), mode)


def _coefficients(x: Any, order: int, mode: str) -> Any:
    for axis in range(rank(x)):
        x = _along(x, order, axis, mode)
    return x


@mirrored(_scipy.spline_filter, "input")
def spline_filter(input: Any, order: int, mode: str) -> Any:
    """Return the coefficients of the spline through an image.

    Parameters are those of `scipy.ndimage.spline_filter`; orders are up to 3, and ``output`` is refused.
    """
    _check(order, 2, mode, "spline_filter")
    return _coefficients(input, order, mode)


def _weights(order: int, t: Any) -> list[Any]:
    """The B-splines at a point that is ``t`` behind the first pixel (order 2: behind the middle one)."""
    if order == 0:
        return [None]
    if order == 1:
        return [1 - t, t]
    if order == 2:
        return [0.5 * (0.5 - t) ** 2, 0.75 - t * t, 0.5 * (0.5 + t) ** 2]
    s = 1 - t
    return [s**3 / 6, (4 - 6 * t**2 + 3 * t**3) / 6, (4 - 6 * s**2 + 3 * s**3) / 6, t**3 / 6]


def _brought_back(p: np.ndarray, n: int, mirror: bool) -> tuple[Any, Any]:
    """The factor and the shift that bring points back between the first pixel and the last one: by mirrors there, or
    by shifts, of SciPy's 'wrap', whose period is a pixel less than the image.

    These are SciPy's steps: between two pixels it matters to order 0 from which side a point comes.
    """
    period = 2 * n - 2 if mirror else n - 1
    if not period:
        return np.where((p < 0) | (p > 0), 0.0, 1.0), 0.0
    turns = period * np.trunc(np.abs(p) / period)
    if not mirror:
        return 1.0, np.where(p < 0, turns + period, np.where(p > period, -turns, 0.0))
    rest = np.abs(p) - turns
    before, behind = p < 0, p > n - 1
    turned = np.where(before, rest < n - 1, behind & (rest >= n))
    shift = np.where(before == turned, -turns, turns + period)
    return np.where(turned, -1.0, 1.0), np.where(before | behind, shift, 0.0)


def _axis_of_points(p: Any, n: int, order: int, mode: str) -> tuple[list[tuple[Any, Any, Any]], Any]:
    """Of one axis: the taps, each with its place, its weight and whether it is within; and which points are."""
    inside = np.ones((), bool)
    if mode == "constant":
        inside = (ndarray_of(p) >= 0) & (ndarray_of(p) <= n - 1)
    elif mode in ("mirror", "wrap"):
        turn, shift = _brought_back(ndarray_of(p), n, mode == "mirror")
        p = p * turn + shift
    half = order % 2 == 0
    first = np.floor(ndarray_of(p) + (0.5 if half else 0.0))
    t = p - first
    start = np.nan_to_num(first, posinf=0, neginf=0).astype(np.int64) - order // 2
    taps: list[tuple[Any, Any, Any]] = []
    for j, weight in enumerate(_weights(order, t)):
        k = start + j
        if mode == "grid-constant":
            taps.append((np.clip(k, 0, n - 1), weight, (k >= 0) & (k < n)))
        else:
            taps.append((ENTRIES[_TAPS.get(mode, "mirror")](k, n), weight, True))
    return taps, inside


def _read(x: Any, points: list[Any], order: int, mode: str, cval: Any) -> Any:
    """Coefficients read at points; a list of as many arrays as there are axes."""
    axes = [_axis_of_points(p, n, order, mode) for p, n in zip(points, sizes(x), strict=True)]
    total = 0.0
    for corner in itertools.product(*[taps for taps, _ in axes]):
        seen = x[tuple(np.broadcast_arrays(*[place for place, _, _ in corner]))]
        within = True
        for _, weight, here in corner:
            within = within & here
            seen = seen if weight is None else seen * weight
        if within is not True:
            filler = cval
            for _, weight, _ in corner:
                filler = filler if weight is None else filler * weight
            seen = np.where(within, seen, filler)
        total = total + seen
    inside = np.logical_and.reduce(np.broadcast_arrays(*[i for _, i in axes]))
    return total if inside.all() else np.where(inside, total, cval)


def _interpolated(x: Any, points: list[Any], order: int, mode: str, cval: Any, prefilter: bool, what: str) -> Any:
    _check(order, 0, mode, what)
    if any(isinstance(p, Symbol) for p in points):
        raise refused(
            f"ndimage.{what} at symbols", "Which pixels are near them is not known.", "Give the points in numbers."
        )
    if prefilter and order > 1:
        if count := _AROUND.get(mode):
            for axis in range(rank(x)):
                x = widened(x, axis, count, count, mode, cval)
            points = [p + count for p in points]
        x = _coefficients(x, order, mode)
    return _read(x, points, order, mode, cval)


@mirrored(_scipy.map_coordinates, "input")
def map_coordinates(input: Any, coordinates: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
    """Return an image read at points, by splines of an order from 0 to 3.

    Parameters are those of `scipy.ndimage.map_coordinates`; the image and the coordinates are differentiated, and
    ``output`` is refused. Outside the image, in the mode 'constant', the gradient of
    a point is 0. With ``order=1`` there is a kink at each pixel, and the derivative there is that of one side.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> image = np.arange(6.0).reshape(2, 3) ** 2
    >>> sg.jacobian(lambda p: sp.ndimage.map_coordinates(image, p, order=1))(np.array([[0.5], [0.25]]))
    array([[[10.5],
            [ 4. ]]])
    """
    coordinates = floating(coordinates)
    if rank(input) < 1 or rank(coordinates) < 2:
        raise RuntimeError("input and output rank must be > 0")
    if sizes(coordinates)[0] != rank(input):
        raise RuntimeError(
            f"invalid shape for coordinate array: {sizes(coordinates)} for an image of {rank(input)} axes"
        )
    points = [coordinates[k] for k in range(rank(input))]
    return _interpolated(input, points, order, mode, cval, prefilter, "map_coordinates")


@mirrored(_scipy.affine_transform, "input")
def affine_transform(
    input: Any, matrix: Any, offset: Any, output_shape: Any, order: int, mode: str, cval: Any, prefilter: bool
) -> Any:
    """Return an image read at ``matrix @ k + offset`` for each pixel k of the result.

    Parameters are those of `scipy.ndimage.affine_transform`; the image, the matrix and the offset are differentiated,
    and ``output`` is refused.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> line = np.array([0.0, 1.0, 4.0, 9.0])
    >>> sg.jacobian(lambda b: sp.ndimage.affine_transform(line, [[0.5]], b, order=1))(np.array([0.25])).round(4)
    array([[1.],
           [1.],
           [3.],
           [3.]])
    """
    matrix, offset, n = floating(matrix), floating(offset), rank(input)
    if rank(matrix) not in (1, 2):
        raise RuntimeError("no proper affine matrix provided")
    if rank(matrix) == 2 and sizes(matrix)[1] == n + 1 and sizes(matrix)[0] in (n, n + 1):
        if sizes(matrix)[0] == n + 1 and not np.array_equal(ndarray_of(matrix)[n], [0] * n + [1]):
            raise ValueError(f"Expected the bottom row of a homogeneous matrix to be {[0] * n + [1]}, got {matrix[n]}")
        offset, matrix = matrix[:n, n], matrix[:n, :n]
    shape = sizes(input) if output_shape is None else tuple(int(k) for k in output_shape)
    if sizes(matrix)[0] != n:
        raise RuntimeError("affine matrix has wrong number of rows")
    if rank(matrix) == 2 and sizes(matrix)[1] != len(shape):
        raise RuntimeError("affine matrix has wrong number of columns")
    places = np.indices(shape, dtype=np.float64)
    points = []
    for i in range(n):
        moved = matrix[i] * places[i] if rank(matrix) == 1 else sum(matrix[i, j] * places[j] for j in range(len(shape)))
        points.append(moved + (offset[i] if rank(offset) else offset))
    return _interpolated(input, points, order, mode, cval, prefilter, "affine_transform")


# ----------------- Images shifted, turned and scaled, under SciPy's names: read at points that follow from the pixels


@mirrored(_scipy.shift, "input")
def shift(input: Any, shift: Any, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
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
    places = np.indices(sizes(input), dtype=np.float64)
    points = [p - d for p, d in zip(places, _for_each(shift, rank(input), "shift"), strict=True)]
    return _interpolated(input, points, order, mode, cval, prefilter, "shift")


@mirrored(_scipy.zoom, "input")
def zoom(input: Any, zoom: Any, order: int, mode: str, cval: Any, prefilter: bool, grid_mode: bool) -> Any:
    """Return an image with so many times as many pixels along each axis, by splines of an order from 0 to 3.

    Parameters are those of `scipy.ndimage.zoom`; the image is differentiated. ``zoom`` is a constant, for it says how
    many pixels there are; ``output`` is refused.
    """
    factors = _for_each(zoom, rank(input), "zoom")
    if any(getattr(f, "requires_grad", False) or isinstance(f, Symbol) for f in factors):
        raise refused("ndimage.zoom in zoom", "It says how many pixels there are.", "Use map_coordinates.")
    factors = [float(ndarray_of(f)) for f in factors]
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
    quarters = np.round(float(ndarray_of(angle)) / 90)
    rest = (angle - 90 * quarters) * (np.pi / 180)
    c, s = np.cos(rest), np.sin(rest)
    return ((c, s), (-s, c), (-c, -s), (s, -c))[int(quarters) % 4]


@mirrored(_scipy.rotate, "input")
def rotate(input: Any, angle: Any, axes: Any, reshape: bool, order: int, mode: str, cval: Any, prefilter: bool) -> Any:
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
        turned = np.array([[ndarray_of(c), ndarray_of(s)], [-ndarray_of(s), ndarray_of(c)]], float)
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
