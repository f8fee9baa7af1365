"""Names for the data that a function did not get as arguments: ``y`` and ``X`` of ``lambda w: loss(X @ w, y)``.

The idea to hold: the function is built again with the same code, and with named tensors in place of the arrays that it
catches from its closure and its module, so that a formula shows ``X``, not a page of numbers. Functions of the user's
that it calls are built again likewise. The original is not touched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from types import CellType, FunctionType, MethodType
from typing import Any

import numpy as np

from ..core import Symbol, Tensor
from ._reads import content, reads
from ._tree import flatten, unflatten
from ._tree import tree_paths as paths

Name = Callable[[Any, str], Any]  # (value, variable's name) -> the named tensor

_FOREIGN = ("symgrad", "numpy", "scipy", "builtins", "functools", "math")


def is_foreign(module: str) -> bool:
    """Whether the data of a module's functions are of no interest to formulas."""
    return module.split(".")[0] in _FOREIGN


def with_named_data(f: Any, name: Name) -> Any:
    """``f`` with every array (and unnamed tensor) that it catches replaced by ``name(array, variable)``.

    ``f`` itself, the same object, where there is nothing to replace.
    """
    return _Renamer(name).function(f)


def is_data(value: Any) -> bool:
    """Whether a caught value is to be named: an array of several elements, an unnamed tensor."""
    if isinstance(value, Tensor):
        return type(value) is not Symbol and (value._extra is None or value._extra.name is None)
    return isinstance(value, np.ndarray) and value.size > 1 and value.dtype.kind in "fciub"


def path_name(base: str, path: tuple[Any, ...]) -> str:
    """A name for an entry of a container: ``params['W']`` is ``params_W``."""
    words = [base, *(str(key) for key in path)]
    text = "_".join("".join(c if c.isalnum() or c == "_" else "_" for c in word) for word in words)
    return text if text.isidentifier() else f"_{text}"


class _Renamer:
    def __init__(self, name: Name) -> None:
        self.name = name
        self.values: dict[int, Any] = {}  # by identity: one array under two names is one symbol
        self.functions: dict[int, Any] = {}
        self.kept: list[Any] = []  # what the identities belong to

    def value(self, value: Any, name: str) -> Any:
        """What stands for a caught value: itself where it is no data."""
        if isinstance(value, (FunctionType, MethodType)):
            return self.function(value)
        if is_data(value):
            found = self.values.get(id(value))
            if found is None:
                self.kept.append(value)
                found = self.values[id(value)] = self.name(value, name)
            return found
        if isinstance(value, (tuple, list, dict)) or is_dataclass(value):
            leaves, spec = flatten(value)
            if spec.kind is not None and any(map(is_data, leaves)):
                named = [
                    self.value(leaf, path_name(name, path)) for leaf, path in zip(leaves, paths(value), strict=True)
                ]
                return unflatten(spec, named)
        return value

    def function(self, f: Any) -> Any:
        """The function with its data named (itself if it catches none)."""
        if isinstance(f, MethodType):
            inner = self.function(f.__func__)
            return f if inner is f.__func__ else MethodType(inner, f.__self__)
        if not isinstance(f, FunctionType) or is_foreign(f.__module__ or ""):
            return f
        if id(f) not in self.functions:
            self.kept.append(f)
            self.functions[id(f)] = f  # a function that calls itself calls the original
            self.functions[id(f)] = self._built(f)
        return self.functions[id(f)]

    def _built(self, f: FunctionType) -> FunctionType:
        own = reads(f.__code__)
        if own.writes:  # what it writes to its module would be lost
            return f
        names = {}
        for key in own.names:
            if key in f.__globals__:
                old = f.__globals__[key]
                new = self.value(old, key)
                if new is not old:
                    names[key] = new
        cells = f.__closure__ or ()
        closure = tuple(self._cell(c, v) for c, v in zip(cells, f.__code__.co_freevars, strict=True))
        if not names and all(a is b for a, b in zip(cells, closure, strict=True)):
            return f
        new = FunctionType(f.__code__, {**f.__globals__, **names}, f.__name__, f.__defaults__, closure or None)
        new.__kwdefaults__ = f.__kwdefaults__
        return new

    def _cell(self, cell: CellType, name: str) -> CellType:
        old = content(cell)
        new = self.value(old, name)
        return cell if new is old else CellType(new)
