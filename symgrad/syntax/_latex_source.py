"""A place in a text of LaTeX, what was read up to there, and how its parts are taken: arguments, scripts, brackets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

from .. import _limits
from ._latex_commands import MATCHING
from ._latex_scan import closing_brace, parts_of
from ._lexer import LETTER, Token
from ._problem import ParseError, shortened
from ._sign_table import COMPARE, SIGNS

RELATIONS = frozenset(sign for sign, row in SIGNS.items() if row.binds == COMPARE)
SPLITS = RELATIONS | {"+", "-", ",", ";", "=", "∧", "∨"}
"""Signs that end a product."""


def is_bracketed(tokens: list[Token]) -> bool:
    """Whether one pair of round brackets holds all of them."""
    depth = 0
    for k, t in enumerate(tokens):
        depth += t.kind == "op" and t.text in ("(", "[")
        depth -= t.kind == "op" and t.text in (")", "]")
        if not depth:
            return k == len(tokens) - 1 and tokens[0].text == "(" and k > 0
    return False


class LatexSource:
    """What is read, ``out`` the tokens so far.

    Parameters
    ----------
    text : the LaTeX
    declared : how many axes the declared names have
    functions : names of functions
    """

    def __init__(self, text: str, declared: Mapping[str, int], functions: Collection[str]) -> None:
        self.text, self.declared, self.functions = text, declared, functions
        self.raw = parts_of(text)
        self.i = self.depth = 0
        self.out: list[Token] = []
        self.styles: dict[str, str] = {}  # how each letter is shown
        self.style = ""
        self.bound = frozenset(self._bound())
        self.active: list[str] = []  # letters of the sums around this place
        self.ranges: dict[int, tuple[str, int | str]] = {}  # of sums: the letter, how far it runs
        self.tables: set[int] = set()  # where matrices stand that are written out
        self.aligned = False

    def _bound(self) -> Iterator[str]:
        """The letters of all sums."""
        for i, token in enumerate(self.raw):
            if token.kind == "command" and token.text in ("sum", "prod"):
                k = i + 1
                while self.raw[k].kind in ("script", "group", "name") or self.raw[k].text == ",":
                    yield from LETTER.findall(self.raw[k].text if self.raw[k].kind == "name" else "")
                    k += 1

    @property
    def now(self) -> Token:
        return self.raw[self.i]

    def take(self) -> Token:
        token = self.raw[self.i]
        self.i += token.kind != "end"
        return token

    def at(self, kind: str, *texts: str) -> bool:
        return self.now.kind == kind and self.now.text in texts

    def problem(self, what: str, token: Token, next_step: str = "", last: Token | None = None) -> ParseError:
        return ParseError(what, self.text, token.start, (last or token).end, next_step)

    def source(self, first: Token, last: Token | None = None) -> str:
        return shortened(self.text[first.start : (last or first).end])

    def emit(self, kind: str, text: str, start: int, end: int) -> None:
        self.out.append(Token(kind, text, start, end))

    def wrap(self, inner: list[Token], start: int, end: int, opening: str = "(") -> None:
        """Write tokens in brackets, which take the places ``start`` and ``end`` in the text."""
        first, last = (inner[0].start, inner[-1].end) if inner else (end, end)
        kind = ("open", "close") if opening in ("|", "‖") else ("op", "op")
        self.out += [Token(kind[0], opening, start, max(first, start)), *inner]
        self.emit(kind[1], MATCHING[opening], min(last, end), end)

    # ------------------------------------------------------------------ parts

    @contextmanager
    def nested(self, token: Token) -> Iterator[None]:
        self.depth += 1
        if self.depth > _limits.TEXT_DEPTH:
            what = f"nested too deeply: it is nested more than {_limits.TEXT_DEPTH} deep"
            raise self.problem(what, token, "Name the inner parts: … where r = ….")
        yield
        self.depth -= 1

    def argument(self, owner: Token) -> list[Token]:
        """The parts of the argument that follows: what is in braces, or one sign."""
        token = self.now
        if token.kind == "group" and token.text == "{":
            end = closing_brace(self.raw, self.i, self.text)
            found = self.raw[self.i + 1 : end]
            self.i = end + 1
            return found
        if token.kind in ("end", "group", "cell", "row", "script"):
            raise self.problem(f"'{self.source(owner)}' stands without its argument", owner, "Write it in braces, {…}.")
        self.i += 1
        if token.kind in ("name", "number") and len(token.text) > 1 and token.end - token.start == len(token.text):
            cut = token.start + 1  # \frac12, x^23: one sign is the argument
            self.i -= 1
            rest = token._replace(text=token.text[1:], start=cut)
            self.raw[self.i] = rest._replace(kind="number") if rest.text.isdigit() else rest
            return [token._replace(text=token.text[0], end=cut)]
        if token.kind == "command" and self.now.kind == "group" and self.now.text == "{":  # ^\mathrm{T}
            end = closing_brace(self.raw, self.i, self.text)
            found = [token, *self.raw[self.i : end + 1]]
            self.i = end + 1
            return found + (self._second(end) if token.text.endswith("frac") else [])
        if token.kind == "command" and token.text.endswith("frac"):  # ^\frac12
            return [token, *self.argument(token), *([] if self.now.kind == "end" else self.argument(token))]
        return [token]

    def _second(self, end: int) -> list[Token]:
        """The second argument of a fraction that is an argument itself."""
        start = self.i
        self.argument(self.raw[end])
        return self.raw[start : self.i]

    def scripts(self) -> tuple[list[Token] | None, list[Token] | None, bool]:
        """What stands below and above, and whether that above came first."""
        found: dict[str, list[Token]] = {}
        while self.now.kind == "script":
            sign = self.take()
            if sign.text in found:
                step = "Write braces, {x^2}^3 is (x^2)^3."
                raise self.problem(f"a second '{sign.text}' behind the same sign", sign, step)
            found[sign.text] = [*self.argument(sign)]
        return found.get("_"), found.get("^"), next(iter(found), "") == "^"

    def translated(self, parts: list[Token], owner: Token) -> list[Token]:
        """The tokens that some parts mean."""
        raw, i, out = self.raw, self.i, self.out
        end = parts[-1].end if parts else owner.end
        self.raw, self.i, self.out = [*parts, Token("end", "", end, end)], 0, []
        with self.nested(owner):
            self.sequence()
        found = self.out
        self.raw, self.i, self.out = raw, i, out
        return found

    def captured(self, read: Callable[[], object]) -> list[Token]:
        """The tokens that ``read`` writes."""
        outer, self.out = self.out, []
        read()
        found, self.out = self.out, outer
        return found

    def sequence(self, ends: Callable[[Token], bool] | None = None) -> None:
        """Read up to the end, or up to where ``ends`` says so."""
        active = len(self.active)
        while self.now.kind != "end" and not (ends and ends(self.now)):
            signs = self.now.kind == "op" and self.now.text in SPLITS
            if signs and not (self.out and self.out[-1].kind in ("sum", "prod")):
                del self.active[active:]
            self.unit()
        del self.active[active:]

    def unit(self) -> bool:
        """Read one sign or one operand with its scripts; whether it was an operand."""
        raise NotImplementedError
