"""Words of a text: its dialect, what an undeclared name means, products like ``Ax``, functions without brackets."""

from __future__ import annotations

import itertools
import keyword
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from .._limits import bound
from ..show.functions import LETTER_OF
from ..show.signs import in_unicode
from ..syntax import (
    ACCENTS,
    APPLIED,
    LARGE_SIGNS,
    MODULES,
    OF_EACH,
    SIGNS,
    SPELLED_LETTERS,
    SUM,
    WRITERS,
    ParseError,
    Token,
    enclosing,
    end_of_bracket,
    ends_logarithm,
    ends_operand,
    is_where,
    places_of_letters,
)
from ._known_functions import known
from ._shapes import CONSTANTS, LanguageMarks
from ._text_calls import BARE, BETWEEN, applied_in_two_ways, ends_argument, is_function

# ---------------- Which notation a text is written in: NumPy's, or that of matrices on paper; and what ``*`` is there

# The idea to hold: signs decide, never a guess about the writer. ``'``, ``.*``, ``./``, ``.^``, ``^`` and what symgrad
# prints (``Aᵀ``, ``x²``, ``⊙``, ``‖x‖``) exist on paper only, ``**`` in NumPy only; a text with both is refused. On
# paper ``*`` and juxtaposition are the matrix product, in NumPy ``*`` is entry by entry; a text whose signs do not tell
# which it is, as ``norm(A*x - b)``, is read in both ways (`settled`): one reading must be left, because only one fits
# together, or because both are the same formula. Else the text is refused.


_ENTRYWISE = {".*": "*", "./": "/"}
_OF_ARRAYS = ("@", "%*%")
"""Products of arrays, beside which ``*`` is entry by entry."""


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


def notation_of(tokens: list[Token], text: str, dialect: str | None, products: list[Token], julia: bool) -> Notation:
    """The notation of a text; ``dialect`` is what the caller asked for, ``products`` the words that are products by
    what was declared, as on paper, ``julia`` whether there are marks of Julia, whose ``*`` is that of matrices.

    Raises
    ------
    ParseError : the text mixes the notations, or is not in the one that was asked for
    """
    bare = [t for i, t in enumerate(tokens) if _is_bare(tokens, i, ())]
    paper = [t for i, t in enumerate(tokens) if _is_paper(tokens, i)] + bare
    if dialect is None:
        called = [i for i, t in enumerate(tokens[:-1]) if t.kind == "name" and tokens[i + 1].text == "("]
        within = enclosing(tokens) if called else []
        paper += [tokens[i] for i in called if _is_factor(tokens, i, within)]
        greek = [t for t in tokens if t.kind == "name" and not t.text.isascii()]
        paper += [t for t in greek if greek_product(digits_apart(t.text)[0])]
    signs = {t.text for t in tokens if _is_sign(t)}
    algebra = bool(bare) or julia or not signs.isdisjoint(WRITERS["a"])
    algebra = algebra or any(_transposes(tokens, i) for i in range(len(tokens)))
    power = next((t for t in tokens if t.is_sign("**")), None)
    if dialect is None:
        paper += products if signs.isdisjoint((*_OF_ARRAYS, "**")) else []
        if paper and power is not None:
            what = f"{_quoted(paper[0], text)} is matrix notation and '**' is NumPy's, so '*' may mean either product"
            step = "Write ^ (or .^ entry by entry) for the power, or .T for the transpose."
            raise ParseError.at(what, text, power, step)
        matrix = bool(paper) or julia or (is_printed(tokens, text) and signs.isdisjoint((*_OF_ARRAYS, "**")))
        settled = matrix and algebra if signs.isdisjoint(_OF_ARRAYS) else not matrix
        return Notation(matrix, matrix, settled or "*" not in signs)
    if dialect == "latex":
        return Notation(True, True, True)
    if dialect == "matrix" and power is not None:
        raise ParseError.at("'**' is not a power of matrix notation", text, power, "Write ^, or .^ entry by entry.")
    if dialect == "numpy" and paper:
        what = f'{_quoted(paper[0], text)} is matrix notation, and dialect="numpy" was asked for'
        step = 'Write .T, * and ** as in NumPy, or leave dialect="numpy" out.'
        raise ParseError.at(what, text, paper[0], step)
    return Notation(dialect == "matrix", dialect == "matrix", True)


_MARKS = frozenset({".*", "./", ".^", "'", "@", "**", "%*%"})


def marks_of(tokens: list[Token], text: str) -> LanguageMarks:
    """The marks of languages in a text that is neither printed by symgrad nor LaTeX."""
    signs = {t.text: text[t.start : t.end] for t in tokens if t.kind == "op" and t.text in _MARKS}
    each = [k for k, t in enumerate(tokens) if t.text in OF_EACH and tokens[k + 1].text == "("]
    julia = any(
        tokens[k + 2].text in known(True) and tokens[k + 3 : k + 4] and tokens[k + 3].is_sign(",") for k in each
    )
    julia = julia or any(t.kind == "op" and t.text in "(+-" and text[t.start] == "." for t in tokens)
    typed = not signs.keys().isdisjoint((".*", "./", ".^")) or signs.get("'") in ("'", ".'")
    numpy, r = not signs.keys().isdisjoint(("@", "**")), "%*%" in signs
    return LanguageMarks(typed and not (julia or r or numpy or is_printed_alone(tokens, text)), julia, r)


