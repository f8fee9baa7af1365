"""Operations, nodes and tensors: recording. What the operations *are* is said in `symgrad.ops`."""

from ._graph import (
    FAILS,
    LEAF,
    MASKS,
    AccumulateGrad,
    Extra,
    Freed,
    Meta,
    Node,
    OutputNode,
    RemovableHandle,
    Tensor,
    edge,
    extra,
    is_leaf_node,
    make_leaf,
    meta,
    public_node,
    reachable,
    wrap,
)
from ._op import TABLE, Op, constant, elementwise, general, linear, multilinear, variant
from ._run import NUMPY, caller, input_gradient, other, table

__all__ = [
    "FAILS", "LEAF", "MASKS", "NUMPY", "TABLE", "AccumulateGrad", "Extra", "Freed", "Meta", "Node", "Op", "OutputNode",
    "RemovableHandle", "Tensor", "caller", "constant", "edge", "elementwise", "extra", "general",
    "input_gradient", "is_leaf_node", "linear", "make_leaf", "meta", "multilinear", "other", "public_node", "reachable", "table", "variant", "wrap",
]  # fmt: skip
