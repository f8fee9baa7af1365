"""Jacobians of recorded outputs: row by row from one reverse sweep each, or column by column.

A column is J t. Reverse mode gives the linear map v ↦ Jᵀ v, and its own reverse is J: recorded once (at v = 0,
since the map is linear), it is swept once per column. That is forward mode without forward rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .._errors import SymbolicBranchError, TooLargeError
from ..core import LEAF, Dim, Symbol, Tensor, edge, wrap
from ..core._symbolic import named_shape
from ..ops._public import FUNCTIONS, METHODS
from ._variables import nobodys, pull, recording


def basis(data: np.ndarray) -> Iterator[Tensor]:
    """The unit vectors of the space in which ``data`` lies, shaped as it."""
    for j in range(data.size):
        unit = np.zeros(data.shape, data.dtype)
        unit.reshape(-1)[j] = 1
        yield wrap(unit)


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


_LARGE = 1 << 24
"""Entries of a Jacobian from which on it is asked whether it fits into memory."""


def require_room(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
    """Raise if the dense Jacobian does not fit into what memory there is."""
    m, n = sum(o._data.size for o in outputs), sum(x._data.size for x in inputs)
    if m * n <= _LARGE:
        return
    from . import _by_tape  # it loads what makes programs, which few Jacobians need

    need, free = m * sum(x._data.nbytes for x in inputs), _by_tape.available()
    if need > free:
        dtypes = ", ".join(sorted({str(x._data.dtype) for x in inputs}))
        raise TooLargeError(
            f"a dense Jacobian of {m:,} outputs in {n:,} variables takes {_by_tape.in_bytes(need)}, and "
            f"{_by_tape.in_bytes(free)} are free",
            f"It has {m:,} × {n:,} entries of {dtypes}.",
            "Ask for products (sg.vjp for Jᵀg, sg.jvp or sg.linearize for Jv), or for some rows at a time: "
            "sg.jacobian(lambda x: f(x)[:100]).",
        )


def rows(outputs: Sequence[Tensor], inputs: Sequence[Tensor], graph: bool) -> list[list[Any]]:
    """Per output and input the Jacobian block of shape ``output.shape + input.shape``; None where independent.

    With ``graph`` the blocks can be differentiated again. Cost: one sweep per element of the outputs. Raises
    TooLargeError, as `columns` does, where the blocks do not fit into memory.
    """
    require_numbered(outputs)
    require_room(outputs, inputs)
    graph = graph or any(type(out) is Symbol for out in outputs)
    blocks = []
    for out in outputs:
        if out._node is None:
            blocks.append([None] * len(inputs))
            continue
        columns: list[list[Any]] = [[] for _ in inputs]
        for unit in basis(out._data):
            for column, g in zip(columns, pull([out], inputs, [unit], graph, True), strict=True):
                column.append(g)
        blocks.append([_assemble(c, out._data.shape, x._data, graph) for c, x in zip(columns, inputs, strict=True)])
    return blocks


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


class Linearized:
    """The map t ↦ J t of recorded outputs, kept for any number of tangents.

    Parameters
    ----------
    outputs, inputs : tensors; the outputs were computed from the inputs
    graph : whether J t is to be differentiated with respect to anything but t
    """

    def __init__(self, outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
        self.outputs = outputs
        self.seeds = [wrap(np.zeros_like(o._data), LEAF) for o in outputs]
        nobodys.update(edge(s) for s in self.seeds)
        with recording():
            grads = pull(outputs, inputs, self.seeds, True, True)
        self.live = [k for k, g in enumerate(grads) if g is not None and g._node is not None]
        self.grads = [grads[k] for k in self.live]

    def __call__(self, tangents: Sequence[Tensor], graph: bool) -> list[Any]:
        """Per output its tangent; None where it is independent of the inputs."""
        if not self.live:
            return [None] * len(self.outputs)
        return pull(self.grads, self.seeds, [tangents[k] for k in self.live], graph, True)


def columns(outputs: Sequence[Tensor], inputs: Sequence[Tensor], graph: bool) -> list[list[Any]]:
    """What `rows` gives, at the cost of one sweep per element of the inputs."""
    require_numbered([*outputs, *inputs])
    require_room(outputs, inputs)
    push = Linearized(outputs, inputs)
    zeros = [wrap(np.zeros_like(x._data)) for x in inputs]
    blocks: list[list[Any]] = [[] for _ in outputs]
    for k, x in enumerate(inputs):
        found: list[list[Any]] = [[] for _ in outputs]
        for unit in basis(x._data):
            for column, t in zip(found, push([*zeros[:k], unit, *zeros[k + 1 :]], graph), strict=True):
                column.append(t)
        for block, column, out in zip(blocks, found, outputs, strict=True):
            block.append(_across(_assemble(column, x._data.shape, out._data, graph), x._data.ndim, out._data.ndim))
    return blocks


def _across(block: Any, lead: int, trail: int) -> Any:
    """Move the input's dimensions, which came first, behind the output's."""
    if block is None or not lead or not trail:
        return block
    return METHODS["permute"](block, (*range(lead, lead + trail), *range(lead)))
