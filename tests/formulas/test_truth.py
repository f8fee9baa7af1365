"""Formulas tell the truth: their conditions travel with them, numbers check them, and a disagreement is never shown."""

import pickle

import numpy as np
import pytest

import symgrad as sg
from symgrad.calculus import derive, rewriting
from symgrad.calculus.rewriting import Rewrite
from symgrad.core import TABLE
from symgrad.formulas import formula
from symgrad.terms.evaluation import contract, evaluate, evaluate_along, stretched
from symgrad.terms.normal_form import ein, number

from ..helpers.cases import one_in
from ..helpers.numeric import assert_close
from ..helpers.rows import DEAR, RECORDED, rows, run, sample, wanted

rng = np.random.default_rng(0)
POSITIVE = rng.uniform(0.5, 1.5, 3)
DEFINITE = rng.normal(size=(3, 3)) * 0.2 + 2 * np.eye(3)


def names_of(f):
    return " ".join(f.conditions)


# ------------------------------------------------------------------------------------------------------- conditions

DIVIDED = {
    "x/x": lambda x: x / x,
    "x²/x": lambda x: x * x / x,
    "x x⁻¹": lambda x: x**2 * x**-2,
    "x/|x|": lambda x: x / sg.abs(x),
}


@pytest.mark.parametrize("what", DIVIDED)
def test_what_was_divided_out_is_a_condition(what):
    f = sg.formula(lambda x: DIVIDED[what](x).sum(), POSITIVE)
    assert f.checked is True
    assert "x ≠ 0" in f.conditions
    assert str(f.explain()).endswith("Holds where x ≠ 0.")


UNDONE = {
    "exp(log(x)) for x > 0": lambda x: sg.exp(sg.log(x)),
    "√x² for x ≥ 0": lambda x: sg.sqrt(x) ** 2,
    "√x √x for x ≥ 0": lambda x: sg.sqrt(x) * sg.sqrt(x),
    "erf(erfinv(x)) for |x| < 1": lambda x: sg.erf(sg.erfinv(x / 2)),
}


@pytest.mark.parametrize("what", UNDONE)
def test_what_was_undone_outside_a_domain_is_a_condition_or_stays(what):
    """At -3 the function is NaN: the formula either says so or states where it holds."""
    f = sg.formula(lambda x: UNDONE[what](x), POSITIVE)
    with np.errstate(all="ignore"):
        assert f.conditions or np.isnan(f(x=np.full(3, -3.0))).all()


def test_formulas_that_hold_everywhere_have_no_conditions():
    for function in (
        lambda x: ((x - 1) ** 2).sum(),
        lambda x: sg.log(1 + sg.exp(x)).sum(),
        lambda x: sg.log(sg.exp(x)).sum(),
        lambda x: sg.logsumexp(x, 0),
        lambda x: sg.sqrt(x**2).sum(),
    ):
        assert sg.formula(function, POSITIVE).conditions == []


@pytest.mark.parametrize("function", [lambda X: sg.log(sg.det(X)), lambda X: sg.logdet(X)], ids=["log det", "logdet"])
def test_the_logarithm_of_a_determinant_says_where_it_is_real(function):
    f = sg.formula(function, DEFINITE)
    assert str(f) == "log(|det(X)|)"
    assert f.conditions == ["det(X) > 0"]


def test_conditions_travel_to_derivatives():
    f = sg.formula(lambda X: sg.log(sg.det(X)), DEFINITE)
    assert f.grad("X").conditions == ["det(X) > 0"]
    assert f.hessian("X").conditions == ["det(X) > 0"]
    g = sg.formula(lambda x: (x * x / x * x**3).sum(), POSITIVE)
    assert "x ≠ 0" in g.grad("x").conditions


def test_the_square_of_a_sign_is_zero_at_zero():
    f = sg.formula(lambda x: sg.sign(x) ** 2 * sg.exp(x), sg.symbol("x", 3))
    assert str(f) == "exp(x) ⊙ 1[x ≠ 0]" and f.conditions == []
    np.testing.assert_allclose(f(x=[0.0, -1.0, 2.0]), [0, np.exp(-1), np.exp(2)])


def test_the_branch_that_python_took_is_a_condition():
    """A branch on numbers is decided where the function ran; elsewhere the formula may not be the function's."""

    def f(x):
        return sg.exp(x).sum() if x.sum() > 0 else x.sum()

    assert any("branch" in c or "sum(x) > 0" in c for c in sg.formula(f, POSITIVE).conditions)
    with pytest.raises(sg.SymbolicBranchError):
        sg.formula(f, sg.symbol("x", 3))


# ------------------------------------------------------------------------------------------------ choices, untaken


