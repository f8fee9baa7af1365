"""The parts of a report that a formula gives: derivatives, steps, kinks, the graph, the check.

The idea to hold: a part that cannot be had says why in its place; the others are there all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import _limits, show
from .._errors import SymgradError
from .._postorder import postorder
from ..core import Tensor
from ..formulas import Formula
from ._graph_picture import graph
from ._graph_svg import escaped
from ._page import TARGETS, first_line, formula_block, graph_part, problem, steps
from ._report_check import Check


def told(make: Callable[[], str]) -> str:
    """A part, or why it cannot be had."""
    try:
        return make()
    except RecursionError:
        return '<p class="note">It is nested too deeply to be shown.</p>'
    except (SymgradError, np.linalg.LinAlgError) as error:
        return problem(error)


def is_long(f: Formula) -> bool:
    """Whether a formula is too long to be worked with by a reader, and for a while by a machine."""
    return len(str(f)) > _limits.REPORT_TEXT


TOO_LONG = '<p class="note">Left out: the formula is long. A report of a part of the function shows it.</p>'


def targets_of(f: Formula) -> list[str]:
    """What a formula is written in: SymPy writes out every entry, which takes long for large arrays."""
    symbols = sum([int(np.prod([int(n) for n in v.shape])) for v in f._background.symbols.values()])
    entries = int(np.prod([int(n) for n in f.shape]))
    small = max(entries, 1) * max(symbols, 1) <= _limits.REPORT_SYMPY and not is_long(f)
    return [t for t in TARGETS if t != "sympy" or small]


def derivative_name(f: str, wrt: str, order: int) -> str:
    return f"∂{f}/∂{wrt}" if order == 1 else f"∂²{f}/∂{wrt}²"


def block(name: str, f: Formula) -> str:
    """A formula, and whether it was checked."""
    known = "checked against the tape" if f.checked is True else str(f.checked).removeprefix("not checked: ")
    if "did not come from a recorded graph" in known:
        known = ""
    return formula_block(name, f, known, targets_of(f))


def kinks(f: Formula) -> str:
    """Where there is no derivative, and what is given there; where values jump; and where the formulas hold."""
    found = dict[str, str]()
    for term in postorder(f._expanded()):
        op = getattr(term, "op", None)
        if op is None or not (op.kink or op.truth):
            continue
        said = op.kink or "jumps where it changes between true and false, and counts as constant"
        found[show.to_text(term, limit=0).split("\n")[0]] = said
    rows = "".join(f"<tr><th><code>{escaped(k)}</code></th><td>{escaped(v)}</td></tr>" for k, v in found.items())
    return f'<div class="scroll"><table class="facts">{rows}</table></div>' if rows else ""


def conditions(formulas: Iterable[tuple[str, Formula]]) -> str:
    """Where each formula holds."""
    rows = [f"<tr><th>{escaped(n)}</th><td>{escaped(', '.join(f.conditions))}</td></tr>" for n, f in formulas
            if f.conditions]  # fmt: skip
    return f'<h3>Conditions</h3><div class="scroll"><table class="facts">{"".join(rows)}</table></div>' if rows else ""


def kinks_and_conditions(f: Formula, formulas: list[tuple[str, Formula]]) -> str:
    bent = kinks(f)
    about = (
        "<h3>No derivative, and what is given there</h3>" + bent
        if bent
        else '<p class="note">No piecewise operation; there is no derivative where a formula divides by 0.</p>'
    )
    return about + (conditions(formulas) or '<p class="note">No conditions beyond where the formulas are defined.</p>')


def derivations(formulas: Iterable[tuple[str, Formula]]) -> str:
    def one(f: Formula) -> str:
        return TOO_LONG if is_long(f) else told(lambda: steps(f.explain()))

    return "".join([f"<h3>{escaped(name)}</h3>{one(f)}" for name, f in formulas])


def picture(t: Tensor | Formula) -> tuple[str, str]:
    """The graph's part of a page and its script."""
    try:
        drawn = graph(t)
        count = len(drawn._boxes)
        if count > _limits.REPORT_GRAPH:
            text = f"The graph has {count:,} boxes, too many for a page: sg.graph(…).save(…) writes it to a file."
            return f'<p class="note">{escaped(text)}</p>', ""
        return graph_part(drawn._drawing())
    except SymgradError as error:
        return f'<p class="note">No graph: {escaped(first_line(error))}</p>', ""


def verdicts(found: Iterable[tuple[str, Callable[[], Check]]]) -> str:
    """What differences say of each derivative."""
    rows = []
    for name, make in found:
        try:
            check = make()
            sign = ("bad", "✗") if not check else ("good", "✓") if check.agreed else ("note", "?")
            said = str(check)
        except (SymgradError, np.linalg.LinAlgError) as error:
            sign, said = ("note", "?"), f"not checked: {first_line(error)}"
        rows.append(f'<tr><th>{escaped(name)}</th><td class="{sign[0]}">{sign[1]} {escaped(said)}</td></tr>')
    return f'<div class="scroll"><table class="facts">{"".join(rows)}</table></div>' if rows else ""


def numbers(value: Any) -> str:
    """An array, shortened."""
    array = np.asarray(value._data if isinstance(value, Tensor) else value)
    return np.array2string(array, precision=5, threshold=_limits.REPORT_TOLD, edgeitems=3, max_line_width=90)


__all__ = [
    "TOO_LONG", "block", "derivations", "derivative_name", "is_long", "kinks_and_conditions", "numbers", "picture",
    "targets_of", "told", "verdicts",
]  # fmt: skip
