"""Linear maps, lookups, noise, normalisation and attention of ``nn.functional``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import ops
from .._errors import DimensionError, DTypeError, ShapeError
from ..core import Tensor, wrap
from ..ops import known_values
from ..ops.index import one_hot_row
from ..ops.linalg import affine
from ..ops.linalg import bilinear as _bilinear
from ..ops.reduce import vector_norm
from ._activation_functions import in_single, may_write
from ._windows import by_dimensions

# ----------------------------------------------------------------------- Linear maps and lookups of ``nn.functional``


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
        classes = known_values(tensor, "the number of classes")
        if not classes.size:
            raise ShapeError(
                "Can not infer total number of classes from empty tensor.",
                f"The tensor has shape {tuple(tensor.shape)}.", "Pass num_classes.",
            )  # fmt: skip
        num_classes = int(classes.max()) + 1
    return one_hot_row(tensor, num_classes)


# ---------------------------------------- The functions of ``nn.functional`` that drop what they are given, at random


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


def dropoutnd(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, ndim: int) -> Tensor:
    """Zero each channel of (batch, channels, length...) with probability `p` and scale up the rest, during training."""
    if ndim == 1 and input.ndim not in (2, 3):
        raise ShapeError(f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input.")
    if ndim != 2 and input.ndim == ndim + 1:  # PyTorch reads images of three dimensions as (batch, channels, length)
        return _dropped(input.unsqueeze(0), p, training, inplace, True).squeeze(0)
    return _dropped(input, p, training, inplace, True)


dropout1d, dropout2d, dropout3d = by_dimensions(dropoutnd, batch=False)


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


# --------------------------------------------------------------------- The normalising functions of ``nn.functional``


@in_single
def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Shift and scale the last dimensions to mean 0 and variance 1, each row by itself."""
    output = _standardize(input.contiguous(), _last_dims(input, normalized_shape, weight, bias), eps)
    output = output if weight is None else output * weight
    return output if bias is None else output + bias


def normalized(shape: Any) -> tuple[int, ...]:
    """The lengths of the dimensions that are normalised together, which may be one number."""
    return (int(shape),) if isinstance(shape, int | np.integer) else tuple(shape)


def _last_dims(input: Tensor, normalized_shape: Any, *parts: Tensor | None) -> tuple[int, ...]:
    shape = normalized(normalized_shape)
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
    if p == 2.0 and not input.is_complex():
        norm = (input * input).sum(dim, keepdim=True).sqrt()
    elif p == math.inf:
        norm = input.abs().amax(dim, keepdim=True)
    elif p in (0, -math.inf):
        norm = input.norm(p, dim, keepdim=True)
    else:
        norm = vector_norm(input, p, dim, True)
    return input / norm.clamp(min=eps)


# --------------------------------- Attention as functions: ``scaled_dot_product_attention`` and that of several heads


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
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
    if is_causal and attn_mask is not None:
        raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
    if enable_gqa:
        shared = query.shape[-3] // max(key.shape[-3], 1)
        key, value = (ops.repeat_interleave(x, shared, -3) for x in (key, value))
    weights = _attention_weights(query, key, attn_mask, is_causal, scale)
    return dropout(weights, dropout_p) @ value


