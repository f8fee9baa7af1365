"""Fourier transforms under `torch.fft`'s names: linear, of real and complex numbers, along any dimensions."""

from ..ops import set_public_names as _settle
from ..ops import with_further_names as _taking
from ..ops.fourier.transforms import (
    fft,
    fft2,
    fftfreq,
    fftn,
    fftshift,
    hfft,
    hfft2,
    hfftn,
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
    rfftfreq,
    rfftn,
)

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

for _name in __all__:
    if not _name.endswith("shift"):
        globals()[_name] = _taking(globals()[_name], out=True)

_settle(__name__, globals(), __all__)
