"""Layers of windows and images: convolutions and borders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core import Tensor
from . import functional as F
from ._layers import add_parameters, uniform_by_fan_in
from ._module import Module, unusual
from ._windows import Sizes, check_named_padding, padding_widths, sizes

# ----------------------------------------------------------------- Layers whose window slides over what they convolve


class _Conv(Module):
    """What the convolutions share; `_ndim` is the number of dimensions that the window slides over."""

    _ndim: int
    in_channels: int
    out_channels: int
    groups: int
    kernel_size: Sizes
    stride: Sizes
    dilation: Sizes
    padding: str | Sizes
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
        shape, shift = (first, second // groups, *self.kernel_size), (out_channels,) if bias else None
        add_parameters(self, device, dtype, weight=shape, bias=shift)
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
        text += unusual(self, padding=zeros, dilation=(1,) * self._ndim)
        text += unusual(self, output_padding=zeros if self._transposed else (), groups=1)
        return text + ("" if self.bias is not None else ", bias=False") + unusual(self, padding_mode="zeros")


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

    def _more(self, shape: Sizes, wanted: Sizes) -> Sizes:
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


# --------------------------------------------------------------------------------- Layers that give images a border


class _Pad(Module):
    """A border around the last `_ndim` dimensions, of one value or, by `_mode`, of the input's own."""

    _ndim: int
    _mode: str
    value: float | None = None

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding: tuple[int, ...] = (padding,) * (2 * self._ndim) if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.pad`."""
        return F.pad(input, self.padding, self._mode, self.value)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value: float | None = value

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


def _pads(name: str, what: str, mode: str = "constant", base: type[_Pad] = _Pad) -> Iterator[Any]:
    """The borders of one kind, around the last dimension, the last two and the last three."""
    for ndim in (1, 2, 3):
        where = "the last dimension" if ndim == 1 else f"the last {ndim} dimensions"
        doc = f"Put a border {what} around {where}: `functional.pad`."
        own = {"_ndim": ndim, "_mode": mode, "__doc__": doc, "__module__": __name__}
        yield type(f"{name}{ndim}d", (base,), own)


ZeroPad1d: type[_Pad]
ZeroPad2d: type[_Pad]
ZeroPad3d: type[_Pad]
ConstantPad1d: type[_ConstantPad]
ConstantPad2d: type[_ConstantPad]
ConstantPad3d: type[_ConstantPad]
ReflectionPad1d: type[_Pad]
ReflectionPad2d: type[_Pad]
ReflectionPad3d: type[_Pad]
ReplicationPad1d: type[_Pad]
ReplicationPad2d: type[_Pad]
ReplicationPad3d: type[_Pad]
CircularPad1d: type[_Pad]
CircularPad2d: type[_Pad]
CircularPad3d: type[_Pad]

ZeroPad1d, ZeroPad2d, ZeroPad3d = _pads("ZeroPad", "of zeros")
ConstantPad1d, ConstantPad2d, ConstantPad3d = _pads("ConstantPad", "of one value", base=_ConstantPad)
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _pads("ReflectionPad", "of reflections", "reflect")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _pads("ReplicationPad", "of the edge", "replicate")
CircularPad1d, CircularPad2d, CircularPad3d = _pads("CircularPad", "of the other side", "circular")
