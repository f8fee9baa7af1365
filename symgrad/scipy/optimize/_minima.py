"""Minima under SciPy's names, differentiated as solutions of the conditions that hold there.

The idea to hold: at a minimum the gradient of the Lagrangian is 0, constraints that hold with equality are equations,
and a variable at its bound stays there. These are as many equations as there are unknowns, the multipliers among them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize as _scipy

from ..._errors import GradientError
from ...autograd import enable_grad as _enable_grad
from ...autograd import grad as _grad
from ...core import wrap
from .._callbacks import rows, tracked
from ._constraints import Active, Constraint, constraints_of, expect_constant
from ._implicit import Equation, real, solution
from ._roots import Solved, split

_TAKE_GRADIENTS = frozenset(
    ["cg", "bfgs", "newton-cg", "l-bfgs-b", "tnc", "slsqp", "dogleg", "trust-ncg", "trust-krylov", "trust-exact",
     "trust-constr"]
)  # fmt: skip
_TAKE_HESSIANS = frozenset(["newton-cg", "dogleg", "trust-ncg", "trust-krylov", "trust-exact", "trust-constr"])


def slopes(f: Any, x: Any) -> Any:
    """The gradient of a number in x, recorded."""
    found = _grad(f, x, create_graph=True, allow_unused=True)[0] if f.requires_grad else None
    return x * 0.0 if found is None else found


def _scalar(what: str, f: Any) -> Any:
    if f.numel() != 1:
        raise GradientError(
            f"{what}: the function returns an array of shape {tuple(f.shape)}", "A number is minimised.", "Sum it."
        )
    return f.reshape(())


class _Objective:
    """The function that is minimised, with its derivatives for SciPy's methods."""

    def __init__(self, solved: Solved) -> None:
        self._solved = solved
        self._known = [v.detach() for v in solved.callback.leaves]

    def of_numbers(self, x: Any, *rest: Any) -> Any:
        found = np.asarray(self._solved.of_numbers(x, *rest))
        return found.item() if found.size == 1 else found

    def of_tensors(self, x: Any, leaves: Any) -> Any:
        return _scalar(self._solved.what, self._solved.of_tensors(x, leaves))

    def gradient_of(self, x: Any, leaves: Any) -> Any:
        return slopes(self.of_tensors(x, leaves), x)

    def gradient(self, x: Any) -> np.ndarray:
        (at,) = tracked([wrap(np.asarray(x, np.float64))])
        return self.gradient_of(at, self._known).detach().numpy()

    def hessian(self, x: Any) -> np.ndarray:
        (at,) = tracked([wrap(np.asarray(x, np.float64))])
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
    solved: Solved, objective: _Objective, found: Any, constraints: list[Constraint], bounds: Any, reach: float = 0
) -> Any:
    """SciPy's result with x, and the value there, differentiable."""
    x = real(solved.what, found.x)
    message = "" if found.success else str(found.message)
    leaves = [*solved.leaves, *(v for c in constraints for v in c.leaves)]
    counts = np.cumsum([len(solved.leaves), *(len(c.leaves) for c in constraints)])
    for c, k in zip(constraints, counts, strict=False):
        c.place = slice(int(k), int(k) + len(c.leaves))
    active = Active(solved.what, x, constraints, bounds, objective.gradient(x), reach)
    equation = Equation(solved.what, _conditions(objective, active, x.shape), note=message)
    start = np.concatenate([x.reshape(-1), active.multipliers])
    at = solution(equation, start, leaves, False)[: x.size].reshape(x.shape)
    found.x, found.fun = solved.value(at), solved.value(objective.of_tensors(at, leaves))
    return found


def minimize(
    fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None, hessp: Any = None,
    bounds: Any = None, constraints: Any = (), tol: Any = None, callback: Any = None, options: Any = None,
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
    solved = Solved("minimize", function, args, x0)
    size = real(solved.what, x0).size
    limits = constraints_of(solved.what, constraints, size)
    name = method.lower() if isinstance(method, str) else "" if callable(method) else "bfgs"
    if not solved.is_differentiated and not any(c.leaves for c in limits):
        if any(c.is_ours for c in limits):  # other methods than this one warn of second derivatives
            constraints = [c.for_scipy(name == "trust-constr") if c.is_ours else c.given for c in limits]
        return _scipy.minimize(
            fun, x0, args, method, jac, hess, hessp, bounds, constraints, tol, callback, options
        )  # fmt: skip
    objective = _Objective(solved)
    takes_more = name in _TAKE_HESSIANS and (hess is None and hessp is None)
    if derivative is None:
        slope = objective.gradient if name in _TAKE_GRADIENTS else None
    else:
        slope = solved.also(derivative, args)
    found = _scipy.minimize(
        objective.of_numbers, real(solved.what, x0), (), method, slope,
        objective.hessian if takes_more else solved.also(hess, args), solved.also(hessp, args),
        bounds, [c.for_scipy(name == "trust-constr") for c in limits], tol, callback, options,
    )  # fmt: skip
    return _minimum(solved, objective, found, limits, bounds)


def minimize_scalar(
    fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None, tol: Any = None,
    options: Any = None,
) -> Any:  # fmt: skip
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
    solved = Solved("minimize_scalar", fun, args)
    shared = {"bracket": bracket, "bounds": bounds, "method": method, "tol": tol, "options": options}
    if not solved.is_differentiated:
        return _scipy.minimize_scalar(fun, args=args, **shared)
    objective = _Objective(solved)
    found = _scipy.minimize_scalar(objective.of_numbers, **shared)
    # The bounded method never tries the bounds themselves; it stops that near, and so are they told from minima inside.
    reach = 2 * ((options or {}).get("xatol") or tol or 1e-5)
    return _minimum(solved, objective, found, [], None if bounds is None else [bounds], reach)


__all__ = ["minimize", "minimize_scalar"]
