"""Brackets behind an operand: ``x[0]``, ``x[1:]``, ``A[:, 0]``, ``x[[0, 2]]``, ``x[:, None]``, ``A[i,k]``."""

from __future__ import annotations

from .. import _limits
from ._cursor import Cursor
from ._lexer import LETTER, Token
from ._syntax import Node

_DELTAS = frozenset({"δ", "eye"})


class IndexParser(Cursor):
    """The part of a parser that reads indices; ``names`` are declared and defined, and no letters of indices."""

    def __init__(self, tokens: list[Token], text: str, names: set[str]) -> None:
        super().__init__(tokens, text)
        self.names = names

    def index(self, left: Node, opening: Token) -> Node:
        """Read what is behind the bracket ``opening``."""
        items, closing = self.listed(opening, self._slice)
        end = closing.end
        if not items:
            raise self.problem("an empty index", opening)
        if not any(isinstance(item, str) for item in items):
            return Node("index", tuple(items), (left,), left.start, end, opening.start)
        if not all(isinstance(item, (str, int)) for item in items):
            step = "Write an entry, A[i,0], or a part, A[0, 1:]."
            raise self.problem("letters and slices in one index", opening, step)
        if left.kind == "name" and left.value in _DELTAS and left.value not in self.names:
            left = Node("call", ("δ[]", ()), (), left.start, left.end)
        return Node("entry", tuple(items), (left,), left.start, end, opening.start)

    def _letter(self) -> str:
        token = self.take()
        if not LETTER.fullmatch(token.text):
            raise self.problem("an index is a number, a slice or a letter alone", token, "Write x[0], x[1:] or x[i].")
        if token.text in self.names:
            step = "Choose another letter, or name the symbol otherwise."
            raise self.problem(f"'{token.text}' is a symbol here and cannot be an index", token, step)
        if not self.at("]", ","):
            raise self.problem("an index is a letter alone", self.now, "Write x[i]; for shifted entries slice, x[1:].")
        return token.text

    def _slice(self) -> int | slice | list[int] | str | None:
        if self.at("["):
            return self._chosen()
        if self.now.kind == "name":
            if self.now.text != "None":
                return self._letter()
            self.take()
            return None
        parts: list[int | None] = [None]
        colons = 0
        while not self.at("]", ","):
            if self.at(":"):
                self.take()
                colons += 1
                parts.append(None)
                if colons > 2:
                    raise self.problem("a slice has at most three parts", self.now)
                continue
            if parts[-1] is not None:
                raise self.missing(self.now)
            parts[-1] = self._integer()
        if not colons:
            if parts[0] is None:
                raise self.missing(self.now)
            return parts[0]
        if len(parts) == 3 and parts[2] is not None and parts[2] < 1:
            raise self.problem("a slice needs a positive step", self.now, "Write flip(x) for x[::-1].")
        return slice(*parts)

    def _chosen(self) -> list[int]:
        """Read ``[0, 2]`` in an index, which takes these entries of an axis."""
        opening = self.take()
        places, _ = self.listed(opening, self._integer)
        if not places:
            raise self.problem("an empty index", opening)
        return places

    def _integer(self) -> int:
        sign = -1 if self.at("-") else 1
        if sign < 0:
            self.take()
        if self.now.kind != "number" or not self.now.text.isdigit() or len(self.now.text) > _limits.TEXT_INDEX:
            raise self.problem("an index is an integer or a slice of integers", self.now, "Write x[0] or x[1:].")
        return sign * int(self.take().text)
