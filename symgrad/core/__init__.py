"""Operations, nodes and tensors: recording. What the operations *are* is said in `symgrad.ops`.

What stands here is what the rest of the library may use; a module of this folder is nobody else's to look into.
"""

from . import modes, storage
from ._anomaly import AnomalyFound, look, strange
from ._borrowed import borrowed, lend_again, own, require_unwritten, require_unwritten_since
from ._carrier import Carrier, carries, content, contents, opened, shared
from ._dim import ASKED, IMPLIED, Dim, Facts, resized
from ._dispatch import other
from ._duals import Dual, Level, Tangent, any_moves, as_it_moved, carried, make_dual, tangent_of
from ._emit import emitted, gradient_source, guarded
from ._explain import describe, mismatch
from ._facts import FACTS
from ._facts import Facts as RowFacts
from ._foreign import (
    array_of_table,
    foreign,
    is_beside_sparse,
    is_sparse,
    is_table,
    no_numbers,
    plain_array,
    refuse_foreign,
    refuse_no_numbers,
    unknown,
    without_numbers,
)
from ._graph import (
    FAILS,
    FLOATS,
    FORGOTTEN,
    FREED,
    LEAF,
    MASKS,
    NAMED,
    AccumulateGrad,
    Extra,
    Freed,
    Meta,
    Node,
    OutputNode,
    Place,
    RemovableHandle,
    Symbol,
    Tensor,
    edge,
    extra,
    found_from_values,
    held,
    hold,
    is_leaf_node,
    make_leaf,
    meta,
    new_node,
    next_seq,
    output_node,
    public_node,
    wrap,
)
from ._meanings import LETTERS, MEANINGS, SAID, CannotTravel, rank_needed, shifted, travelled, travels
from ._node_names import recorded_as
from ._notes import Notes, listening, noting
from ._on_symbols import detached, run_symbolic
from ._op import (
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
)
from ._pull import OWN, gradients, input_gradient, keep_zeros, lifted, reduce_to, rule_of, rule_values, sum_to
from ._quiet import hush, unhush
from ._reading import (
    constants_of,
    copy_of,
    depending_on,
    keep_saved,
    operands_of,
    params_of,
    reachable,
    recorded_since,
    saved_arrays,
    saved_operand,
    saved_value,
    saved_values,
    shapes_of,
)
from ._record import make_node, refuse_inference, run, settled
from ._rules import in_float64, rebind, rebind_to_arrays
from ._symbols import (
    DRAW,
    Found,
    FoundFloat,
    at_sizes,
    constant_from,
    facts_of,
    make_symbol,
    merged,
    named_shape,
    plain,
    shape_of,
    sizes_of,
    sizes_of_shape,
    symbolic,
)
from ._table import NUMPY, PUBLIC, TABLE, of_numpy, table
from ._views import alias, guard_output, is_lent, register_view, steps
from ._watch import Packed, caller_frame, packed, unpacked, watch
from ._writes import castable, check_writable, fill_with, forget, rebase, refresh, set_node, short_dtype, write
from .modes import recorded, tracing
from .storage import anything_written_since, spoilt

__all__ = [
    "FACTS", "FAILS", "FLOATS", "FORGOTTEN", "FREED", "IMPLIED", "LEAF", "LETTERS", "MASKS", "MEANINGS", "NAMED",
    "NUMPY", "OWN", "PUBLIC", "Place", "SAID", "TABLE", "AccumulateGrad", "ASKED", "AnomalyFound",
    "CannotTravel", "Carrier", "DRAW", "Dim", "Dual", "Extra", "Facts",
    "Found", "FoundFloat", "Freed", "Level", "Meta", "Node", "Notes", "Op", "OutputNode", "Packed", "RemovableHandle",
    "RowFacts", "Symbol", "Tangent", "Tensor", "alias", "any_moves", "anything_written_since", "applied",
    "as_it_moved", "at_sizes", "borrowed", "caller_frame", "carried", "carries", "castable",
    "check_writable", "computed", "constant", "constant_from", "constants_of", "content", "contents", "copy_of",
    "depending_on", "describe", "detached", "edge", "elementwise", "emitted", "extra", "facts_of", "fallible",
    "fill_with", "foreign", "forget", "found_from_values", "general", "gradient_source", "gradients", "guard_output",
    "guarded", "held", "hold", "hush", "in_float64", "input_gradient", "is_leaf_node",
    "is_beside_sparse", "is_lent", "is_sparse", "unknown", "is_table", "array_of_table", "without_numbers",
    "keep_saved", "keep_zeros", "lend_again", "lifted", "linear", "listening", "look", "make_dual", "make_leaf",
    "make_node",
    "make_symbol", "merged", "meta", "mismatch", "modes", "multilinear", "named_shape", "new_node", "next_seq",
    "no_numbers", "noting", "of_numpy", "opened", "operands_of", "other", "output_node", "own", "packed", "params_of",
    "plain",
    "plain_array", "predicate", "public_node", "rank_needed", "reachable", "rebase", "rebind", "rebind_to_arrays",
    "recorded", "recorded_as", "recorded_since", "reduce_to", "refresh", "refuse_foreign", "refuse_inference",
    "refuse_no_numbers", "register_view", "require_unwritten", "require_unwritten_since", "resized", "rule_of",
    "rule_values", "run", "run_symbolic", "saved_arrays", "saved_operand", "saved_value", "saved_values", "set_node",
    "settled", "shape_of", "shapes_of", "shared", "shifted", "short_dtype", "sizes_of", "sizes_of_shape", "spoilt",
    "steps", "storage", "strange", "sum_to", "symbolic", "table", "tangent_of", "tracing", "travelled", "travels",
    "unhush", "unpacked", "watch", "wrap", "write",
]  # fmt: skip
