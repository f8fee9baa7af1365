"""Unit vectors in products: what an entry of an array meets of another entry, or of a slice.

The idea to hold: a loop over entries is made of unit vectors, and most of their products are nothing. Found here, a
loop's derivatives stay as sparse as they are.
"""

from __future__ import annotations

from typing import Any

from ..core import Dim
from ._node import Expr, Indices, Lin

Factor = tuple[Expr, Indices]


def unit_vectors(factors: list[Factor], out: Indices) -> list[Factor] | None:
    """Unit vectors at one label: equal ones are one, different ones nothing (None), and one alone sums up to 1."""
    places: dict[int, Any] = {}
    kept: list[Factor] = []
    for f, s in factors:
        place = _selected(f) if f.kind == "lin" and len(s) == 1 else None
        if type(place) is not int:
            kept.append((f, s))
            continue
        known = places.setdefault(s[0], place)
        if known == place and (f, s) in kept:
            continue
        if known != place and (known < 0) == (place < 0):  # a last entry may be a first one
            return None
        kept.append((f, s))
    if not places:
        return kept
    used = [label for _, s in kept for label in s]
    alone = {label for label in places if label not in out and used.count(label) == 1}
    kept = [(f, s) for f, s in kept if len(s) != 1 or s[0] not in alone]
    return _through_slices(kept, out, places, used)


def _selected(f: Any) -> Any:
    """The one index of an entry or a slice that a pattern takes along one axis; None if it is something else."""
    index = f.params[0] if f.op.name == "getitem" else None
    return index[0] if isinstance(index, tuple) and len(index) == 1 else index


def _through_slices(
    factors: list[Factor], out: Indices, places: dict[int, Any], used: list[int]
) -> list[Factor] | None:
    """A unit vector on either side of a slice is one on its other side, or nothing (None)."""
    for f, s in factors:
        if f.kind != "lin" or len(s) != 2 or not isinstance(part := _selected(f), slice) or type(f.shape[1]) is Dim:
            continue
        taken = range(*part.indices(int(f.shape[1])))
        for near, far in (s, s[::-1]):
            if near not in places or near in out or used.count(near) != 2 or places[near] < 0:
                continue
            place = places[near]
            inside = place in taken if near == s[1] else place < len(taken)
            if not inside:
                return None
            moved = taken.index(place) if near == s[1] else taken[place]
            unit = Lin(f.op, ((moved,),), (), (f.shape[0] if near == s[1] else f.shape[1],))  # type: ignore[attr-defined]
            rest = [(g, t) for g, t in factors if near not in t]
            return unit_vectors([*rest, (unit, (far,))], out)
    return factors
