"""Making tensors: from data, filled, in ranges, like others; identity matrices, windows of signal processing."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from ... import _config
from ..._errors import DTypeError, ShapeError, SymbolicBranchError, SymgradError
from ..._typing import as_device, as_dtype, in_dtype
from ...core import (
    NUMPY,
    Dim,
    Symbol,
    Tensor,
    alias,
    constant_from,
    extra,
    hush,
    make_leaf,
    make_symbolic,
    modes,
    refuse_foreign,
    row_function,
    shape_of,
    sizes_of_shape,
    unhush,
    wrap,
)
from ..arguments import constant_number, listed, ndarray_of, sizes
from ..entries.copies import cast, clone_row
from ..public import FUNCTIONS, METHODS, named, public
from ..reduce.sums import expand

# ---------------------------- The array of any data: numbers, nested sequences of them or of tensors, arrays, tensors

# The idea to hold: there is one decision, about the dtype. Python floats take the default dtype, Python ints are
# int64, arrays and tensors keep theirs.


def number(x: Any) -> Any:
    """A Python number from a number or a one-element tensor."""
    if isinstance(x, Tensor):
        x = x._data
    return x.item() if isinstance(x, (np.ndarray, np.generic)) else x


def number_dtype(x: Any) -> np.dtype[Any]:
    """The dtype of a tensor made of the Python (or NumPy) number ``x``."""
    if isinstance(x, Tensor):
        return x._data.dtype
    if isinstance(x, np.generic):
        return x.dtype
    if isinstance(x, bool):
        return np.dtype(bool)
    if isinstance(x, int):
        return np.dtype(np.int64)
    return _config.complex_of(_config.default_dtype()) if isinstance(x, complex) else _config.default_dtype()


def as_array(data: Any, dtype: Any = None, copy: bool = True) -> np.ndarray:
    """The array of any data: numbers, nested sequences of them or of tensors, arrays, tensors."""
    state = hush()  # a number too large for the dtype is infinite there
    try:
        return _as_array(data, dtype, copy)
    finally:
        unhush(state)


def _as_array(data: Any, dtype: Any, copy: bool) -> np.ndarray:
    target = None if dtype is None else as_dtype(dtype)
    if isinstance(data, Tensor):
        data = _values(data)
    if isinstance(data, (list, tuple)):
        return _from_sequence(data, target)
    refuse_foreign((type(data),))
    if isinstance(data, (np.ndarray, np.generic)):
        array = np.array(data, dtype=target, copy=copy or None)
    elif isinstance(data, (bool, int, float, complex)):
        own = target or number_dtype(data)
        array = np.array(in_dtype(data, own, "tensor"), dtype=own)
    elif hasattr(data, "__array__") or hasattr(data, "__array_interface__") or hasattr(data, "__buffer__"):
        array = np.array(data, dtype=target, copy=copy or None)
    elif hasattr(data, "__len__") and hasattr(data, "__getitem__") and not isinstance(data, (str, bytes, dict)):
        return _from_sequence(list(data), target)
    elif data is None:
        raise DTypeError("Could not infer dtype of NoneType", "", "Pass numbers, a sequence of numbers or an array.")
    else:
        raise DTypeError(
            f"Could not infer dtype of {type(data).__name__}: new(): invalid data type '{type(data).__name__}'",
            "",
            "Pass numbers, a sequence of numbers or an array.",
        )
    return numeric(array)


def _values(t: Tensor) -> np.ndarray:
    if type(t) is Symbol:
        raise SymbolicBranchError(
            "a new tensor cannot be made of the values of a symbol, which are not known",
            "It is a symbol, or was computed from one: it stands for any value.",
            "Use sg.stack([a, b]) to put symbols together, x.detach() for a constant.",
        )
    if t._node is not None:
        t._refuse_lost("tensor")
    return t._data


def numeric(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "fciub":
        raise DTypeError(
            f"can't convert np.ndarray of type {array.dtype}.",
            "",
            "A tensor holds numbers or truth values.",
        )
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _from_sequence(data: Any, target: Any) -> np.ndarray:
    try:
        data = _untensored(data)
        array = np.array(data)
    except SymgradError:
        raise
    except (ValueError, TypeError) as error:
        raise _ragged(data, error) from None
    if array.dtype.kind in "Ou" and type(_first(data)) is int:  # beyond the whole numbers of 64 bits
        with suppress(TypeError):  # of what else is among them
            own, values = np.dtype(np.int64) if target is None else target, array.ravel().tolist()
            for value in (min(values), max(values)):
                in_dtype(value, own, "tensor")
            array = np.array(data, own)
    if array.dtype.kind not in "fciub":
        raise DTypeError(
            f"new(): invalid data type '{type(_first(data)).__name__}'", "", "Pass numbers or sequences of one length."
        )
    if target is None:
        target = array.dtype
        if array.size == 0:
            target = _config.default_dtype()
        elif target.kind in "fc" and not isinstance(_first(data), (np.ndarray, np.generic, Tensor)):
            default = _config.default_dtype()
            target = _config.complex_of(default) if target.kind == "c" else default
    return _within(array, target).astype(target, copy=False)


def _within(array: np.ndarray, target: np.dtype[Any]) -> np.ndarray:
    """The array itself, if the dtype holds its numbers."""
    if target.kind in "iu" and array.dtype.kind in "iuf" and array.dtype != target:
        for value in (array.min(initial=0), array.max(initial=0)):
            in_dtype(value.item(), target, "tensor")
    return array


def _untensored(data: Any) -> Any:
    if isinstance(data, Tensor):
        return _values(data)
    refuse_foreign(set(map(type, data)) if isinstance(data, (list, tuple)) else ())
    if isinstance(data, (list, tuple)) and any(isinstance(v, (Tensor, list, tuple)) for v in data):
        return [_untensored(v) for v in data]
    return data


def _first(data: Any) -> Any:
    while isinstance(data, (list, tuple)) and len(data):
        data = data[0]
    return data


def _ragged(data: Any, error: Exception) -> Exception:
    level, rows = 0, list(data)
    while rows and all(isinstance(v, (list, tuple, np.ndarray)) for v in rows):
        level += 1
        for v in rows:
            if len(v) != len(rows[0]):
                return ShapeError(
                    f"expected sequence of length {len(rows[0])} at dim {level} (got {len(v)})",
                    "The rows of a tensor have one length.", "Pad the shorter rows.",
                )  # fmt: skip
        rows = [u for v in rows for u in v]
    return DTypeError(f"not a sequence of numbers: {error}", "", "Pass numbers or sequences of one length.")


def holds_recorded(data: Any) -> bool:
    """Whether there are tensors with a history in a sequence."""
    if isinstance(data, (list, tuple)):
        return any(map(holds_recorded, data))
    return isinstance(data, Tensor) and (data._node is not None or type(data) is Symbol)


def together(data: Any) -> Tensor:
    """Tensors and numbers in sequences as one tensor, with their histories."""
    if isinstance(data, (list, tuple)):
        return FUNCTIONS["stack"]([together(part) for part in data], 0)
    return data if isinstance(data, Tensor) else wrap(as_array(data))


# ----------------------- Making tensors: from data, filled, in ranges, like others, and complex ones from their parts

# Every function ends in `make`; what array the data is, is decided above.


# PyTorch's signatures stand on as few lines as they fit
# fmt: off


def make(data: Any, requires_grad: bool = False, device: Any = None, name: str | None = None) -> Tensor:
    """A leaf around an array: what every creation function ends with."""
    t = wrap(data)
    if device is not None:
        as_device(device)
    if requires_grad:
        if t._data.dtype.kind not in "fc":
            raise DTypeError(
                "Only Tensors of floating point and complex dtype can require gradients",
                f"This tensor's dtype is {t._data.dtype}.", "Write 1.0 instead of 1, or pass dtype=sg.float64.",
            )  # fmt: skip
        make_leaf(t)
    if name is not None:
        t.name = name
    if modes.mode.get() == modes.INFERENCE:
        extra(t).inference = True
    return t


def of_sizes(t: Tensor, shape: Any) -> Tensor:
    """An array of one number; where a size is a named one, a symbol that says so: it has as many entries for any."""
    if t._node is not None or t._extra is not None or not any(type(n) is Dim for n in shape):
        return t  # a leaf, or what has a name, is an array
    value = wrap(np.array(t._data.reshape(-1)[0]))
    full = make_symbolic(t, sizes_of_shape(shape))
    return constant_from(row_function("expand").op, full, (value,), (tuple(shape),), False)


def float_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype asked for, else the default float dtype."""
    return _config.default_dtype() if dtype is None else as_dtype(dtype)


