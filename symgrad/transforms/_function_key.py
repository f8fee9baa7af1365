"""What a function is, apart from the differentiated values that it remembers: equal keys, equal functions.

The idea to hold: a function is its code and all that it reads from elsewhere, by value. What cannot be read by value
(an object of C's, a generator of random numbers) has no key, and what takes long to read has none either.
"""

from __future__ import annotations

from functools import partial
from hashlib import blake2b
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from .. import _limits
from .._array._protocols import unpacked
from ..core import Tensor
from ._caught import DIFFERENTIATED, Found

_LIBRARIES = ("numpy", "scipy", "symgrad", "math", "builtins", "functools", "operator", "cmath")
_PLAIN = (int, float, complex, str, bytes, type(None), type(Ellipsis), np.generic, np.dtype)


class NoKey(Exception):
    """Something that a function reads cannot be told from another of its kind."""


def function_key(value: Any, found: Found) -> Any:
    """A key of a function, in which what was ``found`` in it (differentiated values) has its place, shape and dtype.

    Raises
    ------
    NoKey : something that it reads cannot be read by value, or it is too much
    """
    return _Reader(found).read(value)


class _Reader:
    def __init__(self, found: Found) -> None:
        self.found = found
        self.seen: dict[int, int] = {}
        self.bytes = 0

    def read(self, value: Any) -> Any:
        kind = type(value)
        if isinstance(value, _PLAIN):
            return kind, repr(value)  # as numbers NaN is no NaN, and -0.0 is 0.0
        place = self.found.place(value)
        if place is not None:
            data = unpacked(value)._data
            return "found", place, kind, data.shape, data.dtype.char
        known = self.seen.get(id(value))
        if known is not None:
            return "seen", known
        if len(self.seen) >= _limits.KEYED:
            raise NoKey
        self.seen[id(value)] = len(self.seen)
        if isinstance(value, (np.ndarray, *DIFFERENTIATED)):
            return self._array(kind, value if isinstance(value, np.ndarray) else unpacked(value))
        return self._compound(kind, value)

    def _array(self, kind: type, value: Any) -> Any:
        data = value._data if isinstance(value, Tensor) else value
        self.bytes += data.nbytes
        if self.bytes > _limits.KEYED_BYTES or data.dtype.kind not in "biufc":
            raise NoKey
        return kind, data.shape, data.dtype.char, blake2b(data.tobytes()).digest()  # keys are kept, data are not

    def _compound(self, kind: type, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return kind, *map(self.read, value)
        if isinstance(value, dict):
            return kind, *[(self.read(k), self.read(v)) for k, v in value.items()]
        if isinstance(value, partial):
            return kind, self.read(value.func), self.read(value.args), self.read(value.keywords)
        if isinstance(value, MethodType):
            return kind, self.read(value.__func__), self.read(value.__self__)
        if _of_a_library(value):
            return value
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, type):
            return value, *[(n, self.read(v)) for n, v in vars(value).items() if not n.startswith("__")]
        if isinstance(value, (property, staticmethod, classmethod)):
            inner = [getattr(value, n, None) for n in ("fget", "__func__")]
            return kind, *map(self.read, inner)
        if isinstance(getattr(value, "__dict__", None), dict) and type(value).__flags__ & (1 << 9):
            return self.read(kind), self.read(vars(value))  # a class of Python's: what it holds is in its dictionary
        raise NoKey

    def _function(self, value: FunctionType) -> Any:
        cells: list[Any] = []
        for cell in value.__closure__ or ():
            try:
                cells.append(self.read(cell.cell_contents))
            except ValueError:  # not assigned yet
                cells.append(None)
        own, names = value.__globals__, _names(value.__code__)
        scope = [(n, self._global(own[n], names)) for n in sorted(names) if n in own]
        return (
            FunctionType, value.__code__, tuple(cells), self.read(value.__defaults__), self.read(value.__kwdefaults__),
            tuple(scope),
        )  # fmt: skip

    def _global(self, value: Any, names: set[str]) -> Any:
        """A global name's value; of a module of the user's, what is read of it."""
        if not isinstance(value, ModuleType) or _of_a_library(value):
            return self.read(value)
        inner = vars(value)
        return value, tuple([(n, self.read(inner[n])) for n in sorted(names) if n in inner])


def _of_a_library(value: Any) -> bool:
    """Whether a module, class or function belongs to a library, which does not change."""
    if isinstance(value, (np.ufunc, BuiltinFunctionType)):
        return True
    if isinstance(value, ModuleType):
        name = value.__name__
    elif isinstance(value, (type, FunctionType)) or type(value).__module__.startswith("numpy"):
        name = getattr(value, "__module__", None) or ""
        if isinstance(value, FunctionType) and value.__closure__ and "<locals>" in value.__qualname__:
            return False
        if not isinstance(value, (type, FunctionType)) and not callable(value):
            return False
    else:
        return False
    return name.split(".")[0] in _LIBRARIES


def _names(code: CodeType) -> set[str]:
    return set(code.co_names).union(*[_names(c) for c in code.co_consts if isinstance(c, CodeType)])


__all__ = ["NoKey", "function_key"]
