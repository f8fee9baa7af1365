"""Whole numbers and their bits, floats and theirs: gcd, shifts, nextafter, frexp; and powers of two, degrees, logit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._config import real_of
from ..._errors import DTypeError, ShapeError
from ...core import Tensor, constant, elementwise, wrap
from .._dims import array, kind_of, known, no_kernel, sizes
from .._public import public
from .._results import result
from . import _elementwise as e
from ._arithmetic import clamp, equal_to, greater, imag, isinf, less, logical_and, pow
from ._copy import cast

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
                raise no_kernel(kernel, array(x).dtype, f"{name} takes whole numbers.", "Cast it with .long().")
        return row(input, other)

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = f"Return {row.op.doc}, entry by entry; for whole numbers."
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
    exponent = np.frexp(known(input, "frexp"))[1]
    half = exponent // 2  # two factors: one would overflow where the input is subnormal
    factors = (np.ldexp(np.ones((), array(input).dtype), -k) for k in (half, exponent - half))
    mantissa = input
    for factor in factors:
        mantissa = e.mul(mantissa, factor)
    return _Frexp(mantissa, wrap(exponent))


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
    return equal_to(imag(input), 0) if kind_of(input) == "c" else wrap(np.ones(sizes(input), bool))


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
