"""Functions whose arguments in the array API standard are not those of NumPy, or not of every NumPy since 2.0.

The idea to hold: each takes NumPy's arguments and the standard's, and is NumPy's function otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._array import ARRAYS
from ..core import Tensor

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
    return {k: v for k, v in words.items() if v is not None}


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return differences of neighbours, ``n`` times.

    Parameters are those of `numpy.diff`.
    """
    return np.diff(a, n, axis, **{k: v for k, v in _said(prepend=prepend, append=append).items() if v is not _NO_VALUE})


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
    low, high = ((new if old is None or old is _NO_VALUE else old) for old, new in ((a_min, min), (a_max, max)))
    low, high = (None if limit is _NO_VALUE else limit for limit in (low, high))
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
    return _running(np.cumsum, np.zeros, x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Any:
    """Return the products so far along an axis.

    Parameters are those of `numpy.cumulative_prod`.
    """
    return _running(np.cumprod, np.ones, x, axis, dtype, out, include_initial)


def _running(fn: Any, first: Any, x: Any, axis: Any, dtype: Any, out: Any, include_initial: bool) -> Any:
    if axis is None and np.ndim(x) > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    axis = 0 if axis is None else axis
    found = fn(x, axis, **_said(dtype=dtype, out=out))
    if not include_initial:
        return found
    shape = list(found.shape)
    shape[axis] = 1
    return np.concatenate([first(shape, found.dtype), found], axis)


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
    if device is None or str(device) == "cpu":
        return None if device is None else "cpu"
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

__all__ = ["API_VERSION", "PLAIN", "STANDARD", "cpu"]
