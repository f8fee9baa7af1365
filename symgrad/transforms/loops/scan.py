"""``sg.scan``: a loop that carries a state, as one operation; and which loops have a program of their step."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _limits
from ..._array import to_arrays, to_tensors
from ..._errors import GradientError, ShapeError, refusal
from ..._limits import bound
from ...core import Carrier, Dual, Symbol, Tensor, edge, make_leaf, modes, next_seq, wrap
from ...ops import FUNCTIONS, METHODS
from ...programs.loops import ScalarForm, StepProgram, StepSizes
from ...sweep import NoForwardRule, Subgraph
from ..calls.reads import FoundValues, NoKey, function_key, remembered, replaced
from ..calls.symbolic_run import rng_state
from ..calls.tree import Spec, flatten, flatten_like, flatten_values, tree_map, unflatten
from ..calls.variables import as_variable, leave_to_nobody, recording
from ..compiled.quick import compiler, inputs_of
from ..vmap import MappedCall, VmapSettings
from .scan_course import (
    TRACED,
    Body,
    FlatStep,
    LoopCourse,
    LoopValues,
    SingleUse,
    States,
    collected_by_none,
    near,
    of_dtype,
    row_of,
    shape_of,
    split,
)

# ------------------------------------------------ Which loops have a program of their step, and what it takes of them

# The idea to hold: a loop is met again and again, by an optimizer or a sampler. When its step has been seen a few times
# it is traced once, and known from then on by all that it reads apart from what is differentiated.


FLOATS = np.dtype(np.float32), np.dtype(np.float64)
_known: dict[Any, Any] = {}
"""By what a loop is, how often it was met, or its program; None where it has none."""


class ScanProgram:
    """The program of one loop's step, and how to take what it needs from such a loop.

    Attributes
    ----------
    checked : whether its values were those of the user's step, over a whole run
    """

    program: StepProgram
    checked: bool

    def __init__(self, program: StepProgram) -> None:
        self.program, self.checked = program, False

    def course(self, used: Used, by_user: Callable[[], np.ndarray]) -> LoopCourse | None:
        """A run of the loop; None where the program does not do.

        ``by_user`` gives the same values by the user's step. They are taken where roundings grow from step to step: a
        chaotic loop is to go the same course, whether it is differentiated or not.
        """
        values = self.program.run(used.first, used.numbers, used.rows)
        if values is None:
            return None
        found = LoopCourse(self.program, used, values)
        if not found.is_smooth():
            return None
        steady = found.is_steady()
        plain = all(x is None or x.dtype == np.float64 for x in used.xs)  # the rest is computed in NumPy
        if self.checked and steady and plain:
            return found
        truth = LoopCourse(self.program, used, by_user())
        again = self.program.values(truth.point, truth.rows)
        self.checked = again is not None and near(again, truth.values) and (not steady or near(values, truth.values))
        return truth if self.checked and truth.is_smooth() else None


SCAN_VARIABLES = bound(96)
"""Numbers of a state, and used from outside, up to which a step becomes a program: its second derivatives are
matrices of so many columns."""
SCANS_KEPT = bound(64)
"""Loops whose programs are kept."""


class Used:
    """What a loop is made of, for a program: the numbers of its first state, those from outside, and of its slices.

    Parameters
    ----------
    loop : the loop
    flat : a function of the state's numbers in a row and of a slice, which takes the step from its attribute ``step``
    collected : what the first step collected
    edges : of what the first step's results rest on
    is_still : whether what slices are taken from is data: an argument that is not differentiated, or made of such

    Attributes
    ----------
    names : of arguments of a traced function, where the loop runs along these; None for others
    stays : whether it uses data alone
    dtypes : of what is collected
    is_double, is_single : whether all that is differentiated is float64; whether this and what is collected is float32
    """

    names: Any = ()
    stays: bool = False

    loop: Any
    flat: Any
    fits: bool
    shapes: list[tuple[int, ...]]
    dtypes: list[np.dtype[Any]]
    is_double: bool
    step: Any

    def __init__(
        self,
        loop: Any,
        flat: Any,
        collected: Any,
        edges: set[Any],
        is_still: Callable[[Tensor], bool] = lambda t: False,
    ) -> None:
        self.loop, self.flat = loop, flat
        self.found: FoundValues = FoundValues()
        self.found.search(loop.step)
        self.outer: list[Tensor] = [as_variable(to_tensors(v)) for v in self.found.values]
        self.leaves: list[Tensor] = [as_variable(leaf) for leaf in loop.leaves]
        own = {edge(t) for t in (*self.outer, *self.leaves) if t._node is not None}
        self.xs: list[Any] = [_data(x) for x in loop.xs]
        whole = [as_variable(to_tensors(x)) for x, data in zip(loop.xs, self.xs, strict=True) if data is None]
        self.slices: list[Any] = [loop.tables.get(edge(t), (t, None)) for t in whole]
        self._stays: list[bool] = [is_still(table) for table, _ in self.slices]
        own |= {edge(t) for t in whole}
        self.key: Any = None
        self.fits = edges <= own and all(x is None or x.dtype.kind in "biuf" for x in self.xs)
        sizes = [sum([t._data.size for t in part]) for part in (self.leaves, self.outer)]
        moving, still = [sum(map(math.prod, self._slice_shapes(stays))) for stays in (False, True)]
        width = still + sum([math.prod(x.shape[1:]) for x in self.xs if x is not None])
        given = [np.asarray(getattr(to_tensors(v), "_data", v)) for v in flatten_values(collected)[0]]
        self.shapes, self.dtypes = [v.shape for v in given], [v.dtype for v in given]
        self.sizes: StepSizes = StepSizes(sizes[0], sum(map(math.prod, self.shapes)), sizes[1], width, moving)
        self.fits = self.fits and self.sizes.point <= SCAN_VARIABLES
        kinds = {t._data.dtype for t in (*self.variables, *self.still)}
        self.fits, self.is_double = self.fits and kinds <= {*FLOATS}, kinds <= {FLOATS[1]}
        self.is_single: bool = {*kinds, *self.dtypes} == {FLOATS[0]}

    def program(self) -> ScanProgram | None:
        """Its program, made when the same loop was met a few times before; None where there is none."""
        if not (self.fits and self.is_double):
            return None
        try:
            self.key = function_key(self.loop.step, self.found)
            key = (
                self.key, self.sizes, tuple(self.shapes), self.loop.of_arrays,
                tuple([(type(v), t._data.shape) for v, t in zip(self.loop.leaves, self.leaves, strict=True)]),
                tuple([x if x is None else (x.shape[1:], x.dtype.char) for x in self.xs]), repr(self.loop.spec),
                tuple([t._data.shape[1:] for t, _ in self.slices]), tuple(self._stays),
                repr(self.loop.spec_of_xs),
            )  # fmt: skip
        except NoKey:
            return None
        self.step = replaced(self.loop.step, self.found, tuple(self.found.values), {})  # with what its names mean now
        count: Any = _known.get(key, 0)
        if isinstance(count, int):
            count = count + 1 if count < _limits.SCAN_PROGRAMMED else self.made()
        _known.pop(key, None)
        _known[key] = count
        if len(_known) > SCANS_KEPT:
            _known.pop(next(iter(_known)), None)
        return count if isinstance(count, ScanProgram) else None

    def recorded(self, tensors: list[Any]) -> Tensor:
        """The loop's values in operations, of other tensors in the places of the `variables`."""
        if self._key_now() != self.key:
            raise GradientError(
                "sg.scan: what the step reads has been changed since the loop ran",
                "Derivatives beyond the second run the step again, and it takes other numbers from outside now.",
                "Leave them as they are until all derivatives are taken, or pass them as xs or in the state.",
            )
        kept = [not self.loop.of_arrays] * len(self.leaves) + [isinstance(v, Tensor) for v in self.found.values]
        new = [t if keep else to_arrays(t) for keep, t in zip(kept, tensors, strict=False)]
        tables = tensors[len(kept) :]
        slices = iter([
            table if index is None else FUNCTIONS["index_select"](table, 0, index)
            for table, (_, index) in zip(tables, self.slices, strict=True)
        ])  # fmt: skip
        every = [wrap(x) if x is not None else next(slices) for x in self.xs]
        xs = [t if isinstance(old, Tensor) else to_arrays(t) for old, t in zip(self.loop.xs, every, strict=True)]
        return self.loop.again(
            replaced(self.step, self.found, tuple(new[len(self.leaves) :]), {}), new[: len(self.leaves)], xs
        )

    def _key_now(self) -> Any:
        try:
            return function_key(self.step, self.found)
        except NoKey:
            return None

    def made(self) -> ScanProgram | None:
        """A new program of its step, compared with the tape; None where there is none."""
        compiled = compiler.compiled(self._weighed, "gh", (0, 1), "dense", is_alone=False)
        rows, moving = self.sizes.state + self.sizes.collected, self.sizes.moving
        given = [np.ones(rows), np.concatenate([self.first, self.numbers, self.rows[0, :moving]])]
        if self.sizes.slice:
            given.append(self.rows[0, moving:])
        refused = refusal.get()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # where the two disagree, there is no program
                compiled(*given)  # which compares it with the tape
            made, leaves = compiled._find(tuple(given), {})
            numbers = inputs_of(made, leaves)
            if not made.program.checked or numbers is None:
                return None
            _, inputs, constants, shape = numbers
            form = ScalarForm(made.program, inputs, constants, shape, _limits.SCAN_NUMBERS)
            step = StepProgram(form, self.sizes)
            return ScanProgram(step) if step.cost <= _limits.SCAN_COST else None
        except Exception:  # whatever is the matter with the step, the tape runs it, and says what
            refusal.set(refused)
            return None

    def _weighed(self, weights: Any, point: Any, row: Any = None) -> Any:
        """The step's numbers times weights."""
        weights, point, row = to_tensors(weights), to_tensors(point), to_tensors(row)
        k = self.sizes.state
        by = split(point[k:], [t._data.shape for t in self.outer] + self._slice_shapes(False))
        moving = iter(by[len(self.outer) :])
        by = [b if isinstance(v, Tensor) else to_arrays(b) for v, b in zip(self.found.values, by, strict=False)]
        self.flat.step = replaced(self.loop.step, self.found, tuple(by), {})
        still = self._slice_shapes(True)
        data = split(row, still + [x.shape[1:] for x in self.xs if x is not None]) if self.sizes.slice else []
        rest, known = iter(data[: len(still)]), iter(data[len(still) :])
        slices = iter([next(rest if stays else moving) for stays in self._stays])
        xs = [next(slices) if x is None else next(known) for x in self.xs]
        xs = [to_arrays(x) for x in xs] if self.loop.of_arrays else xs
        after, *ys = self.flat(point[:k], unflatten(self.loop.spec_of_xs, xs) if xs else None)
        found = (after, *ys) if k else ys
        flat = FUNCTIONS["cat"]([METHODS["reshape"](v, (-1,)) for v in found], 0)
        return to_arrays((flat * weights).sum())

    @property
    def first(self) -> np.ndarray:
        """The numbers of the first state."""
        return row_of(self.leaves)

    @property
    def numbers(self) -> np.ndarray:
        """Those that the step uses from outside."""
        return row_of(self.outer)

    @property
    def rows(self) -> np.ndarray:
        """A row of each step's slice, what is differentiated of it first, in the order of the steps."""
        still = [row_of(self.still)[self.places_of_still]] if self.still else []
        return np.concatenate([row_of(self.variables)[self.places], *still, self.data], 1)

    @property
    def data(self) -> np.ndarray:
        """What is known of these rows."""
        parts = [np.asarray(x, float).reshape(self.loop.length, -1) for x in self.xs if x is not None]
        rows = np.concatenate([np.zeros((self.loop.length, 0)), *parts], 1)
        return rows[::-1] if self.loop.reverse else rows

    @property
    def variables(self) -> list[Tensor]:
        """What is differentiated: of the first state, from outside, and what slices are taken from."""
        return [*self.leaves, *self.outer, *[table for table, _ in self._tables(False)]]

    @property
    def still(self) -> list[Tensor]:
        """What slices are taken from that is not differentiated, though it is no number known beforehand."""
        return [table for table, _ in self._tables(True)]

    @property
    def places(self) -> np.ndarray:
        """Which numbers of the variables, all in a row, a step's slice has: (steps, moving)."""
        return self._places(False, self.sizes.state + self.sizes.outer)

    @property
    def places_of_still(self) -> np.ndarray:
        """The same of what is still, all in a row."""
        return self._places(True, 0)

    def _tables(self, stays: bool) -> list[Any]:
        """What slices are taken from, and the index of each step's slice in it; None where they are its rows."""
        return [slices for slices, still in zip(self.slices, self._stays, strict=True) if still == stays]

    def _slice_shapes(self, stays: bool) -> list[tuple[int, ...]]:
        return [table._data.shape[1:] for table, _ in self._tables(stays)]

    def _places(self, stays: bool, at: int) -> np.ndarray:
        columns = [np.zeros((self.loop.length, 0), np.intp)]
        for table, index in self._tables(stays):
            width = math.prod(table._data.shape[1:])
            rows = np.arange(self.loop.length) if index is None else np.asarray(index)
            rows = rows[::-1] if self.loop.reverse else rows
            columns.append(at + rows[:, None] * width + np.arange(width))
            at += table._data.size
        return np.concatenate(columns, 1)


