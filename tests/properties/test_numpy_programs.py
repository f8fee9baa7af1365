"""Random functions of arrays as people write them: values and slopes by every way, beside differences."""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.examples import seeds
from ._numpy_programs import Program, complaints


@seeds(60)
def test_every_way_has_the_slope_of_the_differences(seed):
    program = Program(seed)
    said, _ = complaints(program)
    assert not said, f"{program!r}\n{said}"


def test_most_programs_are_compared():
    counts = [complaints(Program(seed), ("grad", "value"))[1] for seed in range(1000, 1030)]
    assert sum(count == 2 for count in counts) > 15


@pytest.mark.slow
def test_a_wrong_slope_is_found(monkeypatch):
    monkeypatch.setitem(sg.core.of_numpy, np.sin, sg.core.TABLE["cos"].apply)
    programs = [p for p in map(Program, range(60)) if "np.sin({" not in p.source]
    assert sum(bool(complaints(p, ("jacobian",))[0]) for p in programs) > 10
