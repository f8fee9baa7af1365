"""A graph as boxes and arrows, of a formula too: what is drawn, before anybody asks where; repeated parts once."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from .. import show
from .._limits import bound
from .._tensor import FunctionNode
from .._trees import postorder
from ..core import (
    NAMED,
    Dim,
    Freed,
    Node,
    OutputNode,
    Symbol,
    Tensor,
    computed,
    constants_of,
    is_leaf_node,
    operands_of,
    params_of,
    reachable,
    saved_operand,
    saved_values,
    shapes_of,
    unwrap,
    version_conflict,
)
from ..formulas import Formula, constant_text, rule_texts
from ..sweep import orders_of
from ..terms import Var as Variable
from ..terms import freeze, rebuilt

# --------------- What a recorded graph's nodes computed: shapes and dtypes, and values as far as they are still those

# The idea to hold: the graph is run again, on what it still holds. Where a leaf or a constant is gone, was written
# since, or is a symbol, something of its shape stands in: then shapes are known below, and values are not.


class NodeResult(NamedTuple):
    """What is known of a node's result: an array of its shape, and whether the numbers and the dtype are right."""

    array: Any
    known: bool
    untyped: bool = False


def living(nodes: set[Any]) -> dict[Any, Tensor]:
    """The tensors of nodes that are still there, named ones first: a node does not know its tensor."""
    found: dict[Any, Tensor] = {}
    for t in gc.get_objects():
        if issubclass(type(t), Tensor) and getattr(t, "_node", None) in nodes:
            other = found.get(t._node)
            if other is None or (_name(other) is None and _name(t) is not None):
                found[t._node] = t
    return found


def _name(t: Tensor) -> str | None:
    return None if t._extra is None else t._extra.name


GRAPH_ENTRIES = bound(1 << 24)
"""Entries of all values that are worked out again for a picture."""


class NodeResults:
    """The results of ``nodes`` (oldest first) and ``leaves``, by node; `sizes` are the named sizes by stand-in."""

    def __init__(self, nodes: list[Any], leaves: list[Any], tensors: dict[Any, Tensor]) -> None:
        self.of: dict[Any, NodeResult] = {}
        self.sizes: dict[int, Any] = {}
        self.written: set[Any] = set()  # leaves that were written since they were used
        self.room: int = GRAPH_ENTRIES
        first: dict[Any, int] = {}
        for node in nodes:
            for p in node.parents:
                first.setdefault(p, node.seq)
        for leaf in leaves:
            facts, changed = leaf.facts, version_conflict(leaf.data, first.get(leaf, 1 << 62)) is not None
            if changed:
                self.written.add(leaf)
            for n in () if facts is None else facts.shape:
                if type(n) is Dim:
                    self.sizes |= {standin: Dim(name, standin) for name, standin in n.atoms.items()} | {int(n): n}
            self.of[leaf] = NodeResult(leaf.data, facts is None and not changed)
        for node in nodes:
            t = tensors.get(node)
            if t is not None and type(t) is not Symbol and version_conflict(t._data, node.seq) is None:
                self.of[node] = NodeResult(t._data, True)
            else:
                found = self._again(node) or (None if t is None else NodeResult(t._data, False))
                if found is not None:
                    self.of[node] = found
        for node in nodes:
            self._from_its_use(node)

    def _again(self, node: Any) -> NodeResult | None:
        """The operation run once more; None where that cannot be."""
        if type(node) is OutputNode:
            origin = self.of.get(node.parents[0])
            if origin is not None and isinstance(origin.array, tuple):
                return NodeResult(np.asarray(origin.array[node.index]), origin.known)
            fit = node.parents[0].fit
            return NodeResult(_stand_in(*fit[node.index]), False) if fit else None
        if node.op is None:  # a user's code is not run for a picture
            return None
        operands = self.operands(node)
        if operands is None or sum(np.size(o.array) for o in operands) > self.room:
            return None
        try:
            with np.errstate(all="ignore"):
                out = computed(node.op, [o.array for o in operands], params_of(node))
        except Exception:  # of what stands in for operands that are gone
            return None
        if not isinstance(out, tuple):
            out = np.asarray(out)
            if out.dtype.kind not in "fc":
                return None
        self.room -= sum(np.size(o) for o in (out if isinstance(out, tuple) else (out,)))
        return NodeResult(out, all(o.known for o in operands), any(o.untyped for o in operands))

    def operands(self, node: Any) -> list[NodeResult] | None:
        """The values of a node's operands; None if one of them is gone without a trace."""
        found: list[NodeResult] = []
        shapes = shapes_of(node)
        for i, (operand, kept) in enumerate(zip(operands_of(node), constants_of(node), strict=True)):
            operand = saved_operand(node, i) if operand is None and kept is not None else operand
            if isinstance(operand, Node):
                if operand not in self.of:
                    return None
                found.append(self.of[operand])
            elif operand is None and kept is not None:
                if i >= len(shapes):
                    return None
                found.append(NodeResult(_stand_in(tuple(map(int, shapes[i])), float), False, True))
            else:
                value = unwrap(operand)
                hidden = type(operand) is Symbol or version_conflict(value, node.seq) is not None
                found.append(NodeResult(value, not hidden))
        return found

    def _from_its_use(self, node: Any) -> None:
        """What a node says of the operands of which nothing else does."""
        for p, shape in zip(node.parents, shapes_of(node), strict=False):
            if p is not None and p not in self.of:
                self.of[p] = NodeResult(_stand_in(tuple(map(int, shape)), float), False, True)

    def shape(self, array: Any) -> str:
        """The shape as it prints, in named sizes."""
        return "×".join([str(self.sizes.get(n, n)) for n in np.shape(array)]) or "number"


