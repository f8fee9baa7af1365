"""Text for terminals that lack its signs: they are spelled in letters, as one says them.

The idea to hold: what a terminal has is written as it is, and what it lacks by the tables of signs and of Greek letters
that texts are read by. An answer does not fail for a sign.
"""

from __future__ import annotations

import codecs
import contextlib
import sys
import unicodedata
from collections.abc import Iterator

from ..syntax.lexer import ACCENTS, GREEK, SIGNS

_WORDS = {
    **GREEK,
    **{accent: f"_{word}" for word, accent in ACCENTS.items()},
    **{other: sign for sign, row in SIGNS.items() if sign.isascii() for other in row.also},
    "·": "*", "∙": "*", "⋅": "*", "×": "*", "⊙": ".*", "⊗": "kron", "∘": "o", "\u2044": "/", "√": "sqrt", "‖": "||",
    "⟨": "<", "⟩": ">", "⌊": "floor[", "⌋": "]", "⌈": "ceil[", "⌉": "]", "¬": "not ",
    "∧": "and", "∨": "or", "⊕": "xor", "∂": "d", "∇": "grad ", "∑": "sum", "∫": "integral ", "∞": "inf", "±": "+-",
    "→": "->", "↦": "->", "…": "...", "–": "-",
    "°": " deg", "□": "[]", "✓": "ok", "✗": "x", "─": "-", "│": "|", "├": "+", "└": "+",
}  # fmt: skip
_MARKS = {"<super>": "^", "<sub>": "_"}
_NAME = "symgrad-spelled"


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """What is written for signs that cannot be: each spelled, and words kept apart from the letters beside them."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    pieces, mark = [error.object[: error.start][-1:]], ""
    for sign in error.object[error.start : error.end]:
        kind, _, codes = unicodedata.decomposition(sign).partition(" ")
        before, mark = mark, _MARKS.get(kind, "")
        plain = "".join([chr(int(code, 16)) for code in codes.split()]) if kind.startswith("<") else ""
        word = _WORDS.get(sign) or (mark if mark != before else "") + "".join([_WORDS.get(c, c) for c in plain])
        if not word or not word.isascii():
            word = sign.encode("ascii", "backslashreplace").decode()
        pieces += [word] if mark and mark == before else [_between(pieces[-1], word), word]
    after = error.object[error.end :][:1]
    return "".join(pieces[1:]) + _between(pieces[-1], after), error.end


def _between(before: str, after: str) -> str:
    """What keeps a word and a letter, or two words, from being read as one."""
    return " " if before[-1:].isalnum() and after[:1].isalnum() and len(before + after) > 2 else ""


codecs.register_error(_NAME, _spelled)


@contextlib.contextmanager
def as_it_can() -> Iterator[None]:
    """Write to the terminal what it can, and spell the rest."""
    streams = [s for s in (sys.stdout, sys.stderr) if hasattr(s, "reconfigure")]
    before = [s.errors for s in streams]
    for stream in streams:
        stream.reconfigure(errors=_NAME)
    try:
        yield
    finally:
        for stream, errors in zip(streams, before, strict=True):
            stream.reconfigure(errors=errors)


def has_signs(text: str) -> bool:
    """Whether standard output has all signs of a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


__all__ = ["as_it_can", "has_signs"]
