"""Converting a module: its tensors in another dtype, or in new memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from .. import ops
from .._device import Device
from .._errors import DTypeError
from ..autograd import no_grad
from ..core import Tensor

__all__ = ["ModuleConversion"]


class ModuleConversion:
    """The part of `Module` that converts its tensors."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    children: Callable[[], Iterator[Any]]

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the values of each parameter and buffer, here and below; gradients likewise."""
        for child in self.children() if recurse else ():
            child._apply(fn)
        # `data` is replaced, not the parameter: optimizers that hold it keep working.
        with no_grad():
            for tensor in (*self._parameters.values(), *self._buffers.values()):
                if tensor is None:
                    continue
                gradient = tensor.grad if tensor.is_leaf else None
                tensor.data = fn(tensor.detach())
                if gradient is not None:
                    tensor.grad = fn(gradient.detach())
        return self

    def _to_float(self, dtype: Any) -> Self:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert the floating parameters and buffers, in place, as `Tensor.to` would.

        Accepts a dtype, a device (only ``'cpu'`` exists), or a tensor to be like.
        """
        # Where tensors of two dtypes come out alike, the arguments named a dtype and not only a device.
        single, double = (ops.zeros(0, dtype=d).to(*args, **kwargs).dtype for d in (np.float32, np.float64))
        if single != double:
            return self
        if not (double.is_floating_point or double.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={double}.\n"
                f"Call type() to convert all parameters and buffers."
            )
        return self._apply(lambda t: t.to(double) if t.is_floating_point() or t.is_complex() else t)

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers, in place, to a dtype."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Convert the floating parameters and buffers to float32."""
        return self._to_float(np.float32)

    def half(self) -> Self:
        """Convert the floating parameters and buffers to float16."""
        return self._to_float(np.float16)

    def double(self) -> Self:
        """Convert the floating parameters and buffers to float64."""
        return self._to_float(np.float64)

    def bfloat16(self) -> Self:
        """Raise: NumPy has no bfloat16."""
        raise DTypeError("There is no bfloat16: NumPy has none.", next_step="Call half() for 16 bits, or float().")

    def to_empty(self, *, device: Any = None, recurse: bool = True) -> Self:
        """Give the parameters and buffers new memory, whose values are to be set."""
        Device("cpu" if device is None else device)
        return self._apply(lambda t: ops.empty_like(t), recurse)

    def share_memory(self) -> Self:
        """Return the module itself (for scripts that call it)."""
        return self

    def cpu(self) -> Self:
        """Return the module: all of it is on the CPU already."""
        return self

    def cuda(self, device: Any = None) -> Self:
        """Raise: symgrad runs on the CPU."""
        ops.zeros(0).to("cuda")
        return self

    def xpu(self, device: Any = None) -> Self:
        """Raise: symgrad runs on the CPU."""
        Device("xpu")
        return self

    def ipu(self, device: Any = None) -> Self:
        """Raise: symgrad runs on the CPU."""
        Device("ipu")
        return self

    def mtia(self, device: Any = None) -> Self:
        """Raise: symgrad runs on the CPU."""
        Device("mtia")
        return self
