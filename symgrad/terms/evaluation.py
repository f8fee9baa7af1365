"""The value of a term, and along directions: each term's array once, products by contraction.

One index of a product is summed after the other, first that of the smallest product.

The idea to hold: a formula's arrays are small and its products long. NumPy's einsum forms such a product over all its
indices at once, or looks for an order longer than the product takes, anew each time; here the steps are remembered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError
from .._limits import bound
from .._trees import postorder
from ..core import (
    Tensor,
    applied,
    computed,
    edge,
    extra,
    make_leaf,
    params_in_numbers,
    rebind_to_arrays,
    recorded,
    wrap,
)
from ..sweep import grad as sweep_grad
from .node import Expr, Indices, Lin
from .normal_form import all_but, labels_at
from .sizes import parameter_at, shape_at, size_at

ContractionStep = tuple[Any, int, int, Any]
"""A function of two arrays and how, the places of the arrays; the result takes the first one's."""


def contract(parts: Sequence[tuple[np.ndarray, Indices]], rank: int) -> np.ndarray:
    """The sum of products of arrays over the indices from ``rank`` on; the others are the result's axes, in order."""
    arrays = [a for a, _ in parts]
    place = 0
    for step, place, other, how in _steps(tuple([s for _, s in parts]), tuple([a.shape for a in arrays]), rank):
        arrays[place] = step(arrays[place], arrays[other], how)
    return np.asarray(arrays[place])


def stretched(array: np.ndarray, labels: Indices, out: Indices) -> np.ndarray:
    """An array with its axes where ``out`` has their labels, of size 1 where it has none; a label twice: a diagonal."""
    if labels == out:
        return array
    once = tuple(sorted(set(labels)))
    if len(once) < len(labels):
        array, labels = _diagonal(array, array, (list(labels), list(once))), once
    return np.asarray(_spread(array, array, _stretch(labels, out)))


@lru_cache(maxsize=_limits.CONTRACTIONS)
def _stretch(labels: Indices, out: Indices) -> tuple[Any, Any]:
    order = sorted(range(len(labels)), key=lambda k: out.index(labels[k]))
    spread = tuple([slice(None) if k in labels else None for k in out])
    return (None if order == list(range(len(order))) else order), (... if None not in spread else spread)


@lru_cache(maxsize=_limits.CONTRACTIONS)
def _steps(labels: tuple[Indices, ...], shapes: tuple[tuple[int, ...], ...], rank: int) -> list[ContractionStep]:
    """The steps of a product: what is read at the same indices is one array, then index after index goes."""
    steps: list[ContractionStep] = []
    sizes = {k: n for s, shape in zip(labels, shapes, strict=True) for k, n in zip(s, shape, strict=True)}
    groups: dict[Indices, int] = {}  # places by indices, which ascend

    def put(place: int, s: Indices) -> None:
        order = tuple(sorted(set(s)))
        if len(order) < len(s):
            steps.append((_diagonal, place, place, (list(s), list(order))))
        elif order != s:
            steps.append((_transposed, place, place, [s.index(k) for k in order]))
        known = groups.setdefault(order, place)
        if known != place:
            steps.append((_times, known, place, (None, None)))

    for place, s in enumerate(labels):
        put(place, s)
    while summed := {k for s in groups for k in s if k >= rank}:
        holders = {k: [s for s in groups if k in s] for k in summed}
        k = min(summed, key=lambda k: (prod([sizes[i] for i in set().union(*holders[k])]), k))
        first, *others = sorted(holders[k], key=lambda s: (prod([sizes[i] for i in s]), s))
        place = groups.pop(first)
        if not others:
            steps.append((_sum, place, place, first.index(k)))
            put(place, tuple([i for i in first if i != k]))
            continue
        second = groups.pop(others[0])
        kept = {i for s in groups for i in s} | set(range(rank))
        how, made = _product(first, others[0], kept, sizes)
        steps.append((*how[:1], place, second, how[1]))
        put(place, made)
    (s, place), *rest = sorted(groups.items(), key=lambda item: len(item[0]))
    every = tuple(range(rank))
    steps.append((_spread, place, place, _stretch(s, every)))
    return steps + [(_times, place, other, (None, _stretch(t, every))) for t, other in rest]


