"""Quotients, powers and brackets: written out, put over one denominator or multiplied in, where that is shorter."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .. import _limits
from ._add import inner_sum, shaped_sum
from ._ein import base_and_exponent, constant_of, shaped
from ._map import is_nonnegative, pow_
from ._node import Add, Ein, Expr, Indices, Var
from ._substitute import substitute

Factor = tuple[Expr, Indices]


def expanded(term: Ein) -> Expr | None:
    """A product with a sum among its factors, multiplied out, if that is shorter: s(1 - 1/s²) = s - 1/s."""
    sums = [i for i, (f, _) in enumerate(term.factors) if isinstance(f, Add)]
    bases = dict([base_and_exponent(g) for g, _ in term.factors]) if sums and len(term.factors) > 1 else {}
    for place in sums if bases else ():
        result = _expanded_at(term, place, bases, len(sums) > 1)
        if result is not None:
            return result
    return None


def _expanded_at(term: Ein, place: int, bases: dict[Expr, Any], beside_sums: bool) -> Expr | None:
    """A product of powers of ``bases`` multiplied out at one of its sums; beside other sums only what cancels."""
    f, s = term.factors[place]
    if len(f.terms) > _limits.CANCELLED:  # type: ignore[attr-defined]
        return None
    inside = _surface(f)
    cancelled = {b for b, e in inside if b in bases and _are_opposite(e, bases[b])}
    if beside_sums and not cancelled:
        return None
    rest = [x for i, x in enumerate(term.factors) if i != place]
    if not cancelled and (
        len(term.dims) > term.rank or term.rank > 1 or any(b.kind == "delta" or b in dict(inside) for b in bases)
    ):
        return None  # p(1 − p), (D + Dᵀ)r and I ⊗ (B + C) are read as products
    if not cancelled and all(constant_of(t) is not None or _is_size(t) for t in f.children):
        return None  # and so is (n − 1)t
    result = distributed(term.coef, f, s, rest, term)  # type: ignore[arg-type]
    best = result if result is not None and result.weight < term.weight else None
    into = [(g, t) for g, t in rest if base_and_exponent(g)[0] in cancelled and set(t) <= set(s)]
    if into and len(into) < len(rest):  # only what cancels goes in: a r(1 − 1/r) is a(r − 1)
        places = [(g, tuple([s.index(k) for k in t])) for g, t in into]
        every = tuple(range(f.rank))
        whole = shaped_sum(f.shape, [(c, shaped(f.shape, 1, [(t, i), *places]), every) for c, t, i in f.terms])  # type: ignore[attr-defined]
        result = shaped(term.shape, term.coef, [*[x for x in rest if x not in into], (whole, s)])
        best = result if result.weight < (best or term).weight else best
    return best


def _surface(total: Any) -> list[tuple[Expr, Any]]:
    """What the terms of a sum are products of, as bases and exponents; worked out once."""
    known: list[tuple[Expr, Any]] | None = total.memo.get("surface")
    if known is None:
        known = total.memo["surface"] = [base_and_exponent(g) for t in total.children for g in (t, *t.children)]
    return known


def _is_size(t: Expr) -> bool:
    return isinstance(t, Var) and "size" in t.properties


def _are_opposite(a: Any, b: Any) -> bool:
    """Whether one of two exponents is negative."""
    return not isinstance(a, complex) and not isinstance(b, complex) and a * b < 0


def distributed(coef: Any, f: Add, s: Indices, rest: list[Factor], like: Ein) -> Expr | None:
    """``coef * rest * f`` as a sum; None if a term of ``f`` lacks an axis that is summed."""
    every = tuple(range(like.rank))
    covered = {k for _, labels in rest for k in labels}
    terms = []
    for c, t, i in f.terms:
        labels = tuple([s[k] for k in i])
        if any(k >= like.rank and k not in labels and k not in covered for k in s):
            return None
        terms.append((c, shaped(like.shape, coef, [*rest, (t, labels)]), every))
    return shaped_sum(like.shape, terms)


def multiplied_out(term: Add) -> Expr | None:
    """A sum whose terms are sums times something, multiplied out, if like terms then meet."""
    terms: list[Any] = []
    for c, t, s in term.terms:
        sums = [i for i, (f, _) in enumerate(t.factors) if isinstance(f, Add)] if isinstance(t, Ein) else []
        if isinstance(t, Add):
            terms += [(c * d, u, tuple([s[k] for k in i])) for d, u, i in t.terms]
        elif isinstance(t, Ein) and len(sums) == 1 and len(t.factors[sums[0]][0].terms) <= _limits.CANCELLED:  # type: ignore[attr-defined]
            f, labels = t.factors[sums[0]]
            parts = distributed(c * t.coef, f, labels, [x for i, x in enumerate(t.factors) if i != sums[0]], t)  # type: ignore[arg-type]
            terms.append((1, parts, s) if parts is not None else (c, t, s))
        else:
            terms.append((c, t, s))
    if len(terms) > _limits.CANCELLED_ALL:
        return None
    result = shaped_sum(term.shape, _opened(terms))
    return result if result.weight < term.weight else None


def _opened(terms: list[Any]) -> list[Any]:
    """Terms with a number in front of a sum as that sum's terms."""
    out = []
    for c, t, s in terms:
        inner, scale, order = inner_sum(t)
        if inner is None:
            out.append((c, t, s))
        else:
            out += [(c * scale * d, u, tuple([s[order[k]] for k in i])) for d, u, i in inner.terms]
    return out


