"""`LRScheduler`, and the schedules that are a factor for each epoch.

The idea to hold: a scheduler changes each group's ``lr`` *from what it is now*, so that several can be combined. Most
say only the factor between the first rate and that of an epoch: what changes it is the quotient of two of them.
"""

from __future__ import annotations

import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from ._optimizer import Optimizer, check_settings

__all__ = [
    "ConstantLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR",
    "PolynomialLR", "StepLR", "per_group",
]  # fmt: skip


def per_group(optimizer: Optimizer, name: str, value: Any) -> list[Any]:
    """Return a value for each group: those given, or the same one for all."""
    count = len(optimizer.param_groups)
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"Expected {count} values for {name}, one for each group, but got {len(value)}")
    return list(value)


class LRScheduler:
    """Base of the schedulers.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups' learning rates are changed.
    last_epoch : int
        Number of the epoch to resume after; -1 to begin, which takes the present rates as the initial ones.
    """

    _functions: tuple[str, ...] = ()
    """Attributes that hold functions that were given, of which at most their own attributes are saved."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer\nA schedule is that of an optimizer.")
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
        self._begin()

    def _begin(self) -> None:
        """Set the rates of the first epoch."""
        self._step_count = 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def get_lr(self) -> list[float]:
        """Compute the rates of epoch `last_epoch` from the present ones; a subclass says how."""
        raise NotImplementedError(f"{type(self).__name__} does not say how learning rates change")

    def _get_closed_form_lr(self) -> list[float]:
        """Compute the rates of epoch `last_epoch` from the initial ones, where a subclass can."""
        return self.get_lr()

    def get_last_lr(self) -> list[float]:
        """Return the rates that were last set, one per group."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch, or to the one that is given; call it after the optimizer's `step`."""
        if self._step_count == 1 and not self.optimizer.steps_taken:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first learning rate is "
                "skipped. Call them in the opposite order.",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set(self.get_lr() if epoch is None else self._get_closed_form_lr())

    def _set(self, rates: list[float]) -> None:
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = self._present()

    def _present(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer; of functions that were given, the attributes that they may have."""
        state = {name: value for name, value in self.__dict__.items() if name != "optimizer"}
        return state | {name: _attributes(state[name]) for name in self._functions}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        functions = {name: self.__dict__[name] for name in self._functions}
        self.__dict__.update(state_dict | functions)
        for name, fn in functions.items():
            _load_attributes(fn, state_dict.get(name))


def _attributes(fn: Any) -> Any:
    if isinstance(fn, list):
        return [_attributes(one) for one in fn]
    return None if isinstance(fn, FunctionType) or not hasattr(fn, "__dict__") else fn.__dict__.copy()


def _load_attributes(fn: Any, attributes: Any) -> None:
    if attributes is None:
        return
    if not isinstance(fn, list):
        fn.__dict__.update(attributes)
        return
    for one, own in zip(fn, attributes, strict=True):
        _load_attributes(one, own)


class _Factor(LRScheduler):
    """A schedule that multiplies the initial rates by `at`, a function of the epoch."""

    _resumes = False
    """Whether a scheduler that resumes changes the rates that it finds: those do that change them now and then."""

    def at(self, epoch: int) -> float:
        """Return what the initial rates are multiplied with."""
        raise NotImplementedError

    def get_lr(self) -> list[float]:
        """Compute the rates."""
        after = self.at(self.last_epoch)
        if self._is_initial and self.last_epoch > 0 and not self._resumes:
            return self._present()
        before = self.at(self.last_epoch - 1) if self.last_epoch > 0 else 1.0
        if before == 0 != after:  # no quotient leads away from 0
            return self._get_closed_form_lr()
        return [lr if before == after else lr * (after / before) for lr in self._present()]

    def _get_closed_form_lr(self) -> list[float]:
        return [lr * self.at(self.last_epoch) for lr in self.base_lrs]


class StepLR(_Factor):
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

    _resumes = True

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def at(self, epoch: int) -> float:
        """Return the factor."""
        return self.gamma ** (epoch // self.step_size)


class MultiStepLR(_Factor):
    """Multiply the rates by `gamma` at each of the `milestones`, which are epochs."""

    _resumes = True

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def at(self, epoch: int) -> float:
        """Return the factor."""
        return self.gamma ** bisect_right(sorted(self.milestones.elements()), epoch)


class ExponentialLR(_Factor):
    """Multiply the rates by `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def at(self, epoch: int) -> float:
        """Return the factor."""
        return self.gamma**epoch


class ConstantLR(_Factor):
    """Multiply the rates by `factor` until epoch `total_iters`."""

    _resumes = True

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        check_settings(factor=(factor, 0 <= factor <= 1))
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def at(self, epoch: int) -> float:
        """Return the factor."""
        return self.factor if epoch < self.total_iters else 1.0


class LinearLR(_Factor):
    """Multiply the rates by a factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        check_settings(start_factor=(start_factor, 0 < start_factor <= 1))
        check_settings(end_factor=(end_factor, 0 <= end_factor <= 1))
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def at(self, epoch: int) -> float:
        """Return the factor."""
        share = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share


class PolynomialLR(_Factor):
    """Lower the rates to 0 in `total_iters` epochs: by the factor ``(1 - epoch / total_iters) ** power``."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def at(self, epoch: int) -> float:
        """Return the factor."""
        return (1 - min(epoch, self.total_iters) / self.total_iters) ** self.power


class LambdaLR(LRScheduler):
    """Multiply the initial rates by a function of the epoch.

    Parameters
    ----------
    lr_lambda : callable or list of callable
        The function, or one for each group. Objects with attributes are saved by `state_dict`, functions are not.

    Examples
    --------
    >>> import symgrad as sg
    >>> optimizer = sg.optim.SGD([sg.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = sg.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> optimizer.step()
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    _functions = ("lr_lambdas",)

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas = per_group(optimizer, "lr_lambda", lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Compute the rates."""
        return [lr * fn(self.last_epoch) for lr, fn in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class MultiplicativeLR(LambdaLR):
    """Multiply the present rates by a function of the epoch.

    Parameters are those of `LambdaLR`.
    """

    def get_lr(self) -> list[float]:
        """Compute the rates."""
        pairs = zip(self._present(), self.lr_lambdas, strict=True)
        return [lr if self._is_initial else lr * fn(self.last_epoch) for lr, fn in pairs]
