"""Errors of functions of estimates, marginal effects among them (`delta`, `effects_of`), and information at any point.

The idea to hold: to first order a function g of estimates with covariance C has the covariance JCJᵀ, J its Jacobian.
A marginal effect is such a function: the derivative of a prediction in the data.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from ..autograd import no_grad
from ..core import is_table, unwrap
from ..show.latex_notes import cut_in_ipython
from ..transforms import Derivative
from ..transforms.calls import (
    flatten,
    flatten_values,
    require_one_order,
    spelled_paths,
    tree_paths,
    unflatten,
    without_tables,
)
from ..transforms.matrix import HessianMatrix
from ..transforms.report import short
from ._likelihood import (
    FitError,
    Likelihood,
    choice,
    data_without_numbers,
    listed,
    noted,
    refuse_numbered_categories,
)
from ._summary import KINDS, Summary, kind_of, quantile, rows_of

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

    value: Any
    covariance: np.ndarray
    level: float
    lower: Any
    upper: Any

    def __init__(self, g: Callable[..., Any], x: Any, value: Any, covariance: np.ndarray, level: float) -> None:
        self._g, self._x, self.value, self.covariance, self.level = g, x, value, covariance, level
        self.standard_error: Any = np.sqrt(np.diagonal(covariance)).reshape(value.shape)[()]
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
    g: Callable[..., Any], fit: Any, kind: str = "hessian", clusters: Any = None, level: float = 0.95
) -> Delta:  # fmt: skip
    """Return a function of estimates with its standard error and confidence interval: errors are propagated to first
    order, by the delta method.

    Parameters
    ----------
    g : function of the parameters that returns a number or an array
    fit : what `symgrad.minimize` returned; or what was measured and its covariance matrix, ``(x, covariance)``, the
        numbers in x one after the other
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

    The energy of a mass that was measured as 2.0 ± 0.1, with a speed of 3.0 ± 0.2:

    >>> sg.stats.delta(lambda p: p[0] * p[1] ** 2 / 2, (np.array([2.0, 3.0]), np.diag([0.1, 0.2]) ** 2))
    9 ± 1.28 (95% interval 6.48811 … 11.5119)
    """
    if isinstance(fit, tuple) and len(fit) == 2:
        fit = _measured(*fit)
    if not hasattr(fit, "_covariance"):
        raise FitError(f"sg.stats.delta takes a fit, got a {type(fit).__name__}", "",
                       "Give it what sg.minimize returned, sg.stats.delta(g, fit), or (x, covariance).")  # fmt: skip
    if not callable(g):
        raise FitError(f"sg.stats.delta takes a function of the parameters, got a {type(g).__name__}", "",
                       "Write it as Python: sg.stats.delta(lambda p: …, fit).")  # fmt: skip
    covariance = fit._covariance(kind, clusters)
    value, J = value_and_jacobian("sg.stats.delta", g, fit)
    flat = np.flatnonzero(~(J if isinstance(fit, _Measured) else J @ fit._free.basis).any(1))
    if flat.size:
        which = f" of entry {int(flat[0])}" if np.ndim(value) else ""
        raise FitError(f"the gradient{which} of g is 0 at the estimates", "To first order g does not vary there.",
                       "The delta method says nothing here: simulate, or take a profile likelihood.")  # fmt: skip
    return Delta(g, fit.x, value, J @ covariance @ J.T, level)


class _Measured(NamedTuple):
    """Estimates of another origin: what `delta` asks of a fit."""

    x: Any
    matrix: np.ndarray

    def _covariance(self, kind: str, clusters: Any) -> np.ndarray:
        if kind != "hessian" or clusters is not None:
            raise FitError("kind= and clusters= say which covariance of a fit", "A covariance is given.", "Leave them.")
        return self.matrix


def _measured(x: Any, covariance: Any) -> _Measured:
    labels = list(x) if isinstance(x, dict) else list(x.index) if hasattr(x, "iloc") else None
    if hasattr(covariance, "columns") and labels is not None:  # a table, in an order of its own, perhaps
        if not set(labels) == set(covariance.columns) == set(covariance.index):
            other = f"They are {listed(covariance.columns)}, and {listed(labels)}."
            raise FitError("the covariance has other labels than what was measured", other, "Give both the same.")
        covariance = covariance.loc[labels, labels]
    matrix = np.asarray(covariance, float)
    matrix = matrix.reshape(1, 1) if matrix.size == 1 else matrix
    n = sum(np.size(v) for v in flatten_values(without_tables(x))[0])
    if matrix.shape != (n, n):
        step = "Of errors s that are independent it is np.diag(s) ** 2." if matrix.ndim == 1 else "Give it n × n."
        raise FitError(f"the covariance of {n} numbers has shape {matrix.shape}", "", step)
    ends = np.linalg.eigvalsh(matrix) if np.allclose(matrix, matrix.T) else [-1.0]
    if not ends[0] >= -1e-9 * ends[-1]:
        raise FitError("this is no covariance", "It is not symmetric, or has a variance below 0 in some direction.",
                       "Covariances are products of two errors and their correlation, which is within ±1.")  # fmt: skip
    return _Measured(x, matrix)


def value_and_jacobian(what: str, g: Callable[..., Any], fit: Any) -> tuple[Any, np.ndarray]:
    """A function of the parameters at the estimates, and the matrix of its derivatives, a row for each number of it."""
    x = fit.x
    with no_grad():
        with noted(f"{what} called g", {"fit.x": x}):
            value = g(without_tables(x))
        value = unwrap(value)
        if not isinstance(value, (np.ndarray, np.generic, float, int)) or np.iscomplexobj(value):
            raise FitError(f"{what} takes a function that returns real numbers, and g returned {value!r}", "",
                           "Return one number, or an array: np.stack([…]).")  # fmt: skip
        value = np.asarray(value, float)[()]
        found = flatten_values(without_tables(Derivative("jacobian", g, 0)(x)))[0]
    return value, np.concatenate([np.asarray(unwrap(j), float).reshape(value.size, -1) for j in found], 1)


# -------------------------------------------------------------------------------------------------------------------
# Marginal effects: how a prediction changes with the data, on average or at a point

# The idea to hold: predictions of rows that know nothing of each other add up, and the gradient of the sum in the data
# is each row's own derivative. Its mean over rows is a function of the parameters, with errors by the delta method; the
# data are taken as given.


AT = ("average", "means")
AT_ELSEWHERE = {"overall": "'average' is that.", "mean": "'means' is that.", "asobserved": "'average' is that."}
ROW_ALONE = 1e-8
"""Within this part of the largest derivative a row's prediction counts as one of its own data."""


