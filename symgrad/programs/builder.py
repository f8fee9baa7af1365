"""Straight-line programs in the making: a name for every shared value, products in the cheapest order, sums."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container
from typing import Any

import numpy as np

from .. import _limits
from .._trees import postorder
from ..calculus import is_safe
from ..core import TABLE
from ..terms import (
    SUMS_TO_ONE,
    Add,
    Data,
    Ein,
    Expr,
    Factor,
    Indices,
    Lin,
    Map,
    One,
    Var,
    add,
    connected,
    constant_of,
    ein,
    evaluate,
    matrix_of_linear,
    rebuilt,
)
from .graph_terms import (
    PATTERNS,
    as_product,
    but_kinds,
    entries_of,
    every_name,
    label_set,
    named,
    of_kinds,
    relabelled,
    sizes,
)
from .linear import operation
from .survey import Unprogrammable

# ------------------------ Products in the cheapest order: what is one product of many factors becomes products of two

# The idea to hold: a linear operation is run, never multiplied out, as soon as one named array holds all the indices on
# one of its sides; an identity with two open indices is set in at the end; what is left is contracted in the order that
# opt_einsum finds. Every intermediate result is a definition, so equal ones are computed once.


def binary(builder: Any, term: Ein) -> Expr:
    """A product whose factors are at most two names, the rest of the work being in earlier definitions."""
    coef, factors, out = term.coef, list(term.factors), term.axes
    dims = dict(enumerate(term.dims))
    ones = of_kinds(factors, "one")
    deltas = of_kinds(factors, "delta")
    rest = but_kinds(factors, "one", "delta")
    if not deltas and len(rest) <= 2 and all(f.kind != "lin" for f, _ in rest):
        return term
    rest = _run_linear(builder, rest, out, dims)
    if deltas:
        inside = tuple(sorted(label_set(rest) & set(out)))
        core = _contracted(builder, rest, inside, dims)
        return ein(coef, [(core, inside), *deltas, *ones], out, dims)
    if len(rest) > 2:
        rest = _paired(builder, rest, out, dims)
    return ein(coef, [*rest, *ones], out, dims)


def _contracted(builder: Any, factors: list[Factor], out: tuple[int, ...], dims: dict[int, int]) -> Expr:
    """The name of a product of factors."""
    if len(factors) == 1 and factors[0][1] == out:
        return factors[0][0]
    sizes = {k: dims[k] for k in out}
    return builder.whole(ein(1, factors, out, sizes))


def _run_linear(builder: Any, factors: list[Factor], out: tuple[int, ...], dims: dict[int, int]) -> list[Factor]:
    """Replace linear operations by their results."""
    factors = _summed_first(builder, factors, out, dims)
    while True:
        place = next((i for i, (f, _) in enumerate(factors) if f.kind == "lin" and _side(factors, i, out)), None)
        if place is None:
            place = next((i for i, (f, _) in enumerate(factors) if f.kind == "lin"), None)
            if place is None or (len(factors) == 1):
                return factors
            factors = _formed(builder, factors, place, _limits.LINEAR_FORMED)
            continue
        side = _side(factors, place, out)
        assert side is not None
        if len(factors) == 2 and _is_one_run(factors[place], side, factors[1 - place], out):
            return factors  # this is as short as it gets
        if _is_quicker_multiplied(factors, place, side, out, dims):
            factors = _formed(builder, factors, place, _limits.LINEAR_MULTIPLIED)
            continue
        factors = _applied(builder, factors, place, side, out, dims)


def _formed(builder: Any, factors: list[Factor], place: int, most: int) -> list[Factor]:
    """Factors with one linear operation written out as a matrix."""
    lin, labels = factors[place]
    if entries_of(lin.shape) > most:
        raise Unprogrammable(f"{operation(lin)} would be written out as a matrix of {entries_of(lin.shape):,} entries")
    return [*factors[:place], (builder.constant(matrix_of_linear(lin)), labels), *factors[place + 1 :]]


def _is_quicker_multiplied(
    factors: list[Factor], place: int, side: tuple[int, ...], out: tuple[int, ...], dims: dict[int, int]
) -> bool:
    """Whether an operation would be run on a product of arrays so large that matrix products with its own array take
    less time."""
    lin, labels = factors[place]
    if entries_of(lin.shape) > _limits.LINEAR_MULTIPLIED:
        return False
    users = [f for k, f in enumerate(factors) if k != place and set(f[1]) & set(side)]
    if len(users) < 2:
        return False
    rest = [s for k, (f, s) in enumerate(factors) if k != place and not set(s) & set(side)]
    outside = {k for s in rest for k in s} | set(out)
    lead = label_set(users) & outside
    run = entries_of(dims[k] for k in lead | set(side))
    if run <= entries_of(lin.shape):
        return False
    result = tuple(sorted(lead | (set(labels) - set(side))))
    return _flops([factors[place], *users], result) < _limits.MATRIX_FLOP * run


def _summed_first(builder: Any, factors: list[Factor], out: tuple[int, ...], dims: dict[int, int]) -> list[Factor]:
    """Factors without the indices that no linear operation has, where summing over one makes no array larger."""
    held = {k for f, s in factors if f.kind == "lin" for k in s} | set(out)
    if len(held) == len(out):
        return factors
    for k in sorted(label_set(factors) - held):
        mine = [(f, s) for f, s in factors if k in s]
        left = tuple(sorted(label_set(mine) - {k}))
        if mine and entries_of(dims[j] for j in left) <= max(entries_of(f.shape) for f, _ in mine):
            found = _contracted(builder, mine, left, dims)
            factors = [*[(f, s) for f, s in factors if k not in s], (found, left)]
    return factors


def _is_one_run(operation: Factor, side: tuple[int, ...], array: Factor, out: tuple[int, ...]) -> bool:
    """Whether a linear operation runs on one array, each index of the result once."""
    (_, labels), (f, s) = operation, array
    rest = set(s) - set(side)
    twice = len(set(labels)) < len(labels) or len(set(s)) < len(s)
    return f.kind != "lin" and not twice and rest | set(labels) - set(side) <= set(out) and not rest & set(labels)


def _side(factors: list[Factor], place: int, out: tuple[int, ...]) -> tuple[int, ...] | None:
    """The indices of a linear operation that are all summed over and held by arrays: its operand's, or its result's."""
    lin, labels = factors[place]
    n = lin.out_rank  # type: ignore[attr-defined]
    empty = None
    for side, other in ((labels[n:], labels[:n]), (labels[:n], labels[n:])):
        if set(side) & set(out) or len(set(side)) < len(side) or set(side) & set(other):
            continue
        users = [i for i, (f, s) in enumerate(factors) if i != place and set(s) & set(side)]
        if any(factors[i][0].kind == "lin" for i in users):
            continue
        if users:
            return side
        empty = side
    return empty


def _applied(
    builder: Any, factors: list[Factor], place: int, side: tuple[int, ...], out: tuple[int, ...], dims: dict[int, int]
) -> list[Factor]:
    """One linear operation run on the product of the arrays that hold the indices of its ``side``."""
    lin, labels = factors[place]
    users = [i for i, (_, s) in enumerate(factors) if i != place and set(s) & set(side)]
    inner = [factors[i] for i in users]
    kept = [factors[i] for i in range(len(factors)) if i != place and i not in users]
    other = tuple(k for k in labels if k not in side)
    outside = label_set(kept) | set(out)
    if set(other) & label_set(inner):  # an index on both sides of the operation: keep it apart
        if entries_of(lin.shape) <= _limits.LINEAR_APPLIED:
            return _formed(builder, factors, place, _limits.LINEAR_APPLIED)
        raise Unprogrammable(f"{operation(lin)} would be applied to another array for each entry of its result")
    lead = tuple(sorted(label_set(inner) & outside - set(side)))
    operand = _contracted(builder, inner, (*lead, *side), dims) if inner else None
    if operand is None:  # nobody else holds these indices: the operation's own sums
        own = tuple(dict.fromkeys(other))
        value = evaluate(ein(1, [(lin, labels)], own, {k: dims[k] for k in own}), {})
        return [*kept, (builder.constant(value), own)]
    parts = [(lin, labels), (operand, (*lead, *side))]
    if len(set(other)) < len(other):  # the diagonal of a result: read at the same index twice, but made at two
        fresh = tuple(range(max(dims) + 1, max(dims) + 1 + len(other)))
        dims.update(zip(fresh, [dims[k] for k in other], strict=True))
        n = lin.out_rank  # type: ignore[attr-defined]
        turned = (*fresh, *labels[n:]) if side == labels[n:] else (*labels[:n], *fresh)
        parts[0] = (lin, turned)
    else:
        fresh = other
    result = builder.atom(ein(1, parts, (*lead, *fresh), {k: dims[k] for k in (*lead, *fresh)}))
    return [*kept, (result, (*lead, *other))]


def _paired(builder: Any, factors: list[Factor], out: tuple[int, ...], dims: dict[int, int]) -> list[Factor]:
    """At most two factors, the others multiplied into definitions of their own."""
    for left in _path(factors, out):
        if len(factors) <= 2:
            break
        pair = [factors[i] for i in left]
        rest = [f for i, f in enumerate(factors) if i not in left]
        outside = label_set(rest) | set(out)
        labels = tuple(sorted(label_set(pair) & outside))
        if len(pair) == 1:
            continue
        merged = builder.atom(ein(1, pair, labels, {k: dims[k] for k in labels}))
        factors = [*rest, (merged, labels)]
    return factors


def _path(factors: list[Factor], out: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The order of pairwise products, as opt_einsum gives it; numbers are multiplied from left to right."""
    if not any(s for _, s in factors):
        return [(0, 1)] * (len(factors) - 1)
    return list(_order(factors, out)[0])