def _stand_in(shape: Any, dtype: Any) -> np.ndarray:
    return np.broadcast_to(np.asarray(0.5, dtype), shape)


GRAPH_NUMBERS = bound(6)
"""Entries up to which a box shows them all."""


def brief(value: Any) -> str:
    """An array in a few signs: its numbers if they are few, else from where to where they go."""
    array = np.asarray(value)
    if array.dtype.kind not in "bifcu":
        return ""
    if array.size <= GRAPH_NUMBERS:
        return _listed(array.tolist())
    if array.dtype.kind == "c":
        return ""
    bad = int((~np.isfinite(array)).sum()) if array.dtype.kind == "f" else 0
    return f"{bad} of {array.size} not finite" if bad else f"{array.min():.4g} … {array.max():.4g}"


def _listed(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_listed, value))}]"
    return str(value) if isinstance(value, bool) else f"{value + 0:.4g}"


# ------------------------------------- A recorded graph as boxes and arrows: what is drawn, before anybody asks where

# The idea to hold: every box has a name (the user's, or x0, v1, d1, h1 in the order of recording: leaves, steps of the
# function, of a backward, of a backward's backward), so that a step reads as on paper, ``v2 = exp(v1)``, and so does
# what it passes back: ``∂v1: g ⊙ v2`` of an incoming gradient g.


@dataclass
class Box:
    """What is drawn as one box.

    ``order``: 0 a step of the function, 1 of a backward, 2 and more of a backward's backward, None not known.
    ``rules``: per operand its name and what reaches it of an incoming gradient. ``into``: the boxes it is made of.
    ``same``: equal for boxes that look alike and stand in the same place of repeated parts.
    """

    kind: str  # leaf, constant, step or more
    name: str
    order: int | None = 0
    expression: str = ""
    operation: str = ""
    shape: str = ""
    dtype: str = ""
    value: str = ""
    gradient: str = ""
    rules: list[tuple[str, str]] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    into: list[Box] = field(default_factory=list)
    same: Any = None
    times: int = 1
    source: Any = None

    def title(self) -> str:
        """The first line: the name, and what it is."""
        return f"{self.name} = {self.expression}" if self.expression else self.name

    def lines(self) -> list[tuple[str, str]]:
        """The lines below, each with its sort: what a picture shows."""
        about = " ".join(part for part in (self.shape, self.dtype) if part)
        found = [("about", about)] if about else []
        for name, text in self.rules:
            rule, _, where = text.partition(", where ")
            found += [("rule", f"∂{name}: {rule}")] + ([("rule", f"where {where}")] if where else [])
        found += [("value", f"= {self.value}")] if self.value else []
        found += [("gradient", f"grad {self.gradient}")] if self.gradient else []
        return found + ([("mark", " · ".join(self.marks))] if self.marks else [])


