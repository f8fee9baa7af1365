"""Layers and losses as plain functions of tensors: ``symgrad.nn.functional``, usually imported as ``F``. Written by docs/_stubs.py: change the functions, not this text."""

# ruff: noqa
# fmt: off
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import object as _object
from builtins import str as _str
from builtins import type as _type
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
from numpy.typing import DTypeLike

from symgrad._typing import Operand

from .. import return_types
from ..core import Tensor

def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Take means of windows that cover each dimension in as many parts as `output_size` says (None: all).

    Parameters
    ----------
    input : Tensor
        The operand.
    output_size : int, float or tuple

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.adaptive_avg_pool1d(sg.arange(5.0).reshape(1, 5), 2)
    tensor([[1., 3.]])
    """
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Take means of windows that cover each dimension in as many parts as `output_size` says (None: all).

    Parameters
    ----------
    input : Tensor
        The operand.
    output_size : int, float or tuple

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.adaptive_avg_pool1d(sg.arange(5.0).reshape(1, 5), 2)
    tensor([[1., 3.]])
    """
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Take means of windows that cover each dimension in as many parts as `output_size` says (None: all).

    Parameters
    ----------
    input : Tensor
        The operand.
    output_size : int, float or tuple

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.adaptive_avg_pool1d(sg.arange(5.0).reshape(1, 5), 2)
    tensor([[1., 3.]])
    """
@overload
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: Literal[False] = False) -> Tensor:
    """Take the largest values of windows that cover each dimension in as many parts as `output_size` says.

    Parameters
    ----------
    input : Tensor
        The operand.
    output_size : int, float or tuple
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
@overload
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: _bool = False) -> Any: ...
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """Compute `adaptive_max_pool1d` with the places of the largest values.

    Parameters
    ----------
    input : Tensor
        The operand.
    output_size : int, float or tuple
        The sizes of the result, or their share of the input's.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
@overload
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: Literal[False] = False) -> Tensor:
    """Take the largest values of windows that cover each dimension in as many parts as `output_size` says.

    Parameters
    ----------
    input : Tensor
        The operand.
    output_size : int, float or tuple
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
@overload
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: _bool = False) -> Any: ...
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """Compute `adaptive_max_pool2d` with the places of the largest values.

    Parameters
    ----------
    input : Tensor
        The operand.
    output_size : int, float or tuple
        The sizes of the result, or their share of the input's.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
@overload
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: Literal[False] = False) -> Tensor:
    """Take the largest values of windows that cover each dimension in as many parts as `output_size` says.

    Parameters
    ----------
    input : Tensor
        The operand.
    output_size : int, float or tuple
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
@overload
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: _bool = False) -> Any: ...
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """Compute `adaptive_max_pool3d` with the places of the largest values.

    Parameters
    ----------
    input : Tensor
        The operand.
    output_size : int, float or tuple
        The sizes of the result, or their share of the input's.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
def affine_grid(theta: Tensor, size: Any, align_corners: _bool | None = None) -> Tensor:
    """Return where an affine map sends each pixel, for `grid_sample`.

    Parameters
    ----------
    theta : Tensor, shape (batch, 2, 3) or (batch, 3, 4)
        The maps.
    size : sequence of int
        That of the output: (batch, channels, length...).
    align_corners : bool, optional
        Whether -1 and 1 are the centres of the corner pixels, rather than their outer edges.
    """
def alpha_dropout(input: Tensor, p: _float = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Set elements to what SELU saturates at, with probability `p`, and keep mean and variance, during training.

    Parameters
    ----------
    input : Tensor
        The operand.
    p : float, default 0.5
    training : bool, default False
        Whether entries are dropped at all.
    inplace : bool, default False
        Whether the input is written over.
    """
def avg_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None) -> Tensor:
    """Take the mean of each window.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...) or (channels, length...)
        For instance images, of two lengths.
    kernel_size, stride, padding : int or one per dimension
        The window, its steps (those of its size if left out), and the zeros around the input.
    ceil_mode : bool
        Whether a last window may reach beyond the border; what is there does not count.
    count_include_pad : bool
        Whether the zeros of the border count in the mean.
    divisor_override : int, optional
        Divide by this instead of the number of elements.
    """
def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None) -> Tensor:
    """Take the mean of each window.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...) or (channels, length...)
        For instance images, of two lengths.
    kernel_size, stride, padding : int or one per dimension
        The window, its steps (those of its size if left out), and the zeros around the input.
    ceil_mode : bool
        Whether a last window may reach beyond the border; what is there does not count.
    count_include_pad : bool
        Whether the zeros of the border count in the mean.
    divisor_override : int, optional
        Divide by this instead of the number of elements.
    """
def avg_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None) -> Tensor:
    """Take the mean of each window.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...) or (channels, length...)
        For instance images, of two lengths.
    kernel_size, stride, padding : int or one per dimension
        The window, its steps (those of its size if left out), and the zeros around the input.
    ceil_mode : bool
        Whether a last window may reach beyond the border; what is there does not count.
    count_include_pad : bool
        Whether the zeros of the border count in the mean.
    divisor_override : int, optional
        Divide by this instead of the number of elements.
    """
