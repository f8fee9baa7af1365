"""Element-wise rewrites written as text: ``log(1 + exp(x))`` is a pattern, every name in it a wildcard.

A pattern is read once into terms (scalars; its wildcards are symbols) and matched entry by entry: a wildcard binds any
operand together with the indices it is read at, so one rule serves scalars, vectors and broadcasting alike. Products
and sums match in any order, and a pattern may be part of a longer product or sum.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

from .. import _limits
from ._add import add, shaped_sum
from ._ein import constant_of, ein, number, row, shaped
from ._map import map_, pow_
from ._node import Add, Ein, Expr, Indices, Map, One, Var
from ._partials import instantiate

Operand = tuple[Expr, Indices]
Bindings = dict[str, Operand]


def read(text: str) -> Expr:
    """A pattern as a scalar term."""
    return _read(ast.parse(text, mode="eval").body)


def _read(tree: ast.expr) -> Expr:
    if isinstance(tree, ast.Name):
        return Var(tree.id)
    if isinstance(tree, ast.Constant):
        return number(tree.value)  # type: ignore[arg-type]
    if isinstance(tree, ast.UnaryOp):
        return ein(-1, [(_read(tree.operand), ())], ())
    if isinstance(tree, ast.Call):
        return map_(row(tree.func.id), [(_read(a), ()) for a in tree.args], (), ())  # type: ignore[attr-defined]
    assert isinstance(tree, ast.BinOp)
    a, b = _read(tree.left), _read(tree.right)
    if isinstance(tree.op, ast.Add):
        return add([(1, a, ()), (1, b, ())], ())
    if isinstance(tree.op, ast.Sub):
        return add([(1, a, ()), (-1, b, ())], ())
    if isinstance(tree.op, ast.Mult):
        return ein(1, [(a, ()), (b, ())], ())
    if isinstance(tree.op, ast.Div):
        return ein(1, [(a, ()), (pow_(b, -1), ())], ())
    exponent = constant_of(b)
    assert isinstance(tree.op, ast.Pow) and exponent is not None
    return pow_(a, exponent)


def rewrite(pattern: Expr, replacement: Expr, term: Expr) -> Expr | None:
    """``term`` with the pattern replaced at its root (or in part of its factors or terms); None if it does not fit."""
    every = tuple(range(term.rank))
    if isinstance(pattern, Ein) and pattern.factors and isinstance(term, Ein):
        return _in_product(pattern, replacement, term)
    if isinstance(pattern, Add) and isinstance(term, Add):
        return _in_sum(pattern, replacement, term)
    for bindings in _match(pattern, (term, every), {}):
        result, labels = instantiate(replacement, bindings, {})
        return shaped(term.shape, 1, [(result, labels)])
    return None


def _in_product(pattern: Ein, replacement: Expr, term: Ein) -> Expr | None:
    count = len(pattern.factors)
    if len(term.factors) < count:
        return None
    for places, bindings in _some([f for f, _ in pattern.factors], list(term.factors)):
        rest = [f for i, f in enumerate(term.factors) if i not in places]
        coef = term.coef if pattern.coef == 1 else term.coef / pattern.coef
        kept = [*rest, instantiate(replacement, bindings, {})]
        return shaped(term.shape, coef, [*kept, *lost(kept, term)])
    return None


def lost(kept: list[Operand], term: Ein) -> list[Operand]:
    """Ones for the summed indices of a product that what is kept of it no longer has: n equal terms add up."""
    there = {k for _, s in kept for k in s}
    return [(One(term.dims[k]), (k,)) for k in range(term.rank, len(term.dims)) if k not in there]


def _some(wanted: list[Expr], have: list[Operand]) -> Iterator[tuple[tuple[int, ...], Bindings]]:
    """Ways to match each wanted factor with one of those there, all read at the same indices."""
    first = [i for i, (f, _) in enumerate(have) if _may_match(wanted[0], f)]
    for i in first:
        for bindings in _match(wanted[0], have[i], {}):
            yield from _others(wanted[1:], have, (i,), bindings)


def _others(wanted: list[Expr], have: list[Operand], used: Any, bindings: Bindings) -> Iterator[Any]:
    if not wanted:
        yield used, bindings
        return
    for i, operand in enumerate(have):
        if i not in used and _may_match(wanted[0], operand[0]):
            for more in _match(wanted[0], operand, bindings):
                yield from _others(wanted[1:], have, (*used, i), more)


def _may_match(pattern: Expr, term: Expr) -> bool:
    if isinstance(pattern, Map):
        return isinstance(term, Map) and term.op is pattern.op
    return pattern.kind == "var" or pattern.kind == term.kind


def _in_sum(pattern: Add, replacement: Expr, term: Add) -> Expr | None:
    wanted = pattern.terms
    if len(term.terms) < len(wanted):
        return None
    for places in permutations(range(len(term.terms)), len(wanted)) if len(term.terms) <= _limits.PATTERN_TERMS else ():
        scale = _scale([term.terms[i][0] for i in places], [c for c, _, _ in wanted])
        if scale is None:
            continue
        operands = [term.terms[i][1:] for i in places]
        for bindings in _all([t for _, t, _ in wanted], operands, {}):
            rest = [t for i, t in enumerate(term.terms) if i not in places]
            result = instantiate(replacement, bindings, {})
            return shaped_sum(term.shape, [*rest, (scale, *result)])
    return None


def _scale(have: list[Any], wanted: list[Any]) -> Any:
    """The number by which the pattern's coefficients must be multiplied, if there is one."""
    ratio = have[0] if wanted[0] == 1 else have[0] / wanted[0]
    return ratio if all(h == ratio * w for h, w in zip(have, wanted, strict=True)) else None


