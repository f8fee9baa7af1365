"""What anomaly mode met, and where; why it came about is said by `modes.blame`, which knows formulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import modes
from ._graph import Tensor


class AnomalyFound(Exception):
    """A NaN (or, if asked, an infinity) in ``values``: which were made how, and by whom.

    ``how``: 'forward' (the node's results), 'rule' (the gradients of its operands), 'sum' (of what arrived at its
    output, or at the leaf), or 'hook' (``by``, a function). ``trail`` is what had arrived at each node until then.
    """

    def __init__(self, how: str, by: Any, values: Sequence[Any], incoming: Any = None) -> None:
        self.how, self.by, self.values, self.incoming = how, by, values, incoming
        self.trail: dict[Any, Any] = {}

    def first(self) -> tuple[int, np.ndarray]:
        """The number of the first of the values that holds NaN (if none does, an infinity), and where it does."""
        for infinities in (False, True):
            for k, v in enumerate(self.values):
                where = None if v is None else strange(v, infinities)
                if where is not None:
                    return k, where
        raise AssertionError("nothing was found")


def strange(values: Any, infinities: bool = False) -> np.ndarray | None:
    """Where an array holds NaN (or infinities); None if nowhere."""
    array = np.asarray(values._data if isinstance(values, Tensor) else values)
    if array.dtype.kind not in "fc":
        return None
    found = ~np.isfinite(array) if infinities else np.isnan(array)
    return found if found.any() else None


def look(how: str, by: Any, values: Any, incoming: Any = None) -> None:
    """Raise `AnomalyFound` if anomaly mode is on, and there is among arrays or tensors what it looks for."""
    asked = modes.anomaly.get()
    if asked is not None and asked.check_nan:
        values = values if isinstance(values, (list, tuple)) else (values,)
        if any(v is not None and strange(v, asked.inf) is not None for v in values):
            raise AnomalyFound(how, by, values, incoming)
