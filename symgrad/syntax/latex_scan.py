r"""LaTeX as its smallest parts: commands, braces, scripts, and how its parts are taken.

The idea to hold: what a command means is a row here or in `lexer`; a command in neither is refused by its name.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from string import ascii_lowercase
from typing import NamedTuple

from .. import _limits
from .lexer import (
    ACCENTS,
    APPLIED,
    BARS,
    BELOW,
    CLOSING,
    GREEK,
    INDICES,
    LARGE_SIGNS,
    LATEX,
    LETTER,
    LETTERS_BELOW,
    ORDERS,
    RAISED_OR_LOWERED,
    RATE,
    RELATIONS,
    SPELLED_LETTERS,
    STEPS,
    ParseError,
    SumRange,
    Token,
    end_of_bracket,
    entry_below,
    implied_index,
    lists_places,
    next_token,
    normal_name,
    stands_once,
    too_deep,
    with_norms,
)
from .parser import shortened

LETTERS = {word: letter for letter, word in GREEK.items()} | {
    "varepsilon": "ε", "varphi": "φ", "vartheta": "θ", "varrho": "ρ", "varsigma": "σ", "varpi": "π",
    "infty": "inf",
}  # fmt: skip
r"""Commands that are letters; ``\varphi`` beside ``\phi`` would be two letters with one name, which is refused."""

ABOVE = {**ACCENTS, "widehat": ACCENTS["hat"], "overline": ACCENTS["bar"], "widetilde": ACCENTS["tilde"]}
"""Accents, as the character that a letter is followed by."""

FONTS = {
    "mathbf": "bold", "boldsymbol": "bold", "bm": "bold", "pmb": "bold", "mathbfit": "bold", "symbf": "bold",
    "mathit": "", "mathnormal": "", "mathcal": "script", "mathscr": "script", "mathfrak": "fraktur",
    "mathsf": "sans", "mathtt": "typed", "vec": "arrow",
}  # fmt: skip
"""Commands that show the letters of their argument otherwise; two letters that only differ so are two names."""

WORDS = frozenset({"mathrm", "text", "textrm", "textnormal", "mbox", "textbf", "textit", "operatorname", "mathop"})
"""Commands whose argument is words."""

TALL = frozenset({
    "big", "Big", "bigg", "Bigg", "bigl", "Bigl", "biggl", "Biggl", "bigr", "Bigr", "biggr", "Biggr", "bigm", "Bigm",
})  # fmt: skip
"""Sizes of the bracket that follows."""

BLANK = frozenset({
    ",", ";", ":", "!", " ", ">", "quad", "qquad", "enspace", "thinspace", "displaystyle", "textstyle", "scriptstyle",
    "limits", "nolimits", "nonumber", "notag", "mathstrut", "strut", "relax", "allowbreak", "break", "hfill",
    "ensuremath", "medspace", "thickspace", "negthinspace", "mathopen", "mathclose", "mathbin", "mathrel", "mathord",
})  # fmt: skip
"""Commands without a meaning."""

BLANK_WITH_ARGUMENT = frozenset({"phantom", "vphantom", "hphantom", "label", "tag", "hspace", "hspace*", "vspace"})

FUNCTIONS = frozenset({
    "log", "ln", "exp", "sin", "cos", "tan", "sec", "csc", "cot", "sinh", "cosh", "tanh", "coth", "arcsin", "arccos",
    "arctan", "det", "max", "min",
})  # fmt: skip
"""Commands of LaTeX that are functions."""

BRACKETS = {
    "lVert": ("open", "‖"), "rVert": ("close", "‖"), "lvert": ("open", "|"), "rvert": ("close", "|"),
    "{": ("op", "{"), "}": ("op", "}"), "lbrace": ("op", "{"), "rbrace": ("op", "}"), "lbrack": ("op", "["),
    "rbrack": ("op", "]"), "lceil": ("op", "⌈"), "rceil": ("op", "⌉"), "mid": ("op", "|"),
}  # fmt: skip
"""Brackets whose side is told by their command, and those that texts do not have."""

MATCHING = {**CLOSING, "{": "}", "⌈": "⌉"}

TRANSPOSES = frozenset({
    "top", "intercal", "T", "prime", *[f"{font} T" for font in (
        "mathsf", "mathrm", "rm", "text", "textrm", "mathit", "mathbf", "bf", "mathcal", "mathtt",
    )],
})  # fmt: skip
"""What stands above as a transpose."""

MEANINGLESS = {
    "partial": STEPS["∂"],
    "nabla": STEPS["∇"],
    **dict.fromkeys(["int", "iint", "oint"], STEPS["∫"]),
    "lim": "Limits are not read.",
    "arg": r"Write the function without \arg.",
    "argmin": "Write the function that is to be least.",
    "argmax": "Write the function that is to be greatest.",
    "in": r"Sums run over a whole axis, \sum_{i} or \sum_{i=1}^{n}.",
    **dict.fromkeys(["to", "mapsto", "triangleq", "approx"], STEPS["≈"]),
    "propto": STEPS["∝"],
    "sim": STEPS["~"],
    **dict.fromkeys(["bmod", "mod", "pmod"], r"Write \operatorname{remainder}(a, b)."),
    "over": r"Write \frac{a}{b}.",
    **dict.fromkeys(["dots", "ldots", "cdots"], r"Write the sum, \sum_{i=1}^{n} x_i."),
    "succ": 'Declare the symbol: A=sg.symbol("A", ("n", "n"), pd=True).',
    "succeq": 'Declare the symbol: A=sg.symbol("A", ("n", "n"), psd=True).',
    "dagger": r"Write \operatorname{pinv}(A) for the pseudo-inverse, ^{\top} for the transpose.",
    "star": r"Write * for a product, x_{\star} for a name.",
    "lgamma": r"Write \log\Gamma(x).",
    "hskip": r"Write \; for a blank.",
    **dict.fromkeys(["newcommand", "def"], "Write the formula with what the command stands for."),
}
"""What to write instead of commands that are often met and mean nothing here."""


# --------------------------------------------------------------------------------------------------------- latex scan
#
# A place in a text of LaTeX, what was read up to there, and how its parts are taken: arguments, scripts, brackets.


_LATEX = re.compile(
    r"\\(?:[A-Za-z]{2}|[,;:!|{}\[\]\\%&#_$])|(?<![\w)\]'])\\[A-Za-z(]|(?<=[\^_\]])(?<![Σ∑]_)(?<!sum_)\{"
    r"|(?:sum|[Σ∑])_\{[^{}]*(?:[=<>≠≤≥∈∉:|]| in )|\bfrac *\{|^\s*\$"
)
_LOWERED = re.compile(r"\w[ₐₑₒₓₔₕₖₗₘₙₚₛₜᵢᵣᵤᵥⱼ]")
_COMMAND = re.compile(r"\\(?:(?:operatorname|hspace)\*|[A-Za-z]+|.)", re.DOTALL)  # after others a star multiplies
_WORD = re.compile(rf"(?:(?![{''.join(RAISED_OR_LOWERED)}])[^\W\d_])+[0-9]*")
_WRAPPERS = (("$$", "$$"), ("$", "$"), ("\\[", "\\]"), ("\\(", "\\)"))
_CONCENTRATION = re.compile(
    r"\[\s*(?:\\(?:mathrm|text|textrm|ce|rm)\s*\{\s*([A-Z]\w*)\s*\}|([A-Z][A-Za-z]{0,4}))\s*(?:\\right\s*)?\]"
    r"(?:\s*_\s*\{?([0-9A-Za-z]+)\}?)?"
)
r"""``[\mathrm{S}]``, a number."""
_TIMES = re.compile(r"_\s*\{\s*([a-z])\s*(?:[+-]\s*1\s*)?(?:\\mid|\\vert|\|)\s*\1")
_OF_ENTRY = re.compile("[i-n]{2}")
PLAIN_SUMS = {"sum": "sum", "Σ": "sum", "∑": "sum", "prod": "prod", "Π": "prod", "∏": "prod"}
"""What stands for a command where LaTeX's braces are written in plain text."""
_OVER_ONE = re.compile(r"([ijklt])(?= *[({\\]| +\w)")
MEMBERSHIP = {"∈": "in", "∉": "notin"}
"""Signs below a sum over a set, and their commands."""
_SPECIAL = {"{": "group", "}": "group", "^": "script", "_": "script", "&": "cell"}
_ENDS = ".,;"


