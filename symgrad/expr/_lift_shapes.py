"""Changes of shape, diagonals, indices in index notation."""

from __future__ import annotations

from typing import Any

from ..core import Dim
from ._ein import constant_of, ein, number, row, shaped
from ._lift import LIFTS, called, every, fill, lifts, linear, squeezed, times
from ._node import Call, Data, Delta, Expr, Lin, One

Args = Any


@lifts("transpose")
def _transpose(args: Args, params: Any, shape: Any) -> Expr:
    order = list(every(args[0]))
    if order:
        a, b = (p % len(order) for p in params)
        order[a], order[b] = order[b], order[a]
    return ein(1, [(args[0], every(args[0]))], tuple(order))


@lifts("t")
def _t(args: Args, params: Any, shape: Any) -> Expr:
    return ein(1, [(args[0], every(args[0]))], every(args[0])[::-1])


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
    value = _filled(x, shape)
    if value is not None:
        return value
    return linear(row("reshape_copy"), x, (shape,), shape)


def _filled(x: Expr, shape: Any) -> Expr | None:
    """An array of one number in another shape."""
    value = constant_of(x)
    return None if value is None else fill(number(value), shape)


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
    return ein(1, [(x, (0, 0))], ()) if x.shape[0] == x.shape[1] else None


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
    x = args[0]
    index = params[0] if isinstance(params[0], tuple) else (params[0],)
    steps = _axis_by_axis(index, x.rank)
    axis, place, fresh = 0, 0, len(shape)
    labels: list[int] = []
    selections: list[Any] = []
    for k in steps:
        if k is None:
            place += 1
            continue
        n = x.shape[axis]
        axis += 1
        if isinstance(k, slice):
            if _is_whole(k, n, shape[place]):
                labels.append(place)
            else:
                selections.append((Lin(row("getitem"), ((k,),), (shape[place],), (n,)), (place, fresh)))
                labels.append(fresh)
                fresh += 1
            place += 1
            continue
        if n != 1:
            selections.append((Lin(row("getitem"), ((_place(k, n),),), (), (n,)), (fresh,)))
        labels.append(fresh)
        fresh += 1
    return shaped(shape, 1, [(x, tuple(labels)), *selections])


def _is_whole(k: slice, n: Any, length: Any) -> bool:
    """Whether a slice takes an axis of ``n`` whole, whatever a named size is."""
    if type(n) is not Dim:
        return bool(length == n) and k.step in (None, 1)
    return k.start in (None, 0) and k.step in (None, 1) and (k.stop is None or (type(k.stop) is Dim and k.stop == n))


def _place(k: Any, n: Any) -> int:
    """An integer index, counted from the front; from the back along a named size, which has no last number."""
    return int(k) if type(n) is Dim else int(k) % int(n)


def _axis_by_axis(index: Any, rank: int) -> list[Any]:
    """An index with one entry for each axis, and None for each new one."""
    whole = slice(None)
    used = sum([k is not None and k is not Ellipsis for k in index])
    steps: list[Any] = []
    for k in index if any(k is Ellipsis for k in index) else (*index, Ellipsis):
        steps += [whole] * (rank - used) if k is Ellipsis else [k]
    return steps


def adjoint(op: Any, x: Expr, params: tuple[Any, ...], in_shape: Any) -> Expr:
    """The transpose of a linear operation, on ``x``."""
    n = len(in_shape)
    inside = tuple(range(n, n + x.rank))
    lin = Lin(op, params, x.shape, tuple(in_shape))
    return ein(1, [(lin, (*inside, *range(n))), (x, inside)], tuple(range(n)))


@lifts("copy_from")
def _copied(args: Args, params: Any, shape: Any) -> Expr:
    return times(shape, args[1])


@lifts("embed")
def _embed(args: Args, params: Any, shape: Any) -> Expr:
    """Zeros with a value at a place: the transpose of taking it, axis by axis."""
    x = args[0]
    index = params[1] if isinstance(params[1], tuple) else (params[1],)
    place, fresh = 0, len(shape)
    axis = 0
    labels: list[int] = []
    selections: list[Any] = []
    for k in _axis_by_axis(index, len(shape)):
        if k is None:
            labels.append(fresh)
            fresh, place = fresh + 1, place + 1
            continue
        n = shape[axis]
        if isinstance(k, slice):
            if _is_whole(k, n, x.shape[place]):
                labels.append(axis)
            else:
                selections.append((Lin(row("getitem"), ((k,),), (x.shape[place],), (n,)), (fresh, axis)))
                labels.append(fresh)
                fresh += 1
            place += 1
        else:
            what = One(1) if n == 1 else Lin(row("getitem"), ((_place(k, n),),), (), (n,))
            selections.append((what, (axis,)))
        axis += 1
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
