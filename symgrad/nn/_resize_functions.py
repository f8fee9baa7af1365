"""The functions of ``nn.functional`` that give images another size or order, or read them between the pixels."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from .. import ops
from .._errors import ShapeError
from ..core import Tensor, wrap
from ..ops import no_kernel
from ._windows import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

# ------------------------------------------ The functions of ``nn.functional`` that give images another size or order

# The idea to hold: a resize is linear and goes dimension by dimension. Along each, every place of the output is a
# weighted sum of a few places of the input; which ones, and the weights, are plain arrays (`_taps`).


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Put a border around the last dimensions; negative widths cut instead.

    Parameters
    ----------
    input : Tensor
        Of any shape.
    pad : sequence of int
        Widths in pairs, the last dimension first: ``(left, right, top, bottom, ...)``.
    mode : {"constant", "reflect", "replicate", "circular"}
        What the border is filled with.
    value : float, optional
        The constant; 0 if left out.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.pad(sg.ones(1, 2), (1, 2), value=5)
    tensor([[5., 1., 1., 5., 5.]])
    """
    return ops.pad(input, pad, mode, value)


# Order -------------------------------------------------------------------------------------------------------------


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Make of channels larger images: (..., C r r, H, W) becomes (..., C, H r, W r).

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.pixel_shuffle(sg.arange(4.0).reshape(4, 1, 1), 2)
    tensor([[[0., 1.],
             [2., 3.]]])
    """
    _expect_image(input, "pixel_shuffle")
    if upscale_factor < 1:
        raise ShapeError(f"pixel_shuffle expects a positive upscale_factor, but got {upscale_factor}")
    r, (*batch, channels, height, width) = upscale_factor, input.shape
    if channels % r**2:
        raise ShapeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {r**2}"
        )
    parts = input.reshape(*batch, channels // r**2, r, r, height, width)
    return parts.movedim((-4, -3), (-3, -1)).reshape(*batch, channels // r**2, height * r, width * r)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Make of images more channels: the inverse of `pixel_shuffle`."""
    _expect_image(input, "pixel_unshuffle")
    if downscale_factor < 1:
        raise ShapeError(f"pixel_unshuffle expects a positive downscale_factor, but got {downscale_factor}")
    r, (*batch, channels, height, width) = downscale_factor, input.shape
    for name, size, dim in (("height", height, -2), ("width", width, -1)):
        if size % r:
            raise ShapeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({dim})={size} is "
                f"not divisible by {r}"
            )
    parts = input.reshape(*batch, channels, height // r, r, width // r, r)
    return parts.movedim((-3, -1), (-4, -3)).reshape(*batch, channels * r**2, height // r, width // r)


def _expect_image(input: Tensor, what: str) -> None:
    if input.ndim < 3:
        raise ShapeError(
            f"{what} expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)"
        )


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Deal the channels (dimension 1) of `groups` groups out in turn."""
    if input.ndim < 3:
        raise ShapeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    channels = input.shape[1]
    if groups <= 0 or channels % groups:
        raise ShapeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    return input.unflatten(1, (groups, channels // groups)).transpose(1, 2).flatten(1, 2)


def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Call `channel_shuffle`, under the name of PyTorch's kernel."""
    return channel_shuffle(input, groups)


# Size --------------------------------------------------------------------------------------------------------------

_MODES = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
"""The modes that weigh several places, and for how many dimensions they are."""


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Give the dimensions behind (batch, channels) another size.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...)
        One to three lengths.
    size : int or one per dimension, optional
        The new lengths,
    scale_factor : float or one per dimension, optional
        or by how much to multiply the old ones.
    mode : {"nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area"}
        How values between places are made.
    align_corners : bool, optional
        Whether the centres of the corners stay where they are, rather than their outer edges.
    recompute_scale_factor : bool, optional
        Whether the factor is that of the lengths after rounding.
    antialias : bool
        Whether "bilinear" and "bicubic" take in all that a shrunk place covers.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.interpolate(sg.tensor([[[0.0, 2.0]]]), size=3, mode="linear", align_corners=True)
    tensor([[[0., 1., 2.]]])
    """
    ndim = input.ndim - 2
    lengths, scales = _new_lengths(tuple(input.shape[2:]), size, scale_factor, bool(recompute_scale_factor))
    _check_mode(ndim, mode, align_corners, antialias)
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[ndim - 1](input, lengths)
    if mode in _MODES and not input.is_floating_point() and (ndim != 2 or input.dtype != np.uint8):
        kernel = "cubic" if mode == "bicubic" else "linear"
        raise no_kernel(f"compute_indices_weights_{kernel}", input.dtype, "Only images may be bytes.", "Cast it first.")
    each = list(enumerate(zip(input.shape[2:], lengths, scales, strict=True), 2))
    for dim, (n, out, scale) in each if input.is_floating_point() else each[::-1]:  # bytes are rounded after each
        if min(n, out) < 1:
            raise ShapeError(
                f"Input and output sizes should be greater than 0, but got input {tuple(input.shape[2:])} and output "
                f"{lengths}"
            )
        exactly = (mode, ndim) == ("nearest", 2)
        if n == out and (antialias or mode.endswith("linear") or exactly):
            continue  # a scale may round an axis to its own length, which PyTorch copies then
        scale = 0.5 if exactly and out == 2 * n else scale  # or to twice that
        input = _resized(input, dim, *_taps(mode, n, out, scale, bool(align_corners), antialias))
    return input


def _check_mode(ndim: int, mode: str, align_corners: bool | None, antialias: bool) -> None:
    if mode not in (*_MODES, "nearest", "nearest-exact", "area") or ndim not in (1, 2, 3):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim + 2}D) for the modes: nearest | "
            f"linear | bilinear | bicubic | trilinear | area | nearest-exact (got {mode})"
        )
    if mode in _MODES and _MODES[mode] != ndim:
        raise NotImplementedError(f"Got {ndim + 2}D input, but {mode} mode needs {_MODES[mode] + 2}D input")
    if mode not in _MODES and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor")


def _new_lengths(
    old: tuple[int, ...], size: Any, factor: Any, recompute: bool
) -> tuple[tuple[int, ...], list[float | None]]:
    """The new lengths, and along each dimension how many old places a new one covers (None: as the lengths say)."""
    if (size is None) == (factor is None):
        raise ValueError(f"{'either' if size is None else 'only one of'} size or scale_factor should be defined")
    given = factor if size is None else size
    each = tuple(given) if isinstance(given, list | tuple) or getattr(given, "ndim", 0) > 0 else (given,) * len(old)
    if len(each) != len(old):
        raise ValueError(
            f"Input and output must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {list(old)} and {'scale_factor' if size is None else 'output size'} of {each}."
        )
    if size is not None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return tuple(int(n) for n in each), [None] * len(old)
    lengths = tuple(math.floor(n * float(f)) for n, f in zip(old, each, strict=True))
    return lengths, [None if recompute else 1 / float(f) for f in each]


def cubic(x: Any, a: float = -0.75) -> list[Any]:
    """The weights of the four places around, for a point `x` behind the second of them (Keys, 1981)."""

    def near(t: Any) -> Any:
        return ((a + 2) * t - (a + 3)) * t * t + 1

    def far(t: Any) -> Any:
        return ((t - 5) * t + 8) * t * a - 4 * a

    return [far(x + 1), near(x), near(1 - x), far(2 - x)]


def _taps(
    mode: str, n: int, out: int, scale: float | None, align: bool, antialias: bool
) -> tuple[np.ndarray, np.ndarray | None]:
    """For each new place: the old places that it is made of, and their weights (None: it is one of them)."""
    k = np.arange(out)
    ratio = ((n - 1) / (out - 1) if out > 1 else 0.0) if align else (n / out if scale is None else scale)
    if mode.startswith("nearest"):
        exact = np.float32(0.5 if mode == "nearest-exact" else 0.0)  # PyTorch's places are float32, of any image
        return np.minimum(((k.astype(np.float32) + exact) * np.float32(ratio)).astype(np.int64), n - 1)[:, None], None
    if antialias:
        return _all_covered(mode, n, k, ratio)
    centre = k * ratio if align else (k + 0.5) * ratio - 0.5
    by_cubes = mode == "bicubic"
    centre = centre if by_cubes else np.maximum(centre, 0.0)
    first = np.floor(centre).astype(np.int64)
    rest = centre - first
    weights = cubic(rest) if by_cubes else [1 - rest, rest]
    places = first[:, None] + np.arange(len(weights)) - by_cubes  # of four places one is before the first
    return np.clip(places, 0, n - 1), np.stack(weights, 1)


def _all_covered(mode: str, n: int, k: np.ndarray, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    reach = (2.0 if mode == "bicubic" else 1.0) * max(ratio, 1.0)
    centre = (k + 0.5) * ratio
    first = np.maximum((centre - reach + 0.5).astype(np.int64), 0)
    stop = np.minimum((centre + reach + 0.5).astype(np.int64), n)
    places = first[:, None] + np.arange((stop - first).max())
    distance = np.abs((places + 0.5 - centre[:, None]) / max(ratio, 1.0))
    if mode == "bicubic":
        near, far = cubic(np.minimum(distance, 1), -0.5)[1], cubic(np.clip(distance - 1, 0, 1), -0.5)[0]
        weights = np.where(distance < 1, near, far)
    else:
        weights = np.maximum(1 - distance, 0)
    weights = weights * (places < stop[:, None])
    return np.minimum(places, n - 1), weights / weights.sum(1, keepdims=True)


def _resized(input: Tensor, dim: int, places: np.ndarray, weights: np.ndarray | None) -> Tensor:
    if weights is None:
        return input.index_select(dim, wrap(places[:, 0].copy()))
    if input.dtype == np.uint8:
        return _resized_bytes(input, dim, places, weights)
    total: Any = 0
    for tap in range(places.shape[1]):
        along = weights[:, tap].reshape(-1, *(1,) * (input.ndim - dim - 1)).astype(input.dtype)
        total = total + input.index_select(dim, wrap(places[:, tap].copy())) * wrap(along)
    return total


def _resized_bytes(input: Tensor, dim: int, places: np.ndarray, weights: np.ndarray) -> Tensor:
    """The weighted sums as PyTorch takes them of bytes: of weights cut to 15 bits, and rounded to bytes."""
    bits = min(math.ceil(math.log2((2**15 - 0.5) / weights.max())) - 1, 22)
    whole = np.trunc(weights * 2**bits + np.copysign(0.5, weights)).astype(np.int64)
    total = _resized(input.long(), dim, places, whole)
    return ops.clamp((total + 2**bits // 2) // 2**bits, 0, 255).to(np.uint8)


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """Call `interpolate`, under its older name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call `interpolate` with the nearest place."""
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call `interpolate` with "bilinear" and aligned corners."""
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)


