"""Reductions, masks and choices in index notation."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from ._ein import constant_of, ein, number, row, size, zeros
from ._lift import LIFTS, Args, apply, axes, every, lifts, mask, negated, plus, squeezed, times
from ._map import pow_
from ._node import Call, Data, Expr
from ._number import exact


@lifts("clone", "remember", "tied", "damped", "expand")
def _same(args: Args, params: Any, shape: Any) -> Expr:
    return times(shape, args[0])


@lifts("cast")
def _cast(args: Args, params: Any, shape: Any) -> Expr | None:
    kind = np.dtype(params[0]).kind
    # what reads a real array as pairs of parts must be told from what reads a complex one
    if kind == "f":
        return args[0]
    return Call(row("cast"), tuple(args), params, tuple(shape)) if kind in "ciu" else None


@lifts("copy_from")
def _copied(args: Args, params: Any, shape: Any) -> Expr:
    return times(shape, args[1])


@lifts("bell")
def _bell(args: Args, params: Any, shape: Any) -> Expr:
    return apply("exp", shape, plus(shape, (-1, times(shape, args[0], args[0]))))


@lifts("logsumexp")
def _logsumexp(args: Args, params: Any, shape: Any) -> Expr | None:
    return None if args[0].rank else args[0]  # a number has no axis, and log eˣ = x


@lifts("log_softmax")
def _log_softmax(args: Args, params: Any, shape: Any) -> Expr | None:
    return None if args[0].rank else plus(shape, (1, args[0]), (-1, args[0]))


@lifts("softmax")
def _softmax(args: Args, params: Any, shape: Any) -> Expr | None:
    return None if args[0].rank else apply("exp", shape, plus(shape, (1, args[0]), (-1, args[0])))


@lifts("zero")
def _zero(args: Args, params: Any, shape: Any) -> Expr:
    return zeros(tuple(shape))


# masks and choices


@lifts("keep")
def _keep(args: Args, params: Any, shape: Any) -> Expr:
    return mask(args[1], args[0], shape)


@lifts("gate")
def _gate(args: Args, params: Any, shape: Any) -> Expr:
    return mask(positive(args[1]), args[0], shape)


def positive(x: Expr) -> Expr:
    return apply("gt", x.shape, x, number(0))


@lifts("slant")
def _slant(args: Args, params: Any, shape: Any) -> Expr:
    g, x = args
    slope = Data(params[0]) if exact(params[0]) is None else number(exact(params[0]))  # type: ignore[arg-type]
    return times(shape, apply("where", x.shape, positive(x), number(1), slope), g)


@lifts("between")
def _between(args: Args, params: Any, shape: Any) -> Expr | None:
    low, high = exact(params[0]), exact(params[1])
    if low is None or high is None:
        return None
    x = args[1]
    above, below = apply("gt", x.shape, x, number(low)), apply("lt", x.shape, x, number(high))
    return mask(apply("logical_and", x.shape, above, below), args[0], shape)


@lifts("where")
def _where(args: Args, params: Any, shape: Any) -> Expr | None:
    c, a, b = args
    if isinstance(c, Data) and (c.value.all() or not c.value.any()):
        return times(shape, a if c.value.all() else b)
    if constant_of(b) == 0:
        return mask(c, a, shape)
    if constant_of(a) == 0:
        return mask(negated(c), b, shape)
    return None


@lifts("logical_not", "bitwise_not")
def _not(args: Args, params: Any, shape: Any) -> Expr | None:
    return negated(args[0]) if args[0].kind == "map" and args[0].op.name != "logical_not" else None


@lifts("pow_tensor")
def _power(args: Args, params: Any, shape: Any) -> Expr | None:
    a, b = args
    exponent = constant_of(b)
    return times(shape, pow_(a, exponent)) if exponent is not None else None


# sums, means, norms


def total(x: Expr, over: tuple[int, ...], keepdim: bool = False, coef: Any = 1, extra: Any = ()) -> Expr:
    labels = every(x)
    dims = {i: (1 if i in over else n) for i, n in enumerate(x.shape)}
    if not keepdim:
        return ein(coef, [(x, labels), *extra], tuple([i for i in labels if i not in over]))
    inside = tuple([i + x.rank if i in over else i for i in labels])
    return ein(coef, [(x, inside), *extra], labels, dims)


def count(x: Expr, over: tuple[int, ...]) -> Expr:
    return ein(1, [(size(x.shape[i]), ()) for i in over], ())


@lifts("sum")
def _sum(args: Args, params: Any, shape: Any) -> Expr:
    return total(args[0], every(args[0]))


@lifts("sum_dim")
def _sum_dim(args: Args, params: Any, shape: Any) -> Expr:
    return total(args[0], axes(params[0], args[0].rank), bool(params[1]))


@lifts("mean", "mean_dim")
def _mean(args: Args, params: Any, shape: Any) -> Expr | None:
    x = args[0]
    over = axes(params[0] if params else None, x.rank)
    if any(x.shape[i] == 0 for i in over):
        return None
    return total(x, over, bool(params and params[1]), extra=[(pow_(count(x, over), -1), ())])


@lifts("sum_to")
def _sum_to(args: Args, params: Any, shape: Any) -> Expr:
    x = args[0]
    lead = x.rank - len(shape)
    over = tuple([i for i in range(x.rank) if i < lead or (shape[i - lead] == 1 and x.shape[i] != 1)])
    if not over:
        return x
    kept = total(x, over, keepdim=True)
    return squeezed(kept, list(range(lead))) if lead else kept


@lifts("var")
def _variance(args: Args, params: Any, shape: Any) -> Expr | None:
    x, (dim, correction, keepdim) = args[0], params
    over = axes(dim, x.rank)
    entries = 1
    for i in over:
        entries *= int(x.shape[i])
    if entries - correction <= 0 or exact(correction) is None:
        return None
    mean = total(x, over, True, extra=[(pow_(count(x, over), -1), ())])
    squares = pow_(plus(x.shape, (1, x), (-1, mean)), 2)
    rest = plus((), (1, count(x, over)), (-exact(correction), number(1)))  # type: ignore[operator]
    return total(squares, over, bool(keepdim), extra=[(pow_(rest, -1), ())])


@lifts("std")
def _standard_deviation(args: Args, params: Any, shape: Any) -> Expr | None:
    variance = _variance(args, params, shape)
    return None if variance is None else pow_(variance, Fraction(1, 2))


@lifts("tie_share")
def _tie_share(args: Args, params: Any, shape: Any) -> Expr:
    """1 where an entry is the extreme one, divided by how many are."""
    x, y = args
    dim, keepdim, _ = params
    over = axes(dim, x.rank)
    if not keepdim:
        kept = tuple([i for i in range(x.rank) if i not in over])
        dims = {i: (1 if i in over else n) for i, n in enumerate(x.shape)}
        y = ein(1, [(y, kept)], every(x), dims)
    equal = apply("eq", x.shape, x, y)
    return times(x.shape, equal, pow_(total(equal, over, keepdim=True), -1))


@lifts("vector_norm")
def _norm(args: Args, params: Any, shape: Any) -> Expr | None:
    x, (p, dim, keepdim) = args[0], params
    return p_norm(x, p, axes(dim, x.rank), bool(keepdim))


def p_norm(x: Expr, p: Any, over: tuple[int, ...], keepdim: bool) -> Expr | None:
    """The p-norm as a power of a sum, where p is a plain number."""
    if p == 2:
        return pow_(total(pow_(x, 2), over, keepdim), Fraction(1, 2))
    if p == 1:
        return total(apply("abs", x.shape, x), over, keepdim)
    e = exact(p)
    if e is None or math.isinf(p) or p == 0 or isinstance(e, complex):
        return None
    inner = pow_(x, e) if isinstance(e, int) and e % 2 == 0 else pow_(apply("abs", x.shape, x), e)
    return pow_(total(inner, over, keepdim), 1 / Fraction(e) if not isinstance(e, float) else 1 / e)


@lifts("dist")
def _dist(args: Args, params: Any, shape: Any) -> Expr | None:
    both = np.broadcast_shapes(args[0].shape, args[1].shape)
    difference = plus(both, (1, args[0]), (-1, args[1]))
    return p_norm(difference, params[0], every(both), False)


def _with_mean(deviation: Any) -> Any:
    def lift_both(args: Args, params: Any, shape: Any, out: int) -> Expr | None:
        dim, _, keepdim = params
        return _mean(args, (dim, keepdim), shape) if out else deviation(args, params, shape)

    return lift_both


LIFTS["var_mean"], LIFTS["std_mean"] = _with_mean(_variance), _with_mean(_standard_deviation)
