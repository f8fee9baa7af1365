"""Quotients of sums in their lowest terms: what an algebra book does to ``(t² + 1)/(t − 1)²  − 2t/(t − 1)``.

The idea to hold: a term that is computed entry by entry is a rational function of what it is made of, whatever its
shape. SymPy cancels and factors that function; its result is taken where it is shorter.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any, NamedTuple

from .. import _limits
from .._limits import bound
from .._trees import postorder
from ..terms import (
    Add,
    Ein,
    Expr,
    Factor,
    Indices,
    Map,
    add,
    connected,
    constant_of,
    ein,
    is_rational,
    labels_at,
    labels_in,
    map_,
    number,
    pow_,
    remembered,
    row,
    scaled,
    shaped,
    shaped_sum,
    simple_fraction,
    summands,
    surd,
    terms_and_factors,
    with_number,
)


class _Root(NamedTuple):
    """A root of a term: ``symbol ** order`` is ``inside``, as SymPy has it."""

    symbol: Any
    order: int
    inside: Any


class _Power(NamedTuple):
    """A power of a term (of e, where there is none) whose exponent is no number."""

    base: Factor | None
    exponent: Factor


class TooLong(Exception):
    """There are more different things in a term than are looked through."""


_APART = 2
"""Different things in a divisor up to which quotients are taken apart: p/q² + (1 − p)/(1 − q)²."""


RATIONAL_COUNT = bound(300)
"""Terms that a quotient may have, multiplied out, to be brought to lowest terms."""
RATIONAL_TERMS = bound(24)
"""Terms of a numerator or divisor, multiplied out, up to which they are factored."""
RATIONAL_APART = bound(4)
"""Degree up to which quotients are taken apart."""


class RationalFunction:
    """A term as SymPy's rational function of what it is made of.

    Attributes
    ----------
    symbols : what each of SymPy's symbols stands for
    roots : the symbols that are roots
    powers : the symbols that are powers with exponents of which only the numbers are taken apart: xⁿ⁻² is xⁿ/x²
    whole : the function
    """

    def __init__(self, term: Expr, closed: Collection[Expr]) -> None:
        import sympy

        self.sympy = sympy
        self.symbols: dict[Any, Factor] = {}
        self.roots: dict[Any, _Root] = {}
        self.powers: dict[Any, _Power] = {}
        self._names: dict[Any, Any] = {}
        self._closed = closed
        self._counts: dict[Any, set[int]] = {}
        self.whole: Any = self._read(term, term.axes)
        if self.whole.has(sympy.zoo, sympy.nan, sympy.oo) or max(_counted(self.whole)) > RATIONAL_COUNT:
            raise TooLong
        self._join_powers()
        self._relations = [tuple(root) for root in self.roots.values()] + self._circular()

    # ------------------------------------------------------------------------------------------ from terms to SymPy

    def _read(self, term: Expr, at: Indices) -> Any:
        sp = self.sympy
        if isinstance(term, Add) and term not in self._closed:
            parts = [self._number(c) * self._read(t, labels_at(at, s)) for c, t, s in term.terms]
            return sp.Add(*parts)
        if isinstance(term, Ein):
            return self._product(term, at)
        if term.base is not term and is_rational(term.exponent):
            base, labels = term.args[0]
            return self._power(base, labels, term.exponent, at)
        if term.operation in ("exp", "pow_tensor"):
            return self._exponential([(a, labels_at(at, s)) for a, s in term.args])
        return self._symbol(term, at)

    def _product(self, term: Ein, at: Indices) -> Any:
        """Each factor by itself, but for those that are summed together."""
        whole: list[Factor] = []
        summed: list[Factor] = []
        for f, s in term.factors:
            (summed if any(k >= term.rank for k in s) else whole).append((f, s))
        parts = [self._number(term.coef), *[self._read(f, labels_at(at, s)) for f, s in whole]]
        for group in connected(summed, term.rank):
            out = tuple(sorted({k for _, s in group for k in s if k < term.rank}))
            inner = ein(1, group, out)
            parts.append(self._symbol(inner, labels_at(at, out)))
        return self.sympy.Mul(*parts)

    def _power(self, base: Expr, labels: Indices, exponent: int | Fraction, at: Indices) -> Any:
        order = exponent.denominator
        if max(abs(exponent.numerator), order) > RATIONAL_COUNT:  # the degree of a polynomial
            raise TooLong
        inside = self._read(base, labels_at(at, labels))
        if order == 1:
            return inside ** int(exponent)
        root = self._named((inside, order), self.roots, lambda symbol: _Root(symbol, order, inside))
        return root ** (exponent.numerator)

    def _exponential(self, operands: list[Factor]) -> Any:
        """A power with a sum in its exponent as a product of powers."""
        exponent, at = operands.pop()
        base = operands[0] if operands else None
        whole = self.sympy.Integer(1)
        terms: list[Any] = summands(exponent, 1, exponent.axes)  # 2(n − 1) is 2n − 2
        for c, t, s in terms:
            value = constant_of(t)
            if base is not None and is_rational(value):
                whole *= self._power(base[0], base[0].axes, c * value, base[1])
                continue
            if t.factors:
                c, t = c * t.coef, with_number(1, t)
            count = c if isinstance(c, int) else 1
            if count is not c:
                t = scaled(c, t)
            whole *= self._power_symbol(_Power(base, (t, labels_at(at, s))), count) ** count
        return whole

    def _power_symbol(self, power: _Power, count: int) -> Any:
        found = self._named(power, self.powers, lambda _: power)
        self._counts.setdefault(found, set()).add(count)
        return found

    def _join_powers(self) -> None:
        """Where there is only x²ᵃ, no xᵃ is made of it: there may be none (x < 0)."""
        for symbol, counts in self._counts.items():
            times = math.gcd(*counts)
            if times > 1:
                base, (unit, at) = self.powers[symbol]
                self.powers[symbol] = _Power(base, (scaled(times, unit), at))
                part = symbol ** self.sympy.Rational(1, times)
                self.whole = self.whole.subs(symbol, part)
                for g, root in self.roots.items():
                    self.roots[g] = root._replace(inside=root.inside.subs(symbol, part))

    def _circular(self) -> list[tuple[Any, int, Any]]:
        """What is known of sines and cosines of one argument; their tangent is their quotient."""
        there = {(t.operation, t.args[0], at): g for g, (t, at) in self.symbols.items() if isinstance(t, Map)}
        found = []
        for (name, argument, at), cosine in there.items():
            sign = {"cos": -1, "cosh": 1}.get(name)
            sine = there.get((name.replace("cos", "sin"), argument, at))
            if sign and sine is not None:
                tangent = there.get((name.replace("cos", "tan"), argument, at))
                self.whole = self.whole if tangent is None else self.whole.subs(tangent, sine / cosine)
                found.append((cosine, 2, 1 + sign * sine**2))
        return found

    def _symbol(self, term: Expr, at: Indices) -> Any:
        return self._named((id(term), at), self.symbols, lambda _: (term, at))

    def _named(self, key: Any, meanings: dict[Any, Any], meaning_of: Callable[[Any], Any]) -> Any:
        """The symbol of a key, whose meaning is noted when it is made."""
        if key not in self._names:
            if len(self._names) >= _limits.RATIONAL_SYMBOLS:
                raise TooLong
            self._names[key] = found = self.sympy.Symbol(f"a{len(self._names)}")
            meanings[found] = meaning_of(found)
        return self._names[key]

    def _number(self, value: Any) -> Any:
        if isinstance(value, complex):
            return self._symbol(number(value), ())
        if not isinstance(value, float):
            return self.sympy.Rational(value.numerator, value.denominator)
        scale, kernel = surd(value) or (Fraction(1), 1)
        if kernel > 1:  # √12 is 2√3
            return self._number(scale) * self._power(number(kernel), (), Fraction(1, 2), ())
        for symbol, (known, _) in self.symbols.items():  # 2π beside π; what is not exact else stays as it was written
            base = constant_of(known)
            ratio = simple_fraction(value / base) if isinstance(base, float) else None
            if ratio is not None:
                return self._number(ratio) * symbol
        return self._symbol(number(value), ())

    # ---------------------------------------------------------------------------------------------------- its forms

    def forms(self) -> list[Any]:
        """The function in lowest terms: above factored, written out, what all its terms share in front."""
        try:
            factors, divisors = self._in_lowest_terms()
        except ZeroDivisionError:  # a bracket below is 0 when it is opened
            return [self.whole]
        above, below = _multiplied(factors), _multiplied(divisors)
        if max(len(above), len(below)) > RATIONAL_TERMS:
            return [self.whole]
        written, under = above.as_expr(), below.as_expr()
        highs = [_product(factors), written, _product(_joined_again(factors, once=True))]
        lows = [_product(divisors), _product(_joined_again(divisors))]  # x(1 − x), but 1 − x² for (1 + x)(1 − x)
        forms = [high / low for low in lows for high in highs]
        if len(under.free_symbols) <= _APART and len(written.free_symbols | under.free_symbols) <= 2 * _APART:
            for k in range(above.ring.ngens):
                if 0 < below.degree(k) <= RATIONAL_APART and above.degree(k) <= RATIONAL_APART:
                    forms.append(_apart(above, divisors, k))
        return list(dict.fromkeys(forms))

    def _in_lowest_terms(self) -> tuple[Factored, Factored]:
        """The function as a quotient of two products that have no factor in common."""
        there = self.whole.free_symbols.union(*[inside.free_symbols for _, _, inside in self._relations])
        symbols = sorted(there, key=lambda g: int(g.name[1:]))
        ring = self.sympy.polys.rings.PolyRing(symbols, self.sympy.ZZ, self.sympy.polys.orderings.lex)
        read = _Reader(ring)
        number, powers = read.quotient(self.whole)
        for g, order, inside in self._relations:
            if g in symbols:
                number, powers = read.reduced((number, powers), symbols.index(g), order, inside)
        return _part((number, powers), 1, ring), _part((number, powers), -1, ring)

    # ------------------------------------------------------------------------------------------ from SymPy to terms

    def term(self, form: Any, like: Expr) -> Expr:
        """The term that a function says, in the shape of another."""
        dims = dict(enumerate(like.shape))
        coef, factors = self._factors(form, dims)
        return shaped(like.shape, coef, factors)

    def _factors(self, form: Any, dims: dict[int, Any]) -> tuple[Any, list[Factor]]:
        coef: Any = 1
        factors = []
        exponents: dict[Factor | None, list[tuple[int, Factor]]] = {}
        for part in self.sympy.Mul.make_args(form):
            base, exponent = part.as_base_exp()
            if part.is_Rational:
                coef = coef * Fraction(int(part.p), int(part.q))
            elif base in self.powers:
                power = self.powers[base]
                exponents.setdefault(power.base, []).append((int(exponent), power.exponent))
            elif base in self.roots and self.roots[base].inside.is_Integer:
                coef = coef * math.sqrt(int(self.roots[base].inside)) ** int(exponent)
            elif base in self.roots:
                root = self.roots[base]
                inside, labels = self._whole(root.inside, dims)
                factors.append((pow_(inside, Fraction(int(exponent), root.order)), labels))
            else:
                inside, labels = self._whole(base, dims)
                factors.append((pow_(inside, int(exponent)), labels))
        for of, found in exponents.items():
            factors = _joined(of, found, factors, dims)
        return coef, factors

    def _whole(self, form: Any, dims: dict[int, Any]) -> Factor:
        """A function as one term, and the labels at which it is read."""
        if form in self.symbols:
            return self.symbols[form]
        parts = [self._factors(part, dims) for part in self.sympy.Add.make_args(form)]
        labels = labels_in([factor for _, factors in parts for factor in factors])
        place = {k: i for i, k in enumerate(labels)}
        shape = tuple([dims[k] for k in labels])
        terms = []
        for coef, factors in parts:
            own = labels_in(factors)
            inner = ein(coef, factors, own, dims)
            terms.append((1, inner, labels_at(place, own)))
        return shaped_sum(shape, terms), labels


Quotient = tuple[Fraction, dict[Any, int]]
"""A number, and polynomials that have no factors, with their powers, negative ones below."""


class _Reader:
    """What SymPy has of a rational function as a product: the parts of a sum are factored one by one, so that of each
    sum only what its terms do not share is left to be factored."""

    def __init__(self, ring: Any) -> None:
        self.ring, self.known = ring, dict[Any, Quotient]()
        self.known.update({g: (Fraction(1), {p: 1}) for g, p in zip(ring.symbols, ring.gens, strict=True)})

    def quotient(self, form: Any) -> Quotient:
        """The product that is a function."""
        if form not in self.known:
            if form.is_Rational:
                self.known[form] = Fraction(int(form.p), int(form.q)), {}
            elif form.is_Pow:
                self.known[form] = self.power(self.quotient(form.base), int(form.exp))
            else:
                parts = [self.quotient(part) for part in form.args]
                self.known[form] = self.total(parts) if form.is_Add else self.product(parts)
        return self.known[form]

    def power(self, of: Quotient, exponent: int) -> Quotient:
        """A whole power."""
        return of[0] ** exponent, {f: e * exponent for f, e in of[1].items()} if exponent else {}

    def product(self, parts: list[Quotient]) -> Quotient:
        """The product of products."""
        powers = Counter[Any]()
        for _, more in parts:
            powers.update(more)
        return math.prod([c for c, _ in parts], start=Fraction(1)), {f: e for f, e in powers.items() if e}

    def total(self, parts: list[Quotient]) -> Quotient:
        """The sum of products."""
        parts = [(c, powers) for c, powers in parts if c]
        shared = {f: min([powers.get(f, 0) for _, powers in parts]) for _, powers in parts for f in powers}
        times = math.lcm(*[c.denominator for c, _ in parts])
        rest = self.ring.zero
        for c, powers in parts:
            own = [(f, powers.get(f, 0) - e) for f, e in shared.items() if powers.get(f, 0) > e]
            rest += _multiplied((int(c * times), own, self.ring))
        if not rest:
            return Fraction(0), {}
        for f in [f for f, e in shared.items() if e < 0]:
            while not rest.rem(f):
                rest, shared[f] = rest.quo(f), shared[f] + 1
        return self.product([(Fraction(1, times), shared), _factored(rest)])

    def reduced(self, of: Quotient, k: int, order: int, inside: Any) -> Quotient:
        """A quotient with powers of the k-th symbol above below an order, that power being a known function."""
        number, powers = of
        above = _multiplied(_part((Fraction(1), powers), 1, self.ring))
        if above.degree(k) < order:
            return of
        g, known = self.ring.gens[k], self.quotient(inside)
        parts = [
            self.product([_factored(before), (Fraction(1), {g: e % order}), self.power(known, e // order)])
            for e, before in _by_powers(above, k)
        ]
        return self.product([(number, {f: e for f, e in powers.items() if e < 0}), self.total(parts)])


@lru_cache(_limits.FACTORED)
def _factored(whole: Any) -> Quotient:
    """A polynomial as a product of what has no factors."""
    number, factors = whole.factor_list()
    return Fraction(int(number)), dict(factors)


def _by_powers(whole: Any, k: int) -> list[tuple[int, Any]]:
    """The exponents of the k-th symbol in a polynomial, each with the polynomial that stands before it."""
    found: dict[int, dict[Any, Any]] = {}
    for powers, c in whole.terms():
        found.setdefault(powers[k], {})[(*powers[:k], 0, *powers[k + 1 :])] = c
    return [(e, whole.ring.from_dict(part)) for e, part in found.items()]


Factored = tuple[int, list[tuple[Any, int]], Any]
"""A whole number, and polynomials with their powers, in a ring of them."""


def _part(of: Quotient, sign: int, ring: Any) -> Factored:
    """What is above in a quotient, or with the sign −1 what is below."""
    number, powers = of
    whole = number.numerator if sign > 0 else number.denominator
    return whole, [(f, sign * e) for f, e in powers.items() if sign * e > 0], ring


def _multiplied(factored: Factored) -> Any:
    number, factors, ring = factored
    return math.prod([f**e for f, e in factors], start=ring(number))


def _product(factored: Factored) -> Any:
    """The product as SymPy writes it."""
    from sympy import Integer

    number, factors, _ = factored
    return math.prod([f.as_expr() ** e for f, e in factors], start=Integer(number))


def _joined_again(factored: Factored, once: bool = False) -> Factored:
    """Factors that are sums and have one power, or all of them ``once``, multiplied out; symbols stay apart."""
    number, factors, ring = factored
    sums: dict[int, Any] = {}
    for f, e in factors:
        if len(f) > 1:
            power = 1 if once else e
            sums[power] = sums.get(power, 1) * (f**e if once else f)
    return number, [(f, e) for f, e in factors if len(f) == 1] + [(f, e) for e, f in sums.items()], ring


def _apart(above: Any, divisors: Factored, k: int) -> Any:
    """A quotient as a polynomial in the k-th symbol and partial fractions, each over a power of a factor below.

    Of the remainder over the powers p of factors, what stands over p is the remainder times the inverse, modulo p, of
    the others; and over p = fⁿ it is written in powers of f.
    """
    import sympy as sp

    ring, (number, factors, _) = above.ring, divisors
    g, others = ring.symbols[k], [*ring.symbols[:k], *ring.symbols[k + 1 :]]
    field = sp.ZZ.frac_field(*others) if others else sp.QQ

    def coefficient(c: Any) -> Any:
        if not others:
            return field(int(c.coeff(1)))
        return field.field(field.field.ring.from_dict({(*p[:k], *p[k + 1 :]): n for p, n in c.terms()}))

    def in_g(whole: Any) -> Any:
        return sp.Poly({(e,): coefficient(c) for e, c in _by_powers(whole, k)}, g, domain=field)

    powers = [(in_g(f), f, n) for f, n in factors if f.degree(k)]
    before = math.prod([coefficient(f**n) for f, n in factors if not f.degree(k)], start=field(number))
    divisor = math.prod([f**n for f, _, n in powers], start=sp.Poly(1, g, domain=field))
    whole, rest = in_g(above).mul_ground(1 / before).div(divisor)
    found = [*sp.Add.make_args(whole.as_expr())]
    for f, below, n in powers:
        p = f**n
        left = (rest * divisor.quo(p).invert(p)).rem(p) if len(powers) > 1 else rest
        for e in range(n, 0, -1):
            left, over = left.div(f)
            found.append(_fraction(over, ring, k) / below.as_expr() ** e)
    return sp.Add(*found)


def _fraction(whole: Any, ring: Any, k: int) -> Any:
    """A polynomial in the k-th symbol, whose coefficients are quotients, as one quotient, factored."""

    def lifted(c: Any, e: int) -> Any:
        terms = c.terms() if hasattr(c, "terms") else [((0,) * (ring.ngens - 1), c)]
        return ring.from_dict({(*p[:k], e, *p[k:]): n for p, n in terms})

    parts = [(e, whole.domain.numer(c), whole.domain.denom(c)) for (e,), c in whole.as_dict(native=True).items()]
    below = reduce(lambda a, b: a.lcm(b), [lifted(c, 0) for _, _, c in parts], ring.one)
    above = sum([lifted(c, e) * below.quo(lifted(d, 0)) for e, c, d in parts], ring.zero)
    return _product(_part(_factored(above), 1, ring)) / _product(_part(_factored(below), 1, ring))


def _joined(
    base: Factor | None, found: list[tuple[int, Factor]], factors: list[Factor], dims: dict[int, Any]
) -> list[Factor]:
    """Factors with powers of one base (e, where there is none), and what whole power of it is among them, as one."""
    terms: list[Any] = [(c, *exponent) for c, exponent in found]
    rest = []
    for f, s in factors:
        inside, count = f.as_power
        if (inside, s) == base:
            terms.append((count, number(1), ()))
        else:
            rest.append((f, s))
    labels = tuple(sorted({k for _, _, s in terms for k in s}))
    exponent = (add(terms, labels, dims), labels)
    operands = [exponent] if base is None else [base, exponent]
    labels = labels_in(operands)
    return [*rest, (map_(row("exp" if base is None else "pow_tensor"), operands, (), labels), labels)]


def _counted(form: Any) -> tuple[int, int]:
    """How many terms numerator and divisor have at most, multiplied out: opening brackets may take long."""
    if form.is_Pow and form.exp.is_Integer:
        above, below = _counted(form.base)
        n = min(abs(int(form.exp)), RATIONAL_COUNT)
        return (above**n, below**n) if form.exp > 0 else (below**n, above**n)
    if not form.is_Add and not form.is_Mul:
        return 1, 1
    parts = [_counted(part) for part in form.args]
    below = math.prod([b for _, b in parts])
    above = sum([a * below // b for a, b in parts]) if form.is_Add else math.prod([a for a, _ in parts])
    return above, below


# ------------------- A term as a rational function of what it is made of, as SymPy has it, in several forms, and back
#
# The idea to hold: symbols, functions, sums over indices are symbols; a root is a symbol g of which a power is known,
# gᵠ = s, and so is a cosine beside its sine: numerators are reduced by what is known.


def lowest_terms(term: Add | Ein) -> Expr | None:
    """A quotient with a sum below in lowest terms, factored or written out, if that is shorter."""
    return _shortest(term) if _divides(term) and term.weight <= _limits.RATIONAL_WEIGHT else None


def factored_divisor(term: Map) -> Expr | None:
    """A divisor with what its terms share in front, 1/(x(1 − x)): a pair of brackets more than 1/(x − x²), or none.

    What its terms are divided by goes above: 1/(1 − u/f) is f/(f − u).
    """
    if not _is_divisor(term) or term.weight > _limits.RATIONAL_WEIGHT or isinstance(term.params[0], Fraction):
        return None
    base = term.children[0]
    try:
        found = RationalFunction(base, _closed(base))
    except TooLong:
        return None
    if found.powers:  # x/(x + xⁿ) for 1/(1 + xⁿ⁻¹) is undefined at 0
        return None
    sp = found.sympy
    above, below = sp.fraction(sp.together(found.whole))
    parts = sp.Mul.make_args(sp.factor_terms(above))
    if below.is_Number and len(parts) == 1:
        return None
    result = found.term((below / sp.Mul(*parts)) ** -term.params[0], term)
    return result if result is not term and result.weight <= term.weight + _FACTORED else None


def polynomial(term: Add) -> Expr | None:
    """A polynomial in a function as a product, if that is shorter: p − 3p² + 2p³ for p = σ(x) is p(1 − p)(1 − 2p)."""
    found = _shortest(term) if _is_worth_it(term) else None
    return None if isinstance(found, Add) else found


def opened_polynomial(term: Add) -> Expr | None:
    """A polynomial in a function as a sum of powers, if that is shorter than any product."""
    found = _shortest(term) if _is_worth_it(term) else None
    return found if isinstance(found, Add) else None


def _is_worth_it(term: Add) -> bool:
    return term.weight <= _limits.RATIONAL_WEIGHT and (_recurs(term) or _opens(term) or _irrational(term))


RATIONAL_OPENED = bound(80)
"""Weight of a term up to which its brackets are opened for that."""


@remembered
def _shortest(term: Expr) -> Expr | None:
    """The shortest of a term's forms, if it is shorter than the term."""
    best: Expr | None = None
    closed = _closed(term)
    opened: list[frozenset[Expr]] = [frozenset()] if term.weight <= RATIONAL_OPENED else []
    for brackets in dict.fromkeys([closed, *opened]):
        try:
            found = RationalFunction(term, brackets)
        except TooLong:
            continue
        if found.whole.is_Atom or not found.symbols:
            continue
        whole, *others = [found.term(form, term) for form in found.forms()]
        shortest = min(others, key=lambda made: made.weight, default=whole)
        if shortest.weight + _FACTORED >= whole.weight:
            shortest = whole
        best = shortest if best is None or shortest.weight < best.weight else best
    if best is None:
        return None
    longer = max(0, _digits(best) - _digits(term))
    return best if best.weight + longer < term.weight - _saved(term, closed) else None


