"""The lines that fill a matrix, from the plan of what it is made of.

The idea to hold: what covers the whole matrix is computed first and is the matrix; what has a pattern is added in
place, to a view of its diagonals or at places that were worked out beforehand. Entries are computed on and below the
diagonal and written twice.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ._assemble import Planning
from ._emit import Source
from ._places import Placed
from ._survey import Unprogrammable
from ._text import align, negative, summed, times

WIDE = 128
"""Rows from which on a matrix is made symmetric block by block."""

HELPERS = {
    "_even": '''def _even(H, width=128):
    """Replace H by half the sum of itself and its transpose, block by block."""
    n = len(H)
    for i in range(0, n, width):
        for j in range(0, i + 1, width):
            block = 0.5 * (H[i : i + width, j : j + width] + H[j : j + width, i : i + width].T)
            H[i : i + width, j : j + width] = block
            H[j : j + width, i : i + width] = block.T''',
    "_gram": '''def _gram(A, d=None):
    """A.T @ diag(d) @ A, symmetric to the last bit: a triangular product for either sign of d, if A is large."""
    A = A if A.flags.c_contiguous or A.flags.f_contiguous else np.ascontiguousarray(A)
    if d is None:
        return A.T @ A
    if np.ndim(d) == 0:
        return d * (A.T @ A)
    if d.min() >= 0:
        B = A * np.sqrt(d)[:, None]
        return B.T @ B
    if A.size <= 1 << 16:
        G = A.T @ (A * d[:, None])
        return 0.5 * (G + G.T)
    up = d > 0
    B, C = A[up] * np.sqrt(d[up])[:, None], A[~up] * np.sqrt(-d[~up])[:, None]
    return B.T @ B - C.T @ C''',
    "_pairs": '''def _pairs(A, N, H):
    """Add the sum over s of A[s, i] * A[s, k] * N[s, j, l] to H[i, j, k, l]; each pair of indices is summed once."""
    s, n, h = A.shape[0], A.shape[1], N.shape[1]
    j, l = np.triu_indices(h)
    N = 0.5 * (N[:, j, l] + N[:, l, j])
    both = np.empty((h, h), np.intp)
    both[j, l] = both[l, j] = np.arange(len(j))
    if s * n * n > 16_000_000:
        for p in range(len(j)):
            G = _gram(A, N[:, p])
            H[:, j[p], :, l[p]] += G
            if j[p] != l[p]:
                H[:, l[p], :, j[p]] += G
        return
    i, k = np.triu_indices(n)
    place = np.empty((n, n), np.intp)
    place[i, k] = place[k, i] = np.arange(len(i))
    G = ((A[:, i] * A[:, k]).T @ N)[:, both.reshape(-1)].reshape(len(i), h, h)
    for a in range(n):
        H[a] += G[place[a]].transpose(1, 0, 2)''',
}  # fmt: skip


class Assembly(Planning):
    """Fills one symmetric matrix, block by block."""

    def write(self, source: Source, sparse: bool) -> None:
        """Append the lines that fill the matrix."""
        if sparse:
            self._entries(source)
            return
        n = self.total
        started = False
        twice: dict[tuple[int, int], None] = {}  # where a block and its mirror image overlap: the order matters
        for a, b, plans in self._alike():
            plan = plans[0]
            started = self._write_dense(source, a, b, plans, started)
            apart = plan[0] == "diagonal" and len(plan[4]) == 1  # (i + 1, i) and (i, i + 1) are never one entry
            if a != b and not apart and self._overlap(a, b):
                start, stop = max(self.starts[a], self.starts[b]), min(self._end(a), self._end(b))
                if stop - start > 1:
                    twice[start, stop] = None
        if not started:
            source.lines.append(f"H = np.zeros(({n}, {n}))")
        if self.averaged:
            source.lines.append("H = 0.5 * (H + H.T)")
        for start, stop in () if self.averaged else twice:
            part = f"H[{start}:{stop}, {start}:{stop}]"
            if stop - start > WIDE:
                source.helpers["_even"] = HELPERS["_even"]
            source.lines.append(f"_even({part})" if stop - start > WIDE else f"{part} = 0.5 * ({part} + {part}.T)")
        if self.entries:
            lower, upper, off = self._entries(source)
            source.lines.append("flat = H.reshape(-1)")
            source.lines.append(f"flat[{lower}] += data")
            if upper is not None:
                source.lines.append(f"flat[{upper}] += data[{off}]")

    def _alike(self) -> list[tuple[int, int, list[Any]]]:
        """The parts, those together that are added up before they are written: whole products and rows at one place."""
        groups: dict[Any, tuple[int, int, list[Any]]] = {}
        for place, (a, b, plan) in enumerate(sorted(self.dense, key=self._late)):
            if plan[0] == "whole":
                key: Any = ("whole", a, b, plan[3])
            elif plan[0] == "row":
                key = ("row", a, b, tuple(sorted(plan[2].items())))
            else:
                key = place
            groups.setdefault(key, (a, b, []))[2].append(plan)
        return list(groups.values())

    def _overlap(self, a: int, b: int) -> bool:
        """Whether two parts of a variable have entries in common."""
        return self.starts[a] < self._end(b) and self.starts[b] < self._end(a)

    def _end(self, a: int) -> int:
        return self.starts[a] + self.sizes[a]

    def _late(self, block: Any) -> bool:
        """Whether a part is added in place: what is the whole matrix at once comes first, and needs no zeros."""
        a, b, plan = block
        return not (plan[0] == "gram" and not plan[5] and self.sizes[a] == self.total == self.sizes[b])

    def _view(self, a: int, b: int, q_shape: Any = None) -> str:
        rows = f"{self.starts[a]}:{self.starts[a] + self.sizes[a]}"
        columns = f"{self.starts[b]}:{self.starts[b] + self.sizes[b]}"
        whole = self.sizes[a] == self.total == self.sizes[b]
        text = "H" if whole else f"H[{rows}, {columns}]"
        return text if q_shape is None else f"{text}.reshape({tuple(q_shape)})"

    def _write_dense(self, source: Source, a: int, b: int, plans: list[Any], started: bool) -> bool:
        whole = self.sizes[a] == self.total
        plan = plans[0]
        if plan[0] == "gram" and not plan[5]:
            text = self._gram_text(source, plan)
            if whole and not started:
                source.lines.append(f"H = {text}")
            else:
                self._begin(source, started)
                source.lines.append(f"{self._target(a, b)} += {text}")
            return True
        if plan[0] == "whole":
            self._write_products(source, a, b, plans, started)
            return True
        self._begin(source, started)
        if plan[0] == "gram":
            self._write_pairs(source, a, plan)
        elif plan[0] == "row":
            index = ", ".join([str(plan[2].get(k, ":")) for k in (0, 1)])
            target = self._target(a, b).replace("[...]", "")
            first, *rest = [source.expression(p[1], f"R{k}") for k, p in enumerate(plans)]
            text = functools.reduce(lambda sum, part: summed(sum, 1, part), rest, first)
            source.lines.append(f"{target}[{index}] += {text}")
            self.averaged = True
        else:
            self._write_diagonal(source, a, b, plan, not started and whole)
        return True

    def _write_products(self, source: Source, a: int, b: int, plans: list[Any], started: bool) -> None:
        """Whole products, added up before the sum and its transpose are written."""
        n, m = self.sizes[a], self.sizes[b]
        texts = [source.expression(atom, f"T{k}") for k, (_, atom, *_) in enumerate(plans)]
        parts = [(plan[2], f"np.reshape({text}, ({n}, {m}))") for plan, text in zip(plans, texts, strict=True)]
        parts.sort(key=lambda part: negative(part[0]))
        coef, mirrored = parts[0][0], plans[0][3]
        if len(parts) == 1:
            source.lines.append(f"T = {parts[0][1]}")
        else:
            source.lines.append(f"T = {summed(summed('', *parts[0]), *parts[1])}")
            source.lines += [f"T {'-' if negative(c) else '+'}= {times(abs(c), text)}" for c, text in parts[2:]]
            coef = 1
        if mirrored and n == self.total and not started:
            source.lines.append(f"H = {times(coef, '(T + T.T)') if coef != 1 else 'T + T.T'}")
            return
        self._begin(source, started)
        sign, size = ("-=", -coef) if negative(coef) else ("+=", coef)
        if mirrored:
            source.lines.append(f"{self._target(a, b)} {sign} {times(size, '(T + T.T)')}")
            return
        source.lines.append(f"{self._target(a, b)} {sign} {times(size, 'T')}")
        if a != b:
            source.lines.append(f"{self._target(b, a)} {sign} {times(size, 'T.T')}")

    def _write_diagonal(self, source: Source, a: int, b: int, plan: Any, first: bool) -> None:
        _, value, same, places, kept, swapped = plan
        letters = {k: "ijklmnpqrstu"[i] for i, k in enumerate(kept)}
        spec = "".join(letters[k] for k in places) + "->" + "".join(letters[k] for k in kept)
        text = source.expression(value, "D0")
        if not same:
            order = tuple([kept.index(swapped[k]) for k in kept])
            source.lines.append(f"D = {text}")
            text = f"0.5 * (D + D.transpose({order}))"
        rows, columns = self.shapes[a], self.shapes[b]
        flat = len(rows) == len(columns) == 1
        view = self._view(a, b) if flat else self._view(a, b, (*rows, *columns))
        if a == b:
            source.lines.append(f"np.einsum({spec!r}, {view})[...] {'=' if first else '+='} {text}")
            return
        source.lines.append(f"D = {text}")
        source.lines.append(f"np.einsum({spec!r}, {view})[...] += D")
        spec = "".join(letters[k] for k in (*places[len(rows) :], *places[: len(rows)])) + spec[spec.index("->") :]
        view = self._view(b, a) if flat else self._view(b, a, (*columns, *rows))
        source.lines.append(f"np.einsum({spec!r}, {view})[...] += D")

    def _begin(self, source: Source, started: bool) -> None:
        if not started:
            source.lines.append(f"H = np.zeros(({self.total}, {self.total}))")

    def _target(self, a: int, b: int) -> str:
        text = self._view(a, b)
        return "H[...]" if text == "H" else text

    def _gram_text(self, source: Source, plan: Any) -> str:
        _, A, N, over, _, _, shared, coef = plan
        source.helpers["_gram"] = HELPERS["_gram"]
        left, weights = source.expression(A, "A0"), None
        n = math.prod([int(k) for k in A.shape[len(over) :]])
        m = math.prod([int(k) for k in A.shape[: len(over)]])
        left = left if len(A.shape) == 2 else f"({left}).reshape({m}, {n})"
        if N is None:
            return f"{times(coef, f'_gram({left})')}"
        weights = source.expression(N, "N0")
        if shared != over and shared:
            shape = tuple(A.shape[: len(over)])
            inner = align(f"({weights})", tuple(over.index(k) for k in shared), len(over))
            weights = f"np.broadcast_to({inner}, {shape}).reshape(-1)"
        elif len(shared) > 1:
            weights = f"({weights}).reshape(-1)"
        return f"_gram({left}, {weights})"

    def _write_pairs(self, source: Source, a: int, plan: Any) -> None:
        _, A, N, over, inner, outer, _, _ = plan
        for helper in ("_gram", "_pairs"):
            source.helpers[helper] = HELPERS[helper]
        m = math.prod([int(k) for k in A.shape[: len(over)]])
        n = math.prod([int(k) for k in A.shape[len(over) :]])
        h = math.prod([self.shapes[a][k] for k in outer])
        shape = self.shapes[a]
        q = len(shape)
        order = (*inner, *outer, *[k + q for k in inner], *[k + q for k in outer])
        view = self._view(a, a, (*shape, *shape))
        turned = view if order == tuple(range(2 * q)) else f"{view}.transpose({order})"
        if len(inner) != 1 or len(outer) != 1:
            raise Unprogrammable("a product of pairs over several axes")
        left = source.expression(A, "A0")
        left = left if len(over) == 1 else f"({left}).reshape({m}, {n})"
        middle = source.expression(N, "N0")
        middle = middle if len(over) == 1 else f"({middle}).reshape({m}, {h}, {h})"
        source.lines.append(f"_pairs({left}, {middle}, {turned})")

    # -------------------------------------------------------------------------------------------------- entries

    def _entries(self, source: Source) -> Any:
        """Write the values of all entries on or below the diagonal into ``data``; returns where they go."""
        n = self.total
        keys, kept = [], []
        for entry, a, b, weight in self.entries:
            rows = entry.rows.reshape(-1) + self.starts[a]
            columns = entry.columns.reshape(-1) + self.starts[b]
            valid = (entry.rows.reshape(-1) >= 0) & (entry.columns.reshape(-1) >= 0)
            high, low = np.maximum(rows, columns), np.minimum(rows, columns)
            keys.append(np.where(valid, high * n + low, -1))
            off = valid & (rows != columns)
            # an entry off the diagonal stands for two, of which each gets half; one on it gets all
            kept.append((valid, off, weight / 2 if a == b else weight))
        every = distinct(np.concatenate(keys)) if keys else np.zeros(0, np.int64)
        every = every[every >= 0]
        base = np.zeros(len(every))
        fixed = []
        for place, (entry, *_) in enumerate(self.entries):
            value = _constant_value(entry)
            if value is not None:
                valid, off, weight = kept[place]
                amount = value * np.where(off, weight, 2 * weight)[valid]
                np.add.at(base, np.searchsorted(every, keys[place][valid]), amount)
                fixed.append(place)
        start = f"{source.parameter(base)}.copy()" if fixed and base.any() else f"np.zeros({len(every)})"
        source.lines.append(f"data = {start}")
        for place, ((entry, *_), key, (valid, off, weight)) in enumerate(zip(self.entries, keys, kept, strict=True)):
            if place not in fixed:
                slots = np.searchsorted(every, key)
                self._write_entry(source, entry, slots, valid, off, weight, len(every))
        self.slots = every
        high, low = every // n, every % n
        below = np.flatnonzero(high != low)
        lower = self._index(source, every)
        if not len(below):
            return lower, None, None
        return lower, self._index(source, low[below] * n + high[below]), self._index(source, below)

    def _write_entry(
        self, source: Source, entry: Placed, slots: Any, valid: Any, off: Any, weight: float, n: int
    ) -> None:
        text = source.expression(entry.values, "E0")
        rank = entry.values.rank
        size = entry.rows.size
        if rank == 0 or entry.values.kind == "one" or (not entry.values.children and entry.values.kind != "var"):
            text = f"np.broadcast_to({text}, {entry.rows.shape}).reshape(-1)" if size > 1 and rank else text
        elif rank > 1:
            text = f"({text}).reshape(-1)"
        if rank and not valid.all():
            text = f"({text})[{self._index(source, np.flatnonzero(valid))}]"
        slots, off = slots[valid], off[valid]
        if not len(slots):
            return
        coef = entry.coef * weight * (1 if off.any() else 2)
        if off.any() and not off.all():
            text, rank = f"({text}) * {source.parameter(np.where(off, 1.0, 2.0))}", 1
        if bool((np.diff(slots) > 0).all()) or len(distinct(slots)) == len(slots):
            source.lines.append(f"data[{self._index(source, slots)}] += {times(coef, text)}")
        else:
            place = source.parameter(slots)
            value = text if rank else f"np.full({len(slots)}, {text})"
            source.lines.append(f"data += {times(coef, f'np.bincount({place}, {value}, {n})')}")

    def _index(self, source: Source, places: np.ndarray) -> str:
        """Places as a slice where they are evenly spaced, else as an array."""
        if len(places) == 1:
            return f"{int(places[0])}:{int(places[0]) + 1}"
        step = int(places[1] - places[0]) if len(places) > 1 else 1
        if len(places) > 1 and step > 0 and bool((np.diff(places) == step).all()):
            return f"{int(places[0])}:{int(places[-1]) + 1}" + (f":{step}" if step > 1 else "")
        return source.parameter(places)


def distinct(values: np.ndarray) -> np.ndarray:
    """The different values in ascending order. (NumPy's `unique` takes ten times as long on millions of numbers.)"""
    ordered = np.sort(values)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def _constant_value(entry: Placed) -> float | None:
    """The one number that all entries of a product of patterns alone are."""
    from ..expr._ein import constant_of

    value = constant_of(entry.values)
    return None if value is None else float(value * entry.coef)


__all__ = ["Assembly"]
