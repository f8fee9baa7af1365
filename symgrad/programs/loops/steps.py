"""One step of a loop as steps on single numbers and as source; the loop over all steps, compiled.

One recurrence, in the words of each target: `ArrayStepSource` goes from step to step on single numbers and has the
derivatives of all steps on arrays, `NumbaStepSource` has all of it as loops. What they write is what runs and what is
saved: where it runs it is ``checked`` too, and has no results that are not finite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ... import _limits
from ..._limits import bound
from ..dialects import NUMPY, Dialect
from ..files import loaded
from ..helpers import WORD
from ..source_module import function_of_module
from .scalar_form import IMPORTS, MULTIPLIED, NUMBA, ScalarForm, ScalarText, without
from .scalars import Scalar, Steps

# -------------------------------------------------------------------------------------------------------------------
# One step of a loop as steps on single numbers: run from step to step, or on the columns of all steps at once

# The idea to hold: only the values have to be found one after the other, in Python's numbers. The Jacobian and the
# second derivatives of each step are known where the values are, so the same operations run on arrays, an entry for
# each step.


_OF_ARRAYS = {
    "sign": "np.sign({0})", "maximum": "np.maximum({0}, {1})", "minimum": "np.minimum({0}, {1})",
    "where": "np.where({0}, {1}, {2})",
    "and": "np.logical_and({0}, {1})", "or": "np.logical_or({0}, {1})", "not": "np.logical_not({0})",
}  # fmt: skip
"""The functions that arrays have in other forms than single numbers."""


class ArrayText(ScalarText):
    """The lines on arrays, an entry for each step."""

    def form_of(self, op: str) -> str:
        return _OF_ARRAYS.get(op) or super().form_of(op).replace("math.", "np.")


class TensorText(ArrayText):
    """The same where functions of two take no numbers, as PyTorch's do."""

    def form_of(self, op: str) -> str:
        form = super().form_of(op)
        operands = 0 if op == "pow" else form.count("{")
        return form if operands < 2 else form.replace("{0}", "zero + {0}" if op != "where" else "{0}").replace(
            "{1}", "zero + {1}").replace("{2}", "zero + {2}")  # fmt: skip


