"""How SciPy's functions meet tensors, symbols and arrays: dispatch, names that raise, edges, letters, programs."""

import numpy as np
import pytest
import scipy.special as sc

import symgrad as sg
from symgrad.ops.entries.all_special import SCIPY_NAMES

from ._measured import PYTHON, function
from ._oracle import CASES

X = np.array([0.3, 0.8, 1.6])


def tensor(x=X):
    return sg.tensor(x, requires_grad=True)


@pytest.mark.parametrize("name", sorted(n for n in SCIPY_NAMES if not n.startswith("_")))
def test_each_function_is_found_under_scipys_name(name):
    assert callable(getattr(sg.special, name)) and hasattr(sc, name)


@pytest.mark.parametrize("name", [n for n in CASES if n.partition("[")[0] not in PYTHON])
def test_the_ufunc_itself_takes_tensors_and_runs_in_functions_of_arrays(name):
    case, call = CASES[name], function(name)
    point = case.points[len(case.points) // 2]
    k = case.wrt[-1]
    x = np.full(2, point[k])
    at = lambda v: call(*[v if i == k else p for i, p in enumerate(point)])
    expected = at(x)
    found = at(tensor(x))
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-13)
    slope = sg.grad(lambda v: at(v).sum())(x)
    np.testing.assert_allclose(sg.jvp(at, (x,), (np.ones(2),))[1], slope, rtol=1e-12)


ORDERED = {
    "jv": ("order", (tensor, 2.0)), "yve": ("order", (tensor, 2.0)), "struve": ("order", (tensor, 2.0)),
    "expn": ("order", (tensor, 2.0)), "eval_hermite": ("degree", (tensor, 0.4)),
    "eval_genlaguerre": ("alpha", (2, tensor, 0.4)), "bdtr": ("count n", (1, tensor, 0.4)),
    "pdtr": ("count k", (tensor, 0.4)), "hyp0f1": ("parameter v", (tensor, 0.4)),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERED)
def test_an_order_that_is_differentiated_raises_by_name(name):
    what, arguments = ORDERED[name]
    call = lambda a: getattr(sc, name)(*[a if v is tensor else v for v in arguments])
    with pytest.raises(sg.NotDifferentiableError, match=f"the {what} of {name} has no derivative rule"):
        call(tensor())
    with pytest.raises(sg.NotDifferentiableError, match=f"the {what} of {name} has no derivative rule"):
        sg.jvp(call, (X,), (np.ones(3),))


@pytest.mark.parametrize("name", ["hyp1f1", "hyp2f1"])
def test_a_second_derivative_by_a_parameter_that_there_is_not_raises_by_name(name):
    call = lambda a: getattr(sc, name)(*[a] * (2 if name == "hyp1f1" else 3), 0.3).sum()
    assert np.isfinite(sg.grad(call)(X)).all()
    with pytest.raises(sg.NotDifferentiableError, match=f"the derivative of '{name}_by_a'"):
        sg.hessian(call)(X)


