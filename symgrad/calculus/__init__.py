"""The calculus on terms: lifted from graphs, differentiated, simplified by rules, put into forms for reading.

lifting        from rows of the table to terms: what each recorded operation is in index notation
lift_axes      rows that rearrange or reduce axes, in index notation: shapes, diagonals, indices, sums, masks
conditions     where a formula holds: what was divided out, taken as positive, chosen, branched on or declared
tracing        from recorded graphs to terms: the tape's nodes run again, on terms beside their numbers
matching       rules applied: a pattern found in a term, and what it says instead, built of what its names are
rules          the rules of the calculus: a pattern, what it is instead, where, and why
rewriting      which rules can fit a term, what is asked of operations in a choice, and simplification by them
rule_checks    rules tried at random values: a rule that is not true is refused, and told where
derive         derivatives of terms: forward (any term, the variable's axes last), and reverse for scalars
factor         common factors in front, quotients over one denominator, brackets multiplied in
rational       quotients of sums in their lowest terms: what an algebra book does to ``(t² + 1)/(t − 1)² − …``
passes         the algorithms that stand beside the rules: what is known to `simplify` and is no pattern
quotients      quotients that a formula is made of, by a name: r = xᵀAx/‖x‖², the probabilities q = u/sum(u)
reading_forms  forms for reading: symbols for parts (`Let`), other ways to write the whole, tables of entries
let_forms      what a formula repeats without its being a term: AB in tr(ABAB), z = A⁻¹x in zzᵀ, eᵘ in e²ᵘ − eᵘ
"""

from . import let_forms, lift_axes, passes, reading_forms  # they tell terms and `simplify` what they can
from .conditions import (
    COMPUTED,
    HOLDS,
    INVERTIBLE,
    NONNEGATIVE,
    NONZERO,
    POSITIVE,
    Branch,
    Condition,
    branches_of,
    domain_of,
    edges_of,
    holds_for,
    lost_conditions,
    not_implied,
    of_rewrite,
    require_declared,
    require_taken,
    substituted_branches,
    symmetric_symbols,
    unstated_conditions,
)
from .derive import (
    Values,
    adjoint_onto,
    chain,
    depends,
    derivative,
    distributed_product,
    gradient,
    gradients,
    jacobian,
    partial,
    pullback,
)
from .let_forms import inlined, roots
from .lift_axes import adjoint
from .lifting import (
    LiftedOutputs,
    apply,
    constant,
    fill,
    is_safe,
    lift,
    linear,
    matmul,
    plus,
    product,
    scalar,
    squeezed,
    times,
)
from .quotients import divisors, ratios
from .rational import functions_of
from .reading_forms import POWERS, Entries, Let, places_in, split_products, split_quotients, symbol_of
from .rewriting import SYMMETRIC, Step, fitting_rules, simplify
from .rule_checks import declare, withdraw
from .rules import RULES, Rule
from .tracing import SPECIAL, Trace, UserOperation, run_forward
