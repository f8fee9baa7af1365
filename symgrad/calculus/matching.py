"""Rules applied: a pattern found in a term, and what it says instead, built from what its names stand for.

Index notation as rules are written in it: ``Σₖ inv(A)[i,k]·A[k,j]``, ``log(1 + exp(x))``, ``softmax(u, k)[…,k]``.

The idea to hold: a name without indices is any operand, read entry by entry; a name with indices is an array. ``…``
stands for all axes that are not named, and an index after an array's name in a function (``softmax(u, k)``) says along
which axis it works. A summed index may stand for several axes where the text has but one of it. What a function of
arrays is of may be written by its entries, ``det(x[i]·δ[i,j])``: its axes are then the indices that are not summed, in
the order of the alphabet, and mean nothing outside; in there nothing is left over, a name takes all that has its
indices. The parser is that of all formulas (`syntax`); here its trees become patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import count, permutations
from math import pi
from typing import Any, NamedTuple

from .. import _limits
from .._errors import FormulaError
from .._trees import postorder
from ..core import TABLE
from ..syntax import INFIX, Node, ParseError, Parser, tokens_of, with_roles
from ..terms import (
    Add,
    Call,
    Data,
    Delta,
    Ein,
    Expr,
    Lin,
    Map,
    One,
    add,
    all_but,
    axis_size,
    connected,
    constant_of,
    ein,
    inverse,
    is_condition,
    is_negative,
    is_zero,
    labels_at,
    labels_in,
    map_,
    number,
    row,
    scaled,
    shaped,
    shaped_sum,
    summands,
    with_number,
)
from .lifting import mask

At = tuple[str, ...]


class Hole(NamedTuple):
    """Any operand, entry by entry (``at`` is None), or an array read at indices."""

    name: str
    at: At | None


class Num(NamedTuple):
    """A number."""

    value: Any


class ProductPattern(NamedTuple):
    """A number times factors, over the summed indices."""

    coef: Any
    factors: tuple[Any, ...]
    summed: At


class SumPattern(NamedTuple):
    """Numbers times terms."""

    terms: tuple[tuple[Any, Any], ...]


class Entrywise(NamedTuple):
    """An element-wise operation; a power has its exponent in ``params``, a name where any number will do."""

    name: str
    args: tuple[Any, ...]
    params: tuple[Any, ...] = ()


class Whole(NamedTuple):
    """A function of arrays read at indices; ``along`` is the index of the axis that it works along."""

    name: str
    args: tuple[Any, ...]
    along: str | None
    at: At

    @property
    def array(self) -> str:
        """The array along some of whose axes it works; no name where it works along none, or its operand has none."""
        return getattr(self.args[0], "name", "") if self.along else ""


class Same(NamedTuple):
    """1 where indices agree, else 0: two, or places with pairs laid out row by row, δ[p,i,k] and δ[p,r,i,k,j,l]."""

    at: At


class ArrayPattern(NamedTuple):
    """What a function of arrays is of, by its entries at the indices of its axes."""

    entry: Any
    axes: At


def parts_of(p: Any) -> tuple[Any, ...]:
    """What a pattern is made of."""
    if isinstance(p, SumPattern):
        return tuple([t for _, t in p.terms])
    if isinstance(p, ArrayPattern):
        return (p.entry,)
    return p.factors if isinstance(p, ProductPattern) else getattr(p, "args", ())


def indices_of(pattern: Any) -> set[str]:
    """The indices that an operand has in every match."""
    if isinstance(pattern, (Hole, Whole, Same)):
        return set(pattern.at or ())
    inner = set(pattern.summed) if isinstance(pattern, ProductPattern) else set()
    return {k for part in parts_of(pattern) for k in indices_of(part)} - inner


def loose(pattern: Any) -> int:
    """How much a pattern leaves open: what says most is looked for first."""
    if isinstance(pattern, Hole):
        return 3
    if isinstance(pattern, Entrywise):
        return 2 - any(isinstance(a, (ProductPattern, SumPattern, Whole)) for a in pattern.args)
    return 0


def in_search_order(pattern: Any) -> Any:
    """A pattern whose products have first what says most."""
    if not isinstance(pattern, ProductPattern):
        return pattern
    return pattern._replace(factors=tuple(sorted(pattern.factors, key=loose)))


COMPARISONS = {">": "gt", "<": "lt", "≥": "ge", "≤": "le", "=": "eq", "≠": "ne"}
OF_ARRAYS = frozenset(
    [
        "inv", "det", "logdet", "detsign", "cholesky", "kron", "softmax", "log_softmax", "logsumexp", "prod", "expm",
        "expm_rate", "svd_u", "svd_s", "svd_vh", "size",
    ]
)  # fmt: skip
"""Functions of whole arrays, ``size(A)`` how many rows there are; every other name before a bracket is element-wise."""

_ALONG = frozenset({"softmax", "log_softmax", "logsumexp"})
_NUMBERS = {"NaN": float("nan"), "π": pi}


@cache
def read(text: str) -> Any:
    """The pattern that a text is.

    Raises
    ------
    FormulaError : it is none; it shows where
    """
    try:
        return _Builder(text).pattern(Parser(with_roles(tokens_of(text, dots=True), text), text).parse())
    except ParseError as error:
        raise FormulaError(
            f"a rule is not index notation: {error}",
            next_step="Write it as Σₖ inv(A)[i,k]·A[k,j], log(1 + exp(x)), softmax(u, k)[…,k] or 1[x > 0].",
        ) from None


class _Builder:
    """Makes patterns of the trees of one text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def pattern(self, node: Node) -> Any:
        """What a tree says."""
        terms = [self.term(part, -1 if sign == "-" else 1) for sign, part in _chain(node, "+-")]
        if len(terms) > 1:
            return SumPattern(tuple([(c * t.value, Num(1)) if isinstance(t, Num) else (c, t) for c, t in terms]))
        coef, term = terms[0]
        if isinstance(term, Num):
            return Num(coef * term.value)
        if coef == 1:
            return term
        return (
            ProductPattern(coef, term.factors, term.summed)
            if isinstance(term, ProductPattern)
            else ProductPattern(coef, (term,), ())
        )

    def term(self, node: Node, coef: Any) -> tuple[Any, Any]:
        """A product as a number and the rest."""
        if node.kind == "unary" and node.value == "-":
            return self.term(node.children[0], -coef)
        summed: At = ()
        if node.kind == "Σ":
            summed, node = node.value, node.children[0]
        parts = _chain(node, "·*/")
        if len(parts) > 1 and parts[0][1].kind == "unary" and parts[0][1].value == "-":  # −a·b/c is −(a·b)/c
            coef = -coef
            parts = _chain(parts[0][1].children[0], "·*") + parts[1:]
        rest: list[Any] = []
        for sign, part in parts:
            factor = self.pattern(part) if len(parts) > 1 or summed else self.atom(part)
            if isinstance(factor, Num) and factor.value == factor.value:
                coef = coef * (Fraction(1, factor.value) if sign == "/" else factor.value)
            else:
                rest.append(_below(factor) if sign == "/" else factor)
        if not rest:
            return 1, Num(coef)
        return coef, rest[0] if len(rest) == 1 and not summed else ProductPattern(1, tuple(rest), summed)

    def atom(self, node: Node) -> Any:
        """What is no sum and no product."""
        if node.kind == "number" and type(node.value) in (int, float, Fraction):
            return Num(node.value)
        if node.kind == "name":
            return Num(_NUMBERS[node.value]) if node.value in _NUMBERS else Hole(node.value, None)
        if node.kind == "call":
            return self.call(node, ())
        if node.kind == "entry" and all(type(i) is str for i in node.value):
            owner = node.children[0]
            if owner.kind == "name":
                return Hole(owner.value, node.value)
            if owner.kind == "call" and owner.value[0] == "δ[]":
                return Same(node.value)
            if owner.kind == "call" and owner.value[0] in OF_ARRAYS:
                return self.call(owner, node.value)
        parts = tuple(map(self.pattern, node.children))
        if node.kind == "unary" and node.value == "√":
            return Entrywise("pow_scalar", parts, (Fraction(1, 2),))
        if node.kind == "binary" and INFIX[node.value] == "**":
            return _power(*parts)
        if node.kind == "binary" and INFIX[node.value] in COMPARISONS.values():
            return Entrywise(INFIX[node.value], parts)
        raise ParseError.at("it has no place in a rule", self.text, node)

    def call(self, node: Node, at: At) -> Any:
        """A function, perhaps read at indices."""
        name, args = node.value[0], [self.pattern(child) for child in node.children]
        if name in OF_ARRAYS:
            along = args.pop().name if len(args) == 2 and name in _ALONG else None
            return Whole(name, tuple(map(_array_of, args)), along, at)
        if name in ("1[]", "||"):
            return args[0] if name == "1[]" else Entrywise("abs", tuple(args))
        return Entrywise(name, tuple(args))


