"""The ways to a matrix of second derivatives of one run: by a program, or by the tape; and which of them is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import GradientError
from .._progress import Task
from ..core import Symbol, Tensor, edge, is_leaf_node, recorded, wrap
from ..programs import Survey, Unprogrammable, find
from ..programs import program as program_module
from .calls.run import Run
from .tape_route import compare_elsewhere, compare_product, compare_with_tape, product_by_tape

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
    return _parts(route, vectors)


def _parts(route: Route, vectors: Any = ()) -> list[Any] | None:
    """What the route's program computes, per tensor; None where the tape is to take over."""
    results = _run(route, vectors=vectors)
    if results is None:
        return None
    return list(results[0]) if isinstance(results[0], tuple) else [results[0]]


def diagonals(route: Route, output: Tensor, tensors: list[Tensor]) -> list[Any] | None:
    """Per tensor the diagonal (its sum) by the route's program; None where it cannot be used."""
    program = route.program
    if program is None:
        return None
    parts = _parts(route)
    if parts is None:
        return None
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
        mine = np.concatenate(parts, None)
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
    if route is None:
        return None
    parts = products_by_program(route, [v._data for v in vectors], output, run.variables.tensors)
    if parts is None:
        return None
    _remember(route, run, "product")
    return [wrap(np.asarray(p, output._data.dtype)) for p in parts]


def second_by_program(run: Run, what: str) -> Any:
    """The diagonal or its sum by a program of its own; None where there is none, or somebody could differentiate it."""
    output, tensors = run.output, run.variables.tensors
    trace = what == "laplacian"
    format = "trace" if trace else "diagonal"
    route = _route_of_kind(run, format)
    if route is None:
        return None
    parts = diagonals(route, output, tensors)
    if parts is None:
        return None
    _remember(route, run, format)
    if trace:
        return [wrap(np.asarray(sum(parts), output._data.dtype))]
    return [wrap(np.asarray(p, x._data.dtype)) for p, x in zip(parts, tensors, strict=True)]
