"""Random programs across the seams are PyTorch's numbers too; `tests/properties/_search.py` searches at length."""

import pytest

from ..properties._seams import program_of
from ..properties._ways import study

torch = pytest.importorskip("torch", reason="pip install torch==2.13.0 to compare with PyTorch")


def test_random_programs_have_pytorchs_derivatives():
    from ._torch_way import torchs

    answered = 0
    for seed in range(300):
        program = program_of(seed, most=5)
        if not program.wrt:
            continue
        report = study(program, [("torch", torchs)], chosen=(), second_point=False)
        answered += "torch" in report.gave
        assert not report.complaints, f"seed {seed}:\n{program!r}\n{report.complaints}"
    assert answered > 180
