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

__all__ = ["avg_pool", "convolution", "max_pool", "pad", "sizes"]


def sizes(value: Any, ndim: int) -> tuple[int, ...]:
    """Repeat one size for each of `ndim` dimensions; take a sequence as it is."""
    if isinstance(value, int):
        return (value,) * ndim
    value = tuple(int(v) for v in value)
    return value * ndim if len(value) == 1 else value


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Put a border around the last dimensions; negative widths cut instead.

    Parameters
    ----------
    input : Tensor
        Of any shape.
    pad : sequence of int
        Widths in pairs, the last dimension first: ``(left, right, top, bottom, ...)``.
    mode : {"constant"}
        What the border is filled with.
    value : float, optional
        The constant; 0 if left out.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.pad(sg.ones(1, 2), (1, 2), value=5)
    tensor([[5., 1., 1., 5., 5.]])
    """
    if mode != "constant":
        raise NotImplementedError(f"pad: mode {mode!r} is not there. Use 'constant', or index with repeated positions.")
    if len(pad) % 2 or len(pad) > 2 * input.ndim:
        raise ShapeError(
            f"pad: {tuple(pad)} does not give a pair for each of some of the last dimensions.",
            f"The input has shape {tuple(input.shape)}.",
            "Give pairs (before, after), beginning with those of the last dimension.",
        )
    for i, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        input = _pad_one(input, -1 - i, before, after, 0.0 if value is None else value)
    return input


def _pad_one(input: Tensor, dim: int, before: int, after: int, value: float) -> Tensor:
    length = input.shape[dim]
    if before < 0 or after < 0:
        start, stop = max(0, -before), length - max(0, -after)
        input = input.narrow(dim, start, stop - start)
        before, after = max(0, before), max(0, after)
    parts = [input]
    for width, place in ((before, 0), (after, len(parts) + 1)):
        if width:
            shape = list(input.shape)
            shape[dim] = width
            parts.insert(place, ops.full(shape, value, dtype=input.dtype))
    return ops.cat(parts, dim) if len(parts) > 1 else input


def _border(input: Tensor, padding: tuple[int, ...], value: float) -> Tensor:
    widths = [width for one in reversed(padding) for width in (one, one)]
    return pad(input, widths, value=value) if any(widths) else input


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
    if isinstance(padding, str):
        input, padding = _named_padding(input, padding, kernel, stride, dilation)
    slices, counts = _slide(_border(input, sizes(padding, ndim), 0.0), kernel, stride, dilation)

    batch, places, positions = input.shape[0], math.prod(kernel), math.prod(counts)
    columns = ops.stack(slices, 2).reshape(batch, groups, channels * places, positions)
    rows = weight.reshape(groups, outs // groups, channels * places)
    output = ops.matmul(rows, columns).reshape(batch, outs, *counts)
    if bias is not None:
        output = output + bias.reshape(outs, *(1,) * ndim)
    return output.squeeze(0) if unbatched else output


def _named_padding(
    input: Tensor, name: str, kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[Tensor, int]:
    """Apply ``'same'`` or ``'valid'``; no padding is left to do."""
    if name == "valid":
        return input, 0
    if name != "same":
        raise ValueError(f"Invalid padding string {name!r}, should be one of 'valid', 'same'")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    widths: list[int] = []
    for k, d in zip(kernel, dilation, strict=True):
        total = d * (k - 1)
        widths = [total // 2, total - total // 2, *widths]
    return pad(input, widths), 0


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
    input, unbatched = _batched(input, ndim, what)
    return input, unbatched, kernel, stride, padding, dilation


def max_pool(input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ndim: int) -> Tensor:
    """Take the largest value in each window; the first of equal ones receives the gradient."""
    what = f"max_pool{ndim}d"
    input, unbatched, *shape = _pool_setup(input, kernel, stride, padding, dilation, ndim, what)
    kernel, stride, padding, dilation = shape
    slices, _ = _slide(_border(input, padding, -math.inf), kernel, stride, dilation)
    output = ops.stack(slices, -1).max(-1).values
    return output.squeeze(0) if unbatched else output


def avg_pool(
    input: Tensor, kernel: Any, stride: Any, padding: Any, count_include_pad: bool, divisor: int | None, ndim: int
) -> Tensor:
    """Take the mean of each window."""
    what = f"avg_pool{ndim}d"
    input, unbatched, *shape = _pool_setup(input, kernel, stride, padding, 1, ndim, what)
    kernel, stride, padding, dilation = shape
    slices, _ = _slide(_border(input, padding, 0.0), kernel, stride, dilation)
    total = ops.stack(slices, -1).sum(-1)
    if divisor is not None:
        output = total / divisor
    elif count_include_pad or not any(padding):
        output = total / math.prod(kernel)
    else:
        inside = _border(ops.ones(input.shape[2:], dtype=input.dtype), padding, 0.0)
        counts, _ = _slide(inside, kernel, stride, dilation)
        output = total / ops.stack(counts, -1).sum(-1)
    return output.squeeze(0) if unbatched else output
