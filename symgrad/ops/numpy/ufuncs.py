"""What every ufunc and reduction of NumPy's takes: where=, dtype=, axis=, initial=; their methods; and order."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable
from functools import partial, wraps
from itertools import starmap
from typing import Any

import numpy as np

from ..._errors import DTypeError, ShapeError
from ...core import NUMPY, Tensor, unwrap
from ..arguments import (
    alike,
    as_line,
    averaged,
    axes_of,
    axis_of,
    constant_number,
    found_in,
    is_number,
    is_recorded,
    kind_of,
    known_values,
    ndarray_of,
    no_axis,
    numbers_only,
    rank,
    reduced_axes,
    sizes,
    summed_in,
    tensor_like,
)
from ..arrange.order import amax, amin, cummax, cummin, sort
from ..entries import elementwise as e
from ..entries.arithmetic import pow
from ..entries.copies import cast, clone_row
from ..index.index import scattered
from ..index.pick import index_select, take_along_dim, values_of
from ..linalg.linear_systems import conj, is_complex
from ..reduce.scans import diff, logcumsumexp, logsumexp, prod
from ..reduce.sums import all as every
from ..reduce.sums import any as some
from ..reduce.sums import count_nonzero, mean, nanmean, nansum, std, sum, var
from ..shape.joins import cat, stack
from ..shape.shapes import expand, movedim, reshape

# -------------------------- NumPy's functions whose results have no derivative: places, truths, counts, dtypes, texts

# The idea to hold: such a function is NumPy's own, run on the numbers; what it finds is a tensor that remembers that it
# was found by looking at values. A symbol has none, and is refused by name.


CONSTANT: set[Any] = set()
"""NumPy's functions whose results are constants, whatever they are given."""


def numbers(value: Any, what: str) -> Any:
    """What a function is given, with numbers for the tensors in it."""
    if isinstance(value, Tensor):
        return known_values(value, what)
    if isinstance(value, (list, tuple)):
        return type(value)(numbers(v, what) for v in value)
    if isinstance(value, dict):
        return {k: numbers(v, what) for k, v in value.items()}
    return value


def tensors_in(value: Any) -> Iterable[Tensor]:
    """The tensors among what a function is given."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for v in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(v)


def _found(result: Any, sources: list[Tensor]) -> Any:
    """The arrays of a result as tensors; a text, a dtype, a truth value of Python's as it is."""
    if isinstance(result, tuple):
        parts = [_found(r, sources) for r in result]
        return result._make(parts) if hasattr(result, "_make") else tuple(parts)
    if isinstance(result, list):
        return [_found(r, sources) for r in result]
    return found_in(np.asarray(result), *sources) if isinstance(result, (np.ndarray, np.generic)) else result


def on_numbers(function: Any, *args: Any, **kwargs: Any) -> Any:
    """NumPy's function on the numbers of tensors; its arrays are tensors without history."""
    what = f"np.{function.__name__}"
    found = function(*numbers(args, what), **numbers(kwargs, what))
    return _found(found, [*tensors_in((args, kwargs))])


def _of_elements(function: Any) -> Callable[..., Any]:
    """A function that tells elements apart: their values would lose their derivatives, so there must be none."""

    def adaptor(*args: Any, **kwargs: Any) -> Any:
        for t in tensors_in(args):
            values_of(t, f"np.{function.__name__}")
        return on_numbers(function, *args, **kwargs)

    return adaptor


def _there(names: str) -> list[Any]:
    """Those of NumPy's functions that the installed one has."""
    return [function for name in names.split() if (function := getattr(np, name, None)) is not None]


_BY_VALUE = _there(
    "argpartition nanargmax nanargmin lexsort flatnonzero iscomplex spacing array_equiv ravel_multi_index "
    "packbits unpackbits bitwise_count diag_indices_from isnat array2string array_repr array_str common_type can_cast "
    "min_scalar_type promote_types may_share_memory shares_memory einsum_path"
)
_BY_ELEMENT = _there(
    "union1d intersect1d setdiff1d setxor1d unique_all unique_counts unique_inverse unique_values in1d"
)
NUMPY.update({function: partial(on_numbers, function) for function in _BY_VALUE})
NUMPY.update({function: _of_elements(function) for function in _BY_ELEMENT})
CONSTANT.update(_BY_VALUE, _BY_ELEMENT, _there(
    "all any allclose array_equal isclose argmax argmin argsort argwhere nonzero count_nonzero searchsorted digitize "
    "isin isinf isnan isfinite isneginf isposinf isreal iscomplexobj isrealobj ndim shape size result_type signbit "
    "unravel_index tril_indices_from triu_indices_from unique empty_like ones_like zeros_like equal not_equal less "
    "less_equal greater greater_equal logical_and logical_or logical_xor logical_not bitwise_and bitwise_or "
    "bitwise_xor bitwise_not invert bitwise_invert left_shift right_shift bitwise_left_shift bitwise_right_shift gcd "
    "lcm"
))  # fmt: skip


