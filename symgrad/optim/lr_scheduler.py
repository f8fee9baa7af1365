"""Learning rates that change from epoch to epoch: PyTorch's ``torch.optim.lr_scheduler``, with the same numbers."""

from ..ops._public import settle as _settle
from ._combined import ChainedScheduler, ReduceLROnPlateau, SequentialLR
from ._cycles import CosineAnnealingLR, CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from ._scheduler import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip

_LRScheduler = LRScheduler  # its name of old, which schedules written for PyTorch derive from

_settle(__name__, globals(), __all__)
