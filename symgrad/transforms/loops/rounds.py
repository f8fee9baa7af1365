"""The rounds of a loop on the tape, read as the step of a scan."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._limits import bound
from ...core import TABLE, Notes, OutputNode, Tensor, applied, computed, edge, is_leaf_node, params_of, storage, wrap
from ...ops import FUNCTIONS, METHODS
from ...sweep.batch import Batched, expanded_to_batch
from ...sweep.replay import Replay, all_operands
from ..calls.variables import NodeValues, is_edge

# -------------------------------------------------------------------------------------------------------------------
# The rounds of a loop on the tape, read as the step of a scan, and the graph run again with that scan in it

# The idea to hold: an operand of a round is of this round, of one before (the state), outside and the same in all
# rounds, or one of each round's own. What is read off a tape must hold in every round; else it is no loop.


class Rounds(NamedTuple):
    """Where a graph repeats itself: ``times`` rounds of ``period`` nodes, from the node number ``start``."""

    start: int
    period: int
    times: int

    def without_first(self) -> Rounds:
        return Rounds(self.start + self.period, self.period, self.times - 1)


class NotRepeated(Exception):
    """The rounds are not the same operations on what the last rounds left."""


def rested_on(operands: Iterable[Any], is_found: Callable[[Any], bool]) -> list[Any]:
    """The nodes among operands, and those that constants among these were found from."""
    todo, known = list(operands), dict[Any, None]()
    while todo:
        a = todo.pop()
        if is_edge(a):
            known[a] = None
        elif is_found(a):
            todo += a._extra.origin[1]
    return list(known)


class Operand(NamedTuple):
    """What one operand of one operation of a round is."""

    kind: str  # "own": of this round; "last": of one before; "same": from outside; "each": from outside, one a round
    place: int = 0
    back: int = 0
    value: Any = None


class Operation(NamedTuple):
    op: Any  # None: its operand itself
    params: Any
    operands: list[Operand]


class OutputOf:
    """One output of an operation with several, as an operation of its own."""

    kind: str = ""
    outputs: tuple[str, ...] = ()
    variadic: bool = False
    op: Any
    index: int
    name: str

    def __init__(self, op: Any, index: int) -> None:
        self.op, self.index, self.name = op, index, f"{op.name}.{index}"

    def apply(self, *given: Any) -> Any:
        return self.op.apply(*given)[self.index]

    def forward(self, *given: Any) -> Any:
        return self.op.forward(*given)[self.index]


def _as_numbers(operand: Operand, dtype: Any) -> Operand:
    """Conditions and whole numbers of each round's own as these numbers: programs of steps run along such."""
    if operand.kind != "each" or operand.value._data.dtype.kind not in "biu" or operand.value._node is not None:
        return operand
    return operand._replace(value=wrap(operand.value._data.astype(dtype)))


def choice(condition: Operand, one: Operand, other: Operand) -> Operation:
    return Operation(TABLE["where"], (), [condition, one, other])


CHOSEN_ENTRIES = bound(10**6)
"""Entries of arrays, of all rounds together, among which rounds choose by numbers of their own."""


def _chosen_entries(indices: list[Any], shape: tuple[int, ...]) -> tuple[tuple[int, ...], np.ndarray]:
    """Of indices of whole numbers beside full slices, one for each round: the axes of the numbers, and 1 where each
    picks, else 0, along a first axis."""
    whole = [[(k, i) for k, i in enumerate(_all_axes(index, len(shape))) if i != slice(None)] for index in indices]
    axes = tuple([k for k, _ in whole[0]])
    if not axes or any(tuple([k for k, _ in one]) != axes or any(type(i) is not int for _, i in one) for one in whole):
        raise NotRepeated
    there = _picked_entries([np.array([i for _, i in one]) for one in whole], tuple([shape[k] for k in axes]), False)
    return axes, there.reshape(len(whole), *[n if k in axes else 1 for k, n in enumerate(shape)])