def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: _bool = False, momentum: _float = 0.1, eps: _float = 1e-05) -> Tensor:
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
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute ``input1 @ weight[o] @ input2 + bias[o]`` for each output o.

    Parameters
    ----------
    input1 : Tensor
    input2 : Tensor
    weight : Tensor
    bias : Tensor, optional
    """
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
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
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    """
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', pos_weight: Tensor | None = None) -> Tensor:
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
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.

    Examples
    --------
    >>> import symgrad as sg
    >>> logits, targets = sg.tensor([0.0, 800.0]), sg.tensor([1.0, 1.0])
    >>> sg.nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    tensor([0.6931, 0.0000])
    """
def celu(input: Tensor, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """Keep what is positive; below, ``alpha (exp(x / alpha) - 1)``, whose slope at 0 is 1.

    Parameters
    ----------
    input : Tensor
        The operand.
    alpha : float, default 1.0
    inplace : bool, default False
        Whether the input is written over.
    """
def celu_(input: Tensor, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """Compute `celu` in place.

    Parameters
    ----------
    input : Tensor
        The operand.
    alpha : float, default 1.0
        A factor.
    inplace : bool, default False
        Whether the input is written over.
    """
def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Deal the channels (dimension 1) of `groups` groups out in turn.

    Parameters
    ----------
    input : Tensor
        The operand.
    groups : int
    """
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: _int = 1) -> Tensor:
    """Slide filters over the last dimensions (cross-correlation).

    Parameters
    ----------
    input : Tensor, shape (batch, in, length...) or (in, length...)
        For instance images, of two lengths.
    weight : Tensor, shape (out, in / groups, kernel length...)
        Filters.
    bias : Tensor, shape (out,), optional
        Added to each output channel.
    stride, dilation : int or one per dimension
        Steps of the window, and between the places in it.
    padding : int, one per dimension, "same" or "valid"
        Zeros put around the input.
    groups : int
        In how many independent parts the channels fall.

    Returns
    -------
    Tensor, shape (batch, out, length...)

    Examples
    --------
    >>> import symgrad as sg
    >>> image = sg.arange(9.0).reshape(1, 1, 3, 3)
    >>> sg.nn.functional.conv2d(image, sg.ones(1, 1, 2, 2))
    tensor([[[[ 8., 12.],
              [20., 24.]]]])
    """
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: _int = 1) -> Tensor:
    """Slide filters over the last dimensions (cross-correlation).

    Parameters
    ----------
    input : Tensor, shape (batch, in, length...) or (in, length...)
        For instance images, of two lengths.
    weight : Tensor, shape (out, in / groups, kernel length...)
        Filters.
    bias : Tensor, shape (out,), optional
        Added to each output channel.
    stride, dilation : int or one per dimension
        Steps of the window, and between the places in it.
    padding : int, one per dimension, "same" or "valid"
        Zeros put around the input.
    groups : int
        In how many independent parts the channels fall.

    Returns
    -------
    Tensor, shape (batch, out, length...)

    Examples
    --------
    >>> import symgrad as sg
    >>> image = sg.arange(9.0).reshape(1, 1, 3, 3)
    >>> sg.nn.functional.conv2d(image, sg.ones(1, 1, 2, 2))
    tensor([[[[ 8., 12.],
              [20., 24.]]]])
    """
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: _int = 1) -> Tensor:
    """Slide filters over the last dimensions (cross-correlation).

    Parameters
    ----------
    input : Tensor, shape (batch, in, length...) or (in, length...)
        For instance images, of two lengths.
    weight : Tensor, shape (out, in / groups, kernel length...)
        Filters.
    bias : Tensor, shape (out,), optional
        Added to each output channel.
    stride, dilation : int or one per dimension
        Steps of the window, and between the places in it.
    padding : int, one per dimension, "same" or "valid"
        Zeros put around the input.
    groups : int
        In how many independent parts the channels fall.

    Returns
    -------
    Tensor, shape (batch, out, length...)

    Examples
    --------
    >>> import symgrad as sg
    >>> image = sg.arange(9.0).reshape(1, 1, 3, 3)
    >>> sg.nn.functional.conv2d(image, sg.ones(1, 1, 2, 2))
    tensor([[[[ 8., 12.],
              [20., 24.]]]])
    """
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor:
    """Slide filters over the time of (time, batch, in); the weight is (kernel, in, out).

    Parameters
    ----------
    input : Tensor
        The operand.
    weight : Tensor
        Factors: of classes, of entries, of positive entries.
    bias : Tensor
        What is added, or whether something is.
    pad : int, default 0
        How much is added at each end.
    """
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: _int = 1, dilation: Any = 1) -> Tensor:
    """Apply the transpose of a convolution: each element of the input adds a multiple of the filter to the output.

    Parameters
    ----------
    input : Tensor, shape (batch, in, length...) or (in, length...)
        For instance images, of two lengths.
    weight : Tensor, shape (in, out / groups, kernel length...)
        Filters: those of the convolution that is transposed.
    bias : Tensor, shape (out,), optional
        Added to each output channel.
    stride, padding, dilation : int or one per dimension
        Those of the convolution that is transposed.
    output_padding : int or one per dimension
        How much longer than the least the output is: with a stride, several lengths lead to the same one.
    groups : int
        In how many independent parts the channels fall.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.conv_transpose1d(sg.ones(1, 2), sg.tensor([[[1.0, 2.0]]]), stride=2)
    tensor([[1., 2., 1., 2.]])
    """
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: _int = 1, dilation: Any = 1) -> Tensor:
    """Apply the transpose of a convolution: each element of the input adds a multiple of the filter to the output.

    Parameters
    ----------
    input : Tensor, shape (batch, in, length...) or (in, length...)
        For instance images, of two lengths.
    weight : Tensor, shape (in, out / groups, kernel length...)
        Filters: those of the convolution that is transposed.
    bias : Tensor, shape (out,), optional
        Added to each output channel.
    stride, padding, dilation : int or one per dimension
        Those of the convolution that is transposed.
    output_padding : int or one per dimension
        How much longer than the least the output is: with a stride, several lengths lead to the same one.
    groups : int
        In how many independent parts the channels fall.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.conv_transpose1d(sg.ones(1, 2), sg.tensor([[[1.0, 2.0]]]), stride=2)
    tensor([[1., 2., 1., 2.]])
    """
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: _int = 1, dilation: Any = 1) -> Tensor:
    """Apply the transpose of a convolution: each element of the input adds a multiple of the filter to the output.

    Parameters
    ----------
    input : Tensor, shape (batch, in, length...) or (in, length...)
        For instance images, of two lengths.
    weight : Tensor, shape (in, out / groups, kernel length...)
        Filters: those of the convolution that is transposed.
    bias : Tensor, shape (out,), optional
        Added to each output channel.
    stride, padding, dilation : int or one per dimension
        Those of the convolution that is transposed.
    output_padding : int or one per dimension
        How much longer than the least the output is: with a stride, several lengths lead to the same one.
    groups : int
        In how many independent parts the channels fall.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.conv_transpose1d(sg.ones(1, 2), sg.tensor([[[1.0, 2.0]]]), stride=2)
    tensor([[1., 2., 1., 2.]])
    """
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0.0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """Take one less the cosine of two vectors where `target` is 1; where it is -1, its excess over the margin.

    Parameters
    ----------
    input1 : Tensor
        The two operands.
    input2 : Tensor
        The two operands.
    target : Tensor
    margin : float, default 0.0
        How far apart is far enough.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor:
    """Compute the cosine of the angle between vectors along `dim`; norms below `eps` count as that.

    Parameters
    ----------
    x1 : Tensor
        The two operands.
    x2 : Tensor
        The two operands.
    dim : int, default 1
    eps : float, default 1e-08

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.cosine_similarity(sg.tensor([1.0, 0.0]), sg.tensor([3.0, 4.0]), dim=0)
    tensor(0.6000)
    """
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean', label_smoothing: _float = 0.0) -> Tensor:
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
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.

    Examples
    --------
    >>> import symgrad as sg
    >>> logits = sg.tensor([[2.0, 0.0]], requires_grad=True)
    >>> sg.nn.functional.cross_entropy(logits, sg.tensor([0])).backward()
    >>> logits.grad
    tensor([[-0.1192,  0.1192]])
    """
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: _int = 0, reduction: _str = 'mean', zero_infinity: _bool = False) -> Tensor:
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
def dropout(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero each element with probability `p` and scale up the rest, during training.

    Parameters
    ----------
    input : Tensor
        The operand.
    p : float, default 0.5
    training : bool, default True
        Whether entries are dropped at all.
    inplace : bool, default False
        Whether the input is written over.
    """
def dropout1d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero each channel of (batch, channels, length...) with probability `p` and scale up the rest, during training.

    Parameters
    ----------
    input : Tensor
        The operand.
    p : float, default 0.5
    training : bool, default True
        Whether entries are dropped at all.
    inplace : bool, default False
        Whether the input is written over.
    """
def dropout2d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero each channel of (batch, channels, length...) with probability `p` and scale up the rest, during training.

    Parameters
    ----------
    input : Tensor
        The operand.
    p : float, default 0.5
    training : bool, default True
        Whether entries are dropped at all.
    inplace : bool, default False
        Whether the input is written over.
    """
def dropout3d(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero each channel of (batch, channels, length...) with probability `p` and scale up the rest, during training.

    Parameters
    ----------
    input : Tensor
        The operand.
    p : float, default 0.5
    training : bool, default True
        Whether entries are dropped at all.
    inplace : bool, default False
        Whether the input is written over.
    """
def elu(input: Tensor, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """Keep what is positive; below, ``alpha (exp(x) - 1)``.

    Parameters
    ----------
    input : Tensor
        The operand.
    alpha : float, default 1.0
    inplace : bool, default False
        Whether the input is written over.
    """
def elu_(input: Tensor, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """Compute `elu` in place.

    Parameters
    ----------
    input : Tensor
        The operand.
    alpha : float, default 1.0
        A factor.
    inplace : bool, default False
        Whether the input is written over.
    """
def embedding(input: Tensor, weight: Tensor, padding_idx: _int | None = None, max_norm: _float | None = None, norm_type: _float = 2.0, scale_grad_by_freq: _bool = False, sparse: _bool = False) -> Tensor:
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
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: _float | None = None, norm_type: _float = 2.0, scale_grad_by_freq: _bool = False, mode: _str = 'mean', sparse: _bool = False, per_sample_weights: Tensor | None = None, include_last_offset: _bool = False, padding_idx: _int | None = None) -> Tensor:
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
    norm_type : float, default 2.0
        Which way is taken.
    scale_grad_by_freq : bool, default False
        Whether gradients are divided by how often a row was picked.
    sparse : bool, default False
        Whether it is sparse.
    include_last_offset : bool, default False

    Examples
    --------
    >>> import symgrad as sg
    >>> table = sg.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> sg.nn.functional.embedding_bag(sg.tensor([0, 1, 1]), table, sg.tensor([0, 2]))
    tensor([[2., 3.],
            [3., 4.]])
    """
def feature_alpha_dropout(input: Tensor, p: _float = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Set whole channels to what SELU saturates at, with probability `p`, and keep mean and variance.

    Parameters
    ----------
    input : Tensor
        The operand.
    p : float, default 0.5
    training : bool, default False
        Whether entries are dropped at all.
    inplace : bool, default False
        Whether the input is written over.
    """
def fold(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Add up columns in images: the transpose of `unfold`.

    Parameters
    ----------
    input : Tensor, shape (batch, channels * places in the window, positions), or without the batch
        Columns.
    output_size : int or pair of int
        Height and width of the images.
    kernel_size, dilation, padding, stride : int or pair of int
        The window, as for `unfold`.
    """
@overload
def fractional_max_pool2d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: Literal[False] = False, _random_samples: Tensor | None = None) -> Tensor:
    """Take the largest values of windows at random distances (Graham, 2014).

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...) or (channels, length...)
        For instance images, of two lengths.
    kernel_size : int or one per dimension
        The window.
    output_size : int or one per dimension, optional
        The lengths of the output,
    output_ratio : float or one per dimension, optional
        or their ratios to those of the input.
    return_indices : bool
        Whether the places of the largest values are returned as well.
    """
@overload
def fractional_max_pool2d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> Any: ...
def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Compute `fractional_max_pool2d` with the places of the largest values.

    Parameters
    ----------
    input : Tensor
        The operand.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    output_size : int, float or tuple, optional
        The sizes of the result, or their share of the input's.
    output_ratio : int, float or tuple, optional
        The sizes of the result, or their share of the input's.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
@overload
def fractional_max_pool3d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: Literal[False] = False, _random_samples: Tensor | None = None) -> Tensor:
    """Take the largest values of windows at random distances (Graham, 2014).

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...) or (channels, length...)
        For instance images, of two lengths.
    kernel_size : int or one per dimension
        The window.
    output_size : int or one per dimension, optional
        The lengths of the output,
    output_ratio : float or one per dimension, optional
        or their ratios to those of the input.
    return_indices : bool
        Whether the places of the largest values are returned as well.
    """
@overload
def fractional_max_pool3d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> Any: ...
def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Compute `fractional_max_pool3d` with the places of the largest values.

    Parameters
    ----------
    input : Tensor
        The operand.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    output_size : int, float or tuple, optional
        The sizes of the result, or their share of the input's.
    output_ratio : int, float or tuple, optional
        The sizes of the result, or their share of the input's.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Any, full: _bool = False, eps: _float = 1e-06, reduction: _str = 'mean') -> Tensor:
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
def gelu(input: Tensor, approximate: _str = 'none') -> Tensor:
    """Multiply by the normal distribution function: ``x Phi(x)``.

    Parameters
    ----------
    input : Tensor
        Of any shape.
    approximate : {"none", "tanh"}
        Whether Phi is replaced by its approximation with tanh.
    """
def glu(input: Tensor, dim: _int = -1) -> Tensor:
    """Halve the input along `dim` and let the logistic function of the second half gate the first.

    Parameters
    ----------
    input : Tensor
        The operand.
    dim : int, default -1

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.glu(sg.tensor([3.0, 5.0, 0.0, 100.0]))
    tensor([1.5000, 5.0000])
    """
def grid_sample(input: Tensor, grid: Tensor, mode: _str = 'bilinear', padding_mode: _str = 'zeros', align_corners: _bool | None = None) -> Tensor:
    """Read images at the given places.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, height, width) or (batch, channels, depth, height, width)
        Images.
    grid : Tensor, shape (batch, out length..., 2 or 3)
        Places: x, y (and z), from -1 to 1 over the image.
    mode : {"bilinear", "nearest", "bicubic"}
        How values between pixels are made.
    padding_mode : {"zeros", "border", "reflection"}
        What is outside of the image.
    align_corners : bool, optional
        Whether -1 and 1 are the centres of the corner pixels, rather than their outer edges.

    Examples
    --------
    >>> import symgrad as sg
    >>> image = sg.tensor([[[[0.0, 1.0], [2.0, 3.0]]]])
    >>> sg.nn.functional.grid_sample(image, sg.zeros(1, 1, 1, 2))
    tensor([[[[1.5000]]]])
    """
def group_norm(input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05) -> Tensor:
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
def gumbel_softmax(logits: Tensor, tau: _float = 1.0, hard: _bool = False, eps: _float = 1e-10, dim: _int = -1) -> Tensor:
    """Draw from the Gumbel-softmax distribution: differentiable draws of a class along `dim`.

    Parameters
    ----------
    logits : Tensor
        Unnormalised log-probabilities.
    tau : float
        The temperature: the lower, the nearer to a row with a single 1.
    hard : bool
        Whether the value is a row with a single 1, whose gradient is that of the soft draw.
    eps : float
        Accepted as in PyTorch, and not used.
    dim : int
        Along which the classes lie.
    """
def hardshrink(input: Tensor, lambd: _float = 0.5) -> Tensor:
    """Replace what is at most `lambd` in size by 0.

    Parameters
    ----------
    input : Tensor
        The operand.
    lambd : float, default 0.5
    """
def hardsigmoid(input: Tensor, inplace: _bool = False) -> Tensor:
    """Approximate the logistic function by three straight lines: ``relu6(x + 3) / 6``.

    Parameters
    ----------
    input : Tensor
        The operand.
    inplace : bool, default False
        Whether the input is written over.
    """
def hardswish(input: Tensor, inplace: _bool = False) -> Tensor:
    """Multiply by `hardsigmoid`: ``x relu6(x + 3) / 6``.

    Parameters
    ----------
    input : Tensor
        The operand.
    inplace : bool, default False
        Whether the input is written over.
    """
def hardtanh(input: Tensor, min_val: _float = -1.0, max_val: _float = 1.0, inplace: _bool = False) -> Tensor:
    """Return ``input`` held between the bounds; see `symgrad.hardtanh`.

    Parameters
    ----------
    input : Tensor
    min_val : float, default -1.0
        Bounds.
    max_val : float, default 1.0
        Bounds.
    inplace : bool, default False
        Whether the input is written over.
    """
def hardtanh_(input: Tensor, min_val: _float = -1.0, max_val: _float = 1.0, inplace: _bool = False) -> Tensor:
    """Compute `hardtanh` in place.

    Parameters
    ----------
    input : Tensor
        The operand.
    min_val : float, default -1.0
        Bounds.
    max_val : float, default 1.0
        Bounds.
    inplace : bool, default False
        Whether the input is written over.
    """
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _float = 1.0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """Take a distance itself where `target` is 1; where it is -1, what it lacks of the margin (where 0, both).

    Parameters
    ----------
    input : Tensor
        The operand.
    target : Tensor
    margin : float, default 1.0
        How far apart is far enough.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
