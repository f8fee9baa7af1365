"""The lines that fill a matrix, or the structured parts that it stays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _limits
from ..terms import Ein, Expr, Var, constant_of, is_negative
from .assemble import Assembly, BlockPart, DenseProduct, Diagonals, GramProduct, Pairs, SingleRow
from .definitions import Source, is_rearranged
from .dialects import NUMPY
from .graph_terms import entries_of, sizes
from .linear import Grid, Landing, Pattern, align, atom, distinct, number, scaled, subscripts, summed
from .survey import Unprogrammable

# -------------------------------------------------- The lines that fill a matrix, from the plan of what it is made of

# The idea to hold: what covers the whole matrix is computed first and is the matrix; what has a pattern is added in
# place, to a view of its diagonals or at places that were worked out beforehand. Entries are computed on and below the
# diagonal and written twice.


def _two_vectors(part: DenseProduct) -> tuple[Var, Var] | None:
    """Two vectors, a row and a column, if a product is theirs."""
    if not isinstance(part.value, Ein) or part.q != 1 or len(part.value.factors) != 2:
        return None
    names = {s: f for f, s in part.value.factors if isinstance(f, Var)}
    return (names[0,], names[1,]) if names.keys() == {(0,), (1,)} else None


def _is_far(rows: int) -> bool:
    """Whether columns of a matrix of so many rows are better not read one after the other: their entries have no room
    in the cache, or the same few places there."""
    return rows >= _limits.MIRRORED or (rows >= _limits.MIRRORED_APART and rows % 256 == 0)


class Filling:
    """The lines that fill the matrix ``H`` of an assembly, or ``data``, its entries on and below the diagonal."""

    assembly: Assembly
    source: Source
    lines: list[str]

    def __init__(self, assembly: Assembly, source: Source) -> None:
        self.assembly, self.source, self.lines = assembly, source, source.lines
        self.H = assembly.letter
        self.started: bool = False  # whether there is an H
        self.filled: list[tuple[int, int, int, int]] = []  # rows and columns that are no zeros by now

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
            if isinstance(part, DenseProduct):
                key = a, b, part.mirrored
            elif isinstance(part, SingleRow):
                key = a, b, tuple(sorted(part.places.items()))
            groups.setdefault((type(part), key), (a, b, []))[2].append(part)
        return list(groups.values())

    def _late(self, block: tuple[int, int, BlockPart]) -> int:
        """Which parts come later: what is the whole matrix at once comes first, and needs no zeros."""
        a, b, part = block
        kinds = GramProduct, Pairs, DenseProduct
        return kinds.index(type(part)) if isinstance(part, kinds) and self._is_all(a, b) else len(kinds)

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

    def _fresh(self, a: int, b: int) -> bool:
        """Whether there are only zeros in a block, and in its mirror image; no longer so."""
        (top, bottom), (left, right) = self._span(a), self._span(b, self.assembly.left)
        found = all(bottom <= t or o <= top or right <= x or y <= left for t, o, x, y in self.filled)
        self.filled.append((top, bottom, left, right))
        if a == b or not self.assembly.symmetric:
            return found
        self.filled.append((left, right, top, bottom))
        return found and (bottom <= left or right <= top)

    def _entry(self, a: int, b: int) -> str:
        """A block that is one entry."""
        return f"{self.H}[{self._span(a)[0]}, {self._span(b, self.assembly.left)[0]}]"

    def _begin(self) -> None:
        if not self.started:
            self.lines.append(f"{self.H} = np.zeros(({self.assembly.height}, {self.assembly.width}))")
        self.started = True

    # ---------------------------------------------------------------------------------------------- dense parts

    def _dense(self, a: int, b: int, parts: list[Any]) -> None:
        part = parts[0]
        if isinstance(part, GramProduct):
            self._gram(a, b, part)
        elif isinstance(part, DenseProduct):
            self._products(a, b, parts)
        elif isinstance(part, SingleRow):
            self._rows(a, b, parts)
        elif isinstance(part, Pairs):
            self._pairs(a, part)
        else:
            self._diagonals(a, b, part)

    def _gram(self, a: int, b: int, part: GramProduct) -> None:
        text = self._gram_text(part)
        if self._is_all(a, b) and not self.started:
            self.lines.append(f"{self.H} = {text}")
            self.started = True
            self._fresh(a, b)
            return
        self._begin()
        self.lines.append(f"{self._target(a, b)} {'=' if self._fresh(a, b) else '+='} {text}")

    def _gram_text(self, part: GramProduct) -> str:
        over = part.over
        left = self.source.expression(part.A, "A0")
        shape, inside = sizes(part.A.shape[: len(over)]), sizes(part.A.shape[len(over) :])
        left = left if part.A.rank == 2 else f"({left}).reshape({entries_of(shape)}, {entries_of(inside)})"
        if part.N is None:
            return scaled(part.coef, f"_gram({left})")
        weights = self.source.expression(part.N, "N0")
        if part.shared != over and part.shared:
            inner = align(f"({weights})", tuple([over.index(k) for k in part.shared]), len(over))
            weights = f"np.broadcast_to({inner}, {shape}).reshape(-1)"
        elif len(part.shared) > 1:
            weights = f"({weights}).reshape(-1)"
        return f"_gram({left}, {weights})"

    def _pairs(self, a: int, part: Pairs) -> None:
        if len(part.inner) != 1 or len(part.outer) != 1:
            raise Unprogrammable("a product of pairs over several axes")
        shape, q = self.assembly.shapes[a], len(self.assembly.shapes[a])
        m, n, h = entries_of(part.A.shape[: len(part.over)]), shape[part.inner[0]], shape[part.outer[0]]
        order = tuple([k + side for side in (0, q) for k in (*part.inner, *part.outer)])
        alone = self._is_all(a, a) and not self.started
        target, size = self.H if alone else "P", self.assembly.sizes[a]
        view = f"{target}.reshape({(*shape, *shape)})"
        view = view if order == tuple(range(2 * q)) else f"{view}.transpose({order})"
        left, middle = self.source.expression(part.A, "A0"), self.source.expression(part.N, "N0")
        if len(part.over) > 1:
            left, middle = f"({left}).reshape({m}, {n})", f"({middle}).reshape({m}, {h}, {h})"
        self.lines += [f"{target} = np.empty(({size}, {size}))", f"_pairs({left}, {middle}, {view})"]
        if not alone:
            self._begin()
            self.lines.append(f"{self._target(a, a)} {'=' if self._fresh(a, a) else '+='} P")
        self.started = True
        self._fresh(a, a)

    def _rows(self, a: int, b: int, parts: list[SingleRow]) -> None:
        self._begin()
        self._fresh(a, b)
        index = ", ".join([str(parts[0].places.get(k, ":")) for k in (0, 1)])
        first, *rest = [self.source.expression(p.value, f"R{k}") for k, p in enumerate(parts)]
        total = functools.reduce(lambda sum, text: summed(sum, 1, text), rest, first)
        self.lines.append(f"{self._block(a, b)}[{index}] += {total}")

    def _products(self, a: int, b: int, parts: list[DenseProduct]) -> None:
        """Whole products, added up before the sum and its transpose are written."""
        rows, columns = self.assembly.sizes[a], self.assembly.sizes[b]
        mirrored, twice = parts[0].mirrored, a != b and self.assembly.symmetric
        alone = self._is_all(a, b) and not self.started and not twice
        parts, outer = self._without_outer(parts, rows * columns)
        first, *rest = sorted(parts, key=lambda part: is_negative(part.coef))
        outside = -1 if is_negative(first.coef) and not rest and not outer and not alone else 1
        if mirrored and not rest and not outer and not isinstance(first.value, Ein):
            outside = first.coef  # there is no product to put it into
        first = first._replace(coef=first.coef * outside if abs(outside) == 1 else 1)
        T = self.H if alone and not mirrored else "T"
        text = self._piece(first, (rows, columns), "T0")
        more = [self._piece(p._replace(coef=abs(p.coef)), (rows, columns), f"T{k}") for k, p in enumerate(rest, 1)]
        signs = [*[-1 if is_negative(p.coef) else 1 for p in rest], *[1 for _ in outer]]
        more += outer
        if more:
            text = summed(text, signs[0], more[0])
        if T == self.H and self._is_viewed():
            text = f"{text if text.isidentifier() else f'({text})'}.copy()"  # whose rows lie one after the other
        elif T == self.H and first.coef == 1 and (text.isidentifier() or is_rearranged(first.value)):
            text = f"+{text}"  # a new array
        self.lines.append(f"{T} = {text}")
        self.lines += [f"{T} {'-' if s < 0 else '+'}= {piece}" for s, piece in zip(signs[1:], more[1:], strict=True)]
        turned = T if rows == columns == 1 else f"{T}.T"
        both = T if not mirrored else f"_mirrored({T})" if _is_far(rows) else f"{T} + {turned}"
        if alone:
            both = both if outside == 1 else scaled(outside, f"({both})")
            self.lines += [f"{self.H} = {both}"] if mirrored else []
            self._fresh(a, b)
            self.started = True
            return
        place = self._target if any(part.value.rank for part in parts) or self._is_all(a, b) else self._entry
        self._put(place, a, b, outside, f"({both})" if mirrored and outside != 1 else both, turned)

    def _without_outer(self, parts: list[DenseProduct], size: int) -> tuple[list[DenseProduct], list[str]]:
        """The parts but for products of two vectors, if several fill a large matrix: those are one matrix product."""
        if size < _limits.OUTER or self.source.dialect is not NUMPY:
            return parts, []
        found = {k: pair for k, p in enumerate(parts) if p.mirrored and (pair := _two_vectors(p)) is not None}
        if len(found) < 2 or len(found) == len(parts):
            return parts, []
        name = self.source.name
        left = [scaled(parts[k].coef * parts[k].value.coef, name(u)) for k, (u, _) in found.items()]
        right = [name(v) for _, v in found.values()]
        text = f"np.stack([{', '.join(left)}]).T @ np.stack([{', '.join(right)}])"
        return [p for k, p in enumerate(parts) if k not in found], [text]

    def _put(self, place: Callable[[int, int], str], a: int, b: int, coef: Any, text: str, mirror: str) -> None:
        """Add an array to a block, or a number to an entry, and its transpose to that on the other side."""
        self._begin()
        sign = ("= -" if is_negative(coef) else "= ") if self._fresh(a, b) else "-= " if is_negative(coef) else "+= "
        self.lines.append(f"{place(a, b)} {sign}{scaled(abs(coef), text)}")
        if a != b and self.assembly.symmetric:
            self.lines.append(f"{place(b, a)} {sign}{scaled(abs(coef), mirror)}")

    def _is_viewed(self) -> bool:
        """Whether entries are added to the matrix by its views in other shapes."""
        return bool(self.assembly.entries) or any(isinstance(part, Diagonals) for _, _, part in self.assembly.dense)

    def _piece(self, part: DenseProduct, shape: tuple[int, int], word: str) -> str:
        """A product with its number, as a matrix; what is its own transpose stays so to the last bit."""
        value, coef = part.value, part.coef
        if isinstance(value, Ein) and value.factors and part.mirrored:
            value, coef = Ein(value.coef * coef, value.factors, value.dims, value.rank), 1
        self.source.by_columns = self.source.dialect is NUMPY
        text = scaled(coef, self.source.expression(value, word))
        self.source.by_columns = False
        if not value.rank:
            return f"np.reshape({text}, {shape})" if self.assembly.height == self.assembly.width == 1 else text
        return text if sizes(value.shape) == shape else f"{atom(text)}.reshape({shape})"

    def _diagonals(self, a: int, b: int, part: Diagonals) -> None:
        alone = not self.started and self._is_all(a, b)
        self._begin()
        sign = "=" if self._fresh(a, b) or alone else "+="
        kept, q = part.kept, len(self.assembly.shapes[a])
        if a != b:
            self.lines.append(f"D = {self._spread_out(part)}")
            mirrored = [(b, a, [*part.labels[q:], *part.labels[:q]])] if self.assembly.symmetric else []
            for rows, columns, index in [(a, b, part.labels), *mirrored]:
                view = subscripts([index], kept)
                self.lines.append(f"np.einsum({view!r}, {self._shaped(rows, columns)})[...] {sign} D")
            return
        if part.same:
            text = self._spread_out(part)
        else:
            self.lines.append(f"D = {self.source.expression(part.value, 'D0')}")
            text = f"0.5 * (D + D.transpose({tuple([kept.index(part.swapped[k]) for k in kept])}))"
        view = subscripts([part.labels], kept)
        self.lines.append(f"np.einsum({view!r}, {self._shaped(a, b)})[...] {sign} {text}")

    def _spread_out(self, part: Diagonals) -> str:
        """What is written onto diagonals, not repeated along axes along which it is the same."""
        value = part.value
        if isinstance(value, Ein) and all(f.kind in ("var", "one") for f, _ in value.factors):
            return self.source.product(value, "D0", whole=False)
        return self.source.expression(value, "D0")

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
        coef, text = self._scaled(grid.coef * weight * (1 if off.any() else 2), grid.values)
        rank = grid.values.rank
        if rank > 1:
            text = f"({text}).reshape(-1)"
        if rank and not valid.all():
            text = f"({text})[{self._index(np.flatnonzero(valid))}]"
        if off.any() and not off.all():
            text, rank = f"({text}) * {self.source.parameter(np.where(off, 1.0, 2.0))}", 1
        if bool((np.diff(slots) > 0).all()) or len(distinct(slots)) == len(slots):
            self.lines.append(f"data[{self._index(slots)}] += {scaled(coef, text)}")
        else:
            place = self.source.parameter(slots)
            value = text if rank else f"np.full({len(slots)}, {text})"
            self.lines.append(f"data += {scaled(coef, f'np.bincount({place}, {value}, {n})')}")

    def _scaled(self, coef: Any, value: Expr) -> tuple[Any, str]:
        """A number times a grid's values, as a number and a text."""
        return coef, self.source.expression(value, "E0")

    def _index(self, places: np.ndarray) -> str:
        """Places as a slice where they are evenly spaced, else as an array."""
        step = int(places[1] - places[0]) if len(places) > 1 else 1
        if len(places) and step > 0 and bool((np.diff(places) == step).all()):
            return f"{int(places[0])}:{int(places[-1]) + 1}" + (f":{step}" if step > 1 else "")
        return self.source.parameter(places)


