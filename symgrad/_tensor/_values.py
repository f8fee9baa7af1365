"""A tensor's values: as numbers and arrays, in other dtypes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._device import Device, as_device
from .._errors import DeviceError, DTypeError, GradientError, InplaceError, ShapeError
from .._typing import DTYPES, as_dtype
from ..core import (
    Carrier,
    Symbol,
    Tensor,
    alias,
    carries,
    edge,
    extra,
    foreign,
    is_beside_sparse,
    is_leaf_node,
    modes,
    of_numpy,
    reachable,
    refuse_foreign,
    storage,
    table,
    unknown,
)
from ..ops._dims import rests_on_values
from ..ops._lazy import numpys
from ..ops._public import METHODS
from ._attach import attach, member
from ._leaving import no_array, refuse_lost


def _get_data(self: Tensor) -> Tensor:
    """The same memory without history; writes through it go unnoticed by the graph."""
    return alias(self, untracked=True)


def _set_data(self: Tensor, value: Tensor) -> None:
    if not isinstance(value, Tensor):
        raise DTypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if self._node is not None and value._data.dtype.kind not in "fc":
        raise DTypeError(
            "data set to a tensor that requires gradients must be floating point or complex dtype",
            f"The new data are {value._data.dtype}.",
            "Cast them first.",
        )
    if modes.under_way and self._node is not None and not modes.under_way.isdisjoint(reachable([edge(self)])[3]):
        raise InplaceError(
            "mutating directly with `.data` inside functorch transform is not allowed.",
            "The derivative would be one of the new data, and not know that the function computed them.",
            "Compute a new tensor, or write to a copy: x.clone().",
        )
    extra(self).uncounted += storage.version(value._data) - storage.version(self._data)
    self._data = value._data
    if is_leaf_node(self._node):
        self._node.data = value._data


Tensor.data = property(_get_data, _set_data)  # type: ignore[method-assign,assignment]


@attach
def item(self: Tensor) -> Any:
    """Return the one element as a Python number."""
    if self._data.size != 1:
        raise ShapeError(
            f"a Tensor with {self._data.size} elements cannot be converted to Scalar",
            f"Its shape is {list(self._data.shape)}.", "Index one element, or use tolist().",
        )  # fmt: skip
    if self._node is not None:
        refuse_lost(self, "item")
    return _noted(self, self._data.item())


@attach
def tolist(self: Tensor) -> Any:
    """Return the elements as nested lists of Python numbers."""
    if self._node is not None:
        refuse_lost(self, "tolist")
    return _noted(self, self._data.tolist())


@attach
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """Return the array itself (shared memory); a tensor that requires grad must be detached first, or under no_grad."""
    if self._node is not None and not force and modes.mode.get() > 0:
        raise no_array(explicit=True)
    return self._data[...] if self._data.ndim == 0 else self._data


@attach
def __array__(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    if is_beside_sparse(sys._getframe(1)):
        return unknown(self)  # the product is ours
    if self._node is not None and modes.mode.get() > 0:
        raise no_array(explicit=False)
    array = numpy(self, force=True)
    if dtype is not None and np.dtype(dtype) != array.dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


@attach
def __array_ufunc__(self: Tensor, ufunc: Any, method: str, x: Any, /, *others: Any, **kwargs: Any) -> Any:
    row = of_numpy[ufunc]
    if method == "__call__" and not others and not kwargs and row is not None:  # the commonest: look no further
        return row(x)
    inputs = (x, *others)
    for v in inputs:
        if isinstance(v, (Carrier, list, tuple)) and carries(v):
            return Carrier.ufunc(ufunc, method, inputs, kwargs)
    return numpys.ufunc_on_tensors(ufunc, method, inputs, kwargs)


@attach
def __array_function__(self: Tensor, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    if len(types) > 1:
        if any(issubclass(kind, Carrier) for kind in types):
            return NotImplemented
        refuse_foreign(types)
    for v in (*args, *kwargs.values()):
        if isinstance(v, (Carrier, list, tuple)) and carries(v):
            return Carrier.function(func, args, kwargs)
    return numpys.function_on_tensors(func, args, kwargs)


@member
def _mask(self: Tensor) -> Any:
    """What ``numpy.ma`` asks of its operands, once it has taken a tensor's ``_data`` for their numbers."""
    if self._node is None and type(self) is not Symbol:
        raise AttributeError("a tensor has no attribute '_mask'")
    raise foreign(np.ma.MaskedArray)


def _number(convert: Any) -> Any:
    def method(self: Tensor) -> Any:
        if self._data.size != 1:
            raise ShapeError(
                "only one element tensors can be converted to Python scalars",
                f"This one has shape {list(self._data.shape)}.", "Index one element, or use tolist().",
            )  # fmt: skip
        if self._node is not None:
            refuse_lost(self, convert.__name__)
        value = convert(self._data.item())
        return _noted(self, value)

    return method


