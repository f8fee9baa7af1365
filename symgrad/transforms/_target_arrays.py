"""What `sg.compile` asks of a library for which it makes programs: its arrays, and how its functions are run.

The idea to hold: programs are the same for all; here is what is not text. A library is imported when a program for it
is asked for, never before.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from .._errors import MissingDependencyError
from ..programs._dialects import JAX, TORCH

_INSTALL = {"jax": "python -m pip install jax", "torch": "python -m pip install torch"}


class JaxArrays:
    """JAX's arrays, tracers among them; programs run under ``jax.jit``."""

    dialect = JAX
    takes_any = True  # a function under jit takes NumPy's arrays as they are, and is quicker than a conversion
    short = "jax.Array"

    def __init__(self) -> None:
        self.jax = _imported("jax")
        self.numpy = _imported("jax.numpy", "jax")

    def owns(self, leaf: Any) -> bool:
        return isinstance(leaf, self.jax.Array)

    def dtype_of(self, leaf: Any) -> np.dtype[Any]:
        return np.dtype(leaf.dtype)

    def shown(self, leaf: Any) -> np.ndarray | None:
        """The numbers of an array; None for a tracer."""
        return None if isinstance(leaf, self.jax.core.Tracer) else np.asarray(leaf)

    def setting(self) -> Any:
        """What else than the arguments a program hangs on."""
        return bool(self.jax.config.jax_enable_x64)

    def exact(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """A dtype as JAX has it now: without its flag for 64 bits there are only 32."""
        return np.dtype(self.jax.dtypes.canonicalize_dtype(dtype))

    def place(self, leaves: list[Any]) -> Any:
        """Where arrays that are no arguments go: JAX decides."""
        return None

    def array(self, value: Any, dtype: Any, place: Any) -> Any:
        """An argument as an array of this dtype (None: of its own)."""
        return self.numpy.asarray(value, dtype)

    def constant(self, value: np.ndarray, dtype: Any, place: Any) -> Any:
        """Indices stay NumPy's: they are part of the program. JAX keeps what it made of one under 64 bits and under
        32 as one, by the array that it is."""
        return self.numpy.asarray(value, dtype) if value.dtype.kind == "f" else value.copy()

    def runnable(self, function: Any) -> Any:
        return self.jax.jit(function)

    def cast(self, value: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
        return self.numpy.asarray(value).astype(dtype).reshape(shape)

    @contextlib.contextmanager
    def double(self) -> Any:
        """64 bits for a while, in this thread only: programs are compared in them."""
        with self.jax.enable_x64(True):
            yield


class TorchArrays:
    """PyTorch's tensors, on their device."""

    dialect = TORCH
    takes_any = False
    short = "torch.Tensor"

    def __init__(self) -> None:
        self.torch = _imported("torch")

    def owns(self, leaf: Any) -> bool:
        return isinstance(leaf, self.torch.Tensor)

    def dtype_of(self, leaf: Any) -> np.dtype[Any]:
        return np.dtype(str(leaf.dtype).removeprefix("torch.").replace("bfloat16", "float16"))

    def shown(self, leaf: Any) -> np.ndarray | None:
        """The numbers of a tensor; None for those that have none to show, of transforms under way."""
        if not self.owns(leaf):
            return np.asarray(leaf)
        try:
            found: np.ndarray = leaf.detach().cpu().numpy()
        except (RuntimeError, TypeError):
            return None
        return found

    def setting(self) -> Any:
        return None

    def exact(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        return dtype

    def place(self, leaves: list[Any]) -> Any:
        """The device of the arguments."""
        return next((leaf.device for leaf in leaves if self.owns(leaf)), self.torch.device("cpu"))

    def array(self, value: Any, dtype: Any, place: Any) -> Any:
        return self.torch.as_tensor(value, dtype=None if dtype is None else self._own(dtype), device=place)

    def constant(self, value: np.ndarray, dtype: Any, place: Any) -> Any:
        return self.array(np.array(value), dtype if value.dtype.kind == "f" else None, place)

    def runnable(self, function: Any) -> Any:
        return function

    def cast(self, value: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
        return value.to(dtype if isinstance(dtype, self.torch.dtype) else self._own(dtype)).reshape(shape)

    def double(self) -> Any:
        """PyTorch has 64 bits always; no history is kept meanwhile."""
        return self.torch.no_grad()

    def _own(self, dtype: Any) -> Any:
        return getattr(self.torch, np.dtype(dtype).name)


LIBRARIES = {"jax": JaxArrays, "torch": TorchArrays}


def _imported(name: str, package: str = "") -> Any:
    import importlib

    package = package or name
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingDependencyError(
            f"sg.compile(…, target={package!r}) needs {package}", "It is not installed.", _INSTALL[package],
        ) from None  # fmt: skip
