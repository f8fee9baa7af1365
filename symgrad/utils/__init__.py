"""PyTorch's ``utils``: what trains with less memory, and what hands out data in batches."""

from . import checkpoint, data

__all__ = ["checkpoint", "data"]
