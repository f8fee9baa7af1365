"""Random programs on large arrays: blocks and sums in place give the numbers of plain sweeps, in memory of its own."""

import collections
import re

import numpy as np
import pytest

from symgrad.core import Tensor, ownership, wrap
from symgrad.sweep import reverse

from ..helpers.cases import one_in
from ._large_programs import LOW
from ._large_runs import serious, study
from ._large_search import fewer
from ._large_ways import program_of
from ._search import shrunk

SEEDS = range(0, 50)


def complaints(program):
    return serious(study(program))


@one_in(4)
@pytest.mark.parametrize("start", SEEDS[::10])
def test_large_arrays_have_the_derivatives_of_small_ones_and_share_no_memory(start):
    for seed in range(start, start + 10):
        program = program_of(seed)
        found = complaints(program)
        assert not found, f"seed {seed}:\n{program!r}\n{found}"


def test_so_do_small_arrays():
    for seed in range(100):
        program = program_of(seed, sizes=LOW)
        found = complaints(program)
        assert not found, f"seed {seed}:\n{program!r}\n{found}"


def sums_in_place(monkeypatch):
    """A sweep that adds to gradients which others have too."""
    added = ownership.added_in_blocks
    monkeypatch.setattr(ownership, "added_in_blocks", lambda a, b, out: added(a, b, a))


def results_as_they_are(monkeypatch):
    """A sweep that hands out what it was handed."""
    monkeypatch.setattr(reverse.Sweep, "_is_own", lambda self, end, g: True)


def hooks_without_copies(monkeypatch):
    """A sweep that shows its own arrays to hooks."""
    monkeypatch.setattr(reverse, "gradient_for_others", lambda g: g if isinstance(g, Tensor) else wrap(np.asarray(g)))


@one_in(6)
@pytest.mark.parametrize(
    "mistake, sizes", [(sums_in_place, [(70_001,)]), (results_as_they_are, [(300, 300)]), (hooks_without_copies, LOW)]
)
def test_a_sweep_that_takes_others_memory_for_its_own_is_found(mistake, sizes, monkeypatch):
    mistake(monkeypatch)
    assert any(complaints(program_of(seed, sizes=sizes)) for seed in range(300))


def test_what_is_found_shrinks_to_the_sharing(monkeypatch):
    sums_in_place(monkeypatch)
    programs = (program_of(seed, most=4, sizes=[(70_001,)]) for seed in range(300))
    program = next(p for p in programs if complaints(p))
    small = shrunk(program, complaints(program)[0][0], complaints, fewer)
    assert len(small.lines) <= 8, small


def test_every_way_and_every_kind_of_hook_is_drawn():
    drawn = collections.Counter()
    for seed in range(1500):
        program = program_of(seed)
        text = "\n".join(program.source) + "".join(program.arrays.values())
        for what in (
            r"T\.grad", r"T\.value_and_grad", r"T\.vjp", r"T\.jvp", r"T\.hvp", r"format='csr'", r"format='structured'",
            r"backward\(retain_graph=True.*\n.*backward\(", r"autograd\.grad\(", r"backward\(inputs", r"h', \*L",
            r"autograd\.backward\(\[", r"retain_grad\(\)", r"own\(g\)\.mul_", r"shown\('hook", r"keeping", r"g: c\d+",
            r"grad_fn\.register_hook", r"register_prehook", r"post_accumulate", r"\]\[::2\]|\)\[::2\]", r"\.T\b",
            r"\[::-1\]", r"asfortran", r"broadcast_to\(np", r"float32", r"Same", r"Both", r"Given", r"L\.cat",
            r"\[\.\.\.\] = ", r"\+= ", r"expand", r"\(a0, a0", r"(c\d+), \1\]",
        ):  # fmt: skip
            drawn[what] += bool(re.search(what, text))
    rare = {what: n for what, n in drawn.items() if n < 3}
    assert not rare, rare


@pytest.mark.parametrize("seed", range(5))
def test_a_program_prints_as_a_script_that_runs(seed):
    program = program_of(seed, sizes=[(5,), (3, 3)])
    assert repr(program) == repr(program_of(seed, sizes=[(5,), (3, 3)]))
    exec(repr(program), {})
