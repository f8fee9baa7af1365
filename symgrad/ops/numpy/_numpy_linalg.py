"""NumPy's linear algebra, `numpy.linalg`, with its arguments and names of them.

The idea to hold: the operations are those of `symgrad.linalg`; here are NumPy's meanings of their arguments, and whole
numbers become floats. What counts singular values is a constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import NotDifferentiableError, ShapeError
from ...core import NUMPY, Symbol, modes
from .._dims import array, constant_number, data, found_in, kind_of, known, no_axis, rank, sizes
from .._numpy_arguments import tensor_like
from ..entries import _elementwise as e
from ..entries._arithmetic import isfinite, less
from ..entries._copy import cast
from ..linalg._cholesky import linalg_cholesky
from ..linalg._contract import matmul
from ..linalg._decompose import _Eig, _Svd, eig_row, eigh, linalg_qr, linalg_svd, svdvals
from ..linalg._determinant import det, linalg_slogdet
from ..linalg._fused import multi_dot
from ..linalg._linalg import adjoint, as_row, conj, inv, is_complex, matrix_power, solve
from ..linalg._matrix_norms import cond, matrix_norm
from ..linalg._pseudo import lstsq, pinv
from ..linalg._systems import tensorinv, tensorsolve, vecdot
from ..reduce._norm import vector_norm
from ..reduce._reduce import sum
from ..shape._diagonal import diagonal
from ..shape._shape import reshape, swapaxes, unsqueeze_row


def _floats(a: Any) -> Any:
    """A tensor or an array, whole numbers as floats."""
    a = tensor_like(a)
    return cast(a, np.float64) if kind_of(a) in "iub" else a


# ------------------------------------------------------------------------------------------------ systems, powers


def _numpy_solve(a: Any, b: Any) -> Any:
    """As NumPy, to which only one dimension is a vector: more are matrices, for every matrix of a batch."""
    a, b = _floats(a), _floats(b)
    lacks = rank(a) - rank(b)
    return solve(a, b[(None,) * lacks + (...,)] if lacks > 0 and rank(b) > 1 else b)


def _numpy_lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    a, b = _floats(a), _floats(b)
    if rank(a) != 2 or rank(b) not in (1, 2):
        raise ShapeError(
            "np.linalg.lstsq takes a matrix, and a vector or a matrix", f"The shapes are {sizes(a)} and {sizes(b)}.",
            "sg.linalg.lstsq takes batches.",
        )  # fmt: skip
    if rcond is not None:
        rcond = constant_number(rcond, "rcond=")
        rcond = rcond if 0 < rcond < 1 else float(np.finfo(data(a).dtype).eps)  # as LAPACK's gelsd has it
    found = lstsq(a, b, rcond)
    rest = b - matmul(a, found.solution)
    squares = sum(e.square(e.real(rest)) + e.square(e.imag(rest)) if is_complex(rest) else e.square(rest), 0)
    exact = sizes(a)[0] <= sizes(a)[1] or int(array(found.rank)) < sizes(a)[1]
    residuals = reshape(squares, (-1,))[: 0 if exact else None]
    return found.solution, residuals, found_in(array(found.rank), a), svdvals(a)


def _numpy_matrix_power(a: Any, n: int) -> Any:
    if kind_of(a) in "iub" and n >= 0:
        return found_in(np.linalg.matrix_power(array(a), n), a)
    return matrix_power(_floats(a), n)


def _numpy_pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    if rcond is None:
        rcond = 1e-15 if rtol is np._NoValue else rtol
    return pinv(_floats(a), rtol=rcond, hermitian=hermitian)


def _numpy_matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    found = np.linalg.matrix_rank(known(A, "a rank"), data(tol), hermitian, rtol=data(rtol))
    return found_in(np.asarray(found), A)


# ------------------------------------------------------------------------------------------------ decompositions


def _numpy_cholesky(a: Any, /, *, upper: bool = False) -> Any:
    a = _floats(a)
    # it reads the upper triangle, where PyTorch's has its way with the lower one
    return adjoint(linalg_cholesky(adjoint(a))) if upper else linalg_cholesky(a)


_EIGENVALUES_ARE_COMPLEX = np.linalg.eigvals(np.eye(1)).dtype.kind == "c"
"""Since NumPy 2.5; before, they and the vectors were real where all of them are."""


def _numpy_eig(a: Any) -> Any:
    found = eig_row(_floats(a))
    decided = modes.tracing.get()
    if type(decided) is modes.Decisions and not _EIGENVALUES_ARE_COMPLEX and type(found[0]) is Symbol:
        # that they are real, where a program has finite numbers, and that there are as many vectors
        sound = less(cond(found[1]), np.finfo(found[1].dtype).eps ** -0.6)
        decided += [(isfinite(found[0]), True), (sound if sound._data.all() else None, True)]
    if _EIGENVALUES_ARE_COMPLEX:
        found = [cast(part, np.result_type(part.dtype, np.complex64)) for part in found]
    return _Eig(*found)


def _numpy_svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    a = _floats(a)
    if hermitian:
        found = _svd_of_hermitian(a)
        return found if compute_uv else found.S
    return linalg_svd(a, full_matrices) if compute_uv else svdvals(a)


def _svd_of_hermitian(a: Any) -> Any:
    """Its eigenvalues' absolute values, descending, and their vectors."""
    values, vectors = eigh(a)
    size = e.abs(values)
    order = found_in(np.argsort(array(size), axis=-1)[..., ::-1], a)
    along = NUMPY[np.take_along_axis]
    u = along(vectors, order[..., None, :], -1)
    return _Svd(u, along(size, order, -1), adjoint(u * as_row(along(e.sign(values), order, -1))))


