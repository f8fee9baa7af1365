"""What a formula repeats without its being a term: AB in tr(ABAB), z = A⁻¹x in zzᵀ, eᵘ in e²ᵘ − eᵘ.

The idea to hold: normal form flattens products and folds powers, so what a reader sees twice is no term of its own. It
gets a symbol here: another formula of the same value, with definitions, which printers take where it is shorter.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from .._limits import bound
from .._trees import postorder
from ..show.layout import each_after
from ..terms import (
    Add,
    Call,
    Ein,
    Expr,
    Indices,
    Map,
    add,
    all_but,
    ein,
    expanded,
    inner_sum,
    is_negative,
    is_norm,
    is_rational,
    map_,
    map_bottom_up,
    pow_,
    row,
    shaped,
    shaped_sum,
    substitute,
    terms_and_factors,
    with_number,
)
from .quotients import divisors, probabilities, ratios
from .reading_forms import (
    POWERS,
    Let,
    by_rules,
    fronted,
    is_symbol,
    joined_roots,
    one_quotient,
    opened,
    roots_of_quotients,
    scattered,
    separated,
    split_products,
    split_quotients,
    symbol_of,
    turned_logarithms,
    whole_powers,
)
from .rewriting import simplify


def let_forms(root: Expr) -> list[tuple[Expr, list[Let]]]:
    """A formula with symbols for what it repeats, in other ways, each with its definitions."""
    terms = [*postorder(root)]
    if any(map(is_symbol, terms)):
        return []  # it is such a form itself, whose symbols must not get another meaning
    there = {t.operation for t in terms if isinstance(t, (Map, Call))}
    exponents = [t.exponent for t in terms]
    there.update(["√"] if any(isinstance(e, Fraction) for e in exponents) else [])
    there.update(["/"] if any(map(is_negative, exponents)) else [])

    def of(operation: str, form: Callable[[Expr], Any]) -> Any:
        return form(root) if operation in there else ()

    plain = (
        by_rules(root),
        of("√", joined_roots),
        of("√", roots_of_quotients),
        of("/", one_quotient),
        of("/", split_quotients),
        of("pow_tensor", whole_powers),
        of("exp", separated),
        of("log", turned_logarithms),
        fronted(root),
        split_products(root),
        opened(root),
        scattered(root),
    )
    below = of("/", divisors)
    products = [*_products(root, _matrix_products), *_products(root, _entrywise_products)]
    forms = (
        *of("exp", _exponentials),
        *products,
        *[inlined(term, lets) for product, lets in products for term in _again_simple(product)],
        of("inv", _inverses),
        _neighbours(root),
        *of("√", roots),
        *[(term, []) for term in plain if term],
        *of("/", probabilities),
        *of("/", ratios),
        *below,
        *[inlined(each, [*lets, *more]) for term, lets in below for each, more in roots(term)],
    )
    return [found for found in forms if found]


def _again_simple(root: Expr) -> Iterator[Expr]:
    """What a formula is where products have names: z ⊙ sign(z) is |z|, z ⊙ (z² − 1) is z³ − z, which Xw hides."""
    if not any(map(_meets_itself, postorder(root))):
        return
    term = simplify(root)
    if term is not root:
        yield term
    if (more := opened(term)) is not None:
        yield more


def _meets_itself(t: Expr) -> bool:
    """Whether a symbol is multiplied by a function of itself, or by a sum with powers of it."""
    factors = [f for f, _ in t.factors]
    inside = [u for f in factors if isinstance(f, Add) for u in terms_and_factors(f)]
    maps = [u for u in (*factors, *inside) if isinstance(u, Map)]
    return any(is_symbol(f) and f in u.children for f in factors for u in maps)


def _replaced(root: Expr, terms: dict[Expr, Expr], lets: list[Let]) -> tuple[Expr, list[Let]] | None:
    return (map_bottom_up(root, lambda t: terms.get(t, t)), lets) if lets else None


def _exponentials(root: Expr) -> list[tuple[Expr, list[Let]]]:
    """Exponentials of multiples of one term as powers of one of them, also of those that have it among others.

    So exp(−b exp(−t) − 2t) is s² exp(−bs) where s = exp(−t).
    """
    groups: dict[Any, dict[Any, Expr]] = {}
    there: list[Any] = [t for t in postorder(root) if t.operation == "exp"]
    for t in there:
        u, s = t.args[0]
        unit, c = _multiple(u)
        groups.setdefault((unit, s), {})[c] = t
    lets: list[Let] = []
    terms: dict[Expr, Expr] = {}
    for same in groups.values():
        least = min(same, key=lambda c: (abs(c), c < 0))
        if len(same) > 1 and all(Fraction(c) % least == 0 for c in same):
            symbol = symbol_of(len(lets), same[least])
            lets.append((symbol, same[least]))
            terms.update({t: pow_(symbol, int(c / least)) for c, t in same.items()})
    plain = _replaced(root, terms, lets)
    forms = [plain] if plain is not None else []
    numbers = {unit: same for (unit, s), same in groups.items() if not s}
    beside = [(t, unit) for t in there if not t.rank for unit in numbers if _times(t, unit)]
    for unit in dict.fromkeys([unit for _, unit in beside]):
        for sign in (1, -1):
            c = sign * min(map(abs, numbers[unit]))
            exponential = map_(row("exp"), [(ein(c, [(unit, ())], ()), ())], (), ())
            symbol = symbol_of(f"e{sign}", exponential)
            whole = {t: pow_(symbol, Fraction(k) / c) for k, t in numbers[unit].items()}
            split = {t: _split(t, unit, symbol, c) for t, u in beside if u is unit}
            term = simplify(substitute(substitute(root, split), whole))
            whole_term = map_bottom_up(term, lambda t, s=symbol: _without_powers(t, s))  # type: ignore[misc]
            forms += [(each, [(symbol, exponential)]) for each in dict.fromkeys([whole_term, term])]
    return forms


def _without_powers(t: Expr, symbol: Expr) -> Expr:
    """A sum with the power of a symbol that its terms share in front: s(bs − 1) for bs² − s."""
    terms = t.terms if isinstance(t, Add) else []
    powers = [dict([f.as_power for f, _ in u.factors]).get(symbol, 0) for _, u, _ in terms]
    if not powers or not (least := min(powers)) > 0:
        return t
    divisor, every = (pow_(symbol, -least), ()), t.axes
    rest = [(c, shaped(u.shape, 1, [(u, u.axes), divisor]), s) for c, u, s in terms]
    return shaped(t.shape, 1, [(shaped_sum(t.shape, rest), every), (pow_(symbol, least), ())])


def _multiple(u: Expr) -> tuple[Expr, Any]:
    """A term without the number in front of it, and the number."""
    c = u.coef if is_rational(u.coef) else 1
    return (u if c == 1 else with_number(1, u)), c


def _times(t: Any, unit: Expr) -> Any:
    """How often a term is in the exponent of an exponential, among others; 0 if it is not."""
    total, scale, _ = inner_sum(t.children[0])
    found = [_multiple(u) for _, u, _ in total.terms] if total is not None else []
    return sum([scale * c * d for (u, d), (c, *_) in zip(found, total.terms if total else ()) if u is unit])


def _split(t: Any, unit: Expr, symbol: Expr, c: Any) -> Expr:
    """An exponential with a power of a symbol for exp(c unit) beside it."""
    times = _times(t, unit)
    rest = add([(1, t.children[0], ()), (-times, unit, ())], ())
    return ein(1, [(map_(t.op, [(rest, ())], (), ()), ()), (pow_(symbol, times / Fraction(c)), ())], ())


NEIGHBOUR = bound(16)
"""Weight of a function's argument from which it is looked whether another's differs by little."""
NEIGHBOURS = bound(3)
"""Such arguments up to which that is done."""


def _neighbours(root: Expr) -> tuple[Expr, list[Let]] | None:
    """Arguments of functions that differ by little: Φ(d − s√T) beside φ(d)."""
    found = [t.children[0] for t in postorder(root) if isinstance(t, Map) and not t.shape and t.operation not in POWERS]
    heavy = [u for u in dict.fromkeys(found) if isinstance(u, (Add, Ein)) and u.weight >= NEIGHBOUR]
    for u, v in itertools.permutations(heavy, 2) if len(heavy) <= NEIGHBOURS else ():
        between = simplify(expanded(add([(1, v, ()), (-1, u, ())], ())))
        if 2 * between.weight < v.weight:
            symbol = symbol_of("~", u)
            return substitute(root, {u: symbol, v: add([(1, symbol, ()), (1, between, ())], ())}), [(symbol, u)]
    return None


def roots(root: Expr) -> list[tuple[Expr, list[Let]]]:
    """Odd powers of a root by a name of it: (u²I − 3xxᵀ)/u⁵ where u = √(a² + ‖x‖²), also with its terms apart."""
    powers: dict[Expr, dict[Any, Expr]] = {}
    uses = [c for u in postorder(root) for c in u.children if u.base is not c]
    for t in dict.fromkeys([*uses, root]):
        base, exponent = t.as_power
        if (isinstance(base, Add) or is_symbol(base) or is_norm(base)) and is_rational(exponent):
            powers.setdefault(base, {})[exponent] = t
    lets: list[Let] = []
    terms: dict[Expr, Expr] = {}
    for base, found in powers.items():
        if len(found) > 1 and any(e.denominator == 2 for e in found):
            lets.append((symbol_of(f"√{len(lets)}", base), pow_(base, Fraction(1, 2))))
            terms.update({t: pow_(lets[-1][0], 2 * e) for e, t in found.items()})
    if not lets:
        return []
    term = substitute(root, terms)
    return [(each, lets) for each in (term, split_quotients(term)) if each]


def _inverses(root: Expr) -> tuple[Expr, list[Let]] | None:
    """What is inverted more than once: Y⁻¹BY⁻¹ where Y = A + tB."""
    uses: Counter[Expr] = Counter()
    for t in postorder(root):
        uses.update([f.args[0] for f in t.children if f.operation == "inv"])
    sums = [inside for inside, count in uses.items() if count > 1 and isinstance(inside, Add)]
    lets: list[Let] = [(symbol_of(k, total), total) for k, total in enumerate(sums)]
    return _replaced(root, {total: symbol for symbol, total in lets}, lets)


Pair = tuple[Expr, int, int, Indices]
"""A product of two factors of a product: as a term, the factors' places, the labels that it is read at."""


