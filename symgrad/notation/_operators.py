"""The operators: which shapes they ask for, and which function of symgrad they are."""

from __future__ import annotations

import math
import operator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce
from typing import Any

import numpy as np

from .. import linalg
from .._limits import bound
from .._trees import postorder
from ..core import TABLE, Tensor, modes
from ..ops import FUNCTIONS
from ..syntax import INFIX, OF_EACH, PRODUCTS, Node
from ._shapes import (
    CONSTANTS,
    Evaluate,
    NodeStep,
    Reading,
    Shape,
    UnknownSize,
    WorkedOut,
    as_numbers,
    as_tensor,
    broadcast,
    call_in,
    exact_product,
    identity,
    is_no_number,
    lift,
    ones,
)

_LARGEST_POWER = 2**1024
_NAME = {value: name for name, value in CONSTANTS.items()}


# ---------------------------------------------------------------------- numbers


TEXT_BITS = bound(2048)
"""Bits of a power of numbers that is worked out exactly."""


def _folded(reading: Reading, node: Node, op: str, a: Any, b: Any) -> Any:
    """A number of two written numbers, exact where it can be."""
    if isinstance(a, (bool, str)) or isinstance(b, (bool, str)):
        raise reading.problem(node, f"'{op}' needs numbers")
    try:
        value = _NUMBER_ARITHMETIC[op](a, b)
    except ZeroDivisionError:
        raise reading.problem(node, "a division by zero") from None
    except (OverflowError, ValueError):
        raise reading.problem(node, "the number is too large") from None
    if isinstance(value, complex) or abs(value) > _LARGEST_POWER or _bits(value) > TEXT_BITS:
        raise reading.problem(node, "not a real number" if isinstance(value, complex) else "the number is too large")
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _quotient_of_numbers(a: Any, b: Any) -> Any:
    return a / b if isinstance(a, float) or isinstance(b, float) else Fraction(a) / b


def _bits(value: Any) -> int:
    if isinstance(value, float):
        return 0
    return Fraction(value).numerator.bit_length() + Fraction(value).denominator.bit_length()


def _power_of_numbers(a: Any, b: Any) -> Any:
    if isinstance(b, int) and not isinstance(a, float) and abs(b) * max(_bits(a), 1) <= TEXT_BITS:
        return Fraction(a) ** b
    return float(a) ** float(b)


_NUMBER_ARITHMETIC: dict[str, Any] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": _quotient_of_numbers, "**": _power_of_numbers,
}  # fmt: skip


LONG = bound(15)
"""Digits of a decimal that may be all that a double has of a constant."""


def number(reading: Reading, node: Node) -> WorkedOut:
    """A number, a string, or None."""
    value = node.value
    numerals = modes.numerals.get()
    if isinstance(value, float) and numerals is not None:
        numerals.seen.append(value)
        if len(reading.source(node).strip("() ").partition("e")[0].replace(".", "").lstrip("0")) >= LONG:
            numerals.long.append(reading.source(node).strip("() "))
            value *= numerals.times
        with suppress(ValueError):  # 6.3·10⁻⁶
            value = Fraction(reading.source(node).strip("() ")) if numerals.exactly else value
        if numerals.exactly and node.value in CONSTANTS.values():
            numerals.rounded.append(f"{reading.source(node)} is computed with as {_NAME[node.value]}")
    return Shape(number=value), lambda: value


def given(reading: Reading, node: Node) -> WorkedOut:
    """An array that is known."""
    shape, value = node.value
    return shape, lambda: value


def applied(reading: Reading, node: Node, *operands: Shape) -> WorkedOut:
    """A function that works entry by entry."""
    return broadcast(reading, node, _pairs(node, *operands)), node.value


# ---------------------------------------------------------------------- names and lists


