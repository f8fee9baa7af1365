"""Products in the cheapest order: what is one product of many factors becomes products of two.

The idea to hold: a linear operation is run, never multiplied out, as soon as one named array holds all the indices on
one of its sides; an identity with two open indices is set in at the end; what is left is contracted in the order that
opt_einsum finds. Every intermediate result is a definition, so equal ones are computed once.
"""

from __future__ import annotations

from typing import Any

from .. import _limits
from ..terms import Ein, Expr, ein, evaluate, matrix_of_linear
from ._linear import operation
from ._survey import Unprogrammable
from ._terms import Factor, entries, sizes


def binary(builder: Any, term: Ein) -> Expr:
    """A product whose factors are at most two names, the rest of the work being in earlier definitions."""
    coef, factors, out = term.coef, list(term.factors), tuple(range(term.rank))
    dims = dict(enumerate(term.dims))
    ones = [(f, s) for f, s in factors if f.kind == "one"]
    deltas = [(f, s) for f, s in factors if f.kind == "delta"]
    rest = [(f, s) for f, s in factors if f.kind not in ("one", "delta")]
    if not deltas and len(rest) <= 2 and all(f.kind != "lin" for f, _ in rest):
        return term
    rest = _run_linear(builder, rest, out, dims)
    if deltas:
        inside = tuple(sorted({k for _, s in rest for k in s if k in out}))
        core = _contracted(builder, rest, inside, dims)
        return ein(coef, [(core, inside), *deltas, *ones], out, dims)
    if len(rest) > 2:
        rest = _paired(builder, rest, out, dims)
    return ein(coef, [*rest, *ones], out, dims)


def _contracted(builder: Any, factors: list[Factor], out: tuple[int, ...], dims: dict[int, int]) -> Expr:
    """The name of a product of factors."""
    if len(factors) == 1 and factors[0][1] == out:
        return factors[0][0]
    sizes = {k: dims[k] for k in out}
    atom: Expr = builder.whole(ein(1, factors, out, sizes))
    return atom


def _run_linear(builder: Any, factors: list[Factor], out: tuple[int, ...], dims: dict[int, int]) -> list[Factor]:
    """Replace linear operations by their results."""
    factors = _summed_first(builder, factors, out, dims)
    while True:
        place = next((i for i, (f, _) in enumerate(factors) if f.kind == "lin" and _side(factors, i, out)), None)
        if place is None:
            place = next((i for i, (f, _) in enumerate(factors) if f.kind == "lin"), None)
            if place is None or (len(factors) == 1):
                return factors
            factors = _formed(builder, factors, place, _limits.LINEAR_FORMED)
            continue
        side = _side(factors, place, out)
        assert side is not None
        if len(factors) == 2 and _is_one_run(factors[place], side, factors[1 - place], out):
            return factors  # this is as short as it gets
        if _is_quicker_multiplied(factors, place, side, out, dims):
            factors = _formed(builder, factors, place, _limits.LINEAR_MULTIPLIED)
            continue
        factors = _applied(builder, factors, place, side, out, dims)


def _formed(builder: Any, factors: list[Factor], place: int, most: int) -> list[Factor]:
    """Factors with one linear operation written out as a matrix."""
    lin, labels = factors[place]
    if entries(lin.shape) > most:
        raise Unprogrammable(f"{operation(lin)} would be written out as a matrix of {entries(lin.shape):,} entries")
    return [*factors[:place], (builder.constant(matrix_of_linear(lin)), labels), *factors[place + 1 :]]


def _is_quicker_multiplied(
    factors: list[Factor], place: int, side: tuple[int, ...], out: tuple[int, ...], dims: dict[int, int]
) -> bool:
    """Whether an operation would be run on a product of arrays so large that matrix products with its own array take
    less time."""
    lin, labels = factors[place]
    if entries(lin.shape) > _limits.LINEAR_MULTIPLIED:
        return False
    users = [f for k, f in enumerate(factors) if k != place and set(f[1]) & set(side)]
    if len(users) < 2:
        return False
    rest = [s for k, (f, s) in enumerate(factors) if k != place and not set(s) & set(side)]
    outside = {k for s in rest for k in s} | set(out)
    lead = {k for _, s in users for k in s if k in outside}
    run = entries(dims[k] for k in lead | set(side))
    if run <= entries(lin.shape):
        return False
    result = tuple(sorted(lead | (set(labels) - set(side))))
    return _flops([factors[place], *users], result) < _limits.MATRIX_FLOP * run


def _summed_first(builder: Any, factors: list[Factor], out: tuple[int, ...], dims: dict[int, int]) -> list[Factor]:
    """Factors without the indices that no linear operation has, where summing over one makes no array larger."""
    held = {k for f, s in factors if f.kind == "lin" for k in s} | set(out)
    if len(held) == len(out):
        return factors
    for k in sorted({k for _, s in factors for k in s} - held):
        mine = [(f, s) for f, s in factors if k in s]
        left = tuple(sorted({j for _, s in mine for j in s} - {k}))
        if mine and entries(dims[j] for j in left) <= max(entries(f.shape) for f, _ in mine):
            found = _contracted(builder, mine, left, dims)
            factors = [*[(f, s) for f, s in factors if k not in s], (found, left)]
    return factors


