"""Where boxes and arrows go: layers from top to bottom, few crossings, straight arrows.

The idea to hold: an arrow goes down one layer at a time. A longer one has a bend in each layer between, which keeps a
place free there like a narrow box, so that no arrow runs through a box. Within a layer the order is that of the means
of the neighbours' places (the barycentre method); the places themselves are the nearest to those means that keep
order and distance (least squares, by pooling neighbours that would meet).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .. import _limits

GAP, BEND, BETWEEN = 22.0, 14.0, 44.0
"""The distance of boxes, the width of a bend, the distance of layers."""


@dataclass(eq=False)
class Place:
    """A box, or a bend of an arrow, and where it is: ``x`` is its middle, ``y`` its top."""

    width: float
    height: float
    bend: bool = False
    layer: int = 0
    x: float = 0.0
    y: float = 0.0
    above: list[Place] = field(default_factory=list)
    below: list[Place] = field(default_factory=list)


@dataclass
class Layout:
    """The places of the boxes, the bends of each arrow from top to bottom (None: a stub), and the whole size."""

    places: list[Place]
    arrows: list[list[Place] | None]
    bands: list[tuple[float, float]]
    width: float
    height: float


def laid_out(sizes: Sequence[tuple[float, float]], arrows: Sequence[tuple[int, int]]) -> Layout:
    """Places for boxes of these sizes (operands before what is made of them) and arrows between them.

    >>> found = laid_out([(40, 20), (40, 20), (60, 20)], [(0, 2), (1, 2)])
    >>> [place.layer for place in found.places], found.places[0].x < found.places[2].x < found.places[1].x
    ([0, 0, 1], True)
    """
    places = [Place(*size) for size in sizes]
    _choose_layers(places, arrows)
    stubs = _stubs(places, arrows)
    every, chains = list(places), list[list[Place] | None]()
    for k, (i, j) in enumerate(arrows):
        if k in stubs:
            chains.append(None)
            continue
        bends = [Place(BEND, 0.0, True, n) for n in range(places[i].layer + 1, places[j].layer)]
        line = [places[i], *bends, places[j]]
        for a, b in pairwise(line):
            a.below.append(b)
            b.above.append(a)
        every += bends
        chains.append(bends)
    layers: list[list[Place]] = [[] for _ in range(max((p.layer for p in places), default=-1) + 1)]
    for place in every:
        layers[place.layer].append(place)
    few = len(every) <= _limits.GRAPH_PLACES
    _order(layers, 24 if few else 6)
    _spread(layers, 12 if few else 4)
    bands, y = [], 0.0
    for layer in layers:
        height = max(p.height for p in layer)
        for p in layer:
            p.y = y + (height - p.height) / 2
        bands.append((y, y + height))
        y += height + BETWEEN
    left = min((p.x - p.width / 2 for p in every), default=0.0)
    for p in every:
        p.x -= left
    width = max((p.x + p.width / 2 for p in every), default=0.0)
    return Layout(places, chains, bands, width, max(y - BETWEEN, 0.0))


def _choose_layers(places: list[Place], arrows: Sequence[tuple[int, int]]) -> None:
    """The longest way from a box without operands; then down to what uses a box first."""
    below: list[list[int]] = [[] for _ in places]
    above: list[list[int]] = [[] for _ in places]
    for i, j in arrows:
        below[i].append(j)
        above[j].append(i)
    for j, place in enumerate(places):
        place.layer = max((places[i].layer + 1 for i in above[j]), default=0)
    for i in reversed(range(len(places))):
        if below[i] and len(above[i]) <= len(below[i]):  # the arrows get no longer by it on the whole
            places[i].layer = min(places[j].layer for j in below[i]) - 1


def _stubs(places: list[Place], arrows: Sequence[tuple[int, int]]) -> set[int]:
    """The arrows that are not drawn through: the longest, where all together have too many bends."""
    bends = {k: places[j].layer - places[i].layer - 1 for k, (i, j) in enumerate(arrows)}
    total, found = sum(bends.values()), set()
    for k in sorted(bends, key=lambda k: -bends[k]):
        if total <= _limits.GRAPH_BENDS:
            break
        total -= bends[k]
        found.add(k)
    return found


def _order(layers: list[list[Place]], rounds: int) -> None:
    """The order within each layer: by the means of the neighbours' numbers, down and up; the best of all rounds."""
    number = {id(p): float(k) for layer in layers for k, p in enumerate(layer)}
    best, fewest = [list(layer) for layer in layers], _crossings(layers, number)
    for k in range(rounds):
        down = k % 2 == 0
        for layer in layers[1:] if down else layers[-2::-1]:
            means = {}
            for p in layer:
                near = p.above if down else p.below
                means[id(p)] = sum(number[id(q)] for q in near) / len(near) if near else number[id(p)]
            layer.sort(key=lambda p: means[id(p)])
            number.update({id(p): float(n) for n, p in enumerate(layer)})
        found = _crossings(layers, number)
        if found < fewest:
            best, fewest = [list(layer) for layer in layers], found
    for layer, chosen in zip(layers, best, strict=True):
        layer[:] = chosen


def _crossings(layers: list[list[Place]], number: dict[int, float]) -> int:
    """How many pairs of arrows between neighbouring layers cross, counted by a tree of sums."""
    total = 0
    for layer, lower in pairwise(layers):
        tree = [0] * (len(lower) + 1)
        seen = 0
        for p in layer:
            ends = sorted(int(number[id(q)]) for q in p.below)
            for end in ends:
                total += seen
                k = end + 1
                while k:
                    total -= tree[k]
                    k -= k & -k
            for end in ends:
                seen += 1
                k = end + 1
                while k < len(tree):
                    tree[k] += 1
                    k += k & -k
    return total


def _spread(layers: list[list[Place]], rounds: int) -> None:
    """The places within the layers: near the means of the neighbours, down and up in turn, then both."""
    for layer in layers:
        _settle(layer, [0.0] * len(layer))
    for k in range(rounds):
        for layer in layers if k % 2 == 0 else reversed(layers):
            wanted = []
            for p in layer:
                near = [*p.above, *p.below] if k >= rounds - 4 else p.above if k % 2 == 0 else p.below
                near = near or [*p.above, *p.below]
                pulls = [_PULLS[p.bend + q.bend] for q in near]
                wanted.append(sum(w * q.x for w, q in zip(pulls, near, strict=True)) / sum(pulls) if near else p.x)
            _settle(layer, wanted)


_PULLS = (1.0, 2.0, 8.0)
"""How much an arrow wants to be straight: between boxes, at its ends, in its middle."""


def _settle(layer: list[Place], wanted: list[float]) -> None:
    """Put the places of a layer as near as may be to where they are wanted, in their order and apart."""
    offset, offsets = 0.0, []
    for k, p in enumerate(layer):
        if k:
            offset += (layer[k - 1].width + p.width) / 2 + (6.0 if layer[k - 1].bend and p.bend else GAP)
        offsets.append(offset)
    pools: list[list[float]] = []  # (weight, sum, count): neighbours that touch move together
    for p, want, off in zip(layer, wanted, offsets, strict=True):
        weight = 4.0 if p.bend else 1.0
        pools.append([weight, weight * (want - off), 1])
        while len(pools) > 1 and pools[-2][1] / pools[-2][0] > pools[-1][1] / pools[-1][0]:
            last = pools.pop()
            pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
    k = 0
    for weight, total, count in pools:
        for _ in range(int(count)):
            layer[k].x = total / weight + offsets[k]
            k += 1
