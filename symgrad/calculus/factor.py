"""Common factors in front, quotients over one denominator, brackets multiplied in, where that is shorter.

Common factors of the terms of a sum, pulled out to either side: ``Aᵀ diag(p) A − Aᵀ p pᵀ A`` is
``Aᵀ (diag(p) − p pᵀ) A``.

The idea to hold: a factor is common if every term has it at the same *outer* indices. Pulled out, its inner indices
become outer ones of what is left, where further factors may then be common. Two inner indices that were one in some
term leave an identity there.
"""

from __future__ import annotations

from contextvars import ContextVar
from fractions import Fraction
from itertools import combinations
from typing import Any

from .. import _limits
from .._limits import bound
from ..core import setting
from ..terms import (
    Add,
    Delta,
    Ein,
    Expr,
    Indices,
    Map,
    Var,
    add,
    all_but,
    constant_of,
    ein,
    inner_sum,
    is_nonnegative,
    is_rational,
    labels_at,
    map_,
    number,
    places_of_sums,
    pow_,
    rebuilt,
    remembered,
    row,
    shaped,
    shaped_distributed,
    shaped_sum,
    substitute,
    summands,
    terms_and_factors,
)
from .rewriting import simplify


def inside_product(term: Expr) -> Expr | None:
    """A product with what the terms of its sum share put beside the sum, if that is shorter.

    The brackets are there already: ``Aᵀ(diag(p) A − p pᵀ A)`` becomes ``Aᵀ(diag(p) − p pᵀ)A``.
    """
    for place, (f, s) in enumerate(term.factors):
        if not isinstance(f, Add) or (len(term.factors) < 2 and (term.coef in (1, -1) or _has_places(f))):
            continue
        pulled = _pulled(f)
        if pulled is None:
            continue
        result = shaped(term.shape, term.coef, [*all_but(term.factors, place), (pulled, s)])
        if result.weight < term.weight:
            return result
    return None


def _has_places(f: Add) -> bool:
    """Whether terms take entries of something: x[1:] + x[:-1] is no (I[1:] + I[:-1])x."""
    return any(g.kind == "lin" for g in terms_and_factors(f))


def root_of_common_square(term: Map) -> Expr | None:
    """A root of a sum whose terms share a square, without it: √(c²x² + c⁴) is |c|√(x² + c²)."""
    e, base = term.exponent, term.base
    if not isinstance(e, Fraction) or e.denominator != 2 or not isinstance(base, Add):
        return None
    shared: dict[Any, int] | None = None
    for t, s in [(t, s) for _, t, s in base.terms]:
        here = {}
        for f, labels in t.factors:
            b, k = f.as_power
            if isinstance(k, int) and k > 1 and all(i < t.rank for i in labels):
                here[b, labels_at(s, labels)] = k - k % 2
        shared = here if shared is None else {x: min(k, shared[x]) for x, k in here.items() if x in shared}
    if not shared:
        return None
    every = base.axes
    left = [(pow_(b, -k), at) for (b, at), k in shared.items()]
    inside = shaped_sum(base.shape, [(c, shaped(base.shape, 1, [(t, s), *left]), every) for c, t, s in base.terms])
    outer = [(pow_(_magnitude(b), e * k), at) for (b, at), k in shared.items()]
    return shaped(term.shape, 1, [*outer, (pow_(inside, e), every)])


def _magnitude(b: Expr) -> Expr:
    every = b.axes
    return b if is_nonnegative(b) else map_(row("abs"), [(b, every)], (), every)


def factored(term: Add) -> Expr | None:
    """The sum with the factors that all its terms share in front; None if that is no shorter.

    Of Kronecker products I ⊗ B + I ⊗ C is I ⊗ (B + C), which counts as shorter though it has brackets.
    """
    result = with_common_factor_in_front(term)
    if result is None:
        return None
    brackets = _BRACKETS if term.rank > 2 and any(f.kind == "delta" for f in result.children) else 0
    return result if result.weight < term.weight + brackets else None


_BRACKETS = 4


