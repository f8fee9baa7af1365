"""Where a formula holds: branches not taken, what shorter forms leave to conditions, and what a call makes of them."""

import pickle
import warnings

import numpy as np
import pytest

import symgrad as sg
from symgrad.extend import TABLE, elementwise


def doubled(x):
    return x * 2 if x > 0 else x * 3


def kinds():
    formula = sg.formula(doubled, np.array(1.0))
    return {
        "itself": formula,
        "its derivative": formula.grad("x"),
        "pickled": pickle.loads(pickle.dumps(formula)),
        "beside a sum": sg.formula(lambda x: doubled(x) + x**2, np.array(2.0)),
    }


@pytest.mark.parametrize("kind", kinds())
def test_a_formula_is_refused_where_its_branch_is_not_taken(kind):
    formula = kinds()[kind]
    assert formula.conditions == ["x > 0"]
    assert np.isfinite(formula(x=0.5)) and np.isfinite(formula())
    for elsewhere in (-1.0, 0.0):
        with pytest.raises(sg.FormulaError, match="holds where x > 0, which is not so here"):
            formula(x=elsewhere)


def test_a_branch_is_looked_at_where_a_symbol_is_replaced():
    formula = sg.formula(doubled, np.array(1.0))
    assert formula.subs(x=3.0)() == 6 and formula.subs(x=3.0).conditions == []
    with pytest.raises(sg.FormulaError, match="which is not so here"):
        formula.subs(x=-3.0)
    assert formula.subs(x="y").conditions == ["y > 0"]
    with pytest.raises(sg.FormulaError, match="holds where y > 0"):
        formula.subs(x="y")(y=-1.0)
    of_square = formula.subs(x=sg.parse("y**2 - 2", y=()))
    assert of_square.conditions == ["y² > 2"] and of_square(y=3.0) == 14
    with pytest.raises(sg.FormulaError, match="holds where y² > 2"):
        of_square(y=1.0)
    large = formula.subs(x=sg.formula(lambda z: z - 5, np.array(1.0)))
    with pytest.raises(sg.FormulaError, match="holds where z > 5"):
        large()


def test_each_branch_counts_and_so_do_those_on_other_symbols():
    def f(x, t):
        if t > 1:
            x = x * 2
        while (x**2).sum() < 100:
            x = x * 2
        return x.sum()

    formula = sg.formula(f, np.array([3.0, 4.0]), np.array(2.0))
    assert formula(x=[4.0, 3.0]) == 14
    for other in (dict(t=0.5), dict(x=[0.3, 0.4]), dict(x=[30.0, 40.0], t=0.0)):
        with pytest.raises(sg.FormulaError, match="which is not so here"):
            formula(**other)
    assert formula(x=[30.0, 40.0]) == f(np.array([30.0, 40.0]), 2.0)


def test_where_it_is_no_number_is_another_branch():
    formula = sg.formula(lambda t: t**2 if np.log(t) < 1 else t, np.array(4.0))
    assert formula(t=5.0) == 5 and formula(t=-1.0) == -1  # not(log(t) < 1), as Python has it
    with pytest.raises(sg.FormulaError, match="log"):
        formula(t=1.0)


def test_a_named_size_that_is_compared_is_a_branch():
    f = sg.formula(lambda x: x.sum() * min(x.shape[0], 36), sg.symbol("x", "n"))
    assert f.conditions == f.grad("x").conditions == ["n ≤ 36"]
    assert f(x=np.ones(30)) == 900
    for formula in (f, f.grad("x")):
        with pytest.raises(sg.FormulaError, match="n ≤ 36"):
            formula(x=np.ones(100))


def test_sizes_compared_with_each_other_are_branches_and_equal_ones_are_none():
    def wide_or_tall(A, x):
        assert A.shape[1] == x.shape[0]  # it is, whatever the sizes are
        return (A @ x).sum() if A.shape[0] >= A.shape[1] else (A @ x).prod()

    f = sg.formula(wide_or_tall, sg.symbol("A", ("m", "n")), sg.symbol("x", "n"))
    (condition,) = f.conditions
    assert condition in ("m ≥ n", "m < n")
    tall = condition == "m ≥ n"
    A = np.ones((3, 2) if tall else (2, 3))
    assert f(A=A, x=np.ones(A.shape[1])) == (A @ np.ones(A.shape[1])).sum()
    with pytest.raises(sg.FormulaError, match="m"):
        f(A=A.T, x=np.ones(A.shape[0]))


