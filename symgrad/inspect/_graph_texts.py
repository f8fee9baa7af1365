"""Boxes and arrows as text: a tree for a terminal, DOT for Graphviz, Mermaid for Markdown.

The idea to hold: each language has one function that makes somebody's text harmless in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .. import _limits
from ._graph_boxes import Box
from ._graph_svg import kind_of

_FILLS = {
    "leaf": "#d7f0dc", "constant": "#eceff2", "step": "#dbeafb", "backward": "#fde6cf", "double": "#ecdffb",
    "unknown": "#e3eceb", "more": "#ffffff",
}  # fmt: skip


def tree(boxes: Sequence[Box]) -> str:
    """The boxes from the results down, each once: one with several operands has them indented below it."""
    rows: list[tuple[str, str]] = []
    used = {id(x) for box in boxes for x in box.into}
    stack = [(box, "", "", "") for box in boxes if id(box) not in used]  # the first of the boxes is printed last
    shown: set[int] = set()
    while stack:
        box, prefix, branch, rest = stack.pop()
        if id(box) in shown:
            rows.append((f"{prefix}{branch}{box.name}", "(above)"))
            continue
        shown.add(id(box))
        about = [text for sort, text in box.lines() if sort in ("about", "rule", "value", "gradient")]
        about += [text for sort, text in box.lines() if sort == "mark"]
        times = f"×{box.times}" if box.times > 1 else ""
        rows.append((f"{prefix}{branch}{box.title()}", "   ".join([*about, times] if times else about)))
        below = prefix + rest
        if len(box.into) == 1:
            stack.append((box.into[0], below, "", ""))
            continue
        for k, operand in reversed(list(enumerate(box.into))):
            last = k == len(box.into) - 1
            stack.append((operand, below, "└─ " if last else "├─ ", "   " if last else "│  "))
    width = max((len(left) for left, right in rows if len(left) <= _limits.GRAPH_COLUMN), default=0)
    return "\n".join(f"{left:{width}}   {right}".rstrip() for left, right in rows)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\x00", "") + '"'


def dot(boxes: Sequence[Box], back: Sequence[tuple[Box, Box]], direction: str) -> str:
    """The graph in Graphviz's language."""
    number = {id(box): f"n{k}" for k, box in enumerate(boxes)}
    lines = [
        "digraph {", f"  rankdir={direction};",
        '  node [shape=box, style="rounded,filled", fontname="DejaVu Sans Mono", fontsize=10];',
    ]  # fmt: skip
    for box in boxes:
        label = "\n".join([_titled(box), *[text for _, text in box.lines()]])
        lines.append(f"  {number[id(box)]} [label={_quoted(label)}, fillcolor={_quoted(_FILLS[kind_of(box)])}];")
    lines += [f"  {number[id(x)]} -> {number[id(box)]};" for box in boxes for x in box.into]
    lines += [f"  {number[id(a)]} -> {number[id(b)]} [style=dashed, constraint=false];" for a, b in back]
    return "\n".join([*lines, "}", ""])


def _titled(box: Box) -> str:
    return f"{box.title()}  ×{box.times}" if box.times > 1 else box.title()


def _entities(text: str) -> str:
    """Mermaid's own: a number sign, the code, a semicolon; letters, digits and what means nothing to it stay."""
    return re.sub(r"[^\w .,:=+/()\[\]^\u0080-\U0010ffff-]", lambda sign: f"#{ord(sign.group())};", text)


def mermaid(boxes: Sequence[Box], back: Sequence[tuple[Box, Box]], direction: str) -> str:
    """The graph as a Mermaid flowchart."""
    number = {id(box): f"n{k}" for k, box in enumerate(boxes)}
    lines = [f"flowchart {direction}"]
    for box in boxes:
        label = "<br>".join(map(_entities, [_titled(box), *[text for _, text in box.lines()]]))
        lines.append(f'  {number[id(box)]}["{label}"]:::{kind_of(box)}')
    lines += [f"  {number[id(x)]} --> {number[id(box)]}" for box in boxes for x in box.into]
    lines += [f"  {number[id(a)]} -.-> {number[id(b)]}" for a, b in back]
    lines += [
        f"  classDef {kind} fill:{_FILLS[kind]},color:#1b1f24" for kind in _FILLS if kind in set(map(kind_of, boxes))
    ]
    return "\n".join([*lines, ""])
