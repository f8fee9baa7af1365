"""Products in index notation: every matrix product is labels."""

from __future__ import annotations

from typing import Any

from ._ein import shaped
from ._lift import LIFTS, Args, apply, lifts, plus, product
from ._node import Delta, Expr
from ._number import exact


def matmul(args: Args, shape: Any) -> Expr:
    """The matrix product, broadcasting over batches."""
    a, b = args
    left, i = ("...ij", "i") if a.rank > 1 else ("j", "")
    right, k = ("...jk", "k") if b.rank > 1 else ("j", "")
    return product(f"{left},{right}->...{i}{k}", args, shape)


@lifts("vdot")
def _vdot(args: Args, params: Any, shape: Any) -> Expr:
    a, b = args
    return product("i,i->", [apply("conj", a.shape, a), b], shape)


@lifts("einsum_spread")
def _einsum_spread(args: Args, params: Any, shape: Any) -> Expr | None:
    """The transpose of what the equation says: read backward, equal letters are an identity between them."""
    letters, kept = params[0].replace(" ", "").split("->")
    if len(letters) != len(shape) or len(kept) != args[0].rank:
        return None
    deltas = [(Delta(shape[k]), (letters.index(c), k)) for k, c in enumerate(letters) if letters.index(c) != k]
    return shaped(shape, 1, [(args[0], tuple([letters.index(c) for c in kept])), *deltas])


@lifts("einsum", "einsum_pair", "einsum_sum", "einsum_permute")
def _einsum(args: Args, params: Any, shape: Any) -> Expr | None:
    equation = params[0]
    if not isinstance(equation, str) or "->" not in equation or "." in equation:
        return None
    equation = equation.replace(" ", "")
    inputs, out = equation.split("->")
    subscripts = inputs.split(",")
    if len(set(out)) != len(out) or [len(s) for s in subscripts] != [x.rank for x in args]:
        return None
    sizes: dict[str, int] = {}
    for s, x in zip(subscripts, args, strict=True):
        if any(sizes.setdefault(c, n) != n for c, n in zip(s, x.shape, strict=True)):
            return None
    return product(equation, args, shape)


def _added(equation: str) -> Any:
    def lift_added(args: Args, params: Any, shape: Any) -> Expr | None:
        beta, alpha = exact(params[0]), exact(params[1])
        if beta is None or alpha is None:
            return None
        return plus(shape, (beta, args[0]), (alpha, product(equation, args[1:], shape)))

    return lift_added


LIFTS["addmm"], LIFTS["addmv"], LIFTS["addr"] = _added("ij,jk->ik"), _added("ij,j->i"), _added("i,j->ij")
LIFTS["baddbmm"], LIFTS["addbmm"] = _added("zij,zjk->zik"), _added("zij,zjk->ik")
