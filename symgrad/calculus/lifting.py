"""From rows of the table to terms: what each recorded operation is in index notation.

The idea to hold: a row says itself what it is. An element-wise row whose SymPy twin is plain arithmetic *is* that
arithmetic; any other is a `Map` of its name. Reductions, transposes, products are re-labelled indices (the table
`LIFTS`, by name of row). What else is linear is its own constant array (`Lin`), what is not is a `Call` by name.
Nothing is refused.

Products in index notation: every matrix product is labels.

Linear algebra in index notation: a solution is a product with an inverse, a Cholesky factor is a function.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from .. import _limits
from .._trees import parsed, postorder
from ..core import Dim
from ..terms import (
    Call,
    Data,
    Delta,
    Expr,
    Indices,
    Lin,
    Map,
    constant_of,
    ein,
    exact,
    inverse,
    is_nonnegative,
    is_positive,
    is_zero,
    labels_in,
    map_,
    number,
    pow_,
    row,
    scaled,
    shape_following,
    shaped,
    shaped_sum,
    zeros,
)

Args = Any
LIFTS: dict[str, Callable[..., Expr]] = {}
"""By row: ``(args, params, shape) -> term``."""


def lifts(*names: str) -> Callable[[Any], Any]:
    def register(fn: Any) -> Any:
        for name in names:
            LIFTS[name] = fn
        return fn

    return register


def lift(
    op: Any, args: Any, params: tuple[Any, ...], shape: Any, out: int | None = None, truth: bool = False,
    to_run: bool = False,
) -> Expr:  # fmt: skip
    """The term of ``op(*args, *params)``, an array of the given shape; ``truth`` if it is one of truth values,
    ``to_run`` if numbers are computed by it: their digits are worth more than being arithmetic."""
    if truth and op.name == "add":  # True + True is True
        return apply("logical_or", shape, *args)
    inside = [a.shape for a in args]
    placed = any(isinstance(p, np.ndarray) and p.ndim for p in params)  # they belong to places
    each = (op.kind == "elementwise" or op.truth) and not placed
    shape = (
        met(inside, shape)
        if each and len(shape) == max(map(len, inside), default=0)
        else shape_following(op, params, inside, shape, out)
    )
    known = LIFTS.get(op.name)
    if known is not None:
        term = known(args, params, shape) if out is None else known(args, params, shape, out)
        if term is not None:
            return term
    if op.equation:
        return product(op.equation, args, shape)
    if to_run and op.name == "hypot":  # √(x² + y²) overflows, and underflows, where it does not
        return apply(op.name, shape, *args)
    if each:
        return _elementwise(op, args, params, shape)
    places = args[1:]
    if op.kind == "linear" and op.holomorphic and all(isinstance(a, Data) for a in places):
        return linear(op, args[0], (*[a.value for a in places], *params), shape)  # its array is known
    return called(op, tuple(args), params, tuple(shape), out)


class LiftedOutputs(dict[int, Any]):
    """The terms of an operation's outputs by their number, each made when it is asked for: the entries of an array that
    a loop goes along are thousands, of which no term is read once the loop is a scan."""

    def __init__(self, op: Any, args: Any, params: tuple[Any, ...], shapes: list[Any]) -> None:
        super().__init__()
        self.lift_output: Callable[[int], Expr] = lambda out: lift(op, args, params, shapes[out], out)

    def __missing__(self, out: int) -> Expr:
        term = self[out] = self.lift_output(out)
        return term


def called(op: Any, args: Any, params: tuple[Any, ...], shape: Any, out: int | None = None) -> Expr:
    """A call of an operation; one that keeps the axes it reduces is the one that does not, read along the others."""
    k = op.params.index("keepdim") if "keepdim" in op.params and len(args) == 1 else -1
    if k < 0 or not params[k] or not shape:
        return Call(op, args, params, shape, out)
    gone = axes(params[op.params.index("dim")], len(shape))
    rest = tuple([i for i in range(len(shape)) if i not in gone])
    inner = Call(op, args, (*params[:k], False, *params[k + 1 :]), tuple([shape[i] for i in rest]), out)
    return shaped(shape, 1, [(inner, rest)])


def axes(dim: Any, rank: int) -> tuple[int, ...]:
    """The axes that a reduction runs over."""
    if dim is None or dim == ():
        return tuple(range(rank))
    return tuple([d % rank for d in (dim if isinstance(dim, (tuple, list)) else (dim,))]) if rank else ()


def met(inside: list[Any], shape: Any) -> tuple[Any, ...]:
    """The shape of what is computed entry by entry: where a named size meets a number, it has that length."""
    sizes: list[Any] = [1] * len(shape)
    for operand in inside:
        for k, n in enumerate(operand, len(shape) - len(operand)):
            old = sizes[k]
            if n != 1 and (type(old) is not Dim or (type(n) is Dim and n.exact and not old.exact)):
                sizes[k] = n
    return tuple(sizes)


_OPPOSITE = {"gt": "le", "le": "gt", "lt": "ge", "ge": "lt", "eq": "ne", "ne": "eq"}
_EXACT = ("eq", "ne")  # each is the other's opposite for what is no number, too


def product(equation: str, args: Any, shape: Any) -> Expr:
    """The product that an equation says, ``...ij,...j->...i``."""
    terms, result = row("einsum").labels([x.rank for x in args], (equation,))
    numbers = {label: i for i, label in enumerate(dict.fromkeys([*result, *sum(terms, ())]))}
    factors = []
    for x, labels in zip(args, terms, strict=True):
        before = [(i, shape[result.index(label)]) for i, label in enumerate(labels) if type(label) is int]
        spare = [i for i, n in before if x.shape[i] == 1 and n != 1]
        kept = tuple([numbers[label] for i, label in enumerate(labels) if i not in spare])
        factors.append((squeezed(x, spare) if spare else x, kept))
    return shaped(shape, 1, factors)


def linear(op: Any, x: Expr, params: tuple[Any, ...], shape: Any) -> Expr:
    """A linear operation as the product with its array."""
    if is_zero(x):
        return zeros(tuple(shape))
    n, m = len(shape), x.rank
    inside = tuple(range(n, n + m))
    return ein(1, [(Lin(op, params, tuple(shape), x.shape), (*range(n), *inside)), (x, inside)], tuple(range(n)))


# ------------------------------------------------------------------------------------------------ element-wise


def squeezed(x: Expr, axes: list[int]) -> Expr:
    keep = tuple([i for i in range(x.rank) if i not in axes])
    return ein(1, [(x, x.axes)], keep)


def operand(x: Expr, shape: Any) -> tuple[Expr, Indices]:
    """An operand with its labels in a result of the given shape (NumPy's broadcasting)."""
    offset = len(shape) - x.rank
    spare = [i for i, n in enumerate(x.shape) if n == 1 and shape[offset + i] != 1]
    labels = tuple([offset + i for i in range(x.rank) if i not in spare])
    return (squeezed(x, spare) if spare else x), labels


def fill(value: Expr, shape: Any) -> Expr:
    return shaped(shape, 1, [(value, ())])


def times(shape: Any, *operands: Expr) -> Expr:
    return shaped(shape, 1, [operand(x, shape) for x in operands])


def plus(shape: Any, *terms: tuple[Any, Expr]) -> Expr:
    """The element-wise sum of (number, term)."""
    return shaped_sum(shape, [(c, *operand(x, shape)) for c, x in terms])


def apply(name: str, shape: Any, *operands: Expr, params: tuple[Any, ...] = ()) -> Expr:
    """An element-wise row on operands that broadcast to a shape."""
    read = [operand(x, shape) for x in operands]
    labels = labels_in(read)
    return shaped(shape, 1, [(map_(row(name), read, params, labels), labels)])


def _elementwise(op: Any, args: Any, params: tuple[Any, ...], shape: Any) -> Expr:
    text = op.sympy if isinstance(op.sympy, str) else ""
    tree = _arithmetic(text) if text else None
    if tree is not None:
        values = [exact(p) if isinstance(p, (int, float, complex)) else None for p in params]
        if all(v is not None for v in values):
            names = dict(zip((*op.inputs, *op.params), (*args, *map(number, values)), strict=False))  # type: ignore[arg-type]
            with suppress(_NoNumber):
                term = _run(tree, names)
                return term if term.shape == tuple(shape) else times(shape, term)
    return apply(op.name, shape, *args, params=params)


_FUNCTIONS = {"Abs": "abs", "sign": "sign"}
_PLAIN = (
    ast.Name, ast.Constant, ast.Call, ast.UnaryOp, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow,
    ast.Load,
)  # fmt: skip


@cache
def _arithmetic(text: str) -> ast.expr | None:
    """The tree of a row's SymPy twin if it is plain arithmetic."""
    tree = parsed(text, "eval").body
    for node in ast.walk(tree):
        if not isinstance(node, _PLAIN):
            return None
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name != "sqrt" and name not in _FUNCTIONS:
                return None
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Pow)
            and not isinstance(node.left, ast.Name | ast.Call)
        ):
            return None
    return None if isinstance(tree, ast.Call) and text.startswith(tuple(_FUNCTIONS)) else tree


