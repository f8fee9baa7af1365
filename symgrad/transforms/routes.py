"""The ways to a matrix of second derivatives of one run: programs, compared with the tape; the tape; sparse."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import GradientError, SymgradError, refusal
from .._limits import bound
from .._progress import Task
from ..core import LEAF, Symbol, Tensor, edge, is_leaf_node, recorded, wrap
from ..programs import Survey, Unprogrammable, find
from ..programs import program as program_module
from ..sweep import NoForwardRule, Push, many_tangents
from ..sweep.replay import CannotRunAgain, rerun
from .calls.call_arguments import Argnums, Arguments
from .calls.run import Run, available, chunks, require_memory, require_number, unit_vectors
from .calls.symbolic_run import require_callable
from .calls.tree import cut_to_shapes
from .calls.variables import grad_or_none, recording
from .loops.recurrences import rolled
from .sparse_jacobian import pattern_of as jacobian_pattern_of

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
    parts = [np.zeros(t._data.size) if p is None else p._data.reshape(-1) for p, t in zip(found, tensors, strict=True)]
    return np.concatenate(parts) if parts else np.zeros(0)


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
        _by_columns(matrix, Push(roots, [edge(t) for t in tensors]), tensors, chunk)
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


def _by_rows(matrix: np.ndarray, first: list[Any], tensors: list[Tensor]) -> None:
    rows: list[Any] = []
    start = 0
    for g, t in zip(first, tensors, strict=True):
        if g is not None and g._node is not None:
            rows += [(start + i, g, i) for i in range(t._data.size)]
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
    parts = [np.zeros(t._data.size) if p is None else p._data.reshape(-1) for p, t in zip(found, tensors, strict=True)]
    truth = np.concatenate(parts)
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
    truth = product_by_tape(output, tensors, np.concatenate([np.reshape(v, -1) for v in vectors]))
    if results is None or not np.isfinite(truth).all():
        return None
    parts = results[0] if isinstance(results[0], tuple) else [results[0]]
    mine = np.concatenate([np.reshape(p, -1) for p in parts])
    eps = float(np.finfo(output._data.dtype).eps)
    return bool((np.abs(mine - truth) <= math.sqrt(eps) * np.abs(truth).max(initial=0) + _noise(output)).all())


# ----------------------------- The ways to a matrix of second derivatives of one recorded run: a program, or the tape

# The idea to hold: the tape always works, and a program is what it can be replaced by. Every program is compared with
# the tape when it is made: at its first point, and at two more by `compare_elsewhere`. Where it cannot be used,
# `Route.reason` says why.


FORMATS = ("dense", "csr", "structured")


def require_known(format: str) -> None:
    """Raise for a format that a matrix of second derivatives does not have."""
    if format not in FORMATS:
        raise GradientError(
            f"sg.hessian has no format {format!r}", "", f"Choose one of {', '.join(map(repr, FORMATS))}.",
        )  # fmt: skip


class Route(NamedTuple):
    """How second derivatives will be computed: with ``program`` from ``survey``, or, where it is None, by the tape."""

    program: Any
    survey: Any
    reason: str


def route_of(
    output: Tensor, tensors: list[Tensor], format: str = "dense", runs: int | None = None, shown: bool = False
) -> Route:
    """The way for the recorded run that ended in ``output``; ``runs`` and ``shown`` as in `find`."""
    dtype = output._data.dtype
    if dtype.kind != "f" or any(t._data.dtype is not dtype for t in tensors):
        return Route(
            None, None, f"its numbers are {', '.join(sorted({str(t._data.dtype) for t in (output, *tensors)}))}"
        )
    root = edge(output)
    variables = [edge(t) for t in tensors]
    try:
        survey = Survey(root, variables)
        survey.refuse_written()
    except Unprogrammable as error:
        return Route(None, None, str(error))
    program, reason = find(survey, root, variables, format, runs, shown)
    if program is not None and program.refused:
        return Route(None, survey, program.refused)
    return Route(program, survey, reason)


def route_of_run(run: Run, format: str, runs: int | None = None) -> Route:
    """By which way the matrix of a run is found, to be shown; ``runs`` as in `find`."""
    if type(run.output) is Symbol:
        raise GradientError(
            "a program is made for arrays, and this call has symbols", "", "Ask for .formula(…), or pass arrays.",
        )  # fmt: skip
    if run.output._node is None:
        return Route(None, None, "the function does not depend on it")
    if run.variables.concerns_outside([run.output]):
        return Route(None, None, "the result can be differentiated in tensors from outside the function")
    return route_of(run.output, run.variables.tensors, format, runs, shown=True)


def known_route(program: Any, output: Tensor, leaf: Tensor) -> Route | None:
    """The way by a program made before, if the recorded run has the structure that it was made for."""
    if program is None or program.recipe is None or program.refused or output._data.dtype is not leaf._data.dtype:
        return None
    found = program.recipe.match(output._node, leaf._node)
    return None if found is None else Route(program, found, "")


def by_program(route: Route, output: Tensor, tensors: list[Tensor]) -> Any:
    """The whole matrix by the route's program; None where a number on the way is not finite, or the tape disagrees."""
    program = route.program
    if program.total > _limits.HESSIAN_DENSE:
        with Task("running the program of second derivatives"):
            results = _run(route)
    else:
        results = _run(route)
    if results is None:
        return None
    matrix = results[-1]
    if not program.checked:
        with Task("comparing a program with the tape"):
            here = compare_with_tape(program, matrix, output, tensors)
            compare_elsewhere(program, route.survey, output, tensors, here)
        if program.refused:
            return None
    dtype = output._data.dtype
    known = getattr(matrix, "dtype", dtype)
    return matrix if known is dtype or known == dtype or not hasattr(matrix, "astype") else matrix.astype(dtype)


