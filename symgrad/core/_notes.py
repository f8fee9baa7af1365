"""Notes that a trace takes of what its graph will not tell.

The idea to hold: a graph says how a result was computed, except where code looks at values behind its back, or makes
a leaf of what was none. Those places ask whether somebody is `listening` (one read of a context variable; nobody
does, as a rule), and say what they did.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ._graph import Symbol, Tensor


class Notes:
    """The notes of one trace.

    Attributes
    ----------
    reasons : why the graph does not tell everything
    picks : per array of indices (by identity) that sorting or choosing found: the array, the row, and in what
    found : what was taken at, or put to, such indices: per array that came out (by identity) the row, the array that
        went in, the parameters and what came out
    places : whole numbers used as an index, and the length of what they index
    leaves : what was detached and made a leaf anew: per leaf's node the detached symbol
    kept : leaves that only their nodes, which know them weakly, would keep
    """

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.picks: dict[int, tuple[Any, str, Any]] = {}
        self.found: dict[int, tuple[str, np.ndarray, tuple[Any, ...], np.ndarray]] = {}
        self.places: list[tuple[Symbol, int]] = []
        self.leaves: dict[Any, Symbol] = {}
        self.kept: list[Tensor] = []

    def doubt(self, reason: str) -> None:
        """The graph does not tell everything, because…"""
        self.reasons.append(reason)

    def chose(self, row: str, x: Any, index: Any) -> None:
        """A row that sorts or chooses found the places ``index`` in ``x``."""
        if type(x) is Symbol:
            self.picks[id(index)] = (index, row, x if x._node is None else x._node)

    def took(self, row: str, x: Any, params: tuple[Any, ...], out: np.ndarray) -> None:
        """A row took ``out`` from ``x``, which may have no history (a sweep's seed), at places that were found."""
        self.found[id(out)] = (row, x, params, out)

    def indexed(self, place: Symbol, length: int) -> None:
        """A symbol's whole numbers served as an index, so they must be places of ``length`` elements."""
        self.places.append((place, length))

    def detached(self, leaf: Tensor, before: Symbol) -> None:
        """What was detached became a leaf."""
        self.leaves[leaf._node] = before
        self.kept.append(leaf)


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


__all__ = ["Notes", "listening", "noting"]
