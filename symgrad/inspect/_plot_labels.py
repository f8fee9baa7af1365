"""What plots share: matplotlib, loaded when something is drawn, and names of functions as its MathText.

The idea to hold: a formula stands in a legend where MathText can set it and it is short; else the name stands alone.
"""

from __future__ import annotations

import re
from typing import Any

from .. import _limits
from .._errors import MissingDependencyError

ABOVE, BELOW, NEITHER = "#b2182b", "#2166ac", "#8c8c8c"  # the sign of a number, as in maps of matrices
MAP = "RdBu_r"
_BARS = re.compile(r" ?\\[lr][vV]ert\b *")  # which MathText does not know
_CALLED = re.compile(r"(?<=[\w})|]) (?=\\(?:exp|log|sinh?|cosh?|tanh?|max|min|operatorname)\b)")  # it leaves no room


def pyplot() -> Any:
    """matplotlib.pyplot; an error that says how to install it where it is missing."""
    try:
        from matplotlib import pyplot as found
    except ImportError as error:
        raise MissingDependencyError(
            "a plot is drawn by matplotlib, which is not installed", "",
            'Run: pip install "symgrad[plot]"   (or: pip install matplotlib)',
        ) from error  # fmt: skip
    return found


def named(name: str) -> str:
    """A name as MathText: of one letter in italics, else upright."""
    if len(name) == 1 and name.isalnum():
        return name
    text = re.sub(r"([_$%{}])", r"\\\1", re.sub(r'[\\^~#"]', " ", name))  # the latter it cannot set
    return rf"\mathrm{{{text}}}"


def derivative_title(name: str, variable: str, order: int) -> str:
    """``f''(x)`` as MathText, without dollars."""
    mark = "'" * order if order < 4 else rf"^{{({order})}}"
    return f"{named(name)}{mark}({named(variable)})"


def as_label(title: str, formula: str | None) -> str:
    """The title, with its formula where that is short and can be set."""
    if formula is not None and len(formula) <= _limits.PLOT_LABEL:
        formula = _BARS.sub(lambda found: r"\Vert " if "V" in found[0] else "|", formula)
        formula = _CALLED.sub(r"\\, ", formula)
        if is_set(f"${formula}$"):
            return f"${title} = {formula}$"
    return f"${title}$"


def is_set(text: str) -> bool:
    """Whether MathText knows all signs of it."""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(text)
    except ValueError:
        return False
    return True


__all__ = ["ABOVE", "BELOW", "MAP", "NEITHER", "as_label", "derivative_title", "is_set", "named", "pyplot"]
