"""The proof that a claim is right, also where Python branches; and where alone it says something.

The idea to hold: a proof is of formulas. Where Python branches there is one for each branch, and all branches are
known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

import numpy as np

from .. import _limits
from .._errors import SymgradError
from .._trees import postorder
from ..calculus import (
    INVERTIBLE,
    NONNEGATIVE,
    NONZERO,
    POSITIVE,
    Condition,
    domain_of,
    holds_for,
    not_implied,
    of_rewrite,
    plus,
)
from ..core import modes
from ..formulas import (
    Formula,
    Line,
    Place,
    Proof,
    Raised,
    Undefined,
    entry_at,
    equal,
    is_free,
    is_rounded,
    largest_summand,
    moved_names,
    places,
    surfaces,
    value_of,
)
from ..show import in_one_piece
from ..terms import evaluate, symbols_in
from .sides import Side, Variable, variables_of
from .truth import Comparison, Truth


def prove(truth: Truth, claim: Side, table: dict[str, Variable], places: list[Any]) -> Proof:
    """The proof for all values; where Python branches, of each branch that was met at ``places``.

    A proof in which floats were met is done once more with exact decimals: numbers may be nearly equal. What a text
    computes (√2, the log 2 of a derivative) is a float, too: a decimal of all its digits is that number, and proves
    nothing. So the proof must hold with another number in the place of such decimals.
    """
    with _reading(exactly=False) as numerals:
        found = _proof(truth.made_again(), claim.made_again(), table, places)
    if not found or not numerals.seen:
        return found
    with _reading(exactly=True) as numerals:
        again = _proof(truth.made_again(), claim.made_again(), table, places)
    if numerals.rounded or not again:
        return Proof(why=f"it rests on rounded numbers: {(numerals.rounded or [again.why])[0]}")
    if numerals.long:
        with _reading(exactly=False, times=2.0):
            again = _proof(truth.made_again(), claim.made_again(), table, places)
        if not again:
            taken = f"{numerals.long[0]} is taken for a constant"
            return Proof(why=f"{taken}, which it equals in all digits of a double and no further")
    return found


_ROUNDING = 1e-14
"""The share of a value that is rounding: what two formulas differ by must be more."""


def set_apart(seen: Comparison) -> str:
    """Mark the points at which two formulas differ by less than points tell, 10⁻¹² of x; returns what they differ by.

    It is what their difference is worth where that is no rest of a sum, if all numbers in both are exact.
    """
    if seen.f.given is not None or seen.claim.given is not None:
        return ""
    with _reading(exactly=True) as numerals, suppress(SymgradError):
        right, claimed = seen.truth.made_again().formula, seen.claim.made_again().formula
        if right is None or claimed is None:
            return ""
        rest = right - claimed
        if numerals.rounded or any(map(is_rounded, postorder(right._expanded(), claimed._expanded()))):
            return ""
        for one in seen.agreed:
            off = np.abs(value_of(rest, *one.place[:2]))
            least = max(1e-3 * largest_summand(rest, one.place), _ROUNDING * max(one.scale, one.typical))
            if off.max(initial=0) > least:
                one.entry = entry_at(off.argmax(), off.shape)
        return in_one_piece(rest.term) if seen.refuted else ""
    return ""


@contextmanager
def _reading(exactly: bool, times: float = 1.0) -> Iterator[modes.Numerals]:
    token = modes.numerals.set(modes.Numerals(exactly, times))
    try:
        yield modes.numerals.get()  # type: ignore[misc]
    finally:
        modes.numerals.reset(token)


def _proof(truth: Truth, claim: Side, table: dict[str, Variable], places: list[Any]) -> Proof:
    if why := truth.own or truth.f.unsure or claim.unsure:
        return Proof(why=why)
    if truth.f.branching or claim.branching:
        return _by_branches(truth, claim, table, places)
    for formula, why in ((truth.formula, truth.why), (claim.formula, claim.why)):
        if formula is None:
            return Proof(why=why)
    return equal(truth.formula, claim.formula, truth.f.formula, set(table), truth.kind == "equals")


def narrower(truth: Truth, claim: Side, proof: Proof, table: dict[str, Variable], places: list[Place]) -> list[str]:
    """Where alone a claim says something, or was shown, though the function (its derivative) has values elsewhere, too.

    A condition that the function asks for as well takes nothing away, nor does a kink of a function that is
    differentiated, if there is no derivative there: x|x| has one at 0. One that the formula of the derivative asks for,
    and the function does not, may be one of the formula alone (∏x/x, det(A) A⁻ᵀ): the function's values say whether
    there is a derivative where it is not met.
    """
    function, right = truth.f.formula, truth.formula
    if claim.formula is None or function is None or right is None or truth.f.branching or claim.branching:
        return []
    sources = [f for f in (function, truth.gradient, right) if f is not None]
    edges = []
    if truth.kind != "equals":
        kinks = [s for t in postorder(function._full) for s in surfaces(t)]
        edges = [Condition("", plus(s.shape, (c, s)), NONZERO) for s in kinks for c in (1, -1)]
    known = [c for f in sources for c in _own(f)]
    data = {n for n, v in table.items() if v.value is not None} - {*moved_names(truth.wrt)}
    asked = [c for c in (*claim.formula._conditions(), *proof.asked) if c.term is not None and not _is_of(c, data)]
    if not proof:  # what holds at one length only is no condition of the others: an SVD has min(m, n) values
        asked = [c for c in asked if c.term is not None and not claim.formula._background.rigid(c.term)]
    terms = [f.term for f in sources]
    sure = not_implied(asked, [*known, *edges], terms)
    found = not_implied(asked, known, terms)
    found = [c for c in found if c in sure or _is_smooth_without(c, truth, table, places)]
    domains = [(claim.formula._background.declared(t), kind) for t, kind in claim.formula._background.domains]
    own = not_implied(of_rewrite(domains), [*_own(function), *edges], [function.term])
    own = [c for c in own if c not in found and not _is_of(c, data)]
    found += [c for c in own if _has_slope_without(c, truth, claim, table, places)]
    return list(dict.fromkeys([c.text for c in found]))


def _is_of(condition: Condition, data: set[str]) -> bool:
    """Whether a condition is about data alone, which stay as they are."""
    names = {v.name for v in symbols_in(condition.term)} if condition.term is not None else set()
    return bool(names) and names <= data


def only_where(f: Formula, derivative: Formula, wrt: str | tuple[str, ...]) -> list[str]:
    """Where alone a derivative's formula says something, though its function has a derivative elsewhere, too: ∏x/x."""
    terms = [t for t in postorder(derivative._full) if t.kind in ("map", "call")]
    asked = of_rewrite([d for t in terms for d in domain_of(t.op, list(t.children), t.params)])
    own = not_implied(asked, _own(f), [f.term])
    if not own:
        return []
    table, claim = variables_of(f), Side(None, "the formula", derivative)
    truth = Truth(Side(None, "f", f), "jac" if f.shape else "grad", wrt)
    drawn = [*islice(places(table, wrt, np.random.default_rng(0)), _limits.VERIFIED_EDGES)]
    return list(dict.fromkeys([c.text for c in own if _has_slope_without(c, truth, claim, table, drawn)]))


