"""Fourier, cosine and sine transforms along one dimension or several: linear rows, and what is written in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._config import complex_of, real_of
from ..._errors import DTypeError, ShapeError
from ...core import Tensor, linear, short_dtype
from ..arguments import axis_of, kind_of, numbers_only, rank, sizes
from ..create.creation import float_dtype, make
from ..entries.copies import cast
from ..index.index import at_dim
from ..linalg.linear_systems import conj
from ..public import dims, named
from ..samples import complexes, sampled
from ..shape.joins import constant_pad
from ..shape.moves import roll

# ------------------------------ Fourier transforms along one dimension: four linear rows, and what is written in them

# The idea to hold: the matrix of a transform is symmetric, so `fft` and `ifft` are their own transposes, in each norm.
# Those of real signals keep half of the spectrum: `rfft` and `irfft` are each other's transposes, but that all entries
# stand for two which have no mirror image outside of the half (the first, and the last of an even length).


TRANSPOSED_NORM = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
"""By the norm of a transform, that in which its inverse is divided by the same: that of its transpose."""


_signal = sampled(1, "backward", of=[(2, 5)])

fft_row: Any = linear(
    "fft", lambda x, dim, norm: np.fft.fft(x, None, dim, norm), lambda g, dim, norm: fft_row(g, dim, norm),
    own_dtype=True, means="axis option", sample=_signal, doc="the discrete Fourier transform along dim",
)  # fmt: skip
ifft_row: Any = linear(
    "ifft", lambda x, dim, norm: np.fft.ifft(x, None, dim, norm), lambda g, dim, norm: ifft_row(g, dim, norm),
    own_dtype=True, means="axis option", sample=_signal, doc="the inverse of the discrete Fourier transform along dim",
)  # fmt: skip


def mirrored_twice(n: int, dim: int, like: Any, twice: float) -> np.ndarray:
    """``twice`` for each entry of half a spectrum that has a mirror image in the other, else 1."""
    weights = np.full(n // 2 + 1, twice, real_of(like.dtype))
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return weights.reshape(-1, *(1,) * (len(like.shape) - 1 - dim))


rfft_row = linear(
    "rfft", lambda x, dim, norm: np.fft.rfft(x, None, dim, norm),
    lambda g, shape, dim, norm: irfft_row(
        g * mirrored_twice(shape[dim], dim, g, 0.5), shape[dim], dim, TRANSPOSED_NORM[norm]
    ),
    holomorphic=False, own_dtype=True, real_only=True, means="axis option", sample=_signal,
    doc="the half of a real signal's Fourier transform along dim that says the other",
)  # fmt: skip
irfft_row: Any = linear(
    "irfft", lambda x, n, dim, norm: np.fft.irfft(x, n, dim, norm),
    lambda g, n, dim, norm: rfft_row(g, dim, TRANSPOSED_NORM[norm]) * mirrored_twice(n, dim, g, 2.0),
    holomorphic=False, own_dtype=True, means="option axis option",
    sample=sampled(6, 1, "backward", of=[complexes(2, 4)]),
    doc="the real signal of n entries along dim of which half a Fourier transform is given",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ their arguments


def normed(norm: str | None, what: str) -> str:
    """The name of a norm, which None leaves to be the usual."""
    norm = "backward" if norm is None else norm
    if norm not in TRANSPOSED_NORM:
        raise ValueError(
            f"{what}: the norm is 'backward', 'ortho' or 'forward', not {norm!r}\n"
            "'backward' divides the inverse transform by n, 'forward' the other, 'ortho' both by the root of n."
        )
    return norm


def resized(x: Any, n: Any, dim: int) -> Any:
    """The first ``n`` entries along a dimension, zeros where there are fewer."""
    size = sizes(x)[dim]
    if n is None or n == size:
        return x
    return x[at_dim(dim, slice(0, n))] if n < size else constant_pad(x, _behind(rank(x), dim, n - size), 0)


def _behind(ndim: int, dim: int, amount: int) -> tuple[tuple[int, int], ...]:
    return tuple((0, amount if k == dim else 0) for k in range(ndim))


def length_of(n: Any, otherwise: Any, what: str) -> int:
    """How many entries a transform has: ``n``, or ``otherwise`` where that is None."""
    n = otherwise if n is None else n
    if n < 1:
        raise ShapeError(
            f"{what}: Invalid number of data points ({n}) specified", "A transform has at least one.",
            "Check n= and the shape.",
        )  # fmt: skip
    return n


def _prepared(x: Any, n: Any, dim: Any, norm: Any, what: str) -> tuple[Any, int, str]:
    shape = sizes(x)
    if not shape:
        raise ShapeError(f"{what} is along a dimension, and a number has none", "", "x.reshape(1) has one.")
    dim, norm = axis_of(dim, len(shape)), normed(norm, what)
    return resized(x, length_of(n, shape[dim], what), dim), dim, norm


def _half(n: Any, dim: int, shape: Any) -> int:
    """The length of the signal of which half a spectrum has this shape."""
    given = shape[dim] if n is None else n
    numbers_only((given,), "irfft")
    return length_of(n, 2 * (shape[dim] - 1), "irfft")


def expect_real(x: Any, what: str) -> None:
    """Raise for complex numbers."""
    if kind_of(x) == "c":
        raise DTypeError(
            f"{what} expects a real input tensor, but got {short_dtype(x.dtype)}",
            "It gives half of a spectrum, the other half of which is its mirror image.",
            "sg.fft.fft (np.fft.fft) takes complex numbers; x.real is real.",
        )


# --------------------------------------------------------------------------------------------------- the functions


@dims
def fft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the discrete Fourier transform along ``dim``, ``sum over j of x[j] * exp(-2j * pi * j * k / n)``.

    Parameters
    ----------
    n : how many entries are transformed: zeros are added, or what is more is cut off; all by default
    norm : 'backward' (default: nothing is divided), 'ortho' (by the root of n) or 'forward' (by n)

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.fft.fft(sg.tensor([1.0, 2.0, 0.0, 0.0]))
    tensor([ 3.+0.j,  1.-2.j, -1.+0.j,  1.+2.j])
    """
    return fft_row(*_prepared(input, n, dim, norm, "fft"))


