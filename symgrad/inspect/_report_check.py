"""Derivatives held against differences of the function: of its values alone, by no rule.

The idea to hold: nobody is called wrong on one witness (`_truth`): an entry counts as wrong only where the differences
say how far they can be trusted, and it is farther off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import SymgradError
from ..formulas import Formula
from ._points import Place, places
from ._sides import Point, Side, Undefined, value_of, variables_of
from ._truth import Truth


class Check(NamedTuple):
    """What differences say of a derivative: entries that agree, to how many digits, and the worst that does not."""

    agreed: int
    digits: int
    undecided: int
    points: int
    wrong: str = ""

    def __bool__(self) -> bool:
        return not self.wrong

    def __str__(self) -> str:
        if self.wrong:
            return self.wrong
        if not self.agreed:
            return "not checked: differences decide nothing at the points that were looked at"
        at = f"{self.points} point{'s' * (self.points != 1)}"
        text = f"agrees with differences: {self.agreed} entries at {at}, to {self.digits} digits"
        return text + (f"; {self.undecided} undecided, at kinks or by rounding" if self.undecided else "")


class AtPoint(Side):
    """A Python function of which some arguments are moved: ``call`` takes them by name."""

    def __init__(self, formula: Formula, call: Callable[[Point], Any]) -> None:
        super().__init__(None, "f", formula)
        self.call = call

    def value(self, point: Point, lengths: dict[str, int]) -> np.ndarray | None:
        with np.errstate(all="ignore"):
            return np.asarray(self.call(point), float)


def checked(f: Formula, derivative: Formula, kind: str, wrt: str, call: Callable[[Point], Any] | None = None) -> Check:
    """Hold a gradient (``kind`` is 'grad') or a Hessian ('hess') against differences.

    ``call`` is the function itself, at the point of the formula; without it the formula's values count, at points that
    are drawn. A Hessian is held against differences of the gradient's formula.
    """
    side = Side(None, "f", f) if call is None else AtPoint(f, call)
    truth = Truth(side, "jac" if kind == "grad" and f.shape else kind, wrt)
    rng = np.random.default_rng(0)
    agreed, undecided, points, digits, wrong = 0, 0, 0, 15.0, ""
    for place in _places(f, wrt, rng, call is not None):
        try:
            claimed = value_of(derivative, *place[:2])
        except (SymgradError, Undefined, np.linalg.LinAlgError):
            continue
        if not np.isfinite(claimed).all():
            continue
        points += 1
        scale = float(np.max(np.abs(claimed), initial=0))
        for k in rng.permutation(claimed.size)[: _limits.REPORT_ENTRIES]:
            entry = tuple(int(i) for i in np.unravel_index(int(k), claimed.shape))
            found = truth.again(place, entry)
            if found is None or found[1] > 1e-4 * (scale + abs(found[0]) + 1e-6):
                undecided += 1
                continue
            apart = abs(found[0] - float(claimed[entry]))
            if apart > 100 * found[1] + 1e-6 * (scale + 1e-6):
                wrong = wrong or _wrong(entry, float(claimed[entry]), found[0])
                continue
            agreed += 1
            digits = min(digits, -np.log10(max(apart / (scale or 1.0), 1e-15)))
    return Check(agreed, int(digits), undecided, points, wrong)


def _places(f: Formula, wrt: str, rng: Any, there: bool) -> Iterator[Place]:
    if there:
        yield Place({n: np.asarray(v, float) for n, v in f.point.items()}, {})
    else:
        usual = (place for place in places(variables_of(f), wrt, rng) if place.usual)
        yield from islice(usual, _limits.REPORT_POINTS)


def _wrong(entry: tuple[int, ...], claimed: float, found: float) -> str:
    at = f"entry [{', '.join(map(str, entry))}]" if entry else "the value"
    return f"WRONG: {at} is {claimed:.6g} by the formula and {found:.6g} by differences"


__all__ = ["Check", "checked"]
