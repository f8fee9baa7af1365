"""The ways to a matrix of second derivatives of one recorded run: a program, or the tape row by row.

The idea to hold: the tape always works, and a program is what it can be replaced by. Every program is compared with the
tape once (the matrix times a vector, at the first point where that is finite); where it cannot be used, `Route.reason`
says why.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .._errors import MissingDependencyError, SymgradError, TooLargeError
from ..core import Tensor, edge, wrap
from ..programs import _cache, find
from ..programs._replay import replayed
from ..programs._survey import Survey, Unprogrammable
from ..sweep._dual import NoForwardRule, Push
from ..sweep._forward_many import many_tangents
from ._variables import pull, recording


class Route(NamedTuple):
    """How second derivatives will be computed: with ``program`` from ``survey``, or, where it is None, by the tape."""

    program: Any
    survey: Any
    reason: str


def route_of(output: Tensor, tensors: list[Tensor], format: str = "dense") -> Route:
    """The way for the recorded run that ended in ``output``."""
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
    program, reason = find(survey, root, variables, format)
    if program is not None and program.refused:
        return Route(None, survey, program.refused)
    return Route(program, survey, reason)


def recalled(program: Any, output: Tensor, leaf: Tensor) -> Route | None:
    """The way by a program made before, if the recorded run has the structure that it was made for."""
    if program is None or program.recipe is None or program.refused or output._data.dtype is not leaf._data.dtype:
        return None
    found = program.recipe.match(output._node, leaf._node)
    return None if found is None else Route(program, found, "")


def by_program(route: Route, output: Tensor, tensors: list[Tensor]) -> Any:
    """The whole matrix by the route's program; None where a number on the way is not finite, or the tape disagrees."""
    program = route.program
    results = _run(route)
    if results is None:
        return None
    matrix = results[-1]
    if not program.checked:
        check(program, matrix, output, tensors)
        _check_elsewhere(route, output, tensors)
        if program.refused:
            return None
    dtype = output._data.dtype
    known = getattr(matrix, "dtype", dtype)
    return matrix if known is dtype or known == dtype or not hasattr(matrix, "astype") else matrix.astype(dtype)


def with_the_tape(route: Route, matrix: np.ndarray) -> np.ndarray:
    """The tape's matrix, with the program's numbers where only those are finite: what does not depend on a singular
    entry is not spoilt by it."""
    if route.program is None or route.program.refused or np.isfinite(matrix).all():
        return matrix
    results = _run(route, finite=False)
    if results is None or not isinstance(results[-1], np.ndarray):
        return matrix
    found = results[-1]
    return np.where(np.isfinite(matrix) | ~np.isfinite(found), matrix, found).astype(matrix.dtype, copy=False)


def _run(route: Route, finite: bool = True) -> Any:
    """What the route's program computes; None where the tape is to take over."""
    if not all(map(math.isfinite, route.survey.scalars)):
        return None
    try:
        return route.program.run_at(route.survey, finite=finite)
    except np.linalg.LinAlgError:  # a singular matrix: the tape says so in the user's words
        return None
    except Exception as error:  # the tape computes the same, slower: no reason to fail
        if _cache.STRICT:
            raise
        route.program.refused = f"its program fails: {type(error).__name__}: {error}"
        return None


ELSEWHERE = (0.1, 1.0)
"""How far from the first point a new program is compared with the tape again, in sizes of the point's entries."""


def _check_elsewhere(route: Route, recorded: Tensor, tensors: list[Tensor]) -> None:
    """Compare a new program with the tape at other points: at the first one a slope may happen to be zero."""
    program, survey = route.program, route.survey
    rng = np.random.default_rng(len(survey.nodes))
    variables = [edge(t) for t in tensors]
    at_the_point, agreed = program.refused, 0
    for size in (0.0, *ELSEWHERE):
        values = []
        for t in tensors:
            spread = np.abs(t._data).mean() if t._data.size else 0.0
            step = size * (spread or 1.0) * rng.standard_normal(t._data.shape)
            values.append(np.asarray(t._data + step, t._data.dtype))
        with np.errstate(all="ignore"), recording():
            try:
                output, leaves = replayed(survey.nodes, variables, values)
                again = Survey(edge(output), [edge(leaf) for leaf in leaves])
                if again.key != survey.key:
                    raise Unprogrammable("the graph is another one when it is run again")
                if size == 0.0:
                    if not _same_results(output, leaves, recorded, tensors):
                        program.refused = "an operand was written after it was used"
                        return
                    continue
                results = program.run_at(again)
            except Exception as error:  # outside of what the function is defined for, or not to be run again
                if _cache.STRICT and not isinstance(error, (SymgradError, Unprogrammable, np.linalg.LinAlgError)):
                    raise
                return
        if results is not None:
            program.refused, known = "", program.checked
            check(program, results[-1], output, leaves)
            if program.refused:
                return
            agreed += program.checked
            program.checked = known or program.checked
    program.refused = at_the_point if agreed < len(ELSEWHERE) else ""  # at a kink the tape has a convention


