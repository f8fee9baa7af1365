"""What a shortened formula no longer says of itself is among its conditions: inverses, comparisons, factors."""

import numpy as np
import pytest

import symgrad as sg

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
    "lost in a comparison": (
        lambda x, y: sg.where(sg.sqrt(x) ** 2 > 2, y, 0.0), (x, y), "y ⊙ 1[x > 2]", ["x ≥ 0"]
    ),
    "a logarithm in a branch": (lambda x: sg.where(x > 0, sg.log(x), 0.0), (x,), "where(x > 0, log(x), 0)", []),
    "log det": (lambda A: sg.logdet(A) - sg.logdet(A), (A,), "0", ["det(A) ≠ 0"]),
    "log det that stays": (lambda A: sg.linalg.slogdet(A).logabsdet, (A,), "log(|det(A)|)", []),
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
