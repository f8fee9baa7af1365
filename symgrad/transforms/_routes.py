"""The ways to a matrix of second derivatives of one recorded run: a program, or the tape.

The idea to hold: the tape always works, and a program is what it can be replaced by. Every program is compared with the
tape once (the matrix times a vector, at the first point where that is finite); where it cannot be used, `Route.reason`
says why.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import GradientError
from .._progress import Task
from ..core import Symbol, Tensor, edge, recorded
from ..programs import _cache, find
from ..programs._survey import Survey, Unprogrammable
from ._by_tape import product
from ._comparison import check, check_elsewhere, check_product
from ._run import Run

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


def recalled(program: Any, output: Tensor, leaf: Tensor) -> Route | None:
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
            here = check(program, matrix, output, tensors)
            check_elsewhere(program, route.survey, output, tensors, here)
        if program.refused:
            return None
    dtype = output._data.dtype
    known = getattr(matrix, "dtype", dtype)
    return matrix if known is dtype or known == dtype or not hasattr(matrix, "astype") else matrix.astype(dtype)


def with_the_tape(route: Route, matrix: np.ndarray) -> np.ndarray:
    """The tape's matrix, with the program's numbers where only those are finite: what does not depend on a singular
    entry is not spoilt by it."""
    if route.program is None or route.program.refused or route.program.guards or np.isfinite(matrix).all():
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
        if _cache.STRICT:
            raise
        route.program.refused = f"its program fails: {type(error).__name__}: {error}"
        return None


def times(route: Route, vectors: list[np.ndarray], output: Tensor, tensors: list[Tensor]) -> list[Any] | None:
    """Per tensor the matrix times vectors, by the route's program; None where it cannot be used."""
    program = route.program
    if program is not None and not program.checked and not program.refused:
        check_product(route.program, route.survey, output, tensors)
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
            row = product(output, tensors, unit)
            pairs.append((float(row[i]), float(mine[i]), float(np.abs(row).max())))
    tolerance = 100 * math.sqrt(float(np.finfo(output._data.dtype).eps))
    if any(np.isfinite(a) and abs(a - b) > tolerance * (abs(a) + scale) + 1e-300 for a, b, scale in pairs):
        program.refused = "its program and the tape disagree at the first point"
    program.checked = all(np.isfinite(a) for a, *_ in pairs)


__all__ = ["Route", "by_program", "diagonals", "recalled", "route_of", "times", "with_the_tape"]