def with_common_factor_in_front(term: Add) -> Expr | None:
    """The same, whether it is shorter or not."""
    result = _pulled(term)
    return _with_simple_sums(result) if result is not None and result.weight >= term.weight else result


def _with_simple_sums(term: Expr) -> Expr:
    """A product whose brackets are simplified: what was left in them may be shorter than it was."""
    done = {id(f): simplify(f) if isinstance(f, Add) else f for f in term.children}
    return rebuilt(term, done)


LEFT_INSIDE = bound(4)
"""Factors that all terms of a sum share, of which it is tried whether two that stay inside leave a matrix."""


def with_fewer_factors_in_front(term: Add) -> Expr | None:
    """The sum with what its terms share in front but for one or two factors, since all of it leaves no matrix."""
    there = term.memo.get("too many in front", ())
    for n in (1, 2) if len(there) <= LEFT_INSIDE else (1,):
        ways = [_pulled(term, frozenset(some)) for some in combinations(there, n)]
        if found := [way for way in ways if way is not None]:
            return min(found, key=lambda way: way.weight)
    return None


@remembered  # the same sum is asked in many products
def _pulled(term: Add, but: frozenset[Expr] = frozenset()) -> Expr | None:
    """The sum with all that its terms share in front, but for some of it."""
    if not set.intersection(*[{f for f, _ in t.factors} for t in term.children]):
        return None
    rows = [_Summand(c, t, s, i) for i, (c, t, s) in enumerate(term.terms)]
    scalars = [r.scalars() for r in rows]
    for scalar in sorted(set.intersection(*map(set, scalars)), key=lambda t: t.digest):
        for r, own in zip(rows, scalars, strict=True):
            r.fold(scalar, own[scalar])
    pull = _Pull(rows, term.rank, but)
    if not pull.run():
        return None
    result = pull.result(term)
    if result is None and not but:
        term.memo["too many in front"] = dict.fromkeys([f for f, _ in pull.pulled])
    return result


_tried: ContextVar[list[Expr] | None] = ContextVar("symgrad_groups_tried", default=None)
"""The groups that were tried within one sum: groups of groups are the same ones again and again, and what is known
of a term is known as long as it lives."""


def grouped(term: Add) -> Expr | None:
    """The sum with factors shared by some of its terms in front of those."""
    tried = _tried.get()
    if tried is not None:
        return _grouped(term, tried)
    with setting(_tried, tried := []):
        return _grouped(term, tried)


GROUPS_SIMPLE = bound(2)
"""The lightest of them, which are simplified: each may lead to groups of its own."""


FACTORED = bound(8192)
"""Weight of a sum up to which it is put in groups and over denominators; the formula of a loop, which is heavier, took
minutes, and was longer for it."""


def _grouped(term: Add, tried: list[Expr]) -> Expr | None:
    few = 2 < len(term.terms) <= _limits.GROUPED and term.weight <= FACTORED
    if not few or term.rank > 2:  # fourth-order sums are no easier to read in groups
        return None
    groups: dict[Any, list[int]] = {}
    for i, (_, t, s) in enumerate(term.terms):
        for f, labels in t.factors:
            outer = tuple([s[k] if k < t.rank else -1 for k in labels])
            if f.kind not in ("delta", "one"):
                groups.setdefault((f, outer), []).append(i)
    every = term.axes
    found: list[tuple[int, list[Any], Expr]] = []
    candidates: dict[tuple[int, ...], int] = {}
    for (shared, _), there in groups.items():
        places = tuple(dict.fromkeys(there))
        if 1 < len(places) < len(term.terms):
            candidates[places] = min(candidates.get(places, shared.digest), shared.digest)
    # of groups as long as each other always the same first: what is left of them are then the same sums again
    for places in sorted(candidates, key=lambda g: (-len(g), candidates[g], g))[: _limits.GROUPS]:
        some = shaped_sum(term.shape, [term.terms[i] for i in places])
        total, scale, order = inner_sum(some)  # a number may stand in front: −(b − a)
        tried.append(some)
        inner = _pulled(total) if total is not None else None
        if inner is not None:
            inner = shaped(term.shape, scale, [(inner, order)])
            rest = all_but(term.terms, *places)
            found.append((shaped_sum(term.shape, [*rest, (1, inner, every)]).weight, rest, inner))
    best = None
    for _, rest, inner in sorted(found, key=lambda f: f[0])[:GROUPS_SIMPLE]:  # simplifying takes long
        tried.append(inner)
        whole = shaped_sum(term.shape, [*rest, (1, simplify(inner), every)])
        best = whole if whole.weight < (best or term).weight else best
    return best


