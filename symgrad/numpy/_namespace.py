"""NumPy's functions as `symgrad.numpy` has them, with the array API standard's arguments, and on tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from itertools import islice
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from .._array import (
    ARRAYS,
    PARTS,
    SCALARS,
    VIEWS,
    WRITERS,
    array_of,
    as_argument,
    constant,
    has_pieces,
    is_of_objects,
    tensor_of,
)
from .._trees import container_like
from ..core import Carrier, Dim, Tensor, modes, wrap
from ..ops import FUNCTIONS
from ..ops.entries import cast, clone_row
from ..ops.numpy import running

# -------------------------------------------------------------------------------------------------------------------
# NumPy's functions on tensors as the namespace has them: tensors go in as arrays of NumPy's manners, and come out

# The idea to hold: what a function means is NumPy's, whoever calls it; whether it gives arrays or tensors is said by
# what it was given.


def holds(values: Any, kind: type) -> bool:
    """Whether there are tensors, or arrays that a transform made (`Carrier`), among values, or in lists of them."""
    return any(isinstance(v, kind) or (type(v) in _LISTS and holds(v, kind)) for v in values)


_LISTS = frozenset([list, tuple])


def _holds_pieces(value: Any) -> bool:
    """Whether a value is a list in which there is something that is differentiated."""
    return type(value) in _LISTS and has_pieces(value)


def on_tensors(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], sequence: bool) -> Any:
    """A function of NumPy's that was given tensors."""
    values = (*args, *kwargs.values())
    if fn in WRITERS or kwargs.get("out") is not None:
        return as_tensors(fn(*args, **kwargs))
    found = fn(*[_array(v, sequence) for v in args], **{k: _array(v, sequence) for k, v in kwargs.items()})
    if holds(values, Carrier):
        return found
    given = () if fn in VIEWS or fn in PARTS else tuple(id(v) for v in values if isinstance(v, Tensor))
    return as_tensors(found, given)


def _array(value: Any, sequence: bool = False) -> Any:
    if isinstance(value, Tensor):
        return array_of(value)
    if _holds_pieces(value):
        return type(value)([_array(v, sequence) for v in value]) if sequence else array_of(tensor_of(value))
    return value


def as_tensors(found: Any, given: tuple[int, ...] = ()) -> Any:
    """Results as tensors; one that was ``given`` (its id) is copied, since tensors may be written to."""
    if type(found) in ARRAYS:
        return clone_row(found._t, "K") if id(found._t) in given else found._t
    if isinstance(found, np.ndarray | np.generic) and found.dtype.kind in "biufc":
        return wrap(np.asarray(found))
    if isinstance(found, tuple | list):
        return container_like(found, [as_tensors(v, given) for v in found])
    return found


# -------------------------------------------------------------------------------------------------------------------
# Functions whose arguments in the array API standard are not those of NumPy, or not of every NumPy since 2.0

# The idea to hold: each takes NumPy's arguments and the standard's, and is NumPy's function otherwise.


API_VERSION = "2024.12"

# ------------------------------------------------------------------------------------------- what no NumPy has


def sort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False
) -> Any:
    """Return the entries along an axis in order, also from the largest down.

    Parameters are those of `numpy.sort`.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.numpy as np
    >>> sg.grad(lambda x: np.sort(x, descending=True)[0] ** 2)(np.array([1.0, 3.0, 2.0]))
    array([0., 6., 0.])
    """
    if not descending:
        return np.sort(a, axis, **_said(kind=kind, order=order, stable=stable))
    found = np.sort(a, axis, **_said(kind=kind, order=order))
    return np.flip(found, -1 if axis is None else axis).copy()


def argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False
) -> Any:
    """Return the places of the entries in order, also from the largest down, ties as they were.

    Parameters are those of `numpy.argsort`.

    Examples
    --------
    >>> import symgrad.numpy as np
    >>> np.argsort(np.array([1.0, 3.0, 3.0]), descending=True)
    array([1, 2, 0])
    """
    if not descending:
        return np.argsort(a, axis, **_said(kind=kind, order=order, stable=stable))
    if axis is None:
        a, axis = np.ravel(a), -1
    back = np.argsort(np.flip(a, axis), axis, **_said(kind="stable", order=order))
    return np.shape(a)[axis] - 1 - np.flip(back, axis)


def _said(**words: Any) -> dict[str, Any]:
    return {k: v for k, v in words.items() if v is not None and v is not _NO_VALUE}


def _first_said(*values: Any) -> Any:
    return next((v for v in values if v is not None and v is not _NO_VALUE), None)


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return differences of neighbours, ``n`` times.

    Parameters are those of `numpy.diff`.
    """
    return np.diff(a, n, axis, **_said(prepend=prepend, append=append))


def expand_dims(a: Any, axis: Any = 0) -> Any:
    """Return the array with new axes of size 1.

    Parameters are those of `numpy.expand_dims`.
    """
    return np.expand_dims(a, axis)


def clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None, **words: Any
) -> Any:
    """Return the entries within limits, of which either may be left out.

    Parameters are those of `numpy.clip`.
    """
    low, high = _first_said(a_min, min), _first_said(a_max, max)
    return np.clip(a, low, high, **_said(out=out), **words) if low is not None or high is not None else np.copy(a)


def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """Return the entries that are named along an axis.

    Parameters are those of `numpy.take_along_axis`.
    """
    return np.take_along_axis(arr, indices, axis)


def fftfreq(n: int, d: Any = 1.0, device: Any = None, *, dtype: Any = None) -> Any:
    """Return the frequencies of a discrete Fourier transform.

    Parameters are those of `numpy.fft.fftfreq`.
    """
    return _in_dtype(np.fft.fftfreq(n, d, cpu(device)), dtype)


def rfftfreq(n: int, d: Any = 1.0, device: Any = None, *, dtype: Any = None) -> Any:
    """Return the frequencies of a discrete Fourier transform of real numbers.

    Parameters are those of `numpy.fft.rfftfreq`.
    """
    return _in_dtype(np.fft.rfftfreq(n, d, cpu(device)), dtype)


def _in_dtype(a: Any, dtype: Any) -> Any:
    return a if dtype is None else a.astype(dtype, copy=False)


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype of what is computed from arrays, dtypes and numbers.

    Parameters are those of `numpy.result_type`.
    """
    return np.result_type(*[a.dtype if type(a) in ARRAYS else a for a in arrays_and_dtypes])


def finfo(dtype: Any, /) -> Any:
    """Return the limits of a dtype of floating-point numbers, or of the dtype of an array.

    Parameters are those of `numpy.finfo`.
    """
    return np.finfo(_dtype_of(dtype))


def iinfo(dtype: Any, /) -> Any:
    """Return the limits of a dtype of whole numbers, or of the dtype of an array.

    Parameters are those of `numpy.iinfo`.
    """
    return np.iinfo(_dtype_of(dtype))


