"""Sweeps over the recorded graph."""

from ._backward import backward, grad, retain
from ._reverse import Sweep

__all__ = ["Sweep", "backward", "grad", "retain"]
