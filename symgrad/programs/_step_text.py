"""The functions of a loop's step as source, in NumPy's words.

The idea to hold: what runs from step to step is on single numbers; the derivatives of all steps are the same lines on
columns, an entry for each step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._scalar_text import ScalarText
from ._scalars import Scalar
from ._step_program import ArrayText, StepProgram, TensorText
from ._variable_names import WORD


class StepText:
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


__all__ = ["StepText"]
