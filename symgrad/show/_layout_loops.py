"""Loops that were unrolled: ``hₜ = tanh(Whₜ₋₁ + UX[t]) for t = 1 … 5`` for five definitions that differ in a number.

The idea to hold: a chain is a line of terms of one make, each inside the next. Its terms are named h₀, h₁, …, and laid
out; where the definitions differ only in numbers of places that go up (or down) with the name's own, one line says them
all. What is written is the definitions themselves with t for a number, so that it means what they mean.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

from .. import _limits
from ._layout import Note


class Place(str):
    """A place that goes with the steps of a loop: ``t``, ``t-1``, ``9-t``."""

    __slots__ = ()
    __repr__ = str.__str__


def chains(terms: list[Any]) -> list[list[Any]]:
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
    loose = term.kind, term.op.name if term.kind == "map" else "", term.shape
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
        found.append(start if not move else Place(plus if move > 0 else f"{start + first}-{letter}"))
    return found


def _taken_apart(note: Note) -> tuple[Any, list[int]]:
    """What a note is but for the places of entries, and these."""
    numbers: list[int] = []
    info = note.info
    if note.kind == "name":
        name, _, places = note.info[0].partition("[")
        numbers = [int(k) for k in places.rstrip("]").split(", ") if places]
        info = name, len(numbers), note.info[1]
    elif note.kind == "index":
        numbers = [k for k in note.info if type(k) is int]
        info = tuple([None if type(k) is int else str(k) for k in note.info])
    parts = [_taken_apart(p) for p in note.parts]
    return (note.kind, info, tuple([p for p, _ in parts])), numbers + [k for _, inner in parts for k in inner]


def _with_places(note: Note, places: Iterator[Any]) -> Note:
    """A note with other places of entries, in the order of `_taken_apart`."""
    info = note.info
    if note.kind == "name" and "[" in note.info[0]:
        name, _, own = note.info[0].partition("[")
        info = f"{name}[{', '.join([str(next(places)) for _ in own.split(', ')])}]", note.info[1]
    elif note.kind == "index":
        info = tuple([next(places) if type(k) is int else k for k in note.info])
    return note._replace(info=info, parts=tuple([_with_places(p, places) for p in note.parts]))