def with_its_bracket(term: Add) -> Expr | None:
    """The sum in which the terms of a bracket stand beside a multiple of it: (1 − s) + a(1 − s) is (1 − s)(1 + a)."""
    every = term.axes
    beside = {(t, s): c for c, t, s in term.terms}
    for c, t, s in term.terms:
        for f, labels in t.factors:
            if not isinstance(f, Add) or len(f.terms) != len(term.terms) - 1 or any(k >= t.rank for k in labels):
                continue
            at = labels_at(s, labels)
            own = [(d, (u, labels_at(at, su))) for d, u, su in f.terms]
            parts = [(beside.get(place), Fraction(d) if isinstance(d, int) else d) for d, place in own]
            ratios = {None if b is None else b / d for b, d in parts}
            if len(ratios) > 1 or None in ratios:
                continue
            (ratio,) = ratios
            others = shaped(term.shape, c, [(t, s), (pow_(f, -1), at)])
            inner = shaped_sum(term.shape, [(1, others, every), (ratio, number(1), ())])
            whole = shaped(term.shape, 1, [(f, at), (inner, every)])
            if whole.weight < term.weight:
                return whole
    return None


def one_diagonal(term: Add) -> Expr | None:
    """What stands on the diagonal as one array: diag(a) − diag(b/c) is diag(a − b/c), where that gets shorter."""
    if term.rank != 2:
        return None
    there, rest = [], []
    for c, t, s in term.terms:
        place = next((i for i, (f, k) in enumerate(t.factors) if f.kind == "delta" and max(k) < 2), None)
        if place is None:
            rest.append((c, t, s))
        else:
            others = [(f, tuple([0 if j == 1 else j for j in i])) for f, i in all_but(t.factors, place)]
            there.append((c, ein(t.coef, others, (0,), {0: term.shape[0]}), (0,)))
    if len(there) < 2:
        return None
    diagonal = simplify(shaped_sum(term.shape[:1], there))
    whole = ein(1, [(diagonal, (0,)), (Delta(term.shape[0]), (0, 1))], (0, 1))
    result = shaped_sum(term.shape, [*rest, (1, whole, (0, 1))])
    return result if result.weight < term.weight else None


class _Summand:
    """A term as a list of factors in the sum's labels; summed labels are its own (pairs), opened ones ints."""

    def __init__(self, coef: Any, t: Expr, s: Indices, number: int) -> None:
        self.coef, self.factors = _taken_apart(coef, t, s, number)

    def scalars(self) -> dict[Expr, list[Any]]:
        """The parts that are numbers by themselves, like xᵀAx, with their factors."""
        groups: list[tuple[set[Any], list[Any]]] = []
        for f, s in self.factors:
            labels, members = set(s), [(f, s)]
            for other in [g for g in groups if g[0] & labels]:
                groups.remove(other)
                labels, members = labels | other[0], other[1] + members
            groups.append((labels, members))
        inner = [members for labels, members in groups if labels and not any(isinstance(k, int) for k in labels)]
        return {_product_of(members): members for members in inner}

    def fold(self, scalar: Expr, members: list[Any]) -> None:
        """Let a number of several factors be one."""
        for member in members:
            self.factors.remove(member)
        self.factors.append((scalar, ()))

    def open(self, old: Any, new: int, n: int) -> None:
        """Let a label be ``new`` to the outside; if it is open already, both ends are one here."""
        if isinstance(old, int):
            self.factors.append((Delta(n), (old, new)))
        else:
            self.factors = [
                (f, tuple([new if k == old else k for k in s])) if old in s else (f, s) for f, s in self.factors
            ]


