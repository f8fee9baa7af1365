"""PyTorch's ``utils``: what trains with less memory."""

from . import checkpoint

__all__ = ["checkpoint"]
