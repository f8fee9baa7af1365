"""pandas' Series and DataFrames as arguments: arrays for the function, and results with their labels.

The idea to hold: a table is the array of its values, with names on it. The names are taken off at the door, and put on
again what has the table's shape (a gradient, a product with the Hessian). pandas is never imported here.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np

from ..core import array_of_table, is_table, without_numbers
from ._tree import flatten, flatten_like, unflatten


def without_tables(tree: Any) -> Any:
    """The container with arrays in place of tables; itself where there are none."""
    if "pandas" not in sys.modules:
        return tree
    leaves, spec = flatten(tree)
    if not any(map(is_table, leaves)):
        return tree
    return unflatten(spec, [array_of_table(leaf) if is_table(leaf) else leaf for leaf in leaves])


def note_tables(error: Exception, given: dict[str, Any]) -> None:
    """Add to an error that a function raised which of its tables hold other things than numbers: unless it is one of
    shapes, which has another cause."""
    if not isinstance(error, (TypeError, ValueError)) or _of_shapes(error):
        return
    for name, table in given.items():
        wrong = without_numbers(name, table) if is_table(table) else None
        if wrong is not None and " ".join(wrong) not in getattr(error, "__notes__", ()):
            error.add_note(" ".join(wrong))


def _of_shapes(error: Exception) -> bool:
    return isinstance(error, ValueError) and re.search("shape|dimension|broadcast|align|length", str(error)) is not None


def with_tables(given: Any, result: Any) -> Any:
    """A result of the structure of ``given``, with the labels of the tables that were in it."""
    if "pandas" not in sys.modules:
        return result
    leaves, spec = flatten(given)
    if not any(map(is_table, leaves)):
        return result
    found = flatten_like(spec, result)
    return result if found is None else unflatten(spec, [_labelled(a, b) for a, b in zip(leaves, found, strict=True)])


def _labelled(table: Any, value: Any) -> Any:
    if not is_table(table) or type(value) is not np.ndarray or value.shape != table.shape:
        return value
    pandas = sys.modules["pandas"]
    if isinstance(table, pandas.DataFrame):
        return pandas.DataFrame(value, index=table.index, columns=table.columns)
    return pandas.Series(value, index=table.index, name=table.name) if isinstance(table, pandas.Series) else value


def labels_of(table: Any, name: str) -> list[str] | None:
    """How the entries of a table are called, row by row; None for what has no labels. One alone has no ``name``."""
    if not hasattr(table, "index"):
        return None
    entries = [(r, c) for r in table.index for c in table.columns] if table.ndim == 2 else [(r,) for r in table.index]
    return [f"{name}[{', '.join(map(repr, e))}]" if name else ", ".join(map(str, e)) for e in entries]


__all__ = ["labels_of", "note_tables", "with_tables", "without_tables"]