def test_what_was_not_taken_does_not_spoil_a_gradient():
    """The tape gives 0 where √x was not taken, and so must a formula that says it was checked."""
    x = sg.tensor([-1.0, 2.0, 0.0], requires_grad=True, name="x")
    y = sg.where(x > 0, sg.sqrt(x), 1.0).sum()
    (g,) = sg.autograd.grad(y, x, retain_graph=True)
    np.testing.assert_allclose(y.formula().grad("x")(), g.numpy())


@pytest.mark.parametrize("f", [
    lambda v: np.exp(np.where(v > 0, v * np.log(v), 0)).sum(),
    lambda v: np.log(1 + np.where(v > 0, np.sqrt(v), 0)).sum(),
    lambda v: np.prod(1 + np.where(v > 0, np.log(v), v)), lambda v: np.linalg.norm(np.where(v > 0, np.log(v), v)),
    lambda v: np.where(v.sum() < 0, v**2, np.log(v.sum()) * v).sum() ** 2,
])  # fmt: skip
def test_what_was_not_taken_does_not_spoil_what_is_made_of_a_choice(f):
    """The slope of what follows a choice stands behind it, too: 1/v where v > 0 alone."""
    at = np.array([0.0, -2.0, 1.5, 0.2])
    formula = sg.formula(f, sg.symbol("v", "n"))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(formula.grad("v")(v=at), sg.grad(f)(at), rtol=1e-12)
        np.testing.assert_allclose(formula.hessian("v")(v=at), sg.hessian(f)(at), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("f", [
    lambda s: np.where(s > 0, s * np.log(s), 0), lambda s: np.where(s > 0, np.sin(s) * np.log(s), s) * s,
    lambda s: np.where(s > 0, np.log(s), s) ** 2 * np.where(s > 0, s * np.log(s), 0),
])  # fmt: skip
def test_what_was_not_taken_does_not_spoil_a_number(f):
    gradient = sg.formula(f, sg.symbol("s")).grad("s")
    with np.errstate(all="ignore"):
        for at in (-1.5, 2.5):
            np.testing.assert_allclose(gradient(s=at), sg.grad(f)(at), rtol=1e-12)


def test_what_was_not_taken_does_not_spoil_a_sum_of_slopes():
    f = sg.formula(lambda s: np.where(s > 0, np.log(s), s) * np.where(s > 0, np.sqrt(s), s), sg.symbol("s"))
    second = f.grad("s").grad("s")  # of s² it is 2, of √s log(s) −log(s)/(4√s³); the 2 was NaN
    with np.errstate(all="ignore"):
        np.testing.assert_allclose([second(s=-1.5), second(s=2.25)], [2, -np.log(2.25) / 13.5])


def test_rows_that_were_not_taken_do_not_spoil_a_gradient():
    f = lambda X: np.where((X.sum(1) > 0.5)[:, None], np.log(X**2), X).sum() ** 2
    at = np.array([[0.0, -1.0, 1.0], [1.5, 0.3, -0.7]])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(sg.formula(f, sg.symbol("X", ("m", "n"))).grad("X")(X=at), sg.grad(f)(at))


def test_beside_a_diagonal_is_0_whatever_is_on_it():
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(sg.parse("diag(1/x)")(x=[0.0, 2.0]), [[np.inf, 0], [0, 0.5]])


@pytest.mark.parametrize("f", [
    lambda A, B: (A @ B @ A.T).max(axis=0), lambda A, B: (A.T @ (A * A) @ B).max(axis=1),
    lambda A, B: np.abs(A @ B @ A.T).max(), lambda A, B: np.ptp(A.sum() * (A @ B), axis=0),
    lambda A, B: np.where((M := A @ B @ A.T) >= M.max(axis=1, keepdims=True), M**2, 0.0).sum(1),
    lambda A, B: np.maximum(M := A @ B @ A.T, M.T).sum(0),
    lambda A, B: np.where((M := A @ B @ A.T) >= M.T, M**2, M).sum(0),
])  # fmt: skip
def test_what_is_compared_is_rounded_one_way_whichever_way_round_it_is_read(f):
    """Turned round, a product of three matrices is rounded otherwise: it was nowhere equal to its largest entry, nor
    its diagonal to that of its transpose."""
    A, B = sg.symbol("A", ("m", "n")), sg.symbol("B", ("n", "n"))
    for name in ("A", "B"):
        g = sg.formula(f, A, B).jacobian(name)
        code = {}
        exec(g.code("numpy", name="slope"), code)
        for seed in range(5):
            draw = np.random.default_rng(seed)
            at = {"A": draw.normal(size=(4, 3)), "B": draw.normal(size=(3, 3))}
            truth = sg.jacobian(f, argnums=name)(*at.values())
            np.testing.assert_allclose(g(**at), truth, atol=1e-12)
            np.testing.assert_allclose(code["slope"](**at), truth, atol=1e-12)


def test_ties_go_to_the_element_that_the_tape_chose():
    """Of equal elements along an axis, as after a relu, one has the gradient; a formula agrees or says it differs."""
    x = sg.tensor([[1.0, 1.0, 0.0], [3.0, 2.0, 3.0]], requires_grad=True, name="x")
    y = (x.max(1)[0] ** 2).sum()
    (g,) = sg.autograd.grad(y, x, retain_graph=True)
    derived = y.formula().grad("x")
    if derived.checked is True:
        np.testing.assert_allclose(derived(), g.numpy())


@pytest.mark.parametrize(
    "function", [sg.sin, sg.exp, lambda c: sg.softmax(c, 0), lambda c: sg.logsumexp(c, 0) + c, sg.sign, sg.tanh]
)
def test_truth_values_are_the_numbers_0_and_1_in_functions(function):
    x = sg.tensor([1.0, 2.0, -3.0], requires_grad=True, name="x")
    y = (function((x > 0).double()) * x).sum()
    f = y.formula()
    assert f.checked is True
    np.testing.assert_allclose(f(), y.item())
    scope = {}
    exec(f.code(), scope)
    np.testing.assert_allclose(scope["f"](x.detach().numpy()), y.item())


@pytest.mark.parametrize(
    "function",
    [lambda c: sg.cumsum(c, 0), lambda c: sg.logsumexp(c, 0), lambda c: sg.sum(c), lambda c: sg.var(c, 0)],
    ids=["cumsum", "logsumexp", "sum", "var"],
)
def test_what_hangs_on_a_condition_follows_it_elsewhere_or_refuses(function):
    """Numbers computed from a condition on x are no constants: at another x they are others."""
    x = sg.tensor([1.0, 2.0, -3.0], requires_grad=True, name="x")

    def loss(x):
        return (function((x > 0).double()) * x).sum()

    other = np.array([-1.0, 2.0, -3.0])
    expected = loss(sg.tensor(other)).item()
    try:
        np.testing.assert_allclose(loss(x).formula()(x=other), expected)
    except sg.FormulaError as error:
        assert "cannot be evaluated at another point" in str(error)
    np.testing.assert_allclose(sg.formula(loss, x.detach().numpy())(x=other), expected)


# --------------------------------------------------------------------------------------------------------- checking


def test_formulas_of_symbols_are_checked_at_random_sizes():
    A, x, b = sg.symbol("A", ("m", "n")), sg.symbol("x", "n"), sg.symbol("b", "m")
    f = sg.formula(lambda A, x, b: ((A @ x - b) ** 2).sum(), A, x, b)
    assert f.checked is True and f.grad("x").checked is True and f.hessian("x").checked is True
    assert [d.name for d in f.grad("A").shape] == ["m", "n"]
    a = rng.normal(size=(4, 2)), rng.normal(size=2), rng.normal(size=4)
    value = f.grad("x")(A=a[0], x=a[1], b=a[2])
    np.testing.assert_allclose(value, 2 * a[0].T @ (a[0] @ a[1] - a[2]))
    np.testing.assert_allclose(f.hessian("x")(A=a[0], x=a[1], b=a[2]), 2 * a[0].T @ a[0])
    with pytest.raises(sg.ShapeError, match="the size n is"):
        f(A=a[0], x=np.ones(5), b=a[2])


def test_a_wrong_rule_is_found_and_asks_for_a_report(monkeypatch):
    x = sg.tensor(rng.normal(size=3), requires_grad=True, name="x")
    right = derive.textbook
    monkeypatch.setattr(derive, "textbook", lambda term, i: ein(2, [(right(term, i), (0, 1))], (0, 1)))
    f = (sg.softmax(x, 0) ** 2).sum().formula()
    with pytest.raises(sg.FormulaError, match="report this as a bug"):
        f.grad("x")


def test_a_wrong_forward_value_is_found_and_asks_for_a_report(monkeypatch):
    x = sg.tensor(rng.normal(size=3), requires_grad=True, name="x")
    y = sg.sin(x)
    monkeypatch.setattr(TABLE["sin"], "forward", lambda v: v + 1)
    with pytest.raises(sg.FormulaError, match="report this as a bug"):
        y.formula()


def test_a_wrong_rewrite_is_found_and_asks_for_a_report(monkeypatch):
    def wrong(term):
        return (number(0), ()) if term.op.name == "atan" and term.rank == 0 else None

    table = {kind: list(rules) for kind, rules in rewriting.rules("short").items()}
    table["map"].append(Rewrite("atan(x) → 0", "", "map", wrong))
    monkeypatch.setattr(rewriting, "rules", lambda tag: table)
    x = sg.tensor(0.3, requires_grad=True, name="a_name_of_its_own")
    with pytest.raises(sg.FormulaError, match="report this as a bug"):
        sg.atan(x).formula()


def test_singular_points_are_no_disagreement():
    x = sg.tensor([0.0, 1.0], requires_grad=True, name="x")
    f = sg.log(x).formula()
    assert str(f) == "log(x)"
    np.testing.assert_array_equal(f(), [-np.inf, 0])


def test_a_choice_is_made_anew_where_a_formula_is_checked():
    x, y = sg.symbols("x y")
    f = sg.formula(lambda x, y: sg.where(1 / y**3 > x + x, (y - 1) ** -1.5, -(y**1.5)), x, y)
    assert f.grad("y").checked is True  # at the stand-ins there is no number


@pytest.mark.parametrize("seed", range(5))
def test_what_rounding_has_left_of_larger_numbers_is_no_disagreement(seed):
    v = sg.tensor(np.random.default_rng(seed).normal(size=5), requires_grad=True, name="v")
    assert ((v + 1e6) - 1e6).formula().checked is True
    f = ((v + 1e6) - 1e6 - v).formula()
    assert str(f) == "zeros(5)" and f.checked == "not checked: rounding decides the number at the point"


# -------------------------------------------------------------------------------------------------- equals and subs


def test_equals_is_of_form_or_of_value():
    f = sg.formula(lambda x: ((x + 1) ** 2).sum(), POSITIVE)
    assert f.equals(sg.formula(lambda x: (x**2 + 2 * x + 1).sum(), POSITIVE))
    assert f.equals(sg.formula(lambda x: ((1 + x) * (x + 1)).sum(), POSITIVE))
    assert not f.equals(sg.formula(lambda x: (x**2 + 2 * x).sum(), POSITIVE))
    assert not f.equals(sg.formula(lambda x: (x + 1) ** 2, POSITIVE))
    assert sg.formula(lambda x: (x - x).sum(), POSITIVE).equals(0)


def test_equals_does_not_mistake_agreement_on_one_side_for_equality():
    """|x| and x are one for positive numbers only."""
    f = sg.formula(lambda x: sg.abs(x), np.array([1.0, 2.0]))
    assert not f.equals(sg.formula(lambda x: x, np.array([1.0, 2.0])))


def test_substitution_is_that_of_the_function():
    f = sg.formula(lambda A, x: sg.exp(A @ x).sum(), DEFINITE, POSITIVE)
    g = f.subs(x=sg.formula(lambda u: u**2, POSITIVE))
    assert g.free_symbols == {"A", "u"}
    np.testing.assert_allclose(g(), np.exp(DEFINITE @ POSITIVE**2).sum())
    np.testing.assert_allclose(g.grad("u")(), 2 * POSITIVE * (DEFINITE.T @ np.exp(DEFINITE @ POSITIVE**2)))
    assert f.subs(A=np.eye(3)).free_symbols == {"x"}
    assert str(f.subs(A=np.eye(3))) == "sum(exp(x))"
    assert f.subs(x="z").free_symbols == {"A", "z"}
    with pytest.raises(sg.ShapeError):
        f.subs(x=np.ones(4))
    with pytest.raises(sg.FormulaError, match="no symbol 'q'"):
        f.subs(q=1.0)


def test_symbols_that_swap_names_are_replaced_at_once():
    f = sg.formula(lambda x, y: x - 2 * y, POSITIVE, 2 * POSITIVE)
    np.testing.assert_allclose(f.subs(x="y", y="x")(x=[1.0, 1, 1], y=[5.0, 5, 5]), 5 - 2)


def test_derivatives_in_symbols_that_have_dropped_out_are_zero():
    f = sg.formula(lambda x, y: (x * y / y).sum() + (y - y).sum(), POSITIVE, POSITIVE)
    assert f.grad("y")().tolist() == [0, 0, 0]
    assert f.hessian("y")().tolist() == np.zeros((3, 3)).tolist()
    with pytest.raises(sg.FormulaError, match="no symbol 'z'"):
        f.grad("z")


# ------------------------------------------------------------------------------------------------ pickling, explain


def test_a_pickled_formula_is_the_same_formula():
    f = sg.formula(lambda A, x: sg.logsumexp(A @ x, 0), DEFINITE, POSITIVE)
    for found in (f, f.grad("x"), f.hessian("x"), f.grad("A")):
        copy = pickle.loads(pickle.dumps(found))
        assert copy == found and str(copy) == str(found) and copy.checked == found.checked
        assert copy.term is found.term and copy.conditions == found.conditions
        np.testing.assert_array_equal(copy(), found())
    assert str(pickle.loads(pickle.dumps(f)).grad("x")) == str(f.grad("x"))


def test_explain_names_each_rewrite_from_what_was_recorded_to_the_result():
    f = sg.formula(lambda x: sg.log(sg.exp(x).sum()), POSITIVE)
    first, second = str(f.explain()).splitlines()
    assert first == "f = log(sum(exp(x)))"
    assert second.startswith("f = logsumexp(x)") and "log(Σₖ exp(u[…,k])) → logsumexp(u, k)[…]" in second
    again = str(sg.formula(lambda X: sg.log(sg.det(X)), DEFINITE).explain())
    assert "log(det(X)) → logdet(X)" in again and again.endswith("Holds where det(X) > 0.")


# ------------------------------------------------------------------------------------------------- rules of the table

REAL = [op for op in RECORDED if op.name not in ("max_dim", "min_dim")]
"""Their samples pick elements at random places, which is no maximum."""


class ProductAndSum(sg.autograd.Function):
    """A function of two results."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x + y

    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y + h, g * x + h


def test_the_rule_of_a_users_function_is_that_of_its_first_result():
    x, y = (sg.tensor([1.0, 2.0], requires_grad=True, name=name) for name in "xy")
    assert [str(rule) for rule in ProductAndSum.apply(x, y)[0].grad_fn.formula] == ["g ⊙ x1", "g ⊙ x0"]


@one_in(4)
@rows(REAL, slow=DEAR)
def test_the_rule_of_a_row_is_its_gradient(op):
    operands, params = sample(op)
    ts, outs = run(op, operands, params)
    node = outs[0].grad_fn
    found = node.formula
    formulas = found if isinstance(found, tuple) else (found,)
    leaves = [t for t in ts if isinstance(t, sg.Tensor) and t.requires_grad]
    given = [f for f in formulas if f is not None]
    assert len(given) >= (1 if leaves else 0)
    for f, i in zip(given, wanted(op, operands), strict=False):
        g = f.point.get("g")
        if g is None:  # it does not depend on what comes in
            np.testing.assert_array_equal(f(), np.zeros(f.shape))
            continue
        (expected,) = sg.autograd.grad([outs[0]], [ts[i]], [sg.tensor(g)], retain_graph=True, materialize_grads=True)
        assert_close(f(), expected.numpy(), rtol=1e-6, atol=1e-8, what=f"{op.name} {i}: {f}")
        assert str(f) and f.latex() and format(f, "ascii").isascii()


@one_in(4)
@rows([op for op in REAL if "complex" not in str(op.domain)], slow=DEAR)
def test_the_derivative_of_a_row_is_its_gradient(op):
    """The other way: the row's formula, differentiated as a formula."""
    operands, params = sample(op)
    ts, outs = run(op, operands, params)
    out = outs[0]
    if out.is_complex() or any(isinstance(t, sg.Tensor) and t.is_complex() for t in ts):
        pytest.skip("formulas of complex numbers are not differentiated here")
    w = sg.tensor(np.random.default_rng(1).normal(size=tuple(out.shape)), name="w")
    loss = (out * w).sum()
    f = loss.formula()
    assert f.checked is True
    for t in ts:
        if isinstance(t, sg.Tensor) and t.requires_grad:
            derived = f.grad(t.name)
            (g,) = sg.autograd.grad(loss, t, retain_graph=True, materialize_grads=True)
            assert derived.checked is True
            assert_close(derived(), g.numpy(), rtol=1e-6, atol=1e-8, what=f"{op.name} in {t.name}: {derived}")


COMPLEX = {
    "modulus": lambda x: sg.abs(sg.complex(x, 2 * x)).sum(),
    "real part": lambda x: sg.real(sg.complex(x, x) * sg.complex(x, 2 * x)).sum(),
    "polar": lambda x: sg.real(sg.polar(x, 2 * x)).sum(),
    "pairs": lambda x: sg.view_as_complex(sg.stack([x, x * x], 1)).abs().sum(),
    "angle": lambda x: sg.angle(sg.complex(x, x * x)).sum(),
}


@pytest.mark.parametrize("what", COMPLEX)
def test_real_numbers_by_way_of_complex_ones(what):
    x = sg.tensor(POSITIVE, requires_grad=True, name="x")
    y = COMPLEX[what](x)
    f = y.formula()
    np.testing.assert_allclose(f(), y.item())
    (g,) = sg.autograd.grad(y, x, retain_graph=True)
    try:
        derived = f.grad("x")
    except sg.FormulaError as error:  # to refuse is honest; to disagree is a bug
        assert "report this as a bug" not in str(error)
        return
    np.testing.assert_allclose(derived(), g.numpy(), rtol=1e-8)


def test_roots_of_sums_with_a_common_square_have_derivatives():
    f = sg.formula(lambda a, b: sg.sqrt(a * a * b * b + b * b), 0.5, 0.7)
    assert f.grad("b").checked is True and f.hessian("b").checked is True


OF_A_TRANSPOSE = {
    "power": lambda a: a**-2,
    "even": lambda a: sg.abs(a) ** 2,
    "reciprocal": lambda a: 1 / a,
    "root": lambda a: sg.sqrt(a * a),
    "relu": lambda a: sg.relu(a) * (a > 0),
    "sign": lambda a: sg.abs(a) * sg.sign(a),
    "softplus": lambda a: sg.log(1 + sg.exp(a)),
    "sigmoid": lambda a: sg.exp(a) / (1 + sg.exp(a)),
    "softmax": lambda a: sg.exp(a) / sg.exp(a).sum(1, keepdim=True),
    "where": lambda a: sg.where(a > 0, a, -a * a),
}


@pytest.mark.parametrize("what", OF_A_TRANSPOSE)
def test_functions_of_a_transpose_keep_the_order_of_its_axes(what):
    A = rng.normal(size=(3, 3))
    weights = rng.normal(size=(3, 3))
    assert sg.formula(lambda A: OF_A_TRANSPOSE[what](A.T), A).checked is True
    f = sg.formula(lambda A, weights: (OF_A_TRANSPOSE[what](A.T) * weights * A).sum(), A, weights)
    assert f.checked is True and f.grad("A").checked is True


@pytest.mark.parametrize("dim", [0, 1])
def test_a_softmax_written_out_is_a_softmax(dim):
    A = rng.normal(size=(2, 3))
    for keep in (lambda e: e / e.sum(dim, keepdim=True), lambda e: e / e.sum(dim).unsqueeze(dim)):
        assert "softmax(A" in str(sg.formula(lambda A, keep=keep: keep(sg.exp(A)), A))


SIGNED = {
    "x√(1 + x²)": lambda x: x * sg.sqrt(1 + x * x),
    "x√(x² + x⁴)": lambda x: x * sg.sqrt(x * x + x**4),
    "x/√(1 + x²)": lambda x: x / sg.sqrt(1 + x * x),
    "√(x²)x": lambda x: sg.sqrt(x * x) * x,
    "x³/√(x²)": lambda x: x**3 / sg.sqrt(x * x),
    "√(1 + 1/x²)x": lambda x: sg.sqrt(1 + 1 / (x * x)) * x,
}


@pytest.mark.parametrize("what", SIGNED)
def test_a_factor_that_goes_into_a_root_keeps_its_sign(what):
    f = sg.formula(lambda x: SIGNED[what](x).sum(), np.array([-1.5, 0.5, -0.3]))
    assert f.checked is True and f.grad("x").checked is True and f.hessian("x").checked is True


def test_hessians_of_sigmoids_of_roots():
    """Sigmoids at opposite arguments, in one sum: replaced by each other everywhere or nowhere."""
    x = np.array([-1.34, -0.496, 0.683])
    for function in (
        lambda x: sg.softplus(sg.sqrt(sg.softmax(x, 0)) - 0.442).sum(),
        lambda x: (sg.sqrt(sg.softmax(x, 0)) * sg.sigmoid(0.4 - sg.sqrt(sg.softmax(x, 0)))).sum(),
    ):
        f = sg.formula(function, x)
        assert f.grad("x").checked is True and f.hessian("x").checked is True


def chosen_mean(x0, x2):
    v = x0.mean()
    w = sg.where(sg.tensor(False), v + v / (2 + x2**2), x2)
    return sg.where(w > w, w, w) * 1.162 - 0.941 * w


def written_power(x):
    v = (x.prod() + x).reshape((1, 1))
    v.pow_(2)
    return sg.abs(x).sqrt() + v.sum() ** 2


def square_of_asin(x):
    v = sg.asin(0.9 * sg.sin(sg.index_select(sg.sqrt(sg.abs(x)), 1, sg.tensor([0, 0]))))
    return (v @ v).sum()


FOUND_BY_SEARCH = {
    "a choice of one symbol": (chosen_mean, np.array([0.3, 0.5]), np.array(-0.475)),
    "the trace of a choice": (
        lambda A, B: sg.trace(sg.where(B > A, 1 / sg.sqrt(A), A)),
        np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[2.0, 1.0], [1.0, 5.0]]),
    ),
    "a softmax over two axes": (
        lambda x, y: sg.logsumexp(sg.outer(x, y), (0, 1)), np.array([0.3, -1.0]), np.array([2.0, 0.5, -0.7])
    ),
    "a number written in place": (written_power, np.array(-0.959)),
    "fractions over roots": (square_of_asin, np.array([[0.7], [0.3]])),
}  # fmt: skip


