"""From a tree to a formula: shapes and steps first, then the steps are run on symbols, and the result says its formula.

The idea to hold: `work_out` computes nothing; it checks what an operator or a function demands of the shapes of its
operands (`_shapes`), and leaves a function for every part, which `build` runs once it is known what the names are.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _limits
from .._errors import FormulaError, SymgradError
from .._postorder import postorder
from .._symbol import symbol, with_sizes
from ..core import Dim, Tensor, modes
from ..syntax import Node, ParseError
from . import _entries, _operators
from ._literals import as_tensor
from ._shapes import Reading, Run, Shape, Step
from ._text_calls import call

_RULES: dict[str, Callable[..., tuple[Shape, Run]]] = {
    "number": _operators.number, "string": _operators.number, "name": _operators.name, "list": _operators.listed,
    "tuple": _operators.tupled, "items": _operators.joined, "binary": _operators.binary, "unary": _operators.unary,
    "index": _entries.index, "method": _entries.method, "call": call,
    "apply": _operators.applied, "given": _operators.given, "entry": _entries.entry,
    "pairs": _operators.paired, "Σ": _entries.summed, "Π": _entries.multiplied, "axes": _entries.axes,
}  # fmt: skip
_OF_LETTERS = frozenset({"entry", "Σ", "Π", "axes", "name"})
"""What makes letters of indices or uses them up."""


def work_out(reading: Reading, root: Node) -> Shape:
    """The shape of ``root``; the steps that compute it are left in ``reading.steps``."""
    for node in postorder(root):
        if id(node) in reading.shapes:
            continue
        operands = [reading.shapes[id(child)] for child in node.children]
        for child, operand in zip(node.children, operands, strict=True):
            if node.kind != "index" and not (node.kind == "call" and child.kind in ("tuple", "items")):
                _check_single(reading, child, operand)
        rule = _RULES[node.kind]
        if node.kind == "list" and len(operands) == 1 and operands[0].at:
            shape, run = _entries.in_brackets(reading, node, *operands)
        elif node.kind in _OF_LETTERS or not any(o.at or o.bound for o in operands):
            shape, run = rule(reading, node, *operands)
        else:
            shape, run = _entries.lettered(rule, reading, node, operands)
        reading.shapes[id(node)] = shape
        reading.steps.setdefault(id(node), Step(node, run, node.children))
    shape = reading.shapes[id(root)]
    _check_single(reading, root, shape)
    if isinstance(shape.number, (str, bool)) or (root.kind == "number" and root.value is None):
        raise reading.problem(root, f"{reading.source(root)} is no formula")
    return shape


def _check_single(reading: Reading, node: Node, shape: Shape) -> None:
    if shape.parts and node.kind in ("tuple", "items"):
        raise reading.problem(node, "a tuple in brackets is only an argument, as in ones((m, n))", "Write [a, b].")
    if shape.parts:
        raise reading.problem(node, f"{reading.source(node)} has several parts", "Take one of them, …[0] or …[1].")


# ---------------------------------------------------------------------- from steps to a formula


class NeedsOtherNumbers(ParseError):
    """A matrix has no inverse, or no factor, at the numbers that stand for the names of a text."""


_FAILURES = (SymgradError, ArithmeticError, ValueError, TypeError, LookupError, np.linalg.LinAlgError, UserWarning)


def build(reading: Reading, root: Any, declared: dict[str, Any]) -> Any:
    """The formula of ``root``; where a matrix has no inverse at the lengths that stand for sizes, at others.

    Raises
    ------
    ParseError : it has none at any that were tried
    """
    try:
        return _built(reading, root, declared)
    except NeedsOtherNumbers:
        shapes = [size for t in declared.values() for size in t.shape if type(size) is Dim]
        own = reading.lengths | {name: n for size in shapes for name, n in size.atoms.items()}
        for order in itertools.islice(itertools.permutations(own.values()), 1, _limits.LENGTHS_TRIED):
            lengths = dict(zip(own, order, strict=True))
            reading.sizes.given |= {name: Dim(name, n) for name, n in lengths.items()}
            with contextlib.suppress(FormulaError):
                return _built(reading, root, {name: with_sizes(t, lengths) for name, t in declared.items()})
        raise


def _built(reading: Reading, root: Any, declared: dict[str, Any]) -> Any:
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
    budget = max(_limits.TEXT_WORK, _limits.TEXT_TIMES * sum(_size(v) for v in reading.values.values()))
    for step in reading.steps.values():
        operands = [values[id(child)] for child in step.operands]
        try:
            value = step.run(*operands)
        except ParseError:
            raise
        except _FAILURES as error:
            raise _explained(reading, step.node, error) from error
        budget -= _size(value)
        if budget < 0:
            raise reading.problem(step.node, "the intermediate results are too large", "Take smaller arrays.")
        values[id(step.node)] = value
    return values[id(root)]


def _size(value: Any) -> int:
    return value._data.size if isinstance(value, Tensor) else 1


def _explained(reading: Reading, node: Any, error: Exception) -> ParseError:
    """What symgrad's function said, at its place in the text."""
    source, said = reading.source(node), str(error).partition("\n")[0] or type(error).__name__
    if isinstance(error, LookupError) and node.kind == "index":
        return reading.problem(
            node, f"{source}: a size without a number has not that many entries",
            f"Declare how many there are: {reading.source(node.children[0], 12)}=100.",
        )  # fmt: skip
    if "is singular" in said:
        return NeedsOtherNumbers.at(
            f"{source} is the inverse of a matrix that is singular at the numbers that stand for its names",
            reading.text,
            node,
            "Write pinv(…) for what can be inverted, or declare the shapes of the names: parse(text, x=…).",
        )  # fmt: skip
    if "positive-definite" in said:
        return NeedsOtherNumbers.at(
            f"{source} needs a positive definite matrix", reading.text, node,
            'Declare it: parse(text, A=sg.symbol("A", ("n", "n"), pd=True)), or write A @ A.T + eye(n).',
        )  # fmt: skip
    return reading.problem(node, f"{source}: {said}", reading.declare(node))
