"""The tangent of one node, by the kind of its row: forward mode without rules of its own.

The idea to hold: what a row declares for the way back serves the way forward. An entry-by-entry rule multiplies by the
partial derivative, which is its own transpose; a linear row is its own derivative; a product is linear in each operand;
and of a general row the map g ↦ vjp(g) is recorded and transposed (`_forward_transposed.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import _config
from .._limits import FAR, HELD
from ..core import (
    FLOATS,
    OutputNode,
    Symbol,
    Tensor,
    applied,
    computed,
    constants_of,
    copy_of,
    held,
    is_leaf_node,
    keep_zeros,
    lifted,
    merged,
    new_node,
    params_of,
    rebind,
    rebind_to_arrays,
    rule_of,
    rule_values,
    saved_value,
    shapes_of,
    sizes_of,
    symbolic,
    table,
    wrap,
)


class NoForwardRule(Exception):
    """A graph that tangents cannot be pushed through; reverse mode can serve. ``advice``: evidence and a next step."""

    def __init__(self, what: str, *advice: str) -> None:
        super().__init__(what)
        self.advice = advice


# ------------------------------------------------------------------------------------------------ carriers


def forward(op: Any, operands: Sequence[Any], params: Any, graph: bool) -> Any:
    """A row on tensors, recording, or on arrays."""
    if graph:
        return applied(op, operands, params)
    out = computed(op, [np.asarray(a) if isinstance(a, np.generic) else a for a in operands], params)
    return [np.asarray(o) for o in out] if op.outputs else np.asarray(out)


def zeros(shape: Any, dtype: Any, graph: bool) -> Any:
    """Zeros on either carrier."""
    z = np.zeros(shape, dtype)
    return wrap(z) if graph else z


@contextmanager
def with_symbols(n: Any, ts: Sequence[Any]) -> Iterator[Any]:
    """A copy of a node whose saved operands are symbols while its rules run: their shapes have names then."""
    op = n.op
    sizes = merged([sizes_of(t) for t in ts if type(t) is Symbol])

    def named(i: int, value: Any) -> Any:
        p = n.parents[i]
        if p is None or type(value) is not np.ndarray:
            return value
        leaf = p.ref() if is_leaf_node(p) else None
        return leaf if leaf is not None and leaf._data is value else symbolic(wrap(value, p), dict(sizes))

    names = op.inputs * len(n.parents) if op.variadic else op.inputs
    values = {name: saved(n, name, False) for name in op.saved}
    for name, value in values.items():
        if op.variadic and name in op.inputs:
            values[name] = tuple(named(i, v) for i, v in enumerate(value))
        elif name in op.inputs:
            values[name] = named(op.inputs.index(name), value)
    kept = None if n.saved is None else values[op.saved[0]] if op.bare else tuple(values.values())
    parents = tuple([None if name in op.saved else p for name, p in zip(names, n.parents, strict=True)])
    copy = copy_of(n, parents, kept)
    try:
        yield copy
    finally:  # what the rules made of its output goes on through it
        copy.parents, copy.saved = n.parents, n.saved


def total(terms: Sequence[Any]) -> Any:
    """The sum of terms, None for none."""
    terms = [t for t in terms if t is not None]
    if not terms:
        return None
    out = terms[0]
    for t in terms[1:]:
        out = out + t
    return out


def saved(n: Any, name: str, graph: bool) -> Any:
    """What a node saved under a name: an array, or a tensor with its history."""
    v = saved_value(n, name)
    if graph:
        return lifted(n, name, v)
    return tuple(map(_array, v)) if type(v) is tuple else _array(v)


def _array(v: Any) -> Any:
    return v._data if isinstance(v, Tensor) else v  # a tensor in `with_symbols`


def fresh(value: Any) -> Tensor:
    """A tensor with an edge of its own, which leads on to the history of ``value`` if that has one."""
    t = value if isinstance(value, Tensor) else wrap(np.asarray(value))
    consts = (None if t._node is not None else (t,), ("K",), ())
    fit = None if t._data.dtype in FLOATS else ((t._data.shape, t._data.dtype),)
    new = wrap(t._data, new_node(table("clone").op.node, (t._node,), None, consts, fit))
    return symbolic(new, sizes_of(t)) if type(t) is Symbol else new


# ------------------------------------------------------------------------------------------- entry by entry


def elementwise(n: Any, ts: Sequence[Any], graph: bool, exact: bool) -> Any:
    exact = exact and n.op.steep
    terms = []
    for i, t in enumerate(ts):
        if t is None:
            continue
        d = partial_times(n, i, t, graph)
        if exact and d is not None:
            d = keep_zeros(t, d, graph)
        terms.append(d)
    d = total(terms)
    return None if d is None else fitted(n, d, ts, graph)


def partial_times(n: Any, i: int, t: Any, graph: bool) -> Any:
    """The partial derivative by input ``i``, times ``t``; None where it is declared zero."""
    op = n.op
    rule = rule_of(n, i)
    if not callable(rule):
        return None if rule == 0 else t if rule == 1 else -t if rule == -1 else t * rule
    fn = (rebind if graph else rebind_to_arrays)(rule)
    values = rule_values(n, i, t, graph)
    if "g" in op.rule_args[i]:
        return fn(*values)
    partial = fn(*values)
    return None if type(partial) is int and partial == 0 else t * partial


def fitted(n: Any, d: Any, ts: Sequence[Any], graph: bool) -> Any:
    """A tangent of an entry-by-entry node in the shape and dtype of its output."""
    if n.fit is None:
        return d
    shape, dtype = frame(n, ts)
    if d.shape != shape:
        d = table("expand")(d, shape) if graph else np.broadcast_to(d, shape).copy()
    if d.dtype != dtype:
        d = table("cast")(d, dtype) if graph else d.astype(dtype)
    return d


def frame(n: Any, ts: Sequence[Any]) -> tuple[tuple[int, ...], Any]:
    """Shape and dtype of the output of an entry-by-entry node, from its operands'."""
    fit, moving = n.fit, next(t for t in ts if t is not None)
    if fit is None:
        return moving.shape, moving.dtype
    if type(fit) is list and None not in fit:
        return np.broadcast_shapes(*fit), moving.dtype
    operands = [stand_in(n, i, t) for i, t in enumerate(ts)]
    shape = np.broadcast_shapes(*(np.shape(a) for a in operands))
    return shape, moving.dtype if type(fit) is list else _promoted(n, operands)  # a list: the dtypes agree


