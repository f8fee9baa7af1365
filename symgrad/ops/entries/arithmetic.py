"""Elementwise functions under PyTorch's names: arithmetic, activations, division, bits, complex numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ... import _config
from ..._config import real_of
from ..._errors import DTypeError, GradientError, ShapeError
from ...core import (
    NUMPY,
    TABLE,
    Symbol,
    Tensor,
    constant,
    elementwise,
    linear,
    predicate,
    recorded_as,
    row_function,
    tensor_around,
    unwrap,
    wrap,
)
from ..arguments import (
    constant_number,
    factor,
    found_in,
    is_number,
    kind_of,
    known_values,
    ndarray_of,
    no_kernel,
    sizes,
)
from ..public import METHODS, PROPERTIES, named, public, publish, publish_rows
from ..results import result
from ..samples import complexes, sampled
from . import elementwise as e
from .copies import cast, clone, zero_row

# ------------------------------------------- Elementwise functions under PyTorch's names and with its extra arguments


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
    return e.conj(input) if np.iscomplexobj(unwrap(input)) else input


publish(conj, "conj_physical", inplace=True)
publish(conj, "conjugate", function=False)  # NumPy's name


@public()
def resolve_conj(input: Any) -> Any:
    """Return ``input``: conjugation is never lazy here."""
    return input


@public(method=False, numpy=(np.real,))
def real(input: Any) -> Any:
    """Return the real part; a real tensor itself."""
    return e.real(input) if np.iscomplexobj(unwrap(input)) else input


@public(method=False)
def imag(input: Any) -> Any:
    """Return the imaginary part of a complex tensor."""
    if not np.iscomplexobj(unwrap(input)):
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


@public("power", inplace=True)
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
    if isinstance(exponent, (np.floating, Fraction)):
        return pow(input, float(exponent))
    if isinstance(exponent, np.generic):
        return pow(input, complex(exponent) if exponent.dtype.kind == "c" else exponent.item())
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


publish(named(_polygamma_method, "polygamma"), "polygamma", function=False, inplace=True)


@public(inplace=True, numpy=(np.i0,))
def i0(input: Any) -> Any:
    """Return the modified Bessel function of the first kind and order 0."""
    return row_function("bessel_i")(input, 0)


@public(inplace=True)
def round(input: Any, decimals: int = 0) -> Any:
    """Round to the nearest integer (halves to even), or to ``decimals`` places."""
    if decimals == 0:
        return clone(input) if kind_of(input) in ("i", "u") else e.round_even(input)
    if decimals < 0:  # ten to a negative power is no float
        return e.mul(e.round_even(e.div(input, 10.0**-decimals)), 10.0**-decimals)
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


@public(method=False)
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
        condition = tensor_around(condition)
        return tuple(
            found_in(i, condition) for i in np.nonzero(np.atleast_1d(known_values(condition, "where(condition)")))
        )
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
        tensor1 = cast(tensor1, unwrap(input).dtype)  # a number would make int64 of truth values
    return e.addcmul_value(input, tensor1, tensor2, value)


@public(inplace=True)
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """Return ``input + value * tensor1 / tensor2``."""
    return e.addcdiv_value(input, tensor1, tensor2, constant_number(value, "addcdiv's value"))


@public()
def allclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Return whether all entries agree within the tolerances (a bool)."""
    return bool(np.allclose(known_values(input, "allclose"), known_values(other, "allclose"), rtol, atol, equal_nan))


@public()
def equal(input: Any, other: Any) -> bool:
    """Return whether two tensors have the same shape and entries (a bool)."""
    return bool(np.array_equal(known_values(input, "equal"), known_values(other, "equal")))


# ----------------------------------------------- Activation functions under PyTorch's names, with its extra arguments


@public()
def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """Return ``log(1 + exp(beta * input)) / beta``, and ``input`` itself where ``beta * input`` exceeds ``threshold``.

    The default threshold means none: the exact value does not overflow.
    """
    unscaled = is_number(beta) and beta == 1
    smooth = e.softplus_unit(input) if unscaled else e.div(e.softplus_unit(e.mul(input, beta)), beta)
    return smooth if threshold == 20.0 else e.where(input * beta > threshold, input, smooth)


@public()
def leaky_relu(input: Any, negative_slope: float = 0.01) -> Any:
    """Return ``input`` where positive, else ``negative_slope * input``."""
    return e.leaky_relu_slope(input, negative_slope)


@public()
def elu(input: Any, alpha: float = 1.0) -> Any:
    """Return ``input`` where positive, else ``alpha * (exp(input) - 1)``."""
    return e.elu_alpha(input, alpha, 1.0)


