"""Words of a text: what a name means that nobody declared, names as they are printed, and products like ``Ax``.

The idea to hold: a name that is declared, defined or known stays as it is; what a word is otherwise follows from its
letters, and where that leaves two readings the text is refused.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Collection, Mapping

from ..show._shown_names import in_unicode
from ..syntax import GREEK, ParseError, Token, enclosing, places_of_letters
from ._dialect import is_printed
from ._known_functions import known
from ._literals import CONSTANTS

SCALAR_LETTERS = frozenset("αγδεηκλμνρστω")
SCALAR_WORDS = frozenset({GREEK[c] for c in SCALAR_LETTERS} | {"eps", "lam", "lamda"})
"""Greek letters that are numbers. The others (beta, theta, xi…) are as often vectors, and follow their case."""

GREEK_WORDS = SCALAR_WORDS.union(GREEK.values())

COUNTS = frozenset({"m", "n", "N"})
"""Undeclared, these count something: they are numbers, not a vector or a matrix."""


def is_greek_word(word: str) -> bool:
    return word.lower() in GREEK_WORDS


def rank_by_letter(name: str) -> int:
    """The rank of an undeclared name: 2 for a capital, 0 for `SCALAR_LETTERS` and `COUNTS`, else 1."""
    stem = name.rstrip("0123456789_")
    if stem in SCALAR_LETTERS or stem in SCALAR_WORDS or name in COUNTS:
        return 0
    first = name.lstrip("_")[:1]
    return 2 if unicodedata.category(first or "a") == "Lu" else 1


def is_name(text: str) -> bool:
    """Whether a text may be the name of a symbol: an identifier that Python does not keep for itself."""
    return text.isidentifier() and not keyword.iskeyword(text)


DIGITS = str.maketrans("₋₀₁₂₃₄₅₆₇₈₉", "-0123456789")


def as_declared(
    tokens: list[Token], declared: Mapping[str, Collection[object]], names: set[str], spelled: Mapping[str, str]
) -> list[Token]:
    """The tokens with names as they were declared or defined; other digits below a name that has as many axes are an
    index.

    ``names`` : all that were, and ``spelled`` the same by how they are shown
    """
    out: list[Token] = []
    for token in tokens:
        if token.kind != "name" or token.text in names:
            out.append(token)
            continue
        name, below = _apart(token.text)
        name = name if name in names else spelled.get(name, name)
        axes = len(declared[name]) if name in declared else rank_by_letter(name)
        if not below:
            out.append(token._replace(text=name))
            continue
        digits = re.findall("-?[0-9]", below)
        if token.text in spelled or (len(digits) != axes and axes != 1 and "-" not in below):
            out.append(token._replace(text=spelled.get(token.text, f"{name}_{below}")))
        else:
            signs = re.findall("[0-9]+|.", below if axes == 1 else ",".join(digits))
            place = [Token("number" if c.isdigit() else "op", c, token.end - 1, token.end) for c in signs]
            brackets = [token._replace(kind="op", text=c, start=token.end - 1) for c in "[]"]
            out += [token._replace(text=name), brackets[0], *place, brackets[1]]
    return out


def refuse_missed(tokens: list[Token], text: str, declared: Collection[str], defined: set[str]) -> None:
    """Refuse ``x₁`` where ``x1`` was declared and occurs nowhere: it may be that, or an entry of x.

    Raises
    ------
    ParseError : there is such a name
    """
    written = {t.text for t in tokens if t.kind == "name"}
    spelled = set(map(in_unicode, defined.union(declared)))
    for token in tokens:
        name = "".join(_apart(token.text)) if token.kind == "name" else token.text
        if name != token.text and name in declared and name not in written and token.text not in spelled:
            what = f"'{token.text}' is an entry or another name, and '{name}' was declared but does not occur"
            step = rf"Write {name}, in LaTeX \mathrm{{{name}}}, for that symbol; else do not declare it."
            raise ParseError.at(what, text, token, step)


def _apart(name: str) -> tuple[str, str]:
    """A name, and the digits below it."""
    stem, below = _ended(name)
    return stem, below.translate(DIGITS)


def _ended(name: str) -> tuple[str, str]:
    """A name, and the digits below it as they are written."""
    stem = name.rstrip("₋₀₁₂₃₄₅₆₇₈₉")
    return stem, name[len(stem) :]


def _letters(word: str) -> list[str]:
    """The letters of a word, each with the accents above it."""
    return re.findall(r".[\u0300-\u036f]*", word)


class WordSplitter:
    """Splits words like ``Ax`` into letters where matrix notation means a product.

    A word stays whole if it is known (declared, defined after 'where', a function, a Greek letter's name). It is split
    if all its letters are known, or if the text is as symgrad prints it and the word looks like it: it has a capital
    among two to four letters, or two letters of which one stands alone elsewhere, or is transposed; or if there is one
    way to make it up of names that are known, as ax0 of a and x0.
    """

    def __init__(self, tokens: list[Token], text: str, known: set[str], latex: bool = False) -> None:
        letters = places_of_letters(tokens)
        delta = any(tokens[i - 2].text.endswith("δ") for i in letters)
        self.text, self.known = text, known | {"I", "δ"} if delta else known | {"I"}
        self.latex = latex  # where letters side by side look like a product, and words are upright
        self.printed = latex or is_printed(tokens, text)
        alone = {i for i, t in enumerate(tokens) if t.kind == "name" and len(t.text) == 1}
        self.alone = {tokens[i].text for i in alone - letters}

    def __call__(self, tokens: list[Token]) -> list[Token]:
        """The tokens with words split."""
        out: list[Token] = []
        calls = _keyword_places(tokens) | places_of_letters(tokens)
        for i, token in enumerate(tokens):
            if i in calls or self._stays(tokens, i):
                out.append(token)
            elif parts := self._parts(tokens, i):
                at = token.start
                for part in parts:
                    out.append(Token("name", part, at, at + len(part)))
                    at += len(part)
            else:
                self._refuse_ambiguous(token, tokens[i + 1])
                out.append(token)
        return out

    def _parts(self, tokens: list[Token], i: int) -> list[str]:
        """The names that a word is a product of, if it is one."""
        token, (word, below) = tokens[i], _ended(tokens[i].text)
        letters = _letters(word)
        if self.known.issuperset(letters) or (
            word.isalpha() and self.printed and self._is_product(word, tokens[i + 1])
        ):  # fmt: skip
            return [*letters[:-1], letters[-1] + below]  # tx₁ is t·x₁
        ways = _spellings(token.text, self.known)
        if len(ways) > 1:
            names = " or ".join("·".join(way) for way in ways)
            raise ParseError.at(f"'{token.text}' may be {names}", self.text, token, "Write * between them.")
        return ways[0] if ways else []

    def _stays(self, tokens: list[Token], i: int) -> bool:
        token = tokens[i]
        word = token.text
        stem, below = _ended(word)
        if below and (len(_letters(stem)) == 1 or stem in self.known):  # an entry, or a name with a number
            return True
        return (
            token.kind != "name" or len(word) == 1 or word in self.known or (is_greek_word(word) and not self.latex)
            or (i > 0 and tokens[i - 1].text == ".") or word in ("where", "and", "True", "False", "None")
            or (word in known(matrix=True) and not (set(word) <= self.known and tokens[i + 1].text != "("))
            or len(word) != token.end - token.start
        )  # fmt: skip

    def _is_product(self, word: str, after: Token) -> bool:
        outer = len(word) == 2 and after.kind == "sup" and after.text == "T"  # xyᵀ
        return outer or _looks_like_product(word, self.alone | self.known)

    def _refuse_ambiguous(self, token: Token, after: Token) -> None:
        word, below = _ended(token.text)
        if self.latex and not word[-1].isdigit():
            step = rf"Write {' '.join(word)} for the product, \mathrm{{{word}}} for a name."
            raise ParseError.at(f"'{word}' may be one name or a product of letters", self.text, token, step)
        if len(word) != 2 or not word.isalpha() or after.text == "(" or not (self.printed or set(word) & self.alone):
            return
        step = f"Write {word[0]}*{word[1]}{below} for the product, or declare the name: {word}=(…)."
        what = f"'{word}{below}' may be one name or the product {word[0]}·{word[1]}{below}"
        raise ParseError.at(what, self.text, token, step)


def products_in(tokens: list[Token], declared: Collection[str]) -> list[Token]:
    """The words that are products by what was declared: ``XY``, ``kI`` and ``Bx₁`` are made of such names and are
    nothing themselves, and ``B(x + y)`` is no call of an array."""
    named = _keyword_places(tokens)
    spelled = {*declared, *map(in_unicode, declared)}
    taken = known(True).union(CONSTANTS, spelled, {tokens[i].text for i in named})
    return [
        t
        for i, t in enumerate(tokens[:-1])
        if t.kind == "name" and (not i or tokens[i - 1].text != ".")
        and ((tokens[i + 1].text == "(" and t.text in spelled and (len(t.text) == 1 or t.text not in known(True)))
             or (taken.isdisjoint((t.text, _ended(t.text)[0])) and _is_made_of(t.text, spelled)))
    ]  # fmt: skip


def _is_made_of(word: str, names: Collection[str]) -> bool:
    """Whether a word is names side by side, I among them, perhaps with digits below the last."""
    stem = _ended(word)[0]
    letters = _letters(stem)
    if is_greek_word(stem) or not is_name(stem) or len(letters) == 1 or set(letters) == {"I"}:
        return False
    some = {*names, "I"}
    return some.issuperset(letters) or any(set(way) != {"I"} for way in _spellings(word, some))


def _spellings(word: str, names: Collection[str]) -> list[list[str]]:
    """Up to two ways to write a word as names side by side, ``ax0`` where a and x0 are among them."""
    ways: list[list[list[str]]] = [[[]]]
    for end in range(1, len(word) + 1):
        starts = [k for k in range(end) if ways[k] and word[k:end] in names]
        ways.append([[*way, word[k:end]] for k in starts for way in ways[k]][:2])
    return ways[-1]


def _keyword_places(tokens: list[Token]) -> set[int]:
    """The places of names before a ``=`` that does not compare: definitions, and arguments of functions."""
    found: set[int] = set()
    for i, bracket in enumerate(enclosing(tokens)[:-1]):
        after, caller = tokens[i + 1], tokens[bracket - 1] if bracket > 0 else None
        of_call = (
            caller is not None and tokens[bracket].text == "(" and caller.kind == "name" and caller.text != "where"
        )
        if tokens[i].kind == "name" and after.kind == "op" and after.text == "=" and (bracket < 0 or of_call):
            found.add(i)
    return found


def _looks_like_product(word: str, letters: set[str]) -> bool:
    """Whether a word of what symgrad prints, where longer names stand apart, is a product of letters."""
    if (len(set(word)) < len(word) and not word.islower()) or not (word.isascii() or SCALAR_LETTERS.isdisjoint(word)):
        return True  # AXBX, λx
    if len(word) > 4 or (len(word) > 2 and word[1:].islower() and not letters & set(word)):
        return word.isupper()  # and not Loss, Net
    return not word.islower() or (len(word) == 2 and (bool(letters & set(word)) or word[0] == word[1]))