def _own(f: Formula) -> list[Condition]:
    """The conditions of a formula, with what its operations ask for."""
    return [*f._conditions(), *[Condition("", f._background.declared(t), kind) for t, kind in f._background.domains]]


def _has_slope_without(
    condition: Condition, truth: Truth, claim: Side, table: dict[str, Variable], places: list[Place]
) -> bool:
    """Whether the function has its derivative (its value, where that is claimed) at a point where a condition does not
    hold and the claim has no value."""
    for point in [p for place in places[: _limits.VERIFIED_EDGES] for p in _without(condition, place, table)]:
        if not _has_value(truth.f, point) or (_has_value(claim, point) and not _through_infinity(truth, claim, point)):
            continue
        if truth.kind == "equals" or _has_slope(truth, point):
            return True
    return False


def _is_smooth_without(condition: Condition, truth: Truth, table: dict[str, Variable], places: list[Place]) -> bool:
    """Whether the function has its derivative wherever a condition was seen not to hold."""
    there = [p for place in places[: _limits.VERIFIED_EDGES] for p in _without(condition, place, table)]
    there = there or [p for p in places if _fails(condition, p)]
    return bool(there) and all(_has_slope(truth, p) for p in there[: _limits.VERIFIED_EDGES])


def _fails(condition: Condition, place: Place) -> bool:
    with suppress(SymgradError, KeyError, ValueError):
        return not holds_for(condition.kind, evaluate(condition.term, place.known({})))  # type: ignore[arg-type]
    return False


