"""What a sweep asks before and after: whether saved values are as they were, and how gradients are added to leaves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from operator import itemgetter
from threading import RLock
from typing import Any

import numpy as np

from .._errors import GradientError, InplaceError
from .._limits import bound
from ..core import (
    Freed,
    Node,
    gradient_for_others,
    modes,
    next_seq,
    output_node,
    saved_value,
    saved_values,
    storage,
    wrap,
)
from ..ops.linalg import Undecided


def raise_if_freed(node: Node) -> None:
    """Raise the error of a freed graph if the saved values of ``node`` are gone: another thread's sweep used them up
    while this one was on its way."""
    if type(node.saved) is Freed:
        raise node.saved.error(node) from None


def check_unspoilt(node: Node, saved: Any) -> None:
    """Raise PyTorch's error if the memory of a saved value was written after it was saved."""
    for name, value in zip(getattr(node.op, "saved", ()) or range(len(saved)), saved, strict=False):
        for v in value if type(value) is tuple else (value,):
            versions = storage.version_conflict(v, node.seq)
            if versions is not None:
                now, expected = versions
                raise InplaceError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"[{v.dtype} {list(v.shape)}], which is {_which(node, name)}, is at version {now}; expected "
                    f"version {expected} instead.",
                    f"{node.name()} saved it for its backward."
                    + (f" Recorded at {node.meta.where}." if node.meta and node.meta.where else ""),
                    "Use the out-of-place operation, or clone() before writing; sg.autograd.set_detect_anomaly(True) "
                    "shows where the operation was recorded.",
                )


def check_saved(nodes: Iterable[Node]) -> None:
    """Raise if a saved value is gone or spoilt."""
    for node in nodes:
        saved = node.saved
        if type(saved) is Freed:
            raise saved.error(node)
        if saved is not None:
            check_unspoilt(node, saved_values(node))


def _which(node: Node, name: Any) -> str:
    op = node.op
    if op is None or name == "y":
        return f"output 0 of {node.name()}"
    if name in op.inputs and not op.variadic:
        parent = node.parents[op.inputs.index(name)]
        if isinstance(parent, Node):
            return f"output 0 of {parent.name()}"
    return f"input '{name}' of {node.name()}"


# ---------------------------------------------------------------------------------------------------------- undecided
#
# What arrives at a node is 0 where its rule divides it by 0: whether nobody asks, or the quotient has another limit.
#
# The idea to hold: numbers do not tell, a derivative does. A sweep that meets such a rule puts everything back, records
# itself down to that node, and looks whether what arrives there moves with what the node gave.


def is_decided(undecided: Undecided, g: Any) -> bool:
    """Whether nothing arrived at the outputs in question: nobody asks for them."""
    return all(g[k] is None for k in undecided.where)


def expect_decided(undecided: Undecided, again: Callable[..., list[Any]], seeds: dict[Any, Any]) -> None:
    """Raise if what arrives at the outputs in question moves with the outputs of the node, where it counts."""
    node = undecided.node
    outputs = [wrap(y, output_node(node, k)) for k, y in enumerate(saved_value(node, "y"))]
    arrived = again([output_node(node, k) for k in undecided.where], seeds)
    for g, where in zip(arrived, undecided.where.values(), strict=True):
        if g is not None and g._node is not None and modes.moves_with(g, where, outputs):
            raise GradientError(*undecided.parts)


# -------------------------------------------------------------------------------------- gradients, added up on leaves


adding: Any = RLock()
"""Held while a gradient is added to a leaf's ``.grad``: sweeps of several threads may end at one leaf. (Reentrant: the
garbage collector may run somebody's code, and that a sweep, at any allocation.)"""


def accumulate(bag: Any, g: Any, graph: bool, own: bool) -> None:
    """Add ``g`` to a tensor's ``.grad``: in place, or out of place where the sum is to be differentiated.

    ``own``: nobody else has the array of ``g``, which then becomes that of ``.grad``.
    """
    bag.added += 1
    old = bag.grad
    if old is None:
        bag.grad = gradient_for_others(g, own)
    elif graph:
        bag.grad = old + g
    elif old._data.flags.writeable:
        np.add(old._data, g, out=old._data, casting="unsafe")
        storage.stamp(old._data)
    else:
        old._data = np.asarray(old._data + g)


def added(bag: Any, g: Any, graph: bool) -> Callable[[], None]:
    """`accumulate`, and how to take it back if the sweep fails later.

    ``.grad`` is then put back as it was, to the last bit, whatever a hook wrote there; if another sweep (of another
    thread, or inside a hook) has added to it since, that stays, and ``g`` is subtracted.
    """
    old = bag.grad
    before = None if old is None or graph else old._data.copy()
    accumulate(bag, g, graph, False)
    count = bag.added

    def restore() -> None:
        with adding:
            now = bag.grad
            if bag.added == count:
                bag.grad = old
                if old is not None and before is not None:
                    np.copyto(old._data, before)
            elif now is not None:
                bag.grad = now - g if graph else wrap(np.asarray(now._data - g))

    return restore


# ------------- Which nodes a backward recorded, and of which order: what tells a gradient's graph from the function's
#
# The idea to hold: a sweep that records takes the nodes between two times of the clock. Of those spans the latest are
# kept; a node older than what was let go is of unknown order, and that is said.


_spans: list[tuple[int, int, int]] = []  # (first, last, order): disjoint, the oldest first
_dropped = 0  # the end of the latest span that was let go


SWEEPS = bound(2048)
"""Recording backwards of which it is kept what they recorded, for pictures that tell them from the function; of
older ones a picture says that it is not known."""


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
    if len(_spans) > 2 * SWEEPS:
        _dropped, _spans = _spans[SWEEPS - 1][1], _spans[SWEEPS:]


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
