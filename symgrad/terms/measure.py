"""How long a term's text is, about: what the simplifier compares.

Weights count half signs. They need not be exact (printers choose among notations), but must favour what prints shorter.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Number = int | float | complex | Fraction


def is_rational(value: Any) -> bool:
    """Whether a number is exact: whole, or a fraction."""
    return isinstance(value, (int, Fraction))


def weigh(root: Any, most: int) -> None:
    """Weigh a term, and before it what it is made of, without recursion; no term weighs more than ``most``."""
    todo = [root]
    while todo:
        unknown = [c for c in todo[-1].children if not hasattr(c, "_weight")]
        if unknown:
            todo += unknown
        else:
            term = todo.pop()
            term._weight = min(_weight(term), most)


def _weight(term: Any) -> int:
    """The weight of a term from those of what it is made of."""
    if term.kind == "ein":
        return max(2, product_weight(term.coef, term.factors, term.rank))
    if term.kind == "add":
        weights = [summand_weight(abs(c), t) + 2 * (s == (1, 0)) for c, t, s in term.terms]
        return sum(weights) + 2 * len(weights) - 2
    if term.kind == "map":
        if term.exponent != 1:
            return power_weight(term.base, term.exponent)
        return sum([a.weight + 2 * (s == (1, 0)) for a, s in term.args]) + (2 if term.op.symbol else 6)
    if term.kind == "call":
        brackets = 4 * (term.args[0].kind in ("add", "ein")) - 4 if term.operation == "inv" else 0
        return sum([a.weight for a in term.args]) + 6 + brackets
    if term.kind == "data":
        return 2 * max(1, term.value.size)
    if term.kind == "lin":
        return 6 if term.out_rank else 8
    return int(term.call.weight) + 4 if term.kind == "jac" else 2


def product_weight(coef: Any, factors: Any, rank: int) -> int:
    """Factors are juxtaposed; a vector between two matrices is ``diag(v)``, others that meet are joined by ``⊙``."""
    number = number_weight(unsigned(coef, factors), not factors)
    if len(factors) == 1 and factors[0][0].kind == "add" and number:  # 2(a + b) or 2a + 2b
        inner = factors[0][0]
        return min(inner.weight + number + 4, inner.weight + number * sum([c in (1, -1) for c, _, _ in inner.terms]))
    weight = max(len(factors) - 1, 0) + number
    if len(factors) == 1 and len(factors[0][1]) == rank > 1 and factors[0][0].operation != "inv":  # a transpose
        weight += 2
    for f, s in factors:
        if f.kind == "delta":
            weight += 0 if any(len(t) == 1 and t[0] in s for _, t in factors) else 2
            continue
        weight += f.weight + 4 * (f.kind == "add")
        if len(s) == 2 and rank and (s[1] == 0 or s[0] == rank - 1 > 0) and f.operation != "inv":
            weight += 2  # it reads the output's axes backwards; X⁻ᵀ has one sign
        if f.kind == "lin" and len(s) == 1 and s[0] >= rank and not _is_alone(f, s, factors):
            weight -= 6  # an entry: x₀ for I[0]ᵀx
        if s and min(s) >= rank and _is_alone(f, s, factors):
            weight += 4 if f.exponent == 2 else 6  # ‖ ‖, sum( )
    return weight + _meetings(factors, rank)


def _meetings(factors: Any, rank: int) -> int:
    """What vectors cost that are read at one index with others: ``diag( )`` between matrices, brackets beside one."""
    there: dict[int, list[int]] = {}
    sums: set[int] = set()
    for f, s in factors:
        axes = len(s) if f.kind != "delta" else 0
        for k in s:
            there[k] = [*there[k], axes] if k in there else [axes]
        if f.kind == "add" and len(s) == 1:
            sums.add(s[0])
    weight = 0
    for k, ranks in there.items():
        vectors, matrices = ranks.count(1), sum([r > 1 for r in ranks])
        ends = matrices + (k < rank)
        if vectors and ends > 1 and rank != 1:
            weight += 2 if vectors == 1 and k in sums else 6  # a sum in diag( ) has its brackets
        elif vectors > 1 and matrices and k >= rank:
            weight += 4
        weight += max(vectors + (ends > 0) - 2, 0)
    return weight


def _is_alone(f: Any, s: Any, factors: Any) -> bool:
    """Whether a factor is summed by itself."""
    own = set(s)
    return len(own) == len(s) and all(own.isdisjoint(t) for g, t in factors if g is not f or t is not s)


def is_norm(base: Any) -> bool:
    """Whether a term is printed as ‖u‖²: the sum of all squares, of a product of vectors too, c² ⊙ x²."""
    if base.kind != "ein" or base.rank or not base.factors or base.coef != 1:
        return False
    (f, s), *others = base.factors
    if others:
        return len(s) == 1 and all(t == s and _is_square(g, (2, -2)) for g, t in base.factors)
    return _is_square(f, (2,)) and len(set(s)) == len(s) > 0


def _is_square(f: Any, exponents: Any) -> bool:
    return f.exponent in exponents


def summand_weight(c: Any, t: Any) -> int:
    """A number times a term of a sum."""
    if t.kind == "ein" and not t.factors:
        return number_weight(c, alone=True)
    return t.weight + number_weight(c) + 2 * (c == 1 and is_reciprocal(t))


def is_reciprocal(term: Any) -> bool:
    """Whether a term is a negative power by itself, of which the 1 is written: 1/x²."""
    return is_negative(term.exponent)


def power_weight(base: Any, exponent: Any) -> int:
    """Of a power: signs for the exponent, brackets around what is composed."""
    if isinstance(exponent, complex):
        return base.weight + 8
    sign = 2 if exponent < 0 else 0  # a stroke
    size: Any = abs(exponent)
    if is_norm(base) and size * 2 % 1 == 0:  # ‖x‖³ is a power of its square
        return base.weight - 2 + sign + (0 if size * 2 == 1 else 2)
    is_sum = base.kind == "ein" and not base.rank and len(base.factors) == 1 and base.coef == 1  # sum(x)² has its own
    weight = base.weight + sign + 4 * (base.kind in ("ein", "add") and not is_sum)
    if size == 1:
        return weight
    return weight + (2 if isinstance(size, int) or size * 2 == 1 else 10)


def unsigned(c: Number, factors: Any) -> Number:
    """A coefficient without the sign that a bracket takes: −(x − y) is y − x."""
    if isinstance(c, complex) or c >= 0:
        return c
    return -c if any(f.kind == "add" and any(is_negative(d) for d, _, _ in f.terms) for f, _ in factors) else c


def is_negative(c: Number) -> bool:
    """Whether a number is below 0; complex ones have no sign."""
    return not isinstance(c, complex) and c < 0


def number_weight(c: Number, alone: bool = False) -> int:
    """Twice the signs that a coefficient takes: none for 1, two for 1/2, three for 3/2."""
    if isinstance(c, complex):
        return 6
    sign = 2 if c < 0 else 0
    c = -c if c < 0 else c
    if c == 1:
        return sign + 2 * alone
    if isinstance(c, Fraction):
        return sign + (4 if c.numerator == 1 and not alone else 6)
    return sign + 2