@pytest.mark.parametrize("what", FOUND_BY_SEARCH)
def test_cases_that_random_programs_found(what):
    function, *args = FOUND_BY_SEARCH[what]
    f = sg.formula(function, *args)
    assert f.checked is True
    for name in sorted(f.free_symbols):
        assert f.grad(name).checked is True and f.hessian(name).checked is True


# ------------------------------------------------------------------------------------------------------- properties


def test_orthogonal_columns_meet_only_where_they_are_summed():
    """Σᵢ U[i,j] U[i,l] is δ[j,l]; U[i,j] U[l,j] for each j is none."""
    U = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    x, y, h = rng.normal(size=(3, 4))
    f = sg.formula(
        lambda h, U, x, y: ((U @ (h * (U.T @ x)) - y) ** 2).sum(),
        sg.symbol("h", "n"), sg.symbol("U", ("n", "n"), orthogonal=True), sg.symbol("x", "n"), sg.symbol("y", "n"),
    )  # fmt: skip
    point = {"h": h, "U": U, "x": x, "y": y}
    z = U.T @ x
    assert_close(f.grad("h")(**point), 2 * z * (h * z - U.T @ y))
    assert_close(f.hessian("h")(**point), 2 * np.diag(z**2))


# ----------------------------------------------------------------------------------- derivatives in what is symmetric

