"""Products of arrays over indices: one index summed after the other, first that of the smallest product.

The idea to hold: a formula's arrays are small and its products long. NumPy's einsum forms such a product over all its
indices at once, or looks for an order longer than the product takes, anew each time; here the steps are remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from .. import _limits
from ._node import Indices

Step = tuple[Any, int, int, Any]
"""A function of two arrays and how, the places of the arrays; the result takes the first one's."""


def contract(parts: Sequence[tuple[np.ndarray, Indices]], rank: int) -> np.ndarray:
    """The sum of products of arrays over the indices from ``rank`` on; the others are the result's axes, in order."""
    arrays = [a for a, _ in parts]
    place = 0
    for step, place, other, how in _steps(tuple([s for _, s in parts]), tuple([a.shape for a in arrays]), rank):
        arrays[place] = step(arrays[place], arrays[other], how)
    return np.asarray(arrays[place])


def stretched(array: np.ndarray, labels: Indices, out: Indices) -> np.ndarray:
    """An array with its axes where ``out`` has their labels, of size 1 where it has none; a label twice: a diagonal."""
    if labels == out:
        return array
    once = tuple(sorted(set(labels)))
    if len(once) < len(labels):
        array, labels = _diagonal(array, array, (list(labels), list(once))), once
    return np.asarray(_spread(array, array, _stretch(labels, out)))


@lru_cache(maxsize=_limits.CONTRACTIONS)
def _stretch(labels: Indices, out: Indices) -> tuple[Any, Any]:
    order = sorted(range(len(labels)), key=lambda k: out.index(labels[k]))
    spread = tuple([slice(None) if k in labels else None for k in out])
    return (None if order == list(range(len(order))) else order), (... if None not in spread else spread)


@lru_cache(maxsize=_limits.CONTRACTIONS)
def _steps(labels: tuple[Indices, ...], shapes: tuple[tuple[int, ...], ...], rank: int) -> list[Step]:
    """The steps of a product: what is read at the same indices is one array, then index after index goes."""
    steps: list[Step] = []
    sizes = {k: n for s, shape in zip(labels, shapes, strict=True) for k, n in zip(s, shape, strict=True)}
    groups: dict[Indices, int] = {}  # places by indices, which ascend

    def put(place: int, s: Indices) -> None:
        order = tuple(sorted(set(s)))
        if len(order) < len(s):
            steps.append((_diagonal, place, place, (list(s), list(order))))
        elif order != s:
            steps.append((_transposed, place, place, [s.index(k) for k in order]))
        known = groups.setdefault(order, place)
        if known != place:
            steps.append((_times, known, place, (None, None)))

    for place, s in enumerate(labels):
        put(place, s)
    while summed := {k for s in groups for k in s if k >= rank}:
        holders = {k: [s for s in groups if k in s] for k in summed}
        k = min(summed, key=lambda k: (prod([sizes[i] for i in set().union(*holders[k])]), k))
        first, *others = sorted(holders[k], key=lambda s: (prod([sizes[i] for i in s]), s))
        place = groups.pop(first)
        if not others:
            steps.append((_sum, place, place, first.index(k)))
            put(place, tuple([i for i in first if i != k]))
            continue
        second = groups.pop(others[0])
        kept = {i for s in groups for i in s} | set(range(rank))
        how, made = _product(first, others[0], kept, sizes)
        steps.append((*how[:1], place, second, how[1]))
        put(place, made)
    (s, place), *rest = sorted(groups.items(), key=lambda item: len(item[0]))
    every = tuple(range(rank))
    steps.append((_spread, place, place, _stretch(s, every)))
    return steps + [(_times, place, other, (None, _stretch(t, every))) for t, other in rest]


def _product(s: Indices, t: Indices, kept: set[int], sizes: dict[int, int]) -> tuple[tuple[Any, Any], Indices]:
    """How two arrays are multiplied, with what is not ``kept`` summed, and the indices of the result."""
    inner = [k for k in s if k in t and k not in kept]
    if not inner:
        labels = tuple(sorted({*s, *t}))
        return (_times, (_stretch(s, labels), _stretch(t, labels))), labels
    stack = [k for k in s if k in t and k in kept]
    left, right = [k for k in s if k not in t], [k for k in t if k not in s]
    orders = [s.index(k) for k in (*stack, *left, *inner)], [t.index(k) for k in (*stack, *inner, *right)]
    made = (*stack, *left, *right)
    if not stack and len(inner) == 1 and len(left) < 2 and len(right) < 2:
        return (_dot, orders), made
    lead, (n, m, k) = [sizes[i] for i in stack], [prod([sizes[i] for i in part]) for part in (left, inner, right)]
    return (_matmul, (*orders, (*lead, n, m), (*lead, m, k), [sizes[i] for i in made])), made


def _diagonal(a: Any, _: Any, how: Any) -> Any:
    return np.einsum(a, *how)


def _transposed(a: Any, _: Any, order: Any) -> Any:
    return a.transpose(order)


def _sum(a: Any, _: Any, axis: int) -> Any:
    return a.sum(axis)


def _spread(a: Any, _: Any, how: Any) -> Any:
    order, spread = how
    return (a if order is None else a.transpose(order))[spread]


def _times(a: Any, b: Any, how: Any) -> Any:
    first, second = how
    return (a if first is None else _spread(a, a, first)) * (b if second is None else _spread(b, b, second))


def _dot(a: Any, b: Any, orders: Any) -> Any:
    return np.asarray(a.transpose(orders[0]).dot(b.transpose(orders[1])))


def _matmul(a: Any, b: Any, how: Any) -> Any:
    first, second, rows, columns, shape = how
    return np.matmul(a.transpose(first).reshape(rows), b.transpose(second).reshape(columns)).reshape(shape)
