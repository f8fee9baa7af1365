"""NumPy's functions as `symgrad.numpy` has them: pieces in lists are arrays, and new arrays can be filled.

The idea to hold: NumPy's functions find arrays that are differentiated by themselves (`__array_function__`), but do not
look into lists, and make arrays of plain numbers, into which nothing can be written that is differentiated. Where a
transform runs a function of arrays, the functions here look into lists, and what they make can be written to; elsewhere
they are NumPy's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from .._array import ARRAYS, among_arrays, array_of, constant, has_pieces, tensor_of
from ..core import Tensor, table, wrap
from ..ops.entries._copy import cast
from ._for_tensors import as_tensors, has_arrays, has_tensors, on_tensors
from ._standard import PLAIN, STANDARD, cpu

SEQUENCES = frozenset("""
array_split block broadcast_arrays choose column_stack concat concatenate dstack einsum einsum_path hstack ix_
lexsort linalg.multi_dot meshgrid multi_dot piecewise row_stack select stack vstack
""".split())  # noqa: SIM905  # fmt: skip
"""Functions that take a sequence of arrays, which is no array."""


_WORDS = frozenset([bool, int, float, str, type, np.dtype, type(None)])
"""What arguments that go by name mostly are."""


def _made(value: Any) -> Any:
    """What NumPy just made, as an array that can be written to, where one may be needed."""
    if type(value) is np.ndarray and value.dtype.kind in "biufc" and among_arrays():
        return constant(value)
    return value


def of_lists(fn: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function of NumPy's, that takes lists in which there is something that is differentiated."""
    sequence = name in SEQUENCES

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            if "device" in kwargs:
                kwargs["device"] = cpu(kwargs["device"])
            for v in kwargs.values():
                if type(v) not in _WORDS and has_tensors((v,)):
                    return on_tensors(fn, args, kwargs, sequence)
        for a in args:
            kind = type(a)
            if kind in ARRAYS:
                continue
            if isinstance(a, Tensor) or ((kind is list or kind is tuple) and has_tensors(a)):
                return on_tensors(fn, args, kwargs, sequence)
            if not sequence and (kind is list or kind is tuple) and has_pieces(a):
                args = tuple([_array_of_pieces(v) for v in args])
                break
        found = fn(*args, **kwargs)
        if type(found) is np.ndarray and found.dtype.kind in "fc" and among_arrays():
            shared = any(type(a) is np.ndarray and np.may_share_memory(found, a) for a in (*args, *kwargs.values()))
            return found if shared else constant(found)  # which can be written to
        return found

    call.__module__ = fn.__module__
    return call


def _array_of_pieces(value: Any) -> Any:
    if (type(value) is list or type(value) is tuple) and has_pieces(value):
        return array_of(tensor_of(value))
    return value