def _array_of(p: Any) -> Any:
    """What a function of arrays is of: an array as it stands, or by its entries."""
    axes = indices_of(p)
    return ArrayPattern(p, tuple(sorted(axes, key=lambda k: (k != "…", k)))) if axes else p


def _chain(node: Node, signs: str) -> list[tuple[str, Node]]:
    """The operands of a sum or a product, however long, in their order, each with the sign before it."""
    found: list[tuple[str, Node]] = []
    while node.kind == "binary" and node.value in signs and not (found and node.bracketed):
        found.append((node.value, node.children[1]))
        node = node.children[0]
    return [*found, ("", node)][::-1]


def _power(base: Any, exponent: Any) -> Any:
    """A power, of a number as its exponent, or of a name that stands for any number."""
    if isinstance(exponent, Num):
        return Entrywise("pow_scalar", (base,), (exponent.value,))
    if isinstance(exponent, Hole) and exponent.name in ("k", "n"):
        return Entrywise("pow_scalar", (base,), (exponent.name,))
    return Entrywise("pow_tensor", (base, exponent))


def _below(p: Any) -> Any:
    """What is divided by, as a power."""
    known = isinstance(p, Entrywise) and p.name == "pow_scalar" and type(p.params[0]) is not str
    return Entrywise("pow_scalar", p.args, (-p.params[0],)) if known else Entrywise("pow_scalar", (p,), (-1,))


