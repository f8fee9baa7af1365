"""Short-time Fourier transforms of signals, and signals of these, under SciPy's names.

The idea to hold: the transform cuts a signal into pieces, its inverse adds pieces up: each entry of the signal gathers
from the few pieces that reach it. Which these are is constant.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import scipy.signal as _scipy

from ...ops._dims import kind_of, rank, sizes
from .._mirrored import floating, mirrored
from ._recursive_filters import _extended
from ._spectra import both_sides, by_rate, by_scipy, longer, pieces, scale, typed, windowed

_HANN, _TUKEY = (
    inspect.signature(of).parameters["window"].default for of in (_scipy.stft, _scipy.spectrogram)
)  # older SciPy's have other names
"""The default windows."""


def _before_times(spectra: Any, axis: int) -> Any:
    """Spectra (…, pieces, frequencies) with frequencies where the signal's axis was, and pieces last."""
    return np.moveaxis(np.moveaxis(spectra, -1, -2), -2, axis - 1 if axis < 0 else axis)


@mirrored(_scipy.stft, "x")
def stft(
    x: Any, fs: Any = 1.0, window: Any = _HANN, nperseg: Any = 256, noverlap: Any = None, nfft: Any = None,
    detrend: Any = False, return_onesided: bool = True, boundary: str | None = "zeros", padded: bool = True,
    axis: int = -1, scaling: str = "spectrum",
) -> Any:  # fmt: skip
    """Return frequencies, times and the Fourier transforms of a signal's pieces, which are complex.

    Parameters are those of `scipy.signal.stft`; the signal, ``fs`` and an array as ``window`` are differentiated.
    """
    options = {
        "fs": fs, "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft, "detrend": detrend,
        "return_onesided": return_onesided, "boundary": boundary, "padded": padded, "axis": axis, "scaling": scaling,
    }  # fmt: skip
    f, t, known = by_scipy("stft", x, **options)
    x = np.moveaxis(x, axis, -1)
    window = windowed(window, nperseg, sizes(x)[-1])
    length, n = sizes(window)[0], sizes(x)[-1]
    if boundary == "zeros":
        x = np.pad(x, [(0, 0)] * (rank(x) - 1) + [(length // 2, length // 2)])
    elif boundary is not None:
        x = _extended(x, boundary, length // 2)
    step = length - (length // 2 if noverlap is None else int(noverlap))
    n = sizes(x)[-1]
    x = longer(x, n + (-(n - length) % step) % length) if padded else x
    onesided = return_onesided and kind_of(x) != "c"
    found = pieces(x, window, step, detrend, nfft, onesided, axis)
    found = found * np.sqrt(scale(window, fs, "density" if scaling == "psd" else "spectrum"))
    return by_rate(f, fs, 1), by_rate(t, fs, -1), typed(_before_times(found, axis), known)


@mirrored(_scipy.spectrogram, "x")
def spectrogram(
    x: Any, fs: Any = 1.0, window: Any = _TUKEY, nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    detrend: Any = "constant", return_onesided: bool = True, scaling: str = "density", axis: int = -1,
    mode: str = "psd",
) -> Any:  # fmt: skip
    """Return frequencies, times and the spectra of a signal's pieces.

    Parameters are those of `scipy.signal.spectrogram`; the signal, ``fs`` and an array as ``window`` are
    differentiated.
    An angle has the derivative NaN where its number is 0; how often a phase turns is constant.
    """
    options = {
        "fs": fs, "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft, "detrend": detrend,
        "return_onesided": return_onesided, "scaling": scaling, "axis": axis, "mode": mode,
    }  # fmt: skip
    f, t, known = by_scipy("spectrogram", x, **options)
    x = np.moveaxis(x, axis, -1)
    window = windowed(window, nperseg, sizes(x)[-1])
    length, onesided = sizes(window)[0], return_onesided and kind_of(x) != "c"
    step = length - (length // 8 if noverlap is None else int(noverlap))
    found, factor = pieces(x, window, step, detrend, nfft, onesided, axis), scale(window, fs, scaling)
    if mode == "psd":
        found = (found.real**2 + found.imag**2) * factor
        found = both_sides(found, (nfft or length) % 2 == 0) if onesided else found
    else:
        found = found * np.sqrt(factor)
        found = found if mode == "complex" else np.abs(found) if mode == "magnitude" else np.angle(found)
        found = np.unwrap(found) if mode == "phase" else found
    return by_rate(f, fs, 1), by_rate(t, fs, -1), typed(_before_times(found, axis), known)


def _added_up(parts: Any, step: int, length: int) -> Any:
    """The sum (…, length) of pieces (…, pieces, entries), each of which begins ``step`` behind the one before."""
    count, width = sizes(parts)[-2:]
    place = np.arange(length)
    which = place // step - np.arange(-(-width // step))[:, None]  # the pieces that may reach a place, latest first
    within = place - which * step
    reached = (which >= 0) & (which < count) & (within < width)
    found = parts[..., np.clip(which, 0, count - 1), np.clip(within, 0, width - 1)]
    return np.where(reached, found, 0.0).sum(-2)


@mirrored(_scipy.istft, "Zxx")
def istft(
    Zxx: Any, fs: Any = 1.0, window: Any = _HANN, nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    input_onesided: bool = True, boundary: bool = True, time_axis: int = -1, freq_axis: int = -2,
    scaling: str = "spectrum",
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
    options = {
        "fs": fs, "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft,
        "input_onesided": input_onesided, "boundary": boundary, "time_axis": time_axis, "freq_axis": freq_axis,
        "scaling": scaling,
    }  # fmt: skip
    time, known = by_scipy("istft", Zxx, **options)
    ndim = rank(Zxx)
    of_time, of_frequency = int(time_axis) % ndim, int(freq_axis) % ndim
    spectra = np.moveaxis(Zxx + 0j, (of_time, of_frequency), (-2, -1))
    count = sizes(spectra)[-1]
    whole = 2 * (count - 1) if input_onesided else count
    width = whole if nperseg is None else int(nperseg)
    if nfft is None:
        nfft = width if input_onesided and width == whole + 1 else whole
    window = _scipy.get_window(window, width) if isinstance(window, (str, tuple)) else floating(window)
    step = width - (width // 2 if noverlap is None else int(noverlap))
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
    return by_rate(time, fs, -1), typed(found, known)


__all__ = ["istft", "spectrogram", "stft"]
