"""Claims about functions, looked at: is this gradient right?"""

from ..ops._public import settle as _settle
from ._verify import verify

__all__ = ["verify"]

_settle("symgrad", globals(), ["verify"])