class _NoNumber(Exception):
    """An exponent is none."""


def _run(tree: Any, names: dict[str, Expr]) -> Expr:
    if isinstance(tree, ast.Name):
        return names[tree.id]
    if isinstance(tree, ast.Constant):
        return number(tree.value)  # type: ignore[arg-type]
    if isinstance(tree, ast.UnaryOp):
        inner = _run(tree.operand, names)
        return scaled(-1, inner)
    if isinstance(tree, ast.Call):
        inner, name = _run(tree.args[0], names), tree.func.id  # type: ignore[attr-defined]
        return pow_(inner, Fraction(1, 2)) if name == "sqrt" else apply(_FUNCTIONS[name], inner.shape, inner)
    a, b = _run(tree.left, names), _run(tree.right, names)
    both = np.broadcast_shapes(a.shape, b.shape)
    if isinstance(tree.op, ast.Add):
        return plus(both, (1, a), (1, b))
    if isinstance(tree.op, ast.Sub):
        return plus(both, (1, a), (-1, b))
    if isinstance(tree.op, ast.Mult):
        return times(both, a, b)
    if isinstance(tree.op, ast.Div):
        return times(both, a, pow_(b, -1))
    exponent = constant_of(b)
    if exponent is None:  # (x^λ − 1)/λ has a limit at λ = 0 that its arithmetic has not
        raise _NoNumber
    return pow_(a, exponent)


