"""`verify`: whether what somebody says about a function is so, what is wrong with it, and the verdict for reading."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import partial
from html import escape
from itertools import chain, combinations
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError, ShapeError, SymgradError
from .._limits import bound
from .._progress import Task
from .._trees import postorder
from ..core import Symbol
from ..formulas import (
    Derivation,
    Edge,
    Formula,
    Found,
    Line,
    Proof,
    Raised,
    Undefined,
    Wrt,
    array_of,
    entry_at,
    in_names_of,
    in_text,
    points_text,
    shape_text,
    size_names,
    weight,
    written,
)
from ..notation import run_together, sides_of
from ..show import in_one_piece, to_text
from ..show.latex_notes import cut_in_ipython, in_dollars, shortened_in_notebooks
from ..show.signs import called
from ..terms import Add, Expr, broadcast, ein, evaluate, is_unnamed, pow_, shaped
from .proof_of_claims import narrower, prove, set_apart
from .sides import Side, Variable, formula_from, function_of, is_sympy, likely, renamed, variable, variables_of
from .truth import Comparison, Truth

# -------------------------------------------------------------------------------------------------------------------
# What is wrong with a wrong claim, where that is mathematics: a sign, a factor, a transpose, a term, an entry

# The idea to hold: each guess is a changed truth; one that the claim is at every point that was looked at is told.


_FACTORS = [Fraction(a, b) for a in (1, 2, 3, 4, 6) for b in (1, 2, 3, 4, 6)]


_Guess = tuple[str, Callable[[Found], Any]]
"""What was done wrong, in words, and the truth so changed."""


def diagnosis(seen: Comparison) -> str:
    """What was done wrong, in words; empty if it is not known."""
    counted = [f for f in seen.found if not f.undecided and not f.said and f.claimed is not None]
    whole = [f for f in counted if np.isfinite(f.far).all() and np.isfinite(f.right).all()]
    if not whole:
        return _region(seen)
    guesses = chain(_factor(whole), _transposed(whole), _term(seen, whole), _shifted(whole))
    return (
        _fitting(whole, guesses) or _symmetric(seen, whole) or _region(seen) or _fitting(whole, _product(seen, whole))
        or _entries(whole) or _fitting(whole, _odd_factor(whole))
    )  # fmt: skip


def _fitting(whole: list[Found], guesses: Iterable[_Guess]) -> str:
    return next((words for words, changed in guesses if _fits(whole, changed)), "")


def _fits(whole: list[Found], changed: Callable[[Found], Any]) -> bool:
    """Whether the claim is a changed truth wherever it was looked at, and not everywhere 0."""
    for f in whole:
        there = changed(f)
        if there is None or np.shape(there) != f.right.shape or f.claimed is None:
            return False
        size = max(float(np.abs(there).max(initial=0)), f.scale)
        if not (np.abs(f.claimed - there) <= 1e-6 * size + 1e-9 * f.scale + 1e-12 * f.typical).all():
            return False
    return any(f.scale for f in whole)


def _factor(whole: list[Found]) -> Iterator[_Guess]:
    yield "the sign: the claim is minus the right one", _times(-1)
    for c in (sign * c for c in _FACTORS for sign in (1, -1)):
        if c != 1:
            yield f"a factor: the claim is {c} times the right one", _times(c)
    for name in whole[0].place.lengths:
        yield f"a factor: the claim is {name} times the right one", _times(1, name)
        yield f"a factor: the claim is the right one divided by {name}", _times(1, name, -1)


def _odd_factor(whole: list[Found]) -> Iterator[_Guess]:
    first = max(whole, key=lambda f: f.scale)
    place = entry_at(np.abs(first.right).argmax(), first.right.shape)
    c = float(first.claimed[place] / first.right[place]) if first.claimed is not None and first.scale else 1.0
    if min(abs(c), abs(c - 1)) > 1e-7:
        yield f"a factor: the claim is {c:.8g} times the right one", _times(c)


def _transposed(whole: list[Found]) -> Iterator[_Guess]:
    if whole[0].right.ndim > 1:
        yield "transposed: the claim is the transpose of the right one", lambda f: f.right.T


def _term(seen: Comparison, whole: list[Found]) -> Iterator[_Guess]:
    """A term of the right formula that is missing, or has a wrong factor; one of the claim that is too many."""
    for term, values in _terms(seen.claim.formula, whole):
        yield f"a term too many: {to_text(term)}", _times(2, part=values)
    for term, values in _terms(seen.truth.formula, whole):
        text = to_text(term)
        yield f"a term is missing: {text}", _times(0, part=values)
        yield f"a sign: that of the term {text}", _times(-1, part=values)
        for share in _FACTORS:
            if share != 1:
                yield f"a factor: the term {text} stands {share} times", _times(share, part=values)
        for name in whole[0].place.lengths:
            yield f"a factor: the term {text} is multiplied by {name}", _times(1, name, part=values)
            yield f"a factor: the term {text} is divided by {name}", _times(1, name, -1, values)


def _times(
    times: Fraction | float, size: str = "", power: int = 1, part: dict[int, Any] | None = None
) -> Callable[[Found], Any]:
    """The right derivative with all of it, or a part, standing so often; also as often as a named size is long."""

    def changed(f: Found) -> Any:
        often = float(times) * (float(f.place.lengths[size]) ** power if size else 1)
        return f.right + (often - 1) * (f.right if part is None else part[id(f)])

    return changed


def _terms(right: Formula | None, whole: list[Found]) -> Iterator[tuple[Expr, dict[int, Any]]]:
    """The terms of a formula (also multiplied out), with their values at each place."""
    if right is None:
        return
    forms = [right.term]
    with suppress(SymgradError):  # too many terms
        forms.append(right.expand().term)
    for form in forms:
        terms: Any = form.terms if isinstance(form, Add) else ()
        for c, t, s in terms:
            try:
                parts = [float(c) * broadcast(_value(t, right, f), s, f.right.ndim) for f in whole]
                values = {id(f): np.broadcast_to(p, f.right.shape) for f, p in zip(whole, parts, strict=True)}
            except (SymgradError, ValueError, np.linalg.LinAlgError):
                continue
            yield shaped(form.shape, c, [(t, s)]), values


def _value(term: Expr, of: Formula, f: Found) -> np.ndarray:
    return np.asarray(evaluate(term, f.place.known(of.point))) * 1.0


def _product(seen: Comparison, whole: list[Found]) -> Iterator[_Guess]:
    """A factor of the right formula that is missing, as an inner derivative is; one of the claim that is too many."""
    first = min(whole, key=lambda f: abs(np.log(f.scale or 1e-300)))  # of numbers far from 1 rounding may be all
    missing = (seen.truth.formula, first.claimed, "is missing", _of)
    for formula, wanted, words, changed in (missing, (seen.claim.formula, first.right, "too many", _if_right)):
        for coef, out, labels, value in _without_factors(formula):
            c = _ratio(wanted, value(first))
            if c is not None:
                yield f"a factor {words}: {to_text(ein(coef / c, out, labels))}", partial(changed, value, c)


def _ratio(wanted: Any, there: Any) -> Fraction | None:
    """The simple number that one array is times another; None if it is none."""
    if there is None or np.shape(wanted) != there.shape or not np.isfinite(there).all() or not there.any():
        return None
    place = entry_at(np.abs(there).argmax(), there.shape)
    c = float(wanted[place] / there[place])
    return next((sign * n for n in _FACTORS for sign in (1, -1) if abs(c - sign * n) < 1e-6 * n), None)


def _of(value: Callable[[Found], Any], c: Fraction, f: Found) -> Any:
    left = value(f)
    return None if left is None else float(c) * left


def _if_right(value: Callable[[Found], Any], c: Fraction, f: Found) -> Any:
    """The claim, where what is left of it has the right value."""
    left = _of(value, c, f)
    return f.claimed if left is not None and np.allclose(left, f.right, 1e-6, 1e-9 * f.scale) else None


PRODUCT = bound(8)
"""Factors of a product up to which it is looked at without one or two of them."""


def _without_factors(formula: Formula | None) -> Iterator[tuple[Any, list[Any], Any, Callable[[Found], Any]]]:
    """A product without one or two of its factors: its number, these and their labels, and the value of the rest."""
    form: Any = None if formula is None else formula.term
    if form is None or isinstance(form, Add):
        return
    coef, factors = form.coef, form.factors
    if len(factors) > PRODUCT:
        return
    for gone in chain.from_iterable([combinations(range(len(factors)), n) for n in (1, 2)]):
        kept = [factor for k, factor in enumerate(factors) if k not in gone]
        lost = [factors[k] for k in gone]
        ways: list[tuple[Any, Any]] = [(lost, kept)]
        base, power = lost[0][0].as_power
        if len(lost) == 1 and isinstance(power, (int, Fraction)) and power * power > 1:  # 1/(1 + x) of 1/(1 + x)²
            one, labels = (-1 if power < 0 else 1), lost[0][1]
            ways.append(([(pow_(base, one), labels)], [*kept, (pow_(base, power - one), labels)]))
        for out, rest in ways:
            at = _loosened(form.rank, out, rest)
            labels = tuple(sorted({k for _, s in out for k in s} & {*range(form.rank), *(at or ())}))
            if at is not None and len(labels) < 3:
                yield coef, out, labels, _left(formula, rest, at, form.rank)


def _loosened(rank: int, out: list[Any], rest: list[Any]) -> dict[int, int] | None:
    """The labels that were summed over and are no more, each with the axis that it becomes; None if there is none."""
    there = Counter([k for _, s in rest for k in s])
    loose = [k for k in dict.fromkeys([k for _, s in out for k in s]) if k >= rank and there[k] == 1]
    axes = [k for k in range(rank) if k not in there]
    return dict(zip(loose, axes, strict=False)) if len(loose) <= len(axes) else None


def _left(formula: Any, rest: list[Any], at: dict[int, int], rank: int) -> Callable[[Found], Any]:
    """The value of what is left of a product."""
    turned = [(t, tuple([at.get(k, k) for k in s])) for t, s in rest]
    labels = tuple(sorted({k for _, s in turned for k in s if k < rank}))
    term = ein(1, turned, labels)

    def value(f: Found) -> Any:
        try:
            return np.broadcast_to(broadcast(_value(term, formula, f), labels, rank), f.right.shape)
        except (SymgradError, ValueError, np.linalg.LinAlgError):
            return None

    return value


_CONVENTIONS = (
    ("it is right where {0} is symmetric only", lambda g: g),
    ("it takes {0} as symmetric, and counts each pair of entries once: that is G + Gᵀ − diag(G) of the right G",
     lambda g: g + g.T - np.diag(np.diag(g))),
)  # fmt: skip
"""What is said of square matrices that are taken as symmetric, and what is right then."""


def _symmetric(seen: Comparison, whole: list[Found]) -> str:
    """Which matrix the claim takes as symmetric; empty if none."""
    rng = np.random.default_rng(0)
    for name, value in whole[0].place.point.items():
        if np.ndim(value) != 2 or any(f.place.point[name].shape[0] != f.place.point[name].shape[1] for f in whole):
            continue
        pairs = []
        for f in whole:
            half = f.place.point[name] / 2
            place = f.place.moved({name: half + half.T})
            with suppress(Raised, Undefined, SymgradError):
                known, claimed = seen.truth.at(place, rng), seen.claim.value(*place[:2])
                if known is not None and claimed is not None and claimed.shape == known.entries.shape:
                    pairs.append((claimed, known.entries))
        for words, changed in _CONVENTIONS if len(pairs) > 1 else ():
            held = [(c, changed(g) if g.ndim == 2 else g) for c, g in pairs]
            if all(np.allclose(c, g, 1e-6, 1e-9) for c, g in held) and any(g.any() for _, g in held):
                return words.format(name)
    return ""


def _shifted(whole: list[Found]) -> Iterator[_Guess]:
    if whole[0].right.ndim and all(f.right.shape[0] > 2 for f in whole):
        yield "a wrong index: each entry is the entry before of the right one", lambda f: np.roll(f.right, 1, 0)
        yield "a wrong index: each entry is the entry after of the right one", lambda f: np.roll(f.right, -1, 0)
        yield "a wrong index: the entries stand in reverse order", lambda f: f.right[::-1]


def _entries(whole: list[Found]) -> str:
    """Which entries are wrong, if it is some wherever it is any."""
    wrong = [f.wrong() for f in whole if f.entry is not None]
    if not wrong or not wrong[0].ndim or all(w.all() for w in wrong):
        return ""
    first = wrong[0]
    if first.sum() == 1 and all(w.sum() == 1 and (np.argwhere(w)[0] == np.argwhere(first)[0]).all() for w in wrong):
        return f"one entry alone: [{', '.join(map(str, np.argwhere(first)[0]))}]; the others are right"
    if first.ndim == 2 and all(w.shape[0] == w.shape[1] for w in wrong):
        if all((w <= np.eye(len(w), dtype=bool)).all() for w in wrong):
            return "the diagonal; the other entries are right"
        if all(not np.diag(w).any() for w in wrong):
            side = "above" if not any(np.tril(w).any() for w in wrong) else "below" if not any(
                np.triu(w).any() for w in wrong) else "off"  # fmt: skip
            return f"the entries {side} the diagonal; the others are right"
    ends = [{int(i) for i in np.argwhere(w)[:, 0]} for w in wrong]
    if (
        all(e <= {0, w.shape[0] - 1} for e, w in zip(ends, wrong, strict=True))
        and first.ndim == 1 < min(map(len, wrong)) - 1
    ):
        return "the first or the last entry; those between are right"
    return ""


# ------------------------------------------------------------------------------------------------------------ regions


def _region(seen: Comparison) -> str:
    """A condition that holds wherever the claim is right, and nowhere where it is wrong."""
    sizes = _sizes(seen)
    if sizes:
        return sizes
    right, wrong = seen.telling or seen.agreed, seen.refuted
    if not right:
        return ""
    for edge in seen.edges():
        for holds, words in ((True, ""), (False, "not ")):
            if _separates(edge, holds, right, wrong):
                text = in_one_piece(edge.term).removeprefix("1[").removesuffix("]")
                text += "" if getattr(getattr(edge.term, "op", None), "truth", False) else " > 0"
                return f"it agrees where {words}{text} only"
    for name in wrong[0].place.point:
        for sign, words in ((1, "> 0"), (-1, "< 0")):
            at_right, at_wrong = [[(sign * f.place.point[name] > 0).all() for f in some] for some in (right, wrong)]
            if all(at_right) and not any(at_wrong):
                return f"it agrees where {name} {words} only"
    return _asking(seen)


def _asking(seen: Comparison) -> str:
    """What of the claim has no number where the claim has none; empty if it has one somewhere, or nobody knows."""
    claim, wrong = seen.claim.formula, seen.refuted
    if claim is None or any(f.claimed is None or not np.isnan(f.claimed).any() for f in wrong):
        return ""
    with suppress(SymgradError, np.linalg.LinAlgError), np.errstate(all="ignore"):
        for t in postorder(claim._full):
            if all(np.isnan(_value(t, claim, f)).any() for f in wrong):
                return f"it agrees where {in_one_piece(t)} has a value only"
    return ""


def _separates(edge: Edge, holds: bool, right: list[Found], wrong: list[Found]) -> bool:
    """Whether a condition comes out so at each right entry, and otherwise at each wrong one."""
    for f in [*right, *wrong]:
        there = edge.holds(f.place)
        if there is None:
            return False
        there = there == holds
        bad = f.wrong()
        if there.shape == bad.shape:
            if (there & bad).any() or (~there & ~bad & (np.abs(f.right) > 1e-3 * f.scale)).any():
                return False
        elif bool(there.all()) is bool(f.entry is not None):
            return False
    return any(f.entry is not None for f in wrong)


def _sizes(seen: Comparison) -> str:
    """The lengths of a named size at which alone the claim is right."""
    for name in seen.found[0].place.lengths:
        good = {f.place.lengths[name] for f in seen.telling or seen.agreed}
        bad = {f.place.lengths[name] for f in seen.refuted}
        if good - {1} and bad and not good & bad:
            return f"it agrees for {name} = {', '.join(map(str, sorted(good)))} only"
    return ""


# ----------------------------------------------------------------------------------- What `verify` found, for reading


PROVED, AGREES, CONDITIONAL, REFUTED = "PROVED", "AGREES", "CONDITIONAL", "REFUTED"
_SAID = {PROVED: ("is", "both are equal"), AGREES: ("agrees with", "both agree"), REFUTED: ("is not", "they differ")}

_ONLY = """{} asks for no such thing: elsewhere it has values of which the claim says nothing.
Claim what holds there, too, or declare what is meant: x=sg.symbol("x", positive=True), say."""


VERIFIED_SIZES = bound(4)
"""Sets of sizes that a verdict names."""


class Verification:
    """The verdict on one claim: true if it was proved, or agrees. ``print`` shows what it rests on; so do ``latex()``,
    ``markdown()`` and ``html()``.

    Attributes
    ----------
    verdict : 'PROVED', 'AGREES', 'CONDITIONAL' or 'REFUTED'
    steps : the lines of the proof, each with its terms and the reason
    conditions : where the proof holds
    only : the conditions of the claim that are none of the function: where one does not hold, it says nothing
    entry, point, values : of a refutation, which entry is wrong, where, and both values: the claim's and the right one
    error : how far the claimed value is off, as a share of the right one
    right : the formula of the right derivative, if there is one
    diagnosis : what was done wrong, if it is known
    points : the points that were compared
    digits : to how many digits the claim agrees
    why : what kept an agreement from being proved
    """

    diagnosis: str

    def __init__(self, seen: Comparison, title: str) -> None:
        self._seen, self._title = seen, title
        self.kind: str = seen.truth.kind
        self.points: list[dict[str, np.ndarray]] = [f.place.point for f in seen.found]
        self.right: Any = seen.truth.formula
        self.entry: tuple[int, ...] | None = None
        self.point: dict[str, np.ndarray] | None = None
        self.values: tuple[Any, Any] | None = None
        self.error: float | None = None
        self.diagnosis, self._said = "", ""
        self._proof = Proof(why="it is refuted")
        self.only: list[str] = []
        refuted = seen.refuted
        if refuted:
            self.verdict: str = REFUTED
            self._refute(min(refuted, key=lambda one: (not one.confirmed, weight(one))))
        else:
            places = [f.place for f in seen.found]
            self._proof = prove(seen.truth, seen.claim, seen.table, places)
            for side in (seen.f, seen.claim):
                if side.single:
                    self._proof = Proof(why=f"{side.title} computes with less than double precision")
            rest = "" if self._proof else set_apart(seen)
            self.only = [] if rest else narrower(seen.truth, seen.claim, self._proof, seen.table, places)
            self.verdict = CONDITIONAL if self.only else PROVED if self._proof and seen.agreed else AGREES
            if rest:
                self.verdict = REFUTED
                self._refute(min(seen.refuted, key=weight), f"the two differ by {rest}")
        self.steps: tuple[Line, ...] = in_text(self._proof.lines)
        self.conditions: list[str] = list(self._proof.conditions)
        self.why: str = self._proof.why
        self.digits: int = int(min([f.digits for f in seen.agreed], default=0))

    def _refute(self, found: Any, why: str = "") -> None:
        self.entry, self.point, self._said = found.entry, found.place.point, found.said
        self.diagnosis = why or diagnosis(self._seen)
        if found.said:
            return
        right = float(found.right[found.entry])
        claimed = float("nan") if found.claimed is None else float(found.claimed[found.entry])
        self.values = claimed, right
        self.error = abs(claimed - right) / abs(right) if right else float("inf")

    def __bool__(self) -> bool:
        return self.verdict in (PROVED, AGREES)

    # ------------------------------------------------------------------------------------------------------- reading

    def __str__(self) -> str:
        return "\n".join([self._headline(), *["  " + line for part in self._parts() for line in part.split("\n")]])

    __repr__ = __str__
    _repr_pretty_ = cut_in_ipython

    def _headline(self) -> str:
        claim, both = _SAID.get(self.verdict) or _SAID[PROVED if self._proof else AGREES]
        where = f" where {', '.join(self.only)} only" if self.only else ""
        return f"{self.verdict}: {both if self.kind == 'equals' else f'the claim {claim} {self._title}'}{where}"

    def _parts(self) -> list[str]:
        if self.verdict == REFUTED:
            return [*self._wrong(), *self._notes()]
        notes = [_ONLY.format(self._seen.f.title)] * bool(self.only) + self._notes()
        if self._proof:
            return [str(self._derivation()), f"Compared as well: {self._counted()}.", *notes]
        return [f"At {self._counted()}.", f"Not proved: {self.why.rstrip('.')}.", *notes]

    def _derivation(self) -> Derivation:
        return Derivation(self._proof.lines, self.conditions, self._proof.written)

    def _counted(self) -> str:
        places = [f.place for f in (self._proof and self._seen.agreed) or self._seen.telling or self._seen.agreed]
        sizes = Counter(", ".join(f"{k} = {n}" for k, n in p.lengths.items()) for p in places)
        first = "; ".join([*sizes][:VERIFIED_SIZES]) + "…" * (len(sizes) > VERIFIED_SIZES)
        at = f" (sizes {first})" if any(sizes) else ""
        return f"{points_text(len(places))}{at}, to {self.digits} digits"

    def _wrong(self) -> list[str]:
        assert self.point is not None
        at = f"at {written(self._seen.refuted[0].place._replace(point=self.point))}"
        out = []
        if self.values is None:
            out.append(f"The claim {self._said}, {at}.")
        else:
            entry = f"Entry [{', '.join(map(str, self.entry or ()))}]" if self.entry else "The value"
            claimed, right = self.values
            digits = ".6g" if f"{claimed:.6g}" != f"{right:.6g}" else ".15g"
            said = "no number" if np.isnan(claimed) else f"{claimed:{digits}}"
            share = f" (relative error {self.error:.2g})" if self.error is not None and np.isfinite(self.error) else ""
            out.append(f"{entry} is {said}, and must be {right:{digits}}{share}, {at}.")
            other = next((f for f in self._seen.refuted if f.said), None)
            out += [f"Elsewhere it {other.said}: {written(other.place)}."] if other is not None else []
        if self.diagnosis:
            out.append(f"What is wrong: {self.diagnosis}.")
        if self.right is not None:
            out.append(f"Right is {self.right}")
            entry_text = self._entry_text()
            out += [f"and its entry {entry_text}"] if entry_text else []
        return out

    def _entry_text(self) -> str:
        """The formula of the entry, where it says more than the whole."""
        if not self.entry or self.right is None:
            return ""
        try:
            text = str(self.right[self.entry])
        except Exception:  # what has no short form is not shown
            return ""
        if len(text) >= _limits.VERIFIED_TEXT or "\n" in text:
            return ""
        return f"[{', '.join(map(str, self.entry))}] is {text}"

    def _notes(self) -> list[str]:
        seen = self._seen
        out = [seen.f.read] if seen.f.read else []
        undecided = sum(f.undecided for f in seen.found)
        if self.verdict == AGREES and not self._proof and not seen.telling:
            out.append("Both are 0 at all of them, which says little.")
        if undecided:
            out.append(f"Left out: {points_text(undecided)} where rounding decides, or f has no value or derivative.")
        if seen.singular:
            there = points_text(seen.singular)
            out.append(f"The claim says nothing at {there}: no inverse there, or another branch of Python.")
        if seen.truth.symmetric and not self._proof:
            word = _WORDS[self.kind]
            out.append(f"{seen.truth.said} is symmetric: what the {word} says of symmetric changes was compared.")
        if any(f.known.how == "differences" for f in seen.found):
            why = seen.truth.own or f"{seen.f.title} could not be differentiated otherwise"
            out.append(f"The truth is by finite differences: {why}.")
        return out

    def _repr_html_(self) -> str:
        colours = {PROVED: "#1a7f37", AGREES: "#9a6700", CONDITIONAL: "#bc4c00", REFUTED: "#cf222e"}
        colour = colours[self.verdict]
        verdict, _, rest = self._headline().partition(":")
        body = escape(shortened_in_notebooks("\n".join(self._parts())))
        return f'<p><b style="color:{colour}">{verdict}</b>:{escape(rest)}</p><pre>{body}</pre>'

    def html(self) -> str:
        """Return HTML: the verdict, the steps of a proof as a table, and what else it rests on."""
        steps, *rest = self._parts()
        body = self._derivation().html() if self._proof else f"<p>{escape(steps)}</p>"
        return "\n".join([f"<p>{escape(self._headline())}</p>", body, *[f"<p>{escape(part)}</p>" for part in rest]])

    def markdown(self) -> str:
        """Return Markdown: the same, the mathematics of a proof between dollars."""
        steps, *rest = self._parts()
        verdict, _, said = self._headline().partition(":")
        return "\n\n".join([f"**{verdict}**:{said}", self._derivation().markdown() if self._proof else steps, *rest])

    def latex(self) -> str:
        """Return LaTeX: the proof, or the verdict and the right formula."""
        if self._proof and not self.only:
            return self._derivation().latex()
        said = rf"\text{{{self.verdict}}}"
        return f"{said}{': ' + self.right.latex() if self.right is not None else ''}"

    def _repr_latex_(self) -> str | None:
        return in_dollars(self.latex())


class Verifications(tuple[Verification, ...]):
    """The verdicts on several claims, in order: true if each of them is."""

    def __bool__(self) -> bool:
        return all(map(bool, self))

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    __repr__ = __str__
    _repr_pretty_ = cut_in_ipython

    def _repr_html_(self) -> str:
        more = len(self) - _limits.NOTEBOOK_ROWS
        shown = "".join([v._repr_html_() for v in self[: _limits.NOTEBOOK_ROWS]])
        return shown + (f"<p>… and {more:,} more, which print shows</p>" if more > 0 else "")


# -------------------------------------------------------- `verify`: whether what somebody says about a function is so


_WORDS = {"grad": "gradient", "hess": "Hessian", "jac": "Jacobian", "equals": "equal"}
_MEANT = {"derivative": "grad", **{word.lower(): kind for kind, word in _WORDS.items()}}


def verify(
    f: Any, equals: Any = None, *, grad: Any = None, hess: Any = None, jac: Any = None, wrt: Any = None, at: Any = None,
    **names: Any,
) -> Any:  # fmt: skip
    r"""Say whether a gradient, a Hessian, a Jacobian or an equation is right: proved, agrees, or refuted and where.

    Parameters
    ----------
    f : the function: a function of arrays or tensors, a text for `symgrad.parse`, a Formula, an expression of SymPy
    equals : what ``f`` is claimed to be, likewise
    grad, hess, jac : what is claimed to be its gradient, Hessian or Jacobian in ``wrt``, of shape ``x.shape``,
        ``x.shape * 2`` and ``f.shape + x.shape``: likewise, or an array. A dictionary has a claim for each variable. A
        function takes what ``f`` takes, by the same names or in the same order, or the variable alone
    wrt : the variable differentiated in, by name; the first of a function, the only one of a formula. Several that are
        numbers, ``("x", "y")``, are one vector
    at : a dictionary of arrays by name: a point to look at, too; an array as a claim is looked at there alone
    names : what the variables are: ``w="n"``, ``X=("m", "n")``, ``t=()``, a symbol with its properties, or data,
        an array or number, which stay as they are

    Returns
    -------
    A result that prints as a text, true if the claim is right wherever ``f`` has values, as far as is known. Its
    ``verdict`` is ``'PROVED'`` (both formulas are one, by a chain of rules: ``steps``, where the ``conditions`` hold),
    ``'AGREES'`` (at ``points``, to ``digits`` digits; ``why`` says what was not proved), ``'CONDITIONAL'`` (either of
    them, but where ``only`` these conditions hold, for which ``f`` does not ask) or ``'REFUTED'`` (at ``entry``, with
    both ``values``, the relative ``error``, the ``right`` formula and a ``diagnosis``). Several claims give a tuple.

    Raises
    ------
    FormulaError : there is no variable to differentiate in, a name is not known or has no shape, ``f`` has no value at
        any point, or a claim raises an error
    ShapeError : a claim has another shape than the derivative

    Notes
    -----
    A claim is compared at points of either sign, small and large, at several lengths of named sizes, and on both sides
    of the conditions in both formulas. A wrong value counts only if differences of ``f`` confirm it. Where ``f`` has
    a kink, what a claim says is a convention, and is not refuted.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> f = lambda x, A: x @ A @ x
    >>> wrong = sg.verify(f, grad=lambda x, A: 2 * A @ x, x="n", A=("n", "n"))
    >>> wrong.verdict, bool(wrong), print(wrong.right)
    Ax + Aᵀx
    ('REFUTED', False, None)
    >>> sg.verify(np.sin, grad=lambda x: np.cos(x), x=np.array(0.5)).verdict
    'PROVED'
    >>> print(sg.verify("t**2 - 1", equals="(t + 1)*(t - 1)", t=()))
    PROVED: both are equal
      f = t² − 1
      claim = (1 + t)(t − 1)
      (1 + t)(1 − t) + t² − 1 = 0    multiplied out, like terms meet
      Compared as well: 37 points, to 14 digits.
    >>> sg.verify(r"\lVert Ax-b \rVert^2", grad=r"2A^{\top}(Ax-b)", wrt="x").verdict
    'PROVED'
    """
    claims = {"equals": equals, "grad": grad, "hess": hess, "jac": jac}
    claims = {kind: claim for kind, claim in claims.items() if claim is not None}
    if not claims and isinstance(f, str) and (sides := sides_of(f)):
        f, claims["equals"] = sides
    if not claims:
        meant = next((f"For {name}= the word is {_MEANT[name]}=." for name in names if name in _MEANT), "")
        raise FormulaError("nothing is claimed", meant, "Write sg.verify(f, grad=g), hess=…, jac=… or equals=….")
    side, table = _subject(f, names, at, claims, wrt)
    if number := _read_as_number(f, claims, wrt, side, table, names):
        side, table = _subject(f, {**names, number: ()}, at, claims, wrt)
        side.read = f"{number} was read as a number."
    _require_own_names(table)
    results = []
    for kind, claim in claims.items():
        pairs = claim.items() if isinstance(claim, Mapping) and kind != "equals" else [(wrt, claim)]
        for variable_name, one in pairs:
            name = _variable(variable_name, side, table) if kind != "equals" else None
            with Task("sg.verify"):
                results.append(_verified(side, kind, name, one, table, _point(at, side, table)))
    return results[0] if len(results) == 1 else Verifications(results)


def _verified(f: Side, kind: str, wrt: Wrt, given: Any, table: dict[str, Variable], at: Any) -> Verification:
    truth = Truth(f, kind, wrt, isinstance(wrt, str) and "symmetric" in table[wrt].properties)
    if f.formula is not None and f.formula.shape and kind in ("grad", "hess"):
        raise ShapeError(
            f"a {_WORDS[kind]} is that of a number, and {f.title} has shape {shape_text(f.formula.shape)}", "",
            "Sum it, or claim jac=….",
        )  # fmt: skip
    claim = _claim(given, f"the claimed {_WORDS[kind]}" if kind != "equals" else "the claim", f, wrt, table, truth)
    about = f.title if kind == "equals" else f"the {_WORDS[kind]} of {f.title} in {truth.said}"
    return Verification(Comparison(f, claim, truth, table, at), about)


def _subject(
    f: Any, names: dict[str, Any], at: Any, claims: dict[str, Any], wrt: Any
) -> tuple[Side, dict[str, Variable]]:
    """The function, and the variables of the call."""
    declared = {name: variable(name, given) for name, given in names.items()}
    if not _is_function(f):
        make = partial(formula_from, f, "f", declared)
        formula = make()
        known = variables_of(formula)
        declared = {called(name, known): given for name, given in declared.items()}
        others = {n for c in claims.values() for n in _names(c)}
        if extra := sorted(declared.keys() - known.keys() - others):
            raise _unknown(extra[0], sorted(known))
        known.update({n: v if v.value is not None else known.get(n, v) for n, v in declared.items()})
        return Side(None, "f", formula, make), known
    side, defaults = function_of(f, _title(f))
    if not side.parameters:
        raise FormulaError(f"the parameters of {side.title} have no names", "", "Wrap it: lambda x, y: …")
    points = _as_dict(at, side.parameters)
    for name in declared:
        if name not in side.parameters:
            raise _unknown(name, side.parameters)
    claimed = {n for claim in (*claims.values(), wrt) for n in _names(claim)}
    defaults = side.data_in(defaults, {*declared, *points}, claimed)
    table = {}
    for name in side.parameters:
        given = declared.get(name)
        if given is None and name in points:
            given = variable(name, np.asarray(points[name]))
        if given is None and name in defaults:
            given = variable(name, np.asarray(array_of(defaults[name]), float))
        if given is None:
            raise FormulaError(
                f"what {name!r} is was not said", f"{side.title} takes {', '.join(side.parameters)}.",
                f'Write verify(…, {name}="n"), {name}=("m", "n"), {name}=() for a number, or give an array.',
            )  # fmt: skip
        table[name] = given
    side.traced(table)
    return side, table


def _read_as_number(
    f: Any, claims: dict[str, Any], wrt: Any, side: Side, table: dict[str, Variable], names: dict[str, Any]
) -> str:
    """The name in a text that is differentiated in, if it was read as a size or an array, and is a number for the
    claim: one number is no gradient in an array of the length of another, such as the energies at one temperature."""
    if not isinstance(f, str) or not isinstance(wrt, str) or called(wrt, names) in names:
        return ""
    formula: Any = side.formula
    if called(wrt, table) not in table:
        name = called(wrt, formula.free_symbols)
        return name if name in formula.free_symbols and name not in size_names(table) else ""
    name, claim = called(wrt, table), claims.get("grad")
    others = {d for n, v in table.items() if n in names for d in v.shape}
    if not isinstance(claim, str) or not others.intersection(table[name].shape):
        return ""
    with suppress(SymgradError):
        read = formula_from(claim, "the claim", {**table, name: Variable(name)})
        formula_from(f, "f", {n: variable(n, given) for n, given in names.items()} | {name: Variable(name)})
        as_array = formula_from(claim, "the claim", table)
        return (
            name if not read.shape and not as_array.shape and as_array.free_symbols - size_names(table).keys() else ""
        )
    return ""


def _require_own_names(table: dict[str, Variable]) -> None:
    """Raise if a name is a variable and a size: which of the two a formula means could not be told."""
    for name in table.keys() & size_names(table).keys():
        of = next(v.name for v in table.values() if name in size_names({v.name: v}))
        raise FormulaError(
            f"{name!r} is a variable, and a size of {of!r}", "", f'Give the size another name: {of}="{name}{name}".'
        )


def _names(claim: Any) -> Iterable[str]:
    """The names that a claim may speak of."""
    if isinstance(claim, str):
        return re.findall(r"\w+", claim)
    if isinstance(claim, Mapping):
        return [n for one in (*claim, *claim.values()) for n in _names(one)]
    if isinstance(claim, tuple):
        return [n for one in claim for n in _names(one)]
    if isinstance(claim, Formula):
        return claim.free_symbols
    return function_of(claim, "the claim")[0].parameters if _is_function(claim) else ()


def _is_function(given: Any) -> bool:
    """Whether it is a function of Python: formulas, and SymPy's expressions, can be called, too."""
    return callable(given) and not isinstance(given, Formula) and not is_sympy(given)