class DataColumn(NamedTuple):
    """One column of the data: in which array, which column of it (None: all of it), and what it is called."""

    leaf: int
    column: int | None
    name: str
    discrete: bool

    def of(self, arrays: list[Any]) -> Any:
        """Its values."""
        return arrays[self.leaf] if self.column is None else arrays[self.leaf][:, self.column]

    def put(self, arrays: list[Any], values: Any) -> list[Any]:
        """The arrays with these values in its place."""
        array = arrays[self.leaf].copy()
        array[(...,) if self.column is None else (slice(None), self.column)] = values
        return [array if k == self.leaf else a for k, a in enumerate(arrays)]


class Effects(Delta):
    """Marginal effects with their standard errors; printed it is a table.

    Attributes
    ----------
    labels : what each entry of ``value`` is the effect of
    value, standard_error, lower, upper, covariance, level : as of `Delta`
    """

    labels: list[str]

    def __init__(self, g: Any, x: Any, value: Any, covariance: np.ndarray, level: float, labels: list[str],
                 notes: list[str]) -> None:  # fmt: skip
        super().__init__(g, x, value, covariance, level)
        self.labels, self._notes = labels, notes

    @property
    def summary(self) -> Summary:
        """The table, which has ``latex`` as that of a fit."""
        rows = rows_of(self.labels, self.value, self.standard_error, quantile(self.level))
        return Summary(rows, self.level, self._notes, {}, "effect")

    def latex(self, names: Mapping[str, str] | None = None, caption: str = "", label: str = "") -> str:
        """Return the table in LaTeX; parameters as of `Summary.latex`."""
        return self.summary.latex(names, caption, label)

    def html(self) -> str:
        """Return the table in HTML, with all rows."""
        return self.summary.html()

    def _repr_html_(self) -> str:
        return self.summary._repr_html_()

    def __repr__(self) -> str:
        return str(self.summary)


