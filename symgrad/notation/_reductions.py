"""Functions along axes: sums, means, norms, softmax."""

from __future__ import annotations

import math
from typing import Any

from .. import linalg
from ..core import TABLE, Tensor
from ..ops import FUNCTIONS
from ._call_rules import RULES, Call, Rule
from ._literals import as_numbers
from ._operators import SQUARE
from ._shapes import Run, Shape, broadcast


def _left(a: Shape, axes: tuple[int, ...] | None, keep: bool) -> Shape:
    """The shape that a sum over ``axes`` leaves."""
    gone = range(a.rank) if axes is None else axes
    dims = tuple(1 if i in gone else d for i, d in enumerate(a.dims)) if keep else tuple(
        d for i, d in enumerate(a.dims) if i not in gone
    )  # fmt: skip
    return Shape(dims)


def _reduction(name: str, *, every: bool = False, extra: tuple[str, ...] = ()) -> Rule:
    """A rule for ``fn(x)`` over all axes and ``fn(x, dim)``; ``every`` if the function must be told all axes."""
    fn = FUNCTIONS[name]

    def rule(call: Call) -> tuple[Shape, Run]:
        call.between(1, 2)
        _, a = call.array()
        axes = call.axes(a.rank, place=1) if a.rank or len(call.positional) > 1 else call.axes(0)
        keep = call.flag("keepdims", "keepdim")
        options = {n: call.option(n) for n in extra if n in call.named}
        if "ddof" in options:
            options["correction"] = options.pop("ddof")
        if not a.rank and axes is None and not extra:
            return Shape(number=a.number), lambda x, *_: x
        whole = axes is None and not keep
        over = tuple(range(a.rank)) if axes is None else axes
        if len(over) > 1 and name in ("prod", "median") and not whole:
            raise call.problem("takes one axis")
        dim: Any = over[0] if len(over) == 1 else over

        def run(x: Any, *_: Any) -> Any:
            x = as_numbers(x)
            out = fn(x, **options) if whole and not every else fn(x, dim, keepdim=keep, **options)
            return out if isinstance(out, Tensor) else out[0]

        return _left(a, axes, keep), run

    return rule


for _name in ("sum", "mean", "prod", "nansum", "median", "amax", "amin"):
    RULES[_name] = _reduction(_name)
RULES["logsumexp"] = _reduction("logsumexp", every=True)
RULES["var"] = _reduction("var", extra=("correction", "unbiased", "ddof"))
RULES["std"] = _reduction("std", extra=("correction", "unbiased", "ddof"))


def _extreme(whole: str, pairwise: str) -> Rule:
    """``max(x)``, ``max(x, axis=0)`` and ``max(x, y)``."""

    def rule(call: Call) -> tuple[Shape, Run]:
        if len(call.positional) < 2 or (not call.reading.matrix and call.positional[1][1].is_number):
            return RULES[whole](call)
        call.arrays(2)
        fn = FUNCTIONS[pairwise]
        return broadcast(call.reading, call.node, call.arguments), lambda x, y: fn(as_numbers(x), as_numbers(y))

    return rule


RULES["max"] = _extreme("amax", "maximum")
RULES["min"] = _extreme("amin", "minimum")


def _along(name: str) -> Rule:
    """A rule for functions that keep the shape and work along one axis.

    As papers do, symgrad writes softmax(X) for the softmax of each row; SciPy's is that of all entries.
    """
    fn, rows = FUNCTIONS[name], TABLE[name].rowwise

    def rule(call: Call) -> tuple[Shape, Run]:
        call.between(1, 2)
        node, a = call.array()
        if not a.rank:
            raise call.reading.wanted(call.node, node, a, "a vector")
        plain = a.rank == 1 or (rows and call.reading.matrix)
        axes = call.axes(a.rank, place=1, default=-1 if plain else None)
        if axes is None or len(axes) > 1:
            example = f"{call.name}({call.reading.source(node, 12)}, axis=1)"
            raise call.problem(f"{call.reading.source(node)} is {call.reading.described(a)}: along which axis?",
                               f"Say it: {example}.")  # fmt: skip
        return a, lambda x, *_: fn(as_numbers(x), axes[0])

    return rule


