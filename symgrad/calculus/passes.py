"""The algorithms that stand beside the rules: what is known to `simplify` and is no pattern.

The idea to hold: an algorithm is asked as a rule is, and says what it did by an example.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any, NamedTuple

from .. import _limits
from .._limits import bound
from ..terms import (
    Add,
    Ein,
    Expr,
    Factor,
    Indices,
    Map,
    One,
    Var,
    add,
    all_but,
    constant_of,
    ein,
    is_condition,
    is_negative,
    is_positive,
    is_rational,
    labels_at,
    map_,
    number,
    places_of_sums,
    pow_,
    remembered,
    row,
    scaled,
    shaped,
    shaped_sum,
    summands,
    symbols_in,
    terms_and_factors,
)
from .factor import (
    common_denominator,
    common_powers,
    factored,
    grouped,
    inside_product,
    multiplied_in,
    multiplied_out,
    one_diagonal,
    one_root,
    opened_product,
    root_of_common_square,
    with_its_bracket,
)
from .lifting import apply, is_product, negated, plus
from .rational import factored_divisor, functions_of, lowest_terms, opened_polynomial, polynomial
from .rewriting import Domain, Rewrite, simplify, use

# ----- Products and sums that an algorithm shortens: deviations, inverses of products, sigmoids of opposite arguments


def uses(term: Ein, label: int) -> int:
    """How often a label occurs among the factors."""
    return sum([k == label for _, s in term.factors for k in s])


def _opposite(f: Map) -> Map:
    """σ(−u) of σ(u)."""
    u, s = f.args[0]
    return map_(f.op, [(scaled(-1, u), s)], (), f.axes)  # type: ignore[return-value]


def opposite_sigmoids(term: Add) -> Expr | None:
    """σ(−u) = 1 − σ(u), where σ(u) is there too and the sum gets shorter."""
    rows = [(t, s, _in_sum(t, s)) for _, t, s in term.terms]
    found = {(f, at) for *_, factors in rows for f, at in factors if f.operation == "sigmoid"}
    for f, at in sorted(found, key=lambda x: (x[0].digest, x[1])):
        if isinstance(f.children[0], Ein) and is_negative(f.children[0].coef):
            positive = _opposite(f)
            if (positive, at) in found:
                result = _one_sigmoid(term, rows, f, positive, at)
                if result.weight < term.weight:
                    return result
    return None


def _in_sum(t: Expr, s: Any) -> list[Any]:
    """The factors of an element-wise term at the sum's labels."""
    if len(t.dims) > t.rank:
        return []
    return [(f, labels_at(s, labels)) for f, labels in t.factors]


def _one_sigmoid(term: Add, rows: Any, f: Expr, positive: Expr, at: Any) -> Expr:
    """The sum with ``1 − positive`` for ``f``, what multiplies ``positive`` collected."""
    whole, dims = term.axes, dict(enumerate(term.shape))
    terms: list[Any] = []
    slopes: list[Any] = []
    for (c, t, s), (*_, factors) in zip(term.terms, rows, strict=True):
        which = next((x for x in factors if x in ((f, at), (positive, at))), None)
        if which is None:
            terms.append((c, t, s))
            continue
        rest = list(factors)
        rest.remove(which)
        left = ein(t.coef, rest, whole, dims)
        slopes.append((c if which[0] is positive else -c, left, whole))
        if which[0] is f:
            terms.append((c, left, whole))
    slope = add(slopes, whole, dims)
    return add([*terms, (1, ein(1, [(slope, whole), (positive, at)], whole, dims), whole)], whole, dims)


def sum_of_deviations(term: Ein) -> Expr | None:
    """Σ (x - m) = Σ x - n m, where that is shorter: sums of deviations from a mean vanish, beside others too."""
    for place, (f, s) in enumerate(term.factors):
        summed = [k for k in s if k >= term.rank] if isinstance(f, Add) else []
        if summed and all(uses(term, k) == 1 for k in summed):
            result = _summed_by_terms(term, place)
            if result is not None:
                return result
    return None


