"""Random programs across the seams: every way to a derivative gives the same number."""

import re
import warnings

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import TABLE
from symgrad.core import op as _emit

from ..helpers.cases import one_in
from ._seams import ROWS, compiled, program_of
from ._search import shrunk
from ._ways import Question, study, tape

SEEDS = range(130, 190)


@one_in(6)
@pytest.mark.parametrize("start", SEEDS[::5])
def test_every_way_gives_the_same_derivatives(start):
    for seed in range(start, start + 5):
        program = program_of(seed, most=5)
        complaints = study(program).complaints if program.wrt else []
        assert not complaints, f"seed {seed}:\n{program!r}\n{complaints}"


@pytest.mark.slow
def test_most_programs_are_compared_in_three_ways_or_more():
    programs = [p for p in map(program_of, range(40)) if p.wrt and not p.tied]
    reports = [study(program, chosen=("formula",), second_point=False) for program in programs]
    assert sum(len(report.compared) >= 3 for report in reports) > 0.6 * len(programs)


@pytest.fixture
def wrong_tanh(monkeypatch):
    """A table in which the derivative of tanh has a wrong sign."""
    row = TABLE["tanh"]
    wrong = (lambda y: y * y - 1,)
    monkeypatch.setattr(row, "rules", wrong)
    for graph, name in ((False, "pull"), (True, "pull_graph")):
        monkeypatch.setattr(row.node, name, _emit.lazy_pull(row, graph))
    yield
    monkeypatch.undo()


@pytest.mark.slow
def test_a_wrong_rule_is_found_and_shrunk_to_the_operation(wrong_tanh):
    def complaints(program):
        return study(program, chosen=(), second_point=False).complaints

    programs = [p for p in map(program_of, range(200)) if "L.tanh" in p.source and not p.tied]
    found = [(p, kind) for p in programs for kind, _ in complaints(p)[:1]]
    assert len(found) >= 5
    for program, kind in found[:3]:
        assert "tape and differences" in kind
        small = shrunk(program, kind, complaints)
        assert "tanh" in small.source and len(small.lines) <= 3, small


def test_shrinking_leaves_what_the_complaint_needs():
    program = program_of(7, most=7)
    name = program.lines[0].partition(" = ")[0]

    def complaints(p):
        compiled(p)(*p.leaves)  # raises where a line is missing
        return [("kind", "")] if any(re.match(rf"{name}\b", line) for line in p.lines) else []

    assert len(shrunk(program, "kind", complaints).lines) == 2


@pytest.mark.parametrize("seed", [0, 4, 11])
def test_a_program_prints_as_a_script_that_gives_its_numbers(seed, capsys):
    program = program_of(seed)
    assert repr(program) == repr(program_of(seed))
    scope = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.StructurallyZeroWarning)  # some are made of steps
        exec(repr(program), scope)
    assert "Hessian" in capsys.readouterr().out
    value, first, _ = tape(Question(program, program.leaves))
    np.testing.assert_allclose(scope["y"].detach().numpy(), value, rtol=1e-12)
    np.testing.assert_allclose(np.concatenate([g.detach().numpy().ravel() for g in scope["g"]]), first, rtol=1e-12)


@pytest.mark.slow
def test_every_row_of_the_table_is_drawn_or_recorded():
    met = set()
    for seed in range(4000):
        met |= set(re.findall(r"row\('(\w+)'\)", program_of(seed, most=4).source))
    missing = {op.name for op in ROWS} - met
    assert len(missing) < 0.1 * len(ROWS), missing