def with_the_tape(route: Route, matrix: np.ndarray) -> np.ndarray:
    """The tape's matrix, with the program's numbers where only those are finite: what does not depend on a singular
    entry is not spoilt by it."""
    if route.program is None or route.program.refused or route.program.must_be_finite or np.isfinite(matrix).all():
        return matrix
    results = _run(route, finite=False)
    if results is None or not isinstance(results[-1], np.ndarray):
        return matrix
    found = results[-1]
    return np.where(np.isfinite(matrix) | ~np.isfinite(found), matrix, found).astype(matrix.dtype, copy=False)


def _run(route: Route, finite: bool = True, vectors: Any = ()) -> Any:
    """What the route's program computes; None where the tape is to take over."""
    if type(route.survey) is Survey and not route.program.takes(route.survey.scalars):  # a recipe has looked
        return None
    try:
        return route.program.run_at(route.survey, finite=finite, vectors=vectors)
    except np.linalg.LinAlgError:  # a singular matrix: the tape says so in the user's words
        return None
    except Exception as error:  # the tape computes the same, slower: no reason to fail
        if program_module.STRICT:
            raise
        route.program.refused = f"its program fails: {type(error).__name__}: {error}"
        return None


def products_by_program(
    route: Route, vectors: list[np.ndarray], output: Tensor, tensors: list[Tensor]
) -> list[Any] | None:
    """Per tensor the matrix times vectors, by the route's program; None where it cannot be used."""
    program = route.program
    if program is not None and not program.checked and not program.refused:
        compare_product(route.program, route.survey, output, tensors)
    if program is None or program.refused or not program.checked:
        return None
    results = _run(route, vectors=vectors)
    if results is None:
        return None
    return list(results[0]) if isinstance(results[0], tuple) else [results[0]]


def diagonals(route: Route, output: Tensor, tensors: list[Tensor]) -> list[Any] | None:
    """Per tensor the diagonal (its sum) by the route's program; None where it cannot be used."""
    program = route.program
    if program is None:
        return None
    results = _run(route)
    if results is None:
        return None
    parts = list(results[0]) if isinstance(results[0], tuple) else [results[0]]
    if not program.checked:
        _check_diagonal(program, parts, output, tensors)
    return None if program.refused else parts


@recorded
def _check_diagonal(program: Any, parts: list[Any], output: Tensor, tensors: list[Tensor]) -> None:
    """Compare a new program with the tape: single entries of the diagonal, or the trace with the diagonal's sum."""
    if program.format == "trace":
        found = diagonals(route_of(output, tensors, "diagonal"), output, tensors)
        if found is None:
            program.refused = "there is no program of the diagonal to compare its sum with"
            return
        pairs = [(float(np.sum(d)), float(p), float(np.abs(d).sum())) for d, p in zip(found, parts, strict=True)]
    else:
        mine = np.concatenate([np.reshape(p, -1) for p in parts])
        places = np.unique(np.random.default_rng(mine.size).integers(0, max(mine.size, 1), 4))
        pairs = []
        for i in places[: mine.size]:
            unit = np.zeros(mine.size)
            unit[i] = 1.0
            row = product_by_tape(output, tensors, unit)
            pairs.append((float(row[i]), float(mine[i]), float(np.abs(row).max())))
    tolerance = 100 * math.sqrt(float(np.finfo(output._data.dtype).eps))
    if any(np.isfinite(a) and abs(a - b) > tolerance * (abs(a) + scale) + 1e-300 for a, b, scale in pairs):
        program.refused = "its program and the tape disagree at a point where they were compared"
    program.checked = all(np.isfinite(a) for a, *_ in pairs)


