"""Other shapes, joined and taken apart."""

from . import (  # noqa: F401  (importing them fills the table)
    _broadcast,
    _diagonal,
    _join,
    _move,
    _pad,
    _restride,
    _shape,
    _split,
    _strided,
)