def _product_of(factors: list[Any]) -> Expr:
    numbers = {k: i for i, k in enumerate(dict.fromkeys([k for _, s in factors for k in s]))}
    return ein(1, [(f, labels_at(numbers, s)) for f, s in factors], ())


class _Pull:
    """Pulls factors out of rows: first what touches the sum's own axes, then what touches the inner ends of that."""

    def __init__(self, rows: list[_Summand], rank: int, but: frozenset[Expr] = frozenset()) -> None:
        self.rows, self.but = rows, but
        self.fresh = rank
        # identities left behind read well in matrices only
        self.ways = ((True, False), (True, True), (False, False)) if rank <= 2 else ((True, False), (False, False))
        self.outer = set(range(rank))
        self.common: set[Expr] = set()
        self.pulled: list[Any] = []
        self.dims: dict[int, int] = {}

    def run(self) -> bool:
        """Pull until nothing is common."""
        while self._common():
            if any(self._one(*how) for how in self.ways):
                continue
            if set(self.dims) - self.outer:
                self.outer |= set(self.dims)
            elif len(self.ways) < 3 or not (self._one(True, False, unique=False) or self._one(True, False, inner=True)):
                break
        return bool(self.pulled)

    def _common(self) -> bool:
        """Whether there are factors that every row has somewhere; notes which."""
        common = {f for f, _ in self.rows[0].factors}
        for r in self.rows[1:]:
            if not common:
                break
            common &= {f for f, _ in r.factors}
        self.common = common - self.but
        return bool(self.common)

    def _one(self, edges: bool, spread: bool, unique: bool = True, inner: bool = False) -> bool:
        """Pull one factor: a matrix with an inner end (before any vector), or one whose axes are all outer ones.

        ``spread`` allows an inner end to be an outer one in some row, which leaves an identity there; ``unique`` asks
        that no row has the factor there twice; ``inner`` takes a vector that touches no outer axis: ``B r + Bᵀ r``.
        """
        seen = set()
        for r in self.rows if spread else self.rows[:1]:
            for f, labels in r.factors:
                if f not in self.common or (f.kind == "delta" and edges) or (inner and f.rank != 1):
                    continue
                key = self._key(labels)
                if edges is not (-1 in key) or (f.rank and not inner and max(key) < 0) or (f, key) in seen:
                    continue
                seen.add((f, key))
                found = self._everywhere(f, key, spread, unique)
                if found and (edges or self._leaves_something(f, found)):
                    self._take(f, key, found)
                    return True
        return False

    def _key(self, labels: Any) -> tuple[int, ...]:
        """Where a factor touches the outer axes; -1 for its inner ends."""
        return tuple([k if k in self.outer else -1 for k in labels])

    def _everywhere(self, f: Expr, key: Any, spread: bool, unique: bool) -> list[Any]:
        """The labels of the factor in each row; none if some row has it not."""
        found = []
        for r in self.rows:
            there = self._find(r, f, key, spread, unique)
            if there is None:
                return []
            found.append(there)
        return found

    def _find(self, r: _Summand, f: Expr, key: Any, spread: bool, unique: bool) -> Any:
        """The labels of the factor in a row, None if it is not there."""
        there = [
            s for g, s in r.factors
            if g is f
            and all(k == e or (k == -1 and (spread or e not in self.outer)) for k, e in zip(key, s, strict=True))
        ]  # fmt: skip
        return there[0] if len(there) == 1 or (there and not unique) else None

    def _leaves_something(self, f: Expr, found: Any) -> bool:
        """Not down to a bare identity: ``diag(p) − p pᵀ`` is better than ``diag(p)(I − 1 pᵀ)``."""
        if not f.rank or f.kind == "delta":
            return True
        for r, there in zip(self.rows, found, strict=True):
            rest = [g for g, s in r.factors if not (g is f and s == there) and any(isinstance(k, int) for k in s)]
            if rest and all(g.kind == "delta" for g in rest):
                return False
        return True

    def _take(self, f: Expr, key: Any, found: list[Any]) -> None:
        for r, there in zip(self.rows, found, strict=True):
            r.factors.remove((f, there))
        out = []
        for place, k in enumerate(key):
            ends = [there[place] for there in found]
            if k != -1 or (isinstance(ends[0], int) and all(e == ends[0] for e in ends)):
                out.append(ends[0])
                continue
            new, self.fresh = self.fresh, self.fresh + 1
            self.dims[new] = f.shape[place]
            for i, (r, old) in enumerate(zip(self.rows, ends, strict=True)):
                r.open(old, new, f.shape[place])
                # a label that the factor has twice is open from here on
                found[i] = tuple([new if e == old and not isinstance(old, int) else e for e in found[i]])
            out.append(new)
        self.pulled.append((f, tuple(out)))

    def result(self, term: Add) -> Expr | None:
        """The pulled factors times what is left; None if that has more axes than the whole: no matrix notation."""
        used = {k for r in self.rows for _, s in r.factors for k in s if isinstance(k, int)}
        labels = (*[k for k in range(term.rank) if k in used], *[k for k in self.dims if k in used])
        if len(labels) > max(2, term.rank):
            return None
        if (
            (len(labels) > term.rank or self.but)
            and term.rank
            and any(not {*labels} <= {k for _, s in r.factors for k in s} for r in self.rows)
        ):
            return None  # a matrix with 𝟏 in place of an axis: h ⊙ Uᵀx − Uᵀy is no diag((hxᵀ − 𝟏yᵀ)U)
        sizes = {**dict(enumerate(term.shape)), **self.dims}
        terms = []
        for r in self.rows:
            here = tuple([k for k in labels if any(k in s for _, s in r.factors)])
            own: dict[Any, int] = {}
            factors = []
            for f, s in r.factors:
                names = [k if isinstance(k, int) else own.setdefault(k, self.fresh + len(own)) for k in s]
                factors.append((f, tuple(names)))
            terms.append((r.coef, ein(1, factors, here) if factors else number(1), here))
        inside = add(terms, labels, sizes)
        return shaped(term.shape, 1, [*self.pulled, (inside, labels)])


