"""Solutions of differential equations, differentiated by their sensitivities.

The idea to hold: the derivatives S of a solution in its start and parameters solve ``S' = J S + ∂f/∂p``, together with
the solution and by the same solver. The larger system is solved by the same operation, so that there is no last order.
A gradient that nobody differentiates again comes of the adjoint equation, where that is cheaper (`_backward_equation`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._array._protocols import is_known
from ..._limits import RESTART, SENSITIVE
from ...autograd import Function
from ...autograd import enable_grad as _enable_grad
from ...core import modes, wrap
from .._callbacks import rows, shaped, tracked
from ._backward_equation import gradient
from ._right_sides import Derivatives, Values


class Solver:
    """What solves an equation at given times, and those of its derivatives.

    Attributes
    ----------
    evaluations : of the right side, about
    course : what the derivatives are found along (`Course`); None where it is not known
    """

    evaluations: int = 100
    course: Any = None

    @property
    def of_derivatives(self) -> Solver:
        """What solves the equation of the derivatives."""
        return self

    def __call__(self, f: Any, times: np.ndarray, y0: np.ndarray) -> np.ndarray:
        """The states (T, n) at ``times[1:]``, of those at ``times[0]``."""
        raise NotImplementedError


class Known(Solver):
    """A solver whose states (T, n) are known."""

    def __init__(self, solve: Any, states: np.ndarray, evaluations: int = 100, course: Any = None) -> None:
        self._solve, self._states, self.evaluations, self.course = solve, states, evaluations, course
        self.dense, self.backwards = solve.dense, solve.backwards

    @property
    def of_derivatives(self) -> Any:
        return self._solve

    def __call__(self, f: Any, times: np.ndarray, y0: np.ndarray) -> np.ndarray:
        return self._states


class System:
    """A right side f(t, y, leaves), and its state's constant rest behind what the start varies."""

    def __init__(self, numbers: Callable[..., Any], tensors: Callable[..., Any]) -> None:
        self.numbers, self.tensors = numbers, tensors

    def with_sensitivities(self, n: int, columns: int, start: int) -> System:
        """The system of the n entries of y and, row by row, of their derivatives in ``columns`` numbers.

        The first ``start`` numbers are of the start, on which f depends by y alone; the others are the leaves.
        """
        return _Sensitivities(self, n, columns, start, Derivatives(self.tensors, n))


class _Sensitivities(System):
    """``S' = J S + ∂f/∂p`` behind ``y' = f``."""

    def __init__(self, of: System, n: int, columns: int, start: int, derivatives: Derivatives) -> None:
        self.of, self.n, self.columns, self.start, self._derivatives = of, n, columns, start, derivatives
        self._values: Any = None

    def with_sensitivities(self, n: int, columns: int, start: int) -> System:
        """Of second order by the derivatives of f itself, where they are in the same numbers."""
        if (columns, start) == (self.columns, self.start):
            return _SecondSensitivities(self, n, columns, start, self._derivatives)
        return super().with_sensitivities(n, columns, start)

    def tensors(self, t: Any, state: Any, leaves: tuple[Any, ...]) -> Any:
        n, columns, start = self.n, self.columns, self.start
        with _enable_grad():
            wanted = tracked([state[:n], *leaves])
            y = self.of.tensors(t, wanted[0], tuple(wanted[1:])).reshape((n,))
            J = rows(y, wanted)
            moved = J[:, :n] @ state[n:].reshape((n, columns))
            if columns > start:
                moved = moved + np.concatenate([np.zeros((n, start)), J[:, n:]], -1)
            return np.concatenate([y, moved.reshape((-1,))])

    def numbers(self, t: Any, state: Any, leaves: tuple[Any, ...]) -> Any:
        found = self._by_program(t, state, leaves)
        if found is None:
            return self.tensors(t, wrap(state), tuple(map(wrap, leaves))).detach().numpy()
        return found

    def _by_program(self, t: Any, state: Any, leaves: tuple[Any, ...]) -> Any:
        if 2 * self.n + sum(v.size for v in leaves) > SENSITIVE:
            self._values = self._values or Values(self.tensors)
            return self._values(t, state, leaves)
        known = self._derivatives.first(t, state[: self.n], leaves)
        return None if known is None else np.concatenate([known[0], self._moved(known[1], state[self.n :]).reshape(-1)])

    def _moved(self, J: np.ndarray, S: np.ndarray) -> np.ndarray:
        found = J[:, : self.n] @ S.reshape((self.n, self.columns))
        found[:, self.start :] += J[:, self.n :]
        return found


class _SecondSensitivities(_Sensitivities):
    """The sensitivities of y and S, which are the sensitivities again and second derivatives T (n, columns, columns).

    ``T' = J T + Vᵀ H V``, where H are the second derivatives of f in y and p, and V is S with an identity below.
    """

    def __init__(self, of: _Sensitivities, n: int, columns: int, start: int, derivatives: Derivatives) -> None:
        super().__init__(of, n, columns, start, Derivatives(of.tensors, n))
        self._first, self._own = of, derivatives

    def _by_program(self, t: Any, state: Any, leaves: tuple[Any, ...]) -> Any:
        n, c = self._first.n, self.columns
        known = self._own.second(t, state[:n], leaves)
        if known is None:
            return None
        f, J, H = known
        S, D, T = state[n : n + n * c], state[self.n : self.n + n * c], state[self.n + n * c :]
        below = np.eye(c)[self.start :]
        V, W = (np.concatenate([v.reshape(n, c), below]) for v in (S, D))  # the same, up to rounding
        bent = V.T @ (H @ W) + (J[:, :n] @ T.reshape(n, c * c)).reshape(n, c, c)
        return np.concatenate([f, *(v.reshape(-1) for v in (self._first._moved(J, S), self._first._moved(J, D), bent))])


