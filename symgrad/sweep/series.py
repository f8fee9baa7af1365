"""Taylor series: the recorded graph of a function, replayed on power series in t.

The idea to hold: a term has a list of coefficients that grows from the front. To compute the next one it names what
must be known first; the driver (`series`) sees to that, without recursion. Coefficient 0 is not kept: what a rule
needs of it, the recorded node has saved. None is a coefficient that is zero whatever the values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import starmap
from typing import Any

import numpy as np

from .._errors import GradientError
from .._limits import bound
from ..core import (
    FAILS,
    FREED,
    MASKS,
    OutputNode,
    Symbol,
    Tensor,
    depending_on,
    is_leaf_node,
    modes,
    next_seq,
    operands_of,
    params_of,
    reachable,
    recorded_since,
    row_function,
    saved_value,
    setting,
    storage,
)
from ..ops.entries import blank
from ..ops.linalg import triangle
from .bookkeeping import check_saved
from .directions import node_tangent, plain_tangent, refuse_hooks
from .forward import forward, fresh, saved, total, with_saved_values, with_symbols

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


class Line(Term):
    """x + v t."""

    __slots__ = ()

    def __init__(self, v: Any) -> None:
        self.c: list[Any] = [None, v]

    def compute(self, k: int) -> Any:
        return None


class Slope(Term):
    """The derivative of a series; its coefficient 0 is known."""

    __slots__ = ("first", "of")

    first: Any
    of: Term

    def __init__(self, of: Term, first: Any) -> None:
        super().__init__()
        self.of, self.first = of, first

    def needs(self, k: int) -> Sequence[Need]:
        return ((self.of, k + 1),)

    def compute(self, k: int) -> Any:
        value = self.of.c[k + 1]
        if value is None:  # what is computed from it begins with arrays of the right shape
            return blank(self.first) if k == 1 else None
        return value * (k + 1)


class OfNode(Term):
    """A node's series, of which coefficient ``k`` needs coefficient ``k`` of each operand that moves."""

    __slots__ = ("graph", "moving", "n", "parents")

    graph: bool
    n: Any
    parents: Sequence[Term | None]

    def __init__(self, n: Any, parents: Sequence[Term | None], graph: bool) -> None:
        super().__init__()
        self.n, self.parents, self.graph = n, parents, graph
        self.moving: list[Term] = [p for p in parents if p is not None]

    def needs(self, k: int) -> Sequence[Need]:
        return [(p, k) for p in self.moving]


class Affine(OfNode):
    """What acts on each coefficient by itself: a node that depends on what moves in a linear way."""

    __slots__ = ("memo",)

    def __init__(self, n: Any, parents: Sequence[Term | None], graph: bool) -> None:
        super().__init__(n, parents, graph)
        self.memo: dict[Any, Any] = {}

    def compute(self, k: int) -> Any:
        ts = [None if p is None else p.c[k] for p in self.parents]
        if all(t is None for t in ts):
            return None
        if len(self.moving) > 1 and self.n.op.kind == "general":  # the shape may follow from this operand alone
            ts = list(starmap(self._explicit, zip(self.parents, ts, strict=True)))
        return node_tangent(self.n, ts, self.graph, False, self.memo)

    @staticmethod
    def _explicit(p: Term | None, t: Any) -> Any:
        return blank(p.c[1]) if t is None and p is not None and p.c[1] is not None else t


class Entry(Term):
    """One of several outputs of an `Affine` node."""

    __slots__ = ("index", "of")

    index: int
    of: Term

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

    index: int | None
    rates: Rates

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

    n: Any
    parents: Sequence[Term | None]
    record: Any

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


# ------- The recursions for power series that have one: products, quotients, powers, linear systems, running products
#
# The idea to hold: an operation that solves an equation (y b = a, A y = b, x y' = p x' y) has a series whose k-th
# coefficient follows from that equation and the lower ones, with a sum over their products: k of them for coefficient
# k.
#
# Sources: J. C. P. Miller's recursion for powers (see D. E. Knuth, The Art of Computer Programming, vol. 2, 4.7); for
# the matrix exponential, f of a block Toeplitz matrix is the block Toeplitz matrix of the series of f.