EVEN = DEFINITE @ DEFINITE.T
LOPSIDED = rng.normal(size=(3, 3))
OF_CHOLESKY_FACTORS = {
    "log det": lambda S: np.log(np.diag(np.linalg.cholesky(S))).sum(),
    "(log det)²": lambda S: np.log(np.diag(np.linalg.cholesky(S))).sum() ** 2,
    "log det of a sum": lambda S: np.log(np.diag(np.linalg.cholesky(2 * S + np.eye(3)))).sum(),
    "⟨C, LLᵀ⟩²": lambda S: (np.linalg.cholesky(S) @ np.linalg.cholesky(S).T * LOPSIDED).sum() ** 2,
    "log det and a power": lambda S: np.log(np.diag(np.linalg.cholesky(S))).sum() + (S * LOPSIDED).sum() ** 3,
}


@pytest.mark.parametrize("name", OF_CHOLESKY_FACTORS)
def test_derivatives_that_hold_where_a_matrix_is_symmetric_are_compared_along_symmetric_changes(name):
    f = OF_CHOLESKY_FACTORS[name]
    formula = sg.formula(f, S=EVEN)
    change = LOPSIDED + LOPSIDED.T
    first, second = formula.grad("S"), formula.hessian("S")
    assert first.checked is True
    assert second.checked is True
    assert any("symmetric" in text for text in second.conditions)
    step = 1e-4
    around = [f(EVEN + k * step * change) for k in (-1, 0, 1)]
    assert_close((first() * change).sum(), (around[2] - around[0]) / (2 * step), rtol=1e-5)
    curvature = np.einsum("ijkl,ij,kl", second(), change, change)
    assert_close(curvature, (around[2] - 2 * around[1] + around[0]) / step**2, rtol=1e-4, atol=1e-4)


