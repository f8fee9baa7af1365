r"""Functions of LaTeX: ``\log(x)``, ``\log x``, ``\sin^2 x``, ``\operatorname{tr}(A)``; fractions, roots, sums.

The idea to hold: without brackets a function takes one operand, perhaps with a number before it, and something must end
it: ``\log x y`` is refused.
"""

from __future__ import annotations

import re

from .. import _limits
from ._latex_brackets import Brackets
from ._latex_commands import FUNCTIONS
from ._latex_scan import spelled
from ._latex_source import SPLITS, is_bracketed
from ._lexer import LETTER, Token
from ._problem import close_to

_FILLING = frozenset({"if", "for", "when", "otherwise", "else", "where", "and", "with", "or", "all"})
_WORD = re.compile(r"[^\W\d]\w*|[0-9]+")
_ENDING = frozenset({")", "]", "}", "⟩", "⌋", "⌉"})

_ORDER = re.compile(r"\( [0-9]{1,3} \)")
"""Of a derivative, above its function."""


class Calls(Brackets):
    """The part of the reader that reads functions."""

    def written(self, name: str, start: int, end: int, forced: bool = False, style: str | None = None) -> bool:
        raise NotImplementedError

    # ------------------------------------------------------------------ names of functions

    def function_called(self, name: str) -> str:
        r"""The function that a command or an operator's name is, in whatever case: ``\Tr``, ``\ReLU``."""
        name = name.removesuffix("*")
        ways = (name, name.lower(), re.sub(r"[\s-]", "", name.lower()), re.sub(r"[\s-]", "_", name.lower()), "sign")
        for way in ways if name.lower() in ("sgn", "signum") else ways[:-1]:
            if len(way) > 1 and way in self.functions:
                return FUNCTIONS.get(way, way)
        return ""

    def words(self, token: Token) -> bool:
        r"""Read ``\mathrm{…}``, ``\text{…}``, ``\operatorname{…}``: a function, a name, or words between formulas."""
        braced = self.now.text == "{"
        parts = self.argument(token)
        last = self.raw[self.i - 1]
        said = self.text[parts[0].start : parts[-1].end] if parts else ""
        said = said.replace("\\_", "_").replace("\\ ", " ").strip()
        operator = token.text.startswith(("operatorname", "mathop"))
        if not operator and said not in self.declared and len(_WORD.findall(said)) > 1:
            for found in _WORD.finditer(self.text, parts[0].start, parts[-1].end):
                self.emit("name", found[0], found.start(), found.end() + 1)
            return False
        if said in self.declared and not operator:
            return self.written(said, token.start, last.end, style="upright" if len(said) == 1 else None)
        name = said.strip(".,:")
        if name.lower() in _FILLING and not operator and not self.opens():
            self.emit("name", name.lower(), token.start, last.end)
            return False
        known = self.function_called(said)
        if known and (operator or self.opens() or self._starts_operand()):
            return self.function(known, token._replace(end=last.end))
        if operator or not said or not re.fullmatch(r"[^\W\d]\w*", said.strip(".,:")):
            close = close_to(said, self.functions)
            step = f"Did you mean {' or '.join(close)}?" if close else "symgrad.notation.functions() lists what is."
            source = self.source(token, last) if braced else said
            raise self.problem(f"'{source}' is no function that is known here", token, step, last)
        return self.written(name, token.start, last.end, style="upright" if len(name) == 1 else None)

    # ------------------------------------------------------------------ arguments

    def function(self, name: str, token: Token) -> bool:
        """Read a function with its argument; a power before the argument is that of the result."""
        sign = self.now
        below, above, _ = self.scripts() if sign.kind == "script" else (None, None, False)
        derived: Token | None = None
        said = spelled(below) if below is not None else ""
        order_above = _ORDER.fullmatch(spelled(above)) if above is not None and name != "polygamma" else None
        if above is not None and order_above and self.opens() and (not said or said.isdigit()):  # the table knows it
            name, derived, below, above = f"{name}_{said}" if said else name, above[1], None, None
        if below is not None:
            name = self._with_base(name, said, token)
        order: list[Token] = []
        if above is not None and name == "polygamma" and _ORDER.fullmatch(spelled(above)):  # of ψ^{(n)}
            order, above = [above[1], above[1]._replace(kind="op", text=",")], None
        if above is not None and not re.fullmatch("[0-9]{1,3}|[a-z]", spelled(above)):
            step = rf"Write \arc{name}, or brackets, ({name}(x))^{{…}}, for the power."
            raise self.problem(f"a superscript of '{name}' may be read in two ways", sign, step)
        self.emit("name", name, token.start, token.end)
        if derived is not None:
            self.emit("order", derived.text, derived.start, derived.end)
        at = len(self.out)
        if self.opens():
            opening = self.take()
            tall = opening if opening.text == "left" else None
            opening = self.take() if tall else opening
            inner = self.captured(lambda: self.bracket(opening, tall, list_only=True))
            self.wrap([*order, *inner[1:-1]], inner[0].start, inner[-1].end)
        elif self.now.kind == "group" and self.now.text == "{":
            inner = self.translated(self.argument(token), token)
            whole = is_bracketed(inner)
            if not whole:
                self._end_argument(token)
            self.wrap(inner[1:-1] if whole else inner, token.end, self.raw[self.i - 1].end)
        else:
            inner = self.captured(lambda: self._bare_argument(token))
            self.wrap(inner, token.end, self.raw[self.i - 1].end)
        self.out[at] = self.out[at]._replace(start=max(token.end, self.out[at].start))
        if above is not None and self.now.kind == "script":
            raise self.problem("two superscripts of one function", self.now, "Write brackets around it.")
        if above is not None:
            self.raised(above, sign)
        return self.with_scripts(at, "bracket")

    def _with_base(self, name: str, said: str, token: Token) -> str:
        known = {"log 2": "log2", "log 10": "log10", "log e": "log"}.get(f"{name} {said}")
        if known is None:
            step = r"Write \frac{\log x}{\log b}." if name == "log" else r"Write x_i inside, or \sum_i."
            raise self.problem(f"the subscript of '{self.source(token)}' is not read", token, step)
        return known

    def _starts_operand(self) -> bool:
        token = self.now
        if token.kind == "command":
            return token.text not in ("right", "end")
        return token.kind in ("name", "number", "open") or (token.kind == "group" and token.text == "{")

    def _bare_argument(self, token: Token) -> None:
        with self.nested(token):
            last: Token | None = None
            while self.now.kind == "number" or (self.at("command", "pi") and "pi" not in self.declared):
                last = self.now
                if not self.unit() or self.out[-1].kind == "sup":
                    break
            if last is not None and self._ends_here():
                return
            bar = self.now
            if bar.kind == "op" and bar.text in ("|", "‖"):
                self.take()
                self.bracket(bar)
            elif self.at("command", "sum", "prod"):
                self.sequence(self._is_end)
            elif bar.kind == "name" and len(bar.text) > 1 and bar.text not in (*self.declared, *self.functions):
                self.take()
                name = self.source(token)
                what = f"what '{name}' is applied to may be read in two ways"
                raise self.problem(what, token, f"Write brackets, {name}({bar.text}).", bar)
            elif not self._starts_operand() or not self.unit():
                step = f"Write its argument in brackets, {self.source(token)}(x)."
                raise self.problem(f"'{self.source(token)}' stands without its argument", token, step)
            self._end_argument(token)

    def _is_end(self, token: Token) -> bool:
        if token.kind in ("end", "close", "cell", "row"):
            return True
        return (token.kind == "command" and token.text in ("right", "end")) or (
            token.kind == "op" and token.text in SPLITS | _ENDING
        )

    def _ends_here(self) -> bool:
        token = self.now
        if token.kind == "op" and token.text in ("|", "‖"):  # that closes
            after = self.raw[self.i + 1]
            return self._is_end(after) or after.kind == "script"
        called = token.kind == "command" and (token.text in FUNCTIONS or token.text in ("text", "operatorname"))
        return called or self._is_end(token)

    def _end_argument(self, token: Token) -> None:
        if not self._ends_here():
            name = self.source(token)
            raise self.problem(
                f"what '{name}' is applied to may be read in two ways", token, f"Write brackets, {name}(…).", self.now
            )

    # ------------------------------------------------------------------ fractions, roots, sums

    def fraction(self, token: Token) -> bool:
        at, outer = len(self.out), self.out
        inner: list[Token] = []
        self.out = inner
        for sign in ("/", ""):
            start = self.now.start
            part = self.translated(self.argument(token), token)
            end = self.raw[self.i - 1].end
            if not part:
                raise self.problem(f"'\\{token.text}' has an empty part", token, r"Write \frac{a}{b}.")
            self.wrap(part, start, end)
            if sign:
                self.emit("op", sign, end, end)
        self.out = outer
        self.wrap(inner, token.start, end)
        return self.with_scripts(at, "bracket")

    def root(self, token: Token) -> bool:
        order: list[Token] = []
        if self.now.text == "[":
            self.take()
            start = self.i
            while self.now.kind != "end" and self.now.text != "]":
                self.take()
            order = self.translated(self.raw[start : self.i], token)
            self.take()
        inner = self.translated(self.argument(token), token)
        end = self.raw[self.i - 1].end
        if not inner:
            raise self.problem("a root of nothing", token, r"Write \sqrt{x}.")
        at = len(self.out)

        def write() -> None:
            if not order:
                self.emit("op", "√", token.start, token.start + 1)
            self.wrap(inner, token.start + 1, end)
            if order:
                self.emit("op", "^", end - 1, end)
                one = [Token("number", "1", end, end), Token("op", "/", end, end)]
                self.wrap([*one, *self.captured(lambda: self.wrap(order, end, end))], end, end)

        self.wrap(self.captured(write), token.start, end)
        return self.with_scripts(at, "bracket")

    def big(self, token: Token) -> bool:
        r"""Read ``\sum_{i}``, ``\sum_{i,j}``, ``\sum_{i=1}^{n}``; what is summed follows."""
        below, above, _ = self.scripts()
        last = self.raw[self.i - 1]
        sign = "\\" + token.text

        def problem(what: str) -> Exception:
            step = f"Write {sign}_{{i}} x_i or {sign}_{{i=1}}^{{n}} x_i, over the whole axis."
            return self.problem(what, token, step, last)

        said = [t for t in below or [] if t.kind != "group"]
        cut = next((k for k, t in enumerate(said) if t.text == "="), len(said))
        names = [t for t in said[:cut] if t.text != ","]
        letters = [x for t in names for x in LETTER.findall(t.text)]
        if not letters or any(t.kind != "name" for t in names) or "".join(letters) != "".join(t.text for t in names):
            raise problem(f"'{self.source(token, last)}' does not name the letters it runs over")
        if len(set(letters)) < len(letters):
            raise problem("a sum names the letters it runs over, each once")
        if above is not None or cut < len(said):
            size = _size(spelled(said[cut + 1 :]) or "1", spelled(above or []))
            if size is None or len(letters) > 1:
                raise problem(f"'{self.source(token, last)}' does not run from 1 to a size")
            self.ranges[token.start] = letters[0], size
        self.emit(token.text, " ".join(letters), token.start, last.end)
        self.active += letters
        return True


def _size(first: str, last: str) -> int | str | None:
    """How many steps a sum has, a number or a name: from 1 to n, or from 0 to n − 1."""
    if first not in ("0", "1"):
        return None
    if last.isdigit() and len(last) <= _limits.TEXT_INDEX:
        return int(last) + (first == "0")
    name = last if first == "1" else last.removesuffix(" - 1") if last.endswith(" - 1") else ""
    return name if name.isidentifier() else None