def making(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's that makes an array of nothing."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("device") is not None:
            kwargs["device"] = cpu(kwargs["device"])
        for a in args:
            if type(a) in ARRAYS or ((type(a) is list or type(a) is tuple) and has_pieces(a)):
                return fn(*[_array_of_pieces(v) for v in args], **kwargs)
        return _made(fn(*args, **kwargs))

    return call


# --------------------------------------------------------------------------------------------------- of what is there


def array(
    object: Any, dtype: Any = None, *, copy: Any = True, order: Any = "K", subok: bool = False, ndmin: int = 0,
    ndmax: int = 0, like: Any = None,
) -> Any:  # fmt: skip
    """Return a new array of numbers, arrays and what is made of them.

    Parameters are those of `numpy.array`.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.numpy as np
    >>> def f(x):
    ...     c, s = np.cos(x), np.sin(x)
    ...     return np.linalg.det(np.array([[c, -2 * s], [s, c]]))
    >>> sg.grad(f)(0.5)
    np.float64(0.8414709848078965)
    """
    if type(object) in ARRAYS or has_pieces(object):
        if copy is False and type(object) not in ARRAYS:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        t = tensor_of(object)
        if not isinstance(t, Tensor):
            return np.array(t, dtype, copy=copy, order=order, ndmin=ndmin)
        made = _like(t, dtype, ndmin, object if copy is not True else None)
        if among_arrays() or has_arrays((object,)):
            return made
        return as_tensors(made, (id(object),) if copy is True else ())
    options = {"like": like} if like is not None else {}
    made = np.array(object, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, **options)
    return _made(made) if made is not object else made


def _like(t: Tensor, dtype: Any, ndmin: int, same: Any) -> Any:
    if dtype is not None and t._data.dtype != np.dtype(dtype):
        t, same = cast(t, np.dtype(dtype)), None
    a = same if same is not None and type(same) in ARRAYS else array_of(t)
    return a if a.ndim >= ndmin else a.reshape((1,) * (ndmin - a.ndim) + tuple(a.shape))


def asarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None
) -> Any:
    """Return an array of ``a``, itself where it is one.

    Parameters are those of `numpy.asarray`.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.numpy as np
    >>> sg.grad(lambda x: np.asarray([x[0], x[1] ** 2]).sum())(np.array([1.0, 3.0]))
    array([1., 6.])
    """
    cpu(device)
    if isinstance(a, Tensor):
        same = dtype is None or a._data.dtype == np.dtype(dtype)
        if not same and copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return cast(a, np.dtype(dtype)) if not same else table("clone")(a, "K") if copy else a
    if type(a) in ARRAYS or has_pieces(a):
        return array(a, dtype, copy=copy)
    made = np.array(a, dtype, copy=copy, order=order)
    return made if made is a else _made(made)


def _contiguous(fn: Callable[..., Any], order: str, flag: str) -> Callable[..., Any]:
    """``ascontiguousarray`` or ``asfortranarray``: an array itself where it lies so, else a copy that does."""

    @functools.wraps(fn)
    def call(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
        a = asarray(a, dtype)
        if type(a) not in ARRAYS:
            return fn(a)
        a = a.reshape(1) if not a.ndim else a
        return a if getattr(a._lying().flags, flag) else a.copy(order)

    return call


def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C", *, device: Any = None, like: Any = None
) -> Any:
    """Return a new array of one value.

    Parameters are those of `numpy.full`.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.numpy as np
    >>> sg.grad(lambda x: np.full((2, 3), x).sum())(1.5)
    np.float64(6.0)
    """
    if not has_pieces(fill_value):
        options = {"like": like} if like is not None else {}
        return _made(np.full(shape, fill_value, dtype, order, device=cpu(device), **options))
    cpu(device)
    value = asarray(fill_value, dtype)
    made = np.broadcast_to(array_of(value) if isinstance(value, Tensor) else value, shape).copy()
    return made if among_arrays() or has_arrays((fill_value,)) else as_tensors(made)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """Return an array of the numbers of another library's array.

    Parameters are those of `numpy.from_dlpack`.
    """
    cpu(device)
    if isinstance(x, Tensor) or type(x) in ARRAYS:
        return asarray(x, copy=copy)
    found = np.from_dlpack(x)
    return _made(found.copy() if copy else found)


def fromiter(iter: Iterable[Any], dtype: Any, count: int = -1, *, like: Any = None) -> Any:
    """Return a new array of what an iterable gives.

    Parameters are those of `numpy.fromiter`.
    """
    values = list(iter)
    values = values if count < 0 else values[:count]
    return array(values, dtype) if has_pieces(values) else _made(np.fromiter(values, dtype))


def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    """Return an array that meets requirements.

    Parameters are those of `numpy.require`.
    """
    return asarray(a, dtype) if type(a) in ARRAYS or has_pieces(a) else np.require(a, dtype, requirements)


class _Kind(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, np.ndarray) or type(value) in ARRAYS

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, np.ndarray) or kind in ARRAYS


class ndarray(metaclass=_Kind):
    """NumPy's arrays and those that are differentiated; called, it makes one.

    Parameters are those of `numpy.ndarray`.
    """

    def __new__(cls, shape: Any, dtype: Any = float, *args: Any, **kwargs: Any) -> Any:
        return _made(np.ndarray(shape, dtype, *args, **kwargs))


