"""The methods of NumPy's arrays.

The idea to hold: a method is NumPy's function with the array in front. A keyword that only PyTorch has (``dim``,
``keepdim``) asks for PyTorch's method.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import GradientError
from ..ops._dims import spread
from ..ops._numpy_arguments import recorded
from ..ops._public import METHODS
from ..ops.entries._copy import cast
from ._members_of_tensors import method, of_tensors, tensor_in
from ._ndarray import ARRAYS, SCALARS, Array, View, around, array_of, constant, laid_out, view_of
from ._numpy_index import set_subscript
from ._protocols import call_function, call_ufunc, own_way
from ._view_steps import Moved

_PYTORCH_WORDS = frozenset(["correction", "descending", "dim", "dim0", "dim1", "dims", "keepdim", "unbiased"])


# ------------------------------------------------------------------------------------------------ NumPy's functions


def _of_function(name: str, func: Any) -> None:
    def method(self: Array, *args: Any, **kwargs: Any) -> Any:
        if kwargs and not _PYTORCH_WORDS.isdisjoint(kwargs) and name in METHODS:
            return of_tensors(self, name, args, kwargs)
        return call_function(func, (self, *args), kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"NumPy's method: ``np.{name}`` of this array."
    setattr(Array, name, method)


for _name in """
all any argmax argmin argpartition argsort cumprod cumsum diagonal dot max mean min nonzero prod ravel repeat round
searchsorted squeeze std sum swapaxes take trace var
""".split():  # noqa: SIM905
    _of_function(_name, getattr(np, _name))


own_way(
    np.result_type,
    lambda *args: np.result_type(*[a._shaped().dtype if type(a) in ARRAYS else a for a in args]),
)


@method
def reshape(self: Array, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    """The same entries in another shape."""
    found = call_function(np.reshape, (self, spread(shape)), {"order": order} if order != "C" else {})
    return found.copy() if copy else found


@method
def transpose(self: Array, *axes: Any, **words: Any) -> Any:
    """The dimensions in reverse, or in another order."""
    if words:
        return of_tensors(self, "transpose", axes, words)
    if axes and axes[0] is not None:
        return call_function(np.transpose, (self, spread(axes)), {})
    return call_function(np.transpose, (self,), {})


@method
def flatten(self: Array, order: str = "C") -> Any:
    """A copy in one dimension."""
    return array_of(tensor_in(call_function(np.ravel, (self,), {"order": order} if order != "C" else {})))


@method
def copy(self: Array, order: str = "C") -> Any:
    """A copy."""
    return around(self._t) if type(self) in SCALARS else array_of(laid_out(self._t, order))


@method
def conj(self: Array) -> Any:
    """The complex conjugate, of what is real itself."""
    return self if self.dtype.kind != "c" else call_ufunc(np.conjugate, "__call__", (self,), {})


Array.conjugate = conj  # type: ignore[attr-defined]


@method
def astype(
    self: Array, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    """The array in another dtype."""
    return cast_to(self, dtype, casting, copy, order)


def cast_to(a: Array, dtype: Any, casting: Any = "unsafe", copy: bool = True, order: str = "K") -> Any:
    """An array in another dtype: whole numbers have no derivative, and their values are constants."""
    target, t = np.dtype(dtype), a._t
    if not np.can_cast(t._data.dtype, target, casting):
        raise TypeError(
            f"Cannot cast array data from {t._data.dtype!r} to {target!r} according to the rule '{casting}'"
        )
    if t._data.dtype == target:
        return a if not copy or type(a) in SCALARS else array_of(laid_out(t, order))
    found = cast(t, target)
    return around(found) if type(a) in SCALARS else array_of(laid_out(found, order))


@method
def clip(self: Array, min: Any = None, max: Any = None, out: Any = None, **words: Any) -> Any:
    """The entries within limits, of which either may be left out."""
    return call_function(np.clip, (self, min, max), words if out is None else {**words, "out": out})


@method
def compress(self: Array, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """The slices where a condition holds."""
    return call_function(np.compress, (condition, self, axis), {} if out is None else {"out": out})


@method
def choose(self: Array, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Entries of the choices that this array of numbers names."""
    return call_function(np.choose, (self, choices), {"mode": mode} if out is None else {"mode": mode, "out": out})


# --------------------------------------------------------------------------------------------------------- in place


@method
def fill(self: Array, value: Any) -> None:
    """Write one value to all entries."""
    set_subscript(self, ..., value)


def _arranged(func: Any) -> Callable[..., None]:
    def method(self: Array, *args: Any, **kwargs: Any) -> None:
        self._set(tensor_in(call_function(func, (self, *args), kwargs)))

    return method


Array.sort = _arranged(np.sort)  # type: ignore[attr-defined]
Array.partition = _arranged(np.partition)  # type: ignore[attr-defined]


@method
def put(self: Array, indices: Any, values: Any, mode: str = "raise") -> None:
    """Write values to places of the flat array."""
    call_function(np.put, (self, indices, values), {"mode": mode})


@method
def resize(self: Array, *new_shape: Any, refcheck: bool = True) -> None:
    """Change the shape in place: entries beyond are zeros."""
    if not new_shape or new_shape[0] is None:
        return
    shape = spread(new_shape)
    line = call_function(np.ravel, (self,), {})
    n, m = line.size, int(np.prod(shape))
    if m > n:
        line = call_function(np.concatenate, ([line, np.zeros(m - n, self.dtype)],), {})
    t = tensor_in(call_function(np.reshape, (line[:m], shape), {}))
    if isinstance(self, View):
        raise ValueError("cannot resize this array: it does not own its data")
    self._set(t)


@method
def view(self: Array, *args: Any, **kwargs: Any) -> Any:
    """A view of the array itself (a dtype is refused where there is something to differentiate)."""
    if args and all(isinstance(a, (int, tuple, list)) for a in args):
        return reshape(self, *args)
    dtype = args[0] if args else kwargs.get("dtype")
    t = self._t
    if dtype is None or (isinstance(dtype, type) and issubclass(dtype, np.ndarray)) or np.dtype(dtype) == t._data.dtype:
        return view_of(self, (Moved(lambda x: x),), t)
    if recorded(t):
        raise GradientError(
            f"view({np.dtype(dtype)}) reads the bytes of what is being differentiated as other numbers",
            "No derivative flows through that.", "Use astype, or .real and .imag of complex numbers.",
        )  # fmt: skip
    return constant(t._data.view(dtype).copy())
