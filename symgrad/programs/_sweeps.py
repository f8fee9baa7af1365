"""Derivatives of programs: the gradient by one walk back over the definitions, its derivative by one walk forward.

The idea to hold: going back, every adjoint gets a name, so nothing is computed twice. Going forward, a derivative
keeps the variable's axes as indices of its own and stays a sum of products (`_sums`): an identity, a data matrix, a
shift are carried along unmultiplied until a product needs them. That is cross-country elimination: what a Hessian
shares in all its entries is multiplied in last.
"""

from __future__ import annotations

from typing import Any

from .. import _limits
from ..calculus import chained, onto, partial
from ..terms import Call, Delta, Ein, Expr, Map, One, Var, add, ein, is_zero, number, zeros
from ._builder import Builder
from ._differentials import pulled, slopes
from ._sums import collected, merged
from ._survey import Unprogrammable
from ._terms import as_product, entries, every_name, named


def reaching(builder: Builder, variables: list[Var]) -> set[str]:
    """The names of all that depends on the variables."""
    live = {v.name for v in variables}
    for var in builder.names:
        if not live.isdisjoint(every_name(builder.terms[var.name])):
            live.add(var.name)
    return live


def gradients(builder: Builder, root: Expr, variables: list[Var]) -> list[Expr]:
    """The gradient of a scalar atom with respect to each variable, as atoms. Variables may be names that others are
    made of: the gradient of one goes no further than to the next."""
    return _back(builder, {}, variables, root)


def gradients_behind(builder: Builder, names: list[Var], given: list[Expr], variables: list[Var]) -> list[Expr]:
    """The gradient with respect to variables of what has given gradients with respect to names made of them."""
    start: dict[str, list[Expr]] = {}
    for var, g in zip(names, given, strict=True):
        if not is_zero(g):
            start.setdefault(var.name, []).append(g)
    return _back(builder, start, variables)


def _back(builder: Builder, parts: dict[str, list[Expr]], variables: list[Var], root: Expr | None = None) -> list[Expr]:
    """The walk back from a root, or from what is there of gradients already."""
    live = reaching(builder, variables)
    ends = {v.name for v in variables}
    order = [v for v in builder.names if v.name in live and v.name not in ends]

    def give(name: str, value: Expr) -> None:
        if not is_zero(value):
            parts.setdefault(name, []).append(value)

    if root is not None:
        _pull(builder, root, number(1), live, give)
    for var in reversed(order):
        incoming = parts.pop(var.name, None)
        if incoming:
            _pull(builder, builder.terms[var.name], _total(builder, incoming, var), live, give)
    return [_total(builder, parts[x.name], x) if parts.get(x.name) else zeros(x.shape) for x in variables]


def _require_name(f: Expr) -> None:
    """No factor may hide what depends on the variables."""
    if f.children:
        raise AssertionError(f"a product of a program holds {f!r}, which has no name")


def _total(builder: Builder, incoming: list[Expr], var: Var) -> Expr:
    every = tuple(range(var.rank))
    return builder.atom(add([(1, t, every) for t in incoming], every, dict(enumerate(var.shape))))


def _pull(builder: Builder, term: Expr, g: Expr, live: set[str], give: Any) -> None:
    """What the adjoint ``g`` of a definition gives to the names it is made of."""
    if is_zero(g):
        return
    every = tuple(range(term.rank))
    dims = dict(enumerate(term.shape))
    if isinstance(term, Var):
        if term.name in live:
            give(term.name, g)
    elif isinstance(term, Ein):
        for place, (f, s) in enumerate(term.factors):
            _require_name(f)
            if not (isinstance(f, Var) and f.name in live):
                continue
            rest = [(g, every), *term.factors[:place], *term.factors[place + 1 :]]
            covered = {k for _, t in rest for k in t}
            loose = [(One(term.dims[k]), (k,)) for k in dict.fromkeys(s) if k not in covered]
            give(f.name, builder.atom(onto(term.coef, [*rest, *loose], s, f.shape)))
    elif term.kind == "add":
        for c, t, s in term.terms:  # type: ignore[attr-defined]
            if any(n in live for n in named(t)):
                _pull(builder, t, builder.atom(onto(c, [(g, every)], s, t.shape)), live, give)
    elif isinstance(term, Map):
        for i, (a, s) in enumerate(term.args):
            if any(n in live for n in named(a)):
                slope = builder.atom(partial(term, i))
                if not is_zero(slope):
                    whole = chained(slope, every, g, every, every, dims, term)
                    _pull(builder, a, builder.atom(onto(1, [(whole, every)], s, a.shape)), live, give)
    elif isinstance(term, Call):
        for i, a in enumerate(term.args):
            if any(n in live for n in named(a)):
                _pull(builder, a, builder.atom(pulled(term, i, g, builder.values)), live, give)
    elif term.children:
        raise Unprogrammable(f"a term of kind {term.kind} on the way")


# --------------------------------------------------------------------------------------------------------- forwards


class _TooMany(Exception):
    """Sums of products have become too long."""


