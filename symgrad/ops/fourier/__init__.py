"""Fourier transforms."""

from ...core import TABLE

TABLE.later(f"{__name__}._cosine", "cosine_transform")
TABLE.later(f"{__name__}._fourier", "fft ifft rfft irfft")
