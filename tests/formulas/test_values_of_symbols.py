"""A symbol has no value: what a formula of symbols asks for, and what it refuses."""

import numpy as np
import pytest

import symgrad as sg


@pytest.fixture
def x():
    return sg.symbol("x", "n")


def mean(x):
    return x.mean()


def test_what_stands_in_for_a_symbol_is_no_result(x):
    with pytest.raises(sg.FormulaError, match=r"the symbol 'x' has no value(.|\n)*f\(x=…\)"):
        sg.formula(mean, x)()
    with pytest.raises(sg.FormulaError, match="the symbol 's' has no value"):
        sg.formula(lambda x, s: s * x.sum(), x, sg.symbol("s"))(x=[1.0, 2.0])
    assert sg.formula(mean, x)(x=[1.0, 2.0]) == 1.5
    assert sg.formula(mean, np.array([1.0, 4.0]))() == 2.5  # an array has one


def test_a_size_is_given_by_name_where_no_array_has_it(x):
    hessian = sg.formula(lambda x: x @ x, x).hessian("x")
    with pytest.raises(sg.FormulaError, match="the size n has no value"):
        hessian()
    np.testing.assert_array_equal(hessian(n=3), 2 * np.eye(3))
    with pytest.raises(sg.ShapeError, match="the size n is 2 and 4"):
        sg.formula(mean, x)(x=[1.0, 2.0], n=4)
    with pytest.raises(sg.ShapeError, match="whole number"):
        hessian(n=2.5)


@pytest.mark.parametrize("text", ["2m", "m*lam", "n*sum(x)/m"])
def test_a_size_that_stands_as_a_number_only_has_no_value_either(text):
    formula = sg.parse(text, x="n")
    values = {name: v for name, v in {"lam": 1.0, "x": [1.0, 2.0]}.items() if name in formula.free_symbols}
    with pytest.raises(sg.FormulaError, match="the size m has no value"):
        formula(**values)
    assert formula(**values, m=6) == {"2m": 12.0, "m*lam": 6.0, "n*sum(x)/m": 1.0}[text]


VIOLATED = {
    "positive": [1.0, -1.0],
    "sign": [1.0, 0.5],
    "integer": [1.0, 0.5],
    "onehot": [1.0, 1.0],
    "symmetric": [[1.0, 2.0], [3.0, 4.0]],
    "psd": [[1.0, 2.0], [2.0, 1.0]],
    "pd": [[1.0, 1.0], [1.0, 1.0]],
    "diagonal": [[1.0, 1.0], [0.0, 1.0]],
    "orthogonal": [[1.0, 1.0], [0.0, 1.0]],
}


@pytest.mark.parametrize("prop", VIOLATED)
def test_a_value_must_have_what_was_declared(prop):
    value = np.array(VIOLATED[prop])
    a = sg.symbol("a", ("n",) * value.ndim, **{prop: True})
    formula = sg.formula(lambda a: (a**2).sum(), a)
    assert any(c.startswith("a is ") and prop in c for c in formula.conditions)
    with pytest.raises(sg.FormulaError, match="'a' was declared"):
        formula(a=value)
    assert formula(a=np.eye(2) if value.ndim == 2 else [1.0, 0.0] if prop == "onehot" else [1.0, 1.0]) > 0


def test_substitution_keeps_what_was_declared():
    f = sg.formula(lambda p: sg.sqrt(p**2), sg.symbol("p", positive=True))
    assert str(f) == "p"
    with pytest.raises(sg.FormulaError, match="'p' was declared positive"):
        f.subs(p=-3)
    with pytest.raises(sg.FormulaError, match="'q' was declared positive"):
        f.subs(p="q")(q=-1)


@pytest.mark.parametrize("new", [None, "1x", "y", object()], ids=["None", "no name", "another shape", "no number"])
def test_what_cannot_take_a_symbols_place_is_refused_by_name(new):
    f = sg.parse("sum((X@w - y)**2)", X=("m", "n"), w="n", y="m")
    with pytest.raises((sg.FormulaError, sg.ShapeError), match="w|1x"):
        f.subs(w=new)


def test_a_size_stays_where_factors_cancel(x):
    s = sg.symbol("s")
    assert str(sg.formula(lambda x, s: (sg.exp(x) * s * sg.exp(-x)).sum(), x, s)) == "ns"
    gaussian = sg.parse("sum(log(exp(-x**2/(2*s**2))/s))", x="n", s=())
    gradient = gaussian.grad("s")
    assert str(gradient) == "‖x‖²/s³ − n/s"
    np.testing.assert_allclose(gradient(x=[1.0, 2.0], s=2.0), 5 / 8 - 1)


