"""Fourier transforms under SciPy's names: symgrad's own, with SciPy's arguments."""

from __future__ import annotations

from collections.abc import Callable
from itertools import starmap
from typing import Any

import scipy.fft as _scipy

from ...ops import named
from ...ops.fourier import transforms
from .._mirrored import mirrored

_TAIL = """

Parameters are those of `scipy.fft.{0}`; ``overwrite_x``, ``workers`` and ``plan`` mean nothing where a derivative is
taken.
"""


def under_its_name(fn: Callable[..., Any], name: str, says: str) -> Callable[..., Any]:
    """A transform as SciPy's of this name, with a sentence that says what it returns."""
    return mirrored(getattr(_scipy, name), "x")(named(fn, name, f"Return {says}.{_TAIL.format(name)}"))


def _along_one(name: str, says: str) -> Callable[..., Any]:
    own = getattr(transforms, name)

    def transform(x: Any, n: int | None, axis: int, norm: str | None) -> Any:
        return own(x, n, axis, norm)

    return under_its_name(transform, name, f"{says} along one axis")


def _along_many(name: str, says: str) -> Callable[..., Any]:
    own = getattr(transforms, name.replace("2", "n"))

    def transform(x: Any, s: Any, axes: Any, norm: str | None) -> Any:
        return own(x, s, axes, norm)

    return under_its_name(transform, name, f"{says} along {'two' if name[-1] == '2' else 'several'} axes")


_SAYS = {
    "fft": "the discrete Fourier transform", "ifft": "the inverse discrete Fourier transform",
    "rfft": "the first half of a real signal's Fourier transform",
    "irfft": "the real signal of which half of the Fourier transform is given",
    "hfft": "the Fourier transform, which is real, of a signal of which one half is given",
    "ihfft": "the half of a signal whose Fourier transform is given, and real",
}  # fmt: skip

fft: Callable[..., Any]
ifft: Callable[..., Any]
rfft: Callable[..., Any]
irfft: Callable[..., Any]
hfft: Callable[..., Any]
ihfft: Callable[..., Any]
fft2: Callable[..., Any]
ifft2: Callable[..., Any]
rfft2: Callable[..., Any]
irfft2: Callable[..., Any]
hfft2: Callable[..., Any]
ihfft2: Callable[..., Any]
fftn: Callable[..., Any]
ifftn: Callable[..., Any]
rfftn: Callable[..., Any]
irfftn: Callable[..., Any]
hfftn: Callable[..., Any]
ihfftn: Callable[..., Any]

fft, ifft, rfft, irfft, hfft, ihfft = starmap(_along_one, _SAYS.items())
fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = (_along_many(f"{name}2", says) for name, says in _SAYS.items())
fftn, ifftn, rfftn, irfftn, hfftn, ihfftn = (_along_many(f"{name}n", says) for name, says in _SAYS.items())


@mirrored(_scipy.fftshift, "x")
def fftshift(x: Any, axes: Any) -> Any:
    """Return a spectrum with the frequency 0 in the middle.

    Parameters are those of `scipy.fft.fftshift`.
    """
    return transforms.fftshift(x, axes)


@mirrored(_scipy.ifftshift, "x")
def ifftshift(x: Any, axes: Any) -> Any:
    """Return a spectrum with the frequency 0 in front: what undoes `fftshift`.

    Parameters are those of `scipy.fft.ifftshift`.
    """
    return transforms.ifftshift(x, axes)
