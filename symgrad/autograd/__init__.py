"""PyTorch's ``autograd`` under its own names."""

from typing import TYPE_CHECKING

from .._function import Function
from .._tensor import Variable
from ..core import taking_carriers as _opened
from ..ops import set_public_names as _settle
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

if TYPE_CHECKING:
    from . import forward_ad, functional, graph
    from ._gradcheck import GradcheckError, gradcheck, gradgradcheck
else:
    _LAZY = {
        "forward_ad": "forward_ad", "functional": "functional", "graph": "graph", "gradcheck": "_gradcheck",
        "gradgradcheck": "_gradcheck", "GradcheckError": "_gradcheck",
    }  # fmt: skip

    def __getattr__(name: str) -> object:
        import importlib

        if name in _LAZY:
            module = importlib.import_module(f"symgrad.autograd.{_LAZY[name]}")
            if _LAZY[name] == name:
                return module
            globals()[name] = getattr(module, name)
            _settle(__name__, globals(), [name])
            return globals()[name]
        raise AttributeError(f"module 'symgrad.autograd' has no attribute {name!r}")


__all__ = [
    "Function", "GradcheckError", "Variable", "backward", "detect_anomaly", "enable_grad", "forward_ad", "function",
    "functional", "grad", "gradcheck", "gradgradcheck", "graph", "inference_mode", "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled", "is_grad_enabled", "is_inference_mode_enabled", "no_grad", "set_detect_anomaly",
    "set_grad_enabled",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # they are what they were, and take carriers besides
    backward, grad = _opened(backward), _opened(grad)
_settle(__name__, globals(), (name for name in __all__ if name in globals()))
