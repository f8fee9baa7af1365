"""The table of operations, and the public functions that follow from it.

arguments   arguments as users write them, made definite: dimensions, sizes, dtypes, values; NumPy's on tensors
lazy        modules that are imported when something of theirs is first used (importing symgrad must stay quick)
operators   operators and in-place methods of tensors, and the latter as functions
public      from rows to the interface: names as functions, methods, in-place methods and NumPy entries
queries     questions about tensors and dtypes that PyTorch asks with functions
results     named results: what operations with several outputs return, ``(values, indices)`` and the like
samples     samples of rows, which tests draw: operands of given shapes, and parameters
arrange     sorting, choosing, sets
create      new tensors: from data, of a shape, at random
entries     entry by entry: the table of functions of one to three numbers, and the operators
filters     filters: convolution, recursion, splines
fourier     Fourier transforms
index       picking and putting by indices and masks
linalg      products and matrices
numpy       NumPy's own functions on tensors, with its arguments
reduce      sums, norms, scans
shape       other shapes, joined and taken apart
statistics  quantiles, histograms, differences, distances

Each module below declares rows (see `symgrad.core`) and publishes functions; importing them is what fills the table.
"""

from typing import TYPE_CHECKING, Any

from ..core import NUMPY, PUBLIC, TABLE, taking_carriers
from . import (
    arrange,
    create,
    entries,
    filters,
    fourier,
    index,
    linalg,
    operators,
    queries,
    reduce,
    shape,
    statistics,
)  # importing them fills the table
from .arguments import (
    axes_of,
    axis_of,
    found_in,
    integers_of,
    is_recorded,
    kind_of,
    known_values,
    ndarray_of,
    no_kernel,
    rank,
    reduced_axes,
    rests_on_values,
    sizes,
)
from .lazy import numpys
from .operators import publish_in_place as complete_in_place
from .public import (
    FUNCTIONS,
    LINALG_NAMES,
    METHODS,
    PROPERTIES,
    describe,
    in_place,
    named,
    set_public_names,
    set_signatures,
    with_further_names,
)
from .queries import result_type
from .results import RESULTS

NUMPY.module = f"{__name__}.numpy"
TABLE.later(f"{NUMPY.module}.submodules", "roots")
set_signatures()
complete_in_place()
FUNCTIONS.update({name: taking_carriers(fn, name.endswith("_")) for name, fn in FUNCTIONS.items()})
for _name in [
    "cross",
    "dist",
    "dot",
    "inner",
    "kron",
    "mv",
    "mm",
    "vdot",
    "where",
]:  # methods that are no rows, of two tensors
    METHODS[_name] = taking_carriers(METHODS[_name])
PUBLIC.update(FUNCTIONS)
globals().update(FUNCTIONS)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


__all__ = ["FUNCTIONS", "METHODS", "PROPERTIES", *FUNCTIONS]
