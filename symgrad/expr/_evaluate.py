"""The value of a term: each term's array once, products by contraction.

Linear operations are run, not multiplied out: their arrays are formed only where both sides stay open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError
from .._postorder import postorder
from ..core import computed, plain, rebind_to_arrays
from ._contraction import contract, stretched
from ._node import Expr, Indices, Lin
from ._resize import parameter_at, shape_at, size_at


class TooLarge(FormulaError):
    """An evaluation would need an array of too many entries."""


def evaluate(root: Expr, values: dict[str, Any]) -> np.ndarray:
    """The value of a term where each symbol has the value given, and each named size n the length ``#n``."""
    return value_in(root, evaluated([root], values))


def evaluated(roots: Sequence[Expr], values: dict[str, Any]) -> dict[Any, Any]:
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
            if math.prod(shape) > _limits.EVALUATED:
                raise TooLarge(f"an array of shape {shape} is too large to form", "", "Use a smaller example.")
            results[id(term)] = _VALUE[term.kind](term, results, values)
    return results


def value_in(term: Any, results: Any) -> np.ndarray:
    """The array of a term; a linear operation's only now that it is asked for."""
    return _matrix(_there(term, results)) if term.kind == "lin" else np.asarray(results[id(term)])


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


def product(coef: Any, parts: list[Any], rank: int, results: Any) -> np.ndarray:
    """A number times factors over indices: terms with their arrays (none for a linear operation, no term for what is
    no term's value), and where they are read."""
    coef = float(coef) if isinstance(coef, Fraction) else coef
    if not parts:
        return np.asarray(coef)
    while True:
        place = next((i for i, (f, a, _) in enumerate(parts) if a is None), None)
        if place is None:
            break
        lin, _, s = parts[place]
        parts = _run_linear([*parts[:place], (_there(lin, results), None, s), *parts[place + 1 :]], place, rank)
    parts, divisors = _without_divisors(parts, rank, results)
    out = contract([(a.astype(float) if a.dtype.kind == "b" else a, s) for _, a, s in parts], rank)
    out = out * coef if coef != 1 else out
    for divisor in divisors:
        out = out / divisor
    return out


def _without_divisors(parts: list[Any], rank: int, results: Any) -> tuple[list[Any], list[np.ndarray]]:
    """The factors that are multiplied, and what is divided by: a/b is not a times 1/b to the last digit."""
    kept: list[Any] = []
    divisors: list[np.ndarray] = []
    for place, (f, a, s) in enumerate(parts):
        inverse = f is not None and f.kind == "map" and f.op.name == "pow_scalar" and f.params[0] == -1
        rest = {k for _, _, t in (*kept, *parts[place + 1 :]) for k in t if k < rank} if inverse else set()
        if inverse and len(set(s)) == len(s) and rest.issuperset(s):
            base, inside = f.args[0]
            value = value_in(base, results)
            value = value if value.dtype.kind in "fc" else value.astype(float)
            divisors.append(broadcast(value, tuple([s[k] for k in inside]), rank))
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
        value = _run_each(lin, moved, len(rest), forward)
        kept = [p for i, p in enumerate(parts) if i not in (place, users[0])]
        return [*kept, (None, value, (*rest, *other))]
    return [*parts[:place], (lin, _matrix(lin), labels), *parts[place + 1 :]]


def _run_each(lin: Any, array: np.ndarray, lead: int, forward: bool) -> np.ndarray:
    """The operation (or its transpose) on each of a stack of arrays."""
    run = _forward if forward else _transpose
    if not lead:
        return run(lin, array)
    flat = array.reshape(math.prod(array.shape[:lead]), *array.shape[lead:])
    shape = tuple(map(int, lin.out_shape if forward else lin.in_shape))
    out = [run(lin, a) for a in flat]
    return np.stack(out).reshape(*array.shape[:lead], *shape) if out else np.zeros((*array.shape[:lead], *shape))


