"""Layers with parameters or settings: linear maps, shapes, noise, lookup."""

from __future__ import annotations

import math
from typing import Any, Self

from ..core import Tensor
from . import functional as F
from . import init
from ._module import Module
from ._parameter import Parameter
from ._weights import room, uniform_by_fan_in

__all__ = [
    "Bilinear",
    "Dropout",
    "Embedding",
    "Flatten",
    "Identity",
    "Linear",
    "Unflatten",
]


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

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = room(out_features, in_features, device=device, dtype=dtype)
        self.register_parameter("bias", room(out_features, device=device, dtype=dtype) if bias else None)
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
        self.weight = room(out_features, in1_features, in2_features, device=device, dtype=dtype)
        self.register_parameter("bias", room(out_features, device=device, dtype=dtype) if bias else None)
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

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Join the dimensions."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Split one dimension into several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        """Split the dimension."""
        dim = self.dim % input.ndim
        return input.reshape(*input.shape[:dim], *self.unflattened_size, *input.shape[dim + 1 :])

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Dropout(Module):
    """Zero each element with probability `p` and scale up the rest; in evaluation, do nothing."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.dropout`."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Embedding(Module):
    """Look up one row of the weight per index.

    Parameters
    ----------
    num_embeddings, embedding_dim : int
        Number and length of the rows.
    padding_idx : int, optional
        A row that stands for nothing: it starts as zeros and is not trained.

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
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError("Padding_idx must be within num_embeddings")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.weight = room(num_embeddings, embedding_dim, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new random rows."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Self:
        """Make a table of given rows."""
        count, length = embeddings.shape
        table = cls(count, length, padding_idx)
        table.weight = Parameter(embeddings, requires_grad=not freeze)
        return table

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.embedding`."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
