"""A derivative program: made once for a structure, run for every point.

The idea to hold: the program's source is all there is to it; what it needs beside the arguments, arrays that depend on
the structure alone and functions of the table, are names of its module.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from ..expr._node import Expr, Var, postorder
from ._builder import Builder
from ._diagonal import diagonal
from ._emit import Source
from ._fill import Assembly
from ._parts import Parts
from ._stable import stable
from ._sweeps import Tangents, gradients, named

FEW = 64
"""Rows of a matrix that is itself looked through for numbers that are not finite."""

NAMES = {"f": "value", "g": "gradient", "h": "hessian"}


class Program:
    """Value, gradient and second derivatives of one structure, as compiled source.

    Parameters
    ----------
    lifted : where the function's term comes from: ``variables``, ``point``, ``inputs``, ``baked``
    term : the function's term
    outputs : what to compute: any of 'f', 'g', 'h'
    format : 'dense', 'csr' for a sparse matrix, 'structured', 'diagonal' or 'trace' for these only

    Attributes
    ----------
    baked : scalars that are part of the program, by number in the survey
    fixed : arrays that are part of the structure
    checked, refused : whether it has been compared with the tape, and what came out if they disagreed
    """

    def __init__(self, lifted: Any, term: Expr, outputs: str = "h", format: str = "dense") -> None:
        self.outputs, self.format, self.sparse = outputs, format, format == "csr"
        self.checked, self.refused = False, ""
        self.baked, self.fixed = lifted.baked, lifted.fixed
        builder = Builder(lifted.point)
        root = builder.atom(stable(term))
        xs = lifted.variables
        self.shapes = [tuple(map(int, x.shape)) for x in xs]
        self.total = sum(map(math.prod, self.shapes))
        self.steps = [len(builder.names)]
        found = gradients(builder, root, xs) if outputs != "f" else []
        self.steps.append(len(builder.names))
        self.assembly = Assembly(builder, self.shapes, self.sparse)
        self.assembly.rows_apart = format == "dense"
        self.terms: list[tuple[int, int, Any]] = []
        self.parts: list[Expr] = []
        self.structured: Parts | None = None
        if format in ("diagonal", "trace"):
            for k, x in enumerate(xs):
                terms = Tangents(builder, x, max(self.total**2, 1 << 16)).of(found[k])
                self.parts.append(diagonal(builder, terms, self.shapes[k], format == "trace"))
        elif "h" in outputs:
            for b, x in enumerate(xs):
                tangents = Tangents(builder, x, max(self.total**2, 1 << 16) if not self.sparse else 0)
                for a in range(b + 1):
                    terms = tangents.of(found[a])
                    self.terms.append((a, b, terms))
                    self.assembly.block(a, b, terms)
        self.builder = builder
        self.zero = _why_zero(builder) if "h" in outputs and self.terms and not any(t for *_, t in self.terms) else ""
        self._write(lifted, root, found)
        builder.values.clear()  # the data belong to the caller

    def _write(self, lifted: Any, root: Expr, found: list[Expr]) -> None:
        builder, assembly = self.builder, self.assembly
        truths = {name for name, value in lifted.point.items() if np.asarray(value).dtype.kind in "biu"}
        wanted = ([root] if "f" in self.outputs else []) + (found if "g" in self.outputs else []) + self.parts
        live = self.live = _live(builder, assembly, wanted)
        source = Source(builder, truths)
        for var in builder.names:
            if var.name in live:
                source.define(var.name, builder.terms[var.name])
        results = []
        if "f" in self.outputs:
            results.append(source.expression(root, "F"))
        if "g" in self.outputs:
            results.append(self._several(source, found, "g", False))
        if self.parts:
            results.append(self._several(source, self.parts, "d", self.format == "trace"))
        elif "h" in self.outputs:
            results.append(self._matrix(source))
        self.standalone, self.helpers = source.standalone, source.helpers
        self.constants = dict(builder.constants)
        text = "\n".join(source.lines) + "\n" + "\n".join(results)
        self.arguments = [(name, place) for name, place in lifted.inputs.items() if _mentions(text, name)]
        self.pieces = [p for p in assembly.pieces if p in builder.terms and "h" in self.outputs]
        if self.total <= FEW and "h" in self.outputs and self.format == "dense" and self.pieces:
            self.pieces = ["H"]
        if self.parts:
            self.pieces = [f"d{k}" for k in range(len(self.parts))]
        self.name = NAMES[self.outputs] if len(self.outputs) == 1 else "derivatives"
        self.written, self.results = source, results
        inner = self._text(source.lines, f"({', '.join(results)},), ({''.join(p + ', ' for p in self.pieces)})")
        space: dict[str, Any] = {"np": np, **source.space, **self.constants}
        if "scipy." in inner:
            import scipy.linalg
            import scipy.special

            space["scipy"] = scipy
        exec(compile(inner, "<symgrad derivative program>", "exec"), space)  # our own source
        self.function = space[self.name]
        self.space = source.space
        self.pattern = Pattern(assembly.total, assembly.slots) if self.sparse else None

    def _text(self, lines: list[str], result: str) -> str:
        head = f"def {self.name}({', '.join(name for name, _ in self.arguments)}):"
        helpers = [h + "\n\n" for h in self.helpers.values()]
        return "\n".join([*helpers, head, *[f"    {line}" for line in lines], f"    return {result}"]) + "\n"

    @property
    def source(self) -> str:
        """The text of a module with one function, each line with the formula that it computes."""
        return self._text(self.written.commented(), ", ".join(self.results))

    def _matrix(self, source: Source) -> str:
        """The lines of the matrix of second derivatives, and what it is called."""
        if self.format == "structured":
            parts = Parts(self.assembly, source)
            kept = len(source.lines)
            if parts.write():
                self.structured = parts
                return f"({''.join(t + ', ' for t in parts.texts)})"
            del source.lines[kept:]
        self.assembly.write(source, self.sparse)
        return "data" if self.sparse else "H"

    def _several(self, source: Source, atoms: list[Expr], letter: str, numbers: bool) -> str:
        """One array (or number) per variable."""
        parts = []
        for k, (atom, shape) in enumerate(zip(atoms, self.shapes, strict=True)):
            text = source.expression(atom, f"{letter.upper()}{k}")
            covered = isinstance(atom, Var) or all(f.kind != "one" for f, _ in getattr(atom, "factors", ()))
            if numbers or not shape or (covered and atom.children):
                whole = f"{text} * 1.0" if text.isidentifier() or numbers or not shape else text
            else:
                whole = f"+{text}" if isinstance(atom, Var) else f"np.broadcast_to({text}, {shape}) * 1.0"
            source.lines.append(f"{letter}{k} = {whole}")
            parts.append(f"{letter}{k}")
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"

    def run(self, values: list[Any]) -> Any:
        """What it computes (a tuple of the outputs) from its arguments; None where a number on the way is not finite."""
        with np.errstate(all="ignore"):
            results, pieces = self.function(*values)
            for piece in pieces:
                total = np.add.reduce(piece, axis=None)
                if total - total != 0:  # infinite, or not a number
                    return None
        if self.pattern is not None:
            return (*results[:-1], self.pattern.matrix(results[-1]))
        if self.structured is not None:
            return (*results[:-1], self.structured.matrix(results[-1]))
        return results

    def values(self, survey: Any) -> list[Any]:
        """Its arguments, from a survey of the same structure."""
        number = survey.arrays[0].dtype.type  # NumPy's numbers divide by zero as arrays do
        return [survey.arrays[k] if kind == "array" else number(survey.scalars[k]) for _, (kind, k) in self.arguments]


BENT = {
    "relu": "relu", "abs": "abs", "maximum": "maximum", "minimum": "minimum", "where": "where", "sign": "sign",
    "leaky_relu_slope": "leaky_relu", "max_dim": "max", "min_dim": "min", "amax": "amax", "amin": "amin",
    "floor": "floor", "ceil": "ceil", "hardtanh_bounds": "hardtanh",
}  # fmt: skip
"""Functions that are straight on either side of a kink, by row."""


def _why_zero(builder: Builder) -> str:
    """Why there are no second derivatives."""
    bent = [BENT[t.op.name] for t in builder.terms.values() if hasattr(t, "op") and t.op.name in BENT]
    if not bent:
        return "it is linear"
    words = " and ".join(dict.fromkeys(bent))
    return f"{words} {'has' if len(set(bent)) == 1 else 'have'} no second derivative, only kinks"


class Pattern:
    """Where the entries of a sparse matrix are, and which of those computed below the diagonal goes where."""

    def __init__(self, n: int, slots: np.ndarray) -> None:
        rows, columns = slots // n, slots % n
        off = np.flatnonzero(rows != columns)
        every_row = np.concatenate([rows, columns[off]])
        every_column = np.concatenate([columns, rows[off]])
        source = np.concatenate([np.arange(len(slots)), off])
        order = np.argsort(every_row * n + every_column, kind="stable")
        kind = np.int32 if max(n, len(order)) < 2**31 else np.int64
        self.shape = (n, n)
        self.indices = every_column[order].astype(kind)
        self.gather = source[order].astype(np.intp)
        self.indptr = np.concatenate([[0], np.cumsum(np.bincount(every_row, minlength=n))]).astype(kind)

    def matrix(self, data: np.ndarray) -> Any:
        """The CSR matrix with these values on and below the diagonal."""
        from scipy.sparse import csr_matrix

        found = csr_matrix((data[self.gather], self.indices, self.indptr), shape=self.shape, copy=False)
        found.has_sorted_indices = found.has_canonical_format = True
        return found


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _live(builder: Builder, assembly: Assembly, wanted: list[Expr]) -> set[str]:
    """The names that the results need."""
    todo: list[str] = [n for atom in wanted for n in named(atom)]
    for entry, *_ in assembly.entries:
        todo += named(entry.values)
    for _, _, plan in assembly.dense:
        for part in plan:
            if isinstance(part, Expr):
                todo += [t.name for t in postorder(part) if isinstance(t, Var)]
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        term = builder.terms.get(name)
        if term is not None:
            todo += [t.name for t in postorder(term) if isinstance(t, Var)]
    return seen
