"""Convolution and correlation under SciPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as _scipy

from ...ops._dims import axes_of, kind_of, rank, sizes
from ...ops.filters._borders import widened
from ...ops.filters._sliding_products import CONVOLVE, CORRELATE
from ...ops.linalg._linalg import conj
from .._mirrored import mirrored, refused


def _flipped(x: Any) -> Any:
    return np.flip(x, tuple(range(rank(x))))


def _turned(x: Any) -> Any:
    """What a convolution with is the correlation with x."""
    return _flipped(conj(x) if kind_of(x) == "c" else x)


def centred(x: Any, shape: tuple[int, ...]) -> Any:
    """The middle of an array, of a shape."""
    starts = [(have - want) // 2 for have, want in zip(sizes(x), shape, strict=True)]
    return x[tuple(slice(s, s + want) for s, want in zip(starts, shape, strict=True))]


def _check_mode(mode: str) -> None:
    if mode not in ("full", "same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")


def larger_first(x: Any, w: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Two operands of a 'valid' convolution, the window last."""
    n, k = sizes(x), sizes(w)
    if all(n[i] >= k[i] for i in axes):
        return x, w
    if all(k[i] >= n[i] for i in axes):
        return w, x
    raise ValueError("For 'valid' mode, one must be at least as large as the other in every dimension")


def _convolved(x: Any, w: Any, mode: str, fft: bool, axes: tuple[int, ...], what: str) -> Any:
    """The convolution along axes; the others broadcast."""
    _check_mode(mode)
    if rank(x) != rank(w):
        raise ValueError(f"{what}: in1 and in2 should have the same dimensionality, got {rank(x)} and {rank(w)}")
    if not rank(x):
        return x * w
    if len(axes) > 3:
        raise refused(
            f"signal.{what} along {len(axes)} axes", "It has rules for up to three.", "Leave some axes apart."
        )
    if 0 in (*sizes(x), *sizes(w)):
        return np.zeros(0)
    shape, last = sizes(x), tuple(range(-len(axes), 0))
    if mode == "valid":
        x, w = larger_first(x, w, axes)
        x, w = np.moveaxis(x, axes, last), np.flip(np.moveaxis(w, axes, last), last)
        return np.moveaxis(CORRELATE[len(axes)](x, w, fft), last, axes)
    found = np.moveaxis(CONVOLVE[len(axes)](np.moveaxis(x, axes, last), np.moveaxis(w, axes, last), fft), last, axes)
    return centred(found, shape) if mode == "same" else found


def _by_fft(x: Any, w: Any, mode: str, method: str) -> bool:
    if method == "auto":
        if mode == "valid" or not rank(x) or rank(x) != rank(w) or 0 in (*sizes(x), *sizes(w)):
            mode = "full"
        one, other = (np.broadcast_to(np.zeros((), v.dtype), sizes(v)) for v in (x, w))
        method = "direct" if mode not in ("full", "same") else _scipy.choose_conv_method(one, other, mode)
    if method not in ("direct", "fft"):
        raise ValueError("acceptable method flags are 'auto', 'direct', or 'fft'")
    return method == "fft"


@mirrored(_scipy.convolve, "in1 in2")
def convolve(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """Return the convolution of two arrays of up to three dimensions.

    Parameters are those of `scipy.signal.convolve`. A gradient is a correlation, by the same method.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(lambda w: sp.signal.convolve(np.array([1.0, 2.0]), w))(np.array([3.0, 4.0]))
    array([[1., 0.],
           [2., 1.],
           [0., 2.]])
    """
    return _convolved(in1, in2, mode, _by_fft(in1, in2, mode, method), tuple(range(rank(in1))), "convolve")


@mirrored(_scipy.correlate, "in1 in2")
def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """Return the cross-correlation of two arrays of up to three dimensions; the second is conjugated.

    Parameters are those of `scipy.signal.correlate`.
    """
    fft = _by_fft(in1, in2, mode, method)
    return _convolved(in1, _turned(in2), mode, fft, tuple(range(rank(in1))), "correlate")


def _along(in1: Any, in2: Any, mode: str, axes: Any, what: str) -> Any:
    return _convolved(in1, in2, mode, True, axes_of(axes, rank(in1)), what)


@mirrored(_scipy.fftconvolve, "in1 in2")
def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """Return the convolution along axes (all), by Fourier transforms; other axes broadcast.

    Parameters are those of `scipy.signal.fftconvolve`. Gradients are computed by Fourier transforms too: their error
    is that of the largest entries.
    """
    return _along(in1, in2, mode, axes, "fftconvolve")


@mirrored(_scipy.oaconvolve, "in1 in2")
def oaconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """Return what `fftconvolve` does: where a derivative is taken, there are no blocks.

    Parameters are those of `scipy.signal.oaconvolve`.
    """
    return _along(in1, in2, mode, axes, "oaconvolve")


_BORDERS = {"fill": "constant", "wrap": "wrap", "symm": "reflect"}


def _of_images(x: Any, w: Any, mode: str, boundary: str, fillvalue: Any, what: str, start: Any) -> Any:
    _check_mode(mode)
    if boundary not in _BORDERS:
        raise ValueError("acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm')")
    if rank(x) != 2 or rank(w) != 2:
        raise ValueError(f"{what} inputs must both be 2-D arrays")
    if mode == "valid":
        return _convolved(x, w, mode, False, (0, 1), what)
    if boundary != "fill" and any(k > n for n, k in zip(sizes(x), sizes(w), strict=True)):
        raise refused(
            f"signal.{what}(boundary={boundary!r})", f"The window {sizes(w)} is larger than the image {sizes(x)}.",
            "Exchange them, or pad the image with np.pad.",
        )  # fmt: skip
    wide = x
    for axis, k in enumerate(sizes(w)):
        wide = widened(wide, axis, k - 1, k - 1, _BORDERS[boundary], fillvalue)
    found = CORRELATE[2](wide, _flipped(w), False)
    if mode == "full":
        return found
    places = [start(k) for k in sizes(w)]
    return found[tuple(slice(s, s + n) for s, n in zip(places, sizes(x), strict=True))]


@mirrored(_scipy.convolve2d, "in1 in2")
def convolve2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    """Return the convolution of two matrices; beyond the first is a value, or itself again.

    Parameters are those of `scipy.signal.convolve2d`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> blur = np.ones((2, 2))
    >>> sg.grad(lambda x: sp.signal.convolve2d(x, blur, "same", "wrap")[0, 0])(np.eye(3))
    array([[1., 0., 1.],
           [0., 0., 0.],
           [1., 0., 1.]])
    """
    return _of_images(in1, in2, mode, boundary, fillvalue, "convolve2d", lambda k: (k - 1) // 2)


@mirrored(_scipy.correlate2d, "in1 in2")
def correlate2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    """Return the cross-correlation of two matrices; the second is conjugated.

    Parameters are those of `scipy.signal.correlate2d`.
    """
    return _of_images(in1, _turned(in2), mode, boundary, fillvalue, "correlate2d", lambda k: k // 2)
