"""Formulas: interned terms in index notation, lifted from graphs, differentiated, simplified; and the door to SymPy."""

from ..ops._public import settle as _settle
from . import _lift_linalg, _lift_products, _lift_reductions, _lift_shapes  # noqa: F401  (they fill the table of lifts)
from ._formula import Formula
from ._identities import JACOBIANS, RULES, Jacobian, Rule
from ._local import local_rule
from ._node import Expr
from ._of_tensor import tensor_formula
from ._simplify import declare, withdraw

__all__ = [
    "JACOBIANS", "RULES", "Expr", "Formula", "Jacobian", "Rule", "declare", "local_rule", "tensor_formula", "withdraw",
]  # fmt: skip

_settle("symgrad", globals(), ["Formula"])
