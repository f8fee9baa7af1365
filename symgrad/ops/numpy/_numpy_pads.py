"""`np.pad`, in all its modes.

The idea to hold: borders are put on one dimension after the other, so that what fills a corner was itself filled. A
border of elements is an index, one of reflections about the ends is linear in elements; of the others, statistics and
ramps, each side is computed and joined.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import NotDifferentiableError, ShapeError
from ...core import NUMPY, Tensor
from .._dims import axis_of, constant_number, data, numbers_only, sizes
from .._numpy_arguments import tensor_like
from ..entries._copy import cast
from ..index._index import at_dim
from ..index._pick import index_select
from ..reduce._reduce import mean
from ..shape._broadcast import expand
from ..shape._join import cat
from ..shape._pad import Pad, border_pad, border_places, constant_pad
from ..shape._shape import reshape
from ._numpy_constants import on_numbers

_OF_ELEMENTS = {"reflect": "reflect", "edge": "replicate", "wrap": "circular", "symmetric": "symmetric"}
_STATISTICS: dict[str, Callable[[Any, int], Any]] = {
    "mean": lambda part, axis: mean(part, axis, True),
    "median": lambda part, axis: NUMPY[np.median](part, axis, keepdims=True),
    "maximum": lambda part, axis: NUMPY[np.max](part, axis, keepdims=True),
    "minimum": lambda part, axis: NUMPY[np.min](part, axis, keepdims=True),
}
_TAKES = {
    "constant": "constant_values", "linear_ramp": "end_values", "reflect": "reflect_type", "symmetric": "reflect_type",
    **dict.fromkeys(_STATISTICS, "stat_length"), **dict.fromkeys(("edge", "wrap", "empty")),
}  # fmt: skip
"""Every mode, with the argument that it takes."""


def _numpy_pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    array = tensor_like(array)
    shape = numbers_only(sizes(array), "np.pad")
    every = _widths(pad_width, len(shape))
    if callable(mode):
        raise NotDifferentiableError(
            "np.pad on a tensor has no derivative rule for a function as mode", "It would write into an array.",
            f"Use one of {', '.join(_TAKES)}.",
        )  # fmt: skip
    if mode not in _TAKES:
        raise ValueError(f"mode {mode!r} is not supported: np.pad takes {', '.join(_TAKES)}")
    if kwargs.keys() - {_TAKES[mode]}:
        unknown = ", ".join(sorted(kwargs.keys() - {_TAKES[mode]}))
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if data(array).dtype.kind not in "fc" and (mode in _STATISTICS or mode == "linear_ramp"):  # whole numbers round
        return on_numbers(np.pad, array, every, mode, **kwargs)
    given = kwargs.get(_TAKES[mode] or "")
    if mode not in ("constant", "empty"):
        for k, (n, width) in enumerate(zip(shape, every, strict=True)):
            if not n and any(width):
                raise ValueError(f"can't extend empty axis {k} using modes other than 'constant' or 'empty'")
    if mode in _OF_ELEMENTS and given != "odd":
        if given not in (None, "even"):
            raise ValueError(f"np.pad: reflect_type is 'even' or 'odd', got {given!r}")
        return border_pad(array, border_places(shape, every, _OF_ELEMENTS[mode]))
    if mode == "empty" or (mode == "constant" and np.ndim(data(given)) == 0 and not isinstance(given, Tensor)):
        return constant_pad(array, every, 0 if given is None else given)
    side = _sides(mode, given, len(shape))
    for axis, (before, after) in enumerate(every):
        if before or after:
            array = side(array, axis, before, after)
    return array


def _widths(pad_width: Any, ndim: int) -> Pad:
    if isinstance(pad_width, dict):
        pairs: list[Any] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis_of(axis, ndim)] = np.broadcast_to(width, 2)
        pad_width = pairs
    widths = np.broadcast_to(np.asarray(pad_width), (ndim, 2))
    if widths.dtype.kind not in "iu" and widths.size:
        raise TypeError(f"np.pad: pad_width must be of integral type, got {widths.dtype}")
    every = tuple((int(a), int(b)) for a, b in widths)
    if widths.min(initial=0) < 0:
        raise ShapeError(
            "np.pad: pad_width can't contain negative values", f"It is {every}.",
            "Slice the array to crop it; sg.nn.functional.pad crops by negative amounts.",
        )  # fmt: skip
    return every


def _sides(mode: str, given: Any, ndim: int) -> Callable[[Any, int, int, int], Any]:
    """What puts the borders of a mode on one dimension."""
    if mode in _STATISTICS:
        return _by_statistic(mode, np.broadcast_to(np.asarray(given, object), (ndim, 2)))
    if mode in _OF_ELEMENTS:
        return _reflected_about_ends if mode == "reflect" else _reflected_about_edges
    values = expand(tensor_like(0 if given is None else given), (ndim, 2))
    return _by_values(values, ramp=mode == "linear_ramp")


def _by_values(values: Any, ramp: bool) -> Callable[[Any, int, int, int], Any]:
    """Borders of a value for each side; or of what leads from the edge to it."""

    def side(a: Any, axis: int, before: int, after: int) -> Any:
        ndim, kind = len(sizes(a)), data(a).dtype
        parts = [a]
        for end, width in enumerate((before, after)):
            value = cast(values[axis, end], kind)
            edge = a[at_dim(axis, slice(-1, None) if end else slice(0, 1))]
            if ramp:
                share = np.arange(width, dtype=data(a).real.dtype) / max(width, 1)
                share = reshape(share[::-1] if end else share, (1,) * axis + (width,) + (1,) * (ndim - 1 - axis))
                border = value + (edge - value) * share
            else:
                border = expand(value, (*sizes(a)[:axis], width, *sizes(a)[axis + 1 :]))
            parts = [*parts, border] if end else [border, *parts]
        return cat(parts, axis)

    return side


def _by_statistic(mode: str, lengths: np.ndarray) -> Callable[[Any, int, int, int], Any]:
    """Borders of the mean, the median… of the elements next to each."""

    def side(a: Any, axis: int, before: int, after: int) -> Any:
        n, parts = sizes(a)[axis], [a]
        for end, width in enumerate((before, after)):
            asked = lengths[axis, end]
            count = n if asked is None else min(int(constant_number(asked, "stat_length=")), n)
            if count < 1 and mode in ("maximum", "minimum"):
                raise ValueError("stat_length of 0 yields no value for padding")
            part = a[at_dim(axis, slice(n - count, None) if end else slice(0, count))]
            border = expand(_STATISTICS[mode](part, axis), (*sizes(a)[:axis], width, *sizes(a)[axis + 1 :]))
            parts = [*parts, border] if end else [border, *parts]
        return cat(parts, axis)

    return side


def _reflected_about_ends(a: Any, axis: int, before: int, after: int) -> Any:
    """The line turned about its first and its last element by half a turn, again and again."""
    n = sizes(a)[axis]
    if n == 1:  # as NumPy, for what has no second element
        return index_select(a, axis, np.zeros(before + 1 + after, np.int64))
    return _turned(a, axis, np.arange(-before, n + after), 2 * (n - 1), lambda j: 2 * (n - 1) - j)


def _reflected_about_edges(a: Any, axis: int, before: int, after: int) -> Any:
    """The line turned about its ends, where the first and the last element are met twice."""
    n = sizes(a)[axis]
    return _turned(a, axis, np.arange(-before, n + after), 2 * n, lambda j: 2 * n - 1 - j)


def _turned(a: Any, axis: int, k: np.ndarray, period: int, mirror: Callable[[np.ndarray], np.ndarray]) -> Any:
    """f(k) with f(mirror(j)) = 2 last - f(j) and f(k + period) = f(k) + 2 (last - first)."""
    n, ndim = sizes(a)[axis], len(sizes(a))
    j = k % period
    turned = j >= n
    cycles = (k - j) // period
    place = np.where(turned, mirror(j), j)

    def along(v: np.ndarray) -> np.ndarray:
        return v.astype(data(a).dtype).reshape((1,) * axis + (-1,) + (1,) * (ndim - 1 - axis))

    first, last = a[at_dim(axis, slice(0, 1))], a[at_dim(axis, slice(n - 1, n))]
    picked = index_select(a, axis, place)
    return along(np.where(turned, -1, 1)) * picked + along(2 * (cycles + turned)) * last - along(2 * cycles) * first


NUMPY[np.pad] = _numpy_pad
