"""Eigenvalues and singular values that coincide: right where a derivative exists, an error where the rule has 0 / 0.

The idea to hold: in the plane of two equal values the vectors' gradient is divided by a gap of zero. What arrives there
is 0 as well if nobody asks, but also if the loss is stationary there, and then the quotient has another limit.
"""

import numpy as np
import pytest

import symgrad as sg
from symgrad.scipy import linalg

eigh, eigvalsh, eig, eigvals, svd = np.linalg.eigh, np.linalg.eigvalsh, np.linalg.eig, np.linalg.eigvals, np.linalg.svd
ONE, E = np.eye(2), np.array([[0.0, 1.0], [1.0, 0.0]])
C = np.array([[1.0, 2.0], [2.0, 5.0]])
B = np.array([[2.0, 0.3], [0.3, 1.0]])
D = np.diag([1.0, 1.0, 3.0])  # the lower two coincide
TALL = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])  # of rank 1
BELOW = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
WAYS = {
    "hvp": sg.hvp,
    "hessian": lambda f, x, v: np.tensordot(np.asarray(sg.hessian(f)(x)), v, v.ndim),
    "grad of grad": lambda f, x, v: sg.grad(lambda x: (sg.grad(f)(x) * v).sum())(x),
    "jacrev of grad": lambda f, x, v: np.tensordot(np.asarray(sg.jacrev(sg.grad(f))(x)), v, v.ndim),
    "jacfwd of grad": lambda f, x, v: np.tensordot(np.asarray(sg.jacfwd(sg.grad(f))(x)), v, v.ndim),
    "grad of jvp": lambda f, x, v: sg.grad(lambda x: sg.jvp(f, (x,), (v,))[1])(x),
}
STATIONARY = {  # losses of the values alone whose gradient is 0 here and whose Hessian is not
    "eigvalsh": (lambda M: ((eigvalsh(M) - 1) ** 2).sum(), ONE, E),
    "two of three": (lambda M: ((eigvalsh(M) - 1) ** 2).sum(), D, np.pad(E, ((0, 1), (0, 1)))),
    "singular values": (lambda M: ((svd(M, compute_uv=False) - 1) ** 2).sum(), ONE, E),
    "all zero": (lambda M: (svd(M, compute_uv=False) ** 2).sum(), np.zeros((2, 2)), E),
    "zero, tall": (lambda M: (svd(M, compute_uv=False) ** 2).sum(), TALL, BELOW),
    "zero, wide": (lambda M: (svd(M, compute_uv=False) ** 2).sum(), TALL.T, BELOW.T),
    "eigvals": (lambda M: ((eigvals(M) - 1) ** 2).sum().real, ONE, E),
    "pair": (lambda M: ((linalg.eigh(M, B)[0] - 1) ** 2).sum(), B, E),
    "pair, second": (lambda M: ((linalg.eigh(B, M)[0] - 1) ** 2).sum(), B, E),
    "Hermitian": (lambda M: ((eigvalsh(M + 0j) - 1) ** 2).sum(), ONE, E),
    "batch": (lambda M: ((eigvalsh(M) - 1) ** 2).sum(), np.stack([B, ONE]), np.stack([E, E])),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("loss", STATIONARY)
def test_a_stationary_loss_of_equal_values_has_no_silent_second_derivative(loss, way):
    f, x, v = STATIONARY[loss]
    with pytest.raises(sg.GradientError, match="no derivative where value"):
        WAYS[way](f, x, v)


JOINT = {  # functions of matrices by their values and vectors: 0 where all values are what they are here
    "log": (lambda A: (lambda w, V: (C * (V @ np.diag(np.log(w)) @ V.T)).sum())(*eigh(A)), "linalg.eigh"),
    "A - 1": (lambda A: (lambda w, V: (C * (V * (w - 1) @ V.T)).sum())(*eigh(A)), "linalg.eigh"),
    "any": (lambda A: (lambda w, V: (C * (V @ np.diag(w - 1) @ np.linalg.inv(V))).sum().real)(*eig(A)), "linalg.eig"),
    "singular": (lambda A: (lambda u, s, vh: (C * (u @ np.diag(s - 1) @ vh)).sum())(*svd(A)), "linalg.svd"),
    "pair": (lambda A: (lambda w, V: (C * (V * (w - 1) @ V.T)).sum())(*linalg.eigh(A, ONE)), "eigh"),
}


@pytest.mark.parametrize("name", JOINT)
def test_a_function_of_a_matrix_that_is_0_at_equal_values_has_no_silent_gradient(name):
    f, of = JOINT[name]
    for differentiate, x in ((sg.grad(f), ONE), (sg.jacrev(f), ONE), (sg.vmap(sg.grad(f)), ONE[None])):
        with pytest.raises(sg.GradientError, match=f"^{of}: the vectors have no derivative where values coincide"):
            differentiate(x)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("x", [TALL, TALL.T, np.ones((3, 2))], ids=["tall", "wide", "ones"])
@pytest.mark.parametrize("loss", ["vectors", "the matrix itself"])
def test_vectors_of_a_singular_value_of_zero_have_no_silent_gradient(loss, x, full):
    """Beside all vectors lies more: what turns into that is divided by the value."""
    if x.all():
        u, s, vh = np.linalg.svd(np.ones((3, 2)), full_matrices=False)
        x = u @ np.diag([s[0], 0]) @ vh
    weights = np.random.default_rng(0).normal(size=x.shape)

    def f(x):
        u, s, vh = svd(x, full_matrices=full)
        if loss == "vectors":
            return (u[:, :2] ** 3).sum() + (vh[:2] ** 3).sum()
        return (u[:, :2] @ np.diag(s) @ vh[:2] * weights).sum()

    for way in (sg.grad, sg.jacrev):
        try:
            found = way(f)(x)
        except sg.GradientError as error:
            assert "value 1 is zero" in str(error)
        else:  # a last digit has made the value more than zero
            assert loss != "vectors" or np.abs(found).max() > 1e9
    if np.linalg.svd(x)[1][1] == 0:
        with pytest.raises(sg.GradientError, match=r"value 1 is zero.\nThe values are"):
            sg.grad(f)(x)


@pytest.mark.parametrize("phase", [0, 1j])
@pytest.mark.parametrize("rows", [False, True])
def test_what_the_further_vectors_of_full_matrices_span_has_its_derivatives(rows, phase):
    """P = I − U₁U₁ᴴ, which the narrow matrices give too."""
    rng = np.random.default_rng(1)
    x, across, W = rng.normal(size=(4, 2)), rng.normal(size=(4, 2)), rng.normal(size=(4, 4))

    def beside(x, full):
        a = x + phase * across
        u = svd(a.T, full_matrices=full)[2].conj().T if rows else svd(a, full_matrices=full)[0]
        P = u[:, 2:] @ u[:, 2:].conj().T if full else np.eye(4) - u @ u.conj().T
        return (P * W).sum().real

    for derivative in (sg.grad, sg.jacfwd, sg.hessian):
        found, expected = (np.asarray(derivative(lambda x, full=full: beside(x, full))(x)) for full in (True, False))
        np.testing.assert_allclose(found, expected, atol=1e-10)
    with pytest.raises(sg.GradientError, match="further vectors of full matrices"):
        sg.grad(lambda x: (svd(x)[0][:, 2:] * W[:, 2:]).sum())(x)


def test_the_tape_is_as_it_was_after_the_error():
    f, _ = JOINT["A - 1"]
    other = sg.tensor(2.0, requires_grad=True)
    A = sg.tensor(ONE, requires_grad=True)
    loss = f(A) * other + other**2
    for _ in range(2):
        with pytest.raises(sg.GradientError, match="coincide"):
            loss.backward()
        assert A.grad is None and other.grad is None


def pairs(x, v):
    """The Hessian times v of the square of the largest eigenvalue, whose neighbours coincide: perturbation theory."""
    w, V = np.linalg.eigh(x)
    change = V.T @ v @ V
    turned = change[-1, :-1] / (w[-1] - w[:-1])
    inner = np.zeros_like(change)
    inner[-1, -1] = 2 * change[-1, -1]
    inner[-1, :-1] = inner[:-1, -1] = 2 * w[-1] * turned
    return V @ inner @ V.T


@pytest.mark.parametrize("way", ["hvp", "hessian", "grad of grad", "jacrev of grad"])
@pytest.mark.parametrize(("i", "j"), [(0, 1), (0, 2), (1, 1), (2, 2)])
def test_what_does_not_ask_for_equal_values_is_differentiated_twice(way, i, j):
    v = np.zeros((3, 3))
    v[i, j] = v[j, i] = 1
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    x = turn @ D @ turn.T
    x, v = (x + x.T) / 2, turn @ v @ turn.T
    found = WAYS[way](lambda M: eigvalsh(M)[-1] ** 2, x, v)
    np.testing.assert_allclose(found, pairs(x, v), atol=1e-9)


def test_the_largest_singular_value_of_a_matrix_of_low_rank_is_differentiated_twice():
    found = np.asarray(sg.hessian(lambda M: svd(M, compute_uv=False)[0] ** 2)(TALL))
    step, expected = 1e-4, np.zeros(TALL.shape * 2)

    def slope(M):
        u, s, vh = np.linalg.svd(M)
        return 2 * s[0] * np.outer(u[:, 0], vh[0])

    for at in np.ndindex(TALL.shape):
        unit = np.zeros(TALL.shape)
        unit[at] = step
        expected[at] = (slope(TALL + unit) - slope(TALL - unit)) / (2 * step)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_vectors_of_a_value_apart_are_differentiated_beside_equal_ones():
    calls = []
    x = sg.tensor(D, requires_grad=True)
    h = x * 1
    h.register_hook(lambda g: calls.append(1))
    eigh(h)[1][0, -1].backward()
    expected = np.array([[0.0, 0.0, 0.25], [0.0, 0.0, 0.0], [0.25, 0.0, 0.0]])
    np.testing.assert_allclose(abs(x.grad.numpy()), expected, atol=1e-12)
    assert calls == [1]
    for rows in (sg.jacrev(lambda A: eigh(A)[1][:, -1])(D), sg.vmap(sg.grad(lambda A: eigh(A)[1][0, -1]))(D[None])):
        np.testing.assert_allclose(abs(rows[0]), expected, atol=1e-12)


def test_values_alone_keep_their_gradient():
    np.testing.assert_allclose(sg.grad(lambda A: eigvalsh(A).sum())(ONE), ONE)
    np.testing.assert_allclose(sg.grad(lambda A: np.log(eigvalsh(A)).sum())(2 * ONE), ONE / 2)
    np.testing.assert_allclose(sg.grad(lambda A: svd(A, compute_uv=False).sum())(ONE), ONE)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_large_matrix_in_a_batch_closes_no_gap_of_another(dtype):
    A, weights = np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 5]]), np.arange(9.0).reshape(3, 3) ** 2
    large = 1e8 if dtype is np.float32 else 1e17
    M = np.stack([large * A, A]).astype(dtype)
    scale = np.array([np.sqrt(large), 1.0])[:, None, None]
    both = sg.grad(lambda M: (scale * eigh(M)[1] * weights).sum())(M)
    alone = sg.grad(lambda M: (eigh(M)[1] * weights).sum())(M[1])
    np.testing.assert_allclose(both[1], alone, rtol=1e-3 if dtype is np.float32 else 1e-9)
    assert alone.any()