def _unknown(name: str, known: Any) -> FormulaError:
    return FormulaError(
        f"there is no variable {name!r}",
        f"The variables are {', '.join(known) or 'none'}; claims are grad, hess, jac and equals.",
        "Use one of these names.",
    )  # fmt: skip


def _title(f: Any) -> str:
    return str(getattr(f, "__name__", "f")).replace("<lambda>", "f")


def _variable(wrt: Any, f: Side, table: dict[str, Variable]) -> str | tuple[str, ...]:
    """The variable that is differentiated in, or several, which are numbers."""
    if isinstance(wrt, (tuple, list)) and wrt:
        names = [str(_variable(name, f, table)) for name in wrt]
        if array := next((n for n in names if table[n].shape), ""):
            what = f"derivatives in several variables are those in numbers, and {array!r} has shape"
            step = f'Claim one for each: {{"{names[0]}": …, "{names[-1]}": …}}.'
            raise ShapeError(f"{what} {shape_text(table[array].shape)}", "They stand in one array.", step)
        return tuple(names)
    name = wrt.name if isinstance(wrt, Symbol) else wrt
    if name is None:
        if f.parameters:
            return f.parameters[0]
        if len(table) == 1:
            return next(iter(table))
        if not table:
            raise FormulaError(f"{f.title} has no variable to differentiate in", f"It is {f.formula}.", "")
        raise FormulaError(
            f"{f.title} has the variables {', '.join(sorted(table))}", "", f'Say which: wrt="{likely(table)}".'
        )
    name = called(str(name), table)
    if name not in table:
        raise _unknown(name, sorted(table))
    return name


