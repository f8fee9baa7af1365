"""The textbook derivatives kept for measuring: each has a formula, and it is right. Their lengths are only counted."""

import numpy as np
import pytest

from ..helpers.numeric import assert_close
from ._derived import derivative, few, lines, rest
from .corpus._listing import share, summary
from .corpus.held_out._held import FIELDS


def assert_right(entry, what):
    point = entry.sample()
    truth = entry.numbers(what, point)
    book = entry.read(dict(entry.textbook())[what], point, truth.size, each=True).reshape(truth.shape)
    value = np.asarray(derivative(entry, what)(**point))
    assert value.shape == truth.shape
    for found in (book, value):
        assert_close(
            entry.comparable(what, found), entry.comparable(what, truth), rtol=1e-6, atol=1e-7, what=entry.name
        )


@pytest.mark.parametrize("entries", [few, pytest.param(rest, marks=pytest.mark.slow)], ids=["few", "rest"])
@pytest.mark.parametrize("field", FIELDS)
def test_every_formula_of_a_field_is_right(field, entries):
    wrong = {}
    for entry in entries(FIELDS[field]):
        for what, _ in entry.textbook():
            try:
                assert_right(entry, what)
            except Exception as error:  # all of them are told at once
                wrong[f"{entry.name}, {what}"] = f"{type(error).__name__}: {error}"
    assert not wrong


@pytest.mark.slow
def test_the_share_of_short_formulas_is_counted(record_property):
    found = [line for entries in FIELDS.values() for line in lines(entries)]
    record_property("held out", summary(found))
    print(summary(found))
    assert share(found) > 0.919  # it may only rise
