"""Text for people: how tensors, graphs and formulas are printed.

The idea to hold: printing a tensor is part of every session, printing a formula is not, so that what formulas need is
imported when the first one is printed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._latex import to_latex
    from ._layout_choice import lay
    from ._source import to_code
    from ._text import in_one_line, in_one_piece, to_text

__all__ = ["in_one_line", "in_one_piece", "lay", "to_code", "to_latex", "to_text"]

_HOMES = {
    "in_one_line": "_text", "in_one_piece": "_text", "lay": "_layout_choice", "to_code": "_source",
    "to_latex": "_latex", "to_text": "_text",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = function
    return function