def _data(x: Any) -> Any:
    """What is run along as an array of its own, which nobody writes to; None if it is differentiated."""
    if isinstance(x, np.ndarray):
        return x.copy()
    x = to_tensors(x)
    return x._data.copy() if type(x) is Tensor and x._node is None else None


# --------------------------------------------------------- ``sg.scan``: a loop that carries a state, as one operation

# The idea to hold: the states solve one equation, ``S[t] = φ(S[t-1], x[t])`` for all t at once. So the loop runs on
# plain numbers, φ is recorded once, on all steps at a time, and the derivative follows from that of φ: a change of the
# states obeys a linear recurrence, whose matrices are φ's Jacobians. The rule is written in operations, at the states
# that it itself differentiates, so there is no last order.


def scan(
    step: Callable[..., Any], carry: Any, xs: Any = None, length: int | None = None, reverse: bool = False
) -> tuple[Any, Any]:
    """Run a loop that carries a state, and return the last state and what the steps gave, stacked.

    ``carry, y = step(carry, x)`` for each x in xs, as `jax.lax.scan` does it. Derivatives of every order take the loop
    as one operation, so they cost a few operations on arrays of all steps instead of a graph of each.

    Parameters
    ----------
    step : function of the state and of one slice of xs that returns the next state, of the same structure, shapes and
        dtypes, and whatever is to be collected (or None). It may use tensors from where it is written; it must do the
        same at each call
    carry : the first state: a number, an array, a tensor, or a container of them
    xs : arrays whose first axis is run along, or a container of them; None: ``step`` gets None
    length : the number of steps, where xs do not say it
    reverse : run from the last slice to the first

    Returns
    -------
    carry : the state after the last step
    ys : the collected values, each with the steps along a new first axis, in the order of xs

    Raises
    ------
    ShapeError : xs differ in length, or none is known; a step changes the state's structure or shape

    Notes
    -----
    Cost: the loop on plain numbers, one run of ``step`` that is recorded, and for a derivative a few sweeps through
    that run on all steps at once, as many as the state has numbers; memory as of a few arrays per operation of
    ``step``. A loop that is met again, of few numbers carried and used, runs by a program of its step: some tenths of a
    microsecond per operation and step for the values, and a few calls of NumPy on arrays of all steps for gradient and
    second derivatives. Short loops, states of many numbers, and steps in which user-defined gradients change something
    are recorded step by step, and so are loops of symbols, whose formulas are written out.

    The gradient is by the adjoint recurrence λ[t] = A[t+1]ᵀ λ[t+1] + s[t] with A the Jacobians of the step in the state
    and s the gradient in each state.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> def growth(r):  # the logistic map
    ...     return sg.scan(lambda x, _: (r * x * (1 - x), x), 0.5, length=20)
    >>> growth(2.0)[1][:4]
    array([0.5, 0.5, 0.5, 0.5])
    >>> last = lambda r: growth(r)[0]
    >>> print(f"{sg.grad(last)(2.0):.6f} {sg.hessian(last)(2.0):.6f}")
    0.250000 -0.250000
    >>> print(sg.formula(lambda a: sg.scan(lambda y, _: (a * y, None), 2.0, length=3)[0], sg.symbol("a")).grad("a"))
    6a²
    """
    loop = Loop(step, carry, xs, length, reverse)
    traced = TRACED.get()
    found: Any = None if traced is None else traced.take(loop)
    if found is not None:
        return found
    return loop.rolled() if loop.may_be_rolled() else loop.step_by_step(carry, [])