def _flops(factors: list[Factor], out: tuple[int, ...]) -> float:
    """The floating-point operations of a product in its best order."""
    return float(_order(factors, out)[1].opt_cost)


def _order(factors: list[Factor], out: tuple[int, ...]) -> Any:
    """What opt_einsum says of a product: the order, and what it takes."""
    import opt_einsum

    letters: dict[int, str] = {}
    for _, s in factors:
        for k in s:
            letters.setdefault(k, opt_einsum.get_symbol(len(letters)))
    inputs = ",".join(["".join([letters[k] for k in s]) for _, s in factors])
    result = "".join([letters[k] for k in out if k in letters])
    shapes = [tuple([max(n, 1) for n in sizes(f.shape)]) for f, _ in factors]  # opt_einsum finds no order of no entries
    method = "dp" if len(factors) <= _limits.EXACT_ORDER else "greedy"
    return opt_einsum.contract_path(f"{inputs}->{result}", *shapes, shapes=True, optimize=method)


# -------------------------------------------------------------------------------------------------------------------
# Straight-line programs in the making: every shared value has a name, and a definition in terms of earlier names

# The idea to hold: a product of two named values is a small term, however much computation stands behind the names. So
# nothing that is built from names can blow up: what would be flattened or distributed stays behind its name, and equal
# definitions, being one term, get one name.


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
    if term.operation != "softmax":
        return frozenset()
    over = term.params[0] if isinstance(term.params[0], tuple) else (term.params[0],)
    return frozenset([f"{SUMS_TO_ONE}{over[0] % term.rank}"] if len(over) == 1 else [])


def _is_on_diagonals(term: Expr) -> bool:
    """Whether a definition is an array, or a product of some entry by entry, along with identities."""
    if not isinstance(term, Ein) or not of_kinds(term.factors, "delta") or len(term.dims) > term.rank:
        return False
    rest = but_kinds(term.factors, "delta", "one")
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

    products: int
    most: float

    def __init__(self, values: dict[str, Any], most: float = math.inf) -> None:
        self.products, self.most = 0, most
        self.names: list[Var] = []
        self.terms: dict[str, Expr] = {}
        self.values: Values = Values(self, values)
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
            parts = [t for _, t, _ in term.terms if not isinstance(t, Var)] if isinstance(term, Add) else [term]
            for other in {n for part in parts for n in every_name(part)}:
                found.pop(other, None)
        return found

    @staticmethod
    def place(name: str) -> int:
        """Where a name stands among those defined."""
        return int(name[1:])

    def whole(self, term: Expr) -> Expr:
        """The name of a term's value where an outer product is to be multiplied out."""
        atom = self.atom(term)
        arrays = [f for f, _ in atom.factors if isinstance(f, (Var, Data))] if isinstance(atom, Ein) else []
        return self.define(atom, outright=True) if len(arrays) > 1 else atom

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
        if short.exponent != 1 and constant_of(short.base) == 0:
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
        ones = of_kinds(term.factors, "one")
        rest = but_kinds(term.factors, "one")
        if not rest or all(f.kind in PATTERNS for f, _ in rest):
            return term
        if all(f.kind in ("var", "lin") and _open(s, rank) for f, s in rest) and len(rest) == len(connected(rest)):
            arrays = [s for f, s in rest if isinstance(f, Var)]
            if len(arrays) == 1 or _outer([(s, None) for s in arrays]):
                return term
        loose = {s[0] for _, s in ones}
        groups = connected(rest)
        if not ones and len(groups) == 1 and len(rest) > 1:  # as it is, but for the number
            core: Expr = Ein(1, term.factors, term.dims, rank)
            name = self._atoms.get(id(core)) or self.define(core)
            return self._times(term.coef, [(name, tuple(range(rank)))], rank)
        patterns = [part[0] for part in groups if _is_open_pattern(part, rank)]
        groups = [part for part in groups if not _is_open_pattern(part, rank)]
        parts = [(self._core(part, rank), part) for part in groups]
        if len(parts) > 1 and (any(f.kind == "delta" for part in groups for f, _ in part) or not _outer(parts)):
            taken = loose | label_set(patterns)
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
        if entries_of(term.shape) > _limits.FORMED:
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
            term = ein(term.coef, factors, term.axes, dict(enumerate(term.shape)))
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
        lin = of_kinds(term.factors, "lin")
        if not lin:
            return term
        rest = but_kinds(term.factors, "lin")
        inside = tuple(range(own))
        value = self.atom(ein(term.coef, rest, inside, dict(enumerate(term.shape[:own]))))
        return ein(1, [(value, inside), *lin], (*inside, own))

    def structural(self, term: Expr) -> list[Ein]:
        """A term as a sum of products of names and constant patterns, not summed up."""
        whole = as_product(term)
        every, dims = whole.axes, dict(enumerate(whole.shape))
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
        if named(pattern) or entries_of(pattern.shape) > _limits.PATTERNS_FORMED:
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


