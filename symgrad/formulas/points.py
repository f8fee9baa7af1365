"""Points to look at: of either sign, small and large, at several sizes, and on both sides of where pieces meet.

The idea to hold: most mistakes are seen anywhere; one that is made in a region only is seen where a condition of either
formula changes. Between two points where it comes out differently there is an edge, which is found by bisection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import cycle, islice, pairwise, product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import SymgradError
from .._limits import bound
from .._trees import postorder
from ..calculus import plus
from ..core import DRAW, Dim, Facts
from ..terms import Add, Expr, Map, constant_of, evaluate, shape_at, shaped, symbols_in

Point = dict[str, np.ndarray]
_DISCRETE = frozenset({"sign", "onehot", "integer", "orthogonal", "size"})


class Quantity(NamedTuple):
    """A name: its shape (sizes may be names), what was declared of it, and its value if it has one."""

    name: str
    shape: tuple[Any, ...] = ()
    properties: frozenset[str] = frozenset()
    value: Any = None


Table = Mapping[str, Quantity]


class Place(NamedTuple):
    """A point, the lengths of the named sizes there, and whether numbers are as usual: not far, not near edges."""

    point: Point
    lengths: dict[str, int]
    usual: bool = True

    def known(self, others: Mapping[str, Any]) -> dict[str, Any]:
        """The values of all names there, those of ``others`` as they are."""
        sizes = {k: np.asarray(float(n)) for k, n in self.lengths.items()}
        return {**others, **sizes, **{"#" + k: n for k, n in sizes.items()}, **self.point}

    def moved(self, to: Mapping[str, Any]) -> Place:
        """The same with other values of some names."""
        return self._replace(point={**self.point, **to})

    def changed(self, table: Table, change: Callable[[np.ndarray], np.ndarray]) -> Place:
        """The same where what may be any number is another one."""
        point = {n: change(x) if is_free(table[n]) else x for n, x in self.point.items()}
        return Place(point, self.lengths, False)


def _regular(rng: Any, shape: Any) -> np.ndarray:
    """Between 0.1 and 0.9; a square matrix has a positive determinant."""
    return DRAW[0](f"of {rng.integers(1 << 30)}", Facts(shape))


Manner = Callable[[Any, Any], np.ndarray]
_MANNERS: tuple[tuple[bool, Manner], ...] = (
    (True, lambda rng, s: np.round(rng.uniform(0.5, 2, s), 1) * rng.choice([-1.0, 1.0], s)),
    (True, _regular),
    (True, lambda rng, s: rng.normal(size=s)),
    (True, lambda rng, s: np.round(rng.uniform(0.5, 3, s), 1)),
    (True, lambda rng, s: -rng.uniform(0.2, 2, s)),
    (False, lambda rng, s: rng.integers(-3, 4, s) * 1.0),
    (False, lambda rng, s: 5 * rng.normal(size=s)),
    (False, lambda rng, s: 1e-3 * rng.normal(size=s)),
    (False, lambda rng, s: 100 * rng.normal(size=s)),
    (False, lambda rng, s: np.exp(rng.normal(size=s, scale=3))),
)  # fmt: skip
"""How numbers are drawn, and whether these are as numbers usually are."""


def size_names(table: Table) -> dict[str, int]:
    """The named sizes of the variables, with what stands in for each."""
    dims = [d for v in table.values() for d in v.shape if type(d) is Dim]
    alone = {v.name: int(v.value) for v in table.values() if "size" in v.properties}
    return alone | {name: int(n) for d in dims for name, n in d.atoms.items()}


def size_choices(table: Table) -> list[dict[str, int]]:
    """Lengths for the named sizes: what is long among the stand-ins is long (an m×n matrix is a tall one, say)."""
    standins = size_names(table)
    order = sorted(standins, key=lambda name: standins[name])
    choices = [dict(zip(order, range(first, 99, step), strict=False)) for first, step in ((2, 1), (3, 2), (4, 2))]
    return [*choices, standins] if standins else [{}]


Wrt = str | tuple[str, ...] | None
"""What is differentiated in: a name, or several."""


def moved_names(wrt: Wrt) -> tuple[str, ...]:
    """The names whose values are drawn though they have some; all other data stay as they are."""
    return (wrt,) if isinstance(wrt, str) else wrt or ()


def places(table: Table, wrt: Wrt, rng: Any) -> Iterator[Place]:
    """Points without end, the plain ones first."""
    choices, turn, moved = size_choices(table), 0, moved_names(wrt)
    while True:
        usual, manner = _MANNERS[turn % len(_MANNERS)]
        mixed = turn >= len(_MANNERS)
        for lengths in choices if turn < 2 else [choices[turn % len(choices)]]:
            each = {v.name: _MANNERS[rng.integers(5)][1] if mixed else manner for v in table.values()}
            point = {n: _drawn(v, lengths, each[n], rng, turn, n in moved) for n, v in table.items()}
            yield Place(point, lengths, usual or mixed)
        turn += 1


def mixed(table: Table, wrt: Wrt, rng: Any) -> Iterator[Place]:
    """Points without end at which each variable is small or large by itself."""
    choices, moved = size_choices(table), moved_names(wrt)
    for lengths in cycle(choices):
        manners = {n: _MANNERS[rng.integers(3, len(_MANNERS))][1] for n in table}
        point = {n: _drawn(v, lengths, manners[n], rng, 9, n in moved) for n, v in table.items()}
        yield Place(point, lengths, False)


VERIFIED_SIZE = bound(64)
"""Lengths up to which a named size takes those that stand in the code of a function."""


def other_sizes(table: Table, wrt: Wrt, numbers: Sequence[float], rng: Any) -> Iterator[Place]:
    """Points of many sizes, each length by itself: small ones, and those that the code of a function names (an index
    above 12 is there from length 14 on)."""
    names, moved = size_names(table), moved_names(wrt)
    named = [int(c) + d for c in numbers for d in (0, 1, 2) if c == int(c) and c < VERIFIED_SIZE]
    for length in [*range(1, 8), *named] if names else []:
        lengths = {name: int(rng.integers(1, 8)) for name in names}
        lengths[list(names)[length % len(names)]] = length
        for each in (lengths, dict.fromkeys(names, length)):
            manner = _MANNERS[rng.integers(5)][1]
            yield Place({n: _drawn(v, each, manner, rng, 9, n in moved) for n, v in table.items()}, each)


def around(numbers: list[float], known: list[Place], table: Table, rng: Any) -> Iterator[Place]:
    """Points near the numbers that the code of a function names, where it may branch unseen."""
    for k, c in enumerate(numbers[: _limits.VERIFIED_EDGES] if known else []):
        place = known[k % len(known)]
        for near in (1 - 1e-4, 1 + 1e-4, 1.5, -1 - 1e-4, -1 + 1e-4, -1.5):
            yield place.changed(table, partial(np.full_like, fill_value=c * near))


def _drawn(v: Quantity, lengths: dict[str, int], manner: Manner, rng: Any, turn: int, moved: bool) -> np.ndarray:
    if "size" in v.properties:
        return np.asarray(float(lengths[v.name]))
    if v.value is not None and (not moved or not turn):
        return v.value
    if v.value is not None and turn < 3:
        return np.asarray(v.value * rng.uniform(0.8, 1.25, v.value.shape))
    shape = shape_at(v.shape, lengths)
    if "complex" in v.properties:
        return manner(rng, shape) + 1j * manner(rng, shape)
    if v.properties - {"positive"}:
        return DRAW[0](f"{v.name} {rng.integers(1 << 30)}", Facts(shape, v.properties))
    values = np.asarray(manner(rng, shape))
    return np.abs(values) + 1e-3 * (values == 0) if "positive" in v.properties else values


# ------------------------------------------------------------------------------------------------------------- edges


class Edge(NamedTuple):
    """Something that holds on one side: a condition, or that a term is above 0."""

    term: Expr
    known: Point

    def holds(self, place: Place) -> np.ndarray | None:
        """Where it does, entry by entry; None if that cannot be said."""
        try:
            value = evaluate(self.term, place.known(self.known))
        except (SymgradError, KeyError, ValueError, np.linalg.LinAlgError):
            return None
        return np.asarray(value > 0)


def minus(one: Expr, other: Expr) -> Expr:
    """What one term is more than another of its shape."""
    return plus(one.shape, (1, one), (-1, other))


def surfaces(t: Expr) -> list[Expr]:
    """What is 0 where a step has a kink or jumps: ``a - b`` of ``maximum(a, b)`` and of ``a > b``, ``u`` of ``|u|``."""
    if not isinstance(t, Map) or not (t.op.truth or t.op.kink):
        return []
    first, *others = [shaped(t.shape, 1, [pair]) for pair in t.args]
    return [minus(first, other) for other in others] or [first]


def _maps(formulas: list[Any]) -> list[Map]:
    """The parts of formulas that functions of entries are."""
    return [t for f in filter(None, formulas) for t in postorder(f._full) if isinstance(t, Map)]


def thresholds(formulas: list[Any]) -> dict[float, set[str]]:
    """The numbers that formulas compare with, each with the names of what is compared; of both signs where a function,
    such as an absolute value, stands between."""
    found: dict[float, set[str]] = {}
    for s in [s for t in _maps(formulas) for s in surfaces(t)]:
        names, inside = {v.name for v in symbols_in(s)}, [*postorder(s)]
        if any(isinstance(t, Map) and t.op.truth for t in inside):  # an "and", whose parts are looked at themselves
            continue
        for u in inside:
            own = [c for c in [constant_of(u)] if c != 1]  # the 1 of x − 3, which is x − 3·1, is no number of its own
            parts = [(c, constant_of(part), part) for c, part, _ in u.terms] if isinstance(u, Add) else []
            alone = [(c, part) for c, one, part in parts if one is None]
            linear = len(alone) == 1 and not any(isinstance(t, Map) for t in postorder(alone[0][1]))
            per = -alone[0][0] if len(alone) == 1 else 1
            numbers = [*[c * one / per for c, one, _ in parts if one is not None], *own]
            for c in [float(c) for c in numbers if isinstance(c, (int, float, Fraction))]:
                for value in (c,) if linear else (c, -c):
                    found.setdefault(value, set()).update(names)
    return {c: names for c, names in found.items() if c and np.isfinite(c)}


def between(numbers: Mapping[float, set[str]], known: list[Place], table: Table, rng: Any) -> Iterator[Place]:
    """Points at which each entry by itself is as it was, or in one of the intervals that the numbers part it into: an
    edge of x and one of y are both met alone, and what is so beyond both is seen there."""
    free = [n for n, v in table.items() if is_free(v)]
    ends = {n: sorted({0.0, *[c for c, names in numbers.items() if n in names]}) for n in free}
    inside = {
        n: np.array([*[(a + b) / 2 for a, b in pairwise(e)], *[1.5 * c for c in (e[0], e[-1]) if c]])
        for n, e in ends.items() if len(e) > 1
    }  # fmt: skip
    if not known or sum([known[0].point[n].size for n in inside]) < 2:
        return
    ways = rng.permutation(min(prod([len(c) + 1 for c in inside.values()]), WAYS))
    for k, way in enumerate(cycle(map(int, ways))):
        place, moved = known[k % len(known)], {}
        for n, c in inside.items():
            way, here = divmod(way, len(c) + 1)
            shape = place.point[n].shape
            chosen = rng.integers(0, len(c) + 1, shape) if shape else np.asarray(here)
            moved[n] = np.where(chosen, c[chosen - 1], place.point[n])
        yield Place({**place.point, **moved}, place.lengths, False)


WAYS = bound(4096)
"""Ways to be in intervals among which some are drawn."""
NEAR_ZERO = bound(2)
"""How far from 0 smooth functions of one number do what they do: beyond it they are flat, or alike."""
NEWTON = bound(60)
"""Steps of Newton's by which such a point is looked for."""


