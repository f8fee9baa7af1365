"""Derivative programs: second derivatives of a recorded function as straight-line NumPy, planned once per structure.

The idea to hold: a recorded graph is surveyed (its structure is a key, its arrays are inputs), lifted to terms whose
every shared value has a name, differentiated backwards and then forwards over those names, contracted in the cheapest
order and written as source. The next call with the same structure only runs the source.

================== ==================================================================================================
from a graph       `_survey` its key and inputs; `_recipe` the same, recognised at one look; `_cache` programs by key
to a term          `_lift`; `_placed` what is written in place, `_picked` what is read along rows, `_read_at` at pairs
                   of places; `_stable` forms
to names           `_builder` a name for every shared value; `_plan` products in order; `_terms` looking at terms
to derivatives     `_packed` in what; `_sweeps` back and forth; `_sums` what is added up on the way;
                   `_differentials` of decompositions
to a matrix        `_assemble` what it is made of; `_ranges` its blocks; `_grid`, `_lower` where entries go;
                   `_diagonal` no more than its diagonal
to lines           `_emit` definitions; `_contract` products, `_linear` operations, `_text` their pieces;
                   `_fill` the matrix, `_parts` one that stays structured; `_helpers` functions that lines call
to a module        `_module`; `_names` the user's names in it; `_save` a file; `_program` all of it, `_runnable` its run
between processes  `_kept_programs` in files, `_cache_folder` of the user's own, `_own_rows` of what others know too
beside             `_count` its work
structured results `_structured`, `_low_rank`, `_symmetric`; `_solving` with them
sparse by the tape `_pattern` which entries there are, by `_dependence` and `_connections`; which columns go together:
                   `_colour` in a symmetric matrix, `_column_colours` in any
================== ==================================================================================================
"""

from . import _own_rows  # noqa: F401 (what there is now, before users add to it)
from ._cache import find

__all__ = ["find"]
