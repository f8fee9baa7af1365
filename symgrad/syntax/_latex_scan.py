r"""LaTeX as its smallest parts: commands, braces, scripts, and between them the signs, names and numbers of any text.

The idea to hold: every part knows its place in the user's text, and so does what is made of it; blanks, comments and
the dollars around the whole are gone.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from .. import _limits
from ._latex_commands import BLANK, BLANK_WITH_ARGUMENT, BRACKETS, TALL
from ._lexer import Token, next_token
from ._problem import ParseError
from ._sign_table import LATEX

_LATEX = re.compile(r"\\[A-Za-z,;:!|{}()\[\]\\ %&#_$]|(?<![Σ∑]_)(?<!sum_)\{|^\s*\$")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?|.)", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+[0-9]*")
_WRAPPERS = (("$$", "$$"), ("$", "$"), ("\\[", "\\]"), ("\\(", "\\)"))
_SPECIAL = {"{": "group", "}": "group", "^": "script", "_": "script", "&": "cell"}
_ENDS = ".,;"


def is_latex(text: str) -> bool:
    """Whether a text has a sign that only LaTeX has: a command, a brace, a dollar before it."""
    return _LATEX.search(text) is not None


def raw_tokens(text: str) -> list[Token]:
    """The parts of a text: tokens of the kinds 'command', 'group', 'script', 'cell', 'row', and those of `_lexer`."""
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
        token = _part(text, i, out[-1] if out else None)
        out.append(token)
        i = token.end
    while out and out[-1].kind == "op" and out[-1].text in _ENDS:  # a displayed formula ends a sentence
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
    if c in _SPECIAL:
        return Token(_SPECIAL[c], c, i, i + 1)
    if c == "$":
        raise ParseError("a dollar inside the formula", text, i, next_step="Write one formula, $…$, at a time.")
    if c == ":" and text[i + 1 : i + 2] == "=":
        return Token("op", "=", i, i + 2)
    word = _WORD.match(text, i)
    if word is not None and c not in "Σ∑𝟏":
        end = word.end()
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        name = unicodedata.normalize("NFKC", text[i:end])
        if len(name) > _limits.TEXT_NAME:
            raise ParseError(f"'{name[:10]}…' is no name", text, i, end)
        if name.isidentifier():
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


_BARS = frozenset({"|", "‖"})


def parts_of(text: str) -> list[Token]:
    """The parts of a text that mean something: signs by their names in `SIGNS`, no blanks, no sizes of brackets."""
    raw = _with_norms(raw_tokens(text))
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
            if side and token.text in _BARS and token.kind == "op":
                token = token._replace(kind=("open", "close")[side - 1])
            out.append(token)
        side = 0
    return out


def _with_norms(raw: list[Token]) -> list[Token]:
    """The parts with ``||x||`` as norms, if no bar stands alone."""
    bars = [k for k, t in enumerate(raw) if t.kind == "op" and t.text == "|"]
    first = [k for k in bars[::2] if raw[k + 1].text == "|" and raw[k].end == raw[k + 1].start]
    touching = sum(b == a + 1 and raw[a].end == raw[b].start for a, b in pairwise(bars))
    if not bars or len(bars) % 4 or 2 * len(first) != len(bars) or touching != len(first):
        return raw
    norms = {k: raw[k]._replace(text="‖", end=raw[k + 1].end) for k in first}
    return [norms.get(k, t) for k, t in enumerate(raw) if k - 1 not in norms]


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
