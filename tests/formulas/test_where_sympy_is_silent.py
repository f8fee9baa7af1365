"""Where SymPy's array derivatives are wrong without a word, symgrad's are right.

SymPy serves symgrad for scalars, series and LaTeX, never for derivatives by arrays: this is why. Each test also holds
that SymPy is still wrong, so that it speaks up when a release of SymPy mends it.
"""

import numpy as np
import pytest
import sympy as sp

import symgrad as sg

from ..helpers.numeric import gradient

N = 3
rng = np.random.default_rng(0)
X = sp.MatrixSymbol("X", N, N)
x = sp.MatrixSymbol("x", N, 1)
ones = sp.OneMatrix(N, 1)
exps = x.applyfunc(sp.exp)
total = (ones.T * exps)[0, 0]

DEFINITE = rng.normal(size=(N, N)) * 0.3 + 2 * np.eye(N)
VECTOR = rng.normal(size=N)

CASES = {
    "log det X": (
        sp.log(sp.Determinant(X)), X, DEFINITE,
        lambda X: np.linalg.slogdet(X)[1], lambda X: sg.logdet(X), "X⁻ᵀ",
    ),
    "tr(X) + 1": (
        sp.Trace(X) + 1, X, DEFINITE,
        lambda X: np.trace(X) + 1, lambda X: sg.trace(X) + 1, "I",
    ),
    "logsumexp(x)": (
        sp.log(total), x, VECTOR,
        lambda x: np.log(np.exp(x).sum()), lambda x: sg.log(sg.exp(x).sum()), "softmax(x)",
    ),
}  # fmt: skip
EACH = pytest.mark.parametrize("name", CASES)


def numbers(expression, symbol, at):
    """What a matrix expression of SymPy is at a point."""
    explicit = expression.subs(symbol, sp.Matrix(at.reshape(symbol.shape))).doit()
    return np.array(sp.Matrix(explicit).tolist(), float)


@EACH
def test_sympy_returns_zero(name):
    expression, symbol, at, truth, *_ = CASES[name]
    found = expression.diff(symbol)
    assert isinstance(found, sp.ZeroMatrix), f"SymPy {sp.__version__} now says {found}: is it right?"
    assert not np.allclose(numbers(found, symbol, at).reshape(at.shape), gradient(truth, at))


@EACH
def test_symgrad_is_right(name):
    _, symbol, at, truth, function, text = CASES[name]
    found = sg.formula(function, at).grad(str(symbol))
    assert found.checked is True
    assert str(found) == text
    np.testing.assert_allclose(found(), gradient(truth, at), rtol=1e-8, atol=1e-10)


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def jacobian_of_softmax(x):
    return np.array([gradient(lambda y, i=i: softmax(y)[i], x) for i in range(x.size)])


def test_sympy_loses_the_rank_one_term_of_the_softmax():
    found = numbers((exps * total**-1).diff(x), x, VECTOR)
    truth = jacobian_of_softmax(VECTOR)
    p = softmax(VECTOR)
    np.testing.assert_allclose(truth, np.diag(p) - np.outer(p, p), atol=1e-9)
    np.testing.assert_allclose(found, np.diag(p), atol=1e-12)  # the rest is lost
    assert not np.allclose(found, truth)


def test_symgrad_keeps_the_rank_one_term_of_the_softmax():
    for function in (lambda x: sg.exp(x) / sg.exp(x).sum(), lambda x: sg.softmax(x, 0)):
        found = sg.formula(function, VECTOR).jacobian("x")
        assert found.checked is True
        assert str(found) == "diag(p) − ppᵀ\nwhere p = softmax(x)"
        np.testing.assert_allclose(found(), jacobian_of_softmax(VECTOR), rtol=1e-8, atol=1e-10)


def test_second_derivatives_of_what_sympy_calls_constant():
    """From a gradient of zero no Hessian can come."""
    found = sg.formula(lambda x: sg.log(sg.exp(x).sum()), VECTOR).hessian("x")
    np.testing.assert_allclose(found(), jacobian_of_softmax(VECTOR), rtol=1e-8, atol=1e-10)
    found = sg.formula(lambda X: sg.logdet(X), DEFINITE).hessian("X")
    inverse = np.linalg.inv(DEFINITE)
    np.testing.assert_allclose(found(), -np.einsum("li,jk->ijkl", inverse, inverse), rtol=1e-8, atol=1e-12)


def test_sympy_serves_for_scalars():
    """What symgrad uses it for, entry by entry, is right."""
    found = sg.formula(lambda x: sg.log(sg.exp(x).sum()), VECTOR)
    symbols = sp.symbols(f"x_0:{N}", real=True)
    expression = found.sympy()
    at = dict(zip(symbols, VECTOR, strict=True))
    entries = [float(expression.diff(s).subs(at)) for s in symbols]
    np.testing.assert_allclose(entries, softmax(VECTOR), rtol=1e-10)
