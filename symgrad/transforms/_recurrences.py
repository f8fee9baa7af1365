"""A loop on the tape, found and given to `sg.scan`.

The idea to hold: a loop in Python leaves the same operations again and again, each time on what the last rounds left.
Where that is seen in the order in which they were recorded, the graph is that of a scan (`_scan_loop.py`) whose step
runs one round (`_rounds.py`), and grows with the round and not with their number. What does not fit is left as it was
recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import refusal
from ..core import OutputNode, Tensor, constants_of, held, is_leaf_node, reachable, storage
from ..sweep.directions import refuse_hooks
from ._rounds import NotRepeated, Rolled, Rounds, rested_on
from ._rounds_of_kinds import RolledKinds, kinds_found
from ._scan_loop import Loop
from ._variables import nobodys, recording


def _run(loop: Loop) -> Any:
    if not loop.may_be_rolled():
        raise NotRepeated
    return loop.rolled()


def _nothing_is_found(value: Any) -> bool:
    return False


class Ways(NamedTuple):
    """How a loop is run (it may raise NotRepeated), which constants hang on values, so that they are others at other
    points, and whether even short loops are worth it, or long ones only."""

    scan: Callable[[Loop], Any] = _run
    is_found: Callable[[Any], bool] = _nothing_is_found
    is_short: bool = False
    is_long: bool = False

    def run(self, step: Any, first: Any, xs: Any, length: int | None, tables: dict[Any, Any]) -> Any:
        """What the steps of a loop give."""
        loop = Loop(step, first, xs, length, False)
        loop.tables = tables
        return self.scan(loop)[1]

    @property
    def nodes(self) -> int:
        """From how many on a loop is looked for among them."""
        if self.is_short:
            return _limits.ROLLED_SHORT
        return _limits.ROLLED * (_limits.ROLLED_FIRST if self.is_long else 1)

    @property
    def is_program(self) -> bool:
        """Whether it is for a program, which asks the tape where a number is not finite."""
        return self.scan is not _run

    @property
    def steps(self) -> int:
        """How many a loop has at least, which `sg.scan` may have."""
        return min(_limits.ROUNDS, _limits.SCAN_STEPS) if self.is_short else _limits.SCAN_STEPS


RECORDED = Ways()


def rolled(output: Tensor, ways: Ways = RECORDED) -> Tensor:
    """The output of the same graph in which loops are one operation each; the output itself where none is found."""
    for _ in range(_limits.LOOPS):
        now = _first_rolled(output, ways)
        if now is None:
            break
        output = now
    return output


def _first_rolled(output: Tensor, ways: Ways) -> Tensor | None:
    if output._node is None:
        return None
    nodes, leaves = _behind(output._node, ways.is_found)
    if len(nodes) < ways.nodes or storage.written_since(nodes[0].seq):
        return None
    own = [leaf for leaf in leaves if leaf in nobodys]
    nobodys.difference_update(own)  # as long as the loop is run again they are somebody's
    try:
        for kind, rounds in _candidates(nodes, ways):
            for begin in (rounds, rounds.without_first()):
                made = _tried(output, nodes, kind, begin, ways)
                if made is not None:
                    return made
    finally:
        nobodys.update(own)
    return None


def _candidates(nodes: Sequence[Any], ways: Ways) -> Iterator[tuple[Any, Any]]:
    """Where loops may be: rounds of one kind, then rounds of a few kinds."""
    words: dict[Any, int] = {}
    codes = np.array([words.setdefault(_word(node), len(words)) for node in nodes])
    yield from [(Rolled, rounds) for rounds in found(codes)]
    if ways.is_program:
        yield from [(RolledKinds, kinds) for kinds in kinds_found(codes)]


def _tried(output: Tensor, nodes: Sequence[Any], kind: Any, rounds: Any, ways: Ways) -> Tensor | None:
    refused = refusal.get()
    try:
        refuse_hooks(nodes)  # whose nodes are to be left as they are
        with recording(), np.errstate(all="ignore"):
            loop = kind(nodes, rounds, ways)
            made = loop.output(output._node)
    except Exception:  # shapes that grow, say: whatever does not fit is the tape's, as it was recorded
        refusal.set(refused)
        return None
    rtol = max(1e-9, 1e3 * np.finfo(output._data.dtype).eps)  # sums are added up in another order
    same = np.array_equal(made._data, output._data) or np.allclose(made._data, output._data, rtol=rtol, atol=0)
    if not same or made._node is None or made._data.dtype != output._data.dtype:
        return None
    gone = len(nodes) - len(_behind(made._node, ways.is_found)[0])  # rounds that only pick entries would be picked anew
    return made if 2 * gone >= loop.count else None


def _behind(root: Any, is_found: Callable[[Any], bool]) -> tuple[list[Any], set[Any]]:
    """The nodes of a graph in the order of their birth, with those that only comparisons read; and the leaves."""
    todo, seen, leaves = [root], set[Any](), set[Any]()
    while todo:
        nodes, more = reachable(todo)[:2]
        new = [node for node in nodes if node not in seen]
        seen.update(new)
        leaves.update(more)
        some = [node for node in new if None in node.parents]  # has constants among its operands
        found = [a for node in some for a in map(held, constants_of(node)) if is_found(a)]
        todo = [e for e in rested_on(found, is_found) if e not in seen and not is_leaf_node(e)]
    return sorted(seen, key=lambda node: node.seq), leaves


def found(codes: np.ndarray) -> list[Rounds]:
    """Long stretches in which the operations repeat, the likeliest first."""
    total = len(codes)
    stretches: set[Rounds] = set()
    for period in _periods(codes):
        same = np.concatenate([[False], codes[period:] == codes[:-period], [False]])
        for start, end in np.flatnonzero(same[1:] != same[:-1]).reshape(-1, 2).tolist():
            count = (end + period - start) // period
            if count >= _limits.ROUNDS and _limits.LOOP_SHARE * count * period >= total:
                stretches.add(Rounds(start, period, count))
    best: list[Rounds] = []
    for one in sorted(stretches):
        # of two in the same place the one with more nodes: the other is a part of a round
        if best and one.start < best[-1].start + best[-1].times * best[-1].period:
            if one.times * one.period > 1.1 * best[-1].times * best[-1].period:
                best[-1] = one
        else:
            best.append(one)
    return best


def _periods(codes: np.ndarray) -> set[int]:
    """After how many nodes the same operation comes again, most times: the next one of its kind, or one after it."""
    found = set()
    for code, count in sorted(Counter(codes.tolist()).items(), key=lambda item: item[1])[:12]:
        places = np.flatnonzero(codes == code)
        for k in range(1, min(12, count // _limits.ROUNDS) + 1):
            period, times = Counter((places[k:] - places[:-k]).tolist()).most_common(1)[0]
            if 2 * times >= count:
                found.add(period)
    return found


def _word(node: Any) -> Any:
    op = node.op
    if op is None:
        return type(node) if type(node) is OutputNode else id(node)
    return op.name


__all__ = ["NotRepeated", "Ways", "rolled"]
