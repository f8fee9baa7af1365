"""Sparse systems under SciPy's names, differentiated by the equation that they solve.

The idea to hold: ``A x = b`` moves with ``dx = A⁻¹(db − dA x)``, whatever solved it. The gradient is a solution with
the adjoint matrix by the same solver, and is written with the same operation, so that there is no last order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as _sparse
import scipy.sparse.linalg as _scipy

from ..._array import ARRAYS, numbers_of, to_arrays, to_tensors
from ..._errors import GradientError
from ...autograd import Function
from ...core import Symbol, tensor_around, wrap
from ...ops import named
from .._mirrored import SOLVES, called_as, floating, is_differentiated, of_symbol, refused
from ._sparse_arrays import SparseArray, SparsityPattern, fitted


class Direct:
    """Solutions by a factorisation, which is made when the first is asked for, and serves the adjoint too."""

    def __init__(self, matrix: Any, options: dict[str, Any] | None = None) -> None:
        self._kind = np.result_type(matrix.dtype, np.float32)  # as SuperLU takes them: of one kind of numbers
        self._matrix, self._options = matrix, options or {}

    @functools.cached_property
    def factors(self) -> Any:
        """SciPy's factorisation."""
        return _scipy.splu(_sparse.csc_array(self._matrix, dtype=self._kind), **self._options)

    def __call__(self, b: np.ndarray, adjoint: bool) -> np.ndarray:
        if b.dtype.kind == "c" and self._kind.kind != "c":
            return self(b.real, adjoint) + 1j * self(b.imag, adjoint)
        return np.asarray(self.factors.solve(np.asarray(b, self._kind), "H" if adjoint else "N"))


class Iterative:
    """Solutions by an iteration of SciPy's: of the matrix, and of its adjoint.

    An ``atol`` is for a right side of the ``size`` of the user's: that of a derivative is scaled to it.
    """

    def __init__(self, name: str, matrix: Any, options: dict[str, Any], size: float) -> None:
        self._name, self._matrix, self._options, self._size = name, matrix, options, size or 1.0

    def __call__(self, b: np.ndarray, adjoint: bool) -> np.ndarray:
        if not np.isfinite(b).all():  # an iteration would not end
            return np.full(b.shape, np.nan, np.result_type(b, np.float64))
        options = dict(self._options)
        matrix = self._matrix
        if adjoint and self._name not in ("cg", "minres"):  # whose matrices are Hermitian
            matrix = matrix.conj().T if hasattr(matrix, "conj") else _scipy.aslinearoperator(matrix).H
            if options.get("M") is not None:
                options["M"] = _scipy.aslinearoperator(options["M"]).H
        scale = float(np.linalg.norm(b)) or 1.0
        x, info = getattr(_scipy, self._name)(matrix, b / scale * self._size, **options)
        if info != 0:
            raise GradientError(
                f"symgrad.scipy.sparse.linalg.{self._name}: the system of the derivative was not solved",
                f"SciPy's info is {info}.", "Allow more iterations, a preconditioner or another rtol.",
            )  # fmt: skip
        return np.asarray(x) / self._size * scale


class _Solution(Function):
    """``apply(data, b, pattern, solve, adjoint, x)``: the solution, x if it is known, of the array of these entries.

    ``data`` is of no size where the matrix is constant: ``solve`` has it.
    """

    _found = True

    @staticmethod
    def forward(ctx: Any, data: Any, b: Any, pattern: Any, solve: Any, adjoint: bool, x: Any) -> Any:
        ctx.pattern, ctx.solve, ctx.adjoint = pattern, solve, adjoint
        out = wrap(solve(b._data, adjoint) if x is None else np.array(x))
        ctx.save_for_backward(data, b, out)
        return out

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        data, b, x = ctx.saved_tensors
        of_data = ctx.needs_input_grad[0]
        turned = ctx.pattern.turned if ctx.pattern is not None else None
        w = _Solution.apply(data.conj(), g, turned, ctx.solve, not ctx.adjoint, None)
        d_data = -fitted(ctx.pattern.of_products(w, x.conj()), data.dtype) if of_data else None
        return d_data, fitted(w, b.dtype), None, None, None, None

    @staticmethod
    def jvp(ctx: Any, d_data: Any, db: Any, *_: Any) -> Any:
        data, b, x = ctx.saved_tensors
        moved = b * 0.0 if db is None else db
        if d_data is not None and ctx.pattern is not None:
            moved = moved - SparseArray(d_data, ctx.pattern) @ x
        return _Solution.apply(data, moved, ctx.pattern, ctx.solve, ctx.adjoint, None)


