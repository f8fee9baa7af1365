"""Terms in their stable forms: what overflows is replaced by what does not; nothing is rewritten for the eye.

The idea to hold: formulas are simplified to be read, programs to be run. Of the table of rewrites a program takes those
that name a function known to be computed well (softplus, logsumexp, softmax, logdet), and leaves common factors,
quotients and powers as the function has them: they are shared by name, which is worth more.
"""

from __future__ import annotations

from .. import _limits
from .._postorder import postorder
from ..expr._node import Expr
from ..expr._simplify import fitting
from ..expr._substitute import rebuilt


def stable(root: Expr, done: dict[int, Expr] | None = None) -> Expr:
    """The term in stable form; ``done`` is given the form of every term below it, by identity."""
    done = {} if done is None else done
    kept: list[Expr] = []
    for term in postorder(root):
        done[id(term)] = short = _rewritten(rebuilt(term, done))
        kept.append(short)
    return done[id(root)]


def _rewritten(term: Expr) -> Expr:
    for _ in range(_limits.REWRITES):
        better = next((after for _, after, _ in fitting(term, "stable")), None)
        if better is None:
            return term
        term = better
    return term
