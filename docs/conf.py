"""Sphinx configuration: `python -m sphinx docs docs/_build`, with the `docs` extra installed."""

# ruff: noqa: E402

import gc
import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
from docutils.nodes import SkipNode

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import symgrad as sg
from symgrad._errors import LAYERS, OPERATIONS
from symgrad.views.pages import mathml, parted

release = sg.__version__

gc.disable()  # it walks over the trees of all pages again and again: a fifth of the time, for half a gigabyte

project = "symgrad"
author = "symgrad developers"
copyright = "2026, symgrad developers"

extensions = ["myst_parser", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "symgrad"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_use_index = html_domain_indices = False
copybutton_exclude = ".linenos, .gp, .go, .gt, .gr"  # prompts and results
toc_object_entries = False  # tables of names stand in the pages; in the contents they would be copied into every page
smartquotes = False

NOT_SEARCHED = ("decisions/", "benchmarks")
"""Pages whose text the search leaves out: they name everything, and explain nothing of its use."""

MADE = {
    "operations": "_operations.markdown", "rules": "_rules.markdown", "numpy": "_numpy_names.markdown",
    "special": "_special.markdown", "facts": "_operations.facts", "meanings": "_operations.meanings",
    "absent": "_operations.absent", "layers": "_operations.absent", "index": "_reference.index",
    "reference": "_reference.markdown",
}  # fmt: skip
"""By mark, ``<!-- made: … -->``: the function that writes what stands in the place of the note between the marks."""

_MARK = re.compile(r"<!-- made: (\w+) -->.*?<!-- made -->", re.S)


def prepare(app, page, source):
    """Fill in what is read from the code: operations, reference, formulas. Drop the blank lines that end doctests."""

    def made(mark):
        module, _, name = MADE[mark[1]].rpartition(".")
        about = {"reference": page.partition("/")[2], "absent": OPERATIONS, "layers": LAYERS}.get(mark[1])
        return getattr(import_module(module), name)(*([about] if about else []))

    text = _MARK.sub(made, source[0])
    if page == "gallery":
        text = text.partition("\n## ")[0] + "\n" + import_module("_gallery").cards()
    text = text.replace("../examples/README.md", "examples.md")
    source[0] = re.sub(r"<!-- typeset: (.+?) -->", typeset, text).replace("\n\n```\n", "\n```\n")


def typeset(found):
    """The formula that an expression in a comment gives, as mathematics: so it is what the library says."""
    sign, _, expression = found[1].rpartition(" :: ")
    body, where = parted(eval(expression, {"sg": sg, "np": np}).latex())
    lines = [f"{sign} = {body}" if sign else body, where]
    return "\n\n".join(f"$$ {line} $$" for line in lines if line)


def not_searched(app, doctree):
    """Leave the text of some pages out of the search; their titles are found."""
    if app.env.docname.startswith(NOT_SEARCHED):
        app.env.metadata[app.env.docname]["nosearch"] = True


def inline_math(self, node):
    """Write a formula within a line."""
    self.body.append(_mathml(node).replace(' display="block"', "", 1))
    raise SkipNode


def block_math(self, node):
    """Write a formula on a line of its own, which scrolls by itself where it is wider than the page."""
    self.body.append(f'<div class="math">{_mathml(node)}</div>\n')
    raise SkipNode


def _mathml(node):
    found = mathml(node.astext())
    if found is None:
        raise ValueError(f"latex2mathml does not know something in {node.astext()}")
    return found


def setup(app):
    app.connect("source-read", prepare)
    app.connect("doctree-read", not_searched)
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
