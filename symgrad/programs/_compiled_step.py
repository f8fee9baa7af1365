"""The loop over the steps of a program as source: run, tangents, gradients and second derivatives, each a ``for``.

The idea to hold: every function goes from step to step and computes again what a step's derivatives are of, on single
numbers; only what the next function asks for is written down.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from .. import _limits
from ._numba_files import loaded
from ._scalar_form import IMPORTS, NUMBA, ScalarForm
from ._scalar_text import MULTIPLIED, ScalarText, without
from ._scalars import Scalar
from ._step_program import Sizes, split_point


class StepSource:
    """The functions of a step's loop as text.

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
        self._values, self._pulled = gradient[0].tolist(), gradient[1].tolist()
        matrix = form.outputs["h"][0].numbers.reshape(2 * (self._rows + self._n,))
        self._jacobian, self._second = matrix[: self._rows, self._rows :], matrix[self._rows :, self._rows :]

    def text(self) -> str:
        """All four functions."""
        every = {"run": self.run, "moved": self.moved, "pulled": self.pulled, "bent": self.bent}
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

    def moved(self) -> tuple[str, list[str], list[str], list[str]]:
        """How the values move, into ``moved``, (steps, values, m): in directions, or where no slices are
        differentiated in the variables themselves."""
        steps = self._form.steps
        text = ScalarText(
            steps, list(self._jacobian.reshape(-1)), self._form.guards, without(steps.dropped.values(), self._weights)
        )
        before, each = (self._moved_along if self._moving else self._moved_in_loops)(text)
        given = [*self._given(), *self._before(), *text.lines, *text.finite(), "total += finite"]
        return "first, outer, rows, places, values, directions, moved", before, [*given, *each], []

    def _moved_in_loops(self, text: ScalarText) -> tuple[list[str], list[str]]:
        """In the variables themselves, of which those from outside are the same in each step."""
        k, n, rows = self._sizes.state, self._n, self._rows
        before = [f"J = np.zeros(({rows}, {n}))", *self._identity(), "for t in range(len(values)):"]
        each = [
            *_filled("J", self._jacobian, text),
            f"for i in range({rows}):", f"    for a in range({n}):",
            f"        moved[t, i, a] = J[i, a] if a >= {k} else 0.0",
            *_turned("moved[t, i, a]", "J", k, n),
            f"along[:] = moved[t, :{k}]",
        ]  # fmt: skip
        return before, each

    def _identity(self) -> list[str]:
        k = self._sizes.state
        return [f"along = np.zeros(({k}, {self._n}))", f"for i in range({k}):", "    along[i, i] = 1.0"]

    def _moved_along(self, text: ScalarText) -> tuple[list[str], list[str]]:
        """In directions of all variables, those of the slices among them."""
        n, rows = self._n, self._rows
        before = [f"J = np.zeros(({rows}, {n}))", *self._start(), "for t in range(len(values)):"]
        each = [
            *_filled("J", self._jacobian, text), *self._slices(),
            f"for i in range({rows}):", f"    for a in range({self._m}):", "        moved[t, i, a] = 0.0",
            *_turned("moved[t, i, a]", "J", n, self._m), *self._carried("moved[t]"),
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

    def pulled(self) -> tuple[str, list[str], list[str], list[str]]:
        """The gradient in the variables of all values times g, into ``row``; what arrives at each, into ``weights``."""
        k, known = self._sizes.state, self._n - self._moving
        text = ScalarText(self._form.steps, self._pulled, self._form.guards)
        back = [f"arrived_{i}" for i in range(k)]
        arrived = [f"weights[t, {i}] = g[t, {i}]" + (f" + {back[i]}" if i < k else "") for i in range(self._rows)]
        found = [text.text(a) for a in self._pulled]
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

    def bent(self) -> tuple[str, list[str], list[str], list[str]]:
        """The second derivatives of all values times g, by the weights, into ``matrix``: along directions, or where no
        slices are differentiated in the variables themselves.

        How the state moves with the variables is found on the way again: it costs less than to be read.
        """
        k, S = self._sizes.state, self._second.copy()
        S[k:, k:] = np.triu(S[k:, k:])
        J = self._jacobian[:k]
        wanted = np.concatenate([S[:k].reshape(-1), S[k:, k:].reshape(-1), J.reshape(-1)])
        text = ScalarText(self._form.steps, list(wanted), self._form.guards)
        given = [*self._given("weights[t, {}]"), *self._before(), *text.lines, *text.finite(), "total += finite"]
        unrolled = self._sizes.state * self._n**2 <= _limits.LOOP_UNROLLED
        in_loops = self._bent_in_words if unrolled else self._bent_in_loops
        way = self._bent_along if self._moving else in_loops
        before, each, after = way(S, J, text)
        after += ["for a in range(len(matrix)):", "    for b in range(a):", "        matrix[a, b] = matrix[b, a]"]
        return "first, outer, rows, places, values, weights, directions, matrix", before, [*given, *each], after

    def _bent_in_words(self, S: np.ndarray, J: np.ndarray, text: ScalarText) -> tuple[list[str], list[str], list[str]]:
        """Each entry on a line of its own."""
        k, n = self._sizes.state, self._n
        written = partial(_written, text)
        pairs = [(a, b) for a in range(n) for b in range(a, n)]
        each = [
            f"bent_{i}_{b} = {total}"
            for i in range(k) for b in range(n)
            if (total := written([*[(S[i, j], f"along_{j}_{b}") for j in range(k)], *[(S[i, b], "")][: b >= k]]))
        ]  # fmt: skip
        known = {line.split(" = ")[0] for line in each}
        for a, b in pairs:
            parts = [f"along_{i}_{a} * bent_{i}_{b}" for i in range(k) if f"bent_{i}_{b}" in known]
            own = [(S[a, b], "")] + [(S[j, a], f"along_{j}_{b}") for j in range(k)] if a >= k else []
            parts += [total] if (total := written(own)) else []
            each += [f"matrix_{a}_{b} += {' + '.join(parts)}"] if parts else []
        moved = [[written([*[(J[i, j], f"along_{j}_{a}") for j in range(k)], *[(J[i, a], "")][: a >= k]]) or "0.0"
                  for a in range(n)] for i in range(k)]  # fmt: skip
        names = [f"along_{i}_{a}" for i in range(k) for a in range(n)]
        if names:
            each.append(f"{', '.join(names)} = {', '.join([m for row in moved for m in row])}")
        start = [f"along_{i}_{a} = {float(i == a)}" for i in range(k) for a in range(n)]
        start += [f"matrix_{a}_{b} = 0.0" for a, b in pairs]
        return [*start, "for t in range(len(values)):"], each, [f"matrix[{a}, {b}] = matrix_{a}_{b}" for a, b in pairs]

    def _bent_in_loops(self, S: np.ndarray, J: np.ndarray, text: ScalarText) -> tuple[list[str], list[str], list[str]]:
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

    def _bent_along(self, S: np.ndarray, J: np.ndarray, text: ScalarText) -> tuple[list[str], list[str], list[str]]:
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
        self._functions = loaded("\n".join([*IMPORTS, "", "", StepSource(form, sizes, directions).text(), ""]))

    def _called(self, name: str, *arguments: Any) -> bool:
        try:
            return math.isfinite(self._functions[name](*arguments))
        except (ArithmeticError, ValueError):
            return False

    def run(self, first: np.ndarray, outer: np.ndarray, rows: np.ndarray, places: np.ndarray) -> np.ndarray | None:
        """What the steps give, (steps, state + collected)."""
        values = np.empty((len(rows), self._count))
        return values if self._called("run", first, outer, rows, places, values) else None

    def moved(self, course: Any, directions: np.ndarray) -> np.ndarray | None:
        """How all values move in some directions of the variables, (n, m): (steps, state + collected, m)."""
        directions = np.ascontiguousarray(directions)
        moved = np.empty((*course.values.shape, directions.shape[bool(self.sizes.moving)]))
        if not self._called("moved", *course.given, course.values, directions, moved):
            return None
        return moved if self.sizes.moving else moved @ directions

    def pulled(self, course: Any, g: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """The gradient in the variables of all values times ``g``, and the weights of what each step gives."""
        weights, row = np.empty(g.shape), np.zeros(course.size)
        return (row, weights) if self._called("pulled", g, *course.given, course.values, weights, row) else None

    def bent(self, course: Any, weights: np.ndarray, directions: np.ndarray) -> np.ndarray | None:
        """The second derivatives along directions of the variables, (n, m), of what the weights pick: (m, m)."""
        directions = np.ascontiguousarray(directions)
        matrix = np.zeros((directions.shape[bool(self.sizes.moving)],) * 2)
        if not self._called("bent", *course.given, course.values, weights, directions, matrix):
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


def _not_zero(matrix: np.ndarray) -> list[Any]:
    return [(place, a) for place, a in np.ndenumerate(matrix) if isinstance(a, Scalar) or a]


def _written(text: ScalarText, terms: list[tuple[Any, str]]) -> str:
    """The sum of some numbers, each times what has a name ("" for none); empty where all are 0."""
    kept = [(a, name) for a, name in terms if isinstance(a, Scalar) or a]
    return " + ".join(
        [f"{text.text(a, MULTIPLIED)} * {name}" if name else text.text(a, MULTIPLIED) for a, name in kept]
    )


def _filled(name: str, matrix: np.ndarray, text: ScalarText) -> list[str]:
    """Lines that write the entries that are not 0."""
    return [f"{name}[{i}, {j}] = {text.text(a)}" for (i, j), a in _not_zero(matrix)]


__all__ = ["CompiledStep", "StepSource"]
