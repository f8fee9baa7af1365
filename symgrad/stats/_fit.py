"""`Fit`: what a minimiser found and what it says of the parameters: errors, covariances, intervals, bounds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import OptimizeResult

from .. import _limits
from .._errors import compose, instead_of_keywords
from .._limits import bound
from .._progress import Task
from ..ops.linalg import LinAlgError
from ..show.latex_notes import cut_in_ipython
from ..transforms.calls import flatten, require_one_order
from ..transforms.matrix import HessianMatrix
from ..transforms.report import clauses, short
from ._constraints import CONVERGED, Free, allows, equations, free_directions, is_unlimited
from ._delta import Effects, effects_of
from ._leverages import CORRECTIONS, corrected
from ._likelihood import SUM_OF_SQUARES, FitError, Likelihood, returns_squares
from ._restrictions import Test, likelihood_ratio, wald
from ._summary import kind_of, quantile, summary_of, two_sided
from ._symmetry import Symmetry, exchanged, inverse_across, least_eigenvalue, leaves_a_minimum, symmetries

# -------------------------------------------------------------------------------------------------------------------
# The words of SciPy and statsmodels for what a fit has under another name, and the next step for who uses them

# The idea to hold: names are no aliases. A lookup or a call by such a word fails as it did, and says what to write.


ATTRIBUTES = {
    "params": "fit.x", "bse": "fit.standard_errors()", "tvalues": "fit.z()", "zvalues": "fit.z()",
    "conf_int": "fit.confint()", "cov_params": "fit.covariance()", "hess_inv": "fit.covariance()",
    "cov": "fit.covariance()", "llf": "fit.loglik", "loglike": "fit.loglik", "nobs": "fit.observations",
    "estimates": "fit.x", "se": "fit.standard_errors()", "std_errors": "fit.standard_errors()",
    "hess": "sg.hessian(f)(fit.x, …)", "predict": "your model at fit.x, in NumPy",
    "wald_test": 'fit.test("a = b")', "t_test": 'fit.test("a = b")',
    "f_test": 'fit.test("a = b", residual_df=…)', "lr_test": "fit.likelihood_ratio(g), g the smaller fit",
    "compare_lr_test": "fit.likelihood_ratio(g), g the smaller fit",
    "get_margeff": "fit.effects(predict), predict your model of (params, data)",
    "fittedvalues": "your model at fit.x, in NumPy", "resid": "y less your model at fit.x, in NumPy",
    "score": "sg.jacobian(f)(fit.x, …), a row for each contribution of f",
    "score_obs": "sg.jacobian(f)(fit.x, …), a row for each contribution of f",
    "bootstrap": "draws = rng.integers(n, size=(999, n)), n the number of rows, and\n"
    "[sg.minimize(f, fit.x, X[rows], y[rows]).x for rows in draws]; of pandas' tables X.iloc[rows]",
    "profile": "[sg.minimize(f, fit.x, X, y, bounds={name: (v, v)}).loglik for v in values], name one of fit.labels",
}  # fmt: skip
"""What to write in place of an attribute of other packages' results."""

_DERIVATIVES = "Derivatives are made from f: leave it out."
_OPTION = "It is an option of SciPy's: options={{{0!r}: …}}."
OF_MINIMIZE = {
    "args": "Data follow the parameters, one by one: sg.minimize(f, params, X, y).",
    "data": "Data follow the parameters, one by one: sg.minimize(f, params, X, y).",
    "x0": "The start is the second argument: sg.minimize(f, params).",
    "jac": _DERIVATIVES, "hess": _DERIVATIVES, "hessp": _DERIVATIVES,
    "maxiter": _OPTION, "disp": _OPTION, "gtol": _OPTION, "ftol": _OPTION,
    "names": 'Names are those of the parameters: start from pd.Series(0.0, index=names), or from {"a": 0.0, "b": 0.0}.',
}  # fmt: skip
_CLUSTERS = "Groups are clusters=: fit.standard_errors('cluster', clusters=groups)."
_NAMES = "Names are those of the parameters: start from a Series or a dictionary; .latex({old: new}) prints others."
OF_STATISTICS = {
    "cov_type": "It is kind=: 'hessian', 'opg', 'sandwich' (robust), 'HC1' to 'HC3' or 'cluster'.",
    "alpha": "level= is the probability of the interval: level=0.95 for alpha=0.05.",
    "groups": _CLUSTERS, "cov_kwds": _CLUSTERS, "cluster": _CLUSTERS,
    "names": _NAMES, "xname": _NAMES, "labels": _NAMES,
}  # fmt: skip


