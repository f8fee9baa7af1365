"""Optimizers: they change parameters from their gradients. PyTorch's ``torch.optim``, with the same numbers."""

from ..ops import set_public_names as _settle
from . import lr_scheduler, swa_utils
from ._first_order import (
    ASGD,
    SGD,
    Adadelta,
    Adafactor,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Muon,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
)
from ._lbfgs import LBFGS
from ._optimizer import Optimizer

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Muon", "NAdam", "Optimizer",
    "RAdam", "RMSprop", "Rprop", "lr_scheduler", "swa_utils",
]  # fmt: skip

_settle(__name__, globals(), __all__)