def mask(condition: Expr, x: Expr, shape: Any) -> Expr:
    """``x`` where the condition holds, else 0: a product with the condition, unless ``x`` may be infinite."""
    if is_zero(x):
        return zeros(tuple(shape))
    if isinstance(condition, Data) and condition.value.dtype.kind == "b":
        if condition.value.all():
            return times(shape, x)
        if not condition.value.any():
            return zeros(tuple(shape))
    if is_product(condition, x):
        return times(shape, condition, x)
    return apply("where", shape, condition, x, number(0))


def is_product(condition: Expr, x: Expr) -> bool:
    """Whether ``x`` where a condition holds, else 0, is a product: ``x`` must be finite where it does not hold."""
    sorts_out = any(t.operation in ("isnan", "isinf", "isfinite") for t in postorder(condition))
    return is_safe(x) and not sorts_out  # what is sorted out for being infinite may be a symbol's value


def negated(condition: Expr) -> Expr:
    """The opposite of a condition: of ``a > b`` it is ``a ≤ b``, unless one of them may be no number."""
    if isinstance(condition, Map):
        exact = condition.op.name in _EXACT or all(is_safe(a) for a, _ in condition.args)
        if condition.op.name in _OPPOSITE and exact:
            opposite = row(_OPPOSITE[condition.op.name])
            return map_(opposite, condition.args, (), condition.axes)
        if condition.op.name == "logical_not":
            inner, s = condition.args[0]
            return ein(1, [(inner, s)], condition.axes)
    if isinstance(condition, Data):
        return Data(np.logical_not(condition.value))
    return apply("logical_not", condition.shape, condition)


