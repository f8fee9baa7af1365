"""Derivatives of functions of Kronecker products: no layout stays in their formulas, and differences agree."""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in

SHAPES = {"A": ("k", "m"), "X": ("p", "n"), "B": ("k", "k"), "Y": ("n", "n"), "V": ("m", "n"), "W": ("k", "p")}
SIZES = {"k": 2, "m": 4, "p": 3, "n": 2}
CASES = {
    "square": (lambda A, X: (sg.kron(A, X) ** 2).sum(), "X", "2‖A‖²X", "2‖A‖²I ⊗ I"),
    "square of the other": (lambda A, X: (sg.kron(X, A) ** 2).sum(), "X", "2‖A‖²X", "2‖A‖²I ⊗ I"),
    "log-determinant": (lambda B, Y: sg.logdet(sg.kron(Y, B)), "Y", "kY⁻ᵀ", None),
    "trace of a square": (lambda B, Y: sg.trace(sg.kron(Y, B) @ sg.kron(Y, B)), "Y", "2 tr(B²) Yᵀ", None),
    "trace of an inverse": (lambda B, Y: sg.trace(sg.linalg.inv(sg.kron(B, Y))), "Y", "−tr(B⁻¹) Y⁻ᵀY⁻ᵀ", None),
    "of a vector": (
        lambda A, X, V: ((sg.kron(A, X) @ V.reshape(-1)) ** 2).sum(), "X", "2XVᵀAᵀAV", "2I ⊗ VᵀAᵀAV",
    ),
    "in the vector": (
        lambda A, X, V: ((sg.kron(A, X) @ V.reshape(-1)) ** 2).sum(), "V", "2AᵀAVXᵀX", "2AᵀA ⊗ XᵀX",
    ),
    "two sides": (lambda A, X, V, W: W.reshape(-1) @ sg.kron(A, X) @ V.reshape(-1), "X", "WᵀAV", "zeros(p, n, p, n)"),
    "transposed": (
        lambda A, X, V, W: V.reshape(-1) @ sg.kron(A, X).T @ W.reshape(-1), "A", "WXVᵀ", "zeros(k, m, k, m)",
    ),
    "left side": (lambda A, X, W: ((W.reshape(-1) @ sg.kron(A, X)) ** 2).sum(), "X", "2WᵀAAᵀWX", "2WᵀAAᵀW ⊗ I"),
    "entries": (lambda A, X: sg.exp(sg.kron(A, X)).sum(), "X", None, None),
    "products of two": (
        lambda A, X, B, Y: sg.trace(sg.kron(B, X @ X.T) @ sg.kron(A @ A.T, X @ Y @ X.T)), "Y", None,
        "zeros(n, n, n, n)",
    ),
    "sizes that do not fit": (lambda B, Y: (sg.kron(Y, B) * sg.kron(B, Y)).sum(), "Y", None, None),
}  # fmt: skip


def array(name, rng):
    shape = [SIZES[n] for n in SHAPES[name]]
    return rng.normal(size=shape) + 3 * np.eye(*shape) * (shape[0] == shape[1])


def differences(f, at, name):
    """The derivative of an array-valued function by central differences."""
    columns = []
    for k in np.ndindex(at[name].shape):
        step = np.zeros_like(at[name])
        step[k] = 1e-6
        above, below = f(**{**at, name: at[name] + step}), f(**{**at, name: at[name] - step})
        columns.append((np.asarray(above) - np.asarray(below)) / 2e-6)
    return np.stack(columns, -1).reshape(np.shape(columns[0]) + at[name].shape)


@one_in(16)
@pytest.mark.parametrize("named", [True, False], ids=["named sizes", "fixed sizes"])
@pytest.mark.parametrize("case", CASES)
def test_functions_of_kronecker_products(case, named):
    f, wrt, gradient, hessian = CASES[case]
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    symbols = [sg.symbol(n, SHAPES[n] if named else [SIZES[s] for s in SHAPES[n]]) for n in names]
    first = sg.formula(f, *symbols).grad(wrt)
    second = first.jacobian(wrt)
    if named:
        assert gradient is None or str(first) == gradient
        assert hessian is None or str(second) == hessian
        assert gradient is None or "reshape" not in str(second)
    rng = np.random.default_rng(0)
    at = {n: array(n, rng) for n in names}
    numbers = lambda **a: f(**{n: sg.tensor(x) for n, x in a.items()}).item()
    np.testing.assert_allclose(first(**at), differences(numbers, at, wrt), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(second(**at), differences(lambda **a: first(**a), at, wrt), rtol=1e-5, atol=1e-5)
