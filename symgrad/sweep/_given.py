"""Gradients as they are given away: in memory that nobody else has.

What travels through a sweep is shared: a sum passes its gradient on to each of its terms, a reshape gives a view of
it, and the first of all is the caller's own seed. So whatever leaves it, as ``.grad``, as a result, to be seen by a
hook, or comes in from one, is a copy, unless the sweep knows the array to be its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Symbol, Tensor, _modes, extra, is_leaf_node, table, wrap
from ..core._symbolic import sizes_of, symbolic


def given(g: Any, own: bool = False) -> Tensor:
    """A gradient (array or tensor) as a tensor for others; ``own``: nobody else has its array, which it keeps."""
    if not isinstance(g, Tensor):
        return wrap(g if own and type(g) is np.ndarray and g.base is None else np.array(g))
    if own and g._data.base is None:
        return g
    if is_leaf_node(g._node):  # the caller's own tensor, passed on: not itself, but a value of it
        token = _modes.mode.set(_modes.on_value())
        try:
            return table("clone")(g, "K")
        finally:
            _modes.mode.reset(token)
    copy = wrap(np.array(g._data), g._node)
    if g._extra is not None and g._extra.origin is not None:
        extra(copy).origin = g._extra.origin
    return symbolic(copy, sizes_of(g)) if type(g) is Symbol else copy


__all__ = ["given"]
