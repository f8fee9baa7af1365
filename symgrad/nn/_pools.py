"""Layers that take one number of each window, and those that cut windows out or put them together."""

from __future__ import annotations

from typing import Any

from ..core import Tensor
from . import functional as F
from ._applied import Applied
from ._windows import sizes

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "Fold", "FractionalMaxPool2d", "FractionalMaxPool3d",
    "LPPool1d", "LPPool2d", "LPPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d",
    "MaxUnpool3d", "Unfold",
]  # fmt: skip


class _MaxPool(Applied):
    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding,
            dilation=dilation, return_indices=return_indices, ceil_mode=ceil_mode,
        )  # fmt: skip

    def extra_repr(self) -> str:
        names = "kernel_size", "stride", "padding", "dilation", "ceil_mode"
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class MaxPool1d(_MaxPool):
    """Take the largest value in each window of one dimension: `functional.max_pool1d`."""

    _function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """Take the largest value in each window: `functional.max_pool2d`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.MaxPool2d(2)(sg.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

    _function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """Take the largest value in each window of three dimensions: `functional.max_pool3d`."""

    _function = staticmethod(F.max_pool3d)


class _AvgPool(Applied):
    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding,
            ceil_mode=ceil_mode, count_include_pad=count_include_pad, divisor_override=divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPool):
    """Take the mean of each window of one dimension: `functional.avg_pool1d`."""

    _function = staticmethod(F.avg_pool1d)

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        kernel, stride, padding = (
            sizes(value, 1) for value in (kernel_size, kernel_size if stride is None else stride, padding)
        )
        super().__init__(kernel, stride, padding, ceil_mode, count_include_pad)


class AvgPool2d(_AvgPool):
    """Take the mean of each window: `functional.avg_pool2d`."""

    _function = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPool):
    """Take the mean of each window of three dimensions: `functional.avg_pool3d`."""

    _function = staticmethod(F.avg_pool3d)


class _LPPool(Applied):
    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__(norm_type=norm_type, kernel_size=kernel_size, stride=stride, ceil_mode=ceil_mode)


class LPPool1d(_LPPool):
    """Take a norm of each window of one dimension: `functional.lp_pool1d`."""

    _function = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPool):
    """Take a norm of each window: `functional.lp_pool2d`."""

    _function = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPool):
    """Take a norm of each window of three dimensions: `functional.lp_pool3d`."""

    _function = staticmethod(F.lp_pool3d)


class _AdaptivePool(Applied):
    def __init__(self, output_size: Any) -> None:
        super().__init__(output_size=output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptivePool):
    """Take means in as many windows as asked: `functional.adaptive_avg_pool1d`."""

    _function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptivePool):
    """Take means in as many windows as asked: `functional.adaptive_avg_pool2d`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.AdaptiveAvgPool2d((1, None))(sg.arange(6.0).reshape(1, 2, 3))
    tensor([[[1.5000, 2.5000, 3.5000]]])
    """

    _function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptivePool):
    """Take means in as many windows as asked: `functional.adaptive_avg_pool3d`."""

    _function = staticmethod(F.adaptive_avg_pool3d)


class _AdaptiveMaxPool(_AdaptivePool):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        Applied.__init__(self, output_size=output_size, return_indices=return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Take the largest values in as many windows as asked: `functional.adaptive_max_pool1d`."""

    _function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Take the largest values in as many windows as asked: `functional.adaptive_max_pool2d`."""

    _function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Take the largest values in as many windows as asked: `functional.adaptive_max_pool3d`."""

    _function = staticmethod(F.adaptive_max_pool3d)


class _FractionalMaxPool(Applied):
    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size, output_size=output_size, output_ratio=output_ratio,
            return_indices=return_indices, _random_samples=_random_samples,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return ""


class FractionalMaxPool2d(_FractionalMaxPool):
    """Take the largest values of windows at random distances: `functional.fractional_max_pool2d`."""

    _function = staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPool):
    """Take the largest values of windows at random distances: `functional.fractional_max_pool3d`."""

    _function = staticmethod(F.fractional_max_pool3d)


class _MaxUnpool(Applied):
    _ndim: int

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        kernel, stride, padding = (
            sizes(value, self._ndim) for value in (kernel_size, kernel_size if stride is None else stride, padding)
        )
        super().__init__(kernel_size=kernel, stride=stride, padding=padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """Put the values back to the places in `indices`."""
        return super().forward(input, indices, output_size=output_size)


class MaxUnpool1d(_MaxUnpool):
    """Put back what `MaxPool1d` took: `functional.max_unpool1d`."""

    _function, _ndim = staticmethod(F.max_unpool1d), 1


class MaxUnpool2d(_MaxUnpool):
    """Put back what `MaxPool2d` took: `functional.max_unpool2d`."""

    _function, _ndim = staticmethod(F.max_unpool2d), 2


class MaxUnpool3d(_MaxUnpool):
    """Put back what `MaxPool3d` took: `functional.max_unpool3d`."""

    _function, _ndim = staticmethod(F.max_unpool3d), 3


class Unfold(Applied):
    """Make a column of each position of a window: `functional.unfold`."""

    _function = staticmethod(F.unfold)

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class Fold(Applied):
    """Add up columns in images: `functional.fold`."""

    _function = staticmethod(F.fold)

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__(
            output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride
        )