class Predictions:
    """A function of (parameters, data) that predicts row by row, and the columns of its data.

    Parameters
    ----------
    fit : at whose estimates
    predict, data : as of `Fit.effects`
    discrete : names of columns whose effects are differences
    """

    def __init__(self, fit: Any, predict: Callable[..., Any], data: tuple[Any, ...], discrete: Iterable[str]) -> None:
        self.predict, self.x = predict, without_tables(fit.x)
        given = _named_data(fit, predict, data)
        require_one_order({"fit.x": fit.x, **given}, FitError)
        tables, self.spec = flatten(list(given.values()))
        names = _names(given)
        self.arrays = [unwrap(leaf) for leaf in flatten(without_tables(list(given.values())))[0]]
        foreign = data_without_numbers(given)
        refuse_numbered_categories(foreign)
        with no_grad(), noted("fit.effects called predict", {"fit.x": fit.x, **given}):
            try:
                self.value = unwrap(predict(self.x, *self._data(self.arrays)))
            except (TypeError, ValueError) as error:
                for _, told in foreign.values():
                    error.add_note(" ".join(told))
                raise
        found = np.asarray(self.value)
        if found.ndim not in (1, 2) or found.dtype.kind not in "fiub" or not found.size:
            what = f"an array of shape {found.shape} and dtype {found.dtype}"
            raise FitError("fit.effects takes a function that predicts each observation", f"predict returned {what}.",
                           "Return a vector with a number for each row, or a matrix with a row for each.")  # fmt: skip
        if not np.isfinite(found).all():
            bad = np.flatnonzero(~np.isfinite(found.reshape(len(found), -1)).all(1)).tolist()
            raise FitError("predict is not finite everywhere", f"It is not in rows {listed(bad)}.",
                           "Leave these rows out.")  # fmt: skip
        self.rows = len(found)
        self.places, self.left_out = self._places(), list[str]()
        self.variables = self._columns(tables, names, [discrete] if isinstance(discrete, str) else list(discrete))
        for leaf in {v.leaf for v in self.variables}:
            self.arrays[leaf] = np.array(self.arrays[leaf], float)
        self.given = list(self.arrays)

    def _places(self) -> set[int]:
        """Which arrays of whole numbers are places in others: the prediction takes them as nothing else."""
        found = set()
        for k, array in enumerate(self.arrays):
            if isinstance(array, np.ndarray) and array.dtype.kind in "iu":
                floats = [a.astype(float) if n == k else a for n, a in enumerate(self.arrays)]
                try:
                    with no_grad():
                        self.predict(self.x, *self._data(floats))
                except (IndexError, TypeError):
                    found.add(k)
        return found

    def _columns(self, tables: list[Any], names: list[str], discrete: list[str]) -> list[DataColumn]:
        found = []
        for k, (table, array, name) in enumerate(zip(tables, self.arrays, names, strict=True)):
            if not isinstance(array, np.ndarray) or not array.ndim or len(array) != self.rows:
                continue
            if array.ndim > 2 or array.dtype.kind not in "fiub" or k in self.places:
                why = f"{array.ndim} axes" if array.ndim > 2 else "places" if k in self.places else str(array.dtype)
                self.left_out.append(f"{name} ({why})")
                continue
            whole = [None] if array.ndim == 1 else list(range(array.shape[1]))
            frame = is_table(table) and table.ndim == 2
            for j in whole:
                label = str(table.columns[j]) if frame else name if j is None else f"{name}[{j}]"
                kind = table.dtypes.iloc[j].kind if frame else array.dtype.kind
                found.append(DataColumn(k, j, label, label in discrete or kind == "b"))
        twice = {v.name for v in found if sum(v.name == w.name for w in found) > 1}
        found = [v._replace(name=f"{names[v.leaf]}: {v.name}") if v.name in twice else v for v in found]
        for word in discrete:
            if word not in [v.name for v in found]:
                raise _no_column(word, found)
        return found

    def wanted(self, columns: Any) -> list[DataColumn]:
        """The variables of these names, in their order; all of them where none are named."""
        if columns is None:
            return self.variables
        known = {v.name: v for v in self.variables}
        for word in (names := [columns] if isinstance(columns, str) else list(columns)):
            if word not in known:
                raise _no_column(word, self.variables)
        return [known[word] for word in names]

    def _data(self, arrays: list[Any]) -> Any:
        return unflatten(self.spec, arrays)

    def at(self, where: Any) -> None:
        """Move the data to where effects are asked for."""
        if isinstance(where, Mapping):
            known = {v.name: v for v in self.variables}
            for name, value in where.items():
                if name not in known:
                    raise _no_column(name, self.variables)
                self.arrays = known[name].put(self.arrays, _number(name, value))
        elif choice("at", where, AT, AT_ELSEWHERE) == "means":
            for v in self.variables:
                self.arrays = v.put(self.arrays, v.of(self.arrays).mean())
            for a in self.arrays:
                if isinstance(a, np.ndarray) and a.ndim and len(a) == self.rows and a.dtype.kind not in "fiub":
                    raise FitError("a column of the data has no mean", f"It is of dtype {a.dtype}.",
                                   'Average over it: at="average".')  # fmt: skip

    def total(self, params: Any, arrays: list[Any], weights: Any = None) -> Any:
        """The sum of the predictions over rows, for each of several outcomes."""
        value = self.predict(params, *self._data(arrays))
        return (value if weights is None else (value.T * weights).T).sum(0)

    def derivatives(self, params: Any, weights: Any = None) -> dict[DataColumn, Any]:
        """The derivatives of every row's predictions in its own columns, outcomes first."""
        leaves = sorted({v.leaf for v in self.variables if not v.discrete})
        if not leaves:
            return {}

        def total(*moving: Any) -> Any:
            moved = dict(zip(leaves, moving, strict=True))
            return self.total(params, [moved.get(k, a) for k, a in enumerate(self.arrays)], weights)

        kind = "grad" if np.ndim(self.value) == 1 else "jacobian"
        found = Derivative(kind, total, tuple(range(len(leaves))))(*[self.arrays[k] for k in leaves])
        return {v: _column(found[leaves.index(v.leaf)], v.column) for v in self.variables if not v.discrete}

    def require_rows_alone(self) -> None:
        """Raise where the prediction of a row depends on the data of others: then no derivative is a row's own."""
        weights = np.where(np.random.default_rng(0).random(self.rows) < 0.5, -1.0, 1.0)
        plain, mixed = self.derivatives(self.x), self.derivatives(self.x, weights)
        for v, d in plain.items():
            d, away = np.asarray(unwrap(d)), np.asarray(unwrap(mixed[v]))
            if np.abs(away - d * weights).max(initial=0) > ROW_ALONE * np.abs(d).max(initial=1e-300):
                raise FitError(
                    f"the prediction of a row depends on {v.name} of other rows",
                    "A marginal effect is that of a row's own data.",
                    "Let predict compute each row from that row: center and scale the data before.",
                )  # fmt: skip

    def effects(self, params: Any, chosen: list[DataColumn]) -> Any:
        """The mean effects of columns, one after the other; for several outcomes, of each outcome."""
        smooth = self.derivatives(params)
        parts = [smooth[v].mean(-1) if v in smooth else self._difference(params, v) for v in chosen]
        return np.stack(parts, -1)

    def _difference(self, params: Any, v: DataColumn) -> Any:
        """From the lower of two values to the higher; of more values, by one."""
        values = np.unique(v.of(self.given))
        ends = values if len(values) == 2 else (v.of(self.arrays), v.of(self.arrays) + 1)
        low, high = [self.total(params, v.put(self.arrays, end)) for end in ends]
        return (high - low) / self.rows


