"""Pages of HTML that need nothing else: their frame, their style and script, formulas and what one copies of them.

The idea to hold: a page is made of strings that are HTML; what is somebody's text becomes one by `escaped` alone. There
is no event and no style in an attribute, so that a page works under a policy that allows its own script only.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from .._errors import SymgradError
from ..formulas import Derivation, Formula
from ._graph_svg import FOLLOWED, escaped
from ._page_math import is_there, mathml, parted

TARGETS = {"numpy": "NumPy", "torch": "PyTorch", "jax": "JAX", "sympy": "SymPy"}
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
        + (f'<nav aria-label="parts of this page"><ul>{ways}</ul></nav>' if len(sections) > 1 else "")
        + f'{parts}</main><p id="said" role="status" aria-live="polite"></p>'
        f"<script{known}>{asset('page.js')}</script>"
        + (f"<script{known}>{script}</script>" if script else "")
        + "</body></html>\n"
    )


def copy_button(label: str, content: str) -> str:
    """A button that copies a text."""
    title = f"Copy as {label}" if label != "Copy" else label
    return f'<button type="button" data-copy="{escaped(content)}" title="{escaped(title)}">{escaped(label)}</button>'


def formula_block(name: str, f: Formula, known: str = "", targets: Iterable[str] = TARGETS) -> str:
    """A formula with its name, where it holds, and buttons that copy it; ``known`` says how it was checked."""
    sources = {"LaTeX": f.latex()}
    left_out = []
    for target in targets:
        try:
            sources[TARGETS[target]] = f.code(target)
        except SymgradError as error:
            left_out.append(f"{TARGETS[target]}: {first_line(error)}")
    buttons = "".join(copy_button(label, source) for label, source in sources.items())
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
    for line in derivation.lines:
        reason = line.reason + (f" (if {line.condition})" if line.condition else "")
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
    rows += [f'<tr><td colspan="2">{escaped(text)}</td></tr>' for text in derivation._end()]
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


__all__ = ["Section", "asset", "copy_button", "first_line", "formula_block", "graph_part", "page", "problem", "steps"]
