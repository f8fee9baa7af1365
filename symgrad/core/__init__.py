"""Operations, nodes and tensors: recording. What the operations *are* is said in `symgrad.ops`."""

from ._dim import Dim, Facts
from ._graph import (
    FAILS,
    FLOATS,
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
    new_node,
    public_node,
    wrap,
)
from ._op import (
    TABLE,
    Op,
    applied,
    computed,
    constant,
    elementwise,
    fallible,
    general,
    linear,
    multilinear,
    predicate,
    variant,
)
from ._pull import OWN, gradients, input_gradient, sum_to
from ._reading import (
    constants_of,
    copy_of,
    depending_on,
    operands_of,
    params_of,
    reachable,
    recorded_since,
    saved_operand,
    saved_value,
    saved_values,
    shapes_of,
)
from ._rules import NUMPY, table
from ._run import other
from ._watch import caller

__all__ = [
    "OWN", "gradients",
    "FAILS", "FLOATS", "FREED", "LEAF", "MASKS", "NUMPY", "TABLE", "AccumulateGrad", "Dim", "Extra", "Facts", "Freed",
    "Meta", "Node", "Op", "OutputNode", "RemovableHandle", "Symbol", "Tensor", "applied", "caller", "computed",
    "constant", "constants_of", "copy_of", "depending_on", "edge", "elementwise", "extra", "fallible", "general",
    "held", "input_gradient", "is_leaf_node", "linear", "make_leaf", "meta", "multilinear", "new_node", "operands_of",
    "other", "params_of", "predicate", "public_node", "reachable", "recorded_since", "saved_operand", "saved_value",
    "saved_values", "shapes_of", "sum_to", "table", "variant", "wrap",
]  # fmt: skip
