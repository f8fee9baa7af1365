"""The graph: tensors, nodes and edges; nothing here knows calculus.

The one idea: **an edge is a node, or a leaf tensor itself**. A leaf that requires grad needs no node of its own,
so a graph holds no reference cycles and dies with its last tensor.
"""

from __future__ import annotations

import itertools
import weakref
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from .._errors import GraphFreedError

next_seq = itertools.count(1).__next__
"""The clock: numbers nodes and in-place writes alike, so 'written after it was saved' is a comparison of integers."""


class _Leaf:
    """Marks, in ``Tensor._node``, a leaf that requires grad (a self-reference would be a cycle)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "LEAF"


LEAF: Any = _Leaf()


class Tensor:
    """A value and the ``grad_fn`` node that made it. Its methods follow from the table (``symgrad/_tensor.py``).

    Parameters of the constructor follow ``torch.Tensor``: a sequence (cast to the default dtype) or sizes.
    """

    # _data: ndarray (also for 0-d). _node: None (no grad), LEAF, a Node, or a leaf tensor (an edge to it).
    # _extra: None, or the bag of what few tensors have.
    __slots__ = ("__weakref__", "_data", "_extra", "_node")

    _data: np.ndarray
    _node: Any
    _extra: Any


class Extra:
    """What few tensors have: a gradient, a name, hooks, a view's origin."""

    __slots__ = (
        "accumulator", "grad", "hooks", "inference", "is_parameter", "name", "post_hooks",
        "retains", "untracked", "view", "views", "where",
    )  # fmt: skip

    def __init__(self) -> None:
        self.grad: Tensor | None = None
        self.name: str | None = None
        self.hooks: dict[int, Any] | None = None
        self.post_hooks: dict[int, Any] | None = None
        self.retains = False
        # (root tensor, op, params, view of the parent or None); see core/_views.py
        self.view: tuple[Any, ...] | None = None
        self.views: list[Any] | None = None
        self.accumulator: Any = None  # weak reference to the AccumulateGrad that stands for this leaf
        self.untracked = False  # made by .data: writes through it are not seen by the version check
        self.is_parameter = False
        self.inference = False
        self.where: str | None = None


def extra(t: Tensor) -> Extra:
    """The tensor's bag of rare attributes, made on first use."""
    bag = t._extra
    if bag is None:
        bag = t._extra = Extra()
    return bag


_new = object.__new__


def wrap(data: np.ndarray, node: Any = None) -> Tensor:
    """A tensor around an array, without copying; ``node`` as in ``Tensor._node``."""
    t = _new(Tensor)
    t._data = data if type(data) is np.ndarray else np.asarray(data)
    t._node = node
    t._extra = None
    return t


def edge(t: Tensor) -> Any:
    """Where the gradient of ``t`` flows: None, a node, or a leaf tensor."""
    node = t._node
    return t if node is LEAF else node


class Meta:
    """What few nodes have: hooks, a retained gradient, packed values, the place they were made."""

    __slots__ = ("hooks", "packed", "pre_hooks", "retained", "tensor_hooks", "where")

    def __init__(self) -> None:
        self.tensor_hooks: dict[int, Any] | None = None  # hooks of the tensor, run first
        self.pre_hooks: dict[int, Any] | None = None  # hooks of the node, before its rule
        self.hooks: dict[int, Any] | None = None  # hooks of the node, after its rule
        self.retained: Any = None  # weak reference to the tensor that asked for retain_grad
        self.packed = False  # saved values went through saved_tensors_hooks
        self.where: str | None = None  # 'file:line, source' (anomaly mode)


class Node:
    """One recorded operation. Its class says which: ``SinBackward0``."""

    # parents: an edge per input, None where no gradient flows. saved: what the rules asked for, by name, or
    # FREED. consts: operands without gradient and parameters, for replay. fit: what the gradients must be
    # reduced to (None: they fit as they are). seq: time of birth.
    __slots__ = ("__weakref__", "consts", "fit", "meta", "parents", "saved", "seq")

    op: ClassVar[Any] = None
    masks: ClassVar[bool] = False  # chooses among branches (where, clamp)
    may_fail: ClassVar[bool] = True  # False: the rule is plain arithmetic, which cannot raise

    parents: tuple[Any, ...]
    saved: Any
    consts: Any
    fit: Any
    seq: int
    meta: Meta | None

    def name(self) -> str:
        """The class's name, as PyTorch prints it."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The functions that receive this node's input gradients, with the output number each stands for."""
        return tuple(_public_edge(p) for p in self.parents)

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary of the caller's own (never read by symgrad); empty."""
        return {}

    def register_hook(self, fn: Any) -> RemovableHandle:
        """Call ``fn(grad_inputs, grad_outputs)`` after this node's rule ran; a result replaces ``grad_inputs``."""
        bag = meta(self)
        bag.hooks = bag.hooks if bag.hooks is not None else {}
        return RemovableHandle(bag.hooks, fn)

    def register_prehook(self, fn: Any) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before this node's rule runs; a result replaces them."""
        bag = meta(self)
        bag.pre_hooks = bag.pre_hooks if bag.pre_hooks is not None else {}
        return RemovableHandle(bag.pre_hooks, fn)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


