"""Nested containers of values, taken apart and put together again; pandas' labels."""

from __future__ import annotations

import copy
import copyreg
import dataclasses
import functools
import itertools
import math
import re
import sys
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import starmap
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from ... import _limits
from ..._errors import DTypeError, GradientError, ShapeError, SymgradError, listed
from ...core import (
    Carrier,
    Symbol,
    Tensor,
    array_of_table,
    is_table,
    named_shape,
    no_numbers,
    refuse_foreign,
    unwrap,
    without_numbers,
)

# -------------------------------------- Nested containers of values: taken apart into a flat list, put together again

# The one idea: a container is a `Spec` (its structure) and the list of its leaves. Tuples, named tuples, lists,
# dictionaries, deques and instances of dataclasses are containers; everything else, None too, is a leaf.
#
# A dataclass is taken apart into its init fields, but those declared ``field(metadata={"static": True})``, which stay
# as they are. It is put together without its ``__init__`` and ``__post_init__``: what these check is meant for the
# user's values, not for a gradient or a block of a Hessian. Where ``__post_init__`` derives attributes from the fields,
# it does run, so that they follow the new values and never keep the old ones.


class Spec(NamedTuple):
    """The structure of a container: its type (None: a leaf), what names its entries, and theirs in turn."""

    kind: Any = None
    names: Any = ()
    parts: tuple[Any, ...] = ()

    @property
    def size(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(part.size for part in self.parts)

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        if issubclass(self.kind, dict):
            return "{" + ", ".join(f"{n!r}: {p}" for n, p in zip(_keys(self), self.parts, strict=True)) + "}"
        inside = ", ".join(map(str, self.parts))
        if self.kind is list:
            return f"[{inside}]"
        if self.kind is tuple:
            return f"({inside},)" if len(self.parts) == 1 else f"({inside})"
        if self.kind is type(None):
            return "None"
        if _is_dataclass(self.kind):
            inside = ", ".join(f"{n}={p}" for n, p in zip(self.names[0], self.parts, strict=True))
        return f"{self.kind.__name__}({inside})"


LEAF = Spec()
_LEAVES = frozenset((np.ndarray, np.float64, Tensor, Symbol, float, int, type(None)))  # told at once: they are many
_NONE = Spec(type(None))


def _is_dataclass(kind: Any) -> bool:
    return hasattr(kind, "__dataclass_fields__")


class _DataclassFields(NamedTuple):
    """The fields of a dataclass by what becomes of them."""

    entries: tuple[str, ...]
    static: tuple[str, ...]
    derived: tuple[str, ...]
    vanished: tuple[str, ...]  # arguments of __post_init__ that no instance keeps
    finishes: bool  # has a __post_init__


@functools.lru_cache(maxsize=_limits.PLANS)
def _fields(kind: Any) -> _DataclassFields:
    known = dataclasses.fields(kind)
    given = [f for f in known if f.init]
    static = tuple(f.name for f in given if f.metadata.get("static"))
    names = {f.name for f in known}
    pseudo = [f for f in kind.__dataclass_fields__.values() if f.name not in names]
    return _DataclassFields(
        tuple(f.name for f in given if f.name not in static), static, tuple(f.name for f in known if not f.init),
        tuple(f.name for f in pseudo if "InitVar" in str(f.type)), hasattr(kind, "__post_init__"),
    )  # fmt: skip


def _taken_apart(tree: Any, kind: Any) -> tuple[Any, Any]:
    """The names and the entries of a dataclass's instance. The names say too whether anything in it is derived."""
    fields = _fields(kind)
    more = len(getattr(tree, "__dict__", ())) - len(fields.entries) - len(fields.static)
    derived = bool(fields.derived) or (fields.finishes and more > 0)
    names = fields.entries, tuple((name, getattr(tree, name)) for name in fields.static), derived
    return names, [getattr(tree, name) for name in fields.entries]


def _built(kind: Any, names: Any, entries: list[Any]) -> Any:
    """An instance of a dataclass from its entries (frozen ones too)."""
    new = object.__new__(kind)
    for name, value in (*zip(names[0], entries, strict=True), *names[1]):
        object.__setattr__(new, name, value)
    if names[2]:
        _derive(new, _fields(kind))
    return new


def _derive(new: Any, fields: _DataclassFields) -> None:
    """Fill what follows from the entries, as the class's own __init__ does."""
    if fields.vanished:
        raise GradientError(
            f"{type(new).__name__} cannot be put together again: its __post_init__ takes arguments that no instance "
            "keeps",
            f"They are {list(fields.vanished)} (InitVar), and attributes are derived from them.",
            "Make what is derived properties, or pass a dictionary of arrays.",
        )
    for f in dataclasses.fields(new):
        if not f.init and f.default is not dataclasses.MISSING:
            object.__setattr__(new, f.name, f.default)
        elif not f.init and f.default_factory is not dataclasses.MISSING:
            object.__setattr__(new, f.name, f.default_factory())
    if fields.finishes:
        new.__post_init__()


def _keys(spec: Spec) -> tuple[Any, ...]:
    return spec.names[1] if spec.kind is defaultdict else spec.names


def _entries(tree: Any) -> tuple[Any, Any, Any] | None:
    """(type, names, entries) of a container, None for a leaf."""
    kind = type(tree)
    if kind in _LEAVES:
        return None
    if kind is tuple or kind is list:
        return kind, (), tree
    if kind is dict or kind is OrderedDict:
        return kind, tuple(tree), tree.values()
    if kind is defaultdict:
        return kind, (tree.default_factory, tuple(tree)), tree.values()
    if kind is deque:
        return kind, tree.maxlen, tree
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return kind, (), tree
    if hasattr(kind, "__dataclass_fields__"):
        return kind, *_taken_apart(tree, kind)
    return None


def flatten(tree: Any) -> tuple[list[Any], Spec]:
    """Take a container apart: its leaves, in order, and its structure."""
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves, False)


