"""The rows that programs call, and those and the rules that are symgrad's own: all when it has been imported.

The idea to hold: what users add later is theirs, and may be another thing under the same name in another process.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ..calculus import RULES
from ..core import TABLE

OWN_ROWS = dict(TABLE)
OWN_RULES = list(RULES)


@lru_cache(None)
def in_reals(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A row's forward as programs call it. They are of real numbers: where a row finds complex ones, as it does
    eigenvalues at other matrices than the first, there is none, and the tape is asked."""

    def run(*args: Any) -> Any:
        found = forward(*args)
        return tuple(map(_real, found)) if isinstance(found, tuple) else _real(found)

    return run


def _real(found: Any) -> Any:
    return np.full(found.shape, np.nan) if np.iscomplexobj(found) else found


def rules_are_own() -> bool:
    """Whether nobody has added a rule, or taken one away."""
    return len(RULES) == len(OWN_RULES) and all(map(_same, RULES, OWN_RULES))


def _same(a: object, b: object) -> bool:
    return a is b
