"""Text of formulas as trees: signs, tokens, and what binds how tightly. It knows no tensors and no terms.

The idea to hold: NumPy, matrix notation, what symgrad prints and the patterns of rules share one alphabet and one
parser (`Parser`); what a tree means is the business of those who asked for it.
"""

from ._alphabet import ACCENTS, GREEK
from ._bars import with_roles
from ._latex_reader import LatexText, latex_tokens
from ._latex_scan import is_latex
from ._lexer import Token, enclosing, end_of_letters, ends_operand, is_where, places_of_letters, tokens_of, with_sums
from ._parser import Parser
from ._problem import ParseError, shortened
from ._sign_table import BRACKETS, INFIX, PRODUCTS, WRITERS, command_of
from ._syntax_tree import Node

__all__ = [
    "ACCENTS", "BRACKETS", "GREEK", "INFIX", "PRODUCTS", "WRITERS", "LatexText", "Node", "ParseError", "Parser",
    "Token", "command_of", "enclosing", "end_of_letters", "ends_operand", "is_latex", "is_where", "latex_tokens",
    "places_of_letters", "shortened", "tokens_of", "with_roles", "with_sums",
]  # fmt: skip
