"""Terms of formulas: what they are, how they are built in normal form, evaluated, measured, rewritten.

measure       how long a term's text is, about: what the simplifier compares
node          the terms of formulas: immutable, interned, every product one operator
normal_form   terms in normal form: products, sums and element-wise operations are built here, each of the
canonical     what is decided from structure alone: the order of factors, the names of summed indices
substitution  terms made anew: with other terms in the place of some symbols, multiplied out, powers of a part
evaluation    the value of a term, and along directions: each term's array once, products by contraction
sizes         formulas with named sizes at other sizes than those they were made with
"""

from .canonical import is_condition, is_nonnegative, is_real, is_symmetric
from .evaluation import (
    TooLarge,
    broadcast,
    evaluate,
    evaluate_along,
    evaluated,
    matrix_of_linear,
    placeholder,
    run_each,
    with_places,
)
from .measure import is_negative, is_norm
from .node import (
    Add,
    Call,
    Data,
    Delta,
    Ein,
    Expr,
    Indices,
    Jac,
    Lin,
    Map,
    One,
    Var,
    exact,
    freeze,
    living,
    simple_fraction,
    surd,
    tidy,
)
from .normal_form import (
    SUMS_TO_ONE,
    add,
    base_and_exponent,
    connected,
    constant_of,
    ein,
    inner_sum,
    is_zero,
    map_,
    number,
    numbered,
    pow_,
    row,
    shaped,
    shaped_sum,
    size,
    transposed,
    without_sign,
    zeros,
)
from .sizes import Sizes, following, is_unnamed, rigid, shape_at, sizes_in, sizes_of, unclear
from .substitution import changed, collected, expanded, inverse, rebuilt, substitute
