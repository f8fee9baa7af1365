"""Products said best in index notation: over pairs of dimensions, over the last ones, of all blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import DimensionError, ShapeError
from ...core import LETTERS, NUMPY, multilinear
from .._dims import sizes
from .._numpy_arguments import alike
from .._public import public
from ._contract import matmul
from ._einsum import einsum, pair_row, product


@public(method=False)
def tensordot(a: Any, b: Any, dims: Any = 2, *, axes: Any = None) -> Any:
    """Return the sum of products over pairs of dimensions: the last ``dims`` of ``a`` with the first of ``b``, or
    those of two lists ``(dims_a, dims_b)``.
    """
    dims = dims if axes is None else axes
    shape_a, shape_b = sizes(a), sizes(b)
    dims_a, dims_b = _pairs(dims, len(shape_a), len(shape_b))
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


def _pairs(dims: Any, na: int, nb: int) -> tuple[list[int], list[int]]:
    dims = dims.tolist() if hasattr(dims, "tolist") else dims
    if isinstance(dims, int):
        if dims < 0:
            raise ShapeError(
                f"tensordot expects dims >= 0, but got dims={dims}",
                "",
                "Give the number of dimensions to sum over.",
            )
        if dims > min(na, nb):
            raise ShapeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}", "", "Give fewer dims.")
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
    "kron", lambda a, b: np.kron(a, b), lambda g, b, shape_a, shape_b: _kron_rule(g, b, 0, shape_a, shape_b),
    lambda g, a, shape_a, shape_b: _kron_rule(g, a, 1, shape_a, shape_b),
    sample=lambda rng: ([rng.normal(size=(2, 3)), rng.normal(size=(3, 2))], ()), doc="the Kronecker product",
)  # fmt: skip


@public()
def kron(input: Any, other: Any) -> Any:
    """Return the Kronecker product: every entry of ``input`` times all of ``other``, as blocks."""
    return kron_row(input, other)


def _numpy_dot(a: Any, b: Any, out: Any = None) -> Any:
    """`np.dot`: products of numbers, else the last dimension of ``a`` with the last but one of ``b``."""
    a, b = alike(a, b)
    na, nb = len(sizes(a)), len(sizes(b))
    if na == 0 or nb == 0:
        return a * b
    return matmul(a, b) if nb <= 2 else tensordot(a, b, ([na - 1], [nb - 2]))


def _numpy_tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    return tensordot(*alike(a, b), axes)


NUMPY.update({
    np.dot: _numpy_dot, np.tensordot: _numpy_tensordot, np.inner: lambda a, b, /: inner(*alike(a, b)),
    np.kron: lambda a, b: kron(*alike(a, b)),
})  # fmt: skip
NUMPY[np.linalg.tensordot] = lambda x1, x2, /, *, axes=2: _numpy_tensordot(x1, x2, axes)
