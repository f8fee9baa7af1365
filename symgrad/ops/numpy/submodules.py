"""NumPy's submodules with their arguments: linalg, fft, emath; the cross product; polynomials."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import GradientError, NotDifferentiableError, ShapeError
from ...core import NUMPY, Symbol, fallible, modes, row_function, unwrap
from ..arguments import (
    alike,
    as_line,
    axis_of,
    constant_number,
    found_in,
    kind_of,
    known_values,
    ndarray_of,
    no_axis,
    rank,
    sizes,
    tensor_like,
)
from ..entries import elementwise as e
from ..entries.arithmetic import isfinite, less
from ..entries.copies import cast
from ..fourier import transforms
from ..linalg.contract import matmul
from ..linalg.decompositions import _Eig, _Svd, eig_row, eigh, linalg_qr, linalg_svd, svdvals
from ..linalg.determinants_and_norms import cond, det, linalg_slogdet, lstsq, matrix_norm, pinv
from ..linalg.fused import linalg_cross, multi_dot
from ..linalg.linear_systems import (
    adjoint,
    as_column,
    as_row,
    conj,
    inv,
    is_complex,
    linalg_cholesky,
    matrix_power,
    solve,
)
from ..linalg.special_systems import tensorinv, tensorsolve, vecdot
from ..reduce.sums import sum, vector_norm
from ..samples import sampled
from ..shape.joins import cat, constant_pad, stack
from ..shape.moves import diagonal
from ..shape.shapes import movedim, reshape, swapaxes, unsqueeze_row
from .rearranging import expect_still
from .ufuncs import linalg_on_tensors, on_tensors, several

# --------------------------------------- NumPy's linear algebra, `numpy.linalg`, with its arguments and names of them

# The idea to hold: the operations are those of `symgrad.linalg`; here are NumPy's meanings of their arguments, and
# whole numbers become floats. What counts singular values is a constant.


def _floats(a: Any) -> Any:
    """A tensor or an array, whole numbers as floats."""
    a = tensor_like(a)
    return cast(a, np.float64) if kind_of(a) in "iub" else a


# ------------------------------------------------------------------------------------------------ systems, powers


@linalg_on_tensors
def _numpy_solve(a: Any, b: Any) -> Any:
    """As NumPy, to which only one dimension is a vector: more are matrices, for every matrix of a batch."""
    a, b = _floats(a), _floats(b)
    lacks = rank(a) - rank(b)
    return solve(a, b[(None,) * lacks + (...,)] if lacks > 0 and rank(b) > 1 else b)


@linalg_on_tensors
def _numpy_lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    a, b = _floats(a), _floats(b)
    if rank(a) != 2 or rank(b) not in (1, 2):
        raise ShapeError(
            "np.linalg.lstsq takes a matrix, and a vector or a matrix", f"The shapes are {sizes(a)} and {sizes(b)}.",
            "sg.linalg.lstsq takes batches.",
        )  # fmt: skip
    if rcond is not None:
        rcond = constant_number(rcond, "rcond=")
        rcond = rcond if 0 < rcond < 1 else float(np.finfo(unwrap(a).dtype).eps)  # as LAPACK's gelsd has it
    found = lstsq(a, b, rcond)
    rest = b - matmul(a, found.solution)
    squares = sum(e.square(e.real(rest)) + e.square(e.imag(rest)) if is_complex(rest) else e.square(rest), 0)
    exact = sizes(a)[0] <= sizes(a)[1] or int(ndarray_of(found.rank)) < sizes(a)[1]
    residuals = as_line(squares)[: 0 if exact else None]
    return found.solution, residuals, found_in(ndarray_of(found.rank), a), svdvals(a)


@linalg_on_tensors
def _numpy_matrix_power(a: Any, n: int) -> Any:
    if kind_of(a) in "iub" and n >= 0:
        return found_in(np.linalg.matrix_power(ndarray_of(a), n), a)
    return matrix_power(_floats(a), n)


@linalg_on_tensors
def _numpy_pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    if rcond is None:
        rcond = 1e-15 if rtol is np._NoValue else rtol
    return pinv(_floats(a), rtol=rcond, hermitian=hermitian)


@linalg_on_tensors
def _numpy_matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    found = np.linalg.matrix_rank(known_values(A, "a rank"), unwrap(tol), hermitian, rtol=unwrap(rtol))
    return found_in(np.asarray(found), A)


# ------------------------------------------------------------------------------------------------ decompositions


@linalg_on_tensors
def _numpy_cholesky(a: Any, /, *, upper: bool = False) -> Any:
    a = _floats(a)
    # it reads the upper triangle, where PyTorch's has its way with the lower one
    return adjoint(linalg_cholesky(adjoint(a))) if upper else linalg_cholesky(a)


_EIGENVALUES_ARE_COMPLEX = np.linalg.eigvals(np.eye(1)).dtype.kind == "c"
"""Since NumPy 2.5; before, they and the vectors were real where all of them are."""


@linalg_on_tensors
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


@linalg_on_tensors
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
    order = found_in(np.argsort(ndarray_of(size), axis=-1)[..., ::-1], a)
    along = NUMPY[np.take_along_axis]
    u = along(vectors, order[..., None, :], -1)
    return _Svd(u, along(size, order, -1), adjoint(u * as_row(along(e.sign(values), order, -1))))


@linalg_on_tensors
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


@linalg_on_tensors
def _numpy_norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x, ord = _floats(x), constant_number(ord, "ord=")
    axes = tuple(range(rank(x))) if axis is None else several(axis)
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


@linalg_on_tensors
def _numpy_vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    x, ord = _floats(x), constant_number(ord, "ord=")
    if no_axis(axis):  # each element is a vector
        return reshape(vector_norm(x[..., None], ord, -1), sizes(x))
    return vector_norm(x, ord, axis, keepdims)


@linalg_on_tensors
def _numpy_matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    return matrix_norm(_floats(x), ord, (-2, -1), keepdims)


# ----------------------------------------------------------------------------- products along the last dimensions


@linalg_on_tensors
def _numpy_vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    x1, x2 = (NUMPY[np.moveaxis](tensor_like(x), axis, -1) for x in (x1, x2))  # before they are broadcast
    return vecdot(x1, x2, dim=-1)


@on_tensors  # since NumPy 2.2
def _numpy_matvec(x1: Any, x2: Any, /) -> Any:
    a, v = tensor_like(x1), tensor_like(x2)
    return matmul(a, v) if rank(v) == 1 else matmul(a, unsqueeze_row(v, rank(v))).squeeze(-1)


@on_tensors  # since NumPy 2.2
def _numpy_vecmat(x1: Any, x2: Any, /) -> Any:
    v, a = tensor_like(x1), tensor_like(x2)
    v = conj(v)
    return matmul(v, a) if rank(v) == 1 else matmul(unsqueeze_row(v, rank(v) - 1), a).squeeze(-2)


@linalg_on_tensors
def _numpy_trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    return NUMPY[np.trace](x, offset, -2, -1, dtype)


NUMPY.update({
    np.linalg.inv: lambda a: inv(_floats(a)),
    np.linalg.tensorinv: lambda a, ind=2: tensorinv(_floats(a), ind),
    np.linalg.tensorsolve: lambda a, b, axes=None: tensorsolve(_floats(a), _floats(b), axes),
    np.linalg.det: lambda a: det(_floats(a)),
    np.linalg.slogdet: lambda a: linalg_slogdet(_floats(a)),
    np.linalg.eigh: lambda a, UPLO="L": eigh(_floats(a), UPLO),
    np.linalg.eigvalsh: lambda a, UPLO="L": eigh(_floats(a), UPLO)[0],
    np.linalg.eigvals: lambda a: _numpy_eig(a)[0],
    np.linalg.svdvals: lambda x, /: svdvals(_floats(x)),
    np.linalg.cond: lambda x, p=None: cond(_floats(x), p),
    np.linalg.multi_dot: lambda arrays, *, out=None: multi_dot(list(map(tensor_like, arrays))),
    np.vecdot: _numpy_vecdot, np.linalg.matmul: lambda x1, x2, /: matmul(x1, x2),
    np.linalg.outer: lambda x1, x2, /: NUMPY[np.outer](x1, x2),
    np.linalg.diagonal: lambda x, /, *, offset=0: diagonal(x, offset, -2, -1),
    np.linalg.matrix_transpose: lambda x, /: swapaxes(x, -2, -1),
})  # fmt: skip


# ------------------ The cross product as NumPy has it: of vectors of length 3 or 2, along any axes, with broadcasting


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
    a, b = (x if rank(x) == ndim else reshape(x, ((1,) * (ndim - rank(x)) + sizes(x))) for x in (a, b))
    return linalg_cross(a, b, dim=-1)


def _raised(x: Any) -> Any:
    """Vectors of length 2 in the plane, as vectors of length 3."""
    return x if sizes(x)[-1] == 3 else constant_pad(x, ((0, 0),) * (rank(x) - 1) + ((0, 1),), 0)


@on_tensors
def _numpy_cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = alike(a, b)
    a, b = _vectors(a, axisa, (3, 2), "np.cross"), _vectors(b, axisb, (3, 2), "np.cross")
    if sizes(a)[-1] == sizes(b)[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]  # the component that does not lie in the plane
    y = _crossed(_raised(a), _raised(b))
    return y if axisc == -1 else movedim(y, -1, axisc)


@linalg_on_tensors
def _numpy_linalg_cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    y = _crossed(*(_vectors(x, axis, (3,), "np.linalg.cross") for x in alike(x1, x2)))
    return y if axis == -1 else movedim(y, -1, axis)


# -------------------------------------------------------- NumPy's Fourier transforms, `numpy.fft`, with its arguments


def _along_one(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, n=None, axis=-1, norm=None, out=None: fn(tensor_like(a), n, axis, norm)


def _along_many(fn: Callable[..., Any], default: Any = None) -> Callable[..., Any]:
    return lambda a, s=None, axes=default, norm=None, out=None: fn(tensor_like(a), s, axes, norm)


def _along_two(fn: Callable[..., Any]) -> Callable[..., Any]:
    return _along_many(fn, (-2, -1))


def _moving(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axes=None: fn(tensor_like(x), axes)


for _adapted, _names in (
    (_along_one, "fft ifft rfft irfft hfft ihfft"), (_along_two, "fft2 ifft2 rfft2 irfft2"),
    (_along_many, "fftn ifftn rfftn irfftn"), (_moving, "fftshift ifftshift"),
):  # fmt: skip
    for _name in _names.split():
        NUMPY[getattr(np.fft, _name)] = _adapted(getattr(transforms, _name))


# ----------------------------------- `numpy.emath`: functions that give complex numbers where real ones have no value

# The idea to hold: whether they do depends on the values, all together; then the operand is complex from there on.


def _where_needed(x: Any, outside: Callable[[np.ndarray], Any], name: str) -> Any:
    """``x``, as complex numbers if one of it is outside of what a function takes of real ones."""
    x = tensor_like(x)
    kind = unwrap(x).dtype
    if kind.kind == "c" or not np.any(outside(known_values(x, f"np.emath.{name}"))):
        return x
    return cast(x, np.complex64 if kind.char in "bBhHf" else np.complex128)


def _negative(x: np.ndarray) -> Any:
    return x < 0


def _beyond_one(x: np.ndarray) -> Any:
    return np.abs(x) > 1


def _of_one(name: str, outside: Callable[[np.ndarray], Any]) -> Callable[..., Any]:
    function = NUMPY[getattr(np, name)]
    return lambda x: function(_where_needed(x, outside, name))


def _power(x: Any, p: Any) -> Any:
    whole = np.asarray(unwrap(tensor_like(p)))
    if whole.dtype.kind in "iu" and (whole < 0).any():
        p = cast(tensor_like(p), np.float64)
    return NUMPY[np.power](*alike(_where_needed(x, _negative, "power"), p))


_log = _of_one("log", _negative)

NUMPY.update({
    getattr(np.emath, name): _of_one(name, outside) for name, outside in {
        "sqrt": _negative, "log": _negative, "log2": _negative, "log10": _negative, "arccos": _beyond_one,
        "arcsin": _beyond_one, "arctanh": _beyond_one,
    }.items()
})  # fmt: skip
NUMPY[np.emath.logn] = lambda n, x: e.div(*alike(_log(x), _log(n)))
NUMPY[np.emath.power] = _power


# -------------------------------------------------------------------------------------------------------------------
# NumPy's polynomials, as arrays of coefficients, the highest first: values, products, quotients, roots, fits

# The idea to hold: they are NumPy's own lines in operations, and only which coefficients count as zero, and are left
# out, is found by looking. Roots are an operation of their own: a root r of p moves by ``-dp(r) / p'(r)``.


# -------------------------------------------------------------------------------------------------- coefficients


def _coefficients(p: Any) -> Any:
    """Coefficients in a row; those of `numpy.poly1d` too."""
    p = tensor_like(p.coeffs if isinstance(p, np.poly1d) else p)
    return reshape(p, (1,)) if not rank(p) else p


def _without_leading_zeros(p: Any) -> Any:
    places = np.flatnonzero(ndarray_of(known_values(p, "np.polymul")))
    start = places[0] if places.size else sizes(p)[0] - 1  # of zeros alone the last
    expect_still(p, range(start), "np.polymul")
    return p[start:]


def _behind(p: Any, before: int, after: int) -> Any:
    """Coefficients between zeros."""
    return constant_pad(p, ((before, after),), 0) if before or after else p


def _of_one_degree(join: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A sum or a difference: the shorter operand gets zeros in front."""

    def adaptor(a1: Any, a2: Any) -> Any:
        a, b = _coefficients(a1), _coefficients(a2)
        n = max(sizes(a)[0], sizes(b)[0])
        return join(*(_behind(p, n - sizes(p)[0], 0) for p in (a, b)))

    return adaptor


