"""LaTeX as MathML, which browsers set without a library: by latex2mathml, with what it does not know written here.

The idea to hold: what another library makes is not trusted. Its tree is copied tag by tag from a list, its texts are
escaped, and where anything else is in it there is no MathML.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from importlib.util import find_spec
from typing import Any

from .. import _limits
from ._graph_svg import escaped

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


@lru_cache(256)
def mathml(latex: str) -> str | None:
    """A display of MathML; None where latex2mathml is missing, or does not know something in it."""
    if not is_there() or len(latex) > _limits.REPORT_SET:
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
