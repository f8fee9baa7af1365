"""Arguments as users write them, made definite: dimensions, sizes, dtypes, values; NumPy's on tensors."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import DimensionError, DTypeError, NotDifferentiableError, ShapeError, SymbolicBranchError
from .._typing import as_dtype
from ..core import (
    FORGOTTEN,
    Dim,
    Found,
    FoundFloat,
    Symbol,
    Tensor,
    extra,
    found_from_values,
    has_history,
    plain_array,
    refuse_foreign,
    row_function,
    short_dtype,
    unwrap,
    wrap,
)

# -------------------------------------------------------------------------------------------------------------------
# Arguments as users write them, made definite: dimensions non-negative, sizes as tuples, dtypes and values checked in

# PyTorch's words.


def listed(args: Any) -> Any:
    """The arguments of ``f(a, b)``, and of ``f([a, b])``."""
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else args


def sizes(x: Any) -> tuple[int, ...]:
    """The shape of a tensor, an array, a number or a formula."""
    if type(x) is Tensor:
        return x._data.shape
    shape = getattr(x, "shape", None)
    return np.shape(x) if shape is None else tuple(shape)


def rank(x: Any) -> int:
    """The number of dimensions of a tensor, array, number or formula."""
    return x._data.ndim if type(x) is Tensor else len(sizes(x))


def kind_of(x: Any) -> str:
    """The kind of a tensor's or array's dtype ('' for what has none)."""
    return x._data.dtype.kind if type(x) is Tensor else getattr(getattr(x, "dtype", None), "kind", "")


def ndarray_of(x: Any) -> np.ndarray:
    """The array of a tensor; of anything else the array it makes."""
    return x._data if isinstance(x, Tensor) else plain_array(x)


def known_values(x: Any, what: str) -> Any:
    """The array of a tensor whose values decide what happens; a symbol has none."""
    if type(x) is Symbol:
        raise SymbolicBranchError(
            f"{what} depends on the values of a symbol, which are not known",
            "It is a symbol, or was computed from one: it stands for any value.",
            "Use sg.where(condition, a, b), which keeps both, or call the function with arrays.",
        )
    if isinstance(x, np.ndarray):
        refuse_foreign((type(x),))
    return unwrap(x)


def rests_on_values(x: Any) -> bool:
    """Whether a tensor was computed from one with a history, or by comparing such: at another point it is another."""
    return isinstance(x, Tensor) and (x._node is not None or found_from_values(x))


def found_in(found: Any, *sources: Any) -> Any:
    """What was found by looking at the values of ``sources``, as a tensor that says so to formulas; an array stays one
    where there is no tensor among them."""
    if not any(isinstance(s, Tensor) for s in sources):
        return found
    t = found if isinstance(found, Tensor) else wrap(found)
    if any(map(rests_on_values, sources)):
        extra(t).origin = FORGOTTEN
    return t


def is_number(x: Any) -> bool:
    """Whether ``x`` is a Python number (a truth value is none)."""
    return isinstance(x, (int, float, complex)) and not isinstance(x, bool)


def constant_number(x: Any, what: str) -> Any:
    """A number that chooses what is computed; a tensor's, if no gradient is asked for."""
    if is_number(x):
        return x
    x = known_values(x, what) if isinstance(x, Symbol) else x
    if has_history(x):
        raise NotDifferentiableError(
            f"{what} has no derivative rule for a tensor that requires grad", "It chooses what is computed.",
            "Pass a number: float(x.detach()).",
        )  # fmt: skip
    found, x = rests_on_values(x), unwrap(x)
    if np.ndim(x):
        raise TypeError(f"{what} takes one number, not an array of shape {np.shape(x)}")
    x = x.item() if isinstance(x, np.ndarray) else x
    return (Found if type(x) is int else FoundFloat)(x) if found and type(x) in (int, float) else x


def numbers_only(shape: Any, what: str) -> tuple[int, ...]:
    """The shape, all of whose sizes must be numbers: ``what`` is made for one size only."""
    if any(type(n) is Dim for n in shape):
        raise SymbolicBranchError(
            f"{what} depends on sizes as numbers, and a symbol of shape ({', '.join(map(str, shape))}) stands for any",
            "It picks elements by their places.",
            "Declare the symbol with numbers as its sizes, or call the function with arrays.",
        )
    return tuple(shape)


def axis_of(dim: Any, ndim: int, step: str = "Count dimensions from 0, or from -1 at the end.") -> int:
    """``dim`` counted from the front; a tensor without dimensions counts as having one."""
    n = ndim or 1
    k = dim if type(dim) is int else operator.index(dim)
    if -n <= k < n:
        return k % n
    raise DimensionError(
        f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {k})",
        f"The tensor has {ndim} dimensions.", step,
    )  # fmt: skip


