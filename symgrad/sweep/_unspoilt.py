"""Whether what a node saved is there still, and as it was."""

from __future__ import annotations

from typing import Any

from .._errors import InplaceError
from ..core import Freed, Node, storage


def raise_if_freed(node: Node) -> None:
    """Raise the error of a freed graph if the saved values of ``node`` are gone: another thread's sweep used them up
    while this one was on its way."""
    if type(node.saved) is Freed:
        raise node.saved.error(node) from None


def check_unspoilt(node: Node, saved: Any) -> None:
    """Raise PyTorch's error if the memory of a saved value was written after it was saved."""
    for name, value in zip(getattr(node.op, "saved", ()) or range(len(saved)), saved, strict=False):
        for v in value if type(value) is tuple else (value,):
            versions = storage.spoilt(v, node.seq)
            if versions is not None:
                now, expected = versions
                raise InplaceError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"[{v.dtype} {list(v.shape)}], which is {_which(node, name)}, is at version {now}; expected "
                    f"version {expected} instead.",
                    f"{node.name()} saved it for its backward."
                    + (f" Recorded at {node.meta.where}." if node.meta and node.meta.where else ""),
                    "Use the out-of-place operation, or clone() before writing; sg.autograd.set_detect_anomaly(True) "
                    "shows where the operation was recorded.",
                )


def _which(node: Node, name: Any) -> str:
    op = node.op
    if op is None or name == "y":
        return f"output 0 of {node.name()}"
    if name in op.inputs and not op.variadic:
        parent = node.parents[op.inputs.index(name)]
        if isinstance(parent, Node):
            return f"output 0 of {parent.name()}"
    return f"input '{name}' of {node.name()}"


__all__ = ["check_unspoilt", "raise_if_freed"]