def test_a_wrong_derivative_in_a_matrix_that_must_be_symmetric_is_found():
    """Of symmetric changes a formula says all there is: half of it is wrong, and where it is wrong is shown."""
    formula = sg.formula(OF_CHOLESKY_FACTORS["log det"], S=EVEN)
    source = formula.hessian("S")._background.source
    wrong = (formula.hessian("S") / 2)._full
    with pytest.raises(sg.FormulaError, match=r"Compared at entry \d, \d: \S+ against ") as caught:
        source.check(wrong, formula.point, 1e-6, lambda: frozenset(["S"]))
    assert "shape" not in str(caught.value)


def test_what_holds_for_any_matrix_is_compared_along_all_changes():
    formula = sg.formula(lambda S: (S * LOPSIDED).sum() ** 2, S=EVEN)
    gradient = formula.grad("S")
    lopsided = sg.formula(lambda S: (S * LOPSIDED).sum() * (LOPSIDED + LOPSIDED.T), S=EVEN)._full
    with pytest.raises(sg.FormulaError, match="disagree"):  # the same along symmetric changes
        gradient._background.source.check(lopsided, formula.point, 1e-6)


# The numbers that formulas are checked by -----------------------------------------------------------------------------


SIZES = (2, 3, 4, 5, 3, 2)