def _has_slope(truth: Truth, place: Place) -> bool:
    """Whether differences of the function say that it has a derivative at a place."""
    value = truth.f.value(*place[:2])
    entries = [] if value is None else list(np.ndindex(*truth.shape(value, place.point)))[: _limits.VERIFIED_ENTRIES]
    slopes = [truth.again(place, entry) for entry in entries]
    return value is not None and all(
        s is not None and np.isfinite(s[0]) and s[1] < _SURE * (1 + abs(s[0])) for s in slopes
    )


_SURE = 1e-6
"""How far differences may be apart of which it is said that there is a derivative."""


def _without(condition: Condition, place: Place, table: dict[str, Variable]) -> list[Place]:
    """Places at which a condition does not hold: this one; others where all that it is about is 1, or a variable is 0
    in one entry, or singular; and of whole numbers, where a sign is another one: powers of what is below 0 have values
    for whole exponents."""
    term, kind = condition.term, condition.kind
    symbols = [] if term is None else [v for v in symbols_in(term) if v.name in place.point]
    ones = {v.name: np.ones_like(place.point[v.name]) for v in symbols if is_free(table[v.name])}
    found = [place, place.moved(ones)]
    for v in symbols if kind in (NONZERO, POSITIVE, INVERTIBLE) else ():
        moved = np.array(place.point[v.name], float)
        if kind == INVERTIBLE and moved.ndim and len(moved) > 1:
            moved[0] = moved[1]
        elif moved.size:
            moved[(0,) * moved.ndim] = 0.0
        found.append(place.moved({v.name: moved}))
    for signs in ((-1, -1), (1, -1), (-1, 1)) if kind in (POSITIVE, NONNEGATIVE) else ():
        free = {n: np.ceil(np.abs(x)) for n, x in place.point.items() if is_free(table[n])}
        found.append(place.moved({n: signs[k % 2] * x for k, (n, x) in enumerate(free.items())}))
    return [p for p in found if _fails(condition, p)]


def _through_infinity(truth: Truth, claim: Side, place: Place) -> bool:
    """Whether what a claim has there is no value of it, but another that arithmetic finds by way of infinity."""
    if truth.kind != "equals" or claim.has_value(place):
        return False
    return not np.allclose(claim.value(*place[:2]), truth.f.value(*place[:2]))  # type: ignore[arg-type]


def _has_value(side: Side, place: Place) -> bool:
    try:
        value = side.value(*place[:2])
    except (SymgradError, Undefined, Raised):
        return False
    return value is not None and bool(np.isfinite(value).all())


# ---------------------------------------------------------------------------------------------------------- branches


def _by_branches(truth: Truth, claim: Side, table: dict[str, Variable], places: list[Any]) -> Proof:
    """A proof for each way that Python took, if these are all that there are."""
    paths: dict[tuple[Any, ...], Proof] = {}
    for place in places:
        try:
            sides: list[Any] = [s.formula_at(place.point) if s.parameters else s.formula for s in (truth.f, claim)]
            if any(s is None for s in sides):
                return Proof(why=truth.why or claim.why)
            path = tuple({b.term: b for s in sides for b in s._background.branches}.values())
            if path not in paths:
                right = truth.derived(sides[0])[0]
                paths[path] = equal(right, sides[1], sides[0], set(table), truth.kind == "equals")
        except (SymgradError, TypeError, ValueError) as error:
            return Proof(why=str(error).splitlines()[0])
        if not paths[path]:
            return paths[path]
    if place.lengths:
        return Proof(why=truth.f.why or claim.why)
    if missing := _uncovered(list(paths)):
        return Proof(why=f"Python branches, and no point was met where {missing}")
    lines, written = [], {}
    for path, proof in paths.items():
        lines += [Line("", (), f"Where {', '.join(b.text for b in path)}:"), *proof.lines]
        written.update(proof.written)
    texts = {b.text for path in paths for b in path}
    out = Proof(lines, [c for p in paths.values() for c in p.conditions if c not in texts])
    out.written = written
    out.conditions += ("not on the edges between the branches, where f may have no derivative",)
    return out


def _uncovered(paths: list[tuple[Any, ...]]) -> str:
    """A branch that no path takes; empty if all are taken."""
    if not paths or any(not p for p in paths):
        return "" if paths else "nothing"
    first = paths[0][0]
    for outcome in (True, False):
        rest = [p[1:] for p in paths if p[0].term is first.term and p[0].outcome is outcome]
        if not rest:
            return str(first._replace(outcome=outcome).text)
        if missing := _uncovered(rest):
            return missing
    return ""