def _all(wanted: list[Expr], have: list[Operand], bindings: Bindings) -> Iterator[Bindings]:
    if not wanted:
        yield bindings
        return
    for more in _match(wanted[0], have[0], bindings):
        yield from _all(wanted[1:], have[1:], more)


def _match(pattern: Expr, operand: Operand, bindings: Bindings) -> Iterator[Bindings]:
    term, labels = operand
    if isinstance(pattern, Var):
        bound = bindings.get(pattern.name)
        if bound is None:
            yield {**bindings, pattern.name: operand}
        elif bound[0] is term and bound[1] == labels:
            yield bindings
        return
    if isinstance(pattern, Ein):
        if not pattern.factors:
            if constant_of(term) == pattern.coef:
                yield bindings
        elif len(pattern.factors) == 1 and isinstance(pattern.factors[0][0], Var):  # -x, 2*x: x is what makes it so
            every = tuple(range(term.rank))
            inner = ein(Fraction(1) / pattern.coef, [(term, every)], every)
            yield from _match(pattern.factors[0][0], (inner, labels), bindings)
        elif isinstance(term, Ein) and len(term.factors) == len(pattern.factors) and term.coef == pattern.coef:
            parts = [(f, tuple([labels[i] for i in s])) for f, s in term.factors if max(s, default=-1) < term.rank]
            if len(parts) == len(term.factors):
                for chosen in permutations(parts):
                    yield from _all([f for f, _ in pattern.factors], list(chosen), bindings)
        return
    if isinstance(pattern, Add):
        if isinstance(term, Add) and len(term.terms) == len(pattern.terms):
            for order in permutations(term.terms):
                if [c for c, _, _ in order] == [c for c, _, _ in pattern.terms]:
                    summands: Any = [(t, tuple([labels[i] for i in s])) for _, t, s in order]
                    yield from _all([t for _, t, _ in pattern.terms], summands, bindings)
        return
    if isinstance(pattern, Map) and isinstance(term, Map) and term.op is pattern.op and term.params == pattern.params:
        args = [(a, tuple([labels[i] for i in s])) for a, s in term.args]
        yield from _all([a for a, _ in pattern.args], args, bindings)
