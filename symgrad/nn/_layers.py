"""Layers with parameters or settings: linear maps, shapes, lookup, normalisation, slopes, the adaptive softmax."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np

from .. import ops
from .._errors import ShapeError
from ..autograd import no_grad
from ..core import Tensor, wrap
from . import functional as F
from . import init
from ._containers import ModuleList, Sequential
from ._linear_functions import normalized
from ._module import Module, unusual
from ._parameter import Parameter

# --------------------------------------------------- Weights of new layers: room for them, and the usual random start


def add_parameters(module: Module, device: Any, dtype: Any, **shapes: tuple[int, ...] | None) -> None:
    """Register parameters whose values are yet to be filled in, and places without one where there is no shape."""
    for name, shape in shapes.items():
        empty = None if shape is None else Parameter(ops.empty(shape, device=device, dtype=dtype))
        module.register_parameter(name, empty)


def uniform_by_fan_in(weight: Any, bias: Any) -> None:
    """Fill a weight, and a bias if there is one, uniformly up to ``1/sqrt(fan_in)``."""
    # He's rule for a leaky ReLU of slope sqrt(5): for the weight that is 1/sqrt(fan_in), as for the bias.
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init.fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
        init.uniform_(bias, -bound, bound)


# ---------------------------------------------------- Layers with parameters or settings: linear maps, shapes, lookup


class Identity(Module):
    """Return the input; any arguments are accepted and ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        return input


