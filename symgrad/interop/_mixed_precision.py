"""PyTorch's automatic mixed precision, as scripts for PyTorch name it: here it changes nothing.

The idea to hold: these are PyTorch's own, switched off, as they are on a machine without CUDA. What a script asks them
(a scale, whether they are enabled) has the answer of those.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .._errors import RangeError

_DEVICES = "cpu", "cuda", "mps", "xpu", "hpu", "mtia", "ipu", "xla"


def _warn(what: str, device: str, enabled: bool) -> None:
    """Warn, as PyTorch does, where something is asked for that there is not: a device of another kind."""
    if device not in _DEVICES:
        raise RangeError(f"{what}: there is no device type {device!r}", f"There are {', '.join(_DEVICES)}.", "")
    if enabled and device != "cpu":
        warnings.warn(f"{what} is enabled, but {device.upper()} is not available.  Disabling.", stacklevel=3)


class _OfFewerDigits:
    """A dtype that scripts name for `autocast`; NumPy has none like it, and an array of it is refused by its name."""

    def __repr__(self) -> str:
        return "torch.bfloat16"


BFLOAT16 = _OfFewerDigits()


class autocast:
    """A context, and a decorator, in which PyTorch computes some operations in fewer digits; here all keep their dtype.

    Parameters
    ----------
    device_type : "cpu", "cuda"…; of another than the CPU, enabled, PyTorch's warning is given
    dtype, cache_enabled : mean nothing

    Raises
    ------
    RangeError : no type of a device

    Examples
    --------
    >>> import symgrad as sg
    >>> with autocast("cpu", dtype=sg.float16):
    ...     y = sg.ones(2, 2) @ sg.ones(2)
    >>> y.dtype == sg.float64
    True
    """

    def __init__(self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: Any = None) -> None:
        _warn("torch.autocast", device_type, enabled)
        self.device = device_type

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself."""
        return function


class GradScaler:
    """What scales a loss, so that gradients of few digits do not vanish; here, as without CUDA, by 1.

    Parameters
    ----------
    device : "cuda" (default), "cpu"…; of another than the CPU, enabled, PyTorch's warning is given
    init_scale, growth_factor, backoff_factor, growth_interval : mean nothing

    Notes
    -----
    Steps are never left out: PyTorch's, enabled, leaves out one whose gradients are not finite.
    """

    def __init__(
        self, device: str = "cuda", init_scale: float = 65536.0, growth_factor: float = 2.0,
        backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        _warn("torch.amp.GradScaler", device, enabled)

    def scale(self, outputs: Any) -> Any:
        """Return the loss, or losses, as they are."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Do nothing: gradients are not scaled."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Have the optimizer take its step."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Do nothing: the scale stays 1."""

    def get_scale(self) -> float:
        """Return 1."""
        return 1.0

    def is_enabled(self) -> bool:
        """Return False."""
        return False

    def state_dict(self) -> dict[str, Any]:
        """Return an empty dictionary, as PyTorch's where it is not enabled."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Do nothing."""


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Return False."""
    return False


class _OnCuda(autocast):
    """``torch.cuda.amp.autocast``, whose name has the device in itself."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


_OnCuda.__name__ = _OnCuda.__qualname__ = "autocast"


AMP = SimpleNamespace(
    autocast=autocast, GradScaler=GradScaler, is_autocast_available=lambda device_type: device_type in _DEVICES
)
MODULES: dict[str, Any] = {
    "amp": AMP, "amp.autocast_mode": AMP, "amp.grad_scaler": AMP,
    "cuda.amp": SimpleNamespace(autocast=_OnCuda, GradScaler=functools.partial(GradScaler, "cuda")),
}  # fmt: skip
"""PyTorch's modules of it, by what follows ``torch.``."""
