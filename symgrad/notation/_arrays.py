"""Functions of whole arrays: linear algebra, products, what rearranges arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _limits, linalg
from ..ops import FUNCTIONS
from ._call_rules import RULES, Call, Rule, rule_of
from ._literals import as_tensor, lift
from ._operators import kron, matmul, square
from ._shapes import Run, Shape, broadcast
from ._sizes import Dim

# ---------------------------------------------------------------------- of a square matrix


def _of_square(fn: Run, result: Callable[[Shape], Shape]) -> Rule:
    def rule(call: Call) -> tuple[Shape, Run]:
        ((node, a),) = call.arrays(1)
        return result(square(call.reading, call.node, a, node)), lambda x: fn(as_tensor(x) if not a.dims else x)

    return rule


def _same(a: Shape) -> Shape:
    return Shape(a.dims)


def _number(a: Shape) -> Shape:
    return Shape()


for _names, _fn, _result in (
    ("inv inverse", linalg.inv, _same), ("cholesky chol", linalg.cholesky, _same),
    ("matrix_exp expm", linalg.matrix_exp, _same),
    ("det", linalg.det, _number), ("logdet", FUNCTIONS["logdet"], _number), ("trace tr", FUNCTIONS["trace"], _number),
    ("slogdet", lambda x: tuple(linalg.slogdet(x)), lambda a: Shape(parts=(Shape(), Shape()))),
    ("eigvalsh", linalg.eigvalsh, lambda a: Shape(a.dims[:1])),
):  # fmt: skip
    RULES.update(dict.fromkeys(_names.split(), _of_square(_fn, _result)))


@rule_of("pinv")
def _pinv(call: Call) -> tuple[Shape, Run]:
    ((_, a),) = call.arrays(1, 2, "a matrix")
    return Shape(a.dims[::-1]), linalg.pinv


@rule_of("matrix_power")
def _matrix_power(call: Call) -> tuple[Shape, Run]:
    call.between(2, 2)
    node, a = call.array(0)
    n = call.option("n", place=1)
    if isinstance(n, bool) or not isinstance(n, int) or abs(n) > _limits.TEXT_MATRIX_POWER:
        raise call.problem("the power is an integer from -100 to 100")
    return square(call.reading, call.node, a, node), lambda x, _: linalg.matrix_power(x, n)


@rule_of("solve")
def _solve(call: Call) -> tuple[Shape, Run]:
    (x, a), (y, b) = call.arrays(2)
    square(call.reading, call.node, a, x)
    if b.rank not in (1, 2):
        raise call.reading.wanted(call.node, y, b, "a vector or a matrix")
    call.reading.require_same(call.node, (x, a, 0), (y, b, 0))
    return Shape(b.dims), linalg.solve


# ---------------------------------------------------------------------- products


@rule_of("dot", "inner", "vdot", "⟨⟩")
def _dot(call: Call) -> tuple[Shape, Run]:
    (_, a), (_, b) = call.arrays(2)
    if not a.dims or not b.dims:
        return broadcast(call.reading, call.node, call.arguments), lambda u, v: lift(u) * lift(v)
    if a.rank == b.rank == 1:
        return matmul(call.reading, call.node, Shape(a.dims), Shape(b.dims))
    if call.name in ("⟨⟩", "vdot"):
        broadcast(call.reading, call.node, call.arguments)
        return Shape(), lambda u, v: (u * v).sum()
    if call.name == "inner":
        raise call.problem("takes two vectors", "Write sum(A*B) or A @ B.T.")
    return matmul(call.reading, call.node, a, b)


def _of_two(product: Callable[..., tuple[Shape, Run]]) -> Rule:
    def rule(call: Call) -> tuple[Shape, Run]:
        (_, a), (_, b) = call.arrays(2)
        return product(call.reading, call.node, a, b)

    return rule


RULES.update(dict.fromkeys(("matmul", "mm", "mv", "bmm"), _of_two(matmul)), kron=_of_two(kron))


@rule_of("outer", "ger")
def _outer(call: Call) -> tuple[Shape, Run]:
    (_, a), (_, b) = call.arrays(2, 1, "a vector")
    return Shape((*a.dims, *b.dims)), FUNCTIONS["outer"]


@rule_of("cross")
def _cross(call: Call) -> tuple[Shape, Run]:
    for node, shape in call.arrays(2, 1, "a vector"):
        if not call.reading.sizes.same(shape.dims[0], 3):
            r = call.reading
            raise r.conflict(call.node, f"{r.source(node)} has {r.entries(shape.dims[0])}, a vector of 3 is needed")
    return Shape((3,)), FUNCTIONS["cross"]


@rule_of("einsum")
def _einsum(call: Call) -> tuple[Shape, Run]:
    call.between(2, 9)
    spec = call.positional[0][1].number
    spec = "".join(spec.split()) if isinstance(spec, str) else ""
    inputs, arrow, output = spec.partition("->")
    subscripts = inputs.split(",")
    shapes = [call.array(i + 1)[1] for i in range(len(call.positional) - 1)]
    letters = set(inputs) - {","}
    if not arrow or len(subscripts) != len(shapes) or not all(map(str.isalpha, letters)) or set(output) - letters:
        raise call.problem("the first argument says what is summed, as in einsum('ij,j->i', A, x)")
    if len(set(output)) < len(output):
        raise call.problem("a letter occurs twice after the arrow")
    sizes: dict[str, int | Dim] = {}
    for (node, _), subscript, shape in zip(call.positional[1:], subscripts, shapes, strict=True):
        if len(subscript) != shape.rank:
            described = call.reading.described(shape)
            raise call.problem(f"{call.reading.source(node)} is {described}, which '{subscript}' does not fit")
        for letter, dim in zip(subscript, shape.dims, strict=True):
            if not call.reading.sizes.same(sizes.setdefault(letter, dim), dim):
                one, two = call.reading.entries(sizes[letter]), call.reading.entries(dim)
                raise call.reading.conflict(call.node, f"'{letter}' has {one} and {two}")

    def run(_: str, *values: Any) -> Any:
        call.reading.refuse_large(call.node, [call.reading.length(call.node, sizes[letter]) for letter in output])
        return FUNCTIONS["einsum"](spec, *map(as_tensor, values))

    return Shape(tuple(sizes[letter] for letter in output)), run