def _summed_by_terms(term: Ein, place: int) -> Expr | None:
    f, s = term.factors[place]
    assert isinstance(f, Add)
    spread = any(len(i) < f.rank for _, _, i in f.terms)
    inner = any(t.kind == "ein" and any(g.kind == "add" for g in t.children) for _, t, _ in f.terms)
    if not (spread or inner):
        return None
    rest = all_but(term.factors, place)
    every = term.axes
    terms = []
    for c, t, i in f.terms:
        ones = [(One(f.shape[k]), (s[k],)) for k in range(f.rank) if k not in i]
        part = shaped(term.shape, term.coef, [*rest, (t, labels_at(s, i)), *ones])
        terms.append((c, simplify(part), every))  # what was declared: the entries of a one-hot row sum to one
    result = shaped_sum(term.shape, terms)
    return result if result.weight < term.weight and not has_namesakes(result) else None


def has_namesakes(root: Expr) -> bool:
    """Whether a size, that of what was constant along an axis, is called like a symbol: no reader could tell them."""
    names = [t.name for t in symbols_in(root)]
    return len(set(names)) < len(names)


def into_sum_with_inverse(term: Ein) -> Expr | None:
    """Q(Qᵀx − b) = x − Qb: a matrix goes into a sum that has its inverse beside it, where that is shorter."""
    sums = places_of_sums(term)
    turning = {
        g for g in term.children
        if g.operation == "inv" or _is_orthogonal(g)
    }  # fmt: skip
    for place in sums if turning or any(_inverted_in(term.children[n]) for n in sums) else ():
        f, s = term.factors[place]
        cancel = turning | _inverted_in(f)
        matrices = [(n, g, t) for n, (g, t) in enumerate(term.factors) if g in cancel]
        for beside, g, t in [m for m in matrices if len(m[2]) == 2 and m[2][0] != m[2][1]]:
            for k in set(s) & set(t):
                if k < term.rank or uses(term, k) != 2 or not _has_inverse_of(f, s.index(k), g, t.index(k)):
                    continue
                axis, end = s.index(k), t[1 - t.index(k)]
                shape = (*f.shape[:axis], g.shape[1 - t.index(k)], *f.shape[axis + 1 :])
                pair = (axis, f.rank) if t.index(k) else (f.rank, axis)
                terms = []
                for c, u, i in f.terms:
                    inside = (u, tuple([f.rank if m == axis else m for m in i]))
                    ones = [] if axis in i else [(One(f.shape[axis]), (f.rank,))]
                    others = [(One(n), (m,)) for m, n in enumerate(shape) if m not in (*i, axis)]
                    part = simplify(shaped(shape, 1, [(g, pair), inside, *ones, *others]))
                    terms.append((c, part, f.axes))
                whole = (shaped_sum(shape, terms), tuple([end if m == k else m for m in s]))
                result = shaped(term.shape, term.coef, [*all_but(term.factors, place, beside), whole])
                if result.weight < term.weight:
                    return result
    return None


@remembered
def _inverted_in(total: Expr) -> frozenset[Expr]:
    """What is inverted in the terms of a sum."""
    return frozenset([h.args[0] for h in terms_and_factors(total) if h.operation == "inv"])


def _is_orthogonal(f: Expr) -> bool:
    return isinstance(f, Var) and "orthogonal" in f.properties


def _has_inverse_of(total: Add, axis: int, g: Expr, at: int) -> bool:
    """Whether a term of a sum has, at an axis, the inverse of the matrix that is read there at its axis ``at``."""
    orthogonal = _is_orthogonal(g)
    for _, u, i in total.terms:
        if axis in i:
            for h, s in [(h, s) for h, s in u.factors if len(s) == 2 and s.count(i.index(axis)) == 1]:
                turned = s.index(i.index(axis)) != at
                if (h is g and orthogonal and (not turned or h.symmetric)) or (
                    (_inverts(g, h) or _inverts(h, g)) and (turned or h.symmetric)
                ):
                    return True
    return False


def _inverts(f: Expr, g: Expr) -> bool:
    return f.operation == "inv" and f.args[0] is g


# ---------------------------------------------------------------------- Choices: masks that guard, branches that meet


