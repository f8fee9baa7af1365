"""What a formula knows beside its term: where it was asked for, what it came from, what was declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from .._postorder import postorder
from ._branches import Branch, substituted
from ._check import Source
from ._lift import plus
from ._node import Expr, Var
from ._other_sizes import OtherSizes, refusal
from ._resize import rigid
from ._simplify import simplify
from ._substitute import substitute


@dataclass(frozen=True)
class Background:
    """What a formula keeps through derivatives and substitutions.

    Attributes
    ----------
    point : the value of every symbol where the formula was asked for
    source : the recorded graph it is checked against; None if there is none
    given : names that stand for terms ("where r = …") and those terms
    special : what simplification may use beside the symbols' own properties, by name
    facts : what was declared of the symbols that have no values, by name
    symbols : the symbols it came from, also those that have dropped out of it
    domains : what the recorded operations asked of their operands
    choices : what holds at the point only: numbers that hang on comparisons
    branches : what Python branched on while the function ran
    detached : the symbols that also occur where no gradient flows, by .detach() or under no_grad
    complex : whether complex numbers occur (their derivatives are the tape's business)
    tol : how far numbers of these dtypes may be from a formula in float64
    elsewhere : what it is compared with at other sizes; None if there is nothing
    follows : whether the term was found to follow its named sizes: what the check says there, or False
    asked_aside : what the operations asked of their operands whose results were compared only
    assumed : what was assumed of symbols since, by name
    """

    point: dict[str, Any]
    source: Source | None = None
    given: tuple[tuple[str, Expr], ...] = ()
    special: dict[str, frozenset[str]] = field(default_factory=dict)
    facts: dict[str, frozenset[str]] = field(default_factory=dict)
    symbols: dict[str, Var] = field(default_factory=dict)
    domains: tuple[Any, ...] = ()
    choices: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()
    detached: frozenset[str] = frozenset()
    complex: bool = False
    tol: float = 1e-7
    elsewhere: OtherSizes | None = None
    follows: Any = False
    asked_aside: tuple[Any, ...] = ()
    assumed: dict[str, frozenset[str]] = field(default_factory=dict)

    def but(self, **changes: Any) -> Background:
        return replace(self, **changes)

    def compared(
        self,
        term: Expr,
        there: OtherSizes | None,
        form: Expr | None = None,
        symmetric: Callable[[], frozenset[str]] = frozenset,
    ) -> Background:
        """The same, with what a term (recorded as ``form``) was found to be at other sizes than those that stand in.

        Raises
        ------
        FormulaError : it is another number there, and nothing in it says that it would be
        """
        full = self.expanded(term)
        found = there.follows(full, 10 * self.tol, form, symmetric) if there is not None else None
        if there is not None and found is False and not rigid(term):
            raise refusal(full, there.lengths)
        return self.but(elsewhere=there, follows=found or False)

    @property
    def takes_no_other_sizes(self) -> bool:
        """Whether the function behind it ran at the sizes that stand in only."""
        return self.elsewhere is not None and self.elsewhere.found is None

    def declared_of(self, x: Var) -> frozenset[str]:
        """What is known of a symbol, by declaration or assumption."""
        none: frozenset[str] = frozenset()
        known = [table.get(x.name, none) for table in (self.facts, self.special, self.assumed)]
        return x.properties.union(*known) - {"complex"}

    def rigid(self, term: Expr) -> str:
        """What in a term does not follow its named sizes; empty if nothing."""
        if self.follows:
            return ""
        return rigid(term) or ("the function" if self.takes_no_other_sizes else "")

    def declared(self, term: Expr) -> Expr:
        """A term with what was declared of its symbols (symmetric, ±1…), which derivatives must not use."""
        if not self.special:
            return term
        given: dict[Expr, Expr] = {
            v: Var(v.name, v.shape, v.properties | self.special[v.name])
            for v in postorder(term)
            if isinstance(v, Var) and v.name in self.special
        }
        return substitute(term, given) if given else term

    def substituted(self, given: dict[Expr, Expr]) -> Background:
        """The same with other terms in the place of symbols.

        Raises
        ------
        FormulaError : a condition, or a branch that was taken, does not hold any more
        """
        asked = {name: tuple([(substitute(t, given), kind) for t, kind in getattr(self, name)])
                 for name in ("domains", "asked_aside")}  # fmt: skip
        definitions = tuple([(name, substitute(t, given)) for name, t in self.given])
        return self.but(**asked, given=definitions, branches=substituted(self.branches, given, self.point))

    def expanded(self, term: Expr) -> Expr:
        """A term with its definitions put back."""
        for name, definition in reversed(self.given):
            there: dict[Expr, Expr] = {v: definition for v in postorder(term) if isinstance(v, Var) and v.name == name}
            term = substitute(term, there) if there else term
        return term

    def folded(self, term: Expr) -> tuple[Expr, tuple[tuple[str, Expr], ...]]:
        """A term with the definitions that occur in it by their names, and those."""
        kept = []
        for name, definition in self.given:
            symbol = Var(name, definition.shape)
            opposite = simplify(_negative(definition))  # a square may hold 1 − w where w − 1 has a name
            there = {t: symbol if t is definition else _negative(symbol) for t in postorder(term)
                     if t is not term and (t is definition or t is opposite)}  # fmt: skip
            if there:
                term = simplify(substitute(term, there))
            if there or any(isinstance(t, Var) and t.name == name for t in postorder(term)):
                kept.append((name, definition))
        return term, tuple(kept)


def _negative(term: Expr) -> Expr:
    return plus(term.shape, (-1, term))