def is_latex(text: str) -> bool:
    """Whether a text has a sign that only LaTeX has: a command, a brace, a dollar before it. Braces of exponents are
    none beside letters of Unicode that stand below or above, which LaTeX does not have."""
    if "\\" not in text and _LOWERED.search(text):
        text = text.replace("^{", "^(")
    return _LATEX.search(text) is not None


def raw_tokens(text: str) -> list[Token]:
    """The parts of a text: tokens of the kinds 'command', 'group', 'script', 'cell', 'row', and those of `lexer`."""
    i, end = _unwrapped(text)
    out: list[Token] = []
    while i < end:
        c = text[i]
        if c == "%":
            i = text.find("\n", i) % (len(text) + 1)
            continue
        if c.isspace() or c in "~\u200b":
            i += 1
            continue
        if out and out[-1].kind in ("name", "command") and (below := LETTERS_BELOW.match(text, i)):
            inner = entry_below(below)[1:-1]  # Aᵢⱼ is A_{i,j}
            out += [Token(*part, i, i) for part in (("script", "_"), ("group", "{"))]
            out += [*inner, Token("group", "}", below.end(), below.end())]
        else:
            out.append(_part(text, i, out[-1] if out else None))
        i = out[-1].end
    while out and out[-1].is_sign(*_ENDS):  # a displayed formula ends a sentence
        out.pop()
    end = out[-1].end if out else end
    return [*out, Token("end", "", end, end)]


def _part(text: str, i: int, before: Token | None) -> Token:
    c = text[i]
    if c == "\\":
        found = _COMMAND.match(text, i)
        if found is None:
            raise ParseError("a backslash without a command", text, i)
        kind, name = ("row", "") if found[0] == "\\\\" else ("command", found[0][1:])
        return Token(kind, name, i, found.end())
    if c in MEMBERSHIP:
        return Token("command", MEMBERSHIP[c], i, i + 1)
    if c in _SPECIAL:
        return Token(_SPECIAL[c], c, i, i + 1)
    if c == "$":
        raise ParseError("a dollar inside the formula", text, i, next_step="Write one formula, $…$, at a time.")
    if c == ":" and text[i + 1 : i + 2] == "=":
        return Token("op", "=", i, i + 2)
    if c in PLAIN_SUMS and text.startswith("_", i + 1):
        return Token("name", c, i, i + 1)
    word = _WORD.match(text, i)
    if word is not None and c not in "Σ∑𝟏":
        end = word.end()
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        applied = next((f for f in APPLIED if text.startswith(f, i) and i + len(f) < end), "")
        end = i + len(applied) if applied and not text[i + len(applied)].isascii() else end  # cosθ
        name = normal_name(text[i:end])
        below = BELOW.match(text, end)
        assert below is not None
        name, end = name + below[0], below.end()
        if len(name) > _limits.TEXT_NAME:
            raise ParseError(f"'{name[:10]}…' is no name", text, i, end)
        if name.isidentifier() or below[0]:
            return Token("name", name, i, end)
    token = next_token(text, i, before)
    if token.kind == "number" and token.text.endswith("."):  # x^2. ends a sentence
        return token._replace(text=token.text[:-1], end=token.end - 1)
    return token


