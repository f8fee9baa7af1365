"""How the functions of ``nn.functional`` are called: with NumPy arrays for tensors, and in place.

The idea to hold: the functions are written for tensors. `takes_arrays` makes tensors of the arrays among the arguments
and, where there was no tensor among them, arrays of the results, as the operations themselves do; `may_write` lets
``inplace=True`` write the result to the input's memory, as the method ``name_`` of an operation does.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Tensor, own, wrap
from ..ops._public import in_place

__all__ = ["by_dimensions", "caller_depth", "in_single", "may_write", "takes_arrays", "underscored"]


def takes_arrays(function: Callable[..., Any], home: str) -> Callable[..., Any]:
    """Return the function of the module `home` that also takes NumPy arrays; of arrays alone its results are arrays.

    Arrays become tensors of their own, since whoever passed them may go on writing to them, and a graph keeps them: but
    for those that the function itself writes to.
    """
    names = inspect.unwrap(function).__code__.co_varnames

    def tensor(name: str, value: Any, inplace: bool) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        if name.startswith("running_") or (inplace and name == names[0]):
            return wrap(value)
        copy = own(value)
        return wrap(value.copy() if copy is value else copy)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if not any(isinstance(value, np.ndarray) for value in given):
            return function(*args, **kwargs)
        named = [*zip(names, args, strict=False), *kwargs.items()]
        inplace = function.__name__.endswith("_") or any(name == "inplace" and value for name, value in named)
        parts = [tensor(name, value, inplace) for name, value in named]
        made = function(*parts[: len(args)], **dict(zip(kwargs, parts[len(args) :], strict=True)))
        return made if any(isinstance(value, Tensor) for value in given) else _arrays(made)

    call.__module__ = home  # where pickle finds it
    return call


def _arrays(made: Any) -> Any:
    if isinstance(made, tuple):
        return tuple(map(_arrays, made))
    return made.detach().numpy()[()] if isinstance(made, Tensor) else made


def caller_depth() -> int:
    """Count the frames up to the first one outside symgrad, for a warning to point at the user's line."""
    package = __name__.partition(".")[0]
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, depth = frame.f_back, depth + 1
    return depth


def may_write(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let ``inplace=True``, the last argument of `function`, write the result to the memory of the first.

    The function still computes beside that memory, and copies what its steps keep of the input.
    """
    positions = function.__code__.co_argcount

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.pop("inplace", False) or (len(args) == positions and args[-1]):
            return in_place(function, f"{function.__name__}_")(*args[: positions - 1], **kwargs, inplace=True)
        return function(*args, **kwargs)

    return call


def underscored(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function ``name_`` of one that `may_write`: it always does."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs, inplace=True)

    call.__name__ = call.__qualname__ = f"{function.__name__}_"
    call.__doc__ = f"Compute `{function.__name__}` in place."
    return call


def in_single(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function compute in float32 what it is given in float16, as PyTorch does: its squares and sums soon leave
    the range of the short one."""

    @functools.wraps(function)
    def call(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if input._data.dtype != np.float16:
            return function(input, *args, **kwargs)
        return function(input.float(), *args, **kwargs).half()

    return call


def by_dimensions(make: Callable[[int], Callable[..., Any]], *ndims: int) -> list[Callable[..., Any]]:
    """Return what `make` makes for each number of dimensions, which its name says where it stands as ``nd``."""
    made = []
    for ndim in ndims or (1, 2, 3):
        function = make(ndim)
        function.__name__ = function.__qualname__ = function.__name__.replace("nd", f"{ndim}d")
        made.append(function)
    return made