def axes_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """``dim`` (a number, several, or none for all) as a sorted tuple of non-negative numbers."""
    if dim is None:
        return tuple(range(ndim))
    if not isinstance(dim, (tuple, list)):
        k = axis_of(dim, ndim)
        return (k,) if ndim else ()
    found = sorted(many_dims(dim, ndim))
    return tuple(found if ndim else ()) if found else tuple(range(ndim))


def reduced_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that a reduction of NumPy's goes along: ``axis=()`` is none of them, where PyTorch means all."""
    return () if no_axis(axis) else axes_of(axis, ndim)


def no_axis(axis: Any) -> bool:
    """Whether NumPy's ``axis=`` says that there is none to go along."""
    return isinstance(axis, tuple) and not axis


def many_dims(dims: Any, ndim: int) -> tuple[int, ...]:
    """Several dimensions (or one) counted from the front, none twice."""
    wanted = tuple(axis_of(d, ndim) for d in ((dims,) if isinstance(dims, (int, np.integer)) else dims))
    for d in wanted:
        if wanted.count(d) > 1:
            raise ShapeError(
                f"dim {d} appears multiple times in the list of dims", f"The dims are {dims}.", "Name each once."
            )
    return wanted


def integers_of(args: tuple[Any, ...]) -> tuple[int, ...]:
    """The integers of ``f(2, 3)``, ``f((2, 3))`` or ``f([2, 3])``."""
    if all(type(a) is int for a in args):
        return args
    if len(args) == 1 and not isinstance(args[0], int) and getattr(args[0], "ndim", True):
        args = tuple(args[0])
    return tuple(a if type(a) is int or type(a) is Dim else whole(a) for a in args)


def whole(k: Any) -> int:
    """An index, a bound or a size as a whole number; a tensor's says that it was found at the point."""
    n = operator.index(k)
    return Found(n) if type(k) is Found or rests_on_values(k) else n


