"""What the user's function was called with, for the error that it raised: shapes, and labels that are lost.

The idea to hold: the error is the user's own and stays so. What symgrad knows of the call is added to it as a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._errors import SymgradError
from ..core import is_table
from ..transforms._tree import flatten_values

_LOOKUPS = (AttributeError, IndexError, KeyError)


@contextmanager
def noted(what: str, given: dict[str, Any], labels: str = "pass a dictionary: dict({})") -> Iterator[None]:
    """Add to an error of the function in the block what it was called with: arguments as the user has them, by name.

    ``labels`` says how to have labels inside of it.
    """
    try:
        yield
    except SymgradError:
        raise
    except Exception as error:
        lines = [f"{what} with {', '.join(_described(name, value) for name, value in given.items())}."]
        tables = {name: value for name, value in given.items() if is_table(value)}
        if isinstance(error, _LOOKUPS):
            lines += [_without_labels(name, table, labels) for name, table in tables.items()]
        error.add_note("\n".join(lines))
        raise


def _described(name: str, value: Any) -> str:
    if isinstance(value, dict):
        return f"{name} a dictionary of {', '.join(map(repr, value))}"
    leaves = flatten_values(value)[0]
    if len(leaves) == 1 and leaves[0] is value and hasattr(value, "shape"):
        shape = tuple(value.shape)
        return f"{name} of shape {shape}" if shape else f"{name} a number"
    return f"{name} a {type(value).__name__}"


def _without_labels(name: str, table: Any, labels: str) -> str:
    """What became of a table: the function sees its values."""
    first = [str(label) for label in getattr(table, "columns", table.index)[:1]]
    place = f"{name}[:, 0] is the column" if table.ndim == 2 else f"{name}[0] is the entry"
    return f"It gets the values of {name}, an array: {place} {', '.join(first)!r}. For labels {labels.format(name)}."


__all__ = ["noted"]