@on_tensors
def _numpy_polymul(a1: Any, a2: Any) -> Any:
    return NUMPY[np.convolve](*(_without_leading_zeros(_coefficients(a)) for a in (a1, a2)))


@on_tensors
def _numpy_polydiv(u: Any, v: Any) -> Any:
    u, v = _coefficients(u) + 0.0, _coefficients(v) + 0.0
    if rank(u) != 1 or rank(v) != 1:
        raise ValueError(f"np.polydiv takes coefficients in a row, not of shapes {sizes(u)} and {sizes(v)}")
    m, n = sizes(u)[0], sizes(v)[0]
    if m < n:
        return NUMPY[np.zeros_like](u[:1] + v[:1]), u
    quotient, rest = [], u
    for k in range(m - n + 1):
        quotient.append(rest[k] / v[0])
        rest = rest - _behind(quotient[-1] * v, k, m - n - k)
    rest = rest[min(m - n + 1, m - 1) :] if n > 1 else rest[-1:]
    values = ndarray_of(known_values(rest, "np.polydiv"))
    start = next((k for k, c in enumerate(values) if not np.allclose(c, 0, rtol=1e-14)), len(values) - 1)
    expect_still(rest, range(start), "np.polydiv", seed=1.0)
    return stack(quotient, 0), rest[start:]