def name(reading: Reading, node: Node, *defined: Shape) -> WorkedOut:
    """A symbol, a size, a definition, a constant."""
    word = node.value
    if defined:
        if defined[0].at:
            left = f"{word}[{','.join(letter for letter, _ in defined[0].at)}]"
            step = f"Write the letters on the left, {left} = …."
            raise reading.problem(node, f"'{word}' is defined by entries", step)
        return replace(defined[0], bound=frozenset()), lambda value: value
    if word in reading.symbols:
        return reading.symbols[word], lambda: reading.values[word]
    if word in reading.counts:
        return Shape(), lambda: reading.values[word]
    if word == "I":
        dim = reading.sizes.fresh()
        return Shape((dim, dim)), lambda: identity(reading.length(node, dim))
    if word == "𝟏":
        dim = reading.sizes.fresh()
        return Shape((dim,)), lambda: ones(reading.length(node, dim))
    value = CONSTANTS[word]
    return Shape(number=value), lambda: value


def listed(reading: Reading, node: Node, *items: Shape) -> WorkedOut:
    """``[a, b]``: an array of its elements."""
    if not items:
        raise reading.problem(node, "an empty list has no use in a formula")
    inner = broadcast_list(reading, node, items)
    before, behind = reading.text[: node.start].rstrip(), reading.text[node.end :].lstrip()
    if inner.dims and node.start == node.children[0].start and (before.endswith(";") or behind.startswith(";")):
        a = reading.source(node.children[0])
        what = f"{a} is {reading.described(inner)}, and ';' parts rows of numbers"
        raise reading.problem(node, what, "Write cat([A, B]) for one below the other, stack([x, y]) for a new axis.")

    def run(*values: Any) -> Any:
        if all(isinstance(v, bool) for v in values):
            return FUNCTIONS["tensor"](np.array(values))
        if all(not isinstance(v, Tensor) for v in values):
            return FUNCTIONS["tensor"](np.array([float(v) for v in values]))
        return FUNCTIONS["stack"]([as_tensor(v) for v in values])

    if any(isinstance(item.number, str) for item in items):
        raise reading.problem(node, "a list of strings has no use in a formula")
    return Shape((len(items), *inner.dims)), run


def broadcast_list(reading: Reading, node: Node, items: tuple[Shape, ...]) -> Shape:
    """The common shape of elements of a list, which are not broadcast."""
    first = items[0]
    for child, item in zip(node.children[1:], items[1:], strict=True):
        if item.rank != first.rank or not all(map(reading.sizes.same, first.dims, item.dims)):
            raise reading.conflict(
                node, f"{reading.source(node.children[0])} is {reading.described(first)}, "
                f"{reading.source(child)} is {reading.described(item)}",
            )  # fmt: skip
    return first


def tupled(reading: Reading, node: Node, *items: Shape) -> WorkedOut:
    """``(a, b)``: an argument like ``axis=(0, 1)``."""
    if not all(isinstance(s.number, int) or n.kind in ("name", "binary") for n, s in _pairs(node, *items)):
        raise reading.problem(node, "a tuple in brackets is only an argument, as in ones((m, n))", "Write [a, b].")
    return Shape(parts=items), lambda *values: values


def joined(reading: Reading, node: Node, *items: Shape) -> WorkedOut:
    """The list in ``cat([a, b])``: its elements stay apart, they need not be of one size."""
    return Shape(parts=items), lambda *values: values


# ---------------------------------------------------------------------- conditions


def condition(reading: Reading, node: Node, value: Any) -> Any:
    """A value that must be a condition: a tensor of truths."""
    if isinstance(value, bool):
        return FUNCTIONS["tensor"](np.array(value))
    if isinstance(value, Tensor) and value.dtype == bool:
        return value
    step = "Write a comparison, as in x > 0. Bars of an absolute value touch what is between them: |x|."
    raise reading.problem(node, f"{reading.source(node)} is no condition", step)


def _connected(reading: Reading, node: Node, a: Shape, b: Shape) -> WorkedOut:
    fn, (x, y) = FUNCTIONS[INFIX[node.value]], node.children
    shape = broadcast(reading, node, _pairs(node, a, b))
    return shape, lambda u, v: fn(condition(reading, x, u), condition(reading, y, v))


# ---------------------------------------------------------------------- binary operators


