"""A loop on the tape, found and given to `sg.scan`.

The idea to hold: a loop in Python leaves the same operations again and again, each time on what the last rounds left.
Where that is seen in the order in which they were recorded, the graph is that of a scan (`_scan_loop.py`) whose step
runs one round, and grows with the round and not with their number. What does not fit is left as it was recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import refusal
from .._function_node import FunctionNode
from ..core import (
    TABLE,
    Notes,
    OutputNode,
    Tensor,
    applied,
    computed,
    edge,
    is_leaf_node,
    params_of,
    reachable,
    storage,
    wrap,
)
from ..ops._public import FUNCTIONS, METHODS
from ..sweep._batch_rules import Batched, spread
from ..sweep._pushforward import refuse_hooks
from ..sweep._replay import Replay, all_operands
from ._scan_loop import Loop
from ._variables import nobodys, recording


class Rounds(NamedTuple):
    """Where a graph repeats itself: ``times`` rounds of ``period`` nodes, from the node number ``start``."""

    start: int
    period: int
    times: int


class NotRepeated(Exception):
    """The rounds are not the same operations on what the last rounds left."""


def _run(loop: Loop) -> Any:
    if not loop.may_be_rolled():
        raise NotRepeated
    return loop.rolled()


def _nothing_is_found(value: Any) -> bool:
    return False


class Ways(NamedTuple):
    """How a loop is run (it may raise NotRepeated), and which constants hang on values, so that they are others at
    other points."""

    scan: Callable[[Loop], Any] = _run
    is_found: Callable[[Any], bool] = _nothing_is_found


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
    nodes, leaves = reachable([output._node])[:2]
    nodes = nodes[::-1]
    if len(nodes) < _limits.ROLLED or storage.written_since(nodes[0].seq):
        return None
    own = [leaf for leaf in leaves if leaf in nobodys]
    nobodys.difference_update(own)  # as long as the loop is run again they are somebody's
    try:
        for rounds in found(nodes):
            for begin in (rounds, Rounds(rounds.start + rounds.period, rounds.period, rounds.times - 1)):
                made = _tried(output, nodes, begin, ways)
                if made is not None:
                    return made
    finally:
        nobodys.update(own)
    return None


def _tried(output: Tensor, nodes: Sequence[Any], rounds: Rounds, ways: Ways) -> Tensor | None:
    refused = refusal.get()
    try:
        refuse_hooks(nodes)  # whose nodes are to be left as they are
        with recording(), np.errstate(all="ignore"):
            made = _Rolled(nodes, rounds, ways).output(output._node)
    except Exception:  # shapes that grow, say: whatever does not fit is the tape's, as it was recorded
        refusal.set(refused)
        return None
    same = np.array_equal(made._data, output._data) or np.allclose(made._data, output._data, rtol=1e-9, atol=0)
    if not same or made._node is None:
        return None
    gone = len(nodes) - len(reachable([made._node])[0])  # rounds that only pick entries would be picked anew
    return made if 2 * gone >= rounds.times else None


def found(nodes: Sequence[Any]) -> list[Rounds]:
    """Long stretches in which the operations repeat, the likeliest first."""
    total = len(nodes)
    words: dict[Any, int] = {}
    codes = np.array([words.setdefault(_word(node), len(words)) for node in nodes])
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


class _Operand(NamedTuple):
    """What one operand of one operation of a round is."""

    kind: str  # "own": of this round; "last": of one before; "same": from outside; "each": from outside, one a round
    place: int = 0
    back: int = 0
    value: Any = None


class _Operation(NamedTuple):
    op: Any  # None: its operand itself
    params: Any
    operands: list[_Operand]


def _as_numbers(condition: _Operand) -> _Operand:
    """A condition of each round's own as 0 or 1: programs of steps run along numbers."""
    if condition.kind != "each" or condition.value._data.dtype.kind != "b":
        return condition
    return condition._replace(value=wrap(condition.value._data.astype(np.float64)))


def _is_outside(operation: _Operation) -> bool:
    """Whether what all rounds compute alike was taken out of the loop."""
    return operation.op is None and operation.operands[0].kind == "same"


