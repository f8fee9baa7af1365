"""Where a formula holds: what was divided out, taken as positive, chosen, branched on or declared.

What can be declared of a symbol, as a property of arrays: a value must have it, since the formula may use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .. import show
from .._errors import FormulaError
from .._trees import postorder
from ..core import Tensor
from ..terms import (
    Add,
    Call,
    Delta,
    Ein,
    Expr,
    Map,
    Var,
    constant_of,
    evaluate,
    expanded,
    inverse,
    is_condition,
    is_declared_positive,
    is_negative,
    is_nonnegative,
    is_positive,
    is_rational,
    is_real,
    pow_,
    shaped,
    shaped_sum,
    substitute,
    symbols_in,
    with_number,
    without_sign,
)
from .lifting import apply, negated, plus
from .rational import factors_of
from .rewriting import INVERTIBLE, SYMMETRIC, Choices, Domain, apart, choices_in, signs_in, simplify, words


def _near(a: np.ndarray, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=1e-6, atol=1e-9))


def _is_symmetric(a: np.ndarray) -> bool:
    return a.shape[-1] == a.shape[-2] and _near(a, a.swapaxes(-1, -2))


HOLDS: dict[str, Callable[[np.ndarray], bool]] = {
    "positive": lambda a: bool((a > 0).all()),
    "sign": lambda a: bool((np.abs(a) == 1).all()),
    "onehot": lambda a: bool(((a == 0) | (a == 1)).all() and (a.sum(-1) == 1).all()),
    "integer": lambda a: bool((a == np.floor(a)).all()),
    "symmetric": _is_symmetric,
    "psd": lambda a: _is_symmetric(a) and bool((np.linalg.eigvalsh(a) >= -1e-9 * max(1, np.abs(a).max())).all()),
    "pd": lambda a: _is_symmetric(a) and bool((np.linalg.eigvalsh(a) > 0).all()),
    "diagonal": lambda a: _near(a, a * np.eye(a.shape[-2], a.shape[-1])),
    "orthogonal": lambda a: a.shape[-1] == a.shape[-2] and _near(a @ a.swapaxes(-1, -2), np.eye(a.shape[-1])),
}


def require_declared(name: str, array: np.ndarray, properties: Any) -> None:
    """Raise if an array has not what was declared of its symbol: the formula may have used it."""
    for prop in sorted(properties):
        holds = HOLDS.get(prop)
        if holds is not None and array.size and array.dtype.kind in "biuf" and not holds(array):
            raise FormulaError(
                f"{name!r} was declared {prop}, and its value is not", "The formula may have used it.",
                f"Give it such a value, or make the formula of a symbol that is not declared {prop}.",
            )  # fmt: skip


# --------------- Where a formula holds: what was divided out, which positivity was used, what was chosen at the point
#
# The idea to hold: the recorded operations say where the numbers exist (a divisor is not 0, the operand of a logarithm
# is positive). What the shortened formula no longer says of itself travels along as a condition.


NONZERO, POSITIVE, NONNEGATIVE, DECLARED = "≠ 0", "> 0", "≥ 0", "declared at 0"
REAL = "{} is real"
_INSIDE, _ABOVE_MINUS_ONE, _NO_POLE = "|{}| < 1", "{} > −1", "{} is no whole number below 1"
_HOLDS: dict[str, Callable[[np.ndarray], Any]] = {
    NONZERO: lambda a: a != 0, POSITIVE: lambda a: a > 0, NONNEGATIVE: lambda a: a >= 0,
    INVERTIBLE: lambda a: np.linalg.matrix_rank(a) == a.shape[-1],
    _INSIDE: lambda a: np.abs(a) < 1, "|{}| ≤ 1": lambda a: np.abs(a) <= 1, "{} ≥ 1": lambda a: a >= 1,
    _ABOVE_MINUS_ONE: lambda a: a > -1, "0 < {} < 1": lambda a: (a > 0) & (a < 1),
    "cos({}) ≠ 0": lambda a: np.cos(a) != 0,
    _NO_POLE: lambda a: (a > 0) | (a != np.floor(a)), REAL: lambda a: a.imag == 0,
}  # fmt: skip
"""By kind of condition: which entries of a value it holds for."""
COMPUTED = "{} is computed"
"""What raises where it is not defined must be computed, though nothing may be left of it: Σ L² is the trace of A."""
_OF_A_SYMBOL = "{} is "
"""What a kind begins with that says of a term what was declared of the symbol whose place it took."""
_SYMMETRIC = "{} " + SYMMETRIC


_BOUNDS: dict[str, tuple[tuple[int, int, str], ...]] = {
    _INSIDE: ((1, 1, POSITIVE), (-1, 1, POSITIVE)), "|{}| ≤ 1": ((1, 1, NONNEGATIVE), (-1, 1, NONNEGATIVE)),
    "{} ≥ 1": ((1, -1, NONNEGATIVE),), _ABOVE_MINUS_ONE: ((1, 1, POSITIVE),), "cos({}) ≠ 0": (),
    "0 < {} < 1": ((1, 0, POSITIVE), (-1, 1, POSITIVE)),
}  # fmt: skip
"""What kinds of conditions say of c·a + d, of which sign it is."""


def holds_for(kind: str, value: np.ndarray) -> bool:
    """Whether a condition of a kind holds for a term's value (for what is no number it does not)."""
    if kind.startswith(_OF_A_SYMBOL) and kind not in _HOLDS:
        return HOLDS[kind.removeprefix(_OF_A_SYMBOL)](value)
    with np.errstate(all="ignore"):
        return bool(np.all(_HOLDS[kind](value))) and bool(np.isfinite(value * 1.0).all())


