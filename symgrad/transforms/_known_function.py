"""Functions that are known through and through: what they compute hangs on their arguments alone, as long as what they
read stays as it is.

The idea to hold: such a function reads plain numbers, arrays and containers, and calls what is known to do nothing but
compute: NumPy's functions that the table has, the table's own, Python's arithmetic, and other functions of this kind.
Whether what it read is still the same is then a matter of a few comparisons.
"""

from __future__ import annotations

import builtins
import inspect
import math
import sys
from collections.abc import Callable
from functools import cache, partial
from operator import is_
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from .. import _limits
from .._array import ARRAYS
from ..core import NUMPY, Tensor
from ..ops._public import FUNCTIONS, METHODS, PROPERTIES
from ._caught import Found, FoundArrays, replaced
from ._function_key import NoKey, Reader
from ._reads import NOTHING, builtins_of, content, reads

_IMPORT = builtins.__import__
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
    "IMPORT_STAR", "LOAD_LOCALS", "LOAD_FROM_DICT_OR_DEREF",
    "FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "BUILD_STRING",
])  # fmt: skip
"""Instructions that write where others read, that read what a function's names do not say, and that write numbers
down."""
_CHANGING = frozenset([
    "append", "extend", "insert", "pop", "popitem", "update", "setdefault", "remove", "clear", "reverse", "sort",
])  # fmt: skip
"""Methods by which lists and dictionaries change."""
_NOT_PURE = frozenset([f"symgrad.ops.{m}" for m in ("create._random", "create._draws", "_queries")])
_FLOATS = np.dtype(np.float32), np.dtype(np.float64)
_WRITING = frozenset(["STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"])


class KnownFunction(Reader):
    """What a function read when it was known.

    Parameters
    ----------
    most : how many bytes of arrays may be compared at each call
    large : bytes of an array of floats beyond which it is an input instead, if it is wherever the function reads it

    Attributes
    ----------
    inputs : such arrays; whatever numbers they have at a call, the function is the same

    Raises
    ------
    NoKey : it is not known through and through
    """

    def __init__(self, function: Callable[..., Any], most: float, large: float = math.inf) -> None:
        self._read_all(function, most, large)
        self._whole, self.inputs = function, tuple[np.ndarray, ...]()
        if not self._large:
            return
        self._found = FoundArrays([a for a, *_ in self._large])
        self._found.search(function)
        self.inputs = tuple(self._found.values)
        if self._writes or len(self.inputs) < len(self._large) or not self._is_all_replaced(function):
            self._read_all(function, most, math.inf)
            self.inputs = ()

    def _is_all_replaced(self, function: Callable[..., Any]) -> bool:
        """Whether a copy of the function with others in the places of its inputs reads none of these any more."""
        copy = replaced(function, self._found, tuple([a.view() for a in self.inputs]), {})
        again = KnownFunction.__new__(KnownFunction)
        again._read_all(copy, math.inf, -1)
        inputs = set(map(id, self.inputs))
        return not any(id(a) in inputs for a, *_ in (*again._arrays, *again._large))

    def at_inputs(self, count: int) -> Callable[..., Any]:
        """The function of so many arguments, then its inputs."""
        if not self.inputs:
            return self._whole
        return lambda *args: replaced(self._whole, self._found, args[count:], {})(*args[:count])

    def _read_all(self, function: Callable[..., Any], most: float, large: float) -> None:
        self._most, self._least = most, large
        self._large: list[tuple[np.ndarray, tuple[int, ...], Any, tuple[int, ...]]] = []
        found = Found()
        if found.search(function):
            raise NoKey  # somebody outside may differentiate what it computes
        super().__init__(found)
        self._cells: list[tuple[Any, Any]] = []
        self._names_read: list[tuple[dict[str, Any], str, Any]] = []
        self._functions: list[tuple[FunctionType, Any, Any, Any]] = []
        self._arrays: list[tuple[np.ndarray, tuple[int, ...], Any, np.ndarray | bytes]] = []
        self._containers: list[tuple[Any, list[Any]]] = []
        self._transforms: list[tuple[Any, list[Any]]] = []
        self._modules: list[ModuleType] = []
        self._writes, self._attributes, self._taken = False, set[str](), set(_taken_names())
        self.read(function)
        owned = self._watch_modules()
        if self._containers and self._writes:
            raise NoKey  # it may keep accounts of its calls
        if not all(name in owned and name not in self._taken for name in self._attributes - _pure_names()):
            raise NoKey  # attributes that may do more than compute

    def unchanged(self) -> bool:
        """Whether it would read the same now."""
        for module in self._modules:
            if type(module) is not ModuleType:  # another class may compute its attributes
                return False
        for cell, held in self._cells:
            if content(cell) is not held:
                return False
        for scope, name, value in self._names_read:
            if scope.get(name, NOTHING) is not value:
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
            if a.shape != shape or a.dtype is not dtype or not _is_same(_bits(a), data):
                return False
        for a, shape, dtype, strides in self._large:
            if a.shape != shape or a.dtype is not dtype or a.strides != strides:
                return False
        return True

    def _of_a_library(self, value: Any) -> Any:
        if isinstance(value, ModuleType):
            pure = value.__name__ in _MODULES and type(value) is ModuleType
            self._modules.append(value)
        else:
            pure = isinstance(value, np.ufunc) or _is_in(value, _pure_functions())
        if not pure:
            raise NoKey
        return value

    def _array(self, kind: type, value: Any) -> Any:
        if kind is not np.ndarray:
            raise NoKey  # a tensor may ask for gradients later
        if value.nbytes > self._least and value.dtype in _FLOATS and _is_contiguous(value):
            self._large.append((value, value.shape, value.dtype, value.strides))
            return kind, value.shape, value.dtype.str
        self.bytes += value.nbytes
        if self.bytes > self._most or value.dtype.kind not in "biufc":
            raise NoKey
        bits = _bits(value)
        kept = bits if isinstance(bits, bytes) else bits.copy()
        self._arrays.append((value, value.shape, value.dtype, kept))
        return kind, value.shape, value.dtype.str

    def _compound(self, kind: Any, value: Any) -> Any:
        if kind is list or kind is dict:
            self._containers.append((value, _items(value)))
        if kind is ModuleType:
            self._modules.append(value)
            return kind, value.__name__
        if kind is partial:
            self._transforms.append((value, _parts(value)))
        if getattr(kind, "made_of", None) and kind.__module__.startswith("symgrad."):
            self._transforms.append((value, _parts(value)))
            self._taken |= set(dir(kind))
            return kind, *map(self.read, _parts(value))
        return super()._compound(kind, value)

    def _names(self, code: CodeType) -> frozenset[str]:
        found = reads(code)
        if found.steps & _NEVER or found.writes or found.as_text or None in found.imports:
            raise NoKey  # it writes elsewhere, reads by other ways than names, or asks what numbers look like
        self._attributes |= found.attributes
        self._writes = self._writes or bool(found.steps & _WRITING or found.attributes & _CHANGING)
        if found.imports:
            self._names_read.append((vars(builtins), "__import__", _IMPORT))
        for name in found.imports:
            module: Any = sys.modules.get(str(name), NOTHING)
            self._names_read.append((sys.modules, str(name), module))
            self.read(module)
        return found.names

    def _watch_modules(self) -> set[str]:
        """Keep what the modules have under the names that are asked for: somebody may put something else there. Read
        what modules of the user's have there, and return these names."""
        seen, owned = set[tuple[int, str]](), set[str]()
        while todo := [
            (m, n) for m in self._modules for n in sorted(self._attributes) if (id(m), n) not in seen
        ]:  # what is read asks for more
            for module, name in todo:
                seen.add((id(module), name))
                value = vars(module).get(name, NOTHING)
                self._names_read.append((vars(module), name, value))
                if module.__name__ in _MODULES:
                    if isinstance(value, ModuleType) and value.__name__ in _MODULES and value not in self._modules:
                        self._modules.append(value)
                elif value is not NOTHING:
                    owned.add(name)
                    self.read(value)
                elif "__getattr__" in vars(module):
                    raise NoKey
        return owned

    def _function(self, value: FunctionType) -> Any:
        names = self._names(value.__code__)
        self._functions.append((value, value.__code__, value.__defaults__, value.__kwdefaults__))
        self._cells += [(cell, content(cell)) for cell in value.__closure__ or ()]
        own, builtin = value.__globals__, builtins_of(value)
        if type(own) is not dict:
            raise NoKey
        for name in names:
            self._names_read.append((own, name, own.get(name, NOTHING)))
            if name not in own:
                self._names_read.append((builtin, name, builtin.get(name, NOTHING)))
        return super()._function(value)


