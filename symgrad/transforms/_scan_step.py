"""A step of a loop as a function of its state's numbers in a row.

The idea to hold: one row is all that a state is to what differentiates it, whatever container the user keeps it in.
"""

from __future__ import annotations

import gc
import weakref
from contextvars import ContextVar
from typing import Any

import numpy as np

from .._array._protocols import carried
from ..core import TABLE, Symbol, Tensor, applied, modes, wrap
from ..ops._public import FUNCTIONS, METHODS
from ._tree import flatten_like, flatten_values, unflatten
from ._variables import as_variable

TRACED: ContextVar[Any] = ContextVar("symgrad_traced_loops", default=None)
"""The loops of the function that is traced for a program here; None elsewhere."""


class FlatStep:
    """A step, of a state's numbers in a row: what is looked through for the tensors that the step catches is small."""

    def __init__(self, loop: Any) -> None:
        self.step, self.spec, self.of_arrays = loop.step, loop.spec, loop.of_arrays
        self.shapes = [shape_of(leaf) for leaf in loop.leaves]
        self.traced: list[Any] = []  # the stand-ins that were passed

    def is_kept(self) -> bool:
        """Whether something outside holds on to what was computed from a stand-in."""
        if all(ref() is None for ref in self.traced):
            return False
        gc.collect()
        return any(ref() is not None for ref in self.traced)

    def __call__(self, row: Any, x: Any = None) -> tuple[Any, ...]:
        stand_ins = [getattr(v, "_t", v) for v in (row, *flatten_values(x)[0])]
        self.traced += [weakref.ref(v._node) for v in stand_ins if isinstance(v, Symbol) and v._node is not None]
        carry, y = self.step(self.state(row), x)
        leaves = flatten_like(self.spec, carry) or ()
        collected, self.collected = flatten_values(y)
        flat = [METHODS["reshape"](as_variable(leaf), (-1,)) for leaf in leaves]
        row = FUNCTIONS["cat"](flat, 0) if flat else row[:0]
        return row, *map(as_variable, collected)

    def state(self, row: Any, dtypes: Any = None) -> Any:
        """A state, as the user's step knows it, of its numbers; of these ``dtypes``, or of the row's."""
        leaves, at = list[Any](), 0
        for shape in self.shapes:
            size = int(np.prod(shape))
            part = row[at] if not shape else METHODS["reshape"](row[at : at + size], shape)
            part = part if dtypes is None else of_dtype(part, dtypes[len(leaves)])
            leaves.append(carried(part) if self.of_arrays else part)
            at += size
        return unflatten(self.spec, leaves)


def of_dtype(t: Any, dtype: Any) -> Any:
    """A tensor in a dtype."""
    return t if t._data.dtype == dtype else applied(TABLE["cast"], [t], [dtype])


def shape_of(value: Any) -> tuple[int, ...]:
    """A leaf's shape."""
    return tuple(value.shape) if hasattr(value, "shape") else np.shape(value)


def collected_by_none(step: Any, carry: Any, xs: list[Any], spec: Any) -> Any:
    """What no rounds of a loop collect: arrays of no rows, of the shapes that a step on zeros collects."""
    slices = [np.zeros(x.shape[1:], x.dtype) for x in xs]
    token = modes.mode.set(modes.OFF)
    try:
        with np.errstate(all="ignore"):
            _, y = step(carry, unflatten(spec, slices) if slices else None)
    finally:
        modes.mode.reset(token)
    leaves, made = flatten_values(y)
    kinds = [v.dtype if hasattr(v, "dtype") else np.asarray(v).dtype for v in leaves]
    empty = [np.zeros((0, *shape_of(v)), kind) for v, kind in zip(leaves, kinds, strict=True)]
    return unflatten(made, [wrap(e) if isinstance(v, Tensor) else e for e, v in zip(empty, leaves, strict=True)])


__all__ = ["TRACED", "FlatStep", "collected_by_none", "of_dtype", "shape_of"]
