"""Optimizers that take one step along a (scaled, averaged) gradient.

The idea to hold: a rule says, in plain arrays, what is subtracted from the parameter; `_Rule` fetches the arrays and
writes the result. The numbers equal PyTorch's. In the docstrings g is the gradient, w the parameter.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import Tensor, wrap
from ._optimizer import Optimizer, as_reals, check_settings, from_reals

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "RMSprop"]


class _Rule(Optimizer):
    """An optimizer whose rule is `change`: arrays in, an array out."""

    def change(self, w: np.ndarray, g: np.ndarray, state: dict[str, Any], group: dict[str, Any]) -> Any:
        """Return what is subtracted from `w`, and bring `state` up to date."""
        raise NotImplementedError

    def update(self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step."""
        w, g = parameter.detach().numpy(), gradient.numpy()
        step = from_reals(self.change(as_reals(w), as_reals(g), state, group), w)
        parameter.sub_(wrap(np.asarray(step, w.dtype)))


def _remembered(state: dict[str, Any], name: str, w: np.ndarray, start: float = 0.0) -> np.ndarray:
    """Return the memory of a tensor kept in `state`, which begins as `start`; write to it in place."""
    tensor = state.get(name)
    if tensor is None:
        tensor = state[name] = wrap(np.full(w.shape, start, w.dtype))
    return tensor.numpy()


def _decayed(w: np.ndarray, g: np.ndarray, group: dict[str, Any]) -> np.ndarray:
    decay = group["weight_decay"]
    return g + decay * w if decay else g


def _average(mean: np.ndarray, keep: float, value: Any) -> np.ndarray:
    """Move a running mean, in place, towards a value."""
    mean *= keep
    mean += (1 - keep) * value
    return mean


