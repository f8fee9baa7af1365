"""Layers whose window slides: convolutions and pooling."""

from __future__ import annotations

from typing import Any

from ..core import Tensor
from . import functional as F
from ._module import Module
from ._weights import room, uniform_by_fan_in
from ._windows import check_named_padding, padding_widths, sizes

__all__ = ["AvgPool1d", "AvgPool2d", "Conv1d", "Conv2d", "MaxPool1d", "MaxPool2d"]


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
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(
                "padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got "
                f"padding_mode='{padding_mode}'"
            )
        n = self._ndim
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = sizes(kernel_size, n), sizes(stride, n), sizes(dilation, n)
        self.padding, self.padding_mode = padding if isinstance(padding, str) else sizes(padding, n), padding_mode
        if isinstance(padding, str):
            check_named_padding(padding, self.stride)
        self.weight = room(out_channels, in_channels // groups, *self.kernel_size, device=device, dtype=dtype)
        self.register_parameter("bias", room(out_channels, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new random parameters."""
        uniform_by_fan_in(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Slide the filters over the input."""
        convolve = F.conv1d if self._ndim == 1 else F.conv2d
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            widths = padding_widths(padding, self.kernel_size, self.dilation)
            input, padding = F.pad(input, widths, self.padding_mode), 0
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usual = (0,) * self._ndim, (1,) * self._ndim, 1, True
        now = self.padding, self.dilation, self.groups, self.bias is not None
        for name, value, default in zip(("padding", "dilation", "groups", "bias"), now, usual, strict=True):
            text += "" if value == default else f", {name}={value}"
        return text if self.padding_mode == "zeros" else text + f", padding_mode={self.padding_mode}"


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
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            count_include_pad=self.count_include_pad,
            divisor_override=self.divisor_override,
        )
