"""Filters: convolution with a window, recursion, the coefficients of splines, and what is beyond the border."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import Symbol, Tensor, general, linear, multilinear
from ..linalg.contract import fit
from ..linalg.linear_systems import LinAlgError
from ..samples import sampled
from ..shape.joins import border_pad, constant_pad

# ----------------------------- What is beyond an array, as SciPy's filters read it: by mode, which entry stands there


ENTRIES: dict[str, Any] = {
    "reflect": lambda k, n: np.minimum(k % (2 * n), 2 * n - 1 - k % (2 * n)),
    "nearest": lambda k, n: np.clip(k, 0, n - 1),
    "mirror": lambda k, n: (
        np.minimum(k % max(2 * n - 2, 1), max(2 * n - 2, 1) - k % max(2 * n - 2, 1)) if n > 1 else 0 * k
    ),
    "wrap": lambda k, n: k % n,
}
"""By mode: the entry of an axis of length n that stands at the places k."""

SAME = {"grid-mirror": "reflect", "grid-wrap": "wrap", "grid-constant": "constant"}
"""Other names of modes, of filters."""

MODES = (*ENTRIES, "constant", *SAME)


def widened(x: Any, axis: int, before: int, behind: int, mode: str, value: Any) -> Any:
    """``x`` with so many entries more along an axis; numbers below 0 crop."""
    mode, n, rank = SAME.get(mode, mode), int(x.shape[axis]), len(x.shape)
    if mode == "constant":
        amounts = tuple((before, behind) if k == axis else (0, 0) for k in range(rank))
        if not isinstance(value, (Tensor, Symbol)):
            return constant_pad(x, amounts, value)
        beyond = constant_pad(np.zeros(tuple(x.shape), x.dtype), amounts, 1)
        return constant_pad(x, amounts, 0) + value * beyond
    places = ENTRIES[mode](np.arange(-before, n + behind), n)
    return border_pad(x, tuple(places if k == axis else None for k in range(rank)))


# ----------------------------------------------------------- Convolution of signals, images and volumes with a window

# The idea to hold: there are two products, all of a convolution and the part of a correlation where the window is
# within the signal. Each is the adjoint of the other, in the signal and in the window, so that no third one is needed.


def _dims(dims: int) -> tuple[int, ...]:
    return tuple(range(-dims, 0))


def _by_fft(x: np.ndarray, w: np.ndarray, dims: int, mode: str) -> np.ndarray:
    from scipy.signal import fftconvolve

    lead = np.broadcast_shapes(x.shape[:-dims], w.shape[:-dims])
    return np.asarray(fftconvolve(*[np.broadcast_to(v, lead + v.shape[-dims:]) for v in (x, w)], mode, _dims(dims)))


def _slid(x: np.ndarray, w: np.ndarray, dims: int, fft: bool) -> np.ndarray:
    """``y[k] = sum(x[k + j] * w[j])``, for all k for which there are such entries of x."""
    if fft:
        return _by_fft(x, np.flip(w, _dims(dims)), dims, "valid")
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[-dims:], _dims(dims))
    return np.einsum(windows, [..., *range(2 * dims)], w, [..., *range(dims, 2 * dims)], [..., *range(dims)])


def _spread(x: np.ndarray, w: np.ndarray, dims: int, fft: bool) -> np.ndarray:
    """``y[k + j]``, to which all ``x[k] * w[j]`` are added."""
    if fft:
        return _by_fft(x, w, dims, "full")
    widths = [(0, 0)] * (x.ndim - dims) + [(k - 1, k - 1) for k in w.shape[-dims:]]
    return _slid(np.pad(x, widths), np.flip(w, _dims(dims)), dims, False)


def _rows(dims: int, suffix: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[Any, Any]:
    facts: dict[str, Any] = {"means": "option", "last": dims, "sample": sampled(False, of=shapes)}
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


# --------------------------------------------- Recursive filters: each entry of the result takes earlier ones back in

# The idea to hold: the result solves a triangular system with equal diagonals, so that the gradient of the signal is
# the same filter run backwards, and that of the coefficients a correlation with the result.


def _recursed(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    from scipy.signal import lfilter

    if a.ndim == 1:
        if a.size and a[0] == 0:
            raise LinAlgError(
                "the filter's first coefficient is 0", "a[0] y[t] + a[1] y[t-1] + … = x[t] leaves y[t] open.",
                "Leave out what begins with zeros, or delay the output.",
            )  # fmt: skip
        return np.asarray(lfilter(np.ones(1, a.dtype), a, x)) if x.size else x.astype(np.result_type(a, x))
    lead = np.broadcast_shapes(a.shape[:-1], x.shape[:-1])
    out = np.empty((*lead, x.shape[-1]), np.result_type(a, x))
    filters, signals = np.broadcast_to(a, (*lead, a.shape[-1])), np.broadcast_to(x, out.shape)
    for at in np.ndindex(*lead):
        out[at] = _recursed(filters[at], signals[at])
    return out


def _backwards(g: Any, a: Any) -> Any:
    return np.flip(recursive_row(a, np.flip(g, -1)), -1)


def _rule_of_coefficients(g: Any, a: Any, y: Any, shape_a: Any) -> Any:
    w = _backwards(g, a)
    widths = [(0, 0)] * (w.ndim - 1) + [(0, int(shape_a[-1]) - 1)]
    return fit(-CORRELATE[1](constant_pad(w, tuple(widths), 0), y, False), shape_a)


recursive_row = general(
    "recursive_filter", _recursed, _rule_of_coefficients, lambda g, a, shape_x: fit(_backwards(g, a), shape_x),
    inputs=("a", "x"), last=1,
    sample=lambda rng: ([np.array([2.0, 0.5, -0.3]) + 0.1 * rng.normal(size=3), rng.normal(size=(2, 5))], ()),
    doc="the y with a[0] y[t] + a[1] y[t-1] + … = x[t], along the last axis",
)  # fmt: skip


# ------------------------------------------------ The coefficients of the spline through the entries of the last axis

# The idea to hold: the coefficients solve a system of few diagonals. It is symmetric but for the ends of a signal that
# is mirrored there, which have no mirror image: they count once, and all others twice.


def _coefficients(x: np.ndarray, order: int, mode: str) -> np.ndarray:
    from scipy.ndimage import spline_filter1d

    if x.shape[-1] < 2 or not x.size:
        return x.copy()
    dtype = np.result_type(x.dtype, np.float64)
    return np.asarray(spline_filter1d(x.astype(dtype), order, -1, dtype, mode)).astype(x.dtype)


_POLES = {2: 8**0.5 - 3, 3: 3**0.5 - 2}


def _transposed(g: Any, order: int, mode: str) -> Any:
    n, real = int(g.shape[-1]), np.empty(0, g.dtype).real.dtype
    if mode == "reflect" and _POLES[order] ** (2 * n) > np.finfo(float).eps:  # SciPy's start is cut off too early
        return g @ _coefficients(np.eye(n), order, mode).T.astype(real)
    if mode != "mirror" or n < 2:
        return spline_row(g, order, mode)
    counts = np.ones(n, real)
    counts[0] = counts[-1] = 2
    return spline_row(g * counts, order, mode) / counts


spline_row = linear(
    "spline_coefficients", _coefficients, lambda g, order, mode: _transposed(g, order, mode),
    means="option option", last=1, sample=sampled(3, "mirror", of=[(2, 6)]),
    doc="the coefficients of the B-splines of an order through the entries of the last axis",
)  # fmt: skip
"""``spline_row(x, order, mode)``; the modes are mirror, reflect and grid-wrap."""