def _claim(given: Any, title: str, f: Side, wrt: Wrt, table: dict[str, Variable], truth: Truth) -> Side:
    """A claim as a side of the comparison."""
    if _is_function(given):
        side, defaults = function_of(given, title)
        own = [n for n in side.parameters if n not in defaults or n in table]
        names = [wrt] if isinstance(wrt, str) else [*(wrt or ())]
        if own and set(own) <= table.keys():
            side.parameters = own
        elif len(own) in (0, len(f.parameters)) and f.parameters:  # by position
            side.given, side.parameters = renamed(given, f.parameters), list(f.parameters)
        elif 0 < len(own) == len(names):
            side.given, side.parameters = renamed(given, names), names
        else:
            raise FormulaError(
                f"{title} takes {', '.join(side.parameters) or 'no named parameters'}",
                f"{f.title} takes {', '.join(table)}.", "Give both the same parameters.",
            )  # fmt: skip
        side.traced(table)
        return side
    array = None if isinstance(given, (str, Formula)) or is_sympy(given) else array_of(given)
    if array is None or array.dtype.kind not in "biuf":
        return _formula_claim(given, title, f, table, truth)
    side = Side(array, title)
    side.formula = formula_from(array * 1.0, title, table) if not array.size > _limits.VERIFIED_ENTRIES else None
    side.why = "" if side.formula is not None else f"{title} is an array of numbers"
    return side