class Recursion(OfNode):
    """A node whose series has a recursion of its own, over the series of its operands ``a`` and perhaps ``b``."""

    __slots__ = ("zero",)

    def __init__(self, n: Any, parents: Sequence[Term | None], graph: bool) -> None:
        super().__init__(n, parents, graph)
        self.zero: dict[str, Any] = {}  # coefficients 0, by the operands' names

    def at(self, i: int, k: int) -> Any:
        """Coefficient ``k`` of operand ``i``."""
        if k == 0:
            return self.first(self.n.op.inputs[i])
        p = self.parents[i]
        return None if p is None else p.c[k]

    def first(self, name: str) -> Any:
        """What the node saved under a name."""
        if name not in self.zero:
            self.zero[name] = saved(self.n, name, self.graph)
        return self.zero[name]

    def y(self, k: int) -> Any:
        """A coefficient of the node's own output."""
        return self.first("y") if k == 0 else self.c[k]

    def row(self, name: str, *operands: Any) -> Any:
        """A row of the table on operands and parameters."""
        op = row_function(name).op
        count = len(op.inputs)
        return forward(op, operands[:count], operands[count:], self.graph)

    def parameter(self, name: str) -> Any:
        """A parameter of the node's operation."""
        return params_of(self.n)[self.n.op.params.index(name)]


def _from_first(k: int) -> list[tuple[int, int]]:
    """The pairs of orders that add up to k, but for (0, k)."""
    return [(j, k - j) for j in range(1, k + 1)]


def convolution(f: Callable[[Any, Any], Any], a: Callable[[int], Any], b: Callable[[int], Any], ks: Any) -> Any:
    """The sum of f(a(j), b(i)) over the pairs (j, i), without those that are zero."""
    terms = []
    for j, i in ks:
        x, y = a(j), b(i)
        if x is not None and y is not None:
            terms.append(f(x, y))
    return total(terms)


def _minus(a: Any, b: Any) -> Any:
    return a if b is None else -b if a is None else a - b


def _times(a: Any, b: Any) -> Any:
    return a * b


def _cauchy(a0: Any, a: list[Any], b0: Any, b: list[Any], k: int) -> Any:
    """Coefficient ``k`` of a product, entry by entry: the innermost loop of all."""
    out = None if b[k] is None else a0 * b[k]
    if a[k] is not None:
        out = a[k] * b0 if out is None else out + a[k] * b0
    for j in range(1, k):
        x, y = a[j], b[k - j]
        if x is not None and y is not None:
            out = x * y if out is None else out + x * y
    return out


class CauchyProduct(Recursion):
    """A product of two moving operands, of any kind: c[k] = Σ f(a[j], b[k-j])."""

    __slots__ = ()

    def compute(self, k: int) -> Any:
        op, (a, b) = self.n.op, self.parents
        if op.name != "mul":
            params = params_of(self.n)
            return convolution(
                lambda x, y: forward(op, (x, y), params, self.graph),
                lambda j: self.at(0, j), lambda j: self.at(1, j), [(j, k - j) for j in range(k + 1)],
            )  # fmt: skip
        if a is None or b is None:  # (of complex numbers that mix with real ones, say: nothing to gain)
            return convolution(_times, lambda j: self.at(0, j), lambda j: self.at(1, j), [(0, k), (k, 0)])
        return _cauchy(self.first("a"), a.c, self.first("b"), b.c, k)


