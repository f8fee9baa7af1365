"""From the sum of products that a second derivative is, to the lines that fill the matrix.

The idea to hold: a matrix of second derivatives is symmetric, so each of its terms may be replaced by half the sum of
itself and its transpose. That leaves the sum as it is, makes the result symmetric to the last bit, and halves the work:
``Aᵀ D A`` is one triangular product, a product of pairs needs each pair once, and of a pattern's entries only those
below the diagonal.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..expr._ein import ein
from ..expr._node import Ein, Expr, Var
from ._builder import Builder, as_product
from ._emit import Source, _times, number
from ._linear import sources
from ._places import Placed, identified, placed
from ._survey import Unprogrammable

HELPERS = {
    "_gram": '''def _gram(A, d=None):
    """A.T @ diag(d) @ A, symmetric to the last bit: one triangular product for either sign of d."""
    if d is None:
        return A.T @ A
    if np.ndim(d) == 0:
        return d * (A.T @ A)
    if d.min() >= 0:
        B = A * np.sqrt(d)[:, None]
        return B.T @ B
    up = d > 0
    B, C = A[up] * np.sqrt(d[up])[:, None], A[~up] * np.sqrt(-d[~up])[:, None]
    return B.T @ B - C.T @ C''',
    "_pairs": '''def _pairs(A, N, H):
    """Add the sum over s of A[s, i] * A[s, k] * N[s, j, l] to H[i, j, k, l]; each pair (i, k), (j, l) is summed once."""
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


MOST_AVERAGED = 64
"""Rows of a matrix that is made symmetric at the end, as a whole."""


class Assembly:
    """Fills one symmetric matrix, block by block.

    Attributes
    ----------
    pieces : names of the arrays that enter the last products: if they are finite, so is the matrix
    """

    def __init__(self, builder: Builder, shapes: list[tuple[int, ...]], sparse: bool) -> None:
        self.builder, self.sparse = builder, sparse
        self.shapes = shapes
        self.sizes = [math.prod(s) for s in shapes]
        self.starts = [sum(self.sizes[:k]) for k in range(len(shapes))]
        self.total = sum(self.sizes)
        self.entries: list[tuple[Placed, int, int, float]] = []  # with the block's offset and the weight
        self.dense: list[tuple[int, int, Any]] = []
        self.pieces: list[str] = []
        self.averaged = False

    # ------------------------------------------------------------------------------------------------- planning

    def block(self, a: int, b: int, terms: list[Ein]) -> None:
        """Plan the block of variables ``a`` and ``b`` (a ≤ b): what it needs is defined from here on."""
        q = len(self.shapes[a])
        for term, weight in _folded(terms, q) if a == b else [(t, 1.0) for t in terms]:
            self._term(a, b, term, weight, q)

    def _term(self, a: int, b: int, term: Ein, weight: float, q: int) -> None:
        patterns = {f.kind for f, _ in term.factors if f.kind in ("delta", "lin")}
        if patterns == {"lin"} and not self.sparse and a == b and q == 1 and self.total <= MOST_AVERAGED:
            plan = self._row(term, weight)
            if plan is not None:
                self.dense.append((a, b, plan))
                return
        if patterns == {"delta"} and not self.sparse and a == b:
            plan = self._diagonal(term, weight, q)
            if plan is not None:
                self.dense.append((a, b, plan))
                return
        if patterns:
            try:
                entry = placed(self.builder, term, q)
            except Unprogrammable:
                if "lin" in patterns and math.prod(map(int, term.shape)) <= 1 << 24:
                    self.dense.append((a, b, self._general(term, weight, a == b, q)))
                    return
                raise
            self.entries.append((entry, a, b, weight))
            self._note(entry.values)
            return
        self.dense.append((a, b, self._dense(term, weight, q, a == b)))

    def _row(self, term: Ein, weight: float) -> Any:
        """A product with a unit vector: a row of the matrix (or one entry), to be averaged with its column at the end."""
        lins = [(f, s) for f, s in term.factors if f.kind == "lin"]
        if any(len(s) != 1 or f.out_rank for f, s in lins):  # type: ignore[attr-defined]
            return None
        found = {s[0]: sources(f) for f, s in lins}
        if any(k > 1 or p is None or p[0] < 0 for k, p in found.items()):
            return None
        kept = tuple([k for k in (0, 1) if k not in found])
        rest = [(f, s) for f, s in term.factors if f.kind != "lin"]
        if any(k in found for _, s in rest for k in s) or len(found) < len(lins):
            return None
        value = self._operand(ein(term.coef * weight, rest, kept, dict(enumerate(term.shape))))
        for atom in (value, *value.children):
            self._note(atom)
        return "row", value, {k: int(p[0]) for k, p in found.items() if p is not None}

    def _diagonal(self, term: Ein, weight: float, q: int) -> Any:
        """A product with identities, as an array that is written onto the diagonals they single out."""
        rank = term.rank
        group = identified([s for f, s in term.factors if f.kind == "delta"], range(len(term.dims)))
        kept = tuple(sorted({group[k] for k in range(rank)}))
        swapped = {group[k]: group[(k + q) % rank] for k in range(rank)}
        if any(swapped[group[k]] != group[(k + q) % rank] for k in range(rank)):
            return None
        rest = [(f, tuple([group[k] for k in s])) for f, s in term.factors if f.kind != "delta"]
        dims = {k: int(term.dims[k]) for k in kept}
        value = self._operand(ein(term.coef * weight, rest, kept, dims))
        mirror = self._operand(ein(term.coef * weight, rest, tuple([swapped[k] for k in kept]), dims))
        for atom in (value, *value.children):
            self._note(atom)
        return "diagonal", value, None if mirror is value else mirror, [group[k] for k in range(rank)], kept, swapped

    def _note(self, atom: Expr) -> None:
        for f in (atom, *atom.children):
            if isinstance(f, Var) and f.name not in self.pieces:
                self.pieces.append(f.name)

    def _dense(self, term: Ein, weight: float, q: int, diagonal: bool) -> Any:
        if diagonal:
            found = self._gram(term, weight, q)
            if found is not None:
                return found
        return self._general(term, weight, diagonal, q)

    def _gram(self, term: Ein, weight: float, q: int) -> Any:
        """The term as A[s, i] A[s, k] N[s, j, l], if that is what it is."""
        rank = term.rank
        factors = [(f, s) for f, s in term.factors if f.kind != "one"]
        if len(factors) < len(term.factors):
            return None
        first = [(f, s) for f, s in factors if any(k < q for k in s) and not any(q <= k < rank for k in s)]
        summed = set(range(rank, len(term.dims)))
        pairs = []
        rest = list(factors)
        for f, s in first:
            mirror = (f, tuple([k + q if k < q else k for k in s]))
            if mirror in rest and (f, s) in rest and any(k in summed for k in s):
                pairs.append((f, s))
                rest.remove((f, s))
                rest.remove(mirror)
        if not pairs:
            return None
        inner = tuple(sorted({k for _, s in pairs for k in s if k < q}))
        outer = tuple([k for k in range(q) if k not in inner])
        if any(k in inner or k - q in inner for _, s in rest for k in s if k < rank):
            return None
        over = tuple(sorted({k for _, s in pairs for k in s if k in summed}))
        if not over:
            return None
        dims = dict(enumerate(term.dims))
        wide = ein(1, pairs, (*over, *inner), {})
        A = self.builder.atom(wide)
        free = tuple([k for _, s in rest for k in s if k in over])
        labels = (*[k for k in over if k in free], *outer, *[k + q for k in outer])
        N = self.builder.atom(ein(term.coef * weight, rest, labels, {k: dims[k] for k in labels})) if rest else None
        for atom in (A, N):
            if atom is not None:
                self._note(atom)
        if outer and (N is None or any(k not in free for k in over)):
            return None
        return "gram", A, N, over, inner, outer, tuple([k for k in over if k in free]), term.coef * weight

    def _general(self, term: Ein, weight: float, diagonal: bool, q: int) -> Any:
        """Any other term: multiplied out, its transpose added to it."""
        half = weight / 2 if diagonal else weight
        every = tuple(range(term.rank))
        own = diagonal and as_product(ein(term.coef, term.factors, (*every[q:], *every[:q]))) is term and len(term.factors) == 1
        plain = ein(1, term.factors, every, dict(enumerate(term.shape)))
        atom = self._operand(plain)
        self._note(atom)
        for f in atom.children:
            self._note(f)
        return "whole", atom, term.coef * (weight if own else half), diagonal and not own, q

    def _operand(self, plain: Expr) -> Expr:
        """A product kept as at most two names, multiplied where it is used."""
        if not isinstance(plain, Ein):
            return self.builder.atom(plain)
        from ._plan import binary

        factors = [(self.builder.atom(f), s) for f, s in plain.factors]
        every = tuple(range(plain.rank))
        return binary(self.builder, as_product(ein(plain.coef, factors, every, dict(enumerate(plain.shape)))))

    # -------------------------------------------------------------------------------------------------- writing

    def write(self, source: Source, sparse: bool) -> None:
        """Append the lines that fill the matrix."""
        if sparse:
            self._entries(source)
            return
        n = self.total
        started = False
        for a, b, plan in self.dense:
            started = self._write_dense(source, a, b, plan, started)
        if not started:
            source.lines.append(f"H = np.zeros(({n}, {n}))")
        if self.averaged:
            source.lines.append("H = 0.5 * (H + H.T)")
        if self.entries:
            lower, upper, off = self._entries(source)
            source.lines.append("flat = H.reshape(-1)")
            source.lines.append(f"flat[{lower}] += data")
            if upper is not None:
                source.lines.append(f"flat[{upper}] += data[{off}]")

    def _view(self, a: int, b: int, q_shape: Any = None) -> str:
        rows = f"{self.starts[a]}:{self.starts[a] + self.sizes[a]}"
        columns = f"{self.starts[b]}:{self.starts[b] + self.sizes[b]}"
        whole = self.sizes[a] == self.total == self.sizes[b]
        text = "H" if whole else f"H[{rows}, {columns}]"
        return text if q_shape is None else f"{text}.reshape({tuple(q_shape)})"

    def _write_dense(self, source: Source, a: int, b: int, plan: Any, started: bool) -> bool:
        whole = self.sizes[a] == self.total
        if plan[0] == "gram" and not plan[5]:
            text = self._gram_text(source, plan)
            if whole and not started:
                source.lines.append(f"H = {text}")
            else:
                self._begin(source, started)
                source.lines.append(f"{self._target(a, b)} += {text}")
            return True
        self._begin(source, started)
        if plan[0] == "gram":
            self._write_pairs(source, a, plan)
            return True
        if plan[0] == "row":
            index = ", ".join([str(plan[2].get(k, ":")) for k in (0, 1)])
            target = self._target(a, b).replace("[...]", "")
            source.lines.append(f"{target}[{index}] += {source.expression(plan[1], 'R0')}")
            self.averaged = True
            return True
        if plan[0] == "diagonal":
            self._write_diagonal(source, a, plan, not started and whole)
            return True
        _, atom, coef, mirrored, _q = plan
        n, m = self.sizes[a], self.sizes[b]
        source.lines.append(f"T = ({source.expression(atom, 'T0')}).reshape({n}, {m})")
        target = self._target(a, b)
        if mirrored:
            source.lines.append(f"{target} += {_times(coef, '(T + T.T)')}")
        else:
            source.lines.append(f"{target} += {_times(coef, 'T')}")
            if a != b:
                source.lines.append(f"{self._target(b, a)} += {_times(coef, 'T.T')}")
        return True

    def _write_diagonal(self, source: Source, a: int, plan: Any, first: bool) -> None:
        _, value, mirror, places, kept, swapped = plan
        letters = {k: "ijklmnpqrstu"[i] for i, k in enumerate(kept)}
        spec = "".join(letters[k] for k in places) + "->" + "".join(letters[k] for k in kept)
        text = source.expression(value, "D0")
        if mirror is not None:
            order = tuple([kept.index(swapped[k]) for k in kept])
            source.lines.append(f"D = {text}")
            text = f"0.5 * (D + D.transpose({order}))"
        shape = self.shapes[a]
        view = self._view(a, a, (*shape, *shape)) if len(shape) != 1 else self._view(a, a)
        source.lines.append(f"np.einsum({spec!r}, {view})[...] {'=' if first else '+='} {text}")

    def _begin(self, source: Source, started: bool) -> None:
        if not started:
            source.lines.append(f"H = np.zeros(({self.total}, {self.total}))")

    def _target(self, a: int, b: int) -> str:
        text = self._view(a, b)
        return "H[...]" if text == "H" else text

    def _gram_text(self, source: Source, plan: Any) -> str:
        _, A, N, over, inner, _, shared, coef = plan
        source.helpers["_gram"] = HELPERS["_gram"]
        left, weights = source.expression(A, "A0"), None
        n = math.prod([int(k) for k in A.shape[len(over) :]])
        m = math.prod([int(k) for k in A.shape[: len(over)]])
        left = left if len(A.shape) == 2 else f"({left}).reshape({m}, {n})"
        if N is None:
            return f"{_times(coef, f'_gram({left})')}"
        weights = source.expression(N, "N0")
        if shared != over and shared:
            shape = tuple(A.shape[: len(over)])
            from ._emit import align

            weights = f"np.broadcast_to({align(f'({weights})', tuple(over.index(k) for k in shared), len(over))}, {shape}).reshape(-1)"
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
            kept.append((valid, off, weight if a == b else 1.0, a == b))
        every = np.unique(np.concatenate(keys)) if keys else np.zeros(0, np.int64)
        every = every[every >= 0]
        source.lines.append(f"data = np.zeros({len(every)})")
        for (entry, *_), key, (valid, off, weight, diagonal) in zip(self.entries, keys, kept, strict=True):
            self._write_entry(source, entry, np.searchsorted(every, key), valid, off, weight, diagonal, len(every))
        self.slots = every
        high, low = every // n, every % n
        below = np.flatnonzero(high != low)
        lower = self._index(source, every)
        if not len(below):
            return lower, None, None
        return lower, self._index(source, low[below] * n + high[below]), self._index(source, below)

    def _write_entry(
        self, source: Source, entry: Placed, slots: Any, valid: Any, off: Any, weight: float, diagonal: bool, n: int
    ) -> None:
        text = source.expression(entry.values, "E0")
        rank = entry.values.rank
        size = entry.rows.size
        if rank == 0 or entry.values.kind == "one" or not entry.values.children and entry.values.kind != "var":
            text = f"np.broadcast_to({text}, {entry.rows.shape}).reshape(-1)" if size > 1 and rank else text
        elif rank > 1:
            text = f"({text}).reshape(-1)"
        if rank and not valid.all():
            text = f"({text})[{self._index(source, np.flatnonzero(valid))}]"
        slots, off = slots[valid], off[valid]
        coef = entry.coef * weight
        if diagonal and off.all() and len(off):
            coef = coef / 2
        elif diagonal and off.any():
            text = f"({text}) * {source.parameter(np.where(off, 0.5, 1.0))}"
        if not len(slots):
            return
        if len(np.unique(slots)) == len(slots):
            source.lines.append(f"data[{self._index(source, slots)}] += {_times(coef, text)}")
        else:
            place = source.parameter(slots)
            value = text if rank else f"np.full({len(slots)}, {text})"
            source.lines.append(f"data += {_times(coef, f'np.bincount({place}, {value}, {n})')}")

    def _index(self, source: Source, places: np.ndarray) -> str:
        """Places as a slice where they are evenly spaced, else as an array."""
        if len(places) == 1:
            return f"{int(places[0])}:{int(places[0]) + 1}"
        step = int(places[1] - places[0]) if len(places) > 1 else 1
        if len(places) > 1 and step > 0 and bool((np.diff(places) == step).all()):
            return f"{int(places[0])}:{int(places[-1]) + 1}" + (f":{step}" if step > 1 else "")
        return source.parameter(places)


def _folded(terms: list[Ein], q: int) -> list[tuple[Ein, float]]:
    """Terms with their weights: of two that are each other's transposes one, twice."""
    rest = list(terms)
    found = []
    while rest:
        t = rest.pop(0)
        every = tuple(range(t.rank))
        mirror = as_product(ein(t.coef, t.factors, (*every[q:], *every[:q])))
        if mirror is not t and mirror in rest:
            rest.remove(mirror)
            found.append((t, 2.0))
        else:
            found.append((t, 1.0))
    return found


__all__ = ["Assembly", "number"]
