"""Forms for reading: symbols for parts (`Let`), other ways to write the whole, tables of entries.

Definitions: a symbol that no formula of a user has, and the term that it stands for.

The idea to hold: a definition is a pair, and the symbol is like its term (shape, symmetry, real or not), so that a
formula with definitions is rewritten by the same rules as any other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any

import numpy as np

from .. import _limits
from .._limits import bound
from .._trees import postorder
from ..core import Dim
from ..show.layout import LAST
from ..terms import (
    Add,
    Call,
    Delta,
    Ein,
    Expr,
    Indices,
    Lin,
    Map,
    One,
    Var,
    add,
    all_but,
    ein,
    evaluate,
    exact,
    inner_sum,
    is_negative,
    is_nonnegative,
    is_positive,
    is_real,
    labels_at,
    map_,
    map_bottom_up,
    number,
    places_of_sums,
    pow_,
    rebuilt,
    row,
    selection,
    shaped,
    shaped_sum,
    substitute,
    summands,
    symbols_in,
    terms_and_factors,
)
from .conditions import domain_of, unstated_conditions
from .factor import (
    inside_product,
    opened_at,
    over_denominators,
    with_common_factor_in_front,
    with_fewer_factors_in_front,
)
from .passes import has_namesakes
from .rewriting import fitting_rules, simplify

Let = tuple[Expr, Expr]
"""A symbol and what it stands for."""


def symbol_of(k: Any, term: Expr) -> Var:
    """The symbol number ``k`` of a formula's definitions, for a term."""
    properties = (["symmetric"] if term.symmetric else []) + ([] if is_real(term) else ["complex"])
    return Var(f"\N{WHITE SQUARE}{k}", term.shape, frozenset(properties))


def is_symbol(t: Expr) -> bool:
    """Whether a term is such a symbol."""
    return isinstance(t, Var) and t.name.startswith("\N{WHITE SQUARE}")


# -------------- Other forms of a formula for reading, without definitions: sin(2t), x³ − ax, l(2u − 3x)/u⁴, (x/K)^a/x
#
# The idea to hold: normal form keeps apart what may cancel or merge, and in front what is shared; a reader often wants
# the opposite. Each form is the whole formula with one piece of mathematics used wherever it fits, or None where it
# fits nowhere; printers take it where it is shorter.


Form = Callable[[Expr], Expr | None]


def everywhere(change: Form) -> Form:
    """A form: what is changed, wherever it stands in a formula; None where there is no such thing in it."""

    @wraps(change)
    def form(root: Expr) -> Expr | None:
        found = map_bottom_up(root, lambda t: change(t) or t)
        return found if found is not root else None

    return form


@everywhere
def by_rules(t: Expr) -> Expr | None:
    """What rules for reading say: 2 sin(t) cos(t) as sin(2t), which normal form keeps apart, so that powers meet."""
    return next((after for _, after, _ in fitting_rules(t, "reading")), None)


READ_OPENED = bound(4)
"""How much heavier a product with a sum may get that is multiplied out to see whether its text is shorter."""


@everywhere
def opened(t: Any) -> Expr | None:
    """Products of a sum multiplied out where powers meet: (AX + XA)X as AX² + XAX, x(x² − a) as x³ − ax.

    The factors p(1 − p) say more, and those of functions: t(1 − t²) where t = tanh(x).
    """
    sums = places_of_sums(t)
    if len(sums) != 1 or len(t.factors) < 2:
        return None
    total = t.factors[sums[0]][0]
    inside = [g.as_power for g in terms_and_factors(total)]
    square = {b for b, _ in inside if b.rank == 2 and b.shape[0] == b.shape[1]}
    powers = square | {b for b, e in inside if isinstance(e, int) and e > 1}
    meeting = [b for b in [g.base for g, _ in t.factors if g is not total] if b in powers]
    if not meeting or any(_is_function(b) for b in meeting):
        return None
    result = opened_at(t, sums[0])
    by_name: dict[Expr, Expr] = {b: symbol_of("⁻¹", b) for b in meeting if isinstance(b, Call)}  # they may get one
    most = substitute(t, by_name).weight + READ_OPENED
    return result if result is not None and substitute(result, by_name).weight <= most else None


