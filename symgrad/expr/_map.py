"""Element-wise operations in normal form: numbers folded, powers of powers and of products, even and odd functions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from .. import _limits
from ._add import UNIT, shaped_sum
from ._canonical import is_symmetric
from ._ein import connected, constant_of, ein, number, row, shaped
from ._node import Add, Call, Data, Ein, Expr, Indices, Map, Number, One, Var
from ._number import exact, power, tidy
from ._orient import ascending
from ._reals import is_real
from ._weight import is_negative


def map_(op: Any, args: Any, params: tuple[Any, ...], out: Indices) -> Expr:
    """The element-wise operation ``op`` on pairs of a term and its labels, with the axes ``out``."""
    if op.name == "pow_scalar":
        base, labels = args[0]
        exponent = exact(params[0])
        if exponent is not None:
            return ein(1, [(pow_(base, exponent), labels)], out)
    if op.name == "pow_tensor" and constant_of(args[1][0]) is not None:
        base, labels = args[0]
        sizes = {label: n for a, s in args for label, n in zip(s, a.shape, strict=True)}
        return ein(1, [(pow_(base, constant_of(args[1][0])), labels)], out, {k: sizes[k] for k in out})  # type: ignore[arg-type]
    places = {label: i for i, label in enumerate(out)}
    args = [(a, tuple([places[label] for label in s])) for a, s in args]
    out = tuple(range(len(out)))
    sizes = {label: n for a, s in args for label, n in zip(s, a.shape, strict=True)}
    args = [_argument(a, s) for a, s in args]
    labels = tuple(dict.fromkeys([label for _, s in args for label in s]))
    inside = tuple([label for label in out if label in labels])
    term = _fold(op, args, params) if not labels else None
    if term is None:
        term = _shorter(op, args, params, inside, sizes)
    if term is None:
        names = {label: i for i, label in enumerate(inside)}
        local = tuple([(a, tuple([names[label] for label in s])) for a, s in args])
        term = Map(op, local, params, tuple([sizes[label] for label in inside]))
    return term if inside == out else ein(1, [(term, inside)], out, {k: sizes[k] for k in out})


def _argument(a: Expr, s: Indices) -> tuple[Expr, Indices]:
    """An operand without broadcasting of its own, its labels ascending where it has no order of its own."""
    if isinstance(a, One):
        return UNIT, ()
    if isinstance(a, Ein):
        rank = len(a.shape)
        if any(isinstance(f, One) and i[0] < rank for f, i in a.factors):
            bare = [(f, i) for f, i in a.factors if not (isinstance(f, One) and i[0] < rank)]
            used = {label for _, i in bare for label in i}
            keep = tuple([i for i in range(rank) if i in used])
            return _argument(ein(a.coef, bare, keep), tuple([s[i] for i in keep]))
        if (
            a.coef == 1
            and len(a.factors) == 1
            and len(set(a.factors[0][1])) == len(a.factors[0][1]) == rank == len(a.dims)
        ):
            f, labels = a.factors[0]  # a transposed array is read at other labels
            return _argument(f, tuple([s[k] for k in labels]))
        order = tuple(sorted(range(rank), key=s.__getitem__))
        if order != tuple(range(rank)):
            return ein(a.coef, a.factors, order), tuple([s[i] for i in order])
    if len(s) == 2 and s[0] > s[1] and is_symmetric(a):
        return a, (s[1], s[0])
    return ascending(a, s) if len(s) > 1 else (a, s)


def _fold(op: Any, args: Any, params: tuple[Any, ...]) -> Expr | None:
    """The number that an operation on numbers is, where it is exact or a plain float."""
    values = [constant_of(a) for a, _ in args]
    if any(v is None for v in values) or op.outputs:
        return None
    try:
        with np.errstate(all="ignore"):
            floats = [np.asarray(v if isinstance(v, complex) else float(v)) for v in values]  # type: ignore[arg-type]
            value = np.asarray(op.forward(*floats, *params))
    except Exception:  # an operation that cannot run on numbers stays as it is
        return None
    folded = exact(value[()]) if value.dtype.kind in "biufc" else None
    if folded is None:
        return Data(value)
    if isinstance(folded, float):  # sqrt(2), exp(1): the operation says more than its digits
        return None
    return number(folded)


def is_condition(a: Expr) -> bool:
    """Whether a term is a truth value."""
    return isinstance(a, Map) and bool(a.op.truth)


def _shorter(op: Any, args: Any, params: tuple[Any, ...], out: Indices, sizes: dict[int, int]) -> Expr | None:
    if (
        op.name == "gt"
        and isinstance(args[0][0], Map)
        and args[0][0].op.name == "relu"
        and constant_of(args[1][0]) == 0
    ):
        inner, t = args[0][0].args[0]  # relu(x) > 0 is x > 0
        return map_(op, [(inner, tuple([args[0][1][i] for i in t])), args[1]], params, out)
    if op.name == "where" and args[1][0] is args[2][0] and args[1][1] == args[2][1]:
        return ein(1, [args[1]], out, {k: sizes[k] for k in out})  # where(c, a, a) is a
    if op.name in _FLIPPED:
        return _comparison(op, args, out)
    if len(args) != 1:
        return None
    a, s = args[0]
    name = op.name
    if isinstance(a, Map) and op.undoes == a.op.name and (is_real(a) or not op.domain):  # log(eᶻ) is z plus 2πi·k
        inner, t = a.args[0]
        return ein(1, [(inner, tuple([s[i] for i in t]))], out)
    if op.odd or op.even:
        sign, positive = without_sign(a)
        if sign < 0:
            term = map_(op, [(positive, s)], params, out)
            return ein(-1, [(term, out)], out) if op.odd else term
    if name == "abs":
        if is_nonnegative(a):
            return ein(1, [(a, s)], out)
        if isinstance(a, Map) and a.op.name == "abs":
            return ein(1, [(a, s)], out)
    return None


_FLIPPED = {"gt": "lt", "lt": "gt", "ge": "le", "le": "ge"}


def _comparison(op: Any, args: Any, out: Indices) -> Expr | None:
    """A comparison with a number on the right, nothing but symbols on the left: 1 - x > 0 is x < 1."""
    (a, s), (b, t) = args
    left, right = constant_of(a), constant_of(b)
    if left is not None and right is None:
        return map_(row(_FLIPPED[op.name]), [(b, t), (a, s)], (), out)
    if right is None or isinstance(right, complex):
        return None
    if isinstance(a, Ein) and a.factors and a.coef not in (0, 1) and not isinstance(a.coef, complex):
        bare = shaped(a.shape, 1, a.factors)
        bound = Fraction(right) / Fraction(a.coef) if _all_exact(right, a.coef) else right / a.coef
        name = op.name if a.coef > 0 else _FLIPPED[op.name]
        return map_(row(name), [(bare, s), (number(bound), ())], (), out)
    if isinstance(a, Add):
        constants = [c for c, u, i in a.terms if u is UNIT]
        if constants and not isinstance(constants[0], complex):
            bare = shaped_sum(a.shape, [x for x in a.terms if x[1] is not UNIT])
            return map_(op, [(bare, s), (number(right - constants[0]), ())], (), out)
    return None


def _all_exact(*values: Number) -> bool:
    return all(isinstance(v, (int, Fraction)) for v in values)


def without_sign(a: Expr) -> tuple[int, Expr]:
    """A term as a sign and a term that does not begin with a minus."""
    if isinstance(a, Ein) and is_negative(a.coef):
        return -1, ein(-1, [(a, tuple(range(a.rank)))], tuple(range(a.rank)))
    return 1, a


def is_nonnegative(a: Expr) -> bool:
    """Whether every entry is plainly at least 0 (or not a number)."""
    known: bool | None = a.memo.get("nonnegative")
    if known is None:  # in a loop each state has the one before in several places
        known = a.memo["nonnegative"] = _is_nonnegative(a)
    return known


def _is_nonnegative(a: Expr) -> bool:
    if not is_real(a):  # eᶻ and √z have a sign for real numbers only
        return False
    if isinstance(a, Var):
        return bool(a.properties & {"positive", "size", "onehot"}) and not a.properties & {"psd"}
    if isinstance(a, Ein):
        return not isinstance(a.coef, complex) and a.coef >= 0 and all(is_nonnegative(f) for f, _ in a.factors)
    if isinstance(a, Add):
        return all(not isinstance(c, complex) and c >= 0 and is_nonnegative(t) for c, t, _ in a.terms)
    if isinstance(a, Map):
        if a.op.name == "pow_scalar":
            e = a.params[0]
            even = isinstance(e, int) and e % 2 == 0
            return even or (isinstance(e, Fraction) and e.denominator % 2 == 0) or is_nonnegative(a.args[0][0])
        return bool(a.op.sign)
    if isinstance(a, Data):
        return a.value.dtype.kind in "biuf" and bool((a.value >= 0).all())
    return a.kind in ("one", "delta") or (isinstance(a, Call) and bool(a.op.sign))


def pow_(base: Expr, exponent: Number) -> Expr:
    """``base**exponent``, entry by entry."""
    rank = base.rank
    every = tuple(range(rank))
    exponent = tidy(exponent)
    if exponent == 1:
        return base
    if exponent == 0:
        return shaped(base.shape, 1, [])
    if isinstance(base, (One,)):
        return base
    if isinstance(base, Var) and "sign" in base.properties and isinstance(exponent, int):
        return pow_(base, 0) if exponent % 2 == 0 else base
    if isinstance(base, Var) and base.properties & {"onehot", "truth"} and isinstance(exponent, int) and exponent > 0:
        return base
    if isinstance(base, Ein):
        if base.coef == 0 and not isinstance(exponent, complex) and exponent > 0:
            return base
        bare, kept = _argument(base, every)
        if len(kept) < rank:  # broadcast afterwards
            return shaped(base.shape, 1, [(pow_(bare, exponent), kept)])
        split = _power_of_product(base, exponent)
        if split is not None:
            return split
    if isinstance(base, Map):
        if base.op.kind == "constant" and isinstance(exponent, int) and exponent > 0:  # 0 and 1 are their own squares
            return base
        name, (operand, s) = base.op.name, base.args[0]
        inner = ein(1, [(operand, s)], every) if len(s) == rank and s != every else operand
        if name == "pow_scalar":
            e = base.params[0]
            if isinstance(exponent, int) and isinstance(e, (int, Fraction)):
                return pow_(inner, e * exponent)
            if is_nonnegative(inner) and isinstance(e, (int, Fraction)) and isinstance(exponent, (int, Fraction)):
                return pow_(inner, e * exponent)
        if name == "abs" and isinstance(exponent, int) and exponent % 2 == 0 and is_real(inner):
            return pow_(inner, exponent)
        if name == "exp" and isinstance(exponent, int) and abs(exponent) < _limits.EXP_POWER:
            return map_(base.op, [(ein(exponent, [(inner, every)], every), every)], (), every)
    return Map(row("pow_scalar"), ((base, every),), (exponent,), base.shape)


def _power_of_product(base: Ein, exponent: Number) -> Expr | None:
    """A power of a number or of an element-wise product."""
    every = tuple(range(base.rank))
    if not base.factors:
        value = power(base.coef, exponent)
        return None if value is None else number(value)
    if base.coef == 0:
        return None
    coef = power(base.coef, exponent)
    whole = isinstance(exponent, int)
    if len(base.dims) > base.rank or not (whole or all(is_nonnegative(f) for f, _ in base.factors)):
        if coef is None or (not whole and base.coef < 0):  # type: ignore[operator]
            return None
        groups = [(g, all(k >= base.rank for _, s in g for k in s)) for g in connected(list(base.factors))]
        numbers = [ein(1, g, ()) for g, alone in groups if alone]  # sizes, ‖r‖² ‖s‖²
        free = [p for p in numbers if whole or is_nonnegative(p)] if len(groups) > 1 else []
        if coef == 1 and not free:
            return None
        rest = [x for g, alone in groups if not (alone and len(groups) > 1) for x in g]
        rest += [(p, ()) for p in numbers if len(groups) > 1 and p not in free]
        return ein(
            coef,
            [(pow_(shaped(base.shape, 1, rest), exponent), every), *[(pow_(p, exponent), ()) for p in free]],
            every,
        )
    if coef is None:
        return None
    factors = [(f if isinstance(f, One) else pow_(f, exponent), s) for f, s in base.factors]
    return shaped(base.shape, coef, factors)