def is_printed_alone(tokens: list[Token], text: str) -> bool:
    """Whether a text has a sign that nobody types for a matrix language: ``‖x‖``, ``Aᵀ``, ``⊙``."""
    return any(
        t.kind == "sup" or t.text in ("‖", "⊙", "𝟏") or (t.kind == "sum" and text[t.start] != "s") for t in tokens
    )


def _transposes(tokens: list[Token], i: int) -> bool:
    """Whether a token transposes as on paper, where ``*`` is the product of matrices."""
    token = tokens[i]
    return token.text in ("T", "-T") if token.kind == "sup" else token.text == "^" and tokens[i + 1].text == "T"


def is_printed(tokens: list[Token], text: str) -> bool:
    """Whether a text has a sign, or things side by side, as symgrad prints them."""
    return any(
        t.kind == "sup" or (t.text == "-" and text[t.start] == "−") or (_is_sign(t) and t.text in WRITERS["u"])
        or (t.kind == "sum" and text[t.start] != "s") or (not t.text.isascii() and _is_accented(t))
        or is_where(tokens, i) or _beside(tokens, i) for i, t in enumerate(tokens)
    )  # fmt: skip


def only_printed(tokens: list[Token], text: str) -> bool:
    """Whether a text is as symgrad prints it: no sign in it is that of a matrix language."""
    return is_printed(tokens, text) and not any(t.is_sign(*WRITERS["t"]) for t in tokens)


def _is_sign(token: Token) -> bool:
    return token.kind in ("op", "open", "close")


def _is_paper(tokens: list[Token], i: int) -> bool:
    token = tokens[i]
    if token.kind == "sup" or (token.kind == "name" and token.text == "𝟏"):
        return True
    if token.kind == "name" and tokens[i - 1].kind == "name" and token.end - token.start > len(token.text) + 1:
        return True  # k[S]
    if not _is_sign(token) or token.text not in WRITERS["p"]:
        return False
    # 2.*x is in NumPy 2.0*x: a point after a digit proves nothing
    before = tokens[i - 1] if i else None
    behind_digit = before is not None and before.kind == "number" and before.end == token.start
    return not (token.text in _ENTRYWISE and behind_digit)


_OF_FUNCTIONS = frozenset("fgpquvwyφψΦΨ")
"""Small letters before a bracket that are as often a function's."""


def _is_factor(tokens: list[Token], i: int, within: list[int]) -> bool:
    """Whether a letter stands before a sum in brackets, ``k(T - T_s)``, ``n(n + 1)``, ``C(1 - x)``: papers mean the
    product; a capital before other sums may be a function's."""
    token, letter = tokens[i], tokens[i].text.partition("_")[0]
    if i and tokens[i - 1].text == ".":
        return False
    single = {t.text for t in tokens if t.kind == "name" and len(t.text) == 1}
    product = len(token.text) == 2 and token.text.isalpha() and not single.isdisjoint(token.text)  # rP(1 − P/K)
    numbered = letter[1:].isdigit() and tokens[i + 1].start > token.end  # b1 (1 − x)
    signs = [t for t, k in zip(tokens, within, strict=True) if k == i + 1]
    if (
        not (len(letter) == 1 or product or numbered or is_greek_word(token.text))
        or token.text in known(True)
        or (letter in _OF_FUNCTIONS and token.text not in {t.text for t in signs})  # p(1 − p)
    ):
        return False
    sums = any(t.is_sign("+", "-") for t in signs[1:]) and not any(t.is_sign(",", "=") for t in signs)
    return sums and (not letter.isupper() or begins_with_1(tokens, i + 1))


def begins_with_1(tokens: list[Token], opens: int) -> bool:
    """Whether a number and a sign of addition stand first in a bracket, ``(1 − x)``."""
    return tokens[opens + 1].kind == "number" and tokens[opens + 2].is_sign("+", "-")


def as_numpy(tokens: list[Token]) -> list[Token]:
    """The tokens of ``2.*x`` as NumPy reads them."""
    return [t._replace(text=_ENTRYWISE[t.text]) if t.is_sign(*_ENTRYWISE) else t for t in tokens]


def _beside(tokens: list[Token], i: int) -> bool:
    """Whether two things that are multiplied on paper stand side by side: ``2x``, ``x y``, ``f(x)(1 − p)``."""
    a, b = tokens[i], tokens[i + 1] if i + 1 < len(tokens) else None
    if b is None or not ends_operand(a) or a.text == "'" or not {a.text, b.text}.isdisjoint(BETWEEN):
        return False
    if is_where(tokens, i) or is_where(tokens, i + 1) or b.text == "and":
        return False
    if b.text == "[":
        return a.text == "1" and a.end == b.start  # 1[x > 0]
    return b.kind in ("name", "open", "sum") or (b.text == "(" and a.kind != "name")


def _quoted(token: Token, text: str) -> str:
    return f"'{text[token.start : token.end]}'" if token.text != "'" else "the transpose '"


# -------------------------------------------------------------------------------------------------------------------
# Words of a text: what a name means that nobody declared, names as they are printed, and products like ``Ax``

# The idea to hold: a name that is declared, defined or known stays as it is; what a word is otherwise follows from its
# letters, and where that leaves two readings the text is refused.


SCALAR_LETTERS = frozenset("αγδεηκλμνρστωħℓ")
SCALAR_WORDS = frozenset(word for word, letter in SPELLED_LETTERS.items() if letter in SCALAR_LETTERS)
"""Letters that are numbers, and their words. Other Greek ones (beta, theta, xi…) are as often vectors."""