def _product(s: Indices, t: Indices, kept: set[int], sizes: dict[int, int]) -> tuple[tuple[Any, Any], Indices]:
    """How two arrays are multiplied, with what is not ``kept`` summed, and the indices of the result."""
    inner = [k for k in s if k in t and k not in kept]
    if not inner:
        labels = tuple(sorted({*s, *t}))
        return (_times, (_stretch(s, labels), _stretch(t, labels))), labels
    stack = [k for k in s if k in t and k in kept]
    left, right = [k for k in s if k not in t], [k for k in t if k not in s]
    orders = [s.index(k) for k in (*stack, *left, *inner)], [t.index(k) for k in (*stack, *inner, *right)]
    made = (*stack, *left, *right)
    if not stack and len(inner) == 1 and len(left) < 2 and len(right) < 2:
        return (_dot, orders), made
    lead, (n, m, k) = [sizes[i] for i in stack], [prod([sizes[i] for i in part]) for part in (left, inner, right)]
    return (_matmul, (*orders, (*lead, n, m), (*lead, m, k), [sizes[i] for i in made])), made


def _diagonal(a: Any, _: Any, how: Any) -> Any:
    return np.einsum(a, *how)


def _transposed(a: Any, _: Any, order: Any) -> Any:
    return a.transpose(order)


def _sum(a: Any, _: Any, axis: int) -> Any:
    return a.sum(axis)


def _spread(a: Any, _: Any, how: Any) -> Any:
    order, spread = how
    return (a if order is None else a.transpose(order))[spread]


def _times(a: Any, b: Any, how: Any) -> Any:
    first, second = how
    return (a if first is None else _spread(a, a, first)) * (b if second is None else _spread(b, b, second))


def _dot(a: Any, b: Any, orders: Any) -> Any:
    return np.asarray(a.transpose(orders[0]).dot(b.transpose(orders[1])))


def _matmul(a: Any, b: Any, how: Any) -> Any:
    first, second, rows, columns, shape = how
    return np.matmul(a.transpose(first).reshape(rows), b.transpose(second).reshape(columns)).reshape(shape)


# ------------------------------------------- Numbers for Jacobians that have no formula: the table's rule, row by row


def placeholder(name: str, value: Any) -> Tensor:
    """A leaf tensor that stands for an operand."""
    array = np.asarray(value)
    t = wrap(_as_floats(array))
    extra(t).name = name
    return make_leaf(t)


@recorded
def jacobian_value(op: Any, params: tuple[Any, ...], out: int | None, wrt: int, args: list[np.ndarray]) -> np.ndarray:
    """The Jacobian of an operation (of output ``out``) at given operands: the result's axes, then the operand's."""
    leaves = [placeholder(f"a{k}", a) if k == wrt else wrap(np.asarray(a)) for k, a in enumerate(args)]
    result = applied(op, leaves, params)
    y = result if out is None else result[out]
    rows = []
    for place in np.ndindex(*y._data.shape):
        seed = np.zeros(y._data.shape)
        seed[place] = 1
        row = None
        if edge(y) is not None:
            (row,) = sweep_grad(
                [y], [leaves[wrt]], [placeholder("g", seed).detach()], retain_graph=True, allow_unused=True
            )
        rows.append(np.zeros(args[wrt].shape) if row is None else row._data)
    return np.array(rows).reshape((*y._data.shape, *args[wrt].shape))


# ----------------------------------------------------------------------------------------------- The value of a term
#
# Linear operations are run, not multiplied out: their arrays are formed only where both sides stay open.


class TooLarge(FormulaError):
    """An evaluation would need an array of too many entries."""


def evaluate(root: Expr, values: dict[str, Any]) -> np.ndarray:
    """The value of a term where each symbol has the value given, and each named size n the length ``#n``."""
    return value_in(root, all_values([root], values))


EVALUATED = bound(30_000_000)
"""Entries of the largest array that an evaluation of a formula forms."""


def all_values(roots: Sequence[Expr], values: dict[str, Any]) -> dict[Any, Any]:
    """The values of terms and of all below them, by their ids; a linear operation is left to who needs it.

    Beside them, as ``sizes``, the lengths of the named sizes.
    """
    sizes = {name[1:]: round(float(n)) for name, n in values.items() if name[:1] == "#"}  # of a point moved a hair
    results: dict[Any, Any] = {"sizes": sizes}
    with np.errstate(all="ignore"):
        for term in postorder(*roots):
            if term.kind == "lin":
                continue
            shape = shape_at(term.shape, sizes)
            if math.prod(shape) > EVALUATED:
                raise TooLarge(f"an array of shape {shape} is too large to form", "", "Use a smaller example.")
            results[id(term)] = _VALUE[term.kind](term, results, values)
    return results


