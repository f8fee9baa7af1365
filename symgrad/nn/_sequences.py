"""Layers of sequences: attention and the parts of a transformer; `RNN`, `LSTM` and `GRU`, and their cells."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import ops
from .._errors import ShapeError
from ..core import Tensor, wrap
from . import functional as F
from . import init
from ._applied_modules import Dropout
from ._containers import ModuleList
from ._layers import LayerNorm, Linear, add_parameters
from ._module import Module, unusual
from .utils.rnn import PackedSequence, mask_of, packed_again, padded

# ------------------------------------------ Attention as modules: `MultiheadAttention` and the parts of a transformer


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

    embed_dim: int
    num_heads: int
    dropout: float
    batch_first: bool
    kdim: int
    vdim: int
    head_dim: int
    add_zero_attn: bool

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

        joint, e = self._qkv_same_embed_dim, embed_dim
        widths = {"q_proj_weight": e, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        apart = {name: None if joint else (e, width) for name, width in widths.items()}
        appended = (1, 1, e) if add_bias_kv else None
        add_parameters(
            self, device, dtype, in_proj_weight=(3 * e, e) if joint else None, **apart,
            in_proj_bias=(3 * e,) if bias else None, bias_k=appended, bias_v=appended,
        )  # fmt: skip
        self.out_proj: Linear = Linear(e, e, bias, device, dtype)
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

    norm_first: bool

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
        self.linear1: Linear = Linear(d_model, dim_feedforward, **make)
        self.dropout: Dropout = Dropout(dropout)
        self.linear2: Linear = Linear(dim_feedforward, d_model, **make)
        self.norm_first, steps = norm_first, (1, 2, 3) if crossed else (1, 2)
        for i in steps:
            self.add_module(f"norm{i}", LayerNorm(d_model, layer_norm_eps, **make))
        for i in steps:
            self.add_module(f"dropout{i}", Dropout(dropout))
        self.activation: Callable[[Tensor], Tensor] = _activation(activation)

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
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal)[0]

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
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask, is_causal=tgt_is_causal)[0]

        def recall(x: Tensor) -> Tensor:
            seen = memory, memory, memory_key_padding_mask, False, memory_mask
            return self.multihead_attn(x, *seen, is_causal=memory_is_causal)[0]

        return self._added(self._added(self._added(tgt, 1, attend), 2, recall), 3, self._fed_forward)


class _Stack(Module):
    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        super().__init__()
        self.layers: ModuleList = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
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

    d_model: int
    nhead: int
    batch_first: bool

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

        self.encoder: Module = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*each, **make), num_encoder_layers, norm()
        )
        self.decoder: Module = custom_decoder or TransformerDecoder(
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


# ------------------------------------------ Recurrent layers: `RNN`, `LSTM` and `GRU`, and one step of each as a cell

# The idea to hold: a state is a tuple of tensors whose first is the output, ``(h,)`` or ``(h, c)``. A step makes the
# next state of what comes from the input (computed for all times in one product) and the last state; a layer is a loop
# over the steps, and several layers and directions are such loops on top of, and beside, each other.


State = tuple[Tensor, ...]


def _simple(squash: Callable[[Any], Any]) -> Callable[..., State]:
    def step(x: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
        return (squash(x + F.linear(state[0], weight, bias)),)

    return step


def _lstm(x: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    take, keep, new, show = ops.chunk(x + F.linear(state[0], weight, bias), 4, -1)
    c = ops.sigmoid(keep) * state[1] + ops.sigmoid(take) * ops.tanh(new)
    return ops.sigmoid(show) * ops.tanh(c), c


def _gru(x: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> State:
    reset, keep, new = ops.chunk(x, 3, -1)
    reset_h, keep_h, new_h = ops.chunk(F.linear(state[0], weight, bias), 3, -1)
    keep = ops.sigmoid(keep + keep_h)
    new = ops.tanh(new + ops.sigmoid(reset + reset_h) * new_h)
    return ((1 - keep) * new + keep * state[0],)


_STEPS: dict[str, tuple[Callable[..., State], int]] = {
    "RNN_TANH": (_simple(ops.tanh), 1), "RNN_RELU": (_simple(ops.relu), 1), "LSTM": (_lstm, 4), "GRU": (_gru, 3),
}  # fmt: skip
"""By PyTorch's name of the mode: the step, and how many times the size of the state its weights have rows."""


def _mode_of(nonlinearity: str) -> str:
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
    return f"RNN_{nonlinearity.upper()}"


def _fill(module: Module, size: int) -> None:
    bound = 1 / math.sqrt(size) if size > 0 else 0.0
    for parameter in module.parameters():
        init.uniform_(parameter, -bound, bound)


