"""Notation as a small tree: what a formula says before any back end writes it; numbers, and unrolled loops."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar

from .. import _limits
from .._limits import bound

# -------------------------- Numbers as one would write them: exact fractions, and the constants that floats stand for

# The idea to hold: a number is printed as a fraction of digits and constants only if that very float (or its neighbour)
# is what the fraction computes; every other float is printed with all its digits.


class Fractured(NamedTuple):
    """A number as numerator and denominator: integers, and the name of a constant in either."""

    top: int | str
    over: str
    bottom: int | str
    under: str


_CONSTANTS = (
    # value, constant above, constant below
    (math.pi, "pi", ""),
    (math.sqrt(2), "sqrt2", ""),
    (1 / math.sqrt(2), "", "sqrt2"),
    (math.sqrt(math.pi), "sqrtpi", ""),
    (1 / math.sqrt(math.pi), "", "sqrtpi"),
    (math.sqrt(2 / math.pi), "sqrt2overpi", ""),
    (1 / math.sqrt(2 * math.pi), "", "sqrt2pi"),
    (math.sqrt(2 * math.pi), "sqrt2pi", ""),
    (1 / math.pi, "", "pi"),
    (math.log(2), "ln2", ""),
    (1 / math.log(2), "", "ln2"),
    (math.log(10), "ln10", ""),
    (1 / math.log(10), "", "ln10"),
    (math.pi**2, "pi2", ""),
    (math.log(2 * math.pi), "ln2pi", ""),
    (math.log(2 * math.pi) + 1, "ln2pie", ""),
    (math.log(2) + 1, "ln2e", ""),
    (math.sqrt(3), "sqrt3", ""),
    (math.e, "e", ""),
    (1 / math.e, "", "e"),
)
_BOTTOMS = (1, 2, 3, 4, 6, 8, 12, 16)
_PARTS = bound(60)
"""Parts of 1 that an exponent of e is a whole number of."""
_LARGEST_EXPONENT, _LARGEST_ROOT = bound(12), bound(32)
"""The exponents of e, and the numbers whose roots and logarithms floats may be."""


def fractured(value: Any, named: bool = True) -> Fractured:
    """A number in its parts; a minus is in ``top``. ``named`` says whether constants may be written by their names."""
    if isinstance(value, Fraction):
        return Fractured(value.numerator, "", value.denominator, "")
    if named and isinstance(value, float):
        found = _named(abs(value))
        if found is not None:
            return found._replace(top=-found.top) if value < 0 else found  # type: ignore[operator]
    return _over_a_decimal(value, named) if isinstance(value, float) else Fractured(digits(value), "", 1, "")


def _over_a_decimal(value: float, named: bool) -> Fractured:
    """A float as a small number, or so many π, over a short decimal fraction, 1/8.314, if it is that and has many
    digits itself."""
    size = abs(value)
    for constant, over in (
        ((1.0, ""), *[(math.pi, "pi")] * named) if len(repr(size)) > _LONG and size < math.inf else ()
    ):
        for top in (1, 2, 3, 4):
            bottom = float(f"{top * constant / size:.6g}")
            if len(repr(bottom)) <= _SHORT and bottom and abs(top * constant / bottom - size) <= math.ulp(size):
                return Fractured(-top if value < 0 else top, over, digits(bottom), "")
    return Fractured(digits(value), "", 1, "")


_LONG, _SHORT = bound(12), bound(7)
"""Signs of a float that is written as a fraction, and of the fraction's denominator."""


@lru_cache(maxsize=_limits.FRACTIONS)
def _named(value: float) -> Fractured | None:
    if not 1e-6 < value < 1e6 or len(repr(value)) < 12:
        return None
    found = []
    for constant, over, under in _CONSTANTS:
        ratio = value / constant
        for bottom in _BOTTOMS:
            top = round(ratio * bottom)
            if (
                1 <= top <= _limits.MULTIPLE
                and math.gcd(top, bottom) == 1
                and abs(constant * top / bottom - value) <= 2 * math.ulp(value)
            ):
                found.append(Fractured(top, over, bottom, under))
    for top, bottom in [] if found else _ratios():
        found += [Fractured(top, over, bottom, "") for over in _functions(value * bottom / top)]
        found += [Fractured(top, "", bottom, under) for under in _functions(top / bottom / value)]
    return min(found, key=lambda f: (int(f.top) * int(f.bottom), len(f.over + f.under), f.over == ""), default=None)