@on_tensors
def _numpy_polyder(p: Any, m: int = 1) -> Any:
    if m < 0:
        raise ValueError("np.polyder: Order of derivative must be positive (see polyint)")
    p = _coefficients(p)
    for _ in range(int(m)):
        p = p[:-1] * np.arange(sizes(p)[0] - 1, 0, -1) if sizes(p)[0] else p
    return p


@on_tensors
def _numpy_polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    if m < 0:
        raise ValueError("np.polyint: Order of integral must be positive (see polyder)")
    p = _coefficients(p)
    k = np.zeros(m) if k is None else _coefficients(k)
    k = k[0] * np.ones(m) if sizes(k)[0] == 1 and m > 1 else k
    if sizes(k)[0] < m:
        raise ValueError("np.polyint: k must be a scalar or a rank-1 array of length 1 or >m.")
    for i in range(int(m)):
        p = cat([p / np.arange(sizes(p)[0], 0, -1), k[i : i + 1]], 0)
    return p


@on_tensors
def _numpy_polyval(p: Any, x: Any) -> Any:
    x = tensor_like(x)
    p = p.coeffs if isinstance(p, np.poly1d) else p
    coefficients = list(p if isinstance(p, (list, tuple)) else tensor_like(p))
    x = cast(x, np.result_type(*(unwrap(tensor_like(v)).dtype for v in (x, *coefficients))))
    if not coefficients:
        return x * 0
    value = coefficients[0] if len(coefficients) > 1 else coefficients[0] + x * 0
    for c in coefficients[1:]:
        value = value * x + c
    return value


