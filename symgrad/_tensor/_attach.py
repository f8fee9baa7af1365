"""How functions become members of Tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import Tensor


def attach(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of this module a member of Tensor."""
    setattr(Tensor, fn.__name__, fn)
    return fn


def member(getter: Callable[[Tensor], Any]) -> property:
    """Make a function of this module a property of Tensor."""
    prop = property(getter, doc=getter.__doc__)
    setattr(Tensor, getter.__name__, prop)
    return prop
