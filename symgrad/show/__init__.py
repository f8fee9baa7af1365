"""Text for people: how tensors, graphs and formulas are printed.

code             notes as Python source: NumPy, PyTorch, JAX, and the ASCII form that `str` may use
functions        what each operation is called, its parameters as one would write them
latex_notes      notes as LaTeX, and what a notebook shows of an object
layout           notation as a small tree: what a formula says before any back end writes it; numbers
layout_choice    the layout of a formula that is taken: with which names, tables and loops it is shortest
layout_products  from products over indices to matrix notation, and to scalars: inner products, squared norms, traces
layout_terms     from terms to notation: the note of each kind of term, sums in the order of reading, names for parts
signs            signs of Unicode text: sums, products, powers and brackets of pieces; names of symbols
source           a formula as the source of one function
text             a formula and its definitions as Unicode or ASCII text
writer           how notes are written, functions and entries too: Unicode text, and the fold that LaTeX shares with it

The idea to hold: not every session prints a formula, so that what formulas need is imported when the first one is.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .functions import LIBRARIES, Library
    from .latex_notes import to_latex
    from .layout_choice import lay
    from .source import to_code
    from .text import in_one_line, in_one_piece, to_text


_HOMES = {
    "in_one_line": "text", "in_one_piece": "text", "lay": "layout_choice", "to_code": "source",
    "to_latex": "latex_notes", "LIBRARIES": "functions", "Library": "functions",
    "to_text": "text",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = found
    return found
