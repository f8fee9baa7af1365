"""The layout of a formula that is taken: with which names, tables and loops it is shortest."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from functools import cache, cached_property, partial
from types import MappingProxyType
from typing import Any, NamedTuple

from .. import _limits
from .._limits import bound
from .._trees import postorder
from .layout import (
    Note,
    chain,
    each_after,
    fractured,
    hadamard,
    in_order,
    is_divisor,
    is_negative,
    length,
    name,
    number,
    once,
    power,
    transpose,
    unrolled_loops,
)
from .layout_products import square_root
from .layout_terms import (
    Given,
    Shared,
    Sheet,
    fresh,
    is_whole_power,
    lengths,
    letters,
    occurrences,
    saved,
    shared,
    summed,
    tokens,
    tokens_of_entry,
    unreadable,
    worth,
)

# --------------------------------------------- Shorter ways to write what is laid out: 1 − H ⊙ H, diag(XᵀSX), yyᵀ ⊙ K

# The idea to hold: these are no other terms, only other signs for the same ones; each is taken where it has fewer.


@once
def _somewhere(note: Note, holds: Callable[[Note], bool]) -> bool:
    """Whether something holds of a note or of what is in it."""
    return holds(note) or True in [_somewhere(part, holds) for part in note.parts]


def _may_be_shortened(note: Note) -> bool:
    """Whether it is something that such forms are for; it is looked for all of them at once."""
    return _is_scaled(note) or _is_diagonal(note) or _is_square(note)


def in_shorter_forms(note: Note) -> Note:
    """A note in forms that are looked for in what is laid out."""
    if not _somewhere(note, _may_be_shortened):
        return note
    note = _with_squares(_with_diagonals(note), False)
    scaled = _with_scalings(note)
    return scaled if scaled is not note and tokens(scaled) < tokens(note) else note


def _is_square(note: Note) -> bool:
    """Whether the entries of a matrix with a name are squared."""
    return note.kind == "pow" and note.info == 2 and note.rank == 2 and note.parts[0].kind == "name"


def _with_squares(note: Note, beside: bool) -> Note:
    """A note with 1 − H ⊙ H for 1 − H^∘2, and wherever else the square is ``beside`` others entry by entry."""
    if not _somewhere(note, _is_square):
        return note
    if beside and _is_square(note):
        return Note("had", note.parts * 2, None, note.shape)
    beside = note.kind in ("add", "had") or (beside and note.kind == "product")
    parts = tuple([_with_squares(part, beside) for part in note.parts])
    return hadamard(*parts) if note.kind == "had" else note._replace(parts=parts)


def _is_scaled(note: Note) -> bool:
    """Whether both rows and columns are scaled."""
    return note.kind == "chain" and sum([p.kind == "diag" for p in note.parts]) > 1


def _with_scalings(note: Note) -> Note:
    """A note in which rows and columns are scaled at once: yyᵀ ⊙ K for diag(y) K diag(y)."""
    if not _somewhere(note, _is_scaled):
        return note
    parts = tuple([_with_scalings(part) for part in note.parts])
    note = Note(note.kind, parts, note.info, note.shape)
    at = [k for k, p in enumerate(parts) if p.kind == "diag"] if note.kind == "chain" else []
    between = next(((i, j) for i, j in itertools.pairwise(at) if j > i + 1), None)
    if between is None:
        return note
    i, j = between
    matrix = chain(*parts[i + 1 : j])
    rows, columns = parts[i].parts[0], parts[j].parts[0]
    scaled = hadamard(Note("outer", (rows, columns), None, matrix.shape), matrix)
    return chain(*parts[:i], scaled, *parts[j + 1 :])


def _is_diagonal(note: Note) -> bool:
    """Whether it is the diagonal of a product, or the rows of one matrix are summed."""
    return note.kind == "diagpart" or (note.kind == "chain" and len(note.parts) == 2 and note.parts[1].kind == "ones")


def _with_diagonals(note: Note) -> Note:
    """A note in which diagonals of products are written so where that is shorter: diag(XᵀSX) for (X ⊙ SX)ᵀ𝟏.

    With a diagonal matrix between them they are not: diag(A diag(x) B) is (A ⊙ Bᵀ)x.
    """
    if not _somewhere(note, _is_diagonal) or note.kind == "diag":  # diag(diag(AB)) is hard to read
        return note
    parts = tuple([_with_diagonals(part) for part in note.parts])
    note = note if parts == note.parts else Note(note.kind, parts, note.info, note.shape)
    if note.kind == "add":
        return _one_diagonal(note)
    if note.kind == "diagpart":
        return _without_diagonal(note)
    matrix = parts[-2] if note.kind == "chain" and len(parts) == 2 and parts[1].kind == "ones" else None
    turned = matrix is not None and matrix.kind == "T"
    inner = matrix.parts[0] if turned and matrix is not None else matrix
    if inner is None or inner.rank != 2:
        return note
    factors = inner.parts * 2 if inner.kind == "pow" and inner.info == 2 else inner.parts
    if inner.kind not in ("had", "pow") or len(factors) != 2:
        return note
    a, b = [transpose(p) if turned else p for p in factors]
    best = min((chain(a, transpose(b)), chain(b, transpose(a))), key=length)
    found = _without_diagonal(Note("diagpart", (best,), None, note.shape))
    return found if length(found) < length(note) or tokens(found) < tokens(note) else note


def _without_diagonal(note: Note) -> Note:
    """The diagonal of a product with a diagonal matrix in it as a matrix times a vector, where that is shorter."""
    inner = note.parts[0].parts if note.parts[0].kind == "chain" else ()
    at = [k for k, p in enumerate(inner) if p.kind == "diag"]
    if len(at) != 1 or at[0] in (0, len(inner) - 1):
        return note
    left, right = chain(*inner[: at[0]]), chain(*inner[at[0] + 1 :])
    return min(note, chain(hadamard(left, transpose(right)), inner[at[0]].parts[0]), key=tokens)


def _one_diagonal(note: Note) -> Note:
    """A sum of diagonals as the diagonal of a sum: diag(P − PSP)."""
    split = [p.parts if p.kind == "diagpart" else () for p in note.parts]
    if sum(map(len, split)) < 2:
        return note
    there = [(sign < 0, *p) for sign, p in zip(note.info, split) if p]
    matrix = in_order(there, there[0][1].shape)
    whole = Note("diagpart", (matrix,), None, note.shape)
    rest = [(sign < 0, p) for sign, p, inside in zip(note.info, note.parts, split) if not inside]
    return min(note, in_order([*rest, (False, whole)], note.shape) if rest else whole, key=tokens)


# --------------------------- The layout of a formula that is taken: with which names, tables and loops it is shortest

# The idea to hold: a formula is laid out with one more name (loop, table), and what has fewer signs stays.


_MORE = 2  # signs that a form may be reckoned longer, and yet be shorter; of 3,000 formulas none with more was
_CLASHES = 3  # the layout for which all letters of the lines before are left alone: a hundred names clash one by one
_SLACK = 2  # a name may save a pair of parentheses with each occurrence


LET_LEAST = bound(12)
"""Signs of a formula from which names are tried for what it repeats without its being a term."""
LET_SIGNS = bound(80)
"""Signs of a formula up to which they are."""
LISTED = bound(3)
"""Places of a column from which on they are written (1, …, n)."""


def chosen_sheet(
    root: Any, given: Given = (), entries: bool = False, lines: bool = False, program: bool = False,
    taken: Collection[str] = (), forms: Callable[[], list[Any]] | None = None,
) -> Sheet:  # fmt: skip
    """The notation of a formula with the names that make it short; those of a ``program`` save computing instead.

    Names in ``taken`` are not given. ``forms`` gives more ways to write it with definitions, and what says whether
    each holds. Small arrays that are made of entries are written as tables of these where that is shorter.
    """
    best = _with_loops(root, given, entries, lines, program, taken)
    for table in () if entries else root.spelled_out:
        trial = _with_loops(table, given, entries, lines, program, taken)
        if trial.length < best.length:
            return trial
    if not best.shared.bits or entries or lines or best.length[0] > LET_SIGNS:
        return best
    worth_names = best.length[0] >= LET_LEAST
    first, reckoned, alike = best.names, _Reckoned([root]), best.shared.alike
    laid_out = set[Any]()
    for term, lets, *holds in [*root.let_forms, *(forms() if forms is not None and worth_names else ())]:
        if lets and not worth_names:
            continue
        terms = [term, *[definition for _, definition in lets]]
        form = _Reckoned(terms)  # they may share its names, those of its best form, or neither
        most = _MORE + (not lets and not root.rank)  # norms, which make numbers short, are not reckoned
        if (key := (term, *lets)) in laid_out or not any(
            form.signs(names) - reckoned.signs(names) <= most
            for names in ((first, best.names, None) if best.names is not first else (first, None))
        ):
            continue
        used = {t.name for t in postorder(root) if t.kind == "var"} | set(taken)
        labels = [(fresh(letters(definition), used, alike), symbol, definition) for symbol, definition in lets]
        called = {symbol.name: label for label, symbol, _ in labels}
        defined = [(label, definition) for label, _, definition in labels]
        trial = _with_loops(term, [*given, *defined], entries, lines, program, taken, called)
        if trial.length < best.length:
            if not all(check() for check in holds):
                continue
            best = trial
        laid_out.add(key)  # it is no shorter than the best when it comes again
    return best


class Laid(NamedTuple):
    """A notation that was taken, without what it was made from."""

    body: Note
    definitions: list[tuple[str, Any]]
    taken: Collection[str]


def lay(root: Any, taken: Collection[str], meanings: dict[str, Any]) -> Laid:
    """The notation of a formula in which no letter means anything else than in those laid out before.

    ``meanings`` has what each letter was defined as there; those of this one are added.
    """
    taken = set(taken)
    clashes = 0
    while True:
        laid = chosen_sheet(root, taken=taken)
        own: dict[str, Any] = {}
        for label, note in laid.definitions:  # the steps of a loop are one array: s[0], s[t]
            for letter in label.partition("[")[0].split(", "):  # of U, s, V
                own.setdefault(letter, []).append((label, note))
        other = {letter for letter, definitions in own.items() if meanings.get(letter, definitions) != definitions}
        if not other:
            meanings |= own
            return Laid(laid.body, laid.definitions, laid.taken)
        clashes += 1
        taken |= other if clashes < _CLASHES else meanings.keys()


class _Reckoned:
    """How many signs terms take, about."""

    def __init__(self, roots: list[Any]) -> None:
        self.roots = [id(root) for root in roots]
        self.terms = [*postorder(*roots)]
        self.uses = Counter([id(c) for t in self.terms for c in t.children])
        self._known: dict[frozenset[int], int] = {}

    def signs(self, names: Collection[int] | None) -> int:
        """With names for those of ``names`` that occur more than once; without ``names``, for those worth one."""
        named = frozenset([key for key in (self._worthy if names is None else names) if self.uses[key] > 1])
        if named not in self._known:
            found = lengths(self.terms, named)
            defined = [found[id(t)] + 2 for t in self.terms if id(t) in named]
            self._known[named] = sum([found[key] for key in self.roots]) + sum(defined)
        return self._known[named]

    @cached_property
    def _worthy(self) -> list[int]:
        return [id(t) for t in worth(self.terms, lengths(self.terms, frozenset()), set(self.roots))]


def inline(root: Any) -> Sheet:
    """The notation of a term in one piece, without names."""
    return Sheet(Shared(root, (), [*postorder(root)], False))


def _with_loops(
    root: Any, given: Given, entries: bool, lines: bool, program: bool, taken: Collection[str],
    called: Mapping[str, str] = MappingProxyType({}),
) -> Sheet:  # fmt: skip
    """The notation of a formula in which the steps of unrolled loops are written once, where that is shorter."""
    terms = postorder(root, *(term for _, term in given))
    sizes = lengths(terms, set())
    written = sum([sizes[r] for r in {id(root), *(id(term) for _, term in given)}])
    once = program or entries or len(terms) > _limits.TRIED_TERMS or written > _limits.TRIED_SIGNS
    counts = not (entries or lines or program) and any(t.kind == "lin" and t.op.name == "cumsum" for t in terms)
    kept = {"t"}.difference(taken, [t.name for t in terms if t.kind == "var"]) if counts else set[str]()  # for places
    lay = partial(Sheet, Shared(root, given, terms, not once, {*taken, *kept}, called), entries=entries, lines=lines)
    worthy = partial(shared if program else worth, terms, sizes)
    loops: list[list[Any]] = []
    best = _named(lay, worthy, loops)
    found = [] if lines or entries else unrolled_loops(postorder(root) if given else terms)[: _limits.UNROLLED]
    for loop in found * 2:  # steps may differ only until those of another loop have their names
        if loop in loops:
            continue
        trial = _named(lay, worthy, [*loops, loop])
        if trial.repeats and trial.length < best.length:
            best, loops = trial, [*loops, loop]
    if given:
        best.definitions = list(each_after(dict(best.definitions), uses).items())
    if not (lines or entries):
        before = best.notes
        _change_each(best, in_shorter_forms)
        notes = best.notes
        names = _places_of_names(best.body) if called else []
        # of a form; what was asked for, or cannot be read in place, keeps its name, and tr(S²) is read easier with it
        used_once = len(called) == len(given) and any(names.count(label) == 1 for label in called.values())
        changed = len(notes) > 2 or any(new is not old for new, old in zip(notes, before))
        if not (program or loops) and (changed or used_once):
            _put_back(best)
            best.__dict__.pop("length", None)  # it was counted before
    if any(note.kind == "factors" for _, note in best.definitions):
        _as_matrices(best)
    if not program and any(_is_decimal(c) for note in best.notes for c in _coefficients(note)):
        _change_each(best, _in_decimals)
        best.__dict__.pop("length", None)
    if counts:
        _name_places(best, kept)
    if any(_is_of_complex_entries(t) for t in terms):
        _change_each(best, _without_norms)
    return best


def _change_each(best: Sheet, change: Callable[[Note], Note]) -> None:
    """Change what is laid out, the formula and its definitions."""
    best.body = change(best.body)
    best.definitions = [(label, change(note)) for label, note in best.definitions]


def _as_matrices(best: Sheet) -> None:
    """Write X = UΣVᵀ, A = UΛUᵀ where the singular values or eigenvalues have no other use."""
    for k, (label, note) in enumerate(best.definitions):
        others = [best.body, *[other for m, (_, other) in enumerate(best.definitions) if m != k]]
        if note.kind != "factors" or any(note.parts[2].info[0] in uses(other) for other in others):
            continue
        letter, spelled = ("Σ", "Sigma") if note.info == "svd" else ("Λ", "Lambda")
        if best.taken.isdisjoint((letter, spelled)):
            matrix, left, values, right = note.parts
            parts = matrix, left, name(letter, values.shape * 2), right
            best.definitions[k] = label, note._replace(parts=parts)
            best.__dict__.pop("length", None)


def _coefficients(note: Note) -> list[Any]:
    own = [note.info] if note.kind == "number" else [note.info[0]] if note.kind == "product" else []
    return [*own, *[c for part in note.parts for c in _coefficients(part)]]


def _is_decimal(c: Any) -> bool:
    return isinstance(c, float) and fractured(c)[1:] == ("", 1, "") and len(repr(c)) <= DECIMAL


def _in_decimals(note: Note) -> Note:
    """A note with tenths as decimals, as other numbers beside them are: 0.9v + 0.1g."""
    parts = tuple(map(_in_decimals, note.parts))
    c = note.info if note.kind == "number" else note.info[0] if note.kind == "product" else None
    if isinstance(c, Fraction) and c.denominator % 5 == 0 and 10**DECIMAL % c.denominator == 0:
        return note._replace(parts=parts, info=float(c) if note.kind == "number" else (float(c), note.info[1]))
    return note if all(a is b for a, b in zip(parts, note.parts)) else note._replace(parts=parts)


DECIMAL = bound(8)
"""Signs of a number up to which it is a decimal that somebody wrote."""


def _name_places(best: Sheet, kept: set[str]) -> None:
    """Write t = (1, …, n), what a column has at its entries where these are counted, and t for it elsewhere; (0, …, n)
    where one less is what there is more of, as in βᵗ."""
    for places in dict.fromkeys([p for note in best.notes for p in _places(note)]):
        uses = Counter(d for note in best.notes for d in _distances(note, places))
        listed = Note("places", (), int(uses[-1] <= uses[0]), places.shape)
        if (alone := _distance(best.body, places)) in (0, -1):
            best.body = listed._replace(info=1 + alone)
            continue
        label = next((label for label, note in best.definitions if note == places), "")
        if not label:
            label = kept.pop() if kept else fresh("knijm", best.taken, best.shared.alike)
            best.definitions.insert(0, (label, places))
        t = name(label, places.shape), 1 - listed.info
        best.body = _counted(best.body, places, *t)
        best.definitions = [(k, listed if k == label else _counted(note, places, *t)) for k, note in best.definitions]
    best.__dict__.pop("length", None)


def _places(note: Note) -> list[Note]:
    """The columns 1, 2, … in a note: sums of ones up to each entry."""
    if note.kind == "lin" and note.parts[0].kind == "ones" and note.rank == 1:
        (term, adjoint), n = note.info, note.shape[0]
        counts = term.op.name == "cumsum" and not (adjoint or dict(term.op.named(term.params))["reverse"])
        return [note] if counts and not (isinstance(n, int) and n < LISTED) else []
    return [found for part in note.parts for found in _places(part)]


def _distance(note: Note, places: Note) -> int | None:
    """How far beyond a column of places a note is that is it and a whole number, t − 1; None for others."""
    if note == places:
        return 0
    signs = dict(zip(note.parts, note.info)) if note.kind == "add" and len(note.parts) == 2 else {}
    steps = [sign * part.info for part, sign in signs.items() if part.kind == "number" and isinstance(part.info, int)]
    return steps[0] if signs.get(places) == 1 and steps else None


def _distances(note: Note, places: Note) -> list[int]:
    found = _distance(note, places)
    return [d for part in note.parts for d in _distances(part, places)] if found is None else [found]


def _counted(note: Note, places: Note, t: Note, before: int) -> Note:
    """A note with t for the places, or for those from 0 on, one ``before`` each."""
    found = _distance(note, places)
    if found is not None:
        return t if found == -before else summed([t, number(found + before)], t.shape)
    parts = tuple([_counted(part, places, t, before) for part in note.parts])
    return note if all(a is b for a, b in zip(parts, note.parts)) else note._replace(parts=parts)


PUT_BACK = bound(24)
"""Signs of a definition up to which it is put back where its name is needed no more."""


def _put_back(best: Sheet) -> None:
    """Leave out names that a shorter form needs no more: diag(XᵀS⁻²X) has one S where (X ⊙ S⁻¹S⁻¹X)ᵀ𝟏 had two.

    Of a text of several pages they would be some signs in a thousand, and each is tried in all of it.
    """
    signs = _signs(best.body, best.definitions)
    if signs > _limits.TRIED_SIGNS:
        return
    asked = {label for label, _ in best.shared.given}.difference(best.shared.called.values())
    for label, definition in best.definitions[::-1]:
        if (
            label in asked
            or definition.kind in ("images", "factors")
            or sum(uses(definition).values()) > PUT_BACK
            or tokens(definition) > PUT_BACK
        ):
            continue  # what is long, or said by its entries, has a name whether it pays or not
        notes = best.notes
        if _spared(best, label) >= 0 or any(label in _variables(note) for note in notes):
            continue
        rest = [(other, _without_name(note, label, definition)) for other, note in best.definitions if other != label]
        body = _without_name(best.body, label, definition)
        if (fewer := _signs(body, rest)) < signs:
            best.body, best.definitions, signs = body, rest, fewer


def _spared(laid: Sheet, label: str) -> int:
    """How many signs a name spares, at least: what it stands for would be written wherever it is."""
    definition = dict(laid.definitions).get(label)
    if definition is None or (growth := _least_growth(definition)) <= 0:
        return -1
    notes = (laid.body, *[note for other, note in laid.definitions if other != label])
    spared = sum([uses(note).get(label, 0) for note in notes]) * growth - tokens(definition, label)
    if spared >= 0 and definition.kind == "add":  # −(a − b) is b − a, and (2a − b)/2 is a − b/2
        numbers = [p for p in definition.parts if p.kind == "product" and p.info[0] != 1]
        spared -= sum([_in_front(note) for note in notes]) * (1 + len(numbers))
    return spared


@once
def _variables(note: Note) -> frozenset[str]:
    """The names that something in it is differentiated by: ∂f(S)/∂S."""
    operand = note.parts[1] if note.kind == "jac" and len(note.parts) > 1 else note
    own = {operand.info[0]} if operand is not note and operand.kind == "name" else set[str]()
    return frozenset(own).union(*[_variables(part) for part in note.parts])


def _signs(body: Note, definitions: list[tuple[str, Any]]) -> int:
    return tokens(body) + sum([tokens(note, label) for label, note in definitions])


@once
def uses(note: Note) -> Mapping[str, int]:
    """How often each name is written in a note, at least, in the order of reading."""
    if note.kind == "name":
        return {note.info[0]: 1}
    found: dict[str, int] = defaultdict(int)
    parts = [p for p, _ in itertools.groupby(note.parts)] if note.kind == "chain" else note.parts  # XX is X²
    for part in parts:
        for label, n in uses(part).items():
            found[label] = max(found[label], n) if note.kind == "call" else found[label] + n  # sort(x) has two of x
    return found


@once
def _in_front(note: Note) -> int:
    """How many minus signs and fractions stand in front of something, which may go into a sum there."""
    first = note.info[0] if note.kind in ("product", "add") else 1
    here = is_negative(first) or isinstance(first, Fraction)
    return here + sum([_in_front(part) for part in note.parts])


_WHOLE = frozenset({"add", "map", "call", "inv"})
"""Notes of which all is written wherever they stand: factors come apart, and meet those beside them."""


def _least_growth(definition: Note) -> int:
    """How many signs each name is shorter than what it stands for, at least; 0 where that depends on what is beside."""
    kind = definition.kind
    if kind not in _WHOLE or is_divisor(definition) or square_root(definition) is not None:
        return 0
    found = tokens(definition) - 1 - (kind == "inv")  # Sᵀ is (A + B)⁻ᵀ, where both are one sign
    return min(found, tokens_of_entry(definition) - 3 - definition.rank) if definition.rank else found


def _without_name(note: Note, label: str, definition: Note) -> Note:
    """A note with the definition in place of a name."""
    if label not in uses(note):
        return note
    if note.kind == "name":
        return definition
    parts = tuple([_without_name(part, label, definition) for part in note.parts])
    if note.kind == "add":
        return in_order([(sign < 0, part) for sign, part in zip(note.info, parts)], note.shape)
    return hadamard(*parts) if note.kind == "had" else note._replace(parts=parts)


def _is_of_complex_entries(t: Any) -> bool:
    """Whether a term is a complex symbol, or a number that is a sum of complex numbers."""
    if t.kind == "ein" and not t.rank:
        return not all(f.real for f, _ in t.factors)
    return t.kind == "var" and "complex" in t.properties


def _without_norms(note: Any) -> Any:
    """A note in which sums of squares are no norms: those of complex entries are zᵀz."""
    parts = tuple([_without_norms(part) for part in note.parts])
    if note.kind == "square" and parts[0].rank == 1:
        return Note("dot", (*parts, *parts), None, ())
    if note.kind == "square":
        return Note("sum", (power(parts[0], 2),), None, ())
    return note if parts == note.parts else Note(note.kind, parts, note.info, note.shape)


def _places_of_names(note: Note) -> list[str]:
    """The names at all places of a note, those of a power at each of its factors."""
    own = [note.info[0]] if note.kind == "name" else []
    return own + [label for part in note.parts for label in _places_of_names(part)]


class _Hope(NamedTuple):
    """A name that may pay: its term, all names with it, the terms that come after, and whether it is reckoned to."""

    term: Any
    named: frozenset[int]
    left: list[Any]
    sure: bool


def _hoped(terms: list[Any], roots: set[int], named: frozenset[int], left: list[Any]) -> list[_Hope]:
    """The names that there are if each one pays that is written more than once besides those before it."""
    found = []
    new = True
    for k, term in enumerate(left):
        if new:
            counts, sizes, new = occurrences(terms, roots | named), lengths(terms, named), False
        uses = counts[id(term)]
        if uses < 2:  # in the definition of another name, that is
            continue
        named |= {id(term)}
        found.append(_Hope(term, named, left[k + 1 :], saved(uses, sizes[id(term)]) >= _limits.SURELY_SAVED))
        new = True
    return found


def _named(layout: Callable[..., Sheet], worthy: Any, loops: list[list[Any]]) -> Sheet:
    """The notation with the names that make it short, besides those of the steps of loops."""
    lay: Callable[..., Sheet] = cache(partial(layout, loops=loops))
    share: Shared = layout.args[0]  # type: ignore[attr-defined]
    terms, steps = share.terms, {id(t) for loop in loops for t in loop}
    roots = {id(share.root), *(id(term) for _, term in share.given)}
    if not share.bits:  # one layout is all
        paying = {id(t) for t in worthy(roots)} | steps
        return lay(frozenset(paying - steps | unreadable(terms, roots, paying)))
    named, left = frozenset(unreadable(terms, roots, steps)), worthy(roots, _SLACK)[: _limits.TRIALS]
    while hoped := _hoped(terms, roots, named, left):
        left = []
        laid = lay(hoped[-1].named)  # with all of them: what a name spares here, it spares where there are fewer
        for some in hoped:
            spared = some.sure or _spared(laid, laid.names[id(some.term)]) > 0
            if not spared and lay(some.named).length >= lay(named).length:
                left = some.left  # which it was reckoned to be in
                break
            named = some.named
    best = lay(named)
    for power_of in [t for t in terms if id(t) in named and is_whole_power(t)]:  # r² twice is less than (Xw − y)² once
        instead = named - {id(power_of)} | {id(power_of.children[0])}
        trial = lay(instead)
        if trial.length < best.length:
            named, best = instead, trial
    turned = frozenset[int]()
    either = best.either_way() | {id(t) for t in terms if t.kind == "add" and id(t) in named}
    for key in [id(t) for t in terms if id(t) in either and best.may_turn][: _limits.TRIALS]:
        trial = lay(named, turned | {key})
        if trial.length < best.length:
            turned, best = turned | {key}, trial
    return best
