"""One step of a loop as steps on single numbers: run from step to step, or on the columns of all steps at once.

The idea to hold: only the values have to be found one after the other, in Python's numbers. The Jacobian and the second
derivatives of each step are known where the values are, so the same operations run on arrays, an entry for each step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ._scalar_form import ScalarForm
from ._scalar_text import ScalarText, without
from ._scalars import FUNCTIONS, TRUTHS, Scalar

_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh",
          "acosh": "arccosh", "atanh": "arctanh", "pow": "power"}  # fmt: skip
_OF_ARRAYS = {
    **{op: text.replace(f"math.{op}", f"np.{_NAMES.get(op, op)}") for op, (text, _) in FUNCTIONS.items()},
    "sign": "np.sign({0})", "maximum": "np.maximum({0}, {1})", "minimum": "np.minimum({0}, {1})",
    "where": "np.where({0}, {1}, {2})",
    **{op: text for op, (text, _) in TRUTHS.items()},
    "and": "np.logical_and({0}, {1})", "or": "np.logical_or({0}, {1})", "not": "np.logical_not({0})",
}  # fmt: skip
"""The functions of single numbers, in NumPy's words."""


class ArrayText(ScalarText):
    """The lines on arrays, an entry for each step."""

    def form_of(self, op: str) -> str:
        return _OF_ARRAYS[op]


class TensorText(ArrayText):
    """The same on PyTorch's tensors, whose functions of two take no numbers."""

    def form_of(self, op: str) -> str:
        form = _OF_ARRAYS[op].replace("np.power(", "np.pow(")
        operands = 0 if op == "pow" else form.count("{")
        return form if operands < 2 else form.replace("{0}", "zero + {0}" if op != "where" else "{0}").replace(
            "{1}", "zero + {1}").replace("{2}", "zero + {2}")  # fmt: skip


class Sizes(NamedTuple):
    """How many numbers there are: in the state, collected, used from outside, and in a slice of what is run along, of
    data and of what is differentiated."""

    state: int
    collected: int
    outer: int
    slice: int
    moving: int = 0

    @property
    def point(self) -> int:
        """Numbers in which a step is differentiated."""
        return self.state + self.outer + self.moving


