"""Random programs on large arrays: blocks and sums in place give the numbers of plain sweeps, in memory of their own."""

import collections
import re

import numpy as np
import pytest

from symgrad.core import _pull

from ._large_programs import LOW, program_of
from ._large_search import fewer
from ._large_ways import serious, study
from ._search import shrunk

SEEDS = range(0, 50)


def complaints(program):
    return serious(study(program))


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


@pytest.fixture
def written_in_place(monkeypatch):
    """A sweep that adds to gradients which others have too."""

    def add(old, d, *_):
        np.add(old, d, out=old)
        return old

    monkeypatch.setattr(_pull, "_add", add)


def test_a_sum_in_memory_of_others_is_found_and_shrunk(written_in_place):
    def wrong(program):
        return [(kind, text) for kind, text in complaints(program) if not kind.startswith("raises")]

    found = [(program_of(seed), wrong(program_of(seed))) for seed in SEEDS]
    found = [(p, [k for k, _ in told]) for p, told in found if told]
    assert len(found) >= 3
    program, kinds = found[0]
    small = shrunk(program, kinds[0], wrong, fewer)
    assert len(small.lines) <= 9, small


def test_every_way_and_every_kind_of_hook_is_drawn():
    drawn = collections.Counter()
    for seed in range(1500):
        program = program_of(seed)
        text = "\n".join(program.source) + "".join(program.arrays.values())
        for what in (
            r"T\.grad", r"T\.value_and_grad", r"T\.vjp", r"T\.jvp", r"T\.hvp", r"format='csr'", r"format='structured'",
            r"backward\(retain_graph=True.*\n.*backward\(", r"autograd\.grad\(", r"backward\(inputs", r"create_graph=True",
            r"autograd\.backward\(\[", r"retain_grad\(\)", r"own\(g\)\.mul_", r"shown\('hook", r"keeping", r"g: c\d+",
            r"grad_fn\.register_hook", r"register_prehook", r"post_accumulate", r"\]\[::2\]|\)\[::2\]", r"\.T\b",
            r"\[::-1\]", r"asfortran", r"broadcast_to\(np", r"float32", r"Same", r"Both", r"Given", r"L\.cat", r"L\.stack",
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
