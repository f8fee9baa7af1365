"""Recurrent layers: `RNN`, `LSTM` and `GRU`, and one step of each as a cell.

The idea to hold: a state is a tuple of tensors whose first is the output, ``(h,)`` or ``(h, c)``. A step makes the next
state of what comes from the input (computed for all times in one product) and the last state; a layer is a loop over
the steps, and several layers and directions are such loops on top of, and beside, each other.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from .. import ops
from .._errors import ShapeError
from ..core import Tensor, wrap
from . import functional as F
from . import init
from ._module import Module
from ._weights import room
from .utils.rnn import PackedSequence, mask_of, packed_again, padded

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

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
            for name, shape in shapes.items():
                self.register_parameter(f"{name}_l{suffix}", room(*shape, device=device, dtype=dtype))
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
            mask = mask_of(packed)
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
        text = f"{self.input_size}, {self.hidden_size}"
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
        for name, default in (usual | {"bidirectional": False}).items():
            text += "" if getattr(self, name) == default else f", {name}={getattr(self, name)}"
        return text


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

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = _STEPS[self._mode][1] * hidden_size
        for name, shape in {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size)}.items():
            self.register_parameter(name, room(*shape, device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, room(rows, device=device, dtype=dtype) if bias else None)
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
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


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
        return super().extra_repr() + ("" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}")


class LSTMCell(RNNCellBase):
    """One step of `LSTM`: takes and returns the pair ``(h, c)``."""

    _mode = "LSTM"


class GRUCell(RNNCellBase):
    """One step of `GRU`."""

    _mode = "GRU"
