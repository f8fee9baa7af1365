"""`Formula`: a term and what it knows of where it came from: checked, compared, derived line by line, and SymPy's.

check       the check: a formula's value against the tape's number at the point where it was asked for
equality    whether two formulas are the same, and how that was found; what two formulas know, put together
background  what a formula knows beside its term; its value at given arrays, and at other sizes
algebra     formulas are an algebra, and have other things put in the place of their symbols
formula     formulas for users: readable, evaluable, differentiable, and checked against the numbers
to_sympy    the only door to SymPy: formulas of scalars and small arrays as SymPy expressions, entry by entry
of_tensor   the formula of a tensor: its graph lifted, simplified, and evaluated against its number
local       the rule of one node: what it passes on of an incoming gradient ``g``, as a formula
own_parts   a derivative in the function's own parts: 2(aPᵀr − r) where r = aPx + v − av − x
derivation  derivations as they are written on a board: lines of equal terms with reasons
"""

from ..ops import set_public_names as _settle
from .background import named_sizes
from .check import UNDEFINED, agree, disagreement, tolerance, verdict
from .derivation import Derivation, Line, Part, in_names
from .equality import difference, key_of, other_data, shown
from .formula import Formula, as_formula
from .local import constant_text, local_rule, rule_texts
from .of_tensor import tensor_formula, tensor_sympy
from .to_sympy import twin

_settle("symgrad", globals(), ["Formula"])
