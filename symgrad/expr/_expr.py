"""Formulas as graphs of operations: what the tape recorded, without the numbers.

A formula is built by replaying a tensor's graph with symbols at the leaves. Each new term is shortened by the few
rules below on the way up; every one of them keeps the value (``x/x`` or ``0*x`` are left alone, since they do not at
0 or infinity).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import TABLE
from ..show._formula import postorder, to_text


class Expr:
    """One term: a symbol, a constant, or an operation on terms. Immutable.

    Attributes
    ----------
    op : the operation, None for symbols and constants
    args : the operands; params : the operation's other parameters
    shape, dtype : of its value
    name : of a symbol
    value : of a constant (a number: every entry equals it; or a small array), or the array behind a symbol
    """

    __slots__ = ("args", "dtype", "name", "op", "params", "shape", "value")

    def __init__(
        self,
        op: Any,
        args: tuple[Expr, ...],
        params: tuple[Any, ...],
        shape: Any,
        dtype: Any,
        name: str = "",
        value: Any = None,
    ) -> None:
        self.op, self.args, self.params = op, args, params
        self.shape, self.dtype, self.name, self.value = tuple(shape), dtype, name, value

    @property
    def is_constant(self) -> bool:
        """Whether every entry is one known number."""
        return self.op is None and not self.name and not isinstance(self.value, np.ndarray)

    def __repr__(self) -> str:
        return to_text(self)


def symbol(name: str, value: np.ndarray) -> Expr:
    """A term that stands for an array."""
    return Expr(None, (), (), value.shape, value.dtype, name=name, value=value)


def constant(value: Any, shape: Any = (), dtype: Any = None) -> Expr:
    """A term all of whose entries are ``value``."""
    return Expr(None, (), (), shape, dtype, value=value)


def evaluate(root: Expr, values: dict[str, Any]) -> Any:
    """The value of a formula where each symbol has the value given (or the one it was built from)."""
    results: dict[int, Any] = {}
    for term in postorder([root]):
        if term.op is None:
            given = values.get(term.name) if term.name else None
            number = term.is_constant and term.shape
            known = np.full(term.shape, term.value, term.dtype) if number else term.value
            results[id(term)] = known if given is None else given
        else:
            results[id(term)] = run_forward(term.op, [results[id(a)] for a in term.args], term.params)
    return results[id(root)]


def run_forward(op: Any, args: list[Any], params: tuple[Any, ...]) -> Any:
    """An operation's forward on plain values."""
    with np.errstate(all="ignore"):
        if op.variadic:
            return op.forward(tuple(args), *params)
        out = op.forward(*args, *params)
        if getattr(out, "dtype", None) == np.float16 and not op.own_dtype:  # NumPy's functions of truth values
            out = op.forward(*(np.asarray(a, np.float64) if isinstance(a, np.ndarray) else a for a in args), *params)
        return out


def build(op: Any, args: tuple[Expr, ...], params: tuple[Any, ...], shape: Any, dtype: Any) -> Expr:
    """The term ``op(*args, *params)``, in its shortest form that means the same."""
    if args and all(a.is_constant for a in args) and not op.outputs:
        folded = _fold(op, args, params)
        if folded is not None:
            return folded
    rule = _SHORTER.get(op.name)
    if rule is not None:
        short = rule(args, params, tuple(shape), dtype)
        if short is not None:
            return short
    return Expr(op, args, params, shape, dtype)


def _fold(op: Any, args: tuple[Expr, ...], params: tuple[Any, ...]) -> Expr | None:
    values = [a.value if not a.shape else np.full(a.shape, a.value, a.dtype) for a in args]
    try:
        value = np.asarray(run_forward(op, values, params))
    except Exception:  # an operation that cannot run on constants stays as it is
        return None
    if value.size == 0 or value.dtype == object:
        return None
    first = value.reshape(-1)[0]
    return constant(first.item(), value.shape, value.dtype) if bool((value == first).all()) else None


def _fits(term: Expr, shape: Any) -> bool:
    return term.shape == shape


def _shorter_mul(args: Any, params: Any, shape: Any, dtype: Any) -> Expr | None:
    a, b = args
    if b.is_constant and not a.is_constant:
        a, b = b, a  # numbers go first
    for first, second in ((a, b), (b, a)):
        if second.op is not None and second.op.name == "neg" and not first.is_constant:  # signs go out
            return build(TABLE["neg"], (build(TABLE["mul"], _put(a, b, second), (), shape, dtype),), (), shape, dtype)
    for choice, factor in ((a, b), (b, a)):  # 1 where c, else 0, times b: b where c, else 0
        fits = _fits(choice, shape) and _fits(factor, shape) and factor.dtype == dtype
        if fits and choice.op is not None and choice.op.name == "keep" and _is_one(choice.args[0]):
            return Expr(choice.op, (factor, choice.args[1]), (), shape, dtype)
    if not a.is_constant or not _fits(b, shape):
        return None
    if a.value == 1 and b.dtype == dtype:
        return b
    if a.value == -1 and b.dtype.kind != "b":  # truth values have no sign
        return build(TABLE["neg"], (b,), (), shape, dtype)
    if b.op is not None and b.op.name == "mul" and b.args[0].is_constant and _fits(b.args[1], shape):
        product = a.value * b.args[0].value
        if _is_ordinary(product):
            return build(b.op, (constant(product), b.args[1]), (), shape, dtype)
    if b.op is not None and b.op.name == "neg":
        return build(TABLE["mul"], (_negated(a), b.args[0]), (), shape, dtype)
    return Expr(TABLE["mul"], (constant(a.value), b), (), shape, dtype)


