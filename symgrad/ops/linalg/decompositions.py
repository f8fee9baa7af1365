"""Decompositions: eigenvalues, singular values, QR; and the gaps by which the turns of the vectors are divided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ... import _config
from ..._errors import GradientError, ShapeError, SymgradError
from ...core import Tensor, fallible, modes, row_function
from ..arguments import ndarray_of, sizes
from ..entries import elementwise as e
from ..entries.copies import cast
from ..public import public
from ..reduce.sums import div_or_zero, mean
from ..results import result
from ..samples import sampled
from .contract import einsum
from .linear_systems import (
    LinAlgError,
    adjoint,
    as_column,
    as_row,
    conj,
    expect_matrix,
    hermitian,
    is_complex,
    solve_row,
    triangular_row,
)

# ------------------ Gaps between eigenvalues (squared singular values), by which the turns of the vectors are divided

# The idea to hold: where a gap is closed the vectors have no derivative, and a rule that is asked for one says so. A
# loss of the values alone never asks: what it wants of the vectors is 0 / 0 there, and counts as 0. That is right to
# first order. To second order the quotient has a limit, which is how fast the loss's derivatives in the values move
# apart: so where they do move, the gradient's own derivative raises instead of taking 0.


_ROUNDING = 1e4  # times the dtype's resolution: how large, beside the largest, an entry is that was asked for


def over_gaps(x: Any, values: Any, what: str) -> Any:
    """``x[i, j] / (values[j] - values[i])``, and 0 on the diagonal; where a gap is zero, x must be zero too."""
    closed, size = _coincident(values), np.abs(ndarray_of(x))
    wanted = closed & ~np.eye(closed.shape[-1], dtype=bool) & (size > _least(size, values))
    _expect_none(wanted, what, "vectors have", values)
    gap = as_row(values) - as_column(values)
    return e.where(closed, 0.0, x / e.where(closed, 1.0, gap))


def over_values(x: Any, values: Any, gradients: Sequence[Any]) -> Any:
    """Columns ``x`` divided by singular values; where one is zero x must be, beside the ``gradients`` behind it."""
    plain = ndarray_of(values)
    zero = _zero(plain)
    if zero.any():
        largest = [np.abs(ndarray_of(g)).max((-2, -1), initial=0, keepdims=True)[..., 0] for g in gradients]
        size = np.abs(ndarray_of(x)).max(-2, initial=0)
        wanted = zero & (size > _ROUNDING * np.finfo(plain.dtype).eps * np.max(largest, 0))
        _expect_none(wanted[..., None] & np.eye(zero.shape[-1], dtype=bool), "linalg.svd", "vectors have", values)
    return e.where(as_row(zero), 0.0, x / as_row(e.where(zero, 1.0, values)))


class Undecided(SymgradError):
    """The vectors' gradients are 0 in the plane of values that coincide: numbers do not tell why. Raised by rules on
    arrays; a sweep finds it out (sweep/bookkeeping.py).

    Attributes
    ----------
    parts : of the error to raise if they move with the matrix
    where : per number of an output that is in question the entries that count, as a mask of its shape; None for all, if
        they depend on the outputs at all
    node : whose rule it is
    """

    parts: tuple[str, ...]
    where: dict[int, np.ndarray | None]

    def __init__(self, parts: tuple[str, ...], where: dict[int, np.ndarray | None]) -> None:
        super().__init__(*parts)
        self.parts, self.where = parts, where
        self.node: Any = None


def expect_vectors_unmoved(
    g: Any, y: Any, values: Any, what: str, rows: Sequence[int] = (), squared: bool = False
) -> None:
    """Raise if the gradients of vectors, 0 in the plane of ``values`` that coincide, move with these.

    Parameters
    ----------
    g, y : the gradients of all outputs, and the outputs
    rows : the numbers of the outputs whose vectors are in rows; all others but the values' are in columns
    squared : as of `mark_degenerate_gradient`
    """
    closed = _closed_gaps(ndarray_of(values), squared, 2)
    if squared and all(part.shape[-2] == part.shape[-1] == values.shape[-1] for part in y if part.ndim > values.ndim):
        closed &= ~np.eye(values.shape[-1], dtype=bool)  # a square matrix: nothing lies beside all vectors
    if modes.decided.get() or not closed.any():
        return
    some, n = closed.any(-1), values.shape[-1]
    where: dict[int, np.ndarray | None] = {}
    for k, part in enumerate(y):
        if part.ndim > some.ndim:
            mask = where[k] = np.zeros(part.shape, bool)
            if k in rows:
                mask[..., :n, :] = some[..., :, None]
            else:
                mask[..., :n] = some[..., None, :]
    expect_unmoved(g, y, where, _undefined(what, "vectors have", values, closed))


def expect_unmoved(g: Any, y: Any, where: dict[int, np.ndarray | None], parts: tuple[str, str, str]) -> None:
    """Raise a GradientError of these parts if the gradients of outputs move with the outputs: see `Undecided`."""
    if modes.decided.get():
        return
    if not any(isinstance(gk, Tensor) for gk in g):
        raise Undecided(parts, where)
    for k, mask in where.items():
        if isinstance(g[k], Tensor) and g[k]._node is not None and modes.moves_with(g[k], mask, y):
            raise GradientError(*parts)


def mark_degenerate_gradient(
    d: Any, g: Any, y: Sequence[Any], left: Callable[[], Any], right: Any, what: str, squared: bool = False
) -> Any:
    """The gradient ``d = left diag(g) right + …`` of a loss of ``values``, whose own derivative raises where it needs
    a gap that is closed.

    Parameters
    ----------
    g : the derivatives of the loss in the values
    y : the values and the vectors, as they were computed
    left, right : the vectors, in columns (as a function, called where they are needed) and in rows
    squared : the values are singular values: their squares' gaps count, and zeros, beside which there are more vectors
    """
    if not isinstance(g, Tensor):
        return d
    values = next(part for part in y if part.ndim == g.ndim)
    shut = _closed_gaps(ndarray_of(values), squared)
    if not shut.any():
        return d
    unlike = shut & _unlike(ndarray_of(g))
    # d is one of many, which all do where the matrix does not move, but not to second order
    _expect_none(unlike, what, "gradient of a loss of the values has", values)
    if g._node is None or not modes.moves_apart(g, shut, y):
        return d
    return degenerate_gradient_row(
        d, ndarray_of(values), ndarray_of(left()), ndarray_of(right), shut, bool(squared), what
    )


def mark_degenerate_tangents(
    moved: Any, change: Any, values: Any, left: Any, right: Any, what: str, squared: bool = False
) -> Any:
    """The tangents of ``values`` as the matrix changes, whose own derivative raises where that ``change`` turns the
    vectors of values that coincide: what the loss will make of them is not known here."""
    shut = _closed_gaps(ndarray_of(values), squared)
    if shut.any():
        shut = shut & _touched(ndarray_of(change), ndarray_of(values), ndarray_of(left), ndarray_of(right), squared)
    return degenerate_tangents_row(moved, ndarray_of(values), shut, what) if shut.any() else moved


def expect_no_zero(change: Any, values: Any, left: Any, right: Any) -> None:
    """Raise where a ``change`` turns vectors of a singular value of zero into what lies beside all vectors."""
    own = _closed_gaps(values, True) & _zero(values)[..., None]
    if own.any():
        own &= _touched(change, values, left, right, True)
    _expect_none(own, "linalg.svd", "vectors have", values)


def _coincident(values: Any, order: int = 1) -> Any:
    """The pairs that are not told apart, or so little that nothing is left of the digits of what is divided by their
    gap, as derivatives of the second order in vectors are twice."""
    v = ndarray_of(values)
    near = np.finfo(v.dtype).eps ** (0.75 if order == 1 else 0.5) * np.abs(v).max(-1, initial=0, keepdims=True)
    return np.abs(v[..., None, :] - v[..., :, None]) <= np.maximum(_resolution(v), near)[..., None]


def _closed_gaps(v: Any, squared: bool, order: int = 1) -> Any:
    """The pairs whose gap is closed; a value and itself only where that is a singular value of zero, which stands for
    what lies beside all vectors."""
    shut = _coincident(v * v if squared else v, order)
    apart = ~np.eye(v.shape[-1], dtype=bool)
    if squared:
        apart = apart | _zero(v)[..., None]
    return shut & apart


def _unlike(g: Any) -> Any:
    """The pairs of values in which a loss has unlike slopes; a value and itself where it has any."""
    apart = np.abs(g[..., None, :] - g[..., :, None])
    apart = np.where(np.eye(g.shape[-1], dtype=bool), np.abs(g)[..., None], apart)
    return apart > 1e-9 * np.abs(g).max(-1, initial=0)[..., None, None]


def _zero(v: Any) -> Any:
    return np.abs(v) <= _resolution(v)


def _resolution(v: Any) -> Any:
    """Per matrix, below what its values are not told apart."""
    return np.finfo(v.dtype).eps * v.shape[-1] * np.abs(v).max(-1, initial=0, keepdims=True)


def _least(size: Any, values: Any) -> Any:
    """Per matrix, below what an entry is rounding beside the largest."""
    return _ROUNDING * np.finfo(ndarray_of(values).dtype).eps * size.max((-2, -1), initial=0, keepdims=True)


def _touched(change: Any, values: Any, left: Any, right: Any, squared: bool) -> Any:
    """Where a change of the matrix has a part in the plane of two vectors, or (singular values) beside all of them."""
    size = np.abs(change)
    least = _least(size, values)
    beside_right = change @ adjoint(right)
    inner = adjoint(left) @ beside_right
    inner = np.maximum(np.abs(inner), np.abs(np.swapaxes(inner, -1, -2)))
    if squared:
        below = np.abs(beside_right - left @ (adjoint(left) @ beside_right)).max(-2, initial=0)
        across = adjoint(left) @ change
        beyond = np.abs(across - across @ adjoint(right) @ right).max(-1, initial=0)
        diagonal = np.eye(values.shape[-1], dtype=bool)
        outside = np.maximum(below, beyond)[..., None]
        own = np.where(diagonal, np.maximum(outside, np.abs(inner.imag) if np.iscomplexobj(inner) else 0), 0)
        inner = np.where(diagonal, own, inner)
    return inner > least


def _degenerate_gradient_rule(g: Any, values: Any, left: Any, right: Any, shut: Any, squared: Any, what: Any) -> Any:
    wanted = ndarray_of(shut).astype(bool) & _touched(
        ndarray_of(g), ndarray_of(values), ndarray_of(left), ndarray_of(right), squared
    )
    _expect_none(wanted, what, "gradient of a loss of the values has", values)
    return g


def _degenerate_tangents_rule(g: Any, values: Any, shut: Any, what: Any) -> Any:
    _expect_none(ndarray_of(shut), what, "values' derivative has", values)
    return g


def _expect_none(wanted: np.ndarray, what: str, subject: str, values: Any) -> None:
    """Raise where a derivative is asked for that is not there, since a gap is closed."""
    if wanted.any():
        raise GradientError(*_undefined(what, subject, values, wanted))


def _undefined(what: str, subject: str, values: Any, wanted: Any) -> tuple[str, str, str]:
    """The parts of the error: a derivative that is not there, since a gap is closed."""
    *batch, i, j = (int(k[0]) for k in np.nonzero(wanted))
    ours = ndarray_of(values)[tuple(batch)]
    gap = f"the gap between the values {i} and {j} is {abs(ours[i] - ours[j]):.1e}."
    return (
        f"{what}: the {subject} no derivative where "
        + (f"values coincide: {gap}" if i != j else f"value {i} is zero."),
        f"The values are {np.array2string(ours, precision=6)}.",
        "Differentiate the values only, and those once, or move the matrix off the degenerate point.",
    )  # fmt: skip


def _sample(rng: Any) -> Any:
    d, v = rng.normal(size=(3, 3)), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return [d, np.array([1.0, 2.0, 3.0]), v, v.T, np.zeros((3, 3), bool)], (False, "linalg.eigh")


degenerate_gradient_row = fallible(
    "mark_degenerate_gradient", lambda d, values, left, right, shut, squared, what: +d,
    _degenerate_gradient_rule, None, None, None, None,
    sample=_sample, doc="d, whose derivative raises where it turns vectors of values that coincide",
)  # fmt: skip
degenerate_tangents_row = fallible(
    "mark_degenerate_tangents", lambda moved, values, shut, what: +moved, _degenerate_tangents_rule, None, None,
    sample=sampled("linalg.eigh", of=[(3,), np.array([1.0, 2.0, 3.0]), np.zeros((3, 3), bool)]),
    doc="values, whose derivative raises",
)  # fmt: skip


# --------------------------------------------- Decompositions: eigenvalues of Hermitian matrices, singular values, QR

# The idea to hold: a small change of the matrix turns the vectors into each other, by angles that are divided by gaps:
# between eigenvalues, between squared singular values. Where a gap is zero the vectors have no derivative, and the
# rule says so, naming the gap; the values keep theirs as long as nobody asks for the vectors'.
# Source: M. B. Giles, Collected matrix derivative results (2008); for complex matrices, S.-X. Wan and S.-X. Zhang,
# Automatic differentiation for complex valued SVD (2019). These rules speak PyTorch's complex convention themselves.


# -------------------------------------------------------------------------------------------------- small helpers


def _eye(x: Any) -> np.ndarray:
    return np.eye(x.shape[-1], dtype=_config.real_of(x.dtype))


def diagonal_entries(x: Any) -> Any:
    return einsum("...ii->...i", x)


def expect_no_phase(diagonal: Any, what: str) -> None:
    """Vectors of a complex matrix are known up to a phase; a loss that depends on it has no gradient."""
    turn, size = np.abs(ndarray_of(diagonal).imag).max(initial=0), np.abs(ndarray_of(diagonal)).max(initial=0)
    if turn > 1e-2 * max(size, 1e-300) and turn > 1e-6:
        raise GradientError(
            f"{what}: the vectors in the complex case are specified up to multiplication by e^(i phi). The specified "
            "loss function depends on this quantity, so it is ill-defined.",
            "", "Use a loss that does not change with the vectors' phases.",
        )  # fmt: skip


def _skew(x: Any) -> Any:
    return x - adjoint(x)


@contextmanager
def converging(what: str) -> Iterator[None]:
    """LAPACK's errors, inside, in PyTorch's words."""
    try:
        yield
    except np.linalg.LinAlgError as error:
        raise LinAlgError(
            f"{what}: The algorithm failed to converge: {error}", "", "Look for NaN and inf in the matrix."
        ) from None


# ------------------------------------------------------------------------------------------------- eigenvalues


def _hermitian(rng: Any) -> Any:
    a = rng.normal(size=(3, 3))
    return [a + a.T], ("L",)


def _eigh(x: np.ndarray, UPLO: Any) -> Any:
    with converging("linalg.eigh"):
        return tuple(np.linalg.eigh(x, UPLO))


def turns_of_vectors(g: Any, y: Any, what: str) -> tuple[Any, Any]:
    """By which angles a change turns eigenvectors into each other, of those of their gradients; and these."""
    (_, gv), (w, v) = g, y
    inner = adjoint(v) @ gv
    if is_complex(v):
        expect_no_phase(diagonal_entries(inner), what)
    turns = over_gaps(inner, w, what)
    expect_vectors_unmoved(g, y, w, what)
    return turns, inner


def _eigh_rule(g: Any, y: Any) -> Any:
    (gw, _), (_, v) = g, y
    turns, _ = turns_of_vectors(g, y, "linalg.eigh")
    d = hermitian(v @ (turns + as_row(gw) * _eye(v)) @ adjoint(v))
    return mark_degenerate_gradient(d, gw, y, lambda: v, adjoint(v), "linalg.eigh")


eigh_row = fallible(
    "eigh", _eigh, _eigh_rule, outputs=True, holomorphic=False, own_dtype=True,
    means="option", last=2, sample=_hermitian, doc="eigenvalues, ascending, and eigenvectors of a Hermitian matrix",
)  # fmt: skip
_Eigh = result("linalg_eigh", "eigenvalues", "eigenvectors")


def eigh(A: Any, UPLO: str = "L") -> Any:
    """Return ``(eigenvalues, eigenvectors)`` of a symmetric or Hermitian matrix: values ascending, vectors in columns.

    Parameters
    ----------
    UPLO : which triangle is read; the gradient is that of a function of Hermitian matrices

    Raises
    ------
    GradientError : in backward, when the vectors' derivative is asked for and two eigenvalues coincide

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[2.0, 0.0], [0.0, 5.0]], requires_grad=True)
    >>> sg.linalg.eigh(A).eigenvalues[1].backward()
    >>> A.grad
    tensor([[0., 0.],
            [0., 1.]])
    """
    expect_matrix(A, "linalg.eigh")
    if UPLO.upper() not in ("L", "U"):
        raise ValueError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return _Eigh(*eigh_row(A, UPLO.upper()))


def eigvalsh(A: Any, UPLO: str = "L") -> Any:
    """Return the eigenvalues of a real symmetric or Hermitian matrix, ascending."""
    return eigh(A, UPLO)[0]


def _eig(x: np.ndarray) -> Any:
    with converging("linalg.eig"):
        w, v = np.linalg.eig(x)
    if x.dtype.kind == "f" and not w.imag.any():  # which NumPy 2.5 gives as complex numbers all the same
        return w.real.copy(), v.real.copy()
    return w, v


def _defective(vectors: Any) -> np.ndarray:
    """Which matrices cannot be diagonalized to half of the digits: two vectors are one, or all of them span too little.

    Eigenvalues that have one vector move by a root of a change: their sum has a derivative and their largest none, but
    the cotangent (½, ½) is that of both. So it does not decide.
    """
    v = ndarray_of(vectors)
    if not v.size:
        return np.zeros(v.shape[:-2], bool)
    eps = np.finfo(v.dtype).eps
    parallel = np.triu(1 - np.abs(adjoint(v) @ v) < 1e2 * eps, 1).any((-2, -1))
    return np.asarray(parallel | (np.linalg.cond(v) > eps**-0.6))


def expect_diagonalizable(values: Any, vectors: Any) -> None:
    """Raise where a matrix is defective, whatever is asked of it."""
    which = _defective(vectors)
    if which.any():
        raise GradientError(*_of_defective(which, values, vectors))


def _of_defective(which: np.ndarray, values: Any, vectors: Any) -> tuple[str, str, str]:
    """The parts of the error, of the first matrix."""
    at = tuple(np.argwhere(which)[0])
    w, v = ndarray_of(values)[at], ndarray_of(vectors)[at]
    parallel = np.abs(adjoint(v) @ v) - np.eye(len(w))
    i, j = sorted(map(int, np.unravel_index(int(parallel.argmax()), parallel.shape)))
    return (
        "linalg.eig: the eigenvalues have no derivative where two of them coincide and have one vector: the gap "
        f"between the values {i} and {j} is {abs(w[i] - w[j]):.1e}.",
        f"The values are {np.array2string(w, precision=6)}; the matrix cannot be diagonalized.",
        "Take what is symmetric in them from the matrix itself (trace, det, matrix_exp), or move it off this point.",
    )


def _eig_rule(g: Any, x: Any, y: Any) -> Any:
    (gw, gv), (w, v) = g, y
    expect_diagonalizable(w, v)
    inner = adjoint(v) @ gv
    expect_no_phase(diagonal_entries(inner), "linalg.eig")
    # each vector has length 1: its own part of a change is taken out
    turns = over_gaps(inner - adjoint(v) @ (v * as_row(diagonal_entries(inner).real)), conj(w), "linalg.eig")
    expect_vectors_unmoved(g, y, w, "linalg.eig")
    d = solve_row(adjoint(v), (turns + as_row(gw) * _eye(v)) @ adjoint(v))
    d = mark_degenerate_gradient(d, gw, y, lambda: np.linalg.pinv(adjoint(ndarray_of(v))), adjoint(v), "linalg.eig")
    return row_function("real")(d) if is_complex(d) and not is_complex(x) else d


eig_row = fallible(
    "eig", _eig, _eig_rule, outputs=True, holomorphic=False, own_dtype=True,
    sample=lambda rng: ([0.5 * rng.normal(size=(3, 3)) + np.diag([0.0, 4.0, 8.0])], ()), last=2,
    doc="eigenvalues and eigenvectors of a square matrix, real if all are",
)  # fmt: skip
_Eig = result("linalg_eig", "eigenvalues", "eigenvectors")


def eig(A: Any) -> Any:
    """Return ``(eigenvalues, eigenvectors)`` of a square matrix, complex and in no order; the vectors are columns.

    Raises
    ------
    GradientError : in backward, when the vectors' derivative is asked for and two eigenvalues coincide, or when it is
        that of a function which depends on their phases
    """
    expect_matrix(A, "linalg.eig")
    target = A.dtype if is_complex(A) else _config.complex_of(A.dtype)
    return _Eig(*(cast(v, target) for v in eig_row(A)))


def eigvals(A: Any) -> Any:
    """Return the eigenvalues of a square matrix, complex and in no order."""
    return eig(A)[0]


# --------------------------------------------------------------------------------------------- singular values


def _svd(x: np.ndarray, full: bool) -> Any:
    with converging("linalg.svd"):
        if not np.isfinite(x).all():  # LAPACK may not return
            raise np.linalg.LinAlgError("the input matrix contained non-finite values")
        return tuple(np.linalg.svd(x, full_matrices=full))


def _spanned(u: Any, g: Any, k: int) -> tuple[Any, Any, Any]:
    """The first k vectors, their gradient, and what turns these into the further ones of full matrices.

    The further ones span what is left, in a basis that is nobody's: a loss that depends on the basis has no gradient.
    """
    if u.shape[-1] == k:
        return u, g, 0.0
    (first, rest), (g, further) = ((t[..., :k], t[..., k:]) for t in (u, g))
    basis = ndarray_of(_skew(adjoint(rest) @ further))
    if np.abs(basis).max(initial=0) > 1e-6 * np.abs(ndarray_of(further)).max(initial=0):
        raise GradientError(
            "linalg.svd: the loss depends on which basis the further vectors of full matrices are.",
            "", "Use full_matrices=False, or only what they span, like U2 @ U2.mH.",
        )  # fmt: skip
    return first, g, rest @ (adjoint(further) @ first)


def _svd_rule(g: Any, y: Any) -> Any:
    (gu, gs, gvh), (u, s, vh) = g, y
    m, n, k = u.shape[-2], vh.shape[-1], s.shape[-1]
    u, gu, turned_u = _spanned(u, gu, k)
    v, gv, turned_v = _spanned(adjoint(vh), adjoint(gvh), k)
    inner_u, inner_v = _skew(adjoint(u) @ gu), _skew(adjoint(v) @ gv)
    squares = s * s
    turns_u, turns_v = (over_gaps(inner, squares, "linalg.svd") for inner in (inner_u, inner_v))
    expect_vectors_unmoved(g, y, s, "linalg.svd", rows=(2,), squared=True)
    middle = turns_u * as_row(s) + as_column(s) * turns_v
    middle = middle + as_row(gs) * _eye(middle)
    if is_complex(u):
        expect_no_phase(diagonal_entries(inner_u + inner_v), "linalg.svd")
        middle = middle + as_row(div_or_zero(diagonal_entries(inner_u), 2 * s)) * _eye(middle)
    d = u @ middle @ adjoint(v)
    if m > k:
        outside = gu - u @ (adjoint(u) @ gu) - turned_u
        d = d + over_values(outside, s, (gu, gvh)) @ adjoint(v)
    if n > k:
        outside = gv - v @ (adjoint(v) @ gv) - turned_v
        d = d + u @ adjoint(over_values(outside, s, (gu, gvh)))
    return mark_degenerate_gradient(d, gs, y, lambda: u, adjoint(v), "linalg.svd", squared=True)


svd_row = fallible(
    "svd", _svd, _svd_rule, outputs=True, holomorphic=False, own_dtype=True,
    means="option", last=2, sample=sampled(False, of=[(3, 2)]),
    doc="singular vectors and singular values, descending",
)  # fmt: skip
_Svd = result("linalg_svd", "U", "S", "Vh")
_OldSvd = result("svd", "U", "S", "V")


def linalg_svd(A: Any, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """Return ``(U, S, Vh)`` with ``A = U @ diag(S) @ Vh``, S descending.

    The further columns that ``full_matrices`` adds have no derivative of their own. ``driver`` is for other devices.

    Raises
    ------
    GradientError : in backward, when the vectors' derivative is asked for and two singular values coincide
    """
    _no_driver(driver, "linalg.svd")
    expect_matrix(A, "linalg.svd", square=False)
    return _Svd(*svd_row(A, bool(full_matrices)))


@public()
def svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """Return ``(U, S, V)`` with ``A = U @ diag(S) @ V.mH``: the older form of `linalg.svd`."""
    expect_matrix(input, "linalg.svd", square=False)
    u, s, vh = svd_row(input, not some)
    if not compute_uv:
        u, vh = u * 0, vh * 0
    return _OldSvd(u, s, adjoint(vh))


def _no_driver(driver: Any, what: str) -> None:
    if driver is not None:
        raise ShapeError(
            f"{what}: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.",
            f"It is {driver!r}.", "Leave it out.",
        )  # fmt: skip


def svdvals(A: Any, *, driver: str | None = None) -> Any:
    """Return the singular values, descending."""
    _no_driver(driver, "linalg.svdvals")
    expect_matrix(A, "linalg.svdvals", square=False)
    return svd_row(A, False)[1]


# ----------------------------------------------------------------------------------------------------------- QR


def _qr(x: np.ndarray, mode: Any) -> Any:
    if mode == "r":
        return np.empty((*x.shape[:-2], 0, 0), x.dtype)[..., :0], np.linalg.qr(x, mode="r")
    return tuple(np.linalg.qr(x, mode=mode))


def _qr_rule(g: Any, y: Any, mode: Any) -> Any:
    (gq, gr), (q, r) = g, y
    if mode == "r":
        raise GradientError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'.", "",
            "Please use linalg.qr(A, mode='reduced') if you are going to require gradients through linalg.qr.",
        )  # fmt: skip
    m, k, n = q.shape[-2], q.shape[-1], r.shape[-1]
    if mode == "complete" and m > n:
        raise GradientError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols",
            f"It was {m} by {n}.",
            "Use mode='reduced'.",
        )
    if n <= m:
        return _qr_tall(gq, gr, q, r)
    # wide: A = [X | Y] and R = [U | V], where V = Q^H Y only follows
    gv, v = gr[..., k:], r[..., k:]
    gx = _qr_tall(gq + q @ v @ adjoint(gv), gr[..., :k], q, r[..., :k])
    return row_function("cat")([gx, q @ gv], q.ndim - 1)


def _qr_tall(gq: Any, gr: Any, q: Any, r: Any) -> Any:
    n = int(r.shape[-1])
    plain = np.abs(ndarray_of(r))
    least = (
        np.diagonal(plain, axis1=-2, axis2=-1)
        <= n * np.finfo(plain.dtype).eps * plain.max((-2, -1), initial=0)[..., None]
    )
    if least.any():
        *_, k = (int(i[0]) for i in np.nonzero(least))
        raise GradientError(
            "linalg.qr has no derivative where the columns depend on each other",
            f"Column {k} is a combination of those before: R[{k}, {k}] is 0 beside the largest entry.",
            "Leave such columns out, or decompose A + ε·I.",
        )
    upper = (gr @ adjoint(r) - adjoint(q) @ gq) * np.tri(n, n, dtype=_config.real_of(r.dtype)).T
    both = (upper + adjoint(upper)) * (1 - 0.5 * _eye(r))
    return triangular_row(adjoint(r), gq + q @ both, False, False, False)


qr_row = fallible(
    "qr", _qr, _qr_rule, outputs=True, holomorphic=False, own_dtype=True,
    means="option", last=2, sample=sampled("reduced", of=[(3, 2)]),
    doc="orthonormal columns and an upper triangular matrix",
)  # fmt: skip
_LinalgQr = result("linalg_qr", "Q", "R")
_Qr = result("qr", "Q", "R")


def linalg_qr(A: Any, mode: str = "reduced") -> Any:
    """Return ``(Q, R)`` with ``A = Q @ R``: Q has orthonormal columns, R is upper triangular.

    Parameters
    ----------
    mode : 'reduced', 'complete' (Q square; differentiable where A is not taller than wide) or 'r' (R only; not
        differentiable)
    """
    expect_matrix(A, "linalg.qr", square=False)
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(
            f"qr received unrecognized mode {mode!r} but expected one of 'reduced' (default), 'r', or 'complete'",
        )
    return _LinalgQr(*qr_row(A, mode))


@public()
def qr(input: Any, some: bool = True) -> Any:
    """Return ``(Q, R)``, as `linalg.qr` does."""
    return _Qr(*linalg_qr(input, "reduced" if some else "complete"))


# -------------------------------------------------------------------------------------------------------------------
# Singular values, the largest of them: what PyTorch finds by random projections is cut from the whole here


@public(method=False)
def svd_lowrank(A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None) -> Any:
    """Return ``(U, S, V)``, the ``q`` largest singular values of ``A`` (less ``M``) with their vectors: exactly.

    ``niter`` is not needed. The derivatives of the vectors are those of `linalg.svd`.
    """
    U, S, Vh = linalg_svd(A if M is None else A - M, False)
    q = 6 if q is None else q
    return U[..., :q], S[..., :q], adjoint(Vh)[..., :q]


@public(method=False)
def pca_lowrank(A: Any, q: int | None = None, center: bool = True, niter: int = 2) -> Any:
    """Return ``(U, S, V)``: `svd_lowrank` of the rows of ``A`` less their mean; V has the principal directions."""
    m, n = sizes(A)[-2:]
    q = min(6, m, n) if q is None else q
    if not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ShapeError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A, q, niter, mean(A, -2, True) if center else None)
