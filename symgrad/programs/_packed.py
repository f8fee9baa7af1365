"""Parts of a packed variable, differentiated as variables of their own.

The idea to hold: a function that takes ``W = x[:160].reshape(10, 16)`` and ``b = x[160:]`` of a flat ``x`` is one of W
and b. What it has in second derivatives are blocks of two parts each, at the parts' places in the matrix; so no array
on the way has an axis of all of ``x``, most of which would be zeros. A few single entries of it are parts, too. What
else is done with ``x`` (a penalty on all of it, many single entries) is one more part: ``x`` itself.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from ..terms import Ein, Expr, Var
from ._builder import Builder
from ._linear import sources
from ._terms import entries, every_name, sizes


class Part(NamedTuple):
    """What second derivatives are taken in: the name ``var``, which is the variable numbered ``variable`` from its
    entry number ``start`` on; ``others`` are the names of its other parts, if it is the variable itself."""

    var: Var
    variable: int
    start: int
    others: tuple[str, ...] = ()


def parts_of(builder: Builder, root: Expr, variables: list[Var]) -> list[Part]:
    """The parts of variables: those that are read as pieces of memory which do not overlap; else the variables."""
    found: list[Part] = []
    users = _users(builder)
    for k, x in enumerate(variables):
        parts, direct = _read(builder, users, x, k)
        direct = direct or x.name in every_name(root)
        few = [p for p in parts if entries(p.var.shape) == 1]
        if few and not (_are_apart(parts) and _are_worth(builder, len(few))):
            parts, direct = [p for p in parts if p not in few], True
        apart = _are_apart(parts)
        again = direct and any(sizes(p.var.shape) == sizes(x.shape) for p in parts)  # x by another name
        if not apart or again or len(parts) + direct < 2:
            found.append(Part(x, k, 0))
            continue
        found += [Part(x, k, 0, tuple([p.var.name for p in parts]))] if direct else []
        found += parts
    return found


def _users(builder: Builder) -> dict[str, list[Var]]:
    """Per name the definitions that it stands in."""
    users: dict[str, list[Var]] = {}
    for var in builder.names:
        for name in dict.fromkeys(every_name(builder.terms[var.name])):
            users.setdefault(name, []).append(var)
    return users


def _read(builder: Builder, users: dict[str, list[Var]], x: Var, k: int) -> tuple[list[Part], bool]:
    """The definitions that are pieces of a variable's memory, in order, and whether it stands in others, too."""
    found, direct = [], False
    for var in users.get(x.name, []):
        start = _start(builder.terms[var.name], x)
        if start is None:
            direct = True
            continue
        while len(users.get(var.name, [])) == 1:  # a slice that is only there to be reshaped
            (user,) = users[var.name]
            if _start(builder.terms[user.name], var) != 0 or entries(user.shape) != entries(var.shape):
                break
            var = user
        found.append(Part(var, k, start))
    return sorted(found, key=lambda p: p.start), direct


def _are_apart(parts: list[Part]) -> bool:
    """Whether no two parts, in their order, have an entry in common."""
    return all(p.start + entries(p.var.shape) <= other.start for p, other in pairwise(parts))


def _are_worth(builder: Builder, count: int) -> bool:
    """Whether so many single entries are parts of their own: then there are as many arrays for one with another axis,
    which pays where the arrays are long and the lines are few."""
    long, lines = [v for v in builder.names if entries(v.shape) > _limits.SINGLES], len(builder.names)
    return count <= _limits.SINGLES and 3 * len(long) > lines and count * lines <= _limits.SINGLES_LINES


def _start(term: Any, x: Var) -> int | None:
    """Where the piece of memory starts that a definition reads of an array; None if that is not what it is."""
    if not isinstance(term, Ein) or term.coef != 1 or len(term.factors) != 2:
        return None
    lins = [(f, s) for f, s in term.factors if f.kind == "lin"]
    arrays = [(f, s) for f, s in term.factors if f is x]
    if not lins or not arrays:
        return None
    (lin, labels), (_, inside) = lins[0], arrays[0]
    if labels != (*range(term.rank), *inside) or sizes(lin.out_shape) != sizes(term.shape):  # type: ignore[attr-defined]
        return None
    places = sources(lin)
    if places is None or not len(places) or places[0] < 0 or bool((np.diff(places) != 1).any()):
        return None
    return int(places[0])


__all__ = ["Part", "parts_of"]