def test_comparisons_of_sizes_in_libraries_are_no_branches():
    f = sg.formula(lambda x: np.linalg.norm(np.concatenate([x, x])) + np.mean(x[1:] * x[:-1]), sg.symbol("x", "n"))
    assert not any(c.startswith("n ") for c in f.conditions), f.conditions


OF_SIZES = {
    "n > 36": lambda A: A.sum() if A.shape[1] > 36 else (A**2).sum(),
    "np.greater": lambda A: A.sum() if np.greater(A.shape[1], 36) else (A**2).sum(),
    "36 < n, by NumPy": lambda A: A.sum() if np.less(36, A.shape[1]) else (A**2).sum(),
    "a decimal": lambda A: A.sum() if A.shape[1] > 36.0 else (A**2).sum(),
    "NumPy's number": lambda A: A.sum() if A.shape[1] > np.int64(36) else (A**2).sum(),
}


@pytest.mark.parametrize("case", OF_SIZES)
def test_a_size_compared_with_a_number_is_a_branch(case):
    formula = sg.formula(OF_SIZES[case], sg.symbol("A", ("m", "n")))
    assert formula.conditions == ["n ≤ 36"]
    for found in (formula, formula.grad("A"), 2 * formula, pickle.loads(pickle.dumps(formula.grad("A")))):
        assert np.isfinite(found(A=np.ones((2, 36)))).all()
        with pytest.raises(sg.FormulaError, match="holds where n ≤ 36, which is not so here"):
            found(A=np.ones((2, 37)))


SIZES_EQUAL = {
    "sizes": lambda A: A.sum() if A.shape[0] == A.shape[1] else (A**2).sum(),
    "shapes": lambda A: (A**2).sum() if A.shape != A.T.shape else A.sum(),
}


@pytest.mark.parametrize("case", SIZES_EQUAL)
def test_sizes_of_two_names_are_different_where_a_function_asked(case):
    formula = sg.formula(SIZES_EQUAL[case], sg.symbol("A", ("m", "n")))
    assert formula.conditions == ["m ≠ n"] and formula(A=np.full((2, 3), 2.0)) == 24
    with pytest.raises(sg.FormulaError, match="holds where m ≠ n, which is not so here"):
        formula(A=np.full((3, 3), 2.0))


def test_whether_there_are_any_entries_is_a_branch():
    mean = sg.formula(lambda x: x.sum() / x.shape[0] if x.shape[0] else x.sum(), sg.symbol("x", "n"))
    assert mean.conditions == ["n ≠ 0"] and mean(x=np.arange(4.0)) == 1.5
    with pytest.raises(sg.FormulaError, match="holds where n ≠ 0"):
        mean(x=np.ones(0))


def test_what_always_holds_of_sizes_is_no_branch():
    A, x = sg.symbol("A", ("m", "n")), sg.symbol("x", "n")
    f = lambda A, x: (A @ x).sum() + x[1:].sum() if A.shape[1:] == x.shape and x[1:].shape[0] == x.shape[0] - 1 else 0
    assert sg.formula(f, A, x).conditions == []


# What a shortened formula no longer says of itself --------------------------------------------------------------------


N = ("n", "n")
A, B, v = sg.symbol("A", N), sg.symbol("B", N), sg.symbol("v", "n")
x, y = sg.symbols("x y", "n")
K = sg.symbol("K", N, pd=True)


def factor(a):
    return sg.linalg.cholesky(a)


