"""How functions become members of Tensor."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..core import Tensor
from ..ops._public import FUNCTIONS, describe


def attach(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of this module a member of Tensor."""
    setattr(Tensor, fn.__name__, fn)
    return fn


def member(getter: Callable[[Tensor], Any]) -> property:
    """Make a function of this module a property of Tensor."""
    prop = property(getter, doc=getter.__doc__)
    setattr(Tensor, getter.__name__, prop)
    return prop


def settle_members() -> None:
    """Let Tensor's own methods say that they are its methods: see `symgrad.ops._public.settle`."""
    functions = {id(fn) for fn in FUNCTIONS.values()}
    for name, value in vars(Tensor).items():
        if name.startswith("__") or not isinstance(value, FunctionType) or id(value) in functions:
            continue
        if "Tensor." not in value.__qualname__:
            value.__module__, value.__qualname__ = "symgrad", f"Tensor.{name}"
            describe(value, f"symgrad.{value.__qualname__}")