def near_zeros(formulas: list[Any], known: list[Place], table: Table) -> Iterator[Place]:
    """Points at which what stands inside functions is 0, 1 and −1, if it is far from that at nearly all others: a peak
    or a step far away is seen there alone."""
    inside = {u: f.point for f in filter(None, formulas) for t in postorder(f._full) if isinstance(t, Map)
              for u in t.children if u.kind != "var"}  # fmt: skip
    for u, values in islice(inside.items(), _limits.VERIFIED_EDGES):
        there = [(float(v), k) for k, p in enumerate(known) if np.isfinite(v := _least(u, p, values))]
        if not there or sum(v <= NEAR_ZERO for v, _ in there) > 2:
            continue
        place = known[min(there)[1]]
        for name in sorted(v.name for v in symbols_in(u) if v.name in table and is_free(table[v.name])):
            for target in (0.0, 1.0, -1.0):
                yield from _solved(u, target, place, name, values)


def _least(u: Expr, place: Place, values: Point) -> float:
    """The least absolute value that a term has in an entry; NaN if it has none."""
    try:
        with np.errstate(all="ignore"):
            return float((np.abs(evaluate(u, place.known(values))) * 1.0).min(initial=np.inf))
    except (SymgradError, KeyError, ValueError, np.linalg.LinAlgError):
        return float("nan")


