"""Parts of arrays: ``x[0]``, ``x[1:]``, ``A[:, 0]``, ``x[[0, 2]]``, ``x[:, None]``, and the sizes of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..syntax import Node
from ._shapes import Reading, Run, Shape
from ._sizes import Dim


def index(reading: Reading, node: Node, a: Shape) -> tuple[Shape, Run]:
    """``x[0]``, ``x[1:]``, ``A[:, 0]``, and one of a pair."""
    items = node.value
    owner = node.children[0]
    if a.parts:
        if len(items) != 1 or not isinstance(items[0], int) or not -len(a.parts) <= items[0] < len(a.parts):
            raise reading.problem(node, f"{reading.source(owner)} has {len(a.parts)} parts, from 0 on")
        return a.parts[items[0]], lambda value: value[items[0]]
    if len(items) - items.count(None) > a.rank:
        described = reading.described(a)
        raise reading.conflict(node, f"{reading.source(owner)} is {described}, and {len(items)} indices are given")
    if sum(isinstance(item, list) for item in items) > 1:
        raise reading.problem(node, "several lists of indices pick entries one by one", "Write one of them at a time.")
    dims: list[int | Dim] = []
    left = iter(a.dims)
    for item in items:
        dim = 1 if item is None else next(left)
        if item is None:
            dims.append(1)
        elif isinstance(item, slice):
            dims.append(_sliced(reading, node, dim, item))
        elif isinstance(item, list):
            for place in item:
                reading.require_place(node, dim, place)
            dims.append(len(item))
        else:
            reading.require_place(node, dim, item)
    dims += left
    key: Any = tuple(np.array(i) if isinstance(i, list) else i for i in items)
    key = key if len(key) > 1 else key[0]
    return Shape(tuple(dims), a.row and len(dims) == 1), lambda value: value[key]


def _sliced(reading: Reading, node: Node, dim: int | Dim, part: slice) -> int | Dim:
    """How many entries a slice has, where that follows."""
    dim = reading.sizes.root(dim)
    if isinstance(dim, int):
        return len(range(dim)[part])
    start, stop = part.start or 0, part.stop
    unknown = reading.conflict(node, "how many entries that are depends on the size", node.children[0])
    if part.step not in (None, 1) or (start < 0 and stop is not None and stop >= 0):
        raise unknown
    if start < 0:
        return max(0, (stop or 0) - start)
    if stop is None or stop < 0:
        return reading.sizes.plus(dim, (stop or 0) - start)
    return max(0, stop - start)


def method(reading: Reading, node: Node, a: Shape) -> tuple[Shape, Run]:
    """``X.shape``: its sizes, as numbers."""
    dims = a.dims
    if not dims:
        raise reading.problem(node, f"{reading.source(node.children[0])} is a number")
    return Shape(parts=tuple(_count(reading, d) for d in dims)), lambda value: [reading.count(node, d) for d in dims]


def _count(reading: Reading, dim: int | Dim) -> Shape:
    root = reading.sizes.root(dim)
    return Shape(number=root if isinstance(root, int) else None)
