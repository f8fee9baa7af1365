"""The classes of named results: ``symgrad.return_types.max`` and so on."""

from .ops._results import RESULTS as _RESULTS

globals().update(_RESULTS)
__all__ = sorted(_RESULTS)
