"""A formula of named sizes at other sizes: what stands in for a size must not be seen in it.

The idea to hold: the lengths behind named sizes are arbitrary, so whatever the formula says must be true of others too.
The function is run once more with other lengths, and the formula evaluated there beside it; so is each derivative. A
number that came from a length that stood in differs there, however it came about.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .._errors import FormulaError, SymgradError
from .._postorder import postorder
from ..core import TABLE, Tensor, edge, modes, sizes_of
from ..sweep._elsewhere import CannotRunAgain, Elsewhere, names_in, other_lengths
from ._check import Source, verdict
from ._evaluate import evaluate
from ._node import Call, Expr
from ._trace import Trace

Again = Callable[[Elsewhere], Tensor]

_FAILS = (SymgradError, CannotRunAgain, ValueError, IndexError, TypeError, KeyError, ArithmeticError)
"""What code raises that does not take other sizes."""


class OtherSizes:
    """What a formula is compared with at other sizes.

    Attributes
    ----------
    lengths : what stands for each named size there
    form : the digest of the term there, which depends on the names of sizes and not on their lengths
    found : the tensor of the function (or of the recorded graph) there; None if it takes no other sizes
    """

    def __init__(self, lengths: dict[str, int], found: Tensor | None, trace: Trace) -> None:
        self.lengths, self.found, self.form = lengths, found, 0
        self.source: Source | None = None
        if found is None:
            return
        there = Trace()
        self.form = there.tensor(found).digest
        here = {name: leaf for name, leaf in trace.leaves.items() if name in there.leaves}
        self.source = Source(edge(found), {name: there.leaves[name] for name in here}) if edge(found) else None
        symbols = {k: v for k, v in there.point.items() if k in there.declared or k.startswith("#")}
        self.point = {**trace.point, **symbols, **{"#" + k: np.asarray(float(n)) for k, n in lengths.items()}}

    def derived(self, name: str) -> OtherSizes | None:
        """What the derivative in a variable is compared with."""
        if self.found is None:  # that there is nothing is true of the derivative, too
            return self
        source = None if self.source is None else self.source.derived(name)
        if source is None:
            return None
        new = object.__new__(OtherSizes)
        new.lengths, new.found, new.source, new.point = self.lengths, self.found, source, self.point
        new.form = 0
        return new

    def follows(
        self, term: Expr, tol: float, form: Expr | None = None, symmetric: Callable[[], frozenset[str]] = frozenset
    ) -> Any:
        """Whether a term is the function (its derivative) there too, as `verdict` says; None if the two cannot be
        compared.

        ``form`` is the term as it was recorded. That recorded there is the same but for the lengths, even where the
        numbers are too near to tell: a loop over range(n) has other terms. ``symmetric`` is that of `Source.check`.
        """
        if self.found is None:
            return None
        if form is not None and form.digest != self.form and not _has_own_operations(form):
            return False
        try:
            if self.source is None or not self.source.path:
                return verdict(partial(evaluate, term), self.point, self.found._data, tol) or False
            return self._derivative_follows(self.source, term, tol, symmetric)
        except _FAILS:
            return None

    def _derivative_follows(self, source: Source, term: Expr, tol: float, symmetric: Any) -> Any:
        try:
            said = source.check(term, self.point, tol, symmetric)
        except FormulaError:
            return False
        return None if isinstance(said, str) and said.startswith("not checked") else said


def _has_own_operations(term: Expr) -> bool:
    """Whether a term has operations that the user defined: two runs make two of each."""
    return any(isinstance(t, Call) and TABLE.get(t.op.name) is not t.op for t in postorder(term))


def other_sizes(t: Tensor, trace: Trace, again: Again | None, turn: int = 0) -> OtherSizes | None:
    """What the formula of ``t`` is compared with at other sizes; None if it has no named ones, or none for a turn.

    ``again`` runs the function that made ``t`` elsewhere; without it the recorded graph is run again. The sizes are in
    the order of those that stand in, or after a ``turn`` in another one.
    """
    sizes = {**names_in(trace.sizes), **names_in(sizes_of(t))}
    if not sizes or modes.elsewhere.get() is not None:
        return None
    lengths = other_lengths(sizes, turn)
    if not lengths:
        return None
    for run in (again, lambda there: there.again(t)):
        try:
            if run is not None:
                return OtherSizes(lengths, run(Elsewhere(lengths)), trace)
        except _FAILS:
            continue
    return OtherSizes(lengths, None, trace)


def refusal(term: Expr, lengths: dict[str, int]) -> FormulaError:
    """The error that a number in a formula is a length that stood in for a size."""
    from ..show import to_text

    sizes = ", ".join([f"{name} = {n}" for name, n in sorted(lengths.items())])
    return FormulaError(
        "a number in the formula is a length that stood in for a named size",
        f"The formula is {to_text(term)[:500]}, and for {sizes} the function is another one.",
        "Compute with the sizes themselves (x.shape[0] / 2, sg.ones(n), sg.eye(n)) in place of int(n), range(n) or "
        "NumPy's np.ones(n); or give the function arrays. (Numbers that it draws or counts must be given, too.)",
    )
