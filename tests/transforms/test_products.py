"""Products with second derivatives, their diagonal, and the Hessian as an operator of SciPy's."""

import weakref

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse.linalg import aslinearoperator, cg, eigsh, minres

import symgrad as sg
from symgrad.core import content

from ..helpers.numeric import assert_close, slope
from ..properties._programs import program_of

rng = np.random.default_rng(3)
point, direction = rng.normal(size=4), rng.normal(size=4)
M = rng.normal(size=(5, 4))
x_n, v_n = sg.symbol("x", "n"), sg.symbol("v", "n")


def f(x):
    return sg.logsumexp(M @ x, 0) * x[0] + (x**4).sum()


def network(p):
    hidden = sg.tanh(p["layers"][0] @ np.arange(3.0) + p["b"])
    return (p["layers"][1] @ hidden) ** 2


def parameters(seed):
    r = np.random.default_rng(seed)
    return {"layers": (r.normal(size=(2, 3)), r.normal(size=2)), "b": r.normal(size=2), "none": None}


def flat(p):
    return np.concatenate([p["layers"][0].reshape(-1), p["layers"][1], p["b"]])


def unflat(z):
    return {"layers": (z[:6].reshape(2, 3), z[6:8]), "b": z[8:], "none": None}


# ------------------------------------------------------------------------------------------------------------ products


@pytest.mark.parametrize("product", [sg.hvp, sg.vhp])
def test_a_product_is_that_of_the_hessian_and_the_vector(product):
    found = product(f, point, direction)
    assert type(found) is np.ndarray
    assert_close(found, sg.hessian(f)(point) @ direction, rtol=1e-12)
    assert_close(found, slope(lambda s: sg.grad(f)(point + s * direction)), rtol=1e-7)


def test_products_keep_the_containers_of_the_argument():
    p, v = parameters(0), parameters(1)
    found = sg.hvp(network, p, {k: v[k] for k in reversed(v)})
    assert list(found) == list(p) and found["none"] is None and type(found["layers"]) is tuple
    along = lambda s: flat(sg.grad(network)(unflat(flat(p) + s * flat(v))))
    assert_close(flat(found), slope(along), rtol=1e-7)
    H = sg.hessian_operator(network, p)
    assert_close(H @ flat(v), flat(found), rtol=1e-12)


def test_numbers_and_single_precision_keep_their_kind():
    assert sg.hvp(lambda t: t**3, 2.0, 10.0) == 120.0 and isinstance(sg.hvp(lambda t: t**3, 2.0, 1.0), float)
    assert sg.hvp(lambda x: (x**3).sum(), np.ones(2, np.float32), np.ones(2)).dtype == np.float32
    assert sg.hvp(lambda x: (x**3).sum(), np.array([1, 2]), np.array([1, 0])).tolist() == [6.0, 0.0]
    assert sg.hvp(lambda p: p[0] * p[1] ** 2, [1.0, 2.0], [1.0, 1.0]) == [4.0, 6.0]


def test_results_have_a_history_only_where_somebody_could_want_it():
    w, v = sg.tensor(point, requires_grad=True), sg.tensor(direction, requires_grad=True)
    assert not sg.hvp(f, sg.tensor(point), sg.tensor(direction)).requires_grad
    by_x = sg.autograd.grad(sg.hvp(f, w, direction).sum(), w)[0].numpy()
    assert_close(by_x, slope_of(lambda x: sg.hvp(f, x, direction).sum()), rtol=1e-6)
    by_v = sg.autograd.grad(sg.hvp(f, point, v).sum(), v)[0].numpy()
    assert_close(by_v, sg.hessian(f)(point).sum(0), rtol=1e-10)
    c = sg.tensor(2.0, requires_grad=True)
    by_c = sg.autograd.grad(sg.hvp(lambda x: c * (x**2).sum(), point, direction).sum(), c)[0]
    assert by_c.item() == pytest.approx(2 * direction.sum())
    with sg.no_grad():
        assert not sg.hvp(f, w, v).requires_grad