def _is_function(t: Expr) -> bool:
    return isinstance(t, (Map, Call)) and t.operation != "inv"


POWERS = ("pow_scalar", "pow_tensor")
"""The rows of powers; every other one of each entry is a function to a reader."""


@everywhere
def separated(t: Any) -> Expr | None:
    """Exponentials of sums over different axes as products: exp(x𝟏ᵀ + 𝟏yᵀ) as exp(x)exp(y)ᵀ.

    Normal form has one exponential, so that exponents meet.
    """
    total, scale, order = inner_sum(t.children[0]) if t.operation == "exp" else (None, 1, ())
    if total is None or t.rank < 2 or any(len(s) > 1 for *_, s in total.terms):
        return None
    axes = [t.args[0][1][k] for k in order]
    along: dict[Any, list[Any]] = {}
    for c, u, s in total.terms:
        along.setdefault(axes[s[0]] if s else 0, []).append((scale * c, u, (0,) if s else ()))
    parts = [(map_(t.op, [(shaped_sum((t.shape[k],), terms), (0,))], (), (0,)), (k,)) for k, terms in along.items()]
    return shaped(t.shape, 1, parts)


def turned_logarithms(root: Expr) -> Expr | None:
    """Logarithms with the other sign, of the quotient turned over: log(2x/(x + y)) for −log((1 + y/x)/2)."""
    found: dict[Expr, Expr] = {}
    for c, t in [term for u in postorder(root) for term in _with_numbers(u)]:
        if is_negative(c) and t.operation == "log" and isinstance(t.children[0], (Add, Ein)):
            (u, at), every = t.args[0], t.axes
            if not is_real(u):  # of −1 it is πi, and turned over still −1
                continue
            turned = simplify(pow_(u, -1))
            if turned.weight <= u.weight + READ_OPENED:
                found[t] = shaped(t.shape, -1, [(Map(t.op, ((turned, at),), (), t.shape), every)])
    return substitute(root, found) if found else None


def _with_numbers(t: Expr) -> list[tuple[Any, Expr]]:
    """The factors of a product, or the terms of a sum and their factors, each with the number in front."""
    terms = t.terms if isinstance(t, Add) else [(1, t, ())]
    return [(c * u.coef, f) for c, u, _ in terms for f, _ in u.factors]


@everywhere
def joined_roots(t: Any) -> Expr | None:
    """Roots of positive numbers as one: 1/(b√b √g) as 1/(b√(bg)). Normal form keeps them apart, so that they cancel."""
    return _rooted(t, (_HALF, _HALF), (-_HALF, -_HALF))


@everywhere
def roots_of_quotients(t: Any) -> Expr | None:
    """A root over another one as the root of a quotient: √b/(a√a) as √(b/a)/a, of positive numbers."""
    return _rooted(t, (_HALF, -_HALF))


_HALF = Fraction(1, 2)


def _rooted(t: Any, *ways: tuple[Fraction, Fraction]) -> Expr | None:
    """A product with one root for those of two signs, in each of the ways; None if that is the same."""
    factors = list(t.factors)
    for halves in ways:
        factors = _with_one_root(factors, *halves)
    return Ein(t.coef, factors, t.dims, t.rank) if factors != list(t.factors) else None


def _with_one_root(factors: list[Any], *halves: Fraction) -> list[Any]:
    """Factors with one root of what they have roots of, of one sign above and of the other below."""
    roots = [(b, e, s, half) for b, e, s in map(_root, factors) if is_nonnegative(b) for half in halves if e * half > 0]
    roots = list(dict.fromkeys(roots))
    if len(roots) < 2 or len({s for *_, s, _ in roots}) > 1 or {half for *_, half in roots} != {*halves}:
        return factors
    (*_, s, _), every = roots[0], tuple(range(len(roots[0][2])))
    base = ein(1, [(pow_(b, int(half / halves[0])), every) for b, _, _, half in roots], every)
    kept = [(f, at) for f, at in factors if (*_root((f, at))[:2], at) not in [root[:3] for root in roots]]
    whole = [(pow_(b, e - half), s) for b, e, _, half in roots if e != half]
    return [*kept, *whole, (Map(row("pow_scalar"), ((base, every),), (halves[0],), base.shape), s)]