def flatten_call(args: Any, kwargs: Any) -> tuple[list[Any], Spec]:
    """As `flatten`, of all that a function is called with; what keywords give is in the order of their names."""
    return flatten((args, tuple(sorted(kwargs.items()))))


def flatten_values(tree: Any) -> tuple[list[Any], Spec]:
    """As `flatten`, but None is part of the structure: a place without a value, which stays None."""
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves, True)


def _flatten(tree: Any, leaves: list[Any], holes: bool) -> Spec:
    found = _entries(tree)
    if found is None:
        if holes and tree is None:
            return _NONE
        leaves.append(tree)
        return LEAF
    kind, names, entries = found
    return Spec(kind, names, tuple([_flatten(entry, leaves, holes) for entry in entries]))


def unflatten(spec: Spec, leaves: Any) -> Any:
    """Put a container together from its structure and its leaves."""
    return _unflatten(spec, iter(leaves))


def _unflatten(spec: Spec, leaves: Any) -> Any:
    if spec.kind is None:
        return next(leaves)
    entries = [_unflatten(part, leaves) for part in spec.parts]
    kind = spec.kind
    if kind is list:
        return entries
    if kind is tuple:
        return tuple(entries)
    if kind is deque:
        return deque(entries, spec.names)
    if kind is defaultdict:
        return defaultdict(spec.names[0], zip(spec.names[1], entries, strict=True))
    if kind is type(None):
        return None
    if issubclass(kind, dict):
        return kind(zip(spec.names, entries, strict=True))
    if _is_dataclass(kind) and not issubclass(kind, tuple):
        return _built(kind, spec.names, entries)
    return kind(*entries)


def leaves_of(tree: Any) -> list[Any]:
    """The leaves of a container."""
    return flatten(tree)[0]


def tree_map(fn: Callable[[Any], Any], tree: Any) -> Any:
    """The same container with ``fn`` applied to each leaf."""
    leaves, spec = flatten(tree)
    return unflatten(spec, [fn(leaf) for leaf in leaves])


def cut_to_shapes(vector: Any, shapes: Iterable[tuple[int, ...]]) -> list[Any]:
    """A flat vector cut into arrays of these shapes, one after the other."""
    found, start = [], 0
    for shape in shapes:
        stop = start + math.prod(shape)
        found.append(vector[start:stop].reshape(shape))
        start = stop
    return found


