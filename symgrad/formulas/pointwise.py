"""Two sides compared, point by point: what differs there by more than rounding.

The idea to hold: what is right is never called wrong. What differs by rounding, by what a function's own derivative
leaves open, or where there is no derivative, does not count, and is noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import FormulaError, SymgradError
from .._limits import bound
from .._trees import postorder
from ..calculus import holds_for, require_taken, unstated_conditions
from ..terms import Map, all_values, evaluate, number, sizes_of
from .background import refuse_rigid
from .check import entry_at, largest_added, nudged
from .points import (
    Edge,
    Place,
    Point,
    Table,
    Wrt,
    around,
    at_halves,
    beside,
    between,
    edges_of,
    exactly,
    mixed,
    moves,
    near_zeros,
    other_sizes,
    places,
    thresholds,
    with_real_powers,
)


class Raised(Exception):
    """A function of the user's raised an error: it is the cause."""

    title: str
    error: Exception

    def __init__(self, title: str, error: Exception) -> None:
        super().__init__(title)
        self.title, self.error = title, error


class Undefined(Exception):
    """What a side says does not speak of a point: a matrix has no inverse there, Python takes another branch."""


class FormulaSide:
    """A formula as one of two sides; functions and arrays are others of the kind.

    Attributes
    ----------
    given : what it was made of, if that is no formula
    title : what the user calls it
    formula : its formula; None if it has none
    branching : whether Python branches on values in it: then each point has a formula of its own
    """

    given: Any = None
    branching = False

    formula: Any
    title: str

    def __init__(self, formula: Any, title: str) -> None:
        self.formula, self.title = formula, title

    def value(self, point: Point, lengths: dict[str, int]) -> np.ndarray | None:
        """The value at a point; None where there is none (outside the domain).

        Raises
        ------
        Undefined : a matrix is singular there, or Python takes another branch
        """
        try:
            with np.errstate(all="ignore"):
                return value_of(self.formula, point, lengths)
        except np.linalg.LinAlgError as error:
            raise Undefined from error

    def has_value(self, place: Place) -> bool:
        """Whether what a formula was made of has a value at a place; the short form may have values elsewhere, too, and
        arithmetic has others where infinity comes in between: atan(1/0) is π/2."""
        known = self.formula._background
        domains = [(known.declared(term), kind) for term, kind in known.domains]
        with np.errstate(all="ignore"):
            asked = unstated_conditions(number(0), domains)
            there = place.known(self.formula.point)
            try:
                return all(holds_for(c.kind, evaluate(c.term, there)) for c in asked if c.term is not None)
            except ValueError:  # it was read at other lengths, and says nothing of these
                return True


def value_of(formula: Any, point: Point, lengths: dict[str, int]) -> np.ndarray:
    """The value of a formula at a point, its conditions aside, but for the branches that it was read from.

    Raises
    ------
    Undefined : Python takes another branch there
    ShapeError : an array has not the shape of its symbol, or the formula holds for other lengths only
    """
    known = formula._background
    sizes, arrays = sizes_of(known.symbols, {n: v for n, v in point.items() if n in known.symbols})
    there = Place({**point, **arrays}, lengths).known(formula.point)
    try:
        require_taken(known.branches, there)
    except FormulaError as error:
        raise Undefined from error
    refuse_rigid(formula.term, known, sizes)
    return np.asarray(evaluate(formula._expanded(), there)) * 1.0


class Known(NamedTuple):
    """A derivative at a place: its entries (NaN: not worked out), how far each can be trusted, and how it was found."""

    entries: np.ndarray
    unsure: float
    how: str


class Reference:
    """What is held to be right: here the values of a side.

    Attributes
    ----------
    kind, wrt : 'equals' and None; of a derivative which it is, and in what
    formula : the formula of what is right; None if there is none
    """

    f: Any
    kind: str
    wrt: Wrt

    def __init__(self, f: Any, kind: str = "equals", wrt: Wrt = None) -> None:
        self.f, self.kind, self.wrt = f, kind, wrt
        self.formula: Any = f.formula

    def at(self, place: Place, rng: Any) -> Known | None:
        """What is right at a place; None outside the domain, and where it is not finite."""
        value = self.f.value(*place[:2])
        how = "the formula" if self.f.given is None else "values"
        return Known(value, 0.0, how) if value is not None and np.isfinite(value).all() else None

    def speaks_of(self, place: Place) -> bool:
        """Whether there is a right and wrong at a place, as far as what the operations ask for says."""
        return bool(self.f.has_value(place))

    def shared(self, array: np.ndarray) -> np.ndarray:
        """What of it is no matter of convention."""
        return array

    def again(self, place: Place, entry: tuple[int, ...]) -> tuple[float, float] | None:
        """An entry worked out in another way, and how far that can be trusted; None if it cannot be had."""
        return None

    def explains(self, place: Place, entry: tuple[int, ...], right: np.ndarray) -> bool:
        """Whether what is right at a place accounts for the values around it, as no derivative does at a kink."""
        return True