COUNTS = frozenset({"m", "n", "N"})
"""Undeclared, these count something: they are numbers, not a vector or a matrix."""


def is_greek_word(word: str) -> bool:
    return word.lower() in SPELLED_LETTERS


def rank_by_letter(name: str) -> int:
    """The rank of an undeclared name: 2 for a capital, 0 for `SCALAR_LETTERS` and `COUNTS`, else 1."""
    stem = (name.partition("_")[0] or name).rstrip("0123456789_")  # σ_n is a σ
    if stem in SCALAR_LETTERS or stem in SCALAR_WORDS or name in COUNTS:
        return 0
    first = re.sub("^_*Δ?(?=.)", "", name)[:1]  # Δt is a t
    return 2 if unicodedata.category(first or "a") == "Lu" else 1


def differences(names: Collection[str]) -> int:
    """How many names are differences of a capital, as in ``ΔG = ΔH − T ΔS``."""
    return sum(name[0] == "Δ" and name[1:].isupper() for name in names)


def is_name(text: str) -> bool:
    """Whether a text may be the name of a symbol: an identifier that Python does not keep for itself."""
    return text.isidentifier() and not keyword.iskeyword(text)


_ACCENTS = frozenset(ACCENTS.values())
DIGITS = str.maketrans("₋₀₁₂₃₄₅₆₇₈₉", "-0123456789")


def as_declared(
    tokens: list[Token], text: str, declared: Mapping[str, Collection[object]], names: set[str],
    spelled: Mapping[str, str], whole: Collection[str], first: int | None,
) -> list[Token]:  # fmt: skip
    """The tokens with names as they were declared or defined, other digits below a name that has as many axes being an
    index. Below a name that nobody declared they are one if it stands elsewhere without them, else a part of the name.

    Parameters
    ----------
    names : all that were declared or defined, and ``spelled`` the same by how they are shown
    whole : the names that stand somewhere without digits below
    first : the number of the first entry, None if that is not said

    Raises
    ------
    ParseError : ``x_1`` beside ``x`` where it is not said whether entries are counted from 0 or from 1
    """
    out = list[Token]()
    indexed = {t.text for t, after in itertools.pairwise(tokens) if after.text == "["}
    indexed |= {
        stem for stem, below in (_stem_and_digits(t.text) for t in tokens if t.kind == "name") if below.strip("0")
    }
    for token in tokens:
        if token.kind != "name" or token.text in names:
            out.append(token)
            continue
        name, below = _stem_and_digits(token.text)
        name = name if name in names else spelled.get(in_unicode(name), name)
        axes = len(declared[name]) if name in declared else rank_by_letter(name)
        if not below:
            out.append(token._replace(text=name))
            continue
        digits = re.findall("-?[0-9]", below)
        label = name not in {*names, *whole} or (len(digits) != axes and axes != 1)
        label = label or (below == "0" and name not in {*names, *indexed})  # x₀, a point beside x
        if token.text in spelled or (label and "-" not in below):
            out.append(token._replace(text=spelled.get(token.text, f"{name}_{below}")))
        elif first is None and name not in names:
            what = f"'{token.text}' beside '{name}' may be another name, or an entry counted from 0 or from 1"
            raise ParseError.at(what, text, token, f'Declare {name}="n" for entries, counted from 0, or rename one.')
        else:
            signs = re.findall("[0-9]+|.", below if axes == 1 else ",".join(digits))
            if first and "0" in signs:
                raise ParseError.at(f"'{token.text}' is before the first entry, {name}{'₁' * axes}", text, token)
            signs = [str(int(c) - (first or 0)) if c.isdigit() and "-" not in below else c for c in signs]
            place = [Token("number" if c.isdigit() else "op", c, token.end - 1, token.end) for c in signs]
            brackets = [token._replace(kind="op", text=c, start=token.end - 1) for c in "[]"]
            out += [token._replace(text=name), brackets[0], *place, brackets[1]]
    return out


def refuse_missed(tokens: list[Token], text: str, declared: Collection[str], defined: set[str]) -> None:
    """Refuse ``x₁`` where ``x1`` was declared and occurs nowhere: it may be that, or an entry of x; and ``z_y`` beside
    ``Σⱼ exp(zⱼ)``, or ``z_1`` and ``z_γ``, which may be an entry of z, too.

    Raises
    ------
    ParseError : there is such a name
    """
    written = {t.text for t in tokens if t.kind == "name"}
    spelled = set(map(in_unicode, defined.union(declared)))
    for token in tokens:
        name = "".join(_stem_and_digits(token.text)) if token.kind == "name" else token.text
        if name != token.text and name in declared and name not in written and token.text not in spelled:
            what = f"'{token.text}' is an entry or another name, and '{name}' was declared but does not occur"
            step = rf"Write {name}, in LaTeX \mathrm{{{name}}}, for that symbol; else do not declare it."
            raise ParseError.at(what, text, token, step)
    places = places_of_letters(tokens)
    arrays = {tokens[k - 2].text for k in places}
    for token in tokens if places else ():
        name, _, below = token.text.rpartition("_") if token.kind == "name" else ("", "", "")
        upright = "\\" in text[token.start + len(name) : token.end]
        if (
            name in arrays
            and re.fullmatch("[a-zα-ω]|[0-9]+", below)
            and token.text not in {*declared, *defined}
            and not upright
        ):
            step = f"Declare it, {token.text}=(), for a number of its own; for an entry sum over y_k {name}_k."
            raise ParseError.at(f"'{token.text}' may be an entry of {name}, and a name", text, token, step)


