"""Straight-line programs in the making: every shared value has a name, and a definition in terms of earlier names.

The idea to hold: a product of two named values is a small term, however much computation stands behind the names. So
nothing that is built from names can blow up: what would be flattened or distributed stays behind its name, and equal
definitions, being one term, get one name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container
from typing import Any

import numpy as np

from .. import _limits
from .._postorder import postorder
from ..calculus import is_safe
from ..core import TABLE
from ..terms import SUMS_TO_ONE, Add, Call, Ein, Expr, Indices, Lin, Map, One, Var, constant_of, ein, evaluate, rebuilt
from ._plan import binary
from ._survey import Unprogrammable
from ._terms import PATTERNS, as_product, components, entries, every_name, named, sizes


class Values(dict[str, Any]):
    """The values of names at the point of the first run, worked out when a rule asks for them."""

    def __init__(self, builder: Builder, given: dict[str, Any]) -> None:
        super().__init__(given)
        self.builder = builder

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.builder.terms

    def __missing__(self, name: str) -> Any:
        terms = self.builder.terms
        needed = [k for k in self.builder.behind([name], self.keys()) if k in terms]
        for k in sorted(needed, key=self.builder.place):  # oldest first: loops are too long to ask one for the next
            self[k] = evaluate(terms[k], self)
        return self[name]


def _properties(term: Expr) -> frozenset[str]:
    """What is known of the entries of a definition."""
    if isinstance(term, Map) and term.op.kind == "constant":
        return frozenset(["truth"])
    if not isinstance(term, Call) or term.op.name != "softmax":
        return frozenset()
    over = term.params[0] if isinstance(term.params[0], tuple) else (term.params[0],)
    return frozenset([f"{SUMS_TO_ONE}{over[0] % term.rank}"] if len(over) == 1 else [])


def _is_on_diagonals(term: Expr) -> bool:
    """Whether a definition is an array, or a product of some entry by entry, along with identities."""
    if not isinstance(term, Ein) or not any(f.kind == "delta" for f, _ in term.factors) or len(term.dims) > term.rank:
        return False
    rest = [(f, s) for f, s in term.factors if f.kind not in ("delta", "one")]
    return all(isinstance(f, Var) and len(set(s)) == len(s) for f, s in rest)


def too_long() -> Unprogrammable:
    """The error of a program that is better not made."""
    return Unprogrammable(f"its program would be longer than {_limits.NAMES:,} lines")


class Builder:
    """Definitions in order of need.

    Attributes
    ----------
    names : the names defined, oldest first
    terms : their definitions: one operation, sum or product of names each
    values : what they are worth at the point
    constants : arrays that depend on the structure alone, by name
    products : how many products of derivatives were looked at
    most : lines and products together above which the program is not worth making
    """

    def __init__(self, values: dict[str, Any], most: float = math.inf) -> None:
        self.products, self.most = 0, most
        self.names: list[Var] = []
        self.terms: dict[str, Expr] = {}
        self.values = Values(self, values)
        self.constants: dict[str, np.ndarray] = {}
        self._atoms: dict[int, Expr] = {}
        self._kept: list[Expr] = []  # what the ids belong to
        self._under_way: set[int] = set()  # products that are being taken apart

    @property
    def steps(self) -> int:
        """What making the program took up to now: each line and each product takes about as long."""
        return len(self.names) + self.products

    def require_worth(self, steps: float) -> None:
        """Raise if making the program takes so many steps, or will, that the tape is done long before."""
        if steps > self.most:
            raise Unprogrammable(
                f"making its program takes more than {self.most:,} steps: the tape gives dozens of matrices meanwhile"
            )

    def atom(self, root: Expr) -> Expr:
        """The name of a term's value: a name, or a number or a constant pattern times one."""
        known = self._atoms.get(id(root))
        if known is not None:
            return known
        for term in postorder(root):
            if id(term) not in self._atoms:
                self._remember(term, self._named(term))
        return self._atoms[id(root)]

    def stand_for(self, name: Var, atom: Expr) -> None:
        """Read a name of the term's as this atom."""
        self._remember(name, atom)

    def known(self, term: Expr) -> Expr | None:
        """The atom of a term that was named already."""
        return self._atoms.get(id(term))

    def behind(self, names: list[str], given: Container[str] = ()) -> set[str]:
        """These names and all that they are made of; what is given is made of nothing."""
        todo, seen = list(names), set()
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                if name in self.terms and name not in given:
                    todo += every_name(self.terms[name])
        return seen

    def read_once(self, names: set[str], live: set[str]) -> set[str]:
        """Those of these names that one live definition reads."""
        readers = Counter([n for name in live & self.terms.keys() for n in set(every_name(self.terms[name]))])
        return {name for name in names & self.terms.keys() if readers[name] == 1}

    def only_summed(self, names: set[str], live: set[str]) -> dict[str, Expr]:
        """Products of names and identities among these that stand in nothing but sums, of those that are live."""
        found = {name: self.terms[name] for name in names if name in self.terms and _is_on_diagonals(self.terms[name])}
        for name in live & self.terms.keys() if found else ():
            term = self.terms[name]
            summed = {t.name for _, t, _ in term.terms if isinstance(t, Var)} if isinstance(term, Add) else set()
            for other in set(every_name(term)) - summed:
                found.pop(other, None)
        return found

    @staticmethod
    def place(name: str) -> int:
        """Where a name stands among those defined."""
        return int(name[1:])

    def whole(self, term: Expr) -> Expr:
        """The name of a term's value where an outer product is to be multiplied out."""
        atom = self.atom(term)
        if len(named(atom)) > 1:
            return self.define(atom, outright=True)
        return atom

    def _remember(self, term: Expr, atom: Expr) -> None:
        self._kept.append(term)
        self._atoms[id(term)] = atom

    def _named(self, term: Expr) -> Expr:
        short = rebuilt(term, self._atoms)
        if short is not term:
            known = self._atoms.get(id(short))
            if known is not None:
                return known
            if any(c.children and id(c) not in self._atoms for c in short.children):
                return self.atom(short)
        if short.kind == "data" and not short.rank:  # a number that no coefficient can be: NaN, 1e200
            return self.constant(short.value)  # type: ignore[attr-defined]
        if isinstance(short, Map) and short.op.name == "pow_scalar" and constant_of(short.args[0][0]) == 0:
            return self.constant(np.asarray(np.inf))  # 1/0; a power that is not negative is a number
        if short.kind in ("var", "one", "delta", "data", "lin"):
            return short
        if short.kind == "jac":
            raise Unprogrammable(f"the derivative of '{short.call.op.label}' has no formula")  # type: ignore[attr-defined]
        if isinstance(short, Ein):
            return self._product(short)
        return self.define(short)

    def _product(self, term: Ein) -> Expr:
        """A product as a number and ones (constant patterns) times a name."""
        rank = term.rank
        ones = [(f, s) for f, s in term.factors if f.kind == "one"]
        rest = [(f, s) for f, s in term.factors if f.kind != "one"]
        if not rest or all(f.kind in PATTERNS for f, _ in rest):
            return term
        if all(f.kind in ("var", "lin") and _open(s, rank) for f, s in rest) and len(rest) == len(components(rest)):
            arrays = [s for f, s in rest if isinstance(f, Var)]
            if len(arrays) == 1 or _outer([(s, None) for s in arrays]):
                return term
        loose = {s[0] for _, s in ones}
        groups = components(rest)
        if not ones and len(groups) == 1 and len(rest) > 1:  # as it is, but for the number
            core: Expr = Ein(1, term.factors, term.dims, rank)
            name = self._atoms.get(id(core)) or self.define(core)
            return self._times(term.coef, [(name, tuple(range(rank)))], rank)
        patterns = [part[0] for part in groups if _is_open_pattern(part, rank)]
        groups = [part for part in groups if not _is_open_pattern(part, rank)]
        parts = [(self._core(part, rank), part) for part in groups]
        if len(parts) > 1 and (any(f.kind == "delta" for part in groups for f, _ in part) or not _outer(parts)):
            taken = loose | {k for _, s in patterns for k in s}
            parts = [(tuple([k for k in range(rank) if k not in taken]), [f for part in groups for f in part])]
        cores = []
        for inside, part in parts:
            core = ein(1, part, inside)
            name = core if isinstance(core, Var) else self._atoms.get(id(core)) or self.define(core)
            cores.append((name, inside))
        return self._times(term.coef, [*cores, *patterns, *ones], rank)

    def _times(self, coef: Any, factors: list[Any], rank: int) -> Expr:
        """A number times atoms."""
        product = ein(coef, factors, tuple(range(rank)))
        if isinstance(product, Ein) and any(f.children for f, _ in product.factors):
            return self.atom(product)  # parts that have one name met, and became its power
        return product

    @staticmethod
    def _core(part: list[Any], rank: int) -> Indices:
        return tuple(sorted({k for _, s in part for k in s if k < rank}))

    def define(self, term: Expr, outright: bool = False) -> Expr:
        """Give a shallow term a name of its own; ``outright``: even if it is an outer product."""
        if entries(term.shape) > _limits.FORMED:
            raise Unprogrammable(f"an array of shape {sizes(term.shape)} would be formed on the way")
        if 0 in term.shape:
            raise Unprogrammable("there is an empty array")
        if len(self.names) > _limits.NAMES:
            raise too_long()
        self.require_worth(self.steps)
        readable = term.kind == "map" and not term.rank  # 1/√8, say
        if term.kind != "call" and not readable and all(name in self.constants for name in every_name(term)):
            value = evaluate(term, self.constants)
            if value.dtype.kind == "f":  # truths are looked after by who writes the lines
                folded = self.constant(value)
                self._remember(term, folded)
                return folded
        if isinstance(term, Ein):
            if id(term) in self._under_way:
                raise Unprogrammable("there is a product that does not come apart into smaller ones")
            self._under_way.add(id(term))
            given, term = term, self.simple(term)
            self._under_way.discard(id(given))
            known = self._atoms.get(id(term)) or self._turned(term)
            if known is not None and not outright:
                return known
            if isinstance(term, Var) or not term.children:
                return term
        var = Var(f"v{len(self.names)}", sizes(term.shape), _properties(term))
        var.memo["safe"] = is_safe(term)
        self.names.append(var)
        self.terms[var.name] = term
        self._remember(term, var)
        return var

    def _turned(self, term: Expr) -> Expr | None:
        """The transpose of a matrix product that has a name."""
        if not isinstance(term, Ein) or term.rank != 2 or len(term.dims) == 2:
            return None
        other = ein(1, [(term, (1, 0))], (0, 1))
        known = self._atoms.get(id(other))
        return ein(1, [(known, (1, 0))], (0, 1)) if isinstance(known, Var) else None

    def simple(self, term: Expr) -> Expr:
        """A product of at most two names, and patterns: what met in it and became a power is named in turn."""
        term = binary(self, term) if isinstance(term, Ein) else term
        while isinstance(term, Ein) and any(f.children for f, _ in term.factors):
            factors = [(self.atom(f), s) for f, s in term.factors]
            term = ein(term.coef, factors, tuple(range(term.rank)), dict(enumerate(term.shape)))
            term = binary(self, term) if isinstance(term, Ein) else term
        return term

    def constant(self, value: np.ndarray) -> Var:
        """A name for an array that depends on the structure alone."""
        var = Var(f"k{len(self.constants)}", value.shape)
        self.constants[var.name] = self.values[var.name] = value
        return var

    def taken(self, source: Var, index: tuple[np.ndarray, ...]) -> Var:
        """A name for the entries of an array at constant places."""
        shape = index[0].shape
        lin = Lin(TABLE["getitem"], (index,), shape, sizes(source.shape))
        n = len(shape)
        inside = tuple(range(n, n + source.rank))
        found = self.atom(ein(1, [(lin, (*range(n), *inside)), (source, inside)], tuple(range(n))))
        return found  # type: ignore[return-value]

    def stacked(self, term: Ein, own: int) -> Expr:
        """Arrays times a unit vector along the last axis, as a term whose arrays are one name."""
        lin = [(f, s) for f, s in term.factors if f.kind == "lin"]
        if not lin:
            return term
        rest = [(f, s) for f, s in term.factors if f.kind != "lin"]
        inside = tuple(range(own))
        value = self.atom(ein(term.coef, rest, inside, dict(enumerate(term.shape[:own]))))
        return ein(1, [(value, inside), *lin], (*inside, own))

    def structural(self, term: Expr) -> list[Ein]:
        """A term as a sum of products of names and constant patterns, not summed up."""
        whole = as_product(term)
        every, dims = tuple(range(whole.rank)), dict(enumerate(whole.shape))
        (total, s), *others = whole.factors or [(term, ())]
        if isinstance(total, Add) and not others:
            found = []
            for c, t, i in total.terms:
                loose = [(One(total.shape[k]), (s[k],)) for k in range(total.rank) if k not in i]
                part = [(t, tuple([s[k] for k in i])), *loose]
                found += self.structural(ein(whole.coef * c, part, every, dims))
            return found
        factors = [(self.atom(f), labels) for f, labels in whole.factors]
        if whole is term and all(
            a is f and not f.children for (a, _), (f, _) in zip(factors, whole.factors, strict=True)
        ):
            return [whole]  # of names and patterns already, as most are
        short = as_product(ein(whole.coef, factors, every, dims))
        if short is whole:  # patterns of patterns, too many to be one product
            factors = [(self._multiplied(f) if f.children else f, labels) for f, labels in whole.factors]
            return [as_product(ein(whole.coef, factors, every, dims))]
        return [short] if all(not f.children for f, _ in short.factors) else self.structural(short)

    def _multiplied(self, pattern: Expr) -> Expr:
        """A product of constant patterns as an array."""
        if named(pattern) or entries(pattern.shape) > _limits.PATTERNS_FORMED:
            raise Unprogrammable("too many patterns meet in one product")
        return self.constant(evaluate(pattern, {}))


def _open(labels: Indices, rank: int) -> bool:
    return len(set(labels)) == len(labels) and all(k < rank for k in labels)


def _is_open_pattern(part: list[Any], rank: int) -> bool:
    """Whether a group is a linear operation's array alone, none of its indices summed over."""
    return len(part) == 1 and part[0][0].kind == "lin" and _open(part[0][1], rank)


def _outer(parts: list[Any]) -> bool:
    """Whether a product of groups is larger than the groups, so that it is better kept as it is."""
    return sum([1 for inside, _ in parts if inside]) > 1
