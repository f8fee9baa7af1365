"""Models whose parameters are averaged over the steps: PyTorch's ``torch.optim.swa_utils``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any

from .. import ops
from ..autograd import no_grad
from ..core import Tensor
from ..nn import BatchNorm1d, BatchNorm2d, BatchNorm3d, Module
from ..ops import set_public_names as _settle
from ._optimizer import Optimizer
from ._scheduler import LRScheduler, anneal, per_group, require_strategy

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
    "update_bn",
]  # fmt: skip


def get_ema_avg_fn(decay: float = 0.999) -> Callable[[Tensor, Tensor, Any], Tensor]:
    """Return the average that forgets: ``decay * average + (1 - decay) * current``.

    Parameters
    ----------
    decay : float
        The share of the past.
    """
    if not 0 <= decay <= 1:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")
    return lambda average, current, count: decay * average + (1 - decay) * current


def get_swa_avg_fn() -> Callable[[Tensor, Tensor, Any], Tensor]:
    """Return the mean of all: ``average + (current - average) / (count + 1)``."""
    return lambda average, current, count: average + (current - average) / (count + 1)


def _of_lists(fn: Callable[[Tensor, Tensor, Any], Tensor]) -> Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]:
    def update(averages: Sequence[Tensor], currents: Sequence[Tensor], count: Any) -> None:
        with no_grad():
            for average, current in zip(averages, currents, strict=True):
                average.copy_(fn(average, current, count))

    return update


_copied = _of_lists(lambda average, current, count: current)


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]:
    """Return `get_ema_avg_fn` for lists of tensors, the first of which it changes.

    Parameters
    ----------
    decay : float
        The share of the past.
    """
    return _of_lists(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]:
    """Return `get_swa_avg_fn` for lists of tensors, the first of which it changes."""
    return _of_lists(get_swa_avg_fn())


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's (Izmailov et al. 2018).

    Parameters
    ----------
    model : Module
        The model that is copied, as ``module``.
    avg_fn : callable, optional
        The new average, of the average, the parameter and the number of averaged ones; the mean of all if left out.
    multi_avg_fn : callable, optional
        The same for lists of tensors, the first of which it changes.
    use_buffers : bool
        Whether buffers are averaged too, not taken over.

    Examples
    --------
    >>> import symgrad as sg
    >>> model = sg.nn.Linear(1, 1, bias=False)
    >>> averaged = sg.optim.swa_utils.AveragedModel(model)
    >>> for value in (1.0, 2.0, 6.0):
    ...     _ = sg.nn.init.constant_(model.weight, value)
    ...     averaged.update_parameters(model)
    >>> averaged(sg.ones(1)).tolist()
    [3.0]
    """

    n_averaged: Tensor
    avg_fn: Callable[[Tensor, Tensor, Any], Tensor] | None
    multi_avg_fn: Callable[[Sequence[Tensor], Sequence[Tensor], Any], None] | None
    use_buffers: bool

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable[[Tensor, Tensor, Any], Tensor] | None = None,
        multi_avg_fn: Callable[[Sequence[Tensor], Sequence[Tensor], Any], None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise ValueError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module: Module = deepcopy(model).to(device=device)
        self.register_buffer("n_averaged", ops.tensor(0))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output with the averages."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Let the model's parameters count in the averages."""
        own, theirs = ([*m.parameters(), *(m.buffers() if self.use_buffers else ())] for m in (self.module, model))
        own, theirs = [t.detach() for t in own], [t.detach() for t in theirs]
        update = self.multi_avg_fn or _of_lists(self.avg_fn or get_swa_avg_fn())
        if self.n_averaged == 0:
            update = _copied
        update(own, theirs, self.n_averaged)
        if not self.use_buffers:
            _copied([*self.module.buffers()], [*model.buffers()], 0)
        self.n_averaged += 1


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running figures of a model's batch norms anew, as means over the batches.

    Parameters
    ----------
    loader : iterable
        Batches: tensors, or sequences whose first part is fed to the model.
    model : Module
        Its parameters stay.
    """
    norms = [m for m in model.modules() if isinstance(m, BatchNorm1d | BatchNorm2d | BatchNorm3d)]
    momenta, training = [norm.momentum for norm in norms], model.training
    if not norms:
        return
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    model.train()
    with no_grad():
        for batch in loader:
            model(batch[0] if isinstance(batch, list | tuple) else batch)
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    """Bring the rates to a fixed one, at which parameters are averaged.

    Parameters
    ----------
    swa_lr : float or list of float
        That rate, perhaps for each group.
    anneal_epochs : int
        In how many epochs.
    anneal_strategy : {"cos", "linear"}
        Along which curve.
    """

    anneal_epochs: int

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        require_strategy(anneal_strategy)
        if anneal_epochs < 0 or not isinstance(anneal_epochs, int):
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs, self._anneal_strategy = anneal_epochs, anneal_strategy
        for group, lr in zip(optimizer.param_groups, per_group(optimizer, "swa_lr", swa_lr), strict=True):
            group["swa_lr"] = lr
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Compute the rates."""
        step = self._step_count - 1 if self.anneal_epochs else max(1, self._step_count - 1)
        steps = (min(1.0, max(0.0, i / max(1, self.anneal_epochs))) for i in (step - 1, step))
        before, now = (anneal(0.0, 1.0, share, self._anneal_strategy) for share in steps)
        # The present rate was mixed from the fixed one and that of the other schedule, which still counts.
        rest = 0.0 if before == 1 else (1 - now) / (1 - before)
        return [group["swa_lr"] + (group["lr"] - group["swa_lr"]) * rest for group in self.optimizer.param_groups]


_settle(__name__, globals(), __all__)
