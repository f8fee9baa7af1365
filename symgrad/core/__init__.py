"""Operations, nodes and tensors: recording. What the operations *are* is said in `symgrad.ops`."""

from ._dim import Dim, Facts
from ._graph import (
    FAILS,
    FREED,
    LEAF,
    MASKS,
    AccumulateGrad,
    Extra,
    Freed,
    Meta,
    Node,
    OutputNode,
    RemovableHandle,
    Symbol,
    Tensor,
    edge,
    extra,
    held,
    is_leaf_node,
    make_leaf,
    meta,
    public_node,
    reachable,
    saved_values,
    wrap,
)
from ._op import TABLE, Op, constant, elementwise, fallible, general, linear, multilinear, variant
from ._pull import input_gradient, sum_to
from ._rules import NUMPY, table
from ._run import other
from ._watch import caller

__all__ = [
    "FAILS", "FREED", "LEAF", "MASKS", "NUMPY", "TABLE", "AccumulateGrad", "Dim", "Extra", "Facts", "Freed", "Meta",
    "Node", "Op", "OutputNode", "RemovableHandle", "Symbol", "Tensor", "caller", "constant", "edge",
    "elementwise", "extra", "fallible", "general", "held", "input_gradient", "is_leaf_node", "linear", "make_leaf",
    "meta", "multilinear", "other", "public_node", "reachable", "saved_values", "sum_to", "table", "variant", "wrap",
]  # fmt: skip
