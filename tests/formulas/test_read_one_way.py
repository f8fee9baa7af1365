"""What would be read otherwise than it is meant is refused; what is printed says along which axis it works."""

import pytest

import symgrad as sg

MISREAD = {
    "2ˣ": "letters are not read as exponents",
    "xʸ": "letters are not read as exponents",
    "‖x‖_1": "an underscore stands inside a name only",
    "1_000 x": "an underscore stands inside a name only",
    "0x10": "numbers are decimal",
    "1ᵀx": "a number has no transpose",
}


@pytest.mark.parametrize("text", MISREAD)
def test_what_means_something_else_is_refused(text):
    with pytest.raises(sg.FormulaError, match=MISREAD[text]):
        sg.parse(text)


def test_a_softmax_over_all_entries_says_so():
    X = sg.symbol("X", ("m", "n"))
    assert str(sg.formula(lambda X: sg.logsumexp(X, (0, 1)), X).grad("X")) == "softmax(X, dim=(0, 1))"
    assert str(sg.formula(lambda X: sg.softmax(X, 1), X)) == "softmax(X)"
    assert str(sg.formula(lambda X: X.sum((0, 1)), X)) == "sum(X)"


def test_code_asks_for_sizes_that_it_cannot_see():
    x = sg.symbol("x", "n")
    code = sg.formula(lambda x: (x * x).sum(), x).hessian("x").code()
    assert "def f(n):" in code


# ------------------------------------------------------------------------------------------------ printed, read back

A, V, x = sg.symbol("A", ("n", "n")), sg.symbol("V", ("m", "n")), sg.symbol("x", "n")
PRINTED = {
    "|A|": sg.formula(lambda A: abs(A), A),
    "|A|^∘3": sg.formula(lambda A: abs(A) ** 3, A),
    "|V|": sg.formula(lambda V: abs(V), V),
    "V^∘(1/3)": sg.formula(lambda V: V ** (1 / 3), V),
    "diag(vec(cos(V)))": sg.formula(lambda V: sg.sin(V), V).grad("V"),
    "6 diag(vec(A))": sg.formula(lambda A: (A**3).sum(), A).hessian("A"),
    "A ⊗ I + diag(vec(cos(A))) + I ⊗ Aᵀ": sg.formula(lambda A: sg.sin(A) + A @ A, A).grad("A"),
    "n": sg.formula(lambda x: (x / x).sum(), x),
    "reshape(V, (n, m))": sg.formula(lambda V: V.reshape(V.shape[::-1]), V),
    "2I": sg.formula(lambda x: x @ x, x).hessian("x"),
}


@pytest.mark.parametrize("text", PRINTED)
def test_a_printed_formula_means_what_was_printed(text):
    formula = PRINTED[text]
    assert str(formula) == text
    found = sg.parse(str(formula), shape=formula.shape, **({"V": ("m", "n")} if "V" in text else {}))
    assert found.shape == formula.shape and found.equals(formula)


def _declared(**shapes):
    return {name: sg.symbol(name, shape) for name, shape in shapes.items()}


square, vector, scalar = ("n", "n"), "n", ()
MADE_OF_NAMES = {
    "max(Bx₁)": (lambda B, x_1: (B @ x_1).max(), _declared(B=square, x_1=vector)),
    "logsumexp(Bx₁)": (lambda B, x_1: sg.logsumexp(B @ x_1, 0), _declared(B=square, x_1=vector)),
    "tanh(Bx₁)": (lambda B, x_1: sg.tanh(B @ x_1), _declared(B=square, x_1=vector)),
    "Bx₁ + y": (lambda B, x_1, y: B @ x_1 + y, _declared(B=square, x_1=vector, y=vector)),
    "TS(b + x)": (lambda T, S, x, b: T @ S @ (b + x), _declared(T=square, S=square, x=vector, b=vector)),
    "B(1/x)": (lambda B, x: B @ (1 / x), _declared(B=square, x=vector)),
    "B₁₁ + Σ₁₁": (lambda B, Sigma: B[1, 1] + Sigma[1, 1], _declared(B=square, Sigma=square)),
    "b₋₁²": (lambda b: b[-1] ** 2, _declared(b=vector)),
    "pi_0²": (lambda pi_0: pi_0**2, _declared(pi_0=scalar)),
    "I₀(x)": (sg.special.i0, _declared(x=vector)),
    "I₁(x)": (sg.special.i1, _declared(x=vector)),
    "selu(x)": (sg.selu, _declared(x=vector)),
    "zeros(n, n, n, n)": (lambda x: x.sum() * 0, _declared(x=vector)),
    "1[cumsum(B, dim=1) > B]": (lambda B: (sg.cumsum(B, 1) > B) * 1.0, _declared(B=square)),
}
"""Formulas of declared names, as they are printed, and what they are of."""


