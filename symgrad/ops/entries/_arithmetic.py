"""Elementwise functions under PyTorch's names and with its extra arguments."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..._errors import DTypeError, GradientError
from ...core import NUMPY, TABLE, Tensor, predicate, recorded_as, table, wrap
from .._dims import constant_number, data, factor, found_in, is_number, kind_of, known
from .._public import METHODS, PROPERTIES, public, publish, publish_rows
from . import _elementwise as e
from ._copy import cast, clone

# rows whose public function is the row itself
publish_rows(
    """reciprocal sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh
    asinh acosh atanh sinc sigmoid square relu erf erfc erfinv lgamma digamma floor ceil trunc frac
    hypot copysign xlogy nan_to_num""",
    inplace=True,
)
publish_rows("logaddexp logaddexp2 maximum minimum fmax fmin silu softsign logsigmoid")
for _old, _new in {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "fix": "trunc",
}.items():  # fmt: skip
    publish(TABLE[_new].apply, _old, inplace=True)


@public("absolute", inplace=True, numpy=(np.abs, np.fabs))
def abs(input: Any) -> Any:
    """Return the absolute value, of a complex number the modulus; its derivative at 0 is declared 0."""
    return e.abs_complex(input) if kind_of(input) == "c" else e.abs(input)


@public(inplace=True, numpy=(np.sign,))
def sign(input: Any) -> Any:
    """Return -1, 0 or 1; of a complex number z / |z|."""
    kind = kind_of(input)
    return sgn(input) if kind == "c" else clone(input) if kind == "b" else e.sign(input)


@public(inplace=True)
def sgn(input: Any) -> Any:
    """Return -1, 0 or 1; of a complex number z / |z|."""
    if kind_of(input) != "c":
        return recorded_as(sign(input), "sgn")
    size = e.abs_complex(input)
    zero = equal_to(size, 0)
    return e.where(zero, 0.0, input / e.where(zero, 1.0, size))


@public()
def angle(input: Any) -> Any:
    """Return the angle of a complex number, in radians: 0 or π of a real one, 0 of −0.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.angle(sg.tensor([1.0 + 1.0j, -2.0]))
    tensor([0.7854, 3.1416])
    """
    return e.angle(input if kind_of(input) == "c" else input + 0.0)  # NumPy's of −0 is π


@public(inplace=True)
def heaviside(input: Any, values: Any) -> Any:
    """Return 0 below 0, 1 above, and ``values`` at 0; of whole numbers, whole numbers.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.heaviside(sg.tensor([-1.0, 0.0, 2.0]), sg.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    found = e.heaviside(input, values)
    whole = {kind_of(input), kind_of(values)} <= {"i", "u", "b"} and isinstance(input, Tensor)
    return wrap(found._data.astype(input._data.dtype)) if whole else found


@public(numpy=(np.conj,))
def conj(input: Any) -> Any:
    """Return the complex conjugate; a real tensor itself."""
    return e.conj(input) if np.iscomplexobj(data(input)) else input


publish(conj, "conj_physical", inplace=True)
publish(conj, "conjugate", function=False)  # NumPy's name


@public()
def resolve_conj(input: Any) -> Any:
    """Return ``input``: conjugation is never lazy here."""
    return input


@public(method=False, numpy=(np.real,))
def real(input: Any) -> Any:
    """Return the real part; a real tensor itself."""
    return e.real(input) if np.iscomplexobj(data(input)) else input


@public(method=False, numpy=(np.imag,))
def imag(input: Any) -> Any:
    """Return the imaginary part of a complex tensor."""
    if not np.iscomplexobj(data(input)):
        raise DTypeError(
            "imag is not implemented for tensors with non-complex dtypes.", "", "Its imaginary part is zero."
        )
    return e.imag(input)


PROPERTIES["real"] = real
PROPERTIES["imag"] = imag


def ordered(ufunc: np.ufunc) -> Any:
    """A comparison by size, which complex numbers do not have (NumPy compares them part by part)."""

    def forward(a: Any, b: Any) -> Any:
        for v in (a, b):
            if isinstance(v, complex) or (isinstance(v, np.ndarray) and v.dtype.kind == "c"):
                raise TypeError("complex numbers have no order")
        return ufunc(a, b)

    return forward


equal_to = predicate("eq", np.equal, 2, symbol="==", doc="a == b")
not_equal_to = predicate("ne", np.not_equal, 2, symbol="!=", doc="a != b")
less = predicate("lt", ordered(np.less), 2, symbol="<", doc="a < b")
less_equal = predicate("le", ordered(np.less_equal), 2, symbol="<=", doc="a <= b")
greater = predicate("gt", ordered(np.greater), 2, symbol=">", doc="a > b")
greater_equal = predicate("ge", ordered(np.greater_equal), 2, symbol=">=", doc="a >= b")
logical_and = predicate("logical_and", np.logical_and, 2, doc="a and b")
logical_or = predicate("logical_or", np.logical_or, 2, doc="a or b")
logical_xor = predicate("logical_xor", np.logical_xor, 2, doc="either a or b")
logical_not = predicate("logical_not", np.logical_not, 1, doc="not x")
bitwise_and = predicate("bitwise_and", np.bitwise_and, 2, domain="bool", symbol="&", doc="a & b, bit by bit")
bitwise_or = predicate("bitwise_or", np.bitwise_or, 2, domain="bool", symbol="|", doc="a | b, bit by bit")
bitwise_xor = predicate("bitwise_xor", np.bitwise_xor, 2, domain="bool", symbol="^", doc="a ^ b, bit by bit")
bitwise_not_row = predicate("bitwise_not", np.invert, 1, domain="bool", symbol="~", doc="~x, bit by bit")
isnan = predicate("isnan", np.isnan, 1, doc="whether each entry is NaN")
isinf = predicate("isinf", np.isinf, 1, doc="whether each entry is infinite")
isfinite = predicate("isfinite", np.isfinite, 1, doc="whether each entry is finite")
signbit = predicate("signbit", np.signbit, 1, doc="whether the sign bit is set")
isclose = predicate(
    "isclose", lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: np.isclose(a, b, rtol, atol, equal_nan), 2,
    sample=(1e-5, 1e-8, False), doc="whether |a - b| <= atol + rtol * |b|, entry by entry",
)  # fmt: skip

publish_rows(
    """eq ne lt le gt ge logical_and logical_or logical_xor logical_not isnan isinf isfinite signbit
    bitwise_and bitwise_or bitwise_xor""",
    inplace=True,
)
publish_rows("isclose")


@public(inplace=True, numpy=(np.invert,))
def bitwise_not(input: Any) -> Any:
    """Return ``~input``: of truth values their negation, of integers the complement."""
    if isinstance(input, Tensor) and input._data.dtype.kind not in "biu":
        raise DTypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
            f"It got {input._data.dtype}.",
        )
    return bitwise_not_row(input)


