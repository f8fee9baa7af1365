"""Learning rates that change from epoch to epoch: ``symgrad.optim.lr_scheduler``.

The idea to hold: a scheduler changes each group's ``lr`` *from what it is now*, so that several can be combined.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..ops._public import settle as _settle
from ._optimizer import Optimizer

__all__ = ["CosineAnnealingLR", "ExponentialLR", "LRScheduler", "StepLR"]


class LRScheduler:
    """Base of the schedulers.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups' learning rates are changed.
    last_epoch : int
        Number of the epoch to resume after; -1 to begin, which takes the present rates as the initial ones.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])  # there already where two schedulers are combined
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    f"last_epoch >= 0. Load the optimizer's state first."
                )
        self.optimizer = optimizer
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._starting, self._warned = True, False
        self._advance()
        self._starting = False

    def get_lr(self) -> list[float]:
        """Compute the rates of epoch `last_epoch` from the present ones; a subclass says how."""
        raise NotImplementedError(f"{type(self).__name__} does not say how learning rates change")

    def get_last_lr(self) -> list[float]:
        """Return the rates that were last set, one per group."""
        return self._last_lr

    def step(self) -> None:
        """Go on to the next epoch; call it after the optimizer's `step`."""
        if not self.optimizer.steps_taken and not self._warned:
            self._warned = True
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first learning rate is "
                "skipped. Call them in the opposite order.",
                UserWarning,
                stacklevel=2,
            )
        self._advance()

    def _advance(self) -> None:
        self.last_epoch += 1
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = lr
        self._last_lr = self._present()

    def _present(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        self.__dict__.update(state_dict)


class StepLR(LRScheduler):
    """Multiply the rates by `gamma` every `step_size` epochs.

    Examples
    --------
    >>> import symgrad as sg
    >>> optimizer = sg.optim.SGD([sg.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = sg.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for epoch in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [1.0]
    [1.0]
    [0.5]
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Compute the rates."""
        factor = self.gamma if not self._starting and self.last_epoch % self.step_size == 0 else 1.0
        return [lr * factor for lr in self._present()]


class ExponentialLR(LRScheduler):
    """Multiply the rates by `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Compute the rates."""
        return [lr if self._starting else lr * self.gamma for lr in self._present()]


class CosineAnnealingLR(LRScheduler):
    """Lower the rates along half a cosine, to `eta_min` after `T_max` epochs (Loshchilov and Hutter 2017).

    Parameters
    ----------
    optimizer : Optimizer
        Whose rates are changed.
    T_max : int
        Epochs to the minimum; afterwards the rates rise again.
    eta_min : float
        The lowest rate.
    last_epoch : int
        As in `LRScheduler`.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Compute the rates."""
        epoch, period = self.last_epoch, self.T_max
        if self._starting:
            return self._present()
        if (epoch - 1 - period) % (2 * period) == 0:
            # The rate was at its minimum, from which no factor leads away.
            rise = (1 - math.cos(math.pi / period)) / 2
            pairs = zip(self._present(), self.base_lrs, strict=True)
            return [lr + (base - self.eta_min) * rise for lr, base in pairs]
        factor = (1 + math.cos(math.pi * epoch / period)) / (1 + math.cos(math.pi * (epoch - 1) / period))
        return [self.eta_min + (lr - self.eta_min) * factor for lr in self._present()]


_settle(__name__, globals(), __all__)
