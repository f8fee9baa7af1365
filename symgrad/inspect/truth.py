"""What a derivative is at a point, and a claim held against it, point by point."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from itertools import islice
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError, ShapeError, SymgradError
from .._limits import bound
from ..formulas import (
    Formula,
    Found,  # noqa: F401  (which pickles of earlier versions name here)
    Known,
    Place,
    Point,
    Pointwise,
    Raised,
    Reference,
    Undefined,
    Wrt,
    agree,
    brief,
    entry_at,
    places,
    size_names,
    value_of,
    written,
)
from ..transforms import grad, jacobian
from .sides import Side, Variable, as_array, numbers_in

# -------------------------------------------------------------------------------------------------------------------
# What a derivative is at a point: by the formula, else by the tape, else by differences; and a second opinion

# The idea to hold: nobody is called wrong on one witness. Where a claim differs from what the calculus says, the entry
# is worked out again from the function's values alone, with how far that can be trusted.


_NEAR = 1e-6
"""How near the formula's values must be to those of the function that it was read from."""


class Truth(Reference):
    """The derivative that a claim is about.

    Attributes
    ----------
    gradient : the gradient that a Hessian is the derivative of, if it has a formula
    symmetric : whether it is a derivative in a symmetric matrix: what it says of symmetric changes counts
    own : what f's own derivative is, if its values have another: then these are the truth. Empty otherwise
    """

    formula: Any
    why: str
    own: str

    def __init__(self, f: Side, kind: str, wrt: Wrt, symmetric: bool = False) -> None:
        super().__init__(f, kind, wrt)
        self.symmetric: bool = symmetric and kind != "equals"
        self.formula = None
        self.gradient: Formula | None = None
        self.why, self.own = f.why, ""
        if f.formula is not None:
            try:
                self.formula, self.gradient = self.derived(f.formula)
            except SymgradError as error:
                self.why = str(error).splitlines()[0]

    @property
    def said(self) -> str:
        """What is differentiated in, in words."""
        return self.wrt if isinstance(self.wrt, str) else ", ".join(self.wrt or ())

    def made_again(self) -> Truth:
        """The same, of a formula that is made anew: numbers may be read in another way."""
        again = copy(self)
        again.f = self.f.made_again()
        if self.formula is not None and again.f.formula is not None:
            again.formula, again.gradient = again.derived(again.f.formula)
        return again

    def derived(self, formula: Formula) -> tuple[Formula, Formula | None]:
        """The derivative of a formula, and its gradient if that is what is differentiated."""
        if self.kind == "equals":
            return formula, None
        if self.kind == "hess":
            gradient = formula.grad(self.wrt)
            return gradient.jacobian(self.wrt), gradient
        return (formula.grad if self.kind == "grad" else formula.jacobian)(self.wrt), None

    def shape(self, value: np.ndarray, point: Point) -> tuple[int, ...]:
        """The shape of the derivative."""
        inside = self._inside(point)
        return {"equals": value.shape, "grad": inside, "jac": value.shape + inside, "hess": inside * 2}[self.kind]

    def _inside(self, point: Point) -> tuple[int, ...]:
        """The shape of what is differentiated in; several numbers are one vector."""
        if isinstance(self.wrt, tuple):
            return (len(self.wrt),)
        return point[self.wrt].shape if self.wrt is not None else ()

    def _name(self, at: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """The variable that an entry is of, and its place in it."""
        return (self.wrt[at[0]], ()) if isinstance(self.wrt, tuple) else (str(self.wrt), at)

    def _moved(self, point: Point, *steps: tuple[tuple[int, ...], float]) -> Point:
        """A point with some entries of what is differentiated in moved; of a symmetric matrix both of a pair at once,
        by half each: LAPACK reads one triangle, and a matrix that is not symmetric is no point."""
        out = dict(point)
        for entry, h in steps:
            name, at = self._name(entry)
            out[name] = np.array(out[name])
            if self.symmetric:
                h /= 2
                out[name][(*at[:-2], at[-1], at[-2])] += h
            out[name][at] += h
        return out

    def at(self, place: Place, rng: Any) -> Known | None:
        """The derivative at a place; None outside the domain, and where it is not finite."""
        if self.kind == "equals":
            return super().at(place, rng)
        value = self.f.value(*place[:2])
        if value is None or not np.isfinite(value).all():
            return None
        found = self._by_formula(place, value)
        how = "the formula"
        if found is None and callable(self.f.given) and not self.own:
            found, how = self._by_tape(place, value), "the tape"
        if found is None:
            return self._by_differences(place, self.shape(value, place.point), rng)
        return Known(self.shared(found), 0.0, how) if np.isfinite(found).all() else None

    def _by_formula(self, place: Place, value: np.ndarray) -> np.ndarray | None:
        if self.formula is None or self.f.formula is None:
            return None
        try:
            if callable(self.f.given) and not agree(value_of(self.f.formula, *place[:2]), value, _NEAR):
                return None
            return value_of(self.formula, *place[:2])
        except (SymgradError, Undefined, np.linalg.LinAlgError):
            return None
        except ValueError:  # it was read at other lengths, of which one was the smaller (an SVD has min(m, n) values)
            return None

    def _by_tape(self, place: Place, value: np.ndarray) -> np.ndarray | None:
        if isinstance(self.wrt, tuple):  # differences are left
            return None
        f, at = self.f.given, self.f.parameters.index(str(self.wrt))
        slope: Callable[..., Any] = jacobian(f, at) if self.kind == "jac" else grad(f, at)
        try:
            with np.errstate(all="ignore"):
                found = as_array(
                    (jacobian(slope, at) if self.kind == "hess" else slope)(*self.f.arguments(place.point))
                )
        except Exception:  # the function may not be made for tensors at all: then differences are left
            return None
        return found if found.shape == self.shape(value, place.point) else None

    def _by_differences(self, place: Place, shape: tuple[int, ...], rng: Any) -> Known | None:
        count = int(np.prod(shape))
        chosen = rng.permutation(count)[: _limits.VERIFIED_ENTRIES]
        entries, unsure = np.full(shape, np.nan), 0.0
        for k in chosen:
            entry = entry_at(k, shape)
            found = self.again(place, entry)
            if found is None:
                return None
            entries[entry], unsure = found[0], max(unsure, found[1])
        return (
            Known(entries, unsure, "differences")
            if unsure < 1e-3 * (1 + np.nanmax(np.abs(entries), initial=0))
            else None
        )

    def shared(self, array: np.ndarray) -> np.ndarray:
        """What of a derivative is no matter of convention."""
        if not self.symmetric:
            return array
        half, axes = (array + array.swapaxes(-2, -1)) / 2, array.ndim // 2
        return half if self.kind != "hess" else np.asarray((half + half.swapaxes(axes - 2, axes - 1)) / 2)

    # ------------------------------------------------------------------------------------------------ second opinion

    def believe(self, places: Iterable[Place], rng: Any) -> None:
        """Ask the function's values whether its derivative is theirs, and go by these where it is not.

        It is not where a part was taken out of the graph (``detach``, ``no_grad``), or the backward of a `Function` is
        wrong, or is another on purpose.
        """
        if not callable(self.f.given) or self.kind == "equals":
            return
        gradient = Truth(self.f, "grad", self.wrt, self.symmetric) if self.kind == "hess" else self
        said = [_contradicted(gradient, place, rng) for place in places]
        against = [s for s in said if s]
        if len(against) > 1 and 2 * len(against) > len([s for s in said if s is not None]):
            self.own = self.why = against[0]
            self.formula = self.gradient = None

    def again(self, place: Place, entry: tuple[int, ...]) -> tuple[float, float] | None:
        """An entry from the function's values alone, and how far that can be trusted; None if it cannot be had."""
        if not self.symmetric or self.kind != "hess":
            return self._entry_again(place, entry)
        *before, i, j = entry[: len(entry) // 2]  # the second change is that of a pair already
        each = [self._entry_again(place, (*before, *pair, *entry[len(entry) // 2 :])) for pair in ((i, j), (j, i))]
        found = [e for e in each if e is not None]
        return (sum(e[0] for e in found) / 2, max(e[1] for e in found)) if len(found) == 2 else None

    def explains(self, place: Place, entry: tuple[int, ...], right: np.ndarray) -> bool:
        """Whether the derivative at a place is that along a direction, too: at a kink each entry may have a slope (the
        median of zeros has, when one of them moves), and their sum is none."""
        inside = self._inside(place.point)
        if self.kind == "hess" or not np.isfinite(right).all():
            return True
        rank = right.ndim - len(inside)
        turned = np.random.default_rng(3).uniform(-1, 1, inside)
        steps = [(at, float(turned[at])) for at in np.ndindex(*inside)]
        found = best_slope(
            lambda h: self._entry(
                self._moved(place.point, *[(at, h * share) for at, share in steps]), place, entry[:rank]
            ),
            1.0,
        )
        parts = right[entry[:rank]] * turned
        if found is None:
            return True
        off = abs(found[0] - parts.sum())
        return bool(np.isfinite(found[1]) and off <= 1e-3 * np.abs(parts).sum() + 10 * found[1])

    def _entry_again(self, place: Place, entry: tuple[int, ...]) -> tuple[float, float] | None:
        axes = len(self._inside(place.point))
        if self.kind == "hess":
            if self.gradient is not None:
                gradient, start, inside = self.gradient, entry[:axes], entry[axes:]
                return self._slope(place, inside, lambda p: value_of(gradient, p, place.lengths)[start])
            return self._second(place, entry[:axes], entry[axes:])
        rank = len(entry) - axes
        return self._slope(place, entry[rank:], lambda p: self._entry(p, place, entry[:rank]))

    def _entry(self, point: Point, place: Place, entry: tuple[int, ...]) -> float:
        value = self.f.value(point, place.lengths)
        return float("nan") if value is None else float(value[entry])

    def _slope(self, place: Place, at: tuple[int, ...], f: Callable[[Point], Any]) -> tuple[float, float] | None:
        name, inside = self._name(at)
        x = float(place.point[name][inside])
        return best_slope(lambda h: float(f(self._moved(place.point, (at, h)))), max(1e-2, abs(x)))

    def _second(self, place: Place, one: tuple[int, ...], two: tuple[int, ...]) -> tuple[float, float] | None:
        """A second derivative by mixed differences, extrapolated twice, of the best of some steps.

        How far it can be trusted is how far the next best is. Where the gradient has a kink nearby, steps of all sizes
        may agree on what is true on neither side: there are no four points of one piece, so the error is infinite.
        """
        there = [(place.point[name], at) for name, at in map(self._name, (one, two))]
        a, b = [max(0.1, abs(float(x[at]))) for x, at in there]

        def mixed(h: float, centre: float = 0.0) -> float:
            total = 0.0
            for i, j in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                moved = self._moved(place.point, (one, (i + centre) * h * a), (two, (j + centre) * h * b))
                total += i * j * self._entry(moved, place, ())
            return total / (4 * h * h * a * b)

        found = []
        for h in (0.1, 0.03, 0.01, 3e-3):
            wide, narrow, least = mixed(h), mixed(h / 2), mixed(h / 4)
            first, second = (4 * narrow - wide) / 3, (4 * least - narrow) / 3
            value, error = (16 * second - first) / 15, abs(second - first)
            found += [(value, error)] if np.isfinite(value) else []
        if not found:
            return None
        (best, error), *others = sorted(found, key=lambda one: one[1])
        aside = [abs(mixed(h, 2.0) - mixed(h, -2.0)) for h in (1e-2, 1e-3)]
        if not aside[1] < max(1e-3 * (1 + abs(best)), 0.5 * aside[0]):
            return best, float("inf")
        return best, max([error, *[abs(value - best) for value, _ in others[:1]]])


def _contradicted(truth: Truth, place: Place, rng: Any) -> str | None:
    """How the derivative at a place is another than that of the values; empty if it is not, None if nobody knows."""
    try:
        known = truth.at(place, rng)
    except (Raised, Undefined):
        return None
    if known is None or known.how == "differences" or not known.entries.size:
        return None
    entry = entry_at(rng.integers(known.entries.size), known.entries.shape)
    again, said = truth.again(place, entry), float(known.entries[entry])
    if again is None or again[1] > 1e-2 * (abs(again[0]) + abs(said)):
        return None
    if abs(again[0] - said) <= max(1e-2 * (abs(again[0]) + abs(said)), 100 * again[1], 1e-9):
        return ""
    own = f"{truth.f.title}'s own derivative is {said:.6g} where its values have {again[0]:.6g}"
    return f"{own} (detached, or of a wrong backward)"


def best_slope(f: Callable[[float], float], scale: float) -> tuple[float, float] | None:
    """f'(0) by extrapolated differences (Ridders), and an estimate of the error; None where f has no values.

    Long steps lose fewer digits, but may step over whole periods: where short ones say otherwise, these are believed.
    At a kink the error is infinite: there is no derivative, whatever the differences say.
    """
    best: tuple[float, float] | None = None
    try:
        for start in (0.1, 1e-3, 1e-5, 1e-7):
            found = [e for e in _extrapolated(f, start * scale) if np.isfinite(e[0])]
            if not found:
                continue
            here = min(found, key=lambda e: e[1])
            if best is not None and max(here[1], best[1], abs(here[0] - best[0])) <= 1e-9 * abs(best[0]):
                break  # two lengths of steps say the same
            if best is None or here[1] < best[1] or abs(here[0] - best[0]) > 10 * (here[1] + best[1]):
                best = here
        if best is not None and _is_kink(f, scale, best[0]):
            return best[0], float("inf")
    except (SymgradError, Raised, Undefined, ArithmeticError, np.linalg.LinAlgError):
        return None
    return best


def _extrapolated(f: Callable[[float], float], h: float) -> list[tuple[float, float]]:
    """Slopes by ever smaller steps, and how far each may be off: as the table says, and by rounding."""
    rows: list[list[float]] = []
    found = []
    middle = f(0.0)
    rounding = max(4e-16 * abs(middle), *[abs(f(d * h) - middle) for d in (1e-13, -2e-13)])
    pairs = [(f(h / 1.6**k), f(-h / 1.6**k)) for k in range(6)]
    with np.errstate(over="ignore"):
        seven = all(float(np.float32(v)) == v for pair in pairs for v in pair)
    if seven:  # digits, at most
        rounding = max(rounding, *[2e-7 * abs(v) for pair in pairs for v in pair])
    for k, (above, below) in enumerate(pairs):
        step = h / 1.6**k
        row = [(above - below) / (2 * step)]
        for j in range(k):
            factor = 1.6 ** (2 * (j + 1))
            row.append((factor * row[j] - rows[-1][j]) / (factor - 1))
        if k:
            apart = max(abs(row[-1] - row[-2]), abs(row[-1] - rows[-1][-1]))
            found.append((row[-1], max(apart, 10 * rounding / step)))
        rows.append(row)
    return found


def _is_kink(f: Callable[[float], float], scale: float, slope: float) -> bool:
    """Whether the slopes on both sides stay apart as steps shrink."""
    middle = f(0.0)
    wide, narrow = (abs(f(h) - 2 * middle + f(-h)) / h for h in (1e-7 * scale, 1e-8 * scale))
    return narrow > 1e-4 * (abs(slope) + abs(middle) / scale) and narrow > 0.3 * wide


# --------------------------------------------------------------------- A claim held against the truth, point by point


VERIFIED_OWN = bound(6)
"""Points at which the derivative that a function itself has is held against its values."""

_OF_VALUES = "A gradient is claimed as grad=…, a Jacobian as jac=…."


class Comparison(Pointwise):
    """A claim about a function, compared at points."""

    truth: Truth
    table: dict[str, Variable]

    def __init__(self, f: Side, claim: Side, truth: Truth, table: dict[str, Variable], at: Point | None) -> None:
        _require_one_value(f, claim, next(places(table, truth.wrt, np.random.default_rng(1))))
        rng = np.random.default_rng(2)
        truth.believe(islice(places(table, truth.wrt, rng), VERIFIED_OWN), rng)
        super().__init__(f, claim, truth, table)
        self.look([Place(at, _lengths(table, at))] if at is not None else [])
        if at is None or not isinstance(claim.given, np.ndarray):
            self.look_anywhere()
            self.look_further(numbers_in(f.given, claim.given))
        self._require_values()
        self.judge()
        if not self.refuted and not self.agreed:
            raise FormulaError(
                f"{claim.title} differs, and at none of {len(self.found)} points it is certain who is right",
                "Rounding decides there, or the function has no derivative.", "Give a point that is better: at={…}.",
            )  # fmt: skip

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


def _require_one_value(f: Side, claim: Side, place: Place) -> None:
    """Raise if a function draws numbers, or counts its calls: it has no formula, and no derivative."""
    for side in (f, claim):
        try:
            one, two = [side.value(*place[:2]) for _ in range(2)]
        except (Raised, Undefined):
            continue
        if one is not None and two is not None and not np.array_equal(one, two, equal_nan=True):
            raise FormulaError(
                f"{side.title} gave two values at one point",
                f"{brief(one)} and {brief(two)}, at {written(place)}.", "Give what it draws as an argument.",
            )  # fmt: skip


def _lengths(table: dict[str, Variable], at: Point) -> dict[str, int]:
    """The lengths that arrays give the named sizes."""
    names = size_names(table)
    found = {getattr(d, "name", ""): n for v in table.values() for d, n in zip(v.shape, at[v.name].shape, strict=True)}
    return {name: found.get(name, n) for name, n in names.items()}


def _shape_words(truth: Truth) -> str:
    words = {
        "grad": "the shape of {}",
        "jac": "the shape of f, then that of {}",
        "hess": "the shape of {} twice",
        "equals": "the shape of f",
    }
    return words[truth.kind].format(truth.said)