def _same_results(output: Tensor, leaves: list[Tensor], recorded: Tensor, tensors: list[Tensor]) -> bool:
    """Whether a graph that was run again at its own point gives what it gave: its constants are what they were."""
    v = np.random.default_rng(0).standard_normal(sum(t._data.size for t in tensors))
    pairs = [(output._data, recorded._data), (product(output, leaves, v), product(recorded, tensors, v))]
    eps = float(np.finfo(recorded._data.dtype).eps)
    for mine, truth in pairs:
        finite = np.isfinite(mine) & np.isfinite(truth)
        size = np.abs(truth).max(initial=0, where=finite)
        if (np.abs(mine - truth)[finite] > math.sqrt(eps) * size + _noise(recorded)).any():
            return False
    return True


SMALL = 256
"""Rows up to which a whole matrix by the tape is a quick truth."""


def check(program: Any, matrix: Any, output: Tensor, tensors: list[Tensor]) -> None:
    """Compare a new program with the tape: the matrix times a vector, once; or, where that is not finite, each entry
    of a small matrix that is."""
    agrees = agreement(matrix, output, tensors)
    if agrees is False or (agrees is None and matrix.shape[0] <= SMALL and not _entries_agree(matrix, output, tensors)):
        program.refused = "its program and the tape disagree at the first point"
    program.checked = agrees is True


def _entries_agree(matrix: Any, output: Tensor, tensors: list[Tensor]) -> bool:
    """Whether a matrix has the tape's entries wherever those are finite."""
    mine = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
    truth = by_tape(output, tensors)
    finite = np.isfinite(truth) & np.isfinite(mine)
    eps = float(np.finfo(output._data.dtype).eps)
    tolerance = math.sqrt(eps) * np.abs(truth).max(initial=0, where=finite) + _noise(output)
    return not (np.abs(mine - truth)[finite] > tolerance).any()


def _noise(output: Tensor) -> float:
    """What the tape's sums leave of a zero, where a function has a value of this size."""
    value = abs(float(output._data))
    return 1e5 * float(np.finfo(output._data.dtype).eps) * (1 + (value if math.isfinite(value) else 0.0))


def agreement(matrix: Any, output: Tensor, tensors: list[Tensor]) -> bool | None:
    """Whether the matrix times a vector is what the tape says; None where that is not finite."""
    n = matrix.shape[0]
    v = np.random.default_rng(n).standard_normal(n)
    truth = product(output, tensors, v)
    finite = np.isfinite(truth)
    if not finite.any() and n:
        return None
    mine = matrix @ v
    eps = float(np.finfo(output._data.dtype).eps)
    size = abs(matrix) @ np.abs(v) if hasattr(matrix, "__abs__") else np.abs(mine).max(initial=0)
    tolerance = math.sqrt(eps) * (np.abs(mine) + size + np.abs(truth).max(initial=0, where=finite))
    if (np.abs(mine - truth)[finite] > tolerance[finite] + _noise(output)).any():
        return False
    return True if finite.all() else None


def product(output: Tensor, tensors: list[Tensor], v: np.ndarray) -> np.ndarray:
    """The matrix times a flat vector, by the tape."""
    first = pull([output], tensors, [None], True, True)
    live, seeds = [], []
    start = 0
    for g, t in zip(first, tensors, strict=True):
        if g is not None and g._node is not None:
            live.append(g)
            part = v[start : start + t._data.size].reshape(t._data.shape)
            seeds.append(wrap(np.asarray(part, t._data.dtype)))
        start += t._data.size
    found = pull(live, tensors, seeds, False, True) if live else [None] * len(tensors)
    parts = [np.zeros(t._data.size) if p is None else p._data.reshape(-1) for p, t in zip(found, tensors, strict=True)]
    return np.concatenate(parts) if parts else np.zeros(0)


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
            row = product(output, tensors, unit)
            pairs.append((float(row[i]), float(mine[i]), float(np.abs(row).max())))
    tolerance = 100 * math.sqrt(float(np.finfo(output._data.dtype).eps))
    if any(np.isfinite(a) and abs(a - b) > tolerance * (abs(a) + scale) + 1e-300 for a, b, scale in pairs):
        program.refused = "its program and the tape disagree at the first point"
    program.checked = all(np.isfinite(a) for a, *_ in pairs)