@dims
def ifft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the inverse of `fft`, which is divided by what that is not: by n, its root, or nothing."""
    return ifft_row(*_prepared(input, n, dim, norm, "ifft"))


@dims
def rfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the first ``n // 2 + 1`` entries of the `fft` of a real signal; the others are their conjugates."""
    expect_real(input, "rfft")
    x, dim, norm = _prepared(input, n, dim, norm, "rfft")
    numbers_only((sizes(x)[dim],), "rfft")
    return rfft_row(x, dim, norm)


@dims
def irfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the real signal of ``n`` entries (default: an even number) whose `rfft` is given: the inverse of `rfft`.

    Imaginary parts of entries that are real in any such spectrum (the first, and the last of an even n) are left out.
    """
    shape = sizes(input)
    x, dim, norm = _prepared(input, None, dim, norm, "irfft")
    n = _half(n, dim, shape)
    if kind_of(x) != "c":  # as a complex number its gradient is one, of which the real part is left
        x = cast(x, complex_of(x.dtype))
    return irfft_row(resized(x, n // 2 + 1, dim), n, dim, norm)


@dims
def hfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return the real `fft` of a signal of ``n`` entries whose half is given, the other half being its mirror image."""
    return irfft(conj(input), n, dim, TRANSPOSED_NORM[normed(norm, "hfft")])


@dims
def ihfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """Return half of the signal whose `fft` is real and given: the inverse of `hfft`."""
    expect_real(input, "ihfft")
    return conj(rfft(input, n, dim, TRANSPOSED_NORM[normed(norm, "ihfft")]))


# -------------------------------------------------------------------------------------------------------------------
# Fourier transforms along several dimensions, one after the other; the frequencies of spectra, and their order

# The idea to hold: a transform along several dimensions is one along each; a real one, of the last alone.


def lengths_along(input: Any, s: Any, dim: Any, what: str) -> list[tuple[Any, int]]:
    """The lengths and the dimensions of the transforms one after the other; None for a length that is there."""
    ndim = rank(input)
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
    found = lengths_along(input, s, dim, what)
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
    for n, d in reversed(lengths_along(input, s, dim, "fftn")):
        input = fft(input, n, d, norm)
    return input


@dims
def ifftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
    """Return the inverse of `fftn`."""
    norm = normed(norm, "ifftn")
    for n, d in reversed(lengths_along(input, s, dim, "ifftn")):
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


def _of_two(transform: Callable[..., Any]) -> Callable[..., Any]:
    def fn(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
        return transform(input, s, dim, norm)

    name = transform.__name__
    return dims(named(fn, name[:-1] + "2", f"Return `{name}` along two dimensions, the last by default."))


fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = map(_of_two, (fftn, ifftn, rfftn, irfftn, hfftn, ihfftn))

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


# ------------------------------------------ Cosine and sine transforms: one linear row, in SciPy's scale without norm

# The idea to hold: types 1 and 4 have symmetric matrices and types 2 and 3 are each other's transposes, but that the
# ends of a signal, which have no mirror image, are counted once and all others twice.


def _transform(x: np.ndarray, kind: str, type: int) -> np.ndarray:
    from scipy import fft

    return (fft.dct if kind == "dct" else fft.dst)(x, type)


def _counts(n: int, kind: str, type: int, dtype: Any) -> np.ndarray:
    """How often each entry of a signal counts, in halves of the others."""
    counts = np.full(n, 2.0, np.empty(0, dtype).real.dtype)
    if kind == "dct" and type in (1, 3):
        counts[0] = 1
    if (kind == "dct" and type == 1) or (kind == "dst" and type == 3):
        counts[-1] = 1
    return counts


def _transpose(g: Any, kind: str, type: int) -> Any:
    n = int(g.shape[-1])
    if type == 1:
        counts = _counts(n, kind, 1, g.dtype)
        return cosine_row(g / counts, kind, 1) * counts
    if type == 2:
        return cosine_row(g * (2 / _counts(n, kind, 3, g.dtype)), kind, 3)
    if type == 3:
        return cosine_row(g, kind, 2) * (_counts(n, kind, 3, g.dtype) / 2)
    return cosine_row(g, kind, 4)


cosine_row = linear(
    "cosine_transform", _transform, _transpose,
    means="option option", last=1, sample=sampled("dct", 2, of=[(2, 5)]),
    doc="the cosine ('dct') or sine ('dst') transform of a type, along the last axis",
)  # fmt: skip