# -------------------------------------------------------------------------------------------------------------------
# Sums of products on the way: common factors in front, what is left of like terms added up under a name

# The idea to hold: adding two arrays up makes one out of two, as long as the sum is no larger than what it may be; but
# a pattern (an identity, a shift) is worth more unmultiplied. So terms are grouped by their patterns, the factors that
# all terms of a group share stay outside, and the rest of the group becomes one named array.


def merged(builder: Builder, terms: list[Ein], rank: int, limit: int) -> list[Ein]:
    """The same sum in fewer terms."""
    terms = collected(terms)
    if len(terms) < 2:
        return terms
    bare = [t for t in terms if all(f.kind == "delta" for f, _ in t.factors)]
    if bare and entries_of(terms[0].shape) > _limits.LINE:  # an identity costs nothing where it meets a product
        rest = [t for t in terms if t not in bare]
        return [*bare, *(merged(builder, rest, rank, limit) if rest else [])]
    whole = _together(builder, terms, rank, limit, open_patterns=True)
    if whole is not None:
        return [whole]
    terms = _units_together(builder, terms, rank, limit > 0)
    if len(terms) < 2:
        return terms
    groups: dict[Any, list[Ein]] = {}
    for t in terms:
        groups.setdefault(_signature(t, rank), []).append(t)
    found = []
    for group in groups.values():
        one = _together(builder, group, rank, limit, open_patterns=False) if len(group) > 1 else None
        found += [one] if one is not None else group
    size = entries_of(found[0].shape)
    bands = [t for t in found if not any(f.kind == "lin" and f.rank == 1 for f, _ in t.factors)]  # no single rows
    if _is_cheaper_filled(found, rank, limit) or (
        len(bands) > _limits.BANDS and size <= limit and sum(map(_filled, bands)) > size // 4
    ):
        every = tuple(range(found[0].rank))
        value = builder.atom(add([(1, t, every) for t in found], every, dict(enumerate(found[0].shape))))
        return builder.structural(value)
    return found