# ------------------------------------------------------------------------------------------------- from data


@public(method=False)
def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return a new tensor holding a copy of ``data``.

    Parameters
    ----------
    data : number, nested sequence, array or tensor; Python floats take the default dtype, ints are int64, arrays
        keep their dtype
    dtype : the dtype wanted, else inferred as above
    requires_grad : whether gradients flow to it
    name : what formulas and errors call it

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    tensor([[1., 2.],
            [3., 4.]], requires_grad=True)
    >>> sg.tensor([1, 2]).dtype
    symgrad.int64
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than sg.tensor(sourceTensor).",
            UserWarning, stacklevel=2,
        )  # fmt: skip
    return make(as_array(data, dtype), requires_grad, device, name)


@public(method=False)
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return ``data`` as a tensor: a tensor itself (in its graph), an array without copying, else as `tensor` does."""
    if device is not None:
        as_device(device)
    if isinstance(data, Tensor):
        return cast(data, dtype)
    if holds_recorded(data):
        return cast(together(data), dtype)
    return make(as_array(data, dtype, copy=False))


@public(method=False)
def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """Return ``obj`` as a tensor, sharing its memory unless ``copy=True`` or the dtype changes.

    A tensor stays in its graph, unless ``requires_grad=False`` says otherwise.
    """
    if isinstance(obj, Tensor):
        t = cast(obj, dtype)
        if copy and t is obj:
            t = clone_row(t, "K")
        if requires_grad is None:
            return t
        if not requires_grad:
            return alias(t, untracked=False) if t._node is not None else t
        return t if t._node is not None else make(t._data, True)
    if requires_grad is None and holds_recorded(obj):
        return cast(together(obj), dtype)
    return make(as_array(obj, dtype, copy=bool(copy)), bool(requires_grad), device)


@public(method=False)
def from_numpy(ndarray: np.ndarray) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    if not ndarray.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order: convert it with "
            "array.astype(array.dtype.newbyteorder('=')), or copy it with sg.tensor(array)"
        )
    return make(numeric(ndarray))


@public(method=False)
def scalar_tensor(s: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a 0-dimensional tensor of the default float dtype (whatever the number's own type)."""
    kind = float_dtype(dtype)
    s = in_dtype(number(constant_number(s, "scalar_tensor")), kind, "scalar_tensor")
    return make(np.array(s, kind), requires_grad, device)


