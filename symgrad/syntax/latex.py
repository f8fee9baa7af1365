r"""LaTeX as people write it in papers, and as symgrad prints it, to the tokens of any other text.

The idea to hold: LaTeX says less about meaning than about looks, and is read only where the looks have one meaning:
braces that show no brackets hold nothing together, a function without brackets takes what cannot be anything else, and
two letters that differ in their font alone are not one name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from typing import NoReturn

from .. import _limits
from .latex_scan import (
    ABOVE,
    APPLIED,
    FONTS,
    FUNCTIONS,
    INDICES,
    LETTERS,
    MATCHING,
    MEANINGLESS,
    PLAIN_SUMS,
    SPLITS,
    WORDS,
    LatexText,
    Scripts,
    is_bracketed,
    is_negation,
    is_one,
    separated,
    spelled,
    trimmed,
    wrapped,
)
from .latex_sums import COUNTED, Sums, sets_in, without_sets
from .lexer import (
    INVERTED,
    LARGE_SIGNS,
    RELATIONS,
    SPELLED_LETTERS,
    SumRange,
    Token,
    ends_logarithm,
    ends_operand,
    in_bracket,
    outside_brackets,
    places_up_to,
    summed_in,
    tokens_at,
)
from .parser import close_to, meant_by

OPENING = frozenset({"(", "[", "{", "⟨", "⌊", "⌈"})
_OF_A_CHOICE = re.compile(r"\\begin$|(?:where|1)\}? *_?(?:\\left)? *\\?[\[({]$")
"""The opening of what has conditions of its own: a choice, or an indicator."""


# ----- Brackets of LaTeX: what they hold together, indices, conditions; ``\left[…\right]``, ``{x}_{i}``, ``1[x > 0]``
#
# The idea to hold: braces are not seen, and hold together only what is one operand anyway; square brackets are round
# ones unless there are commas in them, or entries that nothing outside sums over.


class Brackets(Scripts):
    """The part of the reader that reads brackets."""

    out: list[Token]
    used: list[str]
    i: int

    def opens(self) -> bool:
        """Whether a bracket follows that arguments may stand in."""
        return self.raw[self.i + self.at("command", "left")].is_sign("(", "[", "{")

    def bracket(self, opening: Token, tall: Token | None = None, list_only: bool = False) -> bool:
        """Read what is in brackets, and their scripts; ``tall`` is the command before them."""
        sign, first = opening.text, tall or opening
        used = len(self.used)
        listed = self.lists_places(opening)
        with self.nested(first):
            inner = self.captured(lambda: self.sequence(self._ends(sign, tall is not None, opening.kind)))
        end = self._closed(opening, tall)
        at = len(self.out)
        if sign == "⌈":
            self.emit("name", "ceil", first.start, opening.end)
        if listed:
            self.out += places_up_to(listed, inner, opening, self.last)
            return self.with_scripts(at, "bracket")
        sign = {"{": "(", "⌈": "("}.get(sign, sign)
        if sign == "[" and not list_only and self._groups(inner, self.used[used:], first):
            sign = "("
        if sign == "[" and not list_only:  # an array behind an operand is no index of it
            inner, sign = wrapped(inner, first.start, end, "["), "("
        self.wrap(inner, first.start, end, sign)
        return True if list_only else self.with_scripts(at, "bar" if sign in ("|", "‖") else "bracket")

    def _ends(self, sign: str, tall: bool, kind: str) -> Callable[[Token], bool]:
        if tall:
            return lambda t: t.kind == "command" and t.text == "right"
        if sign in ("|", "‖"):
            return lambda t: t.kind == ("close" if kind == "open" else "op") and t.text == sign
        return lambda t: t.is_sign(MATCHING[sign])

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
        if any(t.is_sign(",", ";") for t in outside_brackets(inner)):
            return False
        free = set(letters) - summed_in(inner)
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
        return before.kind == "name" and before.end == self.last.start

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
        end = self.last.end
        if len(inner) == 1 and inner[0].kind == "name" and not (len(inner[0].text) > 1 and len(parts) == 1 and
                                                                inner[0].text not in self.declared):  # fmt: skip
            return self.scripted(inner[0], "name", forced=True)
        if not is_one(inner):
            step = r"Write brackets, \left(…\right)^{2}."
            raise self.problem(f"what the '{self.now.text}' belongs to is not seen", token, step, self.now)
        at = len(self.out)
        self.wrap(inner, token.start, end)
        return self.with_scripts(at, "bracket")

    # ------------------------------------------------------------------ conditions

    def _is_indicator(self) -> bool:
        """Whether a bracket or a subscript follows that holds a comparison, which is none of a choice or an indicator
        in it; or a square bracket with one condition by name, ``1[s]``."""
        first = self.i + (self.now.text == "left")
        square = self.raw[first].text == "[" and self.raw[first].start == self.last.end
        if self.raw[first].text not in ("[", "(", "{", "_"):
            return False
        depth = inner = 0
        for token in self.raw[first + (self.raw[first].text == "_") :]:
            if token.text in ("[", "(", "{", "begin"):
                depth += 1
                inner += inner > 0 or (depth > 1 and bool(_OF_A_CHOICE.search(self.text[: token.end][-24:])))
            elif token.text in ("]", ")", "}", "end"):
                depth, inner = depth - 1, max(inner - 1, 0)
            elif token.is_sign(*RELATIONS, "=") and not inner:
                return depth > 0
            square = square and token.text != ","
            if depth <= 0:
                return square
        return False

    def _indicator(self, token: Token) -> bool:
        end = self.last.end if self.last.start >= token.start else token.end
        self.emit("number", "1", token.start, end)
        if self.now.text == "_":
            self.take()
            inner = self.translated(self.argument(token), token)
        else:
            inner = self.whole_bracket()
        if [inner[0].text, inner[-1].text] in (["(", ")"], ["[", "]"]):
            inner = inner[1:-1]
        depth = 0
        for k, part in enumerate(inner):  # in brackets it names an argument
            depth += (part.text in OPENING) - (part.text in MATCHING.values())
            inner[k] = part._replace(text="==") if part.text == "=" and not depth else part
        self.wrap(inner, end, self.last.end, "[")
        at = len(self.out)
        self.out[-len(inner) - 2] = self.out[-len(inner) - 2]._replace(start=end)
        return self.with_scripts(at - 1, "bracket")

    def whole_bracket(self) -> list[Token]:
        """The tokens of the bracket that follows, its signs at the ends."""
        tall = self.take() if self.now.text == "left" else None
        opening = self.take()
        return self.captured(lambda: self.bracket(opening, tall, list_only=True))


# -------- Functions of LaTeX: ``\log(x)``, ``\log x``, ``\sin^2 x``, ``\operatorname{tr}(A)``; fractions, roots
#
# The idea to hold: without brackets a function takes one operand, perhaps with a number before it, and something must
# end it: ``\log x y`` is refused.


_FILLING = frozenset({"if", "for", "when", "otherwise", "else", "where", "and", "with", "or", "all"})
_WORD = re.compile(r"[^\W\d]\w*|[0-9]+")
_CHOOSING = frozenset({"if", "otherwise", "else"})
_ENDING = frozenset({")", "]", "}", "⟩", "⌋", "⌉"})

_ORDER = re.compile(r"\( [0-9]{1,3} \)")
"""Of a derivative, above its function."""


_ANGLES, _THIN = frozenset("θφϕϑψαβ"), re.compile(r"\\[,;: ]")


class Calls(Brackets):
    """The part of the reader that reads functions."""

    out: list[Token]
    ranges: dict[int, SumRange]
    active: list[str]

    def written(self, name: str, start: int, end: int, forced: bool = False, style: str | None = None) -> bool:
        raise NotImplementedError

    # ------------------------------------------------------------------ names of functions

    def function_called(self, name: str) -> str:
        r"""The function that a command or an operator's name is, in whatever case: ``\Tr``, ``\ReLU``."""
        ways = (name, name.lower(), re.sub(r"[\s-]", "", name.lower()), re.sub(r"[\s-]", "_", name.lower()))
        for way in ways:
            if len(way) > 1 and way in self.functions:
                return "log" if way == "ln" else way
        return ""

    def words(self, token: Token) -> bool:
        r"""Read ``\mathrm{…}``, ``\text{…}``, ``\operatorname{…}``: a function, a name, or words between formulas."""
        braced = self.now.text == "{"
        parts = self.argument(token)
        last = self.last
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
        if operator or not said or not re.fullmatch(r"[^\W\d]\w*", name):
            step = meant_by(said, self.functions)
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
        if above is not None and spelled(above) == "- 1" and name in INVERTED:
            name, token, above = f"arc{name}", token._replace(end=self.last.end), None
        if above is not None and not re.fullmatch("[0-9]{1,3}|[a-z]", spelled(above)):
            inverse = rf"\arc{name}, or " * (f"arc{name}" in self.functions)
            step = rf"Write {inverse}brackets, ({name}(x))^{{…}}, for the power."
            raise self.problem(f"a superscript of '{name}' may be read in two ways", sign, step)
        self.emit("name", name, token.start, token.end)
        if derived is not None:
            self.emit("order", derived.text, derived.start, derived.end)
        at = len(self.out)
        if self.opens():
            inner = self.whole_bracket()
            self.wrap([*order, *inner[1:-1]], inner[0].start, inner[-1].end)
        elif self.at("group", "{"):
            inner = self.translated(self.argument(token), token)
            whole = is_bracketed(inner)
            if not whole:
                self._end_argument(token)
            self.wrap(inner[1:-1] if whole else inner, token.end, self.last.end)
        else:
            inner = self.captured(lambda: self._bare_argument(token))
            self.wrap(inner, token.end, self.last.end)
        self.out[at] = self.out[at]._replace(start=max(token.end, self.out[at].start))
        if above is not None and self.now.kind == "script":
            raise self.problem("two superscripts of one function", self.now, "Write brackets around it.")
        if above is not None:
            self.raised(above, sign)
        return self.with_scripts(at, "bracket")

    def _with_base(self, name: str, said: str, token: Token) -> str:
        known = {"log 2": "log2", "log 10": "log10", "log e": "log"}.get(f"{name} {said}")
        if known is None:
            step = r"Write \frac{\log x}{\log b}." if name == "log" else f"Write {self.source(token)}(x)."
            raise self.problem(f"the subscript of '{self.source(token)}' is not read", token, step)
        return known

    def _starts_operand(self) -> bool:
        token = self.now
        if token.kind == "command":
            return token.text not in ("right", "end")
        return token.kind in ("name", "number", "open") or self.at("group", "{")

    def _bare_argument(self, token: Token) -> None:
        with self.nested(token):
            last: Token | None = None
            while self.now.kind == "number" or (self.at("command", "pi") and "pi" not in self.declared):
                last = self.now
                if not self.unit() or self.out[-1].kind == "sup":
                    break
            bar = self.now
            if last is not None and (self._ends_here() or ends_logarithm(token.text, last, bar)):
                return
            if bar.is_sign("|", "‖"):
                self.take()
                self.bracket(bar)
            elif self.at("command", "sum", "prod") or bar.text in PLAIN_SUMS:
                self.sequence(self._is_end)
            elif bar.kind == "name" and len(bar.text) > 1 and bar.text not in self.known:
                self.take()
                self._refuse_argument(token, bar, bar.text)
            elif not self._starts_operand() or not self.unit():
                name = self.source(token)
                raise self.problem(f"'{name}' stands without its argument", token, f"Write it in brackets, {name}(x).")
            elif self.opens() and (self.out[-1].text in self.functions or self._is_parted()):  # \log \sigma(x)
                self.out += self.whole_bracket()
            self._end_argument(token)

    def _is_parted(self) -> bool:
        r"""Whether one sign parts what is in the bracket that follows, ``f(x; \theta)``: bars of a norm are two."""
        opening = self.i + self.at("command", "left")
        return sum(t.is_sign(";", "|") for t in in_bracket(self.raw, opening)) == 1

    def _is_end(self, token: Token) -> bool:
        if token.kind in ("end", "close", "cell", "row"):
            return True
        return (token.kind == "command" and token.text in ("right", "end")) or (token.is_sign(*SPLITS, *_ENDING))

    def _ends_here(self) -> bool:
        token = self.now
        if token.is_sign("|", "‖"):  # that closes
            after = self.raw[self.i + 1]
            return self._is_end(after) or after.kind == "script"
        called = token.kind == "command" and (token.text in FUNCTIONS or token.text in ("text", "operatorname"))
        return called or self._is_end(token) or (token.kind == "name" and token.text in _CHOOSING)

    def _end_argument(self, token: Token) -> None:
        if self.now.text == "!":
            self.out.append(self.take())
        between = self.text[self.last.end : self.now.start]  # \sin\theta\,\dot\phi
        if not (self._ends_here() or (self.out[-1].text in _ANGLES and _THIN.search(between))):
            self._refuse_argument(token, self.now, "…")

    def _refuse_argument(self, token: Token, last: Token, inside: str) -> NoReturn:
        what = f"what '{self.source(token)}' is applied to may be read in two ways"
        raise self.problem(what, token, f"Write brackets, {self.source(token)}({inside}).", last)

    # ------------------------------------------------------------------ fractions, roots

    def fraction(self, token: Token) -> bool:
        at, inner, chosen = len(self.out), list[Token](), token.text.endswith("binom")
        for sign in ("," if chosen else "/", ""):
            start, part = self.now.start, self.translated(self.argument(token), token)
            end = self.last.end
            if not part:
                raise self.problem(f"'\\{token.text}' has an empty part", token, rf"Write \{token.text}{{a}}{{b}}.")
            inner += [*wrapped(part, start, end), *[Token("op", sign, end, end)] * bool(sign)]
        if chosen:
            self.emit("name", "binom", token.start, token.end)
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
        end = self.last.end
        if not inner:
            raise self.problem("a root of nothing", token, r"Write \sqrt{x}.")
        at, base = len(self.out), wrapped(inner, token.start + 1, end)
        if order:
            above = [*tokens_at(end, "1/"), *wrapped(order, end, end)]
            root = [*base, Token("op", "^", end - 1, end), *wrapped(above, end, end)]
        else:
            root = [Token("op", "√", token.start, token.start + 1), *base]
        self.wrap(root, token.start, end)
        return self.with_scripts(at, "bracket")