def _matrix_products(term: Expr) -> Iterator[Pair]:
    """The products of a matrix with another factor, over a label that both have and nothing else."""
    readers: dict[int, list[int]] = {}
    factors = term.factors
    for place, (f, s) in enumerate(factors):
        for k in s:
            readers.setdefault(k, []).append(place if _is_named(f) and 0 < len(s) < 3 else -1)
    for k, places in readers.items():
        if k < term.rank or len(set(places)) != 2 or len(places) != 2 or -1 in places:
            continue
        axes = {p: _axis(*factors[p], k) for p in places}
        i, j = sorted(places, key=lambda p: (-len(factors[p][1]), axes[p] == 0, factors[p][0].digest))
        (f, s), (g, t) = factors[i], factors[j]
        if len(s) == 2:
            right = (2,) if g.rank == 1 else (1, 2) if axes[j] else (2, 1)
            product = ein(1, [(f, (0, 2) if axes[i] else (2, 0)), (g, right)], g.axes)
            yield product, i, j, tuple([m for m in (*s, *t) if m != k])


def _is_named(f: Expr) -> bool:
    return f.kind not in ("delta", "one", "lin")


def _axis(f: Expr, s: Any, k: int) -> int:
    """At which axis a factor is read at a label; one that is its own transpose, always at the last."""
    return 1 if len(s) == 2 and f.symmetric else s.index(k)


