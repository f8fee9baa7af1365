"""`sg.verify` where rounding, one triangle of a matrix, a length or a kink is what a claim and the truth differ by."""

import numpy as np
import pytest

import symgrad as sg

NOTHING = {
    "a square": (lambda x: (x + 1) ** 2 - x**2 - 2 * x - 1, "0", {"x": ()}),
    "a double angle": (lambda x: np.sin(2 * x) - 2 * np.sin(x) * np.cos(x), "0", {"x": ()}),
    "a centred sum": (lambda x: (x - x.mean()).sum(), "0", {"x": "n"}),
    "an inverse": (lambda A: A @ np.linalg.inv(A) - np.eye(3), lambda A: 0 * A, {"A": (3, 3)}),
    "a logarithm": (lambda x: np.log(x * np.exp(2.5)) - np.log(x) - 2.5, "0", {"x": sg.symbol("x", (), positive=True)}),
    "a solution": (lambda A, b: A @ np.linalg.solve(A, b), "b", {"A": (3, 3), "b": (3,)}),
    "powers": (lambda x: (x - 1) * (x + 1) * (x**2 + 1) - x**4 + 1, lambda x: 0.0 * x, {"x": "n"}),
    "the claim": ("0*x", lambda x: np.cos(x) ** 2 + np.sin(x) ** 2 - 1, {"x": ()}),
}


@pytest.mark.parametrize("name", NOTHING)
def test_the_rounding_of_steps_is_no_difference(name):
    f, claim, shapes = NOTHING[name]
    found = sg.verify(f, equals=claim, **shapes)
    assert found and found.digits > 5, str(found)


WRONG = {
    "a small number": (NOTHING["a square"][0], "1e-9"),
    "a small slope": (NOTHING["a square"][0], "x*1e-7"),
    "far away": (lambda x: np.log(1 + np.exp(x)), lambda x: np.where(x > 20, x + 1e-3, np.log(1 + np.exp(x)))),
    "a shift": (lambda x: (x + 1e6) - 1e6, lambda x: x + 1e-8),
    "a jump": (lambda x: np.round(x), lambda x: np.floor(x + 0.5)),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_rounding_does_not_explain_is_refuted(name):
    f, claim = WRONG[name]
    assert sg.verify(f, equals=claim, x=()).verdict == "REFUTED"


def logdet(A):
    return 2 * np.log(np.diag(np.linalg.cholesky(A))).sum()


TRIANGLES = {
    "log det": (logdet, {"pd": True}, lambda A: np.linalg.inv(A)),
    "the least": (lambda A: np.linalg.eigvalsh(A)[0], {"symmetric": True}, None),
    "the sum": (lambda A: np.linalg.eigvalsh(A).sum(), {"symmetric": True}, lambda A: np.eye(len(A))),
    "cubes": (lambda A: (np.linalg.eigvalsh(A) ** 3).sum(), {"symmetric": True}, lambda A: 3 * A @ A),
}


@pytest.mark.parametrize("shape", [("n", "n"), (2, 2)])
@pytest.mark.parametrize("name", TRIANGLES)
def test_a_gradient_in_a_symmetric_matrix_is_that_along_symmetric_changes(name, shape):
    f, declared, claim = TRIANGLES[name]
    A = sg.symbol("A", shape, **declared)
    claim = claim or sg.formula(f, A).grad("A")
    assert sg.verify(f, grad=claim, A=A)
    assert sg.verify(f, grad=sg.grad(f), A=A).verdict != "REFUTED"


@pytest.mark.parametrize("name", ["log det", "cubes"])
def test_a_wrong_gradient_in_a_symmetric_matrix_is_refuted(name):
    f, declared, claim = TRIANGLES[name]
    A = sg.symbol("A", ("n", "n"), **declared)
    for wrong in (lambda A: 2 * claim(A), lambda A: np.tril(claim(A)), lambda A: claim(A) * (2 - np.eye(len(A)))):
        assert sg.verify(f, grad=wrong, A=A).verdict == "REFUTED"


SINGULAR = {
    "the largest": lambda X: np.linalg.svd(X, compute_uv=False)[0],
    "the least": lambda X: np.linalg.svd(X, compute_uv=False)[-1],
    "their distance": lambda X: np.linalg.svd(X, compute_uv=False)[0] - np.linalg.svd(X, compute_uv=False)[-1],
}


@pytest.mark.parametrize("name", SINGULAR)
def test_singular_values_of_matrices_of_all_shapes(name):
    f = SINGULAR[name]
    assert sg.verify(f, grad=sg.grad(f), X=("m", "n"))
    assert sg.verify(f, grad=lambda X: 2 * sg.grad(f)(X), X=("m", "n")).verdict == "REFUTED"


@pytest.mark.parametrize(
    "odd", [lambda i: i > 12, lambda i: i == 9, lambda i: i >= 15], ids=["above 12", "at 9", "from 15"]
)
def test_an_entry_beyond_a_number_of_the_code_is_looked_at(odd):
    assert not sg.verify("sum(x**2)", grad=lambda x: 2 * x * (1 + odd(np.arange(len(x)))), x="n")


def verlet(z):
    q, v = z[0], z[1]
    a = -np.sin(q)
    for _ in range(7):
        q = q + 0.1 * v + 0.005 * a
        b = -np.sin(q)
        v = v + 0.05 * (a + b)
        a = b
    return q * v


def product(z):
    out = z[0]
    for k in range(12):
        out = out * (z[0] + k * z[1] + np.cos(z[1])) / 4
    return out


def newton(z):
    x = z[0]
    for _ in range(4):
        x = x - (x - z[1] * np.sin(x) - 1) / 4
    return x * x


def products(z):
    out = z
    for k in range(12):
        out = out * (z + k * np.cos(z) + np.sin(z)) / 4
    return np.sum(out)


@pytest.mark.slow
@pytest.mark.parametrize("f", [verlet, product, products, newton])
def test_a_loop_whose_terms_are_too_many_agrees(f):
    assert sg.verify(f, grad=sg.grad(f), z=2)


KINKS = {
    "median": (np.median, lambda x: np.where(x == np.median(x), 1.0, 0.0)),
    "greatest": (np.max, lambda x: np.where(x == np.max(x), 1.0, 0.0)),
    "second": (lambda x: np.sort(x)[1], lambda x: np.where(x == np.sort(x)[1], 1.0, 0.0)),
}


@pytest.mark.parametrize("name", KINKS)
def test_at_ties_a_claim_is_a_convention(name):
    f, claim = KINKS[name]
    assert sg.verify(lambda x: f(x), grad=lambda x: claim(x), x=5)
    assert sg.verify(lambda x: f(x), grad=lambda x: 2 * claim(x), x=5).verdict == "REFUTED"
