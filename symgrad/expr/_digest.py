"""Numbers that depend on structure alone: the same in every process, so that the order of terms is."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from ..core import Tensor


def text_digest(text: str) -> int:
    """A number for a string that is the same in every process."""
    raw = text.encode()
    return zlib.crc32(raw) << 32 | zlib.adler32(raw)


def number_digest(c: Any) -> int:
    """A number for a coefficient."""
    return hash(c) if c == c else 0


def shape_digest(shape: Any) -> int:
    """A number for a shape: of a named size its name, for its stand-in depends on the names that came before."""
    return hash(tuple([n if type(n) is int else text_digest(repr(n)) for n in shape]))


def freeze(value: Any) -> Any:
    """A hashable stand-in for a parameter: arrays by their bytes, slices and lists as tuples."""
    if isinstance(value, tuple):
        return tuple([freeze(v) for v in value]) if value else value
    if isinstance(value, Tensor):
        value = value._data
    if isinstance(value, np.ndarray):
        return ("array", value.tobytes(), value.shape, value.dtype.str)
    if isinstance(value, slice):
        return ("slice", freeze(value.start), freeze(value.stop), freeze(value.step))
    if isinstance(value, (list, dict)):
        return (type(value).__name__, *map(freeze, value.items() if isinstance(value, dict) else value))
    return ("float", value.hex()) if type(value) is float else (type(value).__name__, value)
