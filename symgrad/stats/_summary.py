"""`Summary`: a table of estimates as text, HTML and LaTeX.

The idea to hold: the table is its rows and its notes; each form only writes them.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import erfc, ndtri

from .. import _limits
from ..show.latex_notes import cut_in_ipython
from ._likelihood import Divided, FitError, averaged_rows, choice

KINDS = {
    "hessian": "inverse Hessian", "opg": "inverse outer product of gradients",
    "sandwich": "sandwich of Hessian and outer product of gradients",
    "HC1": "sandwich of Hessian and outer product of gradients, times n/(n − k)",
    "HC2": "sandwich of Hessian and outer product of gradients over √(1 − h), h their leverages",
    "HC3": "sandwich of Hessian and outer product of gradients over 1 − h, h their leverages",
    "cluster": "sandwich of Hessian and gradients summed within clusters",
}  # fmt: skip


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

    def _cells(self, row: Row) -> list[str]:
        """Of a row: estimate, error, z, p, lower, upper, as text."""
        if row.name in self.remarks:
            return [_number(row.estimate), self.remarks[row.name], "", "", "", ""]
        if np.isnan(row.error):
            return [_number(row.estimate), "", "", "", "", ""]
        z = f"{row.z:.2f}" if abs(row.z) < 1e4 else f"{row.z:.1e}"
        p = "< 0.0001" if row.p < 1e-4 else f"{row.p:.4f}"
        return [_number(row.estimate), _number(row.error), z, p, _number(row.lower), _number(row.upper)]

    def __str__(self) -> str:
        cells = [[row.name, *self._cells(row)] for row in self.rows]
        heads = ["", *self._heads[:4]]
        widths = [max(map(len, column)) for column in zip(heads, *[c[:5] for c in cells], strict=True)]
        ends = [max((len(c[k]) for c in cells), default=0) for k in (5, 6)]
        cells.insert(0, [*heads, self._heads[4].rjust(sum(ends) + 2)])
        widths += ends
        lines = ["  ".join([c[0].ljust(widths[0]), *map(str.rjust, c[1:], widths[1:])]).rstrip() for c in cells]
        return "\n".join([*lines, *self.notes])

    __repr__ = __str__
    _repr_pretty_ = cut_in_ipython

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{html.escape(h)}</th>" for h in ["", *self._heads[:4]])
        lines = [f'<tr>{heads}<th colspan="2">{html.escape(self._heads[4])}</th></tr>']
        for row in self.rows[: _limits.NOTEBOOK_ROWS]:
            cells = "".join(f"<td>{html.escape(text)}</td>" for text in self._cells(row))
            lines.append(f"<tr><th>{html.escape(row.name)}</th>{cells}</tr>")
        more = len(self.rows) - _limits.NOTEBOOK_ROWS
        left = [f"{more:,} more rows, which print shows"] if more > 0 else []
        notes = "<br>".join(map(html.escape, [*left, *self.notes]))
        return f"<table>{''.join(lines)}</table><p>{notes}</p>"

    def latex(self, names: Mapping[str, str] | None = None, caption: str = "", label: str = "") -> str:
        """Return the table in LaTeX, with the rules of the package booktabs.

        Parameters
        ----------
        names : what to call parameters, as LaTeX: ``{"beta[0]": r"$\\\\beta_0$"}``
        caption, label : with a caption it is a ``table`` that floats
        """
        unknown = set(names or ()) - {row.name for row in self.rows}
        if unknown:
            raise FitError(f"there is no parameter {sorted(unknown)[0]!r} to name",
                           f"They are {', '.join(row.name for row in self.rows)}.", "Name these.")  # fmt: skip
        heads = (
            " & ".join(["", *map(_escaped, self._heads[:4])]) + rf" & \multicolumn{{2}}{{c}}{{{100 * self.level:g}\%"
        )
        lines = [r"\begin{tabular}{lrrrrrr}", r"\toprule", heads + r" interval} \\", r"\midrule"]
        for row in self.rows:
            cells = [_math(text) for text in self._cells(row)]
            lines.append(" & ".join([(names or {}).get(row.name, _escaped(row.name)), *cells]) + r" \\")
        lines += [r"\midrule", *(rf"\multicolumn{{7}}{{l}}{{\footnotesize {_escaped(n)}}} \\" for n in self.notes)]
        lines += [r"\bottomrule", r"\end{tabular}"]
        if caption:
            above = [
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{caption}}}",
                *([rf"\label{{{label}}}"] if label else []),
            ]
            lines = [*above, *lines, r"\end{table}"]
        return "\n".join(lines)


def _number(value: float) -> str:
    size = abs(value)
    return f"{value:.4f}" if 1e-2 <= size < 1e6 or not size else f"{value:.3e}"


_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$",
    "−": r"$-$", **{sign: "\\" + sign for sign in "&%$#_{}"},
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
    found: np.ndarray = erfc(np.abs(z) / np.sqrt(2))
    return found


def quantile(level: Any) -> float:
    """How many standard errors an interval of this level reaches to either side."""
    if not isinstance(level, (float, np.floating)) or not 0 < level < 1:
        raise FitError(f"level is {level!r}", "", "It is a probability between 0 and 1: level=0.95.")
    return float(ndtri(0.5 + level / 2))


def summary_of(fit: Any, kind: str, clusters: Any, level: float) -> Summary:
    """The table of a fit."""
    choice("kind", kind, KINDS)
    reach = quantile(level)
    x, count, remarks = fit._flat, fit.observations, {}
    of = "" if count is None else f", {count} observations"
    notes = [f"log-likelihood {fit.loglik:.6g}{of}"]
    errors = np.full(x.shape, np.nan)
    try:
        fit._require_converged()
        if fit._is_large:
            raise FitError(f"not computed beyond {_limits.FITTED_ERRORS:,} parameters", "",
                           "fit.standard_errors() computes them, by the inverse of the whole matrix.")  # fmt: skip
    except (FitError, np.linalg.LinAlgError) as error:
        notes += [f"no standard errors: {line}" if k == 0 else line for k, line in enumerate(str(error).splitlines())]
    else:
        errors = fit._errors(kind, clusters)
        held = {k: f"at its {end} bound" if end != "fixed" else "fixed" for k, end in fit._free.ends.items()}
        remarks = {fit.labels[k]: held.get(k, "fixed") for k in np.flatnonzero(fit._free.held).tolist()}
        sign = "negative log-likelihood" if fit._model.sign > 0 else "log-likelihood"
        what = KINDS[kind]
        if clusters is not None:
            what = what.replace("clusters", f"{fit._model.groups(clusters)} clusters")
        notes.append(f"standard errors: {what} (f is a {sign})")
        divided = averaged_rows(fit._model, fit._flat) if kind in ("hessian", "opg") else None
        if divided is not None:
            notes.append(_note_of(divided, kind))
        if remarks:
            notes.append(f"held fixed: {', '.join(remarks)}")
        nit = fit.get("nit")
        after = "" if nit is None else f" after {nit} iteration{'s' * (nit != 1)}"
        notes.append(f"{fit.method} converged{after}")
    z = x / errors
    columns = (fit.labels, x, errors, z, two_sided(z), x - reach * errors, x + reach * errors)
    return Summary([Row(*row) for row in zip(*columns, strict=True)], level, notes, remarks)


def _note_of(divided: Divided, kind: str) -> str:
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
