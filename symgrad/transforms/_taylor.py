"""``sg.taylor``: the Taylor coefficients of a function along a line.

The idea to hold: the function runs once, and what it recorded is replayed on power series (`sweep.series`); the cost
grows with the square of the order, where nested gradients take exponentially longer with each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._errors import GradientError
from ..core import Tensor, table, wrap
from ..sweep.forward import NoForwardRule
from ..sweep.series import Expansion
from ._arguments import Positional, any_symbol
from ._extra_arguments import of_one_argument
from ._fix import written_out
from ._push import still, tangent_for, tangents_like
from ._returned import formulas_at
from ._run import Run
from ._tracing import require_callable
from ._tree import unflatten
from ._variables import all_plain, recording


@of_one_argument
def taylor(f: Callable[..., Any], x: Any, order: int, direction: Any = None) -> Any:
    """Return the Taylor coefficients of ``t ↦ f(x + t·direction)`` at t = 0: its k-th derivative over k!, for each k.

    Parameters
    ----------
    f : function of one array (or of one container of arrays) that returns an array, or a container of them
    x : where to expand: a number, an array, a tensor or a symbol, or a container of these
    order : the highest power, a whole number from 0
    direction : the line on which ``x`` moves, of the structure and the shapes of ``x``; by default each entry moves
        with t itself, so that a function of one number gets its Taylor series, and an entry-by-entry function those of
        all entries

    Returns
    -------
    The coefficients c₀ … c_order along a new first dimension: shape (order + 1, *shape of f(x)). Arrays give arrays,
    tensors tensors (with history where somebody outside could want it). Symbols give a tuple of formulas. A container
    of outputs gives that container of coefficients (for symbols: a tuple of containers, one per power).

    Raises
    ------
    GradientError : ``order`` is no whole number from 0; the function has no series at ``x`` (vectors of eigenvalues
        that coincide, an operation of the user's that cannot be differentiated again)
    ShapeError : ``direction`` is not like ``x``

    Notes
    -----
    Cost: one run of ``f``, recorded, and O(order²) products of arrays per operation. (Powers with exponents that move
    and the gamma functions take a series of their own per order, O(order³); the matrix exponential is that of matrices
    order + 1 times as large.) At a kink the series is that of the branch whose derivative the operation declares there.
    f(x + h·direction) is ``sum(c[k] * h**k)``, within the radius of convergence.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.taylor(sg.exp, 0.0, order=4)
    array([1.        , 1.        , 0.5       , 0.16666667, 0.04166667])
    >>> sg.taylor(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]), order=3, direction=np.array([1.0, 0.0]))
    array([9., 3., 3., 1.])
    >>> print(*sg.taylor(lambda x: sg.exp(2 * x), sg.symbol("x"), order=3), sep="   ")
    exp(2x)   2 exp(2x)   2 exp(2x)   4 exp(2x)/3
    """
    require_callable(f, "sg.taylor")
    order = _order(order)
    if any_symbol((x, direction)):
        return _formulas(f, x, order, direction)
    run = Run("taylor", Positional(f, (x,), ("x",)))
    if run.of_symbols:
        return _formulas(f, x, order, direction)
    graph, rows = _expand(run, x, order, direction)
    stacked = [_stacked(c, o, graph) for c, o in zip(rows, run.outputs, strict=True)]
    return run.leave(unflatten(run.output_spec, stacked), all_plain(direction))


def _order(order: Any) -> int:
    whole = isinstance(order, (int, np.integer)) and not isinstance(order, bool)
    if not whole or order < 0:
        raise GradientError(
            f"sg.taylor takes as order a whole number from 0, got {order!r}",
            "It is the highest power of t whose coefficient is wanted.",
            "Write order=2 for value, slope and half the curvature.",
        )
    return int(order)


def _expand(run: Run, x: Any, order: int, direction: Any) -> tuple[bool, list[list[Tensor]]]:
    """Whether they have a history, and per output its coefficients, from the value on."""
    inputs, variables = run.inputs, run.variables.tensors
    if direction is None:
        given = [wrap(np.ones_like(v._data)) for v in inputs]
    else:
        given = tangents_like("sg.taylor", (x,), (direction,), inputs, "x", "direction")
    graph = run.graph(given)
    with recording(graph):
        moved = [tangent_for(v, d, graph) for v, d in zip(inputs, given, strict=True)]
        lines = moved if graph else [d._data for d in moved]
        try:
            series = Expansion([o._node for o in run.outputs], [v._node for v in variables], lines, graph)
            found = series.coefficients(order)
        except NoForwardRule as error:
            raise GradientError(f"sg.taylor cannot expand the function: {error}.", *error.advice) from error
        rows = [[o, *(_tensor(c, o) for c in row)] for row, o in zip(found, run.outputs, strict=True)]
    return graph, rows


def _tensor(c: Any, o: Tensor) -> Tensor:
    if c is None:
        return still(o, ())
    return c if isinstance(c, Tensor) else wrap(np.asarray(c))


def _stacked(coefficients: Sequence[Tensor], o: Tensor, graph: bool) -> Tensor:
    if graph:
        with recording():
            return table("stack")(list(coefficients), 0)
    dtype = coefficients[-1]._data.dtype if o._data.dtype.kind not in "fc" else o._data.dtype
    return wrap(np.stack([c._data for c in coefficients]).astype(dtype, copy=False))


def _formulas(f: Any, x: Any, order: int, direction: Any) -> Any:
    f = written_out(f)

    def expansion(*args: Any) -> Any:
        run = Run("taylor", Positional(f, args[:1], ("x",)))
        _, rows = _expand(run, args[0], order, args[1] if len(args) > 1 else None)
        return tuple([unflatten(run.output_spec, list(power)) for power in zip(*rows, strict=True)])

    return formulas_at("sg.taylor", f, expansion, (x,), {} if direction is None else {"v": direction})


__all__ = ["taylor"]