@public(numpy=(np.positive,))
def positive(input: Any) -> Any:
    """Return ``input`` itself; truth values have no sign."""
    if isinstance(input, Tensor) and input._data.dtype.kind == "b":
        raise DTypeError("positive is not implemented for bool tensors", "", "Cast it first.")
    return input


@public("negative", inplace=True, numpy=(np.negative,))
def neg(input: Any) -> Any:
    """Return ``-input``."""
    try:
        return e.neg(input)
    except DTypeError as error:
        raise DTypeError(
            "Negation, the `-` operator, on a bool tensor is not supported.", "",
            "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
        ) from error  # fmt: skip


@public(method=False)
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Return ``other - alpha * input``."""
    alpha = constant_number(alpha, "rsub's alpha")
    return e.rsub(input, other) if alpha == 1 else e.rsub_alpha(input, other, alpha)


for _old, _new in {
    "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "not_equal": "ne",
}.items():  # fmt: skip
    publish(TABLE[_new].apply, _old, inplace=True, numpy=(getattr(np, _old),))
# NumPy's ufuncs on tensors
for _op in TABLE.values():
    if isinstance(_op.forward, np.ufunc):
        NUMPY.setdefault(_op.forward, _op.apply)


@public(inplace=True)
def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Return ``input + alpha * other``."""
    alpha = constant_number(alpha, "add's alpha")
    return e.add(input, other) if alpha == 1 else e.add_alpha(input, other, alpha)


