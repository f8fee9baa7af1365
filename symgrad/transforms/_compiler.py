"""Who compiles functions: `_compile`, for those below it that it is made of (repeated derivatives, steps of loops)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Compiler:
    """
    Attributes
    ----------
    compiled : the class of compiled functions, which `_compile` enters here
    """

    compiled: Callable[..., Any]


compiler = _Compiler()

__all__ = ["compiler"]