# --------------- A matrix of second derivatives as the structured parts that its terms are: nothing is multiplied out

# The idea to hold: the program computes the arrays that make the parts, and each part knows from its plan which kind of
# structured matrix those arrays make.


Maker = Callable[..., Any]


class StructuredParts:
    """The structured parts of one matrix: the expressions of their arrays, and what makes a matrix of them."""

    assembly: Assembly
    source: Source

    def __init__(self, assembly: Assembly, source: Source) -> None:
        self.assembly, self.source = assembly, source
        self.texts: list[str] = []
        self.makers: list[tuple[int, Maker]] = []

    def write(self) -> bool:
        """Collect all parts; False where some part has no structure, so that the matrix is better dense."""
        if len(self.assembly.shapes) != 1:
            return False
        write: dict[type, Callable[[Any], bool]] = {
            GramProduct: self._gram,
            Diagonals: self._diagonal,
            DenseProduct: self._whole,
        }
        for _, _, part in self.assembly.dense:
            if type(part) not in write or not write[type(part)](part):
                return False
        if self.assembly.entries:
            pattern = Pattern(self.assembly.lower)
            data = Filling(self.assembly, self.source).entries()
            self._add(lambda data: _kinds().Sparse(pattern.matrix(data), check=False), data)
        return True

    def matrix(self, arrays: Any, dtype: Any) -> Any:
        """The matrix, from the arrays in the order of the texts."""
        rest = iter([np.asarray(a, dtype) for a in arrays])
        parts = [make(*[next(rest) for _ in range(count)]) for count, make in self.makers]
        if not parts:
            return _kinds().Diagonal(np.zeros(self.assembly.total, dtype))
        return parts[0] if len(parts) == 1 else _kinds().Sum(*parts).simplified()

    def _add(self, maker: Maker, *texts: str) -> bool:
        self.texts += texts
        self.makers.append((len(texts), maker))
        return True

    def _gram(self, part: GramProduct) -> bool:
        A, N, over, shared, coef = part
        if (shared != over and shared) or (N is not None and not shared):
            return False
        m = entries_of(A.shape[: len(over)])
        left = f"np.reshape({self._own(A, 'A0')}, ({m}, {self.assembly.total}))"
        if N is None:
            c = float(coef)
            return self._add(lambda A: _kinds().Gram(A, None if c == 1 else np.full(len(A), c, A.dtype)), left)
        return self._add(lambda A, d: _kinds().Gram(A, d), left, f"np.reshape({self._own(N, 'N0')}, -1)")

    def _own(self, term: Expr, name: str) -> str:
        """The text of an array that the matrix keeps, and that nobody else writes to."""
        text = self.source.expression(term, name)
        return f"np.array({text})" if is_rearranged(term) else text

    def _diagonal(self, part: Diagonals) -> bool:
        value, _, places, kept, _ = part
        shape = self.assembly.shapes[0]
        loose = {s[0] for f, s in value.factors if f.kind == "one"} if isinstance(value, Ein) else set()
        text = self.source.expression(value, "D0")
        q = len(shape)
        if places[:q] == places[q:] and len(set(places)) == q:  # nothing but the diagonal
            whole = f"np.broadcast_to({text}, {shape})"
            return self._add(lambda d: _kinds().Diagonal(np.array(d).reshape(-1)), whole)
        if q != 2 or len(kept) != 3:
            return False
        same = 0 if places[0] == places[2] else 1
        position = kept.index(places[same])
        if position not in loose:
            return False
        core = f"np.broadcast_to({text}, {tuple([shape[0] if places.index(k) % 2 == 0 else shape[1] for k in kept])})"
        n = shape[same]

        def kronecker(block: np.ndarray) -> Any:
            inner = np.take(block, 0, axis=position)
            inner = 0.5 * (inner + inner.T)
            return _kinds().Kronecker(n, inner) if same == 0 else _kinds().Kronecker(inner, n)

        return self._add(kronecker, core)

    def _whole(self, part: DenseProduct) -> bool:
        atom, coef, mirrored, q = part
        if q != 1 or not isinstance(atom, Ein):
            return False
        sides: dict[int, Any] = {}
        c = number(atom.coef * coef * (2 if mirrored else 1))
        for f, s in atom.factors:
            if f.kind == "one" and s[0] < 2:
                continue
            if not isinstance(f, Var) or len(s) > 1 or (s and (s[0] > 1 or s[0] in sides)):
                return False
            if s:
                sides[s[0]] = f
            else:
                c = f"{c} * {self.source.name(f)}"
        u, v = [self.source.name(sides[k]) if k in sides else f"np.ones({self.assembly.total})" for k in (0, 1)]
        if u == v:
            return self._add(lambda u, c: _kinds().LowRank(np.array(u)[:, None], np.stack([c])), u, c)
        return self._add(_two_sided, u, v, c)


def _two_sided(u: np.ndarray, v: np.ndarray, c: Any) -> Any:
    """c/2 (u vᵀ + v uᵀ), as ((u + v)(u + v)ᵀ - (u - v)(u - v)ᵀ) c/4 with u and v of one size, or one would drown."""
    sizes = np.linalg.norm(u), np.linalg.norm(v)
    if all(np.isfinite(sizes)):
        r = np.sqrt(sizes[1]) / np.sqrt(sizes[0]) if all(sizes) else 0.0
        u, v = u * r, v / r if r else v * 0.0
    return _kinds().LowRank(np.stack([u + v, u - v], 1), np.stack([c, -c]) / 4)


def _kinds() -> Any:
    from . import matrices

    return matrices