def _root(factor: Any) -> tuple[Expr, Any, Any]:
    """The base, the exponent and the labels of an odd power of a root; exponent 0 if it is none."""
    base, exponent = factor[0].as_power
    odd = isinstance(exponent, Fraction) and exponent.denominator == 2
    return base, exponent if odd else 0, factor[1]


@everywhere
def one_quotient(t: Any) -> Expr | None:
    """Sums over one denominator, with what their terms share in front: 2l/u³ − 3lx/u⁴ as l(2u − 3x)/u⁴."""
    found = over_denominators(t) if isinstance(t, Add) else []
    fronted = [inside_product(q) or q for q in found]
    return min([t, *fronted], key=lambda result: result.weight)


READ_APART = bound(3)
"""Terms of a sum over something up to which it is tried whether its text is shorter with each over it by itself."""


@everywhere
def split_quotients(t: Any) -> Expr | None:
    """Quotients of sums as sums of quotients: 2x/aᵀx − ‖x‖²a/(aᵀx)² for (2aᵀx x − ‖x‖²a)/(aᵀx)²."""
    sums = places_of_sums(t)
    below = [f.base for f, _ in t.factors if is_negative(f.exponent)]
    total = t.factors[sums[0]][0] if len(sums) == 1 else t
    if total is t or not below or len(total.children) > READ_APART:
        return None
    inside = {g.base for g in terms_and_factors(total)}
    if not any(b in inside or (isinstance(b, Ein) and inside.issuperset(b.children)) for b in below):
        return None  # nothing of it cancels
    whole = opened_at(t, sums[0])
    if whole is None:
        return None
    return shaped_sum(t.shape, [(c, simplify(u), s) for c, u, s in summands(whole, 1, t.axes)])


def split_products(root: Expr) -> Expr | None:
    """Products with sums that are constant along an axis in some term, as sums: (x𝟏ᵀ − A)𝟏 as nx − A𝟏.

    So pᵀ(x² − pᵀx x) is pᵀx² − (pᵀx)², where the entries of p sum to one or not, and diag(x)(I − 𝟏xᵀ) is diag(x) − xxᵀ.
    The same of a number that is all the formula has beside an array, unless it has functions: (1 − a/‖x‖³)x is
    x − ax/‖x‖³.
    """

    def change(t: Expr) -> Expr:
        if not isinstance(t, Ein):
            return t
        for place, (f, s) in enumerate(t.factors):
            if isinstance(f, Add) and len(f.terms) <= READ_APART:
                rest = all_but(t.factors, place)
                plain = not any(_is_function(u) and u.operation not in POWERS for u in postorder(f))
                if t is root and t.coef == 1 and f.rank < root.rank == len(rest) == 1 and plain:
                    return _spread_over(t, f, s, rest)
                along = {s[k] for _, _, i in f.terms for k in range(f.rank) if k not in i}
                # p ⊙ (1 − p) stays
                if any(k >= t.rank or (f.rank > 1 and any(at == (k,) for _, at in rest)) for k in along):
                    return _spread_over(t, f, s, rest)
        return t

    def _spread_over(t: Ein, f: Add, s: Any, rest: list[Any]) -> Expr:
        terms = []
        for c, u, i in f.terms:
            lost = [(One(f.shape[k]), (s[k],)) for k in range(f.rank) if k not in i and s[k] >= t.rank]
            part = shaped(t.shape, t.coef, [*rest, (u, labels_at(s, i)), *lost])
            terms.append((c, simplify(part), t.axes))
        return shaped_sum(t.shape, terms)

    found = everywhere(change)(root)
    return found if found is not None and not has_namesakes(found) else None


