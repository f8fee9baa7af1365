"""Loops that are found: on the tape, given to `sg.scan`; in a trace, as symbols that stand for all their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ... import _limits
from ..._array import to_tensors
from ..._errors import GradientError, refusal
from ..._limits import bound
from ...core import (
    Carrier,
    Facts,
    OutputNode,
    Symbol,
    Tensor,
    constants_of,
    edge,
    found_from_values,
    held_operand,
    is_leaf_node,
    make_symbol,
    modes,
    next_seq,
    reachable,
    storage,
    wrap,
)
from ...sweep import NoForwardRule, Subgraph, refuse_hooks
from ..calls.reads import FoundValues, remembered, replaced
from ..calls.variables import nobodys, recording
from ..vmap import arrays_reached
from .round_kinds import Kinds, RolledKinds
from .rounds import NotRepeated, Rolled, Rounds, rested_on
from .scan import FLOATS, SCAN_VARIABLES, Loop, Used, numbers_of
from .scan_course import FlatStep

# ------------------------------------------------------------------- A loop on the tape, found and given to `sg.scan`

# The idea to hold: a loop in Python leaves the same operations again and again, each time on what the last rounds left.
# Where that is seen in the order in which they were recorded, the graph is that of a scan (`scan.py`) whose step
# runs one round (`rounds.py`), and grows with the round and not with their number. What does not fit is left as it was
# recorded.


def _run(loop: Loop, most: int | None = None) -> Any:
    if not loop.may_be_rolled(most):
        raise NotRepeated
    return loop.rolled()


def _nothing_is_found(value: Any) -> bool:
    return False


ROLLED_FIRST = bound(3)
"""Times as many for NumPy's programs without second derivatives: written out, these are soon made, and steps on
single numbers run ten times as fast as a loop's arrays."""


class Ways(NamedTuple):
    """How a loop is run (it may raise NotRepeated), which constants hang on values, so that they are others at other
    points, whether even short loops are worth it, or long ones only, and whether rounds may be of a few kinds, as those
    of a program, which asks the tape where a number is not finite."""

    scan: Callable[[Loop], Any] = _run
    is_found: Callable[[Any], bool] = _nothing_is_found
    is_short: bool = False
    is_long: bool = False
    of_kinds: bool = False

    def run(self, step: Any, first: Any, xs: Any, length: int | None, tables: dict[Any, Any]) -> Any:
        """What the steps of a loop give."""
        loop = Loop(step, first, xs, length, False)
        loop.tables, loop.takes_numbers = tables, True
        return self.scan(loop)[1]

    @property
    def nodes(self) -> int:
        """From how many on a loop is looked for among them."""
        if self.is_short:
            return _limits.ROLLED_SHORT
        return _limits.ROLLED * (ROLLED_FIRST if self.is_long else 1)

    @property
    def steps(self) -> int:
        """How many a loop has at least, which `sg.scan` may have."""
        return min(_limits.ROUNDS, _limits.SCAN_STEPS) if self.is_short else _limits.SCAN_STEPS


RECORDED = Ways()

AS_FOR_PROGRAMS = Ways(partial(_run, most=SCAN_VARIABLES), of_kinds=True)
"""For those who ask how many operations a program has, of which the state may be larger."""


LOOPS = bound(6)
"""Loops of one function that are looked for, one after the other."""


def rolled(output: Tensor, ways: Ways = RECORDED) -> Tensor:
    """The output of the same graph in which loops are one operation each; the output itself where none is found."""
    for _ in range(LOOPS):
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
    own = {leaf: nobodys.pop(leaf) for leaf in leaves if leaf in nobodys}  # somebody's as long as the loop is run again
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
    if ways.of_kinds:
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
        found = [a for node in some for a in map(held_operand, constants_of(node)) if is_found(a)]
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


ROUND_KINDS = bound(4)
"""Kinds of rounds that a loop has, where Python branches on data: a step runs all of them."""


_TRIED = 3


def kinds_found(codes: np.ndarray) -> list[Kinds]:
    """The rounds of a few kinds in which most operations lie, the fewest and shortest kinds first; a round begins with
    an operation that every one has once."""
    found: list[tuple[int, int, int, Kinds]] = []
    for code, count in Counter(codes.tolist()).items():
        if count < _limits.ROUNDS:
            continue
        cuts = np.flatnonzero(codes == code).tolist()
        words: dict[bytes, int] = {}
        each = [words.setdefault(codes[a:b].tobytes(), len(words)) for a, b in pairwise(cuts)]
        start, end = _longest(each)
        while end > start and each[start:end].count(each[start]) == 1:
            start += 1
        while end > start and each[start:end].count(each[end - 1]) == 1:
            end -= 1
        here = sorted(set(each[start:end]))
        length = cuts[end] - cuts[start]
        lines = sum([cuts[k + 1] - cuts[k] for k in map(each.index, here)])
        if len(here) > 1 and end - start >= _limits.ROUNDS and 4 * lines <= length:
            kinds = Kinds(cuts[start : end + 1], [here.index(k) for k in each[start:end]])
            found.append((len(here), lines, length, kinds))
    covered = max([len(codes) / _limits.LOOP_SHARE, *[0.9 * length for _, _, length, _ in found]])
    return [kinds for _, _, length, kinds in sorted(found) if length >= covered][:_TRIED]