def _stem_and_digits(name: str) -> tuple[str, str]:
    """A name, and the digits below it."""
    stem, below = digits_apart(name)
    return stem, below.translate(DIGITS)


def digits_apart(name: str) -> tuple[str, str]:
    """A name, and the digits below it as they are written."""
    stem = name.rstrip("₋₀₁₂₃₄₅₆₇₈₉")
    return stem, name[len(stem) :]


def as_names(token: Token, parts: Sequence[str]) -> list[Token]:
    """The names that a word is made of; none of no parts."""
    ends = [*itertools.accumulate(map(len, parts), initial=token.start)]
    return [Token("name", *place) for place in zip(parts, ends, ends[1:])]


def letters_of(word: str) -> list[str]:
    """The letters of a word, each with the accents above it."""
    return re.findall(r".[\u0300-\u036f]*", word)


LETTERS_SIDE_BY_SIDE = bound(4)
"""Letters, some with accents, that are a product and no word: ``mẋẍ``, and not Größe."""


_LABELLED = frozenset("σμρτεθδΔ")
"""Greek letters behind which others are as often a label, ``σx``, as a factor."""
RUNS = re.compile(r"[A-Za-z]+|[^A-Za-z]")


def greek_product(word: str) -> list[str]:
    """The factors of a word that is small Greek letters among others, ``πrh``, ``βSI``, ``cosθ``; none if it may be a
    name: of three Latin letters that are no function, of an index, of a letter that others label."""
    runs = RUNS.findall(word)
    greek = [run for run in runs if "α" <= run <= "ω" or run in "ℓħ"]
    if not greek or len(runs) < 2 or runs[0] in _LABELLED or not word.isalpha() or len(word) != len(letters_of(word)):
        return []
    found = list[str]()
    for run in runs:
        if not run.isascii():
            found.append(run)
        elif len(run) > 2 or (len(run) == 2 and run[0] == run[1]) or run in "ijk" or is_greek_word(run):
            return []
        else:
            found += run
    return found if len(set(found)) == len(found) else []


def _is_accented(token: Token) -> bool:
    """Whether a token is letters side by side, ``mẋ``, some with an accent of formulas: longer names have none."""
    if token.kind != "name" or token.text.isascii():
        return False
    letters = letters_of(digits_apart(token.text)[0])
    return 1 < len(letters) <= LETTERS_SIDE_BY_SIDE and not _ACCENTS.isdisjoint(
        unicodedata.normalize("NFD", token.text)
    )


def _are_factors_apart(one: Token, two: Token) -> bool:
    """Whether two tokens are names with a blank between them, as symgrad never prints them."""
    both = one.kind == two.kind == "name" and one.end < two.start and (one.text + two.text).isascii()
    return both and bool(_SHORT.fullmatch(two.text)) and not {one.text, one.text + two.text} & known(True)


_SHORT = re.compile("[A-Za-z]|[A-Z][a-z]")


def _has_starred(tokens: list[Token]) -> bool:
    """Whether two names are multiplied by a sign, ``R*T``, so that what stands together is one."""
    return any(a.kind == b.kind == "name" and s.text == "*" for a, s, b in zip(tokens, tokens[1:], tokens[2:]))


