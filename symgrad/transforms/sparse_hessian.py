"""Sparse second derivatives where there is no program: products, as many as the pattern has colours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _limits
from .._errors import GradientError, SymgradError, refusal
from .._limits import bound
from .._progress import Task
from ..core import Symbol, Tensor, edge
from ..programs import Unprogrammable
from .calls.call_arguments import Argnums, Arguments
from .calls.run import Run, available, require_number
from .calls.symbolic_run import require_callable
from .calls.variables import grad_or_none
from .routes import by_program, route_of, route_of_run, with_the_tape
from .sparse_jacobian import pattern_of as jacobian_pattern_of
from .tape_route import TAPE, by_tape, product_through_gradient

# -------------------------------------------------------------------------------------------------------------------
# Sparse second derivatives where there is no program: products with the matrix, as many as its pattern has colours

# The idea to hold: the pattern is found by a walk of the recorded graph, which differentiates nothing; columns of one
# colour are computed together, one sweep for each colour. Where the pattern cannot be known it is full, and that is an
# error rather than a dense matrix in disguise.


def pattern_of(output: Tensor, tensors: list[Tensor], reason: str) -> Any:
    """The pattern of the matrix as a SciPy CSR array of truth values."""
    from ..programs.sparsity import hessian_pattern

    try:
        return hessian_pattern(edge(output), [edge(t) for t in tensors])
    except (SymgradError, Unprogrammable) as error:
        raise GradientError(
            "the pattern of this Hessian cannot be found", f"{error}; and there is no program: {reason or OVERFLOW}.",
            'Ask for format="structured" (a sparse part beside few directions), for format="dense", or for sg.hvp.',
        ) from None  # fmt: skip


OVERFLOW = "a number on its way is not finite"


def by_colours(output: Tensor, tensors: list[Tensor], format: str, reason: str) -> Any:
    """The matrix in CSR, by one product for each colour of its pattern."""
    from scipy.sparse import csr_array

    n, refused = sum(t._data.size for t in tensors), refusal.get()
    try:
        with Task("the pattern of second derivatives"):
            pattern = pattern_of(output, tensors, reason)
        return _coloured(output, tensors, format, pattern)
    except GradientError:  # no pattern, or vectors of equal eigenvalues turn: columns show whether that matters
        refusal.set(refused)
        if n > _limits.WITHOUT_PATTERN:
            raise
        return _formed(csr_array(_dense(output, tensors)), format)


def _coloured(output: Tensor, tensors: list[Tensor], format: str, pattern: Any) -> Any:
    from scipy.sparse import csr_array

    from ..programs.sparsity import Recovery, star_colours

    n = pattern.shape[0]
    if _is_nearly_dense(pattern):
        matrix = _dense(output, tensors)
        if format == "structured" and n > _limits.FULL_PATTERN:  # nothing is gained by it
            return matrix
        rows = np.repeat(np.arange(n), np.diff(pattern.indptr))
        entries = (matrix[rows, pattern.indices], pattern.indices, pattern.indptr)
        return _formed(csr_array(entries, shape=(n, n)), format)
    with Task("the colours of a pattern"):
        recovery = Recovery(pattern, star_colours(pattern))
    seeds = recovery.seeds()
    first = grad_or_none([output], tensors, [None], True, True)
    columns = []
    with Task(TAPE, None, seeds.shape[1], "colours") as task:
        for k in task.each(range(seeds.shape[1])):
            columns.append(product_through_gradient(first, tensors, np.asarray(seeds[:, k])))
    products = np.stack(columns, axis=1) if columns else np.zeros((n, 0))
    return _formed(recovery.matrix(products), format)


FILLED = bound(4)
"""A matrix of whose entries more than one in so many may be filled is found dense."""


def _is_nearly_dense(pattern: Any) -> bool:
    """Whether a matrix is found dense: it has about as many colours as columns, and there is room for it."""
    n = pattern.shape[0]
    return FILLED * pattern.nnz > n * n and n * n * np.dtype(float).itemsize <= available()


def is_found_dense(output: Tensor, tensors: list[Tensor], reason: str) -> bool:
    """Whether a matrix that has no sparse program is taken from the dense one (see `by_colours`)."""
    try:
        return _is_nearly_dense(pattern_of(output, tensors, reason))
    except GradientError:
        return sum(t._data.size for t in tensors) <= _limits.WITHOUT_PATTERN


def _dense(output: Tensor, tensors: list[Tensor]) -> np.ndarray:
    """The dense matrix: by its program, or by the tape."""
    route = route_of(output, tensors, "dense", 1)
    found = by_program(route, output, tensors) if route.program is not None else None
    return with_the_tape(route, by_tape(output, tensors)) if found is None else found


def _formed(matrix: Any, format: str) -> Any:
    """The matrix as it was asked for."""
    if format != "structured":
        return matrix
    from ..programs.matrices import Sparse

    return Sparse(matrix)


def sparsity(f: Callable[..., Any], *args: Any, argnums: Argnums = 0) -> Any:
    """Return which second derivatives of a number, or which first ones of a vector, can be other than zero.

    Parameters
    ----------
    f : function of arrays. Where it returns one number (shape ()), the pattern is that of its Hessian; where it
        returns an array, or a container of arrays, that of its Jacobian
    args : where; ``f`` is run once, and not differentiated
    argnums : as in `hessian`; several arguments, and containers, are one after the other

    Returns
    -------
    scipy.sparse.csr_array of bool, which holds every derivative that is not zero, at every point where ``f`` takes the
    same way; it may hold some that are zero. Of a number N×N for N entries of the argument, flattened. Of an array M×N
    for M entries of the output, flattened; there, zeros count of constants (of a matrix that ``f`` multiplies with,
    say): what ``f`` makes of other arguments, or by ``detach``, is a constant of this call.

    Raises
    ------
    GradientError : the graph holds an operation (a user-defined function) whose pattern is not known

    Notes
    -----
    Cost: one run of ``f`` and a walk of its graph, linear in the number of non-zeros.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> rosenbrock = lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
    >>> sg.sparsity(rosenbrock, np.zeros(4)).toarray().astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1],
           [0, 0, 1, 1]])
    >>> sg.sparsity(lambda x: x[1:] * x[:-1], np.zeros(4)).toarray().astype(int)
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    from scipy.sparse import csr_array

    run = Run("sparsity", Arguments(require_callable(f, "sg.sparsity"), args, {}, argnums))
    if run.output_spec.kind is not None or run.output._data.ndim:
        if any(type(o) is Symbol for o in run.outputs):
            raise GradientError("a pattern is found at arrays, and this call has symbols", "", "Pass arrays.")
        return jacobian_pattern_of(run.outputs, run.variables.tensors, True)
    require_number("sparsity", run.output)
    route = route_of_run(run, "csr")
    total = sum(t._data.size for t in run.inputs)
    if run.output._node is None:
        return csr_array((total, total), dtype=bool)
    if route.program is not None:
        p = route.program.module.pattern
        return csr_array((np.ones(len(p.indices), bool), p.indices, p.indptr), shape=p.shape)
    return pattern_of(run.output, run.variables.tensors, route.reason)