def _longest(each: list[int]) -> tuple[int, int]:
    """The longest run of rounds of few kinds."""
    count: Counter[int] = Counter()
    best, start = (0, 0), 0
    for end, kind in enumerate(each):
        count[kind] += 1
        while len(count) > ROUND_KINDS:
            count[each[start]] -= 1
            if not count[each[start]]:
                del count[each[start]]
            start += 1
        best = max(best, (start, end + 1), key=lambda run: run[1] - run[0])
    return best


def _word(node: Any) -> Any:
    op = node.op
    if op is None:
        return type(node) if type(node) is OutputNode else id(node)
    return "sub" if op.name == "rsub" else op.name


# -------------------------------------------------------------------------------------------------------------------
# Loops of a function that is traced for a compiled program: each is one symbol, which stands for all its values

# The idea to hold: outside the loop, the function is a term in its arguments and in the loop's values; inside, the loop
# has a program of its own step. The chain rule puts the two together (`transforms/compiled/with_loops.py`).


LOOP_WRITTEN = bound(256)
"""Steps of a loop up to which a compiled function writes it out, where it cannot leave it a loop: more take
minutes."""


class Loops:
    """The loops that a function has run through.

    Parameters
    ----------
    arguments : symbols, by name
    variables : the names of those that are differentiated
    are_kept : whether loops are left loops, or all are written out
    least : steps of the shortest that are left

    Attributes
    ----------
    found : per loop the symbol of its values, and what it is made of
    """

    are_kept: bool

    def __init__(self, arguments: dict[str, Symbol], variables: set[str], are_kept: bool, least: int) -> None:
        self.are_kept, self._least = are_kept, least
        self._arguments = {edge(v): name for name, v in arguments.items()}
        self._given = {e: name for e, name in self._arguments.items() if name not in variables}
        self._differentiated: set[Any] = {*self._arguments} - {*self._given}  # and values of loops that use such
        self._values = set[Any]()  # of loops
        self.found: list[tuple[Symbol, Used]] = []
        self._moving, self._still = set[Any](), set[Any]()  # what rests on the arguments, or on loops; and what not

    def within(self, output: Tensor) -> list[tuple[Symbol, Used]]:
        """Those that a result rests on: a function may be run more than once for its trace."""
        leaves, within = _leaves([output]), list[tuple[Symbol, Used]]()
        for values, used in reversed(self.found):
            if edge(values) in leaves:
                within.insert(0, (values, used))
                leaves |= _leaves([*used.variables, *used.still])  # one may feed another
        return within

    def moves(self, value: Any) -> bool:
        """Whether a value depends on the arguments (or on another loop)."""
        t = to_tensors(value)
        return isinstance(t, Tensor) and t._node is not None and self._moves(edge(t))

    def _moves(self, root: Any) -> bool:
        """The same of an edge; what was seen on the way is kept, for a loop asks about each of its rounds."""
        ends = {*self._arguments, *self._values}
        path = [(root, iter(root.parents))]
        while path and root not in self._moving:
            node, parents = path[-1]
            below = next((a for a in parents if a is not None and a not in self._still), None)
            if node in ends or node in self._moving:
                self._moving.update([above for above, _ in path])  # each rests on the next
            elif below is not None:
                path.append((below, iter(below.parents)))
            else:
                self._still.add(node)
                path.pop()
        return root in self._moving

    def is_found(self, value: Any) -> bool:
        """Whether a value has no history, but is computed from the arguments (or from another loop): by comparing, say.
        What is found from data that the function reads is the same at every point."""
        t = to_tensors(value)
        if not isinstance(t, Tensor) or t._node is not None or not found_from_values(t):
            return False
        operands = t._extra.origin[1]
        return not operands or any(self.is_found(a) or (hasattr(a, "parents") and self._moves(a)) for a in operands)

    def given(self, x: Any) -> str | None:
        """The name of the argument that is run along, if it is one, which is not differentiated."""
        return self._given.get(edge(t)) if isinstance(t := to_tensors(x), Tensor) else None

    def take(self, loop: Any) -> Any:
        """The loop's results, as parts of a symbol; None where it is to be written out."""
        try:
            return self.taken(loop)
        except WrittenOut as why:
            if loop.length > LOOP_WRITTEN and why.reason:
                raise GradientError(
                    f"sg.compile writes a loop of {loop.length} steps out, for {why.reason}", "That takes minutes.",
                    "Use sg.hessian or sg.grad, which run the loop, or a series of up to "
                    f"{LOOP_WRITTEN} steps.",
                ) from None  # fmt: skip
            return why.results()

    def taken(self, loop: Any) -> Any:
        """The loop's results, as parts of a symbol.

        Raises
        ------
        WrittenOut : it has no program of its own
        """
        names = [self.given(x) for x in loop.xs]
        moving = [name is None and self.moves(x) for x, name in zip(loop.xs, names, strict=True)]
        found = FoundValues()
        found.search(loop.step)
        if not any(map(self.moves, (*loop.leaves, *loop.xs, *found.values))):
            raise WrittenOut("")
        if not self.are_kept or loop.length < self._least:
            raise WrittenOut("here all loops are written out")
        if any(map(self.is_found, (*loop.leaves, *loop.xs, *arrays_reached(loop.step)))):
            raise WrittenOut("it uses what a comparison found, say, which is another at another point")
        step = replaced(loop.step, found, tuple(map(self._plain, found.values)), {})
        xs = [x if moves else numbers_of(x) for x, moves in zip(loop.xs, moving, strict=True)]
        own = loop.of(step, list(map(self._plain, loop.leaves)), xs)
        own.tables = loop.tables
        own.of_arrays = any(isinstance(v, Carrier) for v in (*loop.leaves, *loop.xs, *found.values))
        known, born, branches = (remembered(step), own.kept()), next_seq(), len(modes.tracing.get() or ())
        carry, y = own.advance(own.carry, own.order()[0])
        if len(modes.tracing.get() or ()) > branches:
            raise WrittenOut("its step branches on a value", lambda: own.step_by_step(carry, [y]))
        used = None if known != (remembered(step), own.kept()) else self._used(own, carry, y, born)
        if used is None or not used.fits:
            raise WrittenOut("its step has no program of its own", lambda: own.step_by_step(carry, [y]))
        used.names = [name for name, moves in zip(names, moving, strict=True) if not moves]
        if not all(x is None or x.dtype in FLOATS for x in used.xs):  # numbers that wrap around do it in NumPy
            raise WrittenOut("its xs are no floats", lambda: own.step_by_step(carry, [y]))
        values = own.values()
        name = f"loop{len(self.found)}"
        while name in self._arguments.values():
            name += "_"
        symbol = make_symbol(name, values, Facts(values.shape))
        self._keep(symbol, used)
        return own.results(symbol, used, y)

    def _keep(self, symbol: Symbol, used: Used) -> None:
        """Let a symbol stand for the values of a loop."""
        self.found.append((symbol, used))
        self._values.add(edge(symbol))
        used.stays = all(map(self._is_still, used.variables))
        if not used.stays:
            self._differentiated.add(edge(symbol))

    def _plain(self, value: Any) -> Any:
        """A value that does not move as its numbers."""
        if self.moves(value):
            return value
        if isinstance(value, Carrier):
            return numbers_of(value)[()]
        return wrap(value._data) if isinstance(value, Tensor) else value

    def _used(self, loop: Any, carry: Any, y: Any, born: int) -> Used | None:
        ends = [t for t in loop.tensors(carry, y) if t._node is not None]
        try:
            edges = {e for t in ends for e in Subgraph(t, born).edges}
        except NoForwardRule:
            return None
        return Used(loop, FlatStep(loop), y, edges, self._is_still)

    def _is_still(self, t: Tensor) -> bool:
        """Whether it rests on no variable and no loop of such, so that it has the same numbers in every direction."""
        return not _leaves([t]) & self._differentiated


class WrittenOut(Exception):
    """A loop has no program of its own, for a reason; ``results`` goes on with it where its first step was run."""

    reason: str
    results: Callable[[], Any]

    def __init__(self, reason: str, results: Callable[[], Any] = lambda: None) -> None:
        self.reason, self.results = reason, results


def _leaves(tensors: Iterable[Tensor]) -> set[Any]:
    """The leaves of what some tensors were computed from."""
    roots = [t._node for t in tensors if t._node is not None]
    found = set(filter(is_leaf_node, roots))
    inner = [root for root in roots if root not in found]
    return found | set(reachable(inner)[1]) if inner else found
