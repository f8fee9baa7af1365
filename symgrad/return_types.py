"""The classes of named results: ``symgrad.return_types.max`` and so on."""

from .ops._public import settle as _settle
from .ops._results import RESULTS as _RESULTS
from .ops.linalg import _systems as _systems  # which adds to them

globals().update(_RESULTS)
__all__ = sorted(_RESULTS)

_settle(__name__, globals(), __all__)