def _is_label(word: str, alone: Collection[str]) -> bool:
    """Whether a word is a capital with a small letter that may be its label, ``Ea``, where neither stands alone."""
    return re.fullmatch("[A-Z][a-t]", word) is not None and set(alone).isdisjoint(word)


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
        self.commands = latex and "\\" in text  # where Greek letters are commands
        self.latex = latex  # where letters side by side look like a product, and words are upright
        turned = [k for k, t in enumerate(tokens[:-2]) if t.text == "'" or _transposes(tokens, k)]
        primed = [tokens[k + 1 + (tokens[k].text == "^")] for k in turned]
        beside = any(t.kind in ("name", "open") or t.text == "(" for t in primed)  # x'Ay, x^T Ay
        self.printed = latex or is_printed(tokens, text) or beside
        alone = {i for i, t in enumerate(tokens) if t.kind == "name" and len(t.text) == 1}
        self.alone = {tokens[i].text for i in alone - letters}
        pairs = {t.text for t in tokens if t.kind == "name" and len(t.text) == 2 and t.text[0] in _LABELLED}
        heads = [word[0] for word in pairs]
        factors = [t for k, t in enumerate(tokens) if t.text != "T" or k - 1 not in turned]
        self.is_apart = any(_are_factors_apart(a, b) for a, b in itertools.pairwise(factors)) or _has_starred(tokens)
        self.is_glued = any(
            greek_product(digits_apart(t.text)[0]) for t in tokens if t.kind == "name" and not t.text.isascii()
        )
        self.labelled = {word for word in pairs if heads.count(word[0]) > 1}  # σx beside σy

    def __call__(self, tokens: list[Token]) -> list[Token]:
        """The tokens with words split."""
        out: list[Token] = []
        calls = _keyword_places(tokens) | places_of_letters(tokens)
        for i, token in enumerate(tokens):
            if i in calls or self._stays(tokens, i):
                out.append(token)
            elif parts := self._parts(tokens, i):
                out += as_names(token, parts)
            else:
                self._refuse_ambiguous(token, tokens[i + 1])
                out.append(token)
        return out

    def _parts(self, tokens: list[Token], i: int) -> list[str]:
        """The names that a word is a product of, if it is one."""
        token, (word, below) = tokens[i], digits_apart(tokens[i].text)
        difference = "" if "Δ" in self.alone | self.known else "Δ?"  # AΔx
        letters = re.findall(rf"{difference}.[\u0300-\u036f]*", word)
        if factors := greek_product(word):
            return [*factors[:-1], factors[-1] + below]
        if self.printed and word[1:2] == "_" and len(word) == 4 and word[3].isupper() and word[3] in self.alone:
            return [word[:3], word[3] + below]  # WᵀS_bW
        after = tokens[i + 1]
        called = len(word) == 2 and after.text == "(" and not self.alone.isdisjoint(word)  # rP(1 − P/K)
        above = tokens[i + 2].text if after.is_sign("^") else after.text
        turned = word.isupper() and len(letters) <= LETTERS_SIDE_BY_SIDE and above in ("'", "T")  # UΣV'
        glued = self.is_glued and re.fullmatch("[a-z]{2}", word)  # hc beside λkT
        product = called or turned or glued or (self.printed and self._is_product(word, after))
        product = product and word not in OPERATORS | self.labelled
        product = product and not (self.is_apart and re.fullmatch("[A-Z][a-z]", word))  # Ea beside R T
        product = self.known.issuperset(letters) or _is_accented(token) or (word.isalpha() and product)
        if product or (self.latex and len(letters) == 2 and word.isalpha() and word not in OPERATORS):
            return [*letters[:-1], letters[-1] + below]  # tx₁ is t·x₁
        ways = _spellings(token.text, self.known)
        if len(ways) > 1:
            names = " or ".join("·".join(way) for way in ways)
            raise ParseError.at(f"'{token.text}' may be {names}", self.text, token, "Write * between them.")
        return ways[0] if ways else []

    def _stays(self, tokens: list[Token], i: int) -> bool:
        token = tokens[i]
        word = token.text
        stem, below = digits_apart(word)
        if below and (len(letters_of(stem)) == 1 or stem in self.known):  # an entry, or a name with a number
            return True
        return (
            token.kind != "name" or len(word) == 1 or word in self.known or (is_greek_word(word) and not self.commands)
            or (self.latex and "_" in word) or (i > 0 and tokens[i - 1].text == ".")
            or (word in MODULES and tokens[i + 1].text == ".")
            or word in ("where", "with", "and", "if", "else", "otherwise", "True", "False", "None")
            or (word in known(matrix=True) and not self._is_no_function(word, tokens[i + 1]))
            or (word[0] == "Δ" and len(word) == 2 and "Δ" not in self.alone | self.known)  # Δx Δt
            or (len(word) != token.end - token.start and not _is_accented(token))
        )  # fmt: skip

    def _is_no_function(self, word: str, after: Token) -> bool:
        """Whether a function's name without brackets is letters side by side: m and v in ``mv²``."""
        return after.text != "(" and (set(word) <= self.known or (len(word) == 2 and word not in BARE))

    def _is_product(self, word: str, after: Token) -> bool:
        outer = len(word) == 2 and after.kind == "sup" and after.text == "T"  # xyᵀ
        return outer or _looks_like_product(word, self.alone | self.known)

    def _refuse_ambiguous(self, token: Token, after: Token) -> None:
        word, below = digits_apart(token.text)
        if self.latex and not word[-1].isdigit():
            step = rf"Write {' '.join(word)} for the product, \mathrm{{{word}}} for a name."
            raise ParseError.at(f"'{word}' may be one name or a product of letters", self.text, token, step)
        if len(word) != 2 or not word.isalpha() or after.text == "(":
            return
        odd = word[0] == word[1] or (word[0].isupper() and word[1].islower())
        beside = any(len(n) == 2 and n.isalpha() and n[0] == word[0] for n in self.known)  # wn beside wd
        if beside or (self.is_apart and not below and _is_label(word, self.alone)):  # Ea beside R T
            return
        if not (self.printed or set(word) & self.alone or odd):
            return
        step = f"Write {word[0]}*{word[1]}{below} for the product, or declare the name: {word}=(…)."
        what = f"'{word}{below}' may be one name or the product {word[0]}·{word[1]}{below}"
        raise ParseError.at(what, self.text, token, step)


def _name_or_product(token: Token, text: str, joined: str = "and", sign: str = "*") -> ParseError:
    """The error of a word that nobody declared, and that may be its letters side by side."""
    word = token.text
    step = f"Write {sign.join(word)} for the product, or declare the name: {word}=(…)."
    return ParseError.at(f"'{word}' may be one name {joined} the product {'·'.join(word)}", text, token, step)


def refuse_lumped(tokens: list[Token], text: str, names: Collection[str]) -> None:
    """Refuse ``Ax`` and ``ABC`` in a text without signs of NumPy's or of paper, where they may be products.

    Raises
    ------
    ParseError : there is such a word that nobody declared
    """
    alone, starred = {t.text for t in tokens if len(t.text) == 1}, _has_starred(tokens)
    for before, token, after in zip([tokens[0], *tokens], tokens, tokens[1:], strict=False):
        if token.kind != "name" or not re.fullmatch("[A-Z][a-z]|[A-Z]{2,4}", token.text):
            continue
        if starred and _is_label(token.text, alone):
            continue
        called = after.is_sign("(", "=", ".") or before.text == "."
        own = token.text in known(True) or is_greek_word(token.text) or any(n in token.text for n in names)
        if not called and not own:
            raise _name_or_product(token, text, "or", "@")