def test_numbers_keep_their_digits():
    t = sg.symbol("t")
    for c in (1.00000000000001, 1.4426950408889634, 123456.7000000001, 1 / 1.7):
        f = sg.formula(lambda t, c=c: t * c, t)
        assert abs(f(t=1.0) - c) <= 4 * np.spacing(c)
    assert str(sg.formula(lambda t: t * 1.00000000000001, t)) == "1.00000000000001t"


def test_arrays_are_kept_as_they_were():
    a = np.array([1.0, 2.0])
    f = sg.formula(lambda x: (x * a).sum(), np.ones(2))
    a += 5
    assert f() == 3


def test_code_follows_named_sizes_or_says_that_it_cannot():
    f = sg.formula(lambda x, y: (sg.cat([x, y]) ** 3).sum(), sg.symbol("x", "m"), sg.symbol("y", "n"))
    scope = {}
    exec(f.grad("y").code(), scope)
    np.testing.assert_allclose(scope["f"](np.ones(2), np.array([1.0, 2.0, 3.0])), [3, 12, 27])
    np.testing.assert_allclose(f.hessian("y")(x=np.ones(2), y=[1.0, 2.0]), np.diag([6.0, 12.0]))
    strided = sg.formula(lambda X: (X[:, ::2].sum(1) ** 2).sum(), sg.symbol("X", ("m", "n")))
    with pytest.raises(sg.FormulaError, match="sizes that stand in"):
        strided.grad("X").code()


def test_jitter_is_a_multiple_of_the_identity_of_any_size():
    f = sg.formula(lambda A: sg.logdet(A @ A.T + 1e-6 * sg.eye(A.shape[0])), sg.symbol("A", ("m", "n")))
    assert str(f.grad("A")) == "2(AAᵀ + 10⁻⁶ I)⁻¹A"
    a = np.array([[2.0, 0.0, 1.0]])
    np.testing.assert_allclose(f.grad("A")(A=a), 2 * a / (5 + 1e-6))


def test_a_long_loop_has_a_short_way():
    def euler(y, a):
        for _ in range(60):
            y = y + 0.1 * (a * y - y**2)
        return y

    gradient = sg.formula(euler, sg.symbol("y"), sg.symbol("a")).grad("y")
    y, a, h = 0.3, 1.2, 1e-6
    np.testing.assert_allclose(gradient(y=y, a=a), (euler(y + h, a) - euler(y - h, a)) / (2 * h), rtol=1e-6)


def test_second_derivatives_in_a_symmetric_matrix_agree_on_symmetric_changes():
    f = sg.formula(lambda P: sg.linalg.cholesky(P).diagonal().log().sum(), sg.symbol("P", ("n", "n"), pd=True))
    assert f.hessian("P").checked is True


def test_a_name_made_of_a_declared_one_is_refused():
    with pytest.raises(sg.ParseError, match="'AXB' is one name, and 'X' was declared"):
        sg.parse("tr(AXB)", X=("n", "n"))


def test_a_detached_symbol_is_told_from_the_symbol_before_a_derivative_is_taken(x):
    def f(x):
        return (x.detach() * x).sum()

    with pytest.raises(sg.FormulaError, match="'x' also occurs detached"):
        sg.formula(f, x).grad("x")
    with pytest.raises(sg.FormulaError, match="'x' also occurs detached"):
        sg.grad(f)(x)
    assert str(sg.grad(f).formula(np.array([1.0, 2.0]))) == "[1, 2]"
    assert str(sg.formula(lambda x: sg.where(x > 0.5, x, x**2).sum(), x).grad("x")) == "where(x ≤ 1/2, 2x, 1)"


def test_what_cancels_after_a_substitution_is_zero():
    f = sg.parse("sum((X@w - y)**2)").subs(y=sg.parse("X@w"))
    assert str(f) == "0"


def test_a_notebook_shows_the_latex(x):
    f = sg.formula(mean, x)
    assert f._repr_latex_() == r"$\displaystyle \operatorname{mean}(x)$"


def test_the_layout_of_a_derivative_is_said(x):
    gradient = sg.formula(mean, x).grad("x")
    assert gradient.layout == "the axes of the function, then those of x"


