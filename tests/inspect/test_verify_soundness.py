"""What `verify` must not say: PROVED of what was not, or right of what is wrong in a corner."""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.user_defined import pointwise

TripledSlope = pointwise(sg, "TripledSlope", lambda x: x * x, lambda x, g: 3 * g * x)  # wrong by a half


def half_detached(x):
    return (x * x.detach()).sum()


@pytest.mark.parametrize(
    ("f", "own"), [(lambda x: TripledSlope.apply(x).sum(), "3*x"), (half_detached, "x")], ids=["Function", "detach"]
)
def test_what_a_function_says_of_itself_is_held_against_its_values(f, own):
    wrong, right = sg.verify(f, grad=own, x="n"), sg.verify(f, grad="2*x", x="n")
    assert (wrong.verdict, right.verdict) == ("REFUTED", "AGREES")
    assert "own derivative" in str(wrong) and "own derivative" in right.why
    twice = sg.verify(f, hess=np.diag([3.0, 3.0] if own == "3*x" else [1.0, 1.0]), at={"x": np.array([1.0, 2.0])})
    assert twice.verdict == "REFUTED"


BOUND = 40.5


@pytest.mark.parametrize(
    "claim",
    [
        lambda x: 2 * x if x.shape[0] < int(np.exp(3.9)) else 3 * x,
        lambda x: 2 * x * min(x.shape[0], int(BOUND) ** 2) / x.shape[0],
        lambda x: 3 * x if type(x) is np.ndarray and np.log(np.abs(x).max()) > 12 else 2 * x,
    ],
    ids=["a length", "the least of two", "a type"],
)
def test_code_that_asks_for_lengths_or_types_is_not_proved(claim):
    found = sg.verify(lambda x: (x**2).sum(), grad=claim, x="n")
    assert found.verdict != "PROVED"
    assert found.verdict == "REFUTED" or "asks" in found.why
    assert sg.verify(lambda x: (x**2).sum(), grad=lambda x: 2 * x / x.shape[0] * x.shape[0], x="n").verdict == "PROVED"


@pytest.mark.parametrize(
    ("f", "claim"),
    [
        ("where(x >= 0, 1, 0)", "where(x > 0, 1, 0)"),
        ("floor(x) + 1", "ceil(x)"),
        ("1", "sign(x)**2"),
        ("minimum(2*x, 1e12)", "2*x"),
        (lambda x: np.where(x > 0, 1.0, 0.0), lambda x: np.where(x < 0, 0.0, 1.0)),
    ],
)
def test_values_on_an_edge_are_no_convention(f, claim):
    assert sg.verify(f, equals=claim, x=()).verdict == "REFUTED"


def test_a_derivative_that_is_wrong_at_one_point_is_never_proved():
    for point, verdict in ((0, "REFUTED"), (3.7, "AGREES")):
        found = sg.verify(lambda x: x**2, grad=lambda x, at=point: np.where(x == at, 5, 2 * x), x=())
        assert found.verdict == verdict, str(found)
    assert sg.verify("x", equals="where(x == 0.37, 1, x)", x=()).why == "it was shown where x ≠ 0.37 only"
    relu = sg.verify("sum(relu(x))", grad="where(x < 0, 0, 1)", x="n")  # at a kink of f it is one
    assert (relu.verdict, "x ≠ 0" in relu.conditions) == ("PROVED", True)


def test_a_name_is_not_a_variable_and_a_size():
    with pytest.raises(sg.FormulaError, match="'n' is a variable, and a size of 'x'"):
        sg.verify("sum(x)/n", equals="mean(x)", x="n", n=())


def test_points_that_verify_draws_warn_nobody():
    def spread(x):
        return x.var(ddof=1)  # of one number there is none, which NumPy warns of

    assert sg.verify(spread, equals=lambda x: ((x - x.mean()) ** 2).sum() / (x.shape[0] - 1), x="n")


def test_a_claim_may_have_a_variable_that_f_has_not():
    assert sg.verify("1", equals="x - x + 1", x=()).verdict == "PROVED"
    assert sg.verify("1", equals="x/x", x=()).verdict == "CONDITIONAL"  # 1 has a value at 0
    with pytest.raises(sg.FormulaError, match="no variable 'z'"):
        sg.verify("1", equals="x/x", x=(), z=())


def test_a_factor_of_one_is_no_diagnosis():
    assert "1 times" not in sg.verify("(x**2)**(y/2)", equals="x**y", x=(), y=()).diagnosis


def test_a_gradient_that_is_claimed_to_be_the_value():
    with pytest.raises(sg.ShapeError, match=r"the claim has shape \(3,\), and the right one is \(\)") as caught:
        sg.verify(lambda x: (x**2).sum(), lambda x: 2 * x, x=np.ones(3))
    assert "grad=…" in str(caught.value)