def guarded(term: Ein) -> Expr | None:
    """[c]·u = where(c, u, 0), if u may be infinite where c does not hold: what was not taken must not spoil it. So may
    what stands beside a choice: where(c, v, 0)·u = where(c, u·v, 0)."""
    for i, (f, s) in enumerate(term.factors):
        c, t, taken = _mask(f, s)
        if c is None or len(set(s)) < len(s):
            continue
        others = [(j, set(r)) for j, (g, r) in enumerate(term.factors) if j != i and not is_product(c, g)]
        beside = [j for j, r in others if r <= set(s)]
        above = [j for j, r in others if r > set(s) and len(r) == len(term.factors[j][1])]  # [c] of its rows
        unsafe = beside or above[:1]
        if unsafe:
            if not s:  # a number: all of them, so that branches meet
                unsafe += [j for j, (_, r) in enumerate(term.factors) if not r and j not in (i, *unsafe)]
            parts = [*taken, *[term.factors[j] for j in unsafe]]
            sizes = dict([axis for g, r in ((f, s), *parts) for axis in zip(r, g.shape, strict=True)])
            labels = tuple(sorted(sizes))
            inner = ein(1, parts, labels, sizes)
            chosen = map_(row("where"), [(c, t), (inner, labels), (number(0), ())], (), labels)
            return shaped(term.shape, term.coef, [*all_but(term.factors, i, *unsafe), (chosen, labels)])
    return None


def _mask(f: Expr, s: Indices) -> tuple[Expr | None, Indices, list[tuple[Expr, Indices]]]:
    """What makes a factor 0 where it does not hold, its labels, and what the factor is elsewhere; None for no such."""
    if is_condition(f):
        return f, s, []
    if isinstance(f, Add):
        c, t, inner = _mask_of_sum(f)
        return c, labels_at(s, t), [(inner, s)]
    if f.operation != "where" or constant_of(f.args[2][0]) != 0:
        return None, (), []
    (c, t), (u, r), _ = f.args
    return c, labels_at(s, t), [(u, labels_at(s, r))]


@remembered
def _mask_of_sum(f: Add) -> tuple[Expr | None, Indices, Expr]:
    """A condition without which all terms of a sum are 0, its labels, and the sum where it holds."""
    masks = [{(m[0], m[1]): m[2] for m in _masks(c, t, s, f)} for c, t, s in f.terms]
    common = next((key for key in masks[0] if all(key in others for others in masks)), None)
    if common is None:
        return None, (), f
    return *common, plus(f.shape, *[(1, each[common]) for each in masks])


def both_branches(term: Add) -> Expr | None:
    """[c]·a + [not c]·b = where(c, a, b)."""
    every = term.axes
    parts = [_masked(c, t, s, term) for c, t, s in term.terms]
    for i, a in enumerate(parts):
        for j, b in enumerate(parts):
            if a is None or b is None or i == j or a[1] != b[1] or negated(a[0]) is not b[0]:
                continue
            if not _comes_first(a[0], b[0]):
                continue
            chosen = map_(row("where"), [(a[0], a[1]), (a[2], every), (b[2], every)], (), every)
            return shaped_sum(term.shape, [*all_but(term.terms, i, j), (1, chosen, every)])
    return None


def one_choice(term: Add) -> Expr | None:
    """where(c, a, 0) + where(c, b, 0) = where(c, a + b, 0)."""
    parts = [(k, _masked(c, t, s, term)) for k, (c, t, s) in enumerate(term.terms) if "where" in _factors_of(t)]
    for (i, a), (j, b) in combinations([(k, part) for k, part in parts if part is not None], 2):
        if a[:2] == b[:2]:
            both = plus(term.shape, (1, a[2]), (1, b[2]))
            chosen = map_(row("where"), [(a[0], a[1]), (both, term.axes), (number(0), ())], (), term.axes)
            return shaped_sum(term.shape, [*all_but(term.terms, i, j), (1, chosen, term.axes)])
    return None


def _factors_of(t: Expr) -> list[str]:
    return [f.operation for f, _ in t.factors]


_FIRST = {"gt", "lt", "ge", "le", "eq"}


def _comes_first(a: Expr, b: Expr) -> bool:
    return (a.operation in ("lt", "le", "eq")) or b.operation not in _FIRST


def _masked(c: Any, t: Expr, s: Any, whole: Add) -> Any:
    """A term as (condition, its labels, the rest) if it is masked."""
    return next(_masks(c, t, s, whole), None)


