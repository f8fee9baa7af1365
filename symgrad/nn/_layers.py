"""Layers with parameters or settings: linear maps, convolutions, pooling, lookup."""

from __future__ import annotations

import math
from typing import Any, Self

from .. import ops
from ..core import Tensor
from . import functional as F
from . import init
from ._module import Module
from ._parameter import Parameter
from ._windows import sizes

__all__ = [
    "AvgPool1d",
    "AvgPool2d",
    "Bilinear",
    "Conv1d",
    "Conv2d",
    "Dropout",
    "Embedding",
    "Flatten",
    "Identity",
    "Linear",
    "MaxPool1d",
    "MaxPool2d",
    "Unflatten",
]


def _room(*shape: int, device: Any = None, dtype: Any = None) -> Any:
    return Parameter(ops.empty(*shape, device=device, dtype=dtype))


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
        self.weight = _room(out_features, in_features, device=device, dtype=dtype)
        self.register_parameter("bias", _room(out_features, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new random parameters."""
        _uniform_by_fan_in(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the map to the last dimension."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


def _uniform_by_fan_in(weight: Any, bias: Any) -> None:
    # He's rule for a leaky ReLU of slope sqrt(5): for the weight that is 1/sqrt(fan_in), as for the bias.
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init.fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
        init.uniform_(bias, -bound, bound)


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
        self.weight = _room(out_features, in1_features, in2_features, device=device, dtype=dtype)
        self.register_parameter("bias", _room(out_features, device=device, dtype=dtype) if bias else None)
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


class _Conv(Module):
    """What the convolutions share; `_ndim` is the number of dimensions that the window slides over."""

    _ndim: int

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups <= 0 or in_channels % groups or out_channels % groups:
            raise ValueError(
                f"in_channels={in_channels} and out_channels={out_channels} must be divisible by groups={groups}"
            )
        if padding_mode != "zeros":
            raise NotImplementedError(
                f"padding_mode={padding_mode!r} is not there. Pad the input before, or use 'zeros'."
            )
        n = self._ndim
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = sizes(kernel_size, n), sizes(stride, n), sizes(dilation, n)
        self.padding = padding if isinstance(padding, str) else sizes(padding, n)
        self.weight = _room(out_channels, in_channels // groups, *self.kernel_size, device=device, dtype=dtype)
        self.register_parameter("bias", _room(out_channels, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new random parameters."""
        _uniform_by_fan_in(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Slide the filters over the input."""
        convolve = F.conv1d if self._ndim == 1 else F.conv2d
        return convolve(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usual = (0,) * self._ndim, (1,) * self._ndim, 1, True
        now = self.padding, self.dilation, self.groups, self.bias is not None
        for name, value, default in zip(("padding", "dilation", "groups", "bias"), now, usual, strict=True):
            text += "" if value == default else f", {name}={value}"
        return text


class Conv1d(_Conv):
    """Slide filters over one dimension: `functional.conv1d`."""

    _ndim = 1


class Conv2d(_Conv):
    """Slide filters over images: `functional.conv2d`.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.Conv2d(3, 6, 5, padding=2)
    >>> layer
    Conv2d(3, 6, kernel_size=(5, 5), stride=(1, 1), padding=(2, 2))
    >>> layer(sg.ones(1, 3, 8, 8)).shape == (1, 6, 8, 8)
    True
    """

    _ndim = 2


class _Pool(Module):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _MaxPool(_Pool):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1) -> None:
        super().__init__(kernel_size, stride, padding)
        self.dilation = dilation

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, dilation={self.dilation}, ceil_mode=False"


class MaxPool1d(_MaxPool):
    """Take the largest value in each window of one dimension."""

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.max_pool1d`."""
        return F.max_pool1d(input, self.kernel_size, self.stride, self.padding, self.dilation)


class MaxPool2d(_MaxPool):
    """Take the largest value in each window.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.MaxPool2d(2)(sg.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.max_pool2d`."""
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation)


class AvgPool1d(_Pool):
    """Take the mean of each window of one dimension."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, count_include_pad: bool = True) -> None:
        super().__init__(
            *(sizes(value, 1) for value in (kernel_size, kernel_size if stride is None else stride, padding))
        )
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.avg_pool1d`."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.count_include_pad)


class AvgPool2d(_Pool):
    """Take the mean of each window."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        *,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding)
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.avg_pool2d`."""
        options = {"count_include_pad": self.count_include_pad, "divisor_override": self.divisor_override}
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, **options)


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
        self.weight = _room(num_embeddings, embedding_dim, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new random rows."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Self:
        """Make a table of given rows."""
        table = cls(*embeddings.shape, padding_idx=padding_idx)
        table.weight = Parameter(embeddings, requires_grad=not freeze)
        return table

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.embedding`."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
