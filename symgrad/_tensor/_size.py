"""``x.size``: PyTorch's method, which says so where NumPy's number was meant."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._errors import DTypeError

_WORDS = "x.size is a method: write x.numel() or np.size(x)"  # a failed operation shows this much of an operand


def _refuse(*_: Any) -> Any:
    raise DTypeError(
        "x.size is PyTorch's method here, not the number of elements", "x.size() is the shape.",
        "Write x.numel() or np.size(x).",
    )  # fmt: skip


class method:
    """``x.size``: a method that is called, and refuses to be computed with (errors of operands show a type's name)."""

    __slots__ = ("_fn", "_self")
    __array_ufunc__ = _refuse
    __hash__ = object.__hash__

    def __init__(self, fn: Callable[..., Any], owner: Any) -> None:
        self._fn, self._self = fn, owner

    def __call__(self, dim: int | None = None) -> Any:
        """Return the shape, or the size of one dimension."""
        return self._fn(self._self, dim)

    def __repr__(self) -> str:
        return _WORDS


for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod",
    "rpow", "neg", "lt", "le", "gt", "ge", "eq", "ne", "index", "int", "float", "bool", "iter", "len", "getitem",
):  # fmt: skip
    setattr(method, f"__{_name}__", _refuse)


class SizeMethod:
    """The member ``size`` of a class of tensors: on the class the function, on a tensor its `method`."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._fn = fn
        functools.update_wrapper(self, fn)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self._fn if instance is None else method(self._fn, instance)

    def __call__(self, *args: Any) -> Any:
        return self._fn(*args)
