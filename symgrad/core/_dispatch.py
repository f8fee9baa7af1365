"""Where an operation on anything else than plain tensors goes: arrays, numbers, symbols, or none that it takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import DTypeError
from .._limits import WRAPPED
from ._borrowed import own
from ._carrier import Carrier, run_carried
from ._dim import Dim
from ._duals import Dual
from ._explain import describe, explain, step_of_formulas
from ._foreign import is_table, plain_array, refuse_foreign, refuse_no_numbers
from ._graph import Symbol, Tensor, wrap
from ._on_symbols import run_symbolic
from ._quiet import hush, unhush
from ._record import SCALARS, refuse_complex, run

_NUMBERS: frozenset[Any] = frozenset([np.float64, np.int64])


def _unsupported(op: Any, operands: tuple[Any, ...]) -> DTypeError:
    """The error that an operand is nothing to compute with."""
    step = step_of_formulas(operands)
    for o in operands:
        if not step and hasattr(o, "_fields"):
            step = f"{type(o).__name__} along an axis has several results, as PyTorch's: take one, its .{o._fields[0]}."
    return DTypeError(
        f"unsupported operand type(s) for {op.symbol or op.name}: "
        + " and ".join(repr(type(o).__name__) for o in operands),
        f"It got {describe(operands)}.",
        step or "Pass tensors, NumPy arrays or numbers; sg.tensor(…) makes a tensor of a list.",
    )


def other(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Run ``op`` on operands that are not all plain tensors: arrays give arrays."""
    if len(operands) == 2 and not op.variadic:
        a, b = operands  # data as a NumPy array beside a tensor: a tensor for the time being
        if type(a) is Tensor and type(b) is np.ndarray:
            if b.dtype is a._data.dtype and b.size <= WRAPPED:
                return op.apply(a, wrap(b if a._node is None else own(b)), *params)
            if type(b) in _NUMBERS and op.kind == "elementwise":  # an entry of an array is a number
                return op.apply(a, b.item(), *params)
        elif type(b) is Tensor:
            if type(a) is np.ndarray and a.dtype is b._data.dtype and a.size <= WRAPPED:
                return op.apply(wrap(a if b._node is None else own(a)), b, *params)
            if type(a) in _NUMBERS and op.kind == "elementwise":
                return op.apply(a.item(), b, *params)
    refuse_foreign(map(type, operands))
    found = moves = False
    for a in operands:
        if isinstance(a, Carrier):
            return run_carried(op, operands, params)
    for a in operands:
        if type(a) is Symbol or type(a) is Dim:
            if any(hasattr(o, "_fields") for o in operands):
                raise _unsupported(op, operands)
            return run_symbolic(op, tuple(map(own, operands)), params)
        if isinstance(a, Tensor):
            found, moves = True, moves or type(a) is Dual
        elif not isinstance(a, (np.ndarray, np.generic, *SCALARS)) and (a is not None or op.variadic):
            if is_table(a):
                return other(op, tuple([plain_array(o) if is_table(o) else o for o in operands]), params)
            raise _unsupported(op, operands)
    if found:
        for a in operands:
            if isinstance(a, (np.ndarray, np.generic)):
                refuse_no_numbers(a)
        return (Dual.run if moves else run)(op, tuple(map(own, operands)), params)
    state = hush()
    try:
        out = op.forward(operands, *params) if op.variadic else op.forward(*operands, *params)
    except Exception as error:
        raise explain(op, operands, params, error) from error
    finally:
        unhush(state)
    if op.real_only:
        refuse_complex(op, operands)
    return out
