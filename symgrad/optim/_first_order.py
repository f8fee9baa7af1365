"""Gradient descent, Adam, and other rules that take one step along a (scaled, averaged) gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._errors import DeviceError, DTypeError, GradientError, ShapeError
from ..core import Tensor, wrap
from ._optimizer import Optimizer, as_reals, check_settings, from_reals

# --------------------------------------- What optimizers that take one step along a (scaled, averaged) gradient share

# The idea to hold: a rule says, in plain arrays, what is subtracted from the parameter; `UpdateRule` fetches the
# arrays, sees to the weight decay and writes the result. In the docstrings g is the gradient, w the parameter.


class Memory:
    """What an optimizer remembers of a parameter: the step's number, and tensors, as arrays that are written to."""

    state: dict[str, Any]
    parameter: Tensor

    def __init__(self, state: dict[str, Any], parameter: Tensor) -> None:
        self.state, self.parameter = state, parameter

    def count(self) -> int:
        """Return the number of this step."""
        self.state["step"] = self.state.get("step", 0) + 1
        return self.state["step"]

    def array(self, name: str, start: float = 0.0, shape: tuple[int, ...] | None = None) -> np.ndarray:
        """Return what is kept under a name, which begins as `start`, in the parameter's shape unless one is given."""
        known = name in self.state
        if not known:
            like = self.parameter.detach().numpy()
            self.state[name] = wrap(np.empty(like.shape if shape is None else shape, like.dtype))
        numbers = as_reals(self.state[name].numpy())
        if not known:
            numbers[...] = start
        return numbers


def averaged(mean: np.ndarray, keep: float, value: Any) -> np.ndarray:
    """Move a running mean, in place, towards a value."""
    mean *= keep
    mean += (1 - keep) * value
    return mean


_NOT_NEGATIVE = {"lr": "learning_rate", "eps": "epsilon_value"} | {
    name: f"{name}_value"
    for name in ("momentum", "weight_decay", "alpha", "rho", "lr_decay", "momentum_decay", "initial_accumulator_value")
}
"""What the settings are called that must not be negative."""


def _check(given: dict[str, Any]) -> None:
    """Raise for the first setting that is not valid, and for what cannot be done here."""
    if given.get("capturable"):
        raise DeviceError(
            "capturable=True prepares steps for a CUDA graph, and symgrad runs on the CPU.",
            next_step="Leave out capturable=.",
        )
    if given.get("differentiable"):
        raise GradientError(
            "differentiable=True: a step writes to its parameters with recording off, so no gradient passes it.",
            next_step="Write the step as a function of the parameters, and differentiate that with sg.grad.",
        )
    for name, value in given.items():
        if name == "betas":
            check_settings(**{f"beta_parameter_at_index_{i}": (b, 0 <= b < 1) for i, b in enumerate(value)})
        elif name == "etas":
            check_settings(eta_values=(value, 0 < value[0] < 1 < value[1]))
        elif name in _NOT_NEGATIVE and not isinstance(value, tuple):
            check_settings(**{_NOT_NEGATIVE[name]: (value, 0 <= value <= (1 if name == "rho" else np.inf))})


class UpdateRule(Optimizer):
    """An optimizer whose rule is `change`: arrays in, an array out; its settings are the arguments of ``__init__``."""

    decoupled = False
    """Whether the weight decay shrinks w itself, and g knows nothing of it."""

    def __init__(self, params: Any, given: dict[str, Any]) -> None:
        settings = {name: value for name, value in given.items() if name not in ("self", "params", "__class__")}
        _check(settings)
        super().__init__(params, settings)

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return what is subtracted from `w`, and bring `memory` up to date."""
        raise NotImplementedError

    def update(self, parameter: Tensor, gradient: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Take one step."""
        array = parameter.detach().numpy()
        w, g, decay = as_reals(array), as_reals(gradient.numpy()), group.get("weight_decay", 0)
        decoupled = group.get("decoupled_weight_decay", self.decoupled)
        step = self.change(w, g if decoupled or not decay else g + decay * w, Memory(state, parameter), group)
        if decoupled and decay:
            step = group["lr"] * decay * w + step
        parameter.sub_(wrap(np.asarray(from_reals(step, array), array.dtype)))


# ----------------------------------------- Gradient descent, and rules that give each number a step length of its own

# The numbers equal PyTorch's. In the docstrings g is the gradient, w the parameter.


class SGD(UpdateRule):
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


class RMSprop(UpdateRule):
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


class Adagrad(UpdateRule):
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


class Adadelta(UpdateRule):
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


class Rprop(UpdateRule):
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


class ASGD(UpdateRule):
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


# ------------------------------------- Adam and its relatives: a step along the average gradient, divided by its size

# The numbers equal PyTorch's. In the docstrings g is the gradient, w the parameter. The averages m of g and v of g²
# begin at 0; after n steps they hold the share 1 − βⁿ of what they would.


def _moments(g: np.ndarray, memory: Memory, group: dict[str, Any]) -> tuple[float, float, int, np.ndarray, np.ndarray]:
    """Count the step, and bring the averages m and v up to date; both after their shares of the past, and the count."""
    beta1, beta2 = group["betas"]
    n, mean = memory.count(), averaged(memory.array("exp_avg"), beta1, g)
    return beta1, beta2, n, mean, averaged(memory.array("exp_avg_sq"), beta2, g * g)


RECTIFIED = 5.0
"""RAdam: how many gradients make a rate's variance known (finite above 4): until then steps are those of momentum."""


class Adam(UpdateRule):
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
        beta1, beta2, n, mean, square = _moments(g, memory, group)
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


class Adamax(UpdateRule):
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


