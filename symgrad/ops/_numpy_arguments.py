"""NumPy's arguments on tensors: a list where PyTorch wants a tensor, any number of dimensions where it wants one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._typing import as_dtype
from ..core import Tensor, plain_array, table
from ._dims import array


def tensor_like(a: Any) -> Any:
    """A tensor as it is; of anything else the array it makes, or of a list with tensors in it the tensor."""
    if isinstance(a, Tensor):
        return a
    return table("stack")([tensor_like(v) for v in a], 0) if _holds_tensors(a) else plain_array(a)


def _holds_tensors(a: Any) -> bool:
    return type(a) in (list, tuple) and any(isinstance(v, Tensor) or _holds_tensors(v) for v in a)


def alike(*operands: Any) -> list[Any]:
    """The operands, of the dtype that NumPy joins theirs to: of single precision and whole numbers that is double."""
    parts = [tensor_like(a) for a in operands]
    kinds = [array(p).dtype for p in parts]
    if all(k is kinds[0] for k in kinds):
        return parts
    kind = np.result_type(*kinds)
    return [p if array(p).dtype == kind else table("cast")(p, kind) for p in parts]


def common_kind(*values: Any) -> np.dtype:
    """The dtype of what is chosen among values; a number of Python's leaves that to the arrays."""
    return np.result_type(*(v if isinstance(v, (int, float, complex)) else array(tensor_like(v)).dtype for v in values))


def summed_in(a: Any, dtype: Any = None) -> Any:
    """The dtype of sums and products of elements: the one that is said; of whole numbers a long one; None for floats,
    which keep theirs."""
    if dtype is not None:
        return as_dtype(dtype)
    own = array(a).dtype
    return None if own.kind in "fc" else np.result_type(own, np.uint if own.kind == "u" else np.int_)


def averaged(a: Any, dtype: Any = None) -> Any:
    """The elements as their mean is found: in the dtype that is said, and whole numbers in double precision."""
    wanted = array(a).dtype if dtype is None else as_dtype(dtype)
    a = a if array(a).dtype == wanted else table("cast")(a, wanted)
    return a if wanted.kind in "fc" else table("cast")(a, np.dtype(np.float64))


def as_line(a: Any) -> Any:
    """The elements of a tensor, an array, a list or a number as one row."""
    return tensor_like(a).reshape(-1)


def of_arrays(fn: Callable[..., Any]) -> Callable[..., Any]:
    """``fn`` for operands that may be lists and numbers."""
    return lambda *args: fn(*map(tensor_like, args))


def of_lines(fn: Callable[..., Any]) -> Callable[..., Any]:
    """``fn`` of two operands, each read as one row."""
    return lambda a, b, /, out=None: fn(*map(as_line, alike(a, b)))


def recorded(v: Any) -> bool:
    """Whether a derivative may be asked of what is computed from ``v``: a number's history would be lost."""
    return isinstance(v, Tensor) and (v._node is not None or type(v) is not Tensor)
