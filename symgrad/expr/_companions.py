"""Functions with what stands beside them by one name, and the way round it is read: u/(1 + vu)² where u = h ⊙ exp(Xw).

The idea to hold: a product is flat, so h ⊙ exp(Xw) in it is no term, and a name would be given to exp(Xw) alone. What
is multiplied by the same factors wherever it stands is one array with them: a symbol over these factors is put for it,
and they cancel. What has the wrong sign, or lies the wrong way round, is a symbol with the other one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from .. import _limits
from .._postorder import postorder
from ._ein import base_and_exponent, ein
from ._lets import Let, symbol_of
from ._map import pow_
from ._node import Add, Call, Ein, Expr, Indices, Map
from ._substitute import substitute
from ._weight import is_negative

Form = tuple[Expr, list[Let]]
Powers = dict[tuple[Expr, Indices], Any]
"""Exponents of symbols and functions, each read at some axes of what they stand beside."""


def companions(root: Expr, lets: list[Let]) -> Iterator[Form]:
    """A form with symbols for functions and what stands beside each of them wherever it is used."""
    everywhere = [root, *[definition for _, definition in lets]]
    terms = [*postorder(*everywhere)]
    there = [t for t in terms if _is_of_sum(t) or (t.kind in ("map", "call") and base_and_exponent(t)[0] is t)]
    there += [symbol for symbol, _ in lets]
    below: set[Expr] | None = None
    for k, t in enumerate(there[: _limits.COMPANIONS]):
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


def _beside(t: Expr, terms: list[Expr]) -> Powers:
    """What a term is multiplied by in every product that it is used in; nothing if it is used otherwise."""
    found: list[Powers] = []
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


def _around(product: Ein, place: int, part: Expr) -> Powers:
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
    for k, t in enumerate([t for t in terms if uses[t] > 1][: _limits.COMPANIONS]):
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
