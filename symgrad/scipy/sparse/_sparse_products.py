"""Products with constant sparse arrays: a tensor on either side of ``@``.

The idea to hold: the product is linear, and its transpose a product with the transposed array. So rules of all orders
are the operation itself. Formulas have the array's entries: there it is dense.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import NotDifferentiableError, ShapeError
from ..._limits import DENSE
from ...autograd import Function
from ...core import Symbol, wrap


def fitted(g: Any, dtype: Any) -> Any:
    """A gradient of the kind of what it is the gradient of: real, or of fewer digits."""
    if g.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        g = g.real
    return g if g.dtype == dtype else g.to(dtype)


class _Product(Function):
    """``apply(x, A)``: A @ x, for x of one axis or two."""

    @staticmethod
    def forward(ctx: Any, x: Any, A: Any) -> Any:
        ctx.A, ctx.dtype = A, x._data.dtype
        return wrap(np.asarray(A @ x._data))

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return fitted(_Product.apply(g, ctx.A.conj().T), ctx.dtype), None

    @staticmethod
    def jvp(ctx: Any, dx: Any, _: Any) -> Any:
        return _Product.apply(dx, ctx.A)

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any, A: Any) -> Any:
        x = np.moveaxis(x, in_dims[0], -1)
        n, count = x.shape[0], x.shape[-1]
        found = _Product.apply(x.reshape((n, -1)), A)
        return found.reshape((found.shape[0], *x.shape[1:-1], count)), x.ndim - 1

    @staticmethod
    def connects(ctx: Any, shape: tuple[int, ...]) -> Any:
        """Which entries of the result depend on which of x: for the patterns of sparse Hessians and Jacobians."""
        from scipy.sparse import csr_array, eye_array, kron

        places = csr_array(ctx.A != 0)
        return places if len(shape) == 1 else csr_array(kron(places, eye_array(shape[1], dtype=bool)))


def product(a: Any, b: Any) -> Any:
    """``a @ b``, of which one is a sparse array of SciPy's and the other a tensor."""
    from scipy.sparse import issparse

    if hasattr(type(a), "_multiplies_tensors"):
        return a @ b
    if hasattr(type(b), "_multiplies_tensors"):
        return b.__rmatmul__(a)
    if not issparse(a):
        if len(a.shape) > 1:
            return product(b.T, a.mT).mT
        return product(b.T, a)
    shape = tuple(b.shape)
    if a.ndim != 2 or len(shape) not in (1, 2) or shape[0] != a.shape[1]:
        raise ShapeError(
            "a product with a sparse array takes vectors and matrices whose sizes fit",
            f"The sparse array has the shape {tuple(a.shape)}, the tensor {shape}.",
            "",
        )  # fmt: skip
    if type(b) is Symbol:
        return _dense(a) @ b
    return _Product.apply(b, a.tocsr(copy=True))


def _dense(A: Any) -> np.ndarray:
    """The entries of a sparse array, for a formula."""
    if A.shape[0] * A.shape[1] > DENSE:
        raise NotDifferentiableError(
            "a formula has no sparse arrays",
            f"The array is {A.shape[0]} × {A.shape[1]}, and its entries are too many to stand in one.",
            "Call grad, jacobian or hessian on numbers, or take a smaller one.",
        )  # fmt: skip
    return np.asarray(A.toarray())
