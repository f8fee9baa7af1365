"""The classes of named results: ``symgrad.return_types.max`` and so on."""

from .ops import RESULTS as _RESULTS
from .ops import set_public_names as _settle
from .ops.linalg import special_systems as _later  # noqa: F401 (its classes are in no program's way until asked for)

globals().update(_RESULTS)
__all__ = sorted(_RESULTS)

_settle(__name__, globals(), __all__)
