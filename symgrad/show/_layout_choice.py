"""The layout of a formula that is taken: with which names, tables and loops it is shortest.

The idea to hold: a formula is laid out with one more name (loop, table), and what has fewer signs stays.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from .. import _limits
from .._postorder import postorder
from ._layout import Note, chain, hadamard, in_order, length, once, power, transpose
from ._layout_loops import chains
from ._layout_sums import tokens
from ._layout_terms import Given, Shared, Sheet
from ._names import fresh, is_whole_power, lengths, letters, occurrences, saved, shared, unreadable, worth

_SLACK = 2  # a name may save a pair of parentheses with each occurrence


def sheet(
    root: Any, given: Given = (), entries: bool = False, lines: bool = False, program: bool = False,
    taken: Collection[str] = (), forms: Callable[[], list[Any]] | None = None,
) -> Sheet:  # fmt: skip
    """The notation of a formula with the names that make it short; those of a ``program`` save computing instead.

    Names in ``taken`` are not given. ``forms`` gives more ways to write it with definitions, and what says whether
    each holds. Small arrays that are
    made of entries are written as tables of these where that is shorter.
    """
    best = _with_loops(root, given, entries, lines, program, taken)
    for table in () if entries else root.spelled_out:
        trial = _with_loops(table, given, entries, lines, program, taken)
        if trial.length < best.length:
            return trial
    if not best.shared.bits or entries or lines or best.length[0] > _limits.LET_SIGNS:
        return best
    worth_names = best.length[0] >= _limits.LET_LEAST
    first = best.names
    for term, lets, *holds in [*root.let_forms, *(forms() if forms is not None and worth_names else ())]:
        if lets and not worth_names:
            continue
        definitions = [definition for _, definition in lets]
        brackets = 2 * sum([d.kind == "add" for d in definitions])  # which a definition does not need
        terms = [term, *definitions]  # they may share its names, those of its best form, or neither
        longer = min([_reckoned(terms, names) - _reckoned([root], names) for names in (first, best.names, None)])
        if longer > brackets + 3 + (not lets):
            continue
        used = {t.name for t in postorder(root) if t.kind == "var"} | set(taken)
        labels = [(fresh(letters(definition), used), symbol, definition) for symbol, definition in lets]
        called = {symbol.name: label for label, symbol, _ in labels}
        defined = [(label, definition) for label, _, definition in labels]
        trial = _with_loops(term, [*given, *defined], entries, lines, program, taken, called)
        if trial.length < best.length and all(check() for check in holds):
            best = trial
    return best


def _reckoned(roots: list[Any], names: Collection[int] | None) -> int:
    """How many signs terms take where those of ``names`` have names if they occur more than once, about.

    Without ``names``, those that are worth one.
    """
    terms = [*postorder(*roots)]
    uses = Counter([id(c) for t in terms for c in t.children])
    if names is None:
        names = [id(t) for t in worth(terms, lengths(terms, set()), {id(r) for r in roots})]
    named = {key for key in names if uses[key] > 1}
    found = lengths(terms, named)
    return sum([found[id(r)] for r in roots]) + sum([found[id(t)] + 2 for t in terms if id(t) in named])


def inline(root: Any) -> Sheet:
    """The notation of a term in one piece, without names."""
    return Sheet(Shared(root, (), [*postorder(root)], False))


def _with_loops(
    root: Any, given: Given, entries: bool, lines: bool, program: bool, taken: Collection[str],
    called: Mapping[str, str] = MappingProxyType({}),
) -> Sheet:  # fmt: skip
    """The notation of a formula in which the steps of unrolled loops are written once, where that is shorter."""
    terms = list(postorder(root, *(term for _, term in given)))
    sizes = lengths(terms, set())
    written = sum([sizes[r] for r in {id(root), *(id(term) for _, term in given)}])
    once = program or entries or len(terms) > _limits.TRIED_TERMS or written > _limits.TRIED_SIGNS
    lay = partial(Sheet, Shared(root, given, terms, not once, taken, called), entries=entries, lines=lines)
    worthy = partial(shared if program else worth, terms, sizes)
    loops: list[list[Any]] = []
    best = _named(lay, worthy, loops)
    found = [] if lines or entries else chains(list(postorder(root)))[: _limits.UNROLLED]
    for loop in found * 2:  # steps may differ only until those of another loop have their names
        if loop in loops:
            continue
        trial = _named(lay, worthy, [*loops, loop])
        if trial.repeats and trial.length < best.length:
            best, loops = trial, [*loops, loop]
    best.definitions = _in_order(best.definitions) if given else best.definitions
    if not (lines or entries):
        before = [best.body, *(note for _, note in best.definitions)]
        best.body = _shortened(best.body)
        best.definitions = [(label, _shortened(note)) for label, note in best.definitions]
        notes = [best.body, *(note for _, note in best.definitions)]
        names = _names_in(best.body)
        # of a form; what was asked for, or cannot be read in place, keeps its name, and tr(S²) is read easier with it
        used_once = len(called) == len(given) and any(names.count(label) == 1 for label in called.values())
        changed = len(notes) > 2 or any(new is not old for new, old in zip(notes, before))
        if not (program or loops) and (changed or used_once):
            _put_back(best)
            best.__dict__.pop("length", None)  # it was counted before
    if any(t.kind == "var" and "complex" in t.properties for t in terms):
        best.body = _without_norms(best.body)
        best.definitions = [(label, _without_norms(note)) for label, note in best.definitions]
    return best


def _shortened(note: Note) -> Note:
    """A note in forms that are looked for in what is laid out."""
    note = _with_diagonals(note)
    scaled = _with_scalings(note)
    return scaled if scaled is not note and tokens(scaled) < tokens(note) else note


def _put_back(best: Sheet) -> None:
    """Leave out names that what is shortened needs no more: diag(XᵀS⁻²X) has one S where (X ⊙ S⁻¹S⁻¹X)ᵀ𝟏 had two."""
    for label, definition in best.definitions[::-1]:
        if tokens(definition) > _limits.PUT_BACK:  # what is long has a name whether it pays or not
            continue
        rest = [(other, _without_name(note, label, definition)) for other, note in best.definitions if other != label]
        body = _without_name(best.body, label, definition)
        if _signs(body, rest) < _signs(best.body, best.definitions):
            best.body, best.definitions = body, rest


def _signs(body: Note, definitions: list[tuple[str, Any]]) -> int:
    return tokens(body) + sum([tokens(note, label) for label, note in definitions])


def _without_name(note: Note, label: str, definition: Note) -> Note:
    """A note with the definition in place of a name."""
    if note.kind == "name" and note.info[0] == label:
        return definition
    parts = tuple([_without_name(part, label, definition) for part in note.parts])
    if parts == note.parts:
        return note
    if note.kind == "add":
        return in_order([(sign < 0, part) for sign, part in zip(note.info, parts)], note.shape)
    return hadamard(*parts) if note.kind == "had" else note._replace(parts=parts)


@once
def _has_scalings(note: Note) -> bool:
    """Whether somewhere in it both rows and columns are scaled."""
    here = note.kind == "chain" and sum([p.kind == "diag" for p in note.parts]) > 1
    return here or any(_has_scalings(part) for part in note.parts)


def _with_scalings(note: Note) -> Note:
    """A note in which rows and columns are scaled at once: yyᵀ ⊙ K for diag(y) K diag(y)."""
    if not _has_scalings(note):
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


@once
def _has_diagonals(note: Note) -> bool:
    """Whether somewhere in it there is the diagonal of a product, or the rows of one matrix are summed."""
    here = note.kind == "chain" and len(note.parts) == 2 and note.parts[1].kind == "ones"
    return here or note.kind == "diagpart" or any(_has_diagonals(part) for part in note.parts)


def _with_diagonals(note: Note) -> Note:
    """A note in which diagonals of products are written so where that is shorter: diag(XᵀSX) for (X ⊙ SX)ᵀ𝟏.

    With a diagonal matrix between them they are not: diag(A diag(x) B) is (A ⊙ Bᵀ)x.
    """
    if not _has_diagonals(note):
        return note
    if note.kind == "diag":  # diag(diag(AB)) is hard to read
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
    found = chain(hadamard(left, transpose(right)), inner[at[0]].parts[0])
    return found if tokens(found) < tokens(note) else note


def _one_diagonal(note: Note) -> Note:
    """A sum of diagonals as the diagonal of a sum: diag(P − PSP)."""
    split = [p.parts if p.kind == "diagpart" else () for p in note.parts]
    if sum(map(len, split)) < 2:
        return note
    there = [(sign < 0, *p) for sign, p in zip(note.info, split) if p]
    matrix = in_order(there, there[0][1].shape)
    whole = Note("diagpart", (matrix,), None, note.shape)
    rest = [(sign < 0, p) for sign, p, inside in zip(note.info, note.parts, split) if not inside]
    found = in_order([*rest, (False, whole)], note.shape) if rest else whole
    return found if tokens(found) < tokens(note) else note


def _without_norms(note: Any) -> Any:
    """A note in which sums of squares are no norms: those of complex entries are zᵀz."""
    parts = tuple([_without_norms(part) for part in note.parts])
    if note.kind == "square" and parts[0].rank == 1:
        return Note("dot", (*parts, *parts), None, ())
    if note.kind == "square":
        return Note("sum", (power(parts[0], 2),), None, ())
    return note if parts == note.parts else Note(note.kind, parts, note.info, note.shape)


def _in_order(definitions: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Definitions, each after those that it uses, else as they stand."""
    notes = dict(definitions)
    ordered: dict[str, Any] = {}

    def put(label: str) -> None:
        if label not in ordered and label in notes:
            for note in _names_in(notes[label]):
                if note != label:
                    put(note)
            ordered[label] = notes[label]

    for label in notes:
        put(label)
    return list(ordered.items()) if len(notes) == len(definitions) else definitions


