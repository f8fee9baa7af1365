"""Transposes as properties: ``T``, ``mT``, ``H``, ``mH``, and `adjoint`."""

from __future__ import annotations

from typing import Any

from ..._errors import ShapeError
from ...core import Tensor
from ..arguments import rank
from ..public import PROPERTIES, public
from ..shape.shapes import reverse, transpose, transpose_row
from .linear_systems import conj


@public()
def adjoint(input: Any) -> Any:
    """Return the matrix (or batch of matrices) transposed and, if complex, conjugated."""
    if rank(input) < 2:
        raise ShapeError(
            f"tensor.adjoint() is only supported on matrices or batches of matrices. Got {rank(input)}-D tensor."
        )
    return conj(transpose(input, -2, -1))


def _matrix_transpose(self: Tensor) -> Tensor:
    """The matrix (or batch of matrices) transposed."""
    n = self._data.ndim
    if n < 2:
        if n == 0:
            return self
        raise ShapeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {n}-D tensor.",
            "",
            "Unsqueeze it first.",
        )
    return transpose_row(self, n - 2, n - 1)


def _matrix_adjoint(self: Tensor) -> Tensor:
    """The matrix (or batch of matrices) transposed and, if complex, conjugated."""
    if self._data.ndim == 1:
        raise ShapeError(
            "tensor.mH is only supported on matrices or batches of matrices. Got 1-D tensor.", "", "Unsqueeze it first."
        )
    return self if self._data.ndim == 0 else conj(_matrix_transpose(self))


def _adjoint_2d(self: Tensor) -> Tensor:
    """The matrix transposed and, if complex, conjugated."""
    n = self._data.ndim
    if n not in (0, 2):
        raise ShapeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if n > 2 else "")
        )
    return _matrix_adjoint(self)


PROPERTIES.update(T=reverse, mT=_matrix_transpose, H=_adjoint_2d, mH=_matrix_adjoint)