# ---------------------------------------------------------------------------------------------------- filled


def shape_asked(what: str, args: tuple[Any, ...], size: Any = None) -> tuple[int, ...]:
    """The shape of ``f(2, 3)``, of ``f((2, 3))`` and of ``f(size=(2, 3))``."""
    given = args if size is None else (size,)
    if not given:
        raise TypeError(f"{what}() missing 1 required positional arguments: \"size\"")
    try:
        shape = tuple([n if type(n) is Dim else operator.index(n) for n in listed(given)])
    except TypeError:
        raise TypeError(f"{what}(): argument 'size' must be tuple of ints, not {given!r}") from None
    if any(n < 0 for n in shape):
        raise ShapeError(
            "zeros: Dimension size must be non-negative." if what == "zeros"
            else f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}",
            f"{what} got the sizes {list(shape)}.", "Sizes are 0 or more.",
        )  # fmt: skip
    return shape


def _filled(fill: Callable[..., np.ndarray], name: str, doc: str) -> None:
    what = name

    def fn(
        *sizes_: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False,
        name: str | None = None, layout: Any = None, pin_memory: bool = False,
    ) -> Tensor:
        return made(shape_asked(what, sizes_, size), float_dtype(dtype), requires_grad, device, name)

    def like(
        input: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, name: str | None = None,
        layout: Any = None, memory_format: Any = None,
    ) -> Any:
        source = ndarray_of(input)
        kind = source.dtype if dtype is None else as_dtype(dtype)
        if not isinstance(input, Tensor):
            return fill(source.shape, kind)
        return made(shape_of(input), kind, requires_grad, device, name)

    def new(
        self: Tensor, *sizes_: Any, size: Any = None, dtype: Any = None, device: Any = None,
        requires_grad: bool = False, layout: Any = None, pin_memory: bool = False,
    ) -> Tensor:
        kind = self._data.dtype if dtype is None else as_dtype(dtype)
        return made(shape_asked(f"new_{what}", sizes_, size), kind, requires_grad, device)

    def made(shape: Any, *how: Any) -> Tensor:
        t = make(fill(shape, how[0]), *how[1:])
        return t if fill is np.empty else of_sizes(t, shape)

    public(method=False)(named(fn, name, f"Return a tensor of the given sizes, {doc}."))
    public(method=False)(named(like, f"{name}_like", f"Return a tensor of the shape and dtype of ``input``, {doc}."))
    METHODS[f"new_{name}"] = named(
        new, f"new_{name}", f"Return a tensor of the given sizes and of this tensor's dtype, {doc}."
    )
    NUMPY[getattr(np, f"{name}_like")] = _numpy_like(like)