def _attention_weights(query: Tensor, key: Tensor, mask: Any, is_causal: bool, scale: float | None) -> Tensor:
    if query.dtype == np.float16:  # its products soon leave the range
        return _attention_weights(query.float(), key.float(), mask, is_causal, scale).half()
    scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        mask = wrap(np.tri(*scores.shape[-2:], dtype=bool))
    if mask is None:
        return ops.softmax(scores, -1)
    # A target that may look nowhere has weights of zero, not 0/0: PyTorch says the same.
    if mask.dtype == np.bool_:
        weights = ops.softmax(ops.where(mask, scores, -math.inf), -1)
        return ops.where(mask.any(-1, keepdim=True), weights, 0.0)
    blind = ops.isneginf(mask).all(-1, keepdim=True)
    return ops.where(blind, 0.0, ops.softmax(scores + ops.where(blind, 0.0, mask), -1))


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Compute what `symgrad.nn.MultiheadAttention` computes, with its parameters as arguments.

    Query, key and value are (time, batch, features) or (time, features). Masks say where *not* to look (bool), or what
    is added (float): `attn_mask` per pair of places, `key_padding_mask` per source of each example.
    """
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    single = _without_batch(query, key, value)
    if single:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    _, batch, features = query.shape
    if features != embed_dim_to_check:
        raise ShapeError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {features}")
    if features % num_heads:
        raise ShapeError(f"embed_dim {features} not divisible by num_heads {num_heads}")
    joint = in_proj_weight is not None and not use_separate_proj_weight
    matrices = ops.chunk(in_proj_weight, 3) if joint else (q_proj_weight, k_proj_weight, v_proj_weight)
    shifts = (None,) * 3 if in_proj_bias is None else ops.chunk(in_proj_bias, 3)
    given = zip((query, key, value), matrices, shifts, strict=True)
    q, k, v = (_by_head(linear(x, m, s), num_heads) for x, m, s in given)
    k = k if static_k is None else static_k.unflatten(0, (batch, num_heads))
    v = v if static_v is None else static_v.unflatten(0, (batch, num_heads))
    sources = k.shape[2]
    k, v = (_for_all(x, bias, add_zero_attn) for x, bias in ((k, bias_k), (v, bias_v)))
    mask = _joined(attn_mask, key_padding_mask, batch, num_heads, sources, k.shape[2] - sources, q.dtype)
    if need_weights:
        scores = q @ k.mT * q.shape[-1] ** -0.5 + (0.0 if mask is None else mask)
        weights = dropout(ops.softmax(scores, -1), dropout_p, training)
        seen = weights @ v
    else:
        weights = None
        seen = scaled_dot_product_attention(q, k, v, mask, dropout_p if training else 0.0)
    output = linear(seen.permute(2, 0, 1, 3).reshape(query.shape), out_proj_weight, out_proj_bias)
    weights = weights.mean(1) if weights is not None and average_attn_weights else weights
    if single:
        output, weights = output.squeeze(1), None if weights is None else weights.squeeze(0)
    return output, weights


def _without_batch(*parts: Tensor) -> bool:
    if {x.ndim for x in parts} not in ({2}, {3}):
        raise ShapeError(
            "query, key and value should be 3-D, or 2-D without a batch, but have shapes "
            f"{', '.join(str(tuple(x.shape)) for x in parts)}"
        )
    return parts[0].ndim == 2


def _by_head(x: Tensor, heads: int) -> Tensor:
    """Turn (time, batch, features) into (batch, heads, time, length)."""
    return x.unflatten(2, (heads, -1)).permute(1, 2, 0, 3)


def _for_all(x: Tensor, bias: Tensor | None, zero: bool) -> Tensor:
    """Append to keys or values what is the same for all: a learned one, and zeros."""
    if bias is not None:
        x = ops.cat([x, _by_head(bias.expand(1, x.shape[0], -1), x.shape[1])], 2)
    return ops.pad(x, (0, 0, 0, 1)) if zero else x


def _joined(
    mask: Tensor | None, padding: Tensor | None, batch: int, heads: int, sources: int, more: int, dtype: Any
) -> Any:
    """One additive mask of where not to look; the sources that were appended are seen by all."""
    total = None
    for given, shape in ((mask, (batch, heads)), (padding, ())):
        if given is None:
            continue
        if not shape and tuple(given.shape) != (batch, sources):
            raise ShapeError(f"expecting key_padding_mask shape of {(batch, sources)}, but got {tuple(given.shape)}")
        if given.dtype.kind in "iu":
            raise DTypeError(f"only bool and floating types of masks are supported, got {given.dtype}")
        if given.ndim not in (2, 3):
            raise ShapeError(
                "attn_mask must be of shape (targets, sources) or (batch * heads, targets, sources), but has "
                f"{tuple(given.shape)}"
            )
        if given.dtype == np.bool_:
            given = ops.zeros(*given.shape, dtype=dtype).masked_fill(given, -math.inf)
        if shape and given.ndim == 3:
            given = given.unflatten(0, shape)
        elif not shape:
            given = given[:, None, None]
        total = given if total is None else total + given
    return ops.pad(total, (0, more)) if more and total is not None else total
