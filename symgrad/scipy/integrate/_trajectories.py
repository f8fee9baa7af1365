"""Solutions of differential equations: right sides' derivatives, sensitivities, and the adjoint equation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize as _optimize

from ..._array import is_known, to_arrays, to_tensors
from ..._errors import GradientError, refusal
from ..._limits import PROGRAMMED, RESTART, SENSITIVE
from ...autograd import Function
from ...autograd import enable_grad as _enable_grad
from ...core import modes, tensor_around, wrap
from ...transforms import jacobian as _jacobian
from ...transforms.compiled import compile as _compile
from .._mirrored import calls_again, numbers_in, pulled, rows, shaped, tracked

# -------------------------------------------------------------------------------------------------------------------
# A right side's derivatives at numbers, by one program: what the equations of the sensitivities are made of

# The idea to hold: of ``φ = w · f(t, y, p)``, the gradient in the weights w is f, the mixed second derivatives are all
# of ``∂f/∂(y, p)``, and the others are the second derivatives of f that the weights pick. So one program gives them
# all.


class RightSideProgram:
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
            refused = refusal.get()
            try:
                self._compiled(*arrays)  # which compares it with the tape
                self._made = self._compiled._find(arrays, {})[0]
            except Exception:  # whatever is the matter with the function, the tape runs it, and says what
                refusal.set(refused)
                self._made = None
        if self._made is None or self._made.program.refused:
            return None
        try:
            return self._made.program.run(self._made.values(list(arrays)))
        except np.linalg.LinAlgError:  # what the tape says in the user's words
            return None


def _slope(tensors: Callable[..., Any]) -> Callable[..., Any]:
    """A right side ``f(t, y, leaves)`` as a function of arrays, whose values are flat."""

    def slope(t: Any, *given: Any) -> Any:
        y, *leaves = [tensor_around(to_tensors(v)) for v in given]
        return to_arrays(tensors(to_tensors(t), y, tuple(leaves)).reshape((-1,)))

    return slope


def _weighed(tensors: Callable[..., Any]) -> Callable[..., Any]:
    """``w · f(t, y, leaves)`` as a function of arrays."""
    slope = _slope(tensors)
    return lambda t, weights, *given: (slope(t, *given) * weights).sum()


class Derivatives:
    """Values and derivatives of ``f(t, y, leaves)`` at numbers, N of them in (y, leaves); None where the tape is."""

    def __init__(self, tensors: Callable[..., Any], n: int) -> None:
        self.tensors, self._n = tensors, n
        self._program: RightSideProgram | None = None

    def _at(self, t: float, weights: np.ndarray, y: np.ndarray, leaves: tuple[Any, ...]) -> Any:
        if self._program is None:
            if 2 * self._n + sum(v.size for v in leaves) > SENSITIVE:
                return None
            self._program = RightSideProgram(_weighed(self.tensors), "gh", tuple(range(1, 3 + len(leaves))))
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


class RightSideValues:
    """``f(t, y, leaves)`` at numbers, by a program of f itself; None where the tape is."""

    def __init__(self, tensors: Callable[..., Any]) -> None:
        self._program = RightSideProgram(_weighed(tensors), "g", (1,))

    def __call__(self, t: float, y: np.ndarray, leaves: tuple[Any, ...]) -> Any:
        found = self._program(np.asarray(float(t)), np.ones(len(y)), y, *map(np.asarray, leaves))
        return None if found is None else np.reshape(found[0][0] if isinstance(found[0], tuple) else found[0], -1)


class RightSideJacobian:
    """``∂f/∂y`` (n, n) of ``f(t, y, leaves)`` at numbers, or (n, N) of all of y and the leaves, for Newton's method.

    Where it is not finite, as that of √y at 0, what stands for it is finite: a difference in y, nothing in the leaves.
    LSODA goes on without a word where it raises: whoever has called LSODA asks `expect_whole`.
    """

    _error: Exception | None = None

    def __init__(self, system: Any, leaves: tuple[np.ndarray, ...], of_leaves: bool = False) -> None:
        self._system, self._leaves = system, tuple(map(np.asarray, leaves))
        self._of = _jacobian(_slope(system.tensors), argnums=tuple(range(1, 2 + (len(leaves) if of_leaves else 0))))

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


# -------------------------------------------------------------------------------------------------------------------
# The adjoint equation: one gradient of a solution, for the price of one more solution, whatever the parameters

# The idea to hold: with ``y' = f(t, y, p)``, the gradient λ in the state goes backwards by ``λ' = −(∂f/∂y)ᵀ λ`` and
# collects that in the parameters, ``μ' = −(∂f/∂p)ᵀ λ``; at each time of the results their cotangent is added to λ. The
# state comes of SciPy's dense output, and is not integrated backwards: what is stable forwards is not stable back.
#
# Source: Y. Cao, S. Li, L. Petzold, R. Serban, Adjoint sensitivity analysis for differential-algebraic equations, SIAM
# J. Sci. Comput. 24 (2003).


class Unsolved(GradientError):
    """SciPy's solver has given up."""