def _picked_entries(places: list[Any], sizes: tuple[int, ...], last_only: bool) -> np.ndarray:
    """Of places as `index_put` takes them, one array for each round: 1 where a pick is of an entry, else 0, along axes
    of rounds, of picks and of the entries; of one entry only the last, if so asked."""
    picks = np.stack([np.reshape(p, (len(sizes), -1)) for p in places])
    rounds, _, each = picks.shape
    if rounds * each * math.prod(sizes) > CHOSEN_ENTRIES:
        raise NotRepeated
    there = np.zeros((rounds, each, *sizes))
    for pick in range(each):
        t, *at = np.arange(rounds), *np.moveaxis(picks[:, :, pick], 1, 0)
        there[(t, slice(None), *at)] *= not last_only
        there[(t, pick, *at)] = 1.0
    return there


def _all_axes(index: Any, rank: int) -> list[Any]:
    """An index with a part for each axis."""
    parts = list(index)
    if type(index) is not tuple or any(type(i) not in (int, slice, type(...)) for i in parts):
        raise NotRepeated
    at = next((k for k, i in enumerate(parts) if i is ...), len(parts))
    full = [slice(None)] * (rank - len([i for i in parts if i is not ...]))
    return [*parts[:at], *full, *parts[at + 1 :]]


def _is_outside(operation: Operation) -> bool:
    """Whether what all rounds compute alike was taken out of the loop."""
    return operation.op is None and operation.operands[0].kind == "same"


_OF_PLACES, _OF_PICKS = frozenset({"getitem", "select_scatter"}), frozenset({"index", "index_put"})
"""Operations whose place may be another in each round, and whose last operand says places of several."""

ROUNDS_BACK = bound(32)
"""Rounds of a loop that a later one may look back to."""


