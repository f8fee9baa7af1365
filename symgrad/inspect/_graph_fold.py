"""Repeated parts of a graph drawn once: the steps of a loop, equal layers.

The idea to hold: two steps p apart match if they do the same with the same: with the same box, with boxes p apart, or
with leaves of their own that look alike. Where that holds over at least three periods, the first period stands for all.
What the first gets from before, the later ones get from the one before them: that arrow is drawn back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
    best, most = None, 0
    for p in range(1, min(len(found.steps) // LEAST, _limits.GRAPH_PERIOD) + 1):
        k, last = 0, len(found.steps) - p
        while k < last:
            end = k
            while end < last and found.match(end, p):
                end += 1
            if end == k:
                k += 1
                continue
            start = k
            while start > max(k - p, 0) and found.match(start - 1, p, True):
                start -= 1
            times = (end - start) // p + 1
            if times >= LEAST and (times - 1) * p > most:
                most = (times - 1) * p
                starts = range(start, end + p - times * p + 1)
                between = [found.arrows_between(s, p) for s in starts]
                best = found.steps, starts[between.index(min(between))], p, times
            k = end + 1
    return best


def _without(boxes: list[Box], steps: list[Box], start: int, p: int, times: int) -> tuple[list[Box], Part]:
    """The boxes without the later periods, whose place the first takes."""
    first = steps[start : start + p]
    stands: dict[int, Box] = {}
    part = Part(first, times)
    own: dict[int, tuple[Box, list[Box]]] = {}
    for k in range(p):
        for r in range(1, times):
            later = steps[start + r * p + k]
            stands[id(later)] = first[k]
            for x, y in zip(first[k].into, later.into, strict=True):
                if x.kind in ("leaf", "constant") and y.kind == x.kind and x is not y:
                    stands[id(y)] = x
                    own.setdefault(id(x), (x, [x]))[1].append(y)
    for k in range(p):
        for x, y in zip(first[k].into, steps[start + p + k].into, strict=True):
            source = stands.get(id(y), y)
            at = next((j for j, box in enumerate(first) if box is source), None)
            before = next((j for j, box in enumerate(first) if box is x), None)
            if at is not None and before is None:
                part.back.append((source, first[k]))
    removed = set(stands)
    for x, several in own.values():
        count = len({id(y) for y in several})
        x.times = count
        x.marks = [*x.marks, f"…, {several[-1].name}"]
        x.value = x.gradient = ""
        part.boxes = [x, *part.boxes]
    for box, last in zip(first, steps[start + (times - 1) * p :], strict=False):
        box.times, box.value, box.gradient = times, "", ""
        box.marks = [*box.marks, f"…, {last.name}"]
    kept = [box for box in boxes if id(box) not in removed]
    for box in kept:
        box.into = list({id(b): b for b in (stands.get(id(b), b) for b in box.into)}.values())
    return kept, part