def multiplied_in(term: Ein) -> Expr | None:
    """``m^(e k + n) (a + b/m^k)^e = (a m^k + b)^e m^n``, if that is shorter: the quotients of quotients."""
    for i, (f, s) in enumerate(term.factors):
        total, e = base_and_exponent(f)
        if not isinstance(total, Add) or e == 1 or isinstance(e, (complex, float)):
            continue
        for j, (g, t) in enumerate(term.factors):
            m, k = base_and_exponent(g)
            if i == j or isinstance(k, (complex, float)) or m.kind == "add" or not set(t) <= set(s):
                continue
            below = {-d for b, d in _surface(total) if b is m and isinstance(d, int) and d < 0}
            times = max([n for n in below if abs(k - n * e) < abs(k)], default=0)
            if not times or not (isinstance(e, int) or is_nonnegative(m)):
                continue  # √ loses the sign of what goes into it
            places = tuple([s.index(label) for label in t])
            inside = _times(total, pow_(m, times), places)
            rest = [x for n, x in enumerate(term.factors) if n not in (i, j)]
            result = shaped(term.shape, term.coef, [*rest, (pow_(m, k - times * e), t), (pow_(inside, e), s)])
            if result.weight < term.weight:
                return result
    return None


def one_root(term: Add) -> Expr | None:
    """Roots of sums that are multiples of each other as one: a/√(1 − x²/a²) + √(a² − x²) has a²/√(a² − x²)."""
    rows = [t.factors if isinstance(t, Ein) else [(t, tuple(range(t.rank)))] for _, t, _ in term.terms]
    powers = {f: base_and_exponent(f) for factors in rows for f, _ in factors}
    roots = {f: (b, e) for f, (b, e) in powers.items() if isinstance(b, Add) and isinstance(e, Fraction)}
    bases = {b for b, _ in roots.values()}
    if len(bases) < 2:
        return None
    from ._simplify import simplify

    for f, (base, e) in roots.items():
        for m, d in _surface(base):
            if not isinstance(d, int) or d >= 0 or m.rank or not is_nonnegative(m):
                continue
            inside = _times(base, pow_(m, -d), ())
            if inside in bases:
                other = shaped(f.shape, 1, [(pow_(inside, e), tuple(range(f.rank))), (pow_(m, d * e), ())])
                result = simplify(substitute(term, {f: other}))
                if result.weight < term.weight:
                    return result
    return None


def _times(total: Add, m: Expr, labels: Indices) -> Expr:
    """A sum with each term multiplied by a factor read at some of its axes."""
    every = tuple(range(total.rank))
    terms = [(c, shaped(total.shape, 1, [(t, s), (m, labels)]), every) for c, t, s in total.terms]
    return shaped_sum(total.shape, terms)


def common_denominator(term: Add) -> Expr | None:
    """Terms over powers of the same thing over the highest of them, or the lowest that all have, if that is shorter."""
    shorter = [result for result in over_denominators(term) if result.weight < term.weight]
    return min(shorter, key=lambda result: result.weight) if shorter else None


