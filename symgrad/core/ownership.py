"""Whose memory a gradient is in: what a sweep adds to in place, and what it gives away as a copy.

What travels through a sweep is shared: a sum passes its gradient on to each of its terms, a reshape gives a view of
it, and the first of all is the caller's own seed. So whatever leaves it, as ``.grad``, as a result, to be seen by a
hook, or comes in from one, is a copy, unless the sweep knows the array to be its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from . import modes, record
from .dual import with_tangent_of
from .graph import Tensor, extra, is_leaf_node, wrap
from .symbols import Symbol, make_symbolic, sizes_of
from .table import row_function

OWN = "own"
"""Under this key a sweep's gradients, which are by edge, have the edges whose array was made there, by a sum or a
product, and shown to nobody yet: these, and no others, are added to in place. A rule is never asked whether what it
returns is new, so what it returns is not; and an edge's array is nobody's to write once its node has been visited."""

Gradients = dict[Any, Any]


def no_cotangents() -> Gradients:
    """What has arrived at each edge of a sweep that begins: nothing. (A subclass of dict would cost 20 ns an edge.)"""
    return {OWN: set()}


def add_to(found: Gradients, p: Any, d: Any) -> None:
    """Add ``d`` to what has arrived at the edge ``p``."""
    old = found.get(p)
    found[p] = d if old is None else old + d


def add_to_edge(p: Any, d: np.ndarray, made: bool, grads: Gradients) -> None:
    """Add a large array to what has arrived at the edge ``p``, in the memory of either that is the sweep's own.

    ``made``: the array is new, and nobody else has it.
    """
    old, own = grads.get(p), grads[OWN]
    if old is None:
        grads[p] = d
        if made:
            own.add(p)
    elif type(old) is not np.ndarray or not are_alike(old, d):
        grads[p] = old + d
    else:
        grads[p] = added_in_blocks(old, d, old if p in own else d if made else np.empty_like(old))
        own.add(p)


def are_alike(old: Any, d: np.ndarray) -> bool:
    return old.dtype == d.dtype and old.shape == d.shape and record.blockable([old, d], d.shape)


def added_in_blocks(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> np.ndarray:
    # one ufunc has no temporaries to keep in cache: a block per thread is enough
    return record.run_in_blocks(lambda a, b, o: np.add(a, b, out=o), [a, b], out, block=1 << 30)


def edges_of_others(roots: Iterable[Any], nodes: Iterable[Any]) -> set[Any]:
    """The edges of a sweep where somebody else may have the array that arrives: the caller's seeds, and what rules
    return that may not be new (`Op.makes`)."""
    found = {*roots}
    for node in nodes:
        makes = () if node.op is None else node.op.makes
        found.update(p for i, p in enumerate(node.parents) if i >= len(makes) or not makes[i])
    return found


def gradient_for_others(g: Any, own: bool = False) -> Tensor:
    """A gradient (array or tensor) as a tensor for others; ``own``: nobody else has its array, which it keeps."""
    if not isinstance(g, Tensor):
        new = wrap(g if own and type(g) is np.ndarray and g.base is None else np.array(g))
        new._swept = True
        return new
    if own and g._data.base is None:
        return g
    if is_leaf_node(g._node):  # the caller's own tensor, passed on: not itself, but a value of it
        with modes.setting(modes.mode, modes.on_value()):
            return row_function("clone")(g, "K")
    copy = wrap(np.array(g._data), g._node)
    bag = g._extra
    if bag is not None and (bag.origin is not None or bag.name is not None):
        extra(copy).origin, extra(copy).name = bag.origin, bag.name
    return make_symbolic(copy, sizes_of(g)) if type(g) is Symbol else with_tangent_of(copy, g)
