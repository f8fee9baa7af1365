"""What two formulas know, put together: one point, one set of symbols, one function to be checked against.

The idea to hold: a name means one thing. Formulas whose symbols of one name differ (in shape, in value, in what was
declared) are two functions of different things, and are not combined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._errors import FormulaError
from .._postorder import postorder
from ..core import Dim, Tensor, wrap
from ..sweep import grad as sweep_grad
from ..sweep._rerun import CannotRunAgain
from ._background import Background
from ._check import Source
from ._node import Expr


class Constant(Source):
    """A number or an array where a recorded function is asked for."""

    def __init__(self, value: Any) -> None:
        super().__init__(None, {})
        self.value = value

    def again(self, fresh: dict[str, Tensor], moved: bool) -> Tensor:
        return wrap(np.asarray(self.value) * 1.0)


class Combined(Source):
    """The functions behind several formulas, and what was made of them: its derivatives are the tape's, too."""

    def __init__(self, sources: Sequence[Source], made: Callable[..., Any]) -> None:
        super().__init__(None, {name: node for s in reversed(sources) for name, node in s.leaves.items()})
        self.sources, self.made = sources, made

    def again(self, fresh: dict[str, Tensor], moved: bool) -> Tensor:
        """The functions (their gradients) run again, and combined again."""
        return self.made(*[_derivative(s, fresh, moved) for s in self.sources])

    def nodes(self, name: str) -> list[Any]:
        """The leaves that a symbol is, one in each function."""
        return [node for s in self.sources for node in s.nodes(name)]


def _derivative(source: Source, fresh: dict[str, Tensor], moved: bool) -> Tensor:
    y = source.again(fresh, moved)
    for name in source.path:
        if y._data.ndim:
            raise CannotRunAgain("a Jacobian among what was combined takes more than one sweep")
        if "symmetric" in getattr(source.leaves[name].facts, "properties", ()):
            raise CannotRunAgain("of a gradient in a symmetric matrix there are several conventions")
        found = sweep_grad([y], [fresh[name]], None, create_graph=True, allow_unused=True) if y._node else (None,)
        y = found[0] if found[0] is not None else fresh[name].detach() * 0
    return y


def merged(parts: Sequence[tuple[Expr, Background]], made: Callable[..., Any]) -> Background:
    """The background of what was made of several formulas, each a term and its own.

    Raises
    ------
    FormulaError : they have different symbols of one name
    """
    known = [b for _, b in parts]
    for k, later in enumerate(known):
        for earlier in known[:k]:
            _refuse_namesakes(earlier, later)
    sources = [b.source for b in known]
    given = {name: term for b in known for name, term in b.given}
    return Background(
        {k: v for b in known for k, v in b.point.items()},
        Combined([s for s in sources if s], made) if all(sources) and any(s and s.leaves for s in sources) else None,
        tuple(given.items()), _joined(b.special for b in known), _joined(b.facts for b in known),
        {k: v for b in known for k, v in b.symbols.items()}, sum([b.domains for b in known], ()),
        _distinct(b.choices for b in known), _distinct(b.branches for b in known),
        frozenset().union(*[b.detached for b in known]), any(b.complex for b in known), max(b.tol for b in known),
        next((b.elsewhere for b in known if b.takes_no_other_sizes), None),
        all(b.follows or not _has_names(t, b) for t, b in parts),
        sum([b.asked_aside for b in known], ()), _joined(b.assumed for b in known),
    )  # fmt: skip


def _joined(tables: Any) -> dict[str, frozenset[str]]:
    return {name: facts for table in tables for name, facts in table.items()}


def _distinct(found: Any) -> tuple[Any, ...]:
    return tuple(dict.fromkeys([x for each in found for x in each]))


def _has_names(term: Expr, background: Background) -> bool:
    return any(type(n) is Dim for t in (*postorder(term), *background.symbols.values()) for n in t.shape)


def key_of(shape: Any) -> tuple[Any, ...]:
    """A shape to compare by: a named size equals no other, whatever stands in for it."""
    return tuple([n.terms if type(n) is Dim else int(n) for n in shape])


def _refuse_namesakes(a: Background, b: Background) -> None:
    """Raise if a name means different things in two formulas."""
    for name in (set(a.symbols) | {k for k, _ in a.given}) & (set(b.symbols) | {k for k, _ in b.given}):
        why = difference(name, a, b)
        if why:
            raise FormulaError(
                f"{name!r} is not the same in both formulas: {why}", "One formula has one meaning for a name.",
                f'Give it another name in one of them: f.subs({name}="{name}_1").',
            )  # fmt: skip


def difference(name: str, a: Background, b: Background) -> str:
    """How the meanings of a name differ in two formulas; empty if they are one."""
    given = dict(a.given).get(name), dict(b.given).get(name)
    if given != (None, None):
        return "" if given[0] is given[1] else "it stands for another part in each"
    x, y = a.symbols[name], b.symbols[name]
    if key_of(x.shape) != key_of(y.shape):
        return f"its shape is {shown(x.shape)} and {shown(y.shape)}"
    if "size" in x.properties & y.properties:
        return ""
    if (name in a.facts) is not (name in b.facts):
        return "it has a value in one, in the other it is a symbol without"
    one, two = a.declared_of(x), b.declared_of(y)
    if one != two:
        return f"one is {', '.join(sorted(one ^ two))}, the other is not declared so"
    valued = name not in a.facts and name in a.point and name in b.point
    if valued and not np.array_equal(a.point[name], b.point[name], equal_nan=True):
        return "it has other values"
    nodes = [n for s in (a.source, b.source) if s is not None for n in s.nodes(name)]
    if any(node.label is None and node is not nodes[0] for node in nodes):
        return "it numbers another tensor without a name"
    return ""


def shown(shape: Any) -> str:
    return "×".join([str(n.name if type(n) is Dim else int(n)) for n in shape]) or "()"
