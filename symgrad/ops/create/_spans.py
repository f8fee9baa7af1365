"""Tensors of places and steps: identity matrices, ranges, triangles' indices.

The idea to hold: numbers evenly spread are computed as NumPy computes them; what they
begin and end with decides the dtype.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _config
from ..._errors import DTypeError, ShapeError
from ..._typing import as_dtype
from ...core import (
    Dim,
    Tensor,
    constant_from,
    sizes_of_shape,
    symbolic,
    table,
    wrap,
)
from .._dims import constant_number
from .._public import METHODS, public
from ..entries._copy import cast
from ._create import float_dtype, make, of_sizes
from ._data import holds_recorded, number

# PyTorch's signatures stand on as few lines as they fit
# fmt: off


@public(method=False)
def eye(
    n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the matrix with 1 on the diagonal and 0 elsewhere."""
    if n < 0 or (m or 0) < 0:
        raise ShapeError(f"n must be greater or equal to 0, got {n if n < 0 else m}", "", "Sizes are 0 or more.")
    t = make(np.eye(n, m, dtype=float_dtype(dtype)), requires_grad, device, name)
    if t._node is not None or name is not None or not (type(n) is Dim and (m is None or (type(m) is Dim and m == n))):
        return t
    ones = of_sizes(wrap(np.ones(int(n), t._data.dtype)), (n,))
    return constant_from(table("diag_embed").op, symbolic(t, sizes_of_shape((n,))), (ones,), (0, 0, 1), False)


@public(method=False)
def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the numbers from ``start`` (default 0) up to, not including, ``end``; int64 if all three are ints.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.arange(3), sg.arange(1, 2, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    """
    ends = (0, start, step) if end is None else (start, end, step)
    given = start, end, step = [number(constant_number(v, "arange")) for v in ends]
    kind = None if dtype is None else as_dtype(dtype)
    if kind is not None and kind.kind in "iu":  # PyTorch counts in whole numbers, and how many there are in int64 alone
        start, end, step = map(int, given)
    if step == 0:
        raise DTypeError("step must be nonzero", "", "Use full() for equal numbers.")
    if (given[1] - given[0]) * given[2] < 0:
        raise ShapeError(
            "upper bound and lower bound inconsistent with step sign", f"From {start} to {end} by {step}.",
            "Flip step.",
        )
    whole = all(isinstance(v, int) for v in (start, end, step))
    target = (np.dtype(np.int64) if whole else _config.default_dtype()) if kind is None else kind
    low, high, by = (start, end, step) if kind == np.int64 else given
    count = math.ceil((high - low) / by)
    by_count = target.kind in "fc" or not whole
    data = np.arange(count) * step + start if by_count else np.arange(start, start + count * step, step)
    return make(data.astype(target, copy=False), requires_grad, device, name)


@public(method=False)
def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return ``steps`` numbers at equal distances from ``start`` to ``end``, both included; differentiable in both."""
    if steps < 0:
        raise ShapeError("number of steps must be non-negative", f"Got {steps}.")
    if holds_recorded(start) or holds_recorded(end):
        share = np.arange(steps) / max(steps - 1, 1)
        found = start * (1 - share) + end * share
        return cast(found, dtype)
    start, end = number(start), number(end)
    kind = _span_dtype(dtype, start, end)
    places = _whole_ends(start, end, steps) if kind.kind in "iu" else np.linspace(start, end, steps, dtype=kind)
    return make(places.astype(kind, copy=False), requires_grad, device, name)


@public(method=False)
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:
    """Return ``base`` to the power of `linspace`'s numbers; differentiable in ``start`` and ``end``."""
    if holds_recorded(start) or holds_recorded(end):
        factor = math.log(constant_number(base, "logspace's base"))
        return METHODS["exp"](linspace(start, end, steps, dtype=dtype) * factor)
    start, end = number(start), number(end)
    kind = _span_dtype(dtype, start, end)
    if kind.kind in "iu":
        places = _whole_ends(start, end, steps) if steps > 1 else np.full(steps, start)
        data = np.power(float(base), places).astype(kind)
    else:
        data = np.logspace(start, end, steps, base=base, dtype=kind)
    return make(data, requires_grad, device, name)


def _whole_ends(start: Any, end: Any, steps: int) -> np.ndarray:
    """Places for whole numbers: between whole ends and counted from the nearer, so that PyTorch's are cut off here."""
    start, end, k = int(start), int(end), np.arange(steps)
    step = (end - start) / max(steps - 1, 1)
    return np.where(k < max(steps // 2, 1), start + step * k, end - step * (steps - 1 - k))


def _span_dtype(dtype: Any, *ends: Any) -> np.dtype[Any]:
    if dtype is None and any(isinstance(v, complex) for v in ends):
        return _config.complex_of(_config.default_dtype())
    return float_dtype(dtype)


@public(method=False)
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = np.int64, device: Any = None) -> Tensor:
    """Return the indices, (2, n), of the lower triangle of a matrix: rows first, then columns."""
    return make(np.array(np.tril_indices(row, offset, col), dtype=as_dtype(dtype)), device=device)


@public(method=False)
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = np.int64, device: Any = None) -> Tensor:
    """Return the indices, (2, n), of the upper triangle of a matrix: rows first, then columns."""
    return make(np.array(np.triu_indices(row, offset, col), dtype=as_dtype(dtype)), device=device)
