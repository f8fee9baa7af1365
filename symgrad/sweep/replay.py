"""Replay on `Batched`: a graph recorded from one example, run again on all of them at once.

The idea to hold: what was recorded is walked in the order in which it was recorded, and each operation is applied to
values that carry the batch in front (`Batched`) or that are the same for all examples. Constants that were computed
from an example (a mask, an index, something detached) say what they were computed from, and are computed again; what
does not say so, and is not known to be the same for all, stops the replay with `Unbatchable`. Never a wrong number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from itertools import islice, permutations
from typing import Any

import numpy as np

from ..core import (
    Dim,
    Facts,
    Node,
    Notes,
    OutputNode,
    Symbol,
    Tensor,
    applied,
    at_sizes,
    constant_from,
    constants_of,
    detached,
    edge,
    has_history,
    is_leaf_node,
    make_symbolic,
    modes,
    named_shape,
    operands_of,
    origin_of,
    params_of,
    reachable,
    recorded,
    resized,
    saved_operand,
    setting,
    sizes_of,
    travels,
    view_steps,
    wrap,
)
from .batch import BATCH, Batched, Unbatchable, by_meaning, entrywise, one_by_one, product_by_letters


class Replay:
    """One run of a recorded graph on a batch.

    Parameters
    ----------
    leaves : the values of the examples' leaves
    size : the number of examples
    born : when recording began; older nodes belong to somebody outside
    outer : the tensors of older nodes that the graph may use
    leaf : the tensor of a leaf that is no example's
    notes : what was noted while recording (see core/graph.py)
    randomness : what random numbers may be drawn, for user-defined operations

    Attributes
    ----------
    count : how many operations ran on the batch
    looped : how many ran once per example, by name
    """

    op: Any
    name: str
    size: Any
    born: int
    outer: Mapping[Any, Tensor]
    leaf: Callable[[Any], Tensor]
    notes: Notes
    randomness: str

    def __init__(
        self, leaves: Mapping[Any, Batched], size: Any, born: int, outer: Mapping[Any, Tensor],
        leaf: Callable[[Any], Tensor], notes: Notes, randomness: str = "error",
    ) -> None:  # fmt: skip
        self.values: dict[Any, Any] = dict(leaves)
        self.size, self.born, self.outer, self.leaf = size, born, outer, leaf
        self.notes, self.randomness = notes, randomness
        self.count: int = 0
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
        seen = set()
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
            origin = origin_of(item)
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
        if has_history(a):
            return self.values[a._node]
        return self.values[self._key(a)] if _is_item(a) else a

    def _constant(self, t: Tensor) -> Any:
        """A tensor without history: computed again where it was computed from an example."""
        origin = origin_of(t)
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
        with setting(modes.mode, modes.OFF):
            return _cut(self.apply(op, args, params))

    def _unexplained(self, t: Symbol) -> Any:
        """A symbol that does not say what it was computed from: a part of another, or a seed."""
        root = _root(t)
        if root is not None:
            value = self._operand(root)
            if type(value) is not Batched:
                return t if type(value) is Symbol else wrap(t._data)
            with setting(modes.mode, modes.OFF):
                for op, params in view_steps(t._extra.view[1]):
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
    return a._node if has_history(a) else a


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


# ----- A recorded graph run again on other leaves: what the function would have recorded there if it did nothing else
#
# The idea to hold: the operations of a graph are functions of their operands, so they can be run again and record. That
# is all a second opinion on a formula or a program needs: the user's function is not called.


class CannotRunAgain(Exception):
    """A graph that does not hold all that it was computed from; the message says what it lacks."""


def rerun(
    root: Any, leaves: Mapping[Any, Tensor], moved: bool = True, exchanged: Callable[[Any], Any] | None = None
) -> Tensor:
    """The tensor at the edge ``root``, computed again.

    Parameters
    ----------
    leaves : per edge what it is now; leaves that are not among them are constants, with the values that they have
    moved : whether these have other values, so that elements that were chosen by their values are chosen anew

    exchanged : for symbols at other sizes, what gives a constant as it is there

    Raises
    ------
    CannotRunAgain : a large constant is gone, or elements were chosen in a way that the graph does not tell
    """
    known = dict(leaves)
    _run(root, known, moved, exchanged)
    return known[root]


def _run(root: Any, known: dict[Any, Any], moved: bool, exchanged: Callable[[Any], Any] | None) -> None:
    """Compute what ``known`` lacks of the edge ``root`` and of all that it rests on."""
    for node in reversed(reachable([root])[0]):
        if type(node) is OutputNode:
            known[node] = known[node.parents[0]][node.index]
        elif node not in known:
            stays = node.op is not None and node.op.kind == "elementwise"
            anew = ("iub" if stays else "iu") if moved else ""
            known[node] = _again(node, [_operand(a, known, anew, exchanged) for a in _all_operands(node)])


def _all_operands(node: Node) -> list[Any]:
    operands = operands_of(node)
    if node.op is not None and any(a is None for a in operands):
        raise CannotRunAgain(f"a large constant operand of {node.name()} is gone")
    return operands


def _operand(a: Any, known: dict[Any, Any], anew: str, exchanged: Callable[[Any], Any] | None) -> Any:
    """An operand as it is now. Constants of the kinds ``anew`` are found anew by what they were computed from: places,
    and conditions of what stays as long as it is."""
    if isinstance(a, Node):
        return wrap(a.data) if is_leaf_node(a) and a not in known else known[a]
    if not isinstance(a, Tensor):
        return a
    if exchanged is not None and type(a) is Symbol:
        if a._node is not None:
            raise CannotRunAgain("a constant became something else by a write since")
        return exchanged(a)
    origin = origin_of(a)
    if origin is None or a._data.dtype.kind not in anew:
        return wrap(a._data)  # it was a constant then
    op, operands, params, *_ = origin
    if op is None:
        raise CannotRunAgain("elements were chosen at the point in a way that the graph does not tell")
    for b in operands:
        if isinstance(b, Node) and b not in known and not is_leaf_node(b):
            _run(b, known, True, exchanged)
    return applied(op, [_operand(b, known, "iub", exchanged) for b in operands], params)


def _again(node: Any, operands: list[Any]) -> Any:
    if node.op is None:
        out = node._function.apply(*operands)
        return tuple([o for o in out if isinstance(o, Tensor)]) if isinstance(out, tuple) else (out,)
    return applied(node.op, operands, params_of(node))


# ------ Symbols at other sizes: what was computed of them, computed again with other lengths behind their named sizes
#
# The idea to hold: what stands in for a named size is seen by no formula that is the same at two sets of stand-ins.
# While something is computed elsewhere, every symbol and every named size that an operation meets is exchanged for what
# it is there, also those that a function caught from its surroundings.


def other_lengths(sizes: dict[str, int], turn: int = 0) -> dict[str, int]:
    """For each named size another length than the one that stands in: half as many more, even, and in the same order.

    With a ``turn`` they are in another order, the opposite one first; nothing where there are no more orders.
    """
    found: dict[str, int] = {}
    for name, length in sorted(sizes.items(), key=lambda item: item[1]):
        other = length + length // 2
        other += other % 2
        while other in found.values() or other in sizes.values():
            other += 2
        found[name] = other
    orders = permutations(sorted(found.values(), reverse=True)) if turn else iter([tuple(found.values())])
    order = next(islice(orders, max(turn - 1, 0), None), ())
    return dict(zip(found, order))


def names_in(sizes: dict[int, Any]) -> dict[str, int]:
    """The named sizes in a table of sizes, with what stands in for each."""
    atoms = {name: n for d in sizes.values() if type(d) is Dim for name, n in d.atoms.items()}
    return {name: n for name, n in atoms.items() if name.isidentifier()}


class Elsewhere:
    """The same symbols with ``lengths`` behind their named sizes.

    Attributes
    ----------
    leaves : the leaf's node of each symbol that was met, here and there
    """

    def __init__(self, lengths: dict[str, int]) -> None:
        self.lengths = lengths
        self.leaves: dict[Any, Any] = {}
        self._known: dict[Any, Any] = {}  # by edge, or by the identity of a constant
        self._keep: list[Any] = []

    def computing(self) -> AbstractContextManager[None]:
        """Inside, every operation meets the symbols and the sizes as they are there."""
        return setting(modes.elsewhere, self.of)

    @recorded
    def again(self, t: Tensor) -> Tensor:
        """The tensor that the graph of ``t`` gives there.

        Raises
        ------
        CannotRunAgain : the graph does not hold all that it was computed from
        """
        with self.computing():
            return self._constant(t) if edge(t) is None else self._computed(edge(t))

    def of(self, value: Any) -> Any:
        """An operand or a parameter as it is there."""
        if type(value) is Dim:
            return resized(value, self.lengths)
        if type(value) is tuple or type(value) is list:
            return type(value)(map(self.of, value))
        if type(value) is slice:
            return slice(self.of(value.start), self.of(value.stop), self.of(value.step))
        if type(value) is Symbol and self._is_old(value):
            return self._constant(value) if edge(value) is None else self._computed(edge(value))
        return value

    def _is_old(self, t: Symbol) -> bool:
        return any(self.lengths.get(name, n) != n for name, n in names_in(sizes_of(t)).items())

    def _computed(self, root: Any) -> Tensor:
        found: Tensor | None = self._known.get(root)
        if found is None:
            for leaf in [root] if is_leaf_node(root) else reachable([root])[1]:
                if leaf not in self._known:
                    self._known[leaf] = self._leaf(leaf)
            found = self._known[root] = rerun(root, self._known, exchanged=self.of)
        return found

    def _leaf(self, node: Any) -> Tensor:
        """A leaf there. One without named sizes is the same: what was computed of it alone is not computed again."""
        facts = node.facts or Facts(())
        named = "size" in facts.properties or any(type(n) is Dim for n in facts.shape)
        t: Tensor = at_sizes(node.label, facts, self.lengths) if named else node.variable
        self.leaves[node] = edge(t)
        return t

    def _constant(self, t: Tensor) -> Any:
        """A symbol without a history of its own: what it says that it was computed from, there."""
        found = self._known.get(id(t))
        if found is None:
            self._keep.append(t)
            found = self._known[id(t)] = self._from_origin(t)
        return found

    def _from_origin(self, t: Tensor) -> Any:
        origin = origin_of(t)
        if origin is not None and origin[0] is not None:
            op, operands, params, *_ = origin
            there = [self._computed(a) if isinstance(a, Node) else self.of(a) for a in operands]
            new = tuple(map(self.of, params))
            out = applied(op, there, new)
            if type(out) is Symbol:
                return out.detach()
            shape = [resized(n, self.lengths) for n in named_shape(t)]
            return constant_from(op, make_symbolic(wrap(out._data), sizes_of(shape)), tuple(there), new)
        data = t._data
        if data.size and bool((data == data.reshape(-1)[0]).all()):  # zeros that no one gave a history, or a seed
            shape = [resized(n, self.lengths) for n in named_shape(t)]
            return make_symbolic(wrap(np.full(tuple(map(int, shape)), data.reshape(-1)[0])), sizes_of(shape))
        raise CannotRunAgain("a symbol does not say what it was computed from")