def scattered(root: Expr) -> Expr | None:
    """A number multiplied into a sum of matrices where it meets others: 2pA + 4p(1 − p)uuᵀ for 2p(A + 2(1 − p)uuᵀ).

    So, too, with what stands beside an identity: pA((1 − p)yxᵀA + I) is p(1 − p)AyxᵀA + pA,
    and (A − rI)x is Ax − rx. But k(I − J) stays.
    """
    if not isinstance(root, Ein) or not 0 < root.rank < 3:
        return None
    sums = [(i, f) for i, (f, _) in enumerate(root.factors) if isinstance(f, Add)]
    matrices = [(i, f) for i, f in sums if f.rank == 2 and len(f.terms) <= READ_APART]
    if len(matrices) != 1:
        return None
    place, total = matrices[0]
    rest = all_but(root.factors, place)
    identity = any(isinstance(f, Delta) for f in terms_and_factors(total))
    inside = [at for t in total.children if isinstance(t, Ein) for _, at in t.factors]
    meet = () in inside and any(not at for _, at in rest)
    arrays = any(at for _, at in rest)
    if not (identity and (meet or arrays)) and not (meet and not arrays):
        return None
    return opened_at(root, place)


def fronted(root: Expr) -> Expr | None:
    """What the terms of a sum share in front, though by its weight it is no shorter: Xᵀ(y − 1/(Xw)).

    Not of a formula that is not simplified, which was multiplied out because someone asked for that, nor of a
    differential, whose terms are those of a rule: df = xᵀA dx + dxᵀ Ax by that of products.
    """
    if any(t.name.startswith(LAST) for t in symbols_in(root)):
        return None

    def change(t: Expr) -> Expr | None:
        return (with_common_factor_in_front(t) or with_fewer_factors_in_front(t)) if isinstance(t, Add) else None

    found = everywhere(change)(root)
    return found if found is not None and simplify(root) is root else None


def whole_powers(root: Expr) -> Expr | None:
    """Powers without the 1 that differentiating took off: (x/K)^(a − 1)/K as (x/K)^a/x.

    What they are divided by then goes into a sum beside them: x^(a − 1)(xu + v) is x^a(u + v/x).
    """

    def whole(t: Expr) -> tuple[Expr, Expr, Any] | None:
        if t.operation != "pow_tensor":
            return None
        (base, at), (exponent, labels) = t.args
        total, scale, _ = inner_sum(exponent)
        shift = sum([scale * c for c, u, _ in total.terms if u is number(1)]) if total is not None else 0
        if (
            not isinstance(shift, int) or shift == 0 or (shift > 0 and not is_positive(base))
        ):  # 0⁰·⁶ is 0, 0·0^(−0.4) not
            return None
        rest = add([(1, exponent, labels), (-shift, number(1), ())], labels)
        every = t.axes
        return map_(t.op, [(base, at), (rest, labels)], t.params, every), pow_(base, shift), at

    def change(t: Expr) -> Expr:
        if (found := whole(t)) is not None:
            power, divisor, at = found
            return shaped(t.shape, 1, [(power, t.axes), (divisor, at)])
        return t

    def divided(t: Expr) -> Expr:
        factors = list(t.factors)
        sums = [x for x in factors if isinstance(x[0], Add)]
        for f, s in factors if len(sums) == 1 else ():
            total, labels = sums[0]
            power, divisor, at = whole(f) or (f, f, ())
            if power is f or labels != s or len(total.terms) > READ_APART:
                continue
            if divisor.base not in [g.base for u in total.children for g in u.children]:
                continue  # nothing in the sum cancels
            every = total.axes
            parts = [(c, simplify(shaped(total.shape, 1, [(u, i), (divisor, at)])), every) for c, u, i in total.terms]
            rest = [x for x in factors if x is not sums[0] and x != (f, s)]
            return shaped(t.shape, t.coef, [*rest, (power, s), (shaped_sum(total.shape, parts), labels)])
        return t

    found = map_bottom_up(root, divided)
    if found is root:
        found = map_bottom_up(root, change)
        if found is root:
            return None
        found = simplify(found)
    new = _divisors(found) - _divisors(root)
    return found if all(is_positive(base) for base in new) else None