def _is_cheaper_filled(terms: list[Ein], own: int, limit: int) -> bool:
    """Whether one array costs less than its terms do in the next product: in a loop each product has all of the last.

    It costs a line for every `LINE` of its entries, or less work than the terms where they are more than its columns.
    """
    count, size = len(terms), entries_of(terms[0].shape)
    if count <= _limits.BANDS or not limit:
        return False
    columns = entries_of(terms[0].shape[own:])
    return size <= min(limit, _limits.LINE * count) or (columns <= count and size <= _limits.MERGED)


def _filled(t: Ein) -> int:
    """About how many entries of a term are not zero: patterns have one in each of their rows."""
    size = entries_of(t.dims)
    for f, _ in t.factors:
        if f.kind == "delta":
            size //= max(int(f.shape[0]), 1)
        elif f.kind == "lin":
            size //= max(min(entries_of(f.in_shape), entries_of(f.out_shape)) if f.out_rank else entries_of(f.shape), 1)
    return size


def _units_together(builder: Builder, terms: list[Ein], own: int, dense: bool) -> list[Ein]:
    """Terms that differ in which single entry of a short variable they are about, as one array over all its entries."""
    rank = terms[0].rank
    if rank != own + 1 or entries_of(terms[0].shape) > _limits.STACKED:
        return terms
    full = _limits.UNITS_FULL * len(terms) if dense and len(terms) > _limits.UNITS_FEW else 0
    if terms[0].shape[own] > max(_limits.UNITS, full):
        return terms
    units = [t for t in terms if _is_unit(t, own)]
    others = [t for t in terms if all(f.kind not in PATTERNS for f, _ in t.factors)]
    if len(units) + len(others) < 2 or not units:
        return terms
    places = len({id(f) for t in units for f, _ in t.factors if f.kind in PATTERNS})
    if not others and (places < 2 or entries_of(terms[0].shape) > _limits.LINE * places):
        return terms
    every = tuple(range(rank))
    dims = dict(enumerate(terms[0].shape))
    value = builder.atom(add([(1, builder.stacked(t, own), every) for t in (*units, *others)], every, dims))
    rest = [t for t in terms if t not in units and t not in others]
    return [*builder.structural(value), *rest]


def _is_unit(t: Ein, own: int) -> bool:
    """Whether a term is arrays times a unit vector along the variable."""
    patterns = of_kinds(t.factors, *PATTERNS)
    return (
        len(patterns) == 1 and patterns[0][1] == (own,) and patterns[0][0].kind == "lin"
        and all(own not in s for f, s in t.factors if f is not patterns[0][0])
    )  # fmt: skip


