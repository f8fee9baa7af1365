"""What a trace for `vmap` must know beside the graph: notes taken while the function runs.

The idea to hold: a graph tells how a result was computed from the example, except where values were looked at behind
its back. The few places of symgrad that do so are listed here, and each takes a note while somebody listens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from .._function import FunctionNode
from ..core import TABLE, Symbol, extra, is_leaf_node, make_leaf, wrap
from ..core._symbolic import sizes_of, symbolic
from ..ops._public import FUNCTIONS, METHODS
from ..ops._sort import PICK
from ._variables import Variables


class Notes:
    """The notes of one trace.

    Attributes
    ----------
    reasons : why the graph does not tell everything
    picks : per array of indices (by identity) that sorting or choosing found: the array, the row, and in what
    found : what was taken at, or put to, such indices: per array that came out (by identity) the row, the array that
        went in, the parameters and what came out
    places : symbols used as an index, and the length of what they index
    leaves : what was detached and made a leaf anew: per leaf's node the detached symbol
    """

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.picks: dict[int, tuple[Any, str, Any]] = {}
        self.found: dict[int, tuple[str, np.ndarray, tuple[Any, ...], np.ndarray]] = {}
        self.places: list[tuple[Symbol, int]] = []
        self.leaves: dict[Any, Symbol] = {}
        self.kept: list[Any] = []


_listening: ContextVar[Notes | None] = ContextVar("symgrad_vmap_notes", default=None)


@contextmanager
def noting() -> Iterator[Notes]:
    """Take notes inside."""
    notes = Notes()
    token = _listening.set(notes)
    try:
        yield notes
    finally:
        _listening.reset(token)
        outer = _listening.get()
        if outer is not None:  # a trace inside a trace
            outer.reasons += notes.reasons


# What a Function does with the values it gets is not recorded.

_setup = FunctionNode._setup


def _noted_setup(self: FunctionNode) -> None:
    notes = _listening.get()
    if notes is not None:
        notes.reasons.append(f"it applies {self._function.__name__}, an autograd.Function")
    _setup(self)


FunctionNode._setup = _noted_setup  # type: ignore[method-assign]


# A leaf does not say what it was before it was detached and made one.

_requires_grad: Any = getattr(Symbol, "requires_grad_")  # noqa: B009  (so that the type checker lets it pass)
_variable = Variables._variable


def _twin(x: Symbol) -> Symbol:
    """Another symbol of the same value, which says the same of itself."""
    twin = symbolic(wrap(x._data), sizes_of(x))
    extra(twin).origin = x._extra.origin if x._extra is not None else None
    return twin


def _noted_requires_grad(self: Symbol, requires_grad: bool = True) -> Symbol:
    notes = _listening.get()
    before = None if notes is None or self._node is not None else _twin(self)
    result = _requires_grad(self, requires_grad)
    if notes is not None and before is not None and is_leaf_node(self._node):
        notes.leaves[self._node] = before
    return result


def _noted_variable(self: Variables, x: Any) -> Any:
    notes = _listening.get()
    if notes is None or type(x) is not Symbol:
        return _variable(self, x)
    if not self.outside:
        notes.reasons.append("it differentiates under no_grad")
    elif x._node is None:
        detached = _twin(x)
        x = make_leaf(_twin(x))
        notes.leaves[x._node] = detached
        notes.kept.append(x)  # a leaf's node knows its tensor weakly
    return _variable(self, x)


setattr(Symbol, "requires_grad_", _noted_requires_grad)  # noqa: B010  (as above)
Variables._variable = _noted_variable  # type: ignore[method-assign]


# Some rows' derivatives look at values; some give parts of whole numbers that do not say what they are parts of.


def _note_rows(names: str, reason: str, when: Callable[[np.ndarray], bool]) -> None:
    for name in names.split():
        op = TABLE[name]
        op.forward = _noted_forward(op.forward, f"it applies {op.label} {reason}".rstrip(), when)


def _noted_forward(forward: Any, reason: str, when: Callable[[np.ndarray], bool]) -> Any:
    def noted(x: Any, *rest: Any) -> Any:
        notes = _listening.get()
        if notes is not None and when(x):
            notes.reasons.append(reason)
        return forward(x, *rest)

    return noted


_note_rows("scatter_extreme", "", lambda x: True)
_note_rows("unbind split split_with_sizes aminmax", "to whole numbers", lambda x: x.dtype.kind in "iub")


# Sorting and choosing keep the places that they found as an array.


def _noted_pick(name: str, row: Any) -> Any:
    def pick(x: Any, index: Any, dim: int, keepdim: bool) -> Any:
        notes = _listening.get()
        if notes is not None and type(x) is Symbol:
            notes.picks[id(index)] = (index, f"{name}_dim", x if x._node is None else x._node)
        return row(x, index, dim, keepdim)

    return pick


for _name, _row in tuple(PICK.items()):
    PICK[_name] = _noted_pick(_name, _row)


# What is taken at these places from something that has no history (a sweep's seed) does not say so.


def _noted_taking(name: str, forward: Any) -> Any:
    def noted(x: Any, *params: Any) -> Any:
        out = forward(x, *params)
        notes = _listening.get()
        if notes is not None:
            out = np.asarray(out)
            notes.found[id(out)] = (name, x, params, out)
        return out

    return noted


for _name in ("pick", "unpick"):
    TABLE[_name].forward = _noted_taking(_name, TABLE[_name].forward)


# A whole number of the example as an index: the sum of what is there and of zeros, so that the index is an operand.

_subscript = METHODS["__getitem__"]


def _noted_subscript(self: Any, index: Any) -> Any:
    notes = _listening.get()
    if notes is None or type(index) is not Symbol or type(self) is not Symbol or not _is_place(self, index):
        return _subscript(self, index)
    n = self._data.shape[0]
    notes.places.append((index, n))
    places = np.arange(n).reshape((n,) + (1,) * (self._data.ndim - 1))
    here = FUNCTIONS["eq"](FUNCTIONS["where"](index < 0, index + n, index), places)
    return FUNCTIONS["where"](here, self, 0.0).sum(0)


def _is_place(x: Any, index: Any) -> bool:
    data = index._data
    if data.ndim or data.dtype.kind not in "iu" or not x._data.ndim or x._data.dtype.kind not in "fc":
        return False
    n = x._data.shape[0]
    return type(x.shape[0]) is int and -n <= data < n


METHODS["__getitem__"] = _noted_subscript

__all__ = ["Notes", "noting"]
