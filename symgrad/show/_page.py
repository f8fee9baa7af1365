"""How much of a formula is printed: bounded text, with the number of what was left out."""

from __future__ import annotations

from .. import _limits


def shortened(text: str, dots: str = "…") -> str:
    """Text, or the beginning of a long one."""
    return text if len(text) <= _limits.PAGE else f"{text[: _limits.PAGE]} {dots} ({len(text)} characters)"


def kept(lines: list[str], limit: int, room: int) -> tuple[list[str], int]:
    """The last definitions, which the formula itself uses, as many as fit; and how many do not."""
    shown: list[str] = []
    for line in reversed(lines[max(len(lines) - limit, 0) :]):
        room -= len(line)
        if room < 0:
            break
        shown.append(line)
    return shown[::-1], len(lines) - len(shown)


def page(body: str, lines: list[str], limit: int, dots: str = "…") -> str:
    """A formula and its definitions."""
    text = shortened(body, dots)
    shown, left = kept(lines, limit, _limits.PAGE - len(text))
    if left:
        shown.append(f"{dots} and {left} more definitions")
    return f"{text}\nwhere " + "\n      ".join(shown) if shown else text
