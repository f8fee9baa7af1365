"""The structure that a program was made for, to be recognised at once: one look at each operation.

The idea to hold: a survey finds out what a graph is; a recipe knows, and only checks. It may say no to a graph that it
fits (then a survey is made), but never yes to one that it does not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import OutputNode, Symbol, Tensor, anything_written_since, held, saved_operand
from ._survey import Survey, is_transposed

NODE, LEAF, ARRAY, TURNED, SCALAR, PLACES = range(6)


class Recognised:
    """What is asked of a survey, of a graph that a recipe has recognised."""

    __slots__ = ("arrays", "nodes", "scalars")
    foreign = False

    def __init__(self, nodes: list[Any], arrays: list[Any], scalars: list[Any]) -> None:
        self.nodes, self.arrays, self.scalars = nodes, arrays, scalars


class _Held:
    """Parameters with arrays among them, as they were: not equal to others before every entry is."""

    __slots__ = ("params",)

    def __init__(self, params: Any) -> None:
        self.params = _copied(params)

    def __eq__(self, given: object) -> bool:
        return _same(given, self.params)

    __hash__ = None  # type: ignore[assignment]


def _has_arrays(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_has_arrays, value))
    return isinstance(value, np.ndarray | Tensor)


def _copied(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(map(_copied, value))
    return np.array(value._data if isinstance(value, Tensor) else value) if _has_arrays(value) else value


def _same(given: Any, known: Any) -> bool:
    if isinstance(known, tuple):
        return isinstance(given, tuple | list) and len(given) == len(known) and all(map(_same, given, known))
    if isinstance(known, np.ndarray):
        given = given._data if isinstance(given, Tensor) else given
        return isinstance(given, np.ndarray) and given.dtype == known.dtype and np.array_equal(given, known)
    return type(given) is type(known) and bool(given == known)


def _number(constant: Any) -> Any:
    """An operand of no axes as a Python number, as a survey reads it; None if it is something else."""
    value = constant if isinstance(constant, np.ndarray | np.generic) else held(constant)
    if isinstance(value, Tensor) and type(value) is not Symbol:
        value = value._data
    known = isinstance(value, np.ndarray | np.generic) and not value.ndim and value.dtype.kind in "fiub"
    return value.item() if known else None


class Recipe:
    """The structure of a graph of one variable.

    Attributes
    ----------
    steps : newest first, per operation its number, the row (None for one of several outputs, with its place and the
        number of the operation), its parameters (None if it has none), and per operand
        (NODE, number), (LEAF, 0), (ARRAY, slot), (TURNED, slot) for the transpose of an array, or (SCALAR, place, the
        number if it is part of the program), or (PLACES, 0, the places)
    """

    __slots__ = ("arrays", "chosen", "scalars", "steps")

    def __init__(self, survey: Survey, baked: dict[int, Any], chosen: set[int]) -> None:
        self.chosen = chosen
        self.arrays = [(a.shape, a.dtype) for a in survey.arrays]
        self.scalars = len(survey.scalars)
        number = {node: k for k, node in enumerate(survey.nodes)}
        places = survey.describe()
        self.steps: list[Any] = []
        count = 0
        for k, node in enumerate(survey.nodes):
            op = node.op
            if isinstance(node, OutputNode):
                self.steps.append((k, None, node.index, number[node.parents[0]]))
                continue
            operands: list[Any] = []
            for i, p in enumerate(node.parents):
                if p is not None:
                    operands.append((NODE, number[p], None) if p in number else (LEAF, 0, None))
                elif i in op.places:
                    operands.append((PLACES, 0, _copied(np.asarray(survey.place(node, i)))))
                elif places[node, i][0] != "scalar":
                    kind, slot = places[node, i]
                    operands.append((ARRAY if kind == "array" else TURNED, slot, None))
                else:
                    operands.append((SCALAR, count, baked.get(count)))
                    count += 1
            params = node.consts[1] if op.packs else None
            self.steps.append((k, op, _Held(params) if _has_arrays(params) else params, tuple(operands)))
        self.steps.reverse()

    @staticmethod
    def of(survey: Survey, baked: dict[int, Any], chosen: set[int]) -> Recipe | None:
        """The recipe of a graph; None if it has what only a survey looks at."""
        unknown = survey.foreign or any(n.op is None and type(n) is not OutputNode for n in survey.nodes)
        return None if unknown else Recipe(survey, baked, chosen)

    def match(self, root: Any, leaf: Any) -> Recognised | None:
        """The graph behind ``root`` if it has this structure, with these numbers where they are part of the program."""
        nodes: list[Any] = [None] * len(self.steps)
        arrays: list[Any] = [None] * len(self.arrays)
        scalars: list[Any] = [None] * self.scalars
        first = leaf.data
        if (first.shape, first.dtype) != self.arrays[0] or leaf.meta is not None:
            return None
        arrays[0] = first
        nodes[-1] = root
        seq: Any = math.inf
        for k, op, params, operands in self.steps:
            node = nodes[k]
            if node is None or node.op is not op or node.meta is not None or node.seq >= seq:
                return None
            seq = node.seq
            if op is None:
                if type(node) is not OutputNode or node.index != params:
                    return None
                origin = node.parents[0]
                if nodes[operands] is not None and nodes[operands] is not origin:
                    return None
                nodes[operands] = origin
                continue
            constants = node.consts
            if params is not None:
                constants, given, _ = constants
                try:
                    if given is not params and given != params:
                        return None
                except ValueError:  # an array where there was none
                    return None
            parents = node.parents
            if len(parents) != len(operands):
                return None
            for i, (kind, j, value) in enumerate(operands):
                p = parents[i]
                if kind == NODE:
                    known = nodes[j]
                    if known is None:
                        if p is None:
                            return None
                        nodes[j] = p
                    elif known is not p:
                        return None
                elif kind == LEAF:
                    if p is not leaf:
                        return None
                elif p is not None or not self._constant(node, i, kind, j, value, constants[i], arrays, scalars):
                    return None
        return None if anything_written_since(seq) else Recognised(nodes, arrays, scalars)

    def _constant(
        self, node: Any, i: int, kind: int, j: int, value: Any, constant: Any, arrays: list[Any], scalars: list[Any]
    ) -> bool:
        if kind == SCALAR:
            if type(constant) is not float and type(constant) is not int:
                constant = _number(constant)
                if constant is None:
                    return False
            if value is not None and not same_number(constant, value):
                return False
            scalars[j] = constant
            return math.isfinite(constant) or j in self.chosen
        if type(constant) is not np.ndarray:
            constant = held(constant)
            if constant is None:  # a large array is held by what the rule saved
                constant = saved_operand(node, i)
            if isinstance(constant, Tensor) and type(constant) is not Symbol:
                constant = constant._data
            if type(constant) is not np.ndarray:
                return False
        if kind == PLACES:
            return _same(constant, value)
        if kind == TURNED:
            if not is_transposed(constant):
                return False
            constant = constant.base
        known = arrays[j]
        if known is None:
            if (constant.shape, constant.dtype) != self.arrays[j] or not constant.ndim:
                return False
            arrays[j] = constant
            return True
        return known is constant


def same_number(a: Any, b: Any) -> bool:
    """Whether two numbers are the same for every operation: 0.0 is not -0.0."""
    return type(a) is type(b) and a == b and (a != 0 or str(a) == str(b))
