"""Pooling: one number of each window, the largest, the mean or a norm."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import ops
from .._errors import ShapeError
from ..core import Tensor, wrap
from ..ops.entries._elementwise import remember
from ._calls import in_single
from ._windows import batched, border, expect_positive, padding_widths, sizes, slide

__all__ = [
    "adaptive_avg_pool", "adaptive_max_pool", "avg_pool", "fractional_max_pool", "lp_pool", "max_pool", "max_unpool",
]  # fmt: skip


class _Window:
    """The sizes of a pooling: of the window, its steps, the border, and with `ceil_mode` of what is beyond it."""

    def __init__(
        self, input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, ndim: int
    ) -> None:
        self.kernel, self.padding, self.dilation = sizes(kernel, ndim), sizes(padding, ndim), sizes(dilation, ndim)
        empty = stride is None or (isinstance(stride, list | tuple) and not stride)
        self.stride = self.kernel if empty else sizes(stride, ndim)
        expect_positive(self.kernel, self.stride, self.dilation)
        for p, k in zip(self.padding, self.kernel, strict=True):
            if 2 * p > k or p < 0:
                raise RuntimeError(f"pad should be at most half of kernel size, but got pad={p} and kernel_size={k}")
        self.lengths = tuple(input.shape[2:])
        self.widths = padding_widths(self.padding, self.kernel, self.dilation)
        if ceil_mode:
            self._reach_further()

    def _reach_further(self) -> None:
        """Let the last window begin anywhere before the border behind the input, as far as it then reaches."""
        for i, (n, k, s, p, d) in enumerate(
            zip(self.lengths, self.kernel, self.stride, self.padding, self.dilation, strict=True)
        ):
            reach = d * (k - 1) + 1
            last = -((n + 2 * p - reach) // -s) * s
            last -= s if last >= n + p else 0
            self.widths[-1 - 2 * i] += max(0, last + reach - (n + 2 * p))

    def over(self, input: Tensor, value: float) -> tuple[Tensor, tuple[int, ...]]:
        """What the window sees at each position, along a new last dimension, and the numbers of positions."""
        slices, counts = slide(border(input, self.widths, value), self.kernel, self.stride, self.dilation)
        return ops.stack(slices, -1), counts

    def sizes_inside(self, counts: tuple[int, ...], with_border: bool) -> np.ndarray:
        """How many places of the window lie within the input (`with_border`: or its border) at each position."""
        product = np.ones(())
        for n, k, s, p, count in zip(self.lengths, self.kernel, self.stride, self.padding, counts, strict=True):
            first = np.arange(count) * s - p
            inside = np.minimum(first + k, n + p * with_border) - (first if with_border else np.maximum(first, 0))
            product = np.multiply.outer(product, inside)
        return product


def max_pool(
    input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, indices: bool, ndim: int
) -> Any:
    """Take the largest value in each window; the first of equal ones receives the gradient."""
    input, unbatched = batched(remember(input), ndim, f"max_pool{ndim}d")
    window = _Window(input, kernel, stride, padding, dilation, ceil_mode, ndim)
    seen, counts = window.over(input, -math.inf)
    best = seen.max(-1)
    output = best.values.squeeze(0) if unbatched else best.values
    if not indices:
        return output
    flat = np.zeros((), np.int64)
    inside = np.unravel_index(best.indices.numpy(), window.kernel)
    for i, (n, s, p, d, count) in enumerate(
        zip(window.lengths, window.stride, window.padding, window.dilation, counts, strict=True)
    ):
        position = np.arange(count).reshape(-1, *(1,) * (ndim - 1 - i)) * s - p
        flat = flat * n + position + inside[i] * d
    return output, wrap(flat[0] if unbatched else flat)


@in_single
def avg_pool(
    input: Tensor,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
    ndim: int,
) -> Tensor:
    """Take the mean of each window."""
    if divisor == 0:
        raise ShapeError("divisor must be not zero")
    input, unbatched = batched(remember(input), ndim, f"avg_pool{ndim}d")
    window = _Window(input, kernel, stride, padding, 1, ceil_mode, ndim)
    seen, counts = window.over(input, 0.0)
    count: Any = math.prod(window.kernel) if divisor is None else divisor
    if divisor is None and (ceil_mode or (any(window.padding) and not count_include_pad)):
        count = wrap(window.sizes_inside(counts, count_include_pad).astype(input.dtype))
    total = seen.sum(-1)
    output = total / count if total.is_floating_point() else ops.div(total, count, rounding_mode="trunc")
    return output.squeeze(0) if unbatched else output


def lp_pool(input: Tensor, p: float, kernel: Any, stride: Any, ceil_mode: bool, ndim: int) -> Tensor:
    """Take the p-norm of each window, of what stands there to the power `p` (without its size, as PyTorch does)."""
    if p == math.inf:
        return max_pool(input.abs(), kernel, stride, 0, 1, ceil_mode, False, ndim)
    total = avg_pool(input**p, kernel, stride, 0, ceil_mode, True, None, ndim) * math.prod(sizes(kernel, ndim))
    nothing = total == 0  # where the root has no slope, and PyTorch takes 0 for it
    return ops.where(nothing, 0.0, ops.where(nothing, 1.0, total) ** (1.0 / p))


def max_unpool(
    input: Tensor, indices: Tensor, kernel: Any, stride: Any, padding: Any, output_size: Any, ndim: int
) -> Tensor:
    """Put what `max_pool` took back to where it stood, and zeros elsewhere."""
    if tuple(input.shape) != tuple(indices.shape):
        raise ShapeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got indices "
            f"tensor with shape: {list(indices.shape)}"
        )
    input, unbatched = batched(input, ndim, f"max_unpool{ndim}d")
    kernel, padding = sizes(kernel, ndim), sizes(padding, ndim)
    stride = kernel if stride is None else sizes(stride, ndim)
    lengths = tuple(
        (n - 1) * s - 2 * p + k for n, s, p, k in zip(input.shape[2:], stride, padding, kernel, strict=True)
    )
    if output_size is not None:
        asked = tuple(output_size)[-ndim:]
        if any(abs(a - n) >= s for a, n, s in zip(asked, lengths, stride, strict=True)):
            raise ValueError(f"invalid output_size {asked}: each must be less than a stride from {lengths}")
        lengths = asked
    rows, total = (*input.shape[:2], math.prod(input.shape[2:])), math.prod(lengths)
    wrong = [place for place in indices.flatten().tolist() if not 0 <= place < total]
    if wrong:
        raise ShapeError(
            f"Found an invalid max index: {wrong[0]} (output volumes are of size {'x'.join(map(str, lengths))})"
        )
    image = ops.zeros(*input.shape[:2], total, dtype=input.dtype)
    image = image.scatter(2, indices.reshape(rows), input.reshape(rows)).reshape(*input.shape[:2], *lengths)
    return image.squeeze(0) if unbatched else image


# Windows that follow from the size of the output ---------------------------------------------------------------------


def _parts(input: Tensor, output_size: Any, ndim: int) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    """For each dimension from the last: it, the length asked for, and each window: its places, and which count."""
    asked = (output_size,) * ndim if isinstance(output_size, int) else tuple(output_size)
    if len(asked) != ndim or any(n is not None and n < 0 for n in asked):
        raise ShapeError(f"output_size must be one number of at least 0, or {ndim} of them, but got {output_size}")
    for dim in range(-1, -ndim - 1, -1):
        n = input.shape[dim]
        out = n if asked[dim] is None else int(asked[dim])
        if n == 0:
            raise ShapeError("expected input to have non-zero size for non-batch dimensions", f"Got {input.shape}.")
        start, stop = np.arange(out) * n // out, -(np.arange(1, out + 1) * n // -out)
        places = start[:, None] + np.arange((stop - start).max(initial=1))
        yield dim, out, np.minimum(places, stop[:, None] - 1), places < stop[:, None]


def _cut(input: Any, dim: int, places: np.ndarray) -> Any:
    """Each window along `dim` as a row: the places inside it along a new dimension behind."""
    dim += len(input.shape)
    shape = (*input.shape[:dim], *places.shape, *input.shape[dim + 1 :])
    if isinstance(input, np.ndarray):
        return input.take(places.ravel(), dim).reshape(shape)
    evenly = places.size == input.shape[dim] and (places.ravel() == np.arange(places.size)).all()
    return (input if evenly else input.index_select(dim, wrap(places.ravel()))).reshape(shape)


@in_single
def adaptive_avg_pool(input: Tensor, output_size: Any, ndim: int) -> Tensor:
    """Take the means of windows that cover each dimension in as many parts as asked."""
    input, unbatched = batched(remember(input), ndim, f"adaptive_avg_pool{ndim}d")
    for dim, _, places, counts in _parts(input, output_size, ndim):
        rows = _cut(input, dim, places)
        if counts.all():
            input = rows.mean(dim)
        else:
            behind = (1,) * (-1 - dim)
            total = ops.where(wrap(counts.reshape(*counts.shape, *behind)), rows, 0.0).sum(dim)
            input = total / wrap(counts.sum(1).reshape(-1, *behind).astype(input.dtype))
    return input.squeeze(0) if unbatched else input


def adaptive_max_pool(input: Tensor, output_size: Any, indices: bool, ndim: int) -> Any:
    """Take the largest values of windows that cover each dimension in as many parts as asked."""
    input, unbatched = batched(remember(input), ndim, f"adaptive_max_pool{ndim}d")
    lengths = tuple(input.shape[2:])
    flat = np.broadcast_to(np.arange(math.prod(lengths)).reshape(lengths), tuple(input.shape))
    for dim, _, places, _ in _parts(input, output_size, ndim):
        best = _cut(input, dim, places).max(dim)
        if indices:
            chosen = np.expand_dims(best.indices.numpy(), dim)
            flat = np.take_along_axis(_cut(flat, dim, places), chosen, dim).squeeze(dim)
        input = best.values
    output = input.squeeze(0) if unbatched else input
    return (output, wrap(np.ascontiguousarray(flat[0] if unbatched else flat))) if indices else output


def fractional_max_pool(
    input: Tensor, kernel: Any, output_size: Any, output_ratio: Any, indices: bool, samples: Tensor | None, ndim: int
) -> Any:
    """Take the largest value of windows whose distances are random, so that they cover a fraction of the length."""
    if (output_size is None) == (output_ratio is None):
        raise ValueError("fractional_max_pool requires specifying either an output_size or an output_ratio")
    input, unbatched = batched(remember(input), ndim, f"fractional_max_pool{ndim}d")
    kernel, lengths, rows = sizes(kernel, ndim), tuple(input.shape[2:]), tuple(input.shape[:2])
    if output_ratio is not None:
        ratios = (output_ratio,) * ndim if isinstance(output_ratio, float | int) else tuple(output_ratio)
        asked = tuple(int(n * ratio) for n, ratio in zip(lengths, ratios, strict=True))
    else:
        asked = sizes(output_size, ndim)
    if samples is None:
        samples = ops.rand(*rows, ndim, dtype=input.dtype)
    samples = samples[: rows[0]]
    if tuple(samples.shape) != (*rows, ndim):
        raise ShapeError(f"Expect _random_samples of shape {(*rows, ndim)}, got {tuple(samples.shape)}.")
    flat = np.zeros((*rows, *(1,) * 2 * ndim), np.int64)
    for i, (n, k, out) in enumerate(zip(lengths, kernel, asked, strict=True)):
        if not 0 < out <= n - k + 1:
            raise ShapeError(f"fractional_max_pool{ndim}d(): kernel {k} and output size {out} do not fit the size {n}")
        u = samples.numpy()[..., 1 - i if ndim == 2 else i, None]  # PyTorch's order: of images the width comes first
        alpha = (n - k) / (out - 1) if out > 1 else 0.0
        first = ((np.arange(out) + u) * alpha).astype(np.int64) - (u * alpha).astype(np.int64)
        first[..., -1] = n - k
        position = first.reshape(*rows, *(1,) * i, out, *(1,) * (2 * ndim - 1 - i))
        flat = flat * n + position + np.arange(k).reshape(-1, *(1,) * (ndim - 1 - i))
    shape = np.broadcast_shapes(flat.shape, (*rows, *asked, *kernel))
    flat = np.broadcast_to(flat, shape).reshape(*rows, math.prod(shape[2:]))
    seen = input.reshape(*rows, math.prod(lengths)).gather(2, wrap(flat)).reshape(*rows, *asked, math.prod(kernel))
    best = seen.max(-1)
    chosen = np.take_along_axis(flat.reshape(seen.shape), best.indices.numpy()[..., None], -1)[..., 0]
    output, places = (best.values[0], chosen[0]) if unbatched else (best.values, chosen)
    return (output, wrap(np.ascontiguousarray(places))) if indices else output
