"""The reverse sweep: one walk over the recorded graph, newest node first.

A node is newer than its parents, so in the order of birth, reversed, every gradient is complete when its node's
turn comes. On arrays the sweep gives numbers; with ``graph=True`` the same rules run on tensors and give a graph
of the derivative.

Whose an array is, is said and never guessed. What a rule returns may be anybody's: the incoming gradient, a view of it,
the user's seed. The sweep writes to what it made itself and nobody has seen (`OWN`), and what it gives away
(``.grad``, results, what hooks see) is memory of its own (`core/ownership.py`).

Running the user's hooks: values go in as tensors of the hook's own, replacements are checked.

A hook may keep what it is shown and write to it: that is a copy. What it returns, or what it made of what it was shown
if it returns nothing, is copied again, since it may be written to later or be the same for several tensors.

Backwards inside backwards, to any depth.

The idea to hold: each level takes some of Python's stack, of which every thread has its own. So after a number of
levels the next one runs in a new thread, which its caller waits for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from threading import Thread
from typing import Any

import numpy as np

from .._errors import DTypeError, ShapeError
from .._limits import COPIED, NESTED
from ..core import (
    FAILS,
    FREED,
    MASKS,
    OWN,
    AccumulateGrad,
    AnomalyFound,
    Freed,
    Meta,
    Node,
    OutputNode,
    Tensor,
    add_to,
    caller_frame,
    copy_of,
    edges_of_others,
    extra,
    gradient_for_others,
    input_gradient,
    is_leaf_node,
    meta,
    modes,
    next_seq,
    no_cotangents,
    note_saved_again,
    raise_if_anomalous,
    reachable,
    recorded_since,
    require_unwritten,
    row_function,
    setting,
    storage,
    unpacked,
    with_zeros,
    wrap,
)
from .bookkeeping import (
    Undecided,
    accumulate,
    added,
    adding,
    check_saved,
    expect_decided,
    is_decided,
    note_sweep,
    raise_if_freed,
)

_depth: ContextVar[int] = ContextVar("symgrad_depth_of_rules", default=0)


def run_users_code(fn: Callable[..., Any], *args: Any) -> Any:
    """What a rule or hook of the user's returns, which may run backwards of its own."""
    depth = _depth.get()
    with setting(_depth, depth + 1):
        return fn(*args) if (depth + 1) % NESTED else _in_a_thread(fn, args)


def depth_of_rules() -> int:
    """In how many of the user's rules and hooks, one run by a sweep in the other, this runs."""
    return _depth.get()