class Loop:
    """One call of `scan`: its slices, and the two ways to run it.

    Attributes
    ----------
    takes_numbers : whether its step was found on the tape, so that it runs on plain numbers as it does on tensors
    """

    takes_numbers: bool = False

    step: Any
    carry: Any
    reverse: bool
    xs: list[Any]
    spec_of_xs: Spec
    leaves: list[Any]
    spec: Spec
    of_arrays: bool

    def __init__(self, step: Any, carry: Any, xs: Any, length: int | None, reverse: bool) -> None:
        self.step, self.carry, self.reverse = step, carry, reverse
        self.xs, self.spec_of_xs = flatten_values(xs)
        self.xs = [x if isinstance(x, (Tensor, Carrier, np.ndarray)) else np.asarray(x) for x in self.xs]
        self.length: int = _length(self.xs, length)
        self.leaves, self.spec = flatten(carry)
        self.tables: dict[Any, Any] = {}  # of xs that are rows of a smaller array, by their edges: that, and which

    def slice(self, t: int) -> Any:
        return unflatten(self.spec_of_xs, [x[t] for x in self.xs]) if self.xs else None

    def order(self) -> range:
        return range(self.length - 1, -1, -1) if self.reverse else range(self.length)

    def advance(self, carry: Any, t: int) -> tuple[Any, Any]:
        """One step, its result checked."""
        result = self.step(carry, self.slice(t))
        if not isinstance(result, tuple) or len(result) != 2:
            raise ShapeError(
                "sg.scan: step returns the next state and what is collected, as a pair",
                f"It returned {type(result).__name__!r}.", "Return (carry, None) where nothing is collected.",
            )  # fmt: skip
        after = flatten_like(self.spec, result[0])
        shapes = None if after is None else [shape_of(leaf) for leaf in after]
        if shapes != [shape_of(leaf) for leaf in self.leaves]:
            raise ShapeError(
                "sg.scan: a step changes the structure or the shapes of the state",
                f"The first state has {_described(self.leaves)}, and step {t} returned "
                + (f"{_described(after)}." if after is not None else "another structure."),
                "Start with a state of the shapes that step returns.",
            )
        return result

    # ------------------------------------------------------------------------------------------- step by step

    def step_by_step(self, carry: Any, collected: list[Any], earlier: Any = None) -> tuple[Any, Any]:
        """The loop as Python runs it, from the state after the steps of which something is ``collected`` already: each
        operation of each step is recorded, if anything is. ``earlier``: states, and what was collected, by a first run.
        """
        rows = [self._row(carry)]
        for t in self.order()[len(collected) :]:
            carry, y = self.advance(carry, t)
            collected.append(y)
            if earlier is not None:
                rows.append(self._row(carry))
        if earlier is not None:
            columns = list(zip(*[flatten_values(y)[0] for y in collected], strict=True))
            again = [np.array([numbers_of(v) for v in column]) for column in columns]
            self._expect_same([(earlier[0], np.array(rows)), *zip(earlier[1], again, strict=True)])
        if not collected:
            return carry, collected_by_none(self.step, carry, self.xs, self.spec_of_xs)
        collected = collected[::-1] if self.reverse else collected
        columns = [flatten_values(y) for y in collected]
        stacked = [_stacked(list(column)) for column in zip(*[leaves for leaves, _ in columns], strict=True)]
        return carry, unflatten(columns[0][1], stacked)

    # ------------------------------------------------------------------------------------------ as one operation

    def may_be_rolled(self, most: int | None = None) -> bool:
        """Whether the loop is long enough, its state small (``most`` numbers), and nothing watches what is recorded."""
        size = sum(int(np.prod(shape_of(leaf))) for leaf in self.leaves)
        watched = modes.on_value() != modes.ON or modes.dual_level.get() is not None or modes.tracing.get() is not None
        return (
            self.length >= _limits.SCAN_STEPS and 0 < size <= (most or _limits.SCAN_STATE)
            and modes.grad_enabled() and not watched
        )  # fmt: skip

    def rolled(self) -> tuple[Any, Any]:
        """The loop as one operation. The first step is run, and recorded, as the user's; if it shows that all steps
        cannot be one, the loop goes on from there, step by step."""
        self.xs = [x.copy() if isinstance(x, np.ndarray) else x for x in self.xs]  # it may be written to, later
        born, state = next_seq(), rng_state()
        known = remembered(self.step), self.kept()
        carry, y = self.advance(self.carry, self.order()[0])
        drew = not np.array_equal(state._data, rng_state()._data)
        if drew or known != (remembered(self.step), self.kept()) or not self._is_smooth(carry, y, born):
            return self.step_by_step(carry, [y])
        used = Used(self, FlatStep(self), y, self._edges)
        made = used.program()
        course = None if made is None else made.course(used, self.values)
        if course is not None and self._goes(course, np.concatenate([self._row(carry), *_raveled(y)])):
            return self.results(LoopValues.apply(SingleUse(course), *used.variables), used, y)
        return self._by_operations(carry, y)

    def _goes(self, course: Any, first: np.ndarray) -> bool:
        """Whether the program's first step is the user's, and one in the middle, where the state is no longer the first
        one: it sees what a key has not told apart."""
        k = self.length // 2
        with recording(False):
            middle = FlatStep(self)(wrap(course.point[0][k]), self.slice(self.order()[k]))
        found = np.concatenate([numbers_of(v).reshape(-1) for v in middle])
        return near(course.values[0], first) and near(course.values[k], found)

    def results(self, values: Tensor, used: Used, y: Any) -> tuple[Any, Any]:
        """The last state, and what is collected, as parts of all values; ``y`` is what the first step collected."""
        ys, k = [], used.sizes.state
        at, collected = k, flatten_values(y)[1]
        for shape, dtype in zip(used.shapes, used.dtypes, strict=True):
            size = int(np.prod(shape))
            part = of_dtype(METHODS["reshape"](values[:, at : at + size], (self.length, *shape)), dtype)
            ys.append(to_arrays(part) if self.of_arrays else part)
            at += size
        tree = unflatten(collected, ys)
        last = FlatStep(self).state(values[-1, :k], [numbers_of(leaf).dtype for leaf in self.leaves])
        return last, tree_map(_flip, tree) if self.reverse else tree

    def _by_operations(self, carry: Any, y: Any) -> tuple[Any, Any]:
        """The loop as one operation, whatever its step; or step by step, after what the first step collected."""
        refused = refusal.get()
        try:
            S, ys = self._at_once()
        except _LeftBehind:
            raise
        except Exception:  # a course that hangs on values, say; or it says what is wrong in the user's words
            refusal.set(refused)
            return self.step_by_step(carry, [y], self._numbers)
        return FlatStep(self).state(S[-1]), tree_map(_flip, ys) if self.reverse else ys

    def _at_once(self) -> tuple[Tensor, Any]:
        """The states after each step, and what is collected, of which all steps are recorded at once."""
        self._numbers = states, collected = self._states()
        first = FUNCTIONS["cat"]([METHODS["reshape"](as_variable(leaf), (-1,)) for leaf in self.leaves], 0)
        if first._node is None:  # the states have a history all the same
            first = make_leaf(first)
            leave_to_nobody([first._node])
        body = Body()
        S = States.apply(body, first, states)
        after, ys = body.record(S, first, self._all_steps)
        self._expect_same([(states, after), *zip(collected, flatten_values(ys)[0], strict=True)])
        return S, ys

    def of(self, step: Any, leaves: list[Any], xs: list[Any]) -> Loop:
        """The same loop of another step, with another first state and other slices."""
        found = Loop(step, unflatten(self.spec, leaves), unflatten(self.spec_of_xs, xs), self.length, self.reverse)
        found.takes_numbers = self.takes_numbers
        return found

    def tensors(self, carry: Any, y: Any) -> list[Tensor]:
        """The tensors among a state and what is collected."""
        found = [getattr(v, "_t", v) for v in (*(flatten_like(self.spec, carry) or ()), *flatten_values(y)[0])]
        return [t for t in found if isinstance(t, Tensor)]

    def again(self, step: Any, leaves: list[Any], xs: list[Any]) -> Tensor:
        """All values, (steps, state + collected), of another step from another state, in operations."""
        loop = self.of(step, leaves, xs)
        loop.of_arrays = self.of_arrays
        refused = refusal.get()
        try:
            S, ys = loop._at_once()
            rows = [METHODS["reshape"](as_variable(y), (self.length, -1)) for y in flatten_values(ys)[0]]
            return FUNCTIONS["cat"]([S, *rows], 1)
        except Exception:  # as in `_by_operations`
            refusal.set(refused)
        carry, rows = loop.carry, []
        for t in self.order():
            carry, y = loop.advance(carry, t)
            found = (*(flatten_like(self.spec, carry) or ()), *flatten_values(y)[0])
            rows.append(FUNCTIONS["cat"]([METHODS["reshape"](as_variable(v), (-1,)) for v in found], 0))
        return FUNCTIONS["stack"](rows, 0)

    def values(self) -> np.ndarray:
        """All values, by the user's step."""
        states, collected = self._states()
        return np.concatenate([states, *[c.reshape(self.length, -1) for c in collected]], 1)

    def _row(self, carry: Any) -> np.ndarray:
        """The numbers of a state in a row."""
        leaves = flatten_like(self.spec, carry) or ()
        return np.concatenate([np.ravel(numbers_of(v)) for v in leaves] or [np.zeros(0)])

    def kept(self) -> list[bytes]:
        """The numbers of the first state, to which a step may write."""
        return [numbers_of(leaf).tobytes() for leaf in flatten(self.carry)[0]]

    def _expect_same(self, pairs: Any) -> None:
        """Raise if the steps gave other numbers when they were run at once: step is no function of its arguments."""
        for numbers, again in pairs:
            rows = numbers.reshape(len(numbers), -1)
            other = numbers_of(again).reshape(rows.shape)
            finite = np.where(np.isfinite(rows), rows, 0)
            scale = np.maximum(
                np.abs(finite).max(1, keepdims=True, initial=0), np.abs(finite).mean() if rows.size else 0
            )
            eps = np.finfo(rows.dtype if rows.dtype.kind in "fc" else np.float64).eps
            with np.errstate(invalid="ignore"):
                near = np.abs(other - finite) <= np.sqrt(eps) * scale
            apart = np.flatnonzero(~(near | ~np.isfinite(rows)).all(1))
            if apart.size:
                t = int(apart[0])
                raise GradientError(
                    "sg.scan: step gives other numbers when it is called again with the same arguments",
                    f"At step {self.order()[t]} they were {_brief(rows[t])} and then {_brief(other[t])}.",
                    "Let it depend on its arguments and constants alone: draw random numbers, and count, before the "
                    "loop, and pass them as xs.",
                )

    def _is_smooth(self, carry: Any, y: Any, born: int) -> bool:
        """Whether the first step gave something with a history, of real numbers and nothing symbolic, and what can be
        differentiated for all steps at once: no hooks, no values of other kinds."""
        leaves, collected = flatten_like(self.spec, carry) or (), flatten_values(y)[0]
        found = [getattr(v, "_t", v) for v in (*self.leaves, *self.xs, *leaves, *collected)]
        if any(isinstance(v, (Symbol, Dual)) for v in found):
            return False
        self.of_arrays = any(isinstance(v, Carrier) for v in (*self.leaves, *self.xs, *leaves, *collected))
        if any(numbers_of(v).dtype.kind != "f" for v in (*leaves, *collected)):
            return False
        ends = [v for v in found if isinstance(v, Tensor) and v._node is not None]
        try:
            self._edges = {e for t in ends for e in Subgraph(t, born).edges}
        except NoForwardRule:  # hooks of the user's: they want to see each step
            return False
        return bool(ends)

    def _states(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """The states after each step, a row each, and what is collected, computed without recording."""
        steps = self._steps_of_numbers() if self.of_arrays or self.takes_numbers else None
        if steps is None:
            carry, steps = self.carry, []
            with recording(False):
                for t in self.order():
                    carry, y = self.advance(carry, t)
                    steps.append((flatten_like(self.spec, carry), flatten_values(y)[0]))
        states, collected = [[_column(c) for c in zip(*part, strict=True)] for part in zip(*steps, strict=True)]
        if not states:
            return np.zeros((self.length, 0)), collected
        rows = np.concatenate([c.reshape(self.length, -1) for c in states], 1)
        if rows.dtype != np.result_type(*[numbers_of(leaf) for leaf in steps[0][0]]):
            raise TypeError("the state's dtype changes")
        return rows, collected

    def _steps_of_numbers(self) -> list[Any] | None:
        """The same by plain numbers in the places of all that the step remembers, where all of it is found: an
        operation on numbers costs NumPy a twentieth of one on what is differentiated."""
        found = FoundValues()
        found.search(self.step)
        step = replaced(self.step, found, tuple([_plain(v) for v in found.values]), {})
        carry = unflatten(self.spec, [_plain(leaf) for leaf in self.leaves])
        xs, steps, is_leaf = [numbers_of(x) for x in self.xs], [], self.spec.kind is None
        refused = refusal.get()
        for t in self.order():
            try:
                carry, y = step(carry, unflatten(self.spec_of_xs, [x[t] for x in xs]))
            except Exception:  # it takes tensors alone, as a Function may; or the next run says what is wrong
                refusal.set(refused)
                return None
            leaves = [carry] if is_leaf and type(carry) in _PLAIN else flatten_like(self.spec, carry)
            steps.append((leaves, [y] if type(y) in _PLAIN else flatten_values(y)[0]))
            if len(steps) == 1 and any(isinstance(v, (Tensor, Carrier)) for part in steps[-1] for v in part or ()):
                return None
        kinds = {type(v) for leaves, ys in steps for v in (*(leaves or ()), *ys)}
        return None if any(issubclass(kind, (Tensor, Carrier)) for kind in kinds) else steps

    def _all_steps(self, before: Tensor) -> tuple[Any, Any]:
        """All steps at once, from the states before each."""
        xs = unflatten(self.spec_of_xs, [_flip(x) if self.reverse else x for x in self.xs])
        flat = FlatStep(self)
        call = MappedCall(flat, VmapSettings(0, 0, "error", None), (before, xs) if self.xs else (before,), {})
        after, *ys = call.at_once()
        if flat.is_kept():
            raise _LeftBehind(
                "sg.scan: step keeps what it computes in something outside",
                "A loop as one operation runs its steps all at once.",
                "Return it beside the state, which collects it: return carry, y.",
            )
        return after, unflatten(flat.collected, [to_arrays(y) if self.of_arrays else y for y in ys])

    of_arrays = False
    _numbers: Any = None  # of a first run


class _LeftBehind(GradientError):
    """A step left something behind that stands for all steps."""


# ------------------------------------------------------------------------------------------------- small helpers


def _length(xs: list[Any], length: int | None) -> int:
    """The number of steps, which all say."""
    known = {int(shape_of(x)[0]) if shape_of(x) else -1 for x in xs} | ({length} if length is not None else set())
    if len(known) != 1 or min(known) < 0:
        raise ShapeError(
            "sg.scan takes xs that agree in the length of their first axis, or length=",
            f"xs have {_described(xs) if xs else 'nothing'}, length is {length}.",
            "Pass length= for a loop without xs.",
        )
    return known.pop()


def _described(leaves: Any) -> str:
    return "shapes " + ", ".join(str(shape_of(leaf)) for leaf in leaves)


def _plain(value: Any) -> Any:
    """A value as NumPy has it: an array, or a number."""
    return numbers_of(value)[()]


def _raveled(y: Any) -> list[np.ndarray]:
    return [np.ravel(numbers_of(v)) for v in flatten_values(y)[0]]


def _brief(values: np.ndarray) -> str:
    return np.array2string(values, precision=6, threshold=6)


def numbers_of(value: Any) -> np.ndarray:
    """A value's array."""
    value = getattr(value, "_t", value) if isinstance(value, Carrier) else value
    return np.asarray(value._data if isinstance(value, Tensor) else value)


_PLAIN = frozenset([float, np.float64, np.ndarray])


def _column(values: Any) -> np.ndarray:
    """Values of all steps in one array."""
    if any(issubclass(kind, (Tensor, Carrier)) for kind in set(map(type, values))):
        values = [numbers_of(v) for v in values]
    return np.array(values)


def _stacked(values: list[Any]) -> Any:
    if any(isinstance(v, Tensor) for v in values):
        return FUNCTIONS["stack"]([as_variable(v) for v in values], 0)
    return np.stack(values)


def _flip(x: Any) -> Any:
    return FUNCTIONS["flip"](x, (0,)) if isinstance(x, Tensor) else x[::-1]
