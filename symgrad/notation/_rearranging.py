"""Functions that rearrange arrays: transposes, diagonals, reshapes, what is joined, turned, or shifted."""

from __future__ import annotations

from ..ops import FUNCTIONS
from ._call_rules import Call, rule_of
from ._literals import as_numbers, as_tensor
from ._operators import broadcast_list, square, transposed
from ._shapes import Run, Shape
from ._sizes import Dim


@rule_of("transpose", "t", "adjoint")
def _transpose(call: Call) -> tuple[Shape, Run]:
    ((_, a),) = call.arrays(1)
    if a.rank > 2:
        raise call.problem("takes a matrix", "Write swapaxes(X, 0, 1).")
    return transposed(call.reading, a)


@rule_of("swapaxes")
def _swapaxes(call: Call) -> tuple[Shape, Run]:
    call.between(3, 3)
    _, a = call.array()
    axes = [call.option(place=i) for i in (1, 2)]
    if not all(type(i) is int and -a.rank <= i < a.rank for i in axes):
        raise call.problem(f"there are no such axes: {call.reading.described(a)}")
    one, two = axes
    dims = list(a.dims)
    dims[one], dims[two] = dims[two], dims[one]
    return Shape(tuple(dims)), lambda x, *_: FUNCTIONS["swapaxes"](x, one, two)


@rule_of("diag", "diagonal")
def _diag(call: Call) -> tuple[Shape, Run]:
    ((node, a),) = call.arrays(1)
    r = call.reading
    if a.rank == 2:
        rows, columns = r.sizes.root(a.dims[0]), r.sizes.root(a.dims[1])
        if isinstance(rows, int) and isinstance(columns, int):
            return Shape((min(rows, columns),)), FUNCTIONS["diagonal"]
        return Shape(square(r, call.node, a, node).dims[:1]), FUNCTIONS["diagonal"]
    if a.rank != 1 or call.name == "diagonal":
        raise r.wanted(call.node, node, a, "a matrix" if call.name == "diagonal" else "a vector or a matrix")
    return Shape(a.dims * 2), FUNCTIONS["diag"]


@rule_of("triu", "tril")
def _triangle(call: Call) -> tuple[Shape, Run]:
    call.between(1, 2)
    k = call.option("k", "diagonal", place=1, default=0)
    _, a = call.array(0, 2, "a matrix")
    if type(k) is not int:
        raise call.problem("the diagonal is an integer")
    fn = FUNCTIONS[call.name]
    return Shape(a.dims), lambda x, *_: fn(x, k)


@rule_of("vec", "ravel", "flatten")
def _vec(call: Call) -> tuple[Shape, Run]:
    ((_, a),) = call.arrays(1)
    if a.rank == 1:
        return Shape(a.dims), lambda x: x
    total: int | Dim = 1
    for dim in a.dims:
        total = call.reading.sizes.times(total, dim)
    return Shape((total,)), lambda x: FUNCTIONS["reshape"](as_tensor(x), (-1,))


