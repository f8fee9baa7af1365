"""Replay on `Batched`: a graph recorded from one example, run again on all of them at once.

The idea to hold: what was recorded is walked in the order in which it was recorded, and each operation is applied to
values that carry the batch in front (`Batched`) or that are the same for all examples. Constants that were computed
from an example (a mask, an index, something detached) say what they were computed from, and are computed again; what
does not say so, and is not known to be the same for all, stops the replay with `Unbatchable`. Never a wrong number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..core import (
    Dim,
    Node,
    Notes,
    OutputNode,
    Symbol,
    Tensor,
    applied,
    constants_of,
    detached,
    is_leaf_node,
    modes,
    named_shape,
    operands_of,
    params_of,
    saved_operand,
    steps,
    travels,
    wrap,
)
from . import _batch_index, _batch_products, _batch_shapes  # noqa: F401  (they fill BATCH)
from ._batch_products import product_by_letters
from ._batch_rules import BATCH, Batched, Unbatchable, by_meaning, entrywise, one_by_one


class Replay:
    """One run of a recorded graph on a batch.

    Parameters
    ----------
    leaves : the values of the examples' leaves
    size : the number of examples
    born : when recording began; older nodes belong to somebody outside
    outer : the tensors of older nodes that the graph may use
    leaf : the tensor of a leaf that is no example's
    notes : what was noted while recording (see core/_notes.py)
    randomness : what random numbers may be drawn, for user-defined operations

    Attributes
    ----------
    count : how many operations ran on the batch
    looped : how many ran once per example, by name
    """

    op: Any
    name: str

    def __init__(
        self, leaves: Mapping[Any, Batched], size: Any, born: int, outer: Mapping[Any, Tensor],
        leaf: Callable[[Any], Tensor], notes: Notes, randomness: str = "error",
    ) -> None:  # fmt: skip
        self.values: dict[Any, Any] = dict(leaves)
        self.size, self.born, self.outer, self.leaf = size, born, outer, leaf
        self.notes, self.randomness = notes, randomness
        self.count = 0
        self.looped: dict[str, int] = {}
        self.kept: list[Any] = []  # what the identities in `values` belong to

    def value(self, t: Tensor) -> Any:
        """The value of a tensor that the function returned: `Batched`, or a tensor that is the same for all."""
        root = t if t._node is None else t._node
        for item in self._order(root):
            self._run(item)
        return self.values[self._key(root)]

    # ------------------------------------------------------------------------------------------------ the walk

    def _key(self, item: Any) -> Any:
        """Nodes stand for themselves; a constant, whose equality compares values, for its identity."""
        return item if isinstance(item, Node) else id(item)

    def _order(self, root: Any) -> list[Any]:
        """All that ``root`` rests on and that has no value yet, in the order of birth."""
        found: list[tuple[float, Any]] = []
        seen: set[Any] = set()
        stack = [root]
        while stack:
            item = stack.pop()
            key = self._key(item)
            if key in seen or key in self.values:
                continue
            seen.add(key)
            time, operands = self._rests_on(item)
            found.append((time, item))
            stack += operands
        found.sort(key=lambda entry: entry[0])
        return [item for _, item in found]

    def _rests_on(self, item: Any) -> tuple[float, list[Any]]:
        """The time of birth of a node or constant, and what it was computed from, as far as that is to be run.

        A view is younger than what it is a view of, and older than all that came after.
        """
        if not isinstance(item, Node):
            self.kept.append(item)
            origin = None if item._extra is None else item._extra.origin
            if origin is None and _root(item) is not None:
                root = _root(item)
                return (self._rests_on(root)[0] if root._node is None else root._node.seq) + 0.5, [root._node or root]
            if origin is None or origin[0] is None or origin[3] <= self.born:
                return 0, []
            return origin[3], [*map(_edge, filter(_is_item, origin[1]))]
        if is_leaf_node(item) and item in self.notes.leaves:
            return 0.5 + self._rests_on(self.notes.leaves[item])[0], [self.notes.leaves[item]]
        if is_leaf_node(item) or (item.seq <= self.born and item in self.outer):
            return 0, []
        if item.seq <= self.born:
            raise Unbatchable("it uses a tensor with a history that it does not get as an argument")
        if type(item) is OutputNode:
            return item.seq, [item.parents[0]]
        if item.op is None and not getattr(item, "batches", False):
            raise Unbatchable(f"it uses {item.name()}, a Function of its own")
        return item.seq, [*map(_edge, filter(_is_item, all_operands(item)))]

    def _run(self, item: Any) -> None:
        key = self._key(item)
        if not isinstance(item, Node):
            self.values[key] = self._constant(item)
        elif is_leaf_node(item):
            again = self.notes.leaves.get(item)
            self.values[key] = self.leaf(item) if again is None else _cut(self.values[id(again)])
        elif item.seq <= self.born:
            self.values[key] = self.outer[item]
        elif type(item) is OutputNode:
            self.values[key] = self.values[item.parents[0]][item.index]
        else:
            args = [self._operand(a) for a in all_operands(item)]
            self.values[key] = self._own(item, args) if item.op is None else self.apply(item.op, args, params_of(item))

    def _own(self, node: Any, args: list[Any]) -> Any:
        """The outputs of a user-defined operation."""
        self.count += 1
        outputs, loop = node.batched(args, self.size, self.randomness)
        if loop:
            self.looped[node.name()] = self.looped.get(node.name(), 0) + 1
        return outputs

    def _operand(self, a: Any) -> Any:
        if isinstance(a, Tensor) and a._node is not None:
            return self.values[a._node]
        return self.values[self._key(a)] if _is_item(a) else a

    def _constant(self, t: Tensor) -> Any:
        """A tensor without history: computed again where it was computed from an example."""
        origin = None if t._extra is None else t._extra.origin
        if origin is None and type(t) is Symbol:
            return self._unexplained(t)
        if origin is None or origin[0] is None or origin[3] <= self.born:
            return t
        op, operands, params, *_ = origin
        args = [self._operand(a) for a in operands]
        if not any(type(a) is Batched for a in args):
            return t if type(t) is not Symbol or any(type(a) is Symbol for a in args) else wrap(t._data)
        if op.name == "clone":
            return _cut(args[0])
        with _not_recording():
            return _cut(self.apply(op, args, params))

    def _unexplained(self, t: Symbol) -> Any:
        """A symbol that does not say what it was computed from: a part of another, or a seed."""
        root = _root(t)
        if root is not None:
            value = self._operand(root)
            if type(value) is not Batched:
                return t if type(value) is Symbol else wrap(t._data)
            with _not_recording():
                for op, params in steps(t._extra.view[1]):
                    value = self.apply(op, [value], params)
                return _cut(value)
        if t._data.dtype.kind not in "fc":  # seeds are floats
            raise Unbatchable("it keeps a constant that does not say how it was computed from the example")
        return t if any(type(n) is Dim for n in named_shape(t)) else wrap(t._data)

    # ------------------------------------------------------------------------------------------ one operation

    def apply(self, op: Any, args: list[Any], params: tuple[Any, ...]) -> Any:
        if any(isinstance(p, Tensor) for p in params):
            raise Unbatchable(f"{op.label} has a parameter that was computed from the example")
        if not any(type(a) is Batched for a in args):
            return applied(op, args, params)
        self.op, self.name = op, op.name
        self.count += 1
        known = BATCH.get(op.name)
        result: Any = NotImplemented
        if known is not None:
            result = known(self, args, params)
        if result is not NotImplemented:
            pass
        elif travels(op):
            result = by_meaning(self, args, params, op)
        elif op.kind == "elementwise" or op.truth:
            result = entrywise(self, args, params, op)
        elif op.equation:
            result = product_by_letters(self, args, op)
        if result is NotImplemented:
            result = one_by_one(self, args, params, op)
        return tuple(map(_batched, result)) if op.outputs else _batched(result)

    def text(self) -> str:
        """What ran, in words: '12 operations, 1 in a loop: eigh'."""
        words = f"{self.count} operation{'' if self.count == 1 else 's'}"
        if self.looped:
            words += f", {sum(self.looped.values())} in a loop: {', '.join(self.looped)}"
        return words


@contextmanager
def _not_recording() -> Iterator[None]:
    token = modes.mode.set(modes.OFF)
    try:
        yield
    finally:
        modes.mode.reset(token)


def _root(t: Any) -> Any:
    """The symbol that a symbol is a view of; None if it is none."""
    view = t._extra.view if type(t) is Symbol and t._extra is not None else None
    return view[0] if view is not None and type(view[0]) is Symbol else None


def _batched(result: Any) -> Batched:
    return result if type(result) is Batched else Batched(result)


def _cut(value: Any) -> Any:
    """A value without its history."""
    if type(value) is not Batched:
        return value
    t = value.tensor
    if t._node is None:
        return value
    return Batched(detached(t) if type(t) is Symbol else wrap(t._data))


def _edge(a: Any) -> Any:
    """A tensor's node, where it has one."""
    return a._node if isinstance(a, Tensor) and a._node is not None else a


def _is_item(a: Any) -> bool:
    """Whether an operand is a node or a tensor: something with a value of its own."""
    return isinstance(a, (Tensor, Node))


def all_operands(node: Any) -> list[Any]:
    """The operands of a node: edges, and the constants that it keeps."""
    if node.meta is not None and node.meta.packed and None in node.parents:
        raise Unbatchable(f"saved_tensors_hooks took the operands of {node.name()}")
    found = operands_of(node)
    for i, kept in enumerate(constants_of(node)):
        if found[i] is None and kept is not None:
            found[i] = saved_operand(node, i)
            if found[i] is None:
                raise Unbatchable(f"a large constant operand of {node.name()} is gone: keep a reference to it")
    return found


__all__ = ["Batched", "Replay", "Unbatchable", "all_operands"]
