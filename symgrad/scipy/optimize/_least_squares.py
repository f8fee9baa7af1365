"""Least squares under SciPy's names, differentiated in the data."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.optimize as _scipy

from ..._array import to_arrays, to_tensors
from ...autograd import enable_grad as _enable_grad
from ...core import Tensor, wrap
from .._mirrored import Callback, is_differentiated, refused, rows, tracked
from ._minima import _minimum, _Objective, expect_constant
from ._roots import Solved

_LOSSES = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * (np.sqrt(1 + z) - 1),
    "huber": lambda z: np.where(z <= 1, z, 2 * np.sqrt(np.where(z <= 1, 1, z)) - 1),
    "cauchy": lambda z: np.log1p(z),
    "arctan": lambda z: np.arctan(z),
}
"""ρ of z = (residual / f_scale)², as `scipy.optimize.least_squares` has them."""


class _Squares(_Objective):
    """Half the sum of a loss of squared residuals."""

    def __init__(self, solved: Solved, loss: str, scale: Any) -> None:
        super().__init__(solved)
        self._loss, self._scale = _LOSSES[loss], scale

    def of_tensors(self, x: Any, leaves: Any) -> Any:
        residuals = self._solved.of_tensors(x, leaves)
        return self._scale**2 * self._loss((residuals / self._scale) ** 2).sum() / 2


def least_squares(
    fun: Any, x0: Any, jac: Any = "2-point", bounds: Any = (-np.inf, np.inf), method: str = "trf", ftol: Any = 1e-08,
    xtol: Any = 1e-08, gtol: Any = 1e-08, x_scale: Any = None, loss: Any = "linear", f_scale: float = 1.0,
    diff_step: Any = None, tr_solver: Any = None, tr_options: Any = None, jac_sparsity: Any = None,
    max_nfev: Any = None, verbose: int = 0, args: Any = (), kwargs: Any = None, callback: Any = None,
    workers: Any = None,
) -> Any:  # fmt: skip
    """Return the minimum of a sum of squares, as `scipy.optimize.least_squares`; differentiable.

    Parameters are those of `scipy.optimize.least_squares`.

    Parameters
    ----------
    fun : ``fun(x, *args, **kwargs)``, a vector of residuals; of the result x, cost and fun are differentiable
    x0 : start; the derivative in it is 0
    args, kwargs : differentiable, and so are tensors that fun sees where it is written
    bounds : constants

    Raises
    ------
    GradientError : as of `minimize`
    NotDifferentiableError : a loss that is a function; differentiated bounds

    Notes
    -----
    By the implicit function theorem for ``∇ Σ ρ(r²) = 0``, with the whole Hessian and not ``JᵀJ``: right for large
    residuals too. SciPy gets exact Jacobians unless ``jac`` is a function.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> t = np.arange(4.0)
    >>> def rate(y):  # of y = exp(-rate t)
    ...     return sp.optimize.least_squares(lambda p: np.exp(-p[0] * t) - y, [1.0]).x[0]
    >>> sg.grad(rate)(np.exp(-0.5 * t)).round(4)
    array([-0.    , -0.4469, -0.5421, -0.4932])
    """
    given = {
        "method": method, "ftol": ftol, "xtol": xtol, "gtol": gtol, "x_scale": x_scale, "loss": loss,
        "f_scale": f_scale, "diff_step": diff_step, "tr_solver": tr_solver, "tr_options": tr_options,
        "jac_sparsity": jac_sparsity, "max_nfev": max_nfev, "verbose": verbose,
    }  # fmt: skip
    given |= {"callback": callback, "workers": workers}
    given = {k: v for k, v in given.items() if v is not None or k in ("ftol", "xtol", "gtol")}  # older SciPy's defaults
    function = functools.partial(fun, **kwargs) if kwargs else fun
    expect_constant("least_squares", bounds)
    if is_differentiated(f_scale):
        raise refused("optimize.least_squares in f_scale", "It is a constant.", "")
    solved = Solved("least_squares", function, args, x0)
    if not solved.is_differentiated:
        return _scipy.least_squares(fun, x0, jac, bounds, args=args, kwargs=kwargs or {}, **given)
    if callable(loss):
        raise refused("optimize.least_squares with a loss of one's own", "", f"Those with names: {', '.join(_LOSSES)}.")
    own = functools.partial(jac, **kwargs) if callable(jac) and kwargs else jac
    found = _scipy.least_squares(
        solved.of_numbers, np.atleast_1d(_numbers(x0)), solved.also(own, args) if callable(own) else solved.jacobian,
        bounds, **given,
    )  # fmt: skip
    n = found.x.size
    ends = [bounds.lb, bounds.ub] if isinstance(bounds, _scipy.Bounds) else list(bounds)
    limits = _scipy.Bounds(*(np.broadcast_to(np.asarray(b, float), (n,)) for b in ends))
    found = _minimum(solved, _Squares(solved, loss, f_scale), found, [], limits)
    found.cost = found.fun
    found.fun = solved.value(solved.of_tensors(to_tensors(found.x), solved.leaves))
    return found


def _numbers(value: Any) -> np.ndarray:
    value = to_tensors(value)
    return np.asarray(value.detach().numpy() if isinstance(value, Tensor) else value, np.float64)


def curve_fit(
    f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: bool = False,
    check_finite: Any = None, bounds: Any = (-np.inf, np.inf), method: Any = None, jac: Any = None, *,
    full_output: bool = False, nan_policy: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """Return the parameters that fit a curve to data, and their covariance, as `scipy.optimize.curve_fit`.

    Parameters are those of `scipy.optimize.curve_fit`.

    Parameters
    ----------
    f : ``f(x, *parameters)``, written in operations
    xdata, ydata, sigma : differentiable; sigma is a number or one for each observation

    Raises
    ------
    GradientError : as of `minimize`
    NotDifferentiableError : a matrix ``sigma`` that is differentiated; differentiated bounds

    Notes
    -----
    Both results are differentiable: the parameters as of `least_squares`, the covariance as the formula that it is.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x = np.array([0.0, 1.0, 2.0])
    >>> def slope(y):
    ...     return sp.optimize.curve_fit(lambda x, a, b: a * x + b, x, y)[0][0]
    >>> sg.grad(slope)(np.array([1.0, 2.0, 4.0])).round(6)
    array([-0.5, -0. ,  0.5])
    """
    shared = {"absolute_sigma": absolute_sigma, "bounds": bounds, "full_output": True, **kwargs}
    shared |= {k: v for k, v in {"check_finite": check_finite, "nan_policy": nan_policy, "method": method}.items()
               if v is not None}  # fmt: skip
    expect_constant("curve_fit", bounds)
    callback = Callback("optimize.curve_fit", f, (), (xdata, ydata, sigma))
    if not callback.is_differentiated:
        return _scipy.curve_fit(f, xdata, ydata, p0, sigma, jac=jac, **{**shared, "full_output": full_output})
    x, y = to_tensors(xdata), to_tensors(ydata)
    spread = 1.0 if sigma is None else to_tensors(sigma)
    if np.ndim(_numbers(spread)) > 1:
        if is_differentiated(sigma):
            raise refused("optimize.curve_fit in a matrix sigma", "It is not written.", "Use least_squares.")
        inverse = np.linalg.inv(np.linalg.cholesky(_numbers(spread)))

    def residuals(p: Any, f: Any, x: Any, y: Any, spread: Any) -> Any:
        apart = f(x, *(p[k] for k in range(len(p)))) - y
        return inverse @ apart if np.ndim(_numbers(spread)) > 1 else apart / spread

    numbers = Solved("curve_fit", f, ())

    def plain(x: Any, *p: Any) -> Any:
        return numbers.of_numbers(x, *p)

    start = p0 if p0 is not None else np.ones(f.__code__.co_argcount - 1)
    popt, pcov, *rest = _scipy.curve_fit(
        plain, _numbers(x), _numbers(y), np.atleast_1d(_numbers(start)), None if sigma is None else _numbers(spread),
        jac=numbers.also(jac, ()), **shared,
    )  # fmt: skip
    del pcov
    solved = Solved("curve_fit", residuals, (f, *_as_arrays(callback.of_arrays, x, y, spread)))
    found = type("Found", (), {"x": popt, "success": True, "message": "", "fun": None})()
    ends = [bounds.lb, bounds.ub] if isinstance(bounds, _scipy.Bounds) else list(bounds)
    ends = [bounds.lb, bounds.ub] if isinstance(bounds, _scipy.Bounds) else list(bounds)
    limits = _scipy.Bounds(*(np.broadcast_to(np.asarray(b, float), (popt.size,)) for b in ends))
    found = _minimum(solved, _Squares(solved, "linear", 1.0), found, [], limits)
    covariance = _covariance(solved, to_tensors(found.x), absolute_sigma, _numbers(y).size)
    result = (found.x, solved.value(covariance))
    return (*result, *rest) if full_output else result


def _as_arrays(of_arrays: bool, *values: Any) -> tuple[Any, ...]:
    return tuple(to_arrays(v) if of_arrays and isinstance(v, Tensor) else v for v in values)


def _covariance(solved: Solved, p: Any, absolute: bool, m: int) -> Any:
    """``(JᵀJ)⁻¹``, times the mean square of the residuals."""
    with _enable_grad():
        at, *leaves = tracked([p, *solved.leaves])
        r = solved.of_tensors(at, leaves).reshape((-1,))
        J = rows(r, [at])
    found = np.linalg.inv(J.mT @ J)
    if absolute:
        return found
    if m <= p.numel():
        return wrap(np.full(found.shape, np.inf))
    return found * ((r * r).sum() / (m - p.numel()))


__all__ = ["curve_fit", "least_squares"]
