"""The functions of ``nn.functional`` that drop what they are given, at random."""

from __future__ import annotations

from .. import ops
from .._errors import ShapeError
from ..core import Tensor
from ._calls import may_write

__all__ = ["alpha_dropout", "check_probability", "dropout", "dropout1d", "dropout2d", "dropout3d",
           "feature_alpha_dropout"]  # fmt: skip

_SATURATION = -1.7580993408473766
"""What SELU tends to from below: minus its scale times its alpha."""


def check_probability(p: float) -> None:
    """Refuse what is no probability."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _kept(input: Tensor, p: float, channels: bool) -> Tensor:
    """Draw which elements, or which whole channels, are kept."""
    shape = (*input.shape[:2], *(1,) * (input.ndim - 2)) if channels else input.shape
    return (ops.rand(tuple(shape), dtype=input.dtype) >= p).to(input.dtype)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero each element with probability `p` and scale up the rest, during training."""
    return _dropped(input, p, training, inplace, False)


def _dropped(input: Tensor, p: float, training: bool, inplace: bool, channels: bool) -> Tensor:
    check_probability(p)
    if not training or p == 0.0:
        return input
    mask = _kept(input, p, channels) / (1.0 - p) if p < 1.0 else ops.zeros((), dtype=input.dtype)
    return input.mul_(mask) if inplace else input * mask


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero each channel of (batch, channels, length) with probability `p` and scale up the rest, during training."""
    return _channels_dropped(input, p, training, inplace, 1)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero each channel of (batch, channels, height, width) with probability `p` and scale up the rest."""
    return _channels_dropped(input, p, training, inplace, 2)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero each channel of (batch, channels, depth, height, width) with probability `p` and scale up the rest."""
    return _channels_dropped(input, p, training, inplace, 3)


def _channels_dropped(input: Tensor, p: float, training: bool, inplace: bool, ndim: int) -> Tensor:
    if ndim == 1 and input.ndim not in (2, 3):
        raise ShapeError(f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input.")
    if ndim != 2 and input.ndim == ndim + 1:  # PyTorch reads images of three dimensions as (batch, channels, length)
        return _dropped(input.unsqueeze(0), p, training, inplace, True).squeeze(0)
    return _dropped(input, p, training, inplace, True)


@may_write
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Set elements to what SELU saturates at, with probability `p`, and keep mean and variance, during training."""
    return _saturated(input, p, training, False)


@may_write
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Set whole channels to what SELU saturates at, with probability `p`, and keep mean and variance."""
    return _saturated(input, p, training, True)


def _saturated(input: Tensor, p: float, training: bool, channels: bool) -> Tensor:
    check_probability(p)
    if not training or p == 0.0:
        return input
    if p == 1.0:
        return input * ops.zeros((), dtype=input.dtype)
    kept = _kept(input, p, channels)
    scale = ((1 - p) * (1 + p * _SATURATION**2)) ** -0.5
    return scale * (input * kept + _SATURATION * (1 - kept)) - scale * p * _SATURATION