def _masks(c: Any, t: Expr, s: Any, whole: Add) -> Iterator[tuple[Expr, Indices, Expr]]:
    """The same for each condition that masks it."""
    rank = t.rank
    for place, (f, labels) in enumerate(t.factors):
        condition, at, taken = _mask(f, labels) if f.kind == "map" else (None, (), [])
        if condition is not None and len(set(at)) == len(at) and all(k < rank for k in at):
            others = [*taken, *all_but(t.factors, place)]
            names = {k: s[k] for k in range(rank)}
            inner = [(g, tuple([names.get(k, 1000 + k) for k in u])) for g, u in others]
            yield condition, labels_at(s, at), shaped(whole.shape, c * t.coef, inner)


# ------- Exponentials that differ by a factor are one: S φ(d₁) = K e⁻ʳᵀ φ(d₂), since d₁² − d₂² is twice log(S/K) + rT
#
# The idea to hold: what is exponential in a term (eᵘ, and φ(u), which is e to −u²/2) has one exponent. Where two
# exponents differ by a sum of logarithms, the terms differ by powers of what these are of.


_ROOT = math.sqrt(2 * math.pi)


def density(term: Ein) -> Expr | None:
    """exp(−u²/2)/√(2π) is φ(u)."""
    found = _as_density(term.coef, list(term.factors))
    return None if found is None else shaped(term.shape, *found)


def densities(term: Add) -> Expr | None:
    """A sum in whose terms exp(−u²/2)/√(2π) is φ(u)."""
    terms: list[Any] = []
    for c, t, s in term.terms:
        found = _as_density(c * t.coef, list(t.factors))
        terms.append((c, t, s) if found is None else (found[0], shaped(t.shape, 1, found[1]), s))
    return None if terms == list(term.terms) else shaped_sum(term.shape, terms)


DENSITY = bound(64)
"""Denominators up to which a number is a fraction times 1/√(2π)."""


def _as_density(coef: Any, factors: list[Factor]) -> tuple[Fraction, list[Factor]] | None:
    if not isinstance(coef, float):
        return None
    times = Fraction(coef * _ROOT).limit_denominator(DENSITY)
    if not times or abs(times / _ROOT - coef) > 4 * math.ulp(coef):
        return None
    for place, (f, s) in enumerate(factors):
        u = _deviation(f.children[0]) if f.operation == "exp" else None
        if u is not None:
            normal = map_(row("normal_pdf"), [(u, f.args[0][1])], (), f.axes)
            return times, [*factors[:place], *factors[place + 1 :], (normal, s)]
    return None


def density_of_exponent(term: Expr) -> Expr | None:
    """exp(−u²/2 − log(2π)/2 − log(s)) is φ(u) exp(−log(s))."""
    if term.operation != "exp":
        return None
    exponent, labels = term.args[0]
    terms = summands(exponent, 1, labels)
    constant = sum([c for c, t, _ in terms if constant_of(t) == 1])
    squares = [(u, x) for x in terms if (u := _deviation(shaped(term.shape, x[0], [x[1:]])))]
    rest = [x for x in terms if constant_of(x[1]) != 1 and x not in [x for _, x in squares]]
    if len(squares) != 1 or isinstance(constant, complex) or abs(constant + math.log(_ROOT)) > 4 * math.ulp(1.0):
        return None
    if any(t.operation != "log" for _, t, _ in rest):
        return None
    every = term.axes
    normal = map_(row("normal_pdf"), [(squares[0][0], every)], (), every)
    powers = [_of_logarithm(*x) if is_positive(x[1].children[0]) else None for x in rest]
    left = [x for x, power in zip(rest, powers, strict=True) if power is None]
    e = [(map_(row("exp"), [(add(left, every, dict(enumerate(term.shape))), every)], (), every), every)] if left else []
    return shaped(term.shape, 1, [(normal, every), *filter(None, powers), *e])