_RAISED_WORD = re.compile(r"(?<![a-zA-Z_.])[a-z]{2}\s*\^")
_OF_TIME = re.compile("[a-ce-z][tx]")
"""A coefficient and what varies: ``kt``, ``ax``, and not ``dt``."""


def arguments_of(head: str) -> set[str]:
    """The letters in the brackets of ``f(x, y)``; x, where the head is ``y``."""
    if head == "y":
        return {"x"}
    return {x for inside in re.findall(r"\(([^()]*)\)", head) for x in re.split(r"[\s,;|]+", inside)}


def with_coefficients(tokens: list[Token], text: str, names: set[str], head: str) -> list[Token]:
    """The tokens of plain text with words of two letters as products: ``ax^2 + bx``, where they end alike, or with a
    letter that stands alone; ``e^(-kt)`` and ``sin(ωt - kx)``; ``xe^x`` and ``xy``, where the ``head`` has a letter of
    them as an argument, ``f(x, y)``; and ``½mv²``: nothing prints ½.

    Raises
    ------
    ParseError : ``mc^2``, which may be a name
    """
    half = "½" in text
    short = [t for t in tokens if len(t.text) == 2 and t.kind == "name" and re.fullmatch("[A-Za-z][a-z]", t.text)]
    known_words = names if half else names | known(True)  # mv
    words = [t for t in short if t.text.isalpha() and t.text not in known_words and not is_greek_word(t.text)]
    if any(t.is_sign("@", "**") for t in tokens):
        return tokens
    if head or half or re.search("[a-z]{3}|[0-9]", text):
        tokens = _with_arguments(tokens, text, names, arguments_of(head), words if half else [])
    if not words:
        return tokens
    powers = zip(tokens, tokens[1:], tokens[2:], strict=False)
    of_e = {
        a.text for a, sign, b in powers if a.text[1:] == "e" and sign.is_sign("^") and b.kind != "number"
    }  # te^(-t)
    squared = {
        t.text for t, after in itertools.pairwise(tokens) if half and after.kind == "sup" and after.text.isdigit()
    }
    pairs = [(t, after) for t, after in itertools.pairwise(tokens) if t in words and t.text.islower()]
    raised = {t.text for t, after in pairs if after.is_sign("^")}
    above = raised | {t.text for t, after in pairs if after.kind == "sup" and after.text.isdigit()}
    raised = raised if _RAISED_WORD.search(text) else set()
    words = [t for t in words if t.text in squared or t.text not in known(True)]
    ends = {t.text[1] for t in words if t.text in above}
    alone = {t.text for t in tokens if t.kind == "name" and len(t.text) == 1}
    alike = {e for e in ends if e in alone or len({t.text for t in words if t.text[1] == e}) > 1}
    alike |= {t.text[1] for t in words if t.text in squared}
    arguments = arguments_of(head)
    apart = {t.text for t in words if t.text[1] in alike or not arguments.isdisjoint(t.text)}
    apart |= {t.text for t in _within_functions(tokens) if t in words and _OF_TIME.fullmatch(t.text)}
    apart |= {t.text for t in words if names.issuperset(t.text)} | of_e  # as such products are printed
    apart |= {t.text for t in words if alone.issuperset(t.text) and "*" not in text}  # x + y + xy
    apart -= {t.text for t in words if t.text[1] == "e" and not names.issuperset(t.text)} - of_e  # D_e, no product
    if asked := next((t for t in words if t.text in raised - apart), None):
        raise _name_or_product(asked, text)
    out = list[Token]()
    for token in tokens:
        out += as_names(token, token.text if token in words and token.text in apart else "") or [token]
    return out


def _with_arguments(
    tokens: list[Token], text: str, names: set[str], arguments: set[str], apart: list[Token]
) -> list[Token]:
    """The tokens with ``xyz`` and ``xye^x`` as products where the head has all the letters as arguments, or all stand
    alone elsewhere.

    Raises
    ------
    ParseError : an argument stands in such a word alone, ``axy``, or beside words that are products, ``mah + ½mv²``
    """
    within = {c for t in apart for c in t.text}
    numbered = re.compile(
        "|".join(sorted((x for x in arguments if re.fullmatch("[a-z]_?[0-9]+", x)), key=len)) or "(?!)"
    )
    out = list[Token]()
    alone = {t.text for t in tokens}
    factors = arguments | ({t for t in alone if re.fullmatch("[a-z]", t)} if "*" not in text else set())  # x y z + xyz
    for token, after in itertools.zip_longest(tokens, tokens[1:]):
        several = [] if token.kind != "name" or token.text in names | arguments else numbered.findall(token.text)
        if len(several) > 1 and "".join(several) == token.text:  # x1x2
            out += as_names(token, several)
            continue
        word = token.text if token.kind == "name" and re.fullmatch("[a-z]{3,}", token.text) else ""
        word = (
            "" if word in names | known(True) or is_greek_word(word) or len(word) != token.end - token.start else word
        )
        letters = set(word[:-1] if word[-1:] == "e" and after.is_sign("^") else word)
        beside = bool(within & letters) and len(word) == 3  # mgh beside ½mv²
        product = word and (letters <= factors or (beside and letters.isdisjoint("aeiou")))
        if word and not product and (letters & arguments - alone or beside):
            raise _name_or_product(token, text)
        out += as_names(token, word if product else "") or [token]
    return out


