"""Cosine and sine transforms under SciPy's names.

The idea to hold: there is one row, of a type and without scale. Norms are factors; to make a transform orthogonal, the
entries that have no mirror image are multiplied by the root of 2 before, or divided by it afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops import axis_of, rank, sizes
from ...ops.fourier.transforms import cosine_row, lengths_along, resized
from ._fourier_transforms import under_its_name

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
_ENDS = {("dct", 1): (0, -1), ("dct", 2): (0,), ("dct", 3): (0,), ("dst", 2): (-1,), ("dst", 3): (-1,)}
"""The entries without a mirror image: of the signal for type 3, of the spectrum for type 2, of both for type 1."""


def _scaled_ends(x: Any, kind: str, type: int, factor: float) -> Any:
    factors = np.ones(sizes(x)[-1])
    for end in _ENDS.get((kind, type), ()):
        factors[end] = factor
    return x * factors.astype(x.dtype)


def _along(
    x: Any, kind: str, type: int, n: int | None, axis: int, norm: str | None, orthogonalize: bool | None, inverse: bool
) -> Any:
    if type not in _INVERSE:
        raise ValueError(f"DCT type {type} not implemented" if kind == "dct" else f"DST type {type} not implemented")
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward"')
    x = np.moveaxis(resized(x, n, axis_of(axis, rank(x))), axis, -1)
    size = sizes(x)[-1]
    if size < (2 if (kind, type) == ("dct", 1) else 1):
        raise ValueError(f"invalid number of data points ({size}) specified")
    own = _INVERSE[type] if inverse else type
    orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
    if orthogonal and own in (1, 3):
        x = _scaled_ends(x, kind, own, 2**0.5)
    y = cosine_row(x, kind, own)
    if orthogonal and own in (1, 2):
        y = _scaled_ends(y, kind, own, 0.5**0.5)
    length = 2 * (size - 1 if (kind, own) == ("dct", 1) else size + 1 if (kind, own) == ("dst", 1) else size)
    divided = norm == "forward" if not inverse else norm in (None, "backward")
    factor = length**-0.5 if norm == "ortho" else 1 / length if divided else 1.0
    return np.moveaxis(y * factor if factor != 1 else y, -1, axis)


def _one(name: str, says: str) -> Callable[..., Any]:
    kind, inverse = name.removeprefix("i"), name.startswith("i")

    def transform(x: Any, type: int, n: int | None, axis: int, norm: str | None, orthogonalize: bool | None) -> Any:
        return _along(x, kind, type, n, axis, norm, orthogonalize, inverse)

    return under_its_name(transform, name, says)


def _many(name: str, says: str) -> Callable[..., Any]:
    kind, inverse = name.removeprefix("i")[:-1], name.startswith("i")

    def transform(x: Any, type: int, s: Any, axes: Any, norm: str | None, orthogonalize: bool | None) -> Any:
        for n, axis in lengths_along(x, s, axes, name):
            x = _along(x, kind, type, n, axis, norm, orthogonalize, inverse)
        return x

    return under_its_name(transform, name, says)


dct: Callable[..., Any] = _one("dct", "the cosine transform of a type along one axis")
idct: Callable[..., Any] = _one("idct", "the inverse of the cosine transform of a type along one axis")
dst: Callable[..., Any] = _one("dst", "the sine transform of a type along one axis")
idst: Callable[..., Any] = _one("idst", "the inverse of the sine transform of a type along one axis")
dctn: Callable[..., Any] = _many("dctn", "the cosine transform of a type along several axes")
idctn: Callable[..., Any] = _many("idctn", "the inverse of the cosine transform of a type along several axes")
dstn: Callable[..., Any] = _many("dstn", "the sine transform of a type along several axes")
idstn: Callable[..., Any] = _many("idstn", "the inverse of the sine transform of a type along several axes")
