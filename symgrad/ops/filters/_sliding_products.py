"""Convolution of signals, images and volumes with a window.

The idea to hold: there are two products, all of a convolution and the part of a correlation where the window is within
the signal. Each is the adjoint of the other, in the signal and in the window, so that no third one is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import multilinear
from ..linalg._contract import fit


def _dims(dims: int) -> tuple[int, ...]:
    return tuple(range(-dims, 0))


def _slid(x: np.ndarray, w: np.ndarray, dims: int, fft: bool) -> np.ndarray:
    """``y[k] = sum(x[k + j] * w[j])``, for all k for which there are such entries of x."""
    if fft:
        from scipy.signal import fftconvolve

        lead = np.broadcast_shapes(x.shape[:-dims], w.shape[:-dims])
        x, w = (np.broadcast_to(v, lead + v.shape[-dims:]) for v in (x, w))
        return np.asarray(fftconvolve(x, np.flip(w, _dims(dims)), "valid", axes=_dims(dims)))
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[-dims:], _dims(dims))
    return np.einsum(windows, [..., *range(2 * dims)], w, [..., *range(dims, 2 * dims)], [..., *range(dims)])


def _spread(x: np.ndarray, w: np.ndarray, dims: int, fft: bool) -> np.ndarray:
    """``y[k + j]``, to which all ``x[k] * w[j]`` are added."""
    if fft:
        from scipy.signal import fftconvolve

        lead = np.broadcast_shapes(x.shape[:-dims], w.shape[:-dims])
        x, w = (np.broadcast_to(v, lead + v.shape[-dims:]) for v in (x, w))
        return np.asarray(fftconvolve(x, w, "full", axes=_dims(dims)))
    widths = [(0, 0)] * (x.ndim - dims) + [(k - 1, k - 1) for k in w.shape[-dims:]]
    return _slid(np.pad(x, widths), np.flip(w, _dims(dims)), dims, False)


def _rows(dims: int, suffix: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[Any, Any]:
    def sample(rng: Any) -> Any:
        return [rng.normal(size=s) for s in shapes], (False,)

    facts: dict[str, Any] = {"means": "option", "last": dims, "sample": sample}
    convolve: Callable[..., Any]
    correlate: Callable[..., Any]
    convolve = multilinear(
        f"convolve_{suffix}", lambda a, b, fft: _spread(a, b, dims, fft),
        lambda g, b, fft, shape_a: fit(correlate(g, b, fft), shape_a),
        lambda g, a, fft, shape_b: fit(correlate(g, a, fft), shape_b),
        doc=f"all of the convolution of the last {dims} axes", **facts,
    )  # fmt: skip
    correlate = multilinear(
        f"correlate_{suffix}", lambda a, b, fft: _slid(a, b, dims, fft),
        lambda g, b, fft, shape_a: fit(convolve(g, b, fft), shape_a),
        lambda g, a, fft, shape_b: fit(correlate(a, g, fft), shape_b),
        doc=f"the correlation of the last {dims} axes, where the second operand is within the first", **facts,
    )  # fmt: skip
    return convolve, correlate


CONVOLVE: dict[int, Any] = {}
"""By how many axes: ``row(x, w, fft)``; with ``fft``, by Fourier transforms."""

CORRELATE: dict[int, Any] = {}
"""The same: ``row(x, w, fft)`` is the sum of ``x[k + j] * w[j]``."""

_SHAPES = {1: ("line", ((2, 6), (3,))), 2: ("image", ((4, 5), (2, 3))), 3: ("volume", ((3, 2, 4), (2, 2, 3)))}
for _count, (_suffix, _sizes) in _SHAPES.items():
    CONVOLVE[_count], CORRELATE[_count] = _rows(_count, _suffix, _sizes)