def _entrywise_products(term: Expr) -> Iterator[Pair]:
    """The products of two factors that are read at the same labels."""
    for (i, one), (j, two) in itertools.combinations(enumerate(term.factors), 2):
        if not one[1] or len({*one[1]}) < len(one[1]) or {*one[1]} != {*two[1]} or len(one[1]) != len(two[1]):
            continue
        if _is_named(one[0]) and _is_named(two[0]):
            (f, s), (g, t) = sorted((one, two), key=lambda factor: (factor[0].symmetric, factor[0].digest))
            at = g.axes if g.symmetric else tuple(map(s.index, t))
            yield ein(1, [(f, f.axes), (g, at)], f.axes), i, j, s


LETS = bound(6)
"""Products that occur more than once and get a name."""


def _products(root: Expr, pairs: Callable[[Expr], Iterator[Pair]]) -> list[tuple[Expr, list[Let]]]:
    """Products that occur more than once, as long as they are: all of them with symbols, then fewer."""
    found = []
    lets: dict[Expr, Expr] = {}
    for k in range(LETS):
        counts = Counter([product for t in postorder(root, *lets.values()) for product, *_ in pairs(t)])
        often = [(count, product.digest, product) for product, count in counts.items() if count > 1]
        if not often:
            break
        *_, product = max(often, key=lambda found: found[:2])
        symbol = symbol_of(k, product)
        named = partial(_with_symbol, pairs=pairs, product=product, symbol=symbol)
        root = map_bottom_up(root, named)
        lets = {s: map_bottom_up(d, named) for s, d in lets.items()}
        lets[symbol] = product
        found.append(inlined(root, list(lets.items())))
    return [form for form in found[::-1] if form[1]]


