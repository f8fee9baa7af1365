"""The loss functions of ``nn.functional`` whose targets are numbers.

The idea to hold: each computes one number per element (or per row) and hands these to `reduced`. The steps are recorded
one by one, so that a formula shows them; the last node is therefore ``MeanBackward0`` where PyTorch has, for instance,
``MseLossBackward0``.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from .. import ops
from .._errors import RangeError, ShapeError
from ..core import Tensor
from ._calls import caller_depth

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "gaussian_nll_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "poisson_nll_loss",
    "reduced",
    "reduction_of",
    "smooth_l1_loss",
]

_SATURATED = 1e-12
"""Probabilities whose p(1-p) is below this are certain: `binary_cross_entropy` bounds its gradient there."""


def reduction_of(reduction: str, size_average: bool | None, reduce: bool | None) -> str:
    """Return the reduction that PyTorch's older arguments ask for, with its warning; without them, `reduction`."""
    if size_average is None and reduce is None:
        return reduction
    if isinstance(size_average, str) or isinstance(reduce, str):  # an answer of yes in PyTorch, whatever it says
        raise TypeError(
            f"size_average and reduce must be bool, not {size_average if isinstance(size_average, str) else reduce!r}. "
            "Pass the reduction by name: reduction='sum'."
        )
    chosen = "none" if reduce is not None and not reduce else "mean" if size_average in (None, True) else "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{chosen}' instead.",
        UserWarning,
        stacklevel=caller_depth(),
    )
    return chosen


