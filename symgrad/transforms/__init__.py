"""Functions in, functions out: what `symgrad.func` and `symgrad.autograd.functional` are made of."""

from . import _compile  # noqa: F401  (what is asked for often is compiled by it)
