"""What every tensor has: its methods, operators and properties. Written by docs/_stubs.py: change the functions, not this text."""

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

from .. import return_types
from .._typing import Device, Size
from .._typing import dtype as _DType
from ..formulas import Formula
from ..views import Graph
from ..ops.create.draws import Generator
from .graph import RemovableHandle, Tensor


class Members:
    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    __hash__: Any
    @property
    def H(self) -> Tensor:
        """The matrix transposed and, if complex, conjugated."""
    @property
    def T(self) -> Tensor:
        """The tensor with its dimensions in reverse order."""
    def __abs__(input) -> Tensor:
        """Return the absolute value, of a complex number the modulus; its derivative at 0 is declared 0."""
    def __add__(self, other: Operand) -> Tensor: ...
    def __and__(self, other: Operand) -> Tensor: ...
    def __array__(self, dtype: DTypeLike | None = None, copy: _bool | None = None) -> np.ndarray: ...
    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any: ...
    def __array_namespace__(self, *, api_version: _str | None = None) -> Any:
        """Return `symgrad.numpy`, the namespace of the array API standard."""
    def __array_ufunc__(self, ufunc: Any, method: _str, x: Operand, /, *others: Any, **kwargs: Any) -> Any: ...
    def __bool__(self) -> _bool: ...
    def __complex__(self) -> _complex: ...
    def __contains__(self, value: Operand) -> _bool: ...
    def __copy__(self) -> Tensor: ...
    def __deepcopy__(self, memo: dict[_int, Any]) -> Tensor: ...
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> _float: ...
    def __floordiv__(self, other: Operand) -> Tensor: ...
    def __format__(self, spec: _str) -> _str: ...
    def __ge__(self, other: Operand) -> Tensor: ...
    def __getitem__(self, index: Any) -> Tensor:
        """Return the part of the tensor that ``index`` names: a view, or a copy where index arrays or masks pick."""
    def __gt__(self, other: Operand) -> Tensor: ...
    def __iadd__(self, other: Operand) -> Tensor: ...
    def __iand__(self, other: Operand) -> Tensor: ...
    def __ifloordiv__(self, other: Operand) -> Tensor: ...
    def __ilshift__(self, other: Operand) -> Tensor: ...
    def __imod__(self, other: Operand) -> Tensor: ...
    def __imul__(self, other: Operand) -> Tensor: ...
    def __index__(self) -> _int: ...
    def __int__(self) -> _int: ...
    def __invert__(input) -> Tensor:
        """Return ``~input``: of truth values their negation, of integers the complement."""
    def __ior__(self, other: Operand) -> Tensor: ...
    def __ipow__(self, other: Operand) -> Tensor: ...
    def __irshift__(self, other: Operand) -> Tensor: ...
    def __isub__(self, other: Operand) -> Tensor: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Operand) -> Tensor: ...
    def __ixor__(self, other: Operand) -> Tensor: ...
    def __le__(self, other: Operand) -> Tensor: ...
    def __len__(self) -> _int: ...
    def __lshift__(self, other: Operand) -> Tensor: ...
    def __lt__(self, other: Operand) -> Tensor: ...
    def __matmul__(self, other: Operand) -> Tensor: ...
    def __mod__(self, other: Operand) -> Tensor: ...
    def __mul__(self, other: Operand) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __neg__(input) -> Tensor:
        """Return ``-input``."""
    def __or__(self, other: Operand) -> Tensor: ...
    __pandas_priority__: _int
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Operand) -> Tensor: ...
    def __radd__(self, other: Operand) -> Tensor: ...
    def __rand__(self, other: Operand) -> Tensor: ...
    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle the values (a graph is not pickled: a non-leaf comes back as a leaf that requires grad)."""
    def __repr__(self) -> _str: ...
    def __rfloordiv__(self, other: Operand) -> Tensor: ...
    def __rlshift__(self, other: Operand) -> Tensor: ...
    def __rmatmul__(self, other: Operand) -> Tensor: ...
    def __rmod__(self, other: Operand) -> Tensor: ...
    def __rmul__(self, other: Operand) -> Tensor: ...
    def __ror__(self, other: Operand) -> Tensor: ...
    def __rpow__(self, other: Operand) -> Tensor: ...
    def __rrshift__(self, other: Operand) -> Tensor: ...
    def __rshift__(self, other: Operand) -> Tensor: ...
    def __rsub__(self, other: Operand) -> Tensor: ...
    def __rtruediv__(self, other: Operand) -> Tensor: ...
    def __rxor__(self, other: Operand) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any) -> None:
        """Overwrite the part of the tensor that ``index`` names with ``value``, broadcast; gradients flow to ``value``."""
    def __sub__(self, other: Operand) -> Tensor: ...
    def __truediv__(self, other: Operand) -> Tensor: ...
    def __xor__(self, other: Operand) -> Tensor: ...
    @property
    def _base(self) -> Any:
        """The tensor this one is a view of, or None."""
    @property
    def _mask(self) -> Any:
        """What ``numpy.ma`` asks of its operands, once it has taken a tensor's ``_data`` for their numbers."""
    def _refuse_lost(t, name: _str) -> None:
        """Raise where the numbers of a tensor with a history are taken and a transform differentiates it; to be called by
        the tensor's method of this name.
        """
    def _repr_svg_(self) -> _str | None:
        """Return the picture that a notebook shows: of the graph, where there is one that is not large."""
    @property
    def _version(self) -> _int:
        """How often the tensor's memory was written in place."""
    def abs(input) -> Tensor:
        """Return the absolute value, of a complex number the modulus; its derivative at 0 is declared 0."""
    def abs_(input) -> Tensor:
        """In-place version of `abs`: writes the result to the tensor's memory and returns it."""
    def absolute(input) -> Tensor:
        """Return the absolute value, of a complex number the modulus; its derivative at 0 is declared 0."""
    def absolute_(input) -> Tensor:
        """In-place version of `abs`: writes the result to the tensor's memory and returns it."""
    def acos(input, *, out: Tensor | None = None) -> Tensor:
        """Return the arc cosine."""
    def acos_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `acos`: writes the result to the tensor's memory and returns it."""
    def acosh(input, *, out: Tensor | None = None) -> Tensor:
        """Return the inverse hyperbolic cosine."""
    def acosh_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `acosh`: writes the result to the tensor's memory and returns it."""
    def add(input, other: Operand, *, alpha: Any = 1) -> Tensor:
        """Return ``input + alpha * other``."""
    def add_(input, other: Operand, *, alpha: Any = 1) -> Tensor:
        """In-place version of `add`: writes the result to the tensor's memory and returns it."""
    def addbmm(input, batch1: Operand, batch2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """Return ``beta * input + alpha * bmm(batch1, batch2).sum(0)``."""
    def addbmm_(input, batch1: Operand, batch2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """In-place version of `addbmm`: writes the result to the tensor's memory and returns it."""
    def addcdiv(input, tensor1: Operand, tensor2: Operand, *, value: Operand = 1) -> Tensor:
        """Return ``input + value * tensor1 / tensor2``."""
    def addcdiv_(input, tensor1: Operand, tensor2: Operand, *, value: Operand = 1) -> Tensor:
        """In-place version of `addcdiv`: writes the result to the tensor's memory and returns it."""
    def addcmul(input, tensor1: Operand, tensor2: Operand, *, value: Operand = 1) -> Tensor:
        """Return ``input + value * tensor1 * tensor2``."""
    def addcmul_(input, tensor1: Operand, tensor2: Operand, *, value: Operand = 1) -> Tensor:
        """In-place version of `addcmul`: writes the result to the tensor's memory and returns it."""
    def addmm(input, mat1: Operand, mat2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """Return ``beta * input + alpha * (mat1 @ mat2)``, for matrices; ``input`` broadcasts."""
    def addmm_(input, mat1: Operand, mat2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """In-place version of `addmm`: writes the result to the tensor's memory and returns it."""
    def addmv(input, mat: Operand, vec: Operand, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """Return ``beta * input + alpha * (mat @ vec)``."""
    def addmv_(input, mat: Operand, vec: Operand, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """In-place version of `addmv`: writes the result to the tensor's memory and returns it."""
    def addr(input, vec1: Operand, vec2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """Return ``beta * input + alpha * outer(vec1, vec2)``; of truth values, whether either is true."""
    def addr_(input, vec1: Operand, vec2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """In-place version of `addr`: writes the result to the tensor's memory and returns it."""
    def adjoint(input) -> Tensor:
        """Return the matrix (or batch of matrices) transposed and, if complex, conjugated."""
    def all(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return whether all elements are true (not zero), of all or along ``dim``."""
    def allclose(input, other: Operand, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
        """Return whether all entries agree within the tolerances (a bool)."""
    def amax(input, dim: _int | Sequence[_int] | None = (), keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the largest element, of all or along ``dim`` (one or several); elements that tie share the gradient."""
    def amin(input, dim: _int | Sequence[_int] | None = (), keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the smallest element, of all or along ``dim`` (one or several); elements that tie share the gradient."""
    def aminmax(input, *, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> return_types.aminmax:
        """Return the smallest and the largest element, of all or along ``dim``; elements that tie share the gradient."""
    def angle(input) -> Tensor:
        """Return the angle of a complex number, in radians: 0 or π of a real one, 0 of −0."""
    def any(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return whether any element is true (not zero), of all or along ``dim``."""
    def apply_(self, callable: Callable[[Any], Any]) -> Tensor:
        """Write ``callable(entry)`` in the place of each entry, and return the tensor; for tensors without gradient."""
    def arccos(input, *, out: Tensor | None = None) -> Tensor:
        """Return the arc cosine."""
    def arccos_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `acos`: writes the result to the tensor's memory and returns it."""
    def arccosh(input, *, out: Tensor | None = None) -> Tensor:
        """Return the inverse hyperbolic cosine."""
    def arccosh_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `acosh`: writes the result to the tensor's memory and returns it."""
    def arcsin(input, *, out: Tensor | None = None) -> Tensor:
        """Return the arc sine."""
    def arcsin_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `asin`: writes the result to the tensor's memory and returns it."""
    def arcsinh(input, *, out: Tensor | None = None) -> Tensor:
        """Return the inverse hyperbolic sine."""
    def arcsinh_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `asinh`: writes the result to the tensor's memory and returns it."""
    def arctan(input, *, out: Tensor | None = None) -> Tensor:
        """Return the arc tangent."""
    def arctan2(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the angle of the point (b, a)."""
    def arctan2_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `atan2`: writes the result to the tensor's memory and returns it."""
    def arctan_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `atan`: writes the result to the tensor's memory and returns it."""
    def arctanh(input, *, out: Tensor | None = None) -> Tensor:
        """Return the inverse hyperbolic tangent."""
    def arctanh_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `atanh`: writes the result to the tensor's memory and returns it."""
    def argmax(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the index of the (first) largest element, of all or along ``dim``."""
    def argmin(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the index of the (first) smallest element, of all or along ``dim``."""
    def argsort(input, dim: _int = -1, descending: _bool = False, stable: _bool = False, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return the indices that sort the elements along ``dim``; elements that tie keep their order."""
    def argwhere(input, *, out: Tensor | None = None) -> Tensor:
        """Return the positions of the elements that are not zero, as rows."""
    def as_strided(input, size: Any, stride: Any, storage_offset: _int | None = None) -> Tensor:
        """Return a view of given strides, in elements, from ``storage_offset`` in the tensor's memory on."""
    def as_strided_(input, size: Any, stride: Any, storage_offset: _int | None = None) -> Tensor:
        """In-place version of `as_strided`: gives the tensor itself the other shape and returns it."""
    def as_strided_scatter(input, src: Operand, size: Any, stride: Any, storage_offset: _int | None = None) -> Tensor:
        """Return ``input`` with ``src`` in the place of the elements that `as_strided` names."""
    def asin(input, *, out: Tensor | None = None) -> Tensor:
        """Return the arc sine."""
    def asin_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `asin`: writes the result to the tensor's memory and returns it."""
    def asinh(input, *, out: Tensor | None = None) -> Tensor:
        """Return the inverse hyperbolic sine."""
    def asinh_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `asinh`: writes the result to the tensor's memory and returns it."""
    def astype(self, dtype: DTypeLike, order: _str = 'K', casting: Any = 'unsafe', subok: _bool = True, copy: _bool = True) -> Tensor:
        """Return the tensor in another dtype, as ``to(dtype)`` does, under NumPy's name: a copy, if not told otherwise."""
    def atan(input, *, out: Tensor | None = None) -> Tensor:
        """Return the arc tangent."""
    def atan2(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the angle of the point (b, a)."""
    def atan2_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `atan2`: writes the result to the tensor's memory and returns it."""
    def atan_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `atan`: writes the result to the tensor's memory and returns it."""
    def atanh(input, *, out: Tensor | None = None) -> Tensor:
        """Return the inverse hyperbolic tangent."""
    def atanh_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `atanh`: writes the result to the tensor's memory and returns it."""
    def backward(self, gradient: Any = None, retain_graph: _bool | None = None, create_graph: _bool = False, inputs: Any = None) -> None:
        """Compute the gradient of this tensor and add it to the ``.grad`` of the leaves."""
    def baddbmm(input, batch1: Operand, batch2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """Return ``beta * input + alpha * bmm(batch1, batch2)``."""
    def baddbmm_(input, batch1: Operand, batch2: Operand, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """In-place version of `baddbmm`: writes the result to the tensor's memory and returns it."""
    def bernoulli(input, p: _float | None = None, *, generator: Generator | None = None) -> Tensor:
        """Return 1 with the probability that ``input`` holds (or ``p``), else 0; its gradient is zero."""
    def bernoulli_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill the tensor with 1 with probability p (a number or a tensor), else 0; returns it. The gradient of its old value is zero."""
    def bincount(input, weights: Operand | None = None, minlength: _int = 0) -> Tensor:
        """Return how often each non-negative integer occurs, or the sums of its ``weights``, which have derivatives."""
    def bitwise_and(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a & b, bit by bit."""
    def bitwise_and_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `bitwise_and`: writes the result to the tensor's memory and returns it."""
    def bitwise_left_shift(input, other: Operand) -> Tensor:
        """Return a with bits b places up, entry by entry; for whole numbers."""
    def bitwise_left_shift_(input, other: Operand) -> Tensor:
        """In-place version of `bitwise_left_shift`: writes the result to the tensor's memory and returns it."""
    def bitwise_not(input) -> Tensor:
        """Return ``~input``: of truth values their negation, of integers the complement."""
    def bitwise_not_(input) -> Tensor:
        """In-place version of `bitwise_not`: writes the result to the tensor's memory and returns it."""
    def bitwise_or(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a | b, bit by bit."""
    def bitwise_or_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `bitwise_or`: writes the result to the tensor's memory and returns it."""
    def bitwise_right_shift(input, other: Operand) -> Tensor:
        """Return a with bits b places down, entry by entry; for whole numbers."""
    def bitwise_right_shift_(input, other: Operand) -> Tensor:
        """In-place version of `bitwise_right_shift`: writes the result to the tensor's memory and returns it."""
    def bitwise_xor(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a ^ b, bit by bit."""
    def bitwise_xor_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `bitwise_xor`: writes the result to the tensor's memory and returns it."""
    def bmm(input, mat2: Operand) -> Tensor:
        """Return the products of two batches of matrices, (b, n, m) and (b, m, p); no broadcasting."""
    def bool(self, memory_format: Any = None) -> Tensor:
        """Return the tensor as symgrad.bool."""
    def broadcast_to(input, size: Any) -> Tensor:
        """Return a view of shape ``size`` in which dimensions of size 1 repeat."""
    def cauchy_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill the tensor with draws from the Cauchy distribution; returns it. The gradient of its old value is zero."""
    def cdouble(self, memory_format: Any = None) -> Tensor:
        """Return the tensor as symgrad.complex128."""
    def ceil(input, *, out: Tensor | None = None) -> Tensor:
        """Return the smallest integer not below x."""
    def ceil_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `ceil`: writes the result to the tensor's memory and returns it."""
    def cfloat(self, memory_format: Any = None) -> Tensor:
        """Return the tensor as symgrad.complex64."""
    def cholesky(input, upper: _bool = False) -> Tensor:
        """Return the Cholesky factor, as `linalg.cholesky` does."""
    def cholesky_inverse(L, upper: _bool = False) -> Tensor:
        """Return the inverse of the matrix whose Cholesky factor ``L`` is."""
    def cholesky_solve(B, L: Any, upper: _bool = False) -> Tensor:
        """Return the solution of ``A @ X = B`` for the matrix whose Cholesky factor ``L`` is (upper if ``upper``)."""
    def chunk(input, chunks: _int, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
        """Return at most ``chunks`` views: pieces of one length along ``dim`` (the last may be shorter)."""
    def clamp(input, min: Any = None, max: Any = None) -> Tensor:
        """Return ``input`` held between ``min`` and ``max`` (numbers or tensors); the gradient passes at the bounds."""
    def clamp_(input, min: Any = None, max: Any = None) -> Tensor:
        """In-place version of `clamp`: writes the result to the tensor's memory and returns it."""
    def clamp_max(input, max: Any) -> Tensor:
        """Return ``input``, at most ``max``."""
    def clamp_max_(input, max: Any) -> Tensor:
        """In-place version of `clamp_max`: writes the result to the tensor's memory and returns it."""
    def clamp_min(input, min: Any) -> Tensor:
        """Return ``input``, at least ``min``."""
    def clamp_min_(input, min: Any) -> Tensor:
        """In-place version of `clamp_min`: writes the result to the tensor's memory and returns it."""
    def clip(input, min: Any = None, max: Any = None) -> Tensor:
        """Return ``input`` held between ``min`` and ``max`` (numbers or tensors); the gradient passes at the bounds."""
    def clip_(input, min: Any = None, max: Any = None) -> Tensor:
        """In-place version of `clamp`: writes the result to the tensor's memory and returns it."""
    def clone(input, *, memory_format: Any = None) -> Tensor:
        """Return a copy that is part of the graph: gradients flow through it to ``input``."""
    def combinations(input, r: _int = 2, with_replacement: _bool = False) -> Tensor:
        """Return all choices of ``r`` elements of a vector, one to a row, in the order of their places."""
    def conj(input) -> Tensor:
        """Return the complex conjugate; a real tensor itself."""
    def conj_physical(input) -> Tensor:
        """Return the complex conjugate; a real tensor itself."""
    def conj_physical_(input) -> Tensor:
        """In-place version of `conj`: writes the result to the tensor's memory and returns it."""
    def conjugate(input) -> Tensor:
        """Return the complex conjugate; a real tensor itself."""
    def contiguous(self, memory_format: Any = None) -> Tensor:
        """Return the tensor itself if its elements lie in memory in C order, else a copy that does."""
    def copy(self, order: _str = 'C') -> Tensor:
        """Return a copy that is part of the graph, as `clone` does, under NumPy's name."""
    def copy_(self, src: Tensor, non_blocking: _bool = False) -> Tensor:
        """Copy the values of ``src``, broadcast and cast, into this tensor, and return it; differentiable in ``src``."""
    def copysign(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a with the sign of b."""
    def copysign_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `copysign`: writes the result to the tensor's memory and returns it."""
    def corrcoef(input) -> Tensor:
        """Return the correlation coefficients of variables in rows, observed in columns."""
    def cos(input, *, out: Tensor | None = None) -> Tensor:
        """Return the cosine, of radians."""
    def cos_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `cos`: writes the result to the tensor's memory and returns it."""
    def cosh(input, *, out: Tensor | None = None) -> Tensor:
        """Return the hyperbolic cosine."""
    def cosh_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `cosh`: writes the result to the tensor's memory and returns it."""
    def count_nonzero(input, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return how many elements are not zero, of all or along ``dim``."""
    def cov(input, *, correction: _int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
        """Return the covariances of variables in rows, observed in columns; of one row its variance."""
    def cpu(self, memory_format: Any = None) -> Tensor:
        """Return the tensor itself: it is on the CPU."""
    def cross(input, other: Operand, dim: _int | None = None) -> Tensor:
        """Return the cross product along ``dim``, by default the first dimension of size 3."""
    def cuda(self, *args: Any, **kwargs: Any) -> Tensor:
        """Raise: symgrad computes on the CPU."""
    def cummax(input, dim: _int, *, axis: _int | Sequence[_int] | None = None) -> return_types.cummax:
        """Return the largest element up to each along ``dim``, and its index, the latest of several."""
    def cummin(input, dim: _int, *, axis: _int | Sequence[_int] | None = None) -> return_types.cummin:
        """Return the smallest element up to each along ``dim``, and its index, the latest of several."""
    def cumprod(input, dim: _int | Sequence[_int] | None = None, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return the products of all elements up to each, along ``dim``; without it of all elements in one row, as NumPy
        does. Zeros are no special case.
        """
    def cumprod_(input, dim: _int, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """In-place version of `cumprod`: writes the result to the tensor's memory and returns it."""
    def cumsum(input, dim: _int | Sequence[_int] | None = None, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return the sums of all elements up to each, along ``dim``; without it of all elements in one row, as NumPy does."""
    def cumsum_(input, dim: _int, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """In-place version of `cumsum`: writes the result to the tensor's memory and returns it."""
    @property
    def data(self) -> Tensor:
        """The same memory without history; writes through it go unnoticed by the graph."""
    @data.setter
    def data(self, value: Any) -> None: ...
    def data_ptr(self) -> _int:
        """Return the address of the first element."""
    def deg2rad(input) -> Tensor:
        """Return angles in radians that are given in degrees."""
    def deg2rad_(input) -> Tensor:
        """In-place version of `deg2rad`: writes the result to the tensor's memory and returns it."""
    def det(A) -> Tensor:
        """Return the determinant of a matrix, or of each matrix of a batch."""
    def detach(self) -> Tensor:
        """Return a leaf that shares this tensor's memory and has no history."""
    def detach_(self) -> Tensor:
        """Cut this tensor itself from its graph, and from what it moves with."""
    @property
    def device(self) -> Device:
        """The device: always the CPU."""
    def diag(input, diagonal: _int = 0) -> Tensor:
        """Return a copy of the diagonal of a matrix, or the square matrix that has a vector on its diagonal."""
    def diag_embed(input, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
        """Return square matrices of zeros, in ``dim1`` and ``dim2``, with the last dimension on a diagonal."""
    def diagflat(input, offset: _int = 0) -> Tensor:
        """Return the square matrix with the elements, read as one row, on its diagonal."""
    def diagonal(input, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """Return the diagonal of the dimensions ``dim1`` and ``dim2`` as the last dimension, a view."""
    def diagonal_scatter(input, src: Operand, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
        """Return ``input`` with the diagonal of ``dim1`` and ``dim2`` replaced by ``src``."""
    def diff(input, n: _int = 1, dim: _int = -1, prepend: Any = None, append: Any = None, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return the ``n``-th differences of neighbours along ``dim``, with ``prepend`` and ``append`` put at its ends."""
    def digamma(input, *, out: Tensor | None = None) -> Tensor:
        """Return the derivative of lgamma."""
    def digamma_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `digamma`: writes the result to the tensor's memory and returns it."""
    def dim(self) -> _int:
        """Return the number of dimensions."""
    def dist(input, other: Operand, p: _float = 2) -> Tensor:
        """Return the norm of order ``p`` of ``input - other``; at zero distance the gradient is taken as zero."""
    def div(input, other: Operand, *, rounding_mode: _str | None = None) -> Tensor:
        """Return ``input / other``; ``rounding_mode`` 'floor' or 'trunc' rounds the quotient (its derivative is zero)."""
    def div_(input, other: Operand, *, rounding_mode: _str | None = None) -> Tensor:
        """In-place version of `div`: writes the result to the tensor's memory and returns it."""
    def divide(input, other: Operand, *, rounding_mode: _str | None = None) -> Tensor:
        """Return ``input / other``; ``rounding_mode`` 'floor' or 'trunc' rounds the quotient (its derivative is zero)."""
    def divide_(input, other: Operand, *, rounding_mode: _str | None = None) -> Tensor:
        """In-place version of `div`: writes the result to the tensor's memory and returns it."""
    def dot(input, tensor: Operand) -> Tensor:
        """Return the sum of products of two vectors (of one length; nothing is conjugated)."""
    def double(self, memory_format: Any = None) -> Tensor:
        """Return the tensor as symgrad.float64."""
    def dsplit(input, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Return `tensor_split` along the dimension that dsplit stands for."""
    @property
    def dtype(self) -> _DType:
        """The dtype: ``sg.float64`` …, which NumPy takes for its own."""
    def element_size(self) -> _int:
        """Return the bytes per element."""
    def elu(input, alpha: _float = 1.0) -> Tensor:
        """Return ``input`` where positive, else ``alpha * (exp(input) - 1)``."""
    def eq(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a == b."""
    def eq_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `eq`: writes the result to the tensor's memory and returns it."""
    def equal(input, other: Operand) -> _bool:
        """Return whether two tensors have the same shape and entries (a bool)."""
    def erf(input, *, out: Tensor | None = None) -> Tensor:
        """Return the error function."""
    def erf_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `erf`: writes the result to the tensor's memory and returns it."""
    def erfc(input, *, out: Tensor | None = None) -> Tensor:
        """Return 1 - erf(x), exact for large x."""
    def erfc_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `erfc`: writes the result to the tensor's memory and returns it."""
    def erfinv(input, *, out: Tensor | None = None) -> Tensor:
        """Return the inverse of erf."""
    def erfinv_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `erfinv`: writes the result to the tensor's memory and returns it."""
    def exp(input, *, out: Tensor | None = None) -> Tensor:
        """Return e to the power of x."""
    def exp2(input, *, out: Tensor | None = None) -> Tensor:
        """Return 2 to the power of x."""
    def exp2_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `exp2`: writes the result to the tensor's memory and returns it."""
    def exp_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `exp`: writes the result to the tensor's memory and returns it."""
    def expand(self, *sizes_: Any, size: Any = None) -> Tensor:
        """Return a view in which dimensions of size 1 (and new leading ones) repeat; -1 keeps a size."""
    def expand_as(self, other: Operand) -> Tensor:
        """Return `expand` to the shape of ``other``."""
    def explain(self, wrt: Any = None) -> Any:
        """Return how the gradients of this number came about: each recorded operation, then the chain rule back to the
        leaves, formulas and values side by side.
        """
    def expm1(input, *, out: Tensor | None = None) -> Tensor:
        """Return exp(x) - 1, exact near 0."""
    def expm1_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `expm1`: writes the result to the tensor's memory and returns it."""
    def exponential_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill the tensor with draws from the exponential distribution of rate lambd; returns it. The gradient of its old value is zero."""
    def fill_(self, value: Operand) -> Tensor:
        """Set every element to ``value``, a number or a tensor of one element without dimensions, and return the tensor."""
    def fill_diagonal_(self, fill_value: Operand, wrap: _bool = False) -> Tensor:
        """Set the main diagonal (of all dimensions, which must then be equal) to a number and return the tensor."""
    def fix(input, *, out: Tensor | None = None) -> Tensor:
        """Return the integer part."""
    def fix_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `trunc`: writes the result to the tensor's memory and returns it."""
    def flatten(input, start_dim: Any = 0, end_dim: _int = -1, *, order: _str = 'C') -> Tensor:
        """Return the tensor with the dimensions from ``start_dim`` to ``end_dim`` made one; NumPy's ``order`` in its place
        (``flatten("F")``) makes all one.
        """
    def flip(input, *along: Any, dims: _int | Sequence[_int] | None = None, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return a copy with the order of the elements along ``dims`` (or ``axis=``) reversed."""
    def fliplr(input) -> Tensor:
        """Return a copy with the order of the columns reversed."""
    def flipud(input) -> Tensor:
        """Return a copy with the order of the rows reversed."""
    def float(self, memory_format: Any = None) -> Tensor:
        """Return the tensor as symgrad.float32."""
    def float_power(input, exponent: Any) -> Tensor:
        """Return ``input ** exponent`` in double precision, whatever the dtypes are."""
    def float_power_(input, exponent: Any) -> Tensor:
        """In-place version of `float_power`: writes the result to the tensor's memory and returns it."""
    def floor(input, *, out: Tensor | None = None) -> Tensor:
        """Return the largest integer not above x."""
    def floor_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `floor`: writes the result to the tensor's memory and returns it."""
    def floor_divide(input, other: Operand) -> Tensor:
        """Return ``floor(input / other)``, without a derivative; whole numbers may not be divided by zero."""
    def floor_divide_(input, other: Operand) -> Tensor:
        """In-place version of `floor_divide`: writes the result to the tensor's memory and returns it."""
    def fmax(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the larger of a and b, a number before NaN."""
    def fmin(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the smaller of a and b, a number before NaN."""
    def fmod(input, other: Operand) -> Tensor:
        """a - b * trunc(a / b): has the sign of a"""
    def fmod_(input, other: Operand) -> Tensor:
        """In-place version of `fmod`: writes the result to the tensor's memory and returns it."""
    def formula(self, level: _str = 'array', stop_at: Any = ()) -> Formula:
        """Return the formula of this tensor in the names of its leaves, checked against its numbers."""
    def frac(input, *, out: Tensor | None = None) -> Tensor:
        """Return x - trunc(x)."""
    def frac_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `frac`: writes the result to the tensor's memory and returns it."""
    def frexp(input) -> return_types.frexp:
        """Return ``(mantissa, exponent)``: the input is ``mantissa * 2**exponent``, with a mantissa from 0.5 to below 1."""
    def gather(input, dim: _int, index: Any, *, sparse_grad: _bool = False) -> Tensor:
        """Return, at each place, the element of ``input`` that ``index`` names along ``dim``."""
    def gcd(input, other: Operand) -> Tensor:
        """Return the greatest common divisor of a and b, entry by entry; for whole numbers."""
    def gcd_(input, other: Operand) -> Tensor:
        """In-place version of `gcd`: writes the result to the tensor's memory and returns it."""
    def ge(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a >= b."""
    def ge_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `ge`: writes the result to the tensor's memory and returns it."""
    def gelu(input, approximate: _str = 'none') -> Tensor:
        """Return ``input`` times the normal distribution function at it; ``approximate='tanh'`` approximates that."""
    def geometric_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill the tensor with draws from the geometric distribution; returns it. The gradient of its old value is zero."""
    def geqrf(input) -> return_types.geqrf:
        """Return the QR factorisation as LAPACK keeps it: R with the vectors of reflections below it, and their factors."""
    def ger(input, vec2: Operand) -> Tensor:
        """Return the matrix of all products of an entry of ``input`` and one of ``vec2`` (vectors)."""
    def get_device(input) -> _int:
        """Return -1, PyTorch's number of the CPU."""
    @property
    def grad(self) -> Any:
        """The accumulated gradient of a leaf (or of a non-leaf that was asked to ``retain_grad``), or None."""
    @grad.setter
    def grad(self, value: Any) -> None: ...
    @property
    def grad_fn(self) -> Any:
        """The node of the operation that made this tensor, None for a leaf."""
    def greater(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a > b."""
    def greater_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `gt`: writes the result to the tensor's memory and returns it."""
    def greater_equal(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a >= b."""
    def greater_equal_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `ge`: writes the result to the tensor's memory and returns it."""
    def gt(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a > b."""
    def gt_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `gt`: writes the result to the tensor's memory and returns it."""
    def half(self, memory_format: Any = None) -> Tensor:
        """Return the tensor as symgrad.float16."""
    def hardtanh(input, min_val: _float = -1.0, max_val: _float = 1.0) -> Tensor:
        """Return ``input`` held between the bounds; its derivative at them is declared 0."""
    def heaviside(input, values: Operand) -> Tensor:
        """Return 0 below 0, 1 above, and ``values`` at 0; of whole numbers, whole numbers."""
    def heaviside_(input, values: Operand) -> Tensor:
        """In-place version of `heaviside`: writes the result to the tensor's memory and returns it."""
    def histc(input, bins: _int = 100, min: _float = 0, max: _float = 0) -> Tensor:
        """Return how many elements fall in each of ``bins`` equal bins from ``min`` to ``max``."""
    def histogram(input, bins: Any, *, range: Any = None, weight: Operand | None = None, density: _bool = False) -> return_types.histogram:
        """Return how many elements fall between neighbours of the edges, and the edges; without derivatives."""
    def householder_product(input, tau: Operand) -> Tensor:
        """Return the first columns of ``H_1 @ … @ H_k``, reflections ``1 - tau[i] * v @ v.mH`` with ``v`` in the columns."""
    def hsplit(input, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Return `tensor_split` along the dimension that hsplit stands for."""
    def hypot(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return sqrt(a**2 + b**2), without overflow."""
    def hypot_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `hypot`: writes the result to the tensor's memory and returns it."""
    def i0(input) -> Tensor:
        """Return the modified Bessel function of the first kind and order 0."""
    def i0_(input) -> Tensor:
        """In-place version of `i0`: writes the result to the tensor's memory and returns it."""
    def igamma(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the lower incomplete gamma function, divided by gamma(a)."""
    def igamma_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `igamma`: writes the result to the tensor's memory and returns it."""
    def igammac(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return 1 - igamma, without cancellation."""
    def igammac_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `igammac`: writes the result to the tensor's memory and returns it."""
    @property
    def imag(self) -> Tensor:
        """Return the imaginary part of a complex tensor."""
    @imag.setter
    def imag(self, value: Any) -> None: ...
    def increment_version(self) -> None:
        """Note a write to the tensor's memory that was made outside symgrad."""
    def index_add(input, dim: _int, index: Any, source: Operand, *, alpha: Any = 1) -> Tensor:
        """Return ``input`` with ``alpha`` times the slices of ``source`` added along ``dim`` at ``index`` (may repeat)."""
    def index_add_(input, dim: _int, index: Any, source: Operand, *, alpha: Any = 1) -> Tensor:
        """In-place version of `index_add`: writes the result to the tensor's memory and returns it."""
    def index_copy(input, dim: _int, index: Any, source: Operand) -> Tensor:
        """Return ``input`` with the slices of ``source`` put along ``dim`` at ``index``."""
    def index_copy_(input, dim: _int, index: Any, source: Operand) -> Tensor:
        """In-place version of `index_copy`: writes the result to the tensor's memory and returns it."""
    def index_fill(input, dim: _int, index: Any, value: Operand) -> Tensor:
        """Return ``input`` with ``value`` (a number or a 0-d tensor) in the slices along ``dim`` at ``index``."""
    def index_fill_(input, dim: _int, index: Any, value: Operand) -> Tensor:
        """In-place version of `index_fill`: writes the result to the tensor's memory and returns it."""
    def index_put(input, indices: Any, values: Operand, accumulate: _bool = False) -> Tensor:
        """Return ``input`` with ``values`` put at (or added to) the places of ``indices``, a tuple of index tensors."""
    def index_put_(self, indices: Any, values: Operand, accumulate: _bool = False) -> Tensor:
        """Put ``values`` at (or add them to) the places of ``indices`` in this tensor's memory, and return it."""
    def index_reduce(input, dim: _int, index: Any, source: Operand, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """Combine ``input`` with the slices of ``source`` that ``index``, a vector, sends along ``dim`` to each place."""
    def index_reduce_(input, dim: _int, index: Any, source: Operand, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """In-place version of `index_reduce`: writes the result to the tensor's memory and returns it."""
    def index_select(input, dim: _int, index: Any) -> Tensor:
        """Return the slices along ``dim`` that ``index``, a vector, names, in its order and as often as it names them."""
    def inner(input, other: Operand) -> Tensor:
        """Return sums of products over the last dimensions (a number multiplies)."""
    def int(self, memory_format: Any = None) -> Tensor:
        """Return the tensor as symgrad.int32."""
    def inv(A) -> Tensor:
        """Return the inverse of a matrix, or of each matrix of a batch."""
    def inverse(A) -> Tensor:
        """Return the inverse of a matrix, or of each matrix of a batch."""
    def is_complex(input) -> _bool:
        """Return whether the dtype is complex."""
    def is_conj(input) -> _bool:
        """Return False: conjugation is never lazy here."""
    def is_contiguous(self, memory_format: Any = None) -> _bool:
        """Return whether the elements lie in memory in C order."""
    is_cpu: _bool
    is_cuda: _bool
    def is_floating_point(input) -> _bool:
        """Return whether the dtype is a real float."""
    def is_inference(self) -> _bool:
        """Return whether the tensor was made in `inference_mode`."""
    @property
    def is_leaf(self) -> _bool:
        """Whether no recorded operation made this tensor."""
    is_meta: _bool
    is_mps: _bool
    def is_neg(input) -> _bool:
        """Return False: negation is never lazy here."""
    is_nested: _bool
    def is_nonzero(input) -> _bool:
        """Return whether a tensor of one element is not zero."""
    is_quantized: _bool
    def is_same_size(input, other: Tensor) -> _bool:
        """Return whether two tensors have the same shape."""
    def is_signed(input) -> _bool:
        """Return whether the dtype has negative numbers."""
    is_sparse: _bool
    def isclose(input, other: Operand, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: _bool = False, *, out: Tensor | None = None) -> Tensor:
        """Return whether |a - b| <= atol + rtol * |b|, entry by entry."""
    def isfinite(input, *, out: Tensor | None = None) -> Tensor:
        """Return whether each entry is finite."""
    def isfinite_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `isfinite`: writes the result to the tensor's memory and returns it."""
    def isinf(input, *, out: Tensor | None = None) -> Tensor:
        """Return whether each entry is infinite."""
    def isinf_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `isinf`: writes the result to the tensor's memory and returns it."""
    def isnan(input, *, out: Tensor | None = None) -> Tensor:
        """Return whether each entry is NaN."""
    def isnan_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `isnan`: writes the result to the tensor's memory and returns it."""
    def isneginf(input) -> Tensor:
        """Return whether each entry is negative infinity."""
    def isposinf(input) -> Tensor:
        """Return whether each entry is positive infinity."""
    def isreal(input) -> Tensor:
        """Return whether each entry's imaginary part is zero."""
    def item(self) -> Any:
        """Return the one element as a Python number."""
    @property
    def itemsize(self) -> _int:
        """Bytes per element."""
    def kron(input, other: Operand) -> Tensor:
        """Return the Kronecker product: every entry of ``input`` times all of ``other``, as blocks."""
    def kthvalue(input, k: _int, dim: _int = -1, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> return_types.kthvalue:
        """Return the ``k``-th smallest element along ``dim`` (counted from 1), and its index."""
    def lcm(input, other: Operand) -> Tensor:
        """Return the least common multiple of a and b, entry by entry; for whole numbers."""
    def lcm_(input, other: Operand) -> Tensor:
        """In-place version of `lcm`: writes the result to the tensor's memory and returns it."""
    def ldexp(input, other: Operand) -> Tensor:
        """Return ``input * 2**other``, differentiable in both."""
    def ldexp_(input, other: Operand) -> Tensor:
        """In-place version of `ldexp`: writes the result to the tensor's memory and returns it."""
    def le(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a <= b."""
    def le_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `le`: writes the result to the tensor's memory and returns it."""
    def leaky_relu(input, negative_slope: _float = 0.01) -> Tensor:
        """Return ``input`` where positive, else ``negative_slope * input``."""
    def lerp(input, end: Operand, weight: Operand) -> Tensor:
        """Return ``input + weight * (end - input)``."""
    def lerp_(input, end: Operand, weight: Operand) -> Tensor:
        """In-place version of `lerp`: writes the result to the tensor's memory and returns it."""
    def less(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a < b."""
    def less_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `lt`: writes the result to the tensor's memory and returns it."""
    def less_equal(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a <= b."""
    def less_equal_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `le`: writes the result to the tensor's memory and returns it."""
    def lgamma(input, *, out: Tensor | None = None) -> Tensor:
        """Return log |gamma(x)|."""
    def lgamma_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `lgamma`: writes the result to the tensor's memory and returns it."""
    def log(input, *, out: Tensor | None = None) -> Tensor:
        """Return the natural logarithm."""
    def log10(input, *, out: Tensor | None = None) -> Tensor:
        """Return the logarithm to base 10."""
    def log10_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `log10`: writes the result to the tensor's memory and returns it."""
    def log1p(input, *, out: Tensor | None = None) -> Tensor:
        """Return log(1 + x), exact near 0."""
    def log1p_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `log1p`: writes the result to the tensor's memory and returns it."""
    def log2(input, *, out: Tensor | None = None) -> Tensor:
        """Return the logarithm to base 2."""
    def log2_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `log2`: writes the result to the tensor's memory and returns it."""
    def log_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `log`: writes the result to the tensor's memory and returns it."""
    def log_normal_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill the tensor with draws whose logarithm is normal (mean, std); returns it. The gradient of its old value is zero."""
    def log_softmax(input, dim: _int, dtype: DTypeLike | None = None, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return ``log(softmax(input))`` along ``dim``, without overflow."""
    def logaddexp(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return log(exp(a) + exp(b)), without overflow."""
    def logaddexp2(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return log2(2**a + 2**b), without overflow."""
    def logcumsumexp(input, dim: _int, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return ``log(sum(exp(…)))`` of all elements up to each, along ``dim``, without overflow."""
    def logdet(input) -> Tensor:
        """Return the logarithm of the determinant: NaN where that is negative, minus infinity where it is zero."""
    def logical_and(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a and b."""
    def logical_and_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `logical_and`: writes the result to the tensor's memory and returns it."""
    def logical_not(input, *, out: Tensor | None = None) -> Tensor:
        """Return not x."""
    def logical_not_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `logical_not`: writes the result to the tensor's memory and returns it."""
    def logical_or(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a or b."""
    def logical_or_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `logical_or`: writes the result to the tensor's memory and returns it."""
    def logical_xor(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return either a or b."""
    def logical_xor_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `logical_xor`: writes the result to the tensor's memory and returns it."""
    def logit(input, eps: _float | None = None) -> Tensor:
        """Return ``log(x / (1 - x))``, the inverse of `sigmoid`; ``eps`` holds ``x`` between itself and ``1 - eps``."""
    def logit_(input, eps: _float | None = None) -> Tensor:
        """In-place version of `logit`: writes the result to the tensor's memory and returns it."""
    def logsigmoid(input, *, out: Tensor | None = None) -> Tensor:
        """Return log(sigmoid(x)), without overflow."""
    def logsumexp(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return ``log(sum(exp(input)))`` along ``dim`` (one, several, all), without overflow; its gradient is softmax."""
    def long(self, memory_format: Any = None) -> Tensor:
        """Return the tensor as symgrad.int64."""
    def lt(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a < b."""
    def lt_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `lt`: writes the result to the tensor's memory and returns it."""
    def lu(A, pivot: _bool = True, get_infos: _bool = False) -> tuple[Tensor, ...]:
        """Return ``(LU, pivots)`` as `linalg.lu_factor` does, with ``get_infos`` the third of `linalg.lu_factor_ex` too."""
    def lu_solve(b, LU_data: Any, LU_pivots: Any) -> Tensor:
        """Return the solution of ``A @ X = b``: `linalg.lu_solve` with its arguments in another order."""
    @property
    def mH(self) -> Tensor:
        """The matrix (or batch of matrices) transposed and, if complex, conjugated."""
    @property
    def mT(self) -> Tensor:
        """The matrix (or batch of matrices) transposed."""
    def map2_(self, x: Operand, y: Operand, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
        """Write ``callable(entry, one, other)`` in the place of each entry, for those of ``x`` and ``y``; see `apply_`."""
    def map_(self, tensor: Operand, callable: Callable[[Any, Any], Any]) -> Tensor:
        """Write ``callable(entry, other)`` in the place of each entry, for the entries of ``tensor``; see `apply_`."""
    def masked_fill(input, mask: Operand, value: Operand) -> Tensor:
        """Return ``input`` with ``value``, a number or a tensor without dimensions, where ``mask`` holds."""
    def masked_fill_(input, mask: Operand, value: Operand) -> Tensor:
        """In-place version of `masked_fill`: writes the result to the tensor's memory and returns it."""
    def masked_scatter(input, mask: Operand, source: Operand) -> Tensor:
        """Return ``input`` with the elements of ``source``, in turn, where ``mask`` holds."""
    def masked_scatter_(input, mask: Operand, source: Operand) -> Tensor:
        """In-place version of `masked_scatter`: writes the result to the tensor's memory and returns it."""
    def masked_select(input, mask: Operand) -> Tensor:
        """Return the elements of ``input`` where ``mask`` holds, as a vector."""
    def matmul(input, other: Operand) -> Tensor:
        """Return the matrix product: of vectors their dot product, of higher dimensions batches of matrix products."""
    def matrix_exp(A) -> Tensor:
        """Return the exponential of a square matrix: the sum of ``A**k / k!``."""
    def matrix_power(A, n: _int) -> Tensor:
        """Return the ``n``-th power of a square matrix; negative powers are powers of the inverse."""
    @overload
    def max(input) -> Tensor:
        """Return the largest element; along ``dim``, values and indices; of two tensors, the larger entries."""
    @overload
    def max(input, dim: _int, keepdim: _bool = False) -> return_types.max: ...
    @overload
    def max(input, dim: Tensor) -> Tensor: ...
    @overload
    def max(input, *, other: Tensor) -> Tensor: ...
    @overload
    def max(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, other: Operand | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Any: ...
    def maximum(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the larger of a and b."""
    def mean(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False) -> Tensor:
        """Return the mean of all elements, or along ``dim`` (a number or several)."""
    @overload
    def median(input) -> Tensor:
        """Return the median of all elements; along ``dim``, values and indices. Of two in the middle it is the lower."""
    @overload
    def median(input, dim: _int, keepdim: _bool = False) -> return_types.median: ...
    @overload
    def median(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Any: ...
    @overload
    def min(input) -> Tensor:
        """Return the smallest element; along ``dim``, values and indices; of two tensors, the smaller entries."""
    @overload
    def min(input, dim: _int, keepdim: _bool = False) -> return_types.min: ...
    @overload
    def min(input, dim: Tensor) -> Tensor: ...
    @overload
    def min(input, *, other: Tensor) -> Tensor: ...
    @overload
    def min(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, other: Operand | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Any: ...
    def minimum(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return the smaller of a and b."""
    def mm(input, mat2: Operand) -> Tensor:
        """Return the product of two matrices."""
    def mode(input, dim: _int = -1, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> return_types.mode:
        """Return the most frequent element along ``dim`` (the smallest of several), and its last index."""
    def moveaxis(input, source: Any, destination: Any) -> Tensor:
        """Return the tensor with the dimensions ``source`` moved to the places ``destination``, the others in order."""
    def movedim(input, source: Any, destination: Any) -> Tensor:
        """Return the tensor with the dimensions ``source`` moved to the places ``destination``, the others in order."""
    def msort(input) -> Tensor:
        """Return the elements in order along the first dimension."""
    def mul(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a * b."""
    def mul_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `mul`: writes the result to the tensor's memory and returns it."""
    def multinomial(input, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None) -> Tensor:
        """Return ``num_samples`` indices drawn with probabilities proportional to the last dimension of ``input``."""
    def multiply(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a * b."""
    def multiply_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `mul`: writes the result to the tensor's memory and returns it."""
    def mv(input, vec: Operand) -> Tensor:
        """Return the product of a matrix and a vector."""
    def mvlgamma(input, p: _int) -> Tensor:
        """Return the logarithm of the multivariate gamma function of dimension ``p``."""
    def mvlgamma_(input, p: _int) -> Tensor:
        """In-place version of `mvlgamma`: writes the result to the tensor's memory and returns it."""
    @property
    def name(self) -> Any:
        """The name that formulas and errors use, or None."""
    @name.setter
    def name(self, value: Any) -> None: ...
    def nan_to_num(input, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, *, out: Tensor | None = None) -> Tensor:
        """Return x, with 0 for NaN and the largest numbers for infinities."""
    def nan_to_num_(input, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `nan_to_num`: writes the result to the tensor's memory and returns it."""
    def nanmean(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the mean of the elements that are not NaN; those that are get no gradient."""
    @overload
    def nanmedian(input) -> Tensor:
        """Return the median of the elements that are not NaN; along ``dim``, values and indices."""
    @overload
    def nanmedian(input, dim: _int, keepdim: _bool = False) -> return_types.nanmedian: ...
    @overload
    def nanmedian(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Any: ...
    def nanquantile(input, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the ``q``-quantiles of what is not NaN, of all elements or along ``dim``; see `quantile`."""
    def nansum(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the sum of the elements that are not NaN; those that are get no gradient."""
    def narrow(input, dim: _int, start: Any, length: _int) -> Tensor:
        """Return ``length`` elements along ``dim`` from ``start`` on, as a view."""
    def narrow_copy(input, dim: _int, start: Any, length: _int) -> Tensor:
        """Return a copy of `narrow`: ``length`` elements along ``dim`` from ``start`` on."""
    @property
    def nbytes(self) -> _int:
        """Bytes of all elements."""
    @property
    def ndim(self) -> _int:
        """The number of dimensions."""
    def ndimension(self) -> _int:
        """Return the number of dimensions."""
    def ne(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a != b."""
    def ne_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `ne`: writes the result to the tensor's memory and returns it."""
    def neg(input) -> Tensor:
        """Return ``-input``."""
    def neg_(input) -> Tensor:
        """In-place version of `neg`: writes the result to the tensor's memory and returns it."""
    def negative(input) -> Tensor:
        """Return ``-input``."""
    def negative_(input) -> Tensor:
        """In-place version of `neg`: writes the result to the tensor's memory and returns it."""
    def nelement(self) -> _int:
        """Return the number of elements."""
    def new(self, *args: Any) -> Tensor:
        """Return a tensor of this one's dtype: of data, or of sizes, with no values yet; PyTorch's oldest `new_tensor`."""
    def new_empty(self, *sizes_: Any, size: Any = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, layout: Any = None, pin_memory: _bool = False) -> Tensor:
        """Return a tensor of the given sizes and of this tensor's dtype, its entries not initialised."""
    def new_empty_strided(self, size: Any, stride: Any, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, layout: Any = None, pin_memory: Any = None) -> Tensor:
        """Return `empty_strided` of this tensor's dtype."""
    def new_full(self, size: Any, fill_value: Operand, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, layout: Any = None, pin_memory: Any = None) -> Tensor:
        """Return a tensor of the given sizes and of this tensor's dtype, filled with ``fill_value``."""
    def new_ones(self, *sizes_: Any, size: Any = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, layout: Any = None, pin_memory: _bool = False) -> Tensor:
        """Return a tensor of the given sizes and of this tensor's dtype, filled with 1."""
    def new_tensor(self, data: Any, *, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, layout: Any = None, pin_memory: Any = None) -> Tensor:
        """Return a tensor with a copy of ``data`` in this tensor's dtype."""
    def new_zeros(self, *sizes_: Any, size: Any = None, dtype: DTypeLike | None = None, device: Any = None, requires_grad: _bool = False, layout: Any = None, pin_memory: _bool = False) -> Tensor:
        """Return a tensor of the given sizes and of this tensor's dtype, filled with 0."""
    def nextafter(input, other: Operand) -> Tensor:
        """Return the float next to ``input`` in the direction of ``other``: it follows it, so its derivative is 1."""
    def nextafter_(input, other: Operand) -> Tensor:
        """In-place version of `nextafter`: writes the result to the tensor's memory and returns it."""
    @overload
    def nonzero(input, *, as_tuple: Literal[False] = False) -> Tensor:
        """Return the positions of the nonzero elements: one row each, or with ``as_tuple`` a tensor per dimension."""
    @overload
    def nonzero(input, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
    @overload
    def nonzero(input, *, as_tuple: _bool = False) -> Any: ...
    def nonzero_static(input, *, size: _int, fill_value: _int = -1) -> Tensor:
        """Return the places of what is not zero, one to a row, in a result of ``size`` rows: cut, or filled at its end."""
    def norm(input, p: Any = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the norm of all elements, or along ``dim``: the vector norm of order ``p`` (default 2)."""
    def normal_(self, *args: Any, generator: Generator | None = None, layout: Any = None, pin_memory: Any = None, **kwargs: Any) -> Tensor:
        """Fill the tensor with draws from the normal distribution (mean, std); returns it. The gradient of its old value is zero."""
    def not_equal(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a != b."""
    def not_equal_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `ne`: writes the result to the tensor's memory and returns it."""
    def numel(self) -> _int:
        """Return the number of elements."""
    def numpy(self, *, force: _bool = False) -> np.ndarray:
        """Return the array itself (shared memory); a tensor that requires grad must be detached first, or under no_grad."""
    def orgqr(input, tau: Operand) -> Tensor:
        """Return the first columns of ``H_1 @ … @ H_k``, reflections ``1 - tau[i] * v @ v.mH`` with ``v`` in the columns."""
    def ormqr(input, tau: Operand, other: Operand, left: _bool = True, transpose: _bool = False) -> Tensor:
        """Return the product of `householder_product`'s whole matrix (its adjoint if ``transpose``) with ``other``."""
    def outer(input, vec2: Operand) -> Tensor:
        """Return the matrix of all products of an entry of ``input`` and one of ``vec2`` (vectors)."""
    @property
    def output_nr(self) -> _int:
        """Which output of ``grad_fn`` this tensor is."""
    def permute(input, *order: Any, dims: _int | Sequence[_int] | None = None) -> Tensor:
        """Return the tensor with its dimensions in the order ``dims``."""
    def pin_memory(self, device: Any = None) -> Tensor:
        """Return the tensor itself (for scripts that call it)."""
    def pinverse(input, rcond: _float = 1e-15) -> Tensor:
        """Return the pseudo-inverse, as `linalg.pinv` does."""
    def plot(self, **options: Any) -> Graph:
        """Return a picture of how this tensor was computed: ``sg.graph(t, …)``, whose options it takes."""
    def polygamma(self, n: Any) -> Any:
        """Return the ``n``-th derivative of digamma at the tensor."""
    def polygamma_(self, n: Any) -> Tensor:
        """In-place version of `polygamma`: writes the result to the tensor's memory and returns it."""
    def positive(input) -> Tensor:
        """Return ``input`` itself; truth values have no sign."""
    def pow(input, exponent: Any) -> Tensor:
        """Return ``input ** exponent``: a number, or a tensor of exponents (then differentiable in it too)."""
    def pow_(input, exponent: Any) -> Tensor:
        """In-place version of `pow`: writes the result to the tensor's memory and returns it."""
    def power(input, exponent: Any) -> Tensor:
        """Return ``input ** exponent``: a number, or a tensor of exponents (then differentiable in it too)."""
    def power_(input, exponent: Any) -> Tensor:
        """In-place version of `pow`: writes the result to the tensor's memory and returns it."""
    def prod(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the product of all elements, or along ``dim``; its derivatives are right where elements are zero, too."""
    def put(input, index: Any, source: Operand, accumulate: _bool = False) -> Tensor:
        """Return ``input`` with ``source`` put at (or added to) the positions ``index`` of its elements read as one row."""
    def put_(input, index: Any, source: Operand, accumulate: _bool = False) -> Tensor:
        """In-place version of `put`: writes the result to the tensor's memory and returns it."""
    def qr(input, some: _bool = True) -> return_types.qr:
        """Return ``(Q, R)``, as `linalg.qr` does."""
    def quantile(input, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the ``q``-quantiles of all elements, or along ``dim``; NaN wherever there is one."""
    def rad2deg(input) -> Tensor:
        """Return angles in degrees that are given in radians."""
    def rad2deg_(input) -> Tensor:
        """In-place version of `rad2deg`: writes the result to the tensor's memory and returns it."""
    def random_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill the tensor with integers drawn from [from, to); returns it. The gradient of its old value is zero."""
    def ravel(input, order: _str = 'C') -> Tensor:
        """Return the elements as one row, in C order (``order="F"``: column by column): a view where that is possible."""
    @property
    def real(self) -> Tensor:
        """Return the real part; a real tensor itself."""
    @real.setter
    def real(self, value: Any) -> None: ...
    def reciprocal(input, *, out: Tensor | None = None) -> Tensor:
        """Return 1 / x."""
    def reciprocal_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `reciprocal`: writes the result to the tensor's memory and returns it."""
    def register_hook(self, hook: Callable[[Tensor], Any]) -> RemovableHandle:
        """Call ``hook(grad)`` whenever this tensor's gradient is computed; what it returns replaces the gradient."""
    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(leaf)`` after a backward has added to this leaf's ``.grad``."""
    def relu(input, *, out: Tensor | None = None) -> Tensor:
        """Return max(x, 0)."""
    def relu6(input) -> Tensor:
        """Return ``input`` held between 0 and 6."""
    def relu_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `relu`: writes the result to the tensor's memory and returns it."""
    def remainder(input, other: Operand) -> Tensor:
        """a - b * floor(a / b): has the sign of b"""
    def remainder_(input, other: Operand) -> Tensor:
        """In-place version of `remainder`: writes the result to the tensor's memory and returns it."""
    def renorm(input, p: _float, dim: _int, maxnorm: _float) -> Tensor:
        """Return ``input`` with every slice along ``dim`` whose p-norm is above ``maxnorm`` scaled down to it."""
    def renorm_(input, p: _float, dim: _int, maxnorm: _float) -> Tensor:
        """In-place version of `renorm`: writes the result to the tensor's memory and returns it."""
    def repeat(self, *counts: Any, repeats: Any = None) -> Tensor:
        """Return copies of the tensor side by side, ``repeats`` of them along each dimension."""
    def repeat_interleave(input: Operand | None = ..., repeats: Any = None, dim: _int | Sequence[_int] | None = None, *, output_size: Any = None, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return every slice along ``dim`` (without: every element) repeated ``repeats`` times, a number or one each."""
    @property
    def requires_grad(self) -> _bool:
        """Whether gradients flow to this tensor."""
    @requires_grad.setter
    def requires_grad(self, value: Any) -> None: ...
    def requires_grad_(self, requires_grad: _bool = True) -> Tensor:
        """Set ``requires_grad`` and return the tensor."""
    def reshape(input, *sizes_: Any, shape: Any = None, order: _str = 'C') -> Tensor:
        """Return the elements under another shape, in C order: a view where no element need move, else a copy."""
    def reshape_as(self, other: Operand) -> Tensor:
        """Return `reshape` to the shape of ``other``."""
    def resolve_conj(input) -> Tensor:
        """Return ``input``: conjugation is never lazy here."""
    def resolve_neg(input) -> Tensor:
        """Return ``input``: negation is never lazy here."""
    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf in ``.grad`` too. It changes no gradient; on a leaf it does nothing."""
    @property
    def retains_grad(self) -> _bool:
        """Whether a non-leaf keeps its gradient."""
    def roll(input, shifts: Any, dims: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return a copy shifted by ``shifts`` along ``dims`` (without: flattened), entering again at the other end."""
    def rot90(input, k: _int = 1, dims: _int | Sequence[_int] | None = ...) -> Tensor:
        """Return a copy turned ``k`` times by a quarter in the plane of ``dims``, from the first towards the second."""
    def round(input, decimals: _int = 0) -> Tensor:
        """Round to the nearest integer (halves to even), or to ``decimals`` places."""
    def round_(input, decimals: _int = 0) -> Tensor:
        """In-place version of `round`: writes the result to the tensor's memory and returns it."""
    def rsqrt(input, *, out: Tensor | None = None) -> Tensor:
        """Return 1 / sqrt(x)."""
    def rsqrt_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `rsqrt`: writes the result to the tensor's memory and returns it."""
    def scatter(input, dim: _int, index: Any, src: Operand | None = None, *, value: Operand | None = None, reduce: _str | None = None) -> Tensor:
        """Return ``input`` with ``src`` (a tensor or a number) put along ``dim`` at the places of ``index``."""
    def scatter_(input, dim: _int, index: Any, src: Operand | None = None, *, value: Operand | None = None, reduce: _str | None = None) -> Tensor:
        """In-place version of `scatter`: writes the result to the tensor's memory and returns it."""
    def scatter_add(input, dim: _int, index: Any, src: Operand) -> Tensor:
        """Return ``input`` with ``src`` added along ``dim`` at the places of ``index``; places may repeat."""
    def scatter_add_(input, dim: _int, index: Any, src: Operand) -> Tensor:
        """In-place version of `scatter_add`: writes the result to the tensor's memory and returns it."""
    def scatter_reduce(input, dim: _int, index: Any, src: Operand, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """Combine ``input`` with the elements of ``src`` that ``index`` sends along ``dim`` to each place."""
    def scatter_reduce_(input, dim: _int, index: Any, src: Operand, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """In-place version of `scatter_reduce`: writes the result to the tensor's memory and returns it."""
    def select(input, dim: _int, index: _int) -> Tensor:
        """Return the part at ``index`` along ``dim``, a view without that dimension."""
    def select_scatter(input, src: Operand, dim: _int, index: _int) -> Tensor:
        """Return ``input`` with its part at ``index`` along ``dim`` replaced by ``src``."""
    def selu(input) -> Tensor:
        """Return the scaled ELU whose fixed point is mean 0 and variance 1 (Klambauer et al., 2017)."""
    def sgn(input) -> Tensor:
        """Return -1, 0 or 1; of a complex number z / |z|."""
    def sgn_(input) -> Tensor:
        """In-place version of `sgn`: writes the result to the tensor's memory and returns it."""
    @property
    def shape(self) -> Size:
        """The sizes of the dimensions."""
    def share_memory_(self) -> Tensor:
        """Return the tensor itself (for scripts that call it)."""
    def short(self, memory_format: Any = None) -> Tensor:
        """Return the tensor as symgrad.int16."""
    def sigmoid(input, *, out: Tensor | None = None) -> Tensor:
        """Return 1 / (1 + exp(-x)), without overflow."""
    def sigmoid_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `sigmoid`: writes the result to the tensor's memory and returns it."""
    def sign(input) -> Tensor:
        """Return -1, 0 or 1; of a complex number z / |z|."""
    def sign_(input) -> Tensor:
        """In-place version of `sign`: writes the result to the tensor's memory and returns it."""
    def signbit(input, *, out: Tensor | None = None) -> Tensor:
        """Return whether the sign bit is set."""
    def signbit_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `signbit`: writes the result to the tensor's memory and returns it."""
    def silu(input, *, out: Tensor | None = None) -> Tensor:
        """Return x * sigmoid(x)."""
    def sin(input, *, out: Tensor | None = None) -> Tensor:
        """Return the sine, of radians."""
    def sin_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `sin`: writes the result to the tensor's memory and returns it."""
    def sinc(input, *, out: Tensor | None = None) -> Tensor:
        """Return sin(pi x) / (pi x), 1 at 0."""
    def sinc_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `sinc`: writes the result to the tensor's memory and returns it."""
    def sinh(input, *, out: Tensor | None = None) -> Tensor:
        """Return the hyperbolic sine."""
    def sinh_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `sinh`: writes the result to the tensor's memory and returns it."""
    @overload
    def size(self) -> Size:
        """Return the shape, or the size of one dimension."""
    @overload
    def size(self, dim: _int) -> _int: ...
    @overload
    def size(self, dim: _int | None = None) -> Any: ...
    def slice_scatter(input, src: Operand, dim: _int = 0, start: Any = None, end: Operand | None = None, step: _int = 1) -> Tensor:
        """Return ``input`` with the slice ``start:end:step`` along ``dim`` replaced by ``src``."""
    def slogdet(input) -> return_types.slogdet:
        """Return ``(sign, logabsdet)``, as `linalg.slogdet` does."""
    def softmax(input, dim: _int, dtype: DTypeLike | None = None, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return ``exp(input) / sum(exp(input))`` along ``dim``, without overflow."""
    def softplus(input, beta: _float = 1.0, threshold: _float = 20.0) -> Tensor:
        """Return ``log(1 + exp(beta * input)) / beta``, and ``input`` itself where ``beta * input`` exceeds ``threshold``."""
    def softsign(input, *, out: Tensor | None = None) -> Tensor:
        """Return x / (1 + |x|)."""
    def sort(input, dim: _int = -1, descending: _bool = False, stable: _bool | None = None, *, axis: _int | Sequence[_int] | None = None) -> return_types.sort:
        """Return the elements in order along ``dim``, and their indices; those that tie keep theirs (``stable`` or not)."""
    def special_logsumexp(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return ``log(sum(exp(input)))`` along ``dim`` (one, several, all), without overflow; its gradient is softmax."""
    def split(tensor, split_size_or_sections: Any = None, dim: _int = 0, *, split_size: Any = None, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
        """Return views: pieces of one length along ``dim`` (the last may be shorter), or of the lengths in a list."""
    def split_with_sizes(input, split_sizes: Any, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
        """Return views: pieces of the lengths ``split_sizes`` along ``dim``."""
    def sqrt(input, *, out: Tensor | None = None) -> Tensor:
        """Return the square root."""
    def sqrt_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `sqrt`: writes the result to the tensor's memory and returns it."""
    def square(input, *, out: Tensor | None = None) -> Tensor:
        """Return x squared."""
    def square_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `square`: writes the result to the tensor's memory and returns it."""
    def squeeze(input, dim: _int | Sequence[_int] | None = None, *more: _int, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return the tensor without dimensions of size 1: all of them, or those named that are of size 1."""
    def squeeze_(input, dim: _int | Sequence[_int] | None = None, *more: _int, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """In-place version of `squeeze`: gives the tensor itself the other shape and returns it."""
    def std(input, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None, ddof: Any = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the standard deviation, of all elements or along ``dim``."""
    def storage_offset(self) -> _int:
        """Return the distance of the first element from the start of its memory, in elements."""
    @overload
    def stride(self) -> tuple[_int, ...]:
        """Return the steps between neighbours, in elements."""
    @overload
    def stride(self, dim: _int) -> _int: ...
    @overload
    def stride(self, dim: _int | None = None) -> Any: ...
    def sub(input, other: Operand, *, alpha: Any = 1) -> Tensor:
        """Return ``input - alpha * other``."""
    def sub_(input, other: Operand, *, alpha: Any = 1) -> Tensor:
        """In-place version of `sub`: writes the result to the tensor's memory and returns it."""
    def subtract(input, other: Operand, *, alpha: Any = 1) -> Tensor:
        """Return ``input - alpha * other``."""
    def subtract_(input, other: Operand, *, alpha: Any = 1) -> Tensor:
        """In-place version of `sub`: writes the result to the tensor's memory and returns it."""
    def sum(input, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool = False) -> Tensor:
        """Return the sum of all elements, or along ``dim`` (a number or several); whole numbers sum to int64."""
    def sum_to_size(input, *sizes_: Any, size: Any = None) -> Tensor:
        """Return the input summed to ``size``, a shape from which it broadcasts to its own."""
    def svd(input, some: _bool = True, compute_uv: _bool = True) -> return_types.svd:
        """Return ``(U, S, V)`` with ``A = U @ diag(S) @ V.mH``: the older form of `linalg.svd`."""
    def swapaxes(input, axis0: _int, axis1: _int) -> Tensor:
        """Return the tensor with two dimensions swapped."""
    def swapaxes_(input, axis0: _int, axis1: _int) -> Tensor:
        """In-place version of `swapaxes`: gives the tensor itself the other shape and returns it."""
    def swapdims(input, axis0: _int, axis1: _int) -> Tensor:
        """Return the tensor with two dimensions swapped."""
    def swapdims_(input, axis0: _int, axis1: _int) -> Tensor:
        """In-place version of `swapdims`: gives the tensor itself the other shape and returns it."""
    def sympy(self) -> Any:
        """Return this tensor as a SymPy expression, checked against its number."""
    def t(input) -> Tensor:
        """Return a matrix transposed; a vector or a number as it is."""
    def t_(input) -> Tensor:
        """In-place version of `t`: gives the tensor itself the other shape and returns it."""
    def take(input, index: Any) -> Tensor:
        """Return the elements of ``input``, read as one row, at the positions ``index``, in its shape."""
    def take_along_dim(input, indices: Any, dim: _int | Sequence[_int] | None = None, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return the elements that ``indices`` names along ``dim`` (without: of the flattened input), broadcast."""
    def tan(input, *, out: Tensor | None = None) -> Tensor:
        """Return the tangent, of radians."""
    def tan_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `tan`: writes the result to the tensor's memory and returns it."""
    def tanh(input, *, out: Tensor | None = None) -> Tensor:
        """Return the hyperbolic tangent."""
    def tanh_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `tanh`: writes the result to the tensor's memory and returns it."""
    def tensor_split(input, indices_or_sections: Any, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
        """Return views: as many pieces along ``dim`` as asked for, nearly equal, or the pieces between given places."""
    def tile(input, *counts: Any, dims: _int | Sequence[_int] | None = None) -> Tensor:
        """Return copies of the tensor side by side, ``dims`` of them along each of the last dimensions."""
    def to(self, *args: Any, dtype: DTypeLike | None = None, device: Any = None, copy: _bool = False, **options: Any) -> Tensor:
        """Return the tensor in another dtype (differentiable), or itself if nothing changes; the device is the CPU."""
    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers."""
    def topk(input, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True, *, axis: _int | Sequence[_int] | None = None) -> return_types.topk:
        """Return the ``k`` largest (or smallest) elements along ``dim``, in order, and their indices."""
    def trace(input) -> Tensor:
        """Return the sum of the diagonal of a matrix."""
    def transpose(input, dim0: Any = None, dim1: Any = None, *dims: _int) -> Tensor:
        """Return the tensor with two dimensions swapped, as PyTorch does; without them in reverse order, as NumPy does."""
    def transpose_(input, dim0: Any = None, dim1: Any = None, *dims: _int) -> Tensor:
        """In-place version of `transpose`: gives the tensor itself the other shape and returns it."""
    def triangular_solve(b, A: Operand, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False) -> return_types.triangular_solve:
        """Return ``(X, A)`` with ``A @ X = b`` for a triangular A: the older form of `linalg.solve_triangular`."""
    def tril(input, diagonal: _int = 0) -> Tensor:
        """Return the matrix (or batch) with zeros above the given diagonal."""
    def tril_(input, diagonal: _int = 0) -> Tensor:
        """In-place version of `tril`: writes the result to the tensor's memory and returns it."""
    def triu(input, diagonal: _int = 0) -> Tensor:
        """Return the matrix (or batch) with zeros below the given diagonal."""
    def triu_(input, diagonal: _int = 0) -> Tensor:
        """In-place version of `triu`: writes the result to the tensor's memory and returns it."""
    def true_divide(input, other: Operand, *, rounding_mode: _str | None = None) -> Tensor:
        """Return ``input / other``; ``rounding_mode`` 'floor' or 'trunc' rounds the quotient (its derivative is zero)."""
    def true_divide_(input, other: Operand, *, rounding_mode: _str | None = None) -> Tensor:
        """In-place version of `div`: writes the result to the tensor's memory and returns it."""
    def trunc(input, *, out: Tensor | None = None) -> Tensor:
        """Return the integer part."""
    def trunc_(input, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `trunc`: writes the result to the tensor's memory and returns it."""
    @overload
    def type(self) -> _str:
        """Return the tensor in another dtype, or without argument PyTorch's name of its type."""
    @overload
    def type(self, dtype: Any, non_blocking: _bool = False) -> Tensor: ...
    @overload
    def type(self, dtype: DTypeLike | None = None, non_blocking: _bool = False) -> Any: ...
    def type_as(self, other: Tensor) -> Tensor:
        """Return the tensor in the dtype of ``other``."""
    def unbind(input, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
        """Return views: the parts of the tensor along ``dim``, without that dimension."""
    def unflatten(input, dim: _int, size: Any) -> Tensor:
        """Return the tensor with one dimension split into several; one of their sizes may be -1."""
    def unfold(self, dimension: _int, size: _int, step: _int) -> Tensor:
        """Return a view of all windows of ``size`` elements along ``dimension``, ``step`` apart, as a last dimension."""
    def uniform_(self, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        """Fill the tensor with uniform draws from [from, to); returns it. The gradient of its old value is zero."""
    @overload
    def unique(input, sorted: _bool = True, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None) -> Tensor:
        """Return the different elements in order (or slices along ``dim``)."""
    @overload
    def unique(input, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None, *, axis: _int | Sequence[_int] | None = None) -> Any: ...
    @overload
    def unique_consecutive(input, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None) -> Tensor:
        """Return the elements (or slices along ``dim``) without repetitions in a row."""
    @overload
    def unique_consecutive(input, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None, *, axis: _int | Sequence[_int] | None = None) -> Any: ...
    def unsafe_chunk(input, chunks: _int, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
        """Return `chunk`, in views that may be written to."""
    def unsafe_split(tensor, split_size: Any, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
        """Return `split`, in views that may be written to."""
    def unsafe_split_with_sizes(input, split_sizes: Any, dim: _int = 0, *, axis: _int | Sequence[_int] | None = None) -> tuple[Tensor, ...]:
        """Return `split_with_sizes`, in views that may be written to."""
    def unsqueeze(input, dim: _int, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """Return the tensor with a new dimension of size 1 at ``dim``."""
    def unsqueeze_(input, dim: _int, *, axis: _int | Sequence[_int] | None = None) -> Tensor:
        """In-place version of `unsqueeze`: gives the tensor itself the other shape and returns it."""
    def var(input, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None, ddof: Any = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None) -> Tensor:
        """Return the variance, of all elements or along ``dim``."""
    def vdot(input, other: Operand) -> Tensor:
        """Return the sum of products of two vectors, the first conjugated."""
    def view(self, *shape: Any, size: Any = None, dtype: DTypeLike | None = None) -> Tensor:
        """Return the elements under another shape (or read as another dtype) without moving them."""
    def view_as(self, other: Operand) -> Tensor:
        """Return `view` of the shape of ``other``."""
    def vsplit(input, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Return `tensor_split` along the dimension that vsplit stands for."""
    def where(self, condition: Operand, other: Operand) -> Tensor:
        """Return ``self`` where ``condition`` holds, else ``other``."""
    def xlogy(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """Return a * log(b), 0 where a is 0."""
    def xlogy_(input, other: Operand, *, out: Tensor | None = None) -> Tensor:
        """In-place version of `xlogy`: writes the result to the tensor's memory and returns it."""
    def zero_(self) -> Tensor:
        """Set every element to zero and return the tensor."""