def on_tensors(fn: Callable[..., Any], space: Any = np) -> Callable[..., Any]:
    """Make a function what NumPy's is on tensors that it is named after, ``_numpy_insert`` after `numpy.insert`, if the
    installed NumPy has that.
    """
    function = getattr(space, fn.__name__.removeprefix("_numpy_").removeprefix("linalg_"), None)
    if function is not None:
        NUMPY[function] = fn
    return fn


linalg_on_tensors = partial(on_tensors, space=np.linalg)
"""The same for `numpy.linalg`."""


# ---------------------------------------------------------------------------------- lines, and what is left of them


def reduced_sizes(a: Any, axes: tuple[int, ...], keepdims: bool = False) -> tuple[int, ...]:
    """The shape of what is reduced along ``axes``."""
    return tuple(1 if k in axes else n for k, n in enumerate(sizes(a)) if keepdims or k not in axes)


def several(k: Any) -> tuple[Any, ...]:
    """One integer, or several, as a tuple."""
    return (k,) if isinstance(k, (int, np.integer)) else tuple(k)


def resized(a: Any, axis: int, n: int) -> tuple[int, ...]:
    """The shape of ``a`` with another size along ``axis``."""
    return (*sizes(a)[:axis], n, *sizes(a)[axis + 1 :])


def lines_along(a: Any, axes: tuple[int, ...]) -> Any:
    """The elements with those along ``axes`` as one line, the last dimension."""
    count = math.prod(sizes(a)[k] for k in axes)
    return reshape(movedim(a, axes, tuple(range(-len(axes), 0))), (*reduced_sizes(a, axes), count))


# -------------------------------------------------------------------------------------------------------------------
# Order, as NumPy has it: complex numbers by their real parts, then by their imaginary ones; partitions

# The idea to hold: where an element belongs is asked of NumPy, with the numbers; its value is then picked, which is
# linear. Of real numbers the rows of the table do the same, and know more of formulas.


def _complex(*values: Any) -> bool:
    return any(getattr(v, "dtype", np.dtype(float)).kind == "c" for v in values)


def _picked(a: Any, places: np.ndarray, axis: int) -> Any:
    return take_along_dim(a, found_in(places, a), axis)


def sorted_along(a: Any, axis: int) -> Any:
    """The elements in order along an axis."""
    if not _complex(a):
        return sort(a, axis)[0]
    return _picked(a, np.argsort(known_values(a, "np.sort"), axis, kind="stable"), axis)


@on_tensors
def _numpy_sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    return sorted_along(as_line(a), 0) if axis is None else sorted_along(tensor_like(a), axis)


@on_tensors
def _numpy_sort_complex(a: Any) -> Any:
    a = sorted_along(tensor_like(a), -1)
    kind = unwrap(a).dtype
    if kind.kind == "c":
        return a
    return cast(a, "F" if kind.char in "bhBH" else "G" if kind.char == "g" else "D")


@on_tensors
def _numpy_partition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Any:
    a = tensor_like(a)
    if axis is None:
        a, axis = as_line(a), 0
    k = axis_of(axis, rank(a))
    places = np.argpartition(known_values(a, "np.partition"), known_values(kth, "kth of np.partition"), k)
    return _picked(a, places, k)


# --------------------------------------------------------------------------------------- complex numbers alone


def _or_of_complex(function: Any, of_complex: Callable[..., Any]) -> Callable[..., Any]:
    """What the table has for a function, which refuses complex numbers: of these what ``of_complex`` finds."""
    row = NUMPY[function]

    @wraps(row)
    def adaptor(*args: Any, **kwargs: Any) -> Any:
        try:
            return row(*args, **kwargs)
        except DTypeError:
            if not _complex(*args):
                raise
        return of_complex(function, *args, **kwargs)

    return adaptor


