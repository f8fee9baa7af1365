"""Named results: what operations with several outputs return, ``(values, indices)`` and the like.

The classes are public in `symgrad.return_types`; they unpack like tuples and print as PyTorch's do.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any

from .._errors import compose
from ..core import Tensor

RESULTS: dict[str, Any] = {}
"""Every named result, by the name of its operation."""


def _repr(self: Any) -> str:
    fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
    return f"symgrad.return_types.{type(self).__name__}(\n{fields})"


_ALONE = {
    "max": "sg.amax(A, dim) or np.max(A, axis=…)", "min": "sg.amin(A, dim) or np.min(A, axis=…)",
    "median": "np.median(A, axis=…)", "sort": "np.sort(A, axis=…)",
}  # fmt: skip


def _no_attribute(self: Any, name: str) -> Any:
    kind = type(self).__name__
    if not hasattr(Tensor, name) or name.startswith("__"):
        raise AttributeError(f"{kind!r} result has no attribute {name!r}")
    alone = f"; {_ALONE[kind]} gives the values alone" if kind in _ALONE else ""
    raise AttributeError(compose(
        f"{kind!r} result has no attribute {name!r}: it is not a tensor",
        f"{kind} returns several tensors here, as in PyTorch: {', '.join(self._fields)}.",
        f"Take one of them, as in result.{self._fields[0]}{alone}.",
    ))  # fmt: skip


@cache
def _tuples(*fields: str) -> Any:
    """The tuples with these names: many operations have values and indices."""
    return namedtuple("_tuples", fields)


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
    if name in RESULTS:  # of several rows that are one function
        return RESULTS[name]
    made = type(name, (_tuples(*fields),), {
        "__slots__": (), "__repr__": _repr, "__getattr__": _no_attribute, "__module__": "symgrad.return_types",
    })  # fmt: skip
    made.__doc__ = f"What {name} returns: ({', '.join(fields)})."
    RESULTS[name] = made
    return made