@rule_of("reshape")
def _reshape(call: Call) -> tuple[Shape, Run]:
    call.between(1, 9)
    named = call.option("size", "shape", "newshape")
    _, a = call.array()
    wanted = [call.option(place=i) for i in range(1, len(call.positional))] + [named] * (named is not None)
    if len(wanted) == 1 and isinstance(wanted[0], tuple):
        wanted = list(wanted[0])
    dims = [call.reading.sizes.root(d) for d in a.dims]
    if not wanted:
        raise call.problem("to which shape?", "Write reshape(x, (2, 3)).")
    if not all(isinstance(d, int) for d in dims) or not all(type(w) is int and w >= -1 for w in wanted):
        raise call.reading.conflict(call.node, "a reshape needs numbers of entries", call.positional[0][0])
    total = 1
    for d in dims:
        total *= d if isinstance(d, int) else 1
    rest = 1
    for w in wanted:
        rest *= 1 if w == -1 else w
    if wanted.count(-1) > 1 or rest == 0 or total % rest or (-1 not in wanted and rest != total):
        raise call.problem(f"{total} entries do not fill {' × '.join(map(str, wanted))}")
    shape = tuple(total // rest if w == -1 else w for w in wanted)
    return Shape(shape), lambda x, *_: FUNCTIONS["reshape"](as_tensor(x), shape)


@rule_of("diff")
def _diff(call: Call) -> tuple[Shape, Run]:
    ((_, a),) = call.arrays(1, 1, "a vector")
    call.reading.sizes.at_least(a.dims[0], 2)
    return Shape((call.reading.sizes.plus(a.dims[0], -1),)), FUNCTIONS["diff"]


@rule_of("roll")
def _roll(call: Call) -> tuple[Shape, Run]:
    call.between(1, 3)
    _, a = call.array()
    shift = call.option("shift", "shifts", place=1)
    axes = call.axes(a.rank, place=2, default=0 if a.rank == 1 else None)
    if type(shift) is not int:
        raise call.problem("the shift is an integer", "Write roll(x, 1).")
    if axes is None or len(axes) != 1:
        raise call.problem(f"it is {call.reading.described(a)}: along which axis?", "Say it: roll(X, 1, axis=0).")
    return Shape(a.dims), lambda x, *_: FUNCTIONS["roll"](x, shift, axes[0])


@rule_of("flip")
def _flip(call: Call) -> tuple[Shape, Run]:
    call.between(1, 2)
    _, a = call.array()
    axes = call.axes(a.rank, place=1, default=tuple(range(a.rank)))
    return Shape(a.dims, a.row), lambda x, *_: FUNCTIONS["flip"](as_numbers(x), axes)


def _elements(call: Call) -> tuple[Shape, ...]:
    """What is joined: the elements of a list."""
    call.between(1, 2)
    node = call.positional[0][0]
    if node.kind != "items" or not node.children:
        raise call.problem("takes a list", f"Write {call.name}([x, y]).")
    items = tuple(call.reading.shapes[id(child)] for child in node.children)
    for child, item in zip(node.children, items, strict=True):
        if isinstance(item.number, (str, bool)) or item.parts:
            raise call.problem(f"{call.reading.source(child)} is no array", at=child)
    return items


@rule_of("stack")
def _stack(call: Call) -> tuple[Shape, Run]:
    items = _elements(call)
    first = broadcast_list(call.reading, call.positional[0][0], items)
    (axis,) = call.axes(first.rank + 1, place=1, default=0)
    dims = (*first.dims[:axis], len(items), *first.dims[axis:])
    return Shape(dims), lambda parts, *_: FUNCTIONS["stack"](list(map(as_numbers, parts)), axis)


@rule_of("concatenate", "cat", "hstack")
def _concatenate(call: Call) -> tuple[Shape, Run]:
    items = _elements(call)
    r, first = call.reading, items[0]
    if not first.rank or any(item.rank != first.rank for item in items):
        raise call.problem("takes a list of vectors, or of matrices", f"Write {call.name}([x, y]).")
    default = 1 if call.name == "hstack" and first.rank > 1 else 0
    (axis,) = call.axes(first.rank, place=1, default=default)
    total: int | Dim = 0
    for item in items:
        rest = [(d, e) for k, (d, e) in enumerate(zip(first.dims, item.dims, strict=True)) if k != axis]
        if not all(r.sizes.same(d, e) for d, e in rest):
            raise r.conflict(call.node, f"{r.described(first)} and {r.described(item)}")
        dim = r.sizes.root(item.dims[axis])
        total = total + dim if isinstance(total, int) and isinstance(dim, int) else r.sizes.opaque()
    dims = (*first.dims[:axis], total, *first.dims[axis + 1 :])
    return Shape(dims), lambda parts, *_: FUNCTIONS["cat"](list(map(as_numbers, parts)), axis)