def _column(array: Any, column: int | None) -> Any:
    return array if column is None else array[..., column]


def _number(name: str, value: Any) -> float:
    if isinstance(value, (int, float, np.number)) and np.isfinite(value):
        return float(value)
    raise FitError(f"at= has {value!r} for {name}", "", f"Give a number: at={{{name!r}: 1.0}}.")


def _no_column(name: Any, known: list[DataColumn]) -> FitError:
    return FitError(f"the data have no column {name!r}", f"They have {listed([v.name for v in known])}.",
                    "Name one of these.")  # fmt: skip


def _names(given: dict[str, Any]) -> list[str]:
    """What arrays are called: by the last key that leads to them, or as Python writes them where two have one."""
    spelled = [path for name, tree in given.items() for path in spelled_paths(tree, name)]
    keys = [(path or (name,))[-1] for name, tree in given.items() for path in tree_paths(tree)]
    return [key if isinstance(key, str) and keys.count(key) == 1 else path for key, path in zip(keys, spelled)]


def _named_data(fit: Any, predict: Any, data: tuple[Any, ...]) -> dict[str, Any]:
    """The data of a prediction by the names of its parameters: as given, or those of the fit that are called so."""
    if not callable(predict):
        raise FitError(f"fit.effects takes a function of (parameters, data), got a {type(predict).__name__}", "",
                       "Write the prediction as Python: fit.effects(lambda b, X: …).")  # fmt: skip
    try:
        names = [n for n, p in inspect.signature(predict).parameters.items() if p.default is p.empty][1:]
    except (TypeError, ValueError):
        names = []
    if data:
        return dict(zip([*names, *[f"data[{k}]" for k in range(len(names), len(data))]], data, strict=False))
    if type(fit._model) is not Likelihood:
        raise FitError("the data of the fit are in chunks", "Effects are averages over rows that are here.",
                       "Give predict its data: fit.effects(predict, X).")  # fmt: skip
    known = dict(list(fit._model.call._given.items())[1:])
    for name in names:
        if name not in known:
            raise FitError(
                f"predict takes {name}, and f has no data of that name", f"Those of f are {listed(list(known))}.",
                f"Call it as f does, or give it: fit.effects({getattr(predict, '__name__', 'predict')}, {name}).",
            )  # fmt: skip
    if not names:
        raise FitError("predict takes parameters only", "A marginal effect is a derivative in the data.",
                       "Let it take the data too: fit.effects(lambda b, X: …).")  # fmt: skip
    return {name: known[name] for name in names}


