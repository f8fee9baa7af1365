"""Notes that a trace takes of what its graph will not tell.

The idea to hold: a graph says how a result was computed, except where code looks at values behind its back, or makes
a leaf of what was none. Those places ask whether somebody is `listening` (one read of a context variable; as a rule
nobody does), and say what they did.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ._graph import Symbol, Tensor


class Notes:
    """The notes of one trace.

    Attributes
    ----------
    reasons : why the graph does not tell everything
    leaves : what was detached and made a leaf anew: per leaf's node the detached symbol
    kept : those leaves (a leaf's node knows its tensor weakly)
    """

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.leaves: dict[Any, Symbol] = {}
        self.kept: list[Tensor] = []

    def doubt(self, reason: str) -> None:
        """The graph does not tell everything, because…"""
        self.reasons.append(reason)

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
