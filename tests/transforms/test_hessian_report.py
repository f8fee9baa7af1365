"""What a Hessian says of a point: kinds, directions and tolerances, at any scale and size."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg  # noqa: F401  (sp.linalg)
from hypothesis import given
from hypothesis import strategies as st

import symgrad as sg
from symgrad import _limits
from symgrad._errors import ShapeError
from symgrad.transforms.report import asymmetry, combination, is_positive_definite, report, short

from ..helpers.examples import examples


def names(n):
    return [f"w[{k}]" for k in range(n)]


def turned(eigenvalues, seed=0):
    """A matrix of these eigenvalues, and its eigenvectors in columns."""
    n = len(eigenvalues)
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]
    A = Q * np.asarray(eigenvalues, dtype=float) @ Q.T
    return 0.5 * (A + A.T), Q


KINDS = [
    ([1.0, 2.0, 30.0], "minimum"),
    ([-1.0, -2.0, -30.0], "maximum"),
    ([1.0, -2.0, 30.0], "saddle"),
    ([0.0, 2.0, 30.0], "flat"),
    ([0.0, -2.0, -30.0], "flat"),
    ([0.0, 2.0, -30.0], "saddle"),
    ([0.0, 0.0, 0.0], "flat"),
    ([5.0], "minimum"),
]


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150])
@pytest.mark.parametrize("eigenvalues, kind", KINDS)
def test_the_signs_of_the_eigenvalues_make_the_kind_at_any_scale(eigenvalues, kind, scale):
    A, _ = turned(eigenvalues)
    found = report(scale * A, names(len(A)))
    assert found.kind == kind and str(found).startswith(kind) and found.complete
    assert np.allclose(found.eigenvalues / scale, sorted(eigenvalues))
    assert found.rank == np.count_nonzero(eigenvalues)


@examples(12)
@given(st.lists(st.sampled_from([-9.0, -1.0, -0.01, 0.0, 0.01, 1.0, 9.0]), min_size=1, max_size=7), st.integers(0, 99))
def test_numbers_are_those_of_numpy(eigenvalues, seed):
    A, _ = turned(eigenvalues, seed)
    found = report(A, names(len(A)))
    size = np.abs(eigenvalues)
    assert found.rank == np.count_nonzero(size)
    assert found.condition == pytest.approx(size.max() / size.min() if size.min() else np.inf)
    assert len(found.flat_directions) == min(3, (size == 0).sum())
    lows = sorted(v for v in eigenvalues if v < 0)[:3] if found.kind != "maximum" else []
    assert np.allclose([v for v, _ in found.negative_directions], lows)
    assert abs(found.weak_directions[0][0]) == pytest.approx(size.min(), abs=found.tolerance)


def test_directions_are_eigenvectors_largest_weight_first_and_positive():
    A, Q = turned([0.31, 5.0, 880.0])
    ((value, weights),) = report(A, names(3)).weak_directions[:1]
    assert value == pytest.approx(0.31)
    got = dict(weights)
    truth = Q[:, 0] * np.sign(Q[np.argmax(np.abs(Q[:, 0])), 0])
    assert all(got[f"w[{k}]"] == pytest.approx(truth[k]) for k in range(3) if abs(truth[k]) > 0.05)
    assert weights[0][1] == max(abs(w) for _, w in weights)


def test_the_text_is_in_the_names_of_the_parameters():
    c, s = 0.93, -np.sqrt(1 - 0.93**2)
    Q = np.array([[c, s], [-s, c]]).T
    found = report(Q * [0.32, 880.0] @ Q.T, ["W[0, 1]", "b"], gradient=np.zeros(2), value=1.5)
    assert str(found).splitlines() == [
        "minimum: all 2 eigenvalues positive (0.32 … 880)",
        "condition 2.75e3, rank 2 of 2; symmetric to 0",
        "weakest direction, as a step of length 1:",
        "  0.93·W[0, 1] − 0.368·b (eigenvalue 0.32): raises f by 0.16 only",
        "the gradient counts as 0: it is 0 long (limit: 1e-5 of the largest eigenvalue)",
        "f = 1.5",
        "eigenvalues within ±2.8e-12 count as 0 (rounding: 3.1e-15 of the largest)",
    ]
    assert repr(found) == str(found)


def test_a_step_along_a_direction_changes_the_quadratic_as_the_text_says():
    A, Q = turned([-4.0, 0.5, 9.0])
    found = report(A, names(3))
    assert "lowers f by 2" in found.text.split("weakest")[0] and "raises f by 0.25" in found.text.split("weakest")[1]
    x = Q[:, 0]
    assert 0.5 * x @ A @ x == pytest.approx(-2.0)


def test_a_screen_is_enough_for_many_parameters():
    A, _ = turned(np.linspace(-3, 50, 300))
    text = str(report(A, [f"layers.0.W[{k}, 0]" for k in range(300)], np.ones(300), 2.0))
    assert len(text.splitlines()) <= 16 and max(map(len, text.splitlines())) < 200


# ---------------------------------------------------------------------------------------------------------- gradient


def test_a_gradient_that_is_not_zero_is_named_with_its_largest_entry():
    A, g = np.diag([2.0, 4.0]), np.array([1.0, -3.0])
    found = report(A, ["a", "b"], g)
    assert found.kind == "not a stationary point" and found.gradient_norm == pytest.approx(np.sqrt(10))
    assert "largest at b: −3" in found.text and "curvature: minimum" in found.text
    step = np.linalg.solve(A, g)
    long, change = short(np.linalg.norm(step)), short(g @ step / 2)
    assert f"a Newton step is {long} long and changes f by about {change}" in found.text


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_gradients_are_judged_by_the_scale_of_the_function(scale):
    A = scale * np.diag([2.0, 4.0])
    value = 10 * scale
    assert report(A, ["a", "b"], scale * np.array([1e-7, 1e-7]), value).kind == "minimum"
    assert report(A, ["a", "b"], scale * np.array([1.0, 0.0]), value).kind == "not a stationary point"


def test_a_small_gradient_along_a_weak_direction_is_not_zero():
    A = np.diag([1.0, 1e-8])
    assert report(A, ["a", "b"], np.array([1e-6, 0.0])).kind == "minimum"
    found = report(A, ["a", "b"], np.array([0.0, 1e-6]))
    assert found.kind == "not a stationary point" and "a Newton step is 100 long" in found.text


def test_without_a_gradient_the_text_says_so():
    assert "no gradient given" in str(report(np.eye(2), ["a", "b"])) and report(np.eye(2), "ab").gradient_norm is None


def test_gradients_and_values_may_be_tensors():
    found = report(sg.tensor(np.eye(2)), ["a", "b"], sg.tensor([0.0, 3.0]), sg.tensor(2.0))
    assert found.gradient_norm == 3 and "f = 2" in found.text


# ------------------------------------------------------------------------------------------------------------- units


def test_units_make_no_direction_flat():
    d = np.array([1e-9, 1.0, 1e9])
    for base, kind in (([1.0, 2, 3], "minimum"), ([-1.0, -2, -3], "maximum"), ([-1.0, 2, 3], "saddle")):
        S, _ = turned(base, 3)
        found = report(S * d * d[:, None], ["a", "b", "c"])
        assert found.kind == kind and found.rank == 3 and not found.flat_directions
        assert "measured in 1/√|Hᵢᵢ|" in found.text and np.isfinite(found.condition)


def test_a_direction_that_is_flat_in_any_units_stays_flat():
    d = np.array([1e-6, 1.0, 1e6])
    S, _ = turned([0.0, 2.0, 3.0])
    assert report(S * d * d[:, None], ["a", "b", "c"]).kind == "flat"


def test_the_weakest_direction_of_a_badly_scaled_matrix_is_a_curvature_of_it():
    A = np.array([[1e16, 1.0], [1.0, 1e-3]])
    found = report(A, ["a", "b"])
    assert found.weak_directions == [(pytest.approx(1e-3), [("b", pytest.approx(1.0))])]
    assert "most of the condition is units" in found.text


# -------------------------------------------------------------------------------------------------------- not finite


def test_entries_that_are_not_finite_are_named():
    A = np.eye(4)
    A[1, :] = A[:, 1] = np.nan
    A[2, 2] = np.inf
    found = report(A, ["a", "b", "c", "d"])
    assert found.kind == "not finite" and found.non_finite_count == 8 and found.symmetry_error == 0
    assert ("c", "c", np.inf) in found.non_finite and len(found.eigenvalues) == 0 and found.rank is None
    assert str(found).splitlines()[:2] == [
        "not finite: 8 of 16 entries of the Hessian are NaN or infinite",
        "all of them are in rows and columns of b, c",
    ]


def test_many_entries_that_are_not_finite_are_counted_and_a_few_shown():
    found = report(np.full((50, 50), np.nan), names(50))
    assert found.non_finite_count == 2500 and len(found.non_finite) == 100 and len(str(found)) < 600
    assert "most are in those of w[0], w[1]" in str(found)


def test_a_gradient_that_is_not_finite_is_told_by_name():
    found = report(np.eye(2), ["a", "b"], [0.0, np.nan])
    assert found.kind == "not finite" and "the gradient is not finite at b" in str(found)


def test_an_entry_that_is_nan_on_one_side_only_is_not_symmetric():
    A = np.eye(2)
    A[0, 1] = np.nan
    assert asymmetry(A) == np.inf == asymmetry(sp.csr_matrix(A))
    A[1, 0] = np.nan
    assert asymmetry(A) == 0 == asymmetry(sp.csr_matrix(A))


# ------------------------------------------------------------------------------------------------------------- edges


def test_nothing_and_zeros_are_flat():
    assert str(report(np.zeros((0, 0)), [])) == "flat: there are no parameters"
    assert str(report(np.zeros((2, 2)), "ab")).startswith("flat: the Hessian is 0")


def test_what_is_not_symmetric_widens_the_tolerance_and_is_told():
    A = np.diag([1.0, 1e-9]) + np.array([[0.0, 1e-4], [0.0, 0.0]])
    found = report(A, ["a", "b"])
    assert found.symmetry_error == pytest.approx(1e-4) and found.kind == "flat"
    assert "as far as the matrix is from symmetric" in found.text and "symmetric to 0.0001" in found.text


def test_single_precision_has_its_own_tolerance():
    A = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-6]])
    assert report(A, "ab").kind == "minimum" and report(A.astype(np.float32), "ab").kind == "flat"
    assert report(np.eye(2, dtype=np.float32), "ab", [1e-4, 0]).kind == "minimum"


def test_labels_and_gradients_must_fit():
    with pytest.raises(ShapeError, match="there are 1 labels"):
        report(np.eye(2), ["a"])
    with pytest.raises(ShapeError, match="3 entries and the matrix 2 rows"):
        report(np.eye(2), "ab", np.zeros(3))


def test_numbers_are_written_as_on_paper():
    assert [short(x) for x in (0.31, 880.0, 2800.0, -1.0, 1e-12, np.inf, -np.inf)] == [
        "0.31", "880", "2.8e3", "−1", "1e-12", "∞", "−∞",
    ]  # fmt: skip
    assert combination((1.0, [("a", 0.6), ("b", -0.5)])) == "0.6·a − 0.5·b + …"


# ------------------------------------------------------------------------------------------------------------- large

N = 2500


def chain(diagonal, n=N):
    return sp.diags([np.full(n - 1, -1.0), np.broadcast_to(diagonal, n), np.full(n - 1, -1.0)], [-1, 0, 1]).tocsr()


def chain_eigenvalues(shift):
    return np.sort(shift - 2 * np.cos(np.arange(1, N + 1) * np.pi / (N + 1)))


@pytest.mark.parametrize(
    "shift, sign, kind", [(2.0, 1, "minimum"), (2.0, -1, "maximum"), (1.3, 1, "saddle"), (1.3, -1, "saddle")]
)
def test_large_sparse_matrices_are_judged_by_a_few_eigenvalues(shift, sign, kind):
    A, truth = sign * chain(shift), sign * chain_eigenvalues(shift)
    found = report(A, names(N), gradient=np.zeros(N))
    assert found.kind == kind and not found.complete and len(found.eigenvalues) < 10
    least = np.abs(truth).min()
    assert abs(found.weak_directions[0][0]) == pytest.approx(least, rel=1e-6)
    assert found.condition == pytest.approx(np.abs(truth).max() / least, rel=1e-4)
    assert found.rank == N and "only eigenvalues from the ends" in found.text
    if kind == "saddle":
        assert found.eigenvalues[0] == pytest.approx(truth.min(), rel=1e-2)
        assert found.eigenvalues[-1] == pytest.approx(truth.max(), rel=1e-2)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_large_sparse_matrix_with_a_flat_direction_is_flat(sign):
    ends = np.r_[1.0, np.full(N - 2, 2.0), 1.0]
    found = report(sign * chain(ends), names(N))
    assert found.kind == "flat" and found.condition == np.inf and found.rank == N - 1
    assert len(found.flat_directions) == 1


@pytest.mark.parametrize("n", [400, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_large_dense_matrix_is_judged_as_a_sparse_one(n, monkeypatch):
    monkeypatch.setattr(_limits, "SPARSE_ROWS", n)
    A = chain(2.5, n)  # the smallest of which not all eigenvalues are computed
    dense, sparse = report(A.toarray(), names(n)), report(A, names(n))
    assert not dense.complete
    assert dense.kind == sparse.kind == "minimum"
    assert dense.condition == pytest.approx(sparse.condition, rel=1e-4)


def test_units_make_no_large_matrix_flat():
    d = sp.diags(np.exp2(np.linspace(-30, 30, N)))
    found = report((d @ chain(4.0) @ d).tocsr(), names(N))
    assert found.kind == "minimum" and found.rank == N and not found.flat_directions


def test_large_zeros_and_nans_are_told():
    zero = sp.csr_matrix((N, N))
    assert report(zero, names(N)).kind == "flat" and report(zero, names(N)).rank == 0
    bad = chain(2.0)
    bad[7, 7] = np.nan
    found = report(bad, names(N))
    assert found.non_finite == [("w[7]", "w[7]", pytest.approx(np.nan, nan_ok=True))]


@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix])
@pytest.mark.parametrize("eigenvalues, kind", KINDS)
def test_definiteness_by_factorisation_agrees_with_the_eigenvalues(eigenvalues, kind, make):
    A, _ = turned(eigenvalues, 5)
    assert is_positive_definite(make(A + 1e-9 * np.eye(len(A)))) == (min(eigenvalues) >= 0)
    assert is_positive_definite(make(A - 1e-9 * np.eye(len(A)))) == (kind == "minimum")


def test_many_eigenvalues_close_together_are_found_roughly_after_a_while(monkeypatch):
    """Those of a chain, which are known: as many are within a hundredth of the smallest as take ARPACK a minute."""
    from symgrad.transforms.report import spectrum_of

    n = 20_000
    chain = sp.diags_array([np.full(n, 5.0), *[np.full(n - 1, -2.0)] * 2], offsets=[0, 1, -1]).tocsc()
    asked, plain = [], sp.linalg.eigsh
    monkeypatch.setattr(
        sp.linalg, "eigsh", lambda *args, **given: asked.append((given.get("tol"), given.get("maxiter")))
        or plain(*args, **given),
    )  # fmt: skip
    found = spectrum_of(chain)
    assert (1e-3, None) in asked and (1e-6, sg._limits.SPECTRUM_RESTARTS) in asked
    known = 5 - 4 * np.cos(np.pi * np.arange(1, 4) / (n + 1))
    np.testing.assert_allclose(found.weak_values, known, rtol=5e-3)
    assert found.kind == "minimum" and found.condition == pytest.approx(9, rel=5e-3)
