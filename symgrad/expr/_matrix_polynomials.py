"""Polynomials in one matrix, in factors: a²L²x + 2aLx + x as (aL + I)²x.

The idea to hold: powers of one matrix commute, so that a sum of them is a polynomial in one symbol; SymPy factors it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from .. import _limits
from .._errors import FormulaError
from ._add import shaped_sum
from ._ein import base_and_exponent, ein, shaped
from ._expand import expanded
from ._map import pow_
from ._node import Add, Delta, Ein, Expr

Chain = list[tuple[Expr, bool]]
"""Matrices that are multiplied, each with whether it is transposed; at the end there may be a vector."""


def in_factors(root: Expr) -> Expr | None:
    """A sum of powers of a matrix, times what all its terms share on either side, as a product of polynomials in it."""
    if root.rank not in (1, 2) or root.weight > _limits.MATRIX_POLYNOMIAL or not isinstance(root, (Add, Ein)):
        return None
    if not _has_powers(root):
        return None
    try:
        total = expanded(root)
    except FormulaError:
        return None
    if not isinstance(total, Add) or len(total.terms) < 3:
        return None
    rows = [_read(shaped(root.shape, c, [(t, s)])) for c, t, s in total.terms]
    found = [row for row in rows if row is not None]
    if len(found) < len(rows):
        return None
    chains = [chain for _, _, chain in found]
    left = _shared(chains)
    right = _shared([chain[left:][::-1] for chain in chains])
    middles = [chain[left : len(chain) - right] for chain in chains]
    matrices = {link for middle in middles for link in middle}
    if len(matrices) != 1 or max(map(len, middles)) < 2:
        return None
    (matrix,) = matrices
    if matrix[0].rank != 2 or matrix[0].shape[0] != matrix[0].shape[1]:
        return None
    parts = _factors([(c, powers, len(middle)) for (c, powers, _), middle in zip(found, middles, strict=True)])
    if parts is None:
        return None
    number, scalars, polynomials = parts
    links = [(_polynomial(matrix[0], terms), matrix[1]) for terms in polynomials]
    return _written(root, number, scalars, [*chains[0][:left], *links, *chains[0][len(chains[0]) - right :]])


def _has_powers(root: Expr) -> bool:
    """Whether a square matrix occurs more than once, without which there is no power of it; multiplying out is dear."""
    seen: set[Expr] = set()
    stack = [root]
    while stack:
        t = stack.pop()
        base, exponent = base_and_exponent(t)
        if isinstance(t, (Add, Ein)):
            stack += t.children
        elif base.kind in ("add", "ein") and isinstance(exponent, int) and exponent > 1:
            stack += [base, base]
        elif t.rank == 2 and t.shape[0] == t.shape[1] and t.kind != "delta":
            if t in seen:
                return True
            seen.add(t)
    return False


def _shared(chains: list[Chain]) -> int:
    """How many links all chains begin with."""
    count = 0
    while all(len(chain) > count for chain in chains) and len({chain[count] for chain in chains}) == 1:
        count += 1
    return count


def _read(term: Expr) -> tuple[Any, Counter[Expr], Chain] | None:
    """A product as a number, numbers by name with their exponents, and a chain; None if it is none."""
    coef, factors = (term.coef, list(term.factors)) if isinstance(term, Ein) else (1, [(term, tuple(range(term.rank)))])
    powers: Counter[Expr] = Counter()
    for f, s in list(factors):
        if not s:
            base, exponent = base_and_exponent(f)
            powers[base] += exponent
            factors.remove((f, s))
    links: Chain = []
    at, end = 0, term.rank - 1
    while factors:
        here = [(f, s) for f, s in factors if at in s]
        if len(here) != 1 or len(here[0][1]) > 2:
            return None
        ((f, s),) = here
        factors.remove((f, s))
        if len(s) == 1:
            links.append((f, False))
            return (coef, powers, links) if not factors and end == 0 else None
        turned = s[0] != at
        if f.kind != "delta":
            links.append((f, turned and not f.symmetric))
        at = s[0] if turned else s[1]
    return (coef, powers, links) if end == 1 and at == end else None


def _factors(terms: list[tuple[Any, Counter[Expr], int]]) -> Any:
    """The factors of a polynomial: a number, powers of numbers, and polynomials in the matrix."""
    import sympy as sp

    if any(not isinstance(e, int) or e < 0 for _, powers, _ in terms for e in powers.values()):
        return None
    if any(not sp.sympify(c).is_Rational for c, _, _ in terms):
        return None
    bases = list(dict.fromkeys([b for _, powers, _ in terms for b in powers]))
    symbols = sp.symbols([f"c{k}" for k in range(len(bases))])
    x = sp.Symbol("x")
    name = dict(zip(bases, symbols, strict=True))
    whole = sum([sp.sympify(c) * x**k * sp.prod([name[b] ** e for b, e in powers.items()]) for c, powers, k in terms])
    number, factors = sp.factor_list(whole, x, *symbols)
    scalars: Counter[Expr] = Counter()
    polynomials = []
    for f, e in factors:
        if not f.has(x):
            if f not in symbols:
                return None
            scalars[bases[symbols.index(f)]] += e
        else:
            polynomials += [[_term(m, c, bases) for m, c in sp.Poly(f, x, *symbols).terms()]] * e
    if len(polynomials) < 2 or all(len(p) < 2 for p in polynomials):
        return None
    return sp.Rational(number), scalars, polynomials


def _term(monomial: Any, coef: Any, bases: list[Expr]) -> tuple[Any, Counter[Expr], int]:
    return coef, Counter(dict(zip(bases, monomial[1:], strict=True))), monomial[0]


def _polynomial(matrix: Expr, terms: Any) -> Expr:
    identity, every = Delta(matrix.shape[0]), (0, 1)
    parts = []
    for coef, powers, k in terms:
        labels = [0, *range(2, k + 1), 1]
        links = [(matrix, (labels[i], labels[i + 1])) for i in range(k)] or [(identity, every)]
        parts.append((1, shaped(matrix.shape, _number(coef), [*_scalars(powers), *links]), every))
    return shaped_sum(matrix.shape, parts)


def _scalars(powers: Counter[Expr]) -> list[Any]:
    return [(pow_(b, e), ()) for b, e in powers.items() if e]


def _number(value: Any) -> Any:
    from fractions import Fraction

    return int(value) if value.is_Integer else Fraction(int(value.p), int(value.q))


def _written(root: Expr, number: Any, powers: Counter[Expr], chain: Chain) -> Expr:
    """A chain as a product."""
    end = root.rank - 1
    labels = [0, *range(2, len(chain) + 1), 1]
    factors: list[Any] = _scalars(powers)
    for i, (f, turned) in enumerate(chain):
        at = (labels[i], labels[i + 1])
        factors.append((f, at[:1] if f.rank == 1 else at[::-1] if turned else at))
    dims = dict(enumerate(root.shape))
    return ein(_number(number), factors, tuple(range(end + 1)), dims)
