"""Schedules that go up and down: along cosines, along triangles, and once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ._optimizer import Optimizer
from ._scheduler import LRScheduler, per_group

__all__ = ["CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR", "anneal"]


def anneal(start: float, end: float, share: float, strategy: str = "cos") -> float:
    """Go a share of the way between two numbers: along half a cosine, or a line."""
    return end + (start - end) * ((1 + math.cos(math.pi * share)) / 2 if strategy == "cos" else 1 - share)


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
        if self._is_initial:
            return self._present()
        if (epoch - 1 - period) % (2 * period) == 0:
            # The rate was at its minimum, from which no factor leads away.
            rise = (1 - math.cos(math.pi / period)) / 2
            pairs = zip(self._present(), self.base_lrs, strict=True)
            return [lr + (base - self.eta_min) * rise for lr, base in pairs]
        factor = (1 + math.cos(math.pi * epoch / period)) / (1 + math.cos(math.pi * (epoch - 1) / period))
        return [self.eta_min + (lr - self.eta_min) * factor for lr in self._present()]

    def _get_closed_form_lr(self) -> list[float]:
        return [anneal(lr, self.eta_min, self.last_epoch / self.T_max) for lr in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Lower the rates along half a cosine, again and again (Loshchilov and Hutter 2017).

    Parameters
    ----------
    T_0 : int
        Epochs until the rates first start anew.
    T_mult : int
        How many times as long each stretch is as the one before.
    eta_min : float
        The lowest rate.
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if value < 1 or not isinstance(value, int):
                raise ValueError(f"Expected integer {name} >= 1, but got {value}")
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, float(last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Compute the rates."""
        return [anneal(lr, self.eta_min, self.T_cur / self.T_i) for lr in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on to the next epoch, or to the one that is given: a fraction may follow each batch."""
        if epoch is not None and epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        self.last_epoch = self.last_epoch + 1 if epoch is None else math.floor(epoch)
        self.T_cur, self.T_i = (self.T_cur + 1, self.T_i) if epoch is None else (epoch, self.T_0)
        if self.T_mult == 1:
            self.T_cur %= self.T_i
        while self.T_cur >= self.T_i:
            self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        self._set(self.get_lr())


class _WithMomentum(LRScheduler):
    """A schedule whose momentum goes down where the rates go up; Adam's is the first of its betas."""

    def _check_momentum(self, optimizer: Optimizer, cycle_momentum: bool) -> None:
        self.cycle_momentum, self.use_beta1 = cycle_momentum, "betas" in optimizer.defaults
        if cycle_momentum and not self.use_beta1 and "momentum" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")

    def _set_momentum(self, group: dict[str, Any], momentum: float) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum


class CyclicLR(_WithMomentum):
    """Let the rates go up and down between two bounds, step by step (Smith 2017).

    Parameters
    ----------
    base_lr, max_lr : float or list of float
        The bounds, perhaps for each group.
    step_size_up, step_size_down : int
        Steps from one bound to the other; down as many as up if left out.
    mode : {"triangular", "triangular2", "exp_range"}
        Whether the cycles stay as high, are halved one by one, or shrink by `gamma` at each step.
    gamma : float
        See `mode`.
    scale_fn : callable, optional
        The height, instead of `mode`: a function of the cycle's number or of the step's.
    scale_mode : {"cycle", "iterations"}
        Which of them `scale_fn` is given.
    cycle_momentum : bool
        Whether the momentum goes down while the rates go up.
    base_momentum, max_momentum : float or list of float
        The momentum's bounds.
    """

    _functions = ("_scale_fn_custom",)

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError("mode is invalid and scale_fn is None")
        lows = per_group(optimizer, "base_lr", base_lr)
        self.max_lrs = per_group(optimizer, "max_lr", max_lr)
        self.total_size = float(step_size_up + (step_size_up if step_size_down is None else step_size_down))
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.scale_mode = scale_mode if scale_fn else "iterations" if mode == "exp_range" else "cycle"
        self._check_momentum(optimizer, cycle_momentum)
        self.base_momentums = per_group(optimizer, "base_momentum", base_momentum)
        self.max_momentums = per_group(optimizer, "max_momentum", max_momentum)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, lows, strict=True):
                group["lr"] = lr
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def scale_fn(self, x: float) -> float:
        """Return the height of a cycle, or of a step."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return {"triangular": 1.0, "triangular2": 0.5 ** (x - 1), "exp_range": self.gamma**x}[self.mode]

    def get_lr(self) -> list[float]:
        """Compute the rates, and set the momentum."""
        cycle, share = divmod(self.last_epoch / self.total_size, 1)
        up = self.step_ratio
        height = share / up if share <= up else (share - 1) / (up - 1)
        height *= self.scale_fn(cycle + 1 if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, high in bounds:
                self._set_momentum(group, high - (high - low) * height)
        return [low + (high - low) * height for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]


class OneCycleLR(_WithMomentum):
    """Let the rates go up once and then far down, step by step (Smith and Topin 2018).

    Parameters
    ----------
    max_lr : float or list of float
        The highest rate, perhaps for each group.
    total_steps, epochs, steps_per_epoch : int, optional
        How many steps there are: in all, or in each epoch.
    pct_start : float
        The share of them in which the rates go up.
    anneal_strategy : {"cos", "linear"}
        Along which curve.
    cycle_momentum : bool
        Whether the momentum goes down while the rates go up.
    base_momentum, max_momentum : float or list of float
        The momentum's bounds.
    div_factor : float
        How many times as high as the first rate the highest is.
    final_div_factor : float
        How many times as high as the last rate the first is.
    three_phase : bool
        Whether the rates come down to the first one as fast as they went up, and then go on to the last.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            total_steps = epochs * steps_per_epoch
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        if not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps, self._anneal_func_type = total_steps, anneal_strategy
        top = pct_start * total_steps - 1
        ends = [(top, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three_phase:
            ends += [(2 * top, "max_lr", "initial_lr", "base_momentum", "max_momentum")]
            ends += [(total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]
        else:
            ends += [(total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
        self._schedule_phases: list[dict[str, Any]] = [dict(zip(names, phase, strict=True)) for phase in ends]
        self._check_momentum(optimizer, cycle_momentum)
        bounds = [(max_lr, "max_lr"), (max_momentum, "max_momentum"), (base_momentum, "base_momentum")]
        for value, name in bounds if last_epoch == -1 else ():
            for group, own in zip(optimizer.param_groups, per_group(optimizer, name, value), strict=True):
                group[name] = own
        for group in optimizer.param_groups if last_epoch == -1 else ():
            group["initial_lr"] = group["max_lr"] / div_factor
            group["min_lr"] = group["initial_lr"] / final_div_factor
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Compute the rates, and set the momentum."""
        step, start = self.last_epoch, 0.0
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        share = (step - start) / (phase["end_step"] - start)

        def between(group: dict[str, Any], what: str) -> float:
            bounds = (group[phase[f"start_{what}"]], group[phase[f"end_{what}"]])
            return anneal(*bounds, share, self._anneal_func_type)

        for group in self.optimizer.param_groups if self.cycle_momentum else ():
            self._set_momentum(group, between(group, "momentum"))
        return [between(group, "lr") for group in self.optimizer.param_groups]
