"""Products with something more: added to a tensor, of three vectors, chained, affine, over pairs of dimensions."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..._errors import DimensionError, DTypeError, ShapeError
from ...core import LETTERS, NUMPY, Dim, general, multilinear
from ..arguments import alike, factor, kind_of, rank, sizes, tensor_like, unexpandable
from ..entries.copies import cast
from ..entries.elementwise import pow_tensor
from ..public import public
from ..reduce.sums import c_order
from ..samples import sampled
from .contract import _outer, _refusal, bmm, einsum, fit, matmul, pair_row, product

# --------------------------------- Products with something more: added to a tensor, of three vectors, chained, affine

# ``addmm`` and its relatives are one formula, ``beta * input + alpha * product``; a row for each only because PyTorch
# names its nodes so.


# ----------------------------------------------------------------------------------- beta * input + alpha * product


def _times(g: Any, factor: Any) -> Any:
    return g if type(factor) is int and factor == 1 else g * factor


def _sum(product: Callable[..., Any]) -> Callable[..., Any]:
    """The forward function; a ``beta`` of 0 ignores the input, NaN and all."""

    def forward(c: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
        y = _times(product(a, b), alpha)
        words = unexpandable(np.shape(c), y.shape)
        if words:
            raise ShapeError(
                words, "The input is added to the product and must broadcast to its shape.",
                "Check the sizes of the bias.",
            )  # fmt: skip
        return y if type(beta) in (int, float) and beta == 0 else y + _times(c, beta)

    return forward


def _fused(
    name: str,
    product: Callable[..., Any],
    rule_a: Callable[..., Any],
    rule_b: Callable[..., Any],
    *shapes: Any,
) -> Any:
    return general(
        name, _sum(product), lambda g, beta, shape: fit(_times(g, beta), tuple(shape)),
        lambda g, b, alpha, shape: _times(rule_a(g, b, tuple(shape)), alpha),
        lambda g, a, alpha, shape: _times(rule_b(g, a, tuple(shape)), alpha),
        sample=sampled(2.0, 3.0, of=shapes), new=(1, 2),
        doc=f"beta * input + alpha * the product that {name[3:]} means",
    )  # fmt: skip


addmm_row = _fused("addmm", np.matmul, lambda g, b, s: g @ b.T, lambda g, a, s: a.T @ g, (4,), (2, 3), (3, 4))
addmv_row = _fused("addmv", np.matmul, lambda g, b, s: _outer(g, b), lambda g, a, s: g @ a, (2,), (2, 3), (3,))
addr_row = _fused("addr", np.multiply.outer, lambda g, b, s: g @ b, lambda g, a, s: a @ g, (2, 3), (2,), (3,))
baddbmm_row = _fused(
    "baddbmm", np.matmul, lambda g, b, s: bmm(g, b.mT), lambda g, a, s: bmm(a.mT, g), (2, 2, 4), (2, 2, 3), (2, 3, 4)
)
addbmm_row = _fused(
    "addbmm",
    lambda a, b: np.matmul(a, b).sum(0),
    lambda g, b, s: g @ b.mT,
    lambda g, a, s: a.mT @ g,
    (2, 4),
    (3, 2, 3),
    (3, 3, 4),
)


def _expect_dims(t: Any, n: int, what: str) -> None:
    if rank(t) != n:
        raise ShapeError(what, f"It has shape {sizes(t)}.", "matmul (the operator @) takes any number of dimensions.")


def _addmm(input: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    shape1, shape2 = sizes(mat1), sizes(mat2)
    if shape1[1] != shape2[0]:  # refused in the product's own words
        raise _refusal(mat1, mat2)
    return addmm_row(input, mat1, mat2, beta, alpha)


@public(inplace=True)
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * (mat1 @ mat2)``, for matrices; ``input`` broadcasts."""
    for name, m in (("mat1", mat1), ("mat2", mat2)):
        _expect_dims(m, 2, f"{name} must be a matrix, got {rank(m)}-D tensor")
    return _addmm(input, mat1, mat2, *_factors(beta, alpha, input, mat1, mat2))


def _factors(beta: Any, alpha: Any, *operands: Any) -> tuple[Any, Any]:
    return factor(beta, *operands), factor(alpha, *operands)


