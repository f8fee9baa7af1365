"""Filters that slide a window over an image, slopes and curvatures, under SciPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as _scipy

from ...core import Symbol, Tensor
from ...ops import axes_of, axis_of, ndarray_of, rank, sizes
from ...ops.filters.linear_filters import CORRELATE, MODES, widened
from .._mirrored import mirrored, refused

# ----------------------------------------------------- Filters that slide a window over an image, under SciPy's names


def _check_mode(mode: Any, what: str) -> None:
    if mode not in MODES:
        raise RuntimeError(f"boundary mode not supported: {mode!r} of {what}; there are {', '.join(MODES)}")


def _for_each(value: Any, count: int, what: str) -> list[Any]:
    """One value for each axis, of one for all or of a sequence."""
    many = isinstance(value, (list, tuple)) or (isinstance(value, (Tensor, np.ndarray)) and rank(value) > 0)
    if not many:
        return [value] * count
    found = [value[k] for k in range(len(value))]
    if len(found) != count:
        raise RuntimeError(
            f"{what}: sequence argument must have length equal to input rank ({count}, it has {len(found)})"
        )
    return found


def _correlated(x: Any, w: Any, axes: tuple[int, ...], mode: str, cval: Any, origins: list[int], what: str) -> Any:
    """``y[k] = sum(x[k + j - centre] * w[j])`` along axes; as long as ``x``."""
    _check_mode(mode, what)
    if len(axes) > 3:
        raise refused(
            f"ndimage.{what} along {len(axes)} axes", "It has rules for up to three.", "Leave some axes apart."
        )
    lengths, last = sizes(w), tuple(range(-len(axes), 0))
    for axis, k, origin in zip(axes, lengths, origins, strict=True):
        if not 0 <= k // 2 + origin < k:
            raise ValueError(
                "invalid origin; origin must satisfy -(weights.shape[k] // 2) <= origin[k] <= (weights.shape[k]-1) // 2"
            )
        before = k // 2 + origin
        x = widened(x, axis, before, k - 1 - before, mode, cval)
    return np.moveaxis(CORRELATE[len(axes)](np.moveaxis(x, axes, last), w, False), last, axes)


def _filtered(x: Any, w: Any, mode: Any, cval: Any, origin: Any, axes: Any, turned: bool, what: str) -> Any:
    if not isinstance(mode, str):
        raise RuntimeError("A sequence of modes is not supported")
    axes = axes_of(axes, rank(x))
    if rank(w) != len(axes):
        raise RuntimeError(f"{what}: weights.ndim ({rank(w)}) must match len(axes) ({len(axes)})")
    if 0 in sizes(w):
        raise RuntimeError(f"{what}: there are no weights")
    origins = [int(o) for o in _for_each(origin, len(axes), what)]
    if turned:
        w = np.flip(w, tuple(range(rank(w))))
        origins = [-o - (k % 2 == 0) for o, k in zip(origins, sizes(w), strict=True)]
    return _correlated(x, w, axes, mode, cval, origins, what)


@mirrored(_scipy.correlate, "input weights")
def correlate(input: Any, weights: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Any:
    """Return an image correlated with weights, along up to three axes; as large as the image.

    Parameters are those of `scipy.ndimage.correlate`; the image and the weights are differentiated, and ``output`` is
    refused.
    """
    return _filtered(input, weights, mode, cval, origin, axes, False, "correlate")


@mirrored(_scipy.convolve, "input weights")
def convolve(input: Any, weights: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Any:
    """Return an image convolved with weights, along up to three axes; as large as the image.

    Parameters are those of `scipy.ndimage.convolve`; the image and the weights are differentiated, and ``output`` is
    refused.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(lambda w: sp.ndimage.convolve(np.array([1.0, 2.0, 4.0]), w))(np.ones(2))
    array([[2., 1.],
           [4., 2.],
           [4., 4.]])
    """
    return _filtered(input, weights, mode, cval, origin, axes, True, "convolve")


@mirrored(_scipy.correlate1d, "input weights")
def correlate1d(input: Any, weights: Any, axis: int, mode: Any, cval: Any, origin: Any) -> Any:
    """Return an image correlated with weights along one axis.

    Parameters are those of `scipy.ndimage.correlate1d`; ``output`` is refused.
    """
    return _filtered(input, weights, mode, cval, origin, axis_of(axis, rank(input)), False, "correlate1d")


@mirrored(_scipy.convolve1d, "input weights")
def convolve1d(input: Any, weights: Any, axis: int, mode: Any, cval: Any, origin: Any) -> Any:
    """Return an image convolved with weights along one axis.

    Parameters are those of `scipy.ndimage.convolve1d`; ``output`` is refused.
    """
    return _filtered(input, weights, mode, cval, origin, axis_of(axis, rank(input)), True, "convolve1d")


# ------------------------------------------------------------------------------------------------- means, bells


def _mean(x: Any, size: Any, axis: int, mode: str, cval: Any, origin: int, what: str) -> Any:
    size = int(size)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    if not 0 <= size // 2 + origin < size:
        raise ValueError("invalid origin")
    return _correlated(x, np.full(size, 1 / size, x.dtype), (axis,), mode, cval, [origin], what)


@mirrored(_scipy.uniform_filter1d, "input")
def uniform_filter1d(input: Any, size: Any, axis: int, mode: Any, cval: Any, origin: Any) -> Any:
    """Return the means of ``size`` neighbours along one axis.

    Parameters are those of `scipy.ndimage.uniform_filter1d`; ``output`` is refused.
    """
    return _mean(input, size, axis_of(axis, rank(input)), mode, cval, origin, "uniform_filter1d")


@mirrored(_scipy.uniform_filter, "input")
def uniform_filter(input: Any, size: Any, mode: Any, cval: Any, origin: Any, axes: Any) -> Any:
    """Return the means of ``size`` neighbours along each axis.

    Parameters are those of `scipy.ndimage.uniform_filter`; ``output`` is refused.
    """
    axes = axes_of(axes, rank(input))
    each = [_for_each(v, len(axes), "uniform_filter") for v in (size, mode, origin)]
    for axis, length, border, place in zip(axes, *each, strict=True):
        if length > 1:
            input = _mean(input, length, axis, border, cval, place, "uniform_filter")
    return input


def _bell(sigma: Any, order: int, truncate: float, radius: Any, what: str) -> Any:
    """The weights of a normal density's derivative; of its neighbours up to the radius."""
    if isinstance(sigma, Symbol):
        raise refused(
            f"ndimage.{what} of a symbol as sigma",
            "How many neighbours count is not known.",
            "Give a radius in numbers.",
        )
    if int(order) != order or order < 0:
        raise ValueError("order must be non-negative")
    size = int(truncate * float(ndarray_of(sigma)) + 0.5) if radius is None else radius
    if size < 0 or int(size) != size:
        raise ValueError("Radius must be a nonnegative integer.")
    x = np.arange(-size, size + 1, dtype=np.float64) / sigma
    weights = np.exp(-0.5 * x**2)
    weights = weights / weights.sum()
    if not order:
        return weights
    factors = np.polynomial.hermite_e.herme2poly([0] * int(order) + [1])
    return weights * sum(c * x**k for k, c in enumerate(factors) if c) / sigma**order  # of the window that is turned


