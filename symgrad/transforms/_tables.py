"""pandas' Series and DataFrames as arguments: arrays for the function, and results with their labels.

The idea to hold: a table is the array of its values, with names on it. The names are taken off at the door, and put on
again what has the table's shape (a gradient, a product with the Hessian). pandas is never imported here.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..core import is_table
from ._tree import flatten, flatten_like, unflatten


def without_tables(tree: Any) -> Any:
    """The container with arrays in place of tables; itself where there are none."""
    if "pandas" not in sys.modules:
        return tree
    leaves, spec = flatten(tree)
    if not any(map(is_table, leaves)):
        return tree
    return unflatten(spec, [_values(leaf) if is_table(leaf) else leaf for leaf in leaves])


def _values(table: Any) -> np.ndarray:
    """The array of a table. Columns of several kinds of numbers and of truth values are floats, not objects."""
    array = np.asarray(table)
    if array.dtype == object:
        dtypes = list(table.dtypes) if table.ndim == 2 else [table.dtype]
        if all(dtype.kind in "fiub" for dtype in dtypes):
            return np.asarray(table.to_numpy(float, na_value=np.nan))
    return array


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


__all__ = ["labels_of", "with_tables", "without_tables"]
