"""Rows that rearrange or reduce axes, in index notation: shapes, diagonals, indices, sums, masks, choices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from .._limits import bound
from ..core import Dim
from ..terms import (
    Call,
    Data,
    Delta,
    Expr,
    Lin,
    Map,
    One,
    axis_size,
    constant_of,
    ein,
    exact,
    is_real,
    map_,
    number,
    pow_,
    row,
    shaped,
    substitute,
    zeros,
)
from .lifting import (
    LIFTS,
    Args,
    apply,
    axes,
    called,
    fill,
    is_safe,
    lifts,
    linear,
    mask,
    negated,
    plus,
    product,
    squeezed,
    times,
)


@lifts("transpose")
def _transpose(args: Args, params: Any, shape: Any) -> Expr:
    order = list(args[0].axes)
    if order:
        a, b = (p % len(order) for p in params)
        order[a], order[b] = order[b], order[a]
    return _permute(args, (order,), shape)


@lifts("t")
def _t(args: Args, params: Any, shape: Any) -> Expr:
    return _permute(args, (args[0].axes[::-1],), shape)


@lifts("permute")
def _permute(args: Args, params: Any, shape: Any) -> Expr:
    return ein(1, [(args[0], args[0].axes)], tuple([d % args[0].rank for d in params[0]]))


@lifts(
    "view", "reshape_alias", "reshape_copy", "squeeze", "squeeze_dim", "squeeze_dims", "unsqueeze",
)  # fmt: skip
def _reshape(args: Args, params: Any, shape: Any) -> Expr:
    x = args[0]
    shape = tuple(shape)
    if tuple(x.shape) == shape:
        return x
    if [n for n in x.shape if n != 1] == [n for n in shape if n != 1]:  # only axes of size 1 come and go
        bare = squeezed(x, [i for i, n in enumerate(x.shape) if n == 1])
        places = tuple([i for i, n in enumerate(shape) if n != 1])
        return shaped(shape, 1, [(bare, places)])
    value = constant_of(x)
    return linear(row("reshape_copy"), x, (shape,), shape) if value is None else fill(number(value), shape)


@lifts("diagonal", "diagonal_copy")
def _diagonal(args: Args, params: Any, shape: Any) -> Expr | None:
    x, (offset, a, b) = args[0], params
    if offset != 0 or x.shape[a] != x.shape[b]:
        return None
    a, b = a % x.rank, b % x.rank
    labels = list(x.axes)
    labels[b] = labels[a]
    rest = [i for i in x.axes if i not in (a, b)]
    return ein(1, [(x, tuple(labels))], (*rest, a))


@lifts("trace")
def _trace(args: Args, params: Any, shape: Any) -> Expr | None:
    x = args[0]
    return product("ii->", args, shape) if x.shape[0] == x.shape[1] else None


@lifts("cat")
def _cat(args: Args, params: Any, shape: Any) -> Expr | None:
    """A call: its length along the axis is the sum of its operands', named sizes by their names."""
    axis = int(params[0]) % len(shape)
    if any(a.rank != len(shape) for a in args) or not any(type(a.shape[axis]) is Dim for a in args):
        return None
    length: Any = 0
    for a in args:
        length = length + a.shape[axis]
    return Call(row("cat"), tuple(args), params, (*shape[:axis], length, *shape[axis + 1 :]))


@lifts("diag_embed")
def _diag_embed(args: Args, params: Any, shape: Any) -> Expr | None:
    x, (offset, a, b) = args[0], params
    if offset != 0:
        return None
    rank = x.rank + 1
    a, b = a % rank, b % rank
    rest = iter(range(2, rank))
    out = tuple([0 if i == a else 1 if i == b else next(rest) for i in range(rank)])
    return ein(1, [(x, (*range(2, rank), 0)), (Delta(x.shape[-1]), (0, 1))], out)


@lifts("diagonal_put")
def _diagonal_put(args: Args, params: Any, shape: Any) -> Expr | None:
    _, offset, a, b = params
    if shape[a] != shape[b]:
        return None
    return _diag_embed(args, (offset, a, b), shape)


@lifts("getitem")
def _getitem(args: Args, params: Any, shape: Any) -> Expr:
    """An index is a label (``:`` and ``None``) or a selection along one axis (a slice, an integer)."""
    x, fresh = args[0], len(shape)
    labels: list[int] = []
    selections: list[Any] = []
    for axis, place, taken in _axis_by_axis(params[0], x.shape, shape):
        if axis is None:
            continue
        labels.append(fresh + axis if taken is not None else place)
        if taken is not None and (place is not None or x.shape[axis] != 1):
            selections.append((taken, (fresh + axis,) if place is None else (place, fresh + axis)))
    return shaped(shape, 1, [(x, tuple(labels)), *selections])


