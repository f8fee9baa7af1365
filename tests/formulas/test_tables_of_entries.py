"""Small arrays that are made of entries, as tables of these; names as they are shown."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.notation import parse

from ._tokens import count_tokens

x2, q2, u3, a3, b3 = (sg.symbol(name, n) for name, n in (("x", 2), ("q", 2), ("u", 3), ("a", 3), ("b", 3)))
t, theta, A = sg.symbol("t"), sg.symbol("theta", 2), sg.symbol("A", (2, 2))
S = sg.symbol("S", (2, 2), symmetric=True)


def himmelblau(x):
    return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def rotation(t):
    return sg.stack([sg.stack([sg.cos(t), -sg.sin(t)]), sg.stack([sg.sin(t), sg.cos(t)])])


def kinetic_energy(v, q):
    return v[0] ** 2 + v[1] ** 2 / 2 + v[0] * v[1] * sg.cos(q[0] - q[1])


def lorenz(u, sigma, rho, beta):
    return sg.stack([sigma * (u[1] - u[0]), u[0] * (rho - u[2]) - u[1], u[0] * u[1] - beta * u[2]])


def cross(a, b):
    return sg.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def ratio(theta):
    return theta[0] / theta[1]


parameters = [sg.symbol(name) for name in ("sigma", "rho", "beta")]
TABLES = {
    "[4x₀³ + 4x₀x₁ + 2x₁² − 42x₀ − 14, 2x₀² + 4x₀x₁ + 4x₁³ − 26x₁ − 22]": (
        lambda: sg.formula(himmelblau, x2).grad("x")),
    "[[12x₀² + 4x₁ − 42, s], [s, 12x₁² + 4x₀ − 26]]\nwhere s = 4x₀ + 4x₁": (
        lambda: sg.formula(himmelblau, x2).hessian("x")),
    "[[2 + 1200x₀² − 400x₁, −400x₀], [−400x₀, 200]]": lambda: sg.formula(rosenbrock, x2).hessian("x"),
    "[[cos(t), −sin(t)], [sin(t), cos(t)]]": lambda: sg.formula(rotation, t),
    "[[cos(t), −sin(t)], [sin(t), cos(t)]] v": lambda: sg.formula(lambda t, v: rotation(t) @ v, t, sg.symbol("v", 2)),
    "[−v₀ sin(t) − v₁ cos(t), v₀ cos(t) − v₁ sin(t)]": (
        lambda: sg.formula(lambda t, v: rotation(t) @ v, t, sg.symbol("v", 2)).jacobian("t")),
    "[1/θ₁, −θ₀/θ₁²]": lambda: sg.formula(ratio, theta).grad("theta"),
    "(S₀₀θ₁² + S₁₁θ₀² − 2S₀₁θ₀θ₁)/θ₁⁴": (
        lambda: sg.formula(lambda theta, S: sg.grad(ratio)(theta) @ S @ sg.grad(ratio)(theta), theta, S)),
    "[[2, s], [s, 1]]\nwhere s = cos(q₀ − q₁)": (
        lambda: sg.formula(kinetic_energy, sg.symbol("v", 2), q2).hessian("v")),
    "[[−σ, σ, 0], [ρ − u₂, −1, −u₀], [u₁, u₀, −β]]": lambda: sg.formula(lorenz, u3, *parameters).jacobian("u"),
    "[[0, b₂, −b₁], [−b₂, 0, b₀], [b₁, −b₀, 0]]": lambda: sg.formula(cross, a3, b3).jacobian("a"),
    "[[A₁₁, −A₁₀], [−A₀₁, A₀₀]]": lambda: sg.formula(lambda A: A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0], A).grad("A"),
}  # fmt: skip


@pytest.mark.parametrize("text", TABLES)
def test_what_is_made_of_entries_is_a_table_of_them(text):
    assert str(TABLES[text]()) == text


RUNS_THE_CODE = "pip install torch==2.13.0 runs the code"


def a_point_of(text):
    """The formula of a table, and values of its symbols."""
    formula = TABLES[text]()
    symbols = formula._background.symbols
    rng = np.random.default_rng(1)
    at = {name: rng.uniform(0.5, 1.5, tuple(map(int, symbols[name].shape))) for name in sorted(formula.free_symbols)}
    return formula, {name: (v + v.T) / 2 if name == "S" else v for name, v in at.items()}


@pytest.mark.parametrize("text", TABLES)
def test_a_table_means_its_formula(text):
    formula, at = a_point_of(text)
    expected = formula(**at)
    shapes = {name: formula._background.symbols[name].shape for name in at}
    for read in (parse(text, **shapes), parse(format(formula, "ascii"), **shapes)):
        np.testing.assert_allclose(read(**at), expected)


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("text", TABLES)
def test_the_code_of_a_table_means_its_formula(text, target):
    formula, at = a_point_of(text)
    of = np.asarray if target == "numpy" else pytest.importorskip("torch", reason=RUNS_THE_CODE).tensor
    names = {}
    exec(formula.code(target), names)
    np.testing.assert_allclose(np.asarray(names["f"](*map(of, at.values()))), formula(**at))


def test_in_latex_a_table_is_a_matrix_and_a_vector_a_column():
    rows = r"\begin{pmatrix} \cos(t) & -\sin(t) \\ \sin(t) & \cos(t) \end{pmatrix}"
    assert sg.formula(rotation, t).latex() == rows
    assert sg.formula(ratio, theta).grad("theta").latex() == (
        r"\begin{pmatrix} \frac{1}{\theta_{1}} \\ -\frac{\theta_{0}}{\theta_{1}^{2}} \end{pmatrix}"
    )


def test_a_long_matrix_has_a_line_for_each_row():
    a, b = map(sg.symbol, ("alpha_0", "beta_1"))
    rows = [[lambda a, b: sg.sin(a + 2 * b**2), sg.hypot], [lambda a, b: sg.cosh(b - a**3), sg.atan2]]
    long = sg.formula(lambda a, b: sg.stack([sg.stack([sg.exp(f(a, b)) for f in row]) for row in rows]), a, b)
    assert str(long) == ("[[exp(sin(2β₁² + α₀)), exp(√(α₀² + β₁²))],\n [exp(cosh(α₀³ − β₁)), exp(atan2(α₀, β₁))]]")
    assert parse(str(long), alpha_0=(), beta_1=()).equals(long)


def test_gradients_flow_through_a_table_in_torch():
    torch = pytest.importorskip("torch", reason=RUNS_THE_CODE)
    names = {}
    exec(sg.formula(rotation, t).code("torch"), names)
    at = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    names["f"](at).sum().backward()
    assert at.grad.item() == pytest.approx(-2 * np.sin(0.3))


def test_a_table_is_written_where_it_is_shorter_only():
    x = sg.symbol("x", 4)
    assert str(sg.formula(lambda x: x[0] * x.sum(), x).grad("x")) == "sum(x) I[0] + x₀"
    assert str(sg.formula(lambda x, y: (x * y)[1:], x, sg.symbol("y", 4))) == "(x ⊙ y)[1:]"
    assert str(sg.formula(lambda x: x @ x, x2).hessian("x")) == "2I"


def test_a_table_says_where_the_formula_is_defined():
    quotient = sg.formula(lambda x: sg.stack([x[0] * x[1] / x[0], sg.sqrt(x[1]) ** 2]), x2)
    assert (str(quotient), quotient.conditions) == ("[x₁, x₁]", ["x₀ ≠ 0", "x₁ ≥ 0"])


SHOWN = {  # name: as text and in LaTeX
    "beta": ("β", r"\beta"), "mu": ("μ", r"\mu"), "x_hat": ("x̂", r"\hat{x}"), "y_hat": ("ŷ", r"\hat{y}"),
    "beta_0": ("β₀", r"\beta_{0}"), "beta1": ("β₁", r"\beta_{1}"), "lam": ("λ", r"\lambda"), "x_1": ("x₁", "x_{1}"),
    "beta_hat_2": ("β̂₂", r"\hat{\beta}_{2}"), "sigma_x": ("σ_x", r"\sigma_{x}"), "W1": ("W1", "W_{1}"),
    "pi": ("pi", r"\pi"), "rate": ("rate", r"\mathrm{rate}"), "tall_hat": ("tall_hat", r"\hat{\mathrm{tall}}"),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_names_are_shown_as_the_letters_they_spell(name):
    formula = sg.formula(lambda v: v**2, sg.symbol(name))
    text, latex = SHOWN[name]
    assert (str(formula), formula.latex()) == (f"{text}²", f"{latex}^{{2}}")
    assert format(formula, "ascii") == f"{name}**2"
    assert parse(str(formula), **{name: ()}).free_symbols == {name}


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("beta", "β"), "beta β"),
        (("lam", "λ"), "lam λ"),
        (("x_1", "x_1_"), "x₁ x_1_"),
    ],
)
def test_names_that_would_be_shown_alike_are_spelled(names, text):
    assert str(sg.formula(lambda a, b: a * b, *map(sg.symbol, names))) == text


def test_an_entry_and_a_name_that_would_be_shown_alike_stay_apart():
    x = sg.symbol("x", 2)
    apart = sg.formula(lambda x, y: x[0] * y, x, sg.symbol("x_0"))
    assert str(apart) == "x_0 x[0]"
    assert parse(str(apart), x=2, x_0=()).equals(apart)
    assert "x₁" not in sg.formula(lambda x, y: x * y, x, sg.symbol("x_1")).latex().replace("_{1}", "₁")


def test_entries_of_complex_arrays_are_complex():
    z = sg.tensor([1 + 2j, 3 - 1j], requires_grad=True, name="z")
    assert str(sg.stack([sg.sqrt(z[0] ** 2), z[1]]).formula()) == "[√(z₀²), z₁]"
    assert str(sg.stack([sg.abs(z[0]) ** 2, z[1]]).formula()) == "[|z₀|², z₁]"


def test_a_symbol_keeps_its_letter_where_a_function_has_it_too():
    assert str(sg.formula(lambda s: s * sg.sigmoid(s), sg.symbol("sigma"))) == "σ sigmoid(σ)"
    assert str(sg.formula(lambda s: s * sg.special.ndtr(s), sg.symbol("Phi"))) == "Φ ndtr(Φ)"


def test_greek_letters_are_one_sign():
    assert count_tokens("Xβ − y") == count_tokens("Xb − y")


def test_an_unknown_derivative_of_what_has_few_entries_is_written():
    """The entries of the scattered array can be written out; of the derivative in its operand they are no part."""
    X = np.random.default_rng(0).normal(size=(3, 4))
    hessian = sg.formula(lambda X: (np.sort(X, axis=0)[0] ** 2).sum(), X=X).hessian("X")
    assert "sort(X, 0)" in str(hessian)
    assert format(hessian, "ascii")
    assert hessian.latex()
    scope = {}
    exec(hessian.code(), scope)
    np.testing.assert_allclose(scope["f"](X), hessian())
    np.testing.assert_allclose(hessian(), sg.hessian(lambda X: (np.sort(X, axis=0)[0] ** 2).sum())(X))