def _within_functions(tokens: list[Token]) -> Iterator[Token]:
    """What stands in brackets behind a function of numbers, or in an exponent of e, ``e^-kt``."""
    inside = set[int]()
    for k, (token, bracket) in enumerate(zip(tokens, enclosing(tokens), strict=True)):
        before = [t.text for t in tokens[max(bracket - 2, 0) : bracket]] if bracket > 0 else []
        just = [t.text for t in tokens[max(k - 3, 0) : k] if t.text not in "+-"][-2:]
        of_e = any(two[1:] == ["^"] and two[0][-1:] == "e" and len(two[0]) < 3 for two in (before, just))
        if bracket in inside or of_e or (before and before[-1] in APPLIED):
            inside.add(k)
            yield token


def refuse_transposes(tokens: list[Token], text: str, names: Collection[str]) -> None:
    """Refuse ``x^t A x`` and ``A^H``, which may be transposes, where t and H stand only so and nobody declared them.

    Raises
    ------
    ParseError : there is one
    """
    for letter in {"t", "H"}.difference(names):
        places = [k for k, t in enumerate(tokens) if t.kind == "name" and t.text == letter]
        above = [k for k in places if k > 1 and tokens[k - 1].is_sign("^")]
        before_a_factor = letter == "H" or all(tokens[k + 1].kind in ("name", "open") for k in above)
        if places and places == above and before_a_factor:
            step = f"Write x^T for the transpose, x^({letter}) for the power."
            raise ParseError.at(f"'^{letter}' may be a power and a transpose", text, tokens[places[0]], step)


def letters_alone(tokens: list[Token]) -> set[str]:
    """The letter t, if it stands without a bracket, too: then t(1 − t) is a product, and no transpose of R's."""
    places = [k for k, token in enumerate(tokens) if token.text == "t"]
    return {"t"} if any(tokens[k + 1].text != "(" for k in places) else set()


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
             or (taken.isdisjoint((t.text, digits_apart(t.text)[0])) and _is_made_of(t.text, spelled)))
    ]  # fmt: skip


def _is_made_of(word: str, names: Collection[str]) -> bool:
    """Whether a word is names side by side, I among them, perhaps with digits below the last."""
    stem = digits_apart(word)[0]
    letters = letters_of(stem)
    if is_greek_word(stem) or not is_name(stem) or len(letters) == 1 or set(letters) == {"I"}:
        return False
    return {*names, "I"}.issuperset(letters) or any(set(way) != {"I"} for way in _spellings(word, {*names, "I"}))


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
        if tokens[i].kind == "name" and after.is_sign("=") and (bracket < 0 or of_call):
            found.add(i)
    return found


def _looks_like_product(word: str, letters: set[str]) -> bool:
    """Whether a word of what symgrad prints, where longer names stand apart, is a product of letters."""
    if (len(set(word)) < len(word) and not word.islower()) or not (word.isascii() or SCALAR_LETTERS.isdisjoint(word)):
        return True  # AXBX, λx
    if len(word) > 4 or (len(word) > 2 and word[1:].islower() and not letters & set(word)):
        return word.isupper()  # and not Loss, Net
    return not word.islower() or (len(word) == 2 and (bool(letters & set(word)) or word[0] == word[1]))


# ---------------- Functions without brackets: ``log det(X)``, ``sin² x``; operators, of which nothing is known here


OPERATORS = frozenset({
    "lim", "limsup", "liminf", "sup", "arg", "argmin", "argmax", "grad", "rot", "curl", "Re", "Im", "Pr", "Var",
    "Cov", "Corr", "rank", "dim", "ker", "gcd", "lcm", "choose", "ctg", "cotan", "cosec",
    "tg", "lg", "sh", "ch", "th", "arccot", "arctg", "acot",
})  # fmt: skip
"""Words of which nothing is known here."""


def with_arguments(tokens: list[Token], names: Collection[str], text: str) -> list[Token]:
    """The tokens of paper with brackets around what a function without them is applied to, ``log det(X)``, ``sin² x``:
    one operand, perhaps with a number before it, which something must end.

    Raises
    ------
    ParseError : ``log x y``, which may be read in two ways
    """
    out, i = list(tokens), 0
    while i < len(out):
        apart = out[i].text in _TRACES and is_function(out[i], names) and out[i].end < out[i + 1].start
        if apart and out[i + 1].text == "(" and _is_matrix(out[end_of_bracket(out, i + 1) + 1]):
            raise applied_in_two_ways(out[i], text, ", or no blank before them")
        if _is_bare(out, i, names):
            raised = _power(out, i + 1)
            start, power = i + 1 + len(raised), [t._replace(start=out[i].end, end=out[i].end) for t in raised]
            end = _end_of_argument(out, start, names)
            while text[out[start - 1].end : out[start].start].isspace() and end > start and _touches(out, end):
                end = _end_of_argument(out, end, names)  # tr X'X
            traced = out[i].text in _TRACES
            while traced and end > start and _is_matrix(out[end]):
                end = _end_of_argument(out, end, names)  # tr A X' B X: of what is a number nobody takes a trace
            bracketed = out[start].text == "(" and end_of_bracket(out, start) + 1 == end
            ends = end > start and (bracketed or ends_argument(out, end, names))
            ends = ends and not (traced and _is_of_matrix(out, end, names))  # tr A log A
            if not (ends or (end == start + 1 and ends_logarithm(out[i].text, out[start], out[end]))):
                raise applied_in_two_ways(out[i]._replace(text=text[out[i].start : out[i].end]), text)
            if not bracketed:
                opens = Token("op", "(", out[start].start, out[start].start)
                closes = Token("op", ")", out[end - 1].end, out[end - 1].end)
                out[start:end] = [opens, *out[start:end], closes]
                end += 2
            out[i + 1 : end] = [*out[start:end], *power]
        i += 1
    return out


