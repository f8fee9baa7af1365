"""Random programs on large arrays have PyTorch's derivatives; `tests/properties/_large_search.py` searches on."""

import pytest

from ..properties._large_runs import serious, study
from ..properties._large_ways import program_of

pytest.importorskip("torch", reason="pip install torch==2.13.0 to compare with PyTorch")

SEEDS = range(1000, 1100)


@pytest.mark.parametrize("start", SEEDS[::25])
def test_random_programs_on_large_arrays_have_pytorchs_derivatives(start):
    from ._torch_large import by_torch

    for seed in range(start, start + 25):
        program = program_of(seed)
        found = serious(study(program, by_torch))
        assert not found, f"seed {seed}:\n{program!r}\n{found}"
