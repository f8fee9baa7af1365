"""PyTorch's ``autograd.function``: user-defined operations."""

from ..._function import Function, FunctionNode, once_differentiable
from ...ops import set_public_names as _settle

FunctionCtx = FunctionNode

__all__ = ["Function", "FunctionCtx", "once_differentiable"]

_settle(__name__, globals(), __all__)
