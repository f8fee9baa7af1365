"""Picking and putting by indices and masks."""

from . import (  # noqa: F401  (importing them fills the table)
    _assign,
    _index,
    _mask,
    _pick,
    _scatter,
    _scatter_reduce,
    _search,
)