@pytest.mark.parametrize("seed", range(60))
def test_a_product_is_einsums(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(0, 4))
    parts = [(np.array(2.0), ())] if seed % 7 == 0 else []
    for _ in range(int(rng.integers(1, 7))):
        labels = tuple(map(int, rng.integers(0, len(SIZES), rng.integers(1, 4))))
        array = rng.normal(size=[SIZES[k] for k in labels])
        parts.append((array + 1j if seed % 5 == 0 else array, labels))
    parts += [(np.ones(SIZES[k]), (k,)) for k in range(rank) if all(k not in s for _, s in parts)]
    value = contract(parts, rank)
    truth = np.einsum(*[x for a, s in parts for x in (a, list(s))], list(range(rank)))
    assert value.shape == truth.shape
    np.testing.assert_allclose(value, truth, rtol=1e-10, atol=1e-12)


def test_an_operand_has_its_axes_where_its_labels_say():
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(stretched(x, (2, 0), (0, 1, 2)), x.T[:, None, :])
    np.testing.assert_array_equal(stretched(x[:, :2], (1, 1), (0, 1)), np.diag(x[:, :2])[None, :])


def network(X, V, W):
    return ((sg.tanh(sg.tanh(X @ V) @ W)) ** 2).sum()


TERMS = {
    "network": (network, {"X": (3, 4), "V": (4, 4), "W": (4, 2)}, "V"),
    "a diagonal": (lambda x, A: (sg.exp(A @ x) * x).sum() + (x**3).sum(), {"x": (4,), "A": (4, 4)}, "x"),
    "softmax": (lambda Q, K: (sg.softmax(Q @ K.T, -1) ** 2).sum(), {"Q": (3, 2), "K": (4, 2)}, "Q"),
    "an inverse": (lambda A, y: y @ sg.linalg.solve(A @ A.T + sg.eye(3), y), {"A": (3, 3), "y": (3,)}, "A"),
    "slices": (lambda x: (sg.sin(x[1:]) * x[:-1] ** 2).sum() + x.cumsum(0).prod(), {"x": (5,)}, "x"),
    "an array": (lambda x, A: sg.tanh(A @ x)[1:] * x[0], {"x": (3,), "A": (4, 3)}, "x"),
    "a slice alone": (lambda x: x[1:], {"x": (4,)}, "x"),
    "a mixed one": (lambda x, A: sg.softmax(A @ x, 0)[1], {"x": (3,), "A": (4, 3)}, "x"),
}


