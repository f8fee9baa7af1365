"""Random programs across the seams are PyTorch's numbers too; `tests/properties/_search.py` searches at length."""

import re
import zlib

from ..properties._seams import program_of
from ..properties._ways import Question, Stops, study
from ._answers import answer
from ._torch_way import torchs


def test_random_programs_have_pytorchs_derivatives():
    answered = 0
    for seed in range(300):
        program = program_of(seed, most=5)
        if not program.wrt:
            continue
        # the last digit of a random number may depend on the processor
        name = zlib.crc32(re.sub(r"\d+\.\d+(e-?\d+)?", lambda m: f"{float(m[0]):.6g}", repr(program)).encode())

        def theirs(torch, program=program, name=name):
            try:
                return name, torchs(torch, Question(program, program.leaves))
            except Stops as stops:
                return name, str(stops)

        asked, said = answer("torch", theirs, bits=40)
        assert asked == name, f"another table of operations makes another program {seed}: write the answers anew"

        def way(q, said=said):
            if isinstance(said, str):
                raise Stops(said)
            return said

        report = study(program, [("torch", way)], chosen=(), second_point=False)
        answered += "torch" in report.gave
        assert not report.complaints, f"seed {seed}:\n{program!r}\n{report.complaints}"
    assert answered > 180
