"""The search for the operation that a NaN is to blame on.

The idea to hold: a gradient is a product of factors along a way (summed over ways). The sweep noticed the product that
is NaN; of its two factors the one that is not finite was made by somebody: by the operation itself, whose derivative
has a pole there; by one nearer to the output, if it came in with the gradient; by an earlier one, if a value was not
finite already when the function was computed. That one is the culprit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import MASKS, AnomalyFound, OutputNode, Tensor, reachable, strange
from ._recorded_values import Place, Replay, place_of


class Factor(NamedTuple):
    """One step of a gradient's way: from entry ``place`` of the result of ``node`` to operand ``i``.

    ``incoming`` is the gradient there, ``slope`` the derivative (None: not known, and ``place`` is the worst),
    ``entry`` that of the operand.
    """

    node: Any
    i: int
    place: Place
    incoming: Any
    slope: Any
    entry: Place


class Culprit(NamedTuple):
    """Who made the first number that is not finite: ``how`` is 'slope' (a derivative), 'value' (a result), 'product'
    (of finite factors, too large), 'given' (operand ``i`` was not finite from the beginning), 'function' or 'hook'."""

    how: str
    node: Any
    place: Place
    i: int = 0


class Search:
    """What led to what a sweep found."""

    def __init__(self, found: AnomalyFound) -> None:
        self.found, self.replay = found, Replay()
        self.trail = found.trail
        self.consumers: dict[Any, list[tuple[Any, int]]] = {}
        nodes = reachable([*self.trail])[0]
        for node in nodes:
            for i, parent in enumerate(node.parents):
                if parent is not None:
                    self.consumers.setdefault(parent, []).append((node, i))
        self.exact = any(node.traits & MASKS for node in nodes)
        self.meeting: list[Factor] = []  # the factors whose product, or sum, is not finite
        self.culprit = self._found()

    def _found(self) -> Culprit:
        found = self.found
        k, bad = found.first()
        place = place_of(bad) if bad.ndim else ()
        if found.how == "hook":
            return Culprit("hook", found.by, place, k)
        if found.how == "forward":
            return self._value(found.by, place)
        if found.how == "rule" and found.by.op is None:
            return Culprit("function", found.by, place, k)
        if found.how == "rule":
            self.meeting = [self.factor(found.by, k, place, found.incoming)]
            return self._of(self.meeting[0])
        return self._sum(found.by, place)

    # ------------------------------------------------------------------------------------------------------ factors

    def factor(self, node: Any, i: int, entry: Place, g: Any) -> Factor:
        """The step through ``node`` to an entry of its operand that matters most."""
        column = None if type(node) is OutputNode else self.replay.column(node, i, entry)
        if column is None:
            arrived = [_array(v) for v in (g if isinstance(g, list) else [g]) if v is not None]
            array = next((v for v in arrived if strange(v, True) is not None), arrived[0])
            place = entry if type(node) is OutputNode and _is_place(entry, array.shape) else _worst(array)
            return Factor(node, i, place, array[place], 1.0 if type(node) is OutputNode else None, entry)
        g, (slope, reached) = _array(g), column
        terms = g * slope
        if self.exact and node.op.steep:
            terms = np.where(g == 0, 0, terms)
        place = _heaviest(np.where(reached, terms, 0), reached)
        return Factor(node, i, place, g[place], slope[place], entry)

    def up(self, edge: Any, entry: Place) -> Factor | None:
        """The step by which the most arrived at an entry of an edge; None at the output of all."""
        steps = [s for s in self.arrivals(edge, entry) if s.slope is None or s.slope != 0 or s.incoming != 0]
        return max(steps, key=_weight, default=None)

    def arrivals(self, edge: Any, entry: Place) -> list[Factor]:
        """The steps by which something arrived at an entry of an edge."""
        return [
            self.factor(node, i, entry, self.trail[node])
            for node, i in self.consumers.get(edge, []) if node in self.trail
        ]  # fmt: skip

    def way(self, step: Factor) -> list[Factor]:
        """The steps from the output to this one."""
        steps = [step]
        while True:
            above = self.up(steps[-1].node, steps[-1].place)
            if above is None:
                return steps[::-1]
            steps.append(above)

    # ------------------------------------------------------------------------------------------------------ culprits

    def _of(self, step: Factor) -> Culprit:
        """Who made the factor that is not finite."""
        while True:
            node, i, place = step.node, step.i, step.place
            unknown = step.slope is None
            if self._operand_not_finite(node, place) if unknown else not np.isfinite(step.slope):
                return self._slope(node, place, i)
            if np.isfinite(step.incoming):
                return Culprit("slope" if unknown else "product", node, place, i)
            above = self.up(node, place)
            if above is None:
                return Culprit("product", node, place, i)
            if above.node.op is None and type(above.node) is not OutputNode:
                return Culprit("function", above.node, above.entry, above.i)
            step = above

    def _sum(self, edge: Any, entry: Place) -> Culprit:
        """Of a gradient in which ways meet: the first of those who made a summand that is not finite."""
        self.meeting = [s for s in self.arrivals(edge, entry) if not _is_finite(s)]
        found = [self._of(step) for step in self.meeting]
        return min(found, key=lambda c: c.node.seq, default=Culprit("product", edge, entry))

    def _slope(self, node: Any, place: Place, i: int) -> Culprit:
        """Of a derivative that is not finite: the operation itself, or who made its operand."""
        return self._value(node, place) if self._operand_not_finite(node, place) else Culprit("slope", node, place, i)

    def _operand_not_finite(self, node: Any, place: Place) -> bool:
        return any(self._entry(node, i, place) is not None for i in range(len(node.parents)))

    def _value(self, node: Any, place: Place) -> Culprit:
        """Of a value that is not finite: the first operation that made such a one of finite operands."""
        while True:
            while type(node) is OutputNode:
                node = node.parents[0]
            bad = [(i, e) for i in range(len(node.parents)) if (e := self._entry(node, i, place)) is not None]
            if not bad:
                return Culprit("value", node, place)
            i, entry = bad[0]
            parent = node.parents[i]
            if parent is None or (parent.op is None and type(parent) is not OutputNode):  # a constant, or a leaf
                return Culprit("given", node, place, i)
            node, place = parent, entry

    def _entry(self, node: Any, i: int, place: Place) -> Place | None:
        """Where an operand is not finite, as far as it matters for an entry of the result; None if nowhere."""
        value = self.replay.operand(node, i)
        value = None if value is None or isinstance(value, (tuple, list, slice, str)) else np.asarray(value)
        bad = None if value is None else strange(value, True)
        if value is None or bad is None:
            return None
        if node.op is not None and node.op.kind == "elementwise":
            entry = matched(place, value.shape)
            return entry if not np.isfinite(value[entry]) else None
        return place_of(bad) if value.ndim else ()


def matched(place: Place, shape: Place) -> Place:
    """The entry of a broadcast operand that belongs to an entry of the result."""
    return tuple(0 if n == 1 else p for p, n in zip(place[len(place) - len(shape) :], shape, strict=True))


def _is_place(place: Place, shape: Place) -> bool:
    return len(place) == len(shape) and all(p < n for p, n in zip(place, shape, strict=True))


def _worst(array: np.ndarray) -> Place:
    """Where an array is not finite, else its first entry."""
    bad = strange(array, True)
    return (0,) * array.ndim if bad is None or not array.ndim else place_of(bad)


def _array(v: Any) -> np.ndarray:
    return np.asarray(v._data if isinstance(v, Tensor) else v)


def _is_finite(step: Factor) -> bool:
    return step.slope is not None and bool(np.isfinite(step.incoming * step.slope))


def _heaviest(terms: np.ndarray, reached: np.ndarray) -> Place:
    """Where the most comes from: a NaN, else an infinity, else the largest; of nothing, the first place reached."""
    if not terms.ndim:
        return ()
    for found in (np.isnan(terms), ~np.isfinite(terms)):
        if found.any():
            return place_of(found)
    size = np.abs(terms) if np.any(terms) else reached
    return tuple(int(k) for k in np.unravel_index(np.argmax(size), terms.shape))


def _weight(step: Factor) -> float:
    if step.slope is None:
        return 0.0
    product = step.incoming * step.slope
    return np.inf if np.isnan(product) else float(np.abs(product))
