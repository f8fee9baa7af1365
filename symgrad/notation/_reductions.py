"""Functions along axes: sums, means, norms, softmax; and bars."""

from __future__ import annotations

import math
from typing import Any

from .. import linalg
from ..core import TABLE, Tensor
from ..ops import FUNCTIONS
from ._literals import as_numbers
from ._shapes import Shape, broadcast
from ._text_calls import AXES, KEEP, Call, Found, function


def _left(a: Shape, axes: tuple[int, ...] | None, keep: bool) -> Shape:
    """The shape that a sum over ``axes`` leaves."""
    gone = range(a.rank) if axes is None else axes
    kept = [(1 if i in gone else d) for i, d in enumerate(a.dims) if keep or i not in gone]
    return Shape(tuple(kept))


@function("sum mean prod nansum median amax amin logsumexp", f"x ? {AXES} * {KEEP}")
@function("var std", f"x ? {AXES} * {KEEP} correction|ddof unbiased")
def _reduction(call: Call) -> Found:
    name, (_, a) = call.name, call.array()
    fn = FUNCTIONS[{"max": "amax", "min": "amin"}.get(name, name)]
    axes, keep = call.axes(a.rank), call.flag("keepdims")
    options = {n: call.option(n) for n in ("correction", "unbiased") if n in call.options}
    if not a.rank and axes is None and name not in ("var", "std"):
        return Shape(number=a.number), lambda x, *_: x
    whole = axes is None and not keep
    over = tuple(range(a.rank)) if axes is None else axes
    if len(over) > 1 and name in ("prod", "median") and not whole:
        raise call.problem("takes one axis")
    dim: Any = over[0] if len(over) == 1 else over

    def run(x: Any, *_: Any) -> Any:
        x = as_numbers(x)
        out = fn(x, **options) if whole and name != "logsumexp" else fn(x, dim, keepdim=keep, **options)
        return out if isinstance(out, Tensor) else out[0]

    return _left(a, axes, keep), run


@function("max min", f"x ? {AXES} * {KEEP}")
def _extreme(call: Call) -> Found:
    """``max(x)``, ``max(x, axis=0)`` and ``max(x, y)``."""
    if len(call.positional) < 2 or (not call.reading.matrix and call.positional[1][1].is_number):
        return _reduction(call)
    call.arrays()
    fn = FUNCTIONS[f"{call.name}imum"]
    return broadcast(call.reading, call.node, call.arguments), lambda x, y: fn(as_numbers(x), as_numbers(y))


@function("softmax log_softmax cumprod logcumsumexp", f"x ? {AXES}")
@function("cumsum shift cumprod_before", f"x ? {AXES} * reverse")
def _along(call: Call) -> Found:
    """As papers do, symgrad writes softmax(X) for the softmax of each row; SciPy's is that of all entries."""
    node, a = call.array()
    if not a.rank:
        raise call.reading.wanted(call.node, node, a, "a vector")
    rowwise = TABLE[call.name].rowwise
    axes = call.axes(a.rank, -1 if a.rank == 1 or (rowwise and call.reading.matrix) else None)
    if axes is not None and len(axes) > 1 and rowwise:
        return a, lambda x, *_: TABLE[call.name].apply(as_numbers(x), axes)
    if axes is None or len(axes) > 1:
        example = f"{call.name}({call.reading.argument(node)}, axis=1)"
        raise call.problem(f"{call.reading.said(node, a)}: along which axis?", f"Say it: {example}.")
    if TABLE[call.name].params[-1:] == ("reverse",):
        backwards = call.flag("reverse")
        return a, lambda x, *_: TABLE[call.name].apply(as_numbers(x), axes[0], backwards)
    return a, lambda x, *_: FUNCTIONS[call.name](as_numbers(x), axes[0])


@function("recurrence", f"b a ? {AXES} * reverse")
def _recurrence(call: Call) -> Found:
    """Of an array and what stands before each result, an array of the same shape."""
    shape, backwards = broadcast(call.reading, call.node, call.arrays()[:2]), call.flag("reverse")
    axes = call.axes(shape.rank, -1 if shape.rank == 1 else None)
    if axes is None or len(axes) > 1:
        raise call.problem("along which axis?", "Say it: recurrence(b, a, dim=1).")
    return shape, lambda b, a, *_: TABLE["recurrence"].apply(as_numbers(b), as_numbers(a), axes[0], backwards)


# ---------------------------------------------------------------------- norms and absolute values

_OF_MATRICES = (1, 2, -1, -2, math.inf, -math.inf)


@function("norm linalg_norm", f"x ? ord|p {AXES} * {KEEP}")
@function("norm1 norm2", f"x * {AXES} {KEEP}")
def _norm(call: Call) -> Found:
    """``norm(x)``, ``norm(x, p)``, ``norm(X, 'fro')``; ``norm1`` and ``norm2`` of vectors."""
    node, a = call.array()
    order = {"norm1": 1, "norm2": 2}.get(call.name)
    p = order or call.option("ord")
    axes, keep = call.axes(a.rank), call.flag("keepdims")
    if (isinstance(p, str) and p not in ("fro", "nuc")) or isinstance(p, (bool, tuple)):
        raise call.problem(f"{p!r} is no order", "Write a number, inf, 'fro' or 'nuc'.")
    if not a.rank and p is None:
        return Shape(), lambda x, *_: FUNCTIONS["abs"](as_numbers(x))
    over = a.rank if axes is None else len(axes)
    if not 1 <= over <= 2 or (isinstance(p, str) and over != 2):
        raise call.problem(f"{call.reading.said(node, a)}, a vector is needed")
    if order is not None and over == 2:
        source = call.reading.argument(node)
        step = f"Write norm({source}) for Frobenius, norm({source}, {order}) for the operator norm."
        raise call.problem("of a matrix may be read in two ways", step)
    if over == 2 and isinstance(p, (int, float)) and p not in _OF_MATRICES:
        raise call.problem(f"there is no matrix norm of order {p}", "Write 1, 2, inf, 'fro' or 'nuc'.")
    dim = None if axes is None else axes[0] if len(axes) == 1 else axes
    number = None if p is None else p if isinstance(p, str) else float(p)
    return _left(a, axes, keep), lambda x, *_: linalg.norm(as_numbers(x), number, dim, keep)


@function("‖‖", "x * ord")
def _double_bars(call: Call) -> Found:
    """``‖x‖``, ``‖x‖₁``: over all entries."""
    call.name = "norm"
    node, a = call.array()
    p = call.option("ord")
    if p in (None, 2) and a.rank > 2:
        return Shape(), lambda x, *_: linalg.norm(FUNCTIONS["reshape"](as_numbers(x), (-1,)))
    if p is not None and a.rank > 1:
        source = call.reading.argument(node)
        raise call.problem("of a matrix may be read in two ways", f"Write norm({source}) for Frobenius.")
    return _norm(call)


@function("||", "x")
def _bars(call: Call) -> Found:
    """``|x|``; that of a square matrix may be its determinant."""
    node, a = call.array()
    call.name = "abs"
    if call.node.start in call.reading.dets:
        return call.fit("ii -> "), linalg.det
    if a.rank == 2:
        call.reading.bars.append((call.node, a))

    def run(x: Any) -> Any:
        if isinstance(x, bool) or (isinstance(x, Tensor) and x.dtype == bool):
            raise call.problem(f"{call.reading.source(node)} is a condition", "Write (a > b) | (c > d) for or.")
        return FUNCTIONS["abs"](as_numbers(x))

    return Shape(a.dims, a.row), run
