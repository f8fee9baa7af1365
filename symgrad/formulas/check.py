"""The check: a formula's value against the tape's number at the point where it was asked for.

A derivative of a formula is compared with the same derivative by reverse sweeps over the recorded graph, run again on
fresh tensors: in full if it is a gradient, along random directions if it has more axes than the graph's result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from .._errors import FormulaError, SymgradError, refusal
from .._limits import bound
from .._trees import postorder
from ..core import Tensor, edge, reachable, recorded
from ..show import to_text
from ..sweep import grad as sweep_grad
from ..sweep.replay import CannotRunAgain, rerun
from ..terms import Add, Data, Expr, Indices, TooLarge, all_values, evaluate, evaluate_along, placeholder, substitute

Path = tuple[str, ...]


def tolerance(dtypes: Any) -> float:
    """How far a formula in float64 may be from numbers of these dtypes."""
    single = any(d.kind in "fc" and (d.itemsize <= 4 or (d.kind == "c" and d.itemsize == 8)) for d in dtypes)
    return 1e-3 if single else 1e-7


def agree(value: Any, number: Any, tol: float) -> bool:
    """Whether a formula's value is the tape's number, where both are finite.

    Where one is not (at a singular point, or beyond the largest float) a formula may be right and differ: x/x is 1.
    """
    value, number = np.asarray(value) * 1.0, np.asarray(number) * 1.0  # truth values as numbers
    if value.shape != number.shape:
        return False
    finite = np.isfinite(value) & np.isfinite(number)
    if not finite.any():
        return True
    size = np.abs(number[finite]).max()
    return bool(
        (np.abs(value[finite] - number[finite]) <= tol * (np.abs(number[finite]) + min(size, 1) + 1e-3 * size)).all()
    )


UNDEFINED = "checked where the formula is defined; at some entries the number follows a convention (0 at a kink, say)"


def verdict(
    value_at: Callable[[dict[str, Any]], Any], point: dict[str, Any], number: Any, tol: float, recorded: Any = None
) -> Any:
    """True if a term's value is the number up to rounding, as far as the term lets rounding grow; None if it is not.

    Where terms cancel, rounding is all that is left: how much, a hair's change of the point tells, in the term or in
    what it was ``recorded`` as, which may cancel where the term has nothing any more. A formula that is undefined where
    the tape has a number is neither: `UNDEFINED` says so.
    """
    value = value_at(point)
    if np.shape(value) != np.shape(number):
        return None
    if not agree(value, number, tol):
        noise = spread(value_at, point, value)
        noise = noise if recorded is None else max(noise, spread(recorded, point, recorded(point)))
        with np.errstate(invalid="ignore"):
            if (np.abs(value * 1.0 - number) > 100 * noise + 1e-12).any():
                return None
    return UNDEFINED if bool((~np.isfinite(value) & np.isfinite(number)).any()) else True


def require_value(term: Expr, point: dict[str, Any], number: Any, tol: float, shown: Expr | None = None) -> Any:
    """What `verdict` says of a term that must have a value; raises if it has another, and shows it (or ``shown``)."""
    found = verdict(partial(evaluate, term), point, number, tol)
    if found is None:
        raise disagreement(shown or term, evaluate(term, point), number)
    return found


def spread(value_at: Callable[[dict[str, Any]], Any], point: dict[str, Any], value: Any) -> float:
    """How far a hair's change of the point moves a value: what rounding may have made of it."""
    rng = np.random.default_rng(0)
    noise = 0.0
    for _ in range(3):
        moved = {k: nudged(v, rng) for k, v in point.items()}
        with np.errstate(invalid="ignore"):
            noise = max(noise, float(np.nan_to_num(np.abs(value_at(moved) * 1.0 - value)).max(initial=0)))
    return noise


def nudged(value: Any, rng: Any, share: float = 1e-14) -> Any:
    """A value changed by a hair, a share of it, up or down."""
    value = np.asarray(value)
    return value * (1 + share * rng.choice([-1, 1], value.shape)) if value.dtype.kind in "fc" else value


def largest_added(root: Expr, point: dict[str, Any]) -> float:
    """The largest number that is added on the way to a term's value: where sums cancel, its last digits are left.

    Raises
    ------
    TooLarge : one of its parts is too large to form
    """
    with np.errstate(all="ignore"):
        values = all_values([root], point)
        sums = [t for t in postorder(root) if isinstance(t, Add)]
        sizes = [np.abs(complex(c) * values[id(u)]) for t in sums for c, u, _ in t.terms if id(u) in values]
    return max([float(a[np.isfinite(a)].max(initial=0)) for a in map(np.asarray, sizes)], default=0.0)


