"""Changes of shape, diagonals, indices in index notation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core import Dim
from ._ein import constant_of, ein, number, row, shaped
from ._lift import LIFTS, Args, called, every, fill, lifts, linear, product, squeezed
from ._node import Call, Data, Delta, Expr, Lin, One


@lifts("transpose")
def _transpose(args: Args, params: Any, shape: Any) -> Expr:
    order = list(every(args[0]))
    if order:
        a, b = (p % len(order) for p in params)
        order[a], order[b] = order[b], order[a]
    return _permute(args, (order,), shape)


@lifts("t")
def _t(args: Args, params: Any, shape: Any) -> Expr:
    return _permute(args, (every(args[0])[::-1],), shape)


@lifts("permute")
def _permute(args: Args, params: Any, shape: Any) -> Expr:
    return ein(1, [(args[0], every(args[0]))], tuple([d % args[0].rank for d in params[0]]))


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
    labels = list(every(x))
    labels[b] = labels[a]
    rest = [i for i in every(x) if i not in (a, b)]
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