def slope_of(g):
    return np.array([slope(lambda s, e=e: float(g(point + s * e))) for e in np.eye(4)])


def test_what_the_function_does_not_depend_on_gives_zeros():
    a, b = np.ones(2), np.ones((2, 2))
    found = sg.hvp(lambda p: (p["a"] ** 2).sum(), {"a": a, "b": b}, {"a": a, "b": b})
    assert found["a"].tolist() == [2.0, 2.0] and np.array_equal(found["b"], np.zeros((2, 2)))
    for g in (lambda x: 3.0, lambda x: x.sum(), lambda x: (x * direction).sum()):
        assert np.array_equal(sg.hvp(g, point, direction), np.zeros(4))
        assert np.array_equal(sg.diag_hessian(g, point), np.zeros(4)) and sg.laplacian(g, point) == 0
        assert np.array_equal(sg.hessian_operator(g, point) @ direction, np.zeros(4))
    assert np.array_equal(sg.ggn_vp(lambda x: np.ones(3), point, direction), np.zeros(4))


def test_products_of_symbols_are_formulas():
    assert str(sg.hvp(lambda x: (x**3).sum(), x_n, v_n)) == "6v ⊙ x"
    found = sg.hvp(lambda p: (p["a"] ** 2).sum() * p["b"], {"a": x_n, "b": sg.symbol("b")}, {"a": v_n, "b": 0.0})
    assert str(found["a"]) == "2bv" and str(found["b"]) == "2vᵀx"
    w, v = sg.symbol("w", 4), sg.symbol("v", 4)
    assert str(sg.hvp(lambda w: ((M @ w) ** 2).sum(), w, v)) == "2MᵀMv"
    assert_close(sg.hvp(f, w, v)(w=point, v=direction), sg.hvp(f, point, direction), rtol=1e-10)
    assert str(sg.hvp(lambda v: (v**3).sum(), x_n, v_n)) == "6v ⊙ x"


def test_named_sizes_take_the_length_of_the_vector():
    assert_close(sg.hvp(lambda x: (x**3).sum(), x_n, direction)(x=point), 6 * point * direction)
    assert_close(sg.ggn_vp(lambda w: M @ w, sg.symbol("w", "n"), direction)(), M.T @ M @ direction)


def test_symbols_of_other_sizes_are_refused_by_their_names():
    with pytest.raises(sg.ShapeError, match=r"x is of shape \(3,\), v is of shape \(2,\)"):
        sg.hvp(lambda x: (x**3).sum(), sg.symbol("x", 3), sg.symbol("v", 2))
    with pytest.raises(sg.ShapeError, match=r"x is of shape \(n,\), v is of shape \(m,\)"):
        sg.hvp(lambda x: (x**3).sum(), x_n, sg.symbol("v", "m"))


def test_a_symbol_that_the_function_catches_gives_formulas():
    c = sg.symbol("c", 4)
    g = lambda x: (c * x**3).sum()
    assert str(sg.hvp(g, point, direction)) == "6c ⊙ v ⊙ x"
    assert str(sg.diag_hessian(g, point)) == "6c ⊙ x" and str(sg.laplacian(g, point)) == "6cᵀx"
    with pytest.raises(sg.SymbolicBranchError, match="uses a symbol"):
        sg.hessian_operator(g, point)


# --------------------------------------------------------------------------------------------------------- Gauss–Newton


def softmax(z):
    return np.exp(z) / np.exp(z).sum()


def log_sum(z):
    return sg.logsumexp(z, 0)


LOSSES = {
    "default": (None, lambda z: np.eye(5)),
    "squares": (lambda z: (z**2).sum(), lambda z: 2 * np.eye(5)),
    "softplus": (lambda z: sg.log1p(sg.exp(z)).sum(), lambda z: np.diag(np.exp(z) / (1 + np.exp(z)) ** 2)),
    "logsumexp": (log_sum, lambda z: np.diag(softmax(z)) - np.outer(softmax(z), softmax(z))),
}


