"""The table of operations, and the public functions that follow from it.

Each module below declares rows (see `symgrad.core`) and publishes functions; importing them is what fills the table.
"""

from typing import TYPE_CHECKING, Any

from . import (  # noqa: F401  (importing them fills the table)
    _activations,
    _adjoint,
    _arithmetic,
    _assign,
    _bessel,
    _bits,
    _broadcast,
    _calculus,
    _cholesky,
    _complex,
    _contract,
    _copy,
    _create,
    _decompose,
    _determinant,
    _diagonal,
    _distances,
    _divide,
    _draws,
    _einsum,
    _elementwise,
    _fused,
    _index,
    _index_reduce,
    _join,
    _linalg,
    _low_rank,
    _lu,
    _mask,
    _matrix_norms,
    _move,
    _norm,
    _numpy,
    _numpy_functions,
    _numpy_moves,
    _numpy_reductions,
    _numpy_writes,
    _operators,
    _order,
    _pad,
    _pick,
    _pseudo,
    _queries,
    _random,
    _reduce,
    _restride,
    _scan,
    _scatter,
    _search,
    _sets,
    _shape,
    _sort,
    _split,
    _statistics,
    _strided,
    _systems,
    _tensordot,
    _windows,
)
from ._arguments import complete
from ._in_place import complete as complete_in_place
from ._public import FUNCTIONS, METHODS, PROPERTIES

complete()
complete_in_place()
globals().update(FUNCTIONS)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


__all__ = ["FUNCTIONS", "METHODS", "PROPERTIES", *FUNCTIONS]
