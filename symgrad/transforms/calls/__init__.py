"""One call of a transform: its arguments and variables, what the function reads, its run.

call_arguments  the arguments of one call of a function, by parameter, and which of them are differentiated
reads           what a function of the user's reads: captured data, caught tensors, its key, and whether all is known
run             a function run at variables of a transform's own, and Jacobians of what it recorded
symbolic_run    one run of a function on named variables, random numbers put back
tree            nested containers of values, taken apart and put together again; pandas' labels
variables       the variables of one transform, which results still belong to somebody outside it
"""

from .call_arguments import Arguments, bind_arguments, signature
from .reads import (
    DIFFERENTIATED,
    NOTHING,
    FoundValues,
    content,
    is_differentiated,
    names_read,
    numbers_kept,
    of_a_library,
    replaced,
    take_over,
)
from .run import (
    Pushforward,
    Run,
    as_differentiable,
    available,
    in_bytes,
    jacobian_columns,
    jacobian_rows,
    require_memory,
    unit_vectors,
)
from .symbolic_run import Traced, at_state, of_text, require_callable, rng_state
from .tree import (
    Spec,
    cut_to_shapes,
    entry_names,
    flatten,
    flatten_like,
    flatten_values,
    labels_of,
    leaf_shape,
    rebuilt,
    require_numbers,
    require_one_order,
    require_same_of_tables,
    spelled_paths,
    standing_for,
    tree_map,
    tree_paths,
    unflatten,
    without_tables,
)
from .variables import (
    Variables,
    all_plain,
    as_variable,
    grad_or_none,
    raise_cause,
    recording,
    refuse_captured,
    zeros_for,
)
