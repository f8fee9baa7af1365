"""The one walk over terms: of formulas, of what is laid out to be printed, of parsed texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def postorder(*roots: Any) -> Iterator[Any]:
    """Every term below ``roots`` once, operands (its ``children``) first, from left to right, without recursion."""
    seen: set[int] = set()
    stack: list[tuple[Any, bool]] = [(r, False) for r in reversed(roots)]
    while stack:
        term, done = stack.pop()
        if done:
            yield term
        elif id(term) not in seen:
            seen.add(id(term))
            children = term.children
            if children:
                stack.append((term, True))
                stack.extend([(a, False) for a in reversed(children) if id(a) not in seen])
            else:
                yield term