def binary(reading: Reading, node: Node, a: Shape, b: Shape) -> WorkedOut:
    op = node.value
    plain = INFIX[op]
    if a.is_number and b.is_number:
        if plain not in _NUMBER_ARITHMETIC:
            raise reading.problem(node, f"'{op}' between two numbers")
        value = _folded(reading, node, plain, a.number, b.number)
        return Shape(number=value), lambda x, y: value
    if plain.startswith("logical_"):
        return _connected(reading, node, a, b)
    if any(map(is_no_number, node.children, (a, b))):
        raise reading.problem(node, f"'{plain if plain in _NUMBER_ARITHMETIC else op}' needs numbers or arrays")
    if op == "⊗" and reading.text.startswith("kron", node.at):
        return kron(reading, node, a, b)
    if op == "⊗":
        return tensor_product(reading, node, a, b)
    if op == "\\":
        return reading.fit(node, "ii,i -> i | ii,ij -> ij", _pairs(node, a, b)), linalg.solve
    if plain not in _NUMBER_ARITHMETIC:
        compare = FUNCTIONS[plain]
        return broadcast(reading, node, _pairs(node, a, b)), lambda x, y: compare(as_tensor(x), lift(y))
    if plain == "**":
        return power(reading, node, a, b)
    if op == "/" and reading.matrix and not reading.printed and b.rank == 2:
        left, right = reading.operand(node.children[0]), reading.argument(node.children[1])
        step = f"Write ./ entry by entry, or {left}*inv({right})."
        reading.unlike_square.append((node, b, f"a division by {SQUARE} may be read in two ways", step))
    if op == "/" and reading.paper and not reading.printed and b.row:
        right = reading.operand(node.children[1])
        raise reading.problem(
            node, f"{reading.source(node)}: a division by {right}, a row of entries",
            "Write brackets around what is divided by, (x'*A*x)/(x'*x).",
        )  # fmt: skip
    if op == "*" and a.dims and b.dims:
        reading.stars.append(node)
    if op in ("@", "juxt", "·") and not reading.matrix and ((a.dims and b.dims) or op == "@"):
        return matmul(reading, node, a, b)
    if op == "·" and reading.matrix and a.rank == b.rank == 1 and not (a.row or b.row):
        return _scalar_product(reading, node, a, b)
    if op in ("*", "@", "juxt", "·") and reading.matrix and a.dims and b.dims:
        return product(reading, node, a, b)
    return broadcast(reading, node, _pairs(node, a, b)), _ARITHMETIC[plain]


_ARITHMETIC: dict[str, Evaluate] = {
    "+": lambda x, y: lift(x) + lift(y),
    "-": lambda x, y: lift(x) - lift(y),
    "*": lambda x, y: exact_product(x, y),
    "/": lambda x, y: lift(x) / lift(y),
}


def _pairs(node: Node, *shapes: Shape) -> list[tuple[Node, Shape]]:
    return list(zip(node.children, shapes, strict=True))


def power(reading: Reading, node: Node, a: Shape, b: Shape) -> WorkedOut:
    """``a**b``, ``a.^b``, ``a^∘b`` entry by entry; ``a^b`` and ``a²`` of a square matrix are its products."""
    if node.value in ("^", "sup"):
        a = as_kronecker(reading, node.children[0], a)
        if a.rank == 1 and not a.at and reading.bold:
            return _power_of_vector(reading, node, b)
        if a.rank == 2 and b.rank < 2:
            return _matrix_power(reading, node, a, b)
        if b.rank == 2 and a.rank < 2:
            step = f"Write np.exp(X) entry by entry, {call_in(reading.text, 'matrix_exp', 'X')} for the matrix."
            reading.unlike_square.append((node, b, f"{SQUARE} as an exponent may be read in two ways", step))
    return broadcast(reading, node, _pairs(node, a, b)), _raised


def _power_of_vector(reading: Reading, node: Node, b: Shape) -> WorkedOut:
    """``𝐯²``, where vectors are bold: the product of the vector with itself."""
    if b.number != 2:
        step = r"Write \mathbf{v}^{\circ 3} for powers entry by entry."
        raise reading.problem(node, f"{reading.source(node)}: a power of a vector", step)
    reading.taken.add("the square of a bold vector as its product with itself")
    return Shape(), lambda x, _: x @ x


def bars_raised(nodes: list[Node]) -> frozenset[int]:
    """Where bars stand that are raised to what is no whole number, ``|Σ|^{1/2}``: nobody does so with a matrix, but in
    sums of its entries, ``sum(|X|^{1/2})``."""
    within = {id(n) for n in postorder(*[n for n in nodes if n.is_call(*OF_EACH)])}
    powers = [n.children for n in nodes if n.is_binary("^", "sup") and id(n) not in within]
    return frozenset(
        base.start for base, above in powers if base.value == ("||", ()) and not isinstance(above.value, int)
    )