class Rolled(NodeValues):
    """A graph with a loop in it, run again with the loop as a scan."""

    look: Any = None  # a function that sees what each round gives

    nodes: Sequence[Any]
    number: dict[Any, int]
    ways: Any
    is_found: Any
    period: Any
    begin: int
    count: int
    end: Any
    whole: int  # where the rounds end that have all operations
    partial: list[dict[int, Any]]  # the operations of those after them, by places
    later: Sequence[Any]

    def __init__(self, nodes: Sequence[Any], rounds: Any, ways: Any) -> None:
        super().__init__()
        self.nodes, self.number = nodes, {node: k for k, node in enumerate(nodes)}
        self.ways, self.is_found = ways, ways.is_found
        self.tables: dict[Any, Any] = {}
        self.first: dict[tuple[int, int], Tensor] = {}  # what a place is some rounds before the first
        self.round: dict[int, Operation] = {}  # by place; what a round finds from values is after the others
        self.order: list[int] = []  # in which a round runs
        self.known_conditions: dict[Any, Operand] = {}
        self.outputs: dict[tuple[Any, int], OutputOf] = {}
        self._lay_out(rounds)

    def _lay_out(self, rounds: Any) -> None:
        """Where the rounds are, and what comes after them."""
        self.period = rounds.period
        self.begin, self.count = self._phase(rounds)
        self.whole = self.end = self.begin + self.count * self.period
        self.partial, k = [], self.end
        found = self._round_after(k)
        while found and found.keys() <= {*(self.partial[-1] if self.partial else range(self.period))}:
            self.number.update({node: self.end + place for place, node in found.items()})
            k, self.end, self.count = k + len(found), self.end + self.period, self.count + 1
            if self.partial or len(found) < self.period:
                self.partial.append(found)
            else:  # where rounds were found in the middle of one, another whole one may come after
                self.whole = self.end
            found = self._round_after(k)
        self.later = self.nodes[k:]
        self.number.update({node: self.end + place for place, node in enumerate(self.later)})

    # --------------------------------------------------------------------------------------------- reading it

    def _phase(self, rounds: Rounds) -> tuple[int, int]:
        """Where a round is best said to begin: so that the fewest values pass from one to the next."""
        period = rounds.period
        reach = [0] * period  # per place, how far its result is read
        middle = rounds.start + (rounds.times // 2) * period
        for k in range(middle, min(middle + 2 * period, len(self.nodes))):
            for a in rested_on(self.of(self.nodes[k]), self.is_found):
                j = self.number.get(a, -1) if is_edge(a) else -1
                if j >= rounds.start:
                    place = (j - rounds.start) % period
                    reach[place] = max(reach[place], k - j)
        passing = [sum([(p - shift) % period + reach[p] >= period for p in range(period)]) for shift in range(period)]
        shift = int(np.argmin(passing))
        begin = rounds.start + shift
        return begin, (rounds.start + rounds.times * period - begin) // period

    def _round_after(self, k: int) -> dict[int, Any]:
        """The operations of one more round, which begins at the node number ``k``, by places: of the last rounds
        nothing is recorded that nobody reads, as how the state would go on."""
        found: dict[int, Any] = {}
        places: dict[Any, int] = {}
        for place, before in enumerate(self.nodes[self.whole - self.period : self.whole]):
            node = self.nodes[k + len(found)] if k + len(found) < len(self.nodes) else None
            if node is not None and self._goes_on(node, before, places):
                found[place] = node
                places[node] = self.end + place
        return found if 3 * len(found) >= self.period else {}

    def _read(self, node: Any) -> tuple[Any, list[Any], tuple[Any, ...]]:
        """The operation of a node, its operands and parameters: of differences one, whichever operand was recorded
        first, as a loop that begins with a number has both; of each of several outputs an operation of its own."""
        if type(node) is OutputNode and node.parents[0].op is not None:
            origin = node.parents[0]
            key = origin.op, node.index
            return self.outputs.setdefault(key, OutputOf(*key)), self.of(origin), params_of(origin)
        if node.op is None:
            return None, [], ()
        backwards = node.op is TABLE["rsub"]
        return TABLE["sub"] if backwards else node.op, self.of(node)[:: -1 if backwards else 1], params_of(node)

    def _goes_on(self, node: Any, before: Any, places: dict[Any, int]) -> bool:
        """Whether a node does in its round, of which ``places`` are known, what another does in the last whole one."""
        rounds = self.end + self.period - self.whole
        (op, operands, own), (then_op, then_operands, then) = self._read(node), self._read(before)
        if op is not then_op or op is None or len(operands) != len(then_operands):
            return False
        for a, b in zip(operands, then_operands, strict=True):
            number = self._number(b)
            now = places.get(a, self._number(a)) if is_edge(a) else -1
            if now != number + rounds if number >= self.begin else now >= self.begin or is_edge(a) != is_edge(b):
                return False
        return not _differ(own, then) or (
            (op.name in _OF_PLACES or op.name == "rdiv") and type(own[0]) is type(then[0])
        )

    def _number(self, a: Any) -> int:
        """The number of a node of the graph; -1 for leaves and constants."""
        return self.number.get(a, -1) if is_edge(a) else -1

    def _operations(self) -> None:
        """Read one round. What all of its rounds compute alike, of what is outside, is outside of the loop."""
        for place in range(self.period):
            if getattr(self._column(place)[0].op, "outputs", ()):
                continue  # its outputs are operations of their own
            now = self._operation(place)
            if now.op is not None and all(a.kind == "same" for a in now.operands):
                now = Operation(None, (), [Operand("same", value=self.tensor(self._column(place)[0]))])
            self._put(place, now)

    def _put(self, place: int, operation: Operation) -> None:
        """Let a round run an operation next."""
        self.round[place] = operation
        self.order.append(place)

    def _column(self, place: int) -> list[Any]:
        """The nodes of a place in all rounds that have it."""
        nodes = [self.nodes[k] for k in range(self.begin + place, self.whole, self.period)]
        return nodes + [found[place] for found in self.partial if place in found]

    def _partial_at(self, number: int) -> dict[int, Any]:
        """The round that is not whole in which a number is."""
        return self.partial[(number - self.whole) // self.period]

    def _filled(self, place: int, column: list[Any]) -> list[Any]:
        """The same of something that rounds have, with anything in its stead where a round has nothing."""
        return column + column[-1:] * (self.count - len(column))

    def _located(self, k: int) -> tuple[int, int]:
        """The round and the place of a node of the loop."""
        return divmod(k - self.begin, self.period)

    def _operation(self, place: int) -> Operation:
        nodes = self._column(place)
        read = [self._read(node) for node in nodes]
        op, first, params = read[0]
        if op is None or any(other is not op or len(operands) != len(first) for other, operands, _ in read):
            raise NotRepeated
        of_each = [params for *_, params in read]
        columns = [[operands[slot] for _, operands, _ in read] for slot in range(len(first))]
        varies = any(_differ(p, params) for p in of_each)
        if varies:
            if all(self._number(a) < self.begin for column in columns for a in column):
                return Operation(None, (), [Operand("each", value=self._gathered(self._filled(place, nodes)))])
            if op.name == "rdiv":  # another number in each round
                columns.insert(0, [float(numerator) for (numerator,) in of_each])
                op, params, varies = TABLE["div"], (), False
        operands = [self._operand(place, column) for column in columns]
        if op.kind == "elementwise":
            dtype = np.asarray(self.value(nodes[0])).dtype
            operands = [_as_numbers(a, dtype if dtype.kind in "fc" else np.float64) for a in operands]
        if varies:
            return self._of_places(op, [p for p, *_ in self._filled(place, of_each)], operands, columns[0][0])
        if op.name in _OF_PICKS and operands[-1].kind == "each":
            return self._of_picks(op, params, operands, [column[0] for column in columns])
        return Operation(op, params, operands)

    def _of_picks(self, op: Any, params: Any, operands: list[Operand], first: list[Any]) -> Operation:
        """Several entries or rows at once, which are others in each round: chosen as `_of_places` does."""
        places, (dim, n, *accumulate) = operands[-1].value._data, params
        if places.dtype.kind == "b":
            raise NotRepeated
        like, *values = [np.asarray(self.value(a) if is_edge(a) else self.number_of(a)) for a in first[:-1]]
        own, picks = like.shape[dim : dim + n], places.shape[1 + (n > 1) :]
        chosen = _picked_entries(list(places), own, bool(accumulate) and not accumulate[0])
        chosen = chosen.reshape(len(places), *[1] * dim, *picks, *own, *[1] * (like.ndim - dim - n))
        there, whole = Operand("each", value=wrap(chosen)), operands[0]
        zero = Operand("same", value=np.zeros((), like.dtype)[()])
        if any(v.shape != (*like.shape[:dim], *picks, *like.shape[dim + n :]) for v in values):
            raise NotRepeated
        of_picks, of_own = (tuple(range(k, k + length)) for k, length in ((dim, len(picks)), (dim + len(picks), n)))
        full, new = (slice(None),), (None,)
        if not accumulate:
            spread = self._added(Operation(TABLE["getitem"], (full * dim + new * len(picks),), [whole]))
            return Operation(TABLE["sum_dim"], (of_own, False), [self._added(choice(there, spread, zero))])
        spread = self._added(Operation(TABLE["getitem"], (full * (dim + len(picks)) + new * n,), [operands[1]]))
        put = self._added(Operation(TABLE["sum_dim"], (of_picks, False), [self._added(choice(there, spread, zero))]))
        if accumulate[0]:
            return Operation(TABLE["add"], (), [whole, put])
        written = Operand("each", value=wrap(chosen.max(axis=tuple([1 + k for k in of_picks]))))
        return choice(written, put, whole)

    def _of_places(self, op: Any, indices: list[Any], operands: list[Operand], x: Any) -> Operation:
        """An operation on a part of an array which is another in each round: entries are chosen by each round's own
        numbers, 1 where the part is."""
        if op.name not in _OF_PLACES:
            raise NotRepeated
        like = np.asarray(self.value(x) if is_edge(x) else self.number_of(x))
        axes, there = _chosen_entries(indices, like.shape)
        chosen, whole = Operand("each", value=wrap(there)), operands[0]
        if op.name == "getitem":
            zero = Operand("same", value=np.zeros((), like.dtype)[()])
            return Operation(TABLE["sum_dim"], (axes, False), [self._added(choice(chosen, whole, zero))])
        apart = tuple([None if k in axes else slice(None) for k in range(like.ndim)])
        return choice(chosen, self._added(Operation(TABLE["getitem"], (apart,), [operands[1]])), whole)

    def _operand(self, place: int, column: list[Any]) -> Operand:
        """What an operand is in all rounds."""
        if any(map(self.is_found, column)):
            return self._condition(place, column)
        numbers = [self._number(a) for a in column]
        begun = next((t for t, k in enumerate(numbers) if k >= self.begin), None)
        if begun is None:
            return self._outside(self._filled(place, column))
        offsets = {self.begin + t * self.period + place - k for t, k in enumerate(numbers) if t >= begun}
        if len(offsets) != 1 or begun > ROUNDS_BACK:
            raise NotRepeated
        offset = offsets.pop()
        back = -((place - offset) // self.period)
        target = place - offset + back * self.period
        if back != begun:
            raise NotRepeated
        if not back:
            return self._own(target)
        for t in range(back):
            self._begins((target, back - t), target, column[t])
        return Operand("last", target, back)

    def _own(self, place: int) -> Operand:
        """What a place of this round is for another."""
        known = self.round[place]
        return known.operands[0] if _is_outside(known) else Operand("own", place)

    def _condition(self, place: int, column: list[Any]) -> Operand:
        """What was found from values by the same operation in all rounds: at another point it is another, so a round
        finds it again."""
        origins: list[Any] = [a._extra.origin if self.is_found(a) else None for a in column]
        key = tuple(map(id, column))
        if key not in self.known_conditions:
            if None in origins or any(
                storage.version_conflict(a._data, a._extra.origin[3]) is not None for a in column
            ):
                raise NotRepeated
            op, operands, params = origins[0][:3]
            if op is None or any(o[0] is not op or len(o[1]) != len(operands) for o in origins):
                raise NotRepeated
            columns = [list(c) for c in zip(*[o[1] for o in origins], strict=True)]
            now = Operation(op, params, [self._operand(place, c) for c in columns])
            if any(_differ(o[2], params) for o in origins):
                indices = [o[2][0] for o in self._filled(place, origins)]
                now = self._of_places(op, indices, now.operands, columns[0][0])
            self.known_conditions[key] = self._added(now)
        return self.known_conditions[key]

    def _added(self, operation: Operation) -> Operand:
        """What a round runs beside what was recorded."""
        self._put(max([self.period, *self.round]) + 1, operation)
        return Operand("own", self.order[-1])

    def _begins(self, key: tuple[int, int], target: int, a: Any) -> None:
        """Keep what a place is some rounds before the first: what outside of the loop is in its stead."""
        like = np.asarray(self.value(self._column(target)[0]))
        value = self.tensor(a) if is_edge(a) else wrap(np.asarray(self.number_of(a), like.dtype))
        if value._data.shape != like.shape or value._data.dtype != like.dtype:
            raise NotRepeated
        known = self.first.setdefault(key, value)
        if not _is_same(known, value):
            raise NotRepeated

    def _outside(self, column: list[Any]) -> Operand:
        """An operand that no round computes; where nobody reads what the last one makes of it, it is any."""
        first = column[0]
        if all(a is first for a in column):
            return Operand("same", value=self.tensor(first) if is_edge(first) else first)
        if any(map(is_edge, column)):
            return Operand("each", value=self._gathered(column))
        arrays = [np.asarray(self.number_of(a)) for a in column]
        if any(a.shape != arrays[0].shape or a.dtype != arrays[0].dtype for a in arrays):
            raise NotRepeated
        if all(np.array_equal(a, arrays[0]) for a in arrays):
            return Operand("same", value=first)
        if not all(isinstance(a, (Tensor, np.ndarray, float, bool, np.bool_)) for a in column):
            raise NotRepeated
        return Operand("each", value=wrap(np.stack(arrays)))

    def _gathered(self, column: list[Any]) -> Any:
        """Values from outside along a new first axis: entries of one array at once."""
        index = _index_of([params_of(a)[0] if is_edge(a) and _name(a) == "getitem" else None for a in column])
        if index is not None and all(self.of(a)[0] is self.of(column[0])[0] for a in column):
            (parts, axis), whole = index, self.tensor(self.of(column[0])[0])
            if isinstance(parts[axis], slice) or parts[axis].ndim > 1 or len(set(parts[axis].tolist())) == self.count:
                return _first(METHODS["__getitem__"](whole, parts), axis)
            few, places = np.unique(parts[axis], return_inverse=True)
            table = _first(METHODS["__getitem__"](whole, (*parts[:axis], few, *parts[axis + 1 :])), axis)
            found = FUNCTIONS["index_select"](table, 0, places)
            self.tables[edge(found)] = table, places
            return found
        return FUNCTIONS["stack"]([self.tensor(a) for a in column], 0)

    # ------------------------------------------------------------------------------------------ running it again

    def output(self, root: Any) -> Tensor:
        """The tensor at the end of the graph."""
        self._operations()
        last = sorted({(a.place, a.back) for o in self.round.values() for a in o.operands if a.kind == "last"})
        deep = {place: max([b for p, b in last if p == place]) for place, _ in last}
        later = [(k, self._located(k)[1]) for k in self._read_later(root)]
        read, within = {p for _, p in later}, {p for k, p in later if k < self.end - self.period}
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
        round = self._without(totals)
        for place in self.order:
            op, params, operands = round[place]
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
            plan.append((place, op, params, tuple(words)))
        tensors, look = tuple(outer), self.look

        def step(carry: Any, x: Any) -> Any:
            results: dict[int, Any] = {}
            recorded = any(isinstance(v, Tensor) for part in (carry, x or (), tensors) for v in part)
            run = applied if recorded else computed
            for place, op, params, words in plan:
                args = [(results, carry, x, tensors)[kind][k] if kind < 4 else k for kind, k in words]
                results[place] = args[0] if op is None else run(op, args, params)
            if look is not None:
                look(results.values())
            after = [results[p] if b == 1 else carry[carried.index((p, b - 1))] for p, b in carried]
            return after, [results[p] for p in kept]

        first = [self.first.get(key) for key in carried]
        if any(v is None for v in first):
            raise NotRepeated
        ys = self.ways.run(step, first, xs or None, None if xs else self.count, self.tables)
        return dict(zip(kept, ys, strict=True))

    def _without(self, totals: dict[int, int]) -> dict[int, Operation]:
        """The round with what is only added up as it is before it is added."""
        begins = {k: end for end, k in totals.items()}
        found = dict(self.round)
        for place, end in begins.items():
            op, _, operands = found[place]
            rest = [a for a in operands if a.kind != "last" or a.place != end]
            found[place] = Operation(None if op.name == "add" else TABLE["neg"], (), rest)
        return found

    def _totals(self, last: list[tuple[int, int]], read: set[int], within: set[int]) -> dict[int, int]:
        """Places to which rounds only add something, each with the place of the first that adds; ``read`` are those
        that what comes later reads, ``within`` in other rounds than the last."""
        readers: dict[Any, list[int]] = {}
        for k, (_, _, operands) in self.round.items():
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

    def _fits(self, k: int, other: Operand) -> bool:
        """Whether what is added to a total has its shape."""
        shape = other.value._data.shape[1:] if other.kind == "each" else self._shape(other.place)
        return bool(shape == self._shape(k))

    def _shape(self, place: int) -> tuple[int, ...]:
        """What a place gives in a round has this shape."""
        return np.shape(self.value(self.nodes[self.begin + place]))

    def _all_rounds(self, kept: list[int], totals: dict[int, int]) -> list[Any]:
        """What rounds that carry nothing give in some places, all at once, with the rounds along a first axis."""
        run = Replay({}, self.count, 0, {}, lambda node: node, Notes())
        results: dict[int, Any] = {}
        round = self._without(totals)
        for place in self.order:
            op, params, operands = round[place]
            args = [results[a.place] if a.kind == "own" else Batched(a.value) if a.kind == "each" else a.value
                    for a in operands if a.kind != "last"]  # fmt: skip
            if type(op) is OutputOf:
                results[place] = run.apply(op.op, args, params)[op.index]
            else:
                results[place] = args[0] if op is None else run.apply(op, args, params)
        if run.looped:
            raise NotRepeated
        return [expanded_to_batch(results[place], self.count, len(self._shape(place))) for place in kept]

    def _read_later(self, root: Any) -> set[int]:
        """The numbers of the loop's nodes that what comes after reads."""
        later = rested_on([a for node in self.later for a in self.of_any(node)], self.is_found)
        numbers = [self._number(a) for a in [*later, root]]
        return {k for k in numbers if self.begin <= k < self.end}

    def of_any(self, node: Any) -> list[Any]:
        return list(node.parents) if node.op is None else self.of(node)

    def _rest(self, root: Any, collected: dict[int, Any]) -> Tensor:
        """What comes after the loop, run again on what it gives."""
        known: dict[Any, Any] = {}

        def operand(a: Any) -> Any:
            if self.is_found(a):  # again, from what the loop gives
                if id(a) not in known:
                    op, operands, params = a._extra.origin[:3]
                    known[id(a)] = a if op is None else applied(op, list(map(operand, operands)), params)
                return known[id(a)]
            if not is_edge(a):
                return a
            k = self._number(a)
            if k >= self.begin and k < self.end:
                t, place = self._located(k)
                here = self.round[place]
                return here.operands[0].value if _is_outside(here) else collected[place][t]
            return known[a] if a in known else self.tensor(a)

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
        length, parts = self._of_rounds(numbers[first:], collected)
        for at, others in ((0, operands[:first]), (1, operands[first + length :])):
            if others and length:
                parts.insert(at * len(parts), FUNCTIONS["stack"]([operand(a) for a in others], 0))
        return None if not length else FUNCTIONS["cat"](parts, 0) if len(parts) > 1 else parts[0]

    def _of_rounds(self, numbers: list[int], collected: dict[int, Any]) -> tuple[int, list[Any]]:
        """How many of some nodes, by number, are what every round gave, one round after the other; and these."""
        begun = [n - self.begin for n in numbers[: self.period] if n < self.begin + self.period]
        places = begun[: next((k for k, p in enumerate(begun) if p < 0), None)]
        every = [n + p for n in range(self.begin, self.end, self.period) for p in places]
        there = [n for n in every if n < self.whole or (n - self.begin) % self.period in self._partial_at(n)]
        run = every[: len(there)]  # the last rounds may have no more
        if not places or there != run or numbers[: len(run)] != run:
            return 0, []
        parts = [collected[p] for p in places]
        if len(parts) > 1:  # of each round several
            together = FUNCTIONS["stack"](parts, 1)
            parts = [METHODS["reshape"](together, (len(every), *together._data.shape[2:]))]
        parts = parts if len(run) == len(every) else [parts[0][: len(run)]]
        return len(run), parts


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


def _differ(a: Any, b: Any) -> bool:
    if a is b:
        return False
    try:
        return bool(a != b)
    except ValueError:  # arrays among them
        return True
