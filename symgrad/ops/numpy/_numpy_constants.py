"""NumPy's functions whose results have no derivative: places, truths, counts, dtypes, texts.

The idea to hold: such a function is NumPy's own, run on the numbers; what it finds is a tensor that remembers that it
was found by looking at values. A symbol has none, and is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...core import NUMPY, Tensor
from .._dims import found_in, known
from ..index._search import values_of

CONSTANT: set[Any] = set()
"""NumPy's functions whose results are constants, whatever they are given."""


def numbers(value: Any, what: str) -> Any:
    """What a function is given, with numbers for the tensors in it."""
    if isinstance(value, Tensor):
        return known(value, what)
    if isinstance(value, (list, tuple)):
        return type(value)(numbers(v, what) for v in value)
    return value


def tensors_in(value: Any) -> Iterable[Tensor]:
    """The tensors among what a function is given."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from tensors_in(v)


def _found(result: Any, sources: list[Tensor]) -> Any:
    """The arrays of a result as tensors; a text, a dtype, a truth value of Python's as it is."""
    if isinstance(result, tuple):
        parts = [_found(r, sources) for r in result]
        return result._make(parts) if hasattr(result, "_make") else tuple(parts)
    if isinstance(result, list):
        return [_found(r, sources) for r in result]
    return found_in(np.asarray(result), *sources) if isinstance(result, (np.ndarray, np.generic)) else result


def on_numbers(function: Any, *args: Any, **kwargs: Any) -> Any:
    """NumPy's function on the numbers of tensors; its arrays are tensors without history."""
    what = f"np.{function.__name__}"
    sources = [*tensors_in(args), *tensors_in(tuple(kwargs.values()))]
    found = function(*(numbers(a, what) for a in args), **{k: numbers(v, what) for k, v in kwargs.items()})
    return _found(found, sources)


def _adaptor(function: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: on_numbers(function, *args, **kwargs)


def _of_elements(function: Any) -> Callable[..., Any]:
    """A function that tells elements apart: their values would lose their derivatives, so there must be none."""

    def adaptor(*args: Any, **kwargs: Any) -> Any:
        for t in tensors_in(args):
            values_of(t, f"np.{function.__name__}")
        return on_numbers(function, *args, **kwargs)

    return adaptor


def _there(names: str) -> list[Any]:
    """Those of NumPy's functions that the installed one has."""
    return [function for name in names.split() if (function := getattr(np, name, None)) is not None]


_BY_VALUE = _there(
    "argpartition nanargmax nanargmin lexsort flatnonzero iscomplex spacing array_equiv array_equal ravel_multi_index "
    "packbits unpackbits bitwise_count diag_indices_from isnat array2string array_repr array_str common_type can_cast "
    "min_scalar_type promote_types may_share_memory shares_memory einsum_path"
)
_BY_ELEMENT = _there(
    "union1d intersect1d setdiff1d setxor1d unique_all unique_counts unique_inverse unique_values in1d"
)
NUMPY.update({function: _adaptor(function) for function in _BY_VALUE})
NUMPY.update({function: _of_elements(function) for function in _BY_ELEMENT})
CONSTANT.update(_BY_VALUE, _BY_ELEMENT, _there(
    "all any allclose array_equal isclose argmax argmin argsort argwhere nonzero count_nonzero searchsorted digitize "
    "isin isinf isnan isfinite isneginf isposinf isreal iscomplexobj isrealobj ndim shape size result_type signbit "
    "unravel_index tril_indices_from triu_indices_from unique empty_like ones_like zeros_like equal not_equal less "
    "less_equal greater greater_equal logical_and logical_or logical_xor logical_not bitwise_and bitwise_or "
    "bitwise_xor bitwise_not invert bitwise_invert left_shift right_shift bitwise_left_shift bitwise_right_shift gcd "
    "lcm"
))  # fmt: skip
