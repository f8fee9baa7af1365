"""A term as a rational function of what it is made of, as SymPy has it, in several forms, and back.

The idea to hold: symbols, functions, sums over indices are symbols; a root is a symbol g of which a power is known,
gᵠ = s, and so is a cosine beside its sine: numerators are reduced by what is known.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from fractions import Fraction
from typing import Any, NamedTuple

from .. import _limits
from ._add import add, inner_sum, shaped_sum
from ._ein import base_and_exponent, connected, constant_of, ein, number, row, shaped
from ._map import map_, pow_
from ._node import Add, Ein, Expr, Indices, Map
from ._number import simple_fraction, surd

Read = tuple[Expr, Indices]
"""A term, and the labels at which it is read."""


class _Root(NamedTuple):
    """A root of a term: ``symbol ** order`` is ``inside``, as SymPy has it."""

    symbol: Any
    order: int
    inside: Any


class _Power(NamedTuple):
    """A power of a term (of e, where there is none) whose exponent is no number."""

    base: Read | None
    exponent: Read


class TooLong(Exception):
    """There are more different things in a term than are looked through."""


_APART = 2
"""Different things in a divisor up to which quotients are taken apart: p/q² + (1 − p)/(1 − q)²."""


class Function:
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
        self.symbols: dict[Any, Read] = {}
        self.roots: dict[Any, _Root] = {}
        self.powers: dict[Any, _Power] = {}
        self._names: dict[Any, Any] = {}
        self._closed = closed
        self._counts: dict[Any, set[int]] = {}
        self.whole = self._read(term, tuple(range(term.rank)))
        if self.whole.has(sympy.zoo, sympy.nan, sympy.oo) or max(_counted(self.whole)) > _limits.RATIONAL_COUNT:
            raise TooLong
        self._join_powers()
        self._relations = [(root.symbol, root.order, root.inside) for root in self.roots.values()] + self._circular()

    # ------------------------------------------------------------------------------------------ from terms to SymPy

    def _read(self, term: Expr, at: Indices) -> Any:
        sp = self.sympy
        if isinstance(term, Add) and term not in self._closed:
            parts = [self._number(c) * self._read(t, tuple([at[k] for k in s])) for c, t, s in term.terms]
            return sp.Add(*parts)
        if isinstance(term, Ein) and (term.factors or not isinstance(term.coef, (float, complex))):
            return self._product(term, at)
        if isinstance(term, Map) and term.op.name == "pow_scalar" and isinstance(term.params[0], (int, Fraction)):
            return self._power(*term.args[0], term.params[0], at)
        if isinstance(term, Map) and term.op.name in ("exp", "pow_tensor"):
            return self._exponential([(a, tuple([at[k] for k in s])) for a, s in term.args])
        return self._symbol(term, at)

    def _product(self, term: Ein, at: Indices) -> Any:
        """Each factor by itself, but for those that are summed together."""
        whole: list[Read] = []
        summed: list[Read] = []
        for f, s in term.factors:
            (summed if any(k >= term.rank for k in s) else whole).append((f, s))
        parts = [self._number(term.coef), *[self._read(f, tuple([at[k] for k in s])) for f, s in whole]]
        for group in connected(summed, term.rank):
            out = tuple(sorted({k for _, s in group for k in s if k < term.rank}))
            inner = ein(1, group, out, {k: term.dims[k] for k in out})
            parts.append(self._symbol(inner, tuple([at[k] for k in out])))
        return self.sympy.Mul(*parts)

    def _power(self, base: Expr, labels: Indices, exponent: int | Fraction, at: Indices) -> Any:
        inside = self._read(base, tuple([at[k] for k in labels]))
        order = exponent.denominator if isinstance(exponent, Fraction) else 1
        if order == 1:
            return inside ** int(exponent)
        key = (inside, order)
        root = self._names.get(key)
        if root is None:
            root = self._names[key] = self._new()
            self.roots[root] = _Root(root, order, inside)
        return root ** (exponent.numerator)

    def _exponential(self, operands: list[Read]) -> Any:
        """A power with a sum in its exponent as a product of powers."""
        exponent, at = operands.pop()
        base = operands[0] if operands else None
        whole = self.sympy.Integer(1)
        for c, t, s in _terms(exponent):
            value = constant_of(t)
            if base is not None and isinstance(value, (int, Fraction)):
                whole *= self._power(base[0], tuple(range(base[0].rank)), c * value, base[1])
                continue
            if isinstance(t, Ein) and t.factors:
                c, t = c * t.coef, ein(1, t.factors, tuple(range(t.rank)), dict(enumerate(t.dims)))
            count = c if isinstance(c, int) else 1
            if count is not c:
                t = ein(c, [(t, tuple(range(t.rank)))], tuple(range(t.rank)))
            whole *= self._power_symbol(_Power(base, (t, tuple([at[k] for k in s]))), count) ** count
        return whole

    def _power_symbol(self, power: _Power, count: int) -> Any:
        found = self._names.get(power)
        if found is None:
            found = self._names[power] = self._new()
            self.powers[found] = power
        self._counts.setdefault(found, set()).add(count)
        return found

    def _join_powers(self) -> None:
        """Where there is only x²ᵃ, no xᵃ is made of it: there may be none (x < 0)."""
        for symbol, counts in self._counts.items():
            times = math.gcd(*counts)
            if times > 1:
                base, (unit, at) = self.powers[symbol]
                every = tuple(range(unit.rank))
                self.powers[symbol] = _Power(base, (ein(times, [(unit, every)], every), at))
                part = symbol ** self.sympy.Rational(1, times)
                self.whole = self.whole.subs(symbol, part)
                for g, root in self.roots.items():
                    self.roots[g] = root._replace(inside=root.inside.subs(symbol, part))

    def _circular(self) -> list[tuple[Any, int, Any]]:
        """What is known of sines and cosines of one argument; their tangent is their quotient."""
        there = {(t.op.name, t.args[0], at): g for g, (t, at) in self.symbols.items() if isinstance(t, Map)}
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
        key = (id(term), at)
        found = self._names.get(key)
        if found is None:
            found = self._names[key] = self._new()
            self.symbols[found] = (term, at)
        return found

    def _new(self) -> Any:
        if len(self._names) >= _limits.RATIONAL_SYMBOLS:
            raise TooLong
        return self.sympy.Symbol(f"a{len(self._names)}")

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
        sp = self.sympy
        above, below = sp.fraction(sp.cancel(sp.together(self.whole)))
        for g, order, inside in self._relations:
            above, below = self._reduced(above, below, g, order, inside)
        if max(len(sp.Add.make_args(sp.expand(e))) for e in (above, below)) > _limits.RATIONAL_TERMS:
            return [self.whole]
        highs = [sp.factor(above), above, sp.factor_terms(above)]
        parts = sp.Mul.make_args(sp.factor_terms(below))  # x(1 − x), but 1 − x² for (1 + x)(1 − x)
        square_free = sp.Mul(*[sp.sqf(f) if f.is_Add else f for f in parts])
        forms = [high / low for low in (sp.factor(below), square_free) for high in highs]
        if len(below.free_symbols) <= _APART and len(above.free_symbols | below.free_symbols) <= 2 * _APART:
            forms += [
                sp.apart(above / below, g) for g in sorted(below.free_symbols, key=str) if self._is_low(g, above, below)
            ]
        return list(dict.fromkeys(forms))

    def _is_low(self, g: Any, above: Any, below: Any) -> bool:
        """Whether a quotient's degree in a symbol is small: it takes long to take others apart."""
        degrees = [self.sympy.Poly(e, g).degree() for e in (above, below)]
        return max(degrees) <= _limits.RATIONAL_APART

    def _reduced(self, above: Any, below: Any, g: Any, order: int, inside: Any) -> tuple[Any, Any]:
        """A quotient whose numerator has powers of a root below its order."""
        sp = self.sympy
        if not above.has(g):
            return above, below
        top, under = sp.fraction(sp.together(inside))
        scale = under ** sp.degree(above, g)
        above = sp.expand(sp.rem(sp.expand(above * scale), sp.expand(under * g**order - top), g))
        above, below = sp.fraction(sp.cancel(above / (below * scale)))
        return above, below

    # ------------------------------------------------------------------------------------------ from SymPy to terms

    def term(self, form: Any, like: Expr) -> Expr:
        """The term that a function says, in the shape of another."""
        dims = dict(enumerate(like.shape))
        coef, factors = self._factors(form, dims)
        return shaped(like.shape, coef, factors)

    def _factors(self, form: Any, dims: dict[int, Any]) -> tuple[Any, list[Read]]:
        coef: Any = 1
        factors = []
        exponents: dict[Read | None, list[tuple[int, Read]]] = {}
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

    def _whole(self, form: Any, dims: dict[int, Any]) -> Read:
        """A function as one term, and the labels at which it is read."""
        if form in self.symbols:
            return self.symbols[form]
        if not form.is_Add:
            coef, factors = self._factors(form, dims)
            labels = tuple(sorted({k for _, s in factors for k in s}))
            return ein(coef, factors, labels, {k: dims[k] for k in labels}), labels
        parts = [self._factors(part, dims) for part in form.args]
        labels = tuple(sorted({k for _, factors in parts for _, s in factors for k in s}))
        place = {k: i for i, k in enumerate(labels)}
        shape = tuple([dims[k] for k in labels])
        terms = []
        for coef, factors in parts:
            own = tuple(sorted({k for _, s in factors for k in s}))
            inner = ein(coef, factors, own, {k: dims[k] for k in own})
            terms.append((1, inner, tuple([place[k] for k in own])))
        return shaped_sum(shape, terms), labels


