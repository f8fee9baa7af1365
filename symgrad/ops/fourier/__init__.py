"""Fourier transforms.

transforms  fourier, cosine and sine transforms along one dimension or several: linear rows
"""

from ...core import TABLE

TABLE.later(f"{__name__}.transforms", "fft ifft rfft irfft cosine_transform")
