"""Sorting, choosing, sets.

order  sorting, choosing and sets: the k-th, the largest, the middle, running extremes, elements among others
"""

from . import order  # importing them fills the table