# ----------------------------------------------------------------------------------------------------------- matching
#
# The idea to hold: a match reads a term at *labels*. A name without indices binds an operand together with the labels
# it is read at, so one rule serves numbers, vectors and broadcasting alike; a name with indices binds an array, its
# indices the labels. Products and sums match in any order, and a pattern may be part of a longer product or sum.


Operand = tuple[Expr, Any]
Bound = dict[str, Any]
"""Names of operands: (term, labels). ``A[``: an array. ``i]``: the labels of an index. ``u,``: which axes of an array
an index stands for. ``k^``: a number. ``sizes``: those of labels."""

_fresh = count(1 << 40)

ROWS = {
    "softplus": "softplus_unit", "logdet": "slogdet", "detsign": "slogdet", "cholesky": "linalg_cholesky",
    "expm": "matrix_exp", "expm_rate": "matrix_exp_rate", "svd_u": "svd", "svd_s": "svd", "svd_vh": "svd",
    "max": "maximum", "min": "minimum",
}  # fmt: skip
"""Names of functions in rules, where the row has another."""
_OF_SVD = ("svd_u", "svd_s", "svd_vh")
OUT = {"logdet": 1, "detsign": 0, "svd_u": 0, "svd_s": 1, "svd_vh": 2}


def row_of(name: str) -> Any:
    """The row of a function in a rule."""
    return TABLE.get(ROWS.get(name, name))


def found(pattern: Any, replacement: Any, term: Expr, fits: Callable[[Bound], bool]) -> Iterator[tuple[Expr, Bound]]:
    """The ways that fit to replace the pattern at a term's root (or in part of its factors or terms), with names."""
    if isinstance(pattern, ProductPattern) and isinstance(term, Ein):
        yield from _in_product(pattern, replacement, term, fits)
    elif isinstance(pattern, SumPattern) and isinstance(term, Add):
        yield from _in_sum(pattern, replacement, term, fits)
    else:
        for bound in filter(fits, matches(pattern, (term, term.axes), {"sizes": dict(enumerate(term.shape))})):
            yield shaped(term.shape, 1, [build(replacement, bound)]), bound


def _in_product(pattern: ProductPattern, replacement: Any, term: Ein, fits: Any) -> Iterator[tuple[Expr, Bound]]:
    if len(term.factors) < len(pattern.factors):
        return
    for places, bound in _in_some_order(pattern.factors, list(term.factors), (), {"sizes": dict(enumerate(term.dims))}):
        rest = all_but(term.factors, *places)
        if all(_is_summed(bound, k, term, rest) for k in pattern.summed) and fits(bound):
            try:
                kept = [*rest, build(replacement, bound)]
            except Misfit:
                continue
            coef = _ratio(term.coef, pattern.coef)
            said = {label for k in pattern.summed for label in bound[k + "]"]}
            yield shaped(term.shape, coef, [*kept, *_lost(kept, said, term)]), bound


def _is_summed(bound: Bound, index: str, term: Ein, rest: list[Operand]) -> bool:
    """Whether an index stands for labels that are summed, occur nowhere else and are no other index's (a trace)."""
    elsewhere = {k for _, s in rest for k in s}
    return _alone(bound, index) and all(k >= term.rank and k not in elsewhere for k in bound[index + "]"])


def _alone(bound: Bound, index: str) -> bool:
    others = {k for name, s in bound.items() if name[-1] == "]" and name != index + "]" for k in s}
    return others.isdisjoint(bound[index + "]"])


def _lost(kept: list[Operand], said: set[int], term: Ein) -> list[Operand]:
    """Ones for the summed indices that neither what is kept nor the pattern has: n equal terms add up."""
    there = said.union(*[s for _, s in kept])
    return [(One(term.dims[k]), (k,)) for k in range(term.rank, len(term.dims)) if k not in there]