# --------------------------------------------------------------------------------------------------------- quotients


def opened_product(term: Ein) -> Expr | None:
    """A product with a sum among its factors, multiplied out, if that is shorter: s(1 - 1/s²) = s - 1/s."""
    sums = places_of_sums(term)
    bases = dict([g.as_power for g, _ in term.factors]) if sums and len(term.factors) > 1 else {}
    for place in sums if bases else ():
        result = _opened_product_at(term, place, bases, len(sums) > 1)
        if result is not None:
            return result
    return None


def _opened_product_at(term: Ein, place: int, bases: dict[Expr, Any], beside_sums: bool) -> Expr | None:
    """A product of powers of ``bases`` multiplied out at one of its sums; beside other sums only what cancels."""
    f, s = term.factors[place]
    if len(f.terms) > _limits.CANCELLED:
        return None
    inside = _parts_of_terms(f)
    cancelled = {b for b, e in inside if b in bases and _are_opposite(e, bases[b])}
    if beside_sums and not cancelled:
        return None
    rest = all_but(term.factors, place)
    if not cancelled and (
        len(term.dims) > term.rank or term.rank > 1 or any(b.kind == "delta" or b in dict(inside) for b in bases)
    ):
        return None  # p(1 − p), (D + Dᵀ)r and I ⊗ (B + C) are read as products
    if not cancelled and all(constant_of(t) is not None or _is_size(t) for t in f.children):
        return None  # and so is (n − 1)t
    result = opened_at(term, place)
    best = result if result is not None and result.weight < term.weight else None
    into = [(g, t) for g, t in rest if g.base in cancelled and set(t) <= set(s)]
    if into and len(into) < len(rest):  # only what cancels goes in: a r(1 − 1/r) is a(r − 1)
        places = [(g, tuple([s.index(k) for k in t])) for g, t in into]
        whole = shaped_distributed(f.shape, 1, [(f, f.axes), *places], 0)
        result = shaped(term.shape, term.coef, [*[x for x in rest if x not in into], (whole, s)])
        best = result if result.weight < (best or term).weight else best
    return best