_NEAR = 1e-8
"""How near the values of two formulas are where these are one, as a share."""


_UNDERFLOW = 1e-100
"""The share of the largest value below which a value says nothing."""


class Found:
    """A claim and the truth at one place.

    Attributes
    ----------
    place, right, claimed : where, and both values (``claimed`` is None where the claim has none)
    apart : how far each entry is off, as a share of what is usual
    entry : the entry that was found wrong, and confirmed; None if there is none
    confirmed : whether the function's values say so, too
    undecided : whether it differs, and nobody can say who is right
    exact : whether both are values of formulas: the user's code may differ by more, where it takes differences, say
    """

    place: Place
    right: np.ndarray
    known: Known
    claimed: np.ndarray | None
    said: str

    def __init__(self, place: Place, known: Known, claimed: np.ndarray | None, said: str = "") -> None:
        self.place, self.right, self.known = place, known.entries, known
        self.claimed, self.said = claimed, said
        self.entry: tuple[int, ...] | None = None
        self.confirmed = self.undecided = self.exact = False
        self.typical: float = 0.0  # how large the derivative is elsewhere

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
        single = self.claimed is not None and self.claimed.dtype not in (np.float64, np.complex128)
        rtol = 1e-3 if single else _NEAR if self.exact else 1e-6
        size = np.abs(np.nan_to_num(self.right))
        allowed = rtol * (size + 1e-3 * self.scale) + 1e-3 * rtol * self.typical + 10 * self.known.unsure
        return np.asarray(self.far > allowed)

    @property
    def digits(self) -> float:
        worst = float(np.max(self.far, initial=0)) / (self.scale + 1e-3 * self.typical or 1.0)
        return min(14.0, -np.log10(max(worst, 1e-16)))  # the next one is rounding, and other processors round otherwise


VERIFIED_POINTS = bound(12)
"""Points at which a claim is compared, and as many again beside edges."""
VERIFIED_MIXED = bound(24)
"""Points of which each variable is small or large by itself."""
VERIFIED_WITNESSES = bound(6)
"""Points at which differences of a function confirm that a claim is wrong; at others they need not."""
VERIFIED_TRIES = bound(80)
"""Points that are tried for that: some are outside a function's domain."""
VERIFIED_NUMBERS = bound(2_000_000)
"""Entries that are compared at all points together, but for three points."""


_TINY, _SMALL, _BITS = 1e-12, 1e-7, 8
"""What may be rounding of numbers of size 1, and at most of their fourth powers, of which it has few bits: it is units
in the last place."""


