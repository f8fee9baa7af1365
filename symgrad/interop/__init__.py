"""symgrad in the place of another library."""

from ..ops import set_public_names as _settle
from ._as_torch import Installation, install

__all__ = ["Installation", "install"]

_settle("symgrad", globals(), ["install"])
