"""Modules that are imported when something of theirs is first used (importing symgrad must stay quick)."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """A module, imported on the first attribute access."""

    def __init__(self, module: str) -> None:
        self.__name__ = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self.__name__), name)
        setattr(self, name, found)
        return found


special = Later("scipy.special")
numpys = Later("symgrad.ops.numpy.entry_points")
"""NumPy's own functions on tensors."""