@pytest.mark.parametrize("name", LOSSES)
def test_gauss_newton_is_the_jacobian_around_the_curvature_of_the_loss(name):
    model = lambda x: sg.tanh(M @ x)
    loss, curvature = LOSSES[name]
    J, z = sg.jacobian(model)(point), np.tanh(M @ point)
    assert_close(sg.ggn_vp(model, point, direction, loss), J.T @ curvature(z) @ J @ direction, rtol=1e-10)


def test_gauss_newton_of_a_linear_model_is_its_hessian():
    found = sg.ggn_vp(lambda x: M @ x, point, direction, loss=log_sum)
    assert_close(found, sg.hvp(lambda x: log_sum(M @ x), point, direction), rtol=1e-10)


def test_gauss_newton_of_containers_and_of_symbols():
    p, v = {"A": M, "b": np.ones(5)}, {"A": rng.normal(size=M.shape), "b": rng.normal(size=5)}
    found = sg.ggn_vp(lambda p: p["A"] @ point + p["b"], p, v)
    tangent = v["A"] @ point + v["b"]
    assert_close(found["A"], np.outer(tangent, point))
    assert_close(found["b"], tangent)
    S = sg.symbol("A", ("m", "n"))
    assert str(sg.ggn_vp(lambda x: S @ x, x_n, v_n)) == "AᵀAv"
    assert str(sg.ggn_vp(lambda x: S @ x, x_n, v_n, lambda z: sg.exp(z).sum())) == "Aᵀ(Av ⊙ exp(Ax))"


def test_gauss_newton_wants_one_array_and_a_loss_of_one_number():
    with pytest.raises(sg.ShapeError, match="one array"):
        sg.ggn_vp(lambda x: (x, x), point, direction)
    with pytest.raises(sg.ShapeError, match="loss=.*one number"):
        sg.ggn_vp(lambda x: x, point, direction, lambda z: z)
    with pytest.raises(sg.FormulaError, match="loss"):
        sg.ggn_vp(lambda x: x, point, direction, 3.0)


# ----------------------------------------------------------------------------------------------- diagonal, Laplacian


def test_the_diagonal_and_its_sum_are_those_of_the_hessian():
    H = sg.hessian(f)(point)
    assert_close(sg.diag_hessian(f, point), np.diag(H), rtol=1e-12)
    assert sg.laplacian(f, point) == pytest.approx(np.trace(H)) and isinstance(sg.laplacian(f, point), float)
    p = parameters(2)
    D = sg.diag_hessian(network, p)
    whole = sg.hessian_operator(network, p).to_dense()
    assert D["none"] is None and D["layers"][0].shape == (2, 3)
    assert_close(flat(D), np.diag(whole), rtol=1e-12)
    assert sg.laplacian(network, p) == pytest.approx(np.trace(whole))
    assert sg.diag_hessian(lambda t: t**4, 2.0) == 48.0 and sg.laplacian(lambda t: t**4, 2.0) == 48.0


def test_the_diagonal_of_symbols_is_a_formula_of_every_size():
    X = sg.symbol("X", ("m", "n"))
    assert str(sg.diag_hessian(lambda x: sg.exp(x).sum(), x_n)) == "exp(x)"
    assert str(sg.laplacian(lambda x: (x**4).sum(), x_n)) == "12‖x‖²"
    assert str(sg.diag_hessian(lambda X: sg.exp(X).sum(), X)) == "exp(X)"
    assert str(sg.laplacian(lambda X: sg.exp(X).sum(), X)) == "sum(exp(X))"
    t = sg.symbol("t")
    found = sg.laplacian(lambda p: p[0] ** 3 + (p[1] ** 4).sum() * p[0], [t, x_n])
    assert float(found(t=2.0, x=[1.0, 2.0])) == pytest.approx(12.0 + 12 * 2 * 5.0)
    assert str(sg.diag_hessian(lambda x: (x**3).sum(), sg.symbol("H__", "n"))) == "6 H__"  # a name used inside


def test_entries_of_named_sizes_cannot_be_counted_inside_another_transform():
    with pytest.raises(sg.SymbolicBranchError, match="cannot be counted"):
        sg.grad(lambda x: sg.laplacian(lambda x: (x**4).sum(), x))(x_n)


