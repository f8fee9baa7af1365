"""Entries that NumPy leaves out of a result for being 0: they must not be what is differentiated.

The idea to hold: a 0 that moves has a slope, and the result has no place for it: another point has another length. One
that stays 0 may go. Which it is, a sweep from these entries to the leaves says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import NotDifferentiableError
from ..core import Tensor, no_cotangents, reachable, tangent_of


def expect_still(x: Any, places: Any, what: str, seed: float = np.nan) -> None:
    """Raise where an entry of ``x`` at ``places``, which is left out, moves with what is differentiated.

    A ``seed`` of NaN finds every way, also one whose slope is 0 here; 1 finds slopes, of what is 0 but for rounding.
    """
    if not isinstance(x, Tensor):
        return
    cell = tangent_of(x)
    for k in places:
        slope = 0.0 if cell is None else np.abs(cell.get()._data[k]).max(initial=0.0)
        slope = max(_steepest(x, k, seed), float(slope), key=lambda s: np.inf if np.isnan(s) else s)
        if not slope <= 1e-8:
            where = ", ".join(map(str, np.atleast_1d(k)))
            raise NotDifferentiableError(
                f"{what} leaves out an entry that is 0 here and is differentiated",
                f"Entry [{where}] is {x._data[k]:.3g}; at another point it is not 0, and the result is longer: "
                "its slope would be lost.",
                "Compute with all entries (np.convolve multiplies polynomials of fixed lengths), or cut by a slice.",
            )  # fmt: skip


def _steepest(x: Tensor, place: Any, seed: float) -> float:
    """The steepest slope of one entry in the leaves of its graph."""
    if x._node is None:
        return 0.0
    g = np.zeros_like(x._data)
    g[place] = seed
    nodes, leaves, *_ = reachable([x._node])
    found = no_cotangents()
    found[x._node] = g
    with np.errstate(all="ignore"):
        for node in nodes:
            if (g := found.pop(node, None)) is not None:
                node.pull(g, found)  # type: ignore[attr-defined]
    return max((float(np.abs(found[leaf]).max(initial=0.0)) for leaf in leaves if leaf in found), default=0.0)