def _blurred(
    x: Any, sigma: Any, axis: int, order: int, mode: str, cval: Any, truncate: float, radius: Any, what: str
) -> Any:
    w = _bell(sigma, order, truncate, radius, what)
    w = w.astype(np.empty(0, x.dtype).real.dtype) if not isinstance(w, Tensor) else w
    return _correlated(x, w, (axis,), mode, cval, [0], what)


@mirrored(_scipy.gaussian_filter1d, "input")
def gaussian_filter1d(
    input: Any, sigma: Any, axis: int, order: int, mode: Any, cval: Any, truncate: float, radius: Any
) -> Any:
    """Return an image blurred along one axis by a normal density, or by a derivative of it.

    Parameters are those of `scipy.ndimage.gaussian_filter1d`; ``sigma`` is differentiated too, with as many neighbours
    as there are at its value. ``output`` is refused.
    """
    axis = axis_of(axis, rank(input))
    return _blurred(input, sigma, axis, order, mode, cval, truncate, radius, "gaussian_filter1d")


@mirrored(_scipy.gaussian_filter, "input")
def gaussian_filter(
    input: Any, sigma: Any, order: Any, mode: Any, cval: Any, truncate: float, radius: Any, axes: Any
) -> Any:
    """Return an image blurred along each axis by a normal density, or by a derivative of it.

    Parameters are those of `scipy.ndimage.gaussian_filter`; ``sigma`` is differentiated too, with as many neighbours as
    there are at its value. ``output`` is refused.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> image = np.eye(5)
    >>> sg.grad(lambda s: sp.ndimage.gaussian_filter(image, s)[2, 2])(1.0).round(4)
    np.float64(-0.2702)
    """
    axes = axes_of(axes, rank(input))
    each = [_for_each(v, len(axes), "gaussian_filter") for v in (sigma, order, mode, radius)]
    for axis, width, derivative, border, reach in zip(axes, *each, strict=True):
        if isinstance(width, Tensor) or width > 1e-15:
            input = _blurred(input, width, axis, derivative, border, cval, truncate, reach, "gaussian_filter")
    return input