_OF_COMPLEX = {POSITIVE: NONZERO, **{kind: kind for kind in (NONZERO, INVERTIBLE, "cos({}) ≠ 0")}}
"""What is asked of complex numbers, which have no signs: log(z) has a value wherever z is not 0."""


def _asked(op: Any, args: Iterable[Expr]) -> list[Domain]:
    """What a row says of where it is defined."""
    return _of_numbers(args, op.defined if isinstance(op.defined, tuple) else (op.defined,))


def _of_numbers(args: Iterable[Expr], kinds: Iterable[str]) -> list[Domain]:
    own = [(a, kind) for a, kind in zip(args, kinds, strict=False) if kind]
    asked = [(a, kind if is_real(a) else _OF_COMPLEX.get(kind, "")) for a, kind in own]
    return [(a, kind) for a, kind in asked if kind]


def domain_of(op: Any, args: list[Expr], params: tuple[Any, ...]) -> list[Domain]:
    """What a recorded operation asks of its operands, if anything."""
    e = params[0] if op.name == "pow_scalar" else constant_of(args[1]) if op.name == "pow_tensor" else None
    if isinstance(e, (int, float, Fraction)):
        whole = float(e).is_integer()
        return _of_numbers(args, ((NONZERO if whole else POSITIVE) if e < 0 else "" if whole else NONNEGATIVE,))
    return [
        (a, kind) for a, kind in _asked(op, args)
        if (kind != INVERTIBLE or a.rank == 2) and (kind != NONZERO or constant_of(a) in (None, 0))
    ]  # fmt: skip


def edges_of(op: Any, args: list[Expr], params: tuple[Any, ...], term: Expr) -> list[Domain]:
    """The same, and where its derivative is infinite or declared: at 0 of a root, and of entries whose sizes count."""
    own = domain_of(op, args, params)
    if op.name == "abs" or (op.name in ("vector_norm", "dist") and params[0] == 1):
        shape = np.broadcast_shapes(*[a.shape for a in args])
        own = [(plus(shape, *zip((1, -1), args, strict=False)), DECLARED)]
    if op.name == "linalg_cholesky":
        own = [*own, (Call(op, tuple(args[:1]), (False,), args[0].shape), COMPUTED)]
    return [*own, *_edges([term, *term.children])]


def _edges(terms: Iterable[Expr]) -> Iterable[Domain]:
    """The edges that terms have themselves."""
    for t in terms:
        if isinstance(t, Map) and t.args:
            base, power = t.children[0], t.exponent
            if isinstance(power, float | Fraction) or t.op.defined == POSITIVE:
                yield base, POSITIVE
            elif t.operation == "abs" or (isinstance(power, int) and power < 0):
                yield base, DECLARED if t.operation == "abs" else NONZERO
            elif t.operation == "hypot":
                yield t, DECLARED