@public()
def gelu(input: Any, approximate: str = "none") -> Any:
    """Return ``input`` times the normal distribution function at it; ``approximate='tanh'`` approximates that."""
    if approximate == "none":
        return e.gelu_erf(input)
    if approximate != "tanh":
        raise RuntimeError(f"approximate argument must be either none or tanh, got {approximate!r}")
    if isinstance(input, Tensor) and input._data.dtype == np.float16:  # whose range cubes soon leave
        return cast(gelu(cast(input, np.float32), approximate), np.float16)
    inner = (input + input**3 * 0.044715) * (2 / np.pi) ** 0.5
    return input * 0.5 * (e.tanh(inner) + 1)


@public()
def selu(input: Any) -> Any:
    """Return the scaled ELU whose fixed point is mean 0 and variance 1 (Klambauer et al., 2017)."""
    return e.elu_alpha(input, 1.6732632423543772, 1.0507009873554805)


@public()
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """Return ``input`` held between the bounds; its derivative at them is declared 0."""
    return e.hardtanh_bounds(input, min_val, max_val)


@public()
def relu6(input: Any) -> Any:
    """Return ``input`` held between 0 and 6."""
    return e.hardtanh_bounds(input, 0.0, 6.0)


# ------------------------------------------ Division and what is left of it; whole numbers may not be divided by zero


floor_divide_row = constant("floor_divide", np.floor_divide, 2, symbol="//", doc="floor(a / b)")


def _is_whole(x: Any) -> bool:
    return isinstance(x, int) if not hasattr(x, "dtype") else x.dtype.kind in "biu"


def refuse_zero(a: Any, b: Any) -> None:
    """Raise where a whole number would be divided by zero: there is no whole number to answer."""
    if type(b) is float or type(b) is Symbol or not _is_whole(b) or (unwrap(b).all() if hasattr(b, "dtype") else b):
        return
    if _is_whole(a) and 0 not in sizes(a):
        raise DTypeError(
            "ZeroDivisionError", "Whole numbers were divided by zero.", "Divide float tensors to get an infinity."
        )


@public(inplace=True)
def floor_divide(input: Any, other: Any) -> Any:
    """Return ``floor(input / other)``, without a derivative; whole numbers may not be divided by zero."""
    refuse_zero(input, other)
    return floor_divide_row(input, other)


@public(inplace=True, numpy=(np.remainder,))
def remainder(input: Any, other: Any) -> Any:
    """a - b * floor(a / b): has the sign of b"""
    refuse_zero(input, other)
    return e.remainder(input, other)


@public(inplace=True, numpy=(np.fmod,))
def fmod(input: Any, other: Any) -> Any:
    """a - b * trunc(a / b): has the sign of a"""
    refuse_zero(input, other)
    return e.fmod(input, other)


@public("divide", "true_divide", inplace=True)
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """Return ``input / other``; ``rounding_mode`` 'floor' or 'trunc' rounds the quotient (its derivative is zero)."""
    if rounding_mode is None:
        return e.div(input, other)
    refuse_zero(input, other)
    if rounding_mode == "floor":
        return e.div_floor(input, other)
    if rounding_mode == "trunc":
        return e.div_trunc(input, other)
    raise ValueError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode!r}")


NUMPY[np.floor_divide] = lambda a, b: div(a, b, rounding_mode="floor")


# -------------------------------------------------------------------------------------------------------------------
# Whole numbers and their bits, floats and theirs: gcd, shifts, nextafter, frexp; and powers of two, degrees, logit


# ----------------------------------------------------------------------------------------------- whole numbers


def _whole(rng: np.random.Generator) -> Any:
    return (rng.integers(1, 40, (2, 3)), rng.integers(1, 5, (2, 3))), ()


gcd_row = constant("gcd", np.gcd, 2, sample=_whole, last=0, doc="the greatest common divisor of a and b")
lcm_row = constant("lcm", np.lcm, 2, sample=_whole, last=0, doc="the least common multiple of a and b")
left_row = constant("bitwise_left_shift", np.left_shift, 2, sample=_whole, last=0, doc="a with bits b places up")
right_row = constant("bitwise_right_shift", np.right_shift, 2, sample=_whole, last=0, doc="a with bits b places down")


def _of_whole(row: Any, kernel: str) -> Callable[..., Any]:
    """The public function of a row of two tensors of whole numbers."""
    name = row.op.name

    def fn(input: Any, other: Any) -> Any:
        for x in (input, other):
            if kind_of(x) not in ("i", "u", "") or isinstance(x, (float, complex)):
                raise no_kernel(kernel, ndarray_of(x).dtype, f"{name} takes whole numbers.", "Cast it with .long().")
        return row(input, other)

    named(fn, name, f"Return {row.op.doc}, entry by entry; for whole numbers.")
    return public(inplace=True, numpy=(row.op.forward,))(fn)


