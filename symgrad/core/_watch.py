"""What anomaly mode, saved-tensor hooks and a keeper do to a node as it is recorded; where the user's code stands."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .._errors import DTypeError, GradientError, InplaceError
from . import modes, storage
from ._anomaly import AnomalyFound, look
from ._graph import Node, Place, Tensor, extra, meta, wrap
from ._guards import Guard
from ._reading import constants_of, keep_saved, saved_values


def watch(node: Node, results: tuple[Any, ...]) -> None:
    """What anomaly mode, saved-tensor hooks and a keeper of values do to a node as it is recorded."""
    asked = modes.anomaly.get()
    if asked is not None:
        meta(node).where = Place(*caller_frame())
        if asked.forward:
            try:
                look("forward", node, results)
            except AnomalyFound as found:
                raise modes.blame(found) from None
    hooks = modes.saved_hooks.get()
    if hooks and node.saved is not None:
        _pack(node, hooks[-1])
    keeper = modes.keeper.get()
    if keeper is not None:
        keeper.note(node)


def _pack(node: Node, hooks: tuple[Any, Any]) -> None:
    pack, unpack = hooks
    if pack is None:
        raise GradientError(str(unpack), "", "Leave the disable_saved_tensors_hooks block first.")

    op = node.op
    numbers = op is not None and any(isinstance(c, (int, float)) for c in constants_of(node))
    token = modes.mode.set(modes.OFF)
    try:
        keep_saved(node, tuple(packed(v, pack, unpack, numbers) for v in saved_values(node)))
    finally:
        modes.mode.reset(token)
    meta(node).packed = True
    # the caller wants to decide what is kept: operands without gradient are let go too (and with them the formula)
    if op is not None and not numbers:
        node.consts = (None, *node.consts[1:]) if op.packs else None


def packed(v: Any, pack: Any, unpack: Any, numbers: bool = False) -> Any:
    """A saved value in the user's form; where there may be ``numbers``, one without dimensions stays."""
    if type(v) is tuple:
        return tuple(packed(u, pack, unpack, numbers) for u in v)
    if type(v) is not np.ndarray or (numbers and v.ndim == 0):
        return v  # a Python number that was an operand is no tensor
    t = wrap(v)
    bag = extra(t)
    bag.guard = _GIVEN
    before = storage.version(v)
    kept = pack(t)
    bag.guard = None
    if storage.version(v) != before:  # past the guard: through detach()
        raise InplaceError(_GIVEN.why, "", _GIVEN.advice)
    return Packed(kept, unpack)


_GIVEN = Guard(
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects.",
    "clone() it in the hook first.",
    always=True,
)


def unpacked(v: Any) -> Any:
    """Saved values again as they were, through the user's unpack hooks."""
    return tuple(map(unpacked, v)) if type(v) is tuple else v.get() if type(v) is Packed else v


class Packed:
    """A saved value in the form that the user's pack hook gave it."""

    __slots__ = ("unpack", "value")

    def __init__(self, value: Any, unpack: Any) -> None:
        self.value, self.unpack = value, unpack

    def get(self) -> np.ndarray:
        """The array again, through the user's unpack hook."""
        t = self.unpack(self.value)
        if not isinstance(t, Tensor):
            raise DTypeError(
                f"unpack_hook must return a tensor, got {type(t).__name__!r}", "", "Return what pack_hook was given."
            )
        return t._data


def caller_frame() -> tuple[Any, int, int]:
    """The code object, line and instruction of the innermost frame outside symgrad."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("symgrad"):
        frame = frame.f_back
    return frame.f_code, frame.f_lineno, frame.f_lasti
