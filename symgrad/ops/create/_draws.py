"""Draws from distributions of whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import elementwise
from .._dims import array
from .._public import public
from ._random import Generator, numpy_generator

poisson_row = elementwise(
    "poisson", lambda x, noise: np.array(np.broadcast_to(noise, x.shape), x.dtype), 0, sample=(0.5,), domain="positive",
    doc="draws from Poisson distributions of means x (no gradient flows)",
)  # fmt: skip


@public(method=False)
def poisson(input: Any, generator: Generator | None = None) -> Any:
    """Return draws from Poisson's distributions of means ``input``; the gradient is zero."""
    means = array(input)
    if (means < 0).any():
        raise ShapeError("invalid Poisson rate, expected rate to be non-negative", f"The least is {means.min()}.", "")
    return poisson_row(input, numpy_generator(generator).poisson(means))
