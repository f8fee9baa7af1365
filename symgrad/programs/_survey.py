"""What a recorded graph is made of: its structure as a key, its arrays and numbers as inputs.

The idea to hold: two runs of a function have the same key exactly if the same operations with the same parameters were
recorded between arrays of the same shapes and dtypes. Whatever else may change from run to run, data, numbers, index
arrays, is collected in the order of the walk, and compared or handed over by who uses the key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Dim, OutputNode, Symbol, Tensor, held, is_leaf_node, reachable, saved_values


class Unprogrammable(Exception):
    """The graph holds something that only the tape can differentiate; the message says what."""


class Survey:
    """A walk of the graph behind ``root``.

    Attributes
    ----------
    key : the structure, hashable
    arrays : the inputs: the variables first, then constants in order of use
    scalars : the numbers that operations were given as operands
    fixed : arrays among the parameters (indices, masks), which are part of the structure but not of the key
    places : per operand without gradient, by (node, position), what stands there: ('array', k), ('turned', k),
        ('scalar', k)
    nodes : the operations, oldest first
    foreign : whether there are leaves that are no variables
    """

    __slots__ = ("_seen", "arrays", "fixed", "foreign", "key", "nodes", "places", "scalars")

    def __init__(self, root: Any, variables: list[Any]) -> None:
        nodes, leaves, _, _ = reachable([root])
        nodes.reverse()
        self.nodes = nodes
        self.arrays: list[np.ndarray] = [v.data for v in variables]
        self.scalars: list[Any] = []
        self.fixed: list[np.ndarray] = []
        self.places: dict[Any, tuple[str, int]] = {}
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
        append = key.append
        for k, node in enumerate(nodes):
            number[node] = k
            if node.meta is not None:
                _refuse_hooks(node)
            op = node.op
            if op is None:
                append(self._special(node, number))
                continue
            if op.packs:
                constants, params, _ = node.consts
                append((op.name, self._mark(params)) if params else op.name)
            else:
                constants = node.consts
                append(op.name)
            if constants is None:
                append(tuple([number[p] for p in node.parents]))
            else:
                append(tuple([
                    number[p] if p is not None else self._constant(node, i, constants[i])
                    for i, p in enumerate(node.parents)
                ]))  # fmt: skip
        self.key = tuple(key)

    def _special(self, node: Any, number: dict[Any, int]) -> Any:
        if type(node) is OutputNode:
            return "output", node.index, number[node.parents[0]]
        raise Unprogrammable(f"{node.name()} is a user-defined function")

    def _constant(self, node: Any, i: int, constant: Any) -> Any:
        """The mark of an operand without gradient; what it is worth goes among the inputs."""
        value = held(constant)
        if isinstance(value, Tensor):
            if type(value) is Symbol:
                raise Unprogrammable(f"an operand of {node.name()} is a symbol")
            value = value._data
        elif value is None and constant is not None:
            value = _saved(node, i)
        kind = type(value)
        if kind is float or kind is int or kind is bool:
            return self._scalar(node, i, value)
        if isinstance(value, np.ndarray) and value.ndim:
            return self._array(node, i, value)
        if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fiub":
            return self._scalar(node, i, value.item())
        raise Unprogrammable(f"an operand of {node.name()} is of type {kind.__name__}")

    def _scalar(self, node: Any, i: int, value: Any) -> Any:
        self.places[node, i] = "scalar", len(self.scalars)
        self.scalars.append(value)
        return "s"

    def _array(self, node: Any, i: int, value: np.ndarray) -> Any:
        if value.dtype.kind not in "fiub":
            raise Unprogrammable(f"an operand of {node.name()} is complex")
        place = value.ctypes.data if not value.flags.owndata else id(value)
        mark = place, value.shape, value.strides, value.dtype.char
        k = self._seen.get(mark)
        if k is None:
            if value.ndim == 2 and value.base is not None:
                base = value.base
                if (
                    isinstance(base, np.ndarray) and base.shape == value.shape[::-1]
                    and base.strides == value.strides[::-1] and base.ctypes.data == value.ctypes.data
                ):  # fmt: skip
                    owner = self._array_number(base)
                    self.places[node, i] = "turned", owner
                    return "t", owner
            k = self._array_number(value)
        self.places[node, i] = "array", k
        return "a", k, value.shape, value.dtype.char

    def _array_number(self, value: np.ndarray) -> int:
        place = value.ctypes.data if not value.flags.owndata else id(value)
        mark = place, value.shape, value.strides, value.dtype.char
        k = self._seen.get(mark)
        if k is None:
            k = self._seen[mark] = len(self.arrays)
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


def _refuse_hooks(node: Any) -> None:
    """Hooks see and change gradients: only a sweep runs them."""
    meta = node.meta
    if meta.tensor_hooks or meta.pre_hooks or meta.hooks or meta.post_hooks or meta.packed:
        raise Unprogrammable(f"there are hooks on {node.name()}")


def _saved(node: Any, i: int) -> Any:
    """An operand that the graph holds only weakly, from what its rule saved."""
    op = node.op
    if not op.variadic and op.inputs[i] in op.saved:
        values = saved_values(node)
        if values:
            value = values[op.saved.index(op.inputs[i])]
            if value is not None:
                return value
    raise Unprogrammable(f"a large constant operand of {node.name()} is gone")


def is_variable(node: Any) -> bool:
    """Whether an edge is a leaf's."""
    return is_leaf_node(node)
