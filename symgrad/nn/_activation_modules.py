"""Activation functions as modules."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..core import Tensor
from . import functional as F
from ._applied import Applied
from ._module import Module
from ._parameter import Parameter

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softmax", "Softmax2d",
    "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold",
]  # fmt: skip


class ReLU(Applied):
    """Apply `functional.relu`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.ReLU()(sg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    _function = staticmethod(F.relu)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class ReLU6(Applied):
    """Apply `functional.relu6`."""

    _function = staticmethod(F.relu6)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class LeakyReLU(Applied):
    """Apply `functional.leaky_relu`."""

    _function = staticmethod(F.leaky_relu)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(negative_slope=negative_slope, inplace=inplace)


class ELU(Applied):
    """Apply `functional.elu`."""

    _function = staticmethod(F.elu)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)


class CELU(Applied):
    """Apply `functional.celu`."""

    _function = staticmethod(F.celu)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)


class SELU(Applied):
    """Apply `functional.selu`."""

    _function = staticmethod(F.selu)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class GELU(Applied):
    """Apply `functional.gelu`."""

    _function = staticmethod(F.gelu)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__(approximate=approximate)


class SiLU(Applied):
    """Apply `functional.silu`."""

    _function = staticmethod(F.silu)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Mish(Applied):
    """Apply `functional.mish`."""

    _function = staticmethod(F.mish)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Hardsigmoid(Applied):
    """Apply `functional.hardsigmoid`."""

    _function = staticmethod(F.hardsigmoid)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Hardswish(Applied):
    """Apply `functional.hardswish`."""

    _function = staticmethod(F.hardswish)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Hardtanh(Applied):
    """Apply `functional.hardtanh`."""

    _function = staticmethod(F.hardtanh)

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(min_val=min_val, max_val=max_val, inplace=inplace)


class Threshold(Applied):
    """Apply `functional.threshold`."""

    _function = staticmethod(F.threshold)

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(threshold=threshold, value=value, inplace=inplace)


class Sigmoid(Applied):
    """Apply `functional.sigmoid`."""

    _function = staticmethod(F.sigmoid)


class LogSigmoid(Applied):
    """Apply `functional.logsigmoid`."""

    _function = staticmethod(F.logsigmoid)


class Tanh(Applied):
    """Apply `functional.tanh`."""

    _function = staticmethod(F.tanh)


class Tanhshrink(Applied):
    """Apply `functional.tanhshrink`."""

    _function = staticmethod(F.tanhshrink)


class Softplus(Applied):
    """Apply `functional.softplus`."""

    _function = staticmethod(F.softplus)

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__(beta=beta, threshold=threshold)


class Softsign(Applied):
    """Apply `functional.softsign`."""

    _function = staticmethod(F.softsign)


class GLU(Applied):
    """Apply `functional.glu`."""

    _function = staticmethod(F.glu)

    def __init__(self, dim: int = -1) -> None:
        super().__init__(dim=dim)


class _Shrink(Applied):
    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(lambd=lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink):
    """Apply `functional.hardshrink`."""

    _function = staticmethod(F.hardshrink)


class Softshrink(_Shrink):
    """Apply `functional.softshrink`."""

    _function = staticmethod(F.softshrink)


class RReLU(Applied):
    """Apply `functional.rrelu`: random slopes in training, the middle one in evaluation."""

    _function = staticmethod(F.rrelu)

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__(lower=lower, upper=upper, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.rrelu`."""
        return super().forward(input, training=self.training)


class PReLU(Module):
    """Apply `functional.prelu`: the slope below 0 is learned, one for all or one for each channel.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.PReLU(init=0.5)(sg.tensor([-1.0, 2.0])).detach()
    tensor([-0.5000,  2.0000])
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(ops.full((num_parameters,), float(init), device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Return to the slope that was given."""
        self.weight.data.fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.prelu`."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class _AlongDim(Module):
    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """Apply `functional.softmax`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.Softmax(dim=0)(sg.tensor([1.0, 1.0]))
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Turn logits into probabilities."""
        return F.softmax(input, self.dim)


class LogSoftmax(_AlongDim):
    """Apply `functional.log_softmax`."""

    def forward(self, input: Tensor) -> Tensor:
        """Turn logits into log-probabilities."""
        return F.log_softmax(input, self.dim)


class Softmin(_AlongDim):
    """Apply `functional.softmin`."""

    def forward(self, input: Tensor) -> Tensor:
        """Turn costs into probabilities."""
        return F.softmin(input, self.dim)


class Softmax2d(Module):
    """Apply `functional.softmax` along the channels of (batch, channels, height, width)."""

    def forward(self, input: Tensor) -> Tensor:
        """Turn the logits of each pixel into probabilities."""
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)