class Tangents:
    """The derivatives of names with respect to one variable: sums of products, the variable's axes last.

    ``limit`` bounds what may be multiplied out on the way: entries of an intermediate array; 0, where the pattern of
    the result is wanted. Names that are ``held`` do not change with the variable.
    """

    def __init__(self, builder: Builder, x: Var, limit: int, held: tuple[str, ...] = ()) -> None:
        self.builder, self.x, self.limit, self.held = builder, x, limit, held
        self.known: dict[str, list[Ein]] = {}
        size = entries(x.shape)
        most = max(_limits.SPARSE_PRODUCTS, _limits.SPARSE_EACH * len(builder.names))
        self.products, self.most = 0, min(most, _limits.SPARSE_LEAST + _limits.SPARSE_WORTH * size)
        self._begin()

    def _begin(self) -> None:
        n = self.x.rank
        deltas = [(Delta(d), (i, n + i)) for i, d in enumerate(self.x.shape)]
        own = as_product(ein(1, deltas, tuple(range(2 * n)))) if n else as_product(number(1))
        self.known = {self.x.name: [own], **{name: [] for name in self.held}}

    def of(self, atom: Expr) -> list[Ein]:
        """The derivative of an atom, a sum of products."""
        try:
            return self._of(atom)
        except _TooMany:
            size = entries(self.x.shape)
            if size > _limits.SPARSE_SMALL:
                raise Unprogrammable(f"its derivatives have more than {self.most:,} products") from None
        self.limit = _limits.SPARSE_SUMS
        self._begin()
        return self._of(atom)

    def _of(self, atom: Expr) -> list[Ein]:
        needed = self.builder.behind(named(atom)) & reaching(self.builder, [self.x])
        last = self._last(atom)
        names = self.builder.names
        place, derived, before, many = 0, 0, self.builder.steps, len(needed - self.known.keys())
        while place < len(names):  # definitions that derivatives add come after what they need, and before its users
            name = names[place].name
            if name in needed and name not in self.known:
                self.known[name] = self._derived(self.builder.terms[name], name in last)
                derived += 1
                if derived > many // 4:  # the rest of a loop goes on as this part did, to a few per cent
                    reckoned = before + (self.builder.steps - before) * many / derived
                    self.builder.require_worth(reckoned / 1.1)
            place += 1
        return self._rate(atom)

    def _rate(self, atom: Expr) -> list[Ein]:
        """The derivative of an atom from that of its name."""
        if isinstance(atom, Var):
            return self.known.get(atom.name, [])
        return self._derived(atom)

    def _last(self, atom: Expr) -> set[str]:
        """The names that are only added up to the atom: what their derivatives have is the result's, term by term."""
        todo, seen = named(atom), set()
        while todo:
            name = todo.pop()
            term = self.builder.terms.get(name)
            if name not in seen and term is not None:
                seen.add(name)
                if term.kind == "add":
                    todo += [n for _, t, _ in term.terms for n in named(t)]  # type: ignore[attr-defined]
        return seen

    def _derived(self, term: Expr, last: bool = True) -> list[Ein]:
        """The derivative of a definition (or an atom)."""
        terms = self._rough(term)
        if len(terms) < 2 or (last and len(terms) <= _limits.LAST_TERMS):
            return collected(terms)
        return merged(self.builder, terms, term.rank, self.limit)

    def _rough(self, term: Expr) -> list[Ein]:
        x, rank = self.x, term.rank
        new = tuple(range(rank, rank + x.rank))
        dims = {**dict(enumerate(term.shape)), **dict(zip(new, x.shape, strict=True))}
        out = (*range(rank), *new)
        every = tuple(range(rank))
        if isinstance(term, Var):
            return self.known.get(term.name, [])
        if isinstance(term, Ein):
            last = len(term.dims)
            far = tuple(range(last, last + x.rank))
            found = []
            for place, (f, s) in enumerate(term.factors):
                _require_name(f)
                others = [*term.factors[:place], *term.factors[place + 1 :]]
                for rate in self._rate(f) if isinstance(f, Var) else ():
                    full = {**dims, **dict(zip(far, x.shape, strict=True))}
                    found += self._product(term.coef, [*others, (rate, (*s, *far))], (*every, *far), full)
            return found
        if term.kind == "add":
            found = []
            for c, t, s in term.terms:  # type: ignore[attr-defined]
                for rate in self._rate(t):
                    found += self._product(c, [(rate, (*s, *new))], out, dims)
            return found
        if isinstance(term, Map):
            return self._map(term, every, new, out, dims)
        if isinstance(term, Call):
            return self._call(term, rank)
        if not term.children:
            return []
        raise Unprogrammable(f"a term of kind {term.kind} on the way")

    def _map(self, term: Map, every: Any, new: Any, out: Any, dims: Any) -> list[Ein]:
        found: list[Ein] = []
        for i, (a, s) in enumerate(term.args):
            rates = self._rate(a)
            if not rates:
                continue
            slope = self.builder.atom(partial(term, i))
            if is_zero(slope):
                continue
            for rate in rates:
                found += self._product(1, [(slope, every), (rate, (*s, *new))], out, dims)
        return found

    def _call(self, term: Call, n: int) -> list[Ein]:
        found: list[Ein] = []
        for i, a in enumerate(term.args):
            rates = self._rate(a)
            if not rates:
                continue
            inside = tuple(range(n, n + a.rank))
            new = tuple(range(n + a.rank, n + a.rank + self.x.rank))
            out = (*range(n), *new)
            dims = {**dict(enumerate(term.shape)), **dict(zip(new, self.x.shape, strict=True))}
            terms = [j for part in slopes(term, i, self.builder.values) for j in self.builder.structural(part)]
            for j in terms:
                for rate in rates:
                    found += self._product(1, [(j, (*range(n), *inside)), (rate, (*inside, *new))], out, dims)
        return found

    def _product(self, coef: Any, factors: list[Any], out: Any, dims: Any) -> list[Ein]:
        """One product, its factors names and patterns; nothing if it is zero."""
        self.products += 1
        self.builder.products += 1
        self.builder.require_worth(self.builder.steps)
        if not self.limit and self.products > self.most:
            raise _TooMany
        short = ein(coef, factors, out, dims)
        if is_zero(short):
            return []
        return [t for t in self.builder.structural(short) if not is_zero(t)]