class ManyFoldProduct(Recursion):
    """A product of three and more operands: the sum over all ways to share k among those that move."""

    __slots__ = ()

    def compute(self, k: int) -> Any:
        op = self.n.op
        values = list(self.first("tensors")) if op.variadic else [self.first(name) for name in op.inputs]
        moving = [i for i, p in enumerate(self.parents) if p is not None]
        terms = []
        for shares in _shares(k, len(moving)):
            operands = list(values)
            for i, j in zip(moving, shares, strict=True):
                if j:
                    operands[i] = self.parents[i].c[j]  # type: ignore[union-attr]
            if all(o is not None for o in operands):
                terms.append(forward(op, operands, params_of(self.n), self.graph))
        return total(terms)


def _shares(k: int, count: int) -> list[tuple[int, ...]]:
    if count == 1:
        return [(k,)]
    return [(j, *rest) for j in range(k + 1) for rest in _shares(k - j, count - 1)]


class Quotient(Recursion):
    """y b = a: y[k] = (a[k] - Σ b[j] y[k-j]) / b[0]; also where 0 stands for a / 0."""

    __slots__ = ()

    def y(self, k: int) -> Any:
        if k == 0 and "y" not in self.zero and self.n.op.name == "div":
            self.zero["y"] = self.first("a") / self.first("b")
        return super().y(k)

    def compute(self, k: int) -> Any:
        rest = _minus(self.at(0, k), convolution(_times, lambda j: self.at(1, j), self.y, _from_first(k)))
        b = self.first("b")
        return None if rest is None else rest / b if self.n.op.name == "div" else self.row("div_or_zero", rest, b)


class NumberOver(Recursion):
    """A number divided by x: y[k] = -Σ x[j] y[k-j] / x[0]."""

    __slots__ = ()

    def y(self, k: int) -> Any:
        return self.parameter("numerator") / self.first("x") if k == 0 else self.c[k]

    def compute(self, k: int) -> Any:
        below = convolution(_times, lambda j: self.at(0, j), self.y, _from_first(k))
        return None if below is None else -below / self.first("x")


class Power(Recursion):
    """y = x**p, from x y' = p x' y; where x has no zeros."""

    __slots__ = ()

    def y(self, k: int) -> Any:
        if k:
            return self.c[k]
        if "y" not in self.zero:
            self.zero["y"] = forward(self.n.op, (self.first("x"),), (self.parameter("exponent"),), self.graph)
        return self.zero["y"]

    def compute(self, k: int) -> Any:
        p = self.parameter("exponent")
        terms = []
        for j in range(1, k + 1):
            x, y, weight = self.at(0, j), self.y(k - j), p * j - (k - j)
            if x is not None and y is not None and weight:
                terms.append(x * y * (weight / k))
        below = total(terms)
        return None if below is None else below / self.first("x")