@public(inplace=True)
def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * (mat @ vec)``."""
    shapes = [rank(t) for t in (input, mat, vec)]
    what = f"vector + matrix @ vector expected, got {', '.join(map(str, shapes))}"
    _expect_dims(mat, 2, what)
    _expect_dims(vec, 1, what)
    n, (rows, columns), (k,) = sizes(input), sizes(mat), sizes(vec)
    if columns != k or n not in ((), (1,), (rows,)):
        raise ShapeError(
            f"size mismatch, got input ({n[0] if n else 1}), mat ({rows}x{columns}), vec ({k})", "", "Check the sizes."
        )
    return addmv_row(input, mat, vec, *_factors(beta, alpha, input, mat, vec))


@public(inplace=True)
def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * outer(vec1, vec2)``; of truth values, whether either is true."""
    for name, v in (("vec1", vec1), ("vec2", vec2)):
        _expect_dims(v, 1, f"addr: Expected 1-D argument {name}, but got {rank(v)}-D")
    kinds = {kind_of(input), kind_of(vec1), kind_of(vec2)}
    for name, number in (("beta", beta), ("alpha", alpha)):
        if type(number) is float and kinds <= {"b", "i", "u"}:
            raise DTypeError(
                f"For integral input tensors, argument {name} must not be a floating point number.",
                f"It is {number}.", "Cast the tensors first: x.double().",
            )  # fmt: skip
    if kinds == {"b"}:
        return cast(addr_row(input, vec1, vec2, int(bool(beta)), int(bool(alpha))), bool)
    return addr_row(input, vec1, vec2, beta, alpha)


@public(inplace=True)
def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * bmm(batch1, batch2)``."""
    _expect_batches(batch1, batch2)
    return baddbmm_row(input, batch1, batch2, *_factors(beta, alpha, input, batch1, batch2))


@public(inplace=True)
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * bmm(batch1, batch2).sum(0)``."""
    _expect_batches(batch1, batch2)
    return addbmm_row(input, batch1, batch2, *_factors(beta, alpha, input, batch1, batch2))


def _expect_batches(a: Any, b: Any) -> None:
    _expect_dims(a, 3, "batch1 must be a 3D tensor")
    _expect_dims(b, 3, "batch2 must be a 3D tensor")
    (n, _, k), (m, j, _) = sizes(a), sizes(b)
    if n != m or k != j:
        raise ShapeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{n}, {k}] but got: [{m}, {j}].",
            f"The batches have shapes {sizes(a)} and {sizes(b)}.", "Batches do not broadcast here; @ does.",
        )  # fmt: skip


# ------------------------------------------------------------------------------------------------------ affine


def affine(input: Any, weight: Any, bias: Any = None) -> Any:
    """Return ``input @ weight.T + bias``: `torch.nn.functional.linear`, with ``input`` of any number of dimensions."""
    x, w = sizes(input), sizes(weight)
    if not x or not w:
        raise ShapeError(
            f"both arguments to linear need to be at least 1D, but they are {len(x)}D and {len(w)}D",
            "",
            "Use * to multiply.",
        )
    if bias is None or len(w) == 1:
        y = matmul(input, weight if len(w) == 1 else weight.t())
        return y if bias is None else y + bias
    _expect_dims(weight, 2, f"mat2 must be a matrix, got {len(w)}-D tensor")
    if len(x) == 2:
        return _addmm(bias, input, weight.t())
    return _addmm(bias, input.reshape((math.prod(x[:-1]), x[-1])), weight.t()).reshape((*x[:-1], w[0]))


bilinear_row: Any = multilinear(
    "bilinear", lambda a, b, c: (np.tensordot(a, c, (-1, 1)) @ b[..., None])[..., 0],
    lambda g, b, c, shape: fit(bilinear_row(g, b, c.transpose((1, 0, 2))), shape),
    lambda g, a, c, shape: fit(bilinear_row(g, a, c.transpose((2, 0, 1))), shape),
    lambda g, a, b: einsum("zo,zi,zj->oij", *map(_as_rows, (g, *_alike(a, b, g)))),
    equation="...i,...j,oij->...o",
    sample=sampled(of=[(2, 3), (2, 4), (5, 3, 4)]),
    doc="the products of rows of a and of b with each matrix of c",
)  # fmt: skip


def _as_rows(x: Any) -> Any:
    return x if len(x.shape) == 2 else x.reshape((math.prod(x.shape[:-1]), x.shape[-1]))