@remembered
def _parts_of_terms(total: Any) -> list[tuple[Expr, Any]]:
    """What the terms of a sum are products of, as bases and exponents."""
    return [g.as_power for g in terms_and_factors(total)]


def _is_size(t: Expr) -> bool:
    return isinstance(t, Var) and "size" in t.properties


def _are_opposite(a: Any, b: Any) -> bool:
    """Whether one of two exponents is negative."""
    return not isinstance(a, complex) and not isinstance(b, complex) and a * b < 0


def opened_at(term: Expr, place: int) -> Expr | None:
    """A product with its sum at ``place`` multiplied out; None if a term of it lacks an axis that is summed."""
    f, s = term.factors[place]
    covered = {k for _, labels in all_but(term.factors, place) for k in labels}
    summed = {i for i, k in enumerate(s) if k >= term.rank and k not in covered}
    if not all(summed.issubset(i) for _, _, i in f.terms):
        return None
    return shaped_distributed(term.shape, term.coef, term.factors, place)


def multiplied_out(term: Add) -> Expr | None:
    """A sum whose terms are sums times something, multiplied out, if like terms then meet."""
    terms: list[Any] = []
    for c, t, s in term.terms:
        sums = places_of_sums(t)
        if isinstance(t, Add):
            terms += summands(t, c, s)
        elif len(sums) == 1 and len(t.factors[sums[0]][0].terms) <= _limits.CANCELLED:
            parts = opened_at(t, sums[0])
            terms.append((c, t if parts is None else parts, s))
        else:
            terms.append((c, t, s))
    if len(terms) > _limits.CANCELLED_ALL:
        return None
    result = shaped_sum(term.shape, [x for c, t, s in terms for x in summands(t, c, s)])
    return result if result.weight < term.weight else None


def multiplied_in(term: Ein) -> Expr | None:
    """``m^(e k + n) (a + b/m^k)^e = (a m^k + b)^e m^n``, if that is shorter: the quotients of quotients."""
    for i, (f, s) in enumerate(term.factors):
        total, e = f.as_power
        if not isinstance(total, Add) or e == 1 or not is_rational(e):
            continue
        for j, (g, t) in enumerate(term.factors):
            m, k = g.as_power
            if i == j or not is_rational(k) or m.kind == "add" or not set(t) <= set(s):
                continue
            below = {-d for b, d in _parts_of_terms(total) if b is m and isinstance(d, int) and d < 0}
            times = max([n for n in below if abs(k - n * e) < abs(k)], default=0)
            if not times or not (isinstance(e, int) or is_nonnegative(m)):
                continue  # √ loses the sign of what goes into it
            places = tuple([s.index(label) for label in t])
            inside = _times(total, pow_(m, times), places)
            rest = all_but(term.factors, i, j)
            result = shaped(term.shape, term.coef, [*rest, (pow_(m, k - times * e), t), (pow_(inside, e), s)])
            if result.weight < term.weight:
                return result
    return None


def one_root(term: Add) -> Expr | None:
    """Roots of sums that are multiples of each other as one: a/√(1 − x²/a²) + √(a² − x²) has a²/√(a² − x²)."""
    rows = [t.factors for _, t, _ in term.terms]
    powers = {f: f.as_power for factors in rows for f, _ in factors}
    roots = {f: (b, e) for f, (b, e) in powers.items() if isinstance(b, Add) and isinstance(e, Fraction)}
    bases = {b for b, _ in roots.values()}
    if len(bases) < 2:
        return None
    for f, (base, e) in roots.items():
        for m, d in _parts_of_terms(base):
            if not isinstance(d, int) or d >= 0 or m.rank or not is_nonnegative(m):
                continue
            inside = _times(base, pow_(m, -d), ())
            if inside in bases:
                other = shaped(f.shape, 1, [(pow_(inside, e), f.axes), (pow_(m, d * e), ())])
                result = simplify(substitute(term, {f: other}))
                if result.weight < term.weight:
                    return result
    return None


