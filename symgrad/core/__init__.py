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
from .dispatch import Carrier, carries, content, contents, detached, opened, other, shared
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
    Freed,
    Meta,
    Node,
    Notes,
    OutputNode,
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