TEXT_POWER = bound(32)
"""How often a matrix is multiplied with itself: X^32."""


def _matrix_power(reading: Reading, node: Node, a: Shape, b: Shape) -> WorkedOut:
    """``X^k``: the matrix times itself, or its inverse. Only -1 makes a matrix square that was not said to be, and what
    only square matrices have, as ``tr(X^3)``: on paper squares of residuals, too, are written (XW − Y)²."""
    source, k = reading.source(node), b.number
    step = "Write .^ (printed as ^∘) entry by entry"
    if not isinstance(k, int) or isinstance(k, bool) or not 0 < abs(k) <= TEXT_POWER:
        what = f"{source}: a matrix is raised to 1, 2, …, {TEXT_POWER}, or minus these"
        raise reading.problem(node, what, f"{step}.")
    if k != -1 and id(node) not in reading.square and not reading.sizes.agree(*a.dims):
        what = f"{source}: a power of {SQUARE} may be read in two ways"
        if reading.sizes.agree(*a.dims) is False:
            base = f"{reading.source(node.children[0])} is {reading.described(a)}"
            what = f"{source}: {base}, and only square matrices have powers"
        raise reading.problem(node, what, f"{step}, or declare the sizes of a square matrix.")
    reading.inverts = True
    shape = reading.fit(node, "ii -> ii", _pairs(node, a, b)[:1])
    return shape, lambda x, _: reduce(operator.matmul, [linalg.inv(x) if k < 0 else x] * abs(k))


OF_SQUARES = frozenset({"tr", "trace", "det", "logdet", "inv", "inverse", "matrix_exp", "expm"})
"""Functions that only square matrices have."""


def sums_within(node: Node) -> list[Node]:
    """The parts of a function's argument that are added or multiplied there, itself among them."""
    found = list(node.children[:1])
    for part in found:
        if part.kind == "unary" or part.is_binary("+", "-", "*", "@", "juxt", "·"):
            found += part.children
    return found


def numbers_listed(node: Node) -> set[str]:
    """The names in an array that is written out, ``[cos(t), a*t]``, but for those that a function takes whole."""
    found, names = list(node.children), set[str]()
    for part in found:
        signs = part.kind == "list" or (part.kind in ("unary", "binary") and part.value != "T")
        call = TABLE.get(part.value[0]) if part.kind == "call" else None
        if signs or (call is not None and call.kind == "elementwise"):
            found += part.children
        elif part.kind == "name":
            names.add(part.value)
    return names


def _raised(x: Any, y: Any) -> Any:
    if isinstance(y, Tensor) and isinstance(x, float) and x == math.e:
        return FUNCTIONS["exp"](y)
    if isinstance(y, Fraction) and y == Fraction(1, 2) and isinstance(x, Tensor):
        return FUNCTIONS["sqrt"](x)
    return lift(x) ** lift(y)


SQUARE = "a matrix that may be square"


def matmul(reading: Reading, node: Node, a: Shape, b: Shape) -> WorkedOut:
    """``a @ b`` as in NumPy: the last axis of ``a`` with the last but one of ``b``."""
    for child, shape in _pairs(node, a, b):
        if not shape.dims:
            raise reading.conflict(node, f"{reading.source(child)} is a number, and @ multiplies arrays; write *")
    _contract(reading, node, a, b)
    if a.rank <= 2 and b.rank <= 2:
        dims: tuple[int | UnknownSize, ...] = (*a.dims[:-1], *(b.dims[-1:] if b.rank > 1 else ()))
    else:
        lead = broadcast(reading, node, _pairs(node, Shape(a.dims[:-2]), Shape(b.dims[:-2]))).dims
        dims = (*lead, *(a.dims[-2:-1] if a.rank > 1 else ()), *(b.dims[-1:] if b.rank > 1 else ()))
    return Shape(dims), lambda x, y: x @ y


def _contract(reading: Reading, node: Node, a: Shape, b: Shape) -> None:
    x, y = node.children[:2]
    reading.require_same(node, (x, a, -1), (y, b, -2 if b.rank > 1 else 0))


