"""Where boxes and arrows go, and they as SVG and as an HTML page in which one can follow a gradient."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise, starmap
from pathlib import Path
from unicodedata import combining

from .._errors import compose
from .._limits import bound
from .graph_boxes import Box

# ------------------------------- Where boxes and arrows go: layers from top to bottom, few crossings, straight arrows

# The idea to hold: an arrow goes down one layer at a time. A longer one has a bend in each layer between, which keeps a
# place free there like a narrow box, so that no arrow runs through a box. Within a layer the order is that of the means
# of the neighbours' places (the barycentre method); the places themselves are the nearest to those means that keep
# order and distance (least squares, by pooling neighbours that would meet).


GAP, BEND, BETWEEN = 22.0, 14.0, 44.0
"""The distance of boxes, the width of a bend, the distance of layers."""


@dataclass(eq=False)
class PlacedBox:
    """A box, or a bend of an arrow, and where it is: ``x`` is its middle, ``y`` its top."""

    width: float
    height: float
    bend: bool = False
    layer: int = 0
    x: float = 0.0
    y: float = 0.0
    above: list[PlacedBox] = field(default_factory=list)
    below: list[PlacedBox] = field(default_factory=list)


@dataclass
class Layout:
    """The places of the boxes, the bends of each arrow from top to bottom (None: a stub), and the whole size."""

    places: list[PlacedBox]
    arrows: list[list[PlacedBox] | None]
    bands: list[tuple[float, float]]
    width: float
    height: float


GRAPH_PLACES = bound(600)
"""Boxes and bends up to which places are looked for at length."""


def laid_out(sizes: Sequence[tuple[float, float]], arrows: Sequence[tuple[int, int]]) -> Layout:
    """Places for boxes of these sizes (operands before what is made of them) and arrows between them.

    >>> found = laid_out([(40, 20), (40, 20), (60, 20)], [(0, 2), (1, 2)])
    >>> [place.layer for place in found.places], found.places[0].x < found.places[2].x < found.places[1].x
    ([0, 0, 1], True)
    """
    places = list(starmap(PlacedBox, sizes))
    _choose_layers(places, arrows)
    stubs = _stubs(places, arrows)
    every, chains = list(places), list[list[PlacedBox] | None]()
    for k, (i, j) in enumerate(arrows):
        if k in stubs:
            chains.append(None)
            continue
        bends = [PlacedBox(BEND, 0.0, True, n) for n in range(places[i].layer + 1, places[j].layer)]
        line = [places[i], *bends, places[j]]
        for a, b in pairwise(line):
            a.below.append(b)
            b.above.append(a)
        every += bends
        chains.append(bends)
    layers: list[list[PlacedBox]] = [[] for _ in range(max((p.layer for p in places), default=-1) + 1)]
    for place in every:
        layers[place.layer].append(place)
    few = len(every) <= GRAPH_PLACES
    _order(layers, 24 if few else 6)
    _spread(layers, 12 if few else 4)
    bands, y = [], 0.0
    for layer in layers:
        height = max(p.height for p in layer)
        for p in layer:
            p.y = y + (height - p.height) / 2
        bands.append((y, y + height))
        y += height + BETWEEN
    left = min((p.x - p.width / 2 for p in every), default=0.0)
    for p in every:
        p.x -= left
    width = max((p.x + p.width / 2 for p in every), default=0.0)
    return Layout(places, chains, bands, width, max(y - BETWEEN, 0.0))


def _choose_layers(places: list[PlacedBox], arrows: Sequence[tuple[int, int]]) -> None:
    """The longest way from a box without operands; then down to what uses a box first."""
    below: list[list[int]] = [[] for _ in places]
    above: list[list[int]] = [[] for _ in places]
    for i, j in arrows:
        below[i].append(j)
        above[j].append(i)
    for j, place in enumerate(places):
        place.layer = max((places[i].layer + 1 for i in above[j]), default=0)
    for i in reversed(range(len(places))):
        if below[i] and len(above[i]) <= len(below[i]):  # the arrows get no longer by it on the whole
            places[i].layer = min(places[j].layer for j in below[i]) - 1


GRAPH_BENDS = bound(3000)
"""Places that long arrows keep free between boxes; beyond, the longest ones are stubs with names."""


def _stubs(places: list[PlacedBox], arrows: Sequence[tuple[int, int]]) -> set[int]:
    """The arrows that are not drawn through: the longest, where all together have too many bends."""
    bends = {k: places[j].layer - places[i].layer - 1 for k, (i, j) in enumerate(arrows)}
    total, found = sum(bends.values()), set()
    for k in sorted(bends, key=lambda k: -bends[k]):
        if total <= GRAPH_BENDS:
            break
        total -= bends[k]
        found.add(k)
    return found


def _order(layers: list[list[PlacedBox]], rounds: int) -> None:
    """The order within each layer: by the means of the neighbours' numbers, down and up; the best of all rounds."""
    number = {id(p): float(k) for layer in layers for k, p in enumerate(layer)}
    best, fewest = [list(layer) for layer in layers], _crossings(layers, number)
    for k in range(rounds):
        down = k % 2 == 0
        for layer in layers[1:] if down else layers[-2::-1]:
            means = {}
            for p in layer:
                near = p.above if down else p.below
                means[id(p)] = sum(number[id(q)] for q in near) / len(near) if near else number[id(p)]
            layer.sort(key=lambda p: means[id(p)])
            number.update({id(p): float(n) for n, p in enumerate(layer)})
        found = _crossings(layers, number)
        if found < fewest:
            best, fewest = [list(layer) for layer in layers], found
    for layer, chosen in zip(layers, best, strict=True):
        layer[:] = chosen


