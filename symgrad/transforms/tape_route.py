"""Second derivatives by the tape, and programs compared with it: where they are made, and at two more points."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from .. import _limits
from .._errors import GradientError, SymgradError, refusal
from .._limits import bound
from .._progress import Task
from ..core import LEAF, Tensor, edge, recorded, wrap
from ..programs import Survey, Unprogrammable
from ..programs import program as program_module
from ..sweep import NoForwardRule, Push, many_tangents
from ..sweep.replay import CannotRunAgain, rerun
from .calls.run import chunks, require_memory, unit_vectors
from .calls.tree import cut_to_shapes
from .calls.variables import grad_or_none, recording
from .loops.recurrences import rolled

# -------------------- Second derivatives by the tape: the whole matrix column by column, or its product with a vector

# The idea to hold: this always works, keeps no graph of the second order, and is the truth that programs are compared
# with.


TAPE = "second derivatives by the tape"


def product_by_tape(output: Tensor, tensors: list[Tensor], v: np.ndarray) -> np.ndarray:
    """The matrix times a flat vector, by the tape."""
    return product_through_gradient(grad_or_none([output], tensors, [None], True, True), tensors, v)


def product_through_gradient(first: list[Any], tensors: list[Tensor], v: np.ndarray) -> np.ndarray:
    """The matrix times a flat vector, by a sweep through the recorded gradient."""
    live, seeds = [], []
    for g, part in zip(first, cut_to_shapes(v, [t._data.shape for t in tensors]), strict=True):
        if g is not None and g._node is not None:
            live.append(g)
            seeds.append(wrap(np.asarray(part, g._data.dtype)))
    found = grad_or_none(live, tensors, seeds, False, True) if live else [None] * len(tensors)
    return _flat(found, tensors)


def _flat(found: list[Any], tensors: list[Tensor]) -> np.ndarray:
    parts = [np.zeros(t._data.size) if p is None else p._data for p, t in zip(found, tensors, strict=True)]
    return np.concatenate(parts, None) if parts else np.zeros(0)


FEW_ROWS = bound(16)
"""Variables up to which a Hessian goes by rows where a user-defined Function has no tangents of its own."""


def by_tape(output: Tensor, tensors: list[Tensor], chunk: int | None = None) -> np.ndarray:
    """The whole matrix by the tape, keeping no graph of the second order.

    The gradient is recorded, and tangents are pushed through it, ``chunk`` columns at a time (if it is None, as many as
    keep the arrays on the way small); where there are no forward rules, one sweep per row.
    """
    output = rolled(output)
    total = sum(t._data.size for t in tensors)
    dtype = np.result_type(*[t._data.dtype for t in tensors])
    require_memory(total, dtype)
    matrix = np.zeros((total, total), dtype)
    first = grad_or_none([output], tensors, [None], True, True)
    roots = [None if g is None else edge(g) for g in first]
    if not any(root is not None for root in roots):
        return matrix
    refused = refusal.get()
    try:
        push = Push(roots, [edge(t) for t in tensors])
        if total <= FEW_ROWS and push.transposes:  # an integral of derivatives is one, and each order takes longer
            _by_rows(matrix, first, tensors)
        else:
            _by_columns(matrix, push, tensors, chunk)
            spoilt = np.flatnonzero(push.exact & ~np.isfinite(matrix).all(1))
            if len(spoilt):  # 0 · ∞ where a slope meets a branch not taken, which is 0 on the way back alone
                matrix[spoilt] = 0
                _by_rows(matrix, first, tensors, {*spoilt.tolist()})
    except (NoForwardRule, GradientError):  # vectors of equal eigenvalues turn; by rows it shows whether that matters
        refusal.set(refused)
        matrix[:] = 0
        _by_rows(matrix, first, tensors)
    with np.errstate(all="ignore"):
        return np.asarray(0.5 * (matrix + matrix.T))


def _by_columns(matrix: np.ndarray, push: Push, tensors: list[Tensor], chunk: int | None) -> None:
    sizes = [t._data.size for t in tensors]
    starts = np.cumsum([0, *sizes])
    largest = max(push.largest, *sizes)
    steps = [(k, chosen) for k, t in enumerate(tensors) for chosen in chunks(t._data, largest, chunk)]
    with Task(TAPE, None, len(steps), "chunks of columns") as task:
        for k, chosen in task.each(steps):
            tangents: list[Any] = [None] * len(tensors)
            tangents[k] = unit_vectors(tensors[k]._data, chosen)
            rows = slice(starts[k] + chosen.start, starts[k] + chosen.stop)
            for j, found in enumerate(push(tangents, False, many_tangents)):
                if found is not None:
                    matrix[rows, starts[j] : starts[j + 1]] = np.reshape(found, (len(chosen), sizes[j]))


def _by_rows(matrix: np.ndarray, first: list[Any], tensors: list[Tensor], only: Collection[int] | None = None) -> None:
    rows = []
    start = 0
    for g, t in zip(first, tensors, strict=True):
        if g is not None and g._node is not None:
            rows += [(start + i, g, i) for i in range(t._data.size) if only is None or start + i in only]
        start += t._data.size
    with Task(TAPE, None, len(rows), "rows") as task:
        for row, g, i in task.each(rows):
            unit = np.zeros(g._data.shape, g._data.dtype)
            unit.reshape(-1)[i] = 1
            place = 0
            for part, t in zip(grad_or_none([g], tensors, [wrap(unit)], False, True), tensors, strict=True):
                if part is not None:
                    matrix[row, place : place + t._data.size] = part._data.reshape(-1)
                place += t._data.size


# -------------------------------------------------------------------------------------------------------------------
# New programs compared with the tape: at the point where they are made, and at two others that are made up

# The idea to hold: a program is used if it agrees wherever the tape is finite. At the first point a slope may happen to
# be zero, so there are others; at a kink the first point alone may differ, since the tape has a convention there.


ELSEWHERE = (0.1, 1.0)
"""How far from the first point a new program is compared with the tape again, in sizes of the point's entries."""