def _scalar_product(reading: Reading, node: Node, a: Shape, b: Shape) -> WorkedOut:
    """``u·v`` of two vectors; the cross ``u × v`` is their product in space."""
    if reading.text[node.at] == "×" or reading.text.startswith(r"\times", node.at):
        step = "Write cross(u, v), or u v' for all products of two entries."
        raise reading.problem(node, f"{reading.source(node)} of vectors may be read in two ways", step)
    _contract(reading, node, a, b)
    return Shape(), lambda u, v: u @ v


def product(reading: Reading, node: Node, a: Shape, b: Shape) -> WorkedOut:
    """The product of matrix notation: inner, outer, matrix by vector, by what is a row and what is a column."""
    x, y = node.children
    a, b = as_kronecker(reading, x, a), as_kronecker(reading, y, b)
    if a.rank > 2 or b.rank > 2:
        raise reading.conflict(node, "matrix notation knows no arrays of more than two axes", x, y)
    if a.rank == 1 and not a.row and b.row:
        return Shape((*a.dims, *b.dims)), FUNCTIONS["outer"]
    fits = (a.row or a.rank == 2) and not (b.row and b.rank == 1)
    if not fits:
        what = f"{reading.source(node)}: {reading.said(x, a)}, {reading.said(y, b)}"
        left, right = reading.operand(x), reading.operand(y)
        step = (
            f"Write {left}'*{right} for the inner product, {left}.*{right} entry by entry; "
            "a variable that is a number is declared: x=()."
        )
        if a.rank + b.rank > 2 or a.row:
            step = "Transpose one of them with '."
        raise reading.problem(node, what, step)
    _contract(reading, node, a, b)
    dims = (*a.dims[:-1], *b.dims[1:])
    return Shape(dims, row=a.row and b.rank == 2), lambda u, v: u @ v


def tensor_product(reading: Reading, node: Node, a: Shape, b: Shape) -> WorkedOut:
    """``P ⊗ Q``: the axes of the rows of both, then those of the columns of both; a column has rows only."""
    if not (0 < a.rank <= 2 and 0 < b.rank <= 2):
        left, right = reading.described(a), reading.described(b)
        raise reading.conflict(node, f"{left} and {right}: ⊗ takes matrices and vectors")
    one, two = _sides(a, "ac"), _sides(b, "bd")
    spec = f"{''.join(one)},{''.join(two)}->{one[0] + two[0] + one[1] + two[1]}"
    return reading.fit(node, spec, _pairs(node, a, b)), _of_all_pairs(reading, node, partial(FUNCTIONS["einsum"], spec))


def _of_all_pairs(reading: Reading, node: Node, fn: Evaluate) -> Evaluate:
    """A function whose value has an entry for each two of its operands', unless these are too many."""

    def run(x: Any, y: Any) -> Any:
        reading.refuse_large(node, (x.numel(), y.numel()))
        return fn(x, y)

    return run


def paired(reading: Reading, node: Node, a: Shape, b: Shape) -> WorkedOut:
    """``vec(P) vec(Q)ᵀ`` in an array of four axes, as it is printed: each pair of axes is one, read row by row."""
    spec = "ab,cd->abcd"
    return reading.fit(node, spec, _pairs(node, a, b)), _of_all_pairs(reading, node, partial(FUNCTIONS["einsum"], spec))


def _sides(a: Shape, letters: str) -> tuple[str, str]:
    """The letters of the axes that are rows and of those that are columns."""
    if a.rank == 2:
        return letters[0], letters[1]
    return ("", letters[1]) if a.row else (letters[0], "")


def kron(reading: Reading, node: Node, a: Shape, b: Shape) -> WorkedOut:
    """``kron(P, Q)``: the matrix of all products of entries, as in NumPy."""
    if a.rank != b.rank or not 0 < a.rank <= 2:
        left, right = reading.described(a), reading.described(b)
        raise reading.conflict(node, f"{left} and {right}: a Kronecker product takes two matrices")
    shape = Shape(tuple(map(reading.sizes.times, a.dims, b.dims)))
    return shape, _of_all_pairs(reading, node, FUNCTIONS["kron"])


