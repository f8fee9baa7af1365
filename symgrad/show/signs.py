"""Signs of Unicode text: sums, products, powers and brackets of pieces; names of symbols; a row's own text."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from .. import _limits
from ..syntax import ACCENTS, SPELLED_LETTERS
from .functions import SPELLED
from .layout import LAST, Note, digits, fractured, inverted, is_divisor, is_negative, powers_of_ten, size

# --------------------- How the name of a symbol is shown: ``beta_0`` is β₀, ``x_hat`` is x̂, the entry ``x[0]`` is x₀

# The idea to hold: a name has a stem, perhaps an accent, what stands below it, and the place of an entry. Which names
# would be shown alike is asked of all of them at once (`Signs`): these are spelled as they are.


_BELOW = str.maketrans("0123456789tknml+-=", "₀₁₂₃₄₅₆₇₈₉ₜₖₙₘₗ₊₋₌")
_ACCENT_NAMES = {sign: accent for accent, sign in ACCENTS.items()}
_ABOVE_OR_BELOW = frozenset("₀₁₂₃₄₅₆₇₈₉ₜₖₙₘₗ₊₋" + "".join(ACCENTS.values()))


class Name(NamedTuple):
    """A name taken apart; ``stem`` is a Greek letter where it spells one."""

    stem: str
    accent: str
    below: list[str]
    place: list[str]


def taken_apart(text: str) -> Name:
    """The parts of a name: ``beta_hat_0[1, 2]`` is β, hat, below it 0, at 1 and 2; so are those of ``β̂_0[1, 2]``."""
    name, _, place = text.partition("[")
    stem, *below = name.split("_") if name.strip("_") == name else [name]
    letter, mark = (*unicodedata.normalize("NFD", stem), "")[:2] if not stem.isascii() else (stem, "")
    if mark in _ACCENT_NAMES and len(unicodedata.normalize("NFD", stem)) == 2:
        stem, below = letter, [_ACCENT_NAMES[mark], *below]
    accent = below.pop(0) if below and below[0] in ACCENTS else ""
    letters = stem.rstrip("0123456789")
    if letters in SPELLED_LETTERS and letters != stem:
        stem, below = letters, [stem[len(letters) :], *below]
    return Name(SPELLED_LETTERS.get(stem, stem), accent, below, place.rstrip("]").split(", ") if place else [])


@lru_cache(maxsize=_limits.SHOWN_NAMES)
def in_unicode(text: str) -> str:
    """A name with Greek letters, accents and digits below; π is the number, so that ``pi`` is spelled."""
    if text.startswith(LAST):  # the differential dβ of beta
        return text[:2] + in_unicode(text[2:])
    stem, accent, below, place = taken_apart(text)
    if (accent and len(stem) > 1) or stem == "π":
        name = text.partition("[")[0]
    elif all(part.isdigit() for part in below) and len(below) < 2:
        name = stem + (ACCENTS[accent] if accent else "") + "".join(below).translate(_BELOW)
    else:
        name = "_".join([stem + (ACCENTS[accent] if accent else ""), *below])
    name = unicodedata.normalize("NFC", name)  # ŷ is one letter
    return entry(name, place) if place else name


_STYLE = re.compile(r"\\(?:mathbf|boldsymbol|mathrm|mathit|bm|vec)\b|\\var(?=[a-z])|[\\{}$ ]")
_ACCENT = re.compile(rf"\\({'|'.join(ACCENTS)})\b *({{[^{{}}]*}}|\\?[^\W_]+)")


def called(name: str, names: Collection[str]) -> str:
    r"""Which of some names is meant by one: itself, else the only one that is shown alike, as ``sigma`` and ``\sigma``
    are σ, and ``\dot{x}`` is ẋ.

    So it is wherever a name is looked up: in a text, a derivative, values, a claim.
    """
    if name in names:
        return name
    if "\\" in name:
        name = _STYLE.sub("", _ACCENT.sub(r"\2_\1", name))
    alike = [other for other in names if in_unicode(other) == in_unicode(name)]
    return alike[0] if len(alike) == 1 else name


def entry(name: str, place: list[str]) -> str:
    """An entry of an array by its places, below the name where they are read off and nothing else stands there."""
    below = "".join(place).translate(_BELOW)
    if 1 in (len(place), max(map(len, place))) and _ABOVE_OR_BELOW.issuperset(below) and not name[-1].isdigit():
        return name + below
    return f"{name}[{', '.join(place)}]"


@lru_cache(maxsize=_limits.SHOWN_NAMES)
def is_letter(shown: str) -> bool:
    """Whether what is shown is one letter, but for what stands above and below it."""
    return len([c for c in shown if c not in _ABOVE_OR_BELOW]) == 1


# ----------------------------------------------- Signs of Unicode text: sums, products, powers and brackets of pieces

# The idea to hold: a `Piece` is text, how tightly it holds together, and whether its ends are words. Everything above
# puts pieces together by the methods here, which are where LaTeX and ASCII differ.


COMPARED, ADD, LARGE, MUL, CHAIN, POW, ATOM = -1, 0, 1, 2, 4, 6, 8
"""How tightly a text holds together, also as code: a < b, a + b, Σ a, a ⊙ b, AB, a², a."""

_CALLED = {"trace": "tr", "mean": "mean", "diag": "diag", "diagpart": "diag"}
"""Notes that are a function of their parts."""

INDEX_LETTERS = "ijklmnprstuvhoaxe"  # those that Unicode has as subscripts


class Piece:
    """Text, how tightly it holds together, and whether its ends are words that want a space."""

    __slots__ = ("divided", "left", "level", "right", "text")

    def __init__(self, text: str, level: int = ATOM, left: bool = False, right: bool = False) -> None:
        self.text: str = text
        self.level: int = level
        self.left: bool = left
        self.right: bool = right
        self.divided: bool = False  # whether it is a fraction, written on one line


_DIGITS = tuple("0123456789")
_LAST_LETTERS, _FIRST_LETTERS = re.compile(r"[a-z]+$"), re.compile(r"[a-z]+")
_LAST_WORD, _FIRST_WORD = re.compile(r"[A-Za-z]+$"), re.compile(r"[A-Za-z]+")
_FUNCTION = re.compile("|".join(SPELLED))
_BARS = ("‖", "|")
_SUPERSCRIPTS = str.maketrans("0123456789-+()n/", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺⁽⁾ⁿᐟ")
_SUBSCRIPTS = str.maketrans(INDEX_LETTERS + "0123456789", "ᵢⱼₖₗₘₙₚᵣₛₜᵤᵥₕₒₐₓₑ₀₁₂₃₄₅₆₇₈₉")


class Signs:
    """The part of a writer that puts pieces together."""

    minus = "−"
    had = " ⊙ "
    kron = " ⊗ "
    dot = "·"
    before_sum = " "
    dots = "…"
    for_all = " for "
    top = "ᵀ"
    delta = "δ"
    entrywise = "∘"  # before the exponent of a matrix whose entries are raised: X² is XX
    one = "𝟏"
    on_one_line = True  # whether a/b has its parts beside each other, and not one above the other
    constants: ClassVar[dict[str, str]] = {
        "pi": "π", "sqrt2": "√2", "sqrtpi": "√π", "sqrt2overpi": "√(2/π)", "sqrt2pi": "√(2π)", "ln2": "log(2)",
        "ln10": "log(10)", "pi2": "π²", "e": "exp(1)", "ln2pi": "log(2π)", "ln2pie": "(1 + log(2π))",
        "ln2e": "(1 + log(2))", "sqrt3": "√3",
    }  # fmt: skip
    marks: ClassVar[dict[str, str]] = {
        "norm": "‖{}‖", "norm1": "‖{}‖₁", "norm∞": "‖{}‖∞", "nuclear": "‖{}‖_*",
        "spectral": "‖{}‖₂", "bars": "|{}|", "floor": "⌊{}⌋", "inner": "⟨{}, {}⟩",
        "iverson": "1[{}]", "partial": "∂{}/∂{}", "remark": "{} {}",
    }  # fmt: skip
    relations: ClassVar[dict[str, str]] = {}  # those that are not as in Unicode

    def __init__(self, taken: Collection[str]) -> None:
        self.taken: frozenset[str] = frozenset(taken)
        self.written: dict[str, Piece] = {}
        shown = Counter(map(self.symbol, self.taken))
        entries = {self.symbol(t) for t in self.taken if self.stem(t) in self.taken}  # u_1 beside an array u
        self.alike: set[str] = {text for text, n in shown.items() if n > 1} | entries  # of beta and β
        self.shown: set[str] = {self.word(text).text for text in taken}
        self.words: list[str] = [text for text in self.shown if not is_letter(text)]
        self.letters: list[str] = [c for c in INDEX_LETTERS if c not in taken]
        self.lent: set[str] = set()
        self.explained: dict[str, str] = {}  # what functions do that have no public name

    def piece(self, note: Note) -> Piece:
        """The text of a note."""
        if note.kind in _CALLED:
            return self.call(_CALLED[note.kind], [self.piece(p).text for p in note.parts])
        if note.kind in self.marks:
            return self.mark(note.kind, *[self.piece(p).text for p in note.parts])
        return getattr(self, "_" + note.kind)(note)

    def mark(self, sign: str, *texts: str) -> Piece:
        """Text in one of the ``marks``."""
        return Piece(self.marks[sign].format(*texts), MUL if sign == "partial" else ATOM, left=sign == "iverson")

    def inside(self, note: Note, level: int) -> Piece:
        """The text of a note, in parentheses if it holds together less tightly than that."""
        return self.fenced(self.piece(note), level)

    def fenced(self, piece: Piece, level: int) -> Piece:
        """A piece, in parentheses if it holds together less tightly than that."""
        return piece if piece.level >= level else Piece(self.parenthesis(piece.text))

    def parenthesis(self, text: str) -> str:
        """Text in parentheses."""
        return f"({text})"

    def beside(self, pieces: list[Piece], level: int = CHAIN) -> Piece:
        """Factors side by side, with a space where one of the two ends that meet is a word."""
        text = pieces[0].text
        for before, after in itertools.pairwise(pieces):
            text += self.gap(Piece(text, right=before.right), after) + after.text
        return Piece(text, level, pieces[0].left, pieces[-1].right) if len(pieces) > 1 else pieces[0]

    def gap(self, before: Piece, after: Piece) -> str:
        """What stands between two factors."""
        digits_meet = after.text[:1] in _DIGITS and (before.text[-1:] in _DIGITS or not after.left)  # t·2^x is not t2
        digits_meet = digits_meet or after.text[:1] == "["  # 2·[1, 3] is no index
        digits_meet = digits_meet or (after.text[:1] == "(" and before.text.endswith(("mm", "mv")))  # functions, too
        brackets_meet = before.text[-1:] == ")" and after.text[:1] == "("
        apart = ((before.right or after.left) and not brackets_meet) or self.spells(before, after)
        bars_meet = after.text[:1] in _BARS and after.text[0] in before.text  # ‖x‖ ‖y‖ pairs in one way
        return "·" if digits_meet else " " if apart or bars_meet else ""

    def spells(self, before: Piece, after: Piece) -> bool:
        """Whether letters side by side would be read as something else: a·b·s(1 − s) as |1 − s|, m·u as μ, or as a
        symbol ab."""
        for word in self.words:
            if any(before.text.endswith(word[:k]) and after.text.startswith(word[k:]) for k in range(1, len(word))):
                return True
        end, start = _LAST_WORD.search(before.text), _FIRST_WORD.match(after.text)
        if end is not None and start is not None and (end[0] + start[0]).lower() in SPELLED_LETTERS:
            return True
        end, start = _LAST_LETTERS.search(before.text), _FIRST_LETTERS.match(after.text)
        return end is not None and start is not None and _FUNCTION.search(end[0] + start[0]) is not None

    def raised(self, base: Piece, exponent: str) -> Piece:
        """A base with a superscript."""
        base = self.fenced(base, ATOM)
        plain = all(ord(c) in _SUPERSCRIPTS for c in exponent) and "/" not in exponent
        if plain:
            return Piece(base.text + exponent.translate(_SUPERSCRIPTS), POW + 1, base.left, base.right)
        mark = self.entrywise if exponent.startswith(self.entrywise) else ""
        exponent = exponent.removeprefix(mark).replace("-", self.minus)
        return Piece(f"{base.text}^{mark}{exponent if exponent.isalnum() else f'({exponent})'}", POW, base.left, True)

    def powered(self, base: Piece, exponent: Any, mark: str = "") -> Piece:
        """A power; the ``mark`` says that it is that of each entry."""
        if exponent == Fraction(1, 2):
            return self.root(base)
        if is_negative(exponent):
            return self.fraction(Piece("1"), base if exponent == -1 else self.powered(base, -exponent, mark))
        if isinstance(exponent, float) and any(fractured(exponent)[1::2]):  # π, log(2)
            return self.raised(base, mark + self.scaled(exponent, [], None).text)
        return self.raised(base, mark + self.figures(exponent))

    def root(self, base: Piece) -> Piece:
        """A square root."""
        base = base if len(base.text) == 1 else self.fenced(base, ATOM)
        if base.left and not base.text.endswith(")"):  # √det(X) needs none
            base = Piece(self.parenthesis(base.text))
        return Piece(f"√{base.text}", POW, right=True)

    def inverse(self, base: Piece, transposed: bool) -> Piece:
        """The inverse of a matrix, perhaps of its transpose."""
        base = self.fenced(base, ATOM)
        return Piece(base.text + ("⁻ᵀ" if transposed else "⁻¹"), POW, base.left, base.right)

    def transposed(self, base: Piece) -> Piece:
        """A transpose."""
        base = self.fenced(base, ATOM)
        return Piece(base.text + self.top, POW, base.left, base.right)

    def fraction(self, top: Piece, bottom: Piece) -> Piece:
        """A quotient."""
        top = self.fenced(top, MUL)  # a ⊙ b/c is the same read either way
        top = Piece(self.parenthesis(top.text)) if top.divided else top
        level = MUL if top.level < CHAIN else MUL + 1
        out = Piece(f"{top.text}/{self.fenced(bottom, POW).text}", level, top.left, bottom.right)
        out.divided = True
        return out

    def call(self, function: str, args: list[str]) -> Piece:
        """A function of arguments."""
        return Piece(f"{function}({', '.join(args)})", ATOM, left=True, right=True)

    def operator(self, function: str) -> str:
        """The name of a function."""
        return function

    def item(self, array: Piece, at: tuple[str, ...]) -> Piece:
        """An entry of an array."""
        base = self.fenced(array, ATOM)
        return Piece(f"{base.text}[{','.join(at)}]", left=base.left)

    def big_sum(self, letters: list[str]) -> str:
        """The sign of a sum over indices."""
        return f"Σ{''.join(letters).translate(_SUBSCRIPTS)} "

    def symbol(self, text: str) -> str:
        """A symbol's name as it is shown, unless another one is shown alike."""
        return in_unicode(text)

    def stem(self, text: str) -> str:
        """What a name would be an entry of, by its looks; it may be no name: ẋ is none of x."""
        stem, _, below = text.rpartition("_")
        return "" if below in ACCENTS else stem

    def sum_of_steps(self, letter: str, first: int, last: int) -> str:
        """The sign of a sum over the steps of a loop."""
        return f"Σ{f'{letter}={first}'.translate(_BELOW)}{str(last).translate(_SUPERSCRIPTS)} "

    def word(self, text: str) -> Piece:
        """A symbol."""
        found = self.written.get(text)
        if found is None:
            shown = self.told_apart(text)
            found = Piece(shown, ATOM, not is_letter(shown.partition("[")[0]), not is_letter(shown))
            self.written[text] = found
        return found

    def told_apart(self, text: str) -> str:
        """A name as it is shown; if that is not its own, or not that of its array, it is spelled."""
        name, bracket, place = text.partition("[")
        if place and not self.alike.isdisjoint((self.symbol(text), self.symbol(name))):
            return self.word(name).text + bracket + place
        shown = self.symbol(text)
        return self.spelled(text) if shown in self.alike else shown

    def spelled(self, text: str) -> str:
        """A name in its own letters."""
        return text

    def identity(self, n: int) -> Piece:
        """An identity matrix of a size, which is told where I is a symbol."""
        return Piece("I") if "I" not in self.shown else self.call("eye", [self.piece(size(n)).text])

    def entry_of_identity(self, n: int, at: tuple[str, ...]) -> Piece:
        """1 on the diagonal, else 0."""
        return self.item(Piece(self.delta) if self.delta not in self.shown else self.identity(n), at)

    def figures(self, value: Any) -> str:
        """A number in digits; ``6.3·10⁻⁶`` where `repr` has ``6.3e-06``, which reads as a difference."""
        text = value if isinstance(value, str) else str(digits(value))
        found = powers_of_ten(text)
        return text.replace("-", self.minus) if found is None else self.scientific(*found)

    def scientific(self, mantissa: str, exponent: int) -> str:
        """A number times a power of ten."""
        power = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
        if mantissa in ("1", "-1"):
            return mantissa[:-1].replace("-", self.minus) + power
        return f"{mantissa.replace('-', self.minus)}·{power}"

    def sum(self, pieces: list[Piece], signs: Any) -> Piece:
        """A sum of pieces with their signs."""
        text = ""
        for piece, sign in zip(pieces, signs):
            piece = self.fenced(piece, ADD + 1)
            between = (f" {self.minus} " if sign < 0 else " + ") if text else (self.minus if sign < 0 else "")
            text += between + piece.text
        return Piece(text, ADD)

    def times(self, pieces: list[Piece]) -> Piece:
        """A product of entries."""
        pieces = [p for p in pieces if p.text != "1"]
        if len(pieces) < 2:
            return pieces[0] if pieces else Piece("1")
        pieces = [Piece(self.parenthesis(p.text)) if p.divided else p for p in pieces[:-1]] + pieces[-1:]
        fenced = [self.fenced(p, MUL) for p in pieces]
        out = Piece(self.dot.join([p.text for p in fenced]), MUL, fenced[0].left)
        out.divided = pieces[-1].divided
        return out

    def scaled(self, coef: Any, scalars: list[Note], body: Piece | None, under: Piece | None = None) -> Piece:
        """A coefficient and scalars before an array, and what both are divided by."""
        if body is not None and body.level == LARGE and under is None and not (coef == 1 and not scalars):
            factor = self.scaled(coef, scalars, None)
            front = self.minus if factor.text == self.minus + "1" else factor.text + self.before_sum
            if not factor.divided:  # 1/2 Σ x might be 1/(2 Σ x)
                return Piece(front + body.text, min(factor.level, LARGE))
        negative = is_negative(coef)
        number = fractured(-coef if negative else coef, self.constants["pi"] not in self.shown)
        above = [self._count(number.top)] if number.top != 1 else []
        word = number.over[:2] in ("ln", "lo", "ex")
        above += [Piece(self.constant(number.over), POW, word, True)] if number.over else []
        below = [self._count(number.bottom)] if number.bottom != 1 else []
        below = [Piece(p.text, ATOM, p.left, p.right) if p.text.replace(".", "", 1).isdigit() else p for p in below]
        named = self.constant(number.under) if number.under else ""
        below += [Piece(named, POW, right=named[:1] == "√" and named[-1:] != ")")] if named else []  # √2 m is no √(2m)
        for s in scalars:
            if is_divisor(s):
                below.append(self.piece(inverted(s)))
            else:
                above.append(self.inside(s, CHAIN))
        divided = bool(below) or under is not None
        if body is not None:
            bare = not above and (not self.on_one_line if divided else not negative)
            above.append(body if bare else self.fenced(body, MUL))
        if under is not None:
            below.append(under)
        if self.on_one_line or len(below) > 1:
            below = [self.fenced(p, CHAIN) for p in below] if len(below) > 1 or under is None else below
        out = self._together(above) if above else Piece("1")
        if below:
            out = self.fraction(out, self._together(below))
        out = Piece(self.minus + out.text, ADD, False, out.right) if negative else out
        out.divided = out.divided or (bool(below) and self.on_one_line)
        return out

    def constant(self, name: str) -> str:
        """A constant by its name, or a function of a number by both: "exp 2", "3 1/2" for a root."""
        function, _, number = name.partition(" ")
        if not number:
            return self.constants[name]
        if not function.isdigit():
            return self.call(function, [number]).text
        return self.powered(Piece(function), Fraction(number)).text

    def _together(self, pieces: list[Piece]) -> Piece:
        if len(pieces) == 1:
            return pieces[0]
        out = self.beside(pieces, min(CHAIN, *[p.level for p in pieces]))
        out.divided = pieces[-1].divided
        return out

    def _count(self, value: int | str) -> Piece:
        text = str(value)
        if text in ("nan", "inf"):
            return Piece(self.figures(value), ATOM, True, True)
        level = ATOM if text.isdigit() else CHAIN if text[:1].isdigit() else ADD
        return Piece(self.figures(value), level, right="e" in text)

    def borrow(self, n: int, besides: Sequence[str] = ()) -> list[str]:
        """Letters for summed indices, none in use."""
        found = [c for c in self.letters if c not in self.lent and c not in besides][:n]
        found += [f"i{k}" for k in range(1, n - len(found) + 1)]
        self.lent.update(found)
        return found

    def give_back(self, letters: Sequence[str]) -> None:
        """The sum over them is written: others may use them."""
        self.lent.difference_update(letters)


