"""Integrals and derivatives of what was sampled: sums of strips, and slopes of the parabolas through neighbours."""

from __future__ import annotations

from typing import Any

from ..._config import default_dtype
from ..._errors import DimensionError, ShapeError
from .._dims import axis_of, is_number, kind_of, many_dims, sizes
from .._numpy_arguments import tensor_like
from .._public import dims, public
from ..entries._copy import cast
from ..index._index import at_dim
from ..reduce._reduce import sum
from ..reduce._scan import cumsum, diff
from ..shape._join import cat
from ..shape._shape import reshape


def _at(x: Any, axis: int, part: Any) -> Any:
    """The part of ``x`` along a dimension, counted from the front."""
    return x[at_dim(axis, part)]


def along_axis(v: Any, axis: int, ndim: int) -> Any:
    """A vector along one of ``ndim`` dimensions."""
    return reshape(v, (1,) * axis + (sizes(v)[0],) + (1,) * (ndim - 1 - axis))


def strips(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """What is between neighbours along a dimension: the mean of the two, times their distance."""
    y, step = tensor_like(y), 1.0 if dx is None else dx
    step = step if is_number(step) else tensor_like(step)
    axis = axis_of(axis, len(sizes(y)))
    if x is not None:
        x = tensor_like(x)
        step = along_axis(diff(x), axis, len(sizes(y))) if len(sizes(x)) == 1 else diff(x, dim=axis)
    middle = _at(y, axis, slice(1, None)) + _at(y, axis, slice(None, -1))
    return step * middle / 2.0


def _strips(name: str, y: Any, x: Any, dx: Any, dim: int) -> Any:
    if not sizes(y):
        raise DimensionError(f"{name}: y must have at least one dimension", "It is one number.", "Make it a vector.")
    if x is not None and dx is not None:
        raise TypeError(f"{name}() takes x or dx, not both: both are distances")
    lacks = 0 if x is None else len(sizes(y)) - len(sizes(x))
    if x is not None and len(sizes(x)) > 1 and lacks > 0:
        x = reshape(x, (1,) * lacks + tuple(sizes(x)))
    if kind_of(y) in ("i", "u", "b"):  # whose sums of two may leave the range
        y = cast(y, default_dtype())
    return strips(y, x, dx, dim)


@public("trapz", method=False)
@dims
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """Return the integral along ``dim`` by the trapezoidal rule; ``x`` are the places, ``dx`` (1) their distance.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.trapezoid(sg.tensor([0.0, 1.0, 4.0]), sg.tensor([0.0, 1.0, 2.0]))
    tensor(3.)
    """
    return sum(_strips("trapezoid", y, x, dx, dim), dim)


@public(method=False)
@dims
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """Return the integrals along ``dim`` up to each place but the first; see `trapezoid`."""
    return cumsum(_strips("cumulative_trapezoid", y, x, dx, dim), dim)


def slope(f: Any, h: Any, axis: int, edge_order: int) -> Any:
    """The slope along a dimension of the parabolas through three neighbours; ``h`` are places, or one distance.

    At the ends it is that of the last line, or (``edge_order=2``) of the last parabola.
    """
    if sizes(f)[axis] < edge_order + 1:
        raise ShapeError(
            "torch.gradient expected each dimension size to be at least edge_order+1",
            f"Dimension {axis} has {sizes(f)[axis]} elements.", "A slope needs two neighbours, a parabola three.",
        )  # fmt: skip
    if sizes(h):
        h = along_axis(diff(h), axis, len(sizes(f)))
    lines = diff(f, dim=axis) / h
    former, latter = (_at(lines, axis, part) for part in (slice(None, -1), slice(1, None)))
    if sizes(h):
        before, after = (_at(h, axis, part) for part in (slice(None, -1), slice(1, None)))
        share = before / (before + after)
    else:
        share = 0.5
    ends = [_at(lines, axis, slice(None, 1)), _at(lines, axis, slice(-1, None))]
    if edge_order != 1:
        first, last = (latter - former) * share, (latter - former) * (1 - share)
        ends = [ends[0] - _at(first, axis, slice(None, 1)), ends[1] + _at(last, axis, slice(-1, None))]
    return cat([ends[0], former * (1 - share) + latter * share, ends[1]], axis)


@public(method=False)
def gradient(input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> list[Any]:
    """Return the slopes of sampled values along each dimension (or those in ``dim``), of parabolas through neighbours.

    This is PyTorch's `torch.gradient`, a finite difference; the derivative of a function is `symgrad.grad`.

    Parameters
    ----------
    spacing : the distance of neighbours, a list of one for each dimension, or a list of vectors of places
    edge_order : 1 for lines at the ends, 2 for parabolas

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.gradient(sg.tensor([0.0, 1.0, 4.0, 9.0]))
    [tensor([1., 2., 4., 5.])]
    """
    if edge_order not in (1, 2):
        raise ValueError(f"torch.gradient only supports edge_order=1 and edge_order=2, got {edge_order}")
    ndim = len(sizes(input))
    axes = many_dims(range(ndim) if dim is None else dim, ndim)
    several, spacing = isinstance(spacing, (list, tuple)), 1 if spacing is None else spacing
    steps = list(spacing) if several else [spacing] * len(axes)
    if len(steps) != len(axes):
        raise ShapeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of one for each dim in dim",
            f"It has {len(steps)}, for {len(axes)} dimensions.", "Give one for each.",
        )  # fmt: skip
    return [slope(input, h, k, edge_order) for h, k in zip(steps, axes, strict=True)]
