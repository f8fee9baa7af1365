"""Taylor series: the recorded graph of a function, replayed on power series in t.

The idea to hold: y' = (tangent of the operation along x'), and that rule is itself a small graph of operations, so it
can be read as power series too: coefficient k of y asks for coefficient k - 1 of its rate, which asks for lower ones of
x and y. The rate of tanh is (1 - y·y)·x' and refers to the series of y; sin leads to cos, and cos back to the sine that
is there. So the cost is that of some products of series per operation: O(order²) products of arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._errors import GradientError
from ..core import (
    FAILS,
    FREED,
    MASKS,
    OutputNode,
    Symbol,
    Tensor,
    copy_of,
    depending_on,
    is_leaf_node,
    modes,
    next_seq,
    operands_of,
    params_of,
    reachable,
    recorded_since,
    saved_value,
    storage,
    unpacked,
)
from ._forward_rules import fresh, with_symbols
from ._pushforward import check, plain_tangent, refuse_hooks
from ._series_recursions import recursion_of
from ._series_terms import Affine, Entry, Integral, Line, Rates, Slope, Term


class Expansion:
    """Recorded outputs as power series in t, where the inputs move along x + v t.

    Parameters
    ----------
    outputs, inputs : edges
    directions : per input v, an array; with ``graph`` a tensor
    graph : coefficients are tensors, which can be differentiated
    """

    def __init__(self, outputs: Sequence[Any], inputs: Sequence[Any], directions: Sequence[Any], graph: bool) -> None:
        self.graph = graph
        self.known: dict[Any, Any] = {}  # per edge its term (None: it does not move)
        self.memo: dict[Any, Any] = {}
        self.all_rates: list[Rates] = []
        self.slopes: dict[Term, Tensor] = {}
        nodes, leaves, traits, _ = reachable([o for o in outputs if o is not None])
        self.exact = bool(traits & MASKS)
        moving = depending_on(inputs, nodes)
        self.known.update((leaf, None) for leaf in leaves)
        self.known.update((x, Line(v)) for x, v in zip(inputs, directions, strict=True) if x is not None)
        if traits & FREED or (nodes and storage.written_since(nodes[-1].seq)):
            check(moving)
        if traits & FAILS:
            refuse_hooks([*moving, *(x for x in inputs if x is not None)])
        for node in reversed(nodes):
            if node not in self.known:
                self.known[node] = self._term_of(node)
        self.outputs = [None if o is None else self.known[o] for o in outputs]

    def coefficients(self, order: int) -> list[list[Any]]:
        """Per output its coefficients 1 to ``order``, for once; None for one that is zero whatever the values."""
        previous = modes.mode.set(modes.on_value() if self.graph else modes.OFF)
        try:
            with np.errstate(all="ignore"):
                for term in self.outputs:
                    if term is not None:
                        _demand(term, order)
            found = [[None] * order if term is None else term.c[1 : order + 1] for term in self.outputs]
        finally:
            modes.mode.reset(previous)
            self._part()
        return found

    def _part(self) -> None:
        """Let go of the terms, which lead to each other in circles (through the rates), and so keep graphs alive."""
        for rates in self.all_rates:
            rates.found, rates.record, rates.parents = None, None, ()
        self.all_rates.clear()
        self.known.clear()
        self.outputs.clear()

    # ------------------------------------------------------------------------------------------------ terms

    def _term_of(self, node: Any) -> Any:
        """The term of a node whose parents have theirs (of one with several outputs: what they are made from)."""
        if type(node) is OutputNode:
            return self._output(self.known[node.parents[0]], node.index)
        parents = [None if p is None or _still(node, i) else self.known[p] for i, p in enumerate(node.parents)]
        if all(p is None for p in parents):
            return None
        original = node
        if node.meta is not None and node.meta.packed:
            node = copy_of(node, node.parents, unpacked(node.saved))  # as it was before the user's hooks
        key = self._key(node, parents)
        term = None if key is None else self.memo.get(key)
        if term is None:
            term = self._made(node, parents)
            if key is not None:
                self.memo[key] = term
        if node is not original:
            self.known[node] = term
        return term

    def _made(self, node: Any, parents: list[Any]) -> Any:
        moving = [i for i, p in enumerate(parents) if p is not None]
        op = node.op
        if op is not None and _is_affine(op, moving):
            return Affine(node, parents, self.graph)
        recursion = None if op is None else recursion_of(node)
        if recursion is not None:
            return recursion(node, parents, self.graph)
        rates = Rates(node, parents, self._rates)
        self.all_rates.append(rates)
        return rates if op is None or op.outputs else Integral(rates)

    def _output(self, origin: Any, index: int) -> Any:
        if origin is None:
            return None
        key = ("output", id(origin), index)
        if key not in self.memo:
            self.memo[key] = Entry(origin, index) if isinstance(origin, Term) else Integral(origin, index)
        return self.memo[key]

    def _key(self, node: Any, parents: Sequence[Any]) -> Any:
        """What makes two nodes the same series; None if that cannot be told."""
        op = node.op
        if op is None:
            return None
        parts: list[Any] = [op.name]
        for a, p, term in zip(operands_of(node), node.parents, parents, strict=True):
            if term is not None:
                parts.append(id(term))
            elif p is not None:
                parts.append(p)
            elif type(a) is int or type(a) is float:
                parts.append((type(a), a))
            else:
                return None
        parts.append(params_of(node))
        key = tuple(parts)
        try:
            hash(key)
        except TypeError:  # an array among the parameters
            return None
        return key

    # ------------------------------------------------------------------------------------------------ rates

    def _rates(self, n: Any, parents: Sequence[Term | None]) -> Any:
        """The derivative of a node's output in t: (value at 0, term), for several outputs a list."""
        mark = next_seq()
        previous = modes.mode.set(modes.on_value())
        try:
            slopes = [None if p is None else self._slope(p) for p in parents]
            if all(s is None for s in slopes):
                return None, None
            raw = self._raw(n, slopes)
        finally:
            modes.mode.reset(previous)
        if n.op is not None and not n.op.outputs:
            return self._rate(raw, mark)
        return [self._later(n, r, mark) if callable(r) else self._rate(r, mark) for r in raw]

    def _raw(self, n: Any, slopes: Sequence[Any]) -> Any:
        if n.op is None or not any(type(s) is Symbol for s in slopes):
            return plain_tangent(n, slopes, True, self.exact, {})
        with with_symbols(n, slopes) as copy:
            self.known[copy] = self.known[n]  # its output is the node's
            return plain_tangent(copy, slopes, True, self.exact, {})

    def _later(self, n: Any, rate: Any, mark: int) -> Any:
        def record() -> Any:
            _require_gaps(n)
            previous = modes.mode.set(modes.on_value())
            try:
                return self._rate(rate(), mark)
            finally:
                modes.mode.reset(previous)

        return record

    def _rate(self, raw: Any, mark: int) -> tuple[Any, Term | None]:
        if raw is None:
            return None, None
        return raw if self.graph else raw._data, self._term(raw._node, mark)

    def _slope(self, of: Term) -> Tensor | None:
        """The first coefficient of a series as a tensor whose edge stands for the series' derivative."""
        first = of.c[1]
        if first is None:
            return None
        t = self.slopes.get(of)
        if t is None:
            t = self.slopes[of] = fresh(first)
            self.known[t._node] = Slope(of, first)
        return t

    def _term(self, edge: Any, mark: int) -> Any:
        """The term of what was recorded since ``mark``, at its end."""
        if edge is None:
            return None
        for node in recorded_since([edge], mark, self.known):
            for p in node.parents:
                self._follow(p)
            self.known[node] = self._term_of(node)
        self._follow(edge)
        return self.known[edge]

    def _follow(self, edge: Any) -> None:
        """Give an edge its term that was recorded before, and to which no output leads: what a rule kept for itself."""
        if edge in self.known:
            return
        if edge is None or is_leaf_node(edge):
            self.known[edge] = None
            return
        nodes, leaves, _, _ = reachable([edge])
        for leaf in leaves:
            self.known.setdefault(leaf, None)
        for node in reversed(nodes):
            if node not in self.known:
                self.known[node] = self._term_of(node)


