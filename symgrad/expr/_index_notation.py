"""Index notation as rules are written in it: ``Σₖ inv(A)[i,k]·A[k,j]``, ``log(1 + exp(x))``, ``softmax(u, k)[…,k]``.

The idea to hold: a name without indices is any operand, read entry by entry; a name with indices is an array. ``…``
stands for all axes that are not named, and an index after an array's name in a function (``softmax(u, k)``) says along
which axis it works. A summed index may stand for several axes where the text has but one of it. The parser is that of
all formulas (`syntax`); here its trees become patterns.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import pi
from typing import Any, NamedTuple

from .._errors import FormulaError
from ..syntax import INFIX, Node, ParseError, Parser, tokens_of, with_roles

At = tuple[str, ...]


class Hole(NamedTuple):
    """Any operand, entry by entry (``at`` is None), or an array read at indices."""

    name: str
    at: At | None


class Num(NamedTuple):
    """A number."""

    value: Any


class Product(NamedTuple):
    """A number times factors, over the summed indices."""

    coef: Any
    factors: tuple[Any, ...]
    summed: At


class Sum(NamedTuple):
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


class Same(NamedTuple):
    """1 where two indices agree, else 0."""

    at: At


def parts_of(p: Any) -> tuple[Any, ...]:
    """What a pattern is made of."""
    if isinstance(p, Sum):
        return tuple([t for _, t in p.terms])
    return p.factors if isinstance(p, Product) else getattr(p, "args", ())


def loose(pattern: Any) -> int:
    """How much a pattern leaves open: what says most is looked for first."""
    if isinstance(pattern, Hole):
        return 3
    if isinstance(pattern, Entrywise):
        return 2 - any(isinstance(a, (Product, Sum, Whole)) for a in pattern.args)
    return 0


def in_search_order(pattern: Any) -> Any:
    """A pattern whose products have first what says most."""
    if not isinstance(pattern, Product):
        return pattern
    return pattern._replace(factors=tuple(sorted(pattern.factors, key=loose)))


COMPARISONS = {">": "gt", "<": "lt", "≥": "ge", "≤": "le", "=": "eq", "≠": "ne"}
OF_ARRAYS = frozenset(
    ["inv", "det", "logdet", "detsign", "cholesky", "kron", "softmax", "log_softmax", "logsumexp", "prod", "expm"]
)
"""Functions of whole arrays; every other name before a bracket is element-wise."""

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
            return Sum(tuple([(c * t.value, Num(1)) if isinstance(t, Num) else (c, t) for c, t in terms]))
        coef, term = terms[0]
        if isinstance(term, Num):
            return Num(coef * term.value)
        if coef == 1:
            return term
        return Product(coef, term.factors, term.summed) if isinstance(term, Product) else Product(coef, (term,), ())

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
        return coef, rest[0] if len(rest) == 1 and not summed else Product(1, tuple(rest), summed)

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
            return Whole(name, tuple(args), along, at)
        return args[0] if name == "1[]" else Entrywise("abs" if name == "||" else name, tuple(args))


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
