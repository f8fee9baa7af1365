"""A loop on the tape, found and made one operation.

The idea to hold: a loop in Python leaves the same operations again and again, each time on what the last time left.
Where that is seen in the order in which they were recorded, one round is run on all rounds at once, and the graph is
that of `sg.scan` (`_scan_loop.py`), which grows with the round and not with their number. What does not fit is left as
it was recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import refusal
from .._function_node import FunctionNode
from ..core import Notes, OutputNode, Tensor, applied, computed, is_leaf_node, params_of, reachable, storage, wrap
from ..ops._public import FUNCTIONS, METHODS
from ..sweep._batch_rules import Batched, spread
from ..sweep._pushforward import refuse_hooks
from ..sweep._replay import Replay, all_operands
from ._scan_body import Body, States
from ._variables import recording


class Rounds(NamedTuple):
    """Where a graph repeats itself: ``times`` rounds of ``period`` nodes, from the node number ``start``."""

    start: int
    period: int
    times: int


class NotRepeated(Exception):
    """The rounds are not the same operations on what the last round left."""


def rolled(output: Tensor) -> Tensor:
    """The output of the same graph in which loops are one operation each; the output itself where none is found."""
    for _ in range(_limits.LOOPS):
        now = _first_rolled(output)
        if now is None:
            break
        output = now
    return output


def _first_rolled(output: Tensor) -> Tensor | None:
    if output._node is None:
        return None
    nodes = reachable([output._node])[0][::-1]
    rounds = found(nodes)
    if rounds is None or storage.written_since(nodes[0].seq):
        return None
    refused = refusal.get()
    try:
        refuse_hooks(nodes)  # whose nodes are to be left as they are
        with recording(), np.errstate(all="ignore"):
            made = _Rolled(nodes, rounds).output(output._node)
    except Exception:  # shapes that grow, say: whatever does not fit is the tape's, as it was recorded
        refusal.set(refused)
        return None
    same = np.array_equal(made._data, output._data) or np.allclose(made._data, output._data, rtol=1e-9, atol=0)
    return made if same and made._node is not None else None


def found(nodes: Sequence[Any]) -> Rounds | None:
    """The first long stretch in which the operations repeat."""
    total = len(nodes)
    if total < _limits.ROLLED:
        return None
    words: dict[Any, int] = {}
    codes = np.array([words.setdefault(_word(node), len(words)) for node in nodes])
    best: Rounds | None = None
    for code, _ in sorted(Counter(codes.tolist()).items(), key=lambda item: item[1])[:12]:
        places = np.flatnonzero(codes == code)
        if len(places) < _limits.ROUNDS:
            continue
        period = Counter(np.diff(places).tolist()).most_common(1)[0][0]
        same = np.concatenate([[False], codes[period:] == codes[:-period], [False]])
        for start, end in np.flatnonzero(same[1:] != same[:-1]).reshape(-1, 2).tolist():
            count = (end + period - start) // period
            if count < _limits.ROUNDS or _limits.LOOP_SHARE * count * period < total:
                continue
            # of two in the same place the one with more nodes: the other is a part of a round
            if best is None or start < best.start - period or count * period > best.times * best.period:
                best = Rounds(start, period, count)
    return best


def _word(node: Any) -> Any:
    op = node.op
    if op is None:
        return type(node) if type(node) is OutputNode else id(node)
    return op.name, tuple([p is None for p in node.parents])


class _Operand(NamedTuple):
    """What one operand of one operation of a round is: in this round or the last one (``place``), or outside."""

    kind: str  # "own", "last", "same", "each"
    place: int = 0
    value: Any = None


class _Rolled:
    """A graph with a loop in it, run again with the loop as one operation."""

    def __init__(self, nodes: Sequence[Any], rounds: Rounds) -> None:
        self.nodes, self.number = nodes, {node: k for k, node in enumerate(nodes)}
        self.period = rounds.period
        self.operands: dict[Any, list[Any]] = {}
        self.begin, self.count = self._phase(rounds)
        self.end = self.begin + self.count * self.period
        self.values: dict[Any, Any] = {}
        for node in nodes:
            self.values[node] = self._value(node)

    # --------------------------------------------------------------------------------------------- reading it

    def of(self, node: Any) -> list[Any]:
        known = self.operands.get(node)
        if known is None:
            known = self.operands[node] = all_operands(node)
        return known

    def _phase(self, rounds: Rounds) -> tuple[int, int]:
        """Where a round is best said to begin: so that the fewest values pass from one to the next. The first round is
        left out: what it leaves is what the loop starts with."""
        period = rounds.period
        reach = [0] * period  # per place, how far its result is read
        middle = rounds.start + (rounds.times // 2) * period
        for k in range(middle, min(middle + 2 * period, len(self.nodes))):
            for a in self.of(self.nodes[k]):
                j = self.number.get(a, -1) if _is_edge(a) else -1
                if j >= rounds.start:
                    place = (j - rounds.start) % period
                    reach[place] = max(reach[place], k - j)
        if max(reach) >= 2 * period:
            raise NotRepeated
        passing = [
            sum((place - shift) % period + reach[place] >= period for place in range(period)) for shift in range(period)
        ]
        shift = int(np.argmin(passing))
        begin = rounds.start + shift + period
        return begin, (rounds.start + rounds.times * period - begin) // period

    def _value(self, node: Any) -> Any:
        """The numbers of a node, computed again."""
        if type(node) is OutputNode:
            return self.values[node.parents[0]][node.index]
        if node.op is None:
            if not isinstance(node, FunctionNode) or not hasattr(node, "values"):
                raise NotRepeated
            return node.values
        return computed(node.op, [self._number_of(a) for a in self.of(node)], params_of(node))

    def _number_of(self, a: Any) -> Any:
        if _is_edge(a):
            return a.data if is_leaf_node(a) else self.values[a]
        return a._data if isinstance(a, Tensor) else a

    def _operand(self, place: int, slot: int) -> _Operand:
        """What an operand is in all rounds."""
        column = [self.of(self.nodes[self.begin + t * self.period + place])[slot] for t in range(self.count)]
        if not _is_edge(column[0]):
            if any(_is_edge(a) for a in column):
                raise NotRepeated
            return self._constant(column)
        numbers = [self.number.get(a, -1) for a in column]
        inside = [k >= self.begin for k in numbers]
        if all(inside[1:]):
            offsets = {self.begin + t * self.period + place - k for t, k in enumerate(numbers)}
            if len(offsets) == 1:
                offset = offsets.pop()
                back = -((place - offset) // self.period)
                if back in (0, 1):
                    return _Operand("last" if back else "own", place - offset + back * self.period)
        if any(inside):
            raise NotRepeated
        if all(a is column[0] for a in column):
            return _Operand("same", value=self._tensor(column[0]))
        return _Operand("each", value=FUNCTIONS["stack"]([self._tensor(a) for a in column], 0))

    def _constant(self, column: list[Any]) -> _Operand:
        first = column[0]
        if all(a is first for a in column):
            return _Operand("same", value=first)
        arrays = [np.asarray(self._number_of(a)) for a in column]
        if any(a.shape != arrays[0].shape or a.dtype != arrays[0].dtype for a in arrays):
            raise NotRepeated
        if all(np.array_equal(a, arrays[0]) for a in arrays):
            return _Operand("same", value=first)
        if not all(isinstance(a, (Tensor, np.ndarray, float)) for a in column):
            raise NotRepeated
        return _Operand("each", value=wrap(np.stack(arrays)))

    def _tensor(self, node: Any) -> Tensor:
        """An older value, with its history."""
        value = node.data if is_leaf_node(node) else self.values[node]
        leaf = node.ref() if is_leaf_node(node) else None
        return leaf if leaf is not None and leaf._data is value else wrap(value, node)

    # ------------------------------------------------------------------------------------------ running it again

    def output(self, root: Any) -> Tensor:
        """The tensor at the end of the graph."""
        operations = [self._operation(place) for place in range(self.period)]
        used = {(k - self.begin) % self.period for k in self._read_later(root)}
        self.last = sorted({a.place for _, _, operands in operations for a in operands if a.kind == "last"})
        shapes = [np.shape(self.values[self.nodes[self.begin - self.period + place]]) for place in self.last]
        ends = np.cumsum([0, *[int(np.prod(shape)) for shape in shapes]]).tolist()
        if not self.last or ends[-1] > _limits.SCAN_STATE:
            raise NotRepeated
        states = np.array([self._row(t) for t in range(self.count)])
        first = FUNCTIONS["cat"]([self._line(self._before(place)) for place in self.last], 0)
        if first._node is None or states.dtype.kind != "f" or states.dtype != first._data.dtype:
            raise NotRepeated
        body = Body()
        S = States.apply(body, first, states)

        def steps(before: Tensor) -> tuple[Any, Any]:
            parts = [
                METHODS["reshape"](before[:, a:b], (self.count, *shape))
                for a, b, shape in zip(ends, ends[1:], shapes, strict=False)
            ]
            results = self._all_rounds(operations, dict(zip(self.last, parts, strict=True)))
            rows = [METHODS["reshape"](results[place], (self.count, -1)) for place in self.last]
            return FUNCTIONS["cat"](rows, 1), {place: results[place] for place in used}

        after, collected = body.record(S, first, steps)
        if not np.allclose(after._data, states, rtol=1e-7, atol=1e-9 * np.abs(states).max(initial=0), equal_nan=True):
            raise NotRepeated
        return self._rest(root, collected)

    def _operation(self, place: int) -> tuple[Any, Any, list[_Operand]]:
        nodes = [self.nodes[self.begin + t * self.period + place] for t in range(self.count)]
        op, params = nodes[0].op, params_of(nodes[0])
        if op is None or op.outputs:
            raise NotRepeated
        if any(_differ(params_of(node), params) for node in nodes):  # an entry of something, another in each round
            if any(self.number.get(a, -1) >= self.begin for node in nodes for a in self.of(node) if _is_edge(a)):
                raise NotRepeated
            return None, (), [_Operand("each", value=FUNCTIONS["stack"]([self._tensor(node) for node in nodes], 0))]
        return op, params, [self._operand(place, slot) for slot in range(len(self.of(nodes[0])))]

    def _row(self, t: int) -> np.ndarray:
        at = self.begin + t * self.period
        return np.concatenate([np.ravel(self.values[self.nodes[at + place]]) for place in self.last])

    def _before(self, place: int) -> Tensor:
        return self._tensor(self.nodes[self.begin - self.period + place])

    def _line(self, t: Tensor) -> Any:
        return METHODS["reshape"](t, (-1,))

    def _all_rounds(self, operations: list[Any], last: dict[int, Tensor]) -> list[Any]:
        """The results of a round's operations, in all rounds, with these along a first axis."""
        run = Replay({}, self.count, 0, {}, lambda node: node, Notes())
        results: list[Any] = []
        for op, params, operands in operations:
            args = []
            for a in operands:
                if a.kind == "own":
                    args.append(results[a.place])
                elif a.kind == "last":
                    args.append(Batched(last[a.place]))
                else:
                    args.append(Batched(a.value) if a.kind == "each" else a.value)
            results.append(args[0] if op is None else run.apply(op, args, params))
        if run.looped:
            raise NotRepeated
        ranks = [np.ndim(self.values[self.nodes[self.begin + place]]) for place in range(self.period)]
        return [spread(r, self.count, rank) for r, rank in zip(results, ranks, strict=True)]

    def _read_later(self, root: Any) -> set[int]:
        """The numbers of the loop's nodes that what comes after reads."""
        later = [a for node in self.nodes[self.end :] for a in self.of_any(node)]
        numbers = [self.number.get(a, -1) for a in [*later, root] if _is_edge(a)]
        return {k for k in numbers if self.begin <= k < self.end}

    def of_any(self, node: Any) -> list[Any]:
        return list(node.parents) if node.op is None else self.of(node)

    def _rest(self, root: Any, collected: dict[int, Any]) -> Tensor:
        """What comes after the loop, run again on what it gives."""
        known: dict[Any, Any] = {}

        def operand(a: Any) -> Any:
            if not _is_edge(a):
                return a
            k = self.number.get(a, -1)
            if self.begin <= k < self.end:
                t, place = divmod(k - self.begin, self.period)
                return collected[place][t]
            return known[a] if a in known else self._tensor(a)

        for node in self.nodes[self.end :]:
            if type(node) is OutputNode:
                known[node] = known[node.parents[0]][node.index]
                continue
            if node.op is None:
                raise NotRepeated
            joined = self._joined(node, collected, operand)
            known[node] = (
                applied(node.op, [operand(a) for a in self.of(node)], params_of(node)) if joined is None else joined
            )
        result: Tensor = operand(root)
        return result

    def _joined(self, node: Any, collected: dict[int, Any], operand: Any) -> Any:
        """A stack of what every round gave, without taking it apart first; None if the node is another."""
        if node.op.name != "stack" or params_of(node)[0] != 0:
            return None
        operands = self.of(node)
        numbers = [self.number.get(a, -1) if _is_edge(a) else -1 for a in operands]
        first = next((k for k, n in enumerate(numbers) if self.begin <= n < self.end), None)
        if first is None or numbers[first] >= self.begin + self.period:
            return None
        run = range(numbers[first], self.end, self.period)
        if numbers[first : first + len(run)] != list(run):
            return None
        parts = [collected[numbers[first] - self.begin]]
        for at, others in ((0, operands[:first]), (1, operands[first + len(run) :])):
            if others:
                parts.insert(at * len(parts), FUNCTIONS["stack"]([operand(a) for a in others], 0))
        return FUNCTIONS["cat"](parts, 0) if len(parts) > 1 else parts[0]


def _is_edge(a: Any) -> bool:
    return hasattr(a, "parents")


def _differ(a: Any, b: Any) -> bool:
    if a is b:
        return False
    try:
        return bool(a != b)
    except ValueError:  # arrays among them
        return True


__all__ = ["rolled"]
