"""Operations on symbols: run on their stand-in values and recorded, whatever the mode, so that no value gets loose.

A symbol always has a history: where a tensor would have none (under no_grad, detached, a comparison) it keeps its
origin, a constant's way to say what it was computed from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import modes
from ._dim import Dim
from ._graph import Symbol, Tensor, extra, meta, output_node, wrap
from ._record import make_node, run
from ._symbols import constant_from, merged, plain, sizes_of, symbolic
from ._table import table


def _has_history(a: Any) -> bool:
    """Whether an operand is more than a number (a seed is not, nor the zeros of an unused input)."""
    if not isinstance(a, Tensor):
        return False
    bag = a._extra
    return a._node is not None or (bag is not None and (bag.origin is not None or bag.name is not None))


def detached(t: Tensor) -> Symbol:
    """A symbol of the same value through which no gradient flows."""
    new = symbolic(wrap(t._data), dict(t._extra.sizes) if t._extra is not None and t._extra.sizes else None)
    if t._node is None and t._extra is not None:
        extra(new).origin, extra(new).name = t._extra.origin, t._extra.name
        return new
    return constant_from(table("clone").op, new, (t,), ("K",))  # type: ignore[return-value]


def run_symbolic(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Run ``op`` on operands among which there are symbols or named sizes: the result is a symbol (several are)."""
    operands = tuple(a.number() if type(a) is Dim else a for a in operands)
    there = modes.elsewhere.get()
    if there is not None:
        operands, params = tuple(map(there, operands)), tuple(map(there, params))
    sizes = merged([sizes_of(a) for a in (*operands, *params)])
    mode = modes.mode.get()
    token = modes.mode.set(modes.ON) if mode <= 0 else None
    try:
        out = run(op, operands, params, plain(params))
    except (ArithmeticError, np.linalg.LinAlgError):
        decided = modes.tracing.get()
        if type(decided) is modes.Decisions:
            decided.append((None, True))  # whoever catches it goes a way that other values need not go
        raise
    finally:
        if token is not None:
            modes.mode.reset(token)
    if isinstance(out, tuple):
        if not all(t._node is not None for t in out) and _says_something(operands):
            out = _explained(op, out, operands, params)
        return tuple(_finish(op, t, operands, params, sizes, token is None) for t in out)
    return _finish(op, out, operands, params, sizes, token is None)


def _says_something(operands: Any) -> bool:
    """Whether what is computed from these is more than a number."""
    return any(map(_has_history, operands))


def _finish(op: Any, t: Tensor, operands: Any, params: Any, sizes: dict[int, Any], tracked: bool) -> Tensor:
    symbolic(t, sizes)
    if t._node is None:
        origin = None if t._extra is None else t._extra.origin
        if (origin is None or origin[0] is None) and _says_something(operands):  # symbols forget nothing
            constant_from(op, t, operands, params)
        return t
    if sizes:
        meta(t._node).sizes = sizes  # what is saved of it is a symbol again when a rule asks for it
    return t if tracked else detached(t)


def _explained(op: Any, out: tuple[Tensor, ...], operands: Any, params: Any) -> tuple[Tensor, ...]:
    """Several results, some without a history, each with the way to say which of them it is: one node for all.

    Only the constants among them remember it (detached, so that no gradient flows).
    """
    node = make_node(op, tuple(t._data for t in out), operands, params, (None,) * len(operands))
    node.consts = (tuple(operands), *node.consts[1:])  # also what is large: an origin is never forgotten
    return tuple(t if t._node is not None else _detached_from(output_node(node, k), t) for k, t in enumerate(out))


def _detached_from(edge: Any, t: Tensor) -> Tensor:
    constant_from(table("clone").op, t, (wrap(t._data, edge),), ("K",))
    return t
