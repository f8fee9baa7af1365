"""Terms in their stable forms: what overflows is replaced by what does not; nothing is rewritten for the eye.

The idea to hold: formulas are simplified to be read, programs to be run. Of the table of rewrites a program takes those
that name a function known to be computed well (softplus, logsumexp, softmax, logdet), and leaves common factors,
quotients and powers as the function has them: they are shared by name, which is worth more.
"""

from __future__ import annotations

from .. import _limits
from .._postorder import postorder
from ..calculus import fitting
from ..terms import Expr, rebuilt


class StableForms:
    """The stable forms of terms that share much: each term's is found once.

    Attributes
    ----------
    found : the form of every term met so far, by identity
    """

    def __init__(self) -> None:
        self.found: dict[int, Expr] = {}
        self._kept: list[tuple[Expr, Expr]] = []  # an identity is a term's for as long as the term is there

    def of(self, root: Expr) -> Expr:
        """A term in stable form."""
        for term in postorder(root, known=self.found):
            if id(term) not in self.found:  # by a rule's result that has it, too
                short = self._rewritten(rebuilt(term, self.found))
                self.found[id(term)] = short
                self._kept.append((term, short))
        return self.found[id(root)]

    def _rewritten(self, term: Expr) -> Expr:
        for _ in range(_limits.REWRITES):
            better = next((after for _, after, _ in fitting(term, "stable")), None)
            if better is None:
                return term
            term = rebuilt(better, {id(c): self.of(c) for c in better.children})  # a rule's operands may be new
        return term
