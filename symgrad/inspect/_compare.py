"""A claim held against the truth, point by point.

The idea to hold: a right claim is never refuted. What differs by rounding, by what the function's own derivative leaves
open, or where there is no derivative, does not count, and is noted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError, ShapeError
from ._points import Place, around, beside, edges_of, exactly, moves, other_sizes, places, size_names, thresholds
from ._sides import Point, Raised, Side, Undefined, Variable, numbers_in
from ._truth import Known, Truth

_OF_VALUES = "A gradient is claimed as grad=…, a Jacobian as jac=…."


class Found:
    """A claim and the truth at one place.

    Attributes
    ----------
    place, right, claimed : where, and both values (``claimed`` is None where the claim has none)
    apart : how far each entry is off, as a share of what is usual
    entry : the entry that was found wrong, and confirmed; None if there is none
    confirmed : whether the function's values say so, too
    undecided : whether it differs, and nobody can say who is right
    """

    def __init__(self, place: Place, known: Known, claimed: np.ndarray | None, said: str = "") -> None:
        self.place, self.right, self.known = place, known.entries, known
        self.claimed, self.said = claimed, said
        self.entry: tuple[int, ...] | None = None
        self.confirmed = self.undecided = False
        self.typical = 0.0  # how large the derivative is elsewhere

    @property
    def scale(self) -> float:
        return float(np.nanmax(np.abs(self.right), initial=0))

    @property
    def far(self) -> np.ndarray:
        """How far the entries are apart; infinite where the claim has no number."""
        if self.claimed is None or self.claimed.shape != self.right.shape:
            return np.full(self.right.shape, np.inf)
        with np.errstate(invalid="ignore"):
            far = np.abs(self.claimed - self.right)
        return np.where(np.isnan(self.right), 0, np.where(np.isfinite(self.claimed), far, np.inf))

    def wrong(self) -> np.ndarray:
        """The entries that are further apart than rounding explains."""
        single = self.claimed is not None and self.claimed.dtype != np.float64
        rtol = 1e-3 if single else 1e-6
        size = np.abs(np.nan_to_num(self.right))
        allowed = rtol * (size + 1e-3 * self.scale) + 1e-3 * rtol * self.typical + 10 * self.known.unsure
        return np.asarray(self.far > allowed)

    @property
    def digits(self) -> float:
        worst = float(np.max(self.far, initial=0)) / (self.scale + 1e-3 * self.typical or 1.0)
        return min(14.0, -np.log10(max(worst, 1e-16)))  # the next one is rounding, and other processors round otherwise


class Comparison:
    """A claim about a function, compared at points.

    Attributes
    ----------
    found : by place, in the order looked at
    dropped : how many places were outside the domain
    singular : at how many places the claim says nothing: a matrix has no inverse, it is a formula of another branch
    """

    def __init__(self, f: Side, claim: Side, truth: Truth, table: dict[str, Variable], at: Point | None) -> None:
        self.f, self.claim, self.truth, self.table = f, claim, truth, table
        self.rng = np.random.default_rng(0)
        self.found: list[Found] = []
        self.dropped = self.singular = 0
        self._errors: list[tuple[Raised, Place]] = []
        self._require_one_value()
        rng = np.random.default_rng(2)
        truth.believe(islice(places(table, truth.wrt, rng), _limits.VERIFIED_OWN), rng)
        self._look([Place(at, _lengths(table, at))] if at is not None else [])
        if at is None or not isinstance(claim.given, np.ndarray):
            numbers = numbers_in(f.given, claim.given)
            self._look(places(table, truth.wrt, self.rng))
            self._look(other_sizes(table, numbers, self.rng), _limits.VERIFIED_TRIES)
            known = [g.place for g in self.found]
            numbers = [*dict.fromkeys([*numbers, *thresholds([f.formula, truth.formula, claim.formula])])]
            self._look(around(numbers, known, table, self.rng), _limits.VERIFIED_TRIES)
            self._look(exactly(numbers, known, table), _limits.VERIFIED_TRIES)
            self._look(self._at_edges(), _limits.VERIFIED_TRIES)
        self._require_values()
        typical = float(np.median([f.scale for f in self.found if f.place.usual] or [f.scale for f in self.found]))
        for one in sorted(self.found, key=weight):  # what is shown is confirmed
            one.typical = typical
            self._judge(one)
        if not self.refuted and not self.agreed:
            raise FormulaError(
                f"{claim.title} differs, and at none of {len(self.found)} points it is certain who is right",
                "Rounding decides there, or the function has no derivative.", "Give a point that is better: at={…}.",
            )  # fmt: skip

    # ------------------------------------------------------------------------------------------------------- looking

    def _require_one_value(self) -> None:
        """Raise if a function draws numbers, or counts its calls: it has no formula, and no derivative."""
        place = next(places(self.table, self.truth.wrt, np.random.default_rng(1)))
        for side in (self.f, self.claim):
            try:
                one, two = [side.value(*place[:2]) for _ in range(2)]
            except (Raised, Undefined):
                continue
            if one is not None and two is not None and not np.array_equal(one, two, equal_nan=True):
                raise FormulaError(
                    f"{side.title} gave two values at one point",
                    f"{brief(one)} and {brief(two)}, at {written(place)}.", "Give what it draws as an argument.",
                )  # fmt: skip

    def _look(self, where: Any, most: int = _limits.VERIFIED_POINTS) -> None:
        wanted, entries = len(self.found) + most, 0
        for place, _ in zip(where, range(_limits.VERIFIED_TRIES), strict=False):
            try:
                known = self.truth.at(place, self.rng)
            except Raised as raised:
                self._errors.append((raised, place))
                continue
            except Undefined:
                known = None
            if known is None:
                self.dropped += 1
                continue
            try:
                self.found.append(self._claimed(place, known))
            except Undefined:
                self.singular += 1
                continue
            entries += known.entries.size
            if len(self.found) >= wanted or (entries > _limits.VERIFIED_NUMBERS and len(self.found) > 2):
                return

    def _claimed(self, place: Place, known: Known) -> Found:
        try:
            claimed = self.claim.value(place.point, place.lengths)
        except Raised as raised:
            self._errors.append((raised, place))
            return Found(place, known, None, f"raises {type(raised.error).__name__}: {raised.error}")
        if claimed is not None and claimed.shape != known.entries.shape:
            return Found(
                place, known, claimed, f"has shape {claimed.shape}, and the right one is {known.entries.shape}"
            )
        return Found(place, known, None if claimed is None else self.truth.shared(claimed))

    def _at_edges(self) -> Iterator[Place]:
        conditions = [(b.term, g.point) for g in self._traces() for b in g._background.branches]
        formulas = [self.f.formula, self.truth.formula, self.claim.formula]
        for edge in edges_of(formulas, conditions):
            yield from beside(edge, [f.place for f in self.found], self.table, self.rng)

    def _traces(self) -> Iterator[Any]:
        """The formulas of functions in which Python branches, at the points so far."""
        for side in (self.f, self.claim):
            for one in self.found if side.branching else ():
                try:
                    yield side.formula_at(one.place.point)
                except Exception:  # the function is the user's
                    break

    def _require_values(self) -> None:
        """Raise if the two could not be compared anywhere."""
        if not self.found:
            for raised, place in self._errors[:1]:
                raise FormulaError(
                    f"{raised.title} raises {type(raised.error).__name__}: {raised.error}",
                    f"That is at {written(place)}.", f"Mend {raised.title}, or give it values that it takes: at={{…}}.",
                ) from raised.error  # fmt: skip
            raise FormulaError(
                f"{self.f.title} has no finite value and derivative at any of {self.dropped} random points",
                "So there is nothing to compare a claim with.", "Give a point of its domain: at={…}.",
            )  # fmt: skip
        if all(f.said for f in self.found):
            first = self.found[0]
            if self._errors:
                error = self._errors[0][0].error
                raise FormulaError(
                    f"{self.claim.title} {first.said}",
                    f"That is at {written(first.place)}.",
                    f"Mend {self.claim.title}.",
                ) from error
            assert first.claimed is not None
            turned = first.claimed.shape == first.right.shape[::-1] and np.allclose(first.claimed.T, first.right)
            raise ShapeError(
                f"{self.claim.title} has shape {first.claimed.shape}, and the right one is {first.right.shape}",
                f"That is {_shape_words(self.truth)}, at {written(first.place)}.",
                "The claim is its transpose: transpose it." if turned else _OF_VALUES if self.truth.kind == "equals"
                else "A derivative has the axes of the function, then those of the variable.",
            )  # fmt: skip

    # ------------------------------------------------------------------------------------------------------- judging

    def _judge(self, one: Found) -> None:
        wrong = one.wrong()
        if not wrong.any():
            return
        if not self.f.has_value(*one.place[:2]):
            one.undecided = True
            return
        if one.said:
            one.entry = ()
            return
        for place in _worst(one, wrong):
            said = self._is_wrong(one, place)
            if said:
                one.entry = place
                return
            if said is None:
                one.undecided = True
        one.undecided = True

    def _is_wrong(self, one: Found, entry: tuple[int, ...]) -> bool | None:
        """Whether an entry is wrong for sure; None if that cannot be said."""
        far, noise = float(one.far[entry]), self._noise(one, entry)
        if np.isinf(far):
            return True if one.place.usual and np.isinf(noise) else None
        if far <= 1e3 * noise:
            return None
        if self.truth.kind == "equals" or one.known.how == "differences":
            one.confirmed = True
        if one.confirmed or sum(f.confirmed for f in self.found) >= _limits.VERIFIED_WITNESSES:
            return True
        again = self.truth.again(one.place, entry)
        if again is None:
            return None
        nearer = abs(again[0] - one.right[entry]) < 0.1 * far
        one.confirmed = bool(nearer and again[1] < 0.1 * far)
        return one.confirmed or None

    def _noise(self, one: Found, entry: tuple[int, ...]) -> float:
        """How much a hair's change of the point changes both; infinite where the claim has no number all around."""
        worst, missing = 0.0, 0
        lost = one.claimed is None or not np.isfinite(one.claimed[entry])
        for _ in range(3):
            share = 1e-3 if lost else 1e-14
            moved = {n: _nudged(x, self.rng, share) for n, x in one.place.point.items() if moves(self.table[n])}
            place = one.place._replace(point={**one.place.point, **moved})
            try:
                claimed = self.claim.value(place.point, place.lengths)
                known = None if one.known.how == "differences" else self.truth.at(place, self.rng)
            except (Raised, Undefined):
                return float("inf")
            if claimed is None or claimed.shape != one.right.shape or not np.isfinite(claimed[entry]):
                missing += 1
                continue
            if not lost and one.claimed is not None:
                worst = max(worst, abs(float(self.truth.shared(claimed)[entry] - one.claimed[entry])))
                worst = max(worst, abs(float(known.entries[entry] - one.right[entry])) if known is not None else 0.0)
        return float("inf") if lost and missing == 3 else worst

    # ------------------------------------------------------------------------------------------------------ questions

    @property
    def refuted(self) -> list[Found]:
        return [f for f in self.found if f.entry is not None]

    @property
    def agreed(self) -> list[Found]:
        return [f for f in self.found if f.entry is None and not f.undecided]