@cache
def _ratios() -> list[tuple[int, int]]:
    """The small fractions that functions of numbers are multiplied with."""
    pairs = itertools.product(range(1, _limits.MULTIPLE + 1), _BOTTOMS)
    return [(top, bottom) for top, bottom in pairs if math.gcd(top, bottom) == 1 and top * bottom <= _limits.MULTIPLE]


def _functions(value: float) -> Iterator[str]:
    """The functions of a small number that a float is: "exp 2/3", "log 3", "5 1/3" for its root."""
    near = 2 * math.ulp(value)
    k = round(math.log(value) * _PARTS)
    if abs(math.exp(k / _PARTS) - value) <= near and 0 < k <= _PARTS * _LARGEST_EXPONENT:
        yield f"exp {Fraction(k, _PARTS)}"
    n = round(math.exp(value)) if value < 4 else 0
    if 1 < n <= _LARGEST_ROOT and abs(math.log(n) - value) <= near:
        yield f"log {n}"
    for order in (2, 3, 4):
        n = round(value**order) if value < _LARGEST_ROOT else 0
        bare = all(n % d**order for d in range(2, n + 1))  # 2√6, and not √24
        if 1 < n <= _LARGEST_ROOT and bare and abs(n ** (1 / order) - value) <= near:
            yield f"{n} 1/{order}"


def powers_of_ten(text: str) -> tuple[str, int] | None:
    """``6.3e-06`` as ("6.3", −6); None if a number is not written like that."""
    mantissa, e, exponent = text.partition("e")
    plain = bool(e) and mantissa.lstrip("-").replace(".", "", 1).isdigit()
    return (mantissa, int(exponent)) if plain and exponent.lstrip("+-").isdigit() else None


def digits(value: Any) -> int | str:
    """A number in digits: 2.0 as 2, an int as itself."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e16 else repr(value)
    return repr(value.item() if hasattr(value, "item") else value)


# --------------------------------------- Notation as a small tree: what a formula says, before any back end writes it

# The idea to hold: every `Note` is an array with a shape, like the terms, but its kinds are those of the textbook
# (matrix product, transpose, Hadamard product, norm, …) where the terms know only ``Ein``. A back end is one fold over
# notes; the kinds and what they mean:
#
# ========== ==================================== ===============================================================
# kind       parts                                info
# ========== ==================================== ===============================================================
# name                                            the symbol's name, and whether it is symmetric
# number                                          its value
# data                                            the ``Data`` term
# table      numbers, or a table for each row     (an array by its entries)
# zeros                                           (the shape says which)
# ones, eye                                       (the shape says which)
# places                                          1, 2, … at the entries of a column, or 0, 1, …: the first of them
# T          matrix
# inv        matrix                               its matrix inverse
# chain      matrices, perhaps a vector last      their product; ``diag`` among them scales rows or columns
# dot        two vectors
# outer      two vectors
# inner      two arrays of one shape              the sum of their entry-wise product
# square     array                                the sum of its squares
# nuclear, spectral  matrix                       the sum, or the largest, of its singular values
# factors    matrix, U, s, V                      the decomposition that it has: U diag(s) Vᵀ
# trace      matrix
# sum        array                                the axes summed, or None for all
# mean       array                                (of all entries)
# diag       vector
# diagpart   matrix                               its diagonal, as a vector
# had        arrays of one shape, scalars         their entry-wise product
# product    scalars, then perhaps an array       the coefficient, and whether an array comes last
# iverson    truth                                its 0 or 1
# pow        array                                the exponent, a number
# add        arrays, scalars                      a sign for each
# map        arrays, scalars                      the operation and its parameters
# call       arrays                               the operation, its parameters, the output's number
# bcast      array                                where its axes go: it is constant along the others
# full       array                                the same, told to have all of its shape's axes
# kron       two matrices                         fourth order: ``out[a, b, c, d] = P[a, c] Q[b, d]``
# kronswap   two matrices                         ``out[a, b, c, d] = P[a, d] Q[b, c]``
# vecvec     two matrices                         ``out[a, b, c, d] = P[a, b] Q[c, d]``
# diagvec    matrix                               ``out[a, b, a, b] = P[a, b]``
# kronvec    a matrix and a vector, in any order  third order, as ``einsum``: ``P ⊗ vᵀ``, ``P ⊗ v`` or ``v ⊗ P``
# einsum     arrays                               the indices of each, how many of them are the output's
# index      array                                what is taken along each of its axes: a slice, a number, numbers
# loop       array                                the letter of its steps, the first one and the last
# series     number                               the same: the sum of it over the steps
# lin        array                                the ``Lin`` term applied to it, and whether as its transpose
# linear                                          the ``Lin`` term itself
# images     what an operation makes of an array  the part that is a unit array: ``out[…, at] = op(unit at)[…]``
# jac        call, and its operand in a text      which operand
# sign                                            the piece of text that it is
# constant   number                               (a tensor of one number, in PyTorch)
# ========== ==================================== ===============================================================


class _Fields(NamedTuple):
    kind: str
    parts: tuple[Note, ...]
    info: Any
    shape: tuple[int, ...]


class Note(_Fields):
    """A piece of notation; see the table in the module's text."""

    @property
    def rank(self) -> int:
        """How many axes it has."""
        return len(self.shape)