@pytest.mark.parametrize("text", MADE_OF_NAMES)
@pytest.mark.parametrize("form", ["text", "latex"])
def test_declared_names_side_by_side_are_no_new_name(text, form):
    function, names = MADE_OF_NAMES[text]
    formula = sg.formula(function, *names.values())
    formula = formula if not text.startswith("zeros") else formula.hessian("x").jacobian("x").jacobian("x")
    assert str(formula) == text
    found = sg.parse(text if form == "text" else formula.latex(), shape=formula.shape, **names)
    assert found.free_symbols == formula.free_symbols and found.equals(formula)


@pytest.mark.parametrize("text", ["max(Bx₁)", "max(Bx_1)", "Bx1 + y"])
def test_a_name_made_of_one_that_was_declared_is_refused(text):
    with pytest.raises(sg.ParseError, match="'B' was declared but does not occur"):
        sg.parse(text, B=("n", "n"))


def test_a_multiple_of_the_identity_is_no_name():
    formula = sg.formula(lambda x, k: k * (x @ x) / 2, sg.symbol("x", "n"), sg.symbol("k", ())).hessian("x")
    assert sg.parse(str(formula), shape=formula.shape, k=()).equals(formula) and str(formula) == "kI"


@pytest.mark.parametrize("function", [sg.cumsum, sg.cumprod])
def test_what_runs_along_an_axis_is_read_backwards_too(function):
    for shape, axis in (("n", 0), (("m", "n"), 1)):
        x = sg.symbol("x", shape)
        formula = sg.formula(lambda x, axis=axis: (function(x, axis) ** 2).sum(), x).grad("x")
        assert all(sg.parse(text, x=x).equals(formula) for text in (str(formula), formula.latex())), str(formula)


def test_one_capital_before_a_bracket_is_no_new_matrix_where_a_function_is_printed_so():
    x = sg.symbol("x", "n")
    for text in ("2 D(x) + x", "x ⊙ K(x)", r"\frac{E(x)}{x}"):
        with pytest.raises(sg.ParseError, match="may be the function"):
            sg.parse(text, x=x)
    assert sg.parse("2 D(x) + x", x=x, D=("n", "n")).free_symbols == {"D", "x"}
    assert sg.parse("Dᵀ(D(x − y))").free_symbols == {"D", "x", "y"}


@pytest.mark.parametrize("text", ["exp(sum(ones)) ones(n)", r"\operatorname{ones}(n) x", "exp exp(x)"])
def test_a_function_that_has_the_name_of_a_symbol_is_refused(text):
    with pytest.raises(sg.ParseError, match="may be the function"):
        sg.parse(text, ones="n", exp=(), x="n")


@pytest.mark.parametrize(
    "text", ["exp(x) tanh(x)", "tan(x)(1 + x)", "|x|(2 + exp(x))", "log(3(2 + x))", "1/(sx)\nwhere s = log(tan(x/4))"]
)
def test_numbers_side_by_side_are_read_as_printed(text):
    assert sg.parse(text, x=()).equals(sg.parse(text, x=(), dialect="matrix"))