# ------------------------- Environments of LaTeX: cases, matrices that are written out, and lines one below the other


_LINES = frozenset({
    "aligned", "align", "align*", "split", "gathered", "gather", "gather*", "equation", "equation*", "multline",
    "multline*", "alignedat", "eqnarray", "eqnarray*", "displaymath", "math",
})  # fmt: skip
_MATRICES = frozenset({"pmatrix", "bmatrix", "matrix", "smallmatrix", "Bmatrix", "psmallmatrix", "bsmallmatrix"})
_CONDITIONS = frozenset({"if", "for", "when", "where"})
_OTHERWISE = (["otherwise"], ["else"], ["if", "otherwise"])
Cells = list[list[Token]]


class Environments(Scripts):
    """The part of the reader that reads environments."""

    out: list[Token]
    aligned: bool

    def environment(self, token: Token) -> bool:
        name = self._environment_name(token)
        start, depth = self.i, 1
        while depth:
            if self.now.kind == "end":
                raise self.problem(rf"'\begin{{{name}}}' is never closed", token, rf"Add \end{{{name}}}.")
            here = self.take()
            if here.kind == "command" and here.text in ("begin", "end"):
                depth += 1 if here.text == "begin" else -1
        parts = self.raw[start : self.i - 1]
        ending = self.last
        if self._environment_name(ending) != name:
            raise self.problem(rf"'\begin{{{name}}}' is closed by another", ending, rf"Write \end{{{name}}}.")
        end = self.last.end
        if name in _LINES:
            outer, self.aligned = self.aligned, True
            self.out += self.translated(parts, token)
            self.aligned = outer
            return True
        if name == "cases":
            return self._cases(parts, token, end)
        if name in _MATRICES:
            return self._matrix(parts, token, end)
        step = r"Write pmatrix for a matrix, cases for branches, \det{…} for a determinant."
        raise self.problem(f"the environment '{name}' is not read", token, step, self.last)

    def stray_end(self, token: Token) -> bool:
        raise self.problem(r"'\end' closes nothing", token, r"Open it by \begin{…}.")

    def _environment_name(self, token: Token) -> str:
        if self.now.text != "{":
            raise self.problem(f"'\\{token.text}' stands without a name", token, r"Write \begin{cases}.")
        start = self.now.end
        self.braced()
        return self.text[start : self.last.start].strip()

    def line_of(self, token: Token) -> bool:
        """Read what parts the lines of an aligned formula: nothing, if the formula goes on."""
        if not self.aligned:
            step = r"Write one formula at a time, or \begin{aligned} … \end{aligned}."
            raise self.problem(f"'{self.source(token)}' parts no lines here", token, step)
        while self.now.kind in ("cell", "row"):
            token = self.take()
        if token.kind != "row" and self.last.kind != "row" and not any(
            t.kind == "row" for t in self.raw[max(self.i - 2, 0) : self.i]
        ):  # fmt: skip
            return False
        goes_on = not self.out or not ends_operand(self.out[-1]) or self.now.kind in ("op", "end")
        if not goes_on and not self._defines():
            step = "Write one formula at a time; definitions follow 'where'."
            raise self.problem("two lines that are not one formula", token, step)
        return False

    def _defines(self) -> bool:
        """Whether a line says words, or defines a name."""
        for t in self.raw[self.i :]:
            if t.kind in ("row", "end"):
                return False
            if t.is_sign("=") or (t.kind == "command" and t.text == "text"):
                return True
        return False

    # ------------------------------------------------------------------ cells

    def _cells(self, parts: list[Token], token: Token) -> list[Cells]:
        """The tokens of every cell, row by row."""
        rows: list[list[list[Token]]] = [[[]]]
        depth = 0
        for part in parts:
            if part.kind == "group" or (part.kind == "command" and part.text in ("begin", "end")):
                depth += 1 if part.text in ("{", "begin") else -1
            if part.kind == "row" and not depth:
                rows.append([[]])
            elif part.kind == "cell" and not depth:
                rows[-1].append([])
            else:
                rows[-1][-1].append(part)
        if len(rows) > 1 and rows[-1] == [[]]:
            rows.pop()
        outer, self.aligned = self.aligned, False
        found = [[self.translated(cell, token) for cell in row] for row in rows]
        self.aligned = outer
        if any(not cell for row in found for cell in row):
            raise self.problem("an empty cell", token, "Write 0 for zero.")
        return found

    def _matrix(self, parts: list[Token], token: Token, end: int) -> bool:
        """Write a matrix as a list; one column is a vector, one row a vector that lies down."""
        rows = self._cells(parts, token)
        if len({len(row) for row in rows}) > 1:
            raise self.problem("rows of different lengths", token, "Write as many cells in every row.")
        at, start = len(self.out), token.start
        lists: list[list[Token]] = []
        vector = len(rows[0]) == 1 or len(rows) == 1
        for row in [[cell for cells in rows for cell in cells]] if vector else rows:
            cells = separated(row, start)
            lists.append(wrapped(cells, cells[0].start, cells[-1].end, "["))
        joined = separated(lists, start)
        self.wrap(joined if vector else wrapped(joined, start, end, "["), start, end)
        self.tables.add(start)
        if len(rows) == 1 and len(rows[0]) > 1:
            self.emit("sup", "T", end, end)
        return self.with_scripts(at, "bracket")

    def _cases(self, parts: list[Token], token: Token, end: int) -> bool:
        rows = self._cells(parts, token)
        if len(rows) < 2 or any(len(row) != 2 for row in rows):
            step = r"Write a & \text{if } x > 0 \\ b & \text{otherwise}."
            raise self.problem("cases have a value and a condition in each row", token, step)
        values = [trimmed(value) for value, _ in rows]
        conditions = [trimmed(c) for _, c in rows]
        conditions = [c[1:] if len(c) > 1 and c[0].text in _CONDITIONS else c for c in conditions]
        last = [t.text for t in rows[-1][1] if t.text not in (",", ".")]
        if last not in _OTHERWISE and not (len(rows) == 2 and is_negation(*conditions)):
            step = r"Write \text{otherwise} in the last row."
            raise self.problem("the cases do not say what holds otherwise", token, step)
        start = token.start
        inner = values[-1]
        for value, condition in reversed(list(zip(values, conditions, strict=True))[:-1]):
            compared = [t._replace(text="==") if t.is_sign("=") else t for t in condition]
            args = separated([compared, value, inner], start)
            inner = [Token("name", "where", start, start + 6), *wrapped(args, start + 6, end)]
        self.out += inner
        return True