class WholePower(Recursion):
    """x**n for n = 1, 2, …: squares and their products, which lose no digits where x is small."""

    __slots__ = ("chain",)

    def __init__(self, n: Any, parents: Sequence[Term | None], graph: bool) -> None:
        super().__init__(n, parents, graph)
        self.chain: dict[int, list[Any]] = {}  # per power that is met on the way its coefficients

    def compute(self, k: int) -> Any:
        self.power(1, k)
        return self.power(int(self.parameter("exponent")), k)

    def power(self, p: int, k: int) -> Any:
        """Coefficient ``k`` of x**p, where all lower ones are known."""
        known = self.chain.setdefault(p, [])
        if len(known) <= k:
            if not known and k:
                self.power(p, 0)
            if p == 1:
                known.append(self.at(0, k))
            else:
                half, rest = p - p % 2, p % 2
                a, b = (half, rest) if rest else (p // 2, p // 2)
                x, y = self.power(a, k), self.power(b, k)
                known.append(
                    x * y if k == 0 else _cauchy(self.chain[a][0], self.chain[a], self.chain[b][0], self.chain[b], k)
                )
        return known[k]


class Solution(Recursion):
    """A y = b: y[k] solves A[0] y[k] = b[k] - Σ A[j] y[k-j]. ``b`` may be a vector; triangular A may stand right."""

    __slots__ = ()

    def compute(self, k: int) -> Any:
        op = self.n.op
        left, params = True, ()
        if op.params:
            upper, left, unit = params = params_of(self.n)
        product = _matvec if op.name == "solve_vector" else (lambda a, y: a @ y) if left else (lambda a, y: y @ a)

        def matrix(j: int) -> Any:
            a = self.at(0, j)
            return a if a is None or not op.params else triangle(a, upper, unit)

        rest = _minus(self.at(1, k), convolution(product, matrix, self.y, _from_first(k)))
        return None if rest is None else forward(op, (self.first("a"), rest), params, self.graph)


def _matvec(a: Any, y: Any) -> Any:
    return (a @ y.reshape((*y.shape, 1))).reshape((*np.broadcast_shapes(a.shape[:-2], y.shape[:-1]), a.shape[-2]))


class Recurrence(Recursion):
    """s[i] = b[i] + a[i] s[i-1] along a dimension, whose series obeys the same recurrence."""

    __slots__ = ()

    def compute(self, k: int) -> Any:
        dim, reverse = params_of(self.n)
        from_below = convolution(
            lambda a, y: a * self.row("shift", y, dim, reverse), lambda j: self.at(1, j), self.y, _from_first(k)
        )
        b = total([self.at(0, k), from_below])
        return None if b is None else self.row("recurrence", b, self.first("a"), dim, reverse)


class RunningProduct(Recursion):
    """Products of all entries up to each along a dimension, before each, or of all: y[i] = x[i] y[i-1]."""

    __slots__ = ("whole",)

    def __init__(self, n: Any, parents: Sequence[Term | None], graph: bool) -> None:
        super().__init__(n, parents, graph)
        self.whole: list[Any] = [None]  # the series of the running products themselves

    def compute(self, k: int) -> Any:
        op, x = self.n.op, self.first("x")
        if x.size == 0 if isinstance(x, np.ndarray) else x.numel() == 0:
            return None
        flat = op.name == "prod"
        dim: Any = 0 if flat else self.parameter("dim")
        if op.name == "prod_dim":
            if not dim:  # of an array without dimensions: itself
                return self.at(0, k)
            (dim,) = dim
        reverse = op.name == "cumprod_before" and self.parameter("reverse")

        def entry(j: int) -> Any:
            value = self.at(0, j)
            return value.reshape((-1,)) if flat and value is not None else value

        def before(i: int) -> Any:
            if i:
                return None if self.whole[i] is None else self.row("shift", self.whole[i], dim, reverse)
            return self.row("cumprod_before", entry(0), dim, reverse)

        b = convolution(_times, entry, before, _from_first(k))
        self.whole.append(None if b is None else self.row("recurrence", b, entry(0), dim, reverse))
        return None if b is None else self._read(self.whole[k], dim, reverse)

    def _read(self, y: Any, dim: Any, reverse: Any) -> Any:
        name = self.n.op.name
        if name == "cumprod":
            return y
        if name == "cumprod_before":
            return self.row("shift", y, dim, reverse)
        if name == "prod":
            return y[-1] if isinstance(y, Tensor) else np.asarray(y[-1])
        last = slice(-1, None) if self.parameter("keepdim") else -1
        return y[(slice(None),) * (dim % y.ndim) + (last,)]


class MatrixExponential(Recursion):
    """exp(A(t)): the first block row of the exponential of the block Toeplitz matrix of A's coefficients."""

    __slots__ = ()

    def compute(self, k: int) -> Any:
        a0 = self.first("x")
        zero = a0 * 0
        blocks = [a0, *(zero if self.at(0, j) is None else self.at(0, j) for j in range(1, k + 1))]
        rows = [self._joined([zero] * i + blocks[: k + 1 - i], -1) for i in range(k + 1)]
        n = a0.shape[-1]
        out = self.row("matrix_exp", self._joined(rows, -2))
        return out[..., :n, k * n :]

    def _joined(self, parts: list[Any], dim: int) -> Any:
        return row_function("cat")(parts, parts[0].ndim + dim) if self.graph else np.concatenate(parts, dim)


WHOLE_POWER = bound(1 << 53)
"""Whole powers up to which a Taylor series is multiplied out, by squares; above, floats have no fractions."""


def recursion_of(n: Any) -> type[Recursion] | None:
    """The recursion for a node; None where its derivative serves."""
    op = n.op
    if op.kind == "multilinear" or op.name in ("mul", "einsum"):
        return CauchyProduct if len(op.inputs) == 2 else ManyFoldProduct
    if op.name == "pow_scalar":
        exponent = params_of(n)[0]
        if not isinstance(exponent, complex) and 1 <= exponent <= WHOLE_POWER and exponent == int(exponent):
            return WholePower
        return Power if (np.asarray(saved(n, "x", False)) != 0).all() else None
    return _RECURSIONS.get(op.name)


_RECURSIONS: dict[str, type[Recursion]] = {
    "div": Quotient, "div_or_zero": Quotient, "rdiv": NumberOver, "solve": Solution, "solve_vector": Solution,
    "solve_triangular": Solution, "recurrence": Recurrence, "cumprod": RunningProduct,
    "cumprod_before": RunningProduct, "prod": RunningProduct, "prod_dim": RunningProduct,
    "matrix_exp": MatrixExponential,
}  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- series
#
# The idea to hold: y' = (tangent of the operation along x'), and that rule is itself a small graph of operations, so it
# can be read as power series too: coefficient k of y asks for coefficient k - 1 of its rate, which asks for lower ones
# of x and y. The rate of tanh is (1 - y·y)·x' and refers to the series of y; sin leads to cos, and cos back to the sine
# that is there. So the cost is that of some products of series per operation: O(order²) products of arrays.


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
        self.exact: bool = bool(traits & MASKS)
        moving = depending_on(inputs, nodes)
        self.known.update((leaf, None) for leaf in leaves)
        self.known.update((x, Line(v)) for x, v in zip(inputs, directions, strict=True) if x is not None)
        if traits & FREED or (nodes and storage.written_since(nodes[-1].seq)):
            check_saved(moving)
        if traits & FAILS:
            refuse_hooks([*moving, *(x for x in inputs if x is not None)])
        for node in reversed(nodes):
            if node not in self.known:
                self.known[node] = self._term_of(node)
        self.outputs: list[Any | None] = [None if o is None else self.known[o] for o in outputs]

    def coefficients(self, order: int) -> list[list[Any]]:
        """Per output its coefficients 1 to ``order``, for once; None for one that is zero whatever the values."""
        try:
            with setting(modes.mode, modes.on_value() if self.graph else modes.OFF), np.errstate(all="ignore"):
                for term in self.outputs:
                    if term is not None:
                        _demand(term, order)
            return [[None] * order if term is None else term.c[1 : order + 1] for term in self.outputs]
        finally:
            self._part()

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
        original, node = node, with_saved_values(node)
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
        several = hasattr(node, "_function") if op is None else op.outputs
        return rates if several else Integral(rates)

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
        parts = [op.name]
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
        with setting(modes.mode, modes.on_value()):
            slopes = [None if p is None else self._slope(p) for p in parents]
            if all(s is None for s in slopes):
                return None, None
            raw = self._raw(n, slopes)
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
            with setting(modes.mode, modes.on_value()):
                return self._rate(rate(), mark)

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
    values = y[1] if n.op.name == "svd" else y[0]
    i, j = np.triu_indices(values.shape[-1], 1)
    gaps = np.abs(values[..., i] - values[..., j])  # of complex values any two may be close
    eps = np.finfo(values.dtype).eps * max(values.shape[-1], 1)
    if gaps.size and gaps.min() <= eps * np.abs(values).max():
        raise GradientError(
            f"linalg.{n.op.name}: the vectors, and the values beyond order 1, have no Taylor series of their own where "
            f"values coincide: the smallest gap is {gaps.min():.1e}.",
            f"The values are {np.array2string(values, precision=6)}.",
            "Expand at a point where they differ.",
        )
