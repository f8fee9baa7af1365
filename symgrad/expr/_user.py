"""The rule of a user-defined operation, run for its formula: what it looks up in its operands has no formula.

The idea to hold: a formula holds for all values. While backward runs, its operands are symbols, which hide theirs; and
what forward left on ``ctx`` is compared with what it leaves at other operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import OutputNode, Tensor, symbolic, wrap

_OTHERS = 1.1875, 0.0625  # other operands are these times the operands and these more


def is_users(op: Any) -> bool:
    """Whether an operation of a formula is a user-defined Function."""
    return hasattr(op, "function")


def hide(ctx: Any, leaves: Sequence[Any]) -> None:
    """Let backward find symbols for the operands and results that ``ctx`` saved."""
    for leaf in leaves:
        if isinstance(leaf, Tensor) and leaf._node is not None:
            symbolic(leaf)
    ctx._links = tuple([(link, {} if sizes is None and link is not None else sizes) for link, sizes in ctx._links])


def looks(op: Any, ctx: Any, leaves: Sequence[Any]) -> bool:
    """Whether forward left on ``ctx`` what it leaves otherwise at other operands."""
    found = _left(ctx)
    if not found:
        return False
    factor, shift = _OTHERS
    moved = [
        wrap(a._data * factor + shift, a._node) if isinstance(a, Tensor) and a._data.dtype.kind in "fc" else a
        for a in leaves
    ]
    try:
        out = op.apply(*moved)
    except Exception:  # it is the user's code, at a point that he did not choose
        return True
    node = (out[0] if isinstance(out, tuple) else out)._node
    other = _left(node.parents[0] if type(node) is OutputNode else node)
    return other.keys() != found.keys() or not all(_same(v, other[k]) for k, v in found.items())


def _left(ctx: Any) -> dict[str, Any]:
    return {
        k: v
        for k, v in vars(ctx).items()
        if not k.startswith("_") and k != "needs_input_grad" and not (isinstance(v, Tensor) and v._node is not None)
    }


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        a, b = (v._data if isinstance(v, Tensor) else v for v in (a, b))
    try:
        return type(a) is type(b) and bool(np.all(a == b))
    except Exception:  # objects that cannot be compared are what they are
        return True


__all__ = ["hide", "is_users", "looks"]