def _crossings(layers: list[list[PlacedBox]], number: dict[int, float]) -> int:
    """How many pairs of arrows between neighbouring layers cross, counted by a tree of sums."""
    total = 0
    for layer, lower in pairwise(layers):
        tree = [0] * (len(lower) + 1)
        seen = 0
        for p in layer:
            ends = sorted(int(number[id(q)]) for q in p.below)
            for end in ends:
                total += seen
                k = end + 1
                while k:
                    total -= tree[k]
                    k -= k & -k
            for end in ends:
                seen += 1
                k = end + 1
                while k < len(tree):
                    tree[k] += 1
                    k += k & -k
    return total


def _spread(layers: list[list[PlacedBox]], rounds: int) -> None:
    """The places within the layers: near the means of the neighbours, down and up in turn, then both."""
    for layer in layers:
        _settle(layer, [0.0] * len(layer))
    for k in range(rounds):
        for layer in layers if k % 2 == 0 else reversed(layers):
            wanted = []
            for p in layer:
                near = [*p.above, *p.below] if k >= rounds - 4 else p.above if k % 2 == 0 else p.below
                near = near or [*p.above, *p.below]
                pulls = [_PULLS[p.bend + q.bend] for q in near]
                wanted.append(sum(w * q.x for w, q in zip(pulls, near, strict=True)) / sum(pulls) if near else p.x)
            _settle(layer, wanted)


_PULLS = (1.0, 2.0, 8.0)
"""How much an arrow wants to be straight: between boxes, at its ends, in its middle."""


def _settle(layer: list[PlacedBox], wanted: list[float]) -> None:
    """Put the places of a layer as near as may be to where they are wanted, in their order and apart."""
    offset, offsets = 0.0, []
    for k, p in enumerate(layer):
        if k:
            offset += (layer[k - 1].width + p.width) / 2 + (6.0 if layer[k - 1].bend and p.bend else GAP)
        offsets.append(offset)
    pools: list[list[float]] = []  # (weight, sum, count): neighbours that touch move together
    for p, want, off in zip(layer, wanted, offsets, strict=True):
        weight = 4.0 if p.bend else 1.0
        pools.append([weight, weight * (want - off), 1])
        while len(pools) > 1 and pools[-2][1] / pools[-2][0] > pools[-1][1] / pools[-1][0]:
            last = pools.pop()
            pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
    k = 0
    for weight, total, count in pools:
        for _ in range(int(count)):
            layer[k].x = total / weight + offsets[k]
            k += 1


# ------------------------------------ Boxes and arrows as SVG, and as an HTML page in which one can follow a gradient

# The idea to hold: what is measured is what is drawn. Lines have a fixed pitch, so that the width of a box follows from
# the number of signs in it; everything that is somebody's text is escaped in one place (`escaped`).