def _unwrapped(text: str) -> tuple[int, int]:
    """Where the formula begins and ends, without the dollars around it."""
    start = len(text) - len(text.lstrip())
    for opening, closing in _WRAPPERS:
        if not text.startswith(opening, start):
            continue
        end = text.rfind(closing, start + len(opening))
        rest = text[end + len(closing) :].strip() if end > 0 else ""
        if end < 0 or (rest.strip(_ENDS) and not rest.startswith("%")):
            what = f"'{opening}' is never closed" if end < 0 else f"something stands behind '{closing}'"
            raise ParseError(what, text, start, start + len(opening), f"End the text with {closing}.")
        return start + len(opening), end
    return 0, len(text)


def parts_of(text: str) -> list[Token]:
    """The parts of a text that mean something: signs by their names in `SIGNS`, no blanks, no sizes of brackets."""
    raw = with_norms(raw_tokens(text))
    out: list[Token] = []
    skipped = side = 0
    for i, token in enumerate(raw):
        if i < skipped:
            continue
        name = token.text if token.kind == "command" else ""
        if name in BLANK_WITH_ARGUMENT and raw[i + 1].text == "{":
            skipped = closing_brace(raw, i + 1, text) + 1
        elif name in TALL:
            side = {"l": 1, "r": 2}.get(name[-1], 0)
            continue
        elif name not in BLANK or not name:
            token = _sign(token)
            if side and token.is_sign(*BARS):
                token = token._replace(kind=("open", "close")[side - 1])
            out.append(token)
        side = 0
    return out if "\\" in text else _with_visible_braces(out, text)


def _with_visible_braces(raw: list[Token], text: str) -> list[Token]:
    """The parts of plain text, where braces are seen, with those that stand apart as brackets: ``sum_i {a_i - b_i}``;
    and ``frac{a}{b}``, whose backslash was left out."""
    second = 0
    for k, (before, token) in enumerate(itertools.pairwise(raw), 1):
        if (token.kind, token.text) != ("group", "{") or k == second:
            continue
        apart = before.kind == "op" or before.text == "}"
        if before.text == "frac":
            raw[k - 1], second = before._replace(kind="command"), closing_brace(raw, k, text) + 1
        elif apart or (before.end < token.start and before.text != "sqrt"):
            end = closing_brace(raw, k, text)
            raw[k], raw[end] = token._replace(kind="op"), raw[end]._replace(kind="op")
    return raw


def _sign(token: Token) -> Token:
    if token.kind != "command":
        return token
    if token.text in BRACKETS:
        kind, sign = BRACKETS[token.text]
        return token._replace(kind=kind, text=sign)
    return token._replace(kind="op", text=LATEX[token.text]) if token.text in LATEX else token


def closing_brace(raw: list[Token], opening: int, text: str) -> int:
    """The place of the brace that closes the one at ``opening``."""
    depth = 0
    for i in range(opening, len(raw)):
        if raw[i].kind == "group":
            depth += 1 if raw[i].text == "{" else -1
            if not depth:
                return i
    raise ParseError.at("'{' is never closed", text, raw[opening], "Add the missing '}'.")


def spelled(raw: list[Token]) -> str:
    """What a script says, its braces left out: ``- top``, ``mathsf T``, ``i = 1``."""
    return " ".join(t.text for t in raw if t.kind != "group")


class LatexText(NamedTuple):
    """What was read.

    Attributes
    ----------
    tokens : as those of any text, at their places in the LaTeX
    ranges : of sums, by where their sign stands
    tables : where arrays begin that are written out, whose entries are numbers
    first : where the sums begin, 0 or 1, if that is said
    vectors : the letters that are shown as vectors are, small ones that are bold and any with an arrow
    members : those of them of which an index says which vector is meant, no entry
    sets : of sets that sums run over, arrays of 1 where an index is in the set and 0 elsewhere, the axes by name
    times : letters below that say when, no indices, as k of x_{k|k-1}
    """

    tokens: list[Token]
    ranges: dict[int, SumRange]
    tables: frozenset[int]
    first: int | None
    vectors: frozenset[str]
    members: frozenset[str]
    sets: dict[str, int]
    times: frozenset[str]


# ------------------------------------------------------------------------------------------------------- latex source
#
# LaTeX as its smallest parts: commands, braces, scripts, and between them the signs, names and numbers of any text.
#
# The idea to hold: every part knows its place in the user's text, and so does what is made of it; blanks, comments and
# the dollars around the whole are gone.


SPLITS = RELATIONS | {"+", "-", ",", ";", "=", "∧", "∨"}
"""Signs that end a product."""


