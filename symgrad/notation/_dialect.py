"""Which notation a text is written in: NumPy's, or that of matrices on paper; and what ``*`` is there.

The idea to hold: signs decide, never a guess about the writer. ``'``, ``.*``, ``./``, ``.^``, ``^`` and what symgrad
prints (``Aᵀ``, ``x²``, ``⊙``, ``‖x‖``) exist on paper only, ``**`` in NumPy only; a text with both is refused. On paper
``*`` and juxtaposition are the matrix product, in NumPy ``*`` is entry by entry; a text whose signs do not tell which
it is, as ``norm(A*x - b)``, is read in both ways (`_two_readings`).
"""

from __future__ import annotations

from typing import NamedTuple

from ..syntax import BRACKETS, ParseError, Token, is_where, places_of_letters
from ._default_names import SCALAR_LETTERS, is_greek_word
from ._known_functions import known

_PAPER = frozenset({"'", ".*", "./", ".^", "^", "^∘", "⊙", "⊗", "‖", "⟨", "⌊"})
_PRINTED = frozenset({"^∘", "⊙", "⊗", "‖", "⟨", "⌊", "·", "√", "∧", "∨", "⊕", "¬"})
_NUMPY = frozenset({"**", "*", "@"})
_TYPED = frozenset({"'", "*", ".*", "./", ".^", "@"})
_PRODUCTS = frozenset({"'", ".*", "./", ".^", "⊙", ";"})
_ENTRYWISE = {".*": "*", "./": "/"}


class Notation(NamedTuple):
    """How a text is read.

    Attributes
    ----------
    paper : whether the signs are those of paper: side by side is a product, ^ is a power, ' transposes
    matrix : whether vectors are columns and * is the matrix product
    settled : whether that was said, or the signs leave no other reading
    """

    paper: bool
    matrix: bool
    settled: bool


def notation_of(tokens: list[Token], text: str, dialect: str | None) -> Notation:
    """The notation of a text; ``dialect`` is what the caller asked for.

    Raises
    ------
    ParseError : the text mixes the notations, or is not in the one that was asked for
    """
    paper = [t for i, t in enumerate(tokens) if _is_paper(tokens, i)]
    signs = {t.text for t in tokens if _is_sign(t)}
    algebra = not signs.isdisjoint(_PRODUCTS) or any(_transposes(tokens, i) for i in range(len(tokens)))
    power = next((t for t in tokens if t.text == "**" and t.kind == "op"), None)
    if dialect is None:
        if paper and power is not None:
            what = f"{_quoted(paper[0], text)} is matrix notation and '**' is NumPy's, so '*' may mean either product"
            step = "Write ^ (or .^ entry by entry) for the power, or .T for the transpose."
            raise ParseError.at(what, text, power, step)
        matrix = bool(paper) or (_is_printed(tokens, text) and signs.isdisjoint(_NUMPY))
        settled = not matrix if "@" in signs else matrix and algebra
        return Notation(matrix, matrix, settled or "*" not in signs)
    if dialect == "matrix" and power is not None:
        raise ParseError.at("'**' is not a power of matrix notation", text, power, "Write ^, or .^ entry by entry.")
    if dialect == "numpy" and paper:
        what = f'{_quoted(paper[0], text)} is matrix notation, and dialect="numpy" was asked for'
        step = 'Write .T, * and ** as in NumPy, or leave dialect="numpy" out.'
        raise ParseError.at(what, text, paper[0], step)
    return Notation(dialect == "matrix", dialect == "matrix", True)


def _transposes(tokens: list[Token], i: int) -> bool:
    """Whether a token transposes as on paper, where ``*`` is the product of matrices."""
    token = tokens[i]
    return token.text in ("T", "-T") if token.kind == "sup" else token.text == "^" and tokens[i + 1].text == "T"


def _is_printed(tokens: list[Token], text: str) -> bool:
    """Whether a text has a sign, or things side by side, as symgrad prints them."""
    return any(
        t.kind == "sup" or (t.text == "-" and text[t.start] == "−") or (_is_sign(t) and t.text in _PRINTED)
        or (t.kind == "sum" and text[t.start] != "s")
        or _beside(tokens, i) for i, t in enumerate(tokens)
    )  # fmt: skip


def only_printed(tokens: list[Token], text: str) -> bool:
    """Whether a text is as symgrad prints it: no sign in it is that of a matrix language."""
    return _is_printed(tokens, text) and not any(t.kind == "op" and t.text in _TYPED for t in tokens)


def _is_sign(token: Token) -> bool:
    return token.kind in ("op", "open", "close")


def _is_paper(tokens: list[Token], i: int) -> bool:
    token = tokens[i]
    if token.kind == "sup" or (token.kind == "name" and token.text == "𝟏"):
        return True
    if not _is_sign(token) or token.text not in _PAPER:
        return False
    # 2.*x is in NumPy 2.0*x: a point after a digit proves nothing
    before = tokens[i - 1] if i else None
    behind_digit = before is not None and before.kind == "number" and before.end == token.start
    return not (token.text in _ENTRYWISE and behind_digit)


