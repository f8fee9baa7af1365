"""``sg.graph``: a picture of how a tensor was computed, and of its gradient; as text for terminals, too."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .._errors import DTypeError, GradientError, MissingDependencyError, compose
from .._limits import bound
from ..core import Tensor, is_leaf_node, reachable, wrap
from ..formulas import Formula
from ..show.latex_notes import shortened_in_notebooks
from ..sweep import grad as sweep_grad
from ..transforms.calls import Traced, bind_arguments
from .graph_boxes import Box, GraphReader, boxes_of, folded
from .graph_svg import Drawing, kind_of, write_file

# ---------------------------- Boxes and arrows as text: a tree for a terminal, DOT for Graphviz, Mermaid for Markdown

# The idea to hold: each language has one function that makes somebody's text harmless in it.


_FILLS = {
    "leaf": "#d7f0dc", "constant": "#eceff2", "step": "#dbeafb", "backward": "#fde6cf", "double": "#ecdffb",
    "unknown": "#e3eceb", "more": "#ffffff",
}  # fmt: skip


GRAPH_COLUMN = bound(48)
"""Signs of a step up to which the tree of a terminal makes room for a column of them."""


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
    width = max((len(left) for left, right in rows if len(left) <= GRAPH_COLUMN), default=0)
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
        label = "\n".join(_lines(box))
        lines.append(f"  {number[id(box)]} [label={_quoted(label)}, fillcolor={_quoted(_FILLS[kind_of(box)])}];")
    lines += [f"  {number[id(x)]} -> {number[id(box)]};" for box in boxes for x in box.into]
    lines += [f"  {number[id(a)]} -> {number[id(b)]} [style=dashed, constraint=false];" for a, b in back]
    return "\n".join([*lines, "}", ""])


def _lines(box: Box) -> list[str]:
    """What stands in a box."""
    title = f"{box.title()}  ×{box.times}" if box.times > 1 else box.title()
    return [title, *[text for _, text in box.lines()]]


def _entities(text: str) -> str:
    """Mermaid's own: a number sign, the code, a semicolon; letters, digits and what means nothing to it stay."""
    return re.sub(r"[^\w .,:=+/()\[\]^\u0080-\U0010ffff-]", lambda sign: f"#{ord(sign.group())};", text)


def mermaid(boxes: Sequence[Box], back: Sequence[tuple[Box, Box]], direction: str) -> str:
    """The graph as a Mermaid flowchart."""
    number = {id(box): f"n{k}" for k, box in enumerate(boxes)}
    lines = [f"flowchart {direction}"]
    for box in boxes:
        label = "<br>".join(map(_entities, _lines(box)))
        lines.append(f'  {number[id(box)]}["{label}"]:::{kind_of(box)}')
    lines += [f"  {number[id(x)]} --> {number[id(box)]}" for box in boxes for x in box.into]
    lines += [f"  {number[id(a)]} -.-> {number[id(b)]}" for a, b in back]
    lines += [
        f"  classDef {kind} fill:{_FILLS[kind]},color:#1b1f24" for kind in _FILLS if kind in set(map(kind_of, boxes))
    ]
    return "\n".join([*lines, ""])


# ------------------------------------------ ``sg.graph``: a picture of how a tensor was computed, and of its gradient

# The idea to hold: the graph is read when the picture is asked for, and what is drawn of it is text from then on; no
# tensor is kept alive, and nothing that happens to one later changes the picture.


DIRECTIONS = ("TB", "BT", "LR", "RL")


NOTEBOOK_BOXES = bound(300)
"""Boxes up to which a notebook shows the picture of a graph."""


