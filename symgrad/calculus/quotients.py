"""Quotients that a formula is made of, by a name: r = xᵀAx/‖x‖², l = φ(z)/Φ(z), the probabilities q = u/sum(u).

The idea to hold: a quotient is no term of its own in a product, whose factors and powers merge. So a formula is
multiplied out, each of its terms is taken apart into powers, and where one of them is above and another below, their
quotient is put for both, as often as it goes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from .._errors import FormulaError
from .._limits import bound
from .._trees import postorder
from ..terms import (
    Add,
    Ein,
    Expr,
    Map,
    add,
    connected,
    ein,
    expanded,
    is_norm,
    is_rational,
    map_bottom_up,
    pow_,
    shaped,
    substitute,
)
from .factor import with_common_factor_in_front
from .lifting import plus
from .reading_forms import POWERS, Let, split_quotients, symbol_of
from .rewriting import simplify

Label = int | None
"""Where powers are read: at a label of a product, or nowhere, those of numbers."""


class PowerProduct(NamedTuple):
    """A product: its coefficient, its powers of numbers and of vectors by where they are read, the other factors."""

    coef: Any
    powers: dict[Label, dict[Expr, Any]]
    rest: list[Any]


RATIOS = bound(2)
"""Quotients of numbers for which a formula is tried with a name."""
RATIO_WEIGHT = bound(120)
"""Weight of a formula up to which they are looked for."""


def ratios(root: Expr) -> list[tuple[Expr, list[Let]]]:
    """Quotients that occur more than once: 2sx/q − 2s²a/q² as 2r(x − ra) where r = s/q."""
    if root.rank > 2 or root.weight > RATIO_WEIGHT or not any(map(_divides, postorder(root))):
        return []
    sums = [t for t in postorder(root) if isinstance(t, Add) and not t.shape] if root.shape else []
    hidden: dict[Expr, Expr] = {
        t: symbol_of(f"+{k}", t) for k, t in enumerate(sums)
    }  # no part of a function is called so
    total = root if isinstance(root, Add) else multiplied_out(map_bottom_up(root, lambda t: hidden.get(t, t)))
    if total is None:
        return []
    restored = substitute(total, {symbol: t for t, symbol in hidden.items()})
    if not isinstance(restored, Add):
        return []
    rows = power_products_of(restored)
    counts: Counter[tuple[Expr, Expr]] = Counter()
    for each in rows:
        for powers in each.powers.values():
            pairs = [(u, v) for u in powers for v in powers if _are_quotient(u, v)]
            counts.update({(u, v): _times(powers, u, v) for u, v in pairs})
    found: list[tuple[Expr, list[Let]]] = []
    often = [(n, u.weight + v.weight, u.digest, v.digest, u, v) for (u, v), n in counts.items() if n > 1]
    for *_, u, v in sorted(often, key=lambda x: x[:4], reverse=True)[:RATIOS]:
        at = u.axes
        quotient = ein(1, [(u, at), (pow_(v, -1), at)], at)
        ratio = symbol_of("/", quotient)
        named = total_of(root.shape, [_with_ratio(row, u, v, ratio) for row in rows])
        found.append((simplify(named), [(ratio, quotient)]))
    return found


def divisors(root: Expr) -> list[tuple[Expr, list[Let]]]:
    """Numbers that a formula is divided by, and that it has above, too: (2aᵀx B − s(A + Aᵀ))/s³ where s = bᵀx.

    Also with what is over each power of them together: 2aᵀx B/s³ − (A + Aᵀ)/s².
    """
    below = [t.base for t in postorder(root) if not t.rank and _divides(t)]
    numbers = [b for b in dict.fromkeys(below) if isinstance(b, (Add, Ein)) and not is_norm(b)]
    forms: list[tuple[Expr, list[Let]]] = []
    for number in numbers[:RATIOS]:
        symbol = symbol_of("s", number)
        term = substitute(map_bottom_up(root, lambda t, s=symbol, n=number: _with_number(t, n, s)), {number: symbol})  # type: ignore[misc]
        ways = (
            term if isinstance(number, Ein) else None,
            split_quotients(term),
            *_over_each_power(term, symbol, number),
        )
        forms += [(each, [(symbol, number)]) for each in ways if each is not None]
    return forms


def _over_each_power(root: Expr, symbol: Expr, number: Expr) -> list[Expr]:
    """A sum with the terms together that are over the same power of a symbol for a number, which may be a sum itself:

    what is multiplied by bᵀx where s = 1 + bᵀx is multiplied by s − 1. Also with the vectors and numbers that are sums
    kept whole, and then with what all terms share in front.
    """
    whole = [t for t in postorder(root) if isinstance(t, Add) and (t.rank == 1 or (root.rank and not t.rank))]
    hidden: dict[Expr, Expr] = {t: symbol_of(f"+{k}", t) for k, t in enumerate(whole)}
    ways = [_together(root, symbol, number)]
    if hidden:
        found = _together(*[map_bottom_up(t, lambda u: hidden.get(u, u)) for t in (root, symbol, number)])
        front = with_common_factor_in_front(found) if isinstance(found, Add) else None
        shown = {h: t for t, h in hidden.items()}
        ways += [substitute(way, shown) for way in (front, found) if way is not None]
    return [way for way in ways if way is not None]


def _together(root: Expr, symbol: Expr, number: Expr) -> Expr | None:
    total = multiplied_out(root) if root.weight <= RATIO_WEIGHT else None
    if total is None:
        return None
    rows = power_products_of(total)
    parts = number.terms if isinstance(number, Add) else ()
    part = next((t for c, t, _ in parts if c == 1 and isinstance(t, Ein) and t.factors), None)
    if part is not None:
        besides = add([(1, symbol, ()), (-1, number, ()), (1, part, ())], ())
        total = multiplied_out(total_of(root.shape, [_summed(row, part, besides) for row in rows])) or total
    groups: dict[Any, list[PowerProduct]] = {}
    for each in power_products_of(total):
        numbers = {**each.powers.get(None, {})}
        groups.setdefault(numbers.pop(symbol, 0), []).append(each._replace(powers={**each.powers, None: numbers}))
    if len(groups) < 2 or (max(map(len, groups.values())) < 2 and len(total.terms) == len(rows)):
        return None
    every = root.axes
    sums = [(pow_(symbol, e), simplify(total_of(root.shape, together))) for e, together in groups.items()]
    return plus(root.shape, *[(1, shaped(root.shape, 1, [(p, ()), (t, every)])) for p, t in sums])


def _with_number(t: Expr, number: Expr, symbol: Expr) -> Expr:
    """A product with a symbol for a number in it, which is flattened there."""
    if not isinstance(t, Ein) or t is number:
        return t
    row = power_product_of(t)
    times = row.powers.get(None, {}).get(number, 0)
    if not times:
        return t
    left = {base: e for base, e in row.powers[None].items() if base is not number}
    return product_of(t.shape, row._replace(powers={**row.powers, None: {**left, symbol: times}}))


def _divides(t: Expr) -> bool:
    base, exponent = t.as_power
    return (not t.rank or (t.rank == 1 and _is_function(base))) and is_rational(exponent) and exponent <= -1


def _is_function(t: Expr) -> bool:
    return isinstance(t, Map) and t.operation not in POWERS


def _are_quotient(u: Expr, v: Expr) -> bool:
    """Whether the quotient of two terms may get a name: not of two symbols, and among vectors of two functions."""
    return (_is_function(u) and _is_function(v)) if u.rank else u.kind != "var" or v.kind != "var"


def _with_ratio(row: PowerProduct, u: Expr, v: Expr, ratio: Expr) -> PowerProduct:
    out = dict(row.powers)
    for place, powers in row.powers.items():
        k = _times(powers, u, v)
        if k:
            out[place] = {**powers, u: powers[u] - k, v: powers[v] + k, ratio: k}
    return row._replace(powers=out)


def _times(powers: dict[Expr, Any], u: Expr, v: Expr) -> int:
    """How often a quotient is a factor."""
    return max(0, math.floor(min(powers.get(u, 0), -powers.get(v, 0))))


class _Share(NamedTuple):
    """Entries that are divided by a sum with them in it: their powers of vectors, their sum, the divisor."""

    entries: dict[Expr, Any]
    sum: Expr
    divisor: Expr


def probabilities(root: Expr) -> list[tuple[Expr, list[Let]]]:
    """Entries over their sum by a name: (s diag(u) − uuᵀ)/s² is diag(q) − qqᵀ where s = sum(u), q = u/s."""
    if not 0 < root.rank < 3 or root.weight > RATIO_WEIGHT:
        return []
    divisors = dict.fromkeys([t.base for t in postorder(root) if not t.rank and _divides(t)])
    shares = [share for v in divisors for share in _shares(v)][:RATIOS]
    forms = [_in_probabilities(root, share) for share in shares]
    return [form for form in forms if form is not None]


def _shares(divisor: Expr) -> Iterator[_Share]:
    """The sums of functions' values in a divisor: Σ c exp(u), by itself or beside others."""
    terms = divisor.terms if isinstance(divisor, Add) else [(1, divisor, ())]
    for c, t, _ in terms:
        if c != 1 or t.coef != 1 or len(t.dims) != 1:
            continue
        entries: Counter[Expr] = Counter()
        for base, exponent in [f.as_power for f, _ in t.factors]:
            entries[base] += exponent
        if any(map(_is_weighed, entries)) and all(base.rank == 1 for base in entries):
            yield _Share(dict(entries), t, divisor)


