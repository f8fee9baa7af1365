"""Layers and losses as plain functions of tensors: ``symgrad.nn.functional``, usually imported as ``F``.

Each is written in differentiable operations, so it has gradients of every order and a formula.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from .._errors import DimensionError
from ..core import Symbol, Tensor, bounded, places, wrap
from ..ops._fused import affine
from ..ops._fused import bilinear as _bilinear
from ._class_losses import cross_entropy, nll_loss
from ._loss_functions import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    gaussian_nll_loss,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    poisson_nll_loss,
    smooth_l1_loss,
)
from ._norm_functions import batch_norm, layer_norm, normalize
from ._windows import avg_pool, convolution, max_pool

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "cross_entropy",
    "dropout",
    "elu",
    "embedding",
    "gaussian_nll_loss",
    "gelu",
    "hardtanh",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "max_pool1d",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "poisson_nll_loss",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softmin",
    "softplus",
    "softsign",
    "tanh",
]

# Activations ---------------------------------------------------------------------------------------------------


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Keep what is positive; the slope at 0 is 0."""
    return input.relu_() if inplace else ops.relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Keep what is positive, flatten what is not."""
    return ops.leaky_relu(input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Keep what is positive; below, ``alpha (exp(x) - 1)``."""
    return ops.elu(input, alpha)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Multiply by the normal distribution function: ``x Phi(x)``.

    Parameters
    ----------
    input : Tensor
        Of any shape.
    approximate : {"none", "tanh"}
        Whether Phi is replaced by its approximation with tanh.
    """
    return ops.gelu(input, approximate=approximate)


def silu(input: Tensor) -> Tensor:
    """Multiply by the logistic function: ``x sigmoid(x)``."""
    return ops.silu(input)


def selu(input: Tensor) -> Tensor:
    """Return the scaled ELU; see `symgrad.selu`."""
    return ops.selu(input)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Return ``input`` held between the bounds; see `symgrad.hardtanh`."""
    return ops.hardtanh(input, min_val, max_val)


def relu6(input: Tensor) -> Tensor:
    """Return ``input`` held between 0 and 6; see `symgrad.relu6`."""
    return ops.relu6(input)


def softmin(input: Tensor, dim: int) -> Tensor:
    """Return ``softmax(-input, dim)``."""
    return ops.softmax(-input, dim)


def sigmoid(input: Tensor) -> Tensor:
    """Compute the logistic function."""
    return ops.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """Compute the hyperbolic tangent."""
    return ops.tanh(input)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Compute ``log(1 + exp(beta x)) / beta``.

    Parameters
    ----------
    input : Tensor
        Of any shape.
    beta : float
        How sharply it bends.
    threshold : float
        Where ``beta x`` exceeds it, x itself is returned. The default means no bound: the exact value does not
        overflow.
    """
    return ops.softplus(input, beta, threshold)


def softsign(input: Tensor) -> Tensor:
    """Compute ``x / (1 + |x|)``.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.softsign(sg.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5000,  0.0000,  0.7500])
    """
    return ops.softsign(input)


def logsigmoid(input: Tensor) -> Tensor:
    """Compute the logarithm of the logistic function, without overflow."""
    return ops.logsigmoid(input)


def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Turn logits into probabilities along `dim`."""
    return ops.softmax(input, dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Turn logits into log-probabilities along `dim`."""
    return ops.log_softmax(input, dim, dtype=dtype)


# Linear maps ---------------------------------------------------------------------------------------------------


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


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Slide filters over one dimension; see `conv2d`."""
    return convolution(input, weight, bias, stride, padding, dilation, groups, 1)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Slide filters over two dimensions (cross-correlation).

    Parameters
    ----------
    input : Tensor, shape (batch, in, height, width) or (in, height, width)
        Images.
    weight : Tensor, shape (out, in / groups, kernel height, kernel width)
        Filters.
    bias : Tensor, shape (out,), optional
        Added to each output channel.
    stride, dilation : int or pair of int
        Steps of the window, and between the places in it.
    padding : int, pair of int, "same" or "valid"
        Zeros put around the images.
    groups : int
        In how many independent parts the channels fall.

    Returns
    -------
    Tensor, shape (batch, out, ...)

    Examples
    --------
    >>> import symgrad as sg
    >>> image = sg.arange(9.0).reshape(1, 1, 3, 3)
    >>> sg.nn.functional.conv2d(image, sg.ones(1, 1, 2, 2))
    tensor([[[[ 8., 12.],
              [20., 24.]]]])
    """
    return convolution(input, weight, bias, stride, padding, dilation, groups, 2)


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Put a border around the last dimensions; negative widths cut instead.

    Parameters
    ----------
    input : Tensor
        Of any shape.
    pad : sequence of int
        Widths in pairs, the last dimension first: ``(left, right, top, bottom, ...)``.
    mode : {"constant", "reflect", "replicate", "circular"}
        What the border is filled with.
    value : float, optional
        The constant; 0 if left out.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.pad(sg.ones(1, 2), (1, 2), value=5)
    tensor([[5., 1., 1., 5., 5.]])
    """
    return ops.pad(input, pad, mode, value)


# Pooling -------------------------------------------------------------------------------------------------------


def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1) -> Tensor:
    """Take the largest value in each window of one dimension."""
    return max_pool(input, kernel_size, stride, padding, dilation, 1)


