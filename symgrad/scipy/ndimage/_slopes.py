"""Slopes and curvatures of images, sums of correlations along each axis, under SciPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as _scipy

from ...ops._dims import axes_of, axis_of, rank
from .._mirrored import mirrored
from ._window_filters import _correlated, _for_each, check_output, gaussian_filter


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
def sobel(input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """Return Sobel's slope of an image along one axis.

    Parameters are those of `scipy.ndimage.sobel`; ``output`` is refused.
    """
    check_output(output, "sobel")
    return _slope(input, [1, 2, 1], axis, mode, cval, "sobel")


@mirrored(_scipy.prewitt, "input")
def prewitt(input: Any, axis: int = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    """Return Prewitt's slope of an image along one axis.

    Parameters are those of `scipy.ndimage.prewitt`; ``output`` is refused.
    """
    check_output(output, "prewitt")
    return _slope(input, [1, 1, 1], axis, mode, cval, "prewitt")


@mirrored(_scipy.laplace, "input")
def laplace(input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None) -> Any:
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
    check_output(output, "laplace")
    axes = axes_of(axes, rank(input))
    modes = _for_each(mode, len(axes), "laplace")
    parts = [_weighted(input, [1, -2, 1], k, m, cval, "laplace") for k, m in zip(axes, modes, strict=True)]
    return sum(parts[1:], parts[0]) if parts else input


def _blurred_slopes(x: Any, sigma: Any, order: int, mode: Any, cval: Any, axes: tuple[int, ...], kwargs: Any) -> Any:
    """A derivative of an order along each of the axes, of an image blurred along all."""
    modes = _for_each(mode, len(axes), "gaussian_filter")
    for axis, border in zip(axes, modes, strict=True):
        orders = [order if k == axis else 0 for k in range(rank(x))]
        yield gaussian_filter(x, sigma, orders, None, border, cval, **kwargs)


@mirrored(_scipy.gaussian_laplace, "input")
def gaussian_laplace(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """Return the sum of the second derivatives of an image blurred by a normal density.

    Parameters are those of `scipy.ndimage.gaussian_laplace`; ``sigma`` is differentiated too, with as many neighbours
    as there are at its value. ``output`` is refused.
    """
    check_output(output, "gaussian_laplace")
    axes = axes_of(axes, rank(input))
    each = dict(zip(axes, _for_each(sigma, len(axes), "gaussian_laplace"), strict=True))
    sigmas = [each.get(k, 0) for k in range(rank(input))]
    parts = list(_blurred_slopes(input, sigmas, 2, mode, cval, axes, kwargs))
    return sum(parts[1:], parts[0]) if parts else input


@mirrored(_scipy.gaussian_gradient_magnitude, "input")
def gaussian_gradient_magnitude(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """Return the length of the gradient of an image blurred by a normal density; where it is 0 it has a kink.

    Parameters are those of `scipy.ndimage.gaussian_gradient_magnitude`; ``sigma`` is differentiated too, with as many
    neighbours as there are at its value. ``output`` is refused.
    """
    check_output(output, "gaussian_gradient_magnitude")
    axes = axes_of(axes, rank(input))
    parts = [p * p for p in _blurred_slopes(input, sigma, 1, mode, cval, axes, kwargs)]
    return np.sqrt(sum(parts[1:], parts[0])) if parts else input


__all__ = ["gaussian_gradient_magnitude", "gaussian_laplace", "laplace", "prewitt", "sobel"]
