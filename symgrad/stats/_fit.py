"""`Fit`: what a minimiser found, and what it says of the parameters: standard errors, covariances, intervals.

The idea to hold: at a minimum of a negative log-likelihood with Hessian H and contributions' gradients G, the
covariance of the estimates is H⁻¹, (GᵀG)⁻¹ or H⁻¹GᵀG H⁻¹. There is none before the minimum is reached, which is
measured in standard errors: gᵀH⁻¹g is the squared distance to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import OptimizeResult

from .. import _limits
from .._errors import compose
from .._progress import Task
from ..show._notebook import cut_in_ipython
from ..transforms._matrix import HessianMatrix
from ..transforms._report import short
from ..transforms._tree import flatten
from ._bounds import CONVERGED, FLAT, PIVOT, Free, free_directions, is_unlimited
from ._likelihood import FitError, Likelihood, choice
from ._summary import KINDS, quantile, summary_of, two_sided
from ._words_of_others import ATTRIBUTES, OF_KINDS, OF_STATISTICS, instead_of_keywords

_taught = instead_of_keywords(OF_STATISTICS)


class Interval(NamedTuple):
    """Both ends, each in the structure of the parameters."""

    lower: Any
    upper: Any


class Fit(OptimizeResult):
    """What `symgrad.minimize` returns: SciPy's OptimizeResult, with the statistics of the estimates.

    Attributes
    ----------
    x : the estimates, in the structure of the parameters, with their labels
    labels : a name for each number of them, in the order of SciPy's flat vectors (``jac``, for one)
    fun : the minimised value, minus the log-likelihood
    method : the method of SciPy that was used
    loglik : the log-likelihood
    success : whether SciPy says so, or the fit has converged
    converged : whether the minimum is within 1e-4 standard errors
    observations : how many contributions ``f`` returns; None where it returns their sum
    aic, bic : the criteria of Akaike and of Bayes, of the likelihood as ``f`` computes it

    Notes
    -----
    Statistics take the function for a negative log-likelihood. ``kind`` says from what a covariance is made: 'hessian',
    its inverse; 'opg', the inverse of the outer product of the contributions' gradients; 'sandwich', of both, robust
    to a wrong variance (HC0 of a linear model); 'cluster', the same with gradients summed within ``clusters``. There is
    no correction for small samples. A parameter at a bound is left out: the others' figures hold it fixed.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> fit = sg.minimize(lambda rate, y: rate - y * np.log(rate), 1.0, np.array([2.0, 3.0, 4.0]))
    >>> print(round(fit.x, 6), round(fit.standard_errors() ** 2, 6))
    3.0 1.0
    >>> print(round(fit.standard_errors("sandwich") ** 2, 6))
    0.222222
    """

    _model: Likelihood
    _flat: np.ndarray
    _limits: Any

    @classmethod
    def of(cls, found: OptimizeResult, model: Likelihood, method: str, limits: Any) -> Fit:
        """Make a fit of SciPy's result, the likelihood, and (lower, upper, rows)."""
        fit = cls(found)
        flat = np.array(found.x, float)
        fit.update(x=model.like_params(flat), labels=model.labels, method=method)
        state: dict[str, Any] = fit.__dict__  # an attribute set is an entry of the result
        state.update(_model=model, _flat=flat, _limits=limits)
        if not fit.success and fit.converged:  # the last steps were lost in rounding
            said = fit.message.rstrip(".")
            fit.update(success=True, message=f"The minimum is within {CONVERGED:g} standard errors ({said}).")
        return fit

    def __getattr__(self, name: str) -> Any:
        if name in ATTRIBUTES and name not in self:
            what = compose(f"a fit has no attribute {name!r}", "", f"Write {ATTRIBUTES[name]}.")
            raise AttributeError(what, name=name, obj=self)
        return super().__getattr__(name)

    def __repr__(self) -> str:
        text: str = super().__repr__()
        if self.success and len(self.labels) <= _limits.FITTED_DENSE and not self.converged:
            text += "\nnot converged, whatever success says: fit.summary() says why"
        return text

    def __dir__(self) -> list[str]:
        return sorted({*dir(type(self)), *self})

    # ---------------------------------------------------------------------------------------- what the point is

    @property
    def loglik(self) -> float:
        """The log-likelihood: minus ``fun``."""
        return -float(self.fun)

    @property
    def aic(self) -> float:
        """Akaike's criterion: 2k − 2 loglik, k being the number of parameters that are free (not at a bound).

        Of the likelihood that ``f`` computes: constants that ``f`` leaves out are missing here too.
        """
        return 2.0 * self._free_count - 2.0 * self.loglik

    @property
    def bic(self) -> float:
        """The Bayesian criterion: k log n − 2 loglik, n being the number of contributions that ``f`` returns."""
        if self.observations is None:
            raise FitError("f returns one number, and the Bayesian criterion needs the number of observations", "",
                           "Let f return the vector of contributions: leave its .sum() out.")  # fmt: skip
        return self._free_count * float(np.log(self.observations)) - 2.0 * self.loglik

    @property
    def _free_count(self) -> int:
        self._require_converged()
        return len(self.labels) if self._is_large else int(self._free.basis.shape[1])

    @property
    def observations(self) -> int | None:
        """How many contributions ``f`` returns; None where it returns their sum."""
        return self._model.observations

    @cached_property
    def _hessian(self) -> np.ndarray:
        return self._model.hessian(self._flat)

    @cached_property
    def _free(self) -> Free:
        gradient = self._model.value_and_gradient(self._flat)[1]
        return free_directions(self._flat, gradient, self._hessian, *self._limits)

    @cached_property
    def _inverse(self) -> np.ndarray:
        """The inverse Hessian in the free directions; an error in the parameters' names where there is none."""
        return self._inverted(self._free.reduced(self._hessian), "Hessian")

    def _inverted(self, matrix: np.ndarray, word: str) -> np.ndarray:
        """The inverse of a matrix of the free directions, which have the names of the parameters they are steps of."""
        return np.asarray(self._labelled(matrix, self._free.own, word).covariance()) if len(matrix) else matrix

    def _labelled(self, matrix: np.ndarray, chosen: np.ndarray, word: str) -> HessianMatrix:
        """A matrix of some of the parameters: all of them keep their structure, others are called by their labels."""
        whole = self._model.skeleton
        if chosen.tolist() == list(range(len(self.labels))):
            found = HessianMatrix(matrix, whole.spec, whole.shapes, whole.names, whole.several)
            found.labels = list(self.labels)
        else:
            words = [self.labels[k] for k in chosen]
            spec = flatten(dict.fromkeys(words, 0.0))[1]
            found = HessianMatrix(matrix, spec, [()] * len(words), [(w,) for w in words], False)
        found._word = word
        return found

    @property
    def _is_large(self) -> bool:
        """Whether nobody waits for the matrix, or its inverse, who has not asked for them."""
        few = len(self.labels) <= _limits.FITTED_ERRORS or "_hessian" in self.__dict__
        return not few and is_unlimited(*self._limits)

    @cached_property
    def _distance(self) -> float:
        """How far the minimum is, in standard errors of the direction to it."""
        if self._is_large:
            times = self._model.operator(self._flat).matvec
            slope = self._model.value_and_gradient(self._flat)[1]
            conjugate_gradients(times, np.random.default_rng(0).standard_normal(slope.size), _limits.FITTED_PROBED)
            step = conjugate_gradients(times, slope)
            return float("inf") if step is None else float(np.sqrt(abs(slope @ step)))
        plainly = self._distance_by_factors()
        return max(self._distance_by(self._inverse) if plainly is None else plainly, self._free.outside)

    def _distance_by_factors(self) -> float | None:
        """The same by a Cholesky factor of the Hessian; None where it has none, or is near to singular: then
        eigenvalues, which take many times as long, say what the matter is."""
        form = self._free.reduced(self._hessian)
        if not len(form) or not np.isfinite(form).all() or not (np.diagonal(form) > 0).all():
            return None
        scale = 1 / np.sqrt(np.diagonal(form))
        try:
            factor = np.linalg.cholesky(form * scale * scale[:, None])
        except np.linalg.LinAlgError:
            return None
        if np.diagonal(factor).min() < PIVOT:
            return None
        slope = self._free.basis.T @ self._model.value_and_gradient(self._flat)[1]
        return float(np.linalg.norm(solve_triangular(factor, slope * scale, lower=True)))

    def _distance_by(self, inverse: np.ndarray) -> float:
        slope = self._free.basis.T @ self._model.value_and_gradient(self._flat)[1]
        return float(np.sqrt(np.abs(slope @ inverse @ slope)))

    @property
    def _flattened(self) -> float:
        """The size of the Hessian as a part of that at the start, if the way from there is lost in the errors; else 1.

        Errors so large tell a maximum at infinity from a start in other units, where the Hessian is small as well.
        """
        spread = self._free.spread(self._inverse)
        moved, errors = self._flat - self._model.start, np.sqrt(np.diagonal(spread))
        if not (errors > np.abs(moved))[~self._free.held].all():
            return 1.0
        return self._curvature_left

    @property
    def _curvature_left(self) -> float:
        with np.errstate(all="ignore"):
            return float(np.linalg.norm(self._hessian) / np.linalg.norm(self._model.hessian(self._model.start)))

    @property
    def _falls(self) -> bool:
        """Whether f falls along a straight line: the curvature of the start is gone, and its slope is not."""
        here, start = (self._model.value_and_gradient(x)[1] for x in (self._flat, self._model.start))
        return self._curvature_left < FLAT and bool(np.linalg.norm(here) > 1e-3 * np.linalg.norm(start))

    @property
    def converged(self) -> bool:
        """Whether the minimum is within 1e-4 standard errors; False where the Hessian says that this is none."""
        try:
            return self._distance <= CONVERGED
        except np.linalg.LinAlgError:
            return False

    def _require_converged(self) -> None:
        step = "Go on from there, sg.minimize(f, fit.x, …), with another method or a smaller tol=."
        try:
            if self._distance <= CONVERGED:
                return
            evidence = f"The minimum is about {short(self._distance)} standard errors away."
            if not self._is_large and self._flattened < FLAT:
                evidence = (
                    f"f flattens out: its Hessian is {short(self._flattened, 2)} of that at the start, and the "
                    "estimates run off, as they do where the data separate the outcomes perfectly."
                )
                step = "Leave out what separates them, or hold the parameters with bounds=."
        except np.linalg.LinAlgError as error:
            if self._is_large:
                raise
            form = self._free.reduced(self._hessian)
            flat = np.linalg.pinv(form, 1e-10, True) if np.isfinite(form).all() else None
            if flat is None or (self._distance_by(flat) <= CONVERGED and not self._falls):
                raise  # the point is stationary, and no minimum
            found = str(error).rpartition("\n")[0]
            evidence = f'{found}\nA log-likelihood is fitted with objective="loglik".'
        raise FitError(
            f"the fit has not converged ({self.method}: {self.message.rstrip('.')})", evidence,
            step,
        )  # fmt: skip

    # ---------------------------------------------------------------------------------------- covariances

    @_taught
    def covariance(self, kind: str = "hessian", clusters: Any = None) -> HessianMatrix:
        """Return the covariance matrix of the estimates, whose rows have the parameters' names.

        Parameters
        ----------
        kind : 'hessian', 'opg', 'sandwich' or 'cluster', see `Fit`
        clusters : for 'cluster', of each observation the group that it belongs to

        Raises
        ------
        FitError : the fit has not converged; ``f`` returns one number where contributions are needed; the clusters are
            of another length, or fewer than two
        LinAlgError : the matrix is not positive definite; the message names the weak directions

        Notes
        -----
        Parameters at a bound have no row. Where some are left out, the others are called by their labels.
        """
        whole = self._covariance(kind, clusters)
        kept = np.flatnonzero(~self._free.held)
        return self._labelled(whole[np.ix_(kept, kept)], kept, "covariance")

    def _covariance(self, kind: str, clusters: Any = None) -> np.ndarray:
        """The same of all parameters, flat, with zeros for those that are held."""
        choice("kind", kind, KINDS, OF_KINDS)
        if (clusters is not None) != (kind == "cluster"):
            raise FitError(f"kind={kind!r} {'needs' if clusters is None else 'takes no'} clusters=", "",
                           "Of each observation the group: fit.covariance('cluster', clusters=groups).")  # fmt: skip
        with Task(f"the covariance of {len(self._flat):,} estimates"):
            scores = None if kind == "hessian" else self._model.factor(self._flat, clusters) @ self._free.basis
            self._require_converged()
            if scores is None:
                inner = self._inverse
            elif kind == "opg":
                inner = self._inverted(scores.T @ scores, "outer product of gradients")
            else:
                half = scores @ self._inverse
                inner = half.T @ half
            return self._free.spread(inner)

    @_taught
    def correlation(self, kind: str = "hessian", clusters: Any = None) -> HessianMatrix:
        """Return the correlation matrix of the estimates; parameters and errors as of `covariance`."""
        found = self.covariance(kind, clusters)
        scale = np.sqrt(found.diagonal())
        found.matrix = found.matrix / scale / scale[:, None]
        found._word = "correlation"
        return found

    @_taught
    def standard_errors(self, kind: str = "hessian", clusters: Any = None) -> Any:
        """Return the standard errors in the structure of the parameters, nan for those at a bound.

        Parameters and errors as of `covariance`.
        """
        return self._model.like_params(self._errors(kind, clusters))

    def _errors(self, kind: str, clusters: Any) -> np.ndarray:
        variance = np.diagonal(self._covariance(kind, clusters))
        return np.where(self._free.held, np.nan, np.sqrt(variance))

    @_taught
    def z(self, kind: str = "hessian", clusters: Any = None) -> Any:
        """Return estimates divided by standard errors, in the structure of the parameters; else as `covariance`."""
        return self._model.like_params(self._flat / self._errors(kind, clusters))

    @_taught
    def pvalues(self, kind: str = "hessian", clusters: Any = None) -> Any:
        """Return the two-sided p-values of `z`, by the normal distribution; else as `covariance`."""
        return self._model.like_params(two_sided(self._flat / self._errors(kind, clusters)))

    @_taught
    def confint(self, level: float = 0.95, kind: str = "hessian", clusters: Any = None) -> Interval:
        """Return (lower, upper), the ends of the confidence intervals by the normal distribution.

        ``level`` is the probability; the other parameters and errors are those of `covariance`.
        """
        reach = quantile(level) * self._errors(kind, clusters)
        return Interval(self._model.like_params(self._flat - reach), self._model.like_params(self._flat + reach))

    @_taught
    def summary(self, kind: str = "hessian", clusters: Any = None, level: float = 0.95) -> Any:
        """Return a table of the estimates, as text, HTML and LaTeX: `Summary`.

        Parameters as of `covariance` and `confint`. Where there are no standard errors the table says why.
        """
        return summary_of(self, kind, clusters, level)

    _repr_pretty_ = cut_in_ipython

    def _repr_html_(self) -> str | None:
        if len(self.labels) > _limits.NOTEBOOK_FIT:
            return None
        try:
            return str(self.summary()._repr_html_())
        except Exception:  # whatever is wrong with the table, a notebook shows the text
            return None


def conjugate_gradients(
    times: Callable[[np.ndarray], np.ndarray], rhs: np.ndarray, most: int = _limits.FITTED_PRODUCTS
) -> np.ndarray | None:
    """The solution of a positive definite system by products with its matrix; None where it takes more than ``most``.

    Raises
    ------
    LinAlgError : on the way there is a direction whose curvature is not positive
    """
    x, rest, way = np.zeros(rhs.size), rhs.copy(), rhs.copy()
    square = float(rest @ rest)
    enough = 1e-6 * square
    for _ in range(most):
        if square <= enough:
            return x
        turned = np.asarray(times(way)).reshape(-1)
        curvature = float(way @ turned)
        if not curvature > 0:
            raise np.linalg.LinAlgError(
                compose("the Hessian is not positive definite", "There is a direction along which f does not rise.",
                        "Look at it with sg.hessian(f, format='csr').report(fit.x, …).")
            )  # fmt: skip
        x, rest = x + square / curvature * way, rest - square / curvature * turned
        square, before = float(rest @ rest), square
        way = rest + square / before * way
    return None


__all__ = ["Fit", "Interval"]
