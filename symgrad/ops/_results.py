"""Named results: what operations with several outputs return, ``(values, indices)`` and the like.

The classes are public in `symgrad.return_types`; they unpack like tuples and print as PyTorch's do.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

RESULTS: dict[str, Any] = {}
"""Every named result, by the name of its operation."""


def _repr(self: Any) -> str:
    fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
    return f"symgrad.return_types.{type(self).__name__}(\n{fields})"


def result(name: str, *fields: str) -> Any:
    """The class of the results of the operation ``name``.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.max(sg.tensor([1.0, 3.0, 2.0]), 0)
    symgrad.return_types.max(
    values=tensor(3.),
    indices=tensor(1))
    """
    base: Any = namedtuple(name, fields)  # type: ignore[misc]  # made from a name
    made: Any = type(name, (base,), {"__slots__": (), "__repr__": _repr, "__module__": "symgrad.return_types"})
    made.__doc__ = f"What {name} returns: ({', '.join(fields)})."
    RESULTS[name] = made
    return made