def _in_some_order(
    wanted: Any, have: list[Operand], used: Any, bound: Bound, read: Any = None
) -> Iterator[tuple[tuple[int, ...], Bound]]:
    """Ways to match each wanted factor with another one of those there."""
    if not wanted:
        yield used, bound
        return
    for i, operand in enumerate(have):
        if i not in used and _may_match(wanted[0], operand[0]):
            for more in (read or matches)(wanted[0], operand, bound):
                yield from _in_some_order(wanted[1:], have, (*used, i), more, read)


def _may_match(pattern: Any, term: Expr) -> bool:
    if isinstance(pattern, Entrywise):
        if pattern.name == "pow_scalar":
            return type(pattern.params[0]) is str or term.exponent != 1
        return isinstance(term, Map) and (
            term.operation == ROWS.get(pattern.name, pattern.name) or _is_order(pattern, term)
        )
    if isinstance(pattern, Whole):
        return isinstance(term, (Call, Ein))
    if isinstance(pattern, Hole):
        return term.kind != "one"
    if isinstance(pattern, Same):
        return term.kind in ("delta", "lin")
    return ("add" if isinstance(pattern, SumPattern) else "ein") == term.kind


def _in_sum(pattern: SumPattern, replacement: Any, term: Add, fits: Any) -> Iterator[tuple[Expr, Bound]]:
    wanted = pattern.terms
    if not len(wanted) <= len(term.terms) <= _limits.PATTERN_TERMS:
        return
    ways = [(_ratio(term.terms[p[0]][0], wanted[0][0]), p, b) for p, b in _summands(wanted, term.terms, (), None, {})]
    built = [(scale, places, bound, build(replacement, bound)) for scale, places, bound in ways if fits(bound)]
    there = set(postorder(term)) if len(built) > 1 else ()
    # of log(x/y) and −log(y/x) the one whose quotient is there already; else that without a minus
    for scale, places, bound, new in sorted(
        built, key=lambda way: (sum([t not in there for t in postorder(way[3][0])]), is_negative(way[0]))
    ):
        yield shaped_sum(term.shape, [*all_but(term.terms, *places), (scale, *new)]), bound


def _ratio(have: Any, wanted: Any) -> Any:
    return have if wanted == 1 else have * wanted if wanted == -1 else have / Fraction(wanted)


def _summands(wanted: Any, have: Any, used: Any, scale: Any, bound: Bound) -> Iterator[Any]:
    """Ways to match each wanted term with another one, all scaled by one number."""
    if not wanted:
        yield used, bound
        return
    (c, pattern), *others = wanted
    for i, (d, t, s) in enumerate(have):
        if i not in used and (scale is None or d == scale * c):
            for more in matches(pattern, (t, s), bound):
                yield from _summands(others, have, (*used, i), _ratio(d, c) if scale is None else scale, more)


def matches(pattern: Any, operand: Operand, bound: Bound) -> Iterator[Bound]:
    """The ways to read an operand as a pattern, each with its names added to those bound."""
    return _MATCHERS[type(pattern)](pattern, *operand, bound)


def _hole(pattern: Hole, term: Expr, labels: Any, bound: Bound) -> Iterator[Bound]:
    if pattern.at is None:
        known = bound.get(pattern.name)
        if known is None:
            yield {**bound, pattern.name: (term, labels)}
        elif known[0] is term and known[1] in _orders(term, labels):
            yield bound
        return
    known = bound.get(pattern.name + "[")
    if known is not None and known.factors == ((term, (1, 0)),) and known.coef == 1:
        term, labels = known, labels[::-1]
    if known is None or known is term:
        for s in _orders(term, labels):
            yield from _indexed(pattern.at, s, pattern.name, {**bound, pattern.name + "[": term})


def _orders(term: Expr, labels: Any) -> list[Any]:
    """The labels of an array, both ways round where it is symmetric."""
    return [labels, labels[::-1]] if len(labels) == 2 and labels[0] != labels[1] and term.symmetric else [labels]


def _indexed(at: At, labels: Any, array: str, bound: Bound) -> Iterator[Bound]:
    """Indices bound to labels; ``…`` to those of the other axes."""
    if "…" not in at:
        if len(at) == len(labels):
            new = dict(bound)
            if all(new.setdefault(i + "]", (k,)) == (k,) for i, k in zip(at, labels, strict=True)):
                yield new
        return
    names = [i for i in at if i != "…"]
    if not names:
        if bound.get("…]", labels) == labels:
            yield {**bound, "…]": labels}
        return
    index, places = names[0], bound.get(array + ",")
    known = bound.get(index + "]")
    if known is not None:
        if len(set(labels)) < len(labels) or not set(known) <= set(labels):
            return
        places = tuple([n for n, k in enumerate(labels) if k in known])
    for axes in [places] if places is not None else [(n,) for n in range(len(labels))]:
        here = labels_at(labels, axes)
        others = tuple(all_but(labels, *axes))
        if bound.get(array + ",", axes) == axes and bound.get("…]", others) == others and len(set(here)) == len(here):
            yield {**bound, array + ",": axes, index + "]": here, "…]": others}