def _divisors(root: Expr) -> set[Expr]:
    """What a formula divides by."""
    return {t.base for t in postorder(root) if is_negative(t.exponent)}


# --------------------------- Small arrays of fixed sizes by their entries: ``[[2, cos(q₀ − q₁)], [cos(q₀ − q₁), 1]]``
#
# The idea to hold: what takes entries apart and puts them together is a sum of unit vectors as a term, and the table of
# its entries to a reader. An entry is worked out from those of the operands, by the builders; an entry of a symbol is a
# symbol of its own, ``x[0]``, so that all that is known of numbers brings it into normal form.


_OF_ENTRIES = frozenset(["positive", "integer", "complex"])  # properties of an array that each entry has


def spelled_out(root: Expr) -> list[Expr]:
    """A term with small arrays made of entries written out, as stacks of numbers: all of it, and its parts only."""
    made = _made_of_entries(root)
    ways = [Entries(made).spelled(root, whole) for whole in (True, False)] if made else []
    return [way for way in dict.fromkeys(ways) if way is not None and way is not root]


def _made_of_entries(root: Expr) -> set[int]:
    """Ids of the terms that take entries apart or join them to small arrays, and of all that are made of these."""
    made: set[int] = set()
    terms = list(postorder(root))
    for t in terms if len(terms) <= _limits.SPELLED_TERMS else ():
        if _picked(t) is not None or (_joins(t) and _is_small(t.shape)) or any(id(c) in made for c in t.children):
            made.add(id(t))
    return made


def _joins(term: Any) -> bool:
    return term.operation in ("stack", "cat")


def _picked(term: Any) -> int | None:
    """The place of the entry that a unit vector takes, counted from the front."""
    place = selection(term) if term.kind == "lin" and not term.out_rank else None
    return place if type(place) is int and place >= 0 else None


def _is_small(shape: Any) -> bool:
    return len(shape) <= 2 and all(type(n) is not Dim and n <= _limits.SPELLED for n in shape)


def _is_entry(term: Any) -> bool:
    """Whether it is a number read from symbols: ``x[0]``, ``x[0] y[1]``."""
    return term.kind == "ein" and not term.shape and all(f.kind in ("var", "lin") for f in term.children)


def places_in(term: Expr) -> Any:
    return np.ndindex(*map(int, term.shape))


def _stack(parts: list[Expr]) -> Expr:
    return Call(row("stack"), tuple(parts), (0,), (len(parts), *parts[0].shape))


def _unit(n: Any, place: int) -> Expr:
    return One(n) if n == 1 else Lin(row("getitem"), ((place,),), (), (n,))