def _solved(u: Expr, target: float, place: Place, name: str, values: Point) -> Iterator[Place]:
    """The point at which an entry of a term has a value, by Newton's steps along one variable; none if that is not
    found."""
    apart = plus(u.shape, (1, u), (-target, shaped(u.shape, 1, [])))
    for _ in range(NEWTON):
        here = _least(apart, place, values)
        if here < 1e-3:
            yield place
            return
        h = 1e-6 * (1 + float(np.abs(place.point[name]).max(initial=0)))
        near = _least(apart, _shifted(place, name, h), values)
        if not np.isfinite(here) or not np.isfinite(near) or near == here:
            return
        place = _shifted(place, name, h * here / (here - near))


def _shifted(place: Place, name: str, by: float) -> Place:
    return Place({**place.point, name: place.point[name] + by}, place.lengths, False)


def exactly(numbers: list[float], known: list[Place], table: Table) -> Iterator[Place]:
    """Points on edges, where all variables are one number."""
    for k, c in enumerate((0.0, *numbers)[: _limits.VERIFIED_EDGES] if known else []):
        place = known[k % len(known)]
        for value in (c, -c) if c else (c,):
            yield place.changed(table, partial(np.full_like, fill_value=value))


_JUMPS = ("at integers", "at halves", "at jumps", "multiples of b")
"""How the kinks of functions end that jump at whole numbers, or halves, of what they take."""


