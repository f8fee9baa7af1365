"""The state of the random numbers: put back, so that a function run again draws the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..ops._public import FUNCTIONS
from ..ops.create._random import Beginnings, drawn


def rng_state() -> Any:
    """The state of the generator behind ``sg.rand`` and its like."""
    return FUNCTIONS["get_rng_state"]()


@contextmanager
def at_state(state: Any) -> Iterator[None]:
    """Draw from ``state`` on inside the block, and as if nothing had been drawn after it. None: leave it alone."""
    if state is None:
        yield
        return
    before = rng_state()
    FUNCTIONS["set_rng_state"](state)
    try:
        yield
    finally:
        FUNCTIONS["set_rng_state"](before)


class Randomness:
    """What a function run once per example may draw.

    ``kind`` is 'different', 'same' (each begins where the first began) or 'error'.
    """

    def __init__(self, kind: str) -> None:
        self.kind, self.start = kind, drawn[0]
        self.begun = Beginnings() if kind == "same" else None

    def next(self) -> None:
        """Before each example."""
        if self.begun is not None:
            self.begun.put_back()

    def close(self) -> None:
        """Raise if random numbers were drawn and may not be."""
        if self.kind == "error" and drawn[0] != self.start:
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                "'different' randomness flags on vmap or perform the randomness operation out of vmap"
            )