def infer(size: tuple[int, ...], count: int) -> tuple[int, ...]:
    """``size`` with its -1 worked out for ``count`` elements."""
    known = math.prod(s for s in size if s != -1)
    free = size.count(-1)
    if min(size, default=0) < -1:
        bad = next(k for k, s in enumerate(size) if s < -1)
        raise ShapeError(
            f"invalid shape dimension {size[bad]} at index {bad} of shape {list(size)}", "", "Only -1 is inferred."
        )
    if free > 1:
        raise ShapeError(
            "only one dimension can be inferred", f"The shape {list(size)} has {free} of them.", "Leave one -1."
        )
    if free and known == 0 and count == 0:
        raise ShapeError(
            f"cannot reshape tensor of 0 elements into shape {list(size)} because the unspecified dimension size -1 "
            "can be "
            "any value and is ambiguous",
            "",
            "Give the size.",
        )
    if (known != count) if not free else (known == 0 or count % known):
        raise ShapeError(
            f"shape '{list(size)}' is invalid for input of size {count}",
            f"The sizes multiply to {known}.",
            "Check the sizes, or let -1 stand for one of them.",
        )
    return tuple(count // known if s == -1 else s for s in size) if free else size


def unexpandable(shape: tuple[int, ...], target: tuple[int, ...]) -> str:
    """PyTorch's words for a shape that does not broadcast to ``target``, where -1 is any size; empty if it does."""
    if len(shape) > len(target):
        return (
            f"expand(tensor of {list(shape)}, size={list(target)}): the number of sizes provided ({len(target)}) must "
            f"be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    for k in range(1, len(shape) + 1):
        if shape[-k] not in (1, target[-k]) and target[-k] != -1:
            return (
                f"The expanded size of the tensor ({target[-k]}) must match the existing size ({shape[-k]}) at "
                f"non-singleton dimension {len(target) - k}.  Target sizes: {list(target)}.  Tensor sizes: "
                f"{list(shape)}"
            )
    return ""


def flag(value: Any, name: str) -> bool:
    """A choice between yes and no: NumPy's methods take a dtype or the kind of a sort in that place."""
    if isinstance(value, (type, str, np.dtype)):
        raise TypeError(f"{name} is True or False, got {value!r}: NumPy's arguments go by name (dtype=, kind=)")
    return bool(value)


def need_float(x: Any, words: str) -> None:
    """Raise PyTorch's error for a tensor of whole numbers, ``words`` ending where the dtype's name belongs."""
    if type(x) is Tensor and x._data.dtype.kind not in "fc":
        raise DTypeError(f"{words} {short_dtype(x._data.dtype)}", "", "Cast it first: x.double(), or dtype=sg.float64.")


def factor(value: Any, *operands: Any) -> Any:
    """A number that multiplies tensors: beside whole numbers alone it is cut to one, as PyTorch does."""
    return int(value) if type(value) is float and {*map(kind_of, operands)} <= {"b", "i", "u"} else value


def no_kernel(kernel: str, dtype: Any, evidence: str, advice: str) -> DTypeError:
    """PyTorch's error for a dtype that ``kernel`` was not written for."""
    return DTypeError(f"\"{kernel}\" not implemented for '{short_dtype(dtype)}'", evidence, advice)


def same_dtype(x: Any, y: Any, words: str) -> None:
    """Raise if two tensors differ in dtype: ``words``, with their names in place of ``{}``."""
    if isinstance(x, Tensor) and isinstance(y, Tensor) and x._data.dtype != y._data.dtype:
        raise DTypeError(
            words.format(short_dtype(x._data.dtype), short_dtype(y._data.dtype)),
            f"The dtypes are {x._data.dtype} and {y._data.dtype}.",
            "Cast one with .to(dtype).",
        )


def as_index(index: Any) -> Any:
    """An index that is a tensor; the array of anything else."""
    return index if isinstance(index, Tensor) else np.asarray(known_values(index, "which elements an index picks"))


def index_operand(
    index: Any, where: str, words: str = "int32/int64 for index", error: type[Exception] = DTypeError
) -> Any:
    """An index tensor (or the array of anything else), which must hold integers (PyTorch wants int64 or int32).

    The error is ``where: Expected dtype words``, with the dtype in place of ``{}``.
    """
    operand = as_index(index)
    dtype = unwrap(operand).dtype
    if dtype not in (np.dtype(np.int64), np.dtype(np.int32)):
        if operand is not index and not operand.size:
            return operand.astype(np.int64)  # an empty list has no dtype of its own
        what = f"{where}: Expected dtype {words}"
        raise error(what.replace("{}", short_dtype(dtype)), f"The index has dtype {dtype}.", "Cast it with .long().")
    return operand


def in_range(index: np.ndarray, n: int, what: str, negative: bool = False, error: Any = DimensionError) -> np.ndarray:
    """The index, if all its places are there; ``what`` says where they are not, with the place for ``{}``."""
    low = -n if negative else 0
    if index.size and (index.min() < low or index.max() >= n):
        bad = next(int(i) for i in index.flat if not low <= i < n)
        raise error(what.format(bad), f"It holds {bad}; the size is {n}.", "Check it.")
    return index


# -------------------------------------------------------------------------------------------------------------------
# NumPy's arguments on tensors: a list where PyTorch wants a tensor, any number of dimensions where it wants one


def tensor_like(a: Any) -> Any:
    """A tensor as it is; of anything else the array it makes, or of a list with tensors in it the tensor."""
    if isinstance(a, Tensor):
        return a
    return row_function("stack")([tensor_like(v) for v in a], 0) if _holds_tensors(a) else plain_array(a)


def _holds_tensors(a: Any) -> bool:
    return type(a) in (list, tuple) and any(isinstance(v, Tensor) or _holds_tensors(v) for v in a)


def alike(*operands: Any) -> list[Any]:
    """The operands, of the dtype that NumPy joins theirs to: of single precision and whole numbers that is double."""
    parts = [tensor_like(a) for a in operands]
    kinds = [ndarray_of(p).dtype for p in parts]
    if all(k is kinds[0] for k in kinds):
        return parts
    kind = np.result_type(*kinds)
    return [p if ndarray_of(p).dtype == kind else row_function("cast")(p, kind) for p in parts]


def common_kind(*values: Any) -> np.dtype:
    """The dtype of what is chosen among values; a number of Python's leaves that to the arrays."""
    return np.result_type(
        *(v if isinstance(v, (int, float, complex)) else ndarray_of(tensor_like(v)).dtype for v in values)
    )


def summed_in(a: Any, dtype: Any = None) -> Any:
    """The dtype of sums and products of elements: the one that is said; of whole numbers a long one; None for floats,
    which keep theirs."""
    if dtype is not None:
        return as_dtype(dtype)
    own = ndarray_of(a).dtype
    return None if own.kind in "fc" else np.result_type(own, np.uint if own.kind == "u" else np.int_)


def averaged(a: Any, dtype: Any = None) -> Any:
    """The elements as their mean is found: in the dtype that is said, and whole numbers in double precision."""
    wanted = ndarray_of(a).dtype if dtype is None else as_dtype(dtype)
    a = a if ndarray_of(a).dtype == wanted else row_function("cast")(a, wanted)
    return a if wanted.kind in "fc" else row_function("cast")(a, np.dtype(np.float64))


def as_line(a: Any) -> Any:
    """The elements of a tensor, an array, a list or a number as one row."""
    return tensor_like(a).reshape(-1)


def of_arrays(fn: Callable[..., Any]) -> Callable[..., Any]:
    """``fn`` for operands that may be lists and numbers."""
    return lambda *args: fn(*map(tensor_like, args))


def of_lines(fn: Callable[..., Any]) -> Callable[..., Any]:
    """``fn`` of two operands, each read as one row."""
    return lambda a, b, /, out=None: fn(*map(as_line, alike(a, b)))


def is_recorded(v: Any) -> bool:
    """Whether a derivative may be asked of what is computed from ``v``: a number's history would be lost."""
    return isinstance(v, Tensor) and (v._node is not None or type(v) is not Tensor)
