"""Tests of restrictions on estimates: Wald's, of equations that one writes, and the likelihood ratio of two fits.

The idea to hold: a restriction is g(estimates) = 0. Under it g over its standard error is standard normal, and of
several the quadratic form gᵀ(JCJᵀ)⁻¹g is χ²; so is twice the difference of two log-likelihoods, one of which has the
restrictions.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc

from ..core import unwrap
from ..distributed._jobs import quietly
from ..show.latex_notes import cut_in_ipython
from ..transforms import Derivative
from ..transforms.calls import flatten, spelled_paths
from ..transforms.report import short
from ._delta import value_and_jacobian
from ._likelihood import FitError, Likelihood, averaged_rows, listed
from ._summary import KINDS, kind_of

# -------------------------------------------------------------------------------------------------------------------
# Equations in the names of parameters, read as functions of the flat vector of the estimates

# The idea to hold: names of parameters may hold any sign (``C(town)[T.2]``, ``count: age``), so they are looked for
# before anything else, the longest first. What is left is arithmetic.


FUNCTIONS: dict[str, Callable[..., Any]] = {"exp": np.exp, "log": np.log, "sqrt": np.sqrt}
_SIGNS = re.compile(r"\*\*|==|[-−+*·⋅×/^(),=]")
_AS_PYTHON = {"−": "-", "·": "*", "⋅": "*", "×": "*", "^": "**", "==": "="}
_NUMBERS = re.compile(r"(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_CALLED = re.compile(rf"({'|'.join(FUNCTIONS)})(?=\s*\()")
_HOW = 'Write equations like "b1 = b2, b3 = 0" with + − * / ^ and exp, log, sqrt.'
TWICE = 1e-9
"""Where an eigenvalue of the correlations of restrictions is less, one of them follows from the others."""


class Equations:
    """Equations of the parameters.

    Parameters
    ----------
    text : as a user writes them: ``"b1 = b2, b3 = 0"``; without a sign of equality a term is to be 0
    labels : the names of the parameters, in the order of the flat vector

    Attributes
    ----------
    texts : one for each restriction

    Raises
    ------
    FitError : the text cannot be read, or names a parameter that is not there
    """

    def __init__(self, text: str, labels: Sequence[str]) -> None:
        self._text, self._labels = text, list(labels)
        quoted = [(f"{quote}{name}{quote}", k) for k, name in enumerate(labels) if name for quote in ("", *"\"'`")]
        ends = [name.rpartition(": ")[2] for name in labels]  # x1, where one parameter alone ends so
        quoted += [(word, k) for k, word in enumerate(ends) if word and ends.count(word) == 1]
        known = {word: f"v[{k}]" for word, k in reversed(quoted)}
        alone = r"(?!(?<=\w)\w)"  # a name does not go on
        longest = "|".join(re.escape(word) + alone for word in sorted(known, key=len, reverse=True))
        self._kinds: list[tuple[Any, Callable[[str], str]]] = [
            (_NUMBERS, lambda number: f"({float(number)!r})"), (_CALLED, str),
            (re.compile(longest), known.__getitem__),
        ]  # fmt: skip
        self.texts: list[str] = []
        self._sides: list[tuple[Any, Any]] = []
        for written, code, names in self._equations():
            if not names:
                more = "; one that is called by a number stands in quotes" if written[0].isdigit() else ""
                raise self._unread(f"{written!r} names no parameter{more}.")
            sides = [self._compiled(side, written) for side in code] + ([compile("0.0", "", "eval")] * (len(code) == 1))
            ends = [part.strip() for part in written.split("=")] + (["0"] * (len(code) == 1))
            for k in range(len(sides) - 1):
                self._sides.append((sides[k], sides[k + 1]))
                self.texts.append(f"{ends[k]} = {ends[k + 1]}" if len(ends) == len(sides) else written)

    def __call__(self, flat: Any) -> Any:
        """The left sides less the right ones, of shape (q,)."""
        space = {"v": flat, "inf": np.inf, **FUNCTIONS}  # 1e999
        try:
            found = np.stack([eval(a, space) - eval(b, space) + 0 * flat[0] for a, b in self._sides])
        except ArithmeticError as error:  # 1/0, say
            raise self._unread(f"{error}.") from None
        except TypeError:  # exp(), and a (b + c), which calls a number
            raise self._unread("A function needs an argument, and a product a sign, 2*a.") from None
        if np.iscomplexobj(found):
            raise self._unread("A root of a negative number is complex.")
        return found

    def _equations(self) -> Iterator[tuple[str, list[str], list[str]]]:
        """Of each equation the text, its sides as Python, and the parameters that it names."""
        start, depth, sides = 0, 0, [""]
        names: list[str] = []
        for place, sign, code in [*self._tokens(), (len(self._text), ",", "")]:
            depth += (sign == "(") - (sign == ")")
            if depth > 0 and sign in (",", "="):
                raise self._unread(
                    "A bracket is open." if place == len(self._text) else f"{sign!r} is within brackets."
                )
            if sign == ",":
                written = self._text[start:place].strip()
                if not written:
                    raise self._unread("An equation is empty.")
                yield written, sides, names
                start, sides, names = place + 1, [""], []
            elif sign == "=":
                sides.append("")
            else:
                sides[-1] += code
                names += [code] if code.startswith("v[") else []

    def _tokens(self) -> Iterator[tuple[int, str, str]]:
        """(place, sign, as Python) of every name, number and sign."""
        text, place = self._text, 0
        while place < len(text):
            if text[place].isspace():
                place += 1
                continue
            end, sign, code = self._token(text, place)
            yield place, sign, code
            place = end

    def _token(self, text: str, place: int) -> tuple[int, str, str]:
        """The longest number, function or name at a place; else a sign."""
        met = [(m.end(), "", as_python(m[0])) for kind, as_python in self._kinds if (m := kind.match(text, place))]
        if met:
            return max(met, key=lambda token: token[0])
        sign = _SIGNS.match(text, place)
        if sign:
            code = _AS_PYTHON.get(sign[0], sign[0])
            return sign.end(), code, code
        if text[place] in "<>≤≥!≠":
            raise self._unread(f"{text[place]!r} is no sign of equality.")
        word = re.match(r"[^\s,=()+*/^]+", text[place:])
        raise FitError(f"there is no parameter {word[0] if word else text[place]!r}, in {self._text!r}",
                       f"They are {listed(self._labels, 12)}.", "Names may stand in quotes.")  # fmt: skip

    def _compiled(self, code: str, written: str) -> Any:
        try:
            with warnings.catch_warnings(action="error"):  # of 2(a + b), which calls a number
                return compile(code, "<restriction>", "eval")
        except SyntaxError:
            raise self._unread(f"{written!r} is no equation.") from None

    def _unread(self, evidence: str) -> FitError:
        return FitError(f"the restrictions {self._text!r} cannot be read", evidence, _HOW)


# -------------------------------------------------------------------------------------------------------------------
# The tests


@dataclass(frozen=True, repr=False)
class Test:
    """A test of restrictions. Printed it says what was tested, and what came out.

    Attributes
    ----------
    name : 'Wald' or 'likelihood ratio'
    statistic : χ²; or F, where there are degrees of freedom of the residuals
    df : how many restrictions
    residual_df : the second number of an F distribution; None for χ²
    pvalue : the probability of a larger statistic, if the restrictions hold
    notes : what it is of, a line each
    """

    __test__ = False  # to pytest

    name: str
    statistic: float
    df: int
    residual_df: float | None
    pvalue: float
    notes: list[str]

    def __repr__(self) -> str:
        law = f"χ²({self.df})" if self.residual_df is None else f"F({self.df}, {self.residual_df:g})"
        p = "p < 0.0001" if self.pvalue < 1e-4 else f"p = {self.pvalue:.4f}"
        return "\n".join([f"{self.name} test: {law} = {short(self.statistic, 6)}, {p}", *self.notes])

    _repr_pretty_ = cut_in_ipython


def wald(fit: Any, restrictions: Any, residual_df: Any, kind: str, clusters: Any) -> Test:
    """Wald's test of restrictions; see `Fit.test`."""
    kind, covariance = kind_of(kind), fit._covariance(kind, clusters)
    if isinstance(restrictions, str):
        equations = Equations(restrictions, fit.labels)
        texts = equations.texts
        with quietly():
            value = np.asarray(unwrap(equations(fit._flat)), float)
            J = np.asarray(unwrap(Derivative("jacobian", equations, 0)(fit._flat)), float)
    elif callable(restrictions):
        value, J = value_and_jacobian("fit.test", restrictions, fit)
        value = np.reshape(value, -1)
        texts = [f"g{f'[{k}]' if len(value) > 1 else ''} = 0" for k in range(len(value))]
    else:
        step = "Compare two fits by fit.likelihood_ratio(restricted)." if hasattr(restrictions, "loglik") else _HOW
        what = f"fit.test takes equations as text, or a function, got a {type(restrictions).__name__}"
        raise FitError(what, "", step)
    if not np.isfinite(value).all() or not np.isfinite(J).all():
        bad = int(np.flatnonzero(~(np.isfinite(value) & np.isfinite(J).all(1)))[0])
        raise FitError(f"{texts[bad]} is not defined at the estimates", f"Its sides differ by {value[bad]}.",
                       "Write it in another form.")  # fmt: skip
    middle = J @ covariance @ J.T
    _require_independent(fit, J, middle, texts)
    found = float(value @ np.linalg.solve(middle, value))
    of = [f"restrictions: {', '.join(texts)}", f"standard errors: {KINDS[kind]}"]
    if residual_df is None:
        return Test("Wald", found, len(value), None, float(chdtrc(len(value), found)), of)
    if not isinstance(residual_df, (int, float, np.number)) or not residual_df > 0:
        raise FitError(
            f"residual_df is {residual_df!r}", "", "It is the number of observations less that of parameters."
        )
    found /= len(value)
    return Test("Wald", found, len(value), float(residual_df), float(fdtrc(len(value), residual_df, found)), of)


