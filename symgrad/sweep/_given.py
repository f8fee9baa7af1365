"""Gradients as they are given away: in memory that nobody else has.

What travels through a sweep is shared: a sum passes its gradient on to each of its terms, a reshape gives a view of
it, and the first of all is the caller's own seed. So whatever leaves it, as ``.grad``, as a result, to be seen by a
hook, or comes in from one, is a copy, unless the sweep knows the array to be its own.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any

import numpy as np

from ..core import Symbol, Tensor, carried, extra, is_leaf_node, modes, sizes_of, storage, symbolic, table, wrap

adding = RLock()
"""Held while a gradient is added to a leaf's ``.grad``: sweeps of several threads may end at one leaf. (Reentrant: the
garbage collector may run somebody's code, and that a sweep, at any allocation.)"""


def given(g: Any, own: bool = False) -> Tensor:
    """A gradient (array or tensor) as a tensor for others; ``own``: nobody else has its array, which it keeps."""
    if not isinstance(g, Tensor):
        new = wrap(g if own and type(g) is np.ndarray and g.base is None else np.array(g))
        new._swept = True
        return new
    if own and g._data.base is None:
        return g
    if is_leaf_node(g._node):  # the caller's own tensor, passed on: not itself, but a value of it
        token = modes.mode.set(modes.on_value())
        try:
            return table("clone")(g, "K")
        finally:
            modes.mode.reset(token)
    copy = wrap(np.array(g._data), g._node)
    bag = g._extra
    if bag is not None and (bag.origin is not None or bag.name is not None):
        extra(copy).origin, extra(copy).name = bag.origin, bag.name
    return symbolic(copy, sizes_of(g)) if type(g) is Symbol else carried(copy, g)


def accumulate(bag: Any, g: Any, graph: bool, own: bool) -> None:
    """Add ``g`` to a tensor's ``.grad``: in place, or out of place where the sum is to be differentiated.

    ``own``: nobody else has the array of ``g``, which then becomes that of ``.grad``.
    """
    old = bag.grad
    if old is None:
        bag.grad = given(g, own)
    elif graph:
        bag.grad = old + g
    elif old._data.flags.writeable:
        np.add(old._data, g, out=old._data, casting="unsafe")
        storage.stamp(old._data)
    else:
        old._data = np.asarray(old._data + g)


def added(bag: Any, g: Any, graph: bool) -> Callable[[], None]:
    """`accumulate`, and how to take it back if the sweep fails later.

    ``.grad`` is then put back as it was, to the last bit; if somebody else (another thread, a sweep inside a hook) has
    added to it since, that stays, and ``g`` is subtracted.
    """
    old = bag.grad
    before = None if old is None or graph else old._data.copy()
    accumulate(bag, g, graph, False)
    left, version = bag.grad, storage.version(bag.grad._data)

    def restore() -> None:
        with adding:
            now = bag.grad
            if now is left and storage.version(now._data) == version:
                bag.grad = old
                if old is not None and before is not None:
                    np.copyto(old._data, before)
            elif now is not None:
                bag.grad = now - g if graph else wrap(np.asarray(now._data - g))

    return restore


__all__ = ["accumulate", "added", "adding", "given"]