def effects_of(
    fit: Any, predict: Callable[..., Any], data: tuple[Any, ...], at: Any, discrete: Any, columns: Any, kind: str,
    clusters: Any, level: float,
) -> Effects:  # fmt: skip
    """The marginal effects of a fit; see `Fit.effects`."""
    kind, covariance = kind_of(kind), fit._covariance(kind, clusters)
    model = Predictions(fit, predict, data, discrete)
    model.require_rows_alone()
    model.at(at)
    wanted = model.wanted(columns)
    varying = [v for v in wanted if len(np.unique(v.of(model.given))) > 1]
    if not varying:
        names = listed([v.name for v in model.variables]) or "no column of numbers with a row for each prediction"
        raise FitError("no column of the data varies", f"They have {names}.",
                       "Effects are those of columns with several values.")  # fmt: skip
    value, J = value_and_jacobian("fit.effects", lambda params: model.effects(params, varying), fit)
    several, count = np.ndim(value) == 2, len(varying)
    moves = (J.any(1) | (value.reshape(-1) != 0)).reshape(-1, count).any(0)
    chosen = [v for v, moved in zip(varying, moves, strict=True) if moved]
    if not chosen:
        raise FitError("predict depends on no column of the data", "", "Let it use the data that it is given.")
    still = [v.name for v in wanted if v not in chosen] if columns is not None else []
    if still:
        raise FitError(f"there is no effect of {listed(still)}", "It does not vary, or predict does not use it.",
                       "Leave it out of columns=.")  # fmt: skip
    kept = np.tile(moves, J.shape[0] // count)
    J, value = J[kept], value.reshape(-1)[kept]
    outcomes = range(len(kept) // count)
    labels = [f"{k}: {v.name}" if several else v.name for k in outcomes for v in chosen]
    where = ", ".join(f"{k} = {v:g}" for k, v in at.items()) + ", average" if isinstance(at, Mapping) else at
    place = {"average": "average over", "means": "at the means of"}.get(where, f"at {where} over")
    notes = [f"effects on the prediction, {place} {model.rows} rows"]
    notes += [f"left out: {', '.join(model.left_out)}"] if model.left_out and columns is None else []
    steps = [v.name for v in chosen if v.discrete]
    notes += [f"differences, in place of derivatives: {', '.join(steps)}"] if steps else []
    notes.append(f"standard errors: delta method, {KINDS[kind]}")
    return Effects(
        lambda params: model.effects(params, chosen), fit.x, value, J @ covariance @ J.T, level, labels, notes
    )


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
    return model.matrix(matrix, INFORMATION[kind])