class RNNBase(Module):
    """What `RNN`, `LSTM` and `GRU` share; `mode` says which it is."""

    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._check(mode, hidden_size, num_layers, dropout, proj_size)
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        rows, out = _STEPS[mode][1] * hidden_size, proj_size or hidden_size
        for layer, suffix in self._parts():
            width = input_size if layer == 0 else out * (2 if bidirectional else 1)
            shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, out)}
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {}
            shapes |= {"weight_hr": (proj_size, hidden_size)} if proj_size else {}
            add_parameters(self, device, dtype, **{f"{name}_l{suffix}": shape for name, shape in shapes.items()})
        self.reset_parameters()

    def _check(self, mode: str, hidden_size: int, num_layers: int, dropout: float, proj_size: int) -> None:
        if not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        for name, size in (("hidden_size", hidden_size), ("num_layers", num_layers)):
            if size <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if not 0 <= proj_size < hidden_size:
            raise ValueError("proj_size should be a positive integer, smaller than hidden_size, or zero to disable it")
        if proj_size and mode != "LSTM":
            raise TypeError(f"proj_size is only supported for LSTM, got mode {mode}")
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=4,
            )

    def _parts(self) -> Iterator[tuple[int, str]]:
        """Each loop: its layer, and what its parameters are called by."""
        for layer in range(self.num_layers):
            for direction in ("", "_reverse") if self.bidirectional else ("",):
                yield layer, f"{layer}{direction}"

    def reset_parameters(self) -> None:
        """Draw new random parameters, uniform up to one over the root of the state's size."""
        _fill(self, self.hidden_size)

    def flatten_parameters(self) -> None:
        """Do nothing: it arranges memory for a device that is not here."""

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters of each loop."""
        return [[p for n, p in self.named_parameters() if n.endswith(f"_l{suffix}")] for _, suffix in self._parts()]

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Run over a sequence.

        Parameters
        ----------
        input : Tensor or PackedSequence
            Of shape (time, batch, features), with `batch_first` (batch, time, features), or (time, features).
        hx : Tensor, or for an LSTM a pair of Tensor, optional
            The first state of each layer and direction, (layers * directions, batch, size); zeros if left out.

        Returns
        -------
        output : Tensor or PackedSequence
            The states h of the last layer at all times, of both directions joined.
        hx : Tensor, or for an LSTM a pair of Tensor
            The last state of each layer and direction.
        """
        packed = input if isinstance(input, PackedSequence) else None
        input = ops.as_tensor(input) if packed is None else input
        single = packed is None and input.ndim == 2
        x = self._by_time(input, packed)
        states = self._first_states(x, hx, single)
        mask = None
        if packed is not None:
            mask = mask_of(packed)[..., None]
            if hx is not None and packed.sorted_indices is not None:
                states = tuple(s.index_select(1, packed.sorted_indices) for s in states)
        x, states = self._layers(x, states, mask)
        if packed is not None:
            if packed.unsorted_indices is not None:
                states = tuple(s.index_select(1, packed.unsorted_indices) for s in states)
            return packed_again(x, packed), self._as_given(states)
        if single:
            return x.squeeze(1), self._as_given(tuple(s.squeeze(1) for s in states))
        return x.transpose(0, 1) if self.batch_first else x, self._as_given(states)

    def _by_time(self, input: Any, packed: PackedSequence | None) -> Tensor:
        if packed is not None:
            x = padded(packed)
        elif input.ndim not in (2, 3):
            raise ValueError(f"{self._name()}: Expected input to be 2D or 3D, got {input.ndim}D tensor instead")
        elif input.ndim == 2:
            x = input.unsqueeze(1)
        else:
            x = input.transpose(0, 1) if self.batch_first else input
        if x.shape[-1] != self.input_size:
            raise ShapeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {x.shape[-1]}",
                f"The input has shape {tuple(x.shape)}.",
            )
        if not x.shape[0]:
            raise ShapeError("Expected sequence length to be larger than 0 in RNN")
        return x

    def _name(self) -> str:
        return self.mode.partition("_")[0]

    def _as_given(self, states: State) -> Any:
        return states if self.mode == "LSTM" else states[0]

    def _first_states(self, x: Tensor, hx: Any, single: bool) -> State:
        loops, batch = len(list(self._parts())), x.shape[1]
        out = self.proj_size or self.hidden_size
        wanted = [(loops, batch, out), (loops, batch, self.hidden_size)][: 2 if self.mode == "LSTM" else 1]
        if hx is None:
            return tuple(ops.zeros(*shape, dtype=x.dtype) for shape in wanted)
        given = tuple(map(ops.as_tensor, hx if self.mode == "LSTM" else (hx,)))
        if any(s.ndim != (2 if single else 3) for s in given):
            raise RuntimeError(
                f"For {'unbatched 2-D' if single else 'batched 3-D'} input, hx "
                f"{'and cx ' if self.mode == 'LSTM' else ''}should also be {2 if single else 3}-D but got "
                f"({', '.join(f'{s.ndim}-D' for s in given)}) tensor{'s' if self.mode == 'LSTM' else ''}"
            )
        given = tuple(s.unsqueeze(1) for s in given) if single else given
        for i, (s, shape) in enumerate(zip(given, wanted, strict=True)):
            if tuple(s.shape) != shape:
                name = "hidden" if self.mode != "LSTM" else f"hidden[{i}]"
                raise ShapeError(f"Expected {name} size {shape}, got {list(s.shape)}")
        return given

    def _layers(self, x: Tensor, states: State, mask: Any) -> tuple[Tensor, State]:
        last: list[State] = []
        for layer in range(self.num_layers):
            seen = []
            for number, suffix in self._parts():
                if number == layer:
                    first = tuple(s[len(last)] for s in states)
                    outputs, final = self._loop(x, first, suffix, mask)
                    seen.append(outputs)
                    last.append(final)
            x = ops.cat(seen, -1) if self.bidirectional else seen[0]
            if layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout, self.training)
        return x, tuple(map(ops.stack, zip(*last, strict=True)))

    def _loop(self, x: Tensor, state: State, suffix: str, mask: Any) -> tuple[Tensor, State]:
        def named(name: str) -> Any:
            return getattr(self, f"{name}_l{suffix}", None)  # which may be parametrized

        step, weight, bias, project = _STEPS[self.mode][0], named("weight_hh"), named("bias_hh"), named("weight_hr")
        inputs = ops.unbind(F.linear(x, named("weight_ih"), named("bias_ih")))
        times = range(len(inputs))
        outputs = {}
        for t in reversed(times) if suffix.endswith("_reverse") else times:
            new = step(inputs[t], state, weight, bias)
            if project is not None:
                new = F.linear(new[0], project), *new[1:]
            if mask is not None:  # a sequence that has ended, or has not begun, keeps its state
                new = tuple(ops.where(wrap(mask[t]), n, s) for n, s in zip(new, state, strict=True))
            state = new
            outputs[t] = state[0]
        return ops.stack([outputs[t] for t in times]), state

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + unusual(
            self, proj_size=0, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False
        )


