"""One step of a loop as steps on single numbers and as source; the loop over all steps, compiled.

Three write it: `StepProgram` what runs without Numba (values by Python, derivatives by NumPy on columns of all steps),
`NumbaStepSource` what Numba compiles, `StandaloneStepSource` what stands in a program's code and in saved files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ... import _limits
from ..dialects import WORD
from ..files import loaded
from .scalar_form import IMPORTS, MULTIPLIED, NUMBA, ScalarForm, ScalarText, without
from .scalars import FUNCTIONS, TRUTHS, Scalar

# -------------------------------------------------------------------------------------------------------------------
# One step of a loop as steps on single numbers: run from step to step, or on the columns of all steps at once

# The idea to hold: only the values have to be found one after the other, in Python's numbers. The Jacobian and the
# second derivatives of each step are known where the values are, so the same operations run on arrays, an entry for
# each step.


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
        text = ArrayText(self.form.steps, list(matrix.reshape(-1)), self.form.must_be_finite, dropped)
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


# --------------------------------------------------------- The functions of a loop's step as source, in NumPy's words

# The idea to hold: what runs from step to step is on single numbers; the derivatives of all steps are the same lines on
# columns, an entry for each step.


class StandaloneStepSource:
    """The source of one step's functions; ``module`` is what NumPy's functions are called by."""

    def __init__(self, step: StepProgram, module: str = "np") -> None:
        self._step, self._of_arrays = step, TensorText if module == "torch" else ArrayText
        k, self._values = step.sizes.state, step.numbers["values"][:, 0].tolist()
        self._k = k
        words = {"state": step.point[:k], "used": step.point[k:], "x": step.slice, "weight": step.weights}
        self._names = {old: f"{word}_{i}" for word, names in words.items() for i, old in enumerate(names)}

    def _text(self, numbers: list[Any], is_compiled: bool = False) -> ScalarText:
        kind = ScalarText if is_compiled else self._of_arrays
        return kind(self._step.form.steps, numbers, [], ())

    def _used(self, each: dict[str, str], lines: list[str]) -> list[str]:
        """Lines that take the numbers that others mention, of all that are given."""
        words = set(WORD.findall("\n".join(lines)))
        return [f"{name} = {value}" for name, value in each.items() if name in words]

    def _finished(self, lines: list[str]) -> str:
        """The text, in which what is given has a name that says what it is."""
        return WORD.sub(lambda m: self._names.get(m.group(), m.group()), "\n".join(lines))

    def _outer(self) -> dict[str, str]:
        return {v: f"outer[{i}]" for i, v in enumerate(self._step.point[self._k :])}

    def run(self, name: str, decorator: str) -> str:
        """A function that takes a state through all steps and returns what each gives."""
        step, k = self._step, self._k
        text = self._text(self._values, bool(decorator))
        found = [text.text(a) for a in self._values]
        state, every = step.point[:k], [*text.lines, *found]
        before = self._used({**self._outer(), **dict.fromkeys(step.weights, "1.0")}, every)
        head = [*([decorator] if decorator else []), f"def {name}(first, outer, rows):"]
        row = self._used({v: f"rows[t, {i}]" for i, v in enumerate(step.slice)}, every)
        begin = [f"{v} = first[{i}]" for i, v in enumerate(state)]
        write = [f"values[t, {i}] = {a}" for i, a in enumerate(found)]
        carry = [f"{v} = values[t, {i}]" for i, v in enumerate(state)]
        loop = ["for t in range(len(rows)):", *_in([*row, *text.lines, *write, *carry])]
        body = [*before, f"values = np.zeros((len(rows), {len(found)}))", *begin, *loop, "return values"]
        return self._finished([*head, *_in(body)])

    def scan(self, name: str) -> str:
        """The same as a scan of JAX's, in which single numbers pass from step to step."""
        step, k = self._step, self._k
        text = self._text(self._values)
        found = [f"zero + {text.text(a, 2)}" for a in self._values]
        every = [*text.lines, *found]
        given = {v: f"state[{i}]" for i, v in enumerate(step.point[:k])}
        given |= {v: f"row[{i}]" for i, v in enumerate(step.slice)}
        before = [*self._used({**self._outer(), **dict.fromkeys(step.weights, "1.0")}, every)]
        each = [*self._used(given, every), *text.lines, f"found = ({', '.join(found)},)"]
        body = ["zero = np.zeros((), dtype=outer.dtype)", *before, "", "def step(state, row):", *_in(each),
                *_in([f"return found[:{k}], np.stack(found)"]), "",
                "return jax.lax.scan(step, tuple(first), rows)[1]"]  # fmt: skip
        return self._finished([f"def {name}(first, outer, rows):", *_in(body)])

    def listed(self, name: str) -> str:
        """The same for PyTorch: what each step gives in a list."""
        step, k = self._step, self._k
        text = self._text(self._values)
        found = [f"zero + {text.text(a, 2)}" for a in self._values]
        every = [*text.lines, *found]
        row = self._used({v: f"rows[t, {i}]" for i, v in enumerate(step.slice)}, every)
        begin = [f"{v} = first[{i}]" for i, v in enumerate(step.point[:k])]
        carry = [f"{v} = values[-1][{i}]" for i, v in enumerate(step.point[:k])]
        loop = [*row, *text.lines, f"values.append(np.stack([{', '.join(found)}]))", *carry]
        outer = self._used({**self._outer(), **dict.fromkeys(step.weights, "1.0")}, every)
        first = ["zero = outer.new_zeros(())", *outer, "values = []", *begin]
        body = [*first, "for t in range(len(rows)):", *_in(loop), "return np.stack(values)"]
        return self._finished([f"def {name}(first, outer, rows):", *_in(body)])

    def at_once(self, name: str, which: str) -> str:
        """A function that returns a matrix for each step: Jacobians, or second derivatives, weighed."""
        step, k = self._step, self._k
        matrix: np.ndarray = step.numbers[which]
        text = self._text(list(matrix.reshape(-1)))
        weighed = {v: f"weights[:, {i}]" if which == "second" else "1.0" for i, v in enumerate(step.weights)}
        state = {v: f"before[:, {i}]" for i, v in enumerate(step.point[:k])}
        rows = {v: f"rows[:, {i}]" for i, v in enumerate(step.slice)}
        body = ["zero = np.zeros(len(before), dtype=outer.dtype)", *text.lines, "matrices = ["]
        for row in matrix:
            entries = [f"zero + {text.text(a, 2)}" if isinstance(a, Scalar) or a else "zero" for a in row]
            body.append(f"    np.stack([{', '.join(entries)}], -1),")
        body += ["]", "return np.stack(matrices, -2)"]
        given = "before, outer, rows, weights" if which == "second" else "before, outer, rows"
        first = self._used({**state, **self._outer(), **rows, **weighed}, body)
        return self._finished([f"def {name}({given}):", *_in([*first, *body])])