@recorded
def compare_elsewhere(program: Any, survey: Any, recorded: Tensor, tensors: list[Tensor], here: np.ndarray) -> None:
    """Compare a new program with the tape at other points: at the first one a slope may happen to be zero.

    ``here`` is what `compare_with_tape` found there: the tape's product with the vector of everyone.
    """
    at_the_point, agreed = program.refused, 0
    for again, output, leaves in _elsewhere(survey, recorded, tensors, here):
        if again is None:
            program.refused = SPOILT
            return
        results = _tried(program, again)
        if results is not None:
            program.refused, known = "", program.checked
            compare_with_tape(program, results[-1], output, leaves)
            if program.refused:
                return
            agreed += program.checked
            program.checked = known or program.checked
    program.refused = at_the_point if agreed < len(ELSEWHERE) else ""  # at a kink the tape has a convention


def size_of(data: np.ndarray) -> float:
    """How large the finite entries of an array are, on the average; 1 if there are none, or they are zeros."""
    finite = np.abs(data[np.isfinite(data)])
    return float(finite.mean()) or 1.0 if finite.size else 1.0


SPOILT = "an operand was written after it was used"


def _elsewhere(
    survey: Any, recorded: Tensor, tensors: list[Tensor], here: np.ndarray
) -> Iterator[tuple[Any, Tensor, list[Tensor]]]:
    """The recorded graph run again at other points: its survey (None if its operands are not what they were), its
    output and its leaves."""
    rng = np.random.default_rng(len(survey.nodes))
    variables = [edge(t) for t in tensors]
    for size in (0.0, *ELSEWHERE):
        values = []
        for t in tensors:
            step = size * size_of(t._data) * rng.standard_normal(t._data.shape)
            with np.errstate(invalid="ignore"):
                values.append(np.asarray(t._data + step, t._data.dtype))
        with np.errstate(all="ignore"), recording():
            try:
                leaves = [wrap(v, LEAF) for v in values]
                output = rerun(survey.nodes[-1], dict(zip(variables, leaves, strict=True)), moved=False)
                again = Survey(edge(output), [edge(leaf) for leaf in leaves])
                if again.key != survey.key:
                    raise Unprogrammable("the graph is another one when it is run again")
                spoilt = size == 0.0 and not _same_results(output, leaves, recorded, here)
            except Exception as error:  # outside of what the function is defined for, or not to be run again
                if program_module.STRICT and not isinstance(
                    error, (SymgradError, Unprogrammable, CannotRunAgain, np.linalg.LinAlgError)
                ):
                    raise
                return
        if size or spoilt:
            yield None if spoilt else again, output, leaves