def _is_one_run(operation: Factor, side: tuple[int, ...], array: Factor, out: tuple[int, ...]) -> bool:
    """Whether a linear operation runs on one array, each index of the result once."""
    (_, labels), (f, s) = operation, array
    rest = set(s) - set(side)
    twice = len(set(labels)) < len(labels) or len(set(s)) < len(s)
    return f.kind != "lin" and not twice and rest | set(labels) - set(side) <= set(out) and not rest & set(labels)


def _side(factors: list[Factor], place: int, out: tuple[int, ...]) -> tuple[int, ...] | None:
    """The indices of a linear operation that are all summed over and held by arrays: its operand's, or its result's."""
    lin, labels = factors[place]
    n = lin.out_rank  # type: ignore[attr-defined]
    empty = None
    for side, other in ((labels[n:], labels[:n]), (labels[:n], labels[n:])):
        if set(side) & set(out) or len(set(side)) < len(side) or set(side) & set(other):
            continue
        users = [i for i, (f, s) in enumerate(factors) if i != place and set(s) & set(side)]
        if any(factors[i][0].kind == "lin" for i in users):
            continue
        if users:
            return side
        empty = side
    return empty


def _applied(
    builder: Any, factors: list[Factor], place: int, side: tuple[int, ...], out: tuple[int, ...], dims: dict[int, int]
) -> list[Factor]:
    """One linear operation run on the product of the arrays that hold the indices of its ``side``."""
    lin, labels = factors[place]
    users = [i for i, (_, s) in enumerate(factors) if i != place and set(s) & set(side)]
    inner = [factors[i] for i in users]
    kept = [factors[i] for i in range(len(factors)) if i != place and i not in users]
    other = tuple(k for k in labels if k not in side)
    outside = {k for _, s in kept for k in s} | set(out)
    if set(other) & {k for _, s in inner for k in s}:  # an index on both sides of the operation: keep it apart
        if entries(lin.shape) <= _limits.LINEAR_APPLIED:
            return _formed(builder, factors, place, _limits.LINEAR_APPLIED)
        raise Unprogrammable(f"{operation(lin)} would be applied to another array for each entry of its result")
    lead = tuple(sorted({k for _, s in inner for k in s if k not in side and k in outside}))
    operand = _contracted(builder, inner, (*lead, *side), dims) if inner else None
    if operand is None:  # nobody else holds these indices: the operation's own sums
        own = tuple(dict.fromkeys(other))
        value = evaluate(ein(1, [(lin, labels)], own, {k: dims[k] for k in own}), {})
        return [*kept, (builder.constant(value), own)]
    parts = [(lin, labels), (operand, (*lead, *side))]
    if len(set(other)) < len(other):  # the diagonal of a result: read at the same index twice, but made at two
        fresh = tuple(range(max(dims) + 1, max(dims) + 1 + len(other)))
        dims.update(zip(fresh, [dims[k] for k in other], strict=True))
        n = lin.out_rank  # type: ignore[attr-defined]
        turned = (*fresh, *labels[n:]) if side == labels[n:] else (*labels[:n], *fresh)
        parts[0] = (lin, turned)
    else:
        fresh = other
    result = builder.atom(ein(1, parts, (*lead, *fresh), {k: dims[k] for k in (*lead, *fresh)}))
    return [*kept, (result, (*lead, *other))]


def _paired(builder: Any, factors: list[Factor], out: tuple[int, ...], dims: dict[int, int]) -> list[Factor]:
    """At most two factors, the others multiplied into definitions of their own."""
    for left in _path(factors, out):
        if len(factors) <= 2:
            break
        pair = [factors[i] for i in left]
        rest = [f for i, f in enumerate(factors) if i not in left]
        outside = {k for _, s in rest for k in s} | set(out)
        labels = tuple(sorted({k for _, s in pair for k in s if k in outside}))
        if len(pair) == 1:
            continue
        merged = builder.atom(ein(1, pair, labels, {k: dims[k] for k in labels}))
        factors = [*rest, (merged, labels)]
    return factors


def _path(factors: list[Factor], out: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The order of pairwise products, as opt_einsum gives it; numbers are multiplied from left to right."""
    if not any(s for _, s in factors):
        return [(0, 1)] * (len(factors) - 1)
    return list(_order(factors, out)[0])


def _flops(factors: list[Factor], out: tuple[int, ...]) -> float:
    """The floating-point operations of a product in its best order."""
    return float(_order(factors, out)[1].opt_cost)


def _order(factors: list[Factor], out: tuple[int, ...]) -> Any:
    """What opt_einsum says of a product: the order, and what it takes."""
    import opt_einsum

    letters: dict[int, str] = {}
    for _, s in factors:
        for k in s:
            letters.setdefault(k, opt_einsum.get_symbol(len(letters)))
    inputs = ",".join(["".join([letters[k] for k in s]) for _, s in factors])
    result = "".join([letters[k] for k in out if k in letters])
    shapes = [sizes(f.shape) for f, _ in factors]
    method = "dp" if len(factors) <= _limits.EXACT_ORDER else "greedy"
    return opt_einsum.contract_path(f"{inputs}->{result}", *shapes, shapes=True, optimize=method)