def _in_a_thread(fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The same, with a stack of its own and the modes of here."""
    results = []
    errors: list[BaseException] = []

    def run(caller: Any) -> None:
        try:
            results.append(fn(*args))
        except BaseException as error:
            errors.append(error)

    place = (run, sys._getframe())
    thread = Thread(target=copy_context().run, args=place, name="symgrad backward", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # Python is ending, or the system allows no more
        return fn(*args)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def calling_frame(frame: Any) -> Any:
    """The frame that called this one, in another thread if need be; None at the bottom of the stack."""
    if frame.f_code.co_qualname == _RUN:
        return frame.f_locals["caller"]
    return frame.f_back


_RUN = "_in_a_thread.<locals>.run"


# ------------------------------------------------------------------------------------------------------------- hooks


def _shown(g: Any) -> Any:
    return None if g is None else gradient_for_others(g)


def _taken(t: Any, graph: bool) -> Any:
    """What a hook left as a gradient of the sweep's: an array, or a tensor where the sweep records."""
    return None if t is None else gradient_for_others(t) if graph else np.array(t._data)


def _replacement(result: Any, g: Any, what: str) -> Any:
    if not isinstance(result, Tensor):
        raise DTypeError(
            f"hook on {what} returned {type(result).__name__!r}, expected None or a Tensor.",
            "",
            "Return the new gradient as a tensor, or nothing.",
        )
    if g is None:
        return result
    if tuple(result._data.shape) != tuple(np.shape(g._data if isinstance(g, Tensor) else g)):
        raise ShapeError(
            f"hook on {what} has changed the size of value",
            f"The gradient has shape {tuple(g.shape)}, the hook returned {tuple(result._data.shape)}.",
            "Return a gradient of the same shape.",
        )
    if result._data.dtype != g.dtype:
        raise DTypeError(
            f"hook on {what} has changed the type of value (was {g.dtype} got {result._data.dtype})",
            "",
            "Cast the replacement back.",
        )
    return result


def _run(hooks: dict[int, Any], g: Any, graph: bool, what: str) -> Any:
    for fn in list(hooks.values()):
        shown = gradient_for_others(g)
        result = run_users_code(fn, shown)
        g = _taken(shown if result is None else _replacement(result, g, what), graph)
        raise_if_anomalous("hook", fn, g, what)
    return g


def run_tensor_hooks(node: Node, bag: Meta, g: Any, graph: bool) -> Any:
    """The hooks of the tensor that ``node`` made, then its retained gradient."""
    if bag.tensor_hooks:
        what = getattr(node, "label", None) or f"the output of {node.name()}"
        g = _run(bag.tensor_hooks, g, graph, what)
    tensor = bag.retained() if bag.retained is not None else None
    if tensor is not None:
        with adding:
            own = extra(tensor)
            own.grad = gradient_for_others(g) if own.grad is None else own.grad + gradient_for_others(g)
    return g


def run_post_hooks(leaf: AccumulateGrad, bag: Meta, g: Any) -> None:
    """The hooks after accumulation: those of the tensor get the leaf, those of the node tuples."""
    for fn in list((bag.post_hooks or {}).values()):
        if run_users_code(fn, leaf.variable) is not None:
            raise DTypeError(
                "Tensor post accumulate grad hooks should return None.", "", "Change leaf.grad in place instead."
            )
    for fn in list((bag.hooks or {}).values()):
        run_users_code(fn, (), (gradient_for_others(g),))


def tuple_hooks(node: Node, hooks: dict[int, Any], g: Any, graph: bool, outputs: Any = None) -> Any:
    """A node's own hooks: they see and return tuples (gradients of the inputs, then of the outputs)."""
    many = outputs is not None or isinstance(g, list)
    values = tuple(g) if many else (g,)
    given_outputs = tuple(outputs) if isinstance(outputs, list) else (outputs,)
    for fn in list(hooks.values()):
        shown = tuple(map(_shown, values))
        result = run_users_code(fn, shown, *(() if outputs is None else (tuple(map(_shown, given_outputs)),)))
        if result is None:
            result = shown
        result = result if isinstance(result, tuple) else (result,)
        if len(result) != len(values):
            raise ShapeError(
                f"hook on {node.name()} returned {len(result)} values, expected {len(values)}",
                "",
                "Return one gradient for each it was given.",
            )
        values = tuple(
            _taken(s if r is None else _replacement(r, v, node.name()), graph)
            for r, v, s in zip(result, values, shown, strict=True)
        )
        raise_if_anomalous("hook", fn, values, node.name())
    if outputs is not None:
        return values
    return list(values) if isinstance(g, list) else values[0]


# ----------------------------------------------------------------------------------------------------------- reverse


class Sweep:
    """One backward: what to visit, what to keep, and what to do at the leaves.

    Parameters
    ----------
    graph : run the rules on tensors, so that the result can be differentiated, or has tangents as it arises
    keep : leave the saved values in place for another walk
    targets : edges whose gradients are wanted; None means every leaf
    accumulate : add the gradients of leaves to ``.grad`` (else they are only captured)
    records : record what the rules do (default: where they run on tensors)
    unused : called with the set of edges found, before anything happens (raises if a target is not among them)
    """

    graph: bool
    records: bool
    roots: list[Any]
    nodes: list[Node]
    exact: bool
    watched: bool

    def __init__(
        self,
        graph: bool,
        keep: bool,
        targets: list[Any] | None = None,
        accumulate: bool = True,
        unused: Any = None,
        records: bool = True,
    ) -> None:
        self.graph, self.records = graph, graph and records
        self.keep = keep
        self.targets: set[Any] | None = None if targets is None else set(targets)
        self.accumulate = accumulate
        self.unused = unused
        self.captured: dict[Any, Any] = {}
        self.grads: dict[Any, Any] = no_cotangents()
        self.undo: list[Any] = []
        self.taken: set[Any] = set()
        self.settled: set[Any] = set()

    def run(self, roots: list[Any], seeds: list[Any], reached: Any = None) -> Sweep:
        """Sweep from ``roots`` (edges) with ``seeds``; `result` then has the gradients of the targets.

        ``reached`` is what `reachable` says of the roots, if somebody has asked.
        """
        nodes, leaves, traits, found = reachable(roots) if reached is None else reached
        if self.unused is not None:
            self.unused(found)
        if self.targets is not None:
            self.of_leaves = len(leaves) == len(self.targets) and self.targets.issuperset(leaves)
            if not self.of_leaves:  # else each node leads to one
                nodes, leaves = self._restrict(roots, nodes, leaves)
        self.roots, self.nodes = roots, nodes
        if traits & FREED or (nodes and storage.written_since(nodes[-1].seq)):
            # before anything happens; a user-defined one asks when it reads them
            check_saved(node for node in nodes if node not in self.stops and node.op is not None)
        borrowed, mark = require_unwritten(nodes, self.stops), next_seq()
        grads = self.grads
        for root, seed in zip(roots, seeds, strict=True):
            add_to(grads, root, seed)
        self.exact = bool(traits & MASKS)
        self.watched = bool(traits & FAILS) or modes.anomaly.get() is not None
        for leaf in leaves:
            self.watched = self.watched or leaf.meta is not None
        previous = modes.mode.set(modes.on_value() if self.records else modes.OFF)
        try:
            with np.errstate(all="ignore"):  # infinities in a gradient are a result, not a surprise
                if self.watched:
                    self._walk_watched(nodes, leaves)
                else:
                    self._walk(nodes)
                    for leaf in leaves:
                        self._finish_leaf(leaf)
        finally:
            modes.mode.reset(previous)
        if self.records:
            note_sweep(mark, nodes)
        if self.graph and (self.exact or borrowed):
            self._pass_on(leaves, borrowed, mark)
        return self

    def result(self, target: Any) -> Any:
        """The gradient of a target as the caller gets it, once; None if nothing arrived there."""
        g = self.captured.get(target)
        if g is None or (g._data if self.graph else g).size <= COPIED:
            return None if g is None else gradient_for_others(g)
        last = type(target) is AccumulateGrad or target in self.stops  # else it went on, to whoever is below
        own = last and target not in self.taken and self._is_own(target, g)
        self.taken.add(target)
        return gradient_for_others(g, own)

    def _is_own(self, end: Any, g: Any) -> bool:
        """Whether the gradient at an edge where the sweep ends is in memory that nobody else can have: it was added up
        here, or comes of rules that make new arrays. Not asked where a copy costs less than the answer."""
        if (g._data if self.graph else g).size <= COPIED:
            return False
        if end in self.grads[OWN]:
            return True
        if self.watched:  # hooks and user-defined rules see what is on its way
            return False
        if self.lent is None:
            self.lent = edges_of_others(self.roots, self.nodes)
        return end not in self.lent

    def _pass_on(self, leaves: list[AccumulateGrad], borrowed: dict[int, Any], mark: int) -> None:
        """What holds of this graph holds of the derivative's: a sweep through it keeps zeros too (the choice itself may
        not be in it), and minds the same borrowed arrays."""
        made = list(self.captured.values())
        if self.accumulate:
            made += [leaf.variable.grad for leaf in leaves]
        made = [g for g in made if g is not None and g._node is not None and not isinstance(g._node, AccumulateGrad)]
        if self.exact:
            for g in made:
                meta(g._node).exact = True
        if borrowed:
            note_saved_again(recorded_since([g._node for g in made], mark), borrowed)

    def _restrict(
        self, roots: list[Any], nodes: list[Node], leaves: list[AccumulateGrad]
    ) -> tuple[list[Node], list[AccumulateGrad]]:
        """Only what leads to a target is visited, and the roots, for the hooks of their tensors."""
        targets = self.targets or set()
        needed = set(targets)
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
            elif node in targets or (node.meta is not None and node in roots):
                keep.append(node)
        self.needed, self.stops = needed, {n for n in keep if not any(p in needed for p in n.parents)}
        keep.reverse()
        return keep, [leaf for leaf in leaves if leaf in targets or (leaf.meta is not None and leaf in roots)]

    of_leaves: bool = False  # whether the targets are all leaves that were found
    stops: Any = frozenset()
    needed: set[Any] | None = None  # edges from which a target is reached; None means all
    exact = watched = False
    trail: dict[Any, Any] | None = None  # anomaly mode: what arrived at each node
    lent: set[Any] | None = None  # edges at which may have arrived what a rule passed on

    def _walk(self, nodes: list[Node]) -> None:
        """Visit the nodes, newest first."""
        freed = None if self.keep else Freed(caller_frame())
        try:
            self._visit_all(nodes, freed)
        except Exception:  # arithmetic does not raise: another thread's sweep used the graph up on the way
            for node in nodes:
                if node.saved is not freed:
                    raise_if_freed(node)
            raise

    def _visit_all(self, nodes: list[Node], freed: Freed | None) -> None:
        """Written out for the common cases, where a decision per node would show."""
        grads = self.grads
        free = freed is not None
        if (self.targets is None or self.of_leaves) and not self.exact:
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
                self.pull_exact(node, g)
            else:
                (node.pull_graph if self.graph else node.pull)(g, grads)  # type: ignore[attr-defined]
            if free and node.saved is not None:
                node.saved = freed

    def _walk_watched(self, nodes: list[Node], leaves: list[AccumulateGrad]) -> None:
        """As `_walk`, with hooks, anomaly checks, and the state put back if something raises."""
        asked = modes.anomaly.get()
        self.trail = {} if asked is not None and asked.check_nan else None
        seeds = {p: g for p, g in self.grads.items() if p != OWN}
        while True:
            try:
                self._walk_through(nodes, leaves)
                return
            except BaseException as error:
                for restore in reversed(self.undo):
                    restore()
                if isinstance(error, AnomalyFound):
                    error.trail = self.trail or {}
                    raise modes.blame(error) from None
                if not isinstance(error, Undecided) or error.node is None:
                    raise
                undecided = error
            expect_decided(undecided, self._again, seeds)
            self.settled.add(undecided.node)
            self.grads, self.captured, self.undo = no_cotangents() | seeds, {}, []

    def _again(self, targets: list[Any], seeds: dict[Any, Any]) -> list[Any]:
        """The gradients of ``targets``, recorded, from the same ``seeds``."""
        ready = [seed if self.graph else wrap(seed) for seed in seeds.values()]
        sweep = Sweep(True, True, targets, False).run(list(seeds), ready)
        return [sweep.result(target) for target in targets]

    def _walk_through(self, nodes: list[Node], leaves: list[AccumulateGrad]) -> None:
        last = {}
        for node in nodes:
            for p in node.parents:
                last[p] = node
        freed = Freed(caller_frame())
        for leaf in leaves:
            if leaf not in last:
                self._finish_leaf(leaf)
        for node in nodes:
            g = self.grads.pop(node, None)
            if g is not None:
                self._visit(node, g, freed)
            for p in node.parents:
                if type(p) is AccumulateGrad and last.get(p) is node:
                    del last[p]
                    self._finish_leaf(p)

    def _look_at(self, node: Node, g: Any) -> None:
        """Anomaly mode: keep what arrived at a node, and raise if that is strange already."""
        assert self.trail is not None
        self.trail[node] = g
        raise_if_anomalous("sum", node, g)

    def _visit(self, node: Node, g: Any, freed: Freed) -> None:
        bag = node.meta
        if self.trail is not None:
            self._look_at(node, g)
        if bag is not None:
            g = run_tensor_hooks(node, bag, g, self.graph)
        if self.targets is not None and node in self.targets:
            self.captured[node] = g
        ends = node in self.stops
        if ends and not (self.accumulate and node in self.captured):
            return
        if bag is not None and bag.pre_hooks:
            g = tuple_hooks(node, bag.pre_hooks, g, self.graph)
        if ends:  # PyTorch runs a node whose tensor is to have its gradient, for nothing but its hooks
            if bag is not None and bag.hooks:
                tuple_hooks(node, bag.hooks, [None] * len(node._of_tensors(node.parents)), self.graph, g)
            return
        saved = node.saved
        source = node
        if bag is not None and bag.packed and node.op is not None and type(saved) is not Freed:
            source = copy_of(node, node.parents, unpacked(saved))
            meta(source).tangents = bag.tangents  # what it saved of its output is a dual if that was one
        try:
            self._pull(node, source, g)
        except Undecided as undecided:
            if node not in self.settled and not is_decided(undecided, g):
                undecided.node = node
                raise
            with setting(modes.decided, True):  # there 0 / 0 counts as 0
                self._pull(node, source, g)
        except Exception:
            raise_if_freed(node)
            raise
        if not self.keep and saved is not None:
            node.saved = freed
            self.undo.append(lambda: setattr(node, "saved", saved))

    def _pull(self, node: Node, source: Node, g: Any) -> None:
        """Run the rules of a node on ``source``: itself, or a copy with its saved values unpacked."""
        hooks = node.meta.hooks if node.meta is not None else None
        pull = source.pull_graph if self.graph else source.pull  # type: ignore[attr-defined]
        if not hooks and (self.trail is None or type(node) is OutputNode):
            self.pull_exact(source, g) if self.exact else pull(g, self.grads)
            return
        ds = self._input_gradients(source, g, pull)
        if self.trail is not None:
            raise_if_anomalous("rule", node, ds, g)
        edges = node.parents
        if hooks:
            edges, ds = node._of_tensors(edges), node._of_tensors(ds)
            if self.needed is not None and node.op is not None:
                ds = tuple([d if p in self.needed else None for p, d in zip(edges, ds, strict=True)])
            ds = tuple_hooks(node, hooks, ds, self.graph, g)
        for p, d in zip(edges, ds, strict=True):
            if p is not None and d is not None:
                add_to(self.grads, p, d)

    def pull_exact(self, node: Node, g: Any) -> None:
        """In a graph that chooses among branches, the zero of a branch not taken stays zero on its way down.

        Without this 0 times an infinite slope would be NaN, as it is in other libraries.
        """
        op = node.op
        if op is None or not op.steep:
            (node.pull_graph if self.graph else node.pull)(g, self.grads)  # type: ignore[attr-defined]
            return
        for i, p in enumerate(node.parents):
            if p is not None:
                add_to(self.grads, p, input_gradient(node, i, g, self.graph, exact=True))

    def _input_gradients(self, node: Node, g: Any, pull: Any) -> tuple[Any, ...]:
        """The gradients of the inputs one by one (a pull adds up those of an input that occurs twice)."""
        own = getattr(node, "input_gradients", None)
        if own is not None:
            return tuple(own(g, self.graph))
        if node.op is None:
            local = no_cotangents()
            pull(g, local)
            return tuple(local.get(p) for p in node.parents)
        g = with_zeros(node, g, self.graph) if node.op.outputs else g
        return tuple(
            None if p is None else input_gradient(node, i, g, self.graph, self.exact and node.op.steep)
            for i, p in enumerate(node.parents)
        )

    def _in_dtype(self, g: Any, dtype: np.dtype[Any]) -> Any:
        """A real gradient in the dtype of what it is the gradient of: a rule may have computed in a wider one."""
        own = (g._data if self.graph else g).dtype
        if own is dtype or own == dtype or own.kind != "f" or dtype.kind != "f":
            return g
        return row_function("cast")(g, dtype) if self.graph else g.astype(dtype)

    def _finish_leaf(self, leaf: AccumulateGrad) -> None:
        g = self.grads.pop(leaf, None)
        if g is None or (self.targets is not None and leaf not in self.targets and leaf not in self.roots):
            return
        g = self._in_dtype(g, leaf.data.dtype)
        if self.trail is not None:
            self._look_at(leaf, g)
        hooks = leaf.meta
        if hooks is not None:
            g = run_tensor_hooks(leaf, hooks, g, self.graph)
        if self.targets is not None:
            if leaf not in self.targets:
                return
            self.captured[leaf] = g
        if not self.accumulate:
            return
        if hooks is not None and hooks.pre_hooks:
            g = tuple_hooks(leaf, hooks.pre_hooks, g, self.graph)
        variable = leaf.variable
        if is_leaf_node(variable._node):  # not frozen, or detached, since it was used
            with adding:
                bag = extra(variable)
                if self.watched:
                    self.undo.append(added(bag, g, self.graph))
                else:
                    accumulate(bag, g, self.graph, self._is_own(leaf, g))
        if hooks is not None:
            run_post_hooks(leaf, hooks, g)
