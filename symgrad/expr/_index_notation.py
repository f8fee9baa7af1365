"""Index notation as rules are written in it: ``Σₖ inv(A)[i,k]·A[k,j]``, ``log(1 + exp(x))``, ``softmax(u, k)[…,k]``.

The idea to hold: a name without indices is any operand, read entry by entry; a name with indices is an array. ``…``
stands for all axes that are not named, and an index after an array's name in a function (``softmax(u, k)``) says along
which axis it works. A summed index may stand for several axes where the text has but one of it.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from .._errors import FormulaError

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


COMPARISONS = {">": "gt", "<": "lt", "≥": "ge", "≤": "le", "=": "eq", "≠": "ne"}
OF_ARRAYS = frozenset(
    ["inv", "det", "logdet", "detsign", "cholesky", "kron", "softmax", "log_softmax", "logsumexp", "prod", "expm"]
)
"""Functions of whole arrays; every other name before a bracket is element-wise."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-zα-ωΦ][A-Za-z0-9_]*)|Σ(?P<sum>[ᵢⱼₖₗₘₙₚᵣₛₜ]+)|(?P<sign>\S))"
)
_SUBSCRIPTS = str.maketrans("ᵢⱼₖₗₘₙₚᵣₛₜ", "ijklmnprst")
_POWERS = {"²": 2, "³": 3}


@cache
def read(text: str) -> Any:
    """The pattern that a text is.

    Raises
    ------
    FormulaError : it is none; it shows where
    """
    try:
        return _Reader(text).whole()
    except RecursionError:
        raise FormulaError("a rule is nested too deeply", text[:60], "Name parts of it by rows of your own.") from None


