"""Copies by `copy.copy` and `copy.deepcopy` inside a function that a transform runs.

The idea to hold: outside, a copy of a tensor is a tensor of its own, without the other's history. A function that is
being differentiated copies what it takes for its own numbers, and what it computes from the copy depends on them: there
a copy is a `clone`.
"""

from __future__ import annotations

from typing import Any

from ..core import Symbol, Tensor, is_leaf_node, listening, modes
from ..ops._public import METHODS
from ._attach import attach


def copied_inside(t: Tensor) -> Tensor | None:
    """The copy of a tensor that a transform's function makes, None where it is to be one of its own."""
    return METHODS["clone"](t) if _of_a_transform(t) else None


def _of_a_transform(t: Tensor) -> bool:
    """Whether a tensor is, or is made of, what a transform put in the place of an argument."""
    if t._node is None or (t._extra is not None and t._extra.is_parameter):
        return False
    running = modes.running.get()
    if modes.tracing.get() is not None:
        return True
    if type(t) is Symbol and (running is not None or listening.get() is not None):
        return True
    if not is_leaf_node(t._node):
        return running is not None
    while running is not None:
        if any(variable is t for variable in running[1]):
            return True
        running = running[2]
    return False


@attach
def __copy__(self: Tensor) -> Any:
    found = copied_inside(self)
    if found is not None:
        return found
    make, state = self.__reduce_ex__(4)
    return make(*state)


__all__ = ["copied_inside"]
