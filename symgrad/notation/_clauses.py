"""The parts of a text: the formula, the definitions after 'where', and what is said of a symbol in words.

The idea to hold: a definition is a name, perhaps with letters of indices, before ``=`` outside all brackets.
"""

from __future__ import annotations

from typing import NamedTuple

from ..syntax import ParseError, Token, enclosing, end_of_letters, is_where

_SAID = ("exchanges", "the", "last", "two", "axes")


class Clause(NamedTuple):
    """The tokens of a right-hand side, and the letters on its left: i and j in ``S[i,j] = …``."""

    tokens: list[Token]
    letters: tuple[str, ...]


def clauses_of(tokens: list[Token], text: str) -> tuple[dict[str, Clause], set[str]]:
    """The definitions by name, the formula itself as ''; and the symbols that exchange two axes."""
    tokens, swaps = _without_remarks(tokens)
    end = len(tokens) - 1
    where, starts = _places(tokens)
    begin = 0
    letters: tuple[str, ...] = ()
    if 0 in starts and where > 1:  # f = …, f[i,j] = …
        begin = starts.pop(0)
        letters = _letters(tokens[:begin])
    starts = {s: e for s, e in starts.items() if s > where}
    if where < end and where + 1 not in starts and not (swaps and where + 1 == end):
        step = "Write where r = X@w - y; the function is where(condition, a, b)."
        raise ParseError.at("after 'where' a definition follows", text, tokens[where], step)
    parts = {"": Clause(_ended(tokens[begin:where], tokens[end]), letters)}
    for (start, begin), stop in zip(starts.items(), [*starts, end][1:], strict=bool(starts)):
        part = tokens[begin:stop]
        while part and (part[-1].text in (",", ";", "and", "where")):
            part = part[:-1]
        name = tokens[start].text
        if name in parts or not part:
            what = "is defined twice" if name in parts else "is defined as nothing"
            raise ParseError.at(f"'{name}' {what}", text, tokens[start])
        parts[name] = Clause(_ended(part, tokens[end]), _letters(tokens[start:begin]))
    return parts, swaps


def _ended(part: list[Token], end: Token) -> list[Token]:
    at = part[-1].end if part else end.start
    return [*part, Token("end", "", at, at)]


def _places(tokens: list[Token]) -> tuple[int, dict[int, int]]:
    """Where 'where' is (or the end), and of every definition where it begins and where its right-hand side does."""
    starts: dict[int, int] = {}
    last = where = len(tokens) - 1
    for i, bracket in enumerate(enclosing(tokens)[:-1]):
        if is_where(tokens, i) and where == last:
            where = i
        elif bracket < 0 and tokens[i].kind == "name":
            after = i + 1
            if tokens[after].text == "[" and (closing := end_of_letters(tokens, after)):
                after = closing + 1
            if tokens[after].kind == "op" and tokens[after].text == "=":
                starts[i] = after + 1
    return where, starts


def _letters(left: list[Token]) -> tuple[str, ...]:
    return tuple(t.text for t in left[1:] if t.kind == "name")


def _without_remarks(tokens: list[Token]) -> tuple[list[Token], set[str]]:
    """The tokens without 'K exchanges the last two axes', and what does so."""
    out: list[Token] = []
    swaps: set[str] = set()
    skip = 0
    for i, token in enumerate(tokens):
        if tuple(t.text for t in tokens[i + 1 : i + 6]) == _SAID and token.kind == "name":
            swaps.add(token.text)
            skip = 6
        if not skip:
            out.append(token)
        skip = max(0, skip - 1)
    return out, swaps
