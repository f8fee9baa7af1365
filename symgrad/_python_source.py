"""Python source as a tree, in several threads at once.

Python 3.11 counts how deep a tree is in one place for all threads: where another one parses while the garbage collector
calls something, it raises ``SystemError: AST constructor recursion depth mismatch`` (python/cpython#106905).
"""

from __future__ import annotations

import ast
import threading
from typing import Any, Literal

_turn = threading.Lock()


def parsed(source: str, mode: Literal["exec", "eval"] = "exec") -> Any:
    """``ast.parse(source, mode=mode)``, one at a time.

    >>> parsed("x + 1", "eval").body.op
    <ast.Add object at ...>
    """
    with _turn:
        return ast.parse(source, mode=mode)