class NAdam(UpdateRule):
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
        beta1, beta2, n, mean, square = _moments(g, memory, group)
        now, after = (beta1 * (1 - 0.5 * 0.96 ** (i * group["momentum_decay"])) for i in (n, n + 1))
        product = memory.state["mu_product"] = float(memory.state.get("mu_product", 1.0)) * now
        ahead = (1 - now) / (1 - product) * g + after / (1 - product * after) * mean
        return group["lr"] * ahead / (np.sqrt(square / (1 - beta2**n)) + group["eps"])


class RAdam(UpdateRule):
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
        beta1, beta2, n, mean, square = _moments(g, memory, group)
        step = group["lr"] / (1 - beta1**n) * mean
        most = 2 / (1 - beta2) - 1  # the number of gradients in the average, in the long run and by now
        known = most - 2 * n * beta2**n / (1 - beta2**n)
        if known <= RECTIFIED:
            return step
        trust = math.sqrt((known - 4) * (known - 2) * most / ((most - 4) * (most - 2) * known))
        return trust * math.sqrt(1 - beta2**n) * step / (np.sqrt(square) + group["eps"])


# -------------------------------------------------------------------------------------------------------------------
# Rules that see a parameter as a matrix: they remember less than its numbers, or turn the step as a whole


def _mean_square(a: np.ndarray, axis: int | None = None) -> Any:
    return np.mean(a * a, axis=axis, keepdims=axis is not None)


class Adafactor(UpdateRule):
    """Divide by a root mean square of which only the means of rows and columns are kept (Shazeer and Stern 2018).

    Parameters
    ----------
    lr : float
        The longest step, relative to the size of w; ``1 / sqrt(n)`` at step n if that is less.
    beta2_decay : float
        Step n counts with the share ``n ** beta2_decay`` in the averages.
    eps : pair of float
        The least mean square (by default the precision of the dtype), and the least size of w.
    d : float
        The longest root mean square of the divided gradient, at least 1.
    """

    decoupled = True

    def __init__(
        self,
        params: Any,
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_settings(clipping_threshold=(d, d >= 1), beta2_decay=(beta2_decay, beta2_decay <= 0))
        super().__init__(params, locals())

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        _check_real(self, memory)
        n, (least, smallest) = memory.count(), group["eps"]
        least = np.finfo(w.dtype).eps if least is None else least
        keep = 1 - n ** group["beta2_decay"]
        if w.ndim > 1:
            rows, columns = ((*w.shape[:-1], 1), (*w.shape[:-2], 1, w.shape[-1]))
            row = averaged(memory.array("row_var", shape=rows), keep, _mean_square(g, -1))
            column = averaged(memory.array("col_var", shape=columns), keep, _mean_square(g, -2))
            square = row * column / np.maximum(row.mean(-2, keepdims=True), least)
        else:
            square = averaged(memory.array("variance"), keep, g * g)
        direction = g / np.sqrt(np.maximum(square, least * least))
        length = min(group["lr"], n**-0.5) * max(smallest, np.sqrt(_mean_square(w)))
        return length / max(1.0, np.sqrt(_mean_square(direction)) / group["d"]) * direction


class Muon(UpdateRule):
    """Step along the orthogonal matrix next to the average gradient; for matrices only (Jordan et al. 2024).

    Parameters
    ----------
    weight_decay : float
        Shrinks w itself: ``w *= 1 - lr * weight_decay``.
    momentum : float
        Share of the past in the average of g.
    nesterov : bool
        Whether the newest gradient counts once more.
    ns_coefficients : tuple of float
        The polynomial ``a * x + b * x ** 3 + c * x ** 5`` that is applied to the singular values.
    ns_steps : int
        How often it is.
    adjust_lr_fn : {None, "original", "match_rms_adamw"}
        How the step length depends on the matrix's shape.
    """

    decoupled = True

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, locals())

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add matrices, with settings of their own, to those that are optimized."""
        super().add_param_group(param_group)
        for parameter in self.param_groups[-1]["params"]:
            if parameter.ndim != 2:
                raise ShapeError(
                    "Muon only supports 2D parameters.", f"One has the shape {tuple(parameter.shape)}.",
                    "Give the others to an optimizer of their own, as AdamW.",
                )  # fmt: skip

    def change(self, w: np.ndarray, g: np.ndarray, memory: Memory, group: dict[str, Any]) -> Any:
        """Return the step."""
        _check_real(self, memory)
        momentum, (rows, columns) = group["momentum"], w.shape
        mean = averaged(memory.array("momentum_buffer"), momentum, g)
        step = _orthogonal((1 - momentum) * g + momentum * mean if group["nesterov"] else mean, group)
        if group["adjust_lr_fn"] == "match_rms_adamw":
            return group["lr"] * 0.2 * max(rows, columns) ** 0.5 * step
        return group["lr"] * max(1.0, rows / columns) ** 0.5 * step


def _check_real(rule: UpdateRule, memory: Memory) -> None:
    if memory.parameter.is_complex():
        raise DTypeError(f"{type(rule).__name__} does not support complex parameters.")


def _orthogonal(a: np.ndarray, group: dict[str, Any]) -> np.ndarray:
    """Bring all singular values near 1, by an odd polynomial that is applied several times (Newton and Schulz)."""
    first, third, fifth = group["ns_coefficients"]
    x = a.T if a.shape[0] > a.shape[1] else a
    x = x / max(np.linalg.norm(x), group["eps"])
    for _ in range(group["ns_steps"]):
        square = x @ x.T
        x = first * x + (third * square + fifth * square @ square) @ x
    return x.T if a.shape[0] > a.shape[1] else x
