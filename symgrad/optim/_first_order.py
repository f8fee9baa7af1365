"""Gradient descent, and rules that give each number a step length of its own.

The numbers equal PyTorch's. In the docstrings g is the gradient, w the parameter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._rule import Memory, Rule, averaged

__all__ = ["ASGD", "SGD", "Adadelta", "Adagrad", "RMSprop", "Rprop"]


class SGD(Rule):
    """Gradient descent: ``w -= lr * g``, with optional momentum.

    Parameters
    ----------
    momentum : float
        Share of the last step that is kept: ``b = momentum * b + (1 - dampening) * g``, ``w -= lr * b``.
    dampening : float
        See `momentum`; the first b is g itself.
    nesterov : bool
        Look ahead: ``w -= lr * (g + momentum * b)``.

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
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, locals())
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        if group["momentum"]:
            first = memory.state.get("momentum_buffer") is None
            buffer = memory.array("momentum_buffer")
            buffer *= group["momentum"]
            buffer += g if first else (1 - group["dampening"]) * g
            g = g + group["momentum"] * buffer if group["nesterov"] else buffer
        return group["lr"] * g


class RMSprop(Rule):
    """Divide each step by the root mean square of recent gradients (Tieleman and Hinton 2012).

    Parameters
    ----------
    alpha : float
        Share of the past in the average ``v`` of ``g * g``: ``w -= lr * g / (sqrt(v) + eps)``.
    momentum : float
        Share of the last step that is kept.
    centered : bool
        Subtract the squared average of g from v: divide by the standard deviation.
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
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, locals())

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        memory.count()
        square = averaged(memory.array("square_avg"), group["alpha"], g * g)
        if group["centered"]:
            mean = averaged(memory.array("grad_avg"), group["alpha"], g)
            square = square - mean * mean
        direction = g / (np.sqrt(square) + group["eps"])
        if group["momentum"]:
            buffer = memory.array("momentum_buffer")
            buffer *= group["momentum"]
            direction = np.add(buffer, direction, out=buffer)
        return group["lr"] * direction


class Adagrad(Rule):
    """Divide each step by the root of the sum of all squared gradients (Duchi, Hazan and Singer 2011).

    Parameters
    ----------
    lr_decay : float
        Step n has the length ``lr / (1 + (n - 1) * lr_decay)``.
    initial_accumulator_value : float
        Where the sum begins.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, locals())

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        lr = group["lr"] / (1 + (memory.count() - 1) * group["lr_decay"])
        total = memory.array("sum", group["initial_accumulator_value"])
        total += g * g
        return lr * g / (np.sqrt(total) + group["eps"])


class Adadelta(Rule):
    """Give each step the size of recent steps: ``w -= lr * sqrt(u + eps) / sqrt(v + eps) * g`` (Zeiler 2012).

    Parameters
    ----------
    rho : float
        Share of the past in the averages ``v`` of ``g * g`` and ``u`` of the squared steps.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, locals())

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        memory.count()
        square, steps = averaged(memory.array("square_avg"), group["rho"], g * g), memory.array("acc_delta")
        step = np.sqrt(steps + group["eps"]) / np.sqrt(square + group["eps"]) * g
        averaged(steps, group["rho"], step * step)
        return group["lr"] * step


class Rprop(Rule):
    """Look at the gradient's signs only: steps grow while a sign stays, and shrink when it turns (Riedmiller 1993).

    Parameters
    ----------
    lr : float
        The first step length.
    etas : pair of float
        What a step length is multiplied with where the sign turned, and where it stayed.
    step_sizes : pair of float
        The shortest and the longest step.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, locals())

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        memory.count()
        before, length = memory.array("prev"), memory.array("step_size", group["lr"])
        turned = g * before
        length *= np.where(turned < 0, group["etas"][0], np.where(turned > 0, group["etas"][1], 1.0))
        np.clip(length, *group["step_sizes"], out=length)
        before[...] = np.where(turned < 0, 0.0, g)  # where the sign turned: no step now, no sign to compare with next
        return np.sign(before) * length


class ASGD(Rule):
    """Gradient descent whose parameters are averaged over the steps (Polyak and Juditsky 1992).

    The average is in the optimizer's ``state``, under ``"ax"``.

    Parameters
    ----------
    lambd : float
        Step n shrinks w, and has the length ``lr / (1 + lambd * lr * n) ** alpha``.
    alpha : float
        See `lambd`.
    t0 : float
        The step at which averaging starts.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, locals())

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        n, state, (lr, lambd) = memory.count(), memory.state, (group["lr"], group["lambd"])
        eta, share = float(state.get("eta", lr)), float(state.get("mu", 1.0))
        change, mean = eta * (lambd * w + g), memory.array("ax")
        mean += share * (w - change - mean)
        state["eta"], state["mu"] = lr / (1 + lambd * lr * n) ** group["alpha"], 1 / max(1.0, n - group["t0"])
        return change
