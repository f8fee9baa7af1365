"""Symbols: what they are, and the named sizes of their shapes.

The idea to hold: a symbol computed from symbols is a tensor like any other (so every sweep and transform works on it),
and three things more. Its class is `Symbol`, which hides the values. It knows the named sizes it was computed from, so
that its shape has names. And it always has a history: see ``dispatch.py``.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .. import _config
from .dim import NUMBER, Dim, Facts, guess, resized
from .graph import Symbol, Tensor, extra, has_history, is_leaf_node, make_leaf, next_seq, wrap

LONG_ORIGIN = 1  # as if it were one step long: what a symbol was computed from is never forgotten


def make_symbol(name: str, data: np.ndarray, facts: Facts) -> Symbol:
    """A leaf named ``name`` whose values ``data`` stand in for those of a symbol with these facts."""
    t = wrap(data)
    t.__class__ = Symbol
    bag = extra(t)
    bag.name = name
    bag.sizes = merged_sizes([sizes_of_shape(facts.shape)])
    make_leaf(t)
    t._node.facts = facts
    return t  # type: ignore[return-value]


DRAW: list[Callable[[str, Facts], np.ndarray]] = []
"""The function that draws what stands in for a symbol's values: _tensor/declared.py puts it here."""


def at_sizes(name: str, facts: Facts, lengths: dict[str, int]) -> Symbol:
    """The symbol of a name and these facts with other lengths behind its named sizes."""
    if "size" in facts.properties:
        return size_symbol(name, lengths[name])
    facts = facts._replace(shape=tuple([resized(size, lengths) for size in facts.shape]))
    return make_symbol(name, DRAW[0](name, facts), facts)


_numbers: WeakValueDictionary[tuple[str, int], Symbol] = WeakValueDictionary()
_lock = threading.Lock()


def size_symbol(name: str, standin: int) -> Symbol:
    """The symbol of one named size, one object for all its uses."""
    with _lock:
        found = _numbers.get((name, standin))
        if found is None:
            value = np.asarray(standin, _config.default_dtype())
            found = _numbers[name, standin] = make_symbol(name, value, Facts((), frozenset({"size"})))
            found._extra.sizes = {standin: Dim(name, standin)}
        return found


NUMBER.append(size_symbol)


def facts_of(t: Tensor) -> Facts | None:
    """What was declared of a tensor, if it is a declared symbol."""
    return t._node.facts if is_leaf_node(t._node) else None


def sizes_of_shape(shape: Iterable[Any]) -> dict[int, Any]:
    """The sizes of a shape by stand-in, and what they are made of."""
    found: dict[int, Any] = {}
    for size in shape:
        found[int(size)] = size
        if type(size) is Dim:
            for monomial, _ in size.terms:
                for name, standin in monomial:
                    found.setdefault(standin, Dim(name, standin))
    return found


def sizes_of(value: Any) -> dict[int, Any]:
    """The sizes that an operand or parameter brings along, by stand-in."""
    if type(value) is Dim:
        return sizes_of_shape((value,))
    if isinstance(value, (tuple, list)):
        return merged_sizes([sizes_of(v) for v in value if type(v) is Dim])
    if isinstance(value, Tensor) and value._extra is not None:
        return value._extra.sizes or {}
    return {}


def merged_sizes(parts: list[dict[int, Any]]) -> dict[int, Any]:
    """Several tables of sizes as one. A length that is two sizes is one that cannot be told: see `_unclear`."""
    table: dict[int, Any] = {}
    for part in parts:
        for length, size in part.items():
            old = table.get(length)
            table[length] = size if old is None or _same(old, size) else _unclear(old, size)
    return table


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


def _unclear(a: Any, b: Any) -> Any:
    """Of two sizes of one length the named one; a number it will refuse to be."""
    named = a if type(a) is Dim else b
    return named.unclear()


def named_shape(t: Tensor) -> tuple[Any, ...]:
    """The shape of a symbol, in named sizes where it has them."""
    facts = facts_of(t)
    if facts is not None:
        return facts.shape
    sizes = t._extra.sizes if t._extra is not None else None
    shape = t._data.shape
    return shape if not sizes else tuple(guess(n, sizes) for n in shape)


def shape_of(value: Any) -> tuple[Any, ...]:
    """The shape of any operand, in named sizes where it has them."""
    if type(value) is Symbol:
        return named_shape(value)
    return np.shape(value._data if isinstance(value, Tensor) else value)


def params_in_numbers(params: Any) -> Any:
    """Parameters with the stand-ins of named sizes in their place, as forward functions want them; the same object
    where there are none."""
    if type(params) is Dim:
        return int(params)
    if type(params) is tuple or type(params) is list:
        found = list(map(params_in_numbers, params))
        return params if all(map(operator.is_, found, params)) else type(params)(found)
    if type(params) is slice and Dim in map(type, (params.start, params.stop, params.step)):
        return slice(*map(params_in_numbers, (params.start, params.stop, params.step)))
    return params


def make_symbolic(t: Tensor, sizes: dict[int, Any] | None = None) -> Any:
    """Make a new tensor (nobody else's) a symbol that was computed from arrays of these sizes; returns it."""
    t.__class__ = Symbol
    if sizes:
        extra(t).sizes = sizes
    return t


class Found(int):
    """A whole number that was read off values and serves as an index or size: a formula holds where it is the same."""

    __slots__ = ()

    def __neg__(self) -> Found:  # of a shift, for the way back
        return Found(-int(self))


class FoundFloat(float):
    """A number that was read off values and serves as a parameter: a formula holds where it is the same."""

    __slots__ = ()


def constant_from(
    op: Any,
    t: Tensor,
    operands: tuple[Any, ...],
    params: tuple[Any, ...],
    of_values: bool = True,
    length: int = LONG_ORIGIN,
) -> Tensor:
    """Let ``t``, which has no history, say that it is ``op(*operands, *params)``; returns it.

    ``of_values``: whether it hangs on values that only stand in, and not on sizes alone. ``length``: in how many steps.
    """
    kept = tuple(a._node if has_history(a) else a for a in operands)
    extra(t).origin = (op, kept, params, next_seq(), length, of_values)
    return t