def _alike(a: Any, b: Any, g: Any) -> list[Any]:
    """The operands with the batch that the result has."""
    lead = g.shape[:-1]
    return [x if x.shape[:-1] == lead else np.broadcast_to(x, (*lead, x.shape[-1])) for x in (a, b)]


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """Return ``sum over i, j of input1[…, i] * weight[o, i, j] * input2[…, j]``, plus ``bias[o]``."""
    a, b, w = sizes(input1), sizes(input2), sizes(weight)
    shapes = f"The shapes are {a}, {b} and {w}."
    if len(w) != 3:
        raise ShapeError(f"bilinear(): weight must have 3 dimensions, got {len(w)}", shapes, "They are o, i and j.")
    for k, (s, n) in enumerate(((a, w[1]), (b, w[2]))):
        if not s or s[-1] != n:
            raise ShapeError(
                f"bilinear(): input{k + 1} size does not match weight size: got {s[-1] if s else 'a number'} but "
                f"expected {n}", shapes, "Check the last sizes.",
            )  # fmt: skip
    for d, (m, n) in enumerate(zip(a[-2::-1], b[-2::-1], strict=False)):
        if m != n and 1 not in (m, n):
            raise ShapeError(
                f"bilinear(): input batch dimensions do not match at dim {max(len(a), len(b)) - 2 - d}: got {m} and "
                f"{n}", shapes, "What stands before the last size must be alike, or 1.",
            )  # fmt: skip
    if bias is not None and sizes(bias) != w[:1]:
        raise ShapeError(
            f"bilinear(): bias size does not match weight size: got {sizes(bias)} but expected {w[:1]}", shapes
        )
    y = bilinear_row(input1, input2, weight)
    return y if bias is None else y + bias


# ------------------------------------------------------------------------------------------------------- chains


def _cheapest(sizes: Sequence[int]) -> Callable[[list[Any], int, int], Any]:
    """The order of multiplication that costs least, by dynamic programming over all subchains."""
    n = len(sizes) - 1
    cost = [[0.0] * n for _ in range(n)]
    cut = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            choices = ((cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))
            cost[i][j], cut[i][j] = min(choices)

    def multiply(tensors: list[Any], i: int, j: int) -> Any:
        return tensors[i] if i == j else matmul(multiply(tensors, i, cut[i][j]), multiply(tensors, cut[i][j] + 1, j))

    return multiply


def multi_dot(tensors: Sequence[Any]) -> Any:
    """Return the product of a chain of matrices, multiplied in the cheapest order; the ends may be vectors.

    Of symbols with named sizes it is the product in the order written.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.linalg.multi_dot([sg.ones(2, 3), sg.ones(3, 4), sg.ones(4)])
    tensor([12., 12.])
    >>> x, A = sg.symbol("x", "n"), sg.symbol("A", ("n", "n"))
    >>> sg.linalg.multi_dot([x, A, A, x])
    symbol(xᵀA²x)
    """
    tensors = list(tensors)
    if len(tensors) < 2:
        raise ShapeError(
            f"multi_dot(): expected at least 2 tensors but got {len(tensors)}",
            "",
            "Pass a list of matrices.",
        )
    shapes = [sizes(t) for t in tensors]
    for k, s in enumerate(shapes):
        if len(s) != 2 and not (len(s) == 1 and k in (0, len(shapes) - 1)):
            which = "1D or 2D" if k in (0, len(shapes) - 1) else "2D"
            raise ShapeError(
                f"multi_dot(): tensor {k} must be {which} but got {len(s)}D", f"Shapes: {shapes}.", "Use @ for batches."
            )
    for k, (a, b) in enumerate(pairwise(shapes)):
        if a[-1] != b[0]:
            raise ShapeError(
                f"multi_dot(): tensors {k} and {k + 1} with shapes {list(a)} and {list(b)} cannot be multiplied",
                "",
                "Transpose one.",
            )
    first = shapes[0] if len(shapes[0]) == 2 else (1, *shapes[0])
    widths = [*first, *(s[1] if len(s) == 2 else 1 for s in shapes[1:])]
    if any(type(width) is Dim for width in widths):  # which order is cheapest hangs on what the names stand for
        return functools.reduce(matmul, tensors)
    return _cheapest(widths)(tensors, 0, len(tensors) - 1)


@public(method=False)
def chain_matmul(*matrices: Any) -> Any:
    """Return the product of the matrices, multiplied in the cheapest order."""
    return matrices[0] if len(matrices) == 1 else multi_dot(matrices)


# ------------------------------------------------------------------------------------------------ cross, vander