def flatten_like(spec: Spec, tree: Any) -> list[Any] | None:
    """The leaves of ``tree`` in the order of ``spec``; None where the two differ in structure.

    Dictionaries agree whatever the order of their keys.
    """
    return _align(spec, tree, prefix=False)


def broadcast_prefix(tree: Any, spec: Spec) -> list[Any] | None:
    """The leaves of ``tree``, each repeated for all that stands in its place in ``spec``; None if they do not fit.

    ``0`` fits every structure, ``(0, None)`` every pair.
    """
    return _align(spec, tree, prefix=True)


def _align(spec: Spec, tree: Any, prefix: bool) -> list[Any] | None:
    found = _entries(tree)
    if spec.kind is type(None) and tree is None:
        return []
    if found is None:
        return [tree] * spec.size if prefix or spec.kind is None else None
    kind, names, entries = found
    if spec.kind is not kind or len(entries) != len(spec.parts):
        return None
    if issubclass(kind, dict):
        keys = _keys(spec)
        if set(keys) != set(tree):
            return None
        entries = [tree[k] for k in keys]
    elif (names[0] if _is_dataclass(kind) else names) != (spec.names[0] if _is_dataclass(kind) else spec.names):
        return None
    result = []
    for part, entry in zip(spec.parts, entries, strict=True):
        below = _align(part, entry, prefix)
        if below is None:
            return None
        result += below
    return result


# ----------------------- What an object of whatever class is made of, and another of its class, made of other parts

# The idea to hold: an object has items and attributes. Another one gets others in their places without its class's
# ``__init__``, as a copy does. Where the class says itself how it is copied, or what is to be done at an object's end,
# the object is left as it is.


_CONTAINERS = (list, tuple, dict, deque, FunctionType, functools.partial, MethodType)
_COPYING = "__copy__", "__deepcopy__", "__del__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__"
_USUAL = "None", "collections", "dataclasses", "symgrad"


def is_container(value: Any) -> bool:
    """Whether a value is looked through for what is differentiated: what `flatten` takes apart, and what calls
    functions."""
    kind: Any = type(value)
    if kind in _LEAVES:
        return False
    if isinstance(value, _CONTAINERS) or hasattr(kind, "made_of"):  # a derivative
        return True
    if kind is BuiltinFunctionType:
        return is_container(value.__self__)
    return _is_dataclass(kind) and _is_copied_as_usual(kind)


def _is_ours(kind: Any) -> bool:
    """Whether it is a class of symgrad's, but for modules, which hold what users give them."""
    home = kind.__module__
    return issubclass(kind, Tensor) or (home.startswith("symgrad.") and not home.startswith("symgrad.nn"))


@functools.lru_cache(maxsize=_limits.PLANS)
def _is_copied_as_usual(kind: Any) -> bool:
    return not _is_ours(kind) and all(
        str(getattr(getattr(kind, n, None), "__module__", None)).split(".")[0] in _USUAL for n in _COPYING
    )


def attributes(value: Any) -> dict[str, Any]:
    """The attributes that an object has itself, those of slots too."""
    state: Any = object.__getstate__(value)
    own, slots = state if isinstance(state, tuple) else (state, None)
    return {**(own or {}), **(slots or {})}


def parts_of(value: Any) -> list[Any]:
    """What an object is made of: items and attributes; of a method, a partial function or a derivative, what it calls
    and with what."""
    if isinstance(value, (MethodType, BuiltinFunctionType)):
        return [getattr(value, "__func__", None), value.__self__]
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values(), *vars(value).values()]
    if hasattr(type(value), "made_of"):
        return [value.function]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, _ITERATED) else ()
    own = getattr(value, "__dict__", {}) if _is_ours(type(value)) else attributes(value)
    return [*items, *own.values()]


_ITERATED = (list, tuple, set, deque)