def lost_conditions(term: Expr, asked: list[Domain], moves: Callable[[Expr], bool]) -> list[Expr]:
    """What is infinite, or no number, at edges that recorded operations have and a term has no more.

    It is 1/x for x·x⁻¹ = 1 and |x|² = x², 1/√x for (√x)² = x. What does not move has values at edges, but no slopes.
    """
    kept = {base for base, _ in _edges(postorder(term))}
    squared = set(_squared(term))  # |x|² may be x² in one place where |x| is left in another
    root = Fraction(1, 2), Fraction(-1, 2)
    powers: dict[str, tuple[Any, Any]]
    powers = {NONZERO: (-1, -1), DECLARED: (0, -1), POSITIVE: root, NONNEGATIVE: root}
    found = []
    for base, kind in dict.fromkeys(asked):
        for part in _parts(base, kind) if kind in powers and not is_declared_positive(base) else ():
            inner = _inner(part, kind)
            inner = inner if powers[kind] is root else without_sign(inner)[1]  # a root has an edge on one side
            power = powers[kind][moves(inner)]
            is_kept = inner in kept and not (kind == DECLARED and inner in squared)
            if power and not is_kept and constant_of(inner) is None and not is_positive(inner):
                found.append(pow_(inner, power))
    return list(dict.fromkeys(found))


def _squared(term: Expr) -> Iterable[Expr]:
    """What stands in even powers, or twice in a product."""
    for t in postorder(term):
        if isinstance(t.exponent, int) and t.exponent % 2 == 0:
            yield t.base
        else:
            factors = [f for f, _ in t.factors]
            yield from (f for f in factors if factors.count(f) > 1)


class Condition(NamedTuple):
    """What a formula rests on: a term, and a kind (see `holds_for`); or a text alone, which no value decides."""

    text: str
    term: Expr | None = None
    kind: str = ""

    @property
    def decided(self) -> bool | None:
        """Whether it holds, where it has no symbols; else None."""
        if self.term is None or symbols_in(self.term):
            return None
        return holds_for(self.kind, evaluate(self.term, {}))


def of_rewrite(asked: Iterable[Domain]) -> list[Condition]:
    """The conditions of a rewrite that are not plainly so."""
    found = []
    for term, kind in asked:
        text = words(term, kind)
        if kind == NONZERO and term.operation == "det":
            term, kind = term.args[0], INVERTIBLE
        elif kind.startswith("is "):
            kind = "{} " + kind
        if not (kind == POSITIVE and is_positive(term)):
            found.append(Condition(text, term, kind))
    return found


def symmetric_symbols(conditions: Iterable[Condition]) -> frozenset[str]:
    """The matrices that conditions take for symmetric: those that make their terms so by being symmetric themselves."""
    found: set[str] = set()
    for term in {c.term for c in conditions if c.term is not None and c.kind == _SYMMETRIC}:
        matrices = [v for v in symbols_in(term) if v.rank == 2 and v.shape[0] == v.shape[1]]
        even: dict[Expr, Expr] = {v: Var(v.name, v.shape, v.properties | {"symmetric"}) for v in matrices}
        if substitute(term, even).symmetric:
            found.update([v.name for v in matrices])
    return frozenset(found)


def unstated_conditions(term: Expr, domains: Sequence[Domain], compared: Sequence[Domain] = ()) -> list[Condition]:
    """The conditions that a term does not imply by being defined.

    ``compared`` are those of what was compared only: a comparison with what is no number is false, and says no more of
    it. So what stands in a comparison implies nothing for what was computed beside it.
    """
    terms = list(postorder(term))
    chooses = any(t.operation == "where" for t in terms)
    chosen = choices_in(term) if chooses else dict.fromkeys(terms, frozenset())
    return _not_in(_outside(term), domains, chosen) + _not_in(terms, compared, chosen)


def _outside(root: Expr) -> list[Expr]:
    """The terms that stand somewhere else than in a comparison."""
    found: dict[Expr, None] = {}
    todo = [root]
    while todo:
        term = todo.pop()
        if term not in found:
            found[term] = None
            todo += [] if isinstance(term, Map) and term.op.truth else term.children
    return list(found)