# ------------------------------------------------------------------------------------------------------------ operator


def test_the_operator_is_the_hessian():
    H, dense = sg.hessian_operator(f, point), sg.hessian(f)(point)
    assert H.shape == (4, 4) and H.dtype == float
    assert_close(H @ direction, dense @ direction, rtol=1e-12)
    assert_close(H.rmatvec(direction), dense @ direction, rtol=1e-12)
    assert_close(H @ np.eye(4), dense, rtol=1e-12)
    assert_close(H.to_dense(), dense, rtol=1e-12)
    assert_close(H.T @ direction, dense @ direction, rtol=1e-12)
    assert_close((H + aslinearoperator(np.eye(4))) @ direction, (dense + np.eye(4)) @ direction, rtol=1e-12)
    assert_close(H @ (direction + 1j * point), dense @ (direction + 1j * point), rtol=1e-12)
    assert_close(np.dot(H, direction), dense @ direction)
    assert_close(np.dot(direction, H), direction @ dense)
    assert (H @ np.zeros((4, 0))).shape == (4, 0)
    assert H.value == pytest.approx(f(point).item()) and np.allclose(H.gradient, sg.grad(f)(point))


def test_the_function_runs_once_for_all_products():
    runs = []

    def counted(x):
        runs.append(1)
        return f(x)

    H = sg.hessian_operator(counted, point)
    for _ in range(5):
        H @ direction
    assert len(runs) == 1


def test_the_graph_dies_with_the_operator(no_collector):
    arrays = []

    def watched(x):
        y = sg.exp(x)
        arrays.append(weakref.ref(content(y)._data))
        return (y * y.sin()).sum()

    H = sg.hessian_operator(watched, point)
    H @ direction
    assert arrays[0]() is not None
    del H
    assert arrays[0]() is None
    for transform in (sg.hvp, sg.ggn_vp):
        transform(watched, point, direction)
    sg.laplacian(watched, point), sg.vjp(watched, point)[1](1.0)
    assert [r() for r in arrays] == [None] * 5


def test_coordinates_have_names_and_vectors_a_structure():
    p = parameters(4)
    H = sg.hessian_operator(network, p)
    assert H.shape == (10, 10) and H.labels[:2] == ["x['layers'][0][0, 0]", "x['layers'][0][0, 1]"]
    assert H.labels[-1] == "x['b'][1]" and sg.hessian_operator(lambda t: t**2, 1.0).labels == ["x"]
    again = H.unflatten(flat(p))
    assert again["none"] is None and np.array_equal(again["layers"][0], p["layers"][0])
    with pytest.raises(sg.ShapeError, match="10 entries"):
        H.unflatten(np.eye(10))
    assert_close(flat(H.unflatten(H.gradient)), flat(sg.grad(network)(p)))


def test_scipy_finds_eigenvalues_and_solves_with_it():
    H = sg.hessian_operator(lambda x: f(x) + 20 * (x**2).sum(), point)
    dense = H.to_dense()
    assert_close(np.sort(eigsh(H, k=2, return_eigenvectors=False)), np.linalg.eigvalsh(dense)[-2:], rtol=1e-8)
    for solve in (cg, minres):
        step, info = solve(H, direction, rtol=1e-12)
        assert info == 0
        assert_close(step, np.linalg.solve(dense, direction), rtol=1e-8)


@pytest.mark.parametrize("method", ["trust-ncg", "trust-krylov", "trust-constr", "Newton-CG"])
def test_scipys_minimisers_take_it_as_the_hessian(method):
    rosenbrock = lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
    start = np.array([0.5, 0.4, 0.3])
    found = minimize(
        rosenbrock, start, jac=sg.grad(rosenbrock), hess=lambda x: sg.hessian_operator(rosenbrock, x), method=method
    )
    assert found.success
    assert_close(found.x, np.ones(3), rtol=1e-3, atol=1e-3)
    other = minimize(
        rosenbrock, start, jac=sg.grad(rosenbrock), hessp=lambda x, v: sg.hvp(rosenbrock, x, v), method=method
    )
    assert_close(other.x, np.ones(3), rtol=1e-3, atol=1e-3)


