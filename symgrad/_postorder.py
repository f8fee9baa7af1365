"""The one walk over terms: of formulas, of what is laid out to be printed, of parsed texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def postorder(*roots: Any, known: Iterable[int] = ()) -> list[Any]:
    """Every term below ``roots`` once, operands (its ``children``) first, from left to right, without recursion.

    Terms whose identities are ``known`` are left out, with all that only they hold.
    """
    seen = set(known)
    found: list[Any] = []
    stack: list[Any] = [*roots[::-1]]
    while stack:
        term = stack.pop()
        if term is None:  # stands above a term whose operands are done
            found.append(stack.pop())
        elif id(term) not in seen:
            seen.add(id(term))
            children = term.children
            if children:
                stack += (term, None, *children[::-1])
            else:
                found.append(term)
    return found
