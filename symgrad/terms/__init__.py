"""Terms of formulas: what they are, how they are built in normal form, evaluated, measured, rewritten.

measure       how long a term's text is, about: what the simplifier compares
node          the terms of formulas: immutable, interned, every product one operator
normal_form   terms in normal form: products, sums and element-wise operations are built here, each of the
canonical     what is decided from structure alone: the order of factors, the names of summed indices
substitution  terms made anew: with other terms in the place of some symbols, multiplied out, powers of a part
evaluation    the value of a term, and along directions: each term's array once, products by contraction
sizes         formulas with named sizes at other sizes than those they were made with
"""

from .canonical import (
    COMPLEX_BY_VALUES,
    Factor,
    is_condition,
    is_declared_positive,
    is_nonnegative,
    is_positive,
    is_real,
    is_symmetric,
    selection,
)
from .evaluation import (
    TooLarge,
    all_values,
    broadcast,
    evaluate,
    evaluate_along,
    matrix_of_linear,
    placeholder,
    run_each,
    sources,
    stretched,
    value_in,
    with_places,
)
from .measure import is_negative, is_norm, is_rational
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
    living_terms,
    remembered,
    simple_fraction,
    surd,
    tidy_number,
)
from .normal_form import (
    SUMS_TO_ONE,
    add,
    all_but,
    axis_size,
    connected,
    constant_of,
    dotted,
    ein,
    inner_sum,
    is_zero,
    labels_at,
    labels_in,
    map_,
    number,
    places_of_sums,
    pow_,
    row,
    scaled,
    shaped,
    shaped_sum,
    summands,
    transposed,
    with_number,
    without_sign,
    zeros,
)
from .sizes import Sizes, fixed_length, is_unnamed, shape_at, shape_following, sizes_in, sizes_of, unclear_length
from .substitution import (
    Expansion,
    collected,
    distributed,
    expanded,
    inverse,
    map_bottom_up,
    rebuilt,
    shaped_distributed,
    substitute,
    symbols_in,
    terms_and_factors,
)