def _names_in(note: Any) -> list[str]:
    own = [note.info[0]] if note.kind == "name" else []
    return own + [label for part in note.parts for label in _names_in(part)]


def _named(layout: Callable[..., Sheet], worthy: Any, loops: list[list[Any]]) -> Sheet:
    """The notation with the names that make it short, besides those of the steps of loops."""
    lay = partial(layout, loops=loops)
    share: Shared = layout.args[0]  # type: ignore[attr-defined]
    terms, steps = share.terms, {id(t) for loop in loops for t in loop}
    roots = {id(share.root), *(id(term) for _, term in share.given)}
    if not share.bits:  # one layout is all
        named = {id(t) for t in worthy(roots)} | steps
        return lay(named - steps | unreadable(terms, roots, named))
    named = unreadable(terms, roots, steps)
    best: Sheet | None = None
    counts, sizes = occurrences(terms, roots | named), lengths(terms, named)
    for term in worthy(roots, _SLACK)[: _limits.TRIALS]:
        uses, more = counts[id(term)], named | {id(term)}
        if uses < 2:  # in the definition of another name, that is
            continue
        if saved(uses, sizes[id(term)]) >= _limits.SURELY_SAVED:
            named, best = more, None
        else:
            best = best or lay(named)
            trial = lay(more)
            if trial.length >= best.length:
                continue
            named, best = more, trial
        counts, sizes = occurrences(terms, roots | named), lengths(terms, named)
    best = best or lay(named)
    for power_of in [t for t in terms if id(t) in named and is_whole_power(t)]:  # r² twice is less than (Xw − y)² once
        instead = named - {id(power_of)} | {id(power_of.args[0][0])}
        trial = lay(instead)
        if trial.length < best.length:
            named, best = instead, trial
    turned: set[int] = set()
    either = best.either_way() | {id(t) for t in terms if t.kind == "add" and id(t) in named}
    for key in [id(t) for t in terms if id(t) in either and best.may_turn][: _limits.TRIALS]:
        trial = lay(named, turned | {key})
        if trial.length < best.length:
            turned, best = turned | {key}, trial
    return best