class RNN(RNNBase):
    """The plain recurrent network: ``h = tanh(W_ih x + b_ih + W_hh h + b_hh)``.

    Parameters
    ----------
    input_size, hidden_size : int
        Lengths of an input and of the state.
    num_layers : int
        How many are stacked; each sees the states of the one below.
    nonlinearity : {"tanh", "relu"}
        What the sum goes through.
    bias : bool
        Whether there are biases.
    batch_first : bool
        Whether input and output are (batch, time, features) rather than (time, batch, features).
    dropout : float
        The probability with which what goes from layer to layer is dropped in training.
    bidirectional : bool
        Whether a second network reads the sequence from its end.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(_mode_of(nonlinearity), input_size, hidden_size, num_layers, *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """The long short-term memory; the arguments are those of `RNN`, and `proj_size`, to which h is projected.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.LSTM(4, 3, num_layers=2, bidirectional=True)
    >>> output, (h, c) = layer(sg.ones(7, 5, 4))
    >>> tuple(output.shape), tuple(h.shape)
    ((7, 5, 6), (4, 5, 3))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """The gated recurrent unit; the arguments are those of `RNN`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", *args, **kwargs)


class RNNCellBase(Module):
    """What the cells share: weights of one step."""

    _mode: str
    input_size: int
    hidden_size: int
    bias: bool

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = _STEPS[self._mode][1] * hidden_size
        shift = (rows,) if bias else None
        add_parameters(
            self, device, dtype, weight_ih=(rows, input_size), weight_hh=(rows, hidden_size), bias_ih=shift,
            bias_hh=shift,
        )  # fmt: skip
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new random parameters, uniform up to one over the root of the state's size."""
        _fill(self, self.hidden_size)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """Make the next state of an input, (batch, features) or (features,), and a state (zeros if left out)."""
        pair, name, input = self._mode == "LSTM", type(self).__name__, ops.as_tensor(input)
        if input.ndim not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        if input.shape[-1] != self.input_size:
            raise ShapeError(f"input has inconsistent input_size: got {input.shape[-1]} expected {self.input_size}")
        shape = (*input.shape[:-1], self.hidden_size)
        if hx is None:
            state: State = (ops.zeros(*shape, dtype=input.dtype),) * (2 if pair else 1)
        else:
            state = tuple(map(ops.as_tensor, hx if pair else (hx,)))
        for s in state:
            if tuple(s.shape) != shape:
                raise ShapeError(f"{name}: Expected a state of shape {shape}, got {tuple(s.shape)}")
        x = F.linear(input, self.weight_ih, self.bias_ih)
        new = _STEPS[self._mode][0](x, state, self.weight_hh, self.bias_hh)
        return new if pair else new[0]

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + unusual(self, bias=True)


class RNNCell(RNNCellBase):
    """One step of `RNN`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.RNNCell(4, 3)(sg.ones(5, 4)).shape == (5, 3)
    True
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self.__dict__.update(_mode=_mode_of(nonlinearity), nonlinearity=nonlinearity)
        super().__init__(input_size, hidden_size, bias, device, dtype)

    def extra_repr(self) -> str:
        return super().extra_repr() + unusual(self, nonlinearity="tanh")


class LSTMCell(RNNCellBase):
    """One step of `LSTM`: takes and returns the pair ``(h, c)``."""

    _mode = "LSTM"


class GRUCell(RNNCellBase):
    """One step of `GRU`."""

    _mode = "GRU"