# ---------------------------------------------------------------------------------------------------------- roots


def _powers(r: Any, n: int) -> Any:
    """A row for each root: its powers, down from the n-th."""
    columns = [np.ones_like(r)]
    for _ in range(n):
        columns.append(columns[-1] * r)
    return row_function("stack")(columns[::-1], len(r.shape))


def _expect_simple(roots: np.ndarray, flat: np.ndarray) -> None:
    """Raise where the polynomial is flat at a root, and another is near: it moves by the root of a change."""
    for k in np.flatnonzero(flat):
        gap = np.abs(np.delete(roots, k) - roots[k]).min(initial=np.inf)
        if gap <= 1e-4 * np.abs(roots).max():
            raise GradientError(
                f"np.roots: a multiple root has no derivative: the gap between the root {k} and another is {gap:.1e}.",
                f"The roots are {np.array2string(roots, precision=6)}.",
                "Move the coefficients apart; sums and products of all roots are coefficients themselves.",
            )  # fmt: skip


def _roots_rule(g: Any, x: Any, y: Any) -> Any:
    n = int(x.shape[0]) - 1
    powers = _powers(y, n)
    slopes = matmul(powers[:, 1:], x[:-1] * np.arange(n, 0, -1).astype(ndarray_of(x).real.dtype))
    terms = np.abs(ndarray_of(powers[:, 1:])) @ (np.abs(ndarray_of(x[:-1])) * np.arange(n, 0, -1))
    _expect_simple(ndarray_of(y), (np.abs(ndarray_of(slopes)) <= 1e-7 * terms) & (ndarray_of(g) != 0))
    d = -matmul(conj(g / conj(slopes)), powers)
    d = conj(d) if is_complex(d) else d
    return row_function("real")(d) if is_complex(d) and not is_complex(x) else d


