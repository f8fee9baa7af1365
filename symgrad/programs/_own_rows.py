"""The rows and rules that are symgrad's own: those that there are when it has been imported.

The idea to hold: what users add later is theirs, and may be another thing under the same name in another process.
"""

from __future__ import annotations

from ..core import TABLE
from ..expr import RULES

OWN_ROWS = dict(TABLE)
OWN_RULES = list(RULES)


def rules_are_own() -> bool:
    """Whether nobody has added a rule, or taken one away."""
    return len(RULES) == len(OWN_RULES) and all(map(_same, RULES, OWN_RULES))


def _same(a: object, b: object) -> bool:
    return a is b
