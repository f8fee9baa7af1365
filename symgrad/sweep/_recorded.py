"""Which nodes a backward recorded, and of which order: what tells a gradient's graph from the function's.

The idea to hold: a sweep that records takes the nodes between two times of the clock. Of those spans the latest are
kept; a node older than what was let go is of unknown order, and that is said.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from .. import _limits
from ..core import next_seq

_spans: list[tuple[int, int, int]] = []  # (first, last, order), by the time of their end
_dropped = 0  # the end of the latest span that was let go


def note_sweep(start: int, nodes: list[Any]) -> None:
    """A sweep over ``nodes`` (newest first) has recorded since ``start``."""
    global _dropped
    end = next_seq()
    if not nodes or end == start + 1:
        return
    newest, oldest, order = nodes[0].seq, nodes[-1].seq, 0
    for first, last, known in reversed(_spans):
        if last < oldest:
            break
        if known > order and first <= newest and _any_within(nodes, first, last):
            order = known
    _spans.append((start, end, order + 1))
    if len(_spans) > 2 * _limits.SWEEPS:
        _dropped = _spans[_limits.SWEEPS - 1][1]
        del _spans[: _limits.SWEEPS]


def _any_within(nodes: list[Any], first: int, last: int) -> bool:
    k = bisect_left(nodes, -last, key=lambda node: -node.seq)
    return k < len(nodes) and nodes[k].seq >= first


def orders_of(nodes: Iterable[Any]) -> dict[Any, int | None]:
    """Per node 0 if a function recorded it, 1 if a backward did, 2 if a backward through such nodes did, and so on;
    None where it is not known any more."""
    nodes, dropped = list(nodes), _dropped
    oldest = min([node.seq for node in nodes], default=0)
    spans = [span for span in list(_spans) if span[1] > oldest]
    found: dict[Any, int | None] = {}
    for node in nodes:
        order = max([order for first, last, order in spans if first < node.seq < last], default=0)
        found[node] = None if order == 0 and node.seq <= dropped else order
    return found


__all__ = ["note_sweep", "orders_of"]
