"""Layers of windows and images: convolutions, pools, borders and sizes."""

from __future__ import annotations

from typing import Any

from ..core import Tensor
from . import functional as F
from ._layers import room, uniform_by_fan_in
from ._module import Applied, Module
from ._windows import check_named_padding, padding_widths, sizes

# ----------------------------------------------------------------- Layers whose window slides over what they convolve


class _Conv(Module):
    """What the convolutions share; `_ndim` is the number of dimensions that the window slides over."""

    _ndim: int
    _transposed = False
    output_padding: tuple[int, ...] = ()

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
        first, second = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        self.weight = room(first, second // groups, *self.kernel_size, device=device, dtype=dtype)
        self.register_parameter("bias", room(out_channels, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new random parameters."""
        uniform_by_fan_in(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """Slide the filters over the input."""
        convolve = (F.conv1d, F.conv2d, F.conv3d)[self._ndim - 1]
        padding: Any = self.padding
        if self.padding_mode != "zeros" and padding != "valid":
            widths = padding_widths(padding, self.kernel_size, self.dilation)
            input, padding = F.pad(input, widths, self.padding_mode), 0
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        zeros = (0,) * self._ndim
        usual = zeros, (1,) * self._ndim, zeros if self._transposed else (), 1, True
        now = self.padding, self.dilation, self.output_padding, self.groups, self.bias is not None
        names = "padding", "dilation", "output_padding", "groups", "bias"
        for name, value, default in zip(names, now, usual, strict=True):
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


class Conv3d(_Conv):
    """Slide filters over volumes: `functional.conv3d`."""

    _ndim = 3


class _ConvTranspose(_Conv):
    """What the transposed convolutions share; the weight is that of the convolution that is transposed."""

    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self.__dict__["output_padding"] = sizes(output_padding, self._ndim)
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Spread the input with the filters; `output_size` says which of the possible lengths is meant."""
        spread = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[self._ndim - 1]
        more = self.output_padding if output_size is None else self._more(tuple(input.shape), tuple(output_size))
        return spread(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)

    def _more(self, shape: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
        """What must be added to the least lengths to make those that are wanted."""
        n = self._ndim
        padding: Any = self.padding
        window = zip(shape[-n:], self.stride, padding, self.dilation, self.kernel_size, strict=True)
        least = [(length - 1) * s - 2 * p + d * (k - 1) + 1 for length, s, p, d, k in window]
        more = tuple(w - m for w, m in zip(wanted[-n:], least, strict=True))
        if any(not 0 <= m < s for m, s in zip(more, self.stride, strict=True)):
            most = [m + s - 1 for m, s in zip(least, self.stride, strict=True)]
            raise ValueError(
                f"requested an output size of {list(wanted[-n:])}, but valid sizes range from {least} to {most} "
                f"(for an input of {list(shape[-n:])})"
            )
        return more


class ConvTranspose1d(_ConvTranspose):
    """Apply the transpose of a convolution over one dimension: `functional.conv_transpose1d`."""

    _ndim = 1


class ConvTranspose2d(_ConvTranspose):
    """Apply the transpose of a convolution over images: `functional.conv_transpose2d`.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.ConvTranspose2d(3, 6, 2, stride=2)
    >>> layer
    ConvTranspose2d(3, 6, kernel_size=(2, 2), stride=(2, 2))
    >>> layer(sg.ones(1, 3, 8, 8)).shape == (1, 6, 16, 16)
    True
    """

    _ndim = 2


class ConvTranspose3d(_ConvTranspose):
    """Apply the transpose of a convolution over volumes: `functional.conv_transpose3d`."""

    _ndim = 3


# -------------------- Layers that take one number of each window, and those that cut windows out or put them together


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


# ---------------------------------------------------- Layers that give images a border, another size or another order


class _Pad(Module):
    """A border around the last `_ndim` dimensions, of one value or, by `_mode`, of the input's own."""

    _ndim: int
    _mode = "constant"
    value: float | None = None

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self._ndim) if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.pad`."""
        return F.pad(input, self.padding, self._mode, self.value)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ReflectionPad(_Pad):
    _mode = "reflect"


class _ReplicationPad(_Pad):
    _mode = "replicate"


class _CircularPad(_Pad):
    _mode = "circular"


def _of(base: type[_Pad], name: str, ndim: int, what: str) -> Any:
    where = "the last dimension" if ndim == 1 else f"the last {ndim} dimensions"
    doc = f"Put a border {what} around {where}: `functional.pad`."
    return type(f"{name}{ndim}d", (base,), {"_ndim": ndim, "__doc__": doc, "__module__": __name__})


ZeroPad1d, ZeroPad2d, ZeroPad3d = (_of(_Pad, "ZeroPad", n, "of zeros") for n in (1, 2, 3))
ConstantPad1d, ConstantPad2d, ConstantPad3d = (_of(_ConstantPad, "ConstantPad", n, "of one value") for n in (1, 2, 3))
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = (
    _of(_ReflectionPad, "ReflectionPad", n, "of reflections") for n in (1, 2, 3)
)
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = (
    _of(_ReplicationPad, "ReplicationPad", n, "of the edge") for n in (1, 2, 3)
)
CircularPad1d, CircularPad2d, CircularPad3d = (
    _of(_CircularPad, "CircularPad", n, "of the other side") for n in (1, 2, 3)
)


class PixelShuffle(Applied):
    """Make of channels larger images: `functional.pixel_shuffle`."""

    _function = staticmethod(F.pixel_shuffle)

    def __init__(self, upscale_factor: int) -> None:
        super().__init__(upscale_factor=upscale_factor)


class PixelUnshuffle(Applied):
    """Make of images more channels: `functional.pixel_unshuffle`."""

    _function = staticmethod(F.pixel_unshuffle)

    def __init__(self, downscale_factor: int) -> None:
        super().__init__(downscale_factor=downscale_factor)


class ChannelShuffle(Applied):
    """Deal the channels of groups out in turn: `functional.channel_shuffle`."""

    _function = staticmethod(F.channel_shuffle)

    def __init__(self, groups: int) -> None:
        super().__init__(groups=groups)


class Upsample(Applied):
    """Give images another size: `functional.interpolate`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.Upsample(scale_factor=2)(sg.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    _function = staticmethod(F.interpolate)

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        factor = tuple(map(float, scale_factor)) if isinstance(scale_factor, list | tuple) else scale_factor
        super().__init__(
            size=tuple(size) if isinstance(size, list) else size,
            scale_factor=float(factor) if isinstance(factor, int) and factor else factor, mode=mode,
            align_corners=align_corners, recompute_scale_factor=recompute_scale_factor,
        )  # fmt: skip

    def extra_repr(self) -> str:
        by = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{by}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Give images another size by the nearest pixel."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """Give images another size by bilinear interpolation with aligned corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "Fold",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Unfold",
    "ChannelShuffle",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "PixelShuffle",
    "PixelUnshuffle",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]