class Entries:
    """The entries of terms, each worked out once; ``made`` are the ids of those that are made of entries."""

    def __init__(self, made: set[int]) -> None:
        self.made = made
        self.known: dict[tuple[int, Indices], Expr] = {}

    def spelled(self, root: Expr, whole: bool) -> Expr | None:
        """One way to write entries out; None if the text would no longer say where the term is defined."""
        done: dict[int, Expr] = {}
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            term, ready = stack.pop()
            if id(term) in done:
                continue
            table = whole if term is root else term.shape and term.kind != "lin"
            if id(term) not in self.made:
                done[id(term)] = term
            elif ready:
                done[id(term)] = rebuilt(term, done)
            elif _is_small(term.shape) and (table or _is_entry(term)):
                done[id(term)] = self.written_out(term)
            else:
                stack += [(term, True), *[(c, False) for c in term.children]]
        return None if unstated_conditions(done[id(root)], self.domains(root)) else done[id(root)]

    def domains(self, root: Expr) -> list[tuple[Expr, str]]:
        """Where a term is defined, by entries."""
        found = []
        for t in postorder(root):
            if id(t) in self.made and t.kind == "map":
                found += domain_of(t.op, list(t.children), t.params)
        small = [(base, kind) for base, kind in found if _is_small(base.shape)]
        return [(self.entry(base, at), kind) for base, kind in small for at in places_in(base)]

    def written_out(self, term: Expr) -> Expr:
        """The stack of its entries."""
        found = {at: simplify(self.entry(term, at)) for at in places_in(term)}
        if not term.shape:
            return found[()]
        if term.rank == 1:
            return _stack([*found.values()])
        return _stack([_stack([found[i, j] for j in range(term.shape[1])]) for i in range(term.shape[0])])

    def entry(self, term: Any, at: Indices) -> Expr:
        """One entry of a term."""
        key = (id(term), at)
        if key not in self.known:
            by_parts = id(term) in self.made or term.kind in ("var", "one", "delta", "data", "add", "map")
            self.known[key] = (getattr(self, "_" + term.kind) if by_parts else self._jac)(term, at)
        return self.known[key]

    def _jac(self, term: Any, at: Indices) -> Expr:
        """The entry as it stands: ``softmax(x)[0]``."""
        axes = range(len(at))
        return ein(1, [(term, tuple(axes)), *[(_unit(term.shape[k], at[k]), (k,)) for k in axes]], ())

    def _var(self, term: Any, at: Indices) -> Expr:
        if not at:
            return term
        at = tuple(sorted(at)) if term.symmetric else at
        return Var(f"{term.name}[{', '.join(map(str, at))}]", (), term.properties & _OF_ENTRIES)

    def _data(self, term: Any, at: Indices) -> Expr:
        value = evaluate(term, {})[at].item()
        found = exact(value)
        return number(value if found is None else found)

    _one = _delta = _lin = _data

    def _ein(self, term: Any, at: Indices) -> Expr:
        """Sums over few indices, and over those of unit vectors, are written out; the others stay."""
        rank, dims = len(at), term.dims
        found = [(s[0], _picked(f)) for f, s in term.factors if s and s[0] >= rank]
        picked = {i: place for i, place in found if place is not None}
        few = [i for i in range(rank, len(dims)) if i not in picked and _is_small(dims[i : i + 1])]
        few = few if math.prod([dims[i] for i in few]) <= _limits.SPELLED**2 else []
        terms = []
        for inner in itertools.product(*[range(int(dims[i])) for i in few]):
            place = {**picked, **dict(enumerate(at)), **dict(zip(few, inner))}
            factors: list[Any] = []
            units: dict[int, Any] = {}
            for f, s in term.factors:
                if all(i in place for i in s):
                    factors.append((self.entry(f, labels_at(place, s)), ()))
                else:
                    factors.append((f, s))
                    units.update({i: f.shape[k] for k, i in enumerate(s) if i in place})
            factors += [(_unit(n, place[i]), (i,)) for i, n in units.items()]
            terms.append((1, ein(term.coef, factors, ()), ()))
        return add(terms, ())

    def _add(self, term: Any, at: Indices) -> Expr:
        return add([(c, self.entry(t, labels_at(at, s)), ()) for c, t, s in term.terms], ())

    def _map(self, term: Any, at: Indices) -> Expr:
        args = [(self.entry(a, labels_at(at, s)), ()) for a, s in term.args]
        return map_(term.op, args, term.params, ())

    def _call(self, term: Any, at: Indices) -> Expr:
        if not _joins(term):
            return self._jac(term, at)
        axis = term.params[0] % len(at)
        before, place, after = at[:axis], at[axis], at[axis + 1 :]
        if term.operation == "stack":
            return self.entry(term.args[place], (*before, *after))
        for part in term.args:
            if place < part.shape[axis]:
                break
            place -= int(part.shape[axis])
        return self.entry(part, (*before, place, *after))


Expr.spelled_out = property(spelled_out)  # type: ignore[assignment]
