"""Second derivatives by the tape: the whole matrix column by column, or its product with a vector.

The idea to hold: this always works, keeps no graph of the second order, and is the truth that programs are compared
with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import GradientError, refusal
from .._progress import Task
from ..core import Tensor, edge, wrap
from ..sweep.directions import NoForwardRule, Push, many_tangents
from ._jacobian import chunks, units
from ._memory import require_memory
from ._recurrences import rolled
from ._tree import pieces
from ._variables import pull

TAPE = "second derivatives by the tape"


def product(output: Tensor, tensors: list[Tensor], v: np.ndarray) -> np.ndarray:
    """The matrix times a flat vector, by the tape."""
    return through(pull([output], tensors, [None], True, True), tensors, v)


def through(first: list[Any], tensors: list[Tensor], v: np.ndarray) -> np.ndarray:
    """The matrix times a flat vector, by a sweep through the recorded gradient."""
    live, seeds = [], []
    for g, part in zip(first, pieces(v, [t._data.shape for t in tensors]), strict=True):
        if g is not None and g._node is not None:
            live.append(g)
            seeds.append(wrap(np.asarray(part, g._data.dtype)))
    found = pull(live, tensors, seeds, False, True) if live else [None] * len(tensors)
    parts = [np.zeros(t._data.size) if p is None else p._data.reshape(-1) for p, t in zip(found, tensors, strict=True)]
    return np.concatenate(parts) if parts else np.zeros(0)


def by_tape(output: Tensor, tensors: list[Tensor], chunk: int | None = None) -> np.ndarray:
    """The whole matrix by the tape, keeping no graph of the second order.

    The gradient is recorded, and tangents are pushed through it, ``chunk`` columns at a time (if it is None, as many as
    keep the arrays on the way small); where there are no forward rules, one sweep per row.
    """
    output = rolled(output)
    total = sum(t._data.size for t in tensors)
    dtype = np.result_type(*[t._data.dtype for t in tensors])
    require_memory(total, dtype)
    matrix = np.zeros((total, total), dtype)
    first = pull([output], tensors, [None], True, True)
    roots = [None if g is None else edge(g) for g in first]
    if not any(root is not None for root in roots):
        return matrix
    refused = refusal.get()
    try:
        _by_columns(matrix, Push(roots, [edge(t) for t in tensors]), tensors, chunk)
    except (NoForwardRule, GradientError):  # vectors of equal eigenvalues turn; by rows it shows whether that matters
        refusal.set(refused)
        matrix[:] = 0
        _by_rows(matrix, first, tensors)
    with np.errstate(all="ignore"):
        return np.asarray(0.5 * (matrix + matrix.T))


def _by_columns(matrix: np.ndarray, push: Push, tensors: list[Tensor], chunk: int | None) -> None:
    sizes = [t._data.size for t in tensors]
    starts = np.cumsum([0, *sizes])
    largest = max(push.largest, *sizes)
    steps = [(k, chosen) for k, t in enumerate(tensors) for chosen in chunks(t._data, largest, chunk)]
    with Task(TAPE, None, len(steps), "chunks of columns") as task:
        for k, chosen in task.each(steps):
            tangents: list[Any] = [None] * len(tensors)
            tangents[k] = units(tensors[k]._data, chosen)
            rows = slice(starts[k] + chosen.start, starts[k] + chosen.stop)
            for j, found in enumerate(push(tangents, False, many_tangents)):
                if found is not None:
                    matrix[rows, starts[j] : starts[j + 1]] = np.reshape(found, (len(chosen), sizes[j]))


def _by_rows(matrix: np.ndarray, first: list[Any], tensors: list[Tensor]) -> None:
    rows: list[Any] = []
    start = 0
    for g, t in zip(first, tensors, strict=True):
        if g is not None and g._node is not None:
            rows += [(start + i, g, i) for i in range(t._data.size)]
        start += t._data.size
    with Task(TAPE, None, len(rows), "rows") as task:
        for row, g, i in task.each(rows):
            unit = np.zeros(g._data.shape, g._data.dtype)
            unit.reshape(-1)[i] = 1
            place = 0
            for part, t in zip(pull([g], tensors, [wrap(unit)], False, True), tensors, strict=True):
                if part is not None:
                    matrix[row, place : place + t._data.size] = part._data.reshape(-1)
                place += t._data.size


__all__ = ["by_tape", "product", "through"]