def _is_bare(tokens: list[Token], i: int, names: Collection[str]) -> bool:
    """Whether a token is a function whose argument stands without brackets, or behind a power of the function."""
    token, after = tokens[i], tokens[i + 1 + len(_power(tokens, i + 1))] if i + 1 < len(tokens) else tokens[i]
    if not is_function(token, names) or (i and tokens[i - 1].text == "."):
        return False
    return (
        after.kind in ("name", "number", "open", *LARGE_SIGNS)
        or after.is_sign("√")
        or (after is not tokens[i + 1] and after.text == "(")
    )


_TRACES = frozenset({"tr", "trace"})
_NUMBER_VALUED = frozenset({*_TRACES, "det", "logdet"})
"""Functions whose values are numbers."""


def _is_of_matrix(tokens: list[Token], i: int, names: Collection[str]) -> bool:
    """Whether a function whose value may be a matrix stands at a place."""
    logarithm = tokens[i].text in ("log", "ln")
    return is_function(tokens[i], names) and tokens[i + logarithm].text not in _NUMBER_VALUED


def _is_matrix(token: Token) -> bool:
    return token.kind == "name" and token.text not in known(True) and rank_by_letter(token.text) == 2


def _touches(tokens: list[Token], i: int) -> bool:
    """Whether a name stands right behind a name, ``ωt``, or its transpose or power; of ``log |x|y`` nobody knows."""
    before = tokens[i - 1]
    beside = tokens[i].kind == "name" and tokens[i].start == before.end and tokens[i + 1].text != "("
    return beside and before.kind != "close" and before.text not in (")", "]", "!")


def _power(tokens: list[Token], i: int) -> list[Token]:
    """The tokens of a whole power at a place: ``²``, ``^2``."""
    if i < len(tokens) and tokens[i].kind == "sup" and tokens[i].text.isdigit():
        return [tokens[i]]
    whole = i + 1 < len(tokens) and tokens[i].is_sign("^") and tokens[i + 1].text.isdigit()
    return tokens[i : i + 2] if whole else []


def _end_of_argument(tokens: list[Token], i: int, names: Collection[str]) -> int:
    """The place behind the operand that begins at one; the same place if none does."""
    pi = {"pi", "π"}.difference(names)
    while (tokens[i].kind == "number" or tokens[i].text in pi) and tokens[i + 1].kind in ("name", "open"):
        i += 1
    token = tokens[i]
    if is_function(token, names) and not (token.text in names or tokens[i + 1].text == "("):
        return _end_of_argument(tokens, i + 1 + len(_power(tokens, i + 1)), names)
    called = token.kind == "name" and token.text not in names and tokens[i + 1].text == "("
    is_known = token.text in known(True) or token.text in LETTER_OF.values()
    if token.kind in LARGE_SIGNS:  # log Σⱼ exp(xⱼ), as far as the sum goes
        return _end_of_sum(tokens, i + 1)
    if token.is_sign("√"):
        return _end_of_argument(tokens, i + 1, names)
    if token.text == "(":
        i = end_of_bracket(tokens, i)
    elif called and (is_known or token.end == tokens[i + 1].start):  # log σ(z), log det (A)
        end = end_of_bracket(tokens, i + 1)
        if not (is_known or end == i + 3):  # of log x(1 − x) nobody knows
            return i
        i = end
    elif token.kind == "open":
        depth, i = 1, i + 1
        while depth and i < len(tokens) - 1:
            depth += (tokens[i].kind == "open") - (tokens[i].kind == "close")
            i += 1
        i -= 1
    elif token.kind not in ("name", "number"):
        return i
    i += 1
    while True:
        if tokens[i].kind == "sup" or tokens[i].text == "'":
            i += 1
        elif tokens[i].text == "[":
            i = end_of_bracket(tokens, i) + 1
        elif tokens[i].is_sign("^", ".^") and tokens[i + 1].kind in ("name", "number"):
            i += 2
        elif tokens[i].is_sign("^", ".^") and tokens[i + 1].text == "(":
            i = end_of_bracket(tokens, i + 1) + 1
        elif tokens[i].text == "." and tokens[i + 1].text == "T":
            i += 2
        else:
            return i


def _end_of_sum(tokens: list[Token], i: int) -> int:
    """The place behind what is summed from one on: that of the next sign that binds no tighter, or of a bracket."""
    depth = 0
    while tokens[i].kind != "end" and not is_where(tokens, i):
        opens, closes = tokens[i].text in ("(", "["), tokens[i].text in (")", "]")
        sign = SIGNS.get(tokens[i].text) if tokens[i].kind == "op" else None
        if not depth and (closes or (sign and 0 < sign.binds <= SUM) or tokens[i].text in (",", ";", "=")):
            break
        depth += (opens or tokens[i].kind == "open") - (closes or tokens[i].kind == "close")
        i += 1
    return i
