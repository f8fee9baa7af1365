"""What `verify` found, for reading."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import Any

import numpy as np

from .. import _limits
from ..formulas import Derivation, Line
from ..show._notebook import cut_in_ipython, in_dollars, shortened
from ._compare import Comparison, weight, written
from ._diagnosis import diagnosis
from ._proof import Proof, narrower, prove

_TITLES = {"grad": "the gradient of {} in {}", "hess": "the Hessian of {} in {}", "jac": "the Jacobian of {} in {}",
           "equals": "{}"}  # fmt: skip
PROVED, AGREES, CONDITIONAL, REFUTED = "PROVED", "AGREES", "CONDITIONAL", "REFUTED"

_ONLY = """{} asks for no such thing: elsewhere it has values of which the claim says nothing.
Claim what holds there, too, or declare what is meant: x=sg.symbol("x", positive=True), say."""


class Verification:
    """The verdict on one claim: true if it was proved, or agrees. ``print`` shows what it rests on.

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

    def __init__(self, seen: Comparison, title: str) -> None:
        self._seen, self._title = seen, title
        self.kind = seen.truth.kind
        self.points = [f.place.point for f in seen.found]
        self.right = seen.truth.formula
        self.entry: tuple[int, ...] | None = None
        self.point: dict[str, np.ndarray] | None = None
        self.values: tuple[Any, Any] | None = None
        self.error: float | None = None
        self.diagnosis, self._said = "", ""
        self._proof = Proof(why="it is refuted")
        self.only: list[str] = []
        refuted = seen.refuted
        if refuted:
            self.verdict = REFUTED
            self._refute(min(refuted, key=lambda one: (not one.confirmed, weight(one))))
        else:
            places = [f.place for f in seen.found]
            self._proof = prove(seen.truth, seen.claim, seen.table, places)
            for side in (seen.f, seen.claim):
                if side.single:
                    self._proof = Proof(why=f"{side.title} computes with less than double precision")
            self.only = narrower(seen.truth, seen.claim, self._proof, seen.table, places)
            self.verdict = CONDITIONAL if self.only else PROVED if self._proof and seen.agreed else AGREES
        self.steps: tuple[Line, ...] = self._proof.lines
        self.conditions = list(self._proof.conditions)
        self.why = self._proof.why
        self.digits = int(min([f.digits for f in seen.agreed], default=0))

    def _refute(self, found: Any) -> None:
        self.entry, self.point, self._said = found.entry, found.place.point, found.said
        self.diagnosis = diagnosis(self._seen)
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
        words = {PROVED: "is", AGREES: "agrees with", REFUTED: "is not"}
        word = words.get(self.verdict) or words[PROVED if self._proof else AGREES]
        where = f" where {', '.join(self.only)} only" if self.only else ""
        return f"{self.verdict}: the claim {word} {self._title}{where}"

    def _parts(self) -> list[str]:
        if self.verdict == REFUTED:
            return [*self._wrong(), *self._notes()]
        notes = [_ONLY.format(self._seen.f.title)] * bool(self.only) + self._notes()
        if self._proof:
            return [str(self._derivation()), f"Compared as well: {self._counted()}.", *notes]
        return [f"At {self._counted()}.", f"Not proved: {self.why}.", *notes]

    def _derivation(self) -> Derivation:
        return Derivation(self.steps, self.conditions, self._proof.written)

    def _counted(self) -> str:
        places = [f.place for f in self._seen.agreed]
        sizes = Counter(", ".join(f"{k} = {n}" for k, n in p.lengths.items()) for p in places)
        first = "; ".join([*sizes][: _limits.VERIFIED_SIZES]) + "…" * (len(sizes) > _limits.VERIFIED_SIZES)
        at = f" (sizes {first})" if any(sizes) else ""
        return f"{len(places)} point{'s' * (len(places) != 1)}{at}, to {self.digits} digits"

    def _wrong(self) -> list[str]:
        assert self.point is not None
        at = f"at {written(self._seen.refuted[0].place._replace(point=self.point))}"
        out = []
        if self.values is None:
            out.append(f"The claim {self._said}, {at}.")
        else:
            entry = f"Entry [{', '.join(map(str, self.entry or ()))}]" if self.entry else "The value"
            claimed, right = self.values
            said = "no number" if np.isnan(claimed) else f"{claimed:.6g}"
            share = f" (relative error {self.error:.2g})" if self.error is not None and np.isfinite(self.error) else ""
            out.append(f"{entry} is {said}, and must be {right:.6g}{share}, {at}.")
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
        return (
            f"[{', '.join(map(str, self.entry))}] is {text}"
            if len(text) < _limits.VERIFIED_TEXT and "\n" not in text
            else ""
        )

    def _notes(self) -> list[str]:
        seen = self._seen
        out = []
        undecided = sum(f.undecided for f in seen.found)
        if undecided:
            points = f"{undecided} point{'s' * (undecided > 1)}"
            out.append(f"Left out: {points} where rounding decides, or f has no value or derivative.")
        if seen.singular:
            out.append(
                f"The claim says nothing at {seen.singular} points: no inverse there, or another branch of Python."
            )
        if seen.truth.symmetric:
            out.append(f"{seen.truth.wrt} is symmetric: what the Hessian says of symmetric changes was compared.")
        if any(f.known.how == "differences" for f in seen.found):
            why = seen.truth.own or f"{seen.f.title} could not be differentiated otherwise"
            out.append(f"The truth is by finite differences: {why}.")
        return out

    def _repr_html_(self) -> str:
        colours = {PROVED: "#1a7f37", AGREES: "#9a6700", CONDITIONAL: "#bc4c00", REFUTED: "#cf222e"}
        colour = colours[self.verdict]
        verdict, _, rest = self._headline().partition(":")
        body = escape(shortened("\n".join(self._parts())))
        return f'<p><b style="color:{colour}">{verdict}</b>:{escape(rest)}</p><pre>{body}</pre>'

    def _repr_latex_(self) -> str | None:
        if self._proof and not self.only:
            return in_dollars(self._derivation().latex())
        said = rf"\text{{{self.verdict}}}"
        return in_dollars(f"{said}{': ' + self.right.latex() if self.right is not None else ''}")


class Verifications(tuple[Verification, ...]):
    """The verdicts on several claims, in order: true if none was refuted."""

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


def title_of(kind: str, f: str, wrt: str | None) -> str:
    return _TITLES[kind].format(f, wrt)


__all__ = ["Verification", "Verifications", "title_of"]