def _num(pattern: Num, term: Expr, labels: Any, bound: Bound) -> Iterator[Bound]:
    value = constant_of(term)
    if value is None and isinstance(term, Data) and term.value.size == 1:
        value = term.value.item()
    if value is not None and (value == pattern.value or (value != value and pattern.value != pattern.value)):
        yield bound


def _product(pattern: ProductPattern, term: Expr, labels: Any, bound: Bound) -> Iterator[Bound]:
    if not pattern.summed and len(pattern.factors) == 1 and isinstance(pattern.factors[0], Hole):
        inner = scaled(1 / Fraction(pattern.coef), term)  # −x, 2x: x is what makes it so
        yield from matches(pattern.factors[0], (inner, labels), bound)
        return
    if len(term.factors) != len(pattern.factors) or term.coef != pattern.coef:
        return
    inside = [next(_fresh) for _ in term.dims[term.rank :]]
    if bool(inside) != bool(pattern.summed):
        return
    if len(pattern.summed) == 1:
        bound = {**bound, pattern.summed[0] + "]": tuple(inside)}
    elif len(inside) != len(pattern.summed):
        return
    names = [*labels, *inside]
    have = [(f, labels_at(names, s)) for f, s in term.factors]
    for _, new in _in_some_order(sorted(pattern.factors, key=loose), have, (), bound):
        if all(_alone(new, k) for k in pattern.summed if k + "]" in new):
            yield new


def _sum(pattern: SumPattern, term: Expr, labels: Any, bound: Bound) -> Iterator[Bound]:
    sign: Any = 1
    if len(term.factors) == 1 and isinstance(term.factors[0][0], Add):  # −(a − b)
        sign, (inner, s) = term.coef, term.factors[0]
        if len(term.dims) == term.rank and len(set(s)) == len(s):
            term, labels = inner, labels_at(labels, s)
    if not isinstance(term, Add) or len(term.terms) != len(pattern.terms):
        return
    have = [(sign * c, t, labels_at(labels, s)) for c, t, s in term.terms]
    for _, new in _summands(pattern.terms, have, (), 1, bound):
        yield new


def _entrywise(pattern: Entrywise, term: Expr, labels: Any, bound: Bound) -> Iterator[Bound]:
    if pattern.name == "pow_scalar" and type(pattern.params[0]) is str:  # any number
        name = pattern.params[0] + "^"
        for base, exponent in _powers(term):
            if bound.get(name, exponent) == exponent:
                yield from matches(pattern.args[0], (base, labels), {**bound, name: exponent})
        return
    if not isinstance(term, Map):
        return
    if _is_order(pattern, term):
        large, small = term.args if pattern.name == term.operation else term.args[::-1]
        every = term.axes
        above = shaped_sum(term.shape, [(1, *large), (-1, *small)])
        yield from matches(pattern.args[0], (above, labels_at(labels, every)), bound)
    elif term.op is row_of(pattern.name) and term.params == pattern.params:
        have = [(a, labels_at(labels, s)) for a, s in term.args]
        for way in (have, have[::-1]) if term.operation in _EITHER_ORDER else (have,):
            yield from _place_by_place(pattern.args, way, bound)


def _powers(term: Expr) -> Iterator[tuple[Expr, Any]]:
    """The ways to read a term as a power: e⁴ᵘ is (e²ᵘ)² and (eᵘ)⁴, too."""
    yield term.as_power
    if term.operation == "exp":
        u, s = term.args[0]
        for k in range(2, min(abs(u.coef), _limits.EXP_POWER) + 1) if isinstance(u.coef, int) else ():
            if u.coef % k == 0:
                yield map_(term.op, [(scaled(Fraction(1, k), u), s)], (), term.axes), k


_EITHER_ORDER = frozenset(["maximum", "minimum", "logaddexp", "eq", "ne"])
"""Operations whose operands may change places."""


_ORDER = {"gt": ("gt", "lt"), "ge": ("ge", "le")}


def _is_order(pattern: Entrywise, term: Map) -> bool:
    """Whether a comparison is ``x > 0``, which is a > b of x = a − b."""
    return term.operation in _ORDER.get(pattern.name, ()) and pattern.args[1] == Num(0)


def _place_by_place(wanted: Any, have: Any, bound: Bound, read: Any = None) -> Iterator[Bound]:
    """Ways to match each wanted operand with the one in its place."""
    if not wanted:
        yield bound
        return
    for more in (read or matches)(wanted[0], have[0], bound):
        yield from _place_by_place(wanted[1:], have[1:], more, read)


