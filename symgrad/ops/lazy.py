"""Modules that are imported when something of theirs is first used (importing symgrad must stay quick)."""

from __future__ import annotations

import re
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


def calling(call: str, count: int) -> Any:
    """The function that is a call of scipy.special, ``"jv(order, x)"``: of its last ``count`` arguments and then the
    others, which is the order of a row's operands and parameters."""
    names = arguments_of(call)
    return eval(f"lambda {', '.join(names[-count:] + names[:-count])}: special.{call}", {"special": special})


def arguments_of(call: str) -> list[str]:
    """The names of the arguments of such a call."""
    return re.findall(r"[a-z]\w*", call)[1:]


numpys = Later("symgrad.ops.numpy.entry_points")
"""NumPy's own functions on tensors."""
