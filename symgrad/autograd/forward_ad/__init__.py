"""PyTorch's ``autograd.forward_ad``: derivatives forwards, beside the values."""

from ...ops import set_public_names as _settle
from .._forward_ad import UnpackedDualTensor, dual_level, enter_dual_level, exit_dual_level, make_dual, unpack_dual

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

_settle(__name__, globals(), __all__)