def value_in(term: Any, results: Any) -> np.ndarray:
    """The array of a term; a linear operation's only now that it is asked for."""
    return matrix_of_linear(_there(term, results)) if term.kind == "lin" else np.asarray(results[id(term)])


def _there(lin: Any, results: Any) -> Any:
    """A linear operation where the named sizes have their lengths."""
    sizes = results["sizes"]
    inside, params = shape_at(lin.in_shape, sizes), _parameters(lin, results)
    if (inside, params) == (lin.in_shape, lin.params):
        return lin
    return Lin(lin.op, params, np.shape(lin.op.forward(np.zeros(inside), *params)), inside)


def _var(term: Any, results: Any, values: dict[str, Any]) -> np.ndarray:
    name = "#" + term.name if "size" in term.properties else term.name
    if name not in values:
        raise FormulaError(f"the symbol {term.name!r} has no value", "", f"Give it one: f({term.name}=…).")
    value = np.asarray(values[name])
    if value.shape != term.shape:
        shape = shape_at(term.shape, results["sizes"])
        value = value.reshape(shape) if value.size == math.prod(shape) else value
    return value


def _ein(term: Any, results: Any, values: Any) -> np.ndarray:
    parts = [(f, None if f.kind == "lin" else results[id(f)], s) for f, s in term.factors]
    return product(term.coef, parts, term.rank, results)


_WHOLE = bound(1 << 53)
"""Whole numbers up to which each is a float."""


def _in_floats(coef: Any) -> Any:
    """An exact number as NumPy multiplies by it."""
    return float(coef) if isinstance(coef, Fraction) or (isinstance(coef, int) and abs(coef) > _WHOLE) else coef


def product(coef: Any, parts: list[Any], rank: int, results: Any) -> np.ndarray:
    """A number times factors over indices: terms with their arrays (none for a linear operation, no term for what is
    no term's value), and where they are read."""
    coef = _in_floats(coef)
    if not parts:
        return np.asarray(coef)
    while True:
        place = next((i for i, (f, a, _) in enumerate(parts) if a is None), None)
        if place is None:
            break
        lin, _, s = parts[place]
        parts = _run_linear([*parts[:place], (_there(lin, results), None, s), *parts[place + 1 :]], place, rank)
    parts, divisors = _without_divisors(parts, rank, results)
    out = contract([(_truths_as_floats(a), s) for _, a, s in parts], rank)
    out = out * coef if coef != 1 else out
    for divisor in divisors:
        out = out / divisor
    diagonals = [(a, s) for f, a, s in parts if f is not None and f.kind == "delta" and max(s) < rank]
    if diagonals and not np.isfinite(out).all():  # beside a diagonal is 0, whatever is on it
        for a, s in diagonals:
            out = np.where(broadcast(a, s, rank), out, 0.0)
    return out


def _without_divisors(parts: list[Any], rank: int, results: Any) -> tuple[list[Any], list[np.ndarray]]:
    """The factors that are multiplied, and what is divided by: a/b is not a times 1/b to the last digit."""
    kept: list[Any] = []
    divisors: list[np.ndarray] = []
    for place, (f, a, s) in enumerate(parts):
        inverse = f is not None and f.exponent == -1
        rest = {k for _, _, t in (*kept, *parts[place + 1 :]) for k in t if k < rank} if inverse else set()
        if inverse and len(set(s)) == len(s) and rest.issuperset(s):
            base, inside = f.args[0]
            value = _as_floats(value_in(base, results))
            divisors.append(broadcast(value, labels_at(s, inside), rank))
        else:
            kept.append((f, a, s))
    return (kept, divisors) if kept else (parts, [])


def _run_linear(parts: list[Any], place: int, rank: int) -> list[Any]:
    """Replace a linear operation and its operand by the result; its array where it has no single operand."""
    lin, _, labels = parts[place]
    out, inside = labels[: lin.out_rank], labels[lin.out_rank :]
    for side, other, forward in ((inside, out, True), (out, inside, False)):
        users = [i for i, (_, a, s) in enumerate(parts) if i != place and set(s) & set(side)]
        if (
            len(users) != 1
            or len(set(side)) < len(side)
            or any(k < rank for k in side)
            or not set(side).isdisjoint(other)
        ):
            continue
        _, a, s = parts[users[0]]
        if a is None or not set(side) <= set(s) or len(set(s)) < len(s):
            continue
        rest = [k for k in s if k not in side]
        if set(rest) & set(other):
            continue
        moved = np.transpose(a, [s.index(k) for k in (*rest, *side)])
        value = run_each(lin, moved, len(rest), forward)
        return [*all_but(parts, place, users[0]), (None, value, (*rest, *other))]
    return [*parts[:place], (lin, matrix_of_linear(lin), labels), *parts[place + 1 :]]


