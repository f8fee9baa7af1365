# ruff: noqa: E501  (a row is a line)
"""The figures at which symgrad goes another way: sizes, lengths and counts.

The idea to hold: a threshold makes a second implementation of what is on its near side. What is on the far side is
seldom met by small tests, so that they are run again with every figure at its low value, where the smallest case is on
the far side: set the environment variable ``SYMGRAD_LOW_LIMITS`` before symgrad is imported, to the groups that are to
be low (``ways,forms``), or to 1 for the first. It is for tests: results stay right, and become slow.

Groups
------
ways : beyond is another way to the same numbers
forms : beyond, the same formula is written differently
caps : beyond, a way is given up, and another (the tape, most often) gives the same numbers
bounds : beyond, there is an error, an answer is left open, or a text is cut; they only bound work, and are never low.
    Those that one file reads stand there (`bound`), the others here.
"""

from __future__ import annotations

import os
from typing import NamedTuple

_asked = os.environ.get("SYMGRAD_LOW_LIMITS", "")
LOW = frozenset(["ways"] if _asked == "1" else [group for group in _asked.split(",") if group])
"""The groups whose figures are low."""

if not {"ways", "forms", "caps"} >= LOW:
    raise ValueError(f"SYMGRAD_LOW_LIMITS is 1, or some of ways, forms and caps, with commas; it is {_asked!r}")


class Limit(NamedTuple):
    """A row: the figure, the one for tests (None: it has none), its group, what it decides, a test of the far side."""

    name: str
    value: int
    low: int | None
    group: str
    words: str
    test: str


LIMITS: dict[str, Limit] = {}


def _limit(name: str, value: int, words: str, group: str = "bounds", low: int | None = None, test: str = "") -> int:
    if name in LIMITS:
        raise ValueError(f"two limits are called {name}")
    LIMITS[name] = Limit(name, value, low, group, words, test)
    return low if low is not None and group in LOW else value


def bound(value: int) -> int:
    """A figure of the group *bounds*, beside its use; the docstring below it says what it bounds."""
    return value


# fmt: off
# ------------------------------------------------------------------------------------------------- arrays and graphs
BIG = _limit("BIG", 1 << 16, "Entries above which element-wise work is done in blocks by several threads; below, threads cost more than they save.", "ways", 2, "ops/test_table.py::test_large_arrays_go_in_blocks_to_the_same_gradients")
BLOCK = _limit("BLOCK", 1 << 16, "Entries of one block of such work: its temporaries stay in the cache.", "ways", 5, "ops/test_table_derivatives.py::test_second_derivative_is_the_derivative_of_the_gradient")
HELD = _limit("HELD", 8192, "Entries up to which a node keeps a constant tensor, for formulas; a larger one it knows weakly: a graph costs no more memory than its rules ask for.")
WRAPPED = _limit("WRAPPED", 8192, "Entries up to which a NumPy array beside a tensor is copied and becomes one, no more than HELD; a larger one is borrowed, and writing to it is an error.", "ways", 0, "semantics/test_whose_array_it_is.py::test_a_large_buffer_that_is_filled_anew_in_a_transform_is_an_error")
SHORT_SUM = _limit("SHORT_SUM", 4096, "Entries of a float32 gradient above which what was broadcast is summed in float64.", "ways", 0, "transforms/test_hessian_formats.py::test_float32_stays_float32")
COPIES = _limit("COPIES", 256, "Small arrays beside tensors whose copies are kept, to be used again while nobody wrote to them.", "ways", 1, "semantics/test_whose_array_it_is.py::test_what_keeps_its_record_keeps_the_point")
COPIED = _limit("COPIED", 1024, "Entries up to which a gradient is copied when it is given away; of larger ones the sweep asks whose they are.", "ways", 0, "ops/test_table.py::test_any_shape_goes_in_and_comes_out")
PRUNED = _limit("PRUNED", 64, "Views of one array above which the list of them is rid of the dead at powers of two.", "ways", 1, "semantics/test_cases_from_the_documents.py::test_case_11_layers_have_parameters_that_get_gradients")
NESTED = _limit("NESTED", 32, "Backwards of the user's inside each other after which the next one gets a thread of its own, for its stack.", "ways", 1, "semantics/test_function.py::test_backwards_may_run_inside_backwards_to_any_depth")
# ---------------------------------------------------------------------------------------------------- operations
DIRECT_LYAPUNOV = _limit("DIRECT_LYAPUNOV", 10, "Rows from which on a discrete Lyapunov equation is solved by a continuous one, as in SciPy; below, as a system of n² equations.", "ways", 1, "scipy_mirror/test_mirror_linalg.py::test_values_are_scipys_and_derivatives_those_of_differences")
EINSUM_LOOP = _limit("EINSUM_LOOP", 256, "Entries of both operands up to which NumPy's own einsum beats rearranging for a matrix product.", "ways", 0, "ops/test_table_derivatives.py::test_gradient_is_the_derivative_of_the_forward")
EINSUM_PLANS = _limit("EINSUM_PLANS", 1024, "Equations whose arrangement is remembered.", "ways", 1, "ops/test_table_derivatives.py::test_gradient_is_the_derivative_of_the_forward")
EINSUM_PATHS = _limit("EINSUM_PATHS", 256, "Equations and shapes whose order of products is remembered.", "ways", 1, "ops/test_table_derivatives.py::test_gradient_is_the_derivative_of_the_forward")
BY_BITS = _limit("BY_BITS", 2048, "Entries from which on what a condition keeps is masked bit by bit: np.where takes five times as long.", "ways", 2, "sweep/test_taylor.py::test_coefficients_are_the_function_and_its_nested_derivatives")
SPREAD = _limit("SPREAD", 1 << 14, "Entries up to which the gradient of a sum is written out: quicker than a view, and the array is its owner's.", "ways", 0, "semantics/test_anomaly.py::test_without_it_nan_flows_on")
WIDE_SUM = _limit("WIDE_SUM", 1024, "Entries above which short floats are summed in a wider dtype where NumPy would add one by one.", "ways", 0, "transforms/test_hessian_formats.py::test_float32_stays_float32")
SHORT_ROW = _limit("SHORT_ROW", 32, "Entries of a row up to which it is a short one (the low value is a high one).", "ways", 1 << 40, "ops/test_table_derivatives.py::test_second_derivative_is_the_derivative_of_the_gradient")
SHORT_ROWS = _limit("SHORT_ROWS", 4, "How many times as many rows as entries in each an array has that is laid by columns for softmax and log Σ exp along them.", "ways", 0, "ops/test_table_derivatives.py::test_second_derivative_is_the_derivative_of_the_gradient")
SCAN_SHORT = _limit("SCAN_SHORT", 64, "Entries of a recurrence up to which it goes step by step; longer ones by doubling, which does more work in fewer calls.", "ways", 1, "programs/test_hessian_programs.py::test_a_changed_shape_makes_a_program_of_its_own")
SCAN_WIDE = _limit("SCAN_WIDE", 64, "Entries of its rows from which on it goes step by step all the same (the low value is a high one).", "ways", 1 << 40, "ops/test_table_derivatives.py::test_second_derivative_is_the_derivative_of_the_gradient")
BANDED = _limit("BANDED", 280, "Entries of a matrix between steps, and of what it is multiplied with, up to which LAPACK solves a linear recurrence in one call; beyond, a product for each step is quicker than a band.", "ways", 0, "ops/test_more_functions.py::test_recurrences_of_any_width_are_what_their_steps_are")
JOINED = _limit("JOINED", 8, "Tensors joined above which the places where they begin are remembered: a rule asks once for each.", "ways", 0, "semantics/test_backward_and_grad.py::test_operation_that_saves_nothing_can_be_walked_twice")

