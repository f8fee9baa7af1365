"""Spectra of signals under SciPy's names: Fourier transforms of pieces, multiplied and averaged.

The idea to hold: which entries make a piece is constant, and so is the window unless it is an array that is
differentiated. SciPy itself checks the arguments, and says what the frequencies and times are, which are multiples of
the sampling rate and of its inverse.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import scipy.signal as _scipy

from ..._array._protocols import _numbers
from ...core import Symbol, Tensor
from ...ops._dims import kind_of, rank, sizes
from ...ops.entries._copy import cast
from .._mirrored import floating, mirrored, refused
from ._trends import detrend as _detrend

_HANN = inspect.signature(_scipy.welch).parameters["window"].default  # older SciPy's have another name
"""The default window."""


def by_scipy(name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """SciPy's own results on the numbers: it raises what it raises."""
    if any(isinstance(v, Symbol) for v in (*args, *kwargs.values())):
        raise refused(
            f"signal.{name} of a symbol", "Into which pieces a signal is cut depends on its length.", "Give numbers."
        )
    if callable(kwargs.get("detrend")):  # of the user's, who may expect what is differentiated
        kwargs["detrend"] = False
    found: tuple[Any, ...] = getattr(_scipy, name)(*map(_numbers, args), **{k: _numbers(v) for k, v in kwargs.items()})
    return found


def windowed(window: Any, nperseg: Any, n: int) -> Any:
    """The window's entries; one that is given by name is no longer than the signal."""
    if isinstance(window, (str, tuple)):
        return _scipy.get_window(window, min(256 if nperseg is None else int(nperseg), n))
    return floating(window)


def by_rate(values: Any, fs: Any, power: int) -> Any:
    """What SciPy has computed at the sampling rate's number and is a multiple of this power of it."""
    return values * (fs / float(_numbers(fs))) ** power if isinstance(fs, Tensor) else values


def pieces(x: Any, window: Any, step: int, trend: Any, nfft: Any, onesided: bool, axis: int) -> Any:
    """The transforms (…, pieces, frequencies) along the last axis; ``axis`` is where a function for trends has it."""
    length = sizes(window)[0]
    starts = np.arange(0, sizes(x)[-1] - length + 1, step)
    found = x[..., starts[:, None] + np.arange(length)]
    if callable(trend):
        found = np.moveaxis(trend(np.moveaxis(found, -1, axis)), axis, -1)
    elif trend:
        found = _detrend(found, type=trend)
    return (np.fft.rfft if onesided else np.fft.fft)(found * window, length if nfft is None else int(nfft))


def scale(window: Any, fs: Any, scaling: str) -> Any:
    """What a product of two transforms is multiplied by."""
    return 1 / (fs * (np.abs(window) ** 2).sum()) if scaling == "density" else 1 / np.abs(window.sum()) ** 2


def both_sides(spectrum: Any, even: bool) -> Any:
    """One side, with what the other one has: all but the mean, and the highest frequency of an even number."""
    share = np.full(sizes(spectrum)[-1], 2.0)
    share[0] = 1
    if even:
        share[-1] = 1
    return spectrum * share


def longer(x: Any, n: int) -> Any:
    return np.pad(x, [(0, 0)] * (rank(x) - 1) + [(0, n - sizes(x)[-1])]) if sizes(x)[-1] < n else x


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


@mirrored(_scipy.csd, "x y")
def csd(
    x: Any, y: Any, fs: Any = 1.0, window: Any = _HANN, nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    detrend: Any = "constant", return_onesided: bool = True, scaling: str = "density", axis: int = -1,
    average: str = "mean",
) -> Any:  # fmt: skip
    """Return frequencies and the cross spectral density of two signals, by Welch's method.

    Parameters are those of `scipy.signal.csd`; both signals, ``fs`` and an array as ``window`` are differentiated.
    """
    options = {
        "fs": fs, "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft, "detrend": detrend,
        "return_onesided": return_onesided, "scaling": scaling, "axis": axis, "average": average,
    }  # fmt: skip
    f, known = by_scipy("csd", x, y, **options)
    x, y = (np.moveaxis(v, axis, -1) for v in (x, y))
    n = max(sizes(x)[-1], sizes(y)[-1])
    return by_rate(f, fs, 1), typed(_density(longer(x, n), longer(y, n), options, kind_of(x) != "c"), known)


def _density(x: Any, y: Any, options: dict[str, Any], real: bool) -> Any:
    """The density of two signals along their last axes; of x with itself if y is None."""
    window = windowed(options["window"], options["nperseg"], sizes(x)[-1])
    length = sizes(window)[0]
    step = length - (length // 2 if options["noverlap"] is None else int(options["noverlap"]))
    onesided = options["return_onesided"] and real
    shared = window, step, options["detrend"], options["nfft"], onesided, options["axis"]
    X = pieces(x, *shared)
    product = X.real**2 + X.imag**2 if y is None else np.conj(X) * pieces(y, *shared)
    found = product * scale(window, options["fs"], options["scaling"])
    if onesided:
        found = both_sides(found, (options["nfft"] or length) % 2 == 0)
    return np.moveaxis(_averaged(found, options["average"]), -1, options["axis"])


@mirrored(_scipy.welch, "x")
def welch(
    x: Any, fs: Any = 1.0, window: Any = _HANN, nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    detrend: Any = "constant", return_onesided: bool = True, scaling: str = "density", axis: int = -1,
    average: str = "mean",
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
    options = {
        "fs": fs, "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft, "detrend": detrend,
        "return_onesided": return_onesided, "scaling": scaling, "axis": axis, "average": average,
    }  # fmt: skip
    f, known = by_scipy("welch", x, **options)
    return by_rate(f, fs, 1), typed(_density(np.moveaxis(x, axis, -1), None, options, kind_of(x) != "c"), known)


@mirrored(_scipy.periodogram, "x")
def periodogram(
    x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, detrend: Any = "constant",
    return_onesided: bool = True, scaling: str = "density", axis: int = -1,
) -> Any:  # fmt: skip
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
    options = {
        "fs": fs, "window": "boxcar" if window is None else window, "nfft": nfft, "detrend": detrend,
        "return_onesided": return_onesided, "scaling": scaling, "axis": axis,
    }  # fmt: skip
    f, known = by_scipy("periodogram", x, **options)
    x = np.moveaxis(x, axis, -1)
    if nfft is not None and nfft < sizes(x)[-1]:
        x = x[..., : int(nfft)]
    whole = {**options, "nperseg": sizes(x)[-1], "noverlap": 0, "average": "mean"}
    return by_rate(f, fs, 1), typed(_density(x, None, whole, kind_of(x) != "c"), known)


@mirrored(_scipy.coherence, "x y")
def coherence(
    x: Any, y: Any, fs: Any = 1.0, window: Any = _HANN, nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    detrend: Any = "constant", axis: int = -1,
) -> Any:  # fmt: skip
    """Return frequencies and how coherent two signals are, from 0 to 1.

    Parameters are those of `scipy.signal.coherence`; of a single piece it is 1, with derivatives that are 0 up to
    rounding.
    """
    options = {
        "fs": fs, "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft, "detrend": detrend,
        "axis": axis,
    }  # fmt: skip
    f, _ = by_scipy("coherence", x, y, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy has warned already
        (_, Pxx), (_, Pyy), (_, Pxy) = welch(x, **options), welch(y, **options), csd(x, y, **options)
    return by_rate(f, fs, 1), (Pxy.real**2 + Pxy.imag**2) / Pxx / Pyy


__all__ = ["coherence", "csd", "periodogram", "welch"]
