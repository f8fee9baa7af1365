"""Random programs of views, writes, hooks, modes and backwards leave what they leave in PyTorch, step by step."""

import pytest

import symgrad as sg

from ._answers import answer
from ._semantics_search import outcome

pytestmark = pytest.mark.compare


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_each_step_leaves_what_it_leaves_in_pytorch(first):
    theirs = answer("torch", lambda L: [plain(outcome(L, seed)) for seed in range(first, first + 25)])
    for seed, notes in zip(range(first, first + 25), theirs, strict=True):
        assert plain(outcome(sg, seed)) == notes, seed


def plain(notes):
    return [list(note) for note in notes]


def test_the_programs_come_to_every_kind_of_step():
    notes = [note for seed in range(200) for note in outcome(sg, seed)]
    steps = [note[0] for note in notes]
    for step in (
        "unary",
        "binary",
        "view",
        "write",
        "leaf",
        "hook",
        "sweep",
        "found",
        "see",
        "change",
        "node",
        "after",
    ):
        assert steps.count(step) > 2, step
    assert len({note[2] for note in notes if note[1] == "error"}) > 4
