"""A place among tokens: which brackets are open there, lists, indices, and what is said when something is missing."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from .. import _limits
from ._lexer import BIG, LETTER, Token
from ._problem import ParseError, shortened
from ._sign_table import BRACKETS, CLOSING
from ._syntax_tree import Node

_DELTAS = frozenset({"δ", "eye"})


class Cursor:
    """Where a parser is in its tokens; ``names`` are declared and defined, and no letters of indices."""

    def __init__(self, tokens: list[Token], text: str, names: Collection[str]) -> None:
        self.tokens, self.text, self.names = tokens, text, names
        self.i = 0
        self.open: list[Token] = []

    @property
    def now(self) -> Token:
        return self.tokens[self.i]

    def problem(self, what: str, token: Token, next_step: str = "") -> ParseError:
        return ParseError.at(what, self.text, token, next_step)

    def take(self) -> Token:
        token = self.tokens[self.i]
        self.i += 1
        return token

    def at(self, *signs: str) -> bool:
        """Whether the next token is one of the signs."""
        return self.now.kind == "op" and self.now.text in signs

    def at_end_of(self, opening: Token) -> bool:
        return self.now.kind == ("close" if opening.kind == "open" else "op") and (
            self.now.text == CLOSING[opening.text]
        )

    def close(self, opening: Token) -> Token:
        """Read the bracket that closes ``opening``."""
        if not self.at_end_of(opening):
            if self.now.kind == "end":
                raise self.unclosed()
            raise self.stray(self.now)
        self.open.pop()
        return self.take()

    def listed(self, opening: Token, item: Callable[[], Any]) -> tuple[list[Any], Token]:
        """Read ``a, b, …`` up to the bracket that closes ``opening``; what ``item`` made of each, and that bracket."""
        self.open.append(opening)
        items: list[Any] = []
        while not self.at_end_of(opening):
            items.append(item())
            if not self.at(","):
                break
            self.take()
        return items, self.close(opening)

    # ------------------------------------------------------------------ indices

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
        if not LETTER.fullmatch(token.text) and token.text != "…":
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
        if self.now.text == "None":
            self.take()
            return None
        if self.now.kind == "name" or self.at("…"):
            return self._letter()
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
        if len(parts) > 2 and parts[2] == 0:
            raise self.problem("a slice needs a step that is not 0", self.now, "Write x[::2], or x[::-1] backwards.")
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

    # ------------------------------------------------------------------ complaints

    def missing(self, token: Token) -> ParseError:
        """An operand is missing before a token."""
        if token.kind == "end":
            if self.open:
                return self.unclosed()
            return self.problem("the formula ends where an operand should follow", token)
        return self.problem(f"an operand is missing before '{token.text}'", token)

    def unclosed(self) -> ParseError:
        opening = self.open[-1]
        step = f"Add the missing '{CLOSING[opening.text]}'."
        return self.problem(f"'{opening.text}' is never closed", opening, step)

    def stray(self, token: Token) -> ParseError:
        """A token stands where it cannot."""
        sign = token.text
        if sign in BRACKETS.values() or token.kind == "close":
            if self.open:
                opening = self.open[-1]
                return self.problem(f"'{sign}' does not close '{opening.text}'", token, "Balance the brackets.")
            return self.problem(f"'{sign}' closes nothing", token, "Remove it, or open the bracket before.")
        if token.kind in ("name", "number", "string", "open", *BIG) or sign in ("(", "⟨", "⌊", "√", "["):
            step = 'Write * between them, or dialect="matrix" for matrix notation.'
            return self.problem(f"an operator is missing before '{shortened(sign)}'", token, step)
        if sign == "=":
            step = "Write == to compare; definitions follow 'where'."
            return self.problem("'=' is no part of a formula", token, step)
        return self.problem(f"'{sign}' is not expected here", token)