class Trajectory(Function):
    """``apply(system, solve, rest, times, y0, *leaves)``: the states (T, n) at ``times[1:]``, of those at ``times[0]``.

    The state is y0 and ``rest``, which is constant.
    """

    @staticmethod
    def forward(ctx: Any, system: Any, solve: Any, rest: Any, times: Any, y0: Any, *leaves: Any) -> Any:
        numbers = tuple(v.detach().numpy() for v in leaves)
        start = np.concatenate([y0.detach().numpy(), rest])
        out = wrap(solve(lambda t, y: system.numbers(t, y, numbers), times.detach().numpy(), start))
        ctx.system, ctx.solve, ctx.rest, ctx.known, ctx.pulled = system, solve, rest, {}, 0
        ctx.save_for_backward(times, y0, *leaves, out)
        return out

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        times, y0, *leaves, _ = ctx.saved_tensors
        _, _, _, of_times, of_start, *_ = ctx.needs_input_grad
        start = y0.numel() if of_start else 0
        d_times = _of_times(ctx, g) if of_times else None
        if not start and not leaves:
            return None, None, None, d_times, None
        along = _along(ctx, times, y0.numel() + len(ctx.rest), start)
        if (
            along is None
            and not modes.grad_enabled()
            and _adjoint_is_cheaper(ctx, y0.numel() + len(ctx.rest), g.detach().numpy())
        ):
            whole = np.concatenate([y0.detach().numpy(), ctx.rest])
            flat = gradient(ctx.system, ctx.solve, times.detach().numpy(), whole, leaves, g.detach().numpy())
            if flat is not None:
                by_start = wrap(flat[:start]) if start else None
                return None, None, None, d_times, by_start, *shaped(wrap(flat[len(whole) :]), leaves)
        S = _sensitivities(ctx, times, y0, leaves, start, along)
        flat = (g.reshape((*g.shape, 1)) * S).sum((0, 1))
        return None, None, None, d_times, flat[:start] if start else None, *shaped(flat[start:], leaves)


def _adjoint_is_cheaper(ctx: Any, n: int, g: np.ndarray) -> bool:
    """Whether one more adjoint equation costs less than the sensitivities, which serve all cotangents that come."""
    ctx.pulled += 1
    once = ctx.solve.evaluations
    return bool(not ctx.known and ctx.pulled * (once + RESTART * g.any(1).sum()) <= once * n)


def _along(ctx: Any, times: Any, n: int, start: int) -> Any:
    """The derivatives' numbers (T, n, columns) along the solution, and what the next are found along; None without."""
    return None if ctx.solve.course is None else ctx.solve.course.along(n, start, times.detach().numpy()[1:])


def _sensitivities(ctx: Any, times: Any, y0: Any, leaves: list[Any], start: int, along: Any) -> Any:
    """The derivatives (T, n, columns) of the states; they are the same for every cotangent, and kept."""
    recorded = modes.grad_enabled()
    if not recorded and along is not None:
        return wrap(along[0])
    if (recorded, start) not in ctx.known:
        n = y0.numel() + len(ctx.rest)
        columns = start + sum(v.numel() for v in leaves)
        seed = np.zeros((n, columns))
        seed[:start, :start] = np.eye(start)
        rest = np.concatenate([ctx.rest, seed.reshape(-1)])
        system, solve = ctx.system.with_sensitivities(n, columns, start), ctx.solve.of_derivatives
        if along is not None:
            states = ctx.saved_tensors[-1].detach().numpy()
            solve = Known(solve, np.concatenate([states, along[0].reshape(len(states), -1)], 1), course=along[1])
        whole = Trajectory.apply(system, solve, rest, times, y0, *leaves)
        ctx.known[recorded, start] = whole[:, n:].reshape((-1, n, columns))
    return ctx.known[recorded, start]


def _of_times(ctx: Any, g: Any) -> Any:
    """The gradient in the times: the right side at each of the results. The first time is constant: `shifted`."""
    times, _, *leaves, out = ctx.saved_tensors
    slopes = [ctx.system.tensors(times[k + 1], out[k], tuple(leaves)).reshape((-1,)) for k in range(out.shape[0])]
    return np.concatenate([np.zeros(1), (g * np.stack(slopes)).sum(-1)])


def moment(t: Any) -> Any:
    """A time as an array of one, made of a copy: of what there is a view, it is not known to be a constant."""
    return t.clone().reshape((1,))


def shifted(system: System, first: Any, times: Any, leaves: list[Any]) -> tuple[System, Any, list[Any]]:
    """The same with the time since the start, if that is differentiated: it is then a parameter of the right side."""
    if is_known(first):
        return system, times, leaves
    start = times[0]
    return (
        System(
            lambda t, y, leaves: system.numbers(leaves[-1].item() + t, y, leaves[:-1]),
            lambda t, y, leaves: system.tensors(leaves[-1] + t, y, leaves[:-1]),
        ),
        times - start,
        [*leaves, start],
    )