def _in(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


# -------------------------------------------------------------------------------------------------------------------
# The loop over the steps of a program as source: run, tangents, gradients and second derivatives, each a ``for``

# The idea to hold: every function goes from step to step and computes again what a step's derivatives are of, on single
# numbers; only what the next function asks for is written down.


class NumbaStepSource:
    """The functions of a step's loop as text, for Numba.

    Parameters
    ----------
    form, sizes : as `StepProgram` takes them
    directions : in how many of them tangents are carried, where slices are differentiated: a number that the compiler
        knows makes loops of few rounds lines
    """

    def __init__(self, form: ScalarForm, sizes: Sizes, directions: int) -> None:
        self._form, self._sizes, self._m = form, sizes, directions
        names = [form.names[x.name].reshape(-1).tolist() for x in form.inputs]
        self._weights, self._point, moving = names[0], *split_point(names[1], sizes)
        self._slice = [*moving, *(names[2] if sizes.slice else [])]
        self._rows, self._n, self._moving = len(self._weights), sizes.point, sizes.moving
        gradient = [part.numbers.reshape(-1) for part in form.outputs["g"]]
        self._values, self._vjp = gradient[0].tolist(), gradient[1].tolist()
        matrix = form.outputs["h"][0].numbers.reshape(2 * (self._rows + self._n,))
        self._jacobian, self._second = matrix[: self._rows, self._rows :], matrix[self._rows :, self._rows :]

    def text(self) -> str:
        """All four functions."""
        every = {"run": self.run, "jvp": self.jvp, "vjp": self.vjp, "curvature": self.curvature}
        return "\n\n".join([self._function(name, *part()) for name, part in every.items()])

    def _function(self, name: str, arguments: str, before: list[str], each: list[str], after: list[str]) -> str:
        """A loop over the steps between some lines; ``total`` is finite if all numbers that must be are."""
        k = self._sizes.state
        lines = [
            NUMBA,
            f"def {name}({arguments}):",
            *[f"    {v} = outer[{i}]" for i, v in enumerate(self._point[k:])],
            "    total = 0.0",
            *[f"    {line}" for line in before],
            *[f"        {line}" for line in each],
            *[f"    {line}" for line in after],
            "    return total",
        ]
        return "\n".join([*lines, ""])

    def _given(self, weighed: str = "") -> list[str]:
        """Lines that take a step's slice, and its weights, or none."""
        rows = [f"{v} = rows[t, {i}]" for i, v in enumerate(self._slice)]
        weights = [f"{v} = {weighed.format(i) if weighed else '1.0'}" for i, v in enumerate(self._weights)]
        return [*rows, *weights]

    def _before(self) -> list[str]:
        """Lines that take the state before a step."""
        return [f"{v} = first[{i}] if t == 0 else values[t - 1, {i}]"
                for i, v in enumerate(self._point[: self._sizes.state])]  # fmt: skip

    def run(self) -> tuple[str, list[str], list[str], list[str]]:
        """The values, one after the other, into ``values``."""
        steps = self._form.steps
        dropped = self._form.dropped_for(self._form.outputs["g"][0])
        text = ScalarText(steps, self._values, [], without(dropped, self._weights))
        state = self._point[: self._sizes.state]
        first = [f"{v} = first[{i}]" for i, v in enumerate(state)]
        written = [f"values[t, {i}] = {text.text(a)}" for i, a in enumerate(self._values)]
        carried = [f"{v} = values[t, {i}]" for i, v in enumerate(state)]
        each = [*self._given(), *text.lines, *text.finite(), "total += finite", *written, *carried]
        return "first, outer, rows, places, values", [*first, "for t in range(len(values)):"], each, []

    def jvp(self) -> tuple[str, list[str], list[str], list[str]]:
        """How the values move, into ``tangents``, (steps, values, m): in directions, or where no slices are
        differentiated in the variables themselves."""
        steps = self._form.steps
        text = ScalarText(
            steps,
            list(self._jacobian.reshape(-1)),
            self._form.must_be_finite,
            without(steps.dropped.values(), self._weights),
        )
        before, each = (self._jvp_along if self._moving else self._jvp_in_loops)(text)
        given = [*self._given(), *self._before(), *text.lines, *text.finite(), "total += finite"]
        return "first, outer, rows, places, values, directions, tangents", before, [*given, *each], []

    def _jvp_in_loops(self, text: ScalarText) -> tuple[list[str], list[str]]:
        """In the variables themselves, of which those from outside are the same in each step."""
        k, n, rows = self._sizes.state, self._n, self._rows
        before = [f"J = np.zeros(({rows}, {n}))", *self._identity(), "for t in range(len(values)):"]
        each = [
            *_filled("J", self._jacobian, text),
            f"for i in range({rows}):", f"    for a in range({n}):",
            f"        tangents[t, i, a] = J[i, a] if a >= {k} else 0.0",
            *_turned("tangents[t, i, a]", "J", k, n),
            f"along[:] = tangents[t, :{k}]",
        ]  # fmt: skip
        return before, each

    def _identity(self) -> list[str]:
        k = self._sizes.state
        return [f"along = np.zeros(({k}, {self._n}))", f"for i in range({k}):", "    along[i, i] = 1.0"]

    def _jvp_along(self, text: ScalarText) -> tuple[list[str], list[str]]:
        """In directions of all variables, those of the slices among them."""
        n, rows = self._n, self._rows
        before = [f"J = np.zeros(({rows}, {n}))", *self._start(), "for t in range(len(values)):"]
        each = [
            *_filled("J", self._jacobian, text), *self._slices(),
            f"for i in range({rows}):", f"    for a in range({self._m}):", "        tangents[t, i, a] = 0.0",
            *_turned("tangents[t, i, a]", "J", n, self._m), *self._carried("tangents[t]"),
        ]  # fmt: skip
        return before, each

    def _start(self) -> list[str]:
        """Lines that begin with how the state and what comes from outside move."""
        known = self._n - self._moving
        return [
            f"along = np.zeros(({self._n}, {self._m}))", f"along[:{known}] = directions[:{known}]",
        ]  # fmt: skip

    def _slices(self) -> list[str]:
        """Lines that take how a step's slice moves."""
        if not self._moving:
            return []
        return [
            f"for i in range({self._moving}):", f"    for a in range({self._m}):",
            f"        along[{self._n - self._moving} + i, a] = directions[places[t, i], a]",
        ]  # fmt: skip

    def _carried(self, after: str) -> list[str]:
        return [f"for i in range({self._sizes.state}):", f"    for a in range({self._m}):",
                f"        along[i, a] = {after}[i, a]"]  # fmt: skip

    def vjp(self) -> tuple[str, list[str], list[str], list[str]]:
        """The gradient in the variables of all values times g, into ``row``; what arrives at each, into ``weights``."""
        k, known = self._sizes.state, self._n - self._moving
        text = ScalarText(self._form.steps, self._vjp, self._form.must_be_finite)
        back = [f"arrived_{i}" for i in range(k)]
        arrived = [f"weights[t, {i}] = g[t, {i}]" + (f" + {back[i]}" if i < k else "") for i in range(self._rows)]
        found = [text.text(a) for a in self._vjp]
        outer = [f"row[{k + i}] += {a}" for i, a in enumerate(found[k:known]) if a != "0.0"]
        outer += [f"row[places[t, {i}]] += {a}" for i, a in enumerate(found[known:])]
        each = [
            *arrived, *self._given("weights[t, {}]"), *self._before(), *text.lines, *text.finite(), "total += finite",
            *outer, *([f"{', '.join(back)} = {', '.join(found[:k])}"] if k else []),
        ]  # fmt: skip
        start = [*[f"{v} = 0.0" for v in back], "for t in range(len(values) - 1, -1, -1):"]
        return (
            "g, first, outer, rows, places, values, weights, row",
            start,
            each,
            [f"row[{i}] = {v}" for i, v in enumerate(back)],
        )

    def curvature(self) -> tuple[str, list[str], list[str], list[str]]:
        """The second derivatives of all values times g, by the weights, into ``matrix``: along directions, or where no
        slices are differentiated in the variables themselves.

        How the state moves with the variables is found on the way again: it costs less than to be read.
        """
        k, S = self._sizes.state, self._second.copy()
        S[k:, k:] = np.triu(S[k:, k:])
        J = self._jacobian[:k]
        wanted = np.concatenate([S[:k].reshape(-1), S[k:, k:].reshape(-1), J.reshape(-1)])
        text = ScalarText(self._form.steps, list(wanted), self._form.must_be_finite)
        given = [*self._given("weights[t, {}]"), *self._before(), *text.lines, *text.finite(), "total += finite"]
        unrolled = self._sizes.state * self._n**2 <= _limits.LOOP_UNROLLED
        in_loops = self._curvature_in_words if unrolled else self._curvature_in_loops
        way = self._curvature_along if self._moving else in_loops
        before, each, after = way(S, J, text)
        after += ["for a in range(len(matrix)):", "    for b in range(a):", "        matrix[a, b] = matrix[b, a]"]
        return "first, outer, rows, places, values, weights, directions, matrix", before, [*given, *each], after

    def _curvature_in_words(
        self, S: np.ndarray, J: np.ndarray, text: ScalarText
    ) -> tuple[list[str], list[str], list[str]]:
        """Each entry on a line of its own."""
        k, n = self._sizes.state, self._n
        written = partial(_written, text)
        pairs = [(a, b) for a in range(n) for b in range(a, n)]
        each = [
            f"curved_{i}_{b} = {total}"
            for i in range(k) for b in range(n)
            if (total := written([*[(S[i, j], f"along_{j}_{b}") for j in range(k)], *[(S[i, b], "")][: b >= k]]))
        ]  # fmt: skip
        known = {line.split(" = ")[0] for line in each}
        for a, b in pairs:
            parts = [f"along_{i}_{a} * curved_{i}_{b}" for i in range(k) if f"curved_{i}_{b}" in known]
            own = [(S[a, b], "")] + [(S[j, a], f"along_{j}_{b}") for j in range(k)] if a >= k else []
            parts += [total] if (total := written(own)) else []
            each += [f"matrix_{a}_{b} += {' + '.join(parts)}"] if parts else []
        tangents = [[written([*[(J[i, j], f"along_{j}_{a}") for j in range(k)], *[(J[i, a], "")][: a >= k]]) or "0.0"
                  for a in range(n)] for i in range(k)]  # fmt: skip
        names = [f"along_{i}_{a}" for i in range(k) for a in range(n)]
        if names:
            each.append(f"{', '.join(names)} = {', '.join([m for row in tangents for m in row])}")
        start = [f"along_{i}_{a} = {float(i == a)}" for i in range(k) for a in range(n)]
        start += [f"matrix_{a}_{b} = 0.0" for a, b in pairs]
        return [*start, "for t in range(len(values)):"], each, [f"matrix[{a}, {b}] = matrix_{a}_{b}" for a, b in pairs]

    def _curvature_in_loops(
        self, S: np.ndarray, J: np.ndarray, text: ScalarText
    ) -> tuple[list[str], list[str], list[str]]:
        """Matrices of a step, and their products as loops."""
        k, n = self._sizes.state, self._n
        before = [f"S, J = np.zeros(({k}, {n})), np.zeros(({k}, {n}))", f"after = np.zeros(({k}, {n}))",
                  f"turn = np.zeros({n})"]  # fmt: skip
        each = [
            *_filled("S", S[:k], text), *_filled("J", J, text),
            *[f"matrix[{k + i}, {k + j}] += {text.text(a)}" for (i, j), a in _not_zero(S[k:, k:])],
        ]  # fmt: skip
        if _not_zero(S[:k]):
            each += [
                f"for i in range({k}):", f"    for a in range({n}):",
                f"        turn[a] = S[i, a] if a >= {k} else 0.0",
                *_turned("turn[a]", "S", k, n), *_multiplied(n),
            ]  # fmt: skip
        if _not_zero(S[:k, k:]):
            each += [
                f"for i in range({k}, {n}):", f"    for j in range({k}):", f"        for b in range(i, {n}):",
                "            matrix[i, b] += S[j, i] * along[j, b]",
            ]  # fmt: skip
        each += [
            f"for i in range({k}):", f"    for a in range({n}):",
            f"        after[i, a] = J[i, a] if a >= {k} else 0.0",
            *_turned("after[i, a]", "J", k, n), "along[:] = after",
        ]  # fmt: skip
        return [*before, *self._identity(), "for t in range(len(values)):"], each, []

    def _curvature_along(
        self, S: np.ndarray, J: np.ndarray, text: ScalarText
    ) -> tuple[list[str], list[str], list[str]]:
        """The same along directions."""
        k, n = self._sizes.state, self._n
        before = [f"S, J = np.zeros(({n}, {n})), np.zeros(({k}, {n}))", *self._start()]
        before += [f"after = np.zeros(({k}, {self._m}))", f"turn = np.zeros({self._m})"]
        each = [*_filled("S", S, text), *_filled("J", J, text), *self._slices()]
        if _not_zero(S):
            if _not_zero(S[:k, k:]):
                each += [f"for i in range({k}):", f"    for j in range({k}, {n}):", "        S[j, i] = S[i, j]"]
            if _not_zero(np.triu(S[k:, k:], 1)):
                each += [f"for i in range({k}, {n}):", f"    for j in range(i + 1, {n}):", "        S[j, i] = S[i, j]"]
            each += [
                f"for i in range({n}):", "    turn[:] = 0.0", *_turned("turn[a]", "S", n, self._m),
                *_multiplied(self._m),
            ]  # fmt: skip
        each += [
            f"for i in range({k}):", f"    for a in range({self._m}):", "        after[i, a] = 0.0",
            *_turned("after[i, a]", "J", n, self._m), *self._carried("after"),
        ]  # fmt: skip
        return [*before, "for t in range(len(values)):"], each, []


class CompiledStep:
    """The same functions compiled by Numba, each with arrays of its results or None where a number is not finite."""

    def __init__(self, form: ScalarForm, sizes: Sizes, directions: int) -> None:
        self.sizes, self._count = sizes, form.outputs["g"][0].numbers.size
        self._functions = loaded("\n".join([*IMPORTS, "", "", NumbaStepSource(form, sizes, directions).text(), ""]))

    def _called(self, name: str, *arguments: Any) -> bool:
        try:
            return math.isfinite(self._functions[name](*arguments))
        except (ArithmeticError, ValueError):
            return False

    def run(self, first: np.ndarray, outer: np.ndarray, rows: np.ndarray, places: np.ndarray) -> np.ndarray | None:
        """What the steps give, (steps, state + collected)."""
        values = np.empty((len(rows), self._count))
        return values if self._called("run", first, outer, rows, places, values) else None

    def jvp(self, course: Any, directions: np.ndarray) -> np.ndarray | None:
        """How all values move in some directions of the variables, (n, m): (steps, state + collected, m)."""
        directions = np.ascontiguousarray(directions)
        tangents = np.empty((*course.values.shape, directions.shape[bool(self.sizes.moving)]))
        if not self._called("jvp", *course.given, course.values, directions, tangents):
            return None
        return tangents if self.sizes.moving else tangents @ directions

    def vjp(self, course: Any, g: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """The gradient in the variables of all values times ``g``, and the weights of what each step gives."""
        weights, row = np.empty(g.shape), np.zeros(course.size)
        return (row, weights) if self._called("vjp", g, *course.given, course.values, weights, row) else None

    def curvature(self, course: Any, weights: np.ndarray, directions: np.ndarray) -> np.ndarray | None:
        """The second derivatives along directions of the variables, (n, m), of what the weights pick: (m, m)."""
        directions = np.ascontiguousarray(directions)
        matrix = np.zeros((directions.shape[bool(self.sizes.moving)],) * 2)
        if not self._called("curvature", *course.given, course.values, weights, directions, matrix):
            return None
        return matrix if self.sizes.moving else directions.T @ matrix @ directions


def _turned(into: str, matrix: str, k: int, m: int) -> list[str]:
    """Lines that add row i of a matrix times the first rows of ``along``; the innermost loop runs along memory."""
    return [f"    for j in range({k}):", f"        number = {matrix}[i, j]", f"        for a in range({m}):",
            f"            {into} += number * along[j, a]"]  # fmt: skip


def _multiplied(m: int) -> list[str]:
    """Lines that add row i of ``along`` times ``turn``, the upper half."""
    return [f"    for a in range({m}):", "        number = along[i, a]", f"        for b in range(a, {m}):",
            "            matrix[a, b] += number * turn[b]"]  # fmt: skip


def _written(text: ScalarText, terms: list[tuple[Any, str]]) -> str:
    """The sum of some numbers, each times what has a name ("" for none); empty where all are 0."""
    kept = [(a, name) for a, name in terms if isinstance(a, Scalar) or a]
    return " + ".join(
        [f"{text.text(a, MULTIPLIED)} * {name}" if name else text.text(a, MULTIPLIED) for a, name in kept]
    )


def _filled(name: str, matrix: np.ndarray, text: ScalarText) -> list[str]:
    """Lines that write the entries that are not 0."""
    return [f"{name}[{i}, {j}] = {text.text(a)}" for (i, j), a in _not_zero(matrix)]
