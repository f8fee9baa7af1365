"""Linear algebra in index notation: a solution is a product with an inverse, a Cholesky factor is a function."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ._ein import ein, row, shaped
from ._lift import Args, every, lifts, product
from ._lift_products import matmul
from ._map import pow_
from ._node import Call, Delta, Ein, Expr, Var


def inverse(a: Expr) -> Expr:
    if isinstance(a, Call) and a.op.name == "inv":
        return a.args[0]
    if isinstance(a, Delta):
        return a
    if isinstance(a, Ein) and a.coef != 0 and not isinstance(a.coef, complex):
        scalars = [(f, s) for f, s in a.factors if not s]
        if a.coef != 1 or scalars:  # (c A)⁻¹ = A⁻¹/c
            whole, coef = every(a), 1 / a.coef if isinstance(a.coef, float) else 1 / Fraction(a.coef)
            bare = shaped(a.shape, 1, [(f, s) for f, s in a.factors if s])
            return ein(coef, [(inverse(bare), whole), *[(pow_(f, -1), s) for f, s in scalars]], whole)
    if isinstance(a, Ein) and a.rank == 2 and len(a.factors) == 1 and a.factors[0][1] == (1, 0):
        return ein(1, [(inverse(a.factors[0][0]), (1, 0))], (0, 1))
    if isinstance(a, Var) and "orthogonal" in a.properties:
        return ein(1, [(a, (1, 0))], (0, 1))
    return Call(row("inv"), (a,), (), a.shape)


@lifts("inv")
def _inv(args: Args, params: Any, shape: Any) -> Expr:
    return inverse(args[0])


@lifts("solve")
def _solve(args: Args, params: Any, shape: Any) -> Expr:
    return matmul([inverse(args[0]), args[1]], shape)


@lifts("solve_vector")
def _solve_vector(args: Args, params: Any, shape: Any) -> Expr:
    return product("...ij,...j->...i", [inverse(args[0]), args[1]], shape)


@lifts("solve_triangular")
def _solve_triangular(args: Args, params: Any, shape: Any) -> Expr | None:
    upper, left, unit = params
    a, b = args
    if a.rank != 2 or b.rank != 2 or unit or not is_triangular(a, upper):
        return None
    return matmul([inverse(a), b] if left else [b, inverse(a)], shape)


def is_triangular(a: Expr, upper: bool) -> bool:
    """Whether a term is plainly triangular: a Cholesky factor, perhaps transposed."""
    if isinstance(a, Ein) and len(a.factors) == 1 and a.factors[0][1] == (1, 0):
        return is_triangular(a.factors[0][0], not upper)
    if isinstance(a, Call) and a.op.name == "linalg_cholesky":
        return bool(a.params[0]) == upper
    return isinstance(a, Delta)


@lifts("linalg_cholesky")
def _cholesky(args: Args, params: Any, shape: Any) -> Expr | None:
    if not params[0] or args[0].rank != 2:
        return None
    return product("ij->ji", [Call(row("linalg_cholesky"), (args[0],), (False,), tuple(shape))], shape)


@lifts("cholesky_inverse")
def _cholesky_inverse(args: Args, params: Any, shape: Any) -> Expr | None:
    if args[0].rank != 2 or not is_triangular(args[0], bool(params[0])):
        return None
    return inverse(product("ki,kj->ij" if params[0] else "ik,jk->ij", [args[0], args[0]], shape))


@lifts("cholesky_solve")
def _cholesky_solve(args: Args, params: Any, shape: Any) -> Expr | None:
    b, f = args
    inv = _cholesky_inverse([f], params, f.shape) if b.rank == 2 else None
    return None if inv is None else matmul([inv, b], shape)


@lifts("cofactor")
def _cofactor(args: Args, params: Any, shape: Any) -> Expr | None:
    a = args[0]
    if a.rank != 2:
        return None
    return product(",ji->ij", [Call(row("det"), (a,), (), ()), inverse(a)], shape)
