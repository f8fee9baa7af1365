"""Operators of numbers that are followed step by step: a float's, and an entry in the list.

The idea to hold: an operator is written out from a line that says its value and its partial derivatives. What does not
fit the line (another list, no finite number, recording switched off) goes the way of all arrays.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import emitted
from ..core import modes as _modes
from ._ndarray import Array, Number
from ._number_steps import joined, noted, rule_of
from ._pieces import expect_own_choice, expect_own_root
from ._protocols import call_ufunc

_PAIRS = {
    "add": ("a + b", "1.0", "1.0"), "sub": ("a - b", "1.0", "-1.0"), "mul": ("a * b", "b", "a"),
    "truediv": ("a / b", "1.0 / b", "-v / b"), "pow": ("a ** b", "b * a ** (b - 1)", "v * _log(a)"),
}  # fmt: skip
"""Of two numbers: the value, the partial in the first, and in the second."""

_CONSTANTS = {
    **{name: (value, slope) for name, (value, slope, _) in _PAIRS.items()},
    "radd": ("a + b", "1.0"), "rsub": ("b - a", "-1.0"), "rmul": ("a * b", "b"), "rtruediv": ("b / a", "-v / a"),
    "pow": ("a * a if b == 2 else a ** b", "2.0 * a if b == 2 else b * a ** (b - 1)"),
    "rpow": ("b ** a", "v * _log(b)"),
}  # fmt: skip
"""Of a number ``a`` and a constant ``b``: the value, and the slope."""

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "pow": operator.pow,
    "radd": operator.add, "rmul": operator.mul, "rsub": lambda a, b: b - a, "rtruediv": lambda a, b: b / a,
    "rpow": lambda a, b: b ** a,
}  # fmt: skip

_SOURCE = """def {name}(self, other):
    steps = self.steps
    if steps.open and _mode() == 1:
        a = self.value; kind = _type(other)
        try:
{pair}            if kind is _Float64: b = _float(other)
            elif kind is _float or kind is _int: b = other
            else: return _slow(_name, self, other)
            v = {value}
            if {finite} == 0.0:
                n = _Number(); n.value = v; n.steps = steps; entries = steps.entries; n.place = _len(entries)
                entries.append((_operator, self.place, {slope}, b, None))
                return n
        except _Arithmetic: pass
    return _slow(_name, self, other)
"""
_PAIR = """            if kind is _Number:
                b = other.value; v = {value}
                if {finite} == 0.0 and other.steps is steps:
                    n = _Number(); n.value = v; n.steps = steps; entries = steps.entries; n.place = _len(entries)
                    entries.append((_operator, self.place, {da}, other.place, {db}))
                    return n
                return _slow(_name, self, other)
