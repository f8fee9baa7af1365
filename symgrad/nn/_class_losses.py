"""The loss functions of ``nn.functional`` whose targets are classes.

The idea to hold: a class number only *picks* a log-probability, so it is data: it is checked and prepared as a plain
array, and what is recorded is one `gather`. Inside `vmap` it is each example's own: the same steps, in operations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from .._errors import DimensionError, DTypeError, ShapeError
from ..core import Symbol, Tensor, wrap
from ..ops.entries._elementwise import remember
from ._linear_functions import linear
from ._loss_functions import reduced, reduction_of

__all__ = ["cross_entropy", "linear_cross_entropy", "nll_loss"]


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Pick the log-probability of each target class, with a minus sign.

    Parameters
    ----------
    input : Tensor
        Log-probabilities, of shape (classes,), (rows, classes) or (rows, classes, ...).
    target : Tensor of int
        Class numbers, of the same shape without the classes.
    weight : Tensor, optional
        A weight per class; the mean divides by the sum of the weights that were used.
    ignore_index : int
        A target that does not count.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the rows.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.nll_loss(sg.tensor([[-0.1, -2.0], [-3.0, -0.5]]), sg.tensor([0, 1]))
    tensor(0.3000)
    """
    losses, weights = _picked(remember(input), target, weight, ignore_index)
    return _reduce_by_weight(losses, weights, reduction_of(reduction, size_average, reduce))


def _picked(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> tuple[Tensor, Any]:
    """Return the loss and the weight of each target, both zero where it is ignored."""
    if type(target) is Symbol and target._data.dtype.kind in "iu":
        return _picked_by_symbol(input, target, weight, ignore_index)
    dim, classes = _class_dim(input, weight), target.detach().numpy()
    if target.is_floating_point():
        raise DTypeError(
            f"expected target dtype to be Long or Byte, but got {target.dtype}", next_step="Use target.long()."
        )
    rows = target.shape[0] if target.ndim else 0
    if input.ndim > 1 and input.shape[0] != rows:
        raise ShapeError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({rows}).")
    if classes.shape != tuple(n for d, n in enumerate(input.shape) if d != dim):
        raise ShapeError(f"size mismatch (got input: {list(input.shape)}, target: {list(target.shape)})")
    counts = classes != ignore_index
    places = np.where(counts, classes, 0)
    wrong = places[(places < 0) | (places >= input.shape[dim])]
    if wrong.size:
        raise DimensionError(f"Target {wrong[0]} is out of bounds.", f"There are {input.shape[dim]} classes, from 0.")
    weights: Any = np.ones(places.shape, input.dtype)
    if weight is not None:  # a weight that nobody differentiates in is data, as the classes are
        weights = weight[wrap(places)] if weight.requires_grad else weight.detach().numpy()[places]
    index = wrap(np.expand_dims(places, dim).astype(np.int64, copy=False))
    losses = -ops.gather(input, dim, index).squeeze(dim)
    if weight is not None:
        losses = losses * (weights if weight.requires_grad else wrap(weights))
    if not counts.all():
        weights = weights * (wrap(counts) if isinstance(weights, Tensor) else counts)
        losses = ops.where(wrap(counts), losses, 0.0)
    return losses, weights


def _picked_by_symbol(input: Tensor, target: Symbol, weight: Tensor | None, ignore_index: int) -> tuple[Tensor, Tensor]:
    """As `_picked`, for class numbers whose values are not known here: `gather` keeps their range in mind."""
    dim, counts = _class_dim(input, weight), target != ignore_index
    places = ops.where(counts, target, 0)
    losses = -ops.gather(input, dim, places.unsqueeze(dim)).squeeze(dim)
    weights = counts.to(input.dtype)
    if weight is not None:
        weights, losses = weights * weight[places], losses * weight[places]
    return ops.where(counts, losses, 0.0), weights


def _reduce_by_weight(losses: Tensor, weights: Any, reduction: str) -> Tensor:
    """Reduce the losses of classes; their mean divides by the sum of the weights."""
    if reduction != "mean":
        return reduced(losses, reduction)
    return losses.sum() / (weights.sum() if isinstance(weights, Tensor) else weights.sum().item())


def _class_dim(input: Tensor, weight: Tensor | None) -> int:
    if input.ndim == 0:
        raise ShapeError("Expected 1 or more dimensions (got 0)", "They are the classes.", "Pass a score per class.")
    dim = 0 if input.ndim == 1 else 1
    if weight is not None and weight.shape != (input.shape[dim],):
        raise ShapeError(
            f"weight tensor should be defined either for all {input.shape[dim]} classes or no classes but got weight "
            f"tensor of shape: {list(weight.shape)}"
        )
    return dim


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross entropy of class targets and unnormalised logits.

    Parameters
    ----------
    input : Tensor
        Logits, of shape (classes,), (rows, classes) or (rows, classes, ...).
    target : Tensor
        Class numbers, or, of the shape of `input`, class probabilities.
    weight : Tensor, optional
        A weight per class.
    ignore_index : int
        A class number that does not count.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the rows.
    label_smoothing : float
        Share of each target that is spread evenly over all classes.

    Examples
    --------
    >>> import symgrad as sg
    >>> logits = sg.tensor([[2.0, 0.0]], requires_grad=True)
    >>> sg.nn.functional.cross_entropy(logits, sg.tensor([0])).backward()
    >>> logits.grad
    tensor([[-0.1192,  0.1192]])
    """
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    reduction = reduction_of(reduction, size_average, reduce)
    dim = _class_dim(input, weight)
    classes = input.shape[dim]
    log_p = ops.log_softmax(input, dim)
    per_class = None if weight is None else weight.reshape(-1, *(1,) * (input.ndim - dim - 1))
    weighted = log_p if per_class is None else log_p * per_class

    if target.shape == input.shape:
        if not target.is_floating_point():
            raise DTypeError(
                f"Expected floating point type for target with class probabilities, got {target.dtype}",
                next_step="Use target.double(), or class numbers without the dimension of the classes.",
            )
        if label_smoothing:
            target = target * (1 - label_smoothing) + label_smoothing / classes
        losses = -(weighted * target).sum(dim)
        return reduced(losses, reduction)

    losses, weights = _picked(log_p, target, weight, ignore_index)
    if label_smoothing:
        spread = ops.where(target != ignore_index, -weighted.sum(dim), 0.0)
        losses = (1 - label_smoothing) * losses + label_smoothing / classes * spread
    return _reduce_by_weight(losses, weights, reduction)


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """Compute `cross_entropy` of the logits that `linear` gives; `options` (of computing in chunks) are ignored.

    A weight of shape (classes, ..., in) gives a loss of (rows, ...), as targets of that shape do.
    """
    if linear_weight.ndim < 2 or (linear_bias is not None and linear_bias.shape != linear_weight.shape[:-1]):
        raise ShapeError(
            f"expected linear_weight of shape (classes, ..., in) and linear_bias of shape (classes, ...), got "
            f"{tuple(linear_weight.shape)} and {linear_bias if linear_bias is None else tuple(linear_bias.shape)}"
        )
    classes, *more, length = linear_weight.shape
    shift = None if linear_bias is None else linear_bias.reshape(-1)
    logits = linear(input, linear_weight.reshape(-1, length), shift).reshape(*input.shape[:-1], classes, *more)
    return cross_entropy(
        logits, target, weight, ignore_index=-100 if ignore_index is None else ignore_index, reduction=reduction,
        label_smoothing=label_smoothing,
    )  # fmt: skip
