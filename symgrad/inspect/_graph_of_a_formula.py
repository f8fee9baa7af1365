"""A formula's term as boxes: the sums and products that it is written in, and its symbols."""

from __future__ import annotations

from typing import Any

from .. import show
from .._postorder import postorder
from ..formulas import Formula
from ..terms import Var as Variable
from ..terms import rebuilt
from ._graph_boxes import Box


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
