"""Sizes that are not known yet, and what follows about them from one another.

The idea to hold: a `Dim` is an unknown plus a number, ``x[1:]`` being one entry shorter than ``x``; `Sizes.same` makes
two equal, by union-find with offsets. What is declared keeps its name, what is not gets one (`Sizes.name_all`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Any

from ..core import Dim as SizeOfSymbol


class Unknown:
    """A size: its ``value`` or ``name`` if it has one; ``above`` its representative, which is it less ``offset``."""

    __slots__ = ("above", "name", "offset", "opaque", "provisional", "shift", "value")

    def __init__(self, name: str | None = None) -> None:
        self.above: Unknown | None = None
        self.offset = 0
        self.name = name
        self.opaque = False
        self.provisional: str | None = None  # the name given to this size plus `shift`
        self.shift = 0
        self.value: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Dim:
    """``unknown + offset`` entries."""

    unknown: Unknown
    offset: int = 0


class Sizes:
    def __init__(self) -> None:
        self.named: dict[str, Dim] = {}
        self.declared: set[str] = set()
        self.given: dict[str, Any] = {}  # sizes that came with symbols, by name
        self.learnt = 0  # how often something new was said of a size

    def fresh(self) -> Dim:
        """A size about which nothing is known."""
        return Dim(Unknown())

    def opaque(self) -> Dim:
        """A size that follows from others in no way that is known here."""
        dim = self.fresh()
        dim.unknown.opaque = True
        return dim

    def called(self, name: str) -> Dim:
        """The size with a declared name."""
        if name not in self.named:
            self.named[name] = Dim(Unknown(name))
        return self.named[name]

    def of_symbol(self, size: Any) -> int | Dim:
        """A size of a symbol: a number, or a named one and perhaps a number more."""
        if type(size) is not SizeOfSymbol:
            return int(size)
        offset = dict(size.terms).get((), 0)
        rest: Any = size - offset
        self.given[rest.name] = rest
        self.declared.add(rest.name)
        return self.plus(self.called(rest.name), offset)

    def plus(self, dim: int | Dim, more: int) -> int | Dim:
        """A size changed by a number."""
        if isinstance(dim, int):
            return dim + more
        root = self.root(dim)
        return Dim(root.unknown, root.offset + more) if isinstance(root, Dim) else root + more

    def times(self, *dims: int | Dim) -> int | Dim:
        """The product of sizes; an unknown of its own unless it is plain."""
        roots = [d for d in map(self.root, dims) if not (isinstance(d, int) and d == 1)]
        numbers = [d for d in roots if isinstance(d, int)]
        if len(numbers) == len(roots):
            return prod(numbers)
        return roots[0] if len(roots) == 1 else self.opaque()

    def root(self, dim: int | Dim) -> int | Dim:
        """The representative of a size: a number where it is known."""
        if isinstance(dim, int):
            return dim
        unknown, offset = dim.unknown, dim.offset
        path = []
        while unknown.above is not None:
            path.append((unknown, offset))
            offset += unknown.offset
            unknown = unknown.above
        for passed, before in path:  # so that the next search is short
            passed.above, passed.offset = unknown, offset - before
        return unknown.value + offset if unknown.value is not None else Dim(unknown, offset)

    def same(self, a: int | Dim, b: int | Dim) -> bool:
        """Make two sizes equal; False if they cannot be."""
        a, b = self.root(a), self.root(b)
        self.learnt += 1
        if isinstance(a, int) or isinstance(b, int):
            if isinstance(a, int) and isinstance(b, int):
                return a == b
            known, open_ = (a, b) if isinstance(a, int) else (b, a)
            assert isinstance(known, int) and isinstance(open_, Dim)
            value = known - open_.offset
            if value < 0:
                return False
            open_.unknown.value = value
            return True
        if a.unknown is b.unknown:
            return a.offset == b.offset
        if a.unknown.name is not None and b.unknown.name is not None:
            return False
        if a.unknown.name is not None or (b.unknown.name is None and b.unknown.opaque < a.unknown.opaque):
            a, b = b, a  # a name outlives what has none
        a.unknown.above, a.unknown.offset = b.unknown, b.offset - a.offset
        b.unknown.opaque = b.unknown.opaque or a.unknown.opaque
        return True

    def agree(self, a: int | Dim, b: int | Dim) -> bool | None:
        """Whether two sizes are equal; None if that is not known: different names are different sizes."""
        a, b = self.root(a), self.root(b)
        if isinstance(a, int) or isinstance(b, int):
            return a == b if isinstance(a, int) and isinstance(b, int) else None
        if a.unknown is b.unknown:
            return a.offset == b.offset
        return None if a.unknown.name is None or b.unknown.name is None else False

    def text(self, dim: int | Dim) -> str:
        """A size in a message: 3, n, n − 1."""
        dim = self.root(dim)
        if isinstance(dim, int):
            return str(dim)
        name, more = self.in_words(dim)
        return f"{name or '?'} {'+' if more > 0 else '−'} {abs(more)}" if more else name or "?"

    def in_words(self, dim: Dim) -> tuple[str | None, int]:
        """The name that a size has, and by how much it is larger than what is named."""
        unknown = dim.unknown
        return (unknown.name, dim.offset) if unknown.name else (unknown.provisional, dim.offset - unknown.shift)

    def name_all(self, shapes: Iterable[tuple[int | Dim, ...]], taken: set[str]) -> None:
        """Give every unknown size of ``shapes`` a name, in order: m and n for the first matrix, n for a vector."""
        shapes = sorted(shapes, key=lambda dims: len(dims) != 2)
        unnamed: dict[Unknown, Dim] = {}
        for dims in shapes:
            for dim in map(self.root, dims):
                if isinstance(dim, Dim) and dim.unknown.name is None:
                    unnamed.setdefault(dim.unknown, dim)
        first = [self.root(d) for d in shapes[0]] if shapes else []
        two = len(first) == 2 and len({d.unknown for d in first if isinstance(d, Dim) and d.unknown in unnamed}) == 2
        names = (name for name in _names(two) if name not in taken and name not in self.named)
        for unknown, dim in unnamed.items():
            unknown.provisional, unknown.shift = next(names), dim.offset


def _names(two: bool) -> Iterable[str]:
    yield from "mnklpqrdsh" if two else "nmklpqrdsh"
    for number in range(1, 10**6):
        yield f"n{number}"
