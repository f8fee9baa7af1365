"""Operands that a graph no longer has: overwritten, handed to somebody else, or let go for their size."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError
from ..core import Node, storage


def refuse_written(node: Node, value: Any) -> None:
    """A formula would hold what a constant became, not what it was when it was used."""
    if node.op.name == "copy_from":  # nothing is read of what goes
        return
    if storage.spoilt(value, node.seq) is not None:
        raise FormulaError(
            f"an operand of {node.name()} was written after it was used, so what it was is gone",
            f"It has shape {np.shape(value)}.",
            "Begin with what is computed (z = x * x in place of z = sg.zeros(3); z += x * x), or write to a clone().",
        )


def refuse_missing(node: Node, gone: bool) -> None:
    """An operand is not there: it was handed to somebody else, or (``gone``) was large and nobody held it."""
    if node.meta is not None and node.meta.packed:
        raise FormulaError(
            f"the operands of {node.name()} were handed to saved_tensors_hooks (a checkpoint, perhaps)",
            "What those keep cannot be shown.", "Ask for the formula of a graph made without them.",
        )  # fmt: skip
    if gone:
        raise FormulaError(
            f"a large constant operand of {node.name()} is gone",
            f"A graph keeps constants of more than {_limits.HELD} elements only while somebody else does.",
            "Ask for the formula of the function, sg.formula(f, …), which keeps all that is computed inside; or keep a "
            "reference to the constant until the formula of the result has been asked for.",
        )
