"""Arrays of NumPy's manners around tensors: what a function of arrays gets when it is differentiated.

members           the members of NumPy's arrays: operators, methods, attributes; PyTorch's besides
ndarray           arrays that are differentiated: what a function of arrays gets in place of one
number_steps      single numbers while a gradient is computed: a list of what was done to them
pieces            arrays made of pieces: lists, and NumPy's arrays of objects
protocols         NumPy's functions and square brackets on arrays that are differentiated: ``np.sin(a)``, ``a[i] = b``
python_protocols  what Python asks of arrays: lengths, truths, copies, DLPack
"""

from ..core import Tensor
from . import members, number_steps, python_protocols  # they add the members of Array
from .ndarray import ARRAYS, SCALARS, Array, Scalar, View, array_of, constant, expect_hook, is_known
from .number_steps import Recorder
from .pieces import expect_strides, has_made, has_pieces, is_of_objects, tensor_of
from .protocols import PARTS, VIEWS, WRITERS, by_strides, numbers_of, to_arrays, to_tensors
from .python_protocols import as_argument, as_here, as_result

Array.__array_namespace__ = Tensor.__array_namespace__  # type: ignore[attr-defined]
