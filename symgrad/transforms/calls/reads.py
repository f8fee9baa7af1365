"""What a function of the user's reads: captured data, caught tensors, its key, and whether all is known."""

from __future__ import annotations

import builtins
import dis
import inspect
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from functools import cache, lru_cache, partial
from hashlib import blake2b
from operator import is_
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ... import _limits
from ..._array import ARRAYS, is_known, to_tensors
from ..._limits import bound
from ...core import NUMPY, Carrier, Op, Symbol, Tensor, unwrap
from ...ops import FUNCTIONS, METHODS, PROPERTIES
from .tree import flatten, is_container, parts_of, rebuilt, unflatten, write_back
from .tree import tree_paths as paths

# -------------------------------------------------------------------------------------------------------------------
# What code reads from elsewhere: names of its module, attributes, imports, cells of the function around

# The idea to hold: the instructions say it, of a function and of all functions within it, and they are read once.


NOTHING = object()
"""In the place of what is not there."""
_OF_NAMES = frozenset(["LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"])
_OF_ATTRIBUTES = frozenset(["LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"])
_OUTWARDS = frozenset(["STORE_GLOBAL", "DELETE_GLOBAL"])


class Reads(NamedTuple):
    """What code, and functions within it, read.

    Attributes
    ----------
    names, attributes, imports : names looked up in the module, attributes asked for, modules imported (with the
        packages around them; None for one that hangs on where the code stands)
    steps : the names of the instructions
    writes : names of its module, and variables of the function around it, to which it writes
    as_text : whether it may write numbers into a text
    """

    names: frozenset[str]
    attributes: frozenset[str]
    imports: frozenset[str | None]
    steps: frozenset[str]
    writes: frozenset[str]
    as_text: bool


