"""From steps to a formula: the names become symbols, the steps are run on them, the result says its formula."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits
from .._errors import SymgradError
from .._symbol import symbol
from ..core import Tensor, modes
from ..syntax import ParseError
from ._literals import as_tensor
from ._shapes import Reading, Shape

_FAILURES = (SymgradError, ArithmeticError, ValueError, TypeError, LookupError, np.linalg.LinAlgError, UserWarning)


def build(reading: Reading, root: Any, declared: dict[str, Any]) -> Any:
    """The formula of ``root``; ``declared`` holds the symbols that came with the call."""
    for name, shape in reading.symbols.items():
        reading.values[name] = declared[name] if name in declared else _symbol(reading, name, shape)
    for name, dim in reading.counts.items():
        reading.values[name] = reading.count(root, dim)
    value = _run(reading, root)
    try:
        formula = formula_of(value)
    except _FAILURES as error:
        raise _explained(reading, root, error) from error
    for name in formula.free_symbols - {*reading.symbols, *reading.counts}:
        stem = name.rpartition("_")[0]
        if stem in reading.symbols:  # c0 means the numbers of a list there, and c0_1 the symbol
            what = f"'{stem}' is the name of a list of numbers of the text, too"
            raise reading.problem(reading.places[stem], what, "Choose another name for the symbol.")
    return formula


def formula_of(value: Any) -> Any:
    """The formula of a number or a tensor; a condition is the number 1 where it holds, 0 elsewhere."""
    value = as_tensor(value)
    return (value * 1.0 if value.dtype == bool else value).formula()


def _symbol(reading: Reading, name: str, shape: Shape) -> Any:
    return symbol(name, tuple(reading.length(reading.places[name], dim) for dim in shape.dims))


def _run(reading: Reading, root: Any) -> Any:
    token = modes.tracing.set([])  # so that conditions keep what they compare, however small the result
    try:
        return _computed(reading, root)
    finally:
        modes.tracing.reset(token)


def _computed(reading: Reading, root: Any) -> Any:
    values: dict[int, Any] = {}
    budget = max(_limits.TEXT_WORK, _limits.TEXT_TIMES * sum(_entries(v) for v in reading.values.values()))
    for step in reading.steps.values():
        operands = [values[id(child)] for child in step.operands]
        try:
            value = step.run(*operands)
        except ParseError:
            raise
        except _FAILURES as error:
            raise _explained(reading, step.node, error) from error
        budget -= _entries(value)
        if budget < 0:
            raise reading.problem(step.node, "the intermediate results are too large", "Take smaller arrays.")
        values[id(step.node)] = value
    return values[id(root)]


def _entries(value: Any) -> int:
    return value._data.size if isinstance(value, Tensor) else 1


def _explained(reading: Reading, node: Any, error: Exception) -> ParseError:
    """What symgrad's function said, at its place in the text."""
    source, said = reading.source(node), str(error).partition("\n")[0] or type(error).__name__
    if isinstance(error, LookupError) and node.kind == "index":
        return reading.problem(
            node, f"{source}: a size without a number has not that many entries",
            f"Declare how many there are: {reading.source(node.children[0], 12)}=100.",
        )  # fmt: skip
    if "positive-definite" in said:
        return reading.problem(
            node, f"{source} needs a positive definite matrix",
            'Declare it: parse(text, A=sg.symbol("A", ("n", "n"), pd=True)), or write A @ A.T + eye(n).',
        )  # fmt: skip
    return reading.problem(node, f"{source}: {said}", reading.declare(node))