def _numpy_qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete", "r"):
        raise NotDifferentiableError(
            f"np.linalg.qr with mode={mode!r} on a tensor has no derivative rule",
            "It has one for 'reduced' and 'r', and for 'complete' of matrices that are not taller than wide.",
            "Use mode='reduced'.",
        )  # fmt: skip
    a = _floats(a)
    return linalg_qr(a)[1] if mode == "r" else linalg_qr(a, mode)  # NumPy returns R alone, which has a derivative


# -------------------------------------------------------------------------------------------------------- norms


def _numpy_norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x, ord = _floats(x), constant_number(ord, "ord=")
    axes = tuple(range(rank(x))) if axis is None else (axis,) if isinstance(axis, (int, np.integer)) else tuple(axis)
    if axis is None and (ord is None or (ord, rank(x)) in (("fro", 2), ("f", 2), (2, 1))):
        return vector_norm(x, 2, None, keepdims)
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(
                f"np.linalg.norm: Invalid norm order {ord!r} for vectors\nIt is a number; inf and -inf too."
            )
        return vector_norm(x, 2 if ord is None else ord, axes, keepdims)
    if len(axes) != 2:
        raise ShapeError(
            "np.linalg.norm: Improper number of dimensions to norm.", f"They are {axes} of shape {sizes(x)}.",
            "Name one (a vector's) or two (a matrix's) with axis=.",
        )  # fmt: skip
    return matrix_norm(x, "fro" if ord in (None, "f") else ord, axes, keepdims)


def _numpy_vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    x, ord = _floats(x), constant_number(ord, "ord=")
    if no_axis(axis):  # each element is a vector
        return reshape(vector_norm(x[..., None], ord, -1), sizes(x))
    return vector_norm(x, ord, axis, keepdims)


def _numpy_matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    return matrix_norm(_floats(x), ord, (-2, -1), keepdims)


# ----------------------------------------------------------------------------- products along the last dimensions


def _numpy_vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    x1, x2 = (NUMPY[np.moveaxis](tensor_like(x), axis, -1) for x in (x1, x2))  # before they are broadcast
    return vecdot(x1, x2, dim=-1)


def _numpy_matvec(x1: Any, x2: Any, /) -> Any:
    a, v = tensor_like(x1), tensor_like(x2)
    return matmul(a, v) if rank(v) == 1 else matmul(a, unsqueeze_row(v, rank(v))).squeeze(-1)


def _numpy_vecmat(x1: Any, x2: Any, /) -> Any:
    v, a = tensor_like(x1), tensor_like(x2)
    v = conj(v)
    return matmul(v, a) if rank(v) == 1 else matmul(unsqueeze_row(v, rank(v) - 1), a).squeeze(-2)


def _numpy_trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    return NUMPY[np.trace](x, offset, -2, -1, dtype)


NUMPY.update({
    np.linalg.inv: lambda a: inv(_floats(a)), np.linalg.solve: _numpy_solve, np.linalg.lstsq: _numpy_lstsq,
    np.linalg.tensorinv: lambda a, ind=2: tensorinv(_floats(a), ind),
    np.linalg.tensorsolve: lambda a, b, axes=None: tensorsolve(_floats(a), _floats(b), axes),
    np.linalg.matrix_power: _numpy_matrix_power, np.linalg.pinv: _numpy_pinv,
    np.linalg.matrix_rank: _numpy_matrix_rank, np.linalg.det: lambda a: det(_floats(a)),
    np.linalg.slogdet: lambda a: linalg_slogdet(_floats(a)), np.linalg.cholesky: _numpy_cholesky,
    np.linalg.eigh: lambda a, UPLO="L": eigh(_floats(a), UPLO),
    np.linalg.eigvalsh: lambda a, UPLO="L": eigh(_floats(a), UPLO)[0],
    np.linalg.eig: _numpy_eig, np.linalg.eigvals: lambda a: _numpy_eig(a)[0],
    np.linalg.svd: _numpy_svd, np.linalg.svdvals: lambda x, /: svdvals(_floats(x)), np.linalg.qr: _numpy_qr,
    np.linalg.norm: _numpy_norm, np.linalg.cond: lambda x, p=None: cond(_floats(x), p),
    np.linalg.vector_norm: _numpy_vector_norm, np.linalg.matrix_norm: _numpy_matrix_norm,
    np.linalg.multi_dot: lambda arrays, *, out=None: multi_dot(list(map(tensor_like, arrays))),
    np.vecdot: _numpy_vecdot, np.linalg.vecdot: _numpy_vecdot, np.linalg.matmul: lambda x1, x2, /: matmul(x1, x2),
    np.linalg.outer: lambda x1, x2, /: NUMPY[np.outer](x1, x2),
    np.linalg.trace: _numpy_trace, np.linalg.diagonal: lambda x, /, *, offset=0: diagonal(x, offset, -2, -1),
    np.linalg.matrix_transpose: lambda x, /: swapaxes(x, -2, -1),
})  # fmt: skip
for _name, _fn in {"matvec": _numpy_matvec, "vecmat": _numpy_vecmat}.items():
    if hasattr(np, _name):  # since NumPy 2.2
        NUMPY[getattr(np, _name)] = _fn