class _System:
    """A call: the matrix's numbers for SciPy, and what of it is differentiated."""

    def __init__(self, what: str, A: Any, *others: Any) -> None:
        self.pattern: SparsityPattern | None = None
        self.data: Any = wrap(np.zeros(0))
        own = None
        if isinstance(A, SparseArray) or is_differentiated(A):
            A = SparseArray.of(A)
            own, self.pattern = A.data, A._pattern
        self.of_arrays = any(type(v) in ARRAYS for v in (own, *others))
        if any(type(to_tensors(v)) is Symbol for v in (own, *others) if v is not None):
            raise of_symbol(f"sparse.linalg.{what}", SOLVES)
        if own is None:
            self.matrix = _plain(A)
        else:
            self.data = to_tensors(own).reshape((-1,))
            self.matrix = self.pattern.filled(self.data.detach().numpy()).tocsc()  # type: ignore[union-attr]
        self.is_differentiated = own is not None or any(map(is_differentiated, others))

    def solution(self, b: Any, solve: Any, x: Any = None) -> Any:
        """The solution for a right side; x if it is known."""
        b = tensor_around(floating(to_tensors(b)))
        if len(b.shape) == 2 and b.shape[1] == 1 and x is not None and np.ndim(x) == 1:
            b = b.reshape((-1,))  # SciPy's results have one axis then
        found = _Solution.apply(self.data, b, self.pattern, solve, False, x)
        return to_arrays(found) if self.of_arrays else found


def _plain(value: Any) -> Any:
    return numbers_of(to_tensors(value))


# ------------------------------------------------------------------------------------------------------------ direct


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """Return the solution of a sparse system, as `scipy.sparse.linalg.spsolve`.

    Parameters are those of `scipy.sparse.linalg.spsolve`.

    Parameters
    ----------
    A : (n, n), SciPy's sparse array, or a `symgrad.scipy.sparse.SparseArray`, whose entries are differentiable
    b : (n,) or (n, k), dense; differentiable

    Raises
    ------
    NotDifferentiableError : a sparse b beside what is differentiated; symbols

    Notes
    -----
    ``∂f/∂b = A⁻ᴴ g`` and ``∂f/∂A = −(A⁻ᴴ g) xᴴ``, at the entries of A only. The first gradient factorises A; it and all
    that follow are solved with these factors.

    Examples
    --------
    >>> import numpy as np, scipy.sparse
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> places = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> def f(d):
    ...     return sp.sparse.linalg.spsolve(sp.sparse.csc_array((d, places)), np.array([3.0, 4.0]))[0]
    >>> sg.grad(f)(np.array([2.0, 1.0, 4.0]))  # of (3 − 4 d₁/d₂) / d₀
    array([-0.5  , -0.5  ,  0.125])
    """
    system = _System("spsolve", A, b)
    if not system.is_differentiated:
        return _scipy.spsolve(system.matrix, b, permc_spec, use_umfpack)
    if _sparse.issparse(b):
        raise refused("sparse.linalg.spsolve with a sparse right side", "", "Pass b.toarray().")
    matrix, numbers = _sparse.csc_array(system.matrix), np.asarray(_plain(b))
    matrix = matrix.astype(np.result_type(matrix, numbers, np.float32))
    x = _scipy.spsolve(matrix, numbers, permc_spec, use_umfpack)
    return system.solution(b, Direct(matrix), x)


class Factorised:
    """What `splu` returns: ``solve(b)``, differentiable, and all that SciPy's ``SuperLU`` has."""

    def __init__(self, system: _System, solve: Direct) -> None:
        self._system, self._solver = system, solve

    def __getattr__(self, name: str) -> Any:
        return getattr(self._solver.factors, name)

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """The solution for a right side (n,) or (n, k); ``trans``: "T" or "H", of the transpose or the adjoint."""
        system, solver = self._system, self._solver
        if not is_differentiated(rhs) and system.pattern is None:
            return solver.factors.solve(_plain(rhs), trans)
        both = [SparseArray(system.data, system.pattern)] if system.pattern else []
        both.append(solver._matrix)
        if trans != "N":
            both = [m.T if trans == "T" else m.conj().T for m in both]
            solver = Direct(_sparse.csc_array(both[-1]))
        call = _System("splu", both[0], rhs)
        call.of_arrays = call.of_arrays or system.of_arrays
        return call.solution(rhs, solver)


