"""Sums over rows, Hessians and products on a Dask cluster: `sum_over`."""

from ..ops._public import settle as _settle
from ._chunked_data import chunks
from ._cluster_errors import ChunkError, DistributedError
from ._total import SumOver, sum_over

__all__ = ["ChunkError", "DistributedError", "SumOver", "chunks", "sum_over"]

_settle(__name__, globals(), __all__)