def is_one(tokens: list[Token]) -> bool:
    """Whether tokens are one operand that needs no brackets before a superscript: x, (a + b), f(x), x[0]."""
    depth, parts = 0, 0
    for k, token in enumerate(tokens):
        opens = token.kind == "open" or token.is_sign("(", "[", "⟨", "⌊")
        closes = token.kind == "close" or token.is_sign(")", "]", "⟩", "⌋")
        if not depth and not (k and opens and token.text in "([" and tokens[k - 1].kind == "name"):
            parts += 1
            if token.kind not in ("name", "number") and not opens:
                return False
        depth += opens - closes
    return parts == 1


def is_bracketed(tokens: list[Token]) -> bool:
    """Whether one pair of round brackets holds all of them."""
    return bool(tokens) and tokens[0].is_sign("(") and end_of_bracket(tokens, 0) == len(tokens) - 1 > 0


def wrapped(inner: list[Token], start: int, end: int, opening: str = "(") -> list[Token]:
    """Tokens in brackets, which take the places ``start`` and ``end`` in the text."""
    first, last = (inner[0].start, inner[-1].end) if inner else (end, end)
    kinds = ("open", "close") if opening in BARS else ("op", "op")
    left = Token(kinds[0], opening, start, max(first, start))
    return [left, *inner, Token(kinds[1], MATCHING[opening], min(last, end), end)]


