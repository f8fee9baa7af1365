"""What an array has besides NumPy's members: PyTorch's methods and attributes, where NumPy has none of that name.

The idea to hold: such a member is the tensor's, and what it gives is an array; a name that ends with an underscore
writes to the array.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..core import Tensor, shared, wrap
from ..ops._public import METHODS
from ._ndarray import Array
from ._pieces import expect_own_root, tensor_of
from ._protocols import call_ufunc, carried, unpacked


def method(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function a method of arrays."""
    setattr(Array, fn.__name__, fn)
    return fn


def attribute(fn: Callable[[Any], Any]) -> property:
    """Make a function a property of arrays."""
    prop = property(fn, doc=fn.__doc__)
    setattr(Array, fn.__name__, prop)
    return prop


def tensor_in(a: Any) -> Tensor:
    """The tensor of an array, or of numbers."""
    t = tensor_of(a)
    return t if isinstance(t, Tensor) else wrap(np.asarray(t))


def of_tensors(a: Array, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """PyTorch's method of that name."""
    rest, options = [unpacked(v) for v in args], {k: unpacked(v) for k, v in kwargs.items()}
    found = getattr(a._t, name)(*rest, **options)
    return shared(a, found, lambda x: METHODS[name](x if isinstance(x, Tensor) else wrap(x), *rest, **options))


def further_member(a: Array, name: str) -> Any:
    """What an array has besides NumPy's members: PyTorch's, and functions that NumPy calls on objects."""
    if name.startswith("__") or name == "dtype":
        raise AttributeError(f"an array of symgrad has no attribute {name!r}")
    if name.endswith("_") and name in METHODS:
        return lambda *args, **kwargs: _changed(a, name, args, kwargs)
    if name == "sqrt" and not a._shaped().ndim:
        return partial(_root, a)
    if name in METHODS:
        return lambda *args, **kwargs: of_tensors(a, name, args, kwargs)
    function = getattr(np, name, None)
    if isinstance(function, np.ufunc):
        return lambda *others: call_ufunc(function, "__call__", (a, *others), {})
    member = getattr(Tensor, name, None)
    if member is None or name.startswith("_"):
        raise AttributeError(_no_member(name))
    if isinstance(member, property):
        return carried(getattr(a._t, name))
    return lambda *args, **kwargs: carried(
        getattr(a._t, name)(*[unpacked(v) for v in args], **{k: unpacked(v) for k, v in kwargs.items()})
    )


def _root(a: Array, *args: Any, **kwargs: Any) -> Any:
    """The root of a number, which NumPy asks each piece of an array for."""
    if not a._t._data:
        expect_own_root()
    return of_tensors(a, "sqrt", args, kwargs)


def _no_member(name: str) -> str:
    if name == "ptp":
        return "'numpy.ndarray' has no method 'ptp' since NumPy 2: write np.ptp(x)"
    return f"'numpy.ndarray' object has no attribute {name!r}"


def _changed(a: Array, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Array:
    """PyTorch's in-place method: the array becomes what the method without the underscore gives."""
    rest, options = [unpacked(v) for v in args], {k: unpacked(v) for k, v in kwargs.items()}
    changed: Array = a.written(lambda t: getattr(t, name)(*rest, **options))
    return changed


Array._further_member = further_member

__all__ = ["attribute", "method", "of_tensors", "tensor_in"]