def _is_weighed(t: Expr) -> bool:
    return _is_function(t) or t.kind == "call"


def _in_probabilities(root: Expr, share: _Share) -> tuple[Expr, list[Let]] | None:
    whole = symbol_of("Σ", share.divisor)
    besides = add([(1, whole, ()), (-1, share.divisor, ()), (1, share.sum, ())], ())  # the sum of the entries alone
    total = multiplied_out(substitute(root, {share.divisor: whole}))
    if total is None:
        return None
    total = multiplied_out(total_of(root.shape, [_summed(row, share.sum, besides) for row in power_products_of(total)]))
    if total is None:
        return None
    at = (0,)
    own = [(pow_(base, e), at) for base, e in share.entries.items()]
    quotient = ein(1, [*own, (pow_(share.divisor, -1), ())], at)
    ratio = symbol_of("/", quotient)
    rows = power_products_of(total)
    named = [_with_share(row, share.entries, whole, ratio) for row in rows]
    if named == rows:
        return None
    term = simplify(total_of(root.shape, named))
    return substitute(term, {whole: share.divisor}), [(ratio, quotient)]


def _summed(row: PowerProduct, part: Expr, besides: Expr) -> PowerProduct:
    """A product with the sum of the entries as what the divisor has besides them."""
    numbers = row.powers.get(None, {})
    n = numbers.get(part, 0)
    if not isinstance(n, int) or n < 1:
        return row
    left = {base: e for base, e in numbers.items() if base is not part}
    return PowerProduct(row.coef, {**row.powers, None: left}, [*row.rest, *[(besides, ())] * n])


