"""symgrad, as type checkers see it. Written by docs/_stubs.py: change the functions, not this text."""

# ruff: noqa
# fmt: off
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import object as _object
from builtins import str as _str
from builtins import type as _type
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
from numpy.typing import DTypeLike

from symgrad._typing import Operand

from ._errors import ConstraintError as ConstraintError
from ._errors import DTypeError as DTypeError
from ._errors import DeviceError as DeviceError
from ._errors import DimensionError as DimensionError
from ._errors import FormulaError as FormulaError
from ._errors import GradientError as GradientError
from ._errors import GraphFreedError as GraphFreedError
from ._errors import InplaceError as InplaceError
from ._errors import LoadError as LoadError
from ._errors import MissingDependencyError as MissingDependencyError
from ._errors import NotDifferentiableError as NotDifferentiableError
from ._errors import RangeError as RangeError
from ._errors import ShapeError as ShapeError
from ._errors import SymbolicBranchError as SymbolicBranchError
from ._errors import SymgradError as SymgradError
from ._errors import TooLargeError as TooLargeError
from ._serialize import load as load
from ._serialize import save as save
from ._tensor import Symbol as Symbol
from ._tensor import Tensor as Tensor
from ._tensor import set_printoptions as set_printoptions
from ._tensor import symbol as symbol
from ._tensor import symbols as symbols
from ._tensor.types import BoolTensor as BoolTensor
from ._tensor.types import ByteTensor as ByteTensor
from ._tensor.types import CharTensor as CharTensor
from ._tensor.types import DoubleTensor as DoubleTensor
from ._tensor.types import FloatTensor as FloatTensor
from ._tensor.types import HalfTensor as HalfTensor
from ._tensor.types import IntTensor as IntTensor
from ._tensor.types import LongTensor as LongTensor
from ._tensor.types import ShortTensor as ShortTensor
from ._typing import Device
from ._typing import Device as device
from ._typing import Size as Size
from ._typing import dtype as _DType
from ._typing import dtype as dtype
from ._typing import finfo as finfo
from ._typing import iinfo as iinfo
from .autograd import detect_anomaly as detect_anomaly
from .autograd import enable_grad as enable_grad
from .autograd import inference_mode as inference_mode
from .autograd import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from .autograd import is_anomaly_enabled as is_anomaly_enabled
from .autograd import is_grad_enabled as is_grad_enabled
from .autograd import is_inference_mode_enabled as is_inference_mode_enabled
from .autograd import no_grad as no_grad
from .autograd import set_grad_enabled as set_grad_enabled
from .backends import accelerator as accelerator
from .backends import mps as mps
from .backends import xpu as xpu
from .distributed._many_points import map as map
from .formulas import Formula as Formula
from .inspect import verify as verify
from .inspect.anomalies import AnomalyError as AnomalyError
from .interop import install as install
from .notation import ParseError as ParseError
from .notation import from_sympy as from_sympy
from .notation import parse as parse
from .ops.create.draws import Generator as Generator
from .scipy.optimize._roots import implicit as implicit
from .stats._minimize import minimize as minimize
from .transforms.compiled.compile import compile as compile
from .transforms.cost import cost as cost
from .transforms.derivative import grad as grad
from .transforms.derivative import jacobian as jacobian
from .transforms.first_derivatives import jacfwd as jacfwd
from .transforms.first_derivatives import jacrev as jacrev
from .transforms.first_derivatives import jvp as jvp
from .transforms.first_derivatives import linearize as linearize
from .transforms.first_derivatives import stop_gradient as stop_gradient
from .transforms.first_derivatives import value_and_grad as value_and_grad
from .transforms.first_derivatives import vjp as vjp
from .transforms.fix import fix as fix
from .transforms.hessian import StructurallyZeroWarning as StructurallyZeroWarning
from .transforms.hessian import hessian as hessian
from .transforms.hessian_operator import hessian_operator as hessian_operator
from .transforms.loops.scan import scan as scan
from .transforms.matrix import UnknownParameterError as UnknownParameterError
from .transforms.products import diag_hessian as diag_hessian
from .transforms.products import formula as formula
from .transforms.products import ggn_vp as ggn_vp
from .transforms.products import hvp as hvp
from .transforms.products import laplacian as laplacian
from .transforms.products import taylor as taylor
from .transforms.products import vhp as vhp
from .transforms.sparse_hessian import sparsity as sparsity
from .transforms.vmap import vmap as vmap
from .views import Graph as Graph
from .views import Report as Report
from .views import graph as graph
from .views import plot as plot
from .views import report as report
from . import autograd as autograd
from . import backends as backends
from . import cli as cli
from . import cuda as cuda
from . import distributed as distributed
from . import distributions as distributions
from . import extend as extend
from . import fft as fft
from . import func as func
from . import linalg as linalg
from . import nn as nn
from . import notation as notation
from . import numpy as numpy
from . import optim as optim
from . import return_types as return_types
from . import scipy as scipy
from . import special as special
from . import stats as stats
from . import testing as testing
from . import utils as utils

__version__: _str

e: _float
inf: _float
nan: _float
pi: _float
contiguous_format: _str
preserve_format: _str
strided: _str
newaxis: None
float64: dtype
double: dtype
float32: dtype
float: dtype
float16: dtype
half: dtype
complex128: dtype
cdouble: dtype
complex64: dtype
cfloat: dtype
int64: dtype
long: dtype
int32: dtype
int: dtype
int16: dtype
short: dtype
int8: dtype
uint8: dtype
uint16: dtype
uint32: dtype
uint64: dtype
bool: dtype

@overload
def _standard_gamma(alpha: Tensor, generator: Generator | None = None) -> Tensor:
    """Return draws from gamma distributions of the shapes ``alpha`` and scale 1.

    They are differentiable: quantiles at levels that are drawn, whose derivative in the shape is that of the quantile.
    """
