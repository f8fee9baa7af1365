"""Spectra of signals under SciPy's names: of pieces, short-time, at uneven times; smoothing and trends."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.signal as _scipy

from ..._array import numbers_of
from ...core import Symbol, Tensor, row_function
from ...ops import axis_of, kind_of, ndarray_of, rank, sizes
from ...ops.entries import cast
from ...ops.filters.linear_filters import CORRELATE, widened
from ...ops.fourier.transforms import mirrored_twice
from .._mirrored import floating, mirrored, refused
from ._filters import _extended, of_length

# ------------------------------------------ Smoothing and trends, which are linear in the signal, under SciPy's names


@mirrored(_scipy.savgol_filter, "x")
def savgol_filter(
    x: Any, window_length: int, polyorder: int, deriv: int, delta: Any, axis: int, mode: str, cval: Any
) -> Any:
    """Return what Savitzky and Golay's filter makes of a signal: at each place the value of a polynomial fitted there.

    Parameters are those of `scipy.signal.savgol_filter`; the signal, ``delta`` and ``cval`` are differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(lambda x: sp.signal.savgol_filter(x, 3, 1)[1])(np.arange(4.0)).round(4)
    array([0.3333, 0.3333, 0.3333, 0.    ])
    """
    if mode not in ("mirror", "constant", "nearest", "interp", "wrap"):
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    axis = axis_of(axis, rank(x))
    x, n = np.moveaxis(x, axis, -1), sizes(x)[axis]
    if mode == "interp" and window_length > n:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    dtype = x.dtype if x.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    spacing, delta = delta, float(numbers_of(delta))
    weights = _scipy.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta, use="dot").astype(dtype)
    half = window_length // 2
    last = rank(x) - 1
    before = half - (window_length % 2 == 0)
    wide = widened(x, last, before, half, "constant" if mode == "interp" else mode, cval)
    y = CORRELATE[1](wide, weights, False)
    if deriv and isinstance(spacing, (Tensor, Symbol)):
        y, x = (v * (delta / spacing) ** deriv for v in (y, x))  # the weights' own is in the numbers
    if mode != "interp" or not half:
        return np.moveaxis(y, -1, axis)
    unit = np.eye(window_length, dtype=dtype)
    whole = _scipy.savgol_filter(unit, window_length, polyorder, deriv=deriv, delta=delta, axis=0).astype(dtype)
    first, end = x[..., :window_length] @ whole[:half].T, x[..., n - window_length :] @ whole[-half:].T
    return np.moveaxis(row_function("cat")([first, y[..., half : n - half], end], last), -1, axis)


@mirrored(_scipy.detrend, "data")
def detrend(data: Any, axis: int, type: str, bp: Any) -> Any:
    """Return a signal less its mean or its straight line, piece by piece.

    Parameters are those of `scipy.signal.detrend`; ``overwrite_data`` means nothing where a derivative is taken.
    """
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    axis = axis_of(axis, rank(data))
    if type in ("constant", "c"):
        return data - data.mean(axis, keepdims=True)
    x, n = np.moveaxis(data, axis, -1), sizes(data)[axis]
    ends = np.unique([0, *np.atleast_1d(bp).tolist(), n])
    if np.any(ends > n) or np.any(ends < 0):
        raise ValueError("Breakpoints must be less than length of data along given axis.")
    pieces = []
    for start, stop in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        piece, count = x[..., start:stop], stop - start
        basis, _ = np.linalg.qr(np.stack([np.arange(1, count + 1) / count, np.ones(count)], 1))
        basis = basis.astype(np.empty(0, x.dtype).real.dtype)
        pieces.append(piece - (piece @ basis) @ basis.T)
    return np.moveaxis(row_function("cat")(pieces, rank(x) - 1), -1, axis)


# ---------------------- Spectra of signals under SciPy's names: Fourier transforms of pieces, multiplied and averaged

# The idea to hold: which entries make a piece is constant, and so is the window unless it is an array that is
# differentiated. SciPy itself checks the arguments, and says what the frequencies and times are, which are multiples of
# the sampling rate and of its inverse.


def by_scipy(original: Callable[..., Any], given: dict[str, Any]) -> Any:
    """SciPy's own results on the numbers: it raises what it raises."""
    if any(isinstance(v, Symbol) for v in given.values()):
        raise refused(
            f"signal.{original.__name__} of a symbol", "Into which pieces a signal is cut depends on its length.",
            "Give numbers.",
        )  # fmt: skip
    if callable(given.get("detrend")):  # of the user's, who may expect what is differentiated
        given = given | {"detrend": False}
    return original(**{k: numbers_of(v) for k, v in given.items()})


