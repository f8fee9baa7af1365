"""Distances of ``nn.functional``, and the losses that keep a margin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import ops
from .._errors import DimensionError, DTypeError, RangeError, ShapeError
from ..core import Tensor, wrap
from ..ops import result_type
from ..ops.reduce import vector_norm
from ..ops.shape import broadcast_tensors
from ._loss_functions import expect_classes, reduced, reduction_of


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Compute the cosine of the angle between vectors along `dim`; norms below `eps` count as that.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.cosine_similarity(sg.tensor([1.0, 0.0]), sg.tensor([3.0, 4.0]), dim=0)
    tensor(0.6000)
    """
    if x1.dtype != x2.dtype:
        kind = result_type(x1, x2)
        x1, x2 = x1.to(kind), x2.to(kind)
    unit = [x / vector_norm(x, 2, dim, True).clamp(min=eps) for x in broadcast_tensors(x1, x2)]
    return (unit[0] * unit[1]).sum(dim)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """Compute the p-norm of ``x1 - x2 + eps`` along the last dimension.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.pairwise_distance(sg.tensor([[3.0, 4.0]]), sg.zeros(1, 2), eps=0.0)
    tensor([5.])
    """
    return vector_norm(x1 - x2 + eps, p, -1, keepdim)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Compute the distance of each row from each later row: the upper triangle of `symgrad.cdist`, as a vector."""
    if input.ndim != 2:
        raise ShapeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if p < 0:
        raise RangeError("pdist only supports non-negative p values", f"This one is {p}.")
    first, second = np.triu_indices(input.shape[0], 1)
    return vector_norm(input[wrap(first)] - input[wrap(second)], p, -1)


# Losses ------------------------------------------------------------------------------------------------------------


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Ask that `input1` exceed `input2` by a margin where `target` is 1, and the reverse where it is -1."""
    if not input1.ndim == input2.ndim == target.ndim:
        raise ShapeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{tuple(input1.shape)}, input2: {tuple(input2.shape)}, target: {tuple(target.shape)} "
        )
    return reduced(ops.clamp_min(-target * (input1 - input2) + margin, 0.0), reduction, size_average, reduce)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Take a distance itself where `target` is 1; where it is -1, what it lacks of the margin (where 0, both)."""
    apart = ops.clamp_min(margin - input, 0.0)
    return reduced(
        ops.where(target != -1, input, 0.0) + ops.where(target != 1, apart, 0.0), reduction, size_average, reduce
    )


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """Compute the logistic loss ``log(1 + exp(-target * input))`` of targets 1 and -1."""
    return reduced(ops.softplus(-target * input), reduction, size_average, reduce)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Take one less the cosine of two vectors where `target` is 1; where it is -1, its excess over the margin."""
    if target.ndim + 1 != input1.ndim or target.ndim + 1 != input2.ndim:
        raise ShapeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    # As PyTorch has it: a small number is added to the squares, so that zero vectors have a slope.
    squares = [(x * x).sum(-1) + 1e-12 for x in (input1, input2)]
    cosine = (input1 * input2).sum(-1) / (squares[0] * squares[1]).sqrt()
    apart = ops.clamp_min(cosine - margin, 0.0)
    return reduced(
        ops.where(target == 1, 1 - cosine, 0.0) + ops.where(target == -1, apart, 0.0), reduction, size_average, reduce
    )


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Ask that the anchor be nearer to the positive than to the negative by a margin.

    Parameters
    ----------
    anchor, positive, negative : Tensor, shape (..., length)
        Vectors.
    margin : float
        The margin.
    p, eps : float
        Those of `pairwise_distance`.
    swap : bool
        Whether the distance of the positive from the negative counts where it is smaller than the anchor's.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the triplets.
    """
    return triplet_margin_with_distance_loss(
        anchor, positive, negative, distance_function=lambda a, b: pairwise_distance(a, b, p, eps), margin=margin,
        swap=swap, reduction=reduction_of(reduction, size_average, reduce),
    )  # fmt: skip


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Compute `triplet_margin_loss` with a distance of your own."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise ShapeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ops.minimum(far, distance(positive, negative))
    return reduced(ops.clamp_min(margin + near - far, 0.0), reduction)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the mean over the classes of the logistic losses of targets 1 and 0."""
    if input.ndim == 0:
        raise DimensionError("multilabel_soft_margin_loss needs a dimension of classes", "The input is a number.", "")
    losses = -(target * ops.logsigmoid(input) + (1 - target) * ops.logsigmoid(-input))
    losses = (losses if weight is None else losses * weight).sum(input.ndim - 1) / input.shape[-1]
    return reduced(losses, reduction, size_average, reduce)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: float = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Ask that the score of the target class exceed each other by a margin.

    Parameters
    ----------
    input : Tensor, shape (rows, classes) or (classes,)
        Scores.
    target : Tensor of int, shape (rows,) or ()
        Class numbers.
    p : {1, 2}
        To which power what is lacking counts.
    margin : float
        The margin.
    weight : Tensor, shape (classes,), optional
        A weight per class.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the rows.
    """
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if input.ndim > 2 or target.ndim > 1:
        raise ShapeError(
            f"Expected scores of shape (rows, classes) or (classes,) and a target each, but got: {list(input.shape)} "
            f"and {list(target.shape)}"
        )
    rows, classes = input.reshape(-1, input.shape[-1] if input.ndim else 1), target.reshape(-1).detach().numpy()
    if rows.shape[0] != classes.size:
        raise ShapeError(f"inconsistent target size, expected {rows.shape[0]} but got {list(target.shape)}")
    expect_classes(classes, rows.shape[1])
    if weight is not None and tuple(weight.shape) != (rows.shape[1],):
        raise ShapeError(f"inconsistent weight size, expected {rows.shape[1]} but got {list(weight.shape)}")
    own = rows.gather(1, wrap(classes[:, None]))
    losses = ops.relu(margin - own + rows) ** p  # what just keeps the margin has the slope 0
    losses = losses if weight is None else losses * weight[wrap(classes)].unsqueeze(1)
    others = wrap(classes[:, None] != np.arange(rows.shape[1]))
    losses = ops.where(others, losses, 0.0).mean(1)
    return reduced(losses.reshape(target.shape), reduction, size_average, reduce)


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """Ask that the score of each of the target classes exceed each of the others by 1.

    Parameters
    ----------
    input : Tensor, shape (rows, classes) or (classes,)
        Scores.
    target : Tensor of int, of the same shape
        The numbers of each row's classes, then -1; what follows does not count.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the rows.
    """
    if tuple(input.shape) != tuple(target.shape):
        raise ShapeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    if target.is_floating_point():
        raise DTypeError(f"expected class numbers, but got {target.dtype}", next_step="Use target.long().")
    count = input.shape[-1] if input.ndim else 1
    rows, listed = input.reshape(-1, count), target.reshape(-1, count).detach().numpy()
    named = np.cumprod(listed >= 0, 1).astype(bool)
    classes = np.where(named, listed, 0)
    expect_classes(classes, count)
    others = np.ones((*rows.shape,), bool)
    others[np.nonzero(named)[0], classes[named]] = False
    # row, listed class, other class
    lacking = ops.relu(1 - rows.gather(1, wrap(classes)).unsqueeze(2) + rows.unsqueeze(1))
    losses = ops.where(wrap(named[:, :, None] & others[:, None, :]), lacking, 0.0).sum((1, 2)) / count
    return reduced(losses if input.ndim > 1 else losses[0], reduction, size_average, reduce)