def _times(total: Add, m: Expr, labels: Indices) -> Expr:
    """A sum with each term multiplied by a factor read at some of its axes."""
    return shaped_distributed(total.shape, 1, [(total, total.axes), (m, labels)], 0)


def common_denominator(term: Add) -> Expr | None:
    """Terms over powers of the same thing over the highest of them, or the lowest that all have, if that is shorter."""
    shorter = [result for result in over_denominators(term) if result.weight < term.weight]
    return min(shorter, key=lambda result: result.weight) if shorter else None


def over_denominators(term: Add) -> list[Expr]:
    """The same, in each way."""
    if term.weight > FACTORED:
        return []
    rows = [_taken_apart(*x, i) for i, x in enumerate(term.terms)]
    candidates: dict[Any, list[Any]] = {}
    for _, factors in rows:
        for f, s in factors:
            base, e = f.as_power
            if is_rational(e) and e < 0 and all(isinstance(k, int) for k in s):
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
    rows = [_taken_apart(*x, i) for i, x in enumerate(term.terms)]
    least: dict[Any, Any] = {}
    for k, (_, factors) in enumerate(rows):
        here: dict[Any, Any] = {}
        for f, s in factors:
            base, e = f.as_power
            if (
                isinstance(e, int)
                and e > 0
                and base.kind not in ("one", "delta")
                and all(isinstance(k, int) for k in s)
            ):
                here[id(base), s] = (base, s, here.get((id(base), s), (base, s, 0))[2] + e)
        if k == 0:
            least = here
        least = {k: (*least[k][:2], min(least[k][2], here[k][2])) for k in least if k in here}
    if all(e == 1 for *_, e in least.values()) and (len(least) < 2 or any(b.rank == 1 for b, *_ in least.values())):
        return None  # `factored` sees to it, and to what it leaves behind: diag(p) − p pᵀ
    every = term.axes
    terms = []
    for c, factors in rows:
        rest = [*_renamed(factors, term.rank), *[(pow_(base, -e), s) for base, s, e in least.values()]]
        terms.append((c, shaped(term.shape, 1, rest), every))
    total = multiplied(shaped_sum(term.shape, terms))
    result = shaped(term.shape, 1, [*[(pow_(base, e), s) for base, s, e in least.values()], (total, every)])
    return result if result.weight < term.weight else None


def _bases(t: Expr) -> set[Expr]:
    """What a term is a product of powers of, those that are summed left out."""
    return {f.base for f, s in t.factors if not s or max(s) < t.rank}


def multiplied(total: Expr) -> Expr:
    """A sum with its brackets multiplied out, if that is shorter."""
    inner, scale, order = inner_sum(total)
    shorter = multiplied_out(inner) if inner is not None else None
    return total if shorter is None else shaped(total.shape, scale, [(shorter, order)])


def _taken_apart(c: Any, t: Expr, s: Indices, number: int) -> tuple[Any, list[Any]]:
    """A term as a number and factors in the sum's labels; summed labels are pairs."""
    names = [*s, *[(number, k) for k in range(t.rank, len(t.dims))]]
    return c * t.coef, [(f, labels_at(names, labels)) for f, labels in t.factors]


def _over(term: Add, rows: Any, base: Expr, s: Any, lowest: Any) -> Expr | None:
    every = term.axes
    terms: list[Any] = []
    for c, factors in rows:
        here = 0
        rest = []
        for f, labels in factors:
            b, e = f.as_power
            if b is base and labels == s and is_rational(e):
                here = here + e
            else:
                rest.append((f, labels))
        up = here - lowest
        rest = _renamed(rest, term.rank)
        if isinstance(base, Add) and up != 0:
            if up != 1:
                return None
            terms.append((c, shaped_distributed(term.shape, 1, [(base, s), *rest], 0), every))
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
