"""Forms of a formula that tables of derivatives have: tan(x)/cos(x) for sin(x)/cos(x)², (a − b)² for a² + b² − 2ab.

The idea to hold: as in `_reading_forms`, each is the whole formula with one piece of mathematics used wherever it fits,
or None where it fits nowhere; printers take it where it is shorter.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from ._add import add, shaped_sum
from ._ein import base_and_exponent, row, shaped
from ._map import map_, pow_
from ._node import Add, Ein, Expr, Map
from ._substitute import changed

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

    found = changed(root, change)
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

    found = changed(root, change)
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
