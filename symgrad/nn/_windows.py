"""Windows that slide over the last dimensions: convolutions and pooling."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import ops
from .._errors import ShapeError
from ..core import Tensor, wrap
from ..ops import named
from ..ops.entries import remember
from ._activation_functions import in_single

# -------------------------------------------------------- Convolutions: a window that slides over the last dimensions

# The idea to hold: for each place *inside* the window, one strided slice of the input holds what stands there as the
# window visits all its positions. Stacked, these few slices turn a convolution into one matrix product and a pooling
# (`_windows`) into one reduction, in operations that are differentiable to every order. The adjoint, which a transposed
# convolution is, adds each such slice to where it came from.

Sizes = tuple[int, ...]
"""One number for each dimension that a window slides over."""


def sizes(value: Any, ndim: int) -> Sizes:
    """Repeat one size for each of `ndim` dimensions; take a sequence as it is."""
    if isinstance(value, int | np.integer):
        return (int(value),) * ndim
    value = tuple(int(v) for v in value)
    if len(value) not in (1, ndim):
        raise ShapeError(f"expected one number or {ndim}, one per dimension, but got {value}")
    return value * ndim if len(value) == 1 else value


def expect_positive(kernel: Sizes, stride: Sizes, dilation: Sizes) -> None:
    """Refuse windows without places, and steps that go nowhere."""
    if min(*kernel, *stride, *dilation) < 1:
        raise ShapeError(
            "kernel size, stride and dilation should be greater than zero, but got "
            f"kernel_size={kernel}, stride={stride} and dilation={dilation}"
        )


def padding_widths(padding: Any, kernel: Sizes, dilation: Sizes) -> list[int]:
    """Say in `ops.pad`'s order how wide a border ``'same'``, ``'valid'`` or one number per dimension means."""
    widths: list[int] = []
    for i, (k, d) in enumerate(zip(kernel, dilation, strict=True)):
        if padding == "same":
            total = d * (k - 1)
            widths = [total // 2, total - total // 2, *widths]
        elif not isinstance(padding, str):
            widths = [padding[i], padding[i], *widths]
    return widths


def check_named_padding(name: str, stride: Sizes) -> None:
    """Refuse names that are not there, and steps for which 'same' means nothing."""
    if name not in ("same", "valid"):
        raise ShapeError(f"Invalid padding string '{name}', should be one of 'same', 'valid'")
    if name == "same" and any(s != 1 for s in stride):
        raise ShapeError("padding='same' is not supported for strided convolutions")


def border(input: Tensor, widths: list[int], value: float) -> Tensor:
    """Put a border of one value around the input, where there is any."""
    return ops.pad(input, widths, value=value) if any(widths) else input


def _without_border(image: Tensor, padding: Sizes) -> Tensor:
    return border(image, [-p for p in reversed(padding) for _ in range(2)], 0.0)


def slide(input: Tensor, kernel: Sizes, stride: Sizes, dilation: Sizes) -> tuple[list[Tensor], Sizes]:
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


def _by(lengths: Sizes) -> str:
    return "(" + " x ".join(map(str, lengths)) + ")"


def _has_batch(input: Tensor, ndim: int, what: str) -> bool:
    if input.ndim not in (ndim + 1, ndim + 2):
        raise ShapeError(
            f"Expected {ndim + 1}D (unbatched) or {ndim + 2}D (batched) input to {what}, but got input of size: "
            f"{list(input.shape)}",
            next_step="Reshape it to (batch, channels, ...).",
        )
    return input.ndim == ndim + 2


def batched(ndim: int) -> Callable[..., Any]:
    """Give a function's input the batch dimension where it is missing; the results lack it then, too."""

    def around(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(input: Tensor, *args: Any, **kwargs: Any) -> Any:
            if _has_batch(input, ndim, call.__name__):
                return function(input, *args, **kwargs)
            found = function(input.unsqueeze(0), *args, **kwargs)
            return tuple(v.squeeze(0) for v in found) if isinstance(found, tuple) else found.squeeze(0)

        return call

    return around


def by_dimensions(function: Callable[..., Any], *ndims: int, batch: bool = True) -> list[Callable[..., Any]]:
    """A function for each number of dimensions, ``ndim``, which its name says where it stands as ``nd``.

    It is `batched`, unless ``batch`` says that it sees to that itself.
    """
    signature = inspect.signature(function)
    shown = [p for name, p in signature.parameters.items() if name != "ndim"]

    def made(ndim: int) -> Callable[..., Any]:
        name = function.__name__.replace("nd", f"{ndim}d")

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs, ndim=ndim)
            except TypeError as error:  # Python names the function that it calls
                if f"{function.__name__}()" not in str(error):
                    raise
                raise TypeError(str(error).replace(f"{function.__name__}()", f"{name}()")) from None

        found: Any = batched(ndim)(call) if batch else call
        found.__signature__ = signature.replace(parameters=shown)
        return named(found, name)

    return [made(ndim) for ndim in ndims or (1, 2, 3)]


def _shifted(output: Tensor, bias: Tensor | None) -> Tensor:
    if bias is None:
        return output
    if tuple(bias.shape) != (output.shape[1],):
        raise ShapeError(
            f"expected bias to be 1-dimensional with {output.shape[1]} elements, but got bias of size "
            f"{list(bias.shape)} instead"
        )
    return output + bias.reshape(output.shape[1], *(1,) * (output.ndim - 2))


def _expect_border(padding: Sizes) -> None:
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


def flat_places(
    lengths: Sizes,
    kernel: Sizes,
    stride: Sizes,
    dilation: Sizes,
    counts: Sizes,
) -> np.ndarray:
    """Number, in an image of these lengths read row by row, each place of the window at each of its positions."""
    places = np.zeros((1,) * 2 * len(kernel), np.int64)
    for i, (k, s, d, n) in enumerate(zip(kernel, stride, dilation, counts, strict=True)):
        along = np.arange(k).reshape(-1, *(1,) * (2 * len(kernel) - i - 1)) * d
        along = along + np.arange(n).reshape(-1, *(1,) * (len(kernel) - i - 1)) * s
        places = places * lengths[i] + along
    return places.ravel()


def _spread(columns: Tensor, places: np.ndarray, lengths: Sizes) -> Tensor:
    """Add what stands in the columns to its place in an image that is zero elsewhere."""
    image = ops.zeros(*columns.shape[:2], math.prod(lengths), dtype=columns.dtype)
    return ops.index_add(image, 2, places, columns).reshape(*columns.shape[:2], *lengths)


@batched(2)
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
    _expect_border(padding)
    widths = padding_widths(padding, kernel, dilation)
    slices, _ = slide(border(input, widths, 0.0), kernel, stride, dilation)
    return ops.stack(slices, 2).flatten(1, 2).flatten(2)


@batched(1)
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
    return _without_border(image, padding)


# By the number of dimensions ---------------------------------------------------------------------------------------


def convnd(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    *,
    ndim: int,
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
    stride, dilation = sizes(stride, ndim), sizes(dilation, ndim)
    _expect_filters(weight, padding, ndim)
    outs, channels, kernel = weight.shape[0], weight.shape[1], tuple(weight.shape[2:])
    if input.shape[1] != channels * groups:
        raise ShapeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(input.shape)} to "
            f"have {channels * groups} channels, but got {input.shape[1]} channels instead"
        )
    if not isinstance(padding, str):
        padding = sizes(padding, ndim)
    else:
        check_named_padding(padding, stride)
    slices, counts = slide(border(input, padding_widths(padding, kernel, dilation), 0.0), kernel, stride, dilation)
    batch, places, positions = input.shape[0], math.prod(kernel), math.prod(counts)
    columns = ops.stack(slices, 2).reshape(batch, groups, channels * places, positions)
    rows = weight.reshape(groups, outs // groups, channels * places)
    return _shifted(ops.matmul(rows, columns).reshape(batch, outs, *counts), bias)


def _full_lengths(counts: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, more: Sizes) -> Sizes:
    """The lengths of the output of a transposed convolution, with the border that is cut off."""
    full = tuple(
        (n - 1) * s + d * (k - 1) + 1 + m for n, s, d, k, m in zip(counts, stride, dilation, kernel, more, strict=True)
    )
    expect_positive(kernel, stride, dilation)
    inside = tuple(n - 2 * p for n, p in zip(full, padding, strict=True))
    if any(n < 1 for n in inside):
        raise ShapeError(
            f"Given input size per channel: {_by(counts)}. Calculated output size per channel: {_by(inside)}. "
            "Output size is too small"
        )
    return full


def conv_transposend(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
    *,
    ndim: int,
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
    stride, padding, more, dilation = (sizes(v, ndim) for v in (stride, padding, output_padding, dilation))
    _expect_filters(weight, padding, ndim)
    if any(m >= max(s, d) for m, s, d in zip(more, stride, dilation, strict=True)):
        raise ShapeError(
            "output padding must be smaller than either stride or dilation, but got "
            f"output_padding={more}, stride={stride} and dilation={dilation}"
        )
    if input.shape[1] != weight.shape[0]:
        raise ShapeError(
            f"Given transposed=1, weight of size {list(weight.shape)}, expected input{list(input.shape)} to have "
            f"{weight.shape[0]} channels, but got {input.shape[1]} channels instead"
        )
    (batch, channels, *counts), kernel = input.shape, tuple(weight.shape[2:])
    full = _full_lengths(tuple(counts), kernel, stride, padding, dilation, more)
    rows = weight.reshape(groups, channels // groups, weight.shape[1] * math.prod(kernel)).mT
    columns = ops.matmul(rows, input.reshape(batch, groups, channels // groups, math.prod(counts)))
    columns = columns.reshape(batch, groups * weight.shape[1], math.prod(kernel) * math.prod(counts))
    output = _spread(columns, flat_places(full, kernel, stride, dilation, tuple(counts)), full)
    return _shifted(_without_border(output, padding), bias)


conv1d, conv2d, conv3d = by_dimensions(convnd)
conv_transpose1d, conv_transpose2d, conv_transpose3d = by_dimensions(conv_transposend)


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Slide filters over the time of (time, batch, in); the weight is (kernel, in, out)."""
    if bias.ndim != 1:
        raise ShapeError(f"Bias must be 1-D, but it has shape {tuple(bias.shape)}")
    return conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)


# ------------------------------------------------ Pooling: one number of each window, the largest, the mean or a norm


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

    def over(self, input: Tensor, value: float) -> tuple[Tensor, Sizes]:
        """What the window sees at each position, along a new last dimension, and the numbers of positions."""
        slices, counts = slide(border(input, self.widths, value), self.kernel, self.stride, self.dilation)
        return ops.stack(slices, -1), counts

    def sizes_inside(self, counts: Sizes, with_border: bool) -> np.ndarray:
        """How many places of the window lie within the input (`with_border`: or its border) at each position."""
        product = np.ones(())
        for n, k, s, p, count in zip(self.lengths, self.kernel, self.stride, self.padding, counts, strict=True):
            first = np.arange(count) * s - p
            inside = np.minimum(first + k, n + p * with_border) - (first if with_border else np.maximum(first, 0))
            product = np.multiply.outer(product, inside)
        return product


# Windows that follow from the size of the output ---------------------------------------------------------------------


def _parts(input: Tensor, output_size: Any, ndim: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """For each dimension from the last: it, and each window: its places, and which count."""
    asked = (output_size,) * ndim if isinstance(output_size, int | np.integer) else tuple(output_size)
    if len(asked) != ndim or any(n is not None and n < 0 for n in asked):
        raise ShapeError(f"output_size must be one number of at least 0, or {ndim} of them, but got {output_size}")
    for dim in range(-1, -ndim - 1, -1):
        n = input.shape[dim]
        out = n if asked[dim] is None else int(asked[dim])
        if n == 0:
            raise ShapeError("expected input to have non-zero size for non-batch dimensions", f"Got {input.shape}.")
        start, stop = np.arange(out) * n // out, -(np.arange(1, out + 1) * n // -out)
        places = start[:, None] + np.arange((stop - start).max(initial=1))
        yield dim, np.minimum(places, stop[:, None] - 1), places < stop[:, None]


def _cut(input: Any, dim: int, places: np.ndarray) -> Any:
    """Each window along `dim` as a row: the places inside it along a new dimension behind."""
    dim += len(input.shape)
    shape = (*input.shape[:dim], *places.shape, *input.shape[dim + 1 :])
    if isinstance(input, np.ndarray):
        return input.take(places.ravel(), dim).reshape(shape)
    evenly = places.size == input.shape[dim] and (places.ravel() == np.arange(places.size)).all()
    return (input if evenly else input.index_select(dim, wrap(places.ravel()))).reshape(shape)


# -------------------------------------------- The pooling functions of ``nn.functional``, by the number of dimensions


def max_poolnd(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
    *,
    ndim: int,
) -> Any:
    """Take the largest value in each window; the first of equal ones receives the gradient.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...) or (channels, length...)
        For instance images, of two lengths.
    kernel_size, stride, padding, dilation : int or one per dimension
        The window, its steps (those of its size if left out), the border, and the steps between its places.
    ceil_mode : bool
        Whether a last window may reach beyond the border.
    return_indices : bool
        Whether the places of the largest values, row by row, are returned as well.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.max_pool1d(sg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2, return_indices=True)
    (tensor([[3., 2.]]), tensor([[1, 2]]))
    """
    input = remember(input)
    window = _Window(input, kernel_size, stride, padding, dilation, ceil_mode, ndim)
    seen, counts = window.over(input, -math.inf)
    best = seen.max(-1)
    if not return_indices:
        return best.values
    flat = np.zeros((), np.int64)
    inside = np.unravel_index(best.indices.numpy(), window.kernel)
    for i, (n, s, p, d, count) in enumerate(
        zip(window.lengths, window.stride, window.padding, window.dilation, counts, strict=True)
    ):
        position = np.arange(count).reshape(-1, *(1,) * (ndim - 1 - i)) * s - p
        place = position + inside[i] * d
        flat = flat * n + np.where(place < 0, position % d, place)  # of nothing but -inf the first in the input
    return best.values, wrap(flat)


@in_single
def avg_poolnd(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    ndim: int,
) -> Tensor:
    """Take the mean of each window.

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...) or (channels, length...)
        For instance images, of two lengths.
    kernel_size, stride, padding : int or one per dimension
        The window, its steps (those of its size if left out), and the zeros around the input.
    ceil_mode : bool
        Whether a last window may reach beyond the border; what is there does not count.
    count_include_pad : bool
        Whether the zeros of the border count in the mean.
    divisor_override : int, optional
        Divide by this instead of the number of elements.
    """
    if divisor_override == 0:
        raise ShapeError("divisor must be not zero")
    input = remember(input)
    window = _Window(input, kernel_size, stride, padding, 1, ceil_mode, ndim)
    seen, counts = window.over(input, 0.0)
    count: Any = math.prod(window.kernel) if divisor_override is None else divisor_override
    if divisor_override is None and (ceil_mode or (any(window.padding) and not count_include_pad)):
        count = wrap(window.sizes_inside(counts, count_include_pad).astype(input.dtype))
    total = seen.sum(-1)
    return total / count if total.is_floating_point() else ops.div(total, count, rounding_mode="trunc")


def lp_poolnd(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False, *, ndim: int
) -> Tensor:
    """Sum each window's elements to the power `norm_type`, and take the root of that order."""
    if norm_type == math.inf:
        largest = (max_pool1d, max_pool2d, max_pool3d)[ndim - 1]
        return largest(input.abs(), kernel_size, stride, ceil_mode=ceil_mode)
    # The sum without the size of the window, as PyTorch has it.
    mean_of = (avg_pool1d, avg_pool2d, avg_pool3d)[ndim - 1]
    mean = mean_of(input**norm_type, kernel_size, stride, ceil_mode=ceil_mode)
    total = mean * math.prod(sizes(kernel_size, ndim))
    nothing = total == 0  # where the root has no slope, and PyTorch takes 0 for it
    return ops.where(nothing, 0.0, ops.where(nothing, 1.0, total) ** (1.0 / norm_type))


@in_single
def adaptive_avg_poolnd(input: Tensor, output_size: Any, *, ndim: int) -> Tensor:
    """Take means of windows that cover each dimension in as many parts as `output_size` says (None: all).

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.adaptive_avg_pool1d(sg.arange(5.0).reshape(1, 5), 2)
    tensor([[1., 3.]])
    """
    input = remember(input)
    for dim, places, counts in _parts(input, output_size, ndim):
        rows = _cut(input, dim, places)
        if counts.all():
            input = rows.mean(dim)
        else:
            behind = (1,) * (-1 - dim)
            total = ops.where(wrap(counts.reshape(*counts.shape, *behind)), rows, 0.0).sum(dim)
            input = total / wrap(counts.sum(1).reshape(-1, *behind).astype(input.dtype))
    return input


def adaptive_max_poolnd(input: Tensor, output_size: Any, return_indices: bool = False, *, ndim: int) -> Any:
    """Take the largest values of windows that cover each dimension in as many parts as `output_size` says."""
    input = remember(input)
    lengths = tuple(input.shape[2:])
    flat = np.broadcast_to(np.arange(math.prod(lengths)).reshape(lengths), tuple(input.shape))
    for dim, places, _ in _parts(input, output_size, ndim):
        best = _cut(input, dim, places).max(dim)
        if return_indices:
            chosen = np.expand_dims(best.indices.numpy(), dim)
            flat = np.take_along_axis(_cut(flat, dim, places), chosen, dim).squeeze(dim)
        input = best.values
    return (input, wrap(np.ascontiguousarray(flat))) if return_indices else input


def max_unpoolnd(
    input: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
    *,
    ndim: int,
) -> Tensor:
    """Put the largest values back to the places that pooling with ``return_indices`` said, among zeros."""
    if tuple(input.shape) != tuple(indices.shape):
        raise ShapeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got "
            f"indices tensor with shape: {list(indices.shape)}"
        )
    with_batch = _has_batch(input, ndim, f"max_unpool{ndim}d")
    input = input if with_batch else input.unsqueeze(0)
    kernel_size, padding = sizes(kernel_size, ndim), sizes(padding, ndim)
    stride = kernel_size if stride is None else sizes(stride, ndim)
    lengths = tuple(
        (n - 1) * s - 2 * p + k for n, s, p, k in zip(input.shape[2:], stride, padding, kernel_size, strict=True)
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
    return image if with_batch else image.squeeze(0)


def fractional_max_poolnd(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
    *,
    ndim: int,
) -> Any:
    """Take the largest values of windows at random distances (Graham, 2014).

    Parameters
    ----------
    input : Tensor, shape (batch, channels, length...) or (channels, length...)
        For instance images, of two lengths.
    kernel_size : int or one per dimension
        The window.
    output_size : int or one per dimension, optional
        The lengths of the output,
    output_ratio : float or one per dimension, optional
        or their ratios to those of the input.
    return_indices : bool
        Whether the places of the largest values are returned as well.
    """
    if (output_size is None) == (output_ratio is None):
        raise ValueError("fractional_max_pool requires specifying either an output_size or an output_ratio")
    input = remember(input)
    kernel, lengths, rows = sizes(kernel_size, ndim), tuple(input.shape[2:]), tuple(input.shape[:2])
    if output_ratio is not None:
        ratios = (output_ratio,) * ndim if isinstance(output_ratio, float | int) else tuple(output_ratio)
        asked = tuple(int(n * ratio) for n, ratio in zip(lengths, ratios, strict=True))
    else:
        asked = sizes(output_size, ndim)
    if _random_samples is None:
        _random_samples = ops.rand(*rows, ndim, dtype=input.dtype)
    _random_samples = _random_samples[: rows[0]]
    if tuple(_random_samples.shape) != (*rows, ndim):
        raise ShapeError(f"Expect _random_samples of shape {(*rows, ndim)}, got {tuple(_random_samples.shape)}.")
    flat = np.zeros((*rows, *(1,) * 2 * ndim), np.int64)
    for i, (n, k, out) in enumerate(zip(lengths, kernel, asked, strict=True)):
        if not 0 < out <= n - k + 1:
            raise ShapeError(f"fractional_max_pool{ndim}d(): kernel {k} and output size {out} do not fit the size {n}")
        # PyTorch's order: of images the width comes first
        u = _random_samples.numpy()[..., 1 - i if ndim == 2 else i, None]
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
    return (best.values, wrap(np.ascontiguousarray(chosen))) if return_indices else best.values


def _with_indices(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{**kwargs, "return_indices": True})

    name = function.__name__
    return named(call, f"{name}_with_indices", f"Compute `{name}` with the places of the largest values.")


max_pool1d, max_pool2d, max_pool3d = by_dimensions(max_poolnd)
avg_pool1d, avg_pool2d, avg_pool3d = by_dimensions(avg_poolnd)
lp_pool1d, lp_pool2d, lp_pool3d = by_dimensions(lp_poolnd, batch=False)
adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = by_dimensions(adaptive_avg_poolnd)
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = by_dimensions(adaptive_max_poolnd)
max_unpool1d, max_unpool2d, max_unpool3d = by_dimensions(max_unpoolnd, batch=False)
fractional_max_pool2d, fractional_max_pool3d = by_dimensions(fractional_max_poolnd, 2, 3)

max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(
    _with_indices, (max_pool1d, max_pool2d, max_pool3d)
)
adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices, adaptive_max_pool3d_with_indices = map(
    _with_indices, (adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d)
)
fractional_max_pool2d_with_indices, fractional_max_pool3d_with_indices = map(
    _with_indices, (fractional_max_pool2d, fractional_max_pool3d)
)
