"""New tensors: from data, of a shape, at random."""

from . import _create, _draws, _random, _spans, _window_functions  # noqa: F401  (importing them fills the table)
