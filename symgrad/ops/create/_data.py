"""The array of any data: numbers, nested sequences of them or of tensors, arrays, tensors.

The idea to hold: there is one decision, about the dtype. Python floats take the default dtype, Python ints are
int64, arrays and tensors keep theirs.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ... import _config
from ..._errors import DTypeError, ShapeError, SymbolicBranchError, SymgradError
from ..._typing import as_dtype, in_dtype
from ...core import Symbol, Tensor, hush, refuse_foreign, unhush, wrap
from .._public import FUNCTIONS


def number(x: Any) -> Any:
    """A Python number from a number or a one-element tensor."""
    if isinstance(x, Tensor):
        x = x._data
    return x.item() if isinstance(x, (np.ndarray, np.generic)) else x


def number_dtype(x: Any) -> np.dtype[Any]:
    """The dtype of a tensor made of the Python (or NumPy) number ``x``."""
    if isinstance(x, Tensor):
        return x._data.dtype
    if isinstance(x, np.generic):
        return x.dtype
    if isinstance(x, bool):
        return np.dtype(bool)
    if isinstance(x, int):
        return np.dtype(np.int64)
    return _config.complex_of(_config.default_dtype()) if isinstance(x, complex) else _config.default_dtype()


def as_array(data: Any, dtype: Any = None, copy: bool = True) -> np.ndarray:
    """The array of any data: numbers, nested sequences of them or of tensors, arrays, tensors."""
    state = hush()  # a number too large for the dtype is infinite there
    try:
        return _as_array(data, dtype, copy)
    finally:
        unhush(state)


def _as_array(data: Any, dtype: Any, copy: bool) -> np.ndarray:
    target = None if dtype is None else as_dtype(dtype)
    if isinstance(data, Tensor):
        data = _values(data)
    if isinstance(data, (list, tuple)):
        return _from_sequence(data, target)
    refuse_foreign((type(data),))
    if isinstance(data, (np.ndarray, np.generic)):
        array = np.array(data, dtype=target, copy=copy or None)
    elif isinstance(data, (bool, int, float, complex)):
        own = target or number_dtype(data)
        array = np.array(in_dtype(data, own, "tensor"), dtype=own)
    elif hasattr(data, "__array__") or hasattr(data, "__array_interface__") or hasattr(data, "__buffer__"):
        array = np.array(data, dtype=target, copy=copy or None)
    elif hasattr(data, "__len__") and hasattr(data, "__getitem__") and not isinstance(data, (str, bytes, dict)):
        return _from_sequence(list(data), target)
    elif data is None:
        raise DTypeError("Could not infer dtype of NoneType", "", "Pass numbers, a sequence of numbers or an array.")
    else:
        raise DTypeError(
            f"Could not infer dtype of {type(data).__name__}: new(): invalid data type '{type(data).__name__}'",
            "",
            "Pass numbers, a sequence of numbers or an array.",
        )
    return numeric(array)


def _values(t: Tensor) -> np.ndarray:
    if type(t) is Symbol:
        raise SymbolicBranchError(
            "a new tensor cannot be made of the values of a symbol, which are not known",
            "It is a symbol, or was computed from one: it stands for any value.",
            "Use sg.stack([a, b]) to put symbols together, x.detach() for a constant.",
        )
    if t._node is not None:
        t._refuse_lost("tensor")
    return t._data


def numeric(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "fciub":
        raise DTypeError(
            f"can't convert np.ndarray of type {array.dtype}.",
            "",
            "A tensor holds numbers or truth values.",
        )
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _from_sequence(data: Any, target: Any) -> np.ndarray:
    try:
        data = _untensored(data)
        array = np.array(data)
    except SymgradError:
        raise
    except (ValueError, TypeError) as error:
        raise _ragged(data, error) from None
    if array.dtype.kind in "Ou" and type(_first(data)) is int:  # beyond the whole numbers of 64 bits
        with suppress(TypeError):  # of what else is among them
            own, values = np.dtype(np.int64) if target is None else target, array.ravel().tolist()
            for value in (min(values), max(values)):
                in_dtype(value, own, "tensor")
            array = np.array(data, own)
    if array.dtype.kind not in "fciub":
        raise DTypeError(
            f"new(): invalid data type '{type(_first(data)).__name__}'", "", "Pass numbers or sequences of one length."
        )
    if target is None:
        target = array.dtype
        if array.size == 0:
            target = _config.default_dtype()
        elif target.kind in "fc" and not isinstance(_first(data), (np.ndarray, np.generic, Tensor)):
            default = _config.default_dtype()
            target = _config.complex_of(default) if target.kind == "c" else default
    return _within(array, target).astype(target, copy=False)


def _within(array: np.ndarray, target: np.dtype[Any]) -> np.ndarray:
    """The array itself, if the dtype holds its numbers."""
    if target.kind in "iu" and array.dtype.kind in "iuf" and array.dtype != target:
        for value in (array.min(initial=0), array.max(initial=0)):
            in_dtype(value.item(), target, "tensor")
    return array


def _untensored(data: Any) -> Any:
    if isinstance(data, Tensor):
        return _values(data)
    refuse_foreign(set(map(type, data)) if isinstance(data, (list, tuple)) else ())
    if isinstance(data, (list, tuple)) and any(isinstance(v, (Tensor, list, tuple)) for v in data):
        return [_untensored(v) for v in data]
    return data


def _first(data: Any) -> Any:
    while isinstance(data, (list, tuple)) and len(data):
        data = data[0]
    return data


def _ragged(data: Any, error: Exception) -> Exception:
    level, rows = 0, list(data)
    while rows and all(isinstance(v, (list, tuple, np.ndarray)) for v in rows):
        level += 1
        for v in rows:
            if len(v) != len(rows[0]):
                return ShapeError(
                    f"expected sequence of length {len(rows[0])} at dim {level} (got {len(v)})",
                    "The rows of a tensor have one length.", "Pad the shorter rows.",
                )  # fmt: skip
        rows = [u for v in rows for u in v]
    return DTypeError(f"not a sequence of numbers: {error}", "", "Pass numbers or sequences of one length.")


def holds_recorded(data: Any) -> bool:
    """Whether there are tensors with a history in a sequence."""
    if isinstance(data, (list, tuple)):
        return any(map(holds_recorded, data))
    return isinstance(data, Tensor) and (data._node is not None or type(data) is Symbol)


def together(data: Any) -> Tensor:
    """Tensors and numbers in sequences as one tensor, with their histories."""
    if isinstance(data, (list, tuple)):
        joined: Tensor = FUNCTIONS["stack"]([together(part) for part in data], 0)
        return joined
    return data if isinstance(data, Tensor) else wrap(as_array(data))
