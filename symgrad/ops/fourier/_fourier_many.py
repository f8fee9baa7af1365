"""Fourier transforms along several dimensions, one after the other; the frequencies of spectra, and their order.

The idea to hold: a transform along several dimensions is one along each; a real one, of the last alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import Tensor
from .._dims import axis_of, sizes
from .._public import dims
from ..create._create import float_dtype, make
from ..linalg._linalg import conj
from ..shape._move import roll
from ._fourier import TRANSPOSED_NORM, expect_real, fft, ifft, irfft, normed, rfft


def _along(input: Any, s: Any, dim: Any, what: str) -> list[tuple[Any, int]]:
    """The lengths and the dimensions of the transforms one after the other; None for a length that is there."""
    ndim = len(sizes(input))
    if dim is None:
        dim = range(ndim) if s is None else range(ndim - len(s), ndim)
    dim = (dim,) if isinstance(dim, (int, np.integer)) else tuple(dim)
    lengths = (None,) * len(dim) if s is None else (s,) if isinstance(s, (int, np.integer)) else tuple(s)
    if len(lengths) != len(dim):
        raise ShapeError(
            f"{what}: Shape and axes have different lengths.", f"The lengths are {lengths}, the dimensions {dim}.",
            "Give a length for each dimension, -1 for its own.",
        )  # fmt: skip
    return [(None if n == -1 else n, axis_of(d, ndim)) for n, d in zip(lengths, dim, strict=True)]


def _along_some(input: Any, s: Any, dim: Any, what: str) -> list[tuple[Any, int]]:
    found = _along(input, s, dim, what)
    if not found:
        raise ShapeError(
            f"{what}: at least 1 axis must be transformed", f"The shape is {sizes(input)}, dim is {dim}.",
            "Name the dimensions.",
        )  # fmt: skip
    return found


@dims
def fftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the discrete Fourier transform along several dimensions: `fft`, of the last first.

    Parameters
    ----------
    s : the length along each of ``dim``: zeros are added, or what is more is cut off; -1 and None keep what there is
    dim : the dimensions; by default as many last ones as ``s`` has lengths, or all
    norm : 'backward', 'ortho' or 'forward', as in `fft`
    """
    norm = normed(norm, "fftn")
    for n, d in reversed(_along(input, s, dim, "fftn")):
        input = fft(input, n, d, norm)
    return input


@dims
def ifftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the inverse of `fftn`."""
    norm = normed(norm, "ifftn")
    for n, d in reversed(_along(input, s, dim, "ifftn")):
        input = ifft(input, n, d, norm)
    return input


@dims
def rfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the part of the `fftn` of a real tensor that says all: of the last of ``dim`` the first half."""
    expect_real(input, "rfftn")
    norm, ((*others, (n, last))) = normed(norm, "rfftn"), _along_some(input, s, dim, "rfftn")
    y = rfft(input, n, last, norm)
    for m, d in reversed(others):  # a repeated dimension has its own length back, of which it has a half by now
        y = fft(y, sizes(input)[d] if m is None else m, d, norm)
    return y


@dims
def irfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the real tensor whose `rfftn` is given, with the lengths ``s``, the last an even one by default."""
    norm, ((*others, (n, last))) = normed(norm, "irfftn"), _along_some(input, s, dim, "irfftn")
    own = s is not None and n is None  # a length of -1 is that of what is given, where none at all is the signal's
    for m, d in others:
        input = ifft(input, m, d, norm)
    return irfft(input, sizes(input)[last] if own else n, last, norm)


@dims
def hfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the real `fftn` of a tensor of which the half along the last of ``dim`` is given (see `hfft`)."""
    return irfftn(conj(input), s, dim, TRANSPOSED_NORM[normed(norm, "hfftn")])


@dims
def ihfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the half along the last of ``dim`` of the tensor whose `fftn` is real and given (see `ihfft`)."""
    return conj(rfftn(input, s, dim, TRANSPOSED_NORM[normed(norm, "ihfftn")]))


@dims
def fft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return `fftn` along two dimensions, the last by default."""
    return fftn(input, s, dim, norm)


@dims
def ifft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return `ifftn` along two dimensions, the last by default."""
    return ifftn(input, s, dim, norm)


@dims
def rfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return `rfftn` along two dimensions, the last by default."""
    return rfftn(input, s, dim, norm)


@dims
def irfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return `irfftn` along two dimensions, the last by default."""
    return irfftn(input, s, dim, norm)


@dims
def hfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return `hfftn` along two dimensions, the last by default."""
    return hfftn(input, s, dim, norm)


@dims
def ihfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
    """Return `ihfftn` along two dimensions, the last by default."""
    return ihfftn(input, s, dim, norm)


# -------------------------------------------------------------------------------------------- shifts, frequencies


def _shifted(input: Any, dim: Any, forth: bool) -> Any:
    shape = sizes(input)
    dim = range(len(shape)) if dim is None else (dim,) if isinstance(dim, (int, np.integer)) else dim
    wanted = tuple(axis_of(d, len(shape)) for d in dim)
    if not wanted:
        return input
    return roll(input, tuple(shape[d] // 2 if forth else -(shape[d] // 2) for d in wanted), wanted)


@dims
def fftshift(input: Any, dim: Any = None) -> Any:
    """Return a spectrum in the order of its frequencies, 0 in the middle, along ``dim`` (default: all)."""
    return _shifted(input, dim, True)


@dims
def ifftshift(input: Any, dim: Any = None) -> Any:
    """Return a spectrum in the order in which `fft` gives it, of one in the order of its frequencies."""
    return _shifted(input, dim, False)


def fftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return the frequencies of the entries of `fft`, in cycles per unit of the distance ``d`` of two samples."""
    return make(np.fft.fftfreq(n, d).astype(float_dtype(dtype)), requires_grad, device)


def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return the frequencies of the entries of `rfft` of ``n`` samples at a distance of ``d``."""
    return make(np.fft.rfftfreq(n, d).astype(float_dtype(dtype)), requires_grad, device)