class StepProgram:
    """A step ``(s, u, z, x) -> (s', y)``: values, Jacobian in (s, u, z), and second derivatives in these, weighed.

    Of each step z and x are its own: slices, of which z is differentiated.

    Parameters
    ----------
    form : of ``weights · (s', y)``, a function of weights, of the point (s, u, z), and of x if there is any; its
        gradient in the weights is the step, its mixed second derivatives are the Jacobian
    sizes : of these
    """

    def __init__(self, form: ScalarForm, sizes: Sizes) -> None:
        self.sizes = sizes
        rows = sizes.state + sizes.collected
        names = [form.names[x.name].reshape(-1).tolist() for x in form.inputs]
        self.weights, self.point, moving = names[0], *split_point(names[1], sizes)
        self.slice = [*moving, *(names[2] if sizes.slice else [])]
        values = form.outputs["g"][0].numbers.reshape(-1, 1)
        matrix = form.outputs["h"][0].numbers.reshape(2 * (rows + sizes.point,))
        self.form = form
        self.numbers = {"values": values, "jacobian": matrix[:rows, rows:], "second": matrix[rows:, rows:]}
        self._course = self._in_python()
        every = form.steps.dropped.values()
        unweighed = without(every, self.weights)  # of which alone Jacobians may be made
        dropped = {"values": unweighed, "jacobian": unweighed, "second": every}
        self._at_once = {name: self._columns(numbers, dropped[name]) for name, numbers in self.numbers.items()}

    def _in_python(self) -> Callable[..., Any]:
        """A function of the first state, what is used from outside, and rows of slices, which returns the columns of
        all values; None where Python raises or a number is not finite."""
        k, values = self.sizes.state, self.numbers["values"][:, 0].tolist()
        steps = self.form.steps
        dropped = self.form.dropped_for(self.form.outputs["g"][0])
        text = ScalarText(steps, values, [], without(dropped, self.weights))
        state, outer = self.point[:k], self.point[k:]
        kept = [f"a{i}" for i in range(len(values))]
        body = [*text.lines, *text.finite(), "total += finite"]
        found = [text.text(a) for a in values]
        new = [f"{', '.join(state)}{',' if k == 1 else ''} = {', '.join(found[:k])}{',' if k == 1 else ''}"]
        keep = [f"{name}({value})" for name, value in zip(kept, [*state, *found[k:]], strict=True)]
        if k:  # what is collected is of the state before
            collect, keep = keep[k:], keep[:k]
            body += [*collect, *new, *keep]
        else:
            body += keep
        row = ", ".join(self.slice)
        lines = [
            "def course(first, outer, rows):",
            *([f"    {', '.join(state)}, = first"] if state else []),
            *([f"    {', '.join(outer)}, = outer"] if outer else []),
            f"    {' = '.join(self.weights)} = 1.0",
            "    total = 0.0",
            *[f"    l{i} = []; a{i} = l{i}.append" for i in range(len(values))],
            "    try:",
            f"        for {row + (',' if len(self.slice) > 1 else '') if row else '_'} in rows:",
            *[f"            {line}" for line in body],
            "    except (ArithmeticError, ValueError):",
            "        return None",
            "    if not isfinite(total):",
            "        return None",
            f"    return [{', '.join(f'l{i}' for i in range(len(values)))}]",
        ]
        return _made(lines, {"math": math, "isfinite": math.isfinite})

    def _columns(self, matrix: np.ndarray, dropped: Iterable[Any]) -> Callable[..., Any]:
        """A function of the columns of weights, of the point and of slices, which returns a matrix for each step."""
        text = ArrayText(self.form.steps, list(matrix.reshape(-1)), self.form.guards, dropped)
        lines = [
            "def derivatives(steps, weights, point, rows):",
            f"    {', '.join(self.weights)}, = weights",
            f"    {', '.join(self.point)}, = point",
            *([f"    {', '.join(self.slice)}, = rows"] if self.slice else []),
            *[f"    {line}" for line in (*text.lines, *text.finite())],
            "    if not np.isfinite(finite).all():",
            "        return None",
            f"    found = np.zeros((steps, {matrix.shape[0]}, {matrix.shape[1]}))",
        ]
        lines += [f"    found[:, {i}, {j}] = {text.text(a)}" for (i, j), a in _not_zero(matrix)]
        return _made([*lines, "    return found"], {"np": np, "math": math})

    def run(self, first: np.ndarray, outer: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
        """What the steps give, (steps, state + collected), one after the other; None if it is not finite."""
        each = range(len(rows)) if not rows.shape[1] else rows[:, 0].tolist() if rows.shape[1] == 1 else rows.tolist()
        columns = self._course(first.tolist(), outer.tolist(), each)
        return None if columns is None else np.array(columns).T

    def values(self, point: Any, rows: np.ndarray) -> np.ndarray | None:
        """The same from the state before each step."""
        found = self._of("values", np.ones((len(rows), len(self.weights))), point, rows)
        return None if found is None else found[:, :, 0]

    def jacobian(self, point: Any, rows: np.ndarray) -> np.ndarray | None:
        """The Jacobians at the states before each step: (steps, state + collected, state + outer + moving)."""
        return self._of("jacobian", np.ones((len(rows), len(self.weights))), point, rows)

    def second(self, weights: np.ndarray, point: Any, rows: np.ndarray) -> np.ndarray | None:
        """The second derivatives of what the weights (steps, state + collected) pick."""
        return self._of("second", weights, point, rows)

    def _of(self, name: str, weights: np.ndarray, point: Any, rows: np.ndarray) -> Any:
        first, outer = point
        with np.errstate(all="ignore"):
            return self._at_once[name](len(rows), weights.T, (*first.T, *outer), rows.T)


def split_point(point: list[Any], sizes: Sizes) -> tuple[list[Any], list[Any]]:
    """The state and what comes from outside, and what is of each step."""
    n = sizes.state + sizes.outer
    return point[:n], point[n:]


def _not_zero(matrix: np.ndarray) -> list[Any]:
    return [(place, a) for place, a in np.ndenumerate(matrix) if isinstance(a, Scalar) or a]


def _made(lines: list[str], space: dict[str, Any]) -> Callable[..., Any]:
    """The function that these lines define."""
    exec(compile("\n".join(lines), "<symgrad program of a step>", "exec"), space)  # our own source
    function: Callable[..., Any] = space[lines[0][4 : lines[0].index("(")]]
    return function


__all__ = ["ArrayText", "Sizes", "StepProgram", "TensorText", "split_point"]