CASES = {
    "inverse on a product": (lambda A, v: sg.linalg.inv(A) @ (A @ v), (A, v), "v", ["det(A) ≠ 0"]),
    "product on an inverse": (lambda A, v: A @ (sg.linalg.inv(A) @ v), (A, v), "v", ["det(A) ≠ 0"]),
    "solve": (lambda A, v: sg.linalg.solve(A, A @ v), (A, v), "v", ["det(A) ≠ 0"]),
    "trace": (lambda A, B: (sg.linalg.inv(A) @ B @ A).trace(), (A, B), "tr(B)", ["det(A) ≠ 0"]),
    "inverse twice": (lambda A: sg.linalg.inv(sg.linalg.inv(A)), (A,), "A", ["det(A) ≠ 0"]),
    "of a multiple": (lambda A: sg.linalg.inv(2 * A) @ A, (A,), "I/2", ["det(A) ≠ 0"]),
    "difference": (lambda A: sg.linalg.inv(A) - sg.linalg.inv(A), (A,), "zeros(n, n)", ["det(A) ≠ 0"]),
    "still there": (lambda A, v: sg.linalg.inv(A) @ v, (A, v), "A⁻¹v", []),
    "transposed": (lambda A, v: sg.linalg.inv(A.T) @ v, (A, v), "A⁻ᵀv", []),
    "definite": (lambda K, v: sg.linalg.inv(K) @ (K @ v), (K, v), "v", ["K is pd"]),
    "a root compared": (
        lambda x, y: sg.where(y > sg.sqrt(x), y, sg.sqrt(x) ** 2), (x, y), "where(y > √x, y, x)", ["x ≥ 0"]
    ),
    "a root only compared": (lambda x, y: sg.where(y > sg.sqrt(x), y, x), (x, y), "where(y > √x, y, x)", []),
    "beside a root compared": (
        lambda x, y: sg.where(y > sg.sqrt(x), y, sg.sqrt(v) ** 2), (x, y), "where(y > √x, y, v)",
        ["v ≥ 0 (if logical_not(y > √x))"],
    ),
    "lost in a comparison": (
        lambda x, y: sg.where(sg.sqrt(x) ** 2 > 2, y, 0.0), (x, y), "y ⊙ 1[x > 2]", ["x ≥ 0"]
    ),
    "a logarithm in a branch": (lambda x: sg.where(x > 0, sg.log(x), 0.0), (x,), "where(x > 0, log(x), 0)", []),
    "log det": (lambda A: sg.logdet(A) - sg.logdet(A), (A,), "0", ["det(A) ≠ 0"]),
    "log det that stays": (lambda A: sg.linalg.slogdet(A).logabsdet, (A,), "log(|det(A)|)", []),
    "a power by an array": (lambda x: (x ** np.array(1.5)) ** 2, (x,), "x³", ["x ≥ 0"]),
    "a whole power by an array": (lambda x: sg.sqrt(x ** np.array(4.0)), (x,), "x²", []),
    "tangents": (lambda x: sg.tan(x) - sg.tan(x) + x, (x,), "x", ["cos(x) ≠ 0"]),
    "gammas": (lambda x: sg.lgamma(x) - sg.lgamma(x), (x,), "zeros(n)", ["x is no whole number below 1"]),
    "logarithms": (lambda x: sg.log1p(x) - sg.log1p(x), (x,), "zeros(n)", ["x > −1"]),
    "of what is positive": (lambda x: sg.log1p(x**2) * 0 + sg.log1p(sg.exp(x)), (x,), "softplus(x)", []),
    "acosh": (lambda x: sg.acosh(x) * 0, (x,), "zeros(n)", ["x ≥ 1"]),
    "logit": (lambda x: sg.logit(x) - sg.logit(x), (x,), "zeros(n)", ["0 < x < 1"]),
    "factor": (lambda K: factor(K) @ factor(K).T, (K,), "K", ["K is pd"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_conditions_are_those_that_the_text_does_not_say(case):
    f, symbols, text, conditions = CASES[case]
    formula = sg.formula(f, *symbols)
    assert (str(formula), formula.conditions) == (text, conditions)


@pytest.mark.parametrize("found", [np.linalg.eigvals, lambda a: np.roots(a[0])], ids=["eig", "roots"])
def test_what_is_real_at_the_point_must_be_real_elsewhere(found):
    """There the tape has conjugated nothing, and |z|² is z²."""
    a = sg.tensor([[3.0, -4.0, 1.0], [0.0, 2.0, 5.0], [0.0, 0.0, 1.0]], requires_grad=True, name="A")
    size = (sg.abs(found(a)) ** 2).sum()
    (grad,) = sg.autograd.grad(size, a, create_graph=True)
    turned = np.array([[1.0, 2.0, 7.0], [-2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    for formula in (size.formula(), grad.formula()):
        assert np.isfinite(formula(A=2 * a.detach().numpy())).all()
        with pytest.raises(sg.FormulaError, match="is real, which is not so here"):
            formula(A=turned)


@pytest.mark.parametrize(
    ("f", "conditions"),
    [*[(f, ["z ≠ 0"]) for f in (sg.log, sg.rsqrt, sg.reciprocal)], *[(f, []) for f in (sg.sqrt, sg.acosh, sg.atanh)]],
)
def test_complex_numbers_have_no_signs_that_are_asked_for(f, conditions):
    z = sg.tensor(0.3 + 0.2j, requires_grad=True, name="z")
    formula = (f(z) - f(z)).formula()
    assert formula.conditions == conditions and formula(z=-2 + 1j) == 0
    if conditions:
        with pytest.raises(sg.FormulaError, match="holds where z ≠ 0"):
            formula(z=0)


def test_a_power_asks_for_a_base_above_zero_once_its_exponent_is_a_number():
    f = sg.parse("(a^t)^2 + b", a=(), t=(), b=())
    for g in (f, f.grad("a"), f - sg.parse("b", b=())):
        assert g.subs(t=1.5).conditions == ["a ≥ 0"] and g.subs(t=2).conditions == []
    with pytest.raises(sg.FormulaError, match="holds where a ≥ 0"):
        f.subs(t=1.5)(a=-1.0, b=0.0)


FACTORS = {
    "product": lambda a: factor(a) @ factor(a).T,
    "determinant": lambda a: factor(a).diagonal().log().sum(),
    "inverse": lambda a: sg.cholesky_inverse(factor(a)),
}


@pytest.mark.parametrize("case", FACTORS)
def test_a_factor_of_a_matrix_that_is_not_symmetric_is_refused_by_name(case):
    f, lopsided = FACTORS[case], np.array([[2.0, 0.5], [0.3, 1.0]])
    for a in (A, lopsided):
        with pytest.raises(sg.FormulaError, match="where a?A? ?is symmetric, and it is not"):
            sg.formula(f, a)
    even = sg.formula(f, (lopsided + lopsided.T) / 2)
    assert "a is symmetric" in even.conditions
    np.testing.assert_allclose(even(), f(sg.tensor((lopsided + lopsided.T) / 2)))
    assert sg.formula(lambda a: factor(a).sum(), lopsided).checked is True  # a factor that stays is one of a triangle


ASKED = {"≠ 0": lambda x: 1 / x, "> 0": sg.log, "≥ 0": sg.sqrt}
SAID_BY = {"≠ 0": ["≠ 0", "> 0"], "> 0": ["> 0"], "≥ 0": ["≥ 0", "> 0"]}
"""By what is lost, what may stay for it to be said: x > 0 says x ≥ 0 and x ≠ 0, neither of these more."""


@pytest.mark.parametrize("left", ASKED)
@pytest.mark.parametrize("gone", ASKED)
def test_a_lost_condition_is_told_unless_one_that_is_as_strong_stays(gone, left):
    formula = sg.formula(lambda x: ASKED[gone](x) - ASKED[gone](x) + ASKED[left](x), x)
    assert str(formula) == {"≠ 0": "1/x", "> 0": "log(x)", "≥ 0": "√x"}[left]
    assert formula.conditions == ([] if left in SAID_BY[gone] else [f"x {gone}"])


# ------------------------------------------------------------------------------------- inside a branch of a choice

INSIDE = {
    "where(x > 0, sqrt(x)**2, 0)": [], "where(x > -1, sqrt(x)**2, 0)": ["x ≥ 0 (if x > −1)"],
    "where(x > 0, exp(log(x)), x**2)": [], "where(x <= 0, 1, x/x)": [], "where(x != 0, x/x, 1)": [],
    "where(x > 0, log(x*y) - log(y), 0)": ["xy > 0 (if x > 0)", "y > 0 (if x > 0)"],
    "where(x > 0, where(y > 0, sqrt(x)**2*sqrt(y)**2, 1), 0)": [], "where(x > 2, exp(log(x - 1)), 0)": [],
    "where((x > 0) & (y > 0), sqrt(x)**2 + y/y, 0)": [], "sqrt(x)**2 + where(x > 0, sqrt(x)**2, 0)": ["x ≥ 0"],
    "where(y > 0, sqrt(x)**2, x)": ["x ≥ 0 (if y > 0)"], "where(x < 1, sqrt(1 - x)**2, 0)": [],
    "where(x > 0, 1, sqrt(x)**2)": ["x ≥ 0 (if x ≤ 0)"], "where(x > 0, sin(sqrt(x)**2)**2 + 1, x)": [],
    "where(x >= 0, x/x, 0)": ["x ≠ 0 (if x ≥ 0)"],
}  # fmt: skip


@pytest.mark.parametrize("vector", [False, True], ids=["number", "vector"])
@pytest.mark.parametrize("text", INSIDE)
def test_what_a_branch_asks_for_it_asks_where_it_is_taken(text, vector):
    """The conditions say where a formula may be other than its function: nowhere else, and there."""
    shape = "n" if vector else ()
    shapes = {name: shape for name in "xy" if name in text}
    formula = sg.parse(text, **shapes)
    assert [c.replace(" ⊙ ", "") for c in formula.conditions] == INSIDE[text]
    own = {"where": np.where, "sqrt": np.sqrt, "log": np.log, "exp": np.exp, "sin": np.sin}
    with np.errstate(all="ignore"):
        for x in (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0):
            for y in (-1.0, 0.0, 2.0):
                point = {name: np.full(3, v) if vector else v for name, v in (("x", x), ("y", y)) if name in shapes}
                expected = eval(text, own | {k: np.asarray(v) for k, v in point.items()})
                if np.isfinite(expected).all():
                    np.testing.assert_allclose(formula(**point), expected, rtol=1e-12, atol=1e-12)
                elif np.isfinite(formula(conditions="ignore", **point)).all():
                    with pytest.raises(sg.FormulaError, match="holds where"):
                        formula(**point)


@pytest.mark.parametrize("chosen", ["where(x > 3, x**2, y**2)", "maximum(x, y**2)", "minimum(x**2, exp(y))"])
def test_a_choice_between_what_has_a_sign_has_it(chosen):
    assert sg.parse(f"sqrt({chosen})**2", x=(), y=()).conditions == []
    assert sg.parse(f"log(1 + {chosen})", x=(), y=()).grad("x").conditions == []
    assert sg.parse("sqrt(where(x > 3, x**2, y))**2", x=(), y=()).conditions == ["where(x > 3, x², y) ≥ 0"]


def test_a_part_that_is_summed_is_asked_for_as_a_whole():
    found = sg.parse("where(t > 0, sum(sqrt(x)**2), 0)", x="n", t=())
    assert found.conditions == ["x ≥ 0 (if t > 0)"]
    assert float(found(x=[-1.0, 2.0], t=-1.0)) == 0.0
    with pytest.raises(sg.FormulaError, match="x ≥ 0"):
        found(x=[-1.0, 2.0], t=1.0)
    spread = sg.parse("where(y > 0, sum(sqrt(x)**2), 0)", x="n", y="n")  # some entry asks, perhaps
    assert spread.conditions == ["x ≥ 0"]


@pytest.mark.parametrize("text", [t for t in INSIDE if not INSIDE[t] and "y" not in t])
def test_a_claim_with_a_branch_that_asks_for_what_it_has_is_proved(text):
    formula = sg.parse(text, x=())
    assert sg.verify(str(formula), equals=text, x=()).verdict == "PROVED"


# At a call: an error, a warning, or nothing, as the caller chooses ----------------------------------------------------


t, a = sg.symbol("t"), sg.symbol("a")
masked = sg.tensor([3.0, 1.0, 2.0], requires_grad=True, name="u")

CALLS = {
    "divided out": (sg.formula(lambda t: t * sg.sin(t) / t, t), dict(t=0.0), dict(t=2.0), "t ≠ 0"),
    "an entry": (sg.formula(lambda x: (x * x / x).sum(), x), dict(x=[1.0, 0.0]), dict(x=[1.0, 2.0]), "x ≠ 0"),
    "a root": (sg.formula(lambda x: sg.sqrt(x) ** 2, x), dict(x=[1.0, -1.0]), dict(x=[1.0, 0.0]), "x ≥ 0"),
    "a power": (sg.formula(lambda a, t: a**t * a**2, a, t), dict(a=-2.0, t=0.5), dict(a=2.0, t=0.5), "a > 0"),
    "an inverse": (
        sg.formula(lambda A, v: sg.linalg.inv(A) @ (A @ v), A, v), dict(A=np.ones((2, 2)), v=np.ones(2)),
        dict(A=np.eye(2), v=np.ones(2)), "det(A) ≠ 0",
    ),
    "a determinant": (sg.parse("logdet(A)", A=N), dict(A=-np.eye(3)), dict(A=np.eye(3)), "det(A) > 0"),
    "a function's domain": (
        sg.formula(lambda x: sg.logit(x) - sg.logit(x), x), dict(x=[2.0]), dict(x=[0.5]), "0 < x < 1"
    ),
    "a pole": (sg.formula(lambda x: sg.lgamma(x) * 0, x), dict(x=[-2.0]), dict(x=[-2.5]), "no whole number below 1"),
    "a logarithm": (sg.formula(lambda x: sg.log1p(x) - sg.log1p(x), x), dict(x=[-1.0]), dict(x=[0.0]), "x > −1"),
    "a declaration": (
        sg.formula(lambda p: sg.sqrt(p**2), sg.symbol("p", positive=True)), dict(p=-3.0), dict(p=3.0), "positive"
    ),
    "a declared matrix": (
        sg.formula(lambda S: S + S.T, sg.symbol("S", N, symmetric=True)), dict(S=np.triu(np.ones((2, 2)))),
        dict(S=np.eye(2)), "symmetric",
    ),
    "a branch": (sg.formula(lambda t: t**2 if t > 0 else -t, -2.0), dict(t=3.0), dict(t=-1.0), "t ≤ 0"),
    "places that were found": (masked[masked > 1.5].formula(), dict(u=[1.0, 2.0, 3.0]), {}, "places were found"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_condition_that_does_not_hold_is_an_error_a_warning_or_nothing(name):
    formula, outside, inside, condition = CALLS[name]
    assert any(condition in c for c in formula.conditions)
    with pytest.raises(sg.FormulaError) as error:
        formula(**outside)
    assert condition in str(error.value) and str(error.value).count("\n") == 2
    with pytest.warns(UserWarning) as said:
        warned = formula(**outside, conditions="warn")
    assert condition in str(said[0].message) and said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(formula(**outside, conditions="ignore"), warned)
        formula(**inside, conditions="warn")


def test_conditions_of_derivatives_are_looked_at_too():
    gradient = CALLS["a root"][0].jacobian("x")
    with pytest.raises(sg.FormulaError, match="holds where x ≥ 0"):
        gradient(x=[-1.0, 2.0])
    np.testing.assert_array_equal(gradient(x=[1.0, 2.0]), np.eye(2))


def test_conditions_are_looked_at_at_the_sizes_of_the_call():
    formula = CALLS["an inverse"][0]
    for n in (1, 2, 5):
        with pytest.raises(sg.FormulaError, match=r"det\(A\) ≠ 0"):
            formula(A=np.zeros((n, n)), v=np.ones(n))
        np.testing.assert_array_equal(formula(A=2 * np.eye(n), v=np.ones(n)), np.ones(n))


def test_sizes_that_the_conditions_exclude_are_refused_in_every_mode():
    weighted = sg.formula(lambda x: (x * np.arange(11.0)).sum(), x)  # eleven stand in for n
    for f in (weighted, weighted + 1, weighted.grad("x") * 2, weighted.subs(x="z")):
        assert any("sizes are those of the stand-ins" in c for c in f.conditions)
        for mode in ("raise", "warn", "ignore"):
            with pytest.raises(sg.ShapeError, match="sizes that it was made with only"):
                f(**{s: np.ones(4) for s in f.free_symbols & {"x", "z"}}, n=4, conditions=mode)


def test_the_argument_is_checked_and_no_symbols_name():
    f = sg.parse("t", t=())
    with pytest.raises(sg.FormulaError, match="conditions='maybe'(.|\n)*raise, warn, ignore"):
        f(t=1.0, conditions="maybe")
    named = sg.formula(lambda conditions: 2 * conditions, sg.symbol("conditions"))
    with pytest.raises(sg.FormulaError, match="a symbol is named 'conditions'"):
        named(conditions=3.0)
    assert named.subs(conditions="c")(c=3.0) == 6
    assert sg.formula(lambda self: 2 * self, sg.symbol("self"))(self=3.0) == 6


def test_a_condition_of_a_symbol_without_a_value_is_not_decided_by_what_stands_in_for_it():
    Q = sg.symbol("Q", N, orthogonal=True)
    f = sg.formula(lambda Q, A: sg.slogdet(Q @ A)[1], Q, A).grad("Q")
    assert str(f) == "Q" and "det(QA) ≠ 0" in f.conditions
    for n in (1, 3):
        np.testing.assert_array_equal(f(Q=np.eye(n)), np.eye(n))
        np.testing.assert_array_equal(f(Q=np.eye(n), A=2 * np.eye(n)), np.eye(n))
        with pytest.raises(sg.FormulaError, match=r"det\(QA\) ≠ 0"):
            f(Q=np.eye(n), A=np.zeros((n, n)))
    zero = sg.formula(lambda x, v: (x / v).sum(), x, v).hessian("x")
    assert zero(n=2).shape == (2, 2)


# Where what is compared is no number, neither a > b nor a ≤ b holds ---------------------------------------------------


CHOICES = {
    "greater": lambda x: sg.where(sg.sqrt(x) > 1, x, x**2),
    "at most": lambda x: sg.where(sg.sqrt(x) <= 1, x, x**2),
    "equal": lambda x: sg.where(sg.sqrt(x) == 1, x, x**2),
    "unequal": lambda x: sg.where(sg.sqrt(x) != 1, x, x**2),
    "not greater": lambda x: sg.where(~(sg.sqrt(x) > 1), x**2, x),
    "not less": lambda x: sg.where(~(sg.log(x) < 1), x, x**2),
    "twice not": lambda x: sg.where(~~(sg.sqrt(x) > 1), x, x**2),
    "not both": lambda x: sg.where(~((sg.sqrt(x) > 1) & (x < 5)), x, x**2),
    "nothing first": lambda x: sg.where(sg.sqrt(x) > 1, 0.0, x**2),
    "nothing second": lambda x: sg.where(sg.sqrt(x) > 1, x**2, 0.0),
    "masks": lambda x: (sg.sqrt(x) > 1) * x + (sg.sqrt(x) <= 1) * x**2,
    "inside another": lambda x: sg.where(sg.sqrt(x) > 1, x, sg.where(sg.sqrt(x) > 1, x**3, x**2)),
    "inside the opposite": lambda x: sg.where(sg.sqrt(x) > 1, x, sg.where(sg.sqrt(x) <= 1, x**3, x**2)),
    "of a size": lambda x: sg.where(sg.abs(sg.log(x)) > 1, x, x**2),
    "scaled": lambda x: sg.where(2 * sg.sqrt(x) - 1 > 0, x**3, x**2),
    "of a difference": lambda x: sg.where(x**1.5 > 1 - sg.acos(x), x**3, x**2),
}


@pytest.mark.parametrize("case", CHOICES)
def test_the_formula_chooses_as_the_tape_does(case):
    def f(x):
        return CHOICES[case](x).sum()

    formula = sg.formula(f, sg.symbol("x", "n"))
    points = np.array([-3.0, 0.25, 4.0, 7.3, -0.5])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(formula(x=points), float(f(sg.tensor(points))))
        np.testing.assert_allclose(formula.grad("x")(x=points), sg.grad(f)(points))
        scope = {}
        exec(formula.grad("x").code(), scope)
        np.testing.assert_allclose(scope["f"](points), sg.grad(f)(points))
        np.testing.assert_allclose(np.diag(formula.hessian("x")(x=points)), np.diag(sg.hessian(f)(points)))


def test_what_is_always_a_number_has_an_opposite():
    x = sg.symbol("x", "n")
    assert str(sg.formula(lambda x: sg.where(x > 0.5, x, x**2).sum(), x).grad("x")) == "where(x ≤ 1/2, 2x, 1)"
    assert str(sg.formula(lambda x: sg.where(sg.sqrt(x) > 1, x, x**2).sum(), x).grad("x")) == "where(√x > 1, 1, 2x)"


def test_an_opposite_in_sympy_is_a_choice():
    f = sg.formula(lambda x: sg.where(sg.sqrt(x) > 1, 0.0, x**2), np.array(4.0))
    x = f.sympy().free_symbols.pop()
    assert [f.sympy().subs(x, v) for v in (4, 0.25)] == [0, 0.0625]


def test_where_a_users_row_is_defined_is_a_condition_of_what_does_not_say_it_itself():
    quotient = elementwise(
        "quotient_of_a_test", np.divide, lambda b: 1 / b, lambda a, b: -a / b**2, defined=("", "≠ 0")
    )
    try:
        x, y = sg.symbol("x"), sg.symbol("y")
        f = sg.formula(lambda x, y: quotient(x, y) - quotient(x, y) + x, x, y)
        assert (str(f), f.conditions) == ("x", ["y ≠ 0"])
        assert sg.formula(lambda x, y: quotient(x, y), x, y).conditions == []
    finally:
        del TABLE["quotient_of_a_test"]


ONE_BRANCH = {
    "sg.where(x > 0, sg.log(x), -sg.sqrt(x) * sg.sqrt(x))": ["x ≥ 0 (if x ≤ 0)"],
    "sg.where(x > 1, 1 / x, x / x)": ["x ≠ 0 (if x ≤ 1)"],
    "sg.where(x > 0, sg.log(x), -x)": [],
    "sg.where(x > 0, sg.log(x), -1.0) + sg.sqrt(x) * sg.sqrt(x)": ["x ≥ 0"],
}


@pytest.mark.parametrize("text", ONE_BRANCH)
def test_what_one_branch_asks_for_says_nothing_of_the_other(text):
    function = eval("lambda x: " + text)
    formula = sg.formula(function, sg.symbol("x"))
    assert formula.conditions == ONE_BRANCH[text]
    for x in (-2.0, -0.5, 0.0, 0.5, 2.0):
        value = float(function(sg.tensor(x)))
        if np.isnan(value):
            with pytest.raises(sg.FormulaError, match="which is not so here"):
                formula(x=x)
        else:
            assert formula(x=x) == pytest.approx(value)


def test_zero_over_zero_is_no_zero():
    formula = sg.formula(lambda x: (x - x) / (x - x), sg.symbol("x"))
    assert formula.conditions == ["0 ≠ 0"]
    with pytest.raises(sg.FormulaError, match="which is not so here"):
        formula(x=2.0)


def test_a_branch_that_is_never_taken_asks_for_nothing():
    x, y = sg.symbol("x", "n"), sg.symbol("y", "n")
    assert sg.formula(lambda x, y: sg.where(2.0 > 1, x, sg.log(y)).sum(), x, y).conditions == []


@pytest.mark.parametrize("text", ["where(x != 0, 1/x, 0)", "where(x != 0, x**-2, 0)", "where(x != 0, log(abs(x)), 0)"])
def test_what_is_left_out_at_0_stays_out_of_the_derivative(text):
    x = np.array([1.0, 0.0, -2.0])
    formula = sg.parse(f"sum({text})", x="n")
    numbers = sg.parse(text, x=())
    slopes = [0.0 if v == 0 else (float(numbers(x=v + 1e-6)) - float(numbers(x=v - 1e-6))) / 2e-6 for v in x]
    assert formula.grad("x")(x=x) == pytest.approx(slopes, abs=1e-6)
