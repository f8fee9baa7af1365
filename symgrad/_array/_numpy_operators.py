"""Python's operators on arrays, as NumPy means them.

The idea to hold: an operator is its ufunc. Where a float64 array meets a number or another one, the tensors' own
operator is called at once; everything else (other dtypes, lists, plain arrays) is sorted out as the ufunc's call is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Dim, Symbol, Tensor, is_sparse, modes, of_numpy
from ._ndarray import ARRAYS, Array, Owner, Scalar, around, scalar
from ._pieces import expect_own_choice, expect_own_root
from ._protocols import call_ufunc, carried, unpacked, write_to

_F64 = np.dtype(np.float64)
_new = object.__new__

_BINARY: dict[str, tuple[Any, Callable[..., Any]]] = {
    "add": (np.add, operator.add), "sub": (np.subtract, operator.sub), "mul": (np.multiply, operator.mul),
    "truediv": (np.divide, operator.truediv), "pow": (np.power, operator.pow), "mod": (np.remainder, operator.mod),
    "floordiv": (np.floor_divide, operator.floordiv), "matmul": (np.matmul, operator.matmul),
    "and": (np.bitwise_and, operator.and_), "or": (np.bitwise_or, operator.or_),
    "xor": (np.bitwise_xor, operator.xor), "lshift": (np.left_shift, operator.lshift),
    "rshift": (np.right_shift, operator.rshift), "divmod": (np.divmod, divmod),
}  # fmt: skip
_COMPARE: dict[str, tuple[Any, Callable[..., Any]]] = {
    "lt": (np.less, operator.lt), "le": (np.less_equal, operator.le), "gt": (np.greater, operator.gt),
    "ge": (np.greater_equal, operator.ge), "eq": (np.equal, operator.eq), "ne": (np.not_equal, operator.ne),
}  # fmt: skip
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
_DIRECT = frozenset(["add", "sub", "mul", "truediv", "pow", "lt", "le", "gt", "ge", "eq", "ne"])


def _binary(name: str, ufunc: Any, op: Callable[..., Any]) -> Callable[[Array, Any], Any]:
    direct = name in _DIRECT

    def method(self: Array, other: Any) -> Any:
        t = self._t
        kind = type(other)
        if direct and t._node is not None and t._data.dtype is _F64:
            if kind is float or kind is int or kind is Dim:
                r = op(t, other)
            elif kind in ARRAYS and other._t._data.dtype is _F64:
                r = op(t, other._t)
            else:
                return _general(ufunc, self, other)
            if type(r) is Tensor and r._node is not None:
                if not r._data.ndim:
                    return scalar(r)
                a = _new(Owner)
                a._t = r
                a._waiting = None
                return a
            return around(r)
        return around(op(t, other)) if kind is Dim else _general(ufunc, self, other)

    method.__name__ = method.__qualname__ = f"__{name}__"
    return method


def _with_roots(power: Callable[[Array, Any], Any]) -> Callable[[Array, Any], Any]:
    """A power that knows of NumPy's norms, which are roots of sums of pieces."""

    def method(self: Array, other: Any) -> Any:
        if isinstance(self, Scalar) and isinstance(other, (float, np.floating)) and 0 < other < 1 and not self._t._data:
            expect_own_root()
        return power(self, other)

    method.__name__ = method.__qualname__ = "__pow__"
    return method


def _general(ufunc: Any, a: Any, b: Any) -> Any:
    if ufunc is np.matmul and (is_sparse(a) or is_sparse(b)):
        return carried(of_numpy[np.matmul](*[v if is_sparse(v) else unpacked(v) for v in (a, b)]))
    if not _is_operand(a) or not _is_operand(b):
        return NotImplemented
    return call_ufunc(ufunc, "__call__", (a, b), {})


def _is_operand(v: Any) -> bool:
    if v is None or isinstance(v, (str, bytes, dict, set)):
        return False
    return not hasattr(type(v), "__array_ufunc__") or type(v).__array_ufunc__ is not None


