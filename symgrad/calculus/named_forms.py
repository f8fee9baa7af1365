"""Parts of formulas by a name: quotients, probabilities, companions, outer squares, polynomials.

Quotients that a formula is made of, by a name: r = xᵀAx/‖x‖², l = φ(z)/Φ(z), the probabilities q = u/sum(u).

The idea to hold: a quotient is no term of its own in a product, whose factors and powers merge. So a formula is
multiplied out, each of its terms is taken apart into powers, and where one of them is above and another below, their
quotient is put for both, as often as it goes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from .._errors import FormulaError
from .._limits import guard
from .._trees import postorder
from ..terms import (
    Add,
    Call,
    Delta,
    Ein,
    Expr,
    Indices,
    Map,
    add,
    base_and_exponent,
    connected,
    ein,
    expanded,
    is_negative,
    is_norm,
    map_,
    map_bottom_up,
    pow_,
    row,
    shaped,
    shaped_sum,
    substitute,
)
from .factor import with_common_factor_in_front
from .reading_forms import Let, split_quotients, symbol_of
from .rules import simplify

Place = int | None
"""Where powers are read: at a label of a product, or nowhere, those of numbers."""


class Row(NamedTuple):
    """A product: its coefficient, its powers of numbers and of vectors by where they are read, the other factors."""

    coef: Any
    powers: dict[Place, dict[Expr, Any]]
    rest: list[Any]


RATIOS = guard(2)
"""Quotients of numbers for which a formula is tried with a name."""
RATIO_WEIGHT = guard(120)
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
    rows = [row_of(root.shape, c, t, s) for c, t, s in restored.terms]
    counts: Counter[tuple[Expr, Expr]] = Counter()
    for each in rows:
        for powers in each.powers.values():
            pairs = [(u, v) for u in powers for v in powers if _are_quotient(u, v)]
            counts.update({(u, v): _times(powers, u, v) for u, v in pairs})
    found: list[tuple[Expr, list[Let]]] = []
    often = [(n, u.weight + v.weight, u.digest, v.digest, u, v) for (u, v), n in counts.items() if n > 1]
    for *_, u, v in sorted(often, key=lambda x: x[:4], reverse=True)[:RATIOS]:
        at = tuple(range(u.rank))
        quotient = ein(1, [(u, at), (pow_(v, -1), at)], at)
        ratio = symbol_of("/", quotient)
        terms = [product_of(root.shape, _with_ratio(row, u, v, ratio)) for row in rows]
        found.append((simplify(sum_of(root.shape, terms)), [(ratio, quotient)]))
    return found


def divisors(root: Expr) -> list[tuple[Expr, list[Let]]]:
    """Numbers that a formula is divided by, and that it has above, too: (2aᵀx B − s(A + Aᵀ))/s³ where s = bᵀx.

    Also with what is over each power of them together: 2aᵀx B/s³ − (A + Aᵀ)/s².
    """
    below = [base_and_exponent(t)[0] for t in postorder(root) if not t.rank and _divides(t)]
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
    rows = [row_of(root.shape, *term) for term in total.terms]
    parts = number.terms if isinstance(number, Add) else ()
    part = next((t for c, t, _ in parts if c == 1 and isinstance(t, Ein) and t.factors), None)
    if part is not None:
        besides = add([(1, symbol, ()), (-1, number, ()), (1, part, ())], ())
        summed = [_summed(row, part, besides) for row in rows]
        total = multiplied_out(sum_of(root.shape, [product_of(root.shape, row) for row in summed])) or total
    groups: dict[Any, list[Expr]] = {}
    for each in [row_of(root.shape, *term) for term in total.terms]:
        numbers = {**each.powers.get(None, {})}
        rest = each._replace(powers={**each.powers, None: numbers})
        groups.setdefault(numbers.pop(symbol, 0), []).append(product_of(root.shape, rest))
    if len(groups) < 2 or (max(map(len, groups.values())) < 2 and len(total.terms) == len(rows)):
        return None
    every = tuple(range(root.rank))
    sums = {e: simplify(sum_of(root.shape, terms)) for e, terms in groups.items()}
    return sum_of(root.shape, [shaped(root.shape, 1, [(pow_(symbol, e), ()), (t, every)]) for e, t in sums.items()])


def _with_number(t: Expr, number: Expr, symbol: Expr) -> Expr:
    """A product with a symbol for a number in it, which is flattened there."""
    if not isinstance(t, Ein) or t is number:
        return t
    row = row_of(t.shape, 1, t, tuple(range(t.rank)))
    times = row.powers.get(None, {}).get(number, 0)
    if not times:
        return t
    left = {base: e for base, e in row.powers[None].items() if base is not number}
    return product_of(t.shape, row._replace(powers={**row.powers, None: {**left, symbol: times}}))


def _divides(t: Expr) -> bool:
    base, exponent = base_and_exponent(t)
    return (not t.rank or (t.rank == 1 and _is_function(base))) and _is_number(exponent) and exponent <= -1


def _is_number(exponent: Any) -> bool:
    return isinstance(exponent, (int, Fraction))


def _is_function(t: Expr) -> bool:
    return isinstance(t, Map) and t.op.name not in ("pow_scalar", "pow_tensor")


def _are_quotient(u: Expr, v: Expr) -> bool:
    """Whether the quotient of two terms may get a name: not of two symbols, and among vectors of two functions."""
    return (_is_function(u) and _is_function(v)) if u.rank else u.kind != "var" or v.kind != "var"


def _with_ratio(row: Row, u: Expr, v: Expr, ratio: Expr) -> Row:
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
    divisors = dict.fromkeys([base_and_exponent(t)[0] for t in postorder(root) if not t.rank and _divides(t)])
    shares = [share for v in divisors for share in _shares(v)][:RATIOS]
    forms = [_in_probabilities(root, share) for share in shares]
    return [form for form in forms if form is not None]


def _shares(divisor: Expr) -> Iterator[_Share]:
    """The sums of functions' values in a divisor: Σ c exp(u), by itself or beside others."""
    terms = divisor.terms if isinstance(divisor, Add) else [(1, divisor, ())]
    for c, t, _ in terms:
        if c != 1 or not isinstance(t, Ein) or t.coef != 1 or len(t.dims) != 1:
            continue
        entries: Counter[Expr] = Counter()
        for base, exponent in [base_and_exponent(f) for f, _ in t.factors]:
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
    rows = [_summed(row_of(root.shape, c, t, s), share.sum, besides) for c, t, s in total.terms]
    total = multiplied_out(sum_of(root.shape, [product_of(root.shape, row) for row in rows]))
    if total is None:
        return None
    at = (0,)
    own = [(pow_(base, e), at) for base, e in share.entries.items()]
    quotient = ein(1, [*own, (pow_(share.divisor, -1), ())], at)
    ratio = symbol_of("/", quotient)
    rows = [row_of(root.shape, c, t, s) for c, t, s in total.terms]
    named = [_with_share(row, share.entries, whole, ratio) for row in rows]
    if named == rows:
        return None
    term = simplify(sum_of(root.shape, [product_of(root.shape, row) for row in named]))
    return substitute(term, {whole: share.divisor}), [(ratio, quotient)]


