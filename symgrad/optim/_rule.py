"""What optimizers that take one step along a (scaled, averaged) gradient share.

The idea to hold: a rule says, in plain arrays, what is subtracted from the parameter; `Rule` fetches the arrays, sees
to the weight decay and writes the result. In the docstrings g is the gradient, w the parameter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import DeviceError, GradientError
from ..core import Tensor, wrap
from ._optimizer import Optimizer, as_reals, check_settings, from_reals

__all__ = ["Memory", "Rule", "averaged"]


class Memory:
    """What an optimizer remembers of a parameter: the step's number, and tensors, as arrays that are written to."""

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


class Rule(Optimizer):
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