def huber_loss(input: Tensor, target: Tensor, reduction: _str = 'mean', delta: _float = 1.0, weight: Tensor | None = None) -> Tensor:
    """Half the square of small differences; beyond `delta` go on as a straight line of slope `delta`.

    Parameters
    ----------
    input : Tensor
        The operand.
    target : Tensor
        What is to be predicted.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    delta : float, default 1.0
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    """
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: _bool = True, momentum: _float = 0.1, eps: _float = 1e-05) -> Tensor:
    """Shift and scale each channel of each example to mean 0 and variance 1; the parameters are those of `batch_norm`.

    With `use_input_stats` mean and variance are those of the example, and the running values follow their mean over
    the batch; without, they are the running values.

    Parameters
    ----------
    input : Tensor
        The operand.
    running_mean : Tensor, optional
        The running figures.
    running_var : Tensor, optional
        The running figures.
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    bias : Tensor, optional
        What is added, or whether something is.
    use_input_stats : bool, default True
    momentum : float, default 0.1
        How fast running figures follow.
    eps : float, default 1e-05
        What keeps a quotient finite.
    """
def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: _str = 'nearest', align_corners: _bool | None = None, recompute_scale_factor: _bool | None = None, antialias: _bool = False) -> Tensor:
    """Give the dimensions behind (batch, channels) another size.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...)
        One to three lengths.
    size : int or one per dimension, optional
        The new lengths,
    scale_factor : float or one per dimension, optional
        or by how much to multiply the old ones.
    mode : {"nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area"}
        How values between places are made.
    align_corners : bool, optional
        Whether the centres of the corners stay where they are, rather than their outer edges.
    recompute_scale_factor : bool, optional
        Whether the factor is that of the lengths after rounding.
    antialias : bool
        Whether "bilinear" and "bicubic" take in all that a shrunk place covers.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.interpolate(sg.tensor([[[0.0, 2.0]]]), size=3, mode="linear", align_corners=True)
    tensor([[[0., 1., 2.]]])
    """
