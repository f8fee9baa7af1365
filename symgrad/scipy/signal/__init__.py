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

from ...ops import set_public_names as _settle
from .._passed_on import passing_on as _passing_on
from ._filters import (
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    deconvolve,
    fftconvolve,
    filtfilt,
    hilbert,
    lfilter,
    lfilter_zi,
    oaconvolve,
    sosfilt,
    sosfilt_zi,
    sosfiltfilt,
)
from ._spectra import coherence, csd, detrend, istft, lombscargle, periodogram, savgol_filter, spectrogram, stft, welch

__all__ = [
    "coherence", "convolve", "convolve2d", "correlate", "correlate2d", "csd", "deconvolve", "detrend", "fftconvolve",
    "filtfilt", "hilbert", "istft", "lfilter", "lfilter_zi", "lombscargle", "oaconvolve", "periodogram",
    "savgol_filter", "sosfilt", "sosfilt_zi", "sosfiltfilt", "spectrogram", "stft", "welch",
]  # fmt: skip


__getattr__, __dir__ = _passing_on("signal")


_settle(__name__, globals(), __all__)