def at_halves(formulas: list[Any], known: list[Place], table: Table, rng: Any) -> Iterator[Place]:
    """Points of halves and quarters, if formulas have functions that jump at such."""
    terms = _maps(formulas)
    for k in range(-6, 7) if known and any(t.op.kink.endswith(_JUMPS) for t in terms) else ():
        place = known[k % len(known)]
        yield place.changed(table, partial(np.full_like, fill_value=k / 2))
        yield place.changed(table, lambda x: rng.integers(-12, 13, x.shape) / 4)


def with_real_powers(formulas: list[Any], known: list[Place], table: Table) -> Iterator[Place]:
    """Points at which powers of negative numbers may be real: symbols in exponents are whole numbers and halves."""
    exponents = {v.name for t in _maps(formulas) if t.operation == "pow_tensor" for v in symbols_in(t.args[1][0])}
    free = sorted(n for n in exponents if n in table and is_free(table[n]))
    bases = [n for n, v in table.items() if is_free(v) and n not in free]
    for k, values in enumerate(product((2.0, 0.5, 3.0, 1.5, -1.0), repeat=len(free)) if known and free else ()):
        place = known[k % len(known)].changed(table, np.abs)
        raised = {n: np.full_like(place.point[n], value) for n, value in zip(free, values, strict=True)}
        for below in (bases, *([n] for n in bases if len(bases) > 1)):
            negative = {n: -place.point[n] for n in below}
            yield place.moved({**negative, **raised})


