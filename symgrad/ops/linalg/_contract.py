"""Products of vectors, matrices and batches of them.

The idea to hold: a product is linear in each operand, so the gradient of one operand is a product of the incoming
gradient with the other, and nothing else is saved. Rows are told apart by the number of dimensions, as PyTorch
tells its nodes apart; `matmul` and ``@`` only choose the row. Products that are no matrix product are in
`_einsum.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import DTypeError, ShapeError
from ...core import (
    NUMPY,
    Carrier,
    Tensor,
    borrowed,
    describe,
    guarded,
    is_sparse,
    is_table,
    mismatch,
    modes,
    multilinear,
    opened,
    own,
    plain_array,
    sum_to,
    table,
    wrap,
)
from .._dims import sizes
from .._numpy_arguments import of_lines
from .._public import public, publish


def fit(d: Any, shape: tuple[int, ...]) -> Any:
    """Sum a gradient (or broadcast it) to the shape of the operand it belongs to."""
    if d.shape == shape:
        return d
    return sum_to(d, shape) if isinstance(d, np.ndarray) else table("sum_to")(d, shape)


def _outer(a: Any, b: Any) -> Any:
    # the row on arrays would cost a microsecond more
    return a[:, None] * b if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) else outer_row(a, b)


def _rows(x: Any) -> Any:
    """A batch of matrices as one matrix: its rows below each other."""
    return x.reshape((math.prod(x.shape[:-1]), x.shape[-1]))


def _folded(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    # one product of two matrices instead of one per matrix of the batch
    return (_rows(a) @ b).reshape(a.shape[:-1] + b.shape[-1:])


def _two(rng: Any, *shapes: tuple[int, ...]) -> Any:
    return [rng.normal(size=s) for s in shapes], ()


# ------------------------------------------------------------------------------------------------- rows

# the method is the quickest way into the same BLAS call: np.matmul takes a microsecond more
mm_row: Any = multilinear(
    "mm", np.ndarray.dot, lambda g, b: mm_row(g, b.T), lambda g, a: mm_row(a.T, g),
    symbol="@", sample=lambda rng: _two(rng, (2, 3), (3, 4)), refusal=lambda a, b: _refusal(a, b),
    equation="ij,jk->ik", new=(0, 1), doc="the product of two matrices",
)  # fmt: skip
mv_row = multilinear(
    "mv", np.ndarray.dot, lambda g, b: _outer(g, b), lambda g, a: g @ a,
    symbol="@", sample=lambda rng: _two(rng, (2, 3), (3,)),
    equation="ij,j->i", new=(0, 1), doc="a matrix times a vector",
)  # fmt: skip
vm_row = multilinear(
    "vm", np.ndarray.dot, lambda g, b: b @ g, lambda g, a: _outer(a, g),
    symbol="@", sample=lambda rng: _two(rng, (3,), (3, 4)),
    equation="i,ij->j", new=(0, 1), doc="a vector times a matrix",
)  # fmt: skip
dot_row = multilinear(
    "dot", np.ndarray.dot, lambda g, b: g * b, lambda g, a: g * a,
    symbol="@", sample=lambda rng: _two(rng, (3,), (3,)),
    equation="i,i->", new=(0, 1), doc="the sum of products of two vectors",
)  # fmt: skip
vdot_row = multilinear(
    "vdot", lambda a, b: np.vdot(a, b), lambda g, b: np.conj(g) * b, lambda g, a: g * a,
    holomorphic=False, sample=lambda rng: _two(rng, (3,), (3,)), doc="the sum of products, the first vector conjugated",
)  # fmt: skip
outer_row = multilinear(
    "outer", lambda a, b: np.multiply.outer(a, b), lambda g, b: g @ b, lambda g, a: a @ g,
    sample=lambda rng: _two(rng, (3,), (4,)),
    equation="i,j->ij", new=(0, 1), doc="every product of an entry of a and one of b",
)  # fmt: skip
bmm_row: Any = multilinear(
    "bmm", np.matmul, lambda g, b: bmm_row(g, b.mT), lambda g, a: bmm_row(a.mT, g),
    symbol="@", sample=lambda rng: _two(rng, (2, 2, 3), (2, 3, 4)),
    equation="zij,zjk->zik", new=(0, 1), doc="the products of two batches of matrices",
)  # fmt: skip
# What `@` does with more dimensions. PyTorch's nodes are the last steps of how it does it, hence their names.
folded_row: Any = multilinear(
    "matmul_folded", lambda a, b: _folded(a, b), lambda g, b: folded_row(g, b.T), lambda g, a: _rows(a).T @ _rows(g),
    symbol="@", sample=lambda rng: _two(rng, (2, 2, 3), (3, 4)),
    equation="...ij,jk->...ik", new=(0, 1), doc="a batch of matrices times one matrix",
)  # fmt: skip
batched_row = multilinear(
    "matmul_batched", np.matmul,
    lambda g, b, shape: fit(g @ b.mT, shape), lambda g, a, shape: fit(a.mT @ g, shape),
    symbol="@", sample=lambda rng: _two(rng, (2, 1, 2, 3), (4, 3, 2)),
    equation="...ij,...jk->...ik", new=(0, 1), doc="the products of two batches of matrices, the batches broadcast",
)  # fmt: skip
batched_mv_row = multilinear(
    "matmul_batched_vector", np.matmul,
    lambda g, b: table("outer_batched")(g, b), lambda g, a: _flat(g) @ _rows(a),
    symbol="@", sample=lambda rng: _two(rng, (2, 2, 3), (3,)),
    equation="...ij,j->...i", new=(0, 1), doc="a batch of matrices times one vector",
)  # fmt: skip
outer_batched_row = multilinear(
    "outer_batched", lambda a, b: a[..., None] * b, lambda g, b: batched_mv_row(g, b), lambda g, a: _flat(a) @ _rows(g),
    sample=lambda rng: _two(rng, (2, 3), (4,)), label="outer",
    equation="...i,j->...ij", new=(0, 1), doc="the products of every entry of a with b",
)  # fmt: skip


def _flat(x: Any) -> Any:
    return x.reshape((math.prod(x.shape),))


# ------------------------------------------------------------------------------------------------- matmul

_BY_DIMENSIONS = {(2, 2): mm_row, (2, 1): mv_row, (1, 2): vm_row, (1, 1): dot_row}


def matmul(input: Any, other: Any) -> Any:
    """Return the matrix product: of vectors their dot product, of higher dimensions batches of matrix products.

    Raises
    ------
    ShapeError : the inner sizes differ, or an operand has no dimensions

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> y = A @ sg.tensor([1.0, -1.0])
    >>> y
    tensor([-1., -1.], grad_fn=<MvBackward0>)
    >>> y.sum().backward()
    >>> A.grad
    tensor([[ 1., -1.],
            [ 1., -1.]])
    """
    try:
        na, nb = input._data.ndim, other._data.ndim
        row = mm_row if na == nb == 2 else _BY_DIMENSIONS.get((na, nb))
    except AttributeError:
        if isinstance(input, Carrier) or isinstance(other, Carrier):
            return opened(matmul)(input, other)
        if type(input) is np.ndarray and isinstance(other, Tensor):  # data: as a tensor it takes the short way
            return borrowed(matmul(wrap(own(plain_array(input))), other), (input,))
        if type(other) is np.ndarray and isinstance(input, Tensor):
            return borrowed(matmul(input, wrap(own(plain_array(other)))), (other,))
        if is_sparse(input) or is_sparse(other):
            return modes.sparse(input, other)
        if is_table(input) or is_table(other):
            return matmul(*[plain_array(a) if is_table(a) else a for a in (input, other)])
        # arrays alone, or something that only `row` knows to refuse
        both = hasattr(input, "shape") and hasattr(other, "shape")
        if isinstance(input, (int, float, complex)) or isinstance(other, (int, float, complex)):
            raise DTypeError(
                f"unsupported operand type(s) for @: {type(input).__name__!r} and {type(other).__name__!r}",
                "A matrix product needs vectors or matrices.", "Use * to multiply by a number.",
            ) from None  # fmt: skip
        row = _BY_DIMENSIONS.get((len(sizes(input)), len(sizes(other)))) if both else mm_row
    if row is None:
        return _matmul_batched(input, other)
    try:
        return row(input, other)
    except ShapeError:
        raise _refusal(input, other) from None


def _matmul_batched(a: Any, b: Any) -> Any:
    shape_a, shape_b = sizes(a), sizes(b)
    na, nb = len(shape_a), len(shape_b)
    if na == 0 or nb == 0:
        raise ShapeError(
            f"both arguments to matmul need to be at least 1D, but they are {na}D and {nb}D",
            "",
            "Use * to multiply by a number.",
        )
    try:
        if nb == 2:
            return folded_row(a, b)
        if nb == 1:
            return batched_mv_row(a, b)
        if na == 1:
            return batched_mv_row(b.mT, a)
        return batched_row(a, b)
    except ShapeError:
        raise _refusal(a, b) from None


def _refusal(first: Any, second: Any) -> ShapeError:
    """PyTorch's words for a product whose sizes do not fit (it flattens batches first, and says those sizes)."""
    a, b = sizes(first), sizes(second)
    na, nb = len(a), len(b)
    if na == nb == 1:
        what = (
            f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of elements, "
            f"but got {a[0]} and {b[0]} elements respectively"
        )
    elif nb == 1 or (na == 1 and nb > 2):
        matrix, vector = (a, b) if nb == 1 else (b[:-2] + (b[-1], b[-2]), a)
        rows = math.prod(matrix[:-1])
        what = f"size mismatch, got input ({rows}), mat ({rows}x{matrix[-1]}), vec ({vector[0]})"
    elif nb == 2:
        what = f"mat1 and mat2 shapes cannot be multiplied ({math.prod(a[:-1])}x{a[-1]} and {b[0]}x{b[1]})"
    elif na == 2:
        what = f"mat1 and mat2 shapes cannot be multiplied ({math.prod(b[:-2]) * b[-1]}x{b[-2]} and {a[1]}x{a[0]})"
    else:
        what = _batch_refusal(a, b)
    return ShapeError(
        what,
        f"matmul got {describe((first, second))}: the last size of the first must be the "
        f"{'first' if nb <= 2 else 'last but one'} of the other.",
        "Transpose (.mT) or reshape one of them.",
    )  # fmt: skip