def _put(a: Expr, b: Expr, negated: Expr) -> tuple[Expr, Expr]:
    return (a.args[0] if a is negated else a, b.args[0] if b is negated and a is not negated else b)


def _shorter_add(args: Any, params: Any, shape: Any, dtype: Any) -> Expr | None:
    a, b = args
    if a is b and dtype.kind != "b":
        return build(TABLE["mul"], (constant(2), a), (), shape, dtype)
    if a.is_constant and a.value == 0 and _fits(b, shape) and b.dtype == dtype:
        return b
    if b.is_constant and b.value == 0 and _fits(a, shape) and a.dtype == dtype:
        return a
    if b.op is not None and b.op.name == "neg" and _fits(a, shape):
        return build(TABLE["sub"], (a, b.args[0]), (), shape, dtype)
    if a.op is not None and a.op.name == "neg" and _fits(b, shape):
        return build(TABLE["sub"], (b, a.args[0]), (), shape, dtype)
    return _scalars(TABLE["add"], a, b, shape, dtype)


def _shorter_sub(args: Any, params: Any, shape: Any, dtype: Any) -> Expr | None:
    a, b = args
    if b.is_constant and b.value == 0 and _fits(a, shape) and a.dtype == dtype:
        return a
    if b.op is not None and b.op.name == "neg" and _fits(b, shape):
        return build(TABLE["add"], (a, b.args[0]), (), shape, dtype)
    if b.op is not None and b.op.name == "mul" and _is_negative(b.args[0]) and _fits(b, shape):
        positive = build(b.op, (_negated(b.args[0]), b.args[1]), (), shape, dtype)
        return build(TABLE["add"], (a, positive), (), shape, dtype)
    return _scalars(TABLE["sub"], a, b, shape, dtype)


def _negated(term: Expr) -> Expr:
    return constant(-term.value, term.shape, term.dtype)


def _is_ordinary(value: Any) -> bool:
    """Whether a folded constant neither overflowed nor underflowed."""
    return isinstance(value, int) or 1e-150 < abs(value) < 1e150


def _is_one(term: Expr) -> bool:
    return term.is_constant and term.value == 1


def _is_negative(term: Expr) -> bool:
    return term.is_constant and isinstance(term.value, (int, float)) and term.value < 0


def _shorter_div(args: Any, params: Any, shape: Any, dtype: Any) -> Expr | None:
    a, b = args
    if b.is_constant and b.value == 1 and _fits(a, shape) and a.dtype == dtype:
        return a
    if a.op is not None and a.op.name == "neg":
        inner = build(TABLE["div"], (a.args[0], b), (), shape, dtype)
        return build(TABLE["neg"], (inner,), (), shape, dtype)
    return _scalars(TABLE["div"], a, b, shape, dtype)


def _scalars(op: Any, a: Expr, b: Expr, shape: Any, dtype: Any) -> Expr | None:
    """A constant array beside a full operand is written as a number."""
    if a.is_constant and a.shape and _fits(b, shape):
        return Expr(op, (constant(a.value), b), (), shape, dtype)
    if b.is_constant and b.shape and _fits(a, shape):
        return Expr(op, (a, constant(b.value)), (), shape, dtype)
    return None


def _shorter_neg(args: Any, params: Any, shape: Any, dtype: Any) -> Expr | None:
    (a,) = args
    if a.op is not None and a.op.name == "neg":
        return a.args[0]
    if a.op is not None and a.op.name == "mul" and a.args[0].is_constant:
        return build(a.op, (_negated(a.args[0]), a.args[1]), (), shape, dtype)
    if a.op is not None and a.op.name == "sub":
        return build(a.op, (a.args[1], a.args[0]), (), shape, dtype)
    return None


def _shorter_power(args: Any, params: Any, shape: Any, dtype: Any) -> Expr | None:
    exponent = params[0]
    if exponent == 1:
        return args[0]
    if exponent == 0:
        return constant(1.0, shape, dtype)
    return None


def _same_shape(args: Any, params: Any, shape: Any, dtype: Any) -> Expr | None:
    """Reshape, expand, cast and the like where they change nothing."""
    return args[0] if args[0].shape == shape and args[0].dtype == dtype else None


_SHORTER: dict[str, Any] = {
    "mul": _shorter_mul, "add": _shorter_add, "sub": _shorter_sub, "div": _shorter_div, "neg": _shorter_neg,
    "pow_scalar": _shorter_power,
    **dict.fromkeys(("reshape", "view", "expand", "sum_to", "cast", "clone", "alias"), _same_shape),
}  # fmt: skip
