"""Functions that are known through and through: what they compute hangs on their arguments alone, as long as what they
read stays as it is.

The idea to hold: such a function reads plain numbers, arrays and containers, and calls what is known to do nothing but
compute: NumPy's functions that the table has, the table's own, Python's arithmetic, and other functions of this kind.
Whether what it read is still the same is then a matter of a few comparisons.
"""

from __future__ import annotations

import dis
import inspect
import math
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from operator import is_
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from ..core import NUMPY
from ..ops._public import FUNCTIONS, METHODS, PROPERTIES
from ._caught import Found
from ._function_key import NoKey, Reader, builtins_of

_NOTHING = object()
_CREATORS = (
    "arange", "array", "asanyarray", "asarray", "broadcast_shapes", "diag_indices", "errstate", "eye", "full",
    "identity", "indices", "isscalar", "ix_", "linspace", "ones", "tri", "tril_indices", "triu_indices", "zeros",
    "float16", "float32", "float64", "int8", "int16", "int32", "int64", "intp", "bool_",
)  # fmt: skip
"""NumPy's functions that compute, and take no array that could be differentiated."""
_ATTRIBUTES = (
    "shape", "ndim", "size", "dtype", "linalg", "fft", "special", "numpy", "pi", "e", "inf", "nan", "newaxis",
    "euler_gamma", "at", "outer", "reduce", "reduceat", "accumulate", "append", "extend", "get", "items", "keys",
    "values",
)  # fmt: skip
"""Attributes of arrays, modules and containers that are not operations of the table."""
_BUILTINS = frozenset([
    abs, all, any, bool, complex, dict, divmod, enumerate, filter, float, frozenset, int, isinstance, issubclass, len,
    list, map, max, min, pow, range, reversed, round, set, slice, sorted, sum, tuple, type, zip,
    ValueError, TypeError, IndexError,
])  # fmt: skip
_MODULES = frozenset([
    "numpy", "numpy.linalg", "numpy.fft", "math", "cmath", "operator", "scipy.special", "symgrad", "symgrad.numpy",
    "symgrad.numpy.linalg", "symgrad.numpy.fft", "symgrad.linalg", "symgrad.fft", "symgrad.special",
    "symgrad.nn.functional",
])  # fmt: skip
"""Modules whose functions of these names are the ones that are meant."""
_NEVER = frozenset([
    "STORE_GLOBAL", "STORE_NAME", "STORE_ATTR", "DELETE_GLOBAL", "DELETE_NAME", "DELETE_ATTR",
    "LOAD_NAME", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_BUILD_CLASS", "LOAD_SUPER_ATTR",
    "IMPORT_NAME", "IMPORT_FROM", "IMPORT_STAR", "LOAD_LOCALS", "LOAD_FROM_DICT_OR_DEREF",
    "FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "BUILD_STRING",
])  # fmt: skip
"""Instructions that write where others read, that read what a function's names do not say, and that write numbers
down."""
_CHANGING = frozenset([
    "append", "extend", "insert", "pop", "popitem", "update", "setdefault", "remove", "clear", "reverse", "sort",
])  # fmt: skip
"""Methods by which lists and dictionaries change."""
_NOT_PURE = frozenset([f"symgrad.ops.{m}" for m in ("create._random", "create._draws", "_queries")])
_OF_ATTRIBUTES = frozenset(["LOAD_ATTR", "LOAD_METHOD"])


