"""Sweeps over the recorded graph."""

from ._backward import backward, grad, retain
from ._recorded import orders_of
from ._reverse import Sweep

__all__ = ["Sweep", "backward", "grad", "orders_of", "retain"]