# ----------------------------------- Reading images at places between the pixels: ``affine_grid`` and ``grid_sample``


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """Return where an affine map sends each pixel, for `grid_sample`.

    Parameters
    ----------
    theta : Tensor, shape (batch, 2, 3) or (batch, 3, 4)
        The maps.
    size : sequence of int
        That of the output: (batch, channels, length...).
    align_corners : bool, optional
        Whether -1 and 1 are the centres of the corner pixels, rather than their outer edges.
    """
    lengths = tuple(int(n) for n in size)[2:]
    ndim = len(lengths)
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {tuple(size)}")
    if ndim not in (2, 3) or tuple(theta.shape[1:]) != (ndim, ndim + 1) or theta.shape[0] != size[0]:
        raise ShapeError(
            f"Expected a batch of {ndim}D affine matrices of shape Nx{ndim}x{ndim + 1} for size {tuple(size)}. Got "
            f"{tuple(theta.shape)}."
        )
    axes = [np.linspace(-1, 1, n) * (1 if align_corners else (n - 1) / n) if n > 1 else np.zeros(1) for n in lengths]
    places = np.stack([*np.meshgrid(*axes, indexing="ij")[::-1], np.ones(lengths)], -1).astype(theta.dtype)
    moved = ops.matmul(wrap(places.reshape(1, -1, ndim + 1)), theta.mT)
    return moved.reshape(theta.shape[0], *lengths, ndim)


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Read images at the given places.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, height, width) or (batch, channels, depth, height, width)
        Images.
    grid : Tensor, shape (batch, out length..., 2 or 3)
        Places: x, y (and z), from -1 to 1 over the image.
    mode : {"bilinear", "nearest", "bicubic"}
        How values between pixels are made.
    padding_mode : {"zeros", "border", "reflection"}
        What is outside of the image.
    align_corners : bool, optional
        Whether -1 and 1 are the centres of the corner pixels, rather than their outer edges.

    Examples
    --------
    >>> import symgrad as sg
    >>> image = sg.tensor([[[[0.0, 1.0], [2.0, 3.0]]]])
    >>> sg.nn.functional.grid_sample(image, sg.zeros(1, 1, 1, 2))
    tensor([[[[1.5000]]]])
    """
    ndim = input.ndim - 2
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(f"expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(f"expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{padding_mode}'")
    if ndim not in (2, 3) or grid.ndim != input.ndim or grid.shape[-1] != ndim or grid.shape[0] != input.shape[0]:
        raise ShapeError(
            "grid_sampler(): expected grid and input to have same batch size and number of dimensions, and grid to "
            f"have size {ndim} in last dimension, but got input with sizes {list(input.shape)} and grid with sizes "
            f"{list(grid.shape)}"
        )
    if mode == "bicubic" and ndim == 3:
        raise ShapeError("grid_sampler(): bicubic interpolation only supports 4D input")
    batch, channels = input.shape[:2]
    lengths = tuple(input.shape[2:])
    flat = input.reshape(batch, channels, math.prod(lengths))
    points = grid.reshape(batch, math.prod(grid.shape[1:-1]), ndim)
    outside, align = padding_mode, bool(align_corners)
    axes: list[list[tuple[Any, Any]]] = []  # per dimension: places (arrays) and their weights
    for i, n in enumerate(lengths):
        x = points[..., ndim - 1 - i]
        x = (x + 1) / 2 * (n - 1) if align else ((x + 1) * n - 1) / 2
        axes.append(_along(x if mode == "bicubic" else _inside(x, n, outside, align), n, mode, outside, align))
    total: Any = 0
    for corner in itertools.product(*axes):
        place: Any = 0
        weight: Any = 1
        valid = np.ones((), bool)
        for (k, w), n in zip(corner, lengths, strict=True):
            valid = valid & (k >= 0) & (k < n)
            place = place * n + np.clip(k, 0, n - 1)
            weight = weight * w
        index = wrap(np.broadcast_to(place[:, None], (batch, channels, place.shape[-1])).copy())
        seen = ops.where(wrap(valid[:, None]), flat.gather(2, index), 0.0)
        total = total + seen * weight.unsqueeze(1)
    return total.reshape(batch, channels, *grid.shape[1:-1])


@np.errstate(invalid="ignore")  # a place may be NaN
def _inside(x: Tensor, n: int, outside: str, align: bool) -> Tensor:
    """Bring coordinates outside of the image back to it, by its border or by mirrors at both ends."""
    if outside == "zeros":
        return x
    if outside == "reflection":
        low, span = (0.0, n - 1) if align else (-0.5, n)
        if span == 0:
            return x * 0.0
        turns = np.floor((x.detach().numpy() - low) / span)
        back = turns % 2 == 1
        x = x * wrap(np.where(back, -1.0, 1.0).astype(x.dtype)) + wrap(
            np.where(back, (turns + 1) * span + 2 * low, -turns * span).astype(x.dtype)
        )
    return ops.hardtanh(x, 0.0, float(n - 1))  # its slope at the border is 0, as PyTorch's


@np.errstate(invalid="ignore")
def _along(x: Tensor, n: int, mode: str, outside: str, align: bool) -> list[tuple[Any, Any]]:
    fixed = x.detach()
    if mode == "nearest":
        one = ops.where(wrap(np.ones(fixed.shape, bool)), 1.0, x)  # a step has the slope 0, which is not none
        return [(np.rint(fixed.numpy()).astype(np.int64), one)]
    first = np.floor(fixed.numpy())
    rest, k = x - wrap(first), first.astype(np.int64)
    if mode == "bilinear":
        return [(k, 1 - rest), (k + 1, rest)]
    taps = [wrap((k + j).astype(x.dtype)) for j in range(-1, 3)]
    places = [_inside(t, n, outside, align).numpy() for t in taps]
    return [(np.rint(p).astype(np.int64), w) for p, w in zip(places, cubic(rest), strict=True)]
