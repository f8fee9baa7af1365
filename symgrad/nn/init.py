"""Filling weights before training: ``symgrad.nn.init``. Each function writes in place and returns the tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import ops
from ..autograd import no_grad
from ..core import Tensor
from ..ops import set_public_names as _settle

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]


def _fill(tensor: Tensor, values: Any) -> Tensor:
    with no_grad():
        tensor.copy_(values)
    return tensor


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with uniform random numbers between `a` and `b`.

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.nn.init.uniform_(sg.empty(100), -2.0, 2.0)
    >>> bool((w.abs() <= 2).all())
    True
    """
    return _fill(tensor, ops.rand(*tensor.shape, dtype=tensor.dtype, generator=generator) * (b - a) + a)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal random numbers."""
    return _fill(tensor, ops.randn(*tensor.shape, dtype=tensor.dtype, generator=generator) * std + mean)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Fill with normal random numbers that lie between `a` and `b`."""

    def share_below(x: float) -> float:
        return 0.5 * (1 + math.erf((x - mean) / (std * math.sqrt(2))))

    # Uniform numbers between the two shares, sent back through the distribution function.
    low, high = share_below(a), share_below(b)
    shares = ops.rand(*tensor.shape, dtype=tensor.dtype, generator=generator) * (high - low) + low
    values = ops.erfinv(2 * shares - 1) * (std * math.sqrt(2)) + mean
    return _fill(tensor, values.clamp(a, b))


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one value."""
    return _fill(tensor, ops.full_like(tensor, val))


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with ones on the diagonal and zeros beside it."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _fill(tensor, ops.eye(*tensor.shape, dtype=tensor.dtype))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that, in each group, channels come out as they went in."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    values, per_group = np.zeros(tuple(tensor.shape), tensor.dtype), tensor.shape[0] // groups
    centre = tuple(n // 2 for n in tensor.shape[2:])
    for group in range(groups):
        for channel in range(min(per_group, tensor.shape[1])):
            values[(group * per_group + channel, channel, *centre)] = 1.0
    return _fill(tensor, ops.as_tensor(values))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fill a matrix with normal random numbers, and the share `sparsity` of each column, at random, with zeros."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows = tensor.shape[0]
    normal_(tensor, 0.0, std, generator)
    with no_grad():
        for column in range(tensor.shape[1]):
            tensor[ops.randperm(rows, generator=generator)[: math.ceil(sparsity * rows)], column] = 0.0
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with a random matrix whose rows (or columns, if they are fewer) are orthonormal, times `gain`."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    rows = tensor.shape[0]
    columns = tensor.numel() // rows if rows else 0
    noise = ops.randn(max(rows, columns), min(rows, columns), dtype=tensor.dtype, generator=generator)
    q, r = np.linalg.qr(noise.numpy())
    q = q * np.sign(np.diagonal(r))  # makes the distribution uniform over the rotations
    q = q if rows >= columns else q.T
    return _fill(tensor, ops.as_tensor(gain * q).reshape(tensor.shape))


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor that keeps the variance through a nonlinearity.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    gains = {"relu": math.sqrt(2.0), "tanh": 5.0 / 3, "selu": 3.0 / 4, "sigmoid": 1.0, "linear": 1.0}
    gains |= {f"conv{kind}{n}d": 1.0 for kind in ("", "_transpose") for n in (1, 2, 3)}
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}. Use one of {', '.join(gains)}, leaky_relu.")
    return gains[nonlinearity]


def fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Count the inputs and outputs that one output and one input of a weight are connected with."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    window = math.prod(tensor.shape[2:])
    return tensor.shape[1] * window, tensor.shape[0] * window


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill uniformly, with variance ``2 gain^2 / (fan_in + fan_out)`` (Glorot and Bengio 2010)."""
    bound = gain * math.sqrt(6.0 / sum(fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill normally, with variance ``2 gain^2 / (fan_in + fan_out)`` (Glorot and Bengio 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fan_in_and_fan_out(tensor))), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan = fan_in_and_fan_out(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Fill uniformly, with variance ``gain^2 / fan`` (He and others 2015).

    Parameters
    ----------
    tensor : Tensor
        The weight, of shape (out, in, ...).
    a : float
        Negative slope of the leaky ReLU that follows.
    mode : {"fan_in", "fan_out"}
        Whether the variance is kept forwards or backwards.
    nonlinearity : str
        The function that follows; see `calculate_gain`.
    """
    if tensor.numel() == 0:
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Fill normally, with variance ``gain^2 / fan`` (He and others 2015); see `kaiming_uniform_`."""
    if tensor.numel() == 0:
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


_settle(__name__, globals(), __all__)