def _not_in(terms: list[Expr], domains: Sequence[Domain], chosen: dict[Expr, Choices]) -> list[Condition]:
    """The conditions among ``domains`` that none of the terms implies."""

    @cache
    def said(conditions: frozenset[Expr]) -> dict[str, set[Expr]]:
        return _said([t for t in terms if _is_used(chosen[t], conditions)])

    inverses = {t for t in terms if t.operation == "inv"}
    determinants = {t.args[0] for t in terms if t.operation == "slogdet"}
    out = []
    for whole, kind in dict.fromkeys(domains):
        base, choices = apart(whole)
        if any(constant_of(c) == 0 for c in choices):  # a branch that is never taken
            continue
        if kind == INVERTIBLE:
            if base not in determinants:
                inside = [] if _has_inverse(base) else postorder(simplify(inverse(base)))
                for t in inside:
                    if t.operation == "inv" and t not in inverses:
                        a = t.args[0]
                        out.append(Condition(f"det({show.in_one_piece(a)}) ≠ 0", a, kind))
                    elif t.rank and is_negative(t.exponent):
                        left = _left_open(t.base, NONZERO, said(frozenset(choices)))
                        out += [Condition(words(a, NONZERO), a, NONZERO) for a in left]
            continue
        if "{}" in kind:
            there = any(isinstance(t, Map) and (base, kind) in _asked(t.op, t.children) for t in terms)
            if not there and not _within(base, kind):
                out.append(Condition(words(whole, kind), whole, kind))
            continue
        if is_declared_positive(base):
            continue
        left = _left_open(base, kind, said(frozenset(choices)))
        left = [whole] if left and choices else left
        out += [Condition(words(a, kind), a, kind) for a in left]
    return list(dict.fromkeys(out))


def _is_used(choices: Choices, conditions: frozenset[Expr]) -> bool:
    """Whether a term behind choices is used under conditions: log(x) where x > 0 says nothing of x elsewhere."""
    if not conditions:
        return not choices
    return conditions.isdisjoint([negated(c) if came else c for c, came in choices])


def _left_open(base: Expr, kind: str, said: dict[str, set[Expr]]) -> list[Expr]:
    """The factors that are not plainly above 0 (not 0, not below), and of which nothing says so."""
    inner = [_inner(part, kind) for part in _parts(base, kind)]
    plain = is_nonnegative if kind == NONNEGATIVE else is_positive
    return [a for a in inner if not plain(a) and not _is_said(a, kind, said)]


def not_implied(asked: Iterable[Condition], known: Sequence[Condition], terms: Iterable[Expr] = ()) -> list[Condition]:
    """The conditions that neither others imply nor terms by being defined, where they are asked for."""
    texts, pairs = {c.text for c in known}, {(c.term, c.kind) for c in known}
    positive: dict[Expr, Expr] = {
        c.term: Var(c.term.name, c.term.shape, c.term.properties | {"positive"})
        for c in known if c.kind == POSITIVE and isinstance(c.term, Var)
    }  # fmt: skip
    inverted = {a for c in known if c.kind == INVERTIBLE for a in _multiplied(c.term)}
    said = _said_where(known, terms)

    def is_left(c: Condition) -> bool:
        if c.text in texts or (c.term is not None and (c.term, c.kind) in pairs) or c.decided is True:
            return False
        if c.kind == INVERTIBLE and all(a in inverted or _has_inverse(a) for a in _multiplied(c.term)):
            return False
        parts = [(*apart(t), kind) for t, kind in _signs(c)]
        there = [(base, kind, said(frozenset(choices))) for base, choices, kind in parts]
        if there and not any(_left_open(t, k, s) and _left_open(substitute(t, positive), k, s) for t, k, s in there):
            return False
        return not there or not all(_possible(t, _signs_of_factors(s)) <= _SIGNS[k] for t, k, s in there)

    return [c for c in asked if is_left(c)]


def _said_where(known: Sequence[Condition], terms: Iterable[Expr]) -> Callable[[frozenset[Expr]], dict[str, set[Expr]]]:
    """What is said by conditions, by terms that have values, and by the choices themselves, where choices came out so.

    log(x) in a branch says nothing of x elsewhere.
    """
    roots = [choices_in(root) for root in terms]

    @cache
    def said(choices: frozenset[Expr]) -> dict[str, set[Expr]]:
        used = [
            t for found in roots for t, own in found.items()
            if choices.issuperset([c if came else negated(c) for c, came in own])
        ]  # fmt: skip
        found = _said(used)
        signs = [s for c in known for s in _signs(c)] + [s for c in choices for s in signs_in(c)]
        for term, kind in signs:
            base, own = apart(term)
            if choices.issuperset(own):
                found[kind] |= {_inner(part, kind) for part in _parts(base, kind)}
        found[POSITIVE] |= found[NONZERO] & found[NONNEGATIVE]
        return found

    return said