def rebuilt(value: Any, of: Callable[[Any], Any], made: dict[int, Any]) -> Any:
    """An object of the same class, made of ``of(part)`` for each part; itself if it cannot be.

    ``made`` gets it by the identity of the value: whoever holds the value twice holds one.
    """
    kind: Any = type(value)
    if kind is MethodType:
        return MethodType(of(value.__func__), of(value.__self__))
    if hasattr(kind, "made_of"):
        made[id(value)] = new = copy.copy(value)
        vars(new).update(function=of(value.function), _repeated=None)  # a program would be the original's
        return new
    if isinstance(value, tuple):
        made[id(value)] = new = tuple.__new__(kind, map(of, value))
    elif kind is list:
        made[id(value)] = new = []
        new += [v if type(v) is float else of(v) for v in value]
    else:
        try:
            known = value.__reduce_ex__(4) if _is_copied_as_usual(kind) else ""
        except TypeError:  # as of what waits or holds a lock
            known = ""
        return value if isinstance(known, str) else _remade(value, known, of, made)
    _give_attributes(new, value, of)
    return new


def _remade(value: Any, known: tuple[Any, ...], of: Callable[[Any], Any], made: dict[int, Any]) -> Any:
    """An object as `copy` makes it, of parts that are ``known`` as a pickle knows them."""
    make, args, state, items, pairs = (*known, None, None, None)[:5]
    if make is copyreg.__newobj__:  # type: ignore[attr-defined]
        make = next(base for base in args[0].__mro__ if not base.__flags__ & _IN_PYTHON).__new__
    if state is items is pairs is None and all(isinstance(a, type) for a in args):
        return value  # it has no parts
    made[id(known)] = known  # as long as its parts are known by identity
    try:
        new = make(*map(of, args))
    except TypeError:  # a constructor of the user's that takes other arguments
        return value
    made[id(value)] = new
    if hasattr(type(new), "__setstate__"):
        new.__setstate__(of(state)) if state is not None else None
    else:
        _give_attributes(new, value, of)
    for item in items or ():
        new.append(of(item))
    for key, item in pairs or ():
        new[of(key)] = of(item)
    return new


def write_back(value: Any, new: Any, of: Callable[[Any], Any]) -> None:
    """Write into an object what was written since into another one that was `rebuilt` of it: a counter, say."""
    before = {id(of(part)): part for part in parts_of(value)}
    if isinstance(new, dict):
        now: Any = {k: before.get(id(v), v) for k, v in new.items()}
        if list(now) != list(value) or any(now[k] is not value[k] for k in now):
            value.clear()
            value.update(now)
    elif isinstance(new, (list, deque)):
        now = [before.get(id(v), v) for v in new]
        if len(now) != len(value) or any(a is not b for a, b in zip(now, value, strict=True)):
            value.clear()
            value.extend(now)
    own = attributes(value)
    for name, held in attributes(new).items():
        held = before.get(id(held), held)
        if own.get(name, own) is not held:
            setattr(value, name, held)


_IN_PYTHON = 1 << 9
"""The flag of classes that are written in Python (`Py_TPFLAGS_HEAPTYPE`), whose constructors may ask for arguments."""


def _give_attributes(new: Any, value: Any, of: Callable[[Any], Any]) -> None:
    own = getattr(value, "__dict__", ())
    for name, held in attributes(value).items():
        if name in own:
            vars(new)[name] = of(held)
        else:
            object.__setattr__(new, name, of(held))


# -------------------------------------------------------------------------------------------------- the way to a leaf


def _keyed(tree: Any) -> list[tuple[Any, str, Any]] | None:
    """(key, how Python writes the step, entry) of a container; None for a leaf."""
    found = _entries(tree)
    if found is None:
        return None
    kind, names, entries = found
    if issubclass(kind, dict):
        return [(key, f"[{key!r}]", entry) for key, entry in tree.items()]
    fields = getattr(kind, "_fields", None) if issubclass(kind, tuple) else names[0] if _is_dataclass(kind) else None
    if fields is not None:
        return [(name, f".{name}", entry) for name, entry in zip(fields, entries, strict=True)]
    return [(k, f"[{k}]", entry) for k, entry in enumerate(entries)]


