"""Parameters that make sense in an interval only: NaN outside it, and with them what they are parameters of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import elementwise


def inside(x: Any, low: float, high: float, closed: bool) -> Any:
    """Whether numbers lie between two others, of which the lower one counts if ``closed``."""
    return ((x >= low) if closed else (x > low)) & (x <= high)


in_domain = elementwise(
    "in_domain", lambda x, low, high, closed: np.where(inside(x, low, high, closed), x, np.nan), 1,
    real_only=True, domain="positive", sample=(0.0, np.inf, False), means="option option option", text="{0}", sympy="x",
    doc="x, where it lies between two numbers; NaN elsewhere",
)  # fmt: skip

with_domain = elementwise(
    "with_domain", lambda a, b: np.where(np.isnan(b), np.nan, a), 1, 0,
    real_only=True, text="{0}", doc="a, where b is a number; NaN where it is none",
)  # fmt: skip