def _with_symbol(term: Expr, pairs: Callable[[Expr], Iterator[Pair]], product: Expr, symbol: Expr) -> Expr:
    """A product with a symbol in the place of two factors."""
    gone: set[int] = set()
    new = []
    for i, j, labels in [(i, j, at) for found, i, j, at in pairs(term) if found is product]:
        if not gone & {i, j}:
            gone |= {i, j}
            new.append((symbol, labels))
    if not new:
        return term
    return shaped(term.shape, term.coef, [*all_but(term.factors, *gone), *new])


def inlined(root: Expr, definitions: list[Let]) -> tuple[Expr, list[Let]]:
    """Definitions that only one other one uses are part of it: z = A⁻¹(Bx)."""
    lets = dict(definitions)
    for symbol in list(lets):
        uses = [t for t in postorder(root, *lets.values()) for f in t.children if f is symbol]
        uses += [t for t in uses if sum([f is symbol for f, _ in t.factors]) > 1]
        if len(uses) < 2:
            definition = lets.pop(symbol)
            root = substitute(root, {symbol: definition})
            lets = {s: substitute(d, {symbol: definition}) for s, d in lets.items()}
    return _with_symmetry(root, list(each_after(lets, postorder).items()))


def _again(t: Expr) -> Expr:
    return shaped(t.shape, t.coef, t.factors)


def _with_symmetry(root: Expr, lets: list[Let]) -> tuple[Expr, list[Let]]:
    """Symbols that are their own transposes, now that it is seen that what they stand for is."""
    for k in range(len(lets)):
        symbol, definition = lets[k]
        if definition.symmetric and not symbol.symmetric:
            other = symbol_of(symbol.name.removeprefix("\N{WHITE SQUARE}"), definition)  # type: ignore[attr-defined]
            root = map_bottom_up(substitute(root, {symbol: other}), _again)
            lets = [(s, map_bottom_up(substitute(d, {symbol: other}), _again)) for s, d in lets]
            lets[k] = other, definition
    return root, lets


Expr.let_forms = property(let_forms)  # type: ignore[assignment]
