"""Central differences of functions of tensors; the inputs are varied in their own memory and put back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._progress import Task
from ..core import Tensor

Values = list[np.ndarray]


def _values(result: Any) -> Values:
    return [t._data.copy() for t in (result if isinstance(result, (tuple, list)) else (result,))]


def _difference(low: Values, high: Values, eps: float) -> Values:
    for a, b in zip(low, high, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            raise AssertionError(
                f"Expected `func` to return outputs with the same shape and dtype when inputs are perturbed by {eps}, "
                f"but got: shapes {a.shape} and {b.shape}, dtypes {a.dtype} and {b.dtype}."
            )
    return [(b - a) / (2 * eps) for a, b in zip(low, high, strict=True)]


def along(func: Callable[..., Any], inputs: tuple[Any, ...], x: Tensor, step: Any, eps: float) -> Values:
    """Per output its derivative as ``x`` moves by ``eps * step``; ``x`` is written directly: no version changes."""
    data, before = x._data, x._data.copy()
    try:
        data[...] = before - eps * step
        low = _values(func(*inputs))
        data[...] = before + eps * step
        high = _values(func(*inputs))
    finally:
        data[...] = before
    return _difference(low, high, eps)


def by_element(func: Callable[..., Any], inputs: tuple[Any, ...], x: Tensor, eps: float) -> Values:
    """Per output the matrix of its derivatives, elements of ``x`` by elements of the output.

    For a complex ``x`` an entry is d/dRe + i d/dIm: PyTorch's convention for the gradient of real outputs.
    """
    rows: list[Values] = []
    shape = x._data.shape
    with Task("finite differences", None, x._data.size, "entries") as task:
        for k in task.each(range(x._data.size)):
            step = np.zeros(shape, x._data.dtype)
            step.reshape(-1)[k] = 1
            row = along(func, inputs, x, step, eps)
            if x._data.dtype.kind == "c":
                row = [a + 1j * b for a, b in zip(row, along(func, inputs, x, 1j * step, eps), strict=True)]
            rows.append([v.reshape(-1) for v in row])
    if not rows:
        outputs = _values(func(*inputs))
        return [np.zeros((0, o.size), x._data.dtype) for o in outputs]
    return [np.stack(column) for column in zip(*rows, strict=True)]
