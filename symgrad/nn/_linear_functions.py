"""Linear maps and lookups of ``nn.functional``."""

from __future__ import annotations

import numpy as np

from .. import ops
from .._errors import DimensionError, DTypeError, ShapeError
from ..core import Tensor, wrap
from ..ops._dims import known
from ..ops.index._pick import one_hot_row
from ..ops.linalg._fused import affine
from ..ops.linalg._fused import bilinear as _bilinear

__all__ = ["bilinear", "embedding", "embedding_bag", "linear", "one_hot"]


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute ``input @ weight.T + bias``.

    Parameters
    ----------
    input : Tensor, shape (..., in)
        One or many vectors.
    weight : Tensor, shape (out, in)
        The matrix.
    bias : Tensor, shape (out,), optional
        The shift.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.linear(sg.tensor([1.0, 2.0]), sg.tensor([[3.0, 4.0]]), sg.tensor([0.5]))
    tensor([11.5000])
    """
    return affine(input, weight, bias)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute ``input1 @ weight[o] @ input2 + bias[o]`` for each output o."""
    return _bilinear(input1, input2, weight, bias)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Look up the rows of `weight` that `input` numbers.

    Parameters
    ----------
    input : Tensor of int
        Numbers of rows.
    weight : Tensor, shape (rows, length)
        The table.
    padding_idx : int, optional
        A row that receives no gradient.
    max_norm, norm_type : float, optional
        Rows that are looked up and whose norm is larger are scaled down, in `weight` itself.
    scale_grad_by_freq : bool
        Whether the gradient of a row is divided by how often it is looked up.
    sparse : bool
        Accepted as in PyTorch; the gradient is a tensor like any other.
    """
    if weight.ndim != 2:
        raise ShapeError(f"'weight' must be 2-D, but it has shape {tuple(weight.shape)}")
    count = weight.shape[0]
    _expect_row(padding_idx, count)
    if input.dtype.kind != "i":
        raise DTypeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{input.dtype} instead", "Numbers name the rows.", "Cast it with .long().",
        )  # fmt: skip
    index = input.detach().numpy()
    if index.size and not 0 <= index.min() <= index.max() < count:
        raise DimensionError("index out of range in self", f"The table has {count} rows.", "Number them from 0.")
    if max_norm is not None:
        _shorten(weight.detach(), np.unique(index), max_norm, norm_type)
    rows = weight[input]
    if scale_grad_by_freq:
        often = np.bincount(index.ravel(), minlength=count)[index][..., None].astype(weight.dtype)
        rows = rows.detach() + (rows - rows.detach()) / wrap(often)
    if padding_idx is None:
        return rows
    is_padding = (index == padding_idx % count)[..., None]
    return ops.where(wrap(is_padding), rows.detach(), rows)


def _expect_row(padding_idx: int | None, count: int, error: type[Exception] = AssertionError) -> None:
    if padding_idx is not None and not -count <= padding_idx < count:
        raise error(
            f"Padding_idx must be within num_embeddings: {padding_idx} is not one of -{count} through {count - 1}"
        )


def _shorten(weight: Tensor, used: np.ndarray, longest: float, order: float) -> None:
    """Scale the rows that are used down to a norm of at most `longest`, in place."""
    norms = np.linalg.norm(weight.numpy()[used], order, axis=-1)
    for row, norm in zip(used[norms > longest], norms[norms > longest]):
        weight[row].mul_(longest / (norm + 1e-7))


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Look up rows of `weight` and make one of each bag of them.

    Parameters
    ----------
    input : Tensor of int, shape (bags, in each) or (all,)
        Numbers of rows.
    weight : Tensor, shape (rows, length)
        The table.
    offsets : Tensor of int, shape (bags,), optional
        Where each bag begins, for an input of one dimension; `include_last_offset` says that the end follows.
    mode : {"mean", "sum", "max"}
        What is made of a bag; an empty one gives zeros.
    per_sample_weights : Tensor, optional
        Factors of the rows, of the shape of the input, for "sum".
    padding_idx : int, optional
        A row that does not count.
    max_norm, norm_type, scale_grad_by_freq, sparse
        As for `embedding`.

    Examples
    --------
    >>> import symgrad as sg
    >>> table = sg.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> sg.nn.functional.embedding_bag(sg.tensor([0, 1, 1]), table, sg.tensor([0, 2]))
    tensor([[2., 3.],
            [3., 4.]])
    """
    if input.ndim == 2 and offsets is not None:
        raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of bags")
    if input.ndim == 1 and offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if input.ndim not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if mode not in ("mean", "sum", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(f"per_sample_weights is only supported for mode='sum', not for mode={mode!r}")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ShapeError(
            f"expected per_sample_weights of the shape of the input, {tuple(input.shape)}, but got "
            f"{tuple(per_sample_weights.shape)}"
        )
    if offsets is not None and (offsets.ndim != 1 or (offsets.numel() and offsets[0] != 0)):
        raise ShapeError("offsets has to be a 1D Tensor whose first number is 0", f"It is {offsets}.")
    _expect_row(padding_idx, weight.shape[0], RuntimeError)
    numbers = input.detach().numpy().ravel()
    if offsets is None:
        starts = np.arange(input.shape[0]) * input.shape[1]
    else:
        starts = offsets.detach().numpy()[: -1 if include_last_offset else None]
    bags = np.searchsorted(starts, np.arange(numbers.size), side="right") - 1
    rows = embedding(input.reshape(-1), weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    counts = np.ones(numbers.size, bool) if padding_idx is None else numbers != padding_idx % weight.shape[0]
    nothing = ops.zeros(len(starts), weight.shape[1], dtype=rows.dtype)
    if mode == "max" and len(starts):
        members = [np.flatnonzero(counts & (bags == bag)) for bag in range(len(starts))]
        return ops.stack([rows[wrap(m)].max(0).values if m.size else nothing[0] for m in members])
    total = nothing.index_add(0, wrap(bags[counts]), rows[wrap(np.flatnonzero(counts))])
    if mode == "sum":
        return total
    sizes = np.bincount(bags[counts], minlength=len(starts)).clip(1)[:, None]
    return total / wrap(sizes.astype(rows.dtype))


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Replace each class number by a row with a single 1.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.one_hot(sg.tensor([1, 0]), 3)
    tensor([[0, 1, 0],
            [1, 0, 0]])
    """
    if not isinstance(tensor, Tensor) or tensor.dtype.kind not in "iu":
        raise DTypeError(
            "one_hot is only applicable to index tensor of type LongTensor.",
            f"This is {getattr(tensor, 'dtype', type(tensor).__name__)}.", "Use .long().",
        )  # fmt: skip
    if num_classes == -1 or (num_classes == 0 and tensor.numel() == 0):
        classes = known(tensor, "the number of classes")
        if not classes.size:
            raise ShapeError(
                "Can not infer total number of classes from empty tensor.",
                f"The tensor has shape {tuple(tensor.shape)}.", "Pass num_classes.",
            )  # fmt: skip
        num_classes = int(classes.max()) + 1
    hot: Tensor = one_hot_row(tensor, num_classes)
    return hot
