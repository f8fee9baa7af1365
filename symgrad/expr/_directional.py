"""The value of a term along directions: some of its axes contracted with given arrays.

The idea to hold: the axes of a derivative mostly go through a product in one factor. So they are contracted there, and
further down, and no array of all the axes of a Hessian is formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .._postorder import postorder
from ._evaluate import evaluate, evaluated, product, summed
from ._node import Expr, Indices

Open = tuple[Indices, ...]
"""Per direction the axes of a term that are contracted with it; none where the term does not have them."""


def evaluate_along(root: Expr, values: dict[str, Any], directions: Sequence[tuple[np.ndarray, Indices]]) -> np.ndarray:
    """The value of a term, axes contracted with arrays: pairs of an array and the axes that are its own."""
    if not directions:
        return evaluate(root, values)
    arrays = [array for array, _ in directions]
    whole = _Contracted(root, tuple([axes for _, axes in directions]), {})
    parts = list(postorder(whole))
    results = evaluated([p.term for p in parts if not any(p.open)], values)
    for part in parts:
        if any(part.open):
            results[part.key] = part.value(results, arrays)
    return np.asarray(results[whole.key])


class _Contracted:
    """A term some of whose axes are contracted."""

    def __init__(self, term: Expr, axes: Open, known: dict[Any, _Contracted]) -> None:
        self.term, self.open, self.known = term, axes, known
        self.key: Any = (id(term), axes) if any(axes) else id(term)

    @cached_property
    def children(self) -> tuple[_Contracted, ...]:
        """What it is made of: the operands, with the axes that are contracted in them; of another term that term."""
        return tuple([self._known(t, axes) for t, _, axes in self.operands]) if any(self.open) else ()

    def _known(self, term: Expr, axes: Open) -> _Contracted:
        made = _Contracted(term, axes, self.known)
        return self.known.setdefault(made.key, made)

    @cached_property
    def operands(self) -> list[tuple[Expr, Indices, Open]]:
        """Each operand, where it is read, and what is contracted in it."""
        term: Any = self.term
        if term.kind == "add":
            return [(t, s, tuple([_within(axes, s) for axes in self.open])) for _, t, s in term.terms]
        if term.kind != "ein":
            return [(term, tuple(range(term.rank)), ((),) * len(self.open))]
        wanted = {k: n for n, axes in enumerate(self.open) for k in axes}
        read = [{wanted[k] for k in s if k in wanted} for _, s in term.factors]  # which directions' axes a factor has
        often = [n for directions in read for n in directions]
        return [
            (f, s, tuple([_within(axes, s) if n in here and often.count(n) == 1 and f.kind != "lin" else ()
                          for n, axes in enumerate(self.open)]))
            for (f, s), here in zip(term.factors, read, strict=True)
        ]  # fmt: skip

    def value(self, results: dict[Any, Any], arrays: list[np.ndarray]) -> np.ndarray:
        """The array that is left: the axes of the term that are not contracted, in order."""
        term: Any = self.term
        gone = {k for axes in self.open for k in axes}
        rank = term.rank - len(gone)
        inner = range(term.rank, len(term.dims)) if term.kind == "ein" else ()
        place = {k: i for i, k in enumerate([*[k for k in range(term.rank) if k not in gone], *gone, *inner])}
        parts = []
        for child, (t, s, inside) in zip(self.children, self.operands, strict=True):
            closed = {i for axes in inside for i in axes}
            labels = tuple([place[k] for i, k in enumerate(s) if i not in closed])
            array = None if t.kind == "lin" and not closed else results[child.key]
            parts.append((None if closed else t, array, labels))
        open_in = [inside for _, _, inside in self.operands]
        if term.kind == "add":
            pieces = [_piece([p, *self._left([o], arrays, place)], rank, results) for p, o in zip(parts, open_in)]
            return summed([(c, *piece) for (c, _, _), piece in zip(term.terms, pieces, strict=True)], rank)
        coef = term.coef if term.kind == "ein" else 1
        return product(coef, parts + self._left(open_in, arrays, place), rank, results)

    def _left(self, taken: list[Open], arrays: list[np.ndarray], place: dict[int, int]) -> list[Any]:
        """The directions that none of some operands has taken, as factors."""
        return [
            (None, array, tuple([place[k] for k in axes]))
            for n, (array, axes) in enumerate(zip(arrays, self.open, strict=True))
            if axes and not any(inside[n] for inside in taken)
        ]


def _within(axes: Indices, labels: Indices) -> Indices:
    """Where an operand has axes; empty if it does not have all of them, or one twice."""
    return tuple([labels.index(k) for k in axes]) if all(labels.count(k) == 1 for k in axes) else ()


def _piece(factors: list[Any], rank: int, results: Any) -> tuple[np.ndarray, Indices]:
    """A term of a sum, contracted with directions of which it does not have the axes, and the axes that are left."""
    every = sorted({k for _, _, s in factors for k in s})
    kept = tuple([k for k in every if k < rank])
    names = {k: i for i, k in enumerate(every)}
    factors = [(f, a, tuple([names[k] for k in s])) for f, a, s in factors]
    return product(1, factors, len(kept), results), kept
