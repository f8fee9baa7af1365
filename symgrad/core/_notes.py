"""Notes that a trace takes of what its graph will not tell.

The idea to hold: a graph says how a result was computed, except where code looks at values behind its back, or makes
a leaf of what was none. Those places ask whether somebody is `listening` (one read of a context variable; as a rule
nobody does), and say what they did.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ._graph import Symbol, Tensor
from .storage import owner


class Notes:
    """The notes of one trace.

    Attributes
    ----------
    reasons : why the graph does not tell everything
    places : per array of indices (by identity) that is a symbol's values: the array, and the symbol
    bounds : symbols whose whole numbers served as indices, and the least and the first too large of what they may be
    leaves : what was detached and made a leaf anew: per leaf's node the detached symbol
    kept : those leaves (a leaf's node knows its tensor weakly)
    """

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.places: dict[int, tuple[np.ndarray, Symbol]] = {}
        self.bounds: list[tuple[Symbol, int, int]] = []
        self.leaves: dict[Any, Symbol] = {}
        self.kept: list[Tensor] = []

    def doubt(self, reason: str) -> None:
        """The graph does not tell everything, because…"""
        self.reasons.append(reason)

    def detached(self, leaf: Tensor, before: Symbol) -> None:
        """What was detached became a leaf."""
        self.leaves[leaf._node] = before
        self.kept.append(leaf)

    def knows(self, params: tuple[Any, ...]) -> bool:
        """Whether there are places among the parameters of a row that are each example's own."""
        return any(id(a) in self.places for a in arrays_in(params))


def arrays_in(params: tuple[Any, ...]) -> Iterator[np.ndarray]:
    """The arrays among the parameters of a row, also those of an index."""
    for p in params:
        if type(p) is np.ndarray:
            yield p
        elif type(p) is tuple:
            for k in p:
                if type(k) is np.ndarray:
                    yield k


listening: ContextVar[Notes | None] = ContextVar("symgrad_notes", default=None)
"""The notes of the trace that runs here, None where none does."""


@contextmanager
def noting() -> Iterator[Notes]:
    """Take notes inside."""
    notes = Notes()
    token = listening.set(notes)
    try:
        yield notes
    finally:
        listening.reset(token)
        outer = listening.get()
        if outer is not None:  # a trace inside a trace
            outer.reasons += notes.reasons


def places(index: Any) -> Any:
    """A symbol of whole numbers as an array of indices that somebody listening knows; anything else as it is."""
    if type(index) is not Symbol or index._data.dtype.kind not in "iu" or index._data.dtype == np.uint8:  # a mask
        return index
    notes = listening.get()
    if notes is None:
        return index
    array = index._data.view()  # an array of its own: it is known by its identity
    notes.places[id(array)] = (array, index)
    return array


def bounded(index: np.ndarray, low: int, end: int) -> None:
    """Note that what `places` gave must lie from ``low`` to before ``end`` in every example."""
    notes = listening.get()
    if notes is not None and id(index) in notes.places:
        notes.bounds.append((notes.places[id(index)][1], low, end))


_found: dict[int, weakref.ref[np.ndarray]] = {}


def note_places(t: Any) -> None:
    """Note that the values of a tensor serve as places: if they were found from other values, whoever makes a formula
    of it must not take them for constants."""
    origin = t._extra.origin if isinstance(t, Tensor) and t._extra is not None else None
    if origin is not None and origin[5]:  # it rests on something with a history, not on constants alone
        block = owner(t._data)
        key = id(block)
        _found[key] = weakref.ref(block, lambda _: _found.pop(key, None))


def found_places(params: tuple[Any, ...]) -> bool:
    """Whether there are places among the parameters of a row that were found from values."""
    return bool(_found) and any(id(owner(a)) in _found for a in arrays_in(params))


__all__ = ["Notes", "arrays_in", "bounded", "found_places", "listening", "note_places", "noting", "places"]
