"""What every ufunc takes: `where=`, `dtype=`, `casting=`, `axis=`; and the methods that follow from its function.

The idea to hold: a keyword is an operation before or after the row. Operands are cast to what NumPy would compute in;
`where=` chooses afterwards. Without `out=` NumPy leaves what is not chosen as it finds it: here it is 0.
A `reduce` for which there is no row is the function again and again, along one axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import NUMPY
from .._dims import array, axes_of, axis_of, data, is_number, kind_of, sizes
from .._numpy_arguments import recorded, tensor_like
from ..entries import _elementwise as e
from ..entries._arithmetic import pow
from ..entries._copy import cast
from ..shape._broadcast import expand
from ..shape._join import stack
from ..shape._shape import movedim, reshape

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
        parts = tuple(cast(p, d) for p, d in zip(parts, cast_to[ufunc.nin :], strict=True))
    if where is not True:
        parts = tuple(chosen(p, where) for p in parts)
    return parts if isinstance(result, tuple) else parts[0]


def whole(inputs: tuple[Any, ...]) -> bool:
    """Whether all operands are whole numbers or truth values."""
    for v in map(data, inputs):
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


def chosen(result: Any, where: Any, otherwise: Any = 0) -> Any:
    """A ufunc's result where ``where`` holds, elsewhere ``otherwise``."""
    where = np.asarray(where, bool) if isinstance(where, (list, tuple)) else tensor_like(where)
    if data(where).dtype != bool:
        raise TypeError(f"where= takes truth values, not {data(where).dtype}: write a comparison, where=x > 0")
    return cast(e.where(where, result, otherwise), data(result).dtype)


def _dtypes(ufunc: Any, inputs: tuple[Any, ...], signature: Any, casting: str) -> tuple[np.dtype, ...]:
    """The dtypes that NumPy would compute in, and those of the results."""
    said = tuple(type(v) if is_number(v) else array(v).dtype for v in inputs)
    asked = {} if signature is None else {"signature": signature}
    found: tuple[np.dtype, ...] = ufunc.resolve_dtypes((*said, *(None,) * ufunc.nout), casting=casting, **asked)
    return found


def _along(ufunc: Any, row: Callable[..., Any], inputs: tuple[Any, ...], given: dict[str, Any]) -> Any:
    """A function of vectors or matrices, its ``axes=`` (or ``axis=``) moved to the end and the result's back."""
    cores = [len([n for n in part.strip("()").split(",") if n]) for part in _cores(ufunc.signature)]
    axes, axis, keep = given.get("axes"), given.get("axis"), given.get("keepdims", False)
    if axes is None and axis is None and not keep:
        return row(*inputs)
    tensors = [tensor_like(v) for v in inputs]
    if axis is not None or axes is None:
        axes = [tuple(range(-n, 0)) if axis is None else (axis,) * n for n in cores]
    axes = [(a,) if isinstance(a, (int, np.integer)) else tuple(a) for a in axes]
    if len(axes) < len(cores):
        axes.append(())
    moved = [movedim(t, a, tuple(range(-len(a), 0))) if a else t for t, a in zip(tensors, axes, strict=False)]
    y = row(*moved)
    if keep:
        y = reshape(y, (*sizes(y), 1))
        return movedim(y, -1, axes[0][0])
    return movedim(y, tuple(range(-len(axes[-1]), 0)), axes[-1]) if axes[-1] and cores[-1] else y


def _cores(signature: str) -> list[str]:
    """The parts ``(n,k)`` of a signature, of the operands and then of the result."""
    left, _, right = signature.partition("->")
    return [f"({part}" for part in f"{left},{right}".split("(")[1:]]


# ----------------------------------------------------------------------------------------------------- methods


def reduced(
    ufunc: Any, row: Callable[..., Any], a: Any, axis: Any = 0, dtype: Any = None, out: Any = None,
    keepdims: Any = False, initial: Any = _NO, where: Any = True,
) -> Any:  # fmt: skip
    """``ufunc.reduce`` by its function."""
    a = _of_truths(ufunc, cast(tensor_like(a), dtype))
    shape = sizes(a)
    axes = axes_of(axis, len(shape))
    if where is not True:
        where = expand(tensor_like(where), shape)
    start = ufunc.identity if initial is _NO or initial is None else initial
    if where is not True and start is None:
        raise ValueError(f"np.{ufunc.__name__}.reduce with where= needs initial=: it has no identity")
    if len(axes) > 1 and ufunc.identity is None:
        raise ValueError(f"np.{ufunc.__name__}.reduce goes along one axis: its order matters")
    mask = where if where is True else _lines(where, axes)
    parts = list(_lines(a, axes))
    if not parts and start is None:
        raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
    rest = tuple(n for k, n in enumerate(shape) if k not in axes)
    if initial is not _NO or not parts or where is not True:
        y = cast(expand(tensor_like(start), rest), data(a).dtype)
        for k, part in enumerate(parts):
            y = row(y, part) if mask is True else e.where(mask[k], row(y, part), y)
    else:
        y = parts[0]
        for part in parts[1:]:
            y = row(y, part)
    return reshape(y, tuple(1 if k in axes else n for k, n in enumerate(shape))) if keepdims else y