TITLE, LINE, PAD = 7.3, 6.35, 11.0
"""The widths of a sign of a title and of another line, and the room beside them."""

STACK = 8.0
"""How far the cards behind a box that stands for several look out."""

KINDS = {
    "leaf": "leaf", "constant": "constant", "step": "step of the function", "backward": "step of a backward",
    "double": "step of a backward's backward", "unknown": "step of a function or backward", "more": "left out",
}  # fmt: skip

_STYLE = """
.sg{--bg:#fff;--ink:#1b1f24;--soft:#57606a;--line:#8b949e;--leaf:#d7f0dc;--leaf-e:#2f8f46;--constant:#eceff2;
--constant-e:#8b949e;--step:#dbeafb;--step-e:#2f6fb7;--backward:#fde6cf;--backward-e:#c26a15;--double:#ecdffb;
--double-e:#7d4bc0;--unknown:#e3eceb;--unknown-e:#4f7a76;--more:#fff;--more-e:#8b949e;--rule:#8a3b12;--hot:#d1242f}
@media (prefers-color-scheme:dark){.sg{--bg:#0d1117;--ink:#e6edf3;--soft:#9aa4ae;--line:#7d8590;--leaf:#12351d;
--leaf-e:#3fb950;--constant:#21262d;--constant-e:#7d8590;--step:#0f2a47;--step-e:#58a6ff;--backward:#42270d;
--backward-e:#e3933e;--double:#2d1d4a;--double-e:#b48cf2;--unknown:#18302e;--unknown-e:#6fb3ad;--more:#0d1117;
--more-e:#7d8590;--rule:#f0b287;--hot:#ff7b72}}
.sg text{font-family:"DejaVu Sans Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:10.5px;fill:var(--soft)}
.sg .title{font-size:12px;font-weight:600;fill:var(--ink)}.sg .rule{fill:var(--rule)}
.sg .gradient{fill:var(--hot)}.sg .sheet{fill:var(--bg)}
.sg .edge path{fill:none;stroke:var(--line);stroke-width:1.2}.sg .back path{stroke-dasharray:5 4}
.sg .edge .head{fill:var(--line);stroke:none}.sg rect.box{stroke-width:1.2}
""" + "\n".join(f".sg .{k} rect.box{{fill:var(--{k});stroke:var(--{k}-e)}}" for k in KINDS)  # fmt: skip


def kind_of(box: Box) -> str:
    """How a box looks: its kind, or for a step what recorded it."""
    if box.kind != "step":
        return box.kind
    return "unknown" if box.order is None else ("step", "backward", "double")[min(box.order, 2)]


def escaped(text: str) -> str:
    return escape(re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))


def write_file(path: Path, content: bytes, what: str) -> None:
    """Write a picture or a page; an error that says what to do where that cannot be."""
    try:
        path.write_bytes(content)
    except OSError as error:
        said = compose(f"{what} cannot be written: {error.strerror}", f"The file is {str(path)!r}.",
                       "Choose a folder that is there and may be written to.")  # fmt: skip
        raise OSError(error.errno, said) from error


GRAPH_SIGNS = bound(44)
"""Signs of a line of a box."""


def _cut(text: str) -> str:
    return text if len(text) <= GRAPH_SIGNS else text[: GRAPH_SIGNS - 1] + "…"


def _signs(text: str) -> float:
    """How many signs of the usual width a text takes: fonts without a sign borrow a wider one."""
    return sum(0.0 if combining(c) else 1.0 if c < "\u2000" else 1.2 if c < "\U00010000" else 1.5 for c in text)


def _texts(box: Box) -> list[tuple[str, str]]:
    return [("title", _cut(box.title())), *[(sort, _cut(text)) for sort, text in box.lines()]]


def _size(texts: list[tuple[str, str]], higher: float, wider: float) -> tuple[float, float]:
    width = max(_signs(text) * (TITLE if sort == "title" else LINE) for sort, text in texts)
    return width + 2 * PAD + wider, 27.0 + 14.0 * (len(texts) - 1) + higher


def _n(x: float) -> str:
    return f"{x:.1f}".removesuffix(".0")