def test_the_operator_multiplies_real_numbers_only():
    with pytest.raises(sg.SymbolicBranchError, match="sg.hvp"):
        sg.hessian_operator(lambda x: (x**2).sum(), x_n)
    for call in (sg.hessian_operator, sg.laplacian, lambda f, x: sg.hvp(f, x, x)):
        with pytest.raises(sg.GradientError, match="real arguments"):
            call(lambda x: x.abs().sum(), np.ones(2, complex))


# ----------------------------------------------------------------------------------------------------- random programs


def slopes_along(g, leaves, v):
    """Differences of the gradient along ``v``, leaf by leaf."""
    at = lambda s: tuple(a + s * b for a, b in zip(leaves, v, strict=True))
    return [slope(lambda s, i=i: sg.grad(g)(at(s))[i]) for i in range(len(leaves))]


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 40), marks=pytest.mark.slow)], ids=["few", "rest"])
def test_products_of_random_programs_agree_with_differences(seeds):
    checked = 0
    for seed in seeds:
        program = program_of(seed, smooth=True)
        leaves = tuple(program.leaves)
        r = np.random.default_rng(seed)
        v = tuple(r.normal(size=a.shape) for a in leaves)
        g = lambda leaves, program=program: program.loss(sg, list(leaves))
        found = sg.hvp(g, leaves, v)
        if max(np.abs(a).max(initial=0) for a in found) > 1e3:
            continue
        by_differences = slopes_along(g, leaves, v)
        H = sg.hessian_operator(g, leaves)
        dense = H.to_dense()
        for a, b in zip(found, by_differences, strict=True):
            assert_close(a, b, rtol=1e-5, atol=1e-5, what=repr(program))
        flat_v = np.concatenate([a.reshape(-1) for a in v])
        assert_close(H @ flat_v, np.concatenate([np.reshape(a, -1) for a in found]), rtol=1e-10, what=repr(program))
        diagonal = np.concatenate([np.reshape(a, -1) for a in sg.diag_hessian(g, leaves)])
        assert_close(diagonal, np.diag(dense), rtol=1e-10, what=repr(program))
        assert_close(sg.laplacian(g, leaves), np.trace(dense), rtol=1e-9, atol=1e-9, what=repr(program))
        checked += 1
    assert checked > 0.75 * len(seeds)


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("product", [sg.hvp, sg.vhp, sg.ggn_vp])
def test_a_vector_unlike_the_point_is_refused_by_its_way(product):
    g = lambda p: p["a"][1].sum()
    x = {"a": [np.ones(2), np.ones(3)]}
    with pytest.raises(sg.ShapeError, match=r"x\['a'\]\[1\] is of shape \(3,\), v\['a'\]\[1\] is of shape \(3, 1\)"):
        product(g, x, {"a": [np.ones(2), np.ones((3, 1))]})
    with pytest.raises(sg.ShapeError, match=r"x\['a'\] has no counterpart: v has the keys \['b'\]"):
        product(g, x, {"b": 1.0})
    with pytest.raises(sg.ShapeError, match=r"x is of shape \(4,\), v is a list"):
        product(f, point, list(direction))


@pytest.mark.parametrize(
    "call",
    [
        lambda g: sg.hvp(g, point, direction),
        lambda g: sg.diag_hessian(g, point),
        lambda g: sg.laplacian(g, point),
        lambda g: sg.hessian_operator(g, point),
        lambda g: sg.hvp(g, sg.symbol("x", 4), direction),
    ],
)
def test_second_derivatives_are_those_of_one_real_number(call):
    with pytest.raises(sg.ShapeError, match="one number"):
        call(lambda x: x * 2)
    with pytest.raises(sg.GradientError, match="real"):
        call(lambda x: (x * 1j).sum())
    with pytest.raises(sg.FormulaError, match="returned 'str'"):
        call(lambda x: "text")
    with pytest.raises(sg.FormulaError, match="takes a function"):
        call("text")


