"""`scipy.signal` with derivatives of every order: convolution, filters, smoothing.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> x = np.array([1.0, 0.0, 0.0])
>>> sg.jacobian(lambda a: sp.signal.lfilter([1.0], a, x))(np.array([1.0, -0.5]))
array([[-1.  ,  0.  ],
       [-1.  , -1.  ],
       [-0.75, -1.  ]])
"""

from typing import Any as _Any

from ...ops._public import settle as _settle
from ._analytic_signal import deconvolve, hilbert
from ._convolutions import convolve, convolve2d, correlate, correlate2d, fftconvolve, oaconvolve
from ._recursive_filters import filtfilt, lfilter, lfilter_zi, sosfilt, sosfilt_zi, sosfiltfilt
from ._short_time import istft, spectrogram, stft
from ._spectra import coherence, csd, periodogram, welch
from ._trends import detrend, savgol_filter
from ._uneven_samples import lombscargle

__all__ = [
    "coherence", "convolve", "convolve2d", "correlate", "correlate2d", "csd", "deconvolve", "detrend", "fftconvolve",
    "filtfilt", "hilbert", "istft", "lfilter", "lfilter_zi", "lombscargle", "oaconvolve", "periodogram",
    "savgol_filter", "sosfilt", "sosfilt_zi", "sosfiltfilt", "spectrogram", "stft", "welch",
]  # fmt: skip


def __getattr__(name: str) -> _Any:
    from .._mirrored import missing

    raise missing("signal", name)


_settle(__name__, globals(), __all__)
