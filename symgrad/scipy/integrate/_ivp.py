"""Differential equations under SciPy's names: the solvers' own calls, those for derivatives, and moments of events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate as _scipy

from ... import _limits
from ..._array import to_arrays, to_tensors
from ..._progress import Task
from ...core import Tensor, tensor_around, wrap
from .._mirrored import Callback, called_as, floating, is_differentiated, numbers_in, refused
from ..optimize._roots import Equation, solution
from ._courses import PLACES, SolutionCourse
from ._trajectories import KnownStates, RightSideJacobian, Solver, System, Trajectory, Unsolved, moment, shifted

# -------------------------------- What `solve_ivp` says of moments: when an event comes, and the solution at any time

# The idea to hold: an event's time solves ``g(t, y(t)) = 0``, and the solution there is differentiable in time. So it
# moves by the implicit function theorem, and the state at it by the time too.


class SolvedEquation:
    """A differential equation, as one call has it: its states at any times, with their derivatives."""

    def __init__(
        self, system: Any, solve: Any, start: Any, first: Any, leaves: list[Any], evaluations: int, sol: Any,
        tolerances: tuple[Any, Any],
    ) -> None:  # fmt: skip
        self._system, self._solve, self._start, self._first, self._leaves = system, solve, start, first, leaves
        self._evaluations = evaluations
        moved, origin, parameters = shifted(system, first, moment(first), leaves)
        numbers = numbers_in(parameters)
        shift = first.detach().item() - origin.detach().item()  # what the times of derivatives are later by
        self._course = SolutionCourse(moved.tensors, numbers, lambda: sol, shift, *tolerances)

    @property
    def leaves(self) -> list[Any]:
        """All that it is differentiated in."""
        return [self._start, self._first, *self._leaves]

    def at(self, times: Any, leaves: Any = None, known: Any = None) -> Any:
        """The states (T, n) at times in the order of the integration; ``known``: their numbers, if they are."""
        start, first, *parameters = self.leaves if leaves is None else leaves
        solve = self._solve if known is None else KnownStates(self._solve, known, self._evaluations, self._course)
        every = np.concatenate([moment(first), times])
        system, since, parameters = shifted(self._system, first, every, parameters)
        return Trajectory.apply(system, solve, np.zeros(0), since, start, *parameters)


class Event:
    """A function whose zeros are looked for, by numbers for SciPy and by tensors."""

    def __init__(self, function: Any, args: tuple[Any, ...], of_arrays: bool) -> None:
        self.callback = Callback("integrate.solve_ivp", function, args, ())
        self.callback.of_arrays = of_arrays or self.callback.of_arrays
        self.of_arrays = self.callback.of_arrays
        self.leaves = self.callback.leaves
        self._numbers = numbers_in(self.leaves)
        for name in ("terminal", "direction"):  # SciPy reads them off the function
            if hasattr(function, name):
                setattr(self, name, getattr(function, name))

    def __call__(self, t: float, y: np.ndarray) -> float:
        return float(np.asarray(self.callback.of_numbers((t, y), self._numbers)).reshape(()))

    def times(self, solved: SolvedEquation, found: np.ndarray) -> Any:
        """The times at which SciPy has found it, with their derivatives."""
        count = len(solved.leaves)

        def tensors(times: Any, leaves: Any) -> Any:
            states = solved.at(times, leaves[:count])
            own = tuple(leaves[count:])
            values = [self.callback.of_tensors((times[k], states[k]), own).reshape(()) for k in range(len(found))]
            return np.stack(values)

        equation = Equation("symgrad.scipy.integrate.solve_ivp: an event", tensors, by_entries=True)
        return solution(equation, found, [*solved.leaves, *self.leaves])


class Dense:
    """The solution as a function of time: what ``result.sol`` is where something is differentiated."""

    def __init__(self, sol: Any, solved: SolvedEquation, of_arrays: bool) -> None:
        self._sol, self._solved, self._of_arrays = sol, solved, of_arrays

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sol, name)

    def __call__(self, t: Any) -> Any:
        """The state (n,) at a time, or (n, T) at times; differentiable in them too."""
        times = to_tensors(t)
        times = times if isinstance(times, Tensor) else wrap(np.asarray(times, np.float64))
        flat = times.reshape((-1,))
        numbers = flat.detach().numpy()
        order = np.argsort(numbers, kind="stable")
        if self._sol.ts[-1] < self._sol.ts[0]:
            order = order[::-1]
        states = self._solved.at(flat[order], known=self._sol(numbers[order]).T)
        back = np.empty(len(order), int)
        back[order] = np.arange(len(order))
        found = states[back].mT if len(times.shape) else states[0]
        return to_arrays(found) if self._of_arrays else found


# ---------------------- Differential equations under SciPy's names: the solvers' own calls, and those for derivatives


# ---------------------------------------------------------------------------------------------------- SciPy's solvers


def _counted(original: Callable[..., Any]) -> Callable[..., Any]:
    """A solver of SciPy's that says how far it is by how often it has called the function."""

    def solve(f: Any, *args: Any, **options: Any) -> Any:
        with Task(original.__name__, unit="evaluations") as task:
            return original(task.counting(f), *args, **options)

    return solve


