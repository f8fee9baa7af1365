"""Errors that say what failed, the evidence, and one next step.

Every class also derives from the built-in that PyTorch (or NumPy) raises in the same situation, so that
``except RuntimeError`` written for PyTorch keeps working.
"""

from __future__ import annotations


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


class GradientError(SymgradError, RuntimeError):
    """A derivative was asked for where there is none."""


class GraphFreedError(SymgradError, RuntimeError):
    """The graph's saved values were freed by an earlier backward."""


class InplaceError(SymgradError, RuntimeError):
    """An in-place operation is not allowed, or has spoilt a value that a backward needs."""


class NotDifferentiableError(SymgradError, NotImplementedError, RuntimeError):
    """An operation without a derivative was differentiated."""


class FormulaError(SymgradError, RuntimeError):
    """A formula does not exist or disagrees with the number."""


class SymbolicBranchError(SymgradError, TypeError):
    """Control flow asked for the value of a symbol."""


class TooLargeError(SymgradError, MemoryError):
    """A result would not fit into memory; raised before anything is allocated."""


class MissingDependencyError(SymgradError, ImportError):
    """An optional package is not installed; the message is the install line."""
