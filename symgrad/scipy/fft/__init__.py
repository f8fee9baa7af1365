"""`scipy.fft` with derivatives of every order: Fourier, cosine and sine transforms, which are linear.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> sg.grad(lambda x: (np.abs(sp.fft.fft(x)) ** 2).sum())(np.array([1.0, 2.0, 3.0]))
array([ 6., 12., 18.])
>>> sg.jacobian(lambda x: sp.fft.dct(x, norm="ortho"))(np.array([1.0, 2.0])).round(4)
array([[ 0.7071,  0.7071],
       [ 0.7071, -0.7071]])
"""

from scipy.fft import fftfreq, next_fast_len, rfftfreq

from ...ops import set_public_names as _settle
from .._passed_on import passing_on as _passing_on
from ._fourier_and_cosine import (
    dct,
    dctn,
    dst,
    dstn,
    fft,
    fft2,
    fftn,
    fftshift,
    hfft,
    hfft2,
    hfftn,
    idct,
    idctn,
    idst,
    idstn,
    ifft,
    ifft2,
    ifftn,
    ifftshift,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

__all__ = [
    "dct", "dctn", "dst", "dstn", "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "idct",
    "idctn", "idst", "idstn", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2",
    "irfftn", "next_fast_len", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip


__getattr__, __dir__ = _passing_on("fft")


_settle(__name__, globals(), __all__)
