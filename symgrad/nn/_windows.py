"""Convolutions: a window that slides over the last dimensions.

The idea to hold: for each place *inside* the window, one strided slice of the input holds what stands there as the
window visits all its positions. Stacked, these few slices turn a convolution into one matrix product and a pooling
(`_pooling`) into one reduction, in operations that are differentiable to every order. The adjoint, which a transposed
convolution is, adds each such slice to where it came from.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from .. import ops
from .._errors import ShapeError
from ..core import Tensor
from ._calls import by_dimensions

__all__ = [
    "batched", "border", "check_named_padding", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "convolution", "flat_places", "fold", "padding_widths", "sizes", "slide",
    "transposed_convolution", "unfold",
]  # fmt: skip


def sizes(value: Any, ndim: int) -> tuple[int, ...]:
    """Repeat one size for each of `ndim` dimensions; take a sequence as it is."""
    if isinstance(value, int):
        return (value,) * ndim
    value = tuple(int(v) for v in value)
    if len(value) not in (1, ndim):
        raise ShapeError(f"expected one number or {ndim}, one per dimension, but got {value}")
    return value * ndim if len(value) == 1 else value


def expect_positive(kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> None:
    """Refuse windows without places, and steps that go nowhere."""
    if min(*kernel, *stride, *dilation) < 1:
        raise ShapeError(
            "kernel size, stride and dilation should be greater than zero, but got "
            f"kernel_size={kernel}, stride={stride} and dilation={dilation}"
        )


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


def border(input: Tensor, widths: list[int], value: float) -> Tensor:
    """Put a border of one value around the input, where there is any."""
    return ops.pad(input, widths, value=value) if any(widths) else input


def slide(
    input: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[list[Tensor], tuple[int, ...]]:
    """Return one slice of `input` for each place in the window, and the number of positions of the window."""
    expect_positive(kernel, stride, dilation)
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


def batched(input: Tensor, ndim: int, what: str) -> tuple[Tensor, bool]:
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
    input, unbatched = batched(input, ndim, f"conv{ndim}d")
    _expect_filters(weight, padding, ndim)
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
    slices, counts = slide(border(input, widths, 0.0), kernel, stride, dilation)

    batch, places, positions = input.shape[0], math.prod(kernel), math.prod(counts)
    columns = ops.stack(slices, 2).reshape(batch, groups, channels * places, positions)
    rows = weight.reshape(groups, outs // groups, channels * places)
    output = ops.matmul(rows, columns).reshape(batch, outs, *counts)
    output = _shifted(output, bias)
    return output.squeeze(0) if unbatched else output


def _shifted(output: Tensor, bias: Tensor | None) -> Tensor:
    if bias is None:
        return output
    if tuple(bias.shape) != (output.shape[1],):
        raise ShapeError(
            f"expected bias to be 1-dimensional with {output.shape[1]} elements, but got bias of size "
            f"{list(bias.shape)} instead"
        )
    return output + bias.reshape(output.shape[1], *(1,) * (output.ndim - 2))


def _expect_border(padding: tuple[int, ...]) -> None:
    if min(padding) < 0:
        raise ShapeError("negative padding is not supported", f"It is {padding}.", "Cut with functional.pad.")


def _expect_filters(weight: Tensor, padding: Any, ndim: int) -> None:
    if not isinstance(padding, str):
        _expect_border(sizes(padding, ndim))
    if weight.ndim != ndim + 2:
        raise ShapeError(f"Expected {ndim + 2}-dimensional weight, but got weight of size {list(weight.shape)}")
    if weight.shape[0] < 1:
        raise ShapeError(
            f"expected weight to be at least 1 at dimension 0, but got weight of size {list(weight.shape)}"
        )


def transposed_convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    more: Any,
    groups: int,
    dilation: Any,
    ndim: int,
) -> Tensor:
    """Send each element back to the places that it would have been computed from: PyTorch's ``conv_transpose``."""
    stride, padding, more, dilation = (sizes(value, ndim) for value in (stride, padding, more, dilation))
    input, unbatched = batched(input, ndim, f"conv_transpose{ndim}d")
    _expect_filters(weight, padding, ndim)
    if any(m >= max(s, d) for m, s, d in zip(more, stride, dilation, strict=True)):
        raise ShapeError(
            f"output padding must be smaller than either stride or dilation, but got output_padding={more}, "
            f"stride={stride} and dilation={dilation}"
        )
    if input.shape[1] != weight.shape[0]:
        raise ShapeError(
            f"Given transposed=1, weight of size {list(weight.shape)}, expected input{list(input.shape)} to have "
            f"{weight.shape[0]} channels, but got {input.shape[1]} channels instead"
        )
    batch, channels, counts, kernel = input.shape[0], input.shape[1], tuple(input.shape[2:]), tuple(weight.shape[2:])
    full = tuple(
        (n - 1) * s + d * (k - 1) + 1 + m for n, s, d, k, m in zip(counts, stride, dilation, kernel, more, strict=True)
    )
    expect_positive(kernel, stride, dilation)
    inside = tuple(n - 2 * p for n, p in zip(full, padding, strict=True))
    if any(n < 1 for n in inside):
        raise ShapeError(
            f"Given input size per channel: {_by(counts)}. Calculated output size per channel: {_by(inside)}. Output "
            "size is too small"
        )
    rows = weight.reshape(groups, channels // groups, weight.shape[1] * math.prod(kernel)).mT
    columns = ops.matmul(rows, input.reshape(batch, groups, channels // groups, math.prod(counts)))
    columns = columns.reshape(batch, groups * weight.shape[1], math.prod(kernel) * math.prod(counts))
    output = _spread(columns, flat_places(full, kernel, stride, dilation, counts), full)
    output = _shifted(border(output, [-p for p in reversed(padding) for _ in range(2)], 0.0), bias)
    return output.squeeze(0) if unbatched else output


def flat_places(
    lengths: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
    counts: tuple[int, ...],
) -> np.ndarray:
    """Number, in an image of these lengths read row by row, each place of the window at each of its positions."""
    places = np.zeros((1,) * 2 * len(kernel), np.int64)
    for i, (k, s, d, n) in enumerate(zip(kernel, stride, dilation, counts, strict=True)):
        along = np.arange(k).reshape(-1, *(1,) * (2 * len(kernel) - i - 1)) * d
        along = along + np.arange(n).reshape(-1, *(1,) * (len(kernel) - i - 1)) * s
        places = places * lengths[i] + along
    return places.ravel()


def _spread(columns: Tensor, places: np.ndarray, lengths: tuple[int, ...]) -> Tensor:
    """Add what stands in the columns to its place in an image that is zero elsewhere."""
    image = ops.zeros(*columns.shape[:2], math.prod(lengths), dtype=columns.dtype)
    return ops.index_add(image, 2, places, columns).reshape(*columns.shape[:2], *lengths)


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Make a column of each position of a window that slides over images.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, height, width) or (channels, height, width)
        Images.
    kernel_size, dilation, padding, stride : int or pair of int
        The window, as for `conv2d`.

    Returns
    -------
    Tensor, shape (batch, channels * places in the window, positions)

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.unfold(sg.arange(6.0).reshape(1, 2, 3), 2)
    tensor([[0., 1.],
            [1., 2.],
            [3., 4.],
            [4., 5.]])
    """
    kernel, dilation, padding, stride = (sizes(value, 2) for value in (kernel_size, dilation, padding, stride))
    input, unbatched = batched(input, 2, "unfold")
    _expect_border(padding)
    widths = padding_widths(padding, kernel, dilation)
    slices, _ = slide(border(input, widths, 0.0), kernel, stride, dilation)
    columns = ops.stack(slices, 2).flatten(1, 2).flatten(2)
    return columns.squeeze(0) if unbatched else columns


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Add up columns in images: the transpose of `unfold`.

    Parameters
    ----------
    input : Tensor, shape (batch, channels * places in the window, positions), or without the batch
        Columns.
    output_size : int or pair of int
        Height and width of the images.
    kernel_size, dilation, padding, stride : int or pair of int
        The window, as for `unfold`.
    """
    kernel, dilation, padding, stride = (sizes(value, 2) for value in (kernel_size, dilation, padding, stride))
    lengths = sizes(output_size, 2)
    expect_positive(kernel, stride, dilation)
    _expect_border(padding)
    input, unbatched = batched(input, 1, "fold")
    size = list(zip(lengths, padding, dilation, kernel, stride, strict=True))
    counts = tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in size)
    places = math.prod(kernel)
    if input.shape[1] % places:
        raise ShapeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={input.shape[1]} and kernel_size={kernel}."
        )
    if input.shape[2] != math.prod(counts):
        raise ShapeError(
            f"Given output_size={lengths}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
            f"stride={stride}, expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{' * '.join(map(str, counts))} = {math.prod(counts)}, but got input.size(2)={input.shape[2]}."
        )
    columns = input.reshape(input.shape[0], input.shape[1] // places, places * input.shape[2])
    padded = tuple(n + 2 * p for n, p, *_ in size)
    image = _spread(columns, flat_places(padded, kernel, stride, dilation, counts), padded)
    image = border(image, [-p for p in reversed(padding) for _ in range(2)], 0.0)
    return image.squeeze(0) if unbatched else image


# By the number of dimensions ---------------------------------------------------------------------------------------


def _conv(ndim: int) -> Any:
    def convnd(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        """Slide filters over the last dimensions (cross-correlation).

        Parameters
        ----------
        input : Tensor, shape (batch, in, length...) or (in, length...)
            For instance images, of two lengths.
        weight : Tensor, shape (out, in / groups, kernel length...)
            Filters.
        bias : Tensor, shape (out,), optional
            Added to each output channel.
        stride, dilation : int or one per dimension
            Steps of the window, and between the places in it.
        padding : int, one per dimension, "same" or "valid"
            Zeros put around the input.
        groups : int
            In how many independent parts the channels fall.

        Returns
        -------
        Tensor, shape (batch, out, length...)

        Examples
        --------
        >>> import symgrad as sg
        >>> image = sg.arange(9.0).reshape(1, 1, 3, 3)
        >>> sg.nn.functional.conv2d(image, sg.ones(1, 1, 2, 2))
        tensor([[[[ 8., 12.],
                  [20., 24.]]]])
        """
        return convolution(input, weight, bias, stride, padding, dilation, groups, ndim)

    return convnd


def _conv_transpose(ndim: int) -> Any:
    def conv_transposend(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Tensor:
        """Apply the transpose of a convolution: each element of the input adds a multiple of the filter to the output.

        Parameters
        ----------
        input : Tensor, shape (batch, in, length...) or (in, length...)
            For instance images, of two lengths.
        weight : Tensor, shape (in, out / groups, kernel length...)
            Filters: those of the convolution that is transposed.
        bias : Tensor, shape (out,), optional
            Added to each output channel.
        stride, padding, dilation : int or one per dimension
            Those of the convolution that is transposed.
        output_padding : int or one per dimension
            How much longer than the least the output is: with a stride, several lengths lead to the same one.
        groups : int
            In how many independent parts the channels fall.

        Examples
        --------
        >>> import symgrad as sg
        >>> sg.nn.functional.conv_transpose1d(sg.ones(1, 2), sg.tensor([[[1.0, 2.0]]]), stride=2)
        tensor([[1., 2., 1., 2.]])
        """
        return transposed_convolution(input, weight, bias, stride, padding, output_padding, groups, dilation, ndim)

    return conv_transposend


conv1d, conv2d, conv3d = by_dimensions(_conv)
conv_transpose1d, conv_transpose2d, conv_transpose3d = by_dimensions(_conv_transpose)


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Slide filters over the time of (time, batch, in); the weight is (kernel, in, out)."""
    if bias.ndim != 1:
        raise ShapeError(f"Bias must be 1-D, but it has shape {tuple(bias.shape)}")
    return conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)
