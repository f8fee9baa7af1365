"""What is differentiated in a function of the user's without being its argument: found, and replaced.

The idea to hold: a function remembers tensors from where it was written: in its closure, its defaults, the names that
it reads of its module, the functions that it calls there. A copy of it with others in their places is the same function
of what it remembered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from .. import _limits
from .._array import ARRAYS
from .._array._protocols import is_known, unpacked
from ..core import Tensor
from ._reads import caught, reads

DIFFERENTIATED = (Tensor, *ARRAYS)
_OF_NUMBERS = (*DIFFERENTIATED, np.ndarray)


def is_differentiated(value: Any) -> bool:
    """Whether a value is a tensor or an array that remembers what it was computed from."""
    return isinstance(value, DIFFERENTIATED) and not is_known(unpacked(value))


class Found:
    """The differentiated values within others, in the order of their first meeting."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._places: dict[int, int] = {}
        self._seen: set[int] = set()

    def place(self, value: Any) -> int | None:
        return self._places.get(id(value))

    def empty(self) -> Found:
        """One that looks for the same, and has found nothing yet."""
        return Found()

    def is_wanted(self, value: Any) -> bool:
        """Whether it is what is looked for."""
        return is_differentiated(value)

    def search(self, value: Any) -> bool:
        """Note what is in a value; whether there is something."""
        if isinstance(value, _OF_NUMBERS):
            if not self.is_wanted(value):
                return False
            if id(value) not in self._places:
                self._places[id(value)] = len(self.values)
                self.values.append(value)
            return True
        if id(value) in self._seen:
            return False
        if isinstance(value, (list, tuple, dict, FunctionType, partial)):
            self._seen.add(id(value))
            found = False
            for part in _parts(value):  # each of them is searched
                found = self.search(part) or found
            return found
        return False


class FoundArrays(Found):
    """Some of NumPy's arrays within others, in the order of their first meeting."""

    def __init__(self, arrays: Sequence[np.ndarray]) -> None:
        super().__init__()
        self._wanted = {id(a): a for a in arrays}

    def empty(self) -> Found:
        return FoundArrays([*self._wanted.values()])

    def is_wanted(self, value: Any) -> bool:
        return id(value) in self._wanted


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, FunctionType):
        yield from (v for _, v in caught(value))
        yield from (value.__defaults__ or ())
        yield from (value.__kwdefaults__ or {}).values()
        yield from (value.__globals__[n] for n in _global_names(value))
    else:
        yield from value


def _global_names(function: FunctionType) -> list[str]:
    """The global names that a function reads and that may be searched for numbers, or functions of the same module."""
    own = function.__globals__
    return [
        n for n in sorted(reads(function.__code__).names)
        if isinstance(own.get(n), (*_OF_NUMBERS, list, tuple, dict))
        or (isinstance(own.get(n), FunctionType) and own[n].__globals__ is own)
    ]  # fmt: skip


def replaced(value: Any, found: Found, by: tuple[Any, ...], made: dict[int, Any]) -> Any:
    """A value with others in the places of what was found in it; what holds nothing of it stays the same object."""
    place = found.place(value)
    if place is not None:
        return by[place]
    if id(value) in made:
        return made[id(value)]
    if not isinstance(value, (list, tuple, dict, FunctionType, partial)) or not found.empty().search(value):
        return value
    if isinstance(value, FunctionType):
        return _function(value, found, by, made)
    if isinstance(value, dict):
        return {k: replaced(v, found, by, made) for k, v in value.items()}
    if isinstance(value, partial):
        func, args, keywords = (replaced(v, found, by, made) for v in (value.func, value.args, value.keywords))
        return partial(func, *args, **keywords)
    parts = [replaced(v, found, by, made) for v in value]
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def _function(function: FunctionType, found: Found, by: tuple[Any, ...], made: dict[int, Any]) -> Any:
    cells = tuple(CellType() for _ in function.__closure__ or ())
    names = [n for n in _global_names(function) if found.empty().search(function.__globals__[n])]
    scope = dict(function.__globals__) if names else function.__globals__
    made[id(function)] = new = FunctionType(function.__code__, scope, function.__name__, None, cells)
    for k, content in caught(function):
        cells[k].cell_contents = replaced(content, found, by, made)
    for n in names:
        scope[n] = replaced(function.__globals__[n], found, by, made)
    new.__defaults__ = replaced(function.__defaults__, found, by, made)
    new.__kwdefaults__ = replaced(function.__kwdefaults__, found, by, made)
    return new


def remembered(function: Any) -> list[Any]:
    """What a function remembers, in a form that tells two times apart: it is called between them, and may leave
    something behind (a list that grows, a number that counts, an array that is filled)."""
    todo, state = [function], []
    seen: set[int] = set()
    while todo and len(seen) < _limits.CAUGHT:
        value = todo.pop()
        if id(value) in seen or value is None or isinstance(value, (str, int, float, complex, type, ModuleType)):
            continue
        seen.add(id(value))
        parts: list[Any] = []
        if isinstance(value, (Tensor, *ARRAYS, np.ndarray)):
            data = value if isinstance(value, np.ndarray) else unpacked(value)._data
            state.append(data.tobytes() if data.size <= _limits.HELD else data[..., -1:].tobytes())
        elif isinstance(value, FunctionType):
            own = value.__globals__
            parts = [v for _, v in caught(value)] + [own[n] for n in _global_names(value)]
        elif isinstance(value, MethodType):
            parts = [value.__self__, value.__func__]
        elif isinstance(value, (dict, list, tuple, set, partial)):
            parts = list(value) if isinstance(value, set) else list(_parts(value))
        elif isinstance(getattr(value, "__dict__", None), dict):
            parts = list(vars(value).values())
        state.append((id(value), [v if isinstance(v, (int, float, complex, str)) else id(v) for v in parts]))
        todo += parts
    return state


__all__ = ["DIFFERENTIATED", "Found", "FoundArrays", "is_differentiated", "remembered", "replaced"]