def kl_div(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', log_target: _bool = False) -> Tensor:
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
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    """
def l1_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """Take the absolute differences.

    Parameters
    ----------
    input : Tensor
        The operand.
    target : Tensor
        What is to be predicted.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    """
def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05) -> Tensor:
    """Shift and scale the last dimensions to mean 0 and variance 1, each row by itself.

    Parameters
    ----------
    input : Tensor
        The operand.
    normalized_shape : int
        Sizes of what comes in and goes out.
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    bias : Tensor, optional
        What is added, or whether something is.
    eps : float, default 1e-05
        What keeps a quotient finite.
    """
def leaky_relu(input: Tensor, negative_slope: _float = 0.01, inplace: _bool = False) -> Tensor:
    """Keep what is positive, flatten what is not.

    Parameters
    ----------
    input : Tensor
        The operand.
    negative_slope : float, default 0.01
        A number of the function's definition.
    inplace : bool, default False
        Whether the input is written over.
    """
def leaky_relu_(input: Tensor, negative_slope: _float = 0.01, inplace: _bool = False) -> Tensor:
    """Compute `leaky_relu` in place.

    Parameters
    ----------
    input : Tensor
        The operand.
    negative_slope : float, default 0.01
        A number of the function's definition.
    inplace : bool, default False
        Whether the input is written over.
    """
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
def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None, weight: Tensor | None = None, reduction: _str = 'mean', ignore_index: _int | None = None, label_smoothing: _float = 0.0, options: Any = None) -> Tensor:
    """Compute `cross_entropy` of the logits that `linear` gives; `options` (of computing in chunks) are ignored.

    A weight of shape (classes, ..., in) gives a loss of (rows, ...), as targets of that shape do.

    Parameters
    ----------
    input : Tensor
        The operand.
    linear_weight : Tensor
        The weights of a linear map.
    target : Tensor
        What is to be predicted.
    linear_bias : Tensor, optional
        The weights of a linear map.
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    ignore_index : int, optional
        The class that does not count.
    label_smoothing : float, default 0.0
        How much of each target is spread over all classes.
    options : optional
    """
def local_response_norm(input: Tensor, size: _int, alpha: _float = 0.0001, beta: _float = 0.75, k: _float = 1.0) -> Tensor:
    """Divide by ``(k + alpha * m)**beta``, m the mean square of the `size` channels around each channel.

    Parameters
    ----------
    input : Tensor
        The operand.
    size : int
    alpha : float, default 0.0001
    beta : float, default 0.75
    k : float, default 1.0
    """
def log_softmax(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """Turn logits into log-probabilities along `dim`.

    Parameters
    ----------
    input : Tensor
        The operand.
    dim : int, optional
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    """
def logsigmoid(input: Tensor) -> Tensor:
    """Compute the logarithm of the logistic function, without overflow.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def lp_pool1d(input: Tensor, norm_type: _float, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> Tensor:
    """Sum each window's elements to the power `norm_type`, and take the root of that order.

    Parameters
    ----------
    input : Tensor
        The operand.
    norm_type : float
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    """
def lp_pool2d(input: Tensor, norm_type: _float, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> Tensor:
    """Sum each window's elements to the power `norm_type`, and take the root of that order.

    Parameters
    ----------
    input : Tensor
        The operand.
    norm_type : float
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    """
def lp_pool3d(input: Tensor, norm_type: _float, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> Tensor:
    """Sum each window's elements to the power `norm_type`, and take the root of that order.

    Parameters
    ----------
    input : Tensor
        The operand.
    norm_type : float
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    """
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = 0.0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """Ask that `input1` exceed `input2` by a margin where `target` is 1, and the reverse where it is -1.

    Parameters
    ----------
    input1 : Tensor
    input2 : Tensor
    target : Tensor
    margin : float, default 0.0
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
@overload
def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: Literal[False] = False) -> Tensor:
    """Take the largest value in each window; the first of equal ones receives the gradient.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...) or (channels, length...)
        For instance images, of two lengths.
    kernel_size, stride, padding, dilation : int or one per dimension
        The window, its steps (those of its size if left out), the border, and the steps between its places.
    ceil_mode : bool
        Whether a last window may reach beyond the border.
    return_indices : bool
        Whether the places of the largest values, row by row, are returned as well.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.max_pool1d(sg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2, return_indices=True)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
@overload
def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any: ...
def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """Compute `max_pool1d` with the places of the largest values.

    Parameters
    ----------
    input : Tensor
        The operand.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    dilation : int or tuple of ints, default 1
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
@overload
def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: Literal[False] = False) -> Tensor:
    """Take the largest value in each window; the first of equal ones receives the gradient.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...) or (channels, length...)
        For instance images, of two lengths.
    kernel_size, stride, padding, dilation : int or one per dimension
        The window, its steps (those of its size if left out), the border, and the steps between its places.
    ceil_mode : bool
        Whether a last window may reach beyond the border.
    return_indices : bool
        Whether the places of the largest values, row by row, are returned as well.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.max_pool1d(sg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2, return_indices=True)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
@overload
def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any: ...
def max_pool2d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """Compute `max_pool2d` with the places of the largest values.

    Parameters
    ----------
    input : Tensor
        The operand.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    dilation : int or tuple of ints, default 1
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
@overload
def max_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: Literal[False] = False) -> Tensor:
    """Take the largest value in each window; the first of equal ones receives the gradient.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...) or (channels, length...)
        For instance images, of two lengths.
    kernel_size, stride, padding, dilation : int or one per dimension
        The window, its steps (those of its size if left out), the border, and the steps between its places.
    ceil_mode : bool
        Whether a last window may reach beyond the border.
    return_indices : bool
        Whether the places of the largest values, row by row, are returned as well.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.max_pool1d(sg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2, return_indices=True)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
@overload
def max_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any: ...
def max_pool3d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """Compute `max_pool3d` with the places of the largest values.

    Parameters
    ----------
    input : Tensor
        The operand.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    dilation : int or tuple of ints, default 1
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """Put the largest values back to the places that pooling with ``return_indices`` said, among zeros.

    Parameters
    ----------
    input : Tensor
        The operand.
    indices : Tensor
        Places along the dimension.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    output_size : int, float or tuple, optional
        The sizes of the result, or their share of the input's.
    """
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """Put the largest values back to the places that pooling with ``return_indices`` said, among zeros.

    Parameters
    ----------
    input : Tensor
        The operand.
    indices : Tensor
        Places along the dimension.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    output_size : int, float or tuple, optional
        The sizes of the result, or their share of the input's.
    """
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """Put the largest values back to the places that pooling with ``return_indices`` said, among zeros.

    Parameters
    ----------
    input : Tensor
        The operand.
    indices : Tensor
        Places along the dimension.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    output_size : int, float or tuple, optional
        The sizes of the result, or their share of the input's.
    """
def mish(input: Tensor, inplace: _bool = False) -> Tensor:
    """Multiply by the hyperbolic tangent of the softplus: ``x tanh(log(1 + exp(x)))``.

    Parameters
    ----------
    input : Tensor
        The operand.
    inplace : bool, default False
        Whether the input is written over.
    """
def mse_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """Square the differences.

    Parameters
    ----------
    input, target : Tensor
        Of the same shape; if they broadcast, a warning says so.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the elements.
    weight : Tensor, optional
        A weight per element; the mean divides by their sum.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.mse_loss(sg.tensor([1.0, 2.0]), sg.tensor([0.0, 4.0]))
    tensor(2.5000)
    """
def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: _int, num_heads: _int, in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: _bool, dropout_p: _float, out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: _bool = True, key_padding_mask: Tensor | None = None, need_weights: _bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: _bool = False, q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: _bool = True, is_causal: _bool = False) -> tuple[Tensor, Tensor | None]:
    """Compute what `symgrad.nn.MultiheadAttention` computes, with its parameters as arguments.

    Query, key and value are (time, batch, features) or (time, features). Masks say where *not* to look (bool), or what
    is added (float): `attn_mask` per pair of places, `key_padding_mask` per source of each example.

    Parameters
    ----------
    query : Tensor
        What asks, and what is compared with it.
    key : Tensor
        What asks, and what is compared with it.
    value : Tensor
        What is put there.
    embed_dim_to_check : int
        The length of a vector, the number of heads, the width between.
    num_heads : int
        The length of a vector, the number of heads, the width between.
    in_proj_weight : Tensor
        Weights of the projections.
    in_proj_bias : Tensor
        Weights of the projections.
    bias_k : Tensor
        Weights and further rows of queries, keys and values.
    bias_v : Tensor
        Weights and further rows of queries, keys and values.
    add_zero_attn : bool
        Whether a row of zeros is added.
    dropout_p : float
        The probability that an entry is dropped.
    out_proj_weight : Tensor
        Weights of the projections.
    out_proj_bias : Tensor
        Weights of the projections.
    training : bool, default True
        Whether entries are dropped at all.
    key_padding_mask : Tensor, optional
    need_weights : bool, default True
        Whether to return the weights, too, and their mean over the heads.
    attn_mask : Tensor, optional
    use_separate_proj_weight : bool, default False
        Whether each projection has weights of its own.
    q_proj_weight : Tensor, optional
        Weights and further rows of queries, keys and values.
    k_proj_weight : Tensor, optional
        Weights and further rows of queries, keys and values.
    v_proj_weight : Tensor, optional
        Weights and further rows of queries, keys and values.
    static_k : Tensor, optional
        Weights and further rows of queries, keys and values.
    static_v : Tensor, optional
        Weights and further rows of queries, keys and values.
    average_attn_weights : bool, default True
        Whether to return the weights, too, and their mean over the heads.
    is_causal : bool, default False
        Whether each place sees only those before it.
    """
def multi_margin_loss(input: Tensor, target: Tensor, p: _float = 1, margin: _float = 1.0, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
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
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    """
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """Ask that the score of each of the target classes exceed each of the others by 1.

    Parameters
    ----------
    input : Tensor, shape (rows, classes) or (classes,)
        Scores.
    target : Tensor of int, of the same shape
        The numbers of each row's classes, then -1; what follows does not count.
    reduction : {"mean", "sum", "none"}
        What is done with the losses of the rows.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    """
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """Compute the mean over the classes of the logistic losses of targets 1 and 0.

    Parameters
    ----------
    input : Tensor
        The operand.
    target : Tensor
        What is to be predicted.
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Call `channel_shuffle`, under the name of PyTorch's kernel.

    Parameters
    ----------
    input : Tensor
        The operand.
    groups : int
        Into how many separate parts the channels fall.
    """
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
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
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.nll_loss(sg.tensor([[-0.1, -2.0], [-3.0, -0.5]]), sg.tensor([0, 1]))
    tensor(0.3000)
    """
def normalize(input: Tensor, p: _float = 2.0, dim: _int = 1, eps: _float = 1e-12, *, out: Tensor | None = None) -> Tensor:
    """Divide by the p-norm along `dim`, or by `eps` where that is larger.

    Parameters
    ----------
    input : Tensor
        The operand.
    p : float, default 2.0
        A number of the function's definition.
    dim : int, default 1
    eps : float, default 1e-12
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def one_hot(tensor: Tensor, num_classes: _int = -1) -> Tensor:
    """Replace each class number by a row with a single 1.

    Parameters
    ----------
    tensor : Tensor
        A further operand.
    num_classes : int, default -1
        The number of classes; found from the data if negative.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.one_hot(sg.tensor([1, 0]), 3)
    tensor([[0, 1, 0],
            [1, 0, 0]])
    """
def pad(input: Tensor, pad: Any, mode: _str = 'constant', value: _float | None = None) -> Tensor:
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
def pairwise_distance(x1: Tensor, x2: Tensor, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False) -> Tensor:
    """Compute the p-norm of ``x1 - x2 + eps`` along the last dimension.

    Parameters
    ----------
    x1 : Tensor
    x2 : Tensor
    p : float, default 2.0
        A number of the function's definition.
    eps : float, default 1e-06
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.pairwise_distance(sg.tensor([[3.0, 4.0]]), sg.zeros(1, 2), eps=0.0)
    tensor([5.])
    """
def pdist(input: Tensor, p: _float = 2.0) -> Tensor:
    """Compute the distance of each row from each later row: the upper triangle of `symgrad.cdist`, as a vector.

    Parameters
    ----------
    input : Tensor
        The operand.
    p : float, default 2.0
        A number of the function's definition.
    """
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """Make of channels larger images: (..., C r r, H, W) becomes (..., C, H r, W r).

    Parameters
    ----------
    input : Tensor
        The operand.
    upscale_factor : int
        By how much the image grows or shrinks.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.pixel_shuffle(sg.arange(4.0).reshape(4, 1, 1), 2)
    tensor([[[0., 1.],
             [2., 3.]]])
    """
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """Make of images more channels: the inverse of `pixel_shuffle`.

    Parameters
    ----------
    input : Tensor
        The operand.
    downscale_factor : int
        By how much the image grows or shrinks.
    """
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool = True, full: _bool = False, size_average: _bool | None = None, eps: _float = 1e-08, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
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
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    """
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Keep what is positive, multiply what is not by `weight`: one number, or one per channel (dimension 1).

    Parameters
    ----------
    input : Tensor
        The operand.
    weight : Tensor

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.prelu(sg.tensor([[-1.0, -1.0, 2.0]]), sg.tensor([0.1, 0.2, 0.3]))
    tensor([[-0.1000, -0.2000,  2.0000]])
    """
def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Keep what is positive; the slope at 0 is 0.

    Parameters
    ----------
    input : Tensor
        Of any shape.
    inplace : bool
        Whether the result is written to the memory of `input`, which is then returned.
    """
def relu6(input: Tensor, inplace: _bool = False) -> Tensor:
    """Return ``input`` held between 0 and 6; see `symgrad.relu6`.

    Parameters
    ----------
    input : Tensor
    inplace : bool, default False
        Whether the input is written over.
    """
def relu_(input: Tensor, inplace: _bool = False) -> Tensor:
    """Compute `relu` in place.

    Parameters
    ----------
    input : Tensor
        The operand.
    inplace : bool, default False
        Whether the input is written over.
    """
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: _float | None = None) -> Tensor:
    """Scale the last dimensions to a mean square of 1, each row by itself; `eps` is by default that of the dtype.

    Parameters
    ----------
    input : Tensor
        The operand.
    normalized_shape : int
        Sizes of what comes in and goes out.
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    eps : float, optional

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.rms_norm(sg.tensor([[1.0, 7.0]]), (2,))
    tensor([[0.2000, 1.4000]])
    """
def rrelu(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Keep what is positive, flatten what is not by random slopes; in evaluation by the middle one.

    Parameters
    ----------
    input : Tensor
        The operand.
    lower : float, default 0.125
        Bounds of the random slope.
    upper : float, default 0.3333333333333333
        Which triangle of the matrix counts.
    training : bool, default False
        Whether entries are dropped at all.
    inplace : bool, default False
        Whether the input is written over.
    """
def rrelu_(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Compute `rrelu` in place.

    Parameters
    ----------
    input : Tensor
        The operand.
    lower : float, default 0.125
        Bounds of the random slope.
    upper : float, default 0.3333333333333333
        Which triangle of the matrix counts.
    training : bool, default False
        Whether entries are dropped at all.
    inplace : bool, default False
        Whether the input is written over.
    """
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: _float = 0.0, is_causal: _bool = False, scale: _float | None = None, enable_gqa: _bool = False) -> Tensor:
    """Average the values with the softmax of the products of queries and keys: ``softmax(q @ k.T * scale) @ v``.

    Parameters
    ----------
    query : Tensor, shape (..., targets, length)
        What each target asks.
    key, value : Tensor, shape (..., sources, length), (..., sources, width)
        What each source answers to, and says.
    attn_mask : Tensor, shape (..., targets, sources), optional
        Where a target may look (bool), or what is added to the products (float).
    dropout_p : float
        The probability with which a weight is dropped.
    is_causal : bool
        Whether a target looks only at sources up to its own place.
    scale : float, optional
        By default one over the root of the length.
    enable_gqa : bool
        Whether several heads of the query (dimension -3) share one of the key.

    Examples
    --------
    >>> import symgrad as sg
    >>> q = k = sg.eye(2)
    >>> sg.nn.functional.scaled_dot_product_attention(q, k, sg.tensor([[1.0], [3.0]]), is_causal=True)
    tensor([[1.0000],
            [2.3395]])
    """
def selu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Return the scaled ELU; see `symgrad.selu`.

    Parameters
    ----------
    input : Tensor
        The operand.
    inplace : bool, default False
        Whether the input is written over.
    """
def selu_(input: Tensor, inplace: _bool = False) -> Tensor:
    """Compute `selu` in place.

    Parameters
    ----------
    input : Tensor
        The operand.
    inplace : bool, default False
        Whether the input is written over.
    """
def sigmoid(input: Tensor) -> Tensor:
    """Compute the logistic function.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def silu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Multiply by the logistic function: ``x sigmoid(x)``.

    Parameters
    ----------
    input : Tensor
        The operand.
    inplace : bool, default False
        Whether the input is written over.
    """
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', beta: _float = 1.0) -> Tensor:
    """Square small differences over ``2 beta``; beyond `beta` go on as a straight line of slope one.

    Parameters
    ----------
    input : Tensor
        The operand.
    target : Tensor
        What is to be predicted.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    beta : float, default 1.0
    """
def soft_margin_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """Compute the logistic loss ``log(1 + exp(-target * input))`` of targets 1 and -1.

    Parameters
    ----------
    input : Tensor
    target : Tensor
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
def softmax(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """Turn logits into probabilities along `dim`.

    Parameters
    ----------
    input : Tensor
        The operand.
    dim : int, optional
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    """
def softmin(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """Return ``softmax(-input, dim)``.

    Parameters
    ----------
    input : Tensor
    dim : int, optional
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    """
def softplus(input: Tensor, beta: _float = 1.0, threshold: _float = 20.0) -> Tensor:
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
def softshrink(input: Tensor, lambd: _float = 0.5) -> Tensor:
    """Bring each element nearer to 0 by `lambd`, and to 0 what is nearer already.

    Parameters
    ----------
    input : Tensor
        The operand.
    lambd : float, default 0.5
    """
def softsign(input: Tensor) -> Tensor:
    """Compute ``x / (1 + |x|)``.

    Parameters
    ----------
    input : Tensor
        The operand.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.softsign(sg.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5000,  0.0000,  0.7500])
    """
def tanh(input: Tensor) -> Tensor:
    """Compute the hyperbolic tangent.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def tanhshrink(input: Tensor) -> Tensor:
    """Subtract the hyperbolic tangent: ``x - tanh(x)``.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def threshold(input: Tensor, threshold: _float, value: _float, inplace: _bool = False) -> Tensor:
    """Replace what is at most `threshold` by `value`.

    Parameters
    ----------
    input : Tensor
        The operand.
    threshold : float
    value : float
    inplace : bool, default False
        Whether the input is written over.
    """
def threshold_(input: Tensor, threshold: _float, value: _float, inplace: _bool = False) -> Tensor:
    """Compute `threshold` in place.

    Parameters
    ----------
    input : Tensor
        The operand.
    threshold : float
    value : float
        What is put there.
    inplace : bool, default False
        Whether the input is written over.
    """
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: _float = 1.0, p: _float = 2.0, eps: _float = 1e-06, swap: _bool = False, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
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
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    """
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: _float = 1.0, swap: _bool = False, reduction: _str = 'mean') -> Tensor:
    """Compute `triplet_margin_loss` with a distance of your own.

    Parameters
    ----------
    anchor : Tensor
        What is compared, one example like it, and one unlike it.
    positive : Tensor
        What is compared, one example like it, and one unlike it.
    negative : Tensor
        What is compared, one example like it, and one unlike it.
    distance_function : Callable[[Tensor, Tensor], Tensor], optional
        The distance of two tensors.
    margin : float, default 1.0
        How far apart is far enough.
    swap : bool, default False
        Whether the negative is compared with the positive, too.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Make a column of each position of a window that slides over images.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, height, width) or (channels, height, width)
        Images.
    kernel_size, dilation, padding, stride : int or pair of int
        The window, as for `conv2d`.

    Returns
    -------
    Tensor, shape (batch, channels * places in the window, positions)

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.unfold(sg.arange(6.0).reshape(1, 2, 3), 2)
    tensor([[0., 1.],
            [1., 2.],
            [3., 4.],
            [4., 5.]])
    """
