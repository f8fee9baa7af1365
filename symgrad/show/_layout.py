"""Notation as a small tree: what a formula says, before any back end writes it.

The idea to hold: every `Note` is an array with a shape, like the terms, but its kinds are those of the textbook
(matrix product, transpose, Hadamard product, norm, …) where the terms know only ``Ein``. A back end is one fold over
notes; the kinds and what they mean:

========== ==================================== ===============================================================
kind       parts                                info
========== ==================================== ===============================================================
name                                            the symbol's name, and whether it is symmetric
number                                          its value
data                                            the ``Data`` term
table      numbers, or a table for each row     (an array by its entries)
size                                            a size
zeros                                           (the shape says which)
ones, eye                                       (the shape says which)
T          matrix
inv        matrix                               its matrix inverse
chain      matrices, perhaps a vector last      their product; ``diag`` among them scales rows or columns
dot        two vectors
outer      two vectors
inner      two arrays of one shape              the sum of their entry-wise product
square     array                                the sum of its squares
trace      matrix
sum        array                                the axes summed, or None for all
mean       array                                (of all entries)
diag       vector
diagpart   matrix                               its diagonal, as a vector
had        arrays of one shape, scalars         their entry-wise product
product    scalars, then perhaps an array       the coefficient, and whether an array comes last
iverson    truth                                its 0 or 1
pow        array                                the exponent, a number
add        arrays, scalars                      a sign for each
map        arrays, scalars                      the operation and its parameters
call       arrays                               the operation, its parameters, the output's number
bcast      array                                where its axes go: it is constant along the others
full       array                                the same, told to have all of its shape's axes
kron       two matrices                         fourth order: ``out[a, b, c, d] = P[a, c] Q[b, d]``
kronswap   two matrices                         ``out[a, b, c, d] = P[a, d] Q[b, c]``
vecvec     two matrices                         ``out[a, b, c, d] = P[a, b] Q[c, d]``
diagvec    matrix                               ``out[a, b, a, b] = P[a, b]``
kronvec    a matrix and a vector, in any order  third order, as ``einsum``: ``P ⊗ vᵀ``, ``P ⊗ v`` or ``v ⊗ P``
einsum     arrays                               the indices of each, how many of them are the output's
index      array                                what is taken along each of its axes: a slice, a number, numbers
loop       array                                the letter of its steps, the first one and the last
series     number                               the same: the sum of it over the steps
lin        array                                the ``Lin`` term applied to it, and whether as its transpose
linear                                          the ``Lin`` term itself
jac        call                                 which operand
========== ==================================== ===============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, NamedTuple


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


def number(value: Any) -> Note:
    """A number."""
    return Note("number", (), value, ())


def size(n: int) -> Note:
    """The size of an axis, as a number."""
    label = getattr(n, "name", None)
    return name(label, ()) if label else number(int(n))


def entries_of(table: Note) -> list[Note]:
    """The numbers in a table, row by row."""
    return [e for p in table.parts for e in entries_of(p)] if table.kind == "table" else [table]


def once(fold: Callable[[Note], Any]) -> Callable[[Note], Any]:
    """The function, whose result stays with the note: notes are compared again and again."""
    key = fold.__name__

    def inside(note: Note) -> Any:
        known = note.__dict__
        if key not in known:
            known[key] = fold(note)
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


def in_order(terms: Iterable[tuple[bool, Note]], shape: tuple[int, ...]) -> Note:
    """A sum in the order of reading, of terms and whether a minus is before each."""
    keyed = [(_reading_order(*term), term) for term in terms]
    if len({key for key, _ in keyed}) < len(keyed):  # spellings, which take long, decide what is equal otherwise
        keyed = [((*key, *spellings(term[1])), term) for key, term in keyed]
    terms = [term for _, term in sorted(keyed, key=lambda pair: pair[0])]
    return Note("add", tuple([n for _, n in terms]), tuple([-1 if minus else 1 for minus, _ in terms]), shape)


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


def product(coef: Any, scalars: list[Note], body: Note | None) -> Note:
    """A coefficient, scalars and an array, in one."""
    if body is not None and body.kind == "product":
        coef, scalars = coef * body.info[0], scalars + list(body.parts[: len(body.parts) - body.info[1]])
        body = body.parts[-1] if body.info[1] else None
    for inner in [s for s in scalars if s.kind in ("product", "number")]:
        scalars = [s for s in scalars if s is not inner] + list(inner.parts)
        coef = coef * (inner.info if inner.kind == "number" else inner.info[0])
    if coef == 0 and body is not None:
        return Note("zeros", (), None, body.shape)
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
    if place is None and is_negative(coef) and body is not None and body.kind in ("chain", "kron"):  # −R(S − D)R
        inside = next((k for k, p in enumerate(body.parts) if _is_difference(p)), None)
        if inside is not None:
            parts = (*body.parts[:inside], negated(body.parts[inside]), *body.parts[inside + 1 :])
            return -coef, scalars, body._replace(parts=parts)
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
        coef, body = exponent.info
        return product(-coef, list(exponent.parts[: -1 if body else None]), exponent.parts[-1] if body else None)
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


def is_real(value: Any) -> bool:
    """Whether it is a real number (which has a sign)."""
    return isinstance(value, (int, float, Fraction))


def is_negative(value: Any) -> bool:
    """Whether it is a real number with a minus."""
    return is_real(value) and value < 0


def by_entries(note: Note) -> bool:
    """Whether it has no matrix notation: its entries must be written."""
    kind = note.kind
    if kind == "einsum":
        return True
    if kind == "bcast" and note.rank > 2:
        return True
    if kind in ("product", "add", "full", "had", "pow", "map", "iverson", "bcast") or (kind == "sum" and note.info):
        return True in [by_entries(p) for p in note.parts]
    return False
