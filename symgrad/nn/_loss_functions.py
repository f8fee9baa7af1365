"""The loss functions of ``nn.functional`` whose targets are numbers, classes, or sequences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import ops
from .._errors import DimensionError, DTypeError, RangeError, ShapeError, warn_caller
from ..core import Symbol, Tensor, wrap
from ..ops.entries import remember
from ._linear_functions import linear

# -------------------------------------------------- The loss functions of ``nn.functional`` whose targets are numbers

# The idea to hold: each computes one number per element (or per row) and hands these to `reduced`. The steps are
# recorded one by one, so that a formula shows them; the last node is therefore ``MeanBackward0`` where PyTorch has, for
# instance, ``MseLossBackward0``.


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
    warn_caller(f"size_average and reduce args will be deprecated, please use reduction='{chosen}' instead.")
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
    warn_caller(
        f"Using a target size ({tuple(target.shape)}) that is different to the input size ({tuple(input.shape)}). "
        "This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size."
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
        losses = _cross_entropy(target, input.log(), (1 - input).log())
    return reduced(losses if weight is None else losses * weight, reduction, size_average, reduce)


def _cross_entropy(target: Tensor, log: Tensor, log_of_rest: Tensor) -> Tensor:
    return -(target * log + (1 - target) * log_of_rest)


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
    exact = _cross_entropy(target, p.log(), (1 - p).log())
    value = _cross_entropy(target, *(q.log().clamp(min=-100.0) for q in (fixed, 1 - fixed)))
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


# -------------------------------------------------- The loss functions of ``nn.functional`` whose targets are classes

# The idea to hold: a class number only *picks* a log-probability, so it is data: it is checked and prepared as a plain
# array, and what is recorded is one `gather`. Inside `vmap` it is each example's own: the same steps, in operations.


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
    expect_classes(places, input.shape[dim])
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


def expect_classes(classes: np.ndarray, count: int) -> None:
    """Refuse numbers of classes that there are not."""
    wrong = classes[(classes < 0) | (classes >= count)]
    if wrong.size:
        raise DimensionError(f"Target {wrong[0]} is out of bounds.", f"There are {count} classes, from 0.")


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


# --------------------------- Connectionist temporal classification: the loss of a sequence whose alignment is unknown

# The idea to hold: the probability of a target is a sum over all alignments, and obeys a recursion in time over the
# target with blanks between its letters. The recursion runs in logarithms, for all examples of a batch at once.


_NEVER = -1e30
"""The logarithm of what has no probability: finite, so that sums of two such things have a slope, 0."""


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Compute the negative log-probability that a path reads, blanks and repetitions removed, as its target.

    Parameters
    ----------
    log_probs : Tensor, shape (time, batch, classes) or (time, classes)
        Log-probabilities.
    targets : Tensor of int, shape (batch, longest) or (sum of the lengths,)
        The letters, none of them `blank`.
    input_lengths, target_lengths : Tensor of int, or sequence of int
        The lengths of each example.
    blank : int
        The class that means nothing.
    reduction : {"mean", "sum", "none"}
        "mean" divides each loss by the length of its target first.
    zero_infinity : bool
        Whether a target that no path can read costs nothing, rather than infinity.

    Examples
    --------
    >>> import symgrad as sg
    >>> even = sg.full((2, 1, 2), 0.5).log()
    >>> sg.nn.functional.ctc_loss(even, sg.tensor([[1]]), [2], [1]).exp()
    tensor(1.3333)
    """
    single = log_probs.ndim == 2
    log_p = log_probs.unsqueeze(1) if single else log_probs
    if log_p.ndim != 3:
        raise ShapeError(f"Expected log_probs of shape (time, batch, classes), but got {tuple(log_probs.shape)}")
    time, batch, classes = log_p.shape
    lengths, counts = (np.array(_whole(x)).reshape(-1) for x in (input_lengths, target_lengths))
    if not 0 <= blank < classes:
        raise ShapeError(f"blank must be in label range, got {blank} for {classes} classes")
    if len(lengths) != batch or len(counts) != batch:
        raise ShapeError(f"input_lengths and target_lengths must be of size batch_size ({batch})")
    if lengths.max(initial=0) > time:
        raise ShapeError(f"Expected input_lengths to have value at most {time}, but got value {lengths.max()}")
    shape = tuple(targets.shape)
    if shape != (counts.sum(),) and (len(shape) != 2 or shape[0] != batch or shape[1] < counts.max(initial=0)):
        raise ShapeError(
            f"Expected targets of shape ({batch}, at least {counts.max(initial=0)}) or ({counts.sum()},), got {shape}"
        )
    losses = _losses(log_p, _with_blanks(targets, counts, blank), lengths, counts)
    if zero_infinity:
        losses = ops.where(losses.detach() == np.inf, 0.0, losses)
    if reduction == "mean":
        return (losses / wrap(np.maximum(counts, 1).astype(log_p.dtype))).mean()
    return reduced(losses[0] if single else losses, reduction)


def _whole(x: Any) -> Any:
    return x.detach().numpy() if isinstance(x, Tensor) else x


def _with_blanks(targets: Tensor, counts: np.ndarray, blank: int) -> np.ndarray:
    """Write each target as a row with blanks before, between and after its letters, and behind it."""
    letters = _whole(targets)
    rows = np.full((len(counts), 2 * counts.max(initial=0) + 1), blank, np.int64)
    if letters.ndim == 1:
        parts = np.split(letters, np.cumsum(counts)[:-1])
    else:
        parts = [row[:count] for row, count in zip(letters, counts, strict=True)]
    for row, part, count in zip(rows, parts, counts, strict=True):
        row[1 : 2 * count : 2] = part
    return rows


def _losses(log_p: Tensor, letters: np.ndarray, lengths: np.ndarray, counts: np.ndarray) -> Tensor:
    time, batch, _ = log_p.shape
    size = letters.shape[1]
    seen = log_p.gather(2, wrap(np.broadcast_to(letters, (time, batch, size)).copy()))
    # A letter may follow the last but one directly where the blank between them can be left out.
    skips = np.zeros((batch, size), bool)
    skips[:, 3::2] = letters[:, 3::2] != letters[:, 1:-2:2]
    reached = ops.where(wrap(np.arange(size) < 2), seen[0], _NEVER)
    unread = np.where(np.arange(size) < 1, 0.0, _NEVER).astype(log_p.dtype)  # no time: nothing but the first blank
    reached = ops.where(wrap(lengths[:, None] > 0), reached, wrap(unread))
    for t in range(1, time):
        one, two = (ops.pad(reached, (k, 0), value=_NEVER)[:, :size] for k in (1, 2))
        ways = ops.stack([reached, one, ops.where(wrap(skips), two, _NEVER)])
        moved = ops.logsumexp(ways, 0) + seen[t]
        reached = ops.where(wrap(t < lengths[:, None]), moved, reached)
    ends = np.stack([2 * counts, np.maximum(2 * counts - 1, 0)], 1)
    both = reached.gather(1, wrap(ends))
    both = ops.where(wrap(np.stack([counts >= 0, counts > 0], 1)), both, _NEVER)
    total = ops.logsumexp(both, 1)
    return ops.where(total < _NEVER / 2, np.inf, -total)
