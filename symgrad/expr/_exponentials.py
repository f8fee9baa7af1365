"""Exponentials that differ by a factor are one: S φ(d₁) = K e⁻ʳᵀ φ(d₂), since d₁² − d₂² is twice log(S/K) + rT.

The idea to hold: what is exponential in a term (eᵘ, and φ(u), which is e to −u²/2) has one exponent. Where two
exponents differ by a sum of logarithms, the terms differ by powers of what these are of.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from .. import _limits
from ._add import add, shaped_sum
from ._ein import ein, shaped
from ._map import pow_
from ._node import Add, Ein, Expr, Indices, Map
from ._rational import functions_of

Factor = tuple[Expr, Indices]


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
    for row, (c, t, s) in zip(rows, term.terms, strict=True):
        powers = None
        if row is not None and row.exponentials != kept.exponentials and row.densities == kept.densities:
            powers = _apart(row.exponent, kept.exponent, term)
        if row is None or powers is None:
            out.append((c, t, s))
        else:
            changed = True
            out.append((1, shaped(term.shape, row.coef, [*row.rest, *kept.exponentials, *powers]), every))
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