class LatexSource:
    """What is read, ``out`` the tokens so far.

    Parameters
    ----------
    text : the LaTeX
    declared : how many axes the declared names have
    functions : names of functions
    body : what is read of the text, its characters at the same places
    """

    text: str
    declared: Mapping[str, int]
    functions: Collection[str]
    i: int
    depth: int

    def __init__(self, text: str, declared: Mapping[str, int], functions: Collection[str], body: str = "") -> None:
        self.text, self.declared, self.functions = text, declared, functions
        self.known: set[str] = {*declared, *functions, *SPELLED_LETTERS}
        self.raw: list[Token] = parts_of(body or text)
        self.i = self.depth = 0
        self.out: list[Token] = []
        self.styles: dict[str, str] = {}  # how each letter is shown
        self.style = ""
        self.entries: set[str] = set()  # letters that stand plain with an index
        self.used: list[str] = []  # letters of the entries that were written
        self.bound: frozenset[str] = frozenset(self._bound())
        self.first: int | None = self._first()  # the number of the first entry, as the sums say it
        self.active: list[str] = []  # letters of the sums around this place
        self.ranges: dict[int, SumRange] = {}
        self.times: set[str] = {*_TIMES.findall(text)} - self.bound  # k, where x_{k|k-1} stands
        self.sets: dict[str, int] = {}  # that sums run over, and how many indices they have
        self.tables: set[int] = set()  # where matrices stand that are written out
        self.aligned = False

    def _bound(self) -> Iterator[str]:
        """The letters of all sums."""
        for i, token in enumerate(self.raw):
            if token.kind in LARGE_SIGNS:  # Σᵢ
                yield from token.text.split()
            plain = token.kind == "name" and token.text in PLAIN_SUMS
            if plain or (token.kind == "command" and token.text in ("sum", "prod")):
                yield from implied_index(self.text, token.start)
                k = i + 1
                if self.raw[k].text == "^":  # \sum^n_{i=1}
                    k = self._behind_argument(k + 1)
                for part in self.raw[k + 1 : self._behind_argument(k + 1)] if self.raw[k].text == "_" else ():
                    reads = part.kind in ("group", "name") or part.is_sign(",", "(", *RELATIONS)
                    if not reads or part.text in ("in", "not"):
                        break
                    yield from LETTER.findall(part.text if part.kind == "name" else "")

    def _behind_argument(self, k: int) -> int:
        """The place behind what is in braces at a place, or behind one sign."""
        return closing_brace(self.raw, k, self.text) + 1 if self.raw[k].text == "{" else k + 1

    def _first(self) -> int | None:
        """From where the sums count that say so, from 0 or, where they begin later, from 1; None if not all alike."""
        before = self.bound.union(["{"])
        said = {
            min(int(c.text), 1)
            for a, b, c in zip(self.raw, self.raw[1:], self.raw[2:], strict=False)
            if b.text == "=" and a.text in before and c.text.isdigit()
        }
        return said.pop() if len(said) == 1 else None

    @property
    def now(self) -> Token:
        return self.raw[self.i]

    @property
    def last(self) -> Token:
        """What was read before."""
        return self.raw[self.i - 1]

    def take(self) -> Token:
        token = self.raw[self.i]
        self.i += token.kind != "end"
        return token

    def at(self, kind: str, *texts: str) -> bool:
        return self.now.kind == kind and self.now.text in texts

    def concentration(self, opening: Token) -> str:
        r"""The name in ``[\mathrm{S}]``, whose tokens are taken; nothing for another bracket."""
        found = _CONCENTRATION.match(self.text, opening.start)
        before = self.out[-1] if self.out else None
        if found and found[2] and before and before.kind == "name" and not RATE.fullmatch(before.text):
            return ""  # E[X]
        if found and found[2] and _OF_ENTRY.fullmatch(found[3] or ""):
            return ""  # [K]_{ij}
        while found and self.now.kind != "end" and self.now.start < found.end():
            self.take()
        return (found[1] or found[2]) + (f"_{found[3]}" if found[3] else "") if found else ""

    def lists_places(self, opening: Token) -> Token | None:
        r"""The number of ``1, \ldots,`` behind the bracket of the places ``(1, \ldots, n)``, which are taken then."""
        first = self.now
        dots, comma = [t.text for t in self.raw[self.i + 2 : self.i + 4]] if len(self.raw) > self.i + 3 else ("", "")
        found = lists_places([*self.out, opening, *self.raw[self.i : self.i + 2]]) and dots.endswith(("dots", "…"))
        self.i += 4 * (found and comma == ",")
        return first if found and comma == "," else None

    def plain_sum(self, token: Token) -> str:
        """The command that ``sum_{i=1}`` in plain text stands for; ``Σ_{ij}`` may be an entry.

        Raises
        ------
        ParseError : nothing else says which, ``Σ_{ij} A_{ij}^2``
        """
        word = token.text
        if word not in PLAIN_SUMS or word in self.declared:
            return ""
        if not self.at("script", "_"):
            return PLAIN_SUMS[word] if implied_index(self.text, token.start) else ""
        said = self.text[self.now.end : self.text.find("}", self.now.end)]
        one = _OVER_ONE.match(self.text, self.now.end)
        indices = one is not None and len(re.findall(rf"_\{{?{one[1]}", self.text)) > 1
        letters = re.findall("[i-n]", said) if re.fullmatch("{[i-n](,? ?[i-n])+", said) else []
        places = [re.findall(rf"_(?:{letter}|\{{[^{{}}=]*{letter})", self.text) for letter in letters]
        if word == "Σ" and places and min(map(len, places)) > 1 and not re.search("Σ.*Σ|∑|sum", self.text):
            step = f"Write ∑_{said}}} for the sum, or declare the matrix: Σ=(…)."
            raise self.problem(f"'Σ_{said}}}' may be a sum and an entry of a matrix", token, step)
        return (
            PLAIN_SUMS[word] if len(word) > 1 or word in "∑∏" or re.search("[=<>≠≤≥∈∉:|]| in ", said) or indices else ""
        )

    def refuse_orders(self, token: Token) -> None:
        """Refuse ``sqrt[3]{x}``, where the brackets behind a word hold the order of LaTeX's command, or an argument."""
        closes = end_of_bracket(self.raw, self.i) if self.now.text == "[" else 0
        if closes and self.raw[closes + 1].text == "{":
            word, source = token.text, self.text[token.start : self.raw[closes].end]
            what = f"the brackets of '{source}' may hold the order of the function, and its argument"
            step = rf"Write \{source}{{…}} for the root, " if word == "sqrt" else "Write "
            raise self.problem(what, token, f"{step}{word}(…)*(…) for the product.", self.raw[closes])

    def problem(self, what: str, token: Token, next_step: str = "", last: Token | None = None) -> ParseError:
        return ParseError(what, self.text, token.start, (last or token).end, next_step)

    def source(self, first: Token, last: Token | None = None) -> str:
        return shortened(self.text[first.start : (last or first).end])

    def emit(self, kind: str, text: str, start: int, end: int) -> None:
        self.out.append(Token(kind, text, start, end))

    def wrap(self, inner: list[Token], start: int, end: int, opening: str = "(") -> None:
        """Write tokens in brackets."""
        self.out += wrapped(inner, start, end, opening)

    # ------------------------------------------------------------------ parts

    @contextmanager
    def nested(self, token: Token) -> Iterator[None]:
        self.depth += 1
        if self.depth > _limits.TEXT_DEPTH:
            raise too_deep(self.text, token)
        yield
        self.depth -= 1

    def argument(self, owner: Token) -> list[Token]:
        """The parts of the argument that follows: what is in braces, or one sign."""
        token = self.now
        if self.at("group", "{"):
            return self.braced()
        if token.kind in ("end", "group", "cell", "row", "script"):
            raise self.problem(f"'{self.source(owner)}' stands without its argument", owner, "Write it in braces, {…}.")
        self.i += 1
        if owner.text == "^" and token.kind == "number" and len(token.text) > 1 and token.text.isdigit():
            if "\\" not in self.text:  # sum_{t=1}^10 t
                return [token]
            what = f"^{token.text} raises {token.text[0]} alone in LaTeX"
            raise self.problem(what, token, f"Write ^{{{token.text}}}, or ^{token.text[0]} {token.text[1:]} for that.")
        if token.kind == "number" and "." in token.text:
            raise self.problem(f"of {token.text} LaTeX takes {token.text[0]} alone", token, "Write it in braces, {…}.")
        if token.kind in ("name", "number") and len(token.text) > 1 and token.end - token.start == len(token.text):
            cut = token.start + 1  # \frac12, x^23: one sign is the argument
            self.i -= 1
            rest = token._replace(text=token.text[1:], start=cut)
            self.raw[self.i] = rest._replace(kind="number") if rest.text.isdigit() else rest
            return [token._replace(text=token.text[0], end=cut)]
        if token.kind == "command" and token.text.endswith("frac"):  # ^\frac12, ^\frac{1}{2}
            return [token, *self._within(token), *self._within(token)]
        if token.kind == "command" and self.at("group", "{") and token.text not in LETTERS.keys() | TRANSPOSES:
            return [token, *self._within(token)]  # ^\mathrm{T}
        return [token]

    def braced(self) -> list[Token]:
        """The parts in the braces that follow."""
        end = closing_brace(self.raw, self.i, self.text)
        found = self.raw[self.i + 1 : end]
        self.i = end + 1
        return found

    def _within(self, owner: Token) -> list[Token]:
        """The argument of what is an argument itself, in its braces if it has them."""
        first = self.now
        inner = self.argument(owner)
        return [first, *inner, self.last] if first.kind == "group" else inner

    def scripts(self) -> tuple[list[Token] | None, list[Token] | None, bool]:
        """What stands below and above, and whether that above came first."""
        found: dict[str, list[Token]] = {}
        while self.now.kind == "script":
            sign = self.take()
            if sign.text in found:
                step = "Write brackets, (x^2)^3."
                raise self.problem(f"a second '{sign.text}' behind the same sign", sign, step)
            typed = sign.text == "^" and self.now.is_sign("(")
            found[sign.text] = self._in_brackets() if typed else [*self.argument(sign)]
        return found.get("_"), found.get("^"), next(iter(found), "") == "^"

    def _in_brackets(self) -> list[Token]:
        """The exponent in ``x^(1-a)``, as people type who write no braces; of one sign with its brackets, a label?"""
        end = end_of_bracket(self.raw, self.i)
        if not end:
            return [*self.argument(self.last)]
        found = self.raw[self.i : end + 1]
        self.i = end + 1
        return found if len(found) == 3 and found[1].kind in ("name", "number") else found[1:-1]

    def translated(self, parts: list[Token], owner: Token) -> list[Token]:
        """The tokens that some parts mean."""
        outer = self.raw, self.i
        end = parts[-1].end if parts else owner.end
        self.raw, self.i = [*parts, Token("end", "", end, end)], 0
        with self.nested(owner):
            found = self.captured(self.sequence)
        self.raw, self.i = outer
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
            signs = self.now.is_sign(*SPLITS)
            if signs and not (self.out and self.out[-1].kind in ("sum", "prod")):
                del self.active[active:]
            self.unit()
        del self.active[active:]

    def unit(self) -> bool:
        """Read one sign or one operand with its scripts; whether it was an operand."""
        raise NotImplementedError


