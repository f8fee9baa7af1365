"""Fourier transforms under `torch.fft`'s names: linear, of real and complex numbers, along any dimensions. Written by docs/_stubs.py: change the functions, not this text."""

# ruff: noqa
# fmt: off
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import object as _object
from builtins import str as _str
from builtins import type as _type
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
from numpy.typing import DTypeLike

from symgrad._typing import Operand

from .. import return_types
from ..core import Tensor

@overload
def fft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the discrete Fourier transform along ``dim``, ``sum over j of x[j] * exp(-2j * pi * j * k / n)``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : how many entries are transformed: zeros are added, or what is more is cut off; all by default
    norm : 'backward' (default: nothing is divided), 'ortho' (by the root of n) or 'forward' (by n)
    dim : int, default -1
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.fft.fft(sg.tensor([1.0, 2.0, 0.0, 0.0]))
    tensor([ 3.+0.j,  1.-2.j, -1.+0.j,  1.+2.j])
    """
@overload
def fft(input: Operand, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def fft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return `fftn` along two dimensions, the last by default.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : tuple of ints, optional
        The length along each dimension, as ``n`` of `fft`; -1 keeps what there is.
    dim : int or tuple of ints, default (-2, -1)
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def fft2(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
def fftfreq(n: _int, d: _float = 1.0, *, dtype: DTypeLike | None = None, layout: Any = None, device: Any = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return the frequencies of the entries of `fft`, in cycles per unit of the distance ``d`` of two samples.

    Parameters
    ----------
    n : int
        How many entries are transformed: zeros are added, or what is more is cut off.
    d : float, default 1.0
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def fftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the discrete Fourier transform along several dimensions: `fft`, of the last first.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : the length along each of ``dim``: zeros are added, or what is more is cut off; -1 and None keep what there is
    dim : the dimensions; by default as many last ones as ``s`` has lengths, or all
    norm : 'backward', 'ortho' or 'forward', as in `fft`
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def fftn(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def fftshift(input: Tensor, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Return a spectrum in the order of its frequencies, 0 in the middle, along ``dim`` (default: all).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def fftshift(input: Operand, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def hfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the real `fft` of a signal of ``n`` entries whose half is given, the other half being its mirror image.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int, optional
    dim : int, default -1
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def hfft(input: Operand, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def hfft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return `hfftn` along two dimensions, the last by default.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : tuple of ints, optional
        The length along each dimension, as ``n`` of `fft`; -1 keeps what there is.
    dim : int or tuple of ints, default (-2, -1)
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def hfft2(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def hfftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the real `fftn` of a tensor of which the half along the last of ``dim`` is given (see `hfft`).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : tuple of ints, optional
        The length along each dimension, as ``n`` of `fft`; -1 keeps what there is.
    dim : int or tuple of ints, optional
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def hfftn(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def ifft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the inverse of `fft`, which is divided by what that is not: by n, its root, or nothing.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int, optional
        How many entries are transformed: zeros are added, or what is more is cut off.
    dim : int, default -1
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def ifft(input: Operand, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def ifft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return `ifftn` along two dimensions, the last by default.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : tuple of ints, optional
        The length along each dimension, as ``n`` of `fft`; -1 keeps what there is.
    dim : int or tuple of ints, default (-2, -1)
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def ifft2(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def ifftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the inverse of `fftn`.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : tuple of ints, optional
        The length along each dimension, as ``n`` of `fft`; -1 keeps what there is.
    dim : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def ifftn(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def ifftshift(input: Tensor, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Return a spectrum in the order in which `fft` gives it, of one in the order of its frequencies.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def ifftshift(input: Operand, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def ihfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return half of the signal whose `fft` is real and given: the inverse of `hfft`.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int, optional
        How many entries are transformed: zeros are added, or what is more is cut off.
    dim : int, default -1
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def ihfft(input: Operand, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def ihfft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return `ihfftn` along two dimensions, the last by default.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : tuple of ints, optional
        The length along each dimension, as ``n`` of `fft`; -1 keeps what there is.
    dim : int or tuple of ints, default (-2, -1)
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def ihfft2(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def ihfftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the half along the last of ``dim`` of the tensor whose `fftn` is real and given (see `ihfft`).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : tuple of ints, optional
        The length along each dimension, as ``n`` of `fft`; -1 keeps what there is.
    dim : int or tuple of ints, optional
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def ihfftn(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def irfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the real signal of ``n`` entries (default: an even number) whose `rfft` is given: the inverse of `rfft`.

    Imaginary parts of entries that are real in any such spectrum (the first, and the last of an even n) are left out.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int, optional
    dim : int, default -1
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def irfft(input: Operand, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def irfft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return `irfftn` along two dimensions, the last by default.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : tuple of ints, optional
        The length along each dimension, as ``n`` of `fft`; -1 keeps what there is.
    dim : int or tuple of ints, default (-2, -1)
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def irfft2(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def irfftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the real tensor whose `rfftn` is given, with the lengths ``s``, the last an even one by default.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : tuple of ints, optional
    dim : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def irfftn(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def rfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the first ``n // 2 + 1`` entries of the `fft` of a real signal; the others are their conjugates.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int, optional
    dim : int, default -1
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def rfft(input: Operand, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def rfft2(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return `rfftn` along two dimensions, the last by default.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : tuple of ints, optional
        The length along each dimension, as ``n`` of `fft`; -1 keeps what there is.
    dim : int or tuple of ints, default (-2, -1)
        The dimension to work along, or several; from the end if negative.
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def rfft2(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = ..., norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
def rfftfreq(n: _int, d: _float = 1.0, *, dtype: DTypeLike | None = None, layout: Any = None, device: Any = None, pin_memory: _bool = False, requires_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return the frequencies of the entries of `rfft` of ``n`` samples at a distance of ``d``.

    Parameters
    ----------
    n : int
    d : float, default 1.0
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def rfftn(input: Tensor, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the part of the `fftn` of a real tensor that says all: of the last of ``dim`` the first half.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    s : tuple of ints, optional
        The length along each dimension, as ``n`` of `fft`; -1 keeps what there is.
    dim : int or tuple of ints, optional
    norm : str, optional
        What is divided by n: the inverse, both by the root of n, or what is no inverse.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def rfftn(input: Operand, s: Any = None, dim: _int | Sequence[_int] | None = None, norm: _str | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]
