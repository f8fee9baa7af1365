"""SymPy's scalar functions: what each class is in symgrad.

The idea to hold: the table of operations knows it. A row whose SymPy twin is ``erf(x)`` is what SymPy's class ``erf``
becomes (`twins`); a class without a row is what SymPy can rewrite it to (`rewritten`); only what is no function, sums,
powers, conditions, is written down here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, reduce
from typing import Any

from .._errors import FormulaError
from ..core import TABLE, Tensor
from ..ops import FUNCTIONS
from ._literals import as_tensor, lift, times

_COMPLEX = frozenset({"conj", "angle"})  # rows that do something to complex numbers only
_REWRITTEN_IN = (
    "cos", "sin", "tan", "cosh", "sinh", "tanh", "acos", "asin", "atan", "acosh", "asinh", "atanh", "log", "exp", "erf",
    "gamma", "loggamma", "polygamma", "floor", "Heaviside", "Piecewise", "Abs", "Max",
)  # fmt: skip
_COMPARISONS = {
    "StrictGreaterThan": "gt", "StrictLessThan": "lt", "GreaterThan": "ge", "LessThan": "le", "Equality": "eq",
    "Unequality": "ne",
}  # fmt: skip

Rule = Callable[..., Any]


@cache
def twins() -> dict[str, Rule]:
    """SymPy's function classes that are one operation of the table, by name."""
    import sympy

    found: dict[str, Rule] = {}
    for op in TABLE.values():
        if op.kind != "elementwise" or op.params or not isinstance(op.sympy, str) or op.name in _COMPLEX:
            continue
        inputs = [sympy.Symbol(name, real=True) for name in op.inputs]
        twin = sympy.sympify(op.sympy, locals=dict(zip(op.inputs, inputs, strict=True)))
        if isinstance(twin, (sympy.Function, sympy.Max, sympy.Min)) and set(twin.args) == set(inputs):
            found.setdefault(type(twin).__name__, op.apply)
    return found


@cache
def rewritten(cls: Any, positive: tuple[bool, ...]) -> Any:
    """A function in terms of functions that have twins, as a SymPy Lambda; None if SymPy knows no such form."""
    import sympy

    dummies = [sympy.Dummy(f"a{i}", real=True, positive=known or None) for i, known in enumerate(positive)]
    plain = cls(*dummies, evaluate=False)
    for name in _REWRITTEN_IN:
        form = plain.rewrite(getattr(sympy, name))
        if form != plain and not form.has(sympy.I, cls) and all(_is_known(f) for f in form.atoms(sympy.Function)):
            return sympy.Lambda(tuple(dummies), form)
    return None


def _is_known(applied: Any) -> bool:
    name = type(applied).__name__
    return name in twins() or name in RULES


def added(walk: Any, expr: Any, *values: Any) -> Any:
    """The sum of numbers, or of matrices."""
    return reduce(lambda a, b: lift(a) + lift(b), values)


def _multiplied(walk: Any, expr: Any, *values: Any) -> Any:
    above, below = [], []
    for factor, value in zip(expr.args, values, strict=True):
        if factor.is_Pow and factor.exp.is_Number and factor.exp.is_negative:
            below.append(_power(walk.value(factor.base), number(-factor.exp)))
        else:
            above.append(value)
    top = reduce(times, above) if above else 1
    return lift(top) / lift(reduce(times, below)) if below else top


def _powered(walk: Any, expr: Any, base: Any, exponent: Any) -> Any:
    if isinstance(exponent, (int, Fraction)) and exponent < 0 and isinstance(base, Tensor):
        return 1 / _power(base, -exponent)
    return _power(base, exponent)


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, Tensor) and isinstance(exponent, (int, Fraction)):
        if exponent == 1:
            return base
        return FUNCTIONS["sqrt"](base) if exponent == Fraction(1, 2) else base ** lift(exponent)
    return lift(base) ** lift(exponent)


