"""Walks over trees: of terms, layouts and parsed texts; and Python source as a tree, in several threads at once."""

from __future__ import annotations

import ast
import threading
from collections.abc import Iterable
from typing import Any, Literal

# --------------------------- The one walk over terms: of formulas, of what is laid out to be printed, of parsed texts


def postorder(*roots: Any, known: Iterable[int] = ()) -> list[Any]:
    """Every term below ``roots`` once, operands (its ``children``) first, from left to right, without recursion.

    Terms whose identities are ``known`` are left out, with all that only they hold.
    """
    seen = set(known)
    found = []
    stack = [*roots[::-1]]
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


# ---------------------------------------------------------------- Python source as a tree, in several threads at once

# Python 3.11 counts how deep a tree is in one place for all threads: where another one parses while the garbage
# collector calls something, it raises ``SystemError: AST constructor recursion depth mismatch``
# (python/cpython#106905).


_turn = threading.Lock()


def parsed(source: str, mode: Literal["exec", "eval"] = "exec") -> Any:
    """``ast.parse(source, mode=mode)``, one at a time.

    >>> type(parsed("x + 1", "eval").body.op)
    <class 'ast.Add'>
    """
    with _turn:
        return ast.parse(source, mode=mode)


def container_like(container: Any, parts: list[Any]) -> Any:
    """A list, a tuple or a named tuple of the kind of another."""
    return type(container)(*parts) if hasattr(container, "_fields") else type(container)(parts)