class StepSizes(NamedTuple):
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

    Attributes
    ----------
    weights, state, outer, slice : the names of its numbers
    numbers : by name what it has
    at_once : by name functions of the states before all steps, of what they use and of slices, which return matrices
    checked : by name the numbers that must be finite beside these, and those that were dropped on the way to them
    cost : operations of values and derivatives together
    """

    sizes: StepSizes
    steps: Steps
    cost: int
    weights: list[Any]
    state: list[Any]
    outer: list[Any]

    def __init__(self, form: ScalarForm, sizes: StepSizes) -> None:
        self.sizes, self.steps, self.cost = sizes, form.steps, form.text.cost
        rows = sizes.state + sizes.collected
        names = [form.names[x.name].reshape(-1).tolist() for x in form.inputs]
        self.weights, point, *data = names
        self.state, self.outer = point[: sizes.state], point[sizes.state : sizes.state + sizes.outer]
        self.slice: list[Any] = [name for part in (point[sizes.state + sizes.outer :], *data) for name in part]
        values, gradient = [part.numbers.reshape(-1, 1) for part in form.outputs["g"][:2]]
        matrix = form.outputs["h"][0].numbers.reshape(2 * (rows + sizes.point,))
        self.numbers: dict[str, Any] = {"values": values, "gradient": gradient,
                        "jacobian": matrix[:rows, rows:], "second": matrix[rows:, rows:]}  # fmt: skip
        every = list(form.steps.dropped.values())
        unweighed = form.must_be_finite, without(every, self.weights)  # of which alone Jacobians may be made
        of_run: Any = [], without(form.dropped_for(form.outputs["g"][0]), self.weights)
        self.checked: dict[str, Any] = {"run": of_run, "values": unweighed, "jacobian": unweighed}
        self._weighed = form.must_be_finite, every
        source = ArrayStepSource(self, is_checked=True)
        self._run = function_of_module(source.run("run"), "run", {})
        self.at_once: dict[str, Callable[..., Any]] = {
            name: function_of_module(source.at_once(name, name), name, {}) for name in ("values", "jacobian", "second")
        }

    def text(self, kind: type[ScalarText], numbers: Iterable[Any], which: str, is_checked: bool) -> ScalarText:
        """The lines of some numbers, and of those that must be finite with what it has by this name."""
        checked: Any = self.checked.get(which, self._weighed) if is_checked else ([], [])
        return kind(self.steps, list(numbers), *checked)

    def run(self, first: np.ndarray, outer: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
        """What the steps give, (steps, state + collected), one after the other; None if it is not finite."""
        found: np.ndarray | None = self._run(first, outer, rows)
        return found

    def values(self, point: Any, rows: np.ndarray) -> np.ndarray | None:
        """The same from the state before each step."""
        found = self._of("values", *point, rows)
        return None if found is None else found[:, :, 0]

    def jacobian(self, point: Any, rows: np.ndarray) -> np.ndarray | None:
        """The Jacobians at the states before each step: (steps, state + collected, state + outer + moving)."""
        return self._of("jacobian", *point, rows)

    def second(self, weights: np.ndarray, point: Any, rows: np.ndarray) -> np.ndarray | None:
        """The second derivatives of what the weights (steps, state + collected) pick."""
        return self._of("second", *point, rows, weights)

    def _of(self, name: str, *given: np.ndarray) -> Any:
        with np.errstate(all="ignore"):
            return self.at_once[name](*given)


def _not_zero(matrix: np.ndarray) -> list[Any]:
    return [(place, a) for place, a in np.ndenumerate(matrix) if isinstance(a, Scalar) or a]


# --------------------------------------------------------- The functions of a loop's step as source, in NumPy's words

# The idea to hold: what runs from step to step is on single numbers; the derivatives of all steps are the same lines on
# columns, an entry for each step.


class StepSource:
    """The functions of a step's loop as text; where they are checked, they say whether all numbers are finite that
    must be."""

    def __init__(self, step: StepProgram, is_checked: bool = False) -> None:
        self._step, self._is_checked = step, is_checked
        words = {"state": step.state, "used": step.outer, "x": step.slice, "weight": step.weights}
        self._names = {old: f"{word}_{i}" for word, names in words.items() for i, old in enumerate(names)}

    def _text(self, numbers: Iterable[Any], which: str, kind: type[ScalarText] = ScalarText) -> ScalarText:
        return self._step.text(kind, numbers, which, self._is_checked)

    def _function(self, head: list[str], given: dict[str, str], body: list[str]) -> str:
        """A function, in which what is given has a name that says what it is; it takes those numbers that its lines
        mention."""
        return self._finished([*head, *_in([*_used(given, body), *body])])

    def _finished(self, lines: list[str]) -> str:
        return WORD.sub(lambda m: self._names.get(m.group(), m.group()), "\n".join(lines))

    def _outer(self) -> dict[str, str]:
        return _numbered(self._step.outer, "outer[{}]")

    def _unweighed(self) -> dict[str, str]:
        return self._outer() | dict.fromkeys(self._step.weights, "1.0")


class ArrayStepSource(StepSource):
    """The same in a dialect's words."""

    def __init__(self, step: StepProgram, dialect: Dialect = NUMPY, is_checked: bool = False) -> None:
        super().__init__(step, is_checked)
        self._dialect, self._of_arrays = dialect, TensorText if dialect.all_arrays else ArrayText

    def run(self, name: str) -> str:
        """Functions, of which the one of this name takes a state through all steps and returns what each gives."""
        return (self._in_python if self._dialect is NUMPY else self._in_arrays)(name)

    def _in_python(self, name: str) -> str:
        """In Python's numbers, or in NumPy's where Python raises and they are infinite, or none."""
        step, steps, values = self._step, name.replace("run", "steps"), self._step.numbers["values"][:, 0]
        text = self._text(values, "run")
        found = [text.text(a) for a in values]
        k, count = len(step.state), len(found)
        new = [f"{', '.join(step.state)}, = {', '.join(found[:k])},"] if k else []
        kept = [f"keep_{i}({a})" for i, a in enumerate([*step.state, *found[k:]])]  # what is collected comes first
        looked = [*text.finite(), "total += finite"] if self._is_checked else []
        width = min(len(step.slice), 2)
        row = "_" if not width else step.slice[0] if width == 1 else f"{', '.join(step.slice)},"
        body = [
            *([f"{', '.join(step.state)}, = first"] if k else []),
            *[f"values_{i} = []; keep_{i} = values_{i}.append" for i in range(count)],
            *(["total = 0.0"] if self._is_checked else []),
            f"for {row} in rows:", *_in([*text.lines, *looked, *kept[k:], *new, *kept[:k]]),
            *(["if not math.isfinite(total):", "    return None"] if self._is_checked else []),
            f"return np.array([{', '.join([f'values_{i}' for i in range(count)])}]).T",
        ]  # fmt: skip
        words = "math, " if "math." in "\n".join(body) else ""
        inner = self._function([f"def {steps}({words}first, outer, rows):"], self._unweighed(), body)
        each = ["range(len(rows))", "rows[:, 0]", "rows"][width]
        called = f"return {steps}({words}first.tolist(), outer.tolist(), {each}{'.tolist()' * bool(width)})"
        again = f"return {steps}({words.replace('math', 'np')}first, outer, {each})"
        outer = ["try:", f"    {called}", "except (ArithmeticError, ValueError):  # Python has no infinite results",
                 f"    {'return None' if self._is_checked else again}"]  # fmt: skip
        return f"{inner}\n\n\n{self._finished([f'def {name}(first, outer, rows):', *_in(outer)])}"

    def _in_arrays(self, name: str) -> str:
        """In arrays of no axes."""
        step, k = self._step, len(self._step.state)
        text = self._text(step.numbers["values"][:, 0], "run", self._of_arrays)
        found = [f"zero + {text.text(a, 2)}" for a in step.numbers["values"][:, 0]]
        each = [*text.lines, f"found = ({', '.join(found)},)"]
        each = [*_used(_numbered(step.state, "state[{}]") | _numbered(step.slice, "row[{}]"), each), *each]
        loop = [
            "zero = np.zeros((), dtype=outer.dtype)",
            "def step(state, row):", *_in([*each, f"return found[:{k}], np.stack(found)"]),
            "return _scan(step, first, rows)",
        ]  # fmt: skip
        return self._function([f"def {name}(first, outer, rows):"], self._unweighed(), loop)

    def at_once(self, name: str, which: str) -> str:
        """A function that returns a matrix for each step: values, Jacobians, or second derivatives, weighed."""
        step = self._step
        matrix: np.ndarray = step.numbers[which]
        text = self._text(matrix.reshape(-1), which, self._of_arrays)
        weighed = which == "second"
        given = _numbered(step.state, "before[:, {}]") | self._unweighed() | _numbered(step.slice, "rows[:, {}]")
        given |= _numbered(step.weights, "weights[:, {}]") if weighed else {}
        body = list(text.lines)
        if self._is_checked:
            body += [*text.finite(), "if not np.isfinite(finite).all():", "    return None"]
        if self._dialect is NUMPY:
            body += [f"found = np.zeros((len(rows), {matrix.shape[0]}, {matrix.shape[1]}))"]
            body += [f"found[:, {i}, {j}] = {text.text(a)}" for (i, j), a in _not_zero(matrix)]
            body.append("return found")
        else:
            body = ["zero = np.zeros(len(before), dtype=outer.dtype)", *body, "matrices = ["]
            for row in matrix:
                entries = [f"zero + {text.text(a, 2)}" if isinstance(a, Scalar) or a else "zero" for a in row]
                body.append(f"    np.stack([{', '.join(entries)}], -1),")
            body += ["]", "return np.stack(matrices, -2)"]
        arguments = "before, outer, rows, weights" if weighed else "before, outer, rows"
        return self._function([f"def {name}({arguments}):"], given, body)