def _whole(pattern: Whole, term: Expr, labels: Any, bound: Bound) -> Iterator[Bound]:
    if len(term.factors) == 1 and term.coef == 1 and len(term.dims) == term.rank:
        inner, s = term.factors[0]  # a diagonal, a transpose
        term, labels = inner, labels_at(labels, s)
    if not _is_call_of(pattern, term):
        return
    if pattern.along is not None:
        over = term.params[0]
        axes = tuple([int(k) % term.args[0].rank for k in (over if isinstance(over, tuple) else (over,))])
        if bound.get(pattern.array + ",", axes) != axes or (pattern.name == "logsumexp" and term.params[1]):
            return
        bound = {**bound, pattern.array + ",": axes}
    elif term.params not in ((), (False,)):
        return
    for new in _place_by_place(pattern.args, term.args, bound, _array) if len(pattern.args) == len(term.args) else ():
        for s in _orders(term, labels):
            yield from _indexed(pattern.at, s, pattern.array, new)


def _is_call_of(pattern: Whole, term: Any) -> bool:
    return isinstance(term, Call) and term.op is row_of(pattern.name) and term.out == OUT.get(pattern.name)


def _array(p: Any, term: Any, bound: Bound) -> Iterator[Bound]:
    """An array as the argument of a function."""
    if isinstance(p, Hole):
        if bound.get(p.name + "[", term) is term:
            yield {**bound, p.name + "[": term}
    elif isinstance(p, ArrayPattern):
        yield from _by_entries(p, term, bound)
    elif _is_call_of(p, term) and term.params in ((), (False,)):
        yield from _place_by_place(p.args, term.args, bound, _array)


# What a function is of, by its entries: nothing is left over there, a name takes all that has its indices.


def _by_entries(pattern: ArrayPattern, term: Expr, bound: Bound) -> Iterator[Bound]:
    labels = tuple([next(_fresh) for _ in term.shape])
    inside = _without_indices(bound)
    if "…" in pattern.axes:
        axes = bound[","]
        inside["…]"] = tuple(all_but(labels, *axes))
        inside[pattern.axes[1] + "]"] = labels_at(labels, axes)
        whole = [p.name for p in parts_of(pattern.entry) if isinstance(p, Hole) and len(p.at or ()) > 1]
        inside.update({name + ",": axes for name in whole})
    elif len(pattern.axes) == len(labels):
        inside.update({i + "]": (k,) for i, k in zip(pattern.axes, labels, strict=True)})
    else:
        return
    inside["sizes"] = dict(zip(labels, term.shape, strict=True))
    outside = {name: known for name, known in bound.items() if name not in _without_indices(bound)}
    for new in _taken(pattern.entry, (term, labels), inside):
        yield {**_without_indices(new), **outside}


def _without_indices(bound: Bound) -> Bound:
    """Names without those of indices: what these mean in what a function is of is not what they mean outside."""
    return {name: known for name, known in bound.items() if name[-1] != "]" and name != "sizes"}


def _taken(pattern: Any, operand: Operand, bound: Bound) -> Iterator[Bound]:
    """Ways to read an operand as a pattern, all of it."""
    term, labels = operand
    if isinstance(pattern, Hole):  # the array in another order, where that is not how it stands
        if term.kind == "ein":
            for new in _filled([pattern], [[operand]], {*labels}, bound, _multiplied):
                yield from [new] if new[pattern.name + "["].kind != "ein" else []
    elif isinstance(pattern, SumPattern):
        have = [(with_number(c, t), s) for c, t, s in summands(term, 1, labels)]
        wanted = [p if c == 1 else ProductPattern(c, (p,), ()) for c, p in pattern.terms]
        for names, left, new in _but_names(wanted, have, bound):
            yield from _filled(names, [[x] for x in left], {*labels}, new, _added)
    elif isinstance(pattern, ProductPattern):
        yield from _product_taken(pattern, term, labels, bound)
    else:
        yield from matches(pattern, operand, bound)


def _product_taken(pattern: ProductPattern, term: Expr, labels: Any, bound: Bound) -> Iterator[Bound]:
    inside = tuple([next(_fresh) for _ in term.dims[term.rank :]])
    every = [*labels, *inside]
    have = [(f, labels_at(every, s)) for f, s in term.factors]
    sizes = {**bound["sizes"], **dict(zip(every, term.dims, strict=True))}
    scale = term.coef / Fraction(pattern.coef)
    for summed in permutations(inside, len(pattern.summed)):
        said = {i + "]": (k,) for i, k in zip(pattern.summed, summed, strict=True)}
        fixed = {*labels, *summed}
        for names, left, new in _but_names(pattern.factors, have, {**bound, **said, "sizes": sizes}):
            parts = connected(left, fixed=fixed)
            yield from _filled(names, parts if scale == 1 else [*parts, [(number(scale), ())]], fixed, new, _multiplied)