roots_row = fallible(
    "roots", lambda x: np.roots(x), _roots_rule, holomorphic=False, own_dtype=True,
    sample=sampled(of=[np.poly([0.3, -1.2, 2.5]) * 1.5]), doc="the roots of a polynomial",
)  # fmt: skip


@on_tensors
def _numpy_roots(p: Any) -> Any:
    p = _coefficients(p)
    if rank(p) != 1:
        raise ValueError("np.roots: Input must be a rank-1 array.")
    if not np.any(ndarray_of(known_values(p, "np.roots"))):
        return found_in(np.array([]), p)
    return roots_row(cast(p, np.float64) if kind_of(p) in "iub" else p)


@on_tensors
def _numpy_poly(seq_of_zeros: Any) -> Any:
    roots = _coefficients(seq_of_zeros)
    if rank(roots) == 2 and sizes(roots)[0] == sizes(roots)[1] != 0:
        roots = NUMPY[np.linalg.eigvals](roots)
    elif rank(roots) != 1:
        raise ValueError("np.poly: input must be 1d or non-empty square 2d array.")
    if not sizes(roots)[0]:
        return 1.0
    p = NUMPY[np.ones_like](roots[:1])
    for k in range(sizes(roots)[0]):
        p = _behind(p, 0, 1) - roots[k] * _behind(p, 1, 0)
    if not is_complex(p):
        return p
    values = ndarray_of(known_values(roots, "np.poly"))
    return e.real(p) if np.all(np.sort(values) == np.sort(values.conj())) else p


# ----------------------------------------------------------------------------------------------------------- fits


def _expect_points(x: Any, y: Any, deg: int) -> None:
    if deg < 0:
        raise ValueError("np.polyfit: expected deg >= 0")
    if rank(x) != 1:
        raise TypeError("np.polyfit: expected 1D vector for x")
    if not sizes(x)[0]:
        raise TypeError("np.polyfit: expected non-empty vector for x")
    if rank(y) not in (1, 2):
        raise TypeError("np.polyfit: expected 1D or 2D array for y")
    if sizes(x)[0] != sizes(y)[0]:
        raise TypeError("np.polyfit: expected x and y to have same length")


@on_tensors
def _numpy_polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    x, y, count = tensor_like(x) + 0.0, tensor_like(y) + 0.0, int(constant_number(deg, "deg=")) + 1
    _expect_points(x, y, count - 1)
    rcond = len(x) * np.finfo(ndarray_of(x).dtype).eps if rcond is None else rcond
    left, right = _powers(x, count - 1), y
    if w is not None:
        w = tensor_like(w) + 0.0
        if rank(w) != 1 or sizes(w)[0] != sizes(y)[0]:
            raise TypeError("np.polyfit: expected a 1-d array for weights, of the length of y")
        left, right = left * as_column(w), right * (as_column(w) if rank(y) == 2 else w)
    scale = e.sqrt(sum(left * left, 0))
    left = left / scale
    c, residuals, count_found, values = NUMPY[np.linalg.lstsq](left, right, rcond)
    c = c / (as_column(scale) if rank(c) == 2 else scale)
    if full:
        return c, residuals, count_found, values, rcond
    if int(ndarray_of(count_found)) != count:
        warnings.warn("Polyfit may be poorly conditioned", np.exceptions.RankWarning, stacklevel=5)
    if not cov:
        return c
    base = inv(matmul(left.T, left)) / (as_column(scale) * scale)
    factor = 1
    if cov != "unscaled":
        if len(x) <= count:
            raise ValueError("np.polyfit: the number of data points must exceed order to scale the covariance matrix")
        factor = residuals / (len(x) - count)
    return c, base * factor if rank(y) == 1 else reshape(base, (count, count, 1)) * factor


NUMPY.update({
    np.polyadd: _of_one_degree(operator.add), np.polysub: _of_one_degree(operator.sub),
})  # fmt: skip