def _digits(term: Expr) -> int:
    """What the digits of its numbers add to a term's weight: 909.06a is longer than 2a."""
    every: list[Any] = postorder(term)
    own = [c for t in every for c in ([c for c, *_ in t.terms] if t.kind == "add" else [t.coef] * (t.kind == "ein"))]
    return 2 * sum([max(len(f"{abs(complex(c)):.6g}") - _SHORT, 0) for c in own])


_SHORT = 2
"""Digits of a number that weighs what a letter does."""


def _saved(term: Expr, brackets: frozenset[Expr]) -> int:
    """What a matrix would weigh less with names for the brackets that stand in it more than once.

    Of numbers the quotients in lowest terms are what makes them short, whether brackets in them come again or not.
    """
    if term.rank < 2:
        return 0
    uses = Counter([b for t in postorder(term) for b in t.children if b in brackets])
    weights = [(n, b.weight + _FACTORED) for b, n in uses.items() if n > 1]
    return sum([max(0, (n - 1) * w - 2 * n - _FACTORED) for n, w in weights])


_FACTORED = 4
"""What a product of factors may be longer than what it is written out: (1 − p)(1 − 2p)."""


def factors_of(term: Expr) -> list[tuple[Expr, int]]:
    """Terms that have no factors, and their whole powers, which multiplied are the term; itself if it is too long."""
    try:
        found = RationalFunction(term, frozenset())
    except TooLong:
        return [(term, 1)]
    sp = found.sympy
    powers = [part.as_base_exp() for part in sp.Mul.make_args(sp.factor(sp.together(found.whole)))]
    return [(found.term(base, term), int(e)) for base, e in powers]