def _summed(row: Row, part: Expr, besides: Expr) -> Row:
    """A product with the sum of the entries as what the divisor has besides them."""
    numbers = row.powers.get(None, {})
    n = numbers.get(part, 0)
    if not isinstance(n, int) or n < 1:
        return row
    left = {base: e for base, e in numbers.items() if base is not part}
    return Row(row.coef, {**row.powers, None: left}, [*row.rest, *[(besides, ())] * n])


def _with_share(row: Row, entries: dict[Expr, Any], whole: Expr, ratio: Expr) -> Row:
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


def row_of(shape: Any, c: Any, t: Expr, s: Any) -> Row:
    """A term of a sum by its powers."""
    term = shaped(shape, c, [(t, s)])
    powers: dict[Place, Counter[Expr]] = {None: Counter()}
    if not isinstance(term, Ein):
        base, exponent = base_and_exponent(term)
        if term.rank == 1 and _is_number(exponent):
            return Row(1, {0: {base: exponent}}, [])
        return Row(1, {}, [(term, tuple(range(term.rank)))])
    rest: list[Any] = []
    for members in connected(list(term.factors), term.rank):
        labels = {k for _, s in members for k in s}
        if labels and all(k >= term.rank for k in labels):
            powers[None][ein(1, members, (), dict(enumerate(term.dims)))] += 1
            continue
        for f, s in members:
            base, exponent = base_and_exponent(f)
            if len(s) > 1 or not _is_number(exponent) or f.kind in ("one", "delta", "lin"):
                rest.append((f, s))
            else:
                powers.setdefault(s[0] if s else None, Counter())[base] += exponent
    return Row(term.coef, {place: dict(found) for place, found in powers.items()}, rest)


