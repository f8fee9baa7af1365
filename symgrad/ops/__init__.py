"""The table of operations, and the public functions that follow from it.

Each module below declares rows (see `symgrad.core`) and publishes functions; importing them is what fills the table.
"""

from typing import TYPE_CHECKING, Any

from ..core import NUMPY, PUBLIC, TABLE, opened
from . import (  # noqa: F401  (importing them fills the table)
    _python_operators,
    _queries,
    arrange,
    create,
    entries,
    filters,
    fourier,
    index,
    linalg,
    reduce,
    shape,
    statistics,
)
from ._in_place import complete as complete_in_place
from ._keywords import complete
from ._public import FUNCTIONS, METHODS, PROPERTIES

NUMPY.module = f"{__name__}.numpy"
TABLE.later(f"{NUMPY.module}._numpy_polynomials", "roots")
complete()
complete_in_place()
FUNCTIONS.update({name: opened(fn, name.endswith("_")) for name, fn in FUNCTIONS.items()})
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
    METHODS[_name] = opened(METHODS[_name])
PUBLIC.update(FUNCTIONS)
globals().update(FUNCTIONS)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


__all__ = ["FUNCTIONS", "METHODS", "PROPERTIES", *FUNCTIONS]
