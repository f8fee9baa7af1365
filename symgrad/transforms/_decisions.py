"""What Python decides by values while `sg.compile` runs a function on symbols: which way it goes through the function.

The idea to hold: a decision has a margin, a number that is positive as long as Python would decide the same: a − b
where a > b. The program of one way computes the margins too, and where one is not positive it is not the program. What
has no margin is refused; a tie is left to the tape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._errors import SymbolicBranchError
from ..core import Symbol, Tensor, found_from_values, wrap
from ..ops._public import FUNCTIONS, METHODS
from ._node_values import NodeValues, is_edge
from ._variables import recording

_COMPARED = {"gt": (0, 1), "ge": (0, 1), "lt": (1, 0), "le": (1, 0)}
"""Which operand is the greater one where the condition holds."""

_BOTH = frozenset(["logical_and", "bitwise_and"])
_EITHER = frozenset(["logical_or", "bitwise_or"])
_NOT = frozenset(["logical_not", "bitwise_not"])


def margins(decided: Sequence[tuple[Tensor, bool]]) -> Tensor | None:
    """The margins of all decisions that hang on something with a history, in a row; None if there are none.

    Comparisons of numbers are subtracted at once: those of a loop are a stack of what the rounds gave.

    Raises
    ------
    SymbolicBranchError : a decision has no margin
    """
    values, rows = NodeValues(), list[Tensor]()
    compared: list[tuple[Any, Any, float]] = []
    with recording(), np.errstate(all="ignore"):
        for t, held in decided:
            if t is None:
                raise SymbolicBranchError(
                    "an operation raised here, or has no derivative, and elsewhere need not", "", ""
                )
            sign, (op, operands) = 1.0 if held else -1.0, _origin(t)
            if not _moves(t):
                continue
            if op in _COMPARED and t._data.ndim == 0:
                more, less = [operands[k] for k in _COMPARED[op]]
                compared.append((more, less, sign))
            else:
                rows.append(METHODS["reshape"](_margin(t, values) * sign, (-1,)))
        if compared:
            more, less, signs = zip(*compared, strict=True)
            rows.append((_together(more, values) - _together(less, values)) * wrap(np.array(signs)))
        if any(row._node is None or row._data.dtype.kind != "f" for row in rows):
            raise SymbolicBranchError("what it does hangs on whole numbers that are arguments", "", "")
        return FUNCTIONS["cat"](rows, 0) if rows else None


def together(output: Tensor, margin: Tensor) -> Tensor:
    """A function's output and its margins as one, so that both are one graph, with the same loops in it."""
    with recording():
        return FUNCTIONS["cat"]([METHODS["reshape"](output, (-1,)), margin], 0)


def apart(joined: Tensor, shape: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """The two again, of which the output has this shape."""
    values = NodeValues()
    row, margin = [values.tensor(a) for a in values.of(joined._node)]
    with recording():
        return METHODS["reshape"](row, shape), margin


def _origin(t: Tensor) -> tuple[str, Sequence[Any]]:
    """The name of the operation that found a condition, and its operands."""
    origin = None if t._extra is None else t._extra.origin
    return ("", ()) if origin is None or origin[0] is None else (origin[0].name, origin[1])


def _margin(t: Any, values: NodeValues) -> Any:
    """What is positive where a condition holds, and negative where it does not."""
    if is_edge(t) or t._data.dtype.kind != "b":
        return METHODS["abs"](values.tensor(t))  # a number is true if it is not 0
    op, operands = _origin(t)
    if op in _COMPARED:
        more, less = [_number(operands[k], values) for k in _COMPARED[op]]
        return more - less
    if op in ("eq", "ne"):
        if all(not is_edge(a) and np.asarray(_data(a)).dtype.kind == "b" for a in operands):  # of two conditions
            alike = _of_condition(operands[0], values) * _of_condition(operands[1], values)
            return alike if op == "eq" else -alike
        apart = METHODS["abs"](_number(operands[0], values) - _number(operands[1], values))
        return apart if op == "ne" else -apart
    if op == "isfinite":
        return METHODS["abs"](values.tensor(operands[0])) + 1.0
    if op in _NOT:
        return -_margin(operands[0], values)
    if op in ("all", "any") and t._data.size == 1:
        each = METHODS["reshape"](_margin(operands[0], values), (-1,))
        return METHODS["amin" if op == "all" else "amax"](each, 0)
    if op in _BOTH | _EITHER:
        parts = [_of_condition(a, values) for a in operands]
        return FUNCTIONS["minimum" if op in _BOTH else "maximum"](*parts)
    raise SymbolicBranchError(f"it branches on what '{op}' found" if op else "it branches on a value", "", "")


def _of_condition(a: Any, values: NodeValues) -> Any:
    """The margin of a condition, which may be one that never changes."""
    return _margin(a, values) if _moves(a) else wrap(np.where(_data(a), 1.0, -1.0))


def _number(a: Any, values: NodeValues) -> Tensor:
    """An operand of a comparison; truth values are 0 and 1."""
    t = values.tensor(a)
    return wrap(t._data.astype(np.float64)) if t._data.dtype.kind == "b" and not _moves(a) else t


def _moves(a: Any) -> bool:
    """Whether something may be other at another point."""
    return is_edge(a) or (isinstance(a, Tensor) and (type(a) is Symbol or a._node is not None or found_from_values(a)))


def _data(a: Any) -> Any:
    return a._data if isinstance(a, Tensor) else a


def _together(column: Sequence[Any], values: NodeValues) -> Tensor:
    """Numbers in a row; one that all of them are, as it is."""
    if all(a is column[0] for a in column):
        return _number(column[0], values)
    if not any(map(is_edge, column)):
        return wrap(np.array([float(values.number_of(a)) for a in column]))
    return FUNCTIONS["stack"]([_number(a, values) for a in column], 0)


__all__ = ["apart", "margins", "together"]