def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: _str = 'nearest', align_corners: _bool | None = None) -> Tensor:
    """Call `interpolate`, under its older name.

    Parameters
    ----------
    input : Tensor
        The operand.
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    scale_factor : float or tuple of floats, optional
        By how much each dimension grows.
    mode : str, default 'nearest'
        Which way is taken.
    align_corners : bool, optional
        Whether the corners keep their values.
    """
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call `interpolate` with "bilinear" and aligned corners.

    Parameters
    ----------
    input : Tensor
        The operand.
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    scale_factor : float or tuple of floats, optional
        By how much each dimension grows.
    """
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call `interpolate` with the nearest place.

    Parameters
    ----------
    input : Tensor
        The operand.
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    scale_factor : float or tuple of floats, optional
        By how much each dimension grows.
    """

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d", "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d", "adaptive_max_pool3d_with_indices", "affine_grid", "alpha_dropout", "avg_pool1d",
    "avg_pool2d", "avg_pool3d", "batch_norm", "bilinear", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "celu", "celu_", "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "cosine_embedding_loss", "cosine_similarity", "cross_entropy", "ctc_loss",
    "dropout", "dropout1d", "dropout2d", "dropout3d", "elu", "elu_", "embedding", "embedding_bag",
    "feature_alpha_dropout", "fold", "fractional_max_pool2d", "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d", "fractional_max_pool3d_with_indices", "gaussian_nll_loss", "gelu", "glu", "grid_sample",
    "group_norm", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "hardtanh_",
    "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate", "kl_div", "l1_loss", "layer_norm",
    "leaky_relu", "leaky_relu_", "linear", "linear_cross_entropy", "local_response_norm", "log_softmax", "logsigmoid",
    "lp_pool1d", "lp_pool2d", "lp_pool3d", "margin_ranking_loss", "max_pool1d", "max_pool1d_with_indices", "max_pool2d",
    "max_pool2d_with_indices", "max_pool3d", "max_pool3d_with_indices", "max_unpool1d", "max_unpool2d", "max_unpool3d",
    "mish", "mse_loss", "multi_head_attention_forward", "multi_margin_loss", "multilabel_margin_loss",
    "multilabel_soft_margin_loss", "native_channel_shuffle", "nll_loss", "normalize", "one_hot", "pad",
    "pairwise_distance", "pdist", "pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss", "prelu", "relu", "relu6",
    "relu_", "rms_norm", "rrelu", "rrelu_", "scaled_dot_product_attention", "selu", "selu_", "sigmoid", "silu",
    "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh",
    "tanhshrink", "threshold", "threshold_", "triplet_margin_loss", "triplet_margin_with_distance_loss", "unfold",
    "upsample", "upsample_bilinear", "upsample_nearest",
]
