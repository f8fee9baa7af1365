"""Products in index notation: every matrix product is labels."""

from __future__ import annotations

from typing import Any

from ._ein import ein, shaped
from ._lift import apply, lifts, plus, squeezed
from ._node import Expr
from ._number import exact

Args = Any


def matmul(args: Args, params: Any, shape: Any) -> Expr:
    """The matrix product, broadcasting over batches."""
    a, b = args
    rank = len(shape)
    k = rank + 1
    batch = rank - (a.rank > 1) - (b.rank > 1)
    left = [*_batch(a, batch, rank), *([batch] if a.rank > 1 else []), k]
    right = [*_batch(b, batch, rank), k, *([rank - 1] if b.rank > 1 else [])]
    factors = []
    for x, labels in ((a, left), (b, right)):
        spare = [i for i in range(x.rank - 2) if x.shape[i] == 1 and shape[labels[i]] != 1]
        kept = tuple([label for i, label in enumerate(labels) if i not in spare])
        factors.append((squeezed(x, spare) if spare else x, kept))
    return shaped(shape, 1, factors)


def _batch(x: Expr, batch: int, rank: int) -> list[int]:
    extra = max(x.rank - 2, 0)
    return list(range(batch - extra, batch))


def _outer(args: Args, params: Any, shape: Any) -> Expr:
    a, b = args
    n = len(shape)
    return ein(1, [(a, (*range(n - 2), n - 2)), (b, (*range(b.rank - 1), n - 1))], tuple(range(n)))


@lifts("vdot")
def _vdot(args: Args, params: Any, shape: Any) -> Expr:
    a, b = args
    return ein(1, [(apply("conj", a.shape, a), (0,)), (b, (0,))], ())


@lifts("einsum", "einsum_pair", "einsum_sum", "einsum_permute", "einsum_spread")
def _einsum(args: Args, params: Any, shape: Any) -> Expr | None:
    equation = params[0]
    if not isinstance(equation, str) or "->" not in equation or "." in equation:
        return None
    inputs, out = equation.replace(" ", "").split("->")
    subscripts = inputs.split(",")
    names = {c: i for i, c in enumerate(dict.fromkeys(out + inputs.replace(",", "")))}
    if len(set(out)) != len(out) or len(subscripts) != len(args):
        return None
    sizes: dict[str, int] = {}
    for s, x in zip(subscripts, args, strict=True):
        if len(s) != x.rank:
            return None
        for c, n in zip(s, x.shape, strict=True):
            if sizes.setdefault(c, n) != n:
                return None
    factors = [(x, tuple([names[c] for c in s])) for s, x in zip(subscripts, args, strict=True)]
    return ein(1, factors, tuple([names[c] for c in out]), dict(enumerate(shape)))


def _combine(args: Args, params: Any, shape: Any, product: Any) -> Expr | None:
    beta, alpha = exact(params[0]), exact(params[1])
    if beta is None or alpha is None:
        return None
    return plus(shape, (beta, args[0]), (alpha, product))


@lifts("addmm", "addmv", "baddbmm")
def _addmm(args: Args, params: Any, shape: Any) -> Expr | None:
    return _combine(args, params, shape, matmul(args[1:], (), shape))


@lifts("addr")
def _addr(args: Args, params: Any, shape: Any) -> Expr | None:
    return _combine(args, params, shape, _outer(args[1:], (), shape))


@lifts("addbmm")
def _addbmm(args: Args, params: Any, shape: Any) -> Expr | None:
    a, b = args[1:]
    return _combine(args, params, shape, ein(1, [(a, (3, 0, 2)), (b, (3, 2, 1))], (0, 1)))
