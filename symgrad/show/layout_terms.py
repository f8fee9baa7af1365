"""From terms to notation: the note of each kind of term, sums in the order of reading, names for parts."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from operator import or_
from types import MappingProxyType
from typing import Any

import numpy as np

from .. import _limits
from .._limits import bound
from ..core import TABLE, Dim, computed
from .functions import PICKING, array_of, images, labels
from .layout import (
    COMPARISONS,
    Note,
    by_entries,
    diagonal_matrix,
    factors_of,
    filled,
    folded,
    hadamard,
    has_minus,
    in_order,
    is_backwards,
    is_negative,
    name,
    negated,
    number,
    once,
    placed,
    power,
    product,
    series,
    transpose,
    transposes,
    truths_of,
)
from .layout_products import IndexGraph
from .signs import INDEX_LETTERS, Piece, taken_apart
from .writer import Writer

# -------------------------------------------------------------------------------------------------------------------
# Sums: their terms in the order of reading, numbers multiplied out where that is shorter; how long a formula is

# The idea to hold: terms keep the rational content of a sum in front, which is best for computing; a reader wants
# ``12x² − 4`` rather than ``4(3x² − 1)``. Of two forms the one with fewer names, numbers and signs is written, counted
# in what the Unicode writer makes of them, which alone knows where parentheses stand; on a tie the number stays in
# front.


Shape = tuple[int, ...]
_SIGNS = re.compile(
    r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ]+|\d{1,8}(?:\.\d{1,8})?(?:e[-−]?\d+)?|[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ](?:[^\W⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ])*|[^\w\s,]"
)


class _Spaced(Writer):
    """Writes factors apart, so that each is one piece; what is part of several layouts is written once.

    (Which letters indices have, and which names are alike, does not matter here.)
    """

    def __init__(self) -> None:
        self.taken, self.alike, self.shown = frozenset(), set(), set()
        self.words, self.letters = [], [*INDEX_LETTERS]
        self.lent, self.explained, self.written = set(), {}, {}

    def piece(self, note: Note) -> Piece:
        return _kept(note, "piece", super().piece)

    def entry(self, note: Note, at: tuple[str, ...]) -> Piece:
        return _kept(note, at, super().entry, at)

    def gap(self, before: Piece, after: Piece) -> str:
        return " "


def _kept(note: Note, key: Any, write: Callable[..., Piece], *args: Any) -> Piece:
    """A piece, which stays with its note."""
    known: dict[Any, Piece] = note.__dict__
    if key not in known:
        known[key] = write(note, *args)
    return known[key]


@once
def tokens(note: Note, label: str = "") -> int:
    """How many names, numbers and signs a formula, or the equation that defines a ``label``, has."""
    return len(_SIGNS.findall(_Spaced().text(note, label)))


def tokens_of_entry(note: Note) -> int:
    """How many an entry of it has, at indices that are letters."""
    writer = _Spaced()
    return len(_SIGNS.findall(writer.entry(note, tuple(writer.borrow(note.rank))).text))


def times(c: Any, note: Note) -> Note:
    """A number times a note."""
    if note.kind == "number":
        return number(c * note.info)
    return product(c, [], note) if note.shape else product(c, [note], None)


def signed(note: Note) -> tuple[bool, Note]:
    """Whether a note has a minus in front, and the note without it."""
    if note.kind == "number" and is_negative(note.info):
        return True, number(-note.info)
    if note.kind == "product" and is_negative(note.info[0]):
        coef, scalars, body = factors_of(note)
        return True, product(-coef, scalars, body)
    return False, note


def parts_of(note: Note) -> list[Note]:
    """The terms of a sum, with their signs; any other note is the only one."""
    return [times(sign, p) for sign, p in zip(note.info, note.parts)] if note.kind == "add" else [note]


def summed(notes: list[Note], shape: Shape) -> Note:
    """A sum in the order of reading."""
    notes = [_with_sign_outside(note) for note in _one_diagonal(notes, shape)]
    if len(notes) == 1 and notes[0].shape == shape:
        return notes[0]
    found = in_order(map(signed, notes), shape)
    if len(shape) == 2 and transposes(found) and all(n.shape == shape for n in notes):  # BᵀXᵀ + XᵀBᵀ is (BX + XB)ᵀ
        turned = transpose(in_order([signed(transpose(n)) for n in notes], shape[::-1]))
        return turned if turned.kind == "T" and tokens(turned) < tokens(found) else found
    return found


def _with_sign_outside(note: Note) -> Note:
    """The diagonal matrix of a sum of nothing but negative terms with one minus in front: −diag(a + b)."""
    inside = note.parts[0] if note.kind == "diag" else note
    if inside is note or inside.kind != "add" or set(inside.info) != {-1}:
        return note
    return product(-1, [], diagonal_matrix(negated(inside)))


def multiplied_out(note: Note) -> Note:
    """A number times a sum, or a diagonal matrix: in front of it, or of each of its terms where that is shorter."""
    if note.kind != "product":
        return note
    coef, first, last = note.info[0], list(note.parts[:-1]), note.parts[-1]
    if last.kind == "diag":
        out = diagonal_matrix(multiplied_out(product(coef, first, last.parts[0])))
    elif last.kind == "full":
        out = last._replace(parts=(multiplied_out(product(coef, first, last.parts[0])),))
    elif last.kind == "add" and (not first or isinstance(coef, Fraction)):
        out = product(1, first, _multiple(coef, last))
    elif last.kind in ("chain", "kron") and isinstance(coef, Fraction):  # A(2B − c)/2 is A(B − c/2)
        place = next((k for k, p in enumerate(last.parts) if p.kind == "add"), None)
        if place is None:
            return note
        inside = _multiple(coef, last.parts[place])
        body = last._replace(parts=(*last.parts[:place], inside, *last.parts[place + 1 :]))
        out = product(1, first, body)
    else:
        return note
    return min(note, out, key=tokens)


def _multiple(c: Any, total: Note) -> Note:
    """A number times each term of a sum."""
    return summed([times(c, p) for p in parts_of(total)], total.shape)


def _one_diagonal(notes: list[Note], shape: Shape) -> list[Note]:
    """``6 diag(x²) − 16I`` as ``diag(6x² − 16)``."""
    split = [_diagonal(n) if len(shape) == 2 else None for n in notes]
    entries = [e for e in split if e is not None]
    if len(entries) < 2 or not any(e.shape for e in entries):
        return notes
    joined = diagonal_matrix(summed(entries, shape[:1]))
    apart = in_order([signed(n) for n, e in zip(notes, split) if e is not None], shape)
    if tokens(joined) >= tokens(apart):
        return notes
    return [*[n for n, e in zip(notes, split) if e is None], joined]


def _diagonal(note: Note) -> Note | None:
    """The entries of a diagonal matrix: a vector, or a number if it is a multiple of the identity."""
    coef, scalars, core = factors_of(note) if note.kind == "product" else (1, [], note)
    if core is None or core.kind not in ("eye", "diag"):
        return None
    return product(coef, scalars, None if core.kind == "eye" else core.parts[0])


# ----------------------------------------- Which parts of a formula may get a name of their own: ``where r = Ax − b``

# The idea to hold: a name pays if n occurrences of t signs are longer than n names and the definition, which takes
# t + 2. Here it is reckoned on the terms, about; `layout_choice` tries the names of short formulas in earnest. A part
# that is too long or too deep to be read in one piece gets a name whether it pays or not.


_ACTIVATIONS = frozenset({"tanh", "relu", "softplus_unit", "gelu_erf", "silu", "elu_alpha", "leaky_relu_slope"})
_PLAIN = frozenset({"var", "one", "delta", "lin"})


COUNTED_SIGNS = bound(100_000)
"""Signs are counted up to here."""


def lengths(terms: list[Any], named: Set[int]) -> dict[int, int]:
    """How many signs each term would take, about, where those named take one."""
    found: dict[int, int] = {}
    most = COUNTED_SIGNS
    for t in terms:
        if "signs" not in t.memo:
            is_one = t.kind == "ein" and not t.shape and is_entry(t)
            t.memo["signs"] = (1, ()) if is_one else (_own(t), t.children)
        signs, parts = t.memo["signs"]
        for c in parts:
            signs += 1 if id(c) in named else found[id(c)]
        found[id(t)] = signs if signs < most else most
    return found


def _own(term: Any) -> int:
    """The length of a term's own text without its operands', about."""
    if term.kind in ("map", "call"):
        return 1 if term.exponent != 1 or term.operation == "inv" else 3
    if term.kind == "add":
        return len(term.terms) - 1 + sum([abs(c) != 1 for c, _, _ in term.terms])
    if term.kind == "data":
        return 2 * min(term.value.size if labels(term.value) is None else len(term.value), 100)
    if term.kind == "ein":
        by_entries = any(len(s) > 2 for _, s in term.factors)  # T[i,j,l] takes five signs where T takes one
        letters = sum([len(s) + 2 for _, s in term.factors]) if by_entries else 0
        return letters + int(term.coef != 1) if term.factors else 1
    return 4 if term.kind == "lin" else 1


def saved(uses: int, size: int) -> int:
    """How many signs a name saves for what is written so often with so many signs."""
    return uses * size - (uses + size + 2)


def worth(terms: list[Any], sizes: dict[int, int], roots: set[int], slack: int = 0) -> list[Any]:
    """Terms whose names pay, reckoning each occurrence ``slack`` signs too long: those that save most first.

    With slack the names are looked at one by one; without, those that a name hides in another one are no longer
    counted.
    """
    uses = dict.fromkeys(sizes, 0)
    found: list[tuple[int, int, Any]] = []
    for k, t in enumerate(reversed(terms)):
        key = id(t)
        n, size = uses[key], sizes[key] + slack
        pays = key not in roots and saved(n, size) > 0 and not is_plain(t) and (slack or not _is_dressed(t))
        if pays:
            found.append((-(n - 1) * (size - 1), k, t))
        once = 1 if key in roots or (pays and not slack) else n
        for c in t.children:
            uses[id(c)] += min(once, 1000)
    return [t for _, _, t in sorted(found, key=lambda f: f[:2])]


def occurrences(terms: list[Any], once: set[int]) -> dict[int, int]:
    """How often each term is written where those of ``once`` are written once, about."""
    found = dict.fromkeys(map(id, terms), 0)
    for t in reversed(terms):
        n = 1 if id(t) in once else found[id(t)]
        for c in t.children:
            found[id(c)] += min(n, 1000)
    return found


def shared(terms: list[Any], sizes: dict[int, int], roots: set[int]) -> list[Any]:
    """Terms used more than once that are no symbols: a program computes them once."""
    uses: dict[int, int] = {}
    for t in terms:
        for c in t.children:
            uses[id(c)] = uses.get(id(c), 0) + 1
    return [
        t for t in terms
        if id(t) not in roots and uses.get(id(t), 0) > 1 and sizes[id(t)] > 2 and not (is_plain(t) or _is_dressed(t))
    ]  # fmt: skip


def unreadable(terms: list[Any], roots: set[int], named: set[int]) -> set[int]:
    """Terms that need a name because they are too long or too deep where those in ``named`` have one."""
    needed: set[int] = set()
    roots = roots | {id(t.children[0]) for t in terms if id(t) in roots and t.kind == "ein" and len(t.children) == 1}
    sizes: dict[int, int] = {}
    depths: dict[int, int] = {}
    for t in terms:
        key = id(t)
        sizes[key] = _own(t) + sum([sizes[id(c)] for c in t.children])
        depths[key] = 1 + max([depths[id(c)] for c in t.children], default=0)
        if key in roots or not t.children:
            continue
        if key not in named and (sizes[key] > _limits.LONG_TERM or depths[key] > _limits.DEEP_TERM):
            needed.add(key)
        if key in named or key in needed:
            sizes[key], depths[key] = 1, 0
    return needed


def _is_dressed(term: Any) -> bool:
    """Whether it is a power, whose base may have a name, or ‖r‖²."""
    is_one_factor = term.kind == "ein" and not term.shape and len(term.factors) == 1
    return bool(term.exponent != 1 or (is_one_factor and term.factors[0][0].exponent == 2))


def is_whole_power(term: Any) -> bool:
    """Whether it is a whole power of something that may have a name itself: (Xw − y)²."""
    return term.exponent != 1 and isinstance(term.exponent, int) and not is_plain(term.base)


def is_entry(term: Any) -> bool:
    """Whether it is a number read from a symbol: ``x[0]``."""
    if term.kind != "ein" or term.shape or term.coef != 1:
        return False
    units = [c for c in term.children if c.kind == "lin" and not c.out_rank]
    symbols = [c for c in term.children if c.kind == "var"]
    return len(symbols) == 1 and len(units) == len(term.children) - 1 == len(symbols[0].shape)


def is_plain(term: Any) -> bool:
    """Whether it is a symbol but for a transpose, a power or a number, and so not worth a name."""
    while True:
        if term.kind in _PLAIN or is_entry(term) or (term.kind == "ein" and not term.factors):
            return True
        if term.kind == "ein" and len(term.factors) == 1:
            term = term.factors[0][0]
        elif term.base is not term:
            term = term.base
        else:
            return False


def letters(term: Any) -> str:
    """Letters for the name of a term, by what it is; in capitals those of matrices."""
    rank = len(term.shape)
    op = term.operation if term.kind in ("map", "call") else ""
    if op in ("softmax", "sigmoid"):
        return "PQSUVW" if rank > 1 else "pqsuvw"
    if op in _ACTIVATIONS:
        return "HUVWSQ" if rank > 1 else "huvwsq"
    if rank > 1:
        return "RSTUVWMNQ" if term.kind == "add" else "STUVWMNQR"
    if rank == 1:
        return "rsuvwzabcgh" if term.kind == "add" else "suvwzabcghr"
    return "stuvwzabcgr"


_SPARE = ("rsuvwzabcghpqy", "RSTUVWMNQHPZ")
"""More letters for names, small and capital: none is what one takes for a constant or a function (e, i, d, f)."""
_LOOKS = {
    letter: group[0]
    for group in (
        "vνυ", "uµμ", "wωϖ", "pρϱ", "kκ", "xχ×", "aα∂", "oοσ0", "lι1ℓ", "nηπ", "tτ", "bβß6", "yγ", "eεϵ", "rг", "cϲς",
        "zζ2", "s5", "gɡ9", "hℏ", "qϙ",
    )
    for letter in group
}  # fmt: skip
"""Letters that are taken for one another, in handwriting and on the board."""


@lru_cache(maxsize=_limits.SHOWN_NAMES)
def look(label: str) -> str:
    """What a name is like at a glance: its first letter, small, and of those that look alike the first."""
    letter = unicodedata.normalize("NFD", taken_apart(label).stem).lower()[:1]
    return _LOOKS.get(letter, letter)


def fresh(letters: str, taken: set[str], alike: Collection[str] = ()) -> str:
    """A name that is not in use; now it is. It looks like none of ``alike``, if there is such a letter."""
    plain = [c for c in (*letters, *_SPARE[letters[0].isupper()]) if look(c) not in alike]
    numbered = (f"{plain[0] if plain else letters[0]}{k}" for k in itertools.count(1))
    label = next(c for c in itertools.chain(plain, numbered) if c not in taken)
    taken.add(label)
    return label


# -------------------- Which sums of a product are better written with all their signs changed: x(b − a) for −x(a − b)

# The idea to hold: a minus in front goes into a sum that has one already, or into a product in it that has such a sum.


Ids = Set[int]


def to_turn(coef: Any, items: list[Any], names: Ids) -> list[int]:
    """The places of a sum, or of its inverse, whose signs are better turned together with the coefficient's."""
    for k, (term, _) in enumerate(items):
        base = term
        if term.exponent in (-3, -1, 3) and id(term) not in names:
            base = term.children[0]
        elif is_inverse(term):
            base = term.args[0]
        if base.kind != "add" or id(base) in names or id(term) in names:
            continue
        flat = [t.kind == "ein" and id(t) not in names for _, t, _ in base.terms]
        minus = [is_negative(c * t.coef if plain else c) for (c, t, _), plain in zip(base.terms, flat)]
        if is_negative(coef) and True not in minus:  # −(b(c − a) + d) is b(a − c) − d
            minus = [plain and _has_difference(t, names) for (_, t, _), plain in zip(base.terms, flat)]
        if (is_negative(coef) and any(minus)) or all(minus):
            places = [i for i, (t, _) in enumerate(items) if t is term] if is_inverse(term) else [k]
            if len(places) % 2:
                return places
    return []


