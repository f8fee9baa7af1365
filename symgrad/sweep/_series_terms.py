"""Power series whose coefficients are computed when they are asked for, each from lower ones.

The idea to hold: a term has a list of coefficients that grows from the front. To compute the next one it names what
must be known first; the driver (`_series.py`) sees to that, without recursion. Coefficient 0 is not kept: what a rule
needs of it, the recorded node has saved. None is a coefficient that is zero whatever the values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Tensor, wrap
from ._pushforward import node_tangent

Need = tuple["Term", int]


class Term:
    """A series in t, known so far: ``c[k]`` is the coefficient of t**k (``c[0]`` a placeholder)."""

    __slots__ = ("c",)

    def __init__(self) -> None:
        self.c: list[Any] = [None]

    def needs(self, k: int) -> Sequence[Need]:
        """What must be known before coefficient ``k`` can be computed."""
        return ()

    def compute(self, k: int) -> Any:
        """Coefficient ``k``, where all lower ones and what it needs are known."""
        raise NotImplementedError


def zeros_like(value: Any) -> Any:
    """Zeros on the carrier of a value."""
    return wrap(np.zeros_like(value._data)) if isinstance(value, Tensor) else np.zeros_like(value)


class Line(Term):
    """x + v t."""

    __slots__ = ()

    def __init__(self, v: Any) -> None:
        self.c = [None, v]

    def compute(self, k: int) -> Any:
        return None


class Slope(Term):
    """The derivative of a series; its coefficient 0 is known."""

    __slots__ = ("first", "of")

    def __init__(self, of: Term, first: Any) -> None:
        super().__init__()
        self.of, self.first = of, first

    def needs(self, k: int) -> Sequence[Need]:
        return ((self.of, k + 1),)

    def compute(self, k: int) -> Any:
        value = self.of.c[k + 1]
        if value is None:  # what is computed from it begins with arrays of the right shape
            return zeros_like(self.first) if k == 1 else None
        return value * (k + 1)


class Affine(Term):
    """What acts on each coefficient by itself: a node that depends on what moves in a linear way."""

    __slots__ = ("graph", "memo", "moving", "n", "parents")

    def __init__(self, n: Any, parents: Sequence[Term | None], graph: bool) -> None:
        super().__init__()
        self.n, self.parents, self.graph = n, parents, graph
        self.moving = [p for p in parents if p is not None]
        self.memo: dict[Any, Any] = {}

    def needs(self, k: int) -> Sequence[Need]:
        return [(p, k) for p in self.moving]

    def compute(self, k: int) -> Any:
        ts = [None if p is None else p.c[k] for p in self.parents]
        if all(t is None for t in ts):
            return None
        if len(self.moving) > 1 and self.n.op.kind == "general":  # the shape may follow from this operand alone
            ts = [self._explicit(p, t) for p, t in zip(self.parents, ts, strict=True)]
        return node_tangent(self.n, ts, self.graph, False, self.memo)

    @staticmethod
    def _explicit(p: Term | None, t: Any) -> Any:
        return zeros_like(p.c[1]) if t is None and p is not None and p.c[1] is not None else t


class Entry(Term):
    """One of several outputs of an `Affine` node."""

    __slots__ = ("index", "of")

    def __init__(self, of: Term, index: int) -> None:
        super().__init__()
        self.of, self.index = of, index

    def needs(self, k: int) -> Sequence[Need]:
        return ((self.of, k),)

    def compute(self, k: int) -> Any:
        several = self.of.c[k]
        return None if several is None else several[self.index]


class Integral(Term):
    """A series given by its derivative, y' = D, which the node's tangent rule gives as a series of its own.

    ``rates`` computes D when it is first needed: its value at 0, and its term (None where it is constant).
    """

    __slots__ = ("index", "rates")

    def __init__(self, rates: Rates, index: int | None = None) -> None:
        super().__init__()
        self.rates, self.index = rates, index

    def needs(self, k: int) -> Sequence[Need]:
        if k == 1:
            return self.rates.needs()
        rate = self.rates.get(self.index)[1]
        return () if rate is None else ((rate, k - 1),)

    def compute(self, k: int) -> Any:
        first, rate = self.rates.get(self.index)
        if k == 1:
            return first
        value = None if rate is None else rate.c[k - 1]
        return None if value is None else value / k


class Rates:
    """The derivatives of a node's outputs in t, recorded when they are first asked for.

    Parameters
    ----------
    n : the node
    parents : the terms of its operands; None for those that do not move
    record : ``(n, slopes)`` gives per output (value, term) of the derivative, or a function that does
    """

    def __init__(self, n: Any, parents: Sequence[Term | None], record: Any) -> None:
        self.n, self.parents, self.record = n, parents, record
        self.found: Any = None

    def needs(self) -> Sequence[Need]:
        """The first coefficients of the operands, which D begins with."""
        return [(p, 1) for p in self.parents if p is not None]

    def get(self, index: int | None) -> tuple[Any, Term | None]:
        """(value at 0, term) of the derivative of an output."""
        if self.found is None:
            self.found = self.record(self.n, self.parents)
        if index is None:
            return self.found
        if callable(self.found[index]):
            self.found[index] = self.found[index]()
        return self.found[index]


__all__ = ["Affine", "Entry", "Integral", "Line", "Need", "Rates", "Slope", "Term", "zeros_like"]
