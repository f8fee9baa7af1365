"""The numbers of a recorded graph, their derivatives entry by entry, and words for one operation of it."""

from __future__ import annotations

import linecache
import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import show
from .._errors import SymgradError
from .._limits import bound
from ..calculus import derivative, lift
from ..core import (
    AccumulateGrad,
    Freed,
    Node,
    OutputNode,
    computed,
    constants_of,
    copy_of,
    held_operand,
    input_gradient,
    is_leaf_node,
    modes,
    params_of,
    rebind_to_arrays,
    rule_values,
    saved_value,
    unpacked,
    unwrap,
    version_conflict,
)
from ..terms import Expr, Indices, Var, substitute

# ---------------- The numbers of a recorded graph: what its operations computed, and their derivatives entry by entry

# The idea to hold: a node keeps only what its rules ask for; the rest is computed again from what is there, and is None
# where that is not possible (a user's Function, an array that is gone or was written since).


def place_of(found: np.ndarray) -> Indices:
    """The first place at which an array of truths is true."""
    return tuple(int(k) for k in np.argwhere(found)[0])


def matched(place: Indices, shape: Indices) -> Indices:
    """The entry of a broadcast operand that belongs to an entry of the result."""
    return tuple(0 if n == 1 else p for p, n in zip(place[len(place) - len(shape) :], shape, strict=True))


@contextmanager
def unwatched() -> Iterator[None]:
    """Nothing is recorded, looked at by anomaly mode, or warned of meanwhile."""
    mode, anomaly = modes.mode.set(modes.OFF), modes.anomaly.set(None)
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        modes.anomaly.reset(anomaly)
        modes.mode.reset(mode)


def consumers_of(nodes: Iterable[Any]) -> dict[Any, list[tuple[Any, int]]]:
    """The nodes that use each edge, and as which operand."""
    found: dict[Any, list[tuple[Any, int]]] = {}
    for node in nodes:
        for i, parent in enumerate(node.parents):
            if parent is not None:
                found.setdefault(parent, []).append((node, i))
    return found


ROWS_TRIED = bound(256)
"""Entries of a result up to which the derivatives in one entry are found row by row."""