class Pointwise:
    """Two sides, compared at points.

    Attributes
    ----------
    found : by place, in the order looked at
    dropped : how many places were outside the domain
    singular : at how many places the claim says nothing: a matrix has no inverse, it is a formula of another branch
    """

    f: Any
    claim: Any
    truth: Reference
    table: Table
    dropped: int
    singular: int

    def __init__(self, f: Any, claim: Any, truth: Reference, table: Table) -> None:
        self.f, self.claim, self.truth, self.table = f, claim, truth, table
        self.rng: np.random.Generator = np.random.default_rng(0)
        self.found: list[Found] = []
        self.dropped = self.singular = 0
        self._errors: list[tuple[Raised, Place]] = []

    # ------------------------------------------------------------------------------------------------------- looking

    def look_anywhere(self) -> None:
        """Compare at plain points, then at large and small ones."""
        self.look(places(self.table, self.truth.wrt, self.rng))

    def look_further(self, numbers: Sequence[float] = ()) -> None:
        """Compare at other sizes, and where something may change: near numbers (those of formulas too), and edges."""
        self.look(other_sizes(self.table, self.truth.wrt, numbers, self.rng), VERIFIED_TRIES)
        self.look(mixed(self.table, self.truth.wrt, self.rng), VERIFIED_MIXED)
        known = [g.place for g in self.found]
        compared = thresholds(self._formulas)
        compared |= {sign * c: {*self.table} for c in numbers for sign in (1, -1) if abs(c) not in map(abs, compared)}
        numbers = [*dict.fromkeys(map(abs, [*numbers, *compared]))]
        self.look(between(compared, known, self.table, self.rng), VERIFIED_TRIES)
        self.look(around(numbers, known, self.table, self.rng), VERIFIED_TRIES)
        self.look(near_zeros(self._formulas, known, self.table), VERIFIED_TRIES)
        self.look(exactly(numbers, known, self.table), VERIFIED_TRIES)
        self.look(at_halves(self._formulas, known, self.table, self.rng), VERIFIED_TRIES)
        self.look(with_real_powers(self._formulas, known, self.table), VERIFIED_TRIES)
        for alone in (False, True):
            edges = (beside(edge, [g.place for g in self.found], self.table, alone) for edge in self.edges())
            self.look(chain.from_iterable(edges), VERIFIED_TRIES)

    def look(self, where: Iterable[Place], most: int = VERIFIED_POINTS) -> None:
        """Compare at the first of many places at which the two have values."""
        wanted, entries = len(self.found) + most, 0
        for place, _ in zip(where, range(VERIFIED_TRIES), strict=False):
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
            if len(self.found) >= wanted or (entries > VERIFIED_NUMBERS and len(self.found) > 2):
                return

    def _claimed(self, place: Place, known: Known) -> Found:
        try:
            claimed = self.claim.value(*place[:2])
        except Raised as raised:
            self._errors.append((raised, place))
            return Found(place, known, None, f"raises {type(raised.error).__name__}: {raised.error}")
        if claimed is not None and claimed.shape != known.entries.shape:
            return Found(
                place, known, claimed, f"has shape {claimed.shape}, and the right one is {known.entries.shape}"
            )
        one = Found(place, known, None if claimed is None else self.truth.shared(claimed))
        one.exact = known.how == "the formula" and self.claim.given is None
        return one

    @property
    def _formulas(self) -> list[Any]:
        return [self.f.formula, self.truth.formula, self.claim.formula]

    def edges(self) -> list[Edge]:
        """Where something changes in one of the formulas, or Python took another branch."""
        conditions = [(b.term, g.point) for g in self._traces() for b in g._background.branches]
        return edges_of(self._formulas, conditions)

    def _traces(self) -> Iterator[Any]:
        """The formulas of functions in which Python branches, at the points so far."""
        for side in (self.f, self.claim):
            for one in self.found if side.branching else ():
                try:
                    yield side.formula_at(one.place.point)
                except Exception:  # the function is the user's
                    break

    # ------------------------------------------------------------------------------------------------------- judging

    def judge(self, every: bool = True) -> None:
        """Say of every place whether the two differ there; else only until they do."""
        typical = float(np.median([f.scale for f in self.found if f.place.usual] or [f.scale for f in self.found]))
        for one in sorted(self.found, key=weight):  # what is shown is confirmed
            one.typical = typical
            self._judge(one)
            if one.entry is not None and not every:
                return

    def _judge(self, one: Found) -> None:
        wrong = one.wrong()
        if not wrong.any():
            return
        finite = one.claimed is not None and bool(np.isfinite(one.claimed).all())
        if not self.truth.speaks_of(one.place) or (finite and not self.claim.has_value(one.place)):
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
        counted = not one.exact and one.known.how != "differences"
        if far <= 1e3 * noise or (counted and self._is_ragged(one, entry)):
            return None
        if self.truth.kind == "equals" or one.known.how == "differences":
            one.confirmed = True
        if one.confirmed or sum(f.confirmed for f in self.found) >= VERIFIED_WITNESSES:
            return True
        again = self.truth.again(one.place, entry)
        if again is None:
            return None
        nearer = abs(again[0] - one.right[entry]) < 0.1 * far
        sure = nearer and again[1] < 0.1 * far
        one.confirmed = bool(sure and self.truth.explains(one.place, entry, one.right))
        return one.confirmed or None

    def _noise(self, one: Found, entry: tuple[int, ...]) -> float:
        """How far both may be off: as a hair's change of the point changes them, and next to the largest number on the
        way to them; infinite where the claim has no number all around."""
        worst, missing = 0.0, 0
        if one.exact:
            worst = 1e-16 * max(largest_summand(f, one.place) for f in (self.truth.formula, self.claim.formula))
        if all(
            _is_unrounded(f, one.place, v)
            for f, v in ((self.truth.formula, one.right), (self.claim.formula, one.claimed))
        ):
            return worst  # a jump that is met there is one
        lost = one.claimed is None or not np.isfinite(one.claimed[entry])
        for _ in range(3):
            share = 1e-3 if lost else 1e-14
            place = self._beside(one.place, share)
            try:
                claimed = self.claim.value(*place[:2])
                known = None if one.known.how == "differences" else self.truth.at(place, self.rng)
            except (Raised, Undefined):
                return float("inf")
            if claimed is None or claimed.shape != one.right.shape or not np.isfinite(claimed[entry]):
                missing += 1
                continue
            if not lost and one.claimed is not None:
                worst = max(worst, float(abs(self.truth.shared(claimed)[entry] - one.claimed[entry])))
                worst = max(worst, float(abs(known.entries[entry] - one.right[entry])) if known is not None else 0.0)
        return float("inf") if lost and missing == 3 else worst

    def _beside(self, place: Place, share: float) -> Place:
        """A place next to another, what may be any number changed by a share of it."""
        return place.moved({n: nudged(x, self.rng, share) for n, x in place.point.items() if moves(self.table[n])})

    def _is_ragged(self, one: Found, entry: tuple[int, ...]) -> bool:
        """Whether two sides differ by next to nothing that is what cancelling leaves: of another size a little beside
        the point, or everywhere few units in the last place. A hair's change may round all alike."""
        far = float(one.far[entry])
        reach = max([1.0, *[float(np.abs(v).max(initial=0)) for v in one.place.point.values()]])
        small = min(_SMALL * reach, 2.0 ** (_BITS - 52) * reach**4)
        if far > max(_TINY * reach, small):
            return False
        seen = [far]
        for _ in range(6):
            place = self._beside(one.place, 1e-3)
            try:
                claimed, known = self.claim.value(*place[:2]), self.truth.at(place, self.rng)
            except (Raised, Undefined):
                continue
            if claimed is not None and known is not None and claimed.shape == known.entries.shape == one.right.shape:
                seen.append(float(abs(claimed[entry] - known.entries[entry])))
        varies = far <= _TINY * reach and any(abs(d - far) > 0.5 * far for d in seen)
        return varies or (far <= small and all(np.ldexp(np.frexp(d)[0], _BITS) % 1 == 0 for d in seen))

    # ------------------------------------------------------------------------------------------------------ questions

    @property
    def refuted(self) -> list[Found]:
        return [f for f in self.found if f.entry is not None]

    @property
    def agreed(self) -> list[Found]:
        return [f for f in self.found if f.entry is None and not f.undecided]

    @property
    def telling(self) -> list[Found]:
        """Where the two agree, and not because there is nothing left of them, beside what they are elsewhere."""
        most = max([f.scale for f in self.found], default=0.0)
        return [f for f in self.agreed if f.scale > _UNDERFLOW * most]