def _promoted(n: Any, operands: Sequence[Any]) -> Any:
    op = n.op
    result = saved_value(n, "y") if "y" in op.saved else None
    if result is not None:
        return result.dtype
    if op.name in ("copy_from", "masked_fill"):  # they write into something like the first
        return operands[0].dtype
    dtype = np.result_type(*(a.dtype for a in operands if isinstance(a, np.ndarray) and a.dtype.kind in "fc"))
    numbers = (*operands, *params_of(n), *map(held, constants_of(n)))
    if dtype.kind == "f" and (op.name in ("complex", "polar") or any(isinstance(a, complex) for a in numbers)):
        return _config.complex_of(dtype)
    return dtype


def stand_in(n: Any, i: int, t: Any, depth: int = 0) -> Any:
    """Something of the shape and dtype of operand ``i``, whose tangent is ``t``: itself where known, else zeros."""
    op, p = n.op, n.parents[i]
    if t is not None:
        return np.zeros(t.shape, t.dtype)
    name = op.inputs[i] if not op.variadic else ""
    value = saved(n, name, False) if name in op.saved else None
    if value is not None:
        return value
    fit = None if op.outputs or n.fit is None else n.fit[i]
    if p is not None and fit is not None:
        shape, dtype = fit if type(n.fit) is tuple else (fit, np.dtype(np.float64))
        return np.zeros(shape, dtype)
    if shapes_of(n):
        return np.zeros(tuple(map(int, shapes_of(n)[i])), np.int64 if i in op.places else np.float64)
    a = held(constants_of(n)[i])
    if a is None and p is not None:
        a = _at_edge(p, depth)
    if a is None:
        raise NoForwardRule(
            f"the shape of an operand of {n.name()} is not known any more",
            f"A graph keeps constant tensors of more than {HELD} elements only while somebody else does.",
            "Keep a reference to such constants, or let the function use NumPy arrays.",
        )
    return a._data if isinstance(a, Tensor) else a


def stand_in_of(p: Any) -> Any:
    """Something of the shape and dtype of the tensor at an edge; of a number, if that cannot be told any more."""
    found = _at_edge(p, 0)
    return np.zeros(()) if found is None else found._data if isinstance(found, Tensor) else found