class Linear(Module):
    """Compute ``x @ weight.T + bias``.

    Parameters
    ----------
    in_features, out_features : int
        Lengths of an input and an output vector.
    bias : bool
        Whether there is a bias.

    Notes
    -----
    Weight and bias start uniform between ``-1/sqrt(in_features)`` and ``1/sqrt(in_features)``.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.Linear(2, 3)
    >>> layer
    Linear(in_features=2, out_features=3, bias=True)
    >>> layer(sg.ones(5, 2)).shape == (5, 3)
    True
    """

    in_features: int
    out_features: int

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        shift = (out_features,) if bias else None
        add_parameters(self, device, dtype, weight=(out_features, in_features), bias=shift)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new random parameters."""
        uniform_by_fan_in(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the map to the last dimension."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """Compute ``x1 @ weight[o] @ x2 + bias[o]`` for each output o."""

    in1_features: int
    in2_features: int
    out_features: int

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        shift = (out_features,) if bias else None
        add_parameters(self, device, dtype, weight=(out_features, in1_features, in2_features), bias=shift)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new random parameters."""
        bound = 1 / math.sqrt(self.in1_features)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Apply the form to the last dimensions of two inputs."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class Flatten(Module):
    """Join dimensions, by default all but the first.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.Flatten()(sg.ones(2, 3, 4)).shape == (2, 12)
    True
    """

    start_dim: int
    end_dim: int

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Join the dimensions."""
        return ops.flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Split one dimension into several."""

    dim: int
    unflattened_size: tuple[Any, ...]

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        """Split the dimension."""
        return ops.unflatten(input, self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class _Table(Module):
    """Rows that are looked up by number; the settings are those of `functional.embedding`."""

    num_embeddings: int
    embedding_dim: int

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None,
        weight: Tensor | None,
        device: Any,
        dtype: Any,
        **settings: Any,
    ) -> None:
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError("Padding_idx must be within num_embeddings")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx: int | None = None if padding_idx is None else padding_idx % num_embeddings
        for name, value in settings.items():
            setattr(self, name, value)
        if weight is None:
            add_parameters(self, device, dtype, weight=(num_embeddings, embedding_dim))
            self.reset_parameters()
        else:
            if tuple(weight.shape) != (num_embeddings, embedding_dim):
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim\n"
                    f"It is {tuple(weight.shape)}, not {(num_embeddings, embedding_dim)}."
                )
            self.weight: Parameter = Parameter(weight)

    def reset_parameters(self) -> None:
        """Draw new random rows."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, *args: Any, **options: Any) -> Self:
        """Make a table of given rows; the other arguments are those of the class after the sizes."""
        make = cls
        table = make(*embeddings.shape, *args, _weight=embeddings, **options)
        table.weight.requires_grad_(not freeze)
        return table

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}" + unusual(
            self, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
        )


class Embedding(_Table):
    """Look up one row of the weight per index.

    Parameters
    ----------
    num_embeddings, embedding_dim : int
        Number and length of the rows.
    padding_idx : int, optional
        A row that stands for nothing: it starts as zeros and is not trained.
    max_norm, norm_type, scale_grad_by_freq, sparse
        As for `functional.embedding`.

    Examples
    --------
    >>> import symgrad as sg
    >>> table = sg.nn.Embedding.from_pretrained(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    >>> table(sg.tensor([1, 1]))
    tensor([[3., 4.],
            [3., 4.]])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            num_embeddings, embedding_dim, padding_idx, _weight, device, dtype, max_norm=max_norm, norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq, sparse=sparse,
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.embedding`."""
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq)


class EmbeddingBag(_Table):
    """Look up rows and make one of each bag of them: `functional.embedding_bag`."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            num_embeddings, embedding_dim, padding_idx, _weight, device, dtype, max_norm=max_norm, norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq, mode=mode, sparse=sparse, include_last_offset=include_last_offset,
        )  # fmt: skip

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """Compute `functional.embedding_bag`."""
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, False,
            per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        text += unusual(self, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False)
        return f"{text}, mode={self.mode!r}" + unusual(self, padding_idx=None)


# -------------------------------------------- Layers that normalise: by the batch, the example, the group, or the row


class _Norm(Module):
    """What normalises, and then may scale by a weight and shift by a bias."""

    def _scale_and_shift(self, shape: tuple[int, ...], scale: bool, shift: bool, device: Any, dtype: Any) -> None:
        add_parameters(self, device, dtype, weight=shape if scale else None, bias=shape if shift else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Return to the state after construction."""
        for name, parameter in self.named_parameters(recurse=False):
            init.constant_(parameter, float(name == "weight"))


class _ChannelNorm(_Norm):
    """Shift and scale each channel to mean 0 and variance 1; remember the running values for evaluation."""

    _accepts: tuple[int, ...]
    num_features: int
    eps: float
    momentum: float | None
    affine: bool
    track_running_stats: bool

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        make, track = {"device": device, "dtype": dtype}, track_running_stats
        self.register_buffer("running_mean", ops.zeros(num_features, **make) if track else None)
        self.register_buffer("running_var", ops.ones(num_features, **make) if track else None)
        self.register_buffer("num_batches_tracked", ops.tensor(0) if track else None)
        self._scale_and_shift((num_features,), affine, affine and bias, **make)

    def reset_running_stats(self) -> None:
        """Forget the batches seen so far."""
        if self.track_running_stats:
            init.zeros_(self.running_mean)
            init.ones_(self.running_var)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Return to the state after construction."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check(self, input: Tensor) -> None:
        if input.ndim not in self._accepts:
            expected = " or ".join(f"{n}D" for n in self._accepts)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_ChannelNorm):
    def _drop_running_stats(self) -> None:
        """As if made without; for `func.replace_all_batch_norm_modules_`."""
        if self.track_running_stats:
            self.track_running_stats = False
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                setattr(self, name, None)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.batch_norm`."""
        self._check(input)
        by_batch = self.training or self.running_mean is None
        momentum = self.momentum
        if self.training and self.running_mean is not None:
            with no_grad():
                self.num_batches_tracked.add_(1)
            if momentum is None:  # the plain average of all batches
                momentum = 1.0 / self.num_batches_tracked.item()
        running = self.running_mean, self.running_var
        return F.batch_norm(input, *running, self.weight, self.bias, by_batch, momentum or 0.0, self.eps)


class BatchNorm1d(_BatchNorm):
    """Normalise the channels of (batch, channels) or (batch, channels, length).

    Examples
    --------
    >>> import symgrad as sg
    >>> norm = sg.nn.BatchNorm1d(1, affine=False, eps=0.0)
    >>> norm(sg.tensor([[1.0], [3.0]]))
    tensor([[-1.],
            [ 1.]])
    >>> norm.running_mean
    tensor([0.2000])
    """

    _accepts = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalise the channels of (batch, channels, height, width)."""

    _accepts = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalise the channels of (batch, channels, depth, height, width)."""

    _accepts = (5,)


class _InstanceNorm(_ChannelNorm):
    """Normalise the channels of each example by themselves: `functional.instance_norm`."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.instance_norm`; an input without a batch is one example."""
        self._check(input)
        single = input.ndim == self._accepts[0]
        by_batch, momentum = self.training or self.running_mean is None, self.momentum or 0.0
        running = self.running_mean, self.running_var
        rows = ops.unsqueeze(input, 0) if single else input
        output = F.instance_norm(rows, *running, self.weight, self.bias, by_batch, momentum, self.eps)
        return output.squeeze(0) if single else output


class InstanceNorm1d(_InstanceNorm):
    """Normalise the channels of each (channels, length) by themselves."""

    _accepts = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalise the channels of each (channels, height, width) by themselves."""

    _accepts = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalise the channels of each (channels, depth, height, width) by themselves."""

    _accepts = (4, 5)


class GroupNorm(_Norm):
    """Normalise groups of channels of each example: `functional.group_norm`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.GroupNorm(2, 4, eps=0.0, affine=False)(sg.tensor([[1.0, 3.0, 5.0, 9.0]]))
    tensor([[-1.,  1., -1.,  1.]])
    """

    num_groups: int
    num_channels: int
    eps: float
    affine: bool

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._scale_and_shift((num_channels,), affine, affine and bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.group_norm`."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LayerNorm(_Norm):
    """Shift and scale the last dimensions to mean 0 and variance 1, each row by itself.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.LayerNorm(2, eps=0.0, elementwise_affine=False)(sg.tensor([[1.0, 3.0], [5.0, 9.0]]))
    tensor([[-1.,  1.],
            [-1.,  1.]])
    """

    normalized_shape: tuple[int, ...]
    eps: float
    elementwise_affine: bool

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = normalized(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self._scale_and_shift(shape, elementwise_affine, elementwise_affine and bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.layer_norm`."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(_Norm):
    """Scale the last dimensions to a mean square of 1, each row by itself: `functional.rms_norm`."""

    normalized_shape: tuple[int, ...]
    eps: float | None
    elementwise_affine: bool

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = normalized(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        add_parameters(self, device, dtype, weight=shape if elementwise_affine else None)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.rms_norm`."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class PReLU(Module):
    """Apply `functional.prelu`: the slope below 0 is learned, one for all or one for each channel.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.PReLU(init=0.5)(sg.tensor([-1.0, 2.0])).detach()
    tensor([-0.5000,  2.0000])
    """

    num_parameters: int
    init: float

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight: Parameter = Parameter(ops.full((num_parameters,), float(init), device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Return to the slope that was given."""
        self.weight.data.fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.prelu`."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


# -------------------------------------------------------------------------------------------------------------------
# The adaptive softmax: classes that are rare share clusters, whose logits are computed in fewer dimensions


class _Result(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of many classes, numbered from the most frequent (Grave et al., 2017), and their loss.

    Parameters
    ----------
    in_features, n_classes : int
        Length of an input, and number of classes.
    cutoffs : sequence of int
        The first class of each cluster of rare ones, in order.
    div_value : float
        By how much each cluster has fewer dimensions than the one before it.
    head_bias : bool
        Whether the logits of the frequent classes and the clusters have a bias.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[2, 5], div_value=2.0)
    >>> layer.log_prob(sg.ones(3, 8)).shape == (3, 10)
    True
    >>> layer(sg.ones(3, 8), sg.tensor([0, 4, 9])).output.shape == (3,)
    True
    """

    in_features: int
    n_classes: int
    div_value: float
    head_bias: bool
    shortlist_size: int
    n_clusters: int

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        given = [int(c) for c in cutoffs]
        if not given:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if any(a >= b for a, b in pairwise([0, *given, n_classes])):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                f"value is between 1 and n_classes-1\nThey are {given}, and n_classes is {n_classes}."
            )
        self.in_features, self.n_classes, self.div_value, self.head_bias = in_features, n_classes, div_value, head_bias
        self.cutoffs: list[int] = [*given, n_classes]
        self.shortlist_size, self.n_clusters = given[0], len(given)
        self.head_size: int = self.shortlist_size + self.n_clusters
        make = {"device": device, "dtype": dtype}
        self.head: Linear = Linear(in_features, self.head_size, head_bias, **make)
        self.tail: ModuleList = ModuleList()
        for i, (first, end) in enumerate(pairwise(self.cutoffs)):
            width = int(in_features // div_value ** (i + 1))
            down, up = Linear(in_features, width, False, **make), Linear(width, end - first, False, **make)
            self.tail.append(Sequential(down, up))

    def reset_parameters(self) -> None:
        """Draw new random parameters."""
        for module in self.modules():
            if isinstance(module, Linear):
                module.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _Result:
        """Return the log-probability of each target class, and minus their mean."""
        input_, target_ = map(ops.as_tensor, (input_, target_))
        single = input_.ndim == 1
        rows, classes = (input_.unsqueeze(0), target_.unsqueeze(0)) if single else (input_, target_)
        if rows.shape[0] != classes.shape[0]:
            raise ShapeError("Input and target should have the same size in the batch dimension.")
        numbers = classes.detach().numpy()
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < self.n_classes:
            raise ShapeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{numbers.min()}, {numbers.max()}] were found. "
            )
        which = np.searchsorted(self.cutoffs, numbers, side="right")  # 0: a frequent class
        head = ops.log_softmax(self.head(rows), 1)
        places = np.where(which > 0, self.shortlist_size + which - 1, numbers)
        output = head.gather(1, wrap(places[:, None])).squeeze(1)
        for i in range(self.n_clusters):
            members = np.flatnonzero(which == i + 1)
            if members.size:
                inside = ops.log_softmax(self.tail[i](rows.index_select(0, wrap(members))), 1)
                chosen = inside.gather(1, wrap((numbers[members] - self.cutoffs[i])[:, None])).squeeze(1)
                output = output.index_add(0, wrap(members), chosen)
        return _Result(output[0] if single else output, -output.mean())

    def _clusters(self, input: Tensor) -> Iterator[Tensor]:
        head = ops.log_softmax(self.head(input), 1)
        yield head[:, : self.shortlist_size]
        for i, tail in enumerate(self.tail):
            yield ops.log_softmax(tail(input), 1) + head[:, self.shortlist_size + i].unsqueeze(1)

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log-probabilities of all classes, (rows, classes)."""
        return ops.cat(list(self._clusters(input)), 1)

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each row."""
        return self.log_prob(input).argmax(1)
