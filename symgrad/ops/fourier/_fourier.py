"""Fourier transforms along one dimension: four linear rows, and what is written in them.

The idea to hold: the matrix of a transform is symmetric, so `fft` and `ifft` are their own transposes, in each norm.
Those of real signals keep half of the spectrum: `rfft` and `irfft` are each other's transposes, but that all entries
stand for two which have no mirror image outside of the half (the first, and the last of an even length).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._config import complex_of, real_of
from ..._errors import DTypeError, ShapeError
from ...core import linear, short_dtype
from .._dims import axis_of, kind_of, numbers_only, sizes
from .._public import dims
from ..entries._copy import cast
from ..index._index import at_dim
from ..linalg._linalg import conj
from ..shape._pad import constant_pad

TRANSPOSED_NORM = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
"""By the norm of a transform, that in which its inverse is divided by the same: that of its transpose."""


def _signal(rng: Any) -> Any:
    return [rng.normal(size=(2, 5))], (1, "backward")


fft_row: Any = linear(
    "fft", lambda x, dim, norm: np.fft.fft(x, None, dim, norm), lambda g, dim, norm: fft_row(g, dim, norm),
    own_dtype=True, means="axis option", sample=_signal, doc="the discrete Fourier transform along dim",
)  # fmt: skip
ifft_row: Any = linear(
    "ifft", lambda x, dim, norm: np.fft.ifft(x, None, dim, norm), lambda g, dim, norm: ifft_row(g, dim, norm),
    own_dtype=True, means="axis option", sample=_signal, doc="the inverse of the discrete Fourier transform along dim",
)  # fmt: skip


def _mirrored(n: int, dim: int, like: Any, twice: float) -> np.ndarray:
    """``twice`` for each entry of half a spectrum that has a mirror image in the other, else 1."""
    weights = np.full(n // 2 + 1, twice, real_of(like.dtype))
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return weights.reshape(-1, *(1,) * (len(like.shape) - 1 - dim))


rfft_row: Any = linear(
    "rfft", lambda x, dim, norm: np.fft.rfft(x, None, dim, norm),
    lambda g, shape, dim, norm: irfft_row(
        g * _mirrored(shape[dim], dim, g, 0.5), shape[dim], dim, TRANSPOSED_NORM[norm]
    ),
    holomorphic=False, own_dtype=True, real_only=True, means="axis option", sample=_signal,
    doc="the half of a real signal's Fourier transform along dim that says the other",
)  # fmt: skip
irfft_row: Any = linear(
    "irfft", lambda x, n, dim, norm: np.fft.irfft(x, n, dim, norm),
    lambda g, n, dim, norm: rfft_row(g, dim, TRANSPOSED_NORM[norm]) * _mirrored(n, dim, g, 2.0),
    holomorphic=False, own_dtype=True, means="option axis option",
    sample=lambda rng: ([rng.normal(size=(2, 4)) + 1j * rng.normal(size=(2, 4))], (6, 1, "backward")),
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
    return x[at_dim(dim, slice(0, n))] if n < size else constant_pad(x, _behind(len(sizes(x)), dim, n - size), 0)


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


def _half(n: Any, dim: int, shape: Any, what: str) -> int:
    """The length of the signal of which half a spectrum has this shape."""
    given = shape[dim] if n is None else n
    numbers_only((given,), what)
    return length_of(n, 2 * (shape[dim] - 1), what)


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
    n = _half(n, dim, shape, "irfft")
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