_solve_ivp, _odeint = _counted(_scipy.solve_ivp), _counted(_scipy.odeint)


def _of_size(tolerance: Any, n: int) -> np.ndarray:
    """Tolerances for n numbers, of those for the user's states: the others have the least of them."""
    given = np.asarray(tolerance)
    return np.concatenate([given, np.full(max(n - len(given), 0), given.min())])[:n]


def _failed(what: str, message: str) -> Unsolved:
    return Unsolved(
        f"{what}: the equation of the derivatives was not solved", f"SciPy says: {message}",
        "Try a method for stiff systems, or other tolerances.",
    )  # fmt: skip


class _ByIvp(Solver):
    """`scipy.integrate.solve_ivp` for derivatives: the user's method and tolerances, at given times."""

    _KEPT = ("rtol", "atol", "first_step", "max_step", "min_step")

    def __init__(self, method: Any, options: dict[str, Any]) -> None:
        self._method, self._options = method, {k: v for k, v in options.items() if k in self._KEPT}

    def dense(self, f: Any, jac: Any, times: np.ndarray, y0: np.ndarray) -> Any:
        """The solution as a function of time, for the adjoint equation."""
        options = self._with_jacobian(len(y0), jac)
        made = _solve_ivp(f, (times[0], times[-1]), y0, self._method, dense_output=True, **options)
        if not made.success:
            raise _failed("solve_ivp", made.message)
        return made.sol

    def backwards(self, f: Any, jac: Any, last: float, first: float, z: np.ndarray) -> np.ndarray:
        """z at the first of two times, from the last."""
        options = self._with_jacobian(len(z), jac)
        options["atol"] = np.min(options.get("atol", 1e-6))
        made = _solve_ivp(f, (last, first), z, self._method, **{**options, "first_step": None})
        if not made.success:
            raise _failed("solve_ivp", made.message)
        return np.asarray(made.y)[:, -1]

    def _with_jacobian(self, n: int, jac: Any) -> dict[str, Any]:
        return {**self._for(n), **({"jac": jac} if _is_implicit(self._method) else {})}

    def _for(self, n: int) -> dict[str, Any]:
        options = dict(self._options)
        if np.ndim(options.get("atol", 0.0)):
            options["atol"] = _of_size(options["atol"], n)
        return options

    def __call__(self, f: Any, times: np.ndarray, y0: np.ndarray) -> np.ndarray:
        options = self._for(len(y0))
        start, at = times[0], times[1:]
        later = at != start
        out = np.broadcast_to(y0, (len(at), len(y0))).copy()
        if later.any():
            made = _solve_ivp(f, (start, at[-1]), y0, self._method, t_eval=at[later], **options)
            if not made.success or made.y.shape[-1] != later.sum():
                raise _failed("solve_ivp", made.message)
            out[later] = made.y.T
        return out