# -------------------------------------------------------------------------------------------------------------------
# A row's own text for its operands: numbers of a sum are added up, entries are multiplied and raised by own signs

# The idea to hold: a row's text has places for operands, ``<0> − <1> − 1``, and is written for entries, ``<0> ⊙
# f(<1>)``. What fills the places says what is a number: ``x^(3 − 1 − 1)`` is ``x``, ``Γ(a + 1 − 2)`` is ``Γ(a − 1)``;
# numbers stand side by side, and only matrices, of which X² is XX, are raised by ``∘``.


_TERM = r"(?:<\d>|\d+)"
_SUM = re.compile(rf"(?<=[({{]){_TERM}(?: [+−-] {_TERM})+(?=[)}}])")
_PARTS = re.compile(rf"([+−-]?) ?({_TERM})")
_WRITTEN_NUMBER = r"\d+(?:\.\d+|/\d+)?|\\frac\{\d+\}\{\d+\}"
_NUMBER = re.compile(_WRITTEN_NUMBER)
_FIRST = re.compile(rf"(?P<sign>)(?P<number>{_WRITTEN_NUMBER}) (?P<rest>[+−-] .+)")
_LAST = re.compile(rf"(?P<rest>.+) (?P<sign>[+−-]) (?P<number>{_WRITTEN_NUMBER})")
_SIGN = re.compile(" [+−-] ")
_EXPONENT = re.compile(r"\^(∘?)(?:\((\d+|<\d>)\)|\{(?:\\circ \()?(\d+)\)?\})")
PLACE = re.compile(r"<(\d)>")
_RAISED = re.compile(r"(?<=[>)])(?:\^(?=[<({])|²)")
_TIMES = re.compile(r" (?:⊙|\\odot) ")
_AFTER = re.compile("[ /]")


