"""The table, and what it is to others before it is filled: a row is found by its name.

Rows refer to each other before both are declared, and what records operations speaks of a few rows (``clone``,
``cast``): below both stands the table.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any


class Table(MutableMapping[str, Any]):
    """Rows by name. What stands for a row that is not declared yet is the module that declares it, which is imported
    when somebody asks for the row: the order of the rows is the same, whatever was asked for before."""

    def __init__(self) -> None:
        self._rows: dict[str, Any] = {}

    def later(self, module: str, names: str) -> None:
        """Say which module will declare rows of these ``names``, in the order in which it does."""
        self._rows.update(dict.fromkeys(names.split(), module))

    def __getitem__(self, name: str) -> Any:
        row = self._rows[name]
        if type(row) is str:
            import_module(row)
            row = self._rows[name]
            if type(row) is str:  # its module asks, which is just about to declare it
                raise KeyError(name)
        return row

    def __setitem__(self, name: str, row: Any) -> None:
        self._rows[name] = row

    def __delitem__(self, name: str) -> None:
        del self._rows[self[name].name]  # what was not declared would come back

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class Functions(MutableMapping[Any, Any]):
    """What functions are on tensors. Most are declared by ``module``, which is imported when one is asked for."""

    module = ""

    def __init__(self) -> None:
        self._rows: dict[Any, Any] = {}

    def _all(self) -> dict[Any, Any]:
        if self.module:
            import_module(self.module)
        return self._rows

    def __getitem__(self, function: Any) -> Any:
        return self._all()[function]

    def __setitem__(self, function: Any, row: Any) -> None:
        self._rows[function] = row

    def __delitem__(self, function: Any) -> None:
        del self._all()[function]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


class _Asked(dict[Any, Any]):
    """What was asked for of `NUMPY`, without its detours; None where there is nothing."""

    def __missing__(self, function: Any) -> Any:
        row = NUMPY.get(function)
        if row is not None:
            self[function] = row
        return row


TABLE = Table()
"""Every declared operation, an `Op`, by name."""

PUBLIC: set[str] = set()
"""The library's public functions, by name (filled when all are known): a formula's words, so no row of a user's."""

NUMPY = Functions()
"""What each NumPy function is on tensors (filled by the table)."""

of_numpy = _Asked()
"""The same, for those who ask at every call."""


def table(name: str) -> Any:
    """A row's function, by name."""
    return TABLE[name].apply
