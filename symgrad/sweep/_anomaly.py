"""Anomaly mode's verdict: which operation made the NaN, where, at which element, by which formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import GradientError
from ..core import Node, Tensor, saved_values


def _no_text(op: Any, i: int) -> str:
    return ""


partial_text: Callable[[Any, int], str] = _no_text
"""Writes a partial derivative as text; the layer that knows formulas puts its own function here."""


def _array(v: Any) -> np.ndarray:
    return np.asarray(v._data if isinstance(v, Tensor) else v)


def check_gradients(node: Node, g: Any, ds: tuple[Any, ...], infinities: bool = False) -> None:
    """Raise if one of the gradients ``ds`` that ``node`` made of ``g`` holds NaN (or, if asked, an infinity)."""
    for i, d in enumerate(ds):
        if d is None:
            continue
        array = _array(d)
        if array.dtype.kind not in "fc":
            continue
        bad = ~np.isfinite(array) if infinities else np.isnan(array)
        if bad.any():
            what = "nan" if np.isnan(array).any() else "infinite"
            raise GradientError(
                f"Function '{node.name()}' returned {what} values in its {i}th output.",
                _evidence(node, g, i, array, bad),
                "Move the input off that point, or choose the safe branch with sg.where: "
                "the branch not taken gets exactly 0.",
            )


def _evidence(node: Node, g: Any, i: int, array: np.ndarray, bad: np.ndarray) -> str:
    place = tuple(int(k) for k in np.argwhere(bad)[0]) if array.ndim else ()
    parts = [f"First at element {list(place)} of {array.size} ({int(bad.sum())} in all)"]
    op = node.op
    if op is not None and op.kind == "elementwise":
        for name, value in zip(op.saved, saved_values(node), strict=False):
            if isinstance(value, np.ndarray) and value.shape == array.shape:
                parts.append(f"{name} = {value[place]}")
    if not isinstance(g, list) and _array(g).shape == array.shape:
        parts.append(f"incoming gradient {_array(g)[place]}")
    if op is not None:
        formula = partial_text(op, i)
        parts.append(f"operation {op.name}: {op.doc}" + (f", with the derivative {formula}" if formula else ""))
    where = (
        node.meta.where if node.meta is not None and node.meta.where else "an operation recorded outside anomaly mode"
    )
    return "\n".join([*parts, f"Recorded at {where}."])