def _at_edge(p: Any, depth: int) -> Any:
    """Something of the shape and dtype of the tensor at an edge: what its node makes of such operands."""
    if is_leaf_node(p):
        return p.data
    if type(p) is OutputNode:
        return np.zeros(*p.parents[0].fit[p.index])
    op = p.op
    if op is None or depth > FAR:
        return None
    if "y" in op.saved and not op.outputs:
        return saved(p, "y", False)
    try:
        operands = [stand_in(p, i, None, depth + 1) for i in range(len(p.parents))]
        return forward(op, operands, params_of(p), False)
    except (NoForwardRule, ArithmeticError, ValueError):  # not every operation takes zeros
        return None


# ------------------------------------------------------------------------------------------------ products


def multilinear(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    op = n.op
    terms = []
    for i, t in enumerate(ts):
        if t is not None:
            operands = [t if j == i else saved(n, name, graph) for j, name in enumerate(op.inputs)]
            terms.append(forward(op, operands, params_of(n), graph))
    return total(terms)


def _einsum(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    values = list(saved(n, "tensors", graph))
    terms = []
    for i, t in enumerate(ts):
        if t is not None:
            terms.append(forward(n.op, [*values[:i], t, *values[i + 1 :]], params_of(n), graph))
    return total(terms)


# -------------------------------------------------------------------------------- rows that move entries about


def _like(ts: Sequence[Any], shape: Any, graph: bool) -> Any:
    """Zeros of the tangents' dtype: the tangent of an operand that does not move."""
    dtype = np.result_type(*(t.dtype for t in ts if t is not None))
    return zeros(tuple(map(int, shape)), dtype, graph)


def _joined(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    shapes = shapes_of(n) or [next(t.shape for t in ts if t is not None)] * len(ts)
    parts = [_like(ts, shape, graph) if t is None else t for t, shape in zip(ts, shapes, strict=True)]
    d = forward(n.op, parts, params_of(n), graph)
    dtype = np.result_type(d.dtype, *(fit[1] for fit in n.fit or () if fit is not None))
    constants = [held(c) for c in constants_of(n)]
    dtype = np.result_type(dtype, *(c.dtype for c in constants if isinstance(c, (Tensor, np.ndarray))))
    return d if d.dtype == dtype or dtype.kind not in "fc" else table("cast")(d, dtype) if graph else d.astype(dtype)


def _replaced(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    """A base of which a part was overwritten, by a value or by zeros."""
    base, value = ts
    if base is None:
        base = _like(ts, stand_in(n, 0, None).shape, graph)
    return forward(n.op, (base, 0 if value is None else value), params_of(n), graph)


def _same(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    return forward(n.op, ts, params_of(n), graph)


def _conj(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    return table("conj")(ts[0]) if graph else np.conj(ts[0])


# -------------------------------------------------------------------------------------- eigenvalues and vectors


def _eigh(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    """The values' tangents, and the vectors': these turn by angles divided by gaps, and raise where a gap is zero."""
    from ..ops.linalg._decompose import _diagonal
    from ..ops.linalg._gaps import over_gaps, values_kept_apart
    from ..ops.linalg._linalg import adjoint

    (t,), (w, v) = ts, saved(n, "y", graph)
    inner = adjoint(v) @ ((t + adjoint(t)) * 0.5) @ v
    values = _diagonal(inner)
    if values.dtype.kind == "c":
        values = table("real")(values) if graph else values.real
    if graph:
        values = values_kept_apart(values, t, w, v, adjoint(v), "linalg.eigh")
    return [values, lambda: v @ over_gaps(inner, w, "linalg.eigh")]  # asked for only if the vectors are used


def _logsumexp(n: Any, ts: Sequence[Any], graph: bool) -> Any:
    """The tangents' mean under the softmax. What does not move adds 0, where all is masked (-inf) as well."""
    (t,), (dim, keepdim), x = ts, params_of(n), saved(n, "x", graph)
    y = forward(n.op, (x,), (dim, True), graph)
    moved = keep_zeros(t, t * (table("exp")(x - y) if graph else np.exp(x - y)), graph)
    return forward(table("sum_dim").op, (moved,), (dim, keepdim), graph)


RULES: dict[str, Callable[..., Any]] = {
    "conj": _conj, "cat": _joined, "stack": _joined, "block_diag": _joined, "copy_slices": _replaced, "split": _same,
    "unbind": _same, "einsum": _einsum, "eigh": _eigh, "logsumexp": _logsumexp,
}  # fmt: skip
"""Rows whose tangent is plain to see."""


__all__ = [
    "RULES", "NoForwardRule", "elementwise", "forward", "frame", "fresh", "multilinear", "partial_times", "saved",
    "stand_in", "stand_in_of", "total", "with_symbols",
]  # fmt: skip