@public("subtract", inplace=True)
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Return ``input - alpha * other``."""
    alpha = constant_number(alpha, "sub's alpha")
    return subtract(input, other) if alpha == 1 else e.sub_alpha(input, other, alpha)


def subtract(a: Any, b: Any) -> Any:
    """``a - b``; truth values have no difference."""
    bools = [isinstance(x, Tensor) and x._data.dtype.kind == "b" for x in (a, b)]
    if any(bools):
        what = "two bool tensors" if all(bools) else "a bool tensor"
        raise DTypeError(
            f"Subtraction, the `-` operator, with {what} is not supported.", "",
            "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
        )  # fmt: skip
    return e.sub(a, b)


publish(e.mul, "mul", "multiply", inplace=True)


@public("power", inplace=True, numpy=(np.power, np.float_power))
def pow(input: Any, exponent: Any) -> Any:
    """Return ``input ** exponent``: a number, or a tensor of exponents (then differentiable in it too).

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> sg.pow(x, 3)
    tensor([1., 8.], grad_fn=<PowBackward0>)
    """
    te = type(exponent)
    if te is int or te is float or te is bool or te is complex:
        if te is int and exponent < 0 and type(input) is Tensor and input._data.dtype.kind in "iu":
            raise DTypeError("Integers to negative integer powers are not allowed.", "", "Use float tensors.")
        return e.pow_scalar(input, exponent)
    if isinstance(exponent, np.generic):
        return pow(input, exponent.item())
    return e.pow_tensor(input, exponent)


@public(method=False)
def polygamma(n: Any, input: Any) -> Any:
    """Return the ``n``-th derivative of digamma at ``input`` (the method is ``input.polygamma(n)``)."""
    n = operator.index(n)
    if n < 0:
        raise DTypeError("polygamma(n, x) does not support negative n.", f"It got n = {n}.", "Pass n = 0 or more.")
    return e.digamma(input) if n == 0 else e.polygamma_order(input, n)


def _polygamma_method(self: Tensor, n: Any) -> Any:
    """Return the ``n``-th derivative of digamma at the tensor."""
    return polygamma(n, self)


_polygamma_method.__name__ = "polygamma"
publish(_polygamma_method, "polygamma", function=False, inplace=True)


@public(inplace=True, numpy=(np.i0,))
def i0(input: Any) -> Any:
    """Return the modified Bessel function of the first kind and order 0."""
    return table("bessel_i")(input, 0)


@public(inplace=True)
def round(input: Any, decimals: int = 0) -> Any:
    """Round to the nearest integer (halves to even), or to ``decimals`` places."""
    if decimals == 0:
        return clone(input) if kind_of(input) in ("i", "u") else e.round_even(input)
    return e.div(e.round_even(e.mul(input, 10.0**decimals)), 10.0**decimals)


@public("clip", inplace=True)
def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """Return ``input`` held between ``min`` and ``max`` (numbers or tensors); the gradient passes at the bounds."""
    if min is None and max is None:
        raise GradientError("clamp: At least one of 'min' or 'max' must not be None", "", "Give a bound.")
    if max is None:
        return recorded_as(e.clamp_min_tensor(input, min), "clamp")
    return recorded_as(e.clamp_max_tensor(input, max), "clamp") if min is None else e.clamp(input, min, max)


@public(inplace=True)
def clamp_min(input: Any, min: Any) -> Any:
    """Return ``input``, at least ``min``."""
    return e.clamp_min_tensor(input, min)


@public(inplace=True)
def clamp_max(input: Any, max: Any) -> Any:
    """Return ``input``, at most ``max``."""
    return e.clamp_max_tensor(input, max)


@public(numpy=(np.where,), method=False)
def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Return ``input`` where ``condition`` holds, else ``other``; with the condition alone, the indices where it holds.

    The branch not taken gets a gradient of exactly zero, whatever its slope there.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.0, 4.0], requires_grad=True)
    >>> sg.where(x > 0, sg.sqrt(x), 0.0).sum().backward()
    >>> x.grad
    tensor([0.0000, 0.2500])
    """
    if isinstance(condition, Tensor) and condition._data.dtype.kind != "b" and input is not None:
        raise DTypeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition._data.dtype}",
            "", "Compare: where(x > 0, …).",
        )  # fmt: skip
    if input is None and other is None:
        condition = condition if isinstance(condition, Tensor) else wrap(np.asarray(condition))
        return tuple(found_in(i, condition) for i in np.nonzero(np.atleast_1d(known(condition, "where(condition)"))))
    return e.where(condition, input, other)


def _where_method(self: Tensor, condition: Any, other: Any) -> Any:
    """Return ``self`` where ``condition`` holds, else ``other``."""
    return where(condition, self, other)


METHODS["where"] = _where_method


@public(inplace=True)
def lerp(input: Any, end: Any, weight: Any) -> Any:
    """Return ``input + weight * (end - input)``."""
    return (e.lerp_number if is_number(weight) else e.lerp)(input, end, weight)


@public(inplace=True)
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """Return ``input + value * tensor1 * tensor2``."""
    value = factor(constant_number(value, "addcmul's value"), input, tensor1, tensor2)
    if kind_of(tensor1) == kind_of(tensor2) == "b" and kind_of(input) in ("i", "u"):
        tensor1 = cast(tensor1, data(input).dtype)  # a number would make int64 of truth values
    return e.addcmul_value(input, tensor1, tensor2, value)


@public(inplace=True)
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """Return ``input + value * tensor1 / tensor2``."""
    return e.addcdiv_value(input, tensor1, tensor2, constant_number(value, "addcdiv's value"))


@public()
def allclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Return whether all entries agree within the tolerances (a bool)."""
    return bool(np.allclose(known(input, "allclose"), known(other, "allclose"), rtol, atol, equal_nan))


@public()
def equal(input: Any, other: Any) -> bool:
    """Return whether two tensors have the same shape and entries (a bool)."""
    return bool(np.array_equal(known(input, "equal"), known(other, "equal")))