class Drawing:
    """One picture of ``boxes``, with arrows ``back`` from a repeated part to the next one like it.

    ``direction`` : where the arrows lead: TB (down), BT, LR (right) or RL.
    """

    boxes: list[Box]
    direction: str

    def __init__(self, boxes: Sequence[Box], back: Sequence[tuple[Box, Box]], direction: str, notes: list[str]) -> None:
        self.boxes, self.direction = list(boxes), direction
        number = {id(box): k for k, box in enumerate(boxes)}
        self.loops: set[int] = {number[id(a)] for a, b in back if a is b}
        self.arrows: list[tuple[int, int, str]] = [
            (number[id(x)], k, "") for k, box in enumerate(boxes) for x in box.into
        ]
        self.arrows += [(number[id(b)], number[id(a)], "back") for a, b in back if a is not b]
        self.texts: list[list[tuple[str, str]]] = [_texts(box) for box in boxes]
        self.sizes: list[tuple[float, float]] = [
            _size(t, STACK if b.times > 1 else 0.0, (38.0 if b.times > 1 else 0.0) + (26.0 if k in self.loops else 0.0))
            for k, (t, b) in enumerate(zip(self.texts, boxes, strict=True))
        ]  # fmt: skip
        self.across: bool = direction in ("LR", "RL")
        sizes = [(h, w) if self.across else (w, h) for w, h in self.sizes]
        self.layout: Layout = laid_out(sizes, [(i, j) for i, j, _ in self.arrows])
        self._choose_ports()
        self.legend: tuple[list[str], float, float] = self._legend(notes)

    # ------------------------------------------------------------------------------------------------- geometry

    def _choose_ports(self) -> None:
        """Where at a box each arrow begins and ends: side by side, in the order of what is at the other end."""
        ends: dict[tuple[int, bool], list[tuple[float, int]]] = {}
        places = self.layout.places
        for k, (i, j, _) in enumerate(self.arrows):
            line = self.layout.arrows[k]
            first, last = (line[0], line[-1]) if line else (places[j], places[i])
            ends.setdefault((i, True), []).append((first.x, k))
            ends.setdefault((j, False), []).append((last.x, k))
        self.ports: dict[tuple[int, bool], float] = {}
        for (box, below), found in ends.items():
            place = places[box]
            step = min(16.0, 0.8 * place.width / len(found))
            for n, (_, k) in enumerate(sorted(found)):
                self.ports[k, below] = place.x + (n - (len(found) - 1) / 2) * step

    def _point(self, x: float, y: float) -> tuple[float, float]:
        """From the layout's down to the picture's direction."""
        if self.direction == "BT":
            return x, self.layout.height - y
        if self.across:
            return (self.layout.height - y if self.direction == "RL" else y), x
        return x, y

    def _at(self, x: float, y: float) -> str:
        x, y = self._point(x, y)
        return f"{_n(x)} {_n(y)}"

    def _path(self, k: int) -> str:
        i, j, _ = self.arrows[k]
        a, b, bands = self.layout.places[i], self.layout.places[j], self.layout.bands
        line = self.layout.arrows[k]
        end = self.ports[k, False]
        if line is None:
            return f"M{self._at(end, bands[b.layer][0] - 18)}L{self._at(end, b.y)}"
        x, y = self.ports[k, True], a.y + a.height
        path = f"M{self._at(x, y)}"
        y = bands[a.layer][1]
        path += f"L{self._at(x, y)}"
        for place in [*line, PlacedBox(0, 0, layer=b.layer, x=end)]:
            top, bottom = bands[place.layer]
            middle = (y + top) / 2
            path += f"C{self._at(x, middle)} {self._at(place.x, middle)} {self._at(place.x, top)}"
            x, y = place.x, bottom
            path += f"L{self._at(x, b.y if place.width == 0 else y)}"
        return path

    def _head(self, k: int) -> str:
        """The arrow's head: at the end, of an arrow back at the beginning."""
        i, j, sort = self.arrows[k]
        a, b = self.layout.places[i], self.layout.places[j]
        if sort == "back":
            x, y, s = self.ports[k, True], a.y + a.height, 1
        else:
            x, y, s = self.ports[k, False], b.y, -1
        tips = [(x, y), (x - 3.5, y + 7 * s), (x + 3.5, y + 7 * s)]
        return f'<path class="head" d="M{"L".join(starmap(self._at, tips))}Z"/>'

    # -------------------------------------------------------------------------------------------------- drawing

    def svg(self) -> str:
        """The picture as an SVG document."""
        w, h = self.layout.width, self.layout.height
        w, h = (h, w) if self.across else (w, h)
        legend, legend_width, legend_height = self.legend
        w, h = max(w, legend_width), h + legend_height
        margin = 16.0
        left, top = _n(-margin), _n(-margin - legend_height)
        size = f"{_n(w + 2 * margin)} {_n(h + 2 * margin)}"
        width, height = size.split()
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" class="sg" width="{width}" height="{height}" '
            f'viewBox="{left} {top} {size}" role="img" aria-label="graph of {len(self.boxes)} boxes">',
            f"<style>{_STYLE}</style>",
            f'<rect class="sheet" x="{left}" y="{top}" width="100%" height="100%"/>',
            *legend, *[self._arrow(k) for k in range(len(self.arrows))],
            *[self._box(k) for k in range(len(self.boxes))], "</svg>", "",
        ])  # fmt: skip

    def _legend(self, notes: list[str]) -> tuple[list[str], float, float]:
        """What the colours mean, as far as they occur; the width and height that it takes."""
        there = {kind_of(box) for box in self.boxes}
        words: list[tuple[str, str]] = [(k, KINDS[k]) for k in KINDS if k in there]
        if any(box.rules for box in self.boxes):
            words.append(("", notes[0]))
        words += [("", note) for note in notes[1:] if note]
        room = max(460.0, self.layout.height if self.across else self.layout.width)
        lines, x, y, wide = list[str](), 0.0, 0.0, 0.0
        spots = []
        for sort, text in words:
            width = _signs(text) * LINE + (18 if sort else 0)
            if x and x + width > room:
                x, y = 0.0, y + 18.0
            spots.append((x, y, sort, text))
            wide, x = max(wide, x + width), x + width + 18.0
        height = y + 34.0
        for x, y, sort, text in spots:
            y -= height
            if sort:
                swatch = f'<rect class="box" x="{_n(x)}" y="{_n(y)}" width="12" height="12" rx="2"/>'
                word = f'<text x="{_n(x + 18)}" y="{_n(y + 10)}">{escaped(text)}</text>'
                lines.append(f'<g class="{sort}">{swatch}{word}</g>')
            else:
                lines.append(f'<text x="{_n(x)}" y="{_n(y + 10)}">{escaped(text)}</text>')
        return lines, wide, height

    def _arrow(self, k: int) -> str:
        i, j, sort = self.arrows[k]
        stub = ""
        if self.layout.arrows[k] is None:
            b = self.layout.places[j]
            x, y = self._point(self.ports[k, False], self.layout.bands[b.layer][0] - 21)
            stub = f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="middle">{escaped(self.boxes[i].name)}</text>'
        return (
            f'<g class="edge {sort}" data-from="{i}" data-to="{j}"><path d="{self._path(k)}"/>{self._head(k)}{stub}</g>'
        )

    def _box(self, k: int) -> str:
        box, place, (w, h) = self.boxes[k], self.layout.places[k], self.sizes[k]
        x, y = self._point(place.x, place.y + place.height / 2)
        shift = (26.0 if k in self.loops else 0.0) / 2
        stack = STACK if box.times > 1 else 0.0
        left, top, w = x - w / 2, y - h / 2 + stack, w - 2 * shift
        kind = kind_of(box)
        parts = [f'<g class="node {kind}" data-box="{k}"><title>{escaped(details(box))}</title>']
        rect = f'width="{_n(w - stack)}" height="{_n(h - stack)}" rx="5"/>'
        for n in (stack, stack / 2, 0) if stack else (0,):
            parts.append(f'<rect class="box" x="{_n(left + n)}" y="{_n(top - n)}" {rect}')
        for n, (sort, text) in enumerate(self.texts[k]):
            line = top + (18 if n == 0 else 20 + 14 * n)
            parts.append(f'<text class="{sort}" x="{_n(left + PAD)}" y="{_n(line)}">{escaped(text)}</text>')
        if stack:
            end = _n(left + w - stack - PAD / 2)
            parts.append(f'<text class="times" x="{end}" y="{_n(top + 17)}" text-anchor="end">×{box.times}</text>')
        if k in self.loops:
            right, line = left + w, top + h / 2
            parts.append(
                f'<g class="edge back" data-from="{k}" data-to="{k}"><path d="M{_n(right)} {_n(line + 8)}'
                f'C{_n(right + 26)} {_n(line + 12)} {_n(right + 26)} {_n(line - 12)} {_n(right)} {_n(line - 8)}"/></g>'
            )
        return "".join(parts) + "</g>"

    def html(self, title: str) -> str:
        """A page of its own: what is under the pointer is told beside, a click follows the way to the leaves."""
        return _PAGE.format(title=escaped(title), svg=self.svg(), style=FOLLOWED, script=self.script())

    def script(self) -> str:
        """What follows the gradients in the one picture of a page."""
        facts = json.dumps([details(box) for box in self.boxes]).replace("<", "\\u003c")
        return f"const facts = {facts};\n{FOLLOW}"


