"""PyTorch's ``autograd`` under its own names."""

from .._function import Function
from ..core import Tensor as Variable
from ..sweep import backward, grad
from . import function
from ._modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "function", "grad", "inference_mode",
    "is_anomaly_enabled", "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "set_detect_anomaly",
    "set_grad_enabled",
]  # fmt: skip