class _Rolled:
    """A graph with a loop in it, run again with the loop as a scan."""

    def __init__(self, nodes: Sequence[Any], rounds: Rounds, ways: Ways) -> None:
        self.nodes, self.number = nodes, {node: k for k, node in enumerate(nodes)}
        self.scan, self.is_found = ways
        self.period = rounds.period
        self.operands: dict[Any, list[Any]] = {}
        self.tables: dict[Any, Any] = {}
        self.values: dict[Any, Any] = {}
        self.begin, self.count = self._phase(rounds)
        self.end = self.begin + self.count * self.period
        self.last = self._last_round()
        self.later = self.nodes[self.end + len(self.last) :]
        if self.last:
            self.number.update({node: self.end + place for place, node in self.last.items()})
            self.end, self.count = self.end + self.period, self.count + 1
            self.number.update({node: self.end + k for k, node in enumerate(self.later)})
        self.first: dict[tuple[int, int], Tensor] = {}  # what a place is some rounds before the first

    # --------------------------------------------------------------------------------------------- reading it

    def of(self, node: Any) -> list[Any]:
        known = self.operands.get(node)
        if known is None:
            known = self.operands[node] = all_operands(node)
        return known

    def _phase(self, rounds: Rounds) -> tuple[int, int]:
        """Where a round is best said to begin: so that the fewest values pass from one to the next."""
        period = rounds.period
        reach = [0] * period  # per place, how far its result is read
        middle = rounds.start + (rounds.times // 2) * period
        for k in range(middle, min(middle + 2 * period, len(self.nodes))):
            for a in self.of(self.nodes[k]):
                j = self.number.get(a, -1) if _is_edge(a) else -1
                if j >= rounds.start:
                    place = (j - rounds.start) % period
                    reach[place] = max(reach[place], k - j)
        passing = [sum([(p - shift) % period + reach[p] >= period for p in range(period)]) for shift in range(period)]
        shift = int(np.argmin(passing))
        begin = rounds.start + shift
        return begin, (rounds.start + rounds.times * period - begin) // period

    def _last_round(self) -> dict[int, Any]:
        """The operations of a round after the others, by places, of which nothing is recorded that nobody reads: how
        the state would go on, say."""
        found: dict[int, Any] = {}
        places: dict[Any, int] = {}
        for place in range(self.period):
            k = self.end + len(found)
            if k < len(self.nodes) and self._goes_on(self.nodes[k], self.nodes[self.end - self.period + place], places):
                found[place] = self.nodes[k]
                places[self.nodes[k]] = self.end + place
        return found if 3 * len(found) >= self.period else {}

    def _goes_on(self, node: Any, before: Any, places: dict[Any, int]) -> bool:
        """Whether a node does in the round after what another does ``before``; ``places`` are those of its round."""
        if node.op is not before.op or node.op is None or len(self.of(node)) != len(self.of(before)):
            return False
        for a, b in zip(self.of(node), self.of(before), strict=True):
            number = self._number(b)
            now = places.get(a, self._number(a)) if _is_edge(a) else -1
            if now != number + self.period if number >= self.begin else now >= self.begin or _is_edge(a) != _is_edge(b):
                return False
        return not _differ(params_of(node), params_of(before)) or (
            node.op.name in ("getitem", "rdiv") and type(params_of(node)[0]) is type(params_of(before)[0])
        )

    def value(self, node: Any) -> Any:
        """The numbers of a node, computed again, with all that they rest on."""
        stack = [node]
        while stack:
            node = stack[-1]
            if node in self.values:
                stack.pop()
                continue
            needed = node.parents if node.op is None else [a for a in self.of(node) if _is_edge(a)]
            missing = [a for a in needed if not is_leaf_node(a) and a not in self.values]
            stack += missing
            if not missing:
                self.values[stack.pop()] = self._computed(node)
        return self.values[node]

    def _computed(self, node: Any) -> Any:
        if type(node) is OutputNode:
            return self.values[node.parents[0]][node.index]
        if node.op is None:
            if not isinstance(node, FunctionNode) or not hasattr(node, "values"):
                raise NotRepeated
            return node.values
        return computed(node.op, [self._number_of(a) for a in self.of(node)], params_of(node))

    def _number_of(self, a: Any) -> Any:
        if _is_edge(a):
            return a.data if is_leaf_node(a) else self.value(a)
        return a._data if isinstance(a, Tensor) else a

    def _tensor(self, a: Any) -> Tensor:
        """A value from outside, with its history."""
        if not _is_edge(a):
            return a if isinstance(a, Tensor) else wrap(np.asarray(a))
        value = a.data if is_leaf_node(a) else self.value(a)
        leaf = a.ref() if is_leaf_node(a) else None
        return leaf if leaf is not None and leaf._data is value else wrap(value, a)

    def _number(self, a: Any) -> int:
        """The number of a node of the graph; -1 for leaves and constants."""
        return self.number.get(a, -1) if _is_edge(a) else -1

    def _operations(self) -> list[_Operation]:
        """One round. What all of its rounds compute alike, of what is outside, is outside of the loop."""
        found: list[_Operation] = []
        for place in range(self.period):
            now = self._operation(place, found)
            if now.op is not None and all(a.kind == "same" for a in now.operands):
                value = self._tensor(self.nodes[self.begin + place])
                now = _Operation(None, (), [_Operand("same", value=value)])
            found.append(now)
        return found

    def _operation(self, place: int, before: list[_Operation]) -> _Operation:
        end = self.end - self.period * bool(self.last)
        nodes = [self.nodes[k] for k in range(self.begin + place, end, self.period)]
        nodes += [self.last[place]] if place in self.last else []
        op, params, slots = nodes[0].op, params_of(nodes[0]), len(self.of(nodes[0]))
        if op is None or op.outputs or any(node.op is not op or len(self.of(node)) != slots for node in nodes):
            raise NotRepeated
        of_each = [params_of(node) for node in nodes]
        columns = [[self.of(node)[slot] for node in nodes] for slot in range(slots)]
        if any(_differ(p, params) for p in of_each):
            if all(self._number(a) < self.begin for column in columns for a in column):
                return _Operation(None, (), [_Operand("each", value=self._gathered(nodes))])
            if op.name != "rdiv":
                raise NotRepeated
            columns.insert(0, [float(numerator) for (numerator,) in of_each])  # another number in each round
            op, params = TABLE["div"], ()
        operands = [self._operand(place, column, before) for column in columns]
        if op.name == "where":
            operands[0] = _as_numbers(operands[0])
        return _Operation(op, params, operands)

    def _operand(self, place: int, column: list[Any], before: list[_Operation]) -> _Operand:
        """What an operand is in all rounds."""
        if any(map(self.is_found, column)):
            raise NotRepeated  # a program is for other points, too, where a comparison says something else
        numbers = [self._number(a) for a in column]
        begun = next((t for t, k in enumerate(numbers) if k >= self.begin), None)
        if begun is None:
            return self._outside(column)
        offsets = {self.begin + t * self.period + place - k for t, k in enumerate(numbers) if t >= begun}
        if len(offsets) != 1 or begun > _limits.ROUNDS_BACK:
            raise NotRepeated
        offset = offsets.pop()
        back = -((place - offset) // self.period)
        target = place - offset + back * self.period
        if back != begun:
            raise NotRepeated
        if not back:
            known = before[target]
            return known.operands[0] if _is_outside(known) else _Operand("own", target)
        for t in range(back):
            self._begins(target, back - t, column[t])
        return _Operand("last", target, back)

    def _begins(self, target: int, back: int, a: Any) -> None:
        """Keep what a place is some rounds before the first: what outside of the loop is in its stead."""
        like = np.asarray(self.value(self.nodes[self.begin + target]))
        value = self._tensor(a) if _is_edge(a) else wrap(np.asarray(self._number_of(a), like.dtype))
        if value._data.shape != like.shape or value._data.dtype != like.dtype:
            raise NotRepeated
        known = self.first.setdefault((target, back), value)
        if not _is_same(known, value):
            raise NotRepeated

    def _outside(self, column: list[Any]) -> _Operand:
        """An operand that no round computes; where nobody reads what the last one makes of it, it is any."""
        first, column = column[0], column + column[-1:] * (self.count - len(column))
        if all(a is first for a in column):
            return _Operand("same", value=self._tensor(first) if _is_edge(first) else first)
        if any(map(_is_edge, column)):
            return _Operand("each", value=self._gathered(column))
        arrays = [np.asarray(self._number_of(a)) for a in column]
        if any(a.shape != arrays[0].shape or a.dtype != arrays[0].dtype for a in arrays):
            raise NotRepeated
        if all(np.array_equal(a, arrays[0]) for a in arrays):
            return _Operand("same", value=first)
        if not all(isinstance(a, (Tensor, np.ndarray, float, bool, np.bool_)) for a in column):
            raise NotRepeated
        return _Operand("each", value=wrap(np.stack(arrays)))

    def _gathered(self, column: list[Any]) -> Any:
        """Values from outside along a new first axis: entries of one array at once."""
        column = column + column[-1:] * (self.count - len(column))
        index = _index_of([params_of(a)[0] if _is_edge(a) and _name(a) == "getitem" else None for a in column])
        if index is not None and all(self.of(a)[0] is self.of(column[0])[0] for a in column):
            (parts, axis), whole = index, self._tensor(self.of(column[0])[0])
            if isinstance(parts[axis], slice) or parts[axis].ndim > 1 or len(set(parts[axis].tolist())) == self.count:
                return _first(METHODS["__getitem__"](whole, parts), axis)
            few, places = np.unique(parts[axis], return_inverse=True)
            table = _first(METHODS["__getitem__"](whole, (*parts[:axis], few, *parts[axis + 1 :])), axis)
            found = FUNCTIONS["index_select"](table, 0, places)
            self.tables[edge(found)] = table, places
            return found
        return FUNCTIONS["stack"]([self._tensor(a) for a in column], 0)

    # ------------------------------------------------------------------------------------------ running it again

    def output(self, root: Any) -> Tensor:
        """The tensor at the end of the graph."""
        self.round = self._operations()
        last = sorted({(a.place, a.back) for o in self.round for a in o.operands if a.kind == "last"})
        deep = {place: max([b for p, b in last if p == place]) for place, _ in last}
        read = {(k - self.begin) % self.period for k in self._read_later(root)}
        within = {(k - self.begin) % self.period for k in self._read_later(root) if k < self.end - self.period}
        totals = {} if root is None else self._totals(last, read, within)
        carried = [(p, b) for p, top in deep.items() if p not in totals for b in range(1, top + 1)]
        kept = sorted({*[p for p in read if not _is_outside(self.round[p])], *totals})
        if carried:
            collected = self._scanned(carried, kept, totals)
        else:
            collected = dict(zip(kept, self._all_rounds(kept, totals), strict=True))
        for place in totals:
            total = FUNCTIONS["add"](self.first[place, 1], METHODS["sum"](collected[place], 0))
            collected[place] = {self.count - 1: total}
        return self._rest(root, collected)

    def _scanned(self, carried: list[tuple[int, int]], kept: list[int], totals: dict[int, int]) -> dict[int, Any]:
        """What rounds give in these places, by a loop that carries those."""
        xs: list[Any] = []
        outer: list[Any] = []
        plan: list[Any] = []
        for op, params, operands in self._without(totals):
            words: list[Any] = []
            for a in operands:
                if a.kind == "own":
                    words.append((0, a.place))
                elif a.kind == "last":
                    words.append((1, carried.index((a.place, a.back))))
                elif a.kind == "each":
                    words.append((2, _place(xs, a.value)))
                elif isinstance(a.value, Tensor):
                    words.append((3, _place(outer, a.value)))
                else:
                    words.append((4, a.value))
            plan.append((op, params, tuple(words)))
        tensors = tuple(outer)

        def step(carry: Any, x: Any) -> Any:
            results: list[Any] = []
            for op, params, words in plan:
                args = [(results, carry, x, tensors)[kind][k] if kind < 4 else k for kind, k in words]
                results.append(args[0] if op is None else applied(op, args, params))
            after = [results[p] if b == 1 else carry[carried.index((p, b - 1))] for p, b in carried]
            return after, [results[p] for p in kept]

        first = [self.first.get(key) for key in carried]
        if any(v is None for v in first):
            raise NotRepeated
        loop = Loop(step, first, xs or None, None if xs else self.count, False)
        loop.tables = self.tables
        _, ys = self.scan(loop)
        return dict(zip(kept, ys, strict=True))

    def _without(self, totals: dict[int, int]) -> list[_Operation]:
        """The round with what is only added up as it is before it is added."""
        begins = {k: end for end, k in totals.items()}
        found = []
        for place, (op, params, operands) in enumerate(self.round):
            if place in begins:
                rest = [a for a in operands if a.kind != "last" or a.place != begins[place]]
                found.append(_Operation(None if op.name == "add" else TABLE["neg"], (), rest))
            else:
                found.append(_Operation(op, params, operands))
        return found

    def _totals(self, last: list[tuple[int, int]], read: set[int], within: set[int]) -> dict[int, int]:
        """Places to which rounds only add something, each with the place of the first that adds; ``read`` are those
        that what comes later reads, ``within`` in other rounds than the last."""
        readers: dict[Any, list[int]] = {}
        for k, (_, _, operands) in enumerate(self.round):
            for a in operands:
                if a.kind in ("own", "last"):
                    readers.setdefault((a.kind, a.place), []).append(k)

        def begins(k: int, end: int) -> int | None:
            op, _, operands = self.round[k]
            if op is None or op.name not in ("add", "sub") or len(operands) != 2:
                return None
            for slot, a in enumerate(operands[: 2 if op.name == "add" else 1]):
                other = operands[1 - slot]
                if a.kind == "last" and a.place == end and a.back == 1:
                    return k if other.kind in ("own", "each") and self._fits(k, other) else None
                if a.kind == "own" and readers["own", a.place] == [k] and a.place not in read:
                    start = begins(a.place, end)
                    if start is not None:
                        return start
            return None

        found = {}
        for place, back in last:
            start = begins(place, place) if back == 1 and place not in within else None
            if start is not None and readers["last", place] == [start] and ("own", place) not in readers:
                found[place] = start
        return found

    def _fits(self, k: int, other: _Operand) -> bool:
        """Whether what is added to a total has its shape."""
        shape = np.shape(self.value(self.nodes[self.begin + k]))
        if other.kind == "each":
            return bool(other.value._data.shape[1:] == shape)
        return bool(np.shape(self.value(self.nodes[self.begin + other.place])) == shape)

    def _all_rounds(self, kept: list[int], totals: dict[int, int]) -> list[Any]:
        """What rounds that carry nothing give in some places, all at once, with the rounds along a first axis."""
        run = Replay({}, self.count, 0, {}, lambda node: node, Notes())
        results: list[Any] = []
        for op, params, operands in self._without(totals):
            args = [results[a.place] if a.kind == "own" else Batched(a.value) if a.kind == "each" else a.value
                    for a in operands if a.kind != "last"]  # fmt: skip
            results.append(args[0] if op is None else run.apply(op, args, params))
        if run.looped:
            raise NotRepeated
        ranks = [np.ndim(self.value(self.nodes[self.begin + place])) for place in kept]
        return [spread(results[place], self.count, rank) for place, rank in zip(kept, ranks, strict=True)]

    def _read_later(self, root: Any) -> set[int]:
        """The numbers of the loop's nodes that what comes after reads."""
        later = [a for node in self.later for a in self.of_any(node)]
        numbers = [self._number(a) for a in [*later, root]]
        return {k for k in numbers if self.begin <= k < self.end}

    def of_any(self, node: Any) -> list[Any]:
        return list(node.parents) if node.op is None else self.of(node)

    def _rest(self, root: Any, collected: dict[int, Any]) -> Tensor:
        """What comes after the loop, run again on what it gives."""
        known: dict[Any, Any] = {}

        def operand(a: Any) -> Any:
            if not _is_edge(a):
                return a
            k = self._number(a)
            if k >= self.begin and k < self.end:
                t, place = divmod(k - self.begin, self.period)
                here = self.round[place]
                return here.operands[0].value if _is_outside(here) else collected[place][t]
            return known[a] if a in known else self._tensor(a)

        for node in self.later:
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
        numbers = [self._number(a) for a in operands]
        first = next((k for k, n in enumerate(numbers) if self.begin <= n < self.end), None)
        if first is None:
            return None
        begun = [n - self.begin for n in numbers[first : first + self.period] if n < self.begin + self.period]
        places = begun[: next((k for k, p in enumerate(begun) if p < 0), None)]
        every = [n + p for n in range(self.begin, self.end, self.period) for p in places]
        last = self.end - self.period
        there = [n for n in every if not self.last or n < last or n - last in self.last]
        run = every[: len(there)]  # the last round may have no more
        if not places or there != run or numbers[first : first + len(run)] != run:
            return None
        parts = [collected[p] for p in places]
        if len(parts) > 1:  # of each round several
            together = FUNCTIONS["stack"](parts, 1)
            parts = [METHODS["reshape"](together, (len(every), *together._data.shape[2:]))[: len(run)]]
        for at, others in ((0, operands[:first]), (1, operands[first + len(run) :])):
            if others:
                parts.insert(at * len(parts), FUNCTIONS["stack"]([operand(a) for a in others], 0))
        return FUNCTIONS["cat"](parts, 0) if len(parts) > 1 else parts[0]


def _index_of(indices: list[Any]) -> tuple[Any, int] | None:
    """One index for many, which differ in a whole number or in slices of one length, and its axis of the result; None
    where there is none."""
    first = indices[0]
    if first is None or any(type(i) is not tuple or len(i) != len(first) for i in indices):
        return None
    differing = [k for k in range(len(first)) if any(_differ(i[k], first[k]) for i in indices)]
    plain = all(type(i) in (int, slice, type(...)) for k, i in enumerate(first) if k not in differing)
    if len(differing) != 1 or not plain or any(type(i) is int for i in first[: differing[0]]):
        return None
    (k,) = differing
    parts = [i[k] for i in indices]
    if all(type(p) is int for p in parts):
        step = parts[1] - parts[0]
        even = step > 0 and min(parts) >= 0 and parts == list(range(parts[0], parts[-1] + 1, step))
        chosen: Any = slice(parts[0], parts[-1] + 1, step) if even else np.array(parts)
    elif all(type(p) is slice and None not in (p.start, p.stop) and min(p.start, p.stop) >= 0 for p in parts):
        rows = [list(range(p.start, p.stop, p.step or 1)) for p in parts]
        if not rows[0] or any(len(row) != len(rows[0]) for row in rows) or any(type(i) is int for i in first):
            return None
        chosen = np.array(rows)
    else:
        return None
    return (*first[:k], chosen, *first[k + 1 :]), k


def _first(t: Any, axis: int) -> Any:
    return METHODS["movedim"](t, axis, 0) if axis else t


def _place(values: list[Any], value: Any) -> int:
    """The number of a value in a list, to which it is added if it is not there."""
    for k, known in enumerate(values):
        if _is_same(known, value):
            return k
    values.append(value)
    return len(values) - 1


def _is_same(a: Tensor, b: Tensor) -> bool:
    """Whether two values are one: of one history, or equal constants; or the same entries of one array."""
    if a is b:
        return True
    if a._data.shape != b._data.shape or a._data.dtype != b._data.dtype:
        return False
    if a._node is None or b._node is None:
        return a._node is b._node and a._data.tobytes() == b._data.tobytes()
    if a._node is b._node:
        return True
    nodes = a._node, b._node
    if any(is_leaf_node(n) or _name(n) != "getitem" for n in nodes) or _differ(
        params_of(nodes[0]), params_of(nodes[1])
    ):
        return False
    return bool(all_operands(nodes[0])[0] is all_operands(nodes[1])[0])


def _name(node: Any) -> str:
    return "" if is_leaf_node(node) or node.op is None else str(node.op.name)


def _is_edge(a: Any) -> bool:
    return hasattr(a, "parents")


def _differ(a: Any, b: Any) -> bool:
    if a is b:
        return False
    try:
        return bool(a != b)
    except ValueError:  # arrays among them
        return True


__all__ = ["NotRepeated", "Ways", "rolled"]
