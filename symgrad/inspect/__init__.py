"""What was computed, looked into: is this gradient right, who made a NaN, how did a gradient come about."""

from ..ops._public import settle as _settle
from ._blame import AnomalyError
from ._verify import verify

__all__ = ["AnomalyError", "verify"]

_settle("symgrad", globals(), ["AnomalyError", "verify"])
