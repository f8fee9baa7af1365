"""NumPy's functions that choose, cut and put together: choose, compress, piecewise, trim_zeros, apply_along_axis.

The idea to hold: values decide only where an element goes, or which function it goes through; so what is chosen is
picked by places, and has the derivatives of what it was picked from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import DTypeError
from ...core import NUMPY, table
from .._dims import axis_of, data, found_in, kind_of, known, many_dims, sizes
from .._left_out import expect_still
from .._numpy_arguments import as_line, common_kind, tensor_like
from .._public import FUNCTIONS
from ..entries import _elementwise as e
from ..entries._arithmetic import where
from ..entries._copy import cast
from ..index._index import getitem
from ..index._pick import take
from ..linalg._linalg import is_complex
from ..shape._broadcast import expand
from ..shape._join import cat, stack, vstack
from ..shape._move import tril, triu
from ..shape._shape import movedim, reshape, unsqueeze
from ..shape._strided import as_strided
from ._numpy_constants import numbers, tensors_in
from ._numpy_moves import moved

# ------------------------------------------------------------------------------------------------------ choices


def _numpy_choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    which = np.asarray(known(tensor_like(a), "the choices of np.choose"))
    choices = list(choices)
    kind = common_kind(*choices)
    parts = [cast(tensor_like(c), kind) for c in choices]
    return moved(parts, lambda *places: np.choose(which, places, mode=mode), "choose", a)


def _numpy_compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    kept = np.asarray(known(tensor_like(condition), "the condition of np.compress")).astype(bool)
    return moved([tensor_like(a)], lambda places: np.compress(kept, places, axis), "compress", condition)


def _numpy_where(condition: Any, *choices: Any) -> Any:
    if len(choices) == 2 and kind_of(condition) == "b" and _of_one_kind(*choices):
        return where(condition, *choices)
    condition = tensor_like(condition)
    if not choices:
        return where(condition)
    if len(choices) != 2:
        raise ValueError("np.where: either both or neither of x and y should be given")
    if data(condition).dtype.kind != "b":
        condition = condition != 0
    return cast(where(condition, *map(_choice, choices)), common_kind(*choices))


def _of_one_kind(x: Any, y: Any) -> bool:
    """Whether two values are arrays or tensors of one dtype, or one of them a number of Python's."""
    x, y = data(x), data(y)
    if type(x) is np.ndarray:
        return type(y) is float or type(y) is int or (type(y) is np.ndarray and x.dtype is y.dtype)
    return type(y) is np.ndarray and (type(x) is float or type(x) is int)


def _choice(v: Any) -> Any:
    return v if isinstance(v, (int, float, complex)) else tensor_like(v)


def _numpy_piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    x = tensor_like(x)
    shape, kind = sizes(x), data(x).dtype
    conditions = _conditions(numbers(condlist, "np.piecewise"), len(shape), len(funclist))
    owner, parts, start = np.zeros(shape, np.int64), [np.zeros(1, kind)], 1
    for condition, function in zip(conditions, funclist, strict=True):
        places = np.flatnonzero(np.broadcast_to(condition, shape))
        if not places.size:
            continue
        part = function(take(as_line(x), found_in(places, x)), *args, **kw) if callable(function) else function
        line = as_line(expand(cast(tensor_like(part), kind), places.shape))
        owner.reshape(-1)[places] = np.arange(start, start + places.size)
        parts.append(line)
        start += places.size
    return take(cat(parts, 0), found_in(owner, x, *tensors_in(condlist)))


def _conditions(condlist: Any, ndim: int, count: int) -> np.ndarray:
    """The conditions of np.piecewise; if there is a function more, the last is for what none of them holds of."""
    if not np.ndim(condlist) or (not isinstance(condlist[0], (list, np.ndarray)) and ndim):
        condlist = [condlist]
    conditions = np.asarray(condlist, dtype=bool)
    n = len(conditions)
    if n == count - 1:
        return np.concatenate([conditions, ~np.any(conditions, axis=0, keepdims=True)])
    if n != count:
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    return conditions


# --------------------------------------------------------------------------------------------------------- cuts


def _numpy_trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    filt = tensor_like(filt)
    if trim.lower() not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    values = known(filt, "np.trim_zeros")
    axes = range(values.ndim) if axis is None else many_dims(axis, values.ndim)
    index = [slice(None)] * values.ndim
    for k, places in enumerate(np.nonzero(values)):
        if k in axes:
            start, stop = (int(places.min()), int(places.max()) + 1) if places.size else (0, 0)
            index[k] = slice(
                start if "f" in trim.lower() or not places.size else None, stop if "b" in trim.lower() else None
            )
    kept = np.zeros(values.shape, bool)
    kept[tuple(index)] = True
    expect_still(filt, [*map(tuple, np.argwhere(~kept).tolist())], "np.trim_zeros")
    return getitem(filt, tuple(index))


def _numpy_unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Any:
    p, what = tensor_like(p), "np.unwrap"
    values, width = known(p, what), known(period, what)
    found = np.unwrap(values, None if discont is None else known(discont, what), axis, period=width)
    turns = np.rint((found - values) / width).astype(found.dtype)
    return p + found_in(turns, p) * period


def _numpy_real_if_close(a: Any, tol: Any = 100) -> Any:
    a = tensor_like(a)
    if not is_complex(a):
        return a
    close = not is_complex(np.real_if_close(known(a, "np.real_if_close"), tol))
    return NUMPY[np.real](a) if close else a


