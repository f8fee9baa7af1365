"""``sg.minimize``: SciPy's minimisers on functions of containers, with exact derivatives and a file to go on from."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize

from .. import _limits
from .._errors import instead_of_keywords
from .._limits import bound
from .._progress import Task
from ..distributed._chunks import is_chunked
from ..transforms.report import scaled, scales
from ._constraints import bounds_of, rows_of
from ._fit import AT_ROUNDING, OF_MINIMIZE, ROUNDED, Fit
from ._likelihood import FitError, Likelihood, LikelihoodOfRows, choice, listed

# ------------------ A file with the parameters of the last iteration, from which a search that was broken off goes on

# The idea to hold: at any time the file is whole: it is written beside, and renamed.


class CheckpointFile:
    """The file of one search.

    Parameters
    ----------
    path : an ``.npz``
    model : whose parameters it has; one of other parameters is not gone on with
    """

    def __init__(self, path: Any, model: Likelihood) -> None:
        self.path, self.model, self.iterations = Path(path), model, 0
        if self.path.suffix != ".npz":
            raise FitError(f"checkpoint is {str(path)!r}", "", "It is a file of NumPy's: checkpoint='fit.npz'.")
        if not self.path.parent.is_dir():
            raise FitError(f"checkpoint: there is no folder {self.path.parent}", "", "Make it, or name another.")

    def start(self) -> np.ndarray:
        """Where to go on: the parameters in the file, or those given where there is none."""
        if not self.path.exists():
            return self.model.start
        try:
            with np.load(self.path) as file:
                x, labels, iterations = file["x"], file["labels"].tolist(), int(file["iterations"])
        except Exception as error:
            raise FitError(f"{self.path} is no checkpoint of a fit", f"{type(error).__name__}: {error}.",
                           "Name another file.") from None  # fmt: skip
        if labels != self.model.labels:
            raise FitError(
                f"{self.path} is the checkpoint of another fit", f"Its parameters are {listed(labels)}; here they are "
                f"{listed(self.model.labels)}.", "Name another file, or remove it.",
            )  # fmt: skip
        x = np.asarray(x, np.float64)
        if x.shape != self.model.start.shape or not np.isfinite(x).all():
            raise FitError(f"{self.path} is damaged", f"Its parameters have the shape {x.shape}, or are not finite.",
                           "Remove it.")  # fmt: skip
        self.iterations = iterations
        return x

    def write(self, flat: np.ndarray) -> None:
        """Keep the parameters of an iteration."""
        self.iterations += 1
        beside = self.path.with_name(f".{self.path.stem}.{os.getpid()}.npz")
        np.savez(beside, x=flat, labels=np.array(self.model.labels), iterations=self.iterations)
        os.replace(beside, self.path)


# ----------------------------- ``sg.minimize``: SciPy's minimisers on functions of containers, with exact derivatives

# The idea to hold: what a method takes is data (`METHODS`); it is given all of it.


class Method(NamedTuple):
    """What a method of SciPy takes: derivatives up to which order, products in place of the matrix, bounds, rows."""

    order: int
    products: bool = False
    bounds: bool = False
    constraints: bool = False


METHODS = {
    "Nelder-Mead": Method(0, bounds=True), "Powell": Method(0, bounds=True), "CG": Method(1), "BFGS": Method(1),
    "Newton-CG": Method(2, True), "L-BFGS-B": Method(1, bounds=True), "TNC": Method(1, bounds=True),
    "COBYLA": Method(0, bounds=True, constraints=True), "COBYQA": Method(0, bounds=True, constraints=True),
    "SLSQP": Method(1, bounds=True, constraints=True), "trust-constr": Method(2, True, True, True),
    "dogleg": Method(2), "trust-ncg": Method(2, True), "trust-krylov": Method(2, True), "trust-exact": Method(2),
}  # fmt: skip

CALLED = {"newton": "trust-exact", "lbfgs": "L-BFGS-B", "l-bfgs": "L-BFGS-B"}
"""What methods are called elsewhere."""

TOLERANCES = {
    **{name: {"gtol": 1e-8} for name in ("trust-exact", "trust-krylov", "trust-ncg", "dogleg")},
    "Newton-CG": {"xtol": 1e-9}, "L-BFGS-B": {"ftol": 1e-15, "gtol": 1e-8}, "SLSQP": {"ftol": 1e-14, "maxiter": 1000},
}  # fmt: skip
"""How far methods go where tol= is not given, whether they are chosen here or named: estimates are wanted to many
digits. The others have SciPy's tolerances."""