def functions_of(term: Expr) -> list[Expr]:
    """A term in lowest terms with all brackets opened, in every form; nothing where it is made of too many things."""
    try:
        found = RationalFunction(term, frozenset())
    except TooLong:
        return []
    return [] if found.whole.is_Atom else [found.term(form, term) for form in found.forms()]


def _divides(term: Expr) -> bool:
    """Whether a sum is divided by, in a sum or beside one. (A book leaves a/r² − b/r³ as it is.)

    Or what is divided by stands in one of two sums above: (p − q)²/q.
    """
    if term.kind == "ein" and "add" not in [f.kind for f in term.children]:
        return False
    factors: list[Any] = _factors(term)
    below = [f for f in factors if type(f.exponent) in (int, Fraction) and f.exponent < 0]
    return bool(below) and (any(map(_is_divisor, below)) or _meets(factors))


def _meets(factors: list[Expr]) -> bool:
    """Whether a term of one of two brackets is divided by, in it or beside it: (q − p)(q + p)/q², (p − q)²/q."""
    brackets = [f for f in factors if isinstance(f.base, Add)]
    if len(brackets) + sum([not isinstance(f, Add) for f in brackets]) < 2:
        return False
    inside = {u for f in brackets for u in f.base.children}
    return any(b in inside for b, e in [f.as_power for f in factors] if isinstance(e, int) and e < 0)


