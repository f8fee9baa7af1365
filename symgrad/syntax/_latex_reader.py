r"""LaTeX as people write it in papers, and as symgrad prints it, to the tokens of any other text.

The idea to hold: LaTeX says less about meaning than about looks, and is read only where the looks have one meaning:
braces that show no brackets hold nothing together, a function without brackets takes what cannot be anything else, and
two letters that differ in their font alone are not one name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from .. import _limits
from ._latex_brackets import OPENING
from ._latex_calls import Calls
from ._latex_commands import ABOVE, FONTS, FUNCTIONS, LETTERS, MEANINGLESS, WORDS
from ._latex_environments import Environments
from ._latex_scan import spelled
from ._lexer import Token
from ._problem import close_to

_SWITCHES = {"bf": "bold", "it": "", "rm": "upright", "cal": "script", "sf": "sans", "tt": "typed"}
_ONES = frozenset({"mathbf", "mathbb", "mathds", "mathbbm", "boldsymbol", "bm", "vec"})


class LatexText(NamedTuple):
    """What was read.

    Attributes
    ----------
    tokens : as those of any text, at their places in the LaTeX
    ranges : of sums, by where their sign stands: the letter, and the size or the name of the size that it runs over
    tables : where arrays begin that are written out, whose entries are numbers
    """

    tokens: list[Token]
    ranges: dict[int, tuple[str, int | str]]
    tables: frozenset[int]


def latex_tokens(text: str, declared: Mapping[str, int], functions: Collection[str]) -> LatexText:
    r"""The tokens of LaTeX.

    Parameters
    ----------
    text : with or without dollars around it
    declared : how many axes the declared names have
    functions : the names of functions; ``\tr`` and ``\operatorname{tr}`` are one if 'tr' is among them

    Raises
    ------
    ParseError : a command that means nothing here, or LaTeX that may be read in two ways
    """
    reader = LatexReader(text, declared, functions)
    reader.sequence()
    end = reader.now
    return LatexText([*reader.out, end], reader.ranges, frozenset(reader.tables))


class LatexReader(Calls, Environments):
    """Reads one text; see `LatexSource`."""

    def __init__(self, text: str, declared: Mapping[str, int], functions: Collection[str]) -> None:
        super().__init__(text, declared, functions)
        self.used = []

    def unit(self) -> bool:
        token = self.take()
        if token.kind in ("name", "number"):
            return self._name(token) if token.kind == "name" else self._number(token)
        if token.kind == "command":
            return self._command(token)
        if token.kind == "group":
            return self._group(token)
        if token.kind in ("cell", "row"):
            return self.line_of(token)
        if token.kind == "script":
            step = "Write the base before it, x^{2}."
            raise self.problem(f"nothing stands before '{token.text}'", token, step)
        if token.kind == "open" or (token.kind == "op" and token.text in OPENING):
            if token.text == "[" and self._is_place():
                return self._place(token)
            return self.bracket(token)
        if token.text == "}":
            raise self.problem("'\\}' closes nothing", token, "Remove it, or open the bracket before.")
        self.out.append(token)
        if token.text in ("|", "‖"):
            return self.with_scripts(len(self.out) - 1, "bar")
        return token.kind not in ("op", "close")

    # ------------------------------------------------------------------ names and numbers

    def _name(self, token: Token) -> bool:
        word = token.text
        if len(word) == 1 or word in self.declared:
            return self.written(word, token.start, token.end)
        if word in self.functions and self.opens():
            return self.function(word, token)
        head = word[:-1]
        if self.now.kind != "script" or word[-1].isdigit() or unicodedata.combining(word[-1]):
            return self.written(word, token.start, token.end)
        if len(head) == 1:
            self._note_style(Token("name", head, token.start, token.end - 1), self.style)
        self.emit("name", head, token.start, token.end - 1)  # Ax_i: what is below stands behind x
        return self.written(word[-1], token.end - 1, token.end)

    def written(self, name: str, start: int, end: int, forced: bool = False, style: str | None = None) -> bool:
        """Write a name with its scripts."""
        token = Token("name", name, start, end)
        self._note_style(token, self.style if style is None else style)
        self.out.append(token)
        return self.with_scripts(len(self.out) - 1, "name", forced)

    def _note_style(self, token: Token, style: str) -> None:
        """Refuse a letter that is shown in two ways: they are two symbols to the writer."""
        if token.text in self.bound or token.text == "e":
            return
        before = self.styles.setdefault(token.text, style)
        if before != style:
            what = f"'{token.text}' is shown in two ways, {style or 'plain'} here and {before or 'plain'} before"
            raise self.problem(what, token, "Write another letter for one of them, or both alike.")

    def _number(self, token: Token) -> bool:
        if token.text == "1" and self._is_indicator():
            return self._indicator(token)
        point = token.text
        if "e" not in point.lower() and self.at("op", "·") and self.raw[self.i + 1].text == "10":
            at = self.i
            self.i += 2  # 6.3 \cdot 10^{-6}
            _, above, _ = self.scripts()
            power = spelled(above or []).replace(" ", "")
            if above and power.lstrip("-").isdigit() and len(power) <= _limits.TEXT_INDEX:
                self.emit("number", f"{point}e{power}", token.start, self.raw[self.i - 1].end)
                return True
            self.i = at
        self.out.append(token)
        return self.with_scripts(len(self.out) - 1, "number")

    # ------------------------------------------------------------------ commands

    def _is_derived(self) -> bool:
        """Whether an order stands above the function before it, and its argument follows: ``^{(1)}(x)``."""
        above = [t.text for t in self.raw[self.i : self.i + 7]]
        return (
            above[:3] == ["^", "{", "("]
            and above[3].isdigit()
            and above[4:] in (["}"], [")", "}", "("], [")", "}", "left"])
        )

    def _command(self, token: Token) -> bool:
        name = token.text
        read = _COMMANDS.get(name)
        if read is not None:
            return read(self, token)
        if name in LETTERS:
            if name == "pi" and "pi" in self.declared:
                return self.written("pi", token.start, token.end)
            if name == "psi" and name not in self.declared and self._is_derived():
                return self.function("polygamma", token)
            variant = name if name.startswith("var") else ""
            return self.written(LETTERS[name], token.start, token.end, style=self.style + variant)
        if name in ABOVE:
            return self._accented(token)
        if name in _ONES and spelled(self._next_argument()) in ("1", "0"):
            return self._ones(token)
        if name == "mathbb" or name in ("mathds", "mathbbm"):
            return self._blackboard(token)
        if name in FONTS:
            return self._styled(token, self.argument(token), FONTS[name])
        if name in _SWITCHES:
            return self._styled(token, self._rest(), _SWITCHES[name])
        if name in WORDS or name == "operatorname*":
            return self.words(token)
        if name in FUNCTIONS:
            if name == "log" and self.at("command", "Gamma") and self.raw[self.i + 1].text in ("(", "left"):
                gamma = self.take()
                return self.function("logΓ", token._replace(end=gamma.end))
            return self.function(FUNCTIONS[name], token)
        if (known := self.function_called(name)) and name not in MEANINGLESS:
            return self.function(known, token)
        close = close_to(name, [*_COMMANDS, *LETTERS, *FONTS, *FUNCTIONS])
        said = f"Did you mean {' or '.join(chr(92) + c for c in close)}?"
        step = MEANINGLESS.get(
            name, said if close else r"Write \operatorname{…} for a function, \mathrm{…} for a name."
        )
        raise self.problem(f"'\\{name}' means nothing in a formula", token, step)

    def _rest(self) -> list[Token]:
        """The rest of a group, which a switch of the font applies to."""
        found = self.raw[self.i : -1]
        self.i = len(self.raw) - 1
        return found

    def _next_argument(self) -> list[Token]:
        """What follows, if it is in braces or one sign."""
        if self.now.text == "{" and self.raw[self.i + 2].text == "}":
            return [self.raw[self.i + 1]]
        return [self.now] if len(self.now.text) == 1 else []

    def _styled(self, token: Token, parts: list[Token], style: str) -> bool:
        outer, self.style = self.style, style or self.style
        inner = self.translated(parts, token)
        self.style = outer
        end = self.raw[self.i - 1].end if self.i else token.end
        if len(inner) == 1 and inner[0].kind == "name" and (len(inner[0].text) == 1 or inner[0].text in self.declared):
            self.out.append(inner[0]._replace(start=token.start, end=end))
            return self.with_scripts(len(self.out) - 1, "name")
        if self.now.kind == "script" and len(spelled(parts)) > 1:
            step = "Write the letters apart, or brackets around the product."
            raise self.problem(f"what the '{self.now.text}' belongs to is not seen", self.now, step)
        self.out += inner
        return True

    def _blackboard(self, token: Token) -> bool:
        said = spelled(self.argument(token))
        if said in ("I", "1") and self._is_indicator():
            return self._indicator(token)
        if said == "1":
            return self.written("𝟏", token.start, self.raw[self.i - 1].end)
        step = "Write the sum that the expectation is." if said == "E" else "Declare the shapes of the names instead."
        source = self.source(token, self.raw[self.i - 1])
        raise self.problem(f"'{source}' means nothing in a formula", token, step)

    def _ones(self, token: Token) -> bool:
        said = spelled(self.argument(token))
        end = self.raw[self.i - 1].end
        if said == "1" and self._is_indicator():
            return self._indicator(token)
        name = {"1": "𝟏", "0": "0"}[said]
        if not (self.now.kind == "script" and self.now.text == "_"):
            self.emit("name" if said == "1" else "number", name, token.start, end)
            return self.with_scripts(len(self.out) - 1, "bracket")
        sign = self.now
        below, above, _ = self.scripts()
        at = len(self.out)
        self.emit("name", name, token.start, end)
        self._sized(at, "ones" if said == "1" else "zeros", below or [], sign)
        if above is not None:
            self.raised(above, sign)
        return True

    def _accented(self, token: Token) -> bool:
        outer = self.style
        inner = self.translated(self.argument(token), token)
        self.style = outer
        end = self.raw[self.i - 1].end
        together = len(inner) == 1 and len(inner[0].text) > 1 and inner[0].end - inner[0].start == len(inner[0].text)
        if len(inner) != 1 or inner[0].kind != "name" or (together and inner[0].text not in self.declared):
            step = r"Write an accent over one letter, \hat{x}_{1}."
            raise self.problem(f"'\\{token.text}' is no accent of a formula", token, step, self.raw[self.i - 1])
        word = inner[0].text
        mark = ABOVE[token.text]
        called = next(k for k, c in ABOVE.items() if c == mark)
        name = unicodedata.normalize("NFC", word + mark) if len(word) == 1 else f"{word}_{called}"
        return self.written(name, token.start, end)


_COMMANDS: dict[str, Callable[[LatexReader, Token], bool]] = {
    "left": LatexReader._left, "right": LatexReader._right, "frac": LatexReader.fraction,
    "dfrac": LatexReader.fraction, "tfrac": LatexReader.fraction, "cfrac": LatexReader.fraction,
    "sqrt": LatexReader.root, "sum": LatexReader.big, "prod": LatexReader.big, "begin": LatexReader.environment,
    "end": LatexReader.stray_end,
}  # fmt: skip
