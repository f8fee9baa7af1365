"""Products of arrays over indices: one index summed after the other, first that of the smallest product.

The idea to hold: a formula's arrays are small and its products long. NumPy's einsum forms such a product over all its
indices at once, or looks for an order longer than the product takes; here the order is found while multiplying.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from ._node import Indices

Part = tuple[np.ndarray, Indices]


def contract(parts: Iterable[Part], rank: int) -> np.ndarray:
    """The sum of products of arrays over the indices from ``rank`` on; the others are the result's axes, in order."""
    groups: dict[Indices, np.ndarray] = {}  # arrays by their indices, which ascend
    for array, labels in parts:
        _put(groups, *_sorted(array, labels))
    sizes = {k: n for labels, a in groups.items() for k, n in zip(labels, a.shape, strict=True)}
    while True:
        best: Any = None
        for k in {k for labels in groups for k in labels if k >= rank}:
            holders = [labels for labels in groups if k in labels]
            cost = prod([sizes[i] for i in set().union(*holders)])
            if best is None or (cost, k) < best[:2]:
                best = cost, k, holders
        if best is None:
            break
        _, k, holders = best
        if len(holders) == 1:
            (labels,) = holders
            _put(groups, groups.pop(labels).sum(labels.index(k)), tuple([i for i in labels if i != k]))
            continue
        first, second = sorted(holders, key=lambda labels: prod([sizes[i] for i in labels]))[:2]
        a, b = groups.pop(first), groups.pop(second)
        kept = {i for labels in groups for i in labels}
        _put(groups, *_product(a, first, b, second, {i for i in (*first, *second) if i < rank or i in kept}))
    out = tuple(range(rank))
    result: Any = None
    for labels, array in sorted(groups.items(), key=lambda item: len(item[0])):
        factor = stretched(array, labels, out)
        result = factor if result is None else result * factor
    return np.asarray(result)


def _put(groups: dict[Indices, np.ndarray], array: np.ndarray, labels: Indices) -> None:
    known = groups.get(labels)
    groups[labels] = array if known is None else known * array


def _sorted(array: np.ndarray, labels: Indices) -> Part:
    """An array with its indices ascending, each once: one that occurs twice is a diagonal."""
    order = sorted(labels)
    if len(set(order)) < len(order):
        order = sorted(set(order))
        return np.einsum(array, list(labels), order), tuple(order)
    return (array if order == list(labels) else array.transpose([labels.index(k) for k in order])), tuple(order)


def _product(a: np.ndarray, s: Indices, b: np.ndarray, t: Indices, kept: set[int]) -> Part:
    """The product of two arrays with what is not ``kept`` summed, as one (stacked) product of matrices."""
    inner = [k for k in s if k in t and k not in kept]
    if not inner:
        labels = tuple(sorted({*s, *t}))
        return stretched(a, s, labels) * stretched(b, t, labels), labels
    stack = [k for k in s if k in t and k in kept]
    left, right = [k for k in s if k not in t], [k for k in t if k not in s]
    a = a.transpose([s.index(k) for k in (*stack, *left, *inner)])
    b = b.transpose([t.index(k) for k in (*stack, *inner, *right)])
    if stack or len(left) > 1 or len(inner) > 1 or len(right) > 1:
        n, m = len(stack), len(inner)
        shape = (*a.shape[: a.ndim - m], *b.shape[n + m :])
        rows, columns = a.shape[n : a.ndim - m], b.shape[n + m :]
        a = a.reshape((*a.shape[:n], prod(rows), prod(a.shape[a.ndim - m :])))
        b = b.reshape((*b.shape[:n], a.shape[-1], prod(columns)))
        product = np.matmul(a, b).reshape(shape)
    else:
        product = np.asarray(a.dot(b))
    return _sorted(product, (*stack, *left, *right))


def stretched(array: np.ndarray, labels: Indices, out: Indices) -> np.ndarray:
    """An array with its axes where ``out`` has their labels, of size 1 where it has none."""
    if labels == out:
        return array
    order = sorted(range(len(labels)), key=lambda k: out.index(labels[k]))
    array = array.transpose(order)
    places = [labels[k] for k in order]
    return array.reshape([array.shape[places.index(k)] if k in places else 1 for k in out])
