"""PyTorch's ``autograd.functional``: derivatives of functions of several tensors."""

from .._functional import hessian, hvp, jacobian, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