def meta(node: Node) -> Meta:
    """The node's bag of rare attributes, made on first use."""
    bag = node.meta
    if bag is None:
        bag = node.meta = Meta()
    return bag


class OutputNode(Node):
    """One output of an operation with several: passes its gradient on into the operation's node."""

    __slots__ = ("index",)
    index: int
    may_fail = False

    def pull(self, g: Any, grads: dict[Any, Any]) -> None:
        """Put ``g`` in its place among the gradients of the operation's outputs."""
        origin = self.parents[0]
        row = grads.get(origin)
        if row is None:
            row = grads[origin] = [None] * len(origin.fit)
        row[self.index] = g

    pull_graph = pull


class AccumulateGrad(Node):
    """Stands for a leaf in ``next_functions``; the sweep itself needs none."""

    __slots__ = ("variable",)
    variable: Tensor

    def register_hook(self, fn: Any) -> RemovableHandle:
        """Call ``fn(grad_inputs, grad_outputs)`` after the leaf's gradient was accumulated."""
        bag = extra(self.variable)
        bag.post_hooks = bag.post_hooks if bag.post_hooks is not None else {}
        return RemovableHandle(bag.post_hooks, _AccumulatorHook(fn, 0))

    def register_prehook(self, fn: Any) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before the leaf's gradient is accumulated; a result replaces it."""
        bag = extra(self.variable)
        bag.hooks = bag.hooks if bag.hooks is not None else {}

        def hook(g: Tensor) -> Any:
            result = fn((g,))
            return result[0] if isinstance(result, tuple) else result

        return RemovableHandle(bag.hooks, hook)


class _AccumulatorHook:
    """A hook of an AccumulateGrad node, told apart from one on the tensor by its arguments."""

    __slots__ = ("fn",)

    def __init__(self, fn: Any, _: int) -> None:
        self.fn = fn

    def __call__(self, leaf: Tensor) -> None:
        self.fn((), (leaf._extra.grad,))


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The AccumulateGrad node of a leaf: one object for as long as somebody holds it."""
    bag = extra(leaf)
    node = bag.accumulator() if bag.accumulator is not None else None
    if node is None:
        node = _new(AccumulateGrad)
        node.parents, node.saved, node.consts, node.fit, node.meta = (), None, None, None, None
        node.seq = 0
        node.variable = leaf
        bag.accumulator = weakref.ref(node)
    return node


def _public_edge(p: Any) -> tuple[Any, int]:
    if p is None:
        return (None, 0)
    if isinstance(p, Tensor):
        return (accumulator(p), 0)
    if type(p) is OutputNode:
        return (p.parents[0], p.index)
    return (p, 0)


def public_node(t: Tensor) -> Any:
    """``t.grad_fn``: the node that made the tensor, None for a leaf."""
    node = t._node
    if node is None or node is LEAF:
        return None
    return _public_edge(node)[0]


class RemovableHandle:
    """A hook's place in its dictionary; ``remove()`` takes it out, also at the end of a ``with``."""

    __slots__ = ("_hooks", "id")
    _ids = itertools.count().__next__

    def __init__(self, hooks: dict[int, Any], fn: Any) -> None:
        self._hooks = hooks
        self.id = RemovableHandle._ids()
        hooks[self.id] = fn

    def remove(self) -> None:
        """Remove the hook; doing so twice is harmless."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class Freed:
    """Takes the place of a node's saved values once a backward has used them up."""

    __slots__ = ("where",)

    def __init__(self, where: str) -> None:
        self.where = where

    def error(self, node: Node) -> GraphFreedError:
        """The error of a second walk: node, first use, and which fix applies."""
        return GraphFreedError(
            "Trying to backward through the graph a second time (or directly access saved tensors after they "
            f"have already been freed): the values that {node.name()} saved are gone.",
            f"They were freed by the first backward, at {self.where}.",
            "Specify retain_graph=True in that first call if you need both; sum the losses and call backward "
            "once if they share this part; or detach() the part that should not be walked again.",
        )


_by_seq = attrgetter("seq")


def reachable(roots: list[Any]) -> tuple[list[Node], list[Tensor], bool, set[Any]]:
    """Collect what a sweep from ``roots`` (edges) visits, without recursion.

    Returns
    -------
    nodes, newest first; leaf tensors; whether anything can fail or watch half-way (hooks, user functions); all
    edges found.
    """
    seen: set[Any] = {None}
    nodes: list[Node] = []
    leaves: list[Tensor] = []
    stack: list[Any] = []
    watched = False
    for root in roots:
        if root not in seen:
            seen.add(root)
            (leaves if isinstance(root, Tensor) else stack).append(root)
    pop, push, add = stack.pop, stack.append, seen.add
    while stack:
        node = pop()
        nodes.append(node)
        if node.may_fail or node.meta is not None:
            watched = True
        for p in node.parents:
            if p not in seen:
                add(p)
                if isinstance(p, Tensor):
                    leaves.append(p)
                else:
                    push(p)
    nodes.sort(key=_by_seq, reverse=True)
    return nodes, leaves, watched, seen
