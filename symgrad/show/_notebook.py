"""What a notebook shows of an object as the last value of a cell: as much as a page has room for.

The idea to hold: what is long is left to `print`, which always shows all of it. LaTeX cannot be cut, so that a long
formula is shown as the beginning of its text.
"""

from __future__ import annotations

from typing import Any

from .. import _limits


def shortened(text: str) -> str:
    """The beginning of a text that is long, and how much more there is."""
    lines = text.split("\n")
    shown, room = list[str](), _limits.NOTEBOOK_TEXT
    for line in lines[: _limits.NOTEBOOK_LINES]:
        if len(line) > room:
            shown += [line[:room] + "…"] if room else []
            break
        shown.append(line)
        room -= len(line)
    found = "\n".join(shown)
    if found == text:
        return text
    return f"{found}\n… cut here: the text has {len(text):,} characters, which print shows"


def in_dollars(latex: str) -> str | None:
    """LaTeX as a notebook takes it; None of what is long."""
    return f"$\\displaystyle {latex}$" if len(latex) <= _limits.NOTEBOOK_LATEX else None


def cut_in_ipython(self: Any, printer: Any, cycle: bool) -> None:
    """``_repr_pretty_`` of what may be long. IPython takes it from the class that has the ``__repr__``, no base."""
    printer.text(shortened(repr(self)))


__all__ = ["cut_in_ipython", "in_dollars", "shortened"]
