"""The one walk over terms: of formulas, of what is laid out to be printed, of parsed texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def postorder(*roots: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """Every term below ``roots`` once, operands (its ``children``) first, from left to right, without recursion.

    Terms whose identities are in ``seen`` are left out, with all below them; those that are met are added.
    """
    seen = set() if seen is None else seen
    stack: list[Any] = [*roots[::-1]]
    while stack:
        term = stack.pop()
        if term is None:  # stands above a term whose operands are done
            yield stack.pop()
        elif id(term) not in seen:
            seen.add(id(term))
            children = term.children
            if children:
                stack += (term, None, *children[::-1])
            else:
                yield term