PARTS = {
    "mean of a slice": (lambda x: x[1:].mean(), "sum(x[1:])/(n − 1)"),
    "mean square of differences": (lambda x: (np.diff(x) ** 2).mean(), "‖diff(x)‖²/(n − 1)"),
    "a loss of neighbours": (lambda x: sg.nn.functional.mse_loss(x[1:], x[:-1]), "‖x[1:] − x[:-1]‖²/(n − 1)"),
    "variance of a slice": (lambda x: np.var(x[2:], ddof=1), None),
    "mean of windows": (lambda x: x.unfold(0, 3, 1).mean(), "sum(unfold(x, dim=0, size=3, step=1))/(3(n − 2))"),
    "mean of what is padded": (lambda x: sg.nn.functional.pad(x, (1, 1)).mean(), None),
    "mean of a second diagonal": (lambda x: sg.diagonal(sg.outer(x, x), 1).mean(), None),
    "a slice joined on": (lambda x: (sg.cat([x[1:], x]) ** 3).sum(), "sum(cat([x[1:], x])³)"),
    "sums along a slice": (lambda x: (sg.cumsum(x[1:], 0) ** 2).sum(), "‖cumsum(x[1:])‖²"),
}


@pytest.mark.parametrize("name", PARTS)
def test_lengths_of_parts_follow_the_named_sizes(name, x):
    function, text = PARTS[name]
    formula = sg.formula(function, x)
    assert text is None or str(formula) == text
    for n in (4, 9):
        at = np.arange(1.0, n + 1) ** 2
        np.testing.assert_allclose(formula(x=at), function(sg.tensor(at)))
        np.testing.assert_allclose(formula.grad("x")(x=at), sg.grad(function)(at))
        np.testing.assert_allclose(formula.hessian("x")(x=at), sg.jacfwd(sg.grad(function))(at), atol=1e-9)


ORDERED = {
    "sort": lambda x: sg.sort(x)[0],
    "kthvalue": lambda x: sg.kthvalue(x, 2)[0],
    "median": lambda x: sg.median(x, 0)[0],
    "an order": lambda x: x[x.argsort()],
    "gather": lambda x: sg.gather(x, 0, x.argsort()),
    "topk": lambda x: sg.topk(x, 2)[0],
    "cummax": lambda x: sg.cummax(x, 0)[0],
    "squares of all but the first": lambda x: (sg.sort(x)[0] ** 2)[1:],
}


@pytest.mark.parametrize("name", ORDERED)
def test_what_is_put_in_order_is_so_at_every_size(name, x):
    ordered = ORDERED[name]
    formula = sg.formula(lambda x: (ordered(x) ** 3).sum(), x)
    for at in (np.array([3.0, 1.0, 2.0]), np.array([5.0, 1.0, 4.0, 2.0, 7.5])):
        function = lambda x: (ordered(sg.as_tensor(x)) ** 3).sum()
        np.testing.assert_allclose(sg.formula(ordered, x)(x=at), ordered(sg.tensor(at)))
        np.testing.assert_allclose(formula.grad("x")(x=at), sg.grad(function)(at))
        np.testing.assert_allclose(formula.hessian("x")(x=at), sg.jacfwd(sg.grad(function))(at))


@pytest.mark.parametrize("name", ["remainder", "fmod"])
def test_the_slope_of_a_remainder_says_that_the_divisor_is_not_zero(name):
    formula = sg.formula(getattr(sg, name), sg.symbol("a"), sg.symbol("b"))
    assert formula.conditions == []
    assert (str(formula.grad("a")), formula.grad("a").conditions) == ("1", ["b ≠ 0"])


def test_a_symbol_is_no_value():
    formula = sg.formula(lambda x: (x**3).sum(), sg.symbol("x", "n"))
    with pytest.raises(sg.FormulaError, match="'x' is given a symbol"):
        formula(x=sg.symbol("y", "n"))
    assert str(formula.subs(x="y")) == "sum(y³)"


def test_a_symbol_of_real_numbers_is_not_given_complex_ones():
    """|x|² is x² for real numbers only."""
    formula = sg.formula(lambda x: abs(x) ** 2 + x, sg.symbol("x"))
    assert str(formula) == "x² + x"
    for mode in ("raise", "warn"):
        with pytest.raises(sg.FormulaError, match="real numbers") if mode == "raise" else pytest.warns(match="real"):
            formula(x=1j, conditions=mode)
    assert formula(x=1j, conditions="ignore") == -1 + 1j
    assert formula(x=2 + 0j) == 6
    assert sg.formula(lambda x: abs(x) ** 2 + x, np.array(0.5j))(x=1j) == 1 + 1j