@pytest.mark.parametrize("what", TERMS)
def test_along_directions_a_term_is_its_array_contracted(what):
    function, shapes, wrt = TERMS[what]
    rng = np.random.default_rng(0)
    point = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    f = sg.formula(function, *point.values())
    for g in (f.jacobian(wrt), f.jacobian(wrt).jacobian(wrt)):
        whole = evaluate(g.term, point)
        rank = whole.ndim
        for open_ in {(), (0,), (rank - 1,), tuple(range(rank - 1)), tuple(range(1, rank)), tuple(range(rank))}:
            for groups in ([open_], [(k,) for k in open_]):
                directions = [(rng.normal(size=[whole.shape[k] for k in axes]), axes) for axes in groups if axes]
                operands = [x for d, axes in directions for x in (d, list(axes))]
                rest = [k for k in range(rank) if k not in open_]
                truth = np.einsum(whole, list(range(rank)), *operands, rest)
                value = evaluate_along(g.term, point, directions)
                assert value.shape == truth.shape
                np.testing.assert_allclose(value, truth, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("wrong", ["gradient", "derivative"])
def test_a_wrong_derivative_is_refused_whether_sizes_have_names_or_not(wrong, monkeypatch):
    for arguments in ([sg.symbol("A", ("m", "n")), sg.symbol("x", "n")], [np.eye(3) + 1, np.arange(3.0)]):
        f = sg.formula(lambda A, x: sg.cos(A @ x).sum(), *arguments)
        assert f.grad("x").jacobian("x").checked is True
        right = getattr(formula, wrong)

        def doubled(*args, right=right):
            axes = tuple(range(right(*args).rank))
            return ein(2, [(right(*args), axes)], axes)

        with monkeypatch.context() as patch:
            patch.setattr(formula, wrong, doubled)
            with pytest.raises(sg.FormulaError):
                f.grad("x").jacobian("x")


def test_what_is_printed_is_guarded_where_the_value_is():
    at = np.array([0.0, 0.5, -1.2])
    slope = sg.formula(lambda v: (np.where(v != 0, np.sin(v) / v, 1.0) ** 2).sum(), at).grad("v")
    np.testing.assert_allclose(sg.parse(str(slope))(v=at), slope(v=at))  # it was 2 where(…) ⊙ (cos(v)/v − …)


def test_the_least_entry_of_a_product_that_is_its_own_transpose_up_to_rounding():
    def f(X):
        w, V = np.linalg.eigh(X)
        return np.min(V * np.exp(0.3 * w) @ V.T)

    A = np.array([[0.25, 0.51], [0.51, 0.21]])
    found = sg.formula(f, sg.symbol("X", (2, 2))).grad("X")(X=A)
    np.testing.assert_allclose(found, sg.grad(f)(A), rtol=1e-10)
