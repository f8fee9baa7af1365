"""Windows of signal processing: vectors of weights that fall off to both ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import Tensor
from .._public import public
from ._create import float_dtype, make


def _cosines(*weights: float) -> Callable[[int], np.ndarray]:
    def window(n: int) -> np.ndarray:
        turn = 2 * np.pi * np.arange(n) / (n - 1)
        return np.asarray(sum((-1) ** k * w * np.cos(k * turn) for k, w in enumerate(weights)))

    return window


def _window(
    name: str,
    count: int,
    periodic: bool,
    draw: Callable[[int], np.ndarray],
    dtype: Any,
    requires_grad: bool,
    device: Any,
) -> Tensor:
    if count < 0:
        raise ShapeError(f"{name} requires non-negative window_length, got window_length={count}", "", "")
    data = np.ones(count) if count < 2 else draw(count + periodic)[:count]
    return make(data.astype(float_dtype(dtype)), requires_grad, device)


def _public_window(name: str, draw: Callable[[int], np.ndarray], words: str) -> None:
    def fn(
        window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = None, device: Any = None,
        pin_memory: bool = False, requires_grad: bool = False,
    ) -> Tensor:  # fmt: skip
        return _window(name, window_length, periodic, draw, dtype, requires_grad, device)

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = f"Return {words}; ``periodic`` windows end one step before they are symmetric."
    public(method=False)(fn)


_public_window("bartlett_window", lambda n: np.bartlett(n), "the triangular window")
_public_window("hann_window", _cosines(0.5, 0.5), "Hann's window, a raised cosine")
_public_window("blackman_window", _cosines(0.42, 0.5, 0.08), "Blackman's window, of two cosines")


@public(method=False)
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None,
    layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return Hamming's window, ``alpha - beta * cos``, which does not fall to zero."""
    return _window("hamming_window", window_length, periodic, _cosines(alpha, beta), dtype, requires_grad, device)


@public(method=False)
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return Kaiser's window; a larger ``beta`` is narrower."""
    draw = lambda n: np.kaiser(n, beta)
    return _window("kaiser_window", window_length, periodic, draw, dtype, requires_grad, device)
