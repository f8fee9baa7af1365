"""`Summary`, a table of estimates, and `Table`, of several fits side by side, as text, HTML and LaTeX.

The idea to hold: a table is its rows and its notes; each form only writes them. What stands below each other has one
notation.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np
from scipy.special import erfc, ndtri

from .. import _limits
from .._limits import bound
from ..show.latex_notes import cut_in_ipython
from ..syntax import GREEK
from ..transforms.report import aligned, html_row
from ._likelihood import SUM_OF_SQUARES, FitError, RowDivision, averaged_rows, choice, listed, returns_squares

KINDS = {
    "hessian": "inverse Hessian", "opg": "inverse outer product of gradients",
    "sandwich": "sandwich of Hessian and outer product of gradients",
    "HC1": "sandwich of Hessian and outer product of gradients, times n/(n − k)",
    "HC2": "sandwich of Hessian and outer product of gradients over √(1 − h), h their leverages",
    "HC3": "sandwich of Hessian and outer product of gradients over 1 − h, h their leverages",
    "cluster": "sandwich of Hessian and gradients summed within clusters",
}  # fmt: skip

_IN_ANY_CASE = {kind.lower(): kind for kind in KINDS} | {"hc0": "sandwich"}

OF_KINDS = {
    **dict.fromkeys(("robust", "white", "qml"), "'sandwich' is that."),
    **dict.fromkeys(("nonrobust", "oim", "eim", "mle"), "'hessian' is that."),
    **dict.fromkeys(("clustered", "clusters"), "'cluster' is that."),
    **dict.fromkeys(("bhhh", "bhhj"), "'opg' is that."),
    **dict.fromkeys(
        ("hac", "newey-west", "neweywest"),
        "No kind weighs how observations of neighbouring times depend on each other. Give spans of time as groups, "
        "kind='cluster', clusters=time // span; or fit to blocks of rows that are drawn anew, as fit.bootstrap says.",
    ),
}
"""What other packages call a kind of covariance, in lower case."""


def kind_of(given: Any) -> str:
    """A kind of covariance as it is written here, or an error that says which is that of another package."""
    return choice("kind", _IN_ANY_CASE.get(str(given).lower(), given), KINDS, OF_KINDS)


MOST_DECIMALS, WIDEST = bound(8), bound(12)
"""Decimals, and digits in all, beyond which a column is written with powers of ten."""


class NumberNotation(NamedTuple):
    """How the numbers of a column are written: all with as many decimals, or all with a power of ten."""

    decimals: int
    by_powers: bool = False

    @classmethod
    def of(cls, values: Any, errors: Any) -> NumberNotation:
        """The one for estimates with these errors: three digits of the least error, four decimals where these do."""
        values, errors = [np.abs(np.asarray(a, float)) for a in (values, errors)]
        values, errors = values[np.isfinite(values)], errors[np.isfinite(errors) & (errors > 0)]
        least = min(errors if errors.size else values[values > 0], default=1.0)
        decimals = max(4, 2 - int(np.floor(np.log10(least))))
        whole = len(f"{max([*values, *errors], default=0.0):.0f}")
        return cls(3, True) if decimals > MOST_DECIMALS or whole + decimals > WIDEST else cls(decimals)

    def write(self, value: float) -> str:
        """A number in it."""
        text = f"{value:.{self.decimals}{'e' if self.by_powers else 'f'}}"
        return text.removeprefix("-") if not text.strip("-0.") else text


class Row(NamedTuple):
    """One parameter; nan for what is not known."""

    name: str
    estimate: float
    error: float
    z: float
    p: float
    lower: float
    upper: float


@dataclass(frozen=True, repr=False)
class Summary:
    """The table of a fit. Printed it is text, in a notebook a table, and `latex` gives one for a paper.

    Attributes
    ----------
    rows : per parameter (name, estimate, error, z, p, lower, upper)
    level : of the intervals
    notes : what holds of the whole table, a line each
    remarks : what to say of a parameter in place of its standard error, by name
    what : the heading of the estimates

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> y = np.array([2.0, 3.0, 4.0])
    >>> print(sg.minimize(lambda p, y: p["rate"] - y * np.log(p["rate"]), {"rate": 1.0}, y).summary())
          estimate  std. error     z       p  [95% interval]
    rate    3.0000      1.0000  3.00  0.0027  1.0400  4.9600
    log-likelihood 0.887511, 3 observations
    standard errors: inverse Hessian (f is a negative log-likelihood)
    trust-exact converged after ... iterations
    """

    rows: list[Row]
    level: float
    notes: list[str]
    remarks: Mapping[str, str]
    what: str = "estimate"

    @property
    def _heads(self) -> list[str]:
        return [self.what, "std. error", "z", "p", f"[{100 * self.level:g}% interval]"]

    def _cells(self) -> list[list[str]]:
        """Of each row: name, estimate, error, z, p, lower, upper, as text."""
        write = NumberNotation.of([r.estimate for r in self.rows], [r.error for r in self.rows]).write
        long = any(abs(row.z) >= 1e9 for row in self.rows)
        cells = []
        for row in self.rows:
            known = [self.remarks[row.name]] if row.name in self.remarks else []
            if not known and not np.isnan(row.error):
                z, p = f"{row.z:.2e}" if long else f"{row.z:.2f}", "< 0.0001" if row.p < 1e-4 else f"{row.p:.4f}"
                known = [write(row.error), z, p, write(row.lower), write(row.upper)]
            cells.append([row.name, write(row.estimate), *known, *[""] * (5 - len(known))])
        return cells

    def __str__(self) -> str:
        cells = self._cells()
        heads = ["", *self._heads[:4]]
        widths = [max(map(len, column)) for column in zip(heads, *[c[:5] for c in cells], strict=True)]
        ends = [max((len(c[k]) for c in cells), default=0) for k in (5, 6)]
        cells.insert(0, [*heads, self._heads[4].rjust(sum(ends) + 2)])
        widths += ends
        return "\n".join([*aligned(cells, widths), *self.notes])

    __repr__ = __str__
    _repr_pretty_ = cut_in_ipython

    def html(self) -> str:
        """Return the table in HTML, with all rows."""
        return self._html(len(self.rows))

    def _repr_html_(self) -> str:
        return self._html(_limits.NOTEBOOK_ROWS)

    def _html(self, most: int) -> str:
        heads = "".join(f"<th>{html.escape(h)}</th>" for h in ["", *self._heads[:4]])
        lines = [f'<tr>{heads}<th colspan="2">{html.escape(self._heads[4])}</th></tr>']
        lines += [html_row(name, texts) for name, *texts in self._cells()[:most]]
        more = len(self.rows) - most
        left = [f"{more:,} more rows, which print shows"] if more > 0 else []
        notes = "<br>".join(map(html.escape, [*left, *self.notes]))
        return f"<table>{''.join(lines)}</table><p>{notes}</p>"

    def latex(self, names: Mapping[str, str] | None = None, caption: str = "", label: str = "") -> str:
        """Return the table in LaTeX, with the rules of the package booktabs.

        Parameters
        ----------
        names : what to call parameters, as LaTeX: ``{"beta[0]": r"$\\beta_0$"}``
        caption, label : with a caption it is a ``table`` that floats
        """
        _require_known(names, [row.name for row in self.rows])
        *heads, interval = [_escaped(head.strip("[]")) for head in self._heads]
        heads += [rf"\multicolumn{{2}}{{c}}{{{interval}}} \\"]
        lines = [r"\begin{tabular}{lrrrrrr}", r"\toprule", " & ".join(["", *heads]), r"\midrule"]
        for name, *texts in self._cells():
            lines.append(" & ".join([(names or {}).get(name, _escaped(name)), *map(_math, texts)]) + r" \\")
        lines += [r"\midrule", *(rf"\multicolumn{{7}}{{l}}{{\footnotesize {_escaped(n)}}} \\" for n in self.notes)]
        lines += [r"\bottomrule", r"\end{tabular}"]
        return _floating(lines, caption, label)


def _floating(lines: list[str], caption: str, label: str) -> str:
    """A tabular of LaTeX; with a caption, within a table that floats."""
    if caption:
        below = [rf"\label{{{label}}}"] if label else []
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", *below, *lines, r"\end{table}"]
    return "\n".join(lines)


def _require_known(names: Mapping[str, str] | None, known: list[str]) -> None:
    unknown = set(names or ()) - set(known)
    if unknown:
        raise FitError(f"there is no parameter {sorted(unknown)[0]!r} to name", f"They are {', '.join(known)}.",
                       "Name these.")  # fmt: skip


_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$",
    "−": r"$-$", "√": r"$\surd$", "≈": r"$\approx$",
    **{letter: rf"$\{name}$" for letter, name in GREEK.items()}, **{sign: "\\" + sign for sign in "&%$#_{}"},
}  # fmt: skip


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def _math(text: str) -> str:
    """A cell: numbers with a minus sign of their own, words as they are."""
    if not text or not any(map(str.isdigit, text)):
        return _escaped(text)
    mantissa, _, power = text.partition("e")
    return f"${mantissa}" + (rf" \times 10^{{{int(power)}}}$" if power else "$")


def two_sided(z: np.ndarray) -> np.ndarray:
    """The probability that a standard normal variable is farther from 0."""
    return erfc(np.abs(z) / np.sqrt(2))


def quantile(level: Any) -> float:
    """How many standard errors an interval of this level reaches to either side."""
    if not isinstance(level, (float, np.floating)) or not 0 < level < 1:
        raise FitError(f"level is {level!r}", "", "It is a probability between 0 and 1: level=0.95.")
    return float(ndtri(0.5 + level / 2))


def summary_of(fit: Any, kind: str, clusters: Any, level: float) -> Summary:
    """The table of a fit."""
    kind = kind_of(kind)
    reach = quantile(level)
    x, count, remarks = fit._flat, fit.observations, {}
    of = "" if count is None else f", {count} observations"
    notes = [f"log-likelihood {fit.loglik + 0.0:.6g}{of}"]
    errors = np.full(x.shape, np.nan)
    try:
        fit._require_converged()
        if fit._is_large:
            raise FitError(f"not computed beyond {_limits.FITTED_ERRORS:,} parameters", "",
                           "fit.standard_errors() computes them, by the inverse of the whole matrix.")  # fmt: skip
    except (FitError, np.linalg.LinAlgError) as error:
        notes += [f"no standard errors: {line}" if k == 0 else line for k, line in enumerate(str(error).splitlines())]
    else:
        fit.__dict__["_said"] = True  # the notes say more
        errors = fit._errors(kind, clusters)
        held = {k: f"at its {end} bound" if end != "fixed" else "fixed" for k, end in fit._free.ends.items()}
        remarks = {fit.labels[k]: held.get(k, "fixed") for k in np.flatnonzero(fit._free.held).tolist()}
        sign = "negative log-likelihood" if fit._model.sign > 0 else "log-likelihood"
        what = KINDS[kind]
        if clusters is not None:
            what = what.replace("clusters", f"{fit._model.groups(clusters)} clusters")
        notes.append(f"standard errors: {what} (f is a {sign})")
        notes += _averages(fit, kind)
        if remarks:
            notes.append(f"held fixed: {', '.join(remarks)}")
        notes += _binding(fit)
        nit = fit.get("nit")
        after = "" if nit is None else f" after {nit} iteration{'s' * (nit != 1)}"
        notes.append(f"{fit.method} converged{after}")
    return Summary(rows_of(fit.labels, x, errors, reach), level, notes, remarks)


def rows_of(labels: list[str], x: np.ndarray, errors: np.ndarray, reach: float) -> list[Row]:
    """A row for each estimate, with an interval that reaches so many errors to either side."""
    z = x / errors
    columns = (labels, x, errors, z, two_sided(z), x - reach * errors, x + reach * errors)
    return list(starmap(Row, zip(*columns, strict=True)))


def _binding(fit: Any) -> list[str]:
    """Which constraints hold with equality: standard errors are those of what varies along them."""
    equal = [] if fit._is_large else fit._equalities
    return [f"constraint{'s' * (len(equal) > 1)} with equality: {'; '.join(equal)}"] if equal else []


def _averages(fit: Any, kind: str) -> list[str]:
    """What to say of errors of a function that averages over its rows; nothing of one that does not."""
    if kind not in ("hessian", "opg"):
        return []
    divided = averaged_rows(fit._model, fit._flat)
    squares = [SUM_OF_SQUARES] if returns_squares(fit._model, fit._flat) else []
    return squares if divided is None else [_note_of(divided, kind), *squares]


def _note_of(divided: RowDivision, kind: str) -> str:
    """What a division by the count does to standard errors: the Hessian shrinks with f, products of scores twice."""
    rows, power = divided
    by = _power_of(rows, power)
    what = f"averages over its {rows} rows" if power == 1 else f"divides the sum over its {rows} rows by {by}"
    times = _power_of(rows, power / 2) if kind == "hessian" else by
    return f"f {what}: these errors are {times} times those of the sum; return that"


def _power_of(rows: int, power: float) -> str:
    if power == 1:
        return str(rows)
    return f"{f'√{rows}' if power == 0.5 else f'{rows}^{power:g}'} ≈ {rows**power:.3g}"


# -------------------------------------------------------------------------------------------------------------------
# Fits side by side: ``sg.stats.table``

# The idea to hold: a column is a fit, and a cell an estimate with stars above its error in brackets. Numbers and what
# follows them (stars, a bracket) are columns of their own, so that digits stand below digits without any package.


STARS = (0.1, 0.05, 0.01)
"""The p-values below which an estimate has one star, two, three."""


class Estimate(NamedTuple):
    """A cell: nan for an error that is not there, because the parameter is held."""

    value: float
    error: float
    p: float


@dataclass(frozen=True, repr=False)
class Table:
    """Fits side by side. Printed it is text, in a notebook a table, and `latex` gives one for a paper.

    Attributes
    ----------
    titles : of the columns
    rows : the parameters, in the order of the table
    cells : per column the estimates by parameter: (value, error, p)
    feet : below the estimates, per column: observations, log-likelihood, AIC and BIC, nan where there is none
    stars : the p-values below which there is one star, two, …
    notes : what holds of the whole table, a line each
    """

    titles: list[str]
    rows: list[str]
    cells: list[dict[str, Estimate]]
    feet: list[dict[str, float]]
    stars: tuple[float, ...]
    notes: list[str]

    def _column(self, k: int) -> list[tuple[str, str]]:
        """The texts of a column, line by line: numbers, and what follows them."""
        cells = self.cells[k]
        write = NumberNotation.of([c.value for c in cells.values()], [c.error for c in cells.values()]).write
        lines = []
        for name in self.rows:
            cell = cells.get(name)
            if cell is None:
                lines += [("", ""), ("", "")]
            elif np.isnan(cell.error):
                lines += [(write(cell.value), ""), ("held", "")]
            else:
                lines += [
                    (write(cell.value), "*" * sum(cell.p < p for p in self.stars)),
                    (f"({write(cell.error)}", ")"),
                ]
        foot = self.feet[k]
        texts = [f"{foot['observations']:.0f}", *[f"{foot[word]:.2f}" for word in list(foot)[1:]]]
        return lines + [("" if np.isnan(v) else text, "") for v, text in zip(foot.values(), texts, strict=True)]

    def _heads(self) -> list[str]:
        return [word for name in self.rows for word in (name, "")] + list(self.feet[0])

    def __str__(self) -> str:
        heads = self._heads()
        lines = ["", *heads]
        lines = [line.ljust(max(map(len, lines))) for line in lines]
        for k, title in enumerate(self.titles):
            column = self._column(k)
            left, right = [max(len(pair[j]) for pair in column) for j in (0, 1)]
            texts = [title.center(left + right), *[a.rjust(left) + b.ljust(right) for a, b in column]]
            width = max(map(len, texts))
            lines = [f"{line}  {text.rjust(width)}" for line, text in zip(lines, texts, strict=True)]
        rule = "─" * max(len(line.rstrip()) for line in lines)
        body = 1 + 2 * len(self.rows)
        return "\n".join([*[t.rstrip() for t in lines[:body]], rule, *[t.rstrip() for t in lines[body:]], *self.notes])

    __repr__ = __str__
    _repr_pretty_ = cut_in_ipython

    def html(self) -> str:
        """Return the table in HTML."""
        heads = "".join(f"<th>{html.escape(title)}</th>" for title in ["", *self.titles])
        columns, lines = [self._column(k) for k in range(len(self.titles))], [f"<tr>{heads}</tr>"]
        lines += [html_row(head, ["".join(column[n]) for column in columns]) for n, head in enumerate(self._heads())]
        return f"<table>{''.join(lines)}</table><p>{'<br>'.join(map(html.escape, self.notes))}</p>"

    _repr_html_ = html

    def latex(self, names: Mapping[str, str] | None = None, caption: str = "", label: str = "") -> str:
        """Return the table in LaTeX, a plain ``tabular`` that needs no package.

        Parameters
        ----------
        names : what to call parameters, as LaTeX: ``{"beta[0]": r"$\\beta_0$"}``
        caption, label : with a caption it is a ``table`` that floats
        """
        _require_known(names, self.rows)
        columns, count = [self._column(k) for k in range(len(self.titles))], len(self.titles)
        titles = [rf"\multicolumn{{2}}{{c}}{{{_escaped(title)}}}" for title in self.titles]
        lines = [rf"\begin{{tabular}}{{l{'r@{}l' * count}}}", r"\hline", " & ".join(["", *titles]) + r" \\", r"\hline"]
        for n, head in enumerate(self._heads()):
            if n == 2 * len(self.rows):
                lines.append(r"\hline")
            cells = [text for column in columns for text in _pair(*column[n])]
            lines.append(" & ".join([(names or {}).get(head, _escaped(head)), *cells]) + r" \\")
        wide = rf"\multicolumn{{{1 + 2 * count}}}{{l}}"
        lines += [r"\hline", *(rf"{wide}{{\footnotesize {_escaped(n)}}} \\" for n in self.notes), r"\end{tabular}"]
        return _floating(lines, caption, label)


def _pair(number: str, after: str) -> tuple[str, str]:
    """A number and what follows it, in LaTeX."""
    if number.startswith("("):
        return "(" + _math(number[1:]), after
    return _math(number), f"$^{{{after}}}$" if after else ""


def _of_each(what: str, given: Any, count: int) -> list[Any]:
    """An option of each of several fits: one for all, or a list of them."""
    found = list(given) if isinstance(given, (list, tuple)) else [given] * count
    if len(found) != count:
        raise FitError(f"{what} has {len(found)} entries, and there are {count} fits", "", "Give one for each.")
    return found


def _rows_of(columns: list[list[str]]) -> dict[str, str]:
    """The labels "group: name" whose row is that of "name", which other fits have without a group."""
    found = {}
    grouped = {label: label.rpartition(": ") for label in dict.fromkeys(label for c in columns for label in c)}
    for label, (group, _, name) in grouped.items():
        groups = {g for g, _, other in grouped.values() if other == name}
        together = any(label in column and name in column for column in columns)
        if group and groups == {"", group} and not together:
            found[label] = name
    return found


def table(
    *fits: Any, titles: list[str] | None = None, rows: list[str] | Mapping[str, str] | None = None,
    kind: Any = "hessian", clusters: Any = None, stars: tuple[float, ...] = STARS,
) -> Table:  # fmt: skip
    """Return fits side by side: estimates with stars, standard errors in brackets, observations and criteria.

    Parameters
    ----------
    fits : what `symgrad.minimize` returned, a column each
    titles : of the columns; by default (1), (2), …
    rows : the names of the parameters to show, in this order, or a dictionary from these to what to call them; by
        default all, as they come. Parameters of one name in several fits share a row; "const" and "beta:
        const" too, if the other fits have no group but this
    kind : as of ``fit.covariance``, for all columns, or a list with one for each
    clusters : for columns of the kind 'cluster', of each observation the group; or a list with one for each column
    stars : the p-values below which an estimate has one star, two, …; ``()`` for none

    Returns
    -------
    Table, which prints as text, in a notebook as HTML, and has ``latex()``. The numbers of a column have one number of
    decimals, or all a power of ten.

    Raises
    ------
    FitError, LinAlgError : a fit has no standard errors; a note says which column it is

    Notes
    -----
    Criteria compare fits of the same data, whose functions leave out the same constants. A parameter at its bound is
    held: its cell says so.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> y, x = np.array([1.0, 2.0, 3.0, 6.0]), np.array([-1.0, 0.0, 0.0, 1.0])
    >>> level = sg.minimize(lambda p, y: np.exp(p["const"]) - y * p["const"], {"const": 0.0}, y)
    >>> def rate(p, x, y):
    ...     z = p["const"] + p["x"] * x
    ...     return np.exp(z) - y * z
    >>> sg.stats.table(level, sg.minimize(rate, {"const": 0.0, "x": 0.0}, x, y))
                       (1)         (2)
    const            1.0986***   0.9079***
                    (0.2887)    (0.3440)
    x                            0.8873**
                                (0.4491)
    ──────────────────────────────────────
    observations          4           4
    log-likelihood     1.18        3.33
    AIC               -0.37       -2.66
    BIC               -0.98       -3.89
    standard errors in brackets: inverse Hessian
    * p < 0.1, ** p < 0.05, *** p < 0.01

    The likelihood that is compared, of one observation with the rate eᶻ, as a formula:

    >>> z, y = sg.symbol("z"), sg.symbol("y")
    >>> (y * z - sg.exp(z)).formula()
    yz − exp(z)
    """
    wrong = [f for f in fits if not hasattr(f, "_covariance")]
    if wrong or not fits:
        word = type(wrong[0]).__name__ if wrong else ""
        what = f"got a{'n' * (word[0] in 'AEIOUaeio')} {word}" if wrong else "got none"
        step = "Give it what sg.minimize returned."
        if wrong and hasattr(wrong[0], "labels") and hasattr(wrong[0], "standard_error"):
            step = ("Effects print as a table each, with latex(); side by side they are "
                    "pd.DataFrame({title: dict(zip(e.labels, e.value)) for title, e in effects.items()}).")  # fmt: skip
        raise FitError(f"sg.stats.table takes fits, {what}", "", step)
    kinds = [kind_of(one) for one in _of_each("kind", kind, len(fits))]
    apart = isinstance(clusters, (list, tuple)) and all(g is None or np.ndim(g) for g in clusters)
    groups = _of_each("clusters", clusters, len(fits)) if apart else [clusters] * len(fits)
    unused = [k for k, g in zip(kinds, groups, strict=True) if g is not None and k != "cluster"]
    if unused and (apart or len(unused) == len(kinds)):
        raise FitError(f"kind={unused[0]!r} takes no clusters=", "", "Say which columns have errors by cluster: "
                       "sg.stats.table(fit, kind='cluster', clusters=groups).")  # fmt: skip
    groups = [g if k == "cluster" else None for k, g in zip(kinds, groups, strict=True)]
    titles = _of_each("titles", titles or [f"({k})" for k in range(1, len(fits) + 1)], len(fits))
    cells, feet, notes = [], [], []
    names = _rows_of([fit.labels for fit in fits])
    for fit, title, one, group in zip(fits, titles, kinds, groups, strict=True):
        try:
            errors = fit._errors(one, group)
        except (FitError, np.linalg.LinAlgError) as error:
            error.add_note(f"This is the column {title!r} of the table.")
            raise
        p = two_sided(fit._flat / errors)
        own = [names.get(label, label) for label in fit.labels]
        cells.append({name: Estimate(*row) for name, *row in zip(own, fit._flat, errors, p, strict=True)})
        count = fit.observations
        feet.append({"observations": np.nan if count is None else count, "log-likelihood": fit.loglik + 0.0,
                     "AIC": fit.aic, "BIC": np.nan if count is None else fit.bic})  # fmt: skip
        notes += [f"{title}: {note}" for note in _averages(fit, one) + _binding(fit)]
    known = list(dict.fromkeys([name for column in cells for name in column]))
    chosen = known if rows is None else list(rows)
    for name in chosen:
        if name not in known:
            raise FitError(f"no fit has a parameter {name!r}", f"They are {listed(known, 12)}.", "Name these in rows=.")
    if isinstance(rows, Mapping):
        if len(set(rows.values())) < len(rows):
            said = f"They are {listed([*rows.values()])}."
            raise FitError("rows= gives two parameters one name", said, "Give each its own.")
        cells = [{rows[name]: cell for name, cell in column.items() if name in rows} for column in cells]
        chosen = list(rows.values())
    if not isinstance(stars, (tuple, list)):
        raise FitError(f"stars is {stars!r}", "", "Give the p-values of one star, two, three: stars=(0.1, 0.05, 0.01).")
    stars = tuple(sorted(stars, reverse=True))
    said = ", ".join(f"{'*' * (k + 1)} p < {level:g}" for k, level in enumerate(stars))
    of = [KINDS[kinds[0]]] if len(set(kinds)) == 1 else [f"{t} {KINDS[k]}" for t, k in zip(titles, kinds, strict=True)]
    notes = [f"standard errors in brackets: {'; '.join(of)}", *([said] if said else []), *notes]
    return Table([str(t) for t in titles], chosen, cells, feet, stars, notes)
