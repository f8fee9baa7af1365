"""Random programs on large arrays have PyTorch's derivatives; `tests/properties/_large_search.py` searches on."""

import numpy as np
import pytest

from ..properties._large_runs import serious, study
from ..properties._large_ways import program_of
from ._answers import answer
from ._torch_large import by_torch, summed, unlike

SEEDS = range(1000, 1100)


@pytest.mark.parametrize("start", SEEDS[::25])
def test_random_programs_on_large_arrays_have_pytorchs_derivatives(start):
    for seed in range(start, start + 25):
        program = program_of(seed)

        def theirs(torch, program=program):
            found = by_torch(torch, program)
            if isinstance(found, Exception):
                raise found
            return summed(found)

        try:
            said = answer("torch", theirs, bits=40)
        except Exception as error:
            said = error
        found = serious(study(program, lambda _, said=said: said, compare=unlike))
        assert not found, f"seed {seed}:\n{program!r}\n{found}"


@pytest.mark.parametrize("size", [1, 5, 70_001])
def test_one_wrong_entry_shows_in_the_sums(size):
    right = {"a": np.random.default_rng(0).normal(size=size)}
    assert not list(unlike(right, summed(right), 1e-12))
    largest = max(1, np.abs(right["a"]).max())
    for place in {0, size // 3, size - 1}:
        wrong = right["a"].copy()
        wrong[place] += 1e-9 * largest
        assert list(unlike({"a": wrong}, summed(right), 1e-9))
    assert list(unlike(right, summed({"a": right["a"][None]}), 1e-9))
    assert list(unlike(right, {}, 1e-9)) and list(unlike({}, summed(right), 1e-9))