class _ByOdeint(Solver):
    """`scipy.integrate.odeint` for derivatives."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        # the adjoint equation needs a dense output: odeint is LSODA, of these tolerances
        given = {k: 1.49012e-8 if options[k] is None else options[k] for k in ("rtol", "atol")}
        with_output = _ByIvp("LSODA", {**given, "max_step": options["hmax"] or np.inf})
        self.dense, self.backwards = with_output.dense, with_output.backwards

    def __call__(self, f: Any, times: np.ndarray, y0: np.ndarray) -> np.ndarray:
        if (times[1:] == times[0]).all():  # "Nothing was done", says SciPy, and returns the start
            return np.broadcast_to(y0, (len(times) - 1, len(y0))).copy()
        options = dict(self._options)
        for name in ("rtol", "atol"):
            if np.ndim(options[name]):
                options[name] = _of_size(options[name], len(y0))
        found, info = _odeint(f, y0, times[1:], tfirst=True, full_output=1, **options)
        if info["message"] != "Integration successful.":
            raise _failed("odeint", info["message"])
        return found


# ------------------------------------------------------------------------------------------------------------ solve_ivp


def _tensor(value: Any) -> Any:
    value = to_tensors(value)
    if isinstance(value, (list, tuple)):
        value = np.stack([_tensor(v) for v in value]) if any(map(is_differentiated, value)) else np.asarray(value)
    return tensor_around(floating(value))


def _parts(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def _system(callback: Callback, order: Any = lambda t, y: (t, y)) -> System:
    def tensors(t: Any, y: Any, leaves: tuple[Any, ...]) -> Any:
        found = callback.of_tensors(order(t, y), leaves)
        return np.broadcast_to(found, y.shape) if found.numel() == 1 < y.numel() else found  # a number is for all

    return System(lambda t, y, leaves: callback.of_numbers(order(t, y), leaves), tensors)


def _expect_real(what: str, y0: Any) -> None:
    if y0.dtype.kind == "c":
        raise refused(f"integrate.{what} of complex states", "It is not written.", "Stack real and imaginary part.")


_IMPLICIT = (_scipy.Radau, _scipy.BDF, _scipy.LSODA)
_GIVEN = ("jac", "jac_sparsity", "lband", "uband")  # what says already how the Jacobian is found


def _is_implicit(method: Any) -> bool:
    return issubclass(method, _IMPLICIT) if isinstance(method, type) else method in {m.__name__ for m in _IMPLICIT}


def _of_scipy(callback: Callback, method: Any, args: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The function and the options for SciPy's own call, of numbers alone; implicit methods get the Jacobian."""
    leaves = numbers_in(callback.leaves)
    jac = options.get("jac")
    if callable(jac):
        own = Callback("integrate.solve_ivp", jac, args, (wrap(np.zeros(1)),))
        own.of_arrays = callback.of_arrays
        numbers = numbers_in(own.leaves)
        options = {**options, "jac": lambda t, y: own.of_numbers((t, y), numbers)}
    elif callback.is_differentiated and _is_implicit(method) and all(options.get(k) is None for k in _GIVEN):
        options = {**options, "jac": RightSideJacobian(_system(callback), leaves)}
    return lambda t, y: callback.of_numbers((t, y), leaves), options


def solve_ivp(
    fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, dense_output: bool = False,
    events: Any = None, vectorized: bool = False, args: Any = None, **options: Any,
) -> Any:  # fmt: skip
    """Return the solution of ``y' = fun(t, y, *args)`` from y0, as `scipy.integrate.solve_ivp`.

    Parameters are those of `scipy.integrate.solve_ivp`.

    Parameters
    ----------
    fun : ``fun(t, y, *args)``, (n,)
    t_span, t_eval : times; differentiable
    events : ``g(t, y, *args)``, as SciPy's; their times and states are differentiable, and so is ``sol``
    y0 : (n,), differentiable
    args : differentiable, and so are tensors that fun sees where it is written

    Raises
    ------
    NotDifferentiableError : complex states, where something is differentiated
    GradientError : the equation of the derivatives is not solved, with SciPy's message; fun depends on a tensor that is
        found neither in args nor among its variables

    Notes
    -----
    Values are SciPy's; where something is differentiated, Radau, BDF and LSODA get the exact Jacobian of fun, unless
    one is given. Derivatives are those of the exact solution, to the tolerances that are given (by default three
    digits, as the values). With few states they are found along the solution, at all of its steps at once, for less
    than another solution. Otherwise a gradient is one more, of the adjoint equation backwards in time; for all rows of
    a Jacobian, with p parameters there are n (n + p) more equations, and for second derivatives n (n + p)², solved once
    by the same method. Steps that SciPy chooses (no ``t_eval``) are constants, but the first and the last time.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> def end(rate):  # exp(-rate)
    ...     return sp.integrate.solve_ivp(lambda t, y: -rate * y, (0, 1), [1.0], rtol=1e-9, atol=1e-9).y[0, -1]
    >>> sg.grad(end)(2.0).round(6), sg.hessian(end)(2.0).round(6)
    (np.float64(-0.135335), np.float64(0.135335))
    """
    wanted = (y0, *_parts(y0), *_parts(t_span), t_eval, *_parts(t_eval))
    given = () if args is None else tuple(args)
    callback = Callback("integrate.solve_ivp", fun, given, wanted)
    watched = [Event(e, given, callback.of_arrays) for e in _parts(events)] if events is not None else []
    callback.of_arrays = callback.of_arrays or any(e.of_arrays for e in watched)
    if not any(e.leaves for e in watched) and not callback.is_differentiated:
        return _solve_ivp(fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args, **options)
    if any(is_differentiated(v) for v in (options.get("rtol"), options.get("atol"))):
        raise refused("integrate.solve_ivp in its tolerances", "The exact solution does not depend on them.", "")
    start, span = _tensor(y0), [_tensor(t) for t in t_span]
    _expect_real("solve_ivp", start)
    asked = None if t_eval is None else _tensor(t_eval)
    f, own = _of_scipy(callback, method, given, options)
    whole = dense_output or start.numel() * PLACES <= _limits.COURSE_ROWS
    result = _solve_ivp(
        f, tuple(t.detach().item() for t in span), start.detach().numpy(), method,
        None if asked is None else asked.detach().numpy(), whole, watched or None, vectorized, **own,
    )  # fmt: skip
    if isinstance(own.get("jac"), RightSideJacobian):
        own["jac"].expect_whole()
    for function in (callback, *(e.callback for e in watched)):
        function.keep()
    sol, system = result.sol, _system(callback)
    tolerances = options.get("rtol", 1e-3), options.get("atol", 1e-6)
    solved = SolvedEquation(
        system, _ByIvp(method, options), start, span[0], callback.leaves, result.nfev, sol, tolerances
    )
    ends = _at_events(watched, solved, result, callback.as_asked)
    result.sol = Dense(sol, solved, callback.of_arrays) if dense_output else None
    if len(result.t):
        times = _times(span, asked, result, ends)
        result.y, result.t = map(callback.as_asked, (solved.at(times, known=np.asarray(result.y).T).mT, times))
    return result


