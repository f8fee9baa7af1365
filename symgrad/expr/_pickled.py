"""How terms are pickled: by class and state, an operation of the table by its name."""

from __future__ import annotations

from typing import Any

from ..core import TABLE


def kept(op: Any) -> Any:
    """What is pickled of an operation: its name, if it is a row of the table."""
    return op.name if TABLE.get(op.name) is op else op  # type: ignore[union-attr]


def rebuild(cls: Any, state: tuple[Any, ...]) -> Any:
    """The term of a class with a state; an operation is looked up by its name."""
    if cls.kind in ("call", "map", "lin"):
        op = TABLE[state[0]] if isinstance(state[0], str) else state[0]
        state = (op, *state[1:])
    return cls(*state)