cross_row: Any = multilinear(
    "linalg_cross", lambda a, b, dim: c_order(np.cross(a, b, axis=dim)),
    lambda g, b, dim, shape: fit(cross_row(b, g, dim), tuple(shape)),
    lambda g, a, dim, shape: fit(cross_row(g, a, dim), tuple(shape)),
    means="axis", last=0, sample=sampled(-1, of=[(2, 3), (2, 3)]), label="cross",
    doc="the cross product of vectors of length 3",
)  # fmt: skip


def linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """Return the cross product of vectors of length 3 along ``dim``; the other dimensions broadcast."""
    a, b = sizes(input), sizes(other)
    if len(a) != len(b):
        raise ShapeError(
            "linalg.cross: inputs must have the same number of dimensions.",
            f"They have shapes {a} and {b}.",
            "unsqueeze one.",
        )
    if not -len(a) <= dim < len(a):
        raise DimensionError(
            f"Dimension out of range (expected to be in range of [{-len(a)}, {len(a) - 1}], but got {dim})",
        )
    if a[dim] != 3 or b[dim] != 3:
        raise ShapeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {a[dim]} and {b[dim]}", "", "Choose dim."
        )
    return cross_row(input, other, dim - len(a) if dim >= 0 else dim)


@public()
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """Return the cross product along ``dim``, by default the first dimension of size 3."""
    if dim is None:
        dim = next((k for k, n in enumerate(sizes(input)) if n == 3), None)
        if dim is None:
            raise ShapeError(
                "no dimension of size 3 in input",
                f"Its shape is {sizes(input)}.",
                "The cross product is one of 3-vectors.",
            )
    return linalg_cross(input, other, dim=dim)


