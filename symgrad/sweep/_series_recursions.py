"""The recursions for power series that have one: products, quotients, powers, linear systems, running products.

The idea to hold: an operation that solves an equation (y b = a, A y = b, x y' = p x' y) has a series whose k-th
coefficient follows from that equation and the lower ones, with a sum over their products: k of them for coefficient k.

Sources: J. C. P. Miller's recursion for powers (see D. E. Knuth, The Art of Computer Programming, vol. 2, 4.7); for the
matrix exponential, f of a block Toeplitz matrix is the block Toeplitz matrix of the series of f.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._limits import WHOLE_POWER
from ..core import Tensor, params_of, table
from ..ops.linalg._cholesky import _triangle
from ._forward_rules import forward, saved, total
from ._series_terms import Need, Term


class Recursion(Term):
    """A node whose series has a recursion of its own, over the series of its operands ``a`` and perhaps ``b``."""

    __slots__ = ("graph", "moving", "n", "parents", "zero")

    def __init__(self, n: Any, parents: Sequence[Term | None], graph: bool) -> None:
        super().__init__()
        self.n, self.parents, self.graph = n, parents, graph
        self.moving = [p for p in parents if p is not None]
        self.zero: dict[str, Any] = {}  # coefficients 0, by the operands' names

    def needs(self, k: int) -> Sequence[Need]:
        return [(p, k) for p in self.moving]

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
        op = table(name).op
        count = len(op.inputs)
        return forward(op, operands[:count], operands[count:], self.graph)

    def parameter(self, name: str) -> Any:
        """A parameter of the node's operation."""
        return params_of(self.n)[self.n.op.params.index(name)]


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


class Product(Recursion):
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
        pairs = [(j, k - j) for j in range(1, k + 1)]
        rest = _minus(self.at(0, k), convolution(_times, lambda j: self.at(1, j), self.y, pairs))
        b = self.first("b")
        return None if rest is None else rest / b if self.n.op.name == "div" else self.row("div_or_zero", rest, b)


class NumberOver(Recursion):
    """A number divided by x: y[k] = -Σ x[j] y[k-j] / x[0]."""

    __slots__ = ()

    def y(self, k: int) -> Any:
        return self.parameter("numerator") / self.first("x") if k == 0 else self.c[k]

    def compute(self, k: int) -> Any:
        pairs = [(j, k - j) for j in range(1, k + 1)]
        below = convolution(_times, lambda j: self.at(0, j), self.y, pairs)
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
        pairs = [(j, k - j) for j in range(1, k + 1)]
        product = _matvec if op.name == "solve_vector" else (lambda a, y: a @ y) if left else (lambda a, y: y @ a)

        def matrix(j: int) -> Any:
            a = self.at(0, j)
            return a if a is None or not op.params else _triangle(a, upper, unit)

        rest = _minus(self.at(1, k), convolution(product, matrix, self.y, pairs))
        return None if rest is None else forward(op, (self.first("a"), rest), params, self.graph)


def _matvec(a: Any, y: Any) -> Any:
    return (a @ y.reshape((*y.shape, 1))).reshape((*np.broadcast_shapes(a.shape[:-2], y.shape[:-1]), a.shape[-2]))


class Recurrence(Recursion):
    """s[i] = b[i] + a[i] s[i-1] along a dimension, whose series obeys the same recurrence."""

    __slots__ = ()

    def compute(self, k: int) -> Any:
        dim, reverse = params_of(self.n)
        pairs = [(j, k - j) for j in range(1, k + 1)]
        from_below = convolution(
            lambda a, y: a * self.row("shift", y, dim, reverse), lambda j: self.at(1, j), self.y, pairs
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

        b = convolution(_times, entry, before, [(j, k - j) for j in range(1, k + 1)])
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
        return table("cat")(parts, parts[0].ndim + dim) if self.graph else np.concatenate(parts, dim)


def recursion_of(n: Any) -> type[Recursion] | None:
    """The recursion for a node; None where its derivative serves."""
    op = n.op
    if op.kind == "multilinear" or op.name in ("mul", "einsum"):
        return Product if len(op.inputs) == 2 else ManyFoldProduct
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

__all__ = ["Recursion", "recursion_of"]
