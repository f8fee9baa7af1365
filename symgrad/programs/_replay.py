"""A recorded graph run again at another point: the same operations, on other values of the variables.

The idea to hold: the operations of a graph are functions of their operands, so they can be run again on new leaves, and
record what the function would have recorded there if it did nothing else. That is all a second opinion on a program
needs: the user's function is not called.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import LEAF, OutputNode, Tensor, held, wrap
from ._survey import Unprogrammable


def replayed(nodes: list[Any], variables: list[Any], values: list[np.ndarray]) -> tuple[Tensor, list[Tensor]]:
    """The result of the newest of ``nodes`` (oldest first) for new values of the variables (edges), and the new leaves.

    Raises
    ------
    Unprogrammable : the graph does not hold all that it was computed from
    """
    leaves = [wrap(v, LEAF) for v in values]
    made: dict[Any, Any] = dict(zip(variables, leaves, strict=True))
    for node in nodes:
        if type(node) is OutputNode:
            made[node] = made[node.parents[0]][node.index]
            continue
        op = node.op
        if op is None:
            raise Unprogrammable("a user-defined function")
        constants, params = (node.consts[0], node.consts[1]) if op.packs else (node.consts, ())
        operands = []
        for i, p in enumerate(node.parents):
            if p is not None:
                operands.append(made[p] if p in made else wrap(p.data))
                continue
            value = held(constants[i])
            if value is None and constants[i] is not None:
                raise Unprogrammable(f"a large constant operand of {node.name()} is gone")
            operands.append(wrap(value._data) if isinstance(value, Tensor) else value)  # it was a constant then
        made[node] = op.apply(tuple(operands), *params) if op.variadic else op.apply(*operands, *params)
    result: Tensor = made[nodes[-1]]
    return result, leaves