def _require_independent(fit: Any, J: np.ndarray, middle: np.ndarray, texts: list[str]) -> None:
    """Raise where a restriction has no error, or follows from the others."""
    still = np.flatnonzero(~(J @ fit._free.basis).any(1))
    if still.size:
        held = [fit.labels[k] for k in np.flatnonzero(J[still[0]]) if fit._free.held[k]]
        raise FitError(
            f"{texts[still[0]]} cannot be tested",
            f"{listed(held)} is held at its bound, and has no standard error." if held else
            "Its derivatives are 0 at the estimates, where Wald's test says nothing.",
            "Compare with a fit that has the restriction: fit.likelihood_ratio(restricted).",
        )  # fmt: skip
    scale = 1 / np.sqrt(np.diagonal(middle))
    values, vectors = np.linalg.eigh(middle * scale * scale[:, None])
    if values[0] < TWICE:
        involved = [texts[k] for k in np.flatnonzero(np.abs(vectors[:, 0]) > 1e-6)]
        raise FitError("the restrictions say the same twice, or contradict each other",
                       f"One of these follows from the others, but for a number: {', '.join(involved)}.",
                       "Leave one of them out.")  # fmt: skip


def likelihood_ratio(fit: Any, restricted: Any) -> Test:
    """The test of a fit against one with restrictions; see `Fit.likelihood_ratio`."""
    if not hasattr(restricted, "_free_count"):
        raise FitError(f"fit.likelihood_ratio takes a fit, got a {type(restricted).__name__}", "",
                       "Give it what sg.minimize returned for the restricted model.")  # fmt: skip
    counts, likelihoods = [f._free_count for f in (fit, restricted)], [f.loglik for f in (fit, restricted)]
    df, ratio = counts[0] - counts[1], 2 * (likelihoods[0] - likelihoods[1])
    if df <= 0:
        swapped = df < 0 and ratio < 0
        raise FitError(
            f"the fits are not nested this way: {counts[0]} free parameters, and {counts[1]} of the restricted one", "",
            "It is the other way round: restricted.likelihood_ratio(fit)." if swapped else
            "Compare models that are not nested by fit.aic.",
        )  # fmt: skip
    _require_same_data(fit, restricted)
    for one, which in ((fit, "the fit"), (restricted, "the restricted fit")):
        if averaged_rows(one._model, one._flat) is not None:
            raise FitError(f"the function of {which} is an average over its rows",
                           "Twice a difference of averages is no χ².",
                           "Return the sum of the contributions, or their vector.")  # fmt: skip
    if ratio < -1e-8 * (1 + abs(likelihoods[0])):
        raise FitError(
            "the restricted fit has the higher likelihood, so the fits are not nested, or one is at a local optimum",
            f"Log-likelihoods: {likelihoods[0]:.10g}, restricted {likelihoods[1]:.10g}.",
            "Start the larger fit from the estimates of the restricted one.",
        )  # fmt: skip
    notes = [f"log-likelihood {likelihoods[0]:.6g}, restricted {likelihoods[1]:.6g}"]
    names = [] if fit._is_large else [fit.labels[k] for k, end in fit._free.ends.items() if end != "fixed"]
    rows = None if fit._is_large else fit._limits[2]
    names += [] if rows is None else [
        text for k, text in zip(fit._free.binding, fit._equalities, strict=True) if rows.low[k] < rows.high[k]
    ]  # fmt: skip
    if names:
        notes.append(f"{listed(names)}: at a bound, where the law of the statistic is another one")
    ratio = max(ratio, 0.0)
    return Test("likelihood ratio", ratio, df, None, float(chdtrc(df, ratio)), notes)


