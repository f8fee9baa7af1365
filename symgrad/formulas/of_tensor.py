"""The formula of a tensor: its graph lifted, simplified, and evaluated against its number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from .. import show
from .._errors import FormulaError
from .._limits import bound
from .._progress import Task
from .._trees import postorder
from ..calculus import Trace, branches_of, simplify
from ..core import Tensor, edge, storage
from ..terms import Expr, TooLarge, Var, evaluate, symbols_in
from .background import Again, Background, OtherSizes, other_sizes
from .check import Source, disagreement, rounding_decides, tolerance, verdict
from .formula import Formula
from .to_sympy import check_sympy


def tensor_formula(
    t: Tensor,
    level: str = "array",
    stop_at: Sequence[Any] = (),
    branches: Sequence[tuple[Tensor, bool]] = (),
    again: Again | None = None,
    any_size: bool = True,
) -> Formula:
    """The formula of ``t`` in the names of its leaves: ``name=``, else x0, x1… in order of use.

    ``again`` runs the function that ``t`` is a result of at other sizes. Without ``any_size`` the named sizes are those
    of data that the function uses.

    Raises
    ------
    FormulaError : an operand is no longer there, or the check failed
    """
    if level not in ("array", "element"):
        raise FormulaError(f"a formula has no level {level!r}", "", "Choose 'array' or 'element'.")
    bag = t._extra
    if t._node is None and getattr(t, "_swept", False) and (bag is None or (bag.name is None and bag.origin is None)):
        raise FormulaError(
            "this gradient is numbers only: the backward that made it recorded nothing",
            "What it was computed from is not known.",
            "Make it with create_graph=True. A formula has derivatives of its own: loss.formula().grad('w'), "
            "sg.grad(f).formula(w).",
        )
    with Task("a formula of a tensor"):
        return _lifted(t, level, stop_at, branches, again, any_size)


def _lifted(
    t: Tensor, level: str, stop_at: Sequence[Any], branches: Sequence[tuple[Tensor, bool]], again: Again | None,
    any_size: bool,
) -> Formula:  # fmt: skip
    trace = Trace()
    stopped = trace.stop(stop_at, t)
    raw = trace.tensor(t)
    _refuse_namesakes(raw, trace.leaves)
    asked, aside = trace.domains(True), trace.domains(False)
    taken = branches_of(branches, trace)
    tol = tolerance([*trace.dtypes, t._data.dtype])
    background = Background(
        trace.point, Source(edge(t), trace.leaves) if edge(t) is not None else None,
        tuple([(name, simplify(term)) for name, term in stopped]), trace.special,
        {name: facts.properties for name, facts in trace.declared.items()},
        {v.name: v for v in trace.symbols.values() if isinstance(v, Var)}, asked, tuple(trace.choices),
        taken, frozenset(trace.detached), any(d.kind == "c" for d in trace.dtypes), tol,
        asked_aside=aside,
    )  # fmt: skip
    form = None if stopped else raw
    there = other_sizes(t, trace, again) if any_size else None
    telling = _at_sizes_that_tell(t, trace, again) if there is not None and rounding_decides(t) else None
    if telling is not None:
        compared = background.compared(simplify(raw), telling, form)
        if compared.follows:
            return Formula(raw, compared, True, level)
    checked = _check(raw, t, trace, tol)
    return Formula(raw, background.compared(simplify(raw), there, form), checked, level)


def tensor_sympy(t: Any) -> Any:
    """The SymPy expression of a tensor, checked against its number."""
    formula = tensor_formula(t)
    expression = formula.sympy()
    if formula.checked is True:
        check_sympy(expression, formula, t)
    return expression


TURNED_SIZES = bound(7)
"""Orders of sizes that are tried where rounding decides the numbers of a formula."""


def _at_sizes_that_tell(t: Tensor, trace: Trace, again: Again | None) -> OtherSizes | None:
    """The same at sizes in another order, at which more than rounding is in the numbers; None if there are none.

    Which length stands in for a size is a matter of which came first in the process, and an inverse of XᵀX needs an X
    with as many rows as columns.
    """
    for turn in range(1, TURNED_SIZES):
        there = other_sizes(t, trace, again, turn)
        if there is None or (there.found is not None and not rounding_decides(there.found)):
            return there
    return None


def _refuse_namesakes(raw: Expr, leaves: dict[str, Any]) -> None:
    """Raise if a named size stands as a number beside a symbol of the same name: no reader could tell the two."""
    symbols = symbols_in(raw)
    named: dict[bool, set[str]] = {True: set(), False: set()}
    for t in symbols:
        label = leaves[t.name].label if t.name in leaves else None  # one of the two has been numbered
        named["size" in t.properties].add(label or t.name)
    for name in sorted(named[True] & named[False]):
        raise FormulaError(
            f"{name!r} names a size and a symbol of the formula", "Both stand in it.", "Give the symbol another name."
        )


def _check(raw: Expr, t: Tensor, trace: Trace, tol: float) -> Any:
    """Evaluate the formula against the tensor's numbers; a disagreement raises."""
    for leaf in trace.keep:
        if storage.version_conflict(leaf._data if isinstance(leaf, Tensor) else leaf.data, trace.oldest) is not None:
            return "not checked: a leaf or constant was written in place since"
    term = simplify(raw)
    try:
        found = verdict(partial(evaluate, term), trace.point, t._data, tol)
        if found is not None:
            return found
    except TooLarge:
        return "not checked: too large to evaluate"
    if storage.anything_written_since(trace.oldest):
        raise FormulaError(
            "no formula describes these numbers",
            "A tensor of this graph was written in place without the graph's knowledge (through .detach(), .data, "
            "a NumPy array or under no_grad) after it was computed.",
            "Use operations that are recorded, or ask for the formula before the write.",
        )
    _refuse_lopsided(raw, trace.point)
    value = evaluate(term, trace.point)
    near = value.shape == t._data.shape and bool((np.abs(value * 1.0 - t._data) <= _rounding(t, trace)).all())
    if near or rounding_decides(t):  # the side of a cut, atan2(±0, −1), perhaps
        return "not checked: rounding decides the number at the point"
    raise disagreement(term, value, t._data)


def _rounding(t: Tensor, trace: Trace) -> float:
    """What rounding may have left of the numbers on the way to a tensor, where the larger ones cancel."""
    on_the_way = [v for value in trace.values.values() for v in (value if isinstance(value, tuple) else (value,))]
    largest = max([np.abs(v).max(initial=0) for v in on_the_way if v.dtype.kind in "fc"], default=0)
    return float(16 * np.finfo(t._data.dtype).eps * largest) if t._data.dtype.kind in "fc" else 0.0


def _refuse_lopsided(raw: Expr, point: dict[str, Any]) -> None:
    """Raise if there is a Cholesky factor of a matrix that is not symmetric: what it cancels to is not that matrix."""
    for factor in postorder(raw):
        if factor.operation == "linalg_cholesky":
            matrix = evaluate(factor.args[0], point)
            if not np.allclose(matrix, np.swapaxes(matrix, -1, -2)):
                raise FormulaError(
                    f"the formula holds where {show.to_text(factor.args[0])} is symmetric, and it is not",
                    "A Cholesky factor is made of the lower triangle, and L Lᵀ has that on both sides.",
                    "Declare it (sg.symbol(…, pd=True)), give a symmetric array, or make it so: (A + A.T)/2.",
                )
