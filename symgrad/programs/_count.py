"""How much work a program is: multiplications, by what they are for.

The idea to hold: every definition is one operation on arrays of known shapes, so its work is a product of sizes. An
element-wise function counts as one operation per entry, whichever it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..terms import Expr
from ._assemble import Gram, Pairs
from ._terms import entries, flops


class Work(NamedTuple):
    """Floating-point operations for the value, for the gradient in addition, for the second derivatives in addition;
    and bytes: of the matrix, and of the largest array on the way to it."""

    value: float
    gradient: float
    hessian: float
    result: float
    largest: float


def work(program: Any) -> Work:
    """The work of a program."""
    builder, module = program.builder, program.module
    first, second = program.steps
    parts = [0.0, 0.0, 0.0]
    largest = 0
    for place, var in enumerate(builder.names):
        term = builder.terms[var.name]
        part = 0 if place < first else 1 if place < second else 2
        parts[part] += flops(term)
        if var.name in program.live:
            largest = max(largest, entries(var.shape))
    parts[2] += sum(_of_part(part, program.total) for _, _, part in program.assembly.dense)
    parts[2] += sum(entry.rows.size for entry, *_ in program.assembly.entries)
    stored = len(module.pattern.indices) if program.sparse else program.total**2
    if module.structured is not None:
        atoms = [field for _, _, part in program.assembly.dense for field in part if isinstance(field, Expr)]
        stored = sum([_stored(a) for a in atoms]) + 2 * len(program.assembly.lower.slots)
    return Work(parts[0], parts[1], parts[2], 8.0 * stored, 8.0 * largest)


def _stored(atom: Any) -> int:
    """Numbers that are kept of a part: products are not multiplied out."""
    arrays = [f for f, _ in atom.factors if f.kind != "one"] if atom.kind == "ein" else [atom]
    return sum([entries(a.shape) for a in arrays])


def _of_part(part: Any, n: int) -> float:
    if not isinstance(part, Gram | Pairs):
        return flops(part.value) + n
    inner = entries(part.A.shape[len(part.over) :])
    if isinstance(part, Gram):
        return float(entries(part.A.shape) * (inner + 1))
    pairs = entries(part.N.shape[len(part.over) :])
    return float(entries(part.A.shape) * (inner + 1) * ((pairs + 1) // 2))