gcd, lcm = _of_whole(gcd_row, "gcd_cpu"), _of_whole(lcm_row, "lcm_cpu")
bitwise_left_shift, bitwise_right_shift = _of_whole(left_row, "lshift_cpu"), _of_whole(right_row, "rshift_cpu")

# ------------------------------------------------------------------------------------------------------ floats

nextafter_row = elementwise(
    "nextafter", np.nextafter, 1, 0, real_only=True, doc="the float next to a in the direction of b"
)  # fmt: skip
_Frexp = result("frexp", "mantissa", "exponent")


@public(inplace=True, numpy=(np.nextafter,))
def nextafter(input: Any, other: Any) -> Any:
    """Return the float next to ``input`` in the direction of ``other``: it follows it, so its derivative is 1."""
    return nextafter_row(input, other)


@public(inplace=True)
def ldexp(input: Any, other: Any) -> Any:
    """Return ``input * 2**other``, differentiable in both.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.ldexp(sg.tensor([1.0, 3.0]), sg.tensor([2, -1]))
    tensor([4.0000, 1.5000])
    """
    times = pow(2.0, other)
    beside = isinstance(input, Tensor) and kind_of(input) in ("f", "c") and kind_of(other) in ("i", "u")
    return e.mul(input, cast(times, real_of(input._data.dtype)) if beside else times)


@public(numpy=(np.frexp,))
def frexp(input: Any) -> Any:
    """Return ``(mantissa, exponent)``: the input is ``mantissa * 2**exponent``, with a mantissa from 0.5 to below 1.

    The exponent has no derivative.
    """
    if kind_of(input) not in ("f", ""):
        raise DTypeError("torch.frexp() only supports floating-point dtypes", f"It got {input.dtype}.", "Cast it.")
    exponent = np.frexp(known_values(input, "frexp"))[1]
    half = exponent // 2  # two factors: one would overflow where the input is subnormal
    mantissa = input
    for k in (half, exponent - half):
        mantissa = e.mul(mantissa, found_in(np.ldexp(np.ones((), ndarray_of(input).dtype), -k), input))
    return _Frexp(mantissa, found_in(wrap(exponent), input))


@public(inplace=True)
def float_power(input: Any, exponent: Any) -> Any:
    """Return ``input ** exponent`` in double precision, whatever the dtypes are."""
    double = np.complex128 if "c" in (kind_of(input), kind_of(exponent)) else np.float64
    operands = (cast(x, double) if kind_of(x) else x for x in (input, exponent))
    return pow(*operands)


@public(numpy=(np.isposinf,))
def isposinf(input: Any) -> Any:
    """Return whether each entry is positive infinity."""
    return logical_and(isinf(input), greater(input, 0))


@public(numpy=(np.isneginf,))
def isneginf(input: Any) -> Any:
    """Return whether each entry is negative infinity."""
    return logical_and(isinf(input), less(input, 0))


@public(numpy=(np.isreal,))
def isreal(input: Any) -> Any:
    """Return whether each entry's imaginary part is zero."""
    return equal_to(imag(input), 0) if kind_of(input) == "c" else logical_not(zero_row(input))


@public(inplace=True, numpy=(np.deg2rad, np.radians))
def deg2rad(input: Any) -> Any:
    """Return angles in radians that are given in degrees."""
    return e.mul(input, math.pi / 180)


@public(inplace=True, numpy=(np.rad2deg, np.degrees))
def rad2deg(input: Any) -> Any:
    """Return angles in degrees that are given in radians."""
    return e.mul(input, 180 / math.pi)


# ----------------------------------------------------------------------------------------------------- special


@public(inplace=True)
def logit(input: Any, eps: float | None = None) -> Any:
    """Return ``log(x / (1 - x))``, the inverse of `sigmoid`; ``eps`` holds ``x`` between itself and ``1 - eps``."""
    return e.logit(input if eps is None else clamp(input, eps, 1 - eps))


@public(inplace=True)
def mvlgamma(input: Any, p: int) -> Any:
    """Return the logarithm of the multivariate gamma function of dimension ``p``."""
    if p < 1:
        raise ShapeError("p has to be greater than or equal to 1", f"It is {p}.", "lgamma is that of dimension 1.")
    halves = np.arange(p) / 2
    halves = halves.astype(input.dtype) if kind_of(input) == "f" else halves
    terms = e.lgamma(input.reshape((*sizes(input), 1)) - halves)
    return terms.sum(-1) + p * (p - 1) / 4 * math.log(math.pi)