NARROWER = """
x ; sqrt(x)**2 | x ; exp(log(x)) | log(x/y) ; log(x) - log(y) | 1 ; x/x | x ; x**2/x | x*y ; exp(log(x) + log(y)) |
x**2 ; exp(2*log(x)) | abs(x) ; sqrt(x)*sqrt(x) | sqrt(x*y) ; sqrt(x)*sqrt(y) | x ; sin(asin(x)) | x ; tanh(atanh(x)) |
x + 1 ; exp(log1p(x)) | 1 + x**2 ; (1 + x**2)*x/x | x ; (x*y)/y | 0 ; log(x) - log(x) | x**y ; exp(y*log(x)) |
x**x ; exp(x*log(x)) | x**sin(x) ; exp(sin(x)*log(x)) | (x + 1)**y ; exp(y*log(x + 1)) | x**2 ; x**2.0000000000000004 |
sqrt((1 - x)**2) ; sqrt(1 - x)**2 | 1/(x + 1) ; (x + 2)/(x**2 + 3*x + 2)
"""
"""A function, and a claim that is the same where it has a value, which is not everywhere."""
AS_WIDE = """
sqrt(x)**2 ; x | log(x) - log(y) ; log(x/y) | x/x ; 1 | x**2/x ; x | log(x) ; log(x**2)/2 | sqrt(x) ; exp(log(x)/2) |
log1p(x) ; log(1 + x) | log(1 + x) ; log1p(x) | tan(x) ; sin(x)/cos(x) | 1/(x*y) ; 1/x/y | sqrt(x)*sqrt(y) ; sqrt(x*y) |
log(x*y) - log(x) - log(y) ; 0 | x*log(x) ; log(x)*x**2/x | 1/x ; exp(-log(abs(x)))*sign(x) |
1/(x + 1)**2 ; 1/(x**2 + 2*x + 1) | 1/(x**2 - y**2) ; 1/(x - y)/(x + y) | sqrt(1 - x**2) ; sqrt(-(x - 1)*(x + 1)) |
log(3*x) - log(3) ; log(x) | asin(x)/asin(x) + sqrt((1 - x)*(1 + x)) ; sqrt(1 - x**2) + 1 |
log(x - y + 1/2) ; log(2*x - 2*y + 1) - log(2)
"""
"""A function, and a claim that has a value wherever the function has one."""


def pairs(text):
    return [tuple(part.split(";")) for part in text.replace("\n", " ").split("|")]


def shapes(*texts):
    return {name: () for name in "xy" if any(name in t.replace("exp", "") for t in texts)}


@pytest.mark.parametrize(("f", "claim"), pairs(NARROWER))
def test_what_holds_in_a_part_of_where_a_function_has_values_is_not_true(f, claim):
    found = sg.verify(f, equals=claim, **shapes(f, claim))
    assert not found and found.verdict in ("CONDITIONAL", "REFUTED"), str(found)
    if found.verdict == "CONDITIONAL":
        assert found.only and f"where {', '.join(found.only)} only" in str(found)


@pytest.mark.parametrize(("f", "claim"), pairs(AS_WIDE))
def test_a_claim_may_have_values_where_the_function_has_none(f, claim):
    found = sg.verify(f, equals=claim, **shapes(f, claim))
    assert found and not found.only, str(found)


@pytest.mark.parametrize(
    ("f", "grad", "only"),
    [
        ("x**2", "2*exp(log(x))", ["x > 0"]), ("x**3", "3*x**4/x**2", ["x ≠ 0"]), ("sqrt(x)", "1/(2*sqrt(x))", []),
        ("x**(1/3)", "x**(-2/3)/3", []), ("abs(x)", "x/abs(x)", []), ("log(x)", "1/x", []),
        ("x*sqrt(x)", "1.5*sqrt(x)", []),
        ("norm(v)", "v/sqrt(sum(v**2))", []), ("sum(log(v))", "1/v", []),
        ("maximum(x, 0)", "(x/abs(x) + 1)/2", []), ("logdet(A)", "inv(A).T", []), ("sum(v*v)", "2*v", []),
        ("prod(v)", "prod(v)/v", ["v ≠ 0"]), ("x**2 + 3*prod(v)", "2*x", []), ("log(prod(v))", "1/v", []),
        ("det(A)", "det(A)*inv(A).T", ["A has an inverse"]), ("log(abs(det(A)))", "inv(A).T", []),
        ("1/det(A)", "-inv(A).T/det(A)", []), ("sinc(x)", "(cos(pi*x) - sinc(x))/x", ["x ≠ 0"]),
        ("sum(v*log(v))", "log(v) + 1", []), ("1/x", "-1/x**2", []), ("sum(v**3)", "3*v**2", []),
        ("1/(x + 1)", "-1/(x**2 + 2*x + 1)", []), ("arccos(x)", "-1/sqrt((1 - x)*(1 + x))", []),
        ("log(2*x)", "exp(-log(x))", []), ("log(x + 1/2)", "2/(2*x + 1)", []),
        ("1/(x + 1)", "-(x + 3)/(x**3 + 5*x**2 + 7*x + 3)", ["3 + 5x² + 7x + x³ ≠ 0"]),
    ],
)  # fmt: skip
def test_a_gradient_asks_for_no_more_than_the_function(f, grad, only):
    names = {
        n: s for n, s in {"x": (), "v": "n", "A": ("n", "n")}.items() if n in f.replace("max", "").replace("exp", "")
    }
    found = sg.verify(f, grad=grad, wrt="x" if "x" in names else None, **names)
    assert (found.only, bool(found)) == (only, not only), str(found)


