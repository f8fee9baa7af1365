"""Linear algebra in index notation: a solution is a product with an inverse, a Cholesky factor is a function."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ._ein import ein, row, shaped
from ._lift import every, lifts
from ._lift_products import matmul
from ._map import pow_
from ._node import Call, Ein, Expr

Args = Any


def inverse(a: Expr) -> Expr:
    """The inverse of a matrix (of each matrix)."""
    if a.kind == "call" and a.op.name == "inv":  # type: ignore[attr-defined]
        return a.args[0]  # type: ignore[attr-defined]
    if a.kind == "delta":
        return a
    if isinstance(a, Ein) and a.coef != 0 and not isinstance(a.coef, complex):
        scalars = [(f, s) for f, s in a.factors if not s]
        if a.coef != 1 or scalars:  # (c A)⁻¹ = A⁻¹/c
            whole, coef = every(a), 1 / a.coef if isinstance(a.coef, float) else 1 / Fraction(a.coef)
            bare = shaped(a.shape, 1, [(f, s) for f, s in a.factors if s])
            return ein(coef, [(inverse(bare), whole), *[(pow_(f, -1), s) for f, s in scalars]], whole)
    if a.kind == "ein" and a.rank == 2 and len(a.factors) == 1 and a.factors[0][1] == (1, 0):  # type: ignore[attr-defined]
        return ein(1, [(inverse(a.factors[0][0]), (1, 0))], (0, 1))  # type: ignore[attr-defined]
    if a.kind == "var" and "orthogonal" in a.properties:  # type: ignore[attr-defined]
        return ein(1, [(a, (1, 0))], (0, 1))
    return Call(row("inv"), (a,), (), a.shape)


@lifts("inv")
def _inv(args: Args, params: Any, shape: Any) -> Expr:
    return inverse(args[0])


@lifts("solve")
def _solve(args: Args, params: Any, shape: Any) -> Expr:
    return matmul([inverse(args[0]), args[1]], (), shape)


@lifts("solve_vector")
def _solve_vector(args: Args, params: Any, shape: Any) -> Expr:
    a, b = args
    if a.rank == 2 and b.rank == 1:
        return ein(1, [(inverse(a), (0, 1)), (b, (1,))], (0,))
    n = len(shape)
    spread = [(inverse(a), (*range(n - a.rank + 1, n - 1), n - 1, n)), (b, (*range(n - b.rank, n - 1), n))]
    return shaped(shape, 1, spread)


@lifts("solve_triangular")
def _solve_triangular(args: Args, params: Any, shape: Any) -> Expr | None:
    upper, left, unit = params
    a, b = args
    if a.rank != 2 or b.rank != 2 or unit or not is_triangular(a, upper):
        return None
    inv = inverse(a)
    return ein(1, [(inv, (0, 2)), (b, (2, 1))], (0, 1)) if left else ein(1, [(b, (0, 2)), (inv, (2, 1))], (0, 1))


def is_triangular(a: Expr, upper: bool) -> bool:
    """Whether a term is plainly triangular: a Cholesky factor, perhaps transposed."""
    if a.kind == "ein" and len(a.factors) == 1 and a.factors[0][1] == (1, 0):  # type: ignore[attr-defined]
        return is_triangular(a.factors[0][0], not upper)  # type: ignore[attr-defined]
    if a.kind == "call" and a.op.name == "linalg_cholesky":  # type: ignore[attr-defined]
        return bool(a.params[0]) == upper  # type: ignore[attr-defined]
    return a.kind == "delta"


@lifts("linalg_cholesky")
def _cholesky(args: Args, params: Any, shape: Any) -> Expr | None:
    if not params[0] or args[0].rank != 2:
        return None
    lower = Call(row("linalg_cholesky"), (args[0],), (False,), tuple(shape))
    return ein(1, [(lower, (0, 1))], (1, 0))


@lifts("cholesky_inverse")
def _cholesky_inverse(args: Args, params: Any, shape: Any) -> Expr | None:
    if args[0].rank != 2 or not is_triangular(args[0], bool(params[0])):
        return None
    return inverse(_gram(args[0], bool(params[0])))


def _gram(f: Expr, upper: bool) -> Expr:
    s, t = ((2, 0), (2, 1)) if upper else ((0, 2), (1, 2))
    return ein(1, [(f, s), (f, t)], (0, 1))


@lifts("cholesky_solve")
def _cholesky_solve(args: Args, params: Any, shape: Any) -> Expr | None:
    b, f = args
    if f.rank != 2 or b.rank != 2 or not is_triangular(f, bool(params[0])):
        return None
    return ein(1, [(inverse(_gram(f, bool(params[0]))), (0, 2)), (b, (2, 1))], (0, 1))


@lifts("cofactor")
def _cofactor(args: Args, params: Any, shape: Any) -> Expr | None:
    a = args[0]
    if a.rank != 2:
        return None
    return ein(1, [(Call(row("det"), (a,), (), ()), ()), (inverse(a), (1, 0))], (0, 1))