# -------------------------------------------------------------------------------------------------------------------
# Sparse second derivatives where there is no program: products with the matrix, as many as its pattern has colours

# The idea to hold: the pattern is found by a walk of the recorded graph, which differentiates nothing; columns of one
# colour are computed together, one sweep for each colour. Where the pattern cannot be known it is full, and that is an
# error rather than a dense matrix in disguise.


def pattern_of(output: Tensor, tensors: list[Tensor], reason: str) -> Any:
    """The pattern of the matrix as a SciPy CSR array of truth values."""
    from ..programs import Unprogrammable
    from ..programs.sparsity import hessian_pattern

    try:
        return hessian_pattern(edge(output), [edge(t) for t in tensors])
    except (SymgradError, Unprogrammable) as error:
        raise GradientError(
            "the pattern of this Hessian cannot be found", f"{error}; and there is no program: {reason or OVERFLOW}.",
            'Ask for the dense matrix (format="dense"), or for products (sg.hvp).',
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


def _is_nearly_dense(pattern: Any) -> bool:
    """Whether a matrix is found dense: it has about as many colours as columns, and there is room for it."""
    n = pattern.shape[0]
    return pattern.nnz > n * n // 4 and n * n * np.dtype(float).itemsize <= available()


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


# -------------------------------------------------------------------------------------------------------------------
# Programs for what is asked of a Hessian without forming it: products with vectors, the diagonal, its sum

# The idea to hold: there is no object that could remember what ran last, so the last program of each kind is kept in
# mind here; the next call of the same structure only checks that it is.


_recent: dict[str, Any] = {}
"""The program of the last call: for the sum of the diagonal, for the diagonal, for products."""


def _route_of_kind(run: Run, format: str) -> Route | None:
    """The way to what is asked of a recorded run; None where somebody could differentiate it."""
    output, tensors = run.output, run.variables.tensors
    if type(output) is Symbol or output._node is None:
        return None
    alone = len(tensors) == 1 and is_leaf_node(edge(tensors[0]))
    known = known_route(_recent.get(format), output, tensors[0]) if alone else None
    if known is not None:  # it has no other leaves
        return known
    return None if run.variables.concerns_outside([output]) else route_of(output, tensors, format)


def _remember(route: Route, run: Run, format: str) -> None:
    """Keep in mind by which program this went."""
    if route.program is not _recent.get(format) and len(run.variables.tensors) == 1:
        route.program.remember(route.survey)
        _recent[format] = route.program


def hessian_times(run: Run, vectors: Sequence[Tensor], began: int) -> list[Tensor] | None:
    """The Hessian times vectors by a program of its own; None where there is none. ``began``: when the function did."""
    output = run.output
    long = 3 * _limits.PRODUCT_NODES // 2  # some of what a function runs is not in the graph
    if output._node is None or output._node.seq - began > long:
        return None
    if any(type(v) is not Tensor or v._node is not None or v._data.dtype != output._data.dtype for v in vectors):
        return None
    route = _route_of_kind(run, "product")
    parts = (
        products_by_program(route, [v._data for v in vectors], output, run.variables.tensors)
        if route is not None
        else None
    )
    if route is None or parts is None:
        return None
    _remember(route, run, "product")
    return [wrap(np.asarray(p, output._data.dtype)) for p in parts]


def second_by_program(run: Run, what: str) -> Any:
    """The diagonal or its sum by a program of its own; None where there is none, or somebody could differentiate it."""
    output, tensors = run.output, run.variables.tensors
    trace = what == "laplacian"
    format = "trace" if trace else "diagonal"
    route = _route_of_kind(run, format)
    parts = diagonals(route, output, tensors) if route is not None else None
    if route is None or parts is None:
        return None
    _remember(route, run, format)
    if trace:
        return [wrap(np.asarray(sum(parts), output._data.dtype))]
    return [wrap(np.asarray(p)) for p in parts]