spectral = functools.partial(mirrored, known=by_scipy)


def windowed(window: Any, nperseg: Any, noverlap: Any, n: int, shared: int = 2) -> tuple[Any, int, int]:
    """The window's entries, their number, and the step: windows share this part of each if nothing is said.

    One that is given by name is no longer than the signal.
    """
    if isinstance(window, (str, tuple)):
        window = _scipy.get_window(window, min(256 if nperseg is None else int(nperseg), n))
    window = floating(window)
    length = sizes(window)[0]
    return window, length, length - (length // shared if noverlap is None else int(noverlap))


def by_rate(values: Any, fs: Any, power: int) -> Any:
    """What SciPy has computed at the sampling rate's number and is a multiple of this power of it."""
    return values * (fs / float(numbers_of(fs))) ** power if isinstance(fs, Tensor) else values


def pieces(x: Any, window: Any, step: int, trend: Any, nfft: Any, onesided: bool, axis: int) -> Any:
    """The transforms (…, pieces, frequencies) along the last axis; ``axis`` is where a function for trends has it."""
    length = sizes(window)[0]
    starts = np.arange(0, sizes(x)[-1] - length + 1, step)
    found = x[..., starts[:, None] + np.arange(length)]
    if callable(trend):
        found = np.moveaxis(trend(np.moveaxis(found, -1, axis)), axis, -1)
    elif trend:
        found = detrend(found, type=trend)
    return (np.fft.rfft if onesided else np.fft.fft)(found * window, length if nfft is None else int(nfft))


def scale(window: Any, fs: Any, scaling: str) -> Any:
    """What a product of two transforms is multiplied by."""
    return 1 / (fs * (np.abs(window) ** 2).sum()) if scaling == "density" else 1 / np.abs(window.sum()) ** 2


def both_sides(spectrum: Any, n: int) -> Any:
    """One side, with what the other one has: all but the mean, and the highest frequency of an even number."""
    return spectrum * mirrored_twice(n, rank(spectrum) - 1, spectrum, 2.0)


def _averaged(spectra: Any, average: str) -> Any:
    count = sizes(spectra)[-2]
    if average == "mean" or count == 1:
        return spectra.mean(-2)
    later = np.arange(2.0, count, 2)  # the median of so many exponential variables is this much of their mean
    bias = 1 + np.sum(1 / (later + 1) - 1 / later)
    if kind_of(spectra) == "c":
        return (np.median(spectra.real, -2) + 1j * np.median(spectra.imag, -2)) / bias
    return np.median(spectra, -2) / bias


def typed(found: Any, like: np.ndarray) -> Any:
    return found if found.dtype == like.dtype else cast(found, like.dtype)


@spectral(_scipy.csd, "x y")
def csd(
    x: Any, y: Any, known: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any,
    return_onesided: bool, scaling: str, axis: int, average: str,
) -> Any:  # fmt: skip
    """Return frequencies and the cross spectral density of two signals, by Welch's method.

    Parameters are those of `scipy.signal.csd`; both signals, ``fs`` and an array as ``window`` are differentiated.
    """
    x, y = (np.moveaxis(v, axis, -1) for v in (x, y))
    n = max(sizes(x)[-1], sizes(y)[-1])
    x, y = of_length(x, n), of_length(y, n)
    return _density(known, x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


def _density(
    known: Any, x: Any, y: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, trend: Any,
    onesided: bool, scaling: str, axis: int, average: str,
) -> Any:  # fmt: skip
    """Frequencies and the density of two signals along their last axes; of x with itself if y is None."""
    window, length, step = windowed(window, nperseg, noverlap, sizes(x)[-1])
    onesided = onesided and kind_of(x) != "c"
    shared = window, step, trend, nfft, onesided, axis
    X = pieces(x, *shared)
    product = X.real**2 + X.imag**2 if y is None else np.conj(X) * pieces(y, *shared)
    found = product * scale(window, fs, scaling)
    if onesided:
        found = both_sides(found, nfft or length)
    return by_rate(known[0], fs, 1), typed(np.moveaxis(_averaged(found, average), -1, axis), known[1])


@spectral(_scipy.welch, "x")
def welch(
    x: Any, known: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any, return_onesided:
    bool, scaling: str, axis: int, average: str,
) -> Any:  # fmt: skip
    """Return frequencies and the power spectral density of a signal, by Welch's method.

    Parameters are those of `scipy.signal.welch`; the signal, ``fs`` and an array as ``window`` are differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x = np.array([1.0, -1.0, 1.0, -1.0])
    >>> sg.grad(lambda x: sp.signal.welch(x, window="boxcar", nperseg=4, detrend=False)[1][-1])(x)
    array([ 2., -2.,  2., -2.])
    """
    x = np.moveaxis(x, axis, -1)
    return _density(
        known, x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average
    )


@spectral(_scipy.periodogram, "x")
def periodogram(
    x: Any, known: Any, fs: Any, window: Any, nfft: Any, detrend: Any, return_onesided: bool, scaling: str, axis: int
) -> Any:
    """Return frequencies and the periodogram of a signal: the squared lengths of its Fourier transform.

    Parameters are those of `scipy.signal.periodogram`; the signal, ``fs`` and an array as ``window`` are
    differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda x: sp.signal.periodogram(x, detrend=False)[1][0])(np.array([1.0, 2.0]))
    array([3., 3.])
    """
    x = np.moveaxis(x, axis, -1)
    if nfft is not None and nfft < sizes(x)[-1]:
        x = x[..., : int(nfft)]
    window = "boxcar" if window is None else window
    return _density(known, x, None, fs, window, sizes(x)[-1], 0, nfft, detrend, return_onesided, scaling, axis, "mean")


@spectral(_scipy.coherence, "x y")
def coherence(
    x: Any, y: Any, known: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any, axis: int
) -> Any:
    """Return frequencies and how coherent two signals are, from 0 to 1.

    Parameters are those of `scipy.signal.coherence`; of a single piece it is 1, with derivatives that are 0 up to
    rounding.
    """
    given = fs, window, nperseg, noverlap, nfft, detrend, True, "density", axis
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy has warned already
        (_, Pxx), (_, Pyy), (_, Pxy) = welch(x, *given), welch(y, *given), csd(x, y, *given)
    return by_rate(known[0], fs, 1), (Pxy.real**2 + Pxy.imag**2) / Pxx / Pyy


# -------------------------------- Short-time Fourier transforms of signals, and signals of these, under SciPy's names

# The idea to hold: the transform cuts a signal into pieces, its inverse adds pieces up: each entry of the signal
# gathers from the few pieces that reach it. Which these are is constant.


def _before_times(spectra: Any, axis: int) -> Any:
    """Spectra (…, pieces, frequencies) with frequencies where the signal's axis was, and pieces last."""
    return np.moveaxis(np.moveaxis(spectra, -1, -2), -2, axis - 1 if axis < 0 else axis)


@spectral(_scipy.stft, "x")
def stft(
    x: Any, known: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any, return_onesided:
    bool, boundary: str | None, padded: bool, axis: int, scaling: str,
) -> Any:  # fmt: skip
    """Return frequencies, times and the Fourier transforms of a signal's pieces, which are complex.

    Parameters are those of `scipy.signal.stft`; the signal, ``fs`` and an array as ``window`` are differentiated.
    """
    f, t, like = known
    x = np.moveaxis(x, axis, -1)
    window, length, step = windowed(window, nperseg, noverlap, sizes(x)[-1])
    if boundary == "zeros":
        x = np.pad(x, [(0, 0)] * (rank(x) - 1) + [(length // 2, length // 2)])
    elif boundary is not None:
        x = _extended(x, boundary, length // 2)
    n = sizes(x)[-1]
    x = of_length(x, n + (-(n - length) % step) % length) if padded else x
    onesided = return_onesided and kind_of(x) != "c"
    found = pieces(x, window, step, detrend, nfft, onesided, axis)
    found = found * np.sqrt(scale(window, fs, "density" if scaling == "psd" else "spectrum"))
    return by_rate(f, fs, 1), by_rate(t, fs, -1), typed(_before_times(found, axis), like)


@spectral(_scipy.spectrogram, "x")
def spectrogram(
    x: Any, known: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any, return_onesided:
    bool, scaling: str, axis: int, mode: str,
) -> Any:  # fmt: skip
    """Return frequencies, times and the spectra of a signal's pieces.

    Parameters are those of `scipy.signal.spectrogram`; the signal, ``fs`` and an array as ``window`` are
    differentiated.
    An angle has the derivative NaN where its number is 0; how often a phase turns is constant.
    """
    f, t, like = known
    x = np.moveaxis(x, axis, -1)
    window, length, step = windowed(window, nperseg, noverlap, sizes(x)[-1], 8)
    onesided = return_onesided and kind_of(x) != "c"
    found, factor = pieces(x, window, step, detrend, nfft, onesided, axis), scale(window, fs, scaling)
    if mode == "psd":
        found = (found.real**2 + found.imag**2) * factor
        found = both_sides(found, nfft or length) if onesided else found
    else:
        found = found * np.sqrt(factor)
        found = found if mode == "complex" else np.abs(found) if mode == "magnitude" else np.angle(found)
        found = np.unwrap(found) if mode == "phase" else found
    return by_rate(f, fs, 1), by_rate(t, fs, -1), typed(_before_times(found, axis), like)


def _added_up(parts: Any, step: int, length: int) -> Any:
    """The sum (…, length) of pieces (…, pieces, entries), each of which begins ``step`` behind the one before."""
    count, width = sizes(parts)[-2:]
    place = np.arange(length)
    which = place // step - np.arange(-(-width // step))[:, None]  # the pieces that may reach a place, latest first
    within = place - which * step
    reached = (which >= 0) & (which < count) & (within < width)
    found = parts[..., np.clip(which, 0, count - 1), np.clip(within, 0, width - 1)]
    return np.where(reached, found, 0.0).sum(-2)


@spectral(_scipy.istft, "Zxx")
def istft(
    Zxx: Any, known: Any, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, input_onesided: bool, boundary:
    bool, time_axis: int, freq_axis: int, scaling: str,
) -> Any:  # fmt: skip
    """Return times and the signal whose pieces have these Fourier transforms: the inverse of `stft`.

    Parameters are those of `scipy.signal.istft`; the transforms, ``fs`` and an array as ``window`` are differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> def there_and_back(x):
    ...     return sp.signal.istft(sp.signal.stft(x, nperseg=4)[2], nperseg=4)[1]
    >>> sg.grad(lambda x: there_and_back(x)[1])(np.arange(4.0)).round(9) + 0.0
    array([0., 1., 0., 0.])
    """
    ndim = rank(Zxx)
    of_time, of_frequency = int(time_axis) % ndim, int(freq_axis) % ndim
    spectra = np.moveaxis(Zxx + 0j, (of_time, of_frequency), (-2, -1))
    count = sizes(spectra)[-1]
    whole = 2 * (count - 1) if input_onesided else count
    width = whole if nperseg is None else int(nperseg)
    if nfft is None:
        nfft = width if input_onesided and width == whole + 1 else whole
    window, _, step = windowed(window, width, noverlap, width)
    length = width + (sizes(spectra)[-2] - 1) * step
    parts = (np.fft.irfft if input_onesided else np.fft.ifft)(spectra, int(nfft))[..., :width]
    parts = parts * window * (np.sqrt(fs * (window**2).sum()) if scaling == "psd" else window.sum())
    shares = np.broadcast_to(window**2, (sizes(spectra)[-2], width))
    found, share = (_added_up(v, step, length) for v in (parts, shares))
    if boundary:
        found, share = (v[..., width // 2 : -(width // 2)] for v in (found, share))
    found = found / np.where(share > 1e-10, share, 1.0)  # SciPy's own bound
    if rank(found) > 1 and of_time != ndim - 1:
        found = np.moveaxis(found, -1, of_time - (of_frequency < of_time))
    return by_rate(known[0], fs, -1), typed(found, known[1])


# ---------------------- Spectra of samples at uneven times under SciPy's names: waves fitted to them by least squares

# The idea to hold: the fit is that of a cosine and a sine, whichever the moment from which both are counted. SciPy
# chooses the one at which they are orthogonal. Here that is a constant, and their product, which is 0, has a
# derivative.


_UNSAID = inspect.signature(_scipy.lombscargle).parameters["precenter"].default


@spectral(_scipy.lombscargle, "x y freqs weights")
def lombscargle(
    x: Any, y: Any, freqs: Any, known: Any, precenter: Any, normalize: Any, weights: Any, floating_mean: bool
) -> Any:
    """Return the Lomb-Scargle periodogram of samples at uneven times: the power of the wave that fits best.

    Parameters are those of `scipy.signal.lombscargle`; times, samples, angular frequencies and weights are
    differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> t = np.array([0.0, 0.4, 1.3, 1.9, 3.1, 3.6])
    >>> best = lambda w: sp.signal.lombscargle(t, np.cos(2 * t), np.stack([w]))
    >>> sg.grad(best)(2.0).round(9) + 0.0  # all of it is explained at 2
    np.float64(0.0)
    """
    weights = np.ones(sizes(x)) if weights is None else weights
    w = weights / weights.sum()
    y = y - y.mean() if precenter is not _UNSAID and precenter else y
    turns = freqs[:, None] * x
    cc, ss, cs, _, _ = _moments(ndarray_of(w), ndarray_of(turns), floating_mean)
    start = 0.5 * np.arctan2(2.0 * cs, cc - ss)
    turns = turns - start[:, None]
    cc, ss, cs, c, s = _moments(w, turns, floating_mean)
    mean = (w * y).sum() if floating_mean else 0.0
    yc, ys = np.cos(turns) @ (w * y) - mean * c, np.sin(turns) @ (w * y) - mean * s
    least = np.finfo(np.float64).epsneg  # SciPy's own bound
    cc, ss = (np.where(v < least, least, v) for v in (cc, ss))
    det = cc * ss - cs * cs
    a, b = (yc * ss - ys * cs) / det, (ys * cc - yc * cs) / det
    if normalize == "amplitude":
        found = (a + 1j * b) * np.exp(1j * start)
    else:
        found = 2.0 * (a * yc + b * ys)
        legacy = normalize in (False, "power")
        found = found * (sizes(x)[0] / 4.0 if legacy else 0.5 / ((w * y * y).sum() - mean * mean))
    return typed(found.reshape(known.shape), known)


def _moments(w: Any, turns: Any, floating_mean: bool) -> tuple[Any, Any, Any, Any, Any]:
    """Of cosines and sines their weighted squares and product, around their means if these float; and the means."""
    cos, sin = np.cos(turns), np.sin(turns)
    cc, cs, c, s = (cos * cos) @ w, (cos * sin) @ w, cos @ w, sin @ w
    ss = 1.0 - cc
    return (cc - c * c, ss - s * s, cs - c * s, c, s) if floating_mean else (cc, ss, cs, c, s)
