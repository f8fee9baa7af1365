"""A row's own text for its operands: numbers of a sum are added up, entries are multiplied and raised by own signs.

The idea to hold: a row's text has places for operands, ``<0> − <1> − 1``, and is written for entries, ``<0> ⊙ f(<1>)``.
What fills the places says what is a number: ``x^(3 − 1 − 1)`` is ``x``, ``Γ(a + 1 − 2)`` is ``Γ(a − 1)``; numbers stand
side by side, and only matrices, of which X² is XX, are raised by ``∘``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
_EXPONENT = re.compile(r"\^(∘?)(?:\((\d+|<\d>)\)|\{(?:\\circ \()?(\d+)\)?\})")
_PLACE = re.compile(r"<(\d)>")
_RAISED = re.compile(r"(?<=[>)])(?:\^(?=[<({])|²)")
_TIMES = re.compile(r" (?:⊙|\\odot) ")
_AFTER = re.compile("[ /]")


def with_sums_of_numbers(text: str, args: list[Piece], writer: Signs) -> tuple[str, list[Piece]]:
    """A row's text and what fills its places, with one number in each sum."""
    args = list(args)
    added = _SUM.sub(lambda found: _added_up(found[0], args, writer), text)
    if added == text:
        return text, args
    return _EXPONENT.sub(lambda found: "" if "1" in found.groups() else _bare(found), added), args


def _bare(found: re.Match[str]) -> str:
    return f"^{found[1]}{found[2]}" if found[2] else found[0]


def with_signs_of_entries(text: str, ranks: Sequence[int], writer: Signs) -> str:
    """A row's text for operands of these ranks."""

    def rank(start: int, end: int) -> int:
        return max([ranks[int(k)] for k in _PLACE.findall(text[start:end]) if int(k) < len(ranks)], default=0)

    for mark in reversed([*_RAISED.finditer(text)]):
        at, last = mark.span()
        end = last if mark[0] == "²" else text.index(">", last) + 1 if text[last] == "<" else _end(text, last + 1) + 1
        if rank(at - 3 if text[at - 1] == ">" else _start(text, at - 1), end) == 2 and writer.entrywise:
            text = f"{text[:at]}^{_each('2' if mark[0] == '²' else text[last:end], writer.entrywise)}{text[end:]}"
    for mark in reversed([*_TIMES.finditer(text)]):
        at, last = mark.span()
        if not (rank(_start(text, at, _SIGN), at) and rank(last, _end(text, last, _AFTER))):
            text = f"{text[:at]}{'' if text[at - 1] + text[last] == '>(' else ' '}{text[last:]}"
    return text


def _each(exponent: str, sign: str) -> str:
    if exponent[0] != "{":
        return sign + exponent
    inner = exponent[1:-1]
    return f"{{{sign}{inner if re.fullmatch(_TERM, inner) else f'({inner})'}}}"


def _start(text: str, end: int, before: re.Pattern[str] | None = None) -> int:
    """Where what ends there begins: after the parenthesis that it stands in, or after a sign."""
    depth = 0
    for k in range(end - 1, -1, -1):
        if not depth and (text[k] in "({" or (before is not None and before.match(text, k))):
            return k + 1
        depth += (text[k] in ")}") - (text[k] in "({")
    return 0


def _end(text: str, start: int, after: re.Pattern[str] | None = None) -> int:
    """Where what begins there ends: before the parenthesis that closes what it stands in, or before a sign."""
    depth = 0
    for k in range(start, len(text)):
        if not depth and (text[k] in ")}" or (after is not None and after.match(text, k))):
            return k
        depth += (text[k] in "({") - (text[k] in ")}")
    return len(text)


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


__all__ = ["with_signs_of_entries", "with_sums_of_numbers"]
