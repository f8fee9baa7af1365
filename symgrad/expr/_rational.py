"""Quotients of sums in their lowest terms: what an algebra book does to ``(t² + 1)/(t − 1)²  − 2t/(t − 1)``.

The idea to hold: a term that is computed entry by entry is a rational function of what it is made of, whatever its
shape (see `_rational_function`). SymPy cancels and factors that function; its result is taken where it is shorter.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from .. import _limits
from .._postorder import postorder
from ._ein import base_and_exponent
from ._node import Add, Ein, Expr, Map
from ._rational_function import Function, TooLong


def lowest_terms(term: Add | Ein) -> Expr | None:
    """A quotient with a sum below in lowest terms, factored or written out, if that is shorter."""
    return _shortest(term) if _divides(term) and term.weight <= _limits.RATIONAL_WEIGHT else None


def factored_divisor(term: Map) -> Expr | None:
    """A divisor with what its terms share in front, 1/(x(1 − x)): a pair of brackets more than 1/(x − x²), or none.

    What its terms are divided by goes above: 1/(1 − u/f) is f/(f − u).
    """
    if not _is_divisor(term) or term.weight > _limits.RATIONAL_WEIGHT or isinstance(term.params[0], Fraction):
        return None
    base = term.args[0][0]
    try:
        found = Function(base, _closed(base))
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
    worth = term.weight <= _limits.RATIONAL_WEIGHT and (_recurs(term) or _opens(term) or _irrational(term))
    return _shortest(term) if worth else None


def _shortest(term: Expr) -> Expr | None:
    """The shortest of a term's forms, if it is shorter than the term; worked out once as long as the term lives."""
    if "lowest terms" not in term.memo:
        term.memo["lowest terms"] = _found(term)
    return term.memo["lowest terms"]


def _found(term: Expr) -> Expr | None:
    best: Expr | None = None
    closed = _closed(term)
    opened: list[frozenset[Expr]] = [frozenset()] if term.weight <= _limits.RATIONAL_OPENED else []
    for brackets in dict.fromkeys([closed, *opened]):
        try:
            found = Function(term, brackets)
        except TooLong:
            continue
        if found.whole.is_Atom or not found.symbols:
            continue
        whole, *others = [found.term(form, term) for form in found.forms()]
        shortest = min(others, key=lambda made: made.weight, default=whole)
        if shortest.weight + _FACTORED >= whole.weight:
            shortest = whole
        best = shortest if best is None or shortest.weight < best.weight else best
    return best if best is not None and best.weight < term.weight - _saved(term, closed) else None


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


def functions_of(term: Expr) -> list[Expr]:
    """A term in lowest terms with all brackets opened, in every form; nothing where it is made of too many things."""
    try:
        found = Function(term, frozenset())
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
    powers = [f for f in factors if f.kind == "map" and f.op.name == "pow_scalar"]
    below = [f for f in powers if type(f.params[0]) in (int, Fraction) and f.params[0] < 0]
    return bool(below) and (any(map(_is_divisor, below)) or _meets(factors))


def _meets(factors: list[Expr]) -> bool:
    """Whether a term of one of two brackets is divided by, in it or beside it: (q − p)(q + p)/q², (p − q)²/q."""
    brackets = [f for f in factors if isinstance(_base(f), Add)]
    if len(brackets) + sum([not isinstance(f, Add) for f in brackets]) < 2:
        return False
    inside = {u for f in brackets for u in _base(f).children}
    return any(b in inside for b, e in map(base_and_exponent, factors) if isinstance(e, int) and e < 0)


def _recurs(term: Add) -> bool:
    """Whether an element-wise function occurs more than once."""
    seen = set()
    for f in _factors(term):
        base = f.args[0][0] if isinstance(f, Map) and f.op.name == "pow_scalar" else f
        if isinstance(base, Map) and base.op.name != "pow_scalar" and base.op.kind != "constant":
            known = base.args[0] if base.op.name == "pow_tensor" else base
            if known in seen:
                return True
            seen.add(known)
    return False


def _irrational(term: Add) -> bool:
    """Whether numbers that are not exact stand in it more than once: √3 − √3(1 − √3r)."""
    coefs = [c for c, _, _ in term.terms] + [f.coef for f in _factors(term) if isinstance(f, Ein)]
    coefs += [t.coef for t in term.children if isinstance(t, Ein)]
    coefs += [c for t in term.children for f in (t, *t.children) if isinstance(f, Add) for c, _, _ in f.terms]
    return sum([isinstance(c, float) and not c.is_integer() for c in coefs]) > 1


def _opens(term: Add) -> bool:
    """Whether what is in a power of a sum occurs beside it: (u − x)² − u²."""
    rows = [[base_and_exponent(f) for f in (t.children if isinstance(t, Ein) else (t,))] for t in term.children]
    for own in rows:
        opened = [b for b, e in own if isinstance(b, Add) and isinstance(e, int) and e > 1]
        inside = {f for b in opened for u in b.children for f in map(_base, (u, *u.children))}
        if inside and any(b in inside for other in rows if other is not own for b, _ in other):
            return True
    return False


def _base(f: Expr) -> Expr:
    return base_and_exponent(f)[0]


def _factors(term: Expr) -> list[Expr]:
    """The factors of a term, or of the terms of a sum, those of sums among them too."""
    parts = [t for _, t, _ in term.terms] if isinstance(term, Add) else [term]
    outer = [f for p in parts for f in (p.children if p.kind == "ein" else (p,))]
    inner = [u for f in outer for u in _in_bracket(f)]
    return outer + [h for u in inner for h in (u.children if u.kind == "ein" else (u,))]


def _in_bracket(f: Any) -> tuple[Expr, ...]:
    """The terms of a sum, or of a power of one."""
    base = f.args[0][0] if f.kind == "map" and f.op.name == "pow_scalar" else f
    return base.children if base.kind == "add" else ()


def _is_divisor(f: Expr) -> bool:
    """Whether a factor is a negative power of a sum."""
    if not (isinstance(f, Map) and f.op.name == "pow_scalar"):
        return False
    e, base = f.params[0], f.args[0][0]
    return isinstance(e, (int, Fraction)) and e < 0 and isinstance(base, Add)


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
        elif isinstance(term, Map) and term.op.name == "pow_scalar":
            stack.append((term.args[0][0], around))
        else:
            within.setdefault(term, []).append(around)
            if isinstance(term, Map) and term.op.name == "pow_tensor":
                bases.add(term.args[0][0])  # sᵃ and s² are powers of one thing
    brackets = {a for places in within.values() for around in places for a in around} - {root}
    brackets = {a for a in brackets if not any(map(_is_divisor, _factors(a)))}
    apart = {a for ps in within.values() for a in brackets if any(a in p for p in ps) and not all(a in p for p in ps)}
    return frozenset(bases | (brackets - apart))


__all__ = ["factored_divisor", "functions_of", "lowest_terms", "polynomial"]