def _at_events(watched: list[Event], solved: SolvedEquation, result: Any, seen: Any) -> list[Any]:
    """Put the events' times and states into the result; the times, as tensors."""
    found = []
    for k, event in enumerate(watched):
        if len(result.t_events[k]):
            found.append(event.times(solved, np.asarray(result.t_events[k])))
            states = solved.at(found[-1], known=np.asarray(result.y_events[k]))
            result.t_events[k], result.y_events[k] = seen(found[-1]), seen(states)
    return found


def _times(span: list[Any], asked: Any, result: Any, ends: list[Any]) -> Any:
    """The times of the results: SciPy's own steps are constants, but for the ends, of the span or at an event."""
    if asked is not None:
        return asked[: len(result.t)]
    last = moment(span[1])
    if result.status == 1:
        last = next(t[-1:] for t in ends if t.detach().numpy()[-1] == result.t[-1])
    return np.concatenate([moment(span[0]), wrap(result.t[1:-1]), last])


@called_as(_scipy.odeint)
def odeint(
    func: Any, y0: Any, t: Any, args: Any, Dfun: Any, col_deriv: Any, full_output: Any, ml: Any, mu: Any, ixpr: Any,
    printmessg: Any, tfirst: bool, **shared: Any,
) -> Any:  # fmt: skip
    """Return the states (T, n) at times t of the solution of ``y' = func(y, t, *args)`` from y0 at ``t[0]``.

    Parameters are those of `scipy.integrate.odeint`; all is differentiable as by `solve_ivp`.

    Raises
    ------
    GradientError : as of `solve_ivp`

    Notes
    -----
    Where something is differentiated, the solver gets the exact Jacobian of func, and ``Dfun`` is refused; ``ml`` and
    ``mu`` speak of the solution's equation, not of that of its derivatives. Costs are those of `solve_ivp`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> def end(y0):  # y0 / e
    ...     return sp.integrate.odeint(lambda y, t: -y, y0, [0.0, 1.0])[-1, 0]
    >>> sg.grad(end)(3.0).round(6)
    np.float64(0.367879)
    """
    own = {"Dfun": Dfun, "col_deriv": col_deriv, "ml": ml, "mu": mu, "ixpr": ixpr, "printmessg": printmessg}
    callback = Callback("integrate.odeint", func, args, (y0, *_parts(y0), t, *_parts(t)))
    if not callback.is_differentiated:
        return _odeint(func, y0, t, args, full_output=full_output, tfirst=tfirst, **own, **shared)
    if Dfun is not None:
        raise refused("integrate.odeint with Dfun=", "It is not written.", "Leave it out: the exact one is found.")
    start, times = _tensor(y0), _tensor(t)
    _expect_real("odeint", start)
    start = start.reshape((-1,))
    leaves = numbers_in(callback.leaves)
    order = (lambda t, y: (t, y)) if tfirst else (lambda t, y: (y, t))
    system = _system(callback, order)
    if ml is None and mu is None:
        own = {**own, "Dfun": RightSideJacobian(system, leaves), "col_deriv": 0}
    found, info = _odeint(
        lambda t, y: system.numbers(t, y, leaves), start.detach().numpy(), times.detach().numpy(),
        full_output=1, tfirst=True, **own, **shared,
    )  # fmt: skip
    if isinstance(own["Dfun"], RightSideJacobian):
        own["Dfun"].expect_whole()
    callback.keep()
    whole = np.concatenate([moment(times.clone()[0]), times])
    system, since, parameters = shifted(system, times, whole, callback.leaves)
    known = KnownStates(_ByOdeint(shared), found, int(info["nfe"][-1:].sum()))
    states = callback.as_asked(Trajectory.apply(system, known, np.zeros(0), since, start, *parameters))
    return (states, info) if full_output else states