def _dtype_of(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value._data.dtype
    return value.dtype if isinstance(value, np.ndarray | np.generic) or type(value) in ARRAYS else value


# ----------------------------------------------------------------------------------------- what NumPy 2.0 has not


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """Return the parts of an array along an axis.

    Parameters are those of `numpy.unstack`.
    """
    if not np.ndim(x):
        raise ValueError("Input array must be at least 1-d.")
    return tuple(np.moveaxis(x, axis, 0))


def cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Any:
    """Return the sums so far along an axis.

    Parameters are those of `numpy.cumulative_sum`.
    """
    return running(np.cumsum, np.zeros)(x, axis=axis, dtype=dtype, out=out, include_initial=include_initial)


def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Any:
    """Return the products so far along an axis.

    Parameters are those of `numpy.cumulative_prod`.
    """
    return running(np.cumprod, np.ones)(x, axis=axis, dtype=dtype, out=out, include_initial=include_initial)


def reshape(a: Any, /, shape: Any = None, order: Any = "C", *, newshape: Any = None, copy: bool | None = None) -> Any:
    """Return the entries in another shape.

    Parameters are those of `numpy.reshape`.
    """
    found = np.reshape(a, newshape if shape is None else shape, order)
    if copy is False and type(a) is np.ndarray and not np.shares_memory(a, found):
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return found.copy() if copy else found


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """Return the array in another dtype.

    Parameters are those of `numpy.astype`.
    """
    cpu(device)
    return np.astype(x, dtype, copy=copy)


def cpu(device: Any) -> Any:
    """A device as NumPy calls it: there is one."""
    if device is None:
        return None
    if str(device) == "cpu":
        return "cpu"
    raise ValueError(f"symgrad computes on the CPU; there is no device {device!r}")


_KINDS = {
    "bool": "bool", "signed integer": "int8 int16 int32 int64", "unsigned integer": "uint8 uint16 uint32 uint64",
    "real floating": "float32 float64", "complex floating": "complex64 complex128",
}  # fmt: skip
_KINDS["integral"] = f"{_KINDS['signed integer']} {_KINDS['unsigned integer']}"
_KINDS["numeric"] = f"{_KINDS['integral']} {_KINDS['real floating']} {_KINDS['complex floating']}"


class Info:
    """What the namespace says of itself, for a NumPy that says nothing."""

    def capabilities(self) -> dict[str, Any]:
        """What depends on values, and how many dimensions there may be."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """The device on which arrays are made."""
        return "cpu"

    def devices(self) -> list[str]:
        """All devices."""
        return ["cpu"]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """The dtypes of arrays that are made without being told one."""
        cpu(device)
        return {name: np.dtype(kind) for name, kind in (
            ("real floating", float), ("complex floating", complex), ("integral", np.intp), ("indexing", np.intp),
        )}  # fmt: skip

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """The dtypes of a kind, or of several."""
        cpu(device)
        kinds = kind if isinstance(kind, tuple) else ("bool", "numeric") if kind is None else (kind,)
        return {name: np.dtype(name) for k in kinds for name in _KINDS[k].split()}


_NO_VALUE: Any = np._NoValue

STANDARD: dict[str, Callable[..., Any]] = {
    "sort": sort, "argsort": argsort, "diff": diff, "expand_dims": expand_dims, "take_along_axis": take_along_axis,
    "clip": clip, "fft.fftfreq": fftfreq, "fft.rfftfreq": rfftfreq,
}  # fmt: skip
"""Functions that are NumPy's with more arguments."""

if np.lib.NumpyVersion(np.__version__) < "2.1.0":
    STANDARD.update({
        "unstack": unstack, "cumulative_sum": cumulative_sum, "cumulative_prod": cumulative_prod, "reshape": reshape,
        "astype": astype,
    })  # fmt: skip

PLAIN: dict[str, Any] = {
    "finfo": finfo,
    "iinfo": iinfo,
    "result_type": result_type,
    "__array_api_version__": API_VERSION,
}
"""Names whose values take arrays as they are."""

if not hasattr(np, "__array_namespace_info__"):
    PLAIN["__array_namespace_info__"] = Info


# -------------------------------------------------------------------------------------------------------------------
# NumPy's functions as `symgrad.numpy` has them: pieces in lists are arrays, and new arrays can be filled

# The idea to hold: NumPy's functions find arrays that are differentiated by themselves (`__array_function__`), but do
# not look into lists, and make arrays of plain numbers, into which nothing can be written that is differentiated. Where
# a transform runs a function of arrays, the functions here look into lists, and what they make can be written to;
# elsewhere they are NumPy's.


SEQUENCES = frozenset("""
array_split block broadcast_arrays choose column_stack concat concatenate dstack einsum einsum_path hstack ix_
lexsort linalg.multi_dot meshgrid multi_dot piecewise row_stack select stack vstack
""".split())  # noqa: SIM905  # fmt: skip
"""Functions that take a sequence of arrays, which is no array."""


_WORDS = frozenset([bool, int, float, str, type, np.dtype, type(None)])
"""What arguments that go by name mostly are."""


def _made(value: Any) -> Any:
    """What NumPy just made, as an array that can be written to, where one may be needed."""
    if type(value) is np.ndarray and value.dtype.kind in "biufc" and modes.among_arrays():
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
                if type(v) not in _WORDS and holds((v,), Tensor):
                    return on_tensors(fn, args, kwargs, sequence)
        for a in args:
            kind = type(a)
            if kind in ARRAYS:
                continue
            if isinstance(a, Tensor) or (kind in _LISTS and holds(a, Tensor)):
                return on_tensors(fn, args, kwargs, sequence)
            if not sequence and kind in _LISTS and has_pieces(a):
                args = tuple(map(_array, args))
                break
        found = fn(*args, **kwargs)
        if type(found) is np.ndarray and found.dtype.kind in "fc" and modes.among_arrays():
            shared = any(type(a) is np.ndarray and np.may_share_memory(found, a) for a in (*args, *kwargs.values()))
            return found if shared else constant(found)  # which can be written to
        return found

    call.__module__ = fn.__module__
    return call


def making(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's that makes an array of nothing."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("device") is not None:
            kwargs["device"] = cpu(kwargs["device"])
        for a in args:
            if type(a) in ARRAYS or _holds_pieces(a):
                return fn(*map(_array, args), **kwargs)
            if type(a) is Dim and fn is np.arange:  # which asks for numbers
                return as_argument(FUNCTIONS["arange"](*args))
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
        if modes.among_arrays() or holds((object,), Carrier):
            return made
        return as_tensors(made, (id(object),) if copy is True else ())
    made = np.array(object, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, **_said(like=like))
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
        return cast(a, np.dtype(dtype)) if not same else clone_row(a, "K") if copy else a
    if type(a) in ARRAYS or has_pieces(a):
        return array(a, dtype, copy=copy)
    made = np.array(a, dtype, copy=copy, order=order)
    return made if made is a else _made(made)


def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """Return an array of ``a``, whose entries must be finite.

    Parameters are those of `numpy.asarray_chkfinite`.
    """
    found = asarray(a, dtype, order)
    t = tensor_of(found)
    np.asarray_chkfinite(t._data if isinstance(t, Tensor) else t)
    return found


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
        return _made(np.full(shape, fill_value, dtype, order, device=cpu(device), **_said(like=like)))
    cpu(device)
    value = asarray(fill_value, dtype)
    made = np.broadcast_to(array_of(value) if isinstance(value, Tensor) else value, shape).copy()
    return made if modes.among_arrays() or holds((fill_value,), Carrier) else as_tensors(made)


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
    values = list(islice(iter, None if count < 0 else count))  # of what has no end, too
    if has_pieces(values):
        np.fromiter(range(len(values)), int, count)  # which says if they are too few
        return array(values, dtype)
    return _made(np.fromiter(values, dtype, count))


def iterable(y: Any) -> bool:
    """Return whether one can go through an object; through a number one cannot.

    Parameters are those of `numpy.iterable`.
    """
    return type(y) not in SCALARS and np.iterable(y)


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
    if is_of_objects(value) and has_pieces(value):
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
    "asarray_chkfinite": asarray_chkfinite, "fromiter": fromiter, "iterable": iterable,
    "ndarray": ndarray, "vectorize": vectorize,
    "r_": r_, "c_": c_,
    "require": require, "full": full, "from_dlpack": from_dlpack, **PLAIN,
}  # fmt: skip


_KEPT = ("__array_namespace_info__", "__version__")


def filled(module: ModuleType, prefix: str = "") -> dict[str, Any]:
    """The public names of one of NumPy's modules, with their values here."""
    found = {} if prefix else dict(OWN)
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
