"""A place among tokens, and what is said when something is missing there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._lexer import BRACKETS, Token
from ._problem import ParseError, shortened

CLOSING = {**BRACKETS, "‖": "‖", "|": "|"}


class Cursor:
    """Where a parser is in its tokens, and which brackets are open there."""

    def __init__(self, tokens: list[Token], text: str) -> None:
        self.tokens, self.text = tokens, text
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
        if token.kind in ("name", "number", "string", "open", "sum") or sign in ("(", "⟨", "⌊", "√", "["):
            step = 'Write * between them, or dialect="matrix" for matrix notation.'
            return self.problem(f"an operator is missing before '{shortened(sign)}'", token, step)
        if sign == "=":
            step = "Write == to compare; definitions follow 'where'."
            return self.problem("'=' is no part of a formula", token, step)
        return self.problem(f"'{sign}' is not expected here", token)
