"""Exponentials that differ by a factor are one: S φ(d₁) = K e⁻ʳᵀ φ(d₂), since d₁² − d₂² is twice log(S/K) + rT.

The idea to hold: what is exponential in a term (eᵘ, and φ(u), which is e to −u²/2) has one exponent. Where two
exponents differ by a sum of logarithms, the terms differ by powers of what these are of.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

from .. import _limits
from ._add import add, shaped_sum
from ._ein import base_and_exponent, ein, row, shaped
from ._map import map_, pow_
from ._node import Add, Ein, Expr, Indices, Map
from ._rational import functions_of

Factor = tuple[Expr, Indices]


_ROOT = math.sqrt(2 * math.pi)


def density(term: Ein) -> Expr | None:
    """exp(−u²/2)/√(2π) is φ(u)."""
    found = _as_density(term.coef, list(term.factors))
    return None if found is None else shaped(term.shape, *found)


def densities(term: Add) -> Expr | None:
    """A sum in whose terms exp(−u²/2)/√(2π) is φ(u)."""
    terms: list[Any] = []
    for c, t, s in term.terms:
        coef, factors = (c * t.coef, list(t.factors)) if isinstance(t, Ein) else (c, [(t, tuple(range(t.rank)))])
        found = _as_density(coef, factors)
        terms.append((c, t, s) if found is None else (found[0], shaped(t.shape, 1, found[1]), s))
    return None if terms == list(term.terms) else shaped_sum(term.shape, terms)


def _as_density(coef: Any, factors: list[Factor]) -> tuple[Fraction, list[Factor]] | None:
    if not isinstance(coef, float):
        return None
    times = Fraction(coef * _ROOT).limit_denominator(_limits.DENSITY)
    if not times or abs(times / _ROOT - coef) > 4 * math.ulp(coef):
        return None
    for place, (f, s) in enumerate(factors):
        u = _deviation(f.args[0][0]) if isinstance(f, Map) and f.op.name == "exp" else None
        if u is not None:
            normal = map_(row("normal_pdf"), [(u, f.args[0][1])], (), tuple(range(f.rank)))  # type: ignore[attr-defined]
            return times, [*factors[:place], *factors[place + 1 :], (normal, s)]
    return None


def _deviation(exponent: Expr) -> Expr | None:
    """u of −u²/2."""
    if not isinstance(exponent, Ein) or exponent.coef != Fraction(-1, 2) or len(exponent.dims) > exponent.rank:
        return None
    bases = [(*base_and_exponent(f), s) for f, s in exponent.factors]
    if any(not isinstance(e, int) or e % 2 for _, e, _ in bases):
        return None
    return shaped(exponent.shape, 1, [(pow_(base, e // 2), s) for base, e, s in bases])


class _Row(NamedTuple):
    """A term of a sum: a number, what is exponential in it, its exponent, how many densities, and the rest."""

    coef: Any
    exponentials: list[Factor]
    exponent: Expr
    densities: int
    rest: list[Factor]


def one_exponential(term: Add) -> Expr | None:
    """A sum whose terms have exponentials that differ by powers, with one of them; None if it is no shorter."""
    if len(term.terms) > _limits.CANCELLED or term.weight > _limits.EXPONENTIALS:
        return None
    rows = [_row(c, t, s, term) for c, t, s in term.terms]
    best = None
    for kept in rows:
        if kept is None:
            continue
        result = _with(kept, rows, term)
        if result is not None and result.weight < (best or term).weight:
            best = result
    return best


def _row(c: Any, t: Expr, s: Indices, like: Add) -> _Row | None:
    """A term taken apart; None if nothing in it is exponential."""
    factors: Any = t.factors if isinstance(t, Ein) else [(t, tuple(range(t.rank)))]
    if isinstance(t, Ein) and len(t.dims) > t.rank:
        return None
    labelled = [(f, tuple([s[k] for k in labels])) for f, labels in factors]
    there = [x for x in labelled if isinstance(x[0], Map) and x[0].op.name in ("exp", "normal_pdf")]
    if not there:
        return None
    every, dims = tuple(range(like.rank)), dict(enumerate(like.shape))
    parts = []
    for f, labels in there:
        u, k = f.args[0]
        at = tuple([labels[i] for i in k])
        is_density = f.op.name == "normal_pdf"
        parts.append((Fraction(-1, 2), pow_(u, 2), at) if is_density else (1, u, at))
    coef = c * (t.coef if isinstance(t, Ein) else 1)
    densities = sum([f.op.name == "normal_pdf" for f, _ in there])
    return _Row(coef, there, add(parts, every, dims), densities, [x for x in labelled if x not in there])


def _with(kept: _Row, rows: list[_Row | None], term: Add) -> Expr | None:
    """The sum with the exponentials of one term in all terms where that is possible."""
    every = tuple(range(term.rank))
    out, changed = [], False
    for r, (c, t, s) in zip(rows, term.terms, strict=True):
        powers = None
        if r is not None and r.exponentials != kept.exponentials and r.densities == kept.densities:
            powers = _apart(r.exponent, kept.exponent, term)
        if r is None or powers is None:
            out.append((c, t, s))
        else:
            changed = True
            out.append((1, shaped(term.shape, r.coef, [*r.rest, *kept.exponentials, *powers]), every))
    return shaped_sum(term.shape, out) if changed else None


def _apart(one: Expr, other: Expr, like: Add) -> list[Factor] | None:
    """The powers that e to the difference of two exponents is."""
    every = tuple(range(like.rank))
    difference = shaped_sum(like.shape, [(1, one, every), (-1, other, every)])
    for form in functions_of(difference):
        terms = form.terms if isinstance(form, Add) else [(1, form, every)]
        powers = [_of_logarithm(c, t, s) for c, t, s in terms]
        if all(p is not None for p in powers):
            return powers  # type: ignore[return-value]
    return None


def _of_logarithm(c: Any, t: Expr, s: Indices) -> Factor | None:
    """uᶜ for c log u."""
    if isinstance(t, Ein) and len(t.factors) == 1 and len(t.dims) == t.rank:
        f, labels = t.factors[0]
        c, t, s = c * t.coef, f, tuple([s[k] for k in labels])
    if not isinstance(t, Map) or t.op.name != "log" or isinstance(c, (float, complex)):
        return None
    u, k = t.args[0]
    inner = u if k == tuple(range(u.rank)) else ein(1, [(u, k)], tuple(range(t.rank)))
    return pow_(inner, c), s