GRAPH_RULES = bound(200)
"""Nodes up to which a picture of a graph has formulas unless it is said."""
GRAPH_STEP = bound(1 << 20)
"""Entries of a step's operands above which its formulas, which are checked at them, are left out."""


class GraphReader:
    """Reads the graph of ``roots`` (tensors) into boxes, operands before what is made of them.

    ``roots`` : tensors, each with what is said of it, and the leaf of which that is said; ``names`` : the user's.
    """

    def __init__(
        self, roots: Sequence[tuple[Tensor, str, Any]], names: Mapping[str, Tensor], values: bool, depth: int | None
    ) -> None:
        self.roots: dict[Any, list[tuple[str, Any]]] = {}
        for t, what, leaf in roots:
            if t._node is not None:
                self.roots.setdefault(t._node, []).append((what, leaf))
        nodes, leaves, _, _ = reachable(list(self.roots))
        use = {
            p: k for k, node in enumerate(nodes) for p in node.parents
        }  # the first of all uses: nodes are newest first
        leaves.sort(key=lambda leaf: -use.get(leaf, 0))
        self.nodes: list[Any] = [*leaves, *nodes[::-1]]
        self.tensors: dict[Any, Tensor] = living(set(self.nodes)) | {
            t._node: t for t, *_ in roots if t._node is not None
        }
        self.found: NodeResults = NodeResults(nodes[::-1], leaves, self.tensors)
        self.orders: dict[Any, int | None] = orders_of(nodes)
        self.values = values
        self.given: dict[Any, str] = {t._node if t._node is not None else id(t): name for name, t in names.items()}
        self.taken: set[str] = set()
        self.counts: dict[str, Iterator[int]] = {letter: itertools.count(letter != "x") for letter in "xcvdh"}
        self.symbols: dict[Any, str] = {}
        there = set(map(_name, self.tensors.values()))
        self.gone: dict[Node, str] = {
            node: name for node in nodes if (name := NAMED.get(node)) is not None and name not in there
        }
        self.boxes: dict[Any, Box] = {}
        self.constants: dict[int, tuple[Any, Box]] = {}
        shown = self._near(depth)
        self.names: dict[Any, str] = {node: name for node in self.nodes if (name := self._own_name(node)) is not None}
        self.taken |= set(self.names.values())
        self.cotangent: str = "g" if "g" not in self.taken else next(n for n in "qGQ" if n not in self.taken)
        lone = {p for node in nodes if type(node) is OutputNode for p in node.parents if _of_one(p)}
        for node in self.nodes:
            if node not in self.names and node not in lone:
                self.names[node] = self._counted("x" if is_leaf_node(node) else "vdh"[min(self.orders[node] or 0, 2)])
        twins: dict[Any, Box] = {}
        for node in self.nodes:
            if node in shown and node not in lone:
                box = self._leaf(node) if is_leaf_node(node) else self._step(node)
                twin = (box.name, "symbol") if "symbol" in box.marks else node  # a size is a leaf at each use
                self.boxes[node] = twins.setdefault(twin, box)
        self._cut(shown)
        for t, what, leaf in roots:
            if t._node is None:  # a gradient that hangs on nothing
                self._constant(t, 1 << 62).marks.append(self._said(what, leaf))

    def _said(self, what: str, leaf: Any) -> str:
        return what if leaf is None else f"{what} {self.names[leaf]}"

    def all(self) -> list[Box]:
        """The boxes, operands before what is made of them."""
        done: dict[int, Box] = {}
        for box in (*self.boxes.values(), *[box for _, box in self.constants.values()]):
            for below in (*box.into, box):
                done.setdefault(id(below), below)
        return list(done.values())

    def write(self, boxes: list[Box], formulas: bool | None) -> str:
        """Write into the boxes that are drawn how each step reads, and its rules; returns what was left out."""
        steps = [box for box in boxes if box.source is not None]
        rules = len(steps) <= GRAPH_RULES if formulas is None else formulas
        for box in steps:
            if box.kind == "constant":
                box.expression = self._origin(box) if rules else ""
            else:
                self._read(box, rules)
        if rules or formulas is False:
            return ""
        return f"no formulas: more than {GRAPH_RULES} steps (formulas=True writes them)"

    def _near(self, depth: int | None) -> set[Any]:
        """The nodes at most so many steps from a root."""
        if depth is None:
            return set(self.nodes)
        near = set()
        front = set(self.roots)
        for _ in range(depth + 1):
            near |= front
            front = {p for node in front for p in node.parents if p is not None} - near
        return near

    def _cut(self, shown: set[Any]) -> None:
        """One box for all that is further away, where something was left out."""
        missing = [node for node in self.nodes if node not in shown]
        if not missing:
            return
        more = Box("more", f"… {len(missing)} more", same=("more",))
        rest = set(missing)
        for node, box in self.boxes.items():
            if any(p in rest for p in node.parents):
                box.into.append(more)

    # ------------------------------------------------------------------------------------------------------- names

    def _own_name(self, node: Any) -> str | None:
        """The name that the user gave, made unique."""
        t = self.tensors.get(node)
        name = self.given.get(node) or (None if t is None else _name(t))
        name = name or getattr(node, "label", None) or self.gone.get(node)
        if name is not None and is_leaf_node(node) and node.facts is not None:
            known = self.symbols.setdefault((name, node.facts), name if name not in self.taken else self._unique(name))
            self.taken.add(known)
            return known
        return None if name is None else self._unique(name)

    def _unique(self, name: str) -> str:
        base, i = name, 1
        while name in self.taken:
            name, i = f"{base}_{i}", i + 1
        self.taken.add(name)
        return name

    def _counted(self, letter: str) -> str:
        return next(n for k in self.counts[letter] if (n := f"{letter}{k}") not in self.taken)

    # ------------------------------------------------------------------------------------------------------- boxes

    def _leaf(self, node: Any) -> Box:
        found, t = self.found.of[node], node.ref()
        box = Box("leaf", self.names[node])
        self._describe(box, found)
        if node.facts is not None:
            box.marks += ["symbol", *sorted(node.facts.properties)]
        if node in self.found.written:
            box.marks.append("written since")
        box.marks += starmap(self._said, self.roots.get(node, ()))
        self._note(box, node, t)
        box.same = ("leaf", box.shape, box.dtype, tuple(box.marks))
        return box

    def _describe(self, box: Box, found: NodeResult | None) -> None:
        if found is None or isinstance(found.array, tuple):
            return
        box.shape = self.found.shape(found.array)
        box.dtype = "" if found.untyped else str(np.asarray(found.array).dtype)
        box.value = brief(found.array) if self.values and found.known else ""

    def _note(self, box: Box, node: Any, t: Tensor | None) -> None:
        """The gradient that is there, and hooks."""
        grad = None if t is None or t._extra is None else t._extra.grad
        if grad is not None:
            box.gradient = (type(grad) is not Symbol and brief(grad._data)) or "there"
        bag = node.meta
        if bag is not None:
            hooks = sum(len(h or ()) for h in (bag.tensor_hooks, bag.pre_hooks, bag.hooks, bag.post_hooks))
            box.marks += [f"{hooks} hook{'s' if hooks > 1 else ''}"] if hooks else []
            box.marks += ["retains grad"] if bag.retained is not None and bag.retained() is not None else []
            box.marks += [f"at {bag.where}"] if bag.where else []

    def _step(self, node: Any) -> Box:
        order = self.orders[node]
        box = Box("step", self.names[node], order)
        result = node
        if type(node) is OutputNode and _of_one(node.parents[0]):
            node = node.parents[0]
        box.operation = f"output {node.index}" if type(node) is OutputNode else node.name()
        self._describe(box, self.found.of.get(result))
        operands, called = self._operands(node, box)
        box.source = node, operands, called
        saved = saved_values(node)
        if type(node.saved) is Freed:
            box.marks.append("saved values freed")
        elif node.op is not None and saved:
            names = dict(zip(node.op.inputs, called, strict=False)) | {"y": box.name}
            kept = [names.get(n, n) for n, v in zip(node.op.saved, saved, strict=False) if v is not None]
            kept = [name for name in kept if name is not None]  # a number appears as it is
            box.marks += [f"saves {', '.join(dict.fromkeys(kept))}"] if kept else []
        elif saved:
            box.marks.append(f"saves {len(saved)} value{'s' if len(saved) > 1 else ''}")
        for watched in {node, result}:
            self._note(box, watched, self.tensors.get(watched))
        box.marks += starmap(self._said, self.roots.get(result, ()))
        box.same = (box.operation, order, box.shape, box.dtype, _literals(node, called), tuple(box.marks[1:]))
        return box

    def _operands(self, node: Any, box: Box) -> tuple[list[Any], list[str | None]]:
        """A node's operands, and what each is called; None for a number, which appears as it is."""
        operands = list(node.parents) if type(node) is OutputNode else operands_of(node)
        called: list[str | None] = []
        for i, operand in enumerate(operands):
            if isinstance(operand, Node):
                called.append(self.names[operand])
                below = self.boxes.get(operand)
            elif isinstance(operand, (Tensor, np.ndarray)) and operand.ndim:
                below = self._constant(operand, node.seq)
                called.append(below.name)
            elif operand is None and node.op is not None:
                value = saved_operand(node, i)
                below = Box("constant", self._counted("c"), marks=["gone"] if value is None else [])
                self._describe(below, None if value is None else NodeResult(value, True))
                below.same = ("constant", below.shape, below.dtype)
                called.append(below.name)
            else:
                below = None
                called.append(None)
            if below is not None and not any(below is other for other in box.into):
                box.into.append(below)
        return operands, called

    def _constant(self, value: Any, time: int) -> Box:
        known = self.constants.get(id(value))
        if known is None:
            name = self.given.get(id(value)) or (_name(value) if isinstance(value, Tensor) else None)
            box = Box("constant", self._unique(name) if name else self._counted("c"))
            data = unwrap(value)
            self._describe(box, NodeResult(data, type(value) is not Symbol and version_conflict(data, time) is None))
            box.marks += ["written since"] if version_conflict(data, time) is not None else []
            box.same = ("constant", box.shape, box.dtype)
            box.source = value if isinstance(value, Tensor) and value._extra is not None else None
            known = self.constants[id(value)] = (value, box)
        return known[1]

    def _origin(self, box: Box) -> str:
        """How a constant was computed from what has a name; "" where that is not said in names of this picture."""
        text, used = constant_text(box.source)
        for thing in used:
            name = thing.label if is_leaf_node(thing) else thing._extra.name
            known = (
                self.names.get(thing) if isinstance(thing, Node) else self.constants.get(id(thing), (0, box))[1].name
            )
            if known != name and name in self.taken:
                return ""
        return "" if text == box.name else text

    def _read(self, box: Box, rules: bool) -> None:
        """The step as it reads on paper, and its rules."""
        node, operands, called = box.source
        words = ", ".join(c or _number(o) for c, o in zip(called, operands, strict=True))
        if type(node) is OutputNode:
            box.expression = f"{words}[{node.index}]"
            return
        box.expression = f"{(node.name().removesuffix('Backward') if node.op is None else node.op.label)}({words})"
        values = self.found.operands(node) if rules and node.op is not None and not node.op.outputs else None
        if values is None or sum(np.size(v.array) for v in values) > GRAPH_STEP:
            return
        given = [
            v.array if c is not None else o for v, c, o in zip(values, called, operands, strict=True)
        ]  # fmt: skip
        moving = [c for c, p in zip(called, node.parents, strict=True) if p is not None and c is not None]
        text, found = rule_texts(node.op, given, params_of(node), called, list(dict.fromkeys(moving)),
                                 self.found.sizes, self.cotangent)  # fmt: skip
        box.expression = text or box.expression
        box.rules = [(name, rule) for name, rule in found if rule]


