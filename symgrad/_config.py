"""Settings of the whole library: the default float dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

_default: np.dtype[Any] = np.dtype(np.float64)
_COMPLEX: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(np.float32): np.dtype(np.complex64),
    np.dtype(np.float64): np.dtype(np.complex128),
}
_REAL = {value: key for key, value in _COMPLEX.items()}


def default_dtype() -> np.dtype[Any]:
    """The dtype of new float tensors: float64 unless `set_default_dtype` says otherwise."""
    return _default


def set_default(dtype: Any) -> None:
    """Set the dtype of new float tensors (checked by the caller)."""
    global _default
    _default = np.dtype(dtype)


def complex_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The complex dtype whose parts are ``dtype``."""
    return _COMPLEX.get(dtype, np.dtype(np.complex128))


def real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the parts of a complex dtype; a real dtype itself."""
    return _REAL.get(dtype, dtype)