def _forward(lin: Any, a: np.ndarray) -> np.ndarray:
    a = a.astype(float) if a.dtype.kind == "b" else a
    return np.asarray(computed(lin.op, [a], lin.params))


def _transpose(lin: Any, g: np.ndarray) -> np.ndarray:
    g = g.astype(float) if g.dtype.kind == "b" else g  # truth values that meet are numbers that add up
    rule = rebind_to_arrays(lin.op.rules[0])
    named = dict(lin.op.named(plain(lin.params)))
    known = {"g": g, "shape": tuple(map(int, lin.in_shape)), **named}
    out = rule(*[known[name] for name in lin.op.rule_args[0]])
    return np.asarray(out).reshape(tuple(map(int, lin.in_shape)))


def _matrix(lin: Any) -> np.ndarray:
    inside, out = tuple(map(int, lin.in_shape)), tuple(map(int, lin.out_shape))
    n = math.prod(inside)
    if n * math.prod(out) > _limits.EVALUATED:
        raise TooLarge(f"the array of '{lin.op.label}' is too large to form", "", "Use a smaller example.")
    rows = _run_each(lin, np.eye(n).reshape(n, *inside), 1, True)
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
        c = float(c) if isinstance(c, Fraction) else c
        out = out + (c * broadcast(a, s, rank) if c != 1 else broadcast(a, s, rank))
    return np.asarray(out)


def _map(term: Any, results: Any, values: Any) -> np.ndarray:
    args = [broadcast(value_in(a, results), s, term.rank) for a, s in term.args]
    if term.op.name == "pow_scalar":
        exponent = term.params[0]
        base = args[0] if args[0].dtype.kind in "fc" else args[0].astype(float)
        return (
            np.sqrt(base)
            if exponent == Fraction(1, 2)
            else base ** (float(exponent) if isinstance(exponent, Fraction) else exponent)
        )
    if term.op.name in _BOOLEAN:
        args = [_truth(a) for a in args]
    else:
        keep = "fcb" if term.op.kind == "constant" else "fc"
        first = [_truth(args[0])] if term.op.name == "where" else []
        args = [*first, *[a if a.dtype.kind in keep else a.astype(float) for a in args[len(first) :]]]
    return np.asarray(term.op.forward(*args, *term.params))


def _truth(a: np.ndarray) -> np.ndarray:
    """An operand of a bitwise operation: products of truth values are numbers here."""
    if a.dtype.kind != "f":
        return a
    return a.astype(bool) if bool(((a == 0) | (a == 1)).all()) else a.astype(np.int64)


_BOOLEAN = frozenset(["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"])


def with_places(term: Any, args: list[np.ndarray]) -> list[np.ndarray]:
    """A call's operands as its row takes them: places are whole numbers, where formulas compute with floats and truths;
    a mask is not computed."""
    for k in term.op.places:
        a = args[k]
        if a.dtype == bool and (term.op.masks or term.args[k].kind in ("data", "var")):
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
    if term.op.kind != "constant":
        args = [a.astype(float) if a.dtype.kind == "b" and k not in term.op.places else a for k, a in enumerate(args)]
    value = computed(term.op, args, _parameters(term, results))
    return np.asarray(value if term.out is None else value[term.out])


def _parameters(term: Any, results: Any) -> tuple[Any, ...]:
    return tuple([parameter_at(p, results["sizes"]) for p in term.params])


def _jac(term: Any, results: Any, values: Any) -> np.ndarray:
    from ._opaque import jacobian_value

    call = term.call
    args = with_places(call, [value_in(a, results) for a in call.args])
    return jacobian_value(call.op, _parameters(call, results), call.out, term.wrt, args)


_VALUE: dict[str, Any] = {
    "var": _var, "ein": _ein, "add": _add, "map": _map, "call": _call, "jac": _jac,
    "data": lambda t, r, v: t.value,
    "one": lambda t, r, v: np.ones(size_at(t.shape[0], r["sizes"])),
    "delta": lambda t, r, v: np.eye(size_at(t.shape[0], r["sizes"])),
}  # fmt: skip
