"""Arrays of NumPy's manners around tensors: what a function of arrays gets when it is differentiated."""

from ..core import Tensor
from . import (  # noqa: F401  (they add the members of Array)
    _exchange,
    _number_operators,
    _numpy_attributes,
    _numpy_methods,
    _numpy_operators,
    _own_ways,
    _python_protocols,
)
from ._doors import among_arrays, as_here, entering, leaving
from ._ndarray import ARRAYS, Array, Scalar, View, around, array_of, constant
from ._number_steps import Recorder
from ._pieces import expect_strides, has_pieces, tensor_of
from ._protocols import by_strides

Array.__array_namespace__ = Tensor.__array_namespace__  # type: ignore[attr-defined]

__all__ = [
    "ARRAYS", "Array", "Recorder", "Scalar", "View", "among_arrays", "around", "array_of", "as_here", "by_strides",
    "constant", "entering", "expect_strides", "has_pieces", "leaving", "tensor_of",
]  # fmt: skip
