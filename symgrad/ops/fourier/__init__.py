"""Fourier transforms."""

from . import _fourier, _fourier_many  # noqa: F401  (importing them fills the table)
