"""What a recorded graph is made of: its structure as a key, its arrays and numbers as inputs.

The idea to hold: two runs of a function have the same key exactly if the same operations with the same parameters were
recorded between arrays of the same shapes and dtypes. Whatever else may change from run to run, data, numbers, index
arrays, is collected in the order of the walk, and compared or handed over by who uses the key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    Dim,
    OutputNode,
    Symbol,
    Tensor,
    anything_written_since,
    constants_of,
    held,
    reachable,
    saved_operand,
    spoilt,
)


class Unprogrammable(Exception):
    """The graph holds something that only the tape can differentiate; the message says what."""


class Survey:
    """A walk of the graph behind ``root``, or behind each of a list.

    Attributes
    ----------
    key : the structure, hashable
    arrays : the inputs: the variables first, then constants in order of use
    scalars : the numbers that operations were given as operands
    fixed : arrays among the parameters (indices, masks), which are part of the structure but not of the key
    nodes : the operations, oldest first
    foreign : whether there are leaves that are no variables
    """

    __slots__ = ("_seen", "arrays", "fixed", "foreign", "key", "nodes", "scalars")

    def __init__(self, root: Any, variables: list[Any]) -> None:
        roots = root if type(root) is list else [root]
        nodes, leaves, _, _ = reachable(roots)
        nodes.reverse()
        self.nodes = nodes
        self.arrays: list[np.ndarray] = [v.data for v in variables]
        self.scalars: list[Any] = []
        self.fixed: list[np.ndarray] = []
        self._seen: dict[Any, int] = {}
        number: dict[Any, int] = {}
        for v in variables:
            number[v] = -1 - len(number)
            if v.meta is not None:
                _refuse_hooks(v)
        self.foreign = False
        for leaf in leaves:
            if leaf not in number:
                number[leaf] = -1 - len(number)
                self.arrays.append(leaf.data)
                self.foreign = True
        key: list[Any] = [tuple([(a.shape, a.dtype.char) for a in self.arrays]), len(variables)]
        self._walk(nodes, number, key)
        if roots is root:
            key.append(tuple([None if r is None else number[r] for r in roots]))
        self.key = tuple(key)

    def _walk(self, nodes: list[Any], number: dict[Any, int], key: list[Any]) -> None:
        """The key, in one list: per operation the row, its parameters, and what each operand is."""
        append, scalars = key.append, self.scalars
        for k, node in enumerate(nodes):
            number[node] = k
            if node.meta is not None:
                _refuse_hooks(node)
            op = node.op
            append(op)
            if op is None:
                append(self._special(node, number))
                continue
            if op.packs:
                constants, params, _ = node.consts
                if params:
                    append(self._mark(params))
            else:
                constants = node.consts
            parents = node.parents
            if op.variadic:
                append(len(parents))
            for i, p in enumerate(parents):
                if p is not None:
                    append(number[p])
                    continue
                constant = constants[i]
                if i in op.places:
                    value = np.asarray(self._value(node, i, constant))
                    self.fixed.append(value)
                    append(("fixed", value.shape, value.dtype.char))
                    continue
                kind = type(constant)
                if kind is float or kind is int:
                    scalars.append(constant)
                    append("s")
                else:
                    append(self._constant(node, i, constant))

    def place(self, node: Any, i: int) -> Any:
        """The places that an operand holds."""
        return self._value(node, i, constants_of(node)[i])

    def refuse_written(self) -> None:
        """Raise if memory of a constant operand was written after it was used: its numbers are gone."""
        refuse_written(self.nodes)

    def describe(self) -> dict[Any, tuple[str, int]]:
        """Per operand without gradient, by (operation, position), what stands there: ('array', k) or ('turned', k) or
        ('scalar', k). (Only who makes a program asks for it.)"""
        places: dict[Any, tuple[str, int]] = {}
        scalars = 0
        for node in self.nodes:
            op = node.op
            if op is None:
                continue
            constants = constants_of(node)
            for i, p in enumerate(node.parents):
                if p is not None or i in op.places:
                    continue
                value = self._value(node, i, constants[i])
                if isinstance(value, np.ndarray):
                    turned = self._turned(value)
                    places[node, i] = ("array", self._number(value)) if turned is None else ("turned", turned)
                else:
                    places[node, i] = "scalar", scalars
                    scalars += 1
        return places

    def _special(self, node: Any, number: dict[Any, int]) -> Any:
        if type(node) is OutputNode:
            return "output", node.index, number[node.parents[0]]
        raise Unprogrammable(f"{node.name()} is a user-defined function")

    def _constant(self, node: Any, i: int, constant: Any) -> Any:
        """The mark of an operand without gradient; what it is worth goes among the inputs."""
        value = self._value(node, i, constant)
        if not isinstance(value, np.ndarray):
            self.scalars.append(value)
            return "s"
        turned = self._turned(value)
        if turned is not None:
            return "t", turned
        return "a", self._number(value), value.shape, value.dtype.char

    def _value(self, node: Any, i: int, constant: Any) -> Any:
        """An operand without gradient: an array of at least one axis, or a Python number."""
        value = held(constant)
        if isinstance(value, Tensor):
            if type(value) is Symbol:
                raise Unprogrammable(f"an operand of {node.name()} is a symbol")
            value = value._data
        elif value is None and constant is not None:
            value = saved_operand(node, i)
            if value is None:
                raise Unprogrammable(f"a large constant operand of {node.name()} is gone")
        if type(value) in (float, int, bool):
            return value
        if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fiub":
            return value if value.ndim else value.item()
        kind = getattr(getattr(value, "dtype", None), "name", type(value).__name__)
        raise Unprogrammable(f"an operand of {node.name()} is of type {kind}")

    def _turned(self, value: np.ndarray) -> int | None:
        """The number of the array of which this is the transpose; None if it is its own."""
        base: Any = value.base
        return self._number(base) if is_transposed(value) and _place(value) not in self._seen else None

    def _number(self, value: np.ndarray) -> int:
        place = _place(value)
        k = self._seen.get(place)
        if k is None:
            k = self._seen[place] = len(self.arrays)
            self.arrays.append(value)
        return k

    def _mark(self, value: Any) -> Any:
        """A parameter as part of the key."""
        kind = type(value)
        if kind is int or kind is bool or kind is str or value is None:
            return value
        if kind is tuple or kind is list:
            return tuple([self._mark(v) for v in value])
        if kind is slice:
            return "slice", value.start, value.stop, value.step
        if isinstance(value, np.ndarray):
            self.fixed.append(value)
            return "fixed", value.shape, value.dtype.char
        if kind is Dim:
            raise Unprogrammable("there are named sizes")
        if isinstance(value, Tensor):
            self.fixed.append(value._data)
            return "fixed", value._data.shape, value._data.dtype.char
        try:
            hash(value)
        except TypeError:
            raise Unprogrammable(f"an operation has a parameter of type {kind.__name__}") from None
        return (kind.__name__, value) if kind is float and value != value else value


def refuse_written(nodes: list[Any]) -> None:
    """Raise if memory of a constant operand was written after it was used: its numbers are gone."""
    if not nodes or not anything_written_since(nodes[0].seq):
        return
    for node in nodes:
        op = node.op
        if op is None or op.name == "copy_from":  # of what is written over nothing is read
            continue
        constants = constants_of(node)
        for i, p in enumerate(node.parents):
            value = None if p is not None else held(constants[i])
            array = value._data if isinstance(value, Tensor) else value
            if array is not None and spoilt(array, node.seq) is not None:
                raise Unprogrammable(f"an operand of {node.name()} was written after it was used")


def _refuse_hooks(node: Any) -> None:
    """Hooks see and change gradients: only a sweep runs them."""
    meta = node.meta
    if meta.tensor_hooks or meta.pre_hooks or meta.hooks or meta.post_hooks or meta.packed:
        raise Unprogrammable(f"there are hooks on {node.name()}")


def is_transposed(value: np.ndarray) -> bool:
    """Whether an array is the whole of its base, read the other way round."""
    base = value.base
    if value.ndim != 2 or not isinstance(base, np.ndarray) or base.dtype != value.dtype:
        return False
    same = base.shape == value.shape[::-1] and base.strides == value.strides[::-1]
    return same and base.ctypes.data == value.ctypes.data


def _place(value: np.ndarray) -> Any:
    """What tells one array in memory from another."""
    where = id(value) if value.flags.owndata else value.ctypes.data
    return where, value.shape, value.strides, value.dtype.char