# ---------------------------------------------------------------------------------------------- function by axis


def _numpy_apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    arr = tensor_like(arr)
    k = axis_of(axis, len(sizes(arr)))
    lines = movedim(arr, k, -1)
    rest = tuple(sizes(lines)[:-1])
    found = [tensor_like(func1d(lines[i], *args, **kwargs)) for i in np.ndindex(*rest)]
    if not found:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    each = tuple(sizes(found[0]))
    whole = reshape(stack(found, 0), (*rest, *each))
    places = tuple(range(len(rest), len(rest) + len(each)))
    return movedim(whole, places, tuple(range(k, k + len(each)))) if each else whole


def _numpy_apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    a = value = tensor_like(a)
    ndim = len(sizes(a))
    for axis in (axes,) if isinstance(axes, (int, np.integer)) else axes:
        k = axis_of(axis, ndim)
        found = func(value, k)
        value = found if len(sizes(found)) == ndim else unsqueeze(found, k)
        if len(sizes(value)) != ndim:
            raise ValueError("function is not returning an array of the correct shape")
    return value


# --------------------------------------------------------------------------------------------- forms in memory


def _numpy_require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    a = cast(tensor_like(a), dtype)
    wanted = {str(r).upper()[0] for r in (requirements or ())}
    if wanted & {"C", "F"}:
        a = _in_order(a, "C" if "C" in wanted else "F")
    return table("clone")(a, "K") if "O" in wanted and not data(a).flags.owndata else a


def _in_order(a: Any, order: str) -> Any:
    flags = data(a).flags
    return a if (flags.c_contiguous if order == "C" else flags.f_contiguous) else table("clone")(a, order)


def _contiguous(order: str, least: int) -> Callable[..., Any]:
    def adaptor(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
        a = cast(tensor_like(a), dtype)
        return reshape(a, (1,)) if least and not sizes(a) else _in_order(a, order)

    return adaptor


def _numpy_as_strided(
    x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True, **_: Any
) -> Any:
    array = data(x)
    steps = array.strides if strides is None else tuple(strides)
    if any(s % array.itemsize for s in steps):
        raise DTypeError(
            "as_strided of a tensor takes whole elements",
            f"Its strides are {steps} bytes, an element has {array.itemsize}.", "Use multiples of x.itemsize.",
        )  # fmt: skip
    return as_strided(x, array.shape if shape is None else tuple(shape), tuple(s // array.itemsize for s in steps))


# ------------------------------------------------------------------- what PyTorch takes less of under these names


def _triangle(row: Callable[..., Any], mask: Callable[..., np.ndarray]) -> Callable[..., Any]:
    """The lower or upper triangle; a vector is the row of a square matrix, as in NumPy."""

    def adaptor(m: Any, k: int = 0) -> Any:
        m = tensor_like(m)
        shape = sizes(m)
        return row(m, k) if len(shape) > 1 else e.where(mask(np.ones((*shape, *shape), bool), k), m, 0)

    return adaptor


def _numpy_imag(val: Any) -> Any:
    val = tensor_like(val)
    return FUNCTIONS["imag"](val) if is_complex(val) else NUMPY[np.zeros_like](val)


def _listed(split: Callable[..., Any]) -> Callable[..., Any]:
    return lambda ary, indices_or_sections: list(split(tensor_like(ary), indices_or_sections))


def _numpy_broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    parts = [tensor_like(a) for a in args]
    shape = np.broadcast_shapes(*(sizes(p) for p in parts))
    return tuple(expand(p, shape) for p in parts)


def _numpy_meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Any, ...]:
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    lines, n = [as_line(x) for x in xi], len(xi)
    order = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else list(range(n))
    found = [reshape(line, tuple(-1 if own == k else 1 for own in order)) for k, line in enumerate(lines)]
    if not sparse:
        whole = tuple(sizes(lines[k])[0] for k in order)
        found = [expand(f, whole) for f in found]
    return tuple(table("clone")(f, "C") if copy else f for f in found)


NUMPY.update({
    np.choose: _numpy_choose, np.compress: _numpy_compress, np.where: _numpy_where, np.piecewise: _numpy_piecewise,
    np.trim_zeros: _numpy_trim_zeros, np.unwrap: _numpy_unwrap, np.real_if_close: _numpy_real_if_close,
    np.apply_along_axis: _numpy_apply_along_axis, np.apply_over_axes: _numpy_apply_over_axes,
    np.require: _numpy_require, np.ascontiguousarray: _contiguous("C", 1), np.asfortranarray: _contiguous("F", 1),
    np.lib.stride_tricks.as_strided: _numpy_as_strided, np.imag: _numpy_imag,
    np.tril: _triangle(tril, np.tril), np.triu: _triangle(triu, np.triu),
    np.broadcast_arrays: _numpy_broadcast_arrays, np.meshgrid: _numpy_meshgrid,
})  # fmt: skip
for _f in (np.hsplit, np.vsplit, np.dsplit):
    NUMPY[_f] = _listed(NUMPY[_f])
for _name, _fn in {"row_stack": lambda tup, **_: vstack(tup), "trapz": NUMPY.get(np.trapezoid)}.items():
    if hasattr(np, _name):  # until NumPy 2.4
        NUMPY[getattr(np, _name)] = _fn