for _name, _convert in {"__float__": float, "__int__": int, "__complex__": complex}.items():
    setattr(Tensor, _name, _number(_convert))


@attach
def __index__(self: Tensor) -> int:
    if self._data.dtype.kind not in "iub" or self._data.size != 1:
        raise DTypeError("only integer tensors of a single element can be converted to an index")
    return _noted(self, int(self._data.item()))


def _noted(t: Tensor, value: Any) -> Any:
    """Numbers that may decide what follows: for a formula it is a branch, taken where they are the same."""
    branches = modes.tracing.get()
    if branches is not None and (t._node is not None or (t._data.dtype.kind in "iu" and rests_on_values(t))):
        same = t == t._data.item() if t._data.size == 1 else METHODS["all"](t == t._data.copy())
        branches.append((same, True))
    return value


@attach
def __bool__(self: Tensor) -> bool:
    if self._data.size != 1:
        what = "no values" if self._data.size == 0 else "more than one value"
        raise GradientError(
            f"Boolean value of Tensor with {what} is ambiguous", f"Its shape is {list(self._data.shape)}.",
            "Use .any() or .all().",
        )  # fmt: skip
    value = bool(self._data.item())
    branches = modes.tracing.get()
    if branches is not None:
        branches.append((self, value))
    return value


@attach
def __len__(self: Tensor) -> int:
    if self._data.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return self._data.shape[0]


@attach
def __iter__(self: Tensor) -> Iterator[Tensor]:
    if self._data.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(METHODS["unbind"](self, 0))


@attach
def __contains__(self: Tensor, value: Any) -> bool:
    return bool((self._data == (value._data if isinstance(value, Tensor) else value)).any())


@attach
def to(self: Tensor, *args: Any, dtype: Any = None, device: Any = None, copy: bool = False, **options: Any) -> Tensor:
    """Return the tensor in another dtype (differentiable), or itself if nothing changes; the device is the CPU."""
    for a in args:
        if isinstance(a, Tensor):
            dtype = a._data.dtype
        elif isinstance(a, bool):
            continue
        elif isinstance(a, (str, Device)) and (isinstance(a, Device) or a not in DTYPES):
            device = a
        elif a is not None:
            dtype = a
    if device is not None:
        as_device(device)
    target = self._data.dtype if dtype is None else as_dtype(dtype)
    if target == self._data.dtype:
        return METHODS["clone"](self) if copy else self
    return table("cast")(self, target)


@attach
def astype(
    self: Tensor, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Tensor:
    """Return the tensor in another dtype, as ``to(dtype)`` does, under NumPy's name: a copy, if not told otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.grad(lambda x: (x.astype(np.float64) ** 2).sum())(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    target = as_dtype(dtype)
    if not np.can_cast(self._data.dtype, target, casting):
        raise TypeError(f"astype: {self._data.dtype} cannot be cast to {target} by the rule casting={casting!r}")
    return to(self, target, copy=copy)


def _type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Return the tensor in another dtype, or without argument PyTorch's name of its type."""
    if dtype is None:
        from ..core import short_dtype

        return f"symgrad.{short_dtype(self._data.dtype)}Tensor"
    return to(self, dtype=dtype)


Tensor.type = _type  # type: ignore[method-assign,assignment]


def _cast(name: str) -> Callable[[Tensor], Tensor]:
    target = DTYPES[name]

    def method(self: Tensor, memory_format: Any = None) -> Tensor:
        return to(self, target)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Return the tensor as {target}."
    return method


for _name in ("double", "float", "half", "int", "long", "short", "bool", "cdouble", "cfloat"):
    setattr(Tensor, _name, _cast(_name))


@attach
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the tensor in the dtype of ``other``."""
    return to(self, other._data.dtype)


@attach
def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor itself: it is on the CPU."""
    return self


@attach
def cuda(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Raise: symgrad computes on the CPU."""
    raise DeviceError(
        "Torch not compiled with CUDA enabled: symgrad runs on the CPU, and there is no CUDA device.",
        "NumPy holds the numbers.",
        "Export the derivative as code for PyTorch or JAX to run it on a GPU, or leave out .cuda().",
    )  # fmt: skip


@attach
def share_memory_(self: Tensor) -> Tensor:
    """Return the tensor itself (for scripts that call it)."""
    return self


@attach
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Return the tensor itself (for scripts that call it)."""
    return self


@attach
def increment_version(self: Tensor) -> None:
    """Note a write to the tensor's memory that was made outside symgrad."""
    storage.stamp(self._data)