def _is_whole(k: slice, n: Any, length: Any) -> bool:
    """Whether a slice takes an axis of ``n`` whole, whatever a named size is."""
    if type(n) is not Dim:
        return bool(length == n) and k.step in (None, 1)
    return k.start in (None, 0) and k.step in (None, 1) and (k.stop is None or (type(k.stop) is Dim and k.stop == n))


def _place(k: Any, n: Any) -> int:
    """An integer index, counted from the front; from the back along a named size, which has no last number."""
    return int(k) if type(n) is Dim else int(k) % int(n)


def _axis_by_axis(index: Any, whole: Any, part: Any) -> Iterator[tuple[Any, Any, Expr | None]]:
    """What an index does: an axis of what it takes from, one of what it takes, and how (None: all of the axis)."""
    index = index if isinstance(index, tuple) else (index,)
    used = sum([k is not None and k is not Ellipsis for k in index])
    steps: list[Any] = []
    for k in index if any(k is Ellipsis for k in index) else (*index, Ellipsis):
        steps += [slice(None)] * (len(whole) - used) if k is Ellipsis else [k]
    axis = place = 0
    for k in steps:
        n = None if k is None else whole[axis]
        if k is None:
            yield None, place, None
        elif isinstance(k, slice):
            length = part[place]
            everything = _is_whole(k, n, length)
            yield axis, place, None if everything else Lin(row("getitem"), ((k,),), (length,), (n,))
        else:
            yield axis, None, One(1) if n == 1 else Lin(row("getitem"), ((_place(k, n),),), (), (n,))
        axis, place = axis + (k is not None), place + (k is None or isinstance(k, slice))


def adjoint(op: Any, x: Expr, params: tuple[Any, ...], in_shape: Any) -> Expr:
    """The transpose of a linear operation, on ``x``."""
    n = len(in_shape)
    inside = tuple(range(n, n + x.rank))
    lin = Lin(op, params, x.shape, tuple(in_shape))
    return ein(1, [(lin, (*inside, *range(n))), (x, inside)], tuple(range(n)))


@lifts("embed")
def _embed(args: Args, params: Any, shape: Any) -> Expr:
    """Zeros with a value at a place: the transpose of taking it, axis by axis."""
    x, fresh = args[0], len(shape)
    labels: list[int] = []
    selections: list[Any] = []
    for axis, place, taken in _axis_by_axis(params[1], shape, x.shape):
        own = axis if axis is not None and taken is None else fresh + (place or 0)
        if place is not None:
            labels.append(own)
        if taken is not None:
            selections.append((taken, (axis,) if place is None else (own, axis)))
    return shaped(shape, 1, [(x, tuple(labels)), *selections])


@lifts("index_accumulate")
def _index_accumulate(args: Args, params: Any, shape: Any) -> Expr | None:
    x, places = args
    if not isinstance(places, Data):
        return None
    return adjoint(row("index"), x, (places.value, *params[:2]), tuple(shape))


CHOSEN = bound(4096)
"""Entries up to which a choice of one entry of each is a product with what is 1 there and else 0."""


@lifts("gather")
def _gather(args: Args, params: Any, shape: Any) -> Expr | None:
    """One entry of each along an axis, as the labels of classes choose them."""
    (x, places), (dim,) = args, params
    dim = dim % x.rank
    one_of_each = isinstance(places, Data) and places.shape == (*x.shape[:dim], 1, *x.shape[dim + 1 :])
    return _one_of_each(x, dim, places.value, True) if one_of_each else None


@lifts("index")
def _index(args: Args, params: Any, shape: Any) -> Expr | None:
    """The same where rows are numbered: ``x[np.arange(n), labels]``."""
    (x, places), (dim, count) = args, params
    if not isinstance(places, Data) or x.rank != 2 or (dim, count) != (0, 2) or places.value.shape != (2, x.shape[0]):
        return None
    if places.value.dtype.kind == "b":  # a mask of two rows
        return None
    rows, columns = places.value
    return _one_of_each(x, 1, columns[:, None], False) if np.array_equal(rows, np.arange(len(rows))) else None


def _one_of_each(x: Expr, dim: int, places: np.ndarray, keepdim: bool) -> Expr | None:
    """The entries at places along an axis as the product with a one at each, if nothing is infinite beside them."""
    if any(type(n) is Dim for n in x.shape) or math.prod(x.shape) > CHOSEN or not is_safe(x):
        return None
    n = x.shape[dim]
    ones = (places % n == np.arange(n).reshape(-1, *(1,) * (x.rank - dim - 1))).astype(float)
    return total(times(x.shape, x, Data(ones)), (dim,), keepdim)


@lifts("split")
def _split(args: Args, params: Any, shape: Any, out: int) -> Expr:
    lengths, dim = params
    start = sum(lengths[:out])
    return _taken(args[0], dim, slice(start, start + lengths[out]), shape)


