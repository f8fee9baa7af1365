"""Sums, norms, scans."""

from . import _norm, _reduce, _scan  # noqa: F401  (importing them fills the table)
