"""Sorting, choosing, sets."""

from . import _order, _sets, _sort  # noqa: F401  (importing them fills the table)