RADII = {"trust-exact": {"initial_trust_radius": 100.0, "max_trust_radius": 1e6}}
"""How far a step goes where parameters are measured in units of symgrad's."""


@instead_of_keywords(OF_MINIMIZE)
def minimize(
    f: Callable[..., Any], params: Any, *data: Any, method: str | None = None, bounds: Any = None,
    constraints: Any = None, objective: str = "nll", tol: float | None = None, options: dict[str, Any] | None = None,
    checkpoint: Any = None, columns: list[str] | None = None, client: Any = None, progress: Any = None,
) -> Any:  # fmt: skip
    """Minimise a negative log-likelihood by one of SciPy's methods, with exact derivatives.

    Parameters
    ----------
    f : function ``f(params, *data)`` that returns the negative log-likelihood as one number; or the vector of the
        observations' contributions, whose sum is minimised, and from which robust standard errors can be had
    params : where to start: a number, an array, one of pandas' Series or DataFrames, or any container of these
    data : further arguments of ``f``; in chunks, as Dask's arrays and tables or
        `distributed.chunks`, they stay where they are, and each value is a pass over them
    method : one of SciPy's (also 'lbfgs' for 'L-BFGS-B'); by default 'newton', Newton's steps by SciPy's 'trust-exact',
        for few parameters and 'trust-krylov' for many, 'L-BFGS-B' with bounds, 'SLSQP' with constraints
    bounds : a container like ``params`` with ``(lowest, highest)`` in place of numbers and arrays (each None, a number
        or an array), or a dictionary of the parameters that have bounds; or SciPy's ``Bounds``. Equal ones hold a
        parameter there, wherever it was to start
    constraints : SciPy's ``LinearConstraint``, or a list of them; the columns are the parameters in the order of
        ``fit.labels``
    objective : 'nll' where ``f`` is a negative log-likelihood, 'loglik' where it is a log-likelihood, to be maximised
    tol, options : as of ``scipy.optimize.minimize``
    checkpoint : a file that has the parameters of the last iteration; where it is there, the search goes on from them
    columns, client : for data in chunks, as of `distributed.sum_over`: the columns of tables to read, and the
        ``dask.distributed.Client``
    progress : whether a line on stderr says how far a long search is; by default after two seconds, in a terminal or
        notebook

    Returns
    -------
    symgrad.stats.Fit: SciPy's OptimizeResult, in which ``x`` has the structure and the labels of ``params``; with
    standard errors, covariances, confidence intervals and a summary.

    Raises
    ------
    symgrad.stats.FitError : ``f`` is not finite at the start (the error names observations) or returns a matrix;
        bounds or constraints do not fit; there is no such method, or it does not take what it is given

    Notes
    -----
    The method is given all that it takes: gradients, second derivatives, and products with them in place of the matrix
    for many parameters. Where the method is left to symgrad, or is 'newton', parameters are measured in the curvatures
    at the start, and a small ``f`` in its size there, so that units do not matter. From a saddle or a maximum Newton's
    method goes on downhill; where it stays, ``success`` is False. Numbers are float64. Where ``f`` is nan the minimiser
    sees an infinite value.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> def nll(p, y):
    ...     return 0.5 * ((y - p["mean"]) / p["sd"]) ** 2 + np.log(p["sd"])
    >>> y = np.array([4.0, 5.0, 7.0, 8.0])
    >>> fit = sg.minimize(nll, {"mean": 5.0, "sd": 1.0}, y)
    >>> print(round(fit.x["mean"], 6), round(fit.x["sd"] ** 2, 6))
    6.0 2.5
    >>> print(round(fit.standard_errors()["mean"] ** 2, 6))
    0.625

    The gradient that it follows, as a formula:

    >>> m, s, y = sg.symbol("m"), sg.symbol("s"), sg.symbol("y", "n")
    >>> print(sg.grad(lambda p, y: nll(p, y).sum())({"mean": m, "sd": s}, y)["mean"])
    sum(m − y)/s²
    """
    with Task("sg.minimize", progress, unit="evaluations") as task:
        return _minimized(task, f, params, data, method, bounds, constraints, objective, tol, options, checkpoint,
                          {"columns": columns, "client": client, "progress": progress})  # fmt: skip


