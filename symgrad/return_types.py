"""The classes of named results: ``symgrad.return_types.max`` and so on."""

from .ops.public import settle as _settle
from .ops.results import RESULTS as _RESULTS

globals().update(_RESULTS)
__all__ = sorted(_RESULTS)

_settle(__name__, globals(), __all__)