class Graph:
    """A picture of a graph: ``print`` it, show it in a notebook, or save it.

    Attributes
    ----------
    direction : where its arrows lead, "TB", "BT", "LR" or "RL"
    """

    direction: str

    def __init__(self, boxes: list[Box], back: list[tuple[Box, Box]], direction: str, notes: list[str]) -> None:
        self._boxes, self._back, self.direction, self._notes = boxes, back, direction, notes
        self._drawn: Drawing | None = None

    def __repr__(self) -> str:
        return f"Graph({len(self._boxes)} boxes, {sum(len(box.into) for box in self._boxes)} arrows)"

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """Return a tree from the result down to the leaves; several operands are indented below what they make."""
        return "\n".join([tree(self._boxes), *[note for note in self._notes[1:] if note]])

    def svg(self) -> str:
        """Return an SVG document, in light or dark colours as the reader's screen is; the pointer shows details."""
        return self._drawing().svg()

    def html(self) -> str:
        """Return a page of its own: point at a box for its rule and value, click it to follow its gradient."""
        return self._drawing().html("graph")

    def dot(self) -> str:
        """Return the graph in Graphviz's language."""
        return dot(self._boxes, self._back, self.direction)

    def mermaid(self) -> str:
        """Return the graph as a Mermaid flowchart, which GitHub and many notebooks draw."""
        return mermaid(self._boxes, self._back, self.direction)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, in the form that its suffix says.

        Parameters
        ----------
        path : ends in .svg, .html, .dot, .mmd (Mermaid) or .txt; .png and .pdf are drawn by Graphviz

        Raises
        ------
        ValueError : the suffix is none of these
        OSError : the file cannot be written
        MissingDependencyError : Graphviz is needed and not there

        Examples
        --------
        >>> import os, tempfile
        >>> import symgrad as sg
        >>> x = sg.tensor(0.5, requires_grad=True, name="x")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sg.graph(sg.sin(x)).save(os.path.join(folder, "sine.svg"))
        ...     os.listdir(folder)
        ['sine.svg']
        """
        path = Path(path)
        kind = path.suffix.lower().removeprefix(".")
        writers: dict[str, Callable[[], Any]] = {
            "svg": self.svg, "html": self.html, "dot": self.dot, "mmd": self.mermaid, "txt": lambda: f"{self}\n",
            "png": lambda: self._by_graphviz("png"), "pdf": lambda: self._by_graphviz("pdf"),
        }  # fmt: skip
        if kind not in writers:
            raise ValueError(compose(
                f"a graph cannot be saved as {path.name!r}", f"The suffix is {path.suffix!r}.",
                f"Choose one of {', '.join('.' + k for k in writers)}.",
            ))  # fmt: skip
        content = writers[kind]()
        write_file(path, content if isinstance(content, bytes) else content.encode(), "the graph")

    def _by_graphviz(self, kind: str) -> bytes:
        try:
            import graphviz
        except ImportError as error:
            raise MissingDependencyError(
                f"a graph is drawn as {kind} by Graphviz, and the package graphviz is not installed", "",
                "Run: pip install symgrad[graph]   (or save it as .svg or .html, which needs nothing)",
            ) from error  # fmt: skip
        try:
            return graphviz.Source(self.dot()).pipe(format=kind)
        except graphviz.ExecutableNotFound as error:
            raise MissingDependencyError(
                f"a graph is drawn as {kind} by Graphviz, and its program dot is not found", "",
                "Install Graphviz (apt install graphviz, brew install graphviz), or save it as .svg or .html.",
            ) from error  # fmt: skip

    def _drawing(self) -> Drawing:
        if self._drawn is None:
            self._drawn = Drawing(self._boxes, self._back, self.direction, self._notes)
        return self._drawn

    def _repr_svg_(self) -> str | None:
        return self.svg() if len(self._boxes) <= NOTEBOOK_BOXES else None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        picture = self._repr_svg_()
        if picture is not None:
            return {"image/svg+xml": picture, "text/plain": shortened_in_notebooks(self.text())}
        said = f"{self!r}: too large for a notebook; save it as .html, or fold it, or ask for depth=20"
        return {"text/plain": f"{said}\n{shortened_in_notebooks(self.text())}"}


def graph(
    t: Any,
    *args: Any,
    values: bool = True,
    formulas: bool | None = None,
    depth: int | None = None,
    fold: bool = True,
    direction: str = "TB",
    backward: bool = False,
    double_backward: bool = False,
    names: Mapping[str, Tensor] | None = None,
) -> Graph:
    """Return a picture of how a tensor was computed: every step as it reads on paper, and what it passes back.

    Parameters
    ----------
    t : tensor that was computed from something that requires grad; or a function, run on ``args``; or a formula
    args : the arguments of a function, as for `symgrad.formula`
    values : show values: all entries of small arrays, the range of large ones
    formulas : show steps as formulas, and per operand what reaches it of an incoming gradient g; default: if there
        are no more than 200 steps
    depth : show only what is at most so many steps from the result
    fold : show the steps of a loop, and equal layers, once
    direction : where the arrows lead: "TB" (down), "BT", "LR" (right) or "RL"
    backward : record the gradients in all leaves too (of the sum, if there are several entries), and show them
    double_backward : and the gradients of those, added up
    names : names for tensors that have none, ``dict(model.named_parameters())`` say

    Returns
    -------
    Graph
        With methods text (which print shows), svg, html, dot, mermaid, and save.

    Raises
    ------
    GradientError : the tensor was not computed from anything that requires grad
    GraphFreedError : ``backward`` of a graph whose saved values an earlier backward has freed

    Notes
    -----
    Steps that a backward recorded (``create_graph=True``) have colours of their own. Hooks do not run, and no ``.grad``
    changes. A value that is gone, or that was written since, is not shown.

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.tensor([0.5, -1.0], requires_grad=True, name="w")
    >>> loss = (w.tanh() ** 2).sum()
    >>> print(sg.graph(loss, values=False))
    v3 = sum(v2)   number float64   ∂v2: g𝟏   result
    v2 = v1²       2 float64   ∂v1: 2g ⊙ v1   saves v1
    v1 = tanh(w)   2 float64   ∂w: g ⊙ (1 − tanh(w)²)   saves v1
    w              2 float64
    >>> print(sg.graph(lambda x: (x * x).mean(), sg.symbol("x", "n")))
    v2 = mean(v1)   number float64   ∂v1: g𝟏/n   result
    v1 = x²         n float64   ∂x: 2g ⊙ x   saves x
    x               n float64   symbol
    """
    _require_options(direction, depth, names or {})
    if isinstance(t, Formula):
        return Graph(boxes_of(t), [], direction, [""])
    if not isinstance(t, Tensor):
        if not callable(t):
            raise DTypeError(
                f"sg.graph draws a tensor, a function or a formula, got {type(t).__name__!r}", "",
                "Pass what was computed: sg.graph(loss).",
            )  # fmt: skip
        t = Traced(t, bind_arguments(t, args, {})).output
    _require_graph(t)
    roots: list[tuple[Tensor, str, Any]] = [(t, "result", None)]
    if backward or double_backward:
        roots += _gradients([t], "gradient in")
    if double_backward:
        roots += _gradients([g for g, *_ in roots[1:] if g._node is not None], "second gradient in")
    reader = GraphReader(roots, names or {}, values, depth)
    boxes, parts = folded(reader.all()) if fold else (reader.all(), [])
    left_out = reader.write(boxes, formulas)
    for box in boxes:
        box.source = None
    g = reader.cotangent
    notes = [f"∂a: what reaches a of an incoming gradient {g}", left_out]
    return Graph(boxes, [arrow for part in parts for arrow in part.back], direction, notes)


def _require_options(direction: str, depth: int | None, names: Mapping[str, Any]) -> None:
    if direction not in DIRECTIONS:
        raise ValueError(compose(f"a graph has no direction {direction!r}", "", f"Choose one of {DIRECTIONS}."))
    if depth is not None and (not isinstance(depth, int) or depth < 0):
        raise ValueError(compose(f"depth is a number of steps, got {depth!r}", "", "Pass 0, 1, 2, …"))
    if wrong := [name for name, named in names.items() if not isinstance(named, Tensor)]:
        raise DTypeError(
            f"names are of tensors, and {wrong[0]!r} is {type(names[wrong[0]]).__name__!r}", "",
            "Pass the tensors by their names: names=dict(model.named_parameters()).",
        )  # fmt: skip


def _require_graph(t: Tensor) -> None:
    title = f"{t.name or 'the tensor'} of shape {tuple(t._data.shape)}"
    if t._node is None and getattr(t, "_swept", False):
        raise GradientError(
            "this gradient is numbers only: the backward that made it recorded nothing", f"It is {title}.",
            "Make it with create_graph=True, or draw the loss: sg.graph(loss, backward=True).",
        )  # fmt: skip
    if t._node is None:
        raise GradientError(
            "there is no graph to draw: the tensor has no grad_fn",
            f"It is {title}, not computed from anything that requires grad (or under no_grad).",
            "Call requires_grad_() on what it is computed from, and compute it again.",
        )
    if is_leaf_node(t._node):
        raise GradientError(
            "there is no graph to draw: the tensor is a leaf, which nothing made", f"It is {title}.",
            "Draw what is computed from it.",
        )  # fmt: skip


def _gradients(outputs: list[Tensor], title: str) -> list[tuple[Tensor, str, Any]]:
    """The gradients of the outputs' sum in all leaves, recorded."""
    if not outputs:
        return []
    nodes, leaves, _, _ = reachable([t._node for t in outputs])
    wanted = [leaf.variable for leaf in leaves]
    seeds = [wrap(np.ones(t._data.shape, t._data.dtype)) for t in outputs]
    with _unwatched([*nodes, *leaves]):
        found = sweep_grad(outputs, wanted, seeds, create_graph=True, allow_unused=True)
    return [(g, title, leaf) for g, leaf in zip(found, leaves, strict=True) if g is not None]


_WATCHING = ("tensor_hooks", "pre_hooks", "hooks", "post_hooks", "retained")


@contextmanager
def _unwatched(nodes: list[Any]) -> Iterator[None]:
    """Let no hook run inside, and no gradient be kept: a picture changes nothing."""
    bags = [node.meta for node in nodes if node.meta is not None]
    before = [[getattr(bag, name) for name in _WATCHING] for bag in bags]
    for bag in bags:
        for name in _WATCHING:
            setattr(bag, name, None)
    try:
        yield
    finally:
        for bag, kept in zip(bags, before, strict=True):
            for name, value in zip(_WATCHING, kept, strict=True):
                setattr(bag, name, value)


GRAPH_NOTEBOOK = bound(60)
"""Nodes up to which a notebook shows a tensor as a picture of its graph."""


def notebook_picture(t: Tensor) -> str | None:
    """What a notebook shows of a tensor: its graph, where it has one that is not large."""
    if t._node is None or is_leaf_node(t._node):
        return None
    nodes, leaves, _, _ = reachable([t._node])
    if len(nodes) + len(leaves) > GRAPH_NOTEBOOK:
        return None
    try:
        return graph(t).svg()
    except Exception:  # whatever is wrong with a picture, a notebook shows the text
        return None