def _deviation(exponent: Expr) -> Expr | None:
    """u of −u²/2."""
    if exponent.coef != Fraction(-1, 2) or len(exponent.dims) > exponent.rank:
        return None
    bases = [(*f.as_power, s) for f, s in exponent.factors]
    if any(not isinstance(e, int) or e % 2 for _, e, _ in bases):
        return None
    return shaped(exponent.shape, 1, [(pow_(base, e // 2), s) for base, e, s in bases])


class _ExponentialTerm(NamedTuple):
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
    rows = [_exponential_term(c, t, s, term) for c, t, s in term.terms]
    best = None
    for kept in rows:
        if kept is None:
            continue
        result = _with_exponentials(kept, rows, term)
        if result is not None and result.weight < (best or term).weight:
            best = result
    return best


def _exponential_term(c: Any, t: Expr, s: Indices, like: Add) -> _ExponentialTerm | None:
    """A term taken apart; None if nothing in it is exponential."""
    if len(t.dims) > t.rank:
        return None
    labelled = [(f, labels_at(s, labels)) for f, labels in t.factors]
    there = [x for x in labelled if x[0].operation in ("exp", "normal_pdf")]
    if not there:
        return None
    every, dims = like.axes, dict(enumerate(like.shape))
    parts = []
    for f, labels in there:
        u, k = f.args[0]
        at = labels_at(labels, k)
        is_density = f.operation == "normal_pdf"
        parts.append((Fraction(-1, 2), pow_(u, 2), at) if is_density else (1, u, at))
    densities = sum([f.operation == "normal_pdf" for f, _ in there])
    return _ExponentialTerm(
        c * t.coef, there, add(parts, every, dims), densities, [x for x in labelled if x not in there]
    )


def _with_exponentials(kept: _ExponentialTerm, rows: list[_ExponentialTerm | None], term: Add) -> Expr | None:
    """The sum with the exponentials of one term in all terms where that is possible."""
    every = term.axes
    out, changed = [], False
    for r, (c, t, s) in zip(rows, term.terms, strict=True):
        powers = None
        if r is not None and r.exponentials != kept.exponentials and r.densities == kept.densities:
            powers = _as_powers(r.exponent, kept.exponent, term)
        if r is None or powers is None:
            out.append((c, t, s))
        else:
            changed = True
            out.append((1, shaped(term.shape, r.coef, [*r.rest, *kept.exponentials, *powers]), every))
    return shaped_sum(term.shape, out) if changed else None


def _as_powers(one: Expr, other: Expr, like: Add) -> list[Factor] | None:
    """The powers that e to the difference of two exponents is."""
    every = like.axes
    for form in functions_of(plus(like.shape, (1, one), (-1, other))):
        terms = form.terms if isinstance(form, Add) else [(1, form, every)]
        powers = [_of_logarithm(c, t, s) for c, t, s in terms]
        if all(p is not None for p in powers):
            return powers  # type: ignore[return-value]
    return None


def _of_logarithm(c: Any, t: Expr, s: Indices) -> Factor | None:
    """uᶜ for c log u."""
    if len(t.factors) == 1 and len(t.dims) == t.rank:
        f, labels = t.factors[0]
        c, t, s = c * t.coef, f, labels_at(s, labels)
    if t.operation != "log" or not is_rational(c):
        return None
    u, k = t.args[0]
    inner = u if k == u.axes else ein(1, [(u, k)], t.axes)
    return pow_(inner, c), s


# ----------------------------------------------------------------------------------------- Determinants of small tables


def determinant_of_table(term: Any) -> Expr | None:
    """A determinant, or its logarithm, of a matrix of two rows or of three whose entries stand there, multiplied out.

    Three rows have six products: they are written where the entries are letters and numbers.
    """
    if term.operation not in ("det", "logdet") or (rows := _entries_of_table(term.args[0])) is None:
        return None
    n = len(rows)
    if n > 3 or (n == 3 and any(e.kind != "var" and constant_of(e) is None for row in rows for e in row)):
        return None
    products = [(_sign(order), [(rows[i][j], ()) for i, j in enumerate(order)]) for order in permutations(range(n))]
    found = add([(1, ein(sign, factors, ()), ()) for sign, factors in products], ())
    return found if term.operation == "det" else apply("log", (), apply("abs", (), found))


def _entries_of_table(a: Any) -> list[list[Expr]] | None:
    """The entries of a square matrix that was written as one, by rows."""
    if a.operation != "stack" or a.rank != 2 or a.params[0] != 0 or a.shape[0] != a.shape[1]:
        return None
    if any(row.operation != "stack" for row in a.args):
        return None
    return [list(row.args) for row in a.args]


def _sign(order: tuple[int, ...]) -> int:
    return (-1) ** sum(one > other for one, other in combinations(order, 2))


# ------------------------------------------------------------------------------------------------------------ passes


def _pass(text: str, why: str, kind: str, function: Any, *needs: str, tags: str = "short") -> Rewrite:
    def apply(term: Expr) -> tuple[Expr, tuple[Domain, ...]] | None:
        after = function(term)
        return None if after is None else (after, ())

    return Rewrite(text, why, kind, apply, frozenset(needs), tags, True)


def passes() -> list[Rewrite]:
    """What is an algorithm rather than a pattern."""
    both = "short stable"
    return [
        _pass("σ(−u) → 1 − σ(u)", "1 − σ is σ of the opposite, which is there too", "add",
              opposite_sigmoids, "sigmoid"),
        _pass("S φ(u) = K e⁻ᵃ φ(v)", "two normal densities that are multiples of each other", "add",
              one_exponential, "normal_pdf"),
        _pass("exp(−u²/2)/√(2π) → φ(u)", "the density of the normal distribution", "ein", density, "exp"),
        _pass("a + exp(−u²/2)/√(2π) → a + φ(u)", "the normal density", "add", densities, "exp"),
        _pass("exp(−u²/2 − log(2π)/2) → φ(u)", "the density of the normal distribution", "map", density_of_exponent,
              "exp"),
        _pass("Σ (x − m) → Σ x − n m", "summed term by term", "ein",
              sum_of_deviations, "+"),
        _pass("Q(Qᵀx − b) → x − Q b", "a matrix meets its inverse", "ein", into_sum_with_inverse, "+"),
        _pass("1[c] u → where(c, u, 0)", "0 where the condition does not hold", "ein", guarded, "?",
              tags=both),
        _pass("(1[c] a + 1[c] b) u → where(c, (a + b) u, 0)", "0 where the condition does not hold", "ein",
              guarded, "+", tags=both),
        _pass("1[c] a + 1[¬c] b → where(c, a, b)", "one of both conditions holds", "add", both_branches,
              "?", tags=both),
        _pass("where(c, a, 0) + where(c, b, 0) → where(c, a + b, 0)", "the same choice", "add", one_choice, "where",
              tags=both),
        _pass("c²(1 + x²/c²) → c² + x²", "multiplied in", "ein", multiplied_in, "pow_scalar", "+"),
        _pass("a(b + c/a) → a b + c", "multiplied out, since something cancels", "ein", opened_product, "+"),
        _pass("a/s − b/s² → (a s − b)/s²", "over one denominator", "add", common_denominator, "pow_scalar"),
        _pass("p(1 − p)² − p²(1 − p) → p(1 − p)(1 − 2p)", "common powers in front", "add", common_powers, "+"),
        _pass("√(1 − x²/a²) beside √(a² − x²)", "roots that are multiples of each other", "add", one_root,
              "pow_scalar",
              tags="short real"),
        _pass("a + 2(b − a) → 2b − a", "multiplied out, since like terms meet", "add", multiplied_out, "+"),
        _pass("a/b + c/d in lowest terms", "in lowest terms", "add", lowest_terms, "pow_scalar"),
        _pass("(a + b)/(c + d) in lowest terms", "in lowest terms", "ein", lowest_terms, "+"),
        _pass("1/(x − x²) → 1/(x(1 − x))", "a divisor factored", "map", factored_divisor, "pow_scalar", "+"),
        _pass("p − 3p² + 2p³ → p(1 − p)(1 − 2p)", "a polynomial factored", "add", polynomial),
        _pass("p(1 − p)² + p³ − p² → 2p³ + p − 3p²", "a polynomial multiplied out", "add", opened_polynomial),
        _pass("b + c + a(b + c) → (1 + a)(b + c)", "the distributive law", "add", with_its_bracket, "+"),
        _pass("a b + a c → a(b + c)", "the distributive law", "add", factored),
        _pass("x(a b + a c) → x a(b + c)", "the distributive law", "ein", inside_product, "+"),
        _pass("√(c²a + c⁴) → |c|√(a + c²)", "a square taken out of a root", "map", root_of_common_square,
              "pow_scalar", "+",
              tags="short real"),
        _pass("det([[a, b], [c, d]]) → a d − b c", "a determinant multiplied out", "call", determinant_of_table, "det",
              "stack"),
        _pass("log |det([[a, b], [c, d]])| → log |a d − b c|", "a determinant multiplied out", "call",
              determinant_of_table, "slogdet", "stack", tags="short real"),
        _pass("diag(a) + diag(b) → diag(a + b)", "diagonals added", "add", one_diagonal),
        _pass("a b + a c + d → a(b + c) + d", "the distributive law", "add", grouped),
    ]  # fmt: skip


use(passes())
