"""Words for one operation of a graph: how the user called it, where, its derivative with numbers in it."""

from __future__ import annotations

import linecache
import os
from typing import Any

import numpy as np

from ..core import Node, is_leaf_node, params_of

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


class Source:
    """Where an operation was recorded: ``where`` is 'file:line, in function', ``line`` its text, ``call`` the part of
    it that is the operation. Empty where anomaly mode was off then."""

    def __init__(self, node: Any) -> None:
        place = node.meta.where if isinstance(node, Node) and node.meta is not None else None
        self.where = "" if place is None else str(place)
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
    return Source(source).call or row_name(source)


def slope_texts(node: Any, i: int, numbers: dict[str, Any]) -> tuple[str, str]:
    """The local derivative of an elementwise operation as a formula, and with the numbers put in; empty if there is
    none that can be written."""
    from .. import show
    from .._errors import SymgradError
    from ..terms import Expr, Var, substitute

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
    from ..calculus import derivative, lift
    from ..terms import Var

    variables = [Var(name, ()) for name in op.inputs]
    return derivative(lift(op, list(variables), params, ()), variables[i], {})
