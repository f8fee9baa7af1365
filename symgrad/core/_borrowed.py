"""Large NumPy arrays that rules will read again, and whether they were written to while a transform ran its function.

The idea to hold: small ones are copied (`own`), large ones are borrowed. NumPy tells nobody of a write, so a sample of
the entries is kept and compared when the function has returned: a buffer that a loop fills anew does not go unnoticed,
a write to a few entries may.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import numpy as np

from .._errors import InplaceError
from .._limits import SAMPLED

ledger: ContextVar[dict[int, tuple[np.ndarray, np.ndarray]] | None] = ContextVar("symgrad_borrowed", default=None)
"""The arrays that are borrowed while a transform runs its function, with a sample of each; None outside of all."""


def _sample(array: np.ndarray) -> np.ndarray:
    """Some entries, evenly spread."""
    return np.array(array.flat[:: 1 + array.size // SAMPLED])


def borrow(array: np.ndarray) -> None:
    """Note an array that a rule will read again."""
    noted = ledger.get()
    if noted is not None and id(array) not in noted:
        noted[id(array)] = (array, _sample(array))


def require_unwritten(noted: dict[int, tuple[np.ndarray, np.ndarray]]) -> None:
    """Raise if a borrowed array has other values now; the transform around goes on watching the rest."""
    for array, before in noted.values():
        if _sample(array).tobytes() != before.tobytes():
            raise InplaceError(
                "a NumPy array was written to after the function that is differentiated had computed with it, and the "
                "derivative needs the values that it had (modified by an inplace operation, unseen).",
                f"Its shape is {array.shape}, its dtype {array.dtype}; of large arrays no copy is made.",
                "Write a = a * 2 in place of a *= 2, make the buffer inside the loop, or compute with a.copy().",
            )
    around: Any = ledger.get()
    if around is not None:
        for key, entry in noted.items():
            around.setdefault(key, entry)
