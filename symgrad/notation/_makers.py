"""Functions that make arrays of sizes, and sizes of arrays: ``eye(n)``, ``ones(m, n)``, ``len(x)``, ``1[x > 0]``."""

from __future__ import annotations

from typing import Any

from .. import _limits
from ..ops import FUNCTIONS
from ._call_rules import Call, rule_of
from ._literals import identity, lift, ones
from ._operators import condition
from ._shapes import Run, Shape, broadcast
from ._sizes import Dim
from ._syntax import Node

Dims = tuple[int | Dim, ...]

ONLY_MATRIX = frozenset({"vector", "matrix"})
"""Names that NumPy does not have."""


def _lengths(call: Call, items: list[tuple[Node, Shape]]) -> Dims:
    """Sizes written as arguments: numbers, or names of sizes."""
    dims: list[int | Dim] = []
    for node, shape in items:
        if shape.parts and node.kind == "tuple":
            dims += _lengths(call, [(n, call.reading.shapes[id(n)]) for n in node.children])
        elif type(shape.number) is int and 0 < shape.number <= _limits.TEXT_SIZE:
            dims.append(shape.number)
        elif node.kind == "name" and node.value in call.reading.counts:
            dims.append(call.reading.counts[node.value])
        else:
            what = f"{call.reading.source(node)} is no size"
            raise call.problem(what, "Write a number, or the name of a size.", node)
    return tuple(dims)


@rule_of("eye", "identity")
def _eye(call: Call) -> tuple[Shape, Run]:
    call.between(1, 2)
    dims = _lengths(call, call.positional)
    dims = dims * 2 if len(dims) == 1 else dims
    return Shape(dims), _made(call, "eye", dims)


@rule_of("δ[]")
def _delta(call: Call) -> tuple[Shape, Run]:
    """What ``δ[i,j]`` and ``eye[i,j]`` are entries of."""
    dim = call.reading.sizes.fresh()
    return Shape((dim, dim)), lambda: identity(call.reading.length(call.node, dim))


@rule_of("ones", "zeros")
def _filled(call: Call) -> tuple[Shape, Run]:
    call.between(1, 3)
    dims = _lengths(call, call.positional)
    return Shape(dims), _made(call, call.name, dims)


def _made(call: Call, name: str, dims: Dims) -> Run:
    def run(*_: Any) -> Any:
        sizes = [call.reading.length(call.node, d) for d in dims]
        call.reading.refuse_large(call.node, sizes)
        if name == "eye":
            return identity(sizes[0]) if sizes[0] == sizes[1] else FUNCTIONS["eye"](*sizes)
        return ones(*sizes) if name == "ones" else ones(*sizes) * 0

    return run


@rule_of("ones_like", "zeros_like")
def _like(call: Call) -> tuple[Shape, Run]:
    ((_, a),) = call.arrays(1)
    return Shape(a.dims, a.row), _made(call, call.name.removesuffix("_like"), a.dims)


@rule_of("array", "asarray")
def _array(call: Call) -> tuple[Shape, Run]:
    """``array([1, 2])``: the list itself."""
    ((_, a),) = call.arrays(1)
    return a, lambda x: x


@rule_of("broadcast_to")
def _broadcast_to(call: Call) -> tuple[Shape, Run]:
    call.between(2, 2)
    (x, a), size = call.array(0), call.positional[1]
    wanted = Shape(_lengths(call, [size]))
    dims = broadcast(call.reading, call.node, [(x, a), (size[0], wanted)]).dims
    if len(dims) > wanted.rank or not all(map(call.reading.sizes.same, dims, wanted.dims)):
        raise call.problem(f"{call.reading.source(x)} is {call.reading.described(a)} and does not fill that")
    make = _made(call, "ones", wanted.dims)
    return wanted, lambda x, _: lift(x) * make()


@rule_of("vector", "matrix")
def _constant_array(call: Call) -> tuple[Shape, Run]:
    """``vector(1)``, ``matrix(0)``: an array of one number, as large as it must be."""
    call.between(1, 1)
    value = call.option(place=0)
    if isinstance(value, (str, bool, tuple)) or value is None:
        raise call.problem("takes a number")
    dims = tuple(call.reading.sizes.fresh() for _ in range(2 if call.name == "matrix" else 1))
    make = _made(call, "ones", dims)
    return Shape(dims), lambda _: make() if value == 1 else make() * lift(value)


@rule_of("len")
def _len(call: Call) -> tuple[Shape, Run]:
    ((node, a),) = call.arrays(1)
    if not a.rank:
        raise call.reading.wanted(call.node, node, a, "an array")
    root = call.reading.sizes.root(a.dims[0])
    return Shape(number=root if isinstance(root, int) else None), lambda x: call.reading.count(call.node, a.dims[0])


@rule_of("1[]")
def _indicator(call: Call) -> tuple[Shape, Run]:
    node, a = call.array()
    return Shape(a.dims, a.row), lambda x: condition(call.reading, node, x) * 1.0
