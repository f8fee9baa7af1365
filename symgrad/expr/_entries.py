"""Small arrays of fixed sizes by their entries: ``[[2, cos(q₀ − q₁)], [cos(q₀ − q₁), 1]]``.

The idea to hold: what takes entries apart and puts them together is a sum of unit vectors as a term, and the table of
its entries to a reader. An entry is worked out from those of the operands, by the builders; an operand that is not
made of entries is read at its place, as it stands.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from .. import _limits
from .._postorder import postorder
from ..core import Dim
from ._add import add
from ._ein import ein, number, row
from ._evaluate import evaluate
from ._map import map_
from ._node import Call, Expr, Lin, One
from ._number import exact
from ._simplify import simplify
from ._substitute import rebuilt

_JOINS = ("stack", "cat")
Place = tuple[int, ...]


def spelled_out(root: Expr) -> Expr:
    """A term whose small arrays made of entries are written out, as stacks of numbers; itself where it has none."""
    made = _made_of_entries(root)
    if not made:
        return root
    done: dict[int, Expr] = {}
    entries: dict[Any, Expr] = {}
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        term, ready = stack.pop()
        if id(term) in done:
            continue
        if not ready and _is_small(term.shape) and id(term) in made and term.rank:
            done[id(term)] = _written_out(term, made, entries)
        elif not ready and id(term) in made:
            stack += [(term, True), *[(c, False) for c in term.children]]
        elif ready and not term.shape and _is_short(term, made):
            done[id(term)] = simplify(_entry(term, (), made, entries))
        else:
            done[id(term)] = rebuilt(term, lambda c: done[id(c)]) if ready else term
    return done[id(root)]


def _made_of_entries(root: Expr) -> set[int]:
    """Ids of the terms that take entries of small arrays apart or join them, and of all that are made of these."""
    made: set[int] = set()
    terms = list(postorder(root))
    for term in terms if len(terms) <= _limits.SPELLED_TERMS else ():
        joins = term.kind == "call" and term.op.name in _JOINS and _is_small(term.shape)  # type: ignore[attr-defined]
        if joins or (term.kind == "lin" and _is_small(term.shape)) or any(id(c) in made for c in term.children):
            made.add(id(term))
    return made


def _is_small(shape: Any) -> bool:
    return len(shape) <= 2 and all(type(n) is not Dim and n <= _limits.SPELLED for n in shape)


def _is_short(term: Any, made: set[int]) -> bool:
    """Whether a number is a sum over few indices of what is made of entries."""
    return term.kind == "ein" and any(f.shape and id(f) in made for f, _ in term.factors) and _is_small(term.dims)


def _written_out(term: Expr, made: set[int], known: dict[Any, Expr]) -> Expr:
    """The stack of its entries."""
    found = {at: simplify(_entry(term, at, made, known)) for at in np.ndindex(*map(int, term.shape))}
    if term.rank == 1:
        return _stack([*found.values()])
    return _stack([_stack([found[i, j] for j in range(term.shape[1])]) for i in range(term.shape[0])])


def _stack(parts: list[Expr]) -> Expr:
    return Call(row("stack"), tuple(parts), (0,), (len(parts), *parts[0].shape))


def _entry(term: Any, at: Place, made: set[int], known: dict[Any, Expr]) -> Expr:
    key = (id(term), at)
    if key not in known:
        rule = _RULES.get(term.kind, _read)
        by_parts = id(term) in made or term.kind in ("one", "delta", "data", "add", "map")
        known[key] = (rule if by_parts else _read)(term, at, made, known)
    return known[key]


def _read(term: Any, at: Place, made: set[int], known: dict[Any, Expr]) -> Expr:
    """The entry as it stands: ``x[0]``."""
    if term.kind == "var" and term.symmetric:
        at = tuple(sorted(at))
    axes = range(len(at))
    return ein(1, [(term, tuple(axes)), *[(_unit(term.shape[k], at[k]), (k,)) for k in axes]], ())


def _unit(n: Any, place: int) -> Expr:
    return One(n) if n == 1 else Lin(row("getitem"), ((place,),), (), (n,))


def _of_constant(term: Any, at: Place, made: set[int], known: dict[Any, Expr]) -> Expr:
    value = evaluate(term, {})[at].item()
    found = exact(value)
    return number(value if found is None else found)


def _of_product(term: Any, at: Place, made: set[int], known: dict[Any, Expr]) -> Expr:
    """Sums over few indices are written out; the others stay."""
    rank, dims = len(at), term.dims
    few = [i for i in range(rank, len(dims)) if type(dims[i]) is not Dim and dims[i] <= _limits.SPELLED]
    if math.prod([dims[i] for i in few]) > _limits.SPELLED**2:
        few = []
    terms = []
    for inner in itertools.product(*[range(int(dims[i])) for i in few]):
        place = {**dict(enumerate(at)), **dict(zip(few, inner))}
        factors: list[Any] = []
        open_labels: dict[int, int] = {}
        for f, s in term.factors:
            if all(i in place for i in s):
                factors.append((_entry(f, tuple([place[i] for i in s]), made, known), ()))
            else:
                factors.append((f, s))
                open_labels.update({i: f.shape[k] for k, i in enumerate(s) if i in place})
        factors += [(_unit(n, place[i]), (i,)) for i, n in open_labels.items()]
        terms.append((1, ein(term.coef, factors, ()), ()))
    return add(terms, ())


def _of_sum(term: Any, at: Place, made: set[int], known: dict[Any, Expr]) -> Expr:
    return add([(c, _entry(t, tuple([at[i] for i in s]), made, known), ()) for c, t, s in term.terms], ())


def _of_function(term: Any, at: Place, made: set[int], known: dict[Any, Expr]) -> Expr:
    args = [(_entry(a, tuple([at[i] for i in s]), made, known), ()) for a, s in term.args]
    return map_(term.op, args, term.params, ())


def _of_join(term: Any, at: Place, made: set[int], known: dict[Any, Expr]) -> Expr:
    if term.op.name not in _JOINS:
        return _read(term, at, made, known)
    axis = term.params[0] % len(at)
    place, rest = at[axis], (at[:axis], at[axis + 1 :])
    if term.op.name == "stack":
        return _entry(term.args[place], (*rest[0], *rest[1]), made, known)
    for part in term.args:
        if place < part.shape[axis]:
            break
        place -= int(part.shape[axis])
    return _entry(part, (*rest[0], place, *rest[1]), made, known)


_RULES: Any = {
    "one": _of_constant, "delta": _of_constant, "data": _of_constant, "lin": _of_constant, "ein": _of_product,
    "add": _of_sum, "map": _of_function, "call": _of_join,
}  # fmt: skip
