"""Names of parts: what is reckoned of them saves trials, and changes no text."""

import pytest

from symgrad._trees import postorder
from symgrad.show import layout_choice, to_text
from symgrad.show.layout_choice import _spared
from symgrad.show.layout_terms import Shared, Sheet, lengths, unreadable, worth

from ._derived import cases, derivative
from .corpus._books import ENTRIES

EACH = pytest.mark.parametrize("entry", cases(ENTRIES))


@EACH
def test_a_name_spares_at_least_what_is_reckoned(entry):
    """The truth is the same formula laid out without it."""
    for what, _ in entry.textbook():
        root = derivative(entry, what).term
        terms, roots = [*postorder(root)], {id(root)}
        shared, needed = Shared(root, (), terms, True), unreadable(terms, roots, set())
        without = Sheet(shared, needed).length[0]
        for term in worth(terms, lengths(terms, set()), roots, 2):
            laid = Sheet(shared, needed | {id(term)})
            spared = _spared(laid, laid.names[id(term)])
            assert spared < 0 or without - laid.length[0] >= spared


@EACH
def test_what_is_not_tried_would_change_no_text(entry, monkeypatch):
    """The truth is what is printed where every name is tried in earnest."""
    terms = [derivative(entry, what).term for what, _ in entry.textbook()]
    texts = [to_text(term) for term in terms]
    monkeypatch.setattr(layout_choice, "_spared", lambda laid, label: -1)
    assert [to_text(term) for term in terms] == texts