def _formula_claim(given: Any, title: str, f: Side, table: dict[str, Variable], truth: Truth) -> Side:
    shape = truth.formula.shape if truth.formula is not None else None

    def make() -> Formula:
        found = formula_from(given, title, table, shape)
        return in_names_of(f.formula, found) if f.formula is not None else found

    formula = make()
    known = table.keys() | size_names(table).keys()
    own = {n: v.value for n, v in variables_of(formula).items() if v.value is not None and n in table}
    own = {n: value for n, value in own.items() if table[n].value is not None}
    for name in (n for n, value in own.items() if not np.array_equal(value, table[n].value)):
        raise FormulaError(
            f"{name!r} has other values in {title} than in {f.title}", "", f'Give it another name: f.subs({name}="…").'
        )
    unknown = sorted(n for n in formula.free_symbols - known if not is_unnamed(n))
    if unknown:
        call = run_together(unknown[0], known)
        raise FormulaError(
            f"{title} speaks of {', '.join(map(repr, unknown))}", f"The variables are {', '.join(sorted(table))}.",
            f"Write {call}." if call else "Use these names.",
        )  # fmt: skip
    return Side(None, title, formula, make)


def _as_dict(at: Any, parameters: list[str]) -> dict[str, Any]:
    if at is None:
        return {}
    if isinstance(at, Mapping):
        return dict(at)
    values = at if isinstance(at, tuple) else (at,)
    return dict(zip(parameters, values, strict=False))


def _point(at: Any, f: Side, table: dict[str, Variable]) -> dict[str, np.ndarray] | None:
    """The point that was given, complete; None if there is none."""
    given = {called(name, table): value for name, value in _as_dict(at, f.parameters or list(table)).items()}
    if not given:
        return None
    point = {}
    for name, v in table.items():
        value = given.get(name, v.value)
        if value is None:
            raise FormulaError(
                f"the point has no {name!r}", f"It has {', '.join(given)}.", f"Write at={{…, {name!r}: …}}."
            )
        point[name] = np.asarray(array_of(value), float)
        if point[name].ndim != len(v.shape):
            raise ShapeError(f"{name} has shape {shape_text(v.shape)}, and at that point {point[name].shape}", "", "")
    for name in given:
        if name not in table:
            raise _unknown(name, sorted(table))
    return point