def _is_unrounded(formula: Any, place: Place, value: Any) -> bool:
    """Whether a value is a formula's of sums, products and steps of numbers like 3/4: then nothing on the way to it was
    rounded."""
    if formula is None:
        return False
    root = formula._expanded()
    maps = [t for t in postorder(root) if isinstance(t, Map)]
    if any(not (t.op.kink or t.op.truth or t.operation in ("pow_scalar", "where")) for t in maps):
        return False
    try:
        values = all_values([root], place.known(formula.point))
    except (SymgradError, ValueError):  # no inverse, or a formula of another length
        return False
    there = [np.asarray(values[id(t)]) * EXACT_PARTS for t in postorder(root) if id(t) in values]
    return all((v == np.round(v)).all() for v in there) and np.array_equal(values[id(root)], value)


EXACT_PARTS = bound(64)
"""Parts of 1 of which numbers are whole multiples that are taken for exact."""


def largest_summand(formula: Any, place: Place) -> float:
    """The largest number that is added on the way to a formula's value: where sums cancel, its last digits are left."""
    return largest_added(formula._expanded(), place.known(formula.point))


def _worst(one: Found, wrong: np.ndarray) -> list[tuple[int, ...]]:
    """The wrong entries that are furthest off."""
    order = np.argsort(np.where(wrong, -one.far, np.inf), axis=None)[: min(3, int(wrong.sum()))]
    return [entry_at(k, wrong.shape) for k in order]


def points_text(n: int) -> str:
    """So many points, in words."""
    return f"{n} point{'s' * (n != 1)}"


def written(place: Place) -> str:
    """A point in words."""
    parts = [f"{n} = {brief(x)}" for n, x in place.point.items()]
    return ", ".join(parts) or "any point"


VERIFIED_SHOWN = bound(12)
"""Numbers of an array that a verdict shows."""


def brief(x: Any) -> str:
    """An array in a line."""
    x = np.asarray(x)
    if x.size > VERIFIED_SHOWN:
        return f"{'×'.join(map(str, x.shape))} numbers"
    return np.array2string(x, formatter={"all": lambda v: f"{v:.6g}"}, separator=", ").replace("\n", "")


def weight(found: Found) -> tuple[Any, ...]:
    """How hard a point is to read: usual ones first, of few numbers of few digits."""
    numbers = [v for x in found.place.point.values() for v in np.ravel(x)[: _limits.VERIFIED_TEXT]]
    length = sum([1 + len(f"{v:.6g}") for v in numbers])
    return bool(found.said), not found.place.usual, 1 in found.place.lengths.values(), length