# -------------------------------------------------------------------------------------------------------------------
# `Fit`: what a minimiser found, and what it says of the parameters: standard errors, covariances, intervals

# The idea to hold: at a minimum of a negative log-likelihood with Hessian H and contributions' gradients G, the
# covariance of the estimates is H⁻¹, (GᵀG)⁻¹ or H⁻¹GᵀG H⁻¹. There is none before the minimum is reached, which is
# measured in standard errors: gᵀH⁻¹g is the squared distance to it.


_taught = instead_of_keywords(OF_STATISTICS)

PIVOT = 1e-3
"""Where a pivot of the Hessian, scaled to a diagonal of ones, is less, its eigenvalues say what can be determined; and
where one of these is less than its square, so do symmetries: of these rounding leaves eigenvalues of either sign."""

ROUNDED = bound(16)
"""Units of rounding of f below which what a step gains is lost in it: f is a sum of many terms."""
AT_ROUNDING = "Converged: the gradient is at rounding level, so no step improves f any further."

FLAT = 1e-6
"""Where the Hessian is less than this part of that at the start, and the errors are large, the estimates run off."""


FLAT_RISE = 1e-3
"""Where f rises by less than this part of what its curvature says, it is flat: a minimum has no such direction."""

LOOKED_AT = (1, 2, 4, 8)
"""How many standard errors away f is looked at for that."""


class Interval(NamedTuple):
    """Both ends, each in the structure of the parameters; by a name of these both ends of that one."""

    lower: Any
    upper: Any

    def __getitem__(self, key: Any) -> Any:
        return Interval(self.lower[key], self.upper[key]) if isinstance(key, str) else tuple(self)[key]


LABELS = bound(20)
"""Labels that the text of a fit shows; of more, the first and the last of them."""

SYMMETRIES_SHOWN = bound(4)
"""Symmetries of a function that an error has a line for."""