def name(text: str, shape: tuple[int, ...], symmetric: bool = False) -> Note:
    """A symbol."""
    return Note("name", (), (text, symmetric), shape)


def filled(kind: str, shape: tuple[int, ...]) -> Note:
    """An array of which its size says all: ones, zeros, an identity."""
    return Note(kind, (), None, shape)


def number(value: Any) -> Note:
    """A number."""
    return Note("number", (), value, ())


def size(n: int) -> Note:
    """The size of an axis, as a number."""
    label = getattr(n, "name", None)
    more = dict(n.terms).get((), 0) if label else 0  # type: ignore[attr-defined]
    if more:
        return Note("add", (size(n - more), number(abs(more))), (1, 1 if more > 0 else -1), ())
    return name(label, ()) if label else number(int(n))


def entries_of(table: Note) -> list[Note]:
    """The numbers in a table, row by row."""
    return [e for p in table.parts for e in entries_of(p)] if table.kind == "table" else [table]


def once(fold: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose results stay with the note: notes are compared again and again."""

    def inside(note: Note, *others: Any) -> Any:
        known: dict[Any, Any] = note.__dict__
        key = (fold.__name__, *others)
        if key not in known:
            known[key] = fold(note, *others)
        return known[key]

    return inside


@once
def transposes(note: Note) -> int:
    """How many signs of transposition it shows."""
    return (note.kind == "T") + sum([transposes(p) for p in note.parts])


@once
def length(note: Note) -> int:
    """How many symbols and signs it shows, about."""
    return 1 + sum([length(p) for p in note.parts])


@once
def spellings(note: Note) -> tuple[str, str]:
    """Its symbols in the order of reading, to sort by; and with a mark for transposition."""
    if note.kind == "name":
        return (str(note.info[0]),) * 2
    plain, marked = ["".join(words) for words in zip(*map(spellings, note.parts), strict=True)] or ("", "")
    return plain, marked + ("ᵀ" if note.kind == "T" else "")


def _reading_order(minus: bool, note: Note) -> tuple[Any, ...]:
    """What the terms of a sum are sorted by: positive ones first, long ones before short ones; numbers at the ends."""
    last = (note.kind == "number") == minus  # 1 + x − y, x − y − 1
    return minus, last, note.kind == "bcast", -_bulk(note), transposes(note)


@once
def _bulk(note: Note) -> int:
    """How long a note is, transposes not counted."""
    return (note.kind != "T") + sum([_bulk(p) for p in note.parts])


Name = TypeVar("Name")
Definition = TypeVar("Definition")


def each_after(known: dict[Name, Definition], uses: Callable[[Definition], Iterable[Any]]) -> dict[Name, Definition]:
    """Definitions, each after those that it uses, else as they stand."""
    done: dict[Name, Definition] = {}
    for start in known:
        stack = [(start, False)]
        while stack:
            label, ready = stack.pop()
            if ready:
                done.setdefault(label, known[label])
            elif label in known and label not in done:
                others = [(used, False) for used in uses(known[label]) if used != label]
                stack += [(label, True), *others[::-1]]
    return done


def in_order(terms: Iterable[tuple[bool, Note]], shape: tuple[int, ...]) -> Note:
    """A sum in the order of reading, of terms and whether a minus is before each."""
    keyed = [(_reading_order(*term), term) for term in terms]
    if len({key for key, _ in keyed}) < len(keyed):  # spellings, which take long, decide what is equal otherwise
        keyed = [((*key, *spellings(term[1])), term) for key, term in keyed]
    terms = by_degree([term for _, term in sorted(keyed, key=lambda pair: pair[0])])
    return Note("add", tuple([n for _, n in terms]), tuple([-1 if minus else 1 for minus, _ in terms]), shape)


def by_degree(terms: list[tuple[bool, Note]]) -> list[tuple[bool, Note]]:
    """The terms of a polynomial in one letter from the highest power on, ``3x⁴ − 2x² + 7x − 5``; from the lowest where
    the highest has a minus and that has none, ``1 + 3x − x²``."""
    found = [_monomial(note) for _, note in terms]
    letters = {letter for monomial in found if monomial for letter in monomial[:1] if letter}
    degrees = {monomial[1]: k for k, monomial in enumerate(found) if monomial}
    if len(letters) != 1 or not 2 < len(terms) == len(degrees):
        return terms
    down = [terms[degrees[degree]] for degree in sorted(degrees, reverse=True)]
    return down[::-1] if down[0][0] and not down[-1][0] else down


def _monomial(note: Note) -> tuple[str, int] | None:
    """The letter and the degree of ``7x³``."""
    if note.shape:
        return None
    if note.kind == "product" and len(note.parts) == 1:
        return _monomial(note.parts[0])
    base = note.parts[0] if note.kind == "pow" else note
    degree = note.info if note.kind == "pow" else 1
    if note.kind == "number":
        return "", 0
    whole = isinstance(degree, int) and degree > 0
    return (str(base.info[0]), degree) if base.kind == "name" and whole else None


def negated(note: Note) -> Note:
    """Minus a sum, as a sum."""
    return in_order([(sign > 0, p) for sign, p in zip(note.info, note.parts)], note.shape)


def is_backwards(note: Note) -> bool:
    """Whether a difference takes an array from what is the same along some of its axes: mean(x) − x."""
    if note.kind != "add" or note.info != (1, -1):
        return False
    same = [p.kind == "bcast" or p.rank < note.rank for p in note.parts]
    return same == [True, False] and note.parts[0].kind != "number"


@once
def has_minus(note: Note) -> bool:
    """Whether a minus stands in front of something in it."""
    first = note.info[0] if note.kind in ("product", "add") else note.info if note.kind == "number" else 0
    return is_negative(first) or True in [has_minus(p) for p in note.parts]


@once
def transpose(note: Note) -> Note:
    """The transpose of a matrix, without the sign where that can be."""
    kind, parts = note.kind, note.parts
    shape = note.shape[::-1]
    if kind == "T":
        return parts[0]
    if (
        kind in ("eye", "diag")
        or (kind == "name" and note.info[1])
        or (kind == "inv" and transpose(parts[0]) == parts[0])
    ):
        return note
    if kind == "chain":
        return Note("chain", tuple([transpose(p) for p in reversed(parts)]), None, shape)
    if kind == "outer":
        return Note("outer", parts[::-1], None, shape)
    if kind == "product" and note.info[1]:
        return Note("product", (*parts[:-1], transpose(parts[-1])), note.info, shape)
    if kind == "bcast":
        return Note("bcast", parts, tuple([1 - i for i in note.info]), shape)
    if kind == "einsum":
        swapped = tuple([tuple([1 - i if i < 2 else i for i in s]) for s in note.info[0]])
        return Note("einsum", parts, (swapped, 2), shape)
    if kind in ("add", "had", "map", "pow", "full", "iverson"):
        turned = tuple([transpose(p) if p.rank == 2 else p for p in parts])
        inside = Note(kind, turned, note.info, shape)
        if kind == "add":
            inside = in_order(zip([sign < 0 for sign in note.info], turned), shape)
        if transposes(inside) <= transposes(note) or kind == "full":
            return inside
    return Note("T", (note,), None, shape)


def chain(*parts: Note) -> Note:
    """A product of matrices, the last one perhaps a vector."""
    flat: list[Note] = []
    for p in parts:
        flat.extend(p.parts if p.kind == "chain" else (p,))
    shape = (flat[0].shape[0], flat[-1].shape[1]) if flat[-1].rank == 2 else (flat[0].shape[0],)
    flat = [p for p in flat if p.kind != "eye"] or flat[-1:]
    return flat[0] if len(flat) == 1 else Note("chain", tuple(flat), None, shape)


def factors_of(note: Note) -> tuple[Any, list[Note], Note | None]:
    """The coefficient, the scalars and the array of a product."""
    coef, has_body = note.info
    return (coef, list(note.parts[:-1]), note.parts[-1]) if has_body else (coef, list(note.parts), None)


def product(coef: Any, scalars: list[Note], body: Note | None) -> Note:
    """A coefficient, scalars and an array, in one."""
    if body is not None and body.kind == "product":
        inner_coef, inner_scalars, body = factors_of(body)
        coef, scalars = coef * inner_coef, scalars + inner_scalars
    for inner in [s for s in scalars if s.kind in ("product", "number")]:
        scalars = [s for s in scalars if s is not inner] + list(inner.parts)
        coef = coef * (inner.info if inner.kind == "number" else inner.info[0])
    if coef == 0 and body is not None:
        return filled("zeros", body.shape)
    coef, scalars, body = _with_signs_inside(coef, _means(scalars), body)
    parts = sorted(scalars, key=order)
    if not parts and (body is None or coef == 1):
        return number(coef) if body is None else body
    if coef == 1 and body is None and len(parts) == 1:
        return parts[0]
    if body is not None:
        parts.append(body)
    return Note("product", tuple(parts), (coef, body is not None), body.shape if body is not None else ())


def _with_signs_inside(coef: Any, scalars: list[Note], body: Note | None) -> tuple[Any, list[Note], Note | None]:
    """A minus before a product goes into a difference in it, −(1 − a)/x is (a − 1)/x; so does that of (mean(x) − x)."""
    place = next((k for k, s in enumerate(scalars) if _is_difference(s)), None)
    turned = body is not None and not is_negative(coef) and is_backwards(body)
    if place is None or not (turned or is_negative(coef)):
        return coef, scalars, body
    other = _opposite(scalars[place])
    scalars = [*scalars[:place], other, *scalars[place + 1 :]]
    return (coef, scalars, negated(body)) if turned and body is not None else (-coef, scalars, body)


def _is_difference(note: Note) -> bool:
    """Whether it is a sum with a minus in it, what is divided by an odd power of one, or the product of a vector with
    one."""
    base = note.parts[0] if note.kind == "pow" and note.info in (-1, -3) else note
    base = note.parts[1] if note.kind == "dot" else base
    return base.kind == "add" and -1 in base.info


def _opposite(note: Note) -> Note:
    """Minus a difference, by turning the signs in it."""
    if note.kind == "dot":
        return note._replace(parts=(note.parts[0], negated(note.parts[1])))
    return negated(note) if note.kind == "add" else power(negated(note.parts[0]), note.info)


def _means(scalars: list[Note]) -> list[Note]:
    """Factors with sum(x) and what it is divided by as mean(x), where that is the size of x."""
    for k, s in enumerate(scalars):
        sizes = [size(n) for n in s.parts[0].shape] if s.kind == "sum" and s.info is None else []
        rest: list[Note] | None = [*scalars[:k], *scalars[k + 1 :]]
        for n in sizes:
            rest = None if rest is None or n.kind != "name" else _divided(rest, n)
        if sizes and rest is not None:
            return _means([*rest, Note("mean", s.parts, None, ())])
    return scalars


def _divided(scalars: list[Note], n: Note) -> list[Note] | None:
    """Factors without one of the n that they are divided by; None if there is none."""
    for k, s in enumerate(scalars):
        if s.kind == "pow" and s.parts == (n,) and isinstance(s.info, int) and s.info < 0:
            return [*scalars[:k], *([power(n, s.info + 1)] if s.info < -1 else []), *scalars[k + 1 :]]
    return None


LAST = "\ue000"
"""Stands before names that come last in a product, differentials: exp(t) dt. Whoever writes the text takes it away."""


def order(note: Note) -> tuple[Any, ...]:
    """Factors are sorted by this: simple symbols before their roots, these before what is compound."""
    inner, rank = note, 0
    while inner.kind in ("pow", "T"):
        rank = 1 if isinstance(inner.info, Fraction) else rank
        inner = inner.parts[0]
    if inner.kind == "name":
        return (10 if inner.info[0].startswith(LAST) else rank), inner.info[0]
    return min(length(note), 9), ""


def hadamard(*parts: Note) -> Note:
    """The entry-wise product of arrays of one shape."""
    flat: list[Note] = []
    for p in parts:
        flat.extend(p.parts if p.kind == "had" else (p,))
    shape = flat[0].shape
    flat = [p for p in flat if p.kind != "ones"] or flat[:1]
    chains = [p for p in flat if p.kind == "chain"]
    again = [p for k, p in enumerate(chains) if p not in chains[:k] and p in chains[k + 1 :]]  # BSBᵀ ⊙ BSBᵀ: (BSBᵀ)^∘2
    flat = [p for p in flat if p not in again] + [power(p, flat.count(p)) for p in again]
    return flat[0] if len(flat) == 1 else Note("had", tuple(sorted(flat, key=order)), None, shape)


def is_divisor(note: Note) -> bool:
    """Whether a factor is a negative power and goes into the denominator."""
    return is_negative(note.info) if note.kind == "pow" else note.kind == "map" and _positive_exponent(note) is not None


def inverted(note: Note) -> Note:
    """What a divisor divides by."""
    base, exponent = note.parts[0], _positive_exponent(note)
    if exponent is not None:
        return Note("map", (base, exponent), note.info, note.shape)
    return base if note.info == -1 else Note("pow", (base,), -note.info, note.shape)


def _positive_exponent(note: Note) -> Note | None:
    """The exponent of what a factor divides by: g of r^(−g), a + 1 of x^(−a − 1)."""
    if note.kind != "map" or note.info[0].name != "pow_tensor" or note.rank > 1:
        return None
    exponent = note.parts[1]
    if exponent.kind == "product" and is_negative(exponent.info[0]):
        coef, scalars, body = factors_of(exponent)
        return product(-coef, scalars, body)
    if exponent.kind == "add" and set(exponent.info) == {-1}:
        return in_order([(False, part) for part in exponent.parts], exponent.shape)
    return None


def above_and_below(factors: Iterable[Note]) -> tuple[list[Note], list[Note]]:
    """The factors of a numerator, and what the denominator has in place of the negative powers."""
    above: list[Note] = []
    below: list[Note] = []
    for p in factors:
        if is_divisor(p):
            below.append(inverted(p))
        else:
            above.append(p)
    return above, below


def diagonal_matrix(vector: Note) -> Note:
    """The matrix with a vector on its diagonal."""
    return Note("diag", (vector,), None, vector.shape * 2)


def power(base: Note, exponent: Any) -> Note:
    """A power, powers of powers in one where that is exact."""
    if base.kind == "pow" and isinstance(exponent, int) and isinstance(base.info, int):
        return Note("pow", base.parts, base.info * exponent, base.shape)
    if base.kind == "pow" and base.info == -1 and isinstance(exponent, Fraction):  # √(1/x) is 1/√x
        return Note("pow", base.parts, -exponent, base.shape)
    return Note("pow", (base,), exponent, base.shape)


def placed(note: Note, indices: tuple[int, ...], shape: tuple[int, ...]) -> Note:
    """An array put at some of a result's axes, constant along the others."""
    rank = len(shape)
    if indices == tuple(range(rank)) or not indices:
        return note
    if sorted(indices) == list(range(rank)):
        if rank == 2:
            return transpose(note)
        return Note("einsum", (note,), ((indices,), rank), shape)
    if note.kind == "pow" and is_negative(note.info):  # 1/(u𝟏ᵀ), which others may be divided by, is (1/u)𝟏ᵀ
        return Note("pow", (Note("bcast", note.parts, indices, shape),), note.info, shape)
    return Note("bcast", (note,), indices, shape)


COMPARISONS = {
    "eq": "=", "ne": "≠", "lt": "<", "le": "≤", "gt": ">", "ge": "≥",
    "logical_and": "∧", "logical_or": "∨", "logical_xor": "⊕", "logical_not": "¬",
    "bitwise_and": "∧", "bitwise_or": "∨", "bitwise_xor": "⊕", "bitwise_not": "¬",
    "isnan": "", "isinf": "", "isfinite": "", "isclose": "", "signbit": "",
}  # fmt: skip
"""Operations whose value is a truth, with their signs; as factors they are 0 or 1."""

_TRUTHS = {"where": (0,), "keep": (1,), "masked_fill": (1,)}
_OF_TRUTHS = ("logical_", "bitwise_")


def truths_of(term: Any) -> Sequence[int]:
    """Which operands of an operation are truths and not numbers."""
    same = term.operation in ("eq", "ne") and all(a.operation in COMPARISONS for a, _ in term.args)
    if same or term.operation.startswith(_OF_TRUTHS):
        return range(len(term.args))
    return _TRUTHS.get(term.operation, ())


def is_real(value: Any) -> bool:
    """Whether it is a real number (which has a sign)."""
    return isinstance(value, (int, float, Fraction))


def is_negative(value: Any) -> bool:
    """Whether it is a real number with a minus."""
    return is_real(value) and value < 0


def by_entries(note: Note) -> bool:
    """Whether it has no matrix notation: its entries must be written."""
    kind = note.kind
    if kind in ("einsum", "images"):
        return True
    if kind == "bcast" and note.rank > 2:
        return True
    if kind in ("product", "add", "full", "had", "pow", "map", "iverson", "bcast") or (kind == "sum" and note.info):
        return True in [by_entries(p) for p in note.parts]
    return False


# -------------------------------------------------------------------------------------------------------------------
# Loops that were unrolled: ``hₜ = tanh(Whₜ₋₁ + UX[t]) for t = 1 … 5`` for five definitions that differ in a number

# The idea to hold: an unrolled loop is a line of terms of one make, each inside the next. Its terms are named h₀, h₁,
# …, and laid out; where the definitions differ only in numbers of places that go up (or down) with the name's own, one
# line says them all. What is written is the definitions themselves with t for a number, so that it means what they
# mean.


class LoopIndex(str):
    """A place that goes with the steps of a loop: ``t``, ``t-1``, ``9-t``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def unrolled_loops(terms: list[Any]) -> list[list[Any]]:
    """Lines of terms of one make, each the only one of this make that the next one is directly made of; long ones.

    A line's first term may be the one that is alike but for its operands: what a loop starts with is often a number.
    """
    numbers: dict[Any, int] = {}
    makes = {id(t): [numbers.setdefault(make, len(numbers)) for make in _makes(t)] for t in terms}
    close = Counter([make[0] for make in makes.values() if make])
    long = {m for make in makes.values() if make and close[make[0]] > _limits.LOOP_STEPS for m in make}
    if not long:
        return []
    inside: dict[int, dict[int, Any]] = {}  # of each term, the outermost terms of each make in it
    for term in terms:
        found: dict[int, Any] = {}
        for child in term.children:
            own = dict.fromkeys([m for m in makes[id(child)] if m in long], child)
            for make, one in {**inside[id(child)], **own}.items():
                found[make] = one if found.get(make, one) is one else None
        inside[id(term)] = found
    taken: set[int] = set()
    lines = []
    for last in reversed(terms):
        line, term = [], last if makes[id(last)] else None
        while term is not None and id(term) not in taken:
            taken.add(id(term))
            line.append(term)
            term = inside[id(term)].get(makes[id(term)][0])
        lines.append(line[::-1])
    lines = [line for line in lines if len(line) > _limits.LOOP_STEPS and _symbols(line, -1) == _symbols(line, -2)]
    known = {id(term) for line in lines for term in line}
    starts = [inside[id(line[0])].get(makes[id(line[0])][1]) for line in lines]
    return [
        [start, *line] if start and id(start) not in known else line for start, line in zip(starts, lines, strict=True)
    ]


def _symbols(line: list[Any], k: int) -> set[str]:
    """The names of symbols in a step of a line, those inside the step before left out: layers have one each."""
    found: set[str] = set()
    stack, seen = [line[k]], {id(line[k - 1])}
    while stack:
        for child in stack.pop().children:
            if child.kind == "var":
                found.add(child.name)
            elif id(child) not in seen:
                seen.add(id(child))
                stack.append(child)
    return found


def _makes(term: Any) -> list[Any]:
    """What terms of one line have in common, closely and loosely; nothing for what is no step of a loop."""
    if term.kind not in ("map", "add"):
        return []
    loose = term.kind, term.operation if term.kind == "map" else "", term.shape
    return [(*loose, tuple(sorted([c.kind for c in term.children]))), loose]


def folded(definitions: list[tuple[str, Note]], labels: list[str], letter: str) -> list[tuple[str, Note]] | None:
    """Definitions with those of the labels said once for all steps from some step on; None if they do not repeat."""
    notes = dict(definitions)
    steps = [_taken_apart(notes[label]) for label in labels]
    first = len(steps) - 1
    while first and steps[first - 1][0] == steps[-1][0] and len(steps[first - 1][1]) == len(steps[-1][1]):
        first -= 1
    while len(steps) - first > _limits.LOOP_STEPS:
        places = _places([numbers for _, numbers in steps[first:]], first, letter)
        if places is not None:
            break
        first += 1  # the first step may be of the same form and read other places
    else:
        return None
    loop = Note("loop", (_with_places(notes[labels[first]], iter(places)),), (letter, first, len(labels) - 1), ())
    base = labels[0].partition("[")[0]
    gone = set(labels[first + 1 :])
    kept = [(f"{base}[{letter}]", loop) if label == labels[first] else (label, n) for label, n in definitions]
    return [(label, n) for label, n in kept if label not in gone]


def series(note: Note, letter: str) -> Note:
    """A note whose sums of terms that differ in places only, from step to step, are written with a Σ."""
    note = note._replace(parts=tuple([series(p, letter) for p in note.parts]))
    if note.kind != "add" or note.shape:
        return note
    alike: dict[Any, list[tuple[list[int], Note]]] = {}
    for sign, part in zip(note.info, note.parts, strict=True):
        make, numbers = _taken_apart(part)
        alike.setdefault((sign, make), []).append((numbers, part))
    inside: dict[tuple[int, int], list[tuple[int, Note]]] = {}
    rest: list[tuple[int, Note]] = []
    for (sign, _), group in alike.items():
        group.sort(key=lambda member: member[0])
        first = min(group[0][0], default=0)
        places = _places([numbers for numbers, _ in group], first, letter) if len(group) > _limits.LOOP_STEPS else None
        if places is None:
            rest += [(sign, part) for _, part in group]
        else:
            span = first, first + len(group) - 1
            inside.setdefault(span, []).append((sign, _with_places(group[0][1], iter(places))))
    found = [(1, Note("series", (_sum(terms),), (letter, *span), ())) for span, terms in inside.items()]
    return _sum([*found, *rest]) if inside else note


def _sum(terms: list[tuple[int, Note]]) -> Note:
    signs, parts = zip(*terms, strict=True)
    return parts[0] if signs == (1,) else Note("add", parts, signs, ())


def _places(steps: list[list[int]], first: int, letter: str) -> list[Any] | None:
    """What stands at each place of a step: a number, or what the letter makes of it."""
    found: list[Any] = []
    for numbers in zip(*steps, strict=True):
        moves = {b - a for a, b in itertools.pairwise(numbers)}
        move, start = moves.pop(), numbers[0]
        if moves or move not in (-1, 0, 1):
            return None
        more = start - first
        plus = f"{letter}{more:+d}" if more else letter
        found.append(start if not move else LoopIndex(plus if move > 0 else f"{start + first}-{letter}"))
    return found


def _entry(name: str) -> tuple[str, list[int]]:
    """What an entry is one of, and its places: those of a step of a loop, h[t], are letters, and part of its name."""
    of, _, places = name.partition("[")
    numbers = places.rstrip("]").split(", ") if places else []
    return (of, [int(k) for k in numbers]) if all(k.isdecimal() for k in numbers) else (name, [])


def _taken_apart(note: Note) -> tuple[Any, list[int]]:
    """What a note is but for the places of entries, and these."""
    numbers: list[int] = []
    info = note.info
    if note.kind == "name":
        name, numbers = _entry(note.info[0])
        info = name, len(numbers), note.info[1]
    elif note.kind == "index":
        numbers = [k for k in note.info if type(k) is int]
        info = tuple([None if type(k) is int else str(k) for k in note.info])
    parts = [_taken_apart(p) for p in note.parts]
    return (note.kind, info, tuple([p for p, _ in parts])), numbers + [k for _, inner in parts for k in inner]


def _with_places(note: Note, places: Iterator[Any]) -> Note:
    """A note with other places of entries, in the order of `_taken_apart`."""
    info = note.info
    if note.kind == "name" and (own := _entry(note.info[0])[1]):
        name = note.info[0].partition("[")[0]
        info = f"{name}[{', '.join([str(next(places)) for _ in own])}]", note.info[1]
    elif note.kind == "index":
        info = tuple([next(places) if type(k) is int else k for k in note.info])
    return note._replace(info=info, parts=tuple([_with_places(p, places) for p in note.parts]))