@called_as(_scipy.splu)
def splu(A: Any, **further: Any) -> Any:
    """Return the factorisation of a sparse array, as `scipy.sparse.linalg.splu`; its ``solve`` is differentiable.

    Parameters are those of `scipy.sparse.linalg.splu`.

    Parameters
    ----------
    A : (n, n), as of `spsolve`

    Raises
    ------
    RuntimeError : a singular array, SciPy's

    Notes
    -----
    Costs are those of `spsolve`; the factors are SciPy's, and constants.

    Examples
    --------
    >>> import numpy as np, scipy.sparse
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> factors = sp.sparse.linalg.splu(scipy.sparse.csc_array([[2.0, 1.0], [0.0, 4.0]]))
    >>> sg.jacobian(factors.solve)(np.ones(2))
    array([[ 0.5  , -0.125],
           [ 0.   ,  0.25 ]])
    """
    system = _System("splu", A)
    solver = Direct(_sparse.csc_array(system.matrix), further)
    solver.factors  # noqa: B018  (a singular array is an error now)
    return Factorised(system, solver)


def factorized(A: Any) -> Callable[[Any], Any]:
    """Return a function that solves a system for a right side, as `scipy.sparse.linalg.factorized`; differentiable.

    Parameters are those of `scipy.sparse.linalg.factorized`.

    Raises
    ------
    RuntimeError : a singular array, SciPy's

    Notes
    -----
    Costs are those of `splu`.

    Examples
    --------
    >>> import numpy as np, scipy.sparse
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> solve = sp.sparse.linalg.factorized(scipy.sparse.csc_array([[2.0, 1.0], [0.0, 4.0]]))
    >>> sg.grad(lambda b: solve(b)[0])(np.ones(2))
    array([ 0.5  , -0.125])
    """
    return splu(A).solve


# --------------------------------------------------------------------------------------------------------- iterations


class _Unsolved:
    """In place of a solver whose result is no solution: a derivative of it is an error."""

    def __init__(self, name: str, info: int) -> None:
        self._name, self._info = name, info

    def __call__(self, b: np.ndarray, adjoint: bool) -> np.ndarray:
        raise GradientError(
            f"symgrad.scipy.sparse.linalg.{self._name} has not found a solution, so there is no derivative of it",
            f"SciPy's info is {self._info}.", "Allow more iterations, a preconditioner or another rtol.",
        )  # fmt: skip


_DOC = """Return the solution of a linear system by an iteration, and SciPy's info, as `scipy.sparse.linalg.{name}`.

    Parameters are those of `scipy.sparse.linalg.{name}`.

    Parameters
    ----------
    A : (n, n){kind}: SciPy's sparse array or `LinearOperator`, constants; or a `symgrad.scipy.sparse.SparseArray`, an
        array or a tensor, whose entries are differentiable
    b : (n,), differentiable

    Raises
    ------
    GradientError : when a derivative is taken: SciPy has not converged, here or in the system of the derivative

    Notes
    -----
    By the equation that is solved: a gradient is one more iteration, with the adjoint matrix and the same tolerances,
    to which it is exact.

    Examples
    --------
    >>> import numpy as np, scipy.sparse
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> A = scipy.sparse.csr_array([[4.0, 1.0], [1.0, 3.0]])
    >>> sg.grad(lambda b: sp.sparse.linalg.{name}(A, b, rtol=1e-10)[0].sum())(np.ones(2)).round(6)
    array([0.181818, 0.272727])
    """


def _iteration(name: str, kind: str) -> Callable[..., Any]:
    original = getattr(_scipy, name)

    def solver(A: Any, b: Any, x0: Any, callback: Any, **options: Any) -> Any:
        system = _System(name, A, b, x0)
        if not system.is_differentiated:
            return NotImplemented
        if is_differentiated(options.get("M")):
            raise refused(f"sparse.linalg.{name} in its preconditioner", "The solution does not depend on it.", "")
        x, info = original(system.matrix, _plain(b), _plain(x0), callback=callback, **options)
        if info != 0:
            return system.solution(b, _Unsolved(name, info), x), info
        kept = {k: v for k, v in options.items() if k not in _SAID}
        return system.solution(b, Iterative(name, system.matrix, kept, float(np.linalg.norm(_plain(b)))), x), info

    return called_as(original)(named(solver, name, _DOC.format(name=name, kind=kind)))


_SAID = "callback_type", "show", "check"  # of what the user sees of the iterations

cg: Callable[..., Any] = _iteration("cg", ", Hermitian and positive definite")
minres: Callable[..., Any] = _iteration("minres", ", Hermitian")
gmres: Callable[..., Any] = _iteration("gmres", "")
bicgstab: Callable[..., Any] = _iteration("bicgstab", "")