def _numpy_like(fn: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's arguments for a ``*_like`` function that met a tensor."""

    def on_tensor(a: Any, *args: Any, dtype: Any = None, shape: Any = None, **layout: Any) -> Any:
        if shape is not None:
            a = wrap(np.empty(shape, a._data.dtype))
        return fn(a, *args, dtype=dtype)

    return on_tensor


_filled(np.zeros, "zeros", "filled with 0")
_filled(np.ones, "ones", "filled with 1")
_filled(np.empty, "empty", "its entries not initialised")


def _spread(value: Tensor, shape: Any, dtype: Any) -> Any:
    """A tensor with a history in every entry."""
    if value._data.size != 1:
        raise ShapeError(
            f"a Tensor with {value._data.size} elements cannot fill a tensor", "It is one value that fills.",
            "Write np.broadcast_to(value, shape) where it has a shape.",
        )  # fmt: skip
    number = cast(value, dtype).reshape(())
    return clone_row(expand(number, tuple(shape)), "C")


def _full(what: str, value: Any, shape: Any, dtype: Any, *how: Any) -> Any:
    """A tensor of one value in a dtype; one with a history is in every entry."""
    if holds_recorded(value):
        return _spread(value, shape, dtype)
    data = np.full(shape, as_array(in_dtype(number(value), dtype, what), dtype))
    return of_sizes(make(data, *how), shape)


@public(method=False)
def full(
    size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    name: str | None = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:
    """Return a tensor of the given sizes filled with ``fill_value`` (whose type gives the dtype; a tensor's gradient
    is that of all entries together).
    """
    target = number_dtype(fill_value) if dtype is None else as_dtype(dtype)
    return _full("full", fill_value, shape_asked("full", (size,)), target, requires_grad, device, name)


@public(method=False)
def full_like(
    input: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    name: str | None = None, layout: Any = None, memory_format: Any = None,
) -> Any:
    """Return a tensor of the shape and dtype of ``input`` filled with ``fill_value``, a number or a tensor of one."""
    target = ndarray_of(input).dtype if dtype is None else as_dtype(dtype)
    found = _full("full_like", fill_value, sizes(input), target, requires_grad, device, name)
    return found if isinstance(input, Tensor) or holds_recorded(fill_value) else found._data


@public(function=False)
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor of the given sizes and of this tensor's dtype, filled with ``fill_value``."""
    target = self._data.dtype if dtype is None else as_dtype(dtype)
    return _full("new_full", fill_value, shape_asked("new_full", (size,)), target, requires_grad, device)


@public(function=False)
def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
) -> Tensor:
    """Return a tensor with a copy of ``data`` in this tensor's dtype."""
    return make(as_array(data, self._data.dtype if dtype is None else dtype), requires_grad, device)


# ---------------------------------------------------------------------------------------------- other memory


@public(method=False)
def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """Return a vector that shares the memory of a buffer (bytes, say)."""
    return make(np.frombuffer(buffer, as_dtype(dtype), count, offset), requires_grad)


@public(method=False)
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Return a tensor that shares the memory of another library's, through DLPack; a copy if ``copy``."""
    return make(numeric(np.array(np.from_dlpack(ext_tensor), copy=copy)), device=device)


# ----------------------------------------- Tensors of places and steps: identity matrices, ranges, triangles' indices

# The idea to hold: numbers evenly spread are computed as NumPy computes them; what they
# begin and end with decides the dtype.


@public(method=False)
def eye(
    n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the matrix with 1 on the diagonal and 0 elsewhere."""
    if n < 0 or (m or 0) < 0:
        raise ShapeError(f"n must be greater or equal to 0, got {n if n < 0 else m}", "", "Sizes are 0 or more.")
    t = make(np.eye(n, m, dtype=float_dtype(dtype)), requires_grad, device, name)
    if t._node is not None or name is not None or not (type(n) is Dim and (m is None or (type(m) is Dim and m == n))):
        return t
    ones = of_sizes(wrap(np.ones(int(n), t._data.dtype)), (n,))
    square = make_symbolic(t, sizes_of_shape((n,)))
    return constant_from(row_function("diag_embed").op, square, (ones,), (0, 0, 1), False)


@public(method=False)
def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the numbers from ``start`` (default 0) up to, not including, ``end``; int64 if all three are ints.

    Up to a named size they are floats, each one more than the last.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.arange(3), sg.arange(1, 2, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    >>> sg.formula(lambda y: y @ sg.arange(y.shape[0]), sg.symbol("y", "n"))
    yᵀt
    where t = (0, …, n − 1)
    """
    ends = (0, start, step) if end is None else (start, end, step)
    if any(type(v) is Dim for v in ends):
        return _counted(*ends)
    given = start, end, step = [number(constant_number(v, "arange")) for v in ends]
    kind = None if dtype is None else as_dtype(dtype)
    if kind is not None and kind.kind in "iu":  # PyTorch counts in whole numbers, and how many there are in int64 alone
        start, end, step = map(int, given)
    if step == 0:
        raise DTypeError("step must be nonzero", "", "Use full() for equal numbers.")
    if (given[1] - given[0]) * given[2] < 0:
        raise ShapeError(
            "upper bound and lower bound inconsistent with step sign", f"From {start} to {end} by {step}.",
            "Flip step.",
        )
    whole = all(isinstance(v, int) for v in (start, end, step))
    target = (np.dtype(np.int64) if whole else _config.default_dtype()) if kind is None else kind
    low, high, by = (start, end, step) if kind == np.int64 else given
    count = math.ceil((high - low) / by)
    by_count = target.kind in "fc" or not whole
    data = np.arange(count) * step + start if by_count else np.arange(start, start + count * step, step)
    return make(data.astype(target, copy=False), requires_grad, device, name)


def _counted(start: Any, end: Any, step: Any) -> Any:
    """Whole numbers from one to another, of which at least one is a named size."""
    if step != 1 or not isinstance(start, (int, Dim)) or not isinstance(end, (int, Dim)):
        raise ShapeError(
            f"arange of a named size counts by ones, got step={step!r}", f"From {start} to {end}.",
            f"Write step * sg.arange({end if start == 0 else end - start}) + start.",
        )  # fmt: skip
    count = end - start
    ones = of_sizes(wrap(np.ones(int(count), _config.default_dtype())), (count,))
    return METHODS["cumsum"](ones, 0) + (start - 1)


@public(method=False)
def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return ``steps`` numbers at equal distances from ``start`` to ``end``, both included; differentiable in both."""
    if steps < 0:
        raise ShapeError("number of steps must be non-negative", f"Got {steps}.")
    if holds_recorded(start) or holds_recorded(end):
        share = np.arange(steps) / max(steps - 1, 1)
        found = start * (1 - share) + end * share
        return cast(found, dtype)
    start, end = number(start), number(end)
    kind = _span_dtype(dtype, start, end)
    places = _whole_ends(start, end, steps) if kind.kind in "iu" else np.linspace(start, end, steps, dtype=kind)
    return make(places.astype(kind, copy=False), requires_grad, device, name)


@public(method=False)
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, name: str | None = None,
) -> Tensor:
    """Return ``base`` to the power of `linspace`'s numbers; differentiable in ``start`` and ``end``."""
    if holds_recorded(start) or holds_recorded(end):
        factor = math.log(constant_number(base, "logspace's base"))
        return METHODS["exp"](linspace(start, end, steps, dtype=dtype) * factor)
    start, end = number(start), number(end)
    kind = _span_dtype(dtype, start, end)
    if kind.kind in "iu":
        places = _whole_ends(start, end, steps) if steps > 1 else np.full(steps, start)
        data = np.power(float(base), places).astype(kind)
    else:
        data = np.logspace(start, end, steps, base=base, dtype=kind)
    return make(data, requires_grad, device, name)


def _whole_ends(start: Any, end: Any, steps: int) -> np.ndarray:
    """Places for whole numbers: between whole ends and counted from the nearer, so that PyTorch's are cut off here."""
    start, end, k = int(start), int(end), np.arange(steps)
    step = (end - start) / max(steps - 1, 1)
    return np.where(k < max(steps // 2, 1), start + step * k, end - step * (steps - 1 - k))


def _span_dtype(dtype: Any, *ends: Any) -> np.dtype[Any]:
    if dtype is None and any(isinstance(v, complex) for v in ends):
        return _config.complex_of(_config.default_dtype())
    return float_dtype(dtype)


@public(method=False)
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = np.int64, device: Any = None) -> Tensor:
    """Return the indices, (2, n), of the lower triangle of a matrix: rows first, then columns."""
    return make(np.array(np.tril_indices(row, offset, col), dtype=as_dtype(dtype)), device=device)


@public(method=False)
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = np.int64, device: Any = None) -> Tensor:
    """Return the indices, (2, n), of the upper triangle of a matrix: rows first, then columns."""
    return make(np.array(np.triu_indices(row, offset, col), dtype=as_dtype(dtype)), device=device)


# ---------------------------------------- Windows of signal processing: vectors of weights that fall off to both ends


def _cosines(*weights: float) -> Callable[[int], np.ndarray]:
    def window(n: int) -> np.ndarray:
        turn = 2 * np.pi * np.arange(n) / (n - 1)
        return np.asarray(sum((-1) ** k * w * np.cos(k * turn) for k, w in enumerate(weights)))

    return window


def _window(
    name: str,
    count: int,
    periodic: bool,
    draw: Callable[[int], np.ndarray],
    dtype: Any,
    requires_grad: bool,
    device: Any,
) -> Tensor:
    if count < 0:
        raise ShapeError(f"{name} requires non-negative window_length, got window_length={count}")
    data = np.ones(count) if count < 2 else draw(count + periodic)[:count]
    return make(data.astype(float_dtype(dtype)), requires_grad, device)


def _public_window(name: str, draw: Callable[[int], np.ndarray], words: str) -> None:
    def fn(
        window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = None, device: Any = None,
        pin_memory: bool = False, requires_grad: bool = False,
    ) -> Tensor:  # fmt: skip
        return _window(name, window_length, periodic, draw, dtype, requires_grad, device)

    doc = f"Return {words}; ``periodic`` windows end one step before they are symmetric."
    public(method=False)(named(fn, name, doc))


_public_window("bartlett_window", np.bartlett, "the triangular window")
_public_window("hann_window", _cosines(0.5, 0.5), "Hann's window, a raised cosine")
_public_window("blackman_window", _cosines(0.42, 0.5, 0.08), "Blackman's window, of two cosines")


@public(method=False)
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None,
    layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return Hamming's window, ``alpha - beta * cos``, which does not fall to zero."""
    return _window("hamming_window", window_length, periodic, _cosines(alpha, beta), dtype, requires_grad, device)


@public(method=False)
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return Kaiser's window; a larger ``beta`` is narrower."""
    draw = lambda n: np.kaiser(n, beta)
    return _window("kaiser_window", window_length, periodic, draw, dtype, requires_grad, device)
