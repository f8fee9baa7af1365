r"""Brackets of LaTeX: what they hold together, indices, conditions; ``\left[…\right]``, ``{x}_{i}``, ``1[x > 0]``.

The idea to hold: braces are not seen, and hold together only what is one operand anyway; square brackets are round ones
unless there are commas in them, or entries that nothing outside sums over.
"""

from __future__ import annotations

from collections.abc import Callable

from ._latex_commands import MATCHING
from ._latex_scripts import INDICES, Scripts
from ._latex_source import RELATIONS
from ._lexer import Token

OPENING = frozenset({"(", "[", "{", "⟨", "⌊", "⌈"})


class Brackets(Scripts):
    """The part of the reader that reads brackets."""

    def opens(self) -> bool:
        """Whether a bracket follows that arguments may stand in."""
        ahead = self.raw[self.i + 1] if self.at("command", "left") else self.now
        return ahead.kind == "op" and ahead.text in ("(", "[", "{")

    def bracket(self, opening: Token, tall: Token | None = None, list_only: bool = False) -> bool:
        """Read what is in brackets, and their scripts; ``tall`` is the command before them."""
        sign, first = opening.text, tall or opening
        used = len(self.used)
        outer, self.out = self.out, []
        with self.nested(first):
            self.sequence(self._ends(sign, tall is not None, opening.kind))
        inner, self.out = self.out, outer
        end = self._closed(opening, tall)
        at = len(self.out)
        if sign == "⌈":
            self.emit("name", "ceil", first.start, opening.end)
        sign = {"{": "(", "⌈": "("}.get(sign, sign)
        if sign == "[" and not list_only and self._groups(inner, self.used[used:], first):
            sign = "("
        if sign == "[" and not list_only:  # an array behind an operand is no index of it
            inner, sign = self.captured(lambda: self.wrap(inner, first.start, end, "[")), "("
        self.wrap(inner, first.start, end, sign)
        return True if list_only else self.with_scripts(at, "bar" if sign in ("|", "‖") else "bracket")

    def _ends(self, sign: str, tall: bool, kind: str) -> Callable[[Token], bool]:
        if tall:
            return lambda t: t.kind == "command" and t.text == "right"
        if sign in ("|", "‖"):
            return lambda t: t.kind == ("close" if kind == "open" else "op") and t.text == sign
        return lambda t: t.kind == "op" and t.text == MATCHING[sign]

    def _closed(self, opening: Token, tall: Token | None) -> int:
        """Read the bracket that closes one; where it ends."""
        first = tall or opening
        if self.now.kind == "end":
            source = self.source(first, opening)
            wanted = "\\right" if tall else {"{": "\\}"}.get(opening.text, MATCHING[opening.text])
            raise self.problem(f"'{source}' is never closed", first, f"Add the missing '{wanted}'.", opening)
        closing = self.take()
        if tall is not None:
            right, closing = closing, self.take()
            same = MATCHING[opening.text] == closing.text or (opening.text == "⟨" and closing.text == ">")
            if not same:
                source = self.source(right, closing)
                raise self.problem(f"'{source}' does not close '{self.source(tall, opening)}'", right, "Balance them.")
        return closing.end

    def _groups(self, inner: list[Token], letters: list[str], first: Token) -> bool:
        """Whether square brackets hold together what is in them; else they make an array of it."""
        depth = 0
        for token in inner:
            depth += token.text in ("(", "[") and token.kind == "op"
            depth -= token.text in (")", "]") and token.kind == "op"
            if token.kind == "op" and token.text in (",", ";") and not depth:
                return False
        inside = {x for t in inner if t.kind in ("sum", "prod") for x in t.text.split()}
        free = set(letters) - inside
        if not free and len(inner) == 1 and inner[0].kind == "number":
            return False
        known = free & set(self.active)
        if known and known != free:
            step = "Write round brackets, or the sum over all letters inside."
            raise self.problem("square brackets around entries may hold them together or make an array", first, step)
        return not free or bool(known)

    def _is_place(self) -> bool:
        """Whether the bracket that was taken opens an index behind an operand: x[1:3], x[i]."""
        before = self.out[-1] if self.out else None
        if before is None or not (before.kind in ("name", "sup") or before.text in (")", "]")):
            return False
        k, letters = self.i, self.bound | INDICES if self._touches(before) else frozenset()
        while self.raw[k].kind == "number" or self.raw[k].text in ("-", ":", ",", "…") or self.raw[k].text in letters:
            k += 1
        return self.raw[k].text == "]" and k > self.i

    def _touches(self, before: Token) -> bool:
        return before.kind == "name" and before.end == self.raw[self.i - 1].start

    def _place(self, opening: Token) -> bool:
        self.out.append(opening._replace(start=self.out[-1].end))
        while self.out[-1].text != "]":
            self.used += [self.now.text] if self.now.kind == "name" else []
            self.out.append(self.take())
        return self.with_scripts(len(self.out) - 1, "bracket")

    def _left(self, token: Token) -> bool:
        opening = self.take()
        if opening.text == "<":
            opening = opening._replace(text="⟨")
        if opening.text not in MATCHING:
            what = f"'{self.source(token, opening)}' opens nothing"
            raise self.problem(what, token, r"Write \left( … \right).", opening)
        return self.bracket(opening, token)

    def _right(self, token: Token) -> bool:
        raise self.problem(r"'\right' closes nothing", token, r"Open it by \left, and close what is open before.")

    def _group(self, token: Token) -> bool:
        if token.text == "}":
            raise self.problem("'}' closes nothing", token, "Remove it, or open the brace before.")
        self.i -= 1
        parts = self.argument(token)
        inner = self.translated(parts, token)
        if self.now.kind != "script":
            self.out += inner
            return True
        end = self.raw[self.i - 1].end
        if len(inner) == 1 and inner[0].kind == "name" and not (len(inner[0].text) > 1 and len(parts) == 1 and
                                                                inner[0].text not in self.declared):  # fmt: skip
            self.out.append(inner[0])
            return self.with_scripts(len(self.out) - 1, "name", forced=True)
        if not _is_one(inner):
            step = r"Write brackets, \left(…\right)^{2}."
            raise self.problem(f"what the '{self.now.text}' belongs to is not seen", token, step, self.now)
        at = len(self.out)
        self.wrap(inner, token.start, end)
        return self.with_scripts(at, "bracket")

    # ------------------------------------------------------------------ conditions

    def _is_indicator(self) -> bool:
        """Whether brackets, or a subscript, with a comparison follow."""
        k, depth = self.i, 0
        if self.now.text == "left":
            k += 1
        if self.raw[k].text not in ("[", "(", "{", "_"):
            return False
        for token in self.raw[k + (self.raw[k].text == "_") :]:
            depth += token.text in ("[", "(", "{")
            depth -= token.text in ("]", ")", "}")
            if token.kind == "op" and token.text in RELATIONS | {"="}:
                return depth > 0
            if depth <= 0:
                return False
        return False

    def _indicator(self, token: Token) -> bool:
        end = self.raw[self.i - 1].end if self.raw[self.i - 1].start >= token.start else token.end
        self.emit("number", "1", token.start, end)
        if self.now.text == "_":
            self.take()
            inner = self.translated(self.argument(token), token)
        else:
            inner = self.captured(lambda: self._condition())
        inner = [t._replace(text="==") if t.text == "=" else t for t in inner]
        if [inner[0].text, inner[-1].text] in (["(", ")"], ["[", "]"]):
            inner = inner[1:-1]
        self.wrap(inner, end, self.raw[self.i - 1].end, "[")
        at = len(self.out)
        self.out[-len(inner) - 2] = self.out[-len(inner) - 2]._replace(start=end)
        return self.with_scripts(at - 1, "bracket")

    def _condition(self) -> None:
        opening = self.take()
        tall = None
        if opening.text == "left":
            tall, opening = opening, self.take()
        self.bracket(opening, tall, list_only=True)


def _is_one(tokens: list[Token]) -> bool:
    """Whether tokens are one operand that needs no brackets before a superscript: x, (a + b), f(x), x[0]."""
    depth, parts = 0, 0
    for k, token in enumerate(tokens):
        opens = token.kind == "open" or (token.kind == "op" and token.text in ("(", "[", "⟨", "⌊"))
        closes = token.kind == "close" or (token.kind == "op" and token.text in (")", "]", "⟩", "⌋"))
        if not depth and not (k and opens and token.text in "([" and tokens[k - 1].kind == "name"):
            parts += 1
            if token.kind not in ("name", "number") and not opens:
                return False
        depth += opens - closes
    return parts == 1
