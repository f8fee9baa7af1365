"""Sums over rows, Hessians and products on a Dask cluster: `sum_over`."""

from ..ops import set_public_names as _settle
from ._chunks import ChunkError, DistributedError, chunks
from ._total import SumOver, sum_over

__all__ = ["ChunkError", "DistributedError", "SumOver", "chunks", "sum_over"]

_settle(__name__, globals(), __all__)
