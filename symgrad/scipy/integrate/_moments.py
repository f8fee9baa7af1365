"""What `solve_ivp` says of moments: when an event comes, and the solution at any time.

The idea to hold: an event's time solves ``g(t, y(t)) = 0``, and the solution there is differentiable in time. So it
moves by the implicit function theorem, and the state at it by the time too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._array._protocols import carried, unpacked
from ...core import Tensor, wrap
from .._callbacks import Callback
from .._mirrored import floating
from ..optimize._implicit import Equation, solution
from ._courses import Course
from ._trajectories import Known, Trajectory, moment, shifted


class Solved:
    """A differential equation, as one call has it: its states at any times, with their derivatives."""

    def __init__(
        self, system: Any, solve: Any, start: Any, first: Any, leaves: list[Any], evaluations: int, sol: Any,
        tolerances: tuple[Any, Any],
    ) -> None:  # fmt: skip
        self._system, self._solve, self._start, self._first, self._leaves = system, solve, start, first, leaves
        self._evaluations = evaluations
        moved, origin, parameters = shifted(system, first, moment(first), leaves)
        numbers = tuple(v.detach().numpy() for v in parameters)
        shift = first.detach().item() - origin.detach().item()  # what the times of derivatives are later by
        self._course = Course(moved.tensors, numbers, lambda: sol, shift, *tolerances)

    @property
    def leaves(self) -> list[Any]:
        """All that it is differentiated in."""
        return [self._start, self._first, *self._leaves]

    def at(self, times: Any, leaves: Any = None, known: Any = None) -> Any:
        """The states (T, n) at times in the order of the integration; ``known``: their numbers, if they are."""
        start, first, *parameters = self.leaves if leaves is None else leaves
        solve = self._solve if known is None else Known(self._solve, known, self._evaluations, self._course)
        every = np.concatenate([moment(first), times])
        system, since, parameters = shifted(self._system, first, every, parameters)
        return Trajectory.apply(system, solve, np.zeros(0), since, start, *parameters)


class Event:
    """A function whose zeros are looked for, by numbers for SciPy and by tensors."""

    def __init__(self, function: Any, args: tuple[Any, ...], of_arrays: bool) -> None:
        self._callback = Callback("integrate.solve_ivp", function, args, ())
        self._callback.of_arrays = of_arrays or self._callback.of_arrays
        self.of_arrays = self._callback.of_arrays
        self.leaves = self._callback.leaves
        self._numbers = tuple(v.detach().numpy() for v in self.leaves)
        for name in ("terminal", "direction"):  # SciPy reads them off the function
            if hasattr(function, name):
                setattr(self, name, getattr(function, name))

    def __call__(self, t: float, y: np.ndarray) -> float:
        return float(np.asarray(self._callback.of_numbers((t, y), self._numbers)).reshape(()))

    def times(self, solved: Solved, found: np.ndarray) -> Any:
        """The times at which SciPy has found it, with their derivatives."""
        count = len(solved.leaves)

        def tensors(times: Any, leaves: Any) -> Any:
            states = solved.at(times, leaves[:count])
            own = tuple(leaves[count:])
            values = [self._callback.of_tensors((times[k], states[k]), own).reshape(()) for k in range(len(found))]
            return np.stack(values)

        equation = Equation("symgrad.scipy.integrate.solve_ivp: an event", tensors, by_entries=True)
        return solution(equation, found, [*solved.leaves, *self.leaves], False)


class Dense:
    """The solution as a function of time: what ``result.sol`` is where something is differentiated."""

    def __init__(self, sol: Any, solved: Solved, of_arrays: bool) -> None:
        self._sol, self._solved, self._of_arrays = sol, solved, of_arrays

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sol, name)

    def __call__(self, t: Any) -> Any:
        """The state (n,) at a time, or (n, T) at times; differentiable in them too."""
        times = unpacked(t)
        times = times if isinstance(times, Tensor) else wrap(np.asarray(floating(times), np.float64))
        flat = times.reshape((-1,))
        numbers = flat.detach().numpy()
        order = np.argsort(numbers, kind="stable")
        if self._sol.ts[-1] < self._sol.ts[0]:
            order = order[::-1]
        states = self._solved.at(flat[order], known=self._sol(numbers[order]).T)
        back = np.empty(len(order), int)
        back[order] = np.arange(len(order))
        found = states[back].mT if len(times.shape) else states[0]
        return carried(found) if self._of_arrays else found