def test_a_product_has_an_inverse_where_its_factors_have_one():
    names = dict.fromkeys("ABC", ("n", "n"))
    for f, claim in (("inv(A@B)", "inv(B)@inv(A)"), ("inv(A')", "inv(A)'"), ("inv(A@B@C')", "inv(C')@inv(B)@inv(A)")):
        assert sg.verify(f, equals=claim, **{n: s for n, s in names.items() if n in f}), f
    assert not sg.verify("A@B", equals="inv(inv(A))@B", A=("n", "n"), B=("n", "n"))


def test_an_exponent_is_the_number_that_is_written():
    x = sg.symbol("x", ())
    for power in (2.0000000000000004, 2.5000000000000004):
        read, traced = sg.parse(f"x**{power}", x=()), sg.formula(lambda x, p=power: x**p, x)
        assert str(power) in str(read) and str(power) in str(traced)
        assert "agree" in str(read.equals(sg.parse(f"x**{round(power, 9)}", x=())))


def test_a_claim_about_a_function_of_arrays_is_narrower_too():
    for at in (None, {"x": np.array([0.0, 2.0, 3.0])}):
        found = sg.verify(lambda x: x.prod(), grad=lambda x: x.prod() / x, x=(3,), at=at)
        assert not found and found.verdict == "CONDITIONAL" and found.only == ["x ≠ 0"], str(found)


def test_what_was_declared_is_no_condition():
    x, y = (sg.symbol(n, (), positive=True) for n in "xy")
    assert sg.verify("log(x/y)", equals="log(x) - log(y)", x=x, y=y).verdict == "PROVED"
    assert sg.verify("x**2", grad="2*exp(log(x))", x=x).verdict == "PROVED"


def test_a_right_claim_is_not_refuted_where_the_function_has_no_value():
    assert sg.verify("sqrt(x)**2", equals="abs(x)", x=())
    assert sg.verify("exp(log(x))", equals="abs(x)", x=())


NEARLY = """
x*(1 + 1e-17) ; x | x/3 ; 0.3333333333333333*x | x**(1/3) ; x**0.3333333333333333 | pi*x ; 3.141592653589793*x |
x ; 1.0000000000000002*x | x + 1e-17*x ; x | x + 1e-20 ; x | x/7 ; 0.14285714285714285*x | x/3 ; x*(1/3 + 1e-20) |
2**(-60)*x + x ; x | sqrt(2)*x ; 1.4142135623730951*x | x + 1/3 ; x + 0.33333333333333331 | e*x ; 2.718281828459045*x |
0.1*x + 0.2*x ; 0.30000000000000004*x | exp(x)*(1e16 + 1) ; 1e16*exp(x)
"""
ONE_NUMBER = """
0.1*x + 0.2*x ; 0.3*x | x/10 ; 0.1*x | 1.1*x*1.1 ; 1.21*x | x/3 ; x*(1/3) | sqrt(2)*x*sqrt(2) ; 2*x |
x**(1/3)*x**(2/3) ; x |
0.7*x**2.3 ; 7*x**2.3/10 | x/0.1 ; 10*x | x*1e-3 ; x/1000 | (x/3)*0.6 ; x/5 | 1e-8*x + x ; 1.00000001*x
"""


@pytest.mark.parametrize(("f", "claim"), pairs(NEARLY))
def test_numbers_that_are_nearly_equal_are_not_proved(f, claim):
    found = sg.verify(f, equals=claim, x=())
    assert found.verdict == "AGREES" and found.why, str(found)


@pytest.mark.parametrize(("f", "claim"), pairs(ONE_NUMBER))
def test_decimals_and_fractions_are_exact(f, claim):
    assert sg.verify(f, equals=claim, x=()).verdict == "PROVED"


def test_numbers_of_functions_are_exact_decimals():
    assert sg.verify(lambda x: x + 1e-17 * x, equals=lambda x: x * 1, x=()).verdict == "AGREES"
    assert sg.verify(lambda x: 1.1 * x + 2.2 * x, equals=lambda x: 3.3 * x, x=()).verdict == "PROVED"
    assert sg.verify(lambda x: x / 3, equals=lambda x: x * (1 / 3), x=()).verdict == "PROVED"