def _numbered(names: list[str], form: str) -> dict[str, str]:
    return {name: form.format(i) for i, name in enumerate(names)}


def _used(given: dict[str, str], lines: list[str]) -> list[str]:
    """Lines that take the numbers that others mention, of all that are given."""
    words = set(WORD.findall("\n".join(lines)))
    return [f"{name} = {value}" for name, value in given.items() if name in words]


def _in(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


# -------------------------------------------------------------------------------------------------------------------
# The loop over the steps of a program as source: run, tangents, gradients and second derivatives, each a ``for``

# The idea to hold: every function goes from step to step and computes again what a step's derivatives are of, on single
# numbers; only what the next function asks for is written down.


ROWS_AT_ONCE = bound(4)
"""Rows of a product that are added to a matrix at once."""


class NumbaStepSource(StepSource):
    """The same for Numba. Where they are checked, a number comes last that is finite if all are.

    Tangents are carried in directions where slices are differentiated, else in the variables themselves, of which
    those from outside are the same in each step.

    Parameters
    ----------
    directions : how many: a number that the compiler knows makes loops of few rounds lines
    size : how many numbers are variables
    """

    def __init__(self, step: StepProgram, directions: int, size: int, is_checked: bool = False) -> None:
        super().__init__(step, is_checked)
        self._k, self._n, self._moving, self._size = step.sizes.state, step.sizes.point, step.sizes.moving, size
        self._m, self._carries = (directions, self._n) if self._moving else (self._n, self._k)
        self._rows, self._numbers = len(step.weights), step.numbers
        self._own = "matrix" if not self._moving else "own" if size <= _limits.LOOP_VARIABLES * directions else ""
        self._row = _numbered(step.slice, "rows[t, {}]")
        self._before = self._row | {
            v: f"first[{i}] if t == 0 else values[t - 1, {i}]" for i, v in enumerate(step.state)
        }
        self._weighed = self._before | _numbered(step.weights, "weights[t, {}]")

    def functions(self, loop: str) -> dict[str, str]:
        """All four of a loop, by what they are called."""
        used, along = "first, outer, rows, places", ", directions" if self._moving else ""
        every: dict[str, tuple[Any, str, str]] = {
            f"run_{loop}": (self._run, used, "values"),
            f"tangents_of_{loop}": (self._tangents, f"{used}, values{along}", "tangents"),
            f"gradient_of_{loop}": (self._gradient, f"{used}, values, g", "row, weights"),
            f"curvature_of_{loop}": (self._curvature, f"{used}, values, weights{along}", "matrix"),
        }
        return {name: self._written(name, *rest) for name, rest in every.items()}

    def _written(self, name: str, part: Callable[[], Any], arguments: str, results: str) -> str:
        """A loop over the steps between some lines; ``total`` is finite if all numbers that must be are."""
        text, given, before, each, after = part()
        total = ["total = 0.0"], [*text.finite(), "total += finite"], ", total"
        start, looked, more = total if self._is_checked else ([], [], "")
        inside = [*text.lines, *looked, *each]
        body = [*start, *before, *_in([*_used(given, inside), *inside]), *after, f"return {results}{more}"]
        outside = {v: value for v, value in self._unweighed().items() if v not in given}
        return self._function([NUMBA, f"def {name}({arguments}):"], outside, body)

    def _run(self) -> tuple[Any, ...]:
        """The values, one after the other."""
        numbers, state = self._numbers["values"][:, 0], self._step.state
        text = self._text(numbers, "run")
        before = [f"values = np.empty((len(rows), {self._rows}))", *[f"{v} = first[{i}]" for i, v in enumerate(state)]]
        written = [f"values[t, {i}] = {text.text(a)}" for i, a in enumerate(numbers)]
        carried = [f"{v} = values[t, {i}]" for i, v in enumerate(state)]
        return text, self._row, [*before, "for t in range(len(rows)):"], [*written, *carried], []

    def _tangents(self) -> tuple[Any, ...]:
        """How the values move, (steps, values, m)."""
        J = self._numbers["jacobian"]
        text = self._text(J.reshape(-1), "jacobian")
        before = [
            f"tangents = np.empty((len(values), {self._rows}, {self._m}))", f"J = np.zeros({J.shape})", *self._begun(),
            "for t in range(len(values)):",
        ]  # fmt: skip
        moved = [f"for i in range({self._rows}):", *self._moved("tangents[t, i, a]", "J")]
        each = [*_filled("J", J, text), *self._slices(), *moved, *self._carried("tangents[t]")]
        return text, self._before, before, each, []

    def _begun(self) -> list[str]:
        """Lines that begin with how the state moves, and with directions what comes from outside.

        Entry by entry: of a slice that is assigned, Numba compiles what would tell of its shape, for a second or more.
        """
        known = self._n - self._moving
        along = f"along = np.zeros(({self._carries}, {self._m}))"
        if self._moving:
            return [along, f"for i in range({known}):", f"    for a in range({self._m}):",
                    "        along[i, a] = directions[i, a]"]  # fmt: skip
        return [along, f"for i in range({self._k}):", "    along[i, i] = 1.0"]

    def _slices(self) -> list[str]:
        """Lines that take how a step's slice moves."""
        if not self._moving:
            return []
        return [
            f"for i in range({self._moving}):", f"    for a in range({self._m}):",
            f"        along[{self._n - self._moving} + i, a] = directions[places[t, i], a]",
        ]  # fmt: skip

    def _moved(self, into: str, matrix: str) -> list[str]:
        """Lines that put row i of a matrix times how all moves into something; the innermost loop runs along memory."""
        own = "0.0" if self._moving else f"{matrix}[i, a] if a >= {self._k} else 0.0"
        return [
            f"    for a in range({self._m}):", f"        {into} = {own}",
            f"    for j in range({self._carries}):", f"        number = {matrix}[i, j]",
            f"        for a in range({self._m}):", f"            {into} += number * along[j, a]",
        ]  # fmt: skip

    def _carried(self, after: str) -> list[str]:
        return [f"for i in range({self._k}):", f"    for a in range({self._m}):",
                f"        along[i, a] = {after}[i, a]"]  # fmt: skip

    def _gradient(self) -> tuple[Any, ...]:
        """The gradient in the variables of all values times g; what arrives at each, as ``weights``."""
        k, known, numbers = self._k, self._n - self._moving, self._numbers["gradient"][:, 0]
        text = self._text(numbers, "gradient")
        back = [f"arrived_{i}" for i in range(k)]
        arrived = {v: f"g[t, {i}]" + (f" + {back[i]}" if i < k else "") for i, v in enumerate(self._step.weights)}
        found = [text.text(a) for a in numbers]
        outer = [f"row[{k + i}] += {a}" for i, a in enumerate(found[k:known]) if a != "0.0"]
        outer += [f"row[places[t, {i}]] += {a}" for i, a in enumerate(found[known:])]
        kept = [f"weights[t, {i}] = {v}" for i, v in enumerate(arrived)]
        each = [*kept, *outer, *([f"{', '.join(back)} = {', '.join(found[:k])}"] if k else [])]
        before = [f"weights, row = np.empty(g.shape), np.zeros({self._size})", *[f"{v} = 0.0" for v in back]]
        after = [f"row[{i}] = {v}" for i, v in enumerate(back)]
        return text, self._before | arrived, [*before, "for t in range(len(values) - 1, -1, -1):"], each, after

    def _curvature(self) -> tuple[Any, ...]:
        """The second derivatives of all values times g, by the weights.

        How the state moves with the variables is found on the way again: it costs less than to be read.
        """
        k, S, J = self._k, self._numbers["second"], self._numbers["jacobian"][: self._k]
        is_unrolled = not self._moving and k * self._n**2 <= _limits.LOOP_UNROLLED
        upper = np.triu(S)
        S = np.concatenate([S[:k], upper[k:]]) if is_unrolled else upper
        text = self._text([*S.reshape(-1), *J.reshape(-1)], "second")
        before, each, after = (self._in_words if is_unrolled else self._in_loops)(S, J, text)
        before = [f"matrix = np.zeros(({self._m}, {self._m}))", *before, "for t in range(len(values)):"]
        after += ["for a in range(len(matrix)):", "    for b in range(a):", "        matrix[a, b] = matrix[b, a]"]
        return text, self._weighed, before, each, after

    def _in_words(self, S: np.ndarray, J: np.ndarray, text: ScalarText) -> tuple[list[str], list[str], list[str]]:
        """Each entry on a line of its own."""
        k, n = self._k, self._n
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
        return start, each, [f"matrix[{a}, {b}] = matrix_{a}_{b}" for a, b in pairs]

    def _in_loops(self, S: np.ndarray, J: np.ndarray, text: ScalarText) -> tuple[list[str], list[str], list[str]]:
        """Matrices of a step, and their products as loops: half of what is symmetric.

        What the state has no part in is added up where its variables are, and turned into directions at the end.
        """
        k, n, m = self._k, self._n, self._m
        rows = k if self._own else n
        halves = [(i, j, f"0.5 * {text.text(a, MULTIPLIED)}" if i == j else text.text(a)) for (i, j), a in _not_zero(S)]
        before = [f"S, J = np.zeros(({rows}, {n})), np.zeros(({k}, {n}))", *self._begun(),
                  f"after, turn = np.zeros(({k}, {m})), np.zeros(({rows}, {m}))"]  # fmt: skip
        each = [
            *_filled("J", J, text), *self._slices(), *[f"S[{i}, {j}] = {a}" for i, j, a in halves if i < rows],
            *[f"{self._own}[{self._place(i)}, {self._place(j)}] += {a}" for i, j, a in halves if i >= rows],
            *(self._multiplied(rows) if any(i < rows for i, _, _ in halves) else []),
            f"for i in range({k}):", *self._moved("after[i, a]", "J"), *self._carried("after"),
        ]  # fmt: skip
        after = ["for a in range(len(matrix)):", "    for b in range(a, len(matrix)):",
                 "        matrix[a, b] += matrix[b, a]"]  # fmt: skip
        if self._own == "own":
            before.append(f"own = np.zeros(({self._size}, {self._size}))")
            after = [
                f"for i in range({self._size}):", f"    for j in range({self._size}):", "        if own[i, j] != 0.0:",
                f"            for a in range({m}):", "                number = own[i, j] * directions[i, a]",
                f"                for b in range({m}):",
                "                    matrix[a, b] += number * directions[j, b]", *after,
            ]  # fmt: skip
        return before, each, after

    def _place(self, i: int) -> str:
        """Which variable a number of a step is."""
        known = self._n - self._moving
        return str(i) if i < known else f"places[t, {i - known}]"

    def _multiplied(self, rows: int) -> list[str]:
        """Lines that add rows of ``along`` times what they meet, some rows at a time: each writes the whole matrix."""
        lines = [f"for i in range({rows}):", *self._moved("turn[i, a]", "S")]
        for some in [range(i, min(i + ROWS_AT_ONCE, rows)) for i in range(0, rows, ROWS_AT_ONCE)]:
            met = " + ".join([f"number_{i} * turn[{i}, b]" for i in some])
            lines += [
                f"for a in range({self._m}):", *[f"    number_{i} = along[{i}, a]" for i in some],
                f"    for b in range({self._m}):", f"        matrix[a, b] += {met}",
            ]  # fmt: skip
        return lines


class StepNotFinite(Exception):
    """A number on the way is not finite."""


def compiled_step(step: StepProgram, loop: str, directions: int, size: int) -> dict[str, Callable[..., Any]]:
    """The functions of a loop, by what they are called, compiled by Numba; they raise StepNotFinite."""
    texts = NumbaStepSource(step, directions, size, is_checked=True).functions(loop)
    functions = loaded("\n\n\n".join(["\n".join(IMPORTS), *texts.values(), ""]))

    def called(name: str, *arguments: Any) -> Any:
        try:
            *found, total = functions[name](*arguments)
        except (ArithmeticError, ValueError) as error:
            raise StepNotFinite from error
        if not math.isfinite(total):
            raise StepNotFinite
        return found if len(found) > 1 else found[0]

    return {name: partial(called, name) for name in texts}


def _written(text: ScalarText, terms: list[tuple[Any, str]]) -> str:
    """The sum of some numbers, each times what has a name ("" for none); empty where all are 0."""
    kept = [(a, name) for a, name in terms if isinstance(a, Scalar) or a]
    return " + ".join(
        [f"{text.text(a, MULTIPLIED)} * {name}" if name else text.text(a, MULTIPLIED) for a, name in kept]
    )


def _filled(name: str, matrix: np.ndarray, text: ScalarText) -> list[str]:
    """Lines that write the entries that are not 0."""
    return [f"{name}[{i}, {j}] = {text.text(a)}" for (i, j), a in _not_zero(matrix)]
