"""Layers with parameters or settings: linear maps, shapes, noise, lookup."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Self

from .. import ops
from ..core import Tensor
from . import functional as F
from . import init
from ._applied import Applied
from ._module import Module
from ._noise_functions import check_probability
from ._parameter import Parameter
from ._weights import room, uniform_by_fan_in

__all__ = [
    "AlphaDropout", "Bilinear", "CosineSimilarity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "Embedding",
    "EmbeddingBag", "FeatureAlphaDropout", "Flatten", "Identity", "Linear", "PairwiseDistance", "Unflatten",
]  # fmt: skip


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
        return ops.flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Split one dimension into several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        """Split the dimension."""
        return ops.unflatten(input, self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class _Dropout(Module):
    _function: Callable[..., Any]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        check_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Compute the function of the same name, in training."""
        return type(self)._function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Zero each element with probability `p` and scale up the rest; in evaluation, do nothing."""

    _function = staticmethod(F.dropout)


class Dropout1d(_Dropout):
    """Zero each channel of (batch, channels, length) with probability `p` and scale up the rest."""

    _function = staticmethod(F.dropout1d)


class Dropout2d(_Dropout):
    """Zero each channel of (batch, channels, height, width) with probability `p` and scale up the rest."""

    _function = staticmethod(F.dropout2d)


class Dropout3d(_Dropout):
    """Zero each channel of (batch, channels, depth, height, width) with probability `p` and scale up the rest."""

    _function = staticmethod(F.dropout3d)


class AlphaDropout(_Dropout):
    """Set elements to what SELU saturates at with probability `p`: `functional.alpha_dropout`."""

    _function = staticmethod(F.alpha_dropout)


class FeatureAlphaDropout(_Dropout):
    """Set channels to what SELU saturates at with probability `p`: `functional.feature_alpha_dropout`."""

    _function = staticmethod(F.feature_alpha_dropout)


class CosineSimilarity(Applied):
    """Compute the cosine of the angle between vectors: `functional.cosine_similarity`."""

    _function = staticmethod(F.cosine_similarity)

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__(dim=dim, eps=eps)

    def extra_repr(self) -> str:
        return ""


class PairwiseDistance(Applied):
    """Compute the distance of vectors: `functional.pairwise_distance`."""

    _function = staticmethod(F.pairwise_distance)

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__(p=p, eps=eps, keepdim=keepdim)

    def extra_repr(self) -> str:
        return ""


class _Table(Module):
    """Rows that are looked up by number; the settings are those of `functional.embedding`."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None,
        max_norm: float | None,
        norm_type: float,
        scale_grad_by_freq: bool,
        sparse: bool,
        weight: Tensor | None,
        device: Any,
        dtype: Any,
    ) -> None:
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError("Padding_idx must be within num_embeddings")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if weight is None:
            self.weight = room(num_embeddings, embedding_dim, device=device, dtype=dtype)
            self.reset_parameters()
        else:
            if tuple(weight.shape) != (num_embeddings, embedding_dim):
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim\n"
                    f"It is {tuple(weight.shape)}, not {(num_embeddings, embedding_dim)}."
                )
            self.weight = Parameter(weight)

    def reset_parameters(self) -> None:
        """Draw new random rows."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, *args: Any, **options: Any) -> Self:
        """Make a table of given rows; the other arguments are those of the class after the sizes."""
        make: Any = cls
        table = make(*embeddings.shape, *args, _weight=embeddings, **options)
        table.weight.requires_grad_(not freeze)
        return table

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False}
        for name, default in usual.items():
            text += "" if getattr(self, name) == default else f", {name}={getattr(self, name)}"
        return text + (", sparse=True" if self.sparse else "")


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
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight,
            device, dtype,
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
            num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight,
            device, dtype,
        )  # fmt: skip
        self.mode, self.include_last_offset = mode, include_last_offset

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """Compute `functional.embedding_bag`."""
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, False,
            per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        text, _, padding = super().extra_repr().partition(f", padding_idx={self.padding_idx}")
        text += padding + f", mode={self.mode!r}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"
