"""The table of signs: how tightly each binds, what it means, how else it is written, and who writes it."""

from __future__ import annotations

from typing import NamedTuple


class Sign(NamedTuple):
    """A sign.

    Attributes
    ----------
    binds : how tightly it holds the operands at its sides together; 0 if it does not stand between operands
    means : the arithmetic or the function of symgrad that it is between numbers
    also : other characters for it
    who : those who write it: "p" settles that a text is written as on paper, "u" stands in what symgrad prints, "t" is
        typed for a matrix language, "n" is NumPy's, "a" tells that ``*`` is the product of matrices
    """

    binds: int = 0
    means: str = ""
    also: str = ""
    who: str = ""


COMPARE, SUM, PREFIX, JUXT, POWER, POSTFIX = 4, 12, 25, 30, 40, 50
"""How tightly comparisons, the body of Σ, signs before an operand, things side by side, powers and indices bind."""

SIGNS = {
    "∨": Sign(1, "logical_or", who="u"),
    "⊕": Sign(2, "logical_xor", who="u"),
    "∧": Sign(3, "logical_and", who="u"),
    "<": Sign(COMPARE, "lt"),
    ">": Sign(COMPARE, "gt"),
    "<=": Sign(COMPARE, "le", "≤"),
    ">=": Sign(COMPARE, "ge", "≥"),
    "==": Sign(COMPARE, "eq"),
    "!=": Sign(COMPARE, "ne", "≠"),
    "|": Sign(5, "logical_or"),
    "&": Sign(6, "logical_and"),
    "+": Sign(10, "+"),
    "-": Sign(10, "-", "−"),
    "⊗": Sign(15, "⊗", who="pu"),
    "*": Sign(20, "*", "∗", "nt"),
    "/": Sign(20, "/"),
    "@": Sign(20, "*", who="nt"),
    ".*": Sign(20, "*", who="pta"),
    "./": Sign(20, "/", who="pta"),
    "⊙": Sign(20, "*", "∘", "pua"),
    "·": Sign(28, "*", "×∙⋅\u0387", "u"),
    "**": Sign(POWER, "**", who="n"),
    "^": Sign(POWER, "**", who="p"),
    ".^": Sign(POWER, "**", who="pta"),
    "^∘": Sign(POWER, "**", who="pu"),
    "~": Sign(),
    "¬": Sign(who="u"),
    "√": Sign(who="u"),
    "'": Sign(also="′’", who="pta"),
    "‖": Sign(also="∥", who="pu"),
    "⟨": Sign(also="〈", who="pu"),
    "⟩": Sign(also="〉"),
    "⌊": Sign(who="pu"),
    ";": Sign(who="a"),
    **dict.fromkeys("⌋()[],:=.…", Sign()),
}  # fmt: skip
INFIX = {sign: row.means for sign, row in SIGNS.items() if row.binds} | {"juxt": "*", "sup": "**"}
"""What stands between operands (``juxt``: nothing, ``sup``: an exponent in superscript), and what it means."""

WRITERS = {writer: frozenset(sign for sign, row in SIGNS.items() if writer in row.who) for writer in "puatn"}
"""The signs of those who write them, see `Sign`."""

PRODUCTS = frozenset({"*", "juxt", "·", ".*", "⊙"})
BRACKETS = {"(": ")", "[": "]", "⟨": "⟩", "⌊": "⌋"}
CLOSING = {**BRACKETS, "‖": "‖", "|": "|"}
STARTS = frozenset({*BRACKETS, "√", "-", "~", "¬"})
"""Signs that an operand may start with; one may end with those of `ENDS`."""
ENDS = frozenset({*BRACKETS.values(), "'"})