def _worst(one: Found, wrong: np.ndarray) -> list[tuple[int, ...]]:
    """The wrong entries that are furthest off."""
    order = np.argsort(np.where(wrong, -one.far, np.inf), axis=None)[: min(3, int(wrong.sum()))]
    return [tuple(int(i) for i in np.unravel_index(k, wrong.shape)) for k in order]


def _nudged(x: np.ndarray, rng: Any, share: float) -> np.ndarray:
    return np.asarray(x * (1 + share * rng.choice([-1, 1], x.shape)))


def _lengths(table: dict[str, Variable], at: Point) -> dict[str, int]:
    """The lengths that arrays give the named sizes."""
    names = size_names(table)
    found = {getattr(d, "name", ""): n for v in table.values() for d, n in zip(v.shape, at[v.name].shape, strict=True)}
    return {name: found.get(name, n) for name, n in names.items()}


def _shape_words(truth: Truth) -> str:
    words = {
        "grad": "that of {}",
        "jac": "that of f, then that of {}",
        "hess": "that of {} twice",
        "equals": "that of f",
    }
    return words[truth.kind].format(truth.wrt)


def written(place: Place) -> str:
    """A point in words."""
    parts = [f"{n} = {brief(x)}" for n, x in place.point.items()]
    return ", ".join(parts) or "any point"


def brief(x: Any) -> str:
    """An array in a line."""
    x = np.asarray(x)
    if x.size > _limits.VERIFIED_SHOWN:
        return f"{'×'.join(map(str, x.shape))} numbers"
    return np.array2string(x, formatter={"all": lambda v: f"{v:.6g}"}, separator=", ").replace("\n", "")


def weight(found: Found) -> tuple[Any, ...]:
    """How hard a point is to read: usual ones first, of few numbers of few digits."""
    numbers = [v for x in found.place.point.values() for v in np.ravel(x)[: _limits.VERIFIED_TEXT]]
    length = sum([1 + len(f"{v:.6g}") for v in numbers])
    return bool(found.said), not found.place.usual, 1 in found.place.lengths.values(), length