def product_of(shape: Any, row: Row) -> Expr:
    factors = [
        (pow_(base, e), () if place is None else (place,))
        for place, powers in row.powers.items() for base, e in powers.items() if e
    ]  # fmt: skip
    return shaped(shape, row.coef, [*row.rest, *factors])


def sum_of(shape: Any, terms: list[Expr]) -> Expr:
    return shaped_sum(shape, [(1, t, tuple(range(len(shape)))) for t in terms])


# --------------------------------------------------------------------------------------------------------- companions
#
# Functions with what stands beside them by one name, and the way round it is read: u/(1 + vu)² where u = h ⊙ exp(Xw).
#
# The idea to hold: a product is flat, so h ⊙ exp(Xw) in it is no term, and a name would be given to exp(Xw) alone. What
# is multiplied by the same factors wherever it stands is one array with them: a symbol over these factors is put for
# it, and they cancel. What has the wrong sign, or lies the wrong way round, is a symbol with the other one.


Form = tuple[Expr, list[Let]]
PowersAt = dict[tuple[Expr, Indices], Any]
"""Exponents of symbols and functions, each read at some axes of what they stand beside."""


COMPANIONS = guard(4)
"""Functions in a formula that are tried by one name with what stands beside them, and terms with the other sign or
transposed."""


def companions(root: Expr, lets: list[Let]) -> Iterator[Form]:
    """A form with symbols for functions and what stands beside each of them wherever it is used."""
    everywhere = [root, *[definition for _, definition in lets]]
    terms = [*postorder(*everywhere)]
    there = [t for t in terms if _is_of_sum(t) or (t.kind in ("map", "call") and base_and_exponent(t)[0] is t)]
    there += [symbol for symbol, _ in lets]
    below: set[Expr] | None = None
    for k, t in enumerate(there[:COMPANIONS]):
        beside = _beside(t, terms)
        if not beside:
            continue
        every = tuple(range(t.rank))
        whole = ein(1, [(t, every), *[(pow_(b, e), at) for (b, at), e in beside.items()]], every)
        symbol = symbol_of(f"&{k}", whole)
        alone = ein(1, [(symbol, every), *[(pow_(b, -e), at) for (b, at), e in beside.items()]], every)
        named = [substitute(u, {t: alone}) for u in everywhere]
        below = _divisors(everywhere) if below is None else below
        if not {b for b, _ in beside} & (_divisors(named) - below):  # all of them have cancelled
            yield named[0], [(symbol, whole), *zip([s for s, _ in lets], named[1:], strict=True)]


def _beside(t: Expr, terms: list[Expr]) -> PowersAt:
    """What a term is multiplied by in every product that it is used in; nothing if it is used otherwise."""
    found: list[PowersAt] = []
    for u in terms:
        if isinstance(u, Ein):
            found += [
                _around(u, place, t) for place, (f, _) in enumerate(u.factors) if t in (f, base_and_exponent(f)[0])
            ]
        elif t in u.children and base_and_exponent(u)[0] is u:
            return {}
        if found and not found[-1]:
            return {}
    if len(found) < 2:
        return {}
    common = set.intersection(*map(set, found))
    return {key: min([powers[key] for powers in found]) for key in common}


def _is_of_sum(t: Expr) -> bool:
    """Whether it is a sum of matrices or a power of one, which is an array with others: W ⊙ (x𝟏ᵀ − 𝟏xᵀ)^∘2."""
    return t.rank > 1 and isinstance(base_and_exponent(t)[0], Add)


