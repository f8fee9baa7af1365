"""sg.compile(f, "fj"): Jacobians as one program, in the forms and with the numbers of sg.jacobian."""

import numpy as np
import pytest
from scipy.sparse import issparse

import symgrad as sg
from symgrad import _limits

from ...helpers.cases import one_in

RNG = np.random.default_rng(0)
A = RNG.normal(size=(5, 4))
PICKED = np.array([0, 2, 2, 1])


def written(x):
    y = 2 * x
    y[1] = x[0] * x[2]
    y[2:] *= x[:-2]
    return y


def collocation(z):
    """Midpoint defects of y' = v, v' = u, and the ends."""
    y, v, u = z[:8], z[8:16], z[16:]
    defects = [y[1:] - y[:-1] - (v[1:] + v[:-1]) / 2, v[1:] - v[:-1] - (u[1:] + u[:-1]) / 2]
    return np.concatenate([*defects, z[[0, 7, 8, 15]]])


def brusselator(s):
    u, v = s.reshape(2, -1)
    left, right = np.concatenate([[1.0], u[:-1]]), np.concatenate([u[1:], [1.0]])
    return np.concatenate([1 + u * u * v - 4 * u + (left - 2 * u + right), 3 * u - u * u * v])


CASES = {
    "element-wise": (lambda x: x**2, RNG.normal(size=4)),
    "linear": (lambda x: A @ x, RNG.normal(size=4)),
    "a layer": (lambda x: np.tanh(A @ x), RNG.normal(size=4)),
    "indices": (lambda x: x[PICKED] ** 2 * x[::-1], RNG.normal(size=4)),
    "an index of an index": (lambda x: (x**2)[PICKED][1:] * x[PICKED[1:]], RNG.normal(size=4)),
    "shifts": (lambda x: x[1:] * x[:-1], RNG.normal(size=6)),
    "polar": (lambda t: np.stack([np.cos(t[0]), np.sin(t[0])]) * t[1], RNG.normal(size=2)),
    "itself": (lambda x: x, RNG.normal(size=3)),
    "a transpose": (lambda X: X.T, RNG.normal(size=(3, 2))),
    "a constant": (lambda x: np.ones(3), RNG.normal(size=3)),
    "a number": (lambda x: (x**2).sum(), RNG.normal(size=3)),
    "of a number": (lambda t: np.sin(t) * np.arange(3.0), 0.3),
    "a Gram matrix": (lambda X: X @ X.T, RNG.normal(size=(3, 2))),
    "an inverse": (np.linalg.inv, RNG.normal(size=(3, 3))),
    "an outer product": (lambda x: np.outer(x, x), RNG.normal(size=3)),
    "softmax": (lambda x: np.exp(x) / np.exp(x).sum(), RNG.normal(size=3)),
    "parts": (lambda x: np.concatenate([x[:2] ** 2, np.sin(x[1:]), x * x.sum()]), RNG.normal(size=4)),
    "writes": (written, RNG.normal(size=4)),
    "collocation": (collocation, RNG.normal(size=24)),
    "Brusselator": (brusselator, 1 + RNG.random(size=12)),
    "differences": (lambda x: x[:, None] - x[None], RNG.normal(size=4)),
    "spread": (lambda x: np.broadcast_to(x.sum(), (3,)), RNG.normal(size=4)),
    "roll": (lambda x: np.roll(x, 1) * x, RNG.normal(size=5)),
    "kinks": (lambda x: np.maximum(x, 0) * x, RNG.normal(size=5)),
    "a dictionary": (lambda p: p["a"] * p["b"].sum() ** 2, {"a": RNG.normal(size=3), "b": RNG.normal(size=(2, 2))}),
    "a network": (lambda W: np.tanh(A @ W) @ np.ones(3), RNG.normal(size=(4, 3))),
    "solve": (lambda x: np.linalg.solve(np.outer(x, x) + 2 * np.eye(3), x), RNG.normal(size=3)),
    "running sums": (lambda x: np.cumsum(x) ** 2, RNG.normal(size=5)),
    "a convolution": (lambda x: np.convolve(x, x[:2]), RNG.normal(size=5)),
    "a sum and neighbours": (lambda x: x.sum() * np.arange(4.0) + x[::-1] ** 2 * x[0], RNG.normal(size=4)),
    "a matrix of three axes": (lambda X: np.einsum("ij,jk->ijk", X, X.T), RNG.normal(size=(2, 3))),
}  # fmt: skip


def dense(J):
    return J.toarray() if issparse(J) else np.asarray(J)