for _name in ("softmax", "log_softmax", "cumsum", "cumprod", "logcumsumexp"):
    RULES[_name] = _along(_name)


def _sort(call: Call) -> tuple[Shape, Run]:
    ((_, a),) = call.arrays(1, 1, "a vector")
    return a, lambda x: FUNCTIONS["sort"](x)[0]


_OF_MATRICES = (1, 2, -1, -2, math.inf, -math.inf)


def _norm(order: Any = None) -> Rule:
    """``norm(x)``, ``norm(x, p)``, ``norm(X, 'fro')``; ``norm1`` and ``norm2`` of vectors."""

    def rule(call: Call) -> tuple[Shape, Run]:
        call.between(1, 1 if order is not None else 3)
        node, a = call.array()
        p = order if order is not None else call.option("ord", "p", place=1)
        axes = call.axes(a.rank, place=2)
        keep = call.flag("keepdims", "keepdim")
        if (isinstance(p, str) and p not in ("fro", "nuc")) or isinstance(p, (bool, tuple)):
            raise call.problem(f"{p!r} is no order", "Write a number, inf, 'fro' or 'nuc'.")
        if not a.rank and p is None:
            return Shape(), lambda x, *_: FUNCTIONS["abs"](as_numbers(x))
        over = a.rank if axes is None else len(axes)
        if not 1 <= over <= 2 or (isinstance(p, str) and over != 2):
            raise call.problem(f"{call.reading.source(node)} is {call.reading.described(a)}, a vector is needed")
        if order is not None and over == 2:
            source = call.reading.source(node, 12)
            step = f"Write norm({source}) for Frobenius, norm({source}, {order}) for the operator norm."
            raise call.problem("of a matrix may be read in two ways", step)
        if over == 2 and isinstance(p, (int, float)) and p not in _OF_MATRICES:
            raise call.problem(f"there is no matrix norm of order {p}", "Write 1, 2, inf, 'fro' or 'nuc'.")
        dim = None if axes is None else axes[0] if len(axes) == 1 else axes
        number = None if p is None else p if isinstance(p, str) else float(p)
        return _left(a, axes, keep), lambda x, *_: linalg.norm(as_numbers(x), number, dim, keep)

    return rule


RULES.update(sort=_sort, norm=_norm(), norm1=_norm(1), norm2=_norm(2))
RULES["linalg_norm"] = RULES["norm"]


def _double_bars(call: Call) -> tuple[Shape, Run]:
    """``‖x‖``, ``‖x‖₁``: over all entries."""
    call.name = "norm"
    node, a = call.array()
    p = call.option("ord")
    if p in (None, 2) and a.rank > 2:
        return Shape(), lambda x, *_: linalg.norm(FUNCTIONS["reshape"](as_numbers(x), (-1,)))
    if p is not None and a.rank > 1:
        source = call.reading.source(node, 12)
        raise call.problem("of a matrix may be read in two ways", f"Write norm({source}) for Frobenius.")
    return RULES["norm"](call)


def _bars(call: Call) -> tuple[Shape, Run]:
    """``|x|``; that of a square matrix may be its determinant."""
    node, a = call.array()
    call.name = "abs"
    if a.rank == 2:
        source = call.reading.source(node, 12)
        what = f"|{source}| of {SQUARE} may be read in two ways"
        call.reading.unlike_square.append((call.node, a, what, f"Write abs({source}), or det({source})."))

    def run(x: Any) -> Any:
        if isinstance(x, bool) or (isinstance(x, Tensor) and x.dtype == bool):
            raise call.problem(f"{call.reading.source(node)} is a condition", "Write (a > b) | (c > d) for or.")
        return FUNCTIONS["abs"](as_numbers(x))

    return Shape(a.dims, a.row), run


RULES.update({"‖‖": _double_bars, "||": _bars})
