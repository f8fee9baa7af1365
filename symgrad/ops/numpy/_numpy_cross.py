"""The cross product as NumPy has it: of vectors of length 3 or 2, along any axes, with broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import NUMPY
from .._dims import axis_of, rank, sizes
from .._numpy_arguments import alike
from ..linalg._fused import linalg_cross
from ..shape._pad import constant_pad
from ..shape._shape import movedim, reshape


def _vectors(x: Any, axis: int, lengths: tuple[int, ...], what: str) -> Any:
    """The vectors along the last dimension."""
    k = axis_of(axis, rank(x))
    if not rank(x) or sizes(x)[k] not in lengths:
        raise ShapeError(
            f"{what}: incompatible dimensions for a cross product",
            f"The shape is {sizes(x)}, and the length along axis {k} not {' or '.join(map(str, lengths))}.",
            "Name the axis of the vectors.",
        )  # fmt: skip
    return x if k == rank(x) - 1 else movedim(x, k, -1)


def _crossed(a: Any, b: Any) -> Any:
    """Of vectors along the last dimension, of length 3."""
    ndim = max(rank(a), rank(b))
    a, b = (x if rank(x) == ndim else reshape(x, ((1,) * (ndim - rank(x)) + tuple(sizes(x)))) for x in (a, b))
    return linalg_cross(a, b, dim=-1)


def _raised(x: Any) -> Any:
    """Vectors of length 2 in the plane, as vectors of length 3."""
    return x if sizes(x)[-1] == 3 else constant_pad(x, ((0, 0),) * (rank(x) - 1) + ((0, 1),), 0)


def _numpy_cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = alike(a, b)
    a, b = _vectors(a, axisa, (3, 2), "np.cross"), _vectors(b, axisb, (3, 2), "np.cross")
    if sizes(a)[-1] == sizes(b)[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]  # the component that does not lie in the plane
    y = _crossed(_raised(a), _raised(b))
    return y if axisc == -1 else movedim(y, -1, axisc)


def _numpy_linalg_cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    y = _crossed(*(_vectors(x, axis, (3,), "np.linalg.cross") for x in alike(x1, x2)))
    return y if axis == -1 else movedim(y, -1, axis)


NUMPY.update({np.cross: _numpy_cross, np.linalg.cross: _numpy_linalg_cross})