def is_safe(x: Expr) -> bool:
    """Whether a term is finite wherever its symbols are (but for overflow)."""
    known = x.memo.get("safe")
    if known is None:
        known = all(is_safe(c) for c in x.children) and _is_safe_itself(x)
        x.memo["safe"] = known
    return known


def _is_safe_itself(x: Any) -> bool:
    e = x.exponent
    if e != 1:
        real = not isinstance(e, complex)
        return real and (is_positive(x.base) or (e > 0 and (isinstance(e, int) or is_nonnegative(x.base))))
    if x.kind in ("map", "call"):
        return bool(x.op.finite)
    if x.kind == "data":
        return bool(np.isfinite(x.value).all())
    return x.kind != "jac"


# ------------------------------------------------------------------------------------------- constants and rest


def scalar(value: Any) -> Expr | None:
    """A number as a term: exact where it evidently is, square roots of whole numbers too; None if it overflows."""
    coef = exact(value)
    if isinstance(coef, float) or (isinstance(coef, Fraction) and coef.denominator > _limits.ROOT):
        near = float(coef)
        for root, exponent in ((near, Fraction(1, 2)), (1 / near, Fraction(-1, 2))):
            square = round(root * root) if 1 < root < _limits.ROOT else 0
            if square and (math.sqrt(square) == near or 1 / math.sqrt(square) == near):
                return pow_(number(square), exponent)
    return None if coef is None else number(coef)


def constant(data: np.ndarray) -> Expr | None:
    """A constant array as a number, as written out, as an identity, or as counted; None if it needs a name."""
    if data.size and data.dtype.kind in "biufc":
        first = data.reshape(-1)[0]
        if bool((data == first).all()) and data.dtype.kind != "b":
            value = scalar(first)
            return fill(value, data.shape) if value is not None else Data(data)
    if data.ndim == 2 and data.shape[0] == data.shape[1] > 1 and np.array_equal(data, data[0, 0] * np.eye(len(data))):
        value = scalar(data[0, 0])
        return ein(1, [(value, ()), (Delta(data.shape[0]), (0, 1))], (0, 1)) if value is not None else Data(data)
    if data.size <= _limits.DATA:
        return Data(data)
    return _counted(data)


def _counted(data: np.ndarray) -> Expr | None:
    """The whole numbers from one on, 0, 1, … or 1, 2, …, as sums of ones: a formula says (1, …, n) of them."""
    if data.ndim != 1 or data.dtype.kind not in "iuf" or not np.array_equal(data, data[0] + np.arange(len(data))):
        return None
    first = scalar(data[0] - 1)
    if first is None or data[0] % 1:
        return None
    places = lift(row("cumsum"), [fill(number(1), data.shape)], (0, False), data.shape)
    return plus(data.shape, (1, places), (1, first))


# ----------------------------------------------------------------------------------------------------- lift products


def matmul(args: Args, shape: Any) -> Expr:
    """The matrix product, broadcasting over batches."""
    a, b = args
    left, i = ("...ij", "i") if a.rank > 1 else ("j", "")
    right, k = ("...jk", "k") if b.rank > 1 else ("j", "")
    return product(f"{left},{right}->...{i}{k}", args, shape)


@lifts("vdot")
def _vdot(args: Args, params: Any, shape: Any) -> Expr:
    a, b = args
    return product("i,i->", [apply("conj", a.shape, a), b], shape)