def _one_of_two(function: Any, a: Any, b: Any) -> Any:
    """The larger or the smaller of two: the one that NumPy takes."""
    x, y = (np.asarray(known_values(v, function.__name__)) for v in (a, b))
    found = function(x, y)
    first = (found == x) | (np.isnan(found) & np.isnan(x))
    return e.where(found_in(first, a, b), a, b)


def _arg_extreme(arg: Callable[..., Any], row: Callable[..., Any]) -> Callable[..., Any]:
    """The largest or the smallest: of complex numbers the one at the place that NumPy finds."""

    def extreme(a: Any, axis: Any, keepdim: bool) -> Any:
        if not _complex(a) or not all(sizes(a)):
            return row(a, axis, keepdim)
        axes = reduced_axes(axis, rank(a))
        lines = lines_along(a, axes)
        found = _picked(lines, np.asarray(arg(known_values(lines, "np.max"), -1))[..., None], -1)
        return reshape(found, reduced_sizes(a, axes, keepdim))

    return extreme


largest, smallest = _arg_extreme(np.argmax, amax), _arg_extreme(np.argmin, amin)


_f: Any
for _f in (
    np.argmax, np.argmin, np.argsort, np.searchsorted, np.greater, np.greater_equal, np.less, np.less_equal,
):  # fmt: skip
    NUMPY[_f] = _or_of_complex(_f, on_numbers)
for _f in (np.maximum, np.minimum, np.fmax, np.fmin):
    NUMPY[_f] = _or_of_complex(_f, _one_of_two)


# -------------------------------------------------------------------------------------------------------------------
# What every ufunc takes: `where=`, `dtype=`, `casting=`, `axis=`; and the methods that follow from its function

# The idea to hold: a keyword is an operation before or after the row. Operands are cast to what NumPy would compute in;
# `where=` chooses afterwards. Without `out=` NumPy leaves what is not chosen as it finds it: here it is 0.
# A `reduce` for which there is no row is the function again and again, along one axis.


_NO: Any = np._NoValue
_DEFAULTS: dict[str, tuple[Any, ...]] = {"order": ("K", "C", "F", "A"), "subok": (True, False)}
KEYWORDS = frozenset({"where", "dtype", "signature", "sig", "casting", "axes", "axis", "keepdims", *_DEFAULTS})
"""What `called` takes."""