class _Reader:
    """One text, read from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        at = 0
        while at < len(text.rstrip()):
            found = _TOKEN.match(text, at)
            assert found is not None
            kind = str(found.lastgroup)
            self.tokens.append((kind, found[kind], found.start(kind)))
            at = found.end()
        self.tokens.append(("end", "", len(text)))
        self.place = 0

    def whole(self) -> Any:
        """All of the text."""
        out = self.comparison()
        if self.tokens[self.place][0] != "end":
            raise self.problem("what follows does not belong to it")
        return out

    def problem(self, what: str) -> FormulaError:
        """An error with a caret."""
        at = self.tokens[self.place][2]
        return FormulaError(
            f"a rule is not index notation: {what}", f"\n    {self.text}\n    {' ' * at}^",
            "Write it as Σₖ inv(A)[i,k]·A[k,j], log(1 + exp(x)), softmax(u, k)[…,k] or 1[x > 0].",
        )  # fmt: skip

    def next(self, *signs: str) -> bool:
        """Whether the next token is one of the signs; it is taken if so."""
        kind, text, _ = self.tokens[self.place]
        if kind == "sign" and text in signs:
            self.place += 1
            return True
        return False

    def need(self, sign: str) -> None:
        """Take a sign that must be there."""
        if not self.next(sign):
            raise self.problem(f"'{sign}' is missing")

    def comparison(self) -> Any:
        left = self.sum()
        for sign, name in COMPARISONS.items():
            if self.next(sign):
                return Entrywise(name, (left, self.sum()))
        return left

    def sum(self) -> Any:
        terms = [self.term(-1 if self.next("−", "-") else 1)]
        while True:
            if self.next("+"):
                terms.append(self.term(1))
            elif self.next("−", "-"):
                terms.append(self.term(-1))
            else:
                return terms[0][1] if len(terms) == 1 and terms[0][0] == 1 else _sum(terms)

    def term(self, sign: int) -> tuple[Any, Any]:
        """A product as a number and the rest."""
        summed: At = ()
        if self.tokens[self.place][0] == "sum":
            summed = tuple(self.tokens[self.place][1].translate(_SUBSCRIPTS))
            self.place += 1
        factors = [self.power()]
        while True:
            if self.next("·", "*"):
                factors.append(self.summed() if self.tokens[self.place][0] == "sum" else self.power())
            elif self.next("/"):
                below = self.summed() if self.tokens[self.place][0] == "sum" else self.power()
                factors.append(_below(below))
            else:
                break
        coef: Any = sign
        rest: list[Any] = []
        for f in factors:
            if isinstance(f, Entrywise) and f.params == (-1,) and isinstance(f.args[0], Num):
                coef = coef * Fraction(1, f.args[0].value)
            elif isinstance(f, Num) and f.value == f.value:
                coef = coef * f.value
            else:
                rest.append(f)
        if not rest:
            return 1, Num(coef)
        if len(rest) == 1 and not summed:
            return coef, rest[0]
        return (coef, Product(1, tuple(rest), summed)) if coef != 1 else (1, Product(1, tuple(rest), summed))

    def summed(self) -> Any:
        """A sum over indices that is a factor: it ends where the term ends."""
        return self.term(1)[1]

    def power(self) -> Any:
        base = self.atom()
        kind, text, _ = self.tokens[self.place]
        if kind == "sign" and text in _POWERS:
            self.place += 1
            return Entrywise("pow_scalar", (base,), (_POWERS[text],))
        if self.next("^"):
            exponent = self.power()
            if isinstance(exponent, Num):
                return Entrywise("pow_scalar", (base,), (exponent.value,))
            if isinstance(exponent, Hole) and exponent.name in ("k", "n"):  # any number
                return Entrywise("pow_scalar", (base,), (exponent.name,))
            return Entrywise("pow_tensor", (base, exponent))
        return base

    def atom(self) -> Any:
        kind, text, _ = self.tokens[self.place]
        self.place += 1
        if kind == "number":
            if text == "1" and self.next("["):
                inner = self.comparison()
                self.need("]")
                return inner
            return Num(float(text) if "." in text else int(text))
        if text == "NaN":
            return Num(float("nan"))
        if text == "π":
            return Num(3.141592653589793)
        if kind == "name" and text == "δ":
            return Same(self.indices())
        if kind == "name":
            return self.call(text) if self.next("(") else Hole(text, self.indices() if self.ahead("[") else None)
        if text == "½":
            return Num(Fraction(1, 2))
        if text == "(":
            inner = self.comparison()
            self.need(")")
            return inner
        if text == "|":
            inner = self.sum()
            self.need("|")
            return Entrywise("abs", (inner,))
        if text == "√":
            return Entrywise("pow_scalar", (self.atom(),), (Fraction(1, 2),))
        self.place -= 1
        raise self.problem("a name, a number or a bracket is missing")

    def ahead(self, sign: str) -> bool:
        return self.tokens[self.place][:2] == ("sign", sign)

    def call(self, name: str) -> Any:
        """A function of what stands in brackets."""
        args = [self.comparison()]
        while self.next(","):
            args.append(self.comparison())
        self.need(")")
        if name not in OF_ARRAYS:
            return Entrywise(name, tuple(args))
        along = args.pop().name if len(args) == 2 and name in ("softmax", "log_softmax", "logsumexp") else None
        return Whole(name, tuple(args), along, self.indices() if self.ahead("[") else ())

    def indices(self) -> At:
        """Indices in square brackets."""
        self.need("[")
        found = []
        while not self.next("]"):
            kind, text, _ = self.tokens[self.place]
            if kind != "name" and text != "…":
                raise self.problem("an index is missing")
            found.append(text)
            self.place += 1
            self.next(",")
        return tuple(found)


def _below(p: Any) -> Any:
    """What is divided by, as a power."""
    known = isinstance(p, Entrywise) and p.name == "pow_scalar" and type(p.params[0]) is not str
    return Entrywise("pow_scalar", p.args, (-p.params[0],)) if known else Entrywise("pow_scalar", (p,), (-1,))


def _sum(terms: list[tuple[Any, Any]]) -> Any:
    if len(terms) == 1:
        c, t = terms[0]
        if isinstance(t, Num):
            return Num(c * t.value)
        return Product(c, t.factors, t.summed) if isinstance(t, Product) else Product(c, (t,), ())
    return Sum(tuple([(c * t.value, Num(1)) if isinstance(t, Num) else (c, t) for c, t in terms]))