def _is_contiguous(a: np.ndarray) -> bool:
    return a.flags.c_contiguous or a.flags.f_contiguous


def _bits(a: np.ndarray) -> np.ndarray | bytes:
    """What an array has in its memory; of large ones as whole numbers, which are compared where they are."""
    if a.nbytes <= _limits.COMPARED_AS_BYTES or not _is_contiguous(a):
        return a.tobytes()
    flat = a.ravel("K")
    return flat.view(np.uint8 if flat.nbytes % 8 else np.uint64)


def _is_same(bits: np.ndarray | bytes, before: np.ndarray | bytes) -> bool:
    return bits == before if isinstance(bits, bytes) or isinstance(before, bytes) else np.array_equal(bits, before)


def _parts(transform: Any) -> list[Any]:
    """What a derivative is made of: its function, and how it is differentiated; or a partial function."""
    names = ("func", "args", "keywords") if type(transform) is partial else transform.made_of
    return [getattr(transform, name) for name in names]


def _items(container: Any) -> list[Any]:
    return [*container.keys(), *container.values()] if type(container) is dict else list(container)


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


@cache
def _taken_names() -> frozenset[str]:
    """Attributes that something else may have than a module of the user's."""
    kinds = [np.ndarray, np.float64, np.bool_, str, Tensor, FunctionType, partial, *ARRAYS, *_BUILTINS, type(np.sin)]
    modules = [sys.modules[name] for name in _MODULES if name in sys.modules]
    return frozenset([name for home in (*kinds, *modules) for name in dir(home)])


def _operations() -> dict[str, Any]:
    """The table's functions and methods, without those that draw random numbers or change what others will do."""
    return {name: f for name, f in {**METHODS, **FUNCTIONS}.items() if _home(f) not in _NOT_PURE}


def _home(function: Any) -> str:
    """The module in which a public function is written."""
    return str(getattr(inspect.unwrap(function), "__globals__", {}).get("__name__", ""))


__all__ = ["KnownFunction"]