def _of_one(node: Any) -> bool:
    """Whether it is a user-defined operation with one result, which is shown as one box."""
    return isinstance(node, FunctionNode) and len(node.fit) == 1


def _number(value: Any) -> str:
    data = getattr(value, "_data", value)
    if isinstance(data, np.ndarray) and not data.ndim:
        data = data.item()
    return "·" if data is None else f"{data:.6g}" if isinstance(data, float) else str(data)


def _literals(node: Any, called: list[str | None]) -> Any:
    """What tells two steps of one operation apart beside their operands: numbers, and parameters."""
    operands = [] if type(node) is OutputNode else operands_of(node)
    numbers = [repr(getattr(o, "_data", o)) for o, c in zip(operands, called, strict=False) if c is None]
    return tuple(numbers), getattr(node, "index", None), freeze(params_of(node))


# ---------------------------- A formula's term as boxes: the sums and products that it is written in, and its symbols


def boxes_of(f: Formula) -> list[Box]:
    """The boxes of a formula, operands before what is made of them."""
    boxes: dict[int, Box] = {}
    named: dict[int, Any] = {}
    taken, count = f.free_symbols, 0
    for term in postorder(f.term):
        named[id(term)] = term
        if isinstance(term, Variable):
            box = Box("leaf", term.name)
        elif not term.children:
            continue  # a number, say: it appears as it is
        else:
            count = next(k for k in range(count + 1, count + len(taken) + 2) if f"v{k}" not in taken)
            box = Box("step", f"v{count}", 0, show.to_text(rebuilt(term, named)))
            box.operation = term.kind
            box.into = list({id(c): boxes[id(c)] for c in term.children if id(c) in boxes}.values())
            named[id(term)] = Variable(box.name, term.shape)
        box.shape = "×".join(map(str, term.shape)) or "number"
        box.same = (box.kind, box.name)
        boxes[id(term)] = box
    if id(f.term) not in boxes:
        boxes[id(f.term)] = Box("constant", str(f))
    boxes[id(f.term)].marks.append("result")
    return list(boxes.values())


