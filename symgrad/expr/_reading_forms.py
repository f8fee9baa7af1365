"""Other forms of a formula for reading, without definitions: sin(2t), x³ − ax, l(2u − 3x)/u⁴, (x/K)^a/x.

The idea to hold: normal form keeps apart what may cancel or merge, and in front what is shared; a reader often wants
the opposite. Each form is the whole formula with one piece of mathematics used wherever it fits, or None where it fits
nowhere; printers take it where it is shorter.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .. import _limits
from .._postorder import postorder
from ..show._layout import LAST
from ._add import add, inner_sum, shaped_sum
from ._algorithms import has_namesakes
from ._conditions import has_no_zero
from ._ein import base_and_exponent, ein, number, row, shaped
from ._factor import inside_product, pulled, pulled_otherwise
from ._lets import symbol_of
from ._map import is_nonnegative, map_, pow_
from ._node import Add, Call, Delta, Ein, Expr, Map, One, Var
from ._quotients import distributed, over_denominators
from ._reals import is_real
from ._substitute import changed, substitute
from ._weight import is_negative


def slopes_of_sigmoids(root: Expr) -> Expr | None:
    """σ(u)(1 − σ(u)) of a number without a symbol: σ(u)σ(−u), which loses no digits either."""

    def change(t: Any) -> Expr:
        factors = t.factors if isinstance(t, Ein) else ()
        for f, _ in factors:
            if isinstance(f, Map) and f.op.name == "sigmoid" and not f.shape:
                rest, sign = _complement(f)
                if any(g is rest for g, _ in factors):
                    opposite = map_(f.op, [(ein(-1, [f.args[0]], ()), ())], (), ())
                    others = [(g, s) for g, s in factors if g is not rest]
                    return shaped(t.shape, sign * t.coef, [*others, (opposite, ())])
        return t

    found = changed(root, change)
    return found if found is not root else None


def _complement(f: Expr) -> tuple[Expr, Any]:
    """1 − σ(u) as it stands among factors: a sum, and the sign in front of it."""
    rest: Any = add([(1, number(1), ()), (-1, f, ())], ())
    return (rest.factors[0][0], rest.coef) if isinstance(rest, Ein) else (rest, 1)


def double_angles(root: Expr) -> Expr | None:
    """2 sin(t) cos(t) as sin(2t), also beside other factors: normal form keeps them apart, so that powers meet."""

    def change(t: Any) -> Expr:
        factors = list(t.factors) if isinstance(t, Ein) else []
        for f, s in factors:
            if isinstance(f, Map) and f.op.name == "sin":
                beside = next((x for x in factors if x[1] == s and _is_cosine(x[0], f)), None)
                if beside is not None:
                    (u, at), every = f.args[0], tuple(range(f.rank))
                    angle = map_(f.op, [(ein(2, [(u, at)], every, dict(enumerate(f.shape))), every)], (), every)
                    rest = [x for x in factors if x[0] is not f and x is not beside]
                    return shaped(t.shape, Fraction(1, 2) * t.coef, [*rest, (angle, s)])
        return t

    found = changed(root, change)
    return found if found is not root else None


def _is_cosine(f: Expr, sine: Map) -> bool:
    return isinstance(f, Map) and f.op.name == "cos" and f.args == sine.args


def opened(root: Expr) -> Expr | None:
    """Products of a sum multiplied out where powers meet: (AX + XA)X as AX² + XAX, x(x² − a) as x³ − ax.

    The factors p(1 − p) say more, and those of functions: t(1 − t²) where t = tanh(x).
    """

    def change(t: Expr) -> Expr:
        sums = [x for x in t.factors if isinstance(x[0], Add)] if isinstance(t, Ein) else []
        if len(sums) != 1 or len(t.children) < 2:
            return t
        total, s = sums[0]
        rest = [x for x in t.factors if x != sums[0]]  # type: ignore[attr-defined]
        inside = [base_and_exponent(g) for u in total.children for g in (u, *u.children)]
        square = {b for b, _ in inside if b.rank == 2 and b.shape[0] == b.shape[1]}
        powers = square | {b for b, e in inside if isinstance(e, int) and e > 1}
        meeting = [b for b in [base_and_exponent(g)[0] for g, _ in rest] if b in powers]
        if not meeting or any(_is_function(b) for b in meeting):
            return t
        result = distributed(t.coef, total, s, rest, t)  # type: ignore[arg-type, attr-defined]
        by_name: dict[Expr, Expr] = {b: symbol_of("⁻¹", b) for b in meeting if isinstance(b, Call)}  # they may get one
        most = substitute(t, by_name).weight + _limits.READ_OPENED
        return result if result is not None and substitute(result, by_name).weight <= most else t

    found = changed(root, change)
    return found if found is not root else None


def _is_function(t: Expr) -> bool:
    return isinstance(t, (Map, Call)) and t.op.name != "inv"


_POWERS = ("pow_scalar", "pow_tensor")


def separated(root: Expr) -> Expr | None:
    """Exponentials of sums over different axes as products: exp(x𝟏ᵀ + 𝟏yᵀ) as exp(x)exp(y)ᵀ.

    Normal form has one exponential, so that exponents meet.
    """

    def change(t: Any) -> Expr:
        total, scale, order = inner_sum(t.args[0][0]) if isinstance(t, Map) and t.op.name == "exp" else (None, 1, ())
        if total is None or t.rank < 2 or any(len(s) > 1 for *_, s in total.terms):
            return t
        axes = [t.args[0][1][k] for k in order]
        along: dict[Any, list[Any]] = {}
        for c, u, s in total.terms:
            along.setdefault(axes[s[0]] if s else 0, []).append((scale * c, u, (0,) if s else ()))
        parts = [(map_(t.op, [(shaped_sum((t.shape[k],), terms), (0,))], (), (0,)), (k,)) for k, terms in along.items()]
        return shaped(t.shape, 1, parts)

    found = changed(root, change)
    return (spread(found) or found) if found is not root else None


def turned_logarithms(root: Expr) -> Expr | None:
    """Logarithms with the other sign, of the quotient turned over: log(2x/(x + y)) for −log((1 + y/x)/2)."""
    from ._simplify import simplify

    found: dict[Expr, Expr] = {}
    for c, t in [term for u in postorder(root) for term in _with_numbers(u)]:
        if is_negative(c) and isinstance(t, Map) and t.op.name == "log" and isinstance(t.args[0][0], (Add, Ein)):
            (u, at), every = t.args[0], tuple(range(t.rank))
            if not is_real(u):  # of −1 it is πi, and turned over still −1
                continue
            turned = simplify(pow_(u, -1))
            if turned.weight <= u.weight + _limits.READ_OPENED:
                found[t] = shaped(t.shape, -1, [(Map(t.op, ((turned, at),), (), t.shape), every)])
    return substitute(root, found) if found else None


def _with_numbers(t: Expr) -> list[tuple[Any, Expr]]:
    """The factors of a product, or the terms of a sum and their factors, each with the number in front."""
    if isinstance(t, Add):
        return [(c * d, f) for c, u, _ in t.terms for d, f in (_with_numbers(u) if isinstance(u, Ein) else [(1, u)])]
    return [(t.coef, f) for f, _ in t.factors] if isinstance(t, Ein) else []


def joined_roots(root: Expr) -> Expr | None:
    """Roots of positive numbers as one: 1/(b√b √g) as 1/(b√(bg)). Normal form keeps them apart, so that they cancel."""

    def change(t: Any) -> Expr:
        factors = list(t.factors) if isinstance(t, Ein) else []
        for half in (Fraction(1, 2), Fraction(-1, 2)):
            factors = _with_one_root(factors, half, half)
        return Ein(t.coef, factors, t.dims, t.rank) if isinstance(t, Ein) and factors != list(t.factors) else t

    found = changed(root, change)
    return found if found is not root else None


def roots_of_quotients(root: Expr) -> Expr | None:
    """A root over another one as the root of a quotient: √b/(a√a) as √(b/a)/a, of positive numbers."""

    def change(t: Any) -> Expr:
        factors = list(t.factors) if isinstance(t, Ein) else []
        found = _with_one_root(factors, Fraction(1, 2), Fraction(-1, 2))
        return Ein(t.coef, found, t.dims, t.rank) if found != factors else t

    found = changed(root, change)
    return found if found is not root else None


def _with_one_root(factors: list[Any], *halves: Fraction) -> list[Any]:
    """Factors with one root of what they have roots of, of one sign above and of the other below."""
    roots = [(b, e, s, half) for b, e, s in map(_root, factors) if is_nonnegative(b) for half in halves if e * half > 0]
    roots = list(dict.fromkeys(roots))
    if len(roots) < 2 or len({s for *_, s, _ in roots}) > 1 or {half for *_, half in roots} != {*halves}:
        return factors
    (*_, s, _), every = roots[0], tuple(range(len(roots[0][2])))
    base = ein(1, [(pow_(b, int(half / halves[0])), every) for b, _, _, half in roots], every)
    kept = [(f, at) for f, at in factors if (*_root((f, at))[:2], at) not in [root[:3] for root in roots]]
    whole = [(pow_(b, e - half), s) for b, e, _, half in roots if e != half]
    return [*kept, *whole, (Map(row("pow_scalar"), ((base, every),), (halves[0],), base.shape), s)]


def _root(factor: Any) -> tuple[Expr, Any, Any]:
    """The base, the exponent and the labels of an odd power of a root; exponent 0 if it is none."""
    base, exponent = base_and_exponent(factor[0])
    odd = isinstance(exponent, Fraction) and exponent.denominator == 2
    return base, exponent if odd else 0, factor[1]


def one_quotient(root: Expr) -> Expr | None:
    """Sums over one denominator, with what their terms share in front: 2l/u³ − 3lx/u⁴ as l(2u − 3x)/u⁴."""

    def change(t: Expr) -> Expr:
        found = over_denominators(t) if isinstance(t, Add) else []
        fronted = [(inside_product(q) if isinstance(q, Ein) else None) or q for q in found]
        return min([t, *fronted], key=lambda result: result.weight)

    found = changed(root, change)
    return found if found is not root else None


def apart(root: Expr) -> Expr | None:
    """Quotients of sums as sums of quotients: 2x/aᵀx − ‖x‖²a/(aᵀx)² for (2aᵀx x − ‖x‖²a)/(aᵀx)²."""
    from ._simplify import simplify

    def change(t: Expr) -> Expr:
        factors = list(t.factors) if isinstance(t, Ein) else []
        sums = [x for x in factors if isinstance(x[0], Add)]
        below = [b for b, e in [base_and_exponent(f) for f, _ in factors] if _is_negative(e)]
        if len(sums) != 1 or not below or len(sums[0][0].children) > _limits.READ_APART:
            return t
        inside = {base_and_exponent(g)[0] for u in sums[0][0].children for g in (u, *u.children)}
        if not any(b in inside or (isinstance(b, Ein) and inside.issuperset(b.children)) for b in below):
            return t  # nothing of it cancels
        rest = [x for x in factors if x is not sums[0]]
        total = distributed(t.coef, *sums[0], rest, t)  # type: ignore[arg-type, attr-defined]
        inner, scale, order = inner_sum(total) if total is not None else (None, 1, ())
        if inner is None:
            return t
        terms = [(scale * c, simplify(u), tuple([order[k] for k in s])) for c, u, s in inner.terms]
        return shaped_sum(t.shape, terms)

    found = changed(root, change)
    return found if found is not root else None


def _is_negative(exponent: Any) -> bool:
    return isinstance(exponent, (int, Fraction)) and exponent < 0


def spread(root: Expr) -> Expr | None:
    """Products with sums that are constant along an axis in some term, as sums: (x𝟏ᵀ − A)𝟏 as nx − A𝟏.

    So pᵀ(x² − pᵀx x) is pᵀx² − (pᵀx)², where the entries of p sum to one or not, and diag(x)(I − 𝟏xᵀ) is diag(x) − xxᵀ.
    The same of a number that is all the formula has beside an array, unless it has functions: (1 − a/‖x‖³)x is
    x − ax/‖x‖³.
    """
    from ._simplify import simplify

    def change(t: Expr) -> Expr:
        if not isinstance(t, Ein):
            return t
        for place, (f, s) in enumerate(t.factors):
            if isinstance(f, Add) and len(f.terms) <= _limits.READ_APART:
                rest = [x for k, x in enumerate(t.factors) if k != place]
                plain = not any(_is_function(u) and u.op.name not in _POWERS for u in postorder(f))
                if t is root and t.coef == 1 and f.rank < root.rank == len(rest) == 1 and plain:
                    return _spread_over(t, f, s, rest)
                along = {s[k] for _, _, i in f.terms for k in range(f.rank) if k not in i}
                # p ⊙ (1 − p) stays
                if any(k >= t.rank or (f.rank > 1 and any(at == (k,) for _, at in rest)) for k in along):
                    return _spread_over(t, f, s, rest)
        return t

    def _spread_over(t: Ein, f: Add, s: Any, rest: list[Any]) -> Expr:
        terms = []
        for c, u, i in f.terms:
            lost = [(One(f.shape[k]), (s[k],)) for k in range(f.rank) if k not in i and s[k] >= t.rank]
            part = shaped(t.shape, t.coef, [*rest, (u, tuple([s[k] for k in i])), *lost])
            terms.append((c, simplify(part), tuple(range(t.rank))))
        return shaped_sum(t.shape, terms)

    found = changed(root, change)
    return found if found is not root and not has_namesakes(found) else None


def scattered(root: Expr) -> Expr | None:
    """A number multiplied into a sum of matrices where it meets others: 2pA + 4p(1 − p)uuᵀ for 2p(A + 2(1 − p)uuᵀ).

    So, too, with what stands beside an identity: pA((1 − p)yxᵀA + I) is p(1 − p)AyxᵀA + pA,
    and (A − rI)x is Ax − rx. But k(I − J) stays.
    """
    if not isinstance(root, Ein) or not 0 < root.rank < 3:
        return None
    sums = [x for x in root.factors if isinstance(x[0], Add)]
    matrices = [x for x in sums if x[0].rank == 2 and len(x[0].terms) <= _limits.READ_APART]  # type: ignore[attr-defined]
    if len(matrices) != 1:
        return None
    total, s = matrices[0]
    rest = [x for x in root.factors if x is not matrices[0]]
    identity = any(isinstance(f, Delta) for t in total.children for f in (t, *t.children))
    inside = [at for t in total.children if isinstance(t, Ein) for _, at in t.factors]
    meet = () in inside and any(not at for _, at in rest)
    arrays = any(at for _, at in rest)
    if not (identity and (meet or arrays)) and not (meet and not arrays):
        return None
    return distributed(root.coef, total, s, rest, root)  # type: ignore[arg-type]


def fronted(root: Expr) -> Expr | None:
    """What the terms of a sum share in front, though by its weight it is no shorter: Xᵀ(y − 1/(Xw)).

    Not of a formula that is not simplified, which was multiplied out because someone asked for that, nor of a
    differential, whose terms are those of a rule: df = xᵀA dx + dxᵀ Ax by that of products.
    """
    from ._simplify import simplify

    if any(isinstance(t, Var) and t.name.startswith(LAST) for t in postorder(root)):
        return None

    def change(t: Expr) -> Expr:
        return ((pulled(t) or pulled_otherwise(t)) if isinstance(t, Add) else None) or t

    found = changed(root, change)
    return found if found is not root and simplify(root) is root else None


def whole_powers(root: Expr) -> Expr | None:
    """Powers without the 1 that differentiating took off: (x/K)^(a − 1)/K as (x/K)^a/x.

    What they are divided by then goes into a sum beside them: x^(a − 1)(xu + v) is x^a(u + v/x).
    """
    from ._simplify import simplify

    def whole(t: Expr) -> tuple[Expr, Expr, Any] | None:
        if not isinstance(t, Map) or t.op.name != "pow_tensor":
            return None
        (base, at), (exponent, labels) = t.args
        total, scale, _ = inner_sum(exponent)
        shift = sum([scale * c for c, u, _ in total.terms if u is number(1)]) if total is not None else 0
        if (
            not isinstance(shift, int) or shift == 0 or (shift > 0 and not has_no_zero(base))
        ):  # 0⁰·⁶ is 0, 0·0^(−0.4) not
            return None
        rest = add([(1, exponent, labels), (-shift, number(1), ())], labels)
        every = tuple(range(t.rank))
        return map_(t.op, [(base, at), (rest, labels)], t.params, every), pow_(base, shift), at

    def change(t: Expr) -> Expr:
        if (found := whole(t)) is not None:
            power, divisor, at = found
            return shaped(t.shape, 1, [(power, tuple(range(t.rank))), (divisor, at)])
        return t

    def divided(t: Expr) -> Expr:
        factors = list(t.factors) if isinstance(t, Ein) else []
        sums = [x for x in factors if isinstance(x[0], Add)]
        for f, s in factors if len(sums) == 1 else ():
            total, labels = sums[0]
            power, divisor, at = whole(f) or (f, f, ())
            if power is f or labels != s or len(total.terms) > _limits.READ_APART:  # type: ignore[attr-defined]
                continue
            if base_and_exponent(divisor)[0] not in [
                base_and_exponent(g)[0] for u in total.children for g in u.children
            ]:
                continue  # nothing in the sum cancels
            every = tuple(range(total.rank))
            parts = [
                (c, simplify(shaped(total.shape, 1, [(u, i), (divisor, at)])), every)
                for c, u, i in total.terms  # type: ignore[attr-defined]
            ]
            rest = [x for x in factors if x is not sums[0] and x != (f, s)]
            return shaped(t.shape, t.coef, [*rest, (power, s), (shaped_sum(total.shape, parts), labels)])  # type: ignore[attr-defined]
        return t

    found = changed(root, divided)
    if found is root:
        found = changed(root, change)
        if found is root:
            return None
        found = simplify(found)
    new = _divisors(found) - _divisors(root)
    return found if all(has_no_zero(base) for base in new) else None


def _divisors(root: Expr) -> set[Expr]:
    """What a formula divides by."""
    powers = [base_and_exponent(t) for t in postorder(root)]
    return {base for base, exponent in powers if isinstance(exponent, (int, Fraction)) and exponent < 0}