def _around(product: Ein, place: int, part: Expr) -> PowersAt:
    """What a product has beside a part of it, for each power of that one."""
    f, at = product.factors[place]
    times = 1 if f is part else base_and_exponent(f)[1]
    if not isinstance(times, int) or times < 1 or len(set(at)) < len(at):
        return {}
    found: Counter[tuple[Expr, Indices]] = Counter()
    for k, (g, s) in enumerate(product.factors):
        base, e = base_and_exponent(g)
        if k != place and set(s) <= set(at) and isinstance(e, int) and base.kind in ("var", "map"):
            found[base, tuple([at.index(label) for label in s])] += e
    return {key: e // times for key, e in found.items() if e >= times}


def _divisors(roots: list[Expr]) -> set[Expr]:
    """What formulas divide by."""
    powers = [base_and_exponent(t) for t in postorder(*roots)]
    return {base for base, e in powers if isinstance(e, (int, Fraction)) and e < 0}


def other_way(root: Expr) -> Iterator[Form]:
    """A formula with symbols for minus the inverses of differences, and for the transposes of functions."""
    terms = [*postorder(root)]
    uses = Counter([f for t in terms for f in ([g for g, _ in t.factors] if isinstance(t, Ein) else t.children)])
    backwards = {base_and_exponent(f)[0] for t in terms for f, s in _operands(t) if _is_backwards(s, t)}
    for k, t in enumerate([t for t in terms if uses[t] > 1][:COMPANIONS]):
        if isinstance(t, Call) and t.op.name == "inv" and _has_minus(t.args[0]):
            symbol, at, sign = symbol_of(f"−{k}", t), (0, 1), -1
        elif isinstance(t, Map) and t.rank == 2 and t in backwards and not t.symmetric:
            symbol, at, sign = symbol_of(f"ᵀ{k}", ein(1, [(t, (1, 0))], (0, 1))), (1, 0), 1
        else:
            continue
        yield substitute(root, {t: ein(sign, [(symbol, at)], (0, 1))}), [(symbol, ein(sign, [(t, at)], (0, 1)))]


def _operands(t: Any) -> list[tuple[Expr, Indices]]:
    """What a term is made of, and where each is read."""
    if isinstance(t, Ein):
        return list(t.factors)
    return [(u, s) for _, u, s in t.terms] if isinstance(t, Add) else list(t.args) if isinstance(t, Map) else []


def _is_backwards(s: Indices, t: Expr) -> bool:
    """Whether a matrix is read from its last axis to its first one, as the axes of what it is part of stand."""
    if len(s) != 2:
        return False
    return s[0] > s[1] if isinstance(t, (Add, Map)) else t.rank > 0 and (s[1] == 0 or 0 < s[0] == t.rank - 1)


def _has_minus(t: Expr) -> bool:
    return isinstance(t, Add) and any(is_negative(c * u.coef if isinstance(u, Ein) else c) for c, u, _ in t.terms)


# --------------------------------------- An array beside its own transpose, by a name: qqᵀ − diag(a/x²) where q = a/x
#
# The idea to hold: a product keeps the powers at each of its indices, so an array that is a product itself and stands
# there with itself, qᵢqⱼ, is no term. The brackets between matrices are opened, and where the same powers are read at
# two indices of one product, a symbol is put for them: there, or wherever they all are.


Powers = dict[Expr, Any]


def outer_squares(root: Expr) -> list[tuple[Expr, list[Let]]]:
    """A matrix with a symbol for the array that stands in it beside its own transpose."""
    terms = [*postorder(root)]
    if root.rank != 2 or not (any(map(_is_there, terms)) or any(map(_is_scaled, terms))):
        return []
    sums = [t for t in terms if isinstance(t, Add) and t.rank < 2]
    hidden: dict[Expr, Expr] = {t: symbol_of(f"+{k}", t) for k, t in enumerate(sums)}
    total = map_bottom_up(root, lambda t: hidden.get(t, t))
    total = multiplied_out(total) or total
    shown = {symbol: t for t, symbol in hidden.items()}
    one = [(1, total, tuple(range(root.rank)))]
    rows = [row_of(root.shape, *term) for term in (total.terms if isinstance(total, Add) else one)]
    found = next((powers for row in rows for powers in _squares(row)), None)
    if found is None:
        return []
    array = ein(1, [(pow_(base, e), (0,)) for base, e in found.items()], (0,))
    symbol = symbol_of("q", array)
    forms = []
    for everywhere in (False, True):
        named = [_with(row, found, symbol) if everywhere or found in _squares(row) else row for row in rows]
        term = simplify(substitute(sum_of(root.shape, [product_of(root.shape, row) for row in named]), shown))
        array, bases = substitute(array, shown), {substitute(base, shown): e for base, e in found.items()}
        term = map_bottom_up(term, lambda t, bases=bases: _with_sums(t, bases, symbol)) if everywhere else term  # type: ignore[misc]
        forms.append((term, [(symbol, array)]))
    return forms


def _with_sums(t: Expr, found: Powers, symbol: Expr) -> Expr:
    """A product with the symbol for the powers where they are summed with others: aᵀ(b ⊙ r) as aᵀq."""
    factors = t.factors if isinstance(t, Ein) else ()
    wanted = [pow_(base, e) for base, e in found.items()]
    for k in {s[0] for f, s in factors if f is wanted[0] and len(s) == 1}:
        own = [(f, (k,)) for f in wanted]
        if all(x in factors for x in own):
            return shaped(t.shape, t.coef, [*[x for x in factors if x not in own], (symbol, (k,))])  # type: ignore[attr-defined]
    return t


def _is_there(t: Expr) -> bool:
    """Whether a product shows such powers, before brackets are opened."""
    return isinstance(t, Ein) and any(_squares(row_of(t.shape, 1, t, tuple(range(t.rank)))))


def _is_scaled(t: Expr) -> bool:
    """Whether a bracket stands beside a diagonal matrix, so that there may be such powers when it is opened."""
    factors = t.factors if isinstance(t, Ein) else ()
    at = {k for f, s in factors if isinstance(f, Add) and f.rank == 2 for k in s}
    return any(f.rank == 1 and s[0] in at for f, s in factors) and t.weight <= RATIO_WEIGHT


def _squares(row: Row) -> Iterator[Powers]:
    """The powers that are read at two indices of a product, if they are no single symbol or function."""
    arrays = [powers for place, powers in row.powers.items() if place is not None and powers]
    for k, powers in enumerate(arrays):
        if powers in arrays[k + 1 :] and (len(powers) > 1 or 1 not in powers.values()):
            yield powers


def _with(row: Row, found: Powers, symbol: Expr) -> Row:
    """A product with the symbol for the powers, as often as they are there."""
    out = {}
    for place, powers in row.powers.items():
        times = [Fraction(powers.get(base, 0)) / e for base, e in found.items()]
        n = math.floor(min(times)) if place is not None else 0
        left = {base: e - n * found.get(base, 0) for base, e in powers.items()}
        out[place] = {**left, symbol: n} if n > 0 else powers
    return row._replace(powers=out)


# ------------------------------------------------------------------------------------------------------- school forms
#
# Forms of a formula that tables of derivatives have: tan(x)/cos(x) for sin(x)/cos(x)², (a − b)² for a² + b² − 2ab.
#
# The idea to hold: as in `reading_forms`, each is the whole formula with one piece of mathematics used wherever it
# fits, or None where it fits nowhere; printers take it where it is shorter.


_TANGENTS = {"sin": ("cos", "tan"), "sinh": ("cosh", "tanh")}


def tangents(root: Expr) -> Expr | None:
    """Sines over higher powers of cosines by tangents: sin(x)/cos(x)² as tan(x)/cos(x), and hyperbolic ones."""

    def change(t: Any) -> Expr:
        factors = list(t.factors) if isinstance(t, Ein) else []
        for f, s in factors:
            sine, k = base_and_exponent(f)
            if not isinstance(sine, Map) or sine.op.name not in _TANGENTS or not isinstance(k, int) or k < 1:
                continue
            below, name = _TANGENTS[sine.op.name]
            for g, at in factors:
                cosine, n = base_and_exponent(g)
                beside = isinstance(cosine, Map) and cosine.op.name == below and cosine.args == sine.args and at == s
                if beside and isinstance(n, int) and n < -k:
                    rest = [x for x in factors if x not in ((f, s), (g, at))]
                    tangent = map_(row(name), list(sine.args), (), tuple(range(sine.rank)))
                    return shaped(t.shape, t.coef, [*rest, (pow_(tangent, k), s), (pow_(cosine, n + k), at)])
        return t

    found = map_bottom_up(root, change)
    return found if found is not root else None


def completed_squares(root: Expr) -> Expr | None:
    """Sums of entries with a square in them: u(n² + x² − 2nx − n) as u((n − x)² − n).

    Only of sums that stand beside something: others may have been multiplied out because someone asked for that.
    """

    def change(t: Expr) -> Expr:
        sums = [f for f in t.children if isinstance(f, Add) and len(f.terms) > 2] if isinstance(t, Ein) else []
        squares = {f: square for f in sums if (square := _with_square(f)) is not None}
        factors = [(squares.get(f, f), s) for f, s in t.factors] if squares else []  # type: ignore[attr-defined]
        return shaped(t.shape, t.coef, factors) if factors else t  # type: ignore[attr-defined]

    found = map_bottom_up(root, change)
    return found if found is not root else None


def _with_square(total: Add) -> Expr | None:
    every = tuple(range(total.rank))
    rows = [_powers(shaped(total.shape, c, [(t, s)])) for c, t, s in total.terms]
    squares = [(k, c, base) for k, (c, found) in enumerate(rows) for base in [_root(found)] if base is not None]
    for (i, c, u), (j, d, v) in combinations(squares, 2):
        for k, (e, found) in enumerate(rows):
            if c == d and k not in (i, j) and abs(e) == abs(2 * c) and found == _product(u, v):
                sign = 1 if e == 2 * c else -1
                first, second = [shaped(total.shape, 1, [(pow_(b, n), s) for (b, s), n in x.items()]) for x in (u, v)]
                whole = add([(1, first, every), (sign, second, every)], every)
                rest = [(1, shaped(total.shape, a, [(t, s)]), every) for n, (a, t, s) in enumerate(total.terms)
                        if n not in (i, j, k)]  # fmt: skip
                return shaped_sum(total.shape, [*rest, (c, pow_(whole, 2), every)])
    return None


def _powers(t: Expr) -> tuple[Any, dict[Any, int] | None]:
    """The number in front of a term, and the whole powers of entries that it is a product of; None if it is none."""
    coef, factors, inner = (t.coef, t.factors, len(t.dims) > t.rank) if isinstance(t, Ein) else (1, None, False)
    found: dict[Any, int] = {}
    for f, s in factors if factors is not None else [(t, tuple(range(t.rank)))]:
        base, e = base_and_exponent(f)
        if inner or not isinstance(e, int) or isinstance(coef, complex):
            return 0, None
        found[base, s] = found.get((base, s), 0) + e
    return coef, found


def _root(powers: dict[Any, int] | None) -> dict[Any, int] | None:
    even = powers and all(e > 0 and e % 2 == 0 for e in powers.values())
    return {base: e // 2 for base, e in powers.items()} if even else None  # type: ignore[union-attr]


def _product(u: dict[Any, int], v: dict[Any, int]) -> dict[Any, int]:
    return {base: u.get(base, 0) + v.get(base, 0) for base in {**u, **v}}


# ---------------------------------------------- Polynomials in one matrix, in factors: a²L²x + 2aLx + x as (aL + I)²x
#
# The idea to hold: powers of one matrix commute, so that a sum of them is a polynomial in one symbol; SymPy factors it.


Chain = list[tuple[Expr, bool]]
"""Matrices that are multiplied, each with whether it is transposed; at the end there may be a vector."""


MATRIX_POLYNOMIAL = guard(120)
"""Weight of a formula up to which it is read as a polynomial in a matrix."""


def in_factors(root: Expr) -> Expr | None:
    """A sum of powers of a matrix, times what all its terms share on either side, as a product of polynomials in it."""
    if root.rank not in (1, 2) or root.weight > MATRIX_POLYNOMIAL or not isinstance(root, (Add, Ein)):
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
