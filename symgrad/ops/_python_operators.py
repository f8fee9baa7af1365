"""Python's operators on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Tensor
from ._dims import is_number
from ._public import in_place
from .entries import _elementwise as e
from .entries._arithmetic import (
    abs,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    equal_to,
    greater,
    greater_equal,
    less,
    less_equal,
    neg,
    not_equal_to,
    pow,
    subtract,
)  # fmt: skip
from .entries._bits import bitwise_left_shift, bitwise_right_shift
from .entries._divide import div, remainder


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
