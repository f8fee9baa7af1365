"""Samples of rows, which tests draw: operands of given shapes, and parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def sampled(*params: Any, of: Sequence[Any] = ((2, 3, 4),)) -> Callable[[Any], Any]:
    """What a row is tested with: the function that draws its operands ``of`` these shapes (an array is itself)."""
    return lambda rng: ([rng.normal(size=a) if type(a) is tuple else a for a in of], params)


def matrix_sample(*params: Any) -> Callable[[Any], Any]:
    """The same of a matrix."""
    return sampled(*params, of=[(3, 4)])
