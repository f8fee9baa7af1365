"""NumPy's functions on tensors as the namespace has them: tensors go in as arrays of NumPy's manners, and come out.

The idea to hold: what a function means is NumPy's, whoever calls it; whether it gives arrays or tensors is said by what
it was given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._array import ARRAYS, array_of, has_pieces, tensor_of
from .._array._protocols import PARTS, VIEWS, WRITERS
from ..core import Carrier, Tensor, table, wrap


def has_tensors(values: Any) -> bool:
    """Whether there are tensors among values, or in lists of them, that are held by no array."""
    return any(
        isinstance(v, Tensor) or ((type(v) is list or type(v) is tuple) and v and has_tensors(v)) for v in values
    )


def has_arrays(values: Any) -> bool:
    """Whether there are arrays that a transform made among values, or in lists of them."""
    return any(isinstance(v, Carrier) or ((type(v) is list or type(v) is tuple) and has_arrays(v)) for v in values)


def on_tensors(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], sequence: bool) -> Any:
    """A function of NumPy's that was given tensors."""
    values = (*args, *kwargs.values())
    if fn in WRITERS or kwargs.get("out") is not None:
        return as_tensors(fn(*args, **kwargs))
    found = fn(*[_array(v, sequence) for v in args], **{k: _array(v, sequence) for k, v in kwargs.items()})
    if has_arrays(values):
        return found
    given = () if fn in VIEWS or fn in PARTS else tuple(id(v) for v in values if isinstance(v, Tensor))
    return as_tensors(found, given)


def _array(value: Any, sequence: bool) -> Any:
    if isinstance(value, Tensor):
        return array_of(value)
    if (type(value) is list or type(value) is tuple) and has_pieces(value):
        return type(value)([_array(v, sequence) for v in value]) if sequence else array_of(tensor_of(value))
    return value


def as_tensors(found: Any, given: tuple[int, ...] = ()) -> Any:
    """Results as tensors; one that was ``given`` (its id) is copied, since tensors may be written to."""
    if type(found) in ARRAYS:
        return table("clone")(found._t, "K") if id(found._t) in given else found._t
    if isinstance(found, np.ndarray | np.generic) and found.dtype.kind in "biufc":
        return wrap(np.asarray(found))
    if isinstance(found, tuple | list):
        parts = [as_tensors(v, given) for v in found]
        return type(found)(*parts) if hasattr(found, "_fields") else type(found)(parts)
    return found


__all__ = ["as_tensors", "has_arrays", "has_tensors", "on_tensors"]