class RecordedValues:
    """The values of nodes, as they are asked for."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def value(self, edge: Any) -> Any:
        """The value of an edge; None if it is not known. Of a node with several outputs a tuple."""
        stack = [edge]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what there was to warn of was said when the user computed it
            while stack:
                node = stack[-1]
                if node in self._known:
                    stack.pop()
                    continue
                todo = [] if self._of_itself(node) is not None else self._rests_on(node)
                stack.extend(todo)
                if not todo:
                    self._known[stack.pop()] = self._compute(node)
        return self._known[edge]

    def put(self, node: Any, value: Any) -> None:
        """Say the value of a node that cannot be computed here."""
        self._known[node] = value

    def operand(self, node: Any, i: int) -> Any:
        """The value of an operand: as the node saved it, else as it was computed; None if it is not known."""
        kept = self._kept(node, i)
        parent = node.parents[i]
        return kept if kept is not None or parent is None else self.value(parent)

    def entry(self, node: Any, i: int, place: Indices) -> Any:
        """The entry of an operand that belongs to one of an elementwise result; None if it is not known."""
        value = self.operand(node, i)
        return None if value is None else np.asarray(value)[matched(place, np.shape(value))]

    def operands(self, node: Any) -> list[Any]:
        """The values of all operands."""
        return [self.operand(node, i) for i in range(len(node.parents))]

    def _rests_on(self, node: Any) -> list[Any]:
        return [
            p for i, p in enumerate(node.parents)
            if p is not None and p not in self._known and (type(node) is OutputNode or self._kept(node, i) is None)
        ]  # fmt: skip

    def _kept(self, node: Any, i: int) -> Any:
        """What the node itself has of an operand."""
        op = node.op
        if op is not None and not op.variadic and op.inputs[i] in op.saved:
            value = self._saved(node, op.inputs[i])
            if value is not None:
                return value
        constant = held_operand(constants_of(node)[i]) if node.parents[i] is None else None
        return _unwritten(unwrap(constant), node)

    def _saved(self, node: Any, name: str) -> Any:
        if node.saved is None or type(node.saved) is Freed:
            return None
        return _unwritten(saved_value(readable(node), name), node)

    def _of_itself(self, node: Any) -> Any:
        """A value that needs no other: a leaf's, or an output that was saved."""
        if isinstance(node, AccumulateGrad):
            return node.data
        if type(node) is OutputNode or node.op is None:
            return None
        return self._saved(node, "y") if "y" in node.op.saved else None

    def _compute(self, node: Any) -> Any:
        known = self._of_itself(node)
        if known is not None:
            return known
        if type(node) is OutputNode:
            outputs = self.value(node.parents[0])
            return None if outputs is None else outputs[node.index]
        operands = None if node.op is None else self.operands(node)
        if operands is None or any(v is None for v in operands):
            return None
        with np.errstate(all="ignore"):
            out = computed(node.op, operands, params_of(node))
        return tuple(map(np.asarray, out)) if node.op.outputs else np.asarray(out)

    # --------------------------------------------------------------------------------------------------- derivatives

    def partial(self, node: Any, i: int) -> np.ndarray | None:
        """The partial derivatives of an elementwise operation, of the result's shape."""
        y, rule = self.value(node), node.op.rules[i]
        if y is None or rule is None:
            return None
        if not callable(rule):
            return np.full(y.shape, rule, float)
        node = readable(node)
        with np.errstate(all="ignore"):
            slope = rebind_to_arrays(rule)(*rule_values(node, i, np.ones(y.shape, y.dtype), False))
        return np.broadcast_to(slope, y.shape)

    def column(self, node: Any, i: int, place: Indices) -> tuple[np.ndarray, np.ndarray] | None:
        """The derivatives of all entries of the result in one entry of operand ``i``, and which entries of the result
        are computed from it at all; None if that is not known."""
        op = node.op
        x = None if op is None or op.outputs else self.operand(node, i)
        y = None if x is None else self.value(node)
        if x is None or y is None or isinstance(x, tuple):
            return None
        with np.errstate(all="ignore"):
            if op.kind == "elementwise" and not op.variadic:
                return self._entrywise(node, i, place, np.shape(x), y.shape)
            if op.kind in ("linear", "multilinear") and (op.variadic or op.kind == "multilinear" or i == 0):
                return self._moved(node, i, place)
            rows = self._rows(node, i, place, y) if y.size <= ROWS_TRIED else None
            return None if rows is None else (rows, np.ones(y.shape, bool))

    def _entrywise(self, node: Any, i: int, place: Indices, inside: Indices, shape: Indices) -> Any:
        slope = self.partial(node, i)
        if slope is None:
            return None
        lead = len(shape) - len(inside)
        index = (slice(None),) * lead + tuple(
            slice(None) if n == 1 and shape[lead + k] != 1 else place[k] for k, n in enumerate(inside)
        )
        reached = np.zeros(shape, bool)
        reached[index] = True
        return np.where(reached, slope, 0), reached

    def _moved(self, node: Any, i: int, place: Indices) -> Any:
        """Of a linear operation, or a product: what it makes of a single one."""
        values, op = self.operands(node), node.op
        if any(v is None for v in values):
            return None
        if op.kind == "linear" and op.variadic:
            values = [np.zeros(np.shape(v)) for v in values]
        values[i] = np.zeros(np.shape(values[i]))
        values[i][place] = 1
        column = np.asarray(computed(op, values, params_of(node)))
        if op.kind == "multilinear":  # whatever the other factors are
            values = [v if k == i else np.ones(np.shape(v)) for k, v in enumerate(values)]
        return column, np.asarray(computed(op, values, params_of(node))) != 0

    def _rows(self, node: Any, i: int, place: Indices, y: np.ndarray) -> np.ndarray:
        """By the rule, entry by entry of the result."""
        node, column = readable(node), np.zeros(y.shape)
        for k in np.ndindex(*y.shape):
            seed = np.zeros(y.shape, y.dtype)
            seed[k] = 1
            column[k] = np.real(np.asarray(input_gradient(node, i, seed, False))[place])
        return column


