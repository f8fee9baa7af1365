"""Arrays made of pieces: lists, and NumPy's arrays of objects, in which there are numbers that are differentiated.

The idea to hold: NumPy makes of ``np.array([x[0], 1.0])`` an array of objects, and computes with them one by one. Where
such an array meets an operation, its pieces are put side by side, as one tensor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import DTypeError, ShapeError
from ..core import Carrier, Symbol, Tensor, content, plain_array, wrap
from ..ops._dims import sizes
from ..ops.shape._join import stack
from ..ops.shape._shape import reshape


def tensor_of(value: Any) -> Any:
    """What computes as ``value`` does: the tensor that it carries, that its pieces make, or an array of numbers."""
    if isinstance(value, Carrier):
        return value._t
    if isinstance(value, np.ndarray):
        return stacked_pieces(value) if value.dtype.kind == "O" else plain_array(value)
    if isinstance(value, (list, tuple)):
        return _of_list(value)
    if isinstance(value, Tensor):
        return value
    if hasattr(type(value), "__array__") and not isinstance(value, np.generic):  # a table's column, say
        return tensor_of(np.asarray(value))
    return plain_array(value)


def has_pieces(value: Any) -> bool:
    """Whether a list, or an array of objects, holds what is differentiated."""
    if isinstance(value, (Carrier, Tensor)):
        return True
    if isinstance(value, (list, tuple)):
        return any(map(has_pieces, value))
    return type(value) is np.ndarray and value.dtype.kind == "O" and any(map(has_pieces, value.flat))


def _of_list(value: Any) -> Any:
    if not has_pieces(value):
        try:
            array = np.array(value)
        except ValueError as error:
            raise _ragged([np.shape(v) if np.ndim(v) < 2 else () for v in value]) from error
        if array.dtype.kind == "O":
            raise no_numbers(value)
        return array
    parts = [v if isinstance(v, (int, float, complex)) else tensor_of(v) for v in value]
    return side_by_side(parts)


def side_by_side(parts: list[Any]) -> Tensor:
    """Tensors, arrays and numbers of one shape as one tensor, along a new dimension in front."""
    shapes = [() if isinstance(v, (int, float, complex)) else tuple(sizes(v)) for v in parts]
    if any(s != shapes[0] for s in shapes):
        raise _ragged(shapes)
    dtype = np.result_type(*{v._data.dtype if isinstance(v, Tensor) else _type(v) for v in parts})
    tensors = [v if isinstance(v, Tensor) else wrap(np.asarray(v, dtype)) for v in parts]
    from ..ops.entries._copy import cast

    made: Tensor = stack([v if v._data.dtype == dtype else cast(v, dtype) for v in tensors], 0)
    return made


def _type(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype
    return np.dtype(type(value))


def stacked_pieces(array: np.ndarray) -> Any:
    """An array of objects, some of which are differentiated, as one tensor."""
    pieces = array.reshape(-1).tolist() if array.size else []
    for p in pieces:
        if not isinstance(p, (Carrier, Tensor, int, float, complex, np.generic)) and not _number(p):
            raise no_numbers(p)
    if not any(isinstance(p, (Carrier, Tensor)) for p in pieces):
        return plain_array(array)  # which refuses objects
    parts = [p if isinstance(p, (int, float, complex)) else tensor_of(p) for p in pieces]
    return reshape(side_by_side(parts), array.shape)


def _number(p: Any) -> bool:
    return isinstance(p, np.ndarray) and p.ndim == 0 and p.dtype.kind in "biufc"


def no_numbers(piece: Any) -> DTypeError:
    """The error for an array of objects that are no numbers."""
    if isinstance(piece, (list, tuple)):
        odd = [p for p in piece if not isinstance(p, (int, float, complex, np.ndarray, np.generic, list, tuple))]
        piece = odd[0] if odd else piece
    return DTypeError(
        f"an array of objects holds {type(piece).__name__!r}, which is no number",
        f"One of its entries is {str(piece)[:60]!r}.",
        "Take the numbers out first: np.array([...], dtype=float) of them.",
    )


def _ragged(shapes: list[Any]) -> ShapeError:
    return ShapeError(
        "setting an array element with a sequence: the pieces of an array have different shapes",
        f"They are {', '.join(map(str, dict.fromkeys(shapes)))}.",
        "Give them one shape, or join them with np.concatenate.",
    )


def objects(t: Tensor, around: Any) -> np.ndarray:
    """A tensor as NumPy's array of objects: its numbers, each with its history."""
    made = np.empty_like(t._data, object)  # which lies as its numbers do
    if t._data.ndim == 0:
        made[()] = around(t)
    else:
        line = reshape(t, (t._data.size,))
        for k, v in enumerate(line if type(line) is not Symbol else [line[j] for j in range(t._data.size)]):
            made.flat[k] = around(v)
    return made


__all__ = ["content", "has_pieces", "no_numbers", "objects", "side_by_side", "stacked_pieces", "tensor_of"]
