"""From a tree to steps: every part gets its shape and a function that computes it from its operands.

Nothing is computed here; what an operator or a function demands of the shapes of its operands (`_shapes`) is checked.
"""

from __future__ import annotations

from collections.abc import Callable

from .._postorder import postorder
from ..syntax import Node
from . import _entries, _indexing, _operators
from ._shapes import Reading, Run, Shape, Step
from ._text_calls import call

_RULES: dict[str, Callable[..., tuple[Shape, Run]]] = {
    "number": _operators.number, "string": _operators.number, "name": _operators.name, "list": _operators.listed,
    "tuple": _operators.tupled, "items": _operators.joined, "binary": _operators.binary, "unary": _operators.unary,
    "index": _indexing.index, "method": _indexing.method, "call": call,
    "apply": _operators.applied, "given": _operators.given, "entry": _entries.entry,
    "Σ": _entries.summed, "axes": _entries.axes,
}  # fmt: skip
_OF_LETTERS = frozenset({"entry", "Σ", "axes", "name"})
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
