"""Textbook derivatives: right by number, as approved in print, and no longer than the book's."""

import functools

import numpy as np
import pytest

from ..helpers.numeric import assert_close
from ._derived import cases, derivative, lines
from ._tokens import count_tokens
from .corpus._books import AFTER, APPLIED, CURVED, ENTRIES, FIRST, FRESH, LATER, MIXED, PAIRS, TABLES, UNSEEN, WIDER
from .corpus._entry import approved_text
from .corpus._listing import share, summary
from .corpus._values import NotReadable

EACH = pytest.mark.parametrize(
    ("entry", "what"), cases(ENTRIES, lambda entry: [(entry, what) for what, _ in entry.textbook()])
)
SHARE = {FIRST: 0.989, UNSEEN: 0.983, LATER: 0.966, FRESH: 0.972, CURVED: 0.962, APPLIED: 0.915, WIDER: 0.98,
         MIXED: 0.961, AFTER: 0.968, PAIRS: 0.977, TABLES: 0.948}  # fmt: skip
"""How many of the lines must be no longer than the book's: of the entries that rules were made for, of later ones."""


@functools.cache
def both(entry, what):
    """Return a point and the derivative there by differences."""
    point = entry.sample()
    return point, entry.numbers(what, point)


def assert_same(entry, what, found, truth):
    """Assert equality up to the accuracy of differences and what a symmetric variable leaves open."""
    found = np.asarray(found, float).reshape(truth.shape)
    assert_close(entry.comparable(what, found), entry.comparable(what, truth), rtol=1e-6, atol=1e-7, what=entry.name)


@EACH
def test_the_book_is_right(entry, what):
    point, truth = both(entry, what)
    assert_same(entry, what, entry.read(dict(entry.textbook())[what], point, truth.size), truth)


@EACH
def test_the_formula_is_right(entry, what):
    point, truth = both(entry, what)
    value = np.asarray(derivative(entry, what)(**point))
    assert value.shape == truth.shape
    assert_same(entry, what, value, truth)
    assert_same(entry, what, value, entry.read(dict(entry.textbook())[what], point, truth.size).reshape(truth.shape))


@EACH
def test_the_printed_text_says_the_same_number(entry, what):
    point, truth = both(entry, what)
    text = str(derivative(entry, what))
    try:
        found = entry.read(text, point, truth.size)
    except NotReadable as error:
        pytest.skip(f"not in matrix notation: {error}")
    assert_same(entry, what, found, truth)


@EACH
def test_the_printed_text_is_as_approved(entry, what):
    approved = approved_text(entry, what)
    assert str(derivative(entry, what)) == approved, "if it is better: python -m tests.formulas.corpus --approve"


@pytest.mark.slow
def test_formulas_are_no_longer_than_the_books(record_property):
    found = lines(ENTRIES)
    for line in found:
        record_property(line.name, f"{line.textbook_tokens} {line.error or line.tokens}")
    for line in found:
        if line.is_longer:
            print(f"{line.name}: {line.textbook_tokens} {line.textbook!r}")
            print(f"    {line.tokens} {line.error or line.printed!r}")
    print(summary(found))
    for entries, least in SHARE.items():
        some = [line for line in found if line.entry in entries]
        assert share(some) >= least, summary(some)


def test_names_are_unique():
    names = [entry.name for entry in ENTRIES]
    assert len(set(names)) == len(names) > 700


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("xᵀBx", 4),
        ("2Aᵀ(Ax − b)", 9),
        ("2 A^2", 3),
        ("X⁻ᵀ", 2),
        ("X beta − y", 4),
        ("‖x‖²", 4),
        ("diag(p) − ppᵀ where p = softmax(x)", 14),
        ("diag(p) − ppᵀ\nwhere p = softmax(x)", 14),
        ("where(x > 0, x, 1)", 8),
        ("Σₖ A[i,k]·B[k,j]", 13),
        ("x**2 - y", 4),
    ],
)
def test_tokens_are_counted_as_a_reader_counts(text, count):
    assert count_tokens(text, {"beta"}) == count


@pytest.mark.parametrize(("unicode", "ascii"), [("x² − y", "x**2 - y"), ("x ⊙ y", "x*y"), ("Aᵀ", "A.T")])
def test_ascii_and_unicode_count_the_same(unicode, ascii):
    assert count_tokens(unicode) == count_tokens(ascii)