# -------------------------------------------- Repeated parts of a graph drawn once: the steps of a loop, equal layers

# The idea to hold: two steps p apart match if they do the same with the same: with the same box, with boxes p apart, or
# with leaves of their own that look alike. Where that holds over at least three periods, the first period stands for
# all. What the first gets from before, the later ones get from the one before them: that arrow is drawn back.


LEAST = 3
"""Periods from which on a repetition is drawn once."""


@dataclass
class RepeatedBoxes:
    """Boxes that stand for ``times`` equal parts, and the arrows from one part to the next."""

    boxes: list[Box]
    times: int
    back: list[tuple[Box, Box]] = field(default_factory=list)


def folded(boxes: list[Box]) -> tuple[list[Box], list[RepeatedBoxes]]:
    """The boxes that are left (operands before what is made of them), and what stands for several."""
    parts: list[RepeatedBoxes] = []
    while (found := _longest(boxes)) is not None:
        boxes, part = _without(boxes, *found)
        parts.append(part)
    return boxes, parts


class _Steps:
    """The steps in order, where each is, and what is done with the leaves."""

    def __init__(self, boxes: list[Box]) -> None:
        self.steps = [box for box in boxes if box.kind == "step"]
        self.place = {id(box): k for k, box in enumerate(self.steps) if box.times == 1}
        self.uses: dict[tuple[int, int | None], list[int]] = {}
        for box in self.steps:
            for x in box.into:
                self.uses.setdefault((id(x), box.order), []).append(hash(box.same))

    def match(self, k: int, p: int, first: bool = False) -> bool:
        """Whether the steps at ``k`` and p later do the same; ``first``: what the earlier gets may be from before."""
        a, b = self.steps[k], self.steps[k + p]
        if a.same != b.same or len(a.into) != len(b.into) or a.times > 1 or b.times > 1:
            return False
        return all(self._agree(x, y, k, p, first) for x, y in zip(a.into, b.into, strict=True))

    def _agree(self, x: Box, y: Box, k: int, p: int, first: bool) -> bool:
        i, j = self.place.get(id(x)), self.place.get(id(y))
        if x is y or (i is not None and j is not None and j - i == p):
            return True
        if first and j is not None and j >= k and (i is None or i < j - p):  # from the period before
            return True
        if "step" in (x.kind, y.kind) or x.same != y.same or x.times > 1 or y.times > 1:
            return False
        order = self.steps[k].order
        return sorted(self.uses[id(x), order]) == sorted(self.uses[id(y), order])

    def arrows_between(self, start: int, p: int) -> int:
        """How many boxes of the period at ``start`` the next one uses."""
        before = {id(box) for box in self.steps[start : start + p]}
        return len({id(x) for box in self.steps[start + p : start + 2 * p] for x in box.into} & before)


