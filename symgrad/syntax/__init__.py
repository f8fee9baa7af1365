"""Text of formulas as trees: signs, tokens, and what binds how tightly. It knows no tensors and no terms.

lexer       from text to tokens; the table of signs, letters, and the error of a text that cannot be read
parser      from tokens to a tree, by binding powers
latex_scan  LaTeX as its smallest parts, and how these are taken
latex_sums  sums of LaTeX: their letters, ranges, sets and conditions
latex       LaTeX as people write it to the tokens of any other text

The idea to hold: NumPy, matrix notation, what symgrad prints and the patterns of rules share one alphabet and one
parser (`Parser`); what a tree means is the business of those who asked for it.
"""

from .latex import LatexText, is_negation, latex_tokens
from .latex_scan import FUNCTIONS as LATEX_FUNCTIONS
from .latex_scan import is_latex, shifted_name
from .lexer import (
    ACCENTS,
    APPLIED,
    GREEK,
    INDICES,
    INFIX,
    INVERTED,
    LARGE_SIGNS,
    LETTER,
    MATRIX_PRODUCTS,
    PRODUCTS,
    RATE,
    RELATIONS,
    SIGNS,
    SPELLED_LETTERS,
    SUM,
    WRITERS,
    ParseError,
    SumRange,
    Token,
    big_sum,
    command_of,
    enclosing,
    end_of_bracket,
    end_of_letters,
    ends_logarithm,
    ends_operand,
    in_bracket,
    is_unseen,
    is_where,
    outside_brackets,
    places_of_letters,
    ranges_in,
    starts_operand,
    summed_in,
    tokens_at,
    tokens_of,
    with_roles,
)
from .parser import MODULES, OF_EACH, Node, Parser, is_truth, shortened
