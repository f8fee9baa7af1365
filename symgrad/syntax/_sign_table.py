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
    latex : its commands in LaTeX, the one that is printed first
    """

    binds: int = 0
    means: str = ""
    also: str = ""
    who: str = ""
    latex: str = ""


COMPARE, SUM, PREFIX, JUXT, POWER, POSTFIX = 4, 12, 25, 30, 40, 50
"""How tightly comparisons, the body of Σ, signs before an operand, things side by side, powers and indices bind."""

SIGNS = {
    "∨": Sign(1, "logical_or", who="u", latex=r"\lor \vee"),
    "⊕": Sign(2, "logical_xor", who="u", latex=r"\oplus"),
    "∧": Sign(3, "logical_and", who="u", latex=r"\land \wedge"),
    "<": Sign(COMPARE, "lt", latex=r"\lt"),
    ">": Sign(COMPARE, "gt", latex=r"\gt"),
    "<=": Sign(COMPARE, "le", "≤", latex=r"\le \leq \leqslant"),
    ">=": Sign(COMPARE, "ge", "≥", latex=r"\ge \geq \geqslant"),
    "==": Sign(COMPARE, "eq"),
    "!=": Sign(COMPARE, "ne", "≠", latex=r"\ne \neq"),
    "|": Sign(5, "logical_or", latex=r"\vert"),
    "&": Sign(6, "logical_and"),
    "+": Sign(10, "+"),
    "-": Sign(10, "-", "−"),
    "⊗": Sign(15, "⊗", who="pu", latex=r"\otimes"),
    "*": Sign(20, "*", "∗", "nt", r"\ast"),
    "/": Sign(20, "/", latex=r"\div"),
    "@": Sign(20, "*", who="nt"),
    ".*": Sign(20, "*", who="pta"),
    "./": Sign(20, "/", who="pta", latex=r"\oslash"),
    "⊙": Sign(20, "*", "∘", "pua", r"\odot \circ"),
    "·": Sign(28, "*", "×∙⋅\u0387", "u", r"\cdot \times"),
    "**": Sign(POWER, "**", who="n"),
    "^": Sign(POWER, "**", who="p"),
    ".^": Sign(POWER, "**", who="pta"),
    "^∘": Sign(POWER, "**", who="pu"),
    "~": Sign(),
    "¬": Sign(who="u", latex=r"\lnot \neg"),
    "√": Sign(who="u"),
    "'": Sign(also="′’", who="pta"),
    "‖": Sign(also="∥", who="pu", latex=r"\| \Vert \parallel"),
    "⟨": Sign(also="〈", who="pu", latex=r"\langle"),
    "⟩": Sign(also="〉", latex=r"\rangle"),
    "⌊": Sign(who="pu", latex=r"\lfloor"),
    ";": Sign(who="a"),
    "⌋": Sign(latex=r"\rfloor"),
    **dict.fromkeys("()[],:=.…", Sign()),
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
LATEX = {command[1:]: sign for sign, row in SIGNS.items() for command in row.latex.split()}
"""What a command of LaTeX, without its backslash, means."""


def command_of(sign: str) -> str:
    """The command of LaTeX that is printed for a sign, ``\\le`` for ≤ and <=."""
    row = SIGNS.get(sign) or next(row for row in SIGNS.values() if sign in row.also)
    return row.latex.split()[0]