def _recurs(term: Add) -> bool:
    """Whether an element-wise function occurs more than once."""
    seen = set()
    for f in _factors(term):
        base = f.base
        if isinstance(base, Map) and base.exponent == 1 and base.op.kind != "constant":
            known = base.args[0] if base.operation == "pow_tensor" else base
            if known in seen:
                return True
            seen.add(known)
    return False


def _irrational(term: Add) -> bool:
    """Whether numbers that are not exact stand in it more than once: √3 − √3(1 − √3r)."""
    coefs = [c for c, _, _ in term.terms]
    coefs += [t.coef for t in term.children]
    coefs += [c for f in terms_and_factors(term) if isinstance(f, Add) for c, _, _ in f.terms]
    return sum([isinstance(c, float) and not c.is_integer() for c in coefs]) > 1


def _opens(term: Add) -> bool:
    """Whether what is in a power of a sum occurs beside it: (u − x)² − u²."""
    rows = [[f.as_power for f, _ in t.factors] for t in term.children]
    for own in rows:
        opened = [b for b, e in own if isinstance(b, Add) and isinstance(e, int) and e > 1]
        inside = {v.base for b in opened for v in terms_and_factors(b)}
        if inside and any(b in inside for other in rows if other is not own for b, _ in other):
            return True
    return False