# ------ What stands below and above in LaTeX: entries and names, ``x_i`` and ``x_{\mathrm{max}}``; powers, transposes
#
# The idea to hold: a digit below is what it is in other texts, ``x₁``; letters below are indices if they are summed
# over, as many as the declared array has axes, or i, j, k, l; words that stand upright, and other letters below what
# was not declared, belong to the name: ``r_f``. Anything else is refused.


_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_DELTA = "δ"
_ORDERS = ORDERS | dict.fromkeys(["mathrm F", "text F", "mathsf F", "mathrm Fro"], "") | {"infty": "inf"}
_LABELS = frozenset({"*", "⊙", "·", "dagger", "star", "H", "mathsf H", "mathrm H", "+", "ddagger"})
_OF_TIMES = {"|": "_", "mid": "_", "-": "m", "+": "p"}
_SUFFIXES = frozenset({"max", "min", "star", "sup", "inf"})


class Scripts(LatexSource):
    """The part of the reader that reads scripts."""

    out: list[Token]

    def scripted(self, token: Token, kind: str, forced: bool = False) -> bool:
        """Write an operand of one token with its scripts."""
        self.out.append(token)
        return self.with_scripts(len(self.out) - 1, kind, forced)

    def with_scripts(self, at: int, kind: str, forced: bool = False) -> bool:
        """Read the scripts of the operand whose tokens begin at ``at``; its kind is name, number, bracket, or bar.

        ``forced`` says that it stands in braces, so that what is below is an index.
        """
        if self.now.kind != "script":
            return True
        sign = self.now
        below, above, above_first = self.scripts()
        if above is not None and len(above) == 3 and is_bracketed(above) and above[1].text in self.active:
            row = above[1]  # x^{(i)}, the i-th example of a sum over them, and x_j^{(i)} its entry
            below, above = [row, *([row._replace(kind="op", text=","), *below] if below else [])], None
        if below is not None:
            entry = self._below(at, kind, below, sign, forced)
            if entry and above is not None:
                self._refuse_two_ways(above, sign, above_first, entry)
        if above is not None:
            self.raised(above, sign)
        return True

    def _refuse_two_ways(self, above: list[Token], sign: Token, above_first: bool, letters: int) -> None:
        turned = spelled(above).removeprefix("- ") in TRANSPOSES
        if (turned or above_first or spelled(above) == "- 1") and letters > 1:
            step = "Write brackets, (A^{-1})_{ij} for an entry of the inverse, 1/A_{ij} for the inverse of an entry."
            raise self.problem("an entry with a superscript may be read in two ways", sign, step)

    # ------------------------------------------------------------------ above

    def raised(self, above: list[Token], sign: Token) -> None:
        """Write a superscript."""
        said = spelled(above)
        start, end = sign.start, self.last.end
        minus, _, turned = said.rpartition("- ")
        size = turned == "T" and any(said.size == "T" for said in self.ranges.values())
        if size and self.out[-1].text == "]":
            step = "Write ^\\top for the transpose, brackets for the power."
            raise self.problem("T above an entry may be the transpose and the end of the sum", sign, step)
        number = size or (turned == "T" and "T" in self.declared)
        if turned in TRANSPOSES and not minus and not number:
            return self.emit("sup", "-T" if said.startswith("- ") else "T", start, end)
        positive = said == "+" and self.out[-1].is_sign(")")  # (S - K)^+
        if positive or re.fullmatch(r"(- |\+ )?[0-9]{1,3}", said):
            return self.emit("sup", said.replace(" ", ""), start, end)
        if said == "ddagger" and self.out[-1].text.isidentifier():  # of a transition state
            self.out[-1] = self.out[-1]._replace(text=f"{self.out[-1].text}_ddagger", end=end)
            return None
        if said in _LABELS:
            step = r"Write ^{\top} for the transpose, \operatorname{pinv}(A) for the pseudo-inverse."
            raise self.problem(f"the superscript '{self.source(sign, self.last)}' is not read", sign, step)
        if not above:
            raise self.problem("an empty superscript", sign)
        is_list = above[0].text == "[" and [t.text for t in above].count(",") > 1  # a label has one number, or a pair
        if not is_list and (is_bracketed(above) or above[0].text == "["):
            step = "Write x_{1} for a numbered name, x^{n} for a power."
            raise self.problem("a superscript in brackets may be a power and a label", sign, step)
        entrywise = above[0].is_sign("⊙")
        inner = self.translated(above[entrywise:], sign)
        self.emit("op", "^∘" if entrywise else "^", start, start + 1)
        self.wrap(inner, start + 1, end)
        return None

    # ------------------------------------------------------------------ below

    def _below(self, at: int, kind: str, below: list[Token], sign: Token, forced: bool) -> int:
        """Write what stands below; how many letters it has as indices, 0 if it is part of a name."""
        if kind == "bar":
            return self._order(below, sign)
        if kind == "number":
            raise self.problem("a number has no subscript", sign, r"Write \mathbf{1}_n for a vector of ones.")
        base, last = self.out[at], self.out[-1]
        if spelled(below) == "+" and last.is_sign(")", "]"):  # [1 - x]_+
            if base.is_sign("[") and not any(t.is_sign(",", ";") for t in self.out[at:]):
                self.out[at], self.out[-1] = base._replace(text="("), last._replace(text=")")
            self.emit("sup", "₊", sign.start, self.last.end)
            return 0
        if kind == "name":
            if base.text == "I" and "I" not in self.declared and not forced:
                self._sized(at, "eye", below, sign)
                return 0
            named = None if forced else self._named(base, below)
            if named is not None:
                self.out[at] = base._replace(text=named, end=self.last.end)
                return 0
            forced = forced or base.text == _DELTA
        return self._index(base, below, sign, forced or kind != "name")

    def _order(self, below: list[Token], sign: Token) -> int:
        """The order of a norm."""
        said = spelled(below)
        if self.out[-1].text != "‖" or said not in _ORDERS:
            step = r"Write \lVert x \rVert_1, _2, _\infty or _F, or \sqrt{x^{\top} S x}."
            raise self.problem(f"the subscript '{self.source(sign, self.last)}' is no order", sign, step)
        if _ORDERS[said]:
            self.emit("sub", _ORDERS[said], sign.start, self.last.end)
        return 0

    def _sized(self, at: int, function: str, below: list[Token], sign: Token) -> None:
        """An identity, or ones, of a size that stands below."""
        said = [t for t in below if t.kind != "group"]
        twice = len(said) == 3 and said[1].text == "·" and said[0].text == said[2].text  # I_{n \times n}
        if not (len(said) == 1 or twice) or said[0].kind not in ("name", "number"):
            raise self.problem("the subscript of an identity, of 1 or 0 is its size", sign, "Write I_n or I_{3}.")
        base = self.out[at]
        self.out[at:] = [base._replace(text=function, kind="name")]
        self.wrap([said[0]], sign.start, self.last.end)

    def _named(self, base: Token, below: list[Token]) -> str | None:
        """The name with what stands below it; None if that is an index."""
        said = [t for t in below if t.kind != "group" and t.text != ","]
        upright = said[:1] and said[0].kind == "command" and said[0].text in WORDS
        if upright:
            said = said[1:]
        if len(said) == 1 and said[0].kind == "number" and said[0].text.isdigit() and not upright:
            digits = said[0].text  # W_{2} is how W2 is printed, too
            if f"{base.text}_{digits}" in self.declared:
                return f"{base.text}_{digits}"
            return base.text + (digits if self._is_joined(base.text, digits) else digits.translate(_SUBSCRIPTS))
        if said and said[0].text in self.times:  # x_{k|k-1}, and K_k beside it
            return f"{base.text}_{''.join(_OF_TIMES.get(t.text, t.text) for t in said)}"
        step = _is_shifted(said) and said[0].text not in self.bound | INDICES
        if step and is_state(self.text, self.source(base), said[0].text):
            return shifted_name(base.text, *[t.text for t in said])
        words = [LETTERS.get(t.text, t.text) if t.kind == "command" else t.text for t in said]
        name = "_".join([base.text, *words])
        if not words or not all(w.replace("_", "").isalnum() for w in words):
            return None
        greek = all(t.kind != "command" or t.text in LETTERS or t.text in _SUFFIXES for t in said)
        if name in self.declared or (upright and greek):
            return name
        index = words[0] in self.bound
        index = index or (words[0] in INDICES and not stands_once(self.text, self.source(base), words[0]))
        letters = self.bound | INDICES >= {*words[0]} or words[0] in ascii_lowercase  # T_{abc}
        word = len(words[0]) > 2 and words[0].isalpha() and not letters  # V_{max}
        label = (word or (len(words[0]) == 1 and not index)) and base.text not in self.declared
        plain = len(words) == 1 and (said[0].kind == "command" or label)  # x_t, where nothing runs over t
        return name if plain and greek and not words[0].isdigit() else None

    def _is_joined(self, stem: str, digits: str) -> bool:
        apart = (f"{stem}_{digits}", stem + digits.translate(_SUBSCRIPTS))
        entry = self.declared.get(stem, 0) in (1, len(digits))
        return stem + digits in self.declared and not entry and self.declared.keys().isdisjoint(apart)

    def _index(self, base: Token, below: list[Token], sign: Token, forced: bool) -> int:
        """Write an index; how many places it has."""
        items: list[list[Token]] = [[]]
        comma = [k for k, t in enumerate(below) if t.text == ","]
        for part in below:
            if part.is_sign(","):
                items.append([])
            elif part.kind == "name" and not comma and part.text not in self.bound:
                for k, c in enumerate(part.text):
                    one = Token("number" if c.isdigit() else "name", c, part.start + k, part.start + k + 1)
                    items[-1] = [one]
                    items.append([])
                items.pop()
            elif part.kind != "group":
                items[-1].append(part)
        if self.first:
            items = [[self._counted_from_0(item[0])] if len(item) == 1 else item for item in items]
        letters = [t.text for item in items for t in item if t.kind == "name"]
        rank = self.declared.get(base.text)
        rows = rank in (len(items), len(items) + 1)
        fits = forced or (rows if rank is not None else {*letters} <= self.bound | INDICES)
        plain = all(
            [t.kind for t in item] in (["name"], ["number"])
            or [t.text for t in item[:1]] in (["-"], [":"])
            or _is_shifted(item)
            for item in items
        )
        last = self.last
        if not fits or not plain or any(t.text in RELATIONS for t in below):
            source = self.text[base.start : last.end]
            if any(t.text in "+-" for t in below):
                what, step = "an index is a letter, perhaps with a number", "Write x_i, or x_{i+1}."
                if [t.kind for t in below] == ["name", "op", "number"]:
                    letter = below[0].text
                    what, step = f"'{source}' where nothing sums over {letter}", rf"Write a sum, \sum_{letter}."
            else:
                what = f"'{source}' may be an entry and a name"
                step = rf"Declare it, {base.text}=… for an entry; write {base.text}_{{\mathrm{{…}}}} for a name."
            raise self.problem(what, base if base.start < sign.start else sign, step, last)
        if self.now.is_sign("(") and any(item[0].text == "-" for item in items):  # J_{-1}(x)
            what = f"'{self.text[base.start : last.end]}(…)' may be a function of an order, and a product with an entry"
            step = r"Write \operatorname{bessel\_j}(-1, x), say, or * before the bracket."
            raise self.problem(what, base, step, last)
        at = self.out[-1].end
        self.emit("op", "[", at, max(at, items[0][0].start))
        for k, item in enumerate(items):
            if k:
                self.emit("op", ",", item[0].start, item[0].start)
            self.out += item
        self.emit("op", "]", min(self.out[-1].end, last.end), last.end)
        self.used += letters
        return len(items)

    def _counted_from_0(self, place: Token) -> Token:
        if place.kind != "number" or not place.text.isdigit():
            return place
        if int(place.text) < (self.first or 0):
            raise self.problem("an index before the first one, which is 1 in the sum", place)
        return place._replace(text=str(int(place.text) - (self.first or 0)))