def run_each(lin: Any, array: np.ndarray, lead: int, forward: bool) -> np.ndarray:
    """The operation (or its transpose) on each of a stack of arrays."""
    run = _forward if forward else _transpose
    if not lead:
        return run(lin, array)
    count, shape = math.prod(array.shape[:lead]), tuple(map(int, lin.out_shape if forward else lin.in_shape))
    places = sources(lin) if count > 1 else None
    if places is not None:
        return _moved_each(array.reshape(count, -1), places, math.prod(shape), forward).reshape(
            *array.shape[:lead], *shape
        )
    out = [run(lin, a) for a in array.reshape(count, *array.shape[lead:])]
    return np.stack(out).reshape(*array.shape[:lead], *shape) if out else np.zeros((*array.shape[:lead], *shape))


def _moved_each(flat: np.ndarray, places: np.ndarray, size: int, forward: bool) -> np.ndarray:
    """The entries of each of a stack, in flat order, where an operation (or its transpose) moves them."""
    found = np.zeros((len(flat), size), float if flat.dtype.kind == "b" else flat.dtype)
    there = np.flatnonzero(places >= 0)
    if forward:
        found[:, there] = flat[:, places[there]]
    elif len(np.unique(places[there])) == len(there):
        found[:, places[there]] = flat[:, there]
    else:
        np.add.at(found.T, places[there], flat.T[there])
    return found


def sources(lin: Any) -> np.ndarray | None:
    """Per place of the result the place of the operand that it takes its entry from, -1 for zeros; None if it does
    more than move entries. Both are counted in flat order."""
    if "sources" not in lin.memo:
        lin.memo["sources"] = _sources(lin)
    return lin.memo["sources"]


def _sources(lin: Any) -> np.ndarray | None:
    inside = tuple(map(int, lin.in_shape))
    n = math.prod(inside)
    run = lin.op.forward
    params = params_in_numbers(lin.params)
    with np.errstate(all="ignore"):
        numbers = np.asarray(run((np.arange(n, dtype=float) + 1).reshape(inside), *params)).reshape(-1)
        probe = (np.arange(n, dtype=float) * 0.618033988749895 % 1.0 + 0.5).reshape(inside)
        seen = np.asarray(run(probe.copy(), *params)).reshape(-1)
        if numbers.dtype.kind == "c":  # it computes
            return None
        places = numbers.astype(np.int64) - 1
    if n == 0 or bool((places != numbers - 1).any()) or bool(((places < -1) | (places >= n)).any()):
        return None
    expected = np.where(places >= 0, probe.reshape(-1)[places], 0.0)
    return places if np.array_equal(expected, seen) else None


def _forward(lin: Any, a: np.ndarray) -> np.ndarray:
    return np.asarray(computed(lin.op, [_truths_as_floats(a)], lin.params))


def _transpose(lin: Any, g: np.ndarray) -> np.ndarray:
    g = _truths_as_floats(g)  # truth values that meet are numbers that add up
    rule = rebind_to_arrays(lin.op.rules[0])
    named = dict(lin.op.named(params_in_numbers(lin.params)))
    known = {"g": g, "shape": tuple(map(int, lin.in_shape)), **named}
    out = rule(*[known[name] for name in lin.op.rule_args[0]])
    return np.asarray(out).reshape(tuple(map(int, lin.in_shape)))


def matrix_of_linear(lin: Any) -> np.ndarray:
    inside, out = tuple(map(int, lin.in_shape)), tuple(map(int, lin.out_shape))
    n, m = math.prod(inside), math.prod(out)
    if n * m > EVALUATED:
        raise TooLarge(f"the array of '{lin.op.label}' is too large to form", "", "Use a smaller example.")
    if m < n:
        return run_each(lin, np.eye(m).reshape(m, *out), 1, False).reshape((*out, *inside))
    rows = run_each(lin, np.eye(n).reshape(n, *inside), 1, True)
    return np.moveaxis(rows, 0, -1).reshape((*out, *inside))


def broadcast(value: np.ndarray, labels: Indices, rank: int) -> np.ndarray:
    """An operand with its axes where its labels say, of size 1 where it has none."""
    return stretched(value, labels, tuple(range(rank)))


