"""Letters that are indices: where a text has them, and sums over them that are typed as a word, ``sum_k``.

The idea to hold: brackets right behind an operand that hold nothing but letters and numbers, one of them a letter, are
those of an entry, ``A[i,k]``. A letter that is a symbol of the text is no index, and a sum runs over indices only.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from ._lexer import ENDS, LETTER, STARTS, Token, big_sum

_SUM = re.compile("(?:sum|Σ)_([a-z][a-z0-9]*)")


def places_of_letters(tokens: list[Token]) -> set[int]:
    """The places of the tokens that are indices."""
    found: set[int] = set()
    for i, token in enumerate(tokens):
        if token.text == "[" and token.kind == "op" and i and tokens[i - 1].end == token.start:
            end = end_of_letters(tokens, i)
            if end and (tokens[i - 1].kind in ("name", "sup", "close") or tokens[i - 1].text in ENDS):
                found |= {k for k in range(i + 1, end) if tokens[k].kind == "name"}
    return found


def end_of_letters(tokens: list[Token], start: int) -> int:
    """The place of the bracket that closes the indices after ``start``; 0 if there is something else in it."""
    i, letters = start + 1, 0
    while tokens[i].kind == "number" or (tokens[i].kind == "name" and LETTER.fullmatch(tokens[i].text)):
        letters += tokens[i].kind == "name"
        if tokens[i + 1].text != ",":
            return i + 1 if letters and tokens[i + 1].text == "]" else 0
        i += 2
    return 0


def with_sums(tokens: list[Token], text: str, declared: Collection[str]) -> list[Token]:
    """The tokens with ``sum_k`` before what it sums as one sign."""
    letters = {tokens[i].text for i in places_of_letters(tokens)}
    out = list(tokens)
    for i, token in enumerate(tokens[:-1]):
        found = _SUM.fullmatch(token.text) if token.kind == "name" and token.text not in declared else None
        after = tokens[i + 1]
        starts = after.kind in ("name", "number", "open", "sum") or after.text in STARTS
        if found is not None and starts and letters.issuperset(LETTER.findall(found[1])):
            out[i] = big_sum(found[1], text, token.start, token.end)
    return out