def _is_shifted(tokens: list[Token]) -> bool:
    """Whether it is a letter and a number that is added to it, ``i+1``."""
    return [t.kind for t in tokens] == ["name", "op", "number"] and tokens[1].text in ("+", "-")


def separated(parts: list[list[Token]], at: int) -> list[Token]:
    """The tokens of some parts with commas between them."""
    comma = Token("op", ",", at, at)
    return [token for part in parts for token in (comma, *part)][1:]


def trimmed(cell: list[Token]) -> list[Token]:
    """A cell without the comma at its end."""
    while len(cell) > 1 and cell[-1].is_sign(",", ".", ";"):
        cell = cell[:-1]
    return cell


_NEGATED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "==", "=": "!="}


def is_negation(one: list[Token], two: list[Token]) -> bool:
    """Whether one comparison holds just where the other does not."""
    signs = [[k for k, t in enumerate(c) if t.is_sign(*RELATIONS, "=")] for c in (one, two)]
    if len(one) != len(two) or list(map(len, signs)) != [1, 1] or signs[0] != signs[1]:
        return False
    at = signs[0][0]
    same = all(a.text == b.text for k, (a, b) in enumerate(zip(one, two, strict=True)) if k != at)
    first, second = ["==" if c[at].is_sign("=") else c[at].text for c in (one, two)]
    return same and _NEGATED[first] == second


def shifted_name(base: str, letter: str, sign: str = "", number: str = "") -> str:
    """What ``h_{t-1}`` is called where nothing runs over t."""
    return f"{base}_{letter}{sign and ('p' if sign == '+' else 'm')}{number}"


def is_state(text: str, base: str, letter: str) -> bool:
    """Whether a letter of time stands below a name wherever that stands, as below ``h_{t-1}`` and ``h_t``."""
    below = re.findall(rf"(?<![A-Za-z\\]){re.escape(base)}(?![A-Za-z])\s*(_ *\{{?{letter}(?![a-z0-9]))?", text)
    return len(letter) == 1 and all(below)
