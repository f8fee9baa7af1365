"""Least squares under SciPy's names, differentiated in the data."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.optimize as _scipy

from ..._array import numbers_of, to_arrays, to_tensors
from ...core import Tensor, modes, wrap
from .._mirrored import Callback, called_as, is_differentiated, refused, rows, tracked
from ._minima import _minimum, _Objective, expect_constant
from ._roots import SolverCall

_LOSSES: dict[str, Any] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * (np.sqrt(1 + z) - 1),
    "huber": lambda z: np.where(z <= 1, z, 2 * np.sqrt(np.where(z <= 1, 1, z)) - 1),
    "cauchy": np.log1p,
    "arctan": np.arctan,
}
"""ρ of z = (residual / f_scale)², as `scipy.optimize.least_squares` has them."""


class _Squares(_Objective):
    """Half the sum of a loss of squared residuals."""

    def __init__(self, solved: SolverCall, loss: str, scale: Any) -> None:
        super().__init__(solved)
        self._loss, self._scale = _LOSSES[loss], scale

    def of_tensors(self, x: Any, leaves: Any) -> Any:
        residuals = self._solved.of_tensors(x, leaves)
        return self._scale**2 * self._loss((residuals / self._scale) ** 2).sum() / 2


@called_as(_scipy.least_squares)
def least_squares(
    fun: Any, x0: Any, jac: Any, bounds: Any, loss: Any, f_scale: float, args: Any, kwargs: Any, **further: Any
) -> Any:
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
    function = functools.partial(fun, **kwargs) if kwargs else fun
    expect_constant("least_squares", bounds)
    if is_differentiated(f_scale):
        raise refused("optimize.least_squares in f_scale", "It is a constant.", "")
    solved = SolverCall("least_squares", function, args, x0)
    if not solved.is_differentiated:
        return NotImplemented
    if callable(loss):
        raise refused("optimize.least_squares with a loss of one's own", "", f"Those with names: {', '.join(_LOSSES)}.")
    own = functools.partial(jac, **kwargs) if callable(jac) and kwargs else jac
    found = _scipy.least_squares(
        solved.of_numbers, np.atleast_1d(_numbers(x0)), solved.also(own, args) if callable(own) else solved.jacobian,
        bounds, loss=loss, f_scale=f_scale, **further,
    )  # fmt: skip
    found = _minimum(solved, _Squares(solved, loss, f_scale), found, [], _limits(bounds))
    found.cost = found.fun
    found.fun = solved.callback.as_asked(solved.of_tensors(to_tensors(found.x), solved.leaves))
    return found


def _limits(bounds: Any) -> _scipy.Bounds:
    return bounds if isinstance(bounds, _scipy.Bounds) else _scipy.Bounds(*bounds)


def _numbers(value: Any) -> np.ndarray:
    return np.asarray(numbers_of(to_tensors(value)), np.float64)


@called_as(_scipy.curve_fit)
def curve_fit(
    f: Any, xdata: Any, ydata: Any, p0: Any, sigma: Any, absolute_sigma: bool, bounds: Any, jac: Any,
    full_output: bool, **further: Any,
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
    expect_constant("curve_fit", bounds)
    callback = Callback("optimize.curve_fit", f, (), (xdata, ydata, sigma))
    if not callback.is_differentiated:
        return NotImplemented
    x, y = to_tensors(xdata), to_tensors(ydata)
    spread = 1.0 if sigma is None else to_tensors(sigma)
    correlated = np.ndim(_numbers(spread)) > 1
    if correlated:
        if is_differentiated(sigma):
            raise refused("optimize.curve_fit in a matrix sigma", "It is not written.", "Use least_squares.")
        inverse = np.linalg.inv(np.linalg.cholesky(_numbers(spread)))

    def residuals(p: Any, f: Any, x: Any, y: Any, spread: Any) -> Any:
        apart = f(x, *(p[k] for k in range(len(p)))) - y
        return inverse @ apart if correlated else apart / spread

    numbers = SolverCall("curve_fit", f, ())
    model = functools.wraps(f)(lambda *given: numbers.of_numbers(*given))  # SciPy counts the parameters of f
    popt, _, *rest = _scipy.curve_fit(
        model, _numbers(x), _numbers(y), None if p0 is None else np.atleast_1d(_numbers(p0)),
        None if sigma is None else _numbers(spread), absolute_sigma, bounds=bounds, jac=numbers.also(jac, ()),
        full_output=True, **further,
    )  # fmt: skip
    solved = SolverCall("curve_fit", residuals, (f, *_as_arrays(callback.of_arrays, x, y, spread)))
    found = _scipy.OptimizeResult(x=popt, success=True)
    found = _minimum(solved, _Squares(solved, "linear", 1.0), found, [], _limits(bounds))
    covariance = _covariance(solved, to_tensors(found.x), absolute_sigma, _numbers(y).size)
    result = (found.x, solved.callback.as_asked(covariance))
    return (*result, *rest) if full_output else result


def _as_arrays(of_arrays: bool, *values: Any) -> tuple[Any, ...]:
    return tuple(to_arrays(v) if of_arrays and isinstance(v, Tensor) else v for v in values)


def _covariance(solved: SolverCall, p: Any, absolute: bool, m: int) -> Any:
    """``(JᵀJ)⁻¹``, times the mean square of the residuals."""
    if modes.grad_enabled():
        at, *leaves = tracked([p, *solved.leaves])
        r = solved.of_tensors(at, leaves).reshape((-1,))
        J = rows(r, [at])
    else:
        numbers = p.detach().numpy()
        r, J = wrap(np.asarray(solved.of_numbers(numbers))), wrap(solved.jacobian(numbers))
    found = np.linalg.inv(J.mT @ J)
    if absolute:
        return found
    if m <= p.numel():
        return wrap(np.full(found.shape, np.inf))
    return found * ((r * r).sum() / (m - p.numel()))
