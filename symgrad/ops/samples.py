"""Samples of rows, which tests draw: operands of given shapes, and parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def sampled(*params: Any, of: Sequence[Any] = ((2, 3, 4),)) -> Callable[[Any], Any]:
    """What a row is tested with: the function that draws its operands ``of`` these shapes, or by these functions of a
    generator (an array is itself)."""
    return lambda rng: ([rng.normal(size=a) if type(a) is tuple else a(rng) if callable(a) else a for a in of], params)


def matrix_sample(*params: Any) -> Callable[[Any], Any]:
    """The same of a matrix."""
    return sampled(*params, of=[(3, 4)])


def complexes(*shape: int) -> Callable[[Any], np.ndarray]:
    """What draws complex numbers."""
    return lambda rng: rng.normal(size=shape) + 1j * rng.normal(size=shape)


def regular(rng: np.random.Generator) -> np.ndarray:
    """A well-conditioned matrix."""
    return rng.normal(size=(3, 3)) + 4 * np.eye(3)


def positive(rng: np.random.Generator) -> np.ndarray:
    """A positive definite matrix."""
    a = rng.normal(size=(3, 3))
    return np.asarray(a @ a.T + np.eye(3))


def triangular(rng: np.random.Generator) -> np.ndarray:
    """A regular lower triangular matrix."""
    return np.linalg.cholesky(positive(rng))