def as_numpy(tokens: list[Token]) -> list[Token]:
    """The tokens of ``2.*x`` as NumPy reads them."""
    return [t._replace(text=_ENTRYWISE[t.text]) if t.kind == "op" and t.text in _ENTRYWISE else t for t in tokens]


def _beside(tokens: list[Token], i: int) -> bool:
    """Whether two things that are multiplied on paper stand side by side: ``2x``, ``x y``, ``0.5|x|``, ``1[x > 0]``."""
    a, b = tokens[i], tokens[i + 1] if i + 1 < len(tokens) else None
    if b is None or is_where(tokens, i) or is_where(tokens, i + 1) or b.text == "and":
        return False
    if a.kind == "number" and a.text == "1" and b.text == "[" and a.end == b.start:
        return True
    if b.kind in ("open", "sum"):
        return a.kind in ("number", "name", "close") or (a.kind == "op" and a.text in ")]")
    return b.kind == "name" and a.kind in ("number", "name", "close")


def _quoted(token: Token, text: str) -> str:
    return f"'{text[token.start : token.end]}'" if token.text != "'" else "the transpose '"


class WordSplitter:
    """Splits words like ``Ax`` into letters where matrix notation means a product.

    A word stays whole if it is known (declared, defined after 'where', a function, a Greek letter's name). It is split
    if all its letters are known, or if the text is as symgrad prints it and the word looks like it: it has a capital
    among two to four letters, or two letters of which one stands alone elsewhere, or is transposed; or if there is one
    way to make it up of names that are known, as ax0 of a and x0.
    """

    def __init__(self, tokens: list[Token], text: str, known: set[str]) -> None:
        letters = places_of_letters(tokens)
        delta = any(tokens[i - 2].text.endswith("δ") for i in letters)
        self.text, self.known = text, known | {"I", "δ"} if delta else known | {"I"}
        self.printed = _is_printed(tokens, text)
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
        token, word = tokens[i], tokens[i].text
        if set(word) <= self.known or (
            word.isalpha() and self.printed and self._is_product(word, tokens[i + 1])
        ):  # fmt: skip
            return list(word)
        ways = self._spellings(word)
        if len(ways) > 1:
            names = " or ".join("·".join(way) for way in ways)
            raise ParseError.at(f"'{word}' may be {names}", self.text, token, "Write * between them.")
        return ways[0] if ways else []

    def _spellings(self, word: str) -> list[list[str]]:
        """Up to two ways to write a word as known names side by side, ``ax0`` where a and x0 are known."""
        ways: list[list[list[str]]] = [[[]]]
        for end in range(1, len(word) + 1):
            starts = [k for k in range(end) if ways[k] and word[k:end] in self.known]
            ways.append([[*way, word[k:end]] for k in starts for way in ways[k]][:2])
        return ways[-1]

    def _stays(self, tokens: list[Token], i: int) -> bool:
        token = tokens[i]
        word = token.text
        return (
            token.kind != "name" or len(word) == 1 or word in self.known or is_greek_word(word)
            or (i > 0 and tokens[i - 1].text == ".") or word in ("where", "and", "True", "False", "None")
            or (word in known(matrix=True) and not (set(word) <= self.known and tokens[i + 1].text != "("))
            or len(word) != token.end - token.start
        )  # fmt: skip

    def _is_product(self, word: str, after: Token) -> bool:
        outer = len(word) == 2 and after.kind == "sup" and after.text == "T"  # xyᵀ
        return outer or _looks_like_product(word, self.alone | self.known)

    def _refuse_ambiguous(self, token: Token, after: Token) -> None:
        word = token.text
        if len(word) != 2 or not word.isalpha() or after.text == "(" or not (self.printed or set(word) & self.alone):
            return
        step = f"Write {word[0]}*{word[1]} for the product, or declare the name: {word}=(…)."
        raise ParseError.at(f"'{word}' may be one name or the product {word[0]}·{word[1]}", self.text, token, step)


def _keyword_places(tokens: list[Token]) -> set[int]:
    """The places of names before a ``=`` that does not compare: definitions, and arguments of functions."""
    found: set[int] = set()
    inside: list[bool] = []  # whether the brackets are those of a call with named arguments
    for i, token in enumerate(tokens[:-1]):
        if token.kind == "op" and token.text in BRACKETS:
            before = tokens[i - 1] if i else None
            inside.append(token.text == "(" and before is not None and before.kind == "name" and before.text != "where")
        elif token.kind == "op" and token.text in BRACKETS.values() and inside:
            inside.pop()
        after = tokens[i + 1]
        if token.kind == "name" and after.kind == "op" and after.text == "=" and (not inside or inside[-1]):
            found.add(i)
    return found


def _looks_like_product(word: str, letters: set[str]) -> bool:
    """Whether a word of what symgrad prints, where longer names stand apart, is a product of letters."""
    if (len(set(word)) < len(word) and not word.islower()) or not (word.isascii() or SCALAR_LETTERS.isdisjoint(word)):
        return True  # AXBX, λx
    if len(word) > 4 or (len(word) > 2 and word[1:].islower() and not letters & set(word)):
        return word.isupper()  # and not Loss, Net
    return not word.islower() or (len(word) == 2 and (bool(letters & set(word)) or word[0] == word[1]))