def _tried(program: Any, survey: Any, vectors: Any = ()) -> Any:
    """What a program computes at another point; None where it cannot."""
    try:
        return program.run_at(survey, vectors=vectors)
    except Exception as error:
        if program_module.STRICT and not isinstance(error, (SymgradError, np.linalg.LinAlgError)):
            raise
        return None


def _same_results(output: Tensor, leaves: list[Tensor], recorded: Tensor, here: np.ndarray) -> bool:
    """Whether a graph that was run again at its own point gives what it gave: its constants are what they were."""
    pairs = [(output._data, recorded._data), (product_by_tape(output, leaves, _vector(len(here))), here)]
    eps = float(np.finfo(recorded._data.dtype).eps)
    for mine, truth in pairs:
        finite = np.isfinite(mine) & np.isfinite(truth)
        size = np.abs(truth).max(initial=0, where=finite)
        if (np.abs(mine - truth)[finite] > math.sqrt(eps) * size + _noise(recorded)).any():
            return False
    return True


def _vector(n: int) -> np.ndarray:
    """A vector that nobody chose, the same at every comparison."""
    return np.random.default_rng(n).standard_normal(n)


COMPARED = bound(256)
"""Rows up to which a whole matrix by the tape is a quick truth to compare a new program with."""


@recorded
def compare_with_tape(program: Any, matrix: Any, output: Tensor, tensors: list[Tensor]) -> np.ndarray:
    """Compare a new program with the tape: the matrix times a vector, once; or, where that is not finite, each entry
    of a small matrix that is. Return what the tape has for the former."""
    truth = product_by_tape(output, tensors, _vector(matrix.shape[0]))
    agrees = _agrees(matrix, truth, output, output._data.dtype)
    small = matrix.shape[0] <= COMPARED
    if agrees is False or (agrees is None and small and not _entries_agree(matrix, output, tensors)):
        program.refused = "its program and the tape disagree at a point where they were compared"
    program.checked = agrees is True
    return truth


def _entries_agree(matrix: Any, output: Tensor, tensors: list[Tensor]) -> bool:
    """Whether a matrix has the tape's entries wherever those are finite."""
    mine = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
    truth = by_tape(output, tensors)
    finite = np.isfinite(truth) & np.isfinite(mine)
    eps = float(np.finfo(output._data.dtype).eps)
    tolerance = math.sqrt(eps) * np.abs(truth).max(initial=0, where=finite) + _noise(output)
    return not (np.abs(mine - truth)[finite] > tolerance).any()


def _noise(output: Tensor, dtype: Any = None) -> float:
    return noise(float(output._data), output._data.dtype if dtype is None else dtype)


def noise(value: float, dtype: Any) -> float:
    """What the tape's sums leave of a zero, where a function has this value."""
    return 1e5 * float(np.finfo(dtype).eps) * (1 + (abs(value) if math.isfinite(value) else 0.0))


@recorded
def agreement(matrix: Any, output: Tensor, tensors: list[Tensor], dtype: Any = None) -> bool | None:
    """Whether the matrix times a vector is what the tape says; None where that is not finite.

    ``dtype`` is in what the function computes, where that is less exact than its result.
    """
    truth = product_by_tape(output, tensors, _vector(matrix.shape[0]))
    return _agrees(matrix, truth, output, output._data.dtype if dtype is None else dtype)