@lru_cache(512)
def names_read(code: CodeType) -> Reads:
    """What code, and functions within it, read."""
    names, attributes, steps, writes = set[str](), set[str](), set[str](), set[str]()
    imports = set[str | None]()
    remainders = texts = False
    for inner in _codes(code):
        texts = texts or any(isinstance(c, str) and "%" in c for c in inner.co_consts)
        instructions = list(dis.get_instructions(inner))
        for k, step in enumerate(instructions):
            steps.add(step.opname)
            if step.opname in _OF_NAMES:
                names.add(step.argval)
            elif step.opname in _OF_ATTRIBUTES:
                attributes.add(step.argval)
            elif step.opname == "IMPORT_NAME":
                words = step.argval.split(".") if instructions[k - 2].argval == 0 else []
                imports |= {".".join(words[: n + 1]) for n in range(len(words))} or {None}
            elif step.opname in _OUTWARDS or (step.opname == "STORE_DEREF" and step.argval in code.co_freevars):
                writes.add(step.argval)
            elif step.opname == "BINARY_OP":
                remainders = remainders or step.argrepr in ("%", "%=")
    return Reads(
        frozenset(names),
        frozenset(attributes),
        frozenset(imports),
        frozenset(steps),
        frozenset(writes),
        remainders and texts,
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def content(cell: Any) -> Any:
    """What is in a cell; NOTHING if it is not assigned yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return NOTHING


def caught(function: FunctionType) -> list[tuple[int, Any]]:
    """What a function caught of the function around it, with its places, as far as it is assigned."""
    found = [(k, content(cell)) for k, cell in enumerate(function.__closure__ or ())]
    return [(k, value) for k, value in found if value is not NOTHING]


def builtins_of(function: FunctionType) -> dict[str, Any]:
    """Where a function finds names that its module does not have."""
    found = function.__globals__.get("__builtins__", {})
    return found if isinstance(found, dict) else vars(found)


# ----------------- What is differentiated in a function of the user's without being its argument: found, and replaced

# The idea to hold: a function remembers tensors from where it was written: in its closure, its defaults, the names that
# it reads of its module, the functions that it calls there. A copy of it with others in their places is the same
# function of what it remembered.


DIFFERENTIATED: tuple[type, ...] = (Tensor, *ARRAYS)
_OF_NUMBERS = (*DIFFERENTIATED, np.ndarray)


def is_differentiated(value: Any) -> bool:
    """Whether a value is a tensor or an array that remembers what it was computed from."""
    return isinstance(value, DIFFERENTIATED) and not is_known(to_tensors(value))


class FoundValues:
    """The differentiated values within others, in the order of their first meeting."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.containers: list[Any] = []  # that hold some, and may be written to
        self._places: dict[int, int] = {}
        self._seen: set[int] = set()

    def place(self, value: Any) -> int | None:
        return self._places.get(id(value))

    def empty(self) -> FoundValues:
        """One that looks for the same, and has found nothing yet."""
        return FoundValues()

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
        if is_container(value):
            self._seen.add(id(value))
            found = False
            for part in _searched(value):  # each of them, but for plain numbers, which may be many
                found = (type(part) is not float and self.search(part)) or found
            if found and not isinstance(value, (tuple, FunctionType, partial, MethodType)):
                self.containers.append(value)
            return found
        return False


class FoundArrays(FoundValues):
    """Some of NumPy's arrays within others, in the order of their first meeting."""

    def __init__(self, arrays: Sequence[np.ndarray]) -> None:
        super().__init__()
        self._wanted = {id(a): a for a in arrays}

    def empty(self) -> FoundValues:
        return FoundArrays([*self._wanted.values()])

    def is_wanted(self, value: Any) -> bool:
        return id(value) in self._wanted


def _searched(value: Any) -> list[Any]:
    if isinstance(value, FunctionType):
        return [*_held(value), *map(value.__globals__.get, _global_names(value))]
    return parts_of(value)


def _held(function: FunctionType) -> list[Any]:
    """What a function holds itself: what it caught, and its defaults."""
    values = [v for _, v in caught(function)]
    return [*values, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]


def _global_names(function: FunctionType) -> list[str]:
    """The global names that a function reads and that may be searched for numbers, or functions of the same module."""
    own = function.__globals__
    return [
        n for n in sorted(names_read(function.__code__).names)
        if isinstance(own.get(n), _OF_NUMBERS)
        or (is_container(own.get(n)) and getattr(own[n], "__globals__", own) is own)
    ]  # fmt: skip


def replaced(value: Any, found: FoundValues, by: tuple[Any, ...], made: dict[int, Any]) -> Any:
    """A value with others in the places of what was found in it; what holds nothing of it stays the same object."""
    place = found.place(value)
    if place is not None:
        return by[place]
    if id(value) in made:
        return made[id(value)]
    if not is_container(value) or not found.empty().search(value):
        return value
    if isinstance(value, FunctionType):
        return _function(value, found, by, made)
    return rebuilt(value, lambda part: replaced(part, found, by, made), made)


def take_over(found: FoundValues, by: tuple[Any, ...], made: dict[int, Any]) -> None:
    """Write into what a function reads what it wrote into what was ``made`` in its place."""
    for value in found.containers:
        if id(value) in made:
            write_back(value, made[id(value)], lambda part: replaced(part, found, by, made))


def _function(function: FunctionType, found: FoundValues, by: tuple[Any, ...], made: dict[int, Any]) -> Any:
    # a variable of the function around it to which it writes is shared; what it reads there stays what it is now
    shared = [n in names_read(function.__code__).writes for n in function.__code__.co_freevars]
    kept = [
        not s or found.empty().search(v) for s, v in zip(shared, map(content, function.__closure__ or ()), strict=True)
    ]
    cells = tuple(CellType() if k else cell for k, cell in zip(kept, function.__closure__ or (), strict=True))
    names = [n for n in _global_names(function) if found.empty().search(function.__globals__[n])]
    scope = dict(function.__globals__) if names else function.__globals__
    made[id(function)] = new = FunctionType(function.__code__, scope, function.__name__, None, cells)
    for k, held in caught(function):
        if kept[k]:
            cells[k].cell_contents = replaced(held, found, by, made)
    for n in names:
        scope[n] = replaced(function.__globals__[n], found, by, made)
    new.__defaults__ = replaced(function.__defaults__, found, by, made)
    new.__kwdefaults__ = replaced(function.__kwdefaults__, found, by, made)
    return new


def remembered(function: Any) -> list[Any]:
    """What a function remembers, in a form that tells two times apart: it is called between them, and may leave
    something behind (a list that grows, a number that counts, an array that is filled)."""
    state: list[Any] = []
    for value, parts in reached(function, _held_and_named):
        if isinstance(value, _OF_NUMBERS):
            data = value if isinstance(value, np.ndarray) else to_tensors(value)._data
            state.append(data.tobytes() if data.size <= _limits.HELD else data[..., -1:].tobytes())
        state.append((id(value), [v if isinstance(v, (int, float, complex, str)) else id(v) for v in parts]))
    return state


def numbers_kept(function: Any, besides: Sequence[Any]) -> list[Any]:
    """The numbers, none of them whole, that a function holds, but for those equal to one of ``besides``."""
    found: list[Any] = []
    plain = {float(number) for number in besides if np.ndim(number) == 0 and np.isrealobj(number)}
    for value, parts in reached(function, _held_and_named):
        for v in (value, *parts) if isinstance(value, _OF_NUMBERS) else parts:
            if type(v) is float:
                if v not in plain:
                    found.append(v.hex().encode())
            elif isinstance(v, (float, complex, *_OF_NUMBERS)):
                data = np.asarray(unwrap(to_tensors(v)))
                if data.dtype.kind in "fc" and not any(np.array_equal(data, number) for number in besides):
                    found.append(data.tobytes() if data.size <= _limits.HELD else data[..., -1:].tobytes())
    return sorted(found)


def _held_and_named(function: FunctionType) -> list[Any]:
    written = names_read(function.__code__).writes
    named = [function.__globals__.get(n) for n in (*_global_names(function), *sorted(written))]
    return [*_held(function), *named]


def arrays_reached(function: Any) -> Iterator[Any]:
    """The tensors and arrays of all that a function catches: from its closure, its defaults, the names it uses of its
    module, its object."""
    for value, _ in reached(function, _all_that_it_uses):
        if isinstance(value, Carrier):
            yield value._t
            yield from [number._t for number in getattr(value, "_numbers", {}).values()]  # entries that it gives again
        elif isinstance(value, (Tensor, np.ndarray)):
            yield value


def _all_that_it_uses(function: FunctionType) -> list[Any]:
    names = {n for inner in _codes(function.__code__) for n in inner.co_names}
    return [*_held(function), *map(function.__globals__.get, names)]


def reached(function: Any, parts_of_function: Callable[[FunctionType], list[Any]]) -> Iterator[tuple[Any, list[Any]]]:
    """What a function rests on, and what that holds in turn: each once, with the parts that are looked at next."""
    todo: list[Any] = [function]
    seen: set[int] = set()
    while todo and len(seen) < _limits.CAUGHT:
        value = todo.pop()
        if id(value) in seen or value is None or isinstance(value, (str, int, float, complex, type, ModuleType)):
            continue
        seen.add(id(value))
        parts: list[Any] = []
        if isinstance(value, FunctionType):
            parts = parts_of_function(value)
        elif isinstance(value, Op):
            parts = [value.forward, *value.given]  # what follows from these it finds out when it is first asked for
        elif not isinstance(value, (Carrier, *_OF_NUMBERS)):
            parts = parts_of(value)
        yield value, parts
        todo += parts


# -------------------------------------------------------------------------------------------------------------------
# Names for the data that a function did not get as arguments: ``y`` and ``X`` of ``lambda w: loss(X @ w, y)``

# The idea to hold: the function is built again with the same code, and with named tensors in place of the arrays that
# it catches from its closure and its module, so that a formula shows ``X``, not a page of numbers. Functions of the
# user's that it calls are built again likewise. The original is not touched.


Name = Callable[[Any, str], Any]  # (value, variable's name) -> the named tensor

_FOREIGN = ("symgrad", "numpy", "scipy", "builtins", "functools", "math")


def is_foreign(module: str) -> bool:
    """Whether the data of a module's functions are of no interest to formulas."""
    return module.split(".")[0] in _FOREIGN


def with_named_data(f: Any, name: Name) -> Any:
    """``f`` with every array (and unnamed tensor) that it catches replaced by ``name(array, variable)``.

    ``f`` itself, the same object, where there is nothing to replace.
    """
    return _Renamer(name).function(f)


def is_data(value: Any) -> bool:
    """Whether a caught value is to be named: an array of several elements, an unnamed tensor."""
    if isinstance(value, Tensor):
        return type(value) is not Symbol and (value._extra is None or value._extra.name is None)
    return isinstance(value, np.ndarray) and value.size > 1 and value.dtype.kind in "fciub"


def path_name(base: str, path: tuple[Any, ...]) -> str:
    """A name for an entry of a container: ``params['W']`` is ``params_W``."""
    words = [base, *(str(key) for key in path)]
    text = "_".join("".join(c if c.isalnum() or c == "_" else "_" for c in word) for word in words)
    return text if text.isidentifier() else f"_{text}"


class _Renamer:
    def __init__(self, name: Name) -> None:
        self.name = name
        self.values: dict[int, Any] = {}  # by identity: one array under two names is one symbol
        self.functions: dict[int, Any] = {}
        self.kept: list[Any] = []  # what the identities belong to

    def value(self, value: Any, name: str) -> Any:
        """What stands for a caught value: itself where it is no data."""
        if isinstance(value, (FunctionType, MethodType)):
            return self.function(value)
        if is_data(value):
            found = self.values.get(id(value))
            if found is None:
                self.kept.append(value)
                found = self.values[id(value)] = self.name(value, name)
            return found
        if isinstance(value, (tuple, list, dict)) or is_dataclass(value):
            leaves, spec = flatten(value)
            if spec.kind is not None and any(map(is_data, leaves)):
                named = [
                    self.value(leaf, path_name(name, path)) for leaf, path in zip(leaves, paths(value), strict=True)
                ]
                return unflatten(spec, named)
        return value

    def function(self, f: Any) -> Any:
        """The function with its data named (itself if it catches none)."""
        if isinstance(f, MethodType):
            inner = self.function(f.__func__)
            return f if inner is f.__func__ else MethodType(inner, f.__self__)
        if not isinstance(f, FunctionType) or is_foreign(f.__module__ or ""):
            return f
        if id(f) not in self.functions:
            self.kept.append(f)
            self.functions[id(f)] = f  # a function that calls itself calls the original
            self.functions[id(f)] = self._built(f)
        return self.functions[id(f)]

    def _built(self, f: FunctionType) -> FunctionType:
        own = names_read(f.__code__)
        if own.writes:  # what it writes to its module would be lost
            return f
        names = {}
        for key in own.names:
            if key in f.__globals__:
                old = f.__globals__[key]
                new = self.value(old, key)
                if new is not old:
                    names[key] = new
        cells = f.__closure__ or ()
        closure = tuple(self._cell(c, v) for c, v in zip(cells, f.__code__.co_freevars, strict=True))
        if not names and all(a is b for a, b in zip(cells, closure, strict=True)):
            return f
        new = FunctionType(f.__code__, {**f.__globals__, **names}, f.__name__, f.__defaults__, closure or None)
        new.__kwdefaults__ = f.__kwdefaults__
        return new

    def _cell(self, cell: CellType, name: str) -> CellType:
        old = content(cell)
        new = self.value(old, name)
        return cell if new is old else CellType(new)


# -------------------------------------------------------------------------------------------------------------------
# What a function is, apart from the differentiated values that it remembers: equal keys, equal functions

# The idea to hold: a function is its code and all that it reads from elsewhere, by value. Only what is surely known is
# read: plain numbers, arrays, containers, other functions. Objects with a behaviour of their own, modules of the
# user's, names that are looked up while it runs have no key, and a function that reads them has none.


_LIBRARIES = frozenset(["numpy", "scipy", "symgrad", "math", "builtins", "operator", "cmath"])
_PLAIN = frozenset([int, float, complex, bool, str, bytes, type(None), type(Ellipsis)])
_LOOKED_UP = frozenset(["globals", "locals", "vars", "eval", "exec", "getattr", "super", "__import__", "__class__"])
"""Names by which code reads what its names do not say."""


class NoKey(Exception):
    """Something that a function reads cannot be told from another of its kind."""


def function_key(value: Any, found: FoundValues) -> Any:
    """A key of a function, in which what was ``found`` in it (differentiated values) has its place, shape and dtype.

    Raises
    ------
    NoKey : something that it reads cannot be read by value, or it is too much
    """
    return FunctionReader(found).read(value)


KEYED = bound(400)
"""Values that a function remembers, beyond which it is not read."""
KEYED_BYTES = bound(1 << 20)
"""Bytes of arrays among them."""


class FunctionReader:
    """Reads a function for its key."""

    def __init__(self, found: FoundValues) -> None:
        self.found = found
        self.seen: dict[int, int] = {}
        self.bytes: int = 0

    def read(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN or (isinstance(value, np.number | np.bool_) and kind.__module__ == "numpy"):
            return kind, repr(value)  # as numbers NaN is no NaN, and -0.0 is 0.0
        place = self.found.place(value)
        if place is not None:
            data = to_tensors(value)._data
            return "found", place, kind, data.shape, data.dtype.char
        known = self.seen.get(id(value))
        if known is not None:
            return "seen", known
        if len(self.seen) >= KEYED:
            raise NoKey
        self.seen[id(value)] = len(self.seen)
        if kind is np.ndarray or isinstance(value, DIFFERENTIATED):
            return self._array(kind, value if kind is np.ndarray else to_tensors(value))
        if of_a_library(value):
            return self._of_a_library(value)
        return self._compound(kind, value)

    def _of_a_library(self, value: Any) -> Any:
        return value

    def _array(self, kind: type, value: Any) -> Any:
        """Of an array or a tensor."""
        data = value._data if isinstance(value, Tensor) else value
        self.bytes += data.nbytes
        if self.bytes > KEYED_BYTES or data.dtype.kind not in "biufc":
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


def of_a_library(value: Any) -> bool:
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
    found = names_read(code)
    by_others = found.imports or (found.names | found.attributes) & _LOOKED_UP or "IMPORT_STAR" in found.steps
    return None if by_others else found.names


# -------------------------------------------------------------------------------------------------------------------
# Functions that are known through and through: what they compute hangs on their arguments alone, as long as what they
# read stays as it is.
#
# The idea to hold: such a function reads plain numbers, arrays and containers, and calls what is known to do nothing
# but compute: NumPy's functions that the table has, the table's own, Python's arithmetic, and other functions of this
# kind. Whether what it read is still the same is then a matter of a few comparisons.


_IMPORT = builtins.__import__
_CREATORS = (
    "arange", "array", "asanyarray", "asarray", "broadcast_shapes", "diag_indices", "errstate", "eye", "full",
    "identity", "indices", "isscalar", "ix_", "linspace", "ones", "tri", "tril_indices", "triu_indices", "zeros",
    "float16", "float32", "float64", "int8", "int16", "int32", "int64", "intp", "bool_",
)  # fmt: skip
"""NumPy's functions that compute, and take no array that could be differentiated."""
_ATTRIBUTES = (
    "shape", "ndim", "size", "dtype", "linalg", "fft", "special", "numpy", "pi", "e", "inf", "nan", "newaxis",
    "euler_gamma", "at", "outer", "reduce", "reduceat", "accumulate", "append", "extend", "insert", "pop", "remove",
    "clear", "reverse", "update", "setdefault", "get", "items", "keys", "values",
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
_NOT_PURE = frozenset(["symgrad.ops.create.draws", "symgrad.ops.queries"])
_FLOATS = np.dtype(np.float32), np.dtype(np.float64)
_WRITING = frozenset(["STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"])


class KnownFunction(FunctionReader):
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

    inputs: tuple[Any, ...]

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
        found = FoundValues()
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
            if not all(map(is_, _parts_of_transform(transform), parts)) or (
                type(transform) is partial and vars(transform)
            ):
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
            self._transforms.append((value, _parts_of_transform(value)))
        if getattr(kind, "made_of", None) and kind.__module__.startswith("symgrad."):
            self._transforms.append((value, _parts_of_transform(value)))
            self._taken |= set(dir(kind))
            return kind, *map(self.read, _parts_of_transform(value))
        return super()._compound(kind, value)

    def _names(self, code: CodeType) -> frozenset[str]:
        found = names_read(code)
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


def _parts_of_transform(transform: Any) -> list[Any]:
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
