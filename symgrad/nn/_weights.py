"""Weights of new layers: room for them, and the usual random start."""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from . import init
from ._parameter import Parameter

__all__ = ["room", "uniform_by_fan_in"]


def room(*shape: int, device: Any = None, dtype: Any = None) -> Any:
    """Make a parameter whose values are yet to be filled in."""
    return Parameter(ops.empty(*shape, device=device, dtype=dtype))


def uniform_by_fan_in(weight: Any, bias: Any) -> None:
    """Fill a weight, and a bias if there is one, uniformly up to ``1/sqrt(fan_in)``."""
    # He's rule for a leaky ReLU of slope sqrt(5): for the weight that is 1/sqrt(fan_in), as for the bias.
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init.fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
        init.uniform_(bias, -bound, bound)