def tree_paths(tree: Any) -> Iterator[tuple[Any, ...]]:
    """The way to each leaf of a container, in the order of `flatten`: keys, positions, names of fields."""
    steps = _keyed(tree)
    if steps is None:
        yield ()
        return
    for key, _, entry in steps:
        for rest in tree_paths(entry):
            yield (key, *rest)


def spelled_paths(tree: Any, name: str = "") -> Iterator[str]:
    """How Python writes each leaf of ``name``, in the order of `flatten`: ``params['W']``, ``model.layers[0]``."""
    steps = _keyed(tree)
    if steps is None:
        yield name
        return
    for _, text, entry in steps:
        yield from spelled_paths(entry, name + text)


def entry_names(name: str, shape: tuple[int, ...]) -> list[str]:
    """How Python writes each entry of the array ``name``: ``W[0, 1]``; a number is its name."""
    return [name + (f"[{', '.join(map(str, place))}]" if place else "") for place in np.ndindex(shape)]


def difference(a: Any, b: Any, name: str, other: str) -> str | None:
    """Where two containers first differ in structure or in the shapes of their leaves, in words; None if nowhere."""
    mine, theirs = _keyed(a), _keyed(b)
    if mine is None or theirs is None or type(a) is not type(b):
        same = mine is None and theirs is None and (a is None) == (b is None) and leaf_shape(a) == leaf_shape(b)
        return None if same else f"{name} is {_what(a)}, {other} is {_what(b)}."
    if isinstance(a, dict):
        for key in a:
            if key not in b:
                return f"{name}[{key!r}] has no counterpart: {other} has the keys {list(b)}."
        for key in b:
            if key not in a:
                return f"{other}[{key!r}] has no counterpart: {name} has the keys {list(a)}."
        theirs = [(key, "", b[key]) for key in a]
    if len(mine) != len(theirs):
        return f"{name} has {len(mine)} entries, {other} has {len(theirs)}."
    for (_, text, x), (_, _, y) in zip(mine, theirs, strict=True):
        found = difference(x, y, name + text, other + text)
        if found is not None:
            return found
    return None


def leaf_shape(leaf: Any) -> tuple[int, ...]:
    """The shape of an array or a tensor; that of anything else is ()."""
    data = leaf if isinstance(leaf, Carrier) else getattr(leaf, "_data", leaf)
    return tuple(getattr(data, "shape", ()))


def _what(value: Any) -> str:
    if value is None:
        return "None"
    if _entries(value) is not None:
        return f"a {type(value).__name__}"
    shape = named_shape(value) if type(value) is Symbol else leaf_shape(value)
    words = f"{shape[0]}," if len(shape) == 1 else ", ".join(map(str, shape))
    return f"of shape ({words})" if hasattr(value, "shape") else f"the {type(value).__name__} {value!r}"


def require_numbers(what: str, call: Any, leaves: list[Any]) -> None:
    """Raise if there is no leaf, or for one that is no array, tensor or number, by its place: ``call`` knows names and
    containers."""
    if not leaves:
        empty = [name for name, tree in zip(call.names, call.chosen(), strict=True) if tree is None]
        raise GradientError(
            f"{what} has nothing to differentiate with respect to",
            f"{empty[0]} is None." if empty else "The argument holds no array.", call.otherwise,
        )  # fmt: skip
    for k, leaf in enumerate(leaves):
        wrong = _no_number(leaf)
        if wrong is not None:
            pairs = list(zip(call.names, call.chosen(), strict=True))
            spelled = [path for name, tree in pairs for path in spelled_paths(tree, name)]
            held = flatten([tree for _, tree in pairs])[0]
            places = [path for path, leaf in zip(spelled, held, strict=True) if leaf is not None]
            tables = call.tables() if hasattr(call, "tables") else []
            if tables and is_table(tables[k]):
                wrong = without_numbers(places[k], tables[k]) or wrong
            raise DTypeError(f"{what} cannot differentiate with respect to {places[k]}", *wrong)


_CONSTANT = (
    "Hold it constant by closing over it; None may stand in its place; a dataclass declares it as "
    'field(metadata={"static": True}).'
)
_TRUTHS = "Make numbers of them if that is what is meant, x.astype(float); else close over them."


