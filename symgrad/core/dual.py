"""Dual tensors: values that carry a tangent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar
from weakref import WeakSet

from . import modes
from .graph import OutputNode, Tensor, extra, meta

# --------------------- Dual tensors: values that carry a tangent as long as a level of forward-mode derivatives lasts

# The idea to hold: a dual has a class of its own, so that operations leave their straight line for it (as for a
# symbol), and its tangent is in a cell, which its node remembers too: what a rule finds saved is a dual again. A level
# that ends empties its cells. What is computed from duals is said in `sweep/directions.py`.


class Dual(Tensor):
    """A tensor with a tangent; what is computed from it has one too."""

    __slots__ = ()

    run: ClassVar[Callable[..., Any]]  # an operation on operands among which there are duals
    written: ClassVar[Callable[..., None]]  # what a write into memory means for tangents
    applied: ClassVar[Callable[..., None]]  # what a user-defined operation means for tangents


class Level:
    """A level of forward-mode derivatives: it knows the tangents that exist in it."""

    def __init__(self) -> None:
        self.cells: WeakSet[Tangent] = WeakSet()

    def end(self) -> None:
        """Forget the tangents."""
        for cell in list(self.cells):
            cell.value = None


class Tangent:
    """The cell of one tangent: a tensor, or a function that makes it for those who ask; None once its level is over.

    ``exact``: it hangs on a choice among branches, so that what does not move gives 0 however steep an operation is.
    """

    __slots__ = ("__weakref__", "exact", "level", "value")

    exact: bool
    level: Level
    value: Any

    def __init__(self, level: Level, value: Any, exact: bool = False) -> None:
        self.level, self.value, self.exact = level, value, exact
        level.cells.add(self)

    def get(self) -> Tensor:
        """The tangent."""
        if callable(self.value):
            self.value = self.value()
        return self.value


def tangent_of(t: Any) -> Tangent | None:
    """The cell of what moves here; None for all else."""
    if type(t) is not Dual or modes.mode.get() == modes.INFERENCE:
        return None
    cell = t._extra.tangent
    return cell if cell.value is not None and cell.level is modes.dual_level.get() else None


def any_moves(values: Sequence[Any]) -> bool:
    """Whether there is a dual of this level among values."""
    return modes.dual_level.get() is not None and any(tangent_of(v) is not None for v in values)


def make_dual(t: Tensor, cell: Tangent) -> Tensor:
    """Give a tensor a tangent; returns it."""
    t.__class__ = Dual
    extra(t).tangent = cell
    node = t._node
    if node is not None:
        bag = meta(node.parents[0] if type(node) is OutputNode else node)
        bag.tangents = {**(bag.tangents or {}), getattr(node, "index", 0): cell}
    return t


def with_tangent_of(t: Tensor, old: Tensor) -> Tensor:
    """A new tensor of the value of ``old``, with its tangent if it has one."""
    return make_dual(t, old._extra.tangent) if type(old) is Dual and old._extra.tangent.value is not None else t


def as_it_moved(t: Tensor) -> Tensor:
    """What was saved, lifted to a tensor with its node, as a dual if it was one."""
    if modes.dual_level.get() is None:
        return t
    node = t._node
    bag = None if node is None else (node.parents[0] if type(node) is OutputNode else node).meta
    cell = None if bag is None or bag.tangents is None else bag.tangents.get(getattr(node, "index", 0))
    return t if cell is None or cell.value is None else make_dual(t, cell)
