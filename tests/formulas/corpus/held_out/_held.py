"""Textbook derivatives that no rule was tuned on: written from books before the rules were, by another hand.

The idea to hold: the other half of the corpus is for work; this one is for measuring. Whoever changes a rule looks at
the sum below the line (``python -m tests.formulas.corpus --held-out``) and not at the lines, but for those whose
*numbers* are wrong, or that have no formula.
"""

from .._entry import Entry
from . import (
    _held_control,
    _held_factorisation,
    _held_finance,
    _held_gaussian,
    _held_graphs,
    _held_identities,
    _held_mechanics,
    _held_networks,
    _held_regression,
    _held_scalars,
)

FIELDS: dict[str, tuple[Entry, ...]] = {
    "regression": tuple(_held_regression.ENTRIES),
    "factorisation": tuple(_held_factorisation.ENTRIES),
    "Gaussian models": tuple(_held_gaussian.ENTRIES),
    "mechanics": tuple(_held_mechanics.ENTRIES),
    "graphs and signals": tuple(_held_graphs.ENTRIES),
    "control and geometry": tuple(_held_control.ENTRIES),
    "networks": tuple(_held_networks.ENTRIES),
    "matrix identities": tuple(_held_identities.ENTRIES),
    "economics and finance": tuple(_held_finance.ENTRIES),
    "scalars": tuple(_held_scalars.ENTRIES),
}
"""The entries by field."""
