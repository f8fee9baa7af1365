"""The functions of a loop's step as scans: what JAX runs them by.

The idea to hold: a scan whose steps touch few bytes is one machine loop, where an array that is written between two
loops is a pass through memory. So each function goes from step to step and computes again what a step's derivatives are
of, but for functions, which take longer than memory: these, and the states, are written down, a column for each number.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .. import _limits
from ._scalar_text import MULTIPLIED, without
from ._scalars import FUNCTIONS, Scalar
from ._step_program import ArrayText, StepProgram
from ._variable_names import WORD


class StepScans:
    """The source of one step's functions.

    Parameters
    ----------
    step : the step
    moving : which of the numbers of the first state and from outside move with the arguments: tangents are in these
    """

    def __init__(self, step: StepProgram, moving: list[int]) -> None:
        self._step, self._moving, self._k = step, moving, step.sizes.state
        self._pulled = step.form.outputs["g"][1].numbers.reshape(-1).tolist()
        values = self._text(step.numbers["values"][:, 0].tolist())
        wanted = [*self._pulled, *step.numbers["jacobian"].reshape(-1), *step.numbers["second"].reshape(-1)]
        used = {a.number for a in self._text(wanted).live}
        saved = [a for a in values.live if a.number in used and (a.op in FUNCTIONS or a.op == "/")]
        still = without(saved, [*step.point[: self._k], *step.slice])  # the same in every step
        self._saved = [a for a in saved if a not in still]
        self._known = {a.number: f"states[{self._k + i}]" for i, a in enumerate(self._saved)}
        given = {"states": step.point[: self._k], "outer": step.point[self._k :], "row": step.slice,
                 "weights": step.weights}  # fmt: skip
        self._given = {old: f"{word}[{i}]" for word, names in given.items() for i, old in enumerate(names)}
        n = len(moving)
        self._is_small = n * (n + self._k) <= _limits.SCAN_CARRIED
        words = {"states": "state", "outer": "used", "row": "x", "weights": "weight"}
        self._names = {old: f"{words[word]}_{i}" for word, names in given.items() for i, old in enumerate(names)}

    def run(self, name: str) -> str:
        """A function that takes a state through all steps: the states before them with what functions are there, and
        what each step gives."""
        k, values = self._k, self._step.numbers["values"][:, 0].tolist()
        known = k + len(self._saved)
        text = self._text([*values, *self._saved])
        each = [f"found = {_numbers(text, values)}", f"saved = {_numbers(text, self._saved)}" if self._saved else "",
                f"return found[:{k}], (*states, {'*saved, ' if self._saved else ''}*found)"]  # fmt: skip
        each = list(filter(None, each))
        return self._function(f"{name}(first, outer, rows)", "states, row", [], text, each, [
            "columns = jax.lax.scan(step, tuple(first), rows)[1]",
            f"return columns[:{known}], jnp.stack(columns[{known}:], -1)",
        ], weighed=False)  # fmt: skip

    def pulled(self, name: str) -> str:
        """A function that returns the gradient of the values times g in the first state and in what is used from
        outside, and the weights of what each step gives."""
        k, outer = self._k, self._pulled[self._k :]
        text = self._text(self._pulled if self._is_small else self._pulled[:k], self._known)
        weights = [f"g[{i}]{f' + back[{i}]' if i < k else ''}" for i in range(len(self._step.weights))]
        taken = ["back, total = carry", "states, row, g = given", f"weights = {_tuple(weights)}"]
        wanted = [a for a in outer if _counts(a)]
        adds = self._is_small and len(wanted) > 0
        each = [f"total = total + {_array(text, wanted)}"] if adds else []
        each.append(f"return ({_numbers(text, self._pulled[:k])}, total), weights")
        start = f"{_tuple(['jnp.zeros((), dtype)'] * k)}, jnp.zeros({len(wanted)}, dtype)"
        after = [f"(back, total), weights = jax.lax.scan(step, ({start}), (states, rows, g), reverse=True)"]
        if not self._is_small and wanted:
            rest = self._text(outer, self._known)
            after += self._columns(rest, [f"total = {_sums(rest, wanted)}"])
        places = [j for j, a in enumerate(outer, k) if _counts(a)]
        row = [f"back[{i}]" for i in range(k)] + ["0.0"] * len(outer)
        for i, j in enumerate(places):
            row[j] = f"total[{i}]"
        after.append(f"return jnp.array([{', '.join(row)}], dtype), weights")
        return self._function(f"{name}(g, states, outer, rows)", "carry, given", taken, text, each, after)

    def moved(self, name: str) -> str:
        """A function that returns how the values move with what moves: (steps, values, n)."""
        J = self._step.numbers["jacobian"]
        text = self._text([*J[:, : self._k].reshape(-1), *J[:, self._moving].reshape(-1)], self._known)
        each = [f"moved = {_tuple(self._tangents(J, text))}", f"return moved[:{self._k}], jnp.stack(moved)"]
        return self._function(f"{name}(states, outer, rows)", "along, given", ["states, row = given"], text, each, [
            f"return jax.lax.scan(step, {self._start()}, (states, rows))[1]",
        ], weighed=False)  # fmt: skip

    def bent(self, name: str) -> str:
        """A function that returns the second derivatives of all values, weighed, in what moves: (n, n)."""
        k, n, J = self._k, len(self._moving), self._step.numbers["jacobian"][: self._k]
        S = np.triu(self._step.numbers["second"])
        S[:k, k:] = self._step.numbers["second"][:k, k:]  # half of it: each entry and its mirror image once
        wanted = [*J[:, :k].reshape(-1), *J[:, self._moving].reshape(-1), *S.reshape(-1)]
        text = self._text(wanted, self._known)
        start, taken = self._start(), ["along, total = carry", "states, row, weights = given"]
        own = [(i, j) for i, p in enumerate(self._moving) for j, q in enumerate(self._moving[i:], i)
               if p >= k and _counts(S[p, q])]  # fmt: skip
        head = f"{name}(states, outer, rows, weights)"
        if not self._is_small:
            rest = self._text([*S[:k].reshape(-1), *S[k:, k:].reshape(-1)], self._known)
            scan = f"_, along = jax.lax.scan(step, {start}, (states, rows, weights))"
            each = [f"return {_tuple(self._tangents(J, text))}, along"]
            after = [scan, *self._columns(rest, self._products(S, rest, own)), "return total + total.T"]
            return self._function(head, "along, given", taken[1:], text, each, after)
        each = []
        for i in range(k):
            bent = self._combined(S[i], text, i)
            each += [f"total = total + along[{i}][:, None] * ({bent})"] if bent else []
        if own:
            rows = [", ".join([_halved(text, S[p, q], p == q) if (i, j) in own else "0.0"
                               for j, q in enumerate(self._moving)]) for i, p in enumerate(self._moving)]  # fmt: skip
            each.append(f"total = total + jnp.array([{', '.join([f'[{row}]' for row in rows])}], dtype)")
        each.append(f"return ({_tuple(self._tangents(J, text))}, total), None")
        return self._function(head, "carry, given", taken, text, each, [
            f"start = {start}, jnp.zeros(({n}, {n}), dtype)",
            "(_, total), _ = jax.lax.scan(step, start, (states, rows, weights))",
            "return total + total.T",
        ])  # fmt: skip

    def _products(self, S: np.ndarray, text: ArrayText, own: list[tuple[int, int]]) -> list[str]:
        """Lines that add up second derivatives of all steps: products of matrices, each with a row for each step."""
        k, n = self._k, len(self._moving)
        lines = [f"total = jnp.zeros(({n}, {n}), dtype)"]
        for i in range(k):
            lines += [f"total = total + ({_halved(text, S[i, j], i == j, MULTIPLIED)} * along[{i}].T) @ along[{j}]"
                      for j in range(i, k) if _counts(S[i, j])]  # fmt: skip
            beside = [S[i, p] if p >= k else 0.0 for p in self._moving]
            lines += [f"total = total + along[{i}].T @ {_stack(text, beside)}.T"] if any(map(_counts, beside)) else []
        if own:
            rows, columns = [i for i, _ in own], [j for _, j in own]
            halves = [0.5 if i == j else 1.0 for i, j in own]
            sums = _sums(text, [S[self._moving[i], self._moving[j]] for i, j in own])
            lines.append(
                f"total = total.at[jnp.array({rows}), jnp.array({columns})].add(jnp.array({halves}, dtype) * {sums})"
            )
        return lines

    # -------------------------------------------------------------------------------------------------------- parts

    def _text(self, numbers: list[Any], known: dict[int, str] | None = None) -> ArrayText:
        return ArrayText(self._step.form.steps, numbers, [], (), known)

    def _combined(self, row: np.ndarray, text: ArrayText, half: int = -1) -> str:
        """A row of derivatives times the tangents of the state and of what is used; "" where it is 0."""
        terms = [f"{_halved(text, a, j == half, MULTIPLIED)} * along[{j}]"
                 for j, a in enumerate(row[: self._k]) if _counts(a)]  # fmt: skip
        beside = [row[j] if j >= self._k else 0.0 for j in self._moving]
        return " + ".join([*terms, *([_array(text, beside)] if any(map(_counts, beside)) else [])])

    def _tangents(self, J: np.ndarray, text: ArrayText) -> list[str]:
        """How the values with these Jacobians move."""
        return [self._combined(row, text) or f"jnp.zeros({len(self._moving)}, dtype)" for row in J]

    def _start(self) -> str:
        """How the first state moves."""
        n = len(self._moving)
        rows = [f"jnp.eye({n}, dtype=dtype)[{self._moving.index(i)}]" if i in self._moving else f"jnp.zeros({n}, dtype)"
                for i in range(self._k)]  # fmt: skip
        return _tuple(rows)

    def _columns(self, text: ArrayText, each: list[str]) -> list[str]:
        """Lines that compute on all steps at once."""
        first = "row, zero = rows.T, jnp.zeros(len(rows), dtype)"
        return [first, *self._named(text, each, {}), *text.lines, *each]

    def _named(self, text: ArrayText, each: list[str], instead: dict[str, str]) -> list[str]:
        """Lines that take what others mention of a step."""
        words = set(WORD.findall("\n".join([*text.lines, *each])))
        return [f"{old} = {instead.get(place.split('[')[0], place)}" for old, place in self._given.items()
                if old in words and not place.startswith("outer")]  # fmt: skip

    def _outside(self, lines: list[str]) -> list[str]:
        """Lines that take what others mention of what is used from outside."""
        words = set(WORD.findall("\n".join(lines)))
        return [f"{old} = {place}" for old, place in self._given.items() if old in words and place.startswith("outer")]

    def _apart(self, lines: list[str]) -> tuple[list[str], list[str]]:
        """Lines that are the same in every step, and the others."""
        moving = {old for old, place in self._given.items() if not place.startswith("outer")} | {"states"}
        found: tuple[list[str], list[str]] = [], []
        for line in lines:
            name, text = line.split(" = ", 1)
            moves = not moving.isdisjoint(WORD.findall(text))
            moving |= {name} if moves else set()
            found[moves].append(line)
        return found

    def _function(
        self, head: str, given: str, taken: list[str], text: ArrayText, each: list[str], after: list[str],
        weighed: bool = True,
    ) -> str:  # fmt: skip
        """A function whose ``step`` has lines that take what it is given, compute, and return."""
        instead = {} if weighed else {"weights": "1.0"}
        still, inside = self._apart(text.lines)
        outside = [*self._outside([*text.lines, *each, *after]), *still]
        lines = [
            f"def {head}:",
            *_in(["dtype = outer.dtype", *outside, "", f"def step({given}):"]),
            *_in(_in([*taken, *self._named(text, each, instead), *inside, *each])),
            *_in(["", *after]),
        ]
        source = re.sub(r"\bnp\.", "jnp.", "\n".join(lines))
        return WORD.sub(lambda m: self._names.get(m.group(), m.group()), source)


def _counts(a: Any) -> bool:
    """Whether a number is other than 0."""
    return isinstance(a, Scalar) or bool(a)


def _halved(text: ArrayText, a: Any, is_half: bool, least: int = 0) -> str:
    """A number as text, or half of it."""
    return f"0.5 * {text.text(a, MULTIPLIED)}" if is_half and _counts(a) else text.text(a, least)


def _numbers(text: ArrayText, numbers: list[Any]) -> str:
    """A tuple of numbers as arrays of no axes."""
    return _tuple([f"jnp.asarray({text.text(a)}, dtype)" for a in numbers])


def _array(text: ArrayText, numbers: list[Any]) -> str:
    return f"jnp.array([{', '.join([text.text(a) for a in numbers])}], dtype)"


def _stack(text: ArrayText, numbers: list[Any]) -> str:
    """Rows of numbers, with an entry for each step."""
    return f"jnp.stack([{', '.join([f'zero + {text.text(a, 2)}' for a in numbers])}])"


def _sums(text: ArrayText, numbers: list[Any]) -> str:
    return f"{_stack(text, numbers)}.sum(-1)"


def _tuple(texts: list[str]) -> str:
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def _in(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


__all__ = ["StepScans"]
