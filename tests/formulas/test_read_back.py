"""What is printed is read back as what it was, or refused; so is what would be read otherwise than it is meant."""

import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import TABLE

from ..helpers import rows as _rows
from ..helpers.cases import one_in

MISREAD = {
    "xᵗ": "letters are not read as exponents",
    "(1 + r)ᵗ": "letters are not read as exponents",
    "‖x‖_3": "an underscore stands inside a name only",
    "1_000 x": "an underscore stands inside a name only",
    "0x10": "numbers are decimal",
    "2ᵀx": "a number has no transpose",
}


@pytest.mark.parametrize("text", MISREAD)
def test_what_means_something_else_is_refused(text):
    with pytest.raises(sg.FormulaError, match=MISREAD[text]):
        sg.parse(text)


@pytest.mark.parametrize("order", [2, -1, -12, 0.5, 1.5])
@pytest.mark.parametrize("name", ["bessel_j", "bessel_k"])
def test_orders_that_are_no_digits_are_not_written_below(name, order):
    formula = sg.parse(f"{name}({order}, x)")
    assert ("bessel" in str(formula)) is (order != 2)
    for text in (str(formula), formula.latex(), format(formula, "ascii")):
        assert sg.parse(text).equals(formula)


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
    "an + tanh(a) + sum(x)": (lambda a, x: (a + x).sum() + sg.tanh(a), _declared(a=scalar, x=vector)),
    "x/(√π n)": (lambda x: x / np.pi**0.5 / x.shape[0], _declared(x=vector)),
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


@pytest.mark.parametrize("text", ["x_1^2 x_2", "x_max + 1", "x_0*x_1"])
def test_a_declared_name_that_stands_with_something_below_only_is_asked(text):
    with pytest.raises(sg.ParseError, match=r"Write x\[0\] for its first entry"):
        sg.parse(text, x=2)
    with pytest.raises(sg.ParseError, match="Write x for that symbol"):
        sg.parse(text, x=())


def test_a_multiple_of_the_identity_is_no_name():
    formula = sg.formula(lambda x, k: k * (x @ x) / 2, sg.symbol("x", "n"), sg.symbol("k", ())).hessian("x")
    assert sg.parse(str(formula), shape=formula.shape, k=()).equals(formula) and str(formula) == "kI"


def test_a_list_above_is_an_exponent():
    formula = sg.parse("sum_{t=0}^5 b^t c_t").grad("c")
    assert sg.parse(formula.latex(), b=()).equals(formula)


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


def test_i_is_the_identity_where_a_matrix_is_asked_for():
    g = sg.parse("mean(y.*y)", y="n", dialect="matrix").hessian("y")
    for text in (str(g), format(g, "ascii"), g.latex()):
        again = sg.parse(text, shape=g.shape)
        assert again.free_symbols <= {"n"} and np.allclose(again(n=3), 2 * np.eye(3) / 3)
    assert sg.parse("2I/n").free_symbols == {"I", "n"}


def test_one_of_two_results_is_counted_from_0():
    text = "exp(-t) + u\nwhere t = slogdet(S.T @ S + eye(n))[1]\n      u = maximum(t, v)**2"
    S = np.diag([1.0, 2.0])
    np.testing.assert_allclose(sg.parse(text)(S=S, v=0.5), 1 / 10 + np.log(10) ** 2)


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
        sg.parse(text, dialect="matrix", **{name: "n" for name in "xyab" if name in text and said[0] == "W"})
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


@one_in(4)
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


def test_the_norm_of_an_array_of_three_axes_is_read_at_any_sizes():
    found = sg.parse("‖X‖", X=("l", "m", "n"))
    assert str(found) == "‖X‖" and str(found.grad("X")) == "X/‖X‖"
    assert found(X=np.ones((2, 2, 4))) == 4


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


# One row of the table -------------------------------------------------------------------------------------------------


OF_REALS = [
    op for op in _rows.SAMPLED
    if op.kind == "elementwise" and not _rows.is_draw(op)
    and all(np.asarray(a).dtype.kind == "f" for a in _rows.sample(op)[0])
]  # fmt: skip