def called(ufunc: Any, row: Callable[..., Any], inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the ufunc makes of operands and keywords, by its row."""
    given = dict(kwargs)
    for name, values in _DEFAULTS.items():
        if given.pop(name, values[0]) not in values:
            raise TypeError(f"np.{ufunc.__name__}: {name}= is one of {', '.join(map(repr, values))}")
    where, casting = given.pop("where", True), given.pop("casting", "same_kind")
    signature = given.pop("signature", given.pop("sig", None))
    dtype = given.pop("dtype", None)
    if dtype is not None:
        signature = (None,) * ufunc.nin + (dtype,) * ufunc.nout
    cast_to = None
    if signature is not None or casting != "same_kind":
        cast_to = _dtypes(ufunc, inputs, signature, casting)
        inputs = tuple(cast(tensor_like(v), d) for v, d in zip(inputs, cast_to, strict=False))
    result = row(*inputs) if ufunc.signature is None else _along(ufunc, row, inputs, given)
    parts = result if isinstance(result, tuple) else (result,)
    if cast_to is not None:
        parts = tuple(starmap(cast, zip(parts, cast_to[ufunc.nin :], strict=True)))
    if where is not True:
        parts = tuple(cast(e.where(_truths(where), p, 0), unwrap(p).dtype) for p in parts)
    return parts if isinstance(result, tuple) else parts[0]


def whole(inputs: tuple[Any, ...]) -> bool:
    """Whether all operands are whole numbers or truth values."""
    for v in map(unwrap, inputs):
        if type(v) is not int and type(v) is not bool and getattr(getattr(v, "dtype", None), "kind", "f") not in "biu":
            return False
    return True


def of_whole_numbers(ufunc: Any, row: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    """A function of whole numbers in the dtypes that NumPy computes it in; by zero they are divided, too."""
    try:
        kinds = _dtypes(ufunc, inputs, None, "same_kind")
    except TypeError:  # NumPy has no such function: the row says so
        return row(*inputs)
    given = zip(inputs, kinds, strict=False)
    result = _DIVIDING.get(ufunc, row)(*(cast(tensor_like(v), d) if d.kind in "fc" else v for v, d in given))
    if isinstance(result, tuple):
        return tuple(map(cast, result, kinds[ufunc.nin :]))
    return cast(result, kinds[-1])


_DIVIDING: dict[Any, Callable[..., Any]] = {
    np.floor_divide: e.div_floor, np.remainder: e.remainder, np.fmod: e.fmod,
    np.divmod: lambda a, b: (e.div_floor(a, b), e.remainder(a, b)),
}  # fmt: skip
"""Divisions for which PyTorch raises where a whole number is divided by zero, and NumPy's answer is 0."""


def _truths(where: Any) -> Any:
    where = np.asarray(where, bool) if isinstance(where, (list, tuple)) else tensor_like(where)
    if unwrap(where).dtype != bool:
        raise TypeError(f"where= takes truth values, not {unwrap(where).dtype}: write a comparison, where=x > 0")
    return where


def _dtypes(ufunc: Any, inputs: tuple[Any, ...], signature: Any, casting: str) -> tuple[np.dtype, ...]:
    """The dtypes that NumPy would compute in, and those of the results."""
    said = tuple(type(v) if is_number(v) else ndarray_of(v).dtype for v in inputs)
    asked = {} if signature is None else {"signature": signature}
    return ufunc.resolve_dtypes((*said, *(None,) * ufunc.nout), casting=casting, **asked)


def _along(ufunc: Any, row: Callable[..., Any], inputs: tuple[Any, ...], given: dict[str, Any]) -> Any:
    """A function of vectors or matrices, its ``axes=`` (or ``axis=``) moved to the end and the result's back."""
    cores = [len(re.findall(r"\w+", part)) for part in re.findall(r"\(.*?\)", ufunc.signature)]  # of "(n,k),(k)->(n)"
    axes, axis, keep = given.get("axes"), given.get("axis"), given.get("keepdims", False)
    if axes is None and axis is None and not keep:
        return row(*inputs)
    tensors = [tensor_like(v) for v in inputs]
    if axis is not None or axes is None:
        axes = [tuple(range(-n, 0)) if axis is None else (axis,) * n for n in cores]
    axes = list(map(several, axes))
    if len(axes) < len(cores):
        axes.append(())
    moved = [movedim(t, a, tuple(range(-len(a), 0))) if a else t for t, a in zip(tensors, axes, strict=False)]
    y = row(*moved)
    if keep:
        y = reshape(y, (*sizes(y), 1))
        return movedim(y, -1, axes[0][0])
    return movedim(y, tuple(range(-len(axes[-1]), 0)), axes[-1]) if axes[-1] and cores[-1] else y


# ----------------------------------------------------------------------------------------------------- methods


def reduced(
    ufunc: Any, row: Callable[..., Any], a: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
    keepdims: Any = False, initial: Any = _NO, where: Any = True,
) -> Any:  # fmt: skip
    """``ufunc.reduce`` by its function."""
    a = _of_truths(ufunc, cast(tensor_like(a), dtype))
    axes = axes_of(axis, rank(a))
    if where is not True:
        where = expand(tensor_like(where), sizes(a))
    start = ufunc.identity if initial is _NO or initial is None else initial
    if where is not True and start is None:
        raise ValueError(f"np.{ufunc.__name__}.reduce with where= needs initial=: it has no identity")
    if len(axes) > 1 and ufunc.identity is None:
        raise ValueError(f"np.{ufunc.__name__}.reduce goes along one axis: its order matters")
    mask = where if where is True else _lines(where, axes)
    parts = list(_lines(a, axes))
    if not parts and start is None:
        raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
    if initial is _NO and parts and where is True:
        y, *parts = parts
    else:
        y = cast(expand(tensor_like(start), reduced_sizes(a, axes)), unwrap(a).dtype)
    for k, part in enumerate(parts):
        y = row(y, part) if mask is True else e.where(mask[k], row(y, part), y)
    return reshape(y, reduced_sizes(a, axes, True)) if keepdims else y


def _of_truths(ufunc: Any, a: Any) -> Any:
    return a != 0 if ufunc.__name__.startswith("logical_") else a


def _lines(a: Any, axes: tuple[int, ...]) -> Any:
    """The elements with the axes in front, as one."""
    count = math.prod([sizes(a)[k] for k in axes])
    return reshape(movedim(a, axes, tuple(range(len(axes)))), (count, *reduced_sizes(a, axes)))


def accumulated(ufunc: Any, row: Callable[..., Any], a: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    """``ufunc.accumulate`` by its function."""
    a = _of_truths(ufunc, cast(tensor_like(a), dtype))
    k = axis_of(axis, rank(a))
    parts = list(movedim(a, k, 0))
    for i in range(1, len(parts)):
        parts[i] = row(parts[i - 1], parts[i])
    return stack(parts, k) if parts else a


def _slices(name: str, a: Any, indices: Any, axis: int) -> tuple[int, np.ndarray, np.ndarray]:
    """The dimension of the slices of a ``reduceat``, where each starts, and where it ends: at the next, the last at the
    end; behind one element, where the next does not come later.
    """
    k, starts = axis_of(axis, rank(a)), np.asarray(known_values(indices, name))
    n = int(sizes(a)[k])
    if starts.ndim != 1 or (starts.size and not (starts.min() >= 0 and starts.max() < n)):
        raise IndexError(f"{name}: indices must be one row of numbers from 0 to {n - 1}, got {starts}")
    return k, starts, np.maximum(np.append(starts[1:], n), starts + 1)


def reduced_at(
    reduce: Callable[..., Any], name: str, a: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> Any:
    """``ufunc.reduceat`` by its ``reduce``."""
    a = cast(tensor_like(a), dtype)
    k, starts, ends = _slices(name, a, indices, axis)
    if not starts.size:
        raise ShapeError(f"{name}: there is no index", "", "Give at least one.")
    lines = movedim(a, k, 0)
    return stack([reduce(lines[i:j], 0) for i, j in zip(starts.tolist(), ends.tolist(), strict=True)], k)


def outer(ufunc: Any, row: Callable[..., Any], a: Any, b: Any, kwargs: dict[str, Any]) -> Any:
    """``ufunc.outer``: every element of one with every element of the other."""
    a, b = tensor_like(a), tensor_like(b)
    a = reshape(a, (*sizes(a), *(1,) * rank(b)))
    return called(ufunc, row, (a, b), kwargs) if kwargs else row(a, b)


# ------------------------------------------------------------------------------------------- rows of their own


def _float_power(a: Any, b: Any) -> Any:
    a, b = (tensor_like(float(v) if type(v) is int else v) for v in (a, b))
    least = np.result_type(ndarray_of(a).dtype, ndarray_of(b).dtype, np.float64)
    return NUMPY[np.power](cast(a, least), b if is_number(b) else cast(b, least))


def _ldexp(x: Any, exponent: Any) -> Any:
    """``x`` times a power of 2, which is a constant: exponents are whole numbers, also in an array of floats."""
    x, k = tensor_like(x), ndarray_of(exponent)
    if (
        k.dtype.kind == "f"
        and not isinstance(exponent, float)
        and not is_recorded(exponent)
        and (k == np.rint(k)).all()
    ):
        k = k.astype(np.int64)
    if k.dtype.kind not in "iub":
        raise TypeError(f"np.ldexp: the exponent is a whole number, not {k.dtype}")
    kind = np.ldexp(np.zeros((), ndarray_of(x).dtype), np.zeros((), k.dtype)).dtype
    return cast(x, kind) * found_in(np.ldexp(np.ones((), kind), k), exponent)


def _reciprocal(x: Any) -> Any:
    """1 / x with NumPy's sign of a zero, which says the side of a cut: above the real axis the result is below it."""
    if kind_of(x) != "c":
        return e.reciprocal(x)
    return e.div(np.array(complex(1, -0.0), ndarray_of(x).dtype), tensor_like(x))


def _power_of_negative(a: Any, b: Any) -> Any:
    """A power, of which a negative number beside complex exponents is complex: so is its logarithm, in the slope."""
    below = type(a) in (int, float) and a < 0 and kind_of(b) == "c"
    return pow(complex(a) if below else a, b)


NUMPY[np.power] = _power_of_negative
NUMPY[np.float_power] = _float_power
NUMPY[np.reciprocal] = _reciprocal
NUMPY[np.ldexp] = _ldexp
NUMPY[np.fix] = lambda x, out=None: e.trunc(tensor_like(x))


# -------------------------------------------------------------------------------------------------------------------
# NumPy's reductions with their ``where=`` and ``initial=``, and the methods of ufuncs, ``np.add.reduce`` and the like

# The idea to hold: what ``where`` leaves out is replaced by the number that changes nothing, and ``initial`` joins at
# the end. So a reduction that takes them is the one that does not, between two operations.


def _kept(keepdims: Any) -> bool:
    return keepdims is not _NO and bool(keepdims)


def _said(where: Any) -> bool:
    return where is not _NO and where is not True


def _mask(where: Any, a: Any) -> Any:
    """``where``, checked as NumPy does: truth values, of which there are not more than elements."""
    where = _truths(where)
    have, shape = unwrap(where).shape, unwrap(a).shape
    if len(have) > len(shape) or any(m not in (1, n) for m, n in zip(reversed(have), reversed(shape), strict=False)):
        raise ShapeError(
            f"where= of shape {have} does not broadcast to the array's shape {shape}", "",
            "Give it the shape of the array, or one that broadcasts to it.",
        )  # fmt: skip
    return where


def _chosen(where: Any, a: Any, nothing: Any) -> Any:
    """``a``, with ``nothing`` in place of what ``where`` leaves out."""
    return e.where(_mask(where, a), a, nothing) if _said(where) else a


_F64 = np.dtype(np.float64)


def _total(fn: Callable[..., Any], nothing: int, join: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's sum or product by ours."""

    def adaptor(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _NO, initial: Any = _NO,
        where: Any = _NO,
    ) -> Any:  # fmt: skip
        if type(a) is Tensor and a._data.dtype is _F64 and dtype is None and where is _NO and initial is _NO:
            return fn(a, axis, keepdim=_kept(keepdims))  # what most sums are
        a = _chosen(where, tensor_like(a), nothing)
        kind = summed_in(a, dtype)
        total = cast(fn(cast(a, dtype), axis, keepdim=_kept(keepdims)), kind)
        return total if initial is _NO else join(total, cast(tensor_like(initial), unwrap(total).dtype))

    return adaptor


def with_nan_as(value: float, a: Any) -> Any:
    """The elements, with another number for those that are NaN."""
    return e.where(np.isnan(a), value, a) if kind_of(a) in ("f", "c") else a


def _extreme(
    fn: Callable[..., Any], join: Callable[..., Any], worst: float, may_skip: bool = False
) -> Callable[..., Any]:
    """NumPy's largest or smallest by ours."""

    def adaptor(
        a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, initial: Any = _NO, where: Any = _NO
    ) -> Any:
        a = tensor_like(a)
        if _said(where):
            if initial is _NO:
                raise ValueError("np.max and np.min have no identity: with where= they need initial=")
            a = _chosen(where, a, _worst(unwrap(a).dtype, worst))
        if 0 in sizes(a):
            if initial is not _NO:
                return _of_nothing(a, axis, _kept(keepdims), initial)
            if not all(n for k, n in enumerate(sizes(a)) if k in axes_of(axis, rank(a))):
                raise ShapeError(
                    "zero-size array to reduction operation maximum or minimum which has no identity",
                    f"Its shape is {sizes(a)}.", "Say what that is: initial=-np.inf, or np.inf.",
                )  # fmt: skip
        skip_nan = may_skip and kind_of(a) in "fc"
        found = _without_nan(fn, a, axis, _kept(keepdims), worst) if skip_nan else fn(a, axis, _kept(keepdims))
        return found if initial is _NO else join(found, cast(tensor_like(initial), unwrap(a).dtype))

    return adaptor


def _of_nothing(a: Any, axis: Any, keepdim: bool, initial: Any) -> Any:
    """The largest or smallest of no elements, or of lines without any: ``initial``."""
    shape = reduced_sizes(a, axes_of(axis, rank(a)), keepdim)
    found = expand(cast(tensor_like(initial), unwrap(a).dtype), shape)
    return found_in(clone_row(found, "C"), a)


def _worst(dtype: Any, worst: float) -> Any:
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if worst < 0 else np.iinfo(dtype).max
    return worst > 0 if dtype.kind == "b" else worst


def _without_nan(fn: Callable[..., Any], a: Any, axis: Any, keepdim: bool, worst: float) -> Any:
    missing = np.isnan(a)
    found = fn(e.where(missing, worst, a), axis, keepdim)
    return e.where(every(missing, axis, keepdim), math.nan, found)


def _average(fn: Callable[..., Any]) -> Callable[..., Any]:
    def adaptor(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _NO, *, where: Any = _NO
    ) -> Any:
        a = averaged(tensor_like(a), dtype)
        return cast(of_floats(a, axis, _kept(keepdims), where), dtype)

    def of_floats(a: Any, axis: Any, keepdim: bool, where: Any) -> Any:
        if not _said(where):
            return fn(a, axis, keepdim=keepdim)
        where = _mask(where, a)
        if fn is nanmean:
            return nanmean(e.where(where, a, math.nan), axis, keepdim=keepdim)
        count = sum(e.where(where, NUMPY[np.ones_like](a), 0), axis, keepdim)
        return sum(e.where(where, a, 0), axis, keepdim) / count

    return adaptor


def _variance(a: Any, missing: Any, axis: Any, ddof: Any, keepdims: bool, center: Any) -> Any:
    """The variance about a center (by default their mean) of the elements that are not ``missing``."""
    count = sum(e.where(missing, 0.0, NUMPY[np.ones_like](a)), axis, True)
    if center is None:
        center = sum(e.where(missing, 0.0, a), axis, True) / count
    apart = e.where(missing, 0.0, a - center)
    freedom = count - ddof
    squares = (conj(apart) * apart).real if is_complex(apart) else apart * apart
    mean_square = sum(squares, axis, True) / e.where(freedom > 0, freedom, math.nan)
    return mean_square if keepdims else sum(mean_square, axis)


def _deviation(fn: Callable[..., Any], skip_nan: bool) -> Callable[..., Any]:
    """NumPy's variance or standard deviation by ours, which has the stable rule, where all elements count."""

    def adaptor(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = _NO, *,
        where: Any = _NO, mean: Any = _NO, correction: Any = _NO,
    ) -> Any:  # fmt: skip
        a = averaged(tensor_like(a), dtype)
        ddof = constant_number(ddof if correction is _NO else correction, "ddof=")
        if not _said(where) and not skip_nan and mean is _NO:
            return cast(fn(a, axis, keepdim=_kept(keepdims), correction=ddof), dtype)
        missing = np.isnan(a) if skip_nan else NUMPY[np.zeros_like](a, dtype=bool)
        if _said(where):
            missing = e.where(_mask(where, a), missing, True)
        squares = _variance(a, missing, axis, ddof, _kept(keepdims), None if mean is _NO else mean)
        # at 0: no slope, as std's
        return cast(squares if fn is var else e.where(squares > 0, e.sqrt(squares), squares), dtype)

    return adaptor


def _any_or_all(fn: Callable[..., Any], nothing: bool) -> Callable[..., Any]:
    def adaptor(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, *, where: Any = _NO) -> Any:
        if _said(where):
            a = e.where(_mask(where, a), tensor_like(a) != 0, nothing)
        return cast(fn(a, axis, _kept(keepdims)), bool)

    return adaptor


def _numpy_count(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return sum(tensor_like(a) != 0, axis, True) if _kept(keepdims) else count_nonzero(a, axis)


def _along_none(reduction: Callable[..., Any]) -> Callable[..., Any]:
    """The reduction, where ``axis=()`` is no axis at all, as in NumPy: to PyTorch it is every dimension."""

    @wraps(reduction)
    def adaptor(a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
        if not no_axis(axis):
            return reduction(a, axis, *args, **kwargs)
        if _said(kwargs.get("where", _NO)):
            kwargs["where"] = _mask(kwargs["where"], tensor_like(a))[..., None]
        return reshape(reduction(tensor_like(a)[..., None], -1, *args, **kwargs), sizes(a))

    return adaptor


# ------------------------------------------------------------------------------------------------ differences


@on_tensors
def _numpy_diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = _NO, append: Any = _NO) -> Any:
    a = tensor_like(a)
    if n < 0:
        raise ValueError(f"np.diff: order must be non-negative but got {n}")
    if n == 0:
        return a
    k = axis_of(axis, rank(a))

    def end(p: Any) -> list[Any]:
        if p is _NO or p is None:
            return []
        p = tensor_like(p)
        return [p if sizes(p) else expand(p, numbers_only(resized(a, k, 1), "a number at the end of np.diff"))]

    whole = [*end(prepend), a, *end(append)]
    return diff(cat(alike(*whole), k) if len(whole) > 1 else a, n, k)


@on_tensors
def _numpy_ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    steps = diff(as_line(ary))
    ends = [None if p is None else as_line(p) for p in (to_begin, to_end)]
    return cat([cast(p, unwrap(steps).dtype) for p in (ends[0], steps, ends[1]) if p is not None], 0)


# ------------------------------------------------------------------------------------------ methods of ufuncs


def _along_axes(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A running reduction with NumPy's arguments: along the first dimension, if none is said."""

    def adaptor(a: Any, axis: int = 0, dtype: Any = None) -> Any:
        return fn(cast(a, dtype), axis)

    return adaptor


def _reduced(function: Any) -> Callable[..., Any]:
    return lambda a, axis=0, dtype=None, **kwargs: cast(NUMPY[function](cast(a, dtype), axis, **kwargs), dtype)


def _reduced_logaddexp(
    a: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = _NO,
    where: Any = _NO,
) -> Any:  # fmt: skip
    a = _chosen(where, cast(tensor_like(a), dtype), -math.inf)
    found = logsumexp(a, axes_of(axis, rank(a)), _kept(keepdims))
    return found if initial is _NO else NUMPY[np.logaddexp](found, initial)


def _add_reduceat(a: Any, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
    """Sums of slices, all at once."""
    a = cast(tensor_like(a), summed_in(tensor_like(a), dtype))
    k, starts, ends = _slices("np.add.reduceat", a, indices, axis)
    places = np.concatenate(list(starmap(np.arange, zip(starts, ends, strict=True))) or [starts.astype(int)])
    which = np.repeat(np.arange(starts.size), ends - starts)
    picked = index_select(a, k, found_in(places, indices))
    return scattered(picked, found_in(which, indices), k, resized(a, k, starts.size))


UFUNC_METHODS: dict[tuple[Any, str], Callable[..., Any]] = {
    (np.add, "reduce"): _reduced(np.sum), (np.multiply, "reduce"): _reduced(np.prod),
    (np.maximum, "reduce"): _reduced(np.max), (np.minimum, "reduce"): _reduced(np.min),
    (np.logical_and, "reduce"): _reduced(np.all), (np.logical_or, "reduce"): _reduced(np.any),
    (np.logaddexp, "reduce"): _reduced_logaddexp,
    (np.add, "accumulate"): lambda a, axis=0, dtype=None: NUMPY[np.cumsum](a, axis, dtype),
    (np.multiply, "accumulate"): lambda a, axis=0, dtype=None: NUMPY[np.cumprod](a, axis, dtype),
    (np.maximum, "accumulate"): _along_axes(lambda a, axis: cummax(a, axis)[0]),
    (np.minimum, "accumulate"): _along_axes(lambda a, axis: cummin(a, axis)[0]),
    (np.logaddexp, "accumulate"): _along_axes(logcumsumexp),
    (np.add, "reduceat"): _add_reduceat,
}  # fmt: skip
"""What a method of a ufunc is on tensors; its arguments are NumPy's."""

_LARGEST: Any = dict(fn=largest, join=NUMPY[np.maximum], worst=-math.inf)
_SMALLEST: Any = dict(fn=smallest, join=NUMPY[np.minimum], worst=math.inf)
_REDUCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: _total(sum, 0, operator.add), np.prod: _total(prod, 1, operator.mul),
    np.nansum: _total(nansum, 0, operator.add),
    np.nanprod: _total(lambda a, dim, keepdim: prod(with_nan_as(1.0, a), dim, keepdim), 1, operator.mul),
    np.mean: _average(mean), np.nanmean: _average(nanmean), np.any: _any_or_all(some, False),
    np.all: _any_or_all(every, True), np.var: _deviation(var, False), np.std: _deviation(std, False),
    np.nanvar: _deviation(var, True), np.nanstd: _deviation(std, True), np.count_nonzero: _numpy_count,
    np.max: _extreme(**_LARGEST), np.amax: _extreme(**_LARGEST), np.nanmax: _extreme(**_LARGEST, may_skip=True),
    np.min: _extreme(**_SMALLEST), np.amin: _extreme(**_SMALLEST), np.nanmin: _extreme(**_SMALLEST, may_skip=True),
}  # fmt: skip
NUMPY.update({function: _along_none(reduction) for function, reduction in _REDUCTIONS.items()})
