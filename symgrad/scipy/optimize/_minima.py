"""Minima under SciPy's names, differentiated as solutions of the conditions that hold there, constraints too."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize as _scipy

from ..._errors import GradientError
from ...autograd import enable_grad as _enable_grad
from ...core import modes, wrap
from ...transforms import hessian as _hessian
from ...transforms import jacobian as _jacobian
from ...transforms.first_derivatives import value_and_grad as _value_and_grad
from ...transforms.products import hvp as _hvp
from .._mirrored import called_as, is_differentiated, refused, rows
from ._roots import Equation, SolverCall, real, slopes, solution, split

# ---------------- Constraints of `minimize`: what SciPy is given, and which of them hold with equality at the minimum

# The idea to hold: every constraint is a vector function c(x), of which entries are 0 there (`Active`).


CLOSE = 1e-6
"""How near to 0 a constraint's value is, relative to 1 + its size, that holds with equality."""


def _point(x: Any) -> Any:
    """A tensor of these numbers, to be differentiated in."""
    return wrap(np.asarray(x, np.float64)).requires_grad_()


class Constraint:
    """``low ≤ fun(x) ≤ high``; its leaves stand at ``place`` among all of a problem's."""

    def __init__(self, fun: Any, args: Any, low: Any, high: Any, given: Any) -> None:
        self.solved = SolverCall("minimize", fun, args)
        self._low, self._high, self.given = low, high, given
        self.is_ours = hasattr(given, "_made")
        self.leaves, self.jacobian = self.solved.leaves, self.solved.jacobian
        self.place = slice(0, 0)

    def of_tensors(self, x: Any, leaves: Any) -> Any:
        return self.solved.of_tensors(x, leaves[self.place]).reshape((-1,))

    def _numbers(self, x: Any) -> np.ndarray:
        return np.atleast_1d(np.asarray(self.solved.of_numbers(x), np.float64))

    @modes.recorded
    def _hessian(self, x: Any, v: Any) -> np.ndarray:
        at = _point(x)
        found = self.solved.of_tensors(at, [t.detach() for t in self.leaves]).reshape((-1,))
        moved = (wrap(np.asarray(v, np.float64)) * found).sum()
        if not moved.requires_grad:
            return np.zeros((at.numel(), at.numel()))
        return rows(rows(moved.reshape((1,)), [at]).reshape((-1,)), [at]).detach().numpy()

    def for_scipy(self, curved: bool) -> Any:
        """The same of plain numbers, with exact derivatives (``curved``: second ones) where none were given."""
        given = self.given
        if isinstance(given, _scipy.LinearConstraint):
            return given
        if isinstance(given, dict):
            own = given.get("jac")
            jac = self.jacobian if own is None else self.solved.also(own, tuple(given.get("args", ())))
            return {"type": given["type"], "fun": self._numbers, "jac": jac}
        ours = getattr(given, "_made", (False, False))  # derivatives that `NonlinearConstraint` of this package made
        jac = self.solved.also(given.jac, ()) if callable(given.jac) and not ours[0] else self.jacobian
        hess = given.hess if not ours[1] else _scipy.BFGS()
        hess = self.solved.also(hess, ()) if callable(hess) else self._hessian if curved else hess
        return _scipy.NonlinearConstraint(self._numbers, given.lb, given.ub, jac, hess, given.keep_feasible)

    def _ends(self, shape: tuple[int, ...]) -> list[np.ndarray]:
        return [np.broadcast_to(np.asarray(v, np.float64), shape) for v in (self._low, self._high)]

    def active(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places of the entries that hold with equality, and the limit of each."""
        value = self._numbers(x)
        low, high = self._ends(value.shape)
        gaps = np.where(np.abs(value - low) <= np.abs(value - high), low, high)
        near = np.isfinite(gaps) & (np.abs(value - np.where(np.isfinite(gaps), gaps, 0)) <= CLOSE * (1 + np.abs(value)))
        places = np.flatnonzero(near | (low == high))
        return places, gaps[places]

    def is_equality(self, places: np.ndarray, count: int) -> np.ndarray:
        low, high = self._ends((count,))
        return (low == high)[places]


def constraints_of(given: Any) -> list[Constraint]:
    """SciPy's constraints of any kind, one or several."""
    if isinstance(given, (dict, _scipy.LinearConstraint, _scipy.NonlinearConstraint)):
        given = [given]
    found = []
    for c in given:
        if isinstance(c, dict):
            kind = str(c.get("type", "")).lower()
            if kind not in ("eq", "ineq") or "fun" not in c:
                raise ValueError(f"a constraint is {{'type': 'eq' or 'ineq', 'fun': …}}, and not {c!r}")
            args = tuple(c.get("args", ()))
            found.append(Constraint(c["fun"], args, 0.0, 0.0 if kind == "eq" else np.inf, c))
        elif isinstance(c, _scipy.LinearConstraint):
            if any(map(is_differentiated, (c.A, c.lb, c.ub))):
                raise refused(
                    "optimize.minimize in a LinearConstraint", "Its matrix and its limits are constants.",
                    "Write it as {'type': 'eq' or 'ineq', 'fun': lambda x: A @ x - b}.",
                )  # fmt: skip
            A = np.atleast_2d(c.A.toarray() if hasattr(c.A, "toarray") else c.A)
            found.append(Constraint(lambda x, A=A: A @ x, (), c.lb, c.ub, c))
        elif isinstance(c, _scipy.NonlinearConstraint):
            found.append(Constraint(c.fun, (), c.lb, c.ub, c))
        else:
            raise refused("optimize.minimize with this constraint", f"It is {type(c).__name__}.", "")
    return found


def expect_constant(name: str, bounds: Any, step: str = "") -> None:
    """Refuse bounds that are differentiated: which variables are held is known, and not how far they would move."""
    ends = (bounds.lb, bounds.ub) if isinstance(bounds, _scipy.Bounds) else bounds
    if _moves(ends):
        raise refused(f"optimize.{name} in its bounds", "They are constants.", step)


def _moves(value: Any) -> bool:
    return any(map(_moves, value)) if isinstance(value, (list, tuple)) else is_differentiated(value)


class Active:
    """What holds with equality at a minimum: ``held`` variables at bounds ``at``, and entries of constraints.

    A solver that stops ``reach`` before a bound is held by it where the slope says that it would go on.
    """

    def __init__(
        self, what: str, x: np.ndarray, constraints: list[Constraint], bounds: Any, slope: np.ndarray, reach: float = 0
    ) -> None:
        self.what, self.size = what, x.size
        flat, slope = x.reshape(-1), slope.reshape(-1)
        low, high = _limits(bounds, flat.size)
        near, least = [], CLOSE * (1 + np.abs(slope).max(initial=0))
        for b, goes_on in ((low, slope > least), (high, slope < -least)):
            far = np.abs(flat - np.where(np.isfinite(b), b, 0))
            close = (far <= CLOSE * (1 + np.abs(flat))) | (goes_on & (far <= reach * (1 + np.abs(flat))))
            near.append(np.isfinite(b) & close)
        self.held = near[0] | near[1]
        self._free = self.held & (low != high)
        self.at = flat.copy()
        self._parts: list[tuple[Constraint, np.ndarray, np.ndarray]] = []
        gradients, signs = [], []
        for c in constraints:
            places, limits = c.active(x)
            if not len(places):
                continue
            self._parts.append((c, places, limits))
            J = c.jacobian(x)
            gradients.append(J[places])
            sign = np.where(np.isclose(limits, np.broadcast_to(c._low, J.shape[:1])[places]), 1.0, -1.0)
            signs.append(np.where(c.is_equality(places, len(J)), 0.0, sign))
        A = np.concatenate(gradients) if gradients else np.zeros((0, flat.size))
        self.multipliers = np.linalg.lstsq(A[:, ~self.held].T, slope[~self.held], rcond=None)[0]
        self._expect_strict(np.concatenate(signs) if signs else np.zeros(0), slope - self.multipliers @ A)

    def _expect_strict(self, signs: np.ndarray, slope: np.ndarray) -> None:
        """Multipliers are not 0: else the constraint stops to matter nearby, and the minimum has a kink."""
        size = CLOSE * (1 + np.abs(slope).max(initial=0) + np.abs(self.multipliers).max(initial=0))
        self.kinks = [
            *(f"x[{k}] is at its bound" for k in np.flatnonzero(self._free & (np.abs(slope) <= size))),
            *(f"constraint {k} is met" for k in np.flatnonzero((signs != 0) & (signs * self.multipliers <= size))),
        ]

    def values(self, x: Any, leaves: Any) -> Any:
        """The active entries as one vector, 0 at the minimum; None if there is none."""
        if self.kinks:
            raise GradientError(
                f"{self.what}: the minimum has no derivative: it has a kink here",
                f"{'; '.join(self.kinks[:3])}, but its multiplier is 0: it holds the minimum on one side alone.",
                "Leave the constraint out if it should not hold.",
            )  # fmt: skip
        if not self._parts:
            return None
        return np.concatenate([c.of_tensors(x, leaves)[places] - wrap(limits) for c, places, limits in self._parts])


def _limits(bounds: Any, size: int) -> tuple[np.ndarray, np.ndarray]:
    if bounds is None:
        return np.full(size, -np.inf), np.full(size, np.inf)
    if isinstance(bounds, _scipy.Bounds):
        return tuple(np.broadcast_to(np.asarray(b, np.float64), (size,)) for b in (bounds.lb, bounds.ub))  # type: ignore[return-value]
    ends = [
        [default if v is None else v for v, default in zip(pair, (-np.inf, np.inf), strict=True)] for pair in bounds
    ]
    low, high = np.asarray(ends, np.float64).T
    return low, high


# -------------------------- Minima under SciPy's names, differentiated as solutions of the conditions that hold there

# The idea to hold: at a minimum the gradient of the Lagrangian is 0, constraints that hold with equality are equations,
# and a variable at its bound stays there. These are as many equations as there are unknowns, the multipliers among
# them.


_TAKE_GRADIENTS = frozenset(
    ["cg", "bfgs", "newton-cg", "l-bfgs-b", "tnc", "slsqp", "dogleg", "trust-ncg", "trust-krylov", "trust-exact",
     "trust-constr"]
)  # fmt: skip
_TAKE_HESSIANS = frozenset(["newton-cg", "dogleg", "trust-ncg", "trust-krylov", "trust-exact", "trust-constr"])


def _scalar(what: str, f: Any) -> Any:
    if f.numel() != 1:
        raise GradientError(
            f"{what}: the function returns an array of shape {tuple(f.shape)}", "A number is minimised.", "Sum it."
        )
    return f.reshape(())


class _Objective:
    """The function that is minimised, with its derivatives for SciPy's methods."""

    def __init__(self, solved: SolverCall) -> None:
        self._solved = solved
        self._known = [v.detach() for v in solved.callback.leaves]

    def of_numbers(self, x: Any, *rest: Any) -> Any:
        found = np.asarray(self._solved.of_numbers(x, *rest))
        return found.item() if found.size == 1 else found

    def of_tensors(self, x: Any, leaves: Any) -> Any:
        return _scalar(self._solved.what, self._solved.of_tensors(x, leaves))

    def gradient_of(self, x: Any, leaves: Any) -> Any:
        return slopes(self.of_tensors(x, leaves), x)

    @modes.recorded  # what SciPy's method is given does not hang on whether the caller records
    def gradient(self, x: Any) -> np.ndarray:
        at = _point(x)
        return self.gradient_of(at, self._known).detach().numpy()

    @modes.recorded
    def hessian(self, x: Any) -> np.ndarray:
        at = _point(x)
        return rows(self.gradient_of(at, self._known).reshape((-1,)), [at]).detach().numpy()


def _conditions(objective: _Objective, active: Active, shape: tuple[int, ...]) -> Any:
    """The equation of x and the multipliers: stationary, but where a bound holds x; active constraints are 0."""

    def tensors(z: Any, leaves: Any) -> Any:
        with _enable_grad():
            x = z[: active.size].reshape(shape)
            lagrangian = objective.of_tensors(x, leaves)
            values = active.values(x, leaves)
            if values is not None:
                lagrangian = lagrangian - (z[active.size :] * values).sum()
            slope = slopes(lagrangian, x).reshape((-1,))
            if active.held.any():
                slope = np.where(active.held, z[: active.size] - wrap(active.at), slope)
            return slope if values is None else np.concatenate([slope, values])

    return tensors


def _minimum(
    solved: SolverCall, objective: _Objective, found: Any, constraints: list[Constraint], bounds: Any, reach: float = 0
) -> Any:
    """SciPy's result with x, and the value there, differentiable."""
    x = real(solved.what, found.x)
    message = "" if found.success else str(found.message)
    leaves = [*solved.leaves, *(v for c in constraints for v in c.leaves)]
    counts = np.cumsum([len(solved.leaves), *(len(c.leaves) for c in constraints)])
    for c, k in zip(constraints, counts, strict=False):
        c.place = slice(int(k), int(k) + len(c.leaves))
    active = Active(solved.what, x, constraints, bounds, objective.gradient(x), reach)
    for function in (solved, *(c.solved for c in constraints)):
        function.callback.keep()
    equation = Equation(solved.what, _conditions(objective, active, x.shape), note=message)
    start = np.concatenate([x, active.multipliers], None)
    at = solution(equation, start, leaves)[: x.size].reshape(x.shape)
    found.x, found.fun = map(solved.callback.as_asked, (at, objective.of_tensors(at, leaves)))
    return found


@called_as(_scipy.minimize)
def minimize(
    fun: Any, x0: Any, args: Any, method: Any, jac: Any, hess: Any, hessp: Any, bounds: Any, constraints: Any,
    **further: Any,
) -> Any:  # fmt: skip
    """Return a minimum of a function of n variables, as `scipy.optimize.minimize`; differentiable.

    Parameters are those of `scipy.optimize.minimize`.

    Parameters
    ----------
    fun : ``fun(x, *args)``, a number; of the result ``x`` and ``fun`` are differentiable
    x0 : start; the derivative in it is 0
    args : differentiable, and so are tensors that fun and constraints see where they are written
    bounds, constraints : SciPy's, of any kind; bounds and the limits of constraints are constants

    Raises
    ------
    GradientError : when a derivative is taken: SciPy has not converged, with its message; the Hessian of the Lagrangian
        is singular; a constraint holds with equality by chance, its multiplier being 0; fun is differentiated in
        something that is not found
    NotDifferentiableError : differentiated bounds

    Notes
    -----
    By the implicit function theorem, for the conditions of Karush, Kuhn and Tucker: what is active at the minimum
    stays active nearby. A gradient costs a Hessian and a solve, n³. Methods that take gradients or Hessians
    get exact ones unless ``jac``, ``hess`` or ``hessp`` are given; where nothing is
    differentiated, SciPy itself computes, by differences.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> def best(c):  # the nearest point to c in the halfplane below x + y = 1
    ...     inside = {"type": "ineq", "fun": lambda x: 1 - x.sum()}
    ...     return sp.optimize.minimize(lambda x: ((x - c) ** 2).sum(), np.zeros(2), constraints=inside).x
    >>> sg.jacobian(best)(np.array([1.0, 2.0])).round(6)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    expect_constant("minimize", bounds, "Write such a bound as a constraint, {'type': 'ineq', 'fun': …}.")
    function, derivative = split(fun, jac)
    solved = SolverCall("minimize", function, args, x0)
    start = real(solved.what, x0)
    limits = constraints_of(constraints)
    name = method.lower() if isinstance(method, str) else "" if callable(method) else "bfgs"
    if not solved.is_differentiated and not any(c.leaves for c in limits):
        if any(c.is_ours for c in limits):  # other methods than this one warn of second derivatives
            constraints = [c.for_scipy(name == "trust-constr") if c.is_ours else c.given for c in limits]
        return _scipy.minimize(fun, x0, args, method, jac, hess, hessp, bounds, constraints, **further)
    objective = _Objective(solved)
    takes_more = name in _TAKE_HESSIANS and (hess is None and hessp is None)
    if derivative is None:
        slope = objective.gradient if name in _TAKE_GRADIENTS else None
    else:
        slope = solved.also(derivative, args)
    found = _scipy.minimize(
        objective.of_numbers, start, (), method, slope,
        objective.hessian if takes_more else solved.also(hess, args), solved.also(hessp, args),
        bounds, [c.for_scipy(name == "trust-constr") for c in limits], **further,
    )  # fmt: skip
    return _minimum(solved, objective, found, limits, bounds)


@called_as(_scipy.minimize_scalar)
def minimize_scalar(fun: Any, bounds: Any, args: Any, tol: Any, options: Any, **further: Any) -> Any:
    """Return a minimum of a function of one number, as `scipy.optimize.minimize_scalar`; differentiable.

    Parameters are those of `scipy.optimize.minimize_scalar`.

    Raises
    ------
    GradientError : as of `minimize`
    NotDifferentiableError : differentiated bounds

    Notes
    -----
    Costs are those of `minimize`. SciPy's methods compare values, so that x has half of the digits.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> low = lambda a: sp.optimize.minimize_scalar(lambda x: x**4 - a * x, bracket=(0.0, 1.0)).x
    >>> sg.grad(low)(4.0).round(6)  # of (a/4)^(1/3)
    np.float64(0.083333)
    """
    expect_constant("minimize_scalar", bounds, "Take minimize, and write such a bound as a constraint.")
    solved = SolverCall("minimize_scalar", fun, args)
    if not solved.is_differentiated:
        return NotImplemented
    objective = _Objective(solved)
    found = _scipy.minimize_scalar(objective.of_numbers, bounds=bounds, tol=tol, options=options, **further)
    # The bounded method never tries the bounds themselves; it stops that near, and so are they told from minima inside.
    reach = 2 * ((options or {}).get("xatol") or tol or 1e-5)
    return _minimum(solved, objective, found, [], None if bounds is None else [bounds], reach)


# -------------------------------- What SciPy's own `minimize` wants of a function of plain numbers: exact derivatives


_BY_PRODUCTS = frozenset({"newton-cg", "trust-ncg", "trust-krylov"})


def problem(f: Any, x0: Any, args: Any = (), method: str = "trust-exact") -> dict[str, Any]:
    """Return the arguments of `scipy.optimize.minimize` for a function, with the derivatives that a method takes.

    Parameters
    ----------
    f : ``f(x, *args)``, a number; written in operations
    x0 : array of numbers
    method : SciPy's name of it

    Returns
    -------
    dict
        ``fun``, ``x0``, ``args``, ``method``, and ``jac`` (value and gradient come of one run), ``hess`` or ``hessp``

    Raises
    ------
    ValueError : a method of another name

    Notes
    -----
    ``newton-cg``, ``trust-ncg`` and ``trust-krylov`` get products with the Hessian, which cost about two gradients.
    `symgrad.minimize` does the same and more: parameters of any structure, standard errors.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.optimize
    >>> import symgrad.scipy as sp
    >>> def rosenbrock(x):
    ...     return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
    >>> scipy.optimize.minimize(**sp.optimize.problem(rosenbrock, np.zeros(4))).x.round(3)
    array([1., 1., 1., 1.])
    """
    name = method.lower()
    known = _TAKE_GRADIENTS | {"nelder-mead", "powell", "cobyla", "cobyqa"}
    if name not in known:
        raise ValueError(f"there is no method {method!r}; SciPy has {', '.join(sorted(known))}")
    found: dict[str, Any] = {"fun": f, "x0": np.asarray(x0, np.float64), "args": args, "method": method}
    if name in _TAKE_GRADIENTS:
        found |= {"fun": _value_and_grad(f), "jac": True}
    if name in _BY_PRODUCTS:
        of_x = (lambda x: f(x, *args)) if args else f
        found["hessp"] = lambda x, v, *args: _hvp(of_x, x, v)
    elif name in _TAKE_HESSIANS:
        hessian = _hessian(f)
        found["hess"] = lambda x, *args: np.asarray(hessian(x, *args))
    return found


class NonlinearConstraint(_scipy.NonlinearConstraint):
    """``lb ≤ fun(x) ≤ ub``, as `scipy.optimize.NonlinearConstraint`, with exact ``jac`` and ``hess(x, v)``.

    Parameters are those of `scipy.optimize.NonlinearConstraint`.

    Parameters
    ----------
    fun : ``fun(x)``, a number or a vector; written in operations
    jac, hess : functions; default: by differentiation, where SciPy takes differences

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.optimize
    >>> import symgrad.scipy as sp
    >>> circle = sp.optimize.NonlinearConstraint(lambda x: (x**2).sum(), 1, 1)
    >>> circle.jac(np.array([3.0, 4.0])), circle.hess(np.array([3.0, 4.0]), np.array([2.0])).tolist()
    (array([[6., 8.]]), [[4.0, 0.0], [0.0, 4.0]])
    """

    def __init__(
        self, fun: Any, lb: Any, ub: Any, jac: Any = "2-point", hess: Any = None, keep_feasible: Any = False,
        finite_diff_rel_step: Any = None, finite_diff_jac_sparsity: Any = None,
    ) -> None:  # fmt: skip
        def vector(x: Any) -> Any:
            return np.atleast_1d(fun(x))

        self._made = jac == "2-point", hess is None
        jacobian, weighed = _jacobian(vector), _hessian(lambda x, v: (np.atleast_1d(fun(x)) * v).sum())
        super().__init__(
            fun, lb, ub, jacobian if jac == "2-point" else jac,
            (lambda x, v: np.asarray(weighed(x, v))) if hess is None else hess,
            keep_feasible, finite_diff_rel_step, finite_diff_jac_sparsity,
        )  # fmt: skip