def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1) -> Tensor:
    """Take the largest value in each window; the first of equal ones receives the gradient."""
    return max_pool(input, kernel_size, stride, padding, dilation, 2)


def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, count_include_pad: bool = True
) -> Tensor:
    """Take the mean of each window of one dimension."""
    return avg_pool(input, kernel_size, stride, padding, count_include_pad, None, 1)


def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    *,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Take the mean of each window.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, height, width) or (channels, height, width)
        Images.
    kernel_size, stride, padding : int or pair of int
        The window, its steps (those of its size if left out), and the zeros around the images.
    count_include_pad : bool
        Whether the zeros count in the mean.
    divisor_override : int, optional
        Divide by this instead of the number of elements.
    """
    return avg_pool(input, kernel_size, stride, padding, count_include_pad, divisor_override, 2)


# Noise and lookup ------------------------------------------------------------------------------------------------


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero each element with probability `p` and scale up the rest, during training."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0:
        return input
    # At p = 1 nothing is kept and the scale does not matter.
    mask = (ops.rand(*input.shape, dtype=input.dtype) >= p).to(input.dtype) / (1.0 - p if p < 1.0 else 1.0)
    return input.mul_(mask) if inplace else input * mask


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Look up the rows of `weight` that `input` numbers; the row `padding_idx` receives no gradient."""
    count = weight.shape[0]
    index = input.detach().numpy()
    if index.size and not 0 <= index.min() <= index.max() < count:
        raise DimensionError("index out of range in self", f"The table has {count} rows.", "Number them from 0.")
    rows = weight[input]
    if padding_idx is None:
        return rows
    is_padding = (index == padding_idx % count)[..., None]
    return ops.where(wrap(is_padding), rows.detach(), rows)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Replace each class number by a row with a single 1.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.one_hot(sg.tensor([1, 0]), 3)
    tensor([[0, 1, 0],
            [1, 0, 0]])
    """
    if type(tensor) is Symbol and num_classes != -1 and type(places(tensor)) is np.ndarray:  # each example's own
        bounded(places(tensor), 0, num_classes)
        return (tensor.unsqueeze(-1) == np.arange(num_classes)).long()
    classes = tensor.detach().numpy()
    if num_classes == -1:
        num_classes = int(classes.max()) + 1
    if classes.size and not 0 <= classes.min() <= classes.max() < num_classes:
        raise RuntimeError("Class values must be non-negative and smaller than num_classes.")
    return wrap((classes[..., None] == np.arange(num_classes)).astype(np.int64, "C"))
