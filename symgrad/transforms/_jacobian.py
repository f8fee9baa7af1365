"""Jacobians of recorded outputs: row by row, one reverse sweep each, or column by column, by tangents pushed forwards.

The idea to hold: both ways give the same blocks, one per output and input; who asks knows which there are fewer of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import _limits
from .._errors import SymbolicBranchError
from .._function import Function
from .._progress import Task
from ..core import Dim, OutputNode, Symbol, Tensor, edge, named_shape, reachable, wrap
from ..ops._public import FUNCTIONS, METHODS
from ..sweep.directions import NoForwardRule, PullMany
from ._memory import require_room
from ._variables import pull, recording


def basis(data: np.ndarray) -> Iterator[Tensor]:
    """The unit vectors of the space in which ``data`` lies, shaped as it."""
    for j in range(data.size):
        unit = np.zeros(data.shape, data.dtype)
        unit.reshape(-1)[j] = 1
        yield wrap(unit)


def chunks(x: np.ndarray, largest: int, count: int | None = None) -> list[range]:
    """The entries of ``x``, so many at a time (if not told, as many as keep arrays of ``largest`` entries small)."""
    count = count or max(1, min(x.size, _limits.AT_ONCE // max(largest, 1)))
    return [range(start, min(start + count, x.size)) for start in range(0, x.size, count)]


def units(x: np.ndarray, chosen: range) -> np.ndarray:
    """The unit vectors of a chunk, stacked in front."""
    return np.eye(len(chosen), x.size, chosen.start, x.dtype).reshape((-1, *x.shape))


def require_numbered(tensors: Sequence[Tensor]) -> None:
    """Raise for symbols with named sizes: how many rows their Jacobian has is not known."""
    for t in tensors:
        if type(t) is Symbol and any(type(size) is Dim for size in named_shape(t)):
            raise SymbolicBranchError(
                f"the rows of a Jacobian cannot be counted: there is a symbol of shape {named_shape(t)}",
                "It has named sizes, which stand for any.",
                "Use sg.jacobian(f)(x) or sg.hessian(f)(x) from outside, which give formulas, or declare the sizes "
                "as numbers.",
            )


def rows(outputs: Sequence[Tensor], inputs: Sequence[Tensor], graph: bool) -> list[list[Any]]:
    """Per output and input the Jacobian block of shape ``output.shape + input.shape``; None where independent.

    With ``graph`` the blocks can be differentiated again. Cost: one sweep per element of the outputs. Raises
    TooLargeError, as `columns` does, where the blocks do not fit into memory.
    """
    require_numbered(outputs)
    require_room(outputs, inputs)
    graph = graph or any(type(out) is Symbol for out in outputs)
    with Task("a Jacobian by rows"):
        return _rows(outputs, inputs, graph)


def _rows(outputs: Sequence[Tensor], inputs: Sequence[Tensor], graph: bool) -> list[list[Any]]:
    blocks = []
    for out in outputs:
        if out._node is None:
            blocks.append([None] * len(inputs))
            continue
        if not graph and out._data.size > 1:
            blocks.append(_at_once(out, inputs))
            if blocks[-1]:
                continue
            blocks.pop()
        columns: list[list[Any]] = [[] for _ in inputs]
        for unit in basis(out._data):
            for column, g in zip(columns, pull([out], inputs, [unit], graph, True), strict=True):
                column.append(g)
        blocks.append([_assemble(c, out._data.shape, x._data, graph) for c, x in zip(columns, inputs, strict=True)])
    return blocks


def _at_once(out: Tensor, inputs: Sequence[Tensor]) -> list[Any]:
    """Per input the block of one output, many rows at a time; empty where they are to be found one by one."""
    try:
        run = PullMany([edge(out)], [edge(x) for x in inputs])
        blocks: list[Any] = [None] * len(inputs)
        for chosen in chunks(out._data, max([out._data.size, *[x._data.size for x in inputs]])):
            for i, (found, x) in enumerate(zip(run([units(out._data, chosen)]), inputs, strict=True)):
                if found is not None:
                    if blocks[i] is None:
                        blocks[i] = np.zeros((out._data.size, *x._data.shape), x._data.dtype)
                    blocks[i][chosen.start : chosen.stop] = found
    except NoForwardRule:
        return []
    return [None if b is None else wrap(b.reshape(out._data.shape + x._data.shape)) for b, x in zip(blocks, inputs)]


def _assemble(parts: list[Any], shape: tuple[int, ...], x: np.ndarray, graph: bool) -> Any:
    if all(g is None for g in parts):
        return None if parts else wrap(np.zeros(shape + x.shape, x.dtype))
    if not graph:
        block = np.zeros((len(parts), *x.shape), x.dtype)
        for k, g in enumerate(parts):
            if g is not None:
                block[k], parts[k] = g._data, None  # the rows and the block never take their memory twice
        return wrap(block.reshape(shape + x.shape))
    filled = [wrap(np.zeros_like(x)) if g is None else g for g in parts]
    if not shape:
        return filled[0]
    return METHODS["reshape"](FUNCTIONS["stack"](filled, 0), shape + x.shape)


def goes_forwards(outputs: Sequence[Tensor]) -> bool:
    """Whether every operation has a forward rule of its own.

    A user's that has no ``jvp`` has not: its backward can be transposed, but not where it computes on arrays.
    """
    nodes = reachable([edge(o) for o in outputs if o._node is not None])[0]
    functions = [n for n in nodes if n.op is None and type(n) is not OutputNode]
    return all(hasattr(n, "_function") and n._function.jvp is not Function.jvp for n in functions)


def columns(outputs: Sequence[Tensor], inputs: Sequence[Tensor], graph: bool) -> list[list[Any]]:
    """What `rows` gives, at the cost of one walk forwards per element of the inputs, many of them at once."""
    from ._push import Pushforward  # forward mode is loaded by those who go forwards

    require_numbered([*outputs, *inputs])
    require_room(outputs, inputs)
    graph = graph or any(type(t) is Symbol for t in (*outputs, *inputs))
    push = Pushforward(outputs, inputs)
    with Task("a Jacobian by columns"):
        by_input = [(_recorded_columns if graph else _array_columns)(push, k) for k in range(len(inputs))]
    return [[blocks[j] for blocks in by_input] for j in range(len(outputs))]


def _recorded_columns(push: Any, k: int) -> list[Any]:
    """The blocks of input ``k`` with history, a walk per column; None where an output does not move."""
    from ._push import still, tangent_for

    x = push.inputs[k]
    found: list[list[Any]] = [[] for _ in push.outputs]
    with recording():
        for unit in basis(x._data):
            tangents: list[Any] = [None] * len(push.inputs)
            tangents[k] = tangent_for(x, unit, True)
            for column, t in zip(found, push(tangents, True), strict=True):
                column.append(t)
        blocks: list[Any] = []
        for column, o in zip(found, push.outputs, strict=True):
            if all(t is None for t in column):
                blocks.append(None)
                continue
            filled = [still(o, ()) if t is None else t for t in column]
            if not x._data.ndim:
                blocks += filled
                continue
            block = FUNCTIONS["stack"](filled, o._data.ndim)
            blocks.append(METHODS["reshape"](block, o._data.shape + x._data.shape))
    return blocks


def _array_columns(push: Any, k: int) -> list[Any]:
    """The blocks of input ``k`` as tensors without history, many columns per walk; None where an output stays."""
    x = push.inputs[k]._data
    blocks: list[Any] = [None] * len(push.outputs)
    for chosen in chunks(x, max([x.size, *(o._data.size for o in push.outputs)])):
        for j, (t, o) in enumerate(zip(push.many(k, units(x, chosen)), push.outputs, strict=True)):
            if t is not None:
                if blocks[j] is None:
                    blocks[j] = np.zeros((*o._data.shape, x.size), t.dtype)
                blocks[j][..., chosen.start : chosen.stop] = np.moveaxis(t, 0, -1)
    return [b if b is None else wrap(b.reshape((*b.shape[:-1], *x.shape))) for b in blocks]