def _but_names(wanted: Any, have: list[Operand], bound: Bound) -> Iterator[tuple[list[Hole], list[Operand], Bound]]:
    """The names that are wanted, and ways to match all else: what that leaves for them."""
    names = [p for p in wanted if isinstance(p, Hole)]
    for places, new in _in_some_order([p for p in wanted if p not in names], have, (), bound, _taken):
        yield names, all_but(have, *places), new


def _filled(names: list[Hole], parts: Any, fixed: set[int], bound: Bound, joined: Any) -> Iterator[Bound]:
    """Names with the parts that they take: each goes to the name with the fewest labels that has all of the part's.

    A name without indices is a number, 1 where there is nothing for it; for any other there must be something.
    """
    at = [labels_of(p.at or (), bound, p.name) for p in names]
    taken: list[Any] = [[] for _ in names]
    for part in parts:
        own = fixed.intersection([k for _, s in part for k in s])
        fit = [n for n, labels in enumerate(at) if own <= {*labels}]
        if not fit:
            return
        taken[min(fit, key=lambda n: len(at[n]))] += part
    new = dict(bound)
    for p, labels, mine in zip(names, at, taken, strict=True):
        array = joined(mine, labels, bound["sizes"])
        key, known = (p.name, (array, ())) if p.at is None else (p.name + "[", array)
        if (p.at is not None and not mine) or new.setdefault(key, known) != known:
            return
    yield new


def _multiplied(factors: list[Operand], labels: Any, sizes: Any) -> Expr:
    return ein(1, factors, labels, sizes)


def _added(terms: list[Operand], labels: Any, sizes: Any) -> Expr:
    return add([(1, *x) for x in terms], labels, sizes)


def _same(pattern: Same, term: Expr, labels: Any, bound: Bound) -> Iterator[Bound]:
    if isinstance(term, Delta):
        for s in _orders(term, labels):
            yield from _indexed(pattern.at, s, "", bound)
    elif isinstance(term, Lin) and term.op.name == "reshape_copy":  # an identity between the axes before and after
        sizes, out = dict(zip(labels, term.shape, strict=True)), term.out_rank
        for left, right in ((labels[:out], labels[out:]), (labels[out:], labels[:out])):
            own = [left, right]
            if len(pattern.at) > 2:
                pairs = [*zip(right[::2], right[1::2], strict=False)]
                if len(left) != _places(pattern) or [sizes[p] for p in left] != [sizes[i] * sizes[k] for i, k in pairs]:
                    continue
                own = [(k,) for k in (*left, *right)]
            elif len(set(labels)) < len(labels):  # a diagonal of it is no identity
                continue
            new = dict(bound)
            if all(new.setdefault(i + "]", k) == k for i, k in zip(pattern.at, own, strict=True)):
                yield new