def _multiplied(term: Any) -> list[Expr]:
    """The square matrices that are multiplied: all have an inverse where their product has one."""
    chain = square_chain(term) if isinstance(term, Ein) and not any(f.rank == 0 for f, _ in term.factors) else None
    return [f for f, _ in chain] if chain else [term]


def square_chain(product: Ein) -> list[tuple[Expr, bool]] | None:
    """The factors of a product of square matrices of one size, in order, each with whether it is transposed."""
    n = product.shape[0]
    if not is_rational(product.coef) or any(f.shape != (n, n) for f, _ in product.factors):
        return None
    left, rest, chain = 0, list(product.factors), []
    while rest:
        here = [x for x in rest if left in x[1]]
        if len(here) != 1 or here[0][1][0] == here[0][1][1]:
            return None
        f, s = here[0]
        rest.remove(here[0])
        flipped = s[1] == left
        chain.append((f, flipped))
        left = s[0] if flipped else s[1]
    return chain if left == 1 else None


_SIGNS = {NONZERO: frozenset((-1, 1)), POSITIVE: frozenset((1,)), NONNEGATIVE: frozenset((0, 1))}
_ANY = frozenset((-1, 0, 1))


def _signs_of_factors(said: dict[str, set[Expr]]) -> dict[Expr, frozenset[int]]:
    """The signs that are left open for polynomials, and for the factors of those that are not 0."""
    signs: dict[Expr, frozenset[int]] = {}
    pairs = [(t, _SIGNS[kind]) for kind, terms in said.items() for t in terms]
    pairs += [(f, _SIGNS[NONZERO]) for t, open_ in pairs if 0 not in open_ for f, e in factors_of(t) if e > 0]
    for t, open_ in pairs:
        sign, bare = _opened(t)
        signs[bare] = signs.get(bare, _ANY) & {sign * s for s in open_}
    return signs


def _possible(term: Expr, signs: dict[Expr, frozenset[int]]) -> frozenset[int]:
    """The signs that a term may have: those of it written out, and of the product of its factors."""

    def own(t: Expr) -> frozenset[int]:
        sign, bare = _opened(t)
        plain = _SIGNS[POSITIVE] if is_positive(bare) else _SIGNS[NONNEGATIVE] if is_nonnegative(bare) else _ANY
        if isinstance(bare.exponent, Fraction) and own(bare.base) == _SIGNS[POSITIVE]:  # a root of what is above 0
            plain = _SIGNS[POSITIVE]
        return frozenset([sign * s for s in signs.get(bare, _ANY) & plain])

    product = frozenset((1,))
    for f, e in factors_of(term):
        product = frozenset([s * p ** abs(e) for s in product for p in own(f)])
    return own(term) & product


def _opened(term: Expr) -> tuple[int, Expr]:
    """The sign of the number before a term, and the term without it, its brackets opened."""
    with suppress(FormulaError):  # too many terms
        term = expanded(term)
    term = shaped_sum(term.shape, term.terms) if isinstance(term, Add) else term  # a number in front again
    if not isinstance(term, Ein) or isinstance(term.coef, complex) or term.coef == 0:
        return 1, term
    return (1 if term.coef > 0 else -1), with_number(1, term)


def _signs(condition: Condition) -> list[Domain]:
    """A condition as signs of terms; none for what says no such thing."""
    a, kind = condition.term, condition.kind
    if a is None or (kind not in _BOUNDS and kind not in (NONZERO, POSITIVE, NONNEGATIVE)):
        return []
    one = shaped(a.shape, 1, [])
    if kind == "cos({}) ≠ 0":
        return [(apply("cos", a.shape, a), NONZERO)]
    if kind == POSITIVE and a.operation == "abs":
        return [(a.children[0], NONZERO)]
    bounds = _BOUNDS.get(kind, ())
    return [(plus(a.shape, (c, a), (d, one)), sign) for c, d, sign in bounds] or [(a, kind)]


def _parts(base: Expr, kind: str) -> list[Expr]:
    """The factors of what is not 0."""
    if kind in (NONZERO, DECLARED) and len(base.dims) == base.rank and base.factors:
        return [f for f, _ in base.factors if constant_of(f) is None]
    return [base]


def _inner(part: Expr, kind: str) -> Expr:
    """What is not 0 where a power, or an absolute value, is not."""
    if kind not in (NONZERO, DECLARED):
        return part
    base: Expr = part.base
    return base.children[0] if base.operation in ("abs", "sign", "pow_tensor") else base


