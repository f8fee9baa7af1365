"""`LRScheduler`, and schedules: a factor for each epoch, up and down, made of others, and by a figure."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from ._optimizer import Optimizer, check_settings

# -------------------------------------------------- `LRScheduler`, and the schedules that are a factor for each epoch

# The idea to hold: a scheduler changes each group's ``lr`` *from what it is now*, so that several can be combined. Most
# say only the factor between the first rate and that of an epoch: what changes it is the quotient of two of them.


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
        self.base_lrs: list[Any] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch: int = last_epoch
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

    step_size: int
    gamma: float

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def at(self, epoch: int) -> float:
        """Return the factor."""
        return self.gamma ** (epoch // self.step_size)


class MultiStepLR(_Factor):
    """Multiply the rates by `gamma` at each of the `milestones`, which are epochs."""

    _resumes = True

    milestones: Counter[int]
    gamma: float

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

    factor: float
    total_iters: int

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        check_settings(factor=(factor, 0 <= factor <= 1))
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def at(self, epoch: int) -> float:
        """Return the factor."""
        return self.factor if epoch < self.total_iters else 1.0


class LinearLR(_Factor):
    """Multiply the rates by a factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""

    start_factor: float
    end_factor: float
    total_iters: int

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

    total_iters: int
    power: float

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
        self.lr_lambdas: list[Any] = per_group(optimizer, "lr_lambda", lr_lambda)
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


# -------------------------------------------- Schedules that go up and down: along cosines, along triangles, and once


def anneal(start: float, end: float, share: float, strategy: str = "cos") -> float:
    """Go a share of the way between two numbers: along half a cosine, or a line."""
    return end + (start - end) * ((1 + math.cos(math.pi * share)) / 2 if strategy == "cos" else 1 - share)


def require_strategy(name: str) -> None:
    """Raise for a strategy that `anneal` does not have."""
    if name not in ("cos", "linear"):
        raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {name}")


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

    T_max: int
    eta_min: float

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

    T_i: int
    T_mult: int
    eta_min: float
    T_cur: float
    last_epoch: int

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

    cycle_momentum: bool
    use_beta1: bool

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

    mode: str
    gamma: float

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
        self.max_lrs: list[Any] = per_group(optimizer, "max_lr", max_lr)
        self.total_size: float = float(step_size_up + (step_size_up if step_size_down is None else step_size_down))
        self.step_ratio: float = step_size_up / self.total_size
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.scale_mode: str = scale_mode if scale_fn else "iterations" if mode == "exp_range" else "cycle"
        self._check_momentum(optimizer, cycle_momentum)
        self.base_momentums: list[Any] = per_group(optimizer, "base_momentum", base_momentum)
        self.max_momentums: list[Any] = per_group(optimizer, "max_momentum", max_momentum)
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

    total_steps: int

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
        require_strategy(anneal_strategy)
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


# ---------------------------------------------- Schedules that are made of others, and the one that looks at a figure


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

    optimizer: Optimizer
    min_lrs: list[Any]
    mode: str
    factor: float
    patience: int
    cooldown: int
    threshold: float
    threshold_mode: str
    eps: float
    last_epoch: int
    cooldown_counter: int
    num_bad_epochs: int

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
        self.default_min_lr = None if isinstance(min_lr, list | tuple) else min_lr
        self.mode, self.factor, self.patience, self.cooldown = mode, factor, patience, cooldown
        self.threshold, self.threshold_mode, self.eps = threshold, threshold_mode, eps
        self.last_epoch, self._last_lr = 0, self._present()
        self.mode_worse: float = math.inf if mode == "min" else -math.inf
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
            self._reduce()
        self._last_lr = self._present()

    def _reduce(self) -> None:
        groups = len(self.optimizer.param_groups)
        if len(self.min_lrs) != groups:  # some were added since
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({groups}) differs from when `ReduceLROnPlateau` "
                    f"was initialized ({len(self.min_lrs)}), usually due to a new param group being added to the "
                    f"optimizer. Please modify the `min_lrs` field to match the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * groups
        lower = [max(lr * self.factor, low) for lr, low in zip(self._present(), self.min_lrs, strict=True)]
        self._set([new if lr - new > self.eps else lr for lr, new in zip(self._present(), lower, strict=True)])


class _Combined(LRScheduler):
    """A schedule that is made of others, which change the rates of one optimizer."""

    _schedulers: list[LRScheduler]
    optimizer: Optimizer

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

    last_epoch: int

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
