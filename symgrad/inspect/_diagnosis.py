"""What is wrong with a wrong claim, where that is mathematics: a sign, a factor, a transpose, a term, an entry.

The idea to hold: each guess is a changed truth; one that the claim is at every point that was looked at is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from .._errors import SymgradError
from ..show import to_text
from ..terms import Add, Expr, evaluate
from ._compare import Comparison, Found
from ._points import Edge, edges_of

_FACTORS = [Fraction(a, b) for a in (1, 2, 3, 4, 6) for b in (1, 2, 3, 4, 6)]


def diagnosis(seen: Comparison) -> str:
    """What was done wrong, in words; empty if it is not known."""
    counted = [f for f in seen.found if not f.undecided and not f.said and f.claimed is not None]
    whole = [f for f in counted if np.isfinite(f.far).all() and np.isfinite(f.right).all()]
    if not whole:
        return _region(seen, whole)
    for guess in (_factor, _transposed, _term, _shifted, _region, _entries, _odd_factor):
        words = guess(seen, whole)
        if words:
            return words
    return ""


def _fits(whole: list[Found], changed: Callable[[Found], Any]) -> bool:
    """Whether the claim is a changed truth wherever it was looked at, and not everywhere 0."""
    for f in whole:
        there = changed(f)
        if there is None or np.shape(there) != f.right.shape or f.claimed is None:
            return False
        size = max(float(np.abs(there).max(initial=0)), f.scale)
        if not (np.abs(f.claimed - there) <= 1e-6 * size + 1e-9 * f.scale).all():
            return False
    return any(f.scale for f in whole)


def _factor(seen: Comparison, whole: list[Found]) -> str:
    if _fits(whole, lambda f: -f.right):
        return "the sign: the claim is minus the right one"
    for c in (sign * c for c in _FACTORS for sign in (1, -1)):
        if c != 1 and _fits(whole, lambda f, c=c: float(c) * f.right):  # type: ignore[misc]
            return f"a factor: the claim is {c} times the right one"
    for name in whole[0].place.lengths:
        for words, power in ((f"{name} times the right one", 1), (f"the right one divided by {name}", -1)):
            if _fits(whole, lambda f, n=name, p=power: float(f.place.lengths[n]) ** p * f.right):  # type: ignore[misc]
                return f"a factor: the claim is {words}"
    return ""


def _odd_factor(seen: Comparison, whole: list[Found]) -> str:
    first = max(whole, key=lambda f: f.scale)
    place = np.unravel_index(int(np.abs(first.right).argmax()), first.right.shape)
    c = float(first.claimed[place] / first.right[place]) if first.claimed is not None and first.scale else 1.0
    return (
        f"a factor: the claim is {c:.8g} times the right one"
        if abs(c - 1) > 1e-7 and _fits(whole, lambda f: c * f.right)
        else ""
    )


def _transposed(seen: Comparison, whole: list[Found]) -> str:
    rank = whole[0].right.ndim
    if rank > 1 and _fits(whole, lambda f: f.right.T):
        return "transposed: the claim is the transpose of the right one"
    return ""


def _term(seen: Comparison, whole: list[Found]) -> str:
    """A term of the right formula that is missing, or has a wrong factor."""
    for term, values in _terms(seen, whole):
        text = to_text(term)
        for c, words in ((0, f"a term is missing: {text}"), (-1, f"a sign: that of the term {text}")):
            if _fits(whole, _with_term(values, c)):
                return words
        for share in _FACTORS:
            if share != 1 and _fits(whole, _with_term(values, float(share))):
                return f"a factor: the term {text} stands {share} times"
        for name in whole[0].place.lengths:
            for power, words in ((1, "multiplied"), (-1, "divided")):
                if _fits(whole, _with_term(values, 1.0, name, power)):
                    return f"a factor: the term {text} is {words} by {name}"
    return ""


def _with_term(values: dict[int, Any], times: float, size: str = "", power: int = 1) -> Callable[[Found], Any]:
    """The right derivative with a term standing so often; also as often as a named size is long."""
    return lambda f: f.right + (times * (float(f.place.lengths[size]) ** power if size else 1) - 1) * values[id(f)]


def _terms(seen: Comparison, whole: list[Found]) -> Iterator[tuple[Expr, dict[int, Any]]]:
    """The terms of the right formula (also multiplied out), with their values at each place."""
    right = seen.truth.formula
    if right is None:
        return
    forms = [right.term]
    with suppress(SymgradError):  # too many terms
        forms.append(right.expand().term)
    for form in forms:
        terms: Any = form.terms if isinstance(form, Add) else ()
        for c, t, s in terms:
            edge = _Placed(t, right.point)
            try:
                values = {id(f): float(c) * _spread(edge.value(f), s, f.right.ndim) for f in whole}
            except (SymgradError, ValueError, np.linalg.LinAlgError):
                continue
            yield _alone(form, c, t, s), values


class _Placed(Edge):
    def value(self, f: Found) -> np.ndarray:
        sizes = {k: np.asarray(float(n)) for k, n in f.place.lengths.items()}
        known = {**self.known, **sizes, **{"#" + k: n for k, n in sizes.items()}, **f.place.point}
        return np.asarray(evaluate(self.term, known)) * 1.0


def _spread(value: np.ndarray, labels: Any, rank: int) -> np.ndarray:
    """A term's value with axes for all of the sum's."""
    order = sorted(range(len(labels)), key=lambda k: labels[k])
    turned = value.transpose(order)
    return turned[tuple([slice(None) if k in labels else None for k in range(rank)])]


def _alone(form: Any, c: Any, t: Expr, s: Any) -> Expr:
    from ..terms import shaped

    return shaped(form.shape, c, [(t, s)])


def _shifted(seen: Comparison, whole: list[Found]) -> str:
    if whole[0].right.ndim and all(f.right.shape[0] > 2 for f in whole):
        for by, words in ((1, "the entry before"), (-1, "the entry after")):
            if _fits(whole, lambda f, by=by: np.roll(f.right, by, 0)):  # type: ignore[misc]
                return f"a wrong index: each entry is {words} of the right one"
        if _fits(whole, lambda f: f.right[::-1]):
            return "a wrong index: the entries stand in reverse order"
    return ""


def _entries(seen: Comparison, whole: list[Found]) -> str:
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


def _region(seen: Comparison, whole: list[Found]) -> str:
    """A condition that holds wherever the claim is right, and nowhere where it is wrong."""
    sizes = _sizes(seen)
    if sizes:
        return sizes
    right, wrong = _telling(seen), seen.refuted
    if not right:
        return ""
    formulas = [seen.f.formula, seen.claim.formula, seen.truth.formula]
    conditions = [(b.term, g.point) for g in seen._traces() for b in g._background.branches]
    for edge in edges_of(formulas, conditions):
        for holds, words in ((True, ""), (False, "not ")):
            if _separates(edge, holds, right, wrong, seen):
                text = to_text(edge.term).removeprefix("1[").removesuffix("]")
                text += "" if getattr(getattr(edge.term, "op", None), "truth", False) else " > 0"
                return f"it agrees where {words}{text} only"
    for name in wrong[0].place.point:
        for sign, words in ((1, "> 0"), (-1, "< 0")):
            if all((sign * f.place.point[name] > 0).all() for f in right) and not any(
                (sign * f.place.point[name] > 0).all() for f in wrong
            ):
                return f"it agrees where {name} {words} only"
    return ""


def _telling(seen: Comparison) -> list[Found]:
    """Where the claim is right, and not because all is 0 there."""
    return [f for f in seen.agreed if f.scale] or seen.agreed


def _separates(edge: Edge, holds: bool, right: list[Found], wrong: list[Found], seen: Comparison) -> bool:
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
        good = {f.place.lengths[name] for f in _telling(seen)}
        bad = {f.place.lengths[name] for f in seen.refuted}
        if good - {1} and bad and not good & bad:
            return f"it agrees for {name} = {', '.join(map(str, sorted(good)))} only"
    return ""
