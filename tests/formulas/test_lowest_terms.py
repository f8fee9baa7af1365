"""Quotients in lowest terms and polynomials in a function: as an algebra book has them, with the values they had."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.calculus import factor
from symgrad.calculus.rational import lowest_terms, polynomial

from ..helpers.cases import one_in

rng = np.random.default_rng(0)


def scalars(names):
    return [sg.symbol(name) for name in names]


@one_in(10)
@pytest.mark.parametrize(
    ("f", "gradient", "hessian"),
    [
        (lambda t: (t * t + 1) / (t - 1), "1 − 2/(1 − t)²", "4/(t − 1)³"),
        (lambda x: sg.log(x + sg.sqrt(1 + x * x)), "1/√(1 + x²)", "−x/(1 + x²)^(3/2)"),
        (lambda x: (x**2 - 1) / (x**2 + 1), "4x/(1 + x²)²", "4(1 − 3x²)/(1 + x²)³"),
        (lambda x, y: x * y / (x + y), "y²/(x + y)²", "−2y²/(x + y)³"),
        (lambda x: x * sg.sigmoid(x), "σ(x)(1 + x − x σ(x))", "p(1 − p)(2 + x − 2px)\nwhere p = σ(x)"),
        (lambda x, k: sg.sigmoid(k * x), "k σ(−kx) σ(kx)", "k²p(1 − p)(1 − 2p)\nwhere p = σ(kx)"),
        (lambda x: sg.log((1 + x) / (1 - x)) / 2, "1/(1 − x²)", "2x/(1 − x²)²"),
        (lambda x: x * sg.exp(-x), "exp(−x)(1 − x)", "exp(−x)(x − 2)"),
        (
            lambda x, y, a, r: (a * x**r + (1 - a) * y**r) ** (1 / r),
            "ax^(r − 1)(y^r (1 − a) + ax^r)^(1/r − 1)",
            "asy^r (r − 1)x^(r − 2)(ax^r + sy^r)^(1/r − 2)\nwhere s = 1 − a",
        ),
        (
            lambda x, n: x**n / (1 + x**n),
            "nx^(n − 1)/(1 + x^n)²",
            "nx^(n − 2)(n − ns − s − 1)/(1 + s)³\nwhere s = x^n",
        ),
    ],
)
def test_derivatives_as_an_algebra_book_has_them(f, gradient, hessian):
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    formula = sg.formula(f, *scalars(names))
    assert str(formula.grad(names[0])) == gradient
    assert str(formula.hessian(names[0])) == hessian


@pytest.mark.parametrize("what", ["a/r² − b/r³", "cos(x)/x − sin(x)/x²", "(x − y)²/k"])
def test_what_no_sum_divides_stays_as_it_is(what):
    forms = {
        "a/r² − b/r³": lambda a, b, r: a / r**2 - b / r**3,
        "cos(x)/x − sin(x)/x²": lambda x: sg.cos(x) / x - sg.sin(x) / x**2,
        "(x − y)²/k": lambda x, y, k: (x - y) ** 2 / k,
    }
    f = forms[what]
    assert str(sg.formula(f, *scalars(f.__code__.co_varnames))) == what


def random_quotient(rng, atoms, depth=3):
    """A sum, product or quotient of what there is, at random."""
    if depth == 0 or rng.random() < 0.2:
        return atoms[rng.integers(len(atoms))]
    a, b = (random_quotient(rng, atoms, depth - 1) for _ in range(2))
    how = rng.integers(6)
    if how < 2:
        return lambda v: a(v) + b(v) * int(how + 1)
    if how < 4:
        return lambda v: a(v) * b(v)
    return (lambda v: a(v) / (1 + b(v) ** 2)) if how == 4 else (lambda v: a(v) * sg.sqrt(1 + b(v) ** 2))


ATOMS = [
    lambda v: v[0], lambda v: v[1], lambda v: sg.sigmoid(v[0]), lambda v: v[0] - v[1], lambda v: sg.exp(v[1]),
    lambda v: 1 - sg.sigmoid(v[0]), lambda v: v[0] * 0.5 + 3,
]  # fmt: skip


@one_in(40)
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("vector", [False, True])
def test_values_are_kept_at_other_points(seed, vector):
    rng = np.random.default_rng(seed)
    f = random_quotient(rng, ATOMS)
    program = lambda x, y: (f((x, y)) * (y if vector else 1) + x * y).sum()
    size = "n" if vector else ()
    formula = sg.formula(program, sg.symbol("x", size), sg.symbol("y", size))
    gradient = formula.grad("x")
    x, y = rng.normal(size=(2, 3)) if vector else rng.normal(size=2)
    np.testing.assert_allclose(formula(x=x, y=y), np.asarray(program(sg.tensor(x), sg.tensor(y))), rtol=1e-9)
    np.testing.assert_allclose(gradient(x=x, y=y), sg.grad(program)(x, y), rtol=1e-8, atol=1e-9)


POWERS = [
    lambda v: v[0], lambda v: v[0] ** v[1], lambda v: v[0] ** (2 * v[1] - 1), lambda v: sg.exp(2 * v[1] - 3),
    lambda v: (1 + v[0] ** v[1]) ** (1 / v[1]), lambda v: sg.exp(-v[1]), lambda v: (v[0] + 2) ** (-v[1]),
]  # fmt: skip


@one_in(16)
@pytest.mark.parametrize("seed", range(30))
def test_symbols_in_exponents_keep_their_values(seed):
    rng = np.random.default_rng(seed)
    f = random_quotient(rng, POWERS)
    program = lambda x, y: f((x, y)) + x * y
    gradient = sg.formula(program, sg.symbol("x"), sg.symbol("y")).grad("x")
    for x, y in ((rng.uniform(0.3, 2), rng.normal()), (-1.3, 2.0), (-0.6, 3.0)):
        value = gradient(x=x, y=y, conditions="ignore")
        np.testing.assert_allclose(value, sg.grad(program)(x, y), rtol=1e-8, atol=1e-9)


def test_what_was_cancelled_is_a_condition():
    x, a = scalars("xa")
    formula = sg.formula(lambda x, a: (x * x - a * a) / (x - a), x, a)
    assert str(formula) == "a + x"
    assert any("≠ 0" in c for c in formula.conditions)


def test_simplified_again_it_is_itself():
    x, y = scalars("xy")
    for f in (lambda x, y: (x / (x + y) + y / (x - y)) * x, lambda x, y: sg.sigmoid(x) ** 3 - sg.sigmoid(x) * y):
        term = sg.formula(f, x, y).grad("x").term
        assert term.kind in ("add", "ein") and lowest_terms(term) is None
        assert term.kind != "add" or polynomial(term) is None


# ------------------------------------------------------------------------------------------------------ exponentials


def _call(S, K, r, s, T):
    d = (sg.log(S / K) + (r + s**2 / 2) * T) / (s * sg.sqrt(T))
    return S * sg.special.ndtr(d) - K * sg.exp(-r * T) * sg.special.ndtr(d - s * sg.sqrt(T))


MARKET = {"S": 100.0, "K": 95.0, "r": 0.03, "s": 0.2, "T": 0.75}
GREEKS = {"S": "S", "s": "S√T φ", "r": "KT exp(−Tr) Φ", "K": "−exp(−Tr) Φ"}


@pytest.mark.parametrize("name", MARKET)
def test_exponentials_that_differ_by_a_power_are_one(name):
    symbols = [sg.symbol(k, positive=k != "r") for k in MARKET]
    f = sg.formula(_call, *symbols).grad(name)
    assert f.checked is True
    assert str(f).count("φ") == (name in "sT")  # S φ(d₁) = K e⁻ʳᵀ φ(d₂)
    value = sg.grad(_call, list(MARKET).index(name))(*MARKET.values())
    np.testing.assert_allclose(float(f(**MARKET)), float(value), rtol=1e-10)


def test_exponentials_that_differ_otherwise_stay_apart():
    x, a = sg.symbol("x"), sg.symbol("a")
    f = sg.formula(lambda x, a: a * sg.exp(x) + sg.exp(x * a), x, a)
    assert str(f).count("exp") == 2
    g = sg.formula(lambda x: sg.exp(2 * sg.log(x) - x) + sg.exp(-x), sg.symbol("x", positive=True))
    np.testing.assert_allclose(float(g(x=1.5)), 1.5**2 * np.exp(-1.5) + np.exp(-1.5))


def test_the_determinant_of_the_identity_and_a_rank_one_matrix():
    x, y, A = sg.symbol("x", "n"), sg.symbol("y", "n"), sg.symbol("A", ("n", "n"))
    eye = lambda x: sg.eye(x.shape[0])
    for f, symbols, text, gradient in (
        (lambda x, y: sg.linalg.det(sg.outer(x, y) + eye(x)), (x, y), "1 + xᵀy", "y"),
        (lambda x, y: sg.linalg.det(eye(x) - 2 * sg.outer(x, y)), (x, y), "1 − 2xᵀy", "−2y"),
        (lambda x, A: sg.linalg.det(eye(x) + sg.outer(A @ x, x)), (x, A), "1 + xᵀAx", "Ax + Aᵀx"),
        (lambda x: sg.linalg.det(eye(x) + sg.diag(x)), (x,), "det(diag(x) + I)", None),
        (lambda x, A: sg.linalg.det(eye(x) + A * sg.outer(x, x)), (x, A), "det(A ⊙ xxᵀ + I)", None),
    ):
        formula = sg.formula(f, *symbols)
        assert str(formula) == text and gradient in (None, str(formula.grad("x")))
        rng = np.random.default_rng(0)
        at = {s.name: rng.normal(size=(3,) * s.ndim) for s in symbols}
        np.testing.assert_allclose(formula(**at), f(*[sg.tensor(a) for a in at.values()]).item(), rtol=1e-12)


def test_the_density_that_is_written_out_and_the_one_that_is_named_cancel():
    """Bachelier's price of a call: the derivative of the distribution function against the density by hand."""

    def price(S, K, s):
        z = (S - K) / s
        return (S - K) * sg.special.ndtr(z) + s * sg.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)

    f = sg.formula(price, sg.symbol("S"), sg.symbol("K"), sg.symbol("s", positive=True))
    assert str(f.grad("S")) == "Φ((S − K)/s)" and str(f.hessian("S")) == "φ((K − S)/s)/s"
    assert f.hessian("S")(S=3.0, K=2.0, s=0.5) == pytest.approx(np.exp(-2.0) / np.sqrt(2 * np.pi) / 0.5, rel=1e-14)


def test_groups_of_groups_are_tried_once(monkeypatch):
    counts = []
    tried = factor._pulled_out
    monkeypatch.setattr(factor, "_pulled_out", lambda *args: counts.append(1) or tried(*args))
    for depth in (8, 16):
        counts.append(0)
        sg.parse("sin(" * depth + "x" + ")" * depth, x=()).hessian("x")
    assert sum(counts[counts.index(0, 1) :]) < 20 * sum(counts[: counts.index(0, 1)])
