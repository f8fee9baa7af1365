"""What a function is, apart from the differentiated values that it remembers: equal keys, equal functions.

The idea to hold: a function is its code and all that it reads from elsewhere, by value. Only what is surely known is
read: plain numbers, arrays, containers, other functions. Objects with a behaviour of their own, modules of the user's,
names that are looked up while it runs have no key, and a function that reads them has none.
"""

from __future__ import annotations

import sys
from functools import partial
from hashlib import blake2b
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .. import _limits
from .._array._protocols import unpacked
from ..core import Tensor
from ._caught import DIFFERENTIATED, Found
from ._reads import NOTHING, builtins_of, content, reads

_LIBRARIES = frozenset(["numpy", "scipy", "symgrad", "math", "builtins", "operator", "cmath"])
_PLAIN = frozenset([int, float, complex, bool, str, bytes, type(None), type(Ellipsis)])
_LOOKED_UP = frozenset(["globals", "locals", "vars", "eval", "exec", "getattr", "super", "__import__", "__class__"])
"""Names by which code reads what its names do not say."""


class NoKey(Exception):
    """Something that a function reads cannot be told from another of its kind."""


def function_key(value: Any, found: Found) -> Any:
    """A key of a function, in which what was ``found`` in it (differentiated values) has its place, shape and dtype.

    Raises
    ------
    NoKey : something that it reads cannot be read by value, or it is too much
    """
    return Reader(found).read(value)


class Reader:
    """Reads a function for its key."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.seen: dict[int, int] = {}
        self.bytes = 0

    def read(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN or (isinstance(value, np.number | np.bool_) and kind.__module__ == "numpy"):
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
        if kind is np.ndarray or isinstance(value, DIFFERENTIATED):
            return self._array(kind, value if kind is np.ndarray else unpacked(value))
        if _of_a_library(value):
            return self._of_a_library(value)
        return self._compound(kind, value)

    def _of_a_library(self, value: Any) -> Any:
        return value

    def _array(self, kind: type, value: Any) -> Any:
        """Of an array or a tensor."""
        data = value._data if isinstance(value, Tensor) else value
        self.bytes += data.nbytes
        if self.bytes > _limits.KEYED_BYTES or data.dtype.kind not in "biufc":
            raise NoKey
        return kind, data.shape, data.dtype.str, blake2b(data.tobytes()).digest()  # keys are kept, data are not

    def _compound(self, kind: type, value: Any) -> Any:
        if kind is list or kind is tuple:
            return kind, *map(self.read, value)
        if kind is dict:
            return kind, *[(self.read(k), self.read(v)) for k, v in value.items()]
        if kind is partial and not vars(value):
            return kind, self.read(value.func), self.read(value.args), self.read(value.keywords)
        if kind is FunctionType:
            return self._function(value)
        raise NoKey

    def _names(self, code: CodeType) -> frozenset[str] | None:
        """The names that code may read from its module; None where it reads by other ways than names."""
        return _names_of(code)

    def _function(self, value: FunctionType) -> Any:
        names: Any = self._names(value.__code__)
        if names is None or vars(value):  # what it carries along may be read by others
            raise NoKey
        cells = [None if (held := content(cell)) is NOTHING else self.read(held) for cell in value.__closure__ or ()]
        own, builtin = value.__globals__, builtins_of(value)
        scope = [(n, self.read(own[n] if n in own else builtin[n])) for n in sorted(names) if n in own or n in builtin]
        return (
            FunctionType, value.__code__, tuple(cells), self.read(value.__defaults__), self.read(value.__kwdefaults__),
            tuple(scope),
        )  # fmt: skip


def _of_a_library(value: Any) -> bool:
    """Whether this is a module of a library, or is found by its name in one: these do not change."""
    if isinstance(value, ModuleType):
        return value.__name__.split(".")[0] in _LIBRARIES
    if isinstance(value, BuiltinFunctionType) and not isinstance(value.__self__, ModuleType | None):
        return False  # a method of an object
    if type(value).__module__.split(".")[0] not in _LIBRARIES:
        return False  # whose attributes may be anything
    if isinstance(value, np.ufunc):
        homes = ["numpy", "scipy.special"]
    else:
        homes = [str(getattr(value, "__module__", None))]
    for home in homes:
        at: Any = sys.modules.get(home) if home.split(".")[0] in _LIBRARIES else None
        for name in getattr(value, "__qualname__", getattr(value, "__name__", "")).split("."):
            at = getattr(at, name, None)
        if at is value:
            return True
    return False


def _names_of(code: CodeType) -> frozenset[str] | None:
    """The names that code may read; None where it reads by other ways than names."""
    found = reads(code)
    by_others = found.imports or (found.names | found.attributes) & _LOOKED_UP or "IMPORT_STAR" in found.steps
    return None if by_others else found.names


__all__ = ["NoKey", "Reader", "function_key"]
