"""From text to tokens: numbers, names, signs, and which letters are indices; the table of signs; what cannot be read.

The idea to hold: brackets right behind an operand that hold nothing but letters and numbers, one of them a letter, are
those of an entry, ``A[i,k]``; a sum that is typed as a word, ``sum_k``, runs over such letters only.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from .. import _limits
from .._errors import FormulaError
from .._limits import bound


class ParseError(FormulaError, ValueError):
    """A text is no formula, or may be read in two ways.

    Attributes
    ----------
    text : the text
    position : where in it, counted in characters from 0
    """

    text: str
    position: int

    def __init__(
        self, what: str, text: str = "", start: int = 0, end: int | None = None, next_step: str = "", mark: int = -1
    ) -> None:
        evidence = point_at(text, start, start + 1 if end is None else end, mark) if text else ""
        super().__init__(what, evidence, next_step)
        self.text, self.position = text, start

    @classmethod
    def at(cls, what: str, text: str, part: Any, next_step: str = "") -> ParseError:
        """The error at a part of the text, a token or a node."""
        return cls(what, text, part.start, part.end, next_step, getattr(part, "at", -1))

    def __reduce__(self) -> Any:
        return _restore, (self.args, self.text, self.position)


def _restore(args: tuple[str, ...], text: str, position: int) -> ParseError:
    error = ParseError(args[0])
    error.text, error.position = text, position
    return error


def too_deep(text: str, token: Token) -> ParseError:
    what = f"nested too deeply: it is nested more than {_limits.TEXT_DEPTH} deep"
    return ParseError.at(what, text, token, "Name the inner parts: … where r = ….")


TEXT_SHOWN = bound(100)
"""Signs of a line that are shown around the place of a problem."""


def point_at(text: str, start: int, end: int, mark: int = -1) -> str:
    """The line of ``text`` around ``start`` with the part up to ``end`` underlined, the place ``mark`` by a caret."""
    start = min(max(start, 0), len(text))
    mark = mark if start <= mark < end else start
    first = text.rfind("\n", 0, mark) + 1
    last = text.find("\n", mark)
    last = len(text) if last < 0 else last
    start, end = max(start, first), min(max(end, mark + 1), max(last, mark + 1))
    left = max(first, mark - TEXT_SHOWN // 2)
    right = min(last, left + TEXT_SHOWN)
    line = ("…" if left > first else "") + text[left:right] + ("…" if right < last else "")
    shift = (left > first) - left
    under = "".join("^" if i == mark else "~" for i in range(max(start, left), min(end, right + 1)))
    blank = " " * (max(start, left) + shift)
    shown = "".join(c if c.isprintable() else " " for c in line)
    return f"    {shown}\n    {blank}{under}"


# -------------------------------------------------------------------------------------------------------- sign table


class Sign(NamedTuple):
    """A sign.

    Attributes
    ----------
    binds : how tightly it holds the operands at its sides together; 0 if it does not stand between operands
    means : the arithmetic or the function of symgrad that it is between numbers
    also : other characters for it
    who : those who write it: "p" settles that a text is written as on paper, "u" stands in what symgrad prints, "t" is
        typed for a matrix language, "a" tells that ``*`` is the product of matrices
    latex : its commands in LaTeX, the one that is printed first
    """

    binds: int = 0
    means: str = ""
    also: str = ""
    who: str = ""
    latex: str = ""


COMPARE, SUM, PREFIX, JUXT, POWER, POSTFIX = 4, 12, 25, 30, 40, 50
"""How tightly comparisons, the body of Σ, signs before an operand, things side by side, powers and indices bind."""

SIGNS = {
    "∨": Sign(1, "logical_or", who="u", latex=r"\lor \vee"),
    "⊕": Sign(2, "logical_xor", who="u", latex=r"\oplus"),
    "∧": Sign(3, "logical_and", who="u", latex=r"\land \wedge"),
    "<": Sign(COMPARE, "lt", latex=r"\lt"),
    ">": Sign(COMPARE, "gt", latex=r"\gt"),
    "<=": Sign(COMPARE, "le", "≤", latex=r"\le \leq \leqslant"),
    ">=": Sign(COMPARE, "ge", "≥", latex=r"\ge \geq \geqslant"),
    "==": Sign(COMPARE, "eq"),
    "!=": Sign(COMPARE, "ne", "≠", latex=r"\ne \neq"),
    "|": Sign(5, "logical_or", latex=r"\vert"),
    "&": Sign(6, "logical_and"),
    "+": Sign(10, "+"),
    "-": Sign(10, "-", "−"),
    "⊗": Sign(15, "⊗", who="pu", latex=r"\otimes"),
    "*": Sign(20, "*", "∗", "t", r"\ast"),
    "/": Sign(20, "/", latex=r"\div"),
    "@": Sign(20, "*", who="t"),
    "%*%": Sign(22, "*", who="t"),
    "\\": Sign(20, "\\", who="pta"),
    ".*": Sign(20, "*", who="pta"),
    "./": Sign(20, "/", who="pta", latex=r"\oslash"),
    "⊙": Sign(20, "*", "∘", "pua", r"\odot \circ"),
    "·": Sign(28, "*", "×∙⋅\u0387", "u", r"\cdot \times"),
    "**": Sign(POWER, "**"),
    "^": Sign(POWER, "**", who="p"),
    ".^": Sign(POWER, "**", who="pta"),
    "^∘": Sign(POWER, "**", who="pu"),
    "~": Sign(),
    "¬": Sign(who="u", latex=r"\lnot \neg"),
    "√": Sign(who="u"),
    "'": Sign(also="′’", who="pta"),
    "‖": Sign(also="∥", who="pu", latex=r"\| \Vert \parallel"),
    "⟨": Sign(also="〈", who="pu", latex=r"\langle"),
    "⟩": Sign(also="〉", latex=r"\rangle"),
    "⌊": Sign(who="pu", latex=r"\lfloor"),
    ";": Sign(who="a"),
    "⌋": Sign(latex=r"\rfloor"),
    **dict.fromkeys("()[],:=.…", Sign()),
}  # fmt: skip
INFIX = {sign: row.means for sign, row in SIGNS.items() if row.binds} | {"juxt": "*", "sup": "**"}
"""What stands between operands (``juxt``: nothing, ``sup``: an exponent in superscript), and what it means."""

WRITERS = {writer: frozenset(sign for sign, row in SIGNS.items() if writer in row.who) for writer in "puat"}
"""The signs of those who write them, see `Sign`."""

RELATIONS = frozenset(sign for sign, row in SIGNS.items() if row.binds == COMPARE)
MATRIX_PRODUCTS = frozenset({"*", "juxt", "·"})
"""Signs that are the product of matrices on paper; the other products are entry by entry."""
PRODUCTS = MATRIX_PRODUCTS | {".*", "⊙"}
BRACKETS = {"(": ")", "[": "]", "⟨": "⟩", "⌊": "⌋"}
_CLOSES = frozenset(BRACKETS.values())
CLOSING = {**BRACKETS, "‖": "‖", "|": "|"}
STARTS = frozenset({*BRACKETS, "√", "-", "~", "¬"})
"""Signs that an operand may start with; one may end with those of `ENDS`."""
ENDS = frozenset({*BRACKETS.values(), "'"})
LATEX = {command[1:]: sign for sign, row in SIGNS.items() for command in row.latex.split()}
"""What a command of LaTeX, without its backslash, means."""


def command_of(sign: str) -> str:
    """The command of LaTeX that is printed for a sign, ``\\le`` for ≤ and <=."""
    row = SIGNS.get(sign) or next(row for row in SIGNS.values() if sign in row.also)
    return row.latex.split()[0]


# ------------------------------------------------------------------------------------------------------------- lexer


class Token(NamedTuple):
    """One sign of the text: ``kind`` is 'number', 'name', 'string', 'sup', 'sub', 'sum', 'prod', 'op', 'order' (above a
    function, which is to be in the table: no power) or 'end'; ``text`` is canonical, for a sum or product over indices
    the letters.

    Bars become 'open' or 'close' once it is known which they are (`with_roles`).
    """

    kind: str
    text: str
    start: int
    end: int

    def is_sign(self, *signs: str) -> bool:
        """Whether it is one of these signs, and no bar that is known to open or close."""
        return self.kind == "op" and self.text in signs


_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ", "0123456789-+T", strict=True))
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx", strict=True))
_PLAIN = str.maketrans(_SUBSCRIPTS)
_LABELS = frozenset("ₐₑₕₒᵤᵥₓ")
"""Letters below that are no index unless something is summed over them: mₑ, kₐ, vₒ."""
RAISED_OR_LOWERED = frozenset({*_SUPERSCRIPTS, *_SUBSCRIPTS})
"""Characters that stand above or below the line."""
LETTER = re.compile("[a-z][0-9]*")
"""What an index is called."""

LARGE_SIGNS = {"sum": "Σ", "prod": "Π"}
"""Tokens before what is summed, or multiplied, over letters."""

_RAISED = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵅᵝᵞᵟᶿᴬᴮᴰᴱᴳᴵᴶᴷᴸᴹᴺᴼᴾᴿᵁⱽᵂᐟ"

_BIG_SUM = re.compile(
    r"(?:[Σ∑∏]|Π(?=[ᵢⱼₖₗ]+ *[\w(])|sum|prod)"
    rf"(?:((?![₀-₉])[{''.join(_SUBSCRIPTS)}]+)(?:₌₁[{_RAISED}ᴴᵀ](?:⁻¹|(?![⁻⁺])))?|_\{{([a-z0-9, ]+)\}})"
    "|[∑∏]_([a-z][a-z0-9]*)"
)
_LIMITED = re.compile(rf"[ΣΠ∑∏](?:([{''.join(_SUBSCRIPTS)}])₌₁([{_RAISED}ᴴᵀ])(⁻¹)?)")
_BARE_SUM = re.compile(
    r"(?:(?<![.\w])(?:sum|prod)(?= )|[ΣΠ](?![\w'])|[∑∏]|\\(?:sum|prod)(?![A-Za-z_^]))(?= *[^\W_]| *[(|\\√‖]| +\[)"
)
_INDEX_BELOW = re.compile(r"(?P<sum>[ΣΠ∑∏]|sum|prod)?(?:_\{?([ijklt])(?![a-z0-9])|([ᵢⱼₖₗₜ])(?![ᵢⱼₖₗₘₙₜ]))")
BELOW = re.compile("(?:₋?[₀-₉])*")
"""The digits below a name."""
_ABOVE = dict(zip(_RAISED, "abcdefghijklmnoprstuvwxyzαβγδθABDEGIJKLMNOPRUVW/", strict=True))
_LETTERS_ABOVE = re.compile(rf"(?!⁻?ᵗ(?![{_RAISED}]))[⁰-⁻¹²³]*[{_RAISED}][{_RAISED}⁰-⁻¹²³]*(?!ᵀ)")
"""What stands above and is no number, ``e⁻²ˣ``; of ``xᵗ`` it is the transpose to some."""
_OF_TIME = re.compile(rf"⁻?[ᵗᵀ](?![{_RAISED}⁰-⁻¹²³ᵀ])")
LETTERS_BELOW = re.compile(rf"((?:(?![₀-₉])[{''.join(_SUBSCRIPTS)}])+)(?:([₊₋])([₀-₉]))?(?![₀-₉₊₋])")
"""Letters below a name, the last perhaps with a number added, ``xᵢ₊₁``."""
_SAME = {c: sign for sign, row in SIGNS.items() for c in row.also}
_PAIRS = (".'", *[sign for sign in SIGNS if len(sign) > 1])
_FRACTIONS = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_ONES = f"𝟏𝟙{_FRACTIONS}"
_ENDS_OF_NAMES = frozenset([*_ONES, *_ABOVE, "·", "\u0387"])
_ONES_LYING = re.compile(r"1(?:['′ᵀ]|\^(?:T(?!\w)|\{T\}|\{?\\top(?![a-z])\}?)) *(?:[^\W\d_]|\\[a-z]|[(|‖])")
"""``1'w`` and ``1^T w``, the sum of w: a number is transposed by nobody."""
ORDERS = {"1": "1", "2": "2", "inf": "inf", "∞": "inf", "F": "", "*": "nuc"}
"""What stands below the bars of a norm: its order."""
_ORDERS = {"₁": "1", "₂": "2", "∞": "inf"}
_BELOW_BARS = re.compile(r"_(?:\{(\w+|\*|∞)\}|(inf(?![^\W²³])|[12F](?![^\W²³])|[*∞]))")
_POWER_OF_TEN = re.compile("[·×⋅∙]10(⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})(?![⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ])")
_DERIVED = re.compile(r"ψ⁽([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})⁾\(")
_ORDER = re.compile(r"⁽([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})⁾")
INDICES = frozenset("ijkl")
"""Letters below that are taken for indices where nothing sums over them."""
_NUMBER = re.compile(r"(?:[0-9]+(?:\.(?![*/^'.])[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ELSEWHERE = {"//": "floor division", "&&": "write &", "<<": "", ">>": "", "->": "", "..": ""}


def tokens_of(text: str, dots: bool = False) -> list[Token]:
    """The tokens of a text, the last of kind 'end'; ``dots`` if … is a sign, as in the patterns of rules.

    Raises
    ------
    ParseError : a character that means nothing here, or brackets nested too deeply
    """
    out: list[Token] = []
    i = depth = 0
    while i < len(text):
        if text[i].isspace() or text[i] == "\u200b":
            i += 1
            continue
        if (derived := _DERIVED.match(text, i)) is not None:
            out += _of_order(derived)
            i = derived.end()
            continue
        bars = _bars_before(out) if text[i] in "_₁₂∞" else 0
        if bars and ((below := _BELOW_BARS.match(text, i)) is not None or text[i] in _ORDERS):
            order = [Token("sub", _ORDERS[text[i]], i, i + 1)] if below is None else _of_norm(below, text)
            out[bars:bars] = order
            i = i + 1 if below is None else below.end()
            continue
        if (letters := LETTERS_BELOW.match(text, i)) is not None and out and out[-1].kind == "name":
            summed = any(f"{sign}{letters[1]}" in text for sign in "Σ∑Π∏")
            if not (summed or letters[2]) and (
                set(letters[0]) <= _LABELS or stands_once(text, out[-1].text, letters[0])
            ):
                label = "".join(map(_SUBSCRIPTS.__getitem__, letters[0]))
                out[-1] = out[-1]._replace(text=f"{out[-1].text}_{label}", end=letters.end())
            else:
                out += entry_below(letters)
            i = letters.end()
            continue
        ends = bool(out) and (ends_operand(out[-1]) or out[-1].is_sign("|", "‖"))
        above = _OF_TIME if text[i] in "⁻ᵗᵀ" and _is_time(text, i, out) else _LETTERS_ABOVE
        if ends and (raised := above.match(text, i)) is not None:
            out += _exponent(raised)
            i = raised.end()
            continue
        token = next_token(text, i, out[-1] if out else None)
        if token.text == "…" and not (dots or lists_places(out)):
            raise _meaningless(text, i)
        out.append(token)
        depth = max(0, depth + (token.text in BRACKETS) - (token.text in _CLOSES))
        if depth > _limits.TEXT_DEPTH:  # now, as what follows looks at each bracket for its end
            raise too_deep(text, token)
        i = token.end
    out.append(Token("end", "", len(text), len(text)))
    return with_norms(out if dots else _with_places(out, text))


def tokens_at(place: int, text: str) -> list[Token]:
    """The tokens of a text of our own, all at one place of the user's."""
    return [t._replace(start=place, end=place) for t in tokens_of(text)[:-1]]


def _bars_before(out: list[Token]) -> int:
    """The place behind bars that end some tokens, perhaps with a power, ``‖x‖²``, ``||x||^2``; 0 if none do."""
    power = 2 if out[-2:-1] and out[-2].is_sign("^") and out[-1].kind == "number" else 1
    power = power if out and (out[-1].kind == "sup" or power == 2) else 0
    end = len(out) - power
    return end if end > 0 and out[end - 1].text in ("|", "‖") else 0


class SumRange(NamedTuple):
    """What a sum says of its letter: from which number on, how many steps: a named ``size`` if any, and ``more``."""

    letter: str
    first: int
    size: str
    more: int


def ranges_in(text: str) -> dict[int, SumRange]:
    """What the sums of a plain text run over, ``Σᵢ₌₁ⁿ``, by where they begin."""
    return {
        found.start(): SumRange(_SUBSCRIPTS[found[1]], 1, unicodedata.normalize("NFKC", found[2]), -bool(found[3]))
        for found in _LIMITED.finditer(text)
    }


def stands_once(text: str, name: str, letter: str) -> bool:
    """Whether a letter below a name has no other place, nor the name, beside matrices that stand whole: the d_k of
    ``QKᵀ/√dₖ`` is one name."""
    plain = _SUBSCRIPTS.get(letter, letter)
    below = re.findall(rf"_\{{?[a-z, ]*{plain}|{plain}[,\]]|{letter}(?<![a-z])", text)
    whole = re.search(r"(?<![\\A-Za-z])[A-Z](?![_A-Za-z])", text) is not None
    summed = "".join(x for found in _BIG_SUM.finditer(text) for x in found.groups("")) if "_{" in text else ""
    own = {*letter.translate(_PLAIN)} <= {*summed.translate(_PLAIN)}  # Σ_{ij} Mᵢⱼ
    name_once = len(re.findall(rf"{re.escape(name)}[_{''.join(_SUBSCRIPTS)}]", text)) == 1
    return whole and not own and len(below) == 1 and name_once


def lists_places(before: list[Token]) -> bool:
    """Whether dots behind some tokens are those of ``(1, …, n)`` or ``(0, …, n)``."""
    opened = [t.text for t in before[-3:]] in (["(", "1", ","], ["(", "0", ","])
    return opened and not (len(before) > 3 and before[-4].kind == "name")


def _with_places(tokens: list[Token], text: str) -> list[Token]:
    """The tokens with ``(1, …, n)`` as what NumPy has for it, the sums of ones up to each entry."""
    out = list(tokens)
    for k in [k for k, t in enumerate(tokens) if t.text == "…"][::-1]:
        closing = end_of_bracket(tokens, k - 3)
        if tokens[k + 1].text != "," or not closing:
            raise ParseError.at("a list with dots is that of the places, (1, …, n)", text, tokens[k])
        out[k - 3 : closing + 1] = places_up_to(tokens[k - 2], tokens[k + 2 : closing], tokens[k - 3], tokens[closing])
    return out


def places_up_to(start: Token, size: list[Token], opening: Token, closing: Token) -> list[Token]:
    """The tokens of ``cumsum(ones((n,)))`` for the places ``(1, …, n)``, of ``(cumsum(ones((n + 1,))) - 1)`` from 0."""
    first, last = [t._replace(kind="op") for t in (opening, closing)]
    names = [opening._replace(kind="name", text=text) for text in ("cumsum", "ones")]
    more = int(start.text == "0")
    signs = {"+": 1, "-": -1, "−": -1}
    if more and len(size) > 2 and size[-2].text in signs and size[-1].text.isdigit():  # n − 2 and one more is n − 1
        more, size = 1 + signs[size[-2].text] * int(size[-1].text), size[:-2]
    sign, number = first._replace(text="+" if more > 0 else "-"), start._replace(text=str(abs(more)))
    size = [*size, sign, number] if more else size
    counted = [names[0], first, names[1], first, first, *size, last._replace(text=","), last, last, last]
    from_0 = [first, *counted, last._replace(text="-"), start._replace(text="1"), last]
    return counted if start.text == "1" else from_0


def with_norms(tokens: list[Token]) -> list[Token]:
    """The tokens with ``||x||`` as norms, if no bar stands alone."""
    bars = [k for k, t in enumerate(tokens) if t.is_sign("|")]
    first = [k for k in bars[::2] if tokens[k + 1].text == "|" and tokens[k].end == tokens[k + 1].start]
    touching = sum(b == a + 1 and tokens[a].end == tokens[b].start for a, b in pairwise(bars))
    if not bars or len(bars) % 4 or 2 * len(first) != len(bars) or touching != len(first):
        return tokens
    norms = {k: tokens[k]._replace(text="‖", end=tokens[k + 1].end) for k in first}
    return [norms.get(k, t) for k, t in enumerate(tokens) if k - 1 not in norms]


def _of_norm(found: re.Match[str], text: str) -> list[Token]:
    """The order of a norm, ``_2``, ``_F``, ``_{1}``; nothing for Frobenius."""
    order = ORDERS.get(found[1] or found[2])
    if order is None:
        raise ParseError(f"'{found[0]}' is no order of a norm", text, *found.span(), "Write _1, _2, _inf, _F or _*.")
    return [Token("sub", order, *found.span())] if order else []


def entry_below(found: re.Match[str]) -> list[Token]:
    """The tokens of ``[i,j]``, for the letters below a name, ``Aᵢⱼ``."""
    start, end = found.span()
    inner = [Token("name", _SUBSCRIPTS[c], start + k, start + k + 1) for k, c in enumerate(found[1])]
    parts = [part for one in inner for part in (Token("op", ",", one.start, one.start), one)][1:]
    if found[2]:
        number = Token("number", _SUBSCRIPTS[found[3]], end - 1, end)
        parts += [Token("op", "+" if found[2] == "₊" else "-", end - 2, end - 1), number]
    return [Token("op", "[", start, start), *parts, Token("op", "]", end, end)]


def _exponent(found: re.Match[str]) -> list[Token]:
    """The tokens of ``^(-2x)``, for what stands above, ``e⁻²ˣ``."""
    start, end = found.span()
    parts = re.finditer("[0-9]+|.", "".join([(_ABOVE | _SUPERSCRIPTS)[c] for c in found[0]]))
    kinds = [("name" if c[0].isalpha() else "number" if c[0].isdigit() else "op", c) for c in parts]
    inner = [Token(kind, c[0], start + c.start(), start + c.end()) for kind, c in kinds]
    return [Token("op", "^", start, start), Token("op", "(", start, start), *inner, Token("op", ")", end, end)]


def _is_time(text: str, i: int, out: list[Token]) -> bool:
    """Whether t is a letter of the text, ``Cₜ/(1 + r)ᵗ``, or T the end of a sum above a divisor, ``F/(1 + r)ᵀ``."""
    if "ᵗ" in text[i : i + 2]:
        joined = out[-1].text == "]" or (out[-1].kind == "name" and text[i + 1 : i + 2].isalpha())  # xᵗA
        return not joined and re.search(r"ₜ|(?<![A-Za-z\\])t(?![A-Za-z(])", text) is not None
    opens = next((k for k in reversed(range(len(out))) if out[k].text == "("), 1)
    return "ₜ₌₁ᵀ" in text and [out[-1].text, out[opens - 1].text] == [")", "/"]


def _of_order(found: re.Match[str]) -> list[Token]:
    """The tokens of ``ψ⁽²⁾(x``, which is ``polygamma(2, x``."""
    order = "".join(_SUPERSCRIPTS[c] for c in found[1])
    start, end = found.span(1)
    return [
        Token("name", "polygamma", found.start(), start - 1), Token("op", "(", found.end() - 1, found.end()),
        Token("number", order, start, end), Token("op", ",", end, end + 1),
    ]  # fmt: skip


def next_token(text: str, i: int, before: Token | None) -> Token:
    c = text[i]
    if _ONES_LYING.match(text, i) and (before is None or before.end < i or not ends_operand(before)):
        return Token("name", "𝟏", i, i + 1)
    if c in "0123456789" or (c == "." and text[i + 1 : i + 2].isdigit() and text[i + 1] in "0123456789"):
        return _number(text, i)
    if c == '"' or (c == "'" and (before is None or before.is_sign(*"(,=["))):
        return _string(text, i)
    if c in _SUPERSCRIPTS:
        return _superscript(text, i)
    if (order := _ORDER.match(text, i)) is not None:
        return Token("order", "".join(_SUPERSCRIPTS[d] for d in order[1]), i, order.end())
    if c in _ONES:
        return Token("name" if c == "𝟏" else "number", "1" if c == "𝟙" else c, i, i + 1)
    if c in "Σ∑s∏Πp" and (found := _BIG_SUM.match(text, i)) is not None:
        return big_sum("".join(filter(None, found.groups())), text, i, found.end())
    if c in "Σ∑s∏pΠ" and (letter := implied_index(text, i)):
        return big_sum(letter, text, i, i + (len("sum") + (c == "p") if c.isascii() else 1))
    if (c == "₊" or text.startswith("_+", i)) and before is not None and before.text in (")", "]"):
        return Token("sup", "₊", i, i + 1 + (c == "_"))  # (1 − x)₊
    if c in _SUBSCRIPTS:
        raise ParseError("a subscript stands behind a name or Σ only", text, i, next_step="Write x[i] for an entry.")
    if _starts_name(c):
        _refuse_digits_of_code(text, i, before)
        return _name(text, i)
    if text.startswith("%*%", i):  # R's
        return Token("op", "%*%", i, i + 3)
    if text.startswith(".(", i) and before is not None and before.kind == "name":  # log.(x) of Julia
        return Token("op", "(", i, i + 2)
    apart = before is not None and (before.kind != "number" or before.end < i)  # 1 .+ x, and no 1.
    if text[i : i + 2] in (".+", ".-") and apart:  # Julia's, entry by entry
        return Token("op", text[i + 1], i, i + 2)
    if (pair := text[i : i + 2]) in _PAIRS:
        return Token("op", "'" if pair == ".'" else pair, i, i + 2)
    if text[i : i + 2] in _ELSEWHERE:
        what = _ELSEWHERE[text[i : i + 2]]
        raise ParseError(f"'{text[i : i + 2]}' is not read" + (f" ({what})" if what else ""), text, i, i + 2)
    if c == "!" and text[i + 1 : i + 2] not in ("=", "!") and before is not None and ends_operand(before):
        return Token("sup", "!", i, i + 1)
    sign = _SAME.get(c, c)
    sign = {"{": "(", "}": ")"}.get(sign, sign)  # {a + b} of paper
    if sign in SIGNS and not (c == "\\" and (before is None or not ends_operand(before))):
        return Token("op", sign, i, i + 1)
    raise _meaningless(text, i)


def _meaningless(text: str, i: int) -> ParseError:
    name = unicodedata.name(text[i], "an unknown character")
    return ParseError(f"{text[i]!r} ({name}) means nothing in a formula", text, i, next_step=STEPS.get(text[i], ""))


STEPS = {
    "\\": 'Write dialect="latex", or leave the dialect out.', "∑": "Write Σᵢ or sum_i, and names with that index.",
    "∏": "Write ∏ᵢ or prod_i, and names with that index.",
    "∫": "Write the function itself; symgrad.scipy.integrate.quad integrates it.", "≈": "Write the formula alone.",
    "∂": "Write the function; its derivative is formula.grad(name).",
    "∇": "Write the function; its gradient is formula.grad(name).",
    "∝": "Write the formula with its factor.", "…": "Write the sum, Σᵢ xᵢ.",
    "%": "Write remainder(a, b); 5% is 0.05.", "~": "Write the density.",
    **dict.fromkeys("∈∉", "Write the formula alone; a set stands below a sum, Σ_{i∈S}."),
}  # fmt: skip
"""What to write instead of signs that are often met and mean nothing here."""


def big_sum(letters: str, text: str, start: int, end: int) -> Token:
    """The sign of a sum over indices: ``Σᵢⱼ``, ``Σ_k``, ``Σ_{j,k}``, ``sum_{j,k}``."""
    plain = "".join(_SUBSCRIPTS.get(c, c) for c in letters if c not in ", ")
    parts = LETTER.findall(plain)
    if "".join(parts) != plain or len(set(parts)) < len(parts):
        raise ParseError("a sum names the letters it runs over, each once", text, start, end, "Write Σ_{i,j} x[i,j].")
    return Token("prod" if text[start] in "∏pΠ" else "sum", " ".join(parts), start, end)


def implied_index(text: str, start: int) -> str:
    """The letter that a sign without one, at a place, runs over: the one index that stands behind it, before the next
    such sign, and before no such sign, ``Σ (xᵢ − m)²``, as nothing sums over it elsewhere; nothing if there are
    several, or none."""
    if (sign := _BARE_SUM.match(text, start)) is None:
        return ""
    first = next(found.start() for found in _BARE_SUM.finditer(text))
    depth, stop = 0, start
    following = next((found.start() for found in _BARE_SUM.finditer(text, sign.end())), len(text))
    while stop < following and depth >= 0:
        depth += (text[stop] in "([{") - (text[stop] in ")]}")
        stop += 1
    below = [(found.start(), found["sum"], found[2] or _SUBSCRIPTS[found[3]]) for found in _INDEX_BELOW.finditer(text)]
    elsewhere = {letter for at, summed, letter in below if summed or at < first}
    signs = [at for at, summed, _ in below if summed and at > start]
    near = {letter for at, _, letter in below if start < at < min([stop, *signs])}  # Σ α_i − ½ Σ_i Σ_j …
    near -= {letter for at, summed, letter in below if at < first or (summed and at < start)}
    behind = near or {letter for at, _, letter in below if start < at < stop} - elsewhere
    if not behind and text[start] != "Σ" and not (below or re.search("(?:[Σ∑∏]|sum|prod)_", text)):  # ∑ x_n
        behind = {"n"} if re.search(r"_\{?n(?![a-z0-9])|ₙ", text[start:stop]) else set()
    return behind.pop() if len(behind) == 1 else ""


TEXT_NUMBER = bound(60)
"""Digits of a number."""


def _number(text: str, i: int) -> Token:
    found: Any = _NUMBER.match(text, i)
    if len(found[0]) > TEXT_NUMBER:
        step = f"At most {TEXT_NUMBER} are read."
        raise ParseError(f"a number of {len(found[0])} characters", text, i, found.end(), step)
    scale = _POWER_OF_TEN.match(text, found.end()) if "e" not in found[0].lower() else None
    if scale is not None:  # 6.3·10⁻⁶
        power = "".join(_SUPERSCRIPTS[c] for c in scale[1])
        return Token("number", f"{found[0]}e{power}", i, scale.end())
    return Token("number", found[0], i, found.end())


def value_of(token: Token, text: str) -> int | float | Fraction:
    """The number that a token stands for: an int, a fraction as ½, or a float where it has a point or an exponent."""
    if token.text in _FRACTIONS:
        return Fraction(unicodedata.numeric(token.text)).limit_denominator(8)
    value = int(token.text) if token.text.isdigit() else float(token.text)
    if abs(value) > 1e300:
        raise ParseError.at("the number is too large", text, token)
    return value


def _string(text: str, i: int) -> Token:
    end = text.find(text[i], i + 1, i + _limits.TEXT_NAME)
    if end < 0:
        raise ParseError("a string is opened but not closed", text, i)
    return Token("string", text[i + 1 : end], i, end + 1)


def _superscript(text: str, i: int) -> Token:
    end = i
    while end < len(text) and text[end] in _SUPERSCRIPTS:
        end += 1
    power = "".join(_SUPERSCRIPTS[c] for c in text[i:end])
    if not re.fullmatch(r"-?T|\+|[-+]?[0-9]{1,3}", power):
        run = shortened_run(text[i:end])
        raise ParseError(f"the superscript {run} is neither a power nor a transpose", text, i, end)
    return Token("sup", power, i, end)


TEXT_RUN = bound(12)
"""Signs without meaning that an error shows."""


def shortened_run(run: str) -> str:
    return run if len(run) < TEXT_RUN else run[:10] + "…"


def _starts_name(c: str) -> bool:
    return c.isidentifier() and c not in _SUPERSCRIPTS and c not in _SUBSCRIPTS


def _continues_name(c: str) -> bool:
    # Python's names may hold a middle dot, formulas may not: x·y is a product
    return (f"a{c}").isidentifier() and c not in _SUPERSCRIPTS and c not in _SUBSCRIPTS and c not in _ENDS_OF_NAMES


def _refuse_digits_of_code(text: str, i: int, before: Token | None) -> None:
    """Refuse ``1_000`` and ``0x10``, numbers of programs, and ``‖x‖_1``."""
    if before is None or before.end != i:
        return
    if text[i] == "_":
        raise ParseError("an underscore stands inside a name only", text, i, next_step="Write 1000, ‖x‖_1, x_1.")
    if before.text == "0" and text[i] in "xXbBoO" and text[i + 1 : i + 2].isdigit():
        raise ParseError("numbers are decimal", text, before.start, i + 2)


def normal_name(text: str) -> str:
    """A name as Python has it; ℓ, which is l there, stays another letter, and lambda, a word of Python, is λ."""
    name = "ℓ".join([unicodedata.normalize("NFKC", part) for part in text.split("ℓ")])
    return "λ" if name == "lambda" else name


def _name(text: str, i: int) -> Token:
    end = i + 1
    while end < len(text) and _continues_name(text[end]):
        end += 1
    raised = next((k for k in range(i, end) if unicodedata.decomposition(text[k]).startswith("<super>")), None)
    if raised is not None:
        plain = unicodedata.normalize("NFKC", text[raised])
        raise ParseError("letters are not read as exponents", text, raised, raised + 1, f"Write ^{plain}.")
    under = next((k for k in range(i + 1, end) if unicodedata.decomposition(text[k]).startswith("<sub>")), end)  # xᵦ
    name = normal_name(f"{text[i:under]}{'_' * (under < end)}{text[under:end]}")
    if not name.isidentifier() or len(name) > _limits.TEXT_NAME:
        raise ParseError(f"{shortened_run(text[i:end])!r} is no name", text, i, end)
    below = BELOW.match(text, end)
    assert below is not None
    return Token("name", name + below[0], i, below.end())  # `notation` says what digits below mean


# ---------------------------------------------------------------------- letters and words


def is_where(tokens: list[Token], i: int) -> bool:
    """Whether a token is the word before the definitions, ``where`` or ``with``, and not the function."""
    called = tokens[i + 1 : i + 2] and tokens[i + 1].text == "("
    return tokens[i].kind == "name" and tokens[i].text in ("where", "with") and not called


def enclosing(tokens: list[Token]) -> list[int]:
    """For each token the place of the bracket that it stands in or closes, -1 if none; 'where' is in no bracket."""
    found, stack = [], [-1]
    for i, token in enumerate(tokens):
        stack = [-1] if token.kind == "name" and is_where(tokens, i) else stack
        found.append(stack[-1])
        if token.kind == "op" and token.text in BRACKETS:
            stack.append(i)
        elif token.kind == "op" and token.text in _CLOSES and len(stack) > 1:
            stack.pop()
    return found


def outside_brackets(tokens: list[Token]) -> list[Token]:
    """The tokens that stand in no bracket among them."""
    return [t for t, bracket in zip(tokens, enclosing(tokens), strict=True) if bracket < 0 and t.text not in BRACKETS]


def end_of_bracket(tokens: list[Token], opens: int) -> int:
    """The place of the bracket that closes one; 0 if there is none."""
    depth = 0
    for k in range(opens, len(tokens)):
        if tokens[k].kind in ("op", "open", "close"):
            depth += (tokens[k].text in "([{") - (tokens[k].text in ")]}")
        if not depth:
            return k
    return 0


def in_bracket(tokens: list[Token], opens: int) -> list[Token]:
    """What stands in the bracket that opens at a place; nothing if none closes it."""
    return tokens[opens + 1 : end_of_bracket(tokens, opens)]


def is_unseen(bracket: Token, text: str) -> bool:
    r"""Whether an opening bracket is that of ``\sqrt`` or ``\frac``, and none in the text."""
    return text.startswith("\\", bracket.start) and not text.startswith("\\left", bracket.start)


def starts_operand(token: Token) -> bool:
    return token.kind in ("number", "name", "open", *LARGE_SIGNS) or token.is_sign(*STARTS)


def ends_operand(token: Token) -> bool:
    return token.kind in ("number", "name", "close", "sup", "sub") or token.is_sign(*ENDS)


def places_of_letters(tokens: list[Token]) -> set[int]:
    """The places of the tokens that are indices."""
    found: set[int] = set()
    for i, token in enumerate(tokens):
        if token.is_sign("[") and i and tokens[i - 1].end == token.start:
            end = end_of_letters(tokens, i)
            if end and tokens[i - 1].kind != "number" and ends_operand(tokens[i - 1]):
                found |= {k for k in range(i + 1, end) if tokens[k].kind == "name"}
    return found


def summed_in(tokens: list[Token]) -> set[str]:
    """The letters that sums and products run over."""
    return {letter for t in tokens if t.kind in LARGE_SIGNS for letter in t.text.split()}


def end_of_letters(tokens: list[Token], start: int) -> int:
    """The place of the bracket that closes the indices after ``start``; 0 if there is something else in it."""
    i, letters = start + 1, 0
    while tokens[i].kind == "number" or (tokens[i].kind == "name" and LETTER.fullmatch(tokens[i].text)):
        letters += tokens[i].kind == "name"
        i += 2 * (tokens[i].kind == "name" and tokens[i + 1].is_sign("+", "-") and tokens[i + 2].text.isdigit())
        if tokens[i + 1].text != ",":
            return i + 1 if letters and tokens[i + 1].text == "]" else 0
        i += 2
    return 0


RATE = re.compile(r"(?:[kv]|[kKvV](?:_\w+|max|cat))|.*\]\w*")
"""What may stand before a concentration: ``k[A]``, ``V_max [S]``, ``[A][B]``; ``E[X]`` is an expectation."""
INVERTED = frozenset({"sin", "cos", "tan", "sinh", "cosh", "tanh"})
"""Functions of which ``sin⁻¹`` is the inverse."""
APPLIED = INVERTED | {"exp", "ln", "log"}


def ends_logarithm(name: str, number: Token, after: Token) -> bool:
    """Whether a logarithm of a written number, a number that books have, ends before a sign: ``ln 2 · 2^x``."""
    return name in ("ln", "log") and number.kind == "number" and after.is_sign("·", "*")


# ----------------- Which bars open and which close: ``0.5|x| + |y|``, ``‖x‖‖y‖``; or means or, ``(x > 0) | (y > 0)``

# The idea to hold: a bar looks the same at either end, so a text is taken only if there is one way to pair its bars.
# What stands beside a bar says what it may be; of the ways that remain, blanks choose (``|a| |b|``), and if they do
# not, the text is refused: ``|a|b|c|`` is |a|·b·|c| as much as |a·|b|·c|.


BARS = frozenset({"|", "‖"})
_OPEN, _CLOSE = "(", ")"
_BREAKS = frozenset({",", ";", "="})
_TRUTHS = RELATIONS | {"=", "∧", "∨", "¬", "~", "&"}


class _Bar(NamedTuple):
    at: int  # its place among the tokens
    sign: str
    roles: str  # what its neighbours let it be
    spaced: str  # what the blanks around it say besides
    meets: bool  # whether the token before is a bar too


def with_roles(tokens: list[Token], text: str) -> list[Token]:
    """The tokens with every bar told apart: of kind 'open', 'close', or still 'op' where it means or.

    Raises
    ------
    ParseError : the bars may be paired in two ways
    """
    if not any(_is_bar(t) for t in tokens):
        return tokens
    within = enclosing(tokens)
    truths = {within[i] for i, token in enumerate(tokens) if token.is_sign(*_TRUTHS)}
    truths -= {within[i] for i, t in enumerate(tokens) if t.is_sign(",")}  # of where(c, a, b)
    truths = {i for i, t in enumerate(tokens) if t.text in ("(", ")") and (i if t.text == "(" else within[i]) in truths}
    segments: dict[tuple[int, int], list[int]] = {}  # by their bracket and how many parts of it are before
    parts: Counter[int] = Counter()
    for i, bracket in enumerate(within):
        parts[bracket] += _breaks(tokens, i)
        if _is_bar(tokens[i]):
            segments.setdefault((bracket, parts[bracket]), []).append(i)
    roles: dict[int, str] = {}
    for segment in segments.values():
        _decide(segment, tokens, text, truths, roles)
    kinds = {_OPEN: "open", _CLOSE: "close"}
    return [t._replace(kind=kinds.get(roles[i], "op")) if i in roles else t for i, t in enumerate(tokens)]


def _is_bar(token: Token) -> bool:
    return token.is_sign(*BARS)


def _breaks(tokens: list[Token], i: int) -> bool:
    """Whether a token separates parts of a text: bars do not reach beyond."""
    token = tokens[i]
    if token.kind == "name":
        return is_where(tokens, i) or (token.text == "and" and tokens[i + 1].text != "(")
    return token.is_sign(*_BREAKS)


def _decide(segment: list[int], tokens: list[Token], text: str, truths: set[int], roles: dict[int, str]) -> None:
    """Pair the bars of one part of the text."""
    bars: list[_Bar] = []
    for i in segment:
        if _means_or(tokens, i, text, truths):
            roles[i] = "or"
        else:
            bars.append(_bar(tokens, i, text))
    if not bars:
        return
    first, last = tokens[bars[0].at], tokens[bars[-1].at]

    def problem(what: str, next_step: str) -> ParseError:
        return ParseError(what, text, first.start, last.end, next_step)

    ways, found = _pairings(bars, [b.roles for b in bars])
    if ways > 1:
        ways, found = _pairings(bars, [b.spaced for b in bars])
        if ways != 1:
            step = "Write abs(x) and norm(x), or brackets between the factors."
            raise problem("the bars may be paired in two ways", step)
    if ways == 1:
        roles.update(zip((b.at for b in bars), found, strict=True))
        return
    if any(b.meets for b in bars):
        raise problem("these bars do not pair", "Write ‖x‖ or norm(x) for a norm, | for or.")
    for b in bars:  # the parser says what is missing
        roles[b.at] = b.roles[0] if b.roles else "or"


def _means_or(tokens: list[Token], i: int, text: str, truths: set[int]) -> bool:
    """Whether a bar stands between conditions, or apart from both its neighbours like a sign between operands."""
    token, before, after = tokens[i], tokens[i - 1], tokens[i + 1]
    if token.text != "|" or i == 0 or not ends_operand(before):
        return False
    between = (before.text == ")" and i - 1 in truths) or (after.text == "(" and i + 1 in truths)
    if between or after.is_sign(*"~¬"):
        return True
    apart = before.end < token.start and token.end < after.start
    return apart and _starts(after) and after.text not in ("-", "+")


def _bar(tokens: list[Token], i: int, text: str) -> _Bar:
    token, before, after = tokens[i], tokens[i - 1] if i else None, tokens[i + 1]
    meets = before is not None and _is_bar(before)
    opens = _starts(after) or _is_bar(after)
    closes = before is not None and (ends_operand(before) or meets)
    roles = _OPEN * opens + _CLOSE * closes
    blank_before = before is None or before.end < token.start
    blank_after = token.end < after.start or after.kind == "end"
    spaced = roles
    if blank_before != blank_after and len(roles) > 1:
        spaced = _OPEN if blank_before else _CLOSE
    return _Bar(i, token.text, roles, spaced, meets)


def _starts(token: Token) -> bool:
    return starts_operand(token) or token.is_sign("+")


TEXT_BARS = bound(60)
"""Ways to read bars as open or closed that are kept in mind."""


def _pairings(bars: list[_Bar], allowed: list[str]) -> tuple[int, str]:
    """In how many ways the bars pair (2 for more than one), and the roles of one of them."""
    slack = _slack(allowed)
    states: dict[tuple[str, str], tuple[int, str]] = {("", ""): (1, "")}  # open bars, last role -> ways, roles
    for k, (bar, roles) in enumerate(zip(bars, allowed, strict=True)):
        following: dict[tuple[str, str], tuple[int, str]] = {}
        for (stack, last), (ways, said) in states.items():
            for role in roles:
                after = _after(stack, last if bar.meets else "", bar.sign, role)
                if after is None or len(after[0]) > slack[k + 1]:
                    continue
                before, _ = following.get(after, (0, ""))
                following[after] = (min(before + ways, 2), said + role)
        if len(following) > TEXT_BARS:
            return 2, ""
        states = following
    ends = [found for (stack, _), found in states.items() if not stack]
    return min(sum(ways for ways, _ in ends), 2), ends[0][1] if ends else ""


def _after(stack: str, last: str, sign: str, role: str) -> tuple[str, str] | None:
    """The open bars and the role after one more bar, ``last`` the role of one that it touches; None if it cannot be.

    A bar opened right behind an open one is a capital: ``||x||`` is not one absolute value inside another.
    """
    small, capital = ("a", "A") if sign == "|" else ("n", "N")
    if role == _OPEN:
        return stack + (capital if last == _OPEN and stack[-1].lower() == small else small), role
    if stack[-1:].lower() != small or last in (_OPEN, capital):
        return None
    return stack[:-1], capital if stack[-1] == capital else role


def _slack(allowed: list[str]) -> list[int]:
    """How many bars may be open before each place so that those behind it can still close them."""
    slack = [0]
    for roles in reversed(allowed):
        slack.append(max(0, slack[-1] + (1 if _CLOSE in roles else -1)))
    return slack[::-1]


# ---------------------------------------------------------------------------------------------------------- alphabet


GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma",
    "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta",
    "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi",
    "Ω": "Omega", "ħ": "hbar", "ℓ": "ell",
}  # fmt: skip

SPELLED_LETTERS = {word: letter for letter, word in GREEK.items()} | {"lam": "λ", "lamda": "λ", "eps": "ε"}
"""Names that are Greek letters."""

ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "dot": "\u0307", "ddot": "\u0308"}
"""Last words of names that stand above the letter before; LaTeX calls them the same."""