@public(method=False)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Return the matrix of powers of a vector: columns ``x**(N-1), …, x, 1``, or in increasing order."""
    _expect_dims(x, 1, "x must be a one-dimensional tensor.")
    return _powers(x, np.arange(sizes(x)[0] if N is None else N)[:: 1 if increasing else -1])


def linalg_vander(x: Any, *, N: int | None = None) -> Any:
    """Return the matrices of powers ``1, x, …, x**(N-1)`` of the vectors in the last dimension."""
    if N is not None and N < 2:
        raise ShapeError("N must be greater than 1.", f"It is {N}.", "Of one column there are only ones.")
    x = x if sizes(x) else x.reshape((1,))
    return _powers(x, np.arange(sizes(x)[-1] if N is None else N))


def _powers(x: Any, exponents: np.ndarray) -> Any:
    x = x if kind_of(x) in ("f", "c") else cast(x, np.int64)  # powers soon leave a shorter range
    return pow_tensor(x.reshape((*sizes(x), 1)), exponents.astype(x.dtype))


NUMPY[np.vander] = lambda x, N=None, increasing=False: vander(
    cast(tensor_like(x), np.promote_types(tensor_like(x).dtype, int)), N, increasing
)


# ------------------ Products said best in index notation: over pairs of dimensions, over the last ones, of all blocks


@public(method=False)
def tensordot(a: Any, b: Any, dims: Any = 2, *, axes: Any = None) -> Any:
    """Return the sum of products over pairs of dimensions: the last ``dims`` of ``a`` with the first of ``b``, or
    those of two lists ``(dims_a, dims_b)``.
    """
    dims = dims if axes is None else axes
    shape_a, shape_b = sizes(a), sizes(b)
    dims_a, dims_b = _pairs(dims, shape_a, shape_b)
    letters_a = list(LETTERS[: len(shape_a)])
    letters_b = list(LETTERS[len(shape_a) : len(shape_a) + len(shape_b)])
    for i, j in zip(dims_a, dims_b, strict=True):
        if shape_a[i] != shape_b[j] and 1 not in (shape_a[i], shape_b[j]):
            raise ShapeError(
                f"contracted dimensions need to match, but first has size {shape_a[i]} in dim {i} and second has size "
                f"{shape_b[j]} in dim {j}",
                f"tensordot got {shape_a} and {shape_b}.", "Choose the dims that agree.",
            )  # fmt: skip
        letters_b[j] = letters_a[i]
    summed = {letters_a[i] for i in dims_a}
    out = "".join(c for c in letters_a + letters_b if c not in summed)
    equation = f"{''.join(letters_a)},{''.join(letters_b)}->{out}"
    return einsum(equation, a, b) if summed else pair_row(a, b, equation)


def _pairs(dims: Any, a: tuple[int, ...], b: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """The dimensions of two shapes that are summed over, in pairs."""
    na, nb = len(a), len(b)
    dims = dims.tolist() if hasattr(dims, "tolist") else dims
    if isinstance(dims, int):
        if dims < 0:
            raise ShapeError(
                f"tensordot expects dims >= 0, but got dims={dims}",
                "",
                "Give the number of dimensions to sum over.",
            )
        if dims > min(na, nb):
            raise ShapeError(
                f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}",
                f"tensordot got {a} and {b}.", "Give fewer dims.",
            )  # fmt: skip
        return list(range(na - dims, na)), list(range(dims))
    first, second = ([int(d)] if isinstance(d, (int, np.integer)) else list(d) for d in dims)
    if len(first) != len(second):
        raise ShapeError(
            "both dimension lists should have same length",
            f"They are {first} and {second}.",
            "Pair the dimensions.",
        )
    for n, one in ((na, first), (nb, second)):
        for d in one:
            if not -n <= d < n:
                raise DimensionError(
                    f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})",
                    "",
                    "Count with .dim().",
                )
    return [d % na for d in first], [d % nb for d in second]


@public()
def inner(input: Any, other: Any) -> Any:
    """Return sums of products over the last dimensions (a number multiplies)."""
    a, b = sizes(input), sizes(other)
    if not a or not b:
        return input * other
    if a[-1] != b[-1]:
        raise ShapeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(a)} and {list(b)}",
            "",
            "Transpose one.",
        )
    return tensordot(input, other, ([len(a) - 1], [len(b) - 1]))


def _kron_rule(g: Any, other: Any, i: int, shape_a: Any, shape_b: Any) -> Any:
    """Blocks of the gradient times the other factor: with sizes side by side, a sum over one of each pair."""
    n = max(len(shape_a), len(shape_b))
    a, b = (1,) * (n - len(shape_a)) + tuple(shape_a), (1,) * (n - len(shape_b)) + tuple(shape_b)
    letters_a, letters_b = LETTERS[:n], LETTERS[n : 2 * n]
    both = "".join(c for pair in zip(letters_a, letters_b, strict=True) for c in pair)
    g = g.reshape(tuple(k for pair in zip(a, b, strict=True) for k in pair))
    if i == 0:
        return product((g, other.reshape(b)), f"{both},{letters_b}->{letters_a}").reshape(tuple(shape_a))
    return product((g, other.reshape(a)), f"{both},{letters_a}->{letters_b}").reshape(tuple(shape_b))


kron_row = multilinear(
    "kron", np.kron, lambda g, b, shape_a, shape_b: _kron_rule(g, b, 0, shape_a, shape_b),
    lambda g, a, shape_a, shape_b: _kron_rule(g, a, 1, shape_a, shape_b),
    sample=sampled(of=[(2, 3), (3, 2)]), doc="the Kronecker product",
)  # fmt: skip


@public()
def kron(input: Any, other: Any) -> Any:
    """Return the Kronecker product: every entry of ``input`` times all of ``other``, as blocks."""
    return kron_row(input, other)


def _numpy_dot(a: Any, b: Any, out: Any = None) -> Any:
    """`np.dot`: products of numbers, else the last dimension of ``a`` with the last but one of ``b``."""
    a, b = alike(a, b)
    na, nb = rank(a), rank(b)
    if na == 0 or nb == 0:
        return a * b
    return matmul(a, b) if nb <= 2 else tensordot(a, b, ([na - 1], [nb - 2]))


def _numpy_tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    a, b = alike(a, b)
    first, second = _pairs(axes, sizes(a), sizes(b))
    of_a, of_b = [sizes(a)[d] for d in first], [sizes(b)[d] for d in second]
    if of_a != of_b:  # PyTorch lets a size of 1 stand for any
        raise ShapeError(
            f"np.tensordot: the axes that are summed over have the sizes {of_a} and {of_b}",
            f"The shapes are {sizes(a)} and {sizes(b)}.", "Choose the axes that agree.",
        )  # fmt: skip
    return tensordot(a, b, axes)


NUMPY.update({
    np.dot: _numpy_dot, np.tensordot: _numpy_tensordot, np.inner: lambda a, b, /: inner(*alike(a, b)),
    np.kron: lambda a, b: kron(*alike(a, b)),
})  # fmt: skip
NUMPY[np.linalg.tensordot] = lambda x1, x2, /, *, axes=2: _numpy_tensordot(x1, x2, axes)
