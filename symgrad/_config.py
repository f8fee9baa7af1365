"""Settings of the whole library: the default float dtype, and the name that it goes by."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

_default: np.dtype[Any] = np.dtype(np.float64)


def default_dtype() -> np.dtype[Any]:
    """The dtype of new float tensors: float64 unless `set_default_dtype` says otherwise."""
    return _default


def set_default(dtype: Any) -> None:
    """Set the dtype of new float tensors (checked by the caller)."""
    global _default
    _default = np.dtype(dtype)


_name = "symgrad"


def spoken_name() -> str:
    """The name before what prints with one, ``symgrad.Size([2])``: torch, while symgrad is installed under it."""
    return _name


def set_spoken_name(name: str) -> None:
    """Set the name before sizes, dtypes and types where they are printed."""
    global _name
    _name = name


@cache
def complex_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The complex dtype whose parts are ``dtype``, or the smallest that holds them: NumPy has none of two halves."""
    return np.result_type(dtype, np.complex64) if dtype.kind in "fc" else np.dtype(np.complex128)


@cache
def real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the parts of a complex dtype; a real dtype itself."""
    return np.empty(0, dtype).real.dtype
