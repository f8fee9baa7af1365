"""Operations, nodes and tensors: recording. What the operations *are* is said in `symgrad.ops`.

dim       named sizes: the ``n`` of a vector of n numbers, while its values are stand-ins of some length
dispatch  where an operation on anything else than plain tensors goes: arrays, numbers, symbols, carriers of tensors
dual      dual tensors: values that carry a tangent
graph     the graph: tensors, nodes, edges, views; foreign arrays; memory not to be written to; knows no calculus
modes     grad mode and its companions: one context variable each, so per thread and per task
op        the operation: one row of the table, declared once; its ``apply`` and ``pull`` are written when first called
ownership whose memory a gradient is in: what a sweep adds to in place, and what it gives away as a copy
pull      the general way to pull a node: the gradient of each input, in any form of node
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
from .dispatch import Carrier, carries, content, contents, detached, taking_carriers, views_of_carriers
from .dual import Dual, Level, Tangent, any_moves, as_it_moved, make_dual, tangent_of, with_tangent_of
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
    ban_writes,
    edge,
    extra,
    first_not_finite,
    foreign_array_error,
    found_from_values,
    has_history,
    held_operand,
    hold_weakly,
    is_beside_sparse,
    is_category,
    is_leaf_node,
    is_shared_with_user,
    is_sparse,
    is_table,
    listening,
    make_leaf,
    meta,
    new_node,
    next_seq,
    no_numbers,
    numpys_array_of,
    origin_of,
    output_node,
    plain_array,
    public_node,
    raise_if_anomalous,
    refuse_foreign,
    refuse_no_numbers,
    register_view,
    taking_notes,
    tensor_around,
    unwrap,
    view_steps,
    without_numbers,
    wrap,
)
from .modes import recorded, setting, tracing
from .op import (
    Op,
    applied,
    computed,
    constant,
    elementwise,
    fallible,
    function_of_source,
    general,
    gradient_source,
    linear,
    multilinear,
    predicate,
    saved_source,
    shortcut_if,
)
from .ownership import OWN, add_to, edges_of_others, gradient_for_others, no_cotangents
from .pull import input_gradient, keep_zeros, reduce_to, rule_of, rule_values, saved_as_tensor, sum_to, with_zeros
from .reading import (
    constants_of,
    copy_of,
    depending_on,
    keep_saved,
    kept_copy,
    note_saved_again,
    noting_operands,
    operands_of,
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
    promoted_float,
    refuse_inference,
    run,
    unhush,
    unpacked,
    watch,
)
from .storage import anything_written_since, version_conflict
from .symbols import (
    DRAW,
    Found,
    FoundFloat,
    at_sizes,
    constant_from,
    facts_of,
    make_symbol,
    make_symbolic,
    merged_sizes,
    named_shape,
    params_in_numbers,
    shape_of,
    sizes_of,
    sizes_of_shape,
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
    RowFacts,
    batched_axes,
    batched_params,
    in_float64,
    of_numpy,
    rank_needed,
    rebind,
    rebind_to_arrays,
    row_function,
    travels,
    with_letter,
)
from .writes import (
    castable,
    check_writable,
    fill_by,
    mark_overwritten,
    rebase,
    refresh_views,
    resize,
    set_node,
    short_dtype,
    write_result,
)
