"""Errors that say what failed, the evidence, and one next step.

Every class also derives from the built-in that PyTorch (or NumPy) raises in the same situation, so that
``except RuntimeError`` written for PyTorch keeps working.
"""

from __future__ import annotations

from contextvars import ContextVar
from pickle import UnpicklingError
from typing import Any

refusal: ContextVar[tuple[Any, ...] | None] = ContextVar("symgrad_refusal", default=None)
"""The last error that refused a function the value of what it computes with: its class and its parts."""


def compose(what: str, evidence: str = "", next_step: str = "") -> str:
    """Join the three parts of a message, leaving out the empty ones."""
    return "\n".join(part for part in (what, evidence, next_step) if part)


class SymgradError(Exception):
    """Base of every error that symgrad raises on purpose.

    Examples
    --------
    >>> import symgrad as sg
    >>> try:
    ...     sg.ones(2) + sg.ones(3)
    ... except sg.SymgradError as error:
    ...     print(type(error).__name__)
    ShapeError
    """

    def __init__(self, what: str = "", evidence: str = "", next_step: str = "") -> None:
        super().__init__(compose(what, evidence, next_step))


class ShapeError(SymgradError, RuntimeError, ValueError):
    """Shapes do not fit the operation."""


class DimensionError(SymgradError, IndexError):
    """A dimension or an index is out of range."""


class DTypeError(SymgradError, RuntimeError, TypeError):
    """A dtype does not fit the operation."""


class RangeError(SymgradError, OverflowError, RuntimeError):
    """A number does not fit into the dtype."""


class DeviceError(SymgradError, RuntimeError, AssertionError):
    """A device other than the CPU was asked for."""


class _Refusal(SymgradError):
    """What plain numbers would not meet: a function that catches it has gone another way than with them."""

    def __init__(self, what: str = "", evidence: str = "", next_step: str = "") -> None:
        super().__init__(what, evidence, next_step)
        refusal.set((type(self), what, evidence, next_step))


class GradientError(_Refusal, RuntimeError):
    """A derivative was asked for where there is none."""


class GraphFreedError(SymgradError, RuntimeError):
    """The graph's saved values were freed by an earlier backward."""


class InplaceError(SymgradError, RuntimeError):
    """An in-place operation is not allowed, or has spoilt a value that a backward needs."""


class NotDifferentiableError(_Refusal, NotImplementedError, RuntimeError):
    """An operation without a derivative was differentiated."""


class FormulaError(SymgradError, RuntimeError):
    """A formula does not exist or disagrees with the number."""


class SymbolicBranchError(_Refusal, TypeError):
    """Control flow asked for the value of a symbol."""


class TooLargeError(SymgradError, MemoryError):
    """A result would not fit into memory; raised before anything is allocated."""


class LoadError(SymgradError, UnpicklingError):
    """A file is damaged, is none of `save`'s, or asks for more than weights."""


class MissingDependencyError(SymgradError, ImportError):
    """An optional package is not installed; the message is the install line."""


def require_not_refused(before: tuple[Any, ...] | None) -> None:
    """Raise what was refused since ``before`` was what `refusal` held: the function caught it and went on.

    With plain numbers nothing would have been refused: what it returned is something else.
    """
    now = refusal.get()
    if now is not before and now is not None:
        kind, what, evidence, next_step = now
        evidence = f"{evidence}\nThe function caught this error and went on, on another way than with plain numbers."
        raise kind(what, evidence.strip(), next_step)