def with_sums_of_numbers(text: str, args: list[Piece], writer: Signs) -> tuple[str, list[Piece]]:
    """A row's text and what fills its places, with one number in each sum."""
    args = list(args)
    added = _SUM.sub(lambda found: _added_up(found[0], args, writer), text)
    if added == text:
        return text, args
    return _EXPONENT.sub(lambda found: "" if "1" in found.groups() else _bare(found), added), args


def _bare(found: re.Match[str]) -> str:
    return f"^{found[1]}{found[2]}" if found[2] else found[0]


def with_signs_of_entries(text: str, ranks: Sequence[int], writer: Signs) -> str:
    """A row's text for operands of these ranks."""

    def rank(start: int, end: int) -> int:
        return max([ranks[int(k)] for k in PLACE.findall(text[start:end]) if int(k) < len(ranks)], default=0)

    for mark in reversed([*_RAISED.finditer(text)]):
        at, last = mark.span()
        end = last if mark[0] == "²" else text.index(">", last) + 1 if text[last] == "<" else _end(text, last + 1) + 1
        if rank(at - 3 if text[at - 1] == ">" else _start(text, at - 1), end) == 2 and writer.entrywise:
            text = f"{text[:at]}^{_each('2' if mark[0] == '²' else text[last:end], writer.entrywise)}{text[end:]}"
    for mark in reversed([*_TIMES.finditer(text)]):
        at, last = mark.span()
        if not (rank(_start(text, at, _SIGN), at) and rank(last, _end(text, last, _AFTER))):
            text = f"{text[:at]}{'' if text[at - 1] + text[last] == '>(' else ' '}{text[last:]}"
    return text


