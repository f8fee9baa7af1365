"""Rounds of a few kinds: Python branches on data, or one round differs, so that not all are the same operations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core import Tensor, wrap
from ...ops import FUNCTIONS
from .rounds import NotRepeated, Operand, Operation, Rolled, choice, rested_on

# The idea to hold: which kind each round is of is known when a program is made. A step runs every kind on what the last
# round left, and what passes on to the next is chosen among what they give; a kind that has nothing for it passes on
# what it got. What the other kinds give there is thrown away, and must be finite all the same.


class Kinds(NamedTuple):
    """Where a graph has rounds of a few kinds: ``bounds`` of the rounds, as numbers of nodes; of each its kind."""

    bounds: list[int]
    kinds: list[int]

    def without_first(self) -> Kinds:
        return Kinds(self.bounds[1:], self.kinds[1:])


def _require_finite(results: Iterable[Any]) -> None:
    """Raise where a kind of rounds has no numbers in a round of another kind."""
    for v in results:
        data = v._data if isinstance(v, Tensor) and v._node is None else v
        if isinstance(data, float | np.ndarray) and not np.isfinite(data).all():
            raise NotRepeated


class RolledKinds(Rolled):
    """A graph with a loop in it whose rounds are of a few kinds, run again with the loop as a scan.

    Places are those of all kinds, one kind after the other. A variable is what rounds read of earlier ones in one
    place; it has a place of its own, where it is what passes on.
    """

    look: Any = staticmethod(_require_finite)

    bounds: np.ndarray
    kinds: np.ndarray
    times: list[np.ndarray]
    starts: np.ndarray
    kind_of_place: np.ndarray
    begin: int
    whole: int
    partial: list[dict[int, Any]]
    end: int
    count: int
    period: int
    later: Sequence[Any]
    is_of: list[Tensor]
    variables: _Variables

    def _lay_out(self, rounds: Kinds) -> None:
        bounds, kinds = self._moved(rounds)
        self.bounds, self.kinds = np.array(bounds), np.unique(kinds, return_inverse=True)[1]
        self.times = [np.flatnonzero(self.kinds == k) for k in range(self.kinds.max() + 1)]
        lengths = [int(self.bounds[t[0] + 1] - self.bounds[t[0]]) for t in self.times]
        self.starts, self.kind_of_place = np.cumsum([0, *lengths]), np.repeat(np.arange(len(lengths)), lengths)
        self.begin, self.end, self.count, self.period = bounds[0], bounds[-1], len(kinds), sum(lengths)
        self.whole, self.partial, self.later = self.end, [], self.nodes[self.end :]
        self.is_of = [wrap((self.kinds == k).astype(float)) for k in range(len(lengths))]  # of each round, for a kind
        self.variables = _Variables(self)
        self.read: list[tuple[int, int, int, Any]] = []  # of a variable, in a round, the number of the node or -1, what

    def _moved(self, rounds: Kinds) -> Kinds:
        """Rounds that begin where the fewest values pass from one to the next, as far as all are alike before and after
        their bounds."""
        (bounds, kinds), words = rounds, [None if n.op is None else n.op.name for n in self.nodes]
        most = min(np.diff(bounds).tolist())
        forth = _alike([[words[b + s] for b in bounds[:-1]] for s in range(most - 1)])
        back = _alike([[words[b - s] for b in bounds[1:]] for s in range(1, most)])
        near = len(bounds) // 2, len(bounds) // 2 + 1
        low, high = bounds[max(near[0] - 4, 0)], bounds[min(near[1] + 4, len(bounds) - 1)]
        reach: dict[int, int] = {}
        for k in range(low, high):
            for a in rested_on(self.of(self.nodes[k]), self.is_found) if self.nodes[k].op is not None else ():
                j = self._number(a)
                reach[j] = k if j >= low else -1
        shifts = range(-back, forth + 1)
        passing = {s: sum([j < bounds[t] + s <= k for t in near for j, k in reach.items()]) for s in shifts}
        shift = min(shifts, key=lambda s: (passing[s], abs(s)))
        bounds, of = [b + shift for b in bounds], [words[b : b + shift] for b in bounds]  # what moves to another round
        if shift > 0 and of[-1] != of[0]:  # the last round has no more of it
            return Kinds(bounds[:-1], kinds[:-1])
        begun = shift >= 0 or words[max(bounds[0], 0) : bounds[0] - shift] == words[bounds[1] : bounds[1] - shift]
        return Kinds(bounds, kinds) if begun else Kinds(bounds[1:], kinds[1:])

    # --------------------------------------------------------------------------------------- places, by kinds

    def _located(self, k: int) -> tuple[int, int]:
        t = int(np.searchsorted(self.bounds, k, "right")) - 1
        return t, int(self.starts[self.kinds[t]]) + k - int(self.bounds[t])

    def _rounds_of(self, place: int) -> np.ndarray:
        found: np.ndarray = self.times[self.kind_of_place[place]]
        return found

    def _column(self, place: int) -> list[Any]:
        k = self.kind_of_place[place]
        return [self.nodes[b + place - self.starts[k]] for b in self.bounds[self.times[k]]]

    def _filled(self, place: int, column: list[Any]) -> list[Any]:
        found = column[:1] * self.count  # what the first round has, as `_guarded`
        for t, a in zip(self._rounds_of(place), column, strict=True):
            found[t] = a
        return found

    # --------------------------------------------------------------------------------------------- reading it

    def _operand(self, place: int, column: list[Any]) -> Operand:
        if any(map(self.is_found, column)):
            return self._condition(place, column)
        rounds = self._rounds_of(place).tolist()
        numbers = [self._number(a) for a in column]
        within = [self._located(k) if k >= self.begin else None for k in numbers]
        if not any(within):
            return self._outside(self._filled(place, column))
        if all(at is not None and at[0] == t for t, at in zip(rounds, within, strict=True)):
            targets = {at[1] for at in within if at is not None}
            return self._own(*targets)
        if any(at is not None and at[0] >= t for t, at in zip(rounds, within, strict=True)):
            raise NotRepeated
        variable = self.variables.of(next(at[1] for at in within if at is not None))
        within_loop = [k if k >= self.begin else -1 for k in numbers]
        self.read += [(variable, *read) for read in zip(rounds, within_loop, column, strict=True)]
        return self._guarded(variable, place, column[0])

    def _guarded(self, variable: int, place: int, first: Any) -> Operand:
        """A variable as rounds of a kind read it: in those of other kinds it is what the first one read, a number at
        which the kind has numbers; else 0 times what it has there need not be 0."""
        key = variable, int(self.kind_of_place[place])
        if key not in self.known_conditions:
            there = Operand("same", value=np.asarray(self.number_of(first))[()])
            chosen = [Operand("each", value=self.is_of[key[1]]), Operand("last", variable, 1), there]
            self.known_conditions[key] = self._added(choice(*chosen))
        return self.known_conditions[key]

    def _operations(self) -> None:
        super()._operations()
        values = {v: self.variables.left_at(v) for v in {v for v, *_ in self.read}}
        for variable, places in values.items():
            self._expect(variable, places)
            self._pass_on(variable, places)

    def _expect(self, variable: int, places: dict[int, int]) -> None:
        """Raise if rounds read other values than those that the last round with one gave, or begin with others."""
        given, now = np.full(self.count + 1, -1), -1
        for t, kind in enumerate(self.kinds.tolist()):
            given[t] = now
            if kind in places:
                now = int(self.bounds[t]) + places[kind] - int(self.starts[kind])
        target = next(iter(places.values()))
        for _, t, number, a in (r for r in self.read if r[0] == variable):
            if number != given[t]:
                raise NotRepeated
            if number < 0:
                self._begins((variable, 1), target, a)
        of_kinds = [np.asarray(self.value(self._column(place)[0])) for place in places.values()]
        if len({(v.shape, v.dtype) for v in of_kinds}) > 1:
            raise NotRepeated
        self.first.setdefault((variable, 1), wrap(of_kinds[0]))  # which nobody reads

    def _pass_on(self, variable: int, places: dict[int, int]) -> None:
        """Add what a variable is after a round."""
        now = Operand("last", variable, 1)
        for kind, place in sorted(places.items()):
            own, passed = self._own(place), len(places) < len(self.times) or now.kind != "last"
            chosen = choice(Operand("each", value=self.is_of[kind]), own, now)
            now = self._added(chosen) if passed else own
        self._put(variable, Operation(None, (), [now]))

    def _totals(self, last: Any, read: Any, within: Any) -> dict[int, int]:
        return {}

    def _of_rounds(self, numbers: list[int], collected: dict[int, Any]) -> tuple[int, list[Any]]:
        located = [self._located(k) for k in numbers[: self.count] if self.begin <= k < self.end]
        places = {int(self.kind_of_place[place]): place for _, place in located}
        if [t for t, _ in located] != [*range(self.count)] or len({place for _, place in located}) > len(places):
            return 0, []
        rows = [collected[places[kind]] for kind in range(len(self.times))]
        for kind, row in enumerate(rows[1:], 1):
            is_of = np.reshape(self.kinds == kind, (-1, *[1] * (row._data.ndim - 1)))
            rows[0] = FUNCTIONS["where"](wrap(is_of), row, rows[0])
        return self.count, rows[:1]


class _Variables:
    """What rounds read of earlier ones, each with the places at which rounds of some kinds leave it."""

    def __init__(self, loop: RolledKinds) -> None:
        self._loop, self._same = loop, dict[int, int]()
        for place in range(loop.period):
            nodes, rounds = loop._column(place), loop._rounds_of(place).tolist()
            for column in zip(*map(loop.of, nodes), strict=True):
                self._note(rounds, list(column))

    def _note(self, rounds: list[int], column: list[Any]) -> None:
        loop = self._loop
        if any(map(loop.is_found, column)):
            if not all(map(loop.is_found, column)):
                raise NotRepeated
            for operands in zip(*[a._extra.origin[1] for a in column], strict=True):
                self._note(rounds, list(operands))
            return
        numbers = [loop._number(a) for a in column]
        within = [(t, *loop._located(k)) for t, k in zip(rounds, numbers, strict=True) if k >= loop.begin]
        read = [self._root(place) for t, then, place in within if then < t]
        for place in read:
            self._same[self._root(place)] = self._root(read[0])

    def _root(self, place: int) -> int:
        while self._same.setdefault(place, place) != place:
            place = self._same[place]
        return place

    def of(self, place: int) -> int:
        """The place of the variable that is left at one."""
        return -1 - self._root(place)

    def left_at(self, variable: int) -> dict[int, int]:
        """By kind, at which place a variable is left."""
        places = [place for place in self._same if self.of(place) == variable]
        found = {int(self._loop.kind_of_place[place]): place for place in places}
        if len(found) < len(places):
            raise NotRepeated
        return found


def _alike(columns: list[list[Any]]) -> int:
    """How many of some columns, from the first on, have the same in all their rows."""
    return next((s for s, column in enumerate(columns) if len(set(column)) > 1), len(columns))
