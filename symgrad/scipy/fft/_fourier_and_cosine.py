"""Fourier, cosine and sine transforms under SciPy's names: symgrad's own, with SciPy's arguments.

The idea to hold: a cosine or sine transform is one row, of a type and without scale. Norms are factors; to make a
transform orthogonal, the entries that have no mirror image are multiplied by the root of 2 before, or divided by it
afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import starmap
from typing import Any

import numpy as np
import scipy.fft as _scipy

from ...ops import axis_of, named, rank, sizes
from ...ops.fourier import transforms
from ...ops.fourier.transforms import cosine_row, lengths_along, resized
from .._mirrored import mirrored

# ---------------------------------------------------------------------- Fourier transforms

_TAIL = """

Parameters are those of `scipy.fft.{0}`. Where a derivative is taken, ``overwrite_x``, ``workers`` and ``plan`` mean
nothing.
"""


def _mirrored(fn: Callable[..., Any], name: str, says: str) -> Callable[..., Any]:
    return mirrored(getattr(_scipy, name), "x")(named(fn, name, f"Return {says}.{_TAIL.format(name)}"))


def _along_one(name: str, says: str) -> Callable[..., Any]:
    own = getattr(transforms, name)

    def transform(x: Any, n: int | None, axis: int, norm: str | None) -> Any:
        return own(x, n, axis, norm)

    return _mirrored(transform, name, f"{says} along one axis")


def _along_many(name: str, says: str) -> Callable[..., Any]:
    own = getattr(transforms, name.replace("2", "n"))

    def transform(x: Any, s: Any, axes: Any, norm: str | None) -> Any:
        return own(x, s, axes, norm)

    return _mirrored(transform, name, f"{says} along {'two' if name[-1] == '2' else 'several'} axes")


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


# ---------------------------------------------------------------------- cosine and sine transforms

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
_ENDS = {("dct", 1): (0, -1), ("dct", 2): (0,), ("dct", 3): (0,), ("dst", 2): (-1,), ("dst", 3): (-1,)}
"""The entries without a mirror image: of the signal for type 3, of the spectrum for type 2, of both for type 1."""


def _scaled_ends(x: Any, kind: str, type: int, factor: float) -> Any:
    factors = np.ones(sizes(x)[-1])
    for end in _ENDS.get((kind, type), ()):
        factors[end] = factor
    return x * factors.astype(x.dtype)


def _along(
    x: Any, kind: str, type: int, n: int | None, axis: int, norm: str | None, orthogonalize: bool | None, inverse: bool
) -> Any:
    if type not in _INVERSE:
        raise ValueError(f"DCT type {type} not implemented" if kind == "dct" else f"DST type {type} not implemented")
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward"')
    x = np.moveaxis(resized(x, n, axis_of(axis, rank(x))), axis, -1)
    size = sizes(x)[-1]
    if size < (2 if (kind, type) == ("dct", 1) else 1):
        raise ValueError(f"invalid number of data points ({size}) specified")
    own = _INVERSE[type] if inverse else type
    orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
    if orthogonal and own in (1, 3):
        x = _scaled_ends(x, kind, own, 2**0.5)
    y = cosine_row(x, kind, own)
    if orthogonal and own in (1, 2):
        y = _scaled_ends(y, kind, own, 0.5**0.5)
    length = 2 * (size - 1 if (kind, own) == ("dct", 1) else size + 1 if (kind, own) == ("dst", 1) else size)
    divided = norm == "forward" if not inverse else norm in (None, "backward")
    factor = length**-0.5 if norm == "ortho" else 1 / length if divided else 1.0
    return np.moveaxis(y * factor if factor != 1 else y, -1, axis)


def _one(name: str, says: str) -> Callable[..., Any]:
    kind, inverse = name.removeprefix("i"), name.startswith("i")

    def transform(x: Any, type: int, n: int | None, axis: int, norm: str | None, orthogonalize: bool | None) -> Any:
        return _along(x, kind, type, n, axis, norm, orthogonalize, inverse)

    return _mirrored(transform, name, says)


def _many(name: str, says: str) -> Callable[..., Any]:
    kind, inverse = name.removeprefix("i")[:-1], name.startswith("i")

    def transform(x: Any, type: int, s: Any, axes: Any, norm: str | None, orthogonalize: bool | None) -> Any:
        for n, axis in lengths_along(x, s, axes, name):
            x = _along(x, kind, type, n, axis, norm, orthogonalize, inverse)
        return x

    return _mirrored(transform, name, says)


dct: Callable[..., Any] = _one("dct", "the cosine transform of a type along one axis")
idct: Callable[..., Any] = _one("idct", "the inverse of the cosine transform of a type along one axis")
dst: Callable[..., Any] = _one("dst", "the sine transform of a type along one axis")
idst: Callable[..., Any] = _one("idst", "the inverse of the sine transform of a type along one axis")
dctn: Callable[..., Any] = _many("dctn", "the cosine transform of a type along several axes")
idctn: Callable[..., Any] = _many("idctn", "the inverse of the cosine transform of a type along several axes")
dstn: Callable[..., Any] = _many("dstn", "the sine transform of a type along several axes")
idstn: Callable[..., Any] = _many("idstn", "the inverse of the sine transform of a type along several axes")
