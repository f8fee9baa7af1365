"""Small arrays of fixed sizes by their entries: ``[[2, cos(q₀ − q₁)], [cos(q₀ − q₁), 1]]``.

The idea to hold: what takes entries apart and puts them together is a sum of unit vectors as a term, and the table of
its entries to a reader. An entry is worked out from those of the operands, by the builders; an entry of a symbol is a
symbol of its own, ``x[0]``, so that all that is known of numbers brings it into normal form.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from .. import _limits
from .._postorder import postorder
from ..core import Dim
from ._add import add
from ._conditions import domain_of, unsaid
from ._ein import ein, number, row
from ._evaluate import evaluate
from ._map import map_
from ._node import Call, Expr, Lin, One, Var
from ._number import exact
from ._simplify import simplify
from ._substitute import rebuilt

_OF_ENTRIES = frozenset(["positive", "integer"])  # properties of an array that each entry has
Place = tuple[int, ...]


def spelled_out(root: Expr) -> list[Expr]:
    """A term with small arrays made of entries written out, as stacks of numbers: all of it, and its parts only."""
    made = _made_of_entries(root)
    ways = [_Entries(made).spelled(root, whole) for whole in (True, False)] if made else []
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
    return term.kind == "call" and term.op.name in ("stack", "cat")


def _picked(term: Any) -> int | None:
    """The place of the entry that a unit vector takes, counted from the front."""
    index = term.params[0] if term.kind == "lin" and not term.out_rank and term.op.name == "getitem" else None
    place = index[0] if isinstance(index, tuple) and len(index) == 1 else None
    return place if type(place) is int and place >= 0 else None


def _is_small(shape: Any) -> bool:
    return len(shape) <= 2 and all(type(n) is not Dim and n <= _limits.SPELLED for n in shape)


def _is_entry(term: Any) -> bool:
    """Whether it is a number read from symbols: ``x[0]``, ``x[0] y[1]``."""
    return term.kind == "ein" and not term.shape and all(f.kind in ("var", "lin") for f in term.children)


def _places(term: Expr) -> Any:
    return np.ndindex(*map(int, term.shape))


def _stack(parts: list[Expr]) -> Expr:
    return Call(row("stack"), tuple(parts), (0,), (len(parts), *parts[0].shape))


def _unit(n: Any, place: int) -> Expr:
    return One(n) if n == 1 else Lin(row("getitem"), ((place,),), (), (n,))


class _Entries:
    """The entries of terms, each worked out once; ``made`` are the ids of those that are made of entries."""

    def __init__(self, made: set[int]) -> None:
        self.made = made
        self.known: dict[tuple[int, Place], Expr] = {}

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
        return None if unsaid(done[id(root)], self.domains(root)) else done[id(root)]

    def domains(self, root: Expr) -> list[tuple[Expr, str]]:
        """Where a term is defined, by entries."""
        found = []
        for t in postorder(root):
            if id(t) in self.made and t.kind == "map":
                params = tuple([float(p) if isinstance(p, Fraction) else p for p in t.params])
                found += domain_of(t.op, list(t.children), params)
        small = [(base, kind) for base, kind in found if _is_small(base.shape)]
        return [(self.entry(base, at), kind) for base, kind in small for at in _places(base)]

    def written_out(self, term: Expr) -> Expr:
        """The stack of its entries."""
        found = {at: simplify(self.entry(term, at)) for at in _places(term)}
        if not term.shape:
            return found[()]
        if term.rank == 1:
            return _stack([*found.values()])
        return _stack([_stack([found[i, j] for j in range(term.shape[1])]) for i in range(term.shape[0])])

    def entry(self, term: Any, at: Place) -> Expr:
        """One entry of a term."""
        key = (id(term), at)
        if key not in self.known:
            by_parts = id(term) in self.made or term.kind in ("var", "one", "delta", "data", "add", "map")
            self.known[key] = (getattr(self, "_" + term.kind) if by_parts else self._jac)(term, at)
        return self.known[key]

    def _jac(self, term: Any, at: Place) -> Expr:
        """The entry as it stands: ``softmax(x)[0]``."""
        axes = range(len(at))
        return ein(1, [(term, tuple(axes)), *[(_unit(term.shape[k], at[k]), (k,)) for k in axes]], ())

    def _var(self, term: Any, at: Place) -> Expr:
        if not at:
            return term
        at = tuple(sorted(at)) if term.symmetric else at
        return Var(f"{term.name}[{', '.join(map(str, at))}]", (), term.properties & _OF_ENTRIES)

    def _data(self, term: Any, at: Place) -> Expr:
        value = evaluate(term, {})[at].item()
        found = exact(value)
        return number(value if found is None else found)

    _one = _delta = _lin = _data

    def _ein(self, term: Any, at: Place) -> Expr:
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
                    factors.append((self.entry(f, tuple([place[i] for i in s])), ()))
                else:
                    factors.append((f, s))
                    units.update({i: f.shape[k] for k, i in enumerate(s) if i in place})
            factors += [(_unit(n, place[i]), (i,)) for i, n in units.items()]
            terms.append((1, ein(term.coef, factors, ()), ()))
        return add(terms, ())

    def _add(self, term: Any, at: Place) -> Expr:
        return add([(c, self.entry(t, tuple([at[i] for i in s])), ()) for c, t, s in term.terms], ())

    def _map(self, term: Any, at: Place) -> Expr:
        args = [(self.entry(a, tuple([at[i] for i in s])), ()) for a, s in term.args]
        return map_(term.op, args, term.params, ())

    def _call(self, term: Any, at: Place) -> Expr:
        if not _joins(term):
            return self._jac(term, at)
        axis = term.params[0] % len(at)
        before, place, after = at[:axis], at[axis], at[axis + 1 :]
        if term.op.name == "stack":
            return self.entry(term.args[place], (*before, *after))
        for part in term.args:
            if place < part.shape[axis]:
                break
            place -= int(part.shape[axis])
        return self.entry(part, (*before, place, *after))