def reduced(losses: Tensor, reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> Tensor:
    """Make one number of the losses, or leave them as they are."""
    reduction = reduction_of(reduction, size_average, reduce)
    if reduction == "mean":
        return losses.mean()
    if reduction == "sum":
        return losses.sum()
    if reduction == "none":
        return losses
    raise ValueError(f"{reduction} is not a valid value for reduction. Use 'mean', 'sum' or 'none'.")


def _warn_if_sizes_differ(input: Tensor, target: Tensor) -> None:
    if input.shape == target.shape:
        return
    # Python shows a warning once per line that causes it.
    warnings.warn(
        f"Using a target size ({tuple(target.shape)}) that is different to the input size ({tuple(input.shape)}). "
        "This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        UserWarning,
        stacklevel=caller_depth(),
    )


def _weighted(losses: Tensor, input: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    """Reduce a regression loss; its weighted mean divides by the sum of the weights."""
    if weight is None:
        return reduced(losses, reduction)
    losses = losses * _of_size(weight, input)
    if reduction == "mean":
        return losses.sum() / ops.broadcast_to(weight, losses.shape).sum()
    return reduced(losses, reduction)


def _of_size(weight: Tensor, input: Tensor) -> Tensor:
    if weight.shape != input.shape:
        raise ShapeError(
            f"Weights and input must have the same size. They have {tuple(weight.shape)} and {tuple(input.shape)}."
        )
    return weight


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Square the differences.

    Parameters
    ----------
    input, target : Tensor
        Of the same shape; if they broadcast, a warning says so.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the elements.
    weight : Tensor, optional
        A weight per element; the mean divides by their sum.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.mse_loss(sg.tensor([1.0, 2.0]), sg.tensor([0.0, 4.0]))
    tensor(2.5000)
    """
    _warn_if_sizes_differ(input, target)
    difference = input - target
    return _weighted(difference**2, input, weight, reduction_of(reduction, size_average, reduce))


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Take the absolute differences."""
    _warn_if_sizes_differ(input, target)
    return _weighted((input - target).abs(), input, weight, reduction_of(reduction, size_average, reduce))


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Square small differences over ``2 beta``; beyond `beta` go on as a straight line of slope one."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    _warn_if_sizes_differ(input, target)
    difference = input - target
    distance = difference.abs()
    if beta == 0:
        return reduced(distance, reduction, size_average, reduce)
    # Not the square of the distance: its second derivative would be lost in the kink at zero.
    square = difference**2
    return reduced(
        ops.where(distance < beta, 0.5 * square / beta, distance - 0.5 * beta), reduction, size_average, reduce
    )


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Half the square of small differences; beyond `delta` go on as a straight line of slope `delta`."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    _warn_if_sizes_differ(input, target)
    difference = input - target
    distance = difference.abs()
    losses = ops.where(distance < delta, 0.5 * difference**2, delta * (distance - 0.5 * delta))
    return reduced(losses if weight is None else losses * _of_size(weight, input), reduction)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Divergence of the distribution `target` from the one whose *logarithm* is `input`.

    Parameters
    ----------
    input : Tensor
        Log-probabilities.
    target : Tensor
        Probabilities, or their logarithms with `log_target`.
    reduction : {"mean", "batchmean", "sum", "none"}
        "batchmean", the sum over the number of rows, is the divergence as mathematics defines it.
    log_target : bool
        Whether `target` is a logarithm.
    """
    reduction = reduction_of(reduction, size_average, reduce)
    losses = target.exp() * (target - input) if log_target else ops.xlogy(target, target) - target * input
    if reduction == "batchmean":
        return losses.sum() / input.shape[0] if input.ndim else losses.sum()
    return reduced(losses, reduction)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Negative log-likelihood of Poisson counts, up to a constant.

    Parameters
    ----------
    input : Tensor
        The logarithm of the rate, or the rate itself without `log_input`.
    target : Tensor
        Counts.
    log_input : bool
        Whether `input` is a logarithm.
    full : bool
        Whether to add Stirling's approximation of ``log(target!)``.
    eps : float
        Added to a rate before its logarithm is taken.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the elements.
    """
    losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        many = target > 1
        count = ops.where(many, target, 1.0)
        stirling = count * count.log() - count + 0.5 * (2 * math.pi * count).log()
        losses = losses + ops.where(many, stirling, 0.0)
    return reduced(losses, reduction, size_average, reduce)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """Negative log-likelihood of normal observations with the given variances.

    Parameters
    ----------
    input, target : Tensor
        Expected and observed values.
    var : Tensor or float
        Variances: of the shape of `input`, or without its last dimension, or with that of length 1.
    full : bool
        Whether to add the constant ``log(2 pi) / 2``.
    eps : float
        Smaller variances count as this one; their gradient is not cut off.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the elements.
    """
    var = var if isinstance(var, Tensor) else ops.full_like(input, float(var))
    if var.shape != input.shape:
        if tuple(input.shape[:-1]) == tuple(var.shape):
            var = var.unsqueeze(-1)
        elif not input.ndim == var.ndim > 0 or input.shape[:-1] != var.shape[:-1] or var.shape[-1] != 1:
            raise ShapeError("var is of incorrect size", f"It has {tuple(var.shape)}, the input {tuple(input.shape)}.")
    if bool((var < 0).any()):
        raise ValueError("var has negative entry/entries")
    if bool((var < eps).any()):
        # The bound changes the value only: a variance that falls below it can still grow again.
        var = var + (var.clamp(min=eps) - var).detach()
    difference = input - target
    losses = 0.5 * (var.log() + difference**2 / var)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Cross entropy of yes/no targets and probabilities; logarithms are cut off at -100.

    Parameters
    ----------
    input : Tensor
        Probabilities. If they come from a sigmoid, `binary_cross_entropy_with_logits` is more exact.
    target : Tensor
        Between 0 and 1, of the same shape.
    weight : Tensor, optional
        A weight per element; the mean still divides by their number.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the elements.
    """
    if input.shape != target.shape:
        raise ShapeError(
            f"Using a target size ({tuple(target.shape)}) that is different to the input size ({tuple(input.shape)}) "
            "is deprecated. Please ensure they have the same size."
        )
    fixed = input.detach()
    certain = fixed * (1 - fixed) < _SATURATED
    if certain.any():
        _require_probabilities(fixed)
        losses = _bounded_cross_entropy(input, target, fixed, certain)
    else:
        losses = -(target * input.log() + (1 - target) * (1 - input).log())
    return reduced(losses if weight is None else losses * weight, reduction, size_average, reduce)


def _require_probabilities(p: Tensor) -> None:
    """Raise for what is no probability: its logarithm would be nan without a word."""
    outside = ops.where((p < 0) | (p > 1), p, 0.5)
    if (outside != 0.5).any():
        worst = outside.reshape(-1)[(outside - 0.5).abs().reshape(-1).argmax()].item()
        raise RangeError(
            "all elements of input should be between 0 and 1", f"One of them is {worst:.6g}.",
            "Pass them through sigmoid, or use binary_cross_entropy_with_logits.",
        )  # fmt: skip


def _bounded_cross_entropy(input: Tensor, target: Tensor, fixed: Tensor, certain: Tensor) -> Tensor:
    """Follow, where a probability is all but certain, a straight line through the value, whose slope is bounded."""
    p = ops.where(certain, 0.5, input)
    exact = -(target * p.log() + (1 - target) * (1 - p).log())
    value = -(target * fixed.log().clamp(min=-100.0) + (1 - target) * (1 - fixed).log().clamp(min=-100.0))
    line = value + (input - fixed) * (fixed - target) / _SATURATED
    return ops.where(certain, line, exact)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Cross entropy of yes/no targets and the logits of probabilities.

    Parameters
    ----------
    input : Tensor
        Logits: any real numbers.
    target : Tensor
        Between 0 and 1, of the same shape.
    weight : Tensor, optional
        A weight per element.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the elements.
    pos_weight : Tensor, optional
        A weight of the positive part, to balance rare positives.

    Examples
    --------
    >>> import symgrad as sg
    >>> logits, targets = sg.tensor([0.0, 800.0]), sg.tensor([1.0, 1.0])
    >>> sg.nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    tensor([0.6931, 0.0000])
    """
    if input.shape != target.shape:
        raise ShapeError(f"Target size ({tuple(target.shape)}) must be the same as input size ({tuple(input.shape)})")
    surprise = -ops.logsigmoid(input)
    if pos_weight is not None:
        surprise = (1 + (pos_weight - 1) * target) * surprise
    losses = (1 - target) * input + surprise
    return reduced(losses if weight is None else losses * weight, reduction, size_average, reduce)
