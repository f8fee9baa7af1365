"""Layers that normalise: by the batch, the example, the group, or the row."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..autograd import no_grad
from ..core import Tensor
from . import functional as F
from . import init
from ._applied import Applied
from ._module import Module
from ._parameter import Parameter

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d",
    "LayerNorm", "LocalResponseNorm", "RMSNorm",
]  # fmt: skip


class _ChannelNorm(Module):
    """Shift and scale each channel to mean 0 and variance 1; remember the running values for evaluation."""

    _accepts: tuple[int, ...]

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
        make = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(ops.ones(num_features, **make)) if affine else None)
        self.register_parameter("bias", Parameter(ops.zeros(num_features, **make)) if affine and bias else None)
        track = track_running_stats
        self.register_buffer("running_mean", ops.zeros(num_features, **make) if track else None)
        self.register_buffer("running_var", ops.ones(num_features, **make) if track else None)
        self.register_buffer("num_batches_tracked", ops.tensor(0) if track else None)

    def reset_running_stats(self) -> None:
        """Forget the batches seen so far."""
        if self.track_running_stats:
            init.zeros_(self.running_mean)
            init.ones_(self.running_var)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Return to the state after construction."""
        self.reset_running_stats()
        _ones_and_zeros(self)

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
        follow = self.training
        return F.batch_norm(
            input,
            self.running_mean if follow or not by_batch else None,
            self.running_var if follow or not by_batch else None,
            self.weight,
            self.bias,
            by_batch,
            0.0 if momentum is None else momentum,
            self.eps,
        )


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
        output = F.instance_norm(
            ops.unsqueeze(input, 0) if single else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or self.running_mean is None,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
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


class GroupNorm(Module):
    """Normalise groups of channels of each example: `functional.group_norm`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.GroupNorm(2, 4, eps=0.0, affine=False)(sg.tensor([[1.0, 3.0, 5.0, 9.0]]))
    tensor([[-1.,  1., -1.,  1.]])
    """

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
        make = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(ops.ones(num_channels, **make)) if affine else None)
        self.register_parameter("bias", Parameter(ops.zeros(num_channels, **make)) if affine and bias else None)

    def reset_parameters(self) -> None:
        """Return to the state after construction."""
        _ones_and_zeros(self)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.group_norm`."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


def _ones_and_zeros(module: Module) -> None:
    if module.weight is not None:
        init.ones_(module.weight)
    if module.bias is not None:
        init.zeros_(module.bias)


class LayerNorm(Module):
    """Shift and scale the last dimensions to mean 0 and variance 1, each row by itself.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.LayerNorm(2, eps=0.0, elementwise_affine=False)(sg.tensor([[1.0, 3.0], [5.0, 9.0]]))
    tensor([[-1.,  1.],
            [-1.,  1.]])
    """

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
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        make = {"device": device, "dtype": dtype}
        scaled, shifted = elementwise_affine, elementwise_affine and bias
        self.register_parameter("weight", Parameter(ops.ones(*shape, **make)) if scaled else None)
        self.register_parameter("bias", Parameter(ops.zeros(*shape, **make)) if shifted else None)

    def reset_parameters(self) -> None:
        """Return to the state after construction."""
        _ones_and_zeros(self)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.layer_norm`."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Scale the last dimensions to a mean square of 1, each row by itself: `functional.rms_norm`."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        weight = Parameter(ops.ones(*shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", weight)

    def reset_parameters(self) -> None:
        """Return to the state after construction."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.rms_norm`."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Applied):
    """Divide each channel by what its neighbours show: `functional.local_response_norm`."""

    _function = staticmethod(F.local_response_norm)

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__(size=size, alpha=alpha, beta=beta, k=k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
