"""NumPy's Fourier transforms, `numpy.fft`, with its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import NUMPY
from .._numpy_arguments import tensor_like
from ..fourier import _fourier, _fourier_many


def _along_one(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, n=None, axis=-1, norm=None, out=None: fn(tensor_like(a), n, axis, norm)


def _along_two(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, s=None, axes=(-2, -1), norm=None, out=None: fn(tensor_like(a), s, axes, norm)


def _along_many(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, s=None, axes=None, norm=None, out=None: fn(tensor_like(a), s, axes, norm)


def _moving(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axes=None: fn(tensor_like(x), axes)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    NUMPY[getattr(np.fft, _name)] = _along_one(getattr(_fourier, _name))
for _adapted, _names in (
    (_along_two, ("fft2", "ifft2", "rfft2", "irfft2")), (_along_many, ("fftn", "ifftn", "rfftn", "irfftn")),
    (_moving, ("fftshift", "ifftshift")),
):  # fmt: skip
    for _name in _names:
        NUMPY[getattr(np.fft, _name)] = _adapted(getattr(_fourier_many, _name))
