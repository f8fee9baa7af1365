"""The lines of compiled programs: what is written once, in place, or as fewer passes over memory; their helpers."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.special

import symgrad as sg
from symgrad.programs.dialects import HELPERS
from symgrad.programs.linear import bare, by_powers

T = np.linspace(0.1, 2.0, 40)
RNG = np.random.default_rng(0)


def by_tape(f, x):
    return sg.func.hessian(f)(sg.tensor(x)).detach().numpy()


def helper(name):
    space = {"np": np, "scipy": scipy}
    exec(HELPERS[name], space)
    return space[name]


def code_of(f, x):
    """The source of the compiled matrix, after it has been compared with the tape at two points."""
    compiled = sg.compile(f, "h")
    for point in (x, 1.1 * x):
        expected = by_tape(f, point)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(compiled(point), expected, rtol=0, atol=1e-10 * scale)
    return compiled.code(x)


# ------------------------------------------------------------------------------------------------------------- helpers


@pytest.mark.parametrize(("s", "n", "h"), [(7, 1, 1), (1, 4, 3), (30, 25, 4), (5, 3, 9)])
def test_sums_over_pairs_are_right_and_symmetric_to_the_last_bit(s, n, h):
    A, N = RNG.normal(size=(s, n)), RNG.normal(size=(s, h, h))
    H = np.full((n * h, n * h), np.nan)
    helper("_pairs")(A, N, H.reshape(n, h, n, h))
    even = 0.5 * (N + N.transpose(0, 2, 1))
    expected = np.einsum("si,sk,sjl->ijkl", A, A, even).reshape(n * h, n * h)
    np.testing.assert_allclose(H, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(H, H.T)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_a_matrix_and_its_transpose_are_added_block_by_block(n):
    A = RNG.normal(size=(n, n))
    np.testing.assert_array_equal(helper("_mirrored")(A), A + A.T)


@pytest.mark.parametrize("shapes", [((9, 8, 1), (9, 8, 3)), ((2, 1, 7, 3), (2, 5, 7, 1)), ((6, 2), (1, 2))])
def test_columns_one_by_one_are_the_product(shapes):
    A, B = (RNG.normal(size=shape) for shape in shapes)
    np.testing.assert_array_equal(helper("_by_columns")(A, B), A * B)


def test_trigamma_is_as_exact_as_scipys_and_the_same_at_the_edges():
    x = np.concatenate([10.0 ** RNG.uniform(-150, 150, 200), RNG.uniform(0, 30, 300), np.arange(1, 40) / 2])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(helper("_polygamma")(1, x), scipy.special.polygamma(1, x), rtol=2e-15)
        for edge in (np.array([0.0, np.inf, 1.0]), np.array([np.nan, 2.0]), np.array([-0.5, 3.0]), np.float64(0.7)):
            np.testing.assert_allclose(helper("_polygamma")(1, edge), scipy.special.polygamma(1, edge), rtol=2e-15)
        np.testing.assert_array_equal(helper("_polygamma")(2, x), scipy.special.polygamma(2, x))


# --------------------------------------------------------------------------------------------------------------- texts


def test_powers_are_made_from_each_other():
    half = Fraction(1, 2)
    assert by_powers("v", -2, {-1: "a"}) == "np.square(a)"
    assert by_powers("v", -3, {-1: "a", -2: "b"}) == "a * b"
    assert by_powers("v", -half, {half: "root"}) == "1 / root"
    assert by_powers("v", -3 * half, {-half: "a"}) == "a / v"
    assert by_powers("v", 3, {2: "s"}) == "s * v"
    assert by_powers("v", -2, {}) == by_powers("v", 4, {3: "c", 5: "e"}).replace("c * v", "") == ""


def test_powers_of_the_other_sign_and_roots_are_no_factors_of_whole_powers():
    half = Fraction(1, 2)
    assert by_powers("v", -1, {-half: "a"}) == ""  # of a negative number there is no root
    assert by_powers("v", -1, {-3: "a", 2: "b"}) == ""  # 0 times infinity
    assert by_powers("v", 2, {3: "a", -1: "b"}) == "np.square(v)"


def test_parentheses_around_all_of_a_text_are_left_out():
    assert [bare(t) for t in ("(a + b)", "(a) + (b)", "(a @ b).reshape(c)", "a", "((a))")] == [
        "a + b", "(a) + (b)", "(a @ b).reshape(c)", "a", "(a)",
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- lines


def test_a_sum_begins_with_what_is_not_subtracted():
    code = code_of(lambda x: (np.tanh(x) ** 3).sum(), np.array([0.3, -0.5, 0.9]))
    assert "v2 = 1 - v1" in code


def test_a_few_single_entries_are_variables_of_their_own():
    code = code_of(lambda p: ((p[0] * np.exp(-p[1] * T) - 1) ** 2).sum(), np.array([1.2, 0.4]))
    assert "(40, 2)" not in code and "H[1, 0] = T" in code
    f = lambda p: ((p[0] * np.exp(-p[1] * T) - 1) ** 2).sum() + (p**4).sum()  # all of it beside its entries
    code_of(f, np.array([1.2, 0.4]))


@pytest.mark.parametrize("outputs", ["fgh", "gh"])
def test_gradients_of_single_entries_are_put_together(outputs):
    f, p = lambda p: ((p[0] * np.exp(-p[2] * T) - p[1]) ** 2).sum(), np.array([1.2, 0.4, 0.3])
    gradient = sg.compile(f, outputs)(p)[-2]
    np.testing.assert_allclose(gradient, sg.grad(f)(p), rtol=1e-12)


def test_entries_that_another_part_has_are_no_parts():
    M = RNG.normal(size=(3, 3))
    f = lambda x: (np.tanh(x.reshape(3, 3) @ M) ** 2).sum() * x[0]
    code_of(f, 0.3 * RNG.normal(size=9))


def test_what_lands_on_one_diagonal_is_written_once():
    A = RNG.normal(size=(6, 6))
    f = lambda m: -0.5 * m @ A @ m + ((1 + m) * np.log(1 + m) + (1 - m) * np.log(1 - m)).sum()
    code = code_of(f, np.linspace(-0.5, 0.5, 6))
    assert code.count("einsum") == 1 and "np.zeros" not in code


def test_several_products_of_two_vectors_are_one_matrix_product():
    A = RNG.normal(size=(120, 120))
    code = code_of(lambda x: (x @ A @ x) / (x @ x), RNG.normal(size=120))
    assert "np.stack" in code and "T -=" not in code


def test_large_products_of_short_rows_go_by_columns_and_truth_values_are_their_own_squares():
    same = np.eye(20, dtype=bool)

    def f(x):
        x = x.reshape(20, 3)
        return np.where(same, 0.0, 1 / np.where(same, 1.0, ((x[:, None] - x) ** 2).sum(2))).sum()

    code = code_of(f, RNG.normal(size=60))
    assert "_by_columns" in code and "* 1.0))" not in code


def test_sums_along_an_axis_are_products_with_ones():
    A = RNG.normal(size=(30, 4))
    assert "np.ones" in code_of(lambda x: (np.exp(A * x).sum(1) ** 2).sum(), RNG.normal(size=4) / 4)
    f = lambda x: (np.exp(A[:, :, None] * x).sum(1) ** 2).sum() + (np.sin(A[:, :, None] * x).sum(0) ** 2).sum()
    code_of(f, RNG.normal(size=3) / 4)


# --------------------------------------------------------------------------------------------------------------- calls


def test_a_compiled_function_takes_other_shapes_and_dtypes_in_turn():
    f = sg.compile(lambda x, y: (np.exp(x) * y).sum(), "h")
    for n, dtype in ((30, float), (30, float), (40, float), (30, np.float32), (30, float)):
        x, y = RNG.normal(size=n).astype(dtype), RNG.normal(size=n).astype(dtype)
        found = f(x, y)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, np.diag(np.exp(x) * y), rtol=1e-5 if dtype is np.float32 else 1e-12)
        np.testing.assert_allclose(f(x, y=y), found)
    np.testing.assert_array_equal(f(np.zeros(40), np.arange(40)), np.diag(np.arange(40.0)))
    with pytest.raises(TypeError):
        f(np.zeros(40))


def test_where_a_number_is_not_finite_the_tape_is_asked_at_every_call():
    function = lambda x: (np.abs(x) ** 2.5).sum() + np.log(x[0])
    f, x = sg.compile(function, "h"), np.linspace(1.0, 2.0, 30)
    regular = f(x)
    for _ in range(2):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(f(0 * x), sg.hessian(function)(0 * x))
        np.testing.assert_array_equal(f(x), regular)