def _with_share(row: PowerProduct, entries: dict[Expr, Any], whole: Expr, ratio: Expr) -> PowerProduct:
    out = {place: dict(powers) for place, powers in row.powers.items()}
    for place, powers in out.items():
        below = -out.get(None, {}).get(whole, 0)
        n = math.floor(min([below, *[Fraction(powers.get(base, 0)) / e for base, e in entries.items()]]))
        if place is not None and n > 0:
            powers.update({base: powers[base] - n * e for base, e in entries.items()})
            powers[ratio] = n
            out[None][whole] += n
    return row._replace(powers=out)


def multiplied_out(root: Expr) -> Add | None:
    """A formula as a sum of products; None if it is a single one, or of too many."""
    try:
        total = expanded(root)
    except FormulaError:
        return None
    return total if isinstance(total, Add) else None


def power_products_of(total: Add) -> list[PowerProduct]:
    """The terms of a sum."""
    return [power_product_of(shaped(total.shape, c, [(t, s)])) for c, t, s in total.terms]


def power_product_of(term: Expr) -> PowerProduct:
    """A product by its powers."""
    powers: dict[Label, Counter[Expr]] = {None: Counter()}
    rest: list[Any] = []
    for members in connected(list(term.factors), term.rank):
        labels = {k for _, s in members for k in s}
        if labels and all(k >= term.rank for k in labels):
            powers[None][ein(1, members, (), dict(enumerate(term.dims)))] += 1
            continue
        for f, s in members:
            base, exponent = f.as_power
            if len(s) > 1 or not is_rational(exponent) or f.kind in ("one", "delta", "lin"):
                rest.append((f, s))
            else:
                powers.setdefault(s[0] if s else None, Counter())[base] += exponent
    return PowerProduct(term.coef, {place: dict(found) for place, found in powers.items()}, rest)


def product_of(shape: Any, row: PowerProduct) -> Expr:
    factors = [
        (pow_(base, e), () if place is None else (place,))
        for place, powers in row.powers.items() for base, e in powers.items() if e
    ]  # fmt: skip
    return shaped(shape, row.coef, [*row.rest, *factors])


def total_of(shape: Any, rows: list[PowerProduct]) -> Expr:
    """The sum of products."""
    return plus(shape, *[(1, product_of(shape, row)) for row in rows])