def test_branching_on_a_symbol_and_tensors_of_whole_numbers_are_refused():
    with pytest.raises(sg.SymbolicBranchError, match="value of a symbol"):
        sg.hvp(lambda x: x.sum() if x[0] > 0 else -x.sum(), sg.symbol("x", 4), direction)
    with pytest.raises(sg.DTypeError, match="floating point"):
        sg.hvp(lambda x: (x**2).sum(), sg.tensor([1, 2]), np.ones(2))


def test_nan_in_the_data_passes_through():
    hole = np.array([np.nan, 1.0])
    assert np.isnan(sg.hvp(lambda x: (x**3).sum(), hole, np.ones(2))).tolist() == [True, False]
    assert np.isnan(sg.hvp(lambda x: (x**3).sum(), np.ones(2), hole)).tolist() == [True, False]
    assert np.isnan(sg.ggn_vp(lambda x: hole * x, np.ones(2), np.ones(2))).tolist() == [True, False]
    assert np.isnan(sg.laplacian(lambda x: (x**3).sum(), hole))
    assert np.isnan(sg.hessian_operator(lambda x: (x**3).sum(), hole) @ np.ones(2)).tolist() == [True, False]


@pytest.mark.parametrize("seed", range(3))
def test_a_program_of_the_product_is_the_matrix_times_the_vector(seed):
    from symgrad.transforms.routes import _recent

    X, y = np.random.default_rng(1).normal(size=(30, 4)), np.random.default_rng(2).normal(size=30)
    functions = [
        lambda w: sg.log1p(sg.exp(-(X @ w))).sum(), lambda w: ((X @ w - y) ** 2).sum() + sg.sin(w).prod(),
        lambda w: sg.logsumexp(sg.tensor(X) @ w, 0), lambda w: sg.logdet(sg.outer(w, w) + sg.eye(4, dtype=sg.float64)),
        lambda w: (3 * w).sum(), lambda w: (w[1:] * w[:-1] ** 2).sum(),
    ]  # fmt: skip
    rng = np.random.default_rng(seed)
    for f in functions:
        _recent.clear()
        for _ in range(3):  # made, recalled, recalled at another point
            w, v = rng.normal(size=4), rng.normal(size=4)
            truth = sg.func.hessian(f)(sg.tensor(w)).numpy() @ v
            assert_close(sg.hvp(f, w, v), truth, rtol=1e-9)
        assert "product" in _recent


def test_products_of_several_arrays_and_of_other_kinds_agree():
    def f(p):
        return (sg.tanh(p["A"] @ p["x"]) ** 2).sum() + (p["x"] ** 3).sum()

    gen = np.random.default_rng(0)
    p = {"A": gen.normal(size=(3, 2)), "x": gen.normal(size=2)}
    v = {"A": gen.normal(size=(3, 2)), "x": gen.normal(size=2)}
    H, flat = sg.hessian(f)(p), np.concatenate([v["A"].ravel(), v["x"]])
    found = sg.hvp(f, p, v)
    assert_close(np.concatenate([found["A"].ravel(), found["x"]]), H.matrix @ flat, rtol=1e-10)
    single = {k: a.astype(np.float32) for k, a in p.items()}
    found = sg.hvp(f, single, {k: a.astype(np.float32) for k, a in v.items()})
    assert found["A"].dtype == np.float32
    assert_close(found["A"].ravel(), (H.matrix @ flat)[:6], rtol=1e-4)


def test_a_product_can_be_differentiated_whoever_computes_it():
    f, v = (lambda x: (x**4).sum()), np.array([1.0, 2.0])
    x = np.array([0.5, -1.0])
    sg.hvp(f, x, v)  # by its program
    assert_close(sg.jacobian(lambda x: sg.hvp(f, x, sg.tensor(v)))(x), np.diag(24 * x * v))
    assert_close(sg.grad(lambda v: sg.hvp(f, sg.tensor(x), v).sum())(v), 12 * x**2)