@lifts("unbind")
def _unbind(args: Args, params: Any, shape: Any, out: int) -> Expr:
    return _taken(args[0], params[0], out, shape)


def _taken(x: Expr, dim: int, what: Any, shape: Any) -> Expr:
    index = (*[slice(None)] * (dim % x.rank), what, Ellipsis)
    return _getitem([x], (index,), shape)


def _extreme_of(name: str) -> Any:
    def lift_extreme(args: Args, params: Any, shape: Any) -> Expr:
        dim, keepdim = params
        if not args[0].rank:  # a number is the largest of itself
            return args[0]
        return called(row(name), tuple(args[:1]), ((dim,), bool(keepdim)), tuple(shape))

    return lift_extreme


LIFTS["max_dim"], LIFTS["min_dim"] = _extreme_of("amax"), _extreme_of("amin")


# --------------------------------------------------------------------------------------------------- lift reductions


@lifts("clone", "remember", "tied", "damped", "expand", "beta_at_poles")
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
    strict = _strict(c, b)
    return None if strict is b else apply("where", shape, c, a, strict)


def _strict(condition: Expr, otherwise: Expr) -> Expr:
    """What is taken where two numbers are not equal, with ``a > b`` for ``a ≥ b``."""
    if not isinstance(condition, Map) or condition.operation != "eq":
        return otherwise
    pairs = itertools.product((("ge", "gt"), ("le", "lt")), (condition.args, condition.args[::-1]))
    return substitute(
        otherwise,
        {
            map_(row(weak), args, (), condition.axes): map_(row(strong), args, (), condition.axes)
            for (weak, strong), args in pairs
        },
    )


@lifts("logical_not", "bitwise_not")
def _not(args: Args, params: Any, shape: Any) -> Expr | None:
    return negated(args[0]) if args[0].kind == "map" and args[0].operation != "logical_not" else None


@lifts("pow_tensor")
def _power(args: Args, params: Any, shape: Any) -> Expr | None:
    a, b = args
    exponent = constant_of(b)
    return times(shape, pow_(a, exponent)) if exponent is not None else None


# sums, means, norms


def total(x: Expr, over: tuple[int, ...], keepdim: bool = False, coef: Any = 1, extra: Any = ()) -> Expr:
    labels = x.axes
    dims = {i: (1 if i in over else n) for i, n in enumerate(x.shape)}
    if not keepdim:
        return ein(coef, [(x, labels), *extra], tuple([i for i in labels if i not in over]))
    inside = tuple([i + x.rank if i in over else i for i in labels])
    return ein(coef, [(x, inside), *extra], labels, dims)


def count(x: Expr, over: tuple[int, ...]) -> Expr:
    return ein(1, [(axis_size(x.shape[i]), ()) for i in over], ())


@lifts("sum")
def _sum(args: Args, params: Any, shape: Any) -> Expr:
    return total(args[0], args[0].axes)


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
    entries = math.prod([int(x.shape[i]) for i in over])
    if entries - correction <= 0 or exact(correction) is None:
        return None
    mean = total(x, over, True, extra=[(pow_(count(x, over), -1), ())])
    off = plus(x.shape, (1, x), (-1, mean))
    squares = pow_(off if is_real(off) else apply("abs", x.shape, off), 2)
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
        y = ein(1, [(y, kept)], x.axes, dims)
    equal = apply("eq", x.shape, x, y)
    return times(x.shape, equal, pow_(total(equal, over, keepdim=True), -1))


@lifts("vector_norm")
def _norm(args: Args, params: Any, shape: Any) -> Expr | None:
    x, (p, dim, keepdim) = args[0], params
    return p_norm(x, p, axes(dim, x.rank), bool(keepdim))


def p_norm(x: Expr, p: Any, over: tuple[int, ...], keepdim: bool) -> Expr | None:
    """The p-norm as a power of a sum, where p is a plain number."""
    e = exact(p)
    if e is None or math.isinf(p) or p == 0 or isinstance(e, complex):
        return None
    inner = pow_(x, e) if isinstance(e, int) and e % 2 == 0 else pow_(apply("abs", x.shape, x), e)
    return pow_(total(inner, over, keepdim), 1 / Fraction(e) if not isinstance(e, float) else 1 / e)


@lifts("dist")
def _dist(args: Args, params: Any, shape: Any) -> Expr | None:
    both = np.broadcast_shapes(args[0].shape, args[1].shape)
    difference = plus(both, (1, args[0]), (-1, args[1]))
    return p_norm(difference, params[0], difference.axes, False)


def _with_mean(deviation: Any) -> Any:
    def lift_both(args: Args, params: Any, shape: Any, out: int) -> Expr | None:
        dim, _, keepdim = params
        return _mean(args, (dim, keepdim), shape) if out else deviation(args, params, shape)

    return lift_both


LIFTS["var_mean"], LIFTS["std_mean"] = _with_mean(_variance), _with_mean(_standard_deviation)
