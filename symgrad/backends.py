"""What else scripts ask about the machine, and set for other machines: ``backends.mps.is_available()`` and the like.

Examples
--------
>>> import symgrad as sg
>>> sg.backends.mps.is_available(), sg.accelerator.is_available()
(False, False)
>>> sg.backends.cudnn.deterministic = True
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .cuda import device_count, is_available
from .ops import set_public_names as _settle

__all__ = ["accelerator", "cuda", "cudnn", "mps", "xpu"]


def _nothing() -> Any:
    return None


mps: SimpleNamespace = SimpleNamespace(is_available=is_available, is_built=is_available, device_count=device_count)
cuda: SimpleNamespace = SimpleNamespace(is_built=is_available, matmul=SimpleNamespace(allow_tf32=False))
cudnn: SimpleNamespace = SimpleNamespace(
    is_available=is_available, version=_nothing, enabled=False, benchmark=False, deterministic=True, allow_tf32=False
)
xpu: SimpleNamespace = SimpleNamespace(is_available=is_available, device_count=device_count)
accelerator: SimpleNamespace = SimpleNamespace(
    is_available=is_available, device_count=device_count, current_accelerator=_nothing
)

_settle(__name__, globals(), __all__)