def _agrees(matrix: Any, truth: np.ndarray, output: Tensor, dtype: Any) -> bool | None:
    """Whether the matrix times the vector is this; None where this is not finite."""
    finite = np.isfinite(truth)
    if not finite.any() and len(truth):
        return None
    v = _vector(len(truth))
    mine = matrix @ v
    eps = float(np.finfo(dtype).eps)
    size = _sizes(matrix, np.abs(v)) if hasattr(matrix, "__abs__") else np.abs(mine).max(initial=0)
    tolerance = math.sqrt(eps) * (np.abs(mine) + size + np.abs(truth).max(initial=0, where=finite))
    if (np.abs(mine - truth)[finite] > tolerance[finite] + _noise(output, dtype)).any():
        return False
    return True if finite.all() else None


def _sizes(matrix: Any, v: np.ndarray) -> Any:
    """The matrix of absolute values times a vector; of a large one some rows at a time: it is not to be there twice."""
    rows = max(_limits.AT_ONCE // max(len(v), 1), 1)
    if not isinstance(matrix, np.ndarray) or len(matrix) <= rows:
        return abs(matrix) @ v
    return np.concatenate([np.abs(matrix[k : k + rows]) @ v for k in range(0, len(matrix), rows)])


@recorded
def jacobian_agrees(matrix: Any, output: Tensor, tensors: list[Tensor], dtype: Any) -> bool | None:
    """Whether a vector times the Jacobian is what the tape says; None where that is not finite."""
    w = np.random.default_rng(matrix.shape[1]).standard_normal(output._data.shape)
    seeds = [wrap(np.asarray(w, output._data.dtype))]
    found = [None] * len(tensors) if output._node is None else grad_or_none([output], tensors, seeds, False, True)
    truth = _flat(found, tensors)
    finite = np.isfinite(truth)
    if not finite.any() and truth.size:
        return None
    w = w.reshape(-1)
    mine, size = w @ matrix, np.abs(w) @ abs(matrix)
    if (np.abs(mine - truth)[finite] > math.sqrt(float(np.finfo(dtype).eps)) * (size + np.abs(mine))[finite] + noise(
        float(np.abs(output._data).max(initial=0, where=np.isfinite(output._data))), dtype
    )).any():  # fmt: skip
        return False
    return True if finite.all() else None


@recorded
def compare_product(program: Any, survey: Any, output: Tensor, tensors: list[Tensor]) -> None:
    """Compare a new program with the tape, at the point and at others, along a vector that nobody chose."""
    verdicts = [_product_agrees(program, survey, output, tensors)]
    here = product_by_tape(output, tensors, _vector(sum(t._data.size for t in tensors)))
    for again, value, leaves in _elsewhere(survey, output, tensors, here):
        if again is None:
            program.refused = SPOILT
            return
        verdicts.append(_product_agrees(program, again, value, leaves))
    away = verdicts[1:]
    kink = away.count(True) == len(ELSEWHERE)  # where the tape has a convention at the first point
    if False in away or (verdicts[0] is False and not kink):
        program.refused = "its program and the tape disagree at a point where they were compared"
    program.checked = True in verdicts


def _product_agrees(program: Any, survey: Any, output: Tensor, tensors: list[Tensor]) -> bool | None:
    """Whether a program's product is the tape's; None where that is not finite."""
    rng = np.random.default_rng(len(survey.nodes))
    vectors = [np.asarray(rng.standard_normal(t._data.shape), t._data.dtype) for t in tensors]
    results = _tried(program, survey, vectors)
    truth = product_by_tape(output, tensors, np.concatenate(vectors, None))
    if results is None or not np.isfinite(truth).all():
        return None
    parts = results[0] if isinstance(results[0], tuple) else [results[0]]
    mine = np.concatenate(parts, None)
    eps = float(np.finfo(output._data.dtype).eps)
    return bool((np.abs(mine - truth) <= math.sqrt(eps) * np.abs(truth).max(initial=0) + _noise(output)).all())
