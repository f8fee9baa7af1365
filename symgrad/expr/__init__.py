"""Formulas: interned terms in index notation, lifted from graphs, differentiated, simplified; and the door to SymPy."""

from ..ops._public import settle as _settle
from . import _lift_linalg, _lift_products, _lift_reductions, _lift_shapes  # noqa: F401  (they fill the table of lifts)
from ._digest import freeze
from ._formula import Formula
from ._identities import JACOBIANS, RULES, Jacobian, Rule
from ._local import constant_text, local_rule, rule_texts
from ._node import Expr
from ._node import Var as Variable
from ._of_tensor import tensor_formula
from ._simplify import declare, withdraw
from ._substitute import rebuilt

__all__ = [
    "JACOBIANS", "RULES", "Expr", "Formula", "Jacobian", "Rule", "Variable", "constant_text", "declare", "freeze",
    "local_rule", "rebuilt", "rule_texts", "tensor_formula", "withdraw",
]  # fmt: skip

_settle("symgrad", globals(), ["Formula"])