def details(box: Box) -> str:
    """All that is known of a box, in lines."""
    lines = [box.title(), *[text for _, text in box.lines()]]
    lines += [box.operation] if box.operation else []
    return "\n".join(lines + ([f"{box.times} times"] if box.times > 1 else []))


FOLLOWED = """
.sg .node{cursor:pointer}.sg.on .node,.sg.on .edge{opacity:.25}.sg.on .hot{opacity:1}
.sg .hot rect.box{stroke-width:2.4}.sg .edge.hot path{stroke:var(--hot)}
.sg .edge.hot .head{fill:var(--hot);stroke:none}.sg:focus-visible{outline:2px solid var(--step-e)}
.sg .here rect.box{stroke-width:3}
"""
"""How a picture looks whose gradients are followed, beside its own style."""

FOLLOW = """
const svg = document.querySelector("svg.sg"), about = document.getElementById("about");
const edges = [...svg.querySelectorAll("g.edge")], boxes = [...svg.querySelectorAll("g.node")];
let here = -1;
svg.setAttribute("tabindex", "0");
for (const box of boxes) {
  box.addEventListener("mouseenter", () => { about.textContent = facts[box.dataset.box]; });
  box.addEventListener("click", event => { event.stopPropagation(); follow(box.dataset.box); });
}
svg.addEventListener("click", () => follow(null));
svg.addEventListener("keydown", event => {
  const step = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
  if (step) {
    here = (here + step + boxes.length) % boxes.length;
    boxes.forEach((box, k) => box.classList.toggle("here", k === here));
    about.textContent = facts[here];
    boxes[here].scrollIntoView({block: "nearest", inline: "nearest"});
  } else if (event.key === "Enter" && here >= 0) follow(String(here));
  else if (event.key === "Escape") follow(null);
  else return;
  event.preventDefault();
});
function follow(start) {
  const way = new Set(start === null ? [] : [start]), queue = [...way], hot = new Set();
  while (queue.length) {
    const at = queue.pop();
    for (const edge of edges) {
      const made = edge.dataset.to === at && !edge.classList.contains("back");
      if (!made || boxes[edge.dataset.from].classList.contains("constant")) continue;
      hot.add(edge);
      if (!way.has(edge.dataset.from)) { way.add(edge.dataset.from); queue.push(edge.dataset.from); }
    }
  }
  svg.classList.toggle("on", start !== null);
  for (const box of boxes) box.classList.toggle("hot", way.has(box.dataset.box));
  for (const edge of edges) edge.classList.toggle("hot", hot.has(edge));
}
"""
"""The script of such a picture: what the pointer or the arrow keys are at is told, a click or Enter follows it."""

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
:root{{color-scheme:light dark}}body{{margin:0;font:13px system-ui,sans-serif}}
pre{{position:fixed;pointer-events:none;
right:12px;top:12px;margin:0;padding:10px 12px;max-width:40ch;white-space:pre-wrap;
border-radius:6px;background:Canvas;color:CanvasText;
border:1px solid GrayText;font:12px "DejaVu Sans Mono",Menlo,Consolas,monospace}}
{style}</style></head><body>{svg}<pre id="about">Point at a box: its rule and value.
Click: the way of its gradient to the leaves.</pre><script>{script}</script></body></html>
"""