def _factors(term: Expr) -> list[Expr]:
    """The factors of a term, or of the terms of a sum, those of sums among them too."""
    parts = [t for _, t, _ in term.terms] if isinstance(term, Add) else [term]
    outer = [f for p in parts for f, _ in p.factors]
    return outer + [h for f in outer for u in _in_bracket(f) for h, _ in u.factors]


def _in_bracket(f: Any) -> tuple[Expr, ...]:
    """The terms of a sum, or of a power of one."""
    return f.base.children if f.base.kind == "add" else ()


def _is_divisor(f: Expr) -> bool:
    """Whether a factor is a negative power of a sum."""
    return is_rational(f.exponent) and f.exponent < 0 and isinstance(f.base, Add)


def _closed(root: Expr) -> frozenset[Expr]:
    """The brackets that are a name for what they hold: what is in them is nowhere else."""
    within: dict[Expr, list[frozenset[Expr]]] = {}
    bases: set[Expr] = set()
    stack: list[tuple[Expr, frozenset[Expr]]] = [(root, frozenset())]
    while stack:
        term, around = stack.pop()
        if isinstance(term, Add):
            stack += [(t, around | {term}) for t in term.children]
        elif isinstance(term, Ein):
            stack += [(f, around) for f in term.children]
        elif term.base is not term:
            stack.append((term.base, around))
        else:
            within.setdefault(term, []).append(around)
            if term.operation == "pow_tensor":
                bases.add(term.children[0])  # sᵃ and s² are powers of one thing
    brackets = {a for places in within.values() for around in places for a in around} - {root}
    brackets = {a for a in brackets if not any(map(_is_divisor, _factors(a)))}
    apart = {a for ps in within.values() for a in brackets if any(a in p for p in ps) and not all(a in p for p in ps)}
    return frozenset(bases | (brackets - apart))
