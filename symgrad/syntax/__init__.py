"""Text of formulas as trees: signs, tokens, and what binds how tightly. It knows no tensors and no terms.

The idea to hold: NumPy, matrix notation, what symgrad prints and the patterns of rules share one alphabet and one
parser (`Parser`); what a tree means is the business of those who asked for it.
"""

from ._bars import with_roles
from ._lexer import Token, enclosing, end_of_letters, ends_operand, is_where, places_of_letters, tokens_of, with_sums
from ._parser import Parser
from ._problem import ParseError, shortened
from ._sign_table import BRACKETS, INFIX, PRODUCTS, WRITERS
from ._syntax_tree import Node

__all__ = [
    "BRACKETS", "INFIX", "PRODUCTS", "WRITERS", "Node", "ParseError", "Parser", "Token", "enclosing", "end_of_letters",
    "ends_operand", "is_where", "places_of_letters", "shortened", "tokens_of", "with_roles", "with_sums",
]  # fmt: skip
