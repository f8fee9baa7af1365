"""Division and what is left of it; whole numbers may not be divided by zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import DTypeError
from ..core import NUMPY, Tensor, constant, variant
from . import _elementwise as e
from ._arithmetic import by_operand
from ._dims import array
from ._public import public, publish

floor_divide_row = constant("floor_divide", np.floor_divide, 2, symbol="//", doc="floor(a / b)")


def refuse_zero(a: Any, b: Any) -> None:
    """Raise where a whole number would be divided by zero: there is no whole number to answer."""
    if type(b) is Tensor:
        if b._data.dtype.kind not in "iu" or b._data.all():
            return
    elif type(b) not in (int, bool) or b:
        return
    if (a._data.dtype.kind in "biu" and a._data.size) if type(a) is Tensor else type(a) is int:
        raise DTypeError(
            "ZeroDivisionError", "Whole numbers were divided by zero.", "Divide float tensors to get an infinity."
        )


@public(inplace=True)
def floor_divide(input: Any, other: Any) -> Any:
    """Return ``floor(input / other)``, without a derivative; whole numbers may not be divided by zero."""
    refuse_zero(input, other)
    return floor_divide_row(input, other)


remainder = by_operand(
    e.remainder, variant(e.remainder, "remainder_scalar", "RemainderBackward0"), "remainder", check=refuse_zero
)
fmod = by_operand(e.fmod, variant(e.fmod, "fmod_scalar", "FmodBackward0"), "fmod", check=refuse_zero)
publish(remainder, "remainder", inplace=True, numpy=(np.remainder,))
publish(fmod, "fmod", inplace=True, numpy=(np.fmod,))


@public("divide", "true_divide", inplace=True)
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """Return ``input / other``; ``rounding_mode`` 'floor' or 'trunc' rounds the quotient (its derivative is zero)."""
    if rounding_mode is None:
        return e.div(input, other)
    refuse_zero(input, other)
    if rounding_mode == "floor":
        return e.div_floor(input, other)
    if rounding_mode == "trunc":
        quotient = e.div_trunc(input, other)
        return quotient if _is_float(input) or _is_float(other) else quotient.to(np.int64)
    raise ValueError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode!r}")


NUMPY[np.floor_divide] = lambda a, b: div(a, b, rounding_mode="floor")


def _is_float(x: Any) -> bool:
    return array(x).dtype.kind in "fc"
