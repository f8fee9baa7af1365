"""What SciPy's own `minimize` wants of a function of plain numbers: exact derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize as _scipy

from ...transforms._derivative import jacobian as _jacobian
from ...transforms._hessian import hessian as _hessian
from ...transforms._products import hvp as _hvp
from ...transforms._vjp import value_and_grad as _value_and_grad
from ._minima import _TAKE_GRADIENTS, _TAKE_HESSIANS

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


__all__ = ["NonlinearConstraint", "problem"]
