"""The steps of a program on single numbers, as lines of Python that Numba reads too.

The idea to hold: a number that is used once stands in the line that uses it; one that is used again has a name.
Brackets keep the order of what rounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import _limits
from ._scalars import BINARY, FUNCTIONS, TRUTHS, Scalar, Steps

_ATOM, _SIGNED, MULTIPLIED = 9, 2, 3  # how tight they bind


class ScalarText:
    """Lines that compute some numbers.

    Parameters
    ----------
    steps, wanted, guards : all numbers, those to compute, and those that must be finite beside them
    dropped : those that were multiplied by 0, which must be finite too (default: all of the steps')

    Attributes
    ----------
    lines : the lines, in order
    checked : the numbers that are looked at: where they are finite, all are that must be, and the lines may be trusted
    """

    def __init__(self, steps: Steps, wanted: list[Any], guards: list[Any], dropped: Any = None) -> None:
        self.lines: list[str] = []
        results = _distinct([*wanted, *guards])
        dropped = list(steps.dropped.values() if dropped is None else dropped)
        self.live = sorted(_behind([*results, *dropped]), key=lambda a: a.number)
        self.checked = _telling(self.live, {a.number for a in (*results, *dropped)})
        self._uses = dict.fromkeys([a.number for a in self.live], 0)
        for a in (*self.checked, *results):  # they are returned, and looked at
            self._uses[a.number] += 1
        for a in self.live:
            for b in a.args:
                if isinstance(b, Scalar):
                    self._uses[b.number] += 1 if a.op in BINARY or a.op == "neg" else 2  # once in a text of one name
        for a in results:
            self._uses[a.number] += 1
        self._texts: dict[int, tuple[str, int]] = {}
        named = 0
        for a in self.live:
            text, tight = self._written(a)
            if a.op and (self._uses[a.number] > 1 or len(text) > _limits.SCALAR_LINE):
                self.lines.append(f"v{named} = {text}")
                text, tight = f"v{named}", _ATOM
                named += 1
            self._texts[a.number] = text, tight

    @property
    def cost(self) -> int:
        """The steps, a function as some."""
        return sum([1 if a.op in BINARY or a.op in ("neg", "") else 3 for a in self.live])

    def text(self, a: Any, least: int = 0) -> str:
        """A number as an expression; in brackets if it binds less tightly."""
        if not isinstance(a, Scalar):
            if isinstance(a, bool):
                return repr(a)
            written = repr(float(a)) if math.isfinite(a) else f"float('{a}')"
            return f"({written})" if written.startswith("-") and least > _SIGNED else written
        text, tight = self._texts[a.number]
        return text if tight >= least else f"({text})"

    def _written(self, a: Scalar) -> tuple[str, int]:
        if not a.op:
            return a.name, _ATOM
        if a.op == "neg":
            return f"-{self.text(a.args[0], 4)}", _SIGNED
        if a.op in BINARY:
            form, tight, _ = BINARY[a.op]
            first, second = a.args
            left = self.text(first, tight if isinstance(first, Scalar) else 0)
            right = self.text(second, tight + 1)
            if a.op in "+-" and right.startswith("-"):
                form, right = BINARY["-" if a.op == "+" else "+"][0], right[1:]  # a + -2 * b is a - 2 * b
            return form.format(left, right), tight
        form = self.form_of(a.op)
        least = 0 if form.startswith(("math.", "np.")) else _ATOM
        return form.format(*[self.text(b, least) for b in a.args]), _ATOM

    def form_of(self, op: str) -> str:
        """A function's text, with places for what it is of."""
        return (FUNCTIONS.get(op) or TRUTHS[op])[0]

    def finite(self) -> list[str]:
        """Lines after which ``finite`` is finite if all numbers that must be are: a sum of them."""
        texts = [self.text(a, 2) for a in self.checked] or ["0.0"]
        width = _limits.SCALAR_SUM
        lines = ["finite = " + " + ".join(texts[:width])]
        return lines + [f"finite += {' + '.join(texts[k : k + width])}" for k in range(width, len(texts), width)]


def without(numbers: Iterable[Scalar], names: Iterable[str]) -> list[Scalar]:
    """Those of the numbers that do not rest on inputs of these names."""
    names = set(names)
    return [a for a in numbers if not any(not b.op and b.name in names for b in _behind([a]))]


def _distinct(numbers: list[Any]) -> list[Scalar]:
    return list({a.number: a for a in numbers if isinstance(a, Scalar)}.values())


def _behind(numbers: Iterable[Scalar]) -> set[Scalar]:
    """These numbers and all that they are made of."""
    todo, seen = list(numbers), set()
    while todo:
        a = todo.pop()
        if a not in seen:
            seen.add(a)
            todo += [b for b in a.args if isinstance(b, Scalar)]
    return seen


_PASSING_ON = frozenset({
    "+", "-", "neg", "*", "abs", "hypot", "sqrt", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh",
    "asin", "acos", "asinh", "acosh", "atanh",
})  # fmt: skip
"""Operations that have no finite result where an operand is not finite; of a quotient, this is the numerator."""


def _telling(live: list[Scalar], needed: set[int]) -> list[Scalar]:
    """Of the numbers that must be finite those that are not seen to be where others are, which rest on them."""
    found, seen = [], set()
    for a in reversed(live):
        if a.number in needed and a.number not in seen:
            found.append(a)
            seen.add(a.number)
        if a.number in seen:
            passing = a.args if a.op in _PASSING_ON else a.args[:1] if a.op == "/" else ()
            seen |= {b.number for b in passing if isinstance(b, Scalar)}
    return found[::-1]


def entry_names(name: str, shape: tuple[int, ...]) -> Any:
    """The names of an array's entries, in its shape."""
    names = [name if not shape else "_".join([name, *map(str, place)]) for place in np.ndindex(*shape)]
    return np.array(names, dtype=object).reshape(shape)