def _no_number(leaf: Any) -> tuple[str, str] | None:
    """Why a leaf cannot be differentiated with respect to, and what to do; None for what can be."""
    if isinstance(leaf, Carrier):
        leaf = leaf._t._data
    if isinstance(leaf, Tensor):
        dtype = leaf._data.dtype
        if dtype.kind in "fc":
            return None
        return (
            f"only Tensors of floating point dtype can require gradients, and its dtype is {dtype}.",
            "Cast it first: x.double().",
        )
    if isinstance(leaf, (np.ndarray, np.generic)):
        if isinstance(leaf, np.ndarray):
            refuse_foreign((type(leaf),))
        if leaf.dtype.kind == "b":
            return "It holds truth values, which have no neighbours.", _TRUTHS
        found = no_numbers(leaf.dtype)
        return None if found is None else (f"It holds {found[0]} (dtype {leaf.dtype}).", found[2].replace("K", "x"))
    if isinstance(leaf, (float, int, complex)) and type(leaf) is not bool:
        return None
    number = hasattr(leaf, "__float__") and not isinstance(leaf, (bool, type))
    return f"It is the {type(leaf).__name__} {leaf!r}.", "Make it a float: float(x)." if number else _CONSTANT


# ----------------- pandas' Series and DataFrames as arguments: arrays for the function, and results with their labels

# The idea to hold: a table is the array of its values, with names on it. The names are taken off at the door, and put
# on again what has the table's shape (a gradient, a product with the Hessian). pandas is never imported here.


def without_tables(tree: Any) -> Any:
    """The container with arrays in place of tables; itself where there are none."""
    if "pandas" not in sys.modules:
        return tree
    leaves, spec = flatten(tree)
    if not any(map(is_table, leaves)):
        return tree
    return unflatten(
        spec, [standing_for(leaf, array_of_table(leaf).view()) if is_table(leaf) else leaf for leaf in leaves]
    )


_tables: dict[int, tuple[weakref.ref[np.ndarray], Any]] = {}
"""The tables that arrays were given for, by the identity of the array."""


def standing_for(table: Any, array: np.ndarray) -> np.ndarray:
    """An array of one's own that is known from now on to stand for a table."""
    key = id(array)
    _tables[key] = weakref.ref(array, lambda _: _tables.pop(key, None)), table
    return array


def tables_again(given: Any, values: Any) -> Any:
    """Values of the structure of ``given``, as the caller would have them: tables where arrays of it stand for some;
    None where none does."""
    if not _tables:
        return None
    leaves, spec = flatten(given)
    tables = [_tables.get(id(leaf), (None, None))[1] for leaf in leaves]
    found = None if all(t is None for t in tables) else flatten_like(spec, values)
    if found is None:
        return None
    return unflatten(
        spec, [t if a is b and t is not None else _labelled(t, b) for t, a, b in zip(tables, leaves, found)]
    )


def require_one_order(given: dict[str, Any], error: type[SymgradError] = ShapeError) -> None:
    """Raise where pandas' tables have the same labels in another order, or some of them: the function sees arrays, and
    would mix them up, where pandas puts equal labels beside each other."""
    if "pandas" not in sys.modules:
        return
    axes = [
        (f"the {axis} of {name}", getattr(table, axis))
        for name, tree in given.items()
        for table in flatten_values(tree)[0]
        if is_table(table)
        for axis in ("index", "columns")
        if hasattr(table, axis)
    ]
    for (one, labels), (other, others) in itertools.combinations(axes, 2):
        if len(labels) != len(others) or labels.equals(others) or set(labels).isdisjoint(others):
            continue
        which = (
            "the same labels in different orders" if set(labels) == set(others) else "some labels in common, not all"
        )
        raise error(
            f"{one} and {other} have {which}", f"{listed(list(labels))}; {listed(list(others))}.",
            "Put one in the order of the other: .reindex(…). Where places are meant: .to_numpy().",
        )  # fmt: skip


