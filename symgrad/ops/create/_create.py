"""Making tensors: from data, filled, in ranges, like others, and complex ones from their parts.

Every function ends in `make`; what array the data is, is decided in `_data.py`.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _config
from ..._device import as_device
from ..._errors import DTypeError, ShapeError
from ..._typing import as_dtype, in_dtype
from ...core import (
    NUMPY,
    Dim,
    Tensor,
    alias,
    constant_from,
    extra,
    make_leaf,
    modes,
    shape_of,
    sizes_of_shape,
    symbolic,
    table,
    wrap,
)
from .._dims import array, constant_number
from .._public import METHODS, public
from ..entries._copy import cast, clone_row
from ..reduce._reduce import expand
from ._data import as_array, holds_recorded, number, number_dtype, numeric, together

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
    return constant_from(table("expand").op, symbolic(t, sizes_of_shape(shape)), (value,), (tuple(shape),), False)


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
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = tuple(given[0])
    try:
        shape = tuple([n if type(n) is Dim else operator.index(n) for n in given])
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
        shape = shape_asked(what, sizes_, size)
        t = make(fill(shape, float_dtype(dtype)), requires_grad, device, name)
        return of_sizes(t, shape) if fill is not np.empty else t

    def like(
        input: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, name: str | None = None,
        layout: Any = None, memory_format: Any = None,
    ) -> Any:
        source = array(input)
        data = fill(source.shape, source.dtype if dtype is None else as_dtype(dtype))
        if not isinstance(input, Tensor):
            return data
        t = make(data, requires_grad, device, name)
        return of_sizes(t, shape_of(input)) if fill is not np.empty else t

    def new(
        self: Tensor, *sizes_: Any, size: Any = None, dtype: Any = None, device: Any = None,
        requires_grad: bool = False, layout: Any = None, pin_memory: bool = False,
    ) -> Tensor:
        shape = shape_asked(f"new_{what}", sizes_, size)
        t = make(fill(shape, self._data.dtype if dtype is None else as_dtype(dtype)), requires_grad, device)
        return of_sizes(t, shape) if fill is not np.empty else t

    for g, title, sentence in (
        (fn, name, f"Return a tensor of the given sizes, {doc}."),
        (like, f"{name}_like", f"Return a tensor of the shape and dtype of ``input``, {doc}."),
        (new, f"new_{name}", f"Return a tensor of the given sizes and of this tensor's dtype, {doc}."),
    ):
        g.__name__ = g.__qualname__ = title
        g.__doc__ = sentence
    public(method=False)(fn)
    public(method=False)(like)
    METHODS[f"new_{name}"] = new
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


@public(method=False)
def full(
    size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    name: str | None = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:
    """Return a tensor of the given sizes filled with ``fill_value`` (whose type gives the dtype; a tensor's gradient
    is that of all entries together).
    """
    if holds_recorded(fill_value):
        return _spread(fill_value, shape_asked("full", (size,)), dtype)
    target = number_dtype(fill_value) if dtype is None else as_dtype(dtype)
    value = as_array(in_dtype(number(fill_value), target, "full"), target)
    shape = shape_asked("full", (size,))
    return of_sizes(make(np.full(shape, value), requires_grad, device, name), shape)


@public(method=False)
def full_like(
    input: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    name: str | None = None, layout: Any = None, memory_format: Any = None,
) -> Any:
    """Return a tensor of the shape and dtype of ``input`` filled with ``fill_value``, a number or a tensor of one."""
    source = array(input)
    if holds_recorded(fill_value):
        return _spread(fill_value, input.shape, source.dtype if dtype is None else dtype)
    target = source.dtype if dtype is None else as_dtype(dtype)
    data = np.full(source.shape, as_array(in_dtype(number(fill_value), target, "full_like"), target))
    if not isinstance(input, Tensor):
        return data
    return of_sizes(make(data, requires_grad, device, name), shape_of(input))


@public(function=False)
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor of the given sizes and of this tensor's dtype, filled with ``fill_value``."""
    target = self._data.dtype if dtype is None else as_dtype(dtype)
    if holds_recorded(fill_value):
        return _spread(fill_value, shape_asked("new_full", (size,)), target)
    value = as_array(in_dtype(number(fill_value), target, "new_full"), target)
    shape = shape_asked("new_full", (size,))
    return of_sizes(make(np.full(shape, value), requires_grad, device), shape)


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