"""


def _slow(name: str, a: Number, b: Any) -> Any:
    """What does not go straight: numbers of a list that is closed go on in the open one; the rest is done by rows."""
    kind = type(b)
    closed = not a.steps.open or (kind is Number and b.steps is not a.steps)
    if closed and joined(a, b) is not None:
        return getattr(a, f"__{name}__")(b)
    return getattr(Array, f"__{name}__")(a, b)


_FINITE = {
    "truediv": "(v - v) + (1.0 / b - 1.0 / b)", "rtruediv": "(v - v) + (v / a - v / a)",
    "pow": "(v - v) + _float(v / a - v / a)",
}  # fmt: skip
"""What is 0 if value and slopes are finite: a finite sum or product has finite operands. (A broken power of a negative
number is complex to Python: of that there is no float.)"""


def _written(name: str) -> Callable[[Number, Any], Any]:
    value, slope = _CONSTANTS[name]
    pair = ""
    if name in _PAIRS:
        value, da, db = _PAIRS[name]
        pair = _PAIR.format(value=value, da=da, db=db, finite=_FINITE.get(name, "v - v"))
    finite = _FINITE.get(name, "v - v")
    source = _SOURCE.format(name=name, value=value, slope=slope, pair=pair, finite=finite)
    fn: Callable[[Number, Any], Any] = emitted(
        f"Number.{name}", source, _mode=_modes.mode.get, _Number=Number, _Float64=np.float64, _name=name, _slow=_slow,
        _len=len, _operator=_OPERATORS[name], _log=math.log, _Arithmetic=(ArithmeticError, TypeError, ValueError),
    )  # fmt: skip
    return fn


for _name in _CONSTANTS:
    setattr(Number, f"__{_name}__", _written(_name))


def _negative(self: Number) -> Any:
    steps = joined(self)
    if steps is None:
        return call_ufunc(np.negative, "__call__", (self,), {})
    return noted(steps, -self.value, (_minus, self.place, -1.0, None, None))


def _minus(a: Any, _: Any) -> Any:
    return -a


for _name, _fn in {
    "__neg__": _negative, "__pos__": lambda self: self,
    "__abs__": lambda self: number_ufunc(self, np.absolute, "__call__", self),
}.items():  # fmt: skip
    setattr(Number, _name, _fn)

_TESTS = {name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")}


def _test(name: str, test: Callable[[float, float], bool]) -> Callable[[Number, Any], Any]:
    orders = name not in ("eq", "ne")

    def method(self: Number, other: Any) -> Any:
        kind = type(other)
        if kind is Number:
            other = other.value
        elif kind is not float and kind is not int and kind is not np.float64:
            return getattr(Array, f"__{name}__")(self, other)
        if orders and self.value == other:
            expect_own_choice()
        return np.bool_(test(self.value, other))

    return method


for _name in _TESTS:
    setattr(Number, f"__{_name}__", _test(_name, _TESTS[_name]))
setattr(Number, "__hash__", lambda self: hash(self.value))  # noqa: B010  (which mypy does not know of)
Number.__bool__ = lambda self: self.value != 0.0  # type: ignore[attr-defined]

_BY_OPERATOR = {
    np.add: ("add", "radd"), np.subtract: ("sub", "rsub"), np.multiply: ("mul", "rmul"),
    np.divide: ("truediv", "rtruediv"), np.power: ("pow", "rpow"), np.float_power: ("pow", "rpow"),
}  # fmt: skip


def number_ufunc(self: Number, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """A ufunc of numbers: an entry of the list, where it is an entry-by-entry row with finite slopes."""
    if ufunc is np.sqrt and not self.value:
        expect_own_root()
    if method == "__call__" and not kwargs:
        names = _BY_OPERATOR.get(ufunc)
        if names is None:
            found = _negative(self) if ufunc is np.negative else _step(ufunc, inputs)
            if found is not None:
                return found
        elif type(inputs[0]) is Number:
            return getattr(inputs[0], f"__{names[0]}__")(inputs[1])
        elif type(inputs[0]) is np.float64 or type(inputs[0]) is float:
            return getattr(inputs[1], f"__{names[1]}__")(inputs[0])
    return call_ufunc(ufunc, method, inputs, kwargs)


def _step(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """The result of a further step, of a flat one a constant; None if it has to go the usual way."""
    rule = rule_of(ufunc)
    if rule is None:
        return None
    steps = joined(*inputs)
    if steps is None:
        return None
    values = [v.value if type(v) is Number else float(v) for v in inputs]
    found = rule(values)
    if found is None:
        return None
    (value, slopes), row = found, rule.row
    if rule.flat:
        return np.float64(value)
    if len(values) == 1:
        return noted(steps, value, (_OneOperand(row), inputs[0].place, slopes[0], None, None))
    a, b = inputs
    follows_a, follows_b = type(a) is Number, type(b) is Number
    if follows_a and follows_b and None not in slopes:
        return noted(steps, value, (row, a.place, slopes[0], b.place, slopes[1]))
    if follows_a and (slopes[0] is not None or not follows_b):  # what is not taken is a constant
        return noted(steps, value, (row, a.place, slopes[0], values[1], None))
    return noted(steps, value, (_Swapped(row), b.place, slopes[1], values[0], None))


class _OneOperand:
    """A row of one operand, called with a second that means nothing."""

    __slots__ = ("row",)

    def __init__(self, row: Any) -> None:
        self.row = row

    def __call__(self, a: Any, _: Any) -> Any:
        return self.row(a)


class _Swapped(_OneOperand):
    """A row whose first operand is the constant."""

    __slots__ = ()

    def __call__(self, a: Any, constant: Any) -> Any:
        return self.row(constant, a)


Number.__array_ufunc__ = number_ufunc  # type: ignore[attr-defined]
