"""Programs by structure, kept as long as they are used.

The idea to hold: the key of a program is what a survey says of the graph; index arrays and numbers that the program has
taken as given are compared, entry by entry, each time. A number that has changed once is an input from then on.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import suppress
from time import perf_counter
from typing import Any

import numpy as np

from .. import _limits
from .._errors import SymgradError
from .._progress import Task
from ..core import recorded
from ._count import work
from ._graph_terms import Lifted
from ._program import Program
from ._recipe import same_number
from ._runnable import Runnable
from ._survey import Survey, Unprogrammable

STRICT = False
"""Whether a mistake in making a program is raised (in tests); else the tape takes over, and the plan says why."""


class _Entry:
    """The programs of one key: they differ in what they have taken as given."""

    def __init__(self) -> None:
        self.programs: list[Runnable] = []
        self.made = 0
        self.looked = 0  # how often a file was looked for
        self.waited = 0  # runs that were left to the tape
        self.refused: str | None = None
        self.varying: set[int] = set()
        self.seen: list[Any] | None = None


_entries: OrderedDict[Any, _Entry] = OrderedDict()
_lock = threading.Lock()


def clear() -> None:
    """Forget all programs."""
    with _lock:
        _entries.clear()


@recorded
def find(
    survey: Survey, edge: Any, variables: list[Any], format: str = "dense", runs: int | None = None,
    shown: bool = False,
) -> tuple[Any, str]:  # fmt: skip
    """The program of a structure, made if there is none; or None and why there is none.

    ``runs`` says how many matrices are wanted now: the program of a loop over few numbers is made once the tape has run
    so often that it would have been worth making. None asks for the program whatever it takes. ``shown`` asks for one
    that can be shown: of one that another process has made, only the functions are kept.
    """
    key = (survey.key, format)
    with _lock:
        entry = _entries.get(key)
        if entry is None:
            entry = _entries[key] = _Entry()
            if len(_entries) > _limits.STRUCTURES:
                _entries.popitem(last=False)
        else:
            _entries.move_to_end(key)
    if entry.refused is not None:
        return None, entry.refused
    for program in entry.programs:
        if _fits(program, survey) and (type(program) is Program or not shown):
            return program, ""
    kept = None if shown else _kept(entry, survey, format)
    if kept is not None:
        return kept, ""
    if entry.made >= _limits.MADE_PROGRAMS:
        return None, "its indices change from call to call, and with them the program"
    entry.refused = _too_long(survey, variables, format)
    if entry.refused is not None:
        return None, entry.refused
    if runs is not None and entry.waited < _limits.WAITED and _waits(survey, variables, format):
        entry.waited += runs
        return None, (
            f"its graph has {len(survey.nodes):,} operations on few numbers: a program is made when the tape has run "
            f"{_limits.WAITED} times, or by .code(…)"
        )
    entry.made += 1
    scalars = survey.scalars
    if entry.seen is not None:
        entry.varying |= {k for k, (a, b) in enumerate(zip(entry.seen, scalars, strict=True)) if not same_number(a, b)}
    entry.seen = list(scalars)
    start = perf_counter()
    try:
        with Task("making a program of second derivatives"):
            lifted = Lifted(survey, variables, frozenset(entry.varying))
            program = Program(lifted, lifted.root(edge), "h", format, _worth(survey, variables))
    except Unprogrammable as error:
        entry.refused = str(error)
        return None, entry.refused
    except Exception as error:  # the tape computes the same, slower: no reason to fail
        if STRICT and not isinstance(error, (SymgradError, MemoryError, np.linalg.LinAlgError)):
            raise
        entry.refused = f"{type(error).__name__}: {error}"
        return None, entry.refused
    entry.refused = _too_much(program, format)
    if entry.refused is not None:
        return None, entry.refused
    took = perf_counter() - start
    if took * 1e3 >= _limits.CACHED_FROM:
        _keep(program, survey, entry.varying)
    _remember(entry, program)
    return program, ""


def _remember(entry: _Entry, program: Runnable) -> None:
    entry.programs.insert(0, program)
    del entry.programs[_limits.KEPT_PROGRAMS :]


def _keep(program: Program, survey: Survey, varying: set[int]) -> None:
    from ._kept_programs import keep

    with suppress(OSError):  # there may be no files to ask for versions
        keep(program, survey, varying)


def _kept(entry: _Entry, survey: Survey, format: str) -> Runnable | None:
    """A program that another process has made; where a number was another one there, one with that as an input."""
    from ._kept_programs import find_kept

    while entry.looked < _limits.MADE_PROGRAMS:
        entry.looked += 1
        program = None
        with suppress(OSError):
            program = find_kept(survey, format, entry.varying)
        if program is None:
            return None
        changed = {k for k, value in program.baked.items() if not same_number(survey.scalars[k], value)}
        if not changed:
            _remember(entry, program)
            return program
        entry.varying |= changed
    return None


def _too_long(survey: Survey, variables: list[Any], format: str) -> str | None:
    """Why making a program would take longer than it could save, seen from the length of the graph."""
    nodes = len(survey.nodes)
    most = _limits.PRODUCT_NODES if format == "product" else _limits.NODES
    if nodes > most:
        return f"its graph has more than {most:,} operations"
    if nodes > _limits.LONG_GRAPH and _entries_pushed(survey, variables) < _limits.WORTHWHILE:
        return f"its graph has {nodes:,} operations on few numbers: the tape is done before a program is made"
    return None


def _waits(survey: Survey, variables: list[Any], format: str) -> bool:
    """Whether making a program takes as long as dozens of matrices by the tape: then there are to be dozens."""
    long = len(survey.nodes) > _limits.WAITED_GRAPH and format in ("dense", "csr", "structured")
    return long and _entries_pushed(survey, variables) < _limits.WORTHWHILE


def _entries_pushed(survey: Survey, variables: list[Any]) -> int:
    """The numbers that the tape pushes through the largest operation for a whole matrix, about."""
    return int(sum([v.data.size for v in variables]) * max([a.size for a in survey.arrays]))


def _worth(survey: Survey, variables: list[Any]) -> int:
    """The steps that making a program may take: some tens of matrices by the tape, or a second whatever they take."""
    each = _limits.STEPS_EACH + _entries_pushed(survey, variables) // _limits.STEPS_PUSHED
    return max(_limits.STEPS, len(survey.nodes) * each)


def _too_much(program: Program, format: str) -> str | None:
    """Why the tape should run although there is a program: it computes much less."""
    if format in ("product", "diagonal", "trace"):
        return None
    w = work(program)
    mine, tape = w.value + w.gradient + w.hessian, 4 * w.value * (program.total + 1)
    much = mine > max(_limits.FLOP, _limits.TIMES_TAPE * tape)
    return f"its program takes {mine:.2g} flop, the tape about {tape:.2g}" if much else None


def _fits(program: Runnable, survey: Survey) -> bool:
    """Whether what a program has taken as given is so."""
    scalars = survey.scalars
    for k, value in program.baked.items():
        if not same_number(scalars[k], value):
            return False
    return all(np.array_equal(a, b) for a, b in zip(program.fixed, survey.fixed, strict=True))
