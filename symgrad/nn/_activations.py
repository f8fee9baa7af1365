"""Activation functions as modules."""

from __future__ import annotations

from typing import Any

from ..core import Tensor
from . import functional as F
from ._module import Module

__all__ = [
    "ELU",
    "GELU",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "ReLU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
]


class ReLU(Module):
    """Apply `functional.relu`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.ReLU()(sg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Keep what is positive."""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """Apply `functional.leaky_relu`."""

    def __init__(self, negative_slope: float = 0.01) -> None:
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        """Keep what is positive, flatten what is not."""
        return F.leaky_relu(input, self.negative_slope)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}"


class ELU(Module):
    """Apply `functional.elu`."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """Keep what is positive, bend what is not."""
        return F.elu(input, self.alpha)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}"


class GELU(Module):
    """Apply `functional.gelu`."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Multiply by the normal distribution function."""
        return F.gelu(input, self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class SiLU(Module):
    """Apply `functional.silu`."""

    def forward(self, input: Tensor) -> Tensor:
        """Multiply by the logistic function."""
        return F.silu(input)


class Sigmoid(Module):
    """Apply the logistic function."""

    def forward(self, input: Tensor) -> Tensor:
        """Map to between 0 and 1."""
        return F.sigmoid(input)


class LogSigmoid(Module):
    """Apply the logarithm of the logistic function."""

    def forward(self, input: Tensor) -> Tensor:
        """Map to log-probabilities."""
        return F.logsigmoid(input)


class Tanh(Module):
    """Apply the hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        """Map to between -1 and 1."""
        return F.tanh(input)


class Softplus(Module):
    """Apply `functional.softplus`."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Tensor) -> Tensor:
        """Map smoothly to the positive numbers."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Softsign(Module):
    """Apply `functional.softsign`."""

    def forward(self, input: Tensor) -> Tensor:
        """Map to between -1 and 1, more slowly than the hyperbolic tangent."""
        return F.softsign(input)


class _AlongDim(Module):
    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def _dim(self, input: Any) -> int:
        if self.dim is not None:
            return self.dim
        raise TypeError(
            f"{type(self).__name__}: along which dimension is not said, and the input has {input.ndim}.\n"
            f"Write {type(self).__name__}(dim=...)."
        )

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
        return F.softmax(input, self._dim(input))


class LogSoftmax(_AlongDim):
    """Apply `functional.log_softmax`."""

    def forward(self, input: Tensor) -> Tensor:
        """Turn logits into log-probabilities."""
        return F.log_softmax(input, self._dim(input))
