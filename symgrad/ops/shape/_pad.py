"""Padding: borders of one value, of reflections, of the edge, or of the other side.

The idea to hold: only the border of one value is an operation of its own. In the other modes the padded tensor is one
that picks elements of the old one, dimension by dimension, so it is `index_select` under another name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import NotDifferentiableError, ShapeError
from ...core import general, linear, recorded_as
from .._dims import sizes
from .._public import public
from ..entries._elementwise import remember
from ..index._places import scattered

Pad = tuple[tuple[int, int], ...]
"""Per dimension how much to add before and after; negative amounts crop."""


def _padded(x: np.ndarray, amounts: Pad, value: Any) -> np.ndarray:
    shape = tuple(max(n + before + after, 0) for n, (before, after) in zip(x.shape, amounts, strict=True))
    out = np.full(shape, value, x.dtype)
    inner, outer = [], []
    for n, (before, after) in zip(x.shape, amounts, strict=True):
        kept = slice(max(-before, 0), n - max(-after, 0))
        inner.append(kept)
        outer.append(slice(max(before, 0), max(before, 0) + max(kept.stop - kept.start, 0)))
    out[tuple(outer)] = x[tuple(inner)]
    return out


constant_pad: Any = general(
    "constant_pad",
    _padded,
    lambda g, amounts: constant_pad(g, tuple((-a, -b) for a, b in amounts), 0),
    means="widths option",
    sample=lambda rng: ([rng.normal(size=(3, 4))], (((1, 2), (-1, 1)), 0.5)),
    doc="x with a border of one value",
)


def _picked(x: np.ndarray, places: tuple[np.ndarray, ...]) -> np.ndarray:
    for dim, index in enumerate(places):
        if index is not None:
            x = np.take(x, index, dim)
    return x


def _gathered(g: Any, shape: tuple[int, ...], places: tuple[Any, ...]) -> Any:
    """The transpose of `_picked`, dimension by dimension."""
    for dim in reversed(range(len(places))):
        if places[dim] is not None:
            size = g.shape[:dim] + (shape[dim],) + g.shape[dim + 1 :]
            g = scattered(g, places[dim], dim, tuple(size))
    return g


border_pad = linear(
    "border_pad",
    _picked,
    lambda g, shape, places: _gathered(g, shape, places),
    means="ranges",
    sample=lambda rng: ([rng.normal(size=(2, 4))], ((None, np.array([1, 0, 1, 2, 3, 2])),)),
    doc="x with a border made of its own elements",
)


def _reflected(n: int, before: int, after: int) -> np.ndarray:
    period = max(2 * (n - 1), 1)
    k = np.arange(-before, n + after) % period
    return np.where(k < n, k, period - k)


def _wrapped(n: int, before: int, after: int) -> np.ndarray:
    """Negative amounts crop; what is left is what wraps."""
    kept = _kept(n, before, after)
    return max(-before, 0) + np.arange(-max(before, 0), kept + max(after, 0)) % kept


def _kept(n: int, before: int, after: int) -> int:
    """How many of ``n`` elements negative amounts leave; less than 0 if they crop more than there is."""
    return n + min(before, 0) + min(after, 0)


_PLACES: dict[str, Callable[[int, int, int], np.ndarray]] = {
    "reflect": _reflected,
    "replicate": lambda n, before, after: np.clip(np.arange(-before, n + after), 0, n - 1),
    "circular": lambda n, before, after: _wrapped(n, before, after),
    "symmetric": lambda n, before, after: np.minimum(k := np.arange(-before, n + after) % (2 * n), 2 * n - 1 - k),
}


@public(method=False)
def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """Return the tensor with a border.

    Parameters
    ----------
    pad : amounts before and after, of the last dimension, then of the one before it, …; negative amounts crop
    mode : 'constant' (of ``value``, default 0), 'reflect' (without the edge), 'replicate' (the edge) or 'circular' (the
        other side of what negative amounts leave)

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.pad(sg.tensor([1.0, 2.0]), (1, 2))
    tensor([0., 1., 2., 0., 0.])
    """
    amounts = tuple(int(p) for p in pad)
    shape = sizes(input)
    if len(amounts) % 2:
        raise ShapeError(
            "Padding length must be divisible by 2", f"It is {len(amounts)}.", "Give an amount before and after."
        )
    if len(amounts) > 2 * len(shape):
        raise ShapeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(amounts)} and "
            f"input of dimension {len(shape)}",
            "",
            "",
        )
    pairs = tuple((amounts[k], amounts[k + 1]) for k in range(0, len(amounts), 2))[::-1]
    every = ((0, 0),) * (len(shape) - len(pairs)) + pairs
    if mode == "constant":
        if any(_kept(n, a, b) < 0 for n, (a, b) in zip(shape, every, strict=True)):
            raise ShapeError(
                "narrow(): length must be non-negative.", f"{amounts} crop more than there is of {list(shape)}.", ""
            )
        return constant_pad(input, every, 0 if value is None else value)
    return _bordered(input, shape, every, len(pairs), mode, value)


def _bordered(x: Any, shape: tuple[int, ...], every: Pad, count: int, mode: str, value: Any) -> Any:
    if mode not in ("reflect", "replicate", "circular"):
        raise NotDifferentiableError(
            f"Unrecognised padding mode {mode}", "", "Use constant, reflect, replicate or circular."
        )
    if value is not None and value != 0:
        raise ShapeError(f'Padding mode "{mode}" doesn\'t take in value argument', "", "Leave it out.")
    if len(shape) not in (count + 1, count + 2) or count > 3:
        raise NotDifferentiableError(
            f"Padding size {2 * count} is not supported for {len(shape)}D input tensor.",
            "Supported combinations for non-constant padding:\n  - 2D or 3D input: padding size = 2 (pads last "
            "dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n  - 4D or 5D input: padding size = 6 "
            "(pads last 3 dimensions)",
            "Unsqueeze the input.",
        )
    for dim, (n, (before, after)) in enumerate(zip(shape, every, strict=True)):
        if mode == "reflect" and max(before, after) >= max(n, 1):
            raise ShapeError(
                "Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) "
                f"at dimension {dim} of input {list(shape)}",
                "",
                "",
            )
        kept = _kept(n, before, after)
        if mode == "circular" and kept < 0:
            raise ShapeError(
                "Negative padding value is resulting in an empty dimension",
                f"({before}, {after}) crops more than there is of dimension {dim} of {list(shape)}.", "Crop less.",
            )  # fmt: skip
        if mode == "circular" and max(before, after) > kept:
            left = "" if kept == n else f", of which {kept} are left after cropping"
            raise ShapeError(
                "Padding value causes wrapping around more than once.",
                f"({before}, {after}) for a size of {n}{left}.", "Pad twice, or by less.",
            )  # fmt: skip
    wanted = [n + before + after for n, (before, after) in zip(shape, every, strict=True)]
    if min(wanted) < 0 or (mode != "circular" and max(wanted[len(shape) - count :]) < 1):
        raise ShapeError(
            f"input {list(shape)} is too small. Calculated output {wanted}", f"The padding is {every}.", "Crop less."
        )
    if mode == "circular":
        return recorded_as(border_pad(x, border_places(shape, every, mode)), "circular_pad")
    return recorded_as(border_pad(remember(x), border_places(shape, every, mode)), f"{mode}_pad{count}")


def border_places(shape: tuple[int, ...], every: Pad, mode: str) -> tuple[Any, ...]:
    """Which elements a border of some mode is made of, for each dimension that has one."""
    return tuple(None if p == (0, 0) else _PLACES[mode](n, *p) for n, p in zip(shape, every, strict=True))
