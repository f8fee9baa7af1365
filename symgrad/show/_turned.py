"""Which sums of a product are better written with all their signs changed: x(b − a) for −x(a − b).

The idea to hold: a minus in front goes into a sum that has one already, or into a product in it that has such a sum.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from ._layout import is_negative
from ._names import POWER

Ids = Set[int]


def to_turn(coef: Any, items: list[Any], names: Ids) -> list[int]:
    """The places of a sum, or of its inverse, whose signs are better turned together with the coefficient's."""
    for k, (term, _) in enumerate(items):
        base = term
        if term.kind == "map" and term.op.name == POWER and term.params[0] in (-3, -1, 3) and id(term) not in names:
            base, s = term.args[0]
            base = base if s == tuple(range(len(term.shape))) else term
        elif is_inverse(term):
            base = term.args[0]
        if base.kind != "add" or id(base) in names or id(term) in names:
            continue
        flat = [t.kind == "ein" and id(t) not in names for _, t, _ in base.terms]
        minus = [is_negative(c * t.coef if plain else c) for (c, t, _), plain in zip(base.terms, flat)]
        if is_negative(coef) and True not in minus:  # −(b(c − a) + d) is b(a − c) − d
            minus = [plain and _has_difference(t, names) for (_, t, _), plain in zip(base.terms, flat)]
        if (is_negative(coef) and any(minus)) or all(minus):
            places = [i for i, (t, _) in enumerate(items) if t is term] if is_inverse(term) else [k]
            if len(places) % 2:
                return places
    return []


def _has_difference(product: Any, names: Ids) -> bool:
    """Whether a product has a factor in which signs can be turned."""
    sums = [f for f, _ in product.factors if f.kind == "add" and id(f) not in names]
    return any(is_negative(c * t.coef if t.kind == "ein" else c) for f in sums for c, t, _ in f.terms)


def is_inverse(term: Any) -> bool:
    return term.kind == "call" and term.op.name == "inv" and len(term.shape) == 2
