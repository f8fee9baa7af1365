"""Repeated parts of a graph drawn once: the steps of a loop, equal layers.

The idea to hold: two steps p apart match if they do the same with the same: with the same box, with boxes p apart, or
with leaves of their own that look alike. Where that holds over at least three periods, the first period stands for all.
What the first gets from before, the later ones get from the one before them: that arrow is drawn back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _limits
from ._graph_boxes import Box

LEAST = 3
"""Periods from which on a repetition is drawn once."""


@dataclass
class Part:
    """Boxes that stand for ``times`` equal parts, and the arrows from one part to the next."""

    boxes: list[Box]
    times: int
    back: list[tuple[Box, Box]] = field(default_factory=list)


def folded(boxes: list[Box]) -> tuple[list[Box], list[Part]]:
    """The boxes that are left (operands before what is made of them), and what stands for several."""
    parts: list[Part] = []
    while (found := _longest(boxes)) is not None:
        boxes, part = _without(boxes, *found)
        parts.append(part)
    return boxes, parts


class _Steps:
    """The steps in order, where each is, and what is done with the leaves."""

    def __init__(self, boxes: list[Box]) -> None:
        self.steps = [box for box in boxes if box.kind == "step"]
        self.place = {id(box): k for k, box in enumerate(self.steps) if box.times == 1}
        self.uses: dict[tuple[int, int | None], list[int]] = {}
        for box in self.steps:
            for x in box.into:
                self.uses.setdefault((id(x), box.order), []).append(hash(box.same))

    def match(self, k: int, p: int, first: bool = False) -> bool:
        """Whether the steps at ``k`` and p later do the same; ``first``: what the earlier gets may be from before."""
        a, b = self.steps[k], self.steps[k + p]
        if a.same != b.same or len(a.into) != len(b.into) or a.times > 1 or b.times > 1:
            return False
        return all(self._agree(x, y, k, p, first) for x, y in zip(a.into, b.into, strict=True))

    def _agree(self, x: Box, y: Box, k: int, p: int, first: bool) -> bool:
        i, j = self.place.get(id(x)), self.place.get(id(y))
        if x is y or (i is not None and j is not None and j - i == p):
            return True
        if first and j is not None and j >= k and (i is None or i < j - p):  # from the period before
            return True
        if "step" in (x.kind, y.kind) or x.same != y.same or x.times > 1 or y.times > 1:
            return False
        order = self.steps[k].order
        return sorted(self.uses[id(x), order]) == sorted(self.uses[id(y), order])

    def arrows_between(self, start: int, p: int) -> int:
        """How many boxes of the period at ``start`` the next one uses."""
        before = {id(box) for box in self.steps[start : start + p]}
        return len({id(x) for box in self.steps[start + p : start + 2 * p] for x in box.into} & before)


def _longest(boxes: list[Box]) -> tuple[list[Box], int, int, int] | None:
    """(the steps, where the repetition starts, its period, how often): the one that saves most boxes."""
    found = _Steps(boxes)
    number: dict[Any, int] = {}
    labels = np.array([number.setdefault(box.same, len(number)) for box in found.steps], dtype=int)
    best, most = None, 0
    known: list[tuple[int, int, int]] = []
    for p in range(1, min(len(found.steps) // LEAST, _limits.GRAPH_PERIOD) + 1):
        for low, high in _stretches(labels[:-p] == labels[p:], max(p, most - p)):
            if any(p % q == 0 and start - q <= low and high + p <= stop + q for q, start, stop in known):
                continue  # the same repetition, several periods taken as one
            k = low + p - 1  # a repetition of three periods has a match at every p-th step
            while k < high:
                start = end = k
                while end < high and found.match(end, p):
                    end += 1
                while end > k and start > low and found.match(start - 1, p):
                    start -= 1
                k = max(end, k) + p
                if end - start < p:
                    continue
                first = start
                while start > max(first - p, 0) and found.match(start - 1, p, True):
                    start -= 1
                times = (end - start) // p + 1
                if times >= LEAST:
                    known.append((p, start, end + p))
                if times >= LEAST and (times - 1) * p > most:
                    most = (times - 1) * p
                    starts = range(start, end + p - times * p + 1)
                    between = [found.arrows_between(s, p) for s in starts]
                    best = found.steps, starts[between.index(min(between))], p, times
    return best


def _stretches(equal: np.ndarray, least: int) -> list[tuple[int, int]]:
    """Where at least so many neighbours are true."""
    ends = np.flatnonzero(np.diff(np.concatenate([[0], equal.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in ends.reshape(-1, 2) if b - a >= least]


def _without(boxes: list[Box], steps: list[Box], start: int, p: int, times: int) -> tuple[list[Box], Part]:
    """The boxes without the later periods, whose place the first takes."""
    run = steps[start : start + p * times]
    first = run[:p]
    role = {id(box): n % p for n, box in enumerate(run)}
    stands: dict[int, Box] = {id(box): first[n % p] for n, box in enumerate(run[p:], p)}
    own: dict[int, tuple[Box, dict[int, Box]]] = {}
    back: dict[tuple[int, int], tuple[Box, Box]] = {}
    for n, later in enumerate(run[p:], p):
        made = first[n % p]
        for x, y in zip(made.into, later.into, strict=True):
            if id(y) in role and id(x) not in role:
                source = first[role[id(y)]]
                back[id(source), id(made)] = source, made
            elif x is not y and x.kind != "step":
                stands[id(y)] = x
                own.setdefault(id(x), (x, {}))[1][id(y)] = y
    for x, others in own.values():
        _stand_for(x, 1 + len(others), list(others.values())[-1])
    for box, last in zip(first, run[-p:], strict=True):
        _stand_for(box, times, last)
    kept = [box for box in boxes if id(box) not in stands]
    for box in kept:
        box.into = list({id(b): b for b in (stands.get(id(b), b) for b in box.into)}.values())
    return kept, Part(first, times, list(back.values()))


def _stand_for(box: Box, times: int, last: Box) -> None:
    box.times, box.value, box.gradient = times, "", ""
    box.marks.append(f"…, {last.name}")
