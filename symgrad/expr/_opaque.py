"""Numbers for Jacobians that have no formula: the table's rule, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import applied, edge, recorded, wrap
from ..sweep import grad as sweep_grad
from ._partials import placeholder


@recorded
def jacobian_value(op: Any, params: tuple[Any, ...], out: int | None, wrt: int, args: list[np.ndarray]) -> np.ndarray:
    """The Jacobian of an operation (of output ``out``) at given operands: the result's axes, then the operand's."""
    leaves = [placeholder(f"a{k}", a) if k == wrt else wrap(np.asarray(a)) for k, a in enumerate(args)]
    result = applied(op, leaves, params)
    y = result if out is None else result[out]
    rows = []
    for place in np.ndindex(*y._data.shape):
        seed = np.zeros(y._data.shape)
        seed[place] = 1
        row = None
        if edge(y) is not None:
            (row,) = sweep_grad(
                [y], [leaves[wrt]], [placeholder("g", seed).detach()], retain_graph=True, allow_unused=True
            )
        rows.append(np.zeros(args[wrt].shape) if row is None else row._data)
    return np.array(rows).reshape((*y._data.shape, *args[wrt].shape))