State = Callable[[float], np.ndarray]


class _AdjointPull:
    """``(∂f/∂y)ᵀ λ`` and, behind it, ``(∂f/∂p)ᵀ λ``, as one vector of numbers."""

    def __init__(self, system: Any, leaves: list[Any]) -> None:
        self._system, self._leaves = system, tracked([v.detach() for v in leaves])
        self.size = sum(v.numel() for v in leaves)
        self.numbers = numbers_in(leaves)
        self._program = RightSideProgram(_weighed(system.tensors), "g", tuple(range(2, 3 + len(leaves))))

    def __call__(self, t: float, state: np.ndarray, multiplier: np.ndarray) -> np.ndarray:
        found = self._program(np.asarray(float(t)), multiplier, state, *self.numbers)
        if found is None:
            return self._by_tape(t, state, multiplier)
        (parts,) = found
        return np.concatenate(parts if isinstance(parts, tuple) else (parts,), None)

    def _by_tape(self, t: float, state: np.ndarray, multiplier: np.ndarray) -> np.ndarray:
        with _enable_grad():
            y = wrap(state).requires_grad_()
            slope = self._system.tensors(t, y, tuple(self._leaves)).reshape((-1,))
            return np.asarray(pulled(slope, wrap(multiplier), [y, *self._leaves], False).detach().numpy())


def gradient(system: Any, solve: Any, times: np.ndarray, y0: np.ndarray, leaves: list[Any], g: np.ndarray) -> Any:
    """The gradient of ``(g * states).sum()`` in all of y0 and, behind it, in the leaves; g is (T, n).

    None where the equation is not solved: the state that it sees is SciPy's interpolant, whose slopes jump from step to
    step, and an implicit method of high order may not get across. The sensitivities see the state itself.
    """
    n, pull = len(y0), _AdjointPull(system, leaves)
    z = np.zeros(n + pull.size)
    if not g.any():
        return z
    if not np.isfinite(g).all():  # what the sensitivities give too; SciPy's solvers refuse such a start
        return np.full_like(z, np.nan)
    J = RightSideJacobian(system, pull.numbers, of_leaves=True)
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


# ----------------------------------------- Solutions of differential equations, differentiated by their sensitivities

# The idea to hold: the derivatives S of a solution in its start and parameters solve ``S' = J S + ∂f/∂p``, together
# with the solution and by the same solver. The larger system is solved by the same operation, so that there is no last
# order. A gradient that nobody differentiates again comes of the adjoint equation, where that is cheaper.


class Solver:
    """What solves an equation at given times, and those of its derivatives.

    Attributes
    ----------
    evaluations : of the right side, about
    course : what the derivatives are found along (`SolutionCourse`); None where it is not known
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


class KnownStates(Solver):
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
            self._values = self._values or RightSideValues(self.tensors)
            return self._values(t, state, leaves)
        known = self._derivatives.first(t, state[: self.n], leaves)
        return None if known is None else np.concatenate([known[0], self._moved(known[1], state[self.n :])], None)

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
        return np.concatenate([f, self._first._moved(J, S), self._first._moved(J, D), bent], None)


class Trajectory(Function):
    """``apply(system, solve, rest, times, y0, *leaves)``: the states (T, n) at ``times[1:]``, of those at ``times[0]``.

    The state is y0 and ``rest``, which is constant.
    """

    _found = True

    @staticmethod
    def forward(ctx: Any, system: Any, solve: Any, rest: Any, times: Any, y0: Any, *leaves: Any) -> Any:
        numbers = numbers_in(leaves)
        start = np.concatenate([y0.detach().numpy(), rest])
        out = wrap(solve(lambda t, y: system.numbers(t, y, numbers), times.detach().numpy(), start))
        ctx.system, ctx.solve, ctx.rest, ctx.known, ctx.pulled = system, solve, rest, {}, 0
        ctx.save_for_backward(times, y0, *leaves, out)
        return out

    @staticmethod
    @calls_again
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
        rest = np.concatenate([ctx.rest, seed], None)
        system, solve = ctx.system.with_sensitivities(n, columns, start), ctx.solve.of_derivatives
        if along is not None:
            states = ctx.saved_tensors[-1].detach().numpy()
            solve = KnownStates(solve, np.concatenate([states, along[0].reshape(len(states), -1)], 1), course=along[1])
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
