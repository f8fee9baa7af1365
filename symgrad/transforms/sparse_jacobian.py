"""Sparse Jacobians: products with the matrix, as many as its columns or rows have colours.

The idea to hold: the pattern is found by a walk of the recorded graph, which differentiates nothing; columns of which
no two meet in a row are computed together, by one tangent for all of them (rows by one gradient). Where the pattern
cannot be known, the dense matrix is taken if it is small; else that is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, starmap
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import DTypeError, GradientError, SymgradError, TooLargeError, refusal
from ..core import Symbol, Tensor, edge, is_leaf_node, wrap
from ..programs import Survey, Unprogrammable
from ..programs.sparsity import Grouping, best_grouping, jacobian_pattern
from ..sweep import NoForwardRule, PullMany
from .calls.run import Pushforward, Run, available, in_bytes
from .calls.tree import unflatten
from .calls.variables import grad_or_none, recording

_BY_ROWS = {"jacobian": None, "jacfwd": False, "jacrev": True}


class KnownGroups(NamedTuple):
    """How the columns (or rows) of a Jacobian are grouped, and of which graphs: those of one structure with the same
    indices, whose constants have their zeros at the same places; ``key`` is None where graphs cannot be compared."""

    key: Any
    fixed: list[np.ndarray]
    zeros: list[np.ndarray]
    by_rows: bool | None
    groups: Grouping


def sparse_jacobian(run: Run, last: KnownGroups | None) -> tuple[Any, KnownGroups | None]:
    """The Jacobian of a run in the form of its arguments, in CSR, and how its columns or rows are grouped.

    ``last`` is what is known from an earlier run: it is taken where it holds.
    """
    outputs, tensors = run.outputs, run.variables.tensors
    _require_numbers(run)
    by_rows = _BY_ROWS[run.kind]
    if any(o._data.dtype.kind == "c" for o in outputs):  # a gradient in a real variable is real
        if by_rows:
            raise GradientError(
                'sg.jacrev with format="csr" takes functions that return real numbers',
                "This one returned complex ones, and gradients see only one part of them.",
                'Use sg.jacobian(f, format="csr").',
            )
        by_rows = False
    refused = refusal.get()
    try:
        known = _grouped(outputs, tensors, by_rows, last)
    except GradientError:
        refusal.set(refused)
        if sum(o._data.size for o in outputs) * sum(t._data.size for t in tensors) > _limits.WITHOUT_PATTERN**2:
            raise
        return _blocks(run, _dense(run)), None
    with recording():
        matrix = _computed(known.groups, outputs, tensors)
        if not np.isfinite(matrix.data).all():
            again = _again(known.groups, outputs, tensors, by_rows is False)
            matrix = matrix if again is None else again
    return _blocks(run, matrix), known


def _grouped(
    outputs: Sequence[Tensor], tensors: Sequence[Tensor], by_rows: bool | None, last: KnownGroups | None
) -> KnownGroups:
    """How columns or rows are grouped; what is known from an earlier run is taken where it holds."""
    key, fixed, zeros = _structure(outputs, tensors)
    if last is not None and key is not None and key == last.key and by_rows is last.by_rows:
        pairs = [*zip(fixed, last.fixed, strict=True), *zip(zeros, last.zeros, strict=True)]
        if all(starmap(np.array_equal, pairs)):
            return last
    pattern = pattern_of(outputs, tensors, True)
    same = last is not None and last.by_rows is by_rows and _same(last.groups.pattern, pattern)
    groups = last.groups if last is not None and same else best_grouping(pattern, by_rows)
    return KnownGroups(key, [a.copy() for a in fixed], zeros, by_rows, groups)


def _structure(outputs: Sequence[Tensor], tensors: Sequence[Tensor]) -> tuple[Any, list[np.ndarray], list[np.ndarray]]:
    """A key, indices, and the zeros of constants: graphs in which all these are the same have the same pattern. The key
    is None where it cannot be said."""
    edges = [edge(t) for t in tensors]
    if not all(map(is_leaf_node, edges)):
        return None, [], []
    try:
        survey = Survey([None if o._node is None else edge(o) for o in outputs], edges)
    except (SymgradError, Unprogrammable):
        return None, [], []
    key = (survey.key, tuple([o._data.shape for o in outputs]))
    return key, survey.fixed, [a == 0 for a in survey.arrays[len(tensors) :]]


def pattern_of(outputs: Sequence[Tensor], tensors: Sequence[Tensor], constants: bool) -> Any:
    """The pattern of the whole matrix as a SciPy CSR array of truth values."""
    roots = [(None if o._node is None else edge(o), o._data.shape) for o in outputs]
    try:
        return jacobian_pattern(roots, list(tensors), constants)
    except (SymgradError, Unprogrammable) as error:
        raise GradientError(
            "the pattern of this Jacobian cannot be found", f"{error}.",
            'Ask for the dense matrix (format="dense"), or for products (sg.jvp for Jv, sg.vjp for Jᵀg).',
        ) from None  # fmt: skip


def _require_numbers(run: Run) -> None:
    """Raise for what has no sparse Jacobian: complex arguments, and results that others differentiate."""
    name = f'sg.{run.kind} with format="csr"'
    for t in run.inputs:
        if t._data.dtype.kind == "c":
            raise DTypeError(
                f"{name} takes real arguments", f"One has dtype {t._data.dtype}.",
                "Differentiate in the real and the imaginary part.",
            )  # fmt: skip
    if any(type(o) is Symbol for o in run.outputs) or run.variables.concerns_outside(run.outputs):
        raise GradientError(
            f"{name} gives numbers, and its result is to be differentiated again",
            "A matrix of SciPy has no history, so no derivative would flow through it.",
            'Ask for format="dense" there; or, if numbers are what is wanted, call it in sg.no_grad().',
        )


def _same(a: Any, b: Any) -> bool:
    return a.shape == b.shape and np.array_equal(a.indptr, b.indptr) and np.array_equal(a.indices, b.indices)


def _again(last: Grouping, outputs: Sequence[Tensor], tensors: Sequence[Tensor], forwards: bool) -> Any:
    """The matrix where the first one has numbers that are not finite; None if nothing more can be known.

    Zero times infinity is NaN: a tangent meets it wherever it does not move, and both ways where a constant is zero. So
    zeros of constants count no more, and the matrix is computed by rows, if it may be.
    """
    try:
        pattern = pattern_of(outputs, tensors, False)
    except GradientError:
        pattern = last.pattern
    if (forwards or last.by_rows) and _same(pattern, last.pattern):
        return None
    try:
        matrix = _computed(best_grouping(pattern, not forwards), outputs, tensors)
    except TooLargeError:
        return None
    return matrix if pattern is last.pattern else _within(matrix, last.pattern)


def _within(matrix: Any, pattern: Any) -> Any:
    """The entries of a matrix that a smaller pattern has."""
    n = pattern.shape[1]
    keys = [np.repeat(np.arange(n_rows, dtype=np.int64), np.diff(p.indptr)) * n + p.indices
            for p, n_rows in ((matrix, matrix.shape[0]), (pattern, pattern.shape[0]))]  # fmt: skip
    found = pattern.astype(matrix.dtype)
    found.data = matrix.data[np.searchsorted(*keys)]
    return found


def _computed(groups: Grouping, outputs: Sequence[Tensor], tensors: Sequence[Tensor]) -> Any:
    """The whole matrix, as many colours at a time as keep the arrays on the way small."""
    dtype = np.result_type(*[t._data.dtype for t in (*tensors, *outputs) if t._node is not None])
    given, taken = (outputs, tensors) if groups.by_rows else (tensors, outputs)
    sizes = [sum(t._data.size for t in side) for side in (given, taken)]
    chunk = max(1, min(groups.count, _limits.AT_ONCE // max(*sizes, 1)))
    need, free = (chunk * sum(sizes) + groups.pattern.nnz) * dtype.itemsize, available()
    if need > free:
        m, n = groups.pattern.shape
        raise TooLargeError(
            f"a sparse Jacobian of {m:,} outputs in {n:,} variables takes {in_bytes(need)}, and {in_bytes(free)} are "
            "free",
            f"Its pattern has {groups.pattern.nnz:,} entries.",
            "Ask for products (sg.vjp for Jᵀg, sg.jvp or sg.linearize for Jv).",
        )
    data = np.zeros(groups.pattern.nnz, dtype)
    product = _vjps(outputs, tensors) if groups.by_rows else _jvps(outputs, tensors)
    ends = np.cumsum([0, *[t._data.size for t in given]])
    for start in range(0, groups.count, chunk):
        chosen = range(start, min(start + chunk, groups.count))
        seeds = groups.seeds(chosen)
        parts = [
            seeds[:, a:b].reshape((len(chosen), *t._data.shape)).astype(t._data.dtype)
            for (a, b), t in zip(pairwise(ends), given, strict=True)
        ]
        found = [
            np.zeros((len(chosen), t._data.size)) if p is None else p.reshape(len(chosen), -1)
            for p, t in zip(product(parts), taken, strict=True)
        ]
        groups.read(data, np.concatenate(found, axis=1), chosen)
    return groups.matrix(data)


def _jvps(outputs: Sequence[Tensor], tensors: Sequence[Tensor]) -> Any:
    """(tangents of the variables, stacked in front) -> those of the outputs."""
    live = [k for k, o in enumerate(outputs) if o._node is not None]
    push = Pushforward([outputs[k] for k in live], tensors)

    def product(units: Sequence[Any]) -> list[Any]:
        found = [None] * len(outputs)
        for k, t in zip(live, push.together(units, len(units[0])), strict=True):
            found[k] = t
        return found

    return product


def _vjps(outputs: Sequence[Tensor], tensors: Sequence[Tensor]) -> Any:
    """(gradients of the outputs, stacked in front) -> those of the variables."""
    live = [k for k, o in enumerate(outputs) if o._node is not None]
    try:
        many = PullMany([edge(outputs[k]) for k in live], [edge(t) for t in tensors])
    except NoForwardRule:
        many = None

    def product(seeds: Sequence[Any]) -> list[Any]:
        if many is not None:
            try:
                return many([seeds[k] for k in live])
            except NoForwardRule:
                pass
        rows = []
        for i in range(len(seeds[0])):
            found = grad_or_none([outputs[k] for k in live], tensors, [wrap(seeds[k][i]) for k in live], False, True)
            rows.append(
                [np.zeros(t._data.shape) if g is None else g._data for g, t in zip(found, tensors, strict=True)]
            )
        return [np.stack(column) for column in zip(*rows, strict=True)]

    return product


def _dense(run: Run) -> Any:
    """The dense Jacobian in CSR, without what is zero."""
    from scipy.sparse import csr_array

    blocks = run._all_blocks(run.outputs, False, None)
    rows = [
        [b._data.reshape(o._data.size, t._data.size) for b, t in zip(row, run.inputs, strict=True)]
        for row, o in zip(blocks, run.outputs, strict=True)
    ]
    return csr_array(np.block(rows))


def _blocks(run: Run, matrix: Any) -> Any:
    """The matrix in the form of the arguments: taken apart where there are several arrays."""
    if len(run.inputs) == 1 and len(run.outputs) == 1:
        return unflatten(run.output_spec, [run.form([matrix])])
    across = np.cumsum([0, *[t._data.size for t in run.inputs]]).tolist()
    found, start = [], 0
    for o in run.outputs:
        rows = matrix[start : start + o._data.size]
        start += o._data.size
        found.append(run.form([rows[:, a:b] for a, b in pairwise(across)]))
    return unflatten(run.output_spec, found)
