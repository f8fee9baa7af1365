"""Operations on dual tensors: as each one runs, its tangent is computed by the rules of forward mode.

The idea to hold: nothing is recorded for it beyond what the reverse mode wants. A node of the operation is made for the
moment, with all its operands, and `node_tangent` does what it does for `jvp`. While it does, no tensor is a dual: the
tangent is one of values. It is a tensor with a history where an operand or a tangent has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core import Dual, Symbol, Tangent, Tensor, make_dual, make_node, modes, run, steps, table, tangent_of, wrap
from ._forward_transposed import function_tangents
from ._pushforward import plain_tangent


@contextmanager
def _still(record: bool) -> Iterator[None]:
    """Inside no dual moves; recording as told."""
    level, mode = modes.dual_level.set(None), modes.mode.set(modes.on_value() if record else modes.OFF)
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        modes.mode.reset(mode)
        modes.dual_level.reset(level)


def _records(values: Sequence[Any]) -> bool:
    return modes.grad_enabled() and any(isinstance(v, Tensor) and v._node is not None for v in values)


def run_dual(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Run ``op`` on operands among which there are duals: the results are duals."""
    out = run(op, operands, params)
    cells = [tangent_of(a) for a in operands]
    if op.kind == "constant" or not any(cells):
        return out
    results = out if type(out) is tuple else (out,)
    ts = [None if c is None else c.get() for c in cells]
    graph = _records((*operands, *ts))
    with _still(graph):
        node = _node(op, results, operands, params, ts, graph)
        exact = op.masks or any(c is not None and c.exact for c in cells)
        found = plain_tangent(node, ts if graph else [None if t is None else t._data for t in ts], graph, exact, {})
    for r, t in zip(results, found if op.outputs else [found], strict=True):
        give(r, _later(t, r, ts) if callable(t) else _own(t, r, ts), exact)
    return out


def _node(op: Any, results: Sequence[Tensor], operands: Any, params: Any, ts: Sequence[Any], graph: bool) -> Any:
    """A node as if all that moves required grad; it keeps the other operands too."""
    outs = tuple([r._data for r in results])
    edges = tuple([None if not isinstance(a, Tensor) else a._node for a in operands])
    live = tuple([e if t is None else True for e, t in zip(edges, ts, strict=True)])
    node: Any = make_node(op, outs if op.outputs else outs[0], operands, params, live)
    node.parents = edges if graph else (None,) * len(operands)
    kept = tuple([a if graph or not isinstance(a, Tensor) else wrap(a._data) for a in operands])
    node.consts = (kept, *node.consts[1:]) if op.packs else kept
    return node


def _own(t: Any, r: Tensor, ts: Sequence[Any]) -> Tensor:
    """A tangent as a tensor in memory of its own, of the form of the result; zeros where it does not move."""
    if t is None:
        return wrap(np.zeros_like(r._data))
    if isinstance(t, Tensor) and t._node is not None:
        return table("clone")(t, "K") if any(t is s for s in ts) else t
    data = np.asarray(t._data if isinstance(t, Tensor) else t)
    shared = data.base is not None or any(s is not None and data is s._data for s in ts)
    return wrap(data.copy() if shared else data)


def _later(t: Callable[[], Any], r: Tensor, ts: Sequence[Any]) -> Callable[[], Tensor]:
    def compute() -> Tensor:
        with _still(modes.grad_enabled()):
            return _own(t(), r, ts)

    return compute


def give(r: Tensor, t: Any, exact: bool = False) -> Tensor:
    """Let ``r`` move along ``t`` in the level that is open, if it is smooth; returns it."""
    if r._data.dtype.kind not in "fc":
        return r
    if isinstance(t, Tensor) and t._data.dtype != r._data.dtype:
        t = table("cast")(t, r._data.dtype)
    return make_dual(r, Tangent(modes.dual_level.get(), t, exact))


def written(t: Tensor, result: Tensor) -> None:
    """``result`` was written to the memory of ``t``: so are its tangent's values to the tangent's, root and views."""
    bag = t._extra
    root, path = (t, None) if bag is None or bag.view is None else bag.view
    cell, before = tangent_of(result), tangent_of(root)
    if cell is None and before is None:
        return
    new = wrap(np.zeros_like(t._data)) if cell is None else cell.get()
    old = wrap(np.zeros_like(root._data)) if before is None else before.get()
    exact = any(c is not None and c.exact for c in (cell, before))
    with _still(modes.grad_enabled()):
        whole = new if path is None else table("copy_slices")(old, new, steps(path))
    give(root, whole, exact)
    for ref in root._extra.views or ():
        view = ref()
        if view is not None and view._extra.view is not None and type(view) is not Symbol:
            with _still(modes.grad_enabled()):
                part = whole
                for op, params in steps(view._extra.view[1]):
                    part = op.apply(part, *params)
            give(view, part, exact)


def applied(ctx: Any, args: Sequence[Any], outputs: Sequence[Any]) -> None:
    """The tangents of what a user-defined operation returned: by its jvp, else from its backward."""
    ts = [None if (c := tangent_of(a)) is None else c.get() for a in args]
    graph = _records((*args, *ts))
    parents = ctx.parents
    ctx.parents = tuple([True if p is None and t is not None else p for p, t in zip(parents, ts, strict=True)])
    try:
        with _still(graph):
            found = function_tangents(ctx, ts if graph else [None if t is None else t._data for t in ts], graph, {})
    finally:
        ctx.parents = parents
    for k, (r, t) in enumerate(zip([o for o in outputs if isinstance(o, Tensor)], found, strict=True)):
        if k in ctx._still:
            continue
        if any(r is a for a in args):
            written(r, give(wrap(r._data), _own(t, r, ts)))
        else:
            give(r, _own(t, r, ts))


Dual.run, Dual.written, Dual.applied = run_dual, written, applied

__all__ = ["applied", "give", "run_dual", "written"]
