"""Reading images at places between the pixels: ``affine_grid`` and ``grid_sample``."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from .. import ops
from .._errors import ShapeError
from ..core import Tensor, wrap
from ._resize_functions import cubic

__all__ = ["affine_grid", "grid_sample"]


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
        weight, valid = None, np.ones((), bool)
        for (k, w), n in zip(corner, lengths, strict=True):
            valid = valid & (k >= 0) & (k < n)
            place = place * n + np.clip(k, 0, n - 1)
            weight = w if weight is None else weight if w is None else weight * w
        index = wrap(np.broadcast_to(place[:, None], (batch, channels, place.shape[-1])).copy())
        seen = ops.where(wrap(valid[:, None]), flat.gather(2, index), 0.0)
        total = total + (seen if weight is None else seen * weight.unsqueeze(1))
    return total.reshape(batch, channels, *grid.shape[1:-1])


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


def _along(x: Tensor, n: int, mode: str, outside: str, align: bool) -> list[tuple[Any, Any]]:
    fixed = x.detach()
    if mode == "nearest":
        return [(np.rint(fixed.numpy()).astype(np.int64), None)]
    first = np.floor(fixed.numpy())
    rest, k = x - wrap(first), first.astype(np.int64)
    if mode == "bilinear":
        return [(k, 1 - rest), (k + 1, rest)]
    taps = [wrap((k + j).astype(x.dtype)) for j in range(-1, 3)]
    places = [_inside(t, n, outside, align).numpy() for t in taps]
    return [(np.rint(p).astype(np.int64), w) for p, w in zip(places, cubic(rest), strict=True)]
