"""What `verify` must not say: PROVED of what was not, or right of what is wrong in a corner."""

import numpy as np
import pytest

import symgrad as sg


class TripledSlope(sg.autograd.Function):
    """x², with a backward that is wrong by a half."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 3 * g * ctx.saved_tensors[0]


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
    assert sg.verify("1", equals="x/x", x=()).verdict == "PROVED"
    with pytest.raises(sg.FormulaError, match="no variable 'z'"):
        sg.verify("1", equals="x/x", x=(), z=())


def test_a_factor_of_one_is_no_diagnosis():
    assert "1 times" not in sg.verify("(x**2)**(y/2)", equals="x**y", x=(), y=()).diagnosis


def test_a_gradient_that_is_claimed_to_be_the_value():
    with pytest.raises(sg.ShapeError, match=r"the claim has shape \(3,\), and the right one is \(\)") as caught:
        sg.verify(lambda x: (x**2).sum(), lambda x: 2 * x, x=np.ones(3))
    assert "grad=…" in str(caught.value)