class KnownFunction(Reader):
    """What a function read when it was known.

    Raises
    ------
    NoKey : it is not known through and through
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        found = Found()
        if found.search(function):
            raise NoKey  # somebody outside may differentiate what it computes
        super().__init__(found)
        self._cells: list[tuple[Any, Any]] = []
        self._names_read: list[tuple[dict[str, Any], str, Any]] = []
        self._functions: list[tuple[FunctionType, Any, Any, Any]] = []
        self._arrays: list[tuple[np.ndarray, tuple[int, ...], Any, bytes]] = []
        self._containers: list[tuple[Any, list[Any]]] = []
        self._transforms: list[tuple[Any, list[Any]]] = []
        self._modules: list[ModuleType] = []
        self._writes, self._attributes = False, set[str]()
        self.read(function)
        if self._containers and self._writes:
            raise NoKey  # it may keep accounts of its calls
        self._watch_modules()

    def unchanged(self) -> bool:
        """Whether it would read the same now."""
        for cell, content in self._cells:
            if _content(cell) is not content:
                return False
        for scope, name, value in self._names_read:
            if scope.get(name, _NOTHING) is not value:
                return False
        for f, code, defaults, keywords in self._functions:
            if f.__code__ is not code or f.__defaults__ is not defaults or f.__kwdefaults__ is not keywords:
                return False
            if f.__dict__:  # it had no attributes, which whoever asks for one sees
                return False
        for transform, parts in self._transforms:
            if not all(map(is_, _parts(transform), parts)) or (type(transform) is partial and vars(transform)):
                return False
        for container, items in self._containers:
            now = _items(container)
            if len(now) != len(items) or not all(map(is_, now, items)):
                return False
        for a, shape, dtype, data in self._arrays:
            if a.shape != shape or a.dtype is not dtype or a.tobytes() != data:
                return False
        return True

    def _of_a_library(self, value: Any) -> Any:
        if isinstance(value, ModuleType):
            pure = value.__name__ in _MODULES
            self._modules.append(value)
        else:
            pure = isinstance(value, np.ufunc) or _is_in(value, _pure_functions())
        if not pure:
            raise NoKey
        return value

    def _array(self, kind: type, value: Any) -> Any:
        if kind is not np.ndarray:
            raise NoKey  # a tensor may ask for gradients later
        if value.nbytes + self.bytes > _limits.REPEATED_READ:
            raise NoKey  # comparing it would take longer than the function does
        key = super()._array(kind, value)
        self._arrays.append((value, value.shape, value.dtype, value.tobytes()))
        return key

    def _compound(self, kind: Any, value: Any) -> Any:
        if kind is list or kind is dict:
            self._containers.append((value, _items(value)))
        if kind is partial:
            self._transforms.append((value, _parts(value)))
        if getattr(kind, "made_of", None) and kind.__module__.startswith("symgrad."):
            self._transforms.append((value, _parts(value)))
            return kind, *map(self.read, _parts(value))
        return super()._compound(kind, value)

    def _names(self, code: CodeType) -> frozenset[str]:
        asks = _asks(code)
        self._attributes |= asks.attributes
        self._writes = self._writes or asks.writes
        return asks.names

    def _watch_modules(self) -> None:
        """Keep what the modules have under the names that are asked for: somebody may put something else there."""
        for module in self._modules:  # which grows
            for name in sorted(self._attributes):
                value = vars(module).get(name, _NOTHING)
                self._names_read.append((vars(module), name, value))
                if isinstance(value, ModuleType) and value.__name__ in _MODULES and value not in self._modules:
                    self._modules.append(value)

    def _function(self, value: FunctionType) -> Any:
        names = self._names(value.__code__)
        self._functions.append((value, value.__code__, value.__defaults__, value.__kwdefaults__))
        self._cells += [(cell, _content(cell)) for cell in value.__closure__ or ()]
        own, builtin = value.__globals__, builtins_of(value)
        if type(own) is not dict:
            raise NoKey
        for name in names:
            self._names_read.append((own, name, own.get(name, _NOTHING)))
            if name not in own:
                self._names_read.append((builtin, name, builtin.get(name, _NOTHING)))
        return super()._function(value)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _NOTHING


def _parts(transform: Any) -> list[Any]:
    """What a derivative is made of: its function, and how it is differentiated; or a partial function."""
    names = ("func", "args", "keywords") if type(transform) is partial else transform.made_of
    return [getattr(transform, name) for name in names]


def _items(container: Any) -> list[Any]:
    return [*container.keys(), *container.values()] if type(container) is dict else list(container)


class _Asks(NamedTuple):
    """The names that code reads from its module, the attributes that it asks for, and whether it writes to anything."""

    names: frozenset[str]
    attributes: frozenset[str]
    writes: bool


@lru_cache(512)
def _asks(code: CodeType) -> _Asks:
    """What code, and functions within it, ask for.

    Raises
    ------
    NoKey : it writes to what is not its own, reads by other ways than names, asks for attributes that may do more than
        compute, or for what numbers look like
    """
    names, attributes, texts, writes, remainders = set(), set(), set(), False, False
    for inner in _codes(code):
        texts |= {c for c in inner.co_consts if isinstance(c, str)}
        for step in dis.get_instructions(inner):
            if step.opname in _NEVER or (step.opname == "STORE_DEREF" and step.argval in code.co_freevars):
                raise NoKey
            if step.opname == "BINARY_OP" and step.argrepr in ("%", "%="):
                remainders = True
            if step.opname == "LOAD_GLOBAL":
                names.add(step.argval)
            elif step.opname in _OF_ATTRIBUTES:
                attributes.add(step.argval)
            writes = writes or step.opname in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
    as_text = remainders and any("%" in text for text in texts)
    if as_text or not attributes <= _pure_names():
        raise NoKey
    return _Asks(frozenset(names), frozenset(attributes), writes or bool(attributes & _CHANGING))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _is_in(value: Any, known: frozenset[Any]) -> bool:
    try:
        return value in known
    except TypeError:  # it has no hash
        return False


@cache
def _pure_functions() -> frozenset[Any]:
    """Functions of libraries that do nothing but compute."""
    own = [getattr(np, name) for name in _CREATORS]
    of_math = [f for f in vars(math).values() if callable(f)]
    return frozenset([*NUMPY, *_operations().values(), *own, *of_math]) | _BUILTINS


@cache
def _pure_names() -> frozenset[str]:
    """Attributes that do nothing but compute, of whatever a known function can have."""
    import scipy.special

    ufuncs = [n for home in (np, scipy.special) for n, f in vars(home).items() if isinstance(f, np.ufunc)]
    of_numpy = [f.__name__ for f in NUMPY if hasattr(f, "__name__")]
    of_math = [name for name in vars(math) if not name.startswith("_")]
    return frozenset([*ufuncs, *of_numpy, *_operations(), *PROPERTIES, *of_math, *_CREATORS, *_ATTRIBUTES])


def _operations() -> dict[str, Any]:
    """The table's functions and methods, without those that draw random numbers or change what others will do."""
    return {name: f for name, f in {**METHODS, **FUNCTIONS}.items() if _home(f) not in _NOT_PURE}


def _home(function: Any) -> str:
    """The module in which a public function is written."""
    return str(getattr(inspect.unwrap(function), "__globals__", {}).get("__name__", ""))


__all__ = ["KnownFunction"]
