"""The error of a failed operation, in the user's terms and in PyTorch's well-known words."""

from __future__ import annotations

import re
from dis import opmap
from itertools import combinations
from typing import Any

import numpy as np

from .._errors import DimensionError, DTypeError, RangeError, ShapeError, SymgradError
from ._graph import Tensor
from ._quiet import hush, unhush
from ._symbols import shape_of


def describe(operands: tuple[Any, ...]) -> str:
    """The operands' names, shapes and dtypes."""
    words = []
    for a in operands:
        if isinstance(a, Tensor):
            name = f"{a._extra.name} " if a._extra is not None and a._extra.name else ""
            words.append(f"{name}{tuple(shape_of(a))} {a._data.dtype}")
        elif isinstance(a, np.ndarray):
            words.append(f"array {a.shape} {a.dtype}")
        else:
            words.append(f"{type(a).__name__} {a!r}"[:60])
    return ", ".join(words)


def step_of_formulas(operands: tuple[Any, ...]) -> str:
    """What to write where one of the operands is a formula, which operations do not know; else nothing."""
    if not any(type(a).__name__ == "Formula" for a in operands):
        return ""
    return 'Write the formula first, f * x; functions of formulas are sg.parse("sin(u)", u=()).subs(u=f).'


def refuse_reduced(op: Any, given: dict[str, Any]) -> None:
    """Raise if a user's row that is declared entry by entry is not so: it is tried on an array of what it was given."""
    if op.kind != "elementwise" or op.variadic or (getattr(op.forward, "__module__", None) or "numpy").startswith(_OWN):
        return
    state = hush()
    try:
        entries = [np.asarray(getattr(given[a], "_data", given[a])).flat[0] for a in op.arguments]
        shape = np.shape(op.forward(*(np.full((2, 3), e) for e in entries), *(given[p] for p in op.params)))
    except Exception:  # it says so itself where it is called
        return
    finally:
        unhush(state)
    if shape != (2, 3):
        raise ShapeError(
            f"row {op.name!r} is declared elementwise, and is not",
            f"Of operands of shape (2, 3) its forward function makes a result of shape {shape}.",
            "Keep the operands' shape; what reduces or moves entries is declared by `linear` or `general`, with its "
            "vector-Jacobian product.",
        )


_OWN = ("symgrad", "numpy")
_LIBRARIES = ("symgrad", "numpy", "scipy", "opt_einsum")
_OF_NUMPY = r"shape|broadcast|dimension|align|\bax[ie]s\b|out of bounds|too many indices|ufunc|dtype"
"""What NumPy says of operands that do not fit."""


def _is_own(error: Exception) -> bool:
    """Whether an error is the user's: raised by a row of his own, and not by NumPy because operands do not fit."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None or str(step.tb_frame.f_globals.get("__name__")).partition(".")[0] in _LIBRARIES:
        return False
    return step.tb_frame.f_code.co_code[step.tb_lasti] == _RAISE or re.search(_OF_NUMPY, str(error)) is None


_RAISE = opmap["RAISE_VARARGS"]


def explain(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...], error: Exception) -> Exception:
    """The error of a failed forward, in the user's terms; one of the user's own is raised as it is."""
    if isinstance(error, (SymgradError, MemoryError, NotImplementedError)):
        raise error
    step = step_of_formulas(operands)
    if step:
        return DTypeError(f"{op.name} takes no formula", f"It got {describe(operands)}.", step)
    evidence = (
        f"{op.name} got {describe(operands)}"
        + (f" with {dict(zip(op.params, params, strict=False))}" if params else "")
        + "."
    )
    if _is_own(error):
        error.add_note(f"The operation {evidence}")
        raise error
    if isinstance(error, np.exceptions.AxisError):
        low, high = -error.ndim if error.ndim else -1, error.ndim - 1 if error.ndim else 0
        return DimensionError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {error.axis})",
            evidence,
            "Count the tensor's dimensions with .dim().",
        )
    if isinstance(error, IndexError):
        return DimensionError(f"{error}", evidence, "Check the index against the tensor's shape.")
    if isinstance(error, (TypeError, np.exceptions.DTypePromotionError)):
        kinds = ", ".join(str(np.asarray(a._data).dtype) for a in operands if isinstance(a, Tensor))
        return DTypeError(
            f"{op.name} is not implemented for {kinds or 'these types'}: {error}",
            evidence,
            "Cast the operands with .to(dtype).",
        )
    if isinstance(error, OverflowError):
        return RangeError(f"{op.name}: {error}", evidence, "Cast the tensor to a wider dtype with .to(dtype).")
    if isinstance(error, ValueError) and op.refusal is not None:
        return op.refusal(*operands)
    if isinstance(error, ValueError):
        return ShapeError(
            mismatch(*[shape_of(a) for a in operands if a is not None]) or f"{op.name}: {error}",
            evidence,
            "Make the shapes agree: reshape, unsqueeze or expand.",
        )
    return error


def mismatch(*shapes: tuple[int, ...]) -> str:
    """PyTorch's words for two shapes that do not broadcast; none if all do."""
    for a, b in combinations(shapes, 2):
        for k in range(1, min(len(a), len(b)) + 1):
            if a[-k] != b[-k] and 1 not in (a[-k], b[-k]):
                return (
                    f"The size of tensor a ({a[-k]}) must match the size of tensor b ({b[-k]}) "
                    f"at non-singleton dimension {max(len(a), len(b)) - k}"
                )
    return ""
