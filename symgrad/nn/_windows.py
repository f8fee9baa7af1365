"""Convolution and pooling: a window that slides over the last dimensions.

The idea to hold: for each place *inside* the window, one strided slice of the input holds what stands there as the
window visits all its positions. Stacked, these few slices turn a convolution into one matrix product and a pooling
into one reduction, in operations that are differentiable to every order.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from .. import ops
from .._errors import ShapeError
from ..core import Tensor
from ..ops._elementwise import remember

__all__ = ["avg_pool", "check_named_padding", "convolution", "max_pool", "padding_widths", "sizes"]


def sizes(value: Any, ndim: int) -> tuple[int, ...]:
    """Repeat one size for each of `ndim` dimensions; take a sequence as it is."""
    if isinstance(value, int):
        return (value,) * ndim
    value = tuple(int(v) for v in value)
    return value * ndim if len(value) == 1 else value


def padding_widths(padding: Any, kernel: tuple[int, ...], dilation: tuple[int, ...]) -> list[int]:
    """Say in `ops.pad`'s order how wide a border ``'same'``, ``'valid'`` or one number per dimension means."""
    widths: list[int] = []
    for i, (k, d) in enumerate(zip(kernel, dilation, strict=True)):
        if padding == "same":
            total = d * (k - 1)
            widths = [total // 2, total - total // 2, *widths]
        elif not isinstance(padding, str):
            widths = [padding[i], padding[i], *widths]
    return widths


def check_named_padding(name: str, stride: tuple[int, ...]) -> None:
    """Refuse names that are not there, and steps for which 'same' means nothing."""
    if name not in ("same", "valid"):
        raise ShapeError(f"Invalid padding string '{name}', should be one of 'same', 'valid'")
    if name == "same" and any(s != 1 for s in stride):
        raise ShapeError("padding='same' is not supported for strided convolutions")


def _border(input: Tensor, widths: list[int], value: float) -> Tensor:
    return ops.pad(input, widths, value=value) if any(widths) else input


def _slide(
    input: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[list[Tensor], tuple[int, ...]]:
    """Return one slice of `input` for each place in the window, and the number of positions of the window."""
    lengths = tuple(input.shape[-len(kernel) :])
    reach = tuple(d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True))
    if any(length < need for length, need in zip(lengths, reach, strict=True)):
        raise ShapeError(
            f"Calculated padded input size per channel: {_by(lengths)}. Kernel size: {_by(reach)}. Kernel size can't "
            "be greater than actual input size",
            f"The padded input has shape {tuple(input.shape)}.",
            "Use a smaller kernel or dilation, or more padding.",
        )
    counts = tuple((n - r) // s + 1 for n, r, s in zip(lengths, reach, stride, strict=True))
    slices = []
    for place in itertools.product(*map(range, kernel)):
        starts = [p * d for p, d in zip(place, dilation, strict=True)]
        spans = (slice(b, b + (n - 1) * s + 1, s) for b, n, s in zip(starts, counts, stride, strict=True))
        slices.append(input[(..., *spans)])
    return slices, counts


def _by(lengths: tuple[int, ...]) -> str:
    return "(" + " x ".join(map(str, lengths)) + ")"


def _batched(input: Tensor, ndim: int, what: str) -> tuple[Tensor, bool]:
    """Add the batch dimension where it is missing."""
    if input.ndim not in (ndim + 1, ndim + 2):
        raise ShapeError(
            f"Expected {ndim + 1}D (unbatched) or {ndim + 2}D (batched) input to {what}, but got input of size: "
            f"{list(input.shape)}",
            next_step="Reshape it to (batch, channels, ...).",
        )
    return (input.unsqueeze(0), True) if input.ndim == ndim + 1 else (input, False)


def convolution(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int, ndim: int
) -> Tensor:
    """Slide `weight` over the last `ndim` dimensions: a (cross-)correlation, as PyTorch's ``conv``."""
    stride, dilation = sizes(stride, ndim), sizes(dilation, ndim)
    input, unbatched = _batched(input, ndim, f"conv{ndim}d")
    outs, channels, kernel = weight.shape[0], weight.shape[1], tuple(weight.shape[2:])
    if input.shape[1] != channels * groups:
        raise ShapeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(input.shape)} to have "
            f"{channels * groups} channels, but got {input.shape[1]} channels instead"
        )
    if not isinstance(padding, str):
        padding = sizes(padding, ndim)
    else:
        check_named_padding(padding, stride)
    widths = padding_widths(padding, kernel, dilation)
    slices, counts = _slide(_border(input, widths, 0.0), kernel, stride, dilation)

    batch, places, positions = input.shape[0], math.prod(kernel), math.prod(counts)
    columns = ops.stack(slices, 2).reshape(batch, groups, channels * places, positions)
    rows = weight.reshape(groups, outs // groups, channels * places)
    output = ops.matmul(rows, columns).reshape(batch, outs, *counts)
    if bias is not None:
        output = output + bias.reshape(outs, *(1,) * ndim)
    return output.squeeze(0) if unbatched else output


def _pool_setup(
    input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ndim: int, what: str
) -> tuple[Tensor, bool, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    kernel = sizes(kernel, ndim)
    stride = kernel if stride is None else sizes(stride, ndim)
    padding, dilation = sizes(padding, ndim), sizes(dilation, ndim)
    for p, k, d in zip(padding, kernel, dilation, strict=True):
        if 2 * p > d * (k - 1) + 1:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    input, unbatched = _batched(remember(input), ndim, what)
    return input, unbatched, kernel, stride, padding, dilation


def max_pool(input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ndim: int) -> Tensor:
    """Take the largest value in each window; the first of equal ones receives the gradient."""
    what = f"max_pool{ndim}d"
    input, unbatched, *shape = _pool_setup(input, kernel, stride, padding, dilation, ndim, what)
    kernel, stride, padding, dilation = shape
    widths = padding_widths(padding, kernel, dilation)
    slices, _ = _slide(_border(input, widths, -math.inf), kernel, stride, dilation)
    output = ops.stack(slices, -1).max(-1).values
    return output.squeeze(0) if unbatched else output


def avg_pool(
    input: Tensor, kernel: Any, stride: Any, padding: Any, count_include_pad: bool, divisor: int | None, ndim: int
) -> Tensor:
    """Take the mean of each window."""
    what = f"avg_pool{ndim}d"
    input, unbatched, *shape = _pool_setup(input, kernel, stride, padding, 1, ndim, what)
    kernel, stride, padding, dilation = shape
    widths = padding_widths(padding, kernel, dilation)
    slices, _ = _slide(_border(input, widths, 0.0), kernel, stride, dilation)
    total = ops.stack(slices, -1).sum(-1)
    if divisor is not None:
        output = total / divisor
    elif count_include_pad or not any(padding):
        output = total / math.prod(kernel)
    else:
        inside = _border(ops.ones(input.shape[2:], dtype=input.dtype), widths, 0.0)
        counts, _ = _slide(inside, kernel, stride, dilation)
        output = total / ops.stack(counts, -1).sum(-1)
    return output.squeeze(0) if unbatched else output