def _require_same_data(fit: Any, restricted: Any) -> None:
    """Raise where two fits are seen to be of other rows, other outcomes, or columns that are not nested."""
    counts = [f.observations for f in (fit, restricted)]
    mine, theirs = [{} if type(f._model) is not Likelihood else _arrays(f) for f in (fit, restricted)]
    if None not in counts and counts[0] != counts[1]:
        both = [(mine[name], theirs[name]) for name in mine.keys() & theirs.keys() if mine[name].ndim]
        if any(len(a) != len(b) or (a.ndim == b.ndim == 1 and not _equal(a, b)) for a, b in both):
            raise FitError(f"the fits are of other data: {counts[0]} and {counts[1]} observations", "",
                           "Fit both to the rows that both have.")  # fmt: skip
        raise FitError(
            f"the functions return {counts[0]} and {counts[1]} contributions",
            "It is not seen whether they are of the same rows.", "Sum those of a group in the function that has more, "
            "np.bincount(group, contributions); or fit both to the rows that both have.",
        )  # fmt: skip
    for name in mine.keys() & theirs.keys():
        a, b = mine[name], theirs[name]
        if a.ndim == b.ndim == 1 and len(a) > 1:
            if a.shape != b.shape or not _equal(a, b):
                what = f"lengths {len(a)} and {len(b)}" if len(a) != len(b) else f"{int((a != b).sum())} entries differ"
                raise FitError(
                    f"the fits are of other data: {name}", f"{what.capitalize()}.", "Fit both to the same data."
                )
        elif a.ndim == b.ndim == 2 and len(a) == len(b) and _same_code(fit, restricted):
            _require_columns_within(name, a, b, restricted)