def _minimized(
    task: Task, f: Callable[..., Any], params: Any, data: tuple[Any, ...], method: str | None, bounds: Any,
    constraints: Any, objective: str, tol: float | None, options: dict[str, Any] | None, checkpoint: Any,
    settings: dict[str, Any],
) -> Any:  # fmt: skip
    model = _model(f, params, data, objective, settings)
    lower, upper = bounds_of(bounds, model)
    several, rows = rows_of(constraints, model)
    bounded = bool(np.isfinite(lower).any() or np.isfinite(upper).any())
    own = method is None or str(method).lower() == "newton"
    if method is None:
        method = _chosen(model.start.size, bounded, bool(several))
    else:
        known = {name.lower(): name for name in METHODS} | CALLED
        method = choice("method", known.get(str(method).lower(), method), METHODS)
    preset = (TOLERANCES.get(method, {}) if tol is None else {}) | (RADII.get(method, {}) if own else {})
    takes = METHODS[method]
    _require(method, takes, bounded, bool(several))
    if takes.order == 2 and model.start.size <= _limits.FITTED_DENSE:
        model.wants = "fgh"
    if takes.order:
        model.require_gradient()
    kept = CheckpointFile(checkpoint, model) if checkpoint is not None else None
    start = model.start if kept is None else kept.start()
    c, d = _units(model) if own else (1.0, np.ones(model.start.size))
    first, second = model.value_and_gradient, _second(model, takes, c, d)
    value = task.counting((lambda u: c * first(u / d)[0]) if takes.order else model.value)

    def search(u: np.ndarray) -> optimize.OptimizeResult:
        return optimize.minimize(
            value, u, method=method, tol=tol,
            jac=(lambda u: c * first(u / d)[1] / d) if takes.order else None, hess=second,
            options=preset | (options or {}), bounds=optimize.Bounds(lower * d, upper * d) if bounded else None,
            callback=None if kept is None else lambda u, *_: kept.write(u / d),
            constraints=[optimize.LinearConstraint(part.matrix / d, part.low, part.high) for part in several],
        )  # fmt: skip

    with np.errstate(all="ignore"):  # on the way it may go far
        found = search(start * d)
        if own and isinstance(found.get("hess"), np.ndarray):
            found = _judged(found, search, value)
    if own:
        found.x, found.fun = found.x / d, found.fun / c
        found.jac = found.jac * d / c if "jac" in found else first(found.x)[1]  # c and d are powers of two
        for key in ("hess", "hess_inv", "multipliers"):  # of other units
            found.pop(key, None)
    return Fit.of(found, model, method, (lower, upper, rows))