class vectorize(np.vectorize):
    """A function of numbers as one of arrays.

    Parameters are those of `numpy.vectorize`.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function at each entry."""
        return _of_objects(super().__call__(*args, **kwargs))


def _of_objects(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_of_objects, value))
    if type(value) is np.ndarray and value.dtype.kind == "O" and has_pieces(value):
        t = tensor_of(value)
        return array_of(t if isinstance(t, Tensor) else wrap(t))
    return value


class _Joined:
    """``r_`` and ``c_``: parts in brackets, joined."""

    def __init__(self, own: Any, axis: int, ndmin: int, trans1d: int) -> None:
        self._own, self._how = own, (axis, ndmin, trans1d)
        self.__doc__ = own.__doc__

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        if not any(has_pieces(p) for p in parts if not isinstance(p, (slice, str))):
            return _made(self._own[key])
        axis, ndmin, trans1d = self._how
        if isinstance(parts[0], str):
            numbers = [int(n) for n in parts[0].split(",")]
            axis, ndmin, trans1d = (numbers + [axis, ndmin, trans1d][len(numbers) :])[:3]
            parts = parts[1:]
        return np.concatenate([_laid(p, ndmin, trans1d) for p in parts], axis)

    def __len__(self) -> int:
        return 0


def _laid(part: Any, ndmin: int, trans1d: int) -> Any:
    """A part in so many dimensions at least, as NumPy lays it."""
    if isinstance(part, slice):
        part = np.r_[part]
    part = asarray(part)
    n = part.ndim
    if n == 0:
        part = part.reshape((1,) * max(ndmin, 1))
    elif n < ndmin:
        axes = list(range(ndmin))
        part = part.reshape((1,) * (ndmin - n) + tuple(part.shape))
        if trans1d != -1:
            more = ndmin - n
            first = trans1d + more + 1 if trans1d < 0 else trans1d
            part = np.transpose(part, axes[:first] + axes[more:] + axes[first:more])
    return part


r_, c_ = _Joined(np.r_, 0, 1, -1), _Joined(np.c_, -1, 2, 0)

MAKERS = """
arange bartlett blackman empty eye fromfunction frombuffer fromfile fromstring genfromtxt hamming hanning identity
indices kaiser loadtxt ones tri zeros
""".split()  # noqa: SIM905
OWN: dict[str, Any] = {
    "array": array, "asarray": asarray, "asanyarray": asarray,
    "ascontiguousarray": _contiguous(np.ascontiguousarray, "C", "c_contiguous"),
    "asfortranarray": _contiguous(np.asfortranarray, "F", "f_contiguous"),
    "asarray_chkfinite": asarray, "fromiter": fromiter, "ndarray": ndarray, "vectorize": vectorize, "r_": r_, "c_": c_,
    "require": require, "full": full, "from_dlpack": from_dlpack, **PLAIN,
}  # fmt: skip


_KEPT = ("__array_namespace_info__", "__version__")


def filled(module: ModuleType, prefix: str = "") -> dict[str, Any]:
    """The public names of one of NumPy's modules, with their values here."""
    found = {name: value for name, value in OWN.items() if not prefix}
    own = {name[len(prefix) :] for name in STANDARD if name.rpartition(".")[0] == prefix.rstrip(".")}
    for name in {*dir(module), *own}:
        if (name.startswith("_") and name not in _KEPT) or name in found or name == "test":  # pytest would run it
            continue
        if name in own:
            found[name] = of_lists(STANDARD[prefix + name], prefix + name)
            continue
        try:
            value = getattr(module, name)
        except AttributeError:
            continue
        if not prefix and name in MAKERS:
            value = making(value)
        elif isinstance(value, FunctionType) or type(value).__name__ == "_ArrayFunctionDispatcher":
            value = of_lists(value, prefix + name)
        found[name] = value
    for value in found.values():
        if isinstance(value, FunctionType | type) and value.__module__.startswith("symgrad.numpy."):
            value.__module__ = "symgrad.numpy" + f".{prefix}".rstrip(".")
    return found