def _demand(term: Term, k: int) -> None:
    """Compute the coefficients of a term up to ``k``, and of others whatever that takes."""
    stack = [(term, k)]
    while stack:
        term, k = stack[-1]
        have = len(term.c)
        if have > k:
            stack.pop()
            continue
        ready = True
        for need in term.needs(have):
            if len(need[0].c) <= need[1]:
                stack.append(need)
                ready = False
        if ready:
            term.c.append(term.compute(have))


def _still(node: Any, i: int) -> bool:
    """Whether the output does not depend on operand ``i``, by declaration."""
    op = node.op
    if op is None or op.variadic:
        return False
    rule = op.rules[i]
    if op.name == "pow_scalar":
        return bool(params_of(node)[0] == 0)
    return not callable(rule) and rule == 0


def _is_affine(op: Any, moving: Sequence[int]) -> bool:
    """Whether the derivative by what moves is the same wherever that moves."""
    if op.kind == "linear" or op.affine:
        return True
    if op.variadic:
        return len(moving) == 1
    asked = {name for i in moving for name in op.rule_args[i]}
    return "y" not in asked and not any(op.inputs[i] in asked for i in moving)


def _require_gaps(n: Any) -> None:
    """Raise where vectors have no series: those of values that coincide."""
    y = saved_value(n, "y")
    values = np.sort(y[0] if n.op.name == "eigh" else y[1], -1)
    gaps = np.diff(values)
    eps = np.finfo(values.dtype).eps * max(values.shape[-1], 1)
    if gaps.size and gaps.min() <= eps * np.abs(values).max():
        raise GradientError(
            f"linalg.{n.op.name}: the vectors, and the values beyond order 1, have no Taylor series of their own where "
            f"values coincide: the smallest gap is {gaps.min():.1e}.",
            f"The values are {np.array2string(values, precision=6)}.",
            "Expand at a point where they differ.",
        )


__all__ = ["Expansion"]