def require_same_of_tables(called: Callable[[], Any], found: Any, tables: Iterable[Any]) -> None:
    """Raise where a function has another value than ``found``, which it has of the arrays of tables, when it is
    ``called`` as the user does, with the tables themselves.

    A NaN that is in none of the tables says that the function was run outside its domain, where sums of pandas leave it
    out. Nothing is said of a function that pandas' tables have an error for, that is another one at each call, or whose
    values have another shape there: a ``.sum()`` for each column, where all are meant.
    """
    numbers = _numbers(found)
    if not all(np.isfinite(a).all() for a in numbers) and not any(is_table(t) and np.any(t.isna()) for t in tables):
        return
    try:
        with np.errstate(all="ignore"):
            plain = _numbers(called())
            alike = [a.shape for a in plain] == [a.shape for a in numbers]
            apart = _apart(plain, numbers) if alike else None
            if apart is None or _apart(plain, _numbers(called())) is not None:
                return
    except Exception:
        return
    raise GradientError(
        "the function has one value of pandas' tables and another of the arrays of their values, which are what is "
        "differentiated", f"It is {apart[0]:.6g} of tables, and {apart[1]:.6g} of arrays. Tables put equal labels "
        "beside each other, leave NaN out, go by columns where no axis is named, and have ddof=1.",
        "Write what is the same of both, .sum(axis=0), np.std(x, ddof=1) or np.nansum(x), say; or take arrays outside: "
        "x.to_numpy().",
    )  # fmt: skip


def _numbers(tree: Any) -> list[np.ndarray]:
    """The numbers among the leaves of a result."""
    arrays = [np.asarray(unwrap(leaf)) for leaf in flatten(tree)[0]]
    return [a for a in arrays if a.dtype.kind in "fciu"]


def _apart(these: list[np.ndarray], those: list[np.ndarray]) -> tuple[Any, Any] | None:
    """The first two numbers that differ by more than rounding; None where all agree."""
    for a, b in zip(these, those, strict=True):
        rounding = max([float(np.finfo(c.dtype).eps) for c in (a, b) if c.dtype.kind in "fc"], default=0.0) ** 0.6
        apart = np.atleast_1d(~np.isclose(a, b, rounding, rounding**1.5, equal_nan=True))
        if apart.any():
            return np.atleast_1d(a)[apart][0], np.atleast_1d(b)[apart][0]
    return None


def note_tables(error: Exception, given: dict[str, Any]) -> None:
    """Add to an error that a function raised which of its tables hold other things than numbers: unless it is one of
    shapes, which has another cause."""
    if not isinstance(error, (TypeError, ValueError)) or _of_shapes(error):
        return
    for name, table in given.items():
        wrong = without_numbers(name, table) if is_table(table) else None
        if wrong is not None and " ".join(wrong) not in getattr(error, "__notes__", ()):
            error.add_note(" ".join(wrong))


def _of_shapes(error: Exception) -> bool:
    return isinstance(error, ValueError) and re.search("shape|dimension|broadcast|align|length", str(error)) is not None


def with_tables(given: Any, result: Any) -> Any:
    """A result of the structure of ``given``, with the labels of the tables that were in it."""
    if "pandas" not in sys.modules:
        return result
    leaves, spec = flatten(given)
    if not any(map(is_table, leaves)):
        return result
    found = flatten_like(spec, result)
    return result if found is None else unflatten(spec, starmap(_labelled, zip(leaves, found, strict=True)))


def _labelled(table: Any, value: Any) -> Any:
    if not is_table(table) or type(value) is not np.ndarray or value.shape != table.shape:
        return value
    pandas = sys.modules["pandas"]
    if isinstance(table, pandas.DataFrame):
        return pandas.DataFrame(value, index=table.index, columns=table.columns)
    return pandas.Series(value, index=table.index, name=table.name) if isinstance(table, pandas.Series) else value


def labels_of(table: Any, name: str) -> list[str] | None:
    """How the entries of a table are called, row by row; None for what has no labels. One alone has no ``name``."""
    if not hasattr(table, "index"):
        return None
    entries = [(r, c) for r in table.index for c in table.columns] if table.ndim == 2 else [(r,) for r in table.index]
    return [f"{name}[{', '.join(map(repr, e))}]" if name else ", ".join(map(str, e)) for e in entries]