@overload
def _standard_gamma(alpha: Any, generator: Generator | None = None) -> Any: ...
@overload
def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the absolute value, of a complex number the modulus; its derivative at 0 is declared 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def abs(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def abs_(input: Tensor) -> Tensor:
    """In-place version of `abs`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def abs_(input: Operand) -> Any: ...
@overload
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the arc cosine.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −1/√(1 − x²)
    - Finite for: |x| ≤ 1
    - Complex numbers: yes
    - SymPy: ``acos(x)``
    - In NumPy: ``np.arccos``
    - In PyTorch: ``torch.acos``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-0.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.acos(x)
    >>> y
    tensor([2.0944, 1.0472], grad_fn=<AcosBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-1.1547, -1.1547], grad_fn=<DivBackward0>)
    >>> g.formula()
    −1/√(1 − x²)
    """
@overload
def acos(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def acos_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `acos`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def acos_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic cosine.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/√(x² − 1)
    - Finite for: x ≥ 1
    - Complex numbers: yes
    - SymPy: ``acosh(x)``
    - In NumPy: ``np.arccosh``
    - In PyTorch: ``torch.acosh``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.acosh(x)
    >>> y
    tensor([0.9624, 1.3170], grad_fn=<AcoshBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.8944, 0.5774], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/√(x² − 1)
    """
@overload
def acosh(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def acosh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `acosh`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def acosh_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def add(input: Tensor, other: Operand, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Return ``input + alpha * other``.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    alpha : number, default 1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def add(input: Operand, other: Operand, *, alpha: Any = 1, out: Tensor | None = None) -> Any: ...
@overload
def addbmm(input: Tensor, batch1: Operand, batch2: Operand, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Return ``beta * input + alpha * bmm(batch1, batch2).sum(0)``.

    Parameters
    ----------
    input : tensor, array or number
    batch1 : tensor or array
    batch2 : tensor or array
    beta : number, default 1
    alpha : number, default 1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def addbmm(input: Operand, batch1: Operand, batch2: Operand, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Any: ...
@overload
def addcdiv(input: Tensor, tensor1: Operand, tensor2: Operand, *, value: Operand = 1, out: Tensor | None = None) -> Tensor:
    """Return ``input + value * tensor1 / tensor2``.

    Parameters
    ----------
    input : tensor, array or number
    tensor1 : tensor, array or number
    tensor2 : tensor, array or number
    value : tensor or number, default 1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def addcdiv(input: Operand, tensor1: Operand, tensor2: Operand, *, value: Operand = 1, out: Tensor | None = None) -> Any: ...
@overload
def addcmul(input: Tensor, tensor1: Operand, tensor2: Operand, *, value: Operand = 1, out: Tensor | None = None) -> Tensor:
    """Return ``input + value * tensor1 * tensor2``.

    Parameters
    ----------
    input : tensor, array or number
    tensor1 : tensor, array or number
    tensor2 : tensor, array or number
    value : tensor or number, default 1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def addcmul(input: Operand, tensor1: Operand, tensor2: Operand, *, value: Operand = 1, out: Tensor | None = None) -> Any: ...
@overload
def addmm(input: Tensor, mat1: Operand, mat2: Operand, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Return ``beta * input + alpha * (mat1 @ mat2)``, for matrices; ``input`` broadcasts.

    Parameters
    ----------
    input : tensor, array or number
    mat1 : tensor or array
    mat2 : tensor or array
    beta : number, default 1
    alpha : number, default 1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def addmm(input: Operand, mat1: Operand, mat2: Operand, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Any: ...
@overload
def addmv(input: Tensor, mat: Operand, vec: Operand, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Return ``beta * input + alpha * (mat @ vec)``.

    Parameters
    ----------
    input : tensor, array or number
    mat : tensor or array
    vec : tensor or array
    beta : number, default 1
    alpha : number, default 1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def addmv(input: Operand, mat: Operand, vec: Operand, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Any: ...
@overload
def addmv_(input: Tensor, mat: Operand, vec: Operand, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """In-place version of `addmv`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    mat : tensor or array
        A matrix.
    vec : tensor or array
        A vector.
    beta : number, default 1
        A factor.
    alpha : number, default 1
        A factor.
    """
@overload
def addmv_(input: Operand, mat: Operand, vec: Operand, *, beta: Any = 1, alpha: Any = 1) -> Any: ...
@overload
def addr(input: Tensor, vec1: Operand, vec2: Operand, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Return ``beta * input + alpha * outer(vec1, vec2)``; of truth values, whether either is true.

    Parameters
    ----------
    input : tensor, array or number
    vec1 : tensor or array
    vec2 : tensor or array
    beta : number, default 1
    alpha : number, default 1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def addr(input: Operand, vec1: Operand, vec2: Operand, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Any: ...
@overload
def adjoint(input: Tensor) -> Tensor:
    """Return the matrix (or batch of matrices) transposed and, if complex, conjugated.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def adjoint(input: Operand) -> Any: ...
@overload
def all(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return whether all elements are true (not zero), of all or along ``dim``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def all(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
def allclose(input: Operand, other: Operand, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
    """Return whether all entries agree within the tolerances (a bool).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    rtol : float, default 1e-05
        Relative or absolute tolerance.
    atol : float, default 1e-08
        Relative or absolute tolerance.
    equal_nan : bool, default False
        Whether NaN equals NaN.
    """
@overload
def amax(input: Tensor, dim: _int | Sequence[_int] | None = (), keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the largest element, of all or along ``dim`` (one or several); elements that tie share the gradient.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, default ()
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def amax(input: Operand, dim: _int | Sequence[_int] | None = (), keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def amin(input: Tensor, dim: _int | Sequence[_int] | None = (), keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the smallest element, of all or along ``dim`` (one or several); elements that tie share the gradient.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, default ()
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def amin(input: Operand, dim: _int | Sequence[_int] | None = (), keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
def aminmax(input: Operand, *, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> return_types.aminmax:
    """Return the smallest and the largest element, of all or along ``dim``; elements that tie share the gradient.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle of a complex number, in radians: 0 or π of a real one, 0 of −0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.angle(sg.tensor([1.0 + 1.0j, -2.0]))
    tensor([0.7854, 3.1416])
    """
@overload
def angle(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def any(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return whether any element is true (not zero), of all or along ``dim``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def any(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
def arange(start: Any, end: Operand | None = None, step: Any = 1, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, pin_memory: Any = None, out: Tensor | None = None) -> Tensor:
    """Return the numbers from ``start`` (default 0) up to, not including, ``end``; int64 if all three are ints.

    Up to a named size they are floats, each one more than the last.

    Parameters
    ----------
    start : number
    end : tensor, array or number, optional
    step : number, default 1
        The distance between neighbours.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.arange(3), sg.arange(1, 2, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    >>> sg.formula(lambda y: y @ sg.arange(y.shape[0]), sg.symbol("y", "n"))
    yᵀt
    where t = (0, …, n − 1)
    """
@overload
def arccos_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `acos`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def arccos_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def arccosh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `acosh`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def arccosh_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def arcsin_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `asin`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def arcsin_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def arcsinh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `asinh`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def arcsinh_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def arctan_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `atan`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def arctan_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def arctanh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `atanh`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def arctanh_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def argmax(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the index of the (first) largest element, of all or along ``dim``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def argmax(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def argmin(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the index of the (first) smallest element, of all or along ``dim``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def argmin(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def argsort(input: Tensor, dim: _int = -1, descending: _bool = False, stable: _bool = False, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Return the indices that sort the elements along ``dim``; elements that tie keep their order.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int, default -1
    descending : bool, default False
        Whether the largest comes first.
    stable : bool, default False
        Whether equal values keep their order.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def argsort(input: Operand, dim: _int = -1, descending: _bool = False, stable: _bool = False, *, axis: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def argwhere(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the positions of the elements that are not zero, as rows.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.argwhere``
    - In PyTorch: ``torch.argwhere``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], name="x")
    >>> sg.argwhere(x)
    tensor([[0],
            [1]])
    """
@overload
def argwhere(input: Operand, *, out: Tensor | None = None) -> Any: ...
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: _int | None = None) -> Tensor:
    """Return a view of given strides, in elements, from ``storage_offset`` in the tensor's memory on.

    By default it begins where the tensor does. Elements of the memory that are none of the tensor's are read, and have
    no gradient.

    Parameters
    ----------
    input : Tensor
        The operand.
    size : int or tuple of ints
        Sizes: separately, or in one sequence.
    stride : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    storage_offset : int, optional

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.arange(4.0).requires_grad_()
    >>> y = x.as_strided((3, 2), (1, 1))
    >>> y
    tensor([[0., 1.],
            [1., 2.],
            [2., 3.]], grad_fn=<AsStridedBackward0>)
    >>> y.sum().backward()
    >>> x.grad
    tensor([1., 2., 2., 1.])
    """
def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: _int | None = None) -> Tensor:
    """In-place version of `as_strided`: gives the tensor itself the other shape and returns it.

    Parameters
    ----------
    input : Tensor
        The operand.
    size : int or tuple of ints
        Sizes: separately, or in one sequence.
    stride : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    storage_offset : int, optional
        Where the view begins, in elements.
    """
def as_strided_scatter(input: Tensor, src: Operand, size: Any, stride: Any, storage_offset: _int | None = None) -> Tensor:
    """Return ``input`` with ``src`` in the place of the elements that `as_strided` names.

    Parameters
    ----------
    input : Tensor
    src : tensor or number
    size : int or tuple of ints
        Sizes: separately, or in one sequence.
    stride : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    storage_offset : int, optional
        Where the view begins, in elements.
    """
def as_tensor(data: Any, dtype: DTypeLike | None = None, device: Any = None) -> Tensor:
    """Return ``data`` as a tensor: a tensor itself (in its graph), an array without copying, else as `tensor` does.

    Parameters
    ----------
    data : tensor, array, number or sequence
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
def asarray(obj: Any, *, dtype: DTypeLike | None = None, device: Any = None, copy: _bool | None = None, requires_grad: _bool | None = None) -> Tensor:
    """Return ``obj`` as a tensor, sharing its memory unless ``copy=True`` or the dtype changes.

    A tensor stays in its graph, unless ``requires_grad=False`` says otherwise.

    Parameters
    ----------
    obj : object
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    copy : bool, optional
    requires_grad : bool, optional
    """
@overload
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the arc sine.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/√(1 − x²)
    - Finite for: |x| ≤ 1
    - Complex numbers: yes
    - SymPy: ``asin(x)``
    - In NumPy: ``np.arcsin``
    - In PyTorch: ``torch.asin``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-0.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.asin(x)
    >>> y
    tensor([-0.5236,  0.5236], grad_fn=<AsinBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([1.1547, 1.1547], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/√(1 − x²)
    """
@overload
def asin(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def asin_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `asin`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def asin_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic sine.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/√(1 + x²)
    - Complex numbers: yes
    - SymPy: ``asinh(x)``
    - In NumPy: ``np.arcsinh``
    - In PyTorch: ``torch.asinh``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.asinh(x)
    >>> y
    tensor([-1.1948,  0.4812], grad_fn=<AsinhBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.5547, 0.8944], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/√(1 + x²)
    """
@overload
def asinh(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def asinh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `asinh`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def asinh_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the arc tangent.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/(1 + x²)
    - Complex numbers: yes
    - SymPy: ``atan(x)``
    - In NumPy: ``np.arctan``
    - In PyTorch: ``torch.atan``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.atan(x)
    >>> y
    tensor([-0.9828,  0.4636], grad_fn=<AtanBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.3077, 0.8000], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/(1 + x²)
    """
@overload
def atan(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def atan2(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the angle of the point (b, a).

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: b/(a² + b²) in a; −a/(a² + b²) in b
    - At kinks: 0 at the origin
    - Complex numbers: no
    - SymPy: ``atan2(a, b)``
    - In NumPy: ``np.arctan2``
    - In PyTorch: ``torch.atan2``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], requires_grad=True, name="a")
    >>> b = sg.tensor([2.0, 0.5], requires_grad=True, name="b")
    >>> y = sg.atan2(a, b)
    >>> y
    tensor([-0.6435,  0.7854], grad_fn=<Atan2Backward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0.3200, 1.0000], grad_fn=<WhereBackward0>), tensor([ 0.2400, -1.0000], grad_fn=<WhereBackward0>))
    """
@overload
def atan2(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def atan_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `atan`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def atan_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse hyperbolic tangent.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/(1 − x²)
    - Finite for: |x| < 1
    - Complex numbers: yes
    - SymPy: ``atanh(x)``
    - In NumPy: ``np.arctanh``
    - In PyTorch: ``torch.atanh``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-0.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.atanh(x)
    >>> y
    tensor([-0.5493,  0.5493], grad_fn=<AtanhBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([1.3333, 1.3333], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/(1 − x²)
    """
@overload
def atanh(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def atanh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `atanh`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def atanh_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def atleast_1d(tensors: Tensor) -> Tensor:
    """Return each tensor with at least one dimension (a tuple, for several).

    Parameters
    ----------
    *tensors : tensors
        The operands: separately, or in one sequence.
    """
@overload
def atleast_1d(*tensors: Any) -> Any: ...
@overload
def atleast_2d(tensors: Tensor) -> Tensor:
    """Return each tensor with at least two dimensions; a vector becomes a row.

    Parameters
    ----------
    *tensors : tensors
        The operands: separately, or in one sequence.
    """
@overload
def atleast_2d(*tensors: Any) -> Any: ...
@overload
def atleast_3d(tensors: Tensor) -> Tensor:
    """Return each tensor with at least three dimensions; a vector becomes (1, n, 1), a matrix gets a last one.

    Parameters
    ----------
    *tensors : tensors
        The operands: separately, or in one sequence.
    """
@overload
def atleast_3d(*tensors: Any) -> Any: ...
@overload
def baddbmm(input: Tensor, batch1: Operand, batch2: Operand, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Return ``beta * input + alpha * bmm(batch1, batch2)``.

    Parameters
    ----------
    input : tensor, array or number
    batch1 : tensor or array
    batch2 : tensor or array
    beta : number, default 1
    alpha : number, default 1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def baddbmm(input: Operand, batch1: Operand, batch2: Operand, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Any: ...
def bartlett_window(window_length: _int, periodic: _bool = True, *, dtype: DTypeLike | None = None, layout: Any = None, device: Any = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Return the triangular window; ``periodic`` windows end one step before they are symmetric.

    Parameters
    ----------
    window_length : int
        How many points the window has.
    periodic : bool, default True
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    """
@overload
def bernoulli(input: Tensor, p: _float | None = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """Return 1 with the probability that ``input`` holds (or ``p``), else 0; its gradient is zero.

    Parameters
    ----------
    input : tensor, array or number
    p : float, optional
    generator : Generator, optional
        What draws the numbers; the global generator if it is left out.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bernoulli(input: Operand, p: _float | None = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Any: ...
@overload
def bincount(input: Tensor, weights: Operand | None = None, minlength: _int = 0) -> Tensor:
    """Return how often each non-negative integer occurs, or the sums of its ``weights``, which have derivatives.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    weights : tensor or array, optional
    minlength : int, default 0
        How many.

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.tensor([1.0, 2.0, 4.0], requires_grad=True)
    >>> sg.bincount(sg.tensor([0, 2, 0]), weights=w)
    tensor([5., 0., 2.], grad_fn=<IndexPutBackward0>)
    """
@overload
def bincount(input: Operand, weights: Operand | None = None, minlength: _int = 0) -> Any: ...
@overload
def binomial(count: Tensor, prob: Any, generator: Generator | None = None) -> Tensor:
    """Return how many of ``count`` trials succeed, each with probability ``prob``: drawn, from ``generator``.

    Of what requires a gradient it is refused where operations record: a number of successes has no derivative.

    Parameters
    ----------
    count : int
    prob
    generator : Generator, optional
    """
@overload
def binomial(count: Any, prob: Any, generator: Generator | None = None) -> Any: ...
@overload
def bitwise_and(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a & b, bit by bit.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.bitwise_and``
    - In PyTorch: ``torch.bitwise_and``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([True, False], name="a")
    >>> b = sg.tensor([True, True], name="b")
    >>> sg.bitwise_and(a, b)
    tensor([ True, False])
    """
@overload
def bitwise_and(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def bitwise_left_shift(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a with bits b places up, entry by entry; for whole numbers.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bitwise_left_shift(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return ``~input``: of truth values their negation, of integers the complement.

    Parameters
    ----------
    input : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bitwise_not(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def bitwise_or(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a | b, bit by bit.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.bitwise_or``
    - In PyTorch: ``torch.bitwise_or``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([True, False], name="a")
    >>> b = sg.tensor([True, True], name="b")
    >>> sg.bitwise_or(a, b)
    tensor([True, True])
    """
@overload
def bitwise_or(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def bitwise_right_shift(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a with bits b places down, entry by entry; for whole numbers.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bitwise_right_shift(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def bitwise_xor(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a ^ b, bit by bit.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.bitwise_xor``
    - In PyTorch: ``torch.bitwise_xor``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([True, False], name="a")
    >>> b = sg.tensor([True, True], name="b")
    >>> sg.bitwise_xor(a, b)
    tensor([False,  True])
    """
@overload
def bitwise_xor(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
def blackman_window(window_length: _int, periodic: _bool = True, *, dtype: DTypeLike | None = None, layout: Any = None, device: Any = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Return Blackman's window, of two cosines; ``periodic`` windows end one step before they are symmetric.

    Parameters
    ----------
    window_length : int
        How many points the window has.
    periodic : bool, default True
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    """
@overload
def block_diag(*tensors: Tensor) -> Tensor:
    """Return the matrix of zeros that has the tensors as blocks along its diagonal; vectors are rows.

    Parameters
    ----------
    *tensors : tensors
        The operands: separately, or in one sequence.
    """
@overload
def block_diag(*tensors: Any) -> Any: ...
@overload
def bmm(input: Tensor, mat2: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the products of two batches of matrices, (b, n, m) and (b, m, p); no broadcasting.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    mat2 : tensor or array
        A matrix.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bmm(input: Operand, mat2: Operand, *, out: Tensor | None = None) -> Any: ...
def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that shapes broadcast to.

    Parameters
    ----------
    *shapes : tuples of ints
        The shapes.
    """
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Return the tensors as views of the one shape that they broadcast to.

    Parameters
    ----------
    *tensors : tensors
        The operands: separately, or in one sequence.
    """
@overload
def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """Return a view of shape ``size`` in which dimensions of size 1 repeat.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    size : int or tuple of ints
    """
@overload
def broadcast_to(input: Operand, size: Any) -> Any: ...
@overload
def bucketize(input: Tensor, boundaries: Operand, *, out_int32: _bool = False, right: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return the number of the bucket, between sorted ``boundaries``, of each element.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    boundaries : tensor or array
    out_int32 : bool, default False
        Whether the places are int32.
    right : bool, default False
        Whether equal values count as smaller.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bucketize(input: Operand, boundaries: Operand, *, out_int32: _bool = False, right: _bool = False, out: Tensor | None = None) -> Any: ...
def can_cast(from_: DTypeLike, to: DTypeLike) -> _bool:
    """Return whether PyTorch allows the cast in an in-place result: never to a lower kind.

    Parameters
    ----------
    from : dtype
        A dtype.
    to : dtype
        A dtype.
    """
@overload
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return all combinations of the elements of vectors, one per row.

    Parameters
    ----------
    *tensors : tensors
        The operands: separately, or in one sequence.
    """
@overload
def cartesian_prod(*tensors: Any) -> Any: ...
@overload
def cat(tensors: Sequence[Tensor], dim: _int = 0, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the tensors of a list joined end to end along ``dim``.

    Parameters
    ----------
    tensors : tensors
        The operands: separately, or in one sequence.
    dim : int, default 0
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> sg.cat([x, x * 10])
    tensor([ 1.,  2., 10., 20.], grad_fn=<CatBackward0>)
    """
@overload
def cat(tensors: Any, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def cdist(x1: Tensor, x2: Operand, p: _float = 2.0, compute_mode: _str = '') -> Tensor:
    """Return the distance of each row of ``x1`` from each row of ``x2``, a matrix (or a batch of them).

    The differences are formed one by one (``compute_mode`` has no other), so that small distances are exact.

    Parameters
    ----------
    x1 : tensor or array
    x2 : tensor or array
    p : float, default 2.0
        A number of the function's definition.
    compute_mode : str, default ''
    """
@overload
def cdist(x1: Operand, x2: Operand, p: _float = 2.0, compute_mode: _str = '') -> Any: ...
@overload
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the smallest integer not below x.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 0
    - At kinks: 0 at integers
    - Complex numbers: yes
    - SymPy: ``ceiling(x)``
    - In NumPy: ``np.ceil``
    - In PyTorch: ``torch.ceil``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.ceil(x)
    >>> y
    tensor([-1.,  1.], grad_fn=<CeilBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0., 0.])
    >>> g.formula()
    zeros(2)
    """
@overload
def ceil(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def ceil_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `ceil`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def ceil_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """Return the product of the matrices, multiplied in the cheapest order.

    Parameters
    ----------
    *matrices : tensors
        The operands: separately, or in one sequence.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def chain_matmul(*matrices: Any, out: Tensor | None = None) -> Any: ...
@overload
def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return the Cholesky factor, as `linalg.cholesky` does.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    upper : bool, default False
        Which triangle of the matrix counts.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def cholesky(input: Operand, upper: _bool = False, *, out: Tensor | None = None) -> Any: ...
@overload
def cholesky_inverse(L: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of the matrix whose Cholesky factor ``L`` is.

    Parameters
    ----------
    L
    upper : bool, default False
        Which triangle of the matrix counts.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def cholesky_inverse(L: Any, upper: _bool = False, *, out: Tensor | None = None) -> Any: ...
@overload
def cholesky_solve(B: Tensor, L: Any, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return the solution of ``A @ X = B`` for the matrix whose Cholesky factor ``L`` is (upper if ``upper``).

    Parameters
    ----------
    B : tensor, array or number
    L
    upper : bool, default False
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def cholesky_solve(B: Operand, L: Any, upper: _bool = False, *, out: Tensor | None = None) -> Any: ...
def chunk(input: Operand, chunks: _int, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
    """Return at most ``chunks`` views: pieces of one length along ``dim`` (the last may be shorter).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    chunks : int
    dim : int, default 0
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Return ``input`` held between ``min`` and ``max`` (numbers or tensors); the gradient passes at the bounds.

    Parameters
    ----------
    input : tensor, array or number
    min : number, optional
    max : number, optional
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def clamp(input: Operand, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Any: ...
@overload
def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """In-place version of `clamp`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    min : number, optional
        Bounds.
    max : number, optional
        Bounds.
    """
@overload
def clamp_(input: Operand, min: Any = None, max: Any = None) -> Any: ...
@overload
def clamp_max(input: Tensor, max: Any, *, out: Tensor | None = None) -> Tensor:
    """Return ``input``, at most ``max``.

    Parameters
    ----------
    input : tensor, array or number
    max : number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def clamp_max(input: Operand, max: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def clamp_max_(input: Tensor, max: Any) -> Tensor:
    """In-place version of `clamp_max`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    max : number
        Bounds.
    """
@overload
def clamp_max_(input: Operand, max: Any) -> Any: ...
@overload
def clamp_min(input: Tensor, min: Any, *, out: Tensor | None = None) -> Tensor:
    """Return ``input``, at least ``min``.

    Parameters
    ----------
    input : tensor, array or number
    min : number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def clamp_min(input: Operand, min: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def clamp_min_(input: Tensor, min: Any) -> Tensor:
    """In-place version of `clamp_min`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    min : number
        Bounds.
    """
@overload
def clamp_min_(input: Operand, min: Any) -> Any: ...
@overload
def clip_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """In-place version of `clamp`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    min : number, optional
        Bounds.
    max : number, optional
        Bounds.
    """
@overload
def clip_(input: Operand, min: Any = None, max: Any = None) -> Any: ...
@overload
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return a copy that is part of the graph: gradients flow through it to ``input``.

    Parameters
    ----------
    input : tensor, array or number
    memory_format : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
@overload
def clone(input: Operand, *, memory_format: Any = None) -> Any: ...
@overload
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the tensors joined along the second dimension, vectors as columns.

    Parameters
    ----------
    tensors : tensors
        The operands: separately, or in one sequence.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def column_stack(tensors: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """Return all choices of ``r`` elements of a vector, one to a row, in the order of their places.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    r : int, default 2
    with_replacement : bool, default False
        Whether an element may be taken again.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.combinations(sg.tensor([1.0, 2.0, 3.0]))
    tensor([[1., 2.],
            [1., 3.],
            [2., 3.]])
    """
@overload
def combinations(input: Operand, r: _int = 2, with_replacement: _bool = False) -> Any: ...
@overload
def complex(real: Tensor, imag: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the complex tensor of two real ones; differentiable in both.

    Parameters
    ----------
    real : tensor or array
        The parts of the complex numbers.
    imag : tensor or array
        The parts of the complex numbers.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def complex(real: Operand, imag: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def conj(input: Tensor) -> Tensor:
    """Return the complex conjugate; a real tensor itself.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def conj(input: Operand) -> Any: ...
@overload
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the complex conjugate; a real tensor itself.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def conj_physical(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def conj_physical_(input: Tensor) -> Tensor:
    """In-place version of `conj`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def conj_physical_(input: Operand) -> Any: ...
@overload
def copysign(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a with the sign of b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: where(a ≠ 0, sign(a) sign(copysign(a, b)), 0) in a; 0 in b
    - At kinks: 0 at 0
    - Complex numbers: yes
    - In NumPy: ``np.copysign``
    - In PyTorch: ``torch.copysign``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], requires_grad=True, name="a")
    >>> b = sg.tensor([2.0, 0.5], requires_grad=True, name="b")
    >>> y = sg.copysign(a, b)
    >>> y
    tensor([1.5000, 0.5000], grad_fn=<CopysignBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([-1.,  1.], grad_fn=<WhereBackward0>), tensor([0., 0.]))
    >>> g_a.formula(), g_b.formula()
    (where(a ≠ 0, sign(a) ⊙ sign(copysign(a, b)), 0), zeros(2))
    """
@overload
def copysign(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def corrcoef(input: Tensor) -> Tensor:
    """Return the correlation coefficients of variables in rows, observed in columns.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def corrcoef(input: Operand) -> Any: ...
@overload
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the cosine, of radians.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −sin(x)
    - Complex numbers: yes
    - SymPy: ``cos(x)``
    - In NumPy: ``np.cos``
    - In PyTorch: ``torch.cos``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.cos(x)
    >>> y
    tensor([0.0707, 0.8776], grad_fn=<CosBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([ 0.9975, -0.4794], grad_fn=<MulBackward0>)
    >>> g.formula()
    −sin(x)
    """
@overload
def cos(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def cos_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `cos`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def cos_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic cosine.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: sinh(x)
    - Complex numbers: yes
    - SymPy: ``cosh(x)``
    - In NumPy: ``np.cosh``
    - In PyTorch: ``torch.cosh``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.cosh(x)
    >>> y
    tensor([2.3524, 1.1276], grad_fn=<CoshBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-2.1293,  0.5211], grad_fn=<MulBackward0>)
    >>> g.formula()
    sinh(x)
    """
@overload
def cosh(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def cosh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `cosh`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def cosh_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def count_nonzero(input: Tensor, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Return how many elements are not zero, of all or along ``dim``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def count_nonzero(input: Operand, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def cov(input: Tensor, *, correction: _int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """Return the covariances of variables in rows, observed in columns; of one row its variance.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    correction : divide by the number of observations less this
    fweights : how often each observation counts
    aweights : how much each observation weighs

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.cov(sg.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
@overload
def cov(input: Operand, *, correction: _int = 1, fweights: Any = None, aweights: Any = None) -> Any: ...
@overload
def cross(input: Tensor, other: Operand, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return the cross product along ``dim``, by default the first dimension of size 3.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    dim : int, optional
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def cross(input: Operand, other: Operand, dim: _int | None = None, *, out: Tensor | None = None) -> Any: ...
def cummax(input: Operand, dim: _int, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> return_types.cummax:
    """Return the largest element up to each along ``dim``, and its index, the latest of several.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def cummin(input: Operand, dim: _int, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> return_types.cummin:
    """Return the smallest element up to each along ``dim``, and its index, the latest of several.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def cumprod(input: Tensor, dim: _int | Sequence[_int] | None = None, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the products of all elements up to each, along ``dim``; without it of all elements in one row, as NumPy
    does. Zeros are no special case.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def cumprod(input: Operand, dim: _int | Sequence[_int] | None = None, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def cumsum(input: Tensor, dim: _int | Sequence[_int] | None = None, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the sums of all elements up to each, along ``dim``; without it of all elements in one row, as NumPy does.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> A.cumsum(0)
    tensor([[1., 2.],
            [4., 6.]])
    >>> A.cumsum()
    tensor([ 1.,  3.,  6., 10.])
    """
@overload
def cumsum(input: Operand, dim: _int | Sequence[_int] | None = None, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def cumulative_trapezoid(y: Tensor, x: Operand | None = None, *, dx: Any = None, dim: _int = -1, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Return the integrals along ``dim`` up to each place but the first; see `trapezoid`.

    Parameters
    ----------
    y : tensor or array
        Points, one row each.
    x : tensor or array, optional
        Points, one row each.
    dx : number, optional
        The distance between neighbours.
    dim : int, default -1
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def cumulative_trapezoid(y: Operand, x: Operand | None = None, *, dx: Any = None, dim: _int = -1, axis: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return angles in radians that are given in degrees.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def deg2rad(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def deg2rad_(input: Tensor) -> Tensor:
    """In-place version of `deg2rad`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def deg2rad_(input: Operand) -> Any: ...
@overload
def det(A: Tensor) -> Tensor:
    """Return the determinant of a matrix, or of each matrix of a batch.

    Its first and second derivative are exact at singular matrices too.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
    >>> sg.linalg.det(A).backward()
    >>> A.grad.round()
    tensor([[ 4., -2.],
            [-2.,  1.]])
    """
@overload
def det(A: Operand) -> Any: ...
def detach(input: Tensor) -> Tensor:
    """Return a tensor of the same memory without history; see `Tensor.detach`.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
@overload
def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the diagonal of a matrix, or the square matrix that has a vector on its diagonal.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    diagonal : int, default 0
        Which diagonal: 0 is the main one, 1 the one above it.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def diag(input: Operand, diagonal: _int = 0, *, out: Tensor | None = None) -> Any: ...
@overload
def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """Return square matrices of zeros, in ``dim1`` and ``dim2``, with the last dimension on a diagonal.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    offset : int, default 0
        Which diagonal: 0 is the main one, 1 the one above it.
    dim1 : int, default -2
    dim2 : int, default -1
    """
@overload
def diag_embed(input: Operand, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Any: ...
@overload
def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """Return the square matrix with the elements, read as one row, on its diagonal.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    offset : int, default 0
        Which diagonal: 0 is the main one, 1 the one above it.
    """
@overload
def diagflat(input: Operand, offset: _int = 0) -> Any: ...
@overload
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """Return the diagonal of the dimensions ``dim1`` and ``dim2`` as the last dimension, a view.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    offset : int, default 0
        Which diagonal: 0 is the main one, 1 the one above it.
    dim1 : int, default 0
    dim2 : int, default 1
    """
@overload
def diagonal(input: Operand, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Any: ...
@overload
def diagonal_scatter(input: Tensor, src: Operand, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """Return ``input`` with the diagonal of ``dim1`` and ``dim2`` replaced by ``src``.

    Parameters
    ----------
    input : tensor, array or number
    src : tensor or number
    offset : int, default 0
        Which diagonal: 0 is the main one, 1 the one above it.
    dim1 : int, default 0
    dim2 : int, default 1
    """
@overload
def diagonal_scatter(input: Operand, src: Operand, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Any: ...
@overload
def diff(input: Tensor, n: _int = 1, dim: _int = -1, prepend: Any = None, append: Any = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the ``n``-th differences of neighbours along ``dim``, with ``prepend`` and ``append`` put at its ends.

    For ``n = 0`` that is a copy of the input alone, without what is put at its ends.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int, default 1
    dim : int, default -1
    prepend : optional
    append : optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def diff(input: Operand, n: _int = 1, dim: _int = -1, prepend: Any = None, append: Any = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the derivative of lgamma.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: ψ⁽¹⁾(x)
    - Finite for: every x but 0, −1, −2, …
    - Complex numbers: no
    - SymPy: ``digamma(x)``
    - In PyTorch: ``torch.digamma``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.digamma(x)
    >>> y
    tensor([-1.9635,  0.4228], grad_fn=<DigammaBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([4.9348, 0.6449], grad_fn=<MulBackward0>)
    >>> g.formula()
    ψ⁽¹⁾(x)
    """
@overload
def digamma(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def dist(input: Tensor, other: Operand, p: _float = 2) -> Tensor:
    """Return the norm of order ``p`` of ``input - other``; at zero distance the gradient is taken as zero.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    p : float, default 2
    """
@overload
def dist(input: Operand, other: Operand, p: _float = 2) -> Any: ...
@overload
def div(input: Tensor, other: Operand, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``input / other``; ``rounding_mode`` 'floor' or 'trunc' rounds the quotient (its derivative is zero).

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    rounding_mode : str, optional
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def div(input: Operand, other: Operand, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Any: ...
@overload
def dot(input: Tensor, tensor: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the sum of products of two vectors (of one length; nothing is conjugated).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    tensor : tensor, array or number
        A further operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def dot(input: Operand, tensor: Operand, *, out: Tensor | None = None) -> Any: ...
def dsplit(input: Operand, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Return `tensor_split` along the dimension that dsplit stands for.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    indices_or_sections : int or sequence of ints
        Into how many parts, or how large they are, or where they begin.
    """
@overload
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the tensors joined along the third dimension.

    Parameters
    ----------
    tensors : tensors
        The operands: separately, or in one sequence.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def dstack(tensors: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def einsum(*args: Tensor) -> Tensor:
    """Return sums of products of entries, by index notation: ``einsum("ij,jk->ik", A, B)``.

    Letters missing on the right of ``->`` are summed over; a letter twice in one operand takes its diagonal; ``...``
    stands for any further dimensions; without ``->`` the result has the letters that occur once, in alphabetical
    order. Also ``einsum(A, [0, 1], B, [1, 2], [0, 2])``. Products of more than two operands are done two at a time,
    in an order found by opt_einsum.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> trace = sg.einsum("ii", A)
    >>> trace.backward()
    >>> trace, A.grad
    (tensor(5., grad_fn=<SumBackward1>), tensor([[1., 0.],
            [0., 1.]]))
    """
@overload
def einsum(*args: Any) -> Any: ...
@overload
def elu(input: Tensor, alpha: _float = 1.0) -> Tensor:
    """Return ``input`` where positive, else ``alpha * (exp(input) - 1)``.

    Parameters
    ----------
    input : tensor, array or number
    alpha : float, default 1.0
    """
@overload
def elu(input: Operand, alpha: _float = 1.0) -> Any: ...
def empty(*sizes_: Any, size: Any = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, pin_memory: _bool = False, memory_format: Any = None, out: Tensor | None = None) -> Tensor:
    """Return a tensor of the given sizes, its entries not initialised.

    Parameters
    ----------
    *sizes : int or tuple of ints
        Sizes: separately, or in one sequence.
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    memory_format : optional
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def empty_like(input: Tensor, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, memory_format: Any = None, pin_memory: Any = None) -> Tensor:
    """Return a tensor of the shape and dtype of ``input``, its entries not initialised.

    Parameters
    ----------
    input : tensor, array or number
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    memory_format : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
@overload
def empty_like(input: Operand, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, memory_format: Any = None, pin_memory: Any = None) -> Any: ...
def empty_permuted(size: Any, physical_layout: Any, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, layout: Any = None, pin_memory: Any = None) -> Tensor:
    """Return a tensor of given sizes, not initialised, whose dimensions lie in memory in the order given.

    Parameters
    ----------
    size : int or tuple of ints
        Sizes: separately, or in one sequence.
    physical_layout : tuple of ints
        The order of the dimensions in memory.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
def empty_strided(size: Any, stride: Any, *, dtype: DTypeLike | None = None, layout: Any = None, device: Any = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """Return a tensor of given sizes whose elements, not initialised, lie at given steps from each other.

    Parameters
    ----------
    size : int or tuple of ints
        Sizes: separately, or in one sequence.
    stride : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    """
@overload
def eq(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a == b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.equal``
    - In PyTorch: ``torch.eq``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], name="a")
    >>> b = sg.tensor([2.0, 0.5], name="b")
    >>> sg.eq(a, b)
    tensor([False,  True])
    """
@overload
def eq(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
def equal(input: Operand, other: Operand) -> _bool:
    """Return whether two tensors have the same shape and entries (a bool).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    """
@overload
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the error function.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 2 exp(−x²)/√π
    - Complex numbers: yes
    - SymPy: ``erf(x)``
    - In PyTorch: ``torch.erf``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.erf(x)
    >>> y
    tensor([-0.9661,  0.5205], grad_fn=<ErfBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.1189, 0.8788], grad_fn=<MulBackward0>)
    >>> g.formula()
    2 exp(−x²)/√π
    """
@overload
def erf(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def erf_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `erf`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def erf_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 - erf(x), exact for large x.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −2 exp(−x²)/√π
    - Complex numbers: yes
    - SymPy: ``erfc(x)``
    - In PyTorch: ``torch.erfc``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.erfc(x)
    >>> y
    tensor([1.9661, 0.4795], grad_fn=<ErfcBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-0.1189, -0.8788], grad_fn=<MulBackward0>)
    >>> g.formula()
    −2 exp(−x²)/√π
    """
@overload
def erfc(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def erfc_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `erfc`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def erfc_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of erf.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: √π exp(erfinv(x)²)/2
    - Finite for: |x| < 1
    - Complex numbers: no
    - SymPy: ``erfinv(x)``
    - In PyTorch: ``torch.erfinv``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-0.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.erfinv(x)
    >>> y
    tensor([-0.4769,  0.4769], grad_fn=<ErfinvBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([1.1126, 1.1126], grad_fn=<MulBackward0>)
    >>> g.formula()
    √π exp(erfinv(x)²)/2
    """
@overload
def erfinv(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return e to the power of x.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: exp(x)
    - Complex numbers: yes
    - SymPy: ``exp(x)``
    - In NumPy: ``np.exp``
    - In PyTorch: ``torch.exp``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.exp(x)
    >>> y
    tensor([0.2231, 1.6487], grad_fn=<ExpBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.2231, 1.6487], grad_fn=<MulBackward0>)
    >>> g.formula()
    exp(x)
    """
@overload
def exp(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 2 to the power of x.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: log(2) exp2(x)
    - Complex numbers: yes
    - SymPy: ``2**x``
    - In NumPy: ``np.exp2``
    - In PyTorch: ``torch.exp2``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.exp2(x)
    >>> y
    tensor([0.3536, 1.4142], grad_fn=<Exp2Backward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.2451, 0.9803], grad_fn=<MulBackward0>)
    >>> g.formula()
    log(2) exp2(x)
    """
@overload
def exp2(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def exp2_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `exp2`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def exp2_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def exp_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `exp`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def exp_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return exp(x) - 1, exact near 0.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: exp(x)
    - Complex numbers: yes
    - SymPy: ``exp(x) - 1``
    - In NumPy: ``np.expm1``
    - In PyTorch: ``torch.expm1``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.expm1(x)
    >>> y
    tensor([-0.7769,  0.6487], grad_fn=<Expm1Backward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.2231, 1.6487], grad_fn=<MulBackward0>)
    >>> g.formula()
    exp(x)
    """
@overload
def expm1(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def expm1_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `expm1`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def expm1_(input: Operand, *, out: Tensor | None = None) -> Any: ...
def eye(n: _int, m: _int | None = None, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, pin_memory: Any = None, out: Tensor | None = None) -> Tensor:
    """Return the matrix with 1 on the diagonal and 0 elsewhere.

    Parameters
    ----------
    n : int
        How many.
    m : int, optional
        How many.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def fill(input: Tensor, value: Operand) -> Tensor:
    """Return a tensor like ``input`` that holds one value everywhere, a number or a tensor without dimensions.

    Parameters
    ----------
    input : Tensor
    value : tensor or number
        What is put there.
    """
def fill_(self: Tensor, value: Operand) -> Tensor:
    """Set every element to ``value``, a number or a tensor of one element without dimensions, and return the tensor.

    Parameters
    ----------
    value : tensor or number
    """
@overload
def fix_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `trunc`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def fix_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def flatten(input: Tensor, start_dim: Any = 0, end_dim: _int = -1, *, order: _str = 'C') -> Tensor:
    """Return the tensor with the dimensions from ``start_dim`` to ``end_dim`` made one; NumPy's ``order`` in its place
    (``flatten("F")``) makes all one.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    start_dim : int, default 0
    end_dim : int, default -1
    order : str, default 'C'
    """
@overload
def flatten(input: Operand, start_dim: Any = 0, end_dim: _int = -1, *, order: _str = 'C') -> Any: ...
@overload
def flip(input: Tensor, *along: Any, dims: _int | Sequence[_int] | None = None, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Return a copy with the order of the elements along ``dims`` (or ``axis=``) reversed.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    *along : int or tuple of ints
        Numbers: separately, or in one sequence.
    dims : int or tuple of ints, optional
    axis : int or tuple of ints, optional
    """
@overload
def flip(input: Operand, *along: Any, dims: _int | Sequence[_int] | None = None, axis: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def fliplr(input: Tensor) -> Tensor:
    """Return a copy with the order of the columns reversed.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def fliplr(input: Operand) -> Any: ...
@overload
def flipud(input: Tensor) -> Tensor:
    """Return a copy with the order of the rows reversed.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def flipud(input: Operand) -> Any: ...
@overload
def float_power(input: Tensor, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """Return ``input ** exponent`` in double precision, whatever the dtypes are.

    Parameters
    ----------
    input : tensor, array or number
    exponent : number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def float_power(input: Operand, exponent: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the largest integer not above x.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 0
    - At kinks: 0 at integers
    - Complex numbers: yes
    - SymPy: ``floor(x)``
    - In NumPy: ``np.floor``
    - In PyTorch: ``torch.floor``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.floor(x)
    >>> y
    tensor([-2.,  0.], grad_fn=<FloorBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0., 0.])
    >>> g.formula()
    zeros(2)
    """
@overload
def floor(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def floor_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `floor`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def floor_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def floor_divide(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return ``floor(input / other)``, without a derivative; whole numbers may not be divided by zero.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def floor_divide(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def fmax(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the larger of a and b, a number before NaN.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: where((a ≥ b) ∨ isnan(b), 1, 0) in a; where(logical_not((a ≥ b) ∨ isnan(b)), 1, 0) in b
    - At kinks: passes to a at ties
    - Complex numbers: no
    - SymPy: ``Max(a, b)``
    - In NumPy: ``np.fmax``
    - In PyTorch: ``torch.fmax``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], requires_grad=True, name="a")
    >>> b = sg.tensor([2.0, 0.5], requires_grad=True, name="b")
    >>> y = sg.fmax(a, b)
    >>> y
    tensor([2.0000, 0.5000], grad_fn=<FmaxBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0., 1.]), tensor([1., 0.]))
    >>> g_a.formula(), g_b.formula()
    (where((a ≥ b) ∨ isnan(b), 1, 0), where(logical_not((a ≥ b) ∨ isnan(b)), 1, 0))
    """
@overload
def fmax(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def fmin(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the smaller of a and b, a number before NaN.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: where((a ≤ b) ∨ isnan(b), 1, 0) in a; where(logical_not((a ≤ b) ∨ isnan(b)), 1, 0) in b
    - At kinks: passes to a at ties
    - Complex numbers: no
    - SymPy: ``Min(a, b)``
    - In NumPy: ``np.fmin``
    - In PyTorch: ``torch.fmin``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], requires_grad=True, name="a")
    >>> b = sg.tensor([2.0, 0.5], requires_grad=True, name="b")
    >>> y = sg.fmin(a, b)
    >>> y
    tensor([-1.5000,  0.5000], grad_fn=<FminBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([1., 1.]), tensor([0., 0.]))
    >>> g_a.formula(), g_b.formula()
    (where((a ≤ b) ∨ isnan(b), 1, 0), where(logical_not((a ≤ b) ∨ isnan(b)), 1, 0))
    """
@overload
def fmin(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def fmod(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """a - b * trunc(a / b): has the sign of a

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def fmod(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return x - trunc(x).

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1
    - At kinks: 1 at integers
    - Complex numbers: yes
    - In PyTorch: ``torch.frac``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.frac(x)
    >>> y
    tensor([-0.5000,  0.5000], grad_fn=<FracBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([1., 1.])
    >>> g.formula()
    𝟏
    """
@overload
def frac(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def frac_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `frac`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def frac_(input: Operand, *, out: Tensor | None = None) -> Any: ...
def frexp(input: Operand, *, out: Tensor | None = None) -> return_types.frexp:
    """Return ``(mantissa, exponent)``: the input is ``mantissa * 2**exponent``, with a mantissa from 0.5 to below 1.

    The exponent has no derivative.

    Parameters
    ----------
    input : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: _bool | None = None) -> Tensor:
    """Return a tensor that shares the memory of another library's, through DLPack; a copy if ``copy``.

    Parameters
    ----------
    ext_tensor : object
        What holds the memory.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    copy : bool, optional
    """
def from_numpy(ndarray: np.ndarray) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array.

    Parameters
    ----------
    ndarray : np.ndarray
        Its memory becomes the tensor's.
    """
def frombuffer(buffer: Any, *, dtype: DTypeLike, count: _int = -1, offset: _int = 0, requires_grad: _bool = False) -> Tensor:
    """Return a vector that shares the memory of a buffer (bytes, say).

    Parameters
    ----------
    buffer : object
        What holds the memory.
    dtype : dtype
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    count : int, default -1
        How many to take.
    offset : int, default 0
        Which diagonal: 0 is the main one, 1 the one above it.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    """
def full(size: Any, fill_value: Operand, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, pin_memory: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return a tensor of the given sizes filled with ``fill_value`` (whose type gives the dtype; a tensor's gradient
    is that of all entries together).

    Parameters
    ----------
    size : int or tuple of ints
        Sizes: separately, or in one sequence.
    fill_value : tensor or number
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def full_like(input: Tensor, fill_value: Operand, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, memory_format: Any = None, pin_memory: Any = None) -> Tensor:
    """Return a tensor of the shape and dtype of ``input`` filled with ``fill_value``, a number or a tensor of one.

    Parameters
    ----------
    input : tensor, array or number
    fill_value : tensor or number
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    memory_format : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
@overload
def full_like(input: Operand, fill_value: Operand, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, memory_format: Any = None, pin_memory: Any = None) -> Any: ...
@overload
def gather(input: Tensor, dim: _int, index: Any, *, sparse_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return, at each place, the element of ``input`` that ``index`` names along ``dim``.

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    index : tensor of ints
    sparse_grad : bool, default False
        Taken for PyTorch's sake.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> sg.gather(x, 1, sg.tensor([[1], [0]]))
    tensor([[2.],
            [3.]], grad_fn=<GatherBackward0>)
    """
@overload
def gather(input: Operand, dim: _int, index: Any, *, sparse_grad: _bool = False, out: Tensor | None = None) -> Any: ...
@overload
def gcd(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the greatest common divisor of a and b, entry by entry; for whole numbers.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def gcd(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def gcd_(input: Tensor, other: Operand) -> Tensor:
    """In-place version of `gcd`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    """
@overload
def gcd_(input: Operand, other: Operand) -> Any: ...
@overload
def ge(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a >= b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.greater_equal``
    - In PyTorch: ``torch.ge``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], name="a")
    >>> b = sg.tensor([2.0, 0.5], name="b")
    >>> sg.ge(a, b)
    tensor([False,  True])
    """
@overload
def ge(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def gelu(input: Tensor, approximate: _str = 'none') -> Tensor:
    """Return ``input`` times the normal distribution function at it; ``approximate='tanh'`` approximates that.

    Parameters
    ----------
    input : tensor, array or number
    approximate : str, default 'none'
    """
@overload
def gelu(input: Operand, approximate: _str = 'none') -> Any: ...
def geqrf(input: Operand, *, out: Tensor | None = None) -> return_types.geqrf:
    """Return the QR factorisation as LAPACK keeps it: R with the vectors of reflections below it, and their factors.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def get_default_device() -> Device:
    """Return the device of new tensors, the CPU."""
def get_default_dtype() -> _DType:
    """Return the dtype of new float tensors.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.get_default_dtype()
    symgrad.float64
    """
def get_device(input: Tensor) -> _int:
    """Return -1, PyTorch's number of the CPU.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def get_rng_state() -> Tensor:
    """Return the state of the process's generator, a tensor of bytes."""
def gradient(input: Operand, *, spacing: Any = 1, dim: _int | Sequence[_int] | None = None, edge_order: _int = 1) -> list[Any]:
    """Return the slopes of sampled values along each dimension (or those in ``dim``), of parabolas through neighbours.

    This is PyTorch's `torch.gradient`, a finite difference; the derivative of a function is `symgrad.grad`.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    spacing : the distance of neighbours, a list of one for each dimension, or a list of vectors of places
    edge_order : 1 for lines at the ends, 2 for parabolas
    dim : int or tuple of ints, optional

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.gradient(sg.tensor([0.0, 1.0, 4.0, 9.0]))
    [tensor([1., 2., 4., 5.])]
    """
@overload
def gt(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a > b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.greater``
    - In PyTorch: ``torch.gt``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], name="a")
    >>> b = sg.tensor([2.0, 0.5], name="b")
    >>> sg.gt(a, b)
    tensor([False, False])
    """
@overload
def gt(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
def hamming_window(window_length: _int, periodic: _bool = True, alpha: _float = 0.54, beta: _float = 0.46, *, dtype: DTypeLike | None = None, layout: Any = None, device: Any = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Return Hamming's window, ``alpha - beta * cos``, which does not fall to zero.

    Parameters
    ----------
    window_length : int
        How many points the window has.
    periodic : bool, default True
        Whether the window repeats without its last point.
    alpha : float, default 0.54
    beta : float, default 0.46
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    """
def hann_window(window_length: _int, periodic: _bool = True, *, dtype: DTypeLike | None = None, layout: Any = None, device: Any = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Return Hann's window, a raised cosine; ``periodic`` windows end one step before they are symmetric.

    Parameters
    ----------
    window_length : int
        How many points the window has.
    periodic : bool, default True
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    """
@overload
def hardtanh(input: Tensor, min_val: _float = -1.0, max_val: _float = 1.0) -> Tensor:
    """Return ``input`` held between the bounds; its derivative at them is declared 0.

    Parameters
    ----------
    input : tensor, array or number
    min_val : float, default -1.0
        Bounds.
    max_val : float, default 1.0
        Bounds.
    """
@overload
def hardtanh(input: Operand, min_val: _float = -1.0, max_val: _float = 1.0) -> Any: ...
@overload
def heaviside(input: Tensor, values: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return 0 below 0, 1 above, and ``values`` at 0; of whole numbers, whole numbers.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    values : tensor or number
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.heaviside(sg.tensor([-1.0, 0.0, 2.0]), sg.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
@overload
def heaviside(input: Operand, values: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def histc(input: Tensor, bins: _int = 100, min: _float = 0, max: _float = 0, *, out: Tensor | None = None) -> Tensor:
    """Return how many elements fall in each of ``bins`` equal bins from ``min`` to ``max``.

    With ``min`` equal to ``max`` the bins span the input's own range.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    bins : int, default 100
    min : float, default 0
    max : float, default 0
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def histc(input: Operand, bins: _int = 100, min: _float = 0, max: _float = 0, *, out: Tensor | None = None) -> Any: ...
def histogram(input: Operand, bins: Any, *, range: Any = None, weight: Operand | None = None, density: _bool = False, out: Tensor | None = None) -> return_types.histogram:
    """Return how many elements fall between neighbours of the edges, and the edges; without derivatives.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    bins : how many bins of one width, or the edges
    range : the ends of the first and the last bin, by default the input's
    weight : what each element counts
    density : divide so that the area is 1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def histogramdd(input: Operand, bins: Any, range: Any = None, weight: Operand | None = None, density: _bool = False) -> return_types.histogramdd:
    """Return how many points, the rows of ``input``, fall in each cell of a grid, and the edges along each dimension.

    ``bins`` is one number for all dimensions, one for each, or the edges along each; ``range`` holds the two ends for
    each dimension, one after the other.

    Parameters
    ----------
    input : tensor, array or number
    bins : int
    range : tuple of floats, optional
    weight : tensor or array, optional
        Factors: of classes, of entries, of positive entries.
    density : bool, default False
        Whether the counts are made a density.
    """
@overload
def householder_product(input: Tensor, tau: Operand) -> Tensor:
    """Return the first columns of ``H_1 @ … @ H_k``, reflections ``1 - tau[i] * v @ v.mH`` with ``v`` in the columns.

    Above the diagonal the columns are not read, and count as 0; on it they count as 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    tau : tensor
    """
@overload
def householder_product(input: Operand, tau: Operand) -> Any: ...
def hsplit(input: Operand, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Return `tensor_split` along the dimension that hsplit stands for.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    indices_or_sections : int or sequence of ints
        Into how many parts, or how large they are, or where they begin.
    """
@overload
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the tensors joined along the second dimension; vectors along their only one.

    Parameters
    ----------
    tensors : tensors
        The operands: separately, or in one sequence.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def hstack(tensors: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def hypot(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return sqrt(a**2 + b**2), without overflow.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: a/√(a² + b²) in a; b/√(a² + b²) in b
    - Complex numbers: no
    - SymPy: ``sqrt(a**2 + b**2)``
    - In NumPy: ``np.hypot``
    - In PyTorch: ``torch.hypot``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], requires_grad=True, name="a")
    >>> b = sg.tensor([2.0, 0.5], requires_grad=True, name="b")
    >>> y = sg.hypot(a, b)
    >>> y
    tensor([2.5000, 0.7071], grad_fn=<HypotBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([-0.6000,  0.7071], grad_fn=<MulBackward0>), tensor([0.8000, 0.7071], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (a/√(a² + b²), b/√(a² + b²))
    """
@overload
def hypot(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def i0(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def i0_(input: Tensor) -> Tensor:
    """In-place version of `i0`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def i0_(input: Operand) -> Any: ...
@overload
def igamma(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the lower incomplete gamma function, divided by gamma(a).

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: ∂P/∂a(a, b) in a; b^(a − 1) exp(−b)/Γ(a) in b
    - Complex numbers: no
    - In PyTorch: ``torch.igamma``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.igamma(a, b)
    >>> y
    tensor([0.8427, 0.8009], grad_fn=<IgammaBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([-0.3898, -0.1974], grad_fn=<MulBackward0>), tensor([0.2076, 0.1494], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (∂P/∂a(a, b), b^(a − 1) ⊙ exp(−b)/Γ(a))
    """
@overload
def igamma(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def igammac(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return 1 - igamma, without cancellation.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −∂P/∂a(a, b) in a; −(b^(a − 1) exp(−b)/Γ(a)) in b
    - Complex numbers: no
    - In PyTorch: ``torch.igammac``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.igammac(a, b)
    >>> y
    tensor([0.1573, 0.1991], grad_fn=<IgammacBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0.3898, 0.1974], grad_fn=<MulBackward0>), tensor([-0.2076, -0.1494], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (−∂P/∂a(a, b), −b^(a − 1) ⊙ exp(−b)/Γ(a))
    """
@overload
def igammac(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def imag(input: Tensor) -> Tensor:
    """Return the imaginary part of a complex tensor.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def imag(input: Operand) -> Any: ...
@overload
def index_add(input: Tensor, dim: _int, index: Any, source: Operand, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Return ``input`` with ``alpha`` times the slices of ``source`` added along ``dim`` at ``index`` (may repeat).

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    index : tensor of ints
    source : tensor or number
    alpha : number, default 1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def index_add(input: Operand, dim: _int, index: Any, source: Operand, *, alpha: Any = 1, out: Tensor | None = None) -> Any: ...
@overload
def index_copy(input: Tensor, dim: _int, index: Any, source: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return ``input`` with the slices of ``source`` put along ``dim`` at ``index``.

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    index : tensor of ints
    source : tensor or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def index_copy(input: Operand, dim: _int, index: Any, source: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def index_fill(input: Tensor, dim: _int, index: Any, value: Operand) -> Tensor:
    """Return ``input`` with ``value`` (a number or a 0-d tensor) in the slices along ``dim`` at ``index``.

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    index : tensor of ints
    value : tensor or number
    """
@overload
def index_fill(input: Operand, dim: _int, index: Any, value: Operand) -> Any: ...
@overload
def index_put(input: Tensor, indices: Any, values: Operand, accumulate: _bool = False) -> Tensor:
    """Return ``input`` with ``values`` put at (or added to) the places of ``indices``, a tuple of index tensors.

    Parameters
    ----------
    input : tensor, array or number
    indices : tensor of ints
    values : tensor or number
    accumulate : bool, default False
        Whether it is added to what is there.
    """
@overload
def index_put(input: Operand, indices: Any, values: Operand, accumulate: _bool = False) -> Any: ...
def index_put_(self: Tensor, indices: Any, values: Operand, accumulate: _bool = False) -> Tensor:
    """Put ``values`` at (or add them to) the places of ``indices`` in this tensor's memory, and return it.

    Parameters
    ----------
    indices : tensor of ints
    values : tensor or number
    accumulate : bool, default False
        Whether it is added to what is there.
    """
@overload
def index_reduce(input: Tensor, dim: _int, index: Any, source: Operand, reduce: _str, *, include_self: _bool = True, out: Tensor | None = None) -> Tensor:
    """Combine ``input`` with the slices of ``source`` that ``index``, a vector, sends along ``dim`` to each place.

    ``reduce`` is 'prod', 'mean', 'amax' or 'amin'; with ``include_self=False`` the old value of a place that something
    is sent to does not count.

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    index : tensor of ints
    source : tensor or number
    reduce : str
    include_self : bool, default True
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def index_reduce(input: Operand, dim: _int, index: Any, source: Operand, reduce: _str, *, include_self: _bool = True, out: Tensor | None = None) -> Any: ...
@overload
def index_select(input: Tensor, dim: _int, index: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the slices along ``dim`` that ``index``, a vector, names, in its order and as often as it names them.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int
    index : tensor of ints
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def index_select(input: Operand, dim: _int, index: Any, *, out: Tensor | None = None) -> Any: ...
def initial_seed() -> _int:
    """Return the seed that the process's generator started from."""
@overload
def inner(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return sums of products over the last dimensions (a number multiplies).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def inner(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def inverse(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of a matrix, or of each matrix of a batch.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    out : Tensor, optional
        Where the result is written; it is returned.

    Raises
    ------
    LinAlgError : a matrix is singular

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[2.0, 0.0], [0.0, 4.0]], requires_grad=True)
    >>> B = sg.linalg.inv(A)
    >>> B
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]], grad_fn=<LinalgInvExBackward0>)
    >>> B[1, 1].backward()
    >>> A.grad[1, 1]
    tensor(-0.0625)
    """
@overload
def inverse(A: Operand, *, out: Tensor | None = None) -> Any: ...
def is_complex(input: Tensor) -> _bool:
    """Return whether the dtype is complex.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def is_conj(input: Tensor) -> _bool:
    """Return False: conjugation is never lazy here.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def is_floating_point(input: Tensor) -> _bool:
    """Return whether the dtype is a real float.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def is_inference(input: Tensor) -> _bool:
    """Return whether the tensor was made in inference mode.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def is_neg(input: Tensor) -> _bool:
    """Return False: negation is never lazy here.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def is_nonzero(input: Tensor) -> _bool:
    """Return whether a tensor of one element is not zero.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def is_same_size(input: Tensor, other: Tensor) -> _bool:
    """Return whether two tensors have the same shape.

    Parameters
    ----------
    input : Tensor
        The operand.
    other : Tensor
        The second operand.
    """
def is_signed(input: Tensor) -> _bool:
    """Return whether the dtype has negative numbers.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def is_tensor(obj: Any) -> _bool:
    """Return whether ``obj`` is a Tensor.

    Parameters
    ----------
    obj : object

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.is_tensor(sg.ones(1)), sg.is_tensor(1.0)
    (True, False)
    """
@overload
def isclose(input: Tensor, other: Operand, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return whether |a - b| <= atol + rtol * |b|, entry by entry.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    rtol : float, default 1e-05
        Relative or absolute tolerance.
    atol : float, default 1e-08
        Relative or absolute tolerance.
    equal_nan : bool, default False
        Whether NaN equals NaN.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In PyTorch: ``torch.isclose``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], name="a")
    >>> b = sg.tensor([2.0, 0.5], name="b")
    >>> sg.isclose(a, b, 1e-05, 1e-08, False)
    tensor([False,  True])
    """
@overload
def isclose(input: Operand, other: Operand, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: _bool = False, *, out: Tensor | None = None) -> Any: ...
@overload
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return whether each entry is finite.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.isfinite``
    - In PyTorch: ``torch.isfinite``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], name="x")
    >>> sg.isfinite(x)
    tensor([True, True])
    """
@overload
def isfinite(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def isin(elements: Tensor, test_elements: Operand, *, assume_unique: _bool = False, invert: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return for each element whether it is among ``test_elements`` (with ``invert``: whether it is not).

    Parameters
    ----------
    elements : tensor or array
        What is looked for, and among what.
    test_elements : tensor or array
    assume_unique : bool, default False
        Whether to say where not; taken for PyTorch's sake.
    invert : bool, default False
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def isin(elements: Operand, test_elements: Operand, *, assume_unique: _bool = False, invert: _bool = False, out: Tensor | None = None) -> Any: ...
@overload
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return whether each entry is infinite.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.isinf``
    - In PyTorch: ``torch.isinf``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], name="x")
    >>> sg.isinf(x)
    tensor([False, False])
    """
@overload
def isinf(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return whether each entry is NaN.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.isnan``
    - In PyTorch: ``torch.isnan``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], name="x")
    >>> sg.isnan(x)
    tensor([False, False])
    """
@overload
def isnan(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return whether each entry is negative infinity.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def isneginf(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return whether each entry is positive infinity.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def isposinf(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def isreal(input: Tensor) -> Tensor:
    """Return whether each entry's imaginary part is zero.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def isreal(input: Operand) -> Any: ...
def kaiser_window(window_length: _int, periodic: _bool = True, beta: _float = 12.0, *, dtype: DTypeLike | None = None, layout: Any = None, device: Any = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Return Kaiser's window; a larger ``beta`` is narrower.

    Parameters
    ----------
    window_length : int
        How many points the window has.
    periodic : bool, default True
        Whether the window repeats without its last point.
    beta : float, default 12.0
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    """
@overload
def kron(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the Kronecker product: every entry of ``input`` times all of ``other``, as blocks.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def kron(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
def kthvalue(input: Operand, k: _int, dim: _int = -1, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> return_types.kthvalue:
    """Return the ``k``-th smallest element along ``dim`` (counted from 1), and its index.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    k : int
    dim : int, default -1
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def lcm(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the least common multiple of a and b, entry by entry; for whole numbers.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def lcm(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def lcm_(input: Tensor, other: Operand) -> Tensor:
    """In-place version of `lcm`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    """
@overload
def lcm_(input: Operand, other: Operand) -> Any: ...
@overload
def ldexp(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return ``input * 2**other``, differentiable in both.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.ldexp(sg.tensor([1.0, 3.0]), sg.tensor([2, -1]))
    tensor([4.0000, 1.5000])
    """
@overload
def ldexp(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def ldexp_(input: Tensor, other: Operand) -> Tensor:
    """In-place version of `ldexp`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    """
@overload
def ldexp_(input: Operand, other: Operand) -> Any: ...
@overload
def le(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a <= b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.less_equal``
    - In PyTorch: ``torch.le``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], name="a")
    >>> b = sg.tensor([2.0, 0.5], name="b")
    >>> sg.le(a, b)
    tensor([True, True])
    """
@overload
def le(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def leaky_relu(input: Tensor, negative_slope: _float = 0.01) -> Tensor:
    """Return ``input`` where positive, else ``negative_slope * input``.

    Parameters
    ----------
    input : tensor, array or number
    negative_slope : float, default 0.01
    """
@overload
def leaky_relu(input: Operand, negative_slope: _float = 0.01) -> Any: ...
@overload
def lerp(input: Tensor, end: Operand, weight: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return ``input + weight * (end - input)``.

    Parameters
    ----------
    input : tensor, array or number
    end : tensor, array or number
    weight : tensor or array
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def lerp(input: Operand, end: Operand, weight: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return log |gamma(x)|.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: ψ(x)
    - Finite for: every x but 0, −1, −2, …
    - Complex numbers: no
    - SymPy: ``log(Abs(gamma(x)))``
    - In PyTorch: ``torch.lgamma``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.lgamma(x)
    >>> y
    tensor([0.5724, 0.0000], grad_fn=<LgammaBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-1.9635,  0.4228], grad_fn=<MulBackward0>)
    >>> g.formula()
    ψ(x)
    """
@overload
def lgamma(input: Operand, *, out: Tensor | None = None) -> Any: ...
def linspace(start: Any, end: Operand, steps: _int, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, pin_memory: Any = None, out: Tensor | None = None) -> Tensor:
    """Return ``steps`` numbers at equal distances from ``start`` to ``end``, both included; differentiable in both.

    Parameters
    ----------
    start : number
    end : tensor, array or number
    steps : int
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the natural logarithm.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/x
    - Finite for: x > 0
    - Complex numbers: yes
    - SymPy: ``log(x)``
    - In NumPy: ``np.log``
    - In PyTorch: ``torch.log``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.log(x)
    >>> y
    tensor([-0.6931,  0.6931], grad_fn=<LogBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([2.0000, 0.5000], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/x
    """
@overload
def log(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm to base 10.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/(log(10)x)
    - Finite for: x > 0
    - Complex numbers: yes
    - SymPy: ``log(x)/log(10)``
    - In NumPy: ``np.log10``
    - In PyTorch: ``torch.log10``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.log10(x)
    >>> y
    tensor([-0.3010,  0.3010], grad_fn=<Log10Backward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.8686, 0.2171], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/(log(10)x)
    """
@overload
def log10(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def log10_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `log10`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def log10_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return log(1 + x), exact near 0.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/(1 + x)
    - Finite for: x > −1
    - Complex numbers: yes
    - SymPy: ``log(1 + x)``
    - In NumPy: ``np.log1p``
    - In PyTorch: ``torch.log1p``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.log1p(x)
    >>> y
    tensor([0.4055, 1.0986], grad_fn=<Log1PBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.6667, 0.3333], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/(1 + x)
    """
@overload
def log1p(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def log1p_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `log1p`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def log1p_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm to base 2.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/(log(2)x)
    - Finite for: x > 0
    - Complex numbers: yes
    - SymPy: ``log(x)/log(2)``
    - In NumPy: ``np.log2``
    - In PyTorch: ``torch.log2``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.log2(x)
    >>> y
    tensor([-1.,  1.], grad_fn=<Log2Backward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([2.8854, 0.7213], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/(log(2)x)
    """
@overload
def log2(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def log2_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `log2`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def log2_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def log_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `log`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def log_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def log_softmax(input: Tensor, dim: _int, dtype: DTypeLike | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``log(softmax(input))`` along ``dim``, without overflow.

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def log_softmax(input: Operand, dim: _int, dtype: DTypeLike | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def logaddexp(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return log(exp(a) + exp(b)), without overflow.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: σ(a − b) in a; σ(b − a) in b
    - Complex numbers: no
    - SymPy: ``log(exp(a) + exp(b))``
    - In NumPy: ``np.logaddexp``
    - In PyTorch: ``torch.logaddexp``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], requires_grad=True, name="a")
    >>> b = sg.tensor([2.0, 0.5], requires_grad=True, name="b")
    >>> y = sg.logaddexp(a, b)
    >>> y
    tensor([2.0298, 1.1931], grad_fn=<LogaddexpBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0.0293, 0.5000], grad_fn=<MulBackward0>), tensor([0.9707, 0.5000], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (σ(a − b), σ(b − a))
    """
@overload
def logaddexp(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def logaddexp2(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return log2(2**a + 2**b), without overflow.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: σ(log(2)(a − b)) in a; σ(log(2)(b − a)) in b
    - Complex numbers: no
    - SymPy: ``log(2**a + 2**b)/log(2)``
    - In NumPy: ``np.logaddexp2``
    - In PyTorch: ``torch.logaddexp2``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], requires_grad=True, name="a")
    >>> b = sg.tensor([2.0, 0.5], requires_grad=True, name="b")
    >>> y = sg.logaddexp2(a, b)
    >>> y
    tensor([2.1222, 1.5000], grad_fn=<Logaddexp2Backward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0.0812, 0.5000], grad_fn=<MulBackward0>), tensor([0.9188, 0.5000], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (σ(log(2)(a − b)), σ(log(2)(b − a)))
    """
@overload
def logaddexp2(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def logcumsumexp(input: Tensor, dim: _int, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``log(sum(exp(…)))`` of all elements up to each, along ``dim``, without overflow.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def logcumsumexp(input: Operand, dim: _int, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinant: NaN where that is negative, minus infinity where it is zero.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def logdet(input: Operand) -> Any: ...
@overload
def logical_and(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a and b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.logical_and``
    - In PyTorch: ``torch.logical_and``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], name="a")
    >>> b = sg.tensor([2.0, 0.5], name="b")
    >>> sg.logical_and(a, b)
    tensor([True, True])
    """
@overload
def logical_and(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return not x.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.logical_not``
    - In PyTorch: ``torch.logical_not``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], name="x")
    >>> sg.logical_not(x)
    tensor([False, False])
    """
@overload
def logical_not(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def logical_or(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a or b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.logical_or``
    - In PyTorch: ``torch.logical_or``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], name="a")
    >>> b = sg.tensor([2.0, 0.5], name="b")
    >>> sg.logical_or(a, b)
    tensor([True, True])
    """
@overload
def logical_or(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def logical_xor(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return either a or b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.logical_xor``
    - In PyTorch: ``torch.logical_xor``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], name="a")
    >>> b = sg.tensor([2.0, 0.5], name="b")
    >>> sg.logical_xor(a, b)
    tensor([False, False])
    """
@overload
def logical_xor(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return ``log(x / (1 - x))``, the inverse of `sigmoid`; ``eps`` holds ``x`` between itself and ``1 - eps``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    eps : float, optional
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def logit(input: Operand, eps: _float | None = None, *, out: Tensor | None = None) -> Any: ...
@overload
def logit_(input: Tensor, eps: _float | None = None) -> Tensor:
    """In-place version of `logit`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    eps : float, optional
        What keeps a quotient finite.
    """
@overload
def logit_(input: Operand, eps: _float | None = None) -> Any: ...
@overload
def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return log(sigmoid(x)), without overflow.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: σ(−x)
    - Complex numbers: no
    - SymPy: ``-log(1 + exp(-x))``
    - In PyTorch: ``torch.nn.functional.logsigmoid``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.logsigmoid(x)
    >>> y
    tensor([-1.7014, -0.4741], grad_fn=<LogSigmoidBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.8176, 0.3775], grad_fn=<MulBackward0>)
    >>> g.formula()
    σ(−x)
    """
@overload
def logsigmoid(input: Operand, *, out: Tensor | None = None) -> Any: ...
def logspace(start: Any, end: Operand, steps: _int, base: _float = 10.0, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, pin_memory: Any = None, out: Tensor | None = None) -> Tensor:
    """Return ``base`` to the power of `linspace`'s numbers; differentiable in ``start`` and ``end``.

    Parameters
    ----------
    start : number
    end : tensor, array or number
    steps : int
        How many.
    base : float, default 10.0
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def logsumexp(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``log(sum(exp(input)))`` along ``dim`` (one, several, all), without overflow; its gradient is softmax.

    Parameters
    ----------
    input : tensor, array or number
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1000.0, 1000.0], requires_grad=True)
    >>> sg.logsumexp(x, 0)
    tensor(1000.6931, grad_fn=<LogsumexpBackward0>)
    """
@overload
def logsumexp(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def lt(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a < b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.less``
    - In PyTorch: ``torch.lt``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], name="a")
    >>> b = sg.tensor([2.0, 0.5], name="b")
    >>> sg.lt(a, b)
    tensor([ True, False])
    """
@overload
def lt(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
def lu(A: Operand, pivot: _bool = True, get_infos: _bool = False) -> tuple[Tensor, ...]:
    """Return ``(LU, pivots)`` as `linalg.lu_factor` does, with ``get_infos`` the third of `linalg.lu_factor_ex` too.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    pivot : bool, default True
        Whether rows are exchanged.
    get_infos : bool, default False
    """
@overload
def lu_solve(b: Tensor, LU_data: Any, LU_pivots: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the solution of ``A @ X = b``: `linalg.lu_solve` with its arguments in another order.

    Parameters
    ----------
    b : float
    LU_data : tensors
        What `lu_factor` returned.
    LU_pivots : tensors
        What `lu_factor` returned.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def lu_solve(b: Any, LU_data: Any, LU_pivots: Any, *, out: Tensor | None = None) -> Any: ...
def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: _bool = True, unpack_pivots: _bool = True, *, out: Tensor | None = None) -> return_types.lu_unpack:
    """Return ``(P, L, U)`` of what `linalg.lu_factor` packed.

    Parameters
    ----------
    LU_data : tensors
        What `lu_factor` returned.
    LU_pivots : tensors
        What `lu_factor` returned.
    unpack_data : bool, default True
        Whether to return this part.
    unpack_pivots : bool, default True
        Whether to return this part.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def manual_seed(seed: _int) -> Generator:
    """Seed the process's generator (NumPy's stream, not PyTorch's); returns the generator.

    Parameters
    ----------
    seed : int
        What the numbers follow from.
    """
@overload
def masked_fill(input: Tensor, mask: Operand, value: Operand) -> Tensor:
    """Return ``input`` with ``value``, a number or a tensor without dimensions, where ``mask`` holds.

    Parameters
    ----------
    input : tensor, array or number
    mask : tensor or array of bool
    value : tensor or number
    """
@overload
def masked_fill(input: Operand, mask: Operand, value: Operand) -> Any: ...
@overload
def masked_scatter(input: Tensor, mask: Operand, source: Operand) -> Tensor:
    """Return ``input`` with the elements of ``source``, in turn, where ``mask`` holds.

    Parameters
    ----------
    input : tensor, array or number
    mask : tensor or array of bool
    source : tensor or number
    """
@overload
def masked_scatter(input: Operand, mask: Operand, source: Operand) -> Any: ...
@overload
def masked_select(input: Tensor, mask: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the elements of ``input`` where ``mask`` holds, as a vector.

    Parameters
    ----------
    input : tensor, array or number
    mask : tensor or array of bool
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.0, 4.0], requires_grad=True)
    >>> sg.sqrt(x).masked_select(x > 0).sum().backward()
    >>> x.grad
    tensor([0.0000, 0.2500])
    """
@overload
def masked_select(input: Operand, mask: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def matmul(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix product: of vectors their dot product, of higher dimensions batches of matrix products.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    out : Tensor, optional
        Where the result is written; it is returned.

    Raises
    ------
    ShapeError : the inner sizes differ, or an operand has no dimensions

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> y = A @ sg.tensor([1.0, -1.0])
    >>> y
    tensor([-1., -1.], grad_fn=<MvBackward0>)
    >>> y.sum().backward()
    >>> A.grad
    tensor([[ 1., -1.],
            [ 1., -1.]])
    """
@overload
def matmul(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def matrix_exp(A: Tensor) -> Tensor:
    """Return the exponential of a square matrix: the sum of ``A**k / k!``.

    Parameters
    ----------
    A : tensor or array
    """
@overload
def matrix_exp(A: Operand) -> Any: ...
@overload
def matrix_power(A: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """Return the ``n``-th power of a square matrix; negative powers are powers of the inverse.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def matrix_power(A: Operand, n: _int, *, out: Tensor | None = None) -> Any: ...
@overload
def max(input: Tensor) -> Tensor:
    """Return the largest element; along ``dim``, values and indices; of two tensors, the larger entries.

    The largest of all shares its gradient among elements that tie; along a dimension the first of them gets all of it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    other : tensor, array or number, optional
        The second operand.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> A.max()
    tensor(4.)
    >>> values, indices = A.max(dim=1)
    >>> indices
    tensor([1, 0])
    """
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False) -> return_types.max: ...
@overload
def max(input: Tensor, dim: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, *, other: Tensor) -> Tensor: ...
@overload
def max(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, other: Operand | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def maximum(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the larger of a and b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: where(a = b, 1/2, 1[a > b]) in a; where(a = b, 1/2, 1[b > a]) in b
    - At kinks: half to each at ties
    - Complex numbers: no
    - SymPy: ``Max(a, b)``
    - In NumPy: ``np.maximum``
    - In PyTorch: ``torch.maximum``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], requires_grad=True, name="a")
    >>> b = sg.tensor([2.0, 0.5], requires_grad=True, name="b")
    >>> y = sg.maximum(a, b)
    >>> y
    tensor([2.0000, 0.5000], grad_fn=<MaximumBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0.0000, 0.5000]), tensor([1.0000, 0.5000]))
    >>> g_a.formula(), g_b.formula()
    (where(a = b, 1/2, 1[a > b]), where(a = b, 1/2, 1[b > a]))
    """
@overload
def maximum(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def mean(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return the mean of all elements, or along ``dim`` (a number or several).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, default False
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> A.mean().backward()
    >>> A.grad
    tensor([[0.2500, 0.2500],
            [0.2500, 0.2500]])
    """
@overload
def mean(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, out: Tensor | None = None) -> Any: ...
@overload
def median(input: Tensor) -> Tensor:
    """Return the median of all elements; along ``dim``, values and indices. Of two in the middle it is the lower.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def median(input: Tensor, dim: _int, keepdim: _bool = False) -> return_types.median: ...
@overload
def median(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
def meshgrid(*tensors: Any, indexing: _str = 'ij') -> tuple[Tensor, ...]:
    """Return views of the grid that vectors span: each with its coordinate at every point.

    ``indexing='xy'`` swaps the first two dimensions, as NumPy does.

    Parameters
    ----------
    *tensors : tensors
        The operands: separately, or in one sequence.
    indexing : str, default 'ij'
    """
@overload
def min(input: Tensor) -> Tensor:
    """Return the smallest element; along ``dim``, values and indices; of two tensors, the smaller entries.

    The smallest of all shares its gradient among elements that tie; along a dimension the first of them gets all of it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    other : tensor, array or number, optional
        The second operand.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def min(input: Tensor, dim: _int, keepdim: _bool = False) -> return_types.min: ...
@overload
def min(input: Tensor, dim: Tensor) -> Tensor: ...
@overload
def min(input: Tensor, *, other: Tensor) -> Tensor: ...
@overload
def min(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, other: Operand | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def minimum(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the smaller of a and b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: where(a = b, 1/2, 1[a < b]) in a; where(a = b, 1/2, 1[b < a]) in b
    - At kinks: half to each at ties
    - Complex numbers: no
    - SymPy: ``Min(a, b)``
    - In NumPy: ``np.minimum``
    - In PyTorch: ``torch.minimum``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], requires_grad=True, name="a")
    >>> b = sg.tensor([2.0, 0.5], requires_grad=True, name="b")
    >>> y = sg.minimum(a, b)
    >>> y
    tensor([-1.5000,  0.5000], grad_fn=<MinimumBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([1.0000, 0.5000]), tensor([0.0000, 0.5000]))
    >>> g_a.formula(), g_b.formula()
    (where(a = b, 1/2, 1[a < b]), where(a = b, 1/2, 1[b < a]))
    """
@overload
def minimum(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def mm(input: Tensor, mat2: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the product of two matrices.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    mat2 : tensor or array
        A matrix.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def mm(input: Operand, mat2: Operand, *, out: Tensor | None = None) -> Any: ...
def mode(input: Operand, dim: _int = -1, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> return_types.mode:
    """Return the most frequent element along ``dim`` (the smallest of several), and its last index.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int, default -1
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Return the tensor with the dimensions ``source`` moved to the places ``destination``, the others in order.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    source : int or tuple of ints
    destination : int or tuple of ints
    """
@overload
def movedim(input: Operand, source: Any, destination: Any) -> Any: ...
@overload
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements in order along the first dimension.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def msort(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def mul(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a * b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: b in a; a in b
    - Complex numbers: yes
    - SymPy: ``a*b``
    - In NumPy: ``np.multiply``
    - In PyTorch: ``torch.mul``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], requires_grad=True, name="a")
    >>> b = sg.tensor([2.0, 0.5], requires_grad=True, name="b")
    >>> y = sg.mul(a, b)
    >>> y
    tensor([-3.0000,  0.2500], grad_fn=<MulBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([2.0000, 0.5000], grad_fn=<MulBackward0>), tensor([-1.5000,  0.5000], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (b, a)
    """
@overload
def mul(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
def multinomial(input: Operand, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``num_samples`` indices drawn with probabilities proportional to the last dimension of ``input``.

    Parameters
    ----------
    input : tensor, array or number
    num_samples : int
    replacement : bool, default False
        Whether what was drawn may be drawn again.
    generator : Generator, optional
        What draws the numbers; the global generator if it is left out.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def mv(input: Tensor, vec: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the product of a matrix and a vector.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    vec : tensor or array
        A vector.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def mv(input: Operand, vec: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def mvlgamma(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension ``p``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    p : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def mvlgamma(input: Operand, p: _int, *, out: Tensor | None = None) -> Any: ...
@overload
def nan_to_num(input: Tensor, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Return x, with 0 for NaN and the largest numbers for infinities.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    nan : number, default 0.0
        What replaces NaN and the infinities.
    posinf : number, optional
        What replaces NaN and the infinities.
    neginf : number, optional
        What replaces NaN and the infinities.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: where(isfinite(x), 1, 0)
    - Complex numbers: yes
    - In PyTorch: ``torch.nan_to_num``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.nan_to_num(x, 0.0, None, None)
    >>> y
    tensor([-1.5000,  0.5000], grad_fn=<NanToNumBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([1., 1.])
    >>> g.formula()
    where(isfinite(x), 1, 0)
    """
@overload
def nan_to_num(input: Operand, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, *, out: Tensor | None = None) -> Any: ...
@overload
def nan_to_num_(input: Tensor, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `nan_to_num`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    nan : number, default 0.0
        What replaces NaN and the infinities.
    posinf : number, optional
        What replaces NaN and the infinities.
    neginf : number, optional
        What replaces NaN and the infinities.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def nan_to_num_(input: Operand, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, *, out: Tensor | None = None) -> Any: ...
@overload
def nanmean(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the mean of the elements that are not NaN; those that are get no gradient.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def nanmean(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def nanmedian(input: Tensor) -> Tensor:
    """Return the median of the elements that are not NaN; along ``dim``, values and indices.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def nanmedian(input: Tensor, dim: _int, keepdim: _bool = False) -> return_types.nanmedian: ...
@overload
def nanmedian(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def nanquantile(input: Tensor, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the ``q``-quantiles of what is not NaN, of all elements or along ``dim``; see `quantile`.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    q : int
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    interpolation : str, default 'linear'
        What stands between two values.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def nanquantile(input: Operand, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def nansum(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the sum of the elements that are not NaN; those that are get no gradient.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def nansum(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def narrow(input: Tensor, dim: _int, start: Any, length: _int) -> Tensor:
    """Return ``length`` elements along ``dim`` from ``start`` on, as a view.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int
    start : number
    length : int
    """
@overload
def narrow(input: Operand, dim: _int, start: Any, length: _int) -> Any: ...
@overload
def narrow_copy(input: Tensor, dim: _int, start: Any, length: _int, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of `narrow`: ``length`` elements along ``dim`` from ``start`` on.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int
    start : number
    length : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def narrow_copy(input: Operand, dim: _int, start: Any, length: _int, *, out: Tensor | None = None) -> Any: ...
@overload
def ne(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a != b.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.not_equal``
    - In PyTorch: ``torch.ne``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([-1.5, 0.5], name="a")
    >>> b = sg.tensor([2.0, 0.5], name="b")
    >>> sg.ne(a, b)
    tensor([ True, False])
    """
@overload
def ne(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return ``-input``.

    Parameters
    ----------
    input : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def neg(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def neg_(input: Tensor) -> Tensor:
    """In-place version of `neg`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def neg_(input: Operand) -> Any: ...
@overload
def negative_(input: Tensor) -> Tensor:
    """In-place version of `neg`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def negative_(input: Operand) -> Any: ...
@overload
def nextafter(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the float next to ``input`` in the direction of ``other``: it follows it, so its derivative is 1.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def nextafter(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False] = False) -> Tensor:
    """Return the positions of the nonzero elements: one row each, or with ``as_tuple`` a tensor per dimension.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    as_tuple : bool, default False
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
@overload
def nonzero(input: Operand, *, as_tuple: _bool = False, out: Tensor | None = None) -> Any: ...
@overload
def nonzero_static(input: Tensor, *, size: _int, fill_value: _int = -1) -> Tensor:
    """Return the places of what is not zero, one to a row, in a result of ``size`` rows: cut, or filled at its end.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    size : int
    fill_value : int, default -1
        What is put there.
    """
@overload
def nonzero_static(input: Operand, *, size: _int, fill_value: _int = -1) -> Any: ...
@overload
def norm(input: Tensor, p: Any = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the norm of all elements, or along ``dim``: the vector norm of order ``p`` (default 2).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    p : any number, infinite too; 'fro' for 2; 'nuc' for the sum of a matrix's singular values
    dim : a dimension or several; None for all
    keepdim : keep the dimensions, with size 1
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Notes
    -----
    At zero the gradient is taken as zero.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.0, 0.0], requires_grad=True)
    >>> x.norm().backward()
    >>> x.grad
    tensor([0., 0.])
    """
@overload
def norm(input: Operand, p: Any = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, layout: Any = None, pin_memory: Any = None, out: Tensor | None = None) -> Tensor:
    """Return draws from the normal distribution; ``mean`` and ``std`` are numbers (with ``size``) or tensors.

    The gradient with respect to tensors ``mean`` and ``std`` is zero, as in PyTorch: write
    ``mean + std * sg.randn_like(mean)`` to differentiate.

    Parameters
    ----------
    mean : float or tensor, default 0.0
    std : float or tensor, default 1.0
    size : int or tuple of ints, optional
    generator : Generator, optional
        What draws the numbers; the global generator if it is left out.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def numel(input: Tensor) -> _int:
    """Return the number of elements, of a symbol a product of named sizes.

    Parameters
    ----------
    input : Tensor
        The operand.
    """
def ones(*sizes_: Any, size: Any = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, pin_memory: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return a tensor of the given sizes, filled with 1.

    Parameters
    ----------
    *sizes : int or tuple of ints
        Sizes: separately, or in one sequence.
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def ones_like(input: Tensor, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, memory_format: Any = None, pin_memory: Any = None) -> Tensor:
    """Return a tensor of the shape and dtype of ``input``, filled with 1.

    Parameters
    ----------
    input : tensor, array or number
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    memory_format : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
@overload
def ones_like(input: Operand, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, memory_format: Any = None, pin_memory: Any = None) -> Any: ...
@overload
def orgqr(input: Tensor, tau: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the first columns of ``H_1 @ … @ H_k``, reflections ``1 - tau[i] * v @ v.mH`` with ``v`` in the columns.

    Above the diagonal the columns are not read, and count as 0; on it they count as 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    tau : tensor
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def orgqr(input: Operand, tau: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def ormqr(input: Tensor, tau: Operand, other: Operand, left: _bool = True, transpose: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return the product of `householder_product`'s whole matrix (its adjoint if ``transpose``) with ``other``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    tau : tensor
        The factors of the reflections.
    other : tensor, array or number
    left : bool, default True
        Whether the matrix stands on the left of the unknown.
    transpose : bool, default False
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def ormqr(input: Operand, tau: Operand, other: Operand, left: _bool = True, transpose: _bool = False, *, out: Tensor | None = None) -> Any: ...
@overload
def outer(input: Tensor, vec2: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix of all products of an entry of ``input`` and one of ``vec2`` (vectors).

    Parameters
    ----------
    input : tensor, array or number
    vec2 : tensor or array
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def outer(input: Operand, vec2: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def pad(input: Tensor, pad: Any, mode: _str = 'constant', value: _float | None = None) -> Tensor:
    """Return the tensor with a border.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    pad : amounts before and after, of the last dimension, then of the one before it, …; negative amounts crop
    mode : 'constant' (of ``value``, default 0), 'reflect' (without the edge), 'replicate' (the edge) or 'circular' (the
        other side of what negative amounts leave)
    value : float, optional

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.pad(sg.tensor([1.0, 2.0]), (1, 2))
    tensor([0., 1., 2., 0., 0.])
    """
@overload
def pad(input: Operand, pad: Any, mode: _str = 'constant', value: _float | None = None) -> Any: ...
def pca_lowrank(A: Operand, q: _int | None = None, center: _bool = True, niter: _int = 2) -> tuple[Tensor, ...]:
    """Return ``(U, S, V)``: `svd_lowrank` of the rows of ``A`` less their mean; V has the principal directions.

    Parameters
    ----------
    A : tensor or array
    q : int, optional
        The rank that is looked for, and the number of iterations.
    center : bool, default True
        Whether the mean is taken off first.
    niter : int, default 2
        The rank that is looked for, and the number of iterations.
    """
@overload
def pdist(input: Tensor, p: _float = 2.0) -> Tensor:
    """Return the distances of the rows of a matrix from those that follow, as one vector.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    p : float, default 2.0
        A number of the function's definition.
    """
@overload
def pdist(input: Operand, p: _float = 2.0) -> Any: ...
@overload
def permute(input: Tensor, *order: Any, dims: _int | Sequence[_int] | None = None) -> Tensor:
    """Return the tensor with its dimensions in the order ``dims``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    *order : {'C', 'F', 'A', 'K'}
        How the elements follow each other in memory.
    dims : int or tuple of ints, optional
    """
@overload
def permute(input: Operand, *order: Any, dims: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor:
    """Return the pseudo-inverse, as `linalg.pinv` does.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    rcond : float, default 1e-15
        Relative or absolute tolerance.
    """
@overload
def pinverse(input: Operand, rcond: _float = 1e-15) -> Any: ...
@overload
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Return draws from Poisson's distributions of means ``input``; the gradient is zero.

    Parameters
    ----------
    input : tensor, array or number
    generator : Generator, optional
        What draws the numbers; the global generator if it is left out.
    """
@overload
def poisson(input: Operand, generator: Generator | None = None) -> Any: ...
@overload
def polar(abs: Tensor, angle: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the complex tensor of absolute values and angles (in radians); differentiable in both.

    Parameters
    ----------
    abs : tensor or array
        The parts of the complex numbers.
    angle : tensor or array
        The parts of the complex numbers.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def polar(abs: Operand, angle: Operand, *, out: Tensor | None = None) -> Any: ...
def polygamma(n: Any, input: Operand, *, out: Tensor | None = None) -> Any:
    """Return the ``n``-th derivative of digamma at ``input`` (the method is ``input.polygamma(n)``).

    Parameters
    ----------
    n : int
    input : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def positive(input: Tensor) -> Tensor:
    """Return ``input`` itself; truth values have no sign.

    Parameters
    ----------
    input : tensor, array or number
    """
@overload
def positive(input: Operand) -> Any: ...
@overload
def pow(input: Tensor, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """Return ``input ** exponent``: a number, or a tensor of exponents (then differentiable in it too).

    Parameters
    ----------
    input : tensor, array or number
    exponent : number
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> sg.pow(x, 3)
    tensor([1., 8.], grad_fn=<PowBackward0>)
    """
@overload
def pow(input: Operand, exponent: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def power(input: Tensor, exponent: Any) -> Tensor:
    """Return ``input ** exponent``: a number, or a tensor of exponents (then differentiable in it too).

    Parameters
    ----------
    input : tensor, array or number
    exponent : number

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> sg.pow(x, 3)
    tensor([1., 8.], grad_fn=<PowBackward0>)
    """
@overload
def power(input: Operand, exponent: Any) -> Any: ...
@overload
def prod(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the product of all elements, or along ``dim``; its derivatives are right where elements are zero, too.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([2.0, 0.0, 4.0], requires_grad=True)
    >>> x.prod().backward()
    >>> x.grad
    tensor([0., 8., 0.])
    """
@overload
def prod(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
def promote_types(type1: DTypeLike, type2: DTypeLike) -> _DType:
    """Return the dtype of a result whose operands have these two: see `result_type`.

    Parameters
    ----------
    type1 : dtype
        A dtype.
    type2 : dtype
        A dtype.
    """
@overload
def put(input: Tensor, index: Any, source: Operand, accumulate: _bool = False) -> Tensor:
    """Return ``input`` with ``source`` put at (or added to) the positions ``index`` of its elements read as one row.

    Parameters
    ----------
    input : tensor, array or number
    index : tensor of ints
    source : tensor or number
    accumulate : bool, default False
        Whether it is added to what is there.
    """
@overload
def put(input: Operand, index: Any, source: Operand, accumulate: _bool = False) -> Any: ...
def qr(input: Operand, some: _bool = True, *, out: Tensor | None = None) -> return_types.qr:
    """Return ``(Q, R)``, as `linalg.qr` does.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    some : bool, default True
        Which parts of the decomposition are wanted.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def quantile(input: Tensor, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the ``q``-quantiles of all elements, or along ``dim``; NaN wherever there is one.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    q : a number between 0 and 1, or a vector of them, which the result has as its first dimension
    interpolation : what is taken between two elements: 'linear', 'lower', 'higher', 'midpoint' or 'nearest'
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([4.0, 1.0, 2.0], requires_grad=True)
    >>> y = sg.quantile(x, 0.75)
    >>> y.backward()
    >>> y.item(), x.grad
    (3.0, tensor([0.5000, 0.0000, 0.5000]))
    """
@overload
def quantile(input: Operand, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return angles in degrees that are given in radians.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def rad2deg(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def rad2deg_(input: Tensor) -> Tensor:
    """In-place version of `rad2deg`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def rad2deg_(input: Operand) -> Any: ...
def rand(*sizes_: Any, size: Any = None, generator: Generator | None = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, pin_memory: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return a tensor of the given sizes, drawn uniformly from [0, 1).

    Parameters
    ----------
    *sizes : int or tuple of ints
        Sizes: separately, or in one sequence.
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    generator : Generator, optional
        What draws the numbers; the global generator if it is left out.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def rand_like(input: Operand, *, generator: Generator | None = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, memory_format: Any = None, pin_memory: Any = None) -> Tensor:
    """Return a tensor of the shape and dtype of ``input``, drawn uniformly from [0, 1).

    Parameters
    ----------
    input : tensor, array or number
    generator : Generator, optional
        What draws the numbers; the global generator if it is left out.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    memory_format : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
def randint(low: Any, high: Any = None, size: Any = None, *, generator: Generator | None = None, dtype: DTypeLike = ..., device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, pin_memory: Any = None, out: Tensor | None = None) -> Tensor:
    """Return integers drawn uniformly from ``low`` (default 0) up to, not including, ``high``: ``randint(6, (3,))``.

    Parameters
    ----------
    low : number
    high : number, optional
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    generator : Generator, optional
        What draws the numbers; the global generator if it is left out.
    dtype : dtype, default <class 'numpy.int64'>
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def randint_like(input: Operand, low: _int, high: _int | None = None, *, generator: Generator | None = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, layout: Any = None, pin_memory: Any = None, memory_format: Any = None) -> Tensor:
    """Return integers drawn as by `randint`, in the shape and dtype of ``input``.

    Parameters
    ----------
    input : tensor, array or number
    low : int
        Bounds.
    high : int, optional
        Bounds.
    generator : Generator, optional
        What draws the numbers; the global generator if it is left out.
    dtype : dtype, optional
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    memory_format : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
def randn(*sizes_: Any, size: Any = None, generator: Generator | None = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, pin_memory: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return a tensor of the given sizes, drawn from the normal distribution with mean 0 and variance 1.

    Parameters
    ----------
    *sizes : int or tuple of ints
        Sizes: separately, or in one sequence.
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    generator : Generator, optional
        What draws the numbers; the global generator if it is left out.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def randn_like(input: Operand, *, generator: Generator | None = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, memory_format: Any = None, pin_memory: Any = None) -> Tensor:
    """Return a tensor of the shape and dtype of ``input``, drawn from the normal distribution with mean 0 and variance 1.

    Parameters
    ----------
    input : tensor, array or number
    generator : Generator, optional
        What draws the numbers; the global generator if it is left out.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    memory_format : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
def randperm(n: _int, *, generator: Generator | None = None, dtype: DTypeLike = ..., device: Any = None, requires_grad: _bool = False, layout: Any = None, pin_memory: Any = None, out: Tensor | None = None) -> Tensor:
    """Return the integers 0 … n-1 in random order.

    Parameters
    ----------
    n : int
        How many.
    generator : Generator, optional
        What draws the numbers; the global generator if it is left out.
    dtype : dtype, default <class 'numpy.int64'>
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def ravel(input: Tensor, order: _str = 'C') -> Tensor:
    """Return the elements as one row, in C order (``order="F"``: column by column): a view where that is possible.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    order : str, default 'C'
    """
@overload
def ravel(input: Operand, order: _str = 'C') -> Any: ...
@overload
def real(input: Tensor) -> Tensor:
    """Return the real part; a real tensor itself.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def real(input: Operand) -> Any: ...
@overload
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 / x.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −1/x²
    - Finite for: x ≠ 0
    - Complex numbers: yes
    - SymPy: ``1/x``
    - In PyTorch: ``torch.reciprocal``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.reciprocal(x)
    >>> y
    tensor([-0.6667,  2.0000], grad_fn=<ReciprocalBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-0.4444, -4.0000], grad_fn=<MulBackward0>)
    >>> g.formula()
    −1/x²
    """
@overload
def reciprocal(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def reciprocal_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `reciprocal`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def reciprocal_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return max(x, 0).

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1[x > 0]
    - At kinks: 0 at 0
    - Complex numbers: no
    - SymPy: ``Max(x, 0)``
    - In PyTorch: ``torch.relu``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.relu(x)
    >>> y
    tensor([0.0000, 0.5000], grad_fn=<ReluBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0., 1.], grad_fn=<ThresholdBackward0>)
    >>> g.formula()
    1[x > 0]
    """
@overload
def relu(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def relu6(input: Tensor) -> Tensor:
    """Return ``input`` held between 0 and 6.

    Parameters
    ----------
    input : tensor, array or number
    """
@overload
def relu6(input: Operand) -> Any: ...
@overload
def relu_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `relu`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def relu_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def remainder(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """a - b * floor(a / b): has the sign of b

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def remainder(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def renorm(input: Tensor, p: _float, dim: _int, maxnorm: _float, *, out: Tensor | None = None) -> Tensor:
    """Return ``input`` with every slice along ``dim`` whose p-norm is above ``maxnorm`` scaled down to it.

    Parameters
    ----------
    input : tensor, array or number
    p : float
    dim : int
    maxnorm : float
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.renorm(sg.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
@overload
def renorm(input: Operand, p: _float, dim: _int, maxnorm: _float, *, out: Tensor | None = None) -> Any: ...
@overload
def repeat_interleave(input: Tensor, repeats: Any = None, dim: _int | Sequence[_int] | None = None, *, output_size: Any = None, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Return every slice along ``dim`` (without: every element) repeated ``repeats`` times, a number or one each.

    Of one tensor alone, of counts, return the place of each count as often as it says: 0 0 2 of 2, 0, 1.

    Parameters
    ----------
    input : tensor, array or number, optional
        The operand.
    repeats : int or tuple of ints, optional
    dim : int or tuple of ints, optional
    output_size : int, optional
        Taken for PyTorch's sake.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def repeat_interleave(input: Operand | None = None, repeats: Any = None, dim: _int | Sequence[_int] | None = None, *, output_size: Any = None, axis: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def reshape(input: Tensor, *sizes_: Any, shape: Any = None, order: _str = 'C') -> Tensor:
    """Return the elements under another shape, in C order: a view where no element need move, else a copy.

    One size may be -1: it follows from the others. ``order="F"`` reads and writes with the first index running fastest,
    as NumPy does.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    *sizes : int or tuple of ints
        Sizes: separately, or in one sequence.
    shape : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    order : str, default 'C'

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.arange(6.0).reshape(2, -1)
    tensor([[0., 1., 2.],
            [3., 4., 5.]])
    """
@overload
def reshape(input: Operand, *sizes_: Any, shape: Any = None, order: _str = 'C') -> Any: ...
@overload
def resolve_conj(input: Tensor) -> Tensor:
    """Return ``input``: conjugation is never lazy here.

    Parameters
    ----------
    input : tensor, array or number
    """
@overload
def resolve_conj(input: Operand) -> Any: ...
def resolve_neg(input: Tensor) -> Tensor:
    """Return ``input``: negation is never lazy here.

    Parameters
    ----------
    input : Tensor
    """
def result_type(*operands: Any) -> _DType:
    """Return the dtype that adding the operands gives: NumPy's, but whole numbers never widen floats.

    Parameters
    ----------
    *operands : tensors, arrays, dtypes and numbers

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.result_type(sg.ones(2, dtype=sg.float32), sg.arange(2)), sg.result_type(sg.arange(2), 1.5)
    (symgrad.float32, symgrad.float64)
    """
@overload
def roll(input: Tensor, shifts: Any, dims: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Return a copy shifted by ``shifts`` along ``dims`` (without: flattened), entering again at the other end.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    shifts
    dims : int or tuple of ints, optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def roll(input: Operand, shifts: Any, dims: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def rot90(input: Tensor, k: _int = 1, dims: _int | Sequence[_int] | None = ...) -> Tensor:
    """Return a copy turned ``k`` times by a quarter in the plane of ``dims``, from the first towards the second.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    k : int, default 1
    dims : int or tuple of ints, default (0, 1)
    """
@overload
def rot90(input: Operand, k: _int = 1, dims: _int | Sequence[_int] | None = ...) -> Any: ...
@overload
def round(input: Tensor, decimals: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Round to the nearest integer (halves to even), or to ``decimals`` places.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    decimals : int, default 0
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def round(input: Operand, decimals: _int = 0, *, out: Tensor | None = None) -> Any: ...
@overload
def round_(input: Tensor, decimals: _int = 0) -> Tensor:
    """In-place version of `round`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    decimals : int, default 0
        A number of the function's definition.
    """
@overload
def round_(input: Operand, decimals: _int = 0) -> Any: ...
@overload
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 / sqrt(x).

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −1/(2x^(3/2))
    - Finite for: x > 0
    - Complex numbers: yes
    - SymPy: ``1/sqrt(x)``
    - In PyTorch: ``torch.rsqrt``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.rsqrt(x)
    >>> y
    tensor([1.4142, 0.7071], grad_fn=<RsqrtBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-1.4142, -0.1768], grad_fn=<MulBackward0>)
    >>> g.formula()
    −1/(2x^(3/2))
    """
@overload
def rsqrt(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def rsqrt_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `rsqrt`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def rsqrt_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def rsub(input: Tensor, other: Operand, *, alpha: Any = 1) -> Tensor:
    """Return ``other - alpha * input``.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    alpha : number, default 1
    """
@overload
def rsub(input: Operand, other: Operand, *, alpha: Any = 1) -> Any: ...
def scalar_tensor(s: Any, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, layout: Any = None, pin_memory: Any = None) -> Tensor:
    """Return a 0-dimensional tensor of the default float dtype (whatever the number's own type).

    Parameters
    ----------
    s : number
        The value.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
@overload
def scatter(input: Tensor, dim: _int, index: Any, src: Operand | None = None, *, value: Operand | None = None, reduce: _str | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``input`` with ``src`` (a tensor or a number) put along ``dim`` at the places of ``index``.

    ``reduce`` 'add' or 'multiply' combines instead. Where a place repeats, the last of its values stays, and it
    alone gets a gradient (with 'add' all count).

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    index : tensor of ints
    src : tensor or number, optional
    value : tensor or number, optional
        What is put there.
    reduce : str, optional
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def scatter(input: Operand, dim: _int, index: Any, src: Operand | None = None, *, value: Operand | None = None, reduce: _str | None = None, out: Tensor | None = None) -> Any: ...
@overload
def scatter_add(input: Tensor, dim: _int, index: Any, src: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return ``input`` with ``src`` added along ``dim`` at the places of ``index``; places may repeat.

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    index : tensor of ints
    src : tensor or number
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.zeros(3).scatter_add(0, sg.tensor([0, 2, 0]), sg.tensor([1.0, 10.0, 100.0]))
    tensor([101.,   0.,  10.])
    """
@overload
def scatter_add(input: Operand, dim: _int, index: Any, src: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def scatter_reduce(input: Tensor, dim: _int, index: Any, src: Operand, reduce: _str, *, include_self: _bool = True, out: Tensor | None = None) -> Tensor:
    """Combine ``input`` with the elements of ``src`` that ``index`` sends along ``dim`` to each place.

    ``reduce`` is 'sum', 'prod', 'mean', 'amax' or 'amin' (shared among ties); with ``include_self=False`` the old
    value of a place that something is sent to does not count.

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    index : tensor of ints
    src : tensor or number
    reduce : str
    include_self : bool, default True
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def scatter_reduce(input: Operand, dim: _int, index: Any, src: Operand, reduce: _str, *, include_self: _bool = True, out: Tensor | None = None) -> Any: ...
@overload
def searchsorted(sorted_sequence: Tensor, input: Operand, *, out_int32: _bool = False, right: _bool = False, side: _str | None = None, sorter: Any = None, out: Tensor | None = None) -> Tensor:
    """Return where each element of ``input`` belongs in a sorted sequence (or each row in its row).

    Parameters
    ----------
    sorted_sequence : tensor or array
        Values in increasing order.
    right : on equality, the place after (default: before); the same as ``side='right'``
    out_int32 : int32 instead of int64
    sorter : the indices that sort the sequence
    input : tensor, array or number
    side : str, optional
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def searchsorted(sorted_sequence: Operand, input: Operand, *, out_int32: _bool = False, right: _bool = False, side: _str | None = None, sorter: Any = None, out: Tensor | None = None) -> Any: ...
def seed() -> _int:
    """Seed the process's generator from entropy; returns the seed."""
@overload
def select(input: Tensor, dim: _int, index: _int) -> Tensor:
    """Return the part at ``index`` along ``dim``, a view without that dimension.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int
    index : int
    """
@overload
def select(input: Operand, dim: _int, index: _int) -> Any: ...
@overload
def select_scatter(input: Tensor, src: Operand, dim: _int, index: _int) -> Tensor:
    """Return ``input`` with its part at ``index`` along ``dim`` replaced by ``src``.

    Parameters
    ----------
    input : tensor, array or number
    src : tensor or number
    dim : int
    index : int
    """
@overload
def select_scatter(input: Operand, src: Operand, dim: _int, index: _int) -> Any: ...
@overload
def selu(input: Tensor) -> Tensor:
    """Return the scaled ELU whose fixed point is mean 0 and variance 1 (Klambauer et al., 2017).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def selu(input: Operand) -> Any: ...
def set_default_device(device: Any) -> None:
    """Set the device of new tensors, which is the CPU and no other.

    Parameters
    ----------
    device
        Taken for PyTorch's sake: there is one device and one layout.
    """
def set_default_dtype(dtype: DTypeLike) -> None:
    """Set the dtype of new float tensors: ``sg.float64`` (as NumPy) or ``sg.float32`` (as PyTorch).

    Parameters
    ----------
    dtype : dtype
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.set_default_dtype(sg.float32)
    >>> sg.tensor(1.5).dtype
    symgrad.float32
    >>> sg.set_default_dtype(sg.float64)
    """
def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the process's generator.

    Parameters
    ----------
    new_state : Tensor
        What `get_rng_state` returned.
    """
@overload
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return -1, 0 or 1; of a complex number z / |z|.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def sgn(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 / (1 + exp(-x)), without overflow.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: σ(x) σ(−x)
    - Complex numbers: yes
    - SymPy: ``1/(1 + exp(-x))``
    - In PyTorch: ``torch.sigmoid``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.sigmoid(x)
    >>> y
    tensor([0.1824, 0.6225], grad_fn=<SigmoidBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.1491, 0.2350], grad_fn=<MulBackward0>)
    >>> g.formula()
    σ(x) ⊙ (1 − σ(x))
    """
@overload
def sigmoid(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def sigmoid_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `sigmoid`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def sigmoid_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return -1, 0 or 1; of a complex number z / |z|.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def sign(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return whether the sign bit is set.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: none, the result carries no gradient
    - In NumPy: ``np.signbit``
    - In PyTorch: ``torch.signbit``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], name="x")
    >>> sg.signbit(x)
    tensor([ True, False])
    """
@overload
def signbit(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def silu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return x * sigmoid(x).

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: σ(x)(1 + x − x σ(x))
    - Complex numbers: yes
    - SymPy: ``x/(1 + exp(-x))``
    - In PyTorch: ``torch.nn.functional.silu``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.silu(x)
    >>> y
    tensor([-0.2736,  0.3112], grad_fn=<SiluBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-0.0413,  0.7400], grad_fn=<MulBackward0>)
    >>> g.formula()
    σ(x) ⊙ (1 + x − x ⊙ σ(x))
    """
@overload
def silu(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the sine, of radians.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: cos(x)
    - Complex numbers: yes
    - SymPy: ``sin(x)``
    - In NumPy: ``np.sin``
    - In PyTorch: ``torch.sin``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.sin(x)
    >>> y
    tensor([-0.9975,  0.4794], grad_fn=<SinBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.0707, 0.8776], grad_fn=<MulBackward0>)
    >>> g.formula()
    cos(x)
    """
@overload
def sin(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def sin_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `sin`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def sin_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return sin(pi x) / (pi x), 1 at 0.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: (cos(πx) − sinc(x))/x
    - Complex numbers: yes
    - SymPy: ``sin(pi*x)/(pi*x)``
    - In NumPy: ``np.sinc``
    - In PyTorch: ``torch.sinc``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.sinc(x)
    >>> y
    tensor([-0.2122,  0.6366], grad_fn=<SincBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-0.1415, -1.2732], grad_fn=<MulBackward0>)
    >>> g.formula()
    (cos(πx) − sinc(x))/x
    """
@overload
def sinc(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def sinc_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `sinc`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def sinc_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic sine.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: cosh(x)
    - Complex numbers: yes
    - SymPy: ``sinh(x)``
    - In NumPy: ``np.sinh``
    - In PyTorch: ``torch.sinh``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.sinh(x)
    >>> y
    tensor([-2.1293,  0.5211], grad_fn=<SinhBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([2.3524, 1.1276], grad_fn=<MulBackward0>)
    >>> g.formula()
    cosh(x)
    """
@overload
def sinh(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def sinh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `sinh`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def sinh_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def slice_scatter(input: Tensor, src: Operand, dim: _int = 0, start: Any = None, end: Operand | None = None, step: _int = 1) -> Tensor:
    """Return ``input`` with the slice ``start:end:step`` along ``dim`` replaced by ``src``.

    Parameters
    ----------
    input : tensor, array or number
    src : tensor or number
    dim : int, default 0
    start : number, optional
    end : tensor, array or number, optional
    step : int, default 1
    """
@overload
def slice_scatter(input: Operand, src: Operand, dim: _int = 0, start: Any = None, end: Operand | None = None, step: _int = 1) -> Any: ...
def slogdet(input: Operand, *, out: Tensor | None = None) -> return_types.slogdet:
    """Return ``(sign, logabsdet)``, as `linalg.slogdet` does.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def softmax(input: Tensor, dim: _int, dtype: DTypeLike | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return ``exp(input) / sum(exp(input))`` along ``dim``, without overflow.

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def softmax(input: Operand, dim: _int, dtype: DTypeLike | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def softplus(input: Tensor, beta: _float = 1.0, threshold: _float = 20.0) -> Tensor:
    """Return ``log(1 + exp(beta * input)) / beta``, and ``input`` itself where ``beta * input`` exceeds ``threshold``.

    The default threshold means none: the exact value does not overflow.

    Parameters
    ----------
    input : tensor, array or number
    beta : float, default 1.0
    threshold : float, default 20.0
    """
@overload
def softplus(input: Operand, beta: _float = 1.0, threshold: _float = 20.0) -> Any: ...
@overload
def softsign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return x / (1 + |x|).

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/(1 + |x|)²
    - At kinks: the second derivative 0 at 0
    - Complex numbers: no
    - SymPy: ``x/(1 + Abs(x))``
    - In PyTorch: ``torch.nn.functional.softsign``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.softsign(x)
    >>> y
    tensor([-0.6000,  0.3333], grad_fn=<SoftsignBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.1600, 0.4444], grad_fn=<MulBackward0>)
    >>> g.formula()
    1/(1 + |x|)²
    """
@overload
def softsign(input: Operand, *, out: Tensor | None = None) -> Any: ...
def sort(input: Operand, dim: _int = -1, descending: _bool = False, stable: _bool | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> return_types.sort:
    """Return the elements in order along ``dim``, and their indices; those that tie keep theirs (``stable`` or not).

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int, default -1
    descending : bool, default False
        Whether the largest comes first.
    stable : bool, optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> values, indices = sg.sort(sg.tensor([3.0, 1.0, 2.0]))
    >>> values, indices
    (tensor([1., 2., 3.]), tensor([1, 2, 0]))
    """
@overload
def special_logsumexp(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
    """Return ``log(sum(exp(input)))`` along ``dim`` (one, several, all), without overflow; its gradient is softmax.

    Parameters
    ----------
    input : tensor, array or number
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1000.0, 1000.0], requires_grad=True)
    >>> sg.logsumexp(x, 0)
    tensor(1000.6931, grad_fn=<LogsumexpBackward0>)
    """
@overload
def special_logsumexp(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Any: ...
def split(tensor: Operand, split_size_or_sections: Any = None, dim: _int = 0, *, split_size: Any = None, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
    """Return views: pieces of one length along ``dim`` (the last may be shorter), or of the lengths in a list.

    Parameters
    ----------
    tensor : tensor, array or number
        A further operand.
    split_size_or_sections : int or sequence of ints, optional
        Into how many parts, or how large they are, or where they begin.
    dim : int, default 0
    split_size : int or sequence of ints, optional
        Into how many parts, or how large they are, or where they begin.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.split(sg.arange(5.0), 2)
    (tensor([0., 1.]), tensor([2., 3.]), tensor([4.]))
    """
def split_with_sizes(input: Operand, split_sizes: Any, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
    """Return views: pieces of the lengths ``split_sizes`` along ``dim``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    split_sizes : int or tuple of ints
    dim : int, default 0
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the square root.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/(2√x)
    - Finite for: x ≥ 0
    - Complex numbers: yes
    - SymPy: ``sqrt(x)``
    - In NumPy: ``np.sqrt``
    - In PyTorch: ``torch.sqrt``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.sqrt(x)
    >>> y
    tensor([0.7071, 1.4142], grad_fn=<SqrtBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.7071, 0.3536], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/(2√x)
    """
@overload
def sqrt(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def sqrt_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `sqrt`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def sqrt_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return x squared.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 2x
    - Complex numbers: yes
    - SymPy: ``x**2``
    - In NumPy: ``np.square``
    - In PyTorch: ``torch.square``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.square(x)
    >>> y
    tensor([2.2500, 0.2500], grad_fn=<PowBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-3.,  1.], grad_fn=<MulBackward0>)
    >>> g.formula()
    2x
    """
@overload
def square(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def square_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `square`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def square_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def squeeze(input: Tensor, dim: _int | Sequence[_int] | None = None, *more: _int, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Return the tensor without dimensions of size 1: all of them, or those named that are of size 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    *more : int
        Further dimensions, in place of a tuple.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def squeeze(input: Operand, dim: _int | Sequence[_int] | None = None, *more: _int, axis: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def stack(tensors: Sequence[Tensor], dim: _int = 0, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the tensors of a list, all of one shape, side by side along a new dimension.

    Parameters
    ----------
    tensors : tensors
        The operands: separately, or in one sequence.
    dim : int, default 0
        The dimension to work along, or several; from the end if negative.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def stack(tensors: Any, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def std(input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None, ddof: Any = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the standard deviation, of all elements or along ``dim``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : a dimension or several; None for all
    unbiased : divide by n - 1 (default) or by n
    keepdim : keep the dimensions, with size 1
    correction : divide by n - correction instead (``ddof`` is NumPy's name for it)
    ddof : optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Notes
    -----
    Where the standard deviation is zero, its gradient is taken as zero.
    """
@overload
def std(input: Operand, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None, ddof: Any = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
def std_mean(input: Operand, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None, ddof: Any = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return the standard deviation and the mean, of all elements or along ``dim``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : a dimension or several; None for all
    unbiased : divide by n - 1 (default) or by n
    keepdim : keep the dimensions, with size 1
    correction : divide by n - correction instead (``ddof`` is NumPy's name for it)
    ddof : optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Notes
    -----
    Where the standard deviation is zero, its gradient is taken as zero.
    """
@overload
def sub(input: Tensor, other: Operand, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Return ``input - alpha * other``.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    alpha : number, default 1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def sub(input: Operand, other: Operand, *, alpha: Any = 1, out: Tensor | None = None) -> Any: ...
@overload
def sum(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return the sum of all elements, or along ``dim`` (a number or several); whole numbers sum to int64.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, default False
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> A.sum()
    tensor(10., grad_fn=<SumBackward0>)
    >>> A.sum(0, keepdim=True)
    tensor([[4., 6.]], grad_fn=<SumBackward1>)
    """
@overload
def sum(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False, out: Tensor | None = None) -> Any: ...
def svd(input: Operand, some: _bool = True, compute_uv: _bool = True, *, out: Tensor | None = None) -> return_types.svd:
    """Return ``(U, S, V)`` with ``A = U @ diag(S) @ V.mH``: the older form of `linalg.svd`.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    some : bool, default True
        Which parts of the decomposition are wanted.
    compute_uv : bool, default True
        Which parts of the decomposition are wanted.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def svd_lowrank(A: Operand, q: _int | None = 6, niter: _int | None = 2, M: Any = None) -> tuple[Tensor, ...]:
    """Return ``(U, S, V)``, the ``q`` largest singular values of ``A`` (less ``M``) with their vectors: exactly.

    ``niter`` is not needed. The derivatives of the vectors are those of `linalg.svd`.

    Parameters
    ----------
    A : tensor or array
    q : int, default 6
    niter : int, default 2
    M : optional
    """
@overload
def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """Return the tensor with two dimensions swapped.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    axis0 : int
        Two dimensions, from the end if negative.
    axis1 : int
        Two dimensions, from the end if negative.
    """
@overload
def swapaxes(input: Operand, axis0: _int, axis1: _int) -> Any: ...
@overload
def swapdims(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """Return the tensor with two dimensions swapped.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    axis0 : int
        Two dimensions, from the end if negative.
    axis1 : int
        Two dimensions, from the end if negative.
    """
@overload
def swapdims(input: Operand, axis0: _int, axis1: _int) -> Any: ...
@overload
def t(input: Tensor) -> Tensor:
    """Return a matrix transposed; a vector or a number as it is.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def t(input: Operand) -> Any: ...
@overload
def take(input: Tensor, index: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the elements of ``input``, read as one row, at the positions ``index``, in its shape.

    Parameters
    ----------
    input : tensor, array or number
    index : tensor of ints
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def take(input: Operand, index: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def take_along_dim(input: Tensor, indices: Any, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the elements that ``indices`` names along ``dim`` (without: of the flattened input), broadcast.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    indices : tensor of ints
    dim : int or tuple of ints, optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def take_along_dim(input: Operand, indices: Any, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the tangent, of radians.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1 + tan(x)²
    - Complex numbers: yes
    - SymPy: ``tan(x)``
    - In NumPy: ``np.tan``
    - In PyTorch: ``torch.tan``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-0.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.tan(x)
    >>> y
    tensor([-0.5463,  0.5463], grad_fn=<TanBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([1.2984, 1.2984], grad_fn=<MulBackward0>)
    >>> g.formula()
    1 + tan(x)²
    """
@overload
def tan(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def tan_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `tan`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def tan_(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic tangent.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1 − tanh(x)²
    - Complex numbers: yes
    - SymPy: ``tanh(x)``
    - In NumPy: ``np.tanh``
    - In PyTorch: ``torch.tanh``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.tanh(x)
    >>> y
    tensor([-0.9051,  0.4621], grad_fn=<TanhBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.1807, 0.7864], grad_fn=<MulBackward0>)
    >>> g.formula()
    1 − tanh(x)²
    """
@overload
def tanh(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def tanh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `tanh`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def tanh_(input: Operand, *, out: Tensor | None = None) -> Any: ...
def tensor(data: Any, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, pin_memory: _bool = False, name: _str | None = None) -> Tensor:
    """Return a new tensor holding a copy of ``data``.

    Parameters
    ----------
    data : number, nested sequence, array or tensor; Python floats take the default dtype, ints are int64, arrays
        keep their dtype
    dtype : the dtype wanted, else inferred as above
    requires_grad : whether gradients flow to it
    name : what formulas and errors call it
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    tensor([[1., 2.],
            [3., 4.]], requires_grad=True)
    >>> sg.tensor([1, 2]).dtype
    symgrad.int64
    """
def tensor_split(input: Operand, indices_or_sections: Any, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
    """Return views: as many pieces along ``dim`` as asked for, nearly equal, or the pieces between given places.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    indices_or_sections : int or sequence of ints
        Into how many parts, or how large they are, or where they begin.
    dim : int, default 0
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def tensordot(a: Tensor, b: Any, dims: _int | Sequence[_int] | None = 2, *, axes: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the sum of products over pairs of dimensions: the last ``dims`` of ``a`` with the first of ``b``, or
    those of two lists ``(dims_a, dims_b)``.

    Parameters
    ----------
    a : float
    b : float
    dims : int or tuple of ints, default 2
    axes : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def tensordot(a: Any, b: Any, dims: _int | Sequence[_int] | None = 2, *, axes: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def tile(input: Tensor, *counts: Any, dims: _int | Sequence[_int] | None = None) -> Tensor:
    """Return copies of the tensor side by side, ``dims`` of them along each of the last dimensions.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    *counts : int or tuple of ints
        Numbers: separately, or in one sequence.
    dims : int or tuple of ints, optional
    """
@overload
def tile(input: Operand, *counts: Any, dims: _int | Sequence[_int] | None = None) -> Any: ...
def topk(input: Operand, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> return_types.topk:
    """Return the ``k`` largest (or smallest) elements along ``dim``, in order, and their indices.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    k : int
    dim : int, default -1
    largest : bool, default True
    sorted : bool, default True
        Whether the values come in order.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def trace(input: Tensor) -> Tensor:
    """Return the sum of the diagonal of a matrix.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def trace(input: Operand) -> Any: ...
@overload
def transpose(input: Tensor, dim0: Any = None, dim1: Any = None, *dims: _int) -> Tensor:
    """Return the tensor with two dimensions swapped, as PyTorch does; without them in reverse order, as NumPy does.

    A tuple, or any number of dimensions but two, is NumPy's: a permutation.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim0 : int, optional
        Two dimensions, from the end if negative.
    dim1 : int, optional
        Two dimensions, from the end if negative.
    *dims : int
        The dimension to work along, or several; from the end if negative.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.ones(2, 3, 4)
    >>> [tuple(y.shape) for y in (x.transpose(0, 1), x.transpose(), x.transpose((2, 0, 1)))]
    [(3, 2, 4), (4, 3, 2), (4, 2, 3)]
    """
@overload
def transpose(input: Operand, dim0: Any = None, dim1: Any = None, *dims: _int) -> Any: ...
@overload
def trapezoid(y: Tensor, x: Operand | None = None, *, dx: Any = None, dim: _int = -1, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Return the integral along ``dim`` by the trapezoidal rule; ``x`` are the places, ``dx`` (1) their distance.

    Parameters
    ----------
    y : tensor or array
        Points, one row each.
    x : tensor or array, optional
    dx : number, optional
    dim : int, default -1
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.trapezoid(sg.tensor([0.0, 1.0, 4.0]), sg.tensor([0.0, 1.0, 2.0]))
    tensor(3.)
    """
@overload
def trapezoid(y: Operand, x: Operand | None = None, *, dx: Any = None, dim: _int = -1, axis: _int | Sequence[_int] | None = None) -> Any: ...
def triangular_solve(b: Any, A: Operand, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False, *, out: Tensor | None = None) -> return_types.triangular_solve:
    """Return ``(X, A)`` with ``A @ X = b`` for a triangular A: the older form of `linalg.solve_triangular`.

    Parameters
    ----------
    b : float
    A : tensor or array
    upper : bool, default True
        Which triangle of the matrix counts.
    transpose : bool, default False
        Whether the matrix is transposed.
    unitriangular : bool, default False
        Whether its diagonal is taken to be 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix (or batch) with zeros above the given diagonal.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    diagonal : int, default 0
        Which diagonal: 0 is the main one, 1 the one above it.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def tril(input: Operand, diagonal: _int = 0, *, out: Tensor | None = None) -> Any: ...
def tril_indices(row: _int, col: _int, offset: _int = 0, *, dtype: DTypeLike = ..., device: Any = None, layout: Any = None, pin_memory: Any = None) -> Tensor:
    """Return the indices, (2, n), of the lower triangle of a matrix: rows first, then columns.

    Parameters
    ----------
    row : int
        How many.
    col : int
        How many.
    offset : int, default 0
        Which diagonal: 0 is the main one, 1 the one above it.
    dtype : dtype, default <class 'numpy.int64'>
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
@overload
def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix (or batch) with zeros below the given diagonal.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    diagonal : int, default 0
        Which diagonal: 0 is the main one, 1 the one above it.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def triu(input: Operand, diagonal: _int = 0, *, out: Tensor | None = None) -> Any: ...
def triu_indices(row: _int, col: _int, offset: _int = 0, *, dtype: DTypeLike = ..., device: Any = None, layout: Any = None, pin_memory: Any = None) -> Tensor:
    """Return the indices, (2, n), of the upper triangle of a matrix: rows first, then columns.

    Parameters
    ----------
    row : int
        How many.
    col : int
        How many.
    offset : int, default 0
        Which diagonal: 0 is the main one, 1 the one above it.
    dtype : dtype, default <class 'numpy.int64'>
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
@overload
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the integer part.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 0
    - At kinks: 0 at integers
    - Complex numbers: yes
    - In NumPy: ``np.trunc``
    - In PyTorch: ``torch.trunc``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.trunc(x)
    >>> y
    tensor([-1.,  0.], grad_fn=<TruncBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0., 0.])
    >>> g.formula()
    zeros(2)
    """
@overload
def trunc(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def trunc_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `trunc`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def trunc_(input: Operand, *, out: Tensor | None = None) -> Any: ...
def unbind(input: Operand, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
    """Return views: the parts of the tensor along ``dim``, without that dimension.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int, default 0
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def unflatten(input: Tensor, dim: _int, size: Any) -> Tensor:
    """Return the tensor with one dimension split into several; one of their sizes may be -1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int
        The dimension to work along, or several; from the end if negative.
    size : int or tuple of ints
        Sizes: separately, or in one sequence.
    """
@overload
def unflatten(input: Operand, dim: _int, size: Any) -> Any: ...
@overload
def unique(input: Tensor, sorted: _bool = True, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None) -> Tensor:
    """Return the different elements in order (or slices along ``dim``).

    If asked, also where among them each element is, and how many there were of each.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    sorted : bool, default True
        Whether the values come in order.
    return_inverse : bool, default False
        Whether to return, too, where each value went.
    return_counts : bool, default False
        Whether to return, too, how often each value came.
    dim : int, optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def unique(input: Operand, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None, *, axis: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def unique_consecutive(input: Tensor, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None) -> Tensor:
    """Return the elements (or slices along ``dim``) without repetitions in a row.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    return_inverse : bool, default False
        Whether to return, too, where each value went.
    return_counts : bool, default False
        Whether to return, too, how often each value came.
    dim : int, optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def unique_consecutive(input: Operand, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None, *, axis: _int | Sequence[_int] | None = None) -> Any: ...
def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    """Return the places in a tensor of a shape, one tensor per dimension, of ``indices`` that count in C order.

    Parameters
    ----------
    indices : tensor of ints
    shape : int or tuple of ints
        Sizes: separately, or in one sequence.
    """
def unsafe_chunk(input: Operand, chunks: _int, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
    """Return `chunk`, in views that may be written to.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    chunks : int
        Into how many parts, or how large they are, or where they begin.
    dim : int, default 0
        The dimension to work along, or several; from the end if negative.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
def unsafe_split(tensor: Operand, split_size: Any, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
    """Return `split`, in views that may be written to.

    Parameters
    ----------
    tensor : tensor, array or number
        A further operand.
    split_size : int or sequence of ints
        Into how many parts, or how large they are, or where they begin.
    dim : int, default 0
        The dimension to work along, or several; from the end if negative.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
def unsafe_split_with_sizes(input: Operand, split_sizes: Any, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
    """Return `split_with_sizes`, in views that may be written to.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    split_sizes : int or tuple of ints
        Numbers: separately, or in one sequence.
    dim : int, default 0
        The dimension to work along, or several; from the end if negative.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def unsqueeze(input: Tensor, dim: _int, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
    """Return the tensor with a new dimension of size 1 at ``dim``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : int
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    """
@overload
def unsqueeze(input: Operand, dim: _int, *, axis: _int | Sequence[_int] | None = None) -> Any: ...
@overload
def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor:
    """Return the matrix of powers of a vector: columns ``x**(N-1), …, x, 1``, or in increasing order.

    Parameters
    ----------
    x : tensor or array
    N : int, optional
    increasing : bool, default False
        Whether the powers increase from left to right.
    """
@overload
def vander(x: Operand, N: _int | None = None, increasing: _bool = False) -> Any: ...
@overload
def var(input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None, ddof: Any = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the variance, of all elements or along ``dim``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : a dimension or several; None for all
    unbiased : divide by n - 1 (default) or by n
    keepdim : keep the dimensions, with size 1
    correction : divide by n - correction instead (``ddof`` is NumPy's name for it)
    ddof : optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Notes
    -----
    Where the standard deviation is zero, its gradient is taken as zero.
    """
@overload
def var(input: Operand, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None, ddof: Any = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
def var_mean(input: Operand, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None, ddof: Any = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return the variance and the mean, of all elements or along ``dim``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    dim : a dimension or several; None for all
    unbiased : divide by n - 1 (default) or by n
    keepdim : keep the dimensions, with size 1
    correction : divide by n - correction instead (``ddof`` is NumPy's name for it)
    ddof : optional
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Notes
    -----
    Where the standard deviation is zero, its gradient is taken as zero.
    """
@overload
def vdot(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the sum of products of two vectors, the first conjugated.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def vdot(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def view_as_complex(input: Tensor) -> Tensor:
    """Return a view of a real tensor, whose last dimension has size 2, as complex numbers.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def view_as_complex(input: Operand) -> Any: ...
@overload
def view_as_real(input: Tensor) -> Tensor:
    """Return a view of a complex tensor as real numbers, its parts along a new last dimension of size 2.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    """
@overload
def view_as_real(input: Operand) -> Any: ...
def vsplit(input: Operand, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Return `tensor_split` along the dimension that vsplit stands for.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    indices_or_sections : int or sequence of ints
        Into how many parts, or how large they are, or where they begin.
    """
@overload
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the tensors joined along the first dimension, vectors as rows.

    Parameters
    ----------
    tensors : tensors
        The operands: separately, or in one sequence.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def vstack(tensors: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def where(condition: Tensor, input: Operand, other: Operand) -> Tensor:
    """Return ``input`` where ``condition`` holds, else ``other``; with the condition alone, the indices where it holds.

    The branch not taken gets a gradient of exactly zero, whatever its slope there.

    Parameters
    ----------
    condition : tensor or array of bool
    input : tensor, array or number, optional
    other : tensor, array or number, optional
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.0, 4.0], requires_grad=True)
    >>> sg.where(x > 0, sg.sqrt(x), 0.0).sum().backward()
    >>> x.grad
    tensor([0.0000, 0.2500])
    """
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(condition: Operand, input: Operand | None = None, other: Operand | None = None, *, out: Tensor | None = None) -> Any: ...
@overload
def xlogy(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a * log(b), 0 where a is 0.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: where(logical_not((a = 0) ∧ (b ≤ 0)), log(b), 0) in a; a/b in b
    - Complex numbers: no
    - SymPy: ``a*log(b)``
    - In PyTorch: ``torch.xlogy``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.xlogy(a, b)
    >>> y
    tensor([0.0000, 2.1972], grad_fn=<XlogyBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0.0000, 1.0986], grad_fn=<WhereBackward0>), tensor([0.5000, 0.6667], grad_fn=<DivBackward0>))
    >>> g_a.formula(), g_b.formula()
    (where(logical_not((a = 0) ∧ (b ≤ 0)), log(b), 0), a/b)
    """
@overload
def xlogy(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def xlogy_(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """In-place version of `xlogy`: writes the result to the tensor's memory and returns it.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def xlogy_(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
def zero_(self: Tensor) -> Tensor:
    """Set every element to zero and return the tensor."""
def zeros(*sizes_: Any, size: Any = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, pin_memory: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return a tensor of the given sizes, filled with 0.

    Parameters
    ----------
    *sizes : int or tuple of ints
        Sizes: separately, or in one sequence.
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : bool, default False
        Taken for PyTorch's sake: there is one device and one layout.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def zeros_like(input: Tensor, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, memory_format: Any = None, pin_memory: Any = None) -> Tensor:
    """Return a tensor of the shape and dtype of ``input``, filled with 0.

    Parameters
    ----------
    input : tensor, array or number
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    requires_grad : bool, default False
        Whether gradients flow to the new tensor.
    name : str, optional
        What formulas and errors call it.
    layout : optional
        Taken for PyTorch's sake: there is one device and one layout.
    memory_format : optional
        Taken for PyTorch's sake: there is one device and one layout.
    pin_memory : optional
        Taken for PyTorch's sake: there is one device and one layout.
    """
@overload
def zeros_like(input: Operand, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, name: _str | None = None, layout: Any = None, memory_format: Any = None, pin_memory: Any = None) -> Any: ...
absolute = abs
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
clip = clamp
concat = cat
concatenate = cat
divide = div
ger = outer
greater = gt
greater_equal = ge
less = lt
less_equal = le
moveaxis = movedim
multiply = mul
negative = neg
not_equal = ne
row_stack = vstack
set_default_tensor_type = set_default_dtype
subtract = sub
trapz = trapezoid
true_divide = div

__all__ = [
    "ConstraintError", "DTypeError", "DeviceError", "DimensionError", "FormulaError", "GradientError",
    "GraphFreedError", "InplaceError", "LoadError", "MissingDependencyError", "NotDifferentiableError", "RangeError",
    "ShapeError", "Size", "Symbol", "SymbolicBranchError", "SymgradError", "Tensor", "TooLargeError",
    "contiguous_format", "detect_anomaly", "device", "dtype", "e", "enable_grad", "finfo", "get_default_dtype", "iinfo",
    "inference_mode", "is_anomaly_check_nan_enabled", "inf", "is_anomaly_enabled", "is_grad_enabled",
    "is_inference_mode_enabled", "is_tensor", "load", "nan", "newaxis", "no_grad", "pi", "preserve_format", "save",
    "set_default_dtype", "set_default_tensor_type", "set_grad_enabled", "set_printoptions", "strided", "symbol",
    "symbols", "AnomalyError", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "Formula",
    "Generator", "Graph", "HalfTensor", "IntTensor", "LongTensor", "ParseError", "Report", "ShortTensor",
    "StructurallyZeroWarning", "UnknownParameterError", "_standard_gamma", "abs_", "absolute", "accelerator", "acos",
    "acos_", "acosh", "acosh_", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addmv_", "addr", "adjoint",
    "allclose", "amax", "amin", "aminmax", "angle", "arange", "arccos", "arccos_", "arccosh", "arccosh_", "arcsin",
    "arcsin_", "arcsinh", "arcsinh_", "arctan", "arctan2", "arctan_", "arctanh", "arctanh_", "argmax", "argmin",
    "argsort", "argwhere", "as_strided", "as_strided_", "as_strided_scatter", "as_tensor", "asarray", "asin", "asin_",
    "asinh", "asinh_", "atan", "atan2", "atan_", "atanh", "atanh_", "atleast_1d", "atleast_2d", "atleast_3d", "baddbmm",
    "bartlett_window", "bernoulli", "bincount", "binomial", "bitwise_and", "bitwise_left_shift", "bitwise_not",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "blackman_window", "block_diag", "bmm", "broadcast_shapes",
    "broadcast_tensors", "broadcast_to", "bucketize", "can_cast", "cartesian_prod", "cat", "cdist", "cdouble", "ceil",
    "ceil_", "cfloat", "chain_matmul", "cholesky", "cholesky_inverse", "cholesky_solve", "chunk", "clamp", "clamp_",
    "clamp_max", "clamp_max_", "clamp_min", "clamp_min_", "clip", "clip_", "clone", "column_stack", "combinations",
    "complex128", "complex64", "concat", "concatenate", "conj", "conj_physical", "conj_physical_", "copysign",
    "corrcoef", "cos", "cos_", "cosh", "cosh_", "cost", "count_nonzero", "cov", "cross", "cummax", "cummin", "cumprod",
    "cumsum", "cumulative_trapezoid", "deg2rad", "deg2rad_", "det", "detach", "diag", "diag_embed", "diag_hessian",
    "diagflat", "diagonal", "diagonal_scatter", "diff", "digamma", "dist", "div", "divide", "dot", "double", "dsplit",
    "dstack", "einsum", "elu", "empty", "empty_like", "empty_permuted", "empty_strided", "eq", "equal", "erf", "erf_",
    "erfc", "erfc_", "erfinv", "exp", "exp2", "exp2_", "exp_", "expm1", "expm1_", "eye", "fill", "fill_", "fix", "fix_",
    "flatten", "flip", "fliplr", "flipud", "float16", "float32", "float64", "float_power", "floor", "floor_",
    "floor_divide", "fmax", "fmin", "fmod", "formula", "frac", "frac_", "frexp", "from_dlpack", "from_numpy",
    "from_sympy", "frombuffer", "full", "full_like", "gather", "gcd", "gcd_", "ge", "gelu", "geqrf", "ger",
    "get_default_device", "get_device", "get_rng_state", "ggn_vp", "grad", "gradient", "graph", "greater",
    "greater_equal", "gt", "half", "hamming_window", "hann_window", "hardtanh", "heaviside", "hessian",
    "hessian_operator", "histc", "histogram", "histogramdd", "householder_product", "hsplit", "hstack", "hvp", "hypot",
    "i0", "i0_", "igamma", "igammac", "imag", "implicit", "index_add", "index_copy", "index_fill", "index_put",
    "index_put_", "index_reduce", "index_select", "initial_seed", "inner", "install", "int16", "int32", "int64", "int8",
    "inverse", "is_complex", "is_conj", "is_floating_point", "is_inference", "is_neg", "is_nonzero", "is_same_size",
    "is_signed", "isclose", "isfinite", "isin", "isinf", "isnan", "isneginf", "isposinf", "isreal", "jacfwd",
    "jacobian", "jacrev", "jvp", "kaiser_window", "kron", "kthvalue", "laplacian", "lcm", "lcm_", "ldexp", "ldexp_",
    "le", "leaky_relu", "lerp", "less", "less_equal", "lgamma", "linearize", "linspace", "log", "log10", "log10_",
    "log1p", "log1p_", "log2", "log2_", "log_", "log_softmax", "logaddexp", "logaddexp2", "logcumsumexp", "logdet",
    "logical_and", "logical_not", "logical_or", "logical_xor", "logit", "logit_", "logsigmoid", "logspace", "logsumexp",
    "long", "lt", "lu", "lu_solve", "lu_unpack", "manual_seed", "masked_fill", "masked_scatter", "masked_select",
    "matmul", "matrix_exp", "matrix_power", "maximum", "mean", "median", "meshgrid", "minimize", "minimum", "mm",
    "mode", "moveaxis", "movedim", "mps", "msort", "mul", "multinomial", "multiply", "mv", "mvlgamma", "nan_to_num",
    "nan_to_num_", "nanmean", "nanmedian", "nanquantile", "nansum", "narrow", "narrow_copy", "ne", "neg", "neg_",
    "negative", "negative_", "nextafter", "nonzero", "nonzero_static", "norm", "normal", "not_equal", "numel", "ones",
    "ones_like", "orgqr", "ormqr", "outer", "pad", "parse", "pca_lowrank", "pdist", "permute", "pinverse", "plot",
    "poisson", "polar", "polygamma", "positive", "power", "prod", "promote_types", "put", "qr", "quantile", "rad2deg",
    "rad2deg_", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "ravel", "real",
    "reciprocal", "reciprocal_", "relu", "relu6", "relu_", "remainder", "renorm", "repeat_interleave", "report",
    "reshape", "resolve_conj", "resolve_neg", "result_type", "roll", "rot90", "round_", "row_stack", "rsqrt", "rsqrt_",
    "rsub", "scalar_tensor", "scan", "scatter", "scatter_add", "scatter_reduce", "searchsorted", "seed", "select",
    "select_scatter", "selu", "set_default_device", "set_rng_state", "sgn", "short", "sigmoid", "sigmoid_", "sign",
    "signbit", "silu", "sin", "sin_", "sinc", "sinc_", "sinh", "sinh_", "slice_scatter", "slogdet", "softmax",
    "softplus", "softsign", "sort", "sparsity", "special_logsumexp", "split", "split_with_sizes", "sqrt", "sqrt_",
    "square", "square_", "squeeze", "stack", "std", "std_mean", "stop_gradient", "sub", "subtract", "svd",
    "svd_lowrank", "swapaxes", "swapdims", "t", "take", "take_along_dim", "tan", "tan_", "tanh", "tanh_", "taylor",
    "tensor", "tensor_split", "tensordot", "tile", "topk", "trace", "transpose", "trapezoid", "trapz",
    "triangular_solve", "tril", "tril_indices", "triu", "triu_indices", "true_divide", "trunc", "trunc_", "uint16",
    "uint32", "uint64", "uint8", "unbind", "unflatten", "unique", "unique_consecutive", "unravel_index", "unsafe_chunk",
    "unsafe_split", "unsafe_split_with_sizes", "unsqueeze", "value_and_grad", "vander", "var", "var_mean", "vdot",
    "verify", "vhp", "view_as_complex", "view_as_real", "vjp", "vmap", "vsplit", "vstack", "where", "xlogy", "xlogy_",
    "xpu", "zero_", "zeros", "zeros_like",
]