NOT_READ = {
    ("ascii", 0): 6, ("unicode", 0): 46, ("latex", 0): 83,
    ("unicode", 1): 46, ("latex", 1): 56, ("unicode", 2): 51, ("latex", 2): 71,
}  # fmt: skip
"""Of how many rows, of numbers, vectors and matrices, the printed form is refused: complex ones, letters that are one
capital (``K(x)``) or of two rows (``H₄(x)``), derivatives by a parameter (``∂P/∂a``), in LaTeX what says what a
function is, and |X| and quotients of matrices, which are asked about. They may only fall."""


def _formula(op, params, names, shape=()):
    return sg.formula(lambda *args: op.apply(*args, *params), *[sg.symbol(name, shape) for name in names])


@one_in(3)
@pytest.mark.parametrize(("form", "rank"), NOT_READ)
def test_what_a_row_prints_is_read_back(form, rank):
    shape = (2,) * rank
    refused = []
    for op in OF_REALS:
        operands, params = _rows.sample(op)
        names = "xyzw"[: len(operands)]
        names = names.upper() if rank == 2 else names
        formula = _formula(op, params, names, shape)
        text = format(formula, form)
        try:
            again = sg.parse(text, dialect="latex" if form == "latex" else None, **dict.fromkeys(names, shape))
        except sg.ParseError:
            refused.append(op.name)
            continue
        if not again.free_symbols <= set(names):  # K(x) is K·(x)
            refused.append(op.name)
            continue
        for entry in zip(*[np.reshape(a, -1)[:4] for a in operands], strict=True):  # what it is is seen at a few
            point = dict(zip(names, map(float, entry), strict=True))
            point = {name: value + 0.01 * np.arange(2**rank).reshape(shape) for name, value in point.items()}
            found = again(**{name: v for name, v in point.items() if name in again.free_symbols})
            np.testing.assert_allclose(found, formula(**point), rtol=1e-9, err_msg=f"{text} was read as {again}")
    assert len(refused) <= NOT_READ[form, rank], refused


LETTERS = [
    "Γ(x)", "J₁(x)", "I₀(x)", "Y₂(x)", "j₂(2x)", "C₄^(1.5)(x)", "Ai(x)", "Ai′(x)", "R_F(x, 1 + x, 2)", "W₀(x)", "E₁(x)",
    "1/Γ(x)", "P₄^(0.5, 1.5)(x)", "He₄(x)", "Si(x)", "sn(x, 0.3)", "erfcx(x)", "betaln(x, 2)", "J₁(x)²",
    "sinc⁽²⁾(x)", "ive₁⁽¹⁾(x)", "kve₂⁽¹⁾(2x)", "erfcx⁽³⁾(x)²", "L₄⁽⁰⁾(x)", "ψ⁽²⁾(x)", "D⁽²⁾(x)", "1 + x sinc⁽¹⁾(x)",
]  # fmt: skip


@pytest.mark.parametrize("text", LETTERS)
def test_a_function_is_read_by_its_letter(text):
    assert str(sg.parse(text, x=())) == text


@pytest.mark.parametrize("text", ["sinc⁽²⁾(x)", "ive₁⁽¹⁾(x)", "kve₁⁽¹⁾(2x)", "erfcx⁽³⁾(x)²"])
def test_an_order_above_is_read_from_latex(text):
    latex = format(sg.parse(text, x=()), "latex")
    assert "^{(" in latex and str(sg.parse(latex, dialect="latex", x=())) == text


