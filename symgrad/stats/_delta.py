"""``sg.stats.delta`` and ``sg.stats.fisher``: errors of functions of estimates, and information at any point.

The idea to hold: to first order a function g of estimates with covariance C has the covariance JCJᵀ, J its Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from .. import _limits
from ..autograd import no_grad
from ..core import unwrap
from ..show.latex_notes import cut_in_ipython
from ..transforms import Derivative
from ..transforms.calls import flatten_values, without_tables
from ..transforms.matrix import HessianMatrix
from ..transforms.report import short
from ._fit import Fit
from ._likelihood import FitError, Likelihood, choice, noted
from ._summary import quantile

INFORMATION = {"observed": "Fisher information", "opg": "outer product of gradients"}


def _short_error(error: float) -> str:
    """Three digits; up to six where they stand before the point, as those of the value do: 15098.5 ± 3147."""
    return short(error, len(f"{error:.0f}") if 999.5 <= error < 999999.5 else 3)


class Delta:
    """A function of estimates with its standard error, by the delta method.

    Attributes
    ----------
    value : the function at the estimates: a number or an array
    standard_error, lower, upper : of the same shape: the standard error, the ends of the confidence interval
    covariance : of the entries of ``value``, of shape (m, m)
    level : of the interval
    """

    def __init__(self, g: Callable[..., Any], x: Any, value: Any, covariance: np.ndarray, level: float) -> None:
        self._g, self._x, self.value, self.covariance, self.level = g, x, value, covariance, level
        self.standard_error = np.sqrt(np.diagonal(covariance)).reshape(value.shape)[()]
        reach = quantile(level) * self.standard_error
        self.lower, self.upper = value - reach, value + reach

    @cached_property
    def formula(self) -> Any:
        """The gradient of the function as a formula, in the structure of the parameters; the Jacobian of an array."""
        return Derivative("jacobian" if np.ndim(self.value) else "grad", self._g, 0).formula(self._x)

    def _rows(self) -> list[tuple[float, ...]]:
        """Value, standard error, lower and upper end, entry by entry."""
        columns = (self.value, self.standard_error, self.lower, self.upper)
        return list(zip(*(np.reshape(a, -1) for a in columns), strict=True))

    _repr_pretty_ = cut_in_ipython

    def _repr_html_(self) -> str:
        heads = f'<th>value</th><th>std. error</th><th colspan="2">{100 * self.level:g}% interval</th>'
        lines, rows = [f"<tr>{heads}</tr>"], self._rows()
        for v, s, a, b in rows[: _limits.NOTEBOOK_ROWS]:
            cells = "".join(f"<td>{text}</td>" for text in (short(v, 6), _short_error(s), short(a, 6), short(b, 6)))
            lines.append(f"<tr>{cells}</tr>")
        more = len(rows) - _limits.NOTEBOOK_ROWS
        left = f"<p>{more:,} more rows, which print shows</p>" if more > 0 else ""
        return f"<table>{''.join(lines)}</table>{left}"

    def __repr__(self) -> str:
        return "\n".join(
            f"{short(v, 6)} ± {_short_error(s)} ({100 * self.level:g}% interval {short(a, 6)} … {short(b, 6)})"
            for v, s, a, b in self._rows()
        )


def delta(
    g: Callable[..., Any], fit: Fit, kind: str = "hessian", clusters: Any = None, level: float = 0.95
) -> Delta:  # fmt: skip
    """Return a function of the estimates with its standard error and confidence interval, by the delta method.

    Parameters
    ----------
    g : function of the parameters that returns a number or an array
    fit : what `symgrad.minimize` returned
    kind, clusters : as of ``fit.covariance``
    level : the probability of the interval

    Returns
    -------
    Delta, with ``value``, ``standard_error``, ``lower``, ``upper``, ``covariance``, and ``formula``: the gradient

    Raises
    ------
    FitError : ``fit`` has no covariance; or the gradient of ``g`` is 0 at the estimates, where the method says nothing

    Notes
    -----
    A parameter at a bound is taken as known.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> y = np.array([2.0, 3.0, 4.0])
    >>> fit = sg.minimize(lambda p, y: p["rate"] - y * np.log(p["rate"]), {"rate": 1.0}, y)
    >>> none = sg.stats.delta(lambda p: np.exp(-p["rate"]), fit)
    >>> none
    0.0497871 ± 0.0498 (95% interval −0.0477938 … 0.147368)
    >>> print(none.formula["rate"])
    −exp(−rate)
    """
    if not isinstance(fit, Fit):
        raise FitError(f"sg.stats.delta takes a fit, got a {type(fit).__name__}", "",
                       "Give it what sg.minimize returned: sg.stats.delta(g, fit).")  # fmt: skip
    if not callable(g):
        raise FitError(f"sg.stats.delta takes a function of the parameters, got a {type(g).__name__}", "",
                       "Write it as Python: sg.stats.delta(lambda p: …, fit).")  # fmt: skip
    covariance = fit._covariance(kind, clusters)
    x = fit.x
    with no_grad():
        with noted("sg.stats.delta called g", {"fit.x": x}, "start sg.minimize from a dictionary"):
            value = g(without_tables(x))
        value = unwrap(value)
        if not isinstance(value, (np.ndarray, np.generic, float, int)) or np.iscomplexobj(value):
            raise FitError(f"sg.stats.delta takes a function that returns real numbers, and g returned {value!r}", "",
                           "Return one number, or an array: np.stack([…]).")  # fmt: skip
        value = np.asarray(value, float)[()]
        found = flatten_values(without_tables(Derivative("jacobian", g, 0)(x)))[0]
    parts = [np.asarray(unwrap(j), float).reshape(value.size, -1) for j in found]
    J = np.concatenate(parts, 1)
    flat = np.flatnonzero(~(J @ fit._free.basis).any(1))
    if flat.size:
        which = f" of entry {int(flat[0])}" if np.ndim(value) else ""
        raise FitError(f"the gradient{which} of g is 0 at the estimates", "To first order g does not vary there.",
                       "The delta method says nothing here: simulate, or take a profile likelihood.")  # fmt: skip
    return Delta(g, x, value, J @ covariance @ J.T, level)


def fisher(
    f: Callable[..., Any], params: Any, *data: Any, kind: str = "observed", objective: str = "nll"
) -> HessianMatrix:  # fmt: skip
    """Return the Fisher information of a likelihood at a point.

    Parameters
    ----------
    f, params, data, objective : as of `symgrad.minimize`
    kind : 'observed', the Hessian of the negative log-likelihood; 'opg', the outer product of the contributions'
        gradients, whose expectation is the expected information where the model is right

    Returns
    -------
    HessianMatrix, whose rows have the parameters' names; ``.covariance()`` is its inverse.

    Raises
    ------
    FitError : ``f`` returns one number and kind is 'opg'; else as `symgrad.minimize`

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> f = lambda rate, y: rate - y * np.log(rate)
    >>> y = np.array([2.0, 3.0, 4.0])
    >>> sg.stats.fisher(f, 3.0, y).matrix.round(6)
    array([[1.]])
    >>> sg.stats.fisher(f, 3.0, y, kind="opg").matrix.round(6)
    array([[0.222222]])
    >>> print(sg.hessian(f)(sg.symbol("r"), sg.symbol("y")))
    y/r²
    """
    choice("kind", kind, INFORMATION)
    model = Likelihood("sg.stats.fisher", f, params, data, objective)
    if kind == "observed":
        matrix = model.hessian(model.start)
    else:
        scores = model.scores(model.start)
        matrix = scores.T @ scores
    whole = model.skeleton
    found = HessianMatrix(matrix, whole.spec, whole.shapes, whole.names, whole.several)
    found.labels, found._word = list(model.labels), INFORMATION[kind]
    return found
