"""Attention as functions: ``scaled_dot_product_attention`` and that of several heads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import ops
from .._errors import DTypeError, ShapeError
from ..core import Tensor, wrap
from ._linear_functions import linear
from ._noise_functions import dropout

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]


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


def _attention_weights(query: Tensor, key: Tensor, mask: Any, is_causal: bool, scale: float | None = None) -> Tensor:
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
    return x.reshape(*x.shape[:2], heads, -1).permute(1, 2, 0, 3)


def _for_all(x: Tensor, bias: Tensor | None, zero: bool) -> Tensor:
    """Append to keys or values what is the same for all: a learned one, and zeros."""
    if bias is not None:
        x = ops.cat([x, _by_head(bias.expand(1, x.shape[0], -1), x.shape[1])], 2)
    return ops.pad(x, (0, 0, 0, 1)) if zero else x


def _joined(
    mask: Tensor | None, padding: Tensor | None, batch: int, heads: int, sources: int, more: int, dtype: Any
) -> Any:
    """One additive mask of where not to look; the sources that were appended are seen by all."""
    total: Any = None
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
            given = given.reshape(batch, 1, 1, -1)
        total = given if total is None else total + given
    return ops.pad(total, (0, more)) if more and total is not None else total