def assert_same_blocks(found, truth):
    if isinstance(truth, dict):
        assert found.keys() == truth.keys()
        for key in truth:
            assert_same_blocks(found[key], truth[key])
        return
    assert issparse(found) == issparse(truth) and found.shape == truth.shape and found.dtype == truth.dtype
    np.testing.assert_allclose(dense(found), dense(truth), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("format", ["dense", "csr"])
@pytest.mark.parametrize("name", CASES)
def test_a_compiled_jacobian_is_that_of_the_tape(name, format):
    f, x = CASES[name]
    fj = sg.compile(f, "fj", format=format)
    try:
        fj(x)
    except sg.GradientError as error:
        assert format == "csr" and "has no program" in str(error) and "Use sg.jacobian" in str(error)
        assert name in ("linear", "a layer", "a number", "of a number", "an inverse", "softmax", "spread",
                        "a dictionary", "a network", "solve", "running sums", "a convolution",
                        "a sum and neighbours")  # fmt: skip
        return
    for factor in (1.0, -0.7):
        at = {k: factor * v for k, v in x.items()} if isinstance(x, dict) else factor * x
        if name == "Brusselator":
            at = abs(at)
        value, J = fj(at)
        np.testing.assert_allclose(value, f(at), rtol=1e-12)
        assert_same_blocks(J, sg.jacobian(f, format=format)(at))
    (made,) = fj._programs
    assert made.program.checked and not made.program.refused


def test_results_are_nobody_elses():
    x = RNG.normal(size=3)
    value, J = sg.compile(lambda x: x, "fj")(x)
    value[0] = J[0] = 7.0
    assert x[0] != 7.0
    again, K = sg.compile(lambda x: np.ones(3) * A[0, 0], "fj")(x)
    again[:] = 0
    assert (K == 0).all()
    (J := sg.compile(lambda x: x.sum() * np.arange(3.0), "j")(x))[0] = 7.0
    assert (J[0] == 7).all() and (J[1] == 1).all()


def test_several_arguments_and_single_precision():
    f = lambda x, k, y: k * np.outer(x, np.exp(y))
    x, y = RNG.normal(size=3).astype(np.float32), RNG.normal(size=2)
    Jx, Jy = sg.compile(f, "j", (0, "y"))(x, 3.0, y=y)
    for found, truth in zip((Jx, Jy), sg.jacobian(f, (0, "y"))(x, 3.0, y=y), strict=True):
        assert found.dtype == truth.dtype
        np.testing.assert_allclose(found, truth, rtol=1e-6)
    x, f = RNG.normal(size=4), lambda x, M: x @ M + x[::-1] ** 2
    for M in (A[:4], np.asfortranarray(A[:4])):  # entries are added to a matrix that is Mᵀ at first
        assert_same_blocks((fj := sg.compile(f, "j"))(x, M), sg.jacobian(f)(x, M))
        assert not fj._programs[0].program.refused
    t = sg.tensor(y)
    (J,) = [sg.compile(lambda y: y**2, "j")(t)]
    assert isinstance(J, sg.Tensor) and J.tolist() == np.diag(2 * y).tolist()


def test_the_tape_takes_over_where_a_number_is_not_finite():
    f = lambda x: np.log(x) * x
    fj = sg.compile(f, "fj")
    fj(np.array([1.0, 2.0]))
    with np.errstate(all="ignore"):
        value, J = fj(np.array([0.0, 4.0]))
        np.testing.assert_array_equal(value, f(np.array([0.0, 4.0])))
        np.testing.assert_allclose(J, sg.jacobian(f)(np.array([0.0, 4.0])))


def test_a_wrong_program_is_found_out(monkeypatch):
    from symgrad.programs import program

    run = program.Program.run
    monkeypatch.setattr(
        program.Program,
        "run",
        lambda *args, **kw: (lambda r: None if r is None else (r[0], 2 * r[1]))(run(*args, **kw)),
    )
    fj = sg.compile(lambda x: np.sin(x[1:]) * x[:-1], "fj")
    x = RNG.normal(size=4)
    with pytest.warns(RuntimeWarning, match="disagree"):
        J = fj(x)[1]
    np.testing.assert_allclose(J, sg.jacobian(lambda x: np.sin(x[1:]) * x[:-1])(x))


def test_it_is_differentiated_by_others():
    fj = sg.compile(lambda x: x**3, "j")
    x = np.array([0.5, -2.0])
    np.testing.assert_allclose(sg.grad(lambda x: (fj(x) ** 2).sum())(x), 36 * x**3)


def test_a_file_of_it_tests_itself(tmp_path):
    import runpy

    fj = sg.compile(lambda x: np.tanh(A @ x), "fj")
    x = RNG.normal(size=4)
    fj.save(tmp_path / "layer.py", x)
    own = runpy.run_path(str(tmp_path / "layer.py"), run_name="__main__")
    for found, truth in zip(own["derivatives"](x), fj(x), strict=True):
        np.testing.assert_allclose(found, truth, rtol=1e-14)


@pytest.mark.parametrize("outputs", ["gj", "hj", "fgj", "jj", ""])
def test_letters_that_do_not_go_together_are_refused(outputs):
    with pytest.raises(sg.GradientError, match="Jacobian"):
        sg.compile(np.sin, outputs)


def test_the_text_says_what_it_computes():
    text = sg.compile(lambda x: x[1:] * x[:-1], "j").code(np.ones(3))
    assert "def jacobian(x):" in text and ("J = np.zeros((2, 3))" in text or _limits.LOW) and "H" not in text


def moved_at_random(rng):
    """A function of one vector that takes its entries here and there, several times over."""
    n = int(rng.integers(2, 7))
    steps = [(int(rng.integers(0, 9)), int(rng.integers(1 << 30))) for _ in range(rng.integers(2, 6))]

    def step(kind, seed, y, x):
        own = np.random.default_rng(seed)
        flat = y.reshape(-1)
        if kind == 0:
            return y[own.integers(0, y.shape[0], size=own.integers(1, 5))] * 1.5
        if kind == 1 and y.shape[0] > 1:
            return y[1:] * y[:-1]
        if kind == 2:
            return flat[::-1] + 0.5 * flat**2
        if kind == 3 and flat.size % 2 == 0:
            a, b = flat.reshape(2, -1)
            return a * b - b
        if kind == 4:
            return y[:, None] * x if y.ndim == 1 else y.T
        if kind == 5:
            return np.concatenate([[1.0], flat[: flat.size // 2], np.roll(flat, 1)])
        if kind == 6:
            z = np.copy(flat)
            z[own.integers(0, flat.size)] = x[0] * x[-1]
            z[::2] *= flat[::2]
            return z
        if kind == 7:
            return flat[np.argsort(own.random(flat.size))] * flat
        return np.tanh(y)

    def f(x):
        y = x
        for kind, seed in steps:
            y = step(kind, seed, y, x)
        return y

    return f, rng.normal(size=n)


def agrees_with_the_tape(seed):
    f, x = moved_at_random(np.random.default_rng(seed))
    truth = sg.jacobian(f)(x)
    for format in ("dense", "csr"):
        fj = sg.compile(f, "fj", format=format)
        try:
            value, J = fj(x)
        except sg.GradientError as error:
            assert "has no program" in str(error)
            continue
        np.testing.assert_allclose(value, f(x), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(dense(J).reshape(truth.shape), truth, rtol=1e-9, atol=1e-11)
        (made,) = fj._programs
        assert not made.program.refused


@one_in(12)
@pytest.mark.parametrize("seed", range(60))
def test_entries_that_are_moved_and_moved_again(seed):
    agrees_with_the_tape(seed)


@one_in(10)
@pytest.mark.parametrize("seed", range(20))
def test_second_derivatives_of_entries_that_are_moved_and_moved_again(seed):
    f, x = moved_at_random(np.random.default_rng(1000 + seed))
    total = lambda x: (np.sin(f(x)) * np.arange(1.0, f(x).size + 1).reshape(f(x).shape)).sum()
    truth = sg.jacfwd(sg.grad(total))(x)
    for format in ("dense", "csr"):
        np.testing.assert_allclose(dense(sg.hessian(total, format=format)(x)), truth, rtol=1e-9, atol=1e-10)


def cubic(x):
    return (np.exp(A @ x)).sum() + (x[1:] * x[:-1] ** 3).sum()


PRODUCTS = {
    "the Hessian times a vector": lambda x, v: sg.hvp(cubic, x, v),
    "a derivative along a vector": lambda x, v: sg.jvp(lambda y: np.tanh(A @ y), (x,), (v,))[1],
    "a vector times the Jacobian": lambda x, v: sg.vjp(lambda y: np.tanh(A.T[:, :4] @ y), x)[1](v)[0],
    "the Laplacian": lambda x, v: sg.laplacian(cubic, x) * v,
    "third derivatives along a vector": lambda x, v: sg.grad(lambda y: v @ sg.hvp(cubic, y, v))(x),
    "the gradient": lambda x, v: sg.grad(cubic)(x) + v,
}


@pytest.mark.parametrize("target", ["numpy", pytest.param("numba", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_with_derivatives_are_programs(name, target):
    if target == "numba":
        pytest.importorskip("numba", reason="python -m pip install numba")
    f = PRODUCTS[name]
    compiled = sg.compile(f, "f", target=target)
    for seed in range(2):
        x, v = np.random.default_rng(seed).normal(size=(2, 4))
        np.testing.assert_allclose(compiled(x, v), f(x, v), rtol=1e-9, atol=1e-12)
    assert compiled._programs and all(made.program.checked for made in compiled._programs)


def test_a_value_where_a_number_is_not_finite_is_the_runs():
    f = lambda x: np.log(x) * x
    compiled = sg.compile(f, "f")
    compiled(np.ones(3))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(compiled(np.array([0.0, 1.0, -1.0])), f(np.array([0.0, 1.0, -1.0])))
    with pytest.raises(sg.ShapeError, match="one number"):
        sg.compile(f, "fg")(np.ones(3))
    (wide, total) = sg.compile(lambda x: x * 2, "f")(np.ones(2)), sg.compile(lambda x: x.sum(), "f")(np.ones(2))
    assert wide.shape == (2,) and total == 2


def test_third_derivatives_are_a_program():
    third = sg.compile(sg.hessian(cubic), "j")
    x = np.array([0.3, -0.2, 0.5, 0.1])
    np.testing.assert_allclose(third(x), sg.jacobian(sg.hessian(cubic))(x), rtol=1e-9, atol=1e-12)
