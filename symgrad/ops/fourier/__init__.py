"""Fourier transforms."""

from . import _cosine, _fourier, _fourier_many  # noqa: F401  (importing them fills the table)
