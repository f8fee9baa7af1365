"""The numbers of a sum in a row's own text, added up: ``x^(3 − 1 − 1)`` is ``x``, ``Γ(a + 1 − 2)`` is ``Γ(a − 1)``.

The idea to hold: a row's text has places for operands, ``<0> − <1> − 1``, and what fills them says what is a number.
"""

from __future__ import annotations

import re
from fractions import Fraction

from ._signs import ADD, ATOM, MUL, Piece, Signs

_TERM = r"(?:<\d>|\d+)"
_SUM = re.compile(rf"(?<=[({{]){_TERM}(?: [+−-] {_TERM})+(?=[)}}])")
_PARTS = re.compile(rf"([+−-]?) ?({_TERM})")
_DIGITS = r"\d+(?:\.\d+|/\d+)?|\\frac\{\d+\}\{\d+\}"
_NUMBER = re.compile(_DIGITS)
_FIRST = re.compile(rf"(?P<sign>)(?P<number>{_DIGITS}) (?P<rest>[+−-] .+)")
_LAST = re.compile(rf"(?P<rest>.+) (?P<sign>[+−-]) (?P<number>{_DIGITS})")
_SIGN = re.compile(" [+−-] ")
_EXPONENT = re.compile(r"\^(?:\((\d+|<\d>)\)|\{(\d+)\})")


def with_sums_of_numbers(text: str, args: list[Piece], writer: Signs) -> tuple[str, list[Piece]]:
    """A row's text and what fills its places, with one number in each sum."""
    args = list(args)
    added = _SUM.sub(lambda found: _added_up(found[0], args, writer), text)
    if added == text:
        return text, args
    return _EXPONENT.sub(lambda found: "" if "1" in found.groups() else _bare(found), added), args


def _bare(found: re.Match[str]) -> str:
    return f"^{found[1]}" if found[1] else found[0]


def _added_up(text: str, args: list[Piece], writer: Signs) -> str:
    """One sum; what a number leaves of an operand is an operand of its own."""
    kept: list[str] = []
    numbers: list[str] = []
    for sign, term in _PARTS.findall(text):
        piece = args[int(term[1:-1])] if term[0] == "<" else Piece(term)
        if _NUMBER.fullmatch(piece.text):
            numbers.append(f"{sign}{piece.text}")
            continue
        split = None
        if piece.level == ADD and sign in ("", "+") and "Σ" not in piece.text:
            split = _FIRST.fullmatch(piece.text) or _LAST.fullmatch(piece.text)
        if split is not None:
            numbers.append(split["sign"] + split["number"])
            rest = split["rest"]
            if rest[:2] in ("+ ", "− ", "- "):
                alone = _SIGN.search(rest, 2) is None
                sign, rest = (rest[0], rest[2:]) if alone or rest[0] == "+" else ("", rest[0] + rest[2:])
            args.append(Piece(rest, ATOM if rest.isalnum() else ADD if _SIGN.search(rest) else MUL))
            term = f"<{len(args) - 1}>"
        kept.append(f"{sign or '+'} {term}")
    if len(numbers) < 2:
        return text
    total = sum(map(_value, numbers))
    if total or not kept:
        size = abs(total)
        shown = writer.figures(float(size)) if "." in "".join(numbers) else writer.scaled(size, [], None).text
        front = total > 0 and bool(kept) and kept[0][0] != "+"
        kept.insert(0 if front else len(kept), f"{writer.minus if total < 0 else '+'} {shown}")
    first, *others = kept
    return " ".join([first[2:] if first[0] == "+" else first[0] + first[2:], *others])


def _value(number: str) -> Fraction:
    digits = number.lstrip("+−-").replace("\\frac{", "").replace("}{", "/").rstrip("}")
    return -Fraction(digits) if number[0] in "−-" else Fraction(digits)


__all__ = ["with_sums_of_numbers"]
