"""The corpus of textbook derivatives: what symgrad's formulas are held against, by number and by length.

The idea to hold: an entry is a function as a user writes it, the derivative as a book prints it, and what symgrad
prints, approved by a reader. The book's form is read by the rules of the notation (`_reader`) and checked against
finite differences like symgrad's own, so a slip of the pen in the corpus fails a test.

``python -m tests.formulas.corpus`` prints the table; with ``--approve`` it writes ``approved.json`` anew, to be
reviewed as a diff.
"""

from . import (
    _barriers_and_fields,
    _bonds_and_quotients,
    _calculus,
    _calculus_again,
    _choices_and_counts,
    _control,
    _cookbook,
    _cookbook_traces,
    _curvatures,
    _curvatures_of_models,
    _effects_and_information,
    _estimates_and_energies,
    _factorisation,
    _factors,
    _finance,
    _gaussian,
    _graphs,
    _identities_of_matrices,
    _laws,
    _likelihoods,
    _losses_again,
    _matrices_again,
    _matrix_functions,
    _mechanics,
    _models,
    _networks,
    _norms,
    _regression,
    _scalars,
    _scores_and_parts,
    _signals,
    _statistics,
    _tables_of_derivatives,
    _trials_and_couplings,
    _waves_and_forms,
)
from ._entry import Entry

_BOOKS = (
    _regression,
    _cookbook,
    _cookbook_traces,
    _norms,
    _likelihoods,
    _gaussian,
    _factorisation,
    _networks,
    _mechanics,
    _finance,
    _scalars,
)
_UNSEEN = (_calculus, _identities_of_matrices, _graphs, _control)
_FRESH = (_losses_again, _matrices_again, _laws)
_CURVED = (_curvatures, _curvatures_of_models)
_APPLIED = (_choices_and_counts, _bonds_and_quotients)
_WIDER = (_effects_and_information, _barriers_and_fields)
_MIXED = (_scores_and_parts, _waves_and_forms)
_AFTER = (_trials_and_couplings,)
_PAIRS = (_estimates_and_energies,)
_TABLES = (_tables_of_derivatives,)
_LATER = (_calculus_again, _matrix_functions, _signals, _factors, _statistics, _models)

FIRST: tuple[Entry, ...] = tuple(entry for book in _BOOKS for entry in book.ENTRIES)
UNSEEN: tuple[Entry, ...] = tuple(entry for book in _UNSEEN for entry in book.ENTRIES)
"""Entries written from the books before anyone saw what symgrad prints: they show where it lags."""
LATER: tuple[Entry, ...] = tuple(entry for book in _LATER for entry in book.ENTRIES)
"""Likewise, written after the rules that `UNSEEN` asked for: they show whether those rules are general."""

FRESH: tuple[Entry, ...] = tuple(entry for book in _FRESH for entry in book.ENTRIES)
"""Likewise, after the rules of `LATER`: measured before any rule was made for them."""

CURVED: tuple[Entry, ...] = tuple(entry for book in _CURVED for entry in book.ENTRIES)
"""Likewise, after the rules of `FRESH`, most of them with a Hessian."""

APPLIED: tuple[Entry, ...] = tuple(entry for book in _APPLIED for entry in book.ENTRIES)
"""Likewise, after the rules of `CURVED`, two thirds of the lines Hessians of models from the fields that apply them."""

WIDER: tuple[Entry, ...] = tuple(entry for book in _WIDER for entry in book.ENTRIES)
"""Likewise, after the rules of `APPLIED`: effects, information, barriers, fields and matrices."""

MIXED: tuple[Entry, ...] = tuple(entry for book in _MIXED for entry in book.ENTRIES)
"""Likewise, after the rules of `WIDER`: two lines of three are Hessians, or Jacobians of a gradient."""

AFTER: tuple[Entry, ...] = tuple(entry for book in _AFTER for entry in book.ENTRIES)
"""Likewise, after the rules of `MIXED`: measured before any rule was made for them."""

PAIRS: tuple[Entry, ...] = tuple(entry for book in _PAIRS for entry in book.ENTRIES)
"""Likewise, after the rules of `AFTER`: every field once more, and sums over pairs of rows of a matrix."""

TABLES: tuple[Entry, ...] = tuple(entry for book in _TABLES for entry in book.ENTRIES)
"""Likewise, after the rules of `PAIRS`: half of them from tables of derivatives."""

ENTRIES = FIRST + UNSEEN + LATER + FRESH + CURVED + APPLIED + WIDER + MIXED + AFTER + PAIRS + TABLES
"""Every entry, by subject."""