NOTEBOOK_FIT = bound(400)
"""Parameters of a fit up to which it shows the table of estimates, for which the Hessian is computed."""


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
    to a wrong variance (HC0 of a linear model); 'HC1', 'HC2' and 'HC3', the same corrected for small samples, by
    n/(n − k), k coefficients, and by leverages (MacKinnon and White, 1985), where an observation enters by one linear
    index; 'cluster', the sandwich with gradients summed within ``clusters``. A parameter at a bound is left out: the
    others' figures hold it fixed. Leverages cost a pass for each pair of parameters, once.

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
        if not fit.success and fit.converged:
            fit.update(success=True, message=fit._said_of_convergence())
        return fit

    def _said_of_convergence(self) -> str:
        """What to say where SciPy says that it failed: mostly a last step that would gain less than f is rounded by."""
        gain, rounding = self._distance**2 / 2, np.finfo(float).eps * max(abs(float(self.fun)), 1.0)
        if gain <= ROUNDED * rounding:
            return AT_ROUNDING
        return f"Converged: the minimum is within {CONVERGED:g} standard errors ({self.message.rstrip('.')})."

    def __getattr__(self, name: str) -> Any:
        if name in ATTRIBUTES and name not in self:
            what = compose(f"a fit has no attribute {name!r}", "", f"Write {ATTRIBUTES[name]}.")
            raise AttributeError(what, name=name, obj=self)
        return super().__getattr__(name)

    def __repr__(self) -> str:
        shown = OptimizeResult(self)
        if len(self.labels) > LABELS:
            shown["labels"] = [*self.labels[: LABELS // 2], "…", *self.labels[-LABELS // 2 :]]
        text: str = repr(shown)
        if not self.converged:
            several = self._stays()
            text += "".join(f"\nf stays the same when {s.what}" for s in several[:SYMMETRIES_SHOWN])
            if several and leaves_a_minimum(self._hessian, several):
                text += "\nfit.x is one of many minima: it has no standard errors, and converged is False"
            elif self.success:
                text += "\nnot converged, whatever success says: fit.summary() says why"
        return text

    def _stays(self) -> list[Symmetry]:
        """The symmetries that are why a fit has not converged."""
        with suppress(FitError):
            try:
                self._require_converged()
            except np.linalg.LinAlgError:
                return self._symmetries
        return []

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
        return free_directions(self._flat, self._gradient, self._hessian, *self._limits)

    @property
    def _gradient(self) -> np.ndarray:
        return self._model.value_and_gradient(self._flat)[1]

    @property
    def _equalities(self) -> list[str]:
        """The linear constraints that hold with equality, as equations."""
        return equations(self._limits[2], self._free.binding, self.labels)

    @cached_property
    def _inverse(self) -> np.ndarray:
        """The inverse Hessian in the free directions; an error in the parameters' names where there is none."""
        form = self._free.reduced(self._hessian)
        found = self._inverted(form, "Hessian")
        if len(form) and self._distance_by_factors() is None and self._seems_flat(form) and self._symmetries:
            weak = self._labelled(form, self._free.own, "Hessian").report()
            raise LinAlgError("the Hessian is flat, but for rounding, so its inverse is no covariance",
                              clauses(weak.weak_directions, weak), "Hold one of these parameters fixed.")  # fmt: skip
        return found

    def _inverted(self, matrix: np.ndarray, word: str) -> np.ndarray:
        """The inverse of a matrix of the free directions, which have the names of the parameters they are steps of."""
        return np.asarray(self._labelled(matrix, self._free.own, word).covariance()) if len(matrix) else matrix

    def _labelled(self, matrix: np.ndarray, chosen: np.ndarray, word: str) -> HessianMatrix:
        """A matrix of some of the parameters: all of them keep their structure, others are called by their labels."""
        if chosen.tolist() == list(range(len(self.labels))):
            return self._model.matrix(matrix, word)
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
            slope = self._gradient
            # which raises where f falls along a way, as the way of the gradient need not show
            conjugate_gradients(times, np.random.default_rng(0).standard_normal(slope.size), _limits.FITTED_PROBED)
            step = conjugate_gradients(times, slope)
            return float("inf") if step is None else float(np.sqrt(abs(slope @ step)))
        plainly = self._distance_by_factors()
        return max(self._distance_by(self._inverse) if plainly is None else plainly, self._free.outside)

    def _distance_by_factors(self) -> float | None:
        """The same by a Cholesky factor of the Hessian; None where it has none, or is near to singular: then
        eigenvalues, which take many times as long, say what the matter is."""
        form = self._free.reduced(self._hessian)
        if not len(form) or not np.isfinite(form).all() or not (np.diagonal(form) > 0).all() or self._is_rounded(form):
            return None
        scale = 1 / np.sqrt(np.diagonal(form))
        try:
            factor = np.linalg.cholesky(form * scale * scale[:, None])
        except np.linalg.LinAlgError:
            return None
        if np.diagonal(factor).min() < PIVOT:
            return None
        slope = self._free.basis.T @ self._gradient
        return float(np.linalg.norm(solve_triangular(factor, slope * scale, lower=True)))

    def _seems_flat(self, form: np.ndarray) -> bool:
        return self._is_rounded(form) or least_eigenvalue(form) < PIVOT**2

    def _is_rounded(self, form: np.ndarray) -> bool:
        """Whether f changes by no more than its rounding where a parameter changes by its own size: what is left of
        its curvature is rounding, of either sign, and scaled to one it would pass for that of a minimum."""
        if len(form) != len(self.labels) or not self._free._is_own:
            return False
        rounding = ROUNDED * np.finfo(float).eps * abs(float(self.fun))
        return bool(((self._flat != 0) & (np.diagonal(form) * self._flat**2 <= rounding)).any())

    def _distance_by(self, inverse: np.ndarray) -> float:
        slope = self._free.basis.T @ self._gradient
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
        start = self._model.value_and_gradient(self._model.start)[1]
        return self._curvature_left < FLAT and bool(np.linalg.norm(self._gradient) > 1e-3 * np.linalg.norm(start))

    @cached_property
    def _runs_off(self) -> str:
        """The parameter along whose error f is flat as far as one looks: there is no minimum. Empty if there is none.

        A step is one standard error of a parameter, with the others as they are best then; or one towards the minimum,
        which leads along several that run off together. Only errors that are larger than the way from the start are
        looked at, and only curvatures of which next to nothing is left beside the others' or the start's: that tells
        an estimate that runs off from a function in units so small that it is straight within its errors.
        """
        if self._is_large or hasattr(self._model, "sums"):  # of rows elsewhere each look is a pass
            return ""
        spread = self._free.spread(self._inverse)
        errors, newton = np.sqrt(np.maximum(np.diagonal(spread), 0)), -spread @ self._gradient
        lost = np.flatnonzero((errors > np.abs(self._flat - self._model.start)) & ~self._free.held)
        steps = [sign * spread[k] / errors[k] for k in lost for sign in (1, -1)]
        if lost.size and self._distance > 0:
            steps.append(newton / self._distance)
        steepest = np.linalg.norm(self._hessian)
        whole = max(abs(float(self.fun)), self._model.value(self._model.start) - float(self.fun))
        for step in [s for s in steps if self._is_flat_along(s, whole)]:
            if FLAT * steepest * (step @ step) > 1 or FLAT * (step @ self._model.hessian(self._model.start) @ step) > 1:
                return self.labels[int(np.argmax(np.abs(step)))]
        return ""

    def _is_flat_along(self, step: np.ndarray, whole: float) -> bool:
        """Whether f stays where it is along a step of one standard error, and further on: beside what a curvature of
        one makes of the step, and beside the size of f, as a whole, so that small units are not taken for flatness."""
        for far in LOOKED_AT:
            point = self._flat + far * step
            if not allows(point, *self._limits):
                return False
            try:
                risen = self._model.value(point) - float(self.fun)
            except Exception:  # it need not be defined there
                return False
            if not -(far**2) / 2 <= risen / FLAT_RISE <= min(far**2 / 2, whole):
                return False
        return True

    @property
    def converged(self) -> bool:
        """Whether the minimum is within 1e-4 standard errors; False where the Hessian says that this is none, and where
        f is flat along an estimate's error, however far one looks."""
        try:
            return self._distance <= CONVERGED and not self._runs_off
        except np.linalg.LinAlgError:
            return False

    def _require_converged(self) -> None:
        step = "Go on from there, sg.minimize(f, fit.x, …), with another method or a smaller tol=."
        apart = "Leave out what separates them, or hold the parameters with bounds=."
        try:
            if self.converged:
                return
            evidence = f"The minimum is about {short(self._distance)} standard errors away."
            if self._runs_off:
                evidence, step = (
                    f"f is flat along {self._runs_off}, up to {LOOKED_AT[-1]} standard errors away: estimates run "
                    "off there, as they do where the data separate some of the outcomes perfectly.", apart,
                )  # fmt: skip
            if not self._is_large and self._flattened < FLAT:
                evidence, step = (
                    f"f flattens out: its Hessian is {short(self._flattened, 2)} of that at the start, and the "
                    "estimates run off, as they do where the data separate the outcomes perfectly.", apart,
                )  # fmt: skip
        except np.linalg.LinAlgError as error:
            if self._is_large:
                raise
            form = self._free.reduced(self._hessian)
            flat = None
            if np.isfinite(form).all():
                flat = inverse_across(form, self._symmetries) if self._symmetries else np.linalg.pinv(form, 1e-10, True)
            if flat is None or (self._distance_by(flat) <= CONVERGED and not self._falls):
                raise self._explained(error) from None  # the point is stationary, and no minimum
            found = str(error).rpartition("\n")[0]
            evidence = f'{found}\nA log-likelihood is fitted with objective="loglik".'
        raise FitError(
            f"the fit has not converged ({self.method}: {self.message.rstrip('.')})", evidence,
            step,
        )  # fmt: skip

    @cached_property
    def _symmetries(self) -> list[Symmetry]:
        """What leaves f as it is, where the Hessian is flat along it."""
        if self._is_large or len(self._free.own) < len(self.labels) or not self._free._is_own:
            return []
        return symmetries(self._model, self._flat, self._hessian)

    def _explained(self, error: Exception) -> Exception:
        """An error of a Hessian that is no minimum's, with the symmetries of f that make it so."""
        if self._is_large:
            return error
        found, _, step = str(error).rpartition("\n")
        several = self._symmetries
        lines = [f"f stays the same when {s.what}." for s in several[:SYMMETRIES_SHOWN]]
        lines += [f"… and in {len(several) - SYMMETRIES_SHOWN} more ways"] if len(several) > SYMMETRIES_SHOWN else []
        if several and leaves_a_minimum(self._hessian, several):
            lines.append("So there are many minima, of which fit.x is one.")
            step = f"Hold parameters fixed, by bounds=: {'; '.join(s.step for s in several[:SYMMETRIES_SHOWN])}."
        elif twins := exchanged(self._model, self._flat, self._hessian):
            lines.append(twins)
            step = "Start them apart."
        return type(error)(compose(found, "\n".join(lines), step)) if lines else error

    # ---------------------------------------------------------------------------------------- covariances

    @_taught
    def covariance(self, kind: str = "hessian", clusters: Any = None) -> HessianMatrix:
        """Return the covariance matrix of the estimates, whose rows have the parameters' names.

        Parameters
        ----------
        kind : 'hessian', 'opg', 'sandwich' (or 'HC0'), 'HC1', 'HC2', 'HC3' or 'cluster', see `Fit`
        clusters : for 'cluster', of each observation the group that it belongs to

        Raises
        ------
        FitError : the fit has not converged; ``f`` returns one number where contributions are needed; the model has no
            leverages for 'HC2' and 'HC3'; the clusters are of another length, or fewer than two
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
        kind = kind_of(kind)
        if (clusters is not None) != (kind == "cluster"):
            raise FitError(f"kind={kind!r} {'needs' if clusters is None else 'takes no'} clusters=", "",
                           "Of each observation the group: fit.covariance('cluster', clusters=groups).")  # fmt: skip
        if clusters is not None and type(self._model) is Likelihood:  # pandas' rows, in the order of the data's
            require_one_order({**self._model.call._given, "clusters": clusters}, FitError)
        with Task(f"the covariance of {len(self._flat):,} estimates"):
            scores = None if kind == "hessian" else self._model.factor(self._flat, clusters) @ self._free.basis
            self._require_converged()
            if kind in ("hessian", "opg"):
                self._warn_of_squares()
            if scores is not None and kind in CORRECTIONS:
                scores = corrected(self._model, self._flat, self._free.basis, scores, kind)
            if scores is None:
                inner = self._inverse
            elif kind == "opg":
                inner = self._inverted(scores.T @ scores, "outer product of gradients")
            else:
                half = scores @ self._inverse
                inner = half.T @ half
            return self._free.spread(inner)

    def _warn_of_squares(self) -> None:
        """Warn once where f is a sum of squares, which is taken for a negative log-likelihood all the same."""
        if not self.__dict__.setdefault("_said", False) and returns_squares(self._model, self._flat):
            warnings.warn(f"standard errors of sg.minimize: {SUM_OF_SQUARES}.", stacklevel=6)
        self.__dict__["_said"] = True

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
        """Return (lower, upper), the ends of the confidence intervals by the normal distribution; ``["age"]`` has those
        of one parameter.

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

    @_taught
    def test(
        self, restrictions: Any, residual_df: float | None = None, kind: str = "hessian", clusters: Any = None
    ) -> Test:  # fmt: skip
        """Test restrictions on the parameters by Wald's test.

        Parameters
        ----------
        restrictions : equations in the names that `summary` shows, with commas between them:
            ``"b1 = b2, b3 = 0"``; also such that are not linear, ``"b1*b2 = 1"``, with + − * / ^, exp, log and sqrt. Or
            a function of the parameters that returns what is to be 0, a number or an array
        residual_df : for an F in place of a χ² distribution, how many observations there are beside the parameters
        kind, clusters : as of `covariance`

        Returns
        -------
        Test, with ``statistic``, ``df`` and ``pvalue``

        Raises
        ------
        FitError : the fit has no covariance; the equations cannot be read, follow from each other, or do not vary at
            the estimates

        Notes
        -----
        With the restrictions g(θ) = 0, the Jacobian J of g and the covariance C, the statistic is gᵀ(JCJᵀ)⁻¹g; F is its
        quotient by the number of restrictions. Of equations that are not linear it depends on how they are written:
        ``"b1*b2 = 1"`` and ``"b1 = 1/b2"`` differ. Greene, *Econometric Analysis*, chapters 5 and 14.

        Examples
        --------
        >>> import numpy as np
        >>> import symgrad as sg
        >>> y = np.array([4.0, 5.0, 7.0, 8.0])
        >>> f = lambda p, y: 0.5 * ((y - p["mean"]) / p["sd"]) ** 2 + np.log(p["sd"])
        >>> fit = sg.minimize(f, {"mean": 5.0, "sd": 1.0}, y)
        >>> fit.test("mean = 4*sd, sd^2 = 2")
        Wald test: χ²(2) = 0.231684, p = 0.8906
        restrictions: mean = 4*sd, sd^2 = 2
        standard errors: inverse Hessian

        In symbols, for one restriction g = a − b with variances and covariance of a and b:

        >>> a, b, v, w, c = map(sg.symbol, "abvwc")
        >>> ((a - b) ** 2 / (v + w - 2 * c)).formula()
        (a − b)²/(v + w − 2c)
        """
        return wald(self, restrictions, residual_df, kind, clusters)

    def likelihood_ratio(self, restricted: Fit) -> Test:
        """Test a restricted model against this one by the ratio of their likelihoods.

        Parameters
        ----------
        restricted : the fit of a model that is this one with restrictions, to the same data

        Returns
        -------
        Test : ``statistic`` is twice the difference of the log-likelihoods, χ² with as many degrees of freedom as there
            are parameters less

        Raises
        ------
        FitError : one of the fits has not converged; they are seen to be of other data (other counts of observations,
            other vectors or columns under the same names), or not nested (no fewer parameters, a higher likelihood); a
            function is an average

        Notes
        -----
        Not seen: constants that only one of the functions leaves out. Where the restriction lies at the edge of what
        the parameters may be, a variance of 0, the law is another one. Greene, *Econometric Analysis*, chapter 14.

        Examples
        --------
        >>> import numpy as np
        >>> import symgrad as sg
        >>> y, x = np.array([1.0, 2.0, 3.0, 6.0]), np.array([-1.0, 0.0, 0.0, 1.0])
        >>> poisson = lambda b, X, y: np.exp(X @ b) - y * (X @ b)
        >>> one = np.ones((4, 1))
        >>> fit = sg.minimize(poisson, np.zeros(2), np.column_stack([one, x]), y)
        >>> fit.likelihood_ratio(sg.minimize(poisson, np.zeros(1), one, y))
        likelihood ratio test: χ²(1) = 4.29648, p = 0.0382
        log-likelihood 3.33159, restricted 1.18335

        In symbols, of a Poisson rate r with mean m that is held at r₀:

        >>> m, r, n = sg.symbol("m"), sg.symbol("r"), sg.symbol("n")
        >>> (2 * n * (m * sg.log(m) - m - (m * sg.log(r) - r))).formula()
        2n(r − m log(r/m) − m)
        """
        return likelihood_ratio(self, restricted)

    @_taught
    def effects(
        self, predict: Callable[..., Any], *data: Any, at: Any = "average", discrete: Any = (), columns: Any = None,
        kind: str = "hessian", clusters: Any = None, level: float = 0.95,
    ) -> Effects:  # fmt: skip
        """Return the marginal effects of the data on a prediction, with standard errors by the delta method.

        Parameters
        ----------
        predict : function ``predict(params, *data)`` that predicts each observation from its own row: a vector with a
            number for each of the n rows, or an (n, m) matrix of m outcomes
        data : of ``predict``; by default those of the fit that its parameters are named after. Arrays and tables with
            n rows have the columns: of shape (n,) or (n, k)
        at : 'average', the mean of the effects over the rows; 'means', the effects where each column is at its mean; or
            a dictionary with values of columns, by name: the mean over rows where these columns have them
        discrete : names of columns whose effect is a difference: from the lower of two values to the higher, and of
            more values by one more. Columns of truth values are that as they are
        columns : names of the columns whose effects are wanted; by default all that vary and that ``predict`` uses
        kind, clusters, level : as of `covariance` and `confint`

        Returns
        -------
        Effects, which prints as a table; with ``labels``, ``value``, ``standard_error``, ``lower``, ``upper`` and
        ``covariance``. Columns that do not vary, or that ``predict`` does not use, are left out; so are arrays of more
        axes, of text, and of whole numbers that are places in others, of which a line below the table tells.

        Raises
        ------
        FitError : the fit has no covariance; the prediction of a row depends on other rows; ``predict`` asks for data
            that the fit does not have, or returns one number

        Notes
        -----
        The data are taken as given: their sampling is no part of the errors. Where a column stands in another one as
        well (an age and its square) let ``predict`` make the second of the first. Cost: second derivatives of
        ``predict``, a pass for each parameter or effect, whichever are fewer. The formulas: Greene, *Econometric
        Analysis*, chapter 17.

        Examples
        --------
        >>> import numpy as np
        >>> import symgrad as sg
        >>> X = np.column_stack([np.ones(6), np.arange(6.0)])
        >>> y = np.array([0.0, 0, 1, 0, 1, 1])
        >>> logit = lambda b, X, y: np.logaddexp(0, X @ b) - y * (X @ b)
        >>> fit = sg.minimize(logit, np.zeros(2), X, y)
        >>> fit.effects(lambda b, X: 1 / (1 + np.exp(-(X @ b))))
              effect  std. error     z         p  [95% interval]
        X[1]  0.1586      0.0222  7.14  < 0.0001  0.1151  0.2022
        effects on the prediction, average over 6 rows
        standard errors: delta method, inverse Hessian

        At a point, in symbols: the derivative in x of Λ(a + bx).

        >>> a, b, x = sg.symbol("a"), sg.symbol("b"), sg.symbol("x")
        >>> sg.grad(lambda x: sg.sigmoid(a + b * x))(x)
        bp(1 − p)
        where p = σ(bx + a)
        """
        return effects_of(self, predict, data, at, discrete, columns, kind, clusters, level)

    _repr_pretty_ = cut_in_ipython

    def _repr_html_(self) -> str | None:
        if len(self.labels) > NOTEBOOK_FIT:
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