def _places(pattern: Same) -> int:
    """How many of the indices are the places of the others: one of one, of a pair, or two of two pairs."""
    return max(1, len(pattern.at) // 3)


_MATCHERS: dict[Any, Any] = {
    Hole: _hole, Num: _num, ProductPattern: _product, SumPattern: _sum, Entrywise: _entrywise, Whole: _whole,
    Same: _same,
}  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- building


def build(pattern: Any, bound: Bound) -> Operand:
    """The term that a pattern is of what its names stand for, with its labels."""
    if isinstance(pattern, Hole):
        if pattern.at is None:
            return bound[pattern.name] if pattern.name in bound else (number(bound[pattern.name + "^"]), ())
        return _read(bound[pattern.name + "["], labels_of(pattern.at, bound, pattern.name))
    if isinstance(pattern, Num):
        return (number(pattern.value) if pattern.value == pattern.value else Data(pattern.value)), ()
    if isinstance(pattern, Same):
        return _built_same(pattern, bound)
    if isinstance(pattern, ProductPattern):
        inside = {**bound, **{k + "]": (next(_fresh),) for k in pattern.summed if k + "]" not in bound}}
        parts = _built(pattern.factors, inside)
        over = {label for k in pattern.summed for label in inside[k + "]"]}
        labels = tuple([k for k in labels_in(parts) if k not in over])
        return ein(pattern.coef, parts, labels), labels
    if isinstance(pattern, SumPattern):
        parts = _built([t for _, t in pattern.terms], bound)
        labels = labels_in(parts)
        return add([(c, *part) for (c, _), part in zip(pattern.terms, parts, strict=True)], labels), labels
    if isinstance(pattern, Entrywise):
        return _built_entry(pattern, bound)
    if pattern.name == "size":
        return axis_size(bound[pattern.args[0].name + "["].shape[0]), ()
    args = [_built_array(a, bound) for a in pattern.args]
    return _read(_called(pattern, args, bound), labels_of(pattern.at, bound, pattern.array))


class Misfit(Exception):
    """An index of a replacement has two sizes: those of two Kronecker products that are multiplied need not fit."""


def _built(patterns: Any, bound: Bound) -> list[Operand]:
    """Factors or terms, those that say what is the same after those of which the sizes of indices are known."""
    found, sizes = {}, bound.setdefault("sizes", {})
    for p in sorted(patterns, key=lambda p: isinstance(p, Same)):
        term, labels = found[id(p)] = build(p, bound)
        if len(labels) != term.rank or any(
            sizes.setdefault(k, n) != n for k, n in zip(labels, term.shape, strict=True)
        ):
            raise Misfit
    return [found[id(p)] for p in patterns]


def _built_same(pattern: Same, bound: Bound) -> Operand:
    """Identities between the axes of two indices, each perhaps of several; or one between axes laid out differently."""
    labels, n, sizes = [bound[k + "]"] for k in pattern.at], _places(pattern), bound["sizes"]
    left, right = sum(labels[:n], ()), sum(labels[n:], ())
    if len(left) == len(right):
        sizes.update({i: sizes[j] for i, j in zip((*left, *right), (*right, *left), strict=True) if i not in sizes})
    out, inside = (tuple([sizes[k] for k in s]) for s in (left, right))
    if out != inside:
        return Lin(row("reshape_copy"), (out,), out, inside), (*left, *right)
    same: list[Operand] = [(Delta(sizes[i]), (i, j)) for i, j in zip(left, right, strict=True)]
    return same[0] if len(same) == 1 else (ein(1, same, (*left, *right)), (*left, *right))


def _read(term: Expr, labels: Any) -> Operand:
    """An array at labels; at equal ones its diagonal."""
    once = tuple(dict.fromkeys(labels))
    return (term, labels) if once == labels else (ein(1, [(term, labels)], once), once)


def labels_of(at: At, bound: Bound, array: str) -> Any:
    """The labels of indices, in the order of the array's axes."""
    if "…" not in at:
        return tuple([k for i in at for k in bound[i + "]"]])
    rest, named = list(bound["…]"]), [i for i in at if i != "…"]
    for i in named:
        for place, k in sorted(zip(bound[array + ","], bound[i + "]"], strict=True)):
            rest.insert(place, k)
    return tuple(rest)


def _built_entry(pattern: Entrywise, bound: Bound) -> Operand:
    parts = [build(a, bound) for a in pattern.args]
    labels = labels_in(parts)
    params = tuple([bound[p + "^"] if type(p) is str else p for p in pattern.params])
    return entrywise(row_of(pattern.name), parts, params, labels), labels


def entrywise(op: Any, parts: list[Operand], params: tuple[Any, ...], labels: Any) -> Expr:
    """An element-wise operation on operands; a choice between something and nothing is a mask."""
    if op.name == "where" and is_zero(parts[2][0]) and is_condition(parts[0][0]):
        sizes = {k: n for t, s in parts for k, n in zip(s, t.shape, strict=True)}
        condition, x = [ein(1, [p], labels, sizes) for p in parts[:2]]
        return mask(condition, x, x.shape)
    return map_(op, parts, params, labels)


def _built_array(pattern: Any, bound: Bound) -> Expr:
    if isinstance(pattern, Hole):
        return bound[pattern.name + "["]
    if isinstance(pattern, ArrayPattern):
        own = {i + "]": (next(_fresh),) for i in pattern.axes if i != "…"}
        inside = {**_without_indices(bound), **own, "sizes": {}, "…]": bound.get("…]", ())}
        return ein(1, [build(pattern.entry, inside)], labels_of(pattern.axes, inside, ""))
    if isinstance(pattern, ProductPattern):  # a number times an array
        return scaled(pattern.coef, _built_array(pattern.factors[0], bound))
    return _called(pattern, [_built_array(a, bound) for a in pattern.args], bound)


def _called(pattern: Whole, args: list[Any], bound: Bound) -> Expr:
    if pattern.name == "inv":
        return inverse(args[0])
    shape = args[0].shape
    if pattern.name == "logsumexp":
        shape = tuple(all_but(shape, *bound[pattern.array + ","]))
    elif pattern.name == "kron":
        shape = tuple([m * n for m, n in zip(shape, args[1].shape, strict=True)])
    elif pattern.name in ("det", "logdet", "detsign", "prod"):
        shape = ()
    elif pattern.name in _OF_SVD:
        few = shape[0] if shape[0] <= shape[1] else shape[1]
        shape = {"svd_u": (shape[0], few), "svd_s": (few,), "svd_vh": (few, shape[1])}[pattern.name]
    return Call(row_of(pattern.name), tuple(args), params_of(pattern, bound), shape, OUT.get(pattern.name))


def params_of(pattern: Whole, bound: Bound) -> tuple[Any, ...]:
    """The parameters of a function of arrays."""
    over = (bound[pattern.array + ","],) if pattern.along else ()
    return (*over, False) if pattern.name in ("logsumexp", "cholesky", *_OF_SVD) else over