NO_ORDERS = [
    "sin⁽²⁾(x)", "x⁽²⁾", "x⁽²⁾(x)", "f⁽²⁾(x)", "sinc⁽²⁾", "sinc⁽²⁾ x", "sinc⁽²⁾[x]", "2⁽²⁾", "(x)⁽²⁾(x)", "sinc⁽⁾(x)",
    "sinc⁽²(x)", "sinc⁽ᵀ⁾(x)", "ive⁽¹⁾(x)", "sinc₁⁽²⁾(x)", "J₁⁽¹⁾(x)", "sinc ⁽²⁾(x)²⁽²⁾", "exp(x)⁽²⁾", "sinc⁽²⁾⁽²⁾(x)",
    "sinc⁽⁻¹⁾(x)", r"\sin^{(2)}(x)", r"\operatorname{sinc}^{(2)} x", r"\operatorname{sinc}_{1}^{(2)}(x)", r"x^{(2)}(x)",
    r"\operatorname{ive}_{x}^{(1)}(x)", r"\operatorname{ive}_{1}^{(x)}(x)",
    r"\operatorname{relu}^{(2)}(x)", r"\log_{2}^{(2)}(x)",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_ORDERS)
def test_an_order_above_is_that_of_a_function_of_the_table_or_refused(text):
    with pytest.raises(sg.ParseError):
        sg.parse(text, dialect="latex" if "\\" in text or "{" in text else None, x=())


def test_an_order_above_a_name_is_no_power_of_it():
    for text in ("sinc⁽²⁾(x)", r"\mathrm{sinc}^{(2)}(x)"):
        with pytest.raises(sg.ParseError):
            sg.parse(text, dialect="latex" if "\\" in text else None, x=(), sinc=())


def test_a_letter_that_is_a_name_is_no_function():
    assert sg.parse("J₁ x", J_1=(), x=()).free_symbols == {"J_1", "x"}
    assert sg.parse("Γ(x + 1)", dialect="matrix", Γ=("n", "n"), x="n").free_symbols >= {"Γ", "x"}
    for text in ("H₄(x)", "K(x)", r"I_{2}(x)"):
        with pytest.raises(sg.ParseError):
            sg.parse(text, x=())


@pytest.mark.parametrize("name", [n for n, op in TABLE.items() if op in OF_REALS and op.params])
def test_parameters_are_given_in_order_or_by_name(name):
    op = TABLE[name]
    operands, params = _rows.sample(op)
    text = f"{name}({', '.join('xyzw'[: len(operands)])}, {', '.join(f'{k}={p!r}' for k, p in zip(op.params, params))})"
    try:
        found = sg.parse(text, **dict.fromkeys("xyzw"[: len(operands)], ()))
    except sg.ParseError as error:  # a function of that name with parameters of other names
        assert name in sg.notation.functions() or "is no function" in str(error)
        return
    point = {n: float(np.reshape(a, -1)[0]) for n, a in zip("xyzw", operands)}
    expected = op.forward(*[np.asarray(v) for v in point.values()], *params)
    np.testing.assert_allclose(
        found(**{n: v for n, v in point.items() if n in found.free_symbols}), expected, rtol=1e-9
    )


DECOMPOSED = {
    "nuclear": lambda X, A, S: sg.linalg.norm(X, "nuc").formula().grad("X"),
    "of a product": lambda X, A, S: sg.linalg.norm(A @ X, "nuc").formula().grad("X"),
    "singular values": lambda X, A, S: (sg.linalg.svdvals(X) ** 2).sum().formula(),
    "an eigenvalue": lambda X, A, S: sg.linalg.eigvalsh(S)[-1].formula(),
    "its slope": lambda X, A, S: sg.linalg.eigvalsh(S)[-1].formula().grad("S"),
}


@pytest.mark.parametrize("name", DECOMPOSED)
@pytest.mark.parametrize("form", ["unicode", "latex"])
def test_a_decomposition_behind_where_says_what_its_factors_are(name, form):
    symbols = {
        "X": sg.symbol("X", ("m", "n")),
        "A": sg.symbol("A", ("k", "m")),
        "S": sg.symbol("S", ("n", "n"), symmetric=True),
    }
    formula = DECOMPOSED[name](**symbols)
    again = sg.parse(format(formula, form), **{n: s for n, s in symbols.items() if n in formula.free_symbols})
    assert again.equals(formula) and str(again) == str(formula)


