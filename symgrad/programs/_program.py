"""A derivative program: made once for a structure, run for every point.

The idea to hold: the program's source is all there is to it; what it needs beside the arguments, arrays that depend on
the structure alone and functions of the table, are names of its module.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._assemble import Assembly
from ._builder import Builder
from ._emit import Source
from ._lift import Lifted
from ._stable import stable
from ._survey import Survey
from ._sweeps import Tangents, gradients, named


class Program:
    """The second derivatives of one structure, as compiled source.

    Attributes
    ----------
    source : the text of a module with one function, ``hessian``
    baked : scalars that are part of the program, by number in the survey
    fixed : arrays that are part of the structure
    """

    def __init__(self, survey: Survey, edge: Any, variables: list[Any], free: frozenset[int], sparse: bool) -> None:
        lifted = Lifted(survey, variables, free)
        term = stable(lifted.root(edge))
        builder = Builder(lifted.point)
        root = builder.atom(term)
        xs = lifted.variables
        total = sum(int(np.prod(x.shape)) for x in xs)
        found = gradients(builder, root, xs)
        assembly = Assembly(builder, [tuple(map(int, x.shape)) for x in xs], sparse)
        for b, x in enumerate(xs):
            tangents = Tangents(builder, x, total * total if not sparse else 0)
            for a in range(b + 1):
                assembly.block(a, b, tangents.of(found[a]))
        self.sparse = sparse
        self.checked, self.refused = False, ""
        self.baked, self.inputs = lifted.baked, list(lifted.inputs.items())
        self.fixed = [a.copy() for a in survey.fixed]
        self.shapes = [tuple(map(int, x.shape)) for x in xs]
        self._write(builder, assembly, lifted)

    def _write(self, builder: Builder, assembly: Assembly, lifted: Lifted) -> None:
        truths = {name for name, value in lifted.point.items() if value.dtype.kind in "biu"}
        tail = Source(builder, truths)
        live = _live(builder, assembly)
        source = Source(builder, truths)
        for var in builder.names:
            if var.name in live:
                source.define(var.name, builder.terms[var.name])
        tail.truths = source.truths
        tail.space, tail.helpers = source.space, source.helpers
        assembly.write(tail, self.sparse)
        body = [*source.lines, *tail.lines]
        self.standalone = source.standalone and tail.standalone
        self.helpers = {**source.helpers}
        constants = {k: v for k, v in builder.constants.items()}
        self.constants = constants
        self.space = {**source.space, **constants}
        text = "\n".join(body)
        self.arguments = [(name, place) for name, place in self.inputs if _mentions(text, name)]
        pieces = [p for p in assembly.pieces if p.startswith("v")]
        result = "data" if self.sparse else "H"
        lines = [
            *[h + "\n\n" for h in self.helpers.values()],
            f"def hessian({', '.join(name for name, _ in self.arguments)}):",
            *[f"    {line}" for line in body],
            f"    return {result}, ({''.join(p + ', ' for p in pieces)})",
        ]
        self.source = "\n".join(lines) + "\n"
        self.slots = getattr(assembly, "slots", None)
        space: dict[str, Any] = {"np": np, **self.space}
        if "scipy." in self.source:
            import scipy.linalg
            import scipy.special

            space["scipy"] = scipy
        exec(compile(self.source, "<symgrad derivative program>", "exec"), space)  # our own source
        self.function = space["hessian"]

    def run(self, survey: Survey) -> Any:
        """The matrix at the point of a survey of the same structure; None where a number on the way is not finite."""
        values = [
            survey.arrays[k] if kind == "array" else survey.scalars[k] for _, (kind, k) in self.arguments
        ]
        with np.errstate(all="ignore"):
            result, pieces = self.function(*values)
            for piece in pieces:
                total = np.add.reduce(piece, axis=None)
                if not total - total == 0:
                    return None
        return result


def _mentions(text: str, name: str) -> bool:
    import re

    return re.search(rf"\b{name}\b", text) is not None


def _live(builder: Builder, assembly: Assembly) -> set[str]:
    """The names that the matrix needs."""
    from ..expr._node import Var, postorder

    todo: list[str] = []
    for entry, *_ in assembly.entries:
        todo += named(entry.values)
    for _, _, plan in assembly.dense:
        for part in plan:
            if hasattr(part, "kind"):
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
