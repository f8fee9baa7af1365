"""PyTorch's ``autograd.functional``: derivatives of functions of several tensors."""

from ...ops import set_public_names as _settle
from .._functional import hessian, hvp, jacobian, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_settle(__name__, globals(), __all__)
