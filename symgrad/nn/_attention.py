"""Attention as modules: `MultiheadAttention` and the parts of a transformer."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops
from ..core import Tensor
from . import functional as F
from . import init
from ._containers import ModuleList
from ._layers import Dropout, Linear
from ._module import Module
from ._norms import LayerNorm
from ._weights import room

__all__ = [
    "MultiheadAttention", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer",
]  # fmt: skip


class MultiheadAttention(Module):
    """Attention of several heads, each with a part of the features.

    Parameters
    ----------
    embed_dim, num_heads : int
        Number of features, and in how many parts they fall.
    dropout : float
        The probability with which a weight is dropped in training.
    bias : bool
        Whether the projections have biases.
    add_bias_kv, add_zero_attn : bool
        Whether a source that is learned, and one of zeros, are appended.
    kdim, vdim : int, optional
        Numbers of features of keys and values, where they differ.
    batch_first : bool
        Whether input and output are (batch, time, features) rather than (time, batch, features).

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.randn(7, 5, 8)
    >>> output, weights = sg.nn.MultiheadAttention(8, 2)(x, x, x)
    >>> tuple(output.shape), tuple(weights.shape)
    ((7, 5, 8), (5, 7, 7))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads}"
            )
        if embed_dim % num_heads:
            raise AssertionError(f"embed_dim must be divisible by num_heads\nThey are {embed_dim} and {num_heads}.")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self.head_dim, self.add_zero_attn = embed_dim // num_heads, add_zero_attn
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim

        def shaped(wanted: bool, *shape: int) -> Any:
            return room(*shape, device=device, dtype=dtype) if wanted else None

        joint, e = self._qkv_same_embed_dim, embed_dim
        self.register_parameter("in_proj_weight", shaped(joint, 3 * e, e))
        for name, width in (("q", e), ("k", self.kdim), ("v", self.vdim)):
            self.register_parameter(f"{name}_proj_weight", shaped(not joint, e, width))
        self.register_parameter("in_proj_bias", shaped(bias, 3 * e))
        self.out_proj = Linear(e, e, bias, device, dtype)
        self.register_parameter("bias_k", shaped(add_bias_kv, 1, 1, e))
        self.register_parameter("bias_v", shaped(add_bias_kv, 1, 1, e))
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Compute `functional.multi_head_attention_forward`; returns the output and the weights (if needed)."""
        swap = self.batch_first and query.ndim == 3
        query, key, value = map(ops.as_tensor, (query, key, value))
        query, key, value = (x.transpose(0, 1) if swap else x for x in (query, key, value))
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias, self.training,
            key_padding_mask, need_weights, attn_mask, not self._qkv_same_embed_dim, self.q_proj_weight,
            self.k_proj_weight, self.v_proj_weight, None, None, average_attn_weights, is_causal,
        )  # fmt: skip
        return output.transpose(0, 1) if swap else output, weights


def _activation(what: Any) -> Callable[[Tensor], Tensor]:
    if callable(what):
        return what
    if what not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {what}")
    return F.relu if what == "relu" else F.gelu


class _Layer(Module):
    """What both kinds of layers share: attention to themselves, and two linear maps."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        make = {"bias": bias, "device": device, "dtype": dtype}
        crossed = isinstance(self, TransformerDecoderLayer)
        for name in ("self_attn", "multihead_attn") if crossed else ("self_attn",):
            self.add_module(name, MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **make))
        self.linear1 = Linear(d_model, dim_feedforward, **make)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **make)
        self.norm_first, steps = norm_first, (1, 2, 3) if crossed else (1, 2)
        for i in steps:
            self.add_module(f"norm{i}", LayerNorm(d_model, layer_norm_eps, **make))
        for i in steps:
            self.add_module(f"dropout{i}", Dropout(dropout))
        self.activation = _activation(activation)

    def _added(self, x: Tensor, step: int, change: Callable[[Tensor], Tensor]) -> Tensor:
        """Add a change to what it changes, normalised before or after."""
        norm, drop = getattr(self, f"norm{step}"), getattr(self, f"dropout{step}")
        return x + drop(change(norm(x))) if self.norm_first else norm(x + drop(change(x)))

    def _fed_forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then two linear maps; each adds to its input.

    Parameters
    ----------
    d_model, nhead, dim_feedforward : int
        Numbers of features, of heads, and of features between the linear maps.
    dropout : float
        The probability with which elements are dropped in training.
    activation : {"relu", "gelu"} or callable
        What stands between the linear maps.
    layer_norm_eps : float
        Added to the variances.
    batch_first : bool
        Whether input and output are (batch, time, features) rather than (time, batch, features).
    norm_first : bool
        Whether each part normalises its input rather than its sum.
    bias : bool
        Whether there are biases.
    """

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Pass a sequence through the layer."""

        def attend(x: Tensor) -> Tensor:
            return self.self_attn(
                x, x, x, key_padding_mask=src_key_padding_mask, need_weights=False, attn_mask=src_mask,
                is_causal=is_causal,
            )[0]  # fmt: skip

        return self._added(self._added(src, 1, attend), 2, self._fed_forward)


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, then to a memory, then two linear maps; arguments as for the encoder's."""

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Pass a sequence through the layer."""

        def attend(x: Tensor) -> Tensor:
            return self.self_attn(
                x, x, x, key_padding_mask=tgt_key_padding_mask, need_weights=False, attn_mask=tgt_mask,
                is_causal=tgt_is_causal,
            )[0]  # fmt: skip

        def recall(x: Tensor) -> Tensor:
            return self.multihead_attn(
                x, memory, memory, key_padding_mask=memory_key_padding_mask, need_weights=False,
                attn_mask=memory_mask, is_causal=memory_is_causal,
            )[0]  # fmt: skip

        return self._added(self._added(self._added(tgt, 1, attend), 2, recall), 3, self._fed_forward)


class _Stack(Module):
    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def _passed(self, x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        for layer in self.layers:
            x = layer(x, *args, **kwargs)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """Several encoder layers, copies of one, on top of each other.

    Examples
    --------
    >>> import symgrad as sg
    >>> encoder = sg.nn.TransformerEncoder(sg.nn.TransformerEncoderLayer(8, 2, 16), num_layers=2)
    >>> encoder(sg.ones(7, 5, 8)).shape == (7, 5, 8)
    True
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Pass a sequence through all layers."""
        return self._passed(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=bool(is_causal))


class TransformerDecoder(_Stack):
    """Several decoder layers, copies of one, on top of each other."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Pass a sequence through all layers."""
        return self._passed(
            tgt,
            memory,
            tgt_mask,
            memory_mask,
            tgt_key_padding_mask,
            memory_key_padding_mask,
            bool(tgt_is_causal),
            memory_is_causal,
        )


class Transformer(Module):
    """An encoder and a decoder that attends to what it makes (Vaswani et al., 2017)."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        each = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        make = {"device": device, "dtype": dtype}

        def norm() -> Module:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, **make)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*each, **make), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*each, **make), num_decoder_layers, norm()
        )
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Encode `src`, and decode `tgt` with it."""
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask,
            memory_mask,
            tgt_key_padding_mask,
            memory_key_padding_mask,
            tgt_is_causal,
            memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Return the additive mask that lets each place look at itself and what is before it.

        Examples
        --------
        >>> import symgrad as sg
        >>> sg.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return ops.full((sz, sz), -np.inf, device=device, dtype=dtype).triu(1)
