"""PyTorch's ``autograd.function``: user-defined operations."""

from ..._function import Function, FunctionNode, once_differentiable

FunctionCtx = FunctionNode

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