def _add(term: Any, results: Any, values: Any) -> np.ndarray:
    return summed([(c, value_in(t, results), s) for c, t, s in term.terms], term.rank)


def summed(terms: list[Any], rank: int) -> np.ndarray:
    """The sum of numbers times arrays, each with its axes where its labels say."""
    out: Any = 0
    for c, a, s in terms:
        c = _in_floats(c)
        out = out + (c * broadcast(a, s, rank) if c != 1 else broadcast(a, s, rank))
    return np.asarray(out)


def _map(term: Any, results: Any, values: Any) -> np.ndarray:
    args = [broadcast(value_in(a, results), s, term.rank) for a, s in term.args]
    exponent = term.exponent
    if exponent != 1:
        base = _as_floats(args[0])
        return (
            np.sqrt(base)
            if exponent == Fraction(1, 2)
            else base ** (float(exponent) if isinstance(exponent, Fraction) else exponent)
        )
    if term.operation in _BOOLEAN:
        args = [_truth(a) for a in args]
    else:
        keep = "fcb" if term.op.kind == "constant" else "fc"
        first = [_truth(args[0])] if term.operation == "where" else []
        args = [*first, *[_as_floats(a, keep) for a in args[len(first) :]]]
    return np.asarray(term.op.forward(*args, *term.params))


def _as_floats(a: np.ndarray, kept: str = "fc") -> np.ndarray:
    """An array of floats, unless its dtype is one of those that are kept."""
    return a if a.dtype.kind in kept else a.astype(float)


def _truths_as_floats(a: np.ndarray) -> np.ndarray:
    return a.astype(float) if a.dtype.kind == "b" else a


def _truth(a: np.ndarray) -> np.ndarray:
    """An operand of a bitwise operation, which takes no floats: whole numbers, or truths, whose products are floats."""
    if a.dtype.kind != "f":
        return a
    return a.astype(bool) if bool(((a == 0) | (a == 1)).all()) else a.astype(np.int64)


_BOOLEAN = frozenset(["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"])


def with_places(term: Any, args: list[np.ndarray]) -> list[np.ndarray]:
    """A call's operands as its row takes them: places are whole numbers, where formulas compute with floats and truths;
    a mask is not computed."""
    for k in term.op.places:
        a = args[k]
        if term.op.masks:  # one that picks nothing is a product with 0
            args[k] = _truth(a)
        if args[k].dtype == bool and (term.op.masks or term.args[k].kind in ("data", "var")):
            continue
        args[k] = a.astype(np.int64)
        if a.dtype.kind == "f" and not np.array_equal(args[k], a):
            raise FormulaError(
                f"an index of {term.op.label} is no whole number", f"It is {np.array2string(a, threshold=6)}.",
                "Give its symbols whole numbers.",
            )  # fmt: skip
    return args


def _call(term: Any, results: Any, values: Any) -> Any:
    args = with_places(term, [value_in(a, results) for a in term.args])
    if term.operation in _BOOLEAN:
        args = [_truth(a) for a in args]
    elif term.op.kind != "constant":
        args = [a if k in term.op.places else _truths_as_floats(a) for k, a in enumerate(args)]
    value = computed(term.op, args, _parameters(term, results))
    return np.asarray(value if term.out is None else value[term.out])


def _parameters(term: Any, results: Any) -> tuple[Any, ...]:
    return tuple([parameter_at(p, results["sizes"]) for p in term.params])


def _jac(term: Any, results: Any, values: Any) -> np.ndarray:
    call = term.call
    args = with_places(call, [value_in(a, results) for a in call.args])
    return jacobian_value(call.op, _parameters(call, results), call.out, term.wrt, args)


_VALUE: dict[str, Any] = {
    "var": _var, "ein": _ein, "add": _add, "map": _map, "call": _call, "jac": _jac,
    "data": lambda t, r, v: t.value,
    "one": lambda t, r, v: np.ones(size_at(t.shape[0], r["sizes"])),
    "delta": lambda t, r, v: np.eye(size_at(t.shape[0], r["sizes"])),
}  # fmt: skip


# -------------------------------- The value of a term along directions: some of its axes contracted with given arrays
#
# The idea to hold: the axes of a derivative mostly go through a product in one factor. So they are contracted there,
# and further down, and no array of all the axes of a Hessian is formed.


Open = tuple[Indices, ...]
"""Per direction the axes of a term that are contracted with it; none where the term does not have them."""