FACTORS = _limit("FACTORS", 200, "Factors of a Pochhammer symbol of a whole number up to which it is differentiated as their product; beyond, by digamma.", "ways", 1, "scipy/test_removable_points.py::test_derivatives_of_pochhammers_symbol_by_its_first_argument_at_poles_of_gamma")
INTEGRALS = _limit("INTEGRALS", 4096, "Elliptic integrals that are summed at a time: each takes some hundred places.", "ways", 2, "ops/test_table.py::test_operands_broadcast_and_gradients_do_not")
RESTART = _limit("RESTART", 8, "Evaluations that the adjoint equation of a solution costs more at each time of the results: it is solved where that is cheaper than all sensitivities.", "ways", -(10**6), "scipy_mirror/test_mirror_integrate.py::test_a_gradient_by_the_adjoint_equation_is_that_of_the_sensitivities")
PROGRAMMED = _limit("PROGRAMMED", 16, "Evaluations of the right side of an adjoint equation, or of that of sensitivities, by the tape, before a program of it is made.", "ways", 1, "scipy_mirror/test_mirror_integrate.py::test_a_gradient_by_the_adjoint_equation_is_that_of_the_sensitivities")
SENSITIVE = _limit("SENSITIVE", 256, "Numbers in twice the state of a differential equation and in its parameters up to which the matrix of all their second derivatives is formed at each evaluation; above, a program of the sensitivities has their right side alone.", "ways", 0, "scipy_mirror/test_mirror_integrate.py::test_a_gradient_by_the_adjoint_equation_is_that_of_the_sensitivities")
COURSE_ROWS = _limit("COURSE_ROWS", 140, "Numbers of a state, at all places of a step, up to which the sensitivities are found along the solution: a step is a linear system of so many rows.", "caps", 0, "scipy_mirror/test_mirror_integrate.py::test_sensitivities_along_a_solution_are_those_of_their_own_equation")
COURSE_PASSES = _limit("COURSE_PASSES", 8, "... and times that they are solved, along a better solution or at finer steps, until they are known.")
COURSE_ENTRIES = _limit("COURSE_ENTRIES", 1 << 23, "... and entries of all steps' systems together.")
# ------------------------------------------------------------------------------------------------------- formulas
SUM_TERMS = _limit("SUM_TERMS", 400, "Terms of one sum; what would be longer stays nested.", "forms", 6, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
PRODUCT_FACTORS = _limit("PRODUCT_FACTORS", 16, "Factors of one product; what would be longer stays nested.", "forms", 4, "numpy/test_numpy_idioms.py::test_idiom_has_numpys_value_and_the_derivatives_of_finite_differences")
DENOMINATOR = _limit("DENOMINATOR", 10_000, "The largest common denominator that is put in front of a sum.", "forms", 1, "programs/test_programs_of_loops_and_writes.py::test_loops_and_writes_have_right_hessians_at_two_points")
GROUPS = _limit("GROUPS", 6, "Groups of terms with a common factor that are tried.", "forms", 0, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
GROUPED = _limit("GROUPED", 24, "Terms of a sum up to which groups are looked for.", "forms", 2, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
DATA = _limit("DATA", 6, "Entries up to which a constant array is written out; a larger one gets a name.", "forms", 0, "ops/test_table.py::test_formula_of_the_gradient_evaluates_to_it")
POWER = _limit("POWER", 64, "Whole powers of numbers up to which they are worked out exactly.", "forms", 1, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
EXP_POWER = _limit("EXP_POWER", 10, "Whole powers below which (e^u)^k becomes e^(ku).", "forms", 1, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
ROOT = _limit("ROOT", 1000, "Square roots of whole numbers are recognised below this.", "forms", 1, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
DISTRIBUTED = _limit("DISTRIBUTED", 60, "Terms times factors below which a product with a sum that holds an identity is multiplied out.", "forms", 0, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
FACTORED = _limit("FACTORED", 1024, "Polynomials of which it is remembered what their factors are.", "ways", 1, "ops/test_table.py::test_formula_of_the_gradient_evaluates_to_it")
PATTERN_TERMS = _limit("PATTERN_TERMS", 8, "Terms of a sum up to which the pattern of a rewrite is looked for in it.", "forms", 0, "ops/test_table.py::test_formula_of_the_gradient_evaluates_to_it")
CANCELLED = _limit("CANCELLED", 6, "Terms of a sum up to which it is multiplied out to see whether something cancels.", "forms", 0, "ops/test_table.py::test_formula_of_the_gradient_evaluates_to_it")
CANCELLED_ALL = _limit("CANCELLED_ALL", 40, "The same of all such sums together.", "forms", 0, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
RATIONAL_WEIGHT = _limit("RATIONAL_WEIGHT", 130, "Weight of a term up to which it is brought to lowest terms.", "forms", 0, "ops/test_table.py::test_formula_of_the_gradient_evaluates_to_it")
RATIONAL_SYMBOLS = _limit("RATIONAL_SYMBOLS", 8, "Different things in a term up to which the same.", "forms", 0, "ops/test_table.py::test_formula_of_the_gradient_evaluates_to_it")
EXPONENTIALS = _limit("EXPONENTIALS", 800, "Weight of a sum up to which its exponentials are compared.", "forms", 0, "formulas/test_formula_algebra.py::test_exponentials_that_differ_by_a_power_are_one")
REWRITES = _limit("REWRITES", 50, "Rewrites of one term in a row: more would be a circle.")
TEMPLATES = _limit("TEMPLATES", 1024, "Partial derivatives of rows that are remembered.", "ways", 1, "ops/test_table.py::test_formula_of_the_gradient_evaluates_to_it")
CONTRACTIONS = _limit("CONTRACTIONS", 1024, "Products of arrays whose order is remembered when formulas are evaluated.", "ways", 1, "ops/test_table.py::test_formula_of_the_gradient_evaluates_to_it")
# --------------------------------------------------------------------------------------------------- their texts
LONG_TERM = _limit("LONG_TERM", 200, "Signs above which a part of a formula gets a name, though used once.", "forms", 12, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
DEEP_TERM = _limit("DEEP_TERM", 40, "The same of how deep it is nested.", "forms", 3, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
TRIED_SIGNS = _limit("TRIED_SIGNS", 400, "Signs of formulas in which each name is tried, and kept where the text becomes shorter.", "forms", 0, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
TRIED_TERMS = _limit("TRIED_TERMS", 25, "The same of their terms.", "forms", 0, "semantics/test_symbols.py::test_repr_of_something_computed_shows_its_formula_or_its_operation")
SPELLED = _limit("SPELLED", 4, "Length of an axis up to which an array that is made of entries is written as the table of them.", "forms", 0, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
SPELLED_TERMS = _limit("SPELLED_TERMS", 120, "Terms of a formula up to which that is tried.", "forms", 0, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
TABLE_WIDTH = _limit("TABLE_WIDTH", 72, "Characters of a matrix of entries up to which it stands on one line.", "forms", 0, "formulas/test_tables_of_entries.py::test_a_long_matrix_has_a_line_for_each_row")
SURELY_SAVED = _limit("SURELY_SAVED", 24, "Signs that a name is reckoned to save from which on it is not tried whether it does.", "forms", 1, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
LOOP_STEPS = _limit("LOOP_STEPS", 3, "Definitions that differ in a number only, above which one says them all.", "forms", 1, "formulas/test_reading_forms.py::test_the_steps_of_a_loop_are_written_once")
UNROLLED = _limit("UNROLLED", 6, "Unrolled loops of a formula that are looked at.", "forms", 1, "formulas/test_reading_forms.py::test_the_steps_of_a_loop_are_written_once")
TRIALS = _limit("TRIALS", 24, "Names that are tried.", "forms", 1, "properties/test_formulas_of_programs.py::test_formulas_of_a_program_are_its_numbers")
MULTIPLE = _limit("MULTIPLE", 24, "Multiples of π and other constants up to which a float is written as one.", "forms", 0, "transforms/test_hessian_formats.py::test_these_have_programs_and_few_entries")
FRACTIONS = _limit("FRACTIONS", 4096, "Floats of which it is remembered which constants they are made of.", "ways", 1, "formulas/test_truth.py::test_the_rule_of_a_row_is_its_gradient")
SHOWN_NAMES = _limit("SHOWN_NAMES", 1024, "Names of which it is remembered how they are shown.", "ways", 1, "formulas/test_truth.py::test_the_rule_of_a_row_is_its_gradient")
PAGE = _limit("PAGE", 20_000, "Signs of a formula that are printed.")
WRITTEN_OUT = _limit("WRITTEN_OUT", 64, "Entries up to which a constant is written out in a program's text.")
# ------------------------------------------------------------------------------------------------ making programs
STRUCTURES = _limit("STRUCTURES", 64, "Structures whose programs are remembered; the one longest unused is forgotten first.", "ways", 1, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
KEPT_PROGRAMS = _limit("KEPT_PROGRAMS", 4, "Programs of one structure that are kept.", "ways", 1, "properties/test_hessian_programs.py::test_a_changed_constant_is_never_taken_for_the_old_one")
CACHED_BYTES = _limit("CACHED_BYTES", 1 << 24, "Bytes of the longest file that keeps a program.")
MADE_PROGRAMS = _limit("MADE_PROGRAMS", 12, "Programs of one structure that are made: where indices that data decide keep changing, they cost more than they save.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
NODES = _limit("NODES", 4_000, "Operations of a graph: making a program takes milliseconds for each, the tape microseconds.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
LONG_GRAPH = _limit("LONG_GRAPH", 700, "Operations above which a program must be worth it ...", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
WORTHWHILE = _limit("WORTHWHILE", 250_000, "... by entries of the variables times those of the largest array (the low value is a high one).", "caps", 1 << 60, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
WAITED_GRAPH = _limit("WAITED_GRAPH", 120, "Operations of a graph on few numbers above which a program is made ...", "caps", 0, "transforms/loops/test_hessians_of_loops.py::test_the_program_of_a_loop_is_made_when_the_tape_has_run_often")
WAITED = _limit("WAITED", 24, "... when the tape has run so many times: making it takes about as long.", "caps", 1, "transforms/loops/test_hessians_of_loops.py::test_the_program_of_a_loop_is_made_when_the_tape_has_run_often")
FITTED_DENSE = _limit("FITTED_DENSE", 500, "Parameters up to which sg.minimize takes the whole Hessian; beyond, products with it.", "ways", 1, "stats/test_minimize.py::test_many_parameters_are_fitted_by_products")
FITTED_ERRORS = _limit("FITTED_ERRORS", 2_000, "Parameters up to which the table of a fit has standard errors, and its Hessian is computed unless it is asked for; beyond, whether it has converged is found by products.")
FITTED_PROBED = _limit("FITTED_PROBED", 100, "Such products along which it is looked for a direction in which the function falls ...")
FITTED_PRODUCTS = _limit("FITTED_PRODUCTS", 1_000, "... and those beyond which the minimum counts as far away.")
STEPS = _limit("STEPS", 4_000, "Lines and products that making a program may take in any case: about a second ...", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
STEPS_EACH = _limit("STEPS_EACH", 15, "... and how many for each operation: some thirty matrices by the tape ...", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
STEPS_PUSHED = _limit("STEPS_PUSHED", 1_000, "... and one more where the entries of the variables times those of the largest array are so many (the low value is a high one).", "caps", 1 << 60, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
PRODUCT_NODES = _limit("PRODUCT_NODES", 100, "Operations of a graph of which a single product with the matrix is wanted: there the tape is quick.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
FLOP = _limit("FLOP", 3 * 10**6, "Flop that a program may take whatever the tape does ...", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
TIMES_TAPE = _limit("TIMES_TAPE", 4, "... and how many times the tape's it may take beyond.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
NAMES = _limit("NAMES", 20_000, "Definitions of a program: Python takes a second for a thousand.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
FORMED = _limit("FORMED", 1 << 28, "Entries of the largest array that a program forms (2 GB of float64).", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
PATTERNS_FORMED = _limit("PATTERNS_FORMED", 1 << 16, "Entries of an array of constant patterns that are multiplied when a program is made.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
LINEAR_FORMED = _limit("LINEAR_FORMED", 1 << 22, "Entries of a linear operation that is written out as a matrix because nothing can be done first.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
LINEAR_APPLIED = _limit("LINEAR_APPLIED", 64, "The same where it would be applied to another array for each entry of its result.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
MATRIX_FLOP = _limit("MATRIX_FLOP", 8, "Flop of matrix products that take as long as one of a product entry by entry.", "ways", 0, "programs/test_parts_and_pairs.py::test_structured_matrices_in_solutions_and_determinants")
LINEAR_MULTIPLIED = _limit("LINEAR_MULTIPLIED", 1 << 16, "Entries of a linear operation that is multiplied with as a matrix.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
CONSTANT_FORMED = _limit("CONSTANT_FORMED", 1 << 24, "Entries of an array that is worked out beforehand.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
GRID = _limit("GRID", 1 << 26, "Entries of the largest grid that single entries of a matrix are added up from.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
PLACED_ENTRY = _limit("PLACED_ENTRY", 8, "Flop of a product that take as long as one entry of a grid takes to be added at its place.", "ways", 0, "programs/test_hessian_programs.py::test_a_program_runs_and_gives_the_numbers_of_the_tape")
BLOCK_FORMED = _limit("BLOCK_FORMED", 1 << 24, "Entries of a block of the matrix that is formed whole where its entries have no grid.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
SPARSE_PRODUCTS = _limit("SPARSE_PRODUCTS", 4_000, "Products on the way of a sparse result; with more, factors are multiplied out.", "caps", 0, "properties/test_hessian_programs.py::test_a_sparse_matrix_has_the_entries_of_the_dense_one")
SPARSE_EACH = _limit("SPARSE_EACH", 10, "The same for each definition, in long programs.", "caps", 0, "semantics/test_precision_order_and_small_repairs.py::test_a_list_of_tensors_is_assigned_with_their_gradients")
SPARSE_LEAST = _limit("SPARSE_LEAST", 500, "Products that a sparse result is worth in any case ...", "caps", 0, "semantics/test_precision_order_and_small_repairs.py::test_a_list_of_tensors_is_assigned_with_their_gradients")
SPARSE_WORTH = _limit("SPARSE_WORTH", 40, "... and how many more for each entry of the variable.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
SPARSE_SMALL = _limit("SPARSE_SMALL", 256, "Entries of a variable up to which they may be multiplied out; else a tangent for each colour is found sooner.", "caps", 0, "house/test_limits.py::test_beyond_one_cap_alone_the_numbers_are_the_same")
MULTIPLIED_OUT = _limit("MULTIPLIED_OUT", 1 << 16, "Entries up to which a sum of products becomes one array in any case.", "ways", 1, "transforms/test_hessian_formats.py::test_a_structured_hessian_is_that_of_the_tape")
# --------------------------------------------------------------------------------------------- sums in programs
READ_DEPTH = _limit("READ_DEPTH", 100, "Terms inside each other that an index of pairs is pushed down through.", "ways", 0, "programs/test_parts_and_pairs.py::test_what_is_read_of_all_pairs_is_made_of_those_pairs")
LAST_TERMS = _limit("LAST_TERMS", 12, "Terms of a result that are left to it one by one; a longer sum is added up first.", "ways", 1, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
OUTER_TERMS = _limit("OUTER_TERMS", 4, "Terms among which an outer product stays on its own.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
APART = _limit("APART", 2, "Products of smaller arrays that are not added up to a larger one.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
UNITS_FEW = _limit("UNITS_FEW", 4, "Terms of a derivative up to which it is filled entry by entry of a short variable only.", "ways", 0, "programs/test_hessian_programs.py::test_a_program_runs_and_gives_the_numbers_of_the_tape")
UNITS = _limit("UNITS", 64, "Entries of a variable whose derivatives are filled entry by entry of the variable.", "ways", 0, "programs/test_hessian_programs.py::test_a_program_runs_and_gives_the_numbers_of_the_tape")
UNITS_FULL = _limit("UNITS_FULL", 200, "The same of a longer variable for each term: as many as are computed while one more line of a program is started.", "ways", 0, "programs/test_hessian_programs.py::test_a_program_runs_and_gives_the_numbers_of_the_tape")
STACKED = _limit("STACKED", 1 << 15, "Entries of a derivative that is filled like this.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
LINE = _limit("LINE", 4096, "Entries of an array that cost about what one more line costs.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
BANDS = _limit("BANDS", 12, "Patterns in a sum above which a small array is filled with them: each further product would have as many.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
MERGED = _limit("MERGED", 1 << 25, "Entries of the largest array that is added up on the way.", "ways", 200, "transforms/test_hessian_formats.py::test_several_arguments_and_containers_give_the_dense_matrix_and_its_labels")
LOOP_TERMS = _limit("LOOP_TERMS", 12, "Terms of a sum from which on it gets a name: a loop has sums of sums of sums.", "ways", 3, "programs/test_programs_of_loops_and_writes.py::test_loops_and_writes_have_right_hessians_at_two_points")
EXACT_ORDER = _limit("EXACT_ORDER", 9, "Factors of a product up to which their order is searched through; longer ones are ordered greedily.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
OPENED = _limit("OPENED", 12, "Definitions that are put in the place of their names, one inside another, for a diagonal.", "ways", 0, "programs/test_diagonal_programs.py::test_the_diagonal_and_its_sum_are_those_of_the_matrix")
# ------------------------------------------------------------------------------------------ programs as they run
AVERAGED = _limit("AVERAGED", 64, "Rows up to which a matrix is made symmetric at the end, as a whole.", "ways", 0, "transforms/test_hessian_formats.py::test_a_zero_matrix_is_a_warning_that_says_why")
EVENED = _limit("EVENED", 128, "Rows above which a block of a matrix is made symmetric piece by piece, of as many rows.", "ways", 1, "programs/test_hessian_programs.py::test_a_changed_index_array_changes_the_matrix")
FINITE_ROWS = _limit("FINITE_ROWS", 64, "Rows up to which the matrix itself is looked through for numbers that are not finite, not its pieces.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
WORDS = _limit("WORDS", 400, "Words in a line: Python's compiler recurses for each sign.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
NARROW = _limit("NARROW", 8, "Columns up to which an array that is filled column by column is laid out so.", "ways", 0, "programs/test_programs_of_loops_and_writes.py::test_loops_and_writes_have_right_hessians_at_two_points")
GRAM = _limit("GRAM", 1 << 16, "Entries up to which AᵀDA with D of either sign is one product; above, two triangular ones.", "ways", 0, "programs/test_hessian_programs.py::test_a_program_runs_and_gives_the_numbers_of_the_tape")
SINGLES = _limit("SINGLES", 8, "Single entries of a variable up to which each is a part of its own, where most arrays have more entries than that.", "ways", 0, "programs/test_hessian_programs.py::test_a_program_runs_and_gives_the_numbers_of_the_tape")
OUTER = _limit("OUTER", 10_000, "Entries from which several products of two vectors beside others are one matrix product.", "ways", 0, "programs/test_hessian_programs.py::test_a_program_runs_and_gives_the_numbers_of_the_tape")
SINGLES_LINES = _limit("SINGLES_LINES", 80, "Lines of a function times single entries up to which these are parts.", "ways", 0, "programs/test_hessian_programs.py::test_a_program_runs_and_gives_the_numbers_of_the_tape")
MIRRORED = _limit("MIRRORED", 1500, "Rows from which a matrix and its transpose are added block by block.", "ways", 2, "programs/test_hessian_programs.py::test_a_program_runs_and_gives_the_numbers_of_the_tape")
MIRRORED_APART = _limit("MIRRORED_APART", 512, "The same where the entries of a column are a multiple of 2 kB apart, so that they share places in the cache.", "ways", 2, "programs/test_hessian_programs.py::test_a_program_runs_and_gives_the_numbers_of_the_tape")
PAIRS = _limit("PAIRS", 16_000_000, "Multiplications above which Σ AᵢAₖNⱼₗ is a product for each j, l in JAX and PyTorch, not one product for all.", "ways", 0, "compare/test_programs_for_jax_and_torch.py::test_a_problem_of_the_benchmarks_has_the_numbers_of_its_numpy_program")
PAIRS_ROWS = _limit("PAIRS_ROWS", 256, "Pairs i, k of Σ AᵢAₖNⱼₗ that are multiplied with N at a time: what comes out stays in the cache until it is written twice ...", "ways", 1, "programs/test_hessian_programs.py::test_a_program_runs_and_gives_the_numbers_of_the_tape")
PAIRS_ENTRIES = _limit("PAIRS_ENTRIES", 1 << 22, "... but no more entries of A than that.")
POWER_PRODUCTS = _limit("POWER_PRODUCTS", 8, "Whole powers up to which a program multiplies; the tape does up to 6.", "ways", 2, "transforms/compiled/test_compile.py::test_a_parameter_may_have_any_name")
SAVED_ENTRIES = _limit("SAVED_ENTRIES", 64, "Entries up to which an array stands in a saved program itself; larger ones in a file beside.", "ways", 0, "transforms/compiled/test_compile.py::test_a_parameter_may_have_any_name")
BAND = _limit("BAND", 64, "Diagonals on a side up to which a sparse matrix is solved as a band.", "ways", -1, "programs/test_structured_matrices.py::test_solving_undoes_the_product")
BAND_ROOM = _limit("BAND_ROOM", 64, "Entries of the band beyond four for each entry of the matrix above which it is not.", "ways", 0, "programs/test_structured_matrices.py::test_solving_undoes_the_product")
IDENTITY = _limit("IDENTITY", 8, "Rows of an identity from which on its Kronecker product is solved as a sparse matrix.", "ways", 1, "programs/test_structured_matrices.py::test_sums_and_multiples_are_those_of_the_dense_matrices")
# ------------------------------------------------------------------------------------------ patterns and colours
DENSE_PATTERN = _limit("DENSE_PATTERN", 4096, "Columns up to which a full pattern is multiplied as a dense matrix.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
PERIODS = _limit("PERIODS", 4, "How many periods are tried before colours are chosen vertex by vertex.", "ways", 1, "programs/test_sparsity.py::test_random_patterns_are_coloured_and_recovered")
PERIOD = _limit("PERIOD", 256, "Entries of a row above which no period is tried.", "ways", 8, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
PERIOD_TAKEN = _limit("PERIOD_TAKEN", 2_000_000, "Entries above which a period is taken although choosing vertex by vertex might save a colour.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
COLOURS = _limit("COLOURS", 256, "Colours above which choosing vertex by vertex is given up, each column getting its own ...", "ways", 2, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
COLOUR_STEPS = _limit("COLOUR_STEPS", 100_000_000, "... once it took more than this many steps.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
COLOUR_BITS = _limit("COLOUR_BITS", 1 << 33, "Entries times colours above which columns of a Jacobian that have no period get a colour each.", "ways", 0, "programs/test_sparsity.py::test_every_entry_is_recovered_from_sums_of_columns_or_rows")
COUNTED_COLOURS = _limit("COUNTED_COLOURS", 16, "Rows times colours, for each entry, up to which entries are counted in a full table; above, by sorting.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
TABLE_ROOM = _limit("TABLE_ROOM", 1024, "Places that this table has in any case.", "ways", 0, "programs/test_sparsity.py::test_random_patterns_are_coloured_and_recovered")
FULL_PATTERN = _limit("FULL_PATTERN", 64, "Variables above which a matrix that is found dense stays a plain array if structure is asked for.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
WITHOUT_PATTERN = _limit("WITHOUT_PATTERN", 1000, "Variables up to which the dense matrix is taken where no pattern is known.")
# ---------------------------------------------------------------------------------------------------- transforms
SCALAR_INPUTS = _limit("SCALAR_INPUTS", 64, "Numbers among the arguments of a compiled function up to which it may run on single numbers, not on arrays ...", "ways", -1, "transforms/compiled/test_compile.py::test_results_come_in_the_order_that_was_asked_for")
SCALAR_STEPS = _limit("SCALAR_STEPS", 10_000, "... steps that it has then, lines, and entries of its largest array and of its constants ...", "ways", -1, "transforms/compiled/test_compile.py::test_results_come_in_the_order_that_was_asked_for")
SCALAR_GAIN = _limit("SCALAR_GAIN", 18, "... and how many there may be for each line of NumPy, which takes as long as so many.", "ways", 0, "transforms/compiled/test_compile.py::test_results_come_in_the_order_that_was_asked_for")
SCALAR_COMPILED = _limit("SCALAR_COMPILED", 600, "Steps on single numbers up to which Numba compiles them: it takes some ten milliseconds for each line.", "ways", -1, "transforms/compiled/test_compile_numba.py::test_the_numbers_are_those_of_numpy")
NESTED_LEAST = _limit("NESTED_LEAST", 3, "Steps that loops have which Numba compiles: a call of them takes as long as one of NumPy.", "ways", 1, "transforms/compiled/test_compile_numba.py::test_the_numbers_are_those_of_numpy")
NESTED_AGAIN = _limit("NESTED_AGAIN", 12, "Steps up to which a loop computes again what an earlier one did: an array in between costs more.", "ways", 0, "transforms/compiled/test_compile_numba.py::test_the_numbers_are_those_of_numpy")
NESTED_LINES = _limit("NESTED_LINES", 120, "Lines of a program above which Numba does not compile all of them: it would take too long.", "ways", -1, "transforms/compiled/test_compile_numba.py::test_the_numbers_are_those_of_numpy")
NESTED_WORK = _limit("NESTED_WORK", 5000, "Steps of loops, for each line of NumPy, up to which the loops take less time than the lines.", "ways", 0, "transforms/compiled/test_compile_numba.py::test_the_numbers_are_those_of_numpy")
SCALAR_LINE = _limit("SCALAR_LINE", 90, "Signs of an expression of single numbers from which on it gets a name, though used once.", "forms", 0, "programs/test_compile_scalars.py::test_numbers_one_by_one_are_those_of_the_arrays")
SCALAR_SUM = _limit("SCALAR_SUM", 50, "Numbers that are added up in one line, to see whether all are finite.", "forms", 1, "programs/test_compile_scalars.py::test_numbers_one_by_one_are_those_of_the_arrays")
COMPILED_DENSE = _limit("COMPILED_DENSE", 3000, "Rows of a compiled dense matrix above which it is asked whether it fits into memory.", "ways", 0, "programs/test_written_programs.py::test_constants_of_less_precision_are_not_multiplied_in_it")
HESSIAN_DENSE = _limit("HESSIAN_DENSE", 4096, "The same of `hessian`.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
JACOBIAN_DENSE = _limit("JACOBIAN_DENSE", 1 << 24, "Entries of a Jacobian above which it is asked whether it fits into memory.", "ways", 0, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
AT_ONCE = _limit("AT_ONCE", 1 << 20, "Numbers that the tangents of one array hold together when many are pushed at once.", "ways", 3, "transforms/test_hessian_formats.py::test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form")
SPARSE_ROWS = _limit("SPARSE_ROWS", 2000, "Rows from which on sparse matrices stay sparse, and spectra are known at their ends only.")
CAUGHT = _limit("CAUGHT", 5000, "Objects that are looked through for tensors that a function catches.")
PLANS = _limit("PLANS", 256, "Structures of arguments that are remembered.", "ways", 1, "transforms/test_trees.py::test_what_is_taken_apart_is_put_together_again")
# ------------------------------------------------------------------------------------------------------- verdicts
VERIFIED_ENTRIES = _limit("VERIFIED_ENTRIES", 64, "Entries of a derivative that are worked out by differences where there is no other way.")
VERIFIED_EDGES = _limit("VERIFIED_EDGES", 12, "Conditions in formulas beside which points are looked for.")
VERIFIED_TEXT = _limit("VERIFIED_TEXT", 200, "Signs of a difference that a verdict shows.")
# ---------------------------------------------------------------------------------------------------------- plots
PLOT_SIDE = _limit("PLOT_SIDE", 81, "Points along each side of a plane that is plotted.")
PLOT_LABEL = _limit("PLOT_LABEL", 80, "Signs of LaTeX up to which a formula stands in a legend.")
# ---------------------------------------------------------------------------------------------------------- loops
SCAN_STEPS = _limit("SCAN_STEPS", 16, "Steps from which sg.scan differentiates a loop as one operation ...", "ways", 2, "transforms/loops/test_scan.py::test_a_loop_as_one_operation_is_the_loop_step_by_step")
SCAN_STATE = _limit("SCAN_STATE", 32, "... if it carries no more numbers from step to step.")
ROLLED = _limit("ROLLED", 300, "Recorded steps from which a loop is looked for among them ...", "ways", 20, "transforms/loops/test_rolled_loops.py::test_a_loop_in_python_is_one_operation")
ROUNDS = _limit("ROUNDS", 12, "... and rounds that it has at least.", "ways", 4, "transforms/loops/test_rolled_loops.py::test_a_loop_in_python_is_one_operation")
ROLLED_SHORT = _limit("ROLLED_SHORT", 60, "The same for JAX: XLA compiles what is written out at some hundredths of a second for each.")
LOOP_SHARE = _limit("LOOP_SHARE", 5, "A loop is no smaller a part of the graph than one in so many.")
SCAN_PROGRAMMED = _limit("SCAN_PROGRAMMED", 2, "Times that the same loop is met before its step becomes a program.", "ways", 0, "transforms/loops/test_scan.py::test_a_loop_as_one_operation_is_the_loop_step_by_step")
SCAN_NUMBERS = _limit("SCAN_NUMBERS", 20_000, "Steps on single numbers, with all on the way to derivatives, up to which a loop's step is looked at ...")
SCAN_COST = _limit("SCAN_COST", 16_000, "... and operations of values and derivatives together up to which it becomes a program: for each there is a line.")
SCAN_COMPILED = _limit("SCAN_COMPILED", 4_000, "The same up to which Numba compiles it, some milliseconds for each; beyond, the loop's steps are NumPy's.", "ways", 0, "transforms/loops/test_rounds_that_choose.py::test_rounds_that_choose_are_a_loop")
LOOP_UNROLLED = _limit("LOOP_UNROLLED", 128, "Products of a loop's state and its variables, twice, up to which a compiled loop has its second derivatives entry by entry.", "ways", 0, "transforms/compiled/test_compile_loops.py::test_the_loops_for_numba_are_right_as_python")
LOOP_VARIABLES = _limit("LOOP_VARIABLES", 2, "Variables of a loop for each direction up to which a compiled loop along slices that are differentiated adds up second derivatives in its variables.", "ways", 0, "transforms/compiled/test_compile_loops.py::test_the_loops_for_numba_are_right_as_python")
COMPUTED_AGAIN = _limit("COMPUTED_AGAIN", 16, "Times that an entry with a function in it would be computed again for a matrix in JAX, from which on it is computed once, in an array of its own.", "ways", 1, "compare/test_programs_for_jax_and_torch.py::test_what_the_matrix_is_made_of_is_computed_once")
WAYS = _limit("WAYS", 8, "Ways that Python takes through a function which branches on values, up to which each has a compiled program ...")
WAY_MS = _limit("WAY_MS", 200, "... at once if it is made in so many milliseconds; else it is awaited that the tape took a quarter of the rest.")
REPEATED = _limit("REPEATED", 100, "Calls of a derivative, of arguments of the same shapes, after which a function that is known through and through is not run any more but has a compiled derivative.", "ways", 2, "transforms/calls/test_repeated_calls.py::test_what_is_asked_for_again_and_again_has_a_program")
REPEATED_MS = _limit("REPEATED_MS", 50, "Milliseconds of such calls, after which it has one already ...", "ways", 0, "transforms/calls/test_repeated_calls.py::test_what_is_asked_for_again_and_again_has_a_program")
REPEATED_CALLS = _limit("REPEATED_CALLS", 3, "... if there were so many.")
REPEATED_CONSTANT = _limit("REPEATED_CONSTANT", 2, "Hundredths of a call that it may take to compare an array of floats that is read, which is a constant of the program then; a larger one is an input.", "ways", 0, "transforms/calls/test_what_a_function_reads.py::test_a_derivative_of_many_calls_follows")
COMPARED_AS_BYTES = _limit("COMPARED_AS_BYTES", 1 << 15, "Bytes of such an array up to which it is compared as bytes; of a larger one, the numbers where they are.", "ways", 0, "transforms/calls/test_what_a_function_reads.py::test_a_derivative_of_many_calls_follows")
# ------------------------------------------------------------------------------------------------------ notebooks
NOTEBOOK_TEXT = _limit("NOTEBOOK_TEXT", 6000, "Characters of a text that a notebook shows of one object ...")
NOTEBOOK_LINES = _limit("NOTEBOOK_LINES", 80, "... and lines of it.")
NOTEBOOK_LATEX = _limit("NOTEBOOK_LATEX", 6000, "Signs of LaTeX, or of Markdown, up to which a notebook sets them.")
NOTEBOOK_ROWS = _limit("NOTEBOOK_ROWS", 60, "Rows of a table, and verdicts, that it shows.")
# -------------------------------------------------------------------------------------------------------- reports
REPORT_TOLD = _limit("REPORT_TOLD", 24, "Rows up to which a square says its entry to the pointer.")
REPORT_RANGE = _limit("REPORT_RANGE", 1000, "Ratio of eigenvalues above which they are drawn by orders of magnitude.")
# --------------------------------------------------------------------------------------------- clusters, and the server
DISTRIBUTED_FAN = _limit("DISTRIBUTED_FAN", 16, "Sums that one task of a tree adds up.", "ways", 2, "distributed/test_sums_over_rows.py::test_the_sum_does_not_depend_on_the_chunks")
DISTRIBUTED_ROWS = _limit("DISTRIBUTED_ROWS", 1 << 14, "Rows of a chunk that are worked out at a time (a power of four).", "ways", 4, "distributed/test_sums_over_rows.py::test_the_sum_does_not_depend_on_the_chunks")
DISTRIBUTED_BLOCK = _limit("DISTRIBUTED_BLOCK", 1 << 22, "Bytes of the same: what is worked out at a time is to stay in a cache.", "ways", 64, "distributed/test_sums_over_rows.py::test_the_sum_does_not_depend_on_the_chunks")
DISTRIBUTED_OWN_TASKS = _limit("DISTRIBUTED_OWN_TASKS", 32, "Tasks of Dask's that run with the chunk that alone needs them, as one task.", "ways", 1, "distributed/test_tasks_of_chunks.py::test_a_task_that_two_chunks_need_runs_once")
DISTRIBUTED_SAMPLE = _limit("DISTRIBUTED_SAMPLE", 32, "Rows of a chunk that are fetched for a look at it, and chunks that are looked at where the first are empty.")
DISTRIBUTED_PATIENCE = _limit("DISTRIBUTED_PATIENCE", 60, "Seconds that a run waits without any worker.")
SERVE_AT_ONCE = _limit("SERVE_AT_ONCE", 32, "Connections at once ...")
SERVE_WAITING = _limit("SERVE_WAITING", 16, "... of which so many may not yet have asked: for one more the oldest is ended.")
# ------------------------------------------------------------------------------------------------- parsed texts
TEXT = _limit("TEXT", 20_000, "Signs of a text that is parsed.")
TEXT_DEPTH = _limit("TEXT_DEPTH", 120, "Brackets, powers and signs inside each other.")
TEXT_NAME = _limit("TEXT_NAME", 100, "Signs of a name.")
TEXT_INDEX = _limit("TEXT_INDEX", 9, "Digits of an index.")
TEXT_WORK = _limit("TEXT_WORK", 2 * 10**7, "Entries of all intermediate results together ...")
TEXT_TIMES = _limit("TEXT_TIMES", 64, "... or that many times what was declared.")
# fmt: on