def test_a_factor_that_was_declared_is_what_it_was_declared():
    assert sg.parse("tr(UVᵀX) where X = USVᵀ", S=("n", "n")).free_symbols == {"U", "V", "S"}
    for text in ("U V where X = A B", "A x where A B = C", "U where X = U V", "x where X ="):
        with pytest.raises(sg.ParseError):
            sg.parse(text)


OF_NUMBERS = {
    "gammainc": lambda a, x: sg.special.gammainc(a, x), "gammaincc": lambda a, x: sg.special.gammaincc(a, x),
    "betainc": lambda a, x: sg.special.betainc(a, 4, x), "betainc of halves": lambda a, x: sg.special.betainc(3, a, x),
    "betaincc": lambda a, x: sg.special.betaincc(a, a, x),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_NUMBERS)
@pytest.mark.parametrize("a", [3, 3.5, 2.7, 5])
def test_the_numbers_of_an_exponent_are_added_up(name, a):
    formula = sg.formula(lambda x: OF_NUMBERS[name](a, x), sg.symbol("x", ()))
    for _ in range(3):
        formula = formula.grad("x")
        for form in ("unicode", "latex"):
            text = format(formula, form)
            number = r"(?:[0-9./]+|\\frac\{\d+\}\{\d+\})"
            assert not re.search(rf"[({{^]{number} [−+-] {number}[)}} ]", text), text
            try:
                again = sg.parse(text, dialect="latex" if form == "latex" else None, x=())
            except sg.ParseError:
                assert form == "latex" or "B(" in text, text
            else:
                np.testing.assert_allclose(again(x=0.3), formula(x=0.3), rtol=1e-9, err_msg=text)


def test_letters_of_an_exponent_stay_before_its_number():
    formula = sg.formula(lambda a, x: sg.special.gammainc(a, x), sg.symbol("a", ()), sg.symbol("x", ()))
    found = formula.grad("x").grad("x").grad("x")
    sums = {
        "a + 1": "x^a exp(−x)/Γ(1 + a)", "2 - a": "x^(1 − a) exp(−x)/Γ(2 − a)",
        "b + a": "x^(a + b − 1) exp(−x)/Γ(a + b)",
        "b - a - 1": "x^(b − a − 2) exp(−x)/Γ(b − a − 1)", "a/2 + 1": "x^(a/2) exp(−x)/Γ(1 + a/2)",
        "3 - a - b": "x^(−a − b + 2) exp(−x)/Γ(3 − a − b)", "a*(b + 1)": "x^(ab + a − 1) exp(−x)/Γ(ab + a)",
    }  # fmt: skip
    for text, shown in sums.items():
        slope = sg.parse(f"igamma({text}, x)", a=(), b=(), x=()).grad("x")
        point = {n: v for n, v in {"a": 0.7, "b": 1.9, "x": 0.4}.items() if n in slope.free_symbols}
        assert str(slope) == shown
        np.testing.assert_allclose(sg.parse(shown, a=(), b=(), x=())(**point), slope(**point), rtol=1e-9)
    assert "x^(a − 2) " in str(found) and "Γ(a − 2)" in str(found) and "x^(a − 3) " in str(found)


@pytest.mark.parametrize("name", ["exp1", "expi", "erfcinv", "betaln", "erfcx", "loggamma"])
def test_what_a_second_derivative_prints_is_read_back(name):
    f = getattr(sg.special, name)
    given = (1.5,) if name == "betaln" else ()
    second = sg.formula(lambda x: f(*given, x), sg.symbol("x")).grad("x").grad("x")
    again = sg.parse(str(second), x=())
    for x in (0.3, 0.6):
        assert again(x=x) == pytest.approx(second(x=x), rel=1e-9), str(second)


# Rows of arrays -------------------------------------------------------------------------------------------------------


OF_ARRAYS = [
    op for op in _rows.SAMPLED
    if op.kind != "elementwise" and not _rows.is_draw(op)
    and all(np.asarray(a).dtype.kind == "f" for a in _rows.sample(op)[0])
]  # fmt: skip
NAMES = ("X", "Y", "Z", "W", "V", "U")