def _is_said(base: Expr, kind: str, said: dict[str, set[Expr]]) -> bool:
    wanted = {NONZERO: (NONZERO, POSITIVE), POSITIVE: (POSITIVE,), NONNEGATIVE: (NONNEGATIVE, POSITIVE)}[kind]
    return any(base in said[k] for k in wanted)


def _within(base: Expr, kind: str) -> bool:
    """Whether a function is defined of a term whatever its symbols are."""
    if kind == _ABOVE_MINUS_ONE:
        return is_nonnegative(base)
    return kind == _NO_POLE and is_positive(base)


def _has_inverse(base: Expr) -> bool:
    """Whether a matrix plainly has an inverse: it was declared, or is an inverse."""
    if base.operation in ("inv", "matrix_exp", "linalg_cholesky"):
        return True
    return isinstance(base, Delta) or (isinstance(base, Var) and not base.properties.isdisjoint(("pd", "orthogonal")))


def _said(terms: list[Expr]) -> dict[str, set[Expr]]:
    """Bases by what terms ask of them themselves."""
    said: dict[str, set[Expr]] = {NONZERO: set(), POSITIVE: set(), NONNEGATIVE: set()}
    for t in terms:
        e = t.exponent
        if isinstance(e, complex):
            continue
        if e != 1:
            whole = isinstance(e, int) or (isinstance(e, Fraction) and e.denominator % 2)
            kind = NONZERO if whole and e < 0 else POSITIVE if e < 0 else NONNEGATIVE
            if e < 0 or not whole:
                base = t.base
                said[kind].add(_inner(base, kind))
        elif isinstance(t, Map):
            for base, kind in _asked(t.op, t.children):
                said.get(kind, set()).add(base)
    quotients = [t for t in said[NONZERO] if t.operation in _NUMERATOR]
    said[NONZERO] |= {apply(_NUMERATOR[t.operation], t.shape, *t.children) for t in quotients}
    return said


_NUMERATOR = {"tan": "sin", "tanh": "sinh"}
"""What is not 0 where a quotient of two functions is not."""


# ----------------------------------------------------------------------------------------------------------- branches
#
# What Python branched on while a function ran: conditions on its formula's symbols, looked at where it is evaluated.
#
# The idea to hold: a branch is a term and how it came out. Its text is worked out of them, and so is whether another
# point takes the same branch.


class Branch(NamedTuple):
    """A condition that Python asked for, and the answer."""

    term: Expr
    outcome: bool

    @property
    def text(self) -> str:
        condition = is_condition(self.term)
        text = show.to_text(self.term) if condition else f"{show.to_text(self.term)} ≠ 0"
        if not self.outcome:
            text = show.to_text(simplify(negated(self.term))) if condition else f"{show.to_text(self.term)} = 0"
        return text.removeprefix("1[").removesuffix("]") if text.startswith("1[") else text


def branches_of(taken: Sequence[tuple[Tensor, bool]], trace: Any) -> tuple[Branch, ...]:
    """What Python branched on, as far as it hangs on symbols."""
    found = [Branch(simplify(trace.tensor(condition)), outcome) for condition, outcome in taken]
    return tuple(dict.fromkeys(filter(_is_open, found)))


def _is_open(branch: Branch) -> bool:
    return bool(symbols_in(branch.term))


def substituted_branches(
    branches: Sequence[Branch], given: dict[Expr, Expr], point: dict[str, Any]
) -> tuple[Branch, ...]:
    """The branches with symbols replaced; raises if one is decided by that, and is not the one that was taken."""
    new = [b._replace(term=simplify(substitute(b.term, given))) for b in branches]
    require_taken([b for b in new if not _is_open(b)], point)
    return tuple(filter(_is_open, new))


def require_taken(branches: Sequence[Branch], point: dict[str, Any]) -> None:
    """Raise where Python would branch otherwise: the formula is that of the branch taken where it was made."""
    for branch in branches:
        value = evaluate(branch.term, point)
        if bool(np.all(value)) is not branch.outcome:
            raise FormulaError(
                f"the formula holds where {branch.text}, which is not so here",
                "Python branched on that when the function ran: at this point it computes something else.",
                "Ask sg.formula(f, …) at a point of this branch; or write sg.where(condition, a, b), which keeps both.",
            )