def test_bars_of_a_square_matrix_are_refused_where_a_determinant_fits_too():
    for text, shape in (("|A|", None), ("|A|", ()), ("sum(|A|)", ()), ("|A| + |B|", (3, 3)), ("|A|𝟏", (3,))):
        with pytest.raises(sg.ParseError, match=r"\|A\| of a matrix that may be square may be read in two ways|asked"):
            sg.parse(text, dialect="matrix", shape=shape, A=(3, 3), B=(3, 3))
    assert sg.parse("|A| + |B|", dialect="matrix", shape=(2, 3), A=(2, 3), B=(2, 3)).shape == (2, 3)


@pytest.mark.parametrize("dialect", [None, "numpy", "matrix"])
def test_i_is_the_identity_unless_it_is_declared(dialect):
    assert sg.parse("I", dialect=dialect, shape=("n", "n")).free_symbols == set()
    assert sg.parse("I + A", dialect=dialect).free_symbols == {"A"}
    assert sg.parse("I + A", dialect=dialect, I=("n", "n")).free_symbols == {"A", "I"}
    with pytest.raises(sg.ParseError, match="the identity or a matrix of that name") as raised:
        sg.parse("eye(n) + I", dialect=dialect)
    assert 'Declare it, I=("n", "n")' in str(raised.value)
    assert sg.parse("eye(n) + I", dialect=dialect, I=("n", "n")).free_symbols == {"I"}


def test_a_size_alone_is_a_size():
    assert sg.parse("2n")(n=3) == 6
    with pytest.raises(sg.SymgradError, match="A size is a whole number"):
        sg.parse("2n")(n=2.5)
    assert sg.parse("2n", n=())(n=2.5) == 5.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(1 − L)²", "(1 − L)²: a power"), ("(x + y)*(x − y)", "Write (x + y)'*(x − y) for the inner product"),
        ("−x*y", "Write (−x)'*y"), ("x^2*y", "Write (x^2)'*y"), ("Σᵢ (a + b)·x[i]", "Write its entries, (a + b)[i]"),
        ("2*A/(A + I)", "(2*A)*inv(A + I)"),
    ],
)  # fmt: skip
def test_suggestions_keep_their_brackets(text, said):
    with pytest.raises(sg.ParseError) as raised:
        sg.parse(text, dialect="matrix")
    assert said in str(raised.value)


@pytest.mark.parametrize("text", ["mv(A, x, keepdims=True)", "kron(A, A, axis=0)", "det(A, axis=0)", "eye(n, k=1)"])
def test_an_argument_that_a_function_has_not_is_refused(text):
    with pytest.raises(sg.ParseError, match="has no argument '(keepdims|axis|k)'"):
        sg.parse(text)


# Functions of entries beside other letters: t·x₁ is printed tx₁, and parts of tables have names.
OF_ENTRIES = {
    "exp(t*x[1])*log(x[0])*t": dict(x=2, t=()), "sqrt(x[0]**2 + x[1]**2*t)": dict(x=2, t=()),
    "sin(t*x[1])/(x[0] + t*x[1])": dict(x=2, t=()), "exp(-t*(x@x))*x[1]": dict(x=3, t=()),
    "lam*x[0]*x[1]**2 + tanh(lam*x[1])": dict(x=2, lam=()), "sum(tanh(x)*x[1])*t": dict(x="n", t=()),
    "x[0]*w[1]*exp(beta*x[1]*w[0])": dict(x=2, w=2, beta=()), "t1*x[1]*exp(t1*x[0])": dict(x=2, t1=()),
    "A[0, 1]*x[1]*exp(A[1, 0]*x[0])": dict(x=2, A=(2, 2)), "log(1 + t*x[1]**2)*s*x[0]": dict(x=2, t=(), s=()),
    "exp(-(x[0] - t)**2*s)*x[1]": dict(x=2, t=(), s=()), "x_hat[0]*x_hat[1]**2*t": dict(x_hat=2, t=()),
}  # fmt: skip