def _has_difference(product: Any, names: Ids) -> bool:
    """Whether a product has a factor in which signs can be turned."""
    sums = [f for f, _ in product.factors if f.kind == "add" and id(f) not in names]
    return any(is_negative(c * t.coef if t.kind == "ein" else c) for f in sums for c, t, _ in f.terms)


def is_inverse(term: Any) -> bool:
    return term.operation == "inv" and len(term.shape) == 2


# -------------------------------------------------------------- From terms to notation: the note of each kind of term

# The idea to hold: names come first. The note of a term stops at the names, so that notes are small and everything
# below may recurse.


Given = Sequence[tuple[str, Any]]
Operand = tuple[Any, tuple[int, ...]]


class Shared:
    """What all layouts of one formula share: its terms, the names they have, and notes of parts that are the same.

    Attributes
    ----------
    terms : every term, operands first
    taken : the names of symbols and sizes, and those that are not to be given
    called : the names of the symbols that stand for definitions
    bits : per term a bit of its own; empty where one layout is all
    inside : per term the bits of those that it is made of
    known : per term, number in front, names and turned sums inside it: its note, and the signs of the sums in it
    """

    root: Any
    given: Given
    terms: list[Any]

    def __init__(
        self, root: Any, given: Given, terms: list[Any], several: bool, taken: Collection[str] = (),
        called: Mapping[str, str] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self.called = called
        self.root, self.given, self.terms = root, given, terms
        self.taken: set[str] = (
            {t.name for t in self.terms if t.kind == "var"} | {label for label, _ in given} | set(taken)
        )
        self.taken |= {label.partition("[")[0] for label in self.taken}  # of x[0]
        own = self.taken.difference(called, called.values())  # a definition may have its letter in small and in capital
        self.alike: set[str] = {look(label) for label in own if len(taken_apart(label).stem) == 1}
        self.taken |= {str(n) for n in {n.terms: n for t in self.terms for n in t.shape if type(n) is Dim}.values()}
        self.bits: dict[int, int] = {id(t): 1 << k for k, t in enumerate(self.terms)} if several else {}
        self.inside: dict[int, int] = {}
        for t in self.terms if several else ():
            parts = [self.inside[id(c)] | self.bits[id(c)] for c in t.children]
            self.inside[id(t)] = reduce(or_, parts, 0)
        self.known: dict[Any, Any] = {}

    @cached_property
    def uses(self) -> Counter[int]:
        """Per term, in how many places others are made of it."""
        return Counter([id(c) for t in self.terms for c in t.children])


class Sheet:
    """The notation of one formula: its body, and the definitions of the names in it.

    Parameters
    ----------
    shared : what it shares with other layouts of the formula
    named : ids of the terms that get a name
    turned : ids of the sums that are written with all their signs changed, and a minus in front
    entries : whether products keep their indices
    loops : lines of terms that are to be the steps of one definition each
    lines : whether parts without matrix notation may stay where they are

    Attributes
    ----------
    body : the note of the root
    definitions : (name, note) pairs, each after those it uses
    taken : every name in use
    """

    shared: Shared
    turned: Ids

    def __init__(
        self, shared: Shared, named: Ids = frozenset(), turned: Ids = frozenset(), entries: bool = False,
        lines: bool = False, loops: Sequence[list[Any]] = (),
    ) -> None:  # fmt: skip
        self.shared, self.turned = shared, turned
        # the bits of the sums that are written with their own signs, and with the others
        self.signs: tuple[int, int] = (0, 0)
        self.entries = entries
        self.lines = lines
        root, given = shared.root, shared.given
        self.taken: set[str] = set(shared.taken)
        self.step: str = fresh("tknm", self.taken, shared.alike) if loops else ""  # the letter for the steps of loops
        self.names: dict[int, str] = {
            id(t): fresh(letters(t), self.taken, shared.alike) for t in shared.terms if id(t) in named
        }
        steps = [[f"{label}[{k}]" for k in range(len(loop))] for loop in loops for label in [self._letter(loop)]]
        self.names.update({id(t): label for loop, own in zip(loops, steps) for t, label in zip(loop, own)})
        self._differs = [(shared.bits[key], label) for key, label in self.names.items() if shared.bits]
        self._differs += [(shared.bits[key], "") for key in turned]
        self._calls = 0  # how often a part got a name while it was written: no other layout knows that name
        self.definitions: list[tuple[str, Note]] = []
        self._memo: dict[int, tuple[Note, tuple[int, int]]] = {}
        for term in [t for t in shared.terms if id(t) in self.names]:
            sign, label = -1 if id(term) in turned else 1, self.names[id(term)]
            self.definitions.append((label, self._defined(term, self._write(term, sign))))
            self._memo[id(term)] = times(sign, name(label, term.shape, term.symmetric)), (0, 0)
        note = self.note(root) if id(root) in self.names else self._write(root)
        self.body: Note = note if lines else self._truth_as_number(root, note)
        for label, term in given:
            self.definitions.append((label, self._defined(term, self._write(term))))
        self.repeats: bool = not [own for own in steps if not self._fold(own)]
        if steps and self.repeats:
            self.body = series(self.body, self.step)

    def _letter(self, loop: list[Any]) -> str:
        return fresh("hszuvwabc" if loop[0].rank < 2 else "HSZUVW", self.taken, self.shared.alike)

    def _fold(self, labels: list[str]) -> bool:
        """Say the definitions of a loop's steps at once; whether they are alike."""
        found = folded(self.definitions, labels, self.step)
        self.definitions = found or self.definitions
        return found is not None

    @property
    def notes(self) -> list[Note]:
        """The body, and what its definitions say."""
        return [self.body, *[note for _, note in self.definitions]]

    @cached_property
    def length(self) -> tuple[int, int, int]:
        """How many names, numbers and signs it has; of its sums, those with either sign, those the wrong way round."""
        signs = tokens(self.body) + sum([tokens(note, label) for label, note in self.definitions])
        return signs, len(self.either_way()), sum([is_backwards(note) for _, note in self.definitions])

    def either_way(self) -> set[int]:
        """Ids of the sums that are written both as ``x − y`` and as ``y − x``."""
        both = self.signs[0] & self.signs[1]
        return {key for key, bit in self.shared.bits.items() if both & bit}

    @cached_property
    def may_turn(self) -> bool:
        """Whether a sum with its signs changed may be shorter: where a minus stands in front, or sums differ in it."""
        notes = [note for _, note in self.definitions]
        return bool(self.either_way()) or any(is_backwards(n) or has_minus(n) for n in notes) or has_minus(self.body)

    def note(self, term: Any, held: bool = False) -> Note:
        """The notation of a term inside another one.

        Where it is ``held``, the other one may be written by its entries with it, since it has a name that says which.
        """
        key = id(term)
        if key in self._memo:
            note, signs = self._memo[key]
            self._sign(signs)
            return note
        before, self.signs = self.signs, (0, 0)
        note = self._write(term)
        if by_entries(note) and not (self.entries or self.lines or (held and self.shared.uses[key] == 1)):
            note = self._called(self._defined(term, note), letters(term))
            self.names[key] = label = note.info[0]
            self._differs += [(self.shared.bits[key], label)] if self.shared.bits else []
        self._memo[key] = note, self.signs
        self._sign(before)
        return note

    def _sign(self, signs: tuple[int, int]) -> None:
        self.signs = self.signs[0] | signs[0], self.signs[1] | signs[1]

    def _write(self, term: Any, factor: Any = 1) -> Note:
        """The note of a number times a product, of a sum or minus it, of any other term: perhaps another layout's."""
        method = getattr(self, "_" + term.kind)
        if not self.shared.bits:
            return method(term) if factor == 1 else method(term, factor)
        inside = self.shared.inside[id(term)]
        key = id(term), factor, type(factor), tuple([d for d in self._differs if d[0] & inside])
        found = self.shared.known.get(key)
        if found is None:
            before, self.signs, calls = self.signs, (0, 0), self._calls
            found = (method(term) if factor == 1 else method(term, factor)), self.signs
            if self._calls == calls:
                self.shared.known[key] = found
            self.signs = before
        self._sign(found[1])
        return found[0]

    def _var(self, term: Any) -> Note:
        return name(self.shared.called.get(term.name, term.name), term.shape, term.symmetric)

    def _data(self, term: Any) -> Note:
        return Note("data", (), term, term.shape) if term.shape else number(term.value.item())

    def _one(self, term: Any) -> Note:
        return filled("ones", term.shape)

    def _delta(self, term: Any) -> Note:
        return filled("eye", term.shape)

    def _lin(self, term: Any) -> Note:
        if not term.shape and not term.op.places:  # of a number: times what it makes of 1
            return number(float(computed(term.op, [np.ones(())], term.params)))
        array = Note("linear", (), term, term.shape)
        return array if self.lines else IndexGraph([(array, term.axes)], list(term.shape), term.rank, array_of).note(1)

    def _jac(self, term: Any) -> Note:
        """What an operation that is linear makes of unit arrays; of any other, ∂f(S)/∂S, where S has a name."""
        call, k = self._write(term.call), term.wrt
        if self.lines:
            return Note("jac", (call,), k, term.shape)
        if call.kind != "call":  # U of a decomposition
            return Note("jac", (call, self._variable(term.call.args[k])), k, term.shape)
        op, zero = term.call.op, [filled("zeros", p.shape) for p in call.parts]
        is_linear = op.kind == "multilinear" or (op.affine and len(op.inputs) == len(zero))
        if is_linear and op.name not in PICKING:
            alone = [*zero] if op.kind != "multilinear" else [*call.parts]
            for i in op.places:
                alone[i] = call.parts[i]
            alone[k] = zero[k]
            return images(call._replace(parts=tuple(alone)), k)
        operand = self._variable(term.call.args[k])
        call = call._replace(parts=(*call.parts[:k], operand, *call.parts[k + 1 :]))
        return Note("jac", (call, operand), k, term.shape)

    def _is_decomposed(self, term: Any) -> bool:
        """Whether it is a part of X = UΣVᵀ, or of a symmetric A = UΛUᵀ, which papers name in one equation."""
        if self.lines or term.operation not in ("svd", "eigh") or term.args[0].rank != 2:
            return False
        return term.args[0].symmetric if term.operation == "eigh" else not term.params[0]

    def _of_decomposition(self, term: Any) -> Note:
        """A part of a decomposition, whose equation is among the definitions."""
        matrix = self._factor(term.args[0])
        self._calls += 1
        known = [n for _, n in self.definitions if n.kind == "factors" and n.info == term.operation]
        equation = next((n for n in known if n.parts[0] == matrix), None)
        few = min(matrix.shape)
        if equation is None:
            left = name(fresh("UWPQ", self.taken, self.shared.alike), (matrix.shape[0], few))
            values = name(fresh("scqr" if term.operation == "svd" else "λμcr", self.taken, self.shared.alike), (few,))
            right = (
                name(fresh("VZHT", self.taken, self.shared.alike), (matrix.shape[1], few))
                if term.operation == "svd"
                else left
            )
            equation = Note("factors", (matrix, left, values, right), term.operation, matrix.shape)
            self.definitions.append((", ".join(dict.fromkeys(p.info[0] for p in equation.parts[1:])), equation))
        _, left, values, right = equation.parts
        if term.operation == "eigh":
            return left if term.out else values
        return (left, values, transpose(right))[term.out]

    def _variable(self, term: Any) -> Note:
        """What something is differentiated by: a symbol."""
        note = self._factor(term)
        return note if note.kind == "name" else self._called(note, letters(term))

    def _ein(self, term: Any, scale: Any = 1) -> Note:
        coef, items, dims = self._flat(term)
        if not (term.shape or self.lines) and len(items) == 1 and is_singular_values(items[0][0]):
            return times(coef * scale, Note("nuclear", (self._factor(items[0][0].args[0]),), None, ()))
        coef, alone = coef * scale, len(items) == 1 and bool(term.shape) and term is not self.shared.root
        signs = [t.kind == "add" and id(t) in self.turned for t, _ in items]
        coef = -coef if sum(signs) % 2 else coef
        turned = to_turn(coef, items, self.names.keys() | self.turned)
        coef = -coef if turned else coef
        notes = []
        for k, (t, s) in enumerate(items):
            minus = k in turned or (signs[k] and id(t) not in self.names)
            note = self.operand(self._negated(t)) if minus else self._multiplied(t, alone)
            notes.append((signed(note)[1] if signs[k] and id(t) in self.names else note, s))
        if self.entries and (notes or term.shape):
            return self._indexed(coef, notes, len(term.shape), term.shape)
        return multiplied_out(IndexGraph(notes, dims, len(term.shape), None if self.lines else self.operand).note(coef))

    def _multiplied(self, term: Any, held: bool) -> Note:
        """The note of a factor: the array of an operation as such, for the product says what it is applied to."""
        if term.kind == "lin" and term.shape and not self.entries and id(term) not in self.names:
            return Note("linear", (), term, term.shape)
        return self._factor(term, held)

    def operand(self, note: Note) -> Note:
        """A note as it stands in matrix notation: by a name if its entries must be written."""
        if self.lines:
            return note
        note = array_of(note) if note.kind == "linear" else note
        if not by_entries(note) or self.entries:
            return note
        return self._called(note, "STUVWMNQR" if note.rank > 1 else "suvwzabcghr")

    def _called(self, note: Note, letters: str) -> Note:
        """A name for a note: the one that it has, if it was defined before."""
        self._calls += 1
        label = next((label for label, known in self.definitions if known == note), "")
        if not label:
            label = fresh(letters, self.taken, self.shared.alike)
            self.definitions.append((label, note))
        return name(label, note.shape)

    def _indexed(self, coef: Any, items: list[Any], rank: int, shape: tuple[int, ...]) -> Note:
        """A product that keeps its indices."""
        inner = {i for _, s in items for i in s if i >= rank}
        if rank == 0 and not inner:
            return product(coef, [n for n, _ in items], None)
        if not inner and all(s == tuple(range(rank)) or not s for _, s in items):
            parts = [n for n, s in items if s]
            return product(coef, [n for n, s in items if not s], hadamard(*parts))
        scalars = [n for n, s in items if not s]
        items = [(n, s) for n, s in items if s]
        body = Note("einsum", tuple([n for n, _ in items]), (tuple([s for _, s in items]), rank), shape)
        return product(coef, scalars, body)

    def _flat(self, term: Any) -> tuple[Any, list[tuple[Any, tuple[int, ...]]], list[int]]:
        """A product's coefficient, factors and sizes, with the products among its factors taken apart."""
        coef, dims = term.coef, list(term.dims)
        items: list[tuple[Any, tuple[int, ...]]] = []
        stack = list(reversed(term.factors))
        while stack:
            t, s = stack.pop()
            if self._is_first_operand(t):
                (operand, r), *_ = t.args
                stack.append((operand, tuple([s[i] for i in r])))
                continue
            if t.kind != "ein" or id(t) in self.names:
                items.append((t, s))
                continue
            coef = coef * t.coef
            labels = [*s, *range(len(dims), len(dims) + len(t.dims) - len(s))]
            dims += t.dims[len(s) :]
            stack.extend([(u, tuple([labels[i] for i in r])) for u, r in reversed(t.factors)])
        return coef, items, dims

    def _is_first_operand(self, term: Any) -> bool:
        """Whether a text has nothing of a term but its first operand, whose values it has where it has any."""
        return term.kind == "map" and term.op.text == "{0}" and not self.lines and id(term) not in self.names

    def _factor(self, term: Any, held: bool = False) -> Note:
        """The note of a value: a truth counts as 0 or 1."""
        return self._truth_as_number(term, self.note(term, held))

    def _defined(self, term: Any, note: Note) -> Note:
        """What a name stands for: ``S = x = y`` is no text, so that there a truth is its 0 or 1 from the start."""
        return note if self.lines else self._truth_as_number(term, note)

    def _truth_as_number(self, term: Any, note: Note) -> Note:
        if term.kind == "data" and term.value.dtype == bool:
            return Note("data", (), type(term)(term.value.astype(float)), term.shape)
        is_truth = term.kind == "map" and term.operation in COMPARISONS  # a call has the bits of whole numbers
        is_number = note.kind == "name" and not self.lines
        return Note("iverson", (note,), None, note.shape) if is_truth and not is_number else note

    def _negated(self, term: Any) -> Note:
        """The note of minus a sum, or of minus an odd power or the inverse of one."""
        if term.kind == "map":
            return power(self._write(term.children[0], -1), term.params[0])
        if is_inverse(term):
            return Note("inv", (self._write(term.args[0], -1),), None, term.shape)
        return self._write(term, -1)

    def _add(self, term: Any, sign: int = 1) -> Note:
        bit = self.shared.bits.get(id(term), 0)
        self._sign((bit, 0) if sign > 0 else (0, bit))
        operands, shape, full = _narrowed([(t, s) for _, t, s in term.terms], term.shape)
        whole, held = tuple(range(len(shape))), term is not self.shared.root
        notes: list[Note] = []
        for (c, _, _), (t, s) in zip(term.terms, operands):
            if t.kind == "ein" and id(t) not in self.names:
                note = self._write(t, c * sign)
            else:
                note = multiplied_out(times(c * sign, self._factor(t, held)))
            notes += [_placed(n, s, shape) for n in (parts_of(note) if s == whole else [note])]
        return full(summed(notes, shape))

    def _map(self, term: Any) -> Note:
        operands, shape, full = _narrowed(term.args, term.shape)
        if self._is_first_operand(term):
            (operand, s), *_ = operands
            return full(placed(self.note(operand, term is not self.shared.root), s, shape))
        held = term is not self.shared.root
        exponent = term.exponent
        if exponent != 1:
            ((base, s),) = operands
            even = isinstance(exponent, int) and exponent % 2 == 0
            inner = self._negated(base) if even and self._to_negate(base) else self._factor(base, held)
            inner = signed(inner)[1] if even else inner
            return full(power(placed(inner, s, shape), exponent))
        truths = truths_of(term)
        args = [(self.note if k in truths else self._factor)(a, held) for k, (a, _) in enumerate(operands)]
        parts = tuple([placed(a, s, shape) for a, (_, s) in zip(args, operands)])
        op, parts = _of_two_sides(term.op, parts, shape)
        return full(Note("map", parts, (op, term.params), shape))

    def _to_negate(self, term: Any) -> bool:
        """Whether a square had better be that of minus a sum: as elsewhere, or as it takes an array from a number."""
        if term.kind != "add" or id(term) in self.names:
            return False
        if id(term) in self.turned or len(term.terms) != 2 or not term.shape:
            return id(term) in self.turned
        terms = [(c * t.coef if t.kind == "ein" else c, t, s) for c, t, s in term.terms]
        high, low = sorted(terms, key=lambda p: len(p[2]), reverse=True)
        plain = low[1].kind == "ein" and not low[1].factors
        return is_negative(high[0]) and not is_negative(low[0]) and len(low[2]) < len(high[2]) and not plain

    def _call(self, term: Any) -> Note:
        if term.operation == "stack" and term.rank <= 2 and term.params[0] == 0:
            parts = tuple(map(self._factor, term.args))
            if all(p.kind == "table" or not p.shape for p in parts):
                return Note("table", parts, None, term.shape)
        if term.operation == "amax" and not term.shape and is_singular_values(term.args[0]) and not self.lines:
            return Note("spectral", (self._factor(term.args[0].args[0]),), None, ())
        if self._is_decomposed(term):
            return self._of_decomposition(term)
        truths = [k for k, a in enumerate(term.args) if term.op.truth or (k in term.op.places and a.kind == "data")]
        args = tuple([self.note(a) if k in truths else self._factor(a) for k, a in enumerate(term.args)])
        if is_inverse(term):
            return Note("inv", args, None, term.shape)
        if term.operation == "slogdet" and term.out == 1 and _is_definite(term.args[0]) and not self.lines:
            det = Note("call", args, (TABLE["det"], (), None), ())
            return Note("map", (det,), (TABLE["log"], ()), ())
        return Note("call", args, (term.op, term.params, term.out), term.shape)


def is_singular_values(term: Any) -> bool:
    """Whether it is the singular values of a matrix."""
    return term.operation == "svd" and term.out == 1 and term.rank == 1


def _is_definite(term: Any) -> bool:
    """Whether a matrix plainly is positive definite, so that its determinant is positive."""
    while term.operation == "inv":
        (term,) = term.args
    return term.kind == "var" and "pd" in term.properties


_MIRRORED = {"eq": "eq", "ne": "ne", "gt": "lt", "lt": "gt", "ge": "le", "le": "ge"}


def _of_two_sides(op: Any, parts: tuple[Note, ...], shape: Shape) -> tuple[Any, tuple[Note, ...]]:
    """A comparison with each term on the side where it has no minus, if that is shorter: S > K for K − S < 0."""
    if op.name not in _MIRRORED or all(p.kind != "add" for p in parts):
        return op, parts
    (first, second), given = parts, op
    terms = [signed(t) for t in [*parts_of(first), *[times(-1, t) for t in parts_of(second)]]]
    sides = [[t for has, t in terms if has is minus and t != number(0)] for minus in (False, True)]
    left, right = [summed(side, shape) if side else number(0) for side in sides]
    if left.kind == "number" or (op.name in ("lt", "le") and right.kind != "number" and number(0) in parts):
        op, left, right = TABLE[_MIRRORED[op.name]], right, left
    shorter = tokens(left) + tokens(right) < tokens(first) + tokens(second)
    return (op, (left, right)) if shorter else (given, parts)


def _narrowed(operands: Sequence[Operand], shape: Shape) -> tuple[Sequence[Operand], Shape, Callable[[Note], Note]]:
    """Operands without the result's axes that none of them has, and what gives the result these axes again."""
    covered = sorted({i for _, s in operands for i in s})
    if len(covered) == len(shape):
        return operands, shape, lambda note: note
    place = {i: k for k, i in enumerate(covered)}
    narrow = [(t, tuple([place[i] for i in s])) for t, s in operands]

    def full(note: Note) -> Note:
        return Note("full", (placed(note, tuple(covered), shape),), None, shape)

    return narrow, tuple([shape[i] for i in covered]), full


def _placed(note: Note, indices: tuple[int, ...], shape: tuple[int, ...]) -> Note:
    """A summand put at some of the sum's axes, its coefficient in front."""
    if note.kind == "product" and note.info[1]:
        body = placed(note.parts[-1], indices, shape)
        return Note("product", (*note.parts[:-1], body), note.info, body.shape)
    return placed(note, indices, shape) if note.shape else note