def _unwritten(value: Any, node: Any) -> Any:
    """A value that a node kept; None if it was written in place since."""
    return None if isinstance(value, np.ndarray) and version_conflict(value, node.seq) is not None else value


def readable(node: Node) -> Any:
    """The node, or a copy whose saved values went back through the user's hooks."""
    if node.meta is None or not node.meta.packed or type(node.saved) is Freed:
        return node
    return copy_of(node, node.parents, unpacked(node.saved))


# --------------- Words for one operation of a graph: how the user called it, where, its derivative with numbers in it


HIDDEN = "\u200b"
"""Keeps apart numbers that are alike in a formula: as symbols of one name they would cancel."""


def signed(value: Any, digits: int = 6) -> str:
    """A number as it is read, with so many digits, ∞ and − by their signs."""
    value = np.asarray(value)[()]
    if np.iscomplexobj(value):
        return f"{value:.{digits}g}"
    value = float(value)
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{digits}g}".replace("-", "−") if value else "0"


def grouped(value: Any) -> str:
    """The same as a factor: in brackets where it has a sign of its own."""
    text = signed(value)
    return f"({text})" if text[0] == "−" else text


def row_name(node: Any) -> str:
    """What users call an operation."""
    if node.op is None:
        return node.name().removesuffix("Backward")
    name = node.op.label.partition("_scalar")[0]
    return _WRITTEN.get(name, name)


_WRITTEN = {"pow_tensor": "pow", "rdiv": "div", "rsub": "sub"}
"""Rows for another order of the operands, or other kinds of them."""


class CallSite:
    """Where an operation was recorded: ``where`` is 'file:line, in function', ``line`` its text, ``call`` the part of
    it that is the operation. Empty where anomaly mode was off then."""

    line: str
    call: str
    short: str

    def __init__(self, node: Any) -> None:
        place = node.meta.where if isinstance(node, Node) and node.meta is not None else None
        self.where: str = "" if place is None else str(place)
        self.line = self.call = self.short = ""
        if place is not None:
            self.short = f"{os.path.basename(place.code.co_filename)}:{place.line}"
            self.line = linecache.getline(place.code.co_filename, place.line).strip()
            self.call = _part(place)


def _part(place: Any) -> str:
    positions = list(place.code.co_positions())[place.instruction // 2]
    if None in positions:
        return ""
    first, last, start, end = positions
    lines = [linecache.getline(place.code.co_filename, k) for k in range(first, last + 1)]
    if len(lines) == 1:
        return lines[0].encode()[start:end].decode(errors="replace")
    lines[0], lines[-1] = lines[0].encode()[start:].decode(), lines[-1].encode()[:end].decode()
    return " ".join(line.strip() for line in lines)


def operand_names(node: Any) -> tuple[str, ...]:
    """What the operands of an operation are called: as the formula of its derivative calls them."""
    op, count = node.op, len(node.parents)
    return op.inputs if op is not None and len(op.inputs) == count else tuple(f"x{k}" for k in range(count))


def title(edge: Any) -> str:
    """What a user calls a tensor of the graph: a leaf by its name, else how it was computed."""
    if edge is None:
        return "a constant"
    if is_leaf_node(edge):
        return edge.label or "a leaf"
    source = edge.parents[0] if edge.op is None and len(edge.parents) == 1 and hasattr(edge, "index") else edge
    return CallSite(source).call or row_name(source)


def slope_texts(node: Any, i: int, numbers: dict[str, Any]) -> tuple[str, str]:
    """The local derivative of an elementwise operation as a formula, and with the numbers put in; empty if there is
    none that can be written."""
    try:
        term = slope_term(node.op, i, params_of(node))
    except SymgradError:
        return "", ""
    put: dict[Expr, Expr] = {
        Var(name): Var(grouped(value) + HIDDEN * k) for k, (name, value) in enumerate(numbers.items())
        if np.ndim(value) == 0
    }  # fmt: skip
    return show.to_text(term), show.to_text(substitute(term, put)).replace(HIDDEN, "")


def slope_term(op: Any, i: int, params: tuple[Any, ...]) -> Any:
    """The local derivative as a term in the operands' names."""
    variables = [Var(name, ()) for name in op.inputs]
    return derivative(lift(op, list(variables), params, ()), variables[i], {})
