"""Optimizers: they change parameters from their gradients. PyTorch's ``torch.optim``, with the same numbers."""

from ..ops._public import settle as _settle
from . import lr_scheduler
from ._first_order import SGD, Adagrad, Adam, AdamW, RMSprop
from ._lbfgs import LBFGS
from ._optimizer import Optimizer

__all__ = ["LBFGS", "SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]

_settle(__name__, globals(), __all__)