def over_denominators(term: Add) -> list[Expr]:
    """The same, in each way."""
    rows = [_row(c, t, s) for c, t, s in term.terms]
    candidates: dict[Any, list[Any]] = {}
    for _, factors in rows:
        for f, s in factors:
            base, e = base_and_exponent(f)
            if not isinstance(e, (complex, float)) and e < 0 and all(isinstance(k, int) for k in s):
                candidates.setdefault((id(base), s), [base, s, []])[2].append(e)
    found = []
    for base, s, powers in candidates.values():
        shared = [max(powers)] if len(powers) == len(rows) else []
        found += [_over(term, rows, base, s, e) for e in dict.fromkeys([min(powers), *shared])]
    return [result for result in found if result is not None]


def common_powers(term: Add) -> Expr | None:
    """What every term has a power of, in front: p(1 - p)² - p²(1 - p) = p(1 - p)(1 - 2p)."""
    if not set.intersection(*map(_bases, term.children)):
        return None
    rows = [_row(c, t, s) for c, t, s in term.terms]
    least: dict[Any, Any] = {}
    for number, (_, factors) in enumerate(rows):
        here: dict[Any, Any] = {}
        for f, s in factors:
            base, e = base_and_exponent(f)
            if (
                isinstance(e, int)
                and e > 0
                and base.kind not in ("one", "delta")
                and all(isinstance(k, int) for k in s)
            ):
                here[id(base), s] = (base, s, here.get((id(base), s), (base, s, 0))[2] + e)
        if number == 0:
            least = here
        least = {k: (*least[k][:2], min(least[k][2], here[k][2])) for k in least if k in here}
    if all(e == 1 for *_, e in least.values()) and (len(least) < 2 or any(b.rank == 1 for b, *_ in least.values())):
        return None  # `factored` sees to it, and to what it leaves behind: diag(p) − p pᵀ
    every = tuple(range(term.rank))
    terms = []
    for c, factors in rows:
        rest = [*_renamed(factors, term.rank), *[(pow_(base, -e), s) for base, s, e in least.values()]]
        terms.append((c, shaped(term.shape, 1, rest), every))
    total = multiplied(shaped_sum(term.shape, terms))
    result = shaped(term.shape, 1, [*[(pow_(base, e), s) for base, s, e in least.values()], (total, every)])
    return result if result.weight < term.weight else None


def _bases(t: Expr) -> set[Expr]:
    """What a term is a product of powers of, those that are summed left out."""
    if not isinstance(t, Ein):
        return {base_and_exponent(t)[0]}
    rank = t.rank
    return {base_and_exponent(f)[0] for f, s in t.factors if not s or max(s) < rank}


def multiplied(total: Expr) -> Expr:
    """A sum with its brackets multiplied out, if that is shorter."""
    inner, scale, order = inner_sum(total)
    shorter = multiplied_out(inner) if inner is not None else None
    return total if shorter is None else shaped(total.shape, scale, [(shorter, order)])


def _row(c: Any, t: Expr, s: Indices) -> tuple[Any, list[Any]]:
    """A term as a number and factors in the sum's labels; summed labels are pairs."""
    if isinstance(t, Ein) and t.factors:
        names = [*s, *[(id(t), k) for k in range(t.rank, len(t.dims))]]
        return c * t.coef, [(f, tuple([names[k] for k in labels])) for f, labels in t.factors]
    return c, [(t, s)] if t.kind != "ein" else []


def _over(term: Add, rows: Any, base: Expr, s: Any, lowest: Any) -> Expr | None:
    every = tuple(range(term.rank))
    terms: list[Any] = []
    for c, factors in rows:
        here = 0
        rest = []
        for f, labels in factors:
            b, e = base_and_exponent(f)
            if b is base and labels == s and not isinstance(e, (complex, float)):
                here = here + e
            else:
                rest.append((f, labels))
        up = here - lowest
        rest = _renamed(rest, term.rank)
        if isinstance(base, Add) and up != 0:
            if up != 1:
                return None
            for d, u, i in base.terms:
                terms.append((c * d, shaped(term.shape, 1, [*rest, (u, tuple([s[k] for k in i]))]), every))
        else:
            terms.append((c, shaped(term.shape, 1, [*rest, (pow_(base, up), s)] if up else rest), every))
    return shaped(term.shape, 1, [(pow_(base, lowest), s), (shaped_sum(term.shape, terms), every)])


def _renamed(factors: list[Any], rank: int) -> list[Any]:
    """Summed labels as ints again."""
    names: dict[Any, int] = {}
    out = []
    for f, s in factors:
        out.append((f, tuple([k if isinstance(k, int) else names.setdefault(k, rank + len(names)) for k in s])))
    return out
