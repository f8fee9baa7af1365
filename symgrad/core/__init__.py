"""Operations, nodes and tensors: recording. What the operations *are* is said in `symgrad.ops`."""

from ._graph import (
    LEAF,
    AccumulateGrad,
    Extra,
    Freed,
    Meta,
    Node,
    OutputNode,
    RemovableHandle,
    Tensor,
    accumulator,
    edge,
    extra,
    meta,
    public_node,
    reachable,
    wrap,
)
from ._op import TABLE, Op, constant, elementwise, general, linear, multilinear
from ._run import NUMPY, caller, input_gradient, other, table

__all__ = [
    "LEAF", "NUMPY", "TABLE", "AccumulateGrad", "Extra", "Freed", "Meta", "Node", "Op", "OutputNode",
    "RemovableHandle", "Tensor", "accumulator", "caller", "constant", "edge", "elementwise", "extra", "general",
    "input_gradient", "linear", "meta", "multilinear", "other", "public_node", "reachable", "table", "wrap",
]  # fmt: skip
