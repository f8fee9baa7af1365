"""Many tangents at once: arrays with the directions along a new first axis.

The idea to hold: an entry-by-entry rule multiplies all directions in one NumPy call, since broadcasting aligns shapes
on the right; so do products of matrices and the commonest rows that move entries about. Every other row takes the
directions one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core import params_of
from ._dual import node_tangent
from ._forward_rules import RULES, frame, partial_times, saved, total


def many_tangents(n: Any, ts: Sequence[Any], graph: bool, exact: bool, memo: dict[Any, Any]) -> Any:
    """As `node_tangent`, where each tangent has one axis more, in front (``graph`` is False: arrays only)."""
    op = n.op
    if op is not None and op.kind == "elementwise" and (op.holomorphic or op.real_only) and op.name not in RULES:
        return _entrywise(n, ts, exact)
    rule = _LINEAR.get(op.name) if op is not None else None
    if rule is not None:
        return rule(ts[0], params_of(n))
    if op is not None and op.name in _PRODUCTS:
        return _product(n, ts)
    return _one_by_one(n, ts, exact, memo)


def _entrywise(n: Any, ts: Sequence[Any], exact: bool) -> Any:
    shape, dtype = frame(n, [None if t is None else t[0] for t in ts])
    exact = exact and n.op.steep
    terms = []
    for i, t in enumerate(ts):
        if t is None:
            continue
        t = t.reshape((len(t), *(1,) * (len(shape) + 1 - t.ndim), *t.shape[1:]))
        d = partial_times(n, i, t, False)
        if exact and d is not None:
            d = np.where(~np.isfinite(d) & (t == 0), 0, d)
        terms.append(d)
    d = total(terms)
    if d is None:
        return None
    whole = (len(next(t for t in ts if t is not None)), *shape)
    if d.shape != whole:
        d = np.broadcast_to(d, whole).copy()
    return d if d.dtype == dtype else d.astype(dtype)


def _one_by_one(n: Any, ts: Sequence[Any], exact: bool, memo: dict[Any, Any]) -> Any:
    count = len(next(t for t in ts if t is not None))
    rows = [
        node_tangent(n, [None if t is None else t[k] for t in ts], False, exact, memo) for k in range(count)
    ]  # fmt: skip
    if isinstance(rows[0], list):
        return [_together(column) for column in zip(*rows, strict=True)]
    return None if rows[0] is None else np.stack(rows)


def _together(column: Sequence[Any]) -> Any:
    if callable(column[0]):
        return lambda: np.stack([t() for t in column])
    return None if column[0] is None else np.stack(column)


def _product(n: Any, ts: Sequence[Any]) -> Any:
    left, right = _PRODUCTS[n.op.name]
    terms = []
    if ts[0] is not None:
        terms.append(left(ts[0], saved(n, "b", False)))
    if ts[1] is not None:
        terms.append(right(saved(n, "a", False), ts[1]))
    return total(terms)


_PRODUCTS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "mm": (np.matmul, np.matmul),
    "mv": (np.matmul, lambda a, t: t @ a.T),
    "vm": (np.matmul, np.matmul),
    "dot": (np.matmul, lambda a, t: t @ a),
    "outer": (lambda t, b: t[:, :, None] * b, lambda a, t: a[:, None] * t[:, None, :]),
    "bmm": (np.matmul, np.matmul),
}
"""Per product how the tangents of its first and of its second operand go in."""


def _reshaped(t: Any, params: Any) -> Any:
    (size,) = params
    shape = np.empty(t.shape[1:], bool).reshape(tuple(map(int, size))).shape
    return t.reshape((len(t), *shape))


def _summed(t: Any, params: Any) -> Any:
    dim, keepdim = params
    return np.add.reduce(t, tuple(d + 1 for d in dim), keepdims=keepdim)


def _averaged(t: Any, params: Any) -> Any:
    dim, keepdim = params
    return np.mean(t, tuple(d + 1 for d in dim), keepdims=keepdim)


def _expanded(t: Any, params: Any) -> Any:
    shape = tuple(map(int, params[0]))
    t = t.reshape((len(t), *(1,) * (len(shape) + 1 - t.ndim), *t.shape[1:]))
    return np.broadcast_to(t, (len(t), *shape)).copy()


def _picked(t: Any, params: Any) -> Any:
    return t[(slice(None), *params[0])]


_LINEAR: dict[str, Callable[[Any, Any], Any]] = {
    "view": _reshaped, "reshape_alias": _reshaped, "reshape_copy": _reshaped, "expand": _expanded,
    "sum": lambda t, params: t.reshape((len(t), -1)).sum(1), "sum_dim": _summed, "mean_dim": _averaged,
    "clone": lambda t, params: t, "t": lambda t, params: t if t.ndim < 3 else t.swapaxes(1, 2),
    "transpose": lambda t, params: t.swapaxes(params[0] + 1, params[1] + 1) if t.ndim > 1 else t,
    "permute": lambda t, params: t.transpose((0, *(d + 1 for d in params[0]))), "getitem": _picked,
}  # fmt: skip
"""Rows that move or add up entries, on all directions at once."""


__all__ = ["many_tangents"]
