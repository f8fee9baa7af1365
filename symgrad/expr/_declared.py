"""What can be declared of a symbol, as a property of arrays: a value must have it, since the formula may use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import FormulaError


def _near(a: np.ndarray, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=1e-6, atol=1e-9))


def _is_symmetric(a: np.ndarray) -> bool:
    return a.shape[-1] == a.shape[-2] and _near(a, a.swapaxes(-1, -2))


HOLDS: dict[str, Callable[[np.ndarray], bool]] = {
    "positive": lambda a: bool((a > 0).all()),
    "sign": lambda a: bool((np.abs(a) == 1).all()),
    "onehot": lambda a: bool(((a == 0) | (a == 1)).all() and (a.sum(-1) == 1).all()),
    "integer": lambda a: bool((a == np.floor(a)).all()),
    "symmetric": _is_symmetric,
    "psd": lambda a: _is_symmetric(a) and bool((np.linalg.eigvalsh(a) >= -1e-9 * max(1, np.abs(a).max())).all()),
    "pd": lambda a: _is_symmetric(a) and bool((np.linalg.eigvalsh(a) > 0).all()),
    "diagonal": lambda a: _near(a, a * np.eye(a.shape[-2], a.shape[-1])),
    "orthogonal": lambda a: a.shape[-1] == a.shape[-2] and _near(a @ a.swapaxes(-1, -2), np.eye(a.shape[-1])),
}


def require(name: str, array: np.ndarray, properties: Any) -> None:
    """Raise if an array has not what was declared of its symbol: the formula may have used it."""
    for prop in sorted(properties):
        holds = HOLDS.get(prop)
        if holds is not None and array.size and array.dtype.kind in "biuf" and not holds(array):
            raise FormulaError(
                f"{name!r} was declared {prop}, and its value is not", "The formula may have used it.",
                f"Give it such a value, or make the formula of a symbol that is not declared {prop}.",
            )  # fmt: skip
