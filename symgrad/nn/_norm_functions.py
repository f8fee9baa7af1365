"""The normalising functions of ``nn.functional``."""

from __future__ import annotations

import math
from typing import Any

from .._errors import ShapeError
from ..core import Tensor

__all__ = ["batch_norm", "layer_norm", "normalize"]


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Shift and scale the last dimensions to mean 0 and variance 1, each row by itself."""
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if tuple(input.shape[-len(shape) :]) != shape:
        raise ShapeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {', '.join(map(str, shape))}], but "
            f"got input of size {list(input.shape)}"
        )
    output = _standardize(input.contiguous(), tuple(range(-len(shape), 0)), eps)
    output = output if weight is None else output * weight
    return output if bias is None else output + bias


def _standardize(input: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
    centred = input - input.mean(dims, keepdim=True)
    return centred / ((centred * centred).mean(dims, keepdim=True) + eps).sqrt()


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
    channel = (1, -1, *(1,) * (input.ndim - 2))
    if training:
        count = input.numel() // input.shape[1]
        if count <= 1:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got input size {tuple(input.shape)}"
            )
        if running_mean is not None and running_var is not None:
            batch = input.detach()
            running_mean.mul_(1 - momentum).add_(batch.mean(across) * momentum)
            running_var.mul_(1 - momentum).add_(batch.var(across) * momentum)
        output = _standardize(input.contiguous(), across, eps)
    elif running_mean is None or running_var is None:
        raise ValueError("Expected running_mean and running_var to be defined when training=False")
    else:
        output = (input - running_mean.reshape(channel)) / (running_var.reshape(channel) + eps).sqrt()
    output = output if weight is None else output * weight.reshape(channel)
    return output if bias is None else output + bias.reshape(channel)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Divide by the p-norm along `dim`, or by `eps` where that is larger."""
    if p == 2.0:
        norm = (input * input).sum(dim, keepdim=True).sqrt()
    elif p == math.inf:
        norm = input.abs().amax(dim, keepdim=True)
    elif p in (0, -math.inf):
        norm = input.norm(p, dim, keepdim=True)
    else:
        norm = (input.abs() ** p).sum(dim, keepdim=True) ** (1 / p)
    return input / norm.clamp(min=eps)