def as_kronecker(reading: Reading, node: Node, shape: Shape) -> Shape:
    """The shape of ``A ⊗ B`` in a product of matrices or under a transpose: there it is the Kronecker product."""
    if not node.is_binary("⊗") or shape.rank != 4:
        return shape
    shape, run = kron(reading, node, *(reading.shapes[id(child)] for child in node.children))
    reading.shapes[id(node)], reading.steps[id(node)] = shape, NodeStep(node, run, node.children)
    return shape


# ---------------------------------------------------------------------- unary operators


def unary(reading: Reading, node: Node, a: Shape) -> WorkedOut:
    """A sign before, a transpose behind."""
    op = node.value
    if is_no_number(node.children[0], a) and not (op == "~" and isinstance(a.number, bool)):
        raise reading.problem(node, f"'{op}' needs a number or an array")
    if op == "-":
        value = None if a.number is None else -a.number
        return Shape(a.dims, a.row, value), lambda x: -lift(x)
    if op == "+":
        return a, lambda x: x
    if op == "~":
        return Shape(a.dims, a.row), lambda x: FUNCTIONS["logical_not"](condition(reading, node.children[0], x))
    if op == "√":
        return _root(a)
    if op == "⁺":
        if a.rank > 1:
            what = f"{reading.source(node)} may be the pseudo-inverse, and the positive part of each entry"
            raise reading.problem(node, what, "Write pinv(…) for the former, max(…, 0) for the latter.")
        return Shape(a.dims, a.row), lambda x: FUNCTIONS["maximum"](as_numbers(x), as_tensor(0))
    if op == "K":
        if a.rank != 4:
            raise reading.problem(node, f"{reading.source(node.children[0])} has {a.rank} axes, and four are needed")
        return Shape((*a.dims[:2], a.dims[3], a.dims[2])), lambda x: FUNCTIONS["permute"](x, (0, 1, 3, 2))
    inner = node.children[0]
    a = as_kronecker(reading, inner, a)
    rate = inner.is_binary("+", "-") and inner.children[0].kind == "number"  # (1 + r)^T
    above = reading.text[node.at : node.at + 6].replace("{", "")
    if (rate or not a.dims) and above.startswith("^") and not above.startswith(r"^\top"):
        source = reading.argument(inner)
        what = f"T above {reading.source(inner)} may be an exponent or the transpose"
        raise reading.problem(node, what, f"Declare it, T=(), or write exp({op}*log({source})).")
    if op == "-T":
        return reading.fit(node, "ii -> ii", _pairs(node, a)), lambda x: linalg.inv(x).T
    if a.rank > 2:
        raise reading.conflict(node, f"{reading.source(inner)} has {a.rank} axes", *node.children)
    return transposed(reading, a)


def transposed(reading: Reading, a: Shape) -> WorkedOut:
    """The transpose of a matrix; a vector is its own, but in matrix notation a row."""
    row = reading.matrix and a.rank == 1 and not a.row
    return Shape(a.dims[::-1], row, a.number), (lambda x: x.T) if a.rank == 2 else (lambda x: x)


def _root(a: Shape) -> WorkedOut:
    value: Any = a.number
    if isinstance(value, int) and value >= 0:
        value = math.isqrt(value) if math.isqrt(value) ** 2 == value else math.sqrt(value)
        return Shape(number=value), lambda x: value
    return Shape(a.dims, a.row), lambda x: FUNCTIONS["sqrt"](as_numbers(x))


# ---------------------------------------------------------------------- what a sum over pairs leaves out

# The idea to hold: ``Σ_{i<j} F`` is the sum of ``1[i<j] F`` over both, and F may have a pole where they are equal.


def factors_seen(node: Node) -> list[Node]:
    """The factors of a product as it is written; a bracket is one."""
    found, stack = [], [node]
    while stack:
        part = stack.pop()
        if part.is_binary("/", "./", *PRODUCTS) and not part.bracketed:
            stack += part.children
        else:
            found.append(part)
    return found


