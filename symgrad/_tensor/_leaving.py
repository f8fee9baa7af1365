"""What leaves the record: the errors and warnings of code that carries a tensor's numbers off, or means NumPy's method.

The idea to hold: nothing here runs until something went wrong, or might have. Who asked for the numbers is read from
the frames of the calls under way, so that the message names the user's own line and the library's function.
"""

from __future__ import annotations

import functools
import os
import sys
import warnings
from typing import Any

import numpy as np

from .._errors import GradientError, PyTorchMeaningWarning
from ..core import Tensor, _modes
from ..core._notes import listening
from ..ops._public import METHODS

_LIBRARIES = ("numpy", "scipy")
_CONSTANTS = "detach() is for constants only: no derivative flows through it."


def _library(frame: Any) -> str:
    """The first part of the name of the module in which a frame runs."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _asked(frame: Any) -> tuple[str, str, str]:
    """(line of the user's file, library's public module, its function) that ``frame``, in symgrad, was called from."""
    while frame is not None and _library(frame) == "symgrad":
        frame = frame.f_back
    module = function = ""
    while frame is not None and _library(frame) in _LIBRARIES:
        name = frame.f_code.co_name
        if not function or not name.startswith(("_", "wrap", "inner", "<")):  # the outermost that has a name
            parts = [p for p in frame.f_globals["__name__"].split(".")[:2] if not p.startswith("_")]
            module, function = ".".join(parts), name
        frame = frame.f_back
    while frame is not None and _library(frame) in ("symgrad", *_LIBRARIES):  # the function was handed over as it is
        frame = frame.f_back
    where = "" if frame is None else f"line {frame.f_lineno} of {os.path.basename(frame.f_code.co_filename)}"
    return where, module, "" if function.startswith(("_", "<")) else f"{function}()"


def _own(function: str) -> str:
    """How symgrad spells a function of SciPy's, where it has one of that name."""
    symgrad = sys.modules["symgrad"]
    name = function.removesuffix("()")
    for place, spelled in ((symgrad, "sg"), (symgrad.special, "sg.special"), (symgrad.linalg, "sg.linalg")):
        if name and callable(getattr(place, name, None)):
            return f"{spelled}.{name}"
    return ""


def no_array(explicit: bool) -> GradientError:
    """The error where the array of a tensor that requires grad is asked for; to be raised by the method that was.

    ``explicit`` is whether the user's code asked for it by name, by ``.numpy()``.
    """
    what = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
    why = "An array has no history: what is computed from it would silently have no gradient."
    if explicit:
        step = "" if _modes.running.get() is None else f"Go on with the tensor: NumPy's functions take it. {_CONSTANTS}"
        return GradientError(what, why, step)
    where, module, function = _asked(sys._getframe(1))
    who = f" by {module} ({function})" if module and function else f" by {module}" if module else ""
    if where:
        why = f"It is made an array{who} in {where}. {why}"
    own = _own(function) if module.startswith("scipy") else ""
    if module == "scipy.sparse":
        step = "Multiply by an array, A.toarray() @ x."
    elif own:
        step = f"Use {own}, which takes tensors."
    elif module.startswith("scipy"):
        step = (
            "It has no derivative here: write it with NumPy's functions and symgrad's (sg.logsumexp, sg.special), or "
            "make it an operation with a derivative (sg.autograd.Function)."
        )
    else:
        step = (
            "Put numbers together with np.stack([…]) or np.concatenate, fill np.zeros_like(x), copy with np.copy(x), "
            "and leave out asarray. A library's function that needs arrays has no derivative here: use NumPy's or "
            "symgrad's (sg.logsumexp, sg.special), or sg.autograd.Function."
        )
    return GradientError(what, why, f"{step} {_CONSTANTS}")


def warn_lost(name: str) -> None:
    """Warn that a transform is running the function whose number is taken; to be called by the tensor's method."""
    warnings.warn(_LOST.format(name), UserWarning, stacklevel=3)


_LOST = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior: {}() takes the number of "
    "a tensor that is being differentiated, and no derivative flows through what is computed from it. Use symgrad's "
    "functions in place of math's, and sg.stack, sg.zeros or np.zeros_like(x) for arrays to be filled; x.detach() "
    "where that is what you want."
)


# ------------------------------------------------------------------------- methods that mean another thing in NumPy

_DIVISORS = (
    "x.{0}(): in a function of NumPy arrays that symgrad runs, x is a tensor, whose {0}() is PyTorch's and divides by "
    "n − 1; a NumPy array's divides by n. Write np.{0}(x) for NumPy's, np.{0}(x, ddof=1) for PyTorch's: both take "
    "arrays and tensors."
)
_COPIES = (
    "x.repeat(): in a function of NumPy arrays that symgrad runs, x is a tensor, whose repeat() is PyTorch's and puts "
    "copies of the whole side by side; a NumPy array's repeats each element. Write np.repeat(x, n) for NumPy's, "
    "np.tile(x, n) for PyTorch's: both take arrays and tensors."
)


def _of_arrays() -> bool:
    """Whether the method two frames up was called by code that was written for NumPy arrays: not by symgrad's own."""
    running = _modes.running.get()
    return running is not None and running[0] and _library(sys._getframe(2)) != "symgrad"


def _warn_of_meaning(name: str, text: str) -> None:
    """Warn; but `vmap`, which runs such code on symbols first, is told, and runs it on arrays instead."""
    notes = listening.get()
    if notes is not None:
        notes.doubt(f"{name}() of an array is NumPy's, and PyTorch's means something else")
    else:
        warnings.warn(text, PyTorchMeaningWarning, stacklevel=3)


def _wrap_deviation(name: str) -> None:
    """Let Tensor's ``std`` or ``var`` look; what no NumPy method takes (``dim``, ``unbiased``) is meant as it is."""
    compute, text = METHODS[name], _DIVISORS.format(name)

    @functools.wraps(compute)
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        if _modes.running.get() is not None and _of_arrays():
            by_number = len(args) <= 1 and not any(isinstance(a, bool) for a in args)
            if by_number and kwargs.keys() <= {"axis", "keepdims"}:
                _warn_of_meaning(name, text)
        return compute(self, *args, **kwargs)

    setattr(Tensor, name, method)


def _wrap_repeat() -> None:
    compute = METHODS["repeat"]

    @functools.wraps(compute)
    def repeat(self: Tensor, *repeats: Any) -> Any:
        if _modes.running.get() is not None and _of_arrays() and _numpy_takes(self._data, repeats):
            _warn_of_meaning("repeat", _COPIES)
        return compute(self, *repeats)

    Tensor.repeat = repeat  # type: ignore[attr-defined]


def _numpy_takes(x: np.ndarray, repeats: tuple[Any, ...]) -> bool:
    """Whether ``repeat`` of an array takes this: a number, numbers for each element, or either with an axis."""
    if not repeats or len(repeats) > 2:
        return False
    counts, axis = repeats[0], repeats[1] if len(repeats) == 2 else None
    if axis is not None and (not isinstance(axis, int) or not -x.ndim <= axis < x.ndim):
        return False
    several = np.size(counts) if isinstance(counts, (list, tuple, np.ndarray)) else None
    return several is None or (several > 1 and several == (x.size if axis is None else x.shape[axis]))


_wrap_deviation("std")
_wrap_deviation("var")
_wrap_repeat()