# ------------------------- Slopes and curvatures of images, sums of correlations along each axis, under SciPy's names


def _weighted(x: Any, weights: list[float], axis: int, mode: str, cval: Any, what: str) -> Any:
    w = np.array(weights, np.empty(0, x.dtype).real.dtype)
    return _correlated(x, w, (axis,), mode, cval, [0], what)


def _slope(x: Any, beside: list[float], axis: int, mode: Any, cval: Any, what: str) -> Any:
    axis, modes = axis_of(axis, rank(x)), _for_each(mode, rank(x), what)
    x = _weighted(x, [-1, 0, 1], axis, modes[axis], cval, what)
    for other in range(rank(x)):
        if other != axis:
            x = _weighted(x, beside, other, modes[other], cval, what)
    return x


@mirrored(_scipy.sobel, "input")
def sobel(input: Any, axis: int, mode: Any, cval: Any) -> Any:
    """Return Sobel's slope of an image along one axis.

    Parameters are those of `scipy.ndimage.sobel`; ``output`` is refused.
    """
    return _slope(input, [1, 2, 1], axis, mode, cval, "sobel")


@mirrored(_scipy.prewitt, "input")
def prewitt(input: Any, axis: int, mode: Any, cval: Any) -> Any:
    """Return Prewitt's slope of an image along one axis.

    Parameters are those of `scipy.ndimage.prewitt`; ``output`` is refused.
    """
    return _slope(input, [1, 1, 1], axis, mode, cval, "prewitt")


@mirrored(_scipy.laplace, "input")
def laplace(input: Any, mode: Any, cval: Any, axes: Any) -> Any:
    """Return the sum of an image's second differences along its axes.

    Parameters are those of `scipy.ndimage.laplace`; ``output`` is refused.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(lambda x: sp.ndimage.laplace(x)[1])(np.arange(4.0))
    array([ 1., -2.,  1.,  0.])
    """
    axes = axes_of(axes, rank(input))
    modes = _for_each(mode, len(axes), "laplace")
    parts = [_weighted(input, [1, -2, 1], k, m, cval, "laplace") for k, m in zip(axes, modes, strict=True)]
    return sum(parts[1:], parts[0]) if parts else input


def _blurred_slopes(x: Any, sigma: Any, order: int, mode: Any, cval: Any, axes: tuple[int, ...], kwargs: Any) -> Any:
    """A derivative of an order along each of the axes, of an image blurred along all."""
    modes = _for_each(mode, len(axes), "gaussian_filter")
    for axis, border in zip(axes, modes, strict=True):
        orders = [order if k == axis else 0 for k in range(rank(x))]
        yield gaussian_filter(x, sigma, orders, mode=border, cval=cval, **kwargs)


@mirrored(_scipy.gaussian_laplace, "input")
def gaussian_laplace(input: Any, sigma: Any, mode: Any, cval: Any, axes: Any, **kwargs: Any) -> Any:
    """Return the sum of the second derivatives of an image blurred by a normal density.

    Parameters are those of `scipy.ndimage.gaussian_laplace`; ``sigma`` is differentiated too, with as many neighbours
    as there are at its value. ``output`` is refused.
    """
    axes = axes_of(axes, rank(input))
    each = dict(zip(axes, _for_each(sigma, len(axes), "gaussian_laplace"), strict=True))
    sigmas = [each.get(k, 0) for k in range(rank(input))]
    parts = list(_blurred_slopes(input, sigmas, 2, mode, cval, axes, kwargs))
    return sum(parts[1:], parts[0]) if parts else input


@mirrored(_scipy.gaussian_gradient_magnitude, "input")
def gaussian_gradient_magnitude(input: Any, sigma: Any, mode: Any, cval: Any, axes: Any, **kwargs: Any) -> Any:
    """Return the length of the gradient of an image blurred by a normal density; where it is 0 it has a kink.

    Parameters are those of `scipy.ndimage.gaussian_gradient_magnitude`; ``sigma`` is differentiated too, with as many
    neighbours as there are at its value. ``output`` is refused.
    """
    axes = axes_of(axes, rank(input))
    parts = [p * p for p in _blurred_slopes(input, sigma, 1, mode, cval, axes, kwargs)]
    return np.sqrt(sum(parts[1:], parts[0])) if parts else input
