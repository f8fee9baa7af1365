"""Operations, nodes and tensors: recording. What the operations *are* is said in `symgrad.ops`.

dim       named sizes: the ``n`` of a vector of n numbers, while its values are stand-ins of some length
dispatch  where an operation on anything else than plain tensors goes: arrays, numbers, symbols, carriers of tensors
graph     the graph: tensors, nodes, edges, views; foreign arrays and guarded memory; nothing here knows calculus
modes     grad mode and its companions: one context variable each, so per thread and per task
op        the operation: one row of the table, declared once; its ``apply`` and ``pull`` are written when first called
pull      the general way to pull a node: the gradient of each input, in any form of node; duals, which carry tangents
reading   reading a recorded graph: what a node is made of, what PyTorch calls it, arrays that rules will read again
record    the general way to run an operation and to record it: threads for large arrays, errors in the user's terms
storage   who wrote to which memory, and when
symbols   symbols: what they are, and the named sizes of their shapes
table     the table: rows by their names, their facts, how parameters travel, and rules on other values
writes    in-place writes: what may be written to, and the history of what was

What stands here is what the rest of the library may use; a module of this folder is nobody else's to look into.
"""

from . import modes, storage
from .dim import ASKED, IMPLIED, Dim, Facts, resized
from .dispatch import Carrier, carries, content, contents, detached, opened, other, run_symbolic, shared
from .graph import (
    FAILS,
    FLOATS,
    FORGOTTEN,
    FREED,
    LEAF,
    MASKS,
    NAMED,
    AccumulateGrad,
    AnomalyFound,
    Extra,
    Freed,
    Meta,
    Node,
    Notes,
    OutputNode,
    Place,
    RemovableHandle,
    Symbol,
    Tensor,
    alias,
    array_of_table,
    edge,
    extra,
    foreign,
    found_from_values,
    guard_output,
    held,
    hold,
    is_beside_sparse,
    is_leaf_node,
    is_lent,
    is_sparse,
    is_table,
    listening,
    look,
    make_leaf,
    meta,
    new_node,
    next_seq,
    no_numbers,
    noting,
    output_node,
    plain_array,
    public_node,
    refuse_foreign,
    refuse_no_numbers,
    register_view,
    steps,
    strange,
    unknown,
    without_numbers,
    wrap,
)
from .modes import recorded, tracing
from .op import (
    Op,
    applied,
    computed,
    constant,
    elementwise,
    emitted,
    fallible,
    general,
    gradient_source,
    guarded,
    linear,
    multilinear,
    predicate,
)
from .pull import (
    OWN,
    Dual,
    Level,
    Tangent,
    any_moves,
    as_it_moved,
    carried,
    gradients,
    input_gradient,
    keep_zeros,
    lifted,
    make_dual,
    reduce_to,
    rule_of,
    rule_values,
    sum_to,
    tangent_of,
)
from .reading import (
    borrowed,
    constants_of,
    copy_of,
    depending_on,
    keep_saved,
    lend_again,
    operands_of,
    own,
    params_of,
    reachable,
    recorded_as,
    recorded_since,
    require_unwritten,
    require_unwritten_since,
    saved_arrays,
    saved_operand,
    saved_value,
    saved_values,
    shapes_of,
)
from .record import (
    Packed,
    caller_frame,
    describe,
    hush,
    make_node,
    mismatch,
    packed,
    refuse_inference,
    run,
    settled,
    unhush,
    unpacked,
    watch,
)
from .storage import anything_written_since, spoilt
from .symbols import (
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
from .table import (
    FACTS,
    LETTERS,
    MEANINGS,
    NUMPY,
    PUBLIC,
    SAID,
    TABLE,
    CannotTravel,
    in_float64,
    of_numpy,
    rank_needed,
    rebind,
    rebind_to_arrays,
    shifted,
    table,
    travelled,
    travels,
)
from .table import Facts as RowFacts
from .writes import castable, check_writable, fill_with, forget, rebase, refresh, set_node, short_dtype, write

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