# ------------------------------------------------------------------------------------------------------ latex reader


_SWITCHES = {"bf": "bold", "it": "", "rm": "upright", "cal": "script", "sf": "sans", "tt": "typed"}
_ONES = frozenset({"mathbf", "mathbb", "mathds", "mathbbm", "boldsymbol", "bm", "vec"})


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
    body, defined = without_sets(text)
    reader = LatexReader(text, declared, functions, body)
    reader.defined = defined
    reader.members, partial = sets_in(reader.raw)
    reader.bound |= {*COUNTED}
    reader.partial, reader.of_sets = partial | defined.keys(), set()
    reader.sequence()
    reader.refuse_members()
    end = reader.now
    shown_as = reader.styles.items()
    vectors = {name for name, style in shown_as if style == "arrow" or (style == "bold" and name.islower())}
    vectors |= _fields(reader)
    shown = frozenset(vectors), frozenset(vectors - reader.entries)
    of_sums = reader.sets, frozenset(reader.times)
    return LatexText([*reader.out, end], reader.ranges, frozenset(reader.tables), reader.first, *shown, *of_sums)


_FIELDS = frozenset("BDEFJLPS")


def _fields(reader: LatexReader) -> set[str]:
    r"""Bold capitals of physics in a dot product with something bold, ``\mathbf{F} \cdot \mathbf{v}``."""
    bold = {name for name, style in reader.styles.items() if style in ("bold", "arrow")}
    dots = [k for k, t in enumerate(reader.out[1:-1], 1) if t.text == "·"]
    sides = [(reader.out[k - 1].text, reader.out[k + 1].text) for k in dots]
    return {x for pair in sides if bold.issuperset(pair) for x in pair if x in _FIELDS}