def edges_of(formulas: list[Any], conditions: list[tuple[Expr, Point]]) -> list[Edge]:
    """The conditions in formulas, and the operands of functions with kinks."""
    found = {term: Edge(term, known) for term, known in conditions}
    for root, known in [*[(f._full, f.point) for f in filter(None, formulas)], *conditions]:
        for t in postorder(root):
            changing = isinstance(t, Map) and t.op.truth and t.op.name not in ("eq", "ne")
            for term in [t] if changing else surfaces(t):
                found.setdefault(term, Edge(term, known))
    return [e for e, _ in zip(found.values(), range(_limits.VERIFIED_EDGES), strict=False)]


def beside(edge: Edge, known: list[Place], table: Table, alone: bool = False) -> list[Place]:
    """Points on both sides of an edge; none if it was not met. ``alone``: by moving one variable."""
    for one in known[: _limits.VERIFIED_EDGES]:
        first = edge.holds(one)
        others = _alone(one, table) if alone else [*_elsewhere(one, table), *known]
        for other in [] if first is None else others:
            second = edge.holds(other) if other.lengths == one.lengths else None
            if second is None or first is None or second.shape != first.shape or not (first != second).any():
                continue
            there = tuple(np.argwhere(first != second)[0])
            t = _crossing(edge, one, other, there, table)
            steps = (-0.1, -1e-3, -1e-6, 1e-6, 1e-3, 0.1)
            return [_between(one, other, t + d, table) for d in steps] + [other._replace(usual=False)]
    return []


def _elsewhere(place: Place, table: Table) -> Iterator[Place]:
    """The same point, smaller, larger and turned round."""
    for scale in (-1.0, 0.1, -0.1, 10.0, -10.0, 100.0, -100.0, 1e-3, -1e-3, 1e5, -1e5, 1e9, -1e9):
        yield place.changed(table, partial(np.multiply, scale))


def _alone(place: Place, table: Table) -> Iterator[Place]:
    """The same for one variable of several: 1/y is large where x need not be, and exp(y⁴ − x) no number far away."""
    free = [n for n in place.point if is_free(table[n])]
    for name, scale in product(free, (-1.0, 0.1, -0.1, 10.0, -10.0, 1e-3, -1e-3, 1e3, -1e3)) if len(free) > 1 else ():
        yield Place({**place.point, name: scale * place.point[name]}, place.lengths, False)


def is_free(v: Quantity) -> bool:
    return not v.properties and v.value is None


def moves(v: Any) -> bool:
    """Whether any number near an entry of a quantity (a symbol) could be it."""
    return not v.properties & _DISCRETE


def _between(one: Place, other: Place, t: float, table: Table) -> Place:
    point = {n: x + t * (other.point[n] - x) if moves(table[n]) else x for n, x in one.point.items()}
    return Place(point, one.lengths, False)


def _crossing(edge: Edge, one: Place, other: Place, entry: Any, table: Table) -> float:
    """How far from one point to the other an entry of a condition changes."""
    low, high = 0.0, 1.0
    before = edge.holds(one)
    for _ in range(50):
        middle = (low + high) / 2
        now = edge.holds(_between(one, other, middle, table))
        same = now is not None and before is not None and now[entry] == before[entry]
        low, high = (middle, high) if same else (low, middle)
    return low
