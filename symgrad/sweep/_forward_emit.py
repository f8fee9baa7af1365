"""Straight-line code for the tangent of an entry-by-entry node on arrays: what `_forward_rules.py` does by looking up.

The idea to hold: as for the way back (`core._emit`), the decisions (how many inputs, which values are saved, is the
partial a number) are taken once per row, when its first tangent is asked for. What is rare is left to the general way.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..core import emitted, gradient_source, in_float64, rebind_to_arrays
from ._forward_rules import RULES


@cache
def quick_tangent(op: Any) -> Any:
    """``(node, tangents by edge) -> tangent`` for nodes of a row whose operands fit; None for other rows."""
    if op.kind != "elementwise" or not (op.holomorphic or op.real_only) or op.name in RULES or None in op.rules:
        return None
    names: dict[str, Any] = {"multiply": np.multiply, "negative": np.negative}
    for i, rule in enumerate(op.rules):
        names[f"r{i}"] = rebind_to_arrays(rule)
        names[f"q{i}"] = in_float64(names[f"r{i}"])
    return emitted(f"{op.node.__name__}.push", _source(op), **names)


def _source(op: Any) -> str:
    lines = ["def push(n, found):", f"    {', '.join(f'p{i}' for i in range(len(op.inputs)))}, = n.parents"]
    if op.saved:
        nothing = "(" + "None, " * len(op.saved) + ")"
        many = f"{''.join(f'v_{s}, ' for s in op.saved)} = n.saved or {nothing}"
        lines.append(f"    v_{op.saved[0]} = n.saved" if op.bare else f"    {many}")
    if not {a for args in op.rule_args for a in args}.isdisjoint(op.params):
        lines.append(f"    _, ({''.join(f'v_{p}, ' for p in op.params)}), _ = n.consts")
    lines.append("    d = None")
    for i, rule in enumerate(op.rules):
        if not callable(rule) and rule == 0:
            continue
        lines += [
            f"    g = found.get(p{i})",
            "    if g is not None:",
            f"        e = {gradient_source(op, i, rule, False)}",
            "        d = e if d is None else d + e",
        ]
    return "\n".join([*lines, "    return d"])


__all__ = ["quick_tangent"]
