"""Joining tensors: cat and stack, and what is said in their terms."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any

import numpy as np

from ..._config import default_dtype
from ..._errors import DTypeError, ShapeError
from ..._limits import JOINED
from ...core import NUMPY, Tensor, general, wrap
from .._dims import axis_of, sizes
from .._numpy_arguments import alike, of_arrays, tensor_like
from .._public import dims, public
from ..index._index import at_dim
from ..reduce._reduce import c_order
from ..reduce._reduce import expand as expand_row
from ._shape import flatten, reshape, unsqueeze_row, view_row

# -------------------------------------------------------------------------------------------------- joining


def _piece(g: Any, i: int, shapes: Any, dim: int) -> Any:
    """The part of the gradient that belongs to the ``i``-th tensor joined."""
    if len(shapes[i]) == 1 and shapes[i][0] == 0:  # an empty vector joins anything
        return g.reshape((-1,))[:0] if g.shape else g
    start = starts(shapes, dim)[i]
    return g[at_dim(dim, slice(start, start + shapes[i][dim]))]


_latest: tuple[Any, int, list[int]] = (None, 0, [])


def starts(shapes: Any, dim: int) -> list[int]:
    """Where along ``dim`` each of the tensors joined begins (the tuple asked about last is remembered: a rule runs
    once per input, and counting anew each time makes a wide join quadratic)."""
    global _latest
    known, along, places = _latest  # read at once: other threads may join, too
    if known is shapes and along == dim:
        return places
    places = list(accumulate([0, *(s[dim] if len(s) > dim else 0 for s in shapes)]))
    if len(shapes) > JOINED:
        _latest = (shapes, dim, places)
    return places


cat_row = general(
    "cat",
    lambda tensors, dim: c_order(np.concatenate(_without_empty(tensors), dim)),
    lambda g, i, shapes, dim: _piece(g, i, shapes, dim),
    variadic=True,
    means="axis",
    sample=lambda rng: ([rng.normal(size=(2, 3)), rng.normal(size=(2, 1))], (1,)),
    finite=True,
    doc="tensors end to end along dim",
)


def _stacked(tensors: Any, dim: int) -> np.ndarray:
    apart = at_dim(dim, None)  # np.stack does the same at three times the cost
    return c_order(np.concatenate([t[apart] for t in tensors], dim))


stack_row = general(
    "stack",
    _stacked,
    lambda g, i, dim: g[at_dim(dim, i)],
    variadic=True,
    means="new",
    sample=lambda rng: ([rng.normal(size=(2, 3)), rng.normal(size=(2, 3))], (1,)),
    finite=True,
    doc="tensors side by side along a new dim",
)


def _without_empty(tensors: Any) -> Any:
    full = [t for t in tensors if t.shape != (0,)]
    return full if full and len(full) < len(tensors) and full[0].ndim > 1 else tensors


def _listed(tensors: Any, what: str) -> list[Any]:
    if isinstance(tensors, (Tensor, np.ndarray)):
        raise DTypeError(
            f"{what}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}",
            "",
            "Make a list.",
        )
    return list(tensors)


def _shape_of_all(parts: list[Any]) -> tuple[int, ...] | None:
    """The shape that all have, where all are tensors: then there is nothing more to check."""
    shapes = [t._data.shape if type(t) is Tensor else None for t in parts]
    return shapes[0] if shapes and shapes.count(shapes[0]) == len(shapes) else None


@public("concat", "concatenate", method=False)
@dims
def cat(tensors: Any, dim: int = 0) -> Any:
    """Return the tensors of a list joined end to end along ``dim``.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> sg.cat([x, x * 10])
    tensor([ 1.,  2., 10., 20.], grad_fn=<CatBackward0>)
    """
    parts = _listed(tensors, "cat")
    shape = _shape_of_all(parts)
    if shape:
        return cat_row(parts, axis_of(dim, len(shape)))
    if not parts:
        raise ShapeError("torch.cat(): expected a non-empty list of Tensors", "", "")
    for k, t in enumerate(parts):
        if not isinstance(t, (Tensor, np.ndarray)):
            raise DTypeError(
                f"expected Tensor as element {k} in argument 0, but got {type(t).__name__}", "", "Use sg.tensor(…)."
            )
    shapes = [sizes(t) for t in parts]
    for k, s in enumerate(shapes):
        if not s:
            raise ShapeError(
                f"zero-dimensional tensor (at position {k}) cannot be concatenated", "", "stack() joins numbers."
            )
    first = next((s for s in shapes if s != (0,)), shapes[0])
    dim = axis_of(dim, len(first))
    for k, s in enumerate(shapes):
        if s != first and s != (0,):
            _check_sizes(first, s, k, dim)
    return cat_row(parts, dim)


def _check_sizes(first: tuple[int, ...], s: tuple[int, ...], k: int, dim: int) -> None:
    if len(s) != len(first):
        raise ShapeError(
            f"Tensors must have same number of dimensions: got {len(first)} and {len(s)}", "", "Unsqueeze one."
        )
    for d, (a, b) in enumerate(zip(first, s, strict=True)):
        if d != dim and a != b:
            raise ShapeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {a} but got size {b} for "
                f"tensor number {k} in the "
                "list.",
                f"The shapes are {list(first)} and {list(s)}.",
                "",
            )


@public(method=False)
@dims
def stack(tensors: Any, dim: int = 0) -> Any:
    """Return the tensors of a list, all of one shape, side by side along a new dimension."""
    parts = _listed(tensors, "stack")
    shape = _shape_of_all(parts)
    if shape is not None:
        return stack_row(parts, axis_of(dim, len(shape) + 1))
    if not parts:
        raise ShapeError("stack expects a non-empty TensorList", "", "")
    first = sizes(parts[0])
    for k, t in enumerate(parts):
        if sizes(t) != first:
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and {list(sizes(t))} "
                f"at entry {k}",
                "",
                "cat() joins along a dimension there is.",
            )
    return stack_row(parts, axis_of(dim, len(first) + 1))


def _numpy_concatenate(arrays: Any, axis: Any = 0, out: Any = None, *, casting: str = "same_kind") -> Any:
    parts = alike(*arrays)
    return cat([flatten(a) for a in parts], 0) if axis is None else cat(parts, axis)


def _numpy_stack(arrays: Any, axis: int = 0, out: Any = None, *, casting: str = "same_kind") -> Any:
    return stack(alike(*arrays), axis)


NUMPY[np.concatenate] = _numpy_concatenate
NUMPY[np.stack] = _numpy_stack


def _parts(tensors: Any, what: str) -> list[Any]:
    parts = [tensor_like(t) for t in tensors]
    if not parts:
        raise ShapeError(f"{what} expects a non-empty TensorList", "", "")
    return parts


@public(method=False)
def hstack(tensors: Any) -> Any:
    """Return the tensors joined along the second dimension; vectors along their only one."""
    parts = [atleast_1d(t) for t in _parts(tensors, "hstack")]
    return cat(parts, 0 if len(sizes(parts[0])) == 1 else 1)


@public("row_stack", method=False)
def vstack(tensors: Any) -> Any:
    """Return the tensors joined along the first dimension, vectors as rows."""
    return cat([atleast_2d(t) for t in _parts(tensors, "vstack")], 0)


@public(method=False)
def dstack(tensors: Any) -> Any:
    """Return the tensors joined along the third dimension."""
    return cat([atleast_3d(t) for t in _parts(tensors, "dstack")], 2)


@public(method=False)
def column_stack(tensors: Any) -> Any:
    """Return the tensors joined along the second dimension, vectors as columns."""
    return cat(
        [reshape(t, (math.prod(sizes(t)), 1)) if len(sizes(t)) < 2 else t for t in _parts(tensors, "column_stack")], 1
    )


for _np, _fn in {np.hstack: hstack, np.vstack: vstack, np.dstack: dstack, np.column_stack: column_stack}.items():
    NUMPY[_np] = lambda tup, _fn=_fn, **_: _fn(alike(*tup))


def _each(fn: Any, tensors: tuple[Any, ...]) -> Any:
    if len(tensors) == 1 and not isinstance(tensors[0], (tuple, list)):
        return fn(tensors[0])
    return tuple(fn(t) for t in (tensors[0] if len(tensors) == 1 else tensors))


@public(method=False)
def atleast_1d(*tensors: Any) -> Any:
    """Return each tensor with at least one dimension (a tuple, for several)."""
    return _each(lambda t: t if sizes(t) else reshape(t, (1,)), tensors)


@public(method=False)
def atleast_2d(*tensors: Any) -> Any:
    """Return each tensor with at least two dimensions; a vector becomes a row."""
    return _each(_as_2d, tensors)


def _as_2d(t: Any) -> Any:
    n = len(sizes(t))
    return t if n > 1 else unsqueeze_row(t, 0) if n else reshape(t, (1, 1))


@public(method=False)
def atleast_3d(*tensors: Any) -> Any:
    """Return each tensor with at least three dimensions; a vector becomes (1, n, 1), a matrix gets a last one."""
    return _each(_as_3d, tensors)


def _as_3d(t: Any) -> Any:
    n = len(sizes(t))
    if n == 0:
        return reshape(t, (1, 1, 1))
    return t if n > 2 else unsqueeze_row(t, 2) if n == 2 else unsqueeze_row(unsqueeze_row(t, 0), 2)


NUMPY.update({
    np.atleast_1d: of_arrays(atleast_1d), np.atleast_2d: of_arrays(atleast_2d), np.atleast_3d: of_arrays(atleast_3d),
})  # fmt: skip


# -------------------------------------------------------------------------------------------- combinations


@public(method=False)
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """Return views of the grid that vectors span: each with its coordinate at every point.

    ``indexing='xy'`` swaps the first two dimensions, as NumPy does.
    """
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    if not tensors:
        raise ShapeError("meshgrid expects a non-empty TensorList", "", "")
    if indexing not in ("ij", "xy"):
        raise ShapeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}', "", "")
    for t in tensors:
        if len(sizes(t)) > 1:
            raise ShapeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {list(sizes(t))}", "", ""
            )
    if len({t.dtype for t in tensors}) > 1:
        raise DTypeError("meshgrid expects all tensors to have the same dtype", "", "Cast them.")
    lengths = tuple(math.prod(sizes(t)) for t in tensors)
    order = list(range(len(tensors)))
    if indexing == "xy" and len(tensors) > 1:
        order[0], order[1] = 1, 0
    whole = tuple(lengths[k] for k in order)
    return tuple(
        expand_row(view_row(t, tuple(n if own == k else 1 for own in order)), whole)
        for k, (t, n) in enumerate(zip(tensors, lengths, strict=True))
    )


def _numpy_meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Any, ...]:
    return meshgrid(*(tensor_like(x) for x in xi), indexing=indexing)


NUMPY[np.meshgrid] = _numpy_meshgrid


@public(method=False)
def cartesian_prod(*tensors: Any) -> Any:
    """Return all combinations of the elements of vectors, one per row."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([flatten(reshape(t, (-1,))) for t in meshgrid(*tensors, indexing="ij")], 1)


def _block_diag(tensors: Any) -> np.ndarray:
    out = np.zeros(tuple(np.sum([t.shape for t in tensors], 0)), np.result_type(*tensors))
    row = col = 0
    for t in tensors:
        out[row : row + t.shape[0], col : col + t.shape[1]] = t
        row, col = row + t.shape[0], col + t.shape[1]
    return out


def _block(g: Any, i: int, shapes: Any) -> Any:
    row, col = starts(shapes, 0)[i], starts(shapes, 1)[i]
    return g[row : row + shapes[i][0], col : col + shapes[i][1]]


block_diag_row = general(
    "block_diag",
    _block_diag,
    _block,
    variadic=True,
    sample=lambda rng: ([rng.normal(size=(2, 1)), rng.normal(size=(1, 3))], ()),
    doc="matrices along the diagonal of a matrix of zeros",
)


@public(method=False)
def block_diag(*tensors: Any) -> Any:
    """Return the matrix of zeros that has the tensors as blocks along its diagonal; vectors are rows."""
    return block_diag_row([atleast_2d(t) for t in tensors or (wrap(np.empty(0, default_dtype())),)])
