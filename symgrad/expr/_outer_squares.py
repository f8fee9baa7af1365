"""An array beside its own transpose, by a name: qqᵀ − diag(a/x²) where q = a/x.

The idea to hold: a product keeps the powers at each of its indices, so an array that is a product itself and stands
there with itself, qᵢqⱼ, is no term. The brackets between matrices are opened, and where the same powers are read at two
indices of one product, a symbol is put for them: there, or wherever they all are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from .. import _limits
from .._postorder import postorder
from ._ein import ein, shaped
from ._lets import Let, symbol_of
from ._map import pow_
from ._named_quotients import Row, multiplied_out, product_of, row_of, sum_of
from ._node import Add, Ein, Expr
from ._substitute import changed, substitute

Powers = dict[Expr, Any]


def outer_squares(root: Expr) -> list[tuple[Expr, list[Let]]]:
    """A matrix with a symbol for the array that stands in it beside its own transpose."""
    from ._simplify import simplify

    terms = [*postorder(root)]
    if root.rank != 2 or not (any(map(_is_there, terms)) or any(map(_is_scaled, terms))):
        return []
    sums = [t for t in terms if isinstance(t, Add) and t.rank < 2]
    hidden: dict[Expr, Expr] = {t: symbol_of(f"+{k}", t) for k, t in enumerate(sums)}
    total = changed(root, lambda t: hidden.get(t, t))
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
        term = changed(term, lambda t, bases=bases: _with_sums(t, bases, symbol)) if everywhere else term  # type: ignore[misc]
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
    return any(f.rank == 1 and s[0] in at for f, s in factors) and t.weight <= _limits.RATIO_WEIGHT


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