def _piecewise(walk: Any, expr: Any, *pairs: Any) -> Any:
    result: Any = math.nan
    for value, condition in reversed(pairs):
        if condition is True:
            result = value
        elif condition is not False:
            result = FUNCTIONS["where"](condition, as_tensor(value), as_tensor(result))
    return result


def _connected(name: str) -> Rule:
    fn = FUNCTIONS[name]

    def rule(walk: Any, expr: Any, *conditions: Any) -> Any:
        if any(isinstance(c, bool) for c in conditions):
            raise FormulaError(f"the condition {expr} is decided and not simplified", "", "Call its simplify() before.")
        return reduce(fn, conditions)

    return rule


def _compared(name: str) -> Rule:
    fn = FUNCTIONS[name]
    return lambda walk, expr, a, b: fn(as_tensor(a), as_tensor(b))


def _of_positive(fn: Rule) -> Rule:
    """A rule that holds for positive arguments only."""

    def rule(walk: Any, expr: Any, *values: Any) -> Any:
        for argument in expr.args:
            if not argument.is_nonnegative:
                raise FormulaError(
                    f"{type(expr).__name__}({argument}) is taken over for positive arguments only",
                    "Its logarithm is what symgrad has.",
                    "Declare the symbol positive, sympy.Symbol(…, positive=True), or write sympy.loggamma.",
                )
        return fn(*map(as_tensor, values))

    return rule


def _polygamma(walk: Any, expr: Any, n: Any, x: Any) -> Any:
    if not isinstance(n, int):
        raise FormulaError(f"the order of {expr} is no number")
    return FUNCTIONS["digamma"](as_tensor(x)) if n == 0 else FUNCTIONS["polygamma"](n, as_tensor(x))


def _exact(value: Any) -> Rule:
    return lambda walk, expr: value


RULES: dict[str, Rule] = {
    "Add": added, "Mul": _multiplied, "Pow": _powered, "Piecewise": _piecewise,
    "ExprCondPair": lambda walk, expr, value, condition: (value, condition),
    "And": _connected("logical_and"), "Or": _connected("logical_or"), "Xor": _connected("logical_xor"),
    "Not": lambda walk, expr, c: FUNCTIONS["logical_not"](c),
    "ITE": lambda walk, expr, c, a, b: FUNCTIONS["where"](c, as_tensor(a), as_tensor(b)),
    "BooleanTrue": _exact(True), "BooleanFalse": _exact(False),
    "Heaviside": lambda walk, expr, x, half: FUNCTIONS["heaviside"](as_tensor(x), as_tensor(half)),
    "Mod": lambda walk, expr, a, b: FUNCTIONS["remainder"](as_tensor(a), lift(b)),
    "sinc": lambda walk, expr, x: FUNCTIONS["sinc"](as_tensor(x) / math.pi),
    "polygamma": _polygamma,
    "loggamma": lambda walk, expr, x: FUNCTIONS["lgamma"](as_tensor(x)),
    "gamma": _of_positive(lambda x: FUNCTIONS["exp"](FUNCTIONS["lgamma"](x))),
    "factorial": _of_positive(lambda n: FUNCTIONS["exp"](FUNCTIONS["lgamma"](n + 1))),
    "re": lambda walk, expr, x: x, "im": lambda walk, expr, x: 0, "conjugate": lambda walk, expr, x: x,
    **{name: _compared(fn) for name, fn in _COMPARISONS.items()},
}  # fmt: skip


def number(expr: Any) -> Any:
    """A SymPy number as an int, a Fraction or a float."""
    if expr.is_Integer:
        return int(expr)
    if expr.is_Rational:
        return Fraction(int(expr.p), int(expr.q))
    if expr.is_extended_real and expr.is_number and expr.is_Atom:
        return float(expr)
    raise FormulaError(f"{expr} is no real number", "", "Formulas are of real numbers.")
