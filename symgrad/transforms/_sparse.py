"""Sparse second derivatives where there is no program: products with the matrix, as many as its pattern has colours.

The idea to hold: the pattern is found by a walk of the recorded graph, which differentiates nothing; columns of one
colour are computed together, one sweep for each colour. Where the pattern cannot be known it is full, and that is an
error rather than a dense matrix in disguise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _limits
from .._errors import GradientError, SymgradError, refusal
from ..core import Tensor, edge
from ._arguments import Argnums
from ._by_tape import by_tape, shown, through
from ._hessian import Hessian
from ._memory import require_memory
from ._variables import pull


def pattern_of(output: Tensor, tensors: list[Tensor], reason: str) -> Any:
    """The pattern of the matrix as a SciPy CSR array of truth values."""
    from ..programs._pattern import hessian_pattern
    from ..programs._survey import Unprogrammable

    try:
        return hessian_pattern(edge(output), [edge(t) for t in tensors])
    except (SymgradError, Unprogrammable) as error:
        raise GradientError(
            "the pattern of this Hessian cannot be found", f"{error}; and there is no program: {reason or OVERFLOW}.",
            'Ask for the dense matrix (format="dense"), or for products (sg.hvp).',
        ) from None  # fmt: skip


OVERFLOW = "a number on its way is not finite"


def by_colours(output: Tensor, tensors: list[Tensor], format: str, reason: str, progress: bool) -> Any:
    """The matrix in CSR, by one product for each colour of its pattern."""
    from scipy.sparse import csr_array

    from ..programs._colour import Recovery, star_colours

    n, refused = sum(t._data.size for t in tensors), refusal.get()
    try:
        pattern = pattern_of(output, tensors, reason)
    except GradientError:
        refusal.set(refused)
        if n > _limits.WITHOUT_PATTERN:
            raise
        return _formed(csr_array(by_tape(output, tensors, progress)), format)
    if pattern.nnz > n * n // 4 and n > _limits.FULL_PATTERN:
        require_memory(n, output._data.dtype)
        if format == "structured":  # nothing is gained by it
            return by_tape(output, tensors, progress)
    recovery = Recovery(pattern, star_colours(pattern))
    seeds = recovery.seeds()
    first = pull([output], tensors, [None], True, True)
    columns = []
    for k in shown(list(range(seeds.shape[1])), progress, "colours"):
        columns.append(through(first, tensors, np.asarray(seeds[:, k])))
    products = np.stack(columns, axis=1) if columns else np.zeros((n, 0))
    return _formed(recovery.matrix(products), format)


def _formed(matrix: Any, format: str) -> Any:
    """The matrix as it was asked for."""
    if format != "structured":
        return matrix
    from ..programs._structured import Sparse

    return Sparse(matrix)


def sparsity(f: Callable[..., Any], *args: Any, argnums: Argnums = 0) -> Any:
    """Return which second derivatives of ``f`` can be other than zero, as a sparse matrix of truth values.

    Parameters
    ----------
    f : function of arrays that returns one number
    args : where; ``f`` is run once, and not differentiated
    argnums : as in `hessian`

    Returns
    -------
    scipy.sparse.csr_array of bool, N×N for N entries of the argument, flattened. Every second derivative that is not
    zero is in it, at every point where ``f`` takes the same way; some that are zero may be.

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
    """
    from scipy.sparse import csr_array

    hessian = Hessian(f, argnums, "csr")
    run, route = hessian._recorded(args, {})
    total = sum(t._data.size for t in run.inputs)
    if run.output._node is None:
        return csr_array((total, total), dtype=bool)
    if route.program is not None:
        p = route.program.module.pattern
        return csr_array((np.ones(len(p.indices), bool), p.indices, p.indptr), shape=p.shape)
    return pattern_of(run.output, run.variables.tensors, route.reason)


__all__ = ["by_colours", "pattern_of", "sparsity"]