def keep_apart(*roots: Node) -> None:
    """Let what a sum leaves out where two letters are equal, ``Σ 1[i<j]/|xᵢ − xⱼ|``, be computed one apart there: of a
    pole that is left out nothing remains, neither in the value nor in a derivative."""
    for node in postorder(*roots):
        for one, two in filter(None, map(unequal, factors_seen(node.children[0]) if node.kind == "Σ" else ())):
            found = dict[int, Node]()
            for part in postorder(node.children[0]):
                operand = _of_a_pole(part)
                if operand is not None and _vanishes(operand, one, two):
                    entries = [n for n in postorder(operand) if n.kind == "entry" and not any(n.shifts)]
                    found |= {id(n): n for n in entries if two in n.value}
            for n in found.values():
                within = Node("entry", n.value, n.children, n.start, n.end, n.at)
                n.kind, n.value, n.children = "apart", (one, two), (within,)


def guard_terms(*roots: Node) -> None:
    """Let the terms of a sum under a condition, ``Σᵢ 1[xᵢ > 0] log xᵢ``, be chosen and not multiplied, where what is
    left out may be infinite, or nothing."""
    for node in postorder(*roots):
        for factor in factors_seen(node.children[0]) if node.kind == "Σ" else ():
            if not factor.is_call("1[]") or unequal(factor):
                continue
            within = {id(n) for n in postorder(factor)}
            poles = [_of_a_pole(n) for n in postorder(node.children[0]) if id(n) not in within]
            if all(pole is None or pole.kind == "number" for pole in poles):
                continue
            (condition,), at = factor.children, (node.start, node.end)
            factor.kind, factor.value, factor.children = "number", 1, ()
            node.children = (
                Node("call", ("where", ()), (condition, node.children[0], Node("number", 0, (), *at)), *at),
            )
            break


def unequal(factor: Node) -> tuple[str, str] | None:
    """The letters of ``1[i < j]`` and of ``(1 − δᵢⱼ)``."""
    (inner,) = factor.children if len(factor.children) == 1 else (factor,)
    if factor.is_call("1[]") and inner.is_binary("<", ">"):
        names = [n.value[0] if n.kind == "place" else n.value for n in inner.children if n.kind in ("name", "place")]
        return (names[0], names[1]) if len(names) == 2 else None
    if factor.is_binary("-") and factor.children[1].kind == "entry":
        delta = factor.children[1]
        owner = delta.children[0]
        return delta.value if owner.is_call("δ[]") and len(delta.value) == 2 else None
    return None


_REGULAR_AT_0 = frozenset({
    "exp", "sin", "cos", "sinh", "cosh", "tanh", "atan", "arctan", "sigmoid", "erf", "abs", "||", "1[]", "δ[]", "sign",
    "max", "min", "maximum", "minimum", "relu", "softplus",
})  # fmt: skip


_POWERS = ("^", "**", ".^", "sup")


def _of_a_pole(node: Node) -> Node | None:
    """The operand of a part of a formula that may be infinite, or change without bound, where that is 0."""
    if node.is_binary(*_POWERS):
        exponent = node.children[1]
        entire = exponent.kind == "number" and isinstance(exponent.value, int) and exponent.value > 0
        return None if entire else node.children[0]
    pole = node.value in ("/", "./", "√") or (node.kind == "call" and node.value[0] not in _REGULAR_AT_0)
    return node.children[-1] if pole and node.children else None


def _vanishes(node: Node, one: str, two: str) -> bool:
    """Whether a part of a formula is 0 where two of its letters are equal, as differences and distances are."""
    below = [_vanishes(child, one, two) for child in node.children]
    if node.kind == "entry":
        return {one, two} <= set(node.value)
    if node.is_binary("-"):
        return all(below) or _with_letter(node.children[0], one, two) == _with_letter(node.children[1], one, two) != ""
    if node.is_binary("+"):
        return all(below)
    if node.is_binary(*PRODUCTS):
        return any(below)
    passes = node.kind in ("unary", "call") or node.value in (*_POWERS, "/", "√")
    return passes and bool(below) and below[0]


def _with_letter(node: Node, one: str, two: str) -> str:
    """What a part of a formula says, both letters as one; nothing if it has neither, or more than names and entries."""
    parts = list(postorder(node))
    if any(n.kind not in ("entry", "name", "call", "number") for n in parts) or not {one, two} & {
        x for n in parts if n.kind == "entry" for x in n.value
    }:
        return ""
    return " ".join(str(n.value).replace(repr(two), repr(one)) for n in parts)