def _terms(exponent: Expr) -> Collection[tuple[Any, Expr, Indices]]:
    """An exponent as a sum: 2(n − 1) is 2n − 2."""
    total, scale, order = inner_sum(exponent)
    if total is None:
        return [(1, exponent, tuple(range(exponent.rank)))]
    return [(scale * c, t, tuple([order[k] for k in s])) for c, t, s in total.terms]


def _joined(base: Read | None, found: list[tuple[int, Read]], factors: list[Read], dims: dict[int, Any]) -> list[Read]:
    """Factors with powers of one base (e, where there is none), and what whole power of it is among them, as one."""
    terms: list[Any] = [(c, *exponent) for c, exponent in found]
    rest = []
    for f, s in factors:
        inside, count = base_and_exponent(f)
        if (inside, s) == base:
            terms.append((count, number(1), ()))
        else:
            rest.append((f, s))
    labels = tuple(sorted({k for _, _, s in terms for k in s}))
    exponent = (add(terms, labels, {k: dims[k] for k in labels}), labels)
    operands = [exponent] if base is None else [base, exponent]
    labels = tuple(sorted({k for _, s in operands for k in s}))
    return [*rest, (map_(row("exp" if base is None else "pow_tensor"), operands, (), labels), labels)]


def _counted(form: Any) -> tuple[int, int]:
    """How many terms numerator and divisor have at most, multiplied out: opening brackets may take long."""
    if form.is_Pow and form.exp.is_Integer:
        above, below = _counted(form.base)
        n = min(abs(int(form.exp)), _limits.RATIONAL_COUNT)
        return (above**n, below**n) if form.exp > 0 else (below**n, above**n)
    if not form.is_Add and not form.is_Mul:
        return 1, 1
    parts = [_counted(part) for part in form.args]
    below = math.prod([b for _, b in parts])
    above = sum([a * below // b for a, b in parts]) if form.is_Add else math.prod([a for a, _ in parts])
    return above, below


__all__ = ["Function", "Read", "TooLong"]
