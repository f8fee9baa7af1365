"""The nests that fill a matrix, from the plan of what it is made of.

The idea to hold: what a part of the matrix is worth is an array or an entry's text, and each part is one nest that adds
it where it goes: on both sides of the diagonal at once, so that the two are the same to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..terms import Ein, Expr, Var
from ._assemble import Diagonals, Gram, Pairs, Row, Whole
from ._fill import Filling
from ._nests import NotNested
from ._source_text import negative, summed, times
from ._terms import entries, every_name, sizes


class NestedFilling(Filling):
    """The nests that fill the matrix."""

    def __init__(self, assembly: Any, nested: Any) -> None:
        super().__init__(assembly, nested.plain)
        self.nested = nested
        self.count = 0

    @property
    def nests(self) -> Any:
        """Those that may read all that the matrix is made of so far."""
        return self.nested.nests

    def _begin(self) -> None:
        if not self.started:
            self.nested.begin(self.H, f"np.zeros(({self.assembly.height}, {self.assembly.width}))")
        self.started = True

    def _value(self, atom: Expr) -> Expr:
        """An array that a part is made of: as it is, or a name for the sum that it is."""
        if isinstance(atom, Var) or (isinstance(atom, Ein) and len(atom.dims) == atom.rank and _is_plain(atom)):
            return atom
        self.count += 1
        name = f"T{self.count}"
        self.nested.define(name, atom)
        return Var(name, sizes(atom.shape))

    def _place(self, a: int, b: int, rows: list[str], columns: list[str]) -> str:
        """An entry of a block, at indices along its variables' axes."""
        start, left = self.assembly.starts[a], self.assembly.starts[b] - self.assembly.left
        row, column = _flat(rows, self.assembly.shapes[a]), _flat(columns, self.assembly.shapes[b])
        return f"{self.H}[{start} + {row}, {left} + {column}]"

    def _products(self, a: int, b: int, parts: list[Whole]) -> None:
        values = [(p.coef, self._value(p.value)) for p in parts]
        values.sort(key=lambda part: negative(part[0]))
        self._begin()
        q, mirrored = len(self.assembly.shapes[a]), parts[0].mirrored
        shape = (*self.assembly.shapes[a], *self.assembly.shapes[b])
        nest = self.nests.begin(sizes(shape), joins=False)
        self.nested.further += len(values) * entries(shape)
        index = [f"i{k}" for k in range(len(shape))]
        every = tuple(range(len(shape)))
        text = ""
        for coef, value in values:
            entry = self.nests.entry(value, every)
            if mirrored:
                entry = f"({entry} + {self.nests.entry(value, (*every[q:], *every[:q]))})"
            text = summed(text, coef, entry)
        nest.lines.append(f"{self._place(a, b, index[:q], index[q:])} += {text}")
        if a != b and self.assembly.symmetric:
            nest.lines.append(f"{self._place(b, a, index[q:], index[:q])} += {text}")

    def _rows(self, a: int, b: int, parts: list[Row]) -> None:
        values = [self._value(p.value) for p in parts]
        self._begin()
        nest = self.nests.begin(sizes(values[0].shape), joins=False)
        every = tuple(range(values[0].rank))
        index = iter([f"i{k}" for k in every])
        at = [str(parts[0].places[k]) if k in parts[0].places else next(index) for k in (0, 1)]
        text = " + ".join([self.nests.entry(v, every) for v in values])
        nest.lines.append(f"{self._place(a, b, at[:1], at[1:])} += {text}")

    def _diagonals(self, a: int, b: int, part: Diagonals) -> None:
        value, kept, q = self._value(part.value), part.kept, len(self.assembly.shapes[a])
        self._begin()
        nest = self.nests.begin(sizes(value.shape), joins=False)
        every = tuple(range(value.rank))
        text = self.nests.entry(value, every)
        index = [f"i{kept.index(k)}" for k in part.labels]
        if a != b:
            nest.lines.append(f"{self._place(a, b, index[:q], index[q:])} += {text}")
            if self.assembly.symmetric:
                nest.lines.append(f"{self._place(b, a, index[q:], index[:q])} += {text}")
            return
        if not part.same:
            turned = [kept.index(part.swapped[k]) for k in kept]
            other = tuple([turned.index(k) for k in every])
            text = f"0.5 * ({text} + {self.nests.entry(value, other)})"
        nest.lines.append(f"{self._place(a, a, index[:q], index[q:])} += {text}")

    def _gram(self, a: int, b: int, part: Gram) -> None:
        over, inner = len(part.over), part.A.rank - len(part.over)
        s = tuple(range(2 * inner, 2 * inner + over))
        i, k = tuple(range(inner)), tuple(range(inner, 2 * inner))
        factors: list[Any] = [(part.A, (*s, *i)), (part.A, (*s, *k))]
        if part.N is not None:
            factors.append((part.N, tuple([s[part.over.index(j)] for j in part.shared])))
        sizes_of = sizes(part.A.shape)
        dims = dict(zip((*s, *i), sizes_of, strict=True)) | dict(zip(k, sizes_of[over:], strict=True))
        self.count += 1
        name = f"T{self.count}"
        self.nested.product(name, part.coef, factors, (*i, *k), dims)
        self._begin()
        nest = self.nests.begin(tuple([dims[j] for j in (*i, *k)]), joins=False)
        index = [f"i{j}" for j in (*i, *k)]
        entry = self.nests.entry(Var(name, nest.shape), (*i, *k))
        nest.lines.append(f"{self._place(a, b, index[:inner], index[inner:])} += {entry}")

    def _pairs(self, a: int, part: Pairs) -> None:
        m, p, q = len(part.over), len(part.inner), len(part.outer)
        s = tuple(range(m))
        j, j2 = tuple(range(m, m + q)), tuple(range(m + q, m + 2 * q))
        self.count += 1
        even, name = f"N{self.count}", f"T{self.count}"  # as the matrix is symmetric, so is its middle
        self.nested.entrywise(
            even, sizes(part.N.shape),
            lambda nests: f"0.5 * ({nests.entry(part.N, (*s, *j, *j2))} + {nests.entry(part.N, (*s, *j2, *j))})",
            every_name(part.N),
        )  # fmt: skip
        i, k = tuple(range(m + 2 * q, m + 2 * q + p)), tuple(range(m + 2 * q + p, m + 2 * q + 2 * p))
        inner = sizes(part.A.shape[m:])
        dims = dict(enumerate(sizes(part.N.shape))) | dict(zip((*i, *k), (*inner, *inner), strict=True))
        factors = [(part.A, (*s, *i)), (part.A, (*s, *k)), (Var(even, sizes(part.N.shape)), (*s, *j, *j2))]
        self.nested.product(name, 1, factors, (*i, *j, *k, *j2), dims)
        self._begin()
        nest = self.nests.begin(tuple([dims[x] for x in (*i, *j, *k, *j2)]), joins=False)
        rows = {axis: f"i{n}" for n, axis in enumerate((*part.inner, *part.outer))}
        columns = {axis: f"i{p + q + n}" for n, axis in enumerate((*part.inner, *part.outer))}
        axes = range(p + q)
        entry = self.nests.entry(Var(name, nest.shape), tuple(range(2 * (p + q))))
        nest.lines.append(f"{self._place(a, a, [rows[x] for x in axes], [columns[x] for x in axes])} += {entry}")

    def _average(self) -> None:
        self._make_even(0, self.assembly.height)

    def _even(self, start: int, end: int) -> None:
        self._make_even(start, end)

    def _make_even(self, start: int, end: int) -> None:
        self.nests.begin((), joins=False).lines += [
            f"for i0 in range({start}, {end}):",
            f"    for i1 in range({start}, i0):",
            f"        {self.H}[i0, i1] = {self.H}[i1, i0] = 0.5 * ({self.H}[i0, i1] + {self.H}[i1, i0])",
        ]

    def _scatter(self) -> None:
        """Add single entries, on and below the diagonal, where they go, and above it what is below."""
        lower, width = self.assembly.lower, self.assembly.width
        for (grid, *_), landing in zip(self.assembly.entries, lower.landings, strict=True):
            if not len(landing.slots):
                continue
            value = self._value(grid.values)
            nest = self.nests.begin((len(landing.slots),), joins=False)
            chosen = self._at(np.flatnonzero(landing.valid), "i0") if value.rank and not landing.valid.all() else "i0"
            nest.lines.append(f"m = {chosen}")
            for axis in range(value.rank):
                after = entries(value.shape[axis + 1 :])
                nest.lines.append(f"i{axis + 1} = m // {after} % {int(value.shape[axis])}")
            entry = self.nests.entry(value, tuple(range(1, value.rank + 1)))
            nest.lines += [
                f"p = {self._at(lower.slots, self._at(landing.slots, 'i0'))}",
                f"r, c = p // {width}, p % {width}",
                f"v = {times(grid.coef * landing.weight, entry)}",
            ]
            if not self.assembly.symmetric:
                if not landing.off.all():
                    raise NotNested("a diagonal that counts twice")
                nest.lines.append(f"{self.H}[r, c] += v")
                continue
            nest.lines += [
                f"{self.H}[r, c] += v if r != c else 2.0 * v", "if r != c:", f"    {self.H}[c, r] += v",
            ]  # fmt: skip

    def _at(self, places: np.ndarray, n: str) -> str:
        """A place among those there are, by its number: counted where they are evenly spaced, else from an array."""
        text = self._index(places)
        if ":" not in text:
            return f"{text}[{n}]"
        start, _, *step = text.split(":")
        scaled = f"{step[0]} * ({n})" if step else n
        return scaled if start == "0" else f"{start} + {scaled}"


