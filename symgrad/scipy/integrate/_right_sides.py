"""A right side's derivatives at numbers, by one program: what the equations of the sensitivities are made of.

The idea to hold: of ``φ = w · f(t, y, p)``, the gradient in the weights w is f, the mixed second derivatives are all of
``∂f/∂(y, p)``, and the others are the second derivatives of f that the weights pick. So one program gives them all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize as _optimize

from ..._array._protocols import carried, unpacked
from ..._limits import PROGRAMMED, SENSITIVE
from ...core import Tensor, wrap
from ...transforms._compile import compile as _compile
from ...transforms._derivative import jacobian as _jacobian


class Program:
    """Outputs of a function of arrays, by a program that is made after `PROGRAMMED` calls; None without one.

    Until then, and where there is no program (a branch on a value, a number that is not finite), the caller has the
    tape.
    """

    def __init__(self, function: Callable[..., Any], outputs: str, argnums: tuple[int, ...]) -> None:
        self._compiled = _compile(function, outputs, argnums=argnums)
        self._calls = 0
        self._made: Any = None

    def __call__(self, *arrays: np.ndarray) -> Any:
        """The outputs in alphabetical order: a gradient by its parts, a matrix of all the arguments behind another."""
        self._calls += 1
        if self._calls == PROGRAMMED:
            try:
                self._compiled(*arrays)  # which compares it with the tape
                self._made = self._compiled._find(arrays, {})[0]
            except Exception:  # whatever is the matter with the function, the tape runs it, and says what
                self._made = None
        if self._made is None or self._made.program.refused:
            return None
        try:
            return self._made.program.run(self._made.values(list(arrays)))
        except np.linalg.LinAlgError:  # what the tape says in the user's words
            return None


class Derivatives:
    """Values and derivatives of ``f(t, y, leaves)`` at numbers, N of them in (y, leaves); None where the tape is."""

    def __init__(self, tensors: Callable[..., Any], n: int) -> None:
        self.tensors, self._n = tensors, n
        self._program: Program | None = None

    def _made(self, count: int) -> Program:
        def weighed(t: Any, weights: Any, y: Any, *leaves: Any) -> Any:
            slope = self.tensors(unpacked(t), unpacked(y), tuple(map(unpacked, leaves)))
            return carried((slope.reshape((-1,)) * unpacked(weights)).sum())

        return Program(weighed, "gh", tuple(range(1, 3 + count)))

    def _at(self, t: float, weights: np.ndarray, y: np.ndarray, leaves: tuple[Any, ...]) -> Any:
        if self._program is None:
            if 2 * self._n + sum(v.size for v in leaves) > SENSITIVE:
                return None
            self._program = self._made(len(leaves))
        return self._program(np.asarray(float(t)), weights, y, *map(np.asarray, leaves))

    def first(self, t: float, y: np.ndarray, leaves: tuple[Any, ...]) -> Any:
        """``f`` (n,) and its Jacobian (n, N)."""
        found = self._at(t, np.ones(self._n), y, leaves)
        if found is None:
            return None
        (f, *_), second = found
        return np.reshape(f, -1), second[: self._n, self._n :]

    def second(self, t: float, y: np.ndarray, leaves: tuple[Any, ...]) -> Any:
        """The same, and the second derivatives (n, N, N)."""
        parts = []
        for weights in np.eye(self._n):
            found = self._at(t, weights, y, leaves)
            if found is None:
                return None
            parts.append(found)
        (f, *_), second = parts[0]
        bent = np.stack([h[self._n :, self._n :] for _, h in parts])
        return np.reshape(f, -1), second[: self._n, self._n :], bent


class Values:
    """``f(t, y, leaves)`` at numbers, by a program of f itself; None where the tape is."""

    def __init__(self, tensors: Callable[..., Any]) -> None:
        def weighed(t: Any, weights: Any, y: Any, *leaves: Any) -> Any:
            y, *given = map(_tensor, (y, *leaves))
            return carried((tensors(unpacked(t), y, tuple(given)).reshape((-1,)) * unpacked(weights)).sum())

        self._program = Program(weighed, "g", (1,))

    def __call__(self, t: float, y: np.ndarray, leaves: tuple[Any, ...]) -> Any:
        found = self._program(np.asarray(float(t)), np.ones(len(y)), y, *map(np.asarray, leaves))
        return None if found is None else np.reshape(found[0][0] if isinstance(found[0], tuple) else found[0], -1)


class Jacobian:
    """``∂f/∂y`` (n, n) of ``f(t, y, leaves)`` at numbers, or (n, N) of all of y and the leaves, for Newton's method.

    Where it is not finite, as that of √y at 0, what stands for it is finite: a difference in y, nothing in the leaves.
    LSODA goes on without a word where it raises: whoever has called LSODA asks `expect_whole`.
    """

    _error: Exception | None = None

    def __init__(self, system: Any, leaves: tuple[np.ndarray, ...], of_leaves: bool = False) -> None:
        def slope(t: Any, y: Any, *leaves: Any) -> Any:
            return carried(system.tensors(unpacked(t), unpacked(y), tuple(map(unpacked, leaves))).reshape((-1,)))

        self._system, self._leaves = system, tuple(map(np.asarray, leaves))
        self._of = _jacobian(slope, argnums=tuple(range(1, 2 + (len(leaves) if of_leaves else 0))))

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        try:
            return self._at(t, np.asarray(y))
        except Exception as error:
            self._error = self._error or error
            raise

    def expect_whole(self) -> None:
        """Raise the first error that it has raised."""
        if self._error is not None:
            raise self._error

    def _at(self, t: float, y: np.ndarray) -> np.ndarray:
        found = self._of(np.asarray(float(t)), y, *self._leaves)
        J = np.concatenate([np.reshape(part, (len(y), -1)) for part in found], -1)
        if not np.isfinite(J).all():
            numbers = self._system.numbers
            J[:, : len(y)] = _optimize.approx_fprime(y, lambda y: np.reshape(numbers(t, y, self._leaves), -1))
            J[~np.isfinite(J)] = 0.0
        return J


def _tensor(value: Any) -> Any:
    value = unpacked(value)
    return value if isinstance(value, Tensor) else wrap(np.asarray(value))


__all__ = ["Derivatives", "Jacobian", "Program", "Values"]
