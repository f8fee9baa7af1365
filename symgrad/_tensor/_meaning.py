"""Methods that NumPy and PyTorch understand differently: where code was written for arrays, they warn.

The idea to hold: a tensor's method is PyTorch's, and NumPy's function of the same name is NumPy's. Where a transform
runs a function of arrays and the two results would differ, the warning says which function to write.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import PyTorchMeaningWarning
from ..core import Tensor, listening, modes
from ..ops._public import METHODS
from ._leaving import _library

_WHERE = "in a function of NumPy arrays that symgrad runs, x is a tensor, whose {0}() is PyTorch's and "
_DIVISORS = (
    f"x.{{0}}(): {_WHERE}divides by n − 1; a NumPy array's divides by n. Write np.{{0}}(x) for NumPy's, "
    "np.{0}(x, ddof=1) for PyTorch's: both take arrays and tensors."
)
_COPIES = (
    f"x.repeat(): {_WHERE.format('repeat')}puts copies of the whole side by side; a NumPy array's repeats each "
    "element. Write np.repeat(x, n) for NumPy's, np.tile(x, n) for PyTorch's: both take arrays and tensors."
)
_SWAPS = (
    f"x.transpose(0, 1): {_WHERE.format('transpose')}swaps the two dimensions; a NumPy array's "
    "leaves them as they are. Write np.transpose(x, (0, 1)) for NumPy's, x.T for PyTorch's: both take arrays and "
    "tensors."
)
_PAIRS = (
    f"x.{{0}}(axis): {_WHERE}returns a pair, values and indices; a NumPy array's returns the values. Write np.{{0}}(x, "
    "axis) for NumPy's, which takes arrays and tensors, x.{0}(dim=axis) for PyTorch's."
)
_SORTS = (
    f"x.sort(): {_WHERE.format('sort')}returns a pair, sorted values and indices, and leaves x as it is; a NumPy "
    "array's sorts x in place. Write x = np.sort(x), which takes arrays and tensors, or x.sort(dim=-1) for PyTorch's."
)
_ROWS = (
    f"x.nonzero(): {_WHERE.format('nonzero')}returns the places as rows of one tensor; a NumPy array's returns a "
    "tuple, an array for each dimension. Write np.nonzero(x) for NumPy's, np.argwhere(x) for PyTorch's: both take "
    "arrays and tensors."
)
_PUTS = (
    f"x.put(places, values): {_WHERE.format('put')}returns a new tensor and leaves x as it is; a NumPy array's writes "
    "into x. Write np.put(x, places, values) for NumPy's: it takes arrays and tensors."
)


def _of_arrays() -> bool:
    """Whether the method two frames up was called by code that was written for NumPy arrays: not by symgrad's own."""
    running = modes.running.get()
    return running is not None and running[0] and _library(sys._getframe(2)) != "symgrad"


def _warn_of_meaning(name: str, text: str) -> None:
    """Warn; but `vmap`, which runs such code on symbols first, is told, and runs it on arrays instead."""
    notes = listening.get()
    if notes is not None:
        notes.doubt(f"{name}() of an array is NumPy's, and PyTorch's means something else")
    else:
        warnings.warn(text, PyTorchMeaningWarning, stacklevel=3)


def _wrap(name: str, text: str, differs: Callable[..., bool]) -> None:
    """Let Tensor's method look whether NumPy's of that name, given the same arguments, would do another thing."""
    compute = METHODS[name]

    @functools.wraps(compute)
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        if modes.running.get() is not None and _of_arrays() and differs(self._data, *args, **kwargs):
            _warn_of_meaning(name, text)
        return compute(self, *args, **kwargs)

    setattr(Tensor, name, method)


def _by_axis(x: np.ndarray, *args: Any, **kwargs: Any) -> bool:
    """``std`` or ``var`` as NumPy has them; what no NumPy method takes (``dim``, ``unbiased``) is meant as it is."""
    return len(args) <= 1 and not any(isinstance(a, bool) for a in args) and kwargs.keys() <= {"axis", "keepdims"}


def _of_one_axis(x: np.ndarray, *args: Any, **kwargs: Any) -> bool:
    axis = args[0] if args else kwargs.get("axis")
    return isinstance(axis, int) and kwargs.keys() <= {"axis", "keepdims"} and len(args) <= 1


def _repeats(x: np.ndarray, *repeats: Any, **kwargs: Any) -> bool:
    """Whether ``repeat`` of an array takes this: a number, numbers for each element, or either with an axis."""
    if not repeats or len(repeats) > 2 or kwargs:
        return False
    counts, axis = repeats[0], repeats[1] if len(repeats) == 2 else None
    if axis is not None and (not isinstance(axis, int) or not -x.ndim <= axis < x.ndim):
        return False
    several = np.size(counts) if isinstance(counts, (list, tuple, np.ndarray)) else None
    return several is None or (several > 1 and several == (x.size if axis is None else x.shape[axis]))


def _stays(x: np.ndarray, *axes: Any, **kwargs: Any) -> bool:
    """Whether NumPy would permute the dimensions of a matrix, and leave them where they are."""
    return x.ndim == 2 and axes in ((0, 1), (0, -1), (-2, 1), (-2, -1)) and not kwargs


def _in_place(x: np.ndarray, *args: Any, **kwargs: Any) -> bool:
    return len(args) <= 1 and kwargs.keys() <= {"axis", "kind", "stable"}


for _name in ("std", "var"):
    _wrap(_name, _DIVISORS.format(_name), _by_axis)
for _name in ("max", "min"):
    _wrap(_name, _PAIRS.format(_name), _of_one_axis)
_wrap("repeat", _COPIES, _repeats)
_wrap("transpose", _SWAPS, _stays)
_wrap("sort", _SORTS, _in_place)
_wrap("put", _PUTS, lambda x, *args, **kwargs: not kwargs)
_wrap("nonzero", _ROWS, lambda x, *args, **kwargs: not args and not kwargs)