def _require_columns_within(name: str, a: np.ndarray, b: np.ndarray, restricted: Any) -> None:
    if a.dtype.kind not in "fiub" or b.dtype.kind not in "fiub":
        return
    a, b = a.astype(float), b.astype(float)
    rest = b - a @ np.linalg.lstsq(a, b, rcond=None)[0]
    beside = np.flatnonzero(np.linalg.norm(rest, axis=0) > 1e-8 * np.linalg.norm(b, axis=0))
    if beside.size:
        table = dict(restricted._model.call._given).get(name)
        words = getattr(table, "columns", range(b.shape[1]))
        raise FitError(
            f"the fits are not nested: {name} of the restricted one has columns that are no combination of the other's",
            f"They are {listed([words[k] for k in beside])}.", "Compare models that are not nested by fit.aic.",
        )  # fmt: skip


def _arrays(fit: Any) -> dict[str, np.ndarray]:
    """The arrays of the data of a fit, by name."""
    call = fit._model.call
    given = list(call.bound.arguments.items())[1:]
    named = [(path, leaf) for name, tree in given for path, leaf in zip(spelled_paths(tree, name), flatten(tree)[0])]
    return {path: np.asarray(unwrap(leaf)) for path, leaf in named if isinstance(unwrap(leaf), np.ndarray)}


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    numbers = a.dtype.kind == b.dtype.kind == "f"
    return bool(np.array_equal(a, b, equal_nan=numbers))


def _same_code(fit: Any, other: Any) -> bool:
    """Whether two fits are of one function, so that what is called the same in both means the same."""
    one, two = fit._model.f, other._model.f
    return one is two or (hasattr(one, "__code__") and getattr(two, "__code__", None) is one.__code__)
