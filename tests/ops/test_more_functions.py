"""Functions composed of others, and views by strides: derivatives beside finite differences, and on batches."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.autograd import gradcheck, gradgradcheck
from symgrad.ops.linalg.special_systems import carried

RNG = np.random.default_rng(11)
A, V, S = RNG.normal(size=(3, 4)), RNG.normal(size=6), RNG.normal(size=(3, 3)) + np.diag([0.0, 4.0, 8.0])
PLACES = np.cumsum(RNG.uniform(0.3, 1.0, 4))

COMPOSED = {
    "as_strided": (lambda a: a.as_strided((3, 3), (2, 1), 1), A),
    "as_strided of a transpose": (lambda a: a.T.as_strided((2, 3), (3, 2), 2), A),
    "as_strided_scatter": (lambda a, v: sg.as_strided_scatter(a, v[:4].reshape(2, 2), (2, 2), (1, 2), 3), A, V),
    "quantile": (lambda a: sg.quantile(a, sg.tensor([0.1, 0.55]), 1), A),
    "quantile in q": (lambda a, q: sg.quantile(a, q), A, np.array([0.23, 0.71])),
    "cov": (lambda a, w: sg.cov(a, aweights=w), A, RNG.uniform(0.5, 1.0, 4)),
    "corrcoef": (lambda a: sg.corrcoef(a), A),
    "trapezoid": (lambda a, x: sg.trapezoid(a, x), A, PLACES),
    "gradient": (lambda a, x: sg.gradient(a, spacing=(x,), dim=1, edge_order=2)[0], A, PLACES),
    "renorm": (lambda a: sg.renorm(a, 3, 1, 1.0), A),
    "pdist": (lambda a: sg.pdist(a), A),
    "index_reduce": (lambda a: a.index_reduce(1, sg.tensor([0, 2]), a[:, :2] * 2, "prod"), A),
    "lu_solve": (lambda s, a: sg.linalg.lu_solve(*sg.linalg.lu_factor(s), a), S, A),
    "householder_product": (lambda a, v: sg.linalg.householder_product(a.T, v[:2]), A, V),
    "tensorsolve": (lambda s, v: sg.linalg.tensorsolve(s.reshape(3, 1, 3), v[:3].reshape(3, 1)), S, V),
    "eigvals": (lambda s: sg.linalg.eigvals(s).real, S),
    "ldexp": (lambda a, v: sg.ldexp(a, v[:4]), A, V),
    "legendre_polynomial_p": (lambda a: sg.special.legendre_polynomial_p(a, sg.tensor([0, 1, 3, 6])), A),
    "chebyshev_polynomial_w": (lambda a: sg.special.chebyshev_polynomial_w(a, 5), A),
    "scaled_modified_bessel_k1": (lambda x: sg.special.scaled_modified_bessel_k1(x), PLACES),
    "igamma": (lambda x: sg.igamma(sg.tensor(1.7), x), PLACES),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPOSED)
def test_derivatives_are_those_of_finite_differences(name):
    f, *arrays = COMPOSED[name]
    leaves = [sg.tensor(a, requires_grad=True) for a in arrays]
    assert gradcheck(f, leaves)
    assert gradgradcheck(f, leaves)


@pytest.mark.parametrize("name", COMPOSED)
def test_a_batch_is_the_examples_one_by_one(name):
    f, *arrays = COMPOSED[name]
    batches = [sg.tensor(np.stack([a, a[::-1].copy() if name != "lu_solve" else a * 1.5])) for a in arrays]
    if any(a is PLACES or name == "quantile in q" for a in arrays):
        batches = [sg.tensor(np.stack([a, a * 1.1])) for a in arrays]
    together = sg.vmap(f)(*batches)
    one_by_one = sg.stack([f(*[b[k].clone() for b in batches]) for k in range(2)])
    np.testing.assert_allclose(together.numpy(), one_by_one.numpy(), rtol=1e-10, atol=1e-12)


def test_quantiles_are_those_of_numpy_in_every_way_that_both_have():
    for way in ("linear", "lower", "higher", "midpoint", "nearest"):
        for q in (0.0, 0.1, 0.25, 0.5, 1.0, [0.37, 0.75]):
            asked = sg.tensor(q) if isinstance(q, list) else q
            found = sg.quantile(sg.tensor(A), asked, 1, interpolation=way).numpy()
            np.testing.assert_allclose(found, np.quantile(A, q, axis=1, method=way), err_msg=f"{way} {q}")
            np.testing.assert_allclose(np.quantile(sg.tensor(A), q, axis=1, method=way).numpy(), found)


def test_slopes_at_places_of_their_own_are_those_of_numpy():
    for order in (1, 2):
        ours = np.gradient(sg.tensor(A), PLACES[:3], PLACES, edge_order=order)
        for found, want in zip(ours, np.gradient(A, PLACES[:3], PLACES, edge_order=order), strict=True):
            np.testing.assert_allclose(found.numpy(), want)


def test_what_has_no_derivative_in_an_argument_says_so_when_it_is_asked_for():
    a = sg.tensor(2.0, requires_grad=True)
    with pytest.raises(sg.NotDifferentiableError, match="has no derivative rule"):
        sg.special.zeta(a, 1.5)


def test_a_matrix_that_cannot_be_inverted_gives_nan_and_its_place():
    good, singular = sg.eye(2) * 2, sg.ones(2, 2)
    inverse, info = sg.linalg.inv_ex(sg.stack([good, singular]))
    assert info.tolist() == [0, 2] and inverse[0].tolist() == [[0.5, 0.0], [0.0, 0.5]] and inverse[1].isnan().all()
    L, info = sg.linalg.cholesky_ex(sg.stack([good, -good]))
    assert info.tolist() == [0, 1] and L[1].isnan().all()
    x, info = sg.linalg.solve_ex(sg.stack([good, singular]), sg.ones(2, 2))
    assert info.tolist() == [0, 2] and x[0].tolist() == [0.5, 0.5] and x[1].isnan().all()
    with pytest.raises(sg.linalg.LinAlgError):
        sg.linalg.inv_ex(singular, check_errors=True)


def test_a_python_function_is_called_on_each_entry():
    x = sg.tensor([1.0, 4.0])
    assert x.apply_(lambda v: v + 1) is x and x.tolist() == [2.0, 5.0]
    assert x.map_(sg.tensor([3.0, 3.0]), max).tolist() == [3.0, 5.0]
    assert x.map2_(sg.tensor(1.0), sg.tensor([0.0, 2.0]), lambda a, b, c: a + b * c).tolist() == [3.0, 7.0]
    with pytest.raises(sg.NotDifferentiableError, match="Can't call apply_"):
        sg.ones(2, requires_grad=True).apply_(abs)


def test_draws_of_poisson_have_the_mean_asked_for_and_no_gradient():
    sg.manual_seed(0)
    x = sg.full((2000,), 3.5, requires_grad=True)
    y = sg.poisson(x)
    assert abs(y.mean().item() - 3.5) < 0.2 and (y == y.round()).all()
    (g,) = sg.autograd.grad(y.sum(), x)
    assert not g.any()
    with pytest.raises(sg.ShapeError, match="non-negative"):
        sg.poisson(-sg.ones(1))


def test_buffers_and_other_libraries_arrays_share_their_memory():
    raw = bytearray(np.array([1.0, 2.0]).tobytes())
    t = sg.frombuffer(raw, dtype=sg.float64)
    t[0] = 5.0
    assert np.frombuffer(raw)[0] == 5.0
    array = np.ones(2)
    sg.from_dlpack(array)[0] = 7.0
    assert array[0] == 7.0


def test_what_splits_by_a_number_refuses_a_rest():
    for call in (
        lambda: sg.hsplit(sg.ones(3, 4), 3),
        lambda: sg.vsplit(sg.ones(3, 2), 2),
        lambda: sg.dsplit(sg.ones(2, 2, 5), 2),
    ):
        with pytest.raises(sg.ShapeError, match="is not divisible by the split_size"):
            call()
    assert [tuple(t.shape) for t in sg.hsplit(sg.ones(3, 4), 2)] == [(3, 2), (3, 2)]


def test_draws_about_a_short_mean_or_with_a_short_deviation_are_short():
    short = sg.zeros(2, dtype=sg.float32)
    for draws in (sg.normal(short, 1.0), sg.normal(0.0, short + 1), sg.normal(short, short + 1)):
        assert draws.dtype is sg.float32
    assert sg.normal(short, sg.ones(2)).dtype is sg.float64


def test_what_was_saved_is_read_under_pytorchs_arguments(tmp_path):
    sg.save({"w": sg.ones(2)}, tmp_path / "w.pt")
    read = sg.load(tmp_path / "w.pt", map_location="cpu", weights_only=True)
    assert read["w"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("width", [1, 3, 8, 17])
@pytest.mark.parametrize("columns", [None, 1, 40])
@pytest.mark.parametrize("reverse", [False, True])
def test_recurrences_of_any_width_are_what_their_steps_are(width, columns, reverse):
    rng = np.random.default_rng(width)
    A = rng.normal(size=(9, width, width)) / width
    b = rng.normal(size=(10, width) if columns is None else (10, width, columns))
    y, steps = b.copy(), range(8, -1, -1) if reverse else range(9)
    for t in steps:
        y[t if reverse else t + 1] += A[t] @ y[t + 1 if reverse else t]
    np.testing.assert_allclose(carried(b, A, reverse), y, rtol=1e-12, atol=1e-13)
