"""Layers that give images a border, another size or another order."""

from __future__ import annotations

from typing import Any

from ..core import Tensor
from . import functional as F
from ._applied import Applied
from ._module import Module

__all__ = [
    "ChannelShuffle", "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "PixelShuffle", "PixelUnshuffle", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "Upsample", "UpsamplingBilinear2d",
    "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip


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