# ------------------------------------------------------------------------- Complex tensors from their parts, and back

# Of a real part only the real part of a gradient is left, as everywhere (`core`); the views between complex numbers and
# pairs speak PyTorch's convention themselves.


def _parts(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "f":  # in a formula, where zeros and numbers that happen to be real have no other type
        x = x.astype(_config.complex_of(x.dtype))
    return x[..., None].view(x.real.dtype)


def _pairs(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind != "f":
        raise DTypeError(
            f"view_as_complex is only supported for real float tensors, but got {x.dtype}", "", "Cast it first."
        )  # fmt: skip
    dtype = _config.complex_of(x.dtype)
    if x.ndim and x.strides[-1] == x.itemsize:
        return x.view(dtype)[..., 0]
    return np.ascontiguousarray(x).view(dtype)[..., 0].copy()  # with no base of its own it counts as a copy


def _polar(a: Any, b: Any) -> Any:
    y = a * np.exp(b * 1j)
    arrays = [v.dtype for v in (a, b) if isinstance(v, np.ndarray)]  # a number among them does not widen the other
    return y.astype(_config.complex_of(np.result_type(*arrays)), copy=False) if arrays else y


def _joined(a: Any, b: Any) -> Any:
    """Not a + 1j b, which is NaN beside an infinity and loses a zero's sign, which says the side of a cut."""
    y = np.empty(np.broadcast_shapes(np.shape(a), np.shape(b)), np.result_type(a, b, np.complex64))
    y.real, y.imag = a, b
    return y


complex_row = elementwise("complex", _joined, 1, lambda g: g * 1j, own_dtype=True, doc="a + ib")
polar_row = elementwise(
    "polar", _polar, lambda b: np.exp(b * 1j), lambda y: y * 1j, own_dtype=True, doc="a * exp(ib)"
)  # fmt: skip
view_as_real_row = linear(
    "view_as_real", _parts, lambda g: view_as_complex_row(g),
    view=True, holomorphic=False, own_dtype=True,
    last=0, sample=sampled(of=[complexes(3)]),
    doc="the parts of complex numbers along a new last dimension",
)  # fmt: skip
view_as_complex_row: Any = linear(
    "view_as_complex", _pairs,
    lambda g: view_as_real_row(g),
    view=True, holomorphic=False, own_dtype=True, last=1, sample=sampled(of=[(3, 2)]),
    doc="the complex numbers whose parts lie along the last dimension",
)  # fmt: skip


@public(method=False)
def complex_(real: Any, imag: Any) -> Any:
    """Return the complex tensor of two real ones; differentiable in both."""
    _expect_real("complex", real, imag)
    return complex_row(real, imag)


@public(method=False)
def polar(abs: Any, angle: Any) -> Any:
    """Return the complex tensor of absolute values and angles (in radians); differentiable in both."""
    _expect_real("polar", abs, angle)
    return polar_row(abs, angle)


def _expect_real(what: str, *parts: Any) -> None:
    for t in parts:
        if kind_of(t) not in ("", "f"):
            raise DTypeError(f"{what}: Expected both inputs to be real float tensors but got {t.dtype}", "", "Cast it.")


@public(method=False)
def view_as_real(input: Any) -> Any:
    """Return a view of a complex tensor as real numbers, its parts along a new last dimension of size 2."""
    if input.dtype.kind != "c":
        raise DTypeError(
            "view_as_real is only supported for complex tensors", f"Got {input.dtype}.", "Use complex(real, imag)."
        )
    return view_as_real_row(input)


@public(method=False)
def view_as_complex(input: Any) -> Any:
    """Return a view of a real tensor, whose last dimension has size 2, as complex numbers."""
    if input.ndim == 0 or input.shape[-1] != 2:
        raise ShapeError(
            "Tensor must have a last dimension of size 2",
            f"Got shape {tuple(input.shape)}.",
            "Stack the parts last.",
        )
    data = input._data if type(input) is Tensor else input
    if isinstance(data, np.ndarray) and data.size and data.strides[-1] != data.itemsize:
        raise ShapeError(  # a copy would not be a view: what is written to it would be lost
            "Tensor must have a last dimension with stride 1",
            f"The parts are {data.strides[-1] // data.itemsize} elements apart in memory.",
            "Use view_as_complex(x.contiguous()), or complex(x[..., 0], x[..., 1]).",
        )
    return view_as_complex_row(input)
