"""Programs for what is asked of a Hessian without forming it: products with vectors, the diagonal, its sum.

The idea to hold: there is no object that could remember what ran last, so the last program of each kind is kept in mind
here; the next call of the same structure only checks that it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _limits
from ..core import Symbol, Tensor, edge, is_leaf_node, wrap
from ._routes import Route, diagonals, recalled, route_of, times
from ._run import Run

_recent: dict[str, Any] = {}
"""The program of the last call: for the sum of the diagonal, for the diagonal, for products."""


def _way(run: Run, format: str) -> Route | None:
    """The way to what is asked of a recorded run; None where somebody could differentiate it."""
    output, tensors = run.output, run.variables.tensors
    if type(output) is Symbol or output._node is None:
        return None
    alone = len(tensors) == 1 and is_leaf_node(edge(tensors[0]))
    known = recalled(_recent.get(format), output, tensors[0]) if alone else None
    if known is not None:  # it has no other leaves
        return known
    return None if run.variables.concerns_outside([output]) else route_of(output, tensors, format)


def _remember(route: Route, run: Run, format: str) -> None:
    """Keep in mind by which program this went."""
    if route.program is not _recent.get(format) and len(run.variables.tensors) == 1:
        route.program.remember(route.survey)
        _recent[format] = route.program


def times_by_program(run: Run, vectors: Sequence[Tensor], began: int) -> list[Tensor] | None:
    """The Hessian times vectors by a program of its own; None where there is none. ``began``: when the function did."""
    output = run.output
    long = 3 * _limits.PRODUCT_NODES // 2  # some of what a function runs is not in the graph
    if output._node is None or output._node.seq - began > long:
        return None
    if any(type(v) is not Tensor or v._node is not None or v._data.dtype != output._data.dtype for v in vectors):
        return None
    route = _way(run, "product")
    parts = times(route, [v._data for v in vectors], output, run.variables.tensors) if route is not None else None
    if route is None or parts is None:
        return None
    _remember(route, run, "product")
    return [wrap(np.asarray(p, output._data.dtype)) for p in parts]


def second_by_program(run: Run, what: str) -> Any:
    """The diagonal or its sum by a program of its own; None where there is none, or somebody could differentiate it."""
    output, tensors = run.output, run.variables.tensors
    trace = what == "laplacian"
    format = "trace" if trace else "diagonal"
    route = _way(run, format)
    parts = diagonals(route, output, tensors) if route is not None else None
    if route is None or parts is None:
        return None
    _remember(route, run, format)
    if trace:
        return [wrap(np.asarray(sum(parts), output._data.dtype))]
    return [wrap(np.asarray(p)) for p in parts]


__all__ = ["second_by_program", "times_by_program"]
