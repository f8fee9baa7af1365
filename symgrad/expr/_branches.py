"""What Python branched on while a function ran: conditions on its formula's symbols, looked at where it is evaluated.

The idea to hold: a branch is a term and how it came out. Its text is worked out of them, and so is whether another
point takes the same branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import show
from .._errors import FormulaError
from .._postorder import postorder
from ..core import Tensor
from ._evaluate import evaluate
from ._lift import negated
from ._map import is_condition
from ._node import Expr, Var
from ._simplify import simplify
from ._substitute import substitute


class Branch(NamedTuple):
    """A condition that Python asked for, and the answer."""

    term: Expr
    outcome: bool

    @property
    def text(self) -> str:
        condition = is_condition(self.term)
        text = show.to_text(self.term) if condition else f"{show.to_text(self.term)} ≠ 0"
        if not self.outcome:
            text = show.to_text(simplify(negated(self.term))) if condition else f"{show.to_text(self.term)} = 0"
        return text.removeprefix("1[").removesuffix("]") if text.startswith("1[") else text


def branches_of(taken: Sequence[tuple[Tensor, bool]], trace: Any) -> tuple[Branch, ...]:
    """What Python branched on, as far as it hangs on symbols."""
    found = [Branch(simplify(trace.tensor(condition)), outcome) for condition, outcome in taken]
    return tuple(dict.fromkeys(filter(_is_open, found)))


def _is_open(branch: Branch) -> bool:
    return any(isinstance(v, Var) for v in postorder(branch.term))


def substituted(branches: Sequence[Branch], given: dict[Expr, Expr], point: dict[str, Any]) -> tuple[Branch, ...]:
    """The branches with symbols replaced; raises if one is decided by that, and is not the one that was taken."""
    new = [b._replace(term=simplify(substitute(b.term, given))) for b in branches]
    require_taken([b for b in new if not _is_open(b)], point)
    return tuple(filter(_is_open, new))


def require_taken(branches: Sequence[Branch], point: dict[str, Any]) -> None:
    """Raise where Python would branch otherwise: the formula is that of the branch taken where it was made."""
    for branch in branches:
        value = evaluate(branch.term, point)
        if bool(np.all(value)) is not branch.outcome:
            raise FormulaError(
                f"the formula holds where {branch.text}, which is not so here",
                "Python branched on that when the function ran: at this point it computes something else.",
                "Ask sg.formula(f, …) at a point of this branch; or write sg.where(condition, a, b), which keeps both.",
            )