def _model(
    f: Callable[..., Any], params: Any, data: tuple[Any, ...], objective: str, settings: dict[str, Any]
) -> Likelihood:
    """The likelihood, of data that are here or in chunks elsewhere."""
    if not any(map(is_chunked, data)):
        given = [f"{word}=" for word in ("columns", "client") if settings[word] is not None]
        if given:
            raise FitError(f"sg.minimize takes {', '.join(given)} for data in chunks only", "None of the data is.",
                           "Leave it out, or say that a list is chunks: sg.distributed.chunks([…]).")  # fmt: skip
        return Likelihood("sg.minimize", f, params, data, objective)
    return LikelihoodOfRows("sg.minimize", f, params, data, objective, **settings)


def _chosen(n: int, bounded: bool, constrained: bool) -> str:
    if constrained:
        return "SLSQP"
    return "L-BFGS-B" if bounded else "trust-exact" if n <= _limits.FITTED_DENSE else "trust-krylov"


def _units(model: Likelihood) -> tuple[float, np.ndarray]:
    """Units in which the curvatures at the start are near 1, and so is f if it is less and not just the likelihood of
    little, as powers of two: x is u / d, and what is minimised is c f."""
    n = model.start.size
    if n > _limits.FITTED_DENSE:
        return 1.0, np.ones(n)
    matrix, (value, gradient) = model.hessian(model.start), model.value_and_gradient(model.start)
    if not np.isfinite(matrix).all():
        return 1.0, np.ones(n)
    d = scales(matrix)
    size = abs(value) + (np.abs(gradient / d) ** 2).sum() / 2  # and what a step of Newton's gains
    c = float(np.exp2(-np.floor(np.log2(size)))) if 0 < size < SMALL else 1.0
    return c, scales(c * matrix)


SMALL = 1e-6
"""Where f, and what the first step gains of it, are less than this, f has small units: tolerances are absolute."""

OUT_OF_ITERATIONS = 1
"""SciPy's status of a search that was broken off: it is where it was told to stop."""

SADDLES = bound(8)
"""How many points from which f falls, though its gradient is zero, a search goes on from."""

FALLS = 1e-9
"""Part of the largest curvature below which one is rounding: f is flat there, and does not fall."""


def _judged(
    found: optimize.OptimizeResult, search: Callable[[np.ndarray], Any], value: Callable[[np.ndarray], float]
) -> optimize.OptimizeResult:
    """What Newton's method found, gone on with where f falls from there, and said to be found where nothing is left."""
    for _ in range(SADDLES):
        size, v = np.linalg.eigh(found.hess)
        largest = np.abs(size).max(initial=0)
        if not size.size or size[0] > -FALLS * largest or found.status == OUT_OF_ITERATIONS:
            break
        steps = (found.x + sign * t * v[:, 0] for t in np.exp2(-np.arange(20.0)) for sign in (1, -1))
        lower = next((u for u in steps if value(u) < found.fun), None)
        if lower is None:
            break
        found = search(lower)
    if size.size and size[0] < -FALLS * largest:
        found.success, found.message = False, "No minimum: the Hessian is negative along a line."
    elif not found.success:
        g, flat = np.abs(v.T @ found.jac), size <= FALLS * largest
        gain = (g[~flat] ** 2 / size[~flat]).sum() / 2 + g[flat].sum() * np.linalg.norm(found.x)
        if gain <= ROUNDED * np.finfo(float).eps * abs(found.fun):
            found.success, found.message = True, AT_ROUNDING
    return found


def _require(method: str, takes: Method, bounded: bool, constrained: bool) -> None:
    for given, word, taken in ((bounded, "bounds", takes.bounds), (constrained, "constraints", takes.constraints)):
        if given and not taken:
            able = [name for name, row in METHODS.items() if getattr(row, word)]
            raise FitError(f"the method {method!r} takes no {word}", "", f"These do: {', '.join(able)}.")


def _second(model: Likelihood, takes: Method, c: float, d: np.ndarray) -> Callable[[np.ndarray], Any] | None:
    if takes.order < 2:
        return None
    if takes.products and model.start.size > _limits.FITTED_DENSE:
        return model.operator
    return lambda u: scaled(c * model.curvature(u / d), d)