class LatexReader(Calls, Sums, Environments):
    """Reads one text; see `LatexSource`."""

    active: list[str]
    i: int
    raw: list[Token]
    style: str
    out: list[Token]

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
        if token.text == "|" and self.size_of_set(token):
            return True
        if token.kind == "open" or token.is_sign(*OPENING):
            if token.text == "[" and (name := self.concentration(token)):
                return self.written(name, token.start, self.last.end, style="upright")
            if token.text == "[" and self._is_place():
                return self._place(token)
            return self.bracket(token)
        if token.text == "}":
            raise self.problem("'\\}' closes nothing", token, "Remove it, or open the bracket before.")
        self.active += token.text.split() if token.kind in LARGE_SIGNS else []  # Σᵢ
        if token.text in ("|", "‖"):
            return self.scripted(token, "bar")
        self.out.append(token)
        return token.kind not in ("op", "close")

    # ------------------------------------------------------------------ names and numbers

    def _name(self, token: Token) -> bool:
        word = token.text
        if sign := self.plain_sum(token):
            return self.big(token._replace(text=sign))
        if word in APPLIED and word not in self.declared and not self.opens():  # cos^{2} x
            return self.function("log" if word == "ln" else word, token)
        if len(word) == 1 or word in self.declared or word in SPELLED_LETTERS:
            return self.written(word, token.start, token.end)
        if word in self.functions and self.opens():
            self.refuse_orders(token)
            return self.function(word, token)
        if self.now.kind != "script" or word[-1].isdigit() or unicodedata.combining(word[-1]):
            return self.written(word, token.start, token.end)
        if len(word) == 2:
            self._note_style(Token("name", word[0], token.start, token.end - 1), self.style)
        self.emit("name", word[:-1], token.start, token.end - 1)  # Ax_i: what is below stands behind x
        return self.written(word[-1], token.end - 1, token.end)

    def written(self, name: str, start: int, end: int, forced: bool = False, style: str | None = None) -> bool:
        """Write a name with its scripts."""
        token = Token("name", name, start, end)
        self._note_style(token, self.style if style is None else style)
        return self.scripted(token, "name", forced)

    def _note_style(self, token: Token, style: str) -> None:
        """Refuse a letter that is shown in two ways: they are two symbols to the writer. A plain ``x_i`` is an entry of
        a bold x."""
        if token.text in self.bound or token.text == "e":
            return
        below = self.at("script", "_")
        if below and not style and self.styles.get(token.text, "") in ("bold", "arrow", ""):
            self.entries.add(token.text)
            return
        if below and token.text in self.entries:
            style = f"{style} below"
        before = self.styles.setdefault(token.text, style)
        if before != style:
            what = f"'{token.text}' is shown in two ways, {style or 'plain'} here and {before or 'plain'} before"
            raise self.problem(what, token, "Write another letter for one of them, or both alike.")

    def _number(self, token: Token) -> bool:
        if token.text == "1" and self._is_indicator():
            return self._indicator(token)
        point = token.text
        if "e" not in point.lower() and self.at("op", "·") and self.raw[self.i + 1].text == "10":
            at, raw = self.i, [*self.raw]
            self.i += 2  # 6.3 \cdot 10^{-6}
            _, above, _ = self.scripts()
            power = spelled(above or []).replace(" ", "")
            if above and power.lstrip("-").isdigit() and len(power) <= _limits.TEXT_INDEX:
                self.emit("number", f"{point}e{power}", token.start, self.last.end)
                return True
            self.i, self.raw = at, raw  # a script of two signs was parted
        return self.scripted(token, "number")

    # ------------------------------------------------------------------ commands

    def _is_derived(self) -> bool:
        """Whether an order stands above the function before it, and its argument follows: ``^{(1)}(x)``."""
        above = [t.text for t in self.raw[self.i : self.i + 7]]
        return (
            above[:3] == ["^", "{", "("]
            and above[3].isdigit()
            and above[4:] in (["}"], [")", "}", "("], [")", "}", "left"])
        )

    def _is_of_a_difference(self) -> bool:
        r"""Whether Δ and the small letter behind it are one name, ``\Delta t``: it stands so wherever it does, is no
        argument, and no form of that letter, ``x^\top \Delta x``; capitals are, if there are two, and no matrices."""
        letter = self.now.text if self.now.kind == "name" else LETTERS.get(self.now.text, "")
        if len(letter.rstrip("0123456789")) != 1 or letter == "e" or not {"Δ", "Delta"}.isdisjoint(self.declared):
            return False
        capitals = set(re.findall(r"\\Delta *([A-Z])(?![A-Za-z])", self.text))
        turned = re.search(r"\^ *\{?(?:\\top|T|\\intercal|\\mathsf)|\\operatorname|\\tr(?![a-z])", self.text)
        if letter.isupper() and (len(capitals) < 2 or turned):
            return "ddagger" in self.text and not turned
        alone = re.search(r"\\Delta(?! *(?:[A-Za-z]|\\[a-z]))|\\Delta *e(?![A-Za-z])|\\Delta *\)? *=", self.text)
        form = re.search(rf"{letter} *\^ *\{{?(?:\\top|T|\\intercal)\}}? *\\Delta *{letter}(?![A-Za-z])", self.text)
        return not (alone or form or re.search(rf"(?<![A-Za-z]){letter} *=", self.text))

    def _command(self, token: Token) -> bool:
        name = token.text
        read = _COMMANDS.get(name)
        if read is not None:
            return read(self, token)
        if name in LETTERS:
            below = self.now.kind == "script" and any(d.startswith("pi_") for d in self.declared)
            if name == "pi" and ("pi" in self.declared or below):
                return self.written("pi", token.start, token.end)
            if name == "psi" and name not in self.declared and self._is_derived():
                return self.function("polygamma", token)
            if name == "Delta" and self._is_of_a_difference():
                letter = self.take()
                return self.written(f"Δ{LETTERS.get(letter.text, letter.text)}", token.start, letter.end)
            variant = name if name.startswith("var") else ""
            return self.written(LETTERS[name], token.start, token.end, style=self.style + variant)
        if name in ABOVE:
            return self._accented(token)
        if name in _ONES and spelled(self._next_argument()) in ("1", "0"):
            return self._ones(token)
        if name in ("mathbb", "mathds", "mathbbm"):
            return self._blackboard(token)
        if name in FONTS:
            return self._styled(token, self.argument(token), FONTS[name])
        if name in _SWITCHES:
            return self._styled(token, self._rest(), _SWITCHES[name])
        if name in WORDS or name == "operatorname*":
            return self.words(token)
        if name == "log" and self.at("command", "Gamma") and self.raw[self.i + 1].text in ("(", "left"):
            gamma = self.take()
            return self.function("logΓ", token._replace(end=gamma.end))
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
        end = self.last.end if self.i else token.end
        if len(inner) == 1 and inner[0].kind == "name" and (len(inner[0].text) == 1 or inner[0].text in self.declared):
            return self.scripted(inner[0]._replace(start=token.start, end=end), "name")
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
            return self.written("𝟏", token.start, self.last.end)
        step = "Write the sum that the expectation is." if said == "E" else "Declare the shapes of the names instead."
        source = self.source(token, self.last)
        raise self.problem(f"'{source}' means nothing in a formula", token, step)

    def _ones(self, token: Token) -> bool:
        said = spelled(self.argument(token))
        end = self.last.end
        if said == "1" and self._is_indicator():
            return self._indicator(token)
        name = {"1": "𝟏", "0": "0"}[said]
        if not self.at("script", "_"):
            return self.scripted(Token("name" if said == "1" else "number", name, token.start, end), "bracket")
        sign = self.now
        below, above, _ = self.scripts()
        at = len(self.out)
        self.emit("name", name, token.start, end)
        self._sized(at, "ones" if said == "1" else "zeros", below or [], sign)
        if above is not None:
            self.raised(above, sign)
        return True

    def _accented(self, token: Token) -> bool:
        inner = self.translated(self.argument(token), token)
        end = self.last.end
        together = len(inner) == 1 and len(inner[0].text) > 1 and inner[0].end - inner[0].start == len(inner[0].text)
        if len(inner) != 1 or inner[0].kind != "name" or (together and inner[0].text not in self.declared):
            step = r"Write an accent over one letter, \hat{x}_{1}."
            raise self.problem(f"'\\{token.text}' is no accent of a formula", token, step, self.last)
        word = inner[0].text
        mark = ABOVE[token.text]
        called = next(k for k, c in ABOVE.items() if c == mark)
        name = unicodedata.normalize("NFC", word + mark) if len(word) == 1 else f"{word}_{called}"
        return self.written(name, token.start, end)


_COMMANDS: dict[str, Callable[[LatexReader, Token], bool]] = {
    "left": LatexReader._left, "right": LatexReader._right, "frac": LatexReader.fraction,
    "dfrac": LatexReader.fraction, "tfrac": LatexReader.fraction, "cfrac": LatexReader.fraction,
    "sqrt": LatexReader.root, "sum": LatexReader.big, "prod": LatexReader.big, "begin": LatexReader.environment,
    "end": LatexReader.stray_end, **dict.fromkeys(["binom", "dbinom", "tbinom"], LatexReader.fraction),
}  # fmt: skip
