"""Which loops have a program of their step, and what it takes of them.

The idea to hold: a loop is met again and again, by an optimizer or a sampler. When its step has been seen a few times
it is traced once, and known from then on by all that it reads apart from what is differentiated.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _limits
from .._array._protocols import carried, unpacked
from .._errors import GradientError, refusal
from ..core import Tensor, edge, wrap
from ..ops._public import FUNCTIONS, METHODS
from ..programs._scalar_form import ScalarForm
from ..programs._step_program import Sizes, StepProgram
from ._caught import Found, replaced
from ._compiled_quick import inputs_of
from ._compiler import compiler
from ._function_key import NoKey, function_key
from ._scan_course import Course, near, row_of, split
from ._tree import flatten_values, unflatten
from ._variables import as_variable

FLOATS = np.dtype(np.float32), np.dtype(np.float64)
_known: dict[Any, Any] = {}
"""By what a loop is, how often it was met, or its program; None where it has none."""


class LoopProgram:
    """The program of one loop's step, and how to take what it needs from such a loop.

    Attributes
    ----------
    checked : whether its values were those of the user's step, over a whole run
    """

    def __init__(self, program: StepProgram) -> None:
        self.program, self.checked = program, False

    def course(self, used: Used, by_user: Callable[[], np.ndarray]) -> Course | None:
        """A run of the loop; None where the program does not do.

        ``by_user`` gives the same values by the user's step. They are taken where roundings grow from step to step: a
        chaotic loop is to go the same course, whether it is differentiated or not.
        """
        values = self.program.run(used.first, used.numbers, used.rows)
        if values is None:
            return None
        found = Course(self.program, used, values)
        if not found.is_smooth():
            return None
        steady = found.is_steady()
        plain = all(x is None or x.dtype == np.float64 for x in used.xs)  # the rest is computed in NumPy
        if self.checked and steady and plain:
            return found
        truth = Course(self.program, used, by_user())
        again = self.program.values(truth.point, truth.rows)
        self.checked = again is not None and near(again, truth.values) and (not steady or near(values, truth.values))
        return truth if self.checked and truth.is_smooth() else None


class Used:
    """What a loop is made of, for a program: the numbers of its first state, those from outside, and of its slices.

    Parameters
    ----------
    loop : the loop
    flat : a function of the state's numbers in a row and of a slice, which takes the step from its attribute ``step``
    collected : what the first step collected
    edges : of what the first step's results rest on

    Attributes
    ----------
    names : of arguments of a traced function, where the loop runs along these; None for others
    dtypes : of what is collected
    is_double, is_single : whether all that is differentiated is float64; whether this and what is collected is float32
    """

    names: Any = ()

    def __init__(self, loop: Any, flat: Any, collected: Any, edges: set[Any]) -> None:
        self.loop, self.flat = loop, flat
        self.found = Found()
        self.found.search(loop.step)
        self.outer = [as_variable(unpacked(v)) for v in self.found.values]
        self.leaves = [as_variable(leaf) for leaf in loop.leaves]
        own = {edge(t) for t in (*self.outer, *self.leaves) if t._node is not None}
        self.xs = [_data(x) for x in loop.xs]
        whole = [as_variable(unpacked(x)) for x, data in zip(loop.xs, self.xs, strict=True) if data is None]
        self.slices = [loop.tables.get(edge(t), (t, None)) for t in whole]
        own |= {edge(t) for t in whole}
        self.key: Any = None
        self.fits = edges <= own and all(x is None or x.dtype.kind in "biuf" for x in self.xs)
        sizes = [sum([t._data.size for t in part]) for part in (self.leaves, self.outer)]
        width = sum([math.prod(x.shape[1:]) for x in self.xs if x is not None])
        moving = sum([math.prod(t._data.shape[1:]) for t, _ in self.slices])
        given = [np.asarray(getattr(unpacked(v), "_data", v)) for v in flatten_values(collected)[0]]
        self.shapes, self.dtypes = [v.shape for v in given], [v.dtype for v in given]
        self.sizes = Sizes(sizes[0], sum(map(math.prod, self.shapes)), sizes[1], width, moving)
        self.fits = self.fits and self.sizes.point <= _limits.SCAN_VARIABLES
        kinds = {t._data.dtype for t in self.variables}
        self.fits, self.is_double = self.fits and kinds <= {*FLOATS}, kinds <= {FLOATS[1]}
        self.is_single = {*kinds, *self.dtypes} == {FLOATS[0]}

    def program(self) -> LoopProgram | None:
        """Its program, made when the same loop was met a few times before; None where there is none."""
        if not (self.fits and self.is_double):
            return None
        try:
            self.key = function_key(self.loop.step, self.found)
            key = (
                self.key, self.sizes, tuple(self.shapes), self.loop.of_arrays,
                tuple([(type(v), t._data.shape) for v, t in zip(self.loop.leaves, self.leaves, strict=True)]),
                tuple([x if x is None else (x.shape[1:], x.dtype.char) for x in self.xs]), repr(self.loop.spec),
                tuple([t._data.shape[1:] for t, _ in self.slices]),
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
        if len(_known) > _limits.SCANS_KEPT:
            _known.pop(next(iter(_known)), None)
        return count if isinstance(count, LoopProgram) else None

    def recorded(self, tensors: list[Any]) -> Tensor:
        """The loop's values in operations, of other tensors in the places of the `variables`."""
        if self._key_now() != self.key:
            raise GradientError(
                "sg.scan: what the step reads has been changed since the loop ran",
                "Derivatives beyond the second run the step again, and it takes other numbers from outside now.",
                "Leave them as they are until all derivatives are taken, or pass them as xs or in the state.",
            )
        kept = [not self.loop.of_arrays] * len(self.leaves) + [isinstance(v, Tensor) for v in self.found.values]
        new = [t if keep else carried(t) for keep, t in zip(kept, tensors, strict=False)]
        tables = tensors[len(kept) :]
        slices = iter([
            table if index is None else FUNCTIONS["index_select"](table, 0, index)
            for table, (_, index) in zip(tables, self.slices, strict=True)
        ])  # fmt: skip
        every = [wrap(x) if x is not None else next(slices) for x in self.xs]
        xs = [t if isinstance(old, Tensor) else carried(t) for old, t in zip(self.loop.xs, every, strict=True)]
        return self.loop.again(
            replaced(self.step, self.found, tuple(new[len(self.leaves) :]), {}), new[: len(self.leaves)], xs
        )

    def _key_now(self) -> Any:
        try:
            return function_key(self.step, self.found)
        except NoKey:
            return None

    def made(self) -> LoopProgram | None:
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
            return LoopProgram(StepProgram(form, self.sizes)) if form.text.cost <= _limits.SCAN_COST else None
        except Exception:  # whatever is the matter with the step, the tape runs it, and says what
            refusal.set(refused)
            return None

    def _weighed(self, weights: Any, point: Any, row: Any = None) -> Any:
        """The step's numbers times weights."""
        weights, point, row = unpacked(weights), unpacked(point), unpacked(row)
        k = self.sizes.state
        by = split(point[k:], [t._data.shape for t in self.outer] + [t._data.shape[1:] for t, _ in self.slices])
        count = len(self.outer)
        slices = iter(by[count:])
        by = [b if isinstance(v, Tensor) else carried(b) for v, b in zip(self.found.values, by, strict=False)]
        self.flat.step = replaced(self.loop.step, self.found, tuple(by), {})
        data = iter(split(row, [x.shape[1:] for x in self.xs if x is not None]) if self.sizes.slice else [])
        xs = [next(slices) if x is None else next(data) for x in self.xs]
        xs = [carried(x) for x in xs] if self.loop.of_arrays else xs
        after, *ys = self.flat(point[:k], unflatten(self.loop.spec_of_xs, xs) if xs else None)
        found = (after, *ys) if k else ys
        flat = FUNCTIONS["cat"]([METHODS["reshape"](v, (-1,)) for v in found], 0)
        return carried((flat * weights).sum())

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
        every = np.concatenate([t._data.reshape(-1) for t in self.variables])
        return np.concatenate([every[self.places], self.data], 1)

    @property
    def data(self) -> np.ndarray:
        """What is not differentiated of these rows."""
        return rows_of([x for x in self.xs if x is not None], self.loop.length, self.loop.reverse)

    @property
    def variables(self) -> list[Tensor]:
        """What is differentiated: of the first state, from outside, and what slices are taken from."""
        return [*self.leaves, *self.outer, *[table for table, _ in self.slices]]

    @property
    def places(self) -> np.ndarray:
        """Which numbers of the variables, all in a row, a step's slice has: (steps, moving)."""
        columns, at, length = (
            [np.zeros((self.loop.length, 0), np.intp)],
            self.sizes.state + self.sizes.outer,
            self.loop.length,
        )
        for table, index in self.slices:
            width = math.prod(table._data.shape[1:])
            rows = np.arange(length) if index is None else np.asarray(index)
            rows = rows[::-1] if self.loop.reverse else rows
            columns.append(at + rows[:, None] * width + np.arange(width))
            at += table._data.size
        return np.concatenate(columns, 1)


def rows_of(xs: list[Any], length: int, reverse: bool) -> np.ndarray:
    """Slices in rows, in the order of the steps."""
    parts = [np.asarray(x, float).reshape(length, -1) for x in xs]
    rows = np.concatenate(parts, 1) if parts else np.zeros((length, 0))
    return rows[::-1] if reverse else rows


def _data(x: Any) -> Any:
    """What is run along as an array of its own, which nobody writes to; None if it is differentiated."""
    if isinstance(x, np.ndarray):
        return x.copy()
    x = unpacked(x)
    return x._data.copy() if type(x) is Tensor and x._node is None else None


__all__ = ["FLOATS", "LoopProgram", "Used", "rows_of"]