ON_TWO_WAYS = {  # the cotangent of one call's values moves with the matrix, but not through these values
    "two calls": lambda M: eigvalsh(M) @ eigvalsh(M),
    "of another tensor": lambda M: eigvalsh(M) @ eigvalsh(2 * M),
    "product": lambda M: eigvalsh(M)[0] * eigvalsh(M)[1],
    "outer": lambda M: np.outer(eigvalsh(M), eigvalsh(M)).trace(),
    "singular values": lambda M: svd(M + np.eye(2), compute_uv=False) @ svd(M + np.eye(2), compute_uv=False),
    "diagonal": lambda M: eigvalsh(M) @ np.diagonal(M),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("loss", ON_TWO_WAYS)
def test_a_cotangent_that_moves_with_the_matrix_on_another_way_is_seen(loss, way):
    with pytest.raises(sg.GradientError, match="no derivative where value"):
        WAYS[way](ON_TWO_WAYS[loss], np.zeros((2, 2)), E)


Q = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
DEFECTIVE = {
    "two": np.array([[0.0, 1.0], [0.0, 0.0]]),
    "two of 3": np.array([[3.0, 1.0], [-1.0, 1.0]]),
    "a block of 3": np.diag([1.0, 1.0], 1),
    "turned": Q @ (np.eye(3) * 0.7 + np.diag([1.0, 1.0], 1)) @ Q.T,
    "beside another": np.array([[1.0, 1.0, 0.2], [0.0, 1.0, 0.3], [0.0, 0.0, 2.0]]),
    "complex": np.array([[1j, 1.0], [0.0, 1j]]),
}
OF_EIGENVALUES = {  # the cotangents are alike, 0 in part, 0 at all: none of them tells what has a derivative
    "sum": lambda w: w.sum().real,
    "squares": lambda w: (w**2).sum().real,
    "product": lambda w: w.prod().real,
    "exponential": lambda w: np.exp(w).sum().real,
    "largest": lambda w: w.real.max(),
    "radius": lambda w: np.abs(w).max(),
    "frequencies": lambda w: ((w + 0j).imag ** 2).sum(),  # older NumPy's are real numbers, which have no other part
    "distance": lambda w: np.abs(w[0] - w[1]) ** 2,
}


@pytest.mark.parametrize("function", OF_EIGENVALUES)
@pytest.mark.parametrize("matrix", DEFECTIVE)
def test_eigenvalues_of_a_defective_matrix_have_no_derivative_whatever_is_asked(matrix, function):
    A, f = DEFECTIVE[matrix], lambda A: OF_EIGENVALUES[function](eigvals(A))
    second = [] if np.iscomplexobj(A) else [sg.hessian(f)]
    for way in (sg.grad(f), sg.jacrev(f), *second, lambda A: sg.jvp(f, (A,), (np.ones_like(A),))):
        with pytest.raises(sg.GradientError, match="coincide and have one vector"):
            way(A)


def test_a_defective_matrix_of_a_batch_is_left_out_before():
    batch = np.stack([DEFECTIVE["two"], B])
    f = lambda A: (eigvals(A) * np.array([2.0, 3.0])).sum().real
    with pytest.raises(sg.GradientError, match="one vector"):
        sg.grad(f)(batch)
    np.testing.assert_allclose(sg.grad(lambda A: f(A[1:]))(batch)[1], sg.grad(f)(B))


VALUES = {
    "eigvalsh": np.linalg.eigvalsh, "eigh": lambda A: np.linalg.eigh(A)[0],
    "eigvals": lambda A: np.linalg.eigvals(A).real, "svd": lambda A: np.linalg.svd(A, compute_uv=False),
}  # fmt: skip


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("of", [lambda w: w[2], lambda w: w[0] - w[1], lambda w: w @ np.array([1.0, 2.0, 3.0])])
def test_a_slope_that_is_one_of_many_has_no_slope(values, of):
    """Where M Mᵀ is 0 it does not move to first order: the gradient is 0 whichever vectors are taken, its derivative
    is theirs."""
    rng = np.random.default_rng(0)
    along = rng.normal(size=(3, 3))

    def f(M):
        return of(values(M @ M.T))

    np.testing.assert_array_equal(sg.grad(f)(np.zeros((3, 3))), 0)
    with pytest.raises(sg.GradientError, match=r"coincide|is zero|one vector"):
        sg.grad(lambda M: (sg.grad(f)(M) * along).sum())(np.zeros((3, 3)))


@pytest.mark.parametrize("gap", [1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-9])
@pytest.mark.parametrize("name", ["product", "squares", "nuclear", "matrix"])
def test_values_that_nearly_coincide_raise_or_are_right(name, gap):
    """Beside the same function of the matrix itself, which knows no eigenvalues."""
    rng = np.random.default_rng(round(-np.log10(gap)))
    Q, v = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=(3, 3))
    A, v = Q @ np.diag([2.0, 2.0 + gap, 2.0 - 3 * gap]) @ Q.T, v + v.T
    through, plainly = {
        "product": (lambda M: np.prod(np.linalg.eigvalsh(M + M.T)), lambda M: np.linalg.det(M + M.T)),
        "squares": (lambda M: (np.linalg.eigvalsh(M + M.T) ** 2).sum(), lambda M: ((M + M.T) ** 2).sum()),
        "nuclear": (lambda M: np.linalg.norm(M.T @ M, "nuc"), lambda M: np.trace(M.T @ M)),
        "matrix": (lambda M: (lambda w, V: ((V * w**2) @ V.T * v).sum())(*np.linalg.eigh(M + M.T)),
                   lambda M: ((M + M.T) @ (M + M.T) * v).sum()),
    }[name]  # fmt: skip
    right = sg.hvp(plainly, A, v)
    try:
        found = sg.hvp(through, A, v)
    except sg.GradientError as error:
        assert "coincide" in str(error)
    else:
        assert np.allclose(found, right, rtol=1e-2, atol=1e-2 * np.abs(right).max())
