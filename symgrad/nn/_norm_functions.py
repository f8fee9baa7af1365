"""The normalising functions of ``nn.functional``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import ops
from .._errors import DTypeError, ShapeError
from ..core import Tensor
from ..ops.reduce._norm import vector_norm
from ._calls import in_single

__all__ = [
    "batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "normalize", "rms_norm",
]  # fmt: skip


@in_single
def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Shift and scale the last dimensions to mean 0 and variance 1, each row by itself."""
    output = _standardize(input.contiguous(), _last_dims(input, normalized_shape, weight, bias), eps)
    output = output if weight is None else output * weight
    return output if bias is None else output + bias


def _last_dims(input: Tensor, normalized_shape: Any, *parts: Tensor | None) -> tuple[int, ...]:
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if tuple(input.shape[-len(shape) :]) != shape:
        raise ShapeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {', '.join(map(str, shape))}], but "
            f"got input of size {list(input.shape)}"
        )
    for part in parts:
        if part is not None and part.shape != shape:
            raise ShapeError(
                "Expected weight and bias to be of same shape as normalized_shape, but got shape "
                f"{list(part.shape)} and normalized_shape = {list(shape)}"
            )
    return tuple(range(-len(shape), 0))


@in_single
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Scale the last dimensions to a mean square of 1, each row by itself; `eps` is by default that of the dtype.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.rms_norm(sg.tensor([[1.0, 7.0]]), (2,))
    tensor([[0.2000, 1.4000]])
    """
    dims = _last_dims(input, normalized_shape, weight)
    if not input.is_floating_point():
        raise DTypeError(f"rms_norm is for floats, not for {input.dtype}", next_step="Cast it first: x.double().")
    small = float(np.finfo(input.dtype).eps) if eps is None else eps
    output = input / ((input * input).mean(dims, keepdim=True) + small).sqrt()
    return output if weight is None else output * weight


@in_single
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Shift and scale each of `num_groups` groups of channels of each example to mean 0 and variance 1.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, ...)
        What is normalised.
    num_groups : int
        In how many groups the channels fall.
    weight, bias : Tensor, shape (channels,), optional
        Scale and shift afterwards.
    eps : float
        Added to the variance.
    """
    if input.ndim < 2:
        raise ShapeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    if num_groups <= 0 or input.shape[1] % num_groups:
        raise ShapeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={num_groups}"
        )
    if input.numel() == num_groups:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {list(input.shape)}")
    groups = input.reshape(input.shape[0], num_groups, math.prod(input.shape[1:]) // num_groups)
    return _by_channel(_standardize(groups, (2,), eps).reshape(input.shape), weight, bias)


def _expect_running(input: Tensor, mean: Tensor | None, var: Tensor | None) -> None:
    if input.ndim < 2:
        raise ShapeError(f"Expected an input of shape (batch, channels, ...), but got {list(input.shape)}")
    if (mean is None) != (var is None):
        raise ShapeError("running_mean and running_var must either both be None or neither be None")
    _expect_channels(input, mean, var)


def _expect_channels(input: Tensor, *parts: Tensor | None) -> None:
    for part in parts:
        if part is not None and part.shape != (input.shape[1],):
            raise ShapeError(
                f"Expected a vector of {input.shape[1]} elements, the number of channels of the input, but got shape "
                f"{list(part.shape)} beside an input of shape {list(input.shape)}"
            )


def _by_channel(output: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    _expect_channels(output, weight, bias)
    channel = (1, output.shape[1], *(1,) * (output.ndim - 2))
    output = output if weight is None else output * weight.reshape(channel)
    return output if bias is None else output + bias.reshape(channel)


@in_single
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Shift and scale each channel of each example to mean 0 and variance 1; the parameters are those of `batch_norm`.

    With `use_input_stats` mean and variance are those of the example, and the running values follow their mean over
    the batch; without, they are the running values.
    """
    _expect_running(input, running_mean, running_var)
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if math.prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {tuple(input.shape)}")
    across = tuple(range(2, input.ndim))
    _follow(running_mean, running_var, momentum, input.detach(), across)
    return _by_channel(_standardize(input.contiguous(), across, eps), weight, bias)


def _follow(mean: Tensor | None, var: Tensor | None, momentum: float, batch: Tensor, across: tuple[int, ...]) -> None:
    """Move the running values, in place, towards those of a batch (or towards the mean of those of its examples)."""
    if batch.numel() == 0:
        return
    for running, now in ((mean, ops.mean), (var, ops.var)):
        if running is not None:
            new = now(batch, across)
            running.mul_(1 - momentum).add_((new if new.ndim == 1 else new.mean(0)) * momentum)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Divide by ``(k + alpha * m)**beta``, m the mean square of the `size` channels around each channel."""
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)")
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}")
    square = ops.pad((input * input).movedim(1, -1), (size // 2, (size - 1) // 2))
    channels = input.shape[1]
    total = sum(square[..., i : i + channels] for i in range(size))
    return input / (k + alpha / size * total.movedim(-1, 1)) ** beta


def _standardize(input: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
    centred = input - input.mean(dims, keepdim=True)
    return centred / ((centred * centred).mean(dims, keepdim=True) + eps).sqrt()


@in_single
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Shift and scale each channel to mean 0 and variance 1.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, ...)
        What is normalised.
    running_mean, running_var : Tensor, shape (channels,), or None
        Used when not `training`; while training they follow the batches, written in place.
    weight, bias : Tensor, shape (channels,), optional
        Scale and shift afterwards.
    training : bool
        Whether mean and variance are those of this batch.
    momentum : float
        Share of the new batch in the running values.
    eps : float
        Added to the variance.
    """
    across = (0, *range(2, input.ndim))
    _expect_running(input, running_mean, running_var)
    channel = (1, input.shape[1], *(1,) * (input.ndim - 2))
    if training:
        count = math.prod(input.shape[d] for d in across)
        if count <= 1:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got input size {tuple(input.shape)}"
            )
        _follow(running_mean, running_var, momentum, input.detach(), across)
        output = _standardize(input.contiguous(), across, eps)
    elif running_mean is None or running_var is None:
        raise ShapeError("running_mean and running_var must be defined in evaluation mode, when training=False")
    else:
        output = (input - running_mean.reshape(channel)) / (running_var.reshape(channel) + eps).sqrt()
    return _by_channel(output, weight, bias)


@in_single
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Divide by the p-norm along `dim`, or by `eps` where that is larger."""
    if p == 2.0:
        norm = (input * input).sum(dim, keepdim=True).sqrt()
    elif p == math.inf:
        norm = input.abs().amax(dim, keepdim=True)
    elif p in (0, -math.inf):
        norm = input.norm(p, dim, keepdim=True)
    else:
        norm = vector_norm(input, p, dim, True)
    return input / norm.clamp(min=eps)
