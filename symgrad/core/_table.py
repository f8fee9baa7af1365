"""The table, and what it is to others before it is filled: a row is found by its name.

Rows refer to each other before both are declared, and what records operations speaks of a few rows (``clone``,
``cast``): below both stands the dictionary.
"""

from __future__ import annotations

from typing import Any

TABLE: dict[str, Any] = {}
"""Every declared operation, an `Op`, by name."""

PUBLIC: set[str] = set()
"""The library's public functions, by name (filled when all are known): a formula's words, so no row of a user's."""

NUMPY: dict[Any, Any] = {}
"""What each NumPy function is on tensors (filled by the table)."""


def table(name: str) -> Any:
    """A row's function, by name."""
    return TABLE[name].apply
