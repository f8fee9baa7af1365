"""Optimizers that take one step along a (scaled, averaged) gradient.

The numbers equal PyTorch's. In the formulas of the docstrings g is the gradient, w the parameter.
"""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..core import Tensor
from ._optimizer import Optimizer, check_settings, remember_zeros

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "RMSprop"]


class SGD(Optimizer):
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

    def update(self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step."""
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * parameter
        momentum = group["momentum"]
        if momentum:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = gradient.clone()
            else:
                buffer.mul_(momentum).add_((1 - group["dampening"]) * gradient)
            gradient = gradient + momentum * buffer if group["nesterov"] else buffer
        parameter.sub_(group["lr"] * gradient)


class Adam(Optimizer):
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

    def update(self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step."""
        remember_zeros(state, parameter, "exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else ()))
        step = state["step"] = state.get("step", 0) + 1
        (beta1, beta2), lr = group["betas"], group["lr"]
        if self.decoupled:
            parameter.mul_(1 - lr * group["weight_decay"])
        elif group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * parameter
        mean = state["exp_avg"].mul_(beta1).add_((1 - beta1) * gradient)
        square = state["exp_avg_sq"].mul_(beta2).add_((1 - beta2) * gradient * gradient)
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"].copy_(ops.maximum(state["max_exp_avg_sq"], square))
        # The averages began at 0; after n steps they hold the share 1 - beta^n of what they would.
        root = square.sqrt() / math.sqrt(1 - beta2**step) + group["eps"]
        parameter.sub_(lr / (1 - beta1**step) * mean / root)


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


class RMSprop(Optimizer):
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

    def update(self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step."""
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * parameter
        remember_zeros(state, parameter, "square_avg")
        state["step"] = state.get("step", 0) + 1
        alpha = group["alpha"]
        square = state["square_avg"].mul_(alpha).add_((1 - alpha) * gradient * gradient)
        if group["centered"]:
            remember_zeros(state, parameter, "grad_avg")
            mean = state["grad_avg"].mul_(alpha).add_((1 - alpha) * gradient)
            square = square - mean * mean
        direction = gradient / (square.sqrt() + group["eps"])
        if group["momentum"]:
            remember_zeros(state, parameter, "momentum_buffer")
            direction = state["momentum_buffer"].mul_(group["momentum"]).add_(direction)
        parameter.sub_(group["lr"] * direction)


class Adagrad(Optimizer):
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

    def update(self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step."""
        step = state["step"] = state.get("step", 0) + 1
        if "sum" not in state:
            state["sum"] = ops.full_like(parameter.detach(), group["initial_accumulator_value"])
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * parameter
        total = state["sum"].add_(gradient * gradient)
        lr = group["lr"] / (1 + (step - 1) * group["lr_decay"])
        parameter.sub_(lr * gradient / (total.sqrt() + group["eps"]))