OUTSIDE = {
    "gammainc": [(-1.0, 2.0), (2.0, -1.0)], "gammaincc": [(-1.0, 2.0), (2.0, -1.0)], "gammaincinv": [(2.0, 1.5)],
    "betainc": [(1.0, 2.0, 1.5), (-1.0, 2.0, 0.5), (1.0, -2.0, 0.5)], "betaincinv": [(1.0, 2.0, -0.1)],
    "loggamma": [(-1.5,)], "exp1": [(-2.0,)], "expn": [(2, -2.0)], "yv": [(1, -2.0)], "kv": [(1, -2.0)],
    "jv": [(1.5, -2.0)],
    "ellipk": [(1.5,)], "ellipe": [(1.5,)], "ellipkinc": [(1.4, 1.5)], "ellipeinc": [(1.4, 1.5)],
    "elliprf": [(-1.0, 1.0, 2.0)], "elliprd": [(1.0, -1.0, 2.0)], "erfinv": [(1.5,)], "erfcinv": [(2.5,)],
    "ndtri": [(1.5,)], "spence": [(-1.0,)], "stdtr": [(-1.0, 0.4)], "stdtrit": [(2.0, 1.5)], "fdtr": [(-1.0, 2.0, 0.5)],
    "bdtr": [(2, 5, 1.5)], "pdtr": [(2, -1.0)], "boxcox": [(-1.0, 0.5)], "inv_boxcox": [(-4.0, 0.5)],
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("name", OUTSIDE)
def test_outside_its_domain_value_and_slopes_are_nan(name):
    for point in OUTSIDE[name]:
        given = [sg.tensor(v, requires_grad=k in CASES[name].wrt) for k, v in enumerate(point)]
        arguments = [t if t.requires_grad else v for t, v in zip(given, point, strict=True)]
        value = getattr(sc, name)(*arguments)
        assert np.isnan(value.item()), f"{name}{point} is {value.item()}"
        slopes = sg.autograd.grad(value, [t for t in given if t.requires_grad])
        assert all(np.isnan(s.item()) for s in slopes), f"{name}{point}: {[s.item() for s in slopes]}"


def test_at_the_ends_of_their_ranges_incomplete_functions_have_their_limits():
    a, x = tensor([2.0, 2.0, 0.5]), tensor([0.0, np.inf, 0.0])
    by_a, by_x = sg.autograd.grad(sc.gammainc(a, x).sum(), [a, x])
    assert by_a.tolist() == [0, 0, 0] and by_x.tolist() == [0, 0, np.inf]
    a, x = tensor([2.0, 2.0]), tensor([0.0, 1.0])
    by_a, by_x = sg.autograd.grad(sc.betainc(a, 3.0, x).sum(), [a, x])
    assert by_a.tolist() == [0, 0] and by_x.tolist() == [0, 0]


def test_the_reciprocal_gamma_function_has_slopes_where_gamma_has_poles():
    x = tensor([0.0, -1.0, -3.0])
    (g,) = sg.autograd.grad(sc.rgamma(x).sum(), x)
    np.testing.assert_allclose(g.numpy(), [1, -1, -6], rtol=1e-14)  # (-1)^n n!


def test_parameters_broadcast_with_arguments():
    a, x = tensor(np.array([[0.5], [2.0]])), tensor(X)
    by_a, by_x = sg.autograd.grad(sc.gammainc(a, x).sum(), [a, x])
    wide_a, wide_x = tensor(np.repeat([[0.5], [2.0]], 3, 1)), tensor(np.array([X, X]))
    for narrow, wide, axis in zip(
        (by_a, by_x), sg.autograd.grad(sc.gammainc(wide_a, wide_x).sum(), [wide_a, wide_x]), (1, 0)
    ):
        np.testing.assert_allclose(narrow.numpy().ravel(), wide.numpy().sum(axis), rtol=1e-14)
    orders = np.array([0, 1, 2])
    t = tensor(X)
    (g,) = sg.autograd.grad(sc.jv(orders, t).sum(), t)
    np.testing.assert_allclose(g.numpy(), sc.jvp(orders, X), rtol=1e-13)


LETTERS = {
    "Γ(x)": (sc.gamma, r"\Gamma(x)"), "K(x)": (sc.ellipk, "K(x)"), "E(x)": (sc.ellipe, "E(x)"),
    "J₂(x)": (lambda x: sc.jv(2, x), "J_{2}(x)"), "Ai(x)": (lambda x: sc.airy(x)[0], r"\operatorname{Ai}(x)"),
    "P₃(x)": (lambda x: sc.eval_legendre(3, x), "P_{3}(x)"), "P(2, x)": (lambda x: sc.gammainc(2.0, x), "P(2, x)"),
    "ζ(3, x)": (lambda x: sg.special.zeta(3, x), r"\zeta(3, x)"), "1/Γ(x)": (sc.rgamma, r"\frac{1}{\Gamma(x)}"),
    "I(x; 2, 3)": (lambda x: sc.betainc(2.0, 3.0, x), "I_{x}(2, 3)"),
    "Si(x)": (lambda x: sc.sici(x)[0], r"\operatorname{Si}(x)"),
    "₁F₁(1, 2, x)": (lambda x: sc.hyp1f1(1.0, 2.0, x), "{}_{1}F_{1}(1, 2, x)"),
}  # fmt: skip


@pytest.mark.parametrize("text", LETTERS)
def test_a_formula_calls_it_by_its_letter(text):
    f, latex = LETTERS[text]
    found = sg.formula(f, sg.symbol("x"))
    assert str(found) == text and found.latex() == latex


def test_a_letter_that_is_a_symbol_is_not_used():
    assert str(sg.formula(sc.ellipk, sg.symbol("K"))) == "ellipk(K)"


SLOPES = {
    "(E(m) − (1 − m) K(m))/(2m(1 − m))": sc.ellipk, "(E(m) − K(m))/(2m)": sc.ellipe,
    "m^3 exp(−m)/3!": lambda m: sc.pdtrc(3, m), "1 − 2m D(m)": sc.dawsn, "(J₀(m) − J₂(m))/2": sc.j1,
}  # fmt: skip


@pytest.mark.parametrize("text", SLOPES)
def test_a_slope_is_the_formula_of_textbooks(text):
    assert str(sg.formula(SLOPES[text], sg.symbol("m")).grad("m")) == text


def test_operands_of_a_rows_own_text_stand_in_parentheses_where_they_must():
    v, x = sg.symbol("v"), sg.symbol("x")
    slope = sg.formula(lambda v, x: sc.chdtr(v, x), v, x).grad("x")
    assert str(slope) == "((x/2)^(v/2 − 1) exp(−x/2)/Γ(v/2))/2"
    t = sg.symbol("t")
    found = sg.formula(lambda t: t * sc.ellipe(2 * t), t).grad("t")
    assert str(found) == "2t((E(2t) − K(2t))/(2(2t))) + E(2t)"


def test_source_code_calls_scipy():
    code = sg.formula(lambda x: sc.jv(2, x) + sc.gammainc(2.0, x) + sc.ellipk(x / 9), sg.symbol("x")).code()
    for call in ("scipy.special.jv(2, x)", "scipy.special.gammainc(2", "scipy.special.ellipk(x"):
        assert call in code


@pytest.mark.parametrize("f", [
    lambda x: sc.gammainc(x, 2.0), lambda x: sc.ellipk(x / 9), lambda x: sc.hyp2f1(x, 1.0, 3.0, 0.3),
    lambda x: sc.stdtr(x, 0.4),
])  # fmt: skip
def test_float32_stays_float32_and_single_precision_is_kept(f):
    x = sg.tensor(X.astype(np.float32), requires_grad=True)
    (g,) = sg.autograd.grad(f(x).sum(), x)
    assert g.dtype == sg.float32
    np.testing.assert_allclose(g.numpy(), sg.grad(lambda x: f(x).sum())(X), rtol=1e-4)