def evaluate_along(root: Expr, values: dict[str, Any], directions: Sequence[tuple[np.ndarray, Indices]]) -> np.ndarray:
    """The value of a term, axes contracted with arrays: pairs of an array and the axes that are its own."""
    if not directions:
        return evaluate(root, values)
    arrays = [array for array, _ in directions]
    whole = _Contracted(root, tuple([axes for _, axes in directions]), {})
    parts = list(postorder(whole))
    results = all_values([p.term for p in parts if not any(p.open)], values)
    for part in parts:
        if any(part.open):
            results[part.key] = part.value(results, arrays)
    return np.asarray(results[whole.key])


class _Contracted:
    """A term some of whose axes are contracted."""

    def __init__(self, term: Expr, axes: Open, known: dict[Any, _Contracted]) -> None:
        self.term, self.open, self.known = term, axes, known
        self.key: Any = (id(term), axes) if any(axes) else id(term)

    @cached_property
    def children(self) -> tuple[_Contracted, ...]:
        """What it is made of: the operands, with the axes that are contracted in them; of another term that term."""
        return tuple([self._known(t, axes) for t, _, axes in self.operands]) if any(self.open) else ()

    def _known(self, term: Expr, axes: Open) -> _Contracted:
        made = _Contracted(term, axes, self.known)
        return self.known.setdefault(made.key, made)

    @cached_property
    def operands(self) -> list[tuple[Expr, Indices, Open]]:
        """Each operand, where it is read, and what is contracted in it."""
        term: Any = self.term
        if term.kind == "add":
            return [(t, s, tuple([_within(axes, s) for axes in self.open])) for _, t, s in term.terms]
        if term.kind != "ein":
            return [(term, term.axes, ((),) * len(self.open))]
        wanted = {k: n for n, axes in enumerate(self.open) for k in axes}
        read = [{wanted[k] for k in s if k in wanted} for _, s in term.factors]  # which directions' axes a factor has
        often = [n for directions in read for n in directions]
        return [
            (f, s, tuple([_within(axes, s) if n in here and often.count(n) == 1 and f.kind != "lin" else ()
                          for n, axes in enumerate(self.open)]))
            for (f, s), here in zip(term.factors, read, strict=True)
        ]  # fmt: skip

    def value(self, results: dict[Any, Any], arrays: list[np.ndarray]) -> np.ndarray:
        """The array that is left: the axes of the term that are not contracted, in order."""
        term: Any = self.term
        gone = {k for axes in self.open for k in axes}
        rank = term.rank - len(gone)
        inner = range(term.rank, len(term.dims)) if term.kind == "ein" else ()
        place = {k: i for i, k in enumerate([*[k for k in range(term.rank) if k not in gone], *gone, *inner])}
        parts = []
        for child, (t, s, inside) in zip(self.children, self.operands, strict=True):
            closed = {i for axes in inside for i in axes}
            labels = tuple([place[k] for i, k in enumerate(s) if i not in closed])
            array = None if t.kind == "lin" and not closed else results[child.key]
            parts.append((None if closed else t, array, labels))
        open_in = [inside for _, _, inside in self.operands]
        if term.kind == "add":
            pieces = [_piece([p, *self._left([o], arrays, place)], rank, results) for p, o in zip(parts, open_in)]
            return summed([(c, *piece) for (c, _, _), piece in zip(term.terms, pieces, strict=True)], rank)
        coef = term.coef if term.kind == "ein" else 1
        return product(coef, parts + self._left(open_in, arrays, place), rank, results)

    def _left(self, taken: list[Open], arrays: list[np.ndarray], place: dict[int, int]) -> list[Any]:
        """The directions that none of some operands has taken, as factors."""
        return [
            (None, array, labels_at(place, axes))
            for n, (array, axes) in enumerate(zip(arrays, self.open, strict=True))
            if axes and not any(inside[n] for inside in taken)
        ]


def _within(axes: Indices, labels: Indices) -> Indices:
    """Where an operand has axes; empty if it does not have all of them, or one twice."""
    return tuple([labels.index(k) for k in axes]) if all(labels.count(k) == 1 for k in axes) else ()


def _piece(factors: list[Any], rank: int, results: Any) -> tuple[np.ndarray, Indices]:
    """A term of a sum, contracted with directions of which it does not have the axes, and the axes that are left."""
    every = sorted({k for _, _, s in factors for k in s})
    kept = tuple([k for k in every if k < rank])
    names = {k: i for i, k in enumerate(every)}
    factors = [(f, a, labels_at(names, s)) for f, a, s in factors]
    return product(1, factors, len(kept), results), kept
