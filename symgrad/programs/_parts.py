"""A matrix of second derivatives as the structured parts that its terms are: nothing is multiplied out.

The idea to hold: the program computes the arrays that make the parts, and each part knows from its plan which kind of
structured matrix those arrays make.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..terms import Ein, Var
from ._assemble import Assembly, Diagonals, Gram, Whole
from ._definitions import Source
from ._fill import Filling
from ._lower import Pattern
from ._source_text import number
from ._terms import entries

Maker = Callable[..., Any]


class Parts:
    """The structured parts of one matrix: the expressions of their arrays, and what makes a matrix of them."""

    def __init__(self, assembly: Assembly, source: Source) -> None:
        self.assembly, self.source = assembly, source
        self.texts: list[str] = []
        self.makers: list[tuple[int, Maker]] = []

    def write(self) -> bool:
        """Collect all parts; False where some part has no structure, so that the matrix is better dense."""
        if len(self.assembly.shapes) != 1:
            return False
        write: dict[type, Callable[[Any], bool]] = {Gram: self._gram, Diagonals: self._diagonal, Whole: self._whole}
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

    def _gram(self, part: Gram) -> bool:
        A, N, over, shared, coef = part
        if (shared != over and shared) or (N is not None and not shared):
            return False
        m = entries(A.shape[: len(over)])
        left = f"np.reshape({self.source.expression(A, 'A0')}, ({m}, {self.assembly.total}))"
        if N is None:
            c = float(coef)
            return self._add(lambda A: _kinds().Gram(A, None if c == 1 else np.full(len(A), c, A.dtype)), left)
        return self._add(lambda A, d: _kinds().Gram(A, d), left, f"np.reshape({self.source.expression(N, 'N0')}, -1)")

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

    def _whole(self, part: Whole) -> bool:
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
            return self._add(lambda u, c: _kinds().LowRank(u[:, None], np.stack([c])), u, c)
        return self._add(_two_sided, u, v, c)


def _two_sided(u: np.ndarray, v: np.ndarray, c: Any) -> Any:
    """c/2 (u vᵀ + v uᵀ), as ((u + v)(u + v)ᵀ - (u - v)(u - v)ᵀ) c/4 with u and v of one size, or one would drown."""
    sizes = np.linalg.norm(u), np.linalg.norm(v)
    if all(np.isfinite(sizes)):
        r = np.sqrt(sizes[1]) / np.sqrt(sizes[0]) if all(sizes) else 0.0
        u, v = u * r, v / r if r else v * 0.0
    return _kinds().LowRank(np.stack([u + v, u - v], 1), np.stack([c, -c]) / 4)


def _kinds() -> Any:
    from . import _structured

    return _structured