GRAPH_PERIOD = bound(200)
"""Steps of one repeated part."""


def _longest(boxes: list[Box]) -> tuple[list[Box], int, int, int] | None:
    """(the steps, where the repetition starts, its period, how often): the one that saves most boxes."""
    found = _Steps(boxes)
    number: dict[Any, int] = {}
    labels = np.array([number.setdefault(box.same, len(number)) for box in found.steps], dtype=int)
    best, most = None, 0
    known: list[tuple[int, int, int]] = []
    for p in range(1, min(len(found.steps) // LEAST, GRAPH_PERIOD) + 1):
        for low, high in _stretches(labels[:-p] == labels[p:], max(p, most - p)):
            if any(p % q == 0 and start - q <= low and high + p <= stop + q for q, start, stop in known):
                continue  # the same repetition, several periods taken as one
            k = low + p - 1  # a repetition of three periods has a match at every p-th step
            while k < high:
                start = end = k
                while end < high and found.match(end, p):
                    end += 1
                while end > k and start > low and found.match(start - 1, p):
                    start -= 1
                k = max(end, k) + p
                if end - start < p:
                    continue
                first = start
                while start > max(first - p, 0) and found.match(start - 1, p, True):
                    start -= 1
                times = (end - start) // p + 1
                if times >= LEAST:
                    known.append((p, start, end + p))
                if times >= LEAST and (times - 1) * p > most:
                    most = (times - 1) * p
                    starts = range(start, end + p - times * p + 1)
                    between = [found.arrows_between(s, p) for s in starts]
                    best = found.steps, starts[between.index(min(between))], p, times
    return best


def _stretches(equal: np.ndarray, least: int) -> list[tuple[int, int]]:
    """Where at least so many neighbours are true."""
    ends = np.flatnonzero(np.diff(np.concatenate([[0], equal.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in ends.reshape(-1, 2) if b - a >= least]


def _without(boxes: list[Box], steps: list[Box], start: int, p: int, times: int) -> tuple[list[Box], RepeatedBoxes]:
    """The boxes without the later periods, whose place the first takes."""
    run = steps[start : start + p * times]
    first = run[:p]
    role = {id(box): n % p for n, box in enumerate(run)}
    stands: dict[int, Box] = {id(box): first[n % p] for n, box in enumerate(run[p:], p)}
    own: dict[int, tuple[Box, dict[int, Box]]] = {}
    back: dict[tuple[int, int], tuple[Box, Box]] = {}
    for n, later in enumerate(run[p:], p):
        made = first[n % p]
        for x, y in zip(made.into, later.into, strict=True):
            if id(y) in role and id(x) not in role:
                source = first[role[id(y)]]
                back[id(source), id(made)] = source, made
            elif x is not y and x.kind != "step":
                stands[id(y)] = x
                own.setdefault(id(x), (x, {}))[1][id(y)] = y
    for x, others in own.values():
        _stand_for(x, 1 + len(others), list(others.values())[-1])
    for box, last in zip(first, run[-p:], strict=True):
        _stand_for(box, times, last)
    kept = [box for box in boxes if id(box) not in stands]
    for box in kept:
        box.into = list({id(b): b for b in (stands.get(id(b), b) for b in box.into)}.values())
    return kept, RepeatedBoxes(first, times, list(back.values()))


def _stand_for(box: Box, times: int, last: Box) -> None:
    box.times, box.value, box.gradient = times, "", ""
    box.marks.append(f"…, {last.name}")
