"""Pages of HTML that need nothing else: frame, style and script; formulas as MathML; a matrix as SVG."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from html import unescape
from importlib.resources import files
from importlib.util import find_spec
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import SymgradError
from .._limits import bound
from ..formulas import CODE, Derivation, Formula
from ..show.latex_notes import plain
from .graph_svg import FOLLOWED, escaped

# -------------------------------------------------------------------------------------------------------------------
# LaTeX as MathML, which browsers set without a library: by latex2mathml, with what it does not know written here

# The idea to hold: what another library makes is not trusted. Its tree is copied tag by tag from a list, its texts are
# escaped, and where anything else is in it there is no MathML.


_TAGS = frozenset({
    "math", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow", "mspace", "msqrt", "mstyle",
    "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
})  # fmt: skip
_ATTRIBUTES = frozenset({
    "accent", "accentunder", "fence", "form", "largeop", "linethickness", "lspace", "mathvariant", "maxsize", "minsize",
    "movablelimits", "rspace", "separator", "stretchy", "width",
})  # fmt: skip
_NAMED = re.compile(r"\\operatorname\{([^{}\\]*)\}")
_FUNCTION = r"operatorname|exp|log|sinh?|cosh?|tanh?|arc(?:sin|cos|tan)|det|max|min"
_APPLIED = re.compile(r"(?<=[\w})\]]) +(?=\\(?:" + _FUNCTION + r")(?![a-z]))")
"""Where a function stands after a factor: TeX leaves a thin space there."""


class _Unknown(Exception):
    """What is not set as MathML."""


def is_there() -> bool:
    """Whether formulas can be set."""
    return find_spec("latex2mathml") is not None


REPORT_SET = bound(6000)
"""Signs of LaTeX up to which it is set as MathML."""


@lru_cache(256)
def mathml(latex: str) -> str | None:
    """A display of MathML; None where latex2mathml is missing, or does not know something in it."""
    if not is_there() or len(latex) > REPORT_SET:
        return None
    try:
        rows = [[_inside(cell) for cell in _split(row, "&")] for row in _split(_unwrapped(latex), "\\\\")]
    except Exception:  # whatever the library stumbles on is shown as text
        return None
    if len(rows) == 1 and len(rows[0]) == 1:
        body = rows[0][0]
    else:
        cells = ["".join(f"<mtd>{cell}</mtd>" for cell in row) for row in rows]
        body = f'<mtable class="aligned" displaystyle="true">{"".join(f"<mtr>{row}</mtr>" for row in cells)}</mtable>'
    return f'<math display="block" alttext="{escaped(latex)}">{body}</math>'


def parted(latex: str) -> tuple[str, str]:
    """A formula and what is said below it, ``where r = …``; either may be several lines."""
    rows = _split(_unwrapped(latex), "\\\\")
    first = next((k for k, row in enumerate(rows) if r"\text{where}" in row), len(rows))
    body, where = (" \\\\ ".join(part) for part in (rows[:first], rows[first:]))
    if first == 1:
        body = body.strip().removeprefix("&")
    return tuple(rf"\begin{{aligned}}{part}\end{{aligned}}" if "&" in part else part for part in (body, where))  # type: ignore[return-value]


def _unwrapped(latex: str) -> str:
    latex = latex.strip()
    start, end = "\\begin{aligned}", "\\end{aligned}"
    if latex.startswith(start) and latex.endswith(end):
        return latex[len(start) : -len(end)]
    return latex


def _split(latex: str, sign: str) -> list[str]:
    """The parts between signs that stand in no braces and in no environment."""
    parts, depth, begin, k = list[str](), 0, 0, 0
    while k < len(latex):
        opened = latex.startswith("\\begin{", k)
        depth += (opened or latex[k] == "{") - (latex.startswith("\\end{", k) or latex[k] == "}")
        if opened or latex.startswith("\\end{", k):
            k = latex.index("}", k) + 1
            continue
        if depth == 0 and latex.startswith(sign, k):
            parts.append(latex[begin:k])
            k = begin = k + len(sign)
            continue
        k += 2 if latex[k] == "\\" else 1
    return [*parts, latex[begin:]]


def _inside(latex: str) -> str:
    """What stands between <math> and </math>."""
    if not latex.strip():
        return ""
    from latex2mathml.converter import convert_to_element

    latex = _APPLIED.sub(r" \\, ", latex)
    latex = _NAMED.sub(r"\\text{\1}", latex)  # as names of functions latex2mathml takes letters alone
    (row,) = convert_to_element(latex.replace("<", r"\lt ").replace(">", r"\gt "))
    return _copied(row)


def _copied(element: Any) -> str:
    tag, text = element.tag, unescape(element.text or "")
    if tag == "mo" and text.isalnum():
        tag = "mi"  # the name of a function: an operator's room around it would part it from its argument
    if tag not in _TAGS or "\\" in text or text == "&" or (element.tail or "").strip():
        raise _Unknown(tag, text)
    given = "".join([f' {k}="{escaped(v)}"' for k, v in element.attrib.items() if k in _ATTRIBUTES])
    if tag == "mo" and text in ("‖", "|") and "stretchy" not in given:
        given += ' stretchy="false" lspace="0" rspace="0"'  # else they grow or shrink, one apart from the other
    return f"<{tag}{given}>{escaped(text)}{''.join(map(_copied, element))}</{tag}>"


# -------------------------------------------------------------------------------------------------------------------
# Pages of HTML that need nothing else: their frame, their style and script, formulas and what one copies of them

# The idea to hold: a page is made of strings that are HTML; what is somebody's text becomes one by `escaped` alone.
# There is no event and no style in an attribute, so that a page works under a policy that allows its own script only.


NO_MATHML = "Formulas are shown as text: with pip install symgrad[report] they are set as in a book."


class Section(NamedTuple):
    """A part of a page: its address in it, its title, and HTML."""

    anchor: str
    title: str
    body: str


@cache
def asset(name: str) -> str:
    """A file that comes along with the package."""
    return (files("symgrad") / "data" / name).read_text(encoding="utf-8")


def page(title: str, head: str, sections: Iterable[Section], script: str = "", nonce: str = "") -> str:
    """A whole page.

    Parameters
    ----------
    title : a text
    head : HTML before the sections
    sections : what the page tells, in order
    script : of the graph in it
    nonce : what the server's policy knows this page's style and script by
    """
    sections = [s for s in sections if s.body]
    known = f' nonce="{escaped(nonce)}"' if nonce else ""
    ways = "".join(f'<li><a href="#{s.anchor}">{escaped(s.title)}</a></li>' for s in sections)
    parts = "".join(
        f'<section id="{s.anchor}"><h2>{escaped(s.title)}</h2>{s.body}</section>' for s in sections
    )  # fmt: skip
    parts = parts.replace("<style>", f"<style{known}>")  # a graph's own
    note = "" if is_there() else f'<p class="note">{NO_MATHML}</p>'
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><meta name="color-scheme" '
        f'content="light dark"><title>{escaped(title)}</title><style{known}>{asset("page.css")}{FOLLOWED}'
        "</style></head>"
        f"<body><main>{head}{note}"
        + (
            f'<nav class="parts" aria-label="parts of this page"><ul><li>On this page</li>{ways}</ul></nav>'
            if len(sections) > 1
            else ""
        )
        + f'{parts}</main><p id="said" role="status" aria-live="polite"></p>'
        f"<script{known}>{asset('page.js')}</script>"
        + (f"<script{known}>{script}</script>" if script else "")
        + "</body></html>\n"
    )


def copy_button(label: str, content: str) -> str:
    """A button that copies a text."""
    title = f"Copy as {label}" if label != "Copy" else label
    return f'<button type="button" data-copy="{escaped(content)}" title="{escaped(title)}">{escaped(label)}</button>'


def formula_block(name: str, f: Formula, known: str = "", targets: Iterable[str] = CODE) -> str:
    """A formula with its name, where it holds, and buttons that copy it; ``known`` says how it was checked."""
    sources = {"LaTeX": f.latex()}
    left_out = []
    for target in targets:
        try:
            sources[CODE[target]] = f.code(target)
        except SymgradError as error:
            left_out.append(f"{CODE[target]}: {first_line(error)}")
    buttons = "".join(starmap(copy_button, sources.items()))
    holds = "".join(f"<li>{escaped(text)}</li>" for text in f.conditions)
    where = f'<div class="where">Holds where<ul>{holds}</ul></div>' if holds else ""
    shown = "".join(f"<h4>{label}</h4><pre>{escaped(source)}</pre>" for label, source in sources.items())
    missing = "".join(f'<p class="note">Not as {escaped(text)}</p>' for text in left_out)
    text = escaped(str(f))
    body = mathml(f.latex()) or f"<pre>{text}</pre>"
    return (
        f'<figure class="formula"><figcaption><b>{escaped(name)}</b><small>{escaped(known)}</small></figcaption>'
        f'<div class="math" tabindex="0" role="group" aria-label="{escaped(name)}">{body}</div>'
        f'{where}<div class="copy"><span>Copy</span>{buttons}</div>'
        f"<details><summary>as text and code</summary><h4>Text</h4><pre>{text}</pre>{shown}{missing}</details>"
        "</figure>"
    )


def steps(derivation: Derivation) -> str:
    """A derivation as a table: what is equal, and why."""
    if not is_there():
        return f'<div class="math" tabindex="0">{derivation.html()}</div>'
    rows = []
    for line in derivation._lines:
        reason = plain(line.reason) + (f" (if {line.condition})" if line.condition else "")
        if not line.terms:
            rows.append(f'<tr><td colspan="2">{escaped(reason)}</td></tr>')
            continue
        terms, notes = list[str](), dict[str, str]()
        for term in line.terms:
            body, where = parted(derivation._tex(term))
            terms.append(mathml(body) or f"<code>{escaped(body)}</code>")
            notes |= {where: mathml(where) or ""} if where else {}
        shown = "<span>=</span>".join(["let " * (line.kind == "let") + terms[0], *terms[1:]])
        below = "".join(f'<div class="row">{note}</div>' for note in notes.values())
        rows.append(f'<tr><td><div class="row">{shown}</div>{below}</td><td>{escaped(reason)}</td></tr>')
    rows += [f'<tr><td colspan="2">{escaped(text)}</td></tr>' for text in map(plain, derivation._end())]
    body = f'<table class="steps">{"".join(rows)}</table>'
    return (
        f'<div class="math" tabindex="0">{body}</div><div class="copy">{copy_button("LaTeX", derivation.latex())}</div>'
    )


def first_line(error: BaseException) -> str:
    return str(error).split("\n")[0] or type(error).__name__


def problem(error: BaseException) -> str:
    """HTML of an error: what failed, the evidence and the next step."""
    what, *rest = str(error).split("\n")
    return f'<div class="problem" role="alert"><b>{escaped(what)}</b><pre>{escaped(chr(10).join(rest))}</pre></div>'


def graph_part(drawing: Any) -> tuple[str, str]:
    """The picture of a graph with what is told about it, and its script."""
    zoom = "".join(
        f'<button type="button" data-zoom="{by}" title="{title}">{sign}</button>'
        for by, title, sign in (("1.25", "larger", "+"), ("0.8", "smaller", "−"), ("0", "as wide as the page", "fit"))
    )  # fmt: skip
    hint = "Point at a box (or use the arrow keys): its rule and value.\n"
    hint += "Click it (or Enter): its gradient's way to the leaves."
    return (
        f'<div class="copy"><span>Zoom</span>{zoom}</div><div class="picture">{drawing.svg()}</div>'
        f'<pre id="about" aria-live="polite">{hint}</pre>',
        drawing.script(),
    )


# --------------------------- A matrix and its eigenvalues as SVG: a map of its entries, and a bar for each eigenvalue

# The idea to hold: colours say the sign and how strong they are says the size, as a square root, so that entries of a
# hundredth of the largest are seen. A matrix of many rows is drawn in blocks, by the largest entry of each.


_SIDE = 300.0


REPORT_CELLS = bound(48)
"""Rows up to which the map of a matrix has a square for each entry; beyond, for blocks."""


def matrix_map(matrix: np.ndarray, labels: Sequence[str]) -> str:
    """The entries of a square matrix: red above 0, blue below."""
    n = len(matrix)
    blocks, each = in_blocks(matrix, REPORT_CELLS)
    count = len(blocks)
    top = float(np.abs(blocks[np.isfinite(blocks)]).max(initial=0)) or 1.0
    room, told = _SIDE / count, n <= _limits.REPORT_TOLD
    cells = []
    for (i, j), value in np.ndenumerate(blocks):
        if not np.isfinite(value) or not value:
            continue
        title = f"<title>{escaped(f'{labels[i]}, {labels[j]}: {value:.4g}')}</title>" if told else ""
        cells.append(
            f'<rect class="{"p" if value > 0 else "n"}" x="{j * room:.2f}" y="{i * room:.2f}" width="{room:.2f}" '
            f'height="{room:.2f}" fill-opacity="{np.sqrt(abs(value) / top):.2f}">{title}</rect>'
        )
    size = f"{n} × {n}" + (f", each square the largest of {each} × {each} entries" if each > 1 else "")
    return (
        f'<svg width="{_SIDE + 2:.0f}" height="{_SIDE + 36:.0f}" viewBox="-1 -1 {_SIDE + 2:.0f} {_SIDE + 36:.0f}" '
        f'role="img" aria-label="map of the matrix, {escaped(size)}">{"".join(cells)}'
        f'<rect class="axis" x="0" y="0" width="{_SIDE:.0f}" height="{_SIDE:.0f}"/>'
        f'<text x="0" y="{_SIDE + 16:.0f}">{escaped(size)}</text>'
        f'<text x="0" y="{_SIDE + 31:.0f}">red above 0, blue below, up to {top:.3g}</text></svg>'
    )


def in_blocks(matrix: Any, most: int) -> tuple[np.ndarray, int]:
    """The matrix, or where it has more rows than ``most`` by blocks its entries of the largest size; and how many rows
    a block has. What is not finite is larger than any number. The matrix may be one of SciPy's sparse ones."""
    n = matrix.shape[0]
    each = max(-(-n // most), 1)
    count = -(-n // each)
    if isinstance(matrix, np.ndarray):
        if each == 1:
            return matrix, 1
        (rows, columns), values = np.indices(matrix.shape), matrix
    else:
        stored = matrix.tocoo()
        stored.sum_duplicates()
        rows, columns, values = stored.row, stored.col, stored.data
    order = np.argsort(np.where(np.isfinite(values), np.abs(values), np.inf), axis=None, kind="stable")
    where = (rows.reshape(-1) // each * count + columns.reshape(-1) // each)[order]
    blocks = np.zeros(count * count)
    blocks[where] = values.reshape(-1)[order]  # of several for one block the last stays, which is the largest
    return blocks.reshape(count, count), each


def spectrum(values: np.ndarray, tolerance: float) -> str:
    """A bar for each eigenvalue; by orders of magnitude where they are of many."""
    values = np.sort(np.where(np.abs(values) <= tolerance, 0.0, values))
    size = np.abs(values[values != 0])
    orders = len(size) > 1 and size.max() > _limits.REPORT_RANGE * size.min()
    heights = np.sign(values) * np.log1p(np.abs(values) / size.min()) if orders else values
    high, low = max(heights.max(initial=0), 0.0), min(heights.min(initial=0), 0.0)
    scale = 260.0 / ((high - low) or 1.0)
    zero, step = 20 + high * scale, _SIDE / max(len(values), 1)
    bars = []
    for k, (value, height) in enumerate(zip(values, heights, strict=True)):
        length = max(abs(height) * scale, 1.5)
        y = zero - length if height > 0 else zero
        title = f"<title>{value:.6g}</title>" if len(values) <= REPORT_CELLS else ""
        bars.append(
            f'<rect class="{"p" if value > 0 else "n"}" x="{k * step + 0.1 * step:.2f}" y="{y:.2f}" '
            f'width="{0.8 * step:.2f}" height="{length:.2f}">{title}</rect>'
        )
    scaled = "logarithmic" if orders else "linear"
    return (
        f'<svg width="{_SIDE + 2:.0f}" height="{_SIDE + 36:.0f}" viewBox="-1 -1 {_SIDE + 2:.0f} {_SIDE + 36:.0f}" '
        f'role="img" aria-label="eigenvalues from {values[0]:.4g} to {values[-1]:.4g}">{"".join(bars)}'
        f'<path class="axis" d="M0 {zero:.1f}H{_SIDE:.0f}"/><text x="0" y="12">eigenvalues, {scaled}</text>'
        f'<text x="0" y="{_SIDE + 31:.0f}">{values[0]:.4g}</text>'
        f'<text x="{_SIDE:.0f}" y="{_SIDE + 31:.0f}" text-anchor="end">{values[-1]:.4g}</text></svg>'
    )
