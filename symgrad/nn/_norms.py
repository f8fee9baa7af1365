"""Layers that normalise: by the batch, and by the row."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..autograd import no_grad
from ..core import Tensor
from . import functional as F
from . import init
from ._module import Module
from ._parameter import Parameter

__all__ = ["BatchNorm1d", "BatchNorm2d", "LayerNorm"]


class _BatchNorm(Module):
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
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        make = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(ops.ones(num_features, **make)) if affine else None)
        self.register_parameter("bias", Parameter(ops.zeros(num_features, **make)) if affine else None)
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
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.batch_norm`."""
        if input.ndim not in self._accepts:
            expected = " or ".join(f"{n}D" for n in self._accepts)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")
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

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
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
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.layer_norm`."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )
