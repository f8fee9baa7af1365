"""The lines that fill a matrix, from the plan of what it is made of.

The idea to hold: what covers the whole matrix is computed first and is the matrix; what has a pattern is added in
place, to a view of its diagonals or at places that were worked out beforehand. Entries are computed on and below the
diagonal and written twice.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import _limits
from ..expr._ein import constant_of
from ._assemble import Assembly, Diagonals, Gram, Pairs, Part, Row, Whole
from ._definitions import Source
from ._grid import Grid
from ._lower import Landing, distinct
from ._source_text import align, negative, subscripts, summed, times
from ._survey import Unprogrammable
from ._terms import entries, sizes


class Filling:
    """The lines that fill the matrix ``H`` of an assembly, or ``data``, its entries on and below the diagonal."""

    def __init__(self, assembly: Assembly, source: Source) -> None:
        self.assembly, self.source, self.lines = assembly, source, source.lines
        self.H = assembly.letter
        self.started = False  # whether there is an H

    def matrix(self) -> str:
        """Append the lines of the whole matrix; returns its name."""
        twice: dict[tuple[int, int], None] = {}  # where a block and its mirror image overlap: the order matters
        for a, b, parts in self._alike():
            self._dense(a, b, parts)
            apart = isinstance(parts[0], Diagonals) and len(parts[0].kept) == 1  # (i + 1, i) and (i, i + 1) differ
            (start, end), (other, other_end) = self._span(a), self._span(b)
            start, end = max(start, other), min(end, other_end)
            if self.assembly.symmetric and a != b and not apart and end - start > 1:
                twice[start, end] = None
        self._begin()
        if self.assembly.averaged:
            self._average()
        for start, end in () if self.assembly.averaged else twice:
            self._even(start, end)
        if self.assembly.entries:
            self._scatter()
        return self.H

    def _average(self) -> None:
        self.lines.append(f"{self.H} = 0.5 * ({self.H} + {self.H}.T)")

    def _even(self, start: int, end: int) -> None:
        block = f"{self.H}[{start}:{end}, {start}:{end}]"
        long = end - start > _limits.EVENED
        self.lines.append(f"_even({block})" if long else f"{block} = 0.5 * ({block} + {block}.T)")

    def _alike(self) -> list[tuple[int, int, list[Any]]]:
        """The parts, those together that are added up before they are written: whole products and rows at one place."""
        groups: dict[Any, tuple[int, int, list[Any]]] = {}
        for place, (a, b, part) in enumerate(sorted(self.assembly.dense, key=self._late)):
            key: Any = place
            if isinstance(part, Whole):
                key = a, b, part.mirrored
            elif isinstance(part, Row):
                key = a, b, tuple(sorted(part.places.items()))
            groups.setdefault((type(part), key), (a, b, []))[2].append(part)
        return list(groups.values())

    def _late(self, block: tuple[int, int, Part]) -> bool:
        """Whether a part is added in place: what is the whole matrix at once comes first, and needs no zeros."""
        a, b, part = block
        return not (isinstance(part, Gram) and self._is_all(a, b))

    def _span(self, a: int, before: int = 0) -> tuple[int, int]:
        """The rows of a part of the variables, or its columns, which do not count what is ``before`` them."""
        start = self.assembly.starts[a] - before
        return start, start + self.assembly.sizes[a]

    def _is_all(self, a: int, b: int) -> bool:
        """Whether a block is the matrix."""
        return (self.assembly.sizes[a], self.assembly.sizes[b]) == (self.assembly.height, self.assembly.width)

    def _block(self, a: int, b: int) -> str:
        spans = (*self._span(a), *self._span(b, self.assembly.left))
        return self.H + ("" if self._is_all(a, b) else "[{}:{}, {}:{}]".format(*spans))

    def _shaped(self, a: int, b: int) -> str:
        """A block with the axes of its variables."""
        shape = (*self.assembly.shapes[a], *self.assembly.shapes[b])
        flat = len(self.assembly.shapes[a]) == len(self.assembly.shapes[b]) == 1
        return self._block(a, b) if flat else f"{self._block(a, b)}.reshape({shape})"

    def _target(self, a: int, b: int) -> str:
        return f"{self.H}[...]" if self._is_all(a, b) else self._block(a, b)

    def _begin(self) -> None:
        if not self.started:
            self.lines.append(f"{self.H} = np.zeros(({self.assembly.height}, {self.assembly.width}))")
        self.started = True

    # ---------------------------------------------------------------------------------------------- dense parts

    def _dense(self, a: int, b: int, parts: list[Any]) -> None:
        part = parts[0]
        if isinstance(part, Gram):
            self._gram(a, b, part)
        elif isinstance(part, Whole):
            self._products(a, b, parts)
        elif isinstance(part, Row):
            self._rows(a, b, parts)
        elif isinstance(part, Pairs):
            self._pairs(a, part)
        else:
            self._diagonals(a, b, part)

    def _gram(self, a: int, b: int, part: Gram) -> None:
        text = self._gram_text(part)
        if self._is_all(a, b) and not self.started:
            self.lines.append(f"{self.H} = {text}")
            self.started = True
            return
        self._begin()
        self.lines.append(f"{self._target(a, b)} += {text}")

    def _gram_text(self, part: Gram) -> str:
        over = part.over
        left = self.source.expression(part.A, "A0")
        shape, inside = sizes(part.A.shape[: len(over)]), sizes(part.A.shape[len(over) :])
        left = left if part.A.rank == 2 else f"({left}).reshape({entries(shape)}, {entries(inside)})"
        if part.N is None:
            return times(part.coef, f"_gram({left})")
        weights = self.source.expression(part.N, "N0")
        if part.shared != over and part.shared:
            inner = align(f"({weights})", tuple([over.index(k) for k in part.shared]), len(over))
            weights = f"np.broadcast_to({inner}, {shape}).reshape(-1)"
        elif len(part.shared) > 1:
            weights = f"({weights}).reshape(-1)"
        return f"_gram({left}, {weights})"

    def _pairs(self, a: int, part: Pairs) -> None:
        self._begin()
        if len(part.inner) != 1 or len(part.outer) != 1:
            raise Unprogrammable("a product of pairs over several axes")
        shape, q = self.assembly.shapes[a], len(self.assembly.shapes[a])
        m, n, h = entries(part.A.shape[: len(part.over)]), shape[part.inner[0]], shape[part.outer[0]]
        order = tuple([k + side for side in (0, q) for k in (*part.inner, *part.outer)])
        view = self._shaped(a, a)
        view = view if order == tuple(range(2 * q)) else f"{view}.transpose({order})"
        left, middle = self.source.expression(part.A, "A0"), self.source.expression(part.N, "N0")
        if len(part.over) > 1:
            left, middle = f"({left}).reshape({m}, {n})", f"({middle}).reshape({m}, {h}, {h})"
        self.lines.append(f"_pairs({left}, {middle}, {view})")

    def _rows(self, a: int, b: int, parts: list[Row]) -> None:
        self._begin()
        index = ", ".join([str(parts[0].places.get(k, ":")) for k in (0, 1)])
        first, *rest = [self.source.expression(p.value, f"R{k}") for k, p in enumerate(parts)]
        total = functools.reduce(lambda sum, text: summed(sum, 1, text), rest, first)
        self.lines.append(f"{self._block(a, b)}[{index}] += {total}")

    def _products(self, a: int, b: int, parts: list[Whole]) -> None:
        """Whole products, added up before the sum and its transpose are written."""
        shape = self.assembly.sizes[a], self.assembly.sizes[b]
        texts = [self.source.expression(p.value, f"T{k}") for k, p in enumerate(parts)]
        found = [(p.coef, f"np.reshape({text}, {shape})") for p, text in zip(parts, texts, strict=True)]
        found.sort(key=lambda part: negative(part[0]))
        coef, mirrored = found[0][0], parts[0].mirrored
        if len(found) == 1:
            self.lines.append(f"T = {found[0][1]}")
        else:
            self.lines.append(f"T = {summed(summed('', *found[0]), *found[1])}")
            self.lines += [f"T {'-' if negative(c) else '+'}= {times(abs(c), text)}" for c, text in found[2:]]
            coef = 1
        if mirrored and self._is_all(a, b) and not self.started:
            self.lines.append(f"{self.H} = {times(coef, '(T + T.T)') if coef != 1 else 'T + T.T'}")
            self.started = True
            return
        self._begin()
        sign, size = ("-=", -coef) if negative(coef) else ("+=", coef)
        self.lines.append(f"{self._target(a, b)} {sign} {times(size, '(T + T.T)' if mirrored else 'T')}")
        if a != b and self.assembly.symmetric:
            self.lines.append(f"{self._target(b, a)} {sign} {times(size, 'T.T')}")

    def _diagonals(self, a: int, b: int, part: Diagonals) -> None:
        first = not self.started and self._is_all(a, b)
        self._begin()
        text, kept, q = self.source.expression(part.value, "D0"), part.kept, len(self.assembly.shapes[a])
        if a != b:
            self.lines.append(f"D = {text}")
            mirrored = [(b, a, [*part.labels[q:], *part.labels[:q]])] if self.assembly.symmetric else []
            for rows, columns, index in [(a, b, part.labels), *mirrored]:
                view = subscripts([index], kept)
                self.lines.append(f"np.einsum({view!r}, {self._shaped(rows, columns)})[...] += D")
            return
        if not part.same:
            self.lines.append(f"D = {text}")
            text = f"0.5 * (D + D.transpose({tuple([kept.index(part.swapped[k]) for k in kept])}))"
        view = subscripts([part.labels], kept)
        self.lines.append(f"np.einsum({view!r}, {self._shaped(a, b)})[...] {'=' if first else '+='} {text}")

    # -------------------------------------------------------------------------------------------------- entries

    def _scatter(self) -> None:
        """Add the entries on and below the diagonal to the matrix, twice."""
        self.entries()
        n, slots = self.assembly.width, self.assembly.lower.slots
        self.lines.append(f"flat = {self.H}.reshape(-1)")
        self.lines.append(f"flat[{self._index(slots)}] += data")
        below = np.flatnonzero(slots // n != slots % n) if self.assembly.symmetric else slots[:0]
        if len(below):
            upper = slots[below] % n * n + slots[below] // n
            self.lines.append(f"flat[{self._index(upper)}] += data[{self._index(below)}]")

    def entries(self) -> str:
        """Append the lines of the entries on and below the diagonal; returns the name of their array."""
        lower = self.assembly.lower
        base = np.zeros(len(lower.slots))
        varying = []
        for (grid, *_), landing in zip(self.assembly.entries, lower.landings, strict=True):
            value = constant_of(grid.values)
            if value is None:
                varying.append((grid, landing))
            else:
                amounts = float(value * grid.coef) * np.where(landing.off, landing.weight, 2 * landing.weight)
                np.add.at(base, landing.slots, amounts)
        start = f"{self.source.parameter(base)}.copy()" if base.any() else f"np.zeros({len(base)})"
        self.lines.append(f"data = {start}")
        for grid, landing in varying:
            if len(landing.slots):
                self._values(grid, landing, len(base))
        return "data"

    def _values(self, grid: Grid, landing: Landing, n: int) -> None:
        """Add the values of a grid to their slots."""
        valid, slots, off, weight = landing
        text = self.source.expression(grid.values, "E0")
        rank = grid.values.rank
        if rank > 1:
            text = f"({text}).reshape(-1)"
        if rank and not valid.all():
            text = f"({text})[{self._index(np.flatnonzero(valid))}]"
        coef = grid.coef * weight * (1 if off.any() else 2)
        if off.any() and not off.all():
            text, rank = f"({text}) * {self.source.parameter(np.where(off, 1.0, 2.0))}", 1
        if bool((np.diff(slots) > 0).all()) or len(distinct(slots)) == len(slots):
            self.lines.append(f"data[{self._index(slots)}] += {times(coef, text)}")
        else:
            place = self.source.parameter(slots)
            value = text if rank else f"np.full({len(slots)}, {text})"
            self.lines.append(f"data += {times(coef, f'np.bincount({place}, {value}, {n})')}")

    def _index(self, places: np.ndarray) -> str:
        """Places as a slice where they are evenly spaced, else as an array."""
        step = int(places[1] - places[0]) if len(places) > 1 else 1
        if len(places) and step > 0 and bool((np.diff(places) == step).all()):
            return f"{int(places[0])}:{int(places[-1]) + 1}" + (f":{step}" if step > 1 else "")
        return self.source.parameter(places)