def _batch_refusal(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    words = mismatch(a[:-2], b[:-2])
    if words:
        return words
    count = math.prod(np.broadcast_shapes(a[:-2], b[:-2]))
    return (
        f"Expected size for first two dimensions of batch2 tensor to be: [{count}, {a[-1]}] "
        f"but got: [{count}, {b[-2]}]."
    )


publish(matmul, "matmul")
NUMPY[np.matmul] = matmul
Tensor.__matmul__ = guarded(mm_row, "_x0.ndim == 2 and _x1.ndim == 2", matmul)  # type: ignore[method-assign]
Tensor.__rmatmul__ = lambda self, other: matmul(other, self)  # type: ignore[method-assign]

# ------------------------------------------------------------------------ one function per kind of product


@public()
def mm(input: Any, mat2: Any) -> Any:
    """Return the product of two matrices."""
    _expect(len(sizes(input)) == 2, "self must be a matrix", input, mat2)
    _expect(len(sizes(mat2)) == 2, "mat2 must be a matrix", input, mat2)
    return matmul(input, mat2)


@public()
def mv(input: Any, vec: Any) -> Any:
    """Return the product of a matrix and a vector."""
    na, nb = len(sizes(input)), len(sizes(vec))
    _expect(na == 2 and nb == 1, f"vector + matrix @ vector expected, got 1, {na}, {nb}", input, vec)
    return matmul(input, vec)


@public()
def bmm(input: Any, mat2: Any) -> Any:
    """Return the products of two batches of matrices, (b, n, m) and (b, m, p); no broadcasting."""
    a, b = sizes(input), sizes(mat2)
    _expect(len(a) == 3, "batch1 must be a 3D tensor", input, mat2)
    _expect(len(b) == 3, "batch2 must be a 3D tensor", input, mat2)
    _expect(
        a[0] == b[0] and a[2] == b[1],
        f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: [{b[0]}, {b[1]}].",
        input, mat2,
    )  # fmt: skip
    return bmm_row(input, mat2)


@public()
def dot(input: Any, tensor: Any) -> Any:
    """Return the sum of products of two vectors (of one length; nothing is conjugated)."""
    _expect_vectors(input, tensor)
    return matmul(input, tensor)


@public()
def vdot(input: Any, other: Any) -> Any:
    """Return the sum of products of two vectors, the first conjugated."""
    _expect_vectors(input, other)
    if sizes(input) != sizes(other):
        raise _refusal(input, other)
    return vdot_row(input, other)


@public("ger")
def outer(input: Any, vec2: Any) -> Any:
    """Return the matrix of all products of an entry of ``input`` and one of ``vec2`` (vectors)."""
    for name, v in (("self", input), ("vec2", vec2)):
        n = len(sizes(v))
        _expect(n == 1, f"outer: Expected 1-D argument {name}, but got {n}-D", input, vec2)
    return outer_row(input, vec2)


NUMPY.update({np.vdot: of_lines(vdot), np.outer: of_lines(outer)})


def _expect(holds: bool, what: str, *operands: Any) -> None:
    if not holds:
        shapes = " and ".join(str(sizes(t)) for t in operands)
        raise ShapeError(
            what,
            f"The operands have shapes {shapes}.",
            "Write A @ B: the operator @ (matmul) takes any number of dimensions.",
        )


def _expect_vectors(a: Any, b: Any) -> None:
    na, nb = len(sizes(a)), len(sizes(b))
    _expect(na == nb == 1, f"1D tensors expected, but got {na}D and {nb}D tensors", a, b)
