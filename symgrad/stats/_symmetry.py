"""Symmetries of a function of parameters: why its Hessian is flat along a direction, where that can be shown.

The idea to hold: f does not change under a one-parameter group of shifts, scalings or linear maps if its gradient is
orthogonal to the group's tangent, at every point. At as many random points as there are candidates that is a linear
system, whose null space has all groups of the family. What it finds is said only if f is the same along finite ways of
the group, too.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import expm, null_space

from .._limits import bound
from ._likelihood import Likelihood

MOST = bound(120)
"""Parameters, and candidates, up to which symmetries are looked for: as many gradients."""

PATIENCE = bound(5)
"""Seconds that the gradients may take."""

SIDE = bound(6)
"""Rows or columns of a matrix up to which linear maps of them are candidates."""

_FLAT, _EXACT, _ALIKE = 1e-8, 1e-10, 1e-6
_WAYS = (0.7, -1.3)
"""How far along a group f is looked at, in its own units."""


class Symmetry(NamedTuple):
    """What leaves f as it is, as words that follow 'f stays the same when', what to hold fixed, and its tangents."""

    what: str
    step: str
    tangents: np.ndarray


class ParameterArrays:
    """The arrays of a flat vector of parameters, and what slices of them are called."""

    def __init__(self, model: Likelihood) -> None:
        self.labels, self.shapes = model.labels, model.shapes
        self.names = [".".join(map(str, path)) if path else "x" for path in model.skeleton.names]
        self.starts = model.skeleton._starts

    def array(self, flat: np.ndarray, k: int) -> np.ndarray:
        """One of the arrays."""
        return flat[self.starts[k] : self.starts[k + 1]].reshape(self.shapes[k])

    def weights(self, vector: np.ndarray) -> dict[float, list[str]]:
        """Which entries of a vector have one weight: arrays as a whole, their rows and columns, or single ones."""
        found: dict[float, list[str]] = {}
        for k, name in enumerate(self.names):
            part = np.round(self.array(vector, k), 6)
            for place, label in self._slices(part, name, self.starts[k]):
                weight = float(part[place].flat[0]) if np.ndim(part[place]) else float(part[place])
                if weight:
                    found.setdefault(weight, []).append(label)
        return found

    def _slices(self, part: np.ndarray, name: str, start: int) -> list[tuple[Any, str]]:
        if part.ndim and part.size > 1 and np.ptp(part) == 0:
            return [((...,), f"all of {name}")]
        if part.ndim == 2:
            if not np.ptp(part, axis=0).any():
                return [((slice(None), j), f"all of {name}[:, {j}]") for j in range(part.shape[1])]
            if not np.ptp(part, axis=1).any():
                return [((i,), f"all of {name}[{i}]") for i in range(part.shape[0])]
        places = list(np.ndindex(part.shape))
        return [(place, self.labels[start + n]) for n, place in enumerate(places)]


class Samples(NamedTuple):
    """Random points near the estimates, in units in which they vary, with values and gradients."""

    points: np.ndarray
    values: np.ndarray
    gradients: np.ndarray
    units: np.ndarray


def _can_be_sampled(model: Likelihood, flat: np.ndarray, hessian: np.ndarray) -> bool:
    return type(model) is Likelihood and flat.size <= MOST and bool(np.isfinite(hessian).all())


def symmetries(model: Likelihood, flat: np.ndarray, hessian: np.ndarray) -> list[Symmetry]:
    """The symmetries of a function that make its Hessian flat at a point; none where none can be shown.

    Cost: a gradient for each parameter, at most some hundred.
    """
    if not _can_be_sampled(model, flat, hessian):
        return []
    parts = ParameterArrays(model)
    families = _families_of_maps(parts)
    seen = _samples(model, flat, hessian, max([flat.size, *map(len, families)]) + 5)
    if not len(seen.points):
        return []
    every = [_shifts(model, parts, seen, flat)]
    every += [_matrices(model, parts, seen, flat, maps) for maps in families]
    every.append(_scalings(model, parts, seen, flat))
    found: list[Symmetry] = []
    for symmetry in itertools.chain(*every):
        before = np.column_stack([np.zeros(flat.size), *[s.tangents for s in found]])
        if _rank(np.column_stack([before, symmetry.tangents])) > _rank(before):
            found.append(symmetry)
    return found


def inverse_across(hessian: np.ndarray, found: Sequence[Symmetry]) -> np.ndarray:
    """The inverse of a Hessian in the directions across those in which f stays the same."""
    across, form = _across(hessian, found)
    return across @ np.linalg.pinv(form, 1e-10, True) @ across.T


def leaves_a_minimum(hessian: np.ndarray, found: Sequence[Symmetry]) -> bool:
    """Whether f has a minimum across all directions in which it stays the same."""
    form = _across(hessian, found)[1]
    return not form.size or least_eigenvalue(form) > _FLAT


def _across(hessian: np.ndarray, found: Sequence[Symmetry]) -> tuple[np.ndarray, np.ndarray]:
    """The directions across those in which f stays the same, as columns, and the Hessian in them."""
    across = null_space(np.column_stack([s.tangents for s in found]).T)
    return across, across.T @ hessian @ across


def least_eigenvalue(form: np.ndarray) -> float:
    """The least eigenvalue of a matrix, scaled to a diagonal of ones."""
    scale = 1 / np.sqrt(np.maximum(np.abs(np.diagonal(form)), 1e-300))
    return float(np.linalg.eigvalsh(form * scale * scale[:, None])[0])


def _samples(model: Likelihood, flat: np.ndarray, hessian: np.ndarray, count: int) -> Samples:
    rng = np.random.default_rng(0)
    curved = np.diagonal(hessian)
    with np.errstate(all="ignore"):
        own = np.where(curved > 0, 1 / np.sqrt(np.abs(curved)), 1.0)
    units = 0.3 * np.where(np.abs(flat) > 1e-6, np.abs(flat), np.minimum(own, 1.0))
    points, values, gradients = [], [], []
    began = time.perf_counter()
    for k in range(3 * count):
        if (time.perf_counter() - began) * count > PATIENCE * max(k, 1):  # all of them would take longer
            return Samples(np.zeros((0, flat.size)), np.zeros(0), np.zeros((0, flat.size)), units)
        point = flat + units * rng.uniform(-1, 1, flat.size)
        try:
            value, gradient = model.value_and_gradient(point)
        except Exception:  # whatever f does where it is not asked for
            continue
        if np.isfinite(value) and np.isfinite(gradient).all() and gradient.any():
            points.append(point)
            values.append(value)
            gradients.append(gradient.copy())
        if len(points) == count:
            break
    return Samples(np.array(points), np.array(values), np.array(gradients), units)


def _null(products: np.ndarray) -> np.ndarray:
    """The null space of a matrix with a row for each point, in columns in reduced form: each has an entry 1."""
    count, size = products.shape
    if not size or count < size:
        return np.zeros((size, 0))
    scale = np.maximum(np.abs(products).max(0), 1e-300)
    rows = products / scale
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)[:, None]
    _, singular, right = np.linalg.svd(rows)
    basis = right[int((singular > _FLAT * singular[0]).sum()) :].T / scale[:, None]
    return _reduced(basis)


def _reduced(basis: np.ndarray) -> np.ndarray:
    """The same space with columns in reduced echelon form."""
    rest, done = (basis / np.maximum(np.abs(basis).max(0), 1e-300)).copy(), 0
    for i in range(len(rest)):
        if done == rest.shape[1]:
            break
        j = done + int(np.argmax(np.abs(rest[i, done:])))
        if abs(rest[i, j]) < _ALIKE:
            continue
        rest[:, [done, j]] = rest[:, [j, done]]
        rest[:, done] /= rest[i, done]
        for other in range(rest.shape[1]):
            if other != done:
                rest[:, other] -= rest[i, other] * rest[:, done]
        done += 1
    return np.where(np.abs(rest) < _ALIKE, 0.0, rest)


def _rank(matrix: np.ndarray) -> int:
    sizes = np.maximum(np.linalg.norm(matrix, axis=0), 1e-300)
    return int(np.linalg.matrix_rank(matrix / sizes, tol=_ALIKE))


def _holds(model: Likelihood, seen: Samples, flat: np.ndarray, move: Callable[[np.ndarray, float], np.ndarray]) -> bool:
    """Whether f is the same along finite ways of a group, from the estimates and from another point."""
    size = np.abs(seen.values).max() + np.ptp(seen.values)
    for point in (flat, seen.points[0], seen.points[-1]):
        start = _value(model, point)
        if not all(abs(_value(model, move(point, way)) - start) <= _EXACT * size for way in _WAYS):
            return False
    return True


def _value(model: Likelihood, point: np.ndarray) -> float:
    """The value of f; nan where it has none."""
    try:
        return model.value(point)
    except Exception:
        return float("nan")


# ------------------------------------------------------------------------------------------------- families of groups


def _shifts(model: Likelihood, parts: ParameterArrays, seen: Samples, flat: np.ndarray) -> Iterator[Symmetry]:
    for v in _null(seen.gradients).T:
        far = max(1.0, float((seen.units[v != 0] / np.abs(v[v != 0])).max()))
        v = np.round(v, 4)  # what is said is what is tried
        if _holds(model, seen, flat, partial(_shift, far * v)):
            first = parts.labels[int(np.flatnonzero(v)[0])]
            yield Symmetry(_shifted(parts.weights(v)), f"{first} at 0", v[:, None])


def _shift(vector: np.ndarray, flat: np.ndarray, way: float) -> np.ndarray:
    return flat + way * vector


def _shifted(weights: dict[float, list[str]]) -> str:
    if len(weights) == 1 and len(labels := next(iter(weights.values()))) == 1 and not labels[0].startswith("all of"):
        return f"{labels[0]} changes: f does not depend on it"
    words: list[str] = []
    for weight, labels in weights.items():
        number = ("a number is" if not words else "it is") if abs(weight) == 1 else f"{abs(weight):.4g} times it is"
        if abs(weight) != 1 and not words:
            number = f"{abs(weight):.4g} times a number is"
        words.append(f"{number} {'added to' if weight > 0 else 'taken from'} {' and '.join(labels)}")
    return " and ".join(words)


def _scalings(model: Likelihood, parts: ParameterArrays, seen: Samples, flat: np.ndarray) -> Iterator[Symmetry]:
    sizes = np.abs(seen.gradients * seen.units).max(0)
    used = np.flatnonzero(sizes > _EXACT * sizes.max())
    for reduced in _null((seen.gradients * seen.points)[:, used]).T:
        w = np.zeros(flat.size)
        w[used] = np.round(reduced, 4)
        if _holds(model, seen, flat, partial(_scale, w)):
            far = int(np.argmax(np.abs(flat) * (w != 0)))  # its sign stays
            step = f"{parts.labels[far]} at {'1' if flat[far] > 0 else '−1'}"
            yield Symmetry(_scaled(parts.weights(w)), step, (w * flat)[:, None])


def _scale(powers: np.ndarray, flat: np.ndarray, way: float) -> np.ndarray:
    return flat * np.exp(way * powers)


def _scaled(weights: dict[float, list[str]]) -> str:
    words: list[str] = []
    for weight, labels in weights.items():
        be = "are" if len(labels) > 1 or labels[0].startswith("all of") else "is"
        by = f"{'multiplied' if weight > 0 else 'divided'} by {'it' if words else 'a number'}"
        power = "" if abs(weight) == 1 else f" to the power {abs(weight):.4g}"
        words.append(f"{' and '.join(labels)} {be} {by}{power}")
    return " and ".join(words)


class LinearMap(NamedTuple):
    """A linear map of the rows (by a matrix from the right) or columns (from the left) of an array: entry (i, j)."""

    part: int
    right: bool
    i: int
    j: int

    def tangent(self, parts: ParameterArrays, flat: np.ndarray) -> np.ndarray:
        """How the flat vector moves."""
        moved = np.zeros(flat.size)
        array, to = parts.array(flat, self.part), parts.array(moved, self.part)
        if self.right:
            to[:, self.j] = array[:, self.i]
        else:
            to[self.i] = array[self.j]
        return moved


def _families_of_maps(parts: ParameterArrays) -> list[list[LinearMap]]:
    """Linear maps of one side of an array, and of sides of two arrays that are as long together."""
    sides = [(k, right, shape[1 if right else 0]) for k, shape in enumerate(parts.shapes) if len(shape) == 2
             for right in (True, False)]  # fmt: skip
    sides = [side for side in sides if 2 <= side[2] <= SIDE]
    pairs = [(a, b) for a, b in itertools.combinations(sides, 2) if a[2] == b[2] and a[0] != b[0]]
    groups = [*[(side,) for side in sides], *pairs]
    return [
        [LinearMap(k, right, i, j) for k, right, n in group for i in range(n) for j in range(n)] for group in groups
    ]


def _matrices(
    model: Likelihood, parts: ParameterArrays, seen: Samples, flat: np.ndarray, maps: Sequence[LinearMap]
) -> Iterator[Symmetry]:
    pairs = zip(seen.points, seen.gradients, strict=True)
    basis = _null(np.array([[g @ m.tangent(parts, x) for m in maps] for x, g in pairs]))
    tangents = np.array([m.tangent(parts, flat) for m in maps]).T
    kept = [c for c in basis.T if _holds(model, seen, flat, partial(_mapped, parts, maps, c))]
    if len(kept) == basis.shape[1] and kept and (named := _named(parts, maps, kept)):
        yield Symmetry(*named, tangents @ np.array(kept).T)


def _mapped(
    parts: ParameterArrays, maps: Sequence[LinearMap], weights: np.ndarray, flat: np.ndarray, way: float
) -> np.ndarray:
    """The flat vector moved along the group of a combination of maps."""
    moved = flat.copy()
    for (k, right), matrix in _generators(parts, maps, weights).items():
        array = parts.array(moved, k)
        array[...] = array @ expm(way * matrix) if right else expm(way * matrix) @ array
    return moved


def _generators(
    parts: ParameterArrays, maps: Sequence[LinearMap], weights: np.ndarray
) -> dict[tuple[int, bool], np.ndarray]:
    found: dict[tuple[int, bool], np.ndarray] = {}
    for m, weight in zip(maps, weights, strict=True):
        side = parts.shapes[m.part][1 if m.right else 0]
        found.setdefault((m.part, m.right), np.zeros((side, side)))[m.i, m.j] = weight
    return {key: matrix for key, matrix in found.items() if matrix.any()}


def _named(
    parts: ParameterArrays, maps: Sequence[LinearMap], combinations: Sequence[np.ndarray]
) -> tuple[str, str] | None:
    """What a group of linear maps is called, and what holds it: all rotations, or all invertible matrices."""
    each = [_generators(parts, maps, c) for c in combinations]
    places = list(dict.fromkeys(place for one in each for place in one))
    (first, right), shape = places[0], parts.shapes[places[0][0]]
    side, across, name = shape[1 if right else 0], shape[0 if right else 1], parts.names[first]
    turning = all(np.allclose(m, -m.T, atol=_ALIKE) for one in each for m in one.values())
    if turning and len(each) == side * (side - 1) // 2:
        whole = [f"the {'rows' if r else 'columns'} of {parts.names[k]}" for k, r in places]
        skipped = 1 if across > side - 1 else 0  # the first may stand at the origin
        corner = [(i + skipped, j) for i in range(side - 1) for j in range(i + 1, side)]
        held = [f"{name}[{i}, {j}]" if right else f"{name}[{j}, {i}]" for i, j in corner]
        return f"{' and '.join(whole)} are rotated{' together' * (len(whole) > 1)}", f"{', '.join(held)} at 0"
    if len(each) == side * side and len(places) == 2:
        other = parts.names[places[1][0]]
        held = [f"{name}[:{side}]" if right else f"{name}[:, :{side}]"]
        return (
            f"{name} is multiplied by an invertible matrix and {other} by what undoes it",
            f"{held[0]} at the unit matrix",
        )
    return None


# ------------------------------------------------------------------------------------------------- labels


def exchanged(model: Likelihood, flat: np.ndarray, hessian: np.ndarray) -> str:
    """Two labels that are equal at a point, whose exchange leaves f as it is, and which f has no minimum between."""
    if not _can_be_sampled(model, flat, hessian):
        return ""
    parts = ParameterArrays(model)
    seen = _samples(model, flat, hessian, 3)
    direction, close = np.linalg.eigh(hessian)[1][:, 0], _ALIKE * max(1.0, np.abs(flat).max())
    for size in sorted({side for shape in parts.shapes for side in shape if 2 <= side <= SIDE}):
        names = [parts.names[k] for k, shape in enumerate(parts.shapes) if size in shape]
        for i, j in itertools.combinations(range(size), 2):
            order = _exchange(parts, flat.size, size, i, j)
            here = np.abs(flat[order] - flat).max() <= close and np.abs(direction[order] + direction).max() <= 1e-3
            if here and _stays(model, seen, order):
                return f"f stays the same when {i} and {j} of {' and '.join(names)} change places; here they are equal."
    return ""


def _stays(model: Likelihood, seen: Samples, order: np.ndarray) -> bool:
    size = np.abs(seen.values).max(initial=0) + np.ptp(seen.values) if len(seen.values) else np.nan
    moved = [_value(model, x[order]) for x in seen.points]
    return bool(np.all(np.abs(np.array(moved) - seen.values) <= _EXACT * size))


def _exchange(parts: ParameterArrays, count: int, size: int, i: int, j: int) -> np.ndarray:
    """The places of a flat vector after two entries of every axis of this length have changed places."""
    order = np.arange(count)
    for k, shape in enumerate(parts.shapes):
        places = parts.array(order, k)
        for axis in [a for a, side in enumerate(shape) if side == size]:
            swapped = np.take(places, [{i: j, j: i}.get(n, n) for n in range(size)], axis)
            places[...] = swapped
    return order