@pytest.mark.parametrize("form", ["unicode", "ascii", "latex", "element"])
@pytest.mark.parametrize("text", OF_ENTRIES)
def test_what_is_printed_of_entries_is_read_back(text, form):
    shapes = OF_ENTRIES[text]
    f = sg.parse(text, **shapes)
    (wrt,) = [n for n in shapes if n.startswith("x")]
    for found in (f, f.grad(wrt), f.hessian(wrt)):
        printed = found.text(level="element") if form == "element" else format(found, form)
        again = sg.parse(printed, dialect="latex" if form == "latex" else None, shape=found.shape, **shapes)
        assert again.shape == found.shape and again.equals(found), printed
        assert again.free_symbols <= set(shapes)


def test_letters_beside_an_entry_are_a_product_if_they_are_known():
    assert str(sg.parse("tx₁", t=(), x="n")) == str(sg.parse("t*x[1]", t=(), x="n")) == "tx₁"
    assert sg.parse("tx₁", tx="n").free_symbols == {"tx"} and sg.parse("tx₁", tx_1=()).free_symbols == {"tx_1"}
    assert sg.parse("λx₁", lam=(), x="n").free_symbols == {"lam", "x"}
    with pytest.raises(sg.ParseError, match="'tx₁' may be one name or the product t·x₁"):
        sg.parse("2tx₁")


ALONG = {
    "logsumexp, gradient": lambda X, x: sg.formula(lambda X: sg.logsumexp(X, (0, 1)), X).grad("X"),
    "log softmax of all": lambda X, x: sg.formula(lambda X: X - sg.logsumexp(X, (0, 1)), X),
    "softmax of columns": lambda X, x: sg.formula(lambda X: sg.softmax(X, 0), X),
    "log softmax of columns": lambda X, x: sg.formula(lambda X: sg.log_softmax(X, 0), X),
    "rolled": lambda X, x: sg.formula(lambda x: sg.roll(x, 1, 0), x),
    "rolled, all": lambda X, x: sg.formula(lambda x: sg.roll(x, 1), x),
    "rolled along both": lambda X, x: sg.formula(lambda X: sg.roll(X, (1, 2), (0, 1)), X),
    "rolled along one": lambda X, x: sg.formula(lambda X: sg.roll(X, 2, 1), X),
    "rolled, gradient": lambda X, x: sg.formula(lambda x: (x * sg.roll(x, 1) ** 2).sum(), x).grad("x"),
    "sums": lambda X, x: sg.formula(lambda X: sg.cumsum(X, 1), X),
    "flipped": lambda X, x: sg.formula(lambda X: sg.flip(X, (0, 1)), X),
}


@pytest.mark.parametrize("form", ["unicode", "ascii", "latex"])
@pytest.mark.parametrize("case", ALONG)
def test_what_works_along_axes_is_read_back(case, form):
    shapes = dict(X=("m", "n"), x="n")
    found = ALONG[case](sg.symbol("X", ("m", "n")), sg.symbol("x", "n"))
    text = format(found, form)
    assert sg.parse(text, dialect="latex" if form == "latex" else None, **shapes).equals(found), text


@pytest.mark.parametrize("text", [
    "|where(x > t, 1, t)|", "√|where(x > t, x, t)|", "|where(x > 0, x, t)| |t|", "t + |where(|x| > t, x, t)|",
    "where((x > 0) ∨ (t > 0), |where(x > t, t, x)|, x)",
])  # fmt: skip
def test_bars_around_a_choice_are_bars(text):
    formula = sg.parse(text, x=(), t=())
    assert sg.parse(str(formula), x=(), t=()).equals(formula)
    if "∨" not in text:
        assert "|" in str(formula)
    made = sg.parse("where((x > 0) | (t > 0), 1, 0)", x=(), t=())
    assert [float(made(x=a, t=b)) for a in (-1, 1) for b in (-1, 1)] == [0, 1, 1, 1]
