"""What scripts ask before they choose a device: there is none of CUDA's, and NumPy holds the numbers.

Examples
--------
>>> import symgrad as sg
>>> sg.device("cuda" if sg.cuda.is_available() else "cpu")
device(type='cpu')
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._errors import DeviceError
from .ops import named as _named
from .ops import set_public_names as _settle

__all__ = [
    "current_device", "current_stream", "device_count", "empty_cache", "get_device_capability", "get_device_name",
    "get_device_properties", "is_available", "is_bf16_supported", "is_initialized", "manual_seed", "manual_seed_all",
    "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved", "set_device", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Return False: symgrad runs on the CPU."""
    return False


def device_count() -> int:
    """Return 0."""
    return 0


def is_initialized() -> bool:
    """Return False: there is nothing to initialise."""
    return False


def is_bf16_supported() -> bool:
    """Return False: NumPy has no bfloat16."""
    return False


def manual_seed(seed: int) -> None:
    """Seed the generators of all CUDA devices, of which there are none."""


def empty_cache() -> None:
    """Free the memory that CUDA devices keep, of which there are none."""


def memory_allocated(device: Any = None) -> int:
    """Return 0: no tensor lies on a CUDA device."""
    return 0


manual_seed_all = manual_seed
max_memory_allocated = memory_allocated
memory_reserved = memory_allocated
max_memory_reserved = memory_allocated


def _absent(name: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> Any:
        raise DeviceError(
            f"cuda.{name}: Torch not compiled with CUDA enabled: symgrad runs on the CPU, and there is no CUDA device.",
            "NumPy holds the numbers.",
            "Ask cuda.is_available() first.",
        )

    return _named(function, name, "Raise DeviceError: there is no CUDA device.")


current_device: Callable[..., Any] = _absent("current_device")
current_stream: Callable[..., Any] = _absent("current_stream")
get_device_capability: Callable[..., Any] = _absent("get_device_capability")
get_device_name: Callable[..., Any] = _absent("get_device_name")
get_device_properties: Callable[..., Any] = _absent("get_device_properties")
set_device: Callable[..., Any] = _absent("set_device")
synchronize: Callable[..., Any] = _absent("synchronize")


_settle(__name__, globals(), __all__)
