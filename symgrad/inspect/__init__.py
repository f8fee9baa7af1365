"""Derivatives looked into: who made a NaN, and how a gradient came about, node by node."""

from ..ops._public import settle as _settle
from ._blame import AnomalyError

__all__ = ["AnomalyError"]

_settle("symgrad", globals(), ["AnomalyError"])
