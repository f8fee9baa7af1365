"""PyTorch's ``autograd`` under its own names."""

from .._function import Function
from .._tensor import Variable
from ..sweep import backward, grad
from . import function
from ._modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)

_LAZY = {
    "forward_ad": "forward_ad", "functional": "functional", "graph": "graph", "gradcheck": "_gradcheck",
    "gradgradcheck": "_gradcheck", "GradcheckError": "_gradcheck",
}  # fmt: skip


def __getattr__(name: str) -> object:
    import importlib

    if name in _LAZY:
        module = importlib.import_module(f"symgrad.autograd.{_LAZY[name]}")
        return module if name == _LAZY[name] else getattr(module, name)
    raise AttributeError(f"module 'symgrad.autograd' has no attribute {name!r}")


__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "function", "grad", "inference_mode",
    "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "is_grad_enabled", "is_inference_mode_enabled", "no_grad",
    "set_detect_anomaly", "set_grad_enabled",
]  # fmt: skip
