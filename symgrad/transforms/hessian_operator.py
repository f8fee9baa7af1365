"""``sg.hessian_operator``: the matrix of second derivatives as its products, a `LinearOperator` of SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from .._errors import ShapeError, SymbolicBranchError
from ..core import Symbol, wrap
from .calls.call_arguments import OneArgument, of_one_argument
from .calls.run import Run
from .calls.tree import cut_to_shapes, entry_names, flatten, spelled_paths, unflatten
from .calls.variables import refuse_captured
from .products import Curvature

# ``sg.hessian_operator``: the Hessian as SciPy's linear operator, for eigenvalues, linear systems and minimisers

# The idea to hold: the gradient's graph is recorded once and kept; every product is one sweep through it.


class HessianOperator(LinearOperator):
    """The Hessian of a function at a point, as a linear operator of the flattened argument.

    Attributes
    ----------
    shape, dtype : (n, n), where n is the number of entries of the argument; the dtype of its arrays together
    value : the function's value there
    gradient : its gradient, flattened: of shape (n,)
    labels : what the n coordinates are: ``x['W'][0, 1]``
    """

    def __init__(self, f: Callable[..., Any], x: Any) -> None:
        call = OneArgument("hessian_operator", f, x)
        if any(type(leaf) is Symbol for leaf in call.leaves):
            raise _no_numbers("its argument holds a symbol")
        run = Run("hessian_operator", call)
        if any(type(t) is Symbol for t in run.outputs):
            raise _no_numbers("the function uses a symbol")
        refuse_captured(run.output, "sg.hessian_operator")
        self._curvature = Curvature(run)
        self._inputs = [t._data for t in run.inputs]
        count = sum(a.size for a in self._inputs)
        super().__init__(np.result_type(*self._inputs), (count, count))
        self._spec, self._x = run.spec.parts[0], x
        self.value: Any = run.output._data[()]
        found = [None if g is None else g._data for g in self._curvature.gradients]
        zeros = [np.zeros(a.shape, a.dtype) for a in self._inputs]
        self.gradient: np.ndarray = self._flat([z if g is None else g for g, z in zip(found, zeros, strict=True)])

    @property
    def labels(self) -> list[str]:
        """What the coordinates are, as Python writes them."""
        names = [text for text, leaf in zip(spelled_paths(self._x, "x"), flatten(self._x)[0]) if leaf is not None]
        return [label for name, a in zip(names, self._inputs, strict=True) for label in entry_names(name, a.shape)]

    def _flat(self, arrays: list[np.ndarray]) -> np.ndarray:
        if len(arrays) == 1:
            return np.array(arrays[0], self.dtype).reshape(-1)
        return np.concatenate(arrays, None, dtype=self.dtype)

    def _pieces(self, vector: np.ndarray) -> list[np.ndarray]:
        return cut_to_shapes(vector, [a.shape for a in self._inputs])

    def _matvec(self, x: np.ndarray) -> np.ndarray:
        if np.iscomplexobj(x):
            return self._matvec(x.real) + 1j * self._matvec(x.imag)
        parts = zip(self._pieces(np.reshape(x, -1)), self._inputs, strict=True)
        seeds = [wrap(np.array(part, a.dtype)) for part, a in parts]
        return self._flat([t._data for t in self._curvature.times(seeds, False, True)])

    _rmatvec = _matvec

    def _matmat(self, X: np.ndarray) -> np.ndarray:
        columns = [self._matvec(column) for column in np.asarray(X).T]
        return np.stack(columns, 1) if columns else np.zeros((self.shape[0], 0), self.dtype)

    _rmatmat = _matmat

    def _adjoint(self) -> HessianOperator:
        return self

    _transpose = _adjoint

    def to_dense(self) -> np.ndarray:
        """Return the matrix, of shape (n, n). Cost: n sweeps."""
        return self._matmat(np.eye(self.shape[0], dtype=self.dtype))

    def unflatten(self, vector: Any) -> Any:
        """Return a vector of shape (n,), an eigenvector say, in the structure and shapes of the argument."""
        vector = np.asarray(vector)
        if vector.shape != self.shape[:1]:
            raise ShapeError(
                f"unflatten takes a vector of {self.shape[0]} entries", f"It got one of shape {vector.shape}.",
                "Columns of a matrix are given one by one: V[:, 0].",
            )  # fmt: skip
        return unflatten(self._spec, [part[()] for part in self._pieces(vector)])

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        # SciPy's trust-region minimisers multiply what hess returns by np.dot
        if func in (np.dot, np.matmul) and len(args) == 2 and not kwargs:
            a, b = args
            return a @ b if a is self else (self @ np.asarray(a).T).T
        if func in (np.iscomplexobj, np.isrealobj):  # asked by its Krylov methods
            return func(np.empty(0, self.dtype))
        return NotImplemented


def _no_numbers(why: str) -> SymbolicBranchError:
    return SymbolicBranchError(
        f"sg.hessian_operator multiplies by numbers, and {why}", "A symbol has no values.",
        "Use sg.hvp(f, x, v) or sg.hessian(f)(x), which give formulas, or pass arrays.",
    )  # fmt: skip


@of_one_argument
def hessian_operator(f: Callable[..., Any], x: Any) -> HessianOperator:
    """Return the Hessian of a function at ``x`` as a SciPy linear operator, which multiplies without being formed.

    Parameters
    ----------
    f : function of one array, or of one container of arrays, that returns one number; hold further arguments with
        `fix`, or close over them
    x : where to differentiate, n entries in all

    Returns
    -------
    A symmetric ``scipy.sparse.linalg.LinearOperator`` of shape (n, n), acting on the flattened argument (arrays one
    after the other, each row by row). It also has ``value``, ``gradient`` (n,), ``labels`` of the coordinates,
    ``to_dense()`` and ``unflatten(vector)``. SciPy's ``eigsh``, ``cg``, ``minres`` take it, and ``minimize`` with the
    methods trust-ncg, trust-krylov, trust-constr and Newton-CG: ``hess=lambda x: sg.hessian_operator(f, x)``.

    Raises
    ------
    ShapeError : ``f`` returns more than one number
    SymbolicBranchError : there is a symbol in ``x``

    Notes
    -----
    Cost: one gradient, recorded, whose graph is kept as long as the operator; one sweep per product: k products cost
    one recording and k sweeps.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> from scipy.sparse.linalg import cg, eigsh
    >>> f = lambda x: (x ** 4).sum() / 12 + x[0] * x[1]
    >>> H = sg.hessian_operator(f, np.array([1.0, 2.0, 3.0]))
    >>> H @ np.array([1.0, 0.0, 0.0])
    array([1., 1., 0.])
    >>> eigsh(H, k=1, return_eigenvectors=False).round(6)
    array([9.])
    >>> step, info = cg(H, H.gradient)
    >>> np.allclose(H @ step, H.gradient), info
    (True, 0)

    The formula of the product is that of `hvp`:

    >>> print(sg.hvp(lambda x: (x ** 4).sum() / 12, sg.symbol("x", "n"), sg.symbol("v", "n")))
    v ⊙ x²
    """
    return HessianOperator(f, x)
