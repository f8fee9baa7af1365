"""The reverse sweep: one walk over the recorded graph, newest node first.

A node is newer than its parents, so in the order of birth, reversed, every gradient is complete when its node's
turn comes. On arrays the sweep gives numbers; with ``graph=True`` the same rules run on tensors and give a graph
of the derivative.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .._errors import InplaceError
from ..core import (
    FAILS,
    FREED,
    MASKS,
    AccumulateGrad,
    Freed,
    Node,
    OutputNode,
    Symbol,
    _modes,
    _storage,
    edge,
    extra,
    input_gradient,
    meta,
    reachable,
    saved_values,
    wrap,
)  # fmt: skip
from ..core._symbolic import sizes_of, symbolic
from ..core._watch import caller_frame, unpacked
from ._hooks import run_post_hooks, run_tensor_hooks, tuple_hooks


class Sweep:
    """One backward: what to visit, what to keep, and what to do at the leaves.

    Parameters
    ----------
    graph : run the rules on tensors, so that the result can be differentiated
    keep : leave the saved values in place for another walk
    targets : edges whose gradients are wanted; None means every leaf
    accumulate : add the gradients of leaves to ``.grad`` (else they are only captured)
    unused : called with the set of edges found, before anything happens (raises if a target is not among them)
    """

    def __init__(
        self, graph: bool, keep: bool, targets: list[Any] | None = None, accumulate: bool = True, unused: Any = None
    ) -> None:
        self.graph = graph
        self.keep = keep
        self.targets = None if targets is None else set(targets)
        self.accumulate = accumulate
        self.unused = unused
        self.captured: dict[Any, Any] = {}
        self.grads: dict[Any, Any] = {}
        self.undo: list[Any] = []

    def run(self, roots: list[Any], seeds: list[Any]) -> dict[Any, Any]:
        """Sweep from ``roots`` (edges) with ``seeds``; returns the gradients of the targets."""
        nodes, leaves, traits, found = reachable(roots)
        if self.unused is not None:
            self.unused(found)
        if self.targets is not None:
            nodes, leaves = self._restrict(nodes, leaves)
        if traits & FREED or (nodes and _storage.written_since(nodes[-1].seq)):
            self._check(nodes)
        grads = self.grads
        for root, seed in zip(roots, seeds, strict=True):
            old = grads.get(root)
            grads[root] = seed if old is None else old + seed
        self.exact = bool(traits & MASKS)
        watched = bool(traits & FAILS) or _modes.anomaly.get() is not None
        for leaf in leaves:
            watched = watched or leaf.meta is not None
        previous = _modes.mode.set(_modes.on_value() if self.graph else _modes.OFF)
        try:
            with np.errstate(all="ignore"):  # infinities in a gradient are a result, not a surprise
                if watched:
                    self._walk_watched(nodes, leaves)
                else:
                    self._walk(nodes)
                    for leaf in leaves:
                        self._finish_leaf(leaf, False)
        finally:
            _modes.mode.reset(previous)
        if self.exact and self.graph:
            self._pass_on(leaves)
        return self.captured

    def _pass_on(self, leaves: list[AccumulateGrad]) -> None:
        """Let a sweep through the gradients just made keep zeros too (the choice itself may not be in their graph)."""
        made = list(self.captured.values())
        if self.accumulate:
            made += [leaf.variable.grad for leaf in leaves]
        for g in made:
            if g is not None and g._node is not None and not isinstance(g._node, AccumulateGrad):
                meta(g._node).exact = True

    def _restrict(self, nodes: list[Node], leaves: list[AccumulateGrad]) -> tuple[list[Node], list[AccumulateGrad]]:
        """Only what leads to a target is visited."""
        targets = self.targets or set()
        needed: set[Any] = set(targets)
        keep = []
        for node in reversed(nodes):
            below = False
            for p in node.parents:
                if p in needed:
                    below = True
                    break
            if below:
                needed.add(node)
                keep.append(node)
            elif node in targets:
                keep.append(node)
        self.stops = {n for n in keep if n in targets and not any(p in needed for p in n.parents)}
        keep.reverse()
        return keep, [leaf for leaf in leaves if leaf in targets]

    stops: Any = frozenset()
    exact = False

    def _check(self, nodes: list[Node]) -> None:
        """Raise before anything happened if a saved value is gone or spoilt."""
        for node in nodes:
            saved = node.saved
            if saved is None or node in self.stops:
                continue
            if type(saved) is Freed:
                raise saved.error(node)
            check_unspoilt(node, saved_values(node))

    def _walk(self, nodes: list[Node]) -> None:
        """Visit the nodes, newest first. Written out for the common cases, where a decision per node would show."""
        grads = self.grads
        free = not self.keep
        freed = Freed(caller_frame()) if free else None
        if self.targets is None and not self.exact:
            pop = grads.pop
            if self.graph:
                for node in nodes:
                    g = pop(node, None)
                    if g is not None:
                        node.pull_graph(g, grads)  # type: ignore[attr-defined]
                        if free and node.saved is not None:
                            node.saved = freed
                return
            for node in nodes:
                g = pop(node, None)
                if g is not None:
                    node.pull(g, grads)  # type: ignore[attr-defined]
                    if free and node.saved is not None:
                        node.saved = freed
            return
        targets = self.targets or ()
        for node in nodes:
            g = grads.pop(node, None)
            if g is None:
                continue
            if node in targets:
                self.captured[node] = g
                if node in self.stops:
                    continue
            if self.exact:
                self._pull_exact(node, g)
            else:
                (node.pull_graph if self.graph else node.pull)(g, grads)  # type: ignore[attr-defined]
            if free and node.saved is not None:
                node.saved = freed

    def _walk_watched(self, nodes: list[Node], leaves: list[AccumulateGrad]) -> None:
        """As `_walk`, with hooks, anomaly checks, and the state put back if something raises."""
        last: dict[Any, Any] = {}
        for node in nodes:
            for p in node.parents:
                last[p] = node
        freed = Freed(caller_frame())
        try:
            for leaf in leaves:
                if leaf not in last:
                    self._finish_leaf(leaf, True)
            for node in nodes:
                g = self.grads.pop(node, None)
                if g is not None:
                    self._visit(node, g, freed)
                for p in node.parents:
                    if type(p) is AccumulateGrad and last.get(p) is node:
                        del last[p]
                        self._finish_leaf(p, True)
        except BaseException:
            for restore in reversed(self.undo):
                restore()
            raise

    def _visit(self, node: Node, g: Any, freed: Freed) -> None:
        bag = node.meta
        if bag is not None:
            g = run_tensor_hooks(node, bag, g, self.graph)
        if self.targets is not None and node in self.targets:
            self.captured[node] = g
            if node in self.stops:
                return
        if bag is not None and bag.pre_hooks:
            g = tuple_hooks(node, bag.pre_hooks, g, self.graph)
        saved = node.saved
        if bag is not None and bag.packed:
            node.saved = unpacked(saved)
        try:
            self._pull(node, g)
        finally:
            if bag is not None and bag.packed:
                node.saved = saved
        if not self.keep and saved is not None:
            node.saved = freed
            self.undo.append(lambda: setattr(node, "saved", saved))

    def _pull(self, node: Node, g: Any) -> None:
        hooks = node.meta.hooks if node.meta is not None else None
        anomaly = _modes.anomaly.get()
        pull = node.pull_graph if self.graph else node.pull  # type: ignore[attr-defined]
        if not hooks and (anomaly is None or type(node) is OutputNode):
            self._pull_exact(node, g) if self.exact else pull(g, self.grads)
            return
        ds = self._input_gradients(node, g, pull)
        if anomaly is not None and anomaly[1]:
            from ._anomaly import check_gradients

            check_gradients(node, g, ds, anomaly[2])
        if hooks:
            ds = tuple_hooks(node, hooks, ds, self.graph, g)
        for p, d in zip(node.parents, ds, strict=True):
            if p is not None and d is not None:
                old = self.grads.get(p)
                self.grads[p] = d if old is None else old + d

    def _pull_exact(self, node: Node, g: Any) -> None:
        """In a graph that chooses among branches, the zero of a branch not taken stays zero on its way down.

        Without this 0 times an infinite slope would be NaN, as it is in other libraries.
        """
        op = node.op
        if op is None or not op.steep:
            (node.pull_graph if self.graph else node.pull)(g, self.grads)  # type: ignore[attr-defined]
            return
        for i, p in enumerate(node.parents):
            if p is not None:
                d = input_gradient(node, i, g, self.graph, exact=True)
                old = self.grads.get(p)
                self.grads[p] = d if old is None else old + d

    def _input_gradients(self, node: Node, g: Any, pull: Any) -> tuple[Any, ...]:
        """The gradients of the inputs one by one (a pull adds up those of an input that occurs twice)."""
        own = getattr(node, "input_gradients", None)
        if own is not None:
            return tuple(own(g, self.graph))
        if node.op is None:
            local: dict[Any, Any] = {}
            pull(g, local)
            return tuple(local.get(p) for p in node.parents)
        op = node.op
        if op.outputs:
            zeros = [np.zeros(*fit) for fit in node.fit]
            g = [(wrap(z) if self.graph else z) if gi is None else gi for gi, z in zip(g, zeros, strict=True)]
        return tuple(
            None if p is None else input_gradient(node, i, g, self.graph, self.exact)
            for i, p in enumerate(node.parents)
        )

    def _finish_leaf(self, leaf: AccumulateGrad, watched: bool) -> None:
        g = self.grads.pop(leaf, None)
        if g is None or (self.targets is not None and leaf not in self.targets):
            return
        hooks = leaf.meta
        if hooks is not None:
            g = run_tensor_hooks(leaf, hooks, g, self.graph)
        if self.targets is not None:
            self.captured[leaf] = g
        if not self.accumulate:
            return
        if hooks is not None and hooks.pre_hooks:
            g = tuple_hooks(leaf, hooks.pre_hooks, g, self.graph)
        bag = extra(leaf.variable)
        if watched:
            old = bag.grad
            copy = None if old is None or self.graph else old._data.copy()

            def restore() -> None:
                bag.grad = old
                if copy is not None and old is not None:
                    np.copyto(old._data, copy)

            self.undo.append(restore)
        accumulate(bag, g, self.graph, 3)
        if hooks is not None:
            run_post_hooks(leaf, hooks, g)


def accumulate(bag: Any, g: Any, graph: bool, held: int) -> None:
    """Add ``g`` to a tensor's ``.grad``: in place, or out of place where the sum is to be differentiated.

    ``held`` is how many references to ``g`` an array that belongs to nobody else has here.
    """
    old = bag.grad
    if graph:
        if old is not None:
            bag.grad = old + g
        else:
            bag.grad = wrap(g._data, edge(g))
            if g._extra is not None:
                extra(bag.grad).origin = g._extra.origin
            if type(g) is Symbol:
                symbolic(bag.grad, sizes_of(g))
        return
    if old is not None:
        if old._data.flags.writeable:
            np.add(old._data, g, out=old._data, casting="unsafe")
            _storage.stamp(old._data)
        else:
            old._data = np.asarray(old._data + g)
        return
    if type(g) is not np.ndarray:
        g = np.array(g)
    elif not _storage.COUNTED or g.base is not None or sys.getrefcount(g) > held:
        g = g.copy()
    bag.grad = wrap(g)


def check_unspoilt(node: Node, saved: Any) -> None:
    """Raise PyTorch's error if the memory of a saved value was written after it was saved."""
    for name, value in zip(getattr(node.op, "saved", ()) or range(len(saved)), saved, strict=False):
        for v in value if type(value) is tuple else (value,):
            versions = _storage.spoilt(v, node.seq)
            if versions is not None:
                now, expected = versions
                raise InplaceError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"[{v.dtype} {list(v.shape)}], which is {_which(node, name)}, is at version {now}; expected "
                    f"version {expected} instead.",
                    f"{node.name()} saved it for its backward."
                    + (f" Recorded at {node.meta.where}." if node.meta and node.meta.where else ""),
                    "Use the out-of-place operation, or clone() before writing; sg.autograd.set_detect_anomaly(True) "
                    "shows where the operation was recorded.",
                )


def _which(node: Node, name: Any) -> str:
    op = node.op
    if op is None or name == "y":
        return f"output 0 of {node.name()}"
    if name in op.inputs and not op.variadic:
        parent = node.parents[op.inputs.index(name)]
        if isinstance(parent, Node):
            return f"output 0 of {parent.name()}"
    return f"input '{name}' of {node.name()}"


__all__ = ["Sweep", "accumulate", "check_unspoilt"]