def _each(exponent: str, sign: str) -> str:
    if exponent[0] != "{":
        return sign + exponent
    inner = exponent[1:-1]
    return f"{{{sign}{inner if re.fullmatch(_TERM, inner) else f'({inner})'}}}"


def _start(text: str, end: int, before: re.Pattern[str] | None = None) -> int:
    """Where what ends there begins: after the parenthesis that it stands in, or after a sign."""
    depth = 0
    for k in range(end - 1, -1, -1):
        if not depth and (text[k] in "({" or (before is not None and before.match(text, k))):
            return k + 1
        depth += (text[k] in ")}") - (text[k] in "({")
    return 0


def _end(text: str, start: int, after: re.Pattern[str] | None = None) -> int:
    """Where what begins there ends: before the parenthesis that closes what it stands in, or before a sign."""
    depth = 0
    for k in range(start, len(text)):
        if not depth and (text[k] in ")}" or (after is not None and after.match(text, k))):
            return k
        depth += (text[k] in "({") - (text[k] in ")}")
    return len(text)


def _added_up(text: str, args: list[Piece], writer: Signs) -> str:
    """One sum; what a number leaves of an operand is an operand of its own."""
    kept: list[str] = []
    numbers: list[str] = []
    for sign, term in _PARTS.findall(text):
        piece = args[int(term[1:-1])] if term[0] == "<" else Piece(term)
        if _NUMBER.fullmatch(piece.text):
            numbers.append(f"{sign}{piece.text}")
            continue
        split = None
        if piece.level == ADD and sign in ("", "+") and "Σ" not in piece.text:
            split = _FIRST.fullmatch(piece.text) or _LAST.fullmatch(piece.text)
        if split is not None:
            numbers.append(split["sign"] + split["number"])
            rest = split["rest"]
            if rest[:2] in ("+ ", "− ", "- "):
                alone = _SIGN.search(rest, 2) is None
                sign, rest = (rest[0], rest[2:]) if alone or rest[0] == "+" else ("", rest[0] + rest[2:])
            args.append(Piece(rest, ATOM if rest.isalnum() else ADD if _SIGN.search(rest) else MUL))
            term = f"<{len(args) - 1}>"
        kept.append(f"{sign or '+'} {term}")
    if len(numbers) < 2:
        return text
    total = sum(map(_value, numbers))
    if total or not kept:
        size = abs(total)
        shown = writer.figures(float(size)) if "." in "".join(numbers) else writer.scaled(size, [], None).text
        front = total > 0 and bool(kept) and kept[0][0] != "+"
        kept.insert(0 if front else len(kept), f"{writer.minus if total < 0 else '+'} {shown}")
    first, *others = kept
    return " ".join([first[2:] if first[0] == "+" else first[0] + first[2:], *others])


def _value(number: str) -> Fraction:
    digits = number.lstrip("+−-").replace("\\frac{", "").replace("}{", "/").rstrip("}")
    return -Fraction(digits) if number[0] in "−-" else Fraction(digits)