def with_constants_moved(term: Expr, rng: Any) -> Expr:
    """A term whose constant arrays are changed by a hair."""
    arrays = [part for part in postorder(term) if isinstance(part, Data)]
    return substitute(term, {part: Data(nudged(part.value, rng)) for part in arrays})


def rounding_decides(t: Any) -> bool:
    """Whether a tensor's numbers are none, or change much with a hair's change of its leaves: an inverse of a singular
    matrix is in them, perhaps."""
    root = edge(t)
    if root is None:
        return False
    rng = np.random.default_rng(0)
    leaves = reachable([root])[1]
    try:
        again = rerun(root, {leaf: placeholder(leaf.label or "x", nudged(leaf.data, rng)) for leaf in leaves})
    except (CannotRunAgain, SymgradError):
        return False
    with np.errstate(invalid="ignore"):
        change, size = np.abs(again._data - t._data).max(initial=0), np.abs(t._data).max(initial=0)
    return not change <= 1e-6 * size  # NaN too


class NotFinite(FormulaError):
    """The function has no value at a point."""


POINTS = bound(8)
"""Points that are tried until a function has a value, to check its formula."""


class Source:
    """Where a formula came from: the recorded graph, and the derivatives taken since.

    Attributes
    ----------
    root : the edge of the tensor
    leaves : the leaf's node of each symbol
    path : names of the variables differentiated in, in order
    symmetric : names of the matrices of which derivatives say what symmetric changes do
    """

    root: Any
    leaves: dict[str, Any]
    path: Path

    def __init__(self, root: Any, leaves: dict[str, Any], path: Path = ()) -> None:
        self.root, self.leaves, self.path = root, leaves, path
        self.symmetric: frozenset[str] = frozenset([name for name, leaf in leaves.items() if _is_symmetric(leaf)])

    def derived(self, name: str) -> Source | None:
        """The source of the derivative in a variable; None for a symbol that is no leaf."""
        if name not in self.leaves:
            return None
        new = copy(self)
        new.path = (*self.path, name)
        return new

    def again(self, fresh: dict[str, Tensor], moved: bool) -> Tensor:
        """The function that was recorded, run again on fresh tensors."""
        return rerun(self.root, {node: fresh[name] for name, node in self.leaves.items()}, moved)

    def nodes(self, name: str) -> list[Any]:
        """The leaves that a symbol is."""
        return [self.leaves[name]] if name in self.leaves else []

    @recorded
    def check(
        self, term: Expr, point: dict[str, Any], tol: float, symmetric: Callable[[], frozenset[str]] = frozenset
    ) -> Any:
        """True if the term is the derivative along ``path``; raises if it is not; else why it could not be compared.

        ``symmetric`` finds the symbols that the term takes for symmetric where they were not declared so. Of changes
        that are not, it says nothing then; but what agrees along all changes need not be asked for that.
        """
        try:
            return self._compared(term, point, tol)
        except FormulaError:
            taken = symmetric() & self.leaves.keys()
            if taken <= self.symmetric:
                raise
        held = copy(self)
        held.symmetric = self.symmetric | taken
        return held._compared(term, point, tol)

    def _compared(self, term: Expr, point: dict[str, Any], tol: float) -> Any:
        """The same for the matrices that are known as symmetric.

        At a kink or a tie (a relu at 0) the tape follows its own convention; then next to the point is as good.
        """
        rng = np.random.default_rng(0)
        moves, refused = [lambda: point, lambda: self._beside(point, rng)], refusal.get()
        first = self.path[0]
        try:
            for move in moves:
                here = move()
                try:
                    number, directions = self._number(here, here is not point)
                except NotFinite:
                    if len(moves) > POINTS:
                        raise
                    moves.append(lambda: self._elsewhere(point, rng))
                    continue

                def value_at(p: dict[str, Any], along: Any = directions, of: Expr = term) -> Any:
                    return self._of_symmetric_changes(evaluate_along(of, p, along), first)

                found = verdict(value_at, here, number, tol if here is point else 10 * tol)
                if found is not None:
                    return found
                others = (partial(value_at, here, of=with_constants_moved(term, rng)) for _ in range(3))
                if self._is_uncertain(here, number, value_at(here), others, term):
                    return "not checked: rounding decides the number at the point (a singular matrix, perhaps)"
        except TooLarge:
            return "not checked: too large to evaluate"
        except (SymgradError, CannotRunAgain) as error:
            refusal.set(refused)
            return f"not checked: {str(error).splitlines()[0]}"
        raise disagreement(term, value_at(here), number)

    def _is_uncertain(
        self, point: dict[str, Any], number: np.ndarray, value: Any, others: Iterable[Callable[[], Any]], term: Expr
    ) -> bool:
        """Whether a hair's change of the point changes the tape's number by as much as the formula differs from it, or
        one of the formula's constants the formula: what is constant in it may be 0 but for rounding, and is then
        multiplied. Where x − x is on the way no change shows: there the last digits of what cancels are rounding."""
        leaves = {k: v for k, v in point.items() if k in self.leaves}
        noise = spread(lambda near: self._number({**point, **near}, True)[0], leaves, number)
        with suppress(TooLarge):
            noise = max(noise, float(np.finfo(float).eps) * largest_added(term, point))
        for other in others:
            noise = max(noise, float(np.nan_to_num(np.abs(other() * 1.0 - value)).max(initial=0)))
        return bool((np.abs(np.asarray(value) * 1.0 - number) <= 100 * noise).all())

    def _beside(self, point: dict[str, Any], rng: Any) -> dict[str, Any]:
        """A point nearby."""

        def change(k: str, v: Any) -> Any:
            return self._of_symmetric_changes(1e-3 * rng.uniform(-1, 1, np.shape(v)), k)

        return {k: v + change(k, v) if k in self.leaves else v for k, v in point.items()}

    def _elsewhere(self, point: dict[str, Any], rng: Any) -> dict[str, Any]:
        """Another point: each array as it is, times a number of its own."""
        return {k: v * rng.choice([0.05, 0.3, 3.0, 20.0]) if k in self.leaves else v for k, v in point.items()}

    def _number(self, point: dict[str, Any], moved: bool) -> tuple[np.ndarray, list[tuple[np.ndarray, Indices]]]:
        """The derivative in the first variable, contracted with random directions along all other axes; and those.

        Partial derivatives commute, and the axes of the last variables go through a Hessian's factors one by one.
        """
        fresh = {name: placeholder(name, point[name]) for name in self.leaves}
        y = self.again(fresh, moved)
        if not np.isfinite(y._data).all():
            raise NotFinite("the value at the point is not finite", "", "")
        rng = np.random.default_rng(0)
        first, *others = self.path
        weights = [rng.uniform(0.5, 1.5, y._data.shape)]
        weights += [self._of_symmetric_changes(rng.normal(size=fresh[k]._data.shape), k) for k in others]
        start = 0
        directions = []
        for k, weight in enumerate(weights):
            if weight.ndim:
                directions.append((weight, tuple(range(start, start + weight.ndim))))
            start += weight.ndim + (0 if k else fresh[first]._data.ndim)
        for k, name in enumerate(reversed(self.path)):
            if weights[-k].ndim:
                y = (y * placeholder("v", weights[-k]).detach()).sum()
            found, last = None, k + 1 == len(self.path)
            if y._node is not None:  # else it is constant by now
                (found,) = sweep_grad([y], [fresh[name]], None, create_graph=not last, allow_unused=True)
            if found is None:
                return np.zeros(fresh[first]._data.shape), directions
            y = found
        return self._of_symmetric_changes(y._data, first), directions

    def _of_symmetric_changes(self, array: np.ndarray, name: str) -> np.ndarray:
        """What a derivative in a symmetric matrix says of symmetric changes: the part that all conventions share."""
        return (array + array.swapaxes(-1, -2)) / 2 if name in self.symmetric else array


