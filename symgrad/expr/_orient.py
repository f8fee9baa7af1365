"""Which way round an array is: transposes are pushed into sums, products and element-wise operations.

The idea to hold: what a term is made of fixes which way round it is. As an operand that is read entry by entry, a
composite is read with its axes ascending; as a factor, it is the shorter of itself and its transpose. So a transpose
taken early and one taken late give the identical term.
"""

from __future__ import annotations

from typing import Any

from ._node import Expr, Indices


def permuted(term: Any, order: Indices) -> Expr | None:
    """A composite whose axis ``i`` is the given one's ``order[i]``; None for what has no inside."""
    key = "permuted", order  # kept: a part that is read in many places is turned once
    if key not in term.memo:
        term.memo[key] = _permuted(term, order)
    known: Expr | None = term.memo[key]
    return known


def _permuted(term: Any, order: Indices) -> Expr | None:
    if term.kind == "map" and term.op.name == "pow_scalar":
        from ._map import pow_

        inner = permuted(term.args[0][0], order)  # a power is read as its base is
        return None if inner is None else pow_(inner, term.params[0])
    if term.kind == "map":
        from ._map import map_

        return map_(term.op, term.args, term.params, order)
    if term.kind == "ein" and len(term.dims) > 0:
        from ._ein import ein

        return ein(term.coef, term.factors, order, {k: term.dims[k] for k in order})
    if term.kind == "add":
        from ._add import add

        return add(term.terms, order, {k: term.shape[k] for k in order})
    return None


def ascending(term: Expr, labels: Indices) -> tuple[Expr, Indices]:
    """An operand read at ascending labels, if it is a composite."""
    order = tuple(sorted(range(len(labels)), key=labels.__getitem__))
    if term.kind not in ("map", "add") or order == tuple(range(len(labels))):
        return term, labels
    turned = permuted(term, order)
    return (term, labels) if turned is None else (turned, tuple([labels[i] for i in order]))


def shorter(term: Expr, labels: Indices) -> tuple[Expr, Indices]:
    """A factor the shorter way round (of equals, always the same one)."""
    if len(labels) != 2 or term.kind not in ("map", "add"):
        return term, labels
    known = term.memo.get("shorter way round")
    if known is None:
        term.memo["shorter way round"] = True  # a sum may be minus its transpose, which asks for it again
        turned = permuted(term, (1, 0))
        better = turned is not None and (turned.weight, turned.digest) < (term.weight, term.digest)
        known = turned if better and turned is not None and turned.kind == term.kind else term
        term.memo["shorter way round"] = True if known is term else known
    if known is True or known is term:
        return term, labels
    return known, (labels[1], labels[0])