def collected(terms: list[Ein]) -> list[Ein]:
    """Terms that differ in their numbers only, as one."""
    first: dict[Any, Ein] = {}
    for t in terms:
        key = (tuple([(id(f), s) for f, s in t.factors]), t.shape)
        known = first.get(key)
        if known is None:
            first[key] = t
        else:
            every = t.axes
            first[key] = as_product(ein(known.coef + t.coef, t.factors, every, dict(enumerate(t.shape))))
    return [t for t in first.values() if t.coef != 0]


def _signature(t: Ein, own: int) -> Any:
    """The patterns of a term with their indices (summed ones by place only), and whether it is separable."""
    rank = t.rank
    patterns = [(f.digest, tuple([k if k < rank else -1 for k in s])) for f, s in t.factors if f.kind in PATTERNS]
    return tuple(sorted(patterns)), _separable(t.factors, own, rank)


def _separable(factors: Any, own: int, rank: int) -> bool:
    """Whether a product is one of its own axes times one of the variable's: an outer product, worth keeping."""
    parts = connected(factors)
    if len(parts) < 2:
        return False
    sides = [{k < own for _, s in part for k in s if k < rank} for part in parts]
    return all(len(side) <= 1 for side in sides) and {True} in sides and {False} in sides


def _together(builder: Builder, terms: list[Ein], own: int, limit: int, open_patterns: bool) -> Ein | None:
    """The terms as common factors times one named array; None where that would multiply out too much.

    ``own`` axes belong to the name whose derivative this is, the others to the variable.
    """
    rank = terms[0].rank
    common = _common(terms)
    rests = []
    for t in terms:
        left = list(common)
        rest = []
        for f, s in t.factors:
            if (f, s) in left:
                left.remove((f, s))
            else:
                rest.append((f, s))
        rests.append((t, rest))
    labels = tuple(sorted({k for _, rest in rests for _, s in rest for k in s if k < rank}))
    shape = tuple([terms[0].dims[k] for k in labels])
    plain = [not any(f.kind in PATTERNS for f, _ in rest) for _, rest in rests]
    if not (any(plain) if open_patterns else all(plain)):
        return None
    size = entries_of(shape)
    total = sum([entries_of(f.shape) for _, rest in rests for f, _ in rest if f.kind not in PATTERNS])
    dense = all(k in labels for k in range(own, rank)) and rank > own  # in all of the variable's axes
    if dense and len(rests) <= _limits.OUTER_TERMS and any(_separable(t.factors, own, rank) for t, _ in rests):
        return None
    if size > max(min(limit, _limits.MERGED), 2 * total):
        return None
    if len(rests) <= _limits.APART and size > 2 * total and all(len(rest) > 1 for _, rest in rests):
        return None
    parts = []
    for t, rest in rests:
        fresh = {k: i for i, k in enumerate(labels)}
        for _, s in rest:
            for k in s:
                fresh.setdefault(k, len(fresh))
        inside = relabelled(rest, fresh)
        used = label_set(inside)
        own_labels = tuple([i for i in range(len(labels)) if i in used])
        parts.append((1, ein(t.coef, inside, own_labels), own_labels))
    every = tuple(range(len(labels)))
    value = builder.atom(add(parts, every, dict(enumerate(shape))))
    whole = ein(1, [*common, (value, labels)], tuple(range(rank)), dict(enumerate(terms[0].shape)))
    found = builder.structural(whole)
    return found[0] if len(found) == 1 else None


def _common(terms: list[Ein]) -> list[Any]:
    """The factors without summed indices that all terms have."""
    rank = terms[0].rank
    common = [(f, s) for f, s in terms[0].factors if all(k < rank for k in s) and f.kind != "one"]
    for t in terms[1:]:
        left = list(t.factors)
        kept = []
        for f, s in common:
            if (f, s) in left:
                left.remove((f, s))
                kept.append((f, s))
        common = kept
    return common