def by_tape(output: Tensor, tensors: list[Tensor], progress: bool = False, chunk: int | None = None) -> np.ndarray:
    """The whole matrix by the tape, keeping no graph of the second order.

    The gradient is recorded, and tangents are pushed through it, ``chunk`` columns at a time (if it is None, as many as
    keep the arrays on the way small); where there are no forward rules, one sweep per row.
    """
    total = sum(t._data.size for t in tensors)
    dtype = np.result_type(*[t._data.dtype for t in tensors])
    require_memory(total, dtype)
    matrix = np.zeros((total, total), dtype)
    first = pull([output], tensors, [None], True, True)
    roots = [None if g is None else edge(g) for g in first]
    if not any(root is not None for root in roots):
        return matrix
    try:
        push = Push(roots, [edge(t) for t in tensors])
    except NoForwardRule:
        _by_rows(matrix, first, tensors, progress)
    else:
        _by_columns(matrix, push, tensors, progress, chunk)
    with np.errstate(all="ignore"):
        return np.asarray(0.5 * (matrix + matrix.T))


def _by_columns(matrix: np.ndarray, push: Push, tensors: list[Tensor], progress: bool, chunk: int | None) -> None:
    sizes = [t._data.size for t in tensors]
    starts = np.cumsum([0, *sizes])
    width = chunk or max(1, min(len(matrix), WIDEST // max([*sizes, 1])))
    steps = [(k, i) for k, n in enumerate(sizes) for i in range(0, n, width)]
    for k, i in shown(steps, progress, "chunks"):
        count = min(width, sizes[k] - i)
        units = np.zeros((count, sizes[k]), tensors[k]._data.dtype)
        units[np.arange(count), np.arange(i, i + count)] = 1
        tangents: list[Any] = [None] * len(tensors)
        tangents[k] = units.reshape(count, *tensors[k]._data.shape)
        for j, found in enumerate(push(tangents, False, many_tangents)):
            if found is not None:
                place = slice(starts[k] + i, starts[k] + i + count), slice(starts[j], starts[j + 1])
                matrix[place] = np.reshape(found, (count, sizes[j]))


def _by_rows(matrix: np.ndarray, first: list[Any], tensors: list[Tensor], progress: bool) -> None:
    rows: list[Any] = []
    start = 0
    for g, t in zip(first, tensors, strict=True):
        if g is not None and g._node is not None:
            rows += [(start + i, g, i) for i in range(t._data.size)]
        start += t._data.size
    for row, g, i in shown(rows, progress, "rows"):
        unit = np.zeros(g._data.shape, g._data.dtype)
        unit.reshape(-1)[i] = 1
        place = 0
        for part, t in zip(pull([g], tensors, [wrap(unit)], False, True), tensors, strict=True):
            if part is not None:
                matrix[row, place : place + t._data.size] = part._data.reshape(-1)
            place += t._data.size


WIDEST = 1 << 20
"""Entries of all tangents that are pushed at once, in one variable."""


def shown(steps: list[Any], progress: bool, unit: str) -> Iterable[Any]:
    """The steps, with a progress bar if wanted."""
    if not progress:
        return steps
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise MissingDependencyError(
            "progress=True draws its bar with tqdm, which is not installed", "", "python -m pip install tqdm",
        ) from None  # fmt: skip
    bar: Iterable[Any] = tqdm(steps, unit=unit)
    return bar


def require_memory(n: int, dtype: Any) -> None:
    """Raise if a dense matrix of ``n`` rows does not fit into what memory there is."""
    need = n * n * np.dtype(dtype).itemsize
    free = available()
    if need > free:
        raise TooLargeError(
            f"a dense Hessian in {n:,} variables takes {in_bytes(need)}, and {in_bytes(free)} are free",
            f"It has {n:,} × {n:,} entries of {np.dtype(dtype)}.",
            'Ask for what the structure leaves (format="csr", "structured"), for products (sg.hessian_operator), '
            "or for the diagonal (sg.diag_hessian).",
        )


def available() -> int:
    """Bytes of memory that are free, as far as the system says."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 1 << 62


def in_bytes(n: float) -> str:
    """A number of bytes as people say it."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if n < 1000 or unit == "TB":
            return f"{n:.3g} {unit}"
        n /= 1000
    return f"{n:.3g} TB"


__all__ = [
    "Route", "by_program", "by_tape", "product", "recalled", "require_memory", "route_of", "with_the_tape",
]  # fmt: skip
