"""Activation functions under PyTorch's names, with its extra arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Tensor
from .._dims import is_number
from .._public import public
from . import _elementwise as e
from ._copy import cast


@public()
def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """Return ``log(1 + exp(beta * input)) / beta``, and ``input`` itself where ``beta * input`` exceeds ``threshold``.

    The default threshold means none: the exact value does not overflow.
    """
    unscaled = is_number(beta) and beta == 1
    smooth = e.softplus_unit(input) if unscaled else e.div(e.softplus_unit(e.mul(input, beta)), beta)
    return smooth if threshold == 20.0 else e.where(input * beta > threshold, input, smooth)


@public()
def leaky_relu(input: Any, negative_slope: float = 0.01) -> Any:
    """Return ``input`` where positive, else ``negative_slope * input``."""
    return e.leaky_relu_slope(input, negative_slope)


@public()
def elu(input: Any, alpha: float = 1.0) -> Any:
    """Return ``input`` where positive, else ``alpha * (exp(input) - 1)``."""
    return e.elu_alpha(input, alpha, 1.0)


@public()
def gelu(input: Any, approximate: str = "none") -> Any:
    """Return ``input`` times the normal distribution function at it; ``approximate='tanh'`` approximates that."""
    if approximate == "none":
        return e.gelu_erf(input)
    if approximate != "tanh":
        raise RuntimeError(f"approximate argument must be either none or tanh, got {approximate!r}")
    if isinstance(input, Tensor) and input._data.dtype == np.float16:  # whose range cubes soon leave
        return cast(gelu(cast(input, np.float32), approximate), np.float16)
    inner = (input + input**3 * 0.044715) * (2 / np.pi) ** 0.5
    return input * 0.5 * (e.tanh(inner) + 1)


@public()
def selu(input: Any) -> Any:
    """Return the scaled ELU whose fixed point is mean 0 and variance 1 (Klambauer et al., 2017)."""
    return e.elu_alpha(input, 1.6732632423543772, 1.0507009873554805)


@public()
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """Return ``input`` held between the bounds; its derivative at them is declared 0."""
    return e.hardtanh_bounds(input, min_val, max_val)


@public()
def relu6(input: Any) -> Any:
    """Return ``input`` held between 0 and 6."""
    return e.hardtanh_bounds(input, 0.0, 6.0)
