"""Which nodes a backward recorded, and of which order: what tells a gradient's graph from the function's.

The idea to hold: a sweep that records takes the nodes between two times of the clock. Of those spans the latest are
kept; a node older than what was let go is of unknown order, and that is said.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from operator import itemgetter
from typing import Any

from .. import _limits
from ..core import next_seq

_spans: list[tuple[int, int, int]] = []  # (first, last, order): disjoint, the oldest first
_dropped = 0  # the end of the latest span that was let go


def note_sweep(start: int, nodes: list[Any]) -> None:
    """A sweep over ``nodes`` (newest first) has recorded since ``start``."""
    global _dropped, _spans
    end, spans = next_seq(), _spans  # which others may add to, and do not shorten: they put another in its place
    if not nodes or end == start + 1:
        return
    newest, oldest, order = nodes[0].seq, nodes[-1].seq, 1
    for k in range(bisect_left(spans, newest, key=_first) - 1, -1, -1):
        first, last, known = spans[k]
        if last < oldest:
            break
        if known >= order and _any_within(nodes, first, last):
            order = known + 1
    inside = bisect_left(spans, start, key=_first)  # sweeps inside this one, for rules of its
    if inside < len(spans):
        order = max(order, *[known for _, _, known in spans[inside:]])
        _spans = spans[:inside]
    _spans.append((start, end, order))
    if len(_spans) > 2 * _limits.SWEEPS:
        _dropped, _spans = _spans[_limits.SWEEPS - 1][1], _spans[_limits.SWEEPS :]


_first = itemgetter(0)


def _any_within(nodes: list[Any], first: int, last: int) -> bool:
    k = bisect_left(nodes, -last, key=lambda node: -node.seq)
    return k < len(nodes) and nodes[k].seq >= first


def orders_of(nodes: Iterable[Any]) -> dict[Any, int | None]:
    """Per node 0 if a function recorded it, 1 if a backward did, 2 if a backward through such nodes did, and so on;
    None where it is not known any more."""
    spans, dropped = _spans, _dropped
    found: dict[Any, int | None] = {}
    for node in nodes:
        k = bisect_left(spans, node.seq, key=_first) - 1
        if k >= 0 and node.seq < spans[k][1]:
            found[node] = spans[k][2]
        else:
            found[node] = None if node.seq <= dropped else 0
    return found


__all__ = ["note_sweep", "orders_of"]
