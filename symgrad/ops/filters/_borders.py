"""What is beyond an array, as SciPy's filters read it: by mode, which entry stands there."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Symbol, Tensor
from ..shape._pad import border_pad, constant_pad

ENTRIES: dict[str, Any] = {
    "reflect": lambda k, n: np.minimum(k % (2 * n), 2 * n - 1 - k % (2 * n)),
    "nearest": lambda k, n: np.clip(k, 0, n - 1),
    "mirror": lambda k, n: (
        np.minimum(k % max(2 * n - 2, 1), max(2 * n - 2, 1) - k % max(2 * n - 2, 1)) if n > 1 else 0 * k
    ),
    "wrap": lambda k, n: k % n,
}
"""By mode: the entry of an axis of length n that stands at the places k."""

SAME = {"grid-mirror": "reflect", "grid-wrap": "wrap", "grid-constant": "constant"}
"""Other names of modes, of filters."""

MODES = (*ENTRIES, "constant", *SAME)


def widened(x: Any, axis: int, before: int, behind: int, mode: str, value: Any) -> Any:
    """``x`` with so many entries more along an axis; numbers below 0 crop."""
    mode, n, rank = SAME.get(mode, mode), int(x.shape[axis]), len(x.shape)
    if mode == "constant":
        amounts = tuple((before, behind) if k == axis else (0, 0) for k in range(rank))
        if not isinstance(value, (Tensor, Symbol)):
            return constant_pad(x, amounts, value)
        beyond = constant_pad(np.zeros(tuple(x.shape), x.dtype), amounts, 1)
        return constant_pad(x, amounts, 0) + value * beyond
    places = ENTRIES[mode](np.arange(-before, n + behind), n)
    return border_pad(x, tuple(places if k == axis else None for k in range(rank)))