class SGD(_Rule):
    """Gradient descent: ``w -= lr * g``, with optional momentum.

    Parameters
    ----------
    params : iterable of Tensor or of dict
        What is optimized.
    lr : float
        Step length.
    momentum : float
        Share of the last step that is kept: ``b = momentum * b + (1 - dampening) * g``, ``w -= lr * b``.
    dampening : float
        See `momentum`; the first b is g itself.
    weight_decay : float
        Adds ``weight_decay * w`` to g.
    nesterov : bool
        Look ahead: ``w -= lr * (g + momentum * b)``.
    maximize : bool
        Ascend.

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = sg.optim.SGD([w], lr=0.25)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.5000, -1.0000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        check_settings(
            learning_rate=(lr, lr >= 0),
            momentum_value=(momentum, momentum >= 0),
            weight_decay_value=(weight_decay, weight_decay >= 0),
        )
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        settings = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "nesterov": nesterov, "maximize": maximize})

    def change(self, w: np.ndarray, g: np.ndarray, state: dict[str, Any], group: dict[str, Any]) -> Any:
        """Return the step."""
        g, momentum = _decayed(w, g, group), group["momentum"]
        if momentum:
            if "momentum_buffer" in state:
                buffer = _remembered(state, "momentum_buffer", w)
                buffer *= momentum
                buffer += (1 - group["dampening"]) * g
            else:  # the first step is not dampened
                buffer = _remembered(state, "momentum_buffer", w)
                buffer += g
            g = g + momentum * buffer if group["nesterov"] else buffer
        return group["lr"] * g


class Adam(_Rule):
    """Adam: step along the average gradient, divided by its root mean square (Kingma and Ba 2015).

    Parameters
    ----------
    params : iterable of Tensor or of dict
        What is optimized.
    lr : float
        Step length.
    betas : pair of float
        Shares of the past in the averages ``m`` of g and ``v`` of ``g * g``.
    eps : float
        Added to the root: ``w -= lr * m / (sqrt(v) + eps)``, m and v corrected for their start at 0.
    weight_decay : float
        Adds ``weight_decay * w`` to g.
    amsgrad : bool
        Divide by the largest v so far.
    maximize : bool
        Ascend.
    """

    decoupled = False

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        check_settings(
            learning_rate=(lr, lr >= 0),
            epsilon_value=(eps, eps >= 0),
            beta_parameter_at_index_0=(betas[0], 0 <= betas[0] < 1),
            beta_parameter_at_index_1=(betas[1], 0 <= betas[1] < 1),
            weight_decay_value=(weight_decay, weight_decay >= 0),
        )
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "amsgrad": amsgrad, "maximize": maximize})

    def change(self, w: np.ndarray, g: np.ndarray, state: dict[str, Any], group: dict[str, Any]) -> Any:
        """Return the step."""
        (beta1, beta2), lr, decay = group["betas"], group["lr"], group["weight_decay"]
        step = state["step"] = state.get("step", 0) + 1
        g = g if self.decoupled else _decayed(w, g, group)
        mean = _average(_remembered(state, "exp_avg", w), beta1, g)
        square = _average(_remembered(state, "exp_avg_sq", w), beta2, g * g)
        if group["amsgrad"]:
            largest = _remembered(state, "max_exp_avg_sq", w)
            square = np.maximum(largest, square, out=largest)
        # The averages began at 0; after n steps they hold the share 1 - beta^n of what they would.
        root = np.sqrt(square) / math.sqrt(1 - beta2**step) + group["eps"]
        change = lr / (1 - beta1**step) * mean / root
        if not (self.decoupled and decay):
            return change
        # The gradient's step is taken from the shrunken w.
        return lr * decay * w + change


class AdamW(Adam):
    """Adam whose weight decay shrinks w itself: ``w *= 1 - lr * weight_decay`` (Loshchilov and Hutter 2019).

    Parameters are those of `Adam`; `weight_decay` is 0.01 unless given.
    """

    decoupled = True

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class RMSprop(_Rule):
    """Divide each step by the root mean square of recent gradients (Tieleman and Hinton 2012).

    Parameters
    ----------
    params : iterable of Tensor or of dict
        What is optimized.
    lr : float
        Step length.
    alpha : float
        Share of the past in the average ``v`` of ``g * g``.
    eps : float
        Added to the root: ``w -= lr * g / (sqrt(v) + eps)``.
    weight_decay : float
        Adds ``weight_decay * w`` to g.
    momentum : float
        Share of the last step that is kept.
    centered : bool
        Subtract the squared average of g from v: divide by the standard deviation.
    maximize : bool
        Ascend.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        check_settings(
            learning_rate=(lr, lr >= 0),
            epsilon_value=(eps, eps >= 0),
            momentum_value=(momentum, momentum >= 0),
            weight_decay_value=(weight_decay, weight_decay >= 0),
            alpha_value=(alpha, alpha >= 0),
        )
        settings = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum}
        super().__init__(params, {**settings, "centered": centered, "maximize": maximize})

    def change(self, w: np.ndarray, g: np.ndarray, state: dict[str, Any], group: dict[str, Any]) -> Any:
        """Return the step."""
        g, alpha = _decayed(w, g, group), group["alpha"]
        state["step"] = state.get("step", 0) + 1
        square = _average(_remembered(state, "square_avg", w), alpha, g * g)
        if group["centered"]:
            mean = _average(_remembered(state, "grad_avg", w), alpha, g)
            square = square - mean * mean
        direction = g / (np.sqrt(square) + group["eps"])
        if group["momentum"]:
            buffer = _remembered(state, "momentum_buffer", w)
            buffer *= group["momentum"]
            buffer += direction
            direction = buffer
        return group["lr"] * direction


class Adagrad(_Rule):
    """Divide each step by the root of the sum of all squared gradients (Duchi, Hazan and Singer 2011).

    Parameters
    ----------
    params : iterable of Tensor or of dict
        What is optimized.
    lr : float
        Step length.
    lr_decay : float
        Step n is ``lr / (1 + (n - 1) * lr_decay)``.
    weight_decay : float
        Adds ``weight_decay * w`` to g.
    initial_accumulator_value : float
        Where the sum begins.
    eps : float
        Added to the root.
    maximize : bool
        Ascend.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        start = initial_accumulator_value
        check_settings(
            learning_rate=(lr, lr >= 0),
            lr_decay_value=(lr_decay, lr_decay >= 0),
            weight_decay_value=(weight_decay, weight_decay >= 0),
            initial_accumulator_value=(start, start >= 0),
            epsilon_value=(eps, eps >= 0),
        )
        settings = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**settings, "initial_accumulator_value": start, "maximize": maximize})

    def change(self, w: np.ndarray, g: np.ndarray, state: dict[str, Any], group: dict[str, Any]) -> Any:
        """Return the step."""
        step = state["step"] = state.get("step", 0) + 1
        g = _decayed(w, g, group)
        total = _remembered(state, "sum", w, group["initial_accumulator_value"])
        total += g * g
        lr = group["lr"] / (1 + (step - 1) * group["lr_decay"])
        return lr * g / (np.sqrt(total) + group["eps"])
