"""A derivation as it is written on a board: names, differentials, gradients back to the variable, rewrites.

The idea to hold: a derivation is lines of equal terms, with reasons. `_board` makes them; here they are written.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

from .. import _limits, show
from .._postorder import postorder
from ..show._layout import LAST
from ..show._notebook import cut_in_ipython, in_dollars
from ._node import Expr, Var


class Line(NamedTuple):
    """One line: terms that are equal, the first most often a name; why; and where.

    ``kind`` is 'function', 'let', 'differential', 'gradient', 'rewrite' or 'result'; a line of text alone has no terms.
    """

    kind: str
    terms: tuple[Expr, ...]
    reason: str = ""
    condition: str = ""


class Derivation:
    """The derivation of a formula: ``text()`` (or ``str``), ``markdown()``, ``latex()``, ``html()``.

    Attributes
    ----------
    lines : the lines in order
    conditions : where the result holds

    Examples
    --------
    >>> import symgrad as sg
    >>> f = sg.parse("sum((A@x - b)**2)", A=("m", "n"))
    >>> f.grad("x").explain()
    f = ‖Ax − b‖²
    let r = Ax − b
    f = ‖r‖²
    df = 2rᵀ dr    chain rule: d r² = 2r dr
    dr = A dx      linear in x
    Back from f to x, r̄ being the gradient of f in r:
    r̄ = 2r
    g = ∂f/∂x = Aᵀr̄ = 2Aᵀr = 2Aᵀ(Ax − b)
    """

    def __init__(
        self, lines: Sequence[Line], conditions: Sequence[str], names: dict[str, str], taken: Collection[str] = ()
    ) -> None:
        self.lines, self.conditions, self._names, self._taken = tuple(lines), tuple(conditions), names, taken

    @cached_property
    def _laid(self) -> dict[Expr, Any]:
        """The notation of each term: a letter means one thing on all lines, and is no name of the problem."""
        terms = list(dict.fromkeys([t for line in self.lines for t in line.terms]))
        taken, meanings = {v.name for v in postorder(*terms) if isinstance(v, Var)} | set(self._taken), dict[str, Any]()
        return {t: show.lay(t, taken, meanings) for t in terms}

    def __str__(self) -> str:
        lines = self._written(self._text, str, "{}", "  ")
        width = max([len(text) for text, reason, _ in lines if reason and len(text) <= _limits.REASONS], default=0)
        out = [(f"{text:{width}}    {reason}" if reason else text) + notes for text, reason, notes in lines]
        return "\n".join([*out, *self._end()])

    __repr__ = text = __str__
    _repr_pretty_ = cut_in_ipython

    def html(self) -> str:
        """Return a table: what is equal, and why."""
        rows = [
            f"<tr><td>{escape(text + notes)}</td><td>{escape(reason)}</td></tr>"
            for text, reason, notes in self._written(self._text, str, "{}", "  ")
        ]
        rows += [f'<tr><td colspan="2">{escape(text)}</td></tr>' for text in self._end()]
        return "<table>\n" + "\n".join(rows) + "\n</table>"

    def markdown(self) -> str:
        """Return Markdown, the mathematics between dollars."""
        lines = self._written(self._tex, self._worded, "${}$", "")
        return "\n\n".join([text + f"  *({reason})*" * bool(reason) for text, reason, _ in lines] + self._end())

    def _repr_markdown_(self) -> str | None:
        text = self.markdown()
        return text if len(text) <= _limits.NOTEBOOK_LATEX else None

    def _repr_latex_(self) -> str | None:
        return in_dollars(self.latex())

    def latex(self) -> str:
        """Return LaTeX: a display of aligned lines, the reasons as text."""
        rows = []
        for line in self.lines:
            said = rf"\text{{{self._worded(_said(line))}}}"
            if not line.terms:
                rows.append(rf"&{said}")
                continue
            first, *rest = [self._tex(t) for t in line.terms]
            first = r"\text{let } " * (line.kind == "let") + first
            rows.append(" ".join([first, *[f"&= {t}" if k == 0 else f"= {t}" for k, t in enumerate(rest)]]))
            if _said(line):
                rows[-1] += rf" && {said}"
        rows += [rf"&\text{{{self._worded(text)}}}" for text in self._end()]
        return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"

    def _text(self, term: Expr) -> str:
        return show.to_text(term, limit=_limits.NOTES, laid=self._laid[term]).replace(LAST, "")

    def _tex(self, term: Expr) -> str:
        text = show.to_latex(term, laid=self._laid[term])
        for name, written in self._names.items():
            text = text.replace(show.to_latex(Var(name)), written)
        return text

    def _worded(self, text: str) -> str:
        """Words in LaTeX: the letters made here (r̄) are mathematics in them."""
        text = text.replace("_", r"\_")
        for name in sorted(self._names, key=len, reverse=True):  # v̄10 before v̄1
            if "\u0304" in name:
                text = text.replace(name.replace("_", r"\_"), f"${self._names[name]}$")
        return text

    def _end(self) -> list[str]:
        return ["Holds where " + ", ".join(self.conditions) + "."] if self.conditions else []

    def _written(self, write: Any, words: Any, frame: str, indent: str) -> list[tuple[str, str, str]]:
        """The lines as text, reason, and what letters in it stand for."""
        out = []
        for line in self.lines:
            bodies: dict[str, None] = {}
            notes: dict[str, None] = {}
            for term in line.terms:
                body, *where = write(term).split("\nwhere ", 1)
                bodies[body] = None
                notes.update(dict.fromkeys([n.strip() for block in where for n in block.split("\n")]))
            text = "let " * (line.kind == "let") + frame.format(" = ".join(bodies)) if bodies else words(line.reason)
            where = f"\n{indent}where " + f"\n{indent}      ".join(notes) if notes else ""
            if not bodies or len(bodies) > 1:
                out.append((text, _said(line) if bodies else "", where))
        return out


def _said(line: Line) -> str:
    return line.reason + (f" (if {line.condition})" if line.condition else "")