class LinesBesideNests(Filling):
    """Lines of NumPy that fill the matrix, but that nests compute its entries with their numbers."""

    def __init__(self, assembly: Any, nested: Any) -> None:
        super().__init__(assembly, nested.plain)
        self.nested = nested
        self.count = 0

    def _scaled(self, coef: Any, value: Expr) -> tuple[Any, str]:
        self.count += 1
        name, every = f"E{self.count}", tuple(range(value.rank))
        is_turned = isinstance(value, Ein) and any(s != every for f, s in value.factors if f.kind != "one")
        shape, names = sizes(value.shape), every_name(value)
        is_new = shape and not is_turned and not (coef == 1 and isinstance(value, Var))
        if not is_new or not self.nested.by_nests(names) or name in self.nested.by_numpy:
            return super()._scaled(coef, value)
        try:
            self.nested.entrywise(name, shape, lambda nests: times(coef, nests.entry(value, every)), names)
        except NotNested:
            return super()._scaled(coef, value)
        return 1, name


def _is_plain(atom: Ein) -> bool:
    return all(f.kind in ("var", "one") for f, _ in atom.factors)


def _flat(index: list[str], shape: tuple[int, ...]) -> str:
    """The place of an entry among all of an array."""
    text = index[0] if index else "0"
    for name, n in zip(index[1:], shape[1:], strict=True):
        text = f"({text}) * {int(n)} + {name}"
    return text


__all__ = ["LinesBesideNests", "NestedFilling"]
