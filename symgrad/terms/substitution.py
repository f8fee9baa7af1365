"""Terms made anew: with other terms in the place of some symbols, multiplied out, powers of a part collected.

The idea to hold: the last two are for reading. They are not normal forms (simplification would put common factors in
front again), so that derivatives and comparisons are made of the term they came from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from .._errors import FormulaError
from .._limits import bound
from .._trees import postorder
from .canonical import Factor, Term
from .node import Add, Call, Delta, Ein, Expr, Jac, Number, One, Var, tidy_number
from .normal_form import all_but, ein, inner_sum, map_, places_of_sums, pow_, row, shaped, shaped_sum, summands


def symbols_in(*roots: Expr) -> list[Var]:
    """The symbols in terms, named sizes too."""
    return [t for t in postorder(*roots) if isinstance(t, Var)]


def terms_and_factors(total: Expr) -> list[Expr]:
    """The terms of a sum, each with what it is made of."""
    return [g for t in total.children for g in (t, *t.children)]


def inverse(a: Expr) -> Expr:
    """The inverse of a matrix."""
    if a.operation == "inv":
        return a.args[0]
    if isinstance(a, Delta):
        return a
    if isinstance(a, Ein) and a.coef != 0 and not isinstance(a.coef, complex):
        scalars = [(f, s) for f, s in a.factors if not s]
        if a.coef != 1 or scalars:  # (c A)⁻¹ = A⁻¹/c
            whole, coef = a.axes, 1 / a.coef if isinstance(a.coef, float) else 1 / Fraction(a.coef)
            bare = shaped(a.shape, 1, [(f, s) for f, s in a.factors if s])
            return ein(coef, [(inverse(bare), whole), *[(pow_(f, -1), s) for f, s in scalars]], whole)
    if a.rank == 2 and len(a.factors) == 1 and a.factors[0][1] == (1, 0):
        return ein(1, [(inverse(a.factors[0][0]), (1, 0))], (0, 1))
    if isinstance(a, Var) and "orthogonal" in a.properties:
        return ein(1, [(a, (1, 0))], (0, 1))
    return Call(row("inv"), (a,), (), a.shape)


def rebuilt(term: Any, done: Mapping[int, Expr]) -> Expr:
    """A term on what ``done`` has for its operands (of the same shapes), by the builders; itself where none is new."""
    for c in term.children:
        if done[id(c)] is not c:
            break
    else:
        return term

    def children(c: Expr) -> Expr:
        return done[id(c)]

    if term.kind == "ein":
        return shaped(term.shape, term.coef, [(children(f), s) for f, s in term.factors])
    if term.kind == "add":
        return shaped_sum(term.shape, [(c, children(t), s) for c, t, s in term.terms])
    if term.kind == "map":
        return map_(term.op, [(children(a), s) for a, s in term.args], term.params, term.axes)
    if term.kind == "call":
        args = tuple([children(a) for a in term.args])
        return inverse(args[0]) if term.operation == "inv" else Call(term.op, args, term.params, term.shape, term.out)
    if term.kind == "jac":
        return Jac(_same_operation(term.call, done), term.wrt)
    return term


def _same_operation(call: Call, done: Mapping[int, Expr]) -> Call:
    """A call that is differentiated on what ``done`` has for its operands: what equals it has other operands."""
    new: Any = done[id(call)]
    if new.kind == "call" and new.op is call.op:
        return new
    return Call(call.op, tuple([done.get(id(a), a) for a in call.args]), call.params, call.shape, call.out)


def map_bottom_up(root: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """``root`` with every term changed, after its operands."""
    done: dict[int, Expr] = {}
    same = True  # so far: most changes are looked for in vain
    for term in postorder(root):
        done[id(term)] = new = change(term if same else rebuilt(term, done))
        same = same and new is term
    return done[id(root)]


def substitute(root: Expr, given: dict[Expr, Expr]) -> Expr:
    """``root`` with each term of ``given`` replaced."""
    done: dict[int, Expr] = {}
    same = True
    for term in postorder(root):
        done[id(term)] = new = given[term] if term in given else term if same else rebuilt(term, done)
        same = same and new is term
    return done[id(root)]


# ------------------------------------------------------------------------------------------------------------ expand


def distributed(factors: Sequence[Factor], place: int) -> list[tuple[Number, list[Factor]]]:
    """The distributive law: the products, each a number and factors, that one with a sum at ``place`` adds up.

    A product that lacks one of the sum's labels has ones there.
    """
    f, labels = factors[place]
    found = []
    for c, t, s in summands(f, 1, labels):
        loose = [(One(n), (k,)) for k, n in zip(labels, f.shape, strict=True) if k not in s]
        found.append((c, [*factors[:place], (t, s), *loose, *factors[place + 1 :]]))
    return found


def shaped_distributed(shape: Any, coef: Number, factors: Sequence[Factor], place: int) -> Expr:
    """The product with its sum at ``place`` multiplied out, as an array of a shape; see `shaped`."""
    every = tuple(range(len(shape)))
    return shaped_sum(shape, [(c, shaped(shape, coef, part), every) for c, part in distributed(factors, place)])


EXPANDED = bound(1000)
"""Terms up to which a formula is multiplied out when it is asked for; more are refused."""
MULTIPLIED = bound(30_000)
"""Terms of all sums on the way there: products in products make many of them, from which few are left."""


class Expansion:
    """Multiplies out products over sums, and whole powers of sums, of all terms that it is called with.

    Attributes
    ----------
    left : how many terms it may still make
    """

    left: int

    def __init__(self, left: int = MULTIPLIED) -> None:
        self.left = left

    def __call__(self, root: Expr) -> Expr:
        """A term multiplied out.

        Raises
        ------
        FormulaError : that makes too many terms
        """
        return map_bottom_up(root, lambda term: _opened(self._multiplied(term)))

    def _multiplied(self, term: Expr) -> Expr:
        every = term.axes
        if isinstance(term, Add):
            return shaped_sum(term.shape, [x for c, t, s in term.terms for x in summands(t, c, s)])
        power = term.exponent
        if power != 1 and isinstance(term.base, Add):
            times = shaped(term.shape, 1, term.args)
            if isinstance(power, int) and 1 < power <= EXPANDED:
                out = times
                for _ in range(power - 1):
                    out = self._product(term.shape, 1, [(out, every), (times, every)], 1)
                return out
        if isinstance(term, Ein):
            sums = places_of_sums(term)
            beyond = {frozenset([k for k in term.factors[place][1] if k >= term.rank]) for place in sums}
            if len(sums) > 1 and len(beyond - {frozenset()}) < 2:
                return self._one_by_one(term, sums)
            if sums:
                return self._product(term.shape, term.coef, term.factors, sums[0])
        return term

    def _one_by_one(self, term: Ein, sums: list[int]) -> Expr:
        """A product of sums, entry by entry: like terms of (a + b)(a − b)(a + b)… meet after each of them."""
        dims, labels = term.dims, tuple(range(len(term.dims)))
        out = self._multiplied(shaped(dims, term.coef, [*all_but(term.factors, *sums), term.factors[sums[0]]]))
        for place in sums[1:]:
            out = self._product(dims, 1, [(out, labels), term.factors[place]], 1)
        if len(dims) == term.rank:
            return out
        return self._product(term.shape, 1, [(out, labels)], 0)

    def _product(self, shape: Any, coef: Any, factors: Any, place: int) -> Expr:
        """The product of factors, of which one is a sum, multiplied out."""
        every = tuple(range(len(shape)))
        found: list[Term] = []
        for c, part in distributed(factors, place):
            one = summands(self._multiplied(shaped(shape, coef, part)), c, every)
            found += one
            self.left -= len(one)
            if len(found) > EXPANDED or self.left < 0:
                many = f"has more than {EXPANDED} terms" if self.left >= 0 else "makes too many terms on the way"
                raise FormulaError(
                    f"multiplied out the formula {many}", "No one reads them.",
                    "Expand a part of it, or collect() in one symbol.",
                )  # fmt: skip
        return shaped_sum(shape, found)


def expanded(root: Expr) -> Expr:
    """A term whose products over sums, and whole powers of sums, are multiplied out; see `Expansion`."""
    return Expansion()(root)


def _opened(term: Expr) -> Expr:
    inner, scale, order = inner_sum(term)
    if inner is None or scale == 1 or inner.rank != term.rank or order != term.axes:
        return term
    return Add(tuple([(tidy_number(scale * c), t, s) for c, t, s in inner.terms]), term.shape)


def collected(root: Expr, part: Expr) -> Expr:
    """A sum by powers of a part of it: what stands before each power is one sum."""
    name = Var(" part", part.shape)
    sums = expanded(substitute(root, {part: name}))
    groups: dict[Any, list[Any]] = {}
    every = sums.axes
    for c, t, s in summands(sums, 1, every):
        whole = shaped(sums.shape, c, [(t, s)])
        key, powers, before, labels = _split(whole, name)
        groups.setdefault(key, [powers, labels, []])[2].append((1, before, before.axes))
    found = []
    for powers, labels, parts in groups.values():
        before = expanded(shaped_sum(parts[0][1].shape, parts))
        sizes = dict(enumerate(sums.shape))
        found.append((1, ein(1, [(before, labels), *powers], every, sizes), every))
    return substitute(shaped_sum(sums.shape, found), {name: part})


def _split(term: Expr, name: Var) -> Any:
    """A product as the powers of a part and what stands before them: (what is alike, powers, the rest, its labels)."""
    every = term.axes
    dims = dict(enumerate(term.dims))
    powers = [(f, s) for f, s in term.factors if f.base is name]
    rest = [(f, s) for f, s in term.factors if f.base is not name]
    inner = list(dict.fromkeys([k for _, s in powers for k in s if k >= term.rank]))  # in the order they are met
    used = {k for _, s in rest for k in s}
    labels = (*[k for k in every if k in used or not any(k in s for _, s in powers)], *inner)
    before = ein(term.coef, rest, labels, dims)
    numbers = {k: term.rank + i for i, k in enumerate(inner)}
    renamed = [(f, tuple([numbers.get(k, k) for k in s])) for f, s in powers]
    places = tuple([numbers.get(k, k) for k in labels])
    return (tuple(renamed), places), renamed, before, places
