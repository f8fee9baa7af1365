"""Operators and in-place methods of tensors, and the latter as functions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import starmap
from typing import Any

import numpy as np

from .._errors import NotDifferentiableError
from ..core import Tensor, check_writable, has_history, wrap, write_result
from .arguments import is_number, known_values
from .entries import elementwise as e
from .entries.arithmetic import (  # fmt: skip
    abs,
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    div,
    equal_to,
    greater,
    greater_equal,
    less,
    less_equal,
    neg,
    not_equal_to,
    pow,
    remainder,
    subtract,
)
from .public import FUNCTIONS, METHODS, in_place, with_further_names

# -------------------------------------------------------------------------------------------------------------------
# In-place methods under their names as functions, ``sg.exp_(x)``; those that call a Python function on each entry


_FUNCTIONS = """
abs acos acosh addmv arccos arccosh arcsin arcsinh arctan arctanh as_strided asin asinh atan atanh ceil clamp clamp_max
clamp_min clip conj_physical cos cosh deg2rad erf erfc exp exp2 expm1 fill fix floor frac gcd i0 index_put lcm ldexp log
log10 log1p log2 logit nan_to_num neg negative rad2deg reciprocal relu round rsqrt sigmoid sin sinc sinh sqrt square tan
tanh trunc xlogy zero
""".split()  # noqa: SIM905
"""The in-place methods that PyTorch has as functions, too."""


def publish_in_place() -> None:
    """Publish these methods as functions."""
    FUNCTIONS.update({f"{name}_": with_further_names(METHODS[f"{name}_"], {"input": "self"}) for name in _FUNCTIONS})


def _mapped(name: str, self: Tensor, function: Callable[..., Any], *others: Any) -> Tensor:
    if any(map(has_history, (self, *others))):
        raise NotDifferentiableError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.", "",
            "Write the function in operations, or as an autograd.Function.",
        )  # fmt: skip
    check_writable(self, name)
    values = [np.broadcast_to(known_values(t, name), self._data.shape) for t in (self, *others)]
    found = np.array(list(starmap(function, zip(*(v.reshape(-1).tolist() for v in values), strict=True))))
    return write_result(self, wrap(found.reshape(self._data.shape).astype(self._data.dtype)), name)


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Write ``callable(entry)`` in the place of each entry, and return the tensor; for tensors without gradient."""
    return _mapped("apply_", self, callable)


def map_(self: Tensor, tensor: Any, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Write ``callable(entry, other)`` in the place of each entry, for the entries of ``tensor``; see `apply_`."""
    return _mapped("map_", self, callable, tensor)


def map2_(self: Tensor, x: Any, y: Any, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Write ``callable(entry, one, other)`` in the place of each entry, for those of ``x`` and ``y``; see `apply_`."""
    return _mapped("map2_", self, callable, x, y)


METHODS.update(apply_=apply_, map_=map_, map2_=map2_)


# -------------------------------------------------------------------------------------- Python's operators on tensors


def _swapped(fn: Any) -> Any:
    def operator(self: Any, other: Any) -> Any:
        return fn(other, self)

    return operator


def _equality(fn: Any, unlike: bool) -> Any:
    def operator(self: Any, other: Any) -> Any:
        if isinstance(other, (Tensor, np.ndarray, np.generic, int, float, complex)):
            return fn(self, other)
        return unlike if other is None else NotImplemented

    return operator


_FORWARD = {
    "add": e.add, "sub": subtract, "mul": e.mul, "truediv": e.div, "pow": pow, "mod": remainder,
    "floordiv": lambda a, b: div(a, b, rounding_mode="floor"), "and": bitwise_and, "or": bitwise_or, "xor": bitwise_xor,
    "lshift": bitwise_left_shift, "rshift": bitwise_right_shift,
}  # fmt: skip
for _name, _fn in _FORWARD.items():
    setattr(Tensor, f"__{_name}__", _fn)
    setattr(Tensor, f"__r{_name}__", _swapped(_fn))
    setattr(Tensor, f"__i{_name}__", in_place(_fn, f"{_name}_"))
_OTHERS = {
    "rsub": lambda self, other: subtract(other, self) if isinstance(other, Tensor) else e.rsub(self, other),
    "rtruediv": lambda self, other: e.rdiv(self, other) if is_number(other) else e.div(other, self),
    "lt": less, "le": less_equal, "gt": greater, "ge": greater_equal,
    "eq": _equality(equal_to, False), "ne": _equality(not_equal_to, True), "hash": object.__hash__,
    "neg": neg, "pos": lambda self: self, "abs": abs, "invert": bitwise_not,
}  # fmt: skip
for _name, _fn in _OTHERS.items():
    setattr(Tensor, f"__{_name}__", _fn)
