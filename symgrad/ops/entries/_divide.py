"""Division and what is left of it; whole numbers may not be divided by zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import DTypeError
from ...core import NUMPY, Symbol, constant
from .._dims import data, sizes
from .._public import public
from . import _elementwise as e

floor_divide_row = constant("floor_divide", np.floor_divide, 2, symbol="//", doc="floor(a / b)")


def _is_whole(x: Any) -> bool:
    return isinstance(x, int) if not hasattr(x, "dtype") else x.dtype.kind in "biu"


def refuse_zero(a: Any, b: Any) -> None:
    """Raise where a whole number would be divided by zero: there is no whole number to answer."""
    if type(b) is float or type(b) is Symbol or not _is_whole(b) or (data(b).all() if hasattr(b, "dtype") else b):
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
