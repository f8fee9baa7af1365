"""`Formula`: a term and what it knows of where it came from: checked, compared, derived line by line, and SymPy's.

check       the check: a formula's value against the tape's number at the point where it was asked for
background  what a formula knows beside its term, and two together; its value at given arrays, and at other sizes
points      points to look at: of either sign, small and large, at several sizes, on both sides of where pieces meet
pointwise   two sides compared, point by point: what differs there by more than rounding
proof       the proof that two formulas are one: they have one form, or their difference is rewritten to 0
equality    whether two formulas are the same, and how that was found: by form, by a proof, else by value at points
algebra     formulas are an algebra, and have other things put in the place of their symbols
formula     formulas for users: readable, evaluable, differentiable, and checked against the numbers
to_sympy    the only door to SymPy: formulas of scalars and small arrays as SymPy expressions, entry by entry
of_tensor   the formula of a tensor: its graph lifted, simplified, and evaluated against its number
local       the rule of one node: what it passes on of an incoming gradient ``g``, as a formula
own_parts   a derivative in the function's own parts: 2(aPᵀr − r) where r = aPx + v − av − x
derivation  derivations as they are written on a board: lines of equal terms with reasons
"""

from ..ops import set_public_names as _settle
from .algebra import in_names_of
from .background import array_of
from .check import UNDEFINED, agree, disagreement, entry_at, tolerance, verdict
from .derivation import Derivation, Line, Marks, Part, in_names, in_text
from .equality import is_rounded
from .formula import CODE, Formula, as_formula
from .local import constant_text, local_rule, rule_texts
from .of_tensor import tensor_formula, tensor_sympy
from .points import Edge, Place, Point, Quantity, Wrt, is_free, moved_names, places, size_names, surfaces
from .pointwise import (
    FormulaSide,
    Found,
    Known,
    Pointwise,
    Raised,
    Reference,
    Undefined,
    brief,
    largest_summand,
    points_text,
    value_of,
    weight,
    written,
)
from .proof import Proof, equal, shape_text
from .to_sympy import twin

_settle("symgrad", globals(), ["Formula"])
