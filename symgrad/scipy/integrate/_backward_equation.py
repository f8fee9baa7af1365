"""The adjoint equation: one gradient of a solution, for the price of one more solution, whatever the parameters.

The idea to hold: with ``y' = f(t, y, p)``, the gradient λ in the state goes backwards by ``λ' = −(∂f/∂y)ᵀ λ`` and
collects that in the parameters, ``μ' = −(∂f/∂p)ᵀ λ``; at each time of the results their cotangent is added to λ. The
state comes of SciPy's dense output, and is not integrated backwards: what is stable forwards is not stable back.

Source: Y. Cao, S. Li, L. Petzold, R. Serban, Adjoint sensitivity analysis for differential-algebraic equations, SIAM J.
Sci. Comput. 24 (2003).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._array._protocols import carried, unpacked
from ..._errors import GradientError
from ...autograd import enable_grad as _enable_grad
from ...autograd import grad as _grad
from ...core import wrap
from .._callbacks import tracked
from ._right_sides import Jacobian, Program


class Unsolved(GradientError):
    """SciPy's solver has given up."""


State = Callable[[float], np.ndarray]


class _Pull:
    """``(∂f/∂y)ᵀ λ`` and, behind it, ``(∂f/∂p)ᵀ λ``, as one vector of numbers."""

    def __init__(self, system: Any, leaves: list[Any]) -> None:
        self._system, self._leaves = system, tracked([v.detach() for v in leaves])
        self._given = tuple(self._leaves)
        self.size = sum(v.numel() for v in leaves)
        self.numbers = tuple(v.detach().numpy() for v in leaves)

        def weighed(t: Any, y: Any, weights: Any, *leaves: Any) -> Any:
            slope = system.tensors(unpacked(t), unpacked(y), tuple(map(unpacked, leaves)))
            return carried((slope.reshape((-1,)) * unpacked(weights)).sum())

        self._program = Program(weighed, "g", (1, *range(3, 3 + len(leaves))))

    def __call__(self, t: float, state: np.ndarray, multiplier: np.ndarray) -> np.ndarray:
        found = self._program(np.asarray(float(t)), state, multiplier, *self.numbers)
        if found is None:
            return self._by_tape(t, state, multiplier)
        (parts,) = found
        return np.concatenate([np.reshape(d, -1) for d in (parts if isinstance(parts, tuple) else (parts,))])

    def _by_tape(self, t: float, state: np.ndarray, multiplier: np.ndarray) -> np.ndarray:
        with _enable_grad():
            y = wrap(state).requires_grad_()
            slope = self._system.tensors(t, y, self._given).reshape((-1,))
        out = np.zeros(len(state) + self.size)
        if not slope.requires_grad:
            return out
        at = 0
        for v, d in zip(
            (y, *self._leaves), _grad(slope, [y, *self._leaves], wrap(multiplier), allow_unused=True), strict=True
        ):
            if d is not None:
                out[at : at + v.numel()] = d.numpy().reshape(-1)
            at += v.numel()
        return out


def gradient(system: Any, solve: Any, times: np.ndarray, y0: np.ndarray, leaves: list[Any], g: np.ndarray) -> Any:
    """The gradient of ``(g * states).sum()`` in all of y0 and, behind it, in the leaves; g is (T, n).

    None where the equation is not solved: the state that it sees is SciPy's interpolant, whose slopes jump from step to
    step, and an implicit method of high order may not get across. The sensitivities see the state itself.
    """
    n, pull = len(y0), _Pull(system, leaves)
    z = np.zeros(n + pull.size)
    if not g.any():
        return z
    if not np.isfinite(g).all():  # what the sensitivities give too; SciPy's solvers refuse such a start
        return np.full_like(z, np.nan)
    J = Jacobian(system, pull.numbers, of_leaves=True)
    state: State = solve.dense(lambda t, y: system.numbers(t, y, pull.numbers), lambda t, y: J(t, y)[:, :n], times, y0)
    scale = np.abs(g).max()  # bounds of errors are for cotangents of size 1

    def backwards(t: float, z: np.ndarray) -> np.ndarray:
        return -pull(t, state(t), z[:n])

    def of_backwards(t: float, z: np.ndarray) -> np.ndarray:
        found = np.zeros((len(z), len(z)))
        found[:, :n] = -J(t, state(t)).T
        return found

    asked = np.flatnonzero(g.any(1))  # the others are no places to stop at
    for k, below in zip(asked[::-1], [*asked[-2::-1], -1], strict=True):
        z[:n] += g[k] / scale
        last, first = times[k + 1], times[below + 1]  # times are those of the start and then of the results
        if first != last:
            try:
                z = solve.backwards(backwards, of_backwards, last, first, z)
            except Unsolved:
                return None
    J.expect_whole()
    return z * scale


__all__ = ["gradient"]
