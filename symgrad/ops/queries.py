"""Questions about tensors and dtypes that PyTorch asks with functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._typing import Device, as_device, as_dtype, dtype
from ..core import Tensor, castable, promoted_float
from .public import public


@public()
def is_complex(input: Tensor) -> bool:
    """Return whether the dtype is complex."""
    return input._data.dtype.kind == "c"


@public()
def is_floating_point(input: Tensor) -> bool:
    """Return whether the dtype is a real float."""
    return input._data.dtype.kind == "f"


@public()
def is_signed(input: Tensor) -> bool:
    """Return whether the dtype has negative numbers."""
    return input.dtype.is_signed


@public(method=False)
def get_default_device() -> Device:
    """Return the device of new tensors, the CPU."""
    return Device("cpu")


@public(method=False)
def set_default_device(device: Any) -> None:
    """Set the device of new tensors, which is the CPU and no other."""
    if device is not None:
        as_device(device)


@public(method=False)
def numel(input: Tensor) -> int:
    """Return the number of elements, of a symbol a product of named sizes."""
    return input.numel()


@public()
def is_nonzero(input: Tensor) -> bool:
    """Return whether a tensor of one element is not zero."""
    return bool(input)


@public()
def is_conj(input: Tensor) -> bool:
    """Return False: conjugation is never lazy here."""
    return False


def _kind_of(x: Any) -> Any:
    """What decides the dtype of a result: a dtype; of a number, Python's or NumPy's, the number."""
    if isinstance(x, Tensor):
        return x._data.dtype
    if isinstance(x, (bool, int, float, complex, np.generic)):
        return x.item() if isinstance(x, np.generic) else x
    return x.dtype if isinstance(x, np.ndarray) else as_dtype(x)


@public(method=False, numpy=(np.result_type,))
def result_type(*operands: Any) -> Any:
    """Return the dtype that adding the operands gives: NumPy's, but whole numbers never widen floats.

    Parameters
    ----------
    *operands : tensors, arrays, dtypes and numbers

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.result_type(sg.ones(2, dtype=sg.float32), sg.arange(2)), sg.result_type(sg.arange(2), 1.5)
    (symgrad.float32, symgrad.float64)
    """
    kinds = [*map(_kind_of, operands)]
    found = np.result_type(*kinds)
    return dtype(promoted_float(found, [k for k in kinds if isinstance(k, np.dtype)]) if found.kind in "fc" else found)


@public(method=False)
def promote_types(type1: Any, type2: Any) -> Any:
    """Return the dtype of a result whose operands have these two: see `result_type`."""
    return result_type(as_dtype(type1), as_dtype(type2))


@public(method=False)
def can_cast(from_: Any, to: Any) -> bool:
    """Return whether PyTorch allows the cast in an in-place result: never to a lower kind."""
    return castable(as_dtype(from_), as_dtype(to))


@public()
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape."""
    return input._data.shape == other._data.shape


@public()
def is_neg(input: Tensor) -> bool:
    """Return False: negation is never lazy here."""
    return False


@public()
def resolve_neg(input: Tensor) -> Tensor:
    """Return ``input``: negation is never lazy here."""
    return input


@public(method=False)
def is_inference(input: Tensor) -> bool:
    """Return whether the tensor was made in inference mode."""
    return bool(input.is_inference())


@public()
def get_device(input: Tensor) -> int:
    """Return -1, PyTorch's number of the CPU."""
    return -1