def _swapped(name: str, ufunc: Any, op: Callable[..., Any]) -> Callable[[Array, Any], Any]:
    direct = name in _DIRECT

    def method(self: Array, other: Any) -> Any:
        kind = type(other)
        if direct and (kind is float or kind is int):
            t = self._t
            if t._node is not None and t._data.dtype is _F64:
                return around(op(other, t))
        return around(op(other, self._t)) if kind is Dim else _general(ufunc, other, self)

    method.__name__ = method.__qualname__ = f"__r{name}__"
    return method


def _in_place(name: str, ufunc: Any) -> Callable[[Array, Any], Any]:
    plain = f"__{name}__"

    def method(self: Array, other: Any) -> Any:
        found = getattr(self, plain)(other)
        if found is NotImplemented:
            return found
        write_to(self, found, f"{public_sign(name)}=")
        return self

    method.__name__ = method.__qualname__ = f"__i{name}__"
    return method


_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "mod": "%", "floordiv": "//", "matmul": "@",
    "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip


def public_sign(name: str) -> str:
    """An operator as it is written."""
    return _SIGNS[name]


def _no_in_place(name: str) -> Callable[[Any, Any], Any]:
    """A number's: Python then computes a new one."""
    return lambda self, other: getattr(self, f"__{name}__")(other)


for _name, (_ufunc, _op) in _BINARY.items():
    _method = _binary(_name, _ufunc, _op)
    setattr(Array, f"__{_name}__", _with_roots(_method) if _name == "pow" else _method)
    setattr(Array, f"__r{_name}__", _swapped(_name, _ufunc, _op))
    if _name != "divmod":
        setattr(Array, f"__i{_name}__", _in_place(_name, _ufunc))
        setattr(Scalar, f"__i{_name}__", _no_in_place(_name))


def _are_equal(a: Scalar, b: Any) -> bool:
    """Whether two numbers are known, and equal."""
    if isinstance(b, Scalar):
        return type(b._t) is not Symbol and _are_equal(a, b._t._data[()])
    return isinstance(b, (float, int, np.number)) and type(a._t) is not Symbol and bool(np.all(a._t._data == b))


def _comparison(name: str, ufunc: Any, op: Callable[..., Any]) -> Callable[[Array, Any], Any]:
    method, orders = _binary(name, ufunc, op), name not in ("eq", "ne")

    def compare(self: Array, other: Any) -> Any:
        if other is None or isinstance(other, str):
            if name not in ("eq", "ne"):
                return NotImplemented
            return np.full(self._shaped().shape, name == "ne")[()]
        if orders and isinstance(self, Scalar) and _are_equal(self, other):
            expect_own_choice()
        return method(self, other)

    compare.__name__ = compare.__qualname__ = f"__{name}__"
    return compare


for _name, (_ufunc, _op) in _COMPARE.items():
    setattr(Array, f"__{_name}__", _comparison(_name, _ufunc, _op))


def _unary(name: str, ufunc: Any) -> Callable[[Array], Any]:
    def method(self: Array) -> Any:
        return call_ufunc(ufunc, "__call__", (self,), {})

    method.__name__ = method.__qualname__ = f"__{name}__"
    return method


for _name, _ufunc in _UNARY.items():
    setattr(Array, f"__{_name}__", _unary(_name, _ufunc))

Array.__hash__ = None  # type: ignore[assignment]


def _hash(self: Scalar) -> int:
    """That of the number, as equal numbers have one: whoever looks it up asks for its value."""
    t = self._t
    if type(t) is Symbol:
        hash(complex(t))  # which says why not
    branches = modes.tracing.get()
    if branches is not None and (t._node is not None or t._extra is not None):
        branches.append((t == t._data.item(), True))
    return hash(t._data.item())


Scalar.__hash__ = _hash  # type: ignore[method-assign,assignment]
