"""Schedules that are made of others, and the one that looks at a figure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ._optimizer import Optimizer
from ._scheduler import LRScheduler, per_group

__all__ = ["ChainedScheduler", "ReduceLROnPlateau", "SequentialLR"]


class ReduceLROnPlateau(LRScheduler):
    """Lower the rates when a figure, as the loss of held-out data, has not become better for some epochs.

    Parameters
    ----------
    mode : {"min", "max"}
        Whether less is better.
    factor : float
        What the rates are multiplied with.
    patience : int
        How many epochs in a row may be no better.
    threshold : float
        By how much the figure must be better than the best so far.
    threshold_mode : {"rel", "abs"}
        Whether `threshold` is a share of it.
    cooldown : int
        Epochs after a change that do not count.
    min_lr : float or list of float
        The lowest rate, perhaps for each group.
    eps : float
        The least change that is made.

    Examples
    --------
    >>> import symgrad as sg
    >>> optimizer = sg.optim.SGD([sg.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = sg.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in (3.0, 2.0, 2.0, 2.5):
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        for name, value, known in (("mode", mode, ("min", "max")), ("threshold mode", threshold_mode, ("rel", "abs"))):
            if value not in known:
                raise ValueError(f"{name} {value} is unknown!")
        self.optimizer, self.min_lrs = optimizer, per_group(optimizer, "min_lr", min_lr)
        self.mode, self.factor, self.patience, self.cooldown = mode, factor, patience, cooldown
        self.threshold, self.threshold_mode, self.eps = threshold, threshold_mode, eps
        self.last_epoch, self._last_lr = 0, self._present()
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.best: float = self.mode_worse
        self.cooldown_counter = self.num_bad_epochs = 0

    def is_better(self, a: float, best: float) -> bool:
        """Say whether a figure is better than the best so far, by more than the threshold."""
        sign = -1 if self.mode == "min" else 1
        limit = best * (1 + sign * self.threshold) if self.threshold_mode == "rel" else best + sign * self.threshold
        return a < limit if self.mode == "min" else a > limit

    @property
    def in_cooldown(self) -> bool:
        """Whether the epoch does not count, since the rates were changed a short time ago."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Look at the figure of an epoch, and change the rates if it is time.

        Parameters
        ----------
        metrics : float or Tensor
            The figure.
        epoch : int, optional
            The epoch's number, the next one if left out.
        """
        figure = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(figure, self.best):
            self.best, self.num_bad_epochs = figure, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
            lower = [max(lr * self.factor, low) for lr, low in zip(self._present(), self.min_lrs, strict=True)]
            self._set([new if lr - new > self.eps else lr for lr, new in zip(self._present(), lower, strict=True)])
        self._last_lr = self._present()


class _Combined(LRScheduler):
    """A schedule that is made of others, which change the rates of one optimizer."""

    _schedulers: list[LRScheduler]

    def _check(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> None:
        if not schedulers:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self.optimizer = schedulers[0].optimizer if optimizer is None else optimizer
        for i, scheduler in enumerate(schedulers):
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{type(self).__name__} does not support ReduceLROnPlateau (at index {i}), which must be told a "
                    f"figure at each step.\nCall its step(metrics) beside this one."
                )
            if scheduler.optimizer is not self.optimizer:
                raise ValueError(
                    f"{type(self).__name__} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {i}, which belongs to another one."
                )
        self._schedulers = list(schedulers)

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer, the states of the combined schedulers included."""
        return super().state_dict() | {"_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class ChainedScheduler(_Combined):
    """Let several schedulers change the rates at each step.

    Parameters
    ----------
    schedulers : sequence of LRScheduler
        They are called in this order.
    optimizer : Optimizer, optional
        Theirs.
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        self._check(schedulers, optimizer)
        self._last_lr = self._present()

    def _begin(self) -> None:
        for scheduler in self._schedulers:
            scheduler._begin()
        self._last_lr = self._present()

    def step(self) -> None:  # type: ignore[override]
        """Go on to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._present()


class SequentialLR(_Combined):
    """Let one scheduler follow another.

    Parameters
    ----------
    schedulers : list of LRScheduler
        They are called in this order.
    milestones : list of int
        The epochs at which the second, the third, ... begins, from the initial rates.

    Examples
    --------
    >>> import symgrad as sg
    >>> optimizer = sg.optim.SGD([sg.ones(1, requires_grad=True)], lr=1.0)
    >>> warmup = sg.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> decay = sg.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    >>> scheduler = sg.optim.lr_scheduler.SequentialLR(optimizer, [warmup, decay], milestones=[2])
    >>> for epoch in range(4):
    ...     print(scheduler.get_last_lr())
    ...     optimizer.step()
    ...     scheduler.step()
    [0.5]
    [0.75]
    [1.0]
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        self._check(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"SequentialLR expects one scheduler more than milestones, but got {len(schedulers)} schedulers and "
                f"{len(milestones)} milestones"
            )
        for i, scheduler in enumerate(schedulers[1:], 1):
            if isinstance(scheduler, _Combined):
                raise ValueError(
                    f"SequentialLR cannot start {type(scheduler).__name__} (at index {i}) from the initial rates.\n"
                    f"Put it first, or list the schedulers that it is made of."
                )
        self._milestones, self.last_epoch = milestones, last_epoch
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in schedulers:
            _undo(scheduler)
        self._begin()

    def _begin(self) -> None:
        self.last_epoch += 1
        self._schedulers[0]._begin()
        self._last_lr = self._present()

    def step(self) -> None:  # type: ignore[override]
        """Go on to the next epoch."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def _undo(scheduler: LRScheduler) -> None:
    """Forget the step that schedulers take when they are made."""
    for part in getattr(scheduler, "_schedulers", ()):
        _undo(part)
    if hasattr(scheduler, "last_epoch"):
        scheduler.last_epoch -= 1