MORE = {
    "max": lambda x: sg.max(x, 1)[0], "columns": lambda x: sg.stack([x[0, :1], x[-1, -1:]]),
    "a row": lambda x: sg.stack([x[0, 0], x[-1, -1] ** 2])[None],
    "min of columns": lambda x: sg.min(x, 0, keepdim=True)[0],
    "max, kept": lambda x: sg.max(x, 1, keepdim=True)[0], "median": lambda x: sg.median(x, 1)[0],
    "median, kept": lambda x: sg.median(x, 1, keepdim=True)[0], "mode, kept": lambda x: sg.mode(x, 1, keepdim=True)[0],
    "all, kept": lambda x: sg.sum(x, (0, 1), keepdim=True), "zeros": lambda x: 0 * x, "in front": lambda x: x[None],
    "behind": lambda x: x[..., None], "between": lambda x: sg.exp(x)[:, None] * 3, "of rows": lambda x: x[:, :1],
    "twice": lambda x: x[:, None] + x[:, None] ** 2, "over": lambda x: 1 / x[None],
    "spread": lambda x: x.expand(2, *x.shape),
    "a number": lambda x: sg.ones(2, 1, 3) * x.sum(), "ones": lambda x: sg.ones_like(x),
    "norms": lambda x: sg.norm(x, dim=1, keepdim=True),
    "softmax": lambda x: sg.softmax(x[None], 2), "diagonals": lambda x: sg.diag_embed(x)[:, None],
    "kthvalue, kept": lambda x: sg.kthvalue(x, 1, 0, keepdim=True)[0], "beside": lambda x: x[None] + 2 * x[:, None],
}  # fmt: skip
SHAPES = {"numbers": (2, 3), "three": (2, 3, 4), "row": (3,), "names": ("m", "n"), "ones": (1, 3)}


def _first(found):
    return found[0] if isinstance(found, tuple) else found


def _assert_read(formula, form, shapes, values):
    """Whether the printed form is read; then it is what it was."""
    text = format(formula, form)
    try:
        again = sg.parse(text, dialect="latex" if form == "latex" else None, **shapes)
    except sg.ParseError:
        return
    except sg.FormulaError as refused:  # X = UΣVᵀ says what U and V are, but not where X occurs as well
        assert "is declared and defined after 'where'" in str(refused) and re.search(r"where\W.*\bX = U", text)
        return
    if not again.free_symbols <= set(shapes):
        return
    sizes = dict(zip(shapes["X"], values["X"].shape)) if "m" in shapes["X"] else {}
    expected, found = (f(**{n: v for n, v in values.items() if n in f.free_symbols}, **sizes) for f in (formula, again))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9, strict=True, err_msg=f"{text}\nread as\n{again}")


def _assert_all_read(function, shapes, values):
    symbols = [sg.symbol(n, s) for n, s in shapes.items()]
    for f in (function, lambda *a: (function(*a) ** 2).sum()):
        try:
            formula = sg.formula(f, *symbols)
            if f is not function:
                formula = formula.grad(next(iter(shapes)))
        except (sg.SymgradError, NotImplementedError):
            continue
        for form in ("ascii", "unicode", "latex"):
            _assert_read(formula, form, shapes, values)


@pytest.mark.parametrize("op", OF_ARRAYS, ids=lambda op: op.name)
def test_what_a_row_of_arrays_prints_is_read_back_or_refused(op):
    operands, params = _rows.sample(op)
    values = dict(zip(NAMES, map(np.asarray, operands)))
    f = lambda *a: _first(op.apply(a, *params) if op.variadic else op.apply(*a, *params))
    _assert_all_read(f, {n: v.shape for n, v in values.items()}, values)


@pytest.mark.parametrize("name", MORE)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_a_function_of_an_array_prints_is_read_back_or_refused(name, shape):
    size = tuple({"m": 2, "n": 3}.get(n, n) for n in SHAPES[shape])
    values = np.random.default_rng(0).permutation(np.prod(size)).reshape(size) + 1.0
    _assert_all_read(MORE[name], {"X": SHAPES[shape]}, {"X": values})