def _is_symmetric(leaf: Any) -> bool:
    return leaf.facts is not None and "symmetric" in leaf.facts.properties


def entry_at(k: Any, shape: Any) -> tuple[int, ...]:
    """The entry of an array that is so many behind the first, row by row."""
    return tuple([int(i) for i in np.unravel_index(int(k), shape)])


def disagreement(term: Expr, value: Any, number: Any) -> FormulaError:
    """The error that asks for a report."""
    return FormulaError(
        "the formula and the number disagree: please report this as a bug of symgrad",
        f"Formula: {to_text(term)[:500]}\n{_evidence(np.asarray(value), np.asarray(number))}",
        "Until it is mended, trust the number.",
    )


def _evidence(value: np.ndarray, number: np.ndarray) -> str:
    """Where a formula's value and the tape's number differ most; their shapes, where these differ."""
    if value.shape != number.shape:
        return f"Its value has the shape {value.shape}, the number {number.shape}."
    apart = np.nan_to_num(np.abs(value * 1.0 - number * 1.0))
    at = entry_at(apart.argmax(), apart.shape) if apart.size else ()
    where = f" at entry {', '.join(map(str, at))}" if at else ""
    return f"Compared{where}: {value[at]:.9g} against {number[at]:.9g}." if apart.size else ""
