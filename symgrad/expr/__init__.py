"""Formulas: terms, the replay that builds them from a graph, and the door to SymPy."""

from ._expr import Expr
from ._formula import Formula, tensor_formula

__all__ = ["Expr", "Formula", "tensor_formula"]
