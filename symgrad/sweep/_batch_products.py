"""Products and matrices of a batch: matmul and its kin, einsum, linear algebra.

The idea to hold: a product of examples is one product with a batch in front, and where only one operand has the batch
it is the batch of an ordinary matrix product: no data are repeated.
"""

from __future__ import annotations

from typing import Any

from ..core import LETTERS, TABLE
from ..ops._public import FUNCTIONS
from ._batch_rules import (
    BATCH,
    FULL,
    Batched,
    Unbatchable,
    as_tensor,
    example_shape,
    fronted,
    one_by_one,
    rank_of,
    row,
    rule,
    spread,
)


def _matmul(a: Any, b: Any) -> Any:
    return FUNCTIONS["matmul"](a, b)


def _at_end(t: Any) -> Any:
    return row("getitem", t, (..., None))


def _before_last(t: Any) -> Any:
    return row("getitem", t, (..., None, FULL))


@rule(
    "mm", "mv", "vm", "dot", "bmm", "matmul_folded", "matmul_batched", "matmul_batched_vector"
)  # fmt: skip
def product(run: Any, args: list[Any], params: Any = ()) -> Any:
    """The matrix product of examples of any number of dimensions."""
    a, b = args
    na, nb = rank_of(a), rank_of(b)
    first, second = type(a) is Batched, type(b) is Batched
    if first and second:
        if na == nb == 1:
            return row("einsum_pair", a.tensor, b.tensor, "zi,zi->z")
    elif first and nb <= 2:
        return _matmul(a.tensor, as_tensor(b))
    elif second and na <= 2 and nb == 1:
        return _matmul(b.tensor, as_tensor(a).t() if na == 2 else as_tensor(a))
    elif second and na == 1 and nb == 2:
        return _matmul(as_tensor(a), b.tensor)
    rank = max(na, nb, 2)
    left = a.tensor if first else as_tensor(a)
    right = b.tensor if second else as_tensor(b)
    left = _before_last(left) if na == 1 else left
    right = _at_end(right) if nb == 1 else right
    left = fronted(Batched(left), rank) if first else left
    right = fronted(Batched(right), rank) if second else right
    out = _matmul(left, right)
    if na == 1:
        out = row("getitem", out, (..., 0, FULL))
    return row("getitem", out, (..., 0)) if nb == 1 else out


@rule("vdot")
def _conjugated(run: Any, args: list[Any], params: Any) -> Any:
    a, b = args
    turned = Batched(row("conj", a.tensor)) if type(a) is Batched else row("conj", as_tensor(a))
    return product(run, [turned, b])


@rule("outer", "outer_batched")
def _outer(run: Any, args: list[Any], params: Any) -> Any:
    a, b = args
    column = _at_end(a.tensor if type(a) is Batched else as_tensor(a))
    return row("mul", column, fronted(b, rank_of(a) + 1))


@rule("addmm", "addmv", "baddbmm")
def _added(run: Any, args: list[Any], params: Any) -> Any:
    (c, a, b), (beta, alpha) = args, params
    made = product(run, [a, b]) if type(a) is Batched or type(b) is Batched else _matmul(as_tensor(a), as_tensor(b))
    y = Batched(made) if type(a) is Batched or type(b) is Batched else made
    return _plus(y, c, alpha, beta, run)


def _plus(y: Any, c: Any, alpha: Any, beta: Any, run: Any) -> Any:
    rank = rank_of(y)
    made = fronted(y, rank) if type(y) is Batched else y
    made = made if type(alpha) is int and alpha == 1 else row("mul", made, alpha)
    if type(beta) is int and beta == 0:
        return spread(Batched(made) if type(y) is Batched else made, run.size)
    more = fronted(c, rank)
    more = more if type(beta) is int and beta == 1 else row("mul", more, beta)
    return row("add", made, more)


# ------------------------------------------------------------------------------------------------------- einsum


def _with_letter(equation: str, batched: list[bool]) -> str:
    """The equation with a letter for the batch in front of the operands that have one, and of the result."""
    inputs, out = equation.split("->")
    letter = next((c for c in LETTERS if c not in equation), None)
    if letter is None or "." in equation:
        raise Unbatchable(f"the einsum {equation!r} leaves no letter for the batch")
    terms = [letter + term if b else term for term, b in zip(inputs.split(","), batched, strict=True)]
    return f"{','.join(terms)}->{letter}{out}"


@rule("einsum_pair", "einsum_sum", "einsum_permute", "einsum_spread", "einsum")
def _einsum(run: Any, args: list[Any], params: Any) -> Any:
    equation = _with_letter(params[0], [type(a) is Batched for a in args])
    operands = [a.tensor if type(a) is Batched else a for a in args]
    if run.name == "einsum":
        return row("einsum", operands, equation)
    sizes = [(run.size, *size) for size in params[1:]]
    return row(run.name, *operands, equation, *sizes)


def product_by_letters(run: Any, args: list[Any], op: Any) -> Any:
    """A product of the table, as its equation says: its own row where ``...`` can hold the batch, else `einsum`."""
    terms, result = op.labels([rank_of(a) for a in args])
    open_ = ["..." in term for term in op.equation.partition("->")[0].split(",")]
    if all(o for a, o in zip(args, open_, strict=True) if type(a) is Batched):
        before = sum([type(label) is int for label in result])
        ranks = [before + sum([type(label) is str for label in term]) for term in terms]
        return op.apply(*map(fronted, args, ranks))
    sizes = [axis for a, term in zip(args, terms, strict=True) for axis in zip(term, example_shape(a), strict=True)]
    if len(set(sizes)) != len(dict(sizes)):  # they broadcast
        return NotImplemented
    named = dict(zip(dict(sizes), LETTERS, strict=False))
    inputs, out = ["".join([named[k] for k in term]) for term in terms], "".join([named[k] for k in result])
    equation = _with_letter(f"{','.join(inputs)}->{out}", [type(a) is Batched for a in args])
    return FUNCTIONS["einsum"](equation, *[a.tensor if type(a) is Batched else as_tensor(a) for a in args])


# ------------------------------------------------------------------------------------------------ linear algebra


@rule("solve_vector")
def _of_vector(run: Any, args: list[Any], params: Any) -> Any:
    a, b = args
    rank = max(rank_of(a), rank_of(b) + 1)
    column = _at_end(spread(b, run.size))
    system = spread(a, run.size, rank)
    return row("getitem", row("solve", system, fronted(Batched(column), rank)), (..., 0))


@rule("pinv")
def _pinv(run: Any, args: list[Any], params: Any) -> Any:
    number = isinstance(params[0], (int, float)) or params[0] is None
    return NotImplemented if number else one_by_one(run, args, params, TABLE["pinv"])


__all__ = ["BATCH", "product"]