@lifts("einsum_spread")
def _einsum_spread(args: Args, params: Any, shape: Any) -> Expr | None:
    """The transpose of what the equation says: read backward, equal letters are an identity between them."""
    letters, kept = params[0].replace(" ", "").split("->")
    if len(letters) != len(shape) or len(kept) != args[0].rank:
        return None
    deltas = [(Delta(shape[k]), (letters.index(c), k)) for k, c in enumerate(letters) if letters.index(c) != k]
    return shaped(shape, 1, [(args[0], tuple([letters.index(c) for c in kept])), *deltas])


@lifts("einsum", "einsum_pair", "einsum_sum", "einsum_permute")
def _einsum(args: Args, params: Any, shape: Any) -> Expr:
    return product(params[0], args, shape)


def _added(equation: str) -> Any:
    def lift_added(args: Args, params: Any, shape: Any) -> Expr | None:
        beta, alpha = exact(params[0]), exact(params[1])
        if beta is None or alpha is None:
            return None
        return plus(shape, (beta, args[0]), (alpha, product(equation, args[1:], shape)))

    return lift_added


LIFTS["addmm"], LIFTS["addmv"], LIFTS["addr"] = _added("ij,jk->ik"), _added("ij,j->i"), _added("i,j->ij")
LIFTS["baddbmm"], LIFTS["addbmm"] = _added("zij,zjk->zik"), _added("zij,zjk->ik")


# ------------------------------------------------------------------------------------------------------- lift linalg


@lifts("inv")
def _inv(args: Args, params: Any, shape: Any) -> Expr:
    return inverse(args[0])


@lifts("solve")
def _solve(args: Args, params: Any, shape: Any) -> Expr:
    return matmul([inverse(args[0]), args[1]], shape)


@lifts("solve_vector")
def _solve_vector(args: Args, params: Any, shape: Any) -> Expr:
    return product("...ij,...j->...i", [inverse(args[0]), args[1]], shape)


@lifts("solve_triangular")
def _solve_triangular(args: Args, params: Any, shape: Any) -> Expr | None:
    upper, left, unit = params
    a, b = args
    if a.rank != 2 or b.rank != 2 or unit or not is_triangular(a, upper):
        return None
    return matmul([inverse(a), b] if left else [b, inverse(a)], shape)


def is_triangular(a: Expr, upper: bool) -> bool:
    """Whether a term is plainly triangular: a Cholesky factor, perhaps transposed."""
    if len(a.factors) == 1 and a.factors[0][1] == (1, 0):
        return is_triangular(a.factors[0][0], not upper)
    if a.operation == "linalg_cholesky":
        return bool(a.params[0]) == upper
    return isinstance(a, Delta)


@lifts("linalg_cholesky")
def _cholesky(args: Args, params: Any, shape: Any) -> Expr | None:
    if not params[0] or args[0].rank != 2:
        return None
    return product("ij->ji", [Call(row("linalg_cholesky"), (args[0],), (False,), tuple(shape))], shape)


@lifts("cholesky_inverse")
def _cholesky_inverse(args: Args, params: Any, shape: Any) -> Expr | None:
    if args[0].rank != 2 or not is_triangular(args[0], bool(params[0])):
        return None
    return inverse(product("ki,kj->ij" if params[0] else "ik,jk->ij", [args[0], args[0]], shape))


@lifts("cholesky_solve")
def _cholesky_solve(args: Args, params: Any, shape: Any) -> Expr | None:
    b, f = args
    inv = _cholesky_inverse([f], params, f.shape) if b.rank == 2 else None
    return None if inv is None else matmul([inv, b], shape)


@lifts("cofactor")
def _cofactor(args: Args, params: Any, shape: Any) -> Expr | None:
    a = args[0]
    if a.rank != 2:
        return None
    return product(",ji->ij", [Call(row("det"), (a,), (), ()), inverse(a)], shape)
