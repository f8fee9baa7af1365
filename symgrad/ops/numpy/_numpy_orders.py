"""Order, as NumPy has it: complex numbers by their real parts, then by their imaginary ones; partitions.

The idea to hold: where an element belongs is asked of NumPy, with the numbers; its value is then picked, which is
linear. Of real numbers the rows of the table do the same, and know more of formulas.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import DTypeError
from ...core import NUMPY
from .._dims import axis_of, data, found_in, known, reduced_axes, sizes
from .._numpy_arguments import tensor_like
from ..arrange._order import amax, amin
from ..arrange._sort import sort
from ..entries import _elementwise as e
from ..entries._copy import cast
from ..index._pick import take_along_dim
from ..shape._shape import movedim, reshape
from ._numpy_constants import on_numbers


def _complex(*values: Any) -> bool:
    return any(getattr(v, "dtype", np.dtype(float)).kind == "c" for v in values)


def _picked(a: Any, places: np.ndarray, axis: int) -> Any:
    return take_along_dim(a, found_in(places, a), axis)


def sorted_along(a: Any, axis: int) -> Any:
    """The elements in order along an axis."""
    if not _complex(a):
        return sort(a, axis)[0]
    return _picked(a, np.argsort(known(a, "np.sort"), axis, kind="stable"), axis)


def _numpy_sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    a = tensor_like(a)
    return sorted_along(reshape(a, (-1,)), 0) if axis is None else sorted_along(a, axis)


def _numpy_sort_complex(a: Any) -> Any:
    a = sorted_along(tensor_like(a), -1)
    kind = data(a).dtype
    if kind.kind == "c":
        return a
    return cast(a, "F" if kind.char in "bhBH" else "G" if kind.char == "g" else "D")


def _numpy_partition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Any:
    a = tensor_like(a)
    if axis is None:
        a, axis = reshape(a, (-1,)), 0
    k = axis_of(axis, len(sizes(a)))
    places = np.argpartition(known(a, "np.partition"), known(kth, "kth of np.partition"), k)
    return _picked(a, places, k)


# --------------------------------------------------------------------------------------- complex numbers alone


def _or_on_numbers(function: Any, row: Callable[..., Any]) -> Callable[..., Any]:
    """A comparison, or a place: of complex numbers NumPy's own."""

    @functools.wraps(row)
    def adaptor(*args: Any, **kwargs: Any) -> Any:
        try:
            return row(*args, **kwargs)
        except DTypeError:
            if not _complex(*args):
                raise
        return on_numbers(function, *args, **kwargs)

    return adaptor


def _or_chosen(function: Any, row: Callable[..., Any]) -> Callable[..., Any]:
    """The larger or the smaller of two: of complex numbers the one that NumPy takes."""

    @functools.wraps(row)
    def adaptor(a: Any, b: Any) -> Any:
        try:
            return row(a, b)
        except DTypeError:
            if not _complex(a, b):
                raise
        x, y = np.asarray(known(a, function.__name__)), np.asarray(known(b, function.__name__))
        found = function(x, y)
        first = (found == x) | (np.isnan(found) & np.isnan(x))
        return e.where(found_in(first, a, b), a, b)

    return adaptor


def _extreme(arg: Callable[..., Any], row: Callable[..., Any]) -> Callable[..., Any]:
    """The largest or the smallest: of complex numbers the one at the place that NumPy finds."""

    def extreme(a: Any, axis: Any, keepdim: bool) -> Any:
        if not _complex(a) or not all(sizes(a)):
            return row(a, axis, keepdim)
        shape, axes = sizes(a), reduced_axes(axis, len(sizes(a)))
        rest = tuple(n for k, n in enumerate(shape) if k not in axes)
        lines = reshape(movedim(a, axes, tuple(range(-len(axes), 0))), (*rest, -1))
        found = _picked(lines, np.asarray(arg(known(lines, "np.max"), -1))[..., None], -1)
        return reshape(found, tuple(1 if k in axes else n for k, n in enumerate(shape)) if keepdim else rest)

    return extreme


largest, smallest = _extreme(np.argmax, amax), _extreme(np.argmin, amin)


NUMPY.update({np.sort: _numpy_sort, np.sort_complex: _numpy_sort_complex, np.partition: _numpy_partition})
_f: Any
for _f in (
    np.argmax, np.argmin, np.argsort, np.searchsorted, np.greater, np.greater_equal, np.less, np.less_equal,
):  # fmt: skip
    NUMPY[_f] = _or_on_numbers(_f, NUMPY[_f])
for _f in (np.maximum, np.minimum, np.fmax, np.fmin):
    NUMPY[_f] = _or_chosen(_f, NUMPY[_f])
