"""Adam and its relatives: a step along the average gradient, divided by its size.

The numbers equal PyTorch's. In the docstrings g is the gradient, w the parameter. The averages m of g and v of g²
begin at 0; after n steps they hold the share 1 − βⁿ of what they would.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._rule import Memory, Rule, averaged

__all__ = ["Adam", "AdamW", "Adamax", "NAdam", "RAdam"]


def _moments(g: np.ndarray, memory: Memory, betas: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Bring the averages m and v up to date."""
    mean = averaged(memory.array("exp_avg"), betas[0], g)
    return mean, averaged(memory.array("exp_avg_sq"), betas[1], g * g)


RECTIFIED = 5.0
"""RAdam: how many gradients make a rate's variance known (finite above 4): until then steps are those of momentum."""


class Adam(Rule):
    """Adam: step along the average gradient, divided by its root mean square (Kingma and Ba 2015).

    Parameters
    ----------
    betas : pair of float
        Shares of the past in the averages ``m`` of g and ``v`` of ``g * g``.
    eps : float
        Added to the root: ``w -= lr * m / (sqrt(v) + eps)``, m and v corrected for their start at 0.
    amsgrad : bool
        Divide by the largest v so far.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        super().__init__(params, locals())

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        n, (beta1, beta2) = memory.count(), group["betas"]
        mean, square = _moments(g, memory, group["betas"])
        if group["amsgrad"]:
            largest = memory.array("max_exp_avg_sq")
            square = np.maximum(largest, square, out=largest)
        root = np.sqrt(square) / math.sqrt(1 - beta2**n) + group["eps"]
        return group["lr"] / (1 - beta1**n) * mean / root


class AdamW(Adam):
    """Adam whose weight decay shrinks w itself: ``w *= 1 - lr * weight_decay`` (Loshchilov and Hutter 2019).

    Parameters are those of `Adam`; `weight_decay` is 0.01 unless given.
    """

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
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        super().__init__(**given, decoupled_weight_decay=True)


class Adamax(Rule):
    """Adam that divides by the largest gradient, faded: ``w -= lr * m / u`` (Kingma and Ba 2015).

    Parameters
    ----------
    betas : pair of float
        Shares of the past in the average ``m`` of g, and in ``u = max(beta2 * u, abs(g) + eps)``.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, locals())

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        n, (beta1, beta2) = memory.count(), group["betas"]
        mean, largest = averaged(memory.array("exp_avg"), beta1, g), memory.array("exp_inf")
        np.maximum(beta2 * largest, np.abs(g) + group["eps"], out=largest)
        return group["lr"] / (1 - beta1**n) * mean / largest


class NAdam(Rule):
    """Adam with Nesterov's momentum: it looks ahead by one gradient (Dozat 2016).

    Parameters
    ----------
    momentum_decay : float
        How fast the momentum of step n, ``beta1 * (1 - 0.96 ** (n * momentum_decay) / 2)``, rises.
    """

    def __init__(
        self,
        params: Any,
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, locals())

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        n, (beta1, beta2) = memory.count(), group["betas"]
        mean, square = _moments(g, memory, group["betas"])
        now, after = (beta1 * (1 - 0.5 * 0.96 ** (i * group["momentum_decay"])) for i in (n, n + 1))
        product = memory.state["mu_product"] = float(memory.state.get("mu_product", 1.0)) * now
        ahead = (1 - now) / (1 - product) * g + after / (1 - product * after) * mean
        return group["lr"] * ahead / (np.sqrt(square / (1 - beta2**n)) + group["eps"])


class RAdam(Rule):
    """Adam that goes without the root as long as too few gradients are known to trust it (Liu et al. 2020)."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, locals())

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        n, (beta1, beta2) = memory.count(), group["betas"]
        mean, square = _moments(g, memory, group["betas"])
        step = group["lr"] / (1 - beta1**n) * mean
        most = 2 / (1 - beta2) - 1  # the number of gradients in the average, in the long run and by now
        known = most - 2 * n * beta2**n / (1 - beta2**n)
        if known <= RECTIFIED:
            return step
        trust = math.sqrt((known - 4) * (known - 2) * most / ((most - 4) * (most - 2) * known))
        return trust * math.sqrt(1 - beta2**n) * step / (np.sqrt(square) + group["eps"])
