"""The error of a text that cannot be read: what, where (a caret under the place), and one next step."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from .. import _limits
from .._errors import FormulaError


class ParseError(FormulaError, ValueError):
    """A text is no formula, or may be read in two ways.

    Attributes
    ----------
    text : the text
    position : where in it, counted in characters from 0
    """

    def __init__(
        self, what: str, text: str = "", start: int = 0, end: int | None = None, next_step: str = "", mark: int = -1
    ) -> None:
        evidence = point_at(text, start, start + 1 if end is None else end, mark) if text else ""
        super().__init__(what, evidence, next_step)
        self.text, self.position = text, start

    @classmethod
    def at(cls, what: str, text: str, part: Any, next_step: str = "") -> ParseError:
        """The error at a part of the text, a token or a node."""
        return cls(what, text, part.start, part.end, next_step, getattr(part, "at", -1))

    def __reduce__(self) -> Any:
        return _restore, (self.args, self.text, self.position)


def _restore(args: tuple[str, ...], text: str, position: int) -> ParseError:
    error = ParseError(args[0])
    error.text, error.position = text, position
    return error


def point_at(text: str, start: int, end: int, mark: int = -1) -> str:
    """The line of ``text`` around ``start`` with the part up to ``end`` underlined, the place ``mark`` by a caret."""
    start = min(max(start, 0), len(text))
    mark = mark if start <= mark < end else start
    first = text.rfind("\n", 0, mark) + 1
    last = text.find("\n", mark)
    last = len(text) if last < 0 else last
    start, end = max(start, first), min(max(end, mark + 1), max(last, mark + 1))
    left = max(first, mark - _limits.TEXT_SHOWN // 2)
    right = min(last, left + _limits.TEXT_SHOWN)
    line = ("…" if left > first else "") + text[left:right] + ("…" if right < last else "")
    shift = (left > first) - left
    under = "".join("^" if i == mark else "~" for i in range(max(start, left), min(end, right + 1)))
    blank = " " * (max(start, left) + shift)
    shown = "".join(c if c.isprintable() else " " for c in line)
    return f"    {shown}\n    {blank}{under}"


def shortened(text: str, most: int = 40) -> str:
    """A part of a text for a message: on one line, its middle left out where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2 - 1) :]}"


def close_to(name: str, others: Iterable[str]) -> list[str]:
    """The names among ``others`` that a mistyped name may have meant."""
    others = sorted(others)
    return difflib.get_close_matches(name, others, n=3, cutoff=0.6) or [
        o for o in others if len(o) > 2 and o.lower() == name.lower()
    ]