def _of_truths(ufunc: Any, a: Any) -> Any:
    return a != 0 if ufunc.__name__.startswith("logical_") else a


def _lines(a: Any, axes: tuple[int, ...]) -> Any:
    """The elements with the axes in front, as one."""
    rest = tuple(n for k, n in enumerate(sizes(a)) if k not in axes)
    return reshape(movedim(a, axes, tuple(range(len(axes)))), (-1 if 0 not in sizes(a) else 0, *rest))


def accumulated(ufunc: Any, row: Callable[..., Any], a: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    """``ufunc.accumulate`` by its function."""
    a = _of_truths(ufunc, cast(tensor_like(a), dtype))
    k = axis_of(axis, len(sizes(a)))
    parts = list(movedim(a, k, 0))
    for i in range(1, len(parts)):
        parts[i] = row(parts[i - 1], parts[i])
    return stack(parts, k) if parts else a


def reduced_at(
    reduce: Callable[..., Any], name: str, a: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> Any:
    """``ufunc.reduceat`` by its ``reduce``: from each index to the next; one element, where the next is not larger."""
    a = cast(tensor_like(a), dtype)
    k, starts = axis_of(axis, len(sizes(a))), np.asarray(array(indices))
    n = int(sizes(a)[k])
    if starts.ndim != 1 or (starts.size and not (starts.min() >= 0 and starts.max() < n)):
        raise IndexError(f"{name}: indices must be one row of numbers from 0 to {n - 1}, got {starts}")
    if not starts.size:
        raise ShapeError(f"{name}: there is no index", "", "Give at least one.")
    ends = np.maximum(np.append(starts[1:], n), starts + 1)
    lines = movedim(a, k, 0)
    return stack([reduce(lines[i:j], 0) for i, j in zip(starts.tolist(), ends.tolist(), strict=True)], k)


def outer(ufunc: Any, row: Callable[..., Any], a: Any, b: Any, kwargs: dict[str, Any]) -> Any:
    """``ufunc.outer``: every element of one with every element of the other."""
    a, b = tensor_like(a), tensor_like(b)
    a = reshape(a, (*sizes(a), *(1,) * len(sizes(b))))
    return called(ufunc, row, (a, b), kwargs) if kwargs else row(a, b)


# ------------------------------------------------------------------------------------------- rows of their own


def _float_power(a: Any, b: Any) -> Any:
    a, b = (tensor_like(float(v) if type(v) is int else v) for v in (a, b))
    least = np.result_type(array(a).dtype, array(b).dtype, np.float64)
    return NUMPY[np.power](cast(a, least), b if is_number(b) else cast(b, least))


def _ldexp(x: Any, exponent: Any) -> Any:
    """``x`` times a power of 2, which is a constant: exponents are whole numbers, also in an array of floats."""
    x, k = tensor_like(x), array(exponent)
    if k.dtype.kind == "f" and not isinstance(exponent, float) and not recorded(exponent) and (k == np.rint(k)).all():
        k = k.astype(np.int64)
    if k.dtype.kind not in "iub":
        raise TypeError(f"np.ldexp: the exponent is a whole number, not {k.dtype}")
    kind = np.ldexp(np.zeros((), array(x).dtype), np.zeros((), k.dtype)).dtype
    return cast(x, kind) * np.ldexp(np.ones((), kind), k)


def _reciprocal(x: Any) -> Any:
    """1 / x with NumPy's sign of a zero, which says the side of a cut: above the real axis the result is below it."""
    if kind_of(x) != "c":
        return e.reciprocal(x)
    return e.div(np.array(complex(1, -0.0), array(x).dtype), tensor_like(x))


def _power_of_negative(a: Any, b: Any) -> Any:
    """A power, of which a negative number beside complex exponents is complex: so is its logarithm, in the slope."""
    below = type(a) in (int, float) and a < 0 and kind_of(b) == "c"
    return pow(complex(a) if below else a, b)


NUMPY[np.power] = _power_of_negative
NUMPY[np.float_power] = _float_power
NUMPY[np.reciprocal] = _reciprocal
NUMPY[np.ldexp] = _ldexp
NUMPY[np.fix] = lambda x, out=None: e.trunc(tensor_like(x))
